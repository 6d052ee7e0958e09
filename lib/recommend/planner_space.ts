/**
 * The Planner's parameters in a search, the load predictor that is chosen before it starts, and the Planner of a
 * candidate.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import type { TrafficInterval } from "../forecast/history.ts";
import { DEFAULT_SETTINGS } from "../forecast/predictor.ts";
import { presetLoss, warmupBuckets } from "../retune/forecast_loss.ts";
import type { PredictorPreset } from "../retune/config.ts";
import { repr } from "../config/python_text.ts";
import { NO_SPACE, type SectionSpace } from "./branch.ts";
import { contains, type Domain } from "./domains.ts";
import type { Mode } from "./engine_domain.ts";
import type { Target } from "./goal_sections.ts";
import type { Entry, PlannerSearch } from "./planner_domain.ts";
import { type Group, PRESETS, type ScalingPolicy } from "./planner_presets.ts";

const PREFIX = "adapter::dynamo.planner::";

/** What the Planner aims at when a search looks for something. */
const PLANNER_TARGETS: Readonly<Record<Target, string>> = {
  throughput: "throughput",
  throughput_per_gpu: "throughput",
  throughput_per_user: "throughput",
  pareto: "throughput",
  ttft: "latency",
  e2e_latency: "latency",
  goodput: "sla",
  goodput_per_gpu: "sla",
  min_gpus: "sla",
};

/** Bounds of the search as the file has them. */
export interface Bounds {
  /** Bound on the time to first token in milliseconds. */
  ttft_ms: number | null;
  /** Bound on the mean time between output tokens of a request in milliseconds. */
  itl_ms: number | null;
  /** Bound on the time from arrival to the last token in milliseconds. */
  e2e_ms: number | null;
}

/** What a Planner of a search follows. */
export interface PlannerGoal {
  target: Target;
  sla: Bounds | null;
  /** Fewest GPUs of a candidate; null when the file does not say. */
  minGpus: number | null;
}

const fieldsOf = (group: Group, entry: Entry): Record<string, any> => ({
  ...typeof entry === "string" ? PRESETS[group][entry] : entry,
});

/** A Planner ready to be searched. */
export class PlannerSpace {
  readonly #search: PlannerSearch;
  readonly #goal: PlannerGoal;
  readonly #policies: readonly Entry[];
  /** Scaling policies that the target does not allow; left out of a default list. */
  readonly dropped: readonly Entry[];
  /** Predictor of each throughput interval. */
  readonly #predictors = new Map<number, Entry>();

  /** @throws {ConfigError} when no scaling policy, or one that the file lists, fits the target */
  constructor(search: PlannerSearch, goal: PlannerGoal) {
    this.#search = search;
    this.#goal = goal;
    const bounded = goal.sla?.ttft_ms != null && goal.sla.itl_ms != null;
    const allowed = (entry: Entry) =>
      !fieldsOf("scaling_policy", entry).enable_throughput_scaling ||
      (PLANNER_TARGETS[goal.target] === "sla" && bounded);
    const { entries, explicit } = search.groups.scaling_policy;
    this.#policies = entries.filter(allowed);
    this.dropped = entries.filter((entry) => !allowed(entry));
    if (this.never) return;
    const refuse = (message: string) => {
      throw new ConfigError(message, [{ path: "planner.scaling_policy", message }]);
    };
    if (this.dropped.length > 0 && explicit) {
      refuse(
        `Planner scaling_policy contains choices that are incompatible with the selected optimization target/SLA: ${
          repr(this.dropped)
        }`,
      );
    }
    if (this.#policies.length === 0) {
      refuse(
        PLANNER_TARGETS[goal.target] === "sla"
          ? "Planner throughput scaling requires evaluation.sla.ttft_ms and evaluation.sla.itl_ms"
          : "every Planner scaling_policy enables throughput scaling, which requires a goodput target",
      );
    }
  }

  /** Whether every candidate is without a Planner. */
  get never(): boolean {
    return this.#search.policies.every((policy) => policy === "disabled");
  }

  /** Intervals of the throughput loops that are tried, in seconds, ascending. */
  get intervals(): number[] {
    if (this.never) return [];
    const policies = this.#policies.map((entry) => fieldsOf("scaling_policy", entry) as ScalingPolicy);
    const used = policies.filter((policy) => policy.enable_throughput_scaling)
      .map((policy) => policy.throughput_adjustment_interval_seconds).filter((interval) => interval !== null);
    return [...new Set(used)].sort((a, b) => a - b);
  }

  /**
   * Chooses the predictor of every interval: the one that would have forecast the trace best, the first of the list
   * where nothing can be said.
   *
   * @param buckets the trace's traffic in buckets of an interval; null for traffic without a trace
   * @returns why, as the reference writes it, and the losses
   */
  choosePredictors(
    buckets: ((intervalSeconds: number) => readonly TrafficInterval[]) | null,
  ): { reason: string; losses: Record<string, Record<string, number | null>> } {
    const { intervals } = this;
    const { entries } = this.#search.groups.load_predictor;
    const losses: Record<string, Record<string, number | null>> = {};
    if (intervals.length === 0) return { reason: "no_throughput_scaling_candidate", losses };
    if (buckets === null) {
      for (const interval of intervals) this.#predictors.set(interval, entries[0]);
      return { reason: "static_workload_configured_fallback", losses };
    }
    const presets = entries.map((entry) => fieldsOf("load_predictor", entry) as PredictorPreset);
    const undecided: number[] = [];
    for (const intervalSeconds of intervals) {
      const task = {
        buckets: buckets(intervalSeconds) as TrafficInterval[],
        intervalSeconds,
        warmupBuckets: warmupBuckets(presets, intervalSeconds),
      };
      const found = presets.map((preset) => presetLoss(preset, task));
      const best = found.reduce((first, loss, i) => loss < (found[first] ?? Infinity) ? i : first, -1);
      if (best < 0) undecided.push(intervalSeconds);
      this.#predictors.set(intervalSeconds, entries[Math.max(best, 0)]);
      losses[intervalSeconds] = Object.fromEntries(
        entries.map((
          entry,
          i,
        ) => [typeof entry === "string" ? entry : `custom_${i}`, Number.isFinite(found[i]) ? found[i] : null]),
      );
    }
    const reason = undecided.length > 0 ? `swept; no_winner_configured_fallback@[${undecided.join(", ")}]` : "swept";
    return { reason, losses };
  }

  /** Parameters of the Planner in a mode. */
  space(mode: Mode): SectionSpace {
    const { groups, policies, minWorkers, prefillMinWorkers, decodeMinWorkers } = this.#search;
    if (this.never) return { ...NO_SPACE, choices: new Map([[`${PREFIX}policy`, policies]]) };
    const choices = new Map<string, readonly unknown[]>();
    const log: string[] = [];
    const uses = (key: keyof ScalingPolicy) => this.#policies.some((entry) => fieldsOf("scaling_policy", entry)[key]);
    const shown: [Group, boolean][] = [
      ["scaling_policy", true],
      ["fpm_sampling", uses("enable_throughput_scaling")],
      ["load_sensitivity", uses("enable_load_scaling")],
    ];
    for (const [group, used] of shown) {
      if (used && groups[group].separate === null) {
        choices.set(PREFIX + group, group === "scaling_policy" ? this.#policies : groups[group].entries);
      }
      if (group === "scaling_policy") choices.set(`${PREFIX}policy`, policies);
    }
    const fewest: [string, Domain | null][] = [
      ["min_workers", minWorkers],
      ["prefill_min_workers", mode === "disagg" ? prefillMinWorkers : null],
      ["decode_min_workers", mode === "disagg" ? decodeMinWorkers : null],
    ];
    for (const [name, domain] of fewest) if (domain !== null) choices.set(PREFIX + name, values(domain));
    // keys of groups that are searched one by one come last
    for (const [group, used] of shown) {
      const { separate } = groups[group];
      if (!used || separate === null) continue;
      for (const [key, given] of separate.choices) {
        choices.set(PREFIX + key, group === "scaling_policy" ? this.#kept(key, given) : given);
      }
      log.push(...separate.log.map((key) => PREFIX + key));
    }
    return { choices, floats: new Map(), log, conditional: [] };
  }

  /** Values of a scaling key that some allowed policy has. */
  #kept(key: string, given: readonly unknown[]): unknown[] {
    return given.filter((value) => this.#policies.some((entry) => fieldsOf("scaling_policy", entry)[key] === value));
  }

  /** The Planner of a candidate, as a prediction's section. */
  planner(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { groups, maxNumGpus, maxThroughputReplicas } = this.#search;
    const disabled = { policy: "disabled" };
    if (this.never || values[`${PREFIX}policy`] !== "enabled") return disabled;
    const fields = (group: Group): Record<string, any> => {
      const { separate } = groups[group];
      if (separate === null) return fieldsOf(group, values[PREFIX + group] as Entry);
      return Object.fromEntries([...separate.choices.keys()].map((key) => [key, values[PREFIX + key]]));
    };
    const policy = fields("scaling_policy") as ScalingPolicy;
    if (!policy.enable_throughput_scaling && !policy.enable_load_scaling) return disabled;
    const { target, minGpus } = this.#goal;
    const predictor = policy.enable_throughput_scaling
      ? this.#predictors.get(policy.throughput_adjustment_interval_seconds ?? 180)
      : undefined;
    const fewest = ["min_workers", "prefill_min_workers", "decode_min_workers"]
      .filter((name) => values[PREFIX + name] != null).map((name) => [name, values[PREFIX + name]]);
    return {
      policy: "enabled",
      enable_throughput_scaling: policy.enable_throughput_scaling,
      enable_load_scaling: policy.enable_load_scaling,
      throughput_adjustment_interval_seconds: policy.throughput_adjustment_interval_seconds ?? 180,
      load_adjustment_interval_seconds: policy.load_adjustment_interval_seconds ?? 5,
      max_throughput_scaling_replicas: maxThroughputReplicas,
      ...SAMPLING,
      ...SENSITIVITY,
      ...PREDICTOR,
      ...policy.enable_throughput_scaling ? fields("fpm_sampling") : {},
      ...policy.enable_load_scaling ? fields("load_sensitivity") : {},
      ...predictor === undefined ? {} : used(fieldsOf("load_predictor", predictor)),
      target: PLANNER_TARGETS[target],
      max_num_gpus: maxNumGpus,
      min_num_gpus: minGpus ?? -1,
      min_workers: 1,
      ...Object.fromEntries(fewest),
    };
  }
}

/** What a PlannerConfig has by default. */
const SAMPLING = PRESETS.fpm_sampling.default;
const SENSITIVITY = PRESETS.load_sensitivity.default;
const { throughput_adjustment_interval_seconds: _, ...KNOBS } = DEFAULT_SETTINGS;
const PREDICTOR = { load_predictor: "arima", ...KNOBS };

/** Fields that matter to the kind of predictor. */
function used(fields: Record<string, any>): Record<string, unknown> {
  const kind: string = fields.load_predictor;
  const matters = (key: string) =>
    key.startsWith("load_predictor") || (kind === "prophet" && key.startsWith("prophet")) ||
    (kind === "kalman" && key.startsWith("kalman"));
  return Object.fromEntries(Object.entries(fields).filter(([key]) => matters(key)));
}

function values(domain: Domain): readonly number[] {
  if (domain.kind === "choices") return domain.values;
  const all: number[] = [];
  for (let at = Math.ceil(domain.min); contains(domain, at); at++) all.push(at);
  return all;
}
