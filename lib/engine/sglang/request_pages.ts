/**
 * Which KV pages every request of an SGLang rank holds: leading ones in the tree, locked, then private ones. When a
 * page is full it moves into the tree; when a request ends its full pages stay there for others.
 *
 * Stamps, the tree's times of use, are (decode pass, place in it): what a decode pass does for a running request comes
 * at `order * 4`, what happens until the next decode pass after all of them, in order.
 *
 * @module
 */
import type { TokenSequences } from "../token_sequences.ts";
import type { DecodeBatch } from "./decode_batch.ts";
import { RadixTree, type TailOwner } from "./radix_tree.ts";
import type { Residency } from "./residency.ts";
import type { Slots } from "./slots.ts";

/** Stamps set aside for a decode pass and what follows it, the first of those that follow, and how many those may be. */
const PASS_STAMPS = 2 ** 26;
const BETWEEN = 2 ** 25;
const STAMPS_BETWEEN = 2 ** 24;

/** Pages of all requests of one rank. */
export class RequestPages implements TailOwner {
  readonly tree: RadixTree;
  /** Earliest decode pass (counted as `DecodeBatch.steps` after it) in which a loose running request fills a page. */
  nextInsertion = Infinity;
  readonly #caching: boolean;
  readonly #pageTokens: number;
  readonly #slots: Slots;
  readonly #batch: DecodeBatch;
  readonly #bursts: boolean;
  readonly #sequences: TokenSequences;
  readonly #residency: Residency | null;
  readonly #stampsBetweenLimit: number;
  #stampPass = 0;
  #stampsBetween = 0;
  /** Added to the decode pass in stamps: grows when more happened between two passes than there were stamps for. */
  #stampShift = 0;
  /** While pages are put into the tree in list order: the requests from this order on have not had their token yet. */
  #reached = Infinity;

  constructor(
    options: { pages: number; pageTokens: number; caching: boolean; bursts: boolean; stampsBetween?: number },
    slots: Slots,
    batch: DecodeBatch,
    sequences: TokenSequences,
    residency: Residency | null,
  ) {
    this.tree = new RadixTree(options.pages, options.pageTokens, sequences, this);
    if (residency !== null) {
      this.tree.onEvict = (request, from, to) => residency.evicted(request, from, to);
    }
    this.#stampsBetweenLimit = options.stampsBetween ?? STAMPS_BETWEEN;
    this.#caching = options.caching;
    this.#pageTokens = options.pageTokens;
    this.#bursts = options.bursts;
    this.#slots = slots;
    this.#batch = batch;
    this.#sequences = sequences;
    this.#residency = residency;
  }

  /** Pages that cover `tokens`. */
  pages(tokens: number): number {
    return Math.ceil(tokens / this.#pageTokens);
  }

  /** Leading full pages of a sequence that could be reused, at most `limit`. */
  match(slot: number, limit: number): number {
    return this.#caching ? this.tree.matchLength(this.#slots.request[slot], limit) : 0;
  }

  /**
   * Gives a request that holds nothing its first pages: up to `limit` from the tree (locked), fresh ones up to `tokens`.
   *
   * @returns pages found in the tree, -1 when there are not enough others
   */
  take(slot: number, limit: number, tokens: number): number {
    const tree = this.tree, slots = this.#slots;
    let anchor = RadixTree.root, matched = 0;
    if (this.#caching) {
      anchor = tree.matchAndLock(slots.request[slot], limit, this.#nextStamp());
      matched = tree.matched;
    }
    const fresh = this.pages(tokens) - matched;
    if (fresh > tree.obtainable) {
      tree.unlock(anchor, 0);
      return -1;
    }
    this.#takeFresh(fresh);
    slots.anchor[slot] = anchor;
    slots.cached[slot] = matched;
    slots.computed[slot] = tokens;
    return matched;
  }

  /** Gives a request in mid-prefill the pages up to `tokens`; false when there are not enough. */
  extend(slot: number, tokens: number): boolean {
    const fresh = this.pages(tokens) - this.pages(this.#slots.computed[slot]);
    if (fresh > this.tree.obtainable) return false;
    this.#takeFresh(fresh);
    this.#slots.computed[slot] = tokens;
    return true;
  }

  /** Takes pages for one more token of several requests; false, after evicting what there was, when there are too few. */
  takeGrowth(pages: number): boolean {
    const tree = this.tree;
    if (tree.available < pages) tree.evict(pages - tree.available);
    if (tree.available < pages) return false;
    tree.available -= pages;
    return true;
  }

  /** Prompt pages up to `tokens` got their KV: the router may know. */
  publish(slot: number, tokens: number): void {
    if (this.#residency === null || !this.#caching) return;
    this.#residency.grown(slot, this.#slots.request[slot], Math.floor(tokens / this.#pageTokens));
  }

  /** Puts the full pages of a request that goes on into the tree, `tokens` being computed. Not for tails. */
  cache(slot: number, tokens: number): void {
    if (this.#hasUncached(slot, tokens)) this.#insert(slot, tokens, this.#nextStamp());
  }

  /** A request joins the running list: if its path ends in a node of its own, its pages follow there unseen. */
  startTail(slot: number): void {
    if (!this.#caching) return;
    const slots = this.#slots, anchor = slots.anchor[slot], late = this.#hasUncached(slot, this.#batch.length(slot));
    if (this.tree.isPrivate(anchor) && !late && this.#sequences.plain) {
      slots.tailSince[slot] = this.#batch.steps;
      slots.loose[slot] = 0;
      this.tree.setTail(anchor, slot, slots.request[slot]);
    } else {
      slots.loose[slot] = 1;
      this.#expectInsertion(slot);
    }
  }

  /** A request leaves the running list; call before its length changes hands. */
  endTail(slot: number): void {
    const slots = this.#slots;
    slots.loose[slot] = 0;
    if (slots.tailSince[slot] < 0) return;
    const end = this.tailEnd(slot);
    slots.used[slot] = this.#tailUsed(slot);
    slots.cached[slot] = end;
    slots.tailSince[slot] = -1;
    this.tree.endTail(slots.anchor[slot], end);
  }

  /** After a decode pass in which loose requests filled pages: puts those into the tree, in list order. */
  insertLoose(): void {
    const { list, count } = this.#batch, slots = this.#slots;
    this.nextInsertion = Infinity;
    for (let i = 0; i < count; i++) {
      const slot = list[i];
      if (slots.loose[slot] === 0) continue;
      this.#reached = slots.order[slot];
      this.filled(slot);
    }
    this.#reached = Infinity;
  }

  /** A running request may have filled a page with its last token. */
  filled(slot: number): void {
    const slots = this.#slots, length = this.#batch.length(slot);
    if (slots.loose[slot] === 0) {
      // Bursts: remember when the tail grew.
      if (length % this.#pageTokens === 0) slots.used[slot] = this.#passStamp(slot);
      return;
    }
    if (this.#hasUncached(slot, length)) {
      this.#insert(slot, length, this.#passStamp(slot));
      this.publish(slot, length);
      this.startTail(slot);
    } else {
      this.#expectInsertion(slot);
    }
  }

  /** A request is over, `known` tokens and KV for `computed` of them: its full pages stay, the rest is free. */
  finish(slot: number, known: number, computed: number): void {
    const tree = this.tree, slots = this.#slots, held = this.pages(computed);
    if (!this.#caching) {
      tree.available += held;
      return;
    }
    const full = Math.floor(Math.min(known, computed) / this.#pageTokens);
    const cached = slots.cached[slot], anchor = slots.anchor[slot];
    tree.available += held - full;
    this.publish(slot, Math.min(known, computed));
    let used = slots.used[slot];
    if (full > cached) {
      used = this.#nextStamp();
      tree.insert(anchor, slots.request[slot], cached, full, used);
      tree.available += tree.matched;
    }
    tree.unlock(anchor, used);
    if (this.#residency !== null) this.#residency.settled(slot);
  }

  /** A request gives up its KV, `computed` tokens; what is in the tree stays there. */
  drop(slot: number, computed: number): void {
    const tree = this.tree, slots = this.#slots, held = this.pages(computed);
    tree.available += held - slots.cached[slot];
    tree.unlock(slots.anchor[slot], slots.used[slot]);
    if (this.#residency !== null) {
      const full = Math.floor(computed / this.#pageTokens), request = slots.request[slot];
      this.#residency.settled(slot);
      if (full > slots.cached[slot]) this.#residency.evicted(request, this.match(slot, full), full);
    }
    slots.cached[slot] = slots.anchor[slot] = slots.computed[slot] = 0;
    slots.used[slot] = 0;
  }

  tailEnd(slot: number): number {
    return Math.floor((this.#batch.length(slot) - this.#unseen(slot)) / this.#pageTokens);
  }

  tailShared(slot: number): void {
    const slots = this.#slots;
    slots.cached[slot] = this.tailEnd(slot);
    slots.used[slot] = this.#tailUsed(slot);
    slots.tailSince[slot] = -1;
    slots.loose[slot] = 1;
    this.#expectInsertion(slot);
  }

  /** Before passes or the running list are numbered anew: times of use are written down while the old numbers hold. */
  noteUse(): void {
    const { list, count, steps } = this.#batch, slots = this.#slots;
    for (let i = 0; i < count; i++) {
      if (slots.tailSince[list[i]] < 0) continue;
      slots.used[list[i]] = this.#tailUsed(list[i]);
      slots.tailSince[list[i]] = steps;
    }
  }

  #hasUncached(slot: number, tokens: number): boolean {
    return this.#caching && Math.floor(tokens / this.#pageTokens) > this.#slots.cached[slot];
  }

  /** Puts the full pages of `tokens` into the tree and locks them; copies of pages that are there are freed. */
  #insert(slot: number, tokens: number, stamp: number): void {
    const tree = this.tree, slots = this.#slots;
    const full = Math.floor(tokens / this.#pageTokens), anchor = slots.anchor[slot];
    const end = tree.insert(anchor, slots.request[slot], slots.cached[slot], full, stamp);
    tree.available += tree.matched;
    // The tree has noted this use itself, except in the upper half of an edge that was cut here.
    slots.used[slot] = 0;
    if (end !== anchor) {
      tree.lock(end, anchor);
      slots.anchor[slot] = end;
    }
    slots.cached[slot] = full;
    if (this.#residency !== null) this.#residency.settled(slot);
  }

  #takeFresh(pages: number): void {
    const tree = this.tree;
    if (pages > tree.available) tree.evict(pages - tree.available);
    tree.available -= pages;
  }

  /** 1 while the slot's newest token has not been looked at for caching: it is the last, or comes later in the list. */
  #unseen(slot: number): number {
    const slots = this.#slots;
    return this.#batch.length(slot) >= slots.stop[slot] || slots.order[slot] >= this.#reached ? 1 : 0;
  }

  /** When the tail got its last page. */
  #tailUsed(slot: number): number {
    const slots = this.#slots;
    if (this.#bursts) return slots.used[slot];
    const unseen = this.#unseen(slot);
    const pass = this.#batch.steps - unseen - (this.#batch.length(slot) - unseen) % this.#pageTokens;
    return pass > slots.tailSince[slot] ? this.#stampAt(pass, slots.order[slot] * 4) : slots.used[slot];
  }

  #expectInsertion(slot: number): void {
    const length = this.#batch.length(slot);
    const tokens = this.#hasUncached(slot, length) ? 1 : this.#pageTokens - length % this.#pageTokens;
    this.nextInsertion = Math.min(this.nextInsertion, this.#batch.steps + tokens);
  }

  #passStamp(slot: number): number {
    return this.#stampAt(this.#batch.steps, this.#slots.order[slot] * 4);
  }

  #nextStamp(): number {
    if (this.#stampPass !== this.#batch.steps) {
      this.#stampPass = this.#batch.steps;
      this.#stampsBetween = 0;
    } else if (this.#stampsBetween >= this.#stampsBetweenLimit) {
      this.noteUse();
      this.#stampShift++;
      this.#stampsBetween = 0;
    }
    return this.#stampAt(this.#stampPass, BETWEEN + 2 * this.#stampsBetween++);
  }

  #stampAt(pass: number, place: number): number {
    return (pass + this.#stampShift) * PASS_STAMPS + place;
  }
}
