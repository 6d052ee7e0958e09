/** Valid searches that write out every field, as the attack changes them one at a time. */
import { recording, rest, router } from "./document_parts.ts";

const search = {
  traffic: recording,
  engine: {
    mode: "aggregated",
    model: "Qwen/Qwen3-32B",
    hardware: "h200_sxm",
    backend: "vllm",
    context_length: 16_384,
    workers: {
      aggregated: {
        scheduler: { max_batched_tokens: 8192, max_sequences: { choices: [64, 256] } },
        kv_cache: { block_size: 64, prefix_caching: true, capacity: { type: "fixed", blocks: 2000 } },
        timing: { type: "fixed", prefill_ms: 40, decode_ms: 8 },
        startup_seconds: 5,
      },
    },
  },
  evaluation: rest.evaluation,
  execution: rest.execution,
  optimization: {
    target: "goodput_per_gpu",
    hardware: null,
    strict_sla: false,
    constraints: { max_candidate_gpus: 4, min_candidate_gpus: null, min_goodput_rps: null },
    gpu_hour_price: 3,
    currency: "$",
  },
  optimizer: { algorithm: "random", max_trials: 3, parallelism: 2, candidate_timeout_seconds: 2, seed: 1 },
  router: { ...router, seed: undefined, policy: { choices: ["round_robin", "kv_router"] } },
};
const role = (shape: Record<string, unknown>) => ({
  parallelism: { preset: [{ pipeline: 1, attention_data: 1, moe_tensor: 1, moe_expert: 1, ...shape }] },
  scheduler: { max_batched_tokens: { range: { min: 4096, max: 8192, step: 4096 } }, max_sequences: 64 },
  kv_cache: { block_size: 64, capacity: { type: "default", memory_fraction: { range: { min: 0.7, max: 0.9 } } } },
});
const wideSearch = {
  traffic: {
    source: { type: "synthetic", input_tokens: 500, output_tokens: 20 },
    load: { type: "concurrency", concurrency: { range: { min: 2, max: 8, scale: "log" } } },
    stop: { requests: 20 },
  },
  engine: {
    mode: { choices: ["aggregated", "disaggregated"] },
    model: "Qwen/Qwen3-32B",
    hardware: "auto",
    backend: { choices: ["vllm", "sglang"] },
    backend_version: null,
    context_length: 8192,
    workers: {
      aggregated: role({ replicas: 1, tensor: 2 }),
      prefill: role({ replicas: 1, tensor: 2 }),
      decode: role({ replicas: 1, tensor: 2 }),
    },
    kv_transfer: { bandwidth_gb_per_second: 100, timing_mode: "destination_missing" },
  },
  evaluation: rest.evaluation,
  optimization: { target: "throughput_per_gpu", hardware: "h200_sxm", constraints: { max_candidate_gpus: 8 } },
  optimizer: { algorithm: "random", max_trials: 3, parallelism: 1, candidate_timeout_seconds: 2, seed: 1 },
};
const plannedSearch = {
  ...search,
  optimization: { target: "goodput", constraints: { max_candidate_gpus: 4 } },
  planner: {
    policy: { choices: ["disabled", "enabled"] },
    scaling_policy: { preset: "default" },
    fpm_sampling: { preset: "default" },
    load_sensitivity: { preset: "default" },
    load_predictor: { preset: "default" },
    max_num_gpus: 8,
    max_throughput_scaling_replicas: 8,
    min_workers: 1,
  },
};

/** Searches. */
export const SEARCHES: Readonly<Record<string, Record<string, unknown>>> = { search, wideSearch, plannedSearch };
