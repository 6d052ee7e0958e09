/**
 * Requests of a vLLM rank that wait to be admitted: first come, first served, preempted ones in front. Counts what
 * observers ask about them, and remembers whether the head is worth a look.
 *
 * @module
 */
import { LengthSums } from "../pass_metrics.ts";
import { IntDeque } from "../../collections/int_deque.ts";
import type { Slots } from "./slots.ts";

/** Waiting requests of one rank; positions count from the front. */
export class WaitList {
  /** Prompt lengths of requests that never ran; none on decode ranks. */
  readonly fresh = new LengthSums();
  /** Lengths of preempted requests; on decode ranks, prompt lengths of all that do not run, destinations included. */
  readonly begun = new LengthSums();
  /** The head cannot be admitted before somebody ends or is preempted. */
  headBlocked = false;
  readonly #queue = new IntDeque();
  readonly #slots: Slots;
  readonly #decodes: boolean;

  constructor(slots: Slots, decodes: boolean) {
    this.#slots = slots;
    this.#decodes = decodes;
  }

  get size(): number {
    return this.#queue.size;
  }

  at(position: number): number {
    return this.#queue.at(position);
  }

  /** A request arrived. */
  add(slot: number): void {
    this.#queue.pushBack(slot);
    this.fresh.add(this.#slots.prompt[slot]);
  }

  /** A request that ran starts over, before all others. */
  addPreempted(slot: number): void {
    this.#queue.pushFront(slot);
    this.begun.add(this.#lengthOf(slot));
  }

  /** A destination waits for its KV; it counts, but has no place in the queue yet. */
  countDestination(slot: number): void {
    this.begun.add(this.#slots.prompt[slot]);
    this.headBlocked = false;
  }

  /** A destination that waited for its KV is gone. */
  forgetDestination(slot: number): void {
    this.begun.remove(this.#slots.prompt[slot]);
  }

  /** The KV of a destination is there: it waits in the order in which requests came to the rank. */
  addActivated(slot: number): void {
    const { ordinal } = this.#slots;
    let position = 0;
    while (position < this.size && ordinal[this.at(position)] < ordinal[slot]) position++;
    this.#queue.insert(position, slot);
    this.headBlocked = false;
  }

  /** Takes out the request at `position`. */
  remove(position: number): void {
    const slot = position === 0 ? this.#queue.popFront() : this.#queue.remove(position);
    if (this.#decodes || this.#slots.preempted[slot] === 1) this.begun.remove(this.#lengthOf(slot));
    else this.fresh.remove(this.#slots.prompt[slot]);
  }

  /** Position of the first request whose prompt has KV, `size` without any. */
  firstComputed(): number {
    let position = 0;
    while (position < this.size && !this.#slots.hasPrompt(this.at(position))) position++;
    return position;
  }

  /** Position of a request, -1 when it does not wait. */
  find(request: number): number {
    for (let i = 0; i < this.size; i++) if (this.#slots.request[this.at(i)] === request) return i;
    return -1;
  }

  #lengthOf(slot: number): number {
    return this.#decodes ? this.#slots.prompt[slot] : this.#slots.length[slot];
  }
}
