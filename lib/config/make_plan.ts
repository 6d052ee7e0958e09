/**
 * From validated sections to a plan, and from a role's plan to the settings of its workers.
 *
 * @module
 */
import { parseLaunch } from "../engine/launch/launch.ts";
import type { WorkerSettings } from "../engine/settings.ts";
import { roundHalfEven } from "../arithmetic/rounding.ts";
import type { EngineSection } from "./engine_section.ts";
import { rolesOf } from "./engine_section.ts";
import type { EvaluationSection } from "./evaluation_section.ts";
import type {
  CapacityPlan,
  EstimatorConfig,
  LoadPlan,
  PricePlan,
  RolePlan,
  RouterPlan,
  SlaPlan,
  TrafficPlan,
} from "./plan.ts";
import type { RouterSection } from "./router_section.ts";
import type { TrafficSection } from "./traffic_section.ts";
import type { RoleName, WorkerSection } from "./worker_section.ts";

const DEFAULT_SEED = 42;
const DEFAULT_BLOCK = { vllm: 64, sglang: 1, trtllm: 32 } as const;
const DEFAULT_MEMORY_FRACTION = { vllm: 0.9, sglang: 0.88, trtllm: 0.9 } as const;

/** The load of a run. */
export function trafficPlan({ source, load, stop }: TrafficSection): TrafficPlan {
  const maxVirtualMs = stop?.max_virtual_time_seconds == null ? Infinity : stop.max_virtual_time_seconds * 1000;
  const cutoff = stop?.cutoff ?? "soft";
  if (source.type === "trace") {
    const { paths, format } = source;
    const blockTokens = source.block_size ?? (format === "dynamo" || format === "weka" ? null : 512);
    return { source: { type: "trace", paths, format, blockTokens }, load: loadPlan(load, 0), maxVirtualMs, cutoff };
  }
  const unit = source.type === "synthetic" ? "requests" : "sessions";
  const perSecond = load[`${unit}_per_second`] ?? 0;
  const loadUnit = load.type === "concurrency" ? load.concurrency ?? 10 : perSecond;
  const ratio = stop![`${unit}_per_load_unit`];
  const count = stop![unit] ?? Math.max(1, roundHalfEven(ratio! * loadUnit));
  if (source.type === "synthetic") {
    const { input_tokens, output_tokens } = source;
    return {
      source: {
        type: "synthetic",
        inputTokens: input_tokens,
        outputTokens: output_tokens,
        count,
        ...(source.cached_prefix_tokens > 0 ? { cachedPrefixTokens: source.cached_prefix_tokens } : {}),
      },
      load: loadPlan(load, perSecond),
      maxVirtualMs,
      cutoff,
    };
  }
  const { session } = source;
  return {
    source: {
      type: "synthetic-session",
      inputTokens: source.new_input_tokens_per_turn,
      outputTokens: source.output_tokens_per_turn,
      count,
      turns: session.turns,
      sharedPrefixRatio: session.shared_prefix_ratio,
      prefixGroups: session.prefix_groups,
      interTurnDelayMs: session.inter_turn_delay_ms,
    },
    load: loadPlan(load, perSecond),
    maxVirtualMs,
    cutoff,
  };
}

function loadPlan(load: TrafficSection["load"], perSecond: number): LoadPlan {
  switch (load.type) {
    case "trace_timestamps":
      return { type: "trace_timestamps", speedup: load.speedup ?? 1, agenticLanes: load.agentic_lanes };
    case "concurrency":
      return { type: "concurrency", concurrency: load.concurrency ?? 10 };
    case "constant_rate":
      return { type: "constant_rate", perSecond };
    case "poisson":
      return { type: "poisson", perSecond, seed: load.seed ?? DEFAULT_SEED };
  }
}

/** The roles of a run: aggregated, or prefill and decode. */
export function rolePlans(engine: EngineSection): RolePlan[] {
  return rolesOf(engine).map(([role, worker]) => rolePlan(engine, role, worker));
}

function rolePlan(engine: EngineSection, role: RoleName, worker: WorkerSection): RolePlan {
  const { parallelism, scheduler, kv_cache } = worker;
  const { backend } = engine;
  const blockTokens = kv_cache.block_size ?? DEFAULT_BLOCK[backend];
  const estimator = estimatorConfig(engine, role, worker, blockTokens);
  const contextTokens = worker.context_length ?? engine.context_length;
  const transfer = engine.kv_transfer;
  return {
    role,
    replicas: parallelism.replicas,
    gpusPerWorker: parallelism.tensor * parallelism.pipeline * parallelism.attention_data,
    launch: {
      engine: {
        backend,
        worker_type: role,
        block_size: blockTokens,
        max_num_seqs: scheduler.max_sequences,
        max_num_batched_tokens: scheduler.max_batched_tokens,
        prefill_schedule_interval: scheduler.prefill_schedule_interval,
        prefill_decode_interval: scheduler.prefill_decode_interval,
        enable_prefix_caching: kv_cache.prefix_caching,
        enable_chunked_prefill: engine.enable_chunked_prefill ?? true,
        ...speculation(engine),
        ...(transfer === null ? {} : {
          kv_transfer_bandwidth: transfer.bandwidth_gb_per_second,
          kv_transfer_timing_mode: transfer.timing_mode,
        }),
        timing_model: timingModel(worker.timing, estimator),
      },
      dp_size: parallelism.attention_data,
      tensor_parallel_size: parallelism.tensor,
      startup_time: worker.startup_seconds,
    },
    estimator,
    timing: worker.timing.type,
    passTiming: worker.timing.calibration === null && worker.timing.mixed === null ? null : {
      calibration: worker.timing.calibration,
      forced: worker.timing.calibration_forced,
      mixed: worker.timing.mixed,
    },
    capacity: capacityPlan(engine, kv_cache, blockTokens),
    contextTokens: contextTokens === "max" && backend !== "vllm" ? null : contextTokens,
    transferBytesPerToken: transfer === null || transfer.bandwidth_gb_per_second === null
      ? null
      : transfer.bytes_per_token,
  };
}

function capacityPlan(engine: EngineSection, kvCache: WorkerSection["kv_cache"], blockTokens: number): CapacityPlan {
  const { type, blocks, bytes, memory_fraction, cuda_graph_reserved_bytes } = kvCache.capacity;
  if (type === "fixed") {
    return { type, blocks: blocks ?? Math.floor(bytes! / (blockTokens * (kvCache.bytes_per_token as number))) };
  }
  return {
    type,
    memoryFraction: memory_fraction ?? DEFAULT_MEMORY_FRACTION[engine.backend],
    cudaGraphReservedBytes: cuda_graph_reserved_bytes,
  };
}

function timingModel(timing: WorkerSection["timing"], estimator: EstimatorConfig): Record<string, unknown> {
  switch (timing.type) {
    case "fixed":
      return { type: "fixed", prefill_ms: timing.prefill_ms, decode_ms: timing.decode_ms };
    case "polynomial":
      return { type: "polynomial" };
    case "default":
      return { type: "external", provider: "ais", config: estimator };
  }
}

function estimatorConfig(
  engine: EngineSection,
  role: RoleName,
  { parallelism, hardware, timing }: WorkerSection,
  blockTokens: number,
): EstimatorConfig {
  const { moe_tensor, moe_expert } = parallelism;
  return {
    model: engine.model,
    system: hardware ?? engine.hardware,
    backend: engine.backend,
    backend_version: engine.backend_version,
    worker_type: role,
    tp: parallelism.tensor,
    pp: parallelism.pipeline,
    attention_dp: parallelism.attention_data,
    ...(moe_tensor * moe_expert > 1 ? { moe_tp: moe_tensor, moe_ep: moe_expert } : {}),
    kv_block_size: blockTokens,
    nextn: engine.nextn,
    gemm_quant_mode: timing.gemm_quant_mode ?? engine.gemm_quant_mode,
    moe_quant_mode: timing.moe_quant_mode ?? engine.moe_quant_mode,
    kvcache_quant_mode: timing.kvcache_quant_mode ?? engine.kvcache_quant_mode,
    fmha_quant_mode: timing.fmha_quant_mode ?? engine.fmha_quant_mode,
    comm_quant_mode: timing.comm_quant_mode ?? engine.comm_quant_mode,
    database_mode: timing.database_mode ?? engine.database_mode,
    transfer_policy: timing.transfer_policy ?? engine.transfer_policy,
    ...(engine.data_release === null ? {} : { data_release: engine.data_release }),
  };
}

/** Multi-token prediction: the first of `nextn_accepted` drafts are always accepted, the next with what is left of it. */
function speculation({ nextn, nextn_accepted }: EngineSection): Record<string, unknown> {
  if (nextn === 0) return {};
  return { aic_nextn: nextn, aic_nextn_accept_rates: acceptanceRates(nextn, nextn_accepted!).join(",") };
}

/**
 * Chances of the drafts, each given that those before it were accepted, that make `accepted` drafts on average
 * (aisimulate 0.13): 1 for as many as the number has whole ones, its fraction for one more, then 0.
 */
export function acceptanceRates(depth: number, accepted: number): number[] {
  return Array.from({ length: depth }, (_, draft) => Math.min(Math.max(accepted - draft, 0), 1));
}

/** The router of a run; round robin without a section. */
export function routerPlan(router: RouterSection | null): RouterPlan {
  if (router === null) return { policy: "round_robin" };
  if (router.policy !== "kv_router") return { policy: router.policy };
  return {
    policy: "kv_router",
    overlapScoreCredit: router.overlap_score_credit ?? 1,
    prefillLoadScale: router.prefill_load_scale ?? 1,
    temperature: router.temperature ?? 0,
    ...(router.seed === undefined ? {} : { seed: router.seed }),
    prefillLoadModel: router.prefill_load_model.type === "none" ? "none" : "aic",
    ...(router.policy_file === undefined ? {} : { policyFile: router.policy_file }),
  };
}

/** The bounds of a run. */
export const slaPlan = (sla: EvaluationSection["sla"]): SlaPlan | null =>
  sla === null || (sla.ttft_ms === null && sla.itl_ms === null && sla.e2e_ms === null)
    ? null
    : { ttftMs: sla.ttft_ms, itlMs: sla.itl_ms, e2eMs: sla.e2e_ms };

/** What a GPU costs in a run. */
export const pricePlan = ({ price_per_gpu_hour, currency }: Omit<EvaluationSection, "sla">): PricePlan | null =>
  price_per_gpu_hour === null ? null : { perGpuHour: price_per_gpu_hour, currency };

/** Answers to a role's open questions. */
export interface Resolved {
  /** KV blocks of one rank; needed unless the capacity is fixed. */
  blocks?: number;
  /** Longest sequence of the model; needed when `contextTokens` is `max`. */
  maxModelTokens?: number;
  /** Needed when `transferBytesPerToken` is `auto`. */
  transferBytesPerToken?: number;
}

/**
 * The settings of a role's workers.
 *
 * @param resolved answers to the questions the plan leaves open; an answer it does not ask for is not looked at
 * @throws {ConfigError} when the settings contradict each other, in the launch mapping's words
 *
 * @example
 * ```ts
 * import { loadPrediction, workerSettings } from "dynosim";
 *
 * const { plan } = await loadPrediction("engine: {model: m, hardware: h200_sxm, workers: {aggregated: {}}}");
 * const settings = workerSettings(plan.roles[0], { blocks: 4096, maxModelTokens: 32_768 });
 * console.log(settings.rank.blocks);
 * ```
 */
export function workerSettings(plan: RolePlan, resolved: Resolved = {}): WorkerSettings {
  return parseLaunch(workerLaunch(plan, resolved));
}

/** The complete launch mapping of a role's workers; see {@linkcode workerSettings}. */
export function workerLaunch(
  plan: Pick<RolePlan, "capacity" | "contextTokens" | "transferBytesPerToken"> & {
    launch: Readonly<Record<string, unknown>>;
  },
  resolved: Resolved = {},
): Record<string, unknown> {
  const { capacity, contextTokens, transferBytesPerToken } = plan;
  const launch: Record<string, unknown> = { ...plan.launch };
  launch.engine = {
    ...launch.engine as Record<string, unknown>,
    num_gpu_blocks: capacity.type === "fixed" ? capacity.blocks : resolved.blocks,
    max_model_len: contextTokens === "max" ? resolved.maxModelTokens : contextTokens,
    kv_transfer_bytes_per_token: transferBytesPerToken === "auto"
      ? resolved.transferBytesPerToken
      : transferBytesPerToken,
  };
  launch.num_gpu_blocks_is_explicit = capacity.type === "fixed";
  return launch;
}
