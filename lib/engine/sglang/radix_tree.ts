/**
 * The prefix cache of one SGLang rank: a compressed tree over KV pages. An edge is not a list of pages but a stretch
 * `from .. to` of some request's sequence, counted from the sequence's start, so that matching, splitting and extending
 * cost O(runs) and no page is ever stored.
 *
 * A node is locked by every request that uses it or something below it. Pages in unlocked nodes can be evicted, least
 * recently used leaf first and from its tail. The last node of a decoding request that nobody else uses grows with
 * every page the request fills; such a tail is not touched then, its end is asked for when somebody comes along.
 *
 * Pages have no numbers: `available` counts the free ones, `evictable` those in unlocked nodes; the rest is locked here
 * or private to requests.
 *
 * @module
 */
import { longer } from "../../collections/growing.ts";
import type { TokenSequences } from "../token_sequences.ts";
import { EvictionHeap } from "./eviction_heap.ts";

/** Whoever grows tails; asked when somebody else reaches one. */
export interface TailOwner {
  /** End of the tail of `slot` at present, in pages. */
  tailEnd(slot: number): number;
  /** The node stops being a tail: somebody else uses it from now on. */
  tailShared(slot: number): void;
}

/** Hears which pages of a sequence left the tree. */
export type EvictionListener = (request: number, from: number, to: number) => void;

const ROOT = 0;

/** Tree and page counts of one rank. */
export class RadixTree {
  static readonly root = ROOT;
  readonly pageTokens: number;
  /** Pages nobody uses. */
  available: number;
  /** Pages in unlocked nodes. */
  evictable = 0;
  /** Pages matched by the last `matchAndLock`, or already present in the last `insert`. */
  matched = 0;
  /** Node in which the last `matchLength` ended. */
  matchEnd = ROOT;
  /** Counts changes after which a match may come out longer; evictions, after which it may come out shorter. */
  version = 0;
  evictions = 0;
  /** No change since `watch` can have touched the match watched. */
  undisturbed = false;
  onEvict: EvictionListener | null = null;

  #watched = -1;
  readonly #sequences: TokenSequences;
  readonly #owner: TailOwner;
  readonly #candidates: EvictionHeap;
  #parent = new Int32Array(64);
  #children = new Int32Array(64);
  #locks = new Int32Array(64);
  #stamp = new Float64Array(64);
  /** Request whose sequence holds the path down to the node's end. */
  #sequence = new Int32Array(64);
  #from = new Int32Array(64);
  #to = new Int32Array(64);
  /** Slot that grows the node, or -1. */
  #tail = new Int32Array(64).fill(-1);
  /** First token of the edge, folded to 32 bits; children are found by (parent, key). */
  #key = new Int32Array(64);
  #nextInBucket = new Int32Array(64);
  #buckets = new Int32Array(128).fill(-1);
  #nodes = 1;
  readonly #spare: number[] = [];

  constructor(pages: number, pageTokens: number, sequences: TokenSequences, owner: TailOwner) {
    this.available = pages;
    this.pageTokens = pageTokens;
    this.#sequences = sequences;
    this.#owner = owner;
    this.#candidates = new EvictionHeap((node, stamp) =>
      this.#stamp[node] === stamp && this.#locks[node] === 0 && this.#children[node] === 0 && node !== ROOT
    );
  }

  /** Pages that can be had without taking any from a request. */
  get obtainable(): number {
    return this.available + this.evictable;
  }

  /** Waits for changes of a match that ends in `node`, -1 for none. */
  watch(node: number): void {
    this.#watched = node;
    this.undisturbed = true;
  }

  /** Leading pages of a sequence, at most `limit`, that are in the tree. Changes nothing. */
  matchLength(request: number, limit: number): number {
    let node = ROOT, at = 0;
    while (at < limit) {
      const child = this.#childOf(node, request, at, limit);
      if (child < 0) break;
      at = this.matched;
      node = child;
      if (at < this.#to[child]) break;
    }
    this.matchEnd = node;
    return at;
  }

  /**
   * Locks the longest match of the first `limit` pages and returns the node where it ends, cutting an edge where
   * necessary; `matched` tells its length. Whole edges on the way count as used at `stamp`.
   */
  matchAndLock(request: number, limit: number, stamp: number): number {
    let node = ROOT, at = 0;
    while (at < limit) {
      const child = this.#childOf(node, request, at, limit);
      if (child < 0) break;
      at = this.matched;
      if (at < this.#to[child]) {
        node = this.#split(child, at);
        break;
      }
      this.#stamp[child] = stamp;
      node = child;
    }
    this.matched = at;
    this.lock(node, ROOT);
    return node;
  }

  /**
   * Puts the pages `from .. to` of a sequence below `anchor`, which is where `from` lies. Pages found there already are
   * counted in `matched`.
   *
   * @param stamp time of use for the whole path; a new node gets `stamp + 1`
   * @returns the node where `to` lies; what is new in it is not locked
   */
  insert(anchor: number, request: number, from: number, to: number, stamp: number): number {
    this.matched = 0;
    this.version++;
    this.undisturbed = false;
    for (let n = anchor; n !== ROOT; n = this.#parent[n]) this.#stamp[n] = stamp;
    let node = anchor, at = from, present = 0;
    for (;;) {
      if (node !== ROOT && this.#children[node] === 0 && this.#locks[node] <= (node === anchor ? 1 : 0)) {
        this.#sequence[node] = request;
        this.#to[node] = to;
        this.#stamp[node] = stamp;
        if (this.#locks[node] === 0) {
          this.evictable += to - at;
          this.#candidates.push(node, stamp);
        }
        break;
      }
      const child = this.#childOf(node, request, at, to);
      if (child < 0) {
        node = this.#add(node, request, at, to, stamp + 1);
        break;
      }
      present += this.matched - at;
      at = this.matched;
      if (at < this.#to[child]) {
        node = this.#split(child, at);
        if (at < to) node = this.#add(node, request, at, to, stamp + 1);
        break;
      }
      node = child;
      this.#stamp[node] = stamp;
      if (at === to) {
        if (this.#locks[node] === 0 && this.#children[node] === 0) this.#candidates.push(node, stamp);
        break;
      }
    }
    this.matched = present;
    return node;
  }

  /** Locks `node` and its ancestors below `above`. */
  lock(node: number, above: number): void {
    for (let n = node; n !== above; n = this.#parent[n]) {
      if (this.#locks[n]++ === 0) this.evictable -= this.#to[n] - this.#from[n];
      else if (this.#tail[n] >= 0) this.#share(n);
    }
  }

  /** Unlocks `node` and its ancestors, used last at `stamp` or later. */
  unlock(node: number, stamp: number): void {
    for (let n = node; n !== ROOT; n = this.#parent[n]) {
      if (this.#stamp[n] < stamp) this.#stamp[n] = stamp;
      if (--this.#locks[n] > 0) continue;
      this.evictable += this.#to[n] - this.#from[n];
      if (this.#children[n] === 0) this.#candidates.push(n, this.#stamp[n]);
    }
  }

  /** Frees `pages` evictable pages, fewer when there are not so many. */
  evict(pages: number): void {
    this.evictions++;
    while (pages > 0) {
      const node = this.#candidates.peek();
      if (node < 0) return;
      const end = this.#to[node], size = end - this.#from[node], taken = Math.min(pages, size);
      if (node === this.#watched) this.undisturbed = false;
      this.evictable -= taken;
      this.available += taken;
      pages -= taken;
      if (this.onEvict !== null) this.onEvict(this.#sequence[node], end - taken, end);
      if (taken < size) {
        this.#to[node] = end - taken;
      } else {
        this.#candidates.pop();
        this.#remove(node);
      }
    }
  }

  /** Whether only the request that locks `node` uses it, so that its pages can follow there unseen. */
  isPrivate(node: number): boolean {
    return node !== ROOT && this.#locks[node] === 1 && this.#children[node] === 0;
  }

  /** From now on `slot` grows the node along the sequence of its request. */
  setTail(node: number, slot: number, request: number): void {
    this.#tail[node] = slot;
    this.#sequence[node] = request;
  }

  /** The node ends at page `end` and is nobody's tail. */
  endTail(node: number, end: number): void {
    this.#to[node] = end;
    this.#tail[node] = -1;
  }

  #share(node: number): void {
    const slot = this.#tail[node];
    this.endTail(node, this.#owner.tailEnd(slot));
    this.#owner.tailShared(slot);
  }

  /** Child of `node` with the sequence's page `at`; `matched` becomes the page up to which both agree, at most `limit`. */
  #childOf(node: number, request: number, at: number, limit: number): number {
    const size = this.pageTokens, key = this.#sequences.token(request, at * size) | 0;
    for (let child = this.#buckets[this.#bucket(node, key)]; child >= 0; child = this.#nextInBucket[child]) {
      if (this.#parent[child] !== node || this.#key[child] !== key) continue;
      if (this.#tail[child] >= 0) this.#to[child] = this.#owner.tailEnd(this.#tail[child]);
      const end = Math.min(limit, this.#to[child]) * size;
      const agreed = Math.floor(this.#sequences.common(this.#sequence[child], request, at * size, end) / size);
      if (agreed <= at) continue;
      this.matched = agreed;
      return child;
    }
    return -1;
  }

  /** Cuts an edge at page `at`; the node keeps the lower part, the new upper one is returned. */
  #split(node: number, at: number): number {
    const upper = this.#new();
    this.version++;
    this.undisturbed = false;
    this.#unlink(node);
    this.#parent[upper] = this.#parent[node];
    this.#children[upper] = 1;
    this.#locks[upper] = this.#locks[node];
    this.#stamp[upper] = this.#stamp[node];
    this.#sequence[upper] = this.#sequence[node];
    this.#from[upper] = this.#from[node];
    this.#to[upper] = at;
    this.#key[upper] = this.#key[node];
    this.#link(upper);
    this.#parent[node] = upper;
    this.#from[node] = at;
    this.#key[node] = this.#sequences.token(this.#sequence[node], at * this.pageTokens) | 0;
    this.#link(node);
    return upper;
  }

  #add(parent: number, request: number, from: number, to: number, stamp: number): number {
    if (this.#tail[parent] >= 0) this.#share(parent);
    const node = this.#new();
    this.#parent[node] = parent;
    this.#children[parent]++;
    this.#children[node] = 0;
    this.#locks[node] = 0;
    this.#stamp[node] = stamp;
    this.#sequence[node] = request;
    this.#from[node] = from;
    this.#to[node] = to;
    this.#key[node] = this.#sequences.token(request, from * this.pageTokens) | 0;
    this.#link(node);
    this.evictable += to - from;
    this.#candidates.push(node, stamp);
    return node;
  }

  #remove(node: number): void {
    const parent = this.#parent[node];
    this.#unlink(node);
    this.#stamp[node] = -1;
    this.#spare.push(node);
    if (--this.#children[parent] === 0 && parent !== ROOT && this.#locks[parent] === 0) {
      this.#candidates.push(parent, this.#stamp[parent]);
    }
  }

  #bucket(parent: number, key: number): number {
    return (Math.imul(parent, 0x9e3779b1) ^ Math.imul(key, 0x85ebca6b)) >>> 5 & (this.#buckets.length - 1);
  }

  #link(node: number): void {
    const bucket = this.#bucket(this.#parent[node], this.#key[node]);
    this.#nextInBucket[node] = this.#buckets[bucket];
    this.#buckets[bucket] = node;
  }

  #unlink(node: number): void {
    const bucket = this.#bucket(this.#parent[node], this.#key[node]), next = this.#nextInBucket;
    if (this.#buckets[bucket] === node) {
      this.#buckets[bucket] = next[node];
      return;
    }
    let before = this.#buckets[bucket];
    while (next[before] !== node) before = next[before];
    next[before] = next[node];
  }

  #new(): number {
    const node = this.#spare.pop() ?? this.#nodes++;
    if (node === this.#parent.length) this.#grow();
    this.#tail[node] = -1;
    return node;
  }

  #grow(): void {
    const size = this.#parent.length * 2;
    this.#parent = longer(this.#parent, size);
    this.#children = longer(this.#children, size);
    this.#locks = longer(this.#locks, size);
    this.#sequence = longer(this.#sequence, size);
    this.#from = longer(this.#from, size);
    this.#to = longer(this.#to, size);
    this.#tail = longer(this.#tail, size);
    this.#key = longer(this.#key, size);
    this.#nextInBucket = longer(this.#nextInBucket, size);
    this.#stamp = longer(this.#stamp, size);
    this.#buckets = new Int32Array(size * 2).fill(-1);
    for (let node = 1; node < this.#nodes - 1; node++) this.#link(node);
  }
}
