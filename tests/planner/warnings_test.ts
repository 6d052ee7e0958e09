import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePlannerConfig } from "../../lib/planner/config.ts";
import { timingEstimator } from "../../lib/planner/model/timing_estimator.ts";
import { unreachableBounds } from "../../lib/planner/unreachable_bounds.ts";
import { type PlannedRun, plannerWarnings } from "../../lib/planner/warnings.ts";
import { polynomial } from "../../lib/timing/polynomial.ts";
import { analytic } from "./helpers.ts";

const engine = {
  gpus: 1,
  maxBatchedTokens: 8192,
  maxSequences: 256,
  contextTokens: null,
  maxKvTokens: 1 << 20,
  speculationDepth: null,
};
const agg = (replicas: number, gpus = 1): PlannedRun => ({
  engines: { prefill: null, decode: { ...engine, gpus } },
  replicas: { prefill: 0, decode: replicas },
});
const warnings = (given: Record<string, unknown>, run: PlannedRun = agg(1)) =>
  plannerWarnings(given, parsePlannerConfig({ mode: "agg", ...given }), run);

test("plannerWarnings is silent about a configuration that does what it says", () => {
  assert.deepEqual(warnings({ max_gpu_budget: 4 }), []);
  assert.deepEqual(
    warnings({ optimization_target: "sla", ttft_ms: 800, load_predictor: "kalman", kalman_r: 5, max_gpu_budget: 4 }),
    [],
  );
});

test("plannerWarnings tells when the starting replicas use up the budget", () => {
  assert.deepEqual(warnings({ max_gpu_budget: 2 }, agg(2)), [
    "max_gpu_budget (2) is used up by the starting replicas (2 GPUs): every scale-up will be held",
  ]);
  assert.deepEqual(warnings({ max_gpu_budget: 3 }, agg(1, 2)), [
    "max_gpu_budget (3) leaves no room for another replica beside the starting 2 GPUs",
  ]);
  assert.deepEqual(warnings({ max_gpu_budget: 3 }, agg(4)), [
    "the starting replicas take 4 GPUs and max_gpu_budget is 3: the first decision removes some",
  ]);
  assert.deepEqual(warnings({ max_gpu_budget: 3, min_endpoint: 4 }, agg(4)), [
    "the minimum replicas need 4 GPUs and max_gpu_budget is 3: the Planner will scale to 0",
  ]);
  assert.deepEqual(warnings({ max_gpu_budget: -1 }, agg(40)), []);
});

const silent: [given: Record<string, unknown>, warning: string][] = [
  [
    { enable_load_scaling: false },
    "enable_load_scaling has no effect: the target is throughput, which always scales on load only",
  ],
  [{ ttft_ms: 900 }, "ttft_ms has no effect: the target is throughput"],
  [{ load_predictor: "kalman" }, "load_predictor has no effect: throughput scaling is off"],
  [{ optimization_target: "sla", kalman_r: 2 }, "kalman_r has no effect: load_predictor is arima"],
  [
    { optimization_target: "sla", load_scaling_down_sensitivity: 70 },
    "load_scaling_down_sensitivity has no effect: load scaling is off",
  ],
  [{ decode_scale_up_kv_rate: 90 }, "decode_scale_up_kv_rate has no effect: the target is throughput"],
  [{ max_gpu_bugdet: 3 }, "max_gpu_bugdet is not a field of the Planner and is ignored; did you mean max_gpu_budget?"],
  [{ environment: "kubernetes" }, "environment: only a live deployment uses these; ignored in a replay"],
  [{ advisory: true }, "[ADVISORY] the Planner makes every decision and changes nothing"],
];
for (const [given, warning] of silent) {
  test(`plannerWarnings speaks about ${JSON.stringify(given)}`, () => assert.deepEqual(warnings(given), [warning]));
}

test("unreachableBounds names the bounds an idle engine misses, and by how much", () => {
  const question = {
    ttftMs: 100,
    itlMs: 5,
    inputTokens: 3000,
    outputTokens: 150,
    prefill: analytic,
    decode: analytic,
    maxBatchedTokens: 8192,
  };
  assert.deepEqual(unreachableBounds(question), [
    "ttft_ms 100 is out of reach: a prompt of 3000 tokens, nothing of it cached, takes an idle engine 160 ms",
    "itl_ms 5 is out of reach: a decode step of one sequence of 3075 tokens takes 8.051 ms",
  ]);
  assert.deepEqual(unreachableBounds({ ...question, ttftMs: 160, itlMs: 9 }), []);
});

test("timingEstimator adds the prefill and the decode part of a pass", () => {
  const timing = polynomial();
  const estimator = timingEstimator(timing, 1 << 20);
  const pass = {
    prefillRequests: 2,
    prefillTokens: 3001,
    prefillKvTokens: 100,
    decodeRequests: 4,
    decodeKvTokens: 9000,
  };
  const prefill = timing.prefillMs(2, 1500, 50), decode = timing.decodeMs(4, 9000, 1 << 20);
  assert.equal(estimator.estimateMs(pass), prefill + decode);
  assert.equal(estimator.estimateMs({ ...pass, prefillTokens: 0 }), decode);
  assert.equal(estimator.estimateMs({ ...pass, decodeRequests: 0 }), prefill);
});
