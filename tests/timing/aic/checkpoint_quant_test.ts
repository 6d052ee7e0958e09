import assert from "node:assert/strict";
import { test } from "node:test";
import {
  checkpointParts,
  checkpointQuant,
  isRoutedExpert,
  type Json,
} from "../../../lib/timing/aic/checkpoint_quant.ts";

const quantOf = (quantization_config: Json, hf: Json = {}) =>
  checkpointQuant(checkpointParts({ quantization_config }, hf, null), hf);

test("checkpointQuant makes one mode for products and one for experts of a mixed checkpoint", () => {
  const layers = (algorithms: Json) => ({ quant_algo: "MIXED_PRECISION", quantized_layers: algorithms });
  const nvfp4 = quantOf({}, {
    quantization: layers({
      "model.layers.0.self_attn.q_proj": { quant_algo: "MXFP8" },
      "model.layers.0.mlp.experts": { quant_algo: "NVFP4" },
    }),
  });
  assert.equal(nvfp4.algorithm, "mixed_precision");
  assert.deepEqual(nvfp4.byPart, { gemm: "fp8_block", moe: "nvfp4" });
  // a shared expert is no routed one, and a checkpoint may name algorithms by their number formats
  const shared = quantOf(layers({ "model.layers.0.mlp.shared_expert.up_proj": "e4m3" }));
  assert.deepEqual(shared.byPart, { gemm: "fp8_static", moe: null });
  // requantised experts leave the rest as the base checkpoint has it
  const base = quantOf(
    {
      quant_method: "fp8",
      weight_block_size: [128, 128],
      config_groups: { a: { targets: ["x.experts.0"], weights: { num_bits: 4, type: "float" } } },
    },
    { quantization: { quant_algo: "mixed-precision" } },
  );
  assert.deepEqual(base.byPart, { gemm: "fp8_block", moe: "nvfp4" });
});

test("checkpointQuant reads the weights of compressed-tensors and what they leave out", () => {
  const compressed = (weights: Json, ignore: string[] = []) =>
    quantOf({ quant_method: "compressed-tensors", config_groups: { g: { weights } }, ignore }).byPart;
  assert.deepEqual(compressed({ num_bits: 4, type: "int" }, ["re:.*self_attn.*", "re:.*shared_experts.*"]), {
    gemm: null,
    moe: "int4_wo",
  });
  assert.deepEqual(compressed({ num_bits: 4, type: "float" }, ["lm_head", "model.layers.1.mlp.experts.3"]), {
    gemm: "w4a16_mxfp4",
    moe: null,
  });
  assert.deepEqual(compressed({ num_bits: 8, type: "float", strategy: "block" }), {
    gemm: "fp8_block",
    moe: "fp8_block",
  });
  assert.deepEqual(compressed({ num_bits: 2, type: "int" }), { gemm: null, moe: null });
});

test("checkpointQuant keeps the name of a KV format, and any dynamic group counts", () => {
  assert.equal(quantOf({}, { quantization: { kv_cache_quant_algo: "NONE" } }).kvAlgorithm, "none");
  assert.equal(quantOf({ kv_cache_scheme: { type: "float", num_bits: 8 } }).kvAlgorithm, "fp8");
  const groups = { a: { weights: { dynamic: false } }, b: { input_activations: { dynamic: true } } };
  assert.equal(quantOf({ quant_method: "fp8", config_groups: groups }).dynamicActivations, true);
  assert.equal(quantOf({ quant_method: "fp8" }).dynamicActivations, null);
});

test("checkpointParts looks into text_config only when the root says nothing", () => {
  const nested = { quantization_config: { quant_method: "fp8" } };
  assert.equal(checkpointParts({}, {}, nested).own.quant_method, "fp8");
  assert.deepEqual(checkpointParts({ quantization_config: null }, {}, nested).own, {});
  assert.deepEqual(checkpointParts({}, { quantization: { quant_algo: "FP8" } }, nested).own, {});
});

test("isRoutedExpert tells routed experts from shared ones", () => {
  assert.ok(isRoutedExpert("model.layers.3.mlp.experts.7.up_proj"));
  assert.ok(isRoutedExpert("model.layers.3.mlp.experts"));
  assert.ok(!isRoutedExpert("model.layers.3.mlp.shared_experts.up_proj"));
  assert.ok(!isRoutedExpert("experts"));
});
