import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SequenceTable } from "../../lib/collections/sequence_table.ts";

test("SequenceTable numbers sequences as a map by their text does", () => {
  const item = fc.oneof(fc.nat(2), fc.constantFrom(65535, 65536, 4294967295), fc.nat());
  fc.assert(fc.property(fc.array(fc.array(item, { maxLength: 5 }), { maxLength: 300 }), (sequences) => {
    const table = new SequenceTable(), known = new Map<string, number>();
    for (const sequence of sequences) {
      const text = sequence.join(" ");
      if (!known.has(text)) known.set(text, known.size);
      assert.equal(table.numberOf(Uint32Array.from([...sequence, 7]), sequence.length), known.get(text));
    }
    assert.equal(table.size, known.size);
  }));
});
