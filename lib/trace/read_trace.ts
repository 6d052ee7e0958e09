/**
 * Opening traces as streams of requests.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import { type ByteSource, requestBatches, sourceName } from "./feed.ts";
import { FORMAT_OPTIONS, type FormatOptions, type TraceFormat } from "./format.ts";
import { traceFormat } from "./formats.ts";
import type { TraceRequest } from "./request.ts";
import { Flow } from "./stage.ts";

/** Options of {@linkcode readTrace}. */
export interface ReadTraceOptions extends FormatOptions {
  /** Name of the format, or `auto` to find it out from the first lines. Default `auto`. */
  format?: string;
  /**
   * For formats of several files: `time` merges them by the time of the requests, `file` gives one file after the other
   * as they stand. Default `time`.
   */
  order?: "time" | "file";
  /**
   * What to do with rows that cannot be used: `fail`, or `drop` and count them. Default: `fail` for the formats that can
   * be replayed, `drop` for foreign ones.
   */
  badRows?: "fail" | "drop";
  /** Told once the format is known, before the first request. */
  onOpen?: (opened: OpenedTrace) => void;
}

/** Names of the options of {@linkcode readTrace}. */
export const READ_OPTIONS: OptionNames<ReadTraceOptions> = {
  ...FORMAT_OPTIONS,
  format: true,
  order: true,
  badRows: true,
  onOpen: true,
};

/** A trace whose format is known. */
export interface OpenedTrace {
  /** The format, as recognised or as asked for. */
  format: TraceFormat;
  /** By what the format was recognised, when it was. */
  why: string | undefined;
  /** Tokens of a block; known at the latest with the first request. */
  blockTokens(): number;
}

/**
 * The requests of a trace as a stream. Gzip is recognised by its first bytes; a path of `-` is standard input. Nothing
 * is read before the first request is asked for.
 *
 * @example
 * ```ts
 * import { readTrace } from "dynosim";
 *
 * let tokens = 0;
 * const row = '{"timestamp": 0, "input_length": 1000, "output_length": 4, "hash_ids": [1, 2]}\n';
 * for await (const request of readTrace(new Blob([row]).stream())) tokens += request.inputTokens;
 * console.log(tokens); // 1000
 * ```
 *
 * @throws {TraceError} while reading, when the trace cannot be opened, read or understood.
 */
export function readTrace(
  input: ByteSource | readonly string[],
  options: ReadTraceOptions = {},
): Flow<TraceRequest> {
  checkOptions("readTrace()", options, READ_OPTIONS);
  const sources: readonly ByteSource[] = Array.isArray(input) ? input : [input as ByteSource];
  return new Flow(batches(sources, options));
}

async function* batches(
  given: readonly ByteSource[],
  options: ReadTraceOptions,
): AsyncGenerator<readonly TraceRequest[], void, void> {
  if (given.length === 0) throw new ConfigError("trace replay requires at least one trace file");
  let sources = given, format: TraceFormat, why: string | undefined;
  if (options.format === undefined || options.format === "auto") {
    const { detectFormat }: typeof import("./detect.ts") = await import(import.meta.resolve("./detect.ts"));
    const found = await detectFormat(given[0]);
    ({ format, why } = found);
    sources = [found.source, ...given.slice(1)];
  } else {
    format = await traceFormat(options.format);
  }
  if (sources.length > 1 && !format.shards) {
    throw new ConfigError(`trace_format='${format.name}' requires exactly one trace file, got ${sources.length}`);
  }
  const { ledger } = options;
  if (ledger) {
    ledger.format = format.name;
    ledger.why = why ?? "";
    ledger.identity = format.identity;
  }
  const trace = format.open(options);
  options.onOpen?.({ format, why, blockTokens: () => trace.blockTokens! });
  const badRows = options.badRows ?? format.badRows;
  if (trace.byTime && options.order !== "file") {
    yield* trace.byTime(sources, { badRows, ledger });
    return;
  }
  for (const [i, source] of sources.entries()) {
    const file = sourceName(given[i]);
    await trace.prepare?.(file);
    yield* requestBatches(source, trace.rows(file), { badRows, ledger });
  }
}
