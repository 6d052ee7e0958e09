/**
 * Puts the Planner into a simulation: what it knows of the engines, the performance model it starts with, past traffic
 * for its predictors, and its part of the report.
 *
 * @module
 */
import type { PoolSpec } from "../cluster/spec.ts";
import type { EstimatorConfig } from "../config/plan.ts";
import { TraceError } from "../errors.ts";
import { readBytes } from "../io/bytes.ts";
import { sha256 } from "../io/digest.ts";
import { filesAt } from "../io/folders.ts";
import { type Bootstrap, bootstrap, type BootstrapRole, failedBootstrap, noBootstrap } from "../planner/bootstrap.ts";
import { capabilitiesOf } from "../planner/capabilities.ts";
import { parsePlannerConfig, type PlannerConfig } from "../planner/config.ts";
import type { TrafficObservation } from "../forecast/history.ts";
import { timingEstimator } from "../planner/model/timing_estimator.ts";
import { RecordedPlanner } from "../report/planner_recorder.ts";
import { warmupFiles, WarmupTrace } from "../trace/warmup_trace.ts";
import { plannerWarnings, unreachableBounds } from "../planner/warnings.ts";
import type { Deployments } from "./pools.ts";
import type { Simulation } from "./simulate.ts";

/** What the Planner may know of the hardware behind each pool: identities for the operator database. */
export interface PlannerKnowledge {
  /** Identity of the first pool (aggregated or prefill) and of the last (aggregated or decode); null when unknown. */
  estimators: { first: EstimatorConfig; last: EstimatorConfig } | null;
  deployments: Deployments;
}

export interface MakePlannerOptions {
  /** Without it the Planner starts with no performance model. */
  knowledge?: PlannerKnowledge | null;
  /** Whether the report keeps ticks and lifecycle operations. Default true. */
  captureDetails?: boolean;
  /** Past traffic for the predictors. Default: that of the configured warm-up trace. */
  history?: readonly TrafficObservation[];
  /** What a person wrote of the configuration: `onWarning` is told which of it is in vain. Default nothing. */
  written?: Record<string, unknown> | null;
  /** Also told when no number of replicas can keep the SLA. */
  onWarning?: (message: string) => void;
}

/**
 * Adds a Planner to a simulation that has its pools.
 *
 * @param given configuration in PlannerConfig names
 * @throws {ConfigError} when the configuration does not fit.
 * @throws {TraceError} when the load is one that a Planner cannot follow.
 */
export async function makePlanner(
  simulation: Simulation,
  given: unknown,
  { knowledge = null, captureDetails, history, written = null, onWarning }: MakePlannerOptions = {},
): Promise<RecordedPlanner> {
  const { pools, traffic } = simulation;
  if (traffic.agents) throw new TraceError("scaling_policy replay does not support agentic Dynamo request traces");
  const config = parsePlannerConfig(given);
  const decode = "aggregated" in pools ? pools.aggregated : pools.decode;
  const prefill = "aggregated" in pools ? null : pools.prefill;
  if (onWarning && config.optimization_target === "sla") {
    for (const bound of outOfReach(config, prefill ?? decode, decode, simulation)) onWarning(`the Planner's ${bound}`);
  }
  const engines = {
    prefill: prefill && capabilitiesOf(prefill.settings, pipelineOf(prefill, knowledge?.estimators?.first)),
    decode: capabilitiesOf(decode.settings, pipelineOf(decode, knowledge?.estimators?.last)),
  };
  const model = await firstModel(config, { prefill, decode }, knowledge);
  if (written !== null && onWarning) {
    const replicas = { prefill: prefill?.replicas ?? 0, decode: decode.replicas };
    for (const warning of plannerWarnings(written, config, { engines, replicas })) {
      onWarning(warning.startsWith("[") ? warning : `the Planner's ${warning}`);
    }
    if (config.enable_throughput_scaling && model.metadata.status === "not_configured_load_only") {
      onWarning(
        "the engines name no timing model of the operator database, so the Planner starts without a performance model: " +
          "throughput-based scaling falls back to load-based scaling",
      );
    }
  }
  const planner = new RecordedPlanner({
    config,
    engines,
    sha256,
    bootstrap: model,
    history: history ?? await pastTraffic(config),
    captureDetails,
  });
  simulation.policy = planner;
  simulation.plannerSection = ({ lifecycle }) => planner.recorder.section(lifecycle);
  return planner;
}

/** Bounds that requests of the load's mean length miss on idle engines. */
function outOfReach(config: PlannerConfig, first: PoolSpec, decode: PoolSpec, { traffic }: Simulation): string[] {
  const { inputTokens, outputTokens, count } = traffic.workload;
  if (count === 0) return [];
  const mean = (tokens: Int32Array) => tokens.reduce((sum, value) => sum + value, 0) / count;
  const estimator = ({ timing, settings: { rank } }: PoolSpec) =>
    timingEstimator(timing, rank.blocks * rank.blockTokens);
  return unreachableBounds({
    ttftMs: config.ttft_ms,
    itlMs: config.itl_ms,
    inputTokens: mean(inputTokens),
    outputTokens: mean(outputTokens),
    prefill: estimator(first),
    decode: estimator(decode),
    maxBatchedTokens: first.settings.rank.maxBatchedTokens,
  });
}

/** Pipeline stages count as GPUs of a replica where the timing knows of them. */
const pipelineOf = ({ settings }: PoolSpec, estimator?: EstimatorConfig) => ({
  pipelineParallel: settings.rank.timing.type === "external" ? estimator?.pp ?? 1 : 1,
});

/** Passes estimated from the operator database, where the target needs a performance model. */
async function firstModel(
  config: PlannerConfig,
  pools: { prefill: PoolSpec | null; decode: PoolSpec },
  knowledge: PlannerKnowledge | null,
): Promise<Bootstrap> {
  if (config.optimization_target !== "sla") return noBootstrap;
  const estimators = knowledge?.estimators ?? null;
  if (estimators === null) {
    const nothing = { engine: engineOf(pools.decode), estimator: null };
    return bootstrap({ prefill: pools.prefill && nothing, decode: nothing }, sha256);
  }
  try {
    const { deployments } = knowledge!;
    return bootstrap({
      prefill: pools.prefill && await startOf(estimators.first, pools.prefill, deployments),
      decode: await startOf(estimators.last, pools.decode, deployments),
    }, sha256);
  } catch (error) {
    if (config.enable_throughput_scaling) throw error;
    return failedBootstrap;
  }
}

async function startOf(estimator: EstimatorConfig, pool: PoolSpec, deployments: Deployments): Promise<BootstrapRole> {
  const model = (await deployments.of(estimator)).forwardPassModel();
  return {
    engine: engineOf(pool),
    estimator: {
      estimateMs: (pass) =>
        model.sumsMs(
          pass.prefillRequests,
          pass.prefillTokens,
          pass.prefillKvTokens,
          pass.decodeRequests,
          pass.decodeKvTokens,
        ),
    },
  };
}

function engineOf({ settings: { rank } }: PoolSpec): BootstrapRole["engine"] {
  const limit = (value: number) => Number.isFinite(value) ? value : null;
  return {
    maxBatchedTokens: limit(rank.maxBatchedTokens),
    maxSequences: limit(rank.maxSequences),
    kvTokens: rank.blocks * rank.blockTokens,
    speculationDepth: rank.acceptRates?.length ?? null,
  };
}

/** Traffic of an earlier trace by throughput interval, for the predictors. */
async function pastTraffic(config: PlannerConfig): Promise<TrafficObservation[] | undefined> {
  const pattern = config.load_predictor_warmup_trace;
  if (!pattern) return undefined;
  return (await readWarmupTrace(pattern)).intervals(config.throughput_adjustment_interval_seconds);
}

/** Reads the files that a warm-up trace's path, folder or glob names. */
export async function readWarmupTrace(pattern: string): Promise<WarmupTrace> {
  const trace = new WarmupTrace();
  for (const file of warmupFiles(pattern, filesAt(pattern))) {
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of readBytes(file)) text += decoder.decode(bytes, { stream: true });
    text.split("\n").forEach((line, i) => trace.add({ file, line: i + 1, text: line }));
  }
  return trace;
}
