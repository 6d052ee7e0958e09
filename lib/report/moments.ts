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
    let weight = 0, sum = 0, min = this.min, max = this.max, i = 0;
    // Sums of distances from a value inside the batch stay small, so nothing is cancelled where all samples are alike.
    const origin = samples[0];
    // Four samples a round: until V8 has optimised a loop for good, it makes an object of each number that one round leaves to
    // the next.
    for (; i + 4 <= length; i += 4) {
      const a = samples[i], b = samples[i + 1], c = samples[i + 2], d = samples[i + 3];
      const ofA = weights[i], ofB = weights[i + 1], ofC = weights[i + 2], ofD = weights[i + 3];
      weight = weight + ofA + ofB + ofC + ofD;
      sum = sum + ofA * (a - origin) + ofB * (b - origin) + ofC * (c - origin) + ofD * (d - origin);
      if (a < min) min = a;
      if (a > max) max = a;
      if (b < min) min = b;
      if (b > max) max = b;
      if (c < min) min = c;
      if (c > max) max = c;
      if (d < min) min = d;
      if (d > max) max = d;
    }
    for (; i < length; i++) {
      const sample = samples[i];
      weight += weights[i];
      sum += weights[i] * (sample - origin);
      if (sample < min) min = sample;
      if (sample > max) max = sample;
    }
    if (!(weight > 0)) return;
    const batchMean = origin + sum / weight;
    let squares = 0;
    for (i = 0; i + 4 <= length; i += 4) {
      const a = samples[i] - batchMean, b = samples[i + 1] - batchMean;
      const c = samples[i + 2] - batchMean, d = samples[i + 3] - batchMean;
      squares = squares + weights[i] * a * a + weights[i + 1] * b * b + weights[i + 2] * c * c + weights[i + 3] * d * d;
    }
    for (; i < length; i++) {
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
