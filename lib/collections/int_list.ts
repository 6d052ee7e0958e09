/**
 * An ordered list of slots (a rank's small numbers for the requests it owns) in one growable array.
 *
 * @module
 */
import { FEW, longer } from "./growing.ts";

/**
 * The integers `slots[0 .. count)`. Adding at the end costs nothing but growth; taking out moves what stands behind.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { IntList } from "./int_list.ts";
 *
 * const list = new IntList();
 * for (const slot of [4, 5, 6]) list.add(slot);
 * list.removeAt(list.indexOf(5));
 * assert.deepEqual([...list.slots.subarray(0, list.count)], [4, 6]);
 * ```
 */
export class IntList {
  count = 0;
  slots = new Int32Array(FEW);

  add(slot: number): void {
    if (this.count === this.slots.length) this.#grow();
    this.slots[this.count++] = slot;
  }

  /** Index of a slot that is in the list; the end is searched first. */
  indexOf(slot: number): number {
    let at = this.count - 1;
    while (this.slots[at] !== slot) at--;
    return at;
  }

  /** Takes out the slot at `index`; the others keep their order. */
  removeAt(index: number): void {
    this.slots.copyWithin(index, index + 1, this.count--);
  }

  clear(): void {
    this.count = 0;
  }

  #grow(): void {
    this.slots = longer(this.slots);
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    new IntList().#grow();
  }
}
