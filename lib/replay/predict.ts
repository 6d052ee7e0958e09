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
import type { PredictionPlan } from "../config/plan.ts";
import { drive, type RunProgress } from "./drive.ts";
import type { RetuneDriver } from "./make_retune.ts";
import type { RecordedPlanner } from "../report/planner_recorder.ts";
import { Deployments, makePools, type ResolvedRole } from "./pools.ts";
import type { Report, RunMetadata } from "../report/report.ts";
import type { RetuneConfig } from "../retune/config.ts";
import { type Pools, simulate, type Simulation } from "./simulate.ts";
import { planTraffic } from "../traffic/plan.ts";

/** Options of {@linkcode predict}. */
export interface PredictOptions {
  /** Keeps a record of every request. Default false. */
  capturePerRequest?: boolean;
  /** Called now and then while the replay runs; what it throws ends it. */
  onProgress?: (progress: RunProgress) => void;
  /** Ends the replay with its reason. */
  signal?: AbortSignal;
  /** Workers a retune may run at once, whatever the plan says. Default: the host's processors. */
  mostParallel?: number;
  /** Told what was derived for each role (KV blocks, longest context) before the replay starts. */
  onResolved?: (roles: readonly ResolvedRole[]) => void;
  /** Told before the replay starts what its load and engines show to be in vain (an SLA out of reach). */
  onWarning?: (message: string) => void;
}

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
  for (const warning of traffic.warnings ?? []) options.onWarning?.(warning);
  const simulation: Simulation = {
    traffic,
    pools,
    sla: plan.sla && {
      ttftMs: plan.sla.ttftMs ?? undefined,
      itlMs: plan.sla.itlMs ?? undefined,
      e2eMs: plan.sla.e2eMs ?? undefined,
    },
    maxVirtualMs: plan.traffic.maxVirtualMs,
    capturePerRequest: options.capturePerRequest,
    hostMs: () => performance.now(),
    startedHostMs,
  };
  let retune: RetuneDriver | null = null;
  if (plan.planner !== null) {
    const { makePlanner } = await import("./make_planner.ts");
    const estimators = { first: plan.roles[0].estimator, last: plan.roles[plan.roles.length - 1].estimator };
    const planner = await makePlanner(simulation, plan.planner, {
      knowledge: { estimators, deployments },
      onWarning: options.onWarning,
    });
    if (plan.retune !== null) retune = await retuneOf(plan, plan.retune, simulation, planner, options);
  }
  try {
    const work = retune?.work;
    const report = await drive(simulate(simulation), { requestsTotal: traffic.workload.count, work, ...options });
    return { ...report, metadata: metadataOf(resolved) };
  } finally {
    retune?.close();
  }
}

const metadataOf = (roles: readonly ResolvedRole[]): RunMetadata => ({
  roles: roles.map(({ role, blocks, blockTokens, blocksFrom, maxModelTokens }) => ({
    role,
    kv_blocks: blocks,
    kv_block_tokens: blockTokens,
    kv_blocks_from: blocksFrom,
    max_model_tokens: maxModelTokens,
  })),
});

/** Retune around a plan's Planner. */
async function retuneOf(
  { roles, router, planner: config, traffic: { load } }: PredictionPlan,
  settings: RetuneConfig,
  simulation: Simulation,
  planner: RecordedPlanner,
  { mostParallel }: PredictOptions,
): Promise<RetuneDriver> {
  const { makeRetune } = await import("./make_retune.ts");
  const { policy, ...routerSettings } = router;
  const pools = "aggregated" in simulation.pools
    ? [simulation.pools.aggregated]
    : [simulation.pools.prefill, simulation.pools.decode];
  return await makeRetune(simulation, planner, {
    settings,
    recipe: {
      pools: pools.map((pool, i) => ({ settings: pool.settings, estimator: roles[i].estimator })),
      router: { name: policy, settings: routerSettings },
      planner: config,
    },
    speedup: load.type === "trace_timestamps" ? load.speedup : 1,
    mostParallel,
  });
}

/** KV block size of the workers that compute prompts. */
const blockTokens = (pools: Pools) =>
  ("aggregated" in pools ? pools.aggregated : pools.prefill).settings.rank.blockTokens;
