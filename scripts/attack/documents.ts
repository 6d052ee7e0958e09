/** Valid configurations that write out every field, as the attack changes them one at a time. */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const EPOCH_MS = 1_735_689_600_000;
const trace = join(tmpdir(), "dynosim-attack-mooncake.jsonl"), recorded = join(tmpdir(), "dynosim-attack-dynamo.jsonl");

/** Path of a recorded trace. */
export const RECORDED = recorded;

const rows = Array.from({ length: 150 }, (_, i) => ({
  timestamp: 1200 * i + 37 * (i % 7),
  input_length: 600 + 300 * (i % 5),
  output_length: 5 + 7 * (i % 9),
  hash_ids: [i % 4, 100 + i % 11, 1000 + i, 2000 + i].slice(0, Math.ceil((600 + 300 * (i % 5)) / 512)),
}));
writeFileSync(trace, rows.map((row) => JSON.stringify(row)).join("\n"));
const request = (row: typeof rows[number], i: number) => ({
  schema: "dynamo.request.trace.v1",
  event_type: "request_end",
  event_time_unix_ms: EPOCH_MS + row.timestamp,
  request: {
    request_id: `r${i}`,
    request_received_ms: EPOCH_MS + row.timestamp,
    output_tokens: row.output_length,
    total_time_ms: 800,
    replay: { trace_block_size: 512, input_length: row.input_length, input_sequence_hashes: row.hash_ids },
  },
});
writeFileSync(recorded, rows.map((row, i) => JSON.stringify(request(row, i))).join("\n"));

const worker = (more: Record<string, unknown> = {}) => ({
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
const engine = {
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
const split = {
  ...engine,
  mode: "disaggregated",
  workers: { prefill: worker(), decode: worker() },
  kv_transfer: { bytes_per_token: 1000, bandwidth_gb_per_second: 100, timing_mode: "destination_missing" },
};
const rest = {
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
const recording = {
  source: { type: "trace", paths: [trace], format: "mooncake", block_size: 512 },
  load: { type: "trace_timestamps", speedup: 2 },
  stop: { max_virtual_time_seconds: 500, cutoff: "soft" },
};
const router = {
  policy: "kv_router",
  overlap_score_credit: 1,
  prefill_load_scale: 1,
  temperature: 0,
  seed: 3,
  prefill_load_model: { type: "none" },
};
const planner = {
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

/** Predictions and the stack each is for. */
export const DOCUMENTS: Readonly<Record<string, { document: Record<string, unknown>; stack: string }>> = {
  aggregated: { document: { traffic: recording, engine, ...rest }, stack: "engine" },
  measured: {
    document: {
      traffic: {
        source: { type: "synthetic", input_tokens: 500, output_tokens: 20, cached_prefix_tokens: 0 },
        load: { type: "concurrency", concurrency: 4 },
        stop: { requests: 20 },
      },
      engine: {
        ...engine,
        backend: "sglang",
        workers: {
          aggregated: worker({
            timing: { type: "default" },
            kv_cache: { capacity: { type: "default", memory_fraction: 0.8, cuda_graph_reserved_bytes: 0 } },
          }),
        },
      },
      ...rest,
    },
    stack: "engine",
  },
  split: { document: { traffic: recording, engine: split, router, ...rest }, stack: "dynamo" },
  sessions: {
    document: {
      traffic: {
        source: {
          type: "synthetic-session",
          new_input_tokens_per_turn: 200,
          output_tokens_per_turn: 10,
          session: { turns: 3, shared_prefix_ratio: 0.5, prefix_groups: 2, inter_turn_delay_ms: 100 },
        },
        load: { type: "poisson", sessions_per_second: 2, seed: 1 },
        stop: { sessions: 12 },
      },
      engine: { ...engine, backend: "trtllm" },
      router: { ...router, temperature: 0.5 },
      ...rest,
    },
    stack: "dynamo",
  },
  rate: {
    document: {
      traffic: {
        source: { type: "synthetic", input_tokens: 500, output_tokens: 20 },
        load: { type: "constant_rate", requests_per_second: 5 },
        stop: { requests_per_load_unit: 4 },
      },
      engine: {
        ...engine,
        nextn: 1,
        nextn_accepted: 0.6,
        workers: { aggregated: worker({ timing: { type: "default" } }) },
      },
      ...rest,
    },
    stack: "engine",
  },
  planner: { document: { traffic: recording, engine, router, planner, ...rest }, stack: "dynamo" },
  planned_split: {
    document: { traffic: recording, engine: split, planner: { ...planner, target: "load" }, ...rest },
    stack: "dynamo",
  },
  retune: {
    document: {
      traffic: {
        source: { type: "trace", paths: [recorded], format: "dynamo" },
        load: { type: "trace_timestamps", speedup: 1 },
      },
      engine,
      router,
      planner: {
        policy: "enabled",
        target: "sla",
        enable_throughput_scaling: false,
        enable_load_scaling: true,
        retune: {
          interval_seconds: 60,
          grace_seconds: 10,
          router: { overlap_score_credit: [0, 1], prefill_load_scale: 1, temperature: 0 },
          planner: { load_scaling_down_sensitivity: [70, 90] },
          objective: "ttft",
          sla_ttft_ms: 500,
          sla_itl_ms: 50,
          min_improvement_percentage: 3,
          decision_latency_seconds: 0,
          decision_latency_scale: 1,
          timeout_seconds: 4,
          max_parallel: 1,
          history_seconds: null,
        },
      },
      ...rest,
    },
    stack: "dynamo",
  },
};

/** Searches. */
export const SEARCHES: Readonly<Record<string, Record<string, unknown>>> = {
  search: {
    traffic: recording,
    engine: {
      mode: "aggregated",
      model: "Qwen/Qwen3-32B",
      hardware: "h200_sxm",
      backend: "vllm",
      context_length: 16_384,
      workers: { aggregated: { scheduler: { max_batched_tokens: 8192, max_sequences: { choices: [64, 256] } } } },
    },
    evaluation: rest.evaluation,
    optimization: { target: "goodput_per_gpu", constraints: { max_candidate_gpus: 4 } },
    router: { ...router, seed: undefined, policy: { choices: ["round_robin", "kv_router"] } },
  },
};
