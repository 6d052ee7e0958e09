/**
 * What is worth saying before a run with a Planner: the budget is already spent, an option does nothing. Pure functions;
 * texts only.
 *
 * @module
 */
import { nearName } from "../errors.ts";
import type { Pair } from "./budget.ts";
import { budgetWarnings } from "./budget_warnings.ts";
import type { DeploymentCapabilities } from "./capabilities.ts";
import { isRetuneOnly, type PlannerConfig } from "./config.ts";
import { keysWithoutEffect, plannerConfigKeys } from "./config_fields.ts";

/** The run a configuration is for. */
export interface PlannedRun {
  /** Engines of the roles. */
  engines: DeploymentCapabilities;
  /** Starting replicas; `prefill` is 0 in mode `agg`. */
  replicas: Pair;
}

/**
 * Everything to say about a configuration and a run, in `PlannerConfig` names. `given` is the mapping as written.
 *
 * @example
 * ```ts
 * import { capabilitiesOf, parseLaunch, parsePlannerConfig, plannerWarnings } from "dynosim";
 *
 * const given = { mode: "agg", optimization_target: "latency", max_gpu_budget: 2 };
 * const engines = { prefill: null, decode: capabilitiesOf(parseLaunch()) };
 * const run = { engines, replicas: { prefill: 0, decode: 2 } };
 * console.log(plannerWarnings(given, parsePlannerConfig(given), run).length); // 1: the budget is spent
 * ```
 */
export function plannerWarnings(
  given: Record<string, unknown>,
  config: PlannerConfig,
  run: PlannedRun,
): string[] {
  return [...advisoryWarning(config), ...budgetOf(config, run), ...withoutEffect(given, config)];
}

function* advisoryWarning({ advisory }: PlannerConfig): Generator<string> {
  if (advisory) yield "[ADVISORY] the Planner makes every decision and changes nothing";
}

function* budgetOf(config: PlannerConfig, { engines, replicas }: PlannedRun): Generator<string> {
  if (isRetuneOnly(config)) return;
  yield* budgetWarnings({
    maxGpus: config.max_gpu_budget,
    minGpus: config.min_gpu_budget,
    gpus: { prefill: engines.prefill?.gpus ?? 0, decode: engines.decode.gpus },
    starting: replicas,
    minimum: {
      prefill: engines.prefill ? config.prefill_min_endpoint ?? config.min_endpoint : 0,
      decode: config.decode_min_endpoint ?? config.min_endpoint,
    },
    names: { max: "max_gpu_budget", min: "min_gpu_budget" },
  });
}

/** Options that are valid and change nothing. */
function* withoutEffect(given: Record<string, unknown>, config: PlannerConfig): Generator<string> {
  const { unknown, live } = keysWithoutEffect(given);
  for (const key of unknown) {
    const near = nearName(key, plannerConfigKeys);
    yield `${key} is not a field of the Planner and is ignored${near ? `; did you mean ${near}?` : ""}`;
  }
  if (live.length > 0) yield `${live.join(", ")}: only a live deployment uses these; ignored in a replay`;

  const { optimization_target: target, load_predictor: predictor, mode } = config;
  const sla = target === "sla", fast = sla && config.enable_load_scaling, slow = config.enable_throughput_scaling;
  const fixed = `the target is ${target}`;
  const rules: [works: boolean, reason: string, keys: string[]][] = [
    [sla || isRetuneOnly(config), `${fixed}, which always scales on load only`, [
      "enable_throughput_scaling",
      "enable_load_scaling",
    ]],
    [sla || config.retune !== null, fixed, ["ttft_ms", "itl_ms", "ttft", "itl"]],
    [sla, `${fixed}, which uses no performance model`, [
      "max_num_fpm_samples",
      "fpm_sample_bucket_size",
      "load_min_observations",
      "sample_tie_seed",
    ]],
    [fast, sla ? "load scaling is off" : `${fixed}, which has thresholds of its own`, [
      "load_scaling_down_sensitivity",
    ]],
    [slow, "throughput scaling is off", [
      "throughput_adjustment_interval_seconds",
      "throughput_adjustment_interval",
      "max_throughput_scaling_replicas",
      "load_predictor",
      "load_predictor_log1p",
      "load_predictor_warmup_trace",
    ]],
    [!slow || predictor !== "constant", "load_predictor is constant", ["load_predictor_log1p"]],
    [slow && predictor === "prophet", slow ? `load_predictor is ${predictor}` : "throughput scaling is off", [
      "prophet_window_size",
    ]],
    [slow && predictor === "kalman", slow ? `load_predictor is ${predictor}` : "throughput scaling is off", [
      "kalman_q_level",
      "kalman_q_trend",
      "kalman_r",
      "kalman_min_points",
    ]],
    [target === "load", fixed, ["decode_scale_up_kv_rate", "decode_scale_down_kv_rate"]],
    [target === "load" && mode !== "agg", target === "load" ? "the engines are aggregated" : fixed, [
      "prefill_scale_up_queue_tokens",
      "prefill_scale_down_queue_tokens",
    ]],
  ];
  for (const [works, reason, keys] of rules) {
    if (works) continue;
    for (const key of keys) {
      if (given[key] === undefined || given[key] === null || isForced(key, given, config)) continue;
      yield `${key} has no effect: ${reason}`;
    }
  }
}

/** A scaling mode written the way the target forces it anyway says nothing wrong. */
function isForced(key: string, given: Record<string, unknown>, config: PlannerConfig): boolean {
  return key.startsWith("enable_") && given[key] === config[key as "enable_load_scaling"];
}
