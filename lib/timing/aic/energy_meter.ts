/**
 * Adds up the energy of the passes of a run.
 *
 * @module
 */
import type { Timing } from "../timing.ts";
import type { Deployment } from "./deployment.ts";
import type { EnergyModels } from "./energy_models.ts";
import type { ForwardPassModel } from "./forward_pass_model.ts";
import { type AskingStack, DECODE_QUESTION } from "./operator_timing.ts";

/** A timing model that answers as another one and adds up the energy of the passes it is asked for. */
export class EnergyMeter implements Timing {
  readonly #base: Timing;
  readonly #time: ForwardPassModel;
  readonly #models: EnergyModels | null;
  readonly #width: number;
  readonly #beyond: number;
  /** Every question is a pass. */
  readonly inOrder = true;
  readonly ranks: Timing["ranks"];
  readonly mixedMs: Timing["mixedMs"];
  #ms = 0;
  #coveredMs = 0;
  #sum = 0;

  /**
   * @param base the timing model of `deployment` as the engines of `stack` ask it
   * @param models null where no power was measured: the passes count with their time alone
   */
  constructor(base: Timing, deployment: Deployment, models: EnergyModels | null, stack: AskingStack) {
    this.#base = base;
    this.#time = deployment.forwardPassModel();
    this.#models = models;
    this.#width = this.#time.nextn + 1;
    this.#beyond = DECODE_QUESTION[stack].beyond;
    this.ranks = base.ranks;
    if (base.mixedMs !== undefined) this.mixedMs = this.#mixedMs;
  }

  /** Milliseconds of all passes, those of operators whose energy is known, and their watt-milliseconds of a GPU. */
  get sums(): { ms: number; coveredMs: number; energy: number } {
    return { ms: this.#ms, coveredMs: this.#coveredMs, energy: this.#sum };
  }

  prefillMs(requests: number, newTokens: number, prefixTokens: number): number {
    const ms = this.#base.prefillMs(requests, newTokens, prefixTokens);
    this.#add(requests, requests * newTokens, requests * prefixTokens, 0, 0);
    return ms;
  }

  decodeMs(requests: number, contextTokens: number, capacityTokens: number, squaredTokens = 0): number {
    const ms = this.#base.decodeMs(requests, contextTokens, capacityTokens, squaredTokens);
    const batch = requests * this.#width;
    this.#add(0, 0, 0, batch, batch * (Math.floor(contextTokens / requests) + this.#beyond));
    return ms;
  }

  #mixedMs(prompts: number, newTokens: number, priorTokens: number, decodes: number, contextTokens: number): number {
    const ms = this.#base.mixedMs!(prompts, newTokens, priorTokens, decodes, contextTokens);
    this.#add(prompts, newTokens, priorTokens, decodes * this.#width, (contextTokens + decodes) * this.#width);
    return ms;
  }

  #add(prompts: number, newTokens: number, priorTokens: number, decodes: number, decodeTokens: number): void {
    this.#ms += this.#time.sumsMs(prompts, newTokens, priorTokens, decodes, decodeTokens);
    if (this.#models === null) return;
    const { covered, energy } = this.#models;
    this.#coveredMs += covered.sumsMs(prompts, newTokens, priorTokens, decodes, decodeTokens);
    this.#sum += energy.sumsMs(prompts, newTokens, priorTokens, decodes, decodeTokens);
  }
}
