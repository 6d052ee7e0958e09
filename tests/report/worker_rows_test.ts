import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  planner,
  type PlannerSection,
  readTrace,
  replay,
  type ReplayOptions,
  type Report,
  sglang,
  trtllm,
  vllm,
} from "../../mod.ts";

const run = (options: ReplayOptions): Promise<Report> =>
  replay(readTrace("fixtures/traces/chat.jsonl"), { speedup: 4, ...options }).report;

test("every worker is told, with what it served and how full its KV cache was", async () => {
  for (const engine of [vllm, sglang, trtllm]) {
    const { workers, summary } = await run({
      cluster: { replicas: 3, engine: engine({ blocks: engine === sglang ? 192_000 : 3000 }) },
    });
    assert.deepEqual(workers!.map(({ pool, worker_id }) => [pool, worker_id]), [["agg", 0], ["agg", 1], ["agg", 2]]);
    assert.equal(
      workers!.reduce((sum, { completed_requests }) => sum + completed_requests, 0),
      summary.completed_requests,
    );
    assert.ok(Math.abs(workers!.reduce((sum, { alive_s }) => sum + alive_s, 0) - summary.decode_worker_seconds) < 1e-6);
    for (const { kv_use_mean, kv_use_peak } of workers!) {
      assert.ok(0 < kv_use_mean! && kv_use_mean! < kv_use_peak && kv_use_peak <= 1, `${kv_use_mean} ${kv_use_peak}`);
    }
  }
});

test("workers that came and went are told too", async () => {
  const { workers, summary, planner: section } = await run({
    cluster: { replicas: 1, engine: vllm({ blocks: 3000 }) },
    planner: planner({ target: "latency", maxGpus: 4 }),
  });
  const added = (section as PlannerSection).scaling_events.reduce(
    (sum, { from_count, to_count }) => sum + Math.max(0, to_count - from_count),
    0,
  );
  assert.ok(added > 0);
  assert.equal(workers!.length, 1 + added);
  assert.ok(Math.abs(workers!.reduce((sum, { alive_s }) => sum + alive_s, 0) - summary.decode_worker_seconds) < 1e-6);
  assert.equal(
    workers!.reduce((sum, { completed_requests }) => sum + completed_requests, 0),
    summary.completed_requests,
  );
});

test("prefill and decode workers count the requests they took part in", async () => {
  const { workers, summary } = await run({
    cluster: {
      prefill: { replicas: 1, engine: vllm({ blocks: 3000 }) },
      decode: { replicas: 2, engine: vllm({ blocks: 3000 }) },
    },
  });
  const served = (pool: string) =>
    workers!.filter((row) => row.pool === pool).reduce((sum, { completed_requests }) => sum + completed_requests, 0);
  assert.deepEqual([served("prefill"), served("decode")], [summary.completed_requests, summary.completed_requests]);
});
