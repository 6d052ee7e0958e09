/**
 * Makes the Planner of a run: what it knows of the engines, the performance model it starts with, and past traffic for
 * its predictors.
 *
 * @module
 */
import type { PoolSpec } from "../cluster/spec.ts";
import type { EstimatorConfig } from "../config/plan.ts";
import { TraceError } from "../errors.ts";
import { sha256OfText } from "../io/digest.ts";
import {
  type Bootstrap,
  type BootstrapRole,
  estimatedPasses,
  failedBootstrap,
  noBootstrap,
} from "../planner/bootstrap.ts";
import { capabilitiesOf } from "../planner/capabilities.ts";
import { parsePlannerConfig, type PlannerConfig } from "../planner/config.ts";
import type { TrafficObservation } from "../forecast/history.ts";
import { configIdentity } from "../report/planner_metadata.ts";
import { RecordedPlanner } from "../report/planner_recorder.ts";
import { readWarmupTrace } from "../trace/read_warmup_trace.ts";
import { plannerWarnings } from "../planner/warnings.ts";
import { PassCorrection } from "../timing/calibration/correction.ts";
import type { CalibrationProfile } from "../timing/calibration/profile.ts";
import type { Deployments } from "../timing/deployments.ts";
import type { AutoscalerContext } from "./autoscaler.ts";
import { outOfReach } from "./reach.ts";

/**
 * Makes the Planner of a run.
 *
 * @param given configuration in PlannerConfig names
 * @param written what a person wrote of it, of which is said what is in vain; null says nothing
 * @throws {ConfigError} when the configuration does not fit.
 * @throws {TraceError} when the load is one that a Planner cannot follow.
 */
export async function makePlanner(
  given: unknown,
  written: Readonly<Record<string, unknown>> | null,
  context: AutoscalerContext,
): Promise<RecordedPlanner> {
  const { pools, traffic, estimators, capture, history, onWarning } = context;
  if (traffic.agents) throw new TraceError("scaling_policy replay does not support agentic Dynamo request traces");
  const config = parsePlannerConfig(given);
  const decode = pools[pools.length - 1], prefill = pools.length > 1 ? pools[0] : null;
  if (onWarning && config.optimization_target === "sla") {
    const bounds = { ttftMs: config.ttft_ms, itlMs: config.itl_ms };
    for (const bound of outOfReach(bounds, pools, traffic.workload)) onWarning(`the Planner's ${bound}`);
  }
  const engines = {
    prefill: prefill && capabilitiesOf(prefill.settings, pipelineOf(prefill, estimators[0])),
    decode: capabilitiesOf(decode.settings, pipelineOf(decode, estimators[pools.length - 1])),
  };
  const model = await firstModel(config, { prefill, decode }, context);
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
  const digest = await sha256OfText(configIdentity(config));
  return new RecordedPlanner({
    config,
    engines,
    sha256: () => digest,
    bootstrap: model,
    history: history ?? await pastTraffic(config),
    captureDetails: capture.plannerDetails,
  });
}

/** Pipeline stages count as GPUs of a replica where the timing knows of them. */
const pipelineOf = ({ settings }: PoolSpec, estimator: EstimatorConfig | null) => ({
  pipelineParallel: settings.rank.timing.type === "external" ? estimator?.pp ?? 1 : 1,
});

/** Passes estimated from the operator database, where the target needs a performance model. */
async function firstModel(
  config: PlannerConfig,
  pools: { prefill: PoolSpec | null; decode: PoolSpec },
  { estimators, calibrations, deployments }: AutoscalerContext,
): Promise<Bootstrap> {
  if (config.optimization_target !== "sla") return noBootstrap;
  const first = estimators[0], last = estimators[estimators.length - 1];
  if (first === null || last === null) {
    const nothing = { engine: engineOf(pools.decode), estimator: null };
    return estimatedPasses({ prefill: pools.prefill && nothing, decode: nothing });
  }
  try {
    const { identity, ...model } = estimatedPasses({
      prefill: pools.prefill && await startOf(first, pools.prefill, deployments, calibrations[0]),
      decode: await startOf(last, pools.decode, deployments, calibrations[calibrations.length - 1]),
    });
    if (identity !== null) model.metadata.fpm_sha256 = await sha256OfText(identity);
    return model;
  } catch (error) {
    if (config.enable_throughput_scaling) throw error;
    return failedBootstrap;
  }
}

async function startOf(
  estimator: EstimatorConfig,
  pool: PoolSpec,
  deployments: Deployments,
  calibration: CalibrationProfile | null,
): Promise<BootstrapRole> {
  const correction = calibration && new PassCorrection(calibration);
  const model = (await deployments.of(estimator)).forwardPassModel();
  return {
    engine: engineOf(pool),
    estimator: {
      estimateMs: (pass) => {
        const { prefillRequests, prefillTokens, prefillKvTokens, decodeRequests, decodeKvTokens } = pass;
        const ms = model.sumsMs(prefillRequests, prefillTokens, prefillKvTokens, decodeRequests, decodeKvTokens);
        if (correction === null) return ms;
        const width = model.nextn + 1;
        const decodes = decodeRequests / width, contextTokens = decodeKvTokens / width;
        return correction.passMs(ms, prefillTokens, decodes, prefillKvTokens, contextTokens, prefillRequests);
      },
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
  // only the throughput loop forecasts
  if (!pattern || !config.enable_throughput_scaling) return undefined;
  return (await readWarmupTrace(pattern)).intervals(config.throughput_adjustment_interval_seconds);
}
