/**
 * The running requests of one SGLang rank. All of them get a token in every decode pass, so what the scheduler asks
 * about them (their lengths, the pages they fill, what output is still open) follows from counters; a decode pass in
 * which nobody ends changes a handful of numbers. With multi-token prediction lengths are kept one by one instead.
 *
 * @module
 */
import { reaching } from "../../collections/growing.ts";
import { SteadySet } from "../steady_set.ts";
import type { Slots } from "./slots.ts";

/** Largest value of `Slots.order` handed out before the running list is numbered anew. */
const ORDER_LIMIT = 1 << 22;

/** Running requests in list order. */
export class DecodeBatch {
  /** Running requests: `list[0 .. count)`, oldest first. */
  list = new Int32Array(64);
  count = 0;
  /** Decode passes formed so far. */
  steps = 0;
  /** Running requests that have no output to emit at all; they count in no sum. */
  spent = 0;
  readonly #slots: Slots;
  readonly #pageTokens: number;
  readonly #clip: number;
  readonly #bursts: boolean;
  readonly #orderLimit: number;
  /** Counts each length one higher: as it is when a decode pass has given the token. */
  readonly #steady: SteadySet;
  #steadySlot = new Uint8Array(64);
  #nextOrder = 0;
  /** Sum over all of min(open output, clip), how many of them have no more open than clip, and when one more has not. */
  #open = 0;
  #shrinking = 0;
  #recountAt = Infinity;

  /**
   * @param clip most open output tokens of one request that count
   * @param bursts whether a pass can yield several tokens for a request
   * @param orderLimit how many requests may join before the list is numbered anew
   */
  constructor(slots: Slots, pageTokens: number, clip: number, bursts: boolean, orderLimit = ORDER_LIMIT) {
    this.#slots = slots;
    this.#pageTokens = pageTokens;
    this.#clip = clip;
    this.#bursts = bursts;
    this.#orderLimit = orderLimit;
    this.#steady = new SteadySet(pageTokens);
  }

  /** Makes room for slots below `slots`. */
  reserve(slots: number): void {
    this.#steady.reserve(slots);
    // Assigned in any case: see growing.ts.
    this.#steadySlot = reaching(this.#steadySlot, slots - 1);
    this.list = reaching(this.list, slots - 1);
  }

  /** Known tokens of a slot, running or not. */
  length(slot: number): number {
    return this.#steadySlot[slot] === 1 ? this.#steady.length(slot, this.steps) - 1 : this.#slots.length[slot];
  }

  /** Output tokens a running slot has still to emit. */
  remaining(slot: number): number {
    return this.#slots.stop[slot] - this.length(slot);
  }

  /** True when `join` would run out of order numbers: `renumber` first. */
  get orderExhausted(): boolean {
    return this.#nextOrder >= this.#orderLimit && this.count > 0;
  }

  /** Numbers the running list from 0. */
  renumber(): void {
    for (let i = 0; i < this.count; i++) this.#slots.order[this.list[i]] = i;
    this.#nextOrder = this.count;
    if (!this.#bursts) this.#rebuild();
  }

  /** A slot joins the end of the list, `slots.length` being up to date. */
  join(slot: number): void {
    const slots = this.#slots;
    if (this.count === 0) this.#nextOrder = 0;
    slots.order[slot] = this.#nextOrder++;
    this.list[this.count++] = slot;
    const open = slots.stop[slot] - slots.length[slot];
    if (open <= 0) this.spent++;
    if (open <= 0 || this.#bursts) return;
    this.#enter(slot);
    if (open <= this.#clip) {
      this.#open += open;
      this.#shrinking++;
    } else {
      this.#open += this.#clip;
      this.#recountAt = Math.min(this.#recountAt, this.steps + open - this.#clip);
    }
  }

  /** The request at `index` of the list leaves before a decode pass; its length is written to its slot. */
  leave(index: number): void {
    const slot = this.list[index];
    this.list.copyWithin(index, index + 1, this.count--);
    if (this.#slots.stop[slot] <= this.length(slot)) this.spent--;
    if (this.#steadySlot[slot] === 0) return;
    this.#slots.length[slot] = this.length(slot);
    this.#steadySlot[slot] = 0;
    this.#steady.remove(slot, this.steps);
    this.#recount();
  }

  /** Sum of all lengths. */
  get tokens(): number {
    return this.#bursts ? this.#sum(false) : this.#steady.tokens - this.#steady.count;
  }

  /** Sum of all squared lengths. */
  get tokensSquared(): number {
    return this.#bursts ? this.#sum(true) : this.#steady.tokensSquared - 2 * this.#steady.tokens + this.#steady.count;
  }

  /** Pages the next decode pass fills beyond those held, when each request gets up to `burst` tokens. */
  growth(burst: number): number {
    if (!this.#bursts) return this.#steady.growthAt(this.steps);
    const size = this.#pageTokens, { length, stop } = this.#slots;
    let pages = 0;
    for (let i = 0; i < this.count; i++) {
      const slot = this.list[i], known = length[slot];
      pages += Math.ceil((known + Math.min(burst, stop[slot] - known)) / size) - Math.ceil(known / size);
    }
    return pages;
  }

  /** As `growth(1)`, of the decode pass `passes` after the next one; without multi-token prediction. */
  growthAfter(passes: number): number {
    return this.#steady.growthAt(this.steps + passes);
  }

  /** Decode pass in which the next request ends, counted as `steps`; `Infinity` without any. */
  get nextEnd(): number {
    return this.#steady.nextEnd;
  }

  /**
   * Takes the decode pass: everybody gets one token. The requests that end with it leave; they are written to `ended`,
   * which has room for all.
   *
   * @returns how many ended
   */
  step(ended: Int32Array): number {
    let count = 0;
    if (this.#steady.nextEnd === this.steps) {
      for (let slot; (slot = this.#steady.popEnding(this.steps)) >= 0;) {
        this.#steadySlot[slot] = 0;
        this.#slots.length[slot] = this.#slots.stop[slot];
        ended[count++] = slot;
      }
      // What they had open was one token each.
      if (this.#clip >= 1) {
        this.#open -= count;
        this.#shrinking -= count;
      }
    }
    this.steps++;
    this.#steady.advance();
    this.#open -= this.#shrinking;
    if (count > 0) this.#compact();
    if (this.steps >= this.#recountAt) this.#recount();
    return count;
  }

  /** Takes a decode pass in which nobody ends. */
  stepAll(): void {
    this.steps++;
    this.#steady.advance();
    this.#open -= this.#shrinking;
    if (this.steps >= this.#recountAt) this.#recount();
  }

  /** Removes the requests that have nothing left to emit; as `step`, but no pass. */
  takeComplete(ended: Int32Array): number {
    this.spent = 0;
    let count = 0, kept = 0;
    for (let i = 0; i < this.count; i++) {
      const slot = this.list[i];
      if (this.remaining(slot) <= 0) ended[count++] = slot;
      else this.list[kept++] = slot;
    }
    this.count = kept;
    return count;
  }

  /** Sum over all of min(open output, clip) times `ratio`, added in list order. */
  openOutput(ratio: number): number {
    let sum = 0;
    for (let i = 0; i < this.count; i++) sum += Math.min(this.remaining(this.list[i]), this.#clip) * ratio;
    return sum;
  }

  /** The same by one multiplication: equal up to round-off. Not for bursts. */
  openOutputEstimate(ratio: number): number {
    return this.#open * ratio;
  }

  #enter(slot: number): void {
    const slots = this.#slots;
    this.#steadySlot[slot] = 1;
    this.#steady.add(slot, slots.length[slot] + 1, slots.stop[slot] + 1, slots.order[slot], this.steps);
  }

  #rebuild(): void {
    for (let i = 0; i < this.count; i++) this.#slots.length[this.list[i]] = this.length(this.list[i]);
    this.#steady.clear();
    for (let i = 0; i < this.count; i++) if (this.#steadySlot[this.list[i]] === 1) this.#enter(this.list[i]);
  }

  #compact(): void {
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      const slot = this.list[i];
      if (this.remaining(slot) > 0) this.list[kept++] = slot;
    }
    this.count = kept;
  }

  #recount(): void {
    this.#open = this.#shrinking = 0;
    this.#recountAt = Infinity;
    for (let i = 0; i < this.count; i++) {
      const open = this.remaining(this.list[i]);
      if (open <= 0) continue;
      if (open <= this.#clip) {
        this.#open += open;
        this.#shrinking++;
      } else {
        this.#open += this.#clip;
        this.#recountAt = Math.min(this.#recountAt, this.steps + open - this.#clip);
      }
    }
  }

  #sum(squared: boolean): number {
    let sum = 0;
    for (let i = 0; i < this.count; i++) {
      const length = this.#slots.length[this.list[i]];
      sum += squared ? length * length : length;
    }
    return sum;
  }
}
