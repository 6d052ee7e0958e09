/**
 * What every engine's rank offers to the worker it belongs to. A rank is one scheduler with one KV pool. It decides a
 * whole forward pass when the pass starts (`start`), and tells the outside what came of it when the pass ends
 * (`finish`): tokens, ended requests and cache contents are invisible in between.
 *
 * @module
 */
import type { PassRow } from "../planner/policy.ts";
import type { Outcome } from "./records.ts";

/** Hears what a rank tells at pass ends. All times are milliseconds of virtual time. */
export interface RankObserver {
  /** A request ended; its tokens are already in the records. Prefill-role ranks call this only for rejections. */
  ended(rank: Rank, request: number, atMs: number, outcome: Outcome): void;
  /** First output token of a request that goes on; only told when `tellFirstTokens` is set on the rank. */
  firstToken(rank: Rank, request: number, atMs: number): void;
  /** Prefill role: the prompt is computed, its KV stays until `release`. */
  sourceHeld(rank: Rank, request: number, atMs: number): void;
  /** Decode role: the oldest pending destination got its KV; `missingTokens` have to be transferred. */
  reserved(rank: Rank, request: number, atMs: number, missingTokens: number): void;
}

/** Hears which prompt blocks a rank holds, at pass ends; the kv_router listens. */
export interface CacheListener {
  /**
   * The first `blocks` KV blocks of prompt edge `edge` (see `prompt_index.ts`) are resident on rank `rankId` from the
   * pass end at `atMs` on, no more.
   */
  resident(rankId: number, edge: number, blocks: number, atMs: number): void;
}

/**
 * What a rank wants after a pass without effect or duration. Of several ranks of a worker the largest counts.
 * `fail`: nothing will ever come of it; `again`: another attempt at the same time may come out differently, up to a
 * limit; `countdown`: it will, attempts are counted down.
 */
export const Retry = { later: 0, fail: 1, again: 2, countdown: 3 } as const;
export type Retry = (typeof Retry)[keyof typeof Retry];

/** One scheduler with its KV pool. */
export interface Rank {
  /** Scheduler id in its pool (worker · ranks + rank), as reports name it. */
  readonly id: number;
  /** True while a request runs or waits: a pass would be attempted. Pending destinations alone do not count. */
  readonly ready: boolean;
  /** Requests it owns in any way: waiting, running, held for a transfer, pending, reserved. */
  readonly owned: number;
  /**
   * Whether the last `start` did anything: took time, admitted, preempted, emitted or scheduled. A pass that did not
   * has no `finish`; what follows says `retry`.
   */
  readonly hadEffect: boolean;
  /** Whether the last `start` admitted or preempted anybody. */
  readonly reshuffled: boolean;
  /** What to do after a pass without effect; `later` is before the cluster's next event. */
  readonly retry: Retry;
  /** When the pass in flight started (the last of a steadyDecodeRun). */
  readonly passStartMs: number;
  /** Prompt tokens (recomputed ones included) of all passes that ended. */
  readonly committedPrefillTokens: number;
  /** Decode forwards and accepted tokens of all passes that ended. */
  readonly decodeForwards: number;
  readonly acceptedTokens: number;

  /** A request joins the waiting queue. Allowed while a pass is in flight. */
  submit(request: number, nowMs: number): void;
  /**
   * Forms and commits the pass that starts at `nowMs`.
   *
   * @param wave passes of the group since all its ranks were idle (prefill cadence of attention data parallelism)
   *
   * @returns when this rank would end it (>= `nowMs`)
   */
  start(nowMs: number, wave?: number): number;
  /**
   * As `start`, for one of several ranks of a worker, and quicker where nothing but steady decoding happens. Absent where
   * that is no other way.
   */
  startInGroup?(nowMs: number, wave: number): number;
  /**
   * Engines whose ranks share decisions: called on the first rank of a worker of several when all of them decided their
   * pass; `tookPart` is 0 for those that were not ready.
   */
  settleGroup?(ranks: readonly Rank[], tookPart: ArrayLike<number>): void;
  /** The pass in flight ends at `endMs` (the group's end, >= the rank's own). */
  finish(endMs: number): void;
  /**
   * For workers of one rank: starts a pass at `nowMs` and goes on, finishing passes and starting the next, while only
   * steady decoding happens and each next start is before `untilMs`.
   *
   * @returns the end of the pass left in flight
   */
  steadyDecodeRun(nowMs: number, untilMs: number): number;
  /**
   * Of the passes that ended in the last `steadyDecodeRun`: held blocks times the milliseconds they were held, and the
   * most.
   */
  readonly ranHeldBlockMs: number;
  readonly ranPeakBlocks: number;
  /**
   * `activeBlocks` and `inactiveBlocks` when the last of those passes ended, -1 when none did; the numbers of requests
   * were those before the run. Absent where runs change more: then they stop at every pass end while gauges are kept.
   */
  readonly ranActiveBlocks?: number;
  readonly ranInactiveBlocks?: number;
  /**
   * For workers of one rank with a pass in flight that ends at `endMs`: a time up to which, if nothing reaches the rank,
   * passes may end without anything about it changing that others see, or -Infinity. Whoever asks may leave the rank
   * behind until then. Absent where there is no such time.
   */
  quietUntilMs?(endMs: number): number;
  /** Writes what is left of the token statistics; called once when the replay is over. */
  close(): void;

  // Roles (disaggregated serving). Activation, release and cancellation are only called between passes.

  /** Decode role: the request queues for KV of its prompt. Returns null when accepted, else why it is refused. */
  offer(request: number, nowMs: number): string | null;
  /** Decode role: requests that were offered and have no KV yet. */
  readonly pendingDestinations: number;
  /** Decode role: tries to grant the oldest pending destination once; tells `reserved` when it succeeds. */
  tryReserve(nowMs: number): boolean;
  /** Decode role: the KV has arrived; the request waits in the order of its offer, its prompt computed. */
  activate(request: number, nowMs: number): void;
  /** Prefill role: frees the held KV. */
  release(request: number, nowMs: number): void;
  /** Any role: forgets the request, frees what it holds. Returns false when it is unknown. */
  cancel(request: number, nowMs: number): boolean;

  // Telemetry, asked rarely.

  /** Fills `row` with the last pass that ended, except worker and rank ids. Only kept up when `collectPasses` is set. */
  describePass(row: PassRow): void;
  collectPasses: boolean;
  tellFirstTokens: boolean;
  /** Gauges: KV blocks in use, cached but evictable, and requests running and waiting. */
  readonly activeBlocks: number;
  readonly inactiveBlocks: number;
  readonly totalBlocks: number;
  /** KV blocks that belong to requests, now: none when nobody is served and nothing is in transfer. */
  readonly heldBlocks: number;
  readonly runningRequests: number;
  readonly waitingRequests: number;
  readonly preemptions: number;
  /** SGLang: prompt tokens looked up in the cache at admissions, and those found; absent elsewhere. */
  readonly cacheTotalTokens?: number;
  readonly cacheHitTokens?: number;
}
