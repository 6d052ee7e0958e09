import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { IntList } from "../../lib/collections/int_list.ts";

test("IntList does what an array does", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("add" as const), slot: fc.nat(500) }),
    fc.record({ do: fc.constant("remove" as const), slot: fc.nat(500) }),
    fc.record({ do: fc.constant("removeAt" as const), slot: fc.nat(500) }),
  );
  fc.assert(fc.property(fc.array(step, { maxLength: 400 }), fc.boolean(), (steps, clears) => {
    const list = new IntList();
    let array: number[] = [];
    for (const { do: what, slot } of steps) {
      if (what === "add") {
        list.add(slot);
        array.push(slot);
      } else if (what === "remove" && array.includes(slot)) {
        list.removeAt(list.indexOf(slot));
        array.splice(array.lastIndexOf(slot), 1);
      } else if (what === "removeAt" && array.length > 0) {
        list.removeAt(slot % array.length);
        array.splice(slot % array.length, 1);
      }
    }
    if (clears) {
      list.clear();
      array = [];
    }
    assert.deepEqual([...list.slots.subarray(0, list.count)], array);
  }));
});

test("IntList grows past its first room", () => {
  const list = new IntList();
  for (let slot = 0; slot < 1000; slot++) list.add(slot);
  assert.equal(list.count, 1000);
  assert.deepEqual([...list.slots.subarray(0, 1000)], Array.from({ length: 1000 }, (_, slot) => slot));
});
