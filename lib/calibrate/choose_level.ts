/**
 * Chooses the simplest correction that pays, for each phase: a level is fitted to one half of the passes and judged by
 * the other, both ways round; a more detailed one is taken only when it makes the error clearly smaller.
 *
 * @module
 */
import type { PassCorrections } from "../timing/calibration/correction.ts";
import { type CalibrationLevel, LEVELS, type Phase, PHASES } from "../timing/calibration/profile.ts";
import { correctedMs, type FitLevel, fitPasses } from "./fit_passes.ts";
import type { PassSamples } from "./pass_samples.ts";
import { median } from "./statistics.ts";

/** Fewer passes are reported, not fitted. */
export const LEAST_PASSES = 20;
/** A level must take this share off the error of the one below. */
const MUST_TAKE_OFF = 0.2;
/** A level that helps every size alike may cost this share of the error of the frequent ones. */
const SLACK = 0.15;
/** An error so small (a share) needs no more detail. */
const SMALL_ENOUGH = 0.001;
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
  /** Every pass as the correction gives it that was fitted without its half. */
  readonly heldOutMs: Float64Array;
}

/** A level, fitted to all passes and judged by halves. */
interface Judged {
  readonly level: CalibrationLevel;
  readonly corrections: PassCorrections;
  readonly heldOutMs: Float64Array;
}

/** Levels above `none`, in the order in which they are tried. */
const TRIED = ["scale", "phases", "pass_constant", "phase_constants", "curves"] as const;

/**
 * Chooses for each phase and fits.
 *
 * @param onShare hears which share of the levels of all phases was tried
 */
export function chooseLevel(samples: PassSamples, onShare?: (share: number) => void): ChosenLevel {
  const all = Int32Array.from({ length: samples.count }, (_, row) => row), folds = foldsOf(samples);
  const judged = new Map<string, Judged>();
  const judge = (fit: FitLevel): Judged => {
    const name = `${fit.level} ${fit.under}`;
    const known = judged.get(name) ??
      { level: fit.level, corrections: fitPasses(samples, all, fit), heldOutMs: heldOut(samples, folds, fit) };
    judged.set(name, known);
    return known;
  };
  const tried: TriedLevel[] = [], heldOutMs = new Float64Array(samples.count), phases = { ...NOTHING };
  let most = 0;
  PHASES.forEach((phase, index) => {
    const own = all.filter((row) => samples.phase[row] === index);
    if (own.length === 0) return;
    const sizes = sizesOf(samples, own, phase);
    const medianOf = ({ heldOutMs }: Judged, rows: ArrayLike<number>) =>
      median(Float64Array.from(rows, (row) => Math.abs(heldOutMs[row] / samples.measuredMs[row] - 1)));
    const errorOf = (one: Judged) => medianOf(one, own);
    const evenErrorOf = (one: Judged) => sizes.reduce((sum, rows) => sum + medianOf(one, rows), 0) / sizes.length;
    let best = judge({ level: "none" }), error = errorOf(best), even = evenErrorOf(best);
    tried.push({ phase, level: "none", error: error * 100, accepted: true });
    for (const [i, level] of TRIED.entries()) {
      onShare?.((index + i / TRIED.length) / PHASES.length);
      // a curve may stand on the ratios alone, or on what was accepted so far
      const under = level === "curves" ? [...new Set<CalibrationLevel>(["phases", best.level])] : [undefined];
      const found = under.map((under) => judge({ level, under })).reduce((a, b) =>
        errorOf(b) < errorOf(a) * 0.95 ? b : a
      );
      const left = errorOf(found), evenLeft = evenErrorOf(found);
      const pays = left < error * (1 - MUST_TAKE_OFF);
      const paysEvenly = evenLeft < even * (1 - MUST_TAKE_OFF) && left < error + Math.max(error * SLACK, SMALL_ENOUGH);
      const accepted = error > SMALL_ENOUGH && (pays || paysEvenly);
      tried.push({ phase, level, error: left * 100, accepted });
      if (accepted) [best, error, even] = [found, left, evenLeft];
    }
    phases[phase] = best.corrections.phases[phase];
    own.forEach((row) => heldOutMs[row] = best.heldOutMs[row]);
    most = Math.max(most, LEVELS.indexOf(best.level));
  });
  return { level: LEVELS[most], corrections: { phases }, tried, heldOutMs };
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
function foldsOf({ phase }: PassSamples): Uint8Array {
  const ofPhase = PHASES.map((_, index) => phase.reduce((sum, own) => own === index ? sum + 1 : sum, 0));
  const block = ofPhase.map((n) => Math.max(1, Math.min(MOST_OF_BLOCK, Math.floor(n / LEAST_BLOCKS))));
  const before = PHASES.map(() => 0);
  return Uint8Array.from(phase, (own) => Math.floor(before[own]++ / block[own]) % FOLDS);
}

function heldOut(samples: PassSamples, folds: Uint8Array, fit: FitLevel): Float64Array {
  const result = new Float64Array(samples.count), all = Int32Array.from(folds, (_, row) => row);
  for (let fold = 0; fold < FOLDS; fold++) {
    const seen = all.filter((row) => folds[row] !== fold), unseen = all.filter((row) => folds[row] === fold);
    const corrected = correctedMs(samples, unseen, fitPasses(samples, seen, fit));
    unseen.forEach((row, i) => result[row] = corrected[i]);
  }
  return result;
}
