/**
 * Arrival times of synthetic load.
 *
 * @module
 */
import { StdRng } from "../random/chacha.ts";
import { naturalLog } from "../arithmetic/natural_log.ts";

/** How arrivals follow each other. */
export type ArrivalProcess =
  /** Equal distances; 0 lets all arrive at once. */
  | { intervalMs: number }
  /** Random distances with this mean rate; the same seed gives the same times. */
  | { requestsPerSecond: number; seed: number };

const SMALLEST = 2.2250738585072014e-308;

/**
 * The first `count` arrivals in milliseconds. The first is 0; each further one is one addition away from the one before.
 *
 * @example
 * ```ts ignore
 * arrivalTimes(3, { intervalMs: 1000 / 3 }); // 0, 333.3333333333333, 666.6666666666666
 * ```
 */
export function arrivalTimes(count: number, process: ArrivalProcess): Float64Array {
  const times = new Float64Array(count);
  let gap: () => number;
  if ("intervalMs" in process) {
    // the interval goes through the rate, as it does in the reference
    const gapMs = process.intervalMs > 0 ? 1000 / (1000 / process.intervalMs) : 0;
    gap = () => gapMs;
  } else {
    const mean = 1000 / process.requestsPerSecond, random = new StdRng(process.seed);
    gap = () => -mean * naturalLog(Math.min(1, Math.max(SMALLEST, 1 - random.float64())));
  }
  for (let i = 1; i < count; i++) times[i] = times[i - 1] + gap();
  return times;
}
