/**
 * What is worth saying before a run with a Planner: the budget is already spent, the SLA is out of reach, an option does
 * nothing. Pure functions; texts only.
 *
 * @module
 */
import { checkOptions, nearName, type OptionNames } from "../errors.ts";
import type { Pair } from "./budget.ts";
import type { DeploymentCapabilities } from "./capabilities.ts";
import { isRetuneOnly, type PlannerConfig } from "./config.ts";
import { keysWithoutEffect, plannerConfigKeys } from "./config_fields.ts";
import { chunkedSeconds, emptyPass, type PassEstimator, passSeconds } from "./model/pass.ts";

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

/** What a budget is compared with; a negative bound is off. GPUs are those of one replica of each role. */
export interface BudgetQuestion {
  maxGpus: number;
  minGpus: number;
  gpus: Pair;
  starting: Pair;
  /** Fewest replicas the Planner keeps. */
  minimum: Pair;
  /** What the two bounds are called where they were written. */
  names: { max: string; min: string };
}

/** Whether the starting deployment leaves room to scale. */
export function* budgetWarnings(question: BudgetQuestion): Generator<string> {
  const { maxGpus: most, minGpus: least, gpus, names: { max, min } } = question;
  const total = (replicas: Pair) => replicas.prefill * gpus.prefill + replicas.decode * gpus.decode;
  const starting = total(question.starting), needed = total(question.minimum);
  if (most >= 0 && needed > most) {
    yield `the minimum replicas need ${needed} GPUs and ${max} is ${most}: the Planner will scale to 0`;
  } else if (most >= 0 && starting > most) {
    yield `the starting replicas take ${starting} GPUs and ${max} is ${most}: the first decision removes some`;
  } else if (most >= 0 && starting === most) {
    yield `${max} (${most}) is used up by the starting replicas (${starting} GPUs): every scale-up will be held`;
  } else if (most >= 0 && starting + Math.min(gpus.prefill || gpus.decode, gpus.decode) > most) {
    yield `${max} (${most}) leaves no room for another replica beside the starting ${starting} GPUs`;
  } else if (most >= 0) {
    const used = mostUsable(most, gpus, question.minimum);
    if (used < most) yield `${max} (${most}) cannot be used up: ${engineSizes(gpus)}, so at most ${used} will run`;
  }
  if (least >= 0 && most >= 0 && least > most) yield `${min} (${least}) is above ${max} (${most}): no deployment fits`;
}

/** Most GPUs that whole replicas take within a budget. */
function mostUsable(most: number, gpus: Pair, { prefill: least, decode }: Pair): number {
  const withDecode = (taken: number) => taken + Math.floor((most - taken) / gpus.decode) * gpus.decode;
  if (gpus.prefill === 0) return withDecode(0);
  let used = 0;
  for (let count = least; count * gpus.prefill + decode * gpus.decode <= most && used < most; count++) {
    used = Math.max(used, withDecode(count * gpus.prefill));
  }
  return used;
}

const engineSizes = ({ prefill, decode }: Pair): string =>
  prefill === 0
    ? `an engine takes ${decode} GPUs`
    : `a prefill engine takes ${prefill} GPUs and a decode engine ${decode}`;

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

/** What a run's SLA is checked against. */
export interface ReachQuestion {
  /** Bound on TTFT in milliseconds. */
  ttftMs: number;
  /** Bound on ITL in milliseconds. */
  itlMs: number;
  /** Mean lengths of the load in tokens. */
  inputTokens: number;
  /** See `inputTokens`. */
  outputTokens: number;
  /** Pass times of the engines that compute prompts and of those that decode (one and the same when aggregated). */
  prefill: PassEstimator;
  /** See `prefill`. */
  decode: PassEstimator;
  /** Token budget of a prefill pass; `Infinity` for none. */
  maxBatchedTokens: number;
}

const REACH_QUESTION: OptionNames<ReachQuestion> = {
  ttftMs: true,
  itlMs: true,
  inputTokens: true,
  outputTokens: true,
  prefill: true,
  decode: true,
  maxBatchedTokens: true,
};

/**
 * Bounds an idle engine already misses for a request of mean length: no number of replicas can keep them.
 *
 * @example
 * ```ts
 * import { fixed, timingEstimator, unreachableBounds } from "dynosim";
 *
 * const engine = timingEstimator(fixed({ prefillMs: 400, decodeMs: 20 }), 65_536);
 * const bounds = { ttftMs: 300, itlMs: 50, inputTokens: 2000, outputTokens: 100 };
 * console.log(unreachableBounds({ ...bounds, prefill: engine, decode: engine, maxBatchedTokens: 8192 }).length); // 1
 * ```
 */
export function unreachableBounds(question: ReachQuestion): string[] {
  checkOptions("unreachableBounds()", question, REACH_QUESTION);
  const { ttftMs, itlMs } = question;
  const input = Math.max(1, Math.ceil(question.inputTokens)), output = Math.max(1, Math.ceil(question.outputTokens));
  const alone = { prefillRequests: 1, decodeRequests: 0, decodeKvTokens: 0 };
  const chunk = Number.isFinite(question.maxBatchedTokens) ? question.maxBatchedTokens : input;
  const prompt = chunkedSeconds(question.prefill, input, Math.max(1, chunk), alone);
  const context = input + Math.floor(output / 2);
  const step = passSeconds(question.decode, { ...emptyPass, decodeRequests: 1, decodeKvTokens: context });
  const found: string[] = [];
  const missed = (seconds: number | null, bound: number): seconds is number =>
    seconds !== null && seconds * 1000 > bound;
  if (missed(prompt, ttftMs)) {
    found.push(
      `ttft_ms ${ttftMs} is out of reach: a prompt of ${input} tokens, nothing of it cached, takes an idle engine ` +
        `${milliseconds(prompt)} ms`,
    );
  }
  if (missed(step, itlMs)) {
    found.push(
      `itl_ms ${itlMs} is out of reach: a decode step of one sequence of ${context} tokens takes ${
        milliseconds(step)
      } ms`,
    );
  }
  return found;
}

const milliseconds = (seconds: number) => Number((seconds * 1000).toPrecision(4)).toString();
