import { test } from "node:test";
import assert from "node:assert/strict";
import { bucketSeries, recordedHistory } from "../../lib/forecast/history.ts";

const row = (timestampMs: number, inputTokens = 100, outputTokens = 10) => ({ timestampMs, inputTokens, outputTokens });

test("recordedHistory puts rows on the clock of the replay, sorted", () => {
  const log = recordedHistory([row(9_000, 2), row(1_000, 1)], 11_000);
  assert.deepEqual([...log.arrivalS], [-10, -2]);
  assert.deepEqual([...log.inputTokens], [1, 2]);
});

test("recordedHistory compresses like the replay", () => {
  assert.deepEqual([...recordedHistory([row(1_000)], 11_000, 2).arrivalS], [-5]);
});

test("recordedHistory may end with the first replayed request but not after it", () => {
  assert.equal(recordedHistory([row(11_000)], 11_000).arrivalS.length, 1);
  assert.throws(() => recordedHistory([row(11_001)], 11_000), {
    name: "TraceError",
    message: "retune history must end at or before the first replayed request",
  });
});

const log = (...arrivals: [number, number, number][]) => ({
  arrivalS: Float64Array.from(arrivals, ([at]) => at),
  inputTokens: Int32Array.from(arrivals, ([, input]) => input),
  outputTokens: Int32Array.from(arrivals, ([, , output]) => output),
});

test("bucketSeries counts and averages whole buckets, zeros in between", () => {
  const logs = [log([-200, 100, 10], [-1, 200, 20]), log([0, 50, 5], [179, 150, 15], [400, 7, 7], [541, 9, 9])];
  assert.deepEqual(bucketSeries(logs, { intervalS: 180, endS: 600, historyS: 9000 }), [
    { startS: -360, requests: 1, inputTokens: 100, outputTokens: 10 },
    { startS: -180, requests: 1, inputTokens: 200, outputTokens: 20 },
    { startS: 0, requests: 2, inputTokens: 100, outputTokens: 10 },
    { startS: 180, requests: 0, inputTokens: 0, outputTokens: 0 },
    { startS: 360, requests: 1, inputTokens: 7, outputTokens: 7 },
  ]);
});

test("bucketSeries keeps trailing buckets without requests", () => {
  const series = bucketSeries([log([5, 1, 1])], { intervalS: 10, endS: 40, historyS: 100 });
  assert.deepEqual(series.map((bucket) => bucket.requests), [1, 0, 0, 0]);
});

test("bucketSeries begins no earlier than the history is long", () => {
  const series = bucketSeries([log([-95, 1, 1], [5, 1, 1])], { intervalS: 10, endS: 40, historyS: 45 });
  assert.deepEqual(series.map((bucket) => bucket.startS), [0, 10, 20, 30]);
});

test("bucketSeries is empty without whole buckets or requests", () => {
  assert.deepEqual(bucketSeries([log([5, 1, 1])], { intervalS: 180, endS: 100, historyS: 9000 }), []);
  assert.deepEqual(bucketSeries([log()], { intervalS: 10, endS: 100, historyS: 9000 }), []);
  assert.deepEqual(bucketSeries([log([5, 1, 1])], { intervalS: 180, endS: 600, historyS: 100 }), []);
});
