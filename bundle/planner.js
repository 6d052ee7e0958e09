import {
  Kept,
  KeptList,
  chunkedSeconds,
  emptyPass,
  emptyPassRow,
  missShare,
  outOfReach,
  passSeconds
} from "./core.js";
import {
  ConfigDocument,
  Observations,
  ROLES,
  budgetWarnings,
  filesAt,
  joinPath,
  nonDraining,
  orderedByWorker
} from "./config.js";
import {
  LineCutter,
  PassCorrection,
  sha256OfText
} from "./timing.js";
import {
  ByteSourceError,
  ConfigError,
  TraceError,
  checkNumber,
  checkOptions,
  getDotPath,
  host,
  isMapping,
  nearName,
  nullable,
  nullish,
  object,
  optional,
  pipe,
  rawTransform,
  readBytes,
  roundHalfEven,
  safeParse,
  unknown,
  writeFileAtomically
} from "./base.js";

// lib/config/planner_source.ts
async function readPlannerConfig(source) {
  if (typeof source !== "string") return source;
  if (host().kind(source) !== "file") {
    const { value: value2, problem: problem2 } = parseJson(source);
    if (problem2 !== null) {
      throw refusal(`--config value is neither a valid file path nor valid JSON: ${problem2}`);
    }
    return mapping(value2, "the planner configuration");
  }
  const text2 = await fileText(source);
  if (/\.ya?ml$/i.test(source)) return new ConfigDocument(source, text2).value;
  const { value, problem } = parseJson(text2);
  if (problem === null) return mapping(value, source);
  if (/\.json$/i.test(source)) throw refusal(`Cannot parse ${source} as JSON: ${problem}`, source);
  return new ConfigDocument(source, text2).value;
}
async function fileText(path) {
  const decoder = new TextDecoder();
  let text2 = "";
  try {
    for await (const bytes of readBytes(path)) text2 += decoder.decode(bytes, {
      stream: true
    });
  } catch (cause) {
    if (!(cause instanceof ByteSourceError)) throw cause;
    throw refusal(`could not read configuration ${path}: ${cause.message}`, path);
  }
  return text2;
}
function parseJson(text2) {
  try {
    return {
      value: JSON.parse(text2),
      problem: null
    };
  } catch (error) {
    return {
      value: null,
      problem: error.message
    };
  }
}
function mapping(value, name) {
  if (isMapping(value)) return value;
  throw refusal(`${name} must be one mapping of PlannerConfig fields`);
}
var refusal = (message, file) => new ConfigError(message, [
  {
    path: "",
    message,
    file
  }
]);

// lib/forecast/history.ts
function recordedHistory(rows, firstReplayedMs, speedup = 1) {
  const sorted2 = [
    ...rows
  ].sort((a, b) => a.timestampMs - b.timestampMs);
  if (sorted2.length > 0 && sorted2.at(-1).timestampMs > firstReplayedMs) {
    throw new TraceError("retune history must end at or before the first replayed request");
  }
  return {
    arrivalS: Float64Array.from(sorted2, (row) => (row.timestampMs - firstReplayedMs) / speedup / 1e3),
    inputTokens: Int32Array.from(sorted2, (row) => row.inputTokens),
    outputTokens: Int32Array.from(sorted2, (row) => row.outputTokens)
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

// lib/forecast/arma.ts
var unknowns = ({ p, q, constant: constant2 }) => (constant2 ? 1 : 0) + p + q + 1;
function stationary(free2, at, sign, into, spare) {
  const count = into.length;
  for (let k = 0; k < count; k++) {
    const x = free2[at + k], partial = x / Math.sqrt(1 + x * x);
    for (let i = 0; i < k; i++) spare[i] = into[i] + partial * into[k - 1 - i];
    for (let i = 0; i < k; i++) into[i] = spare[i];
    into[k] = partial;
  }
  for (let i = 0; i < count; i++) into[i] *= sign;
}
function freed(coefficients) {
  let row = coefficients.map((x) => -x);
  const free2 = new Float64Array(row.length);
  for (let k = row.length - 1; k >= 0; k--) {
    const partial = row[k];
    free2[k] = partial / Math.sqrt(1 - partial * partial);
    const shorter = new Float64Array(k);
    for (let i = 0; i < k; i++) shorter[i] = (row[i] - partial * row[k - 1 - i]) / (1 - partial * partial);
    row = shorter;
  }
  return free2;
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
  logLikelihood = NaN;
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
  const needed2 = DECREASE * start.slope;
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
    const bound = start.value + step * needed2;
    if (auxiliary && trial.value <= bound && trial.slope >= 0) auxiliary = false;
    const stuck = bracketed && (step <= low || step >= high || high - low <= WIDTH * high);
    const atTop = step === MAX_STEP && trial.value <= bound && trial.slope <= needed2;
    const atBottom = step === 0 && (trial.value > bound || trial.slope >= needed2);
    const good = trial.value <= bound && Math.abs(trial.slope) <= CURVATURE * -start.slope;
    if (good || stuck || atTop || atBottom) return trial;
    const lifted = auxiliary && trial.value <= best.value && trial.value > bound;
    const tilt = (t, sign) => ({
      step: t.step,
      value: t.value + sign * t.step * needed2,
      slope: t.slope + sign * needed2
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

// lib/forecast/short_arma.ts
var LOG_2_PI2 = Math.log(2 * Math.PI);
var filterOf = (order) => order.p <= 1 && order.q <= 1 ? new ShortArmaFilter(order) : new ArmaFilter(order);
var ShortArmaFilter = class {
  #constantAt;
  ar;
  ma;
  #constant = 0;
  #variance = 0;
  logLikelihood = NaN;
  next = NaN;
  constructor({ p, q, constant: constant2 }) {
    this.#constantAt = constant2 ? 1 : 0;
    this.ar = new Float64Array(p);
    this.ma = new Float64Array(q);
  }
  take(point) {
    let at = this.#constantAt;
    this.#constant = at === 1 ? point[0] : 0;
    if (this.ar.length === 1) {
      const x = point[at++];
      this.ar[0] = -(x / Math.sqrt(1 + x * x));
    }
    if (this.ma.length === 1) {
      const x = point[at++];
      this.ma[0] = x / Math.sqrt(1 + x * x);
    }
    this.#variance = point[at] * point[at];
  }
  run(series) {
    this.logLikelihood = this.next = NaN;
    const phi = this.ar.length === 1 ? this.ar[0] : 0, theta = this.ma.length === 1 ? this.ma[0] : 0;
    const constant2 = this.#constant, variance = this.#variance, own = 1 - phi * phi;
    if (own === 0) return;
    const mean = constant2 === 0 ? 0 : constant2 / (1 - phi), noise = theta * theta, moving = this.ma.length === 1;
    let f = (1 + 2 * phi * theta + noise) / own, state = 0, shifted = 0, logLikelihood = 0;
    for (let t = 0; t < series.length; t++) {
      const surprise = series[t] - mean - state, scale = f * variance;
      logLikelihood -= 0.5 * (LOG_2_PI2 + Math.log(scale) + surprise * surprise / scale);
      const corrected = state + surprise;
      state = phi * corrected + (moving ? shifted + theta / f * surprise : 0);
      shifted = 0 * corrected;
      f = noise - noise / f + 1;
    }
    this.logLikelihood = logLikelihood;
    this.next = mean + state;
  }
};

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
  const filter = filterOf(order);
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
    const fit2 = fitOrder(series, {
      p: nextP,
      d,
      q: nextQ,
      constant: nextConstant
    });
    if (!fit2 || best && !(fit2.aic < best.aic)) return false;
    best = fit2;
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
    const fit2 = searchOrder(series);
    if (this.#log || !fit2 || fit2.order.p + fit2.order.q > 0) return fit2;
    this.#log = true;
    return searchOrder(this.#series());
  }
  #refit(series, fit2) {
    const added = series.length - this.#fitted;
    if (added === 0) return fit2;
    const maxIterations = Math.max(5, Math.floor(added / 10));
    return fitOrder(series, fit2.order, {
      start: fit2.point,
      maxIterations
    }) ?? fit2;
  }
  #next(series, { order, point }) {
    const filter = filterOf(order);
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

// lib/planner/canonical_json.ts
var Float = class {
  value;
  constructor(value) {
    this.value = value;
  }
};
function canonicalJson(value) {
  if (value instanceof Float) return floatText(value.value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, item]) => item !== void 0);
  entries.sort(([a], [b]) => a < b ? -1 : 1);
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}
function floatText(value) {
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    const [digits, exponent] = value.toExponential().split("e");
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

// lib/planner/bootstrap.ts
var BENCHMARK_GRANULARITY = 8;
var SHORTEST_PROMPT = 100;
var CONTEXTS = [
  500,
  2e3,
  4e3,
  8e3
];
var DEFAULT_BATCHED_TOKENS = 8192;
var DEFAULT_SEQUENCES = 256;
var DEFAULT_KV_TOKENS = 262144;
function sampleRow(given) {
  return {
    ...emptyPassRow(0, 0, 0),
    ...given
  };
}
function prefillSamples({ maxBatchedTokens }, estimator, granularity = BENCHMARK_GRANULARITY) {
  const most = maxBatchedTokens ?? DEFAULT_BATCHED_TOKENS;
  const step = Math.max(1, Math.floor((most - SHORTEST_PROMPT) / granularity));
  const rows = [];
  for (let tokens = SHORTEST_PROMPT; tokens <= most; tokens += step) {
    const ms = estimator.estimateMs({
      ...emptyPass,
      prefillRequests: 1,
      prefillTokens: tokens
    });
    if (ms !== null && ms > 0) {
      rows.push(sampleRow({
        wallTimeS: ms / 1e3,
        prefillRequests: 1,
        prefillTokens: tokens
      }));
    }
  }
  return rows;
}
function decodeSamples({ maxSequences, kvTokens, speculationDepth }, estimator, granularity = BENCHMARK_GRANULARITY) {
  const most = maxSequences ?? DEFAULT_SEQUENCES;
  const step = Math.max(1, Math.floor(most / granularity));
  const pool = kvTokens > 0 ? kvTokens : DEFAULT_KV_TOKENS;
  const perSequence = (speculationDepth ?? 0) + 1;
  const rows = [];
  for (const context of CONTEXTS) {
    for (let batch = 1; batch <= most && batch * context <= pool; batch += step) {
      const ms = estimator.estimateMs({
        ...emptyPass,
        decodeRequests: batch * perSequence,
        decodeKvTokens: batch * (context + 1)
      });
      if (ms === null || !(ms > 0)) continue;
      rows.push(sampleRow({
        wallTimeS: ms / 1e3,
        decodeRequests: batch,
        decodeKvTokens: batch * context
      }));
    }
  }
  return rows;
}
function canonicalSample(row) {
  const none = {
    num_decode_requests: 0,
    num_prefill_requests: 0,
    sum_decode_kv_tokens: 0,
    sum_prefill_tokens: 0
  };
  const zeroVariance = {
    var_decode_kv_tokens: new Float(0),
    var_prefill_length: new Float(0)
  };
  return {
    counter_id: 0,
    dp_rank: 0,
    queued_requests: {
      ...none,
      ...zeroVariance
    },
    scheduled_requests: {
      num_decode_requests: row.decodeRequests,
      num_prefill_requests: row.prefillRequests,
      sum_decode_kv_tokens: row.decodeKvTokens,
      sum_prefill_kv_tokens: row.prefillKvTokens,
      sum_prefill_tokens: row.prefillTokens,
      ...zeroVariance
    },
    version: 1,
    wall_time: new Float(row.wallTimeS),
    worker_id: ""
  };
}
function samplesText(prefill, decode) {
  return canonicalJson({
    decode: decode.map(canonicalSample),
    prefill: prefill.map(canonicalSample)
  });
}
function estimatedPasses(roles) {
  const aggregated = roles.prefill === null;
  const prefillRole = roles.prefill ?? roles.decode;
  if (!prefillRole.estimator || !roles.decode.estimator) {
    return {
      metadata: {
        status: "not_configured_load_only",
        benchmark_granularity: BENCHMARK_GRANULARITY
      },
      prefill: [],
      decode: [],
      identity: null
    };
  }
  const prefill = prefillSamples(prefillRole.engine, prefillRole.estimator);
  const decode = decodeSamples(roles.decode.engine, roles.decode.estimator);
  const empty = aggregated ? prefill.length === 0 && decode.length === 0 : prefill.length === 0 || decode.length === 0;
  return {
    metadata: {
      status: empty ? "empty" : "installed",
      benchmark_granularity: BENCHMARK_GRANULARITY,
      prefill_fpm_count: prefill.length,
      decode_fpm_count: decode.length
    },
    prefill,
    decode,
    identity: samplesText(prefill, decode)
  };
}
function bootstrap(roles, sha256) {
  const { identity, ...model } = estimatedPasses(roles);
  if (identity !== null) model.metadata.fpm_sha256 = sha256(identity);
  return model;
}
var failedBootstrap = {
  metadata: {
    status: "session_failed_load_only",
    benchmark_granularity: BENCHMARK_GRANULARITY
  },
  prefill: [],
  decode: []
};
var noBootstrap = {
  metadata: {
    status: "not_required"
  },
  prefill: [],
  decode: []
};

// lib/planner/capabilities.ts
function capabilitiesOf(worker, options = {}) {
  checkOptions("capabilitiesOf()", options, {
    pipelineParallel: true
  });
  const ranks = Math.max(worker.dpSize, 1);
  const { rank } = worker;
  const limit = (value) => Number.isFinite(value) ? value : null;
  const kvTokens = rank.blocks * rank.blockTokens * ranks;
  return {
    gpus: (worker.tensorParallel || 1) * (options.pipelineParallel ?? 1) * ranks,
    maxBatchedTokens: limit(rank.maxBatchedTokens),
    maxSequences: limit(rank.maxSequences),
    contextTokens: limit(rank.maxModelTokens),
    maxKvTokens: kvTokens > 0 ? limit(kvTokens) : null,
    speculationDepth: rank.acceptRates ? rank.acceptRates.length : null
  };
}

// lib/planner/lax_fields.ts
function field(convert) {
  return pipe(unknown(), rawTransform(({ dataset, addIssue, NEVER }) => {
    try {
      return convert(dataset.value);
    } catch (problem) {
      addIssue({
        message: String(problem.message)
      });
      return NEVER;
    }
  }));
}
function fail(message) {
  throw new Error(message);
}
function check(value, { above, atLeast: atLeast2, atMost, finite }) {
  if (finite && !Number.isFinite(value)) fail("Input should be a finite number");
  if (above !== void 0 && !(value > above)) fail(`Input should be greater than ${above}`);
  if (atLeast2 !== void 0 && !(value >= atLeast2)) fail(`Input should be greater than or equal to ${atLeast2}`);
  if (atMost !== void 0 && !(value <= atMost)) fail(`Input should be less than or equal to ${atMost}`);
  return value;
}
function int(bounds = {}) {
  return field((input) => {
    if (typeof input === "boolean") return check(Number(input), bounds);
    if (typeof input === "string") {
      if (!/^\s*[+-]?\d+(_\d+)*(\.0+)?\s*$/.test(input)) {
        fail("Input should be a valid integer, unable to parse string as an integer");
      }
      return check(Number(input.replaceAll("_", "")), bounds);
    }
    if (typeof input !== "number") fail("Input should be a valid integer");
    if (!Number.isFinite(input)) fail("Input should be a finite number");
    if (!Number.isInteger(input)) fail("Input should be a valid integer, got a number with a fractional part");
    return check(input, bounds);
  });
}
function float(bounds = {}) {
  return field((input) => {
    if (typeof input === "boolean") return check(Number(input), bounds);
    if (typeof input === "string") {
      const value = input.trim() === "" ? NaN : Number(input);
      if (Number.isNaN(value)) fail("Input should be a valid number, unable to parse string as a number");
      return check(value, bounds);
    }
    if (typeof input !== "number") fail("Input should be a valid number");
    return check(input, bounds);
  });
}
function bool() {
  return field((input) => {
    if (typeof input === "boolean") return input;
    if (input === 0 || input === 1) return input === 1;
    if (typeof input === "string") {
      const word = input.toLowerCase();
      if ([
        "true",
        "t",
        "yes",
        "y",
        "on",
        "1"
      ].includes(word)) return true;
      if ([
        "false",
        "f",
        "no",
        "n",
        "off",
        "0"
      ].includes(word)) return false;
      fail("Input should be a valid boolean, unable to interpret input");
    }
    return fail("Input should be a valid boolean");
  });
}
function text() {
  return field((input) => typeof input === "string" ? input : fail("Input should be a valid string"));
}
function choice(words) {
  return field((input) => words.find((word) => word === input) ?? fail(`Input should be ${listed(words.map((word) => `'${word}'`))}`));
}
function listed(items) {
  return items.length < 2 ? items.join() : `${items.slice(0, -1).join(", ")} or ${items[items.length - 1]}`;
}
function orNull(schema) {
  return nullish(schema, null);
}
function withDefault(schema, value) {
  return optional(schema, value);
}

// lib/planner/config_fields.ts
var fields = {
  mode: withDefault(choice([
    "disagg",
    "prefill",
    "decode",
    "agg"
  ]), "disagg"),
  optimization_target: withDefault(choice([
    "throughput",
    "latency",
    "load",
    "sla"
  ]), "throughput"),
  enable_throughput_scaling: withDefault(bool(), true),
  enable_load_scaling: withDefault(bool(), false),
  throughput_adjustment_interval_seconds: withDefault(int(), DEFAULT_SETTINGS.throughput_adjustment_interval_seconds),
  load_adjustment_interval_seconds: withDefault(int({
    above: 0
  }), 5),
  max_throughput_scaling_replicas: withDefault(int({
    above: 0
  }), 8),
  max_gpu_budget: withDefault(int({
    atLeast: -1
  }), 8),
  min_gpu_budget: withDefault(int({
    atLeast: -1
  }), -1),
  min_endpoint: withDefault(int({
    atLeast: 0
  }), 1),
  prefill_min_endpoint: orNull(int({
    atLeast: 1
  })),
  decode_min_endpoint: orNull(int({
    atLeast: 1
  })),
  ttft_ms: withDefault(float({
    above: 0,
    finite: true
  }), 500),
  itl_ms: withDefault(float({
    above: 0,
    finite: true
  }), 50),
  load_predictor: withDefault(choice(Object.keys(predictors)), "arima"),
  load_predictor_log1p: withDefault(bool(), DEFAULT_SETTINGS.load_predictor_log1p),
  prophet_window_size: withDefault(int({
    above: 0
  }), DEFAULT_SETTINGS.prophet_window_size),
  kalman_q_level: withDefault(float({
    atLeast: 0,
    finite: true
  }), DEFAULT_SETTINGS.kalman_q_level),
  kalman_q_trend: withDefault(float({
    atLeast: 0,
    finite: true
  }), DEFAULT_SETTINGS.kalman_q_trend),
  kalman_r: withDefault(float({
    atLeast: 0,
    finite: true
  }), DEFAULT_SETTINGS.kalman_r),
  kalman_min_points: withDefault(int({
    above: 0
  }), DEFAULT_SETTINGS.kalman_min_points),
  load_predictor_warmup_trace: orNull(text()),
  max_num_fpm_samples: withDefault(int({
    above: 0
  }), 64),
  fpm_sample_bucket_size: withDefault(int({
    above: 0
  }), 16),
  sample_tie_seed: orNull(int({
    atLeast: 0
  })),
  load_scaling_down_sensitivity: withDefault(int({
    atLeast: 0,
    atMost: 100
  }), 80),
  load_min_observations: withDefault(int(), 5),
  prefill_scale_up_queue_tokens: orNull(int({
    atLeast: 0
  })),
  prefill_scale_down_queue_tokens: orNull(int({
    atLeast: 0
  })),
  decode_scale_up_kv_rate: orNull(float({
    atLeast: 0,
    atMost: 100
  })),
  decode_scale_down_kv_rate: orNull(float({
    atLeast: 0,
    atMost: 100
  })),
  speculative_nextn: withDefault(int({
    atLeast: 0
  }), 0),
  prefill_engine_num_gpu: orNull(int()),
  decode_engine_num_gpu: orNull(int()),
  advisory: withDefault(bool(), false),
  report_interval_hours: optional(nullable(float()), 24),
  report_output_dir: withDefault(text(), "./planner_reports"),
  report_filename: orNull(text()),
  report_write_gzip_log: withDefault(bool(), true),
  live_dashboard_port: withDefault(int(), 8080)
};
var ALIASES = {
  throughput_adjustment_interval: "throughput_adjustment_interval_seconds",
  load_adjustment_interval: "load_adjustment_interval_seconds",
  ttft: "ttft_ms",
  itl: "itl_ms"
};
var LIVE_FIELDS = [
  "pre_deployment_sweeping_mode",
  "environment",
  "backend",
  "log_dir",
  "control_api_port",
  "profile_results_dir",
  "aic_interpolation",
  "ais_perf_model",
  "throughput_metrics_source",
  "model_name",
  "namespace",
  "no_operation",
  "global_planner_namespace",
  "enable_power_awareness",
  "total_gpu_power_limit",
  "plugin_registration"
];
var plannerFields = object(fields);
function keysWithoutEffect(input) {
  const known = /* @__PURE__ */ new Set([
    ...Object.keys(fields),
    ...Object.keys(ALIASES),
    "scheduling",
    "retune",
    "batch_scheduling"
  ]);
  const others = Object.keys(input).filter((key) => !known.has(key));
  const isLive = (key) => LIVE_FIELDS.includes(key) || key.startsWith("metric_");
  return {
    unknown: others.filter((key) => !isLive(key)),
    live: others.filter(isLive)
  };
}
var plannerConfigKeys = [
  ...Object.keys(fields),
  "scheduling",
  "retune"
];

// lib/planner/config.ts
function isRetuneOnly(config) {
  return config.retune !== null && !config.enable_load_scaling && !config.enable_throughput_scaling;
}
function parsePlannerConfig(input) {
  const given = isMapping(input) ? input : fail2([
    {
      path: "",
      message: "Input should be a valid dictionary"
    }
  ]);
  if ("aic_perf_model" in given) {
    failRule("aic_perf_model is no longer accepted; the performance model comes from the engine's timing");
  }
  const named = Object.fromEntries(Object.entries(given).map(([key, value]) => [
    Object.hasOwn(ALIASES, key) ? ALIASES[key] : key,
    value
  ]));
  const result = safeParse(plannerFields, named);
  if (!result.success) {
    fail2(result.issues.map((issue) => ({
      path: getDotPath(issue) ?? "",
      message: issue.message
    })));
  }
  const retune = isMapping(given.retune) ? given.retune : null;
  if (given.retune !== void 0 && given.retune !== null && !retune) {
    fail2([
      {
        path: "retune",
        message: "Input should be a valid dictionary"
      }
    ]);
  }
  const config = normalised(result.output, named, retune);
  checkRules(config, named);
  return config;
}
function normalised(checked, given, retune) {
  const easy = checked.optimization_target !== "sla";
  const off = (key) => given[key] !== void 0 && !checked[key];
  const retuneOnly = retune !== null && off("enable_load_scaling") && off("enable_throughput_scaling");
  const modes = easy && !retuneOnly ? {
    enable_load_scaling: true,
    enable_throughput_scaling: false
  } : {};
  const both = {
    ...checked,
    ...modes
  };
  return {
    ...both,
    scheduling: {
      scale_interval_seconds: scaleInterval(both, given.scheduling)
    },
    retune
  };
}
function scaleInterval(config, scheduling) {
  const given = isMapping(scheduling) ? scheduling.scale_interval_seconds : void 0;
  if (given !== void 0 && given !== null) {
    const seconds = safeParse(float({
      above: 0
    }), given);
    if (!seconds.success) {
      fail2([
        {
          path: "scheduling.scale_interval_seconds",
          message: seconds.issues[0].message
        }
      ]);
    }
    return seconds.output;
  }
  const load = config.load_adjustment_interval_seconds * 1e3;
  const throughput = config.throughput_adjustment_interval_seconds * 1e3;
  return (config.enable_throughput_scaling && throughput > 0 ? greatestCommonDivisor(load, throughput) : load) / 1e3;
}
function greatestCommonDivisor(a, b) {
  while (b !== 0) [a, b] = [
    b,
    a % b
  ];
  return a;
}
function bothWrittenOff(checked, given) {
  const keys = [
    "enable_load_scaling",
    "enable_throughput_scaling"
  ];
  return keys.every((key) => given[key] !== void 0 && !checked[key]);
}
function checkRules(config, given) {
  const { mode, optimization_target: target } = config;
  const load = config.load_adjustment_interval_seconds;
  const throughput = config.throughput_adjustment_interval_seconds;
  if (mode === "prefill" && config.decode_min_endpoint !== null) {
    failRule("decode_min_endpoint is not supported when mode='prefill'");
  }
  if (mode === "decode" && config.prefill_min_endpoint !== null) {
    failRule("prefill_min_endpoint is not supported when mode='decode'");
  }
  if (mode === "agg" && (config.prefill_min_endpoint !== null || config.decode_min_endpoint !== null)) {
    failRule("prefill_min_endpoint and decode_min_endpoint are not supported when mode='agg'; use min_endpoint");
  }
  const hours = config.report_interval_hours;
  if (hours !== null && !(Number.isFinite(hours) && hours > 0)) {
    failRule("report_interval_hours must be a positive finite number or None");
  }
  const bins = Math.round(Math.sqrt(config.fpm_sample_bucket_size));
  if (bins * bins !== config.fpm_sample_bucket_size) {
    failRule(`fpm_sample_bucket_size must be a perfect square, got ${config.fpm_sample_bucket_size}`);
  }
  if (given.enable_power_awareness === true) {
    failRule("enable_power_awareness is not supported in a replay; leave it off");
  }
  if (target === "load") checkLoadThresholds(config);
  const allOff = !config.enable_load_scaling && !config.enable_throughput_scaling;
  if (allOff && !(config.retune !== null && bothWrittenOff(config, given))) {
    failRule("At least one scaling mode must be enabled (enable_throughput_scaling or enable_load_scaling)");
  }
  if (config.enable_throughput_scaling && throughput <= 0) {
    failRule("throughput_adjustment_interval_seconds must be > 0 when throughput scaling is enabled");
  }
  const divides = (interval) => {
    const ratio = interval / config.scheduling.scale_interval_seconds;
    return Math.abs(ratio - Math.round(ratio)) <= 1e-9 && Math.round(ratio) >= 1;
  };
  if (!divides(load) || config.enable_throughput_scaling && !divides(throughput)) {
    failRule("scheduling.scale_interval_seconds must evenly divide load_adjustment_interval_seconds and, when throughput scaling is enabled, throughput_adjustment_interval_seconds");
  }
  if (config.enable_load_scaling && config.enable_throughput_scaling && load >= throughput) {
    failRule(`load_adjustment_interval_seconds (${load}s) must be shorter than throughput_adjustment_interval_seconds (${throughput}s). Load-based scaling is the fast reactive loop; throughput-based is the slow predictive loop.`);
  }
  const batch = given.batch_scheduling;
  if (isMapping(batch) && batch.enabled === true && !config.advisory) {
    failRule("batch_scheduling is not simulated; set batch_scheduling.enabled: false (or advisory: true)");
  }
}
function checkLoadThresholds(config) {
  const { mode } = config;
  const queueUp = config.prefill_scale_up_queue_tokens, queueDown = config.prefill_scale_down_queue_tokens;
  const kvUp = config.decode_scale_up_kv_rate, kvDown = config.decode_scale_down_kv_rate;
  if (mode === "disagg" || mode === "prefill") {
    if (queueUp === null || queueDown === null) {
      failRule("optimization_target='load' requires prefill_scale_up_queue_tokens and prefill_scale_down_queue_tokens for prefill scaling");
    }
    if (queueUp <= queueDown) {
      failRule("prefill_scale_up_queue_tokens must be greater than prefill_scale_down_queue_tokens");
    }
  }
  if (mode !== "prefill") {
    if (kvUp === null || kvDown === null) {
      failRule("optimization_target='load' requires decode_scale_up_kv_rate and decode_scale_down_kv_rate for decode scaling");
    }
    if (kvUp <= kvDown) failRule("decode_scale_up_kv_rate must be greater than decode_scale_down_kv_rate");
  }
}
function fail2(issues) {
  const count = issues.length === 1 ? "1 validation error" : `${issues.length} validation errors`;
  const blocks = issues.map(({ path, message }) => `${path === "" ? "" : `${path}
`}  ${message}`);
  throw new ConfigError(`${count} for PlannerConfig
${blocks.join("\n")}`, issues);
}
function failRule(message) {
  throw new ConfigError(`1 validation error for PlannerConfig
  Value error, ${message}`, [
    {
      path: "",
      message
    }
  ]);
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

// lib/planner/budget.ts
var active = (bound) => bound >= 0;
function inBand(total, tolerance, { minGpus, maxGpus }) {
  return (!active(maxGpus) || total <= maxGpus) && (!active(minGpus) || total >= minGpus - tolerance);
}
function outOfBand(totalGpus, largestCost, band) {
  return !inBand(totalGpus, active(band.minGpus) && active(band.maxGpus) ? largestCost : 0, band);
}
function clampSingle(wanted, budget) {
  const { gpus, minimum, minGpus, maxGpus } = budget;
  if (!active(minGpus) && !active(maxGpus) || gpus <= 0 || !outOfBand(wanted * gpus, gpus, budget)) return wanted;
  if (active(maxGpus) && wanted * gpus > maxGpus) {
    return maxGpus < minimum * gpus ? 0 : Math.max(minimum, Math.floor(maxGpus / gpus));
  }
  return Math.max(minimum, Math.ceil(minGpus / gpus));
}
function guardSingle(current, proposed, budget) {
  const { gpus, minGpus, maxGpus } = budget;
  const total = current * gpus;
  if (outOfBand(total, gpus, budget)) return {
    count: clampSingle(current, budget),
    reason: "gpu_budget_reconcile"
  };
  const hold = {
    count: current,
    reason: "gpu_budget_guard_hold"
  };
  if (active(minGpus) && total <= minGpus && proposed < current) return hold;
  if (active(maxGpus) && total >= maxGpus && proposed > current) return hold;
  const fitted = clampSingle(proposed, budget);
  const between = fitted >= Math.min(current, proposed) && fitted <= Math.max(current, proposed);
  return between ? {
    count: fitted,
    reason: null
  } : hold;
}
var gpuTotal = (pair, gpus) => pair.prefill * gpus.prefill + pair.decode * gpus.decode;
var equal = (a, b) => a.prefill === b.prefill && a.decode === b.decode;
var free = ({ prefill, decode }) => prefill <= 0 || decode <= 0;
function clampPair(wanted, budget) {
  const { gpus, minimum, minGpus, maxGpus } = budget;
  if (!active(minGpus) && !active(maxGpus) || free(gpus)) return wanted;
  const total = gpuTotal(wanted, gpus);
  if (!outOfBand(total, Math.max(gpus.prefill, gpus.decode), budget)) return wanted;
  if (active(maxGpus) && total > maxGpus) {
    if (maxGpus < gpuTotal(minimum, gpus)) return {
      prefill: 0,
      decode: 0
    };
    const room = Math.floor((maxGpus - minimum.decode * gpus.decode) / gpus.prefill);
    const prefill2 = Math.max(minimum.prefill, Math.min(room, Math.floor(wanted.prefill * (maxGpus / total))));
    return {
      prefill: prefill2,
      decode: Math.max(minimum.decode, Math.floor((maxGpus - prefill2 * gpus.prefill) / gpus.decode))
    };
  }
  const share = total <= 0 ? minGpus / 2 / gpus.prefill : wanted.prefill * (minGpus / total);
  const prefill = Math.max(minimum.prefill, Math.ceil(share));
  const needed2 = Math.max(minimum.decode, Math.ceil(Math.max(0, minGpus - prefill * gpus.prefill) / gpus.decode));
  const decode = Math.max(wanted.decode, needed2);
  if (!active(maxGpus) || prefill * gpus.prefill + decode * gpus.decode <= maxGpus) return {
    prefill,
    decode
  };
  return needed2 < wanted.decode ? fitTowards(wanted, {
    prefill,
    decode: needed2
  }, budget) : wanted;
}
function fitTowards(current, proposed, budget) {
  const { gpus, minimum, minGpus, maxGpus } = budget;
  if (free(gpus)) return proposed;
  const tolerance = active(minGpus) && active(maxGpus) ? Math.max(gpus.prefill, gpus.decode) : 0;
  let lowP = Math.max(minimum.prefill, Math.min(current.prefill, proposed.prefill));
  let lowD = Math.max(minimum.decode, Math.min(current.decode, proposed.decode));
  let highP = Math.max(current.prefill, proposed.prefill);
  let highD = Math.max(current.decode, proposed.decode);
  if (active(maxGpus)) {
    highP = Math.min(highP, Math.floor((maxGpus - lowD * gpus.decode) / gpus.prefill));
    highD = Math.min(highD, Math.floor((maxGpus - lowP * gpus.prefill) / gpus.decode));
  }
  if (active(minGpus)) {
    lowP = Math.max(lowP, Math.ceil((minGpus - tolerance - highD * gpus.decode) / gpus.prefill));
    lowD = Math.max(lowD, Math.ceil((minGpus - tolerance - highP * gpus.prefill) / gpus.decode));
  }
  if (lowP > highP || lowD > highD) return current;
  const reachable = proposed.prefill >= lowP && proposed.prefill <= highP && proposed.decode >= lowD && proposed.decode <= highD;
  if (reachable && inBand(gpuTotal(proposed, gpus), tolerance, budget)) return proposed;
  const stepP = proposed.prefill - current.prefill, stepD = proposed.decode - current.decode;
  const opposing = stepP * stepD < 0;
  let best = null, bestMiss = 0, bestSkew = 0, bestMoved = 0;
  for (let prefill = lowP; prefill <= highP; prefill++) {
    for (let decode = lowD; decode <= highD; decode++) {
      const movedP = Math.abs(prefill - current.prefill), movedD = Math.abs(decode - current.decode);
      if (opposing && movedP === 0 !== (movedD === 0)) continue;
      if (!inBand(prefill * gpus.prefill + decode * gpus.decode, tolerance, budget)) continue;
      const miss = Math.abs(proposed.prefill - prefill) + Math.abs(proposed.decode - decode);
      const skew = Math.abs(movedP * Math.abs(stepD) - movedD * Math.abs(stepP));
      const moved = movedP + movedD;
      const better = miss - bestMiss || skew - bestSkew || bestMoved - moved;
      if (best === null || better < 0) {
        best = {
          prefill,
          decode
        };
        bestMiss = miss, bestSkew = skew, bestMoved = moved;
      }
    }
  }
  return best ?? current;
}
function guardPair(current, proposed, budget) {
  const { gpus, minGpus, maxGpus } = budget;
  if (free(gpus)) return {
    count: clampPair(proposed, budget),
    reason: null
  };
  const tolerance = active(maxGpus) ? Math.max(gpus.prefill, gpus.decode) : 0;
  const total = gpuTotal(current, gpus);
  if (!inBand(total, tolerance, budget)) return {
    count: clampPair(current, budget),
    reason: "gpu_budget_reconcile"
  };
  const hold = {
    count: current,
    reason: "gpu_budget_guard_hold"
  };
  const down = proposed.prefill < current.prefill || proposed.decode < current.decode;
  const up = proposed.prefill > current.prefill || proposed.decode > current.decode;
  const trade = () => {
    const count2 = fitTowards(current, proposed, budget);
    return equal(count2, current) ? hold : {
      count: count2,
      reason: null
    };
  };
  if (total <= minGpus && down) return up ? trade() : hold;
  if (active(maxGpus) && total >= maxGpus && up) return down ? trade() : hold;
  const count = clampPair(proposed, budget);
  const within = (role) => count[role] >= Math.min(current[role], proposed[role]) && count[role] <= Math.max(current[role], proposed[role]);
  const fits = within("prefill") && within("decode") && inBand(gpuTotal(count, gpus), tolerance, budget);
  return fits ? {
    count,
    reason: null
  } : hold;
}
var below = (ready, minimum) => ready.prefill < minimum.prefill || ready.decode < minimum.decode;
var raised = (pair, minimum) => ({
  prefill: Math.max(pair.prefill, minimum.prefill),
  decode: Math.max(pair.decode, minimum.decode)
});
function guardPairWithRecovery(current, proposed, budget) {
  if (!below(current, budget.minimum)) return guardPair(current, proposed, budget);
  return {
    count: clampPair(raised(proposed, budget.minimum), budget),
    reason: "gpu_budget_reconcile"
  };
}
function fitUnderCeiling(current, wanted, budget) {
  const ceiling = {
    ...budget,
    minGpus: -1
  };
  if (below(current, budget.minimum)) return clampPair(raised(wanted, budget.minimum), ceiling);
  return fitTowards(current, wanted, ceiling);
}

// lib/planner/sla_scaling.ts
function idleWish(rows, { ready, minimum }) {
  if (rows.length === 0 || !rows.every(isIdle)) return null;
  return Math.max(1, minimum, ready - 1);
}
var isIdle = (row) => row.prefillRequests === 0 && row.prefillTokens === 0 && row.prefillKvTokens === 0 && row.prefillLengthVariance === 0 && row.decodeRequests === 0 && row.decodeKvTokens === 0 && row.decodeKvVariance === 0 && row.queuedPrefillRequests === 0 && row.queuedPrefillTokens === 0 && row.queuedPrefillLengthVariance === 0 && row.queuedDecodeRequests === 0 && row.queuedDecodeKvTokens === 0 && row.queuedDecodeKvVariance === 0;
var consolidation = (ready) => ready > 1 ? ready / (ready - 1) : 1;
function decide(rows, bound, { ready, minimum }, stayIfRefused, judge) {
  let canDown = ready > 1, refused = false;
  const estimates = [];
  for (const row of rows) {
    const { estimateMs: estimateMs2, fewer } = judge(row, canDown);
    if (estimateMs2 !== null) estimates.push(estimateMs2);
    if (canDown && fewer !== "fine") {
      canDown = false;
      refused = fewer === "refused";
    }
  }
  const estimateMs = estimates.length > 0 ? Math.max(...estimates) : null;
  const limitsKnown2 = true;
  if (estimateMs === null) return {
    desired: null,
    reason: "insufficient_data",
    refused,
    estimateMs,
    limitsKnown: limitsKnown2
  };
  if (estimates.every((estimate) => estimate > bound)) {
    return {
      desired: ready + 1,
      reason: "no_change",
      refused: false,
      estimateMs,
      limitsKnown: limitsKnown2
    };
  }
  if (canDown) {
    return {
      desired: Math.max(ready - 1, minimum),
      reason: "no_change",
      refused,
      estimateMs,
      limitsKnown: limitsKnown2
    };
  }
  if (!refused) return {
    desired: null,
    reason: "no_change",
    refused,
    estimateMs,
    limitsKnown: limitsKnown2
  };
  const reason = "scale_down_refused_consolidation";
  return {
    desired: stayIfRefused ? ready : null,
    reason,
    refused,
    estimateMs,
    limitsKnown: limitsKnown2
  };
}
function prefillSide(rows, context) {
  const { model, ttftMs: bound, sensitivity, kvHitRate } = context;
  const ttft = (row, queue) => model.ttftMs(row, {
    queue,
    decode: 1,
    queuedDecodesJoin: false,
    kvHitRate
  });
  const crowd = consolidation(context.ready);
  return decide(rows, bound, context, false, (row, considerFewer) => {
    const estimateMs = ttft(row, 1);
    if (!considerFewer) return {
      estimateMs,
      fewer: "unknown"
    };
    const own = ttft(row, 0);
    if (own === null) return {
      estimateMs,
      fewer: "unknown"
    };
    const room = (bound - own) * sensitivity;
    if (room <= 0) return {
      estimateMs,
      fewer: "refused"
    };
    const crowded = ttft(row, crowd);
    if (crowded === null) return {
      estimateMs,
      fewer: "unknown"
    };
    return {
      estimateMs,
      fewer: crowded - own >= room ? "refused" : "fine"
    };
  });
}
function aggregatedTtftSide(rows, context) {
  const { model, ttftMs: bound, sensitivity, kvHitRate } = context;
  const crowd = consolidation(context.ready);
  const crowded = (row, queue) => model.ttftMs(row, {
    queue,
    decode: crowd,
    queuedDecodesJoin: true,
    kvHitRate
  });
  return decide(rows, bound, context, true, (row, considerFewer) => {
    const estimateMs = model.ttftMs(row, {
      queue: 1,
      decode: 1,
      queuedDecodesJoin: false,
      kvHitRate
    });
    if (!considerFewer) return {
      estimateMs,
      fewer: "unknown"
    };
    const own = crowded(row, 0), after = crowded(row, crowd);
    if (own === null || after === null) return {
      estimateMs,
      fewer: "unknown"
    };
    const room = (bound - own) * sensitivity;
    return {
      estimateMs,
      fewer: room <= 0 || after - own >= room ? "refused" : "fine"
    };
  });
}
function decodeSide(rows, context, { aggregated }) {
  const { model, itlMs: bound, sensitivity, maxKvTokens, acceptLength } = context;
  const crowd = consolidation(context.ready);
  const itl = (row, scale, queuedPrefillsToo) => {
    const ms = model.decodeMs(row, {
      scale,
      queuedPrefillsToo
    });
    return ms === null ? null : ms / acceptLength;
  };
  return decide(rows, bound, context, aggregated, (row, considerFewer) => {
    const estimateMs = itl(row, 1, false);
    if (!considerFewer) return {
      estimateMs,
      fewer: "unknown"
    };
    const prompts = aggregated ? row.queuedPrefillTokens : 0;
    const kv = Math.trunc((row.decodeKvTokens + row.queuedDecodeKvTokens + prompts) * crowd);
    if (maxKvTokens !== null && kv >= maxKvTokens) return {
      estimateMs,
      fewer: "refused"
    };
    const crowded = itl(row, crowd, aggregated);
    if (crowded === null) return {
      estimateMs,
      fewer: "unknown"
    };
    return {
      estimateMs,
      fewer: crowded >= bound * sensitivity ? "refused" : "fine"
    };
  });
}

// lib/planner/threshold_scaling.ts
function thresholds(side, target, config) {
  const reaches = (bound) => (value) => value >= bound;
  const atMost = (bound) => (value) => value <= bound;
  const exceeds = (bound) => (value) => value > bound;
  const below2 = (bound) => (value) => value < bound;
  if (target === "load") {
    const queue = side === "prefill";
    const up = queue ? config.prefill_scale_up_queue_tokens : config.decode_scale_up_kv_rate / 100;
    const down = queue ? config.prefill_scale_down_queue_tokens : config.decode_scale_down_kv_rate / 100;
    return {
      up: reaches(up),
      down: atMost(down),
      upAt: up
    };
  }
  if (side === "prefill") {
    return target === "latency" ? {
      up: reaches(0.1),
      down: atMost(0),
      upAt: 0.1
    } : {
      up: reaches(1),
      down: below2(0.1),
      upAt: 1
    };
  }
  return target === "latency" ? {
    up: exceeds(0.4),
    down: below2(0.1),
    upAt: 0.4
  } : {
    up: exceeds(1),
    down: below2(0.6),
    upAt: 1
  };
}
function weigh(side, target, engine) {
  if (side === "prefill") {
    if (target === "load") return (row) => row.queuedPrefillTokens;
    const limit2 = engine.contextTokens;
    return limit2 !== null && limit2 > 0 ? (row) => row.queuedPrefillTokens / limit2 : null;
  }
  const limit = engine.maxKvTokens;
  if (limit === null || limit <= 0) return null;
  const prompts = side === "aggregated" ? 1 : 0;
  return (row) => (row.decodeKvTokens + row.queuedDecodeKvTokens + prompts * row.queuedPrefillTokens) / limit;
}
function thresholdSide(side, rows, { config, engine, ready, minimum }) {
  const target = config.optimization_target;
  const weight = weigh(side, target, engine);
  const none = {
    desired: null,
    refused: false,
    estimateMs: null,
    limitsKnown: weight !== null
  };
  if (side === "prefill" && ready === 0) return {
    ...none,
    reason: "insufficient_data",
    limitsKnown: null
  };
  if (weight === null) return {
    ...none,
    reason: "missing_engine_metadata"
  };
  if (ready === 0) return {
    ...none,
    reason: "insufficient_data"
  };
  const { up, down, upAt } = thresholds(side, target, config);
  const values = rows.map(weight);
  const decided2 = (desired) => ({
    ...none,
    desired,
    reason: "no_change"
  });
  if (values.some(up)) return decided2(ready + 1);
  if (ready > 1 && values.every(down)) {
    const fewer = Math.max(ready - 1, minimum, 1);
    const flaps = fewer < ready && Math.max(...values) * ready / fewer >= upAt;
    return decided2(flaps ? ready : fewer);
  }
  return {
    ...none,
    reason: "no_change"
  };
}

// lib/planner/load_scaling.ts
var unsettled = ({ ready, expected, inProgress }) => inProgress || ready !== expected;
function covered(rows, ready) {
  const ranks = /* @__PURE__ */ new Map();
  for (const { workerId } of rows) ranks.set(workerId, (ranks.get(workerId) ?? 0) + 1);
  const counts = new Set(ranks.values());
  return ranks.size === ready && counts.size <= 1;
}
function proposeLoad(input) {
  return input.config.mode === "agg" ? proposeAggregated(input) : proposeDisaggregated(input);
}
function slaContext(input, model, role) {
  const { config } = input;
  return {
    model,
    ready: input.counts[role].ready,
    minimum: input.budget.minimum[role],
    ttftMs: config.ttft_ms,
    itlMs: config.itl_ms,
    sensitivity: config.load_scaling_down_sensitivity / 100,
    maxKvTokens: input.engines[role]?.maxKvTokens ?? null,
    kvHitRate: input.kvHitRate,
    acceptLength: input.acceptLength
  };
}
function proposeAggregated(input) {
  const { config, engines, counts, models, floors } = input;
  const { ready } = counts.decode;
  const without = (reason2, limitsKnown2 = {}) => ({
    counts: null,
    reason: reason2,
    roleReasons: null,
    estimatedTtftMs: null,
    estimatedItlMs: null,
    limitsKnown: limitsKnown2
  });
  const rows = input.rows.decode;
  const gate = !rows ? "no_fpm_data" : unsettled(counts.decode) ? "scaling_in_progress" : covered(rows, ready) ? null : "worker_count_mismatch";
  if (!rows || gate) return without(gate ?? "no_fpm_data");
  const minimum = input.budget.minimum.decode;
  const budget = {
    ...input.budget,
    gpus: input.budget.gpus.decode,
    minimum
  };
  const sla = config.optimization_target === "sla";
  const idle = sla ? idleWish(rows, {
    ready,
    minimum
  }) : null;
  let wish, refused = false;
  let estimates = without("no_change");
  if (idle !== null) {
    wish = idle;
  } else if (sla) {
    const model = models.decode;
    const limited = engines.decode.maxBatchedTokens !== null;
    const limitsKnown2 = {
      decode: limited && model !== null
    };
    if (!model?.ready) {
      return without(limitsKnown2.decode ? "insufficient_data" : "missing_engine_metadata", limitsKnown2);
    }
    const context = slaContext(input, model, "decode");
    const prompts = limited ? aggregatedTtftSide(rows, context) : unlimited;
    const tokens = decodeSide(rows, context, {
      aggregated: true
    });
    const roleReasons = limited ? null : {
      prefill: null,
      decode: prompts.reason
    };
    estimates = {
      estimatedTtftMs: prompts.estimateMs,
      estimatedItlMs: tokens.estimateMs,
      limitsKnown: limitsKnown2,
      roleReasons
    };
    wish = combine(prompts.desired, tokens.desired, ready);
    refused = prompts.refused || tokens.refused;
  } else {
    const side = thresholdSide("aggregated", rows, {
      config,
      engine: engines.decode,
      ready,
      minimum
    });
    const limitsKnown2 = {
      decode: side.limitsKnown ?? false
    };
    if (side.desired === null) return without(side.reason, limitsKnown2);
    estimates = {
      ...estimates,
      limitsKnown: limitsKnown2
    };
    wish = side.desired;
  }
  const floor = sla && config.enable_throughput_scaling ? floors.decode : 0;
  const raised2 = Math.max(wish, minimum, floor);
  const { count, reason: guard } = guardSingle(ready, raised2, budget);
  const capped = count > wish && wish < ready;
  let reason;
  if (count < ready) reason = capped ? "scale_down_capped_by_throughput" : "scale_down";
  else if (count > ready) reason = "scale_up";
  else if (!sla || idle !== null) reason = "no_change";
  else if (capped) reason = "scale_down_capped_by_throughput";
  else reason = refused ? "scale_down_refused_consolidation" : "no_change";
  return {
    ...estimates,
    counts: count === ready ? null : {
      prefill: null,
      decode: count
    },
    reason: guard ?? reason
  };
}
function combine(prompts, tokens, ready) {
  if (prompts !== null && prompts > ready) return prompts;
  if (tokens !== null && tokens > ready) return tokens;
  if (prompts === null && tokens !== null && tokens < ready) return tokens;
  if (prompts !== null && tokens !== null && prompts < ready && tokens < ready) return Math.max(prompts, tokens);
  return ready;
}
var IMPORTANCE = [
  "scale_up",
  "scale_down_capped_by_throughput",
  "scale_down",
  "no_change"
];
var noWish = {
  desired: null,
  reason: "no_change",
  refused: false,
  estimateMs: null,
  limitsKnown: null
};
var unknown2 = {
  ...noWish,
  reason: "insufficient_data",
  limitsKnown: true
};
var unlimited = {
  ...noWish,
  reason: "missing_engine_metadata",
  limitsKnown: false
};
function proposeDisaggregated(input) {
  const { config, counts, rows, floors, budget } = input;
  const ready = {
    prefill: counts.prefill.ready,
    decode: counts.decode.ready
  };
  const gate = !rows.prefill && !rows.decode ? "no_fpm_data" : unsettled(counts.prefill) || unsettled(counts.decode) ? "scaling_in_progress" : rows.prefill && !covered(rows.prefill, ready.prefill) || rows.decode && !covered(rows.decode, ready.decode) ? "worker_count_mismatch" : null;
  if (gate) {
    const roleReasons2 = {
      prefill: gate,
      decode: gate
    };
    return {
      counts: null,
      reason: gate,
      roleReasons: roleReasons2,
      estimatedTtftMs: null,
      estimatedItlMs: null,
      limitsKnown: {}
    };
  }
  const sides = {
    prefill: sideOf("prefill", input),
    decode: sideOf("decode", input)
  };
  const estimates = {
    estimatedTtftMs: sides.prefill.estimateMs,
    estimatedItlMs: sides.decode.estimateMs
  };
  const wish = {
    prefill: sides.prefill.desired ?? ready.prefill,
    decode: sides.decode.desired ?? ready.decode
  };
  const withFloors = config.optimization_target === "sla" && config.enable_throughput_scaling;
  const floored = withFloors ? atLeast(wish, floors) : wish;
  const raisedBy = {
    prefill: floored.prefill > wish.prefill,
    decode: floored.decode > wish.decode
  };
  let wanted = atLeast(floored, budget.minimum);
  if (raisedBy.prefill || raisedBy.decode) wanted = fitUnderCeiling(ready, wanted, budget);
  const { count, reason: guard } = guardPairWithRecovery(ready, wanted, budget);
  const roleReason = (role) => {
    if (sides[role].reason === "missing_engine_metadata") return "missing_engine_metadata";
    if (count[role] > ready[role]) return "scale_up";
    if (raisedBy[role] && wish[role] < ready[role]) return "scale_down_capped_by_throughput";
    return count[role] < ready[role] ? "scale_down" : "no_change";
  };
  const roleReasons = {
    prefill: roleReason("prefill"),
    decode: roleReason("decode")
  };
  let reason = IMPORTANCE.find((each) => each === roleReasons.prefill || each === roleReasons.decode) ?? "missing_engine_metadata";
  const changed = count.prefill !== ready.prefill || count.decode !== ready.decode;
  if (!changed) {
    let first = null;
    for (const role of [
      "prefill",
      "decode"
    ]) {
      if (sides[role].reason === "no_change") continue;
      roleReasons[role] = sides[role].reason;
      first ??= sides[role].reason;
    }
    reason = first ?? reason;
  }
  const limitsKnown2 = {};
  for (const role of [
    "prefill",
    "decode"
  ]) {
    const known = sides[role].limitsKnown;
    if (known !== null) limitsKnown2[role] = known;
  }
  return {
    counts: changed ? count : null,
    reason: guard ?? reason,
    roleReasons,
    ...estimates,
    limitsKnown: limitsKnown2
  };
}
var atLeast = (pair, least) => ({
  prefill: Math.max(pair.prefill, least.prefill),
  decode: Math.max(pair.decode, least.decode)
});
function sideOf(role, input) {
  const rows = input.rows[role];
  if (!rows) return noWish;
  const engine = input.engines[role];
  const { ready } = input.counts[role];
  if (input.config.optimization_target !== "sla") {
    return thresholdSide(role, rows, {
      config: input.config,
      engine,
      ready,
      minimum: input.budget.minimum[role]
    });
  }
  const idle = idleWish(rows, {
    ready,
    minimum: input.budget.minimum[role]
  });
  if (idle !== null) return {
    ...noWish,
    desired: idle
  };
  const model = input.models[role];
  const limitsKnown2 = model !== null && !(role === "prefill" && engine.maxBatchedTokens === null);
  if (!model?.ready) return limitsKnown2 ? unknown2 : unlimited;
  if (ready === 0) return {
    ...unknown2,
    limitsKnown: limitsKnown2
  };
  if (!limitsKnown2) return unlimited;
  const context = slaContext(input, model, role);
  return role === "prefill" ? prefillSide(rows, context) : decodeSide(rows, context, {
    aggregated: false
  });
}

// lib/planner/listener.ts
function noFindings(floors) {
  return {
    estimatedTtftMs: null,
    estimatedItlMs: null,
    forecast: null,
    requestsPerSecond: {
      prefill: null,
      decode: null
    },
    floors: {
      ...floors
    },
    loadReason: null,
    loadReasons: {
      prefill: null,
      decode: null
    },
    throughputReason: null,
    throughputReasons: {
      prefill: null,
      decode: null
    },
    loadLimitsKnown: {},
    throughputLimitsKnown: {}
  };
}

// lib/planner/model/capacity.ts
var MOST_CANDIDATES = 128;
function* batchSizes(largest2) {
  if (largest2 <= MOST_CANDIDATES) {
    for (let size = 1; size <= largest2; size++) yield size;
  } else {
    for (let i = 0; i < MOST_CANDIDATES; i++) yield 1 + Math.floor(i * (largest2 - 1) / (MOST_CANDIDATES - 1));
  }
}
function engineCapacity(role, estimator, limits, question) {
  const { inputTokens, outputTokens } = question;
  if (!(inputTokens > 0) || role !== "prefill" && !(outputTokens > 0)) return null;
  const input = Math.ceil(inputTokens);
  const shape = {
    output: Math.max(1, Math.ceil(outputTokens)),
    computed: Math.max(1, Math.ceil(input * missShare(question.kvHitRate))),
    context: 0,
    accept: Math.max(1, question.acceptLength)
  };
  shape.context = Math.max(1, input + Math.floor(shape.output / 2));
  const points = {
    prefill: prefillPoint,
    decode: decodePoint,
    aggregated: aggregatedPoint
  };
  const largest2 = largestBatch(role, limits, shape);
  let best = null;
  for (const batch of batchSizes(largest2)) {
    const point = points[role](estimator, limits, shape, batch, question);
    if (point === "unavailable") return null;
    if (point === null) continue;
    const better = best === null || point.eligible && !best.eligible || point.eligible === best.eligible && point.requestsPerSecond > best.requestsPerSecond;
    if (better) best = point;
  }
  return best;
}
function largestBatch(role, limits, { computed, context }) {
  const { maxBatchedTokens, maxSequences, maxKvTokens } = limits;
  if (role === "prefill") {
    return computed > maxBatchedTokens ? 1 : Math.min(maxSequences, Math.floor(maxBatchedTokens / computed));
  }
  const decode = Math.min(maxSequences, Math.floor(maxKvTokens / context));
  if (role === "decode") return decode;
  return maxBatchedTokens <= 1 ? 0 : Math.min(decode, Math.max(1, maxBatchedTokens - 1));
}
var ALONE = {
  prefillRequests: 1,
  decodeRequests: 0,
  decodeKvTokens: 0
};
function prefillPoint(estimator, { maxBatchedTokens }, { computed }, batch, { ttftMs: bound }) {
  const seconds = chunkedSeconds(estimator, computed * batch, maxBatchedTokens, ALONE);
  if (seconds === null) return "unavailable";
  if (seconds <= 0) return null;
  const ttftMs = seconds * 1e3;
  return {
    requestsPerSecond: batch / seconds,
    ttftMs,
    itlMs: null,
    e2eMs: ttftMs,
    eligible: ttftMs <= bound
  };
}
function decodePoint(estimator, _limits, { output, context, accept }, batch, { itlMs: bound }) {
  const seconds = passSeconds(estimator, {
    prefillRequests: 0,
    prefillTokens: 0,
    prefillKvTokens: 0,
    decodeRequests: batch,
    decodeKvTokens: batch * context
  });
  if (seconds === null) return "unavailable";
  if (seconds <= 0) return null;
  const itl = seconds / accept;
  const itlMs = itl * 1e3;
  return {
    requestsPerSecond: batch / (output * itl),
    ttftMs: null,
    itlMs,
    e2eMs: null,
    eligible: itlMs <= bound
  };
}
function aggregatedPoint(estimator, { maxBatchedTokens }, { output, computed, context, accept }, batch, { ttftMs: ttftBound, itlMs: itlBound }) {
  const prompts = Math.ceil(batch * accept * computed / output);
  if (prompts > maxBatchedTokens - batch) return null;
  const decodeKvTokens = batch * context;
  const seconds = passSeconds(estimator, {
    prefillRequests: 1,
    prefillTokens: Math.min(maxBatchedTokens, prompts),
    prefillKvTokens: 0,
    decodeRequests: batch,
    decodeKvTokens
  });
  if (seconds === null) return "unavailable";
  if (seconds <= 0) return null;
  const beside = {
    prefillRequests: 1,
    decodeRequests: batch,
    decodeKvTokens
  };
  const wait = chunkedSeconds(estimator, prompts + computed, maxBatchedTokens, beside);
  if (wait === null) return "unavailable";
  const itl = seconds / accept;
  const ttftMs = wait * 1e3, itlMs = itl * 1e3;
  return {
    requestsPerSecond: batch / (output * itl),
    ttftMs,
    itlMs,
    e2eMs: ttftMs + itlMs * (output - 1),
    eligible: ttftMs <= ttftBound && itlMs <= itlBound
  };
}

// lib/planner/model/load_queries.ts
var whole = (x) => Math.max(0, Math.ceil(x));
function queuedPrefillSeconds({ role, estimator, maxBatchedTokens, meanInputTokens }, row, { queue, decode, queuedDecodesJoin, kvHitRate }) {
  if (role === "decode") return null;
  let tokens = row.queuedPrefillTokens * queue, requests = row.queuedPrefillRequests * queue;
  if (meanInputTokens > 0) {
    tokens += meanInputTokens;
    requests += 1;
  }
  const joining = queuedDecodesJoin ? 1 : 0;
  const decodes = whole((row.decodeRequests + joining * row.queuedDecodeRequests) * decode);
  const decodeKv = whole((row.decodeKvTokens + joining * row.queuedDecodeKvTokens) * decode);
  const mixed = role === "aggregated";
  return chunkedSeconds(estimator, whole(tokens * missShare(kvHitRate)), maxBatchedTokens, {
    prefillRequests: Math.max(1, whole(requests)),
    decodeRequests: mixed ? decodes : 0,
    decodeKvTokens: mixed ? decodeKv : 0
  });
}
function decodeIterationSeconds({ role, estimator, meanDecodeTokens, typicalPrefill }, row, { scale, queuedPrefillsToo }) {
  if (role === "prefill") return null;
  const coming = queuedPrefillsToo ? 1 : 0;
  let kv = (row.decodeKvTokens + row.queuedDecodeKvTokens + coming * row.queuedPrefillTokens) * scale;
  let requests = (row.decodeRequests + row.queuedDecodeRequests + coming * row.queuedPrefillRequests) * scale;
  if (meanDecodeTokens > 0) {
    kv += meanDecodeTokens;
    requests += 1;
  }
  const mixed = role === "aggregated";
  return passSeconds(estimator, {
    prefillRequests: mixed ? typicalPrefill.requests : 0,
    prefillTokens: mixed ? typicalPrefill.tokens : 0,
    prefillKvTokens: 0,
    decodeRequests: whole(requests),
    decodeKvTokens: whole(kv)
  });
}

// lib/planner/model/moving_average.ts
var MovingAverage = class {
  #capacity;
  #values = [];
  #sum = 0;
  constructor(capacity) {
    this.#capacity = capacity;
  }
  /** Takes a value. */
  add(value) {
    if (this.#values.length === 0 && !(value > 0)) return;
    this.#sum += value;
    this.#values.push(value);
    if (this.#values.length > this.#capacity) this.#sum -= this.#values.shift();
  }
  /** The mean. */
  get mean() {
    return this.#values.length === 0 ? 0 : this.#sum / this.#values.length;
  }
};

// lib/planner/model/sample_store.ts
var Axis = class {
  low;
  high;
  constructor(low = Infinity, high = -Infinity) {
    this.low = low;
    this.high = high;
  }
  /** Whether the bounds had to grow. */
  include(z) {
    const grows = z < this.low || z > this.high;
    this.low = Math.min(this.low, z);
    this.high = Math.max(this.high, z);
    return grows;
  }
  bin(z, bins) {
    if (this.high <= this.low) return 0;
    return Math.min(bins - 1, Math.max(0, Math.trunc((z - this.low) / (this.high - this.low) * bins)));
  }
};
var SampleStore = class _SampleStore {
  #options;
  #axes = [
    new Axis(),
    new Axis()
  ];
  /** Bins that hold something, in the order in which they began to. */
  #bins = [];
  #byKey = /* @__PURE__ */ new Map();
  #size = 0;
  #arrivals = 0;
  constructor(options) {
    this.#options = options;
  }
  /** The same samples, which go on by themselves. A choice of ties that is drawn goes on in common. */
  clone() {
    const clone = new _SampleStore(this.#options), [first, second] = this.#axes;
    clone.#axes = [
      new Axis(first.low, first.high),
      new Axis(second.low, second.high)
    ];
    for (const { key, samples } of this.#bins) clone.#open(key, samples.slice());
    clone.#size = this.#size;
    clone.#arrivals = this.#arrivals;
    return clone;
  }
  /** Samples held. */
  get size() {
    return this.#size;
  }
  /** Takes a sample and drops one when there are too many. */
  add(sample) {
    const { x1, x2, y } = sample;
    const stored = {
      x1,
      x2,
      y,
      z1: Math.log(1 + x1),
      z2: Math.log(1 + x2),
      order: this.#arrivals++
    };
    const grown1 = this.#axes[0].include(stored.z1), grown2 = this.#axes[1].include(stored.z2);
    if ((grown1 || grown2) && this.#size > 0) this.#rebin();
    this.#put(stored);
    this.#size++;
    if (this.#size > this.#options.capacity) this.#dropOne();
  }
  /** Writes the samples, bin by bin, into columns at least `size` long. */
  copyTo(columns) {
    let at = 0;
    for (const { samples } of this.#bins) {
      for (let i = 0; i < samples.length; i++, at++) {
        columns.x1[at] = samples[i].x1;
        columns.x2[at] = samples[i].x2;
        columns.y[at] = samples[i].y;
      }
    }
  }
  #put(sample) {
    const count = this.#options.binsPerAxis;
    const key = this.#axes[0].bin(sample.z1, count) * count + this.#axes[1].bin(sample.z2, count);
    const bin = this.#byKey.get(key);
    if (bin) bin.samples.push(sample);
    else this.#open(key, [
      sample
    ]);
  }
  #open(key, samples) {
    const bin = {
      key,
      samples
    };
    this.#bins.push(bin);
    this.#byKey.set(key, bin);
  }
  #rebin() {
    const bins = this.#bins, { random } = this.#options;
    if (random) shuffle(bins, random);
    else bins.sort((a, b) => a.samples[0].order - b.samples[0].order);
    this.#bins = [];
    this.#byKey = /* @__PURE__ */ new Map();
    for (const { samples } of bins) for (const sample of samples) this.#put(sample);
  }
  #dropOne() {
    const { random } = this.#options;
    const { key, samples } = random === void 0 ? this.#firstOfFullest() : this.#drawnOfFullest(random);
    samples.shift();
    if (samples.length === 0) {
      this.#bins.splice(this.#bins.findIndex((bin) => bin.key === key), 1);
      this.#byKey.delete(key);
    }
    this.#size--;
  }
  /** Of the fullest bins the one whose front sample arrived first. */
  #firstOfFullest() {
    const bins = this.#bins;
    let chosen = bins[0];
    for (let i = 1; i < bins.length; i++) {
      const { samples } = bins[i], lead = samples.length - chosen.samples.length;
      if (lead > 0 || lead === 0 && samples[0].order < chosen.samples[0].order) chosen = bins[i];
    }
    return chosen;
  }
  #drawnOfFullest(random) {
    let fullest = [];
    for (const bin of this.#bins) {
      const lead = bin.samples.length - (fullest[0]?.samples.length ?? 0);
      if (lead > 0) fullest = [
        bin
      ];
      else if (lead === 0) fullest.push(bin);
    }
    return fullest[Math.floor(random() * fullest.length)];
  }
};
function shuffle(items, random) {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [
      items[j],
      items[i]
    ];
  }
}

// lib/planner/model/regression.ts
var SMALLEST_MS = 1e-6;
var CONSTANT = 1e-12;
var SMALLEST_PIVOT = 1e-12;
var RIDGE = 1e-9;
var SAME_ERROR = 1e-12;
var MOST_WAITING = 256;
var FittedStore = class {
  #samples;
  #minimum;
  /** Samples that came since the fit, and what there was before them. */
  #waiting = [];
  #before;
  #most;
  #columns = {
    x1: new Float64Array(0),
    x2: new Float64Array(0),
    y: new Float64Array(0)
  };
  #fit = null;
  constructor(settings, random) {
    this.#samples = this.#before = new SampleStore({
      capacity: settings.max_num_fpm_samples,
      binsPerAxis: Math.round(Math.sqrt(settings.fpm_sample_bucket_size)),
      random
    });
    this.#minimum = settings.load_min_observations;
    this.#most = random === void 0 ? MOST_WAITING : 1;
  }
  get size() {
    return this.#samples.size;
  }
  get ready() {
    return this.#fitted() !== null;
  }
  add(sample) {
    if (this.#waiting.length === 0 && this.#most > 1) this.#before = this.#samples.clone();
    this.#waiting.push(sample);
    this.#samples.add(sample);
    if (this.#waiting.length === this.#most) this.#fitted();
  }
  #fitted() {
    const waiting = this.#waiting;
    if (waiting.length === 0) return this.#fit;
    this.#waiting = [];
    if (this.#take(this.#samples) || waiting.length === 1) return this.#fit;
    for (const sample of waiting) {
      this.#before.add(sample);
      this.#take(this.#before);
    }
    return this.#fit;
  }
  /** Takes the fit that samples allow; false when they allow none. */
  #take(samples) {
    if (samples.size < this.#minimum) return false;
    const fitted = fit(this.#copied(samples), samples.size);
    if (fitted !== null && !fitted.usable) return false;
    this.#fit = fitted && fitted.fit;
    return true;
  }
  #copied(samples) {
    const { size } = samples;
    if (this.#columns.y.length < size) {
      const column = () => new Float64Array(Math.max(2 * size, 64));
      this.#columns = {
        x1: column(),
        x2: column(),
        y: column()
      };
    }
    samples.copyTo(this.#columns);
    return this.#columns;
  }
  estimate(x1, x2) {
    const fit2 = this.#fitted();
    if (fit2 === null) return null;
    const { intercept, mean, deviation, slope } = fit2;
    let value = intercept;
    if (slope[0] !== 0) value += slope[0] * ((x1 - mean[0]) / deviation[0]);
    if (slope[1] !== 0) value += slope[1] * ((x2 - mean[1]) / deviation[1]);
    return Math.max(SMALLEST_MS, value);
  }
};
function fit({ x1, x2, y }, n) {
  let s1 = 0, s2 = 0, sy = 0;
  for (let i = 0; i < n; i++) s1 += x1[i], s2 += x2[i], sy += y[i];
  const m1 = s1 / n, m2 = s2 / n, my = sy / n;
  let c11 = 0, c22 = 0, c12 = 0, c1y = 0, c2y = 0, total = 0;
  for (let i = 0; i < n; i++) {
    const d1 = x1[i] - m1, d2 = x2[i] - m2, dy = y[i] - my;
    c11 += d1 * d1, c22 += d2 * d2, c12 += d1 * d2, c1y += d1 * dy, c2y += d2 * dy, total += dy * dy;
  }
  const deviation = [
    Math.sqrt(c11 / n),
    Math.sqrt(c22 / n)
  ];
  const active2 = [
    deviation[0] > CONSTANT * Math.max(1, Math.abs(m1)),
    deviation[1] > CONSTANT * Math.max(1, Math.abs(m2))
  ];
  if (!active2[0] && !active2[1]) return null;
  const own = n, cross = active2[0] && active2[1] ? c12 / (deviation[0] * deviation[1]) : 0;
  const with1 = active2[0] ? c1y / deviation[0] : 0, with2 = active2[1] ? c2y / deviation[1] : 0;
  const slope = [
    0,
    0
  ];
  let least = total;
  const consider = (slope1, slope2) => {
    if (slope1 < 0 || slope2 < 0) return;
    let error = 0;
    const by1 = slope1 === 0 ? 1 : deviation[0], by2 = slope2 === 0 ? 1 : deviation[1];
    for (let i = 0; i < n; i++) {
      const residual = y[i] - (my + slope1 * ((x1[i] - m1) / by1) + slope2 * ((x2[i] - m2) / by2));
      error += residual * residual;
    }
    if (!(error < least - SAME_ERROR * total)) return;
    least = error;
    slope[0] = slope1;
    slope[1] = slope2;
  };
  if (active2[0]) consider(with1 / own, 0);
  if (active2[1]) consider(0, with2 / own);
  if (active2[0] && active2[1]) {
    const [slope1, slope2] = solvePair(own, cross, with1, with2);
    consider(slope1, slope2);
  }
  const activeCount = (active2[0] ? 1 : 0) + (active2[1] ? 1 : 0);
  const usable = slope[0] !== 0 || slope[1] !== 0 || n <= activeCount;
  return {
    fit: {
      intercept: my,
      mean: [
        m1,
        m2
      ],
      deviation,
      slope
    },
    usable
  };
}
function solvePair(own, cross, with1, with2) {
  let diagonal = own;
  if (Math.abs(own - cross * cross / own) < SMALLEST_PIVOT) diagonal += RIDGE * Math.max(1, 2 * own);
  const pivot = diagonal - cross * cross / diagonal;
  const second = (with2 - cross / diagonal * with1) / pivot;
  return [
    (with1 - cross * second) / diagonal,
    second
  ];
}
function attentionPairs({ prefillRequests: requests, prefillTokens: tokens, prefillKvTokens: cached }) {
  if (tokens === 0 || requests === 0) return 0;
  return cached * tokens / requests + tokens * tokens / (2 * requests) + tokens / 2;
}
function invalidPass(role, pass) {
  const problem = (text2) => `invalid forward pass metrics: ${text2}`;
  if (role === "prefill" && (pass.decodeRequests > 0 || pass.decodeKvTokens > 0)) {
    return problem("prefill regression worker received scheduled decode work");
  }
  if (role === "decode" && pass.prefillTokens > 0) {
    return problem("decode regression worker received scheduled prefill work");
  }
  if (pass.prefillRequests === 0 && (pass.prefillTokens > 0 || pass.prefillKvTokens > 0)) {
    return problem("scheduled prefill tokens without a prefill request");
  }
  if (pass.decodeRequests === 0 && pass.decodeKvTokens > 0) {
    return problem("scheduled decode tokens without a decode request");
  }
  return null;
}
var PassRegression = class {
  #role;
  /** By kind of pass: prefill only, decode only, both. */
  #stores;
  constructor(role, settings, options = {}) {
    this.#role = role;
    const store = () => new FittedStore(settings, options.random);
    this.#stores = {
      prefill: store(),
      decode: store(),
      mixed: store()
    };
  }
  /** Samples held. */
  get size() {
    return this.#stores.prefill.size + this.#stores.decode.size + this.#stores.mixed.size;
  }
  /** Whether any kind of pass can be estimated. */
  get ready() {
    return this.#stores.prefill.ready || this.#stores.decode.ready || this.#stores.mixed.ready;
  }
  /**
   * Learns one pass; passes without work or without a time teach nothing.
   *
   * @returns why the pass was refused, or null
   */
  observe(pass, wallTimeS) {
    const problem = invalidPass(this.#role, pass);
    if (problem) return problem;
    const store = this.#storeOf(pass);
    if (store && wallTimeS > 0) {
      const { x1, x2 } = features(this.#role, pass);
      store.add({
        x1,
        x2,
        y: wallTimeS * 1e3
      });
    }
    return null;
  }
  estimateMs(pass) {
    if (invalidPass(this.#role, pass)) return null;
    const store = this.#storeOf(pass);
    if (!store) return 0;
    const { x1, x2 } = features(this.#role, pass);
    return store.estimate(x1, x2);
  }
  #storeOf({ prefillTokens, decodeRequests }) {
    if (prefillTokens > 0) return decodeRequests > 0 ? this.#stores.mixed : this.#stores.prefill;
    return decodeRequests > 0 ? this.#stores.decode : null;
  }
};
function features(role, pass) {
  if (role === "decode") return {
    x1: pass.decodeKvTokens,
    x2: pass.decodeRequests
  };
  const cached = pass.prefillTokens > 0 ? pass.prefillKvTokens : 0;
  const attention = cached + attentionPairs(pass);
  if (role === "prefill") return {
    x1: attention,
    x2: pass.prefillTokens
  };
  return {
    x1: attention + pass.decodeKvTokens,
    x2: pass.prefillTokens + pass.decodeRequests
  };
}

// lib/planner/model/performance_model.ts
var DEFAULT_LIMITS = {
  maxBatchedTokens: 8192,
  maxSequences: 512,
  maxKvTokens: 2e6
};
var PerformanceModel = class _PerformanceModel {
  #role;
  #limits;
  #regression;
  #inputTokens;
  #decodeTokens;
  #prefillRequests;
  #prefillTokens;
  constructor(limits, { role, settings, random }) {
    this.#role = role;
    this.#limits = limits;
    this.#regression = new PassRegression(role, settings, {
      random
    });
    const average = () => new MovingAverage(settings.max_num_fpm_samples);
    this.#inputTokens = average();
    this.#decodeTokens = average();
    this.#prefillRequests = average();
    this.#prefillTokens = average();
  }
  /** A model without experience; null when a limit of the engine leaves nothing to model. */
  static create(options) {
    const limits = {
      maxBatchedTokens: options.limits.maxBatchedTokens ?? DEFAULT_LIMITS.maxBatchedTokens,
      maxSequences: options.limits.maxSequences ?? DEFAULT_LIMITS.maxSequences,
      maxKvTokens: options.limits.maxKvTokens ?? DEFAULT_LIMITS.maxKvTokens
    };
    if (limits.maxBatchedTokens <= 0 || limits.maxSequences <= 0 || limits.maxKvTokens <= 0) return null;
    return new _PerformanceModel(limits, options);
  }
  /** Whether any kind of pass can be estimated. */
  get ready() {
    return this.#regression.ready;
  }
  /**
   * Learns the rows of a tick, in the order their ranks first appeared.
   *
   * @returns why a row was refused (the rows before it are kept), or null
   */
  observe(rows) {
    for (const row of rows) {
      this.#inputTokens.add(row.prefillRequests > 0 ? row.prefillTokens / row.prefillRequests : 0);
      if (row.decodeRequests > 0) this.#decodeTokens.add(row.decodeKvTokens / row.decodeRequests);
    }
    const ordered = orderedByWorker(rows);
    for (const row of ordered) {
      const problem = this.#regression.observe(row, row.wallTimeS);
      if (problem) return problem;
    }
    for (const row of ordered) {
      this.#prefillRequests.add(row.prefillRequests);
      this.#prefillTokens.add(row.prefillTokens);
    }
    return null;
  }
  /** Milliseconds a prompt would wait at a rank; see `queuedPrefillSeconds`. */
  ttftMs(row, options) {
    const seconds = queuedPrefillSeconds(this.#context(), row, options);
    return seconds === null ? null : seconds * 1e3;
  }
  /** Milliseconds of a decode iteration at a rank; see `decodeIterationSeconds`. */
  decodeMs(row, options) {
    const seconds = decodeIterationSeconds(this.#context(), row, options);
    return seconds === null ? null : seconds * 1e3;
  }
  /** Requests a second one engine serves; null while the model cannot tell. */
  capacity(question) {
    return engineCapacity(this.#role, this.#regression, this.#limits, question);
  }
  #context() {
    const tokens = Math.ceil(this.#prefillTokens.mean);
    return {
      role: this.#role,
      estimator: this.#regression,
      maxBatchedTokens: this.#limits.maxBatchedTokens,
      meanInputTokens: this.#inputTokens.mean,
      meanDecodeTokens: this.#decodeTokens.mean,
      typicalPrefill: {
        requests: Math.max(Math.ceil(this.#prefillRequests.mean), tokens > 0 ? 1 : 0),
        tokens
      }
    };
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

// lib/planner/projection.ts
var AGGREGATED = [
  "decode"
];
var NOBODY = [];
function project(proposed, counts, budget, aggregated) {
  const ready = {
    prefill: counts.prefill.ready,
    decode: counts.decode.ready
  };
  const wanted = {
    prefill: proposed.prefill ?? ready.prefill,
    decode: proposed.decode ?? ready.decode
  };
  const raised2 = {
    prefill: false,
    decode: false
  };
  let settled = true, total = 0, dearest = -Infinity;
  for (const role of aggregated ? AGGREGATED : ROLES) {
    const { expected, inProgress } = counts[role];
    settled &&= ready[role] === expected && !inProgress;
    total += ready[role] * budget.gpus[role];
    dearest = Math.max(dearest, budget.gpus[role]);
  }
  for (const role of settled ? aggregated ? AGGREGATED : ROLES : NOBODY) {
    if (ready[role] >= budget.minimum[role]) continue;
    wanted[role] = Math.max(wanted[role], budget.minimum[role]);
    raised2[role] = true;
  }
  const broken = settled && outOfBand(total, dearest, budget);
  const same = (pair) => pair.decode === ready.decode && (aggregated || pair.prefill === ready.prefill);
  if (same(wanted) && !broken) return null;
  if (aggregated) {
    const minimum = budget.minimum.decode;
    const single = {
      ...budget,
      gpus: budget.gpus.decode,
      minimum
    };
    const decode = clampSingle(Math.max(wanted.decode, minimum), single);
    return decode === ready.decode ? null : {
      prefill: null,
      decode
    };
  }
  const lifted = {
    prefill: Math.max(wanted.prefill, budget.minimum.prefill),
    decode: Math.max(wanted.decode, budget.minimum.decode)
  };
  const fitted = clampPair(lifted, budget);
  if (same(fitted)) return null;
  const proposedNothing = proposed.prefill === null && proposed.decode === null;
  const clamped = fitted.prefill !== lifted.prefill || fitted.decode !== lifted.decode;
  if (proposedNothing && !clamped && (raised2.prefill || raised2.decode)) {
    return {
      prefill: raised2.prefill ? fitted.prefill : null,
      decode: raised2.decode ? fitted.decode : null
    };
  }
  return fitted;
}

// lib/planner/schedule.ts
var SLACK = 1e-9;
var TickSchedule = class {
  #config;
  #lastLoad = 0;
  #lastThroughput = 0;
  #lastLoadCall = 0;
  #lastPrediction = 0;
  #lastThroughputCall = 0;
  constructor(config) {
    this.#config = config;
  }
  /** The tick that follows a moment. */
  after(nowS) {
    const config = this.#config;
    const atS = nowS + config.scheduling.scale_interval_seconds;
    const loadEvery = config.load_adjustment_interval_seconds;
    const throughputEvery = config.throughput_adjustment_interval_seconds;
    const sla = config.optimization_target === "sla";
    const throughputOn = config.enable_throughput_scaling;
    const runLoadScaling = atS - this.#lastLoad >= loadEvery - SLACK;
    const loadDue = config.enable_load_scaling && atS - this.#lastLoadCall >= loadEvery;
    const fullDue = throughputOn && (atS - this.#lastPrediction >= throughputEvery || atS - this.#lastThroughputCall >= throughputEvery);
    const loadReadsTraffic = loadDue && sla && !throughputOn;
    return {
      atS,
      runLoadScaling,
      runThroughputScaling: throughputOn && atS - this.#lastThroughput >= throughputEvery - SLACK,
      needTraffic: fullDue || loadReadsTraffic,
      useFullTraffic: fullDue,
      trafficDurationS: fullDue ? throughputEvery : loadReadsTraffic ? loadEvery : 0,
      needPasses: loadDue || sla && runLoadScaling
    };
  }
  /** Whether the load loop takes part in a tick. */
  loadDue({ atS }) {
    const { enable_load_scaling: on, load_adjustment_interval_seconds: every } = this.#config;
    return on && atS - this.#lastLoadCall >= every;
  }
  /** Whether the predictors take part in a tick. */
  predictionDue({ atS }) {
    const { enable_throughput_scaling: on, throughput_adjustment_interval_seconds: every } = this.#config;
    return on && atS - this.#lastPrediction >= every;
  }
  /** Notes that a tick was handled, and whether a prediction was tried and could be used. */
  handled(tick, prediction) {
    if (this.loadDue(tick)) this.#lastLoadCall = tick.atS;
    if (tick.runLoadScaling) this.#lastLoad = tick.atS;
    if (tick.runThroughputScaling) this.#lastThroughput = tick.atS;
    if (prediction !== "none") this.#lastPrediction = tick.atS;
    if (prediction === "used") this.#lastThroughputCall = tick.atS;
  }
};

// lib/planner/throughput_scaling.ts
function proposeThroughput(input) {
  return input.config.mode === "agg" ? proposeAggregated2(input) : proposeDisaggregated2(input);
}
function capacityOf(role, input) {
  const { config, forecast } = input;
  if (!limitsKnown(role, input)) return null;
  const capacity = input.models[role]?.capacity({
    inputTokens: forecast.inputTokens,
    outputTokens: forecast.outputTokens,
    ttftMs: config.ttft_ms,
    itlMs: config.itl_ms,
    kvHitRate: forecast.kvHitRate,
    acceptLength: input.acceptLength
  }) ?? null;
  return capacity && capacity.requestsPerSecond > 0 ? capacity : null;
}
function limitsKnown(role, { config, engines, models }) {
  if (config.mode === "agg" && engines.decode.maxBatchedTokens === null) return false;
  return models[role] !== null;
}
var unusable = (role, input) => limitsKnown(role, input) ? "model_not_ready" : "missing_engine_metadata";
var noDemand = ({ forecast }) => forecast.requests === 0;
function needed(role, capacity, input) {
  const ready = input.ready[role], minimum = input.budget.minimum[role];
  const most = input.config.max_throughput_scaling_replicas;
  const demand = input.forecast.requests / input.durationS;
  const wish = noDemand(input) ? Math.max(1, minimum) : capacity ? Math.max(Math.ceil(demand / capacity.requestsPerSecond), minimum) : ready;
  return Math.max(Math.min(Math.max(wish, ready - most, 0), ready + most), minimum);
}
function proposeAggregated2(input) {
  const { config, ready } = input;
  const idle = noDemand(input);
  const found = idle ? null : capacityOf("decode", input);
  const missing = idle || found !== null ? null : unusable("decode", input);
  const base = {
    roleReasons: null,
    capacity: {
      prefill: found,
      decode: found
    },
    limitsKnown: idle ? {} : {
      decode: limitsKnown("decode", input)
    }
  };
  const budget = {
    ...input.budget,
    gpus: input.budget.gpus.decode,
    minimum: input.budget.minimum.decode
  };
  const fitted = guardSingle(ready.decode, needed("decode", found, input), {
    ...budget,
    minGpus: -1
  });
  if (config.enable_load_scaling) {
    const reason2 = missing ?? fitted.reason ?? "set_lower_bound";
    return {
      ...base,
      counts: null,
      floors: {
        prefill: null,
        decode: fitted.count
      },
      reason: reason2
    };
  }
  const { count, reason: guard } = guardSingle(ready.decode, fitted.count, budget);
  const changed = count !== ready.decode;
  const reason = missing ?? (changed ? "scale" : guard ?? fitted.reason ?? "no_change");
  return {
    ...base,
    counts: changed ? {
      prefill: null,
      decode: count
    } : null,
    floors: null,
    reason
  };
}
function proposeDisaggregated2(input) {
  const { config, ready, budget } = input;
  const idle = noDemand(input);
  const capacity = {
    prefill: idle ? null : capacityOf("prefill", input),
    decode: idle ? null : capacityOf("decode", input)
  };
  const known = idle || capacity.prefill !== null && capacity.decode !== null;
  const asked = idle ? {} : {
    prefill: limitsKnown("prefill", input),
    decode: limitsKnown("decode", input)
  };
  const wanted = known ? {
    prefill: needed("prefill", capacity.prefill, input),
    decode: needed("decode", capacity.decode, input)
  } : ready;
  const fitted = fitUnderCeiling(ready, wanted, budget);
  const equal2 = (a, b) => a.prefill === b.prefill && a.decode === b.decode;
  const held = equal2(fitted, ready) && !equal2(wanted, ready);
  const notReady = (role) => capacity[role] ? "partner_not_ready" : unusable(role, input);
  const everywhere = (reason) => {
    if (known) return {
      reason,
      roleReasons: {
        prefill: reason,
        decode: reason
      }
    };
    const roleReasons = {
      prefill: notReady("prefill"),
      decode: notReady("decode")
    };
    const missing = Object.values(roleReasons).includes("missing_engine_metadata");
    return {
      reason: missing ? "missing_engine_metadata" : "model_not_ready",
      roleReasons
    };
  };
  if (config.enable_load_scaling) {
    const reasons = everywhere(held ? "gpu_budget_guard_hold" : "set_lower_bound");
    return {
      counts: null,
      floors: fitted,
      capacity,
      limitsKnown: asked,
      ...reasons
    };
  }
  const { count, reason: guard } = guardPairWithRecovery(ready, fitted, budget);
  const changed = !equal2(count, ready);
  const hold = guard ?? (held ? "gpu_budget_guard_hold" : "no_change");
  return {
    counts: changed ? count : null,
    floors: null,
    capacity,
    limitsKnown: asked,
    ...everywhere(changed ? "scale" : hold)
  };
}

// lib/planner/planner.ts
var PLANNER_OPTIONS = {
  config: true,
  engines: true,
  bootstrap: true,
  history: true,
  listener: true
};
var Planner = class {
  #listener;
  #config;
  #engines;
  #budget;
  #models;
  #schedule;
  #observations = new Observations();
  #retuneOnly;
  #floors = {
    prefill: 1,
    decode: 1
  };
  #recommended = {
    prefill: null,
    decode: null
  };
  #speculationDepth;
  #forecaster = null;
  /** Traffic the forecaster has observed, in case another one takes its place. */
  #consumed = [];
  #kvHitRate = null;
  #acceptLength = 1;
  #next;
  #routerKnobs = null;
  /** A Planner before its first tick. */
  constructor(options) {
    checkOptions("a Planner", options, PLANNER_OPTIONS);
    const { config, engines, bootstrap: bootstrap2 = noBootstrap } = options;
    if (config.mode !== "agg" && config.mode !== "disagg") {
      throw new ConfigError(`planner-in-the-loop replay supports mode='agg' or 'disagg', got '${config.mode}'`);
    }
    if (config.mode === "disagg" && engines.prefill === null) {
      throw new ConfigError("disagg planner replay requires prefill and decode engine arguments");
    }
    this.#config = config;
    this.#engines = config.mode === "agg" ? {
      ...engines,
      prefill: null
    } : engines;
    this.#budget = budgetOf(config, this.#engines);
    this.#retuneOnly = isRetuneOnly(config);
    this.#speculationDepth = engines.decode.speculationDepth ?? config.speculative_nextn;
    const sla = config.optimization_target === "sla";
    this.#models = sla ? this.#createModels() : {
      prefill: null,
      decode: null
    };
    if (sla) this.#learn(bootstrap2);
    if (sla && config.enable_throughput_scaling) this.#forecaster = new TrafficForecaster(config, options.history);
    this.#schedule = new TickSchedule(config);
    this.#next = this.#schedule.after(0);
    this.#listener = options.listener ?? null;
  }
  /** The configuration in force. */
  get config() {
    return this.#config;
  }
  /**
   * Changes fields while the replay runs; models, observations and floors stay. With a history the forecaster is
   * replaced by one of the kind now configured, which learns the history and then what was observed after its end.
   */
  retune(fields2, history = null) {
    this.#config = {
      ...this.#config,
      ...fields2
    };
    if (!history || !this.#forecaster) return;
    this.#forecaster = new TrafficForecaster(this.#config, history.intervals);
    for (const { atS, traffic } of this.#consumed) if (atS > history.endS) this.#forecaster.observe(traffic);
  }
  /**
   * Puts another forecaster, already fed with its history, in place of the running one.
   *
   * @internal
   */
  replaceForecaster(forecaster) {
    if (this.#forecaster) this.#forecaster = forecaster;
  }
  /** Sets the router knobs that ticks ask for from now on; null for none. */
  setRouterKnobs(knobs) {
    this.#routerKnobs = knobs;
  }
  initialTickMs() {
    return this.#next.atS * 1e3;
  }
  onTick(snapshot) {
    const tick = this.#next;
    const observations = this.#observations;
    observations.update(snapshot);
    const counts = {
      prefill: observations.counts("prefill", snapshot),
      decode: observations.counts("decode", snapshot)
    };
    const seen = tick.needPasses ? {
      prefill: observations.rows("prefill"),
      decode: observations.rows("decode")
    } : {
      prefill: null,
      decode: null
    };
    const traffic = tick.needTraffic ? observations.takeTraffic() : null;
    if (tick.runLoadScaling) this.#learn(seen);
    const rows = {
      prefill: sorted(seen.prefill),
      decode: sorted(seen.decode)
    };
    const findings = noFindings(this.#floors);
    this.#remember(traffic);
    const { outcome, counts: throughput } = this.#throughput(tick, traffic, counts, findings);
    const load = this.#load(tick, counts, rows, findings);
    const proposed = {
      prefill: load?.prefill ?? throughput?.prefill ?? null,
      decode: load?.decode ?? throughput?.decode ?? null
    };
    this.#schedule.handled(tick, outcome);
    const aggregated = this.#config.mode === "agg";
    const scaleTo = this.#retuneOnly ? null : project(proposed, counts, this.#budget, aggregated);
    const next = this.#schedule.after(tick.atS);
    const decision = this.#decide(tick, next, snapshot, scaleTo);
    this.#listener?.ticked({
      tick,
      next,
      snapshot,
      traffic,
      counts,
      rows,
      findings,
      scaleTo,
      decision
    });
    this.#next = next;
    return decision;
  }
  #createModels() {
    const seed = this.#config.sample_tie_seed;
    const random = seed === null ? void 0 : mulberry32(seed);
    const create = (role) => {
      const engine = this.#engines[role];
      return engine && PerformanceModel.create({
        role: this.#config.mode === "agg" ? "aggregated" : role,
        limits: engine,
        settings: this.#config,
        random
      });
    };
    return {
      prefill: create("prefill"),
      decode: create("decode")
    };
  }
  /** Feeds passes to the models; an aggregated deployment has one model for both kinds. */
  #learn({ prefill, decode }) {
    if (this.#config.mode === "agg") {
      const rows = prefill === null ? decode ?? [] : decode === null ? prefill : [
        ...prefill,
        ...decode
      ];
      if (rows.length > 0) this.#models.decode?.observe(rows);
      return;
    }
    if (prefill) this.#models.prefill?.observe(prefill);
    if (decode) this.#models.decode?.observe(decode);
  }
  /** Forecast and throughput loop; moves the floors when the load loop is on, else proposes counts. */
  #throughput(tick, traffic, counts, findings) {
    const forecaster = this.#forecaster;
    if (!forecaster || !this.#schedule.predictionDue(tick)) return {
      outcome: "none",
      counts: null
    };
    const give = (reason, outcome) => {
      findings.throughputReason = reason;
      return {
        outcome,
        counts: null
      };
    };
    if (!traffic) return give("no_traffic_data", "used");
    forecaster.observe(traffic);
    this.#consumed.push({
      atS: tick.atS,
      traffic
    });
    const forecast = forecaster.forecast();
    if (!forecast) return give("predict_failed", "failed");
    findings.forecast = forecast;
    const proposal = proposeThroughput({
      config: this.#config,
      engines: this.#engines,
      budget: this.#budget,
      ready: {
        prefill: counts.prefill.ready,
        decode: counts.decode.ready
      },
      models: this.#models,
      forecast,
      durationS: traffic.durationS,
      acceptLength: this.#acceptLength
    });
    if (proposal.floors) {
      this.#floors.prefill = proposal.floors.prefill ?? this.#floors.prefill;
      this.#floors.decode = proposal.floors.decode;
      findings.floors = {
        ...this.#floors
      };
    }
    findings.requestsPerSecond = {
      prefill: proposal.capacity.prefill?.requestsPerSecond ?? null,
      decode: proposal.capacity.decode?.requestsPerSecond ?? null
    };
    findings.throughputLimitsKnown = proposal.limitsKnown;
    findings.throughputReason = proposal.reason;
    findings.throughputReasons = perRole(proposal.roleReasons);
    return {
      outcome: "used",
      counts: proposal.counts
    };
  }
  /** Remembers the hit rate and the accept length of consumed traffic. */
  #remember(traffic) {
    if (!traffic || this.#config.optimization_target !== "sla") return;
    if (!Number.isNaN(traffic.kvHitRate)) this.#kvHitRate = traffic.kvHitRate;
    const depth = this.#speculationDepth;
    const { acceptLength } = traffic;
    if (depth > 0 && acceptLength !== null && !Number.isNaN(acceptLength)) {
      this.#acceptLength = Math.min(Math.max(acceptLength, 1), depth + 1);
    }
  }
  #load(tick, counts, rows, findings) {
    if (!tick.runLoadScaling || this.#retuneOnly) return null;
    if (!this.#config.enable_load_scaling) {
      findings.loadReason = "disabled";
      return null;
    }
    const proposal = proposeLoad({
      config: this.#config,
      engines: this.#engines,
      budget: this.#budget,
      counts,
      rows,
      models: this.#models,
      floors: this.#floors,
      kvHitRate: this.#kvHitRate,
      acceptLength: this.#acceptLength
    });
    findings.estimatedTtftMs = proposal.estimatedTtftMs;
    findings.estimatedItlMs = proposal.estimatedItlMs;
    findings.loadLimitsKnown = proposal.limitsKnown;
    findings.loadReason = proposal.reason;
    findings.loadReasons = perRole(proposal.roleReasons);
    return proposal.counts;
  }
  /** Turns wanted counts into targets of the cluster, which count starting workers too, and tells the changes. */
  #decide(tick, next, snapshot, scaleTo) {
    const decision = {
      targetPrefill: null,
      targetDecode: null,
      nextTickMs: next.atS * 1e3
    };
    const { advisory, mode } = this.#config;
    if (!advisory && this.#routerKnobs) decision.routerKnobs = this.#routerKnobs;
    const components = mode === "agg" ? [
      [
        "decode",
        "agg"
      ]
    ] : [
      [
        "prefill",
        "prefill"
      ],
      [
        "decode",
        "decode"
      ]
    ];
    if (advisory) {
      for (const [role, component] of components) this.#recommend(tick, component, role, snapshot, scaleTo);
      return decision;
    }
    if (!scaleTo) return decision;
    const present = {
      prefill: nonDraining(snapshot.prefill),
      decode: nonDraining(snapshot.decode)
    };
    const target = {
      prefill: scaleTo.prefill ?? present.prefill,
      decode: scaleTo.decode ?? present.decode
    };
    if (ROLES.every((role) => target[role] === present[role])) return decision;
    for (const [role, component] of components) {
      if (target[role] === present[role]) continue;
      this.#listener?.scaled({
        atS: tick.atS,
        component,
        from: present[role],
        to: target[role]
      });
      this.#observations.want(role, target[role]);
    }
    return {
      ...decision,
      targetPrefill: mode === "agg" ? 0 : target.prefill,
      targetDecode: target.decode
    };
  }
  /** An advisory run lists a recommendation when it changes, and again after a decision to stay. */
  #recommend(tick, component, role, snapshot, scaleTo) {
    const { enable_load_scaling, enable_throughput_scaling } = this.#config;
    const current = nonDraining(snapshot[role]);
    const proposing = tick.runLoadScaling && enable_load_scaling || tick.runThroughputScaling && enable_throughput_scaling && !enable_load_scaling;
    const count = scaleTo?.[role] ?? (proposing ? current : null);
    if (count === null) return;
    if (count === current) this.#recommended[role] = null;
    else if (count !== this.#recommended[role]) {
      this.#listener?.recommended({
        atS: tick.atS,
        component,
        from: current,
        to: count
      });
      this.#recommended[role] = count;
    }
  }
};
var perRole = (reasons) => ({
  prefill: reasons?.prefill ?? null,
  decode: reasons?.decode ?? null
});
var sorted = (rows) => rows && orderedByWorker(rows);
function budgetOf(config, engines) {
  return {
    minGpus: config.min_gpu_budget,
    maxGpus: config.max_gpu_budget,
    gpus: {
      prefill: engines.prefill?.gpus ?? 0,
      decode: engines.decode.gpus
    },
    minimum: {
      prefill: config.prefill_min_endpoint ?? config.min_endpoint,
      decode: config.decode_min_endpoint ?? config.min_endpoint
    }
  };
}

// lib/planner/warnings.ts
function plannerWarnings(given, config, run) {
  return [
    ...advisoryWarning(config),
    ...budgetOf2(config, run),
    ...withoutEffect(given, config)
  ];
}
function* advisoryWarning({ advisory }) {
  if (advisory) yield "[ADVISORY] the Planner makes every decision and changes nothing";
}
function* budgetOf2(config, { engines, replicas }) {
  if (isRetuneOnly(config)) return;
  yield* budgetWarnings({
    maxGpus: config.max_gpu_budget,
    minGpus: config.min_gpu_budget,
    gpus: {
      prefill: engines.prefill?.gpus ?? 0,
      decode: engines.decode.gpus
    },
    starting: replicas,
    minimum: {
      prefill: engines.prefill ? config.prefill_min_endpoint ?? config.min_endpoint : 0,
      decode: config.decode_min_endpoint ?? config.min_endpoint
    },
    names: {
      max: "max_gpu_budget",
      min: "min_gpu_budget"
    }
  });
}
function* withoutEffect(given, config) {
  const { unknown: unknown3, live } = keysWithoutEffect(given);
  for (const key of unknown3) {
    const near = nearName(key, plannerConfigKeys);
    yield `${key} is not a field of the Planner and is ignored${near ? `; did you mean ${near}?` : ""}`;
  }
  if (live.length > 0) yield `${live.join(", ")}: only a live deployment uses these; ignored in a replay`;
  const { optimization_target: target, load_predictor: predictor, mode } = config;
  const sla = target === "sla", fast = sla && config.enable_load_scaling, slow = config.enable_throughput_scaling;
  const fixed = `the target is ${target}`;
  const rules = [
    [
      sla || isRetuneOnly(config),
      `${fixed}, which always scales on load only`,
      [
        "enable_throughput_scaling",
        "enable_load_scaling"
      ]
    ],
    [
      sla || config.retune !== null,
      fixed,
      [
        "ttft_ms",
        "itl_ms",
        "ttft",
        "itl"
      ]
    ],
    [
      sla,
      `${fixed}, which uses no performance model`,
      [
        "max_num_fpm_samples",
        "fpm_sample_bucket_size",
        "load_min_observations",
        "sample_tie_seed"
      ]
    ],
    [
      fast,
      sla ? "load scaling is off" : `${fixed}, which has thresholds of its own`,
      [
        "load_scaling_down_sensitivity"
      ]
    ],
    [
      slow,
      "throughput scaling is off",
      [
        "throughput_adjustment_interval_seconds",
        "throughput_adjustment_interval",
        "max_throughput_scaling_replicas",
        "load_predictor",
        "load_predictor_log1p",
        "load_predictor_warmup_trace"
      ]
    ],
    [
      !slow || predictor !== "constant",
      "load_predictor is constant",
      [
        "load_predictor_log1p"
      ]
    ],
    [
      slow && predictor === "prophet",
      slow ? `load_predictor is ${predictor}` : "throughput scaling is off",
      [
        "prophet_window_size"
      ]
    ],
    [
      slow && predictor === "kalman",
      slow ? `load_predictor is ${predictor}` : "throughput scaling is off",
      [
        "kalman_q_level",
        "kalman_q_trend",
        "kalman_r",
        "kalman_min_points"
      ]
    ],
    [
      target === "load",
      fixed,
      [
        "decode_scale_up_kv_rate",
        "decode_scale_down_kv_rate"
      ]
    ],
    [
      target === "load" && mode !== "agg",
      target === "load" ? "the engines are aggregated" : fixed,
      [
        "prefill_scale_up_queue_tokens",
        "prefill_scale_down_queue_tokens"
      ]
    ]
  ];
  for (const [works, reason, keys] of rules) {
    if (works) continue;
    for (const key of keys) {
      if (given[key] === void 0 || given[key] === null || isForced(key, given, config)) continue;
      yield `${key} has no effect: ${reason}`;
    }
  }
}
function isForced(key, given, config) {
  return key.startsWith("enable_") && given[key] === config[key];
}

// lib/report/planner_metadata.ts
var DIGEST_EXCLUSIONS = [
  "report_output_dir",
  "report_filename",
  "report_interval_hours",
  "report_write_gzip_log",
  "live_dashboard_port",
  "control_api_port",
  "plugin_registration.auth",
  "plugin_registration.transport",
  "plugin_registration.protocol_version_min",
  "plugin_registration.protocol_version_max",
  "plugin_registration.heartbeat_timeout_seconds",
  "plugin_registration.heartbeat_missed_threshold",
  "plugin_registration.admin",
  "plugin_registration.in_process_plugins.kwargs",
  "scheduling.external_plugins.endpoint",
  "scheduling.external_plugins.auth_token",
  "scheduling.gateway"
];
var STEPS = [
  "builtin_load_predict",
  "builtin_load_propose",
  "builtin_throughput_propose"
];
var decisiveFields = (config) => Object.fromEntries(Object.entries(config).filter(([key]) => !DIGEST_EXCLUSIONS.includes(key)));
var configIdentity = (config) => canonicalJson(decisiveFields(config));
function plannerMetadata(config, bootstrap2, { sha256, captureDetails }) {
  return {
    planner_config_digest: sha256(configIdentity(config)),
    planner_config: decisiveFields(config),
    planner_config_identity_exclusions: DIGEST_EXCLUSIONS,
    builtin_plugin_ids: STEPS,
    configured_plugin_identities: [],
    plugin_pipeline: STEPS.map((plugin_id) => ({
      plugin_id,
      source: "builtin"
    })),
    pipeline_schema_version: "planner-plugin-pipeline.v1",
    mode: config.mode === "agg" ? "agg" : "disagg",
    benchmark_granularity: BENCHMARK_GRANULARITY,
    bootstrap: (config.optimization_target === "sla" && bootstrap2 || noBootstrap).metadata,
    details_captured: captureDetails,
    advisory: config.advisory,
    retune: null
  };
}

// lib/report/planner_tick.ts
var TickForm = class {
  #disaggregated;
  #tellsRouters;
  #counts = new Kept();
  #scaleTo = new Kept();
  #findings = new FindingsForm();
  #roles = {
    prefill: new RoleForm(),
    decode: new RoleForm()
  };
  #passes = new Kept();
  #topology = new Kept();
  /** The schedule told last, and its form: it is the next tick's own. */
  #next = null;
  /** @param metadata of the Planner that lives through the ticks; another autoscaler has no configuration here */
  constructor({ mode, planner_config }) {
    this.#disaggregated = mode === "disagg";
    this.#tellsRouters = Boolean(planner_config?.retune);
  }
  /** The form of the tick that follows the one before. */
  of(view) {
    const { tick, next, snapshot, traffic, counts, rows, findings, scaleTo, decision } = view;
    const prefill = this.#roles.prefill, decode = this.#roles.decode;
    const scheduled = this.#next?.tick === tick ? this.#next.form : reportedSchedule(tick);
    this.#next = {
      tick: next,
      form: reportedSchedule(next)
    };
    return {
      ordinal: snapshot.tickOrdinal,
      at_ms: tick.atS * 1e3,
      scheduled_tick: scheduled,
      input: {
        now_s: tick.atS,
        traffic: reportedTraffic(traffic),
        worker_counts: this.#counts.keep(reportedCounts(counts, this.#disaggregated)),
        fpm_observations: tick.needPasses || rows.prefill || rows.decode ? this.#passes.keep({
          prefill: prefill.passes(rows.prefill),
          decode: decode.passes(rows.decode)
        }) : null
      },
      topology: this.#topology.keep({
        prefill: prefill.topology(snapshot.prefill),
        decode: decode.topology(snapshot.decode)
      }),
      effects: {
        scale_to: scaleTo && this.#scaleTo.keep({
          num_prefill: scaleTo.prefill,
          num_decode: scaleTo.decode
        }),
        next_tick: this.#next.form,
        diagnostics: this.#findings.of(findings),
        batch_drain_limits: NONE
      },
      runtime_decision: {
        target_prefill: decision.targetPrefill,
        target_decode: decision.targetDecode,
        next_tick_ms: decision.nextTickMs,
        router_parameters: decision.routerKnobs ?? null
      },
      ...this.#tellsRouters && snapshot.routers ? {
        router_policies: snapshot.routers
      } : {}
    };
  }
};
var NONE = [];
function reportedSchedule(tick) {
  return {
    at_s: tick.atS,
    run_load_scaling: tick.runLoadScaling,
    run_throughput_scaling: tick.runThroughputScaling,
    need_traffic_metrics: tick.needTraffic,
    use_full_traffic_metrics: tick.useFullTraffic,
    traffic_metrics_duration_s: tick.trafficDurationS,
    need_worker_states: true,
    need_worker_fpm: tick.needPasses,
    at_monotonic_s: tick.atS
  };
}
function reportedTraffic(traffic) {
  return traffic && {
    duration_s: traffic.durationS,
    num_req: traffic.requests,
    isl: traffic.inputTokens,
    osl: traffic.outputTokens,
    kv_hit_rate: traffic.kvHitRate,
    accept_length: traffic.acceptLength
  };
}
function reportedCounts(counts, disaggregated) {
  return {
    ready_num_prefill: disaggregated ? counts.prefill.ready : null,
    ready_num_decode: counts.decode.ready,
    expected_num_prefill: disaggregated ? counts.prefill.expected : null,
    expected_num_decode: counts.decode.expected,
    prefill_scaling_in_progress: counts.prefill.inProgress,
    decode_scaling_in_progress: counts.decode.inProgress,
    pending_num_prefill: 0,
    pending_num_decode: 0
  };
}
var RoleForm = class {
  #lists = {
    active: new KeptList(),
    starting: new KeptList(),
    draining: new KeptList()
  };
  #topology = new Kept();
  #rows = [];
  #forms = [];
  /** Rows under their reported names; null when there are none. */
  passes(rows) {
    if (rows === null) return null;
    const before = this.#rows, forms = this.#forms;
    let same = rows.length === before.length;
    for (let i = 0; same && i < rows.length; i++) same = rows[i] === before[i];
    if (same) return forms;
    this.#rows = rows;
    return this.#forms = rows.map((row, i) => row === before[i] ? forms[i] : reportedPass(row));
  }
  /** Workers under their reported names. */
  topology({ active: active2, starting, draining }) {
    const lists = this.#lists;
    return this.#topology.keep({
      active: lists.active.keep(active2),
      active_count: active2.length,
      starting: lists.starting.keep(starting),
      starting_count: starting.length,
      draining: lists.draining.keep(draining),
      draining_count: draining.length
    });
  }
};
function reportedPass(row) {
  return {
    worker_id: String(row.workerId),
    dp_rank: row.dpRank,
    metrics: {
      version: 1,
      worker_id: String(row.workerId),
      dp_rank: row.dpRank,
      counter_id: 0,
      wall_time: row.wallTimeS,
      scheduled_requests: {
        num_decode_requests: row.decodeRequests,
        num_prefill_requests: row.prefillRequests,
        sum_decode_kv_tokens: row.decodeKvTokens,
        sum_prefill_kv_tokens: row.prefillKvTokens,
        sum_prefill_tokens: row.prefillTokens,
        var_decode_kv_tokens: row.decodeKvVariance,
        var_prefill_length: row.prefillLengthVariance
      },
      queued_requests: reportedQueue(row)
    }
  };
}
var NOTHING_QUEUED = {
  num_decode_requests: 0,
  num_prefill_requests: 0,
  sum_decode_kv_tokens: 0,
  sum_prefill_tokens: 0,
  var_decode_kv_tokens: 0,
  var_prefill_length: 0
};
function reportedQueue(row) {
  if (row.queuedDecodeRequests === 0 && row.queuedPrefillRequests === 0) {
    const tokens = row.queuedDecodeKvTokens !== 0 || row.queuedPrefillTokens !== 0;
    if (!tokens && row.queuedDecodeKvVariance === 0 && row.queuedPrefillLengthVariance === 0) return NOTHING_QUEUED;
  }
  return {
    num_decode_requests: row.queuedDecodeRequests,
    num_prefill_requests: row.queuedPrefillRequests,
    sum_decode_kv_tokens: row.queuedDecodeKvTokens,
    sum_prefill_tokens: row.queuedPrefillTokens,
    var_decode_kv_tokens: row.queuedDecodeKvVariance,
    var_prefill_length: row.queuedPrefillLengthVariance
  };
}
var FindingsForm = class {
  #loadLimits = new Kept();
  #throughputLimits = new Kept();
  #last = null;
  #form;
  of(findings) {
    if (this.#last !== null && sameFindings(this.#last, findings)) return this.#form;
    this.#last = findings;
    const form = this.#form = reportedFindings(findings);
    form.load_metadata_available = this.#loadLimits.keep(form.load_metadata_available);
    form.throughput_metadata_available = this.#throughputLimits.keep(form.throughput_metadata_available);
    return form;
  }
};
function sameFindings(a, b) {
  return a.forecast === b.forecast && a.loadReason === b.loadReason && a.throughputReason === b.throughputReason && Object.is(a.estimatedTtftMs, b.estimatedTtftMs) && Object.is(a.estimatedItlMs, b.estimatedItlMs) && samePair(a.requestsPerSecond, b.requestsPerSecond) && samePair(a.floors, b.floors) && samePair(a.loadReasons, b.loadReasons) && samePair(a.throughputReasons, b.throughputReasons) && samePair(a.loadLimitsKnown, b.loadLimitsKnown) && samePair(a.throughputLimitsKnown, b.throughputLimitsKnown);
}
var samePair = (a, b) => Object.is(a.prefill, b.prefill) && Object.is(a.decode, b.decode);
var NO_REASONS = {};
function reportedFindings(findings) {
  const { forecast, requestsPerSecond, floors, loadReasons, throughputReasons } = findings;
  return {
    estimated_ttft_ms: findings.estimatedTtftMs,
    estimated_itl_ms: findings.estimatedItlMs,
    predicted_num_req: forecast?.requests ?? null,
    predicted_isl: forecast?.inputTokens ?? null,
    predicted_osl: forecast?.outputTokens ?? null,
    predicted_kv_hit_rate: forecast?.kvHitRate ?? null,
    engine_rps_prefill: requestsPerSecond.prefill,
    engine_rps_decode: requestsPerSecond.decode,
    throughput_lower_bound_prefill: floors.prefill,
    throughput_lower_bound_decode: floors.decode,
    load_decision_reason: findings.loadReason,
    throughput_decision_reason: findings.throughputReason,
    load_decision_reason_prefill: loadReasons.prefill,
    load_decision_reason_decode: loadReasons.decode,
    throughput_decision_reason_prefill: throughputReasons.prefill,
    throughput_decision_reason_decode: throughputReasons.decode,
    load_metadata_available: findings.loadLimitsKnown,
    throughput_metadata_available: findings.throughputLimitsKnown,
    plugin_overrides: NONE,
    reconcile_reasons: NO_REASONS,
    held_over_plugins: NONE,
    execute_action: "apply",
    short_circuit_reason: "",
    audit_events: NONE
  };
}

// lib/report/planner_recorder.ts
var PlannerRecorder = class {
  #metadata;
  #ticks = [];
  #events = [];
  #recommended = [];
  #latencies = [];
  #latency = new Kept();
  #form;
  #retune = null;
  #total = 0;
  /**
   * An empty record.
   *
   * @param metadata with `details_captured`: whether ticks and lifecycle operations are kept
   */
  constructor(metadata) {
    this.#metadata = metadata;
    this.#form = new TickForm(metadata);
  }
  /** Whether ticks and lifecycle operations are kept. */
  get capturesDetails() {
    return this.#metadata.details_captured;
  }
  /** Adds a tick to the report. */
  ticked(view) {
    this.#total++;
    if (!this.capturesDetails) return;
    this.#ticks.push(this.#form.of(view));
    this.#latencies.push(this.#latency.keep({
      ttftMs: view.traffic?.ttftMs ?? null,
      itlMs: view.traffic?.itlMs ?? null
    }));
  }
  /** Latencies the ticks saw, one entry a kept tick; they are not part of the report. */
  get latencies() {
    return this.#latencies;
  }
  scaled(change) {
    this.#events.push(scalingEvent(change));
  }
  recommended(change) {
    this.#recommended.push(scalingEvent(change));
  }
  /** Adds a retune decision. */
  retuned(event) {
    (this.#retune ??= []).push(event);
  }
  /** Notes the resolved retune block: from here the report lists decisions, even if there are none. */
  retuning(block) {
    this.#metadata.retune = block;
    this.#retune ??= [];
  }
  /**
   * The object as it stands; the recorder goes on using its lists.
   *
   * @param lifecycle what the cluster did with its workers
   */
  section(lifecycle = []) {
    return {
      metadata: this.#metadata,
      ticks: this.#ticks,
      scaling_events: this.#events,
      recommended_scaling_events: this.#recommended,
      lifecycle_operations: this.capturesDetails ? lifecycle : [],
      retune_events: this.#retune,
      total_ticks: this.#total,
      html_report_path: null
    };
  }
};
function scalingEvent({ atS, component, from, to }) {
  return {
    at_s: atS,
    component,
    from_count: from,
    to_count: to,
    reason: to > from ? "scale_up" : "scale_down"
  };
}
var RecordedPlanner = class extends Planner {
  /** What the run reports. */
  recorder;
  /** A Planner before its first tick, and its empty record. */
  constructor({ sha256, captureDetails = true, ...options }) {
    const recorder = new PlannerRecorder(plannerMetadata(options.config, options.bootstrap, {
      sha256,
      captureDetails
    }));
    super({
      ...options,
      listener: recorder
    });
    this.recorder = recorder;
  }
};

// lib/trace/warmup_trace.ts
var DYNAMO_SCHEMA = "dynamo.request.trace.v1";
var WarmupTrace = class {
  #format = null;
  #requests = [];
  /** What the rows are; null before the first one that tells. */
  get format() {
    return this.#format;
  }
  /** Every request on the trace's own clock, in the order read. */
  requests() {
    return this.#requests;
  }
  /** Takes a line; blank ones are skipped. */
  add({ file, line, text: text2 }) {
    if (text2.trim() === "") return;
    const at = `${file}:${line}`;
    const fail3 = (message, cause) => {
      throw new TraceError(message, {
        file,
        line
      }, {
        cause
      });
    };
    let outer;
    try {
      outer = JSON.parse(text2);
    } catch (error) {
      return fail3(`Invalid JSON at ${at}: ${error.message}`, error);
    }
    if (!isMapping(outer)) return fail3(`Trace row at ${at} must be a JSON object`);
    const event = isMapping(outer.event) ? outer.event : outer;
    const found = formatOf(outer, event);
    if (!this.#format) {
      if (!found && typeof event.event_type === "string" && event.event_type !== "request_end") return;
      if (!found) return fail3(`Unsupported warmup trace format at ${at}`);
      this.#format = found;
    }
    if (found !== this.#format) {
      return fail3(`Mixed or unsupported warmup trace format at ${at}: expected ${this.#format}, found ${found ?? "unknown"}`);
    }
    const number = (value, field2) => {
      if (typeof value !== "number") return fail3(`${field2} must be numeric at ${at}`);
      return Number.isFinite(value) ? value : fail3(`${field2} must be finite at ${at}`);
    };
    const length = (value, field2) => typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : fail3(`${field2} must be a non-negative integer at ${at}`);
    if (this.#format === "mooncake") {
      this.#push(number(outer.timestamp, "timestamp"), length(outer.input_length, "input_length"), length(outer.output_length, "output_length"));
      return;
    }
    if (event.event_type !== "request_end") return;
    if (!isMapping(event.request)) return fail3(`request_end is missing request payload at ${at}`);
    const { request } = event;
    if (!isMapping(request.replay)) return fail3(`request payload is missing replay metrics at ${at}`);
    const received = request.request_received_ms ?? null;
    this.#push(received !== null ? number(received, "request_received_ms") : number(event.event_time_unix_ms, "event_time_unix_ms"), length(request.replay.input_length, "input_length"), length(request.output_tokens, "output_tokens"));
  }
  /**
   * The intervals from the first to the last that has requests, empty ones between them included.
   *
   * @param intervalS length of an interval in seconds
   */
  intervals(intervalS) {
    const requests = this.#requests, dynamo = this.#format === "dynamo";
    const originMs = dynamo ? requests.reduce((least, { timestampMs }) => Math.min(least, timestampMs), Infinity) : 0;
    return trafficIntervals(requests, {
      intervalS,
      originMs
    });
  }
  #push(timestampMs, inputTokens, outputTokens) {
    this.#requests.push({
      timestampMs,
      inputTokens,
      outputTokens
    });
  }
};
function formatOf(outer, event) {
  if (outer.schema === DYNAMO_SCHEMA || event.schema === DYNAMO_SCHEMA) return "dynamo";
  return "timestamp" in outer && "input_length" in outer && "output_length" in outer ? "mooncake" : null;
}
function warmupIntervals(lines, intervalS) {
  const trace = new WarmupTrace();
  for (const line of lines) trace.add(line);
  return trace.intervals(intervalS);
}
function warmupFiles(pattern, found) {
  if (found.length === 0) throw new TraceError(`No warmup trace files matched '${pattern}'`, {
    file: pattern
  });
  const files = [
    ...new Set(found)
  ].sort();
  const plain = new Set(files);
  for (const file of files) {
    if (file.endsWith(".gz") && plain.has(file.slice(0, -3))) {
      throw new TraceError(`Both compressed and uncompressed warmup trace copies matched: ${file.slice(0, -3)} and ${file}. Select one representation with a glob.`, {
        file
      });
    }
  }
  return files;
}

// lib/trace/read_warmup_trace.ts
async function readWarmupTrace(pattern) {
  const trace = new WarmupTrace();
  const found = filesAt(pattern);
  if (found.length === 0 || found[0] === pattern && host().kind(pattern) === "missing") {
    throw new TraceError(`No warmup trace files matched '${pattern}'`, {
      file: pattern
    });
  }
  for (const file of warmupFiles(pattern, found)) {
    const cutter = new LineCutter(file), decoder = new TextDecoder();
    const add = (lines) => {
      for (const { bytes, start, end, number } of lines) {
        trace.add({
          file,
          line: number,
          text: decoder.decode(bytes.subarray(start, end))
        });
      }
    };
    try {
      for await (const piece of readBytes(file)) add(cutter.cut(piece));
      add(cutter.finish());
    } catch (cause) {
      if (!(cause instanceof ByteSourceError)) throw cause;
      const line = cutter.number + 1;
      throw new TraceError(`cannot ${cause.stage} the warmup trace ${file}:${line}: ${cause.message}`, {
        file,
        line
      }, {
        cause
      });
    }
  }
  return trace;
}

// lib/replay/make_planner.ts
async function makePlanner(given, written, context) {
  const { pools, traffic, estimators, capture, history, onWarning } = context;
  if (traffic.agents) throw new TraceError("scaling_policy replay does not support agentic Dynamo request traces");
  const config = parsePlannerConfig(given);
  const decode = pools[pools.length - 1], prefill = pools.length > 1 ? pools[0] : null;
  if (onWarning && config.optimization_target === "sla") {
    const bounds = {
      ttftMs: config.ttft_ms,
      itlMs: config.itl_ms
    };
    for (const bound of outOfReach(bounds, pools, traffic.workload)) onWarning(`the Planner's ${bound}`);
  }
  const engines = {
    prefill: prefill && capabilitiesOf(prefill.settings, pipelineOf(prefill, estimators[0])),
    decode: capabilitiesOf(decode.settings, pipelineOf(decode, estimators[pools.length - 1]))
  };
  const model = await firstModel(config, {
    prefill,
    decode
  }, context);
  if (written !== null && onWarning) {
    const replicas = {
      prefill: prefill?.replicas ?? 0,
      decode: decode.replicas
    };
    for (const warning of plannerWarnings(written, config, {
      engines,
      replicas
    })) {
      onWarning(warning.startsWith("[") ? warning : `the Planner's ${warning}`);
    }
    if (config.enable_throughput_scaling && model.metadata.status === "not_configured_load_only") {
      onWarning("the engines name no timing model of the operator database, so the Planner starts without a performance model: throughput-based scaling falls back to load-based scaling");
    }
  }
  const digest = await sha256OfText(configIdentity(config));
  return new RecordedPlanner({
    config,
    engines,
    sha256: () => digest,
    bootstrap: model,
    history: history ?? await pastTraffic(config),
    captureDetails: capture.plannerDetails
  });
}
var pipelineOf = ({ settings }, estimator) => ({
  pipelineParallel: settings.rank.timing.type === "external" ? estimator?.pp ?? 1 : 1
});
async function firstModel(config, pools, { estimators, calibrations, deployments }) {
  if (config.optimization_target !== "sla") return noBootstrap;
  const first = estimators[0], last = estimators[estimators.length - 1];
  if (first === null || last === null) {
    const nothing = {
      engine: engineOf(pools.decode),
      estimator: null
    };
    return estimatedPasses({
      prefill: pools.prefill && nothing,
      decode: nothing
    });
  }
  try {
    const { identity, ...model } = estimatedPasses({
      prefill: pools.prefill && await startOf(first, pools.prefill, deployments, calibrations[0]),
      decode: await startOf(last, pools.decode, deployments, calibrations[calibrations.length - 1])
    });
    if (identity !== null) model.metadata.fpm_sha256 = await sha256OfText(identity);
    return model;
  } catch (error) {
    if (config.enable_throughput_scaling) throw error;
    return failedBootstrap;
  }
}
async function startOf(estimator, pool, deployments, calibration) {
  const correction = calibration && new PassCorrection(calibration);
  const model = (await deployments.of(estimator)).forwardPassModel();
  return {
    engine: engineOf(pool),
    estimator: {
      estimateMs: (pass) => {
        const { prefillRequests, prefillTokens, prefillKvTokens, decodeRequests, decodeKvTokens } = pass;
        const ms = model.sumsMs(prefillRequests, prefillTokens, prefillKvTokens, decodeRequests, decodeKvTokens);
        if (correction === null) return ms;
        const width = model.nextn + 1;
        const decodes = decodeRequests / width, contextTokens = decodeKvTokens / width;
        return correction.passMs(ms, prefillTokens, decodes, prefillKvTokens, contextTokens, prefillRequests);
      }
    }
  };
}
function engineOf({ settings: { rank } }) {
  const limit = (value) => Number.isFinite(value) ? value : null;
  return {
    maxBatchedTokens: limit(rank.maxBatchedTokens),
    maxSequences: limit(rank.maxSequences),
    kvTokens: rank.blocks * rank.blockTokens,
    speculationDepth: rank.acceptRates?.length ?? null
  };
}
async function pastTraffic(config) {
  const pattern = config.load_predictor_warmup_trace;
  if (!pattern || !config.enable_throughput_scaling) return void 0;
  return (await readWarmupTrace(pattern)).intervals(config.throughput_adjustment_interval_seconds);
}

// lib/report/planner_diagnostics.ts
var MOST_SNAPSHOTS = 5e4;
function diagnosticsSnapshots(ticks, latencies, options) {
  const interval = options.throughputIntervalSeconds;
  let observed = {
    observed_ttft_ms: null,
    observed_itl_ms: null,
    observed_requests_per_second: null,
    observed_input_sequence_tokens: null,
    observed_output_sequence_tokens: null,
    observed_kv_hit_rate: null
  };
  let gpuHours = 0, beforeS = NaN;
  const snapshots = [];
  let surplus = ticks.reduce((count, tick) => decided(tick) ? count + 1 : count, 0) - MOST_SNAPSHOTS;
  ticks.forEach((tick, i) => {
    const { input, topology, effects } = tick;
    const { diagnostics, scale_to } = effects;
    const nowS = tick.at_ms / 1e3;
    const gpus = topology.prefill.active_count * options.prefillGpusPerWorker + topology.decode.active_count * options.decodeGpusPerWorker;
    if (!Number.isNaN(beforeS)) gpuHours += gpus * (nowS - beforeS) / 3600;
    beforeS = nowS;
    if (input.traffic !== null) {
      observed = {
        observed_ttft_ms: latencies[i]?.ttftMs ?? null,
        observed_itl_ms: latencies[i]?.itlMs ?? null,
        observed_requests_per_second: input.traffic.num_req / interval,
        observed_input_sequence_tokens: input.traffic.isl,
        observed_output_sequence_tokens: input.traffic.osl,
        observed_kv_hit_rate: input.traffic.kv_hit_rate ?? null
      };
    }
    if (!decided(tick) || surplus-- > 0) return;
    const perSecond = (count) => count === null ? null : count / interval;
    snapshots.push({
      timestamp_s: nowS,
      num_prefill_replicas: topology.prefill.active_count,
      num_decode_replicas: topology.decode.active_count,
      ...observed,
      observed_request_duration_seconds: null,
      estimated_ttft_ms: diagnostics.estimated_ttft_ms,
      estimated_itl_ms: diagnostics.estimated_itl_ms,
      predicted_requests_per_second: perSecond(diagnostics.predicted_num_req),
      predicted_input_sequence_tokens: diagnostics.predicted_isl,
      predicted_output_sequence_tokens: diagnostics.predicted_osl,
      predicted_kv_hit_rate: diagnostics.predicted_kv_hit_rate,
      engine_rps_prefill: diagnostics.engine_rps_prefill,
      engine_rps_decode: diagnostics.engine_rps_decode,
      load_decision_reason: diagnostics.load_decision_reason,
      throughput_decision_reason: diagnostics.throughput_decision_reason,
      load_decision_reason_prefill: diagnostics.load_decision_reason_prefill,
      load_decision_reason_decode: diagnostics.load_decision_reason_decode,
      throughput_decision_reason_prefill: diagnostics.throughput_decision_reason_prefill,
      throughput_decision_reason_decode: diagnostics.throughput_decision_reason_decode,
      throughput_lower_bound_prefill: diagnostics.throughput_lower_bound_prefill,
      throughput_lower_bound_decode: diagnostics.throughput_lower_bound_decode,
      scale_to_prefill: scale_to?.num_prefill ?? null,
      scale_to_decode: scale_to?.num_decode ?? null,
      prefill_engines: (input.fpm_observations?.prefill ?? []).map(engineLoad),
      decode_engines: (input.fpm_observations?.decode ?? []).map(engineLoad),
      gpu_hours: gpuHours
    });
  });
  return snapshots;
}
var decided = ({ scheduled_tick, effects }) => scheduled_tick.run_load_scaling || scheduled_tick.run_throughput_scaling || effects.scale_to !== null;
function engineLoad({ worker_id, dp_rank, metrics }) {
  const { scheduled_requests: scheduled, queued_requests: queued } = metrics;
  return {
    worker_id,
    dp_rank,
    queued_prefill_tokens: queued.sum_prefill_tokens,
    queued_decode_kv_tokens: queued.sum_decode_kv_tokens,
    inflight_decode_kv_tokens: scheduled.sum_decode_kv_tokens
  };
}
var LAST_DATE_MS = 864e13;
var dateOf = (seconds) => new Date(Math.min(seconds * 1e3, LAST_DATE_MS));
function utcStamp(seconds) {
  return dateOf(seconds).toISOString().replace(/\.000Z$/, "Z");
}
function diagnosticsFileName(lastTickS) {
  const digits = dateOf(Math.floor(lastTickS)).toISOString().replace(/\D/g, "");
  return `planner_report_${digits.slice(0, 8)}_${digits.slice(8, 14)}_001.html`;
}
function* diagnosticsLog(snapshots, head) {
  let order = [];
  const sorted2 = (fields2) => {
    const keys = Object.keys(fields2);
    if (keys.length !== order.length) order = keys.sort();
    return `{${order.map((key) => `"${key}":${JSON.stringify(fields2[key])}`).join()}}
`;
  };
  yield sorted2({
    schema: "planner_diagnostics_snapshot_log_v1",
    kind: "metadata",
    generated_at_utc: head.generatedAtUtc,
    num_snapshots: snapshots.length,
    html_report_path: head.htmlReportPath,
    ttft_ms: head.ttftMs,
    itl_ms: head.itlMs
  });
  for (const snapshot of snapshots) {
    yield sorted2({
      kind: "snapshot",
      timestamp_utc: utcStamp(snapshot.timestamp_s),
      ...snapshot
    });
  }
}

// lib/replay/planner_diagnostics.ts
async function writePlannerDiagnostics(planner, report, { kvCapacityTokens, nowMs }) {
  const { config, recorder } = planner;
  const section = report.planner;
  const wanted = config.report_interval_hours !== null || config.live_dashboard_port !== 0;
  if (!wanted || section === null || !recorder.capturesDetails || section.ticks.length === 0) return;
  const snapshots = diagnosticsSnapshots(section.ticks, recorder.latencies, {
    throughputIntervalSeconds: config.throughput_adjustment_interval_seconds,
    prefillGpusPerWorker: report.summary.prefill_gpus_per_worker,
    decodeGpusPerWorker: report.summary.decode_gpus_per_worker
  });
  const name = config.report_filename ?? diagnosticsFileName(section.ticks.at(-1).at_ms / 1e3);
  const path = joinPath(config.report_output_dir, name);
  host().makeDirectory(config.report_output_dir);
  const bounds = {
    ttftMs: config.ttft_ms,
    itlMs: config.itl_ms
  };
  const { diagnosticsPage } = await import(import.meta.resolve("./lib.analysis.diagnostics_page.js"));
  await writeFileAtomically(path, diagnosticsPage(snapshots, {
    ...bounds,
    kvCapacityTokens,
    cost: report.evaluation?.cost
  }));
  if (config.report_write_gzip_log) {
    const head = {
      ...bounds,
      htmlReportPath: path,
      generatedAtUtc: utcStamp(Math.floor(nowMs / 1e3))
    };
    const log = `${path.replace(/\.html$/, "")}.log.jsonl.gz`;
    await writeFileAtomically(log, [
      ...diagnosticsLog(snapshots, head)
    ].join(""), {
      gzip: true
    });
  }
  section.html_report_path = path;
}

// lib/replay/planner_autoscaler.ts
async function makeAutoscaler({ config, written = config }, context) {
  const planner = await makePlanner(config, written, context);
  const { recorder } = planner;
  return {
    policy: planner,
    planner,
    ticks: () => recorder.section().ticks,
    section: ({ lifecycle }) => recorder.section(lifecycle),
    async finish(report) {
      if (context.capture.diagnostics === false) return;
      const { rank } = context.pools[context.pools.length - 1].settings;
      const kvCapacityTokens = rank.blocks * rank.blockTokens;
      await writePlannerDiagnostics(planner, report, {
        kvCapacityTokens,
        nowMs: Date.now()
      });
    }
  };
}

export {
  readPlannerConfig,
  recordedHistory,
  bucketSeries,
  trafficIntervals,
  DEFAULT_SETTINGS,
  predictors,
  createPredictor,
  canonicalJson,
  bootstrap,
  noBootstrap,
  capabilitiesOf,
  isRetuneOnly,
  parsePlannerConfig,
  noFindings,
  Planner,
  plannerWarnings,
  TickForm,
  PlannerRecorder,
  scalingEvent,
  RecordedPlanner,
  warmupIntervals,
  readWarmupTrace,
  makeAutoscaler
};
