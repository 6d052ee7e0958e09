import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { Histogram } from "../../lib/collections/histogram.ts";
import { inspect } from "../../lib/trace/inspect.ts";
import { readTrace } from "../../lib/trace/read_trace.ts";
import { ReuseMeter } from "../../lib/trace/reuse.ts";
import { Timeline } from "../../lib/trace/timeline.ts";
import { lines, pieces } from "./support.ts";

const row = (timestamp: number | undefined, more: object = {}) => ({
  timestamp,
  input_length: 1000,
  output_length: 4,
  hash_ids: [1, 2],
  ...more,
});
const measured = (rows: readonly object[]) => inspect(readTrace(pieces(lines(rows)), { format: "mooncake" }));

test("inspect measures the share of reusable blocks", async () => {
  const figures = await measured([row(0), row(500, { input_length: 600, output_length: 3, hash_ids: [1, 7] })]);
  assert.equal(figures.blocks.reusable_token_share, 512 / 1600);
  assert.deepEqual([figures.blocks.total, figures.blocks.distinct, figures.blocks.followed_share], [4, 3, 1]);
  assert.deepEqual(figures.blocks.reuse_distance, { p50: 2, p90: 2 });
  assert.deepEqual([figures.rows, figures.input.total, figures.output.total], [2, 1600, 7]);
  assert.deepEqual([figures.time.span_s, figures.time.requests_per_second], [0.5, 4]);
  assert.deepEqual(figures.warnings, []);
});

test("inspect counts sessions, inversions and equal neighbours", async () => {
  const rows = [row(5), row(0, { session_id: "s" }), row(0, { session_id: "s" }), row(undefined, { session_id: "t" })];
  const { time, sessions } = await measured(rows);
  assert.deepEqual([time.inversions, time.equal_neighbours, time.rows_without_time], [1, 1, 1]);
  assert.deepEqual([sessions.count, sessions.rows, sessions.mean_turns], [2, 3, 1.5]);
});

test("inspect warns of what usually is a mistake", async () => {
  const warned = async (rows: readonly object[], text: RegExp) => {
    const { warnings } = await measured(rows);
    assert.ok(warnings.some((warning) => text.test(warning)), warnings.join("\n"));
  };
  const many = (make: (i: number) => object) => Array.from({ length: 200 }, (_, i) => make(i));
  await warned(many((i) => row(Math.floor(i / 2))), /2020 requests a second .* in seconds instead of milliseconds\?/);
  await warned(many((i) => row(i * 50, { input_length: 32 })), /surplus block ids in 200 of 200 rows/);
  await warned(
    many((i) => row(i * 50, { hash_ids: [i, i] })),
    /^the same block id twice in one prompt in 200 of 200 rows/,
  );
  await warned(many((i) => row(i * 50, { output_length: i % 2 })), /^no output tokens in 100 of 200 rows/);
  await warned(many((i) => row(-i * 50)), /^times go back 199 times/);
  await warned(many(() => row(undefined)), /^no times at all/);
  await warned(many((i) => row(Math.floor(i / 10) * 3000)), /^90 % of the rows arrive at the time of the row before/);
  assert.deepEqual((await measured([])).warnings, ["no requests"]);
});

test("ReuseMeter keeps its figures right when it follows a part of the ids", () => {
  const exact = new ReuseMeter(16), sampled = new ReuseMeter(16);
  const ids = (i: number) => Array.from({ length: 20 }, (_, k) => k < 10 ? (i % 997) * 10 + k : 20_000 + i * 10 + k);
  for (let i = 0; i < 100_000; i++) {
    sampled.add(320, ids(i));
    if (i < 20_000) exact.add(320, ids(i));
  }
  assert.equal(exact.followedShare, 1);
  assert.ok(sampled.followedShare < 1);
  assert.ok(Math.abs(exact.reusableShare - (0.5 - 997 * 10 / (20_000 * 20))) < 1e-9);
  assert.ok(Math.abs(sampled.reusableShare - 0.495) < 0.01, String(sampled.reusableShare));
  assert.ok(Math.abs(sampled.distinct / (997 * 10 + 1_000_000) - 1) < 0.02, String(sampled.distinct));
  assert.equal(exact.distance.percentile(50), 997 * 20);
});

test("Histogram's percentiles are values that occurred", () => {
  fc.assert(fc.property(fc.array(fc.nat(60_000), { minLength: 1 }), fc.integer({ min: 1, max: 100 }), (values, p) => {
    const histogram = new Histogram();
    for (const value of values) histogram.add(value);
    const sorted = values.toSorted((a, b) => a - b);
    assert.equal(histogram.percentile(p), sorted[Math.max(0, Math.ceil(values.length * p / 100) - 1)]);
    assert.ok(Math.abs(histogram.mean - values.reduce((sum, value) => sum + value, 0) / values.length) < 1e-6);
  }));
  const large = new Histogram();
  for (let i = 1; i <= 1000; i++) large.add(i * 1000);
  assert.ok(Math.abs(large.percentile(90) / 900_000 - 1) < 0.004);
  assert.equal(large.percentile(100), 1_000_000);
});

test("Timeline never loses an event", () => {
  fc.assert(fc.property(fc.array(fc.nat(10_000_000), { minLength: 1 }), (times) => {
    const timeline = new Timeline(8, 10);
    for (const time of times) timeline.add(time, 2);
    for (const most of [1, 3, 100]) {
      const { counts, weights } = timeline.buckets(most);
      assert.ok(counts.length <= Math.max(most, 1));
      assert.equal(counts.reduce((sum, count) => sum + count, 0), times.length);
      assert.equal(weights.reduce((sum, weight) => sum + weight, 0), 2 * times.length);
    }
  }));
});
