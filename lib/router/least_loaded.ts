/**
 * Takes the rank that works on the fewest requests. dynosim's own, and the example of a small router: one file, one
 * line in `registry.ts`.
 *
 * @module
 */
import { SimulationError } from "../errors.ts";
import { type RouterFactory, SimpleRouter } from "./router.ts";

/** Router that looks at the number of requests alone; among equals the lowest rank id wins. */
export class LeastLoadedRouter extends SimpleRouter {
  override readonly needsState = true;
  override readonly needsEnds = true;
  /** Requests placed and not ended, by rank id, for all ranks ever seen. */
  readonly #requests: number[] = [];
  /** Routable ranks by worker. */
  readonly #ranks = new Map<number, number[]>();

  override join(worker: number, firstRank: number, ranks: number): void {
    this.#ranks.set(worker, Array.from({ length: ranks }, (_, i) => firstRank + i));
    for (const rank of this.#ranks.get(worker)!) this.#requests[rank] ??= 0;
  }

  override leave(worker: number): void {
    this.#ranks.delete(worker);
  }

  override place(): number {
    let best = -1;
    for (const ranks of this.#ranks.values()) {
      for (const rank of ranks) {
        const fewer = best < 0 ? 1 : this.#requests[best] - this.#requests[rank];
        if (fewer > 0 || (fewer === 0 && rank < best)) best = rank;
      }
    }
    if (best < 0) throw new SimulationError("placement policy error: no active workers for least-loaded placement");
    this.#requests[best]++;
    return best;
  }

  override ended(_request: number, rank: number): void {
    this.#requests[rank]--;
  }
}

/**
 * Makes least-loaded routers.
 *
 * @example
 * ```ts
 * import { leastLoaded } from "dynosim";
 *
 * console.log(typeof leastLoaded()); // "function"
 * ```
 */
export const leastLoaded = (): RouterFactory => () => new LeastLoadedRouter();
