import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { JsonCursor } from "../../lib/trace/json_cursor.ts";
import { JsonProblem } from "../../lib/trace/number_cursor.ts";

function cursor(text: string): JsonCursor {
  const bytes = new TextEncoder().encode(text);
  const result = new JsonCursor();
  result.open(bytes, 0, bytes.length);
  return result;
}

test("JsonCursor.number reads up to 15 digits like JSON.parse", () => {
  for (
    const text of ["0", "-0", "12", "-3.25", "0.1", "1e3", "1.5E-2", "123456789.012345", "2e0", "100000000000000e7"]
  ) {
    assert.equal(Object.is(cursor(text).number(), JSON.parse(text)), true, text);
  }
});

test("JsonCursor.number reads longer fractions as one integer and one division", () => {
  for (const text of ["10.180999999999999", "0.12345678901234567", "9.999999999999999999999"]) {
    const [whole, fraction] = text.split(".");
    let digits = BigInt(whole), places = 0;
    for (const digit of fraction) {
      const longer = digits * 10n + BigInt(digit);
      if (longer >= 2n ** 64n) break;
      digits = longer;
      places++;
    }
    assert.equal(cursor(text).number(), Number(digits) / Number(`1e${places}`), text);
  }
});

test("JsonCursor.number rounds long integers correctly", () => {
  assert.equal(cursor("9007199254740995").number(), 9007199254740996);
  assert.equal(cursor("18446744073709551616").number(), 18446744073709552000);
});

test("JsonCursor.value agrees with JSON.parse on any document", () => {
  fc.assert(fc.property(fc.json({ noUnicodeString: false }), (text) => {
    const expected = JSON.parse(text);
    const read = cursor(text);
    const value = read.value();
    read.finish();
    assert.ok(same(value, expected), text);
    const skipping = cursor(text);
    skipping.skip();
    skipping.finish();
  }));
});

/** Equality of values; numbers of 16 digits and more may differ in the last place by design. */
function same(a: unknown, b: unknown): boolean {
  // Subnormal numbers have fewer digits: their last place is the smallest step of all.
  if (typeof b === "number") return Math.abs(Number(a) - b) <= Math.max(Math.abs(b) * 4e-16, Number.MIN_VALUE);
  if (typeof b !== "object" || b === null) return a === b;
  const keys = Object.keys(b);
  return Object.keys(a as object).length === keys.length &&
    keys.every((key) => same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]));
}

test("JsonCursor refuses what JSON.parse refuses", () => {
  for (
    const text of [
      "",
      "{",
      "[1,]",
      '{"a"}',
      '{"a":}',
      "01",
      "1.",
      ".5",
      "-",
      "1e",
      "tru",
      "nul",
      '"\\x"',
      '"a',
      "[1 2]",
      "{,}",
      '{"a":1,}',
      "+1",
    ]
  ) {
    assert.throws(() => JSON.parse(text), SyntaxError, text);
    assert.throws(
      () => {
        const read = cursor(text);
        read.value();
        read.finish();
      },
      JsonProblem,
      text,
    );
  }
});

test("JsonCursor refuses endless nesting", () => {
  assert.throws(() => cursor("[".repeat(100_000)).value(), /levels of nesting/);
  assert.throws(() => cursor("[".repeat(100_000)).skip(), /levels of nesting/);
});
