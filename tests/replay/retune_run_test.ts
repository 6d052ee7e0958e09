/**
 * Retune end to end: a recorded load, a real cluster, real sweeps.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { predict, type PredictOptions } from "../../lib/replay/predict.ts";
import type { Report } from "../../lib/report/report.ts";
import { replay } from "../../lib/replay/replay.ts";
import { runSyntheticTraceReplay, runTraceReplay } from "../../lib/replay/run_trace_replay.ts";
import { inFolder } from "../cli/support.ts";
import { writeDynamoTraces } from "../dynamo_rows.ts";

const SPLIT_MS = 300_000;
/** The chat fixture: its first five minutes, and the rest. */
const writeTraces = (folder: string, totalTimeMs?: number) =>
  writeDynamoTraces("fixtures/traces/chat.jsonl", folder, SPLIT_MS, totalTimeMs);

const ROUTER_ONLY = { enable_load_scaling: false, enable_throughput_scaling: false };
const RETUNE = {
  interval_seconds: 300,
  objective: "ttft",
  router: { overlap_score_credit: 1, prefill_load_scale: { choices: [0.5, 1] }, temperature: [0, 1] },
};
const SLA = { ttft_ms: 200, itl_ms: 20 };

interface RunOptions extends PredictOptions {
  planner?: Record<string, unknown> | null;
  replicas?: number;
  load?: Record<string, unknown>;
  trace: string;
}

async function run({ planner, replicas = 3, load, trace, ...options }: RunOptions): Promise<Report> {
  const document = {
    traffic: {
      source: { type: "trace", format: "dynamo", paths: [trace] },
      load: { type: "trace_timestamps", ...load },
    },
    engine: {
      model: "Qwen/Qwen3-32B",
      hardware: "h200_sxm",
      context_length: 40_960,
      workers: {
        aggregated: {
          parallelism: { replicas, tensor: 2 },
          kv_cache: { capacity: { type: "fixed", blocks: 4000 } },
          timing: { type: "polynomial" },
        },
      },
    },
    router: { policy: "kv_router", temperature: 1 },
    ...(planner === null ? {} : { planner: { policy: "enabled", ...planner } }),
    evaluation: { sla: SLA },
  };
  const { plan } = await loadPrediction(JSON.stringify(document), { name: "retune.yaml", stack: "dynamo" });
  return await predict(plan, options);
}

/** A report without what depends on the host. */
function steady(report: Report): unknown {
  const { summary, ...rest } = structuredClone(report);
  const events = rest.planner?.retune_events ?? [];
  for (const event of events) event.sweep_wall_s = 0;
  for (const key of ["wall_time_ms", "processed_tokens_per_s", "processed_output_tokens_per_s"]) {
    delete (summary as Record<string, unknown>)[key];
  }
  return { summary, ...rest };
}

test("retune decides at the guide's ticks, switches the routers there, and runs alike on any number of workers", () =>
  inFolder(async (folder) => {
    const { replayed: trace } = writeTraces(folder);
    const planner = { ...ROUTER_ONLY, retune: { ...RETUNE, decision_latency_seconds: 11 } };
    const report = await run({ trace, planner, mostParallel: 1 });
    const { retune_events: events, ticks, metadata, scaling_events } = report.planner!;
    assert.deepEqual(events!.map(({ decided_at_s }) => decided_at_s), [375, 675, 975]);
    assert.deepEqual(scaling_events, []);
    assert.equal((metadata.retune as { timeout_seconds: number }).timeout_seconds, 300);
    assert.equal(events![0].outcome, "applied");
    assert.equal(events![0].chosen!.router!.temperature, 0);
    assert.equal(events![0].candidates.length, 4);

    const around = ticks.filter(({ at_ms }) => Math.abs(at_ms - 375_000) <= 5000);
    const shown = around.map((tick) => [
      tick.router_policies!.decode!.revision,
      tick.router_policies!.decode!.parameters.temperature,
      tick.runtime_decision.router_parameters!.decode!.temperature,
    ]);
    assert.deepEqual(shown, [[0, 1, 1], [0, 1, 0], [1, 0, 0]]);
    assert.ok(ticks.every(({ at_ms }, i) => at_ms === 5000 * (i + 1)));

    const parallel = await run({ trace, planner, mostParallel: 2 });
    assert.deepEqual(steady(parallel), steady(report));
  }));

test("retune in advisory mode scores the first window alike and changes nothing", () =>
  inFolder(async (folder) => {
    const { replayed: trace } = writeTraces(folder);
    const planner = { ...ROUTER_ONLY, retune: RETUNE };
    const active = await run({ trace, planner, mostParallel: 1 });
    const advisory = await run({ trace, planner: { ...planner, advisory: true }, mostParallel: 1 });
    const baseline = await run({ trace, planner: null });
    const [first, second] = advisory.planner!.retune_events!;
    assert.deepEqual(first.candidates, active.planner!.retune_events![0].candidates);
    assert.equal(first.outcome, "advisory");
    assert.equal(second.current.router!.temperature, 1);
    assert.ok(advisory.planner!.ticks.every(({ runtime_decision }) => runtime_decision.router_parameters === null));
    assert.deepEqual(
      advisory.planner!.ticks.map(({ router_policies }) => router_policies!.decode!.revision).filter(Boolean),
      [],
    );
    assert.equal(advisory.summary.mean_ttft_ms, baseline.summary.mean_ttft_ms);
    assert.notEqual(active.summary.mean_ttft_ms, baseline.summary.mean_ttft_ms);
    assert.equal(baseline.planner, null);
  }));

for (const mostParallel of [1, 2]) {
  test(`retune gives up a sweep at its time limit and changes nothing (${mostParallel} at once)`, () =>
    inFolder(async (folder) => {
      const { replayed: trace } = writeTraces(folder);
      const retune = { ...RETUNE, timeout_seconds: 0.002 };
      const report = await run({ trace, planner: { ...ROUTER_ONLY, retune }, mostParallel });
      const { retune_events: events, ticks } = report.planner!;
      assert.deepEqual(events!.map(({ outcome }) => outcome), ["timeout", "timeout", "timeout"]);
      assert.deepEqual(events!.map(({ chosen }) => chosen), [null, null, null]);
      assert.ok(
        ticks.every(({ runtime_decision: { router_parameters } }) => router_parameters!.decode!.temperature === 1),
      );
    }));
}

test("retune excludes requests that were recorded as unfinished, and follows a speedup", () =>
  inFolder(async (folder) => {
    const requests = async (totalTimeMs?: number, load = {}) => {
      const { replayed: trace } = writeTraces(folder, totalTimeMs);
      const planner = { ...ROUTER_ONLY, retune: { ...RETUNE, grace_seconds: 0 } };
      const report = await run({ trace, planner, load, mostParallel: 1 });
      return report.planner!.retune_events!.map(({ window }) => window.num_requests);
    };
    const all = await requests(), finished = await requests(60_000), fast = await requests(undefined, { speedup: 2 });
    assert.equal(all.length, 3);
    assert.ok(finished.every((count, i) => count < all[i] && count > 0));
    assert.deepEqual(fast, [all[0] + all[1]]);
  }));

const JOINT = {
  target: "sla",
  enable_load_scaling: true,
  max_num_gpus: 8,
  throughput_adjustment_interval_seconds: 60,
};

test("retune searches router, Planner and load predictor together", () =>
  inFolder(async (folder) => {
    const { history, replayed: trace } = writeTraces(folder);
    const retune = {
      ...RETUNE,
      // The Planner's sensitivity moves the score of this trace by thousandths of a percent.
      min_improvement_percentage: 0,
      router: { ...RETUNE.router, prefill_load_scale: 1 },
      planner: "default",
    };
    const planner = { ...JOINT, load_predictor_warmup_trace: history, retune };
    const report = await run({ trace, planner, replicas: 2, mostParallel: 1 });
    const events = report.planner!.retune_events!;
    assert.equal(events.length, 3);
    assert.equal(Object.keys(events[0].predictor!.losses).length, 11);
    assert.equal((report.planner!.metadata.retune as { history_seconds: number }).history_seconds, 3000);
    for (const { candidates, current, predictor } of events) {
      const losses = Object.values(predictor!.losses).map((loss) => loss ?? Infinity);
      assert.equal(predictor!.losses[predictor!.winner!], Math.min(...losses));
      assert.deepEqual({ ...candidates[0], metrics: null }, { ...current, metrics: null });
      const grid = candidates.slice(1).map(({ planner }) => planner!.load_scaling_down_sensitivity);
      assert.deepEqual([...new Set(grid)].sort(), [70, 80, 90]);
      assert.equal(candidates.length, predictor!.winner!.startsWith(current.planner.load_predictor!) ? 6 : 7);
    }
    const [first] = events;
    assert.equal(first.outcome, "applied");
    assert.deepEqual(first.predictor_warmup, { observations: 11, start_s: -360, end_s: 300 });
    assert.notEqual(first.planner_changes.load_predictor, undefined);
    const again = await run({ trace, planner, replicas: 2, mostParallel: 1 });
    assert.deepEqual(steady(again), steady(report));
  }));

test("a candidate that changes no decision scores exactly the current point and is kept", () =>
  inFolder(async (folder) => {
    const { replayed: trace } = writeTraces(folder);
    const planner = { load_scaling_down_sensitivity: [80, 81, 79] };
    const retune = { ...RETUNE, objective: "goodput_per_gpu", router: null, planner };
    const report = await run({ trace, planner: { ...JOINT, max_num_gpus: 4, retune }, replicas: 2, mostParallel: 1 });
    for (const { outcome, candidates, current } of report.planner!.retune_events!) {
      assert.equal(outcome, "kept");
      assert.equal(candidates.length, 3);
      assert.ok(candidates.every(({ score }) => score === current.score && score! > 0));
    }
  }));

test("retune reads recorded history only with throughput scaling, and checks that it fits", () =>
  inFolder(async (folder) => {
    const { replayed: trace } = writeTraces(folder);
    const mooncake = "fixtures/traces/chat.jsonl";
    const joint = (load_predictor_warmup_trace: string) =>
      run({ trace, planner: { ...JOINT, load_predictor_warmup_trace, retune: RETUNE }, replicas: 2, mostParallel: 1 });
    await assert.rejects(joint(mooncake), { message: "retune history must be a Dynamo request trace" });
    await assert.rejects(joint(trace), {
      message: "retune history must end at or before the first replayed request",
    });
    const unread = { ...ROUTER_ONLY, load_predictor_warmup_trace: mooncake, retune: RETUNE };
    assert.equal((await run({ trace, planner: unread, mostParallel: 1 })).planner!.retune_events!.length, 3);
  }));

test("a Planner, and so retune, refuses requests of agents", () =>
  inFolder(async (folder) => {
    const { replayed: trace } = writeTraces(folder);
    const rows = readFileSync(trace, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    const withAgents = rows.map((row) =>
      JSON.stringify({ ...row, agent_context: { session_id: row.request.request_id } })
    );
    writeFileSync(trace, withAgents.join("\n"));
    await assert.rejects(run({ trace, planner: { ...ROUTER_ONLY, retune: RETUNE }, mostParallel: 1 }), {
      name: "TraceError",
      message: "scaling_policy replay does not support agentic Dynamo request traces",
    });
  }));

test("without retune the report lists no decisions", () =>
  inFolder(async (folder) => {
    const { replayed: trace } = writeTraces(folder);
    const report = await run({ trace, planner: { retune: null } });
    assert.equal(report.planner!.retune_events, null);
    assert.equal(report.planner!.metadata.retune, null);
    assert.ok(report.planner!.ticks.every((tick) => tick.router_policies === undefined));
  }));

test("a replay shorter than a window has an empty list of decisions", () =>
  inFolder(async (folder) => {
    const { replayed: trace } = writeTraces(folder);
    const retune = { ...RETUNE, interval_seconds: 1200 };
    const report = await run({ trace, planner: { ...ROUTER_ONLY, retune } });
    assert.deepEqual(report.planner!.retune_events, []);
  }));

const LAUNCH = { engine: { num_gpu_blocks: 4000, block_size: 64, max_model_len: 40_960 } };
const CALL = {
  traceFormat: "dynamo",
  numWorkers: 3,
  extraEngineArgs: LAUNCH,
  routerMode: "kv_router",
  routerConfig: { router_temperature: 1 },
  slaTtftMs: 200,
  slaItlMs: 20,
};
const plannerConfig = (retune: Record<string, unknown>, more = {}) => ({
  mode: "agg",
  ...ROUTER_ONLY,
  report_interval_hours: null,
  live_dashboard_port: 0,
  retune,
  ...more,
});

test("runTraceReplay takes retune inside a Planner configuration", () =>
  inFolder(async (folder) => {
    const { replayed } = writeTraces(folder);
    const retune = { ...RETUNE, sla_ttft_ms: 200, sla_itl_ms: 20, max_parallel: 1 };
    const { planner } = await runTraceReplay([replayed], { ...CALL, plannerConfig: plannerConfig(retune) });
    assert.deepEqual(planner!.retune_events!.map(({ decided_at_s }) => decided_at_s), [365, 665, 965]);
    const quiet = await runTraceReplay([replayed], {
      ...CALL,
      plannerConfig: plannerConfig(retune),
      capturePlannerDetails: false,
    });
    assert.equal(quiet.planner!.retune_events!.length, 3);
    assert.deepEqual(quiet.planner!.ticks, []);
    const unset = { ...RETUNE, max_parallel: 1 };
    const own = await runTraceReplay([replayed], {
      ...CALL,
      plannerConfig: plannerConfig(unset, { optimization_target: "sla", ttft_ms: 250, itl_ms: 30 }),
    });
    const { sla_ttft_ms, sla_itl_ms } = own.planner!.metadata.retune as Record<string, number>;
    assert.deepEqual([sla_ttft_ms, sla_itl_ms], [250, 30]);
  }));

test("replay functions refuse retune where it cannot run", () =>
  inFolder(async (folder) => {
    const { replayed } = writeTraces(folder);
    const call = (options: Record<string, unknown>, retune: Record<string, unknown> = RETUNE) =>
      runTraceReplay([replayed], { ...CALL, plannerConfig: plannerConfig(retune), ...options });
    await assert.rejects(call({ replayConcurrency: 4 }), /planner_config\.retune does not support replay_concurrency/);
    await assert.rejects(call({ maxSimTimeMs: 9 }), /planner_config\.retune does not support max_sim_time_ms/);
    const router = /planner_config\.retune\.router requires router_mode='kv_router' and a router configuration/;
    await assert.rejects(call({ routerMode: "round_robin", routerConfig: undefined }), router);
    await assert.rejects(call({ routerConfig: undefined }), router);
    await assert.rejects(call({}, { ...RETUNE, interval_seconds: 7 }), /multiple of load_adjustment_interval_seconds/);
    await assert.rejects(call({}, { ...RETUNE, foo: 1 }), {
      message: "planner_config.retune.foo: Extra inputs are not permitted",
    });
    await assert.rejects(
      runTraceReplay(["fixtures/traces/chat.jsonl"], {
        ...CALL,
        traceFormat: "mooncake",
        plannerConfig: plannerConfig(RETUNE),
      }),
      /planner_config\.retune requires trace_format='dynamo'/,
    );
    await assert.rejects(
      runSyntheticTraceReplay(100, 5, 10, {
        numWorkers: 2,
        routerMode: "kv_router",
        routerConfig: {},
        replayConcurrency: 2,
        plannerConfig: plannerConfig(RETUNE),
      }),
      /planner_config\.retune requires trace_format='dynamo'/,
    );
    const stream = replay((async function* () {})(), { planner: plannerConfig(RETUNE) });
    await assert.rejects(stream.report, /a retune needs a trace file/);
  }));
