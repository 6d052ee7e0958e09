/**
 * The predictors by name. A new one is a file beside this one and a line here.
 *
 * @module
 */
import { arima } from "./arima.ts";
import { constant } from "./constant.ts";
import { kalman } from "./kalman.ts";
import { type ForecasterKind, Predictor, type PredictorSettings } from "./predictor.ts";
import { prophet } from "./prophet.ts";

/** Every kind of load predictor, in the order messages list them. */
export const predictors = { constant, arima, prophet, kalman } satisfies Record<string, ForecasterKind>;

/** Name of a load predictor. */
export type PredictorName = keyof typeof predictors;

/** A fresh predictor of one series. */
export function createPredictor(name: PredictorName, settings: PredictorSettings): Predictor {
  return new Predictor(predictors[name].create(settings));
}
