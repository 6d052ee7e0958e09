/**
 * Puts the Planner into a simulation: what it knows of the engines, the performance model it starts with, past traffic
 * for its predictors, and its part of the report.
 *
 * @module
 */
import type { PoolSpec } from "./cluster/spec.ts";
import type { PredictionPlan, RolePlan } from "./config/plan.ts";
import { readBytes } from "./io/bytes.ts";
import { sha256 } from "./io/digest.ts";
import { filesAt } from "./io/folders.ts";
import { type Bootstrap, bootstrap, type BootstrapRole, failedBootstrap, noBootstrap } from "./planner/bootstrap.ts";
import { capabilitiesOf } from "./planner/capabilities.ts";
import { parsePlannerConfig, type PlannerConfig } from "./planner/config.ts";
import { Planner } from "./planner/planner.ts";
import type { TrafficObservation } from "./planner/forecast.ts";
import { warmupFiles, warmupIntervals, type WarmupLine } from "./planner/warmup.ts";
import type { Deployments } from "./pools.ts";
import type { Simulation } from "./simulate.ts";

/** Adds the plan's Planner to a simulation that has its pools. */
export async function withPlanner(
  simulation: Simulation,
  plan: PredictionPlan,
  deployments: Deployments,
): Promise<void> {
  const { pools } = simulation;
  const config = parsePlannerConfig(plan.planner);
  const decode = "aggregated" in pools ? pools.aggregated : pools.decode;
  const prefill = "aggregated" in pools ? null : pools.prefill;
  const planner = new Planner({
    config,
    engines: {
      prefill: prefill && capabilitiesOf(prefill.settings, pipelineOf(plan.roles[0])),
      decode: capabilitiesOf(decode.settings, pipelineOf(plan.roles[plan.roles.length - 1])),
    },
    sha256,
    bootstrap: await firstModel(config, plan.roles, { prefill, decode }, deployments),
    history: await pastTraffic(config),
  });
  simulation.policy = planner;
  simulation.plannerSection = ({ lifecycle }) => planner.recorder.section(lifecycle);
}

/** Pipeline stages count as GPUs of a replica where the timing knows of them. */
const pipelineOf = ({ timing, estimator }: RolePlan) => ({
  pipelineParallel: timing === "default" ? estimator.pp : 1,
});

/** Passes estimated from the operator database, where the target needs a performance model. */
async function firstModel(
  config: PlannerConfig,
  roles: readonly RolePlan[],
  pools: { prefill: PoolSpec | null; decode: PoolSpec },
  deployments: Deployments,
): Promise<Bootstrap> {
  if (config.optimization_target !== "sla") return noBootstrap;
  try {
    const [first, last] = [roles[0], roles[roles.length - 1]];
    return bootstrap({
      prefill: pools.prefill && await startOf(first, pools.prefill, deployments),
      decode: await startOf(last, pools.decode, deployments),
    }, sha256);
  } catch (error) {
    if (config.enable_throughput_scaling) throw error;
    return failedBootstrap;
  }
}

async function startOf(role: RolePlan, pool: PoolSpec, deployments: Deployments): Promise<BootstrapRole> {
  const { rank } = pool.settings;
  const model = (await deployments.of(role.estimator)).forwardPassModel();
  const limit = (value: number) => Number.isFinite(value) ? value : null;
  return {
    engine: {
      maxBatchedTokens: limit(rank.maxBatchedTokens),
      maxSequences: limit(rank.maxSequences),
      kvTokens: rank.blocks * rank.blockTokens,
      speculationDepth: rank.acceptRates?.length ?? null,
    },
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

/** Traffic of an earlier trace by throughput interval, for the predictors. */
async function pastTraffic(config: PlannerConfig): Promise<TrafficObservation[] | undefined> {
  const pattern = config.load_predictor_warmup_trace;
  if (!pattern) return undefined;
  const lines: WarmupLine[] = [];
  for (const file of warmupFiles(pattern, filesAt(pattern))) {
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of readBytes(file)) text += decoder.decode(bytes, { stream: true });
    text.split("\n").forEach((line, i) => lines.push({ file, line: i + 1, text: line }));
  }
  return warmupIntervals(lines, config.throughput_adjustment_interval_seconds);
}
