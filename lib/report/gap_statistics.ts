/**
 * The two pooled distributions over output tokens: inter-token latency (ITL, the gaps themselves) and the output rate a
 * user sees (1000 / gap, for gaps above 0). Fed with (gap, multiplicity) pairs, once for many equal gaps.
 *
 * @module
 */
import type { GapSink } from "../engine/gap_sink.ts";
import { type Distribution, NO_SAMPLES, percentileRank } from "./distribution.ts";
import { Moments } from "./moments.ts";
import { Sketch } from "./sketch.ts";

/** Pairs kept before they are counted: small enough to stay in the first-level cache. */
const BATCH = 512;

/**
 * Collects gaps between output tokens.
 *
 * @example
 * ```ts
 * import { GapStatistics } from "dynosim";
 *
 * const gaps = new GapStatistics();
 * gaps.add(2, 6); // six gaps of 2 ms
 * gaps.add(12, 3);
 * console.log(gaps.itl().median, gaps.userRate().max); // 1.9997051226201907 500
 * ```
 */
export class GapStatistics implements GapSink {
  /** The last pair, from 1 on; 0 without any. Nothing equals what stands there. */
  #last = 0;
  readonly #gaps = new Float64Array(BATCH + 1).fill(NaN, 0, 1);
  readonly #counts = new Float64Array(BATCH + 1);
  /** The same from the first pair on. */
  readonly #pairGaps = this.#gaps.subarray(1);
  readonly #pairCounts = this.#counts.subarray(1);
  readonly #rates = new Float64Array(BATCH);
  readonly #rateCounts = new Float64Array(BATCH);
  readonly #itl = new Metric();
  readonly #userRate = new Metric();

  // In few words, so that V8 puts it into the loop over passes: a call would make an object of every gap.
  add(gapMs: number, count: number): void {
    let last = this.#last;
    if (this.#gaps[last] !== gapMs) {
      if (last === BATCH) last = this.#flush();
      this.#gaps[++last] = gapMs;
      this.#counts[last] = 0;
      this.#last = last;
    }
    this.#counts[last] += count;
  }

  /** Inter-token latency in milliseconds. */
  itl(): Distribution {
    this.#flush();
    return this.#itl.distribution();
  }

  /** Output tokens per second and user. */
  userRate(): Distribution {
    this.#flush();
    return this.#userRate.distribution();
  }

  /** Counts the pairs; returns the place of the last one that is left, 0. */
  #flush(): number {
    const length = this.#last, gaps = this.#pairGaps, counts = this.#pairCounts;
    if (length === 0) return 0;
    this.#last = 0;
    let rates = 0;
    for (let i = 0; i < length; i++) {
      const gap = gaps[i];
      if (gap > 0) {
        this.#rates[rates] = 1000 / gap;
        this.#rateCounts[rates++] = counts[i];
      }
    }
    this.#itl.addBatch(gaps, counts, length);
    this.#userRate.addBatch(this.#rates, this.#rateCounts, rates);
    return 0;
  }
}

/** Moments and sketch of one metric. */
class Metric {
  readonly #moments = new Moments();
  readonly #sketch = new Sketch();

  addBatch(samples: Float64Array, weights: Float64Array, length: number): void {
    if (length === 0) return;
    this.#moments.addBatch(samples, weights, length);
    this.#sketch.addBatch(samples, weights, length);
  }

  distribution(): Distribution {
    const { count, mean, min, max, std } = this.#moments;
    if (count === 0) return { ...NO_SAMPLES };
    const at = (p: number) => count === 1 ? min : this.#sketch.valueAtRank(percentileRank(count, p));
    return { count, mean, min, max, median: at(50), p75: at(75), p90: at(90), p95: at(95), p99: at(99), std };
  }
}
