import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, TraceError } from "../lib/errors.ts";

test("ConfigError keeps every issue with its path and place", () => {
  const error = new ConfigError("one problem", [{
    path: "engine.model",
    message: "Field required",
    line: 3,
    column: 1,
  }]);
  assert.equal(error.name, "ConfigError");
  assert.deepEqual(error.issues.map((issue) => issue.path), ["engine.model"]);
});

test("TraceError keeps the place in the file", () => {
  assert.deepEqual(new TraceError("bad", { file: "a.jsonl", line: 2, column: 5 }).place, {
    file: "a.jsonl",
    line: 2,
    column: 5,
  });
});
