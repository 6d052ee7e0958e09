/**
 * The twins of the reference's Python entry points: same options (in camelCase), same mappings (in the file's
 * snake_case), same report.
 *
 * @module
 */
import type { EstimatorConfig } from "../config/plan.ts";
import { parseLaunch } from "../engine/launch/launch.ts";
import type { Role, WorkerSettings } from "../engine/settings.ts";
import { ConfigError } from "../errors.ts";
import { writeFileAtomically } from "../io/atomic.ts";
import { type Report, requestLines } from "../report/report.ts";
import { checkSla, type Sla } from "../report/sla.ts";
import { routerSpecOf } from "../router/spec.ts";
import type { TrafficSpec } from "../traffic/spec.ts";
import {
  checkSyntheticOptions,
  checkTraceOptions,
  type ReplayCallOptions,
  type SyntheticReplayOptions,
  type TraceReplayOptions,
} from "./replay_options.ts";
import { run } from "./run.ts";
import type { ReplaySpec, RoleSpec } from "./spec.ts";

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
  return await reported(await traceReplaySpec(files, options), options);
}

/**
 * What `runTraceReplay` runs, in plain data.
 *
 * @throws {ConfigError} when the options do not fit.
 *
 * @example
 * ```ts
 * import { run, traceReplaySpec } from "dynosim";
 *
 * const spec = await traceReplaySpec(["fixtures/traces/chat.jsonl"], { numWorkers: 2 });
 * console.log(spec.roles[0].replicas, (await run(spec).report).summary.num_requests > 0); // 2 true
 * ```
 */
export async function traceReplaySpec(
  files: readonly string[],
  options: TraceReplayOptions = {},
): Promise<ReplaySpec> {
  checkTraceOptions(options);
  return await callSpec(options, {
    type: "trace",
    paths: files,
    format: options.traceFormat,
    blockTokens: options.traceBlockSize,
    speedup: options.arrivalSpeedupRatio,
    concurrency: options.replayConcurrency,
    lanes: options.agenticLanes,
    model: options.executionModel,
    sharedPrefixRatio: options.traceSharedPrefixRatio,
    prefixGroups: options.traceNumPrefixGroups,
  }, options.maxSimTimeMs);
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
  const spec = await callSpec(options, {
    type: "synthetic",
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
  });
  return await reported(spec, options);
}

/** Runs to the report, and writes the records that were asked for. */
async function reported(spec: ReplaySpec, options: ReplayCallOptions): Promise<Report> {
  const { onProgress, onStart, onWarning = warn, signal, reportJsonlPath } = options;
  const started = run(spec, { onProgress, onWarning, signal });
  onStart?.(started);
  const report = await started.report;
  if (reportJsonlPath !== undefined) await writeFileAtomically(reportJsonlPath, requestLines(report));
  return report;
}

/** Warnings for a script that does not say where it wants them. */
const warn = (message: string) => console.warn(`dynosim: ${message}`);

/** The run that the options describe, in plain data. */
async function callSpec(
  options: ReplayCallOptions,
  traffic: TrafficSpec,
  maxVirtualMs?: number,
): Promise<ReplaySpec> {
  if (options.telemetrySampleIntervalMs !== undefined && !options.captureTelemetry) {
    throw new ConfigError("telemetry_sample_interval_ms has no effect without capture_telemetry");
  }
  if (options.capturePlannerDetails !== undefined && options.plannerConfig === undefined) {
    throw new ConfigError("capture_planner_details has no effect without planner_config");
  }
  const { routerMode = "round_robin", routerConfig, kvEventLagMs } = options;
  if (routerMode !== "kv_router" && routerConfig !== undefined) {
    throw new ConfigError(`router_config has no effect with router_mode='${routerMode}'`);
  }
  const { spec: router, warnings } = routerSpecOf({ routerMode, routerConfig, kvEventLagMs });
  const { onWarning = warn } = options;
  for (const warning of warnings) onWarning(warning);
  const spec: ReplaySpec = {
    traffic,
    roles: roleSpecs(options),
    router,
    sla: slaOf(options),
    price: options.price ?? null,
    maxVirtualMs,
    capture: {
      perRequest: options.capturePerRequest || options.reportJsonlPath !== undefined,
      telemetryIntervalMs: options.captureTelemetry ? options.telemetrySampleIntervalMs ?? 1000 : null,
      plannerDetails: options.capturePlannerDetails,
    },
  };
  if (options.plannerConfig === undefined) return spec;
  const { readPlannerConfig } = await import("../config/planner_source.ts");
  const config = await readPlannerConfig(options.plannerConfig);
  if (config.retune != null) await checkRetune(config, traffic, options, maxVirtualMs);
  return { ...spec, autoscaler: { kind: "planner", config } };
}

/** Refuses a retune where the options do not allow it. */
async function checkRetune(
  config: Record<string, unknown>,
  traffic: TrafficSpec,
  { routerMode = "round_robin", routerConfig }: ReplayCallOptions,
  maxVirtualMs?: number,
): Promise<void> {
  const [{ parsePlannerConfig }, { readRetune }, { replayIssues }] = await Promise.all([
    import("../planner/config.ts"),
    import("../config/retune_mapping.ts"),
    import("../retune/requirements.ts"),
  ]);
  const issues = replayIssues({
    traceFormat: traffic.type === "trace" ? traffic.format ?? null : null,
    replayConcurrency: traffic.concurrency !== undefined,
    agenticOptions: traffic.type === "trace" && traffic.lanes !== undefined ? ["agentic_lanes"] : [],
    maxSimTime: maxVirtualMs !== undefined,
    routerMode,
    routerConfig: routerConfig !== undefined,
    searchesRouter: readRetune(parsePlannerConfig(config)).router !== null,
  });
  if (issues.length > 0) throw new ConfigError(issues.map(({ message }) => message).join("\n"), issues);
}

function slaOf({ slaTtftMs, slaItlMs, slaE2eMs }: ReplayCallOptions): Sla | null {
  if (slaTtftMs === undefined && slaItlMs === undefined && slaE2eMs === undefined) return null;
  const sla = { ttftMs: slaTtftMs, itlMs: slaItlMs, e2eMs: slaE2eMs };
  checkSla(sla);
  return sla;
}

/** The roles that the options describe: aggregated workers, or prefill and decode workers. */
function roleSpecs(options: ReplayCallOptions): RoleSpec[] {
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
  if (!split) {
    const launch = extraEngineArgs ?? {}, settings = parseLaunch(launch);
    const { role } = settings.rank;
    if (role !== "aggregated") {
      throw new ConfigError(`offline replay only supports aggregated workers, got ${capital(role)}`);
    }
    return [roleSpec("aggregated", launch, settings, numWorkers)];
  }
  const prefill = parseLaunch(prefillEngineArgs), decode = parseLaunch(decodeEngineArgs);
  checkPair(prefill, decode);
  return [
    roleSpec("prefill", prefillEngineArgs!, prefill, numPrefillWorkers),
    roleSpec("decode", decodeEngineArgs!, decode, numDecodeWorkers),
  ];
}

const roleSpec = (
  role: Role,
  launch: Record<string, unknown>,
  settings: WorkerSettings,
  replicas = 1,
): RoleSpec => ({ role, replicas, launch, estimator: estimatorOf(settings) });

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
