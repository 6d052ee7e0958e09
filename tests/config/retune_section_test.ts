import assert from "node:assert/strict";
import { test } from "node:test";
import { decimalRange } from "../../lib/config/retune_domains.ts";
import { BASE, issuesOf, planOf, warningsOf } from "./support.ts";

const DYNAMO = "traffic={source: {type: trace, paths: [a.jsonl], format: dynamo}, load: {type: trace_timestamps}}";
const KV = ["router={policy: kv_router}", "engine.workers.aggregated.parallelism.replicas=3"];
const SLA = "evaluation={sla: {ttft_ms: 1500, itl_ms: 50}}";
const ONLY = { enable_load_scaling: false, enable_throughput_scaling: false };

const planner = (retune: unknown, section: Record<string, unknown> = ONLY) =>
  `planner=${JSON.stringify({ policy: "enabled", ...section, retune })}`;
const issues = async (retune: unknown, section?: Record<string, unknown>) =>
  (await issuesOf(BASE, [DYNAMO, ...KV, SLA, planner(retune, section)])).map((issue) =>
    issue.replace("Value error, ", "")
  );
const resolved = async (retune: unknown, section?: Record<string, unknown>, ...set: string[]) =>
  (await planOf(BASE, [DYNAMO, ...KV, SLA, planner(retune, section), ...set])).retune!;

test("retune resolves its defaults, filling the SLA from evaluation.sla", async () => {
  assert.deepEqual(await resolved({ router: { temperature: [0, 1] } }), {
    interval_seconds: 600,
    grace_seconds: 60,
    router: {
      overlap_score_credit: [0, 0.5, 1],
      prefill_load_scale: [0, 0.25, 0.5, 1, 2, 4, 8, 16, 32],
      temperature: [0, 1],
    },
    planner: null,
    objective: "goodput_per_gpu",
    sla_ttft_ms: 1500,
    sla_itl_ms: 50,
    min_improvement_percentage: 3,
    decision_latency_seconds: 0,
    decision_latency_scale: 1,
    timeout_seconds: 600,
    max_parallel: 4,
    history_seconds: 9000,
  });
  assert.equal((await resolved({ router: "default" }, ONLY, "evaluation={}")).sla_ttft_ms, 500);
  assert.deepEqual((await resolved({ router: "default" })).router!.temperature, [0, 0.2, 0.5, 1]);
  assert.equal((await planOf(BASE, [DYNAMO, SLA, planner(null, {})])).retune, null);
});

test("retune.planner default searches what the scaling modes use", async () => {
  const both = (await resolved({ planner: "default" }, { target: "sla", enable_load_scaling: true })).planner!;
  assert.deepEqual(both.load_scaling_down_sensitivity, [70, 80, 90]);
  assert.equal(both.load_predictor!.length, 11);
  const load = (await resolved({ planner: "default" }, {})).planner!;
  assert.deepEqual(load, { load_scaling_down_sensitivity: [70, 80, 90], load_predictor: null });
});

test("retune history follows the largest prophet window searched", async () => {
  const section = { target: "sla", throughput_adjustment_interval_seconds: 100 };
  const history = async (retune: unknown) => (await resolved(retune, section)).history_seconds;
  assert.equal(await history({ planner: "default" }), 5000);
  assert.equal(await history({ planner: { load_predictor: ["prophet_w20_raw", "arima_raw"] } }), 2000);
  assert.equal(await history({ planner: "default", history_seconds: 7 }), 7);
});

test("retune says what it requires of the rest of the document", async () => {
  const with_ = (...set: string[]) => issuesOf(BASE, [planner({ router: "default" }), ...set]);
  assert.deepEqual(await with_(), [
    "planner.retune: planner.retune requires traffic.source.type=trace with format=dynamo",
    "planner.retune.router: planner.retune.router requires router.policy=kv_router",
  ]);
  assert.deepEqual(await with_(DYNAMO, ...KV, "traffic.load={type: concurrency}"), [
    "planner.retune: planner.retune requires traffic.load.type=trace_timestamps",
  ]);
  assert.deepEqual(
    await with_(DYNAMO, ...KV, "traffic.load.agentic_lanes=1", "traffic.stop={max_virtual_time_seconds: 9}"),
    [
      "traffic.load.agentic_lanes: planner.retune does not support traffic.load.agentic_lanes",
      "traffic.stop.max_virtual_time_seconds: planner.retune does not support traffic.stop.max_virtual_time_seconds",
    ],
  );
});

test("retune fields are checked", async () => {
  assert.deepEqual(await issues({}), ["planner.retune: retune requires router or planner"]);
  assert.deepEqual(await issues({ router: "default", intervall: 1 }), [
    "planner.retune.intervall: Extra inputs are not permitted",
  ]);
  assert.deepEqual(await issues({ router: "default", interval_seconds: 7 }), [
    "planner.retune: retune.interval_seconds must be a multiple of load_adjustment_interval_seconds (5s), got 7",
  ]);
  assert.deepEqual(
    await issues({ router: "default", decision_latency_seconds: "measured", decision_latency_scale: 2 }),
    [
      "planner.retune: retune.timeout_seconds (600s) must be at most interval_seconds / decision_latency_scale (300s) " +
      "when decision_latency_seconds is measured",
    ],
  );
  assert.deepEqual(await issues({ router: "default", decision_latency_seconds: 601 }), [
    "planner.retune: retune.decision_latency_seconds must be at most interval_seconds",
  ]);
  assert.deepEqual(await issues({ planner: "default" }), [
    "planner.retune: retune.planner has nothing to search: both scaling modes are off",
  ]);
  assert.deepEqual(await issues({ router: "default", max_parallel: 0, grace_seconds: -1 }), [
    "planner.retune.grace_seconds: Input should be greater than or equal to 0",
    "planner.retune.max_parallel: Input should be greater than 0",
  ]);
});

test("retune refuses weights that a runtime update does not change", async () => {
  const why = "it also sets how the startup router counts cached tokens, which a runtime update does not change";
  const router = { host_cache_hit_weight: 1, disk_cache_hit_weight: [1], shared_cache_multiplier: 2 };
  assert.deepEqual(await issues({ router }), [
    `planner.retune.router.host_cache_hit_weight: retune.router.host_cache_hit_weight cannot be retuned: ${why}`,
    `planner.retune.router.disk_cache_hit_weight: retune.router.disk_cache_hit_weight cannot be retuned: ${why}`,
    "planner.retune.router.shared_cache_multiplier: retune.router.shared_cache_multiplier cannot be retuned: " +
    "replay reports no shared cache hits",
  ]);
});

test("retune domains are scalars, choices or ranges", async () => {
  const values = async (temperature: unknown) => (await resolved({ router: { temperature } })).router!.temperature;
  assert.deepEqual(await values(0.5), [0.5]);
  assert.deepEqual(await values({ choices: [1, 0] }), [1, 0]);
  assert.deepEqual(await values({ range: { min: 0, max: 0.3, step: 0.1 } }), [0, 0.1, 0.2, 0.3]);
  const problem = async (temperature: unknown) => (await issues({ router: { temperature } }))[0].replace(/^.*?: /, "");
  assert.equal(await problem({ choices: [] }), "Router choices must be a nonempty list");
  assert.equal(await problem({ choices: 1 }), "Router choices must be a nonempty list");
  assert.equal(await problem([1, 1]), "Router choices must contain unique values");
  assert.equal(await problem({ range: 1 }), "Router range must be a mapping");
  assert.equal(await problem({ range: { min: 0, max: 1, steps: 3 } }), "Router range has unknown fields ['steps']");
  assert.equal(await problem({ range: { min: 0 } }), "Router range requires min and max");
  assert.equal(await problem({ range: { min: 2, max: 1 } }), "Router range requires finite numeric min <= max");
  assert.equal(await problem({ range: { min: 0, max: 1 } }), "Router numeric ranges require a stepped linear range");
  assert.equal(await problem({ choices: [1], range: {} }), "Router domains must contain exactly choices or range");
  assert.equal(await problem(-1), "Input should be greater than or equal to 0");
  const sensitivity = async (load_scaling_down_sensitivity: unknown) =>
    (await issues({ planner: { load_scaling_down_sensitivity } }, {}))[0].replace(/^.*?: /, "");
  assert.equal(await sensitivity({ range: { min: 1, max: 3 } }), "Planner independent numeric ranges require step");
  assert.equal(await sensitivity([]), "Planner choices must be a nonempty list");
  assert.equal(await sensitivity(70.5), "Input should be a valid integer");
});

test("decimalRange counts in decimals", () => {
  assert.deepEqual(decimalRange(0, 1, 0.1), [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
  assert.deepEqual(decimalRange(1, 10, 4), [1, 5, 9]);
  assert.deepEqual(decimalRange(1e-7, 3e-7, 1e-7), [1e-7, 2e-7, 3e-7]);
  assert.deepEqual(decimalRange(1e21, 2e21, 1e21), [1e21, 2e21]);
});

test("retune says which options are in vain", async () => {
  const of = async (retune: Record<string, unknown>, section: Record<string, unknown> = ONLY) =>
    (await warningsOf(BASE, [DYNAMO, ...KV, SLA, planner({ router: "default", ...retune }, section)]))
      .filter((warning) => !warning.startsWith("engine."));
  assert.deepEqual(await of({}), []);
  assert.deepEqual(await of({ history_seconds: 60, decision_latency_scale: 2 }, { ...ONLY, min_workers: 2 }), [
    "planner.min_workers has no effect: both scaling modes are off, retune keeps the replicas",
    "planner.retune.history_seconds has no effect: throughput scaling is off, nothing reads history",
    "planner.retune.decision_latency_scale has no effect: decision_latency_seconds is not measured",
  ]);
  const measured = { decision_latency_seconds: "measured", decision_latency_scale: 2, timeout_seconds: 300 };
  assert.deepEqual(await of({ ...measured, history_seconds: 60 }, { target: "sla" }), []);
});
