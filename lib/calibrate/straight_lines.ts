/**
 * Ratios and constants of passes: medians, or robust straight lines. Recorders split the time of a pass wrongly between
 * neighbours now and then.
 *
 * @module
 */
import { type CalibrationLevel, PHASES } from "../timing/calibration/profile.ts";
import type { PassSamples } from "./pass_samples.ts";
import { median } from "./statistics.ts";

/** Fewer passes of a phase carry no ratio of their own. */
const LEAST_OF_PHASE = 10;
/** Fewer passes of a phase carry no constant. */
const LEAST_FOR_CONSTANT = 30;
/** Without such a spread of estimates (highest by lowest decile) a constant cannot be told from a ratio. */
const LEAST_SPREAD = 1.1;
/** Ratios stay inside. */
const LEAST_RATIO = 0.25, MOST_RATIO = 4;
const ROUNDS = 30;

/** A ratio inside of what may be. */
export const held = (ratio: number): number => Math.min(Math.max(ratio, LEAST_RATIO), MOST_RATIO);

/** Measured by estimated times. */
export const ratiosOf = ({ measuredMs, estimateMs }: PassSamples, rows: Int32Array): Float64Array =>
  Float64Array.from(rows, (row) => measuredMs[row] / estimateMs[row]);

/** `ratio · estimate + constantMs`. */
export interface StraightLine {
  ratio: number;
  constantMs: number;
}

/**
 * A straight line for each phase.
 *
 * @param scale median ratio of all passes
 */
export function straightLines(
  samples: PassSamples,
  byPhase: readonly Int32Array[],
  scale: number,
  level: CalibrationLevel,
): StraightLine[] {
  const lines = byPhase.map((rows) => ({
    ratio: level === "none" || level === "scale" || rows.length < LEAST_OF_PHASE
      ? scale
      : held(median(ratiosOf(samples, rows))),
    constantMs: 0,
  }));
  const carries = byPhase.map((rows) => rows.length >= LEAST_FOR_CONSTANT && spread(samples, rows) >= LEAST_SPREAD);
  if (level === "pass_constant") {
    // mixed passes do the work of both others at once, so that their shape says little of a constant
    const together = byPhase.filter((_, phase) => carries[phase] && PHASES[phase] !== "mixed");
    if (together.length === 0) return lines;
    const fitted = withConstant(samples, together);
    byPhase.forEach((rows, phase) => {
      if (together.includes(rows)) {
        lines[phase] = { ratio: held(fitted.ratios[together.indexOf(rows)]), constantMs: fitted.ms };
      } else if (rows.length >= LEAST_OF_PHASE) lines[phase] = besideConstant(samples, rows, fitted.ms);
    });
  } else if (level === "phase_constants") {
    byPhase.forEach((rows, phase) => {
      if (!carries[phase]) return;
      const { ratios: [ratio], ms } = withConstant(samples, [rows]);
      lines[phase] = { ratio: held(ratio), constantMs: ms };
    });
  }
  return lines;
}

/** The ratio that is left of measured times when a constant is taken off. */
function besideConstant({ measuredMs, estimateMs }: PassSamples, rows: Int32Array, constantMs: number): StraightLine {
  const ratio = median(Float64Array.from(rows, (row) => (measuredMs[row] - constantMs) / estimateMs[row]));
  return { ratio: held(ratio), constantMs };
}

/** Highest by lowest decile of the estimates. */
function spread({ estimateMs }: PassSamples, rows: Int32Array): number {
  const sorted = Float64Array.from(rows, (row) => estimateMs[row]).sort();
  return sorted[Math.floor(sorted.length * 0.9)] / sorted[Math.floor(sorted.length * 0.1)];
}

/**
 * Ratios of some phases and one constant (at least 0) that all of them have in common, by iteratively reweighted least
 * squares of relative errors (Huber's weights, 1964): minimises the sum of weight · ((ratio · x + c − y) / y)².
 */
function withConstant(
  { measuredMs, estimateMs }: PassSamples,
  phases: readonly Int32Array[],
): { ratios: number[]; ms: number } {
  const weights = phases.map((rows) => new Float64Array(rows.length).fill(1));
  let ratios = phases.map(() => 1), ms = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let above = 0, below = 0;
    const sums = phases.map((rows, phase) => {
      let uu = 0, uv = 0, vv = 0, u = 0, v = 0;
      rows.forEach((row, i) => {
        const weight = weights[phase][i], a = estimateMs[row] / measuredMs[row], b = 1 / measuredMs[row];
        uu += weight * a * a;
        uv += weight * a * b;
        vv += weight * b * b;
        u += weight * a;
        v += weight * b;
      });
      above += v - uv * u / uu;
      below += vv - uv * uv / uu;
      return { uu, uv, u };
    });
    ms = below > 0 ? Math.max(above / below, 0) : 0;
    ratios = sums.map(({ uu, uv, u }) => (u - ms * uv) / uu);
    const errors = phases.map((rows, phase) =>
      Float64Array.from(rows, (row) => Math.abs((ratios[phase] * estimateMs[row] + ms) / measuredMs[row] - 1))
    );
    errors.forEach((own, phase) => {
      const bound = Math.max(1.5 * 1.4826 * median(own), 1e-9);
      own.forEach((error, i) => weights[phase][i] = error <= bound ? 1 : bound / error);
    });
  }
  return { ratios, ms };
}
