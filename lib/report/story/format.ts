/**
 * Numbers and times as the story of a run writes them.
 *
 * @module
 */

/** A whole number, thousands set off. */
export const whole = (value: number) => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");

/** Four significant digits, thousands set off; `?` for nothing. */
export function number(value: number | null): string {
  if (value === null) return "?";
  if (Math.abs(value) >= 1000) return whole(value);
  return Number(value.toPrecision(4)).toString();
}

/** A share in percent. */
export const percent = (part: number, of: number) => of > 0 ? `${number((part / of) * 100)} %` : "0 %";

/** `1:02:03`, or `2:03` below an hour. */
export function time(seconds: number): string {
  const total = Math.floor(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(total / 60) % 60;
  return total < 3600
    ? `${minutes}:${two(total % 60)}`
    : `${Math.floor(total / 3600)}:${two(minutes)}:${two(total % 60)}`;
}

/** A count with its noun, `s` added for more than one. */
export const counted = (count: number, noun: string): string => `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;
