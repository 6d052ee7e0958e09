/**
 * The whole system in one page, and the only place that puts it together: a description in plain data becomes a load,
 * pools, routers and an autoscaler; they are simulated; what happened is reported. Whoever reads a run's streams slowly
 * slows it down; whoever reads none pays for none.
 *
 *     load ───────┐
 *     pools ──────┼─ simulate ─ report
 *     autoscaler ─┘
 *
 * @module
 */
import type { RequestRecords } from "../engine/records.ts";
import { SequenceLimit } from "../engine/sequence_limit.ts";
import { checkOptions, ConfigError, type OptionNames, SimulationError } from "../errors.ts";
import type { TrafficObservation } from "../forecast/history.ts";
import type { RequestRecord } from "../report/per_request.ts";
import type { Report, RunMetadata } from "../report/report.ts";
import { checkPrice } from "../report/price.ts";
import { checkSla } from "../report/sla.ts";
import { routerFrom } from "../router/router_from.ts";
import type { RouterFactory } from "../router/router.ts";
import type { OperationTotals } from "../timing/aic/operation_ledger.ts";
import type { Timing } from "../timing/timing.ts";
import { heldBack } from "../traffic/held_back.ts";
import { admittedUntil } from "../traffic/cutoff.ts";
import type { Traffic } from "../traffic/workload.ts";
import { type Autoscaler, autoscalerFrom } from "./autoscaler.ts";
import { Driver, type RunProgress } from "./drive.ts";
import { coarseBlocks, type FittedRole, misfits, whyStuck } from "./fit.ts";
import type { Executor } from "../jobs/job.ts";
import type { Retune } from "./make_retune.ts";
import { outOfReach } from "./reach.ts";
import { type ClosedRole, closeRole, makePool, type ResolvedRole } from "./roles.ts";
import type { RunEvidence } from "./run_evidence.ts";
import type { RunOperations } from "./run_operations.ts";
import type { RunPower } from "./run_power.ts";
import { type ReplayTick, RunStreams, type StreamBuffer } from "./run_streams.ts";
import { SharedData } from "./shared_data.ts";
import { simulate } from "./simulate.ts";
import type { ReplaySpec } from "./spec.ts";
import { type StackSummary, stackSummary } from "./stack_summary.ts";

/** What a script hands over ready-made, instead of the part of the description it replaces. */
export interface ReadyParts {
  /** The load, or how it is made. Replaces `traffic`. */
  traffic?: Traffic | (() => Promise<Traffic>);
  /** Places requests. Replaces `router`. */
  router?: RouterFactory;
  /** Times the passes of each role; undefined leaves that to the role's launch mapping. */
  timings?: readonly (Timing | undefined)[];
  /** Scales the roles, see {@linkcode scriptedAutoscaler}. Replaces `autoscaler`. */
  autoscaler?: Autoscaler;
  /** Past traffic for the autoscaler's predictors. Default: that of the configured warm-up trace. */
  history?: readonly TrafficObservation[];
}

const SPEC: OptionNames<ReplaySpec> = {
  traffic: true,
  roles: true,
  router: true,
  autoscaler: true,
  retune: true,
  stack: true,
  sla: true,
  price: true,
  maxVirtualMs: true,
  cutoff: true,
  capture: true,
};

/** Options of {@linkcode run}: what it takes and tells on the way to its report. */
export interface ReplayRunOptions {
  /** Called now and then while the replay runs; what it throws ends it. */
  onProgress?: (progress: RunProgress) => void;
  /**
   * Told before the replay starts what its description, load and engines show to be in vain, and after its end how far
   * it went beyond what was measured. Default: nobody is told.
   */
  onWarning?: (message: string) => void;
  /** Told what was derived for each role (KV blocks, longest context) before the replay starts. */
  onResolved?: (roles: readonly ResolvedRole[]) => void;
  /**
   * Told at the end, for each role, the smallest `max_sequences` under which nobody would have waited for it: the replay
   * is the same under every limit from there on, unless a Planner works with it. Larger than the role's own limit when
   * that was met.
   */
  onSequences?: (needed: readonly number[]) => void;
  /**
   * Told what each operator took of all passes, when the replay is over; null where no times are measured. Such a run is
   * slower.
   */
  onOperations?: (totals: OperationTotals | null) => void;
  /** Ends the replay with its reason. */
  signal?: AbortSignal;
  /** Workers a retune may run at once, whatever its settings say. Default: the host's processors. */
  mostParallel?: number;
  /** Who replays the candidates of a retune. Default: threads, as many as may run at once. */
  executor?: Executor;
  /** Milliseconds on the host's clock, for the report's wall-clock figures. Default: `performance.now`. */
  hostMs?: () => number;
  /** What runs of one process share. Default: nothing. */
  shared?: SharedData;
  /** Parts that exist already. */
  ready?: ReadyParts;
}

/** Names of the options of {@linkcode run}. */
export const RUN_OPTIONS: OptionNames<ReplayRunOptions> = {
  onProgress: true,
  onWarning: true,
  onResolved: true,
  onSequences: true,
  onOperations: true,
  signal: true,
  mostParallel: true,
  executor: true,
  hostMs: true,
  shared: true,
  ready: true,
};

/** What is running. */
interface Started {
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

/** A run on its way; it starts when one of its results is asked for. {@linkcode ReplayRun} shows it to scripts. */
export class Running {
  readonly #spec: ReplaySpec;
  readonly #options: ReplayRunOptions;
  readonly #streams = new RunStreams();
  #report: Promise<Report> | null = null;
  #started: Started | null = null;
  #records: RequestRecords | null = null;
  #result: Report | null = null;
  #stepping: Promise<void> | null = null;
  /** What ended the run before its time; everybody who asks is told. */
  #failure: { problem: unknown } | null = null;

  /**
   * A run that starts when its report or one of its streams is asked for.
   *
   * @param spec what is run
   */
  constructor(spec: ReplaySpec, options: ReplayRunOptions) {
    checkOptions("run(): spec", spec, SPEC);
    checkOptions("run()", options, RUN_OPTIONS);
    this.#spec = spec;
    this.#options = options;
  }

  /** The record of every request, in the order in which they end, in batches for one reader. */
  requests(): AsyncGenerator<RequestRecord[], void, void> {
    return this.#read(this.#streams.requests);
  }

  /** Every tick of the autoscaler, in batches for one reader; none without one. */
  ticks(): AsyncGenerator<ReplayTick[], void, void> {
    return this.#read(this.#streams.ticks);
  }

  /** The report, once everything has happened. Streams that were asked for must be read to their end for it. */
  get report(): Promise<Report> {
    return this.#report ??= this.#finish();
  }

  async #finish(): Promise<Report> {
    while (this.#result === null) await this.#step();
    return this.#result;
  }

  #read<T>(buffer: StreamBuffer<T>): AsyncGenerator<T[], void, void> {
    buffer.open = true; // from now on, not from the first batch on
    return this.#batches(buffer);
  }

  async *#batches<T>(buffer: StreamBuffer<T>): AsyncGenerator<T[], void, void> {
    try {
      for (;;) {
        const items = buffer.take();
        if (items.length > 0) yield items;
        else if (this.#result !== null) return;
        else await this.#step();
      }
    } finally {
      buffer.close();
    }
  }

  /** Goes on by one piece of the replay, once for everybody who asks. */
  #step(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure.problem);
    return this.#stepping ??= this.#advance().catch((problem) => {
      this.#failure = { problem };
      this.#started?.retune?.close();
      throw problem;
    }).finally(() => this.#stepping = null);
  }

  async #advance(): Promise<void> {
    const started = this.#started ??= await this.#start();
    const { driver, traffic, roles, autoscaler, retune, metadata } = started;
    await this.#streams.room();
    const report = await driver.step().catch((problem) => {
      throw problem instanceof SimulationError ? explained(problem, traffic, roles) : problem;
    });
    const ticks = () => autoscaler === null ? [] : autoscaler.ticks();
    this.#streams.tell(this.#records!, traffic.workload, ticks, report !== null);
    if (report === null) return;
    retune?.close();
    await autoscaler?.finish(report);
    this.#options.onSequences?.(started.sequences.map(({ needed }) => needed));
    const counted = countedPasses(metadata, started.closed);
    if (this.#options.onWarning) {
      const found = [...calibrationWarnings(counted), ...started.evidence?.played() ?? []];
      for (const warning of found) this.#options.onWarning(warning);
    }
    if (started.operations !== null) this.#options.onOperations?.(started.operations.totals());
    const summary = { ...report.summary, ...started.stackSummary, ...started.power?.power() };
    this.#result = { ...report, summary, metadata: counted };
  }

  async #start(): Promise<Started> {
    const { hostMs = () => performance.now() } = this.#options, startedHostMs = hostMs();
    const { sla = null, price = null, maxVirtualMs, cutoff = "hard", capture = {} } = this.#spec;
    const { ready = {}, shared = new SharedData(), onWarning, onProgress, signal } = this.#options;
    const { deployments } = shared;
    if (sla !== null) checkSla(sla);
    if (price !== null) checkPrice(price);
    const closing = Promise.all(this.#spec.roles.map((role) => closeRole(role, deployments)));
    const [traffic, roles] = await Promise.all([this.#traffic(shared, closing), closing]);
    checkRoles(roles);
    const spec: ReplaySpec = { ...this.#spec, roles: roles.map((role) => role.spec) };
    this.#options.onResolved?.(roles.map(({ resolved }) => resolved));
    for (const warning of traffic.warnings ?? []) onWarning?.(warning);
    const evidence = await this.#evidence(roles);
    if (onWarning) {
      for (const warning of evidence?.expected(traffic.workload, spec.traffic?.concurrency) ?? []) onWarning(warning);
      for (const role of roles.map(fitted)) {
        for (const misfit of misfits(traffic.workload, role)) onWarning(misfit);
        const hint = this.#spec.traffic?.type === "trace" ? coarseBlocks(traffic.workload, role) : undefined;
        if (hint !== undefined) onWarning(hint);
      }
    }
    const router = ready.router ?? await this.#router(spec, roles, shared);
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
    const retune = await this.#retune(spec, traffic, autoscaler);
    const limitMs = maxVirtualMs ?? Infinity;
    for (const { calibration } of roles) calibration?.correction.reset();
    const load = heldBack(traffic, roles[0].calibration?.profile.request_overhead_ms ?? 0);
    const sequences = roles.map(({ settings }) => new SequenceLimit(settings.rank.maxSequences));
    const operations = this.#options.onOperations ? await this.#operations(spec, roles) : null;
    const judgedPools = evidence?.watched(pools) ?? pools;
    const power = spec.stack === "engine" ? await this.#power(roles) : null;
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
      capturePerRequest: (capture.perRequest ?? false) || this.#streams.requests.open,
      telemetryIntervalMs: capture.telemetryIntervalMs ?? null,
      observe: (records) => this.#records = records,
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
  async #evidence(roles: readonly ClosedRole[]): Promise<RunEvidence | null> {
    if (!this.#options.onWarning || roles.every(({ measured }) => measured === null)) return null;
    const { RunEvidence }: typeof import("./run_evidence.ts") = await import(import.meta.resolve("./run_evidence.ts"));
    return new RunEvidence(roles, this.#options.ready?.timings);
  }

  async #operations(spec: ReplaySpec, roles: readonly ClosedRole[]): Promise<RunOperations> {
    const { RunOperations }: typeof import("./run_operations.ts") = await import(
      import.meta.resolve("./run_operations.ts")
    );
    return new RunOperations(roles, spec.stack, this.#options.ready?.timings);
  }

  /** Null when some role's times are not measured, or no power was. */
  async #power(roles: readonly ClosedRole[]): Promise<RunPower | null> {
    if (roles.some(({ measured }, i) => measured === null || this.#options.ready?.timings?.[i] !== undefined)) {
      return null;
    }
    if (roles.every(({ measured }) => measured!.energyFactories() === null)) return null;
    const { RunPower }: typeof import("./run_power.ts") = await import(import.meta.resolve("./run_power.ts"));
    return new RunPower(roles, "engine");
  }

  async #traffic(shared: SharedData, closing: Promise<ClosedRole[]>): Promise<Traffic> {
    const { traffic: ready } = this.#options.ready ?? {}, { traffic } = this.#spec;
    if (ready !== undefined) return typeof ready === "function" ? await ready() : ready;
    if (!traffic) throw new ConfigError("the replay has no load: describe its `traffic`, or hand one over");
    return await shared.traffic(traffic, async () => (await closing)[0].settings.rank.blockTokens);
  }

  async #router(
    { router, roles }: ReplaySpec,
    closed: readonly ClosedRole[],
    { deployments }: SharedData,
  ): Promise<RouterFactory> {
    const made = await routerFrom(router ?? {}, {
      launch: roles[0].launch,
      estimator: roles[0].estimator,
      calibration: closed[0].calibration && closed[0].calibration.profile,
      deployments,
      roles: roles.map(({ role }) => role),
    });
    for (const warning of made.warnings) this.#options.onWarning?.(warning);
    return made.router;
  }

  async #retune(spec: ReplaySpec, traffic: Traffic, autoscaler: Autoscaler | null): Promise<Retune | null> {
    const planner = autoscaler?.planner ?? null;
    if (planner === null || (!spec.retune && planner.config.retune === null)) return null;
    const { ready = {}, mostParallel, executor, onWarning } = this.#options;
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
}

/** Two roles must fit each other, and one alone must do everything. */
function checkRoles(roles: readonly ClosedRole[]): void {
  const names = roles.map(({ settings }) => settings.rank.role);
  const wanted = roles.length === 1 ? ["aggregated"] : ["prefill", "decode"];
  if (roles.length > 2 || names.join() !== wanted.join()) {
    throw new ConfigError(`a cluster has an aggregated role, or a prefill and a decode role, got ${names.join(", ")}`);
  }
}

const fitted = ({ settings }: ClosedRole): FittedRole => ({ role: settings.rank.role, settings });

/** The error of a replay that came to a dead end, with what cannot be served; any other as it is. */
function explained(problem: SimulationError, { workload }: Traffic, roles: readonly FittedRole[]): SimulationError {
  if (!problem.message.startsWith("replay invariant violated")) return problem;
  return new SimulationError(`${problem.message} (${whyStuck(workload, roles)})`, { cause: problem });
}

/** The metadata with the passes that were corrected. */
function countedPasses(metadata: RunMetadata, roles: readonly ClosedRole[]): RunMetadata {
  if (roles.every(({ calibration }) => calibration === null)) return metadata;
  return {
    ...metadata,
    roles: metadata.roles.map((role, i) => {
      const calibration = roles[i].calibration;
      if (calibration === null) return role;
      const {
        profile: { level, request_overhead_ms, between_passes, n, error },
        correction: { passes, outside },
        differs,
      } = calibration;
      const held_out = Object.fromEntries(Object.entries(error.after).map(([metric, { mdape }]) => [metric, mdape]));
      return {
        ...role,
        calibration: {
          level,
          passes,
          passes_outside: outside,
          request_overhead_ms,
          ...(between_passes ? { between_passes } : {}),
          fitted_to: { ...n },
          held_out,
          ...(differs.length === 0 ? {} : { forced_from: [...differs] }),
        },
      };
    }),
  };
}

/** Says how far a run went beyond what its calibration was measured on, and that one of something else was forced. */
function calibrationWarnings({ roles }: RunMetadata): string[] {
  return roles.flatMap(({ role, calibration }) => {
    if (calibration === undefined) return [];
    const { passes, passes_outside: outside, forced_from: differs = [] } = calibration;
    const share = (outside / passes * 100).toFixed(1);
    return [
      ...differs.length === 0
        ? []
        : [`the calibration of ${role} workers is forced: it was fitted to another deployment (${differs.join("; ")})`],
      ...outside === 0 ? [] : [
        `${outside} of ${passes} ${role} passes (${share} %) are outside of what was measured for the calibration; ` +
        "their correction fades, so calibrate with such loads to trust them",
      ],
    ];
  });
}

const metadataOf = (roles: readonly ClosedRole[]): RunMetadata => ({
  roles: roles.map(({ settings, resolved: { role, blocks, blockTokens, blocksFrom, maxModelTokens, assumed } }) => ({
    role,
    kv_blocks: blocks,
    ...(settings.dpSize > 1 ? { kv_ranks: settings.dpSize } : {}),
    kv_block_tokens: blockTokens,
    kv_blocks_from: blocksFrom,
    max_model_tokens: maxModelTokens,
    ...assumed,
  })),
});
