/**
 * Domains of a retune: a scalar pins a value, `{choices: […]}` (or a list) and `{range: {min, max, step}}` are searched.
 *
 * @module
 */
import { isMapping } from "../collections/mapping.ts";
import { quoteList } from "./python_text.ts";
import { Problem } from "./schema_parts.ts";

const isFinite = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** Who owns a domain: how messages call it, which values it may hold. */
export interface DomainKind {
  /** `Router` or `Planner`, the first word of a message. */
  owner: "Router" | "Planner";
  /** Undefined for a good value, else the message. */
  check(value: unknown): string | undefined;
}

/** The values of a domain in the order tried, or what is wrong with it. */
export function readDomain(value: unknown, { owner, check }: DomainKind): number[] | Problem {
  if (Array.isArray(value)) return readChoices(value, owner, check);
  if (!isMapping(value)) {
    const wrong = check(value);
    return wrong === undefined ? [value as number] : new Problem(wrong);
  }
  const keys = Object.keys(value);
  if (keys.length !== 1 || (keys[0] !== "choices" && keys[0] !== "range")) {
    return new Problem(`Value error, ${owner} domains must contain exactly choices or range`);
  }
  if (keys[0] === "choices") return readChoices(value.choices, owner, check);
  return readRange(value.range, owner, check);
}

function readChoices(value: unknown, owner: string, check: DomainKind["check"]): number[] | Problem {
  if (!Array.isArray(value) || value.length === 0) {
    return new Problem(`Value error, ${owner} choices must be a nonempty list`);
  }
  for (const choice of value) {
    const wrong = check(choice);
    if (wrong !== undefined) return new Problem(wrong);
  }
  if (new Set(value).size < value.length) {
    return new Problem(`Value error, ${owner} choices must contain unique values`);
  }
  return value;
}

function readRange(value: unknown, owner: string, check: DomainKind["check"]): number[] | Problem {
  if (!isMapping(value)) return new Problem(`Value error, ${owner} range must be a mapping`);
  const surplus = Object.keys(value).filter((key) => !["min", "max", "step"].includes(key));
  if (surplus.length > 0) {
    return new Problem(`Value error, ${owner} range has unknown fields ${quoteList(surplus.toSorted())}`);
  }
  const { min, max, step } = value;
  if (min === undefined || max === undefined) return new Problem(`Value error, ${owner} range requires min and max`);
  if (!isFinite(min) || !isFinite(max) || min > max) {
    return new Problem(`Value error, ${owner} range requires finite numeric min <= max`);
  }
  if (!isFinite(step) || step <= 0) {
    return new Problem(
      owner === "Router"
        ? "Value error, Router numeric ranges require a stepped linear range"
        : "Value error, Planner independent numeric ranges require step",
    );
  }
  const wrong = check(min) ?? check(max);
  if (wrong !== undefined) return new Problem(wrong);
  const count = (max - min) / step;
  if (count > 10_000) return new Problem(`Value error, ${owner} range has more than 10,000 values`);
  const values = decimalRange(min, max, step);
  const odd = values.map(check).find((message) => message !== undefined);
  return odd === undefined ? values : new Problem(odd);
}

/** From `min` in steps of `step` while at most `max`, in decimal arithmetic: 0 … 1 by 0.1 gives 0.3, not 0.30000000000000004. */
export function decimalRange(min: number, max: number, step: number): number[] {
  const [low, high, by] = [min, max, step].map(toDecimal);
  const scale = Math.max(low.scale, high.scale, by.scale);
  const whole = ({ digits, scale: own }: Decimal) => digits * 10n ** BigInt(scale - own);
  const values: number[] = [];
  for (let at = whole(low); at <= whole(high); at += whole(by)) values.push(Number(`${at}e-${scale}`));
  return values;
}

interface Decimal {
  digits: bigint;
  scale: number;
}

/** The shortest decimal that reads back as `value`: digits × 10^-scale. */
function toDecimal(value: number): Decimal {
  const [mantissa, exponent = "0"] = String(value).split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}
