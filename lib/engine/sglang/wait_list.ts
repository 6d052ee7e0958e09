/**
 * Requests of an SGLang rank that wait for a prefill: new ones, ones in mid-prefill (in front), retracted ones (behind).
 * Counts what observers ask about them, and remembers what keeps the head out.
 *
 * @module
 */
import { LengthSums } from "../pass_metrics.ts";
import { IntDeque } from "../../collections/int_deque.ts";
import type { PrefixOrder } from "./prefix_order.ts";
import type { Slots } from "./slots.ts";

/** Waiting requests of one rank. */
export class WaitList {
  /** Prompt lengths of the requests without output, and lengths of those with (decode ranks: of all). */
  readonly prefill = new LengthSums();
  readonly decode = new LengthSums();
  /** Requests whose prompt is too long ever to run. */
  overlong = 0;
  /** Tokens and output the head needs room for, while lack of it is all that keeps it out; else NaN. */
  headNeeds = NaN;
  readonly #queue = new IntDeque();
  readonly #slots: Slots;
  readonly #order: PrefixOrder | null;
  readonly #decodes: boolean;
  readonly #maxModelTokens: number;

  constructor(slots: Slots, order: PrefixOrder | null, options: { decodes: boolean; maxModelTokens: number }) {
    this.#slots = slots;
    this.#order = order;
    this.#decodes = options.decodes;
    this.#maxModelTokens = options.maxModelTokens;
  }

  get size(): number {
    return this.#queue.size;
  }

  at(position: number): number {
    return this.#queue.at(position);
  }

  /** Puts a slot behind all others, or in front. */
  add(slot: number, front = false): void {
    const { length, prompt } = this.#slots;
    if (this.#decodes || length[slot] > prompt[slot]) this.decode.add(length[slot]);
    else this.prefill.add(prompt[slot]);
    if (prompt[slot] >= this.#maxModelTokens) this.overlong++;
    if (front || this.#queue.size === 0) this.headNeeds = NaN;
    if (front) this.#queue.pushFront(slot);
    else this.#queue.pushBack(slot);
    if (this.#order !== null) this.#order.stale = true;
  }

  remove(position: number): number {
    const slot = position === 0 ? this.#queue.popFront() : this.#queue.remove(position);
    const { length, prompt } = this.#slots;
    if (this.#decodes || length[slot] > prompt[slot]) this.decode.remove(length[slot]);
    else this.prefill.remove(prompt[slot]);
    if (prompt[slot] >= this.#maxModelTokens) this.overlong--;
    this.headNeeds = NaN;
    if (this.#order !== null) this.#order.stale = true;
    return slot;
  }

  /** Position of a request, -1 when it does not wait. */
  find(request: number): number {
    for (let i = 0; i < this.#queue.size; i++) if (this.#slots.request[this.#queue.at(i)] === request) return i;
    return -1;
  }

  /** Takes out the requests that can never run. */
  takeOverlong(): number[] {
    const taken: number[] = [];
    for (let i = 0; this.overlong > 0;) {
      if (this.#slots.prompt[this.#queue.at(i)] < this.#maxModelTokens) i++;
      else taken.push(this.remove(i));
    }
    return taken;
  }

  /** Applies the queue policy. */
  sort(): void {
    if (this.#order === null || this.#queue.size === 0) return;
    const head = this.#queue.at(0);
    this.#order.sort(this.#queue);
    if (this.#queue.at(0) !== head) this.headNeeds = NaN;
  }

  /** Whether the policy would leave the queue as it is. */
  get sorted(): boolean {
    return this.#order === null || this.#queue.size <= 1 || this.#order.settled;
  }

  /** First come, first served. */
  get fifo(): boolean {
    return this.#order === null;
  }
}
