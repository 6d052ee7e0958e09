import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { GapStatistics } from "../../lib/report/gap_statistics.ts";
import { percentileRank } from "../../lib/report/distribution.ts";
import { sketchKey, sketchValue } from "../../lib/report/sketch.ts";

test("sketch keys and values are the reference's", () => {
  const vectors = [[2, 347, 1.9997051226201907], [12, 1243, 12.001124195202625], [500, 3108, 500.1967753331094], [
    1000 / 12,
    2212,
    83.34602972874508,
  ], [10, 1152, 10.004152608697646]];
  for (const [sample, key, value] of vectors) {
    assert.equal(sketchKey(sample), key);
    assert.ok(Math.abs(sketchValue(key) - value) <= 3e-16 * value, `${sample}`);
  }
});

test("GapStatistics of one gap reports the gap itself, and zero gaps in the zero bin", () => {
  const one = new GapStatistics();
  one.add(2, 1);
  assert.equal(one.itl().median, 2);
  assert.equal(one.userRate().p99, 500);
  const zeros = new GapStatistics();
  zeros.add(0, 5);
  zeros.add(3, 1);
  assert.deepEqual([zeros.itl().median, zeros.itl().min, zeros.itl().max, zeros.itl().count], [0, 0, 3, 6]);
  assert.equal(zeros.userRate().count, 1);
  assert.equal(new GapStatistics().itl().mean, 0);
});

// The definition, sample by sample.
function naive(samples: number[]) {
  let count = 0, mean = 0, squares = 0;
  const keys: number[] = [];
  for (const x of samples) {
    const distance = x - mean;
    mean += distance / ++count;
    squares += distance * (x - mean);
    keys.push(x === 0 ? -Infinity : Math.ceil(Math.log(x) * (1 / Math.log1p(0.002 / 0.999))));
  }
  keys.sort((a, b) => a - b);
  const at = (p: number) => {
    if (count === 1) return samples[0];
    const key = keys[percentileRank(count, p)];
    return key === -Infinity ? 0 : sketchValue(key);
  };
  return {
    count,
    mean,
    std: count === 0 ? 0 : Math.sqrt(squares / count),
    min: Math.min(...samples),
    max: Math.max(...samples),
    percentiles: [50, 75, 90, 95, 99].map(at),
  };
}

const gap = fc.oneof(
  fc.constantFrom(0, 2, 12),
  fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
  fc.integer({ min: 0, max: 3000 }).map((k) => Math.exp(k / 499.9998333332889)),
  fc.integer({ min: 0, max: 4000 }).map((k) => 20 + k * 0.0003),
);

test("GapStatistics equals sample-by-sample statistics", () => {
  const run = fc.array(fc.tuple(gap, fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 1500 });
  fc.assert(
    fc.property(run, (pairs) => {
      const statistics = new GapStatistics();
      for (const [ms, count] of pairs) statistics.add(ms, count);
      const samples = pairs.flatMap(([ms, count]) => Array<number>(count).fill(ms));
      const rates = samples.filter((ms) => ms > 0).map((ms) => 1000 / ms);
      for (const [got, want] of [[statistics.itl(), naive(samples)], [statistics.userRate(), naive(rates)]] as const) {
        assert.equal(got.count, want.count);
        if (want.count === 0) continue;
        assert.equal(got.min, want.min);
        assert.equal(got.max, want.max);
        assert.ok(Math.abs(got.mean - want.mean) <= 1e-12 * want.mean, `mean ${got.mean} ${want.mean}`);
        assert.ok(Math.abs(got.std - want.std) <= 1e-12 * Math.max(want.std, want.max), `std ${got.std} ${want.std}`);
        assert.deepEqual([got.median, got.p75, got.p90, got.p95, got.p99], want.percentiles);
      }
    }),
    { numRuns: 150 },
  );
});

test("GapStatistics loses no digits with millions of weighted gaps far from the first", () => {
  const statistics = new GapStatistics();
  statistics.add(500_000, 1);
  let sum = 0, count = 1;
  for (let i = 0; i < 200_000; i++) {
    statistics.add(20 + i * 1e-6, 64);
    sum += i * 64;
    count += 64;
  }
  const mean = (500_000 + (count - 1) * 20 + sum * 1e-6) / count;
  assert.ok(Math.abs(statistics.itl().mean - mean) <= 1e-12 * mean);
  // Σ of squares by formula: the ramp's own variance plus the distance of its mean, plus the one outlier.
  const rampMean = 20 + 1e-6 * (200_000 - 1) / 2;
  const ramp = (count - 1) * (1e-12 * (200_000 ** 2 - 1) / 12 + (rampMean - mean) ** 2);
  const std = Math.sqrt((ramp + (500_000 - mean) ** 2) / count);
  assert.ok(Math.abs(statistics.itl().std - std) <= 1e-10 * std);
});
