/**
 * The requests of a rank that emit one token in every pass. Their lengths follow from the pass number, so a pass in
 * which none of them ends costs a handful of additions, however many there are: the sums a timing model asks for and
 * the blocks needed per pass are counters, the next end stands on top of a heap.
 *
 * Pass numbers are those of the rank's pass log.
 *
 * @module
 */
import { FEW, reaching } from "../collections/growing.ts";

/** Steadily decoding slots of one rank. */
export class SteadySet {
  /** How many there are, and at the next pass the sum of their lengths and of the squares. */
  count = 0;
  tokens = 0;
  tokensSquared = 0;
  readonly #blockTokens: number;
  /** By pass number modulo block size: how many slots start a new block in such a pass. */
  readonly growth: Int32Array;
  /** Length of a slot at pass p is `base + p`. */
  #base = new Int32Array(FEW);
  #endsAt = new Int32Array(FEW);
  #order = new Float64Array(FEW);
  /** Binary heap of slots by (pass of the last token, admission order). */
  #heap = new Int32Array(FEW);

  constructor(blockTokens: number) {
    this.#blockTokens = blockTokens;
    this.growth = new Int32Array(blockTokens);
  }

  /** Makes room for slots below `slots`. */
  reserve(slots: number): void {
    const last = slots - 1;
    // Assigned in any case: see growing.ts.
    this.#base = reaching(this.#base, last);
    this.#endsAt = reaching(this.#endsAt, last);
    this.#order = reaching(this.#order, last);
    this.#heap = reaching(this.#heap, last);
  }

  /** Pass in which the next slot emits its last token, `Infinity` without any. */
  get nextEnd(): number {
    return this.count === 0 ? Infinity : this.#endsAt[this.#heap[0]];
  }

  /** Blocks the set starts in pass `pass`. */
  growthAt(pass: number): number {
    return this.growth[pass % this.#blockTokens];
  }

  /** Whether a slot completes a block in pass `pass`: it starts the next one in the pass after. */
  completesIn(pass: number): boolean {
    return this.growth[(pass + 1) % this.#blockTokens] > 0;
  }

  /** Length of a slot when pass `pass` is formed. */
  length(slot: number, pass: number): number {
    return this.#base[slot] + pass;
  }

  /**
   * A slot will know `length` tokens at the next pass `pass`, of which all but the last are computed, and stops at
   * `stop` tokens. `order` ranks slots that end together.
   */
  add(slot: number, length: number, stop: number, order: number, pass: number): void {
    this.#base[slot] = length - pass;
    this.#endsAt[slot] = pass + stop - length - 1;
    this.#order[slot] = order;
    this.growth[this.#phase(slot)]++;
    this.tokens += length;
    this.tokensSquared += length * length;
    this.#push(slot);
  }

  /** All slots emit once, or `passes` times, more. */
  advance(passes = 1): void {
    this.tokensSquared += passes * (2 * this.tokens + this.count * passes);
    this.tokens += this.count * passes;
  }

  /** Takes out the slot that ends in pass `pass`, lowest order first, or -1; called before `advance`. */
  popEnding(pass: number): number {
    if (this.count === 0 || this.#endsAt[this.#heap[0]] !== pass) return -1;
    const slot = this.#heap[0], length = this.#base[slot] + pass;
    this.growth[this.#phase(slot)]--;
    this.tokens -= length;
    this.tokensSquared -= length * length;
    this.#pop();
    return slot;
  }

  /** Takes out a slot before pass `pass` is formed, wherever it ends. */
  remove(slot: number, pass: number): void {
    const heap = this.#heap, length = this.#base[slot] + pass;
    this.growth[this.#phase(slot)]--;
    this.tokens -= length;
    this.tokensSquared -= length * length;
    // Lift it to the top, then pop it.
    let at = heap.indexOf(slot);
    for (; at > 0; at = (at - 1) >> 1) heap[at] = heap[(at - 1) >> 1];
    heap[0] = slot;
    this.#pop();
  }

  /** Takes out everybody. */
  clear(): void {
    for (let i = 0; i < this.count; i++) this.growth[this.#phase(this.#heap[i])]--;
    this.count = 0;
    this.tokens = 0;
    this.tokensSquared = 0;
  }

  /** Pass numbers, modulo block size, in which the slot starts a block: those where its length is 1 more than full blocks. */
  #phase(slot: number): number {
    const size = this.#blockTokens, phase = (1 - this.#base[slot]) % size;
    return phase < 0 ? phase + size : phase;
  }

  #before(a: number, b: number): boolean {
    const ends = this.#endsAt;
    return ends[a] < ends[b] || (ends[a] === ends[b] && this.#order[a] < this.#order[b]);
  }

  #push(slot: number): void {
    const heap = this.#heap;
    let at = this.count++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(slot, heap[parent])) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = slot;
  }

  #pop(): void {
    const heap = this.#heap, size = --this.count;
    const slot = heap[size];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#before(heap[child + 1], heap[child])) child++;
      if (!this.#before(heap[child], slot)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = slot;
  }
}
