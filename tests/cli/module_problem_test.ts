import assert from "node:assert/strict";
import { test } from "node:test";
import { moduleProblem } from "../../cli/module_problem.ts";

const missing = (message: string) => Object.assign(new TypeError(message), { code: "ERR_MODULE_NOT_FOUND" });

test("moduleProblem tells where the files of a package come back from", () => {
  const file = "/home/u/.cache/deno/npm/registry/@noble/hashes/2.4.0/sha2.js";
  assert.equal(
    moduleProblem(missing(`[ERR_MODULE_NOT_FOUND] Cannot find module 'file://${file}' imported from 'file:///x/a.ts'`)),
    `${file} is missing: delete the folder /home/u/.cache/deno/npm/registry/@noble/hashes/2.4.0, and Deno downloads it again`,
  );
  assert.equal(
    moduleProblem(missing("Cannot find module '/app/node_modules/valibot/dist/index.mjs' imported from /app/a.ts")),
    "/app/node_modules/valibot/dist/index.mjs is missing: install the packages anew (npm install, bun install)",
  );
  assert.equal(
    moduleProblem(new SyntaxError("Unexpected token at file:///d/npm/registry/valibot/1.5.0/dist/index.mjs:771:21")),
    "/d/npm/registry/valibot/1.5.0/dist/index.mjs:771:21 cannot be loaded: Unexpected token; " +
      "delete the folder /d/npm/registry/valibot/1.5.0, and Deno downloads it again",
  );
});

test("moduleProblem has nothing to say of anything else", () => {
  for (const text of ["{", '{"a": at file:///x.json:1:2}', ""]) {
    assert.throws(() => JSON.parse(text), (problem) => moduleProblem(problem) === null);
  }
  for (const problem of [new TypeError("x is not a function"), new RangeError("at file:///x:1:2"), undefined, "text"]) {
    assert.equal(moduleProblem(problem), null);
  }
  assert.equal(moduleProblem(missing("")), null);
});
