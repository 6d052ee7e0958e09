/**
 * Longest-prefix-match order of a waiting queue: requests whose prompt is cached best go first, and of several uncached
 * ones that begin alike only the first keeps its place, since the others will find its prefix cached later.
 *
 * @module
 */
import type { TokenSequences } from "../token_sequences.ts";
import type { IntDeque } from "../../collections/int_deque.ts";
import type { RequestPages } from "./request_pages.ts";
import type { Slots } from "./slots.ts";

/** Longer queues stay as they are. */
const LONGEST_QUEUE = 128;
/** Matches up to this many tokens count as uncached, and as many first tokens make two requests alike. */
const SHORT_MATCH = 32;
/** Added to the match of a request that steps back: they come last, best match first among themselves. */
const LAST = -(1 << 30);

/** Sorts one rank's waiting queue. */
export class PrefixOrder {
  readonly #pages: RequestPages;
  readonly #slots: Slots;
  readonly #sequences: TokenSequences;
  readonly #pageTokens: number;
  readonly #alikeTokens: number;
  readonly #matched = new Int32Array(LONGEST_QUEUE);
  readonly #order = new Int32Array(LONGEST_QUEUE);
  #sortedVersion = -1;
  #sortedEvictions = -1;
  /** The queue changed since it was sorted. */
  stale = true;

  constructor(pages: RequestPages, slots: Slots, sequences: TokenSequences, pageTokens: number) {
    this.#pages = pages;
    this.#slots = slots;
    this.#sequences = sequences;
    this.#pageTokens = pageTokens;
    this.#alikeTokens = Math.ceil(SHORT_MATCH / pageTokens) * pageTokens;
  }

  /** True while sorting again would change nothing. */
  get settled(): boolean {
    const { version, evictions } = this.#pages.tree;
    return !this.stale && this.#sequences.plain && version === this.#sortedVersion &&
      evictions === this.#sortedEvictions;
  }

  /** Sorts the queue, stable. */
  sort(queue: IntDeque): void {
    if (queue.size > LONGEST_QUEUE || this.settled) return;
    const count = queue.size, matched = this.#matched, order = this.#order;
    const beginnings = new Map<number, number[]>();
    for (let i = 0; i < count; i++) {
      const slot = queue.at(i), length = this.#slots.length[slot];
      let tokens = this.#pages.match(slot, Math.floor(length / this.#pageTokens)) * this.#pageTokens;
      if (tokens <= SHORT_MATCH && length >= this.#alikeTokens && this.#repeats(slot, beginnings)) tokens += LAST;
      let at = i;
      for (; at > 0 && matched[at - 1] < tokens; at--) {
        matched[at] = matched[at - 1];
        order[at] = order[at - 1];
      }
      matched[at] = tokens;
      order[at] = slot;
    }
    for (let i = 0; i < count; i++) queue.set(i, order[i]);
    this.stale = false;
    this.#sortedVersion = this.#pages.tree.version;
    this.#sortedEvictions = this.#pages.tree.evictions;
  }

  /** Whether a request seen before begins like this one; notes the beginning otherwise. */
  #repeats(slot: number, beginnings: Map<number, number[]>): boolean {
    const request = this.#slots.request[slot], first = this.#sequences.token(request, 0), size = this.#alikeTokens;
    const others = beginnings.get(first);
    if (others === undefined) {
      beginnings.set(first, [request]);
      return false;
    }
    for (const other of others) if (this.#sequences.common(other, request, 0, size) === size) return true;
    others.push(request);
    return false;
  }
}
