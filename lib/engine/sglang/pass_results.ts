/**
 * What comes of a pass of an SGLang rank: who is over and gives up pages, and what there is to tell when the pass ends.
 * A pass is decided when it starts and told when it ends, so results wait here in between.
 *
 * @module
 */
import { reaching } from "../../collections/growing.ts";
import { Signals } from "../signals.ts";
import type { Slots } from "./slots.ts";

/** What there is to tell about a slot. */
export const Signal = {
  /** It is over without a further token. */
  done: 0,
  /** First token after a prefill; it goes on. */
  first: 1,
  /** Token of a prefill, and the last. */
  only: 2,
  /** Token of a decode pass; it goes on. */
  token: 3,
  /** Token of a decode pass, and the last. */
  last: 4,
  rejected: 5,
} as const;

/** Results of the pass being formed or in flight. */
export class PassResults {
  readonly signals = new Signals();
  /** Requests that end with the pass: `ending[0 .. endings)`, in the order in which they give up their pages. */
  ending = new Int32Array(64);
  endings = 0;
  /** Running requests that have not emitted yet, or not since they were retracted; oldest first. Outlives the pass. */
  readonly late: number[] = [];
  readonly #slots: Slots;

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  clear(): void {
    this.signals.clear();
    this.endings = 0;
  }

  /** A request ends with this pass. Its pages are given up when everybody has had their tokens. */
  end(slot: number, kind: number, burst = 1): void {
    const { length, computed } = this.#slots;
    // The last token of a prefill needs no KV.
    if (kind === Signal.only) length[slot]++;
    else computed[slot] = length[slot];
    this.signals.add(slot, kind, burst);
    this.ending = reaching(this.ending, this.endings);
    this.ending[this.endings++] = slot;
  }

  /** The slot, which was late, does not run any more. */
  forgetLate(slot: number): void {
    const at = this.late.indexOf(slot);
    if (at >= 0) this.late.splice(at, 1);
  }
}
