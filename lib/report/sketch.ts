/**
 * A DDSketch: percentiles of any number of positive samples to a relative accuracy of 0.1 %, in bins whose width grows
 * with the value. Bins are counted in typed arrays around the keys that occur.
 *
 * @module
 */
import { exponential } from "../arithmetic/exponential.ts";

const ACCURACY = 0.001;
const GAMMA_MINUS_1 = (2 * ACCURACY) / (1 - ACCURACY);
const GAMMA = 1 + GAMMA_MINUS_1;
/** Bins per e-fold. */
const INVERSE_LOG_GAMMA = 1 / Math.log1p(GAMMA_MINUS_1);
/** Samples below this have no bin of their own and count as zero. */
const SMALLEST = 2.2250738585072014e-308 * GAMMA;
/** Keeps the shortcut around `Math.log` away from bin edges, where the last bit of the logarithm decides. */
const EDGE_MARGIN = 1e-12;

/** Key of the bin of a positive sample. */
export function sketchKey(sample: number): number {
  return Math.ceil(Math.log(sample) * INVERSE_LOG_GAMMA) + 0; // never -0, which would not be an index
}

/** Value that stands for every sample of a bin. */
export function sketchValue(key: number): number {
  return exponential(key * (1 / INVERSE_LOG_GAMMA)) * (2 / (1 + GAMMA)); // the same on every engine of JavaScript
}

/** Counts weighted samples in logarithmic bins. */
export class Sketch {
  /** Samples counted so far. */
  count = 0;
  #zeros = 0;
  /** Bin of key `#firstKey + i`. */
  #bins = new Float64Array(0);
  #firstKey = 0;

  /** Counts the first `length` samples >= 0 of a batch, `weights[i]` times each. */
  addBatch(samples: Float64Array, weights: Float64Array, length: number): void {
    // The bin hit last, what it got since, and the samples that surely fall into it: neighbours are mostly alike.
    let bin = -1, run = 0, low = Infinity, high = -Infinity;
    let total = 0;
    for (let i = 0; i < length; i++) {
      const sample = samples[i];
      const weight = weights[i];
      total += weight;
      if (sample > low && sample < high) {
        run += weight;
      } else if (sample < SMALLEST) {
        this.#zeros += weight;
      } else {
        if (bin >= 0) this.#bins[bin] += run;
        const key = sketchKey(sample);
        this.#reserve(key);
        bin = key - this.#firstKey;
        run = weight;
        const edge = Math.exp(key / INVERSE_LOG_GAMMA);
        high = edge * (1 - EDGE_MARGIN);
        low = (edge / GAMMA) * (1 + EDGE_MARGIN);
      }
    }
    if (bin >= 0) this.#bins[bin] += run;
    this.count += total;
  }

  /** Value of the bin that holds the sample of this rank (from 0) in ascending order; 0 when there are no samples. */
  valueAtRank(rank: number): number {
    let below = this.#zeros;
    if (rank < below || this.count === 0) return 0;
    for (let bin = 0; bin < this.#bins.length; bin++) {
      below += this.#bins[bin];
      if (rank < below) return sketchValue(this.#firstKey + bin);
    }
    throw new RangeError(`Rank ${rank} is not below the ${this.count} samples of the sketch`);
  }

  /** Makes sure that a key has a bin. */
  #reserve(key: number): void {
    if (this.#bins.length === 0) {
      this.#bins = new Float64Array(1024);
      this.#firstKey = key - 512;
    }
    const before = this.#firstKey - key;
    const after = key - (this.#firstKey + this.#bins.length - 1);
    if (before > 0 || after > 0) {
      const missing = Math.max(before, after);
      const spare = missing + this.#bins.length;
      const larger = new Float64Array(this.#bins.length + spare);
      larger.set(this.#bins, before > 0 ? spare : 0);
      if (before > 0) this.#firstKey -= spare;
      this.#bins = larger;
    }
  }
}
