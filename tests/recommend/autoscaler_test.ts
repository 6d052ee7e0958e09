import assert from "node:assert/strict";
import { test } from "node:test";
import "../without_user_cache.ts";
import { ConfigError } from "../../lib/errors.ts";
import { ledgerOf } from "../../lib/recommend/ledger.ts";
import { loadRecommendation } from "../../lib/recommend/load.ts";
import { recommend } from "../../lib/recommend/recommend.ts";

const SEARCH = `
traffic: {source: {type: synthetic, input_tokens: 512, output_tokens: 64}, load: {type: constant_rate, requests_per_second: 6}, stop: {requests: 300}}
engine:
  mode: aggregated
  model: Qwen/Qwen3-32B
  hardware: h200_sxm
  backend: vllm
  context_length: 8192
  workers:
    aggregated:
      parallelism: {preset: false, tensor: {choices: [1, 2]}, replicas: {choices: [1, 2]}}
      scheduler: {max_batched_tokens: 8192, max_sequences: 64}
      kv_cache: {block_size: 64, capacity: {type: fixed, blocks: 1000}}
      timing: {type: fixed, prefill_ms: 60, decode_ms: 20}
optimization: {target: throughput_per_gpu, constraints: {max_candidate_gpus: 6}}
router: {policy: kv_router, prefill_load_model: {type: none}, overlap_score_credit: 1, prefill_load_scale: 1, temperature: 0}
autoscaler:
  type: hpa
  workers:
    aggregated: {max_replicas: 3, metrics: [{name: running_requests, target: {average_value: 4}}]}
`;
const open = (set: string[] = [], outputs: string[] = []) => loadRecommendation(SEARCH, { set, outputs });

test("recommend carries an autoscaler through to every candidate, which may grow within the budget", async () => {
  const found = await recommend(open()).result;
  const { evaluated } = found;
  assert.equal(evaluated.length, 4);
  for (const { status, metrics, trial: { candidate: { document, config, usedGpus } } } of evaluated) {
    assert.equal(status, "feasible");
    assert.equal(config.autoscaler, "hpa");
    assert.equal(document!.autoscaler.workers.aggregated.max_replicas, 3);
    // one worker may become several, which a KV router then chooses from
    assert.equal(document!.router.policy, "kv_router");
    const gpus = metrics!.gpu_hours! / (metrics!.duration_ms! / 3_600_000);
    if (document!.engine.workers.aggregated.parallelism.replicas === 1) assert.ok(gpus > usedGpus, `${gpus}`);
  }
  assert.match(JSON.stringify(ledgerOf(found, "test").ledger.candidates[0].provenance), /HPA up to 3 workers/);
  const tight = await recommend(open(["optimization.constraints.max_candidate_gpus=4"])).result;
  const refused = tight.evaluated.filter(({ category }) => category === "gpu_budget");
  assert.deepEqual(refused.map(({ reason }) => reason), [
    "the autoscaler may grow it to 6 GPUs, more than max_candidate_gpus=4",
    "the autoscaler may grow it to 6 GPUs, more than max_candidate_gpus=4",
  ]);
});

test("loadRecommendation refuses autoscalers that no candidate can have, with their place", () => {
  const refusals: [set: string[], place: string, message: RegExp, outputs?: string[]][] = [
    [["planner={policy: enabled}"], "autoscaler", /the Planner scales already/],
    [
      ["autoscaler.workers.decode={max_replicas: 2, metrics: [{name: running_requests, target: {average_value: 4}}]}"],
      "autoscaler.workers.decode",
      /engine.mode aggregated has no decode workers/,
    ],
    [
      ["engine.mode={choices: [aggregated, disaggregated]}", "engine.workers.prefill={}", "engine.workers.decode={}"],
      "autoscaler.workers",
      /no workers of engine.mode disaggregated are scaled/,
    ],
    [["autoscaler.workers.aggregated.max_replica=2"], "autoscaler.hpa.workers.aggregated.max_replica", /not permitted/],
    [["dgd={name: x, image: y}"], "autoscaler", /cannot hold an autoscaler/, ["dgd"]],
  ];
  for (const [set, place, message, outputs] of refusals) {
    assert.throws(() => open(set, outputs), (problem) => {
      assert.ok(problem instanceof ConfigError);
      assert.match(problem.message, message);
      assert.ok(problem.issues.some(({ path }) => path === place), JSON.stringify(problem.issues));
      return true;
    });
  }
});
