/**
 * The exponential function, correctly rounded but for one argument in many millions, so that every JavaScript engine
 * draws the same numbers.
 *
 * @module
 */
import { add, divide, LN2, multiply, type Pair } from "./double_double.ts";

const TERMS = 24;
/** 1 / k! as sums of two doubles. */
const INVERSE_FACTORIALS: Pair[] = [[1, 0]];
for (let k = 1; k < TERMS; k++) {
  INVERSE_FACTORIALS.push(divide(INVERSE_FACTORIALS[k - 1][0], INVERSE_FACTORIALS[k - 1][1], k, 0));
}

/** e to the power of a number whose result is a normal double: powers of two taken off, then the Taylor series. */
export function exponential(value: number): number {
  if (value === 0) return 1;
  const power = Math.round(value / LN2[0]);
  const whole = multiply(power, 0, LN2[0], LN2[1]);
  const rest = add(value, 0, -whole[0], -whole[1]);
  let sum: Pair = [0, 0];
  for (let k = TERMS - 1; k >= 0; k--) {
    const next = multiply(sum[0], sum[1], rest[0], rest[1]);
    sum = add(next[0], next[1], INVERSE_FACTORIALS[k][0], INVERSE_FACTORIALS[k][1]);
  }
  return (sum[0] + sum[1]) * 2 ** power;
}
