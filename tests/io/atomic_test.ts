import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { AtomicFile, removeUnfinishedFiles, writeFileAtomically } from "../../lib/io/atomic.ts";

const fresh = () => mkdtempSync(join(tmpdir(), "dynosim-atomic-"));

test("writeFileAtomically writes text, bytes and pieces", async () => {
  const folder = fresh();
  await writeFileAtomically(join(folder, "a"), "text");
  await writeFileAtomically(join(folder, "a"), new TextEncoder().encode("bytes"));
  await writeFileAtomically(join(folder, "b"), ["one", "two"]);
  assert.equal(readFileSync(join(folder, "a"), "utf8"), "bytes");
  assert.equal(readFileSync(join(folder, "b"), "utf8"), "onetwo");
  assert.deepEqual(readdirSync(folder).sort(), ["a", "b"]);
});

test("AtomicFile writes texts longer than its buffers, among bytes, in order and as UTF-8", async () => {
  const path = join(fresh(), "a"), file = await AtomicFile.open(path);
  const pieces = ["begin ", "aé€😀".repeat(100_000), "", new TextEncoder().encode(" bytes "), "x".repeat(300_000), "é"];
  for (const piece of pieces) await file.write(piece);
  await file.commit();
  const expected = pieces.map((piece) => typeof piece === "string" ? piece : new TextDecoder().decode(piece)).join("");
  assert.ok(readFileSync(path, "utf8") === expected);
});

test("AtomicFile aborted after long text leaves nothing", async () => {
  const folder = fresh(), file = await AtomicFile.open(join(folder, "a"));
  await file.write("x".repeat(1_000_000));
  file.abort();
  assert.deepEqual(readdirSync(folder), []);
});

test("writeFileAtomically compresses names that end in .gz", async () => {
  const path = join(fresh(), "a.gz");
  await writeFileAtomically(path, Array.from({ length: 5000 }, (_, i) => `line ${i}\n`));
  assert.equal(gunzipSync(readFileSync(path)).toString().split("\n").length, 5001);
});

test("writeFileAtomically leaves the old file and no other when the source fails", async () => {
  const folder = fresh();
  writeFileSync(join(folder, "a"), "old");
  async function* failing() {
    yield "new";
    await Promise.reject(new Error("broken"));
  }
  await assert.rejects(writeFileAtomically(join(folder, "a"), failing()), /broken/);
  assert.equal(readFileSync(join(folder, "a"), "utf8"), "old");
  assert.deepEqual(readdirSync(folder), ["a"]);
});

test("AtomicFile shows nothing before commit; removeUnfinishedFiles removes what is open", async () => {
  const folder = fresh();
  const file = await AtomicFile.open(join(folder, "a"));
  await file.write("x");
  assert.equal(existsSync(join(folder, "a")), false);
  assert.equal(readdirSync(folder).length, 1);
  removeUnfinishedFiles();
  assert.deepEqual(readdirSync(folder), []);
});

test("AtomicFile says which file cannot be written, and why", async () => {
  const folder = fresh();
  writeFileSync(join(folder, "a"), "");
  await assert.rejects(AtomicFile.open(folder), {
    name: "ConfigError",
    message: `cannot write ${folder}: it is a directory`,
  });
  for (const path of [join(folder, "a", "x"), join(folder, "a", "b", "x.gz")]) {
    await assert.rejects(AtomicFile.open(path), { name: "ConfigError", message: /^cannot write .*x(\.gz)?: \w/ });
  }
  assert.deepEqual(readdirSync(folder), ["a"]);
});

test("writeFileAtomically makes the folder of a file", async () => {
  const path = join(fresh(), "deep", "er", "file");
  await writeFileAtomically(path, "text");
  assert.equal(readFileSync(path, "utf8"), "text");
});
