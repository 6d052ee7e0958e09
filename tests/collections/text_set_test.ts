import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { TextSet } from "../../lib/collections/text_set.ts";

test("TextSet.add says whether a text is new", () => {
  fc.assert(fc.property(fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.nat(99).map(String))), (texts) => {
    const set = new TextSet(), exact = new Set<string>();
    for (const text of texts) {
      assert.equal(set.add(text), !exact.has(text));
      exact.add(text);
    }
    assert.equal(set.size, exact.size);
  }));
});

test("TextSet tells half a million numbered ids apart", () => {
  const set = new TextSet();
  for (let i = 0; i < 500_000; i++) assert.equal(set.add(`req-${i}`), true);
  assert.equal(set.add("req-499999"), false);
});
