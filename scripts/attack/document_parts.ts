/** Sections and parts of sections that the documents of the attack are made of, each with every field written out. */
import { MOONCAKE } from "./document_traces.ts";

/** Workers of one role. */
export const worker = (more: Record<string, unknown> = {}) => ({
  parallelism: { replicas: 2, tensor: 2, pipeline: 1, attention_data: 1, moe_tensor: 1, moe_expert: 1 },
  scheduler: { max_batched_tokens: 4096, max_sequences: 64, prefill_schedule_interval: 1, prefill_decode_interval: 0 },
  kv_cache: {
    block_size: 64,
    prefix_caching: true,
    bytes_per_token: "auto",
    capacity: { type: "fixed", blocks: 2000 },
    host_offload: null,
  },
  timing: { type: "polynomial", prefill_ms: null, decode_ms: null, forward_model: null, database_mode: null },
  startup_seconds: 5,
  hardware: null,
  context_length: 8192,
  ...more,
});
/** An engine whose workers do everything. */
export const engine = {
  mode: "aggregated",
  model: "Qwen/Qwen3-32B",
  hardware: "h200_sxm",
  backend: "vllm",
  backend_version: null,
  context_length: 16_384,
  nextn: 0,
  nextn_accepted: null,
  enable_chunked_prefill: true,
  gemm_quant_mode: null,
  database_mode: "SILICON",
  transfer_policy: null,
  workers: { aggregated: worker() },
};
/** An engine with prefill and decode apart. */
export const split = {
  ...engine,
  mode: "disaggregated",
  workers: { prefill: worker(), decode: worker() },
  kv_transfer: { bytes_per_token: 1000, bandwidth_gb_per_second: 100, timing_mode: "destination_missing" },
};
/** Sections that every document has. */
export const rest = {
  evaluation: { sla: { ttft_ms: 1500, itl_ms: 50 } },
  execution: {
    resources: {
      initialization_timeout_seconds: 60,
      memory_limit_gb: "auto",
      cpu_limit: "auto",
      reserve_memory_gb: 0.1,
      reserve_memory_fraction: 0,
      available_memory_fraction: 0.9,
    },
  },
};
/** A recorded load. */
export const recording = {
  source: { type: "trace", paths: [MOONCAKE], format: "mooncake", block_size: 512 },
  load: { type: "trace_timestamps", speedup: 2 },
  stop: { max_virtual_time_seconds: 500, cutoff: "soft" },
};
/** A router with all its fields. */
export const router = {
  policy: "kv_router",
  overlap_score_credit: 1,
  prefill_load_scale: 1,
  temperature: 0,
  seed: 3,
  prefill_load_model: { type: "none" },
};
/** A Planner with all its fields. */
export const planner = {
  policy: "enabled",
  target: "sla",
  max_num_gpus: 16,
  min_num_gpus: -1,
  min_workers: 1,
  enable_throughput_scaling: true,
  enable_load_scaling: true,
  load_adjustment_interval_seconds: 5,
  throughput_adjustment_interval_seconds: 60,
  max_throughput_scaling_replicas: 8,
  max_num_fpm_samples: 64,
  fpm_sample_bucket_size: 16,
  load_scaling_down_sensitivity: 80,
  load_min_observations: 5,
  load_predictor: "constant",
  load_predictor_log1p: false,
  prophet_window_size: 50,
  kalman_q_level: 1,
  kalman_q_trend: 0.1,
  kalman_r: 10,
  kalman_min_points: 5,
  advisory: false,
};

/** A synthetic load. */
export const requests = (load: Record<string, unknown>) => ({
  source: { type: "synthetic", input_tokens: 500, output_tokens: 20, cached_prefix_tokens: 0 },
  load,
  stop: { requests: 20 },
});
/** How fast an autoscaler may scale. */
export const behavior = {
  scale_up: {
    stabilization_window_seconds: 0,
    select_policy: "Max",
    policies: [{ type: "Pods", value: 4, period_seconds: 15 }],
    tolerance: 0.1,
  },
  scale_down: {
    stabilization_window_seconds: 60,
    select_policy: "Min",
    policies: [{ type: "Percent", value: 50, period_seconds: 15 }],
    tolerance: null,
  },
};
/** An engine whose times are measured. */
export const measuredEngine = {
  ...engine,
  workers: { aggregated: worker({ timing: { type: "default", mixed: "sum" } }) },
};
