/**
 * Arithmetic with twice the digits of a double, each number held as the sum of two doubles (T. J. Dekker, A floating-point
 * technique for extending the available precision, 1971). All of it is additions and products, which every JavaScript
 * engine rounds alike.
 *
 * @module
 */

/** A number as the unevaluated sum of two doubles. */
export type Pair = readonly [high: number, low: number];

/** ln 2. */
export const LN2: Pair = [0.6931471805599453, 2.3190468138462996e-17];

/** a + b exactly, as a double and its rest. */
function twoSum(a: number, b: number): Pair {
  const sum = a + b, rest = sum - a;
  return [sum, a - (sum - rest) + (b - rest)];
}

/** a × b exactly, as a double and its rest. */
function twoProduct(a: number, b: number): Pair {
  const product = a * b;
  const aBig = 134217729 * a, bBig = 134217729 * b;
  const aHigh = aBig - (aBig - a), bHigh = bBig - (bBig - b);
  const aLow = a - aHigh, bLow = b - bHigh;
  return [product, aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)];
}

/** a + b of two {@linkcode Pair}s. */
export function add(aHigh: number, aLow: number, bHigh: number, bLow: number): Pair {
  const [high, rest] = twoSum(aHigh, bHigh);
  const [low, tail] = twoSum(aLow, bLow);
  const [sum, more] = twoSum(high, rest + low);
  return twoSum(sum, more + tail);
}

/** a × b of two {@linkcode Pair}s. */
export function multiply(aHigh: number, aLow: number, bHigh: number, bLow: number): Pair {
  const [product, rest] = twoProduct(aHigh, bHigh);
  return twoSum(product, rest + (aHigh * bLow + aLow * bHigh));
}

/** a / b of two {@linkcode Pair}s. */
export function divide(aHigh: number, aLow: number, bHigh: number, bLow: number): Pair {
  const first = aHigh / bHigh;
  const [high, low] = multiply(bHigh, bLow, first, 0);
  const [rest, more] = add(aHigh, aLow, -high, -low);
  const second = (rest + more) / bHigh;
  const [high2, low2] = multiply(bHigh, bLow, second, 0);
  const [rest2, more2] = add(rest, more, -high2, -low2);
  const [sum, tail] = twoSum(first, second);
  return twoSum(sum, tail + (rest2 + more2) / bHigh);
}
