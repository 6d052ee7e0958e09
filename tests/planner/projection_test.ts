import assert from "node:assert/strict";
import { test } from "node:test";
import { project, type ScaleTo } from "../../lib/planner/projection.ts";

const counts = (prefill: number, decode: number, expected: [number, number] = [prefill, decode]) => ({
  prefill: { ready: prefill, expected: expected[0], inProgress: false },
  decode: { ready: decode, expected: expected[1], inProgress: false },
});
const budget = { minGpus: -1, maxGpus: 8, gpus: { prefill: 1, decode: 1 }, minimum: { prefill: 1, decode: 1 } };
const nothing: ScaleTo = { prefill: null, decode: null };

test("project keeps a deployment nobody wants to change", () => {
  assert.equal(project(nothing, counts(2, 2), budget, false), null);
  assert.equal(project({ prefill: 2, decode: 2 }, counts(2, 2), budget, false), null);
});

test("project sends both counts of a decision, and one of an aggregated deployment", () => {
  assert.deepEqual(project({ prefill: 3, decode: null }, counts(2, 2), budget, false), { prefill: 3, decode: 2 });
  assert.deepEqual(project({ prefill: null, decode: 3 }, counts(0, 2), budget, true), { prefill: null, decode: 3 });
});

test("project repairs a missing minimum for the role that is short only", () => {
  assert.deepEqual(project(nothing, counts(0, 2), budget, false), { prefill: 1, decode: null });
  const both = { ...budget, minimum: { prefill: 2, decode: 3 } };
  assert.deepEqual(project(nothing, counts(1, 2), both, false), { prefill: 2, decode: 3 });
});

test("project repairs a broken budget, but not while a worker is starting", () => {
  assert.deepEqual(project(nothing, counts(6, 6), budget, false), { prefill: 4, decode: 4 });
  assert.equal(project(nothing, counts(6, 6, [6, 7]), budget, false), null);
  assert.deepEqual(project(nothing, counts(0, 9), budget, true), { prefill: null, decode: 8 });
});
