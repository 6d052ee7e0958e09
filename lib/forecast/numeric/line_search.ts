/**
 * The line search of Moré and Thuente ("Line search algorithms with guaranteed sufficient decrease", 1994): finds a step
 * that lowers the function enough and flattens its slope, keeping an interval that must contain one.
 * Its constants are those SciPy's L-BFGS-B calls it with, whose steps the fits of `arima` follow.
 *
 * @module
 */

/** Value and slope along the line at one step. */
export interface Trial {
  step: number;
  value: number;
  slope: number;
}

const DECREASE = 1e-3;
const CURVATURE = 0.9;
const WIDTH = 0.1;
const MAX_STEP = 1e10;
const MAX_EVALUATIONS = 20;

/**
 * Searches along a descent direction from `start` (its `step` is the first one to try).
 *
 * @returns the accepted trial, or null when twenty evaluations found none
 */
export function lineSearch<T extends Trial>(start: Trial, evaluate: (step: number) => T): T | null {
  const needed = DECREASE * start.slope;
  let bracketed = false;
  /** While true the search runs on the function minus its guaranteed decrease (the paper's auxiliary function). */
  let auxiliary = true;
  let width = MAX_STEP, previousWidth = 2 * width;
  let best: Trial = { step: 0, value: start.value, slope: start.slope };
  let other: Trial = best;
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
    const tilt = (t: Trial, sign: number): Trial => ({
      step: t.step,
      value: t.value + sign * t.step * needed,
      slope: t.slope + sign * needed,
    });
    const from = lifted
      ? { best: tilt(best, -1), other: tilt(other, -1), trial: tilt(trial, -1) }
      : { best, other, trial: { step, value: trial.value, slope: trial.slope } };
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

interface NextStep {
  best: Trial;
  other: Trial;
  step: number;
  bracketed: boolean;
}

/** Minimiser of the cubic through two points with their slopes; null where it has none. */
function cubicMinimum(a: Trial, b: Trial, allowNegative: boolean): { gamma: number; theta: number } {
  const theta = 3 * (a.value - b.value) / (b.step - a.step) + a.slope + b.slope;
  const s = Math.max(Math.abs(theta), Math.abs(a.slope), Math.abs(b.slope));
  const square = (theta / s) ** 2 - (a.slope / s) * (b.slope / s);
  return { gamma: s * Math.sqrt(allowNegative ? square : Math.max(0, square)), theta };
}

/** The safeguarded choice of the next step and of the interval's ends (the paper's four cases). */
function nextStep(best: Trial, other: Trial, trial: Trial, bracketed: boolean, low: number, high: number): NextStep {
  const sameSign = trial.slope * (best.slope / Math.abs(best.slope)) >= 0;
  const away = trial.step - best.step;
  let step: number;
  if (trial.value > best.value) {
    // Higher: a minimum lies between; prefer the cubic's unless the parabola's is nearer to the best point.
    let { gamma, theta } = cubicMinimum(best, trial, true);
    if (trial.step < best.step) gamma = -gamma;
    const p = gamma - best.slope + theta, q = gamma - best.slope + gamma + trial.slope;
    const cubic = best.step + (p / q) * away;
    const parabola = best.step +
      (best.slope / ((best.value - trial.value) / away + best.slope) / 2) * away;
    step = Math.abs(cubic - best.step) < Math.abs(parabola - best.step) ? cubic : cubic + (parabola - cubic) / 2;
    bracketed = true;
  } else if (!sameSign) {
    // Lower, slope of the other sign: a minimum lies between; take the farther of cubic and secant.
    let { gamma, theta } = cubicMinimum(best, trial, true);
    if (trial.step > best.step) gamma = -gamma;
    const p = gamma - trial.slope + theta, q = gamma - trial.slope + gamma + best.slope;
    const cubic = trial.step + (p / q) * (best.step - trial.step);
    const secant = trial.step + (trial.slope / (trial.slope - best.slope)) * (best.step - trial.step);
    step = Math.abs(cubic - trial.step) > Math.abs(secant - trial.step) ? cubic : secant;
    bracketed = true;
  } else if (Math.abs(trial.slope) < Math.abs(best.slope)) {
    // Lower and flatter: the cubic only if it has its minimum beyond the trial.
    let { gamma, theta } = cubicMinimum(best, trial, false);
    if (trial.step > best.step) gamma = -gamma;
    const p = gamma - trial.slope + theta, q = gamma + (best.slope - trial.slope) + gamma;
    const ratio = p / q;
    const cubic = ratio < 0 && gamma !== 0
      ? trial.step + ratio * (best.step - trial.step)
      : trial.step > best.step
      ? high
      : low;
    const secant = trial.step + (trial.slope / (trial.slope - best.slope)) * (best.step - trial.step);
    if (bracketed) {
      step = Math.abs(cubic - trial.step) < Math.abs(secant - trial.step) ? cubic : secant;
      const limit = trial.step + 0.66 * (other.step - trial.step);
      step = trial.step > best.step ? Math.min(limit, step) : Math.max(limit, step);
    } else {
      step = Math.abs(cubic - trial.step) > Math.abs(secant - trial.step) ? cubic : secant;
      step = Math.max(low, Math.min(high, step));
    }
  } else if (bracketed) {
    // Lower but not flatter, with a known other end: the cubic through trial and other.
    let { gamma, theta } = cubicMinimum(trial, other, true);
    if (trial.step > other.step) gamma = -gamma;
    const p = gamma - trial.slope + theta, q = gamma - trial.slope + gamma + other.slope;
    step = trial.step + (p / q) * (other.step - trial.step);
  } else {
    step = trial.step > best.step ? high : low;
  }
  if (trial.value > best.value) return { best, other: trial, step, bracketed };
  return { best: trial, other: sameSign ? other : best, step, bracketed };
}
