import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { bootstrap } from "../../../lib/planner/bootstrap.ts";
import type { Pass } from "../../../lib/planner/model/pass.ts";
import { DEFAULT_MEMORY_FRACTION, kvBytesPerToken } from "../../../lib/timing/aic/capacity.ts";
import { PerfCatalog } from "../../../lib/timing/aic/catalog.ts";
import { modelFacts } from "../../../lib/timing/aic/model_facts.ts";
import { findModel } from "../../../lib/timing/aic/model_sources.ts";
import { deploy, operatorTiming } from "../../../lib/timing/aic/operator_timing.ts";

const catalog = new PerfCatalog();
const LLAMA_FP8 = "nvidia/Llama-3.1-8B-Instruct-FP8";
const LLAMA = "meta-llama/Meta-Llama-3.1-8B";

test("operatorTiming asks a decode step at one token more", () => {
  for (
    const [model, prefill, decode] of [
      [LLAMA_FP8, 13.961636600662569, 3.445400893240771],
      [LLAMA, 13.452826054075326, 4.948070783469413],
    ] as const
  ) {
    const timing = operatorTiming(deploy({ model, hardware: "h200_sxm" }, catalog));
    assert.equal(timing.prefillMs(2, 300, 64), prefill);
    assert.equal(timing.decodeMs(3, 305, 1e6), decode);
  }
});

test("operatorTiming lasts a millisecond at least, and nothing without requests", () => {
  const { facts } = findModel(LLAMA)!;
  const shallow = { name: "shallow", facts: { ...facts, layers: 2 }, from: "test" };
  const timing = operatorTiming(deploy({ model: shallow, hardware: "h200_sxm" }, catalog));
  assert.equal(timing.decodeMs(1, 1, 1e6), 1);
  assert.equal(timing.decodeMs(0, 0, 1e6), 0);
  assert.equal(timing.prefillMs(0, 0, 0), 0);
});

test("operatorTiming of the engine stack asks at the known length and has no shortest step", () => {
  const { facts } = findModel(LLAMA)!;
  const shallow = { name: "shallow", facts: { ...facts, layers: 1, vocab: 1000 }, from: "test" };
  const deployment = deploy({ model: shallow, hardware: "h200_sxm" }, catalog);
  const timing = operatorTiming(deployment, { stack: "engine" });
  assert.equal(timing.decodeMs(3, 302, 1e6), deployment.forwardPassModel().generationMs(3, 100));
  assert.ok(timing.decodeMs(1, 100, 1e6) < 1);
});

test("operatorTiming widens a decode step by the drafts", () => {
  const plain = deploy({ model: LLAMA, hardware: "h200_sxm", nextn: 2 }, catalog);
  const model = plain.forwardPassModel();
  assert.equal(operatorTiming(plain).decodeMs(4, 4000, 1e6), model.generationMs(12, 1001));
});

test("a pass from caches equals the sum of its operators", () => {
  const deployments = [
    deploy({ model: LLAMA, hardware: "h200_sxm", tensor: 2 }, catalog),
    deploy({ model: "Qwen/Qwen3-30B-A3B", hardware: "h100_sxm", backend: "sglang", tensor: 2, moeExpert: 2 }, catalog),
    deploy({ model: "openai/gpt-oss-20b", hardware: "h200_sxm", backend: "trtllm", nextn: 2 }, catalog),
    deploy({ model: "deepseek-ai/DeepSeek-V3", hardware: "h200_sxm", tensor: 8, moeExpert: 8 }, catalog),
  ].map((deployment) => deployment.forwardPassModel());
  const count = (max: number) => fc.integer({ min: 0, max });
  fc.assert(fc.property(
    fc.constantFrom(...deployments),
    fc.record({ prompts: fc.integer({ min: 1, max: 8 }), fresh: count(9000), prior: count(50000) }),
    fc.record({ decodes: count(300), known: fc.integer({ min: 1, max: 20000 }) }),
    (model, { prompts, fresh, prior }, { decodes, known }) => {
      const load = {
        num_prefill_requests: prompts,
        sum_prefill_tokens: fresh === 0 ? 0 : Math.max(fresh, prompts), // every prompt has a token, or none is new
        sum_prefill_kv_tokens: prior,
        num_decode_requests: decodes,
        sum_decode_kv_tokens: decodes * known,
      };
      const sum = model.passRows(load).reduce((total, row) => total + row.ms, 0);
      assert.equal(model.passMs(load), sum);
      assert.equal(model.passMs(load), sum);
    },
  ));
});

test("DeepSeek prompts run on trtllm with the attention mode that was measured", () => {
  const options = {
    model: "deepseek-ai/DeepSeek-V3",
    hardware: "h100_sxm",
    backend: "trtllm",
    tensor: 8,
    moeExpert: 8,
  };
  const fallen = deploy(options, catalog);
  assert.equal(fallen.modes.fmha, "bfloat16");
  assert.ok(fallen.forwardPassModel().contextMs(1, 1000, 0) > 0);
  const bare = deploy({ ...options, fmhaFallback: false }, catalog);
  assert.throws(() => bare.forwardPassModel().contextMs(1, 1000, 0), {
    name: "SimulationError",
    message: 'perf database error: context MLA data missing for ContextKey { fmha_quant: "fp8", kv_quant: "fp8" }',
  });
});

test("kvCapacity gives the blocks of the table for default fractions", () => {
  const rows: [string, Record<string, [number, number]>][] = [
    [LLAMA, { vllm: [13792, 29486], sglang: [863657, 1845028], trtllm: [28075, 59572] }],
    [LLAMA_FP8, { vllm: [29249, 60636], sglang: [1833811, 3796552], trtllm: [59146, 122140] }],
    ["Qwen/Qwen3-32B", { vllm: [3904, 11742], sglang: [243142, 733828], trtllm: [8651, 24386] }],
    ["Qwen/Qwen3-32B-FP8", { vllm: [11528, 27205], sglang: [724365, 1705736], trtllm: [23999, 55468] }],
    ["Qwen/Qwen3-30B-A3B", { vllm: [11218, 32118], sglang: [700071, 2008309], trtllm: [24525, 66475] }],
  ];
  const blockTokens: Record<string, number> = { vllm: 64, sglang: 1, trtllm: 32 };
  for (const [model, byBackend] of rows) {
    for (const [backend, blocks] of Object.entries(byBackend)) {
      const got = [1, 2].map((tensor) => {
        const deployment = deploy({ model, hardware: "h200_sxm", backend, tensor, moeExpert: tensor }, catalog);
        const memoryFraction = DEFAULT_MEMORY_FRACTION[backend];
        const { tokens } = deployment.kvCapacity({ maxBatchedTokens: 8192, memoryFraction });
        return Math.floor(tokens / blockTokens[backend]);
      });
      assert.deepEqual(got, blocks, `${model} ${backend}`);
    }
  }
});

test("kvCapacity says when nothing is left", () => {
  const deployment = deploy({ model: "deepseek-ai/DeepSeek-V3", hardware: "h200_sxm" }, catalog);
  assert.throws(() => deployment.kvCapacity({ maxBatchedTokens: 8192, memoryFraction: 0.9 }), {
    name: "ConfigError",
    message:
      /^no KV budget: non-KV memory \(715861983232 bytes\) meets\/exceeds the KV-cache memory limit \(capacity=151397597184 bytes\)/,
  });
  assert.equal(kvBytesPerToken(deployment.facts, 1, "m"), 70272);
});

test("kvCapacity: windowed layers hold no more than their window", () => {
  const capacity = (model: string, options: object, maxBatchedTokens: number, memoryFraction: number) =>
    deploy({ model, hardware: "h200_sxm", ...options }, catalog).kvCapacity({ maxBatchedTokens, memoryFraction })
      .tokens;
  const trtllm = { backend: "trtllm" };
  assert.equal(capacity("openai/gpt-oss-20b", trtllm, 8192, 0.8), 4367425);
  const split = { hardware: "b200_sxm", tensor: 2, moeExpert: 2 };
  assert.equal(capacity("openai/gpt-oss-20b", split, 100, 0.8), 11753662);
  const staged = { hardware: "h100_sxm", pipeline: 2 };
  assert.equal(capacity("openai/gpt-oss-120b", staged, 8192, 0.9), 1135439);
});

test("kvCapacity: shared experts that a checkpoint leaves alone follow a mode that the caller gives", () => {
  const { facts } = findModel("deepseek-ai/DeepSeek-V3")!;
  const exempt = { ...facts, own: { ...facts.own as object, plainSharedExperts: true } };
  const weights = (of: typeof facts, quant: { gemm?: "fp8_block" }) =>
    deploy({
      model: { name: "m", facts: of, from: "test" },
      ...{ hardware: "b200_sxm", backend: "sglang", tensor: 8, moeExpert: 8, quant },
    }, catalog).kvCapacity({ maxBatchedTokens: 8192, memoryFraction: 0.9 }).memory.weights;
  const fixed = { gemm: "fp8_block" } as const;
  assert.equal(weights(exempt, fixed), weights(facts, fixed));
  // one more byte for each of three products of every layer with experts, on one of eight ranks
  const more = (facts.layers - 3) * 3 * facts.hidden * facts.moeInter / 8;
  assert.equal(weights(exempt, {}) - weights(facts, {}), more);
});

test("capacity needs no measurements of the system", () => {
  const deployment = deploy({ model: LLAMA, hardware: "gb200" }, catalog);
  assert.ok(deployment.kvCapacity({ maxBatchedTokens: 8192, memoryFraction: 0.9 }).tokens > 1e6);
});

test("names that are not known are answered with the nearest", () => {
  const cases: [Parameters<typeof deploy>[0], RegExp][] = [
    [
      { model: LLAMA, hardware: "h200sxm" },
      /^unknown hardware 'h200sxm', did you mean 'h200_sxm'\? \(known: a100_pcie, /,
    ],
    [{ model: LLAMA, hardware: "h9000" }, /^unknown hardware 'h9000'.*\(known: /],
    [{ model: LLAMA, hardware: "h200_sxm", backend: "tgi" }, /^unknown backend 'tgi' \(known: vllm, sglang, trtllm\)/],
    [{ model: "meta-llama/Meta-Llama-3.1-8", hardware: "h200_sxm" }, /did you mean 'meta-llama\/Meta-Llama-3.1-8B'\?/],
    [
      {
        model: { name: "own", facts: modelFacts({ architectures: ["OwnForCausalLM"] }), from: "test" },
        hardware: "h200_sxm",
      },
      /^no operator list for the architecture 'OwnForCausalLM'.*supported: Llama/,
    ],
  ];
  for (const [options, message] of cases) {
    assert.throws(() => deploy(options, catalog), { name: "ConfigError", message });
  }
  assert.throws(
    () => deploy({ model: LLAMA, hardware: "h200_sxm", backendVersion: "0.24.1" }, catalog).forwardPassModel(),
    {
      name: "ConfigError",
      message: "unknown version '0.24.1' of backend 'vllm' on 'h200_sxm', did you mean '0.24.0'? " +
        "(known: current = 0.24.0, next = 0.27.1)",
    },
  );
});

test("measurements that are not on this machine are answered with the command that installs them", () => {
  const ask = (hardware: string, backendVersion: string | null = null) =>
    deploy({ model: LLAMA, hardware, backendVersion }, catalog).forwardPassModel();
  assert.throws(() => ask("gb300"), {
    name: "ConfigError",
    message: /not installed; run: deno task perf-data install gb300 --backend vllm$/,
  });
  assert.throws(() => ask("h200_sxm", "next"), {
    name: "ConfigError",
    message: /run: deno task perf-data install h200_sxm --backend vllm --backend-version 0\.27\.1$/,
  });
  assert.throws(() => ask("l4"), {
    name: "ConfigError",
    message: "no measurements of backend 'vllm' on 'l4' (only its hardware is known)",
  });
});

test("a parallelism that does not fit a model is refused", () => {
  const cases: [Parameters<typeof deploy>[0], string][] = [
    [{ model: LLAMA, hardware: "h200_sxm", tensor: 3 }, "tensor 3 does not divide the model's 32 attention heads"],
    [
      { model: "Qwen/Qwen3-30B-A3B", hardware: "h200_sxm", tensor: 2 },
      "the experts must be spread over the same GPUs as the attention: tensor 2 × attention_data 1 = 2, and " +
      "moe_tensor 1 × moe_expert 1 = 1; write moe_expert 2",
    ],
    [
      { model: "Qwen/Qwen3-235B-A22B-FP8", hardware: "h200_sxm", tensor: 8, moeTensor: 8 },
      "moe_tensor 8 does not split the experts' 1536 columns (moe_intermediate_size) into whole 128-column blocks of " +
      "quantised weights: use moe_expert, or a smaller moe_tensor",
    ],
  ];
  for (const [options, message] of cases) {
    assert.throws(() => deploy(options, catalog), { name: "ConfigError", message });
  }
});

test("a format that the hardware cannot compute in is refused before the run", () => {
  const deployment = deploy(
    { model: "nvidia/Qwen3-235B-A22B-NVFP4", hardware: "h200_sxm", tensor: 8, moeExpert: 8 },
    catalog,
  );
  assert.throws(() => deployment.forwardPassModel(), {
    name: "ConfigError",
    message: /^missing system flops: quant mode 'nvfp4' needs 'fp4_tc_flops'/,
  });
});

test("database modes: bounds need no measurements, a misspelt mode is answered with the nearest", () => {
  const bounds = deploy({ model: LLAMA, hardware: "gb300", databaseMode: "sol" }, catalog);
  assert.equal(bounds.databaseMode, "SOL");
  assert.ok(bounds.forwardPassModel().contextMs(1, 1000, 0) > 1);
  assert.throws(() => deploy({ model: LLAMA, hardware: "h200_sxm", databaseMode: "HYBRD" }, catalog), {
    name: "ConfigError",
    message: "unknown database mode 'HYBRD', did you mean 'HYBRID'? (known: SILICON, HYBRID, EMPIRICAL, SOL)",
  });
});

test("HYBRID estimates what SILICON cannot, and says what it cannot either", () => {
  const options = { model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 64 };
  const model = (databaseMode: string) => deploy({ ...options, databaseMode }, catalog).forwardPassModel();
  assert.equal(model("HYBRID").generationMs(4, 1000), model("SILICON").generationMs(4, 1000));
  const moe = { model: "Qwen/Qwen3-235B-A22B", hardware: "h200_sxm", tensor: 16, moeTensor: 2, moeExpert: 8 };
  assert.throws(() => deploy({ ...moe, databaseMode: "HYBRID" }, catalog).forwardPassModel().contextMs(1, 10, 0), {
    name: "SimulationError",
    message: /nothing was measured that context_moe could borrow from/,
  });
});

test("passMs refuses tokens without requests", () => {
  const model = deploy({ model: LLAMA, hardware: "h200_sxm" }, catalog).forwardPassModel();
  assert.throws(() => model.passMs({ sum_prefill_tokens: 5 }), { name: "SimulationError" });
  assert.throws(() => model.passMs({ sum_decode_kv_tokens: 5 }), { name: "SimulationError" });
  assert.throws(() => model.passMs([]), { name: "SimulationError" });
  assert.equal(model.passMs({}), 0);
  assert.equal(model.passMs({ num_prefill_requests: 3 }), 0);
});

test("the Planner's benchmark has the samples and the digest of the vectors", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const cases = [
    [
      LLAMA,
      13792,
      [0.005927535904545914, 0.19875632646119468],
      [0.004845039582806737, 0.028393914386639532, 97, 776000],
      "eeaf617bc5167b8d6a4967a0bd9d05d53bee51971cc6c1829c36bc7c7fee91b7",
    ],
    [
      LLAMA_FP8,
      29249,
      [0.004729012976189454, 0.12708859961497562],
      [0.0035527735398105643, 0.04532022974424719, 225, 1800000],
      "fb342e88c06ad956bb81ae6d86d4b6b153d61e4218a7cdb2f106edf025d9bf59",
    ],
  ] as const;
  for (const [name, blocks, prompts, decodes, digest] of cases) {
    const model = deploy({ model: name, hardware: "h200_sxm" }, catalog).forwardPassModel();
    const engine = { maxBatchedTokens: 8192, maxSequences: 256, kvTokens: blocks * 64, speculationDepth: null };
    const estimateMs = (pass: Pass) =>
      model.sumsMs(
        pass.prefillRequests,
        pass.prefillTokens,
        pass.prefillKvTokens,
        pass.decodeRequests,
        pass.decodeKvTokens,
      );
    const made = bootstrap({ prefill: null, decode: { engine, estimator: { estimateMs } } }, sha256);
    assert.deepEqual([made.prefill[0].wallTimeS, made.prefill.at(-1)!.wallTimeS], prompts);
    const last = made.decode.at(-1)!;
    assert.deepEqual([made.decode[0].wallTimeS, last.wallTimeS, last.decodeRequests, last.decodeKvTokens], decodes);
    assert.equal(made.metadata.fpm_sha256, digest);
  }
});

test("experts that were not measured as they are spread: the message tells how they were", () => {
  const experts = { model: "openai/gpt-oss-120b", hardware: "h200_sxm", backend: "trtllm", tensor: 4, moeTensor: 4 };
  assert.throws(() => deploy(experts, catalog).forwardPassModel().contextMs(1, 100, 0), {
    name: "SimulationError",
    message: /moe_tensor: 4, moe_expert: 1 }; measured moe_tensor × moe_expert: 1 × 1, 1 × 2, 1 × 4, /,
  });
});

test("kvCapacity tells from which share of the memory on there is room", () => {
  const model = { model: "deepseek-ai/DeepSeek-R1", hardware: "b200_sxm", backend: "sglang", tensor: 4, moeTensor: 4 };
  const deployed = deploy(model, catalog);
  const ask = (memoryFraction: number) => deployed.kvCapacity({ maxBatchedTokens: 8192, memoryFraction });
  assert.throws(() => ask(0.88), { name: "ConfigError", message: /^no KV budget: .*; it leaves room from 0\.9 on$/ });
  assert.ok(ask(0.9).tokens > 0);
});
