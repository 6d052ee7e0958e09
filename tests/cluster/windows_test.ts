/** Sessions with times for thought: workers go on in windows, and come to the same as in lock step. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runTraceReplay, type TraceReplayOptions } from "../../replay.ts";
import { splitmix32 } from "../../lib/random/splitmix32.ts";
import { inFolder } from "../cli/support.ts";

/** Rows of sessions of up to four turns. */
function rows(seed: number, delaysMs: readonly number[]): string {
  const random = splitmix32(seed), upTo = (most: number) => 1 + Math.floor(random() * most);
  let text = "", atMs = 0;
  for (let session = 0; session < 12; session++) {
    atMs += upTo(150);
    for (let turn = 0, turns = upTo(4); turn < turns; turn++) {
      const input_length = upTo(1400), hash_ids = Array.from({ length: Math.ceil(input_length / 512) }, () => upTo(9));
      const start = turn === 0 ? { timestamp: atMs } : { delay: delaysMs[upTo(delaysMs.length) - 1] };
      text += JSON.stringify({ ...start, session_id: `s${session}`, input_length, output_length: upTo(40), hash_ids }) +
        "\n";
    }
  }
  return text;
}

test("a cluster whose sessions think before they go on gives the same in windows as in lock step", () =>
  inFolder(async (folder) => {
    const trace = join(folder, "sessions.jsonl");
    for (let seed = 0; seed < 24; seed++) {
      writeFileSync(trace, rows(seed, seed % 3 === 0 ? [1] : seed % 3 === 1 ? [40, 700] : [300]));
      const options: TraceReplayOptions = {
        numWorkers: 1 + seed % 4,
        routerMode: seed % 5 === 0 ? "kv_router" : "round_robin",
        extraEngineArgs: { engine: { backend: ["vllm", "trtllm", "sglang"][seed % 3] } },
        capturePerRequest: true,
        ...(seed % 7 === 0 ? { maxSimTimeMs: 900 } : {}),
      };
      const windows = await runTraceReplay([trace], options);
      // telemetry asks all workers at the same times, so they move in lock step
      const lockStep = await runTraceReplay([trace], { ...options, captureTelemetry: true });
      assert.ok(windows.summary.completed_requests > 0);
      assert.deepEqual([...windows.per_request!], [...lockStep.per_request!], `seed ${seed}`);
      assert.equal(windows.summary.duration_ms, lockStep.summary.duration_ms);
      for (const [i, { kv_use_mean, kv_use_peak }] of windows.workers!.entries()) {
        const { kv_use_mean: mean, kv_use_peak: peak } = lockStep.workers![i];
        assert.ok(
          Math.abs(kv_use_mean! - mean!) <= 1e-12,
          `seed ${seed}: worker ${i} used ${kv_use_mean}, not ${mean}`,
        );
        assert.equal(kv_use_peak, peak);
      }
    }
  }));
