/**
 * Multi-token prediction: how many tokens a forward pass yields for a request. Each drafted token is accepted with its
 * own conditional rate, drawn from the rank's seeded generator.
 *
 * @module
 */

/** Source of uniformly distributed 32-bit words. */
export interface WordSource {
  uint32(): number;
}

/** Draws acceptances of one rank. */
export class Acceptance {
  readonly #words: WordSource;
  readonly #rates: readonly number[];
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;

  constructor(rates: readonly number[], words: WordSource) {
    this.#words = words;
    this.#rates = rates;
    this.#high = new Uint32Array(rates.length);
    this.#low = new Uint32Array(rates.length);
    rates.forEach((rate, i) => {
      const scaled = rate * 0x100000000;
      this.#high[i] = Math.floor(scaled);
      this.#low[i] = Math.floor((scaled - Math.floor(scaled)) * 0x100000000);
    });
  }

  /** Most tokens one draw can yield. */
  get limit(): number {
    return this.#rates.length + 1;
  }

  /**
   * Tokens of one forward pass, at least 1. A rate of 1 consumes no random number.
   *
   * @param drafts drafted tokens that the pass verifies; by default one for each rate
   */
  draw(drafts = this.#rates.length): number {
    for (let i = 0; i < drafts; i++) {
      if (this.#rates[i] === 1) continue;
      const low = this.#words.uint32(), high = this.#words.uint32();
      if (high > this.#high[i] || (high === this.#high[i] && low >= this.#low[i])) return i + 1;
    }
    return drafts + 1;
  }
}
