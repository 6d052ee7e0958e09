/**
 * What should I run? Every legal deployment of up to four GPUs under one load, replayed in two threads and ranked.
 *
 * Run: `deno run -A scripts/examples/find_deployment.ts`
 */
import { loadRecommendation, recommend, threads } from "dynosim";

const search = loadRecommendation(`
traffic: {source: {type: synthetic, input_tokens: 1024, output_tokens: 64}, load: {concurrency: 16}, stop: {requests: 64}}
engine: {mode: aggregated, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, context_length: 8192, workers: {aggregated: {}}}
evaluation: {sla: {ttft_ms: 1500, itl_ms: 40}}
optimization: {target: goodput_per_gpu, constraints: {max_candidate_gpus: 4}}
`);
const run = recommend(search, { executor: threads(2) });
for await (const { status, trial: { candidate } } of run) {
  if (status !== "feasible") console.log(candidate.usedGpus, status);
}
const [best] = (await run.result).ranked;
console.log(best.trial.candidate.document!.engine.workers.aggregated.parallelism, best.score);
