/**
 * Retune as a scaling policy around a Planner: at every tick it first carries out a decision that is due, then lets the
 * Planner scale, then launches the sweep of a window that ended long enough ago. The sweep itself is pending work that
 * whoever drives the run does while virtual time stands still.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import type { Decision, RouterKnobs, ScalingPolicy, Snapshot } from "../planner/policy.ts";
import { gridPoints, predictorFields } from "./candidates.ts";
import type { RetuneConfig } from "./config.ts";
import { changesPredictor, emptyVerdict, judge, type Verdict } from "./decision.ts";
import { type ArrivalLog, bucketSeries, type TrafficInterval } from "../forecast/history.ts";
import type {
  PendingSweep,
  PlannerFields,
  Point,
  PredictorWarmup,
  ReplicaCounts,
  RetuneEvent,
  SweepOutcome,
  TunablePlanner,
} from "./types.ts";
import { type ReplayedTrace, windowIndices, windowRequests } from "./window.ts";

/** Candidates of window `k` draw from this seed plus `k`. */
const FIRST_ROUTER_SEED = 42;
/** Slack for times that are sums of milliseconds. */
const EPSILON_MS = 1e-6;

/** What a {@linkcode RetunePolicy} is made of. */
export interface RetunePolicyOptions {
  /** The checked `retune` block. */
  settings: RetuneConfig;
  /** The Planner that scales; one with both loops off keeps the replicas. */
  planner: TunablePlanner;
  /** Whether candidates run a Planner of their own (false in retune-only mode). */
  innerPlanner: boolean;
  /** The tick, `load_adjustment_interval_seconds`. */
  tickSeconds: number;
  /** Seconds between two ticks of the throughput loop. */
  throughputIntervalSeconds: number;
  /** Whether the throughput loop runs; without it nothing reads history. */
  throughputScaling: boolean;
  /** The load that is replayed. */
  trace: ReplayedTrace;
  /** Traffic before the replay; null when there is none. */
  history: ArrivalLog | null;
  /** Workers at the start. */
  startReplicas: ReplicaCounts;
  /** Start-up knobs of the routers; null when the router has none. */
  startKnobs: RouterKnobs | null;
  /** Start-up values of the Planner's fields. */
  startFields: PlannerFields;
  /** Decisions are made and recorded, never carried out. */
  advisory?: boolean;
  /** Whether there are two roles. Default false. */
  disaggregated?: boolean;
  /** Called with each decision, at its tick. */
  onDecision?: (event: RetuneEvent) => void;
}

const OPTIONS: OptionNames<RetunePolicyOptions> = {
  settings: true,
  planner: true,
  innerPlanner: true,
  tickSeconds: true,
  throughputIntervalSeconds: true,
  throughputScaling: true,
  trace: true,
  history: true,
  startReplicas: true,
  startKnobs: true,
  startFields: true,
  advisory: true,
  disaggregated: true,
  onDecision: true,
};

/** A decision that waits for its tick. */
interface Due {
  atMs: number;
  window: RetuneEvent["window"];
  launchedS: number;
  latencyS: number;
  verdict: Verdict;
}

/**
 * Retunes a Planner and its routers; see the module comment. A run hands the sweeps out as pending work
 * ({@linkcode Decision.pending}), whose `work` is a {@linkcode SweepPlan} and whose result is a {@linkcode SweepOutcome}.
 *
 * @example Tick by tick, with a Planner that never scales
 * ```ts
 * import { parsePlannerConfig, readRetune, RetunePolicy } from "dynosim";
 *
 * const off = { enable_load_scaling: false, enable_throughput_scaling: false };
 * const config = parsePlannerConfig({ mode: "agg", ...off, retune: { router: { temperature: [0, 1] } } });
 * const column = new Int32Array(0);
 * const policy = new RetunePolicy({
 *   settings: readRetune(config),
 *   planner: {
 *     initialTickMs: () => 5000,
 *     onTick: ({ nowMs }) => ({ targetPrefill: null, targetDecode: null, nextTickMs: nowMs + 5000 }),
 *     setRouterKnobs: () => {},
 *     retune: () => {},
 *   },
 *   innerPlanner: false,
 *   tickSeconds: 5,
 *   throughputIntervalSeconds: 180,
 *   throughputScaling: false,
 *   trace: {
 *     workload: { blockTokens: 16, inputTokens: column, outputTokens: column, blockStart: column, blockIds: column },
 *     arrivalMs: new Float64Array(0),
 *     totalTimeMs: null,
 *   },
 *   history: null,
 *   startReplicas: { prefill: 0, decode: 3 },
 *   startKnobs: { overlap_score_credit: 1, prefill_load_scale: 1, temperature: 1 },
 *   startFields: config,
 * });
 * console.log(policy.initialTickMs(), policy.events.length); // 5000 0
 * ```
 */
export class RetunePolicy implements ScalingPolicy {
  /** Decisions in time order, for the report. */
  readonly events: RetuneEvent[] = [];
  readonly #options: RetunePolicyOptions;
  readonly #grid: Point[];
  readonly #replayedArrivals: ArrivalLog;
  #current: Point;
  /** Fields in force that differ from the start. */
  #overlay: PlannerFields = {};
  /** Index of the next window to launch. */
  #next = 0;
  /** Ready workers at the start of window `#next`, and of later ones that began before its launch. */
  readonly #replicasAt = new Map<number, ReplicaCounts>();
  #due: Due | null = null;

  /** A policy before its first tick. */
  constructor(options: RetunePolicyOptions) {
    checkOptions("a RetunePolicy", options, OPTIONS);
    const { settings, startKnobs, startFields, trace } = options;
    this.#options = options;
    this.#grid = gridPoints(settings);
    this.#current = { router: settings.router ? startKnobs : null, planner: searchedFields(settings, startFields) };
    this.#replicasAt.set(0, options.startReplicas);
    this.#replayedArrivals = {
      arrivalS: trace.arrivalMs.map((ms) => ms / 1000),
      inputTokens: trace.workload.inputTokens,
      outputTokens: trace.workload.outputTokens,
    };
    options.planner.setRouterKnobs(this.#routerParameters);
  }

  /** The knobs that the routers shall have, per role; null when they are not searched or nothing is applied. */
  get #routerParameters(): { prefill?: RouterKnobs; decode?: RouterKnobs } | null {
    const { advisory, disaggregated } = this.#options;
    const knobs = this.#current.router;
    if (knobs === null || advisory) return null;
    return disaggregated ? { prefill: knobs, decode: knobs } : { decode: knobs };
  }

  initialTickMs(): number {
    return this.#options.planner.initialTickMs();
  }

  onTick(snapshot: Snapshot): Decision {
    const { planner, settings } = this.#options;
    const { nowMs } = snapshot;
    this.#noteWindowStart(snapshot);
    if (this.#due && nowMs >= this.#due.atMs - EPSILON_MS) this.#decide(this.#due, nowMs);
    const decision = planner.onTick(snapshot);
    const launchMs = (settings.interval_seconds * (this.#next + 1) + settings.grace_seconds) * 1000;
    const pending = nowMs >= launchMs - EPSILON_MS ? this.#launch(nowMs) : null;
    return pending ? { ...decision, pending } : decision;
  }

  /** Remembers the ready workers when a window begins. */
  #noteWindowStart({ nowMs, prefill, decode }: Snapshot): void {
    const index = Math.floor((nowMs + EPSILON_MS) / (this.#options.settings.interval_seconds * 1000));
    if (index < this.#next || this.#replicasAt.has(index)) return;
    this.#replicasAt.set(index, { prefill: prefill.active.length, decode: decode.active.length });
  }

  /** Records a decision and carries it out. */
  #decide(due: Due, nowMs: number): void {
    this.#due = null;
    const { apply, event } = due.verdict;
    let warmup: PredictorWarmup | null = null;
    if (apply) {
      const changes = event.planner_changes;
      this.#current = apply;
      this.#options.planner.setRouterKnobs(this.#routerParameters);
      this.#overlay = { ...this.#overlay, ...changes };
      if (Object.keys(changes).length > 0) warmup = this.#tunePlanner(changes, due);
    }
    this.events.push({
      window: due.window,
      launched_at_s: due.launchedS,
      decided_at_s: nowMs / 1000,
      decision_latency_s: due.latencyS,
      ...event,
      predictor_warmup: warmup,
    });
    this.#options.onDecision?.(this.events.at(-1)!);
  }

  #tunePlanner(changes: PlannerFields, { window }: Due): PredictorWarmup | null {
    if (!changesPredictor(changes)) {
      this.#options.planner.retune(changes, null);
      return null;
    }
    const intervals = this.#history(window.end_s);
    const last = intervals.at(-1);
    const endS = last ? last.startS + this.#options.throughputIntervalSeconds : null;
    this.#options.planner.retune(changes, { intervals, endS: endS ?? -Infinity });
    return { observations: intervals.length, start_s: intervals[0]?.startS ?? null, end_s: endS };
  }

  /** Starts the sweep of the next window; an empty window is decided without one. */
  #launch(nowMs: number): PendingSweep | null {
    const { settings, trace } = this.#options;
    const index = this.#next++;
    const startS = settings.interval_seconds * index, endS = startS + settings.interval_seconds;
    const indices = windowIndices(trace, { startMs: startS * 1000, endMs: endS * 1000, launchMs: nowMs });
    const window = { index, start_s: startS, end_s: endS, num_requests: indices.length };
    const replicas = this.#replicasAt.get(index) ?? this.#options.startReplicas;
    this.#replicasAt.delete(index);
    if (indices.length === 0) {
      const verdict = emptyVerdict(this.#current, "no_requests", "the window has no completed request", 0, settings);
      this.#wait(nowMs, window, 0, verdict);
      return null;
    }
    const current = this.#current;
    return {
      work: {
        window: windowRequests(trace, indices),
        replicas,
        routerSeed: FIRST_ROUTER_SEED + index,
        sla: { ttftMs: settings.sla_ttft_ms, itlMs: settings.sla_itl_ms },
        current,
        overlay: { ...this.#overlay },
        grid: this.#grid,
        presweep: settings.planner?.load_predictor
          ? {
            presets: settings.planner.load_predictor,
            buckets: this.#history(endS),
            intervalSeconds: this.#options.throughputIntervalSeconds,
          }
          : null,
        warmup: this.#options.innerPlanner ? this.#history(startS) : null,
      },
      resume: (outcome) => {
        const verdict = judge(outcome, current, settings, this.#options.advisory ?? false);
        this.#wait(nowMs, window, latencySeconds(outcome, settings), verdict);
      },
    };
  }

  #wait(launchMs: number, window: RetuneEvent["window"], latencyS: number, verdict: Verdict): void {
    const atMs = launchMs + Math.max(latencyS, this.#options.tickSeconds) * 1000;
    this.#due = { atMs, window, launchedS: launchMs / 1000, latencyS, verdict };
  }

  /** Buckets of the recorded and the replayed traffic up to a time; empty without throughput scaling. */
  #history(endS: number): TrafficInterval[] {
    const { history, settings, throughputIntervalSeconds, throughputScaling } = this.#options;
    if (!throughputScaling) return [];
    return bucketSeries([...(history ? [history] : []), this.#replayedArrivals], {
      intervalS: throughputIntervalSeconds,
      endS,
      historyS: settings.history_seconds,
    });
  }
}

/** The start-up values of the fields that are searched. */
function searchedFields({ planner }: RetuneConfig, start: PlannerFields): PlannerFields {
  const { load_scaling_down_sensitivity } = start;
  return {
    ...(planner?.load_scaling_down_sensitivity ? { load_scaling_down_sensitivity } : {}),
    ...(planner?.load_predictor ? predictorFields(start) : {}),
  };
}

/** Virtual seconds a sweep is charged with. A sweep that had to be killed is charged its time limit. */
function latencySeconds({ wallSeconds }: SweepOutcome, settings: RetuneConfig): number {
  const { decision_latency_seconds: latency, decision_latency_scale: scale, timeout_seconds: most } = settings;
  return latency === "measured" ? Math.min(wallSeconds, most) * scale : latency;
}
