import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { IdTable } from "../../lib/collections/id_table.ts";

test("IdTable numbers ids of any size in the order of their first appearance", () => {
  const id = fc.oneof(
    fc.integer({ min: 0, max: 40 }),
    fc.integer({ min: 60_000, max: 70_000 }),
    fc.maxSafeNat(),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
  );
  fc.assert(fc.property(fc.array(id, { maxLength: 500 }), (ids) => {
    const numbers = new Int32Array(ids.length), naive = new Map<number | bigint, number>();
    const table = new IdTable();
    table.intern(ids, ids.length, numbers, 0);
    const wanted = ids.map((one) => naive.get(one) ?? (naive.set(one, naive.size), naive.size - 1));
    assert.deepEqual([...numbers], wanted);
    assert.equal(table.count, naive.size);
  }));
});
