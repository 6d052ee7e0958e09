import assert from "node:assert/strict";
import { test } from "node:test";
import { calibratedTiming } from "../../../lib/timing/calibration/calibrated_timing.ts";
import { PassCorrection } from "../../../lib/timing/calibration/correction.ts";
import type { PhaseCorrection } from "../../../lib/timing/calibration/profile.ts";
import { fixed } from "../../../lib/timing/fixed.ts";
import type { ForwardPassModel } from "../../../lib/timing/aic/forward_pass_model.ts";

const phase = (ratio: number, constant_ms: number): PhaseCorrection => ({
  ratio,
  constant_ms,
  curve: [],
  n: 50,
  seen: { decode_requests: null, prefill_tokens: null },
});
const BASE = fixed({ prefillMs: 20, decodeMs: 10 });
/** Nobody asks it where passes are summed. */
const NO_MODEL = null as unknown as ForwardPassModel;

test("calibratedTiming counts what is constant of a pass once where a mixed pass is summed", () => {
  const correction = new PassCorrection({ phases: { prefill: phase(1.5, 2), decode: phase(0.5, 2), mixed: null } });
  const timing = calibratedTiming(BASE, NO_MODEL, { correction, mixed: "sum" });
  assert.equal(timing.prefillMs(2, 100, 0), 32);
  assert.equal(timing.decodeMs(4, 4000, 1e6), 7);
  assert.equal(timing.mixedMs!(2, 200, 0, 4, 4000), 32 + 7 - 2);
  // the cached tokens of two prompts, rounded down as the engine does, leave nothing to compute
  assert.equal(timing.mixedMs!(2, 1, 0, 4, 4000), 7);
});

test("calibratedTiming takes the smaller constant off where the phases have their own", () => {
  const correction = new PassCorrection({ phases: { prefill: phase(1, 5), decode: phase(1, 3), mixed: null } });
  const { mixedMs } = calibratedTiming(BASE, NO_MODEL, { correction, mixed: "sum" });
  assert.equal(mixedMs!.length, 5);
  assert.equal(calibratedTiming(BASE, NO_MODEL, { correction, mixed: "sum" }).mixedMs!(1, 50, 0, 1, 9), 25 + 13 - 3);
});

test("calibratedTiming leaves sums without a constant to the engine", () => {
  const correction = new PassCorrection({ phases: { prefill: phase(1.3, 0), decode: phase(0.9, 2), mixed: null } });
  assert.equal(calibratedTiming(BASE, NO_MODEL, { correction, mixed: "sum" }).mixedMs, undefined);
});

test("calibratedTiming lengthens decode steps by their attention and how uneven lengths are, where they are told", () => {
  const base = {
    prefillMs: () => 20,
    decodeMs: (_requests: number, contextTokens: number) => 8 + contextTokens / 1000,
  };
  const correction = new PassCorrection({
    phases: { prefill: null, decode: { ...phase(1, 0), uneven: 1.5 }, mixed: null },
  });
  const timing = calibratedTiming(base, NO_MODEL, { correction, mixed: "sum" });
  // 1000 and 3000 tokens: a mean of 2000, a standard deviation of 1000
  const attentionMs = (4000 - 2) / 1000;
  assert.ok(Math.abs(timing.decodeMs(2, 4000, 0, 1000 ** 2 + 3000 ** 2) - (12 + 1.5 * 0.5 * attentionMs)) < 1e-9);
  assert.equal(timing.decodeMs(2, 4000, 0, 2 * 2000 ** 2), 12);
  assert.equal(timing.decodeMs(2, 4000, 0), 12);
});

test("calibratedTiming counts with a mixed pass what it costs the decode steps beside it", () => {
  const model = { nextn: 0, sumsMs: () => 30 } as unknown as ForwardPassModel;
  const mixed = { ...phase(1.1, 0), beside_ms: 7 };
  const correction = new PassCorrection({ phases: { prefill: null, decode: null, mixed } });
  const timing = calibratedTiming(BASE, model, { correction, mixed: "fused" });
  assert.ok(Math.abs(timing.mixedMs!(1, 100, 0, 4, 400) - (33 + 7)) < 1e-9);
});

test("calibratedTiming lengthens every pass of a replay by what lies between passes", () => {
  const model = { nextn: 0, sumsMs: () => 30 } as unknown as ForwardPassModel;
  const phases = { prefill: phase(1.5, 2), decode: phase(0.5, 2), mixed: { ...phase(1, 0), beside_ms: 10 } };
  const correction = new PassCorrection({ phases, between_passes: 0.25 });
  const fused = calibratedTiming(BASE, model, { correction, mixed: "fused" });
  assert.deepEqual([fused.prefillMs(2, 100, 0), fused.decodeMs(4, 4000, 1e6)], [40, 8.75]);
  assert.equal(fused.mixedMs!(1, 100, 0, 4, 400), 50);
  const summed = calibratedTiming(BASE, model, { correction, mixed: "sum" });
  assert.equal(summed.mixedMs!(2, 200, 0, 4, 4000), 40 + 8.75 - 2.5);
  // an estimate of one pass has nothing between
  assert.equal(correction.passMs(20, 200, 0, 0, 0), 32);
});
