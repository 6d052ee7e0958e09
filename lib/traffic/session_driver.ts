/**
 * Sessions: turns one after the other, by recorded times or with a fixed number of sessions open.
 *
 * @module
 */
import type { PromptHistory } from "./prompt_history.ts";
import { IndexHeap } from "../collections/index_heap.ts";
import type { AdmissionSource, EndStatus, PromptRuns, Workload } from "./workload.ts";

/** When sessions begin: at times known beforehand, or as slots become free. */
export type SessionStart =
  /** Arrival of each session's first turn, by session index. */
  | { arrivalsMs: Float64Array }
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
  /** Sessions whose first turn is not ready yet, in order of arrival; in a closed loop null for load order. */
  readonly #arrivals: Float64Array | null;
  readonly #order: Int32Array | null;
  #opened = 0;
  /** The request a session waits with, and since when or until when. */
  readonly #readyRequest: Int32Array;
  readonly #readyMs: Float64Array;
  /** Sessions with a ready turn. A session waits with one turn at most, so time and session decide. */
  readonly #heap: IndexHeap;
  /** Sessions that are neither over nor unopened. */
  #active = 0;

  constructor(workload: Workload, options: SessionDriverOptions) {
    this.workload = workload;
    this.#firstRequest = options.firstRequest;
    this.#session = options.session;
    this.#delays = options.delaysMs;
    this.#history = options.history ?? null;
    this.#sessions = options.firstRequest.length - 1;
    this.#readyRequest = new Int32Array(this.#sessions);
    this.#readyMs = new Float64Array(this.#sessions);
    const { start } = options;
    this.#closedLoop = "concurrency" in start;
    this.reactionMs = this.#closedLoop ? 0 : shortestDelayMs(options);
    if ("concurrency" in start) {
      this.#arrivals = this.#order = null;
      this.#heap = new IndexHeap(Math.min(start.concurrency, this.#sessions), this.#readyMs);
      while (this.#opened < this.#sessions && this.#active < start.concurrency) this.#open(0);
    } else {
      const arrivals = this.#arrivals = start.arrivalsMs;
      this.#heap = new IndexHeap(this.#sessions, this.#readyMs);
      this.#order = Int32Array.from(arrivals, (_, s) => s).sort((a, b) => arrivals[a] - arrivals[b] || a - b);
    }
  }

  nextReadyMs(): number {
    const waiting = this.#heap.size > 0 ? this.#readyMs[this.#heap.first] : Infinity;
    if (this.#arrivals === null || this.#opened === this.#sessions) return waiting;
    return Math.min(waiting, this.#arrivals[this.#order![this.#opened]]);
  }

  admit(nowMs: number): number {
    if (this.#arrivals !== null) {
      while (this.#opened < this.#sessions) {
        const session = this.#order![this.#opened];
        if (this.#arrivals[session] > nowMs) break;
        this.#opened++;
        this.#active++;
        this.#ready(session, this.#firstRequest[session], this.#arrivals[session]);
      }
    }
    if (this.#heap.size === 0) return -1;
    const session = this.#heap.first;
    if (this.#readyMs[session] > nowMs) return -1;
    this.#heap.pop();
    this.arrivalMs = this.#closedLoop ? nowMs : this.#readyMs[session];
    const request = this.#readyRequest[session];
    this.#history?.admitted(session, request);
    return request;
  }

  ended(request: number, nowMs: number, status: EndStatus, emitted: number): void {
    const session = this.#session[request];
    const next = request + 1;
    const goesOn = (status === "completed" || status === "rejected") && next < this.#firstRequest[session + 1];
    if (goesOn) {
      this.#history?.ended(session, request, status === "completed" ? emitted : 0);
      this.#ready(session, next, this.#delays === null ? nowMs : nowMs + this.#delays[next]);
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

  #open(nowMs: number): void {
    const session = this.#opened++;
    this.#active++;
    this.#ready(session, this.#firstRequest[session], nowMs);
  }

  #ready(session: number, request: number, atMs: number): void {
    this.#readyRequest[session] = request;
    this.#readyMs[session] = atMs;
    this.#heap.push(session);
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
