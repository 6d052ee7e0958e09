/** What the Planner's tests share: goldens, the analytic pass times they were made with, comparisons. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { PassEstimator } from "../../lib/planner/model/pass.ts";
import { emptyPassRow } from "../../lib/planner/pass_row.ts";
import type { PassRow } from "../../lib/planner/policy.ts";

/** Parses a golden of the Planner. */
// deno-lint-ignore no-explicit-any
export function readGolden(name: string): any {
  return JSON.parse(readFileSync(new URL(`../../fixtures/goldens/planner/${name}`, import.meta.url), "utf8"));
}

/** Prefill 10 + 0.05 ms a token, decode 8 + 0.02 ms a sequence + 0.00001 ms a KV token, mixed passes the sum. */
export const analytic: PassEstimator = {
  estimateMs: ({ prefillTokens, decodeRequests, decodeKvTokens }) =>
    (prefillTokens > 0 ? 10 + 0.05 * prefillTokens : 0) +
    (decodeRequests > 0 ? 8 + 0.02 * decodeRequests + 0.00001 * decodeKvTokens : 0),
};

/** Equal up to a relative difference; null only equals null. */
export function near(got: number | null, wanted: number | null, tolerance: number, label = ""): void {
  if (got === null || wanted === null) return assert.equal(got, wanted, label);
  const bound = tolerance * Math.max(Math.abs(wanted), Math.abs(got));
  assert.ok(Math.abs(got - wanted) <= bound, `${label}: got ${got}, wanted ${wanted}`);
}

/** An idle row of worker 0 with what is given. */
export function passRow(given: Partial<PassRow> = {}): PassRow {
  return { ...emptyPassRow(0, 0, 0), ...given };
}

/** Hexadecimal digest of a text. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
