/*!
 * Made by `deno task bundle`, not to be edited; see scripts/bundle/main.ts.
 *
 * It holds three packages: yaml (ISC, Eemeli Aro, license in vendor/yaml.js), valibot (MIT, Fabian Hiller) and
 * @noble/hashes (MIT, Paul Miller), whose license is:
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 * documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
 * rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
 * persons to whom the Software is furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
 * Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
 * WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
 * COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
 * OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
import {
  WaitingLine,
  filesAt,
  inline,
  joinPath,
  reasonOf
} from "./config.js";
import {
  ForwardPassModel,
  issueText,
  sha256,
  sha256Stream
} from "./timing.js";
import {
  AtomicFile,
  ConfigError,
  QueueError,
  TraceError,
  after,
  array,
  checkNumber,
  checkOptions,
  finite,
  host,
  literal,
  maxLength,
  maxValue,
  minLength,
  minValue,
  nearName,
  nullable,
  number,
  pause,
  picklist,
  pipe,
  readBytes,
  reason,
  regex,
  roundHalfEven,
  safeInteger,
  safeParse,
  strictObject,
  string,
  transform,
  unknown,
  variant
} from "./base.js";

// lib/collections/heap.ts
var Heap = class {
  #items = [];
  #order;
  constructor(order) {
    this.#order = order;
  }
  get size() {
    return this.#items.length;
  }
  /** The first item, undefined when there is none. */
  get first() {
    return this.#items[0];
  }
  push(item) {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = at - 1 >> 1;
      if (this.#order(item, items[parent]) >= 0) break;
      items[at] = items[parent];
      at = parent;
    }
    items[at] = item;
  }
  /** Takes the first item, undefined when there is none. */
  pop() {
    const items = this.#items;
    const first = items[0], last = items.pop();
    if (items.length === 0) return first;
    let at = 0;
    for (; ; ) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#order(items[child + 1], items[child]) < 0) child++;
      if (this.#order(items[child], last) >= 0) break;
      items[at] = items[child];
      at = child;
    }
    items[at] = last;
    return first;
  }
};

// lib/collections/text_set.ts
var TextSet = class {
  size = 0;
  /** Three words a slot; a slot whose third word is 0 is empty. */
  #words = new Uint32Array(3 * 1024);
  #mask = 1023;
  #a = 0;
  #b = 0;
  #c = 0;
  /** Adds a text; false when it was there already. */
  add(text) {
    if (this.size * 2 > this.#mask) this.#grow();
    this.#hash(text);
    if (!this.#place(this.#a, this.#b, this.#c)) return false;
    this.size++;
    return true;
  }
  #hash(text) {
    let a = 608135816, b = 2242054355, c = 320440878;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 2246822507);
      b = Math.imul(b ^ code, 3266489909);
      c = Math.imul(c ^ code, 2654435761);
      a ^= a >>> 15;
      b ^= b >>> 13;
      c = c << 13 | c >>> 19;
    }
    a = Math.imul(a ^ c >>> 7 ^ text.length, 668265263);
    b = Math.imul(b ^ a >>> 16, 374761393);
    c = Math.imul(c ^ b >>> 11, 625341585);
    this.#a = a ^ c >>> 16;
    this.#b = b ^ a >>> 13;
    this.#c = c | 1;
  }
  #place(a, b, c) {
    const words = this.#words;
    for (let slot = (a ^ b >>> 5) & this.#mask; ; slot = slot + 1 & this.#mask) {
      const at = 3 * slot;
      if (words[at + 2] === 0) {
        words[at] = a;
        words[at + 1] = b;
        words[at + 2] = c;
        return true;
      }
      if (words[at] === a >>> 0 && words[at + 1] === b >>> 0 && words[at + 2] === c >>> 0) return false;
    }
  }
  #grow() {
    const old = this.#words;
    this.#words = new Uint32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let at = 0; at < old.length; at += 3) {
      if (old[at + 2] !== 0) this.#place(old[at], old[at + 1], old[at + 2]);
    }
  }
};

// lib/forecast/arma.ts
var unknowns = ({ p, q, constant: constant2 }) => (constant2 ? 1 : 0) + p + q + 1;
function stationary(free, at, sign, into, spare) {
  const count = into.length;
  for (let k = 0; k < count; k++) {
    const x = free[at + k], partial = x / Math.sqrt(1 + x * x);
    for (let i = 0; i < k; i++) spare[i] = into[i] + partial * into[k - 1 - i];
    for (let i = 0; i < k; i++) into[i] = spare[i];
    into[k] = partial;
  }
  for (let i = 0; i < count; i++) into[i] *= sign;
}
function freed(coefficients) {
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
function pointOf(model, order) {
  return Float64Array.from([
    ...order.constant ? [
      model.constant
    ] : [],
    ...freed(model.ar),
    ...freed(model.ma.map((x) => -x)),
    Math.sqrt(model.variance)
  ]);
}
var LOG_2_PI = Math.log(2 * Math.PI);
var place = (i, j) => i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
var ArmaFilter = class {
  #constantAt;
  #size;
  #entries;
  /** Numbers of the model. */
  ar;
  ma;
  #constant = 0;
  #variance = 0;
  /** AR coefficients and weights of the noise, one a state. */
  #phi;
  #noise;
  #state;
  #spare;
  /** Equations for the covariance before the first observation: a row an entry, its right side last. */
  #system;
  #solution;
  #covariance;
  #nextCovariance;
  /** Log likelihood of the series filtered last; not a number where the model has no stationary start. */
  logLikelihood = NaN;
  /** Forecast of the value after the series filtered last. */
  next = NaN;
  constructor({ p, q, constant: constant2 }) {
    const size = Math.max(p, q + 1), entries = size * (size + 1) / 2;
    this.#constantAt = constant2 ? 1 : 0;
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
  /** Takes the model a vector of unknowns stands for. */
  take(point) {
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
  /** Runs over a series with the model taken last. */
  run(series) {
    this.logLikelihood = this.next = NaN;
    if (!this.#start()) return;
    const size = this.#size, phi = this.#phi, noise = this.#noise, state = this.#state, spare = this.#spare;
    const constant2 = this.#constant, variance = this.#variance;
    let sumAr = 0;
    for (let i = 0; i < this.ar.length; i++) sumAr += phi[i];
    const mean = constant2 === 0 ? 0 : constant2 / (1 - sumAr);
    let covariance = this.#covariance, next = this.#nextCovariance, logLikelihood = 0;
    state.fill(0);
    for (let t = 0; t < series.length; t++) {
      const surprise = series[t] - mean - state[0];
      const f = covariance[0];
      logLikelihood -= 0.5 * (LOG_2_PI + Math.log(f * variance) + surprise * surprise / (f * variance));
      const corrected = state[0] + surprise;
      for (let i = 0; i < size; i++) {
        const shifted = i + 1 < size ? state[i + 1] + covariance[(i + 1) * size] / f * surprise : 0;
        spare[i] = phi[i] * corrected + shifted;
      }
      for (let i = 0; i < size; i++) state[i] = spare[i];
      for (let i = 0; i < size; i++) {
        for (let j = 0; j < size; j++) {
          const shifted = i + 1 < size && j + 1 < size ? covariance[(i + 1) * size + j + 1] - covariance[(i + 1) * size] * covariance[j + 1] / f : 0;
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
  #start() {
    if (this.#size === 1) {
      const own = 1 - this.#phi[0] * this.#phi[0];
      this.#covariance[0] = 1 / own;
      return own !== 0;
    }
    this.#equations();
    if (!this.#triangular()) return false;
    const size = this.#size, count = this.#entries, width = count + 1;
    const system = this.#system, solution = this.#solution, covariance = this.#covariance;
    for (let i = count - 1; i >= 0; i--) {
      let sum2 = system[i * width + count];
      for (let k = i + 1; k < count; k++) sum2 -= system[i * width + k] * solution[k];
      solution[i] = sum2 / system[i * width + i];
    }
    for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) covariance[i * size + j] = solution[place(i, j)];
    return true;
  }
  /** With T = [ar in the first column | ones above the diagonal]. */
  #equations() {
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
  #triangular() {
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
};
function largestInverseRoot(coefficients) {
  let order = coefficients.length;
  while (order > 0 && coefficients[order - 1] === 0) order--;
  if (order === 0) return 0;
  const re = new Float64Array(order), im = new Float64Array(order);
  for (let i = 0; i < order; i++) {
    const angle = 2 * Math.PI * i / order + 0.4;
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
  let largest2 = 0;
  for (let i = 0; i < order; i++) largest2 = Math.max(largest2, Math.hypot(re[i], im[i]));
  return largest2;
}

// lib/forecast/numeric/line_search.ts
var DECREASE = 1e-3;
var CURVATURE = 0.9;
var WIDTH = 0.1;
var MAX_STEP = 1e10;
var MAX_EVALUATIONS = 20;
function lineSearch(start, evaluate) {
  const needed = DECREASE * start.slope;
  let bracketed = false;
  let auxiliary = true;
  let width = MAX_STEP, previousWidth = 2 * width;
  let best = {
    step: 0,
    value: start.value,
    slope: start.slope
  };
  let other = best;
  let low = 0, high = start.step + 4 * start.step;
  let step = start.step;
  for (let evaluations = 1; evaluations <= MAX_EVALUATIONS; evaluations++) {
    const trial = evaluate(step);
    const bound = start.value + step * needed;
    if (auxiliary && trial.value <= bound && trial.slope >= 0) auxiliary = false;
    const stuck = bracketed && (step <= low || step >= high || high - low <= WIDTH * high);
    const atTop = step === MAX_STEP && trial.value <= bound && trial.slope <= needed;
    const atBottom = step === 0 && (trial.value > bound || trial.slope >= needed);
    const good = trial.value <= bound && Math.abs(trial.slope) <= CURVATURE * -start.slope;
    if (good || stuck || atTop || atBottom) return trial;
    const lifted = auxiliary && trial.value <= best.value && trial.value > bound;
    const tilt = (t, sign) => ({
      step: t.step,
      value: t.value + sign * t.step * needed,
      slope: t.slope + sign * needed
    });
    const from = lifted ? {
      best: tilt(best, -1),
      other: tilt(other, -1),
      trial: tilt(trial, -1)
    } : {
      best,
      other,
      trial: {
        step,
        value: trial.value,
        slope: trial.slope
      }
    };
    const next = nextStep(from.best, from.other, from.trial, bracketed, low, high);
    bracketed = next.bracketed;
    best = lifted ? tilt(next.best, 1) : next.best;
    other = lifted ? tilt(next.other, 1) : next.other;
    step = next.step;
    if (bracketed) {
      if (Math.abs(other.step - best.step) >= 0.66 * previousWidth) step = best.step + 0.5 * (other.step - best.step);
      previousWidth = width;
      width = Math.abs(other.step - best.step);
      low = Math.min(best.step, other.step);
      high = Math.max(best.step, other.step);
    } else {
      low = step + 1.1 * (step - best.step);
      high = step + 4 * (step - best.step);
    }
    step = Math.min(Math.max(step, 0), MAX_STEP);
    if (bracketed && (step <= low || step >= high || high - low <= WIDTH * high)) step = best.step;
  }
  return null;
}
function cubicMinimum(a, b, allowNegative) {
  const theta = 3 * (a.value - b.value) / (b.step - a.step) + a.slope + b.slope;
  const s = Math.max(Math.abs(theta), Math.abs(a.slope), Math.abs(b.slope));
  const square = (theta / s) ** 2 - a.slope / s * (b.slope / s);
  return {
    gamma: s * Math.sqrt(allowNegative ? square : Math.max(0, square)),
    theta
  };
}
function nextStep(best, other, trial, bracketed, low, high) {
  const sameSign = trial.slope * (best.slope / Math.abs(best.slope)) >= 0;
  const away = trial.step - best.step;
  let step;
  if (trial.value > best.value) {
    let { gamma, theta } = cubicMinimum(best, trial, true);
    if (trial.step < best.step) gamma = -gamma;
    const p = gamma - best.slope + theta, q = gamma - best.slope + gamma + trial.slope;
    const cubic = best.step + p / q * away;
    const parabola = best.step + best.slope / ((best.value - trial.value) / away + best.slope) / 2 * away;
    step = Math.abs(cubic - best.step) < Math.abs(parabola - best.step) ? cubic : cubic + (parabola - cubic) / 2;
    bracketed = true;
  } else if (!sameSign) {
    let { gamma, theta } = cubicMinimum(best, trial, true);
    if (trial.step > best.step) gamma = -gamma;
    const p = gamma - trial.slope + theta, q = gamma - trial.slope + gamma + best.slope;
    const cubic = trial.step + p / q * (best.step - trial.step);
    const secant = trial.step + trial.slope / (trial.slope - best.slope) * (best.step - trial.step);
    step = Math.abs(cubic - trial.step) > Math.abs(secant - trial.step) ? cubic : secant;
    bracketed = true;
  } else if (Math.abs(trial.slope) < Math.abs(best.slope)) {
    let { gamma, theta } = cubicMinimum(best, trial, false);
    if (trial.step > best.step) gamma = -gamma;
    const p = gamma - trial.slope + theta, q = gamma + (best.slope - trial.slope) + gamma;
    const ratio = p / q;
    const cubic = ratio < 0 && gamma !== 0 ? trial.step + ratio * (best.step - trial.step) : trial.step > best.step ? high : low;
    const secant = trial.step + trial.slope / (trial.slope - best.slope) * (best.step - trial.step);
    if (bracketed) {
      step = Math.abs(cubic - trial.step) < Math.abs(secant - trial.step) ? cubic : secant;
      const limit = trial.step + 0.66 * (other.step - trial.step);
      step = trial.step > best.step ? Math.min(limit, step) : Math.max(limit, step);
    } else {
      step = Math.abs(cubic - trial.step) > Math.abs(secant - trial.step) ? cubic : secant;
      step = Math.max(low, Math.min(high, step));
    }
  } else if (bracketed) {
    let { gamma, theta } = cubicMinimum(trial, other, true);
    if (trial.step > other.step) gamma = -gamma;
    const p = gamma - trial.slope + theta, q = gamma - trial.slope + gamma + other.slope;
    step = trial.step + p / q * (other.step - trial.step);
  } else {
    step = trial.step > best.step ? high : low;
  }
  if (trial.value > best.value) return {
    best,
    other: trial,
    step,
    bracketed
  };
  return {
    best: trial,
    other: sameSign ? other : best,
    step,
    bracketed
  };
}

// lib/forecast/numeric/lbfgs.ts
var PAIRS = 10;
var DIFFERENCE = 1e-5;
var GRADIENT_TOLERANCE = 1e-5;
var DECREASE_TOLERANCE = 2220446049250313e-24;
var EPSILON = 2220446049250313e-31;
function dot(a, b) {
  let sum2 = 0;
  for (let i = 0; i < a.length; i++) sum2 += a[i] * b[i];
  return sum2;
}
function gradientAt(objective, point, value, gradient) {
  for (let i = 0; i < point.length; i++) {
    const x = point[i];
    point[i] = x + DIFFERENCE;
    gradient[i] = (objective(point) - value) / (point[i] - x);
    point[i] = x;
  }
}
var Curvature = class {
  #steps = [];
  #changes = [];
  /** Their scalar products. */
  #products = [];
  #weights = new Float64Array(PAIRS);
  get empty() {
    return this.#steps.length === 0;
  }
  clear() {
    this.#steps = [];
    this.#changes = [];
    this.#products = [];
  }
  add(step, change, product2) {
    this.#steps.push(step);
    this.#changes.push(change);
    this.#products.push(product2);
    if (this.#steps.length > PAIRS) {
      this.#steps.shift();
      this.#changes.shift();
      this.#products.shift();
    }
  }
  /** Writes the descent direction for a gradient into `direction` (the two-loop recursion). */
  direction(gradient, direction) {
    for (let j = 0; j < direction.length; j++) direction[j] = -gradient[j];
    const count = this.#steps.length, weights = this.#weights;
    for (let i = count - 1; i >= 0; i--) {
      weights[i] = dot(this.#steps[i], direction) / this.#products[i];
      for (let j = 0; j < direction.length; j++) direction[j] -= weights[i] * this.#changes[i][j];
    }
    if (count > 0) {
      const y = this.#changes[count - 1];
      const scale = this.#products[count - 1] / dot(y, y);
      for (let j = 0; j < direction.length; j++) direction[j] *= scale;
    }
    for (let i = 0; i < count; i++) {
      const weight = weights[i] - dot(this.#changes[i], direction) / this.#products[i];
      for (let j = 0; j < direction.length; j++) direction[j] += weight * this.#steps[i][j];
    }
  }
};
function largest(vector) {
  let most = 0;
  for (let i = 0; i < vector.length; i++) most = Math.max(most, Math.abs(vector[i]));
  return most;
}
function sum(a, factor, b, result) {
  for (let i = 0; i < a.length; i++) result[i] = a[i] + factor * b[i];
  return result;
}
function minimise(objective, start, maxIterations) {
  const size = start.length;
  let point = start.slice(), value = objective(point);
  let gradient = new Float64Array(size);
  gradientAt(objective, point, value, gradient);
  let trialPoint = new Float64Array(size), trialGradient = new Float64Array(size);
  const direction = new Float64Array(size), curvature = new Curvature();
  const evaluate = (step) => {
    const there = objective(sum(point, step, direction, trialPoint));
    gradientAt(objective, trialPoint, there, trialGradient);
    return {
      step,
      value: there,
      slope: dot(trialGradient, direction)
    };
  };
  let iteration = 0;
  while (iteration < maxIterations && largest(gradient) > GRADIENT_TOLERANCE) {
    curvature.direction(gradient, direction);
    const slope = dot(gradient, direction);
    let found = null;
    if (slope < 0) {
      const first = iteration === 0 ? Math.min(1 / Math.sqrt(dot(direction, direction)), 1e10) : 1;
      found = lineSearch({
        value,
        slope,
        step: first
      }, evaluate);
    }
    if (!found) {
      if (curvature.empty) break;
      curvature.clear();
      continue;
    }
    iteration++;
    const decrease = value - found.value;
    const magnitude = Math.max(Math.abs(value), Math.abs(found.value), 1);
    const before = point, gradientBefore = gradient;
    point = trialPoint;
    gradient = trialGradient;
    value = found.value;
    trialPoint = before;
    trialGradient = gradientBefore;
    if (decrease <= DECREASE_TOLERANCE * magnitude) break;
    const step = new Float64Array(size);
    for (let i = 0; i < size; i++) step[i] = direction[i] * found.step;
    const change = sum(gradient, -1, gradientBefore, new Float64Array(size));
    const product2 = dot(step, change);
    if (product2 > EPSILON * (-slope * found.step)) curvature.add(step, change, product2);
  }
  return {
    point,
    value
  };
}

// lib/forecast/numeric/least_squares.ts
var RANK_TOLERANCE = 1e-15;
function leastSquares(rows, y, columns) {
  const count = rows.length;
  const a = [], v = [];
  for (let j = 0; j < columns; j++) {
    const column = new Float64Array(count), unit = new Float64Array(columns);
    for (let i = 0; i < count; i++) column[i] = rows[i][j];
    unit[j] = 1;
    a.push(column);
    v.push(unit);
  }
  for (let sweep = 0, rotated = true; rotated && sweep < 60; sweep++) {
    rotated = false;
    for (let i = 0; i < columns - 1; i++) {
      for (let j = i + 1; j < columns; j++) {
        const ii = dot2(a[i], a[i]), jj = dot2(a[j], a[j]), ij = dot2(a[i], a[j]);
        if (ij === 0 || Math.abs(ij) <= 1e-16 * Math.sqrt(ii * jj)) continue;
        rotated = true;
        const tau = (jj - ii) / (2 * ij);
        const t = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau));
        const c = 1 / Math.sqrt(1 + t * t), s = c * t;
        rotate(a[i], a[j], c, s);
        rotate(v[i], v[j], c, s);
      }
    }
  }
  const squares = a.map((column) => dot2(column, column));
  const smallest = Math.max(...squares, 0) * RANK_TOLERANCE ** 2;
  const target = new Float64Array(count);
  for (let i = 0; i < count; i++) target[i] = y[i];
  const x = new Float64Array(columns);
  for (let j = 0; j < columns; j++) {
    if (squares[j] === 0 || squares[j] <= smallest) continue;
    const weight = dot2(a[j], target) / squares[j];
    for (let k = 0; k < columns; k++) x[k] += weight * v[j][k];
  }
  return x;
}
function dot2(x, z) {
  let sum2 = 0;
  for (let i = 0; i < x.length; i++) sum2 += x[i] * z[i];
  return sum2;
}
function rotate(x, z, c, s) {
  for (let k = 0; k < x.length; k++) {
    const xk = x[k], zk = z[k];
    x[k] = c * xk - s * zk;
    z[k] = s * xk + c * zk;
  }
}

// lib/forecast/arima_search.ts
var MAX_ORDER = 5;
var MAX_DIFFERENCES = 2;
var MAX_FITS = 100;
var FIT_ITERATIONS = 50;
var LARGEST_ROOT = 0.99;
var SMALLEST_VARIANCE = 1e-10;
function differences(series, d) {
  let result = [
    ...series
  ];
  for (let i = 0; i < d; i++) result = result.slice(1).map((value, k) => value - result[k]);
  return result;
}
var KPSS_CRITICAL = [
  0.347,
  0.463,
  0.574,
  0.739
];
var KPSS_PROBABILITY = [
  0.1,
  0.05,
  0.025,
  0.01
];
function kpssProbability(series) {
  const n = series.length;
  const mean = series.reduce((sum2, x) => sum2 + x, 0) / n;
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
    longRun += 2 / n * (1 - lag / (lags + 1)) * covariance;
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
var isConstant = (series) => series.every((x) => x === series[0]);
function differencesNeeded(series) {
  let d = 0, current = [
    ...series
  ];
  while (d < MAX_DIFFERENCES && !isConstant(current) && kpssProbability(current) < 0.05) {
    current = differences(current, 1);
    d++;
  }
  return d;
}
function startingModel(series, { p, q, constant: constant2 }) {
  const n = series.length, first = Math.max(3 * q, p);
  const width = (constant2 ? 1 : 0) + p + q;
  const longLags = 2 * q;
  const mean = series.reduce((sum2, x) => sum2 + x, 0) / n;
  let coefficients = new Float64Array(width);
  let residuals;
  const enough = n > p && (q === 0 || n - longLags > q);
  if (width > 0 && !enough) {
    residuals = [
      ...Array.from({
        length: 2 * q
      }, () => 0),
      ...series.map((x) => x - mean)
    ];
  } else {
    const noise = new Float64Array(n);
    if (q > 0) {
      const rows2 = [];
      for (let t = longLags; t < n; t++) {
        const row = new Float64Array(longLags);
        for (let lag = 0; lag < longLags; lag++) row[lag] = series[t - 1 - lag];
        rows2.push(row);
      }
      const long = leastSquares(rows2, series.slice(longLags), longLags);
      for (let i = 0; i < rows2.length; i++) noise[i + longLags] = series[i + longLags] - product(rows2[i], long);
    }
    const rows = [];
    for (let t = first; t < n; t++) {
      const row = new Float64Array(width);
      let at2 = 0;
      if (constant2) row[at2++] = 1;
      for (let lag = 1; lag <= p; lag++) row[at2++] = series[t - lag];
      for (let lag = 1; lag <= q; lag++) row[at2++] = noise[t - lag];
      rows.push(row);
    }
    coefficients = leastSquares(rows, series.slice(first), width);
    residuals = [];
    for (let i = 0; i < rows.length; i++) residuals.push(series[first + i] - product(rows[i], coefficients));
  }
  const used = residuals.slice(q);
  const variance = used.reduce((sum2, x) => sum2 + x * x, 0) / used.length;
  const at = constant2 ? 1 : 0;
  const ar = coefficients.slice(at, at + p), ma = coefficients.slice(at + p);
  return {
    constant: constant2 ? coefficients[0] : 0,
    ar: largestInverseRoot(ar) < 1 ? ar : new Float64Array(p),
    ma: largestInverseRoot(ma.map((x) => -x)) < 1 ? ma : new Float64Array(q),
    variance: Math.max(variance, SMALLEST_VARIANCE)
  };
}
function product(row, coefficients) {
  let sum2 = 0;
  for (let i = 0; i < row.length; i++) sum2 += row[i] * coefficients[i];
  return sum2;
}
function fitOrder(series, order, { start, maxIterations = FIT_ITERATIONS } = {}) {
  const differenced = new Float64Array(differences(series, order.d));
  const from = start ?? pointOf(startingModel(Array.from(differenced), order), order);
  if (from.some((x) => !Number.isFinite(x))) return null;
  const filter = new ArmaFilter(order);
  const objective = (point2) => {
    filter.take(point2);
    filter.run(differenced);
    return -filter.logLikelihood / differenced.length;
  };
  const { point, value } = minimise(objective, from, maxIterations);
  if (!Number.isFinite(value)) return null;
  const aic = 2 * value * differenced.length + 2 * unknowns(order);
  filter.take(point);
  const root = Math.max(largestInverseRoot(filter.ar), largestInverseRoot(filter.ma.map((x) => -x)));
  return {
    order,
    point,
    aic: root > LARGEST_ROOT ? Infinity : aic
  };
}
function searchOrder(series) {
  const n = series.length;
  const d = differencesNeeded(series);
  if (d > 0 && isConstant(differences(series, d))) return fitOrder(series, {
    p: 0,
    d,
    q: 0,
    constant: d < 2
  });
  const limit = Math.min(MAX_ORDER, Math.floor(n / 3));
  const start = n < 10 ? Math.min(1, limit) : Math.min(2, limit);
  const mayHaveConstant = d <= 1;
  const tried = /* @__PURE__ */ new Set();
  let best = null;
  let p = start, q = start, constant2 = mayHaveConstant;
  const attempt = (nextP, nextQ, nextConstant) => {
    if (nextP < 0 || nextQ < 0 || nextP > limit || nextQ > limit) return false;
    const key = `${nextP},${nextQ},${nextConstant}`;
    if (tried.has(key) || tried.size >= MAX_FITS) return false;
    tried.add(key);
    const fit = fitOrder(series, {
      p: nextP,
      d,
      q: nextQ,
      constant: nextConstant
    });
    if (!fit || best && !(fit.aic < best.aic)) return false;
    best = fit;
    [p, q, constant2] = [
      nextP,
      nextQ,
      nextConstant
    ];
    return true;
  };
  attempt(start, start, mayHaveConstant);
  attempt(0, 0, mayHaveConstant);
  attempt(1, 0, mayHaveConstant);
  attempt(0, 1, mayHaveConstant);
  if (mayHaveConstant) attempt(0, 0, false);
  const neighbours = [
    [
      -1,
      0
    ],
    [
      0,
      -1
    ],
    [
      1,
      0
    ],
    [
      0,
      1
    ],
    [
      -1,
      -1
    ],
    [
      -1,
      1
    ],
    [
      1,
      -1
    ],
    [
      1,
      1
    ]
  ];
  const improved = () => neighbours.some(([dp, dq]) => attempt(p + dp, q + dq, constant2)) || mayHaveConstant && attempt(p, q, !constant2);
  while (improved()) {
  }
  return best;
}

// lib/forecast/arima.ts
var MINIMUM_POINTS = 5;
var ArimaForecaster = class {
  #values = [];
  #log;
  #fit = null;
  /** Values the present fit has seen. */
  #fitted = 0;
  constructor(settings) {
    this.#log = settings.load_predictor_log1p;
  }
  /** The chosen order, null before the first fit. */
  get choice() {
    if (!this.#fit) return null;
    const { p, d, q, constant: constant2 } = this.#fit.order;
    return {
      order: [
        p,
        d,
        q
      ],
      constant: constant2,
      log: this.#log
    };
  }
  add(value) {
    this.#values.push(value);
  }
  forecast() {
    const values = this.#values;
    if (values.length < MINIMUM_POINTS) return null;
    if (values.every((value) => value === values[0])) return values[0];
    const series = this.#series();
    this.#fit = this.#fit ? this.#refit(series, this.#fit) : this.#search(series);
    if (!this.#fit) return null;
    this.#fitted = values.length;
    const next = this.#next(this.#series(), this.#fit);
    if (!Number.isFinite(next)) return null;
    return Math.max(0, this.#log ? Math.exp(next) - 1 : next);
  }
  #series() {
    return this.#values.map((value) => this.#log ? Math.log(1 + Math.max(0, value)) : Math.max(0, value));
  }
  /** Without any dependence in the raw values the logarithms are tried once, and kept. */
  #search(series) {
    const fit = searchOrder(series);
    if (this.#log || !fit || fit.order.p + fit.order.q > 0) return fit;
    this.#log = true;
    return searchOrder(this.#series());
  }
  #refit(series, fit) {
    const added = series.length - this.#fitted;
    if (added === 0) return fit;
    const maxIterations = Math.max(5, Math.floor(added / 10));
    return fitOrder(series, fit.order, {
      start: fit.point,
      maxIterations
    }) ?? fit;
  }
  #next(series, { order, point }) {
    const filter = new ArmaFilter(order);
    filter.take(point);
    filter.run(Float64Array.from(differences(series, order.d)));
    let { next } = filter;
    for (let d = order.d - 1; d >= 0; d--) {
      const level = differences(series, d);
      next += level[level.length - 1];
    }
    return next;
  }
};
var arima = {
  minimumPoints: () => MINIMUM_POINTS,
  create: (settings) => new ArimaForecaster(settings)
};

// lib/forecast/constant.ts
var constant = {
  minimumPoints: () => 1,
  create: () => ({
    add() {
    },
    forecast: () => null
  })
};

// lib/forecast/history.ts
function recordedHistory(rows, firstReplayedMs, speedup = 1) {
  const sorted = [
    ...rows
  ].sort((a, b) => a.timestampMs - b.timestampMs);
  if (sorted.length > 0 && sorted.at(-1).timestampMs > firstReplayedMs) {
    throw new TraceError("retune history must end at or before the first replayed request");
  }
  return {
    arrivalS: Float64Array.from(sorted, (row) => (row.timestampMs - firstReplayedMs) / speedup / 1e3),
    inputTokens: Int32Array.from(sorted, (row) => row.inputTokens),
    outputTokens: Int32Array.from(sorted, (row) => row.outputTokens)
  };
}
function bucketSeries(logs, options) {
  checkOptions("bucketSeries()", options, {
    intervalS: true,
    endS: true,
    historyS: true
  });
  const { intervalS, endS, historyS } = options;
  checkNumber("bucketSeries(): intervalS", intervalS, {
    above: 0
  });
  const first = Math.ceil((endS - historyS) / intervalS);
  const count = Math.floor(endS / intervalS) - first;
  if (count <= 0) return [];
  const buckets = new Buckets(first, count, intervalS);
  for (const { arrivalS, inputTokens, outputTokens } of logs) {
    for (let i = 0; i < arrivalS.length; i++) {
      buckets.add(Math.floor(arrivalS[i] / intervalS), inputTokens[i], outputTokens[i]);
    }
  }
  const begin = buckets.firstUsed;
  return begin < 0 ? [] : buckets.series(begin);
}
var MOST_INTERVALS = 1e6;
function trafficIntervals(requests, options) {
  checkOptions("trafficIntervals()", options, {
    intervalS: true,
    originMs: true
  });
  const { intervalS, originMs } = options;
  checkNumber("trafficIntervals(): intervalS", intervalS, {
    above: 0
  });
  if (requests.length === 0) return [];
  const indexOf = ({ timestampMs }) => Math.floor((timestampMs - originMs) / (intervalS * 1e3));
  let first = Infinity, last = -Infinity;
  for (const request of requests) {
    const index = indexOf(request);
    first = Math.min(first, index);
    last = Math.max(last, index);
  }
  if (last - first >= MOST_INTERVALS) {
    throw new TraceError(`The warmup trace spans ${last - first + 1} intervals of ${intervalS} s; are its times all of one origin?`);
  }
  const buckets = new Buckets(first, last - first + 1, intervalS);
  for (const request of requests) buckets.add(indexOf(request), request.inputTokens, request.outputTokens);
  return buckets.series(0);
}
var Buckets = class {
  #first;
  #intervalS;
  #requests;
  #input;
  #output;
  constructor(first, count, intervalS) {
    this.#first = first;
    this.#intervalS = intervalS;
    this.#requests = new Float64Array(count);
    this.#input = new Float64Array(count);
    this.#output = new Float64Array(count);
  }
  add(interval, inputTokens, outputTokens) {
    const at = interval - this.#first;
    if (at < 0 || at >= this.#requests.length) return;
    this.#requests[at]++;
    this.#input[at] += inputTokens;
    this.#output[at] += outputTokens;
  }
  /** Place of the first interval with a request, -1 when there is none. */
  get firstUsed() {
    return this.#requests.findIndex((n) => n > 0);
  }
  /** The intervals from a place on; an empty one has lengths 0. */
  series(begin) {
    return Array.from(this.#requests.subarray(begin), (n, i) => ({
      startS: (this.#first + begin + i) * this.#intervalS,
      requests: n,
      inputTokens: n > 0 ? this.#input[begin + i] / n : 0,
      outputTokens: n > 0 ? this.#output[begin + i] / n : 0
    }));
  }
};

// lib/forecast/kalman.ts
var INITIAL_VARIANCE = 1e3;
var KalmanForecaster = class {
  #log;
  #minimumPoints;
  #levelNoise;
  #trendNoise;
  #observationNoise;
  #count = 0;
  #level = 0;
  #trend = 0;
  #p00 = INITIAL_VARIANCE;
  #p01 = 0;
  #p10 = 0;
  #p11 = INITIAL_VARIANCE;
  #stepped = false;
  constructor(settings) {
    this.#log = settings.load_predictor_log1p;
    this.#minimumPoints = settings.kalman_min_points;
    this.#levelNoise = Math.max(1e-12, settings.kalman_q_level);
    this.#trendNoise = Math.max(1e-12, settings.kalman_q_trend);
    this.#observationNoise = Math.max(1e-9, settings.kalman_r);
  }
  add(value) {
    const z = this.#log ? Math.log(1 + Math.max(0, value)) : value;
    if (this.#count++ === 0) {
      this.#level = z;
      return;
    }
    if (!this.#stepped) this.#step();
    this.#stepped = false;
    this.#measure(z);
  }
  forecast() {
    if (this.#count === 0 || this.#count < this.#minimumPoints) return null;
    if (!this.#stepped) this.#step();
    this.#stepped = true;
    return Math.max(0, this.#log ? Math.exp(this.#level) - 1 : this.#level);
  }
  #step() {
    this.#level += this.#trend;
    const p00 = this.#p00 + this.#p10, p01 = this.#p01 + this.#p11;
    this.#p00 = p00 + p01 + this.#levelNoise;
    this.#p01 = p01;
    this.#p10 = this.#p10 + this.#p11;
    this.#p11 += this.#trendNoise;
  }
  /** The covariance update keeps Joseph's form, which stays symmetric and positive where the short form may not. */
  #measure(z) {
    const r = this.#observationNoise;
    const s = this.#p00 + r;
    const k0 = this.#p00 / s, k1 = this.#p10 / s;
    const surprise = z - this.#level;
    this.#level += k0 * surprise;
    this.#trend += k1 * surprise;
    const a = 1 - k0;
    const b00 = a * this.#p00, b01 = a * this.#p01;
    const b10 = this.#p10 - k1 * this.#p00, b11 = this.#p11 - k1 * this.#p01;
    this.#p00 = b00 * a + k0 * r * k0;
    this.#p01 = b01 - b00 * k1 + k0 * r * k1;
    this.#p10 = b10 * a + k1 * r * k0;
    this.#p11 = b11 - b10 * k1 + k1 * r * k1;
  }
};
var kalman = {
  minimumPoints: (settings) => settings.kalman_min_points,
  create: (settings) => new KalmanForecaster(settings)
};

// lib/forecast/predictor.ts
var DEFAULT_SETTINGS = {
  load_predictor_log1p: false,
  prophet_window_size: 50,
  kalman_q_level: 1,
  kalman_q_trend: 0.1,
  kalman_r: 10,
  kalman_min_points: 5,
  throughput_adjustment_interval_seconds: 180
};
var Predictor = class {
  #forecaster;
  #idle = true;
  #last = 0;
  /** A series without observations. */
  constructor(forecaster) {
    this.#forecaster = forecaster;
  }
  /** Adds an observation. Not-a-number counts as 0; zeros are dropped until the first load after an idle reset. */
  add(value) {
    const usable = Number.isNaN(value) ? 0 : value;
    if (this.#idle && usable === 0) return;
    this.#idle = false;
    this.#last = usable;
    this.#forecaster.add(usable);
  }
  /** Forecast of the next observation; the last one while the forecaster cannot tell, 0 before the first. */
  forecast() {
    return this.#forecaster.forecast() ?? this.#last;
  }
  /** From here zeros are dropped again until load arrives; everything learned stays. */
  resetIdle() {
    this.#idle = true;
  }
};

// lib/forecast/prophet.ts
var MINIMUM_POINTS2 = 5;
var MAX_CHANGEPOINTS = 25;
var CHANGEPOINT_RANGE = 0.8;
var TREND_SCALE = 5;
var CHANGE_SCALE = 0.05;
var SEASON_SCALE = 10;
var NOISE_SCALE = 0.5;
var MAX_SWEEPS = 2e4;
var STILL = 1e-11;
var DAY_S = 86400;
var FIRST_DAY = 19723;
function seasons(spanS, spacingS) {
  const found = [];
  if (spanS >= 14 * DAY_S && spacingS < 7 * DAY_S) found.push({
    periodDays: 7,
    order: 3
  });
  if (spanS >= 2 * DAY_S && spacingS < DAY_S) found.push({
    periodDays: 1,
    order: 4
  });
  return found;
}
function changepoints(count) {
  const reach = Math.floor(CHANGEPOINT_RANGE * count);
  const wanted = Math.min(MAX_CHANGEPOINTS, reach - 1);
  return Array.from({
    length: wanted
  }, (_, j) => roundHalfEven((reach - 1) * (j + 1) / wanted));
}
function designRow(t, day, hinges, rhythm) {
  const row = [
    t,
    1
  ];
  for (const s of hinges) row.push(t >= s ? t - s : 0);
  for (const { periodDays, order } of rhythm) {
    for (let i = 1; i <= order; i++) {
      const angle = 2 * Math.PI * i * day / periodDays;
      row.push(Math.sin(angle), Math.cos(angle));
    }
  }
  return row;
}
function fitAndForecast(values, spacingS, firstIndex) {
  if (values.every((value) => value === values[0])) return values[0];
  const count = values.length;
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const rhythm = seasons((count - 1) * spacingS, spacingS);
  const hinges = changepoints(count).map((index) => index / (count - 1));
  const row = (i) => designRow(i / (count - 1), FIRST_DAY + (firstIndex + i) * spacingS / DAY_S, hinges, rhythm);
  const rows = values.map((_, i) => row(i));
  const y = values.map((value) => value / scale);
  const beta = climb(rows, y, hinges.length);
  return row(count).reduce((sum2, x, j) => sum2 + x * beta[j], 0) * scale;
}
function climb(rows, y, hinges) {
  const count = y.length, columns = rows[0].length;
  const gram = Array.from({
    length: columns
  }, () => new Float64Array(columns));
  const beta = new Float64Array(columns);
  beta[0] = y[count - 1] - y[0];
  beta[1] = y[0];
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
  const precision = (scale) => 1 / (scale * scale);
  let variance = 1;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let moved = 0;
    for (let j = 0; j < columns; j++) {
      const own = gram[j][j];
      const pull = gradient[j] + own * beta[j];
      let next;
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
    const before = variance;
    const weight = 2 * precision(NOISE_SCALE);
    variance = (-count + Math.sqrt(count * count + 2 * weight * Math.max(0, squares))) / weight;
    moved = Math.max(moved, Math.abs(Math.sqrt(variance) - Math.sqrt(before)));
    if (moved <= STILL) break;
  }
  return beta;
}
function residualSquares(rows, y, beta) {
  let squares = 0;
  for (let i = 0; i < y.length; i++) {
    let residual = y[i];
    for (let j = 0; j < beta.length; j++) residual -= rows[i][j] * beta[j];
    squares += residual * residual;
  }
  return squares;
}
var ProphetForecaster = class {
  #log;
  #window;
  #spacingS;
  #values = [];
  #dropped = 0;
  constructor(settings) {
    this.#log = settings.load_predictor_log1p;
    this.#window = settings.prophet_window_size;
    this.#spacingS = settings.throughput_adjustment_interval_seconds;
  }
  add(value) {
    this.#values.push(this.#log ? Math.log(1 + Math.max(0, value)) : value);
    if (this.#values.length > this.#window) {
      this.#values.shift();
      this.#dropped++;
    }
  }
  forecast() {
    if (this.#values.length < MINIMUM_POINTS2) return null;
    const next = fitAndForecast(this.#values, this.#spacingS, this.#dropped);
    return Math.max(0, this.#log ? Math.exp(next) - 1 : next);
  }
};
var prophet = {
  minimumPoints: () => MINIMUM_POINTS2,
  create: (settings) => new ProphetForecaster(settings)
};

// lib/forecast/registry.ts
var predictors = {
  constant,
  arima,
  prophet,
  kalman
};
function createPredictor(name, settings = {}) {
  if (!Object.hasOwn(predictors, name)) {
    const near = nearName(String(name), Object.keys(predictors)), known = Object.keys(predictors).join(", ");
    throw new ConfigError(`there is no load predictor '${name}'; there are ${known}${near ? ` (did you mean '${near}'?)` : ""}`);
  }
  for (const key of [
    "kalman_q_level",
    "kalman_q_trend",
    "kalman_r"
  ]) {
    checkNumber(`createPredictor(): ${key}`, settings[key], {
      least: 0
    });
  }
  for (const key of [
    "prophet_window_size",
    "kalman_min_points"
  ]) {
    checkNumber(`createPredictor(): ${key}`, settings[key], {
      least: 1,
      whole: true
    });
  }
  return new Predictor(predictors[name].create({
    ...DEFAULT_SETTINGS,
    ...settings
  }));
}

// lib/forecast/traffic_forecaster.ts
var TrafficForecaster = class {
  #requests;
  #inputTokens;
  #outputTokens;
  #live = false;
  #lastInput = 0;
  #lastOutput = 0;
  #kvHitRate = null;
  /** @param history intervals before the replay starts, oldest first */
  constructor(settings, history = []) {
    const predictor = () => createPredictor(settings.load_predictor, settings);
    this.#requests = predictor();
    this.#inputTokens = predictor();
    this.#outputTokens = predictor();
    for (const interval of history) this.#add(interval);
    for (const each of [
      this.#requests,
      this.#inputTokens,
      this.#outputTokens
    ]) each.resetIdle();
    this.#live = false;
  }
  /** Takes the traffic of an interval; a hit rate that is not a number leaves the last one. */
  observe(traffic) {
    this.#add(traffic);
    if (!Number.isNaN(traffic.kvHitRate)) this.#kvHitRate = traffic.kvHitRate;
  }
  /** The next interval; null when a predictor gives no usable number. */
  forecast() {
    const requests = this.#requests.forecast();
    const inputTokens = this.#inputTokens.forecast();
    const outputTokens = this.#outputTokens.forecast();
    if (![
      requests,
      inputTokens,
      outputTokens
    ].every(Number.isFinite)) return null;
    return {
      requests,
      inputTokens,
      outputTokens,
      kvHitRate: this.#kvHitRate
    };
  }
  /** Once load has been seen, an empty interval keeps the lengths of the last one that had requests. */
  #add({ requests, inputTokens, outputTokens }) {
    this.#requests.add(requests);
    if (requests > 0) {
      this.#live = true;
      if (Number.isFinite(inputTokens)) this.#lastInput = inputTokens;
      if (Number.isFinite(outputTokens)) this.#lastOutput = outputTokens;
    } else if (this.#live) {
      inputTokens = this.#lastInput;
      outputTokens = this.#lastOutput;
    }
    if (Number.isFinite(inputTokens)) this.#inputTokens.add(inputTokens);
    if (Number.isFinite(outputTokens)) this.#outputTokens.add(outputTokens);
  }
};

// lib/io/download.ts
import { createHash } from "node:crypto";
async function sha256OfFile(path) {
  const hash = createHash("sha256");
  for await (const piece of readBytes(path, {
    raw: true
  })) hash.update(piece);
  return hash.digest("hex");
}
async function download(url, path, options) {
  let answer;
  try {
    answer = await fetch(url, {
      signal: options.signal
    });
  } catch (cause) {
    throw new Error(`cannot reach ${url}: ${cause.message}`, {
      cause
    });
  }
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new Error(`${url} answered ${answer.status} ${answer.statusText}`.trim());
  }
  const hash = createHash("sha256");
  const file2 = await AtomicFile.open(path, {
    gzip: false
  });
  try {
    for await (const piece of answer.body) {
      hash.update(piece);
      await file2.write(piece);
    }
    const found = hash.digest("hex");
    if (found !== options.sha256) {
      throw new Error(`${url} sent another file: its SHA-256 is ${found}, expected ${options.sha256}`);
    }
    await file2.commit();
  } catch (problem) {
    file2.abort();
    throw problem;
  }
}

// lib/io/node_packages.ts
var runtime = globalThis;
async function withoutEnvironment(load) {
  const { env } = runtime.process;
  runtime.process.env = {};
  try {
    return await load();
  } finally {
    runtime.process.env = env;
  }
}
var asBuffer = (bytes) => runtime.process.getBuiltinModule("node:buffer").Buffer.from(bytes);

// @noble/hashes/2.4.0/_u64.js
var fromNumH = (n) => n / 2 ** 32 | 0;
var fromNumL = (n) => n >>> 0;
function setU64FromNum(view, byteOffset, n, isLE) {
  const h = fromNumH(n);
  const l = fromNumL(n);
  view.setUint32(byteOffset, isLE ? l : h, isLE);
  view.setUint32(byteOffset + 4, isLE ? h : l, isLE);
}

// @noble/hashes/2.4.0/utils.js
function isBytes(a) {
  return a instanceof Uint8Array || ArrayBuffer.isView(a) && a.constructor.name === "Uint8Array" && "BYTES_PER_ELEMENT" in a && a.BYTES_PER_ELEMENT === 1;
}
var atitle = (title) => title ? `"${title}" ` : "";
function anumber(n, title = "") {
  if (typeof n !== "number") throw new TypeError(atitle(title) + "expected number, got " + typeof n);
  if (!Number.isSafeInteger(n) || n < 0) throw new RangeError(atitle(title) + "expected integer >= 0, got " + n);
  return n;
}
function abytes(value, length, title = "") {
  if (isBytes(value) && (length === void 0 || value.length === length)) return value;
  if (length !== void 0) anumber(length, "length");
  const bytes = isBytes(value);
  const ofLen = length !== void 0 ? ` of length ${length}` : "";
  const got = bytes ? `length=${value.length}` : `type=${typeof value}`;
  const message = atitle(title) + "expected Uint8Array" + ofLen + ", got " + got;
  if (!bytes) throw new TypeError(message);
  throw new RangeError(message);
}
var aobject = (value, label) => {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new TypeError((label === "object" ? "" : `"${label}" `) + "expected object, got type=" + typeof value);
};
var aopts = (value, label) => {
  aobject(value, label);
  const proto = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) throw new TypeError(`"${label}" expected plain object`);
  if (Object.hasOwn(value, "__proto__")) throw new TypeError(`"${label}.__proto__" is not allowed`);
};
function aexists(instance, checkFinished = true) {
  if (instance.destroyed) throw new Error("hash was destroyed");
  if (checkFinished && instance.finished) throw new Error("digest() was already called");
}
function aoutput(out, instance) {
  abytes(out, void 0, "output");
  const min = instance.outputLen;
  if (!(out.length >= min)) {
    throw new RangeError('"output" expected length >= ' + min);
  }
}
function clean(...arrays) {
  for (let i = 0; i < arrays.length; i++) {
    arrays[i].fill(0);
  }
}
function createView(arr) {
  return new DataView(arr.buffer, arr.byteOffset, arr.byteLength);
}
function rotr(word, shift) {
  return word << 32 - shift | word >>> shift;
}
var hasHexBuiltin = /* @__PURE__ */ (() => (
  // @ts-ignore
  typeof Uint8Array.from([]).toHex === "function" && typeof Uint8Array.fromHex === "function"
))();
var hexes = /* @__PURE__ */ Array.from({
  length: 256
}, (_, i) => i.toString(16).padStart(2, "0"));
function bytesToHex(bytes) {
  abytes(bytes);
  if (hasHexBuiltin) return bytes.toHex();
  let hex = "";
  for (let i = 0; i < bytes.length; i++) {
    hex += hexes[bytes[i]];
  }
  return hex;
}
function utf8ToBytes(str) {
  if (typeof str !== "string") throw new TypeError("string expected");
  const encoded = new TextEncoder().encode(str);
  try {
    return new Uint8Array(encoded);
  } finally {
    clean(encoded);
  }
}
function checkOpts(defaults, opts, title = "opts") {
  aopts(defaults, "defaults");
  if (opts !== void 0) aopts(opts, title);
  const merged = Object.assign(/* @__PURE__ */ Object.create(null), defaults, opts);
  return merged;
}
function createHasher(hashCons, info = {}) {
  if (typeof hashCons !== "function") throw new TypeError('"hashCons" expected function, got type=' + typeof hashCons);
  info = checkOpts({}, info, "info");
  const hashC = (msg, opts) => hashCons(opts).update(msg).digest();
  const tmp = hashCons(void 0);
  hashC.outputLen = tmp.outputLen;
  hashC.blockLen = tmp.blockLen;
  hashC.canXOF = tmp.canXOF;
  hashC.create = (opts) => hashCons(opts);
  Object.assign(hashC, info);
  return Object.freeze(hashC);
}
var oidNist = (suffix) => ({
  // Current NIST hashAlgs suffixes used here fit in one DER subidentifier octet.
  // Larger suffix values would need base-128 OID encoding and a different length byte.
  oid: Uint8Array.from([
    6,
    9,
    96,
    134,
    72,
    1,
    101,
    3,
    4,
    2,
    suffix
  ])
});

// @noble/hashes/2.4.0/_md.js
function Chi(a, b, c) {
  return a & b ^ ~a & c;
}
function Maj(a, b, c) {
  return a & b ^ a & c ^ b & c;
}
var HashMD = class {
  blockLen;
  outputLen;
  canXOF = false;
  padOffset;
  isLE;
  // For partial updates less than block size
  buffer;
  view;
  finished = false;
  length = 0;
  pos = 0;
  destroyed = false;
  constructor(blockLen, outputLen, padOffset, isLE) {
    this.blockLen = blockLen;
    this.outputLen = outputLen;
    this.padOffset = padOffset;
    this.isLE = isLE;
    this.buffer = new Uint8Array(blockLen);
    this.view = createView(this.buffer);
  }
  update(data) {
    aexists(this);
    abytes(data);
    const { view, buffer, blockLen } = this;
    const len = data.length;
    let processed = false;
    for (let pos = 0; pos < len; ) {
      const take = Math.min(blockLen - this.pos, len - pos);
      if (take === blockLen) {
        const dataView = createView(data);
        for (; blockLen <= len - pos; pos += blockLen) this.process(dataView, pos);
        processed = true;
        continue;
      }
      buffer.set(pos === 0 && take === len ? data : data.subarray(pos, pos + take), this.pos);
      this.pos += take;
      pos += take;
      if (this.pos === blockLen) {
        this.process(view, 0);
        this.pos = 0;
        processed = true;
      }
    }
    this.length += data.length;
    if (processed) this.roundClean();
    return this;
  }
  digestInto(out) {
    aexists(this);
    aoutput(out, this);
    this.finished = true;
    const { buffer, view, blockLen, isLE } = this;
    let { pos } = this;
    buffer[pos++] = 128;
    buffer.fill(0, pos);
    if (this.padOffset > blockLen - pos) {
      this.process(view, 0);
      buffer.fill(0);
    }
    setU64FromNum(view, blockLen - 8, this.length * 8, isLE);
    this.process(view, 0);
    this.roundClean();
    const oview = out === buffer ? view : createView(out);
    const len = this.outputLen;
    const outLen = len / 4;
    const state = this.get();
    if (len % 4 || outLen > state.length) throw new Error("invalid outputLen");
    for (let i = 0; i < outLen; i++) oview.setUint32(4 * i, state[i], isLE);
  }
  digest() {
    const { buffer, outputLen } = this;
    this.digestInto(buffer);
    const res = buffer.slice(0, outputLen);
    this.destroy();
    return res;
  }
  _cloneIntoMeta(to) {
    const { buffer, length, finished, destroyed, pos } = this;
    to.destroyed = destroyed;
    to.finished = finished;
    to.length = length;
    to.pos = pos;
    if (pos) to.buffer.set(buffer);
    return to;
  }
  clone() {
    return this._cloneInto();
  }
};
var SHA256_IV = /* @__PURE__ */ Uint32Array.from([
  1779033703,
  3144134277,
  1013904242,
  2773480762,
  1359893119,
  2600822924,
  528734635,
  1541459225
]);

// @noble/hashes/2.4.0/sha2.js
var SHA256_K = /* @__PURE__ */ Uint32Array.from([
  1116352408,
  1899447441,
  3049323471,
  3921009573,
  961987163,
  1508970993,
  2453635748,
  2870763221,
  3624381080,
  310598401,
  607225278,
  1426881987,
  1925078388,
  2162078206,
  2614888103,
  3248222580,
  3835390401,
  4022224774,
  264347078,
  604807628,
  770255983,
  1249150122,
  1555081692,
  1996064986,
  2554220882,
  2821834349,
  2952996808,
  3210313671,
  3336571891,
  3584528711,
  113926993,
  338241895,
  666307205,
  773529912,
  1294757372,
  1396182291,
  1695183700,
  1986661051,
  2177026350,
  2456956037,
  2730485921,
  2820302411,
  3259730800,
  3345764771,
  3516065817,
  3600352804,
  4094571909,
  275423344,
  430227734,
  506948616,
  659060556,
  883997877,
  958139571,
  1322822218,
  1537002063,
  1747873779,
  1955562222,
  2024104815,
  2227730452,
  2361852424,
  2428436474,
  2756734187,
  3204031479,
  3329325298
]);
var SHA256_W = /* @__PURE__ */ new Uint32Array(64);
var SHA2_32B = class extends HashMD {
  // We cannot use array here since array allows indexing by variable
  // which means optimizer/compiler cannot use registers.
  // Numeric initializers matter: starting the fields as `undefined` changes
  // V8's field representation and makes sha256 3x slower (measured).
  A = 0;
  B = 0;
  C = 0;
  D = 0;
  E = 0;
  F = 0;
  G = 0;
  H = 0;
  constructor(outputLen, IV) {
    super(64, outputLen, 8, false);
    this.A = IV[0] | 0;
    this.B = IV[1] | 0;
    this.C = IV[2] | 0;
    this.D = IV[3] | 0;
    this.E = IV[4] | 0;
    this.F = IV[5] | 0;
    this.G = IV[6] | 0;
    this.H = IV[7] | 0;
  }
  get() {
    const { A, B, C, D, E, F, G, H } = this;
    return [
      A,
      B,
      C,
      D,
      E,
      F,
      G,
      H
    ];
  }
  // prettier-ignore
  set(A, B, C, D, E, F, G, H) {
    this.A = A | 0;
    this.B = B | 0;
    this.C = C | 0;
    this.D = D | 0;
    this.E = E | 0;
    this.F = F | 0;
    this.G = G | 0;
    this.H = H | 0;
  }
  _cloneInto(to) {
    (to ||= new this.constructor()).set(...this.get());
    return this._cloneIntoMeta(to);
  }
  process(view, offset) {
    for (let i = 0; i < 16; i++, offset += 4) SHA256_W[i] = view.getUint32(offset, false);
    for (let i = 16; i < 64; i++) {
      const W15 = SHA256_W[i - 15];
      const W2 = SHA256_W[i - 2];
      const s0 = rotr(W15, 7) ^ rotr(W15, 18) ^ W15 >>> 3;
      const s1 = rotr(W2, 17) ^ rotr(W2, 19) ^ W2 >>> 10;
      SHA256_W[i] = s1 + SHA256_W[i - 7] + s0 + SHA256_W[i - 16] | 0;
    }
    let { A, B, C, D, E, F, G, H } = this;
    for (let i = 0; i < 64; i++) {
      const sigma1 = rotr(E, 6) ^ rotr(E, 11) ^ rotr(E, 25);
      const T1 = H + sigma1 + Chi(E, F, G) + SHA256_K[i] + SHA256_W[i] | 0;
      const sigma0 = rotr(A, 2) ^ rotr(A, 13) ^ rotr(A, 22);
      const T2 = sigma0 + Maj(A, B, C) | 0;
      H = G;
      G = F;
      F = E;
      E = D + T1 | 0;
      D = C;
      C = B;
      B = A;
      A = T1 + T2 | 0;
    }
    A = A + this.A | 0;
    B = B + this.B | 0;
    C = C + this.C | 0;
    D = D + this.D | 0;
    E = E + this.E | 0;
    F = F + this.F | 0;
    G = G + this.G | 0;
    H = H + this.H | 0;
    this.set(A, B, C, D, E, F, G, H);
  }
  roundClean() {
    clean(SHA256_W);
  }
  destroy() {
    this.destroyed = true;
    this.set(0, 0, 0, 0, 0, 0, 0, 0);
    clean(this.buffer);
  }
};
var _SHA256 = class extends SHA2_32B {
  constructor() {
    super(32, SHA256_IV);
  }
};
var sha2562 = /* @__PURE__ */ createHasher(() => new _SHA256(), /* @__PURE__ */ oidNist(1));

// lib/io/text_digest.ts
var textSha256 = (text) => bytesToHex(sha2562(utf8ToBytes(text)));

// lib/io/worker_thread.ts
var reasonOf2 = (problem) => problem instanceof Error ? problem.message : String(problem);
var WorkerThread = class _WorkerThread {
  #thread;
  #settle = null;
  /** Why the thread is gone; null while it lives. */
  death = null;
  constructor(thread) {
    this.#thread = thread;
    thread.on("message", (answer) => {
      if ("failure" in answer && answer.fatal) this.stop(answer.failure);
      else this.#answer(answer);
    });
    thread.on("error", (problem) => this.#die(`a worker failed: ${reasonOf2(problem)}`));
    thread.on("exit", (code) => this.#die(`a worker ended with exit code ${code}`));
  }
  /** Starts a thread; its module is loaded with the first job. */
  static async start({ module, setup, heapMegabytes }) {
    const { Worker } = await import("node:worker_threads");
    const worker2 = new Worker(new URL("./lib.io.worker_entry.js", import.meta["url"]), {
      workerData: {
        module: module.href,
        setup
      },
      resourceLimits: {
        maxOldGenerationSizeMb: heapMegabytes
      }
    });
    return new _WorkerThread(worker2);
  }
  /** Does a job. The thread must be idle. */
  do(job) {
    if (this.death !== null) return Promise.resolve({
      failure: this.death
    });
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#thread.postMessage(job);
    });
  }
  /** Ends the thread at once, whatever it is doing. */
  stop(reason2 = "a worker was stopped") {
    this.#die(reason2);
    void this.#thread.terminate();
  }
  #answer(answer) {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(answer);
  }
  #die(reason2) {
    this.death ??= reason2;
    this.#answer({
      failure: this.death
    });
  }
};

// lib/jobs/batch.ts
async function runBatch(runner, jobs, { timeoutSeconds = Infinity, onDone, signal } = {}) {
  signal?.throwIfAborted();
  const deadline = performance.now() + timeoutSeconds * 1e3;
  const results = new Array(jobs.length);
  let next = 0, done = 0, failedJob = jobs.length, reason2 = "", late = false;
  const work = async () => {
    while (next < jobs.length && !late && failedJob === jobs.length) {
      const index = next++;
      const left = (deadline - performance.now()) / 1e3;
      const outcome = left > 0 ? await runner.do({
        id: null,
        data: jobs[index]
      }, {
        timeoutSeconds: left,
        signal
      }) : {
        status: "timeout"
      };
      if (outcome.status === "done") {
        results[index] = outcome.result;
        onDone?.(++done);
      } else if (outcome.status === "timeout") late = true;
      else if (index < failedJob) [failedJob, reason2] = [
        index,
        outcome.reason
      ];
    }
  };
  await Promise.all(Array.from({
    length: Math.min(runner.parallel, jobs.length)
  }, work));
  signal?.throwIfAborted();
  if (late) return {
    status: "timeout"
  };
  return failedJob < jobs.length ? {
    status: "failed",
    reason: reason2
  } : {
    status: "done",
    results
  };
}

// lib/jobs/queue/keys.ts
var PREFIX = "dynosim";
var RUNS = `${PREFIX}:runs`;
var WORKERS = `${PREFIX}:workers`;
var workerKey = (worker2) => `${PREFIX}:worker:${worker2}`;
var KEPT_SECONDS = 86400;
var RunKeys = class {
  run;
  constructor(run) {
    this.run = run;
  }
  #name(part) {
    return `${PREFIX}:${this.run}:${part}`;
  }
  /** What it is: there as long as the run goes on. */
  get card() {
    return this.#name("card");
  }
  /** Hash: outcome by task. */
  get results() {
    return this.#name("results");
  }
  /** List: tasks whose outcome is new. */
  get news() {
    return this.#name("news");
  }
  /** Hash: by task, the workers that began it and did not end it. */
  get starts() {
    return this.#name("starts");
  }
  /** Hash: by worker, why it cannot do the run. */
  get declined() {
    return this.#name("declined");
  }
  /** Set: workers that take jobs of the run. */
  get members() {
    return this.#name("members");
  }
  /** Set: digests of files that workers ask for. */
  get wanted() {
    return this.#name("wanted");
  }
  /** Hash: by digest of a file, why workers do not get it here. */
  get withheld() {
    return this.#name("withheld");
  }
  /** Hash: pieces of a file, and their number. */
  file(sha2564) {
    return this.#name(`file-${sha2564}`);
  }
  /** A coordinator of the run; gone soon after it is. */
  coordinator(id) {
    return this.#name(`coordinator-${id}`);
  }
  /** A job of BullMQ. */
  job(id) {
    return this.#name(id);
  }
  /** BullMQ's sign that a worker holds a job. */
  lock(id) {
    return this.#name(`${id}:lock`);
  }
  /** BullMQ's list of jobs that wait. */
  get waiting() {
    return this.#name("wait");
  }
  /** BullMQ's list of jobs that were taken. */
  get active() {
    return this.#name("active");
  }
  /** What BullMQ keeps for a queue. */
  get bookkeeping() {
    return [
      "wait",
      "active",
      "paused",
      "stalled",
      "id",
      "meta",
      "events",
      "marker",
      "delayed",
      "failed",
      "completed"
    ].map((part) => this.#name(part));
  }
  /** Pattern of all names of the run. */
  get all() {
    return this.#name("*");
  }
};
async function keysLike(redis, pattern) {
  const found = /* @__PURE__ */ new Set();
  let cursor = "0";
  do {
    const [next, keys] = await redis.scan(cursor, "MATCH", pattern, "COUNT", 1e3);
    for (const key of keys) found.add(key);
    cursor = next;
  } while (cursor !== "0");
  return [
    ...found
  ];
}
async function wipe(redis, keys) {
  await redis.srem(RUNS, keys.run);
  const found = await keysLike(redis, keys.all);
  for (let from = 0; from < found.length; from += 1e3) await redis.unlink(...found.slice(from, from + 1e3));
}

// lib/jobs/queue/broker.ts
var CONNECT_WITHIN_MS = 1e4;
var START_WITHIN_MS = 5e3;
var RETRY_MS = 1e3;
var Broker = class _Broker {
  /** Plain commands. They wait while the connection is lost. */
  redis;
  #address;
  #bullmq;
  #closed = false;
  constructor(redis, address, bullmq) {
    this.redis = redis;
    this.#address = address;
    this.#bullmq = bullmq;
  }
  /**
   * Connects.
   *
   * @throws {QueueError} when there is no Redis that lets us in
   */
  static async connect(address, { onConnection } = {}) {
    const [bullmq, { Redis }] = await withoutEnvironment(() => Promise.all([
      import("bullmq"),
      import("ioredis")
    ]));
    const { host: host2, port, database, username, password, tls } = address;
    let welcome = false, connected = true, problem = null;
    const redis = new Redis({
      host: host2,
      port,
      db: database,
      username,
      password,
      ...tls === null ? {} : {
        tls: {
          ca: tls.ca,
          servername: host2
        }
      },
      lazyConnect: true,
      connectTimeout: CONNECT_WITHIN_MS,
      maxRetriesPerRequest: null,
      retryStrategy: (times) => welcome ? Math.min(50 * times, RETRY_MS) : null
    });
    redis.on("error", (error) => problem = error);
    const deadline = performance.now() + START_WITHIN_MS;
    for (let there = false; !there; ) {
      try {
        await redis.connect();
        await redis.ping();
        there = true;
      } catch (cause) {
        redis.disconnect();
        const told = problem ?? cause;
        if (told.code === "ECONNREFUSED" && performance.now() < deadline) {
          await pause(RETRY_MS / 4);
        } else throw new QueueError(`cannot use the Redis at ${address.shown}: ${reasonOf3(told, address)}`);
      }
    }
    welcome = true;
    const broker = new _Broker(redis, address, bullmq);
    redis.on("close", () => {
      if (connected && !broker.#closed) onConnection?.(connected = false);
    });
    redis.on("ready", () => {
      if (!connected) onConnection?.(connected = true);
    });
    return broker;
  }
  /** Address as it may be printed. */
  get shown() {
    return this.#address.shown;
  }
  /** The queue of a run. */
  queue(run) {
    return new this.#bullmq.Queue(run, {
      connection: this.redis,
      prefix: PREFIX,
      skipMetasUpdate: true
    });
  }
  /** Takes jobs of a run. */
  take(run, process, { concurrency, leaseMs, onError }) {
    const worker2 = new this.#bullmq.Worker(run, process, {
      connection: this.redis,
      prefix: PREFIX,
      concurrency,
      lockDuration: leaseMs,
      stalledInterval: leaseMs,
      // who dies with what is noted by us, candidate by candidate
      maxStalledCount: 1e3,
      drainDelay: 2,
      removeOnComplete: {
        count: 0
      },
      removeOnFail: {
        count: 0
      }
    });
    worker2.on("error", onError);
    return worker2;
  }
  /** Gives a job back to its queue; the processor ends by throwing what this resolves to. */
  async handBack(job, token) {
    await job.moveToWait(token);
    return new this.#bullmq.WaitingError();
  }
  /** What a processor throws so that its job is not tried again. */
  refusal(reason2) {
    return new this.#bullmq.UnrecoverableError(reason2);
  }
  /** Ends the connection. */
  close() {
    this.#closed = true;
    this.redis.disconnect();
  }
};
function reasonOf3(problem, { password, port, tls }) {
  const { message = "", code } = problem;
  if (code === "ECONNREFUSED") return "nobody listens there (connection refused)";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "there is no such host";
  if (/WRONGPASS|invalid.*password/i.test(message)) return "it does not take this user and password";
  if (/NOAUTH/.test(message)) return "it wants a password: give one in the address, or as DYNOSIM_REDIS_PASSWORD";
  if (/ETIMEDOUT|timed out/i.test(`${code} ${message}`)) {
    return `it did not answer within ${CONNECT_WITHIN_MS / 1e3} s`;
  }
  if (/Connection is closed|ECONNRESET|EPIPE|Protocol error/i.test(`${code} ${message}`)) {
    return tls === null ? `what listens at port ${port} ended the connection (is it no Redis, or one that wants TLS, rediss://?)` : `what listens at port ${port} ended the connection (is it a Redis without TLS, redis://?)`;
  }
  if (/certificate/i.test(message)) return `${message}: name its authority in DYNOSIM_REDIS_CA`;
  return password === void 0 ? message : message.replaceAll(password, "\u2026");
}

// lib/jobs/queue/files.ts
var PIECE_BYTES = 2 ** 20;
var MOST_FILE_BYTES = 64 * 2 ** 20;
var LOOK_AGAIN_MS = 200;
var BUSY = "another process is writing it";
var FETCHES = 100;
var ANSWER_WITHIN_MS = 6e4;
var megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
async function supply(redis, keys, files) {
  for (const wanted of await redis.smembers(keys.wanted)) {
    const file2 = files.find(({ sha256: sha2564 }) => sha2564 === wanted);
    if (file2 === void 0) await withhold(redis, keys, wanted, "it is no file of this run");
    else if (file2.bytes > MOST_FILE_BYTES) {
      const why = `${file2.path} has ${megabytes(file2.bytes)}, and at most ${megabytes(MOST_FILE_BYTES)} travel through Redis: put it into the worker's --traces folder, or serve it and say --traces-from`;
      await withhold(redis, keys, wanted, why);
    } else await put(redis, keys, file2);
    await redis.srem(keys.wanted, wanted);
  }
}
async function withhold(redis, keys, sha2564, why) {
  await redis.hset(keys.withheld, sha2564, why);
  await redis.expire(keys.withheld, KEPT_SECONDS);
}
async function put(redis, keys, { path, sha256: sha2564 }) {
  const key = keys.file(sha2564);
  let pieces = 0;
  for await (const piece of readBytes(path, {
    raw: true,
    chunkBytes: PIECE_BYTES
  })) {
    await redis.hset(key, String(pieces++), asBuffer(piece));
    await redis.expire(key, KEPT_SECONDS);
  }
  await redis.hset(key, "pieces", String(pieces));
}
var Shelf = class {
  #redis;
  #options;
  #digests = /* @__PURE__ */ new Map();
  constructor(redis, options) {
    this.#redis = redis;
    this.#options = options;
  }
  /** Local path of a file, or why there is none. */
  async find(file2, keys) {
    for (let left = FETCHES; ; left--) {
      const found = await this.#find(file2, keys);
      if ("path" in found || left === 0 || !found.missing.includes(BUSY)) return found;
      await pause(LOOK_AGAIN_MS);
    }
  }
  async #find(file2, keys) {
    const here = await this.#here(file2);
    if (here !== null) return {
      path: here
    };
    const { cache, from } = this.#options;
    const missing = (why2) => ({
      missing: `it does not have ${file2.path} (SHA-256 ${file2.sha256.slice(0, 12)}\u2026): ${why2}`
    });
    if (cache === null) return missing("there is no folder to keep it in: set DYNOSIM_CACHE");
    const path = joinPath(cache, file2.sha256);
    let why = "";
    if (from !== null) {
      try {
        await download(new URL(encodeURIComponent(file2.path.replace(/^.*[/\\]/, "")), from).href, path, {
          sha256: file2.sha256,
          signal: this.#options.signal
        });
        return {
          path
        };
      } catch (problem) {
        this.#options.signal.throwIfAborted();
        why = `${reason(problem)}; `;
      }
    }
    try {
      return {
        path: await this.#asked(file2, keys, path)
      };
    } catch (problem) {
      this.#options.signal.throwIfAborted();
      return missing(why + reason(problem));
    }
  }
  /** A file with this digest in the folder or the cache. */
  async #here({ sha256: sha2564, bytes }) {
    const { folder, cache } = this.#options;
    const candidates = [
      ...cache === null ? [] : [
        joinPath(cache, sha2564)
      ],
      ...folder === null ? [] : filesAt(folder, [
        ""
      ])
    ];
    for (const path of candidates) {
      if (host().fileBytes(path) !== bytes || host().kind(path) !== "file") continue;
      try {
        if (await this.#digest(path) === sha2564) return path;
      } catch {
      }
    }
    return null;
  }
  /** Digests are found once: files do not change while a worker runs. */
  #digest(path) {
    let digest = this.#digests.get(path);
    if (digest === void 0) {
      digest = sha256OfFile(path);
      this.#digests.set(path, digest);
      digest.catch(() => this.#digests.delete(path));
    }
    return digest;
  }
  /** Asks the coordinator and waits until the file is in Redis. */
  async #asked(file2, keys, path) {
    const { signal } = this.#options;
    const key = keys.file(file2.sha256);
    const deadline = performance.now() + ANSWER_WITHIN_MS;
    await this.#redis.hdel(keys.withheld, file2.sha256);
    for (; ; ) {
      signal.throwIfAborted();
      const pieces = Number(await this.#redis.hget(key, "pieces"));
      if (pieces > 0 || file2.bytes === 0) return await this.#fetched(file2, key, pieces, path);
      const why = await this.#redis.hget(keys.withheld, file2.sha256);
      if (why !== null) throw new Error(why);
      if (performance.now() > deadline) throw new Error("the coordinator does not answer");
      await this.#redis.sadd(keys.wanted, file2.sha256);
      await this.#redis.expire(keys.wanted, KEPT_SECONDS);
      await pause(LOOK_AGAIN_MS);
    }
  }
  async #fetched({ sha256: sha2564, bytes }, key, pieces, path) {
    const digest = sha256Stream();
    const file2 = await AtomicFile.open(path, {
      gzip: false
    });
    try {
      let taken = 0;
      for (let at = 0; at < pieces; at++) {
        const piece = await this.#redis.hgetBuffer(key, String(at));
        if (piece === null || (taken += piece.length) > bytes) throw new Error("what is in Redis is another file");
        digest.update(piece);
        await file2.write(new Uint8Array(piece));
      }
      if (digest.hex() !== sha2564) throw new Error("what is in Redis is another file: its digest is wrong");
      await file2.commit();
    } catch (problem) {
      file2.abort();
      throw problem;
    }
    return path;
  }
};

// lib/jobs/queue/plain_text.ts
var MARK = "$dynosim";
var ARRAYS = {
  Float64Array,
  Int32Array,
  Uint32Array,
  Uint8Array
};
var NOT_FINITE = [
  "NaN",
  "Infinity",
  "-Infinity"
];
function marked(_key, value) {
  if (typeof value === "number" && !Number.isFinite(value)) return {
    [MARK]: "number",
    value: String(value)
  };
  if (typeof value === "bigint") return {
    [MARK]: "bigint",
    value: String(value)
  };
  if (ArrayBuffer.isView(value)) {
    const name = Object.keys(ARRAYS).find((name2) => value instanceof ARRAYS[name2]);
    if (name === void 0) throw new TypeError("an array of this type cannot be sent");
    return {
      [MARK]: name,
      value: Array.from(value, (item) => Number.isFinite(item) ? item : String(item))
    };
  }
  return value;
}
function unmarked(_key, value) {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, MARK)) return value;
  const { [MARK]: type, value: content } = value;
  if (type === "number" && NOT_FINITE.includes(content)) return Number(content);
  if (type === "bigint" && typeof content === "string" && /^-?\d{1,40}$/.test(content)) return BigInt(content);
  if (Object.hasOwn(ARRAYS, type) && Array.isArray(content)) return arrayOf(type, content);
  throw new SyntaxError(`a text has the mark ${JSON.stringify(type)}, which stands for nothing`);
}
function arrayOf(type, content) {
  const items = content.map((item) => {
    if (typeof item === "number" || NOT_FINITE.includes(item)) return Number(item);
    throw new SyntaxError(`a ${type} holds ${JSON.stringify(item)}`);
  });
  const array2 = ARRAYS[type].from(items);
  const changed = items.findIndex((item, i) => !Object.is(array2[i], item));
  if (changed >= 0) throw new SyntaxError(`a ${type} cannot hold ${items[changed]}`);
  return array2;
}
var plainText = (value) => JSON.stringify(value, marked);
var fromPlainText = (text) => JSON.parse(text, unmarked);

// lib/jobs/queue/messages.ts
var MOST_TASKS = 25;
var MOST_TEXT = 64 * 2 ** 20;
var MOST_REASON = 1e4;
var SEAL = 64;
var short = pipe(string(), maxLength(1e3));
var sha2563 = pipe(string(), regex(/^[0-9a-f]{64}$/, "expected a SHA-256"));
var seconds = pipe(number(), finite(), minValue(0));
var need = strictObject({
  type: short,
  name: short,
  sha256: nullable(sha2563)
});
var file = strictObject({
  path: short,
  sha256: sha2563,
  bytes: pipe(number(), safeInteger(), minValue(0))
});
var card = strictObject({
  protocol: literal(2, "it speaks another version of the protocol"),
  name: short,
  kind: short,
  version: short,
  setup: unknown(),
  needs: pipe(array(need), maxLength(1e3)),
  files: pipe(array(file), maxLength(1e3))
});
var batch = strictObject({
  tasks: pipe(array(strictObject({
    id: sha2563,
    data: string(),
    timeoutSeconds: nullable(seconds)
  })), minLength(1), maxLength(MOST_TASKS))
});
var worker = strictObject({
  host: short,
  version: short,
  concurrency: pipe(number(), safeInteger(), minValue(1), maxValue(1e4))
});
var starts = pipe(array(short), maxLength(100));
function read(schema, text) {
  if (text.length > MOST_TEXT) return "it is too long";
  let value;
  try {
    value = fromPlainText(text);
  } catch {
    return "it is no JSON";
  }
  const result = safeParse(schema, value);
  return result.success ? result.output : issueText(result.issues[0]);
}
var sealed = (name, text) => sha256(`${name}
${text}`) + text;
function opened(name, text) {
  const inner = text.slice(SEAL);
  return text.length <= MOST_TEXT && text === sealed(name, inner) ? inner : null;
}
var taskSeal = ({ id, timeoutSeconds }) => `task ${id} ${timeoutSeconds}`;
var outcomeSeal = (task) => `outcome ${task}`;
var runOf = (card2) => `run-${sha256(card2).slice(0, 24)}`;
function readCard(run, text) {
  const found = read(card, text);
  return typeof found === "string" || runOf(text) === run ? found : "it was damaged, or is that of another run";
}
var readWorker = (text) => read(worker, text);
function readBatch(value) {
  const result = safeParse(batch, value);
  if (!result.success) return issueText(result.issues[0]);
  const tasks = result.output.tasks.map((task) => ({
    ...task,
    data: opened(taskSeal(task), task.data)
  }));
  const damaged = tasks.find(({ data }) => data === null);
  return damaged === void 0 ? tasks : `task ${damaged.id.slice(0, 8)} was damaged`;
}
function readStarts(text) {
  const found = text === null ? [] : read(starts, text);
  return typeof found === "string" ? [] : found;
}
function readOutcome(task, text, result) {
  const inner = opened(outcomeSeal(task), text);
  if (inner === null) return "it was damaged, or is that of another task";
  const outcome = variant("status", [
    strictObject({
      status: literal("done"),
      result
    }),
    strictObject({
      status: literal("failed"),
      reason: pipe(string(), maxLength(MOST_REASON), transform(plain))
    }),
    strictObject({
      status: literal("timeout")
    })
  ]);
  return read(outcome, inner);
}
var plain = (text) => text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");

// lib/jobs/threads.ts
var ThreadRunner = class {
  parallel;
  #start;
  /** Does the jobs where threads cannot load what the main thread can (Bun without installed packages). */
  #here;
  #threadsLoad = true;
  #line;
  #idle = [];
  constructor(parallel, start, here) {
    this.parallel = parallel;
    this.#here = here;
    this.#start = start;
    this.#line = new WaitingLine(parallel);
  }
  async do(job, options = {}) {
    const { timeoutSeconds, signal } = options;
    signal?.throwIfAborted();
    await this.#line.enter();
    try {
      signal?.throwIfAborted();
      const outcome = this.#threadsLoad ? await this.#run(await this.#thread(), job.data, timeoutSeconds, signal) : await this.#here.do(job, options);
      return outcome ?? await this.#here.do(job, options);
    } catch (problem) {
      if (signal?.aborted) throw signal.reason;
      return {
        status: "failed",
        reason: reasonOf(problem)
      };
    } finally {
      this.#line.leave();
    }
  }
  async #run(thread, data, timeoutSeconds, signal) {
    let late = false;
    const abort = () => thread.stop();
    signal?.addEventListener("abort", abort);
    const disarm = timeoutSeconds === void 0 ? () => {
    } : after(timeoutSeconds * 1e3, () => {
      late = true;
      thread.stop();
    });
    try {
      const answer = await thread.do(data);
      if (signal?.aborted) throw signal.reason;
      if (late) return {
        status: "timeout"
      };
      if ("failure" in answer && answer.unloadable) {
        this.#threadsLoad = false;
        return null;
      }
      return "failure" in answer ? {
        status: "failed",
        reason: answer.failure
      } : {
        status: "done",
        result: answer.result
      };
    } finally {
      disarm();
      signal?.removeEventListener("abort", abort);
      if (thread.death === null) this.#idle.push(thread);
    }
  }
  /** A thread that waits for a job; a new one when none does. */
  async #thread() {
    this.#idle = this.#idle.filter(({ death }) => death === null);
    return this.#idle.pop() ?? await this.#start();
  }
  close() {
    for (const thread of this.#idle) thread.stop();
    this.#idle = [];
  }
};
function threads(parallel, options = {}) {
  checkOptions("threads()", options, {
    heapMegabytes: true,
    always: true
  });
  const { heapMegabytes = 2048, always = false } = options;
  checkNumber("threads(): parallel", parallel, {
    least: 0,
    whole: true
  });
  checkNumber("threads(): heapMegabytes", heapMegabytes, {
    least: 1
  });
  if (parallel <= 1 && !always) return inline();
  return {
    parallel,
    open: (kind, setup) => new ThreadRunner(parallel, () => WorkerThread.start({
      module: kind.module,
      setup,
      heapMegabytes
    }), inline().open(kind, setup))
  };
}

// lib/random/mersenne_twister.ts
var SIZE = 624;
var SHIFT = 397;
var MersenneTwister = class {
  #state = new Uint32Array(SIZE);
  #next = SIZE;
  /**
   * @param seed a whole number from 0 to 2\u2075\u00b3 \u2212 1
   */
  constructor(seed) {
    const key = seed < 2 ** 32 ? [
      seed
    ] : [
      seed % 2 ** 32,
      Math.floor(seed / 2 ** 32)
    ];
    const state = this.#state;
    state[0] = 19650218;
    for (let i2 = 1; i2 < SIZE; i2++) {
      state[i2] = Math.imul(state[i2 - 1] ^ state[i2 - 1] >>> 30, 1812433253) + i2;
    }
    let i = 1;
    for (let step = 0; step < SIZE; step++) {
      const mixed = state[i] ^ Math.imul(state[i - 1] ^ state[i - 1] >>> 30, 1664525);
      state[i] = mixed + key[step % key.length] + step % key.length;
      i = this.#following(i);
    }
    for (let step = 1; step < SIZE; step++) {
      state[i] = (state[i] ^ Math.imul(state[i - 1] ^ state[i - 1] >>> 30, 1566083941)) - i;
      i = this.#following(i);
    }
    state[0] = 2147483648;
  }
  #following(i) {
    if (i + 1 < SIZE) return i + 1;
    this.#state[0] = this.#state[SIZE - 1];
    return 1;
  }
  /** The next 32 bits. */
  word() {
    if (this.#next === SIZE) this.#refill();
    let word = this.#state[this.#next++];
    word ^= word >>> 11;
    word ^= word << 7 & 2636928640;
    word ^= word << 15 & 4022730752;
    return (word ^ word >>> 18) >>> 0;
  }
  #refill() {
    const state = this.#state;
    for (let i = 0; i < SIZE; i++) {
      const joined = state[i] & 2147483648 | state[(i + 1) % SIZE] & 2147483647;
      state[i] = state[(i + SHIFT) % SIZE] ^ joined >>> 1 ^ (joined & 1 ? 2567483615 : 0);
    }
    this.#next = 0;
  }
  /** A whole number from 0 to `limit` \u2212 1; `limit` is at least 1 and at most 2\u2075\u00b3. */
  below(limit) {
    let bits = 0;
    for (let rest = limit; rest >= 1; rest = Math.floor(rest / 2)) bits++;
    for (; ; ) {
      const drawn = this.#bits(bits);
      if (drawn < limit) return drawn;
    }
  }
  #bits(count) {
    if (count <= 32) return this.word() >>> 32 - count;
    const low = this.word();
    return (this.word() >>> 64 - count) * 2 ** 32 + low;
  }
  /** A fraction from 0 up to but not including 1, with 53 bits. */
  fraction() {
    const high = this.word() >>> 5;
    return (high * 67108864 + (this.word() >>> 6)) / 9007199254740992;
  }
  /** A number between two others. */
  uniform(from, to) {
    return from + (to - from) * this.fraction();
  }
  /** Puts a list in a random order, in place. */
  shuffle(list) {
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [list[i], list[j]] = [
        list[j],
        list[i]
      ];
    }
  }
};

// lib/random/mulberry32.ts
function mulberry32(seed) {
  let state = seed | 0;
  return () => {
    state = state + 1831565813 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}

// lib/random/splitmix32.ts
function splitmix32(seed) {
  let state = seed | 0;
  return () => {
    state = state + 2654435769 | 0;
    let mixed = Math.imul(state ^ state >>> 16, 569420461);
    mixed = Math.imul(mixed ^ mixed >>> 15, 1935289751);
    return ((mixed ^ mixed >>> 15) >>> 0) / 4294967296;
  };
}

// lib/report/saturation.ts
var BOTTLENECK_NAMES = [
  "prefill_compute",
  "decode_compute",
  "kv_blocks",
  "sequence_limit",
  "router_queue"
];
var figure = pipe(number(), finite());
var saturationSchema = strictObject({
  value: figure,
  bottleneck: picklist(BOTTLENECK_NAMES),
  kv_usage: figure,
  preemptions_per_minute: figure,
  at_sequence_limit: figure,
  waiting_requests: figure,
  router_queue: figure,
  missed_ttft: figure,
  missed_itl: figure
});

// lib/router/gateway.ts
var GatewayRouter = class {
  mayQueue = true;
  needsState;
  needsPrefillDone;
  needsEnds;
  cache;
  placedRank = -1;
  #router;
  #waiting;
  #workers = /* @__PURE__ */ new Set();
  constructor(router, waiting) {
    this.#router = router;
    this.#waiting = waiting;
    this.needsState = router.needsState;
    this.needsPrefillDone = router.needsPrefillDone;
    this.needsEnds = router.needsEnds;
    this.cache = router.cache;
  }
  get placement() {
    return this.#router.placement;
  }
  get knobs() {
    return this.#router.knobs;
  }
  get revision() {
    return this.#router.revision;
  }
  join(worker2, firstRank, ranks, nowMs) {
    this.#workers.add(worker2);
    this.#router.join(worker2, firstRank, ranks, nowMs);
  }
  leave(worker2, nowMs) {
    this.#workers.delete(worker2);
    this.#router.leave(worker2, nowMs);
  }
  forget(worker2, nowMs) {
    this.#router.forget(worker2, nowMs);
  }
  place(request, nowMs) {
    if (this.#workers.size > 0) return this.#router.place(request, nowMs);
    this.#waiting.push(request);
    return -1;
  }
  prefillDone(request, rank, nowMs) {
    this.#router.prefillDone(request, rank, nowMs);
  }
  ended(request, rank, nowMs) {
    this.#router.ended(request, rank, nowMs);
  }
  nextReleased(nowMs) {
    if (this.#workers.size === 0) return -1;
    while (this.#waiting.length > 0) {
      const request2 = this.#waiting.shift();
      this.placedRank = this.#router.place(request2, nowMs);
      if (this.placedRank >= 0) return request2;
    }
    const request = this.#router.nextReleased(nowMs);
    this.placedRank = this.#router.placedRank;
    return request;
  }
  update(knobs) {
    this.#router.update(knobs);
  }
};
function gateway() {
  const queue = [];
  return {
    waiting: () => queue.length,
    before: (router) => (context) => new GatewayRouter(router(context), queue)
  };
}

// lib/timing/aic/energy_models.ts
function energyModels(deployment) {
  const factories = deployment.energyFactories();
  if (factories === null) return null;
  const { times, energies } = factories, { lists, nextn } = deployment;
  const covered = {
    operators: (specs) => coveredOperators(times, energies, specs)
  };
  return {
    energy: new ForwardPassModel(energies, lists, nextn),
    covered: new ForwardPassModel(covered, lists, nextn)
  };
}
function coveredOperators(times, energies, specs) {
  const known = energies.operators(specs);
  return times.operators(specs).map((time) => new CoveredOperator(time, known.filter((energy) => energy.name === time.name)));
}
var STRENGTH = [
  "tokens",
  "lengths",
  "sequences"
];
var CoveredOperator = class {
  dependence;
  #time;
  #energies;
  constructor(time, energies) {
    this.#time = time;
    this.#energies = energies;
    this.dependence = STRENGTH[Math.max(...[
      time,
      ...energies
    ].map(({ dependence }) => STRENGTH.indexOf(dependence)))];
  }
  get name() {
    return this.#time.name;
  }
  ms(tokens, batch2, seq, prefix, scale) {
    for (let i = 0; i < this.#energies.length; i++) {
      if (this.#energies[i].ms(tokens, batch2, seq, prefix, scale) > 0) {
        return this.#time.ms(tokens, batch2, seq, prefix, scale);
      }
    }
    return 0;
  }
  problem(tokens, batch2, seq, prefix) {
    return this.#time.problem(tokens, batch2, seq, prefix);
  }
};

export {
  Heap,
  TextSet,
  recordedHistory,
  bucketSeries,
  trafficIntervals,
  DEFAULT_SETTINGS,
  predictors,
  createPredictor,
  TrafficForecaster,
  sha256OfFile,
  download,
  textSha256,
  runBatch,
  RUNS,
  WORKERS,
  workerKey,
  KEPT_SECONDS,
  RunKeys,
  keysLike,
  wipe,
  Broker,
  supply,
  Shelf,
  plainText,
  fromPlainText,
  MOST_TASKS,
  MOST_REASON,
  sealed,
  taskSeal,
  outcomeSeal,
  runOf,
  readCard,
  readWorker,
  readBatch,
  readStarts,
  readOutcome,
  plain,
  threads,
  MersenneTwister,
  mulberry32,
  splitmix32,
  saturationSchema,
  gateway,
  energyModels
};
