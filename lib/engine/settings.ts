/**
 * What one engine worker is made of, after validation: the normal form of a launch mapping (see `launch.ts`).
 * Limits that are off are `Infinity`.
 *
 * @module
 */

/** Names of the engine families a rank can imitate; `make_rank.ts` makes their ranks. */
export const BACKENDS = ["vllm", "sglang", "trtllm"] as const;

/** An engine family a rank can imitate. */
export type Backend = typeof BACKENDS[number];

/** Tokens in a KV block (SGLang: page) unless something else is asked for. */
export const BLOCK_TOKENS: Readonly<Record<Backend, number>> = { vllm: 64, sglang: 1, trtllm: 32 };

/** What a worker is for: everything, prompts only, or tokens only. */
export type Role = "aggregated" | "prefill" | "decode";

/** Descriptor of a timing model; `default` is the operator database, built from the model's facts elsewhere. */
export type TimingSettings =
  | { type: "polynomial" }
  | { type: "fixed"; prefillMs: number; decodeMs: number }
  | { type: "external"; provider: string; config: unknown };

/** SGLang's own scheduler settings. */
export interface SglangSettings {
  /** Order of the waiting queue: arrival, or longest cached prefix first. */
  schedulePolicy: "fifo" | "lpm";
  /** Prompt tokens of one request in a pass. */
  chunkedPrefillTokens: number;
  /** Prompt tokens of a pass. */
  maxPrefillTokens: number;
  /** Most output tokens room is kept for at admission. */
  clipMaxNewTokens: number;
  /** How much of the output is assumed at admission. */
  scheduleConservativeness: number;
}

/** One rank: scheduler, KV pool and timing. */
export interface RankSettings {
  /** Engine family. */
  backend: Backend;
  /** What it is for. */
  role: Role;
  /** Tokens in a KV block (SGLang: page). */
  blockTokens: number;
  /** KV blocks of one rank. */
  blocks: number;
  /** Longest sequence, `Infinity` when unlimited. */
  maxModelTokens: number;
  /** Sequences that may run at once, `Infinity` when unlimited. */
  maxSequences: number;
  /** Token budget of a pass, `Infinity` when unlimited. */
  maxBatchedTokens: number;
  /** vLLM with attention data parallelism: passes between prefills. */
  prefillScheduleInterval: number;
  /** SGLang: decode passes between prefills. */
  prefillDecodeInterval: number;
  /** Blocks are shared between requests. */
  prefixCaching: boolean;
  /** Prompts may be computed in pieces. */
  chunkedPrefill: boolean;
  /** Divides prefill and decode durations; 0 leaves them unscaled. */
  speedup: number;
  /** Divides decode durations once more. */
  decodeSpeedup: number;
  /** Who gives way: the youngest or the oldest request. */
  preemption: "lifo" | "fifo";
  /** Multi-token prediction: conditional acceptance rate of each drafted token; null when off. */
  acceptRates: readonly number[] | null;
  /** Of the draws of acceptance. */
  mtpSeed: bigint;
  /** How passes are timed. */
  timing: TimingSettings;
  /** What only SGLang knows. */
  sglang: SglangSettings;
  /** Seconds-free KV transfer model of the prefill role; null fields mean no delay. */
  transferBytesPerToken: number | null;
  /** Decimal. */
  transferGigabytesPerSecond: number | null;
  /** Whether all of a prompt or only what is missing moves. */
  transferTiming: "full_prompt" | "destination_missing";
}

/** One logical worker: its ranks and what it costs. */
export interface WorkerSettings {
  /** Settings of each rank. */
  rank: RankSettings;
  /** Attention data-parallel ranks. */
  dpSize: number;
  /** Tensor-parallel GPUs of a rank. */
  tensorParallel: number;
  /** Delay of workers added by scaling; 0 means ready at once. */
  startupMs: number;
  /** Whether the block count was written by the user (as opposed to a default). */
  blocksExplicit: boolean;
  /** Fraction of GPU memory for weights and KV cache, asked for by an estimator of the block count; null: its default. */
  memoryFraction: number | null;
  /** Taken off the KV budget by that estimator. */
  cudaGraphReservedBytes: number;
}
