import { test } from "node:test";
import assert from "node:assert/strict";
import { SimulationError } from "../../lib/errors.ts";
import { LeastLoadedRouter } from "../../lib/router/least_loaded.ts";

test("LeastLoadedRouter takes the rank with the fewest requests, the lowest id among equals", () => {
  const router = new LeastLoadedRouter();
  router.join(1, 2, 2);
  router.join(0, 0, 2);
  assert.deepEqual([router.place(), router.place(), router.place(), router.place(), router.place()], [0, 1, 2, 3, 0]);
  router.ended(7, 2);
  assert.equal(router.place(), 2);
  assert.equal(router.place(), 1);
});

test("LeastLoadedRouter leaves draining workers alone and still counts what ends there", () => {
  const router = new LeastLoadedRouter();
  router.join(0, 0, 1);
  router.join(1, 1, 1);
  assert.equal(router.place(), 0);
  router.leave(0);
  assert.deepEqual([router.place(), router.place()], [1, 1]);
  router.ended(0, 0);
  router.leave(1);
  assert.throws(() => router.place(), SimulationError);
});

test("LeastLoadedRouter wants to hear of ends, in time, and of nothing else", () => {
  const router = new LeastLoadedRouter();
  assert.deepEqual(
    [router.needsState, router.needsEnds, router.needsPrefillDone, router.mayQueue, router.cache],
    [true, true, false, false, null],
  );
});
