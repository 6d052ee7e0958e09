/**
 * The whole system in one page, and the only place that puts it together: a description in plain data becomes a load,
 * pools, routers and an autoscaler; they are simulated; what happened is reported.
 *
 *     load ───────┐
 *     pools ──────┼─ simulate ─ report
 *     autoscaler ─┘
 *
 * @module
 */
import type { RequestRecords } from "../engine/records.ts";
import { SequenceLimit } from "../engine/sequence_limit.ts";
import { ConfigError } from "../errors.ts";
import { checkPrice } from "../report/price.ts";
import type { RunMetadata } from "../report/report.ts";
import { checkSla } from "../report/sla.ts";
import { routerFrom } from "../router/router_from.ts";
import type { RouterFactory } from "../router/router.ts";
import { admittedUntil } from "../traffic/cutoff.ts";
import { heldBack } from "../traffic/held_back.ts";
import type { Traffic } from "../traffic/workload.ts";
import { type Autoscaler, autoscalerFrom } from "./autoscaler.ts";
import { Driver } from "./drive.ts";
import { coarseBlocks, type FittedRole, misfits } from "./fit.ts";
import type { Retune } from "./make_retune.ts";
import { outOfReach } from "./reach.ts";
import { type ClosedRole, closeRole, makePool } from "./roles.ts";
import type { RunEvidence } from "./run_evidence.ts";
import { metadataOf } from "./run_metadata.ts";
import type { RunOperations } from "./run_operations.ts";
import type { ReplayRunOptions } from "./run_options.ts";
import type { RunPower } from "./run_power.ts";
import { SharedData } from "./shared_data.ts";
import { simulate } from "./simulate.ts";
import type { ReplaySpec } from "./spec.ts";
import { type StackSummary, stackSummary } from "./stack_summary.ts";

/** What a run does with its requests. */
export interface RecordsUse {
  /** Takes the records when there are any. */
  observe(records: RequestRecords): void;
  /** Whether they are streamed. */
  streamed(): boolean;
}

/** What is running. */
export interface Assembled {
  driver: Driver;
  traffic: Traffic;
  roles: readonly FittedRole[];
  autoscaler: Autoscaler | null;
  retune: Retune | null;
  metadata: RunMetadata;
  closed: readonly ClosedRole[];
  evidence: RunEvidence | null;
  sequences: readonly SequenceLimit[];
  operations: RunOperations | null;
  power: RunPower | null;
  stackSummary: StackSummary;
}

/** Puts together what a description says and what is handed over for it. */
export async function assemble(
  described: ReplaySpec,
  options: ReplayRunOptions,
  records: RecordsUse,
): Promise<Assembled> {
  const { hostMs = () => performance.now() } = options, startedHostMs = hostMs();
  const { sla = null, price = null, maxVirtualMs, cutoff = "hard", capture = {} } = described;
  const { ready = {}, shared = new SharedData(), onWarning, onProgress, signal } = options;
  const { deployments } = shared;
  if (sla !== null) checkSla(sla);
  if (price !== null) checkPrice(price);
  const closing = Promise.all(described.roles.map((role) => closeRole(role, deployments)));
  const [traffic, roles] = await Promise.all([trafficOf(described, options, shared, closing), closing]);
  checkRoles(roles);
  const spec: ReplaySpec = { ...described, roles: roles.map((role) => role.spec) };
  options.onResolved?.(roles.map(({ resolved }) => resolved));
  for (const warning of traffic.warnings ?? []) onWarning?.(warning);
  const evidence = await evidenceOf(roles, options);
  if (onWarning) {
    for (const warning of evidence?.expected(traffic.workload, spec.traffic?.concurrency) ?? []) onWarning(warning);
    for (const role of roles.map(fitted)) {
      for (const misfit of misfits(traffic.workload, role)) onWarning(misfit);
      const hint = described.traffic?.type === "trace" ? coarseBlocks(traffic.workload, role) : undefined;
      if (hint !== undefined) onWarning(hint);
    }
  }
  const router = ready.router ?? await routerOf(spec, roles, shared, options);
  const pools = await Promise.all(
    roles.map((role, i) => makePool(role, router, deployments, { timing: ready.timings?.[i], stack: spec.stack })),
  );
  const estimators = spec.roles.map(({ estimator = null }) => estimator);
  const autoscaler = ready.autoscaler !== undefined
    ? ready.autoscaler
    : spec.autoscaler
    ? await autoscalerFrom(spec.autoscaler, {
      traffic,
      pools,
      estimators,
      calibrations: roles.map(({ calibration }) => calibration && calibration.profile),
      deployments,
      capture,
      history: ready.history,
      onWarning,
    })
    : null;
  if (onWarning && sla !== null && autoscaler?.planner?.config.optimization_target !== "sla") {
    const bounds = { ttftMs: sla.ttftMs ?? Infinity, itlMs: sla.itlMs ?? Infinity };
    for (const bound of outOfReach(bounds, pools, traffic.workload)) onWarning(`the SLA's ${bound}`);
  }
  const retune = await retuneOf(spec, traffic, autoscaler, options);
  const limitMs = maxVirtualMs ?? Infinity;
  for (const { calibration } of roles) calibration?.correction.reset();
  const load = heldBack(traffic, roles[0].calibration?.profile.request_overhead_ms ?? 0);
  const sequences = roles.map(({ settings }) => new SequenceLimit(settings.rank.maxSequences));
  const operations = options.onOperations ? await operationsOf(spec, roles, options) : null;
  const judgedPools = evidence?.watched(pools) ?? pools;
  const power = spec.stack === "engine" ? await powerOf(roles, options) : null;
  const listedPools = operations?.watched(judgedPools) ?? judgedPools;
  const watchedPools = power?.watched(listedPools) ?? listedPools;
  const simulation = simulate({
    traffic: cutoff === "soft" && limitMs < Infinity ? admittedUntil(load, limitMs) : load,
    pools: watchedPools.map((pool, i) => ({
      ...pool,
      router: autoscaler?.before?.(pool.router, i) ?? pool.router,
      sequences: sequences[i],
    })),
    policy: retune?.policy ?? autoscaler?.policy ?? null,
    plannerSection: autoscaler && ((outcome) => autoscaler.section(outcome)),
    sla,
    price,
    maxVirtualMs: cutoff === "hard" ? limitMs : undefined,
    reportsCutoff: limitMs < Infinity,
    capturePerRequest: (capture.perRequest ?? false) || records.streamed(),
    telemetryIntervalMs: capture.telemetryIntervalMs ?? null,
    observe: records.observe,
    hostMs,
    startedHostMs,
  });
  const requestsTotal = traffic.workload.count;
  return {
    driver: new Driver(simulation, { requestsTotal, onProgress, signal, work: retune?.work }),
    traffic,
    roles: roles.map(fitted),
    autoscaler,
    retune,
    metadata: metadataOf(roles),
    closed: roles,
    evidence,
    sequences,
    operations,
    power,
    stackSummary: await stackSummary(spec.stack, roles, deployments),
  };
}

/** Null when nobody is told, or nothing measured is used. */
async function evidenceOf(roles: readonly ClosedRole[], options: ReplayRunOptions): Promise<RunEvidence | null> {
  if (!options.onWarning || roles.every(({ measured }) => measured === null)) return null;
  const { RunEvidence }: typeof import("./run_evidence.ts") = await import(import.meta.resolve("./run_evidence.ts"));
  return new RunEvidence(roles, options.ready?.timings);
}

async function operationsOf(
  spec: ReplaySpec,
  roles: readonly ClosedRole[],
  options: ReplayRunOptions,
): Promise<RunOperations> {
  const { RunOperations }: typeof import("./run_operations.ts") = await import(
    import.meta.resolve("./run_operations.ts")
  );
  return new RunOperations(roles, spec.stack, options.ready?.timings);
}

/** Null when some role's times are not measured, or no power was. */
async function powerOf(roles: readonly ClosedRole[], options: ReplayRunOptions): Promise<RunPower | null> {
  if (roles.some(({ measured }, i) => measured === null || options.ready?.timings?.[i] !== undefined)) {
    return null;
  }
  if (roles.every(({ measured }) => measured!.energyFactories() === null)) return null;
  const { RunPower }: typeof import("./run_power.ts") = await import(import.meta.resolve("./run_power.ts"));
  return new RunPower(roles, "engine");
}

async function trafficOf(
  { traffic }: ReplaySpec,
  options: ReplayRunOptions,
  shared: SharedData,
  closing: Promise<ClosedRole[]>,
): Promise<Traffic> {
  const { traffic: ready } = options.ready ?? {};
  if (ready !== undefined) return typeof ready === "function" ? await ready() : ready;
  if (!traffic) throw new ConfigError("the replay has no load: describe its `traffic`, or hand one over");
  return await shared.traffic(traffic, async () => (await closing)[0].settings.rank.blockTokens);
}

async function routerOf(
  { router, roles }: ReplaySpec,
  closed: readonly ClosedRole[],
  { deployments }: SharedData,
  options: ReplayRunOptions,
): Promise<RouterFactory> {
  const made = await routerFrom(router ?? {}, {
    launch: roles[0].launch,
    estimator: roles[0].estimator,
    calibration: closed[0].calibration && closed[0].calibration.profile,
    deployments,
    roles: roles.map(({ role }) => role),
  });
  for (const warning of made.warnings) options.onWarning?.(warning);
  return made.router;
}

async function retuneOf(
  spec: ReplaySpec,
  traffic: Traffic,
  autoscaler: Autoscaler | null,
  options: ReplayRunOptions,
): Promise<Retune | null> {
  const planner = autoscaler?.planner ?? null;
  if (planner === null || (!spec.retune && planner.config.retune === null)) return null;
  const { ready = {}, mostParallel, executor, onWarning } = options;
  if (ready.router !== undefined || ready.timings?.some((timing) => timing !== undefined)) {
    throw new ConfigError("a retune replays in other threads: its router and timing must be described in plain data");
  }
  const { makeRetune }: typeof import("./make_retune.ts") = await import(import.meta.resolve("./make_retune.ts"));
  const { readRetune }: typeof import("../config/retune_mapping.ts") = await import(
    import.meta.resolve("../config/retune_mapping.ts")
  );
  const settings = spec.retune ?? readRetune(planner.config);
  return await makeRetune(planner, { settings, spec, traffic, mostParallel, executor, onWarning });
}

/** Two roles must fit each other, and one alone must do everything. */
function checkRoles(roles: readonly ClosedRole[]): void {
  const names = roles.map(({ settings }) => settings.rank.role);
  const wanted = roles.length === 1 ? ["aggregated"] : ["prefill", "decode"];
  if (roles.length > 2 || names.join() !== wanted.join()) {
    throw new ConfigError(`a cluster has an aggregated role, or a prefill and a decode role, got ${names.join(", ")}`);
  }
}

/** What is asked of a role to see whether requests fit it. */
const fitted = ({ settings }: ClosedRole): FittedRole => ({ role: settings.rank.role, settings });
