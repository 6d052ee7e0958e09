/**
 * Options of `runTraceReplay` and `runSyntheticTraceReplay`, and what is wrong with them before anything is read.
 *
 * @module
 */
import type { Price } from "../report/price.ts";
import type { RunProgress } from "./drive.ts";
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import type { ReplayRun } from "./run.ts";

/** Options that traces and synthetic loads share. Engine mappings are those of the launch configuration. */
export interface ReplayCallOptions {
  /** Aggregated workers. Default: one vLLM engine. */
  extraEngineArgs?: Record<string, unknown>;
  /** Prefill workers; together with the next one. */
  prefillEngineArgs?: Record<string, unknown>;
  /** Decode workers. */
  decodeEngineArgs?: Record<string, unknown>;
  /** `round_robin` (default), `kv_router` or `least_loaded`. */
  routerMode?: string;
  /** Settings of the kv_router, as `router_config` has them. */
  routerConfig?: Record<string, unknown>;
  /** Delay until the kv_router learns of a change in a cache, in milliseconds. Default 0. */
  kvEventLagMs?: number;
  /** Aggregated workers. Default 1. */
  numWorkers?: number;
  /** Prefill workers. Default 1. */
  numPrefillWorkers?: number;
  /** Decode workers. Default 1. */
  numDecodeWorkers?: number;
  /** Bound on TTFT for goodput. */
  slaTtftMs?: number;
  /** Bound on TPOT for goodput. */
  slaItlMs?: number;
  /** Bound on E2E for goodput, instead of the two. */
  slaE2eMs?: number;
  /** What a GPU costs; not an option of the reference. Default: no cost is told. */
  price?: Price;
  /** PlannerConfig: an object, its JSON, or the path of a JSON or YAML file. */
  plannerConfig?: Record<string, unknown> | string;
  /** False leaves out ticks and lifecycle operations. Default true. */
  capturePlannerDetails?: boolean;
  /** Keeps a record of every request. Default false. */
  capturePerRequest?: boolean;
  /** Keeps samples of traffic and schedulers in the report. Default false. */
  captureTelemetry?: boolean;
  /** Virtual milliseconds between samples. Default 1000. */
  telemetrySampleIntervalMs?: number;
  /** Also writes the per-request records there; implies capturing them. */
  reportJsonlPath?: string;
  /** Called now and then; what it throws ends the replay. */
  onProgress?: (progress: RunProgress) => void;
  /**
   * Told before the replay starts what is in vain: an option without effect, a spent budget, an SLA out of reach.
   * Default: `console.warn`.
   */
  onWarning?: (message: string) => void;
  /** Handed the run before it starts, for its streams; each stream that is taken must be read to its end. */
  onStart?: (run: ReplayRun) => void;
  /** Ends the replay with its reason. */
  signal?: AbortSignal;
}

/** Options of `runTraceReplay`. */
export interface TraceReplayOptions extends ReplayCallOptions {
  /** Default `mooncake`. */
  traceFormat?: string;
  /** Default: the format's own, 512 for Mooncake. */
  traceBlockSize?: number;
  /** Divides recorded times and delays. Default 1. */
  arrivalSpeedupRatio?: number;
  /** Sessions open at the same time; recorded times are then ignored. */
  replayConcurrency?: number;
  /** Agentic traces: plays that run at the same time. Default: every play at its own time. */
  agenticLanes?: number;
  /** Agentic traces need it: the model that serves the requests. */
  executionModel?: string;
  /** `applied_compute_agentic`: share of a first prompt that its group has in common, 0 to 1. Default 0. */
  traceSharedPrefixRatio?: number;
  /** `applied_compute_agentic`: number of groups. Default 0. */
  traceNumPrefixGroups?: number;
  /** Requests that have not been admitted by then stay out; virtual milliseconds. */
  maxSimTimeMs?: number;
}

/** Options of `runSyntheticTraceReplay`; exactly one of the three that say when requests arrive. */
export interface SyntheticReplayOptions extends ReplayCallOptions {
  /** Requests (or sessions) open at the same time. */
  replayConcurrency?: number;
  /** Random arrivals, requests (or sessions) per second. */
  requestRate?: number;
  /** Time between arrivals. */
  arrivalIntervalMs?: number;
  /** Default 42. */
  arrivalSeed?: number;
  /** Divides the times of arrivals. Default 1. */
  arrivalSpeedupRatio?: number;
  /** Default 1: independent requests. */
  turnsPerSession?: number;
  /** Share of a first prompt that its group has in common, 0 to 1. Default 0. */
  sharedPrefixRatio?: number;
  /** Number of groups. Default 0. */
  numPrefixGroups?: number;
  /** Think time between turns. Default 0. */
  interTurnDelayMs?: number;
}

const CALL_OPTIONS = {
  extraEngineArgs: true,
  prefillEngineArgs: true,
  decodeEngineArgs: true,
  routerMode: true,
  routerConfig: true,
  kvEventLagMs: true,
  numWorkers: true,
  numPrefillWorkers: true,
  numDecodeWorkers: true,
  slaTtftMs: true,
  slaItlMs: true,
  slaE2eMs: true,
  price: true,
  plannerConfig: true,
  capturePlannerDetails: true,
  capturePerRequest: true,
  captureTelemetry: true,
  telemetrySampleIntervalMs: true,
  reportJsonlPath: true,
  onProgress: true,
  onWarning: true,
  onStart: true,
  signal: true,
} as const satisfies Record<keyof ReplayCallOptions, true>;

const TRACE_OPTIONS = {
  ...CALL_OPTIONS,
  traceFormat: true,
  traceBlockSize: true,
  arrivalSpeedupRatio: true,
  replayConcurrency: true,
  agenticLanes: true,
  executionModel: true,
  traceSharedPrefixRatio: true,
  traceNumPrefixGroups: true,
  maxSimTimeMs: true,
} as const satisfies Record<keyof TraceReplayOptions, true>;

const SYNTHETIC_OPTIONS = {
  ...CALL_OPTIONS,
  replayConcurrency: true,
  requestRate: true,
  arrivalIntervalMs: true,
  arrivalSeed: true,
  arrivalSpeedupRatio: true,
  turnsPerSession: true,
  sharedPrefixRatio: true,
  numPrefixGroups: true,
  interTurnDelayMs: true,
} as const satisfies Record<keyof SyntheticReplayOptions, true>;

/** Counts, which have no fractions. What their least value is, those who use them know. */
const COUNTS = [
  "numWorkers",
  "numPrefillWorkers",
  "numDecodeWorkers",
  "replayConcurrency",
  "traceBlockSize",
  "agenticLanes",
  "traceNumPrefixGroups",
  "turnsPerSession",
  "numPrefixGroups",
];

/**
 * Refuses what `runTraceReplay` would not look at.
 *
 * @throws {ConfigError} for a name that is no option, a count with a fraction, and an option without effect.
 */
export function checkTraceOptions(options: TraceReplayOptions): void {
  checkNames("runTraceReplay()", options, TRACE_OPTIONS);
  const { maxSimTimeMs, traceFormat = "mooncake" } = options;
  if (maxSimTimeMs !== undefined && !(Number.isFinite(maxSimTimeMs) && maxSimTimeMs >= 0)) {
    throw new ConfigError("max_sim_time_ms must be a finite, non-negative value");
  }
  checkSpeedupCounts(options);
  if (traceFormat === "applied_compute_agentic") return;
  for (const name of ["traceSharedPrefixRatio", "traceNumPrefixGroups"] as const) {
    if (options[name] !== undefined) {
      throw new ConfigError(`${snake(name)} has no effect with trace_format='${traceFormat}'`);
    }
  }
}

/**
 * Refuses what `runSyntheticTraceReplay` would not look at.
 *
 * @throws {ConfigError} for a name that is no option, a count with a fraction, and an option without effect.
 */
export function checkSyntheticOptions(options: SyntheticReplayOptions): void {
  checkNames("runSyntheticTraceReplay()", options, SYNTHETIC_OPTIONS);
  checkSpeedupCounts(options);
  if (options.arrivalSeed !== undefined && options.requestRate === undefined) {
    throw new ConfigError("arrival_seed has no effect without request_rate");
  }
}

function checkNames<Options extends object>(of: string, options: Options, known: OptionNames<Options>): void {
  checkOptions(of, options, known);
  for (const [name, value] of Object.entries(options)) {
    if (COUNTS.includes(name) && value !== undefined && !(Number.isInteger(value) || value < 1)) {
      throw new ConfigError(`${snake(name)} must be a whole number, got ${value}`);
    }
  }
}

function checkSpeedupCounts({ replayConcurrency, arrivalSpeedupRatio }: TraceReplayOptions): void {
  if (replayConcurrency !== undefined && arrivalSpeedupRatio !== undefined && arrivalSpeedupRatio !== 1) {
    throw new ConfigError("arrival_speedup_ratio has no effect with replay_concurrency");
  }
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
