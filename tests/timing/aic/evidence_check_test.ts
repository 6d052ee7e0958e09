import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { PerfCatalog } from "../../../lib/timing/aic/catalog.ts";
import type { DatabaseMode } from "../../../lib/timing/aic/database_mode.ts";
import { evidenceWarnings } from "../../../lib/timing/aic/evidence_check.ts";
import { deploy } from "../../../lib/timing/aic/operator_timing.ts";

const LLAMA = { model: "meta-llama/Meta-Llama-3.1-8B", hardware: "h200_sxm" };

test("evidenceWarnings says nothing of passes inside what was measured", () => {
  assert.deepEqual(evidenceWarnings(deploy(LLAMA)), []);
  const usual = [
    { num_prefill_requests: 1, sum_prefill_tokens: 1024 },
    { num_decode_requests: 64, sum_decode_kv_tokens: 64 * 4096 },
    { num_prefill_requests: 2, sum_prefill_tokens: 4096, num_decode_requests: 32, sum_decode_kv_tokens: 32 * 2048 },
    {},
  ];
  assert.deepEqual(evidenceWarnings(deploy(LLAMA), usual), []);
});

test("evidenceWarnings names the operator, the table and how far a pass lies beyond its measurements", () => {
  const far = { num_decode_requests: 8, sum_decode_kv_tokens: 8 * 4_000_000 };
  const [warning, ...others] = evidenceWarnings(deploy(LLAMA), [far]);
  assert.deepEqual(others, []);
  assert.match(
    warning,
    /^h200_sxm vllm: \d+ % of the pass is extrapolated .*\(generation_attention: generation_attention\/bfloat16 was asked for 4,000,000 tokens of a sequence, \d+\.\d times the [\d,]+ measured\)$/,
  );
  const near = { num_decode_requests: 1, sum_decode_kv_tokens: 1000 };
  assert.match(evidenceWarnings(deploy(LLAMA), [near, far])[0], /% of the 2 passes looked at is extrapolated/);
});

test("evidenceWarnings looks at products and sums of a pass far wider than any that was measured", () => {
  const [warning] = evidenceWarnings(deploy({ ...LLAMA, tensor: 4 }), [
    { num_prefill_requests: 4096, sum_prefill_tokens: 4096 * 256 },
  ]);
  assert.match(warning, /context_gate_ffn1_gemm: gemm\/bfloat16 was asked for 1,048,576 tokens, \d+\.\d times the/);
});

test("evidenceWarnings looks into operators that stand in for others, and at both attentions of a mixed pass", () => {
  const decodes = { num_decode_requests: 64, sum_decode_kv_tokens: 64 * 3_000_000 };
  const deepseek = { model: "deepseek-ai/DeepSeek-V3", hardware: "h200_sxm", tensor: 8, moeExpert: 8 };
  const table = (backend: "vllm" | "sglang") => evidenceWarnings(deploy({ ...deepseek, backend }), [decodes])[0];
  assert.match(table("vllm"), /\(generation_mla_module: mla_generation_module was asked for 3,000,000 tokens/);
  assert.match(table("sglang"), /\(generation_attention: generation_mla was asked for 3,000,000 tokens/);
  const mixed = { num_prefill_requests: 1, sum_prefill_tokens: 64, ...decodes };
  assert.match(evidenceWarnings(deploy(LLAMA), [mixed])[0], /\(generation_attention: generation_attention\/bfloat16/);
});

test("evidenceWarnings names tables of which much cannot be right", () => {
  const [warning] = evidenceWarnings(deploy({
    model: "Qwen/Qwen3-30B-A3B",
    hardware: "h200_sxm",
    quant: { moe: "fp8" },
  }));
  assert.match(
    warning,
    /^h200_sxm vllm: \d+ % of .* rests on tables of which much cannot be right \(moe\/fp8: slower in lower precision at 56 % of its points\); see perf-data check h200_sxm$/,
  );
});

test("evidenceWarnings does not doubt the sound slices of a doubtful table", () => {
  const own = { model: "Qwen/Qwen3-30B-A3B", hardware: "h200_sxm" };
  /** A catalogue in which more than half of the points of experts in bfloat16 are wrong. */
  const told = (slices?: readonly string[]) => {
    const catalog = new PerfCatalog();
    catalog.flaggedTables = () => ({ "moe/bfloat16": { "falls as work grows": slices ? [6, 10, slices] : [6, 10] } });
    return evidenceWarnings(deploy(own, catalog)).length;
  };
  assert.equal(told(), 1);
  assert.equal(told(["power_law_1.2|8|128|2048|768|1|1"]), 1);
  assert.equal(told(["power_law_1.2|8|128|2048|768|2|1"]), 0);
});

test("evidenceWarnings has nothing to say where no measurement is read at its place", () => {
  const far = [{ num_decode_requests: 8, sum_decode_kv_tokens: 8 * 4_000_000 }];
  for (const databaseMode of ["SOL", "EMPIRICAL"] satisfies DatabaseMode[]) {
    assert.deepEqual(evidenceWarnings(deploy({ ...LLAMA, databaseMode }), far), []);
  }
});
