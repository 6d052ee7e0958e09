/**
 * Small numbers for keys that come and go: what is kept of them stands in columns no longer than the most keys there
 * ever were at the same time.
 *
 * @module
 */
import { IntMap } from "./int_map.ts";

/**
 * Gives non-negative integers slots 0, 1, 2 …; a slot that was given back is used again first.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { SlotMap } from "./slot_map.ts";
 *
 * const slots = new SlotMap();
 * assert.deepEqual([slots.take(70), slots.take(71), slots.give(70), slots.take(72)], [0, 1, 0, 0]);
 * assert.deepEqual([slots.get(71), slots.get(70)], [1, -1]);
 * ```
 */
export class SlotMap {
  readonly #slots = new IntMap();
  readonly #spare: number[] = [];
  #next = 0;

  /** The slot of a key, -1 without one. */
  get(key: number): number {
    return this.#slots.get(key);
  }

  /** The keys that have a slot, ascending. */
  keys(): Int32Array {
    return this.#slots.keys();
  }

  /** Gives a key without a slot one. */
  take(key: number): number {
    const slot = this.#spare.pop() ?? this.#next++;
    this.#slots.add(key, slot);
    return slot;
  }

  /** Takes the slot of a key back, and tells which it was. */
  give(key: number): number {
    const slot = this.#slots.get(key);
    this.#slots.delete(key);
    this.#spare.push(slot);
    return slot;
  }
}
