import assert from "node:assert/strict";
import { test } from "node:test";
import { predictionText, requestLines } from "../../lib/report/report.ts";
import { assertReport, compareReport, type Expected } from "../conformance/compare.ts";
import { goldenOf, goldens, reportOf } from "./golden_reports.ts";

// The gaps between tokens are not in the records.
const withoutGaps = (summary: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(summary).filter(([key]) => !/_itl_ms$|_throughput_per_user$/.test(key)));

for (const [name, golden] of goldens) {
  test(`buildReport derives summary and records of ${name}`, () => {
    const report = reportOf(golden);
    const expected = {
      ...golden.expected,
      summary: withoutGaps(golden.expected.summary),
      // Second tokens are only known to round-off here: the golden has ttst_ms, not the time of the token.
      requests: golden.expected.requests.map(({ ttst_ms: _, ...row }: any) => row),
      coverage: { capture_per_request: true, per_request_records: golden.expected.requests.length },
    } as Expected;
    for (const key of Object.keys(expected.summary!)) {
      if (key.endsWith("_ttst_ms")) delete (expected.summary as any)[key];
    }
    assertReport(report, expected, { name, ignore: ["lifecycle", "snapshots", "telemetry"] });
  });
}

test("compareReport finds a changed number anywhere", () => {
  const golden = structuredClone(goldenOf("01_"));
  const report = reportOf(golden);
  const ignore = ["lifecycle", "snapshots", "telemetry", "coverage"] as const;
  const expected = { ...golden.expected, summary: withoutGaps(golden.expected.summary) };
  assert.deepEqual(compareReport(report, expected, { ignore }), []);
  expected.requests[1].first_token_ms += 1e-9;
  expected.summary.p75_ttft_ms += 1e-9;
  expected.summary.completed_requests += 1;
  assert.deepEqual(compareReport(report, expected, { ignore }).map(({ path }) => path), [
    "summary.completed_requests",
    "summary.p75_ttft_ms",
    "requests[1](arrival 3, input 20).first_token_ms",
  ]);
});

test("summary has the documented keys in order", () => {
  const golden = goldenOf("08_");
  const { wall_time_ms: _w, processed_tokens_per_s: _p, processed_output_tokens_per_s: _o, ...rest } =
    reportOf(golden).summary;
  assert.deepEqual(Object.keys(rest), Object.keys(golden.expected.summary));
});

test("summary tells rejected requests and the largest prompt that fits only when there are any", () => {
  const rejecting = reportOf(goldenOf("10_")).summary;
  assert.equal(rejecting.rejected_requests, 1);
  const fine = reportOf(goldenOf("01_")).summary;
  assert.ok(!("rejected_requests" in fine) && !("failed_requests" in fine) && !("largest_prompt_tokens" in fine));
});

test("predictionText and requestLines have sorted keys, and the same records", () => {
  const report = reportOf(goldenOf("13_"));
  const text = [...predictionText(report)].join("");
  assert.ok(text.startsWith('{\n  "coverage": {\n    "capture_per_request": true,') && text.endsWith("}\n"));
  const parsed = JSON.parse(text);
  assert.equal(text, JSON.stringify(parsed, null, 2) + "\n");
  assert.deepEqual(Object.keys(parsed), ["coverage", "per_request", "planner", "summary"]);
  const lines = [...requestLines(report)];
  assert.deepEqual(lines.map((line) => JSON.parse(line)), parsed.per_request);
  const sorted = (value: any): boolean =>
    value === null || typeof value !== "object" ||
    ((Array.isArray(value) || Object.keys(value).join() === Object.keys(value).sort().join()) &&
      Object.values(value).every(sorted));
  assert.ok(sorted(parsed) && lines.every((line) => sorted(JSON.parse(line))));
});

test("requestLines escapes what is beyond ASCII", () => {
  const golden = structuredClone(goldenOf("05_"));
  golden.expected.requests[0].session_id = "Grüße 🚀";
  const line = [...requestLines(reportOf(golden))][0];
  assert.match(line, /"session_id":"Gr\\u00fc\\u00dfe \\ud83d\\ude80"/);
});

test("per_request gives records one by one, by index and all at once", () => {
  const { per_request } = reportOf(goldenOf("02_"));
  const all = [...per_request!];
  assert.equal(per_request!.length, all.length);
  assert.deepEqual(per_request!.at(-1), all.at(-1));
  assert.equal(per_request!.at(all.length), undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(per_request)), all);
  assert.equal(all[0].uuid, "00000000-0000-0000-0000-000000000001");
});
