/**
 * Mean and standard deviation of weighted samples that arrive in batches. Every batch is described by two passes over
 * it and merged into the whole, which costs one division a batch and loses no digits.
 *
 * @module
 */

/** Running extremes, mean and deviation. */
export class Moments {
  /** Sum of the weights. */
  count = 0;
  mean = 0;
  min = Infinity;
  max = -Infinity;
  /** Weighted sum of squared distances from the mean. */
  #squares = 0;

  /** Adds the first `length` samples of a batch. */
  addBatch(samples: Float64Array, weights: Float64Array, length: number): void {
    let weight = 0, sum = 0, min = this.min, max = this.max;
    // Sums of distances from a value inside the batch stay small, so nothing is cancelled where all samples are alike.
    const origin = samples[0];
    for (let i = 0; i < length; i++) {
      const sample = samples[i];
      weight += weights[i];
      sum += weights[i] * (sample - origin);
      if (sample < min) min = sample;
      if (sample > max) max = sample;
    }
    if (!(weight > 0)) return;
    const batchMean = origin + sum / weight;
    let squares = 0;
    for (let i = 0; i < length; i++) {
      const distance = samples[i] - batchMean;
      squares += weights[i] * distance * distance;
    }
    const total = this.count + weight;
    const shift = batchMean - this.mean;
    this.mean += shift * (weight / total);
    this.#squares += squares + shift * shift * this.count * (weight / total);
    this.count = total;
    this.min = min;
    this.max = max;
  }

  /** Population standard deviation; 0 without samples. */
  get std(): number {
    return this.count === 0 ? 0 : Math.sqrt(this.#squares / this.count);
  }
}
