/**
 * Small numbers for keys that come and go: what is kept of them stands in columns no longer than the most keys there
 * ever were at the same time.
 *
 * @module
 */

/** Places a map starts with; a power of two. */
const FIRST = 64;

/**
 * Gives non-negative integers slots 0, 1, 2 …; a slot that was given back is used again first. Made for keys that come
 * about in order and go soon: a key's place in the table is its last bits, and the table doubles until no two keys that
 * are there have the same, so that looking one up is one step.
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
  /** -1 where empty. */
  #keys = new Int32Array(FIRST).fill(-1);
  #slots = new Int32Array(FIRST);
  #mask = FIRST - 1;
  readonly #spare: number[] = [];
  #next = 0;

  /** The slot of a key, -1 without one. */
  get(key: number): number {
    const at = key & this.#mask;
    return this.#keys[at] === key ? this.#slots[at] : -1;
  }

  /** Gives a key without a slot one. */
  take(key: number): number {
    const slot = this.#spare.pop() ?? this.#next++;
    while (this.#keys[key & this.#mask] !== -1) this.#grow();
    this.#keys[key & this.#mask] = key;
    this.#slots[key & this.#mask] = slot;
    return slot;
  }

  /** Takes the slot of a key back, and tells which it was. */
  give(key: number): number {
    const at = key & this.#mask, slot = this.#slots[at];
    this.#keys[at] = -1;
    this.#spare.push(slot);
    return slot;
  }

  /** Keys that have different places keep having different ones in a larger table. */
  #grow(): void {
    const keys = this.#keys, slots = this.#slots;
    this.#mask = keys.length * 2 - 1;
    this.#keys = new Int32Array(keys.length * 2).fill(-1);
    this.#slots = new Int32Array(keys.length * 2);
    for (let at = 0; at < keys.length; at++) {
      if (keys[at] === -1) continue;
      this.#keys[keys[at] & this.#mask] = keys[at];
      this.#slots[keys[at] & this.#mask] = slots[at];
    }
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    new SlotMap().#grow();
  }
}
