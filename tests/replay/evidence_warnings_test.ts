import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { planSpec } from "../../lib/replay/predict.ts";
import { run } from "../../lib/replay/run.ts";

const SHORT =
  "{source: {type: synthetic, input_tokens: 200, output_tokens: 5}, load: {concurrency: 2}, stop: {requests: 4}}";

async function warningsOf(engine: string, traffic = SHORT): Promise<string[]> {
  const { plan } = await loadPrediction(`
traffic: ${traffic}
engine: {${engine}, workers: {aggregated: {parallelism: {tensor: 4}}}}
`);
  const warnings: string[] = [];
  await run(planSpec(plan), { onWarning: (warning) => warnings.push(warning) }).report;
  return warnings;
}

test("run warns of times that rest on tables of which much cannot be right", async () => {
  const warnings = await warningsOf("model: nvidia/Llama-3.1-70B-Instruct-FP8, hardware: b200_sxm");
  assert.ok(
    warnings.some((text) => /^b200_sxm vllm: .* rests on tables .*\(gemm\/fp8: falls as work grows at/.test(text)),
    warnings.join("\n"),
  );
});

test("run says nothing where times come from sound measurements", async () => {
  assert.deepEqual(await warningsOf("model: Qwen/Qwen3-32B, hardware: h200_sxm"), []);
});

test("run warns before it starts of prompts and decode steps of the load's own length", async () => {
  const [warning, ...others] = await warningsOf(
    "model: meta-llama/Meta-Llama-3.1-8B, hardware: h200_sxm, context_length: 500000",
    "{source: {type: synthetic, input_tokens: 400000, output_tokens: 9}, load: {concurrency: 2}, stop: {requests: 2}}",
  );
  assert.match(
    warning,
    /% of a pass over \d+ tokens of a prompt after \d+ and \d+ % of a decode step of 1 and \d+ % of a decode step of 2 is extr/,
  );
  // what the passes of the run say of the same measurements is not said again
  assert.deepEqual(others, []);
});

test("run warns after it of far passes that only the run could tell", async () => {
  const warnings = await warningsOf(
    "model: meta-llama/Meta-Llama-3.1-8B, hardware: h200_sxm",
    "{source: {type: synthetic-session, session: {turns: 6}, new_input_tokens_per_turn: 14000, " +
      "output_tokens_per_turn: 5}, load: {concurrency: 2}, stop: {sessions: 4}}",
  );
  assert.equal(warnings.length, 1, warnings.join("\n"));
  assert.match(
    warnings[0],
    /^h200_sxm vllm: \d+ % of the time of aggregated passes is extrapolated .*\(context_attention: context_attention\/bfloat16/,
  );
});
