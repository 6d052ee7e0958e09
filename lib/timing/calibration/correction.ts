/**
 * Applies a calibration to estimates of passes.
 *
 * Inside what was seen an estimate becomes `estimate · ratio · curve + constant`, at least a quarter and at most four
 * times the estimate. Outside it fades back to the estimate over one and a half doublings: measured on real passes, a
 * correction that holds on beyond its range makes unseen batch sizes worse than none.
 *
 * @module
 */
import type { CalibrationProfile, Phase, PhaseCorrection } from "./profile.ts";

/** Bounds of what a correction makes of an estimate. */
const LEAST = 0.25, MOST = 4;
/** Doublings outside the seen range after which nothing is corrected. */
const FADE = 1.5;
/** A pass is told to be outside when it is so many doublings away from what was seen. */
const OUTSIDE = 0.01;

/** One phase, ready to be asked. */
class PhaseCurve {
  readonly #ratio: number;
  readonly #constantMs: number;
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #decodes: readonly [number, number] | null;
  readonly #tokens: readonly [number, number] | null;
  readonly #overDecodes: boolean;

  constructor(phase: Phase, { ratio, constant_ms, curve, seen }: PhaseCorrection) {
    this.#ratio = ratio;
    this.#constantMs = constant_ms;
    this.#x = Float64Array.from(curve, ([x]) => x);
    this.#y = Float64Array.from(curve, ([, y]) => y);
    this.#decodes = seen.decode_requests && [Math.log2(seen.decode_requests[0]), Math.log2(seen.decode_requests[1])];
    this.#tokens = seen.prefill_tokens && [Math.log2(seen.prefill_tokens[0]), Math.log2(seen.prefill_tokens[1])];
    this.#overDecodes = phase === "decode";
  }

  /** Factor on an estimate of `ms`; the logarithms are those of the pass's decoding sequences and prompt tokens. */
  factor(ms: number, decodes: number, tokens: number): number {
    const whole = this.#ratio * this.#at(this.#overDecodes ? decodes : tokens) + this.#constantMs / ms;
    const kept = 1 - this.distance(decodes, tokens) / FADE;
    return kept <= 0 ? 1 : 1 + kept * (Math.min(Math.max(whole, LEAST), MOST) - 1);
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

function outside(range: readonly [number, number] | null, x: number): number {
  if (range === null) return 0;
  return x < range[0] ? range[0] - x : x > range[1] ? x - range[1] : 0;
}

/** What of a profile corrects passes. */
export type PassCorrections = Pick<CalibrationProfile, "phases">;

/**
 * Corrects estimates of passes and counts those that are outside of what was seen. Costs a logarithm or two a pass and
 * allocates nothing.
 */
export class PassCorrection {
  readonly #prefill: PhaseCurve | null;
  readonly #decode: PhaseCurve | null;
  readonly #mixed: PhaseCurve | null;
  /** Passes that were corrected. */
  passes = 0;
  /** Those of them that are outside of what was seen, whose correction fades. */
  outside = 0;

  constructor({ phases }: PassCorrections) {
    const curve = (phase: Phase) => phases[phase] && new PhaseCurve(phase, phases[phase]);
    this.#prefill = curve("prefill");
    this.#decode = curve("decode");
    this.#mixed = curve("mixed");
  }

  /**
   * Milliseconds of a pass that is estimated to take `ms`.
   *
   * @param tokens prompt tokens that it computes, of all prompts together
   * @param decodes sequences that it decodes
   */
  passMs(ms: number, tokens: number, decodes: number): number {
    if (!(ms > 0)) return ms;
    this.passes++;
    if (tokens === 0) return ms * this.#of(this.#decode, ms, decodes, 0);
    if (decodes === 0) return ms * this.#of(this.#prefill ?? this.#mixed, ms, 0, tokens);
    if (this.#mixed !== null) return ms * this.#of(this.#mixed, ms, decodes, tokens);
    // No mixed pass was seen: each side counts by its share of the tokens.
    this.outside++;
    const share = tokens / (tokens + decodes);
    const prefill = this.#prefill?.factor(ms, 0, Math.log2(tokens)) ?? 1;
    const decode = this.#decode?.factor(ms, Math.log2(decodes), 0) ?? 1;
    return ms * (share * prefill + (1 - share) * decode);
  }

  /** Whether {@linkcode sharedMs} is ever more than nothing. */
  get shares(): boolean {
    return (this.#prefill?.hasConstant ?? false) && (this.#decode?.hasConstant ?? false);
  }

  /**
   * Milliseconds that the corrected times of prompts and of decode steps both hold: a pass that does both waits for its
   * constant once.
   */
  sharedMs(tokens: number, decodes: number): number {
    if (this.#prefill === null || this.#decode === null) return 0;
    return Math.min(
      this.#prefill.constantMs(NaN, Math.log2(tokens)),
      this.#decode.constantMs(Math.log2(decodes), NaN),
    );
  }

  /** Starts counting anew. */
  reset(): void {
    this.passes = this.outside = 0;
  }

  #of(curve: PhaseCurve | null, ms: number, decodes: number, tokens: number): number {
    if (curve === null) {
      this.outside++;
      return 1;
    }
    const x = decodes > 0 ? Math.log2(decodes) : NaN, y = tokens > 0 ? Math.log2(tokens) : NaN;
    if (curve.distance(x, y) > OUTSIDE) this.outside++;
    return curve.factor(ms, x, y);
  }
}
