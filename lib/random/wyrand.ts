/**
 * The random stream behind a router's choices: a 64-bit wyrand generator, the reference's seeded mode. One seed gives
 * one stream on every runtime.
 *
 * @module
 */

const MASK = (1n << 64n) - 1n;
const STEP = 0x2d358dcc_aa6c78a5n;
const TWIST = 0x8bb84b93_962eacc9n;

/**
 * Stream of 64-bit numbers, in arbitrary-precision arithmetic: for choices, not for every token.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { WyRand } from "./wyrand.ts";
 *
 * const random = new WyRand(42n);
 * assert.ok(random.below(6) < 6);
 * assert.equal(new WyRand(7n).next(), new WyRand(7n).next());
 * ```
 */
export class WyRand {
  #state: bigint;

  /** Starts the stream at `seed` (its low 64 bits). */
  constructor(seed: bigint) {
    this.#state = seed & MASK;
  }

  /** The next 64 bits. */
  next(): bigint {
    this.#state = (this.#state + STEP) & MASK;
    const product = this.#state * (this.#state ^ TWIST);
    return (product & MASK) ^ (product >> 64n);
  }

  /** An integer in `[0, limit)`, without bias. `limit` is a positive integer. */
  below(limit: number): number {
    const n = BigInt(limit);
    let product = this.next() * n;
    if ((product & MASK) < n) {
      const biased = (1n << 64n) % n;
      while ((product & MASK) < biased) product = this.next() * n;
    }
    return Number(product >> 64n);
  }

  /** A number in `[0, 1)`. */
  unit(): number {
    let value: number;
    do value = Number(this.next() >> 1n) * 2 ** -63; while (value >= 1);
    return value;
  }
}
