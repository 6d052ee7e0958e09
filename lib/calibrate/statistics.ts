/**
 * Medians, and errors of simulated figures against measured ones.
 *
 * @module
 */
import type { CalibrationError } from "../timing/calibration/profile.ts";

/** The middle value (the mean of the two middle ones); NaN of nothing. Does not change the array. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort(), half = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Errors of simulated against measured values, in percent: median of the absolute ones, and median. */
export function errorOf(simulated: ArrayLike<number>, measured: ArrayLike<number>): CalibrationError {
  const n = measured.length;
  if (n === 0) return { mdape: null, bias: null, n };
  const signed = Float64Array.from(measured, (value, i) => (simulated[i] - value) / value * 100);
  return { mdape: median(signed.map(Math.abs)), bias: median(signed), n };
}
