/**
 * Rows of a trace into sessions and turns, with the times between them: the part that every format made of rows shares.
 *
 * @module
 */
import { reaching } from "../collections/growing.ts";
import { ConfigError, TraceError } from "../errors.ts";
import { MOST_TIME_MS } from "../trace/clock.ts";
import { BlockFit } from "../trace/block_fit.ts";
import type { TraceRequest } from "../trace/request.ts";
import { timeDoubt } from "../trace/time_doubt.ts";
import { numberText } from "./numbers.ts";
import { withPlannedOutputs } from "./planned_outputs.ts";
import { PromptHistory } from "./prompt_history.ts";
import { SessionNames } from "./session_names.ts";
import { SessionDriver } from "./session_driver.ts";
import { arrivalOrder, Arrivals, TimestampQueue } from "./timestamp_queue.ts";
import type { Pace, Traffic } from "./workload.ts";
import { WorkloadBuilder } from "./workload_builder.ts";

/** How rows become a load. */
export interface RowLoadOptions extends Pace {
  /** Tokens a block id stands for. */
  blockTokens: number;
  /** Prompts grow with the session's history (mooncake-delta). Default false. */
  growingPrompts?: boolean;
}

/** Rows that were put into columns elsewhere. */
export interface PreparedRows {
  builder: WorkloadBuilder;
  /** Timestamp of each row. */
  times: Float64Array;
  /** Line of each row. */
  lines: Int32Array;
  file: string;
}

/** What a recording says about time, in load order. */
interface RecordedTimes {
  /** By session: its first timestamp, NaN when missing; unsigned integers where all are such. */
  readonly starts: Float64Array | Uint32Array;
  /** By request: the delay after the turn before it; null when every session has one turn. */
  readonly delays: Float64Array | null;
  readonly firstRequest: Int32Array | null;
}

/** Collects rows in file order; {@linkcode finish} makes them a load. */
export class SessionRows {
  readonly #options: RowLoadOptions;
  readonly #builder: WorkloadBuilder;
  readonly #fit: BlockFit;
  /** By row: the timestamp of a session's first row (NaN when missing), of the others the delay after the turn before. */
  #times: Float64Array = new Float64Array(1024);
  /** By row, from the first one on that does not stand in the line after the row before. */
  #lines: Int32Array | null = null;
  #firstLine = 1;
  /** By row, from the first row on that continues a session; until then row and session are the same. */
  #session: Int32Array | null = null;
  #sessions = 0;
  readonly #byName = new Map<string, number>();
  /** By session; made-up names are missing. */
  readonly #names: (string | undefined)[] = [];
  /** Last timestamp seen in a named session, NaN before the first. */
  #lastMs = new Float64Array(0);
  /** True once a session is called like a row without a session would be. */
  #clashing = false;
  #file = "";

  /** `prepared` are rows that belong to no session, in file order. */
  constructor(options: RowLoadOptions, prepared?: PreparedRows) {
    this.#options = options;
    this.#builder = prepared?.builder ?? new WorkloadBuilder(options.blockTokens);
    this.#fit = new BlockFit(options.blockTokens);
    if (prepared === undefined) return;
    this.#times = prepared.times;
    this.#lines = prepared.lines;
    this.#file = prepared.file;
    this.#sessions = prepared.builder.count;
  }

  get count(): number {
    return this.#builder.count;
  }

  /** Adds a row of `file` with the first `hashCount` of its ids. The request may be changed afterwards. */
  add(request: TraceRequest, hashCount: number, file: string): void {
    this.#file = file;
    const row = this.#builder.count;
    if (row === this.#times.length) {
      this.#times = reaching(this.#times, row);
      if (this.#lines !== null) this.#lines = reaching(this.#lines, row);
      if (this.#session !== null) this.#session = reaching(this.#session, row);
    }
    this.#place(row, request.line);
    const session = this.#sessionOf(request);
    if (session === undefined) this.#begin(row, request);
    else this.#continue(row, request, session);
    this.#builder.add(request, request.hashIds, hashCount);
    this.#fit.add(request.inputTokens, hashCount);
  }

  #place(row: number, line: number): void {
    if (row === 0) this.#firstLine = line;
    if (this.#lines === null) {
      if (line === this.#firstLine + row) return;
      this.#lines = Int32Array.from(this.#times, (_, i) => this.#firstLine + i);
    }
    this.#lines[row] = line;
  }

  #line(row: number): number {
    return this.#lines === null ? this.#firstLine + row : this.#lines[row];
  }

  /**
   * The session a row continues. Rows without a session are called `request_<line>`, and a trace that uses such names
   * itself means the same session by them.
   */
  #sessionOf(request: TraceRequest): number | undefined {
    const name = request.sessionId;
    if (name === undefined) return this.#clashing ? this.#byName.get(`request_${request.line}`) : undefined;
    const known = this.#byName.get(name);
    if (known !== undefined || !name.startsWith("request_")) return known;
    this.#clashing = true;
    const row = this.#rowAt(Number(name.slice(8)));
    if (row === this.#builder.count || `request_${this.#line(row)}` !== name) return undefined;
    const session = this.#session === null ? row : this.#session[row];
    if (this.#names[session] !== undefined) return undefined;
    this.#register(session, name, this.#times[row]);
    return session;
  }

  /** The first row at or behind a line. */
  #rowAt(line: number): number {
    let low = 0, high = this.#builder.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#line(middle) < line) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #register(session: number, name: string, lastMs: number): void {
    this.#byName.set(name, session);
    this.#names[session] = name;
    if (session >= this.#lastMs.length) this.#lastMs = reaching(this.#lastMs, Math.max(session, 1023));
    this.#lastMs[session] = lastMs;
  }

  #begin(row: number, request: TraceRequest): void {
    const name = request.sessionId;
    if (request.delayMs) {
      this.#fail(request.line, `sets delay on the first turn of session ${name ?? `request_${request.line}`}`);
    }
    const timestampMs = request.timestampMs ?? NaN;
    this.#times[row] = timestampMs;
    const session = this.#sessions++;
    if (this.#session !== null) this.#session[row] = session;
    if (name !== undefined) this.#register(session, name, timestampMs);
  }

  #continue(row: number, request: TraceRequest, session: number): void {
    const { timestampMs } = request;
    let delay = request.delayMs;
    if (delay === undefined) {
      const lastMs = this.#lastMs[session];
      if (timestampMs === undefined) delay = 0;
      else if (!Number.isNaN(lastMs)) delay = timestampMs - lastMs;
      else {
        this.#fail(
          request.line,
          `for session ${
            request.sessionId ?? `request_${request.line}`
          } cannot infer delay without a previous timestamp`,
        );
      }
    }
    if (!(delay >= 0 && delay < Infinity)) this.#fail(request.line, `has invalid delay ${numberText(delay)}`);
    if (timestampMs !== undefined) this.#lastMs[session] = timestampMs;
    this.#session ??= Int32Array.from(this.#times, (_, i) => i);
    this.#session[row] = session;
    this.#times[row] = delay;
  }

  #fail(line: number, what: string): never {
    throw new TraceError(`trace line ${line} ${what}`, { file: this.#file, line });
  }

  /** The load. Checks what only the whole shows, session by session. The rows must not be used any further. */
  finish(): Traffic {
    const firstRequest = this.#session === null ? null : this.#sortBySession();
    if (firstRequest === null) {
      const starts = narrowed(this.#times.subarray(0, this.#sessions));
      this.#times = new Float64Array(0);
      return this.#paced({ starts, delays: null, firstRequest }, this.#options);
    }
    const starts = new Float64Array(this.#sessions), delays = this.#times;
    for (let s = 0; s < this.#sessions; s++) {
      starts[s] = delays[firstRequest[s]];
      delays[firstRequest[s]] = 0;
    }
    return this.#paced({ starts, delays, firstRequest }, this.#options);
  }

  #paced(recorded: RecordedTimes, { speedup = 1, concurrency }: Pace): Traffic {
    const timed = concurrency === undefined, { firstRequest } = recorded;
    if (!timed && !(concurrency >= 1)) throw new ConfigError("replay_concurrency must be at least 1");
    const starts = timed ? normalised(recorded.starts, speedup) : new Arrivals(recorded.starts);
    const delays = timed && speedup !== 1
      ? recorded.delays && recorded.delays.map((delay) => delay / speedup)
      : recorded.delays;
    this.#check(starts, delays, firstRequest, timed);
    const doubt = timed ? timeDoubt(starts.count, speedup * starts.latest()) : undefined;
    const found = [this.#fit.warning(), doubt].filter((text) => text !== undefined);
    const warnings = found.map((text) => `${this.#file}: ${text}`);
    const repaced = (pace: Pace) => this.#paced(recorded, pace);

    const order = timed ? arrivalOrder(starts) : null;
    if (timed && firstRequest === null) {
      const workload = this.#builder.finish(null);
      return { workload, start: () => new TimestampQueue(workload, starts, order), warnings, repaced };
    }
    const sessions = new SessionNames(
      this.#names,
      (request) => this.#line(request),
      firstRequest,
      this.#sessions,
      this.count,
    );
    const grows = this.#options.growingPrompts === true && firstRequest !== null;
    const rows = this.#builder.finish(sessions, null, grows), { session } = sessions;
    const workload = grows
      ? withPlannedOutputs(rows, (request) => request + 1 < rows.count && session[request + 1] === session[request])
      : rows;
    return {
      workload,
      warnings,
      repaced,
      start: () =>
        new SessionDriver(workload, {
          start: timed ? { arrivals: starts, order } : { concurrency },
          firstRequest: sessions.firstRequest,
          session: sessions.session,
          delaysMs: delays,
          history: grows ? new PromptHistory(workload) : undefined,
        }),
    };
  }

  /** Puts the rows in load order, session by session; returns the first request of each session and the count. */
  #sortBySession(): Int32Array {
    const session = this.#session!, count = this.count;
    const firstRequest = new Int32Array(this.#sessions + 1);
    for (let row = 0; row < count; row++) firstRequest[session[row] + 1]++;
    for (let s = 0; s < this.#sessions; s++) firstRequest[s + 1] += firstRequest[s];
    const next = firstRequest.slice(), order = new Int32Array(count);
    const times = new Float64Array(count), lines = new Int32Array(count);
    for (let row = 0; row < count; row++) {
      const request = next[session[row]]++;
      order[request] = row;
      times[request] = this.#times[row];
      lines[request] = this.#line(row);
    }
    this.#times = times;
    this.#lines = lines;
    this.#builder.reorder(order);
    return firstRequest;
  }

  #check(starts: Arrivals, delays: Float64Array | null, firstRequest: Int32Array | null, timed: boolean): void {
    const sessions = this.#sessions, builder = this.#builder;
    for (let s = 0; s < sessions; s++) {
      const start = starts.at(s);
      const first = firstRequest === null ? s : firstRequest[s];
      const end = firstRequest === null ? s + 1 : firstRequest[s + 1];
      if (start > MOST_TIME_MS) {
        const what = `trace line ${this.#line(first)}: arrival after ${
          numberText(start)
        } ms is beyond what a clock tells`;
        throw new TraceError(what, { file: this.#file, line: this.#line(first) });
      }
      if (!(start >= 0 && start < Infinity)) this.#refuseStart(s, first, start, timed);
      for (let request = first; request < end; request++) {
        if (builder.inputTokens(request) === 0) {
          const what = `session ${this.#name(s, first)} turn ${request - first} must have a positive input_length`;
          throw new TraceError(what, { file: this.#file, line: this.#line(request) });
        }
        if (delays !== null && !(delays[request] < Infinity)) {
          const what = `session ${this.#name(s, first)} turn ${request - first} has invalid delay inf`;
          throw new TraceError(what, { file: this.#file, line: this.#line(request) });
        }
      }
    }
  }

  #refuseStart(session: number, first: number, start: number, timed: boolean): void {
    const name = this.#name(session, first);
    const place = { file: this.#file, line: this.#line(first) };
    if (!Number.isNaN(start)) {
      throw new TraceError(`session ${name} has invalid first_arrival_timestamp_ms ${numberText(start)}`, place);
    }
    if (timed) throw new TraceError(`trace mode requires first_arrival_timestamp_ms for session ${name}`, place);
  }

  #name(session: number, first: number): string {
    return this.#names[session] ?? `request_${this.#line(first)}`;
  }
}

/** The earliest start becomes 0 (a missing one counts as 0), then starts are divided by the speedup. */
function normalised(starts: RecordedTimes["starts"], speedup: number): Arrivals {
  checkSpeedup(speedup);
  let earliest = Infinity;
  for (let s = 0; s < starts.length; s++) {
    const start = starts[s];
    if (start < earliest) earliest = start;
    else if (earliest > 0 && Number.isNaN(start)) earliest = 0;
  }
  return new Arrivals(starts, earliest, speedup);
}

/** The same times in half the memory, where all are integers of 32 bits. */
function narrowed(times: Float64Array): RecordedTimes["starts"] {
  for (let i = 0; i < times.length; i++) if (times[i] !== times[i] >>> 0) return times;
  return new Uint32Array(times);
}

/** @throws {ConfigError} unless the speedup is finite and positive. */
export function checkSpeedup(speedup: number, name = "ratio"): void {
  if (speedup > 0 && speedup < Infinity) return;
  throw new ConfigError(`${name} must be a finite positive number, got ${numberText(speedup)}`);
}
