import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { traceSize } from "../../lib/trace/trace_size.ts";
import { inFolder } from "../cli/support.ts";

const ROWS = 60_000;
const row = (i: number) =>
  JSON.stringify({
    timestamp: i * 20,
    input_length: 500 + i * 7 % 512,
    output_length: 9,
    hash_ids: [i % 99, i, 2 * i],
  });
const text = Array.from({ length: ROWS }, (_, i) => row(i) + "\n").join("");
const near = (found: number, exact: number) => Math.abs(found / exact - 1) < 0.1;

test("traceSize tells the rows and ids of a trace from its beginning, packed or not", () =>
  inFolder(async (folder) => {
    for (
      const [name, bytes] of [["a.jsonl", new TextEncoder().encode(text)], ["a.jsonl.gz", gzipSync(text)]] as const
    ) {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      const { textBytes, rows, listed } = await traceSize([path, path]);

      assert.ok(near(textBytes, 2 * text.length) && near(rows, 2 * ROWS) && near(listed, 6 * ROWS), `${name} ${rows}`);
    }
  }));

test("traceSize tells nothing of what is small, missing, or no file", () =>
  inFolder(async (folder) => {
    const path = join(folder, "small.jsonl");
    writeFileSync(path, row(0));
    assert.deepEqual(await traceSize([path, "-", folder, join(folder, "missing")]), {
      textBytes: 0,
      rows: 0,
      listed: 0,
    });
  }));
