/** Documents that whole predictions are compared on, made of a few choices. */

/** One prediction: the document and the arguments both commands get. */
export interface Case {
  name: string;
  args: string[];
  config: Record<string, unknown>;
  /** The reference breaks ties at random here: only counts can be equal. */
  random?: boolean;
}

/** A section, or a part of one. */
export type Fields = Record<string, unknown>;

/** Engines there are. */
export const BACKENDS = ["vllm", "sglang", "trtllm"] as const;
/** The GPUs that are compared. */
export const GPUS = ["h200_sxm", "h100_sxm", "b200_sxm"] as const;
/** Folder of the traces. */
export const TRACES = "fixtures/goldens/e2e/traces";

/** A model and the parallelism it fits in on all three GPUs. */
export const MODELS: Record<string, [model: string, parallelism: Fields]> = {
  qwen8: ["Qwen/Qwen3-8B", { tensor: 1 }],
  qwen32: ["Qwen/Qwen3-32B", { tensor: 2 }],
  qwen32fp8: ["Qwen/Qwen3-32B-FP8", { tensor: 2 }],
  llama70: ["meta-llama/Meta-Llama-3.1-70B", { tensor: 4 }],
  qwen30moe: ["Qwen/Qwen3-30B-A3B", { tensor: 2, moe_expert: 2 }],
  qwen235fp8: ["Qwen/Qwen3-235B-A22B-FP8", { tensor: 8, moe_expert: 8 }],
  deepseek: ["deepseek-ai/DeepSeek-V3", { tensor: 8, moe_expert: 8 }],
  gptoss: ["openai/gpt-oss-120b", { tensor: 2, moe_tensor: 2 }],
};

/** Loads by name. */
export const TRAFFIC: Record<string, Fields> = {
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

/** Arguments of the Dynamo stack. */
export const dynamo = ["--stack", "dynamo"];

/** What a document chooses; all else is the same in all of them. */
export interface Choices {
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

/** A prediction. */
export function document(choices: Choices): Record<string, unknown> {
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
