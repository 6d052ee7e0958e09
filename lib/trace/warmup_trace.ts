/**
 * Past traffic for the load predictors, from a trace: rows of a Mooncake or a Dynamo request trace become requests with
 * their time and lengths. Opening the files is `read_warmup_trace.ts`.
 *
 * @module
 */
import { isMapping } from "../collections/mapping.ts";
import { TraceError } from "../errors.ts";
import { type RecordedRequest, type TrafficInterval, trafficIntervals } from "../forecast/history.ts";

/** A line of a warm-up trace and where it stands. */
export interface WarmupLine {
  /** Path of the file. */
  file: string;
  /** From 1. */
  line: number;
  /** The line itself. */
  text: string;
}

const DYNAMO_SCHEMA = "dynamo.request.trace.v1";
type Format = "dynamo" | "mooncake";
type Row = Record<string, unknown>;

/** Collects rows and makes intervals of them. */
export class WarmupTrace {
  #format: Format | null = null;
  readonly #requests: RecordedRequest[] = [];

  /** What the rows are; null before the first one that tells. */
  get format(): Format | null {
    return this.#format;
  }

  /** Every request on the trace's own clock, in the order read. */
  requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** Takes a line; blank ones are skipped. */
  add({ file, line, text }: WarmupLine): void {
    if (text.trim() === "") return;
    const at = `${file}:${line}`;
    const fail = (message: string, cause?: unknown): never => {
      throw new TraceError(message, { file, line }, { cause });
    };
    let outer: unknown;
    try {
      outer = JSON.parse(text);
    } catch (error) {
      return fail(`Invalid JSON at ${at}: ${(error as Error).message}`, error);
    }
    if (!isMapping(outer)) return fail(`Trace row at ${at} must be a JSON object`);
    const event = isMapping(outer.event) ? outer.event : outer;
    const found = formatOf(outer, event);
    if (!this.#format) {
      if (!found && typeof event.event_type === "string" && event.event_type !== "request_end") return;
      if (!found) return fail(`Unsupported warmup trace format at ${at}`);
      this.#format = found;
    }
    if (found !== this.#format) {
      return fail(
        `Mixed or unsupported warmup trace format at ${at}: expected ${this.#format}, found ${found ?? "unknown"}`,
      );
    }
    const number = (value: unknown, field: string): number => {
      if (typeof value !== "number") return fail(`${field} must be numeric at ${at}`);
      return Number.isFinite(value) ? value : fail(`${field} must be finite at ${at}`);
    };
    const length = (value: unknown, field: string): number =>
      typeof value === "number" && Number.isInteger(value) && value >= 0
        ? value
        : fail(`${field} must be a non-negative integer at ${at}`);

    if (this.#format === "mooncake") {
      this.#push(
        number(outer.timestamp, "timestamp"),
        length(outer.input_length, "input_length"),
        length(outer.output_length, "output_length"),
      );
      return;
    }
    if (event.event_type !== "request_end") return;
    if (!isMapping(event.request)) return fail(`request_end is missing request payload at ${at}`);
    const { request } = event;
    if (!isMapping(request.replay)) return fail(`request payload is missing replay metrics at ${at}`);
    const received = request.request_received_ms ?? null;
    this.#push(
      received !== null
        ? number(received, "request_received_ms")
        : number(event.event_time_unix_ms, "event_time_unix_ms"),
      length(request.replay.input_length, "input_length"),
      length(request.output_tokens, "output_tokens"),
    );
  }

  /**
   * The intervals from the first to the last that has requests, empty ones between them included.
   *
   * @param intervalS length of an interval in seconds
   */
  intervals(intervalS: number): TrafficInterval[] {
    const requests = this.#requests, dynamo = this.#format === "dynamo";
    const originMs = dynamo ? requests.reduce((least, { timestampMs }) => Math.min(least, timestampMs), Infinity) : 0;
    return trafficIntervals(requests, { intervalS, originMs });
  }

  #push(timestampMs: number, inputTokens: number, outputTokens: number): void {
    this.#requests.push({ timestampMs, inputTokens, outputTokens });
  }
}

function formatOf(outer: Row, event: Row): Format | null {
  if (outer.schema === DYNAMO_SCHEMA || event.schema === DYNAMO_SCHEMA) return "dynamo";
  return "timestamp" in outer && "input_length" in outer && "output_length" in outer ? "mooncake" : null;
}

/**
 * Reads a whole warm-up trace.
 *
 * @param lines the lines of all its files, in order
 * @param intervalS length of an interval in seconds
 * @throws TraceError with file and line for a row that cannot be used
 *
 * @example
 * ```ts
 * import { warmupIntervals } from "dynosim";
 *
 * const text = '{"timestamp": 50000, "input_length": 100, "output_length": 10}';
 * const [interval] = warmupIntervals([{ file: "a.jsonl", line: 1, text }], 180);
 * console.log(interval.startS, interval.requests, interval.inputTokens); // 0 1 100
 * ```
 */
export function warmupIntervals(lines: Iterable<WarmupLine>, intervalS: number): TrafficInterval[] {
  const trace = new WarmupTrace();
  for (const line of lines) trace.add(line);
  return trace.intervals(intervalS);
}

/**
 * Puts the files of a warm-up trace in order.
 *
 * @param pattern the path, directory or glob that was asked for
 * @param found the files it names
 * @throws TraceError when there are none, or when one shard is there both plain and compressed
 */
export function warmupFiles(pattern: string, found: readonly string[]): string[] {
  if (found.length === 0) throw new TraceError(`No warmup trace files matched '${pattern}'`, { file: pattern });
  const files = [...new Set(found)].sort();
  const plain = new Set(files);
  for (const file of files) {
    if (file.endsWith(".gz") && plain.has(file.slice(0, -3))) {
      throw new TraceError(
        `Both compressed and uncompressed warmup trace copies matched: ${file.slice(0, -3)} and ${file}. ` +
          "Select one representation with a glob.",
        { file },
      );
    }
  }
  return files;
}
