/**
 * What is worth saying before a run that is valid: options without effect, and budgets that decide the outcome.
 *
 * @module
 */
import { leavesNone } from "./autoscaler_section.ts";
import { rolesOf } from "./engine_section.ts";
import { budgetWarnings } from "../planner/budget_warnings.ts";
import { scalingModes } from "./planner_section.ts";
import type { Sections } from "./rules.ts";

/** Notes on valid sections. `given` tells whether the document has a path. */
export function* notes(sections: Sections, given: (path: string) => boolean): Generator<string> {
  const { engine, planner, autoscaler, traffic } = sections;
  for (const [role, { startup_seconds, timing, parallelism, scheduler }] of rolesOf(engine)) {
    if (scheduler.prefill_schedule_interval !== 1 && parallelism.attention_data === 1) {
      yield `engine.workers.${role}.scheduler.prefill_schedule_interval has no effect: ` +
        "it lets the ranks of attention_data take turns, and attention_data is 1";
    }
    if (startup_seconds > 0 && !planner && !autoscaler?.workers[role]) {
      yield `engine.workers.${role}.startup_seconds has no effect: without a Planner no worker is added`;
    }
    const path = `engine.workers.${role}.scheduler.max_batched_tokens`;
    if (engine.backend === "sglang" && given(path)) {
      yield `${path} does not limit SGLang's passes; it only enters the memory model`;
    }
    if (timing.type === "default" || !planner || planner.target !== "sla" || !scalingModes(planner).throughput) {
      continue;
    }
    yield `engine.workers.${role}.timing is ${timing.type}: the Planner's performance model starts from the operator ` +
      "database and disagrees with these workers until it has seen them run";
  }
  const own = rolesOf(engine).every(([, { context_length }]) => context_length !== null);
  if (own && given("engine.context_length")) {
    yield "engine.context_length has no effect: every role of workers has a context_length of its own";
  }
  for (const [role, { kv_cache: { bytes_per_token, capacity } }] of rolesOf(engine)) {
    const path = `engine.workers.${role}.kv_cache.bytes_per_token`;
    if (given(path) && bytes_per_token !== "auto" && capacity.bytes === null) {
      yield `${path} has no effect: it turns a capacity in bytes into blocks, and capacity.bytes is not given`;
    }
  }
  const shutdown = "execution.resources.shutdown_timeout_seconds";
  if (given(shutdown)) yield `${shutdown} has no effect: the run is one process that ends when its files are written`;
  if (autoscaler && traffic.load.type === "concurrency") {
    yield "traffic.load.type is concurrency: the load follows the capacity, whoever scales it";
  }
  const alone = autoscaler?.workers.aggregated;
  if (
    alone && "triggers" in alone && leavesNone(alone) && alone.triggers.every(({ metric }) => OF_WORKERS.has(metric))
  ) {
    yield "autoscaler.workers.aggregated may be scaled to zero, and none of its triggers can bring a worker back: " +
      `${[...OF_WORKERS].join(" and ")} are measured on workers; add a trigger on queue_depth, or min_replica_count: 1`;
  }
  if (planner) yield* plannerNotes(sections, planner, given);
  else if (given("planner") && !given("planner.policy")) {
    yield "planner.policy is disabled unless it is set: the planner section has no effect";
  }
}

/** Metrics that are zero while there are no workers. */
const OF_WORKERS: ReadonlySet<string> = new Set(["running_requests", "kv_usage"]);

function* plannerNotes(
  { engine, traffic }: Sections,
  planner: NonNullable<Sections["planner"]>,
  given: (path: string) => boolean,
): Generator<string> {
  const { advisory, target } = planner;
  const modes = scalingModes(planner);
  const { prefill } = engine.workers, decode = engine.workers.decode ?? engine.workers.aggregated;
  if (!modes.retuneOnly) {
    yield* budgetWarnings({
      maxGpus: planner.max_num_gpus,
      minGpus: planner.min_num_gpus,
      gpus: { prefill: gpusOf(prefill), decode: gpusOf(decode) },
      starting: { prefill: prefill?.parallelism.replicas ?? 0, decode: decode!.parallelism.replicas },
      minimum: {
        prefill: planner.prefill_min_workers ?? planner.min_workers,
        decode: planner.decode_min_workers ?? planner.min_workers,
      },
      names: { max: "planner.max_num_gpus", min: "planner.min_num_gpus" },
    });
  }
  if (advisory) yield "[ADVISORY] the Planner makes every decision and changes nothing";
  if (target !== "sla" && !modes.retuneOnly) {
    for (const key of ["enable_throughput_scaling", "enable_load_scaling"] as const) {
      if (planner[key] !== undefined) {
        yield `planner.${key} has no effect: target ${target} scales on load only`;
      }
    }
  }
  if (!modes.retuneOnly) {
    for (const [key, works, reason] of loadKeys(target, modes.load)) {
      if (!works && given(`planner.${key}`) && planner[key] !== null) yield `planner.${key} has no effect: ${reason}`;
    }
  }
  // Retune scores by the SLA, whatever the Planner aims at.
  if (target !== "sla" && given("evaluation.sla") && planner.retune == null) {
    yield `evaluation.sla does not steer the Planner: its target is ${target}`;
  }
  const predictorKeys = [
    ["load_predictor", true],
    ["load_predictor_log1p", true],
    ["load_predictor_warmup_trace", true],
    ["throughput_adjustment_interval_seconds", true],
    ["max_throughput_scaling_replicas", true],
    ["prophet_window_size", planner.load_predictor === "prophet"],
    ["kalman_q_level", planner.load_predictor === "kalman"],
    ["kalman_q_trend", planner.load_predictor === "kalman"],
    ["kalman_r", planner.load_predictor === "kalman"],
    ["kalman_min_points", planner.load_predictor === "kalman"],
  ] as const;
  for (const [key, fits] of predictorKeys) {
    if (!given(`planner.${key}`) || planner[key] === null) continue;
    if (!modes.throughput) yield `planner.${key} has no effect: throughput scaling is off`;
    else if (!fits && planner.retune == null) {
      yield `planner.${key} has no effect: load_predictor is ${planner.load_predictor}`;
    }
  }
  if (planner.retune != null) yield* retuneNotes(Object(planner.retune), modes, given);
  if (traffic.load.type === "concurrency") {
    yield "traffic.load.type is concurrency: the load follows the capacity, so the Planner sees no arrivals of its own";
  }
}

/** Keys that only some targets read. */
const loadKeys = (target: string, load: boolean) => {
  const sla = target === "sla";
  const model = `target ${target} uses no performance model`;
  return [
    [
      "load_scaling_down_sensitivity",
      sla && load,
      sla ? "load scaling is off" : `target ${target} has thresholds of its own`,
    ],
    ["load_min_observations", sla, model],
    ["max_num_fpm_samples", sla, model],
    ["fpm_sample_bucket_size", sla, model],
  ] as const;
};

/** GPUs of a replica as budgets count them. */
const gpusOf = (role: Sections["engine"]["workers"]["decode"]): number =>
  role ? role.parallelism.tensor * role.parallelism.pipeline * role.parallelism.attention_data : 0;

/** Keys of the section that only scaling reads; those of the predictors are told anyway. */
const SCALING_KEYS = [
  "max_num_gpus",
  "min_num_gpus",
  "min_workers",
  "prefill_min_workers",
  "decode_min_workers",
  "max_num_fpm_samples",
  "fpm_sample_bucket_size",
  "load_scaling_down_sensitivity",
  "load_min_observations",
];

function* retuneNotes(
  block: Record<string, unknown>,
  modes: ReturnType<typeof scalingModes>,
  given: (path: string) => boolean,
): Generator<string> {
  if (modes.retuneOnly) {
    for (const key of SCALING_KEYS.filter((key) => given(`planner.${key}`))) {
      yield `planner.${key} has no effect: both scaling modes are off, retune keeps the replicas`;
    }
  }
  if (block.history_seconds != null && !modes.throughput) {
    yield "planner.retune.history_seconds has no effect: throughput scaling is off, nothing reads history";
  }
  if (block.decision_latency_scale != null && block.decision_latency_seconds !== "measured") {
    yield "planner.retune.decision_latency_scale has no effect: decision_latency_seconds is not measured";
  }
}
