import assert from "node:assert/strict";
import { test } from "node:test";
import { NewTokenRatio } from "../../../lib/engine/sglang/new_token_ratio.ts";

test("NewTokenRatio falls from 0.7 to 14 percent of it in 600 decode passes", () => {
  const ratio = new NewTokenRatio(1, false);
  assert.equal(ratio.value, 0.7);
  for (let pass = 0; pass < 600; pass++) ratio.decay();
  assert.ok(Math.abs(ratio.value - 0.098) < 1e-12);
  ratio.decay();
  ratio.decay();
  assert.equal(ratio.value, 0.7 * 0.14);
  ratio.reset();
  assert.equal(ratio.value, 0.7);
});

test("NewTokenRatio is less cautious in a group of ranks", () => {
  assert.equal(new NewTokenRatio(1.5, true).value, 0.7 * (1.5 * 0.3));
});

test("NewTokenRatio learns from a retraction, at most 1", () => {
  const ratio = new NewTokenRatio(1, false);
  ratio.retracted(2, 30, 199);
  assert.equal(ratio.value, 70 / 200);
  ratio.retracted(2, 30, 20);
  assert.equal(ratio.value, 1);
});
