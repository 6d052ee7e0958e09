/**
 * One sweep as a sequence of batches: forecasts first (when load predictors are compared), then one replay per distinct
 * candidate. Whoever drives it answers each batch, here or in workers; the findings do not depend on how.
 *
 * May import the candidates and the vocabulary.
 *
 * @module
 */
import { candidatePoints, changedFields } from "./candidates.ts";
import { forecastTasks, forecastWinner } from "./forecast_loss.ts";
import { PREDICTOR_PRESETS } from "./config.ts";
import type {
  Point,
  PredictorFindings,
  ReplayTask,
  ReplayWindow,
  SweepAnswer,
  SweepFindings,
  SweepPlan,
  SweepTask,
} from "./types.ts";

/**
 * Runs through a sweep. Yields batches of independent tasks and expects their answers in the same order.
 *
 * @example Drive a sweep without workers
 * ```ts ignore
 * const steps = sweepSteps(plan);
 * let step = steps.next();
 * while (!step.done) step = steps.next(step.value.map(answer));
 * console.log(step.value.candidates);
 * ```
 */
export function* sweepSteps(plan: SweepPlan): Generator<SweepTask[], SweepFindings, SweepAnswer[]> {
  let predictor: PredictorFindings | null = null;
  if (plan.presweep) {
    const losses = (yield forecastTasks(plan.presweep)).map((answer) => (answer as { loss: number }).loss);
    predictor = forecastWinner(plan.presweep.presets, losses);
  }
  const points = candidatePoints(plan.current, plan.grid, newPredictor(plan, predictor));
  const answers = yield points.map((point) => replayTask(plan, point));
  return {
    candidates: points.map((point, i) => ({
      point,
      metrics: (answers[i] as Extract<SweepAnswer, { kind: "replay" }>).metrics,
    })),
    predictor,
  };
}

/** The winning preset unless it is what the current point has. */
function newPredictor(plan: SweepPlan, predictor: PredictorFindings | null): string | null {
  const winner = predictor?.winner ?? null;
  if (winner === null) return null;
  const changes = changedFields(plan.current.planner, PREDICTOR_PRESETS[winner]);
  return Object.keys(changes).length > 0 ? winner : null;
}

function replayTask(plan: SweepPlan, point: Point): ReplayTask {
  return {
    kind: "replay",
    window: plan.window,
    replicas: plan.replicas,
    routerKnobs: point.router,
    routerSeed: plan.routerSeed,
    planner: plan.warmup ? { fields: { ...plan.overlay, ...point.planner }, warmup: plan.warmup } : null,
    sla: plan.sla,
  };
}

/**
 * Runs a sweep to its end on the spot.
 *
 * @param answer answers one task, see {@linkcode answerWith}
 */
export function runSweep(
  plan: SweepPlan,
  answer: (task: SweepTask) => SweepAnswer,
): SweepFindings {
  const steps = sweepSteps(plan);
  let step = steps.next();
  while (!step.done) step = steps.next(step.value.map(answer));
  return step.value;
}

/** Answers tasks with a replay function and the comparison of predictors. */
export function answerWith(
  replay: ReplayWindow,
  forecast: (task: Extract<SweepTask, { kind: "forecast" }>) => number,
): (task: SweepTask) => SweepAnswer {
  return (task) =>
    task.kind === "forecast" ? { kind: "forecast", loss: forecast(task) } : { kind: "replay", metrics: replay(task) };
}
