/**
 * A whole load in columns: what the engines and the router need of every request, addressed by a dense request index
 * (load order: session by session, turn by turn). Made once before a replay, read-only during it.
 *
 * @module
 */

/** Requests in columns. Every array has one entry per request unless it says otherwise. */
export interface Workload {
  readonly count: number;
  /** Tokens in a trace block. */
  readonly blockTokens: number;
  readonly inputTokens: Int32Array;
  readonly outputTokens: Int32Array;
  /** Request `r` owns `blockIds[blockStart[r] .. blockStart[r + 1])`, exactly ceil(input / blockTokens) ids; length `count + 1`. */
  readonly blockStart: Int32Array;
  /** Interned ids (0, 1, 2 … in order of first appearance): token p of a prompt is the id of block floor(p / blockTokens). */
  readonly blockIds: Int32Array;
  /** Output tokens a row names literally (same number space as the interned ids); requests without are absent. */
  readonly outputTokenIds: ReadonlyMap<number, Uint32Array>;
  /**
   * Prompts that are not made of whole trace blocks (sessions that append to their history): token runs
   * `tokens[i]` × `lengths[i]`. Such a prompt may be known only when the turn starts; see `prompt` of the admission source.
   */
  readonly priority: Int32Array | null;
  readonly strictPriority: Uint32Array | null;
  readonly policyClass: ReadonlyMap<number, string> | null;
  /** Session index of each request, or null when sessions are not reported. */
  readonly session: Int32Array | null;
  readonly turn: Int32Array | null;
  /** Session names by session index. */
  readonly sessionNames: readonly string[];
  /** True for sessions whose name the loader made up (the router never sees those). */
  readonly sessionMadeUp: Uint8Array | null;
  /** Names to report, where the format has them (agentic formats). */
  readonly requestIds: readonly string[] | null;
  readonly playIds: readonly string[] | null;
  /** Identifiers an agentic format gives a request (`conversation_id`, `root_id`, …), reported as they are. */
  readonly agentic?: readonly Readonly<Record<string, string>>[] | null;
}

/** Decides when requests enter the cluster. The cluster asks; nothing here reads a clock. */
export interface AdmissionSource {
  readonly workload: Workload;
  /** Requests this source can still admit or has admitted; equals `workload.count` unless plays can be skipped. */
  /** Earliest time a request is ready, `Infinity` when none is known now. Never decreases below times already served. */
  nextReadyMs(): number;
  /** Takes the next request with ready time <= now, or -1. `arrivalMs` then holds the arrival to report. */
  admit(nowMs: number): number;
  /** Arrival to report for the request `admit` returned last. */
  readonly arrivalMs: number;
  /** True when `admit` can depend on `ended` or `dispatched` (sessions, concurrency, graphs): the cluster then runs in lock step. */
  readonly reactive: boolean;
  /** Tells that a request ended. `emitted` is the number of output tokens. */
  ended(
    request: number,
    nowMs: number,
    status: "completed" | "rejected" | "failed" | "cancelled",
    emitted: number,
  ): void;
  /** Tells that an admitted request was handed to the cluster (agentic dispatch triggers). */
  dispatched(request: number, nowMs: number): void;
  /** True when no further request will ever be admitted, whatever ends. */
  exhausted(): boolean;
  /**
   * Prompts that depend on what earlier turns emitted (mooncake-delta): token runs of the prompt of `request`, asked at
   * admission; null for prompts made of the workload's trace blocks.
   */
  promptRuns(request: number): { tokens: Uint32Array; lengths: Int32Array; inputTokens: number } | null;
}
