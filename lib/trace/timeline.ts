/**
 * Sums over time in a bounded number of buckets that widen as the trace grows.
 *
 * @module
 */

/** At most `buckets` buckets from the first time on; their width doubles whenever a time lies behind the last. */
export class Timeline {
  /** Milliseconds a bucket covers. */
  widthMs: number;
  readonly #counts: Float64Array;
  readonly #weights: Float64Array;
  #originMs = NaN;
  #used = 0;

  constructor(buckets = 512, widthMs = 1000) {
    this.widthMs = widthMs;
    this.#counts = new Float64Array(buckets);
    this.#weights = new Float64Array(buckets);
  }

  /** Adds an event. Times before the first one count as the first. */
  add(timeMs: number, weight: number): void {
    if (Number.isNaN(this.#originMs)) this.#originMs = timeMs;
    let bucket = Math.max(0, Math.floor((timeMs - this.#originMs) / this.widthMs));
    while (bucket >= this.#counts.length) {
      this.#widen();
      bucket = Math.floor((timeMs - this.#originMs) / this.widthMs);
    }
    this.#counts[bucket]++;
    this.#weights[bucket] += weight;
    if (bucket >= this.#used) this.#used = bucket + 1;
  }

  #widen(): void {
    const half = this.#counts.length / 2;
    for (const column of [this.#counts, this.#weights]) {
      for (let i = 0; i < half; i++) column[i] = column[2 * i] + column[2 * i + 1];
      column.fill(0, half);
    }
    this.widthMs *= 2;
    this.#used = Math.ceil(this.#used / 2);
  }

  /** Events and weights in at most `most` buckets of equal width. */
  buckets(most: number): { widthMs: number; counts: number[]; weights: number[] } {
    const join = Math.max(1, Math.ceil(this.#used / most));
    const counts: number[] = [], weights: number[] = [];
    for (let from = 0; from < this.#used; from += join) {
      let count = 0, weight = 0;
      for (let i = from; i < Math.min(from + join, this.#used); i++) {
        count += this.#counts[i];
        weight += this.#weights[i];
      }
      counts.push(count);
      weights.push(weight);
    }
    return { widthMs: this.widthMs * join, counts, weights };
  }
}
