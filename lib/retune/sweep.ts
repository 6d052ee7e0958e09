/**
 * One sweep as a sequence of batches: forecasts first (when load predictors are compared), then one replay per distinct
 * candidate. Whoever drives it answers each batch, here or in workers; the findings do not depend on how.
 *
 * @module
 */
import { candidatePoints, changedFields } from "./candidates.ts";
import { forecastLoss, forecastTasks, forecastWinner } from "./forecast_loss.ts";
import { PREDICTOR_PRESETS } from "./config.ts";
import type {
  ForecastTask,
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
 *
 * @example Which temperature would have served two requests best?
 * ```ts
 * import { answerWith, runSweep, type SweepPlan } from "dynosim";
 *
 * const knobs = (temperature: number) => ({ overlap_score_credit: 1, prefill_load_scale: 1, temperature });
 * const plan: SweepPlan = {
 *   window: {
 *     count: 2,
 *     blockTokens: 16,
 *     arrivalMs: Float64Array.of(0, 500),
 *     inputTokens: Int32Array.of(16, 16),
 *     outputTokens: Int32Array.of(4, 4),
 *     blockStart: Int32Array.of(0, 1, 2),
 *     blockIds: Int32Array.of(0, 0),
 *   },
 *   replicas: { prefill: 0, decode: 2 },
 *   routerSeed: 42,
 *   sla: { ttftMs: 500, itlMs: 50 },
 *   current: { router: knobs(1), planner: {} },
 *   overlay: {},
 *   grid: [{ router: knobs(0), planner: {} }, { router: knobs(1), planner: {} }],
 *   presweep: null,
 *   warmup: null,
 * };
 * const { candidates } = runSweep(plan, answerWith((task) => ({
 *   goodput_output_throughput_tok_s: 16 - task.routerKnobs!.temperature,
 *   output_throughput_tok_s: 16,
 *   mean_output_token_throughput_per_user: 100,
 *   mean_ttft_ms: 20,
 *   mean_itl_ms: 5,
 *   mean_e2e_latency_ms: 40,
 *   gpu_hours: 0.01,
 *   duration_ms: 1000,
 * })));
 * console.log(candidates.map(({ point }) => point.router?.temperature)); // [ 1, 0 ]
 * ```
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

/**
 * Answers tasks with a replay function; forecasts by {@linkcode forecastLoss} unless told otherwise.
 *
 * @example
 * ```ts
 * import { answerWith } from "dynosim";
 *
 * const answer = answerWith(() => {
 *   throw new Error("no window is replayed here");
 * }, () => 0.25);
 * console.log(typeof answer); // "function"
 * ```
 */
export function answerWith(
  replay: ReplayWindow,
  forecast: (task: ForecastTask) => number = forecastLoss,
): (task: SweepTask) => SweepAnswer {
  return (task) =>
    task.kind === "forecast" ? { kind: "forecast", loss: forecast(task) } : { kind: "replay", metrics: replay(task) };
}
