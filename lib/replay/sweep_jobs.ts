/**
 * The job module of sweep workers: forecasts and window replays.
 *
 * @module
 */
import type { JobFunction } from "../jobs/job.ts";
import { forecastLoss } from "../retune/forecast_loss.ts";
import type { SweepAnswer, SweepTask } from "../retune/types.ts";
import { SharedData } from "./shared_data.ts";
import type { ReplaySpec } from "./spec.ts";
import { replayWindow } from "./window.ts";

/** Makes the function that does one task of a sweep of the run that `windowSpec` describes. */
export function prepare(spec: ReplaySpec): JobFunction<SweepTask, SweepAnswer> {
  const shared = new SharedData();
  return async (task, control) => {
    if (task.kind === "forecast") return { kind: "forecast", loss: forecastLoss(task) };
    return { kind: "replay", metrics: await replayWindow(spec, task, control, shared) };
  };
}
