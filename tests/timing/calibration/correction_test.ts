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
  near(correction.passMs(10, 0, 1, 0, 0), 10 * 1.2 + 2);
  near(correction.passMs(10, 0, 2, 0, 0), 10 * 1.2 * 1.25 + 2);
  near(correction.passMs(10, 0, 16, 0, 0), 10 * 1.2 * 1.5 + 2);
  assert.deepEqual([correction.passes, correction.outside], [3, 0]);
});

test("PassCorrection fades to the estimate over one and a half doublings outside of what was seen, and counts", () => {
  const correction = new PassCorrection({ phases: { prefill: null, decode, mixed: null } });
  near(correction.passMs(10, 0, 32, 0, 0), 10 + (10 * 1.2 * 1.5 + 2 - 10) / 3);
  near(correction.passMs(10, 0, 64, 0, 0), 10);
  near(correction.passMs(10, 512, 0, 0, 0), 10);
  assert.deepEqual([correction.passes, correction.outside], [3, 3]);
  correction.reset();
  assert.deepEqual([correction.passes, correction.outside], [0, 0]);
});

test("PassCorrection stays between a quarter and eight times the estimate", () => {
  const correction = new PassCorrection({
    phases: { prefill: phase({ constant_ms: 100 }), decode: null, mixed: null },
  });
  near(correction.passMs(1, 64, 0, 0, 0), 8);
  near(correction.passMs(1000, 64, 0, 0, 0), 1100);
  assert.equal(correction.passMs(0, 64, 0, 0, 0), 0);
});

test("PassCorrection weighs both sides of a mixed pass where none was seen", () => {
  const prefill = phase({ ratio: 2 });
  const correction = new PassCorrection({ phases: { prefill, decode: phase({ ratio: 1 }), mixed: null } });
  near(correction.passMs(10, 30, 10, 0, 0), 10 * (0.75 * 2 + 0.25));
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

test("PassCorrection corrects passes beyond a size apart, none of them shorter than their least time", () => {
  const seen = { decode_requests: null, prefill_tokens: [1, 8192] as [number, number] };
  const prefill = phase({ ratio: 1, least_ms: 16, seen });
  const beyond = { ...phase({ ratio: 1.5, least_ms: 40, seen }), tokens: 512 };
  const correction = new PassCorrection({ phases: { prefill: { ...prefill, beyond }, decode: null, mixed: null } });
  near(correction.passMs(10, 512, 0, 0, 0), 16);
  near(correction.passMs(20, 512, 0, 0, 0), 20);
  near(correction.passMs(20, 513, 0, 0, 0), 40);
  near(correction.passMs(60, 8192, 0, 0, 0), 90);
});

test("PassCorrection multiplies by the cell of a table, and by nothing where none is", () => {
  const seen = { decode_requests: null, prefill_tokens: [1, 8192] as [number, number] };
  const tables = [{
    over: "prior_tokens" as const,
    cells: [[20, 12, 1.25], [20, 0, 0.9]] as [number, number, number][],
  }];
  const correction = new PassCorrection({ phases: { prefill: phase({ seen, tables }), decode: null, mixed: null } });
  near(correction.passMs(10, 1024, 0, 4096, 0), 12.5);
  near(correction.passMs(10, 1024, 0, 0, 0), 9);
  near(correction.passMs(10, 1024, 0, 8192, 0), 10);
  near(correction.passMs(10, 1024, 0, 1 << 20, 0), 10);
  near(correction.passMs(10, 8000, 0, 4096, 0), 10);
  const decode = phase({
    seen: { decode_requests: [1, 64], prefill_tokens: null },
    tables: [{ over: "context_tokens", cells: [[6, 11, 1.5]] }],
  });
  const ofDecode = new PassCorrection({ phases: { prefill: null, decode, mixed: null } });
  near(ofDecode.passMs(10, 0, 8, 0, 8 * 2048), 15);
  near(ofDecode.passMs(10, 0, 8, 0, 8 * 4096), 10);
});

test("PassCorrection adds up the deviations of all nested cells that a pass is in", () => {
  const seen = { decode_requests: [1, 64] as [number, number], prefill_tokens: [1, 8192] as [number, number] };
  const cells = {
    over: ["decode_requests" as const, "prompts" as const],
    steps: [{ step: 2, cells: [[5, 2, 0, 0.25]] }, { step: 0.5, cells: [[20, 8, 0, 0.05], [20, 8, 2, -0.1]] }],
  };
  const correction = new PassCorrection({ phases: { prefill: null, decode: null, mixed: phase({ seen, cells }) } });
  near(correction.passMs(10, 1024, 16, 0, 0, 1), 10 * 1.3);
  near(correction.passMs(10, 1024, 16, 7000, 0), 10 * 1.3);
  near(correction.passMs(10, 1024, 16, 0, 0, 2), 10 * 0.9);
  near(correction.passMs(10, 1400, 16, 0, 0, 1), 10 * 1.25);
  near(correction.passMs(10, 64, 16, 0, 0, 1), 10);
});

test("parseCalibration refuses cells that are not over their sizes", () => {
  const seen = { decode_requests: null, prefill_tokens: [1, 8192] as [number, number] };
  const problems = (cells: unknown) => {
    try {
      parseCalibration({ phases: { prefill: { ...phase({ seen }), cells } } });
    } catch (error) {
      return (error as ConfigError).issues.map(({ message }) => message).join();
    }
  };
  const steps = (cell: number[]) => [{ step: 1, cells: [cell] }];
  for (const cell of [[10, 2], [10, 2, 3, 0.1], [10, 0.5, 0.1], [-1, 2, 0.1]]) {
    assert.match(problems({ over: ["prompts"], steps: steps(cell) })!, /a cell is a place in prompt tokens/);
  }
  assert.doesNotMatch(problems({ over: ["prompts"], steps: steps([10, 2, 0.1]) })!, /a cell is/);
  assert.match(problems({ over: ["prompts", "prompts"], steps: steps([1, 1, 1, 0.1]) })!, /a size counts once/);
});
