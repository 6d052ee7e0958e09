/**
 * The load that a plan asks for: where requests come from, and when they arrive.
 *
 * @module
 */
import { loadTrace } from "./load_trace.ts";
import type { Traffic } from "./workload.ts";

/** Where requests come from. */
export type TrafficSource =
  | { type: "trace"; paths: readonly string[]; format: string; blockTokens: number | null }
  | { type: "synthetic"; inputTokens: number; outputTokens: number; count: number }
  | {
    type: "synthetic-session";
    inputTokens: number;
    outputTokens: number;
    /** Number of sessions. */
    count: number;
    turns: number;
    sharedPrefixRatio: number;
    prefixGroups: number;
    interTurnDelayMs: number;
  };

/** When requests (or sessions) arrive. */
export type TrafficLoad =
  | { type: "trace_timestamps"; speedup: number; agenticLanes: number | null }
  | { type: "concurrency"; concurrency: number }
  | { type: "constant_rate"; perSecond: number }
  | { type: "poisson"; perSecond: number; seed: number };

/** What of the engine a load depends on. */
export interface TrafficContext {
  /** KV block size of the engine (of prefill workers when there are two roles); asked for only when it matters. */
  engineBlockTokens(): number | Promise<number>;
  /** The model that is served. */
  model: string;
}

/**
 * Reads or makes the load of a plan.
 *
 * @throws {TraceError} when a trace cannot be opened, read or understood.
 * @throws {ConfigError} when source and load do not go together.
 *
 * @example
 * ```ts
 * import { planTraffic } from "dynosim";
 *
 * const source = { type: "synthetic", count: 10, inputTokens: 100, outputTokens: 10 } as const;
 * const load = { type: "constant_rate", perSecond: 2 } as const;
 * const { workload } = await planTraffic({ source, load }, { engineBlockTokens: () => 64, model: "any" });
 * console.log(workload.count); // 10
 * ```
 */
export async function planTraffic(
  { source, load }: { source: TrafficSource; load: TrafficLoad },
  context: TrafficContext,
): Promise<Traffic> {
  if (source.type === "trace") {
    return await loadTrace(source.paths, {
      format: source.format,
      blockTokens: source.blockTokens ?? undefined,
      model: context.model,
      ...(load.type === "trace_timestamps"
        ? { speedup: load.speedup, lanes: load.agenticLanes ?? undefined }
        : load.type === "concurrency"
        ? { concurrency: load.concurrency }
        : {}),
    });
  }
  const { syntheticTraffic } = await import("./synthetic.ts");
  const { type: _, ...shape } = source;
  return syntheticTraffic({
    ...shape,
    blockTokens: source.type === "synthetic" ? undefined : await context.engineBlockTokens(),
    ...(load.type === "concurrency"
      ? { concurrency: load.concurrency }
      : load.type === "constant_rate"
      ? { arrivalIntervalMs: 1000 / load.perSecond }
      : load.type === "poisson"
      ? { requestsPerSecond: load.perSecond, seed: load.seed }
      : {}),
  });
}
