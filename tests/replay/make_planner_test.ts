import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { predict } from "../../lib/replay/predict.ts";
import type { Report } from "../../lib/report/report.ts";

const row = (i: number) =>
  JSON.stringify({
    timestamp: i * 400,
    input_length: 3000,
    output_length: 100,
    hash_ids: [1, 2, 3, 4, 5, 6].map((h) => 6 * i + h),
  });

/** Runs a prediction with polynomial timing on a small made-up trace. */
async function run(planner: string, sla: string): Promise<{ report: Report; warnings: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-"));
  try {
    const trace = join(folder, "trace.jsonl");
    writeFileSync(trace, Array.from({ length: 200 }, (_, i) => row(i)).join("\n"));
    const text = `
traffic:
  source: {type: trace, paths: [${trace}], format: mooncake}
  load: {type: trace_timestamps}
engine:
  mode: aggregated
  model: nvidia/Llama-3.1-8B-Instruct-FP8
  hardware: h200_sxm
  backend: vllm
  context_length: 32768
  workers:
    aggregated:
      parallelism: {replicas: 1, tensor: 1}
      kv_cache: {block_size: 64, capacity: {type: fixed, blocks: 4096}}
      timing: {type: polynomial}
planner: ${planner}
evaluation: {sla: ${sla}}
`;
    const { plan } = await loadPrediction(text, { name: "test.yaml", stack: "dynamo" });
    const warnings: string[] = [];
    const report = await predict(plan, { onWarning: (message) => warnings.push(message) });
    return { report, warnings };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("predict puts the Planner of the file in the loop and reports it", async () => {
  const { report, warnings } = await run("{policy: enabled, target: latency, max_num_gpus: 3}", "{e2e_ms: 9000}");
  const { planner } = report;
  assert.ok(planner && planner.total_ticks > 0);
  assert.deepEqual(warnings, []);
  assert.deepEqual(planner.metadata.bootstrap, { status: "not_required" });
  assert.equal(planner.metadata.mode, "agg");
  assert.ok(planner.ticks.every(({ topology }) => topology.decode.active_count <= 3));
});

test("predict warns before the run when no number of replicas can keep the SLA", async () => {
  const { report, warnings } = await run(
    "{policy: enabled, target: sla, enable_load_scaling: true, enable_throughput_scaling: false, max_num_gpus: 2}",
    "{ttft_ms: 2, itl_ms: 1}",
  );
  assert.match(
    warnings[0],
    /^the Planner's ttft_ms 2 is out of reach: a prompt of 3000 tokens, nothing of it cached/,
  );
  assert.match(warnings[1], /^the Planner's itl_ms 1 is out of reach: /);
  assert.equal(report.summary.completed_requests, 200);
  assert.equal(report.summary.goodput_completed_requests, 0);
});
