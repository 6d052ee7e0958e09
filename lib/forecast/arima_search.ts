/**
 * Which ARIMA(p, d, q) a series gets: differences until it looks level, then a stepwise search over p, q and the
 * constant by Akaike's criterion (Hyndman and Khandakar, "Automatic time series forecasting", 2008), as pmdarima 2.1.1
 * chooses. Also one fit of a given order, which the search, and later every refit, is made of.
 *
 * @module
 */
import { type ArmaModel, type ArmaOrder, largestInverseRoot, pointOf, unknowns } from "./arma.ts";
import { minimise } from "./numeric/lbfgs.ts";
import { leastSquares } from "./numeric/least_squares.ts";
import { filterOf } from "./short_arma.ts";

/** A complete order. */
export interface ArimaOrder extends ArmaOrder {
  d: number;
}

/** A fitted model: its order, unknowns (the start of a refit) and criterion. */
export interface ArimaFit {
  order: ArimaOrder;
  point: Float64Array;
  aic: number;
}

const MAX_ORDER = 5, MAX_DIFFERENCES = 2, MAX_FITS = 100, FIT_ITERATIONS = 50;
/** Inverse roots beyond this are too near the unit circle to be trusted. */
const LARGEST_ROOT = 0.99;
const SMALLEST_VARIANCE = 1e-10;

/** The d-th differences of a series. */
export function differences(series: readonly number[], d: number): number[] {
  let result = [...series];
  for (let i = 0; i < d; i++) result = result.slice(1).map((value, k) => value - result[k]);
  return result;
}

/** Critical values of the KPSS level test with their tail probabilities. */
const KPSS_CRITICAL = [0.347, 0.463, 0.574, 0.739] as const;
const KPSS_PROBABILITY = [0.10, 0.05, 0.025, 0.01] as const;

/** Tail probability of the KPSS level test: small values speak against a level series. */
function kpssProbability(series: readonly number[]): number {
  const n = series.length;
  const mean = series.reduce((sum, x) => sum + x, 0) / n;
  const e = series.map((x) => x - mean);
  let partial = 0, eta = 0, variance = 0;
  for (const x of e) {
    partial += x;
    eta += partial * partial;
    variance += x * x;
  }
  const lags = Math.trunc(4 * (n / 100) ** 0.25);
  let longRun = variance / n;
  for (let lag = 1; lag <= lags; lag++) {
    let covariance = 0;
    for (let t = lag; t < n; t++) covariance += e[t] * e[t - lag];
    longRun += (2 / n) * (1 - lag / (lags + 1)) * covariance;
  }
  const statistic = eta / (n * n) / longRun;
  if (!(statistic > KPSS_CRITICAL[0])) return KPSS_PROBABILITY[0];
  for (let i = 1; i < KPSS_CRITICAL.length; i++) {
    if (statistic > KPSS_CRITICAL[i]) continue;
    const share = (statistic - KPSS_CRITICAL[i - 1]) / (KPSS_CRITICAL[i] - KPSS_CRITICAL[i - 1]);
    return KPSS_PROBABILITY[i - 1] + share * (KPSS_PROBABILITY[i] - KPSS_PROBABILITY[i - 1]);
  }
  return KPSS_PROBABILITY[KPSS_PROBABILITY.length - 1];
}

const isConstant = (series: readonly number[]) => series.every((x) => x === series[0]);

/** How often the series has to be differenced before the level test is content. */
function differencesNeeded(series: readonly number[]): number {
  let d = 0, current = [...series];
  while (d < MAX_DIFFERENCES && !isConstant(current) && kpssProbability(current) < 0.05) {
    current = differences(current, 1);
    d++;
  }
  return d;
}

/** Regression of the series on its lags and lagged residuals: where a fit starts. Null when there is too little data. */
function startingModel(series: readonly number[], { p, q, constant }: ArmaOrder): ArmaModel {
  const n = series.length, first = Math.max(3 * q, p);
  const width = (constant ? 1 : 0) + p + q;
  const longLags = 2 * q;
  const mean = series.reduce((sum, x) => sum + x, 0) / n;
  let coefficients: Float64Array = new Float64Array(width);
  let residuals: number[];
  const enough = n > p && (q === 0 || n - longLags > q);
  if (width > 0 && !enough) {
    residuals = [...Array.from({ length: 2 * q }, () => 0), ...series.map((x) => x - mean)];
  } else {
    const noise = new Float64Array(n);
    if (q > 0) {
      const rows: Float64Array[] = [];
      for (let t = longLags; t < n; t++) {
        const row = new Float64Array(longLags);
        for (let lag = 0; lag < longLags; lag++) row[lag] = series[t - 1 - lag];
        rows.push(row);
      }
      const long = leastSquares(rows, series.slice(longLags), longLags);
      for (let i = 0; i < rows.length; i++) noise[i + longLags] = series[i + longLags] - product(rows[i], long);
    }
    const rows: Float64Array[] = [];
    for (let t = first; t < n; t++) {
      const row = new Float64Array(width);
      let at = 0;
      if (constant) row[at++] = 1;
      for (let lag = 1; lag <= p; lag++) row[at++] = series[t - lag];
      for (let lag = 1; lag <= q; lag++) row[at++] = noise[t - lag];
      rows.push(row);
    }
    coefficients = leastSquares(rows, series.slice(first), width);
    residuals = [];
    for (let i = 0; i < rows.length; i++) residuals.push(series[first + i] - product(rows[i], coefficients));
  }
  const used = residuals.slice(q);
  const variance = used.reduce((sum, x) => sum + x * x, 0) / used.length;
  const at = constant ? 1 : 0;
  const ar = coefficients.slice(at, at + p), ma = coefficients.slice(at + p);
  return {
    constant: constant ? coefficients[0] : 0,
    ar: largestInverseRoot(ar) < 1 ? ar : new Float64Array(p),
    ma: largestInverseRoot(ma.map((x) => -x)) < 1 ? ma : new Float64Array(q),
    variance: Math.max(variance, SMALLEST_VARIANCE),
  };
}

function product(row: Float64Array, coefficients: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < row.length; i++) sum += row[i] * coefficients[i];
  return sum;
}

/**
 * Fits one order by maximum likelihood.
 *
 * @param series the undifferenced values
 * @param start unknowns to start from; by default those of a regression
 * @returns null where no likelihood could be computed
 */
export function fitOrder(
  series: readonly number[],
  order: ArimaOrder,
  { start, maxIterations = FIT_ITERATIONS }: { start?: Float64Array; maxIterations?: number } = {},
): ArimaFit | null {
  const differenced = new Float64Array(differences(series, order.d));
  const from = start ?? pointOf(startingModel(Array.from(differenced), order), order);
  if (from.some((x) => !Number.isFinite(x))) return null;
  const filter = filterOf(order);
  const objective = (point: Float64Array) => {
    filter.take(point);
    filter.run(differenced);
    return -filter.logLikelihood / differenced.length;
  };
  const { point, value } = minimise(objective, from, maxIterations);
  if (!Number.isFinite(value)) return null;
  const aic = 2 * value * differenced.length + 2 * unknowns(order);
  filter.take(point);
  const root = Math.max(largestInverseRoot(filter.ar), largestInverseRoot(filter.ma.map((x) => -x)));
  return { order, point, aic: root > LARGEST_ROOT ? Infinity : aic };
}

/** Chooses and fits an order for at least five values that are not all equal; null when no order could be fitted. */
export function searchOrder(series: readonly number[]): ArimaFit | null {
  const n = series.length;
  const d = differencesNeeded(series);
  if (d > 0 && isConstant(differences(series, d))) return fitOrder(series, { p: 0, d, q: 0, constant: d < 2 });

  const limit = Math.min(MAX_ORDER, Math.floor(n / 3));
  const start = n < 10 ? Math.min(1, limit) : Math.min(2, limit);
  const mayHaveConstant = d <= 1;
  const tried = new Set<string>();
  let best: ArimaFit | null = null;
  let p = start, q = start, constant = mayHaveConstant;
  /** Fits an order not tried before; true when it is the best so far. */
  const attempt = (nextP: number, nextQ: number, nextConstant: boolean): boolean => {
    if (nextP < 0 || nextQ < 0 || nextP > limit || nextQ > limit) return false;
    const key = `${nextP},${nextQ},${nextConstant}`;
    if (tried.has(key) || tried.size >= MAX_FITS) return false;
    tried.add(key);
    const fit = fitOrder(series, { p: nextP, d, q: nextQ, constant: nextConstant });
    if (!fit || (best && !(fit.aic < best.aic))) return false;
    best = fit;
    [p, q, constant] = [nextP, nextQ, nextConstant];
    return true;
  };
  attempt(start, start, mayHaveConstant);
  attempt(0, 0, mayHaveConstant);
  attempt(1, 0, mayHaveConstant);
  attempt(0, 1, mayHaveConstant);
  if (mayHaveConstant) attempt(0, 0, false);
  const neighbours = [[-1, 0], [0, -1], [1, 0], [0, 1], [-1, -1], [-1, 1], [1, -1], [1, 1]] as const;
  const improved = () =>
    neighbours.some(([dp, dq]) => attempt(p + dp, q + dq, constant)) ||
    (mayHaveConstant && attempt(p, q, !constant));
  while (improved()) { /* restart from the new best point */ }
  return best;
}
