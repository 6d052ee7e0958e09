/**
 * What the guide says of its two topologies and of its start-up sweep, on the conversation trace. The trace is not part
 * of the project.
 */
import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { compareRuns } from "../../lib/analysis/compare_runs.ts";
import { loadPrediction } from "../../lib/config/load.ts";
import { predict } from "../../lib/replay/predict.ts";
import type { Report } from "../../lib/report/report.ts";

const trace = new URL("../../../shared/traces/conversation_trace.jsonl", import.meta.url);
const skip = existsSync(trace) ? false : "the conversation trace is not here";

async function run(name: string, ...set: string[]): Promise<Report> {
  const text = readFileSync(new URL(`../../fixtures/configs/${name}.yaml`, import.meta.url), "utf8");
  const paths = `traffic.source.paths=${JSON.stringify([fileURLToPath(trace)])}`;
  const { plan } = await loadPrediction(text, { name: `${name}.yaml`, stack: "dynamo", set: [paths, ...set] });
  return await predict(plan);
}

const changesOf = ({ planner }: Report) =>
  planner!.lifecycle_operations.flatMap(({ at_ms, transitions }) => transitions.map((each) => ({ at_ms, ...each })));
const addedBy = ({ planner }: Report) =>
  planner!.scaling_events.reduce((sum, { from_count, to_count }) => sum + Math.max(0, to_count - from_count), 0);

test("planner-aggregated: the start-up sweep of the guide", { skip }, async () => {
  const reports: Report[] = [];
  for (const seconds of [0, 30, 60, 120]) {
    const report = await run("planner-aggregated", `engine.workers.aggregated.startup_seconds=${seconds}`);
    reports.push(report);
    const { summary, planner } = report;
    assert.equal(summary.completed_requests, 12_031);
    assert.deepEqual(planner!.ticks[0].topology.decode.active, [0, 1], "starting replicas are ready at time zero");
    assert.equal(planner!.metadata.bootstrap!.status, "installed");
    const changes = changesOf(report);
    const of = (kind: string) => changes.filter(({ transition }) => transition === kind);
    assert.ok(addedBy(report) > 0);
    assert.equal(of(seconds === 0 ? "worker_ready" : "worker_starting").length, addedBy(report));
    assert.equal(of("worker_starting").length, seconds === 0 ? 0 : addedBy(report));
    const startedMs = new Map(of("worker_starting").map(({ worker_id, at_ms }) => [worker_id, at_ms]));
    for (const { worker_id, at_ms } of of("worker_ready")) {
      if (seconds > 0) assert.equal(at_ms, startedMs.get(worker_id)! + seconds * 1000);
    }
  }
  const table = compareRuns(reports.map((report, i) => ({ name: `${[0, 30, 60, 120][i]} s`, ...report })));
  assert.equal(table.numRows(), 4);
  const column = (name: string) => [...table.array(name)] as number[];
  const sorted = (values: number[]) => [...values].sort((a, b) => a - b);
  // Later workers: fewer GPU hours, longer waits.
  assert.deepEqual(column("gpu_hours"), sorted(column("gpu_hours")).reverse());
  assert.deepEqual(column("mean_ttft_ms"), sorted(column("mean_ttft_ms")));
});

test("planner-disaggregated: roles scale within one budget of GPUs", { skip }, async () => {
  const { summary, planner } = await run("planner-disaggregated");
  assert.equal(summary.completed_requests, 12_031);
  assert.ok(planner!.scaling_events.length > 0);
  assert.deepEqual([summary.prefill_gpus_per_worker, summary.decode_gpus_per_worker], [1, 1]);
  for (const { topology: { prefill, decode } } of planner!.ticks) {
    const gpus = prefill.active_count + prefill.starting_count + decode.active_count + decode.starting_count;
    assert.ok(gpus >= 2 && gpus <= 4, `${gpus} GPUs`);
  }
  const { prefill_worker_seconds: prefill, decode_worker_seconds: decode, gpu_hours } = summary;
  assert.ok(Math.abs((prefill! + decode!) / 3600 - gpu_hours!) < 1e-9);
});

test("a disabled Planner reports null and keeps the replicas", { skip }, async () => {
  const { planner, summary } = await run("planner-aggregated", "planner={policy: disabled}");
  assert.equal(planner, null);
  assert.ok(Math.abs(summary.gpu_hours! - 2 * summary.duration_ms / 3.6e6) < 1e-9);
});
