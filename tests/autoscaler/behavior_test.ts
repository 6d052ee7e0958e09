import assert from "node:assert/strict";
import { test } from "node:test";
import { type Behavior, type ScalingRules, Stabilizer } from "../../lib/autoscaler/behavior.ts";

const OPEN: ScalingRules = { stabilization_window_seconds: 0, select_policy: "Max", policies: [] };
const rules = (up: Partial<ScalingRules>, down: Partial<ScalingRules>): Behavior => ({
  scale_up: { ...OPEN, ...up },
  scale_down: { ...OPEN, ...down },
});

/** Follows one recommendation in steps of 60 s until nothing changes. */
function followed(behavior: Behavior, from: number, wanted: number): number[] {
  const stabilizer = new Stabilizer(behavior, { least: 1, most: 200 });
  const path = [from];
  for (let step = 1; step <= 40; step++) {
    const current = path.at(-1)!;
    const { replicas } = stabilizer.limit(wanted, current, step * 60);
    stabilizer.changed(current, replicas, step * 60);
    if (replicas === current) break;
    path.push(replicas);
  }
  return path;
}

const FOUR_OR_TENTH = [
  { type: "Pods", value: 4, period_seconds: 60 },
  { type: "Percent", value: 10, period_seconds: 60 },
] as const;

test("Stabilizer follows the documentation's example of 80 replicas that should be 10", () => {
  const path = followed(rules({}, { policies: FOUR_OR_TENTH }), 80, 10);
  assert.deepEqual(path.slice(0, 3), [80, 72, 64]); // 10 % of 72 are 7.2, rounded up to 8
  const small = path.filter((count) => count <= 40);
  small.slice(1).forEach((count, i) => assert.equal(small[i] - count, Math.min(4, small[i] - 10)));
  assert.equal(path.at(-1), 10);
});

test("Stabilizer takes the smallest change with select_policy Min, and none with Disabled", () => {
  const five = [{ type: "Percent", value: 10, period_seconds: 60 }, {
    type: "Pods",
    value: 5,
    period_seconds: 60,
  }] as const;
  assert.deepEqual(followed(rules({}, { policies: five, select_policy: "Min" }), 80, 60).slice(0, 3), [80, 75, 70]);
  assert.deepEqual(followed(rules({}, { policies: five, select_policy: "Disabled" }), 80, 60), [80]);
  assert.deepEqual(followed(rules({ policies: five, select_policy: "Disabled" }, {}), 8, 60), [8]);
});

test("Stabilizer's default policies add 4 or double, whichever is more, every 15 seconds", () => {
  const policies = [
    { type: "Percent", value: 100, period_seconds: 15 },
    { type: "Pods", value: 4, period_seconds: 15 },
  ] as const;
  assert.deepEqual(followed(rules({ policies }, {}), 1, 100), [1, 5, 10, 20, 40, 80, 100]);
});

test("Stabilizer counts what was changed earlier in the same period", () => {
  const stabilizer = new Stabilizer(rules({ policies: [FOUR_OR_TENTH[0]] }, {}), { least: 1, most: 200 });
  assert.equal(stabilizer.limit(3, 1, 0).replicas, 3);
  stabilizer.changed(1, 3, 0);
  assert.deepEqual(stabilizer.limit(20, 3, 30), { replicas: 5, by: "policy" }); // 4 more than there were a minute ago
  stabilizer.changed(3, 5, 30);
  assert.equal(stabilizer.limit(20, 5, 61).replicas, 7);
});

test("Stabilizer keeps the highest recommendation of the last 5 minutes", () => {
  const stabilizer = new Stabilizer(rules({}, { stabilization_window_seconds: 300 }), { least: 1, most: 20 });
  const at = (seconds: number, wanted: number, current: number) => stabilizer.limit(wanted, current, seconds);
  assert.deepEqual(at(0, 4, 10), { replicas: 10, by: "stabilization" }); // what there is counts as the first one
  assert.equal(at(60, 12, 10).replicas, 12);
  assert.deepEqual(at(120, 3, 12), { replicas: 12, by: "stabilization" });
  assert.deepEqual(at(359, 3, 12), { replicas: 12, by: "stabilization" });
  assert.deepEqual(at(360, 5, 12), { replicas: 5, by: null });
});

test("Stabilizer keeps within the bounds and says so", () => {
  const stabilizer = new Stabilizer(rules({}, {}), { least: 2, most: 6 });
  assert.deepEqual(stabilizer.limit(9, 4, 0), { replicas: 6, by: "bounds" });
  assert.deepEqual(stabilizer.limit(1, 4, 15), { replicas: 2, by: "bounds" });
});
