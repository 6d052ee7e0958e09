/**
 * The twins of the reference's Python entry points: same options (in camelCase), same mappings (in the file's
 * snake_case), same report.
 *
 * @module
 */
import type { PoolSpec } from "../cluster/spec.ts";
import type { EstimatorConfig } from "../config/plan.ts";
import { drive } from "./drive.ts";
import { parseLaunch } from "../engine/launch/launch.ts";
import type { RetuneDriver } from "./make_retune.ts";
import type { RecordedPlanner } from "../report/planner_recorder.ts";
import type { WorkerSettings } from "../engine/settings.ts";
import { ConfigError } from "../errors.ts";
import { writeFileAtomically } from "../io/atomic.ts";
import { Deployments } from "./pools.ts";
import {
  checkSyntheticOptions,
  checkTraceOptions,
  type ReplayCallOptions,
  type SyntheticReplayOptions,
  type TraceReplayOptions,
} from "./replay_options.ts";
import { checkSla, type Sla } from "../report/sla.ts";
import { type Report, requestLines } from "../report/report.ts";
import { readKvRouterConfig } from "../router/kv_config.ts";
import { kvRouter } from "../router/kv_factory.ts";
import { routerByName } from "../router/registry.ts";
import type { RouterFactory } from "../router/router.ts";
import { type Pools, simulate, type Simulation } from "./simulate.ts";
import { fixed } from "../timing/fixed.ts";
import { polynomial } from "../timing/polynomial.ts";
import type { Timing } from "../timing/timing.ts";
import { loadTrace } from "../traffic/load_trace.ts";
import type { Traffic } from "../traffic/workload.ts";

/**
 * Replays trace files.
 *
 * @param files paths; every format but `dynamo` takes exactly one
 * @throws {TraceError} when a trace cannot be read.
 * @throws {ConfigError} when the options do not fit.
 * @throws {SimulationError} when the replay cannot go on.
 *
 * @example
 * ```ts
 * import { runTraceReplay } from "dynosim";
 *
 * const { summary } = await runTraceReplay(["fixtures/traces/chat.jsonl"], { numWorkers: 2, slaTtftMs: 1500, slaItlMs: 50 });
 * console.log(summary.num_requests === summary.completed_requests); // true
 * ```
 */
export async function runTraceReplay(files: readonly string[], options: TraceReplayOptions = {}): Promise<Report> {
  checkTraceOptions(options);
  return await run(options, () =>
    loadTrace(files, {
      format: options.traceFormat,
      blockTokens: options.traceBlockSize,
      speedup: options.arrivalSpeedupRatio,
      concurrency: options.replayConcurrency,
      lanes: options.agenticLanes,
      model: options.executionModel,
      sharedPrefixRatio: options.traceSharedPrefixRatio,
      prefixGroups: options.traceNumPrefixGroups,
    }), options.maxSimTimeMs);
}

/**
 * Replays requests of constant length that no trace tells.
 *
 * @throws {ConfigError} when the options do not fit.
 * @throws {SimulationError} when the replay cannot go on.
 *
 * @example
 * ```ts
 * import { runSyntheticTraceReplay } from "dynosim";
 *
 * const { summary } = await runSyntheticTraceReplay(1024, 8, 6, { replayConcurrency: 3, numWorkers: 2 });
 * console.log(summary.duration_ms, summary.mean_ttft_ms); // 184.683273 41.6216355
 * ```
 */
export async function runSyntheticTraceReplay(
  inputTokens: number,
  outputTokens: number,
  requestCount: number,
  options: SyntheticReplayOptions = {},
): Promise<Report> {
  checkSyntheticOptions(options);
  const { syntheticTraffic } = await import("../traffic/synthetic.ts");
  return await run(options, (pools) =>
    Promise.resolve(syntheticTraffic({
      inputTokens,
      outputTokens,
      count: requestCount,
      concurrency: options.replayConcurrency,
      requestsPerSecond: options.requestRate,
      arrivalIntervalMs: options.arrivalIntervalMs,
      seed: options.arrivalSeed,
      speedup: options.arrivalSpeedupRatio,
      turns: options.turnsPerSession,
      sharedPrefixRatio: options.sharedPrefixRatio,
      prefixGroups: options.numPrefixGroups,
      interTurnDelayMs: options.interTurnDelayMs,
      blockTokens: ("aggregated" in pools ? pools.aggregated : pools.prefill).settings.rank.blockTokens,
    })));
}

/** Replays a load on what the options describe. */
async function run(
  options: ReplayCallOptions,
  load: (pools: Pools) => Promise<Traffic>,
  maxVirtualMs?: number,
): Promise<Report> {
  const startedHostMs = performance.now();
  const deployments = new Deployments();
  const sla = slaOf(options);
  if (options.telemetrySampleIntervalMs !== undefined && !options.captureTelemetry) {
    throw new ConfigError("telemetry_sample_interval_ms has no effect without capture_telemetry");
  }
  const { pools, estimators } = await makePools(options, deployments);
  const traffic = await load(pools);
  const { onWarning = (message: string) => console.warn(`dynosim: ${message}`) } = options;
  for (const warning of traffic.warnings ?? []) onWarning(warning);
  const simulation: Simulation = {
    traffic,
    pools,
    sla,
    maxVirtualMs,
    capturePerRequest: options.capturePerRequest || options.reportJsonlPath !== undefined,
    telemetryIntervalMs: options.captureTelemetry ? options.telemetrySampleIntervalMs ?? 1000 : null,
    hostMs: () => performance.now(),
    startedHostMs,
  };
  let planner: RecordedPlanner | null = null, retune: RetuneDriver | null = null;
  if (options.plannerConfig !== undefined) {
    const { makePlanner } = await import("./make_planner.ts");
    const { readPlannerConfig } = await import("../config/planner_source.ts");
    const written = await readPlannerConfig(options.plannerConfig);
    planner = await makePlanner(simulation, written, {
      written,
      onWarning,
      knowledge: { estimators, deployments },
      captureDetails: options.capturePlannerDetails,
    });
    if (planner.config.retune !== null) {
      retune = await retuneOf(planner, simulation, options, estimators);
    }
  } else if (options.capturePlannerDetails !== undefined) {
    throw new ConfigError("capture_planner_details has no effect without planner_config");
  }
  const report = await driven(simulation, options, retune);
  if (planner !== null) {
    const { writePlannerDiagnostics } = await import("./planner_diagnostics.ts");
    const { rank } = ("aggregated" in pools ? pools.aggregated : pools.decode).settings;
    const kvCapacityTokens = rank.blocks * rank.blockTokens;
    await writePlannerDiagnostics(planner, report, { kvCapacityTokens, nowMs: Date.now() });
  }
  if (options.reportJsonlPath !== undefined) await writeFileAtomically(options.reportJsonlPath, requestLines(report));
  return report;
}

async function driven(
  simulation: Simulation,
  { onProgress, signal }: ReplayCallOptions,
  retune: RetuneDriver | null,
): Promise<Report> {
  const requestsTotal = simulation.traffic.workload.count;
  try {
    return await drive(simulate(simulation), { requestsTotal, onProgress, signal, work: retune?.work });
  } finally {
    retune?.close();
  }
}

/** Retune around the Planner of a call. */
async function retuneOf(
  planner: RecordedPlanner,
  simulation: Simulation,
  options: ReplayCallOptions & Partial<TraceReplayOptions>,
  estimators: { first: EstimatorConfig; last: EstimatorConfig } | null,
): Promise<RetuneDriver> {
  const [{ readRetune }, { replayIssues }, { makeRetune }] = await Promise.all([
    import("../config/retune_mapping.ts"),
    import("../retune/requirements.ts"),
    import("./make_retune.ts"),
  ]);
  const settings = readRetune(planner.config);
  const { routerMode = "round_robin", routerConfig } = options;
  const issues = replayIssues({
    traceFormat: options.traceFormat ?? null,
    replayConcurrency: options.replayConcurrency !== undefined,
    agenticOptions: options.agenticLanes === undefined ? [] : ["agentic_lanes"],
    maxSimTime: options.maxSimTimeMs !== undefined,
    routerMode,
    routerConfig: routerConfig !== undefined,
    searchesRouter: settings.router !== null,
  });
  if (issues.length > 0) throw new ConfigError(issues.map(({ message }) => message).join("\n"), issues);
  const { pools } = simulation;
  return await makeRetune(simulation, planner, {
    settings,
    recipe: {
      pools: "aggregated" in pools
        ? [{ settings: pools.aggregated.settings, estimator: estimators && estimators.last }]
        : [
          { settings: pools.prefill.settings, estimator: estimators && estimators.first },
          { settings: pools.decode.settings, estimator: estimators && estimators.last },
        ],
      router: {
        name: routerMode,
        settings: routerConfig === undefined ? {} : readKvRouterConfig(routerConfig).settings,
      },
      planner: { ...planner.config },
    },
    speedup: options.arrivalSpeedupRatio,
  });
}

function slaOf({ slaTtftMs, slaItlMs, slaE2eMs }: ReplayCallOptions): Sla | null {
  if (slaTtftMs === undefined && slaItlMs === undefined && slaE2eMs === undefined) return null;
  const sla = { ttftMs: slaTtftMs, itlMs: slaItlMs, e2eMs: slaE2eMs };
  checkSla(sla);
  return sla;
}

async function makePools(
  options: ReplayCallOptions,
  deployments: Deployments,
): Promise<{ pools: Pools; estimators: { first: EstimatorConfig; last: EstimatorConfig } | null }> {
  const { extraEngineArgs, prefillEngineArgs, decodeEngineArgs, numWorkers, numPrefillWorkers, numDecodeWorkers } =
    options;
  const split = prefillEngineArgs !== undefined || decodeEngineArgs !== undefined;
  if (split && extraEngineArgs !== undefined) {
    throw new ConfigError("extra_engine_args cannot be combined with prefill_engine_args/decode_engine_args");
  }
  if (split && (prefillEngineArgs === undefined || decodeEngineArgs === undefined)) {
    throw new ConfigError("prefill_engine_args and decode_engine_args must be provided together");
  }
  if (split && (numWorkers ?? 1) !== 1) {
    throw new ConfigError(
      "num_workers is only used for aggregated replay; use num_prefill_workers and num_decode_workers for disagg replay",
    );
  }
  if (!split && ((numPrefillWorkers ?? 1) !== 1 || (numDecodeWorkers ?? 1) !== 1)) {
    throw new ConfigError(
      "num_prefill_workers and num_decode_workers are only used for disagg replay; use num_workers for aggregated replay",
    );
  }
  const router = routerOf(options);
  if (!split) {
    const settings = parseLaunch(extraEngineArgs ?? {});
    const { role } = settings.rank;
    if (role !== "aggregated") {
      throw new ConfigError(`offline replay only supports aggregated workers, got ${capital(role)}`);
    }
    const aggregated = await poolOf(settings, numWorkers ?? 1, "aggregated", router, deployments);
    const estimator = estimatorOf(settings);
    return { pools: { aggregated }, estimators: estimator && { first: estimator, last: estimator } };
  }
  const prefill = parseLaunch(prefillEngineArgs), decode = parseLaunch(decodeEngineArgs);
  checkPair(prefill, decode);
  const pools = {
    prefill: await poolOf(prefill, numPrefillWorkers ?? 1, "prefill", router, deployments),
    decode: await poolOf(decode, numDecodeWorkers ?? 1, "decode", router, deployments),
  };
  const first = estimatorOf(prefill), last = estimatorOf(decode);
  return { pools, estimators: first && last && { first, last } };
}

function checkPair(prefill: WorkerSettings, decode: WorkerSettings): void {
  for (const [name, { rank }] of [["prefill", prefill], ["decode", decode]] as const) {
    if (rank.role !== name) {
      throw new ConfigError(
        `offline disaggregated replay requires ${name}_engine_args.worker_type=${name}, got ${capital(rank.role)}`,
      );
    }
  }
  if (prefill.rank.blockTokens !== decode.rank.blockTokens) {
    throw new ConfigError(
      "offline disaggregated replay requires matching prefill/decode block_size, " +
        `got ${prefill.rank.blockTokens} and ${decode.rank.blockTokens}`,
    );
  }
  if (prefill.rank.backend !== decode.rank.backend) {
    throw new ConfigError("offline disaggregated replay requires matching backend engine types");
  }
}

const capital = (word: string) => word[0].toUpperCase() + word.slice(1);

async function poolOf(
  settings: WorkerSettings,
  replicas: number,
  name: string,
  router: RouterFactory,
  deployments: Deployments,
): Promise<PoolSpec> {
  if (!(replicas >= 1)) {
    throw new ConfigError(`invalid replay spec: ${name} pool must start with at least one worker`);
  }
  return { settings, replicas, timing: await timingOf(settings, deployments), router };
}

async function timingOf(settings: WorkerSettings, deployments: Deployments): Promise<Timing> {
  const { timing } = settings.rank;
  if (timing.type === "fixed") return fixed(timing);
  if (timing.type === "polynomial") return polynomial();
  const { operatorTiming } = await import("../timing/aic/operator_timing.ts");
  return operatorTiming(await deployments.of(estimatorOf(settings)!));
}

/** Identity for the operator database, where the timing model names one. */
function estimatorOf({ rank, dpSize, tensorParallel }: WorkerSettings): EstimatorConfig | null {
  if (rank.timing.type !== "external") return null;
  return {
    backend: rank.backend,
    backend_version: null,
    worker_type: rank.role,
    tp: tensorParallel,
    pp: 1,
    attention_dp: dpSize,
    kv_block_size: rank.blockTokens,
    nextn: rank.acceptRates?.length ?? 0,
    gemm_quant_mode: null,
    moe_quant_mode: null,
    kvcache_quant_mode: null,
    fmha_quant_mode: null,
    comm_quant_mode: null,
    database_mode: "SILICON",
    transfer_policy: null,
    ...rank.timing.config as { model: string; system: string },
  };
}

function routerOf({ routerMode = "round_robin", routerConfig }: ReplayCallOptions): RouterFactory {
  if (routerMode !== "kv_router") {
    if (routerConfig !== undefined) {
      throw new ConfigError(`router_config has no effect with router_mode='${routerMode}'`);
    }
    return routerByName(routerMode);
  }
  return kvRouter(routerConfig === undefined ? {} : readKvRouterConfig(routerConfig).settings);
}
