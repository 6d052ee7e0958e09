/** Comparisons of topologies, of options of engines and loads, and of speculative decoding. */
import { BACKENDS, type Case, type Choices, document, dynamo, type Fields, TRAFFIC } from "./case_documents.ts";

/** Prefill and decode apart, with and without a link between them. */
export function* topologies(): Generator<Case> {
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
export function* engines(): Generator<Case> {
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
export function* speculations(): Generator<Case> {
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
