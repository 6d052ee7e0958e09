/**
 * Turns a raw model time into the duration a pass really lasts: scaled by a speed-up and held as whole nanoseconds.
 * Behaviour: exact decimal rounding of seconds to nanoseconds, ties to even, before and after scaling.
 *
 * @module
 */
import { SimulationError } from "../errors.ts";

/** A longer pass leaves no room in a double for the short ones after it. */
export const MOST_PASS_MS = 1e12;

/** `seconds · 10⁹` evaluated exactly and rounded half to even, by integer arithmetic on the float's mantissa. */
function exactNanoseconds(seconds: number): number {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, seconds);
  const raw = bits.getBigUint64(0);
  const exponent = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & 0xfffffffffffffn;
  const mantissa = (exponent === 0 ? fraction : fraction | 0x10000000000000n) * 1_000_000_000n;
  const shift = BigInt(1075 - Math.max(exponent, 1));
  if (shift <= 0n) return Number(mantissa << -shift);
  const whole = mantissa >> shift;
  const rest = mantissa - (whole << shift);
  const half = 1n << (shift - 1n);
  return Number(rest > half || (rest === half && (whole & 1n) === 1n) ? whole + 1n : whole);
}

/** Whole nanoseconds nearest to `seconds` (>= 0), ties to even. */
export function nanoseconds(seconds: number): number {
  const product = seconds * 1e9;
  const whole = Math.floor(product);
  const offHalf = product - whole - 0.5;
  const doubt = product * 4.5e-16;
  if (offHalf > doubt) return whole + 1;
  if (offHalf < -doubt) return whole;
  return exactNanoseconds(seconds);
}

/** Seconds of a whole number of nanoseconds: whole seconds plus the rest divided once. */
function seconds(nanos: number): number {
  if (nanos < 1e9) return nanos / 1e9;
  const whole = Math.floor(nanos / 1e9);
  return whole + (nanos - whole * 1e9) / 1e9;
}

/**
 * Duration in milliseconds of a phase whose model says `rawMs` (>= 0), run `ratio` times as fast. A ratio of 0 means
 * unscaled.
 *
 * @throws {SimulationError} for a duration of more than 10^12 ms, or one that is no number
 *
 * @example
 * ```ts
 * import { passDurationMs } from "dynosim";
 *
 * console.log(passDurationMs(18.023973988999998, 1)); // 18.023974000000003
 * ```
 */
export function passDurationMs(rawMs: number, ratio: number): number {
  // The common case in few words, so that V8 puts it into its callers: this is asked once or twice a pass. Where the product
  // is not near the half between two nanoseconds, its own rounding cannot matter.
  const product = rawMs / 1000 * 1e9, nearest = Math.floor(product + 0.5);
  if (ratio === 1 && product < 1e9 && Math.abs(product - nearest) < 0.499999) return nearest / 1e9 * 1000;
  // The sum tells V8 that this is a number too; every result would be an object otherwise.
  return roundedMs(rawMs, ratio) + 0;
}

/** The same in every case. */
function roundedMs(rawMs: number, ratio: number): number {
  let nanos = nanoseconds(rawMs / 1000);
  if (ratio !== 1 && ratio > 0 && nanos > 0) nanos = nanoseconds(seconds(nanos) / ratio);
  const ms = seconds(nanos) * 1000;
  if (ms <= MOST_PASS_MS) return ms;
  throw new SimulationError(
    `a pass would last ${ms} ms: the times of this model, its parallelism or a speed-up ratio are out of bounds`,
  );
}

// The rounding of a half is rare, about one in a million passes. Done once before anything is compiled, it does not make
// V8 throw the compiled loop over steady passes away when it happens there.
passDurationMs(12.0890625, 1);
