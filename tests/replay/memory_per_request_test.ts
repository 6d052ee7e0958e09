import "../without_user_cache.ts";
/** How many bytes of columns a request of a large load takes: counted where they are made, so always the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../../lib/replay/run.ts";
import type { RouterSpec } from "../../lib/router/spec.ts";
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

/** What is replayed, other than requests on their own on two aggregated vLLM workers with round robin. */
interface Shape {
  backend?: string;
  disaggregated?: boolean;
  router?: RouterSpec;
  /** Requests of a session. */
  turns?: number;
  concurrency?: number;
  perRequest?: boolean;
}

/** Requests of one and two blocks that come faster than one worker could serve them. */
function traceOf(requests: number, turns = 1): ReadableStream<Uint8Array> {
  const lines = Array.from({ length: requests }, (_, i) => {
    const hash_ids = i % 2 === 0 ? [i % 100] : [i % 100, 1000 + i];
    return JSON.stringify({
      ...(i % turns === 0 ? { timestamp: i * 20 } : { delay: 40 }),
      ...(turns > 1 ? { session_id: `s${Math.floor(i / turns)}` } : {}),
      input_length: 400 + i % 2 * 400,
      output_length: 4 + i % 9,
      hash_ids,
    });
  });
  return new Blob([lines.join("\n")]).stream();
}

async function replayed(traffic: Traffic, { backend = "vllm", disaggregated, router, perRequest }: Shape) {
  const role = (role: "aggregated" | "prefill" | "decode") => ({
    role,
    replicas: 2,
    launch: { engine: { backend, worker_type: role, num_gpu_blocks: 256, block_size: 64 } },
  });
  const report = await run({
    roles: disaggregated ? [role("prefill"), role("decode")] : [role("aggregated")],
    router,
    sla: { ttftMs: 100 },
    capture: { perRequest },
  }, { ready: { traffic } }).report;
  assert.equal(report.summary.completed_requests, traffic.workload.count);
}

/** Bytes that each further request of a replay costs beside its load. */
function replayBytes(shape: Shape): Promise<number> {
  return bytesARequest(async (requests) => {
    const { concurrency } = shape;
    const traffic = await loadTrace(traceOf(requests, shape.turns), { concurrency });
    return await bytesMade(() => replayed(traffic, shape));
  });
}

/** Bytes that each further request costs. */
async function bytesARequest(cost: (requests: number) => Promise<number>): Promise<number> {
  const [few, many] = [await cost(2048), await cost(4096)];
  return (many - few) / 2048;
}

test("a request of a load takes no more than its lengths, its time, and copies of growing columns", async () => {
  const bytes = await bytesARequest((requests) => bytesMade(() => loadTrace(traceOf(requests))));
  // three columns of 4 bytes and one of 8 that double, and the times once more as integers
  assert.ok(bytes < 45, `${bytes} bytes`);
});

const kvRouter: RouterSpec = { policy: "kv_router" };
const SHAPES: Record<string, Shape> = {
  "aggregated vLLM workers": {},
  "SGLang workers": { backend: "sglang" },
  "TensorRT-LLM workers": { backend: "trtllm" },
  "prefill and decode workers": { disaggregated: true },
  "prefill and decode workers of SGLang": { disaggregated: true, backend: "sglang" },
  "a kv_router": { router: kvRouter },
  "a kv_router that keeps requests": { router: { policy: "kv_router", settings: { queueThreshold: 0.5 } } },
  "a kv_router of SGLang workers": { router: kvRouter, backend: "sglang" },
  "a kv_router of prefill and decode workers": { router: kvRouter, disaggregated: true },
  "a least-loaded router": { router: { policy: "least_loaded" } },
  "sessions": { turns: 4 },
  "sessions with a kv_router": { turns: 4, router: kvRouter },
  "a fixed number of sessions": { turns: 4, concurrency: 8 },
  "a fixed number of requests": { concurrency: 8 },
};

for (const [name, shape] of Object.entries(SHAPES)) {
  test(`a request that ended leaves four latencies: ${name}`, async () => {
    // where arrivals depend on ends, also since when and until when it waited
    const bytes = await replayBytes(shape), waits = shape.turns || shape.concurrency ? 16 : 0;
    // 32 of latencies, and 11 of its blocks in the tree of prompts; what is under way may once grow
    assert.ok(bytes < 32 + 11 + waits + 2, `${bytes} bytes`);
  });
}

test("records of requests take more, and only where they are asked for", async () => {
  const bytes = await replayBytes({ perRequest: true });
  assert.ok(bytes > 100, `${bytes} bytes`);
});
