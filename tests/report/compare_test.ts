import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, firstDivergence } from "../../lib/report/compare.ts";
import { plannerReport } from "./golden_reports.ts";

test("firstDivergence finds the first tick that differs", () => {
  const one = plannerReport("agg_load_x4");
  assert.equal(firstDivergence(one, plannerReport("agg_load_x4")), null);
  const other = structuredClone(one);
  const tick = other.planner!.ticks.find(({ runtime_decision }) => runtime_decision.target_decode !== null)!;
  tick.runtime_decision.target_decode!++;
  assert.deepEqual(firstDivergence(one, other), {
    ordinal: tick.ordinal,
    at_ms: tick.at_ms,
    what: "decision",
    first: `prefill 0, decode ${tick.runtime_decision.target_decode! - 1}`,
    second: `prefill 0, decode ${tick.runtime_decision.target_decode}`,
  });
  // aggregated workers have no prefill role beside them
  for (const { planner } of [one, other]) {
    for (const { input } of planner!.ticks) input.worker_counts.ready_num_prefill = null;
  }
  assert.equal(firstDivergence(one, other)!.second, `agg ${tick.runtime_decision.target_decode}`);
  const shorter = { ...one, planner: { ...one.planner!, ticks: one.planner!.ticks.slice(0, 3) } };
  assert.deepEqual(firstDivergence(one, shorter)?.what, "end");
});

test("firstDivergence sees what an advisory run would have done, and router parameters", () => {
  const one = plannerReport("agg_load_x4");
  for (const tick of one.planner!.ticks) {
    tick.runtime_decision.target_decode = tick.runtime_decision.target_prefill = null;
  }
  const other = structuredClone(one);
  const tick = other.planner!.ticks.find(({ effects }) => effects.scale_to !== null)!;
  tick.effects.scale_to!.num_decode = 9;
  assert.match(firstDivergence(one, other)!.second, /decode 9$/);
  const retuned = structuredClone(one);
  retuned.planner!.ticks[2].runtime_decision.router_parameters = { decode: { temperature: 0.5 } };
  assert.equal(firstDivergence(one, retuned)!.ordinal, 2);
  assert.match(firstDivergence(one, retuned)!.second, /; decode router temperature 0\.5$/);
  retuned.planner!.ticks[2].router_policies = {
    decode: { state: "active", revision: 0, parameters: { temperature: 0.5 } },
  };
  assert.equal(firstDivergence(one, retuned), null);
});

test("figuresOf counts scaling and leaves out what a run does not have", () => {
  const report = plannerReport("agg_latency_startup30");
  const { scaling_events, lifecycle_operations } = report.planner!;
  const figures = figuresOf(report);
  assert.equal(figures.scaling_events, scaling_events.length);
  const added = scaling_events.filter(({ reason }) => reason === "scale_up");
  assert.equal(figures.added_workers, added.reduce((sum, { from_count, to_count }) => sum + to_count - from_count, 0));
  const starts = JSON.stringify(lifecycle_operations).split('"worker_starting"').length - 1;
  assert.ok(starts > 0);
  assert.equal(figures.worker_starts, starts);
  assert.equal(figures.gpu_hours, report.summary.gpu_hours);
  const fixed = figuresOf({ summary: { gpu_hours: 1, power_w: null }, planner: null });
  assert.deepEqual([fixed.gpu_hours, fixed.scaling_events, fixed.mean_ttft_ms], [1, null, null]);
});
