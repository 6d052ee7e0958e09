/** What users may rely on when a Planner scales a simulated cluster, on loads made for the purpose. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { explainRun } from "../../lib/report/story/run_story.ts";
import type { PlannerSection, WorkerTransition } from "../../lib/report/planner_section.ts";
import type { Report } from "../../lib/report/report.ts";
import { goldenPlanner } from "../planner/golden_planner.ts";
import { compareSummary } from "./compare.ts";
import { type Case, runCase } from "./replay_case.ts";

type Fields = Record<string, unknown>;

/** Requests at a constant rate: prompts of 512 tokens, 200 tokens out. */
function constantLoad(gapMs: number, minutes: number): Fields[] {
  const count = Math.floor((minutes * 60_000) / gapMs);
  return Array.from({ length: count }, (_, i) => ({
    timestamp: Math.round(i * gapMs),
    input_length: 512,
    output_length: 200,
    hash_ids: [i],
  }));
}

interface Scenario {
  trace: Fields[];
  planner: Fields | null;
  launch?: Fields;
  workers?: number;
}

async function replay({ trace, planner, launch = {}, workers = 2 }: Scenario): Promise<Report> {
  const options = { extra_engine_args: launch, num_workers: workers, sla_ttft_ms: 1500, sla_itl_ms: 50 };
  const policy = planner && goldenPlanner({ options, planner_config: { mode: "agg", ...planner } });
  const given: Case = { options, trace, expected: {}, extra_engine_args: launch };
  const { report, error } = await runCase(given, { planner: policy ?? undefined, capturePerRequest: false });
  assert.ok(report, error);
  return report;
}

const small = { engine: { num_gpu_blocks: 1024 } };
const section = (report: Report): PlannerSection => report.planner!;

function transitions(report: Report): (WorkerTransition & { at_ms: number; cause: string })[] {
  return section(report).lifecycle_operations.flatMap(({ at_ms, cause, transitions }) =>
    transitions.map((each) => ({ at_ms, cause, ...each }))
  );
}

test("a constant load just above the scale-down threshold does not flap for 30 minutes", async () => {
  const report = await replay({
    trace: constantLoad(37.6, 30),
    planner: { optimization_target: "throughput", max_gpu_budget: 6 },
    launch: small,
  });
  const { scaling_events, ticks } = section(report);
  assert.ok(scaling_events.length > 0);
  assert.deepEqual(scaling_events.filter(({ at_s }) => at_s > 60), []);
  const kvTokens = 1024 * 64;
  for (const { input } of ticks.filter(({ at_ms }) => at_ms > 120_000 && at_ms < 1_790_000)) {
    const used = input.fpm_observations!.decode!.map(({ metrics: { scheduled_requests: s, queued_requests: q } }) =>
      s.sum_decode_kv_tokens + q.sum_decode_kv_tokens + q.sum_prefill_tokens
    );
    // The lower threshold is 0.6 of the pool.
    const ratio = Math.max(...used) / kvTokens;
    assert.ok(ratio > 0.6 && ratio < 0.63, `${ratio}`);
  }
});

test("a constant load near the SLA's scale-down bound does not flap for 30 minutes", async () => {
  const report = await replay({
    trace: constantLoad(48, 30),
    planner: {
      optimization_target: "sla",
      enable_load_scaling: true,
      enable_throughput_scaling: false,
      ttft_ms: 400,
      itl_ms: 16,
      max_gpu_budget: 6,
      load_scaling_down_sensitivity: 60,
    },
    launch: { engine: { num_gpu_blocks: 4096 } },
  });
  assert.deepEqual(section(report).scaling_events, []);
  const refused = section(report).ticks.filter(({ effects }) =>
    effects.diagnostics.load_decision_reason === "scale_down_refused_consolidation"
  );
  assert.ok(refused.length > 300);
});

test("added workers become ready exactly after the start-up time, starting ones at once", async () => {
  for (const startup of [0, 30, 60, 120]) {
    const report = await replay({
      trace: constantLoad(36, 5),
      planner: { optimization_target: "throughput", max_gpu_budget: 4 },
      launch: { ...small, startup_time: startup },
    });
    const { scaling_events, ticks } = section(report);
    assert.deepEqual(ticks[0].topology.decode.active, [0, 1]);
    const all = transitions(report);
    const added = scaling_events.reduce((sum, { from_count, to_count }) => sum + Math.max(0, to_count - from_count), 0);
    assert.ok(added > 0, `startup ${startup}`);
    const first = all.filter(({ transition, prior_state }) => transition !== "worker_removed" && prior_state === null);
    assert.equal(first.length, added);
    const kind = startup === 0 ? "worker_ready" : "worker_starting";
    assert.ok(first.every(({ transition, cause }) => transition === kind && cause === "planner_scale"));
    if (startup === 0) continue;
    const started = new Map(first.map(({ worker_id, at_ms }) => [worker_id, at_ms]));
    const ready = all.filter(({ transition }) => transition === "worker_ready");
    assert.ok(ready.length > 0);
    for (const { worker_id, at_ms, cause } of ready) {
      assert.equal(cause, "worker_ready_event");
      assert.equal(at_ms, started.get(worker_id)! + startup * 1000);
    }
  }
});

test("a start-up longer than the trace ends normally, with the worker still starting", async () => {
  const trace = constantLoad(36, 2);
  const report = await replay({
    trace,
    planner: { optimization_target: "throughput", max_gpu_budget: 4 },
    launch: { ...small, startup_time: 3600 },
  });
  assert.equal(report.summary.completed_requests, trace.length);
  assert.ok(section(report).scaling_events.length > 0);
  assert.ok(transitions(report).every(({ transition }) => transition !== "worker_ready"));
  const last = section(report).ticks.at(-1)!;
  assert.equal(last.topology.decode.starting_count, 1);
  assert.equal(last.effects.diagnostics.load_decision_reason, "scaling_in_progress");
  const story = explainRun({ summary: { ...report.summary }, planner: report.planner });
  assert.ok(story.some(({ details }) => details.includes("worker 2: starting, not ready before the end")));
});

test("an SLA nobody can meet ends normally, at the budget, and says by how much it was missed", async () => {
  const trace = constantLoad(200, 3);
  const report = await replay({
    trace,
    planner: {
      optimization_target: "sla",
      enable_load_scaling: true,
      enable_throughput_scaling: false,
      ttft_ms: 0.5,
      itl_ms: 0.01,
      max_gpu_budget: 3,
    },
  });
  assert.equal(report.summary.completed_requests, trace.length);
  assert.deepEqual(section(report).scaling_events.map(({ to_count }) => to_count), [3]);
  const end = explainRun({ summary: { ...report.summary }, planner: report.planner }).at(-1)!;
  assert.match(end.details[0], /^p95 TTFT [\d.]+ ms: [\d.]+ ms over its bound of 0\.5 ms$/);
});

test("an advisory Planner leaves the run as it would be without one", async () => {
  const trace = constantLoad(36, 3);
  const planner = { optimization_target: "throughput", max_gpu_budget: 4 };
  const advised = await replay({ trace, planner: { ...planner, advisory: true }, launch: small });
  const alone = await replay({ trace, planner: null, launch: small });
  const scaled = await replay({ trace, planner, launch: small });
  // Ticks may change the order in which samples are summed, and nothing else.
  assert.deepEqual(compareSummary({ ...advised.summary }, { ...alone.summary }, { relative: 1e-12 }), []);
  assert.notEqual(scaled.summary.decode_worker_seconds, alone.summary.decode_worker_seconds);
  const { scaling_events, recommended_scaling_events, lifecycle_operations, ticks } = section(advised);
  assert.deepEqual([scaling_events, lifecycle_operations], [[], []]);
  // Up to the first recommendation both saw the same deployment.
  assert.deepEqual(recommended_scaling_events[0], section(scaled).scaling_events[0]);
  assert.ok(ticks.every(({ input: { worker_counts: c } }) => c.expected_num_decode === 2 && c.ready_num_decode === 2));
  assert.ok(ticks.every(({ runtime_decision: d }) => d.target_decode === null && d.router_parameters === null));
});

test("two runs of one configuration report the same", async () => {
  const scenario = {
    trace: constantLoad(40, 3),
    planner: { optimization_target: "sla", enable_load_scaling: true, itl_ms: 14, max_num_fpm_samples: 8 },
  };
  assert.deepEqual(await replay(scenario), await replay(scenario));
});
