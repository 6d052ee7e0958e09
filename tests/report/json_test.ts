import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { indentedJson, indentedPieces } from "../../lib/report/json.ts";

test("indentedPieces puts together what indentedJson gives", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.nat(3), (value, halves) => {
    assert.equal([...indentedPieces(value, 2 * halves)].join(""), indentedJson(value, 2 * halves));
  }));
});

test("indentedPieces tells long lists entry by entry, also those of objects inside", () => {
  const list = Array.from({ length: 200 }, (_, i) => i % 3 === 0 ? i : { b: i, a: [`\u00e9${i}`, null] });
  const value = { z: list, a: { list, none: undefined }, short: [1, 2], empty: {}, nothing: [] };
  const pieces = [...indentedPieces(value, 2)];
  assert.equal(pieces.join(""), indentedJson(value, 2));
  assert.ok(pieces.length > 400);
  assert.ok(pieces.every((piece) => piece.length < 200));
});
