import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { PerfCatalog } from "../../../lib/timing/aic/catalog.ts";
import type { Family } from "../../../lib/timing/aic/families/family.ts";
import { modelFacts } from "../../../lib/timing/aic/model_facts.ts";
import { chooseModes } from "../../../lib/timing/aic/quant_choice.ts";

const root = new URL("../../../", import.meta.url);
const hardware = new PerfCatalog().system("h200_sxm").hardware;
const SIZES = {
  num_hidden_layers: 4,
  hidden_size: 1024,
  num_attention_heads: 16,
  num_key_value_heads: 4,
  intermediate_size: 2048,
  vocab_size: 32000,
  max_position_embeddings: 8192,
};

/** What a family says to a configuration: its own facts, or the problem. */
const read = (architecture: string, config: object) => {
  const { own, problem } = modelFacts({ architectures: [architecture], ...SIZES, ...config });
  return problem ?? own;
};

test("the family of the page on adding a part is all there is to one", async () => {
  const page = readFileSync(new URL("docs/adding-a-part.md", root), "utf8");
  const [, snippet] = /^```typescript\n([^]*?)^```$/m.exec(page)!;
  const folder = mkdtempSync(join(tmpdir(), "dynosim-family-"));
  try {
    const path = join(folder, "tiny.ts");
    writeFileSync(path, snippet.replaceAll('"./lib/', `"${new URL("lib/", root)}`));
    const { tinyFamily } = await import(pathToFileURL(path).href) as { tinyFamily: Family };
    const facts = modelFacts({ architectures: tinyFamily.architectures, ...SIZES });
    const serving = { backend: "vllm", backendVersion: null, hardware };
    const parallelism = { tensor: 2, pipeline: 1, attentionData: 1, moeTensor: 1, moeExpert: 1 };
    const { context, generation } = tinyFamily.lists({
      ...{ facts, own: null, hardware, backend: "vllm", parallelism, nextn: 0, gemmFixed: false },
      modes: chooseModes(facts, serving),
    });
    assert.deepEqual(
      context.map(({ name, count }) => `${name} ${count}`),
      [
        ...["context_embedding 1", "context_add_norm_1 4", "context_qkv_gemm 4", "context_attention 4"],
        ...["context_proj_gemm 4", "context_add_norm_2 4", "context_up_gemm 4", "context_down_gemm 4"],
        ...["context_ar 4", "context_logits_gemm 1"],
      ],
    );
    assert.equal(generation.length, context.length);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("families name the field of config.json that is missing or wrong", () => {
  const cases: [string, object, RegExp][] = [
    ["Qwen3_5MoeForCausalLM", {}, /^'layer_types' in the model's config.json is missing; expected/],
    [
      "Llama4ForConditionalGeneration",
      { interleave_moe_layer_step: 0 },
      /^interleave_moe_layer_step must be a positive/,
    ],
    ["MiMoV2FlashForCausalLM", { moe_layer_freq: 1 }, /^'hybrid_layer_pattern' in the model's config.json is missing/],
    [
      "MiMoV2FlashForCausalLM",
      { moe_layer_freq: [1], hybrid_layer_pattern: [1, 1, 0, 0] },
      /^Hybrid pattern length mismatch for MiMoV2FlashForCausalLM: expected 4 entries, got attn=4 moe=1/,
    ],
    [
      "MiMoV2FlashForCausalLM",
      { moe_layer_freq: 1, hybrid_layer_pattern: [1, 2, 0, 0] },
      /^Hybrid patterns for MiMoV2FlashForCausalLM must contain only 0\/1 values/,
    ],
    ["Gemma4ForConditionalGeneration", { layer_types: ["full_attention"] }, /^Gemma 4 layer_types length 1 != .* 4/],
    [
      "Gemma4ForConditionalGeneration",
      { layer_types: ["chunked"] },
      /^'layer_types.0' in the model's config.json is "chunked"/,
    ],
    ["Step3p7FlashForCausalLM", { layer_types: ["a", "b", "c", "d"] }, /must contain only 'sliding_attention' or/],
    [
      "Step3p7FlashForCausalLM",
      { layer_types: Array(7).fill("full_attention"), num_nextn_predict_layers: 2 },
      /^Step3p7 layer_types length 7 != num_hidden_layers 4 \(num_nextn_predict_layers=2\)/,
    ],
    [
      "NemotronHForCausalLM",
      { hybrid_override_pattern: "M*" },
      /^'mamba_num_heads' in the model's config.json is missing/,
    ],
    [
      "NemotronHForCausalLM",
      {
        ...{
          mamba_num_heads: 8,
          mamba_head_dim: 64,
          ssm_state_size: 128,
          conv_kernel: 4,
          n_groups: 8,
          chunk_size: 128,
        },
        layers_block_type: ["mamba", "rwkv"],
      },
      /^Unsupported NemotronH layer block type 'rwkv'\. Supported values: mamba, /,
    ],
    ["DeciLMForCausalLM", {}, /^'block_configs' in the model's config.json is missing/],
    [
      "DeciLMForCausalLM",
      { block_configs: [{ attention: {}, ffn: {} }] },
      /^'block_configs.0.attention.n_heads_in_group' in the model's config.json is missing/,
    ],
  ];
  for (const [architecture, config, message] of cases) {
    const said = read(architecture, config);
    assert.equal(typeof said, "string", `${architecture} ${JSON.stringify(config)}`);
    assert.match(said as string, message);
  }
});

test("families count their layers by kind", () => {
  assert.deepEqual(
    (read("Llama4ForConditionalGeneration", { interleave_moe_layer_step: 2, attention_chunk_size: 512 }) as any).layers,
    { globalExperts: 2, windowExperts: 0, windowDense: 2, globalDense: 0 },
  );
  const step = read("Step3p7FlashForCausalLM", {
    layer_types: ["full_attention", "sliding_attention", "sliding_attention", "full_attention", "full_attention"],
    num_nextn_predict_layers: 1,
    moe_layers_enum: "1, 3",
  }) as any;
  assert.deepEqual(step.layers, { globalExperts: 1, windowExperts: 1, windowDense: 1, globalDense: 1 });
  const block = (kvHeads: number | null, mult: number) => ({
    attention: kvHeads === null ? { no_op: true } : { n_heads_in_group: 16 / kvHeads },
    ffn: { ffn_mult: mult },
  });
  assert.deepEqual(
    read("DeciLMForCausalLM", { block_configs: [block(4, 3), block(4, 3), block(null, 3), block(4, 3)] }),
    [
      { layers: 2, kvHeads: 4, inter: 2048 },
      { layers: 1, kvHeads: 0, inter: 2048 },
      { layers: 1, kvHeads: 4, inter: 2048 },
    ],
  );
});
