/**
 * Readers for the fields of a mapping, small functions that compose: each takes a value and its dotted path and returns
 * what it read or throws the reference's shape error (`invalid engine launch config: engine.block_size: invalid type:
 * string "x", expected usize`). A mapping is read in the order in which it is written.
 *
 * @module
 */
import { ConfigError, nearName } from "../../errors.ts";

/** Reads one value found at `path`. */
export type Reader<T = unknown> = (value: unknown, path: string) => T;

/** Values by field name; absent fields are absent. */
export type Fields = Record<string, unknown>;

/** A shape error at `path`; `hint` is kept beside the message. */
export function structural(path: string, reason: string, hint?: string): ConfigError {
  const message = `invalid engine launch config: ${path}: ${reason}`;
  return new ConfigError(message, [{ path, message, ...(hint ? { hint } : {}) }]);
}

/** The error for a value of the wrong type. */
export const invalid = (path: string, value: unknown, expected: string): ConfigError =>
  structural(path, `invalid type: ${shown(value)}, expected ${expected}`);

/** The error for a name outside a known set. */
export function unknownName(path: string, kind: "field" | "variant", name: string, names: readonly string[]) {
  const near = nearName(name, names);
  return structural(
    path,
    `unknown ${kind} \`${name}\`, expected ${choices(names)}`,
    near && `did you mean \`${near}\`?`,
  );
}

/** An unsigned integer of the given width. A `bigint` is kept where the width is named `u64`, else made a number. */
export const unsigned = (type: "usize" | "u32" | "u64"): Reader => (value, path) => {
  if (!isInteger(value)) throw invalid(path, value, type);
  if (value < 0 || BigInt(value) >= (type === "u32" ? 2n ** 32n : 2n ** 64n)) {
    throw structural(path, `invalid value: ${shown(value)}, expected ${type}`);
  }
  return type === "u64" ? value : Number(value);
};

/** Any number; whether it is finite is a rule, not a shape. */
export const f64: Reader = (value, path) => {
  if (typeof value !== "number") throw invalid(path, value, "f64");
  return value;
};

/** `true` or `false`. */
export const bool: Reader = (value, path) => {
  if (typeof value !== "boolean") throw invalid(path, value, "a boolean");
  return value;
};

/** Text. */
export const text: Reader = (value, path) => {
  if (typeof value !== "string") throw invalid(path, value, "a string");
  return value;
};

/** A list of anything. */
export const sequence: Reader = (value, path) => {
  if (!Array.isArray(value)) throw invalid(path, value, "a sequence");
  return value;
};

/** Anything at all. */
export const anything: Reader = (value) => value;

/** Null as "not set". */
export const nullable = (reader: Reader): Reader => (value, path) => value === null ? null : reader(value, path);

/** One of a few names. */
export const choice = (...names: string[]): Reader => (value, path) => {
  if (typeof value !== "string") throw invalid(path, value, "string or map");
  if (!names.includes(value)) throw unknownName(path, "variant", value, names);
  return value;
};

/** A mapping with any keys; `what` is what an error says was expected. */
export const mapping = (what: string): Reader<Fields> => (value, path) => {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw invalid(path || ".", value, what);
  return value as Fields;
};

/** A mapping of known fields only. `aliases` maps other spellings to names; both at once are refused. */
export const struct = (
  what: string,
  readers: Readonly<Record<string, Reader>>,
  aliases: Readonly<Record<string, string>> = {},
): Reader<Fields> => {
  const spellings = (name: string) => Object.keys(aliases).filter((alias) => aliases[alias] === name);
  const names = Object.keys(readers).flatMap((name) => [...spellings(name), name]);
  return (value, path) => {
    const out: Fields = {};
    for (const [written, given] of Object.entries(mapping(`struct ${what}`)(value, path))) {
      if (given === undefined) continue;
      const where = path ? `${path}.${written}` : written;
      const name = Object.hasOwn(aliases, written) ? aliases[written] : written;
      if (!Object.hasOwn(readers, name)) throw unknownName(where, "field", written, names);
      if (Object.hasOwn(out, name)) throw structural(path, `duplicate field \`${name}\``);
      out[name] = readers[name](given, where);
    }
    return out;
  };
};

/** JavaScript has one number type: `1.0` is the integer 1. */
const isInteger = (value: unknown): value is number | bigint =>
  typeof value === "bigint" || (Number.isInteger(value) && Math.abs(value as number) < 2 ** 64);

/** A value as the reference names it in errors. */
export function shown(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "sequence";
  switch (typeof value) {
    case "boolean":
      return `boolean \`${value}\``;
    case "number":
    case "bigint":
      if (isInteger(value)) return `integer \`${value}\``;
      return `floating point \`${Math.abs(Number(value)) < 1e16 ? value : Number(value).toExponential()}\``;
    case "string":
      return `string ${JSON.stringify(value)}`;
    default:
      return "map";
  }
}

/** `a`, `a` or `b`, one of `a`, `b`, `c`. */
export function choices(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 3 ? quoted.join(" or ") : `one of ${quoted.join(", ")}`;
}
