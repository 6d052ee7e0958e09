/**
 * Loads that hear of ends: workers go on in windows, or stay behind where nothing is to be heard, and come to the same as
 * where samples look at all of them.
 */
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

/**
 * A replay gives the same as with samples so often that nobody runs on from one to the next, and with a limit beside them,
 * so that every end of a pass is an event.
 */
async function assertSame(trace: string, options: TraceReplayOptions, name: string): Promise<void> {
  const alone = await runTraceReplay([trace], options);
  const lockStep = await runTraceReplay([trace], {
    ...options,
    captureTelemetry: true,
    telemetrySampleIntervalMs: 0.5,
    maxSimTimeMs: options.maxSimTimeMs ?? 1e9,
  });
  assert.ok(alone.summary.completed_requests > 0);
  assert.deepEqual([...alone.per_request!], [...lockStep.per_request!], name);
  assert.equal(alone.summary.duration_ms, lockStep.summary.duration_ms);
  for (const [i, { kv_use_mean, kv_use_peak }] of alone.workers!.entries()) {
    const { kv_use_mean: mean, kv_use_peak: peak } = lockStep.workers![i];
    assert.ok(Math.abs(kv_use_mean! - mean!) <= 1e-12, `${name}: worker ${i} used ${kv_use_mean}, not ${mean}`);
    assert.equal(kv_use_peak, peak);
  }
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
      await assertSame(trace, options, `seed ${seed}`);
    }
  }));

test("workers that stay behind while nobody hears of them give the same as in lock step", () =>
  inFolder(async (folder) => {
    const trace = join(folder, "sessions.jsonl");
    for (let seed = 0; seed < 48; seed++) {
      // Integer times, and passes that take no time, so that many things happen at once.
      const prefill_ms = seed % 8 < 6 ? 0 : 10;
      const ties = seed % 2 === 0 ? { timing_model: { type: "fixed", prefill_ms, decode_ms: 1 } } : {};
      writeFileSync(
        trace,
        rows(seed, seed % 3 === 0 ? [0] : [0, 30]).replaceAll(/"output_length":\d,/g, '"output_length":1,'),
      );
      await assertSame(trace, {
        numWorkers: 1 + seed % 5,
        routerMode: ["round_robin", "kv_router", "least_loaded"][seed % 3],
        extraEngineArgs: {
          engine: {
            backend: ["vllm", "trtllm", "sglang", "vllm"][(seed >> 1) % 4],
            ...ties,
            ...(seed % 7 === 0 ? { block_size: 64, num_gpu_blocks: 40 } : {}),
          },
        },
        capturePerRequest: true,
        ...(seed % 2 === 0 ? { replayConcurrency: 2 + seed % 5 } : {}),
        ...(seed % 5 === 0 ? { maxSimTimeMs: 1200 } : {}),
      }, `seed ${seed}`);
    }
  }));
