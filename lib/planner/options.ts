/**
 * The Planner's configuration for people who write scripts: camelCase names with units. The result is a mapping with
 * the names of the file, checked where it is used.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import type { OptimizationTarget } from "./config_fields.ts";
import type { PredictorName } from "../forecast/registry.ts";

/** Settings of a Planner; every one has the default of `PlannerConfig`. */
export interface PlannerChoices {
  /** What to aim at; `throughput` by default. */
  target?: OptimizationTarget;
  /** TTFT to keep in milliseconds (target `sla`); 500 by default. */
  ttftMs?: number;
  /** ITL to keep in milliseconds (target `sla`); 50 by default. */
  itlMs?: number;
  /** Most GPUs of all roles together; 8 by default, negative for no limit. */
  maxGpus?: number;
  /** Fewest GPUs; no limit by default. */
  minGpus?: number;
  /** Fewest replicas of a role; 1 by default. */
  minWorkers?: number;
  /** Fewest prefill replicas; `minWorkers` by default. */
  prefillMinWorkers?: number;
  /** Fewest decode replicas; `minWorkers` by default. */
  decodeMinWorkers?: number;
  /** The slow loop, from forecasts; only target `sla`, on by default. */
  throughputScaling?: boolean;
  /** The fast loop, from observed load; target `sla` has it off by default, the others always on. */
  loadScaling?: boolean;
  /** Seconds between runs of the slow loop; 180 by default. */
  throughputIntervalSeconds?: number;
  /** Seconds between runs of the fast loop; 5 by default. */
  loadIntervalSeconds?: number;
  /** Most replicas the slow loop adds or removes at once; 8 by default. */
  maxThroughputStep?: number;
  /** Share of the SLA, in percent, one replica fewer may use; 80 by default. */
  scalingDownSensitivity?: number;
  /** Passes of a kind the performance model waits for; 5 by default. */
  minObservations?: number;
  /** Passes the performance model keeps of a kind; 64 by default. */
  maxSamples?: number;
  /** Cells among which they are spread; 16 by default. */
  sampleBuckets?: number;
  /** Draw of the tie choices among samples; a fixed rule by default. */
  tieSeed?: number;
  /** Who forecasts; `arima` by default. */
  predictor?: PredictorName;
  /** Forecast `ln(1 + value)`; false by default. */
  predictorLog1p?: boolean;
  /** Observations prophet keeps; 50 by default. */
  prophetWindow?: number;
  /** Variance of the level; 1 by default. */
  kalmanLevelNoise?: number;
  /** Variance of the trend; 0.1 by default. */
  kalmanTrendNoise?: number;
  /** Variance of an observation; 10 by default. */
  kalmanNoise?: number;
  /** Observations before it forecasts; 5 by default. */
  kalmanMinPoints?: number;
  /** File, folder or glob of a trace the predictors start with. */
  warmupTrace?: string;
  /** Thresholds of target `load`. */
  prefillUpQueueTokens?: number;
  /** Waiting prompt tokens of all ranks at which a prefill replica goes. */
  prefillDownQueueTokens?: number;
  /** KV tokens in use, in percent, at which a replica comes. */
  decodeUpKvPercent?: number;
  /** KV tokens in use, in percent, of all ranks at which a replica goes. */
  decodeDownKvPercent?: number;
  /** Decide everything, change nothing. */
  advisory?: boolean;
  /** Retune block, names as in the file. */
  retune?: Record<string, unknown>;
}

const NAMES: Record<keyof PlannerChoices, string> = {
  target: "optimization_target",
  ttftMs: "ttft_ms",
  itlMs: "itl_ms",
  maxGpus: "max_gpu_budget",
  minGpus: "min_gpu_budget",
  minWorkers: "min_endpoint",
  prefillMinWorkers: "prefill_min_endpoint",
  decodeMinWorkers: "decode_min_endpoint",
  throughputScaling: "enable_throughput_scaling",
  loadScaling: "enable_load_scaling",
  throughputIntervalSeconds: "throughput_adjustment_interval_seconds",
  loadIntervalSeconds: "load_adjustment_interval_seconds",
  maxThroughputStep: "max_throughput_scaling_replicas",
  scalingDownSensitivity: "load_scaling_down_sensitivity",
  minObservations: "load_min_observations",
  maxSamples: "max_num_fpm_samples",
  sampleBuckets: "fpm_sample_bucket_size",
  tieSeed: "sample_tie_seed",
  predictor: "load_predictor",
  predictorLog1p: "load_predictor_log1p",
  prophetWindow: "prophet_window_size",
  kalmanLevelNoise: "kalman_q_level",
  kalmanTrendNoise: "kalman_q_trend",
  kalmanNoise: "kalman_r",
  kalmanMinPoints: "kalman_min_points",
  warmupTrace: "load_predictor_warmup_trace",
  prefillUpQueueTokens: "prefill_scale_up_queue_tokens",
  prefillDownQueueTokens: "prefill_scale_down_queue_tokens",
  decodeUpKvPercent: "decode_scale_up_kv_rate",
  decodeDownKvPercent: "decode_scale_down_kv_rate",
  advisory: "advisory",
  retune: "retune",
};

const OPTIONS = Object.fromEntries(Object.keys(NAMES).map((name) => [name, true])) as OptionNames<PlannerChoices>;

/**
 * Names a Planner's settings the way its configuration does. The script's Planner writes no HTML report.
 *
 * @param choices every field is optional
 * @returns a mapping with `PlannerConfig` names; the replay adds `mode`
 * @throws ConfigError for a name that does not exist
 *
 * @example
 * ```ts
 * import { planner } from "dynosim";
 *
 * const config = planner({ target: "sla", ttftMs: 1500, itlMs: 50, maxGpus: 4 });
 * console.log(config.optimization_target, config.max_gpu_budget); // sla 4
 * ```
 */
export function planner(choices: PlannerChoices = {}): Record<string, unknown> {
  const config: Record<string, unknown> = { report_interval_hours: null, live_dashboard_port: 0 };
  checkOptions("planner()", choices, OPTIONS);
  for (const [key, value] of Object.entries(choices)) {
    if (value !== undefined) config[NAMES[key as keyof PlannerChoices]] = value;
  }
  return config;
}
