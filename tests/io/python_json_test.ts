import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePythonJson } from "../../lib/io/python_json.ts";

test("parsePythonJson takes bare NaN and Infinity for null and leaves texts and broken files alone", () => {
  assert.deepEqual(parsePythonJson('{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN"}'), {
    a: null,
    b: [null, null],
    c: "NaN",
  });
  assert.throws(() => parsePythonJson('{"a": NaNs}'), SyntaxError);
  assert.throws(() => parsePythonJson('{"a": NaN'), SyntaxError);
});
