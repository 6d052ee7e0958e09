import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePlannerConfig } from "../../lib/planner/config.ts";
import { type ScheduledTick, TickSchedule } from "../../lib/planner/schedule.ts";

/** The first ticks of a schedule whose predictions all succeed. */
function ticks(config: Record<string, unknown>, count: number): ScheduledTick[] {
  const schedule = new TickSchedule(parsePlannerConfig({ mode: "agg", ...config }));
  const found: ScheduledTick[] = [];
  let tick = schedule.after(0);
  for (let i = 0; i < count; i++) {
    found.push(tick);
    schedule.handled(tick, schedule.predictionDue(tick) ? "used" : "none");
    tick = schedule.after(tick.atS);
  }
  return found;
}

test("TickSchedule merges both loops on the ticks they share, and only those take the full traffic", () => {
  const both = { optimization_target: "sla", enable_load_scaling: true, throughput_adjustment_interval_seconds: 20 };
  assert.deepEqual(
    ticks(both, 8).map((t) => [t.atS, t.runLoadScaling, t.runThroughputScaling, t.needTraffic, t.trafficDurationS]),
    [
      [5, true, false, false, 0],
      [10, true, false, false, 0],
      [15, true, false, false, 0],
      [20, true, true, true, 20],
      [25, true, false, false, 0],
      [30, true, false, false, 0],
      [35, true, false, false, 0],
      [40, true, true, true, 20],
    ],
  );
});

test("TickSchedule lets the load loop read traffic only under target sla without the throughput loop", () => {
  const loadOnly = { optimization_target: "sla", enable_load_scaling: true, enable_throughput_scaling: false };
  const [sla] = ticks(loadOnly, 1), [easy] = ticks({}, 1);
  assert.deepEqual([sla.needTraffic, sla.useFullTraffic, sla.trafficDurationS, sla.needPasses], [true, false, 5, true]);
  assert.deepEqual([easy.needTraffic, easy.trafficDurationS, easy.needPasses], [false, 0, true]);
});

test("TickSchedule keeps the load cadence when only the throughput loop scales", () => {
  const slow = { optimization_target: "sla", throughput_adjustment_interval_seconds: 15 };
  assert.deepEqual(
    ticks(slow, 4).map((t) => [t.atS, t.runLoadScaling, t.runThroughputScaling, t.needPasses]),
    [[5, true, false, true], [10, true, false, true], [15, true, true, true], [20, true, false, true]],
  );
});
