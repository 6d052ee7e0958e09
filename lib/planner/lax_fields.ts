/**
 * Lenient field schemas in the manner of the Planner's own configuration: numbers may come as text, whole floats as
 * integers, booleans as 0, 1 or words; ranges and choices answer with the field's usual sentences.
 *
 * @module
 */
import * as v from "valibot";

/** A schema that takes anything and yields `T`. */
export type Field<T> = v.GenericSchema<unknown, T>;

/** Makes a schema from a function that converts or throws the sentence to report. */
function field<T>(convert: (input: unknown) => T): Field<T> {
  return v.pipe(
    v.unknown(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      try {
        return convert(dataset.value);
      } catch (problem) {
        addIssue({ message: String((problem as Error).message) });
        return NEVER;
      }
    }),
  );
}

function fail(message: string): never {
  throw new Error(message);
}

/** Bounds of a number; an absent one does not hold. */
export interface Bounds {
  above?: number;
  atLeast?: number;
  atMost?: number;
  /** Refuses infinity and NaN. Default false. */
  finite?: boolean;
}

function check(value: number, { above, atLeast, atMost, finite }: Bounds): number {
  if (finite && !Number.isFinite(value)) fail("Input should be a finite number");
  if (above !== undefined && !(value > above)) fail(`Input should be greater than ${above}`);
  if (atLeast !== undefined && !(value >= atLeast)) fail(`Input should be greater than or equal to ${atLeast}`);
  if (atMost !== undefined && !(value <= atMost)) fail(`Input should be less than or equal to ${atMost}`);
  return value;
}

/** A whole number. */
export function int(bounds: Bounds = {}): Field<number> {
  return field((input) => {
    if (typeof input === "boolean") return check(Number(input), bounds);
    if (typeof input === "string") {
      if (!/^\s*[+-]?\d+(_\d+)*(\.0+)?\s*$/.test(input)) {
        fail("Input should be a valid integer, unable to parse string as an integer");
      }
      return check(Number(input.replaceAll("_", "")), bounds);
    }
    if (typeof input !== "number") fail("Input should be a valid integer");
    if (!Number.isFinite(input)) fail("Input should be a finite number");
    if (!Number.isInteger(input)) fail("Input should be a valid integer, got a number with a fractional part");
    return check(input, bounds);
  });
}

/** Any number. */
export function float(bounds: Bounds = {}): Field<number> {
  return field((input) => {
    if (typeof input === "boolean") return check(Number(input), bounds);
    if (typeof input === "string") {
      const value = input.trim() === "" ? NaN : Number(input);
      if (Number.isNaN(value)) fail("Input should be a valid number, unable to parse string as a number");
      return check(value, bounds);
    }
    if (typeof input !== "number") fail("Input should be a valid number");
    return check(input, bounds);
  });
}

/** True or false, also as 0, 1 or one of the usual words. */
export function bool(): Field<boolean> {
  return field((input) => {
    if (typeof input === "boolean") return input;
    if (input === 0 || input === 1) return input === 1;
    if (typeof input === "string") {
      const word = input.toLowerCase();
      if (["true", "t", "yes", "y", "on", "1"].includes(word)) return true;
      if (["false", "f", "no", "n", "off", "0"].includes(word)) return false;
      fail("Input should be a valid boolean, unable to interpret input");
    }
    return fail("Input should be a valid boolean");
  });
}

/** Text. */
export function text(): Field<string> {
  return field((input) => typeof input === "string" ? input : fail("Input should be a valid string"));
}

/** One of the given words. */
export function choice<const T extends string>(words: readonly T[]): Field<T> {
  return field((input) =>
    words.find((word) => word === input) ?? fail(`Input should be ${listed(words.map((word) => `'${word}'`))}`)
  );
}

/** `a`, `a or b`, `a, b or c`. */
function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join() : `${items.slice(0, -1).join(", ")} or ${items[items.length - 1]}`;
}

/** The field or null; null by default. */
export function orNull<T>(schema: Field<T>): v.GenericSchema<unknown, T | null> {
  return v.nullish(schema, null) as v.GenericSchema<unknown, T | null>;
}

/** The field with a default for when it is absent (null is not absent). */
export function withDefault<T>(schema: Field<T>, value: T): v.GenericSchema<unknown, T> {
  return v.optional(schema, value) as v.GenericSchema<unknown, T>;
}
