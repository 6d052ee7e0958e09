/**
 * Sets of small whole numbers, one bit each.
 *
 * @module
 */
import { reaching } from "./growing.ts";

/**
 * Numbers from 0 on that are walked through in ascending order; walking costs a step for every 32 numbers in between, so
 * that few members among many numbers are found at once.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { NumberSet } from "./number_set.ts";
 *
 * const set = new NumberSet();
 * for (const number of [70, 3]) set.add(number);
 * assert.deepEqual([set.next(0), set.next(4), set.next(71)], [3, 70, -1]);
 * ```
 */
export class NumberSet {
  #words = new Uint32Array(1);

  add(number: number): void {
    const word = number >>> 5;
    if (word >= this.#words.length) this.#words = reaching(this.#words, word);
    this.#words[word] |= 1 << (number & 31);
  }

  delete(number: number): void {
    const word = number >>> 5;
    if (word < this.#words.length) this.#words[word] &= ~(1 << (number & 31));
  }

  /** The lowest member that is at least `from`, -1 without any. */
  next(from: number): number {
    const words = this.#words;
    let word = from >>> 5;
    if (word >= words.length) return -1;
    let bits = words[word] & -1 << (from & 31);
    while (bits === 0) {
      if (++word === words.length) return -1;
      bits = words[word];
    }
    return word << 5 | 31 - Math.clz32(bits & -bits);
  }
}
