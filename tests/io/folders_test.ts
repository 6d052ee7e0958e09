import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { filesAt, prepareOutputFolder } from "../../lib/io/folders.ts";

const fresh = () => mkdtempSync(join(tmpdir(), "dynosim-folders-"));

test("prepareOutputFolder makes a folder with its parents", () => {
  const folder = join(fresh(), "a", "b");
  prepareOutputFolder(folder, { known: [] });
  assert.ok(existsSync(folder));
  prepareOutputFolder(folder, { known: [] });
});

test("prepareOutputFolder refuses what is no folder or not empty", () => {
  const folder = fresh();
  writeFileSync(join(folder, "file"), "");
  assert.throws(
    () => prepareOutputFolder(join(folder, "file"), { known: [] }),
    { message: `output path ${join(folder, "file")} exists and is not a directory` },
  );
  assert.throws(() => prepareOutputFolder(folder, { known: [] }), {
    message: `output directory ${folder} is not empty; pass --overwrite to replace known AISimulate outputs`,
  });
});

test("prepareOutputFolder with overwrite removes known files only", () => {
  const folder = fresh();
  for (const name of ["prediction.json", "notes.txt"]) writeFileSync(join(folder, name), "");
  mkdirSync(join(folder, "many"));
  for (const name of ["0001.yaml", "1.yaml"]) writeFileSync(join(folder, "many", name), "");
  const many = { folder: "many", matches: (name: string) => /^\d{4}\.yaml$/.test(name) };
  prepareOutputFolder(folder, { overwrite: true, known: ["prediction.json", many, { ...many, folder: "none" }] });
  assert.deepEqual(readdirSync(folder).sort(), ["many", "notes.txt"]);
  assert.deepEqual(readdirSync(join(folder, "many")), ["1.yaml"]);
});

test("filesAt finds files of a folder and of globs, sorted", () => {
  const folder = fresh();
  mkdirSync(join(folder, "x", "y"), { recursive: true });
  for (const name of ["b.jsonl", "a.jsonl.gz", "c.txt", "x/d.jsonl", "x/y/e.jsonl", "p.1.jsonl", "p.2.jsonl"]) {
    writeFileSync(join(folder, name), "");
  }
  const at = (pattern: string) =>
    filesAt(pattern === "" ? folder : join(folder, pattern)).map((p) => p.slice(folder.length + 1));
  assert.deepEqual(at(""), ["a.jsonl.gz", "b.jsonl", "p.1.jsonl", "p.2.jsonl", "x/d.jsonl", "x/y/e.jsonl"]);
  assert.deepEqual(at("*.jsonl"), ["b.jsonl", "p.1.jsonl", "p.2.jsonl"]);
  assert.deepEqual(at("p.[12].jsonl"), ["p.1.jsonl", "p.2.jsonl"]);
  assert.deepEqual(at("p.[!1].jsonl"), ["p.2.jsonl"]);
  assert.deepEqual(at("?.jsonl"), ["b.jsonl"]);
  assert.deepEqual(at("**/*.jsonl"), ["b.jsonl", "p.1.jsonl", "p.2.jsonl", "x/d.jsonl", "x/y/e.jsonl"]);
  assert.deepEqual(at("*/*.jsonl"), ["x/d.jsonl"]);
  assert.deepEqual(at("none-*"), []);
  assert.deepEqual(at("missing.jsonl"), ["missing.jsonl"]);
});
