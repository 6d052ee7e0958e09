/** Valid configurations that write out every field, as the attack changes them one at a time. */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const EPOCH_MS = 1_735_689_600_000;
const trace = join(tmpdir(), "dynosim-attack-mooncake.jsonl"), recorded = join(tmpdir(), "dynosim-attack-dynamo.jsonl");

/** Path of a recorded trace. */
export const RECORDED = recorded;

const rows = Array.from({ length: 60 }, (_, i) => ({
  timestamp: 3000 * i + 37 * (i % 7),
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

/** How a document is attacked: predicted, searched, asked for its capacity, or written as a file that a prediction names. */
export type Use = "predict" | "recommend" | "capacity" | "profile";

/** A document and the stack it is for. */
export interface Attacked {
  document: Record<string, unknown>;
  stack: string;
  /** Default `predict`. */
  use?: Use;
}

const requests = (load: Record<string, unknown>) => ({
  source: { type: "synthetic", input_tokens: 500, output_tokens: 20, cached_prefix_tokens: 0 },
  load,
  stop: { requests: 20 },
});
const behavior = {
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
const measuredEngine = { ...engine, workers: { aggregated: worker({ timing: { type: "default", mixed: "sum" } }) } };
const lines = (name: string, list: readonly unknown[]) => {
  const path = join(tmpdir(), `dynosim-attack-${name}.jsonl`);
  writeFileSync(path, list.map((row) => JSON.stringify(row)).join("\n"));
  return path;
};
const agentic = lines("agentic", [
  {
    schema: "dynamo.agentic_mooncake",
    version: 2,
    block_size: 512,
    hash_id_scope: "local",
    source: { format: "f", digest: "d" },
  },
  ...Array.from({ length: 12 }, (_, i) => ({
    request_id: `r${i}`,
    play_id: `p${i % 4}`,
    session_id: `s${i % 4}`,
    model: "m",
    input_length: 700,
    output_length: 5,
    hash_ids: [i % 4, 100 + i],
    not_before_ms: i < 4 ? 50 * i : 0,
    dependencies: i < 4 ? [] : [{ request_id: `r${i - 4}`, delay_ms: 10, trigger: "completion", relation: "sequence" }],
  })),
]);
const applied = lines(
  "applied",
  Array.from({ length: 8 }, () => ({
    num_turns: 2,
    input_prompt_length: 600,
    assistant_response_length: [5, 6],
    tool_call_output_length: [9, 9],
    tool_call_latency: [0.25, 0.1],
    final_assistant_response_length: 2,
  })),
);
const phase = {
  ratio: 1.1,
  constant_ms: 0.5,
  curve: [[1, 1], [3, 1.2]],
  n: 12,
  seen: { decode_requests: [1, 64], prefill_tokens: [1, 4000] },
};
const CALIBRATION_KEY = {
  model: "Qwen/Qwen3-32B",
  hardware: "h200_sxm",
  backend: "vllm",
  backend_version: "0.24.0",
  tensor: 2,
  pipeline: 1,
  attention_data: 1,
  moe_tensor: 1,
  moe_expert: 1,
  nextn: 0,
  weights: "bfloat16",
  expert_weights: null,
  attention: "bfloat16",
  kv_cache: "bfloat16",
  communication: "half",
  database_mode: "SILICON",
  data_version: "0.13.0",
};

/** The prediction that names the calibration profile of a file. */
export const calibratedBy = (profile: string): Record<string, unknown> => ({
  traffic: requests({ type: "concurrency", concurrency: 4 }),
  engine: {
    ...engine,
    workers: { aggregated: worker({ timing: { type: "default", calibration: profile, calibration_forced: true } }) },
  },
  ...rest,
});

const PREDICTIONS: Readonly<Record<string, Attacked>> = {
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
  poisson: {
    document: {
      traffic: requests({ type: "poisson", requests_per_second: 5, seed: 1 }),
      engine: {
        ...engine,
        gemm_quant_mode: "bfloat16",
        kvcache_quant_mode: "bfloat16",
        fmha_quant_mode: "bfloat16",
        comm_quant_mode: "half",
        workers: { aggregated: worker({ timing: { type: "default", forward_model: "op_level" } }) },
      },
      ...rest,
    },
    stack: "engine",
  },
  sessions_rate: {
    document: {
      traffic: {
        source: { type: "synthetic-session", session: { turns: 2 } },
        load: { type: "constant_rate", sessions_per_second: 2 },
        stop: { sessions_per_load_unit: 4 },
      },
      engine: {
        ...engine,
        workers: { aggregated: worker({ timing: { type: "fixed", prefill_ms: 30, decode_ms: 5 } }) },
      },
      evaluation: { sla: { e2e_ms: 900 } },
    },
    stack: "engine",
  },
  bytes: {
    document: {
      traffic: { ...recording, load: { type: "concurrency", concurrency: 3 } },
      engine: {
        ...engine,
        workers: {
          aggregated: worker({
            kv_cache: {
              block_size: 64,
              prefix_caching: true,
              bytes_per_token: 1000,
              capacity: { type: "fixed", bytes: 64_000_000 },
            },
          }),
        },
      },
    },
    stack: "engine",
  },
  agentic: {
    document: {
      traffic: {
        source: { type: "trace", paths: [agentic], format: "agentic_mooncake" },
        load: { type: "trace_timestamps", speedup: 1, agentic_lanes: 2 },
      },
      engine,
      router: { policy: "kv_router", temperature: 0 },
    },
    stack: "dynamo",
  },
  applied: {
    document: {
      traffic: {
        source: { type: "trace", paths: [applied], format: "applied_compute_agentic", block_size: 64 },
        load: { type: "concurrency", concurrency: 2 },
        stop: { max_virtual_time_seconds: 100 },
      },
      engine,
    },
    stack: "engine",
  },
  hpa: {
    document: {
      traffic: recording,
      engine,
      autoscaler: {
        type: "hpa",
        sync_period_seconds: 15,
        tolerance: 0.1,
        workers: {
          aggregated: {
            min_replicas: 1,
            max_replicas: 4,
            metrics: [{ type: "Pods", name: "queue_depth", target: { average_value: 2 } }],
            behavior,
          },
        },
      },
    },
    stack: "dynamo",
  },
  keda: {
    document: {
      traffic: recording,
      engine: split,
      autoscaler: {
        type: "keda",
        sync_period_seconds: 15,
        workers: {
          prefill: {
            polling_interval: 30,
            cooldown_period: 60,
            initial_cooldown_period: 0,
            idle_replica_count: null,
            min_replica_count: 1,
            max_replica_count: 4,
            triggers: [{ metric: "request_rate", threshold: 1, activation_threshold: 0, metric_type: "AverageValue" }],
            advanced: { horizontal_pod_autoscaler_config: { behavior } },
          },
        },
      },
    },
    stack: "dynamo",
  },
  capacity: {
    document: { traffic: requests({ type: "concurrency", concurrency: 4 }), engine: measuredEngine, ...rest },
    stack: "engine",
    use: "capacity",
  },
  profile: {
    document: {
      format: "dynosim.calibration.v1",
      key: CALIBRATION_KEY,
      level: "curves",
      phases: { prefill: phase, decode: phase, mixed: null },
      request_overhead_ms: 0,
      n: { passes: 24, requests: 0 },
      error: { before: { decode: { mdape: 10, bias: 1, n: 12 } }, after: { decode: { mdape: 1, bias: 0, n: 12 } } },
    },
    stack: "engine",
    use: "profile",
  },
};

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

/** Every document of the attack. */
export const DOCUMENTS: Readonly<Record<string, Attacked>> = {
  ...PREDICTIONS,
  ...Object.fromEntries(
    Object.entries(SEARCHES).map((
      [name, document],
    ) => [name, { document, stack: "dynamo", use: "recommend" } as const]),
  ),
};
