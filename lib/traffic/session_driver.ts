/**
 * Sessions: turns one after the other, by recorded times or with a fixed number of sessions open.
 *
 * @module
 */
import { Heap } from "../collections/heap.ts";
import type { PromptHistory } from "./prompt_history.ts";
import type { Arrivals } from "./timestamp_queue.ts";
import type { AdmissionSource, EndStatus, PromptRuns, Workload } from "./workload.ts";

/** When sessions begin: at times known beforehand, or as slots become free. */
export type SessionStart =
  /** Arrival of each session's first turn, by session index, and the order of these: null for load order. */
  | { arrivals: Arrivals; order: Int32Array | null }
  /** Number of sessions open at the same time. */
  | { concurrency: number };

/** Options of {@linkcode SessionDriver}. */
export interface SessionDriverOptions {
  start: SessionStart;
  /** Session `s` owns the requests `firstRequest[s] … firstRequest[s + 1] - 1`; one more entry than sessions. */
  firstRequest: Int32Array;
  /** Session of each request. */
  session: Int32Array;
  /** Think time before each request, counted from the end of the turn before it. Null: none. */
  delaysMs: Float64Array | null;
  /** Builds prompts out of earlier turns, when the format says so. */
  history?: PromptHistory;
}

/** A turn whose session waits for it, and until when. */
interface WaitingTurn {
  readonly atMs: number;
  readonly request: number;
}

/** A session waits with one turn at most, and sessions stand one after the other: time and request decide. */
const byTurn = (a: WaitingTurn, b: WaitingTurn) => a.atMs - b.atMs || a.request - b.request;

/**
 * Releases ready turns in the order (ready time, session, turn). A turn that completes or is rejected makes the next one
 * ready after its delay; a failed or cancelled one ends its session. With fixed concurrency sessions open in load order
 * and keep their place through all turns and think times.
 */
export class SessionDriver implements AdmissionSource {
  readonly workload: Workload;
  readonly reactive = true;
  /** The shortest think time; with a fixed number of sessions open, an end may open the next one at once. */
  readonly reactionMs: number;
  arrivalMs = 0;
  readonly #firstRequest: Int32Array;
  readonly #session: Int32Array;
  readonly #delays: Float64Array | null;
  readonly #history: PromptHistory | null;
  readonly #closedLoop: boolean;
  readonly #sessions: number;
  /** Of the first turns; null in a closed loop. */
  readonly #arrivals: Arrivals | null;
  /** Sessions in the order in which they begin; null for load order. */
  readonly #order: Int32Array | null;
  #opened = 0;
  /** The next turns of open sessions that have no request under way. */
  readonly #waiting = new Heap<WaitingTurn>(byTurn);
  /** Sessions that are neither over nor unopened. */
  #active = 0;

  constructor(workload: Workload, options: SessionDriverOptions) {
    this.workload = workload;
    this.#firstRequest = options.firstRequest;
    this.#session = options.session;
    this.#delays = options.delaysMs;
    this.#history = options.history ?? null;
    this.#sessions = options.firstRequest.length - 1;
    const { start } = options;
    this.#closedLoop = "concurrency" in start;
    this.reactionMs = this.#closedLoop ? 0 : shortestDelayMs(options);
    if ("concurrency" in start) {
      this.#arrivals = this.#order = null;
      while (this.#opened < this.#sessions && this.#active < start.concurrency) this.#open(0);
    } else {
      this.#arrivals = start.arrivals;
      this.#order = start.order;
    }
  }

  nextReadyMs(): number {
    const waiting = this.#waiting.first?.atMs ?? Infinity;
    if (this.#arrivals === null || this.#opened === this.#sessions) return waiting;
    return Math.min(waiting, this.#arrivals.at(this.#nextSession));
  }

  get #nextSession(): number {
    return this.#order === null ? this.#opened : this.#order[this.#opened];
  }

  admit(nowMs: number): number {
    if (this.#arrivals !== null) {
      while (this.#opened < this.#sessions) {
        const atMs = this.#arrivals.at(this.#nextSession);
        if (atMs > nowMs) break;
        this.#open(atMs);
      }
    }
    const first = this.#waiting.first;
    if (first === undefined || first.atMs > nowMs) return -1;
    const { atMs, request } = this.#waiting.pop()!;
    this.arrivalMs = this.#closedLoop ? nowMs : atMs;
    this.#history?.admitted(this.#session[request], request);
    return request;
  }

  ended(request: number, nowMs: number, status: EndStatus, emitted: number): void {
    const session = this.#session[request];
    const next = request + 1;
    const goesOn = (status === "completed" || status === "rejected") && next < this.#firstRequest[session + 1];
    if (goesOn) {
      this.#history?.ended(session, request, status === "completed" ? emitted : 0);
      this.#waiting.push({ atMs: this.#delays === null ? nowMs : nowMs + this.#delays[next], request: next });
      return;
    }
    this.#history?.closed(session);
    this.#active--;
    if (this.#closedLoop && this.#opened < this.#sessions) this.#open(nowMs);
  }

  dispatched(): void {}

  exhausted(): boolean {
    return this.#opened === this.#sessions && this.#active === 0;
  }

  promptRuns(request: number): PromptRuns | null {
    return this.#history === null ? null : this.#history.prompt(this.#session[request], request);
  }

  /** The first turn of the next session is ready at `atMs`. */
  #open(atMs: number): void {
    this.#waiting.push({ atMs, request: this.#firstRequest[this.#nextSession] });
    this.#opened++;
    this.#active++;
  }
}

/** `Infinity` when no session has a second turn. */
function shortestDelayMs({ firstRequest, session, delaysMs }: SessionDriverOptions): number {
  let shortest = Infinity;
  for (let request = 0; request < session.length; request++) {
    if (request !== firstRequest[session[request]]) {
      shortest = Math.min(shortest, delaysMs === null ? 0 : delaysMs[request]);
    }
  }
  return shortest;
}
