/**
 * The predictors by name. A new one is a file beside this one and a line here.
 *
 * @module
 */
import { checkNumber, ConfigError, nearName } from "../errors.ts";
import { arima } from "./arima.ts";
import { constant } from "./constant.ts";
import { kalman } from "./kalman.ts";
import { DEFAULT_SETTINGS, type ForecasterKind, Predictor, type PredictorSettings } from "./predictor.ts";
import { prophet } from "./prophet.ts";

/** Every kind of load predictor, in the order messages list them. */
export const predictors = { constant, arima, prophet, kalman } satisfies Record<string, ForecasterKind>;

/** Name of a load predictor. */
export type PredictorName = keyof typeof predictors;

/**
 * A fresh predictor of one series.
 *
 * @param name a kind of predictor
 * @param settings the Planner's fields that concern predictors; the defaults of `PlannerConfig`
 *
 * @example
 * ```ts
 * import { createPredictor } from "dynosim";
 *
 * const requests = createPredictor("kalman");
 * for (const count of [12, 15, 14, 18, 21, 20]) requests.add(count);
 * console.log(requests.forecast().toFixed(2)); // 22.63
 * ```
 */
export function createPredictor(name: PredictorName, settings: Partial<PredictorSettings> = {}): Predictor {
  if (!Object.hasOwn(predictors, name)) {
    const near = nearName(String(name), Object.keys(predictors)), known = Object.keys(predictors).join(", ");
    throw new ConfigError(
      `there is no load predictor '${name}'; there are ${known}${near ? ` (did you mean '${near}'?)` : ""}`,
    );
  }
  for (const key of ["kalman_q_level", "kalman_q_trend", "kalman_r"] as const) {
    checkNumber(`createPredictor(): ${key}`, settings[key], { least: 0 });
  }
  for (const key of ["prophet_window_size", "kalman_min_points"] as const) {
    checkNumber(`createPredictor(): ${key}`, settings[key], { least: 1, whole: true });
  }
  return new Predictor(predictors[name].create({ ...DEFAULT_SETTINGS, ...settings }));
}
