import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SlotMap } from "../../lib/collections/slot_map.ts";

test("SlotMap gives every key that is there a slot of its own, and no more slots than there were keys at once", () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.oneof(fc.nat(300), fc.nat(2 ** 20))), { maxLength: 400 });
  fc.assert(fc.property(steps, (steps) => {
    const map = new SlotMap(), slots = new Map<number, number>();
    let most = 0;
    for (const [add, key] of steps) {
      assert.equal(map.get(key), slots.get(key) ?? -1);
      if (add && !slots.has(key)) {
        const slot = map.take(key);
        assert.ok(![...slots.values()].includes(slot));
        slots.set(key, slot);
        most = Math.max(most, slots.size);
        assert.ok(slot < most);
      } else if (!add && slots.has(key)) {
        assert.equal(map.give(key), slots.get(key));
        slots.delete(key);
      }
    }
    for (const [key, slot] of slots) assert.equal(map.get(key), slot);
  }));
});
