import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRuns } from "../../lib/analysis/compare_runs.ts";
import { lifecycleTable, retuneTable, scalingEventsTable, ticksTable } from "../../lib/analysis/planner_tables.ts";
import { gpuHoursByPhase, replicasOverTime } from "../../lib/analysis/replicas.ts";
import { traceTable } from "../../lib/analysis/trace_table.ts";
import type { PlannerSection, RetuneEvent } from "../../lib/report/planner_section.ts";
import { goldenOf, goldens, plannerReport, reportOf } from "../report/golden_reports.ts";

type Row = Record<string, unknown>;
const rowsOf = (table: { objects(): object[] }) => table.objects() as Row[];

test("ticksTable tells loops, traffic, replicas, target and reason of every tick", () => {
  const rows = rowsOf(ticksTable(plannerReport("agg_sla_throughput_constant_boot")));
  assert.equal(rows.length, plannerReport("agg_sla_throughput_constant_boot").planner!.total_ticks);
  assert.deepEqual(
    [rows[0].at_ms, rows[0].run_load_scaling, rows[0].run_throughput_scaling, rows[0].num_req, rows[0].decode_active],
    [5000, true, false, null, 1],
  );
  const throughput = rows.find((row) => row.run_throughput_scaling)!;
  assert.equal(throughput.at_ms, 60_000);
  assert.equal(throughput.requests_per_s, (throughput.num_req as number) / 60);
  assert.match(throughput.reason as string, /^load: \w+; throughput: \w+$/);
  const first = rowsOf(ticksTable(plannerReport("disagg_load_x8")))[0];
  assert.deepEqual([first.prefill_target, first.decode_target], [3, 1]);
  assert.equal(first.reason, "load prefill: scale_up; load decode: scale_down");
});

test("scalingEventsTable lists events and marks recommendations", () => {
  const report = plannerReport("agg_load_x4");
  const rows = rowsOf(scalingEventsTable(report));
  assert.deepEqual(rows[0], {
    at_s: 5,
    component: "agg",
    from_count: 1,
    to_count: 2,
    reason: "scale_up",
    recommended: false,
  });
  const planner: PlannerSection = {
    ...report.planner!,
    scaling_events: [],
    recommended_scaling_events: report.planner!.scaling_events,
  };
  assert.equal(rowsOf(scalingEventsTable({ planner }))[0].recommended, true);
  assert.equal(scalingEventsTable({ planner: null }).numRows(), 0);
});

test("lifecycleTable has a row a transition", () => {
  const golden = goldenOf("24_");
  const planner = { lifecycle_operations: golden.expected.lifecycle } as PlannerSection;
  const rows = rowsOf(lifecycleTable({ planner }));
  assert.deepEqual(
    rows.map(({ at_ms, worker_id, transition }) => `${at_ms} ${worker_id} ${transition}`),
    [
      "5 1 worker_starting",
      "5 2 worker_starting",
      "15 2 worker_removed",
      "35 1 worker_ready",
      "50 1 worker_draining",
      "57 1 worker_removed",
    ],
  );
  assert.deepEqual([rows[2].reason, rows[2].prior_state], ["startup_cancelled", "starting"]);
});

test("retuneTable has a row a decision", () => {
  const event: RetuneEvent = {
    window: { index: 0, start_s: 0, end_s: 600, num_requests: 4100 },
    launched_at_s: 660,
    decided_at_s: 665,
    sweep_wall_s: 11,
    decision_latency_s: 0,
    outcome: "applied",
    reason: null,
    objective: "goodput",
    current: { router: { overlap_score_credit: 1, prefill_load_scale: 1, temperature: 1 }, planner: {}, score: 100 },
    chosen: {
      router: { overlap_score_credit: 1, prefill_load_scale: 2, temperature: 0.2 },
      planner: null,
      score: 120,
    },
    improvement_percentage: 20,
    planner_changes: {},
    predictor_warmup: null,
    predictor: null,
    candidates: [],
  };
  const rows = rowsOf(retuneTable({ planner: { retune_events: [event] } as unknown as PlannerSection }));
  assert.deepEqual(
    [rows[0].window, rows[0].decided_at_s, rows[0].chosen_score, rows[0].chosen_router, rows[0].planner_changes],
    [0, 665, 120, "overlap_score_credit=1 prefill_load_scale=2 temperature=0.2", null],
  );
});

// Goldens of the scaled pools: worker-seconds must come out of the steps.
for (const [name, golden] of goldens.filter(([name]) => /^2[1-6]_/.test(name))) {
  test(`gpuHoursByPhase of ${name} adds up to the summary`, () => {
    const disaggregated = golden.prefill_engine_args !== undefined;
    const initial = (ids: number) => Array.from({ length: ids }, (_, id) => id);
    const topology = (role: string) => {
      const active = initial(golden.options[`num_${role}workers`] ?? (disaggregated || role === "" ? 1 : 0));
      return { active, active_count: active.length, starting: [], starting_count: 0, draining: [], draining_count: 0 };
    };
    const tick = { topology: { prefill: topology("prefill_"), decode: topology(disaggregated ? "decode_" : "") } };
    const planner = { ticks: [tick], lifecycle_operations: golden.expected.lifecycle, scaling_events: [] };
    const { summary } = reportOf(golden);
    const rows = rowsOf(gpuHoursByPhase({ summary, planner: planner as unknown as PlannerSection }));
    const total = rows.reduce((sum, { gpu_hours }) => sum + (gpu_hours as number), 0);
    assert.ok(Math.abs(total - summary.gpu_hours) <= 1e-12 * summary.gpu_hours, `${total} ${summary.gpu_hours}`);
  });
}

test("replicasOverTime falls back to scaling events, and to the constant number of workers", () => {
  const report = plannerReport("agg_load_x4");
  const undetailed = { ...report.planner!, ticks: [], lifecycle_operations: [] };
  const rows = rowsOf(replicasOverTime({ summary: report.summary, planner: undetailed }));
  assert.deepEqual(rows.slice(0, 2).map(({ at_ms, active }) => [at_ms, active]), [[0, 1], [5000, 2]]);
  const fixed = rowsOf(replicasOverTime({ ...reportOf(goldenOf("02_")), planner: null }));
  assert.deepEqual(fixed.map(({ pool, active }) => [pool, active]), [["agg", 2]]);
});

test("compareRuns puts runs side by side with differences to the first", () => {
  const one = { ...plannerReport("agg_load_x4"), name: "load" };
  const other = { ...plannerReport("agg_sla_throughput_constant_boot"), name: "sla" };
  const rows = rowsOf(compareRuns([one, other]));
  assert.deepEqual(rows.map(({ name }) => name), ["load", "sla"]);
  assert.equal(rows[1].gpu_hours_diff, other.summary.gpu_hours - one.summary.gpu_hours);
  assert.equal(rows[0].p95_ttft_ms_diff, 0);
  assert.equal(rows[0].scaling_events, one.planner!.scaling_events.length);
  const added = one.planner!.scaling_events.filter(({ to_count, from_count }) => to_count > from_count);
  assert.equal(rows[0].added_workers, added.length);
  const unplanned = rowsOf(compareRuns([one, { ...one, name: "fixed", planner: null }]))[1];
  assert.deepEqual([unplanned.scaling_events, unplanned.scaling_events_diff], [null, null]);
  assert.equal(compareRuns([]).numRows(), 0);
});

test("traceTable counts the leading blocks that earlier rows had", async () => {
  const row = (line: number, hashIds: (number | bigint)[], sessionId?: string) => ({
    timestampMs: line * 10,
    inputTokens: 600,
    outputTokens: 3,
    hashIds,
    sessionId,
    line,
  });
  const table = await traceTable([row(1, [1, 2]), row(2, [1, 7], "s"), row(3, [9, 1]), row(4, [1, 7, 9n])]);
  assert.deepEqual([...table.column("reusable_blocks")!], [0, 1, 0, 2]);
  assert.deepEqual([...table.column("blocks")!], [2, 2, 2, 3]);
  assert.deepEqual([...table.column("session")!], [null, "s", null, null]);
});
