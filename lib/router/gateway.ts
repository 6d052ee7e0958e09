/**
 * A gateway in front of a pool that may have no workers at all: requests wait there, in their order, until one serves.
 *
 * @module
 */
import type { CacheListener } from "../engine/rank.ts";
import type { RouterKnobs } from "../planner/policy.ts";
import type { PlacementView, Router, RouterFactory } from "./router.ts";

/** Tells what waits. */
export interface GatewayQueue {
  /** Requests that wait for a worker. */
  waiting(): number;
}

/** A router that keeps requests while there is nobody to send them to. */
class GatewayRouter implements Router {
  readonly mayQueue = true;
  readonly needsState: boolean;
  readonly needsPrefillDone: boolean;
  readonly needsEnds: boolean;
  readonly cache: CacheListener | null;
  placedRank = -1;
  readonly #router: Router;
  readonly #waiting: number[];
  readonly #workers = new Set<number>();

  constructor(router: Router, waiting: number[]) {
    this.#router = router;
    this.#waiting = waiting;
    this.needsState = router.needsState;
    this.needsPrefillDone = router.needsPrefillDone;
    this.needsEnds = router.needsEnds;
    this.cache = router.cache;
  }

  get placement(): PlacementView {
    return this.#router.placement;
  }

  get knobs(): RouterKnobs | null {
    return this.#router.knobs;
  }

  get revision(): number {
    return this.#router.revision;
  }

  join(worker: number, firstRank: number, ranks: number, nowMs: number): void {
    this.#workers.add(worker);
    this.#router.join(worker, firstRank, ranks, nowMs);
  }

  leave(worker: number, nowMs: number): void {
    this.#workers.delete(worker);
    this.#router.leave(worker, nowMs);
  }

  forget(worker: number, nowMs: number): void {
    this.#router.forget(worker, nowMs);
  }

  place(request: number, nowMs: number): number {
    if (this.#workers.size > 0) return this.#router.place(request, nowMs);
    this.#waiting.push(request);
    return -1;
  }

  prefillDone(request: number, rank: number, nowMs: number): void {
    this.#router.prefillDone(request, rank, nowMs);
  }

  ended(request: number, rank: number, nowMs: number): void {
    this.#router.ended(request, rank, nowMs);
  }

  nextReleased(nowMs: number): number {
    if (this.#workers.size === 0) return -1;
    while (this.#waiting.length > 0) {
      const request = this.#waiting.shift()!;
      this.placedRank = this.#router.place(request, nowMs);
      // the router may put it into a queue of its own
      if (this.placedRank >= 0) return request;
    }
    const request = this.#router.nextReleased(nowMs);
    this.placedRank = this.#router.placedRank;
    return request;
  }

  update(knobs: RouterKnobs): void {
    this.#router.update(knobs);
  }
}

/** A gateway of one pool: what makes its router, and its queue. */
export function gateway(): GatewayQueue & { before(router: RouterFactory): RouterFactory } {
  const queue: number[] = [];
  return {
    waiting: () => queue.length,
    before: (router) => (context) => new GatewayRouter(router(context), queue),
  };
}
