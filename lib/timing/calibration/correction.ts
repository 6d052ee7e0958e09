/**
 * Applies a calibration to estimates of passes.
 *
 * Inside what was seen an estimate becomes `max(estimate · ratio, least) · curve · tables · cells + constant`, at least a
 * quarter and at most eight times the estimate. Outside it fades back to the estimate over one and a half doublings:
 * measured on real passes, a correction that holds on beyond its range makes unseen batch sizes worse than none.
 *
 * @module
 */
import { NestedCells } from "./nested_cells.ts";
import type {
  CalibrationProfile,
  CorrectionTable,
  PartCorrection,
  Phase,
  PhaseCorrection,
  TableAxis,
} from "./profile.ts";

/** Bounds of what a correction makes of an estimate. */
const LEAST = 0.25, MOST = 8;
/** Doublings outside the seen range after which nothing is corrected. */
const FADE = 1.5;
/** A pass is told to be outside when it is so many doublings away from what was seen. */
const OUTSIDE = 0.01;

/** Factors over two sizes, ready to be asked. */
class Table {
  readonly over: TableAxis;
  readonly #cells: Float64Array;
  readonly #columns: number;

  constructor({ over, cells }: CorrectionTable) {
    this.over = over;
    const most = (axis: 0 | 1) => cells.reduce((found, cell) => Math.max(found, cell[axis]), 0);
    this.#columns = most(1) + 1;
    this.#cells = new Float64Array((most(0) + 1) * this.#columns).fill(1);
    for (const [i, j, factor] of cells) this.#cells[i * this.#columns + j] = factor;
  }

  /** Factor at the logarithm of a size and a second size. */
  at(x: number, second: number): number {
    const i = sizeStep(x), j = secondStep(second);
    return j < this.#columns ? this.#cells[i * this.#columns + j] ?? 1 : 1;
  }
}

/** Where the logarithm of a size stands in a table. */
export const sizeStep = (x: number): number => Math.round(2 * x);
/** Where a second size stands in a table. */
export const secondStep = (second: number): number => Math.round(Math.log2(1 + second));

/** Some passes of a phase, ready to be asked. */
class PartCurve {
  readonly #ratio: number;
  readonly #constantMs: number;
  readonly #leastMs: number;
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #tables: readonly Table[];
  readonly #cells: NestedCells | null;
  readonly #decodes: readonly [number, number] | null;
  readonly #tokens: readonly [number, number] | null;
  readonly #overDecodes: boolean;

  constructor(phase: Phase, { ratio, constant_ms, least_ms = 0, curve, tables = [], cells, seen }: PartCorrection) {
    this.#ratio = ratio;
    this.#constantMs = constant_ms;
    this.#leastMs = least_ms;
    this.#x = Float64Array.from(curve, ([x]) => x);
    this.#y = Float64Array.from(curve, ([, y]) => y);
    this.#tables = tables.map((table) => new Table(table));
    this.#cells = cells === undefined ? null : new NestedCells(cells);
    this.#decodes = seen.decode_requests && [Math.log2(seen.decode_requests[0]), Math.log2(seen.decode_requests[1])];
    this.#tokens = seen.prefill_tokens && [Math.log2(seen.prefill_tokens[0]), Math.log2(seen.prefill_tokens[1])];
    this.#overDecodes = phase === "decode";
  }

  /**
   * Factor on an estimate of `ms`; the logarithms are those of the pass's decoding sequences and prompt tokens.
   *
   * @param priorTokens tokens of its prompts that are known before, of all of them
   * @param contextTokens tokens that its decoding sequences know, of all of them
   */
  factor(
    ms: number,
    decodes: number,
    tokens: number,
    priorTokens: number,
    contextTokens: number,
    prompts: number,
  ): number {
    const kept = 1 - this.distance(decodes, tokens) / FADE;
    if (kept <= 0) return 1;
    const x = this.#overDecodes ? decodes : tokens;
    let whole = Math.max(this.#ratio, this.#leastMs / ms) * this.#at(x);
    for (let i = 0; i < this.#tables.length; i++) {
      const table = this.#tables[i], { over } = table;
      const second = over === "prior_tokens" ? priorTokens : 2 ** decodes;
      whole *= table.at(x, over === "context_tokens" ? contextTokens / second : second);
    }
    if (this.#cells !== null) whole *= this.#cells.factor(tokens, priorTokens, decodes, prompts);
    whole += this.#constantMs / ms;
    return 1 + kept * (Math.min(Math.max(whole, LEAST), MOST) - 1);
  }

  /** Whether there is a constant. */
  get hasConstant(): boolean {
    return this.#constantMs > 0;
  }

  /** Milliseconds of the constant that {@linkcode factor} counts. */
  constantMs(decodes: number, tokens: number): number {
    return this.#constantMs * Math.max(0, 1 - this.distance(decodes, tokens) / FADE);
  }

  /** Doublings between a pass and what was seen; 0 inside. */
  distance(decodes: number, tokens: number): number {
    return outside(this.#decodes, decodes) + outside(this.#tokens, tokens);
  }

  #at(x: number): number {
    const xs = this.#x, last = xs.length - 1;
    if (last < 0) return 1;
    if (x <= xs[0]) return this.#y[0];
    if (x >= xs[last]) return this.#y[last];
    let i = 1;
    while (xs[i] < x) i++;
    const share = (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
    return this.#y[i - 1] + share * (this.#y[i] - this.#y[i - 1]);
  }
}

/** One phase: its passes, and apart from them those beyond a number of tokens. */
class PhaseCurve {
  readonly #within: PartCurve;
  readonly #beyond: PartCurve | null;
  readonly #most: number;

  constructor(phase: Phase, correction: PhaseCorrection) {
    this.#within = new PartCurve(phase, correction);
    this.#beyond = correction.beyond === undefined ? null : new PartCurve(phase, correction.beyond);
    this.#most = correction.beyond?.tokens ?? Infinity;
  }

  /** The correction of passes that compute so many tokens, prompts and decodes together. */
  of(computed: number): PartCurve {
    return this.#beyond !== null && computed > this.#most ? this.#beyond : this.#within;
  }
}

function outside(range: readonly [number, number] | null, x: number): number {
  if (range === null) return 0;
  return x < range[0] ? range[0] - x : x > range[1] ? x - range[1] : 0;
}

/** What of a profile corrects passes. */
export type PassCorrections = Pick<CalibrationProfile, "phases" | "between_passes">;

/**
 * Corrects estimates of passes and counts those that are outside of what was seen. Costs a logarithm or two a pass and
 * allocates nothing.
 */
export class PassCorrection {
  readonly #prefill: PhaseCurve | null;
  readonly #decode: PhaseCurve | null;
  readonly #mixed: PhaseCurve | null;
  /** See `PhaseCorrection`: of decode steps. */
  readonly uneven: number;
  /** See `PhaseCorrection`: of mixed passes. {@linkcode passMs} does not count it. */
  readonly besideMs: number;
  /** What a pass takes up of a replay, by its own time: one, and what lies between it and the next. */
  readonly stride: number;
  /** Passes that were corrected. */
  passes = 0;
  /** Those of them that are outside of what was seen, whose correction fades. */
  outside = 0;

  constructor({ phases, between_passes = 0 }: PassCorrections) {
    const curve = (phase: Phase) => phases[phase] && new PhaseCurve(phase, phases[phase]);
    this.#prefill = curve("prefill");
    this.#decode = curve("decode");
    this.#mixed = curve("mixed");
    this.uneven = phases.decode?.uneven ?? 0;
    this.besideMs = phases.mixed?.beside_ms ?? 0;
    this.stride = 1 + between_passes;
  }

  /**
   * Milliseconds of a pass that is estimated to take `ms`.
   *
   * @param tokens prompt tokens that it computes, of all prompts together
   * @param decodes sequences that it decodes
   * @param priorTokens tokens of these prompts that are known before, of all of them
   * @param contextTokens tokens that these sequences know, of all of them
   * @param prompts prompts of which tokens are computed; default 1
   */
  passMs(
    ms: number,
    tokens: number,
    decodes: number,
    priorTokens: number,
    contextTokens: number,
    prompts = 1,
  ): number {
    if (!(ms > 0)) return ms;
    this.passes++;
    if (tokens === 0) return ms * this.#of(this.#decode, ms, decodes, 0, 0, contextTokens, 0);
    if (decodes === 0) return ms * this.#of(this.#prefill ?? this.#mixed, ms, 0, tokens, priorTokens, 0, prompts);
    if (this.#mixed !== null) {
      return ms * this.#of(this.#mixed, ms, decodes, tokens, priorTokens, contextTokens, prompts);
    }
    // No mixed pass was seen: each side counts by its share of the tokens.
    this.outside++;
    const share = tokens / (tokens + decodes);
    const prefill = this.#prefill?.of(tokens).factor(ms, 0, Math.log2(tokens), priorTokens, 0, prompts) ?? 1;
    const decode = this.#decode?.of(decodes).factor(ms, Math.log2(decodes), 0, 0, contextTokens, 0) ?? 1;
    return ms * (share * prefill + (1 - share) * decode);
  }

  /** Whether {@linkcode sharedMs} is ever more than nothing. */
  get shares(): boolean {
    return (this.#prefill?.of(0).hasConstant ?? false) && (this.#decode?.of(0).hasConstant ?? false);
  }

  /**
   * Milliseconds that the corrected times of prompts and of decode steps both hold: a pass that does both waits for its
   * constant once.
   */
  sharedMs(tokens: number, decodes: number): number {
    if (this.#prefill === null || this.#decode === null) return 0;
    return Math.min(
      this.#prefill.of(tokens).constantMs(NaN, Math.log2(tokens)),
      this.#decode.of(decodes).constantMs(Math.log2(decodes), NaN),
    );
  }

  /** Starts counting anew. */
  reset(): void {
    this.passes = this.outside = 0;
  }

  #of(
    curve: PhaseCurve | null,
    ms: number,
    decodes: number,
    tokens: number,
    priorTokens: number,
    contextTokens: number,
    prompts: number,
  ): number {
    if (curve === null) {
      this.outside++;
      return 1;
    }
    const part = curve.of(tokens + decodes);
    const x = decodes > 0 ? Math.log2(decodes) : NaN, y = tokens > 0 ? Math.log2(tokens) : NaN;
    if (part.distance(x, y) > OUTSIDE) this.outside++;
    return part.factor(ms, x, y, priorTokens, contextTokens, prompts);
  }
}
