/**
 * Loads of passes as they stand in files: flat rows with the five sums, forward-pass metrics with the sums inside, or a
 * list of either, one for each attention-data-parallel rank.
 *
 * @module
 */
import { nearName } from "../../errors.ts";
import type { PassLoad } from "./forward_pass_model.ts";

/** Names of the five sums of a pass. */
export const SUMS = [
  "num_prefill_requests",
  "sum_prefill_tokens",
  "sum_prefill_kv_tokens",
  "num_decode_requests",
  "sum_decode_kv_tokens",
] as const satisfies readonly (keyof PassLoad)[];

/** How uneven the decoding sequences of a pass are: counts with a calibration that knows what this costs. */
const DECODE_VARIANCE = "var_decode_kv_tokens";
/** Sums of forward-pass metrics that are no load. */
const WITHOUT_EFFECT = ["var_prefill_length", DECODE_VARIANCE];

/**
 * The loads of a row: one, or one a rank.
 *
 * @throws {TypeError} when the row is none of the forms, a sum is no whole number, or a name is not known.
 *
 * @example
 * ```ts
 * import { passLoads } from "dynosim";
 *
 * console.log(passLoads({ num_decode_requests: 2, sum_decode_kv_tokens: 300 }));
 * // [ { num_decode_requests: 2, sum_decode_kv_tokens: 300 } ]
 * ```
 */
export function passLoads(row: unknown): PassLoad[] {
  if (Array.isArray(row)) {
    if (row.length === 0) throw new TypeError("a list of ranks needs one rank at least");
    return row.map(oneLoad);
  }
  return [oneLoad(row)];
}

/**
 * Population variances of the lengths of decoding sequences, one a rank as in {@linkcode passLoads}; null where a rank
 * does not say it.
 *
 * @throws {TypeError} when one is no number, or negative
 */
export function decodeVariances(row: unknown): (number | null)[] {
  return (Array.isArray(row) ? row : [row]).map((rank) => {
    const variance = sumsOf(rank as Record<string, unknown>)[DECODE_VARIANCE] ?? null;
    if (variance === null || (typeof variance === "number" && variance >= 0 && variance < Infinity)) return variance;
    throw new TypeError(`${DECODE_VARIANCE} must be a number of at least 0; found ${JSON.stringify(variance)}`);
  });
}

/** The sums of forward-pass metrics, or of a flat row. */
function sumsOf(metrics: Record<string, unknown>): Record<string, unknown> {
  const nested = metrics.scheduled_requests;
  return (typeof nested === "object" && nested !== null ? nested : metrics) as Record<string, unknown>;
}

function oneLoad(row: unknown): PassLoad {
  if (typeof row !== "object" || row === null || Array.isArray(row)) {
    throw new TypeError(`expected an object with ${SUMS.join(", ")}; found ${JSON.stringify(row)}`);
  }
  const metrics = row as Record<string, unknown>;
  if ("version" in metrics && metrics.version !== 1) {
    throw new TypeError(`unsupported version ${JSON.stringify(metrics.version)} of forward-pass metrics; expected 1`);
  }
  const sums = sumsOf(metrics);
  const load: PassLoad = {};
  for (const [name, value] of Object.entries(sums)) {
    if ((SUMS as readonly string[]).includes(name)) load[name as keyof PassLoad] = wholeNumber(name, value);
    else if (/^(num|sum|var)_/.test(name) && !WITHOUT_EFFECT.includes(name)) {
      const near = nearName(name, SUMS);
      throw new TypeError(`unknown field ${name}${near ? `, did you mean ${near}?` : ""} (known: ${SUMS.join(", ")})`);
    }
  }
  if (Object.keys(load).length === 0) throw new TypeError(`none of ${SUMS.join(", ")} is given`);
  if (!load.num_prefill_requests && (load.sum_prefill_tokens || load.sum_prefill_kv_tokens)) {
    throw new TypeError("prefill tokens are given without num_prefill_requests");
  }
  if (!load.num_decode_requests && load.sum_decode_kv_tokens) {
    throw new TypeError("decode tokens are given without num_decode_requests");
  }
  return load;
}

function wholeNumber(name: string, value: unknown): number {
  if (Number.isInteger(value) && value as number >= 0 && value as number <= 0xffffffff) return value as number;
  throw new TypeError(`${name} must be a whole number from 0 to 4294967295; found ${JSON.stringify(value)}`);
}
