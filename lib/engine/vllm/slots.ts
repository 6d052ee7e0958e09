/**
 * What a vLLM rank knows of each request it owns, by slot: a small number that is reused once the request is gone.
 * Lengths of steadily decoding slots are not kept here but follow from the pass number (`steady_set.ts`).
 *
 * @module
 */
import { FEW, longer } from "../../collections/growing.ts";

/** Columns of the owned requests; a slot's values mean something from `open` to `close`. */
export class Slots {
  request = new Int32Array(FEW);
  /** Prompt tokens. */
  prompt = new Int32Array(FEW);
  /** Known tokens at which the request is complete for its output limit alone. */
  outputEnd = new Int32Array(FEW);
  /** Known tokens at which it stops: `outputEnd` or the model's limit, whichever comes first. */
  stop = new Int32Array(FEW);
  /** Known tokens: prompt and generated ones. */
  length = new Int32Array(FEW);
  /** Tokens whose KV exists. */
  computed = new Int32Array(FEW);
  /** Tokens its blocks were asked to cover. */
  allocated = new Int32Array(FEW);
  /** Leading blocks of its table that have an identity. */
  identified = new Int32Array(FEW);
  /** Arrival ordinal in the rank. */
  ordinal = new Float64Array(FEW);
  /** Rank among running requests: later admissions are larger. */
  order = new Float64Array(FEW);
  /** 1 for a request that was preempted and not admitted again. */
  preempted = new Uint8Array(FEW);
  /** 1 while it emits in every pass. */
  steady = new Uint8Array(FEW);
  /** Pass in which it was scheduled last, and what it got there. */
  passOf = new Int32Array(FEW);
  passTokens = new Int32Array(FEW);
  passPrompt = new Int32Array(FEW);
  passPrior = new Int32Array(FEW);
  /** Drafted tokens that pass verifies. */
  drafts = new Int32Array(FEW);
  /** 1 from a preemption to the next token: its drafts are lost. */
  again = new Uint8Array(FEW);

  #size = FEW;
  #next = 0;
  #opened = 0;
  readonly #spare: number[] = [];

  /** Takes a slot for a request that nothing has been done for yet. */
  open(request: number, prompt: number, output: number, maxModelTokens: number): number {
    const slot = this.#spare.pop() ?? this.#next++;
    if (slot === this.#size) this.#grow();
    this.request[slot] = request;
    this.prompt[slot] = prompt;
    this.outputEnd[slot] = prompt + output;
    this.stop[slot] = Math.min(prompt + output, maxModelTokens);
    this.length[slot] = prompt;
    this.computed[slot] = this.allocated[slot] = this.identified[slot] = 0;
    this.ordinal[slot] = this.#opened++;
    this.preempted[slot] = this.steady[slot] = 0;
    this.passOf[slot] = -1;
    this.drafts[slot] = this.again[slot] = 0;
    return slot;
  }

  close(slot: number): void {
    this.#spare.push(slot);
  }

  /** All of the prompt has KV. */
  hasPrompt(slot: number): boolean {
    const prompt = this.prompt[slot];
    return this.steady[slot] === 1 || (this.computed[slot] >= prompt && this.allocated[slot] >= prompt);
  }

  #grow(): void {
    this.#size *= 2;
    this.request = longer(this.request);
    this.prompt = longer(this.prompt);
    this.outputEnd = longer(this.outputEnd);
    this.stop = longer(this.stop);
    this.length = longer(this.length);
    this.computed = longer(this.computed);
    this.allocated = longer(this.allocated);
    this.identified = longer(this.identified);
    this.ordinal = longer(this.ordinal);
    this.order = longer(this.order);
    this.preempted = longer(this.preempted);
    this.steady = longer(this.steady);
    this.passOf = longer(this.passOf);
    this.passTokens = longer(this.passTokens);
    this.passPrompt = longer(this.passPrompt);
    this.passPrior = longer(this.passPrior);
    this.drafts = longer(this.drafts);
    this.again = longer(this.again);
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    new Slots().#grow();
  }
}
