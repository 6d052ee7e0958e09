/**
 * How long the two phases of a pass last on one rank: the timing model's answers, scaled and rounded.
 *
 * @module
 */
import { SimulationError } from "../errors.ts";
import { passDurationMs } from "../timing/duration.ts";
import type { Timing } from "../timing/timing.ts";
import type { RankSettings } from "./settings.ts";

/** Durations of one rank's passes, in milliseconds of virtual time. */
export class PassClock {
  readonly #timing: Timing;
  readonly #capacityTokens: number;
  readonly #prefillRatio: number;
  readonly #decodeRatio: number;
  /** Whether a pass that does both is asked for as one. */
  readonly #fused: boolean;

  /** Whether durations may be asked for that no pass has yet. */
  readonly looksAhead: boolean;

  constructor(timing: Timing, settings: RankSettings) {
    this.#timing = timing;
    this.#capacityTokens = settings.blocks * settings.blockTokens;
    this.#prefillRatio = settings.speedup;
    this.#decodeRatio = settings.speedup * settings.decodeSpeedup;
    this.looksAhead = timing.inOrder !== true;
    this.#fused = timing.mixedMs !== undefined;
  }

  /**
   * Prefill phase of a batch.
   *
   * @param requests prompts that compute at least one token
   * @param reachedTokens sum over them of prompt tokens known after the pass (cached, computed before, computed now)
   * @param priorTokens sum over them of prompt tokens known before the pass
   */
  prefillMs(requests: number, reachedTokens: number, priorTokens: number): number {
    if (requests === 0) return 0;
    const prefix = Math.floor(priorTokens / requests);
    const fresh = Math.floor(reachedTokens / requests) - prefix;
    if (fresh <= 0) return 0;
    const raw = this.#timing.prefillMs(requests, fresh, prefix);
    if (!Number.isFinite(raw)) {
      throw new SimulationError(`prefill timing provider returned non-finite duration ${raw}ms`);
    }
    return passDurationMs(Math.max(raw, 0), this.#prefillRatio);
  }

  /** When a pass of both phases ends that starts at `startMs`; either may be empty. Arguments as in the two. */
  endMs(
    startMs: number,
    prompts: number,
    reachedTokens: number,
    priorTokens: number,
    decodes: number,
    contextTokens: number,
    squaredTokens: number,
  ): number {
    if (this.#fused && decodes > 0 && prompts > 0 && reachedTokens > priorTokens) {
      const raw = this.#timing.mixedMs!(prompts, reachedTokens - priorTokens, priorTokens, decodes, contextTokens);
      if (!(Number.isFinite(raw) && raw >= 0)) {
        throw new SimulationError(`timing provider returned invalid duration ${raw}ms of a mixed pass`);
      }
      return startMs + passDurationMs(raw, this.#prefillRatio);
    }
    const decodeMs = this.decodeMs(decodes, contextTokens, squaredTokens);
    return (startMs + this.prefillMs(prompts, reachedTokens, priorTokens)) + decodeMs;
  }

  /** Decode phase for `requests` sequences that know `contextTokens` tokens together, and their sum of squares. */
  decodeMs(requests: number, contextTokens: number, squaredTokens: number): number {
    if (requests === 0) return 0;
    const raw = this.#timing.decodeMs(requests, contextTokens, this.#capacityTokens, squaredTokens);
    if (!(raw >= 0 && raw < Infinity)) this.#refuse(raw);
    return passDurationMs(raw, this.#decodeRatio);
  }

  #refuse(raw: number): never {
    if (Number.isFinite(raw)) throw new SimulationError(`timing provider returned invalid duration ${raw}ms`);
    throw new SimulationError(`decode timing provider returned non-finite duration ${raw}ms`);
  }
}
