/**
 * Unconstrained minimisation with limited-memory BFGS (Liu and Nocedal, "On the limited memory BFGS method for large
 * scale optimization", 1989; ten pairs) and the line search of Moré and Thuente. Where a fit stops decides which ARIMA
 * order wins, so step sizes, tolerances and limits are those that pmdarima 2.1.1 fits with (statsmodels' SARIMAX through
 * SciPy's L-BFGS-B without bounds): results follow that implementation, the code follows the papers.
 *
 * @module
 */
import { lineSearch } from "./line_search.ts";

/** Function value at a point; the gradient is taken by forward differences. */
export type Objective = (point: Float64Array) => number;

const PAIRS = 10;
const DIFFERENCE = 1e-5;
const GRADIENT_TOLERANCE = 1e-5;
const DECREASE_TOLERANCE = 2.220446049250313e-9;
const EPSILON = 2.220446049250313e-16;

/** Where a minimisation stopped. */
export interface Minimum {
  point: Float64Array;
  value: number;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** Writes the gradient at a point, where the function has `value`, into `gradient`. */
function gradientAt(objective: Objective, point: Float64Array, value: number, gradient: Float64Array): void {
  for (let i = 0; i < point.length; i++) {
    const x = point[i];
    point[i] = x + DIFFERENCE;
    gradient[i] = (objective(point) - value) / (point[i] - x);
    point[i] = x;
  }
}

/** The last steps and gradient changes, newest last, as an approximation of the inverse curvature. */
class Curvature {
  #steps: Float64Array[] = [];
  #changes: Float64Array[] = [];
  /** Their scalar products. */
  #products: number[] = [];
  readonly #weights = new Float64Array(PAIRS);

  get empty(): boolean {
    return this.#steps.length === 0;
  }

  clear(): void {
    this.#steps = [];
    this.#changes = [];
    this.#products = [];
  }

  add(step: Float64Array, change: Float64Array, product: number): void {
    this.#steps.push(step);
    this.#changes.push(change);
    this.#products.push(product);
    if (this.#steps.length > PAIRS) {
      this.#steps.shift();
      this.#changes.shift();
      this.#products.shift();
    }
  }

  /** Writes the descent direction for a gradient into `direction` (the two-loop recursion). */
  direction(gradient: Float64Array, direction: Float64Array): void {
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
}

function largest(vector: Float64Array): number {
  let most = 0;
  for (let i = 0; i < vector.length; i++) most = Math.max(most, Math.abs(vector[i]));
  return most;
}

/** Writes `a + factor * b` into `result`. */
function sum(a: Float64Array, factor: number, b: Float64Array, result: Float64Array): Float64Array {
  for (let i = 0; i < a.length; i++) result[i] = a[i] + factor * b[i];
  return result;
}

/**
 * Minimises from `start`, at most `maxIterations` steps. Stops when no component of the gradient exceeds 1e-5, when a
 * step gains next to nothing, or when no step along the steepest descent helps.
 */
export function minimise(objective: Objective, start: Float64Array, maxIterations: number): Minimum {
  const size = start.length;
  let point = start.slice(), value = objective(point);
  let gradient = new Float64Array(size);
  gradientAt(objective, point, value, gradient);
  // The point that a line search looks at, with its gradient: what it looked at before is no longer needed then.
  let trialPoint = new Float64Array(size), trialGradient = new Float64Array(size);
  const direction = new Float64Array(size), curvature = new Curvature();
  const evaluate = (step: number) => {
    const there = objective(sum(point, step, direction, trialPoint));
    gradientAt(objective, trialPoint, there, trialGradient);
    return { step, value: there, slope: dot(trialGradient, direction) };
  };
  let iteration = 0;
  while (iteration < maxIterations && largest(gradient) > GRADIENT_TOLERANCE) {
    curvature.direction(gradient, direction);
    const slope = dot(gradient, direction);
    let found: { step: number; value: number } | null = null;
    if (slope < 0) {
      const first = iteration === 0 ? Math.min(1 / Math.sqrt(dot(direction, direction)), 1e10) : 1;
      found = lineSearch({ value, slope, step: first }, evaluate);
    }
    if (!found) {
      // The curvature was misleading: forget it and try steepest descent once; without curvature there is nothing left.
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
    const product = dot(step, change);
    if (product > EPSILON * (-slope * found.step)) curvature.add(step, change, product);
  }
  return { point, value };
}
