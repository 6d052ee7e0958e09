/**
 * A configuration's plan as a run.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import type { PredictionPlan, TrafficPlan } from "../config/plan.ts";
import type { Report } from "../report/report.ts";
import { predictionSummary } from "../report/summary.ts";
import { PLAIN_BLOCK_TOKENS } from "../traffic/plain_blocks.ts";
import type { TrafficSpec } from "../traffic/spec.ts";
import type { ReplayRun } from "./run.ts";
import { type ReplayRunOptions, RUN_OPTIONS } from "./run_options.ts";
import { Running } from "./running.ts";
import type { CaptureSpec, ReplaySpec } from "./spec.ts";

/** Options of {@linkcode predict}. */
export interface PredictOptions extends Omit<ReplayRunOptions, "ready"> {
  /** Keeps a record of every request. Default false. */
  capturePerRequest?: boolean;
  /** Virtual milliseconds between samples of traffic and schedulers; null for none. Default null. */
  telemetryIntervalMs?: number | null;
  /** Handed the run before it starts, for its streams; each stream that is taken must be read to its end. */
  onStart?: (run: ReplayRun) => void;
}

const { ready: _ready, ...REPLAY_OPTIONS } = RUN_OPTIONS;
const OPTIONS: OptionNames<PredictOptions> = {
  ...REPLAY_OPTIONS,
  capturePerRequest: true,
  telemetryIntervalMs: true,
  onStart: true,
};

const CAPTURE: OptionNames<CaptureSpec> = {
  perRequest: true,
  telemetryIntervalMs: true,
  plannerDetails: true,
  diagnostics: true,
};

/**
 * Runs a plan.
 *
 * @throws {TraceError} when a trace cannot be read.
 * @throws {ConfigError} when the plan names what is not known.
 * @throws {SimulationError} when the replay cannot go on.
 *
 * @example
 * ```ts
 * import { loadPrediction, predict } from "dynosim";
 *
 * const text = `
 * traffic: {source: {type: synthetic}, load: {concurrency: 8}, stop: {requests: 40}}
 * engine: {model: Qwen/Qwen3-32B, hardware: h200_sxm, workers: {aggregated: {parallelism: {tensor: 2}}}}
 * `;
 * const { plan } = await loadPrediction(text);
 * const { summary } = await predict(plan);
 * console.log(summary.completed_requests); // 40
 * ```
 */
export async function predict(plan: PredictionPlan, options: PredictOptions = {}): Promise<Report> {
  checkOptions("predict()", options, OPTIONS);
  const { capturePerRequest: perRequest, telemetryIntervalMs, onStart, ...rest } = options;
  const spec = planSpec(plan, { perRequest, telemetryIntervalMs });
  const report = await (onStart ? await shown(spec, rest, onStart) : new Running(spec, rest)).report;
  return { ...report, summary: predictionSummary(report.summary) };
}

/** A run with streams, shown to those who may want them. */
async function shown(spec: ReplaySpec, options: ReplayRunOptions, to: (run: ReplayRun) => void): Promise<ReplayRun> {
  const { run }: typeof import("./run.ts") = await import(import.meta.resolve("./run.ts"));
  const predicted = run(spec, options);
  to(predicted);
  return predicted;
}

/**
 * A plan as a run in plain data. What depends on facts of the model stays open.
 *
 * @param capture what the report keeps; by default neither requests nor telemetry
 *
 * @example
 * ```ts
 * import { loadPrediction, planSpec, run } from "dynosim";
 *
 * const text = `
 * traffic: {source: {type: synthetic}, load: {concurrency: 8}, stop: {requests: 40}}
 * engine: {model: Qwen/Qwen3-32B, hardware: h200_sxm, workers: {aggregated: {parallelism: {tensor: 2}}}}
 * `;
 * const { plan } = await loadPrediction(text);
 * const { summary } = await run(planSpec(plan)).report;
 * console.log(summary.completed_requests); // 40
 * ```
 */
export function planSpec(plan: PredictionPlan, capture: CaptureSpec = {}): ReplaySpec {
  checkOptions("planSpec()", capture, CAPTURE);
  const { roles, router, planner, autoscaler, retune, sla, price, traffic } = plan;
  const { policy, policyFile = null, ...settings } = router.policy === "kv_router" ? router : { policy: router.policy };
  return {
    traffic: trafficSpec(traffic, roles[0].estimator.model, plan.stack),
    roles: roles.map(({ role, replicas, launch, estimator, passTiming, ...open }) => ({
      role,
      replicas,
      launch,
      estimator,
      ...(passTiming === null ? {} : { passTiming }),
      open: {
        capacity: open.capacity,
        contextTokens: open.contextTokens,
        transferBytesPerToken: open.transferBytesPerToken,
      },
    })),
    router: { policy, settings, policyFile },
    // What is in vain was said when the configuration was read.
    autoscaler: planner
      ? { kind: "planner", config: planner, written: null }
      : autoscaler && { ...autoscaler, written: null },
    retune,
    sla: sla && {
      ttftMs: sla.ttftMs ?? undefined,
      itlMs: sla.itlMs ?? undefined,
      e2eMs: sla.e2eMs ?? undefined,
    },
    price,
    maxVirtualMs: Number.isFinite(traffic.maxVirtualMs) ? traffic.maxVirtualMs : null,
    cutoff: traffic.cutoff,
    stack: plan.stack,
    capture,
  };
}

function trafficSpec({ source, load }: TrafficPlan, model: string, stack: PredictionPlan["stack"]): TrafficSpec {
  if (source.type === "trace") {
    return {
      type: "trace",
      paths: source.paths,
      format: source.format,
      blockTokens: source.blockTokens ?? undefined,
      model,
      ...(load.type === "trace_timestamps"
        ? { speedup: load.speedup, lanes: load.agenticLanes ?? undefined }
        : load.type === "concurrency"
        ? { concurrency: load.concurrency }
        : {}),
    };
  }
  const { type: _, ...shape } = source;
  return {
    ...shape,
    type: "synthetic",
    // As in the newest release: only its engine stack plays sessions as conversations.
    ...(source.type === "synthetic-session" && stack === "engine" ? { growingPrompts: true } : {}),
    ...(source.type === "synthetic" && !source.cachedPrefixTokens ? { blockTokens: PLAIN_BLOCK_TOKENS } : {}),
    ...(load.type === "concurrency"
      ? { concurrency: load.concurrency }
      : load.type === "constant_rate"
      ? { arrivalIntervalMs: 1000 / load.perSecond }
      : load.type === "poisson"
      ? { requestsPerSecond: load.perSecond, seed: load.seed }
      : {}),
  };
}
