import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../../../lib/errors.ts";
import { PassCorrection } from "../../../lib/timing/calibration/correction.ts";
import { parseCalibration, type PhaseCorrection } from "../../../lib/timing/calibration/profile.ts";

const phase = (part: Partial<PhaseCorrection>): PhaseCorrection => ({
  ratio: 1,
  constant_ms: 0,
  curve: [],
  n: 10,
  seen: { decode_requests: null, prefill_tokens: null },
  ...part,
});
const decode = phase({
  ratio: 1.2,
  constant_ms: 2,
  curve: [[0, 1], [2, 1.5]],
  seen: { decode_requests: [1, 16], prefill_tokens: null },
});
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test("PassCorrection multiplies by ratio and curve and adds the constant inside of what was seen", () => {
  const correction = new PassCorrection({ phases: { prefill: null, decode, mixed: null } });
  near(correction.passMs(10, 0, 1), 10 * 1.2 + 2);
  near(correction.passMs(10, 0, 2), 10 * 1.2 * 1.25 + 2);
  near(correction.passMs(10, 0, 16), 10 * 1.2 * 1.5 + 2);
  assert.deepEqual([correction.passes, correction.outside], [3, 0]);
});

test("PassCorrection fades to the estimate over one and a half doublings outside of what was seen, and counts", () => {
  const correction = new PassCorrection({ phases: { prefill: null, decode, mixed: null } });
  near(correction.passMs(10, 0, 32), 10 + (10 * 1.2 * 1.5 + 2 - 10) / 3);
  near(correction.passMs(10, 0, 64), 10);
  near(correction.passMs(10, 512, 0), 10);
  assert.deepEqual([correction.passes, correction.outside], [3, 3]);
  correction.reset();
  assert.deepEqual([correction.passes, correction.outside], [0, 0]);
});

test("PassCorrection stays between a quarter and four times the estimate", () => {
  const correction = new PassCorrection({
    phases: { prefill: phase({ constant_ms: 100 }), decode: null, mixed: null },
  });
  near(correction.passMs(1, 64, 0), 4);
  near(correction.passMs(1000, 64, 0), 1100);
  assert.equal(correction.passMs(0, 64, 0), 0);
});

test("PassCorrection weighs both sides of a mixed pass where none was seen", () => {
  const prefill = phase({ ratio: 2 });
  const correction = new PassCorrection({ phases: { prefill, decode: phase({ ratio: 1 }), mixed: null } });
  near(correction.passMs(10, 30, 10), 10 * (0.75 * 2 + 0.25));
  assert.equal(correction.outside, 1);
});

test("parseCalibration names what is wrong in a profile and where", () => {
  assert.throws(() => parseCalibration({ format: "dynosim.calibration.v2" }, "mine.json"), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /^mine\.json is no calibration that `calibrate` wrote: format: /);
    assert.equal(error.issues[0].path, "format");
    return true;
  });
});
