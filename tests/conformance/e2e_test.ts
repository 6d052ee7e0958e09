/** Whole predictions of the newest release: a document in, the summary and every tick of the Planner out. */
import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { loadPrediction } from "../../lib/config/load.ts";
import type { Report } from "../../lib/report/report.ts";
import { predict } from "../../lib/replay/predict.ts";

// deno-lint-ignore no-explicit-any
type Golden = any;

const folder = new URL("../../fixtures/goldens/e2e/", import.meta.url);
const goldens: Golden[] = gunzipSync(readFileSync(new URL("predictions.jsonl.gz", folder))).toString().trim()
  .split("\n").map((line) => JSON.parse(line));
const traces = fileURLToPath(new URL("traces/", folder));

/** What the release refuses and we run, because the guides promise it or it is ours. */
const OURS = ["p-advisory", "r-least"];
const WALL_CLOCK = /wall_time|^processed_/;
const SKETCHED = /^(median|p\d+)_/;
/** Forecasts come from other optimisers, estimates from samples whose order the reference leaves to a hash. */
const ESTIMATED = /^(predicted|estimated|engine_rps)_/;

/** Runs a golden's document; a cutoff ends everything, as it does in the release. */
async function predicted(golden: Golden): Promise<Report> {
  const text = golden.config.replaceAll("traces/", traces);
  const { plan } = await loadPrediction(text, { stack: golden.args.includes("dynamo") ? "dynamo" : "engine" });
  return await predict({ ...plan, traffic: { ...plan.traffic, cutoff: "hard" } });
}

/** Every place where a value is not what is wanted; only keys that are wanted are looked at. */
function* differences(got: unknown, wanted: unknown, path: string, key = ""): Generator<string> {
  if (WALL_CLOCK.test(key)) return;
  if (typeof wanted === "number" && typeof got === "number") {
    const relative = ESTIMATED.test(key) ? 1e-3 : SKETCHED.test(key) ? 1e-3 : 1e-9;
    if (Math.abs(got - wanted) <= Math.max(relative * Math.max(Math.abs(got), Math.abs(wanted)), 1e-12)) return;
  } else if (wanted !== null && typeof wanted === "object" && got !== null && typeof got === "object") {
    if (Array.isArray(wanted)) {
      const { length } = got as unknown[];
      if (length !== wanted.length) yield `${path}: ${length} entries, wanted ${wanted.length}`;
    }
    for (const [name, value] of Object.entries(wanted)) {
      yield* differences((got as Record<string, unknown>)[name], value, `${path}.${name}`, name);
    }
    return;
  } else if (got === wanted) return;
  yield `${path}: got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`;
}

const RANDOM = ["num_requests", "completed_requests", "total_input_tokens", "total_output_tokens"];

for (const golden of goldens) {
  if (golden.exit_code !== 0) continue;
  test(`predict gives what e2e/${golden.name} records`, async () => {
    const { summary, planner } = JSON.parse(JSON.stringify({ ...await predicted(golden), per_request: null }));
    if (golden.exact === false && golden.name !== "p-sla-prophet") {
      for (const key of RANDOM) assert.equal(summary[key], golden.summary[key], key);
      return;
    }
    assert.deepEqual([...differences(summary, golden.summary, "summary")].slice(0, 10), []);
    if (golden.planner === null || golden.planner === undefined) return;
    // The identity of a configuration is its implementation's own.
    const { metadata: { planner_config_digest: _, ...metadata }, ticks, ...section } = golden.planner;
    const told = planner.ticks.map(({ at_ms, input, effects }: Golden) => ({
      at_ms,
      worker_counts: input.worker_counts,
      ...effects,
    }));
    const found = [
      ...differences(planner.metadata, metadata, "metadata"),
      ...differences(planner, section, "planner"),
      ...differences(told, ticks, "ticks"),
    ];
    assert.deepEqual(found.slice(0, 10), []);
  });
}

const REFUSALS: Record<string, RegExp> = {
  "c-nofit": /^no KV budget: non-KV memory \(715861983232 bytes\) meets\/exceeds the KV-cache memory limit/,
  "e-quantmodes": /runner does not support engine model controls \['gemm_quant_mode'\]; use --stack engine/,
  "f-missing-timestamp": /^trace mode requires first_arrival_timestamp_ms for session request_1/,
  "l-cachedprefix": /runner does not support cached_prefix_tokens; use --stack engine/,
};

for (const golden of goldens) {
  if (golden.exit_code === 0 || OURS.includes(golden.name)) continue;
  test(`predict refuses what e2e/${golden.name} refuses, in its words`, async () => {
    await assert.rejects(predicted(golden), { message: REFUSALS[golden.name] });
  });
}

test("predict runs what only the guides and we promise", async () => {
  for (const name of OURS) {
    const { summary } = await predicted(goldens.find((golden) => golden.name === name));
    assert.equal(summary.completed_requests, summary.num_requests, name);
  }
});
