import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import { visits } from "./idle_cluster.ts";

/** Fields of a record in the order in which records are compared. */
const ORDER = ["arrival_time_ms", "request_id", "session_id", "turn_index", "input_length", "requested_output_length"];

type Row = Record<string, string | number>;

interface Case {
  kind: string;
  files: (object | string)[][];
  options: Record<string, unknown>;
  expected: { error: string } | { num_requests: number; requests: Row[] };
}

const path = new URL("../../fixtures/goldens/loadgen/random.jsonl.gz", import.meta.url);
const cases = gunzipSync(readFileSync(path)).toString().trim().split("\n").map((line) => JSON.parse(line) as Case);
const folder = mkdtempSync(join(tmpdir(), "dynosim-loads-"));

function compare(a: Row, b: Row): number {
  for (const key of ORDER) {
    const x = a[key] ?? "", y = b[key] ?? "";
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

async function replayed({ files, options }: Case): Promise<{ num_requests: number; requests: Row[] }> {
  const paths = files.map((rows, i) => {
    const path = join(folder, `t${i}.jsonl`);
    writeFileSync(path, rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join(""));
    return path;
  });
  const traffic = await loadTrace(paths, {
    format: options.trace_format as string,
    blockTokens: options.trace_block_size as number,
    concurrency: options.replay_concurrency as number,
    speedup: options.arrival_speedup_ratio as number,
    lanes: options.agentic_lanes as number,
    model: options.execution_model as string,
    sharedPrefixRatio: options.trace_shared_prefix_ratio as number,
    prefixGroups: options.trace_num_prefix_groups as number,
  });
  const { workload } = traffic;
  const requests = visits(traffic, (request, inputTokens) => {
    if (Math.ceil(inputTokens / 4) > 4096) return { ms: 0, status: "rejected" };
    return { ms: 10 + 2 * Math.max(0, workload.outputTokens[request] - 1) };
  }).map((visit) => {
    const row: Row = {
      arrival_time_ms: visit.arrivalMs,
      input_length: visit.inputTokens,
      requested_output_length: workload.outputTokens[visit.request],
      terminal_status: visit.status,
      terminal_time_ms: visit.endMs,
    };
    if (workload.requestIds !== null) {
      row.request_id = workload.requestIds[visit.request];
      row.play_id = workload.playIds![visit.request];
      row.dispatched_at_ms = visit.dispatchedMs;
    }
    if (workload.session !== null) row.session_id = workload.sessionName(workload.session[visit.request]);
    if (workload.turn !== null) row.turn_index = workload.turn[visit.request];
    return row;
  });
  return { num_requests: requests.length, requests: requests.sort(compare) };
}

for (const kind of new Set(cases.map((one) => one.kind))) {
  test(`loadTrace replays random ${kind} traces as the reference does`, async () => {
    for (const [i, one] of cases.entries()) {
      if (one.kind !== kind) continue;
      const { expected } = one;
      if ("error" in expected) {
        await assert.rejects(replayed(one), (problem: Error) => {
          const message = problem.message.replaceAll(folder, "{dir}");
          assert.ok(message === expected.error || message.startsWith(`${expected.error}: `), `case ${i}: ${message}`);
          return true;
        });
      } else {
        expected.requests.sort(compare);
        assert.deepEqual(await replayed(one), expected, `case ${i}`);
      }
    }
  });
}
