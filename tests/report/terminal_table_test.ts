import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatCell, terminalTable } from "../../lib/report/terminal_table.ts";

test("formatCell rounds as the reference does", () => {
  const vectors: [unknown, string][] = [
    [0.005, "0.01"],
    [0.015, "0.01"],
    [2.675, "2.67"],
    [0.125, "0.12"],
    [0.375, "0.38"],
    [0.625, "0.62"],
    [0.875, "0.88"],
    [1234.565, "1,234.57"],
    [-0.001, "-0.00"],
    [1e15, "1,000,000,000,000,000.00"],
    [1e22, "10,000,000,000,000,000,000,000.00"],
    [999.995, "1,000.00"],
    [true, "1.00"],
    [null, "N/A"],
    [undefined, "N/A"],
    [NaN, "nan"],
  ];
  for (const [value, text] of vectors) assert.equal(formatCell(value), text, String(value));
});

test("terminalTable draws the summary of golden 01", () => {
  const path = new URL("../../fixtures/goldens/replay/01_agg_single_worker.json", import.meta.url);
  const { summary } = JSON.parse(readFileSync(path, "utf8")).expected;
  const lines = terminalTable({ ...summary, wall_time_ms: 1234.5 }).split("\n");
  assert.equal(lines[0], "NVIDIA AIPerf | LLM Metrics");
  assert.match(lines[1], /^┏━+(┳━+){7}┓$/);
  assert.match(lines[2], /^┃ Metric +┃ +avg ┃ +min ┃ +max ┃ +p99 ┃ +p90 ┃ +p75 ┃ +std ┃$/);
  assert.match(lines[3], /^┡━+(╇━+){7}┩$/);
  assert.deepEqual(
    lines[4].split("┃").map((cell) => cell.trim()).slice(1, -1),
    ["Time to First Token (ms)", "13.00", "10.00", "19.00", "19.00", "19.00", "19.00", "4.24"],
  );
  assert.match(lines[11], /^┃ Request Count \(requests\) +┃ +3\.00 ┃ +N\/A ┃/);
  assert.match(lines[12], /^└━+(┴━+){7}┘$/);
  assert.deepEqual(lines.slice(13), [
    "Wall Time (ms): 1,234.50",
    "Prefix Cache Reused Ratio: 0.00",
    "First Admission Prefix Cache Reused Ratio: 0.00",
  ]);
  assert.equal(new Set(lines.slice(1, 13).map((line) => line.length)).size, 1, "all lines are equally wide");
});

test("terminalTable leaves out distributions without a mean and says N/A for what is missing", () => {
  const lines = terminalTable({ num_requests: 1234, mean_ttft_ms: null }).split("\n");
  assert.deepEqual(lines.slice(4, 8).map((line) => line.split("┃").map((cell) => cell.trim()).slice(1, 4)), [
    ["Time to First Token (ms)", "N/A", "N/A"],
    ["Output Token Throughput (tokens/sec)", "N/A", "N/A"],
    ["Request Throughput (requests/sec)", "N/A", "N/A"],
    ["Request Count (requests)", "1,234.00", "N/A"],
  ]);
});
