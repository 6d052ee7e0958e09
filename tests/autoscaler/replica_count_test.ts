import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Sample } from "../../lib/autoscaler/metrics.ts";
import { externalReplicas, largestReplicas, podsReplicas } from "../../lib/autoscaler/replica_count.ts";

const TENTH = { up: 0.1, down: 0.1 };

/** Workers that report values, and others. */
const pods = (byWorker: number[], { missing = 0, notReady = 0 } = {}): Sample => {
  const total = byWorker.reduce((sum, value) => sum + value, 0);
  return { byWorker, missing, notReady, total, mean: byWorker.length > 0 ? total / byWorker.length : null };
};

test("podsReplicas follows the documentation of Kubernetes: twice the target doubles, half of it halves", () => {
  assert.equal(podsReplicas(pods([200]), 100, 1, TENTH), 2);
  assert.equal(podsReplicas(pods([200, 200, 200]), 100, 3, TENTH), 6);
  assert.equal(podsReplicas(pods([50, 50, 50, 50]), 100, 4, TENTH), 2);
});

test("podsReplicas follows the walkthrough of Kubernetes: 305 % on one replica of a target of 50 % are 7 replicas", () => {
  assert.equal(podsReplicas(pods([305]), 50, 1, TENTH), 7);
});

test("podsReplicas leaves what is within the tolerance", () => {
  assert.equal(podsReplicas(pods([110, 110]), 100, 2, TENTH), 2);
  assert.equal(podsReplicas(pods([90, 90]), 100, 2, TENTH), 2);
  assert.equal(podsReplicas(pods([111, 111]), 100, 2, TENTH), 3);
  assert.equal(podsReplicas(pods([105]), 100, 1, { up: 0.01, down: 0.05 }), 2); // a tolerance for each direction
});

test("podsReplicas takes workers that are not ready for idle when it scales up, and does not see them otherwise", () => {
  // without the two that start it would be 4 × 2; with them it is 800 over 4 workers
  assert.equal(podsReplicas(pods([400, 400], { notReady: 2 }), 100, 4, TENTH), 8);
  assert.equal(podsReplicas(pods([150, 150], { notReady: 2 }), 100, 4, TENTH), 4); // turned around: nothing happens
  assert.equal(podsReplicas(pods([25, 25], { notReady: 2 }), 100, 4, TENTH), 1);
});

test("podsReplicas takes workers without a value for idle upwards and for fully loaded downwards", () => {
  assert.equal(podsReplicas(pods([300, 300], { missing: 1 }), 100, 3, TENTH), 6);
  assert.equal(podsReplicas(pods([20, 20], { missing: 2 }), 100, 4, TENTH), 3); // (40 + 200) / 400 of 4
  assert.equal(podsReplicas(pods([], { missing: 2 }), 100, 2, TENTH), null);
});

test("podsReplicas with missing or starting workers never goes the other way, nor further than without them", () => {
  const load = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 8 });
  const others = fc.record({ missing: fc.nat(4), notReady: fc.nat(4) });
  fc.assert(fc.property(load, others, (values, { missing, notReady }) => {
    const current = values.length + missing + notReady;
    const ratio = values.reduce((sum, value) => sum + value, 0) / values.length / 100;
    const cautious = podsReplicas(pods(values, { missing, notReady }), 100, current, TENTH)!;
    if (ratio > 1) {
      assert.ok(cautious >= current);
      assert.ok(cautious <= Math.max(current, Math.ceil(ratio * current)));
    } else assert.ok(cautious <= current);
  }));
});

test("externalReplicas divides a value of the whole by the average that is wanted, or compares it as it is", () => {
  const queue: Sample = { ...pods([10, 20, 10]), total: 40 };
  const place = { current: 3, ready: 3, share: false };
  assert.equal(externalReplicas(queue, { averageValue: 10, value: null }, place, TENTH), 4);
  assert.equal(externalReplicas(queue, { averageValue: null, value: 20 }, place, TENTH), 6);
  assert.equal(
    externalReplicas(queue, { averageValue: null, value: 20 }, { ...place, current: 0, ready: 0 }, TENTH),
    2,
  );
  const full: Sample = { ...pods([0.9, 0.7]), mean: 0.8 };
  const target = { averageValue: null, value: 0.4 };
  assert.equal(externalReplicas(full, target, { current: 2, ready: 2, share: true }, TENTH), 4);
  assert.equal(externalReplicas({ ...queue, total: null }, { averageValue: 1, value: null }, place, TENTH), null);
});

test("largestReplicas takes the most, and takes nothing away while a metric is unknown", () => {
  assert.equal(largestReplicas([2, 5, 3], 4), 5);
  assert.equal(largestReplicas([null, 5], 4), 5);
  assert.equal(largestReplicas([null, 3], 4), null);
  assert.equal(largestReplicas([null, null], 4), null);
});
