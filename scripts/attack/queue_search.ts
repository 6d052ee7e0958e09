/** The search whose jobs the attacks send through a queue. */

/** What differs between them: the trace, and how much there is to choose from. */
export interface QueueSearch {
  paths: string[];
  speedups: number[];
  replicas: number[];
  batchedTokens: number[];
  sequences: number[];
  gpus: number;
}

/** The search as a document. */
export const queueSearch = ({ paths, speedups, replicas, batchedTokens, sequences, gpus }: QueueSearch): string =>
  JSON.stringify({
    traffic: {
      source: { type: "trace", paths, format: "mooncake" },
      load: { type: "trace_timestamps", speedup: { choices: speedups } },
    },
    engine: {
      mode: "aggregated",
      model: "Qwen/Qwen3-32B",
      hardware: "h200_sxm",
      backend: "vllm",
      context_length: 16384,
      workers: {
        aggregated: {
          parallelism: { preset: false, tensor: { choices: [1, 2] }, replicas: { choices: replicas } },
          scheduler: { max_batched_tokens: { choices: batchedTokens }, max_sequences: { choices: sequences } },
          kv_cache: { block_size: 64, capacity: { type: "fixed", blocks: 3000 } },
          timing: { type: "polynomial" },
        },
      },
    },
    evaluation: { sla: { ttft_ms: 1500, itl_ms: 50 } },
    optimization: { target: "goodput_per_gpu", constraints: { max_candidate_gpus: gpus } },
  });
