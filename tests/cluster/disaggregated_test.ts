import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLaunch } from "../../lib/engine/launch/launch.ts";
import type { PoolSpec } from "../../lib/cluster/spec.ts";
import { play, pool, scripted } from "./support.ts";

/** A prefill pool whose KV takes 5 ms to move: 32 tokens of 1,000,000 bytes at 6.4 GB a second. */
function slowlyMoving(backend: string): PoolSpec {
  const engine = {
    backend,
    worker_type: "prefill",
    num_gpu_blocks: 1024,
    block_size: 16,
    kv_transfer_bytes_per_token: 1_000_000,
    kv_transfer_bandwidth: 6.4,
  };
  return { ...pool("prefill", { backend }), settings: parseLaunch({ engine }) };
}

for (const backend of ["vllm", "sglang", "trtllm"]) {
  test(`DisaggregatedCluster moves a prompt's KV from a ${backend} worker to the one that decodes`, () => {
    const { records } = play([slowlyMoving(backend), pool("decode", { backend })], { count: 1 });
    const { sourceHeldMs, destinationReservedMs, destinationActivatedMs, sourceReleasedMs } = records.disaggregated!;
    assert.equal(sourceHeldMs[0], 10);
    assert.equal(destinationReservedMs[0], backend === "sglang" ? 0 : 10);
    assert.deepEqual([destinationActivatedMs[0], sourceReleasedMs[0]], [15, 15]);
    assert.ok(records.firstTokenMs[0] > 15);
  });
}

test("DisaggregatedCluster scales each pool by its own target", () => {
  const { policy, seen } = scripted([{ atMs: 50, prefill: 3, decode: 2 }, { atMs: 150, prefill: 1 }, { atMs: 199 }]);
  play([pool("prefill"), pool("decode")], { policy });
  assert.deepEqual(seen.map(({ prefill, decode }) => [prefill.active.length, decode.active.length]), [
    [1, 1],
    [3, 2],
    [1, 2],
  ]);
});

test("DisaggregatedCluster lets requests wait for a worker when a pool has none", () => {
  const { policy } = scripted([{ atMs: 50, decode: 0 }, { atMs: 350, decode: 1 }]);
  const { records } = play([pool("prefill"), pool("decode")], { policy });
  assert.equal(records.ended, 3);
  const [first, ...waited] = [...records.firstTokenMs].slice(0, 3);
  assert.ok(first < 50 && waited.every((ms) => ms > 350), String([first, ...waited]));
});

test("DisaggregatedCluster ends a request that no decode worker can hold, on both sides", () => {
  const { records, outcome } = play([pool("prefill"), pool("decode", { blocks: 1 })], { count: 2 });
  assert.equal(records.ended, 2);
  assert.ok(outcome.endMs >= 100);
});
