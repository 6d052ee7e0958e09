/**
 * JSON in one fixed form, so that equal values have equal digests: keys sorted, no spaces, and floats told from
 * integers the way the recorded digests expect it.
 *
 * @module
 */

/** A number that is written as a float whatever its value (`1.0`, `1e-05`). */
export class Float {
  constructor(readonly value: number) {}
}

/** Writes a value; plain numbers as JavaScript writes them, {@linkcode Float}s always with a point or an exponent. */
export function canonicalJson(value: unknown): string {
  if (value instanceof Float) return floatText(value.value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => a < b ? -1 : 1);
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}

/** Shortest text that reads back as the same double: decimal from 1e-4 up to 1e16, else with a two-digit exponent. */
export function floatText(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    const [digits, exponent] = value.toExponential().split("e");
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
