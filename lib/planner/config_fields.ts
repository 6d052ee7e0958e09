/**
 * The fields of the Planner's configuration: names, types, defaults and ranges of `PlannerConfig`.
 *
 * @module
 */
import * as v from "valibot";
import { bool, choice, type Field, float, int, orNull, text, withDefault } from "./lax_fields.ts";
import { DEFAULT_SETTINGS, type PredictorSettings } from "../forecast/predictor.ts";
import { type PredictorName, predictors } from "../forecast/registry.ts";

/** What the Planner aims at. */
export type OptimizationTarget = "throughput" | "latency" | "load" | "sla";

/** Fields with a type of their own; everything else a configuration holds is ignored. */
export interface PlannerFields extends PredictorSettings {
  /** A replay takes `agg` and `disagg`. */
  mode: "disagg" | "prefill" | "decode" | "agg";
  /** What decisions aim at. */
  optimization_target: OptimizationTarget;
  /** The slow loop, from forecasts; off unless the target is `sla`. */
  enable_throughput_scaling: boolean;
  /** The fast loop, from observed load; on unless the target is `sla`. */
  enable_load_scaling: boolean;
  /** Seconds between two ticks of the load loop. */
  load_adjustment_interval_seconds: number;
  /** Most replicas the slow loop adds or removes at once. */
  max_throughput_scaling_replicas: number;
  /** GPUs of all roles together; -1 for no limit. */
  max_gpu_budget: number;
  /** GPUs of all roles that are kept at least; -1 for no limit. */
  min_gpu_budget: number;
  /** Fewest replicas of a role. */
  min_endpoint: number;
  /** The same of the prefill role; null: `min_endpoint`. */
  prefill_min_endpoint: number | null;
  /** The same of the decode role; null: `min_endpoint`. */
  decode_min_endpoint: number | null;
  /** The SLA of target `sla`, in milliseconds. */
  ttft_ms: number;
  /** See `ttft_ms`. */
  itl_ms: number;
  /** Name of the predictor of the throughput loop. */
  load_predictor: PredictorName;
  /** File, folder or glob. */
  load_predictor_warmup_trace: string | null;
  /** Passes of a kind the performance model keeps, in how many bins, and from how many on it fits. */
  max_num_fpm_samples: number;
  /** See `max_num_fpm_samples`. */
  fpm_sample_bucket_size: number;
  /** See `max_num_fpm_samples`. */
  load_min_observations: number;
  /**
   * Seed of the choice between equally full bins of samples, which a live Planner leaves to chance: each seed is one
   * draw of a long run with target `sla`. Null for one fixed rule.
   */
  sample_tie_seed: number | null;
  /** Percent of the SLA's room one replica fewer may use. */
  load_scaling_down_sensitivity: number;
  /** Thresholds of target `load`: queued tokens of a prefill rank, percent of a decode rank's KV pool. */
  prefill_scale_up_queue_tokens: number | null;
  /** See `prefill_scale_up_queue_tokens`. */
  prefill_scale_down_queue_tokens: number | null;
  /** See `prefill_scale_up_queue_tokens`. */
  decode_scale_up_kv_rate: number | null;
  /** See `prefill_scale_up_queue_tokens`. */
  decode_scale_down_kv_rate: number | null;
  /** Drafted tokens per forward, where the engines do not tell. */
  speculative_nextn: number;
  /** Only for the GPU hours of the live diagnostics; budgets count with the engines themselves. */
  prefill_engine_num_gpu: number | null;
  /** See `prefill_engine_num_gpu`. */
  decode_engine_num_gpu: number | null;
  /** Decide everything, change nothing. */
  advisory: boolean;
  /** Virtual hours between two diagnostics pages; null: none. */
  report_interval_hours: number | null;
  /** Folder of the diagnostics pages. */
  report_output_dir: string;
  /** Name of a page; null: made of the time. */
  report_filename: string | null;
  /** Whether the data of a page is written beside it. */
  report_write_gzip_log: boolean;
  /** Of live runs only; without effect in a replay. */
  live_dashboard_port: number;
}

const fields: { [Name in keyof PlannerFields]: v.GenericSchema<unknown, PlannerFields[Name]> } = {
  mode: withDefault(choice(["disagg", "prefill", "decode", "agg"]), "disagg"),
  optimization_target: withDefault(choice(["throughput", "latency", "load", "sla"]), "throughput"),
  enable_throughput_scaling: withDefault(bool(), true),
  enable_load_scaling: withDefault(bool(), false),
  throughput_adjustment_interval_seconds: withDefault(int(), DEFAULT_SETTINGS.throughput_adjustment_interval_seconds),
  load_adjustment_interval_seconds: withDefault(int({ above: 0 }), 5),
  max_throughput_scaling_replicas: withDefault(int({ above: 0 }), 8),
  max_gpu_budget: withDefault(int({ atLeast: -1 }), 8),
  min_gpu_budget: withDefault(int({ atLeast: -1 }), -1),
  min_endpoint: withDefault(int({ atLeast: 0 }), 1),
  prefill_min_endpoint: orNull(int({ atLeast: 1 })),
  decode_min_endpoint: orNull(int({ atLeast: 1 })),
  ttft_ms: withDefault(float({ above: 0, finite: true }), 500),
  itl_ms: withDefault(float({ above: 0, finite: true }), 50),
  load_predictor: withDefault(choice(Object.keys(predictors) as PredictorName[]), "arima"),
  load_predictor_log1p: withDefault(bool(), DEFAULT_SETTINGS.load_predictor_log1p),
  prophet_window_size: withDefault(int({ above: 0 }), DEFAULT_SETTINGS.prophet_window_size),
  kalman_q_level: withDefault(float({ atLeast: 0, finite: true }), DEFAULT_SETTINGS.kalman_q_level),
  kalman_q_trend: withDefault(float({ atLeast: 0, finite: true }), DEFAULT_SETTINGS.kalman_q_trend),
  kalman_r: withDefault(float({ atLeast: 0, finite: true }), DEFAULT_SETTINGS.kalman_r),
  kalman_min_points: withDefault(int({ above: 0 }), DEFAULT_SETTINGS.kalman_min_points),
  load_predictor_warmup_trace: orNull(text()),
  max_num_fpm_samples: withDefault(int({ above: 0 }), 64),
  fpm_sample_bucket_size: withDefault(int({ above: 0 }), 16),
  sample_tie_seed: orNull(int({ atLeast: 0 })),
  load_scaling_down_sensitivity: withDefault(int({ atLeast: 0, atMost: 100 }), 80),
  load_min_observations: withDefault(int(), 5),
  prefill_scale_up_queue_tokens: orNull(int({ atLeast: 0 })),
  prefill_scale_down_queue_tokens: orNull(int({ atLeast: 0 })),
  decode_scale_up_kv_rate: orNull(float({ atLeast: 0, atMost: 100 })),
  decode_scale_down_kv_rate: orNull(float({ atLeast: 0, atMost: 100 })),
  speculative_nextn: withDefault(int({ atLeast: 0 }), 0),
  prefill_engine_num_gpu: orNull(int()),
  decode_engine_num_gpu: orNull(int()),
  advisory: withDefault(bool(), false),
  report_interval_hours: v.optional(v.nullable(float() as Field<number>), 24) as v.GenericSchema<
    unknown,
    number | null
  >,
  report_output_dir: withDefault(text(), "./planner_reports"),
  report_filename: orNull(text()),
  report_write_gzip_log: withDefault(bool(), true),
  live_dashboard_port: withDefault(int(), 8080),
};

/** Older names that are still understood. */
export const ALIASES: Record<string, keyof PlannerFields> = {
  throughput_adjustment_interval: "throughput_adjustment_interval_seconds",
  load_adjustment_interval: "load_adjustment_interval_seconds",
  ttft: "ttft_ms",
  itl: "itl_ms",
};

/** Fields of a live deployment that mean nothing in a replay. */
const LIVE_FIELDS = [
  "pre_deployment_sweeping_mode",
  "environment",
  "backend",
  "log_dir",
  "control_api_port",
  "profile_results_dir",
  "aic_interpolation",
  "ais_perf_model",
  "throughput_metrics_source",
  "model_name",
  "namespace",
  "no_operation",
  "global_planner_namespace",
  "enable_power_awareness",
  "total_gpu_power_limit",
  "plugin_registration",
];

/** Schema of a configuration; keys it does not name are dropped. */
export const plannerFields: v.GenericSchema<unknown, PlannerFields> = v.object(fields) as v.GenericSchema<
  unknown,
  PlannerFields
>;

/** Keys of a configuration that no field takes: unknown ones, and ones that only concern a live deployment. */
export function keysWithoutEffect(input: Record<string, unknown>): { unknown: string[]; live: string[] } {
  const known = new Set([...Object.keys(fields), ...Object.keys(ALIASES), "scheduling", "retune", "batch_scheduling"]);
  const others = Object.keys(input).filter((key) => !known.has(key));
  const isLive = (key: string) => LIVE_FIELDS.includes(key) || key.startsWith("metric_");
  return { unknown: others.filter((key) => !isLive(key)), live: others.filter(isLive) };
}

/** Every name a configuration may use, for suggestions. */
export const plannerConfigKeys: readonly string[] = [...Object.keys(fields), "scheduling", "retune"];
