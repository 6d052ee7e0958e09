import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type Outcome, OUTCOME_NAMES, type Pool, POOL_NAMES, RequestRecords } from "../../lib/engine/records.ts";
import { GapStatistics } from "../../lib/report/gap_statistics.ts";
import { buildReport, predictionText, requestLines } from "../../lib/report/report.ts";
import type { Sla } from "../../lib/report/sla.ts";
import type { Workload } from "../../lib/traffic/workload.ts";
import { assertReport, compareReport, type Expected } from "../conformance/compare.ts";

const folder = new URL("../../fixtures/goldens/replay/", import.meta.url);
const goldens = readdirSync(folder).filter((name) => name.endsWith(".json"))
  .map((name) => [name, JSON.parse(readFileSync(new URL(name, folder), "utf8"))] as const);

// Writes what a golden says about its requests into columns, as a cluster would.
function replayRecords(golden: any): { records: RequestRecords; workload: Workload } {
  const rows: any[] = golden.expected.requests;
  const total = golden.expected.summary.num_requests;
  const records = new RequestRecords({
    capacity: 1,
    history: true,
    disaggregated: golden.prefill_engine_args !== undefined,
  });
  const sessions = [...new Set(rows.map((row) => row.session_id))];
  const hasSessions = rows[0]?.session_id != null;
  const column = (value: (row: any) => number) =>
    Int32Array.from({ length: total }, (_, r) => rows[r] ? value(rows[r]) : 1);
  const workload = {
    count: total,
    inputTokens: column((row) => row.input_length),
    outputTokens: column((row) => row.requested_output_length),
    session: hasSessions ? column((row) => sessions.indexOf(row.session_id)) : null,
    turn: hasSessions ? column((row) => row.turn_index) : null,
    sessionName: (session: number) => sessions[session],
    requestIds: null,
    playIds: null,
  } as unknown as Workload;
  const or = (value: number | null) => value ?? NaN;
  for (let r = 0; r < total; r++) {
    const row = rows[r];
    records.arrive(r, row?.arrival_time_ms ?? 0, row?.input_length ?? 1);
    if (!row) continue;
    for (const at of row.admission_history) {
      records.admit(r, at.at_ms, at.reused_input_tokens, POOL_NAMES.indexOf(at.pool) as Pool);
    }
    for (const route of row.routing_history) {
      const pool = POOL_NAMES.indexOf(route.pool) as Pool;
      records.place(r, pool, route.scheduler_id);
      records.routing!.add({
        request: r,
        pool,
        queueEnteredMs: or(route.queue_entered_at_ms),
        releasedMs: or(route.released_at_ms),
        worker: route.logical_worker_id,
        scheduler: route.scheduler_id,
        dpRank: route.dp_rank,
        overlapTokens: route.reported_overlap_tokens,
        overlapBlocks: -1,
        bestOverlapBlocks: -1,
      });
    }
    const pools = records.disaggregated;
    if (pools !== null) {
      pools.sourceHeldMs[r] = or(row.source_held_ms);
      pools.destinationReservedMs[r] = or(row.destination_reserved_ms);
      pools.destinationActivatedMs[r] = or(row.destination_activated_ms);
      pools.sourceReleasedMs[r] = or(row.source_released_ms);
    }
    const second = row.ttst_ms === null ? NaN : row.first_token_ms + row.ttst_ms;
    records.emit(r, row.output_length, or(row.first_token_ms), second, or(row.last_token_ms));
  }
  const byEnd = rows.map((_, r) => r).sort((a, b) => rows[a].terminal_time_ms - rows[b].terminal_time_ms || a - b);
  for (const r of byEnd) {
    records.finish(r, rows[r].terminal_time_ms, OUTCOME_NAMES.indexOf(rows[r].terminal_status) as Outcome);
  }
  return { records, workload };
}

function reportOf(golden: any) {
  const { records, workload } = replayRecords(golden);
  const want = golden.expected.summary;
  const { sla_ttft_ms: ttftMs, sla_itl_ms: itlMs, sla_e2e_ms: e2eMs } = golden.options;
  const sla: Sla | null = [ttftMs, itlMs, e2eMs].some((bound) => bound !== undefined) ? { ttftMs, itlMs, e2eMs } : null;
  return buildReport({
    records,
    workload,
    gaps: new GapStatistics(),
    sla,
    totals: {
      prefillWorkerSeconds: want.prefill_worker_seconds,
      decodeWorkerSeconds: want.decode_worker_seconds,
      prefillGpusPerWorker: want.prefill_gpus_per_worker,
      decodeGpusPerWorker: want.decode_gpus_per_worker,
      committedPrefillTokens: want.committed_prefill_tokens,
      wallMs: 12,
    },
  });
}

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
  const golden = structuredClone(goldens.find(([name]) => name.startsWith("01_"))![1]);
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
  const golden = goldens.find(([name]) => name.startsWith("08_"))![1];
  const { wall_time_ms: _w, processed_tokens_per_s: _p, processed_output_tokens_per_s: _o, ...rest } =
    reportOf(golden).summary;
  assert.deepEqual(Object.keys(rest), Object.keys(golden.expected.summary));
});

test("summary tells rejected requests and the largest prompt that fits only when there are any", () => {
  const rejecting = reportOf(goldens.find(([name]) => name.startsWith("10_"))![1]).summary;
  assert.equal(rejecting.rejected_requests, 1);
  const fine = reportOf(goldens.find(([name]) => name.startsWith("01_"))![1]).summary;
  assert.ok(!("rejected_requests" in fine) && !("failed_requests" in fine) && !("largest_prompt_tokens" in fine));
});

test("predictionText and requestLines have sorted keys, and the same records", () => {
  const report = reportOf(goldens.find(([name]) => name.startsWith("13_"))![1]);
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
  const golden = structuredClone(goldens.find(([name]) => name.startsWith("05_"))![1]);
  golden.expected.requests[0].session_id = "Grüße 🚀";
  const line = [...requestLines(reportOf(golden))][0];
  assert.match(line, /"session_id":"Gr\\u00fc\\u00dfe \\ud83d\\ude80"/);
});

test("per_request gives records one by one, by index and all at once", () => {
  const { per_request } = reportOf(goldens.find(([name]) => name.startsWith("02_"))![1]);
  const all = [...per_request!];
  assert.equal(per_request!.length, all.length);
  assert.deepEqual(per_request!.at(-1), all.at(-1));
  assert.equal(per_request!.at(all.length), undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(per_request)), all);
  assert.equal(all[0].uuid, "00000000-0000-0000-0000-000000000001");
});
