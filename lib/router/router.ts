/**
 * The seam between the cluster and whoever decides which worker gets a request. There is one router per pool. The cluster
 * tells it what happens to workers and requests, in the order in which it happens; the router answers with a rank.
 *
 * Routers are synchronous and deterministic. What a router wants to know costs the cluster time, so it says beforehand
 * (`needs…`, `mayQueue`, `cache`): one that wants nothing is asked for a rank and hears of nothing else.
 *
 * @module
 */
import type { PromptIndex } from "../engine/prompt_index.ts";
import type { CacheListener } from "../engine/rank.ts";
import type { Pool, RequestRecords } from "../engine/records.ts";
import type { RouterKnobs } from "../planner/policy.ts";
import type { Workload } from "../traffic/workload.ts";

/** What a router may look at: the load, and the pool it serves. */
export interface RouterContext {
  /** The requests, in columns. */
  readonly workload: Workload;
  /** Prompts cut into the pool's KV blocks. A prompt's path may go on beyond the prompt, into output known beforehand. */
  readonly prompts: PromptIndex;
  /** Arrival and prompt length of a request are in `records` before it is placed. */
  readonly records: RequestRecords;
  /** The pool whose workers it chooses among. */
  readonly pool: Pool;
  /** Token budget of a pass of one rank; `Infinity` when unlimited. */
  readonly maxBatchedTokens: number;
}

/** What a router believed when it placed a request. One object per router, overwritten by the next placement. */
export interface PlacementView {
  /** Prompt tokens believed resident on the picked rank; 0 for routers without a view of the caches. */
  overlapTokens: number;
  /** Leading prompt blocks believed resident on the picked rank, -1 for routers without a view of the caches. */
  overlapBlocks: number;
  /** The same on the candidate with most, -1 likewise. */
  bestOverlapBlocks: number;
}

/** Chooses ranks for the requests of one pool. */
export interface Router {
  /** Every rank must be advanced to the present, its events told, before `place` is called. */
  readonly needsState: boolean;
  /** Wants `prefillDone`. */
  readonly needsPrefillDone: boolean;
  /** Wants `ended`. */
  readonly needsEnds: boolean;
  /** `place` may keep a request (-1), and `nextReleased` may give it back. */
  readonly mayQueue: boolean;
  /** Hears which prompt blocks ranks hold, at pass ends, before the outputs of the pass are told; null when unwanted. */
  readonly cache: CacheListener | null;
  /** About the placement made last. */
  readonly placement: PlacementView;
  /** Knobs in force, null when there are none that can change; `revision` counts the changes. */
  readonly knobs: RouterKnobs | null;
  /** How often the knobs were changed. */
  readonly revision: number;

  /** A worker becomes routable: ranks `firstRank`, `firstRank + 1` … Initial workers join at time 0, lowest id first. */
  join(worker: number, firstRank: number, ranks: number, nowMs: number): void;
  /** A worker drains: nothing more is placed on it, what was placed there still counts. */
  leave(worker: number, nowMs: number): void;
  /** A drained worker is empty and removed. */
  forget(worker: number, nowMs: number): void;

  /**
   * Picks a rank for a request that enters the pool.
   *
   * @returns the rank (scheduler) id, or -1 when the router keeps the request in its queue
   * @throws {SimulationError} when there is no rank to pick
   */
  place(request: number, nowMs: number): number;
  /** The prompt of a request is computed: its first token that does not end it, or the end of its prefill. */
  prefillDone(request: number, rank: number, nowMs: number): void;
  /** A placed request leaves its rank for good, whatever its outcome. */
  ended(request: number, rank: number, nowMs: number): void;
  /**
   * Places the next request of the queue if there is room, on `placedRank`. The cluster asks until -1 after every
   * `prefillDone`, `ended`, `join`, `leave` and `forget`.
   *
   * @returns the request, or -1
   */
  nextReleased(nowMs: number): number;
  /** Rank of the request that `nextReleased` returned last. */
  readonly placedRank: number;
  /** Changes the knobs from now on; routers without any ignore it. */
  update(knobs: RouterKnobs): void;
}

/** Makes the router of one pool. */
export type RouterFactory = (context: RouterContext) => Router;

/**
 * Base of routers that want to hear little: it answers every question of the cluster with "nothing". A router
 * overrides `place` and what it needs.
 *
 * @example
 * ```ts
 * import { readTrace, replay, SimpleRouter } from "dynosim";
 *
 * // everything to the worker that joined last
 * class Newest extends SimpleRouter {
 *   #rank = -1;
 *   override join(_worker: number, firstRank: number): void {
 *     this.#rank = firstRank;
 *   }
 *   override leave(): void {}
 *   override place(): number {
 *     return this.#rank;
 *   }
 * }
 * const options = { cluster: { replicas: 2 }, router: () => new Newest(), capturePerRequest: true };
 * const { per_request } = await replay(readTrace("fixtures/traces/chat.jsonl"), options).report;
 * console.log([...per_request!][0].decode_worker_idx); // 1
 * ```
 */
export abstract class SimpleRouter implements Router {
  readonly needsState: boolean = false;
  readonly needsPrefillDone: boolean = false;
  readonly needsEnds: boolean = false;
  readonly mayQueue: boolean = false;
  readonly cache: CacheListener | null = null;
  readonly placement: PlacementView = { overlapTokens: 0, overlapBlocks: -1, bestOverlapBlocks: -1 };
  readonly placedRank: number = -1;

  abstract join(worker: number, firstRank: number, ranks: number, nowMs: number): void;
  abstract leave(worker: number, nowMs: number): void;
  abstract place(request: number, nowMs: number): number;

  forget(_worker: number, _nowMs: number): void {}
  prefillDone(_request: number, _rank: number, _nowMs: number): void {}
  ended(_request: number, _rank: number, _nowMs: number): void {}

  nextReleased(_nowMs: number): number {
    return -1;
  }

  get knobs(): RouterKnobs | null {
    return null;
  }

  /** How often the knobs were changed: never. */
  get revision(): number {
    return 0;
  }

  update(_knobs: RouterKnobs): void {}
}
