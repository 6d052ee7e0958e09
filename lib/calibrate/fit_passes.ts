/**
 * Fits a correction of one level to some of the measured passes.
 *
 * @module
 */
import { PassCorrection, type PassCorrections } from "../timing/calibration/correction.ts";
import {
  type CalibrationLevel,
  type CellAxis,
  type PartCorrection,
  type Phase,
  type PhaseCorrection,
  PHASES,
  type TableAxis,
} from "../timing/calibration/profile.ts";
import { fitCells } from "./fit_cells.ts";
import { fitCurve, fitTable } from "./fit_curves.ts";
import { type PassSamples, withUneven } from "./pass_samples.ts";
import { median } from "./statistics.ts";
import { held, ratiosOf, type StraightLine, straightLines } from "./straight_lines.ts";

/** Passes of each side, without which a phase is not cut in two. */
const LEAST_OF_SIDE = 5;
/** Sizes at which a phase may be cut: engines capture graphs up to some power of two. */
const CUTS = [32, 64, 128, 256, 512, 1024, 2048, 4096];
/** A cut, or a least time, must take this share off the error of the passes it is fitted to. */
const CUT_TAKES_OFF = 0.1, LEAST_TAKES_OFF = 0.05;
/** Quantiles of the measured times that are tried as least time. */
const TRIED_TIMES = 12;
/** A pass is above a least time by this share. */
const ABOVE = 1.08;
/** One pass counts with such an error at most. */
const MOST_ERROR = 0.5;

/** A level, and what it stands on. */
export interface FitLevel {
  readonly level: CalibrationLevel;
  /** The level whose ratios and constants a curve multiplies. Default `phases`. */
  readonly under?: CalibrationLevel;
  /** Whether tables multiply curves apart for small and large passes, or one curve. Default: one. */
  readonly regimes?: boolean;
  /** Whether tables multiply no curve. Default: they do. */
  readonly flat?: boolean;
  /** What tables are over. Default: none. */
  readonly tables?: readonly TableAxis[];
  /** What nested cells are over, beside prompt tokens. Default: there are none. */
  readonly cells?: readonly CellAxis[];
  /** See `PhaseCorrection`. Default 0. */
  readonly uneven?: number;
  /** The only phase whose curves are wanted. Default: all. */
  readonly of?: Phase;
}

/**
 * The correction of a level.
 *
 * @param rows indices into the samples: those it is fitted to
 */
export function fitPasses(given: PassSamples, rows: Int32Array, fit: FitLevel): PassCorrections {
  const { level, under = "phases", flat = false, uneven = 0 } = fit, samples = withUneven(given, uneven);
  const byPhase = PHASES.map((_, phase) => rows.filter((row) => samples.phase[row] === phase));
  const curved = level === "curves" || level === "regimes" || level === "tables" ||
    level === "cells";
  const scale = level === "none" || (flat && under === "none") ? 1 : held(median(ratiosOf(samples, rows)));
  const lines = straightLines(samples, byPhase, scale, curved ? under : level);
  const phases = PHASES.map((name, phase): PhaseCorrection | null => {
    const own = byPhase[phase];
    if (own.length === 0) return null;
    const wanted = curved && (fit.of === undefined || fit.of === name);
    const part = wanted ? fitCurves(samples, own, name, lines[phase], fit) : partOf(samples, own, lines[phase]);
    return name === "decode" && uneven > 0 ? { ...part, uneven } : part;
  });
  return { phases: { prefill: phases[0], decode: phases[1], mixed: phases[2] } };
}

function partOf(samples: PassSamples, rows: Int32Array, { ratio, constantMs }: StraightLine): PartCorrection {
  return {
    ratio,
    constant_ms: constantMs,
    curve: [],
    n: rows.length,
    seen: { decode_requests: rangeOf(samples.decodes, rows), prefill_tokens: rangeOf(samples.tokens, rows) },
  };
}

/** Least and most of what is there; null where nothing is. */
function rangeOf(column: Float64Array, rows: Int32Array): [number, number] | null {
  let least = Infinity, most = 0;
  for (const row of rows) {
    if (column[row] < least) least = column[row];
    if (column[row] > most) most = column[row];
  }
  return most === 0 ? null : [least, most];
}

/** Curves of one phase, one for all its passes or apart for small and large ones. */
function fitCurves(
  samples: PassSamples,
  rows: Int32Array,
  phase: Phase,
  line: StraightLine,
  { level, regimes = level === "regimes", flat = false, tables = [], cells }: FitLevel,
): PhaseCorrection {
  const fitted = (own: Int32Array) => fitPart(samples, own, phase, regimes ? null : line, { flat, tables, cells });
  let best: PhaseCorrection = fitted(rows);
  if (!regimes || phase === "decode") return best;
  let error = errorOf(samples, rows, phase, best);
  const computed = (row: number) => samples.tokens[row] + samples.decodes[row];
  for (const tokens of CUTS) {
    const small = rows.filter((row) => computed(row) <= tokens), large = rows.filter((row) => computed(row) > tokens);
    if (small.length < LEAST_OF_SIDE || large.length < LEAST_OF_SIDE) continue;
    const cut: PhaseCorrection = { ...fitted(small), beyond: { tokens, ...fitted(large) } };
    const left = errorOf(samples, rows, phase, cut);
    if (left < error * (1 - CUT_TAKES_OFF)) [best, error] = [cut, left];
  }
  return best;
}

/** @param line what the curve stands on; null for a ratio and a least time of the passes' own */
function fitPart(
  samples: PassSamples,
  rows: Int32Array,
  phase: Phase,
  line: StraightLine | null,
  { flat, tables, cells }: { flat: boolean; tables: readonly TableAxis[]; cells?: readonly CellAxis[] },
): PartCorrection {
  const { estimateMs, measuredMs } = samples, sizes = phase === "decode" ? samples.decodes : samples.tokens;
  const { leastMs, ...under } = line === null ? withLeast(samples, rows) : { ...line, leastMs: 0 };
  const part = { ...partOf(samples, rows, under), ...(leastMs > 0 ? { least_ms: leastMs } : {}) };
  const left = (row: number) => (measuredMs[row] - under.constantMs) / Math.max(under.ratio * estimateMs[row], leastMs);
  if (!flat) part.curve = fitCurve(sizes, rows, left, phase === "decode");
  const ratios = () => {
    const sofar = correctedBy(samples, rows, phase, part), at = new Map(Array.from(rows, (row, i) => [row, i]));
    return (row: number) => measuredMs[row] / sofar[at.get(row)!];
  };
  for (const over of tables) {
    const table = fitTable(samples, sizes, rows, ratios(), over);
    if (table !== null) part.tables = [...part.tables ?? [], table];
  }
  if (cells !== undefined) part.cells = fitCells(samples, rows, ratios(), cells);
  return part;
}

/** A ratio of passes, none of which is shorter than some time: the shortest launch of kernels, for example. */
function withLeast({ estimateMs, measuredMs }: PassSamples, rows: Int32Array): StraightLine & { leastMs: number } {
  const errorWith = (ratio: number, leastMs: number) =>
    rows.reduce((sum, row) => {
      const error = Math.abs(Math.max(ratio * estimateMs[row], leastMs) / measuredMs[row] - 1);
      return sum + Math.min(error, MOST_ERROR);
    }, 0);
  const ratioAbove = (ms: number) => {
    const above = rows.filter((row) => measuredMs[row] > ABOVE * ms);
    return above.length < LEAST_OF_SIDE
      ? 0
      : held(median(Float64Array.from(above, (row) => measuredMs[row] / estimateMs[row])));
  };
  const times = Float64Array.from(rows, (row) => measuredMs[row]).sort();
  let ratio = held(median(Float64Array.from(rows, (row) => measuredMs[row] / estimateMs[row]))), leastMs = 0;
  let error = errorWith(ratio, 0);
  for (let i = 0; i < TRIED_TIMES; i++) {
    const ms = times[Math.floor(times.length * 0.9 * i / TRIED_TIMES)], tried = ratioAbove(ms);
    const left = errorWith(tried, ms);
    if (left < error * (1 - LEAST_TAKES_OFF)) [ratio, leastMs, error] = [tried, ms, left];
  }
  // all passes may be as short as that; a ratio is more than nothing
  return { ratio: ratio || held(leastMs / times[times.length - 1]), constantMs: 0, leastMs };
}

function errorOf(samples: PassSamples, rows: Int32Array, phase: Phase, correction: PhaseCorrection): number {
  const corrected = correctedBy(samples, rows, phase, correction);
  return rows.reduce(
    (sum, row, i) => sum + Math.min(Math.abs(corrected[i] / samples.measuredMs[row] - 1), MOST_ERROR),
    0,
  );
}

const NONE: PassCorrections["phases"] = { prefill: null, decode: null, mixed: null };

function correctedBy(samples: PassSamples, rows: Int32Array, phase: Phase, correction: PhaseCorrection): Float64Array {
  return correctedMs(samples, rows, { phases: { ...NONE, [phase]: correction } });
}

/** Corrected estimates of some rows. */
export function correctedMs(samples: PassSamples, rows: Int32Array, corrections: PassCorrections): Float64Array {
  const correction = new PassCorrection(corrections);
  const { estimateMs, unevenMs, tokens, decodes, priorTokens, contextTokens, prompts } = samples;
  return Float64Array.from(rows, (row) => {
    const ms = estimateMs[row] + correction.uneven * unevenMs[row];
    return correction.passMs(ms, tokens[row], decodes[row], priorTokens[row], contextTokens[row], prompts[row]);
  });
}
