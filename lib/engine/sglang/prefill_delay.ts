/**
 * SGLang's pause between prefills: after a pass that computed prompt tokens on any rank of a worker, so many passes must
 * not prefill.
 *
 * @module
 */

/** The pause of one rank, and what its pass in the making says about it. */
export class PrefillDelay {
  /** Passes that still must not prefill. */
  left = 0;
  /** The pass had to defer prefill and had nothing to decode. */
  idle = false;
  /** The pass computed prompt tokens; it ran the model for whatever purpose. */
  computedPrefill = false;
  ranModel = false;
  readonly #passes: number;

  constructor(passes: number) {
    this.#passes = passes;
  }

  /** The pass is decided on all ranks of the worker: when may the next prefill be? */
  settle(prefill: boolean): void {
    if (prefill) this.left = this.#passes;
    else this.step();
  }

  /** A pass without prefill. */
  step(): void {
    if (this.left > 0) this.left--;
  }
}
