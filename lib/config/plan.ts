/**
 * A validated prediction: what a configuration file asks for, ready to be run. Defaults are filled and names are ours;
 * what needs facts about the model (its longest context, the KV blocks that fit, bytes a token takes) is still a question.
 *
 * @module
 */
import type { Backend, Role } from "../engine/settings.ts";
import type { RetuneConfig } from "../retune/config.ts";
import type { RouterName } from "../router/names.ts";
import type { TRACE_FORMATS } from "./traffic_section.ts";

/** Where requests come from. */
export type SourcePlan =
  | { type: "trace"; paths: string[]; format: typeof TRACE_FORMATS[number]; blockTokens: number | null }
  | {
    type: "synthetic";
    inputTokens: number;
    outputTokens: number;
    count: number;
    /** First tokens that all prompts have in common. Default 0. */
    cachedPrefixTokens?: number;
  }
  | {
    type: "synthetic-session";
    /** Of each turn; on the engine stack its prompt begins with the conversation so far. */
    inputTokens: number;
    outputTokens: number;
    /** Number of sessions. */
    count: number;
    turns: number;
    sharedPrefixRatio: number;
    prefixGroups: number;
    interTurnDelayMs: number;
  };

/** When requests (or sessions) arrive. */
export type LoadPlan =
  | { type: "trace_timestamps"; speedup: number; agenticLanes: number | null }
  | { type: "concurrency"; concurrency: number }
  | { type: "constant_rate"; perSecond: number }
  | { type: "poisson"; perSecond: number; seed: number };

/** The load of a run. */
export interface TrafficPlan {
  /** What comes. */
  source: SourcePlan;
  /** When it comes. */
  load: LoadPlan;
  /** Cutoff in virtual milliseconds; `Infinity` when there is none. */
  maxVirtualMs: number;
  /** Whether requests admitted before the cutoff may finish (`soft`), or nothing happens after it (`hard`). */
  cutoff: "soft" | "hard";
}

/**
 * What an estimate from the operator database is asked for: the `config` of an `external` timing model, in the names of
 * the launch mapping. Absent sizes are 1, absent modes follow from the model.
 */
export interface EstimatorConfig {
  /** Name of the model, or a folder with its `config.json`. */
  model: string;
  /** Name of the GPU system, e.g. `h200_sxm`. */
  system: string;
  /** Engine whose measurements are used. */
  backend: Backend;
  /** Null: the version the database calls current. */
  backend_version: string | null;
  /** What the worker does; aggregated workers do both. */
  worker_type: Role;
  /** Tensor-parallel ranks. */
  tp: number;
  /** Pipeline-parallel stages. */
  pp: number;
  /** Attention data-parallel ranks. */
  attention_dp: number;
  /** Tensor-parallel ranks of the experts. */
  moe_tp?: number;
  /** Expert-parallel ranks. */
  moe_ep?: number;
  /** Tokens of a KV block. */
  kv_block_size: number;
  /** Draft tokens of multi-token prediction; 0: off. */
  nextn: number;
  /** Number format of matrix products. */
  gemm_quant_mode: string | null;
  /** Number format of experts. */
  moe_quant_mode: string | null;
  /** Number format of the KV cache. */
  kvcache_quant_mode: string | null;
  /** Number format of prompt attention. */
  fmha_quant_mode: string | null;
  /** Number format of communication. */
  comm_quant_mode: string | null;
  /** How operators without measurements get times, one of {@linkcode DATABASE_MODES}. */
  database_mode: string;
  /** How far estimates may look for similar operators: a name or a list of {@linkcode TRANSFER_KINDS}. */
  transfer_policy: string | readonly string[] | null;
  /** Data release whose measurements count; absent: the one that ships. */
  data_release?: string;
}

/** How many KV blocks a rank has. */
export type CapacityPlan =
  | { type: "fixed"; blocks: number }
  | { type: "default"; memoryFraction: number; cudaGraphReservedBytes: number };

/** The workers of one role. */
export interface RolePlan {
  /** What the workers are for. */
  role: Role;
  /** Workers at the start. */
  replicas: number;
  /** GPUs one worker takes: tensor × pipeline × attention data. */
  gpusPerWorker: number;
  /** The launch mapping, complete but for what is still open (see `workerSettings`). */
  launch: Record<string, unknown>;
  /** Identity of the role for estimates; also for roles whose own timing is something else. */
  estimator: EstimatorConfig;
  /** How passes are timed. */
  timing: "default" | "polynomial" | "fixed";
  /** What is made of default times: a calibration's path, and how passes of both phases count. Null: nothing. */
  passTiming: { calibration: string | null; forced: boolean; mixed: "sum" | "fused" | null } | null;
  /** KV blocks. */
  capacity: CapacityPlan;
  /** Longest sequence: a number, `max` (the model's own), or null when the engine gets none. */
  contextTokens: number | "max" | null;
  /** Bytes of a token moved to the decode worker: a number, `auto` (from the model), or null when nothing is delayed. */
  transferBytesPerToken: number | "auto" | null;
}

/** Which worker gets a request. */
export type RouterPlan =
  | { policy: Exclude<RouterName, "kv_router"> }
  | {
    policy: "kv_router";
    overlapScoreCredit: number;
    prefillLoadScale: number;
    temperature: number;
    /** Seed of the choice between equal workers; absent for the router's own default. */
    seed?: number;
    /** Whether queued prefill work is estimated with the performance model of the first role. */
    prefillLoadModel: "none" | "aic";
    /** Path of a policy file; its settings win. */
    policyFile?: string;
  };

/** Bounds a request must meet to count as good; absent bounds are null. */
export interface SlaPlan {
  /** Bound on the time to first token in milliseconds. */
  ttftMs: number | null;
  /** Bound on the mean time between output tokens of a request in milliseconds. */
  itlMs: number | null;
  /** Bound on the time from arrival to the last token in milliseconds. */
  e2eMs: number | null;
}

/** What a GPU costs an hour, and the unit; null: dollars. */
export interface PricePlan {
  /** Money for one GPU and one hour. */
  perGpuHour: number;
  /** A symbol or a code. */
  currency: string | null;
}

/** An autoscaler in place of the Planner. */
export interface AutoscalerPlan {
  /** `hpa` or `keda`. */
  kind: string;
  /** The `autoscaler` section with its defaults. */
  config: Readonly<Record<string, unknown>>;
}

/** What the run itself may use of the host, in the file's names. Gigabytes are decimal. */
export interface ResourceLimits {
  /** Loading may take so long. */
  initialization_timeout_seconds: number;
  /** Ending may take so long. */
  shutdown_timeout_seconds: number;
  /** Resident memory. */
  memory_limit_gb: number | "auto";
  /** Processors. */
  cpu_limit: number | "auto";
  /** Memory that stays free on the host. */
  reserve_memory_gb: number;
  /** The same as a share of all memory; the larger of the two counts. */
  reserve_memory_fraction: number;
  /** Share of the available memory that `auto` takes. */
  available_memory_fraction: number;
}

/** Everything a prediction needs to know. */
export interface PredictionPlan {
  /** Which sections were allowed. */
  stack: "engine" | "dynamo";
  /** What comes in. */
  traffic: TrafficPlan;
  /** Aggregated: one role; disaggregated: prefill, then decode. */
  roles: RolePlan[];
  /** Who gets a request. */
  router: RouterPlan;
  /** A mapping in PlannerConfig names, checked; null when the Planner is disabled. */
  planner: Record<string, unknown> | null;
  /** Who scales in place of the Planner; null for nobody. */
  autoscaler: AutoscalerPlan | null;
  /** The same as `planner.retune`; null when no retune is asked for. */
  retune: RetuneConfig | null;
  /** What counts as good. */
  sla: SlaPlan | null;
  /** What a GPU costs; null: no cost is told. */
  price: PricePlan | null;
  /** What the run may use. */
  resources: ResourceLimits;
}
