/**
 * What a router knows of the caches: the leading blocks of every prompt edge that each rank holds, as of the events
 * that have reached it. Events may travel for a while.
 *
 * @module
 */
import type { PromptIndex } from "../engine/prompt_index.ts";
import type { CacheListener } from "../engine/rank.ts";
import { Holders } from "./holders.ts";

/** Events of one rank on their way, oldest first; each takes three places: due time, edge, blocks. */
interface Delayed {
  rank: number;
  events: number[];
  /** First place not applied yet. */
  head: number;
}

/** Residency by edge and rank, fed by events. */
export class CacheView implements CacheListener {
  readonly #prompts: PromptIndex;
  readonly #lagMs: number;
  readonly #holders = new Holders();
  readonly #delayed = new Map<number, Delayed>();

  /** @param lagMs time that an event takes, in milliseconds */
  constructor(prompts: PromptIndex, lagMs: number) {
    this.#prompts = prompts;
    this.#lagMs = lagMs;
  }

  resident(rank: number, edge: number, blocks: number, atMs: number): void {
    if (this.#lagMs === 0) return this.#holders.set(edge, rank, blocks);
    let delayed = this.#delayed.get(rank);
    if (delayed === undefined) this.#delayed.set(rank, delayed = { rank, events: [], head: 0 });
    delayed.events.push(atMs + this.#lagMs, edge, blocks);
  }

  /** Counts the leading blocks of a prompt by rank, as known at `nowMs`; see {@linkcode Holders.count}. */
  count(request: number, blocks: number, nowMs: number, counts: Int32Array): void {
    if (this.#delayed.size > 0) { for (const delayed of this.#delayed.values()) this.#apply(delayed, nowMs); }
    this.#holders.count(this.#prompts, request, blocks, counts);
  }

  /** A rank is gone, with everything it held and every event on its way. */
  forget(rank: number): void {
    this.#delayed.delete(rank);
    this.#holders.forget(rank);
  }

  #apply(delayed: Delayed, nowMs: number): void {
    const { events, rank } = delayed;
    while (delayed.head < events.length && events[delayed.head] <= nowMs) {
      this.#holders.set(events[delayed.head + 1], rank, events[delayed.head + 2]);
      delayed.head += 3;
    }
    if (delayed.head * 2 > events.length) {
      events.splice(0, delayed.head);
      delayed.head = 0;
    }
  }
}
