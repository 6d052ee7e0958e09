/**
 * Takes workers in turn. In an aggregated pool workers rotate, and the ranks of each worker rotate on their own; in
 * prefill and decode pools all ranks rotate in one ring. The turn is a position, so it stays when workers come and go.
 *
 * @module
 */
import { Pool } from "../engine/records.ts";
import { SimulationError } from "../errors.ts";
import { type RouterContext, type RouterFactory, SimpleRouter } from "./router.ts";

interface Member {
  worker: number;
  firstRank: number;
  ranks: number;
  /** Rank whose turn it is inside the worker. */
  turn: number;
}

/** Router that ignores load and caches. */
export class RoundRobinRouter extends SimpleRouter {
  readonly #oneRing: boolean;
  /** Routable workers by ascending id. */
  readonly #members: Member[] = [];
  /** Ranks of all members in order, the ring of prefill and decode pools; null after a change, until it is needed. */
  #ring: readonly number[] | null = null;
  #next = 0;

  constructor(context: Pick<RouterContext, "pool">) {
    super();
    this.#oneRing = context.pool !== Pool.aggregated;
  }

  override join(worker: number, firstRank: number, ranks: number): void {
    const members = this.#members;
    let at = members.length;
    while (at > 0 && members[at - 1].worker > worker) at--;
    members.splice(at, 0, { worker, firstRank, ranks, turn: 0 });
    this.#ring = null;
  }

  override leave(worker: number): void {
    const at = this.#members.findIndex((member) => member.worker === worker);
    if (at >= 0) this.#members.splice(at, 1);
    this.#ring = null;
  }

  override place(): number {
    if (this.#members.length === 0) {
      throw new SimulationError("placement policy error: no active workers for round-robin placement");
    }
    if (this.#oneRing) {
      const ring = this.#ring ??= this.#ranks(), index = this.#next % ring.length;
      this.#next = index + 1;
      return ring[index];
    }
    const index = this.#next % this.#members.length;
    this.#next = index + 1;
    const member = this.#members[index];
    const rank = member.firstRank + member.turn;
    member.turn = (member.turn + 1) % member.ranks;
    return rank;
  }

  #ranks(): number[] {
    return this.#members.flatMap(({ firstRank, ranks }) => Array.from({ length: ranks }, (_, i) => firstRank + i));
  }
}

/**
 * Makes round-robin routers, which take workers in turn.
 *
 * @example
 * ```ts
 * import { roundRobin } from "dynosim";
 *
 * const router = roundRobin();
 * console.log(typeof router); // "function"
 * ```
 */
export const roundRobin = (): RouterFactory => (context) => new RoundRobinRouter(context);
