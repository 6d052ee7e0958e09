/**
 * Engines for people who write scripts: camelCase options with units, made into the launch mapping that all entries
 * share, so that a mistake here is the same error as in a file.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../../errors.ts";
import type { Backend, Role } from "../settings.ts";

/** What can be said about one rank and its worker; everything has the engine's default. */
export interface EngineChoices {
  /** KV blocks of one rank. Default 16384. */
  blocks?: number;
  /** Tokens in a KV block. Default 64 (vLLM), 32 (TensorRT-LLM), 1 (SGLang). */
  blockTokens?: number;
  /** Longest sequence. Default unlimited. */
  maxModelTokens?: number;
  /** Sequences that run at once; null for no limit. Default 256. */
  maxSequences?: number | null;
  /** Token budget of a pass; null for no limit. Default 8192. */
  maxBatchedTokens?: number | null;
  /** Default true. */
  prefixCaching?: boolean;
  /** Default true. */
  chunkedPrefill?: boolean;
  /** Who gives way when blocks run out (vLLM). Default `lifo`. */
  preemption?: "lifo" | "fifo";
  /** Runs all passes this many times as fast. Default 1. */
  speedup?: number;
  /** Runs decode steps this many times as fast again. Default 1. */
  decodeSpeedup?: number;
  /** Attention data-parallel ranks of a worker. Default 1. */
  attentionData?: number;
  /** Tensor-parallel GPUs of a rank. Default 1. */
  tensor?: number;
  /** Drafted tokens per pass (multi-token prediction), with the chance that each is accepted. Default none. */
  speculation?: { depth: number; acceptRates?: readonly number[]; seed?: number };
  /** KV transfer to a decode worker; without it transfers take no time. */
  transfer?: { bytesPerToken: number; gigabytesPerSecond: number; timing?: "full_prompt" | "destination_missing" };
  /** SGLang: `fifo` or `lpm` (longest prefix first). Default `fifo`. */
  schedulePolicy?: "fifo" | "lpm";
  /** SGLang: prompt tokens of one request in a pass. Default 8192. */
  chunkedPrefillTokens?: number;
  /** SGLang: prompt tokens of a pass. Default 16384. */
  maxPrefillTokens?: number;
}

/** An engine that is chosen but not started: the launch mapping without role, start-up and timing. */
export interface EngineLaunch {
  /** Name of the engine. */
  readonly backend: Backend;
  /** The launch mapping, in the reference's names. */
  readonly mapping: Readonly<Record<string, unknown>>;
}

/** The launch mapping of an engine for a role. */
export function launchMapping(
  { mapping }: EngineLaunch,
  { role = "aggregated", startupSeconds }: { role?: Role; startupSeconds?: number } = {},
): Record<string, unknown> {
  return {
    ...mapping,
    engine: { ...mapping.engine as Record<string, unknown>, worker_type: role },
    ...(startupSeconds === undefined ? {} : { startup_time: startupSeconds }),
  };
}

/**
 * A vLLM engine.
 *
 * @example
 * ```ts
 * import { vllm } from "dynosim";
 *
 * console.log(vllm({ blocks: 4096, tensor: 2 }).backend); // "vllm"
 * ```
 */
export function vllm(choices: EngineChoices = {}): EngineLaunch {
  return chosen("vllm", choices);
}

/**
 * An SGLang engine.
 *
 * @example
 * ```ts
 * import { sglang } from "dynosim";
 *
 * console.log(sglang({ schedulePolicy: "lpm" }).backend); // "sglang"
 * ```
 */
export function sglang(choices: EngineChoices = {}): EngineLaunch {
  return chosen("sglang", choices);
}

/**
 * A TensorRT-LLM engine.
 *
 * @example
 * ```ts
 * import { trtllm } from "dynosim";
 *
 * console.log(trtllm({ maxSequences: 64 }).backend); // "trtllm"
 * ```
 */
export function trtllm(choices: EngineChoices = {}): EngineLaunch {
  return chosen("trtllm", choices);
}

const CHOICES: OptionNames<EngineChoices> = {
  blocks: true,
  blockTokens: true,
  maxModelTokens: true,
  maxSequences: true,
  maxBatchedTokens: true,
  prefixCaching: true,
  chunkedPrefill: true,
  preemption: true,
  speedup: true,
  decodeSpeedup: true,
  attentionData: true,
  tensor: true,
  speculation: true,
  transfer: true,
  schedulePolicy: true,
  chunkedPrefillTokens: true,
  maxPrefillTokens: true,
};
const SPECULATION: OptionNames<NonNullable<EngineChoices["speculation"]>> = {
  depth: true,
  acceptRates: true,
  seed: true,
};
const TRANSFER: OptionNames<NonNullable<EngineChoices["transfer"]>> = {
  bytesPerToken: true,
  gigabytesPerSecond: true,
  timing: true,
};

function chosen(backend: Backend, choices: EngineChoices): EngineLaunch {
  checkOptions(`${backend}()`, choices, CHOICES);
  const { speculation, transfer } = choices;
  if (speculation) checkOptions(`${backend}(): speculation`, speculation, SPECULATION);
  if (transfer) checkOptions(`${backend}(): transfer`, transfer, TRANSFER);
  const engine = given({
    backend,
    num_gpu_blocks: choices.blocks,
    block_size: choices.blockTokens,
    max_model_len: choices.maxModelTokens,
    max_num_seqs: choices.maxSequences,
    max_num_batched_tokens: choices.maxBatchedTokens,
    enable_prefix_caching: choices.prefixCaching,
    enable_chunked_prefill: choices.chunkedPrefill,
    preemption_mode: choices.preemption,
    speedup_ratio: choices.speedup,
    decode_speedup_ratio: choices.decodeSpeedup,
    aic_nextn: speculation?.depth,
    aic_nextn_accept_rates: speculation?.acceptRates?.join(","),
    aic_mtp_seed: speculation?.seed,
    kv_transfer_bytes_per_token: transfer?.bytesPerToken,
    kv_transfer_bandwidth: transfer?.gigabytesPerSecond,
    kv_transfer_timing_mode: transfer?.timing,
  });
  const own = given({
    schedule_policy: choices.schedulePolicy,
    chunked_prefill_size: choices.chunkedPrefillTokens,
    max_prefill_tokens: choices.maxPrefillTokens,
  });
  if (Object.keys(own).length > 0) engine.sglang = own;
  return {
    backend,
    mapping: given({ engine, dp_size: choices.attentionData, tensor_parallel_size: choices.tensor }),
  };
}

function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
