/**
 * What every load predictor shares. A *forecaster* (one file each: `constant.ts`, `kalman.ts`, …) is a model of a
 * positive series; a `Predictor` decides which observations reach it and what an unusable forecast becomes.
 *
 * @module
 */

/** Settings of the predictors; the names are those of the Planner's configuration. */
export interface PredictorSettings {
  /** Forecast `ln(1 + value)` instead of the value. */
  load_predictor_log1p: boolean;
  /** Observations Prophet is fitted to. */
  prophet_window_size: number;
  /** Variance of the level's steps. */
  kalman_q_level: number;
  /** Variance of the trend's steps. */
  kalman_q_trend: number;
  /** Variance of an observation. */
  kalman_r: number;
  /** Observations before the Kalman filter forecasts. */
  kalman_min_points: number;
  /** Distance of two observations in seconds. */
  throughput_adjustment_interval_seconds: number;
}

/** Settings of a Planner that says nothing about them. */
export const DEFAULT_SETTINGS: PredictorSettings = {
  load_predictor_log1p: false,
  prophet_window_size: 50,
  kalman_q_level: 1,
  kalman_q_trend: 0.1,
  kalman_r: 10,
  kalman_min_points: 5,
  throughput_adjustment_interval_seconds: 180,
};

/** A model of one series. `forecast` may change its state (a Kalman filter predicts once, ARIMA refits). */
export interface Forecaster {
  /** Takes the next observation: finite, and not before the first non-zero one. */
  add(value: number): void;
  /** The next value in the series' own unit, or null while there is too little to go by (the last value then stands in). */
  forecast(): number | null;
}

/** How a forecaster is made, and how many observations it needs before it forecasts. */
export interface ForecasterKind {
  create(settings: PredictorSettings): Forecaster;
  minimumPoints(settings: PredictorSettings): number;
}

/** One series with its forecaster: drops zeros while idle, remembers the last value. */
export class Predictor {
  readonly #forecaster: Forecaster;
  #idle = true;
  #last = 0;

  /** A series without observations. */
  constructor(forecaster: Forecaster) {
    this.#forecaster = forecaster;
  }

  /** Adds an observation. Not-a-number counts as 0; zeros are dropped until the first load after an idle reset. */
  add(value: number): void {
    const usable = Number.isNaN(value) ? 0 : value;
    if (this.#idle && usable === 0) return;
    this.#idle = false;
    this.#last = usable;
    this.#forecaster.add(usable);
  }

  /** Forecast of the next observation; the last one while the forecaster cannot tell, 0 before the first. */
  forecast(): number {
    return this.#forecaster.forecast() ?? this.#last;
  }

  /** From here zeros are dropped again until load arrives; everything learned stays. */
  resetIdle(): void {
    this.#idle = true;
  }
}
