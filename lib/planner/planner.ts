/**
 * The Planner as a scaling policy: observe, forecast, propose, fit into the budget, decide. One tick is one pass through
 * these steps; everything it knows between ticks is in the members of this class.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import { type Bootstrap, noBootstrap } from "./bootstrap.ts";
import type { PairBudget } from "./budget.ts";
import type { DeploymentCapabilities } from "./capabilities.ts";
import { isRetuneOnly, type PlannerConfig, type RuntimeFields } from "./config.ts";
import type { TrafficObservation } from "../forecast/history.ts";
import { TrafficForecaster } from "../forecast/traffic_forecaster.ts";
import { type LoadReason, type Models, proposeLoad } from "./load_scaling.ts";
import { noFindings, type PlannerListener, type ScalingChange, type TickFindings } from "./listener.ts";
import { PerformanceModel } from "./model/performance_model.ts";
import { mulberry32 } from "../random/mulberry32.ts";
import { nonDraining, Observations, orderedByWorker, type RoleName, ROLES, type Traffic } from "./observations.ts";
import type { Decision, PassRow, RouterKnobs, ScalingPolicy, Snapshot } from "./policy.ts";
import { project, type ScaleTo } from "./projection.ts";
import { type PredictionOutcome, type ScheduledTick, TickSchedule } from "./schedule.ts";
import { proposeThroughput, type ThroughputReason } from "./throughput_scaling.ts";

/** What a Planner is made of. */
export interface PlannerOptions {
  /** The checked configuration. */
  config: PlannerConfig;
  /** The engines of the starting deployment; `prefill` is null in mode `agg`. */
  engines: DeploymentCapabilities;
  /** Passes the performance model starts with; none by default. Only target `sla` uses them. */
  bootstrap?: Bootstrap;
  /** Past traffic the predictors start with, one entry per throughput interval, oldest first. */
  history?: readonly TrafficObservation[];
  /** Hears of every tick and of every change that is wanted. */
  listener?: PlannerListener;
}

const PLANNER_OPTIONS: OptionNames<PlannerOptions> = {
  config: true,
  engines: true,
  bootstrap: true,
  history: true,
  listener: true,
};

/**
 * Scales a simulated cluster the way a live Planner scales a real one.
 *
 * @example A Planner alone, asked once
 * ```ts
 * import { capabilitiesOf, parseLaunch, parsePlannerConfig, Planner } from "dynosim";
 *
 * const planner = new Planner({
 *   config: parsePlannerConfig({ mode: "agg" }),
 *   engines: { prefill: null, decode: capabilitiesOf(parseLaunch()) },
 * });
 * console.log(planner.initialTickMs()); // 5000
 * ```
 */
export class Planner implements ScalingPolicy {
  readonly #listener: PlannerListener | null;
  #config: PlannerConfig;
  readonly #engines: DeploymentCapabilities;
  readonly #budget: PairBudget;
  readonly #models: Models;
  readonly #schedule: TickSchedule;
  readonly #observations = new Observations();
  readonly #retuneOnly: boolean;
  readonly #floors = { prefill: 1, decode: 1 };
  readonly #recommended: { prefill: number | null; decode: number | null } = { prefill: null, decode: null };
  readonly #speculationDepth: number;
  #forecaster: TrafficForecaster | null = null;
  /** Traffic the forecaster has observed, in case another one takes its place. */
  readonly #consumed: { atS: number; traffic: Traffic }[] = [];
  #kvHitRate: number | null = null;
  #acceptLength = 1;
  #next: ScheduledTick;
  #routerKnobs: { prefill?: RouterKnobs; decode?: RouterKnobs } | null = null;

  /** A Planner before its first tick. */
  constructor(options: PlannerOptions) {
    checkOptions("a Planner", options, PLANNER_OPTIONS);
    const { config, engines, bootstrap = noBootstrap } = options;
    if (config.mode !== "agg" && config.mode !== "disagg") {
      throw new ConfigError(`planner-in-the-loop replay supports mode='agg' or 'disagg', got '${config.mode}'`);
    }
    if (config.mode === "disagg" && engines.prefill === null) {
      throw new ConfigError("disagg planner replay requires prefill and decode engine arguments");
    }
    this.#config = config;
    this.#engines = config.mode === "agg" ? { ...engines, prefill: null } : engines;
    this.#budget = budgetOf(config, this.#engines);
    this.#retuneOnly = isRetuneOnly(config);
    this.#speculationDepth = engines.decode.speculationDepth ?? config.speculative_nextn;
    const sla = config.optimization_target === "sla";
    this.#models = sla ? this.#createModels() : { prefill: null, decode: null };
    if (sla) this.#learn(bootstrap);
    if (sla && config.enable_throughput_scaling) this.#forecaster = new TrafficForecaster(config, options.history);
    this.#schedule = new TickSchedule(config);
    this.#next = this.#schedule.after(0);
    this.#listener = options.listener ?? null;
  }

  /** The configuration in force. */
  get config(): PlannerConfig {
    return this.#config;
  }

  /**
   * Changes fields while the replay runs; models, observations and floors stay. With a history the forecaster is
   * replaced by one of the kind now configured, which learns the history and then what was observed after its end.
   */
  retune(
    fields: Partial<RuntimeFields>,
    history: { intervals: readonly TrafficObservation[]; endS: number } | null = null,
  ): void {
    this.#config = { ...this.#config, ...fields };
    if (!history || !this.#forecaster) return;
    this.#forecaster = new TrafficForecaster(this.#config, history.intervals);
    for (const { atS, traffic } of this.#consumed) if (atS > history.endS) this.#forecaster.observe(traffic);
  }

  /**
   * Puts another forecaster, already fed with its history, in place of the running one.
   *
   * @internal
   */
  replaceForecaster(forecaster: TrafficForecaster): void {
    if (this.#forecaster) this.#forecaster = forecaster;
  }

  /** Sets the router knobs that ticks ask for from now on; null for none. */
  setRouterKnobs(knobs: { prefill?: RouterKnobs; decode?: RouterKnobs } | null): void {
    this.#routerKnobs = knobs;
  }

  initialTickMs(): number {
    return this.#next.atS * 1000;
  }

  onTick(snapshot: Snapshot): Decision {
    const tick = this.#next;
    const observations = this.#observations;
    observations.update(snapshot);
    const counts = {
      prefill: observations.counts("prefill", snapshot),
      decode: observations.counts("decode", snapshot),
    };
    const seen = tick.needPasses
      ? { prefill: observations.rows("prefill"), decode: observations.rows("decode") }
      : { prefill: null, decode: null };
    const traffic = tick.needTraffic ? observations.takeTraffic() : null;
    if (tick.runLoadScaling) this.#learn(seen);
    const rows = { prefill: sorted(seen.prefill), decode: sorted(seen.decode) };

    const findings = noFindings(this.#floors);
    this.#remember(traffic);
    const { outcome, counts: throughput } = this.#throughput(tick, traffic, counts, findings);
    const load = this.#load(tick, counts, rows, findings);
    const proposed: ScaleTo = {
      prefill: load?.prefill ?? throughput?.prefill ?? null,
      decode: load?.decode ?? throughput?.decode ?? null,
    };
    this.#schedule.handled(tick, outcome);
    const aggregated = this.#config.mode === "agg";
    const scaleTo = this.#retuneOnly ? null : project(proposed, counts, this.#budget, aggregated);

    const next = this.#schedule.after(tick.atS);
    const decision = this.#decide(tick, next, snapshot, scaleTo);
    this.#listener?.ticked({ tick, next, snapshot, traffic, counts, rows, findings, scaleTo, decision });
    this.#next = next;
    return decision;
  }

  #createModels(): Models {
    const seed = this.#config.sample_tie_seed;
    const random = seed === null ? undefined : mulberry32(seed);
    const create = (role: RoleName) => {
      const engine = this.#engines[role];
      return engine && PerformanceModel.create({
        role: this.#config.mode === "agg" ? "aggregated" : role,
        limits: engine,
        settings: this.#config,
        random,
      });
    };
    return { prefill: create("prefill"), decode: create("decode") };
  }

  /** Feeds passes to the models; an aggregated deployment has one model for both kinds. */
  #learn({ prefill, decode }: { prefill: readonly PassRow[] | null; decode: readonly PassRow[] | null }): void {
    if (this.#config.mode === "agg") {
      const rows = prefill === null ? decode ?? [] : decode === null ? prefill : [...prefill, ...decode];
      if (rows.length > 0) this.#models.decode?.observe(rows);
      return;
    }
    if (prefill) this.#models.prefill?.observe(prefill);
    if (decode) this.#models.decode?.observe(decode);
  }

  /** Forecast and throughput loop; moves the floors when the load loop is on, else proposes counts. */
  #throughput(
    tick: ScheduledTick,
    traffic: Traffic | null,
    counts: Record<RoleName, { ready: number }>,
    findings: TickFindings,
  ): { outcome: PredictionOutcome; counts: ScaleTo | null } {
    const forecaster = this.#forecaster;
    if (!forecaster || !this.#schedule.predictionDue(tick)) return { outcome: "none", counts: null };
    const give = (reason: ThroughputReason, outcome: PredictionOutcome) => {
      findings.throughputReason = reason;
      return { outcome, counts: null };
    };
    if (!traffic) return give("no_traffic_data", "used");
    forecaster.observe(traffic);
    this.#consumed.push({ atS: tick.atS, traffic });
    const forecast = forecaster.forecast();
    if (!forecast) return give("predict_failed", "failed");
    findings.forecast = forecast;
    const proposal = proposeThroughput({
      config: this.#config,
      engines: this.#engines,
      budget: this.#budget,
      ready: { prefill: counts.prefill.ready, decode: counts.decode.ready },
      models: this.#models,
      forecast,
      durationS: traffic.durationS,
      acceptLength: this.#acceptLength,
    });
    if (proposal.floors) {
      this.#floors.prefill = proposal.floors.prefill ?? this.#floors.prefill;
      this.#floors.decode = proposal.floors.decode;
      findings.floors = { ...this.#floors };
    }
    findings.requestsPerSecond = {
      prefill: proposal.capacity.prefill?.requestsPerSecond ?? null,
      decode: proposal.capacity.decode?.requestsPerSecond ?? null,
    };
    findings.throughputLimitsKnown = proposal.limitsKnown;
    findings.throughputReason = proposal.reason;
    findings.throughputReasons = perRole(proposal.roleReasons);
    return { outcome: "used", counts: proposal.counts };
  }

  /** Remembers the hit rate and the accept length of consumed traffic. */
  #remember(traffic: Traffic | null): void {
    if (!traffic || this.#config.optimization_target !== "sla") return;
    if (!Number.isNaN(traffic.kvHitRate)) this.#kvHitRate = traffic.kvHitRate;
    const depth = this.#speculationDepth;
    const { acceptLength } = traffic;
    if (depth > 0 && acceptLength !== null && !Number.isNaN(acceptLength)) {
      this.#acceptLength = Math.min(Math.max(acceptLength, 1), depth + 1);
    }
  }

  #load(
    tick: ScheduledTick,
    counts: Parameters<typeof proposeLoad>[0]["counts"],
    rows: { prefill: PassRow[] | null; decode: PassRow[] | null },
    findings: TickFindings,
  ): ScaleTo | null {
    if (!tick.runLoadScaling || this.#retuneOnly) return null;
    if (!this.#config.enable_load_scaling) {
      findings.loadReason = "disabled" satisfies LoadReason;
      return null;
    }
    const proposal = proposeLoad({
      config: this.#config,
      engines: this.#engines,
      budget: this.#budget,
      counts,
      rows,
      models: this.#models,
      floors: this.#floors,
      kvHitRate: this.#kvHitRate,
      acceptLength: this.#acceptLength,
    });
    findings.estimatedTtftMs = proposal.estimatedTtftMs;
    findings.estimatedItlMs = proposal.estimatedItlMs;
    findings.loadLimitsKnown = proposal.limitsKnown;
    findings.loadReason = proposal.reason;
    findings.loadReasons = perRole(proposal.roleReasons);
    return proposal.counts;
  }

  /** Turns wanted counts into targets of the cluster, which count starting workers too, and tells the changes. */
  #decide(tick: ScheduledTick, next: ScheduledTick, snapshot: Snapshot, scaleTo: ScaleTo | null): Decision {
    const decision: Decision = { targetPrefill: null, targetDecode: null, nextTickMs: next.atS * 1000 };
    const { advisory, mode } = this.#config;
    if (!advisory && this.#routerKnobs) decision.routerKnobs = this.#routerKnobs;
    const components: [RoleName, ScalingChange["component"]][] = mode === "agg"
      ? [["decode", "agg"]]
      : [["prefill", "prefill"], ["decode", "decode"]];
    if (advisory) {
      for (const [role, component] of components) this.#recommend(tick, component, role, snapshot, scaleTo);
      return decision;
    }
    if (!scaleTo) return decision;
    const present = { prefill: nonDraining(snapshot.prefill), decode: nonDraining(snapshot.decode) };
    const target = { prefill: scaleTo.prefill ?? present.prefill, decode: scaleTo.decode ?? present.decode };
    if (ROLES.every((role) => target[role] === present[role])) return decision;
    for (const [role, component] of components) {
      if (target[role] === present[role]) continue;
      this.#listener?.scaled({ atS: tick.atS, component, from: present[role], to: target[role] });
      this.#observations.want(role, target[role]);
    }
    return { ...decision, targetPrefill: mode === "agg" ? 0 : target.prefill, targetDecode: target.decode };
  }

  /** An advisory run lists a recommendation when it changes, and again after a decision to stay. */
  #recommend(
    tick: ScheduledTick,
    component: ScalingChange["component"],
    role: RoleName,
    snapshot: Snapshot,
    scaleTo: ScaleTo | null,
  ): void {
    const { enable_load_scaling, enable_throughput_scaling } = this.#config;
    const current = nonDraining(snapshot[role]);
    const proposing = (tick.runLoadScaling && enable_load_scaling) ||
      (tick.runThroughputScaling && enable_throughput_scaling && !enable_load_scaling);
    const count = scaleTo?.[role] ?? (proposing ? current : null);
    if (count === null) return;
    if (count === current) this.#recommended[role] = null;
    else if (count !== this.#recommended[role]) {
      this.#listener?.recommended({ atS: tick.atS, component, from: current, to: count });
      this.#recommended[role] = count;
    }
  }
}

const perRole = (reasons: { prefill?: string | null; decode?: string | null } | null | undefined) => ({
  prefill: reasons?.prefill ?? null,
  decode: reasons?.decode ?? null,
});

const sorted = (rows: PassRow[] | null) => rows && orderedByWorker(rows);

function budgetOf(config: PlannerConfig, engines: DeploymentCapabilities): PairBudget {
  return {
    minGpus: config.min_gpu_budget,
    maxGpus: config.max_gpu_budget,
    gpus: { prefill: engines.prefill?.gpus ?? 0, decode: engines.decode.gpus },
    minimum: {
      prefill: config.prefill_min_endpoint ?? config.min_endpoint,
      decode: config.decode_min_endpoint ?? config.min_endpoint,
    },
  };
}
