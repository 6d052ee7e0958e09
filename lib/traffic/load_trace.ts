/**
 * Trace files into a load that can be replayed.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames, TraceError } from "../errors.ts";
import { type ByteSource, feed, requestBatches, sourceName } from "../trace/feed.ts";
import { FORMAT_OPTIONS, type FormatOptions } from "../trace/format.ts";
import { traceFormat } from "../trace/formats.ts";
import type { TraceRequest } from "../trace/request.ts";
import type { Emit } from "../trace/row.ts";
import { type Batches, batchesOf } from "../trace/batches.ts";
import { SessionRows } from "./session_rows.ts";
import type { Traffic } from "./workload.ts";

/** Tokens of a trace block at most: engines keep their blocks' tokens. */
const MOST_BLOCK_TOKENS = 2 ** 20;

/** How a trace is replayed. */
export interface LoadOptions {
  /** Tokens a block id stands for. Default: the format's (512 for Mooncake; dynamo traces say it themselves). */
  blockTokens?: number;
  /** Sessions open at the same time; recorded times are then ignored. Default: by recorded times. */
  concurrency?: number;
  /** Divides recorded times and delays. Default 1. */
  speedup?: number;
  /** Agentic traces: plays that run at the same time. Default: every play at its own time. */
  lanes?: number;
  /** Agentic traces: the model that serves the requests. */
  model?: string;
}

/** Options of {@linkcode loadTrace}. */
export interface LoadTraceOptions extends LoadOptions, FormatOptions {
  /** Name of the format. Default `mooncake`. */
  format?: string;
}

const LOAD_OPTIONS: OptionNames<LoadOptions> = {
  blockTokens: true,
  concurrency: true,
  speedup: true,
  lanes: true,
  model: true,
};

/** Formats that can be replayed as they are; others are converted first. */
const SPELLINGS: Readonly<Record<string, string>> = {
  "mooncake_delta": "mooncake-delta",
  "agentic-mooncake": "agentic_mooncake",
};
const REPLAYABLE = ["mooncake", "mooncake-delta", "agentic_mooncake", "applied_compute_agentic", "dynamo"];

const LOAD_TRACE_OPTIONS: OptionNames<LoadTraceOptions> = { ...FORMAT_OPTIONS, ...LOAD_OPTIONS, format: true };

/**
 * Reads trace files into a load. Rows go straight into columns: no object per request is kept.
 *
 * @example
 * ```ts
 * import { loadTrace } from "dynosim";
 *
 * const rows = [
 *   '{"timestamp": 20, "input_length": 1000, "output_length": 4, "hash_ids": [1, 2]}',
 *   '{"timestamp": 10, "input_length": 600, "output_length": 3, "hash_ids": [1, 7]}',
 * ];
 * const traffic = await loadTrace(new Blob([rows.join("\n")]).stream());
 * const source = traffic.start();
 * console.log(traffic.workload.count, source.admit(0), source.nextReadyMs()); // 2 1 10
 * ```
 *
 * @throws {TraceError} when a file cannot be opened, read or understood.
 * @throws {ConfigError} when the options do not fit.
 */
export async function loadTrace(
  input: ByteSource | readonly string[],
  options: LoadTraceOptions = {},
): Promise<Traffic> {
  checkOptions("loadTrace()", options, LOAD_TRACE_OPTIONS);
  if (options.concurrency !== undefined && (options.speedup ?? 1) !== 1) {
    throw new ConfigError("loadTrace(): speedup has no effect with concurrency, which replaces the recorded times");
  }
  try {
    return await load(input, options);
  } catch (problem) {
    const [source] = Array.isArray(input) ? input : [input];
    if (!(problem instanceof TraceError) || typeof source !== "string") throw problem;
    const { formatHint }: typeof import("../trace/format_hint.ts") = await import(
      import.meta.resolve("../trace/format_hint.ts")
    );
    throw await formatHint(problem, source, options.format ?? "mooncake", REPLAYABLE);
  }
}

async function load(input: ByteSource | readonly string[], options: LoadTraceOptions): Promise<Traffic> {
  const sources: readonly ByteSource[] = Array.isArray(input) ? input : [input as ByteSource];
  const { format: written = "mooncake" } = options;
  const name = Object.hasOwn(SPELLINGS, written) ? SPELLINGS[written] : written;
  checkLoad(name, sources.length, options);
  if (name === "dynamo") {
    const { loadDynamo }: typeof import("./load_dynamo.ts") = await import(import.meta.resolve("./load_dynamo.ts"));
    return await loadDynamo(sources, options);
  }
  const format = await traceFormat(name);
  const trace = format.open(options);
  const file = sourceName(sources[0]);
  if (format.shape === "graph") {
    const requests = await collected(requestBatches(sources[0], trace.rows(file)));
    const { loadGraph }: typeof import("./agent_graph.ts") = await import(import.meta.resolve("./agent_graph.ts"));
    return loadGraph(requests, trace.provenance!, { ...options, blockTokens: trace.blockTokens! });
  }
  const rows = new SessionRows({
    ...options,
    blockTokens: trace.blockTokens!,
    growingPrompts: name === "mooncake-delta",
  });
  const add: Emit = (request) => rows.add(request, request.hashCount, file);
  for await (const _ of feed(sources[0], trace.rows(file), add));
  return finished(rows, file);
}

/** Options of {@linkcode loadRequests}. */
export interface LoadRequestsOptions extends LoadOptions {
  /** How the source is called in messages. Default `<requests>`. */
  name?: string;
}

/**
 * Makes a load of requests from anywhere: `readTrace` with stages behind it, or any async iterable.
 *
 * @throws {TraceError} when the requests do not make a load.
 *
 * @example
 * ```ts
 * import { limit, loadRequests, readTrace } from "dynosim";
 *
 * const requests = readTrace("fixtures/traces/chat.jsonl").pipeThrough(limit(100));
 * const { workload } = await loadRequests(requests, { speedup: 2 });
 * console.log(workload.count, workload.inputTokens[0]);
 * ```
 */
export async function loadRequests(
  requests: AsyncIterable<TraceRequest>,
  options: LoadRequestsOptions = {},
): Promise<Traffic> {
  checkOptions("loadRequests()", options, { ...LOAD_OPTIONS, name: true } satisfies OptionNames<LoadRequestsOptions>);
  checkLoad("mooncake", 1, options);
  const file = options.name ?? "<requests>";
  const rows = new SessionRows({ ...options, blockTokens: options.blockTokens ?? 512 });
  const agents: TraceRequest[] = [];
  for await (const batch of batchesOf(requests)) {
    for (const request of batch) {
      if (request.agent !== undefined) agents.push(request);
      else rows.add(request, request.hashIds.length, file);
    }
  }
  if (agents.length === 0) return finished(rows, file);
  if (rows.count > 0) throw new TraceError(`${file}: requests with and without an agent cannot be mixed`, { file });
  const { loadGraph }: typeof import("./agent_graph.ts") = await import(import.meta.resolve("./agent_graph.ts"));
  return loadGraph(agents, { format: "requests", digest: file }, {
    ...options,
    blockTokens: options.blockTokens ?? 512,
  });
}

function finished(rows: SessionRows, file: string): Traffic {
  if (rows.count === 0) throw new TraceError(`trace file ${file} did not contain any requests`, { file });
  return rows.finish();
}

async function collected(batches: Batches<TraceRequest>): Promise<TraceRequest[]> {
  const requests: TraceRequest[] = [];
  for await (const batch of batches) requests.push(...batch);
  return requests;
}

function checkLoad(format: string, files: number, options: LoadOptions): void {
  const { blockTokens, concurrency, lanes, model } = options;
  if (format === "weka") throw new ConfigError("trace_format='weka' is not supported: Weka corpora cannot be read");
  if (!REPLAYABLE.includes(format)) {
    throw new ConfigError(
      "trace_format must be 'mooncake', 'mooncake-delta', 'agentic_mooncake'/'agentic-mooncake', 'weka', " +
        `'applied_compute_agentic', or 'dynamo', got '${format}'`,
    );
  }
  if (files === 0) throw new ConfigError("trace replay requires at least one trace file");
  if (files > 1 && format !== "dynamo") {
    throw new ConfigError(`trace_format='${format}' requires exactly one trace file, got ${files}`);
  }
  if (blockTokens !== undefined && !(blockTokens > 0)) {
    throw new ConfigError("trace_block_size must be greater than 0");
  }
  if (blockTokens !== undefined && blockTokens > MOST_BLOCK_TOKENS) {
    throw new ConfigError(`trace_block_size must be at most ${MOST_BLOCK_TOKENS}, got ${blockTokens}`);
  }
  if (concurrency !== undefined && !(concurrency >= 1)) {
    throw new ConfigError("replay_concurrency must be at least 1");
  }
  if (lanes !== undefined) {
    if (!(lanes >= 1)) throw new ConfigError("agentic_lanes must be at least 1");
    if (concurrency !== undefined) {
      throw new ConfigError("agentic_lanes cannot be combined with replay_concurrency");
    }
    if (format !== "agentic_mooncake" && format !== "dynamo") {
      throw new ConfigError("agentic_lanes requires trace_format='agentic_mooncake', 'weka', or 'dynamo'");
    }
  }
  if (model === "") throw new ConfigError("execution_model must be non-empty");
  if (format === "applied_compute_agentic" && concurrency === undefined) {
    throw new ConfigError(
      "trace_format='applied_compute_agentic' requires replay_concurrency because source traces do not contain " +
        "first-turn timestamps",
    );
  }
  if (format === "agentic_mooncake" && concurrency !== undefined) {
    throw new ConfigError("agentic_mooncake trace format is not supported with replay_concurrency");
  }
}
