import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PairMap } from "../../lib/collections/pair_map.ts";

test("PairMap answers as a map from pairs, through growth", () => {
  const key = fc.tuple(fc.integer({ min: -1, max: 30 }), fc.integer({ min: 0, max: 30 }));
  fc.assert(fc.property(fc.array(key, { maxLength: 600 }), (keys) => {
    const map = new PairMap(), plain = new Map<string, number>();
    keys.forEach(([first, second], value) => {
      const name = `${first},${second}`;
      assert.equal(map.get(first, second), plain.get(name) ?? -1);
      if (plain.has(name)) return;
      map.add(first, second, value);
      plain.set(name, value);
    });
    assert.equal(map.size, plain.size);
    for (const [name, value] of plain) {
      const [first, second] = name.split(",").map(Number);
      assert.equal(map.get(first, second), value);
    }
  }));
});
