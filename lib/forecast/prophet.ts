/**
 * The predictor `prophet`: a piecewise linear trend with up to 25 possible changes of slope, plus a day's and a week's
 * rhythm once there is history for them, fitted as a maximum a posteriori estimate to the last observations:
 * the model of Taylor and Letham, "Forecasting at scale" (2018), whose estimates follow Prophet's defaults.
 *
 * The posterior has one corner per possible change (a Laplace prior, which makes most changes exactly zero), so it is
 * climbed one coordinate at a time in closed form. The sums a coordinate needs are kept as a Gram matrix: a sweep costs
 * columns², whatever the number of observations.
 *
 * @module
 */
import { roundHalfEven } from "../arithmetic/rounding.ts";
import type { Forecaster, ForecasterKind, PredictorSettings } from "./predictor.ts";

const MINIMUM_POINTS = 5;
const MAX_CHANGEPOINTS = 25;
/** Changes of slope happen in this first part of the history only. */
const CHANGEPOINT_RANGE = 0.8;
/** Prior scales: slope and offset, change of slope, seasonal coefficients, noise. */
const TREND_SCALE = 5, CHANGE_SCALE = 0.05, SEASON_SCALE = 10, NOISE_SCALE = 0.5;
const MAX_SWEEPS = 20_000;
const STILL = 1e-11;
const DAY_S = 86_400;
/** Day number of the first observation (2024-01-01): the phase of the seasons. */
const FIRST_DAY = 19_723;

interface Season {
  periodDays: number;
  order: number;
}

/** Seasons a history of this span and spacing can show. */
function seasons(spanS: number, spacingS: number): Season[] {
  const found: Season[] = [];
  if (spanS >= 14 * DAY_S && spacingS < 7 * DAY_S) found.push({ periodDays: 7, order: 3 });
  if (spanS >= 2 * DAY_S && spacingS < DAY_S) found.push({ periodDays: 1, order: 4 });
  return found;
}

/** Index of the observations at which the slope may change. */
function changepoints(count: number): number[] {
  const reach = Math.floor(CHANGEPOINT_RANGE * count);
  const wanted = Math.min(MAX_CHANGEPOINTS, reach - 1);
  return Array.from({ length: wanted }, (_, j) => roundHalfEven(((reach - 1) * (j + 1)) / wanted));
}

/** One row of the design: slope, offset, a hinge per changepoint, sine and cosine of each season. */
function designRow(t: number, day: number, hinges: readonly number[], rhythm: readonly Season[]): number[] {
  const row = [t, 1];
  for (const s of hinges) row.push(t >= s ? t - s : 0);
  for (const { periodDays, order } of rhythm) {
    for (let i = 1; i <= order; i++) {
      const angle = (2 * Math.PI * i * day) / periodDays;
      row.push(Math.sin(angle), Math.cos(angle));
    }
  }
  return row;
}

/**
 * Forecasts the value after the last one.
 *
 * @param values the window, at least five, evenly spaced
 * @param spacingS seconds between two values
 * @param firstIndex how many values came before the window (the phase of the seasons)
 */
function fitAndForecast(values: readonly number[], spacingS: number, firstIndex: number): number {
  if (values.every((value) => value === values[0])) return values[0];
  const count = values.length;
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const rhythm = seasons((count - 1) * spacingS, spacingS);
  const hinges = changepoints(count).map((index) => index / (count - 1));
  const row = (i: number) =>
    designRow(i / (count - 1), FIRST_DAY + ((firstIndex + i) * spacingS) / DAY_S, hinges, rhythm);
  const rows = values.map((_, i) => row(i));
  const y = values.map((value) => value / scale);
  const beta = climb(rows, y, hinges.length);
  return row(count).reduce((sum, x, j) => sum + x * beta[j], 0) * scale;
}

/** Coordinate ascent to the posterior's top; returns the coefficients. Columns: slope, offset, hinges, seasons. */
function climb(rows: readonly number[][], y: readonly number[], hinges: number): Float64Array {
  const count = y.length, columns = rows[0].length;
  const gram = Array.from({ length: columns }, () => new Float64Array(columns));
  const beta = new Float64Array(columns);
  beta[0] = y[count - 1] - y[0];
  beta[1] = y[0];
  /** gradient[j] = column j · residual, kept up to date with every move. */
  const gradient = new Float64Array(columns);
  let squares = 0;
  for (let i = 0; i < count; i++) {
    const row = rows[i];
    const residual = y[i] - beta[0] * row[0] - beta[1];
    squares += residual * residual;
    for (let j = 0; j < columns; j++) {
      gradient[j] += row[j] * residual;
      for (let k = 0; k < columns; k++) gram[j][k] += row[j] * row[k];
    }
  }
  const precision = (scale: number) => 1 / (scale * scale);
  let variance = 1;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let moved = 0;
    for (let j = 0; j < columns; j++) {
      const own = gram[j][j];
      const pull = gradient[j] + own * beta[j];
      let next: number;
      if (j >= 2 && j < 2 + hinges) {
        const threshold = variance / CHANGE_SCALE;
        next = own > 0 && Math.abs(pull) > threshold ? (pull - Math.sign(pull) * threshold) / own : 0;
      } else {
        next = pull / (own + variance * precision(j < 2 ? TREND_SCALE : SEASON_SCALE));
      }
      const step = next - beta[j];
      if (step === 0) continue;
      squares += step * (step * own - 2 * gradient[j]);
      const column = gram[j];
      for (let k = 0; k < columns; k++) gradient[k] -= step * column[k];
      beta[j] = next;
      moved = Math.max(moved, Math.abs(step));
    }
    if (sweep % 64 === 63) squares = residualSquares(rows, y, beta);
    // The noise that makes the posterior stationary, with its own half-normal prior.
    const before = variance;
    const weight = 2 * precision(NOISE_SCALE);
    variance = (-count + Math.sqrt(count * count + 2 * weight * Math.max(0, squares))) / weight;
    moved = Math.max(moved, Math.abs(Math.sqrt(variance) - Math.sqrt(before)));
    if (moved <= STILL) break;
  }
  return beta;
}

function residualSquares(rows: readonly number[][], y: readonly number[], beta: Float64Array): number {
  let squares = 0;
  for (let i = 0; i < y.length; i++) {
    let residual = y[i];
    for (let j = 0; j < beta.length; j++) residual -= rows[i][j] * beta[j];
    squares += residual * residual;
  }
  return squares;
}

class ProphetForecaster implements Forecaster {
  readonly #log: boolean;
  readonly #window: number;
  readonly #spacingS: number;
  readonly #values: number[] = [];
  #dropped = 0;

  constructor(settings: PredictorSettings) {
    this.#log = settings.load_predictor_log1p;
    this.#window = settings.prophet_window_size;
    this.#spacingS = settings.throughput_adjustment_interval_seconds;
  }

  add(value: number): void {
    this.#values.push(this.#log ? Math.log(1 + Math.max(0, value)) : value);
    if (this.#values.length > this.#window) {
      this.#values.shift();
      this.#dropped++;
    }
  }

  forecast(): number | null {
    if (this.#values.length < MINIMUM_POINTS) return null;
    const next = fitAndForecast(this.#values, this.#spacingS, this.#dropped);
    return Math.max(0, this.#log ? Math.exp(next) - 1 : next);
  }
}

/** Piecewise linear trend with seasons. */
export const prophet: ForecasterKind = {
  minimumPoints: () => MINIMUM_POINTS,
  create: (settings) => new ProphetForecaster(settings),
};
