import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "./support.ts";

const perfData = (args: string[]) => start("cli/main.ts", ["perf-data", ...args]);

test("perf-data list names the data release and what is on this machine", async () => {
  const { code, stdout } = await perfData(["list"]);
  assert.equal(code, 0);
  assert.match(stdout, /^data release 0\.13\.0\S* \(package aisimulate, Apache-2\.0\)\n/);
  assert.match(stdout, /^h200_sxm +vllm +0\.24\.0 \(current\) +shipped/m);
});

test("perf-data says what is wrong before it downloads anything", async () => {
  const cases: [string[], RegExp][] = [
    [["lst"], /invalid choice: 'lst'.*did you mean 'list'\?/],
    [["list", "h200_sxm"], /list takes no systems: h200_sxm/],
    [["install"], /install needs the name of a system/],
    [["install", "h20_sxm"], /unknown hardware 'h20_sxm', did you mean 'h200_sxm'\?/],
    [["install", "l4"], /nothing was measured on 'l4'/],
    [
      ["install", "gb200", "--backend", "tgi"],
      /no measurements of backend 'tgi' on 'gb200' \(measured: vllm, sglang, trtllm\)/,
    ],
    [
      ["install", "gb200", "--backend-version", "1"],
      /unknown version '1' of backend 'vllm' on 'gb200' \(known: current = 0\.24\.0/,
    ],
    [["list", "--release", "0.12"], /unknown data release '0\.12', did you mean '0\.12\.0'\?/],
    [["check", "h20_sxm"], /unknown hardware 'h20_sxm'/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await perfData(args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, message);
  }
});
