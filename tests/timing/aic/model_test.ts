import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { kvBytesPerToken } from "../../../lib/timing/aic/capacity.ts";
import { modelFacts } from "../../../lib/timing/aic/model_facts.ts";
import { findModel, loadModel, maxContextLength, shippedModels } from "../../../lib/timing/aic/model_sources.ts";
import { PerfCatalog } from "../../../lib/timing/aic/catalog.ts";
import { chooseModes } from "../../../lib/timing/aic/quant_choice.ts";

const LLAMA = {
  architectures: ["LlamaForCausalLM"],
  num_hidden_layers: 32,
  hidden_size: 4096,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  intermediate_size: 14336,
  vocab_size: 128256,
  max_position_embeddings: 131072,
  torch_dtype: "bfloat16",
};

test("modelFacts derives head size and expert width where the configuration names none", () => {
  const facts = modelFacts({ ...LLAMA, n_routed_experts: 8, num_experts_per_tok: 2 });
  assert.equal(facts.headSize, 128);
  assert.equal(facts.moeInter, 14336);
  assert.equal(facts.experts, 8);
  assert.equal(facts.topk, 2);
  assert.equal(facts.family, "llama");
});

test("modelFacts reads the text part of a configuration of several parts", () => {
  const facts = modelFacts({ architectures: ["X"], text_config: LLAMA, max_position_embeddings: 5 });
  assert.equal(facts.layers, 32);
  assert.equal(facts.contextLength, 131072);
  assert.equal(facts.family, null);
});

const servedBy = (backend: string) => ({
  backend,
  backendVersion: null,
  hardware: new PerfCatalog().system("h200_sxm").hardware,
});

const modesOf = (quantization_config: unknown, backend = "sglang", hf = {}) =>
  chooseModes(modelFacts({ ...LLAMA, quantization_config }, hf), servedBy(backend));

test("chooseModes infers the modes of a checkpoint", () => {
  assert.deepEqual(modesOf(undefined), {
    gemm: "bfloat16",
    moe: "bfloat16",
    fmha: "bfloat16",
    kvcache: "bfloat16",
    comm: "half",
  });
  const block = modesOf({ quant_method: "fp8", weight_block_size: [128, 128], activation_scheme: "dynamic" });
  assert.deepEqual([block.gemm, block.moe, block.fmha, block.kvcache], ["fp8_block", "fp8_block", "fp8", "fp8"]);
  assert.equal(modesOf({ quant_method: "fp8", activation_scheme: "dynamic" }).gemm, "fp8");
  assert.equal(modesOf({ quant_method: "fp8" }).gemm, "fp8_static");
  assert.equal(modesOf({ quant_method: "fp8" }, "vllm").fmha, "bfloat16");
  const mxfp4 = modesOf({ quant_method: "mxfp4" });
  assert.deepEqual([mxfp4.gemm, mxfp4.moe, mxfp4.kvcache], ["bfloat16", "w4a16_mxfp4", "bfloat16"]);
  const modelopt = modesOf({}, "trtllm", { quantization: { quant_algo: "NVFP4", kv_cache_quant_algo: "FP8" } });
  assert.deepEqual([modelopt.gemm, modelopt.kvcache], ["nvfp4", "fp8"]);
});

test("chooseModes keeps what the caller fixes and names the nearest mode for a misspelt one", () => {
  const facts = modelFacts(LLAMA);
  assert.equal(chooseModes(facts, servedBy("vllm"), { fmha: "fp8" }).fmha, "fp8");
  assert.throws(() => chooseModes(facts, servedBy("vllm"), { gemm: "fp8blok" }), {
    name: "ConfigError",
    message: /unknown gemm quant mode 'fp8blok', did you mean 'fp8_block'\? \(known: bfloat16, /,
  });
});

test("chooseModes gives way to bfloat16 where the inferred attention mode was not measured", () => {
  const facts = modelFacts({ ...LLAMA, quantization_config: { quant_method: "fp8" } });
  const only = (...measured: string[]) => (fmha: string) => measured.includes(fmha);
  assert.equal(chooseModes(facts, servedBy("sglang"), {}, only("bfloat16")).fmha, "bfloat16");
  assert.equal(chooseModes(facts, servedBy("sglang"), {}, only("bfloat16", "fp8")).fmha, "fp8");
  assert.equal(chooseModes(facts, servedBy("sglang"), {}, only()).fmha, "fp8");
  assert.equal(chooseModes(facts, servedBy("sglang"), { fmha: "fp8" }, only("bfloat16")).fmha, "fp8");
});

test("chooseModes refuses a quantisation it does not know", () => {
  assert.throws(() => modesOf({ quant_method: "awq" }), {
    name: "ConfigError",
    message: /unsupported quantisation 'awq'/,
  });
});

test("kvBytesPerToken follows the stored format, the tensor ranks and an explicit mode", () => {
  const facts = modelFacts(LLAMA);
  assert.equal(kvBytesPerToken(facts, 1, "m"), 131072);
  assert.equal(kvBytesPerToken(facts, 4, "m"), 32768);
  assert.equal(kvBytesPerToken(facts, 16, "m"), 16384);
  assert.equal(kvBytesPerToken(facts, 1, "m", "fp8"), 65536);
  assert.equal(kvBytesPerToken(modelFacts({ ...LLAMA, torch_dtype: "float32" }), 1, "m"), 262144);
  assert.equal(kvBytesPerToken(findModel("deepseek-ai/DeepSeek-V3")!.facts, 8, "m"), 70272);
  assert.throws(() => kvBytesPerToken(modelFacts({}), 1, "m"), {
    name: "ConfigError",
    message: "could not derive KV bytes per token for model 'm'",
  });
});

test("the shipped table knows the models of the examples", () => {
  for (const name of ["meta-llama/Meta-Llama-3.1-8B-Instruct", "nvidia/Llama-3.1-8B-Instruct-FP8"]) {
    assert.ok(shippedModels().includes(name));
    const found = findModel(name)!;
    assert.equal(found.from, "shipped");
    assert.equal(maxContextLength(found), 131072);
  }
});

test("maxContextLength says when a configuration does not", () => {
  assert.throws(() => maxContextLength({ name: "a/b", facts: modelFacts({}) }), {
    name: "ConfigError",
    message: "Hugging Face config for 'a/b' does not declare a maximum context length",
  });
});

test("findModel reads a folder, with Python's bare words, and says where JSON is broken", () => {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-"));
  const text = JSON.stringify({ ...LLAMA, time_step_limit: [0, 1] }).replace("[0,1]", "[0, Infinity]");
  writeFileSync(join(folder, "config.json"), text);
  writeFileSync(
    join(folder, "hf_quant_config.json"),
    JSON.stringify({ quantization: { quant_algo: "FP8", kv_cache_quant_algo: "FP8" } }),
  );
  const found = findModel(folder)!;
  assert.equal(found.from, folder);
  assert.equal(found.facts.layers, 32);
  assert.equal(found.facts.quant.algorithm, "fp8");
  writeFileSync(join(folder, "config.json"), "{");
  assert.throws(() => findModel(folder), { name: "ConfigError", message: /Cannot parse .*config\.json/ });
});

test("findModel looks into the hub's cache; loadModel explains what cannot be had", async () => {
  const home = mkdtempSync(join(tmpdir(), "dynosim-"));
  const folder = join(home, "hub/models--some--Model/snapshots/abc");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(home, "hub/models--some--Model/refs"));
  writeFileSync(join(home, "hub/models--some--Model/refs/main"), "abc\n");
  writeFileSync(join(folder, "config.json"), JSON.stringify(LLAMA));
  const before = { ...process.env };
  delete process.env.HF_HUB_CACHE;
  process.env.HF_HOME = home;
  process.env.HF_HUB_OFFLINE = "1";
  try {
    assert.equal(findModel("some/Model")!.facts.layers, 32);
    assert.equal(findModel("some/Other"), undefined);
    await assert.rejects(loadModel("Qwen/Qwen3-32b"), {
      name: "ConfigError",
      message: /could not load Hugging Face config for 'Qwen\/Qwen3-32b' .*did you mean 'Qwen\/Qwen3-32B'\?/,
    });
  } finally {
    for (const name of ["HF_HUB_CACHE", "HF_HOME", "HF_HUB_OFFLINE"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
});
