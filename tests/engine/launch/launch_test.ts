import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseLaunch } from "../../../lib/engine/launch/launch.ts";
import { ConfigError } from "../../../lib/errors.ts";

function errorOf(mapping: unknown): ConfigError {
  try {
    parseLaunch(mapping);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error;
  }
  throw new assert.AssertionError({ message: `no error for ${JSON.stringify(mapping)}` });
}

test("parseLaunch says what the reference says about every golden mapping", () => {
  const path = new URL("../../../fixtures/goldens/launch/errors.json", import.meta.url);
  const { cases } = JSON.parse(readFileSync(path, "utf8")) as { cases: { launch: unknown; error: string | null }[] };
  assert.ok(cases.length > 120);
  for (const { launch, error } of cases) {
    const text = JSON.stringify(launch);
    if (error === null) assert.doesNotThrow(() => parseLaunch(launch), text);
    else assert.equal(errorOf(launch).message, error, text);
  }
});

test("parseLaunch fills the defaults of each backend", () => {
  const vllm = parseLaunch();
  assert.deepEqual(
    [vllm.rank.backend, vllm.rank.role, vllm.rank.blockTokens, vllm.rank.blocks, vllm.rank.maxSequences],
    ["vllm", "aggregated", 64, 16384, 256],
  );
  assert.deepEqual([vllm.rank.maxModelTokens, vllm.rank.maxBatchedTokens, vllm.startupMs], [Infinity, 8192, 0]);
  assert.deepEqual(vllm.rank.timing, { type: "polynomial" });
  assert.equal(vllm.rank.transferTiming, "full_prompt");
  assert.equal(vllm.blocksExplicit, false);
  assert.equal(parseLaunch({ engine: { backend: "sglang" } }).rank.blockTokens, 1);
  assert.equal(parseLaunch({ engine: { backend: "trtllm", block_size: null } }).rank.blockTokens, 32);
});

test("parseLaunch reads null limits as no limit and seconds as milliseconds", () => {
  const { rank, startupMs, blocksExplicit } = parseLaunch({
    engine: { max_num_seqs: null, max_num_batched_tokens: null, max_model_len: null, num_gpu_blocks: 5 },
    startup_time: 1.5,
  });
  assert.deepEqual([rank.maxSequences, rank.maxBatchedTokens, rank.maxModelTokens], [Infinity, Infinity, Infinity]);
  assert.equal(startupMs, 1500);
  assert.equal(blocksExplicit, true);
});

test("parseLaunch cuts and pads acceptance rates to the depth", () => {
  const rates = (engine: Record<string, unknown>) => parseLaunch({ engine }).rank.acceptRates;
  assert.equal(rates({}), null);
  assert.deepEqual(rates({ aic_nextn: 2 }), [0.85, 0.3]);
  assert.deepEqual(rates({ aic_nextn: 5, aic_nextn_accept_rates: "  " }), [0.85, 0.3, 0, 0, 0]);
  assert.deepEqual(rates({ aic_nextn: 3, aic_nextn_accept_rates: " 0.5, 1e-1" }), [0.5, 0.1, 0]);
  assert.deepEqual(rates({ aic_nextn: 1, aic_nextn_accept_rates: "+1,.5,0." }), [1]);
});

test("parseLaunch takes ranks and GPUs from the performance config of an external timing", () => {
  const timing_model = { type: "external", provider: "ais", config: { tp: 2, attention_dp: 4 } };
  const worker = parseLaunch({ engine: { timing_model } });
  assert.deepEqual([worker.dpSize, worker.tensorParallel], [4, 2]);
  assert.equal(parseLaunch({ engine: { timing_model }, dp_size: 1 }).dpSize, 1);
  assert.deepEqual(worker.rank.timing, { type: "external", provider: "ais", config: { tp: 2, attention_dp: 4 } });
});

test("parseLaunch keeps 64-bit seeds exact", () => {
  assert.equal(parseLaunch({ engine: { aic_mtp_seed: 18446744073709551615n } }).rank.mtpSeed, 18446744073709551615n);
  assert.match(errorOf({ engine: { aic_mtp_seed: 18446744073709551616n } }).message, /expected u64/);
});

test("parseLaunch finds numbers JSON cannot hold by the rule they break", () => {
  assert.equal(errorOf({ engine: { speedup_ratio: NaN } }).message, "speedup_ratio must be finite and non-negative");
  assert.equal(errorOf({ startup_time: Infinity }).message, "startup_time must be finite and non-negative");
  assert.match(errorOf({ engine: { max_num_seqs: NaN } }).message, /floating point `NaN`, expected usize/);
});

test("parseLaunch refuses what is not simulated by name", () => {
  const offload = errorOf({ engine: { native_host_offload: { num_host_blocks: 3 } } });
  assert.equal(
    offload.message,
    "native_host_offload is not supported: offloading KV blocks to host memory is not simulated",
  );
  assert.equal(offload.issues[0].path, "engine.native_host_offload");
});

test("parseLaunch gives the near name of an unknown field as a hint", () => {
  assert.deepEqual(errorOf({ engine: { block_sise: 3 } }).issues[0].hint, "did you mean `block_size`?");
  assert.deepEqual(errorOf({ engine: { backend: "VLLM" } }).issues[0].hint, "did you mean `vllm`?");
});

test("parseLaunch reports fields without effect", () => {
  const ignored: string[] = [];
  parseLaunch({
    engine: { sglang: {}, preemption_mode: "fifo" },
    dynamo: {},
    gpu_memory_utilization: 0.9,
  }, { onIgnored: (path) => ignored.push(path) });
  assert.deepEqual(ignored, ["dynamo", "engine.sglang", "gpu_memory_utilization"]);
  parseLaunch({ dynamo: { router_queue_policy: "lcfs" } }, { onIgnored: (path) => assert.fail(path) });
});
