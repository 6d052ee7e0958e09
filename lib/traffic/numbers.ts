/**
 * Numbers as the messages print them.
 *
 * @module
 */

/** A float in a message: no exponent, no trailing `.0`, `inf` and `NaN` for what is no number. */
export function numberText(value: number): string {
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  if (Number.isInteger(value) && Math.abs(value) >= 1e21) return BigInt(value).toString();
  const text = String(value);
  const small = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text);
  if (small === null) return text;
  return `${small[1]}0.${"0".repeat(Number(small[4]) - 1)}${small[2]}${small[3] ?? ""}`;
}
