import assert from "node:assert/strict";
import { test } from "node:test";
import { Kept, KeptList } from "../../lib/collections/kept.ts";

test("Kept hands the value before out again for as long as all fields are equal", () => {
  const kept = new Kept<{ a?: number; b?: number }>();
  const first = kept.keep({ a: 1, b: NaN });
  assert.equal(kept.keep({ a: 1, b: NaN }), first);
  assert.deepEqual(kept.keep({ a: 2, b: NaN }), { a: 2, b: NaN });
  assert.deepEqual(kept.keep({ a: 2 }), { a: 2 });
  assert.deepEqual(kept.keep({}), {});
  assert.deepEqual(kept.keep({ b: 3 }), { b: 3 });
});

test("KeptList hands the list before out again for as long as its elements are the same", () => {
  const kept = new KeptList<number>();
  const given = [1, 2], first = kept.keep(given);
  assert.notEqual(first, given);
  assert.equal(kept.keep([1, 2]), first);
  assert.deepEqual(kept.keep([1, 2, 3]), [1, 2, 3]);
  assert.deepEqual(kept.keep([]), []);
});
