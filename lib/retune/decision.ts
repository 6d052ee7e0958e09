/**
 * From an outcome of a sweep to a decision and its record.
 *
 * @module
 */
import { changedFields } from "./candidates.ts";
import type { RetuneConfig } from "./config.ts";
import { beats, bestIndex, improvementPercentage, scoreReplay } from "./score.ts";
import type {
  Candidate,
  PlannerFields,
  Point,
  PredictorFindings,
  RetuneEvent,
  RetuneOutcome,
  ScoredPoint,
  SweepOutcome,
} from "./types.ts";

/** A decision before its time has come: what to switch to (null keeps everything), and the record to be completed. */
export interface Verdict {
  apply: Point | null;
  event: Omit<RetuneEvent, "window" | "launched_at_s" | "decided_at_s" | "decision_latency_s" | "predictor_warmup">;
}

/** JSON has no infinity: a score without a sample is told as null. */
const finite = (value: number) => Number.isFinite(value) ? value : null;

/** Planner fields as reported: null when no field of the Planner is searched. */
const plannerOf = (point: Point, settings: RetuneConfig) => settings.planner ? point.planner : null;

function scoredPoint(point: Point, score: number, settings: RetuneConfig): ScoredPoint {
  return { router: point.router, planner: plannerOf(point, settings), score: finite(score) };
}

/** The record of a sweep that found nothing to choose from. */
export function emptyVerdict(
  current: Point,
  outcome: Extract<RetuneOutcome, "timeout" | "no_requests" | "failed">,
  reason: string,
  wallSeconds: number,
  settings: RetuneConfig,
): Verdict {
  return {
    apply: null,
    event: {
      sweep_wall_s: wallSeconds,
      outcome,
      reason,
      objective: settings.objective,
      current: { ...current, score: null },
      chosen: null,
      improvement_percentage: null,
      planner_changes: {},
      predictor: null,
      candidates: [],
    },
  };
}

/**
 * Judges a sweep: the best candidate is applied (or recommended, in advisory mode) if it beats the current point by
 * more than the threshold.
 */
export function judge(
  outcome: SweepOutcome,
  current: Point,
  settings: RetuneConfig,
  advisory: boolean,
): Verdict {
  const { wallSeconds } = outcome;
  if (outcome.status === "timeout") {
    const reason = `the sweep took longer than timeout_seconds (${settings.timeout_seconds}s)`;
    return emptyVerdict(current, "timeout", reason, wallSeconds, settings);
  }
  if (outcome.status === "failed") return emptyVerdict(current, "failed", outcome.reason, wallSeconds, settings);
  const { candidates, predictor } = outcome.findings;
  const scores = candidates.map(({ metrics }) => scoreReplay(settings.objective, metrics));
  const best = bestIndex(scores);
  const threshold = settings.min_improvement_percentage;
  const better = beats(scores[best], scores[0], threshold);
  const chosen = better ? best : 0;
  const gain = improvementPercentage(scores[best], scores[0]);
  return {
    apply: better && !advisory ? candidates[best].point : null,
    event: {
      sweep_wall_s: wallSeconds,
      outcome: better ? advisory ? "advisory" : "applied" : "kept",
      reason: reasonOf(better, best, gain, threshold),
      objective: settings.objective,
      current: { ...current, score: finite(scores[0]) },
      chosen: scoredPoint(candidates[chosen].point, scores[chosen], settings),
      improvement_percentage: gain,
      planner_changes: changedFields(current.planner, candidates[chosen].point.planner),
      predictor: predictor && toldPredictor(predictor),
      candidates: candidates.map((candidate, i) => toldCandidate(candidate, scores[i], settings)),
    },
  };
}

function reasonOf(better: boolean, best: number, gain: number | null, threshold: number): string {
  if (best === 0) return "no candidate is better than the current point";
  const by = gain === null ? "something instead of nothing" : `${gain.toFixed(2)} %`;
  return `the best candidate gains ${by}, ${better ? "more" : "not more"} than the ${threshold} % asked for`;
}

function toldPredictor({ winner, losses }: PredictorFindings): NonNullable<RetuneEvent["predictor"]> {
  return { winner, losses: Object.fromEntries(losses.map(({ preset, loss }) => [preset, finite(loss)])) };
}

function toldCandidate(
  { point, metrics }: Candidate,
  score: number,
  settings: RetuneConfig,
): RetuneEvent["candidates"][number] {
  return {
    ...scoredPoint(point, score, settings),
    metrics: {
      goodput_output_throughput_tok_s: metrics.goodput_output_throughput_tok_s,
      output_throughput_tok_s: metrics.output_throughput_tok_s,
      gpu_hours: metrics.gpu_hours,
      mean_ttft_ms: metrics.mean_ttft_ms,
      mean_itl_ms: metrics.mean_itl_ms,
      duration_ms: metrics.duration_ms,
    },
  };
}

/** The predictor fields among changes: whether a switch replaces the predictor. */
export function changesPredictor(changes: PlannerFields): boolean {
  return Object.keys(changes).some((name) => name !== "load_scaling_down_sensitivity");
}
