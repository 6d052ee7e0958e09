/**
 * Shapes of single values in the reference's router configurations.
 *
 * @module
 */
import { choices, shown } from "../engine/launch/fields.ts";

/** What a value must be: a name of a number type, `boolean`, `text`, or names to choose from. */
export interface Shape {
  is: "f64" | "u32" | "usize" | "boolean" | "text" | readonly string[];
  nullable?: true;
}

/** What is wrong with the shape of a value, or null. */
export function misshapen({ is, nullable }: Shape, value: unknown): string | null {
  if (value === null && nullable) return null;
  const expected = is === "text" ? "a string" : is === "boolean" ? "a boolean" : is;
  if (Array.isArray(is)) {
    if (typeof value !== "string") return `invalid type: ${shown(value)}, expected ${choices(is)}`;
    return is.includes(value) ? null : `unknown variant \`${value}\`, expected ${choices(is)}`;
  }
  const fits = is === "text"
    ? typeof value === "string"
    : is === "boolean"
    ? typeof value === "boolean"
    : typeof value === "number";
  if (!fits) return `invalid type: ${shown(value)}, expected ${expected}`;
  if (is === "f64" && !Number.isFinite(value)) return "number out of range";
  if (is !== "u32" && is !== "usize") return null;
  if (!Number.isInteger(value)) return `invalid type: ${shown(value)}, expected ${is}`;
  const tooLarge = (value as number) > (is === "u32" ? 2 ** 32 - 1 : Number.MAX_SAFE_INTEGER);
  return (value as number) < 0 || tooLarge ? `invalid value: ${shown(value)}, expected ${is}` : null;
}
