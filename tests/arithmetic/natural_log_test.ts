import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { naturalLog } from "../../lib/arithmetic/natural_log.ts";

test("naturalLog is exact where the result is known", () => {
  assert.equal(naturalLog(1), 0);
  assert.equal(naturalLog(0.5), -0.6931471805599453);
  assert.equal(naturalLog(2), 0.6931471805599453);
  assert.equal(naturalLog(10), 2.302585092994046);
  assert.equal(naturalLog(2.2250738585072014e-308), -708.3964185322641);
  // 1 - 2^-53: ln is -2^-53 - 2^-107, which rounds to -2^-53
  assert.equal(naturalLog(1 - 2 ** -53), -(2 ** -53));
});

test("naturalLog is the engine's logarithm but for the last digit", () => {
  fc.assert(fc.property(fc.double({ min: 2.3e-308, max: 1, noNaN: true }), (value) => {
    const expected = Math.log(value);
    assert.ok(Math.abs(naturalLog(value) - expected) <= Math.abs(expected) * 2.3e-16);
  }));
});
