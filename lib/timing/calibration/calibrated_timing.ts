/**
 * The timing model of an engine whose passes were measured: estimates of the operator database, corrected.
 *
 * @module
 */
import type { ForwardPassModel } from "../aic/forward_pass_model.ts";
import type { Timing } from "../timing.ts";
import type { PassCorrection } from "./correction.ts";
import { unevenness } from "./uneven.ts";

/**
 * What a pass takes that computes prompts and decodes at once: both durations (`sum`, as the reference has it), or one
 * pass that reads the weights once (`fused`). On real GPUs the sum is 40 to 57 % too long for small chunks, the fused
 * form within 11 %; without a calibration the surplus hides decode steps that are estimated too short.
 */
export type MixedPasses = "sum" | "fused";

/** Options of {@linkcode calibratedTiming}. */
export interface CalibratedTimingOptions {
  /** Default: nothing is corrected. */
  correction?: PassCorrection | null;
  /** Default `sum`. */
  mixed?: MixedPasses;
}

/**
 * Corrects a timing model.
 *
 * @param base what is corrected
 * @param model estimates of whole passes of the same deployment, for fused ones
 */
export function calibratedTiming(
  base: Timing,
  model: ForwardPassModel,
  { correction = null, mixed = "sum" }: CalibratedTimingOptions,
): Timing {
  if (mixed === "sum" && correction?.shares) return new SummedTiming(base, correction);
  const corrected = correction === null ? base : new CorrectedTiming(base, correction);
  return mixed === "sum" ? corrected : new FusedTiming(corrected, model, correction);
}

class CorrectedTiming implements Timing {
  readonly #base: Timing;
  readonly #correction: PassCorrection;
  /** The correction counts the passes that it is asked about. */
  readonly inOrder = true;
  readonly ranks: Timing["ranks"];
  /** Decode steps whose sequences know a token each, by their number: what attention does not take. */
  readonly #emptyMs: number[] = [];

  constructor(base: Timing, correction: PassCorrection) {
    this.#base = base;
    this.#correction = correction;
    this.ranks = base.ranks;
  }

  prefillMs(requests: number, newTokens: number, prefixTokens: number): number {
    const ms = this.#base.prefillMs(requests, newTokens, prefixTokens);
    const correction = this.#correction;
    return correction.stride *
      correction.passMs(ms, requests * newTokens, 0, requests * prefixTokens, 0, requests);
  }

  decodeMs(requests: number, contextTokens: number, capacityTokens: number, squaredTokens = 0): number {
    const correction = this.#correction;
    let ms = this.#base.decodeMs(requests, contextTokens, capacityTokens);
    if (correction.uneven > 0 && squaredTokens > 0 && requests > 1) {
      const emptyMs = this.#emptyMs[requests] ??= this.#base.decodeMs(requests, requests, capacityTokens);
      ms += correction.uneven * unevenness(requests, contextTokens, squaredTokens) * Math.max(ms - emptyMs, 0);
    }
    return correction.stride * correction.passMs(ms, 0, requests, 0, contextTokens);
  }
}

/** Both durations of a mixed pass one after the other, with what is constant of a pass counted once. */
class SummedTiming extends CorrectedTiming {
  readonly #shared: PassCorrection;

  constructor(base: Timing, correction: PassCorrection) {
    super(base, correction);
    this.#shared = correction;
  }

  mixedMs(prompts: number, newTokens: number, priorTokens: number, decodes: number, contextTokens: number): number {
    const prefix = Math.floor(priorTokens / prompts), fresh = Math.floor((priorTokens + newTokens) / prompts) - prefix;
    // the operator database does not ask how much the KV pool holds
    const decodeMs = this.decodeMs(decodes, contextTokens, Infinity);
    if (fresh <= 0) return decodeMs;
    const sharedMs = this.#shared.stride * this.#shared.sharedMs(prompts * fresh, decodes);
    return this.prefillMs(prompts, fresh, prefix) + decodeMs - sharedMs;
  }
}

class FusedTiming implements Timing {
  readonly #base: Timing;
  readonly #model: ForwardPassModel;
  readonly #correction: PassCorrection | null;
  readonly inOrder: boolean;
  readonly ranks: Timing["ranks"];

  constructor(base: Timing, model: ForwardPassModel, correction: PassCorrection | null) {
    this.#base = base;
    this.#model = model;
    this.#correction = correction;
    this.inOrder = base.inOrder ?? false;
    this.ranks = base.ranks;
  }

  prefillMs(requests: number, newTokens: number, prefixTokens: number): number {
    return this.#base.prefillMs(requests, newTokens, prefixTokens);
  }

  decodeMs(requests: number, contextTokens: number, capacityTokens: number, squaredTokens = 0): number {
    return this.#base.decodeMs(requests, contextTokens, capacityTokens, squaredTokens);
  }

  mixedMs(prompts: number, newTokens: number, priorTokens: number, decodes: number, contextTokens: number): number {
    const width = this.#model.nextn + 1;
    // a recording counts the token that a sequence gets, the engine asks before it
    const ms = this.#model.sumsMs(prompts, newTokens, priorTokens, decodes * width, (contextTokens + decodes) * width);
    const correction = this.#correction;
    if (correction === null) return ms;
    const mixedMs = correction.passMs(ms, newTokens, decodes, priorTokens, contextTokens, prompts);
    return correction.stride * (mixedMs + correction.besideMs);
  }
}
