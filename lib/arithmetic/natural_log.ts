/**
 * The natural logarithm, correctly rounded, so that every JavaScript engine gives the same arrivals.
 *
 * @module
 */
import { add, divide, LN2, multiply, type Pair } from "./double_double.ts";

const TERMS = 22;
/** Terms from here on are so small that a single double holds what matters of them. */
const SMALL = 11;
/** 1 / (2k + 1) as sums of two doubles. */
const ODD = Array.from({ length: TERMS }, (_, k) => divide(1, 0, 2 * k + 1, 0));
const bits = new DataView(new ArrayBuffer(8));

/** ln of a positive normal double: a power of two taken off, then the series of the inverse hyperbolic tangent. */
export function naturalLog(value: number): number {
  if (value === 1) return 0;
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  let exponent = (high >>> 20) - 1023;
  bits.setUint32(0, (high & 0xfffff) | 0x3ff00000);
  let m = bits.getFloat64(0);
  if (m > 1.4142135623730951) {
    m /= 2;
    exponent++;
  }
  const sum = m + 1;
  const s = divide(m - 1, 0, sum, m - (sum - 1));
  const square = multiply(s[0], s[1], s[0], s[1]);
  let tail = 0;
  for (let k = TERMS - 1; k >= SMALL; k--) tail = tail * square[0] + ODD[k][0];
  let series: Pair = [tail, 0];
  for (let k = SMALL - 1; k >= 0; k--) {
    const next = multiply(series[0], series[1], square[0], square[1]);
    series = add(next[0], next[1], ODD[k][0], ODD[k][1]);
  }
  const half = multiply(series[0], series[1], s[0], s[1]);
  const power = multiply(exponent, 0, LN2[0], LN2[1]);
  const result = add(power[0], power[1], 2 * half[0], 2 * half[1]);
  return result[0] + result[1];
}
