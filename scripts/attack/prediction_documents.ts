/** Valid predictions that write out every field, as the attack changes them one at a time. */
import {
  behavior,
  engine,
  measuredEngine,
  planner,
  recording,
  requests,
  rest,
  router,
  split,
  worker,
} from "./document_parts.ts";
import { AGENTIC, APPLIED, DYNAMO } from "./document_traces.ts";

/** How a document is attacked: predicted, searched, asked for its capacity, or written as a file that a prediction names. */
export type Use = "predict" | "recommend" | "capacity" | "profile";

/** A document and the stack it is for. */
export interface Attacked {
  document: Record<string, unknown>;
  stack: string;
  /** Default `predict`. */
  use?: Use;
}

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

/** What is predicted, asked for its capacity, or named as a profile. */
export const PREDICTIONS: Readonly<Record<string, Attacked>> = {
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
        source: { type: "trace", paths: [DYNAMO], format: "dynamo" },
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
        source: { type: "trace", paths: [AGENTIC], format: "agentic_mooncake" },
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
        source: { type: "trace", paths: [APPLIED], format: "applied_compute_agentic", block_size: 64 },
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
