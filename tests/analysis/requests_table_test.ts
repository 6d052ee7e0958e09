import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { NumberColumn, TextColumn } from "../../lib/analysis/columns.ts";
import { requestsTable } from "../../lib/analysis/requests_table.ts";
import { readRun, toRun } from "../../lib/analysis/run.ts";
import { TraceError } from "../../lib/errors.ts";
import { predictionText, requestLines } from "../../lib/report/report.ts";
import { goldenOf, goldens, plannerReport, reportOf } from "../report/golden_reports.ts";

function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-"));
  return use(folder).finally(() => rmSync(folder, { recursive: true }));
}

test("NumberColumn and TextColumn give back what was pushed, null for what is not theirs", () => {
  fc.assert(fc.property(fc.array(fc.oneof(fc.double(), fc.constant(null), fc.constant("x"))), (values) => {
    const column = new NumberColumn();
    for (const value of values) column.push(value);
    const want = values.map((value) => typeof value === "number" && !Number.isNaN(value) ? value : null);
    assert.deepEqual([...column], want);
  }));
  fc.assert(fc.property(fc.array(fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.integer())), (values) => {
    const column = new TextColumn();
    for (const value of values) column.push(value);
    assert.deepEqual([...column], values.map((value) => typeof value === "number" ? null : value));
  }));
});

for (const start of ["01_", "05_", "10_", "13_", "18_"]) {
  test(`requestsTable has the scalar keys of the records of golden ${start}`, () => {
    const report = reportOf(goldenOf(start));
    const rows = requestsTable(report).objects() as Record<string, unknown>[];
    const records = [...report.per_request!] as unknown as Record<string, unknown>[];
    assert.equal(rows.length, records.length);
    rows.forEach((row, i) => {
      const scalars = Object.entries(records[i]).filter(([, value]) => value === null || typeof value !== "object");
      for (const [key, value] of scalars) assert.equal(row[key], value, key);
      const { arrival_ms, ...columns } = row;
      assert.equal(arrival_ms, records[i].arrival_time_ms);
      for (const key of Object.keys(columns)) assert.ok(row[key] === null || key in records[i], key);
    });
  });
}

test("requestsTable says how to capture requests when there are none", () => {
  assert.throws(() => requestsTable(plannerReport("agg_load_x4")), /--capture-per-request/);
});

test("readRun reads an output folder into the run that was written", async () => {
  for (const [name, golden] of goldens.slice(0, 20)) {
    const report = reportOf(golden);
    await inFolder(async (folder) => {
      writeFileSync(join(folder, "prediction.json"), [...predictionText({ ...report, per_request: null })].join(""));
      writeFileSync(join(folder, "requests.jsonl"), [...requestLines(report)].join(""));
      writeFileSync(join(folder, "effective-config.yaml"), "engine: {}\n");
      const run = await readRun(folder, { name });
      const direct = toRun(report, { name });
      assert.deepEqual({ ...run.summary }, { ...direct.summary });
      assert.deepEqual(run.requests!.objects(), direct.requests!.objects());
      assert.equal(run.config, "engine: {}\n");
    });
  }
});

test("readRun takes the records of prediction.json when there is no requests.jsonl, and the folder's name", async () => {
  const report = reportOf(goldenOf("02_"));
  await inFolder(async (folder) => {
    writeFileSync(join(folder, "prediction.json"), [...predictionText(report)].join(""));
    const run = await readRun(folder + "/");
    assert.equal(run.requests!.numRows(), 5);
    assert.equal(run.name, folder.split("/").at(-1));
    assert.equal(run.config, null);
  });
});

test("readRun reads prediction.json in any layout, with any keys around the records", async () => {
  const report = reportOf(goldenOf("13_"));
  const pretty = [...predictionText({ ...report, telemetry: { sample_interval_ms: 5, samples: [] } })].join("");
  const parsed = JSON.parse(pretty);
  const { per_request, ...rest } = parsed;
  const layouts = [
    pretty,
    pretty.replaceAll("\n", "\r\n"),
    JSON.stringify(parsed),
    JSON.stringify(parsed, null, 4),
    JSON.stringify({ ...rest, per_request }, null, 2),
  ];
  const want = toRun(report).requests!.objects();
  for (const text of layouts) {
    await inFolder(async (folder) => {
      writeFileSync(join(folder, "prediction.json"), text);
      const run = await readRun(folder);
      assert.deepEqual(run.requests!.objects(), want);
      assert.deepEqual(run.telemetry, { sample_interval_ms: 5, samples: [] });
      writeFileSync(join(folder, "requests.jsonl"), [...requestLines(report)].slice(0, 1).join(""));
      assert.equal((await readRun(folder)).requests!.numRows(), 1, "the lines count when they are there");
    });
  }
  await inFolder(async (folder) => {
    writeFileSync(join(folder, "prediction.json"), [...predictionText({ ...report, per_request: null })].join(""));
    assert.equal((await readRun(folder)).requests, null);
    writeFileSync(join(folder, "prediction.json"), pretty.slice(0, 3000));
    await assert.rejects(readRun(folder), TraceError);
  });
});

test("readRun names the file and line that cannot be read", async () => {
  await inFolder(async (folder) => {
    await assert.rejects(
      readRun(folder),
      (problem) => problem instanceof TraceError && /prediction\.json/.test(problem.message),
    );
    writeFileSync(join(folder, "prediction.json"), "{");
    await assert.rejects(readRun(folder), /Cannot parse .*prediction\.json as JSON/);
    writeFileSync(join(folder, "prediction.json"), "{}");
    await assert.rejects(readRun(folder), /is not a report: it has no summary/);
    writeFileSync(join(folder, "prediction.json"), [...predictionText(reportOf(goldenOf("02_")))].join(""));
    writeFileSync(join(folder, "requests.jsonl"), '{"uuid":"a"}\n{"uuid":\n');
    await assert.rejects(readRun(folder), (problem) => problem instanceof TraceError && problem.place.line === 2);
  });
});
