/** Descriptions of runs that come from a queue. */
import assert from "node:assert/strict";
import { test } from "node:test";
import "../without_user_cache.ts";
import { loadPrediction } from "../../lib/config/load.ts";
import { ConfigError } from "../../lib/errors.ts";
import { planSpec } from "../../lib/replay/predict.ts";
import { readReplaySpec, replaySpecText } from "../../lib/replay/read_spec.ts";
import { run } from "../../lib/replay/run.ts";
import { traceReplaySpec } from "../../lib/replay/run_trace_replay.ts";
import type { ReplaySpec } from "../../lib/replay/spec.ts";
import { readFileSync } from "node:fs";

const SPEC: ReplaySpec = {
  traffic: { type: "synthetic", count: 20, inputTokens: 200, outputTokens: 8, arrivalIntervalMs: 20 },
  roles: [{
    role: "aggregated",
    replicas: 2,
    launch: { engine: { num_gpu_blocks: 512, aic_mtp_seed: 2n ** 60n + 1n } },
  }],
  router: { policy: "kv_router", settings: { temperature: 0.5, seed: 7, queueThreshold: null } },
  autoscaler: { kind: "planner", config: { optimization_target: "load", max_gpu_budget: 4 }, written: null },
  sla: { ttftMs: 100, itlMs: null },
  maxVirtualMs: 60_000,
  cutoff: "soft",
  capture: { perRequest: true },
};

/** The issues of a spec that is changed in one place. */
function refused(change: (spec: any) => void): string[] {
  const spec: any = structuredClone(SPEC);
  change(spec);
  try {
    readReplaySpec(spec);
  } catch (problem) {
    assert.ok(problem instanceof ConfigError, String(problem));
    return problem.issues.map(({ path, message }) => `${path}: ${message}`);
  }
  return [];
}

test("readReplaySpec reads what replaySpecText writes, every digit of a seed", () => {
  assert.deepEqual(readReplaySpec(JSON.parse(replaySpecText(SPEC))), SPEC);
  assert.deepEqual(readReplaySpec(structuredClone(SPEC)), SPEC);
});

test("a prediction and a trace replay survive JSON, and run as before", async () => {
  const text = readFileSync("fixtures/configs/quickstart.yaml", "utf8");
  const { plan } = await loadPrediction(text, { name: "quickstart.yaml", stack: "dynamo" });
  for (const spec of [planSpec(plan), await traceReplaySpec(["fixtures/traces/chat.jsonl"], { numWorkers: 2 })]) {
    const read = readReplaySpec(JSON.parse(replaySpecText(spec)));
    const [one, two] = await Promise.all([spec, read].map((spec) => run(spec, { hostMs: () => 0 }).report));
    assert.deepEqual(two.summary, one.summary);
  }
});

test("readReplaySpec refuses unknown keys with the name that was meant", () => {
  assert.deepEqual(refused((spec) => spec.autoscalar = null), [
    ": unknown key 'autoscalar'; did you mean 'autoscaler'?",
  ]);
  assert.deepEqual(refused((spec) => spec.roles[0].replica = 2), [
    "roles[0]: unknown key 'replica'; did you mean 'replicas'?",
  ]);
  assert.deepEqual(refused((spec) => spec.router.settings.temprature = 1), [
    "router.settings: unknown key 'temprature'; did you mean 'temperature'?",
  ]);
  assert.deepEqual(refused((spec) => spec.traffic.output_tokens = 1), [
    "traffic: unknown key 'output_tokens'; did you mean 'outputTokens'?",
  ]);
  assert.match(refused((spec) => spec.capture.zzz = 1)[0], /^capture: unknown key 'zzz' \(known: perRequest, /);
});

test("readReplaySpec refuses what is missing or of another kind, all at once", () => {
  assert.deepEqual(
    refused((spec) => {
      delete spec.roles[0].launch;
      spec.roles[0].replicas = 1.5;
      spec.sla.ttftMs = "100";
      spec.traffic.count = 0;
    }).map((message) => message.replace(/:.*/, "")).toSorted(),
    ["roles[0].launch", "roles[0].replicas", "sla.ttftMs", "traffic.count"],
  );
  assert.deepEqual(refused((spec) => spec.roles = []), ["roles: expected one role, or prefill and decode"]);
  assert.deepEqual(refused((spec) => spec.maxVirtualMs = Infinity), ["maxVirtualMs: expected a finite number"]);
  for (const value of [null, 1, "spec", []]) assert.throws(() => readReplaySpec(value), ConfigError);
});

test("readReplaySpec refuses numbers that lost digits on their way", () => {
  assert.match(
    refused((spec) => spec.router.settings.seed = 2 ** 53)[0],
    /^router\.settings\.seed: .*9007199254740991/,
  );
  const [seed] = refused((spec) => spec.roles[0].launch.engine.aic_mtp_seed = 2 ** 60);
  assert.match(seed, /^roles\[0\]\.launch\.engine\.aic_mtp_seed: .*or its digits as text, found 1152921504606847000$/);
  assert.match(
    refused((spec) => spec.roles[0].launch.engine.aic_mtp_seed = "12e3")[0],
    /expected digits, found "12e3"/,
  );
});
