/**
 * Rounding as Python does it.
 *
 * @module
 */

/** The nearest integer; halves go to the even one. */
export function roundHalfEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}
