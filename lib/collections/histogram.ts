/**
 * Percentiles of counts in bounded memory.
 *
 * @module
 */

import { longer } from "./growing.ts";

/** Values up to here are counted one by one, larger ones in bins of 1/256 of their size. */
const EXACT = 65_536;
const BINS_PER_OCTAVE = 256;

/**
 * Counts non-negative numbers and gives their percentiles: exact below 65,536 for integers, to 0.4 % above. At most half a
 * megabyte, whatever the number of values.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Histogram } from "./histogram.ts";
 *
 * const histogram = new Histogram();
 * for (const value of [1, 2, 3, 100]) histogram.add(value);
 * assert.equal(histogram.percentile(50), 2);
 * ```
 */
export class Histogram {
  count = 0;
  min = Infinity;
  max = -Infinity;
  #sum = 0;
  #exact = new Float64Array(1024);
  readonly #coarse = new Map<number, number>();

  add(value: number, weight = 1): void {
    this.count += weight;
    this.#sum += value * weight;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    const at = Math.round(value);
    if (at < EXACT) {
      if (at >= this.#exact.length) {
        this.#exact = longer(this.#exact, Math.min(EXACT, Math.max(at + 1, this.#exact.length * 2)));
      }
      this.#exact[at] += weight;
    } else {
      const bin = Math.floor(Math.log2(value) * BINS_PER_OCTAVE);
      this.#coarse.set(bin, (this.#coarse.get(bin) ?? 0) + weight);
    }
  }

  get mean(): number {
    return this.count === 0 ? NaN : this.#sum / this.count;
  }

  get sum(): number {
    return this.#sum;
  }

  /** The smallest value that at least `p` percent of the values do not exceed; `NaN` without values. */
  percentile(p: number): number {
    if (this.count === 0) return NaN;
    let left = Math.max(1, Math.ceil(this.count * p / 100));
    for (let value = 0; value < this.#exact.length; value++) {
      left -= this.#exact[value];
      if (left <= 0) return Math.min(Math.max(value, this.min), this.max);
    }
    for (const bin of [...this.#coarse.keys()].sort((a, b) => a - b)) {
      left -= this.#coarse.get(bin)!;
      if (left <= 0) return Math.min(Math.round(2 ** ((bin + 0.5) / BINS_PER_OCTAVE)), this.max);
    }
    return this.max;
  }
}
