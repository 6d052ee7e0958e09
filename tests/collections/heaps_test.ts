import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Heap } from "../../lib/collections/heap.ts";
import { IndexHeap } from "../../lib/collections/index_heap.ts";
import { KeyedHeap } from "../../lib/collections/keyed_heap.ts";

const numbers = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 300 });
const ascending = (values: readonly number[]) => values.toSorted((a, b) => a - b);

test("Heap gives items back in order, however pushes and pops are mixed", () => {
  fc.assert(fc.property(fc.array(fc.option(fc.integer()), { maxLength: 300 }), (steps) => {
    const heap = new Heap<number>((a, b) => a - b);
    let naive: number[] = [];
    for (const step of steps) {
      if (step === null) {
        assert.equal(heap.pop(), naive[0]);
        naive = naive.slice(1);
      } else {
        heap.push(step);
        naive = ascending([...naive, step]);
      }
      assert.equal(heap.first, naive[0]);
      assert.equal(heap.size, naive.length);
    }
  }));
});

test("IndexHeap orders entries by time, equal ones by number", () => {
  fc.assert(fc.property(numbers, (times) => {
    const heap = new IndexHeap(times.length, Float64Array.from(times));
    times.forEach((_, entry) => heap.push(entry));
    const got: number[] = [];
    for (; heap.size > 0; heap.pop()) got.push(heap.first);
    assert.deepEqual(got, [...times.keys()].sort((a, b) => times[a] - times[b] || a - b));
  }));
});

test("KeyedHeap gives values back by key, without those it was told to drop", () => {
  fc.assert(fc.property(numbers, (keys) => {
    const heap = new KeyedHeap();
    keys.forEach((key, value) => heap.push(value, key));
    heap.keep((value) => value % 3 !== 0);
    const got: number[] = [];
    for (; heap.size > 0; heap.pop()) {
      assert.equal(heap.firstKey, keys[heap.first]);
      got.push(heap.firstKey);
    }
    assert.deepEqual(got, ascending(keys.filter((_, value) => value % 3 !== 0)));
  }));
});
