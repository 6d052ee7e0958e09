import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { IntMap } from "../../lib/collections/int_map.ts";

// Few keys that collide often, neighbours, and large ones.
const key = fc.oneof(
  fc.nat(40),
  fc.nat(20).map((i) => i << 14),
  fc.integer({ min: 0, max: 0x7ffffffe }),
);

test("IntMap answers like a Map, whatever is added and deleted", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.nat()), { maxLength: 600, size: "max" }), (steps) => {
      const map = new IntMap(), expected = new Map<number, number>();
      for (const [key, value] of steps) {
        assert.equal(map.get(key), expected.get(key) ?? -1);
        if (expected.delete(key)) map.delete(key);
        else {
          map.add(key, value);
          expected.set(key, value);
        }
        assert.equal(map.size, expected.size);
      }
      for (const [key] of steps) assert.equal(map.get(key), expected.get(key) ?? -1);
    }),
    { seed: 1, numRuns: 200 },
  );
});

test("IntMap keeps every other key when keys of one long run of neighbours are deleted", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(120), { minLength: 1, maxLength: 100, size: "max" }), (deleted) => {
      const map = new IntMap();
      for (let key = 0; key <= 120; key++) map.add(key << 13, key);
      for (const key of deleted) map.delete(key << 13);
      for (let key = 0; key <= 120; key++) assert.equal(map.get(key << 13), deleted.includes(key) ? -1 : key);
    }),
    { seed: 2, numRuns: 200 },
  );
});
