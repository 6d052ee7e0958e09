import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ConfigError } from "../../lib/errors.ts";
import type { TrafficWindow } from "../../lib/planner/policy.ts";
import { TelemetryCollector, type TelemetryView } from "../../lib/report/telemetry.ts";

const golden = JSON.parse(
  readFileSync(new URL("../../fixtures/goldens/replay/28_telemetry.json", import.meta.url), "utf8"),
).expected.telemetry;

function viewOf(sample: any): TelemetryView {
  const pool = (role: "prefill" | "decode") => ({
    active: sample[`active_${role}_ids`],
    starting: sample[`starting_${role}_ids`],
    draining: sample[`draining_${role}_ids`],
    schedulers: sample[`${role}_scheduler_metrics`],
    interval: sample[`${role}_interval_metrics`],
    pendingRequests: sample[`router_pending_${role}_requests`],
  });
  const t = sample.traffic;
  const traffic: TrafficWindow = {
    durationS: t.duration_s,
    requests: t.arriving_requests,
    shapeCount: t.completed_requests,
    meanInputTokens: t.avg_isl,
    meanOutputTokens: t.avg_osl,
    meanTtftMs: t.avg_ttft_ms,
    ttftCount: t.ttft_count,
    meanItlMs: t.avg_itl_ms,
    itlCount: t.itl_count,
    meanAcceptLength: t.avg_accept_length,
    acceptLengthForwards: t.accept_length_forward_count,
    meanKvHitRate: t.avg_router_kv_hit_rate,
    kvHitRateCount: t.router_kv_hit_rate_count,
  };
  return { traffic, prefill: pool("prefill"), decode: pool("decode") };
}

test("TelemetryCollector makes the samples of golden 28 at the times of golden 28", () => {
  const collector = new TelemetryCollector(golden.sample_interval_ms);
  for (const sample of golden.samples) {
    if (sample.kind === "baseline") collector.baseline(0, viewOf({ ...sample, traffic: golden.samples[1].traffic }));
    if (sample.kind === "periodic") {
      assert.equal(collector.nextSampleMs, sample.sampled_at_ms);
      collector.periodic(sample.sampled_at_ms, viewOf(sample));
    }
    if (sample.kind === "final") collector.final(sample.sampled_at_ms, viewOf(sample));
  }
  assert.deepEqual(collector.telemetry(), golden);
});

test("TelemetryCollector.final is silent when nothing happened since the last sample", () => {
  const idle = viewOf(golden.samples[0]);
  const collector = new TelemetryCollector(10);
  collector.baseline(0, idle);
  collector.periodic(10, idle);
  collector.final(10, idle);
  assert.deepEqual(collector.telemetry().samples.map(({ kind }) => kind), ["baseline", "periodic"]);
  collector.final(10, { ...idle, traffic: { ...idle.traffic, requests: 1 } });
  collector.final(11, idle);
  assert.deepEqual(collector.telemetry().samples.map(({ kind }) => kind), ["baseline", "periodic", "final", "final"]);
});

test("TelemetryCollector multiplies the interval instead of adding it up", () => {
  const idle = viewOf(golden.samples[0]);
  const collector = new TelemetryCollector(0.1);
  collector.baseline(0, idle);
  for (let i = 1; i < 10; i++) collector.periodic(collector.nextSampleMs, idle);
  assert.equal(collector.nextSampleMs, 1);
});

test("TelemetryCollector.repeat is the sample before with times of its own", () => {
  const interval = 0.7, told = new TelemetryCollector(interval), repeated = new TelemetryCollector(interval);
  const idle = (nowMs: number, beforeMs: number) => {
    const view = viewOf(golden.samples[0]);
    return { ...view, traffic: { ...view.traffic, durationS: (nowMs - beforeMs) / 1000 } };
  };
  told.baseline(3, idle(0, 0));
  repeated.baseline(3, idle(0, 0));
  for (let i = 1, before = 3; i < 200; i++) {
    const now = told.nextSampleMs;
    assert.equal(repeated.nextSampleMs, now);
    told.periodic(now, idle(now, before));
    if (i < 2 || i % 50 === 0) repeated.periodic(now, idle(now, before));
    else repeated.repeat(now);
    before = now;
  }
  const end = told.nextSampleMs;
  told.final(end, idle(end, end));
  repeated.final(end, idle(end, end));
  const { samples } = repeated.telemetry();
  assert.equal(samples.length, 201);
  assert.deepEqual(samples, told.telemetry().samples);
});

test("TelemetryCollector refuses an interval that is not positive and finite", () => {
  for (const interval of [0, -1, NaN, Infinity]) {
    assert.throws(() => new TelemetryCollector(interval), ConfigError);
  }
});
