import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BASE, DISAGGREGATED, issuesOf, planOf, warningsOf } from "./support.ts";

interface Golden {
  planner: Record<string, unknown>;
  mode: "aggregated" | "disaggregated";
  evaluation: Record<string, unknown>;
  result: { hook?: Record<string, unknown> | null; text?: string | [string[], string][] };
}

const GPUS = {
  aggregated: ["engine.workers.aggregated.parallelism={tensor: 2, attention_data: 2}"],
  disaggregated: [
    "engine.workers.prefill.parallelism={tensor: 2}",
    "engine.workers.decode.parallelism={tensor: 4, attention_data: 2}",
  ],
};

test("plannerConfig equals the reference's adapter on every golden section", async () => {
  const path = new URL("../../fixtures/goldens/planner/unit_section_adapter.json", import.meta.url);
  const { cases } = JSON.parse(readFileSync(path, "utf8")) as { cases: Golden[] };
  let compared = 0;
  for (const { planner, mode, evaluation, result } of cases) {
    if (planner.advisory !== undefined || planner.load_predictor_warmup_trace !== undefined) continue;
    const base = mode === "aggregated" ? BASE : DISAGGREGATED;
    const set = [...GPUS[mode], `planner=${JSON.stringify(planner)}`, `evaluation=${JSON.stringify(evaluation)}`];
    if (result.hook !== undefined) {
      const { backend, ...config } = (await planOf(base, set)).planner ?? { backend: "vllm" };
      assert.equal(backend, "vllm");
      assert.deepEqual(result.hook === null ? {} : config, result.hook ?? {}, JSON.stringify(planner));
    } else {
      const expected = typeof result.text === "string" ? result.text : result.text![0][1];
      const issues = await issuesOf(base, set);
      assert.equal(issues.length, 1);
      const message = issues[0].replace(/^[\w.]+: /, "");
      assert.equal(
        message.replace("Value error, ", ""),
        expected.replace("Value error, ", ""),
        JSON.stringify(planner),
      );
    }
    compared++;
  }
  assert.equal(compared, 16);
});

const planner = (section: Record<string, unknown>) => `planner=${JSON.stringify({ policy: "enabled", ...section })}`;
const SLA = "evaluation={sla: {ttft_ms: 1500, itl_ms: 50}}";

test("planner rules speak in the reference's words", async () => {
  const cases: [Record<string, unknown>, string][] = [
    [
      { target: "sla", enable_load_scaling: true, throughput_adjustment_interval_seconds: 5 },
      "planner: Value error, load_adjustment_interval_seconds (5s) must be shorter than " +
      "throughput_adjustment_interval_seconds (5s). Load-based scaling is the fast reactive loop; " +
      "throughput-based is the slow predictive loop.",
    ],
    [
      { fpm_sample_bucket_size: 15 },
      "planner: Value error, fpm_sample_bucket_size must be a perfect square, got 15",
    ],
    [
      { target: "sla", enable_throughput_scaling: false },
      "planner: Value error, At least one scaling mode must be enabled (enable_throughput_scaling or enable_load_scaling)",
    ],
    [{ max_num_gpus: -2 }, "planner.max_num_gpus: Input should be greater than or equal to -1"],
    [
      { max_num_gpus: 1.5 },
      "planner.max_num_gpus: Input should be a valid integer, got a number with a fractional part",
    ],
    [
      { max_num_gpus: "x" },
      "planner.max_num_gpus: Input should be a valid integer, unable to parse string as an integer",
    ],
    [
      { load_scaling_down_sensitivity: 101 },
      "planner.load_scaling_down_sensitivity: Input should be less than or equal to 100",
    ],
    [{ load_predictor: "arma" }, "planner.load_predictor: Input should be 'constant', 'arima', 'kalman' or 'prophet'"],
  ];
  for (const [section, issue] of cases) assert.deepEqual(await issuesOf(BASE, [planner(section), SLA]), [issue]);
});

test("planner refuses advisory without policy, and traces it cannot watch", async () => {
  assert.deepEqual(await issuesOf(BASE, ["planner={advisory: true}"]), [
    "planner: Value error, planner.advisory requires policy: enabled",
  ]);
  assert.deepEqual(await issuesOf(BASE, [planner({}), "traffic.source.format=mooncake-delta"]), [
    "planner.policy: dynamo.planner does not support trace format 'mooncake-delta'",
  ]);
});

test("planner takes numbers as text, advisory and a warm-up trace", async () => {
  const plan = await planOf(BASE, [
    planner({ max_num_gpus: "1_6", advisory: true, load_predictor_warmup_trace: "h.jsonl" }),
  ]);
  assert.deepEqual(
    [plan.planner!.max_gpu_budget, plan.planner!.advisory, plan.planner!.load_predictor_warmup_trace],
    [16, true, "h.jsonl"],
  );
});

test("planner warns about keys without effect", async () => {
  const warnings = (section: Record<string, unknown>, ...set: string[]) => warningsOf(BASE, [planner(section), ...set]);
  assert.deepEqual(await warnings({ enable_load_scaling: false, kalman_r: 3 }), [
    "planner.enable_load_scaling has no effect: target throughput scales on load only",
    "planner.kalman_r has no effect: throughput scaling is off",
  ]);
  assert.deepEqual(await warnings({ target: "sla", kalman_r: 3, enable_load_scaling: true }, SLA), [
    "engine.workers.aggregated.timing is polynomial: the Planner's performance model starts from the operator " +
    "database and disagrees with these workers until it has seen them run",
    "planner.kalman_r has no effect: load_predictor is arima",
  ]);
  assert.deepEqual(await warnings({ advisory: true }), [
    "[ADVISORY] the Planner makes every decision and changes nothing",
  ]);
});
