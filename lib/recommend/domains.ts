/**
 * Domains: what a field of a search may be. A value pins it, `{choices: […]}` lists values, `{range: {min, max, step,
 * scale}}` spans them. A mistake is told for the form that was written, not for every form there is.
 *
 * @module
 */
import { isMapping } from "../collections/mapping.ts";
import * as v from "valibot";
import { type Bounds, literal, type Reads, strictInt, strictNumber } from "../config/schema_parts.ts";
import { section } from "../config/schema_sections.ts";

/** What a field may be. */
export type Domain<T = number> =
  | { kind: "choices"; values: readonly T[]; pinned: boolean }
  /** Whole numbers, drawn log-uniformly. */
  | { kind: "integers"; min: number; max: number }
  /** Any number between the two, drawn uniformly or log-uniformly. */
  | { kind: "continuous"; min: number; max: number; log: boolean };

/** A field that is one value. */
export const pinned = <T>(value: T): Domain<T> => ({ kind: "choices", values: [value], pinned: true });

/** A field that is one of several values. */
export const listed = <T>(values: readonly T[]): Domain<T> => ({ kind: "choices", values, pinned: false });

/** Smallest value of a domain of numbers. */
export const least = (domain: Domain): number => domain.kind === "choices" ? Math.min(...domain.values) : domain.min;

/** Largest value of a domain of numbers. */
export const largest = (domain: Domain): number => domain.kind === "choices" ? Math.max(...domain.values) : domain.max;

/** A value that stands for the whole domain where a plain document is needed. */
export const representative = <T>(domain: Domain<T>): T =>
  domain.kind === "choices" ? domain.values[0] : domain.min as T;

/** Whether a value belongs to a domain. */
export const contains = (domain: Domain, value: number): boolean =>
  domain.kind === "choices" ? domain.values.includes(value) : value >= domain.min && value <= domain.max;

/** Stepped ranges with more values than this are refused; a search never gets through them. */
const MOST_VALUES = 100_000;

/** `{choices: […]}` of values that `item` reads. */
const choices = <T>(item: Reads<T>): Reads<Domain<T>> =>
  v.pipe(
    section("Choices", {
      choices: v.pipe(
        v.array(item, "Input should be a valid list"),
        v.rawCheck(({ dataset, addIssue }) => {
          if (!dataset.typed) return;
          const { value } = dataset;
          if (value.length === 0) addIssue({ message: "Value error, choices must be a nonempty list" });
          if (new Set(value.map((one) => JSON.stringify(one))).size < value.length) {
            addIssue({ message: "Value error, choices must contain unique values" });
          }
        }),
      ) as unknown as Reads<T[]>,
    }),
    v.transform(({ choices }) => listed(choices as T[])),
  ) as unknown as Reads<Domain<T>>;

interface Span {
  min: number;
  max: number;
  step: number | undefined;
  scale: "linear" | "log";
}

const span = (number: (bounds?: Bounds) => Reads<number>, rule: (span: Span) => string | undefined) =>
  section("Range", {
    range: section("RangeBounds", {
      min: number(),
      max: number(),
      step: v.optional(number({ gt: 0 })),
      scale: v.optional(literal(["linear", "log"]), "linear"),
    }, [
      (bounds) => bounds.min > bounds.max ? "range requires min <= max" : undefined,
      (bounds) => rule(bounds as Span),
      ({ min, max, step }) =>
        step !== undefined && (max - min) / step >= MOST_VALUES
          ? `range has more than ${MOST_VALUES} values; use a larger step`
          : undefined,
    ]),
  });

const integers: Reads<Domain> = v.pipe(
  span(strictInt, ({ min, step, scale }) => {
    if (scale === "linear") return step === undefined ? "integer linear range requires step" : undefined;
    if (step !== undefined) return "integer log range rejects step";
    return min > 0 ? undefined : "integer log range requires min > 0";
  }),
  v.transform(({ range: { min, max, step, scale } }): Domain => {
    if (min === max) return listed([min]);
    return scale === "log" ? { kind: "integers", min, max } : listed(steps(min, max, step!));
  }),
) as unknown as Reads<Domain>;

const numbers: Reads<Domain> = v.pipe(
  span(strictNumber, ({ min, step, scale }) => {
    if (scale === "linear") return undefined;
    if (step !== undefined) return "log range rejects step";
    return min > 0 ? undefined : "log range requires min > 0";
  }),
  v.transform(({ range: { min, max, step, scale } }): Domain => {
    if (step !== undefined) return listed(steps(min, max, step));
    return { kind: "continuous", min, max, log: scale === "log" };
  }),
) as unknown as Reads<Domain>;

/** From `min` in steps while at most `max`, added one by one as the reference's core does. */
function steps(min: number, max: number, step: number): number[] {
  const values: number[] = [];
  for (let at = min; at <= max; at += step) values.push(at);
  return values;
}

/** Says that a range leaves its field's bounds; `undefined` when it does not. */
type RangeRule = (min: number, max: number) => string | undefined;

const withinBounds = (plain: Reads<number>, message: string | undefined): RangeRule => (min, max) => {
  const problem = [min, max].map((end) => v.safeParse(plain, end)).find(({ success }) => !success);
  return problem === undefined ? undefined : message ?? `range: ${problem.issues![0].message}`;
};

const checked = (range: Reads<Domain>, rule: RangeRule): Reads<Domain> =>
  v.pipe(
    range,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const broken = rule(least(dataset.value), largest(dataset.value));
      if (broken !== undefined) addIssue({ message: `Value error, ${broken}` });
    }),
  ) as unknown as Reads<Domain>;

const domainOf = <T>(plain: Reads<T>, range?: Reads<Domain>): Reads<Domain<T>> =>
  v.lazy((value) => {
    if (isMapping(value)) {
      if (range !== undefined && Object.hasOwn(value, "range")) return range as unknown as Reads<Domain<T>>;
      return choices(plain);
    }
    return v.pipe(plain, v.transform((one) => pinned(one as T))) as unknown as Reads<Domain<T>>;
  });

/**
 * A whole number within bounds, choices of them, or a range.
 *
 * @param outside what is said of a range that leaves the bounds
 */
export const intDomain = (bounds: Bounds = {}, outside?: string): Reads<Domain> =>
  domainOf(strictInt(bounds), checked(integers, withinBounds(strictInt(bounds), outside)));

/** The same for numbers. */
export const numberDomain = (bounds: Bounds = {}, outside?: string): Reads<Domain> =>
  domainOf(strictNumber(bounds), checked(numbers, withinBounds(strictNumber(bounds), outside)));

/** One of a few words, or choices of them. */
export const wordDomain = <const N extends readonly string[]>(names: N): Reads<Domain<N[number]>> =>
  domainOf(literal(names));

/** Anything that `plain` reads, or choices of it. */
export const choicesDomain = <T>(plain: Reads<T>): Reads<Domain<T>> => domainOf(plain);
