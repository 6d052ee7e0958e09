import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Observations, orderedByWorker } from "../../lib/planner/observations.ts";
import type { RoleSnapshot, Snapshot, TrafficWindow } from "../../lib/planner/policy.ts";
import { near, passRow } from "./helpers.ts";

const nobody: RoleSnapshot = { active: [], starting: [], draining: [], passes: [] };
const traffic = (given: Partial<TrafficWindow>): TrafficWindow => ({
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
  ...given,
});
const snapshot = (decode: Partial<RoleSnapshot>, window: Partial<TrafficWindow> = {}): Snapshot => ({
  tickOrdinal: 0,
  nowMs: 0,
  prefill: nobody,
  decode: { ...nobody, ...decode },
  traffic: traffic(window),
});

test("Observations keeps the last row of a rank until its worker is no longer active", () => {
  const seen = new Observations();
  seen.update(snapshot({ active: [0, 1], passes: [passRow({ workerId: 0 }), passRow({ workerId: 1, wallTimeS: 1 })] }));
  seen.update(snapshot({ active: [0, 1], passes: [passRow({ workerId: 1, wallTimeS: 2 })] }));
  assert.deepEqual(seen.rows("decode")!.map(({ workerId, wallTimeS }) => [workerId, wallTimeS]), [[0, 0], [1, 2]]);
  seen.update(snapshot({ active: [1], draining: [0] }));
  assert.deepEqual(seen.rows("decode")!.map(({ workerId }) => workerId), [1]);
  seen.update(snapshot({}));
  assert.equal(seen.rows("decode"), null);
});

test("Observations expects what was asked for until the deployment has it", () => {
  const seen = new Observations();
  seen.want("decode", 3);
  const [short, there] = [snapshot({ active: [0, 1] }), snapshot({ active: [0, 1], starting: [2] })];
  assert.deepEqual(seen.counts("decode", short), { ready: 2, expected: 3, inProgress: true });
  seen.update(there);
  assert.deepEqual(seen.counts("decode", there), { ready: 2, expected: 3, inProgress: false });
  assert.deepEqual(seen.counts("decode", short), { ready: 2, expected: 2, inProgress: false });
});

test("Observations merges unread windows by their own counts and hands them out once", () => {
  const seen = new Observations();
  const first = {
    requests: 3,
    shapeCount: 1,
    meanInputTokens: 100,
    meanAcceptLength: null,
    meanTtftMs: 10,
    ttftCount: 1,
  };
  seen.update(snapshot({}, first));
  const second = {
    requests: 4,
    shapeCount: 3,
    meanInputTokens: 200,
    meanAcceptLength: 1.5,
    meanTtftMs: 30,
    ttftCount: 3,
  };
  seen.update(snapshot({}, second));
  assert.deepEqual(seen.takeTraffic(), {
    durationS: 10,
    requests: 7,
    inputTokens: 175,
    outputTokens: 0,
    kvHitRate: 0,
    acceptLength: 1.5,
    ttftMs: 25,
    itlMs: null,
  });
  assert.equal(seen.takeTraffic(), null);
});

test("merged means are the means of all samples", () => {
  const mean = fc.nat(1e8).map((thousandths) => thousandths / 1000); // subnormal doubles have no relative precision
  const windows = fc.array(fc.record({ count: fc.nat(50), mean }), { minLength: 1, maxLength: 12 });
  fc.assert(fc.property(windows, (parts) => {
    const seen = new Observations();
    for (const { count, mean } of parts) {
      seen.update(snapshot({}, { shapeCount: count, meanInputTokens: count > 0 ? mean : 0 }));
    }
    const total = parts.reduce((sum, { count }) => sum + count, 0);
    const sum = parts.reduce((all, { count, mean }) => all + count * mean, 0);
    near(seen.takeTraffic()!.inputTokens, total > 0 ? sum / total : 0, 1e-9);
  }));
});

test("orderedByWorker orders by the id as text, then by rank", () => {
  const rows = [[2, 0], [10, 1], [10, 0], [1, 0]].map(([workerId, dpRank]) => passRow({ workerId, dpRank }));
  assert.deepEqual(orderedByWorker(rows).map(({ workerId, dpRank }) => [workerId, dpRank]), [
    [1, 0],
    [10, 0],
    [10, 1],
    [2, 0],
  ]);
});
