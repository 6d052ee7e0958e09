import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

// the mathematical functions of other engines may differ in the last digit
const skip = "Deno" in globalThis ? false : "the stored trace is made with Deno";

test("make_fixtures makes the stored trace again", { skip }, () => {
  const path = join(mkdtempSync(join(tmpdir(), "dynosim-fixtures-")), "chat.jsonl");
  const run = ["run", "--no-check", "-A", at("scripts/make_fixtures.ts"), "-o", path];
  execFileSync(process.execPath, run, { stdio: ["ignore", "ignore", "ignore"] });
  assert.equal(readFileSync(path, "utf8"), readFileSync(at("fixtures/traces/chat.jsonl"), "utf8"));
});
