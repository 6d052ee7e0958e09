/** What attacks with odd values found after the list of faults: each kind with its right value. */
import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import {
  convert,
  fixed,
  loadPrediction,
  loadRecommendation,
  passDurationMs,
  polynomial,
  readRecommendation,
  recommend,
  replay,
  SimulationError,
  syntheticTraffic,
} from "../../mod.ts";
import { issueText } from "../../lib/io/issue_text.ts";
import { utcStamp } from "../../lib/report/planner_diagnostics.ts";
import { parseCalibration } from "../../lib/timing/calibration/profile.ts";
import { BASE } from "../config/support.ts";

const load = (...set: string[]) => loadPrediction(BASE, { set });
const AGGREGATED = "engine.workers.aggregated";

test("a pass that no double can follow ends the run with a sentence, not in the sketch", async () => {
  assert.equal(passDurationMs(1e12, 1), 1e12);
  for (const [ms, ratio] of [[1e13, 1], [Infinity, 1], [NaN, 1], [1, 1e-300]] as const) {
    assert.throws(() => passDurationMs(ms, ratio), { name: "SimulationError", message: /^a pass would last / });
  }
  const endless = { ...polynomial(), prefillMs: () => Infinity, decodeMs: () => 1 };
  const traffic = syntheticTraffic({ count: 2, inputTokens: 5, outputTokens: 3, concurrency: 1 });
  await assert.rejects(replay(traffic, { cluster: { timing: endless } }).report, SimulationError);
});

test("a run whose last passes take years still ends at once", async () => {
  const traffic = syntheticTraffic({ count: 3, inputTokens: 5, outputTokens: 3, concurrency: 3 });
  const slow = fixed({ prefillMs: 1e12, decodeMs: 1e12 });
  const { summary } = await replay(traffic, { cluster: { timing: slow } }).report;
  assert.equal(summary.completed_requests, 3);
  assert.equal(summary.duration_ms, 3e12);
});

test("sizes of a split and GPUs of a search have a limit that is named", async () => {
  for (const size of ["tensor", "pipeline", "attention_data", "moe_tensor", "moe_expert"]) {
    await assert.rejects(load(`${AGGREGATED}.parallelism.${size}=1e308`), /less than or equal to 65536/);
  }
  const search = (mode: string, gpus: number) =>
    loadRecommendation(`
traffic: {source: {type: synthetic}, load: {concurrency: 4}, stop: {requests: 8}}
engine: {mode: ${mode}, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, context_length: 8192, workers: {${
      mode === "aggregated" ? "aggregated: {}" : "prefill: {}, decode: {}"
    }}}
optimization: {target: throughput, constraints: {max_candidate_gpus: ${gpus}}}
`);
  assert.throws(() => search("aggregated", 1e9), /max_candidate_gpus[^]*less than or equal to 8192/);
  await assert.rejects(
    recommend(search("disaggregated", 8192)).open,
    /^ConfigError: optimization\.constraints\.max_candidate_gpus: up to 8192 GPUs make more than 200000 combinations/,
  );
});

test("a trace whose first time is beyond every date is refused with its line, and diagnostics of such a run are written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-"));
  const path = join(folder, "late.jsonl");
  writeFileSync(path, `{"timestamp": 1e16, "input_length": 5, "output_length": 2, "hash_ids": [1]}\n`);
  await assert.rejects(convert(path, join(folder, "out.jsonl"), { to: "mooncake" }), {
    name: "TraceError",
    message: /trace line 1: timestamp 10000000000000000 is beyond what a clock tells/,
  });
  assert.equal(utcStamp(1e16), "+275760-09-13T00:00:00Z");
});

test("a value of a megabyte is not quoted whole", () => {
  const { issues } = v.safeParse(v.object({ count: v.number() }), { count: "x".repeat(1_000_000) });
  assert.match(issueText(issues![0]), /^count: .*received "x{900,1000}…$/);
});

test("settings of the KV cache and the context that nothing uses are told", async () => {
  const bytes = await load(`${AGGREGATED}.kv_cache.bytes_per_token=1000`);
  assert.match(bytes.warnings.join("\n"), /kv_cache\.bytes_per_token has no effect: it turns a capacity in bytes/);
  const used = await load(
    `${AGGREGATED}.kv_cache={block_size: 64, bytes_per_token: 1000, capacity: {type: fixed, bytes: 64000000}}`,
  );
  assert.doesNotMatch(used.warnings.join("\n"), /bytes_per_token/);
  const context = await load("engine.context_length=9000", `${AGGREGATED}.context_length=8000`);
  assert.match(context.warnings.join("\n"), /engine\.context_length has no effect/);
  assert.doesNotMatch((await load("engine.context_length=9000")).warnings.join("\n"), /engine\.context_length/);
});

test("a field that a file lacks is called missing", async () => {
  assert.throws(() => parseCalibration({ format: "dynosim.calibration.v1" }), /: key: is missing \(and \d+ more\)$/);
  const file = join(mkdtempSync(join(tmpdir(), "dynosim-faults-")), "recommendation.json");
  writeFileSync(file, "{}");
  await assert.rejects(readRecommendation(file), /from .*recommendation\.json: \w+: is missing$/);
});
