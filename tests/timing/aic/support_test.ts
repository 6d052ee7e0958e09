import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { PerfCatalog } from "../../../lib/timing/aic/catalog.ts";
import { modelFacts } from "../../../lib/timing/aic/model_facts.ts";
import { findModel } from "../../../lib/timing/aic/model_sources.ts";
import { deploy } from "../../../lib/timing/aic/operator_timing.ts";
import { modelSupport, nearestTimedModel, requireOperators, requireTimes } from "../../../lib/timing/aic/support.ts";

const catalog = new PerfCatalog();
const STEP = "stepfun-ai/Step-3.7-Flash";

test("modelSupport finds the smallest shape that fits and is timed", () => {
  const shape = (model: string, hardware = "h200_sxm", backend = "vllm") =>
    modelSupport(findModel(model)!, hardware, backend, catalog).shape;
  assert.deepEqual(shape("Qwen/Qwen3-32B"), { tensor: 1, attentionData: 1, moeTensor: 1, moeExpert: 1 });
  assert.deepEqual(shape("meta-llama/Meta-Llama-3.1-405B"), {
    tensor: 8,
    attentionData: 1,
    moeTensor: 1,
    moeExpert: 1,
  });
  assert.deepEqual(shape("Qwen/Qwen3-235B-A22B"), { tensor: 4, attentionData: 1, moeTensor: 1, moeExpert: 4 });
  assert.deepEqual(shape("nvidia/Llama-3_3-Nemotron-Super-49B-v1"), {
    tensor: 1,
    attentionData: 1,
    moeTensor: 1,
    moeExpert: 1,
  });
  // one rank's sixteen KV heads were not measured: the next wider shape is
  assert.equal(shape("nvidia/Gemma-4-31B-IT-NVFP4", "b200_sxm")?.tensor, 2);
});

test("modelSupport says what is missing", () => {
  const { status, reason, shape } = modelSupport(findModel(STEP)!, "h200_sxm", "vllm", catalog);
  assert.equal(status, "refused");
  assert.match(reason!, /^perf database error: MoE data missing for MoeKey .*num_experts: 288/);
  assert.ok(shape!.tensor > 1);
  const nvfp4 = modelSupport(findModel("nvidia/Qwen3-235B-A22B-NVFP4")!, "h200_sxm", "vllm", catalog);
  assert.match(nvfp4.reason!, /^missing system flops: quant mode 'nvfp4'/);
  const own = { name: "own", facts: modelFacts({ architectures: ["OwnForCausalLM"] }) };
  assert.match(modelSupport(own, "h200_sxm", "vllm", catalog).reason!, /^no operator list for the architecture/);
  assert.throws(() => modelSupport(own, "h200", "vllm", catalog), { message: /did you mean 'h200_sxm'/ });
});

test("nearestTimedModel finds a model of the same kind and size", () => {
  const near = (model: string) => nearestTimedModel(findModel(model)!.facts, "h200_sxm", "vllm", catalog);
  assert.equal(near("nvidia/Qwen3-235B-A22B-NVFP4"), "Qwen/Qwen3-235B-A22B");
  assert.equal(near("Qwen/Qwen3-32B"), "Qwen/Qwen3-32B");
});

test("requireTimes names what is missing, what estimates it, the nearest model and what needs no measurements", () => {
  const options = { hardware: "h200_sxm", tensor: 8, moeExpert: 8 };
  const deployment = deploy({ model: STEP, ...options }, catalog);
  assert.throws(() => requireTimes(deployment, STEP), {
    name: "ConfigError",
    message:
      /^no timing data for stepfun-ai\/Step-3.7-Flash with vllm 0.24.0 on h200_sxm: MoE data missing .*}\. database_mode HYBRID estimates it.*The nearest model that has some there is '.+' .*fixed or polynomial/,
  });
  requireTimes(deploy({ model: STEP, ...options, databaseMode: "HYBRID" }, catalog), STEP);
  requireTimes(deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm" }, catalog), "Qwen/Qwen3-32B");
  const own = { name: "own", facts: modelFacts({ architectures: ["OwnForCausalLM"] }) };
  assert.throws(() => requireOperators(own, "h200_sxm", "vllm", catalog), {
    name: "ConfigError",
    message:
      /^no timing data for own with vllm on h200_sxm: no operator list for the architecture 'OwnForCausalLM'\. The/,
  });
});
