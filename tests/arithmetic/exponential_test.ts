import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { exponential } from "../../lib/arithmetic/exponential.ts";
import { naturalLog } from "../../lib/arithmetic/natural_log.ts";

test("exponential is exact where the result is known", () => {
  assert.equal(exponential(0), 1);
  assert.equal(exponential(1), 2.718281828459045);
  assert.equal(exponential(-1), 0.36787944117144233);
  assert.equal(exponential(10), 22026.465794806718);
  assert.equal(exponential(700), 1.0142320547350045e304);
});

test("exponential is the engine's but for the last digit", () => {
  fc.assert(fc.property(fc.double({ min: -700, max: 700, noNaN: true }), (value) => {
    const expected = Math.exp(value);
    assert.ok(Math.abs(exponential(value) - expected) <= expected * 2.3e-16);
  }));
});

test("exponential takes a logarithm back", () => {
  fc.assert(fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true }), (value) => {
    assert.ok(Math.abs(exponential(naturalLog(value)) / value - 1) <= 1e-13);
  }));
});
