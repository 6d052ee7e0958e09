/**
 * The vocabulary of retune: points, windows, sweep tasks and their answers, decisions. Everything a worker receives or
 * returns is plain data that survives structured cloning; the requests of a window lie in shared memory, so any number
 * of workers read one copy.
 *
 * @module
 */
import type { TrafficInterval } from "../forecast/history.ts";
import type { Pending, RouterKnobs, ScalingPolicy } from "../planner/policy.ts";
import type { RuntimeFields } from "../planner/config.ts";

/** Fields of the configuration that a retune may change while the Planner runs. */
export type RetunedFields = Partial<RuntimeFields>;

/** The part of a summary that retune candidates are judged by. */
export interface RetuneMetrics {
  /** As in a summary, like the rest. */
  goodput_output_throughput_tok_s: number;
  /** Output tokens a second. */
  output_throughput_tok_s: number;
  /** GPU hours. */
  gpu_hours: number;
  /** Null without a sample, like every mean. */
  mean_ttft_ms: number | null;
  /** Mean ITL. */
  mean_itl_ms: number | null;
  /** When the last completed request ended. */
  duration_ms: number;
}

/** A swapped-in predictor: its history, and what the Planner observed after it. */
export interface PredictorWarmup {
  /** Observations it has seen. */
  observations: number;
  /** First second they cover. */
  start_s: number | null;
  /** Last second they cover. */
  end_s: number | null;
}

/** How a decision ended. */
export type RetuneOutcome = "applied" | "kept" | "advisory" | "timeout" | "no_requests" | "failed";

/** A point as reported, with its score (null when it has no finite one). */
export interface ScoredPoint {
  /** Knobs, null when they are not searched. */
  router: RouterKnobs | null;
  /** Planner fields, null when they are not searched. */
  planner: RetunedFields | null;
  /** By the objective. */
  score: number | null;
}

/** One decision, an entry of `planner.retune_events`. Times are Planner-clock seconds. */
export interface RetuneEvent {
  /** What was looked back at. */
  window: { index: number; start_s: number; end_s: number; num_requests: number };
  /** When the sweep began: the end of the window and the grace. */
  launched_at_s: number;
  /** The tick of the decision. */
  decided_at_s: number;
  /** Host time the sweep took. */
  sweep_wall_s: number;
  /** Trace time it was made to take. */
  decision_latency_s: number;
  /** How it ended. */
  outcome: RetuneOutcome;
  /** Why, when it failed. */
  reason: string | null;
  /** What scores are. */
  objective: string;
  /** The point in force. */
  current: { router: RouterKnobs | null; planner: RetunedFields; score: number | null };
  /** The best point. */
  chosen: ScoredPoint | null;
  /** By how much it is better. */
  improvement_percentage: number | null;
  /** Planner fields that change. */
  planner_changes: RetunedFields;
  /** How a new predictor was started. */
  predictor_warmup: PredictorWarmup | null;
  /** Which predictor forecasts best, and the losses of all. */
  predictor: { winner: string | null; losses: Record<string, number | null> } | null;
  /** All points that were replayed. */
  candidates: {
    router: RouterKnobs | null;
    planner: RetunedFields | null;
    score: number | null;
    metrics: RetuneMetrics;
  }[];
}

/** Fields of the Planner's configuration that retune may change while the Planner runs. */
export type PlannerFields = RetunedFields;

/** One setting of everything that is searched. */
export interface Point {
  /** Knobs of the routers, null when they are not searched. */
  router: RouterKnobs | null;
  /** The searched fields of the Planner; empty when none is. */
  planner: PlannerFields;
}

/** Ready workers per role; aggregated workers are the decode side. */
export interface ReplicaCounts {
  /** Prefill workers. */
  prefill: number;
  /** Decode or aggregated workers. */
  decode: number;
}

/** The requests of a window in columns, in trace order, in shared memory. */
export interface WindowRequests {
  /** Requests. */
  readonly count: number;
  /** Tokens in a trace block. */
  readonly blockTokens: number;
  /** Virtual milliseconds after the first request of the window. */
  readonly arrivalMs: Float64Array;
  /** Prompt tokens. */
  readonly inputTokens: Int32Array;
  /** Output tokens. */
  readonly outputTokens: Int32Array;
  /** Request `r` owns `blockIds[blockStart[r] .. blockStart[r + 1])`; length `count + 1`. */
  readonly blockStart: Int32Array;
  /** Block contents, numbered 0, 1, 2 … in order of first appearance in the window. */
  readonly blockIds: Int32Array;
}

/** Bounds of a good request. */
export interface SlaBounds {
  /** Bound on TTFT in milliseconds. */
  ttftMs: number;
  /** Bound on TPOT in milliseconds. */
  itlMs: number;
}

/** Forecast error of one preset over the history. */
export interface ForecastTask {
  /** Tells it from a replay. */
  kind: "forecast";
  /** Name of the preset. */
  preset: string;
  /** The history. */
  buckets: readonly TrafficInterval[];
  /** Length of a bucket in seconds. */
  intervalSeconds: number;
  /** Buckets before this one are learned from but not scored. */
  warmupBuckets: number;
}

/**
 * One cold replay of a window: empty caches, a router that knows nothing, all workers ready at 0, until every request
 * has ended.
 */
export interface ReplayTask {
  /** Tells it from a forecast. */
  kind: "replay";
  /** Requests to replay. */
  window: WindowRequests;
  /** Workers it starts with. */
  replicas: ReplicaCounts;
  /** Knobs on top of the configured router; null leaves it as configured. */
  routerKnobs: RouterKnobs | null;
  /** Seed of the router's draws, the same for all candidates of a window. */
  routerSeed: number;
  /** The inner Planner: fields on top of the starting configuration, history for its predictor. Null keeps the replicas fixed. */
  planner: { fields: PlannerFields; warmup: readonly TrafficInterval[] } | null;
  /** Bounds of goodput. */
  sla: SlaBounds;
}

/** What a sweep asks for. Tasks are independent of each other. */
export type SweepTask = ForecastTask | ReplayTask;

/** The part of a replay's summary that candidates are judged by; names and units as in the report. */
export interface ReplayMetrics extends RetuneMetrics {
  /** Mean output tokens a second that one user sees. */
  mean_output_token_throughput_per_user: number | null;
  /** Mean E2E latency. */
  mean_e2e_latency_ms: number | null;
}

/** Loss of a forecast task (`Infinity` when it could not be had) or the metrics of a replay task. */
export type SweepAnswer = { kind: "forecast"; loss: number } | { kind: "replay"; metrics: ReplayMetrics };

/** Replays one candidate; the composition supplies it. */
export type ReplayWindow = (task: ReplayTask) => ReplayMetrics;

/** Everything one sweep needs, fixed at its launch. */
export interface SweepPlan {
  /** Requests to replay. */
  window: WindowRequests;
  /** Workers at the launch. */
  replicas: ReplicaCounts;
  /** Seed of the router's draws in every candidate. */
  routerSeed: number;
  /** Bounds of goodput. */
  sla: SlaBounds;
  /** Parameters in force at the launch. */
  current: Point;
  /** Fields in force that differ from the starting configuration, searched or not any more. */
  overlay: PlannerFields;
  /** The searched points, predictor aside. */
  grid: readonly Point[];
  /** Comparison of load predictors; null when they are not searched. */
  presweep: { presets: readonly string[]; buckets: readonly TrafficInterval[]; intervalSeconds: number } | null;
  /** History of the inner Planners; null when there is no inner Planner. */
  warmup: readonly TrafficInterval[] | null;
}

/** One replayed candidate. */
export interface Candidate {
  /** Its parameters. */
  point: Point;
  /** What its replay gave. */
  metrics: ReplayMetrics;
}

/** What a completed sweep found. Candidate 0 is the current point. */
export interface SweepFindings {
  /** In the order of the search. */
  candidates: readonly Candidate[];
  /** The comparison of predictors; null when none was asked for. */
  predictor: PredictorFindings | null;
}

/** Losses of the compared presets, in their order; `winner` is null when no preset had a finite loss. */
export interface PredictorFindings {
  /** Name of the preset with the least loss. */
  winner: string | null;
  /** Loss by preset. */
  losses: readonly { preset: string; loss: number }[];
}

/** How a sweep ended, and how long it took on the wall clock. */
export type SweepOutcome =
  & { wallSeconds: number }
  & (
    | { status: "done"; findings: SweepFindings }
    | { status: "timeout" }
    | { status: "failed"; reason: string }
  );

/** A sweep that must be run before virtual time goes on. */
export type PendingSweep = Pending<SweepPlan, SweepOutcome>;

/** The running Planner as retune sees it. */
export interface TunablePlanner extends ScalingPolicy {
  /** Sets the router knobs that its ticks ask for from now on; null for none. */
  setRouterKnobs(knobs: { prefill?: RouterKnobs; decode?: RouterKnobs } | null): void;
  /**
   * Replaces fields of the running configuration. With `history` the load predictor is replaced too: a new one of the
   * configured kind learns the intervals and then what was observed after their end.
   */
  retune(fields: PlannerFields, history: { intervals: readonly TrafficInterval[]; endS: number } | null): void;
}
