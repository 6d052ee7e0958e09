/**
 * How well each load predictor would have forecast the recorded buckets, one bucket ahead.
 *
 * @module
 */
import { DEFAULT_SETTINGS, type PredictorSettings } from "../forecast/predictor.ts";
import type { TrafficObservation } from "../forecast/history.ts";
import { createPredictor, predictors } from "../forecast/registry.ts";
import { PREDICTOR_PRESETS, type PredictorPreset } from "./config.ts";
import type { ForecastTask, PredictorFindings, SweepPlan } from "./types.ts";

/** Weights of the four terms: prompt tokens, output tokens, mean prompt, mean output. */
const WEIGHTS = [0.4, 0.4, 0.1, 0.1];

/** A preset with the defaults for what it leaves open. */
const settingsOf = (
  { load_predictor: _, ...fields }: PredictorPreset,
  intervalSeconds: number,
): PredictorSettings => ({ ...DEFAULT_SETTINGS, ...fields, throughput_adjustment_interval_seconds: intervalSeconds });

/** Buckets that some of the presets need before they forecast. */
export const warmupBuckets = (presets: readonly PredictorPreset[], intervalSeconds: number): number =>
  Math.max(
    ...presets.map((preset) => predictors[preset.load_predictor].minimumPoints(settingsOf(preset, intervalSeconds))),
  );

/** Distance of two magnitudes on a logarithmic scale; negative ones count as 0. */
const distance = (predicted: number, actual: number) =>
  Math.abs(Math.log1p(Math.max(predicted, 0)) - Math.log1p(Math.max(actual, 0)));

/** Forecast or actual traffic of one bucket. */
export type BucketShape = TrafficObservation;

/** Error of one forecast. Forecasts are cut off at 0 before products are formed. */
export function bucketLoss(forecast: BucketShape, actual: BucketShape): number {
  const [n, i, o] = [forecast.requests, forecast.inputTokens, forecast.outputTokens].map((x) => Math.max(x, 0));
  const { requests, inputTokens, outputTokens } = actual;
  const terms = [
    distance(n * i, requests * inputTokens),
    distance(n * o, requests * outputTokens),
    distance(i, inputTokens),
    distance(o, outputTokens),
  ];
  return terms.reduce((sum, term, k) => sum + WEIGHTS[k] * term, 0);
}

/** One forecast task per preset. No bucket counts that some preset had too few points to forecast. */
export function forecastTasks(presweep: NonNullable<SweepPlan["presweep"]>): ForecastTask[] {
  const { presets, buckets, intervalSeconds } = presweep;
  const warmup = warmupBuckets(presets.map((preset) => PREDICTOR_PRESETS[preset]), intervalSeconds);
  return presets.map((preset) => ({ kind: "forecast", preset, buckets, intervalSeconds, warmupBuckets: warmup }));
}

/** Mean loss of a preset; `Infinity` when no bucket counted or a forecast failed. */
export const forecastLoss = ({ preset, ...task }: ForecastTask): number => presetLoss(PREDICTOR_PRESETS[preset], task);

/** Mean loss of any settings of a predictor, as {@linkcode forecastLoss}. */
export function presetLoss(
  preset: PredictorPreset,
  { buckets, intervalSeconds, warmupBuckets }: Pick<ForecastTask, "buckets" | "intervalSeconds" | "warmupBuckets">,
): number {
  const settings = settingsOf(preset, intervalSeconds);
  const [requests, input, output] = [0, 1, 2].map(() => createPredictor(preset.load_predictor, settings));
  let sum = 0, scored = 0;
  for (const [index, actual] of buckets.entries()) {
    try {
      const forecast = {
        requests: requests.forecast(),
        inputTokens: input.forecast(),
        outputTokens: output.forecast(),
      };
      if (index >= warmupBuckets) {
        sum += bucketLoss(forecast, actual);
        scored++;
      }
    } catch {
      return Infinity;
    }
    requests.add(actual.requests);
    input.add(actual.inputTokens);
    output.add(actual.outputTokens);
  }
  const mean = sum / scored;
  return Number.isFinite(mean) ? mean : Infinity;
}

/** The preset with the smallest loss, the first of equals; none when no loss is finite. */
export function forecastWinner(presets: readonly string[], losses: readonly number[]): PredictorFindings {
  let winner: string | null = null, least = Infinity;
  presets.forEach((preset, i) => {
    if (losses[i] < least) [winner, least] = [preset, losses[i]];
  });
  return { winner, losses: presets.map((preset, i) => ({ preset, loss: losses[i] })) };
}
