/**
 * Sums over what the requests of a vLLM rank do in the pass that is being formed or in flight: what the timing model
 * asks for, what counts as progress, and what observers see.
 *
 * @module
 */
import { PassMetrics } from "../pass_metrics.ts";
import type { SteadySet } from "../steady_set.ts";
import type { Slots } from "./slots.ts";

/** One rank's pass. */
export class PassBatch {
  startMs = 0;
  /** Tokens that may still be computed in this pass. */
  budget = 0;
  /** Requests that take part. */
  scheduled = 0;
  admissions = 0;
  preempted = false;
  /** Requests that compute prompt tokens; of their prompts, tokens with KV after the pass and before it. */
  prefills = 0;
  reachedTokens = 0;
  priorTokens = 0;
  /** Tokens those requests compute. */
  computedTokens = 0;
  /** Requests that decode, and tokens accepted for them. */
  forwards = 0;
  accepted = 0;
  /** Keep `metrics` up. */
  collecting = false;
  readonly metrics = new PassMetrics();
  readonly #slots: Slots;
  readonly #decodes: boolean;

  /** @param decodes decode role: recomputed prompts take no time of their own */
  constructor(slots: Slots, decodes: boolean) {
    this.#slots = slots;
    this.#decodes = decodes;
  }

  /** A pass starts at `startMs` and may compute `budget` tokens. */
  begin(startMs: number, budget: number): void {
    this.startMs = startMs;
    this.budget = budget;
    this.scheduled =
      this.admissions =
      this.prefills =
      this.reachedTokens =
      this.priorTokens =
      this.computedTokens =
      this.forwards =
      this.accepted =
        0;
    this.preempted = false;
    if (this.collecting) {
      this.metrics.clear();
      this.metrics.startMs = startMs;
    }
  }

  /** All steady requests compute a token each. */
  addSteady(steady: SteadySet): void {
    this.budget -= steady.count;
    this.scheduled += steady.count;
    if (this.collecting) this.metrics.decode.set(steady.count, steady.tokens, steady.tokensSquared);
  }

  /** A request computes its tokens `before .. after - 1` in pass `pass`. */
  add(slot: number, before: number, after: number, pass: number): void {
    const slots = this.#slots, prompt = slots.prompt[slot];
    const prior = Math.min(before, prompt), promptTokens = Math.min(after, prompt) - prior, used = after - before;
    slots.passOf[slot] = pass;
    slots.passTokens[slot] = used;
    slots.passPrompt[slot] = promptTokens;
    slots.passPrior[slot] = prior;
    this.budget -= used;
    this.scheduled++;
    if (promptTokens > 0) {
      this.computedTokens += used;
      if (!this.#decodes) {
        this.prefills++;
        this.reachedTokens += prior + promptTokens;
        this.priorTokens += prior;
      }
    }
    if (!this.collecting) return;
    if (promptTokens > 0) {
      this.metrics.prefill.add(prompt);
      this.metrics.prefillTokens += used;
      this.metrics.prefillKvTokens += prior;
    } else if (slots.length[slot] < slots.stop[slot]) {
      this.metrics.decode.add(slots.length[slot]);
    }
  }

  /** Undoes `add`, except that somebody was scheduled. */
  remove(slot: number): void {
    const slots = this.#slots, promptTokens = slots.passPrompt[slot], used = slots.passTokens[slot];
    slots.passOf[slot] = -1;
    this.budget += used;
    if (promptTokens > 0) {
      this.computedTokens -= used;
      if (!this.#decodes) {
        this.prefills--;
        this.reachedTokens -= slots.passPrior[slot] + promptTokens;
        this.priorTokens -= slots.passPrior[slot];
      }
    }
    if (!this.collecting) return;
    if (promptTokens > 0) {
      this.metrics.prefill.remove(slots.prompt[slot]);
      this.metrics.prefillTokens -= used;
      this.metrics.prefillKvTokens -= slots.passPrior[slot];
    } else if (slots.length[slot] < slots.stop[slot]) {
      this.metrics.decode.remove(slots.length[slot]);
    }
  }
}
