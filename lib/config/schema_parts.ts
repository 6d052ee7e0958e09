/**
 * Values of the file's schema: valibot schemas that say what is wrong in the reference's words.
 *
 * @module
 */
import { DATABASE_MODES } from "../timing/aic/database_mode.ts";
import { transferKinds } from "../timing/aic/transfer_policy.ts";
import * as v from "valibot";
import { nearName } from "../errors.ts";
import { quoteChoices } from "./python_text.ts";

/** A schema that reads `T` from anything. */
export type Reads<T> = v.GenericSchema<unknown, T>;

/** What is wrong with a value. `label` names the alternative that refused it (an element of the location, not of the path). */
export class Problem {
  constructor(readonly message: string, readonly hint?: string, readonly label?: string) {}
}

/** Marks the path items that only locations have (`traffic.source.trace`, `engine.context_length.literal['max']`). */
export const LABEL = "unknown";

/** Marks the hints among what valibot calls "expected", the only free text beside the message. */
export const HINT = "hint: ";

/** Marks the path items that only the place needs: the location stays at the section around them. */
export const INSIDE = "map";

/** The path item that has a label. */
export const labelItem = (label: string, input: unknown): v.IssuePathItem => ({
  type: LABEL,
  origin: "value",
  input,
  key: label,
  value: input,
});

/** `did you mean x?` */
export const didYouMean = (name: string): string => `did you mean \`${name}\`?`;

/** A schema from a function that returns what it read or what is wrong. */
export function reads<T>(read: (value: unknown) => T | Problem | Problem[]): Reads<T> {
  return v.pipe(
    v.unknown(),
    v.rawTransform<unknown, T>(({ dataset, addIssue, NEVER }) => {
      const result = read(dataset.value);
      const problems = result instanceof Problem ? [result] : result;
      if (!Array.isArray(problems) || !(problems[0] instanceof Problem)) return result as T;
      for (const { message, hint, label } of problems as Problem[]) {
        addIssue({
          message,
          ...(hint === undefined ? {} : { expected: HINT + hint }),
          ...(label === undefined ? {} : { path: [labelItem(label, dataset.value)] as any }),
        });
      }
      return NEVER;
    }),
  );
}

/** Bounds of a number, in the reference's names. */
export interface Bounds {
  gt?: number;
  ge?: number;
  lt?: number;
  le?: number;
}

function checkBounds(value: number, { gt, ge, lt, le }: Bounds): number | Problem {
  if (!Number.isFinite(value)) return new Problem("Input should be a finite number");
  if (gt !== undefined && !(value > gt)) return new Problem(`Input should be greater than ${gt}`);
  if (ge !== undefined && !(value >= ge)) return new Problem(`Input should be greater than or equal to ${ge}`);
  if (lt !== undefined && !(value < lt)) return new Problem(`Input should be less than ${lt}`);
  if (le !== undefined && !(value <= le)) return new Problem(`Input should be less than or equal to ${le}`);
  return value;
}

/** An integer, nothing converted (`1.0` is one: YAML and JavaScript do not tell them apart). */
export const strictInt = (bounds: Bounds = {}): Reads<number> =>
  reads((value) =>
    Number.isInteger(value) ? checkBounds(value as number, bounds) : new Problem("Input should be a valid integer")
  );

/** A finite number, nothing converted. */
export const strictNumber = (bounds: Bounds = {}): Reads<number> =>
  reads((value) =>
    typeof value === "number" ? checkBounds(value, bounds) : new Problem("Input should be a valid number")
  );

const NUMERIC_TEXT = /^\s*[+-]?(\d[\d_]*)?(\.\d*)?([eE][+-]?\d+)?\s*$/;

/** An integer; numeric text and booleans count. */
export const laxInt = (bounds: Bounds = {}): Reads<number> =>
  reads((value) => {
    if (typeof value === "boolean") return checkBounds(Number(value), bounds);
    if (typeof value === "string") {
      const text = /^\s*[+-]?\d[\d_]*(\.0*)?\s*$/.test(value) ? value.replaceAll("_", "") : "";
      if (text === "") {
        return new Problem("Input should be a valid integer, unable to parse string as an integer");
      }
      return checkBounds(Number(text), bounds);
    }
    if (typeof value !== "number") return new Problem("Input should be a valid integer");
    if (Number.isFinite(value) && !Number.isInteger(value)) {
      return new Problem("Input should be a valid integer, got a number with a fractional part");
    }
    return checkBounds(value, bounds);
  });

/** A finite number; numeric text and booleans count. */
export const laxNumber = (bounds: Bounds = {}): Reads<number> =>
  reads((value) => {
    if (typeof value === "boolean") return checkBounds(Number(value), bounds);
    if (typeof value === "string") {
      const text = value.replaceAll("_", "");
      if (!/\d/.test(text) || !NUMERIC_TEXT.test(text)) {
        return new Problem("Input should be a valid number, unable to parse string as a number");
      }
      return checkBounds(Number(text), bounds);
    }
    return typeof value === "number" ? checkBounds(value, bounds) : new Problem("Input should be a valid number");
  });

/** Words that mean true and false, as a YAML 1.1 reader and the reference take them. */
const BOOLEANS: Record<string, boolean> = {
  ...Object.fromEntries(["1", "on", "t", "true", "y", "yes"].map((word) => [word, true])),
  ...Object.fromEntries(["0", "off", "f", "false", "n", "no"].map((word) => [word, false])),
};

/** `true` or `false`; the usual words and 0/1 count. */
export const boolean = (): Reads<boolean> =>
  reads((value) => {
    if (typeof value === "boolean") return value;
    if (typeof value !== "string" && typeof value !== "number") return new Problem("Input should be a valid boolean");
    const word = String(value).toLowerCase();
    return Object.hasOwn(BOOLEANS, word)
      ? BOOLEANS[word]
      : new Problem("Input should be a valid boolean, unable to interpret input");
  });

/** Text. */
export const text = (check: (text: string) => string | Problem = (text) => text): Reads<string> =>
  reads((value) => {
    if (typeof value === "string") return check(value);
    const quoted = typeof value === "number" || typeof value === "boolean";
    return new Problem("Input should be a valid string", quoted ? `write it in quotes to make it text` : undefined);
  });

/** Text that is not empty. */
export const nonemptyText = (): Reads<string> =>
  text((text) => text === "" ? new Problem("Value error, value must be nonempty") : text);

/** One of a few names. `read` may change the spelling before it is compared. */
export const literal = <const N extends readonly string[]>(
  names: N,
  read: (value: unknown) => unknown = (value) => value,
): Reads<N[number]> =>
  reads((value) => {
    const given = read(value);
    if (names.includes(given as string)) return given as N[number];
    const near = typeof given === "string" ? nearName(given, names) : undefined;
    return new Problem(`Input should be ${quoteChoices(names)}`, near && didYouMean(near));
  });

/** A number or one word; both refusals are reported, as for any choice without a tag. */
export const orWord = <const W extends string>(
  word: W,
  schema: Reads<number>,
  label: string,
): Reads<number | W> =>
  reads((value) => {
    if (value === word) return word;
    const result = v.safeParse(schema, value);
    if (result.success) return result.output;
    return [
      new Problem(result.issues[0].message, undefined, label),
      new Problem(`Input should be ${quoteChoices([word])}`, undefined, `literal[${quoteChoices([word])}]`),
    ];
  });

/** Null (or absent) means not set. */
export const orNull = <T>(schema: Reads<T>) => v.nullish(schema, null);

/** Absent takes the default, null is refused. A section's default is `{}`, read like one written. */
export const withDefault = <T>(
  schema: Reads<T>,
  value: NoInfer<T> | Record<string, never>,
): v.OptionalSchema<Reads<T>, NonNullable<T>> =>
  v.optional(schema, value as any) as v.OptionalSchema<Reads<T>, NonNullable<T>>;

/** Null, absent or anything. */
export const anything = (): v.NullishSchema<Reads<unknown>, null> => v.nullish(v.unknown() as Reads<unknown>, null);

/** A value as YAML in a message, of long ones the beginning. */
export function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** How operators are estimated, in any case. */
export const databaseModeName = (): Reads<typeof DATABASE_MODES[number]> =>
  literal(DATABASE_MODES, (value) => typeof value === "string" ? value.toUpperCase() : value);

/** What estimates may borrow: a name or a list of names. */
export const transferPolicy = (): Reads<string | string[]> =>
  reads<string | string[]>((value) => {
    const names = Array.isArray(value) ? value : [value];
    if (!names.every((name) => typeof name === "string")) {
      return new Problem("Input should be a valid string or a list of strings");
    }
    try {
      transferKinds(value as string | string[]);
    } catch (problem) {
      return new Problem(`Value error, ${(problem as Error).message}`);
    }
    return value as string | string[];
  });
