/**
 * What a pass in flight will have to tell when it ends, in order: slots with a kind, and how many tokens left at once.
 *
 * @module
 */
import { FEW, longer } from "../collections/growing.ts";

/** Growable list of (slot, kind, burst). */
export class Signals {
  count = 0;
  slot = new Int32Array(FEW);
  kind = new Uint8Array(FEW);
  /** Tokens that leave together, 1 unless set. */
  burst = new Int32Array(FEW);

  /** Appends a signal and returns its place. */
  add(slot: number, kind: number, burst = 1): void {
    const at = this.count++;
    if (at === this.slot.length) this.#grow();
    this.slot[at] = slot;
    this.kind[at] = kind;
    this.burst[at] = burst;
  }

  clear(): void {
    this.count = 0;
  }

  #grow(): void {
    this.slot = longer(this.slot);
    this.kind = longer(this.kind);
    this.burst = longer(this.burst);
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    new Signals().#grow();
  }
}
