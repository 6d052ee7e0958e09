import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { type ByteSourceError, gunzipped, readBytes } from "../../lib/io/bytes.ts";
import { pause } from "../../lib/io/timers.ts";

const folder = mkdtempSync(join(tmpdir(), "dynosim-bytes-"));
const text = "line\n".repeat(100_000);

async function all(source: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const piece of source) parts.push(piece.slice());
  return new TextDecoder().decode(Buffer.concat(parts));
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
  }
}

test("readBytes gives a plain file in pieces", async () => {
  const path = join(folder, "plain");
  writeFileSync(path, text);
  assert.equal(await all(readBytes(path, { chunkBytes: 777 })), text);
});

test("readBytes unpacks gzip whatever the name, all members and trailing zeros included", async () => {
  const path = join(folder, "packed");
  writeFileSync(path, Buffer.concat([gzipSync(text), gzipSync("more"), Buffer.alloc(512)]));
  assert.equal(await all(readBytes(path)), `${text}more`);
  const raw = await all(readBytes(path, { raw: true }));
  assert.notEqual(raw.slice(0, 4), text.slice(0, 4));
});

test("gunzipped knows gzip when the first piece is one byte", async () => {
  for (const size of [1, 2, 3, 1000]) assert.equal(await all(gunzipped(pieces(gzipSync("hello"), size))), "hello");
  assert.equal(await all(gunzipped(pieces(Buffer.from("x"), 1))), "x");
  assert.equal(await all(gunzipped(pieces(Buffer.from(""), 1))), "");
});

test("readBytes says that gzip data ends early", async () => {
  const path = join(folder, "cut");
  const packed = gzipSync(text);
  writeFileSync(path, packed.subarray(0, packed.length - 20));
  await assert.rejects(all(readBytes(path)), (problem: ByteSourceError) => {
    assert.equal(problem.stage, "read");
    assert.match(problem.message, /unexpected end of file/);
    return true;
  });
});

test("gunzipped gives all that is there of gzip data that may end early, however slowly it is taken", async () => {
  const packed = gzipSync(Array.from({ length: 60_000 }, (_, i) => `${i * 7919 % 10_007}\n`).join(""));
  const start = packed.subarray(0, packed.length / 2);
  const found: string[] = [];
  for (const pauseMs of [0, 5]) {
    let text = "";
    for await (const piece of gunzipped(pieces(start, start.length), undefined, true)) {
      text += new TextDecoder().decode(piece);
      await pause(pauseMs);
    }
    found.push(text);
  }
  assert.ok(found[0].length > 100_000);
  assert.equal(found[1], found[0]);
});

test("readBytes says that a file cannot be opened", async () => {
  await assert.rejects(all(readBytes(join(folder, "none"))), (problem: ByteSourceError) => problem.stage === "open");
});

test("readBytes closes the file when the loop is left", async () => {
  const path = join(folder, "packed");
  for (let i = 0; i < 2000; i++) for await (const _ of readBytes(path, { raw: true, chunkBytes: 16 })) break;
  for await (const _ of readBytes(path)) break;
});
