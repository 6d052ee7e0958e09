/**
 * The Planner's configuration: field names, defaults and checks of a live Planner, normalised for a replay. Names are
 * those of the file (`PlannerConfig`), so a configuration copied from a deployment can be used as it is; fields that
 * only mean something there are ignored (`warnings.ts` says so).
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError, type ConfigIssue } from "../errors.ts";
import { bool, choice, float, int, orNull, text, withDefault } from "./lax_fields.ts";
import { type PredictorName, predictors } from "./predictors/registry.ts";

/** What the Planner aims at. */
export type OptimizationTarget = "throughput" | "latency" | "load" | "sla";

const fields = {
  mode: withDefault(choice(["disagg", "prefill", "decode", "agg"]), "disagg"),
  optimization_target: withDefault(choice(["throughput", "latency", "load", "sla"]), "throughput"),
  enable_throughput_scaling: withDefault(bool(), true),
  enable_load_scaling: withDefault(bool(), false),
  throughput_adjustment_interval_seconds: withDefault(int(), 180),
  load_adjustment_interval_seconds: withDefault(int({ above: 0 }), 5),
  max_throughput_scaling_replicas: withDefault(int({ above: 0 }), 8),
  max_gpu_budget: withDefault(int(), 8),
  min_gpu_budget: withDefault(int(), -1),
  min_endpoint: withDefault(int({ atLeast: 0 }), 1),
  prefill_min_endpoint: orNull(int({ atLeast: 1 })),
  decode_min_endpoint: orNull(int({ atLeast: 1 })),
  ttft_ms: withDefault(float(), 500),
  itl_ms: withDefault(float(), 50),
  load_predictor: withDefault(choice(Object.keys(predictors) as PredictorName[]), "arima"),
  load_predictor_log1p: withDefault(bool(), false),
  prophet_window_size: withDefault(int({ above: 0 }), 50),
  kalman_q_level: withDefault(float(), 1),
  kalman_q_trend: withDefault(float(), 0.1),
  kalman_r: withDefault(float(), 10),
  kalman_min_points: withDefault(int(), 5),
  load_predictor_warmup_trace: orNull(text()),
  max_num_fpm_samples: withDefault(int({ above: 0 }), 64),
  fpm_sample_bucket_size: withDefault(int({ above: 0 }), 16),
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
  report_interval_hours: v.optional(v.unknown(), 24),
  report_output_dir: withDefault(text(), "./planner_reports"),
  report_filename: orNull(text()),
  report_write_gzip_log: withDefault(bool(), true),
  live_dashboard_port: withDefault(int(), 8080),
};

/** Older names that are still understood. */
const ALIASES: Record<string, keyof typeof fields> = {
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

const schema = v.object(fields);
type Fields = v.InferOutput<typeof schema>;

/** A checked configuration with every default filled in and the scaling modes a target forces. */
export interface PlannerConfig extends Omit<Fields, "report_interval_hours"> {
  report_interval_hours: number | null;
  scheduling: { scale_interval_seconds: number };
  /** The block as it was given, null without retune; `lib/retune` checks it. */
  retune: Record<string, unknown> | null;
}

/** Whether a configuration only retunes: a `retune` block and both scaling modes off. */
export function isRetuneOnly(config: PlannerConfig): boolean {
  return config.retune !== null && !config.enable_load_scaling && !config.enable_throughput_scaling;
}

/**
 * Checks a configuration and fills in the defaults.
 *
 * @param input an object with `PlannerConfig` names; unknown names are ignored
 * @throws ConfigError with one issue per bad field, or the first rule broken between fields
 */
export function parsePlannerConfig(input: unknown): PlannerConfig {
  const given = isMapping(input) ? input : fail([{ path: "", message: "Input should be a valid dictionary" }]);
  if ("aic_perf_model" in given) {
    failRule("aic_perf_model is no longer accepted; the performance model comes from the engine's timing");
  }
  const named = Object.fromEntries(Object.entries(given).map(([key, value]) => [ALIASES[key] ?? key, value]));
  const result = v.safeParse(schema, named);
  if (!result.success) {
    fail(result.issues.map((issue) => ({ path: v.getDotPath(issue) ?? "", message: issue.message })));
  }
  const retune = isMapping(given.retune) ? given.retune : null;
  if (given.retune !== undefined && given.retune !== null && !retune) {
    fail([{ path: "retune", message: "Input should be a valid dictionary" }]);
  }
  const config = normalised(result.output, named, retune);
  checkRules(config, named);
  return config;
}

/** Keys of a configuration that no field takes: unknown ones, and ones that only concern a live deployment. */
export function keysWithoutEffect(input: Record<string, unknown>): { unknown: string[]; live: string[] } {
  const known = new Set([...Object.keys(fields), ...Object.keys(ALIASES), "scheduling", "retune", "batch_scheduling"]);
  const others = Object.keys(input).filter((key) => !known.has(key));
  const isLive = (key: string) => LIVE_FIELDS.includes(key) || key.startsWith("metric_");
  return { unknown: others.filter((key) => !isLive(key)), live: others.filter(isLive) };
}

/** Every name a configuration may use, for suggestions. */
export const plannerConfigKeys: readonly string[] = [...Object.keys(fields), "scheduling", "retune"];

function normalised(
  checked: Fields,
  given: Record<string, unknown>,
  retune: Record<string, unknown> | null,
): PlannerConfig {
  const easy = checked.optimization_target !== "sla";
  const off = (key: string) => given[key] !== undefined && !checked[key as keyof Fields];
  const retuneOnly = retune !== null && off("enable_load_scaling") && off("enable_throughput_scaling");
  const modes = easy && !retuneOnly ? { enable_load_scaling: true, enable_throughput_scaling: false } : {};
  const both = { ...checked, ...modes };
  return {
    ...both,
    report_interval_hours: reportInterval(checked.report_interval_hours),
    scheduling: { scale_interval_seconds: scaleInterval(both, given.scheduling) },
    retune,
  };
}

function reportInterval(hours: unknown): number | null {
  const value = hours === null ? null : Number(hours);
  if (value !== null && !(Number.isFinite(value) && value > 0)) {
    failRule("report_interval_hours must be a positive finite number or None");
  }
  return value;
}

/** The step of the tick schedule: the greatest common divisor, in whole milliseconds, of the intervals in use. */
function scaleInterval(config: Fields, scheduling: unknown): number {
  const given = isMapping(scheduling) ? scheduling.scale_interval_seconds : undefined;
  if (given !== undefined && given !== null) {
    const seconds = v.safeParse(float({ above: 0 }), given);
    if (!seconds.success) {
      fail([{ path: "scheduling.scale_interval_seconds", message: seconds.issues[0].message }]);
    }
    return seconds.output;
  }
  const load = config.load_adjustment_interval_seconds * 1000;
  const throughput = config.throughput_adjustment_interval_seconds * 1000;
  return (config.enable_throughput_scaling && throughput > 0 ? greatestCommonDivisor(load, throughput) : load) / 1000;
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/** Rules between fields, first failure only. */
function checkRules(config: PlannerConfig, given: Record<string, unknown>): void {
  const { mode, optimization_target: target } = config;
  const load = config.load_adjustment_interval_seconds;
  const throughput = config.throughput_adjustment_interval_seconds;
  if (!(config.ttft_ms > 0)) failRule(`ttft_ms must be > 0, got ${decimal(config.ttft_ms)}`);
  if (mode === "prefill" && config.decode_min_endpoint !== null) {
    failRule("decode_min_endpoint is not supported when mode='prefill'");
  }
  if (mode === "decode" && config.prefill_min_endpoint !== null) {
    failRule("prefill_min_endpoint is not supported when mode='decode'");
  }
  if (mode === "agg" && (config.prefill_min_endpoint !== null || config.decode_min_endpoint !== null)) {
    failRule("prefill_min_endpoint and decode_min_endpoint are not supported when mode='agg'; use min_endpoint");
  }
  const bins = Math.round(Math.sqrt(config.fpm_sample_bucket_size));
  if (bins * bins !== config.fpm_sample_bucket_size) {
    failRule(`fpm_sample_bucket_size must be a perfect square, got ${config.fpm_sample_bucket_size}`);
  }
  if (given.enable_power_awareness === true) {
    failRule("enable_power_awareness is not supported in a replay; leave it off");
  }
  if (target === "load") checkLoadThresholds(config);
  if (!config.enable_load_scaling && !config.enable_throughput_scaling && config.retune === null) {
    failRule("At least one scaling mode must be enabled (enable_throughput_scaling or enable_load_scaling)");
  }
  if (config.enable_throughput_scaling && throughput <= 0) {
    failRule("throughput_adjustment_interval_seconds must be > 0 when throughput scaling is enabled");
  }
  const divides = (interval: number) => {
    const ratio = interval / config.scheduling.scale_interval_seconds;
    return Math.abs(ratio - Math.round(ratio)) <= 1e-9 && Math.round(ratio) >= 1;
  };
  if (!divides(load) || (config.enable_throughput_scaling && !divides(throughput))) {
    failRule(
      "scheduling.scale_interval_seconds must evenly divide load_adjustment_interval_seconds and, when throughput " +
        "scaling is enabled, throughput_adjustment_interval_seconds",
    );
  }
  if (config.enable_load_scaling && config.enable_throughput_scaling && load >= throughput) {
    failRule(
      `load_adjustment_interval_seconds (${load}s) must be shorter than throughput_adjustment_interval_seconds ` +
        `(${throughput}s). Load-based scaling is the fast reactive loop; throughput-based is the slow predictive loop.`,
    );
  }
  const batch = given.batch_scheduling;
  if (isMapping(batch) && batch.enabled === true && !config.advisory) {
    failRule("batch_scheduling is not simulated; set batch_scheduling.enabled: false (or advisory: true)");
  }
}

function checkLoadThresholds(config: PlannerConfig): void {
  const { mode } = config;
  const queueUp = config.prefill_scale_up_queue_tokens, queueDown = config.prefill_scale_down_queue_tokens;
  const kvUp = config.decode_scale_up_kv_rate, kvDown = config.decode_scale_down_kv_rate;
  if (mode === "disagg" || mode === "prefill") {
    if (queueUp === null || queueDown === null) {
      failRule(
        "optimization_target='load' requires prefill_scale_up_queue_tokens and prefill_scale_down_queue_tokens for " +
          "prefill scaling",
      );
    }
    if (queueUp <= queueDown) {
      failRule("prefill_scale_up_queue_tokens must be greater than prefill_scale_down_queue_tokens");
    }
  }
  if (mode !== "prefill") {
    if (kvUp === null || kvDown === null) {
      failRule(
        "optimization_target='load' requires decode_scale_up_kv_rate and decode_scale_down_kv_rate for decode scaling",
      );
    }
    if (kvUp <= kvDown) failRule("decode_scale_up_kv_rate must be greater than decode_scale_down_kv_rate");
  }
}

/** Floats are shown with a fractional part, as the configuration's own messages do. */
const decimal = (x: number) => Number.isInteger(x) ? x.toFixed(1) : String(x);

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fail(issues: ConfigIssue[]): never {
  const count = issues.length === 1 ? "1 validation error" : `${issues.length} validation errors`;
  const blocks = issues.map(({ path, message }) => `${path === "" ? "" : `${path}\n`}  ${message}`);
  throw new ConfigError(`${count} for PlannerConfig\n${blocks.join("\n")}`, issues);
}

function failRule(message: string): never {
  throw new ConfigError(`1 validation error for PlannerConfig\n  Value error, ${message}`, [{ path: "", message }]);
}
