import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { spaceLine } from "../../cli/search_texts.ts";
import "../without_user_cache.ts";
import { ConfigError } from "../../lib/errors.ts";
import { loadRecommendation } from "../../lib/recommend/load.ts";
import { recommend } from "../../lib/recommend/recommend.ts";
import { calibrationKey } from "../../lib/timing/calibration/key.ts";
import { inFolder } from "../cli/support.ts";
import { deploy } from "../../lib/timing/aic/operator_timing.ts";

const MODEL = "Qwen/Qwen3-32B";

/** A search in which one split into workers was measured: with tensor 2. */
const searchIn = (folder: string, set: string[] = []) => {
  const own = {
    ratio: 1.2,
    constant_ms: 0,
    curve: [],
    n: 100,
    seen: { decode_requests: [1, 8192], prefill_tokens: [1, 65536] },
  };
  const path = join(folder, "calibration.json");
  writeFileSync(
    path,
    JSON.stringify({
      format: "dynosim.calibration.v1",
      key: calibrationKey(MODEL, deploy({ model: MODEL, hardware: "h200_sxm", tensor: 2 })),
      level: "scale",
      phases: { prefill: own, decode: own, mixed: own },
      request_overhead_ms: 0,
      n: { passes: 100, requests: 0 },
      error: { before: {}, after: {} },
    }),
  );
  return loadRecommendation(
    `
traffic: {source: {type: synthetic, input_tokens: 900, output_tokens: 20}, load: {type: concurrency, concurrency: 8}, stop: {requests: 40}}
engine:
  mode: aggregated
  model: ${MODEL}
  hardware: h200_sxm
  backend: vllm
  context_length: 8192
  workers:
    aggregated:
      scheduler: {max_batched_tokens: 8192, max_sequences: 64}
      timing: {type: default, calibration: ${JSON.stringify(path)}}
optimization: {target: throughput_per_gpu, constraints: {max_candidate_gpus: 4}}
`,
    { set },
  );
};

test("recommend rules out what a calibration was not made for, before any replay, with the reason", () =>
  inFolder(async (folder) => {
    const { evaluated, open } = await recommend(searchIn(folder)).result, { ruledOut } = open.space;
    assert.deepEqual(evaluated.map(({ status }) => status), ["feasible", "feasible"]);
    for (const { trial: { candidate } } of evaluated) assert.equal(candidate.config.tp, 2);
    const reasons = ruledOut.filter(({ why }) => why === "data").map(({ reason }) => reason);
    assert.ok(reasons.some((reason) => /calibration is of another deployment: tensor 2, not 1 /.test(reason)));
    const count = ruledOut.reduce((sum, { combinations }) => sum + combinations, 0);
    assert.match(
      spaceLine(open),
      new RegExp(`\\(${count} shapes ruled out: ${count} are not what the calibration was fitted to\\)`),
    );
    const only = searchIn(folder, ["engine.workers.aggregated.parallelism={preset: false, tensor: {choices: [1, 4]}}"]);
    await assert.rejects(recommend(only).result, (problem) => {
      assert.ok(problem instanceof ConfigError);
      assert.match(problem.message, /no legal shape can be timed: .*calibration is of another deployment/);
      return true;
    });
  }));

test("loadRecommendation says that a forced calibration corrects what it was not fitted to", () =>
  inFolder((folder) => {
    const forced = searchIn(folder, ["engine.workers.aggregated.timing.calibration_forced=true"]);
    assert.ok(forced.warnings.some((warning) => /calibration of aggregated workers is forced/.test(warning)));
    assert.ok(!searchIn(folder).warnings.some((warning) => /forced/.test(warning)));
    return Promise.resolve();
  }));

test("recommend's random search lists what a calibration was not made for as failed, with the reason", () =>
  inFolder(async (folder) => {
    const { evaluated } = await recommend(searchIn(folder, ["optimizer={algorithm: random, max_trials: 6}"])).result;
    for (const { status, reason, trial: { candidate } } of evaluated) {
      if (candidate.config.tp === 2) assert.equal(status, "feasible");
      else {
        assert.equal(status, "failed");
        assert.match(reason!, /calibration is of another deployment/);
      }
    }
    assert.ok(evaluated.some(({ status }) => status === "failed"));
    assert.ok(evaluated.some(({ status }) => status === "feasible"));
  }));
