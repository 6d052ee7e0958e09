import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  goodputOverTime,
  percentilesOverTime,
  queueOverTime,
  roundBucketMs,
  trafficOverTime,
  ttftByInputLength,
} from "../../lib/analysis/over_time.ts";
import { requestsTable } from "../../lib/analysis/requests_table.ts";
import { percentileRank } from "../../lib/report/distribution.ts";
import type { RequestRecord } from "../../lib/report/per_request.ts";
import { goldenOf, reportOf } from "../report/golden_reports.ts";

type Row = Record<string, number | null>;
const rowsOf = (table: { objects(): object[] }) => table.objects() as Row[];

const record = fc.record({
  arrival_time_ms: fc.integer({ min: 0, max: 100_000 }),
  wait: fc.integer({ min: 0, max: 5000 }),
  run: fc.integer({ min: 1, max: 5000 }),
  input_length: fc.integer({ min: 1, max: 9000 }),
  output_length: fc.integer({ min: 0, max: 5 }),
  terminal_status: fc.constantFrom("completed", "completed", "rejected"),
}).map(({ wait, run, ...rest }): RequestRecord => {
  const admitted = rest.terminal_status === "completed";
  const tokens = admitted ? rest.output_length : 0;
  const end = rest.arrival_time_ms + wait + run;
  return {
    ...rest,
    output_length: tokens,
    requested_output_length: rest.output_length,
    admission_count: admitted ? 1 : 0,
    first_admit_ms: admitted ? rest.arrival_time_ms + wait : null,
    ttft_ms: tokens > 0 ? wait + run / 2 : null,
    e2e_latency_ms: tokens > 0 ? wait + run : null,
    reused_input_tokens: 0,
    terminal_time_ms: end,
  } as unknown as RequestRecord;
});
const records = fc.array(record, { minLength: 1, maxLength: 80 });

test("percentilesOverTime follows the report's rule in every bucket", () => {
  fc.assert(fc.property(records, fc.integer({ min: 500, max: 20_000 }), (list, bucketMs) => {
    const table = requestsTable({ per_request: list });
    for (const row of rowsOf(percentilesOverTime(table, "ttft_ms", { bucketMs, percentiles: [50, 95] }))) {
      const samples = list
        .filter(({ arrival_time_ms: at }) => at >= row.from_ms! && at < row.to_ms!)
        .flatMap(({ ttft_ms }) => ttft_ms === null ? [] : [ttft_ms]).sort((a, b) => a - b);
      assert.equal(row.count, samples.length);
      assert.equal(row.p50, samples.length ? samples[percentileRank(samples.length, 50)] : null);
      assert.equal(row.p95, samples.length ? samples[percentileRank(samples.length, 95)] : null);
    }
  }));
});

test("goodputOverTime counts every completed request once and the good ones as the summary does", () => {
  const golden = goldenOf("08_");
  const sla = { ttftMs: golden.options.sla_ttft_ms, itlMs: golden.options.sla_itl_ms };
  const report = reportOf(golden);
  const rows = rowsOf(goodputOverTime(requestsTable(report), sla, { bucketMs: 10 }));
  const sum = (key: string) => rows.reduce((total, row) => total + row[key]!, 0);
  assert.equal(sum("completed"), report.summary.completed_requests);
  assert.equal(sum("good"), report.summary.goodput_completed_requests);
  fc.assert(fc.property(records, (list) => {
    const all = rowsOf(goodputOverTime(requestsTable({ per_request: list }), { e2eMs: Infinity }));
    const completed = list.filter(({ terminal_status }) => terminal_status === "completed").length;
    assert.equal(all.reduce((total, row) => total + row.completed!, 0), completed);
    assert.equal(all.reduce((total, row) => total + row.good!, 0), completed);
  }));
});

test("trafficOverTime adds up to the requests and tokens of the table", () => {
  fc.assert(fc.property(records, (list) => {
    const rows = rowsOf(trafficOverTime(requestsTable({ per_request: list }), { bucketMs: 4000 }));
    const total = (key: string) => Math.round(rows.reduce((sum, row) => sum + row[key]! * 4, 0));
    assert.equal(total("requests_per_s"), list.length);
    assert.equal(total("input_tokens_per_s"), list.reduce((sum, { input_length }) => sum + input_length, 0));
  }));
});

test("queueOverTime counts waiting and running requests at the end of each bucket", () => {
  fc.assert(fc.property(records, (list) => {
    const rows = rowsOf(queueOverTime(requestsTable({ per_request: list }), { bucketMs: 3000 }));
    for (const { at_ms, waiting, running } of rows) {
      const inside = list.filter((r) => r.arrival_time_ms <= at_ms! && r.terminal_time_ms > at_ms!);
      const admitted = inside.filter((r) => r.first_admit_ms !== null && r.first_admit_ms <= at_ms!);
      assert.equal(running, admitted.length);
      assert.equal(waiting, inside.length - admitted.length);
    }
    assert.deepEqual([rows.at(-1)!.waiting, rows.at(-1)!.running], [0, 0]);
  }));
});

test("ttftByInputLength puts every request with a token into one class", () => {
  fc.assert(fc.property(records, (list) => {
    const rows = rowsOf(ttftByInputLength(requestsTable({ per_request: list })));
    const withToken = list.filter(({ ttft_ms }) => ttft_ms !== null);
    assert.equal(rows.reduce((sum, { count }) => sum + count!, 0), withToken.length);
    for (const { from_tokens, to_tokens, p50_ttft_ms } of rows) {
      const samples = withToken.filter((r) => r.input_length >= from_tokens! && r.input_length < to_tokens!)
        .map(({ ttft_ms }) => ttft_ms!).sort((a, b) => a - b);
      assert.equal(p50_ttft_ms, samples[percentileRank(samples.length, 50)]);
    }
  }));
});

test("functions over time see only the rows that are left after a filter", () => {
  const table = requestsTable(reportOf(goldenOf("02_")));
  const first = table.filter((row: any) => row.decode_worker_idx === 0);
  const count = (rows: Row[]) => rows.reduce((sum, row) => sum + row.count!, 0);
  assert.equal(count(rowsOf(percentilesOverTime(table, "ttft_ms"))), 5);
  assert.equal(count(rowsOf(percentilesOverTime(first, "ttft_ms"))), 3);
});

test("functions over time name the column that is missing and refuse empty buckets", () => {
  const table = requestsTable(reportOf(goldenOf("02_")));
  assert.throws(() => percentilesOverTime(table, "tttf_ms"), /No column tttf_ms in the table; it has .*ttft_ms/);
  assert.throws(() => percentilesOverTime(table, "ttft_ms", { bucketMs: 0 }), RangeError);
});

test("roundBucketMs gives at most 150 buckets", () => {
  fc.assert(fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (spanMs) => {
    assert.ok(spanMs / roundBucketMs(spanMs) <= 150);
  }));
  assert.equal(roundBucketMs(3_600_000), 30_000);
});
