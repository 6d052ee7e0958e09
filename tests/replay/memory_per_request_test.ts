import "../without_user_cache.ts";
/** How many bytes of columns a request of a large load takes: counted where they are made, so always the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../../lib/replay/run.ts";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import type { Traffic } from "../../lib/traffic/workload.ts";

const COLUMNS = ["Int32Array", "Uint32Array", "Float64Array", "Uint8Array", "Uint16Array"] as const;

/** Bytes of all arrays of numbers that are made while something happens, those that are soon forgotten among them. */
async function bytesMade(happening: () => Promise<unknown>): Promise<number> {
  const globals = globalThis as any, before = COLUMNS.map((name) => globals[name]);
  let bytes = 0;
  COLUMNS.forEach((name, i) => {
    globals[name] = class extends before[i] {
      constructor(...given: any[]) {
        super(...given);
        if (!(given[0] instanceof ArrayBuffer)) bytes += (this as any).byteLength;
      }
    };
  });
  try {
    await happening();
  } finally {
    COLUMNS.forEach((name, i) => globals[name] = before[i]);
  }
  return bytes;
}

/** Requests of one and two blocks that come faster than one worker could serve them. */
function traceOf(requests: number): ReadableStream<Uint8Array> {
  const lines = Array.from({ length: requests }, (_, i) => {
    const hash_ids = i % 2 === 0 ? [i % 100] : [i % 100, 1000 + i];
    return JSON.stringify({ timestamp: i * 20, input_length: 400 + i % 2 * 400, output_length: 4 + i % 9, hash_ids });
  });
  return new Blob([lines.join("\n")]).stream();
}

async function replayed(traffic: Traffic, perRequest: boolean): Promise<void> {
  const engine = { num_gpu_blocks: 256, block_size: 64 };
  const report = await run({
    roles: [{ role: "aggregated", replicas: 2, launch: { engine } }],
    sla: { ttftMs: 100 },
    capture: { perRequest },
  }, { ready: { traffic } }).report;
  assert.equal(report.summary.completed_requests, traffic.workload.count);
}

/** Bytes that each further request costs. */
async function bytesARequest(cost: (requests: number) => Promise<number>): Promise<number> {
  const [few, many] = [await cost(4096), await cost(8192)];
  return (many - few) / 4096;
}

test("a request of a load takes no more than its lengths, its time, and copies of growing columns", async () => {
  const bytes = await bytesARequest((requests) => bytesMade(() => loadTrace(traceOf(requests))));
  // three columns of 4 bytes and one of 8 that double, and the times once more as integers
  assert.ok(bytes < 45, `${bytes} bytes`);
});

test("a request that ended leaves its waits and four latencies", async () => {
  const bytes = await bytesARequest(async (requests) => {
    const traffic = await loadTrace(traceOf(requests));
    return await bytesMade(() => replayed(traffic, false));
  });
  // 17 of waits and status, 32 of latencies, and 10 of its blocks in the tree of prompts
  assert.ok(bytes <= 59, `${bytes} bytes`);
});

test("records of requests take more, and only where they are asked for", async () => {
  const bytes = await bytesARequest(async (requests) => {
    const traffic = await loadTrace(traceOf(requests));
    return await bytesMade(() => replayed(traffic, true));
  });
  assert.ok(bytes > 100, `${bytes} bytes`);
});
