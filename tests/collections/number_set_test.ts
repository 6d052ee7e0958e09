import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NumberSet } from "../../lib/collections/number_set.ts";

test("NumberSet walks through its members as a sorted list does", () => {
  const change = fc.record({ number: fc.nat(300), adds: fc.boolean() });
  fc.assert(fc.property(fc.array(change, { maxLength: 60 }), fc.nat(320), (changes, from) => {
    const set = new NumberSet(), expected = new Set<number>();
    for (const { number, adds } of changes) {
      if (adds) {
        set.add(number);
        expected.add(number);
      } else {
        set.delete(number);
        expected.delete(number);
      }
    }
    const members: number[] = [];
    for (let at = set.next(0); at >= 0; at = set.next(at + 1)) members.push(at);
    assert.deepEqual(members, [...expected].toSorted((a, b) => a - b));
    assert.equal(set.next(from), members.find((member) => member >= from) ?? -1);
  }));
});
