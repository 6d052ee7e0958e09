/** Decode workers that nothing waits for stay behind the clock, and come to the same as in lock step. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runTraceReplay, type TraceReplayOptions } from "dynosim/replay";
import { splitmix32 } from "../../lib/random/splitmix32.ts";
import { inFolder } from "../cli/support.ts";

function rows(seed: number): string {
  const random = splitmix32(seed), upTo = (most: number) => 1 + Math.floor(random() * most);
  let text = "", timestamp = 0;
  for (let r = 0; r < 40; r++) {
    timestamp += upTo(seed % 2 === 0 ? 60 : 900);
    const input_length = upTo(1400), hash_ids = Array.from({ length: Math.ceil(input_length / 512) }, () => upTo(9));
    text += JSON.stringify({ timestamp, input_length, output_length: upTo(90), hash_ids }) + "\n";
  }
  return text;
}

test("a cluster with prefill and decode workers gives the same whether or not workers stay behind the clock", () =>
  inFolder(async (folder) => {
    const trace = join(folder, "trace.jsonl");
    for (let seed = 0; seed < 24; seed++) {
      writeFileSync(trace, rows(seed));
      const backend = ["vllm", "trtllm", "sglang"][seed % 3];
      const args = (worker_type: string, blocks: number) => ({
        engine: {
          backend,
          worker_type,
          block_size: 64,
          num_gpu_blocks: blocks,
          ...(seed % 4 < 2 ? { kv_transfer_bytes_per_token: 65536, kv_transfer_bandwidth: 2 } : {}),
        },
      });
      const options: TraceReplayOptions = {
        numPrefillWorkers: 1 + seed % 2,
        numDecodeWorkers: 1 + seed % 4,
        prefillEngineArgs: args("prefill", 400),
        // so few that requests wait for a place
        decodeEngineArgs: args("decode", seed % 5 === 0 ? 60 : 400),
        capturePerRequest: true,
        ...(seed % 7 === 0 ? { maxSimTimeMs: 900 } : {}),
        ...(seed % 6 === 1
          ? {
            plannerConfig: {
              mode: "disagg",
              optimization_target: "throughput",
              load_adjustment_interval_seconds: 5,
            },
          }
          : {}),
      };
      const lagging = await runTraceReplay([trace], options);
      // samples are of all workers, so these move in lock step
      const lockStep = await runTraceReplay([trace], { ...options, captureTelemetry: true });
      assert.ok(lagging.summary.completed_requests > 0);
      assert.deepEqual([...lagging.per_request!], [...lockStep.per_request!], `seed ${seed}`);
      assert.equal(lagging.summary.duration_ms, lockStep.summary.duration_ms);
      assert.deepEqual(lagging.planner?.ticks?.length, lockStep.planner?.ticks?.length);
      for (const [i, { kv_use_mean, kv_use_peak }] of lagging.workers!.entries()) {
        const { kv_use_mean: mean, kv_use_peak: peak } = lockStep.workers![i];
        assert.ok(
          Math.abs(kv_use_mean! - mean!) <= 1e-12,
          `seed ${seed}: worker ${i} used ${kv_use_mean}, not ${mean}`,
        );
        assert.equal(kv_use_peak, peak);
      }
    }
  }));
