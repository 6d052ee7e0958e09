import { test } from "node:test";
import assert from "node:assert/strict";
import { beats, bestIndex, improvementPercentage, scoreReplay } from "../../lib/retune/score.ts";
import { metrics } from "./support.ts";

test("scoreReplay follows the objective, latencies negated", () => {
  const replay = metrics(300, 3);
  assert.equal(scoreReplay("throughput", replay), 600);
  assert.equal(scoreReplay("throughput_per_gpu", replay), 200);
  assert.equal(scoreReplay("throughput_per_user", replay), 30);
  assert.equal(scoreReplay("goodput", replay), 300);
  assert.equal(scoreReplay("goodput_per_gpu", replay), 100);
  assert.equal(scoreReplay("ttft", replay), -1000 / 300);
  assert.equal(scoreReplay("e2e_latency", replay), -10_000 / 300);
});

test("scoreReplay is 0 per GPU without GPU time, and the worst for a latency without samples", () => {
  assert.equal(scoreReplay("goodput_per_gpu", { ...metrics(300), gpu_hours: 0 }), 0);
  assert.equal(scoreReplay("throughput_per_gpu", { ...metrics(300), duration_ms: 0 }), 0);
  assert.equal(scoreReplay("ttft", { ...metrics(300), mean_ttft_ms: null }), -Infinity);
  assert.equal(scoreReplay("e2e_latency", { ...metrics(300), mean_e2e_latency_ms: null }), -Infinity);
});

test("bestIndex takes the earlier of equals", () => {
  assert.equal(bestIndex([1, 3, 3, 2]), 1);
  assert.equal(bestIndex([2, 2, 2]), 0);
  assert.equal(bestIndex([-Infinity, -Infinity, -5]), 2);
});

test("beats asks for more than the percentage, in either direction", () => {
  assert.equal(beats(103, 100, 3), false);
  assert.equal(beats(103.0001, 100, 3), true);
  assert.equal(beats(-97, -100, 3), false);
  assert.equal(beats(-96.9999, -100, 3), true);
  assert.equal(beats(100, 100, 0), false);
  assert.equal(beats(100.0001, 100, 0), true);
});

test("beats takes any gain over nothing", () => {
  assert.equal(beats(0.001, 0, 50), true);
  assert.equal(beats(0, 0, 0), false);
  assert.equal(beats(-1e9, -Infinity, 50), true);
  assert.equal(beats(-Infinity, -Infinity, 0), false);
});

test("improvementPercentage is positive when better, null without a base", () => {
  assert.equal(improvementPercentage(150, 100), 50);
  assert.equal(improvementPercentage(-50, -100), 50);
  assert.equal(improvementPercentage(5, 0), null);
  assert.equal(improvementPercentage(-5, -Infinity), null);
});
