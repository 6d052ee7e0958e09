import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EvictionHeap } from "../../../lib/engine/sglang/eviction_heap.ts";

test("EvictionHeap gives back valid entries by ascending stamp and drops the others", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.boolean()), { maxLength: 3000 }), (entries) => {
      const valid = new Set<number>();
      const heap = new EvictionHeap((node) => valid.has(node));
      entries.forEach(([stamp, keep], node) => {
        heap.push(node, stamp);
        if (keep) valid.add(node);
      });
      const got: number[] = [];
      for (let node = heap.peek(); node >= 0; node = heap.peek()) {
        got.push(entries[node][0]);
        heap.pop();
      }
      assert.deepEqual(got, entries.filter(([, keep]) => keep).map(([stamp]) => stamp).sort((a, b) => a - b));
    }),
    { numRuns: 50 },
  );
});
