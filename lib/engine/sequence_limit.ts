/**
 * How many sequences the ranks of a pool may run at once, and how many they would have had to allow for nobody to wait.
 *
 * @module
 */

/**
 * The limit of sequences a rank may run. Ranks ask it before they let one more run, and only then: a run in which every
 * answer was yes is the same under any limit that would have said yes as well.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { SequenceLimit } from "./sequence_limit.ts";
 *
 * const limit = new SequenceLimit(8);
 * assert.deepEqual([limit.admits(3), limit.admits(8)], [true, false]);
 * assert.equal(limit.needed, 9);
 * ```
 */
export class SequenceLimit {
  /** Sequences a rank may run, `Infinity` when unlimited. */
  readonly most: number;
  #needed = 0;

  constructor(most: number) {
    this.most = most;
  }

  /** Whether a rank with so many running may take one more. */
  admits(running: number): boolean {
    if (running >= this.#needed) this.#needed = running + 1;
    return running < this.most;
  }

  /** Smallest limit that would always have said yes; larger than `most` when it said no. 0 when it was never asked. */
  get needed(): number {
    return this.#needed;
  }
}
