/** What was silent, or said in the wrong words, by the rows of the list of faults: warnings, hints and explained dead ends. */
import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import {
  Deployments,
  explainRun,
  fixed,
  htmlReport,
  loadPrediction,
  predict,
  readTrace,
  replay,
  run,
  runTraceReplay,
  syntheticTraffic,
  toRun,
  vllm,
} from "../../mod.ts";
import { PerfSet } from "../../lib/timing/aic/perf_set.ts";
import { withoutVainSearches } from "../../lib/retune/in_vain.ts";
import { BASE } from "../config/support.ts";
import { writeDynamoTraces } from "../dynamo_rows.ts";

const folder = () => mkdtempSync(join(tmpdir(), "dynosim-faults-"));
const CHAT = "fixtures/traces/chat.jsonl";

/** Warnings of a prediction, those of its configuration first. */
async function warningsOf(...set: string[]): Promise<string[]> {
  const { plan, warnings } = await loadPrediction(BASE, { set: [`traffic.source.paths=[${CHAT}]`, ...set] });
  await predict(plan, { onWarning: (text) => warnings.push(text) });
  return warnings;
}
const engine = (...set: string[]) => set.map((text) => `engine.${text}`);

test("B5 a router's policy file is read wherever it is named, and what has no effect is told", async () => {
  const call = (routerConfig: Record<string, unknown>, warnings: string[] = []) =>
    runTraceReplay([CHAT], {
      numWorkers: 2,
      routerMode: "kv_router",
      routerConfig,
      onWarning: (text) => warnings.push(text),
    })
      .then(() => warnings);
  await assert.rejects(call({ router_policy_config: "/nowhere.yaml" }), /\/nowhere\.yaml/);
  assert.match((await call({ router_event_threads: 2 })).join(), /router_event_threads has no effect/);
  const set = [
    "router={policy: kv_router, policy_file: /nowhere.yaml}",
    "engine.workers.aggregated.parallelism.replicas=2",
  ];
  const { plan } = await loadPrediction(BASE, { stack: "dynamo", set: [`traffic.source.paths=[${CHAT}]`, ...set] });
  await assert.rejects(predict(plan), /\/nowhere\.yaml/);
});

const RETUNE = {
  router: { overlap_score_credit: [0, 1], prefill_load_scale: [1], temperature: [0] },
  planner: { load_scaling_down_sensitivity: [70, 80, 90], load_predictor: null },
} as unknown as Parameters<typeof withoutVainSearches>[0];

test("B8 a retune leaves out what has no effect in its run, and says so", async () => {
  const [kept, said] = withoutVainSearches(RETUNE, { target: "load", prefixCaching: false });
  assert.deepEqual([kept.planner!.load_scaling_down_sensitivity, kept.router!.overlap_score_credit], [null, [0]]);
  assert.match(said.join(), /load_scaling_down_sensitivity is not searched: target load.*overlap_score_credit is not/);
  assert.deepEqual(withoutVainSearches(RETUNE, { target: "sla", prefixCaching: true }), [RETUNE, []]);

  const { replayed } = writeDynamoTraces(CHAT, folder(), 1_200_000);
  const set = (block: string) => [
    `traffic.source={type: trace, format: dynamo, paths: [${replayed}]}`,
    "engine.workers.aggregated.parallelism.replicas=2",
    "router={policy: kv_router}",
    `planner={policy: enabled, target: throughput, retune: ${block}}`,
  ];
  const only = await loadPrediction(BASE, { stack: "dynamo", set: set("{planner: default}") });
  await assert.rejects(predict(only.plan), { name: "ConfigError", message: /planner\.retune has nothing to search/ });
  const knobs = "{overlap_score_credit: 1, prefill_load_scale: 1, temperature: 0}";
  const { plan } = await loadPrediction(BASE, {
    stack: "dynamo",
    set: set(`{router: ${knobs}, planner: default, grace_seconds: 0, interval_seconds: 60}`),
  });
  const warnings: string[] = [];
  const report = await predict(plan, { mostParallel: 1, onWarning: (text) => warnings.push(text) });
  assert.ok(
    warnings.some((text) => /^planner\.retune\.planner\.load_scaling_down_sens/.test(text)),
    warnings.join("\n"),
  );
  for (const { candidates } of report.planner!.retune_events!) assert.equal(candidates.length, 1);
});

test("B9 what can never be served is told before the replay, and explains its dead end", async () => {
  const cases: [sets: string[], names: RegExp][] = [
    [
      engine("enable_chunked_prefill=false", "workers.aggregated.scheduler.max_batched_tokens=1000"),
      /largest prompt has 11989 tokens, max_batched_tokens is 1000, and enable_chunked_prefill is false/,
    ],
    [
      engine("workers.aggregated.kv_cache={block_size: 64, capacity: {type: fixed, blocks: 188}}"),
      /longest sequence has 12138 tokens .* 188 KV blocks of 64 tokens hold 12032/,
    ],
  ];
  for (const [sets, names] of cases) {
    const { plan } = await loadPrediction(BASE, { set: [`traffic.source.paths=[${CHAT}]`, ...sets] });
    const warnings: string[] = [];
    const end = predict(plan, { onWarning: (text) => warnings.push(text) });
    await assert.rejects(end, { name: "SimulationError", message: names });
    assert.match(warnings.join("\n"), names);
  }
});

test("B10 times in seconds and bounds nobody can keep are told without a Planner too", async () => {
  const path = join(folder(), "seconds.jsonl");
  const rows = readFileSync(CHAT, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  writeFileSync(path, rows.map((row) => JSON.stringify({ ...row, timestamp: row.timestamp / 1000 })).join("\n"));
  const warnings = await warningsOf(`traffic.source.paths=[${path}]`, "evaluation.sla.ttft_ms=1.5");
  assert.match(warnings.join("\n"), /are the times in seconds instead of milliseconds\?/);
  assert.match(warnings.join("\n"), /the SLA's ttft_ms 1\.5 is out of reach/);
  assert.deepEqual(await warningsOf("evaluation.sla.ttft_ms=60000"), []);
});

test("B11 a prefill interval without ranks that take turns is said to be in vain", async () => {
  const interval = "engine.workers.aggregated.scheduler.prefill_schedule_interval=2";
  const said = async (...set: string[]) => (await loadPrediction(BASE, { set: [interval, ...set] })).warnings.join();
  assert.match(await said(), /prefill_schedule_interval has no effect: .*attention_data is 1/);
  assert.equal(await said("engine.workers.aggregated.parallelism.attention_data=2"), "");
});

test("B12 the decisions of a retune are in the timeline of its report page", async () => {
  const { replayed } = writeDynamoTraces(CHAT, folder(), 1_200_000);
  const { plan } = await loadPrediction(BASE, {
    stack: "dynamo",
    set: [
      `traffic.source={type: trace, format: dynamo, paths: [${replayed}]}`,
      "engine.workers.aggregated.parallelism.replicas=2",
      "router={policy: kv_router, temperature: 1}",
      "planner={policy: enabled, target: sla, enable_load_scaling: false, enable_throughput_scaling: false, " +
      "retune: {grace_seconds: 0, interval_seconds: 60, objective: ttft, router: {temperature: [0, 1], " +
      "overlap_score_credit: 1, prefill_load_scale: 1}}}",
    ],
  });
  const report = await predict(plan, { mostParallel: 1 });
  const events = report.planner!.retune_events!;
  assert.ok(events.length > 0);
  const page = await htmlReport([toRun(report, { name: "one" })]);
  assert.ok(!page.includes("The Planner changed nothing"));
  assert.match(page, /retune/i);
  assert.match(JSON.stringify(explainRun(report)), /retune/i);
});

test("E2 a split that experts do not fit names the options to write and their place", async () => {
  const set = engine(
    "model=deepseek-ai/DeepSeek-R1",
    "workers.aggregated.parallelism.tensor=8",
    "workers.aggregated.timing={type: default}",
  );
  const { plan, place } = await loadPrediction(BASE, { set: [`traffic.source.paths=[${CHAT}]`, ...set] });
  const problem = await predict(plan).then(() => assert.fail("it ran"), (error) => place(error));
  assert.equal(problem.name, "ConfigError");
  assert.match(problem.message, /tensor 8 × attention_data 1 = 8, .*; write moe_expert 8\n.*parallelism\.tensor=8/s);
  assert.doesNotMatch(problem.message, /tp_size|ep_size/);
  assert.equal(problem.issues[0].path, "engine.workers.aggregated.parallelism.tensor");
});

test("E7 KV blocks larger than the trace's are hinted at when they lose its reuse", async () => {
  const rows = Array.from({ length: 4 }, (_, i) => ({
    timestamp: 1000 * i,
    input_length: 48,
    output_length: 2,
    hash_ids: [1, 2, 3 + i],
  }));
  const path = join(folder(), "fine.jsonl");
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join("\n"));
  const ask = (tokens: number) =>
    warningsOf(
      `traffic.source={type: trace, paths: [${path}], block_size: 16}`,
      `engine.workers.aggregated.kv_cache.block_size=${tokens}`,
    );
  assert.match(
    (await ask(64)).join(),
    /KV blocks of 64 tokens .* blocks have 16: .*; a block_size of 16 keeps the reuse/,
  );
  assert.deepEqual(await ask(16), []);
});

test("A4 a damaged file of measurements is told with its path", async () => {
  const cache = folder(), name = "h200_sxm/vllm-0.24.0.perf";
  const bytes = readFileSync(`data/perf/${name}`);
  const cut = bytes.subarray(0, bytes.length - 1000);
  assert.throws(() => new PerfSet(cut, "x.perf"), { name: "FileError", message: /^x\.perf is damaged: its header/ });
  const former = new Uint8Array(bytes), place = Buffer.from(bytes).indexOf('"format":') + '"format":'.length;
  former[place] = "1".charCodeAt(0);
  assert.throws(() => new PerfSet(former, "f.perf"), {
    name: "FileError",
    message: "f.perf was written by another release of dynosim (format 1, this one reads 3); " +
      "install the measurements again (deno task perf-data install h200_sxm)",
  });
  const changed = new Uint8Array(bytes);
  changed.fill(7, bytes.length >> 1);
  const set = new PerfSet(changed, "y.perf");
  const tables = () => Object.keys(set.header.members).map((name) => set.member(name)!);
  assert.throws(() => tables().forEach((table) => table.names().forEach((name) => table.levels(name))), {
    name: "FileError",
    message: /^y\.perf is damaged: its member .* cannot be read; .*perf-data install/,
  });
  // one that a user installed
  const release = set.header.origin.release;
  mkdirSync(join(cache, "perf", release, "gb200"), { recursive: true });
  copyFileSync("deno.json", join(cache, "perf", release, "gb200", "vllm-0.24.0.perf"));
  const before = process.env.DYNOSIM_CACHE;
  process.env.DYNOSIM_CACHE = cache;
  try {
    const identity = { model: "Qwen/Qwen3-32B", system: "gb200", backend: "vllm", worker_type: "aggregated" } as const;
    await assert.rejects(new Deployments().timing(identity), { name: "FileError", message: /gb200\/vllm.*is damaged/ });
  } finally {
    process.env.DYNOSIM_CACHE = before;
  }
});

test("warnings are none where nothing is in vain", async () => {
  const warnings: string[] = [];
  const timing = fixed({ prefillMs: 10, decodeMs: 1 });
  await replay(readTrace(CHAT), {
    cluster: { engine: vllm({ blocks: 4000 }), timing },
    onWarning: (text) => warnings.push(text),
  })
    .report;
  await run({ roles: [{ role: "aggregated", replicas: 1, launch: { engine: { num_gpu_blocks: 999 } } }] }, {
    ready: { traffic: syntheticTraffic({ count: 2, inputTokens: 64, outputTokens: 4, concurrency: 1 }) },
    onWarning: (text) => warnings.push(text),
  }).report;
  assert.deepEqual(warnings, []);
});
