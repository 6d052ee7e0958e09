/**
 * Fits a correction of one level to some of the measured passes. Everything is a median or a robust straight line:
 * recorders split the time of a pass wrongly between neighbours now and then.
 *
 * @module
 */
import { PassCorrection, type PassCorrections } from "../timing/calibration/correction.ts";
import { type CalibrationLevel, type PhaseCorrection, PHASES } from "../timing/calibration/profile.ts";
import type { PassSamples } from "./pass_samples.ts";
import { median } from "./statistics.ts";

/** Fewer passes of a phase carry no ratio of their own. */
export const LEAST_OF_PHASE = 10;
/** Fewer passes of a phase carry no constant. */
const LEAST_FOR_CONSTANT = 30;
/** Without such a spread of estimates (highest by lowest decile) a constant cannot be told from a ratio. */
const LEAST_SPREAD = 1.1;
/** Fewer passes make no knot of a curve. */
const LEAST_OF_KNOT = 3;
/** So many decode passes of exactly one batch make a knot of their own, fewer one with others of their half octave. */
const OWN_KNOT = 10;
/** Variance of a median by that of a mean, of normal values; and a standard deviation by a median of deviations. */
const MEDIAN_VARIANCE = Math.PI / 2, DEVIATION = 1.4826;
/** Ratios stay inside. */
const LEAST_RATIO = 0.25, MOST_RATIO = 4;
const ROUNDS = 30;

/** A level, and what a curve stands on. */
export interface FitLevel {
  readonly level: CalibrationLevel;
  /** The level whose ratios and constants a curve multiplies. */
  readonly under?: CalibrationLevel;
}

const held = (ratio: number) => Math.min(Math.max(ratio, LEAST_RATIO), MOST_RATIO);

/**
 * The correction of a level.
 *
 * @param rows indices into the samples: those it is fitted to
 */
export function fitPasses(
  samples: PassSamples,
  rows: Int32Array,
  { level, under = "phases" }: FitLevel,
): PassCorrections {
  const byPhase = PHASES.map((_, phase) => rows.filter((row) => samples.phase[row] === phase));
  const base = level === "curves" ? under : level;
  const scale = level === "none" ? 1 : held(median(ratiosOf(samples, rows)));
  const lines = straightLines(samples, byPhase, scale, base);
  const phases = PHASES.map((_, phase): PhaseCorrection | null => {
    const own = byPhase[phase];
    if (own.length === 0) return null;
    const { ratio, constantMs } = lines[phase];
    return {
      ratio,
      constant_ms: constantMs,
      curve: level === "curves" ? curve(samples, own, lines[phase], PHASES[phase] === "decode") : [],
      n: own.length,
      seen: { decode_requests: rangeOf(samples.decodes, own), prefill_tokens: rangeOf(samples.tokens, own) },
    };
  });
  return { phases: { prefill: phases[0], decode: phases[1], mixed: phases[2] } };
}

const ratiosOf = ({ measuredMs, estimateMs }: PassSamples, rows: Int32Array) =>
  Float64Array.from(rows, (row) => measuredMs[row] / estimateMs[row]);

/** Least and most of what is there; null where nothing is. */
function rangeOf(column: Float64Array, rows: Int32Array): [number, number] | null {
  let least = Infinity, most = 0;
  for (const row of rows) {
    if (column[row] < least) least = column[row];
    if (column[row] > most) most = column[row];
  }
  return most === 0 ? null : [least, most];
}

interface StraightLine {
  ratio: number;
  constantMs: number;
}

function straightLines(
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

/** Medians of what a straight line leaves, by size of the pass: each decode batch that is frequent, all else by half octaves. */
function curve(samples: PassSamples, rows: Int32Array, line: StraightLine, overDecodes: boolean): [number, number][] {
  const sizes = overDecodes ? samples.decodes : samples.tokens;
  const often = new Map<number, number>();
  for (const row of rows) often.set(sizes[row], (often.get(sizes[row]) ?? 0) + 1);
  // engines pad decode batches to the sizes of their graphs, so that neighbouring sizes can differ by a fifth
  const members = Map.groupBy(
    rows,
    (row) =>
      overDecodes && often.get(sizes[row])! >= OWN_KNOT
        ? Math.log2(sizes[row])
        : Math.round(2 * Math.log2(sizes[row])) / 2,
  );
  const found: { x: number; left: number; n: number }[] = [], deviations: number[] = [];
  for (const own of members.values()) {
    if (own.length < LEAST_OF_KNOT) continue;
    const x = own.reduce((sum, row) => sum + Math.log2(sizes[row]), 0) / own.length;
    const ratios = Float64Array.from(
      own,
      (row) => (samples.measuredMs[row] - line.constantMs) / samples.estimateMs[row] / line.ratio,
    );
    const left = median(ratios);
    found.push({ x, left, n: own.length });
    for (const ratio of ratios) deviations.push(Math.abs(ratio / left - 1));
  }
  // those of a half octave lie between frequent batches of it
  found.sort((a, b) => a.x - b.x);
  // A knot keeps as much of its own median as knots differ from the level below by more than chance makes of medians
  // (James and Stein, 1961). What chance makes is told from all knots: three passes can agree by chance.
  const deviation = DEVIATION * median(deviations);
  const chance = ({ left, n }: typeof found[number]) => MEDIAN_VARIANCE * (deviation * left) ** 2 / n;
  const between = found.reduce((sum, knot) => sum + (knot.left - 1) ** 2 - chance(knot), 0) / found.length;
  return found.filter(({ x }, i) => i === 0 || x > found[i - 1].x).map((knot) => [
    knot.x,
    between > 0 ? held(1 + between / (between + chance(knot)) * (knot.left - 1)) : 1,
  ]);
}

/** Corrected estimates of some rows. */
export function correctedMs(samples: PassSamples, rows: Int32Array, corrections: PassCorrections): Float64Array {
  const correction = new PassCorrection(corrections);
  const { estimateMs, tokens, decodes } = samples;
  return Float64Array.from(rows, (row) => correction.passMs(estimateMs[row], tokens[row], decodes[row]));
}
