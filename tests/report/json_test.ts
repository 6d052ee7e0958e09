import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { indentedJson, indentedPieces } from "../../lib/report/json.ts";

/** What `JSON.stringify` makes of a value with sorted keys. */
function plainly(value: unknown): string {
  const sorted = (value: any): any => {
    if (value === null || typeof value !== "object") return value;
    if (typeof value.toJSON === "function") return sorted(value.toJSON());
    if (Array.isArray(value)) return value.map(sorted);
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
  };
  return JSON.stringify(sorted(value), null, 2)
    .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const { leaf } = fc.letrec(() => ({
  leaf: fc.oneof(
    fc.constantFrom(
      undefined,
      null,
      true,
      -0,
      NaN,
      Infinity,
      1e21,
      0.1,
      "",
      '"\\',
      "\u00e9\u{1f600}",
      "\x7f\n",
      () => 1,
    ),
    fc.date({ noInvalidDate: true }),
    fc.integer(),
    fc.string(),
  ),
}));
const keys = fc.constantFrom("b", "a", "10", "9", "\u00e9", 'a"');
const anything = fc.letrec((tie) => ({
  value: fc.oneof(leaf, fc.array(tie("value"), { maxLength: 4 }), fc.dictionary(keys, tie("value"), { maxKeys: 4 })),
})).value;

test("indentedJson gives what JSON.stringify gives of sorted keys", () => {
  fc.assert(fc.property(anything, (value) => {
    assert.equal(indentedJson([value]), plainly([value]));
  }));
});

test("indentedJson tells objects that come again, alone or in others with the same keys", () => {
  const dictionary = fc.dictionary(keys, leaf, { maxKeys: 3 });
  fc.assert(fc.property(fc.array(dictionary, { minLength: 1 }), fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(2))), (
    few,
    picks,
  ) => {
    const list = picks.map(([a, b, n]) => {
      const first = few[a % few.length], second = few[b % few.length];
      return [{ first, second, n }, { none: undefined, second, n }, { none: n ? n : undefined, second, n }];
    });
    assert.equal(indentedJson(list), plainly(list));
  }));
});

test("indentedPieces puts together what indentedJson gives", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.nat(3), (value, halves) => {
    assert.equal([...indentedPieces(value, 2 * halves)].join(""), indentedJson(value, 2 * halves));
  }));
});

test("indentedPieces cuts long lists between entries, also those of objects inside", () => {
  const list = Array.from({ length: 20_000 }, (_, i) => i % 3 === 0 ? i : { b: i, a: [`\u00e9${i}`, null] });
  const value = { z: list, a: { list, none: undefined }, short: [1, 2], empty: {}, nothing: [] };
  const pieces = [...indentedPieces(value, 2)];
  assert.equal(pieces.join(""), indentedJson(value, 2));
  assert.ok(pieces.length > 10);
  assert.ok(pieces.every((piece) => piece.length < 1 << 19));
});
