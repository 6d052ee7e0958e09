import { test } from "node:test";
import assert from "node:assert/strict";
import { Pool } from "../../lib/engine/records.ts";
import { SimulationError } from "../../lib/errors.ts";
import { RoundRobinRouter } from "../../lib/router/round_robin.ts";

function router(pool: Pool, workers: number, ranks = 1): RoundRobinRouter {
  const made = new RoundRobinRouter({ pool });
  for (let w = 0; w < workers; w++) made.join(w, w * ranks, ranks);
  return made;
}

const picks = (from: RoundRobinRouter, count: number) => Array.from({ length: count }, () => from.place());

test("RoundRobinRouter rotates workers, and ranks inside each worker, in an aggregated pool", () => {
  assert.deepEqual(picks(router(Pool.aggregated, 3), 5), [0, 1, 2, 0, 1]);
  assert.deepEqual(picks(router(Pool.aggregated, 2, 2), 6), [0, 2, 1, 3, 0, 2]);
});

test("RoundRobinRouter rotates all ranks in one ring in prefill and decode pools", () => {
  assert.deepEqual(picks(router(Pool.prefill, 2, 2), 6), [0, 1, 2, 3, 0, 1]);
  assert.deepEqual(picks(router(Pool.decode, 2), 3), [0, 1, 0]);
});

test("RoundRobinRouter keeps its position when workers leave and join", () => {
  const three = router(Pool.aggregated, 3);
  assert.deepEqual(picks(three, 4), [0, 1, 2, 0]);
  three.leave(2);
  assert.deepEqual(picks(three, 3), [1, 0, 1]);
  three.join(5, 5, 1);
  assert.deepEqual(picks(three, 3), [5, 0, 1]);
});

test("RoundRobinRouter takes workers in the order of their ids, whatever the order of joining", () => {
  const made = new RoundRobinRouter({ pool: Pool.decode });
  made.join(4, 8, 2);
  made.join(1, 2, 2);
  assert.deepEqual(picks(made, 4), [2, 3, 8, 9]);
});

test("RoundRobinRouter starts a worker's rank rotation anew after it was removed", () => {
  const made = router(Pool.aggregated, 1, 2);
  assert.equal(made.place(), 0);
  made.leave(0);
  made.join(0, 0, 2);
  assert.equal(made.place(), 0);
});

test("RoundRobinRouter refuses to place without workers", () => {
  assert.throws(
    () => router(Pool.aggregated, 0).place(),
    (error) =>
      error instanceof SimulationError &&
      error.message === "placement policy error: no active workers for round-robin placement",
  );
});

test("RoundRobinRouter asks nothing of the cluster", () => {
  const made = router(Pool.aggregated, 1);
  assert.deepEqual(
    [made.needsState, made.needsPrefillDone, made.needsEnds, made.mayQueue, made.cache, made.knobs, made.revision],
    [false, false, false, false, null, null, 0],
  );
  assert.equal(made.nextReleased(0), -1);
  assert.deepEqual(made.placement, { overlapTokens: 0, overlapBlocks: -1, bestOverlapBlocks: -1 });
});
