import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RunMap } from "../../lib/collections/run_map.ts";

// Runs of neighbours over the borders of pages, among few keys, so that pages are emptied and used again.
const run = fc.tuple(fc.oneof(fc.nat(100), fc.integer({ min: 0, max: 0x7fffff00 })), fc.integer({ min: 1, max: 40 }));

test("RunMap answers like a Map, whatever runs are added and deleted", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(run, fc.nat(1_000_000)), { maxLength: 60, size: "max" }), (steps) => {
      const map = new RunMap(), expected = new Map<number, number>();
      for (const [[first, length], value] of steps) {
        for (let key = first; key < first + length; key++) {
          assert.equal(map.get(key), expected.get(key) ?? -1);
          if (expected.has(key) && value % 2 === 0) {
            map.set(key, value);
            expected.set(key, value);
          } else if (expected.delete(key)) map.delete(key);
          else {
            map.add(key, value + key % 7);
            expected.set(key, value + key % 7);
          }
        }
        for (let key = first - 20; key < first + 60; key++) {
          if (key >= 0) assert.equal(map.get(key), expected.get(key) ?? -1);
        }
      }
    }),
    { seed: 1, numRuns: 200 },
  );
});
