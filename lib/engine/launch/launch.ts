/**
 * Reads a launch mapping, the object that describes one engine worker in the programmatic API
 * (`{engine: {backend, block_size, …}, dp_size, tensor_parallel_size, startup_time, …}`), into {@link WorkerSettings}.
 *
 * Two steps, as the reference takes them: the shape of every field in the order written, then the rules between values
 * in a fixed order. The first failure ends the reading; its text is the reference's.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../../errors.ts";
import type { Fields } from "./fields.ts";
import { checkRank, checkTiming, checkWorker, MEMORY_FRACTION } from "./rules.ts";
import { readLaunchShape } from "./schema.ts";
import {
  type Backend,
  BLOCK_TOKENS,
  type RankSettings,
  type Role,
  type SglangSettings,
  type TimingSettings,
  type WorkerSettings,
} from "../settings.ts";

/** Options of {@link parseLaunch}. */
export interface ParseLaunchOptions {
  /** Called for each field that is valid but changes nothing for this backend. */
  onIgnored?: (path: string, reason: string) => void;
}

/**
 * Reads a launch mapping.
 *
 * @param mapping snake_case object; `undefined` or `null` stands for all defaults (one vLLM rank, 16,384 blocks of 64)
 * @returns the settings of one worker; limits that are off are `Infinity`
 * @throws {ConfigError} with the reference's text for the first thing that is wrong
 *
 * @example
 * ```ts
 * import { parseLaunch } from "dynosim";
 *
 * const worker = parseLaunch({ engine: { num_gpu_blocks: 1024, max_num_seqs: null }, startup_time: 30 });
 * console.log(worker.rank.blocks, worker.rank.maxSequences, worker.startupMs); // 1024 Infinity 30000
 * ```
 */
export function parseLaunch(mapping?: unknown, options: ParseLaunchOptions = {}): WorkerSettings {
  checkOptions("parseLaunch()", options, { onIgnored: true } satisfies OptionNames<ParseLaunchOptions>);
  const launch = readLaunchShape(mapping ?? {});
  const engine = (launch.engine ?? {}) as Fields;
  const backend = (engine.backend ?? "vllm") as Backend;
  const blockTokens = (engine.block_size ?? BLOCK_TOKENS[backend]) as number;
  const timing = (engine.timing_model ?? { type: "polynomial" }) as TimingSettings;
  const rank: RankSettings = {
    backend,
    role: (engine.worker_type ?? "aggregated") as Role,
    blockTokens,
    blocks: (engine.num_gpu_blocks ?? 16384) as number,
    maxModelTokens: limit(engine.max_model_len, Infinity),
    maxSequences: limit(engine.max_num_seqs, 256),
    maxBatchedTokens: limit(engine.max_num_batched_tokens, 8192),
    prefillScheduleInterval: (engine.prefill_schedule_interval ?? 1) as number,
    prefillDecodeInterval: (engine.prefill_decode_interval ?? 0) as number,
    prefixCaching: (engine.enable_prefix_caching ?? true) as boolean,
    chunkedPrefill: (engine.enable_chunked_prefill ?? true) as boolean,
    speedup: (engine.speedup_ratio ?? 1) as number,
    decodeSpeedup: (engine.decode_speedup_ratio ?? 1) as number,
    preemption: (engine.preemption_mode ?? "lifo") as "lifo" | "fifo",
    acceptRates: null,
    mtpSeed: BigInt((engine.aic_mtp_seed ?? 42) as number | bigint),
    timing,
    sglang: sglangSettings((engine.sglang ?? {}) as Fields),
    transferBytesPerToken: (engine.kv_transfer_bytes_per_token ?? null) as number | null,
    transferGigabytesPerSecond: (engine.kv_transfer_bandwidth ?? null) as number | null,
    transferTiming: (engine.kv_transfer_timing_mode ?? "full_prompt") as RankSettings["transferTiming"],
  };
  checkRank(rank, engine);
  checkTiming(timing);

  const performance: Record<string, unknown> = timing.type === "external" ? Object(timing.config) : {};
  const worker: WorkerSettings = {
    rank,
    dpSize: (launch.dp_size ?? performance.attention_dp ?? performance.attention_dp_size ?? 1) as number,
    tensorParallel: (launch.tensor_parallel_size ?? performance.tp ?? performance.tp_size ?? 1) as number,
    startupMs: ((launch.startup_time ?? 0) as number) * 1000,
    blocksExplicit: (launch.num_gpu_blocks_is_explicit ?? engine.num_gpu_blocks !== undefined) as boolean,
    memoryFraction: (launch[MEMORY_FRACTION[backend]] ?? null) as number | null,
    cudaGraphReservedBytes: (launch.cuda_graph_reserved_bytes ?? 0) as number,
  };
  checkWorker(worker, launch);
  if (options.onIgnored) reportIgnored(launch, engine, worker, options.onIgnored);
  return worker;
}

/** Absent takes the default, null is no limit. */
const limit = (value: unknown, absent: number) => value === undefined ? absent : (value ?? Infinity) as number;

function sglangSettings(fields: Fields): SglangSettings {
  return {
    schedulePolicy: (fields.schedule_policy ?? "fifo") as "fifo" | "lpm",
    maxPrefillTokens: (fields.max_prefill_tokens ?? 16384) as number,
    chunkedPrefillTokens: (fields.chunked_prefill_size ?? 8192) as number,
    clipMaxNewTokens: (fields.clip_max_new_tokens ?? 4096) as number,
    scheduleConservativeness: (fields.schedule_conservativeness ?? 1) as number,
  };
}

function reportIgnored(
  launch: Fields,
  engine: Fields,
  worker: WorkerSettings,
  onIgnored: (path: string, reason: string) => void,
): void {
  const { backend, timing } = worker.rank;
  // One of the runtime's options concerns the replay too: the order of the router's queue.
  if (launch.dynamo != null && Object.keys(launch.dynamo).join() !== "router_queue_policy") {
    onIgnored("dynamo", "a replay starts no runtime");
  }
  for (const section of ["sglang", "trtllm"]) {
    if (engine[section] !== undefined && section !== backend) onIgnored(`engine.${section}`, `backend is ${backend}`);
  }
  if (backend === "sglang" && engine.max_num_batched_tokens !== undefined) {
    onIgnored("engine.max_num_batched_tokens", "backend sglang is limited by sglang.max_prefill_tokens");
  }
  if (backend !== "vllm" && engine.preemption_mode !== undefined) {
    onIgnored("engine.preemption_mode", `backend is ${backend}`);
  }
  const estimated = timing.type === "external" && !worker.blocksExplicit;
  for (const name of [...Object.values(MEMORY_FRACTION), "cuda_graph_reserved_bytes"]) {
    if (launch[name] == null) continue;
    if (!estimated) onIgnored(name, "the block count is not estimated");
    else if (name.includes("fraction") || name.includes("utilization")) {
      if (name !== MEMORY_FRACTION[backend]) onIgnored(name, `backend is ${backend}`);
    }
  }
}
