/**
 * ARMA(p, q) with a constant: exact Gaussian likelihood and one-step forecast by a Kalman filter started in the
 * stationary distribution (Durbin and Koopman, "Time series analysis by state space methods"), and the change of
 * variables that keeps the model stationary and invertible (Monahan, 1984). Results follow statsmodels' SARIMAX.
 *
 * @module
 */

/** Orders of the model of the differenced series. */
export interface ArmaOrder {
  p: number;
  q: number;
  constant: boolean;
}

/** A model with its numbers. The process mean is `constant / (1 - sum of ar)`. */
export interface ArmaModel {
  constant: number;
  ar: Float64Array;
  ma: Float64Array;
  variance: number;
}

/** Runs over series with models of one order. */
export interface SeriesFilter {
  /** Numbers of the model taken last. */
  readonly ar: Float64Array;
  readonly ma: Float64Array;
  /** Log likelihood of the series filtered last; not a number where the model has no stationary start. */
  readonly logLikelihood: number;
  /** Forecast of the value after the series filtered last. */
  readonly next: number;
  /** Takes the model a vector of unknowns stands for. */
  take(point: Float64Array): void;
  /** Runs over a series with the model taken last. */
  run(series: Float64Array): void;
}

/** Length of the vector of unknowns: constant, AR, MA, standard deviation. */
export const unknowns = ({ p, q, constant }: ArmaOrder): number => (constant ? 1 : 0) + p + q + 1;

/**
 * Partial autocorrelations from any real numbers, then coefficients by the recursion of Durbin and Levinson.
 *
 * @param at where in `free` the `into.length` numbers begin
 * @param sign -1 for autoregressive coefficients, 1 for those of a moving average
 */
function stationary(free: Float64Array, at: number, sign: number, into: Float64Array, spare: Float64Array): void {
  const count = into.length;
  for (let k = 0; k < count; k++) {
    const x = free[at + k], partial = x / Math.sqrt(1 + x * x);
    for (let i = 0; i < k; i++) spare[i] = into[i] + partial * into[k - 1 - i];
    for (let i = 0; i < k; i++) into[i] = spare[i];
    into[k] = partial;
  }
  for (let i = 0; i < count; i++) into[i] *= sign;
}

/** The inverse of `stationary` for autoregressive coefficients. */
function freed(coefficients: Float64Array): Float64Array {
  let row = coefficients.map((x) => -x);
  const free = new Float64Array(row.length);
  for (let k = row.length - 1; k >= 0; k--) {
    const partial = row[k];
    free[k] = partial / Math.sqrt(1 - partial * partial);
    const shorter = new Float64Array(k);
    for (let i = 0; i < k; i++) shorter[i] = (row[i] - partial * row[k - 1 - i]) / (1 - partial * partial);
    row = shorter;
  }
  return free;
}

/** The vector of unknowns of a model. */
export function pointOf(model: ArmaModel, order: ArmaOrder): Float64Array {
  return Float64Array.from([
    ...(order.constant ? [model.constant] : []),
    ...freed(model.ar),
    ...freed(model.ma.map((x) => -x)),
    Math.sqrt(model.variance),
  ]);
}

const LOG_2_PI = Math.log(2 * Math.PI);

/** Place of (i, j) among the entries of a symmetric matrix. */
const place = (i: number, j: number) => i >= j ? (i * (i + 1)) / 2 + j : (j * (j + 1)) / 2 + i;

/**
 * The filter of one order. A fit asks it thousands of times, so everything it needs in between is made once.
 */
export class ArmaFilter implements SeriesFilter {
  readonly #constantAt: number;
  readonly #size: number;
  readonly #entries: number;
  readonly ar: Float64Array;
  readonly ma: Float64Array;
  #constant = 0;
  #variance = 0;
  /** AR coefficients and weights of the noise, one a state. */
  readonly #phi: Float64Array;
  readonly #noise: Float64Array;
  readonly #state: Float64Array;
  readonly #spare: Float64Array;
  /** Equations for the covariance before the first observation: a row an entry, its right side last. */
  readonly #system: Float64Array;
  readonly #solution: Float64Array;
  #covariance: Float64Array;
  #nextCovariance: Float64Array;
  logLikelihood = NaN;
  next = NaN;

  constructor({ p, q, constant }: ArmaOrder) {
    const size = Math.max(p, q + 1), entries = (size * (size + 1)) / 2;
    this.#constantAt = constant ? 1 : 0;
    this.#size = size;
    this.#entries = entries;
    this.ar = new Float64Array(p);
    this.ma = new Float64Array(q);
    this.#phi = new Float64Array(size);
    this.#noise = new Float64Array(size);
    this.#state = new Float64Array(size);
    this.#spare = new Float64Array(size);
    this.#system = new Float64Array(entries * (entries + 1));
    this.#solution = new Float64Array(entries);
    this.#covariance = new Float64Array(size * size);
    this.#nextCovariance = new Float64Array(size * size);
  }

  take(point: Float64Array): void {
    const at = this.#constantAt, ar = this.ar, ma = this.ma, phi = this.#phi, noise = this.#noise;
    stationary(point, at, -1, ar, this.#spare);
    stationary(point, at + ar.length, 1, ma, this.#spare);
    const deviation = point[at + ar.length + ma.length];
    this.#constant = at === 1 ? point[0] : 0;
    this.#variance = deviation * deviation;
    for (let i = 0; i < ar.length; i++) phi[i] = ar[i];
    noise[0] = 1;
    for (let i = 0; i < ma.length; i++) noise[i + 1] = ma[i];
  }

  run(series: Float64Array): void {
    this.logLikelihood = this.next = NaN;
    if (!this.#start()) return;
    const size = this.#size, phi = this.#phi, noise = this.#noise, state = this.#state, spare = this.#spare;
    const constant = this.#constant, variance = this.#variance;
    let sumAr = 0;
    for (let i = 0; i < this.ar.length; i++) sumAr += phi[i];
    const mean = constant === 0 ? 0 : constant / (1 - sumAr);
    let covariance = this.#covariance, next = this.#nextCovariance, logLikelihood = 0;
    state.fill(0);
    for (let t = 0; t < series.length; t++) {
      const surprise = series[t] - mean - state[0];
      const f = covariance[0];
      logLikelihood -= 0.5 * (LOG_2_PI + Math.log(f * variance) + (surprise * surprise) / (f * variance));
      // Update with the observation, then one time step: x := T (x + K v), P := T (P - K K' f) T' + R R'.
      const corrected = state[0] + surprise;
      for (let i = 0; i < size; i++) {
        const shifted = i + 1 < size ? state[i + 1] + (covariance[(i + 1) * size] / f) * surprise : 0;
        spare[i] = phi[i] * corrected + shifted;
      }
      for (let i = 0; i < size; i++) state[i] = spare[i];
      for (let i = 0; i < size; i++) {
        for (let j = 0; j < size; j++) {
          // The first state is known exactly after the observation: only the shifted block stays uncertain.
          const shifted = i + 1 < size && j + 1 < size
            ? covariance[(i + 1) * size + j + 1] - (covariance[(i + 1) * size] * covariance[j + 1]) / f
            : 0;
          next[i * size + j] = shifted + noise[i] * noise[j];
        }
      }
      const kept = covariance;
      covariance = next;
      next = kept;
    }
    this.#covariance = covariance;
    this.#nextCovariance = next;
    this.logLikelihood = logLikelihood;
    this.next = mean + state[0];
  }

  /** The state covariance before the first observation, for unit noise: solves `P = T P T' + R R'`. */
  #start(): boolean {
    this.#equations();
    if (!this.#triangular()) return false;
    const size = this.#size, count = this.#entries, width = count + 1;
    const system = this.#system, solution = this.#solution, covariance = this.#covariance;
    for (let i = count - 1; i >= 0; i--) {
      let sum = system[i * width + count];
      for (let k = i + 1; k < count; k++) sum -= system[i * width + k] * solution[k];
      solution[i] = sum / system[i * width + i];
    }
    for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) covariance[i * size + j] = solution[place(i, j)];
    return true;
  }

  /** With T = [ar in the first column | ones above the diagonal]. */
  #equations(): void {
    const size = this.#size, count = this.#entries, width = count + 1;
    const system = this.#system, phi = this.#phi, noise = this.#noise;
    system.fill(0);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) {
        const row = place(i, j) * width;
        system[row + place(i, j)] += 1;
        system[row] -= phi[i] * phi[j];
        if (j + 1 < size) system[row + place(0, j + 1)] -= phi[i];
        if (i + 1 < size) system[row + place(i + 1, 0)] -= phi[j];
        if (i + 1 < size && j + 1 < size) system[row + place(i + 1, j + 1)] -= 1;
        system[row + count] = noise[i] * noise[j];
      }
    }
  }

  /** Gaussian elimination with the largest pivots; false where the equations have no one solution. */
  #triangular(): boolean {
    const count = this.#entries, width = count + 1, system = this.#system;
    for (let column = 0; column < count; column++) {
      let pivot = column;
      for (let i = column + 1; i < count; i++) {
        if (Math.abs(system[i * width + column]) > Math.abs(system[pivot * width + column])) pivot = i;
      }
      if (system[pivot * width + column] === 0) return false;
      if (pivot !== column) {
        for (let k = column; k < width; k++) {
          const kept = system[column * width + k];
          system[column * width + k] = system[pivot * width + k];
          system[pivot * width + k] = kept;
        }
      }
      for (let i = column + 1; i < count; i++) {
        const factor = system[i * width + column] / system[column * width + column];
        if (factor === 0) continue;
        for (let k = column; k < width; k++) system[i * width + k] -= factor * system[column * width + k];
      }
    }
    return true;
  }
}

/** Largest modulus of the inverse roots of `1 - c1 z - c2 z² …` (0 without coefficients). */
export function largestInverseRoot(coefficients: Float64Array): number {
  let order = coefficients.length;
  while (order > 0 && coefficients[order - 1] === 0) order--;
  if (order === 0) return 0;
  // Inverse roots are the roots of x^n - c1 x^(n-1) - … - cn: simultaneous iteration of Durand and Kerner.
  const re = new Float64Array(order), im = new Float64Array(order);
  for (let i = 0; i < order; i++) {
    const angle = (2 * Math.PI * i) / order + 0.4;
    re[i] = 0.9 * Math.cos(angle);
    im[i] = 0.9 * Math.sin(angle);
  }
  for (let sweep = 0; sweep < 500; sweep++) {
    let moved = 0;
    for (let i = 0; i < order; i++) {
      let a = 1, b = 0;
      for (let k = 0; k < order; k++) {
        const real = a * re[i] - b * im[i] - coefficients[k];
        b = a * im[i] + b * re[i];
        a = real;
      }
      let c = 1, d = 0;
      for (let j = 0; j < order; j++) {
        if (j === i) continue;
        const x = re[i] - re[j], y = im[i] - im[j];
        const real = c * x - d * y;
        d = c * y + d * x;
        c = real;
      }
      const norm = c * c + d * d || Number.MIN_VALUE;
      const stepRe = (a * c + b * d) / norm, stepIm = (b * c - a * d) / norm;
      re[i] -= stepRe;
      im[i] -= stepIm;
      moved = Math.max(moved, Math.abs(stepRe), Math.abs(stepIm));
    }
    if (moved < 1e-14) break;
  }
  let largest = 0;
  for (let i = 0; i < order; i++) largest = Math.max(largest, Math.hypot(re[i], im[i]));
  return largest;
}
