/**
 * A load in plain data, and the one way from it to the load itself.
 *
 * @module
 */
import { loadTrace, type LoadTraceOptions } from "./load_trace.ts";
import type { SyntheticOptions } from "./synthetic.ts";
import type { Traffic } from "./workload.ts";

/** Trace files and how they are replayed. */
export interface TraceTrafficSpec extends Omit<LoadTraceOptions, "ledger"> {
  /** Of a trace. */
  type: "trace";
  /** Every format but `dynamo` takes exactly one. */
  paths: readonly string[];
}

/** Requests of constant length that no trace tells. */
export interface SyntheticTrafficSpec extends SyntheticOptions {
  /** Of a synthetic load. */
  type: "synthetic";
  /** Tokens of a block of shared content. Default: the block size of the workers that compute prompts. */
  blockTokens?: number;
}

/** A load in plain data: it survives JSON and a structured clone. {@linkcode loadTraffic} makes it. */
export type TrafficSpec = TraceTrafficSpec | SyntheticTrafficSpec;

/**
 * Reads or makes a load.
 *
 * @param engineBlockTokens KV block size of the workers that compute prompts; asked for only when it matters
 * @throws {TraceError} when a trace cannot be opened, read or understood.
 * @throws {ConfigError} when the options do not fit.
 *
 * @example
 * ```ts
 * import { loadTraffic } from "dynosim";
 *
 * const { workload } = await loadTraffic(
 *   { type: "synthetic", count: 10, inputTokens: 100, outputTokens: 10, arrivalIntervalMs: 500 },
 *   () => 64,
 * );
 * console.log(workload.count); // 10
 * ```
 */
export async function loadTraffic(
  spec: TrafficSpec,
  engineBlockTokens: () => number | Promise<number>,
): Promise<Traffic> {
  if (spec.type === "trace") {
    const { paths, type: _, ...options } = spec;
    return await loadTrace(paths, options);
  }
  const { type: _, blockTokens, ...options } = spec;
  const { syntheticTraffic }: typeof import("./synthetic.ts") = await import(import.meta.resolve("./synthetic.ts"));
  return syntheticTraffic({ ...options, blockTokens: blockTokens ?? await engineBlockTokens() });
}
