import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptanceRates, workerSettings } from "../../lib/config/make_plan.ts";
import { BASE, DISAGGREGATED, planOf, read } from "./support.ts";

const A = "engine.workers.aggregated";
const traffic = async (value: unknown) => (await planOf(BASE, [`traffic=${JSON.stringify(value)}`])).traffic;

test("trafficPlan resolves counts from load units, halves to even", async () => {
  const synthetic = (load: unknown, stop: unknown) => traffic({ source: { type: "synthetic" }, load, stop });
  assert.deepEqual(await synthetic({ type: "concurrency", concurrency: 5 }, { requests_per_load_unit: 0.5 }), {
    source: { type: "synthetic", inputTokens: 1024, outputTokens: 128, count: 2 },
    load: { type: "concurrency", concurrency: 5 },
    maxVirtualMs: Infinity,
    cutoff: "soft",
  });
  const count = async (load: unknown, stop: unknown) =>
    ((await synthetic(load, stop)).source as { count: number }).count;
  assert.equal(await count({ type: "poisson", requests_per_second: 7 }, { requests_per_load_unit: 0.5 }), 4);
  assert.equal(await count({}, { requests_per_load_unit: 0.01 }), 1);
  assert.equal(await count({}, { requests: 9 }), 9);
});

test("trafficPlan reads sessions, rates and seeds", async () => {
  const session = { turns: 3, shared_prefix_ratio: 0.5, prefix_groups: 2, inter_turn_delay_ms: 10 };
  const plan = await traffic({
    source: { type: "synthetic-session", session },
    load: { type: "poisson", sessions_per_second: 4 },
    stop: { sessions_per_load_unit: 2.5 },
  });
  assert.deepEqual(plan.source, {
    type: "synthetic-session",
    inputTokens: 1024,
    outputTokens: 128,
    count: 10,
    turns: 3,
    sharedPrefixRatio: 0.5,
    prefixGroups: 2,
    interTurnDelayMs: 10,
  });
  assert.deepEqual(plan.load, { type: "poisson", perSecond: 4, seed: 42 });
});

test("trafficPlan leaves the block size of dynamo traces to the rows and turns the cutoff into milliseconds", async () => {
  const source = { type: "trace", paths: ["a", "b"], format: "dynamo" };
  const plan = await traffic({
    source,
    load: { type: "trace_timestamps", speedup: 2 },
    stop: { max_virtual_time_seconds: 1.5 },
  });
  assert.deepEqual([plan.source.type === "trace" && plan.source.blockTokens, plan.maxVirtualMs], [null, 1500]);
  assert.deepEqual(plan.load, { type: "trace_timestamps", speedup: 2, agenticLanes: null });
});

test("trafficPlan without a section is 100 requests at concurrency 10", async () => {
  const plan = await planOf(BASE.slice(BASE.indexOf("engine:")));
  assert.deepEqual(plan.traffic, {
    source: { type: "synthetic", inputTokens: 1024, outputTokens: 128, count: 100 },
    load: { type: "concurrency", concurrency: 10 },
    maxVirtualMs: Infinity,
    cutoff: "soft",
  });
});

test("workerSettings turns a role into the settings of its workers", async () => {
  const plan = await planOf(BASE, [
    `${A}.parallelism={replicas: 3, tensor: 2, attention_data: 4}`,
    `${A}.scheduler={max_batched_tokens: 100, max_sequences: 5, prefill_schedule_interval: 2}`,
    `${A}.kv_cache.prefix_caching=false`,
    `${A}.timing={type: fixed, prefill_ms: "1.5", decode_ms: 2}`,
    `${A}.startup_seconds=30`,
    "engine.enable_chunked_prefill=false",
  ]);
  const [role] = plan.roles;
  const { rank, ...worker } = workerSettings(role);
  assert.deepEqual([role.replicas, role.gpusPerWorker], [3, 8]);
  assert.deepEqual([worker.dpSize, worker.tensorParallel, worker.startupMs, worker.blocksExplicit], [
    4,
    2,
    30000,
    true,
  ]);
  assert.deepEqual(
    [rank.blocks, rank.blockTokens, rank.maxModelTokens, rank.maxSequences, rank.maxBatchedTokens],
    [8192, 64, 32768, 5, 100],
  );
  assert.deepEqual(
    [rank.prefillScheduleInterval, rank.prefixCaching, rank.chunkedPrefill, rank.role],
    [2, false, false, "aggregated"],
  );
  assert.deepEqual(rank.timing, { type: "fixed", prefillMs: 1.5, decodeMs: 2 });
});

test("workerSettings gives prefill and decode their own defaults and transfers", async () => {
  const plan = await planOf(DISAGGREGATED);
  const [prefill, decode] = plan.roles.map((role) => workerSettings(role).rank);
  assert.deepEqual([prefill.role, prefill.maxSequences, decode.role, decode.maxSequences], [
    "prefill",
    1,
    "decode",
    256,
  ]);
  for (const rank of [prefill, decode]) {
    assert.deepEqual(
      [rank.transferBytesPerToken, rank.transferGigabytesPerSecond, rank.transferTiming],
      [1000, 400, "destination_missing"],
    );
  }
});

test("workerSettings asks for model facts only where they matter", async () => {
  const plan = await planOf(DISAGGREGATED, [
    "engine.kv_transfer={}",
    "engine.context_length=max",
    "engine.workers.decode={}",
    "engine.workers.prefill.kv_cache.capacity={memory_fraction: 0.5}",
  ]);
  const [prefill, decode] = plan.roles;
  assert.deepEqual([prefill.transferBytesPerToken, prefill.contextTokens, decode.timing], [null, "max", "default"]);
  assert.deepEqual(prefill.capacity, { type: "default", memoryFraction: 0.5, cudaGraphReservedBytes: 0 });
  const { rank, blocksExplicit } = workerSettings(decode, { blocks: 7, maxModelTokens: 99, transferBytesPerToken: 1 });
  assert.deepEqual([rank.blocks, rank.maxModelTokens, rank.transferBytesPerToken, blocksExplicit], [
    7,
    99,
    null,
    false,
  ]);
  assert.deepEqual(rank.timing, { type: "external", provider: "ais", config: decode.estimator });
});

test("rolePlans give SGLang and TensorRT-LLM a context length only when it is a number", async () => {
  for (
    const [backend, length, tokens] of [["sglang", "max", null], ["trtllm", "5", 5], ["vllm", "max", "max"]] as const
  ) {
    const plan = await planOf(BASE, [`engine.backend=${backend}`, `engine.context_length=${length}`]);
    assert.equal(plan.roles[0].contextTokens, tokens);
  }
});

test("rolePlans turn bytes into whole blocks", async () => {
  const plan = await planOf(BASE, [
    `${A}.kv_cache={block_size: 16, bytes_per_token: 10, capacity: {type: fixed, bytes: 1000}}`,
  ]);
  assert.deepEqual(plan.roles[0].capacity, { type: "fixed", blocks: 6 });
});

test("rolePlans turn accepted drafts into certain ones and a rest", async () => {
  const set = [`${A}.kv_cache.capacity={type: fixed, blocks: 9}`, "engine.nextn=2", "engine.nextn_accepted=0.75"];
  const { plan } = await read(BASE, [`${A}.timing={}`, ...set], { stack: "engine" });
  const { acceptRates } = workerSettings(plan.roles[0]).rank;
  assert.deepEqual(acceptRates, [0.75, 0]);
});

test("acceptanceRates spend accepted drafts from the first on", () => {
  assert.deepEqual(acceptanceRates(1, 0.3), [0.3]);
  assert.deepEqual(acceptanceRates(3, 3), [1, 1, 1]);
  assert.deepEqual(acceptanceRates(3, 0), [0, 0, 0]);
  assert.deepEqual(acceptanceRates(4, 2.5), [1, 1, 0.5, 0]);
});

test("routerPlan names routers without settings", async () => {
  assert.deepEqual((await planOf(BASE, ["router={policy: least_loaded}"])).router, { policy: "least_loaded" });
});

test("routerPlan fills the KV router's defaults", async () => {
  const set = [`${A}.parallelism.replicas=2`, "router={policy: kv_router, prefill_load_model: {type: ais}}"];
  assert.deepEqual((await planOf(BASE, set)).router, {
    policy: "kv_router",
    overlapScoreCredit: 1,
    prefillLoadScale: 1,
    temperature: 0,
    prefillLoadModel: "aic",
  });
  assert.deepEqual((await planOf(BASE, [...set, "router.seed=7"])).router, {
    policy: "kv_router",
    overlapScoreCredit: 1,
    prefillLoadScale: 1,
    temperature: 0,
    seed: 7,
    prefillLoadModel: "aic",
  });
});
