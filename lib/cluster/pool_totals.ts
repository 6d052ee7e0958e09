/**
 * What the workers of one pool have counted, those that were removed included.
 *
 * @module
 */
import type { Rank } from "../engine/rank.ts";
import type { Worker } from "./worker.ts";

/** Totals of one pool. */
export class PoolTotals {
  readonly #workers: readonly Worker[];
  #goneCommitted = 0;
  #goneForwards = 0;
  #goneAccepted = 0;
  #gonePreemptions = 0;
  #goneCacheTotal = 0;
  #goneCacheHits = 0;

  /** @param workers the live ones */
  constructor(workers: readonly Worker[]) {
    this.#workers = workers;
  }

  /** Keeps what a rank of a removed worker has counted. */
  keep(rank: Rank): void {
    this.#goneCommitted += rank.committedPrefillTokens;
    this.#goneForwards += rank.decodeForwards;
    this.#goneAccepted += rank.acceptedTokens;
    this.#gonePreemptions += rank.preemptions;
    this.#goneCacheTotal += rank.cacheTotalTokens ?? 0;
    this.#goneCacheHits += rank.cacheHitTokens ?? 0;
  }

  /** What ranks of removed workers counted of what telemetry shows. */
  gone(): { preemptions: number; total: number; hits: number } {
    return { preemptions: this.#gonePreemptions, total: this.#goneCacheTotal, hits: this.#goneCacheHits };
  }

  get committedPrefillTokens(): number {
    let sum = this.#goneCommitted;
    for (const worker of this.#workers) for (const rank of worker.made) sum += rank.committedPrefillTokens;
    return sum;
  }

  get decodeForwards(): number {
    const workers = this.#workers;
    let sum = this.#goneForwards;
    for (let w = 0; w < workers.length; w++) {
      const { made } = workers[w];
      for (let i = 0; i < made.length; i++) sum += made[i].decodeForwards;
    }
    return sum;
  }

  get acceptedTokens(): number {
    const workers = this.#workers;
    let sum = this.#goneAccepted;
    for (let w = 0; w < workers.length; w++) {
      const { made } = workers[w];
      for (let i = 0; i < made.length; i++) sum += made[i].acceptedTokens;
    }
    return sum;
  }
}
