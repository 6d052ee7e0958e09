import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePlannerConfig } from "../../lib/planner/config.ts";
import { type Forecast, TrafficForecaster } from "../../lib/forecast/traffic_forecaster.ts";
import { RecordedPlanner } from "../../lib/report/planner_recorder.ts";
import type { RoleSnapshot, Snapshot, TrafficWindow } from "../../lib/planner/policy.ts";
import type { LifecycleOperation } from "../../lib/report/planner_section.ts";
import { passRow, sha256 } from "./helpers.ts";

const engine = {
  gpus: 1,
  maxBatchedTokens: 8192,
  maxSequences: 256,
  contextTokens: 32768,
  maxKvTokens: 100_000,
  speculationDepth: null,
};

function plannerOf(config: Record<string, unknown>, options: { captureDetails?: boolean } = {}): RecordedPlanner {
  const parsed = parsePlannerConfig({ mode: "agg", ...config });
  return new RecordedPlanner({
    config: parsed,
    engines: { prefill: parsed.mode === "agg" ? null : engine, decode: engine },
    sha256,
    ...options,
  });
}

const nobody: RoleSnapshot = { active: [], starting: [], draining: [], passes: [] };
const quiet: TrafficWindow = {
  durationS: 5,
  requests: 0,
  shapeCount: 0,
  meanInputTokens: 0,
  meanOutputTokens: 0,
  meanTtftMs: 0,
  ttftCount: 0,
  meanItlMs: 0,
  itlCount: 0,
  meanAcceptLength: null,
  acceptLengthForwards: 0,
  meanKvHitRate: 0,
  kvHitRateCount: 0,
};

/** A snapshot of an aggregated cluster: KV tokens in use per active worker. */
function agg(ordinal: number, kvTokens: number[], given: Partial<RoleSnapshot> = {}, traffic = quiet): Snapshot {
  const active = kvTokens.map((_, id) => id);
  const passes = kvTokens.map((tokens, workerId) =>
    passRow({ workerId, decodeRequests: tokens > 0 ? 1 : 0, decodeKvTokens: tokens, wallTimeS: 0.01 })
  );
  return {
    tickOrdinal: ordinal,
    nowMs: (ordinal + 1) * 5000,
    prefill: nobody,
    decode: { ...nobody, active, passes, ...given },
    traffic,
  };
}

test("Planner asks for a worker more when a rank's KV is full, and records the change", () => {
  const planner = plannerOf({});
  const decision = planner.onTick(agg(0, [120_000]));
  assert.deepEqual(decision, { targetPrefill: 0, targetDecode: 2, nextTickMs: 10_000 });
  assert.deepEqual(planner.recorder.section().scaling_events, [
    { at_s: 5, component: "agg", from_count: 1, to_count: 2, reason: "scale_up" },
  ]);
});

test("Planner waits while a worker is starting", () => {
  const planner = plannerOf({});
  planner.onTick(agg(0, [120_000]));
  const decision = planner.onTick(agg(1, [120_000], { starting: [1] }));
  assert.equal(decision.targetDecode, null);
  const { diagnostics } = planner.recorder.section().ticks[1].effects;
  assert.equal(diagnostics.load_decision_reason, "scaling_in_progress");
});

test("an advisory Planner changes nothing and lists each change of its recommendation", () => {
  const planner = plannerOf({ advisory: true });
  const full = [120_000], half = [80_000];
  const loads = [full, full, half, full, full];
  loads.forEach((load, ordinal) => {
    const decision = planner.onTick(agg(ordinal, load));
    assert.deepEqual([decision.targetPrefill, decision.targetDecode], [null, null]);
  });
  const { recommended_scaling_events, scaling_events, metadata, ticks } = planner.recorder.section();
  assert.deepEqual(scaling_events, []);
  assert.equal(metadata.advisory, true);
  const event = { component: "agg", from_count: 1, to_count: 2, reason: "scale_up" };
  // The hold at 15 s resets the recommendation, so it is listed again at 20 s.
  assert.deepEqual(recommended_scaling_events, [{ at_s: 5, ...event }, { at_s: 20, ...event }]);
  assert.deepEqual(ticks.map(({ effects }) => effects.scale_to?.num_decode ?? null), [2, 2, null, 2, 2]);
  assert.ok(ticks.every(({ input }) => !input.worker_counts.decode_scaling_in_progress));
});

test("a retune-only Planner ticks but neither scales nor repairs its budget", () => {
  const planner = plannerOf({
    enable_load_scaling: false,
    enable_throughput_scaling: false,
    retune: { router: "default" },
    max_gpu_budget: 1,
  });
  assert.equal(planner.initialTickMs(), 5000);
  const decision = planner.onTick(agg(0, [200_000, 200_000]));
  assert.deepEqual(decision, { targetPrefill: null, targetDecode: null, nextTickMs: 10_000 });
});

test("Planner asks for router knobs from the tick they are set, and records them", () => {
  const planner = plannerOf({});
  const knobs = { decode: { overlap_score_credit: 1, prefill_load_scale: 1, temperature: 0.2 } };
  assert.equal(planner.onTick(agg(0, [10])).routerKnobs, undefined);
  planner.setRouterKnobs(knobs);
  assert.deepEqual(planner.onTick(agg(1, [10])).routerKnobs, knobs);
  const { ticks } = planner.recorder.section();
  assert.deepEqual(ticks.map((tick) => tick.runtime_decision.router_parameters), [null, knobs]);
});

test("Planner takes a new load sensitivity at run time", () => {
  const planner = plannerOf({ optimization_target: "sla", enable_load_scaling: true });
  planner.retune({ load_scaling_down_sensitivity: 90 });
  assert.equal(planner.config.load_scaling_down_sensitivity, 90);
});

test("Planner with a new predictor has it learn the history and what was observed since", () => {
  const planner = plannerOf({
    optimization_target: "sla",
    throughput_adjustment_interval_seconds: 10,
    load_predictor: "constant",
  });
  const traffic = (requests: number) => ({
    ...quiet,
    requests,
    meanInputTokens: 100,
    meanOutputTokens: 10,
    shapeCount: 1,
  });
  const tick = (ordinal: number, requests: number) => planner.onTick(agg(ordinal, [10], {}, traffic(requests)));
  for (const [ordinal, requests] of [3, 3, 4, 4, 5, 5].entries()) tick(ordinal, requests);
  // Observed: 6 at 10 s, 8 at 20 s, 10 at 30 s. A trend that begins in the history and ends at 20 s goes on to 30 s.
  const intervals = [2, 4, 6, 8].map((requests) => ({ requests, inputTokens: 100, outputTokens: 10 }));
  planner.retune({ load_predictor: "kalman", kalman_min_points: 2 }, { intervals, endS: 20 });
  tick(6, 6);
  tick(7, 6);
  const forecast = planner.recorder.section().ticks.at(-1)!.effects.diagnostics.predicted_num_req!;
  const expected = new TrafficForecaster(planner.config, intervals);
  for (const requests of [10, 12]) {
    expected.observe({ ...traffic(requests), inputTokens: 100, outputTokens: 10, kvHitRate: 0 });
  }
  assert.equal(forecast, expected.forecast()!.requests);
  assert.ok(forecast > 12 && forecast < 16, String(forecast));
});

test("Planner records the routers' state only when it retunes", () => {
  const knobs = { overlap_score_credit: 1, prefill_load_scale: 1, temperature: 0 };
  const routers = { decode: { state: "active" as const, revision: 0, parameters: knobs } };
  const recorded = (config: Record<string, unknown>) => {
    const planner = plannerOf(config);
    planner.onTick({ ...agg(0, [10]), routers });
    return planner.recorder.section().ticks[0].router_policies;
  };
  assert.deepEqual(recorded({ retune: { router: "default" } }), routers);
  assert.equal(recorded({}), undefined);
});

/** A forecaster whose predictor broke. */
class Broken extends TrafficForecaster {
  override forecast(): Forecast | null {
    return null;
  }
}

test("after a failed prediction the throughput loop drains every tick until the next prediction", () => {
  const planner = plannerOf({
    optimization_target: "sla",
    throughput_adjustment_interval_seconds: 10,
    load_predictor: "constant",
  });
  const kept = new TrafficForecaster(planner.config);
  planner.replaceForecaster(new Broken(planner.config));
  for (let ordinal = 0; ordinal < 3; ordinal++) planner.onTick(agg(ordinal, [10]));
  planner.replaceForecaster(kept);
  for (let ordinal = 3; ordinal < 5; ordinal++) planner.onTick(agg(ordinal, [10]));
  const { ticks } = planner.recorder.section();
  assert.deepEqual(ticks.map(({ scheduled_tick }) => scheduled_tick.need_traffic_metrics), [
    false,
    true,
    true,
    true,
    false,
  ]);
  assert.deepEqual(ticks.map(({ scheduled_tick }) => scheduled_tick.run_throughput_scaling), [
    false,
    true,
    false,
    true,
    false,
  ]);
  assert.deepEqual(ticks.map(({ effects }) => effects.diagnostics.throughput_decision_reason), [
    null,
    "predict_failed",
    null,
    "no_change",
    null,
  ]);
});

test("without details the report keeps events, count and metadata only", () => {
  const planner = plannerOf({}, { captureDetails: false });
  planner.onTick(agg(0, [120_000]));
  const operation: LifecycleOperation = {
    operation_ordinal: 0,
    at_ms: 5000,
    pool: "agg",
    cause: "planner_scale",
    planner_tick_ordinal: 0,
    origin_operation_ordinal: null,
    transitions: [],
    state_after_batch: { active: [0], starting: [1], draining: [] },
    topology_released_request_uuids: [],
  };
  const section = planner.recorder.section([operation]);
  assert.deepEqual(plannerOf({}).recorder.section([operation]).lifecycle_operations, [operation]);
  assert.deepEqual([section.ticks, section.lifecycle_operations], [[], []]);
  assert.deepEqual([section.total_ticks, section.scaling_events.length], [1, 1]);
  assert.equal(section.metadata.details_captured, false);
});

test("the configuration's digest follows what decides and ignores what is only reported", () => {
  const digest = (config: Record<string, unknown>) =>
    plannerOf(config).recorder.section().metadata.planner_config_digest;
  assert.match(digest({}) ?? "", /^[0-9a-f]{64}$/);
  assert.equal(digest({ live_dashboard_port: 0 }), digest({}));
  assert.notEqual(digest({ max_gpu_budget: 4 }), digest({}));
});

test("Planner refuses modes a replay cannot have", () => {
  assert.throws(() => plannerOf({ mode: "decode" }), {
    message: "planner-in-the-loop replay supports mode='agg' or 'disagg', got 'decode'",
  });
});

test("whatever the load, targets stay within the budget and the minimum once the deployment is", () => {
  const load = fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.constantFrom("throughput", "latency"), fc.array(load, { maxLength: 12 }), (target, loads) => {
      const planner = plannerOf({ optimization_target: target, max_gpu_budget: 4, min_endpoint: 1 });
      loads.forEach((tokens, ordinal) => {
        const { targetDecode } = planner.onTick(agg(ordinal, tokens));
        if (targetDecode === null) return;
        assert.ok(targetDecode >= 1 && targetDecode <= 4);
        assert.equal(Math.abs(targetDecode - tokens.length), 1);
      });
    }),
  );
});
