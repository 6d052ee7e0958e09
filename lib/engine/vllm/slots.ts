/**
 * What a vLLM rank knows of each request it owns, by slot: a small number that is reused once the request is gone.
 * Lengths of steadily decoding slots are not kept here but follow from the pass number (`steady_set.ts`).
 *
 * Imports nothing.
 *
 * @module
 */

/** Columns of the owned requests; a slot's values mean something from `open` to `close`. */
export class Slots {
  request = new Int32Array(64);
  /** Prompt tokens. */
  prompt = new Int32Array(64);
  /** Known tokens at which the request is complete for its output limit alone. */
  outputEnd = new Int32Array(64);
  /** Known tokens at which it stops: `outputEnd` or the model's limit, whichever comes first. */
  stop = new Int32Array(64);
  /** Known tokens: prompt and generated ones. */
  length = new Int32Array(64);
  /** Tokens whose KV exists. */
  computed = new Int32Array(64);
  /** Tokens its blocks were asked to cover. */
  allocated = new Int32Array(64);
  /** Leading blocks of its table that have an identity. */
  identified = new Int32Array(64);
  /** Blocks held by a reservation that were resident already (decode role). */
  hits = new Int32Array(64);
  /** Arrival ordinal in the rank. */
  ordinal = new Float64Array(64);
  /** Rank among running requests: later admissions are larger. */
  order = new Float64Array(64);
  /** 1 for a request that was preempted and not admitted again. */
  preempted = new Uint8Array(64);
  /** 1 while it emits in every pass. */
  steady = new Uint8Array(64);
  /** Pass in which it was scheduled last, and what it got there. */
  passOf = new Int32Array(64);
  passTokens = new Int32Array(64);
  passPrompt = new Int32Array(64);
  passPrior = new Int32Array(64);

  #size = 64;
  #next = 0;
  readonly #spare: number[] = [];

  /** Slots ever used at once; every slot is below it. */
  get limit(): number {
    return this.#next;
  }

  /** Takes a slot for a request that nothing has been done for yet. */
  open(request: number, prompt: number, output: number, maxModelTokens: number, ordinal: number): number {
    const slot = this.#spare.pop() ?? this.#next++;
    if (slot === this.#size) this.#grow();
    this.request[slot] = request;
    this.prompt[slot] = prompt;
    this.outputEnd[slot] = prompt + output;
    this.stop[slot] = Math.min(prompt + output, maxModelTokens);
    this.length[slot] = prompt;
    this.computed[slot] =
      this.allocated[slot] =
      this.identified[slot] =
      this.hits[slot] =
        0;
    this.ordinal[slot] = ordinal;
    this.preempted[slot] = this.steady[slot] = 0;
    this.passOf[slot] = -1;
    return slot;
  }

  close(slot: number): void {
    this.#spare.push(slot);
  }

  #grow(): void {
    this.#size *= 2;
    const int32 = (old: Int32Array) => {
      const column = new Int32Array(this.#size);
      column.set(old);
      return column;
    };
    const float64 = (old: Float64Array) => {
      const column = new Float64Array(this.#size);
      column.set(old);
      return column;
    };
    const uint8 = (old: Uint8Array) => {
      const column = new Uint8Array(this.#size);
      column.set(old);
      return column;
    };
    this.request = int32(this.request);
    this.prompt = int32(this.prompt);
    this.outputEnd = int32(this.outputEnd);
    this.stop = int32(this.stop);
    this.length = int32(this.length);
    this.computed = int32(this.computed);
    this.allocated = int32(this.allocated);
    this.identified = int32(this.identified);
    this.hits = int32(this.hits);
    this.ordinal = float64(this.ordinal);
    this.order = float64(this.order);
    this.preempted = uint8(this.preempted);
    this.steady = uint8(this.steady);
    this.passOf = int32(this.passOf);
    this.passTokens = int32(this.passTokens);
    this.passPrompt = int32(this.passPrompt);
    this.passPrior = int32(this.passPrior);
  }
}
