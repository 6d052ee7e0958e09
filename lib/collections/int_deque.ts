/**
 * Double-ended queue of slots that wait to be admitted, in one ring of integers.
 *
 * @module
 */

/**
 * Queue of small integers; positions count from the front. Both ends cost the same few steps; `insert` and `remove` move
 * what stands behind the position.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { IntDeque } from "./int_deque.ts";
 *
 * const queue = new IntDeque();
 * queue.pushBack(1);
 * queue.pushBack(2);
 * queue.pushFront(0);
 * assert.equal(queue.popFront(), 0);
 * assert.equal(queue.at(1), 2);
 * ```
 */
export class IntDeque {
  #ring = new Int32Array(16);
  #mask = 15;
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Entry at `position`, 0 being the front. */
  at(position: number): number {
    return this.#ring[(this.#head + position) & this.#mask];
  }

  pushBack(slot: number): void {
    if (this.#size > this.#mask) this.#grow();
    this.#ring[(this.#head + this.#size++) & this.#mask] = slot;
  }

  pushFront(slot: number): void {
    if (this.#size > this.#mask) this.#grow();
    this.#head = (this.#head - 1) & this.#mask;
    this.#ring[this.#head] = slot;
    this.#size++;
  }

  popFront(): number {
    const slot = this.#ring[this.#head];
    this.#head = (this.#head + 1) & this.#mask;
    this.#size--;
    return slot;
  }

  /** Puts a slot in front of what stands at `position`. */
  insert(position: number, slot: number): void {
    this.pushBack(slot);
    for (let i = this.#size - 1; i > position; i--) this.set(i, this.at(i - 1));
    this.set(position, slot);
  }

  remove(position: number): number {
    const slot = this.at(position);
    for (let i = position; i < this.#size - 1; i++) this.set(i, this.at(i + 1));
    this.#size--;
    return slot;
  }

  /** Puts a slot in the place of what stands at `position`. */
  set(position: number, slot: number): void {
    this.#ring[(this.#head + position) & this.#mask] = slot;
  }

  #grow(): void {
    const ring = new Int32Array(this.#ring.length * 2);
    for (let i = 0; i < this.#size; i++) ring[i] = this.at(i);
    this.#ring = ring;
    this.#mask = ring.length - 1;
    this.#head = 0;
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    new IntDeque().#grow();
  }
}
