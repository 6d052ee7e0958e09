/**
 * Documents that whole predictions are compared on: every backend, three GPUs, dense, mixture-of-experts and latent
 * attention models, both stacks, every target of the Planner, routers, topologies and mistakes.
 */

/** One prediction: the document and the arguments both commands get. */
export interface Case {
  name: string;
  args: string[];
  config: Record<string, unknown>;
  /** The reference breaks ties at random here: only counts can be equal. */
  random?: boolean;
}

type Fields = Record<string, unknown>;

const BACKENDS = ["vllm", "sglang", "trtllm"] as const;
const GPUS = ["h200_sxm", "h100_sxm", "b200_sxm"] as const;
const TRACES = "fixtures/goldens/e2e/traces";

/** A model and the parallelism it fits in on all three GPUs. */
const MODELS: Record<string, [model: string, parallelism: Fields]> = {
  qwen8: ["Qwen/Qwen3-8B", { tensor: 1 }],
  qwen32: ["Qwen/Qwen3-32B", { tensor: 2 }],
  qwen32fp8: ["Qwen/Qwen3-32B-FP8", { tensor: 2 }],
  llama70: ["meta-llama/Meta-Llama-3.1-70B", { tensor: 4 }],
  qwen30moe: ["Qwen/Qwen3-30B-A3B", { tensor: 2, moe_expert: 2 }],
  qwen235fp8: ["Qwen/Qwen3-235B-A22B-FP8", { tensor: 8, moe_expert: 8 }],
  deepseek: ["deepseek-ai/DeepSeek-V3", { tensor: 8, moe_expert: 8 }],
  gptoss: ["openai/gpt-oss-120b", { tensor: 2, moe_tensor: 2 }],
};

const TRAFFIC: Record<string, Fields> = {
  concurrency: {
    source: { type: "synthetic", input_tokens: 700, output_tokens: 40 },
    load: { type: "concurrency", concurrency: 8 },
    stop: { requests: 40 },
  },
  long: {
    source: { type: "synthetic", input_tokens: 9000, output_tokens: 24 },
    load: { type: "concurrency", concurrency: 4 },
    stop: { requests: 12 },
  },
  poisson: {
    source: { type: "synthetic", input_tokens: 500, output_tokens: 60 },
    load: { type: "poisson", requests_per_second: 6, seed: 11 },
    stop: { requests: 50 },
  },
  constant: {
    source: { type: "synthetic", input_tokens: 300, output_tokens: 30 },
    load: { type: "constant_rate", requests_per_second: 9.5 },
    stop: { requests_per_load_unit: 4 },
  },
  sessions: {
    source: {
      type: "synthetic-session",
      new_input_tokens_per_turn: 200,
      output_tokens_per_turn: 40,
      session: { turns: 3, shared_prefix_ratio: 0.5, prefix_groups: 2, inter_turn_delay_ms: 250 },
    },
    load: { type: "concurrency", concurrency: 5 },
    stop: { sessions: 12 },
  },
  chat: {
    source: { type: "trace", paths: [`${TRACES}/chat150.jsonl`], format: "mooncake" },
    load: { type: "trace_timestamps", speedup: 3 },
  },
  closedChat: {
    source: { type: "trace", paths: [`${TRACES}/chat150.jsonl`], format: "mooncake" },
    load: { type: "concurrency", concurrency: 12 },
  },
  chat400: {
    source: { type: "trace", paths: [`${TRACES}/chat400.jsonl`], format: "mooncake" },
    load: { type: "trace_timestamps", speedup: 2 },
  },
  gap: {
    source: { type: "trace", paths: [`${TRACES}/gap.jsonl`], format: "mooncake" },
    load: { type: "trace_timestamps" },
  },
};

const dynamo = ["--stack", "dynamo"];

interface Choices {
  model?: string;
  hardware?: string;
  backend?: string;
  traffic?: string | Fields;
  engine?: Fields;
  worker?: Fields;
  parallelism?: Fields;
  /** Roles of a disaggregated engine. */
  split?: { prefill?: Fields; decode?: Fields };
  rest?: Fields;
}

function document(choices: Choices): Record<string, unknown> {
  const { model = "qwen32", hardware = "h200_sxm", backend = "vllm", traffic = "concurrency" } = choices;
  const [id, parallelism] = MODELS[model] ?? [model, {}];
  const worker = (more: Fields = {}): Fields => ({
    ...choices.worker,
    ...more,
    parallelism: { ...parallelism, ...choices.parallelism, ...more.parallelism as Fields },
  });
  const workers = choices.split === undefined
    ? { aggregated: worker() }
    : { prefill: worker(choices.split.prefill), decode: worker(choices.split.decode) };
  return {
    traffic: typeof traffic === "string" ? TRAFFIC[traffic] : traffic,
    engine: {
      mode: choices.split === undefined ? "aggregated" : "disaggregated",
      model: id,
      hardware,
      backend,
      ...choices.engine,
      workers,
    },
    ...choices.rest,
  };
}

/** Every case, in a fixed order. */
export function* cases(): Generator<Case> {
  yield* families();
  yield* planners();
  yield* topologies();
  yield* engines();
  yield* speculations();
  yield* routers();
  yield* mistakes();
}

/** Models on all backends and GPUs, in both stacks. */
function* families(): Generator<Case> {
  const loads = Object.keys(TRAFFIC).filter((name) => name !== "gap" && name !== "chat400");
  let turn = 0;
  for (const model of Object.keys(MODELS)) {
    for (const backend of BACKENDS) {
      for (const hardware of GPUS) {
        const traffic = loads[turn++ % loads.length];
        const name = `family-${model}-${backend}-${hardware.split("_")[0]}-${traffic}`;
        const config = document({ model, backend, hardware, traffic });
        if (turn % 3 === 0) {
          yield { name: `${name}-engine`, args: [], config };
        } else {
          yield { name, args: dynamo, config };
        }
      }
    }
  }
}

/** Every target, with and without prefill and decode apart. */
function* planners(): Generator<Case> {
  const sla = { evaluation: { sla: { ttft_ms: 300, itl_ms: 16 } } };
  const targets: [name: string, planner: Fields, rest: Fields][] = [
    ["throughput", { target: "throughput" }, {}],
    ["latency", { target: "latency" }, {}],
    ["load", { target: "load" }, {}],
    ["sla", { target: "sla", throughput_adjustment_interval_seconds: 30 }, sla],
    ["sla-load", { target: "sla", enable_load_scaling: true, enable_throughput_scaling: false }, sla],
    [
      "sla-both",
      {
        target: "sla",
        enable_load_scaling: true,
        throughput_adjustment_interval_seconds: 20,
        load_predictor: "constant",
      },
      sla,
    ],
  ];
  for (const [target, planner, rest] of targets) {
    for (const backend of BACKENDS) {
      for (const traffic of ["chat400", "gap"]) {
        const section = { policy: "enabled", max_num_gpus: 8, ...planner };
        const startup = traffic === "gap" ? 0 : 12;
        yield {
          name: `planner-${target}-${backend}-${traffic}`,
          args: dynamo,
          config: document({
            model: "qwen32",
            backend,
            traffic,
            worker: { startup_seconds: startup },
            rest: { ...rest, planner: section },
          }),
        };
        if (backend === "trtllm" && traffic === "gap") continue;
        yield {
          name: `planner-${target}-${backend}-${traffic}-split`,
          args: dynamo,
          config: document({
            model: "qwen8",
            backend,
            traffic,
            worker: { startup_seconds: startup },
            split: { prefill: {}, decode: {} },
            rest: { ...rest, planner: section },
          }),
        };
      }
    }
  }
  const fields: [string, Fields][] = [
    ["min", { target: "throughput", min_workers: 2, min_num_gpus: 2 }],
    ["sensitive", { target: "load", load_scaling_down_sensitivity: 100, load_adjustment_interval_seconds: 3 }],
    ["tight", { target: "latency", max_num_gpus: 2 }],
    ["zero-min", { target: "throughput", min_workers: 0 }],
    ["cold-kalman", { target: "sla", load_predictor: "kalman", throughput_adjustment_interval_seconds: 20 }],
    [
      "log1p",
      {
        target: "sla",
        load_predictor_log1p: true,
        load_predictor: "constant",
        throughput_adjustment_interval_seconds: 15,
      },
    ],
    ["unlimited", { target: "latency", max_num_gpus: -1 }],
  ];
  for (const [name, planner] of fields) {
    yield {
      name: `planner-field-${name}`,
      args: dynamo,
      config: document({ traffic: "gap", rest: { ...sla, planner: { policy: "enabled", ...planner } } }),
    };
  }
}

/** Prefill and decode apart, with and without a link between them. */
function* topologies(): Generator<Case> {
  const links: [string, Fields | undefined][] = [
    ["none", undefined],
    ["empty", {}],
    ["slow", { bandwidth_gb_per_second: 2 }],
    ["full", { bandwidth_gb_per_second: 4, timing_mode: "full_prompt", bytes_per_token: 200_000 }],
  ];
  for (const backend of BACKENDS) {
    for (const [link, kv_transfer] of links) {
      for (const args of [dynamo, []]) {
        yield {
          name: `split-${backend}-${link}${args.length === 0 ? "-engine" : ""}`,
          args,
          config: document({
            model: "qwen8",
            backend,
            traffic: "chat",
            engine: kv_transfer === undefined ? {} : { kv_transfer },
            split: { prefill: {}, decode: { parallelism: { replicas: 2 } } },
          }),
        };
      }
    }
  }
  yield {
    name: "split-mla-dp",
    args: [],
    config: document({
      model: "deepseek",
      hardware: "b200_sxm",
      backend: "sglang",
      traffic: "chat",
      engine: { kv_transfer: { bandwidth_gb_per_second: 50 } },
      split: { prefill: {}, decode: { parallelism: { tensor: 1, attention_data: 8, moe_expert: 8 } } },
    }),
  };
  yield {
    name: "split-other-hardware",
    args: [],
    config: document({ model: "qwen8", traffic: "chat", split: { prefill: { hardware: "b200_sxm" }, decode: {} } }),
  };
}

/** Options of engines and loads, in both stacks. */
function* engines(): Generator<Case> {
  const fixed = { type: "fixed", prefill_ms: 12, decode_ms: 3 };
  const options: [string, Choices][] = [
    ["polynomial", { worker: { timing: { type: "polynomial" } }, traffic: "chat" }],
    ["fixed", { worker: { timing: fixed }, traffic: "chat" }],
    ["fixed-zero", { worker: { timing: { type: "fixed", prefill_ms: 0, decode_ms: 0 } } }],
    ["block-16", { worker: { kv_cache: { block_size: 16 } }, traffic: "chat" }],
    ["no-prefix", { worker: { kv_cache: { prefix_caching: false } }, traffic: "chat" }],
    ["no-chunks", { engine: { enable_chunked_prefill: false }, traffic: "long" }],
    ["small-batches", { worker: { scheduler: { max_batched_tokens: 1024, max_sequences: 4 } }, traffic: "long" }],
    ["few-blocks", { worker: { kv_cache: { capacity: { type: "fixed", blocks: 40 } } }, traffic: "chat" }],
    [
      "bytes",
      {
        worker: { kv_cache: { block_size: 32, bytes_per_token: 131072, capacity: { type: "fixed", bytes: 8e9 } } },
        traffic: "chat",
      },
    ],
    ["fraction", { worker: { kv_cache: { capacity: { type: "default", memory_fraction: 0.7 } } } }],
    [
      "graphs",
      { worker: { kv_cache: { capacity: { type: "default", cuda_graph_reserved_bytes: 5_000_000_000 } } } },
    ],
    ["context", { engine: { context_length: 1500 }, traffic: "chat" }],
    ["role-context", { worker: { context_length: 2000 }, traffic: "chat" }],
    ["replicas", { parallelism: { replicas: 3 }, traffic: "chat" }],
    ["attention-data", { parallelism: { attention_data: 2, tensor: 1 }, traffic: "chat" }],
    ["pipeline", { parallelism: { pipeline: 2 } }],
    ["prefill-interval", { worker: { scheduler: { prefill_schedule_interval: 4 } }, traffic: "chat" }],
    ["quant", { engine: { gemm_quant_mode: "fp8", kvcache_quant_mode: "fp8" } }],
    ["hybrid", { engine: { database_mode: "HYBRID" } }],
    ["version", { engine: { backend_version: "0.24.0" } }],
    [
      "cutoff",
      { traffic: { ...TRAFFIC.chat, stop: { max_virtual_time_seconds: 20 } } },
    ],
    [
      "cutoff-nothing",
      { traffic: { ...TRAFFIC.chat, stop: { max_virtual_time_seconds: 0.001 } } },
    ],
    [
      "cached-prefix",
      {
        traffic: {
          ...TRAFFIC.concurrency,
          source: { type: "synthetic", input_tokens: 700, output_tokens: 40, cached_prefix_tokens: 512 },
        },
      },
    ],
    ["sla", { traffic: "chat", rest: { evaluation: { sla: { ttft_ms: 100, itl_ms: 14 } } } }],
    ["sla-e2e", { traffic: "chat", rest: { evaluation: { sla: { e2e_ms: 4000 } } } }],
    ["sla-ttft", { traffic: "chat", rest: { evaluation: { sla: { ttft_ms: 100 } } } }],
    ["prompt-too-long", { worker: { kv_cache: { capacity: { type: "fixed", blocks: 4 } } }, traffic: "long" }],
    ["sglang-interval", { backend: "sglang", worker: { scheduler: { prefill_decode_interval: 3 } }, traffic: "chat" }],
    ["sglang-page", { backend: "sglang", worker: { kv_cache: { block_size: 16 } }, traffic: "chat" }],
    [
      "sglang-few",
      { backend: "sglang", worker: { kv_cache: { capacity: { type: "fixed", blocks: 3500 } } }, traffic: "chat" },
    ],
    ["sglang-no-prefix", { backend: "sglang", worker: { kv_cache: { prefix_caching: false } }, traffic: "chat" }],
    [
      "trtllm-few",
      { backend: "trtllm", worker: { kv_cache: { capacity: { type: "fixed", blocks: 90 } } }, traffic: "chat" },
    ],
    ["trtllm-block", { backend: "trtllm", worker: { kv_cache: { block_size: 64 } }, traffic: "sessions" }],
  ];
  for (const [name, choices] of options) {
    yield { name: `engine-${name}`, args: dynamo, config: document(choices) };
    yield { name: `engine-${name}-engine`, args: [], config: document(choices) };
  }
}

/** Multi-token prediction and drafts from the prompt; the engine stack alone has them. */
function* speculations(): Generator<Case> {
  for (const backend of BACKENDS) {
    for (const [nextn, nextn_accepted] of [[1, 0.7], [2, 1.2], [3, 3], [2, 0]]) {
      yield {
        name: `mtp-${backend}-${nextn}-${String(nextn_accepted).replace(".", "_")}`,
        args: [],
        config: document({
          model: "deepseek",
          backend,
          traffic: nextn === 1 ? "chat" : "concurrency",
          engine: { nextn, nextn_accepted },
        }),
      };
    }
  }
  yield {
    name: "mtp-split",
    args: [],
    config: document({
      model: "deepseek",
      traffic: "chat",
      engine: { nextn: 2, nextn_accepted: 1.5 },
      split: { prefill: {}, decode: {} },
    }),
  };
  yield {
    name: "mtp-dynamo",
    args: dynamo,
    config: document({ model: "deepseek", engine: { nextn: 1, nextn_accepted: 1 } }),
  };
  yield { name: "mtp-no-rate", args: [], config: document({ model: "deepseek", engine: { nextn: 1 } }) };
  yield {
    name: "mtp-rate-too-high",
    args: [],
    config: document({ model: "deepseek", engine: { nextn: 1, nextn_accepted: 2 } }),
  };
}

/** The routers; ties of the kv_router are broken at random by the reference. */
function* routers(): Generator<Case> {
  const router = { policy: "kv_router", overlap_score_credit: 1, temperature: 0 };
  for (const backend of BACKENDS) {
    yield {
      name: `router-kv-${backend}`,
      args: dynamo,
      random: true,
      config: document({ backend, traffic: "chat", parallelism: { replicas: 2 }, rest: { router } }),
    };
    yield {
      name: `router-round-${backend}`,
      args: dynamo,
      config: document({
        backend,
        traffic: "chat",
        parallelism: { replicas: 2 },
        rest: { router: { policy: "round_robin" } },
      }),
    };
  }
}

/** Documents that cannot be run. */
function* mistakes(): Generator<Case> {
  const base = document({});
  const engine = base.engine as Fields;
  const wrong: [string, string[], Fields][] = [
    ["planner-on-engine", [], { ...base, planner: { policy: "enabled" } }],
    ["router-on-engine", [], { ...base, router: { policy: "round_robin" } }],
    ["unknown-section", dynamo, { ...base, output: {} }],
    ["unknown-hardware", dynamo, { ...base, engine: { ...engine, hardware: "h2000_sxm" } }],
    ["unknown-model", dynamo, { ...base, engine: { ...engine, model: "no/such-model" } }],
    ["unknown-backend", dynamo, { ...base, engine: { ...engine, backend: "tgi" } }],
    ["unknown-version", dynamo, { ...base, engine: { ...engine, backend_version: "0.0.1" } }],
    ["widths", dynamo, document({ model: "qwen30moe", parallelism: { tensor: 2, moe_expert: 1, moe_tensor: 1 } })],
    ["no-room", dynamo, document({ model: "deepseek", parallelism: { tensor: 1, moe_expert: 1 } })],
    ["missing-trace", dynamo, {
      ...base,
      traffic: { source: { type: "trace", paths: ["nowhere.jsonl"] }, load: { type: "trace_timestamps" } },
    }],
    ["bad-trace", dynamo, {
      ...base,
      traffic: { source: { type: "trace", paths: [`${TRACES}/bad.jsonl`] }, load: { type: "trace_timestamps" } },
    }],
    ["no-timestamps", dynamo, {
      ...base,
      traffic: { source: { type: "trace", paths: [`${TRACES}/nots.jsonl`] }, load: { type: "trace_timestamps" } },
    }],
    ["negative-budget", dynamo, { ...base, planner: { policy: "enabled", max_num_gpus: -2 } }],
    ["bucket-size", dynamo, { ...base, planner: { policy: "enabled", fpm_sample_bucket_size: 15 } }],
    ["kalman-negative", dynamo, {
      ...base,
      planner: { policy: "enabled", target: "sla", kalman_r: -1 },
      evaluation: { sla: { ttft_ms: 1, itl_ms: 1 } },
    }],
    ["sla-without-bounds", dynamo, { ...base, planner: { policy: "enabled", target: "sla" } }],
    ["planner-e2e", dynamo, {
      ...base,
      planner: { policy: "enabled", target: "sla" },
      evaluation: { sla: { e2e_ms: 900 } },
    }],
    ["both-loops-off", dynamo, {
      ...base,
      planner: { policy: "enabled", target: "sla", enable_load_scaling: false, enable_throughput_scaling: false },
      evaluation: { sla: { ttft_ms: 1, itl_ms: 1 } },
    }],
    ["negative-sla", dynamo, { ...base, evaluation: { sla: { ttft_ms: -1, itl_ms: 10 } } }],
    ["sla-mixed", dynamo, { ...base, evaluation: { sla: { ttft_ms: 1, itl_ms: 10, e2e_ms: 5 } } }],
    ["no-stop", dynamo, { ...base, traffic: { source: { type: "synthetic" }, load: { type: "concurrency" } } }],
    ["role-minimum", dynamo, { ...base, planner: { policy: "enabled", decode_min_workers: 1 } }],
    ["unknown-key", dynamo, { ...base, planner: { policy: "enabled", foo: 1 } }],
    ["unknown-stack", ["--stack", "other"], base],
    ["online", [...dynamo, "--online"], base],
    ["fixed-without-values", dynamo, document({ worker: { timing: { type: "fixed" } } })],
    ["prefix-too-long", [], {
      ...base,
      traffic: { ...TRAFFIC.concurrency, source: { type: "synthetic", input_tokens: 10, cached_prefix_tokens: 20 } },
    }],
    ["transfer-aggregated", dynamo, document({ engine: { kv_transfer: {} } })],
  ];
  for (const [name, args, config] of wrong) yield { name: `mistake-${name}`, args, config };
}
