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

/** Length of the vector of unknowns: constant, AR, MA, standard deviation. */
export const unknowns = ({ p, q, constant }: ArmaOrder): number => (constant ? 1 : 0) + p + q + 1;

/** Partial autocorrelations from any real numbers, then coefficients by the recursion of Durbin and Levinson. */
function stationary(free: Float64Array): Float64Array {
  let row = new Float64Array(0);
  for (let k = 0; k < free.length; k++) {
    const partial = free[k] / Math.sqrt(1 + free[k] * free[k]);
    const next = new Float64Array(k + 1);
    for (let i = 0; i < k; i++) next[i] = row[i] + partial * row[k - 1 - i];
    next[k] = partial;
    row = next;
  }
  return row.map((x) => -x);
}

/** The inverse of `stationary`. */
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

/** The model a vector of unknowns stands for. */
export function modelOf(point: Float64Array, { p, q, constant }: ArmaOrder): ArmaModel {
  const at = constant ? 1 : 0;
  const deviation = point[at + p + q];
  return {
    constant: constant ? point[0] : 0,
    ar: stationary(point.subarray(at, at + p)),
    ma: stationary(point.subarray(at + p, at + p + q)).map((x) => -x),
    variance: deviation * deviation,
  };
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

/** The state covariance before the first observation, for unit noise: solves `P = T P T' + R R'`. */
function stationaryCovariance(ar: Float64Array, ma: Float64Array, size: number): Float64Array | null {
  const count = (size * (size + 1)) / 2;
  const index = (i: number, j: number) => (i >= j ? (i * (i + 1)) / 2 + j : (j * (j + 1)) / 2 + i);
  const width = count + 1;
  const system = new Float64Array(count * width);
  const phi = (i: number) => (i < ar.length ? ar[i] : 0);
  const noise = (i: number) => (i === 0 ? 1 : i <= ma.length ? ma[i - 1] : 0);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      const row = index(i, j) * width;
      // (T P T')(i, j) with T = [ar in the first column | ones above the diagonal].
      system[row + index(i, j)] += 1;
      system[row + index(0, 0)] -= phi(i) * phi(j);
      if (j + 1 < size) system[row + index(0, j + 1)] -= phi(i);
      if (i + 1 < size) system[row + index(i + 1, 0)] -= phi(j);
      if (i + 1 < size && j + 1 < size) system[row + index(i + 1, j + 1)] -= 1;
      system[row + count] = noise(i) * noise(j);
    }
  }
  for (let column = 0; column < count; column++) {
    let pivot = column;
    for (let i = column + 1; i < count; i++) {
      if (Math.abs(system[i * width + column]) > Math.abs(system[pivot * width + column])) pivot = i;
    }
    if (system[pivot * width + column] === 0) return null;
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
  const solution = new Float64Array(count);
  for (let i = count - 1; i >= 0; i--) {
    let sum = system[i * width + count];
    for (let k = i + 1; k < count; k++) sum -= system[i * width + k] * solution[k];
    solution[i] = sum / system[i * width + i];
  }
  const full = new Float64Array(size * size);
  for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) full[i * size + j] = solution[index(i, j)];
  return full;
}

/** Log likelihood of a series and the forecast of its next value. */
export interface Filtered {
  logLikelihood: number;
  next: number;
}

/** Runs the filter over a series; not-a-number where the model has no stationary start. */
export function filter(series: ArrayLike<number>, { constant, ar, ma, variance }: ArmaModel): Filtered {
  const size = Math.max(ar.length, ma.length + 1);
  let covariance = stationaryCovariance(ar, ma, size);
  if (!covariance) return { logLikelihood: NaN, next: NaN };
  let sumAr = 0;
  for (const a of ar) sumAr += a;
  const mean = constant === 0 ? 0 : constant / (1 - sumAr);
  const state = new Float64Array(size);
  let spare: Float64Array = new Float64Array(size * size);
  let logLikelihood = 0;
  const log2Pi = Math.log(2 * Math.PI);
  for (let t = 0; t < series.length; t++) {
    const surprise = series[t] - mean - state[0];
    const f = covariance[0];
    logLikelihood -= 0.5 * (log2Pi + Math.log(f * variance) + (surprise * surprise) / (f * variance));
    // Update with the observation, then one time step: x := T (x + K v), P := T (P - K K' f) T' + R R'.
    const corrected = state[0] + surprise;
    for (let i = 0; i < size; i++) {
      const shifted = i + 1 < size ? state[i + 1] + (covariance[(i + 1) * size] / f) * surprise : 0;
      spare[i] = (i < ar.length ? ar[i] : 0) * corrected + shifted;
    }
    state.set(spare.subarray(0, size));
    const next = spare;
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        // The first state is known exactly after the observation: only the shifted block stays uncertain.
        const shifted = i + 1 < size && j + 1 < size
          ? covariance[(i + 1) * size + j + 1] - (covariance[(i + 1) * size] * covariance[j + 1]) / f
          : 0;
        const left = i === 0 ? 1 : i <= ma.length ? ma[i - 1] : 0;
        const right = j === 0 ? 1 : j <= ma.length ? ma[j - 1] : 0;
        next[i * size + j] = shifted + left * right;
      }
    }
    spare = covariance;
    covariance = next;
  }
  return { logLikelihood, next: mean + state[0] };
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
        [a, b] = [a * re[i] - b * im[i] - coefficients[k], a * im[i] + b * re[i]];
      }
      let c = 1, d = 0;
      for (let j = 0; j < order; j++) {
        if (j === i) continue;
        const x = re[i] - re[j], y = im[i] - im[j];
        [c, d] = [c * x - d * y, c * y + d * x];
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
