import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inFolder, start } from "./support.ts";

const row = (timestamp: number, ids = [1, 2]) =>
  `{"timestamp": ${timestamp}, "input_length": 1000, "output_length": 4, "hash_ids": [${ids.join(", ")}]}\n`;
const main = (args: string[], options = {}) => start("cli/main.ts", args, options);

test("convert prints its account and writes the file", () =>
  inFolder(async (folder) => {
    const input = join(folder, "in.jsonl"), output = join(folder, "out.jsonl.gz");
    writeFileSync(input, row(0) + row(90_000) + row(60_000));
    const { code, stdout, stderr } = await main(["convert", input, "-o", output, "--slice", ":80s"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(
      stdout,
      [
        "format    mooncake (its rows have hash_ids and output_length)",
        "rows      3 read = 2 written + 1 dropped",
        "dropped   1: outside the slice",
        "times     0 s to 60 s, 0 inversions",
        "blocks    512 tokens, prefix identity: recorded",
        `wrote     ${output} (dynamo)`,
        "",
      ].join("\n"),
    );
    const refused = await main(["convert", input, "-o", output]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /out\.jsonl\.gz exists; pass --overwrite to replace it\n$/);
    assert.equal((await main(["convert", input, "-o", output, "--overwrite"])).code, 0);
  }));

test("convert works as a filter and in JSON", async () => {
  const { code, stdout, stderr } = await main(["convert", "-", "-o", "-", "--to", "mooncake", "--format", "json"], {
    stdin: row(5) + row(7),
  });
  assert.equal(code, 0);
  assert.equal(stdout, row(5) + row(7));
  assert.deepEqual([JSON.parse(stderr).rows_read, JSON.parse(stderr).rows_emitted], [2, 2]);
});

test("convert splits for a retune", () =>
  inFolder(async (folder) => {
    const input = join(folder, "in.jsonl");
    writeFileSync(input, row(0) + row(1_200_000));
    const { code } = await main(["convert", input, "-o", join(folder, "tool.jsonl"), "--split-seconds", "1200"]);
    assert.equal(code, 0);
    for (const part of ["history", "replay"]) {
      assert.equal(readFileSync(join(folder, `tool-${part}.jsonl`), "utf8").trim().split("\n").length, 1);
    }
  }));

test("convert reads a folder of shards", () =>
  inFolder(async (folder) => {
    const shards = join(folder, "shards");
    mkdirSync(shards);
    for (const i of [0, 1]) {
      const out = join(shards, `t.${i}.jsonl`);
      await main(["convert", "-", "-o", out, "--epoch-ms", String(i * 50)], { stdin: row(10) });
      writeFileSync(out, readFileSync(out, "utf8").replace("r000000001", `r${i}`));
    }
    const { code, stdout } = await main(["convert", shards, "-o", "-", "--to", "mooncake"]);
    assert.equal(code, 0);
    assert.deepEqual(stdout.trim().split("\n").map((line) => JSON.parse(line).timestamp), [10, 60]);
  }));

test("convert ends with one line about what is wrong", () =>
  inFolder(async (folder) => {
    const output = join(folder, "out.jsonl");
    for (
      const [args, code, message] of [
        [["/none"], 1, /convert failed: TraceError: failed to open trace file \/none: no such file or directory\n$/],
        [["-", "--slice", "1m"], 2, /convert: error: '1m' is no slice: write FROM:TO/],
        [["-", "--slice", "2m:1m"], 2, /a slice must end after it begins/],
        [["-", "--from", "azur"], 2, /invalid choice: 'azur'.*did you mean 'azure'\?/],
        [["x*.none"], 2, /no trace files match 'x\*\.none'/],
      ] as const
    ) {
      const ended = await main(["convert", ...args, "-o", output], { stdin: row(0) });
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, message);
      assert.doesNotMatch(ended.stderr, /\n\s+at /);
      assert.equal(existsSync(output), false);
    }
  }));

test("inspect prints figures, bars and warnings", async () => {
  const stdin = Array.from({ length: 300 }, (_, i) => row(i, [1, i + 2])).join("");
  const { code, stdout, stderr } = await main(["inspect", "-"], { stdin });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^format {5}mooncake \(its rows have hash_ids and output_length\)\nrequests {3}300\n/);
  assert.match(stdout, /\nreuse {6}51\.0 % of the prompt tokens lie in blocks that an earlier request used/);
  assert.match(stdout, /\nwarning {4}1003 requests a second over 0\.299 s: are the times in seconds/);
  assert.match(stdout, /█/);
});

test("inspect answers in JSON", async () => {
  const { code, stdout } = await main(["inspect", "-", "--format", "json"], { stdin: row(0) + row(500, [1, 7]) });
  assert.equal(code, 0);
  const figures = JSON.parse(stdout);
  assert.deepEqual([figures.format, figures.rows, figures.blocks.distinct], ["mooncake", 2, 3]);
});
