import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { terminalTable } from "../../lib/report/terminal_table.ts";
import { alignedRows, wrapped } from "../../lib/report/text_table.ts";
import { plannerReport } from "./golden_reports.ts";

const golden = () => {
  const path = new URL("../../fixtures/goldens/replay/01_agg_single_worker.json", import.meta.url);
  return JSON.parse(readFileSync(path, "utf8")).expected.summary;
};

test("terminalTable shows counts as counts, and TTFT, TPOT and ITL apart with p50 to p99", () => {
  const lines = terminalTable({ summary: golden() }).split("\n");
  assert.equal(lines[0], "Requests            3 completed");
  assert.match(lines[1], /^GPU hours {11}[\d.e-]+, 1 GPU on average over 0:00$/);
  const head = lines.find((line) => line.includes("mean"))!;
  assert.deepEqual(head.trim().split(/ +/), ["mean", "min", "p50", "p75", "p90", "p95", "p99", "max", "std"]);
  const rows = lines.slice(lines.indexOf(head) + 1).map((line) => line.split(/ {2,}/));
  assert.deepEqual(rows.map(([name]) => name), ["TTFT (ms)", "TPOT (ms)", "ITL (ms)", "E2E (ms)", "Tokens/s per user"]);
  assert.deepEqual(rows[0].slice(1, 4), ["13", "10", "10"]);
});

test("terminalTable fits its columns, and shows more statistics where there is room", () => {
  const summary = golden();
  for (const key of Object.keys(summary)) {
    if (/_(ttft|tpot|itl|e2e_latency)_ms$|per_user$/.test(key)) summary[key] = 123456.789;
  }
  const heads = [60, 80, 120].map((columns) => {
    const lines = terminalTable({ summary }, { columns }).split("\n");
    assert.ok(lines.every((line) => line.length <= columns), `${columns}\n${lines.join("\n")}`);
    return lines.find((line) => line.includes("mean"))!.trim().split(/ +/);
  });
  assert.deepEqual(heads, [
    ["mean", "p50", "p90", "p95"],
    ["mean", "p50", "p90", "p95", "p99", "max"],
    ["mean", "min", "p50", "p75", "p90", "p95", "p99", "max", "std"],
  ]);
});

test("terminalTable tells what was rejected, what scaled, and how even the workers were", () => {
  const { summary, planner } = plannerReport("agg_load_x4");
  const worker = (worker_id: number, completed_requests: number, kv_use_mean: number | null, kv_use_peak: number) => ({
    pool: "agg",
    worker_id,
    alive_s: 10,
    completed_requests,
    kv_use_mean,
    kv_use_peak,
  });
  const text = terminalTable({
    summary: {
      ...summary,
      num_requests: 1010,
      completed_requests: 1000,
      rejected_requests: 10,
      largest_prompt_tokens: 4096,
    },
    planner,
    workers: [worker(0, 100, 0.25, 0.5), worker(1, 300, 0.75, 1), worker(2, 0, null, 0)],
  });
  assert.deepEqual(text.split("\n").slice(0, 2), [
    "Requests            1,000 of 1,010 completed, 10 rejected (the largest prompt",
    "                    that fits: 4,096 tokens)",
  ]);
  assert.match(text, /\nScaling events {6}\d+: \d+ workers? added, \d+ removed\n/);
  assert.deepEqual(text.split("\n").slice(-4).map((line) => line.split(/ {2,}/)), [
    ["Workers (3)", "least", "mean", "most"],
    ["Requests", "0", "133.3", "300"],
    ["KV in use, mean", "25 %", "50 %", "75 %"],
    ["KV in use, peak", "0 %", "50 %", "100 %"],
  ]);
  const alone = terminalTable({ summary, workers: [worker(0, 1, 0.1, 0.2)] });
  assert.doesNotMatch(alone, /Workers/);
});

test("terminalTable leaves out what a summary lacks", () => {
  assert.equal(
    terminalTable({ summary: { num_requests: 4, completed_requests: 0, mean_ttft_ms: null } }),
    "Requests            0 of 4 completed",
  );
  assert.equal(terminalTable({ summary: {} }), "");
});

test("wrapped keeps every word, and lines within their width where words allow it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }),
      fc.integer({ min: 16, max: 60 }),
      (words, columns) => {
        const lines = wrapped(words.join(" "), columns, 2);
        assert.deepEqual(lines.join(" ").split(/ +/), words);
        assert.ok(lines.every((line) => line.length <= columns));
      },
    ),
  );
});

test("alignedRows puts names to the left and figures to the right", () => {
  assert.deepEqual(alignedRows([["", "a"], ["long", "12"], ["x", "3"]]), ["       a", "long  12", "x      3"]);
  assert.deepEqual(alignedRows([["a", "b"], ["cc", "d"], ["e"]], { left: 2 }), ["a   b", "cc  d", "e"]);
});

test("terminalTable tells the power of a GPU where energies are known, and why not where they are of too little", () => {
  const table = (power_w: number | null, power_coverage: number | null) =>
    terminalTable({ summary: { completed_requests: 2, power_w, power_coverage } });
  assert.match(
    table(701.18, 0.9387),
    /\nPower of a GPU {6}701\.2 W while passes run, from 93\.87 % of the passes' time/,
  );
  assert.match(table(null, 0.52), /\nPower of a GPU {6}not told: the energy of 52 % of the passes' time is known/);
  for (const none of [0, null]) assert.doesNotMatch(table(null, none), /Power/);
});
