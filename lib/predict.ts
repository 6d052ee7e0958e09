/**
 * The whole system in one page: a plan (or a trace and options) becomes a load, pools, a router and a Planner; they are
 * simulated; what happened is reported. Every part can be put together the same way in a script.
 *
 *     load ─┐
 *     pools ┼─ simulate ─ report
 *     policy┘
 *
 * @module
 */
import type { PredictionPlan } from "./config/plan.ts";
import { drive, type RunProgress } from "./drive.ts";
import { Deployments, makePools, type ResolvedRole } from "./pools.ts";
import type { Report } from "./report/report.ts";
import { type Pools, simulate, type Simulation } from "./simulate.ts";
import { planTraffic } from "./traffic/plan.ts";

/** Options of {@linkcode predict}. */
export interface PredictOptions {
  /** Keeps a record of every request. Default false. */
  capturePerRequest?: boolean;
  /** Called now and then while the replay runs; what it throws ends it. */
  onProgress?: (progress: RunProgress) => void;
  /** Ends the replay with its reason. */
  signal?: AbortSignal;
  /** Told what was derived for each role (KV blocks, longest context) before the replay starts. */
  onResolved?: (roles: readonly ResolvedRole[]) => void;
}

/**
 * Runs a plan.
 *
 * @throws {TraceError} when a trace cannot be read.
 * @throws {ConfigError} when the plan names what is not known.
 * @throws {SimulationError} when the replay cannot go on.
 */
export async function predict(plan: PredictionPlan, options: PredictOptions = {}): Promise<Report> {
  const startedHostMs = performance.now();
  const deployments = new Deployments();
  const made = makePools(plan, deployments);
  const [traffic, { pools, resolved }] = await Promise.all([
    planTraffic(plan.traffic, {
      model: plan.roles[0].estimator.model,
      engineBlockTokens: async () => blockTokens((await made).pools),
    }),
    made,
  ]);
  options.onResolved?.(resolved);
  const simulation: Simulation = {
    traffic,
    pools,
    sla: plan.sla && {
      ttftMs: plan.sla.ttftMs ?? undefined,
      itlMs: plan.sla.itlMs ?? undefined,
      e2eMs: plan.sla.e2eMs ?? undefined,
    },
    maxSimMs: plan.traffic.maxVirtualMs,
    capturePerRequest: options.capturePerRequest,
    hostMs: () => performance.now(),
    startedHostMs,
  };
  if (plan.planner !== null) {
    const { makePlanner } = await import("./make_planner.ts");
    const estimators = { first: plan.roles[0].estimator, last: plan.roles[plan.roles.length - 1].estimator };
    await makePlanner(simulation, plan.planner, { knowledge: { estimators, deployments } });
  }
  return await drive(simulate(simulation), { requestsTotal: traffic.workload.count, ...options });
}

/** KV block size of the workers that compute prompts. */
const blockTokens = (pools: Pools) =>
  ("aggregated" in pools ? pools.aggregated : pools.prefill).settings.rank.blockTokens;
