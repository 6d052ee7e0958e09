/**
 * An ordered list of slots (a rank's small numbers for the requests it owns) in one growable array.
 *
 * @module
 */
import { longer } from "./growing.ts";

/** Slots `slots[0 .. count)`. */
export class IntList {
  count = 0;
  slots = new Int32Array(64);

  add(slot: number): void {
    if (this.count === this.slots.length) this.slots = longer(this.slots);
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
}
