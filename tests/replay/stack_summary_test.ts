import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { planSpec } from "../../lib/replay/predict.ts";
import { run } from "../../lib/replay/run.ts";

const precisionOf = async (engine: string) => {
  const { plan } = await loadPrediction(
    `
traffic: {source: {type: synthetic, input_tokens: 200, output_tokens: 5}, load: {concurrency: 2}, stop: {requests: 4}}
engine: {${engine}, hardware: h200_sxm, workers: {aggregated: {parallelism: {tensor: 4}}}}
`,
    { stack: "engine" },
  );
  return (await run(planSpec(plan)).report).summary.kv_cache_precision;
};

test("kv_cache_precision says who chose the format: the checkpoint, the configuration, or nobody", async () => {
  const fp8 = "model: nvidia/Llama-3.1-70B-Instruct-FP8";
  assert.deepEqual(await precisionOf(fp8), { aggregated: { dtype: "fp8", source: "checkpoint" } });
  assert.deepEqual(await precisionOf(`${fp8}, kvcache_quant_mode: bfloat16`), {
    aggregated: { dtype: "bfloat16", source: "user_override" },
  });
  // weights in FP8 say nothing of the cache
  assert.deepEqual(await precisionOf("model: Qwen/Qwen3-32B-FP8"), {
    aggregated: { dtype: "fp8", source: "aisimulate_policy" },
  });
});
