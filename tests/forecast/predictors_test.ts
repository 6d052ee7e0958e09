import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ArimaForecaster } from "../../lib/forecast/arima.ts";
import { Predictor, type PredictorSettings } from "../../lib/forecast/predictor.ts";
import { createPredictor, type PredictorName, predictors } from "../../lib/forecast/registry.ts";
import { readGolden } from "../planner/helpers.ts";

const settings: PredictorSettings = {
  load_predictor_log1p: false,
  prophet_window_size: 50,
  kalman_q_level: 1,
  kalman_q_trend: 0.1,
  kalman_r: 10,
  kalman_min_points: 5,
  throughput_adjustment_interval_seconds: 180,
};

const miss = (got: number, wanted: number) => Math.abs(got - wanted) / Math.max(Math.abs(wanted), 1e-9);

/** Relative errors of every forecast the golden asked for. */
function errors(predictor: Predictor, series: number[], predictions: (number | null)[]): number[] {
  const found: number[] = [];
  series.forEach((value, i) => {
    predictor.add(value);
    const wanted = predictions[i];
    if (wanted !== null) found.push(miss(predictor.forecast(), wanted));
  });
  return found;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Largest error a predictor may make, and the median over all its vectors. */
const BOUNDS = {
  constant: { most: 0, median: 0 },
  kalman: { most: 1e-13, median: 1e-15 },
  arima: { most: 0.01, median: 1e-7 },
  prophet: { most: 0.03, median: 5e-4 },
} as const;
/** The fitted noise of this series collapses, and with it any hope of the reference's digits. */
const COLLAPSED = "prophet|log1p=True|sine";

test("every predictor forecasts what the reference forecasts on 48 series", () => {
  const all: Record<string, number[]> = {};
  for (const [key, { series, predictions, info }] of Object.entries<any>(readGolden("unit_predictors.json").cases)) {
    const [name, log] = key.split("|") as [PredictorName, string];
    const options = { ...settings, load_predictor_log1p: log === "log1p=True" };
    const forecaster = predictors[name].create(options);
    const found = errors(new Predictor(forecaster), series, predictions);
    assert.ok(found.length > 0);
    assert.ok(Math.max(...found) <= (key === COLLAPSED ? 0.3 : BOUNDS[name].most), `${key}: ${Math.max(...found)}`);
    (all[name] ??= []).push(...found);
    if (forecaster instanceof ArimaForecaster && info) {
      assert.deepEqual(forecaster.choice, {
        order: info.order,
        constant: info.with_intercept,
        log: info.mode === "log1p",
      });
    }
  }
  for (const [name, { median: bound }] of Object.entries(BOUNDS)) assert.ok(median(all[name]) <= bound, name);
});

test("arima and prophet follow the reference on 56 further series", () => {
  const all: Record<string, number[]> = {};
  for (const c of readGolden("unit_predictors_more.json").cases) {
    const name: "arima" | "prophet" = c.predictor;
    const forecaster = predictors[name].create({
      ...settings,
      load_predictor_log1p: c.load_predictor_log1p,
      prophet_window_size: c.prophet_window_size ?? 50,
      throughput_adjustment_interval_seconds: 60,
    });
    const found = errors(new Predictor(forecaster), c.series, c.predictions);
    assert.ok(Math.max(...found) <= BOUNDS[name].most, `${name} ${c.kind}: ${Math.max(...found)}`);
    (all[name] ??= []).push(...found);
    if (forecaster instanceof ArimaForecaster) {
      assert.deepEqual(forecaster.choice, { order: c.order, constant: c.with_intercept, log: c.mode === "log1p" });
    }
  }
  assert.ok(median(all.arima) <= BOUNDS.arima.median);
  assert.ok(median(all.prophet) <= BOUNDS.prophet.median);
});

test("Predictor drops zeros while idle and again after an idle reset", () => {
  const seen: number[] = [];
  const predictor = new Predictor({ add: (value) => void seen.push(value), forecast: () => null });
  for (const value of [0, NaN, 3, 0, NaN]) predictor.add(value);
  assert.deepEqual(seen, [3, 0, 0]);
  predictor.resetIdle();
  predictor.add(0);
  predictor.add(4);
  assert.deepEqual(seen, [3, 0, 0, 4]);
  assert.equal(predictor.forecast(), 4);
});

test("every predictor gives a finite forecast of at least zero on any load", () => {
  const load = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true })), { maxLength: 14 });
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(predictors) as PredictorName[]),
      fc.boolean(),
      load,
      (name, load_predictor_log1p, series) => {
        const predictor = createPredictor(name, { ...settings, load_predictor_log1p });
        for (const value of series) {
          predictor.add(value);
          const forecast = predictor.forecast();
          assert.ok(Number.isFinite(forecast) && forecast >= 0, `${name}: ${forecast}`);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("prophet finds the rhythm of the day once it has two days of history", () => {
  const hourly = { ...settings, throughput_adjustment_interval_seconds: 3600, prophet_window_size: 96 };
  const predictor = createPredictor("prophet", hourly);
  const load = (hour: number) => 100 + 40 * Math.sin((2 * Math.PI * hour) / 24);
  for (let hour = 0; hour < 72; hour++) predictor.add(load(hour));
  assert.ok(miss(predictor.forecast(), load(72)) < 0.02);
});
