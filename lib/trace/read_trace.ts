/**
 * Opening traces as streams of requests. Imports the formats and stages of this folder.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import { type ByteSource, requestBatches, sourceName } from "./feed.ts";
import type { FormatOptions } from "./format.ts";
import { traceFormat } from "./formats.ts";
import type { TraceRequest } from "./request.ts";
import { Flow } from "./stage.ts";

/** Options of {@linkcode readTrace}. */
export interface ReadTraceOptions extends FormatOptions {
  /** Name of the format. Default `mooncake`. */
  format?: string;
  /**
   * For formats of several files: `time` merges them by the time of the requests, `file` gives one file after the other
   * as they stand. Default `time`.
   */
  order?: "time" | "file";
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
  const sources: readonly ByteSource[] = Array.isArray(input) ? input : [input as ByteSource];
  return new Flow(batches(sources, options));
}

async function* batches(
  sources: readonly ByteSource[],
  options: ReadTraceOptions,
): AsyncGenerator<readonly TraceRequest[], void, void> {
  const format = await traceFormat(options.format ?? "mooncake");
  if (sources.length === 0) throw new ConfigError("trace replay requires at least one trace file");
  if (sources.length > 1 && !format.shards) {
    throw new ConfigError(`trace_format='${format.name}' requires exactly one trace file, got ${sources.length}`);
  }
  const trace = format.open(options);
  if (trace.byTime && options.order !== "file") yield* trace.byTime(sources);
  else for (const source of sources) yield* requestBatches(source, trace.rows(sourceName(source)));
}
