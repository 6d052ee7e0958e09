/**
 * The Planner's configuration: field names, defaults and checks of a live Planner, normalised for a replay. Names are
 * those of the file (`PlannerConfig`), so a configuration copied from a deployment can be used as it is; fields that
 * only mean something there are ignored (`warnings.ts` says so).
 *
 * @module
 */
import { isMapping } from "../collections/mapping.ts";
import * as v from "valibot";
import { ConfigError, type ConfigIssue } from "../errors.ts";
import { ALIASES, type PlannerFields, plannerFields } from "./config_fields.ts";
import { float } from "./lax_fields.ts";

/** A checked configuration with every default filled in and the scaling modes a target forces. */
export interface PlannerConfig extends PlannerFields {
  /** Seconds between two ticks. */
  scheduling: { scale_interval_seconds: number };
  /** The block as it was given, null without retune; `lib/retune` checks it. */
  retune: Record<string, unknown> | null;
}

/** Fields of the configuration that may change while a replay runs. */
export type RuntimeFields = Pick<
  PlannerConfig,
  | "load_scaling_down_sensitivity"
  | "load_predictor"
  | "load_predictor_log1p"
  | "prophet_window_size"
  | "kalman_q_level"
  | "kalman_q_trend"
  | "kalman_r"
  | "kalman_min_points"
>;

/** Whether a configuration only retunes: a `retune` block and both scaling modes off. */
export function isRetuneOnly(config: PlannerConfig): boolean {
  return config.retune !== null && !config.enable_load_scaling && !config.enable_throughput_scaling;
}

/**
 * Checks a configuration and fills in the defaults.
 *
 * @param input an object with `PlannerConfig` names; unknown names are ignored
 * @throws ConfigError with one issue per bad field, or the first rule broken between fields
 *
 * @example
 * ```ts
 * import { parsePlannerConfig } from "dynosim";
 *
 * const config = parsePlannerConfig({ mode: "agg", optimization_target: "latency", max_gpu_budget: "4" });
 * console.log(config.max_gpu_budget, config.enable_load_scaling); // 4 true
 * ```
 */
export function parsePlannerConfig(input: unknown): PlannerConfig {
  const given = isMapping(input) ? input : fail([{ path: "", message: "Input should be a valid dictionary" }]);
  if ("aic_perf_model" in given) {
    failRule("aic_perf_model is no longer accepted; the performance model comes from the engine's timing");
  }
  const named = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [Object.hasOwn(ALIASES, key) ? ALIASES[key] : key, value]),
  );
  const result = v.safeParse(plannerFields, named);
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

function normalised(
  checked: PlannerFields,
  given: Record<string, unknown>,
  retune: Record<string, unknown> | null,
): PlannerConfig {
  const easy = checked.optimization_target !== "sla";
  const off = (key: string) => given[key] !== undefined && !checked[key as keyof PlannerFields];
  const retuneOnly = retune !== null && off("enable_load_scaling") && off("enable_throughput_scaling");
  const modes = easy && !retuneOnly ? { enable_load_scaling: true, enable_throughput_scaling: false } : {};
  const both = { ...checked, ...modes };
  return {
    ...both,
    scheduling: { scale_interval_seconds: scaleInterval(both, given.scheduling) },
    retune,
  };
}

/** The step of the tick schedule: the greatest common divisor, in whole milliseconds, of the intervals in use. */
function scaleInterval(config: PlannerFields, scheduling: unknown): number {
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

/** Retune-only mode has to be asked for: both flags are there, and false. */
function bothWrittenOff(
  checked: Pick<PlannerConfig, "enable_load_scaling" | "enable_throughput_scaling">,
  given: Record<string, unknown>,
): boolean {
  const keys = ["enable_load_scaling", "enable_throughput_scaling"] as const;
  return keys.every((key) => given[key] !== undefined && !checked[key]);
}

/** Rules between fields, first failure only. */
function checkRules(config: PlannerConfig, given: Record<string, unknown>): void {
  const { mode, optimization_target: target } = config;
  const load = config.load_adjustment_interval_seconds;
  const throughput = config.throughput_adjustment_interval_seconds;
  if (mode === "prefill" && config.decode_min_endpoint !== null) {
    failRule("decode_min_endpoint is not supported when mode='prefill'");
  }
  if (mode === "decode" && config.prefill_min_endpoint !== null) {
    failRule("prefill_min_endpoint is not supported when mode='decode'");
  }
  if (mode === "agg" && (config.prefill_min_endpoint !== null || config.decode_min_endpoint !== null)) {
    failRule("prefill_min_endpoint and decode_min_endpoint are not supported when mode='agg'; use min_endpoint");
  }
  const hours = config.report_interval_hours;
  if (hours !== null && !(Number.isFinite(hours) && hours > 0)) {
    failRule("report_interval_hours must be a positive finite number or None");
  }
  const bins = Math.round(Math.sqrt(config.fpm_sample_bucket_size));
  if (bins * bins !== config.fpm_sample_bucket_size) {
    failRule(`fpm_sample_bucket_size must be a perfect square, got ${config.fpm_sample_bucket_size}`);
  }
  if (given.enable_power_awareness === true) {
    failRule("enable_power_awareness is not supported in a replay; leave it off");
  }
  if (target === "load") checkLoadThresholds(config);
  const allOff = !config.enable_load_scaling && !config.enable_throughput_scaling;
  if (allOff && !(config.retune !== null && bothWrittenOff(config, given))) {
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

function fail(issues: ConfigIssue[]): never {
  const count = issues.length === 1 ? "1 validation error" : `${issues.length} validation errors`;
  const blocks = issues.map(({ path, message }) => `${path === "" ? "" : `${path}\n`}  ${message}`);
  throw new ConfigError(`${count} for PlannerConfig\n${blocks.join("\n")}`, issues);
}

function failRule(message: string): never {
  throw new ConfigError(`1 validation error for PlannerConfig\n  Value error, ${message}`, [{ path: "", message }]);
}
