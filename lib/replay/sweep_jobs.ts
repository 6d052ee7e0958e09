/**
 * The job module of sweep workers: forecasts and window replays.
 *
 * @module
 */
import type { JobFunction } from "../jobs/job.ts";
import { forecastLoss } from "../retune/forecast_loss.ts";
import type { SweepAnswer, SweepTask } from "../retune/types.ts";
import { type ClusterRecipe, WindowReplayer } from "./window.ts";

/** Makes the function that does one task of a sweep on the cluster of a recipe. */
export function prepare(recipe: ClusterRecipe): JobFunction<SweepTask, SweepAnswer> {
  let replayer: WindowReplayer | null = null;
  return async (task, control) => {
    if (task.kind === "forecast") return { kind: "forecast", loss: forecastLoss(task) };
    replayer ??= new WindowReplayer(recipe);
    return { kind: "replay", metrics: await replayer.replay(task, control) };
  };
}
