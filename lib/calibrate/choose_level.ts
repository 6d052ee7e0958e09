/**
 * Chooses the simplest correction that pays, for each phase: a level is fitted to four fifths of the passes and
 * judged by the rest, five times; a more detailed one is taken only when it makes the error clearly smaller.
 *
 * @module
 */
import type { PassCorrections } from "../timing/calibration/correction.ts";
import {
  type CalibrationLevel,
  type CellAxis,
  LEVELS,
  type Phase,
  PHASES,
  type TableAxis,
} from "../timing/calibration/profile.ts";
import { USUAL_UNEVEN } from "../timing/calibration/uneven.ts";
import { besidePromptsMs } from "./beside_prompts.ts";
import { correctedMs, type FitLevel, fitPasses } from "./fit_passes.ts";
import type { PassSamples } from "./pass_samples.ts";
import { median } from "./statistics.ts";

/** Fewer passes are reported, not fitted. */
export const LEAST_PASSES = 20;
/**
 * A level must take this share off the error of the one below: the more passes there are, the less of a difference of their
 * medians is chance.
 */
const mustTakeOff = (passes: number): number => Math.min(Math.max(2 / Math.sqrt(passes), 0.1), 0.2);
/** Another unevenness than the usual must take this share off. */
const UNEVEN_TAKES_OFF = 0.2;
/** A level that helps every size alike may cost this share of the error of the frequent ones. */
const SLACK = 0.15;
/** An error so small (a share) needs no more detail. */
const SMALL_ENOUGH = 0.001;
/** An error below (a share) is not worth more than curves. */
const WORTH_MORE = 0.005;
/** Neighbours in time are alike, so that folds are made of blocks of them. */
const MOST_OF_BLOCK = 50, LEAST_BLOCKS = 20;
/** Parts of which each is held out once. */
const FOLDS = 5;

/** A level that was tried for a phase. */
export interface TriedLevel {
  /** Whose passes it was tried on. */
  readonly phase: Phase;
  /** The level. */
  readonly level: CalibrationLevel;
  /** Held-out error: median of absolute errors, in percent. */
  readonly error: number;
  /** Whether it was taken. */
  readonly accepted: boolean;
}

/** What came of it. */
export interface ChosenLevel {
  /** The most detailed level of the phases. */
  readonly level: CalibrationLevel;
  /** Fitted to all passes. */
  readonly corrections: PassCorrections;
  readonly tried: readonly TriedLevel[];
  /** Every pass as the correction gives it that was fitted without its part. */
  readonly heldOutMs: Float64Array;
}

/** A level, fitted to all passes and judged by parts. */
interface Judged {
  readonly fit: FitLevel;
  readonly corrections: PassCorrections;
  readonly heldOutMs: Float64Array;
}

/** Levels above `none`, in the order in which they are tried. */
const TRIED = ["scale", "phases", "pass_constant", "phase_constants", "curves", "regimes", "tables", "cells"] as const;
/** What tables of a phase may be over. */
const AXES: Readonly<Record<Phase, readonly TableAxis[]>> = {
  prefill: ["prior_tokens"],
  decode: ["context_tokens"],
  mixed: ["prior_tokens", "decode_requests"],
};
/** What nested cells of a phase may be over; decode steps have none. */
const CELLS: Readonly<Record<Phase, readonly (readonly CellAxis[])[]>> = {
  prefill: [["prior_tokens", "prompts"]],
  decode: [],
  mixed: [["prior_tokens", "decode_requests", "prompts"], ["prior_tokens", "decode_requests"]],
};
/** What uneven lengths may make of decode steps, where the recording speaks against the usual. */
const OTHER_UNEVEN = [0, USUAL_UNEVEN / 2, USUAL_UNEVEN * 2];

/** What is tried of a level, when `best` was accepted before. */
function triedOf(level: typeof TRIED[number], phase: Phase, best: FitLevel): FitLevel[] {
  const { uneven } = best;
  // a curve may stand on the ratios alone, or on what was accepted so far
  if (level === "curves") {
    return [...new Set<CalibrationLevel>(["phases", best.level])].map((under) => ({ level, under, uneven }));
  }
  if (level === "regimes") return phase === "decode" ? [] : [{ level, uneven }];
  if (level !== "tables" && level !== "cells") return [{ level, uneven }];
  const regimes = best.level === "regimes", flat = !regimes && best.level !== "curves";
  const under = regimes ? "phases" : flat ? best.level : best.under;
  if (level === "cells") {
    const standing: FitLevel[] = best.level === "tables" ? [best] : [{ level, under, regimes, flat, uneven }];
    if (phase === "mixed") standing.push({ level, regimes: true, uneven });
    return standing.flatMap((fit) => CELLS[phase].map((cells) => ({ ...fit, level, cells })));
  }
  const axes = AXES[phase], tables = axes.length > 1 ? [...axes.map((axis) => [axis]), axes] : [axes];
  return tables.map((tables) => ({ level, under, regimes, flat, tables, uneven }));
}

/** What was chosen for a phase. */
interface ChosenOfPhase {
  readonly best: Judged;
  readonly error: number;
  readonly tried: readonly TriedLevel[];
}

/**
 * Chooses for each phase and fits.
 *
 * @param onShare hears which share of the levels of all phases was tried
 */
export function chooseLevel(samples: PassSamples, onShare?: (share: number) => void): ChosenLevel {
  const all = Int32Array.from({ length: samples.count }, (_, row) => row), folds = foldsOf(samples);
  const tried: TriedLevel[] = [], heldOutMs = new Float64Array(samples.count), phases = { ...NOTHING };
  let most = 0;
  PHASES.forEach((phase, index) => {
    const own = all.filter((row) => samples.phase[row] === index);
    if (own.length === 0) return;
    const judge = (fit: FitLevel): Judged => {
      const of = { ...fit, of: phase };
      return { fit, corrections: fitPasses(samples, all, of), heldOutMs: heldOut(samples, own, folds, of) };
    };
    const tell = (share: number) => onShare?.((index + share) / PHASES.length);
    const uneven = phase === "decode" && samples.unevenMs.some((ms) => ms > 0) ? USUAL_UNEVEN : 0;
    let chosen = chooseOfPhase(samples, own, phase, judge, uneven, tell);
    for (const other of uneven > 0 && chosen.error > SMALL_ENOUGH ? OTHER_UNEVEN : []) {
      const found = errorOf(samples, judge({ ...chosen.best.fit, uneven: other }), own);
      if (found >= chosen.error * (1 - UNEVEN_TAKES_OFF)) continue;
      chosen = chooseOfPhase(samples, own, phase, judge, other, tell);
    }
    const { best } = chosen;
    phases[phase] = best.corrections.phases[phase];
    own.forEach((row) => heldOutMs[row] = best.heldOutMs[row]);
    tried.push(...chosen.tried);
    most = Math.max(most, LEVELS.indexOf(best.fit.level));
  });
  const besideMs = besidePromptsMs(samples, heldOutMs);
  if (besideMs > 0 && phases.mixed !== null) phases.mixed = { ...phases.mixed, beside_ms: besideMs };
  return { level: LEVELS[most], corrections: { phases }, tried, heldOutMs };
}

/** Held-out error of some passes: median of absolute errors, as a share. */
function errorOf({ measuredMs }: PassSamples, { heldOutMs }: Judged, rows: ArrayLike<number>): number {
  return median(Float64Array.from(rows, (row) => Math.abs(heldOutMs[row] / measuredMs[row] - 1)));
}

function chooseOfPhase(
  samples: PassSamples,
  own: Int32Array,
  phase: Phase,
  judge: (fit: FitLevel) => Judged,
  uneven: number,
  onShare: (share: number) => void,
): ChosenOfPhase {
  const sizes = sizesOf(samples, own, phase), tried: TriedLevel[] = [], keep = 1 - mustTakeOff(own.length);
  const whole = (one: Judged) => errorOf(samples, one, own);
  const evenly = (one: Judged) => sizes.reduce((sum, rows) => sum + errorOf(samples, one, rows), 0) / sizes.length;
  let best = judge({ level: "none", uneven }), error = whole(best), even = evenly(best);
  tried.push({ phase, level: "none", error: error * 100, accepted: true });
  for (const [i, level] of TRIED.entries()) {
    onShare(i / TRIED.length);
    if (error < WORTH_MORE && LEVELS.indexOf(level) > LEVELS.indexOf("curves")) continue;
    const all = triedOf(level, phase, best.fit).map(judge);
    if (all.length === 0) continue;
    const found = all.reduce((a, b) => whole(b) < whole(a) * 0.95 ? b : a);
    const left = whole(found), evenLeft = evenly(found);
    const pays = left < error * keep;
    const paysEvenly = evenLeft < even * keep && left < error + Math.max(error * SLACK, SMALL_ENOUGH);
    const accepted = error > SMALL_ENOUGH && (pays || paysEvenly);
    tried.push({ phase, level, error: left * 100, accepted });
    if (accepted) [best, error, even] = [found, left, evenLeft];
  }
  return { best, error, tried };
}

/** Fewer passes of a size are judged together with other rare ones. */
const LEAST_OF_SIZE = 3;

/**
 * Passes by octaves of their size, which count alike in the second judgement of a level: a recording of one prompt length
 * again and again must not decide for all others.
 */
function sizesOf({ decodes, tokens }: PassSamples, rows: Int32Array, phase: Phase): number[][] {
  const sizes = phase === "decode" ? decodes : tokens;
  const octaves = [...Map.groupBy(rows, (row) => Math.round(Math.log2(sizes[row]))).values()];
  const rare = octaves.filter(({ length }) => length < LEAST_OF_SIZE).flat();
  return [...octaves.filter(({ length }) => length >= LEAST_OF_SIZE), ...rare.length > 0 ? [rare] : []];
}

const NOTHING: PassCorrections["phases"] = { prefill: null, decode: null, mixed: null };

/** The part in which each pass is held out: blocks of neighbours among the passes of each phase take turns. */
export function foldsOf({ phase }: PassSamples): Uint8Array {
  const ofPhase = PHASES.map((_, index) => phase.reduce((sum, own) => own === index ? sum + 1 : sum, 0));
  const block = ofPhase.map((n) => Math.max(1, Math.min(MOST_OF_BLOCK, Math.floor(n / LEAST_BLOCKS))));
  const before = PHASES.map(() => 0);
  return Uint8Array.from(phase, (own) => Math.floor(before[own]++ / block[own]) % FOLDS);
}

/** @param rows those that are wanted */
function heldOut(samples: PassSamples, rows: Int32Array, folds: Uint8Array, fit: FitLevel): Float64Array {
  const result = new Float64Array(samples.count), all = Int32Array.from(folds, (_, row) => row);
  for (let fold = 0; fold < FOLDS; fold++) {
    const seen = all.filter((row) => folds[row] !== fold), unseen = rows.filter((row) => folds[row] === fold);
    const corrected = correctedMs(samples, unseen, fitPasses(samples, seen, fit));
    unseen.forEach((row, i) => result[row] = corrected[i]);
  }
  return result;
}
