import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { describe, percentile, percentileRank } from "../../lib/report/distribution.ts";

test("describe takes percentiles that occurred, never interpolated", () => {
  const found = describe(Float64Array.of(3, 1, 100, 2, 4));
  assert.deepEqual([found.median, found.p75, found.p99, found.min, found.max, found.mean], [3, 4, 100, 1, 100, 22]);
  assert.equal(describe(Float64Array.of(10, 19)).median, 19);
  assert.deepEqual(describe(new Float64Array()), {
    count: 0,
    mean: 0,
    min: 0,
    max: 0,
    median: 0,
    p75: 0,
    p90: 0,
    p95: 0,
    p99: 0,
    std: 0,
  });
});

test("describe sums the deviations of few samples in ascending order", () => {
  assert.equal(describe(Float64Array.of(10, 19, 10)).std, 4.242640687119285);
});

test("percentileRank is monotone and inside", () => {
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 1e6 }),
    fc.double({ min: 0, max: 100, noNaN: true }),
    fc.double({ min: 0, max: 100, noNaN: true }),
    (count, p, q) => {
      const low = percentileRank(count, Math.min(p, q));
      const high = percentileRank(count, Math.max(p, q));
      assert.ok(0 <= low && low <= high && high < count);
    },
  ));
  assert.ok(Number.isNaN(percentile([], 50)));
});

test("describe tells the same of many samples as sorting them would", () => {
  const samples = Float64Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 1009 / 8);
  const ascending = samples.slice().sort(), { count, min, median, p75, p90, p95, p99, max } = describe(samples);
  assert.deepEqual(
    [count, min, median, p75, p90, p95, p99, max],
    [100_000, 0, ...[50, 75, 90, 95, 99].map((p) => percentile(ascending, p)), 126],
  );
});
