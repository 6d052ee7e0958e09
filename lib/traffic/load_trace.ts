/**
 * Trace files into a load that can be replayed. Imports the trace readers and the compilers of this folder.
 *
 * @module
 */
import { ConfigError, TraceError } from "../errors.ts";
import { type ByteSource, feed, sourceName } from "../trace/feed.ts";
import { traceFormat } from "../trace/formats.ts";
import type { TraceRequest } from "../trace/request.ts";
import type { Emit } from "../trace/row.ts";
import { batchesOf } from "../trace/stage.ts";
import { checkSpeedup, SessionRows } from "./session_rows.ts";
import type { Traffic } from "./workload.ts";

/** How a trace is replayed. */
export interface LoadOptions {
  /** Tokens a block id stands for. Default: the format's (512 for Mooncake). */
  blockTokens?: number;
  /** Sessions (or requests) open at the same time; recorded times are then ignored. Default: by recorded times. */
  concurrency?: number;
  /** Divides recorded times and delays. Default 1. */
  speedup?: number;
}

/** Options of {@linkcode loadTrace}. */
export interface LoadTraceOptions extends LoadOptions {
  /** Name of the format. Default `mooncake`. */
  format?: string;
}

/**
 * Reads trace files into a load. The rows go straight into columns: no object per request is kept.
 *
 * @throws {TraceError} when a file cannot be opened, read or understood.
 * @throws {ConfigError} when the options do not fit.
 */
export async function loadTrace(
  input: ByteSource | readonly string[],
  options: LoadTraceOptions = {},
): Promise<Traffic> {
  const sources: readonly ByteSource[] = Array.isArray(input) ? input : [input as ByteSource];
  const name = options.format ?? "mooncake";
  checkOptions(options);
  if (sources.length === 0) throw new ConfigError("trace replay requires at least one trace file");
  const format = await traceFormat(name === "mooncake-delta" ? "mooncake" : name);
  if (sources.length > 1 && !format.shards) {
    throw new ConfigError(`trace_format='${name}' requires exactly one trace file, got ${sources.length}`);
  }
  const rows = new SessionRows({
    blockTokens: options.blockTokens ?? format.blockTokens,
    concurrency: options.concurrency,
    speedup: options.speedup,
    growingPrompts: name === "mooncake-delta",
  });
  for (const source of sources) {
    const file = sourceName(source);
    const add: Emit = (request) => rows.add(request, request.hashCount, file);
    for await (const _ of feed(source, format.rows(file, options), add));
  }
  if (rows.count === 0) {
    const file = sourceName(sources[0]);
    throw new TraceError(`trace file ${file} did not contain any requests`, { file });
  }
  return rows.finish();
}

/** Makes a load of requests from anywhere: a stream, a generator, an array's async iterator. */
export async function loadRequests(
  requests: AsyncIterable<TraceRequest>,
  options: LoadOptions & { /** How the source is called in messages. */ name?: string } = {},
): Promise<Traffic> {
  checkOptions(options);
  const file = options.name ?? "<requests>";
  const rows = new SessionRows({
    blockTokens: options.blockTokens ?? 512,
    concurrency: options.concurrency,
    speedup: options.speedup,
  });
  for await (const batch of batchesOf(requests)) {
    for (const request of batch) rows.add(request, request.hashIds.length, file);
  }
  if (rows.count === 0) throw new TraceError(`trace file ${file} did not contain any requests`, { file });
  return rows.finish();
}

function checkOptions(options: LoadOptions): void {
  const { blockTokens, concurrency } = options;
  if (blockTokens !== undefined && !(blockTokens > 0)) {
    throw new ConfigError("trace_block_size must be greater than 0");
  }
  if (concurrency !== undefined && !(concurrency >= 1)) {
    throw new ConfigError("replay_concurrency must be at least 1");
  }
  if (concurrency === undefined && options.speedup !== undefined) checkSpeedup(options.speedup);
}
