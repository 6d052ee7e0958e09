import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { PerfCatalog } from "../../../lib/timing/aic/catalog.ts";
import type { Json } from "../../../lib/timing/aic/checkpoint_quant.ts";
import { Deployment, type DeploymentOptions } from "../../../lib/timing/aic/deployment.ts";
import { modelFacts } from "../../../lib/timing/aic/model_facts.ts";
import type { DsaSpec } from "../../../lib/timing/aic/operators/dsa.ts";

const catalog = new PerfCatalog();
const deployed = (config: Json, options: Partial<DeploymentOptions> = {}) =>
  new Deployment(modelFacts(config), { hardware: "b200_sxm", ...options }, catalog);

const SIZES = { num_hidden_layers: 8, hidden_size: 6144, num_attention_heads: 64, vocab_size: 1000 };
const EXPERTS = { n_routed_experts: 8, num_experts_per_tok: 2, moe_intermediate_size: 2048, intermediate_size: 4096 };
const SPARSE = {
  ...{ q_lora_rank: 2048, kv_lora_rank: 512, qk_nope_head_dim: 192, qk_rope_head_dim: 64, v_head_dim: 256 },
  ...{ index_head_dim: 128, index_n_heads: 32, index_topk: 2048 },
};
const GLM = { architectures: ["GlmMoeDsaForCausalLM"], ...SIZES, ...EXPERTS, ...SPARSE };

test("a field that a family misses is named, with what was found", () => {
  const { index_topk: _, ...without } = GLM;
  assert.throws(() => deployed(without), { name: "ConfigError", message: /'index_topk' in .*config\.json is missing/ });
  assert.throws(() => deployed({ ...GLM, vocab_size: "big" }), {
    message: /'vocab_size' .*is "big"; expected a whole/,
  });
  const v4 = { architectures: ["DeepseekV4ForCausalLM"], ...SIZES, ...EXPERTS };
  assert.throws(() => deployed(v4), { message: /'q_lora_rank' in .* is missing/ });
  const k3 = { architectures: ["KimiK3ForConditionalGeneration"], text_config: { ...SIZES, ...EXPERTS } };
  assert.throws(() => deployed(k3), { message: /'linear_attn_config' in .* is missing/ });
});

/** The attention block of a GLM checkpoint that leaves `excluded` as it is. */
function blockOf(excluded: string[], backend: string, more: Json = {}): DsaSpec {
  const quantization_config = {
    quant_method: "fp8",
    weight_block_size: [128, 128],
    modules_to_not_convert: excluded,
  };
  const { context } = deployed({ ...GLM, ...more, quantization_config }, { backend }).lists;
  return context.find((spec): spec is DsaSpec => spec.kind === "dsa")!;
}

test("excluding a norm of attention means all of it, except under vLLM", () => {
  const norm = ["model.layers.0.self_attn.q_a_layernorm"];
  assert.equal(blockOf(norm, "vllm").mode, "fp8_block");
  assert.equal(blockOf(norm, "sglang").mode, "bfloat16");
  assert.equal(blockOf(["model.layers.*.self_attn*"], "vllm").mode, "bfloat16");
  const output = blockOf(["re:model.layers.3.self_attn.o_proj"], "vllm");
  assert.equal(output.mode, "bfloat16");
  assert.ok(output.weightBytes > blockOf([], "vllm").weightBytes);
  assert.throws(() => blockOf(["re:("], "vllm"), { name: "ConfigError", message: /'re:\(' .*no regular expression/ });
});

test("layers may take over the tokens that an earlier one picked", () => {
  assert.equal(blockOf([], "vllm").indexed, 1);
  assert.equal(blockOf([], "vllm", { index_topk_freq: 4, index_skip_topk_offset: 3 }).indexed, 4 / 8);
  assert.equal(blockOf([], "vllm", { index_topk_freq: 4 }).indexed, 3 / 8);
  assert.equal(blockOf([], "vllm", { index_topk_pattern: "FSSSFSSS" }).indexed, 2 / 8);
  assert.equal(blockOf([], "trtllm", { index_topk_freq: 4 }).indexed, 1);
});

test("layers without experts count under SGLang where a worker is one replica in one stage", () => {
  const dense = { ...GLM, first_k_dense_replace: 3 };
  const named = (backend: string, pipeline = 1) =>
    deployed(dense, { backend, pipeline }).lists.context.filter(({ name }) => name.includes("dense")).map((spec) =>
      `${spec.name} ${spec.count}`
    );
  assert.equal(named("sglang").length, 5);
  assert.ok(named("sglang").includes("context_dense_down_gemm 3"));
  assert.deepEqual(named("sglang", 2), []);
  assert.deepEqual(named("vllm"), []);
});
