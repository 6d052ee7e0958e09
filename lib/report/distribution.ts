/**
 * The nine figures by which a report describes a set of samples.
 *
 * @module
 */

import { select } from "../collections/select.ts";

/** Statistics of one metric. All 0 when there are no samples. */
export interface Distribution {
  /** Samples. */
  count: number;
  /** Arithmetic mean. */
  mean: number;
  /** Smallest sample. */
  min: number;
  /** Largest sample. */
  max: number;
  /** Sample of rank 50; see {@linkcode percentileRank}. */
  median: number;
  /** Sample of rank 75. */
  p75: number;
  /** Sample of rank 90. */
  p90: number;
  /** Sample of rank 95. */
  p95: number;
  /** Sample of rank 99. */
  p99: number;
  /** Population standard deviation. */
  std: number;
}

/** A distribution without samples. */
export const NO_SAMPLES: Readonly<Distribution> = Object.freeze({
  count: 0,
  mean: 0,
  min: 0,
  max: 0,
  median: 0,
  p75: 0,
  p90: 0,
  p95: 0,
  p99: 0,
  std: 0,
});

/**
 * Index of the percentile `p` (0 to 100) among `count` ascending samples: the nearest rank, halves rounded up. There
 * is no interpolation: a percentile is always a value that occurred.
 *
 * @example
 * ```ts
 * import { percentileRank } from "dynosim";
 *
 * const ascending = [1, 2, 3, 4, 100];
 * console.log(ascending[percentileRank(5, 50)], ascending[percentileRank(5, 99)]); // 3 100
 * ```
 */
export function percentileRank(count: number, p: number): number {
  return Math.floor(((count - 1) * p) / 100 + 0.5);
}

/**
 * Percentile `p` (0 to 100) of ascending samples by {@linkcode percentileRank}; `NaN` when there are none.
 *
 * @example
 * ```ts
 * import { percentile } from "dynosim";
 *
 * console.log(percentile([10, 20, 30, 40], 50)); // 30
 * ```
 */
export function percentile(ascending: ArrayLike<number>, p: number): number {
  return ascending.length === 0 ? NaN : ascending[percentileRank(ascending.length, p)];
}

// Up to here the deviations are summed over ascending samples, beyond in the order given: the last bits depend on it.
const FEW_SAMPLES = 16;
/**
 * From here on single ranks are looked for, which takes less than half of the time of sorting all samples once it is
 * compiled; the runtime's own sort needs no compiling.
 */
const MANY_SAMPLES = 65_536;
const PERCENTILES = [50, 75, 90, 95, 99] as const;

/**
 * Describes samples exactly. The mean is summed in the order given.
 *
 * @param samples values in completion order; not changed
 */
export function describe(samples: Float64Array): Distribution {
  return describeInPlace(samples.slice());
}

/**
 * The same for samples that nobody needs afterwards.
 *
 * @param samples values in completion order; in another order on return
 */
export function describeInPlace(samples: Float64Array): Distribution {
  const count = samples.length;
  if (count === 0) return { ...NO_SAMPLES };
  const centre = mean(samples), few = count <= FEW_SAMPLES, std = few ? 0 : deviation(samples, centre);
  if (count < MANY_SAMPLES || Number.isNaN(centre)) {
    const ascending = samples.sort(), min = ascending[0], max = ascending[count - 1];
    return { count, mean: centre, min, max, ...percentiles(ascending), std: few ? deviation(ascending) : std };
  }
  const { min, max } = extremes(samples);
  select(samples, PERCENTILES.map((p) => percentileRank(count, p)));
  return { count, mean: centre, min, max, ...percentiles(samples), std };
}

/** @param samples those of the ranks that matter stand where they stand in ascending order */
function percentiles(samples: Float64Array) {
  const [median, p75, p90, p95, p99] = PERCENTILES.map((p) => percentile(samples, p));
  return { median, p75, p90, p95, p99 };
}

function extremes(samples: Float64Array): { min: number; max: number } {
  let min = Infinity, max = -Infinity;
  for (let i = 0; i < samples.length; i++) {
    if (samples[i] < min) min = samples[i];
    if (samples[i] > max) max = samples[i];
  }
  return { min, max };
}

// Four samples a round, in their order: until V8 has optimised a loop for good, it makes an object of each number that one
// round leaves to the next.

function mean(samples: Float64Array): number {
  const count = samples.length;
  let sum = 0, i = 0;
  for (; i + 4 <= count; i += 4) sum = sum + samples[i] + samples[i + 1] + samples[i + 2] + samples[i + 3];
  for (; i < count; i++) sum += samples[i];
  return sum / count;
}

function deviation(samples: Float64Array, centre = mean(samples)): number {
  const count = samples.length;
  let sum = 0, i = 0;
  for (; i + 4 <= count; i += 4) {
    const a = samples[i] - centre,
      b = samples[i + 1] - centre,
      c = samples[i + 2] - centre,
      d = samples[i + 3] - centre;
    sum = sum + a * a + b * b + c * c + d * d;
  }
  for (; i < count; i++) {
    const distance = samples[i] - centre;
    sum += distance * distance;
  }
  return Math.sqrt(sum / count);
}
