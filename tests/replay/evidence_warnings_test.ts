import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { planSpec } from "../../lib/replay/predict.ts";
import { run } from "../../lib/replay/run.ts";

async function warningsOf(engine: string): Promise<string[]> {
  const { plan } = await loadPrediction(`
traffic: {source: {type: synthetic, input_tokens: 200, output_tokens: 5}, load: {concurrency: 2}, stop: {requests: 4}}
engine: {${engine}, workers: {aggregated: {parallelism: {tensor: 4}}}}
`);
  const warnings: string[] = [];
  await run(planSpec(plan), { onWarning: (warning) => warnings.push(warning) }).report;
  return warnings;
}

test("run warns of times that rest on tables of which much cannot be right", async () => {
  const warnings = await warningsOf("model: nvidia/Llama-3.1-70B-Instruct-FP8, hardware: b200_sxm");
  assert.ok(
    warnings.some((text) =>
      /^b200_sxm vllm: .* rests on tables .*\(gemm\/fp8: slower in lower precision at/.test(text)
    ),
    warnings.join("\n"),
  );
});

test("run says nothing where times come from sound measurements", async () => {
  assert.deepEqual(await warningsOf("model: Qwen/Qwen3-32B, hardware: h200_sxm"), []);
});
