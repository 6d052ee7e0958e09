import assert from "node:assert/strict";
import { test } from "node:test";
import { longer, reaching } from "../../lib/collections/growing.ts";

test("longer keeps the kind and the entries, and fills the new ones", () => {
  assert.deepEqual(longer(Int32Array.of(1, 2)), Int32Array.of(1, 2, 0, 0));
  assert.deepEqual(longer(Uint8Array.of(1), 3), Uint8Array.of(1, 0, 0));
  assert.deepEqual(longer(Float64Array.of(1), 3, NaN), Float64Array.of(1, NaN, NaN));
});

test("reaching copies only when the index lies outside, and then at least doubles", () => {
  const column = Int32Array.of(1, 2, 3);
  assert.equal(reaching(column, 2), column);
  assert.deepEqual(reaching(column, 3, -1), Int32Array.of(1, 2, 3, -1, -1, -1));
  assert.equal(reaching(column, 9).length, 10);
});
