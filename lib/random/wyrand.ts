/**
 * The random stream behind a router's choices: a 64-bit wyrand generator, the reference's seeded mode. One seed gives
 * one stream on every runtime.
 *
 * @module
 */

const MASK = (1n << 64n) - 1n;
/** High and low halves of what the state grows by, and of what it is twisted with. */
const STEP_HIGH = 0x2d358dcc, STEP_LOW = 0xaa6c78a5;
const TWIST_HIGH = 0x8bb84b93, TWIST_LOW = 0x962eacc9;
const WORD = 2 ** 32;

/** The upper 32 bits of the product of two 32-bit words. */
function upper(a: number, b: number): number {
  const aLow = a & 0xffff, aHigh = a >>> 16, bLow = b & 0xffff, bHigh = b >>> 16;
  return aHigh * bHigh + Math.floor((aHigh * bLow + aLow * bHigh + ((aLow * bLow) >>> 16)) / 0x10000);
}

/** The lower 32 bits of it. */
const lower = (a: number, b: number) => Math.imul(a, b) >>> 0;

/**
 * Stream of 64-bit numbers, computed in halves: a router that looks at thousands of ranks draws one a rank.
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
  #stateHigh = 0;
  #stateLow = 0;
  /** Halves of the number drawn last. */
  #high = 0;
  #low = 0;

  /** Starts the stream at `seed` (its low 64 bits). */
  constructor(seed: bigint) {
    this.#stateHigh = Number(seed >> 32n & 0xffffffffn);
    this.#stateLow = Number(seed & 0xffffffffn);
  }

  /** The next 64 bits. */
  next(): bigint {
    this.#draw();
    return BigInt(this.#high) << 32n | BigInt(this.#low);
  }

  /** The product of the state and its twisted self, folded from 128 bits to 64. */
  #draw(): void {
    const sum = this.#stateLow + STEP_LOW, low = sum >>> 0;
    const high = (this.#stateHigh + STEP_HIGH + (sum >= WORD ? 1 : 0)) >>> 0;
    this.#stateLow = low;
    this.#stateHigh = high;
    const twistedLow = (low ^ TWIST_LOW) >>> 0, twistedHigh = (high ^ TWIST_HIGH) >>> 0;
    const second = upper(low, twistedLow) + lower(low, twistedHigh) + lower(high, twistedLow);
    const third = upper(low, twistedHigh) + upper(high, twistedLow) + lower(high, twistedHigh) +
      Math.floor(second / WORD);
    const fourth = upper(high, twistedHigh) + Math.floor(third / WORD);
    this.#low = (lower(low, twistedLow) ^ third) >>> 0;
    this.#high = (second ^ fourth) >>> 0;
  }

  /** An integer in `[0, limit)`, without bias. `limit` is a positive integer below 2³². */
  below(limit: number): number {
    for (;;) {
      this.#draw();
      // The product of 64 and 32 bits: its upper word is the answer, the two lower ones tell a bias.
      const middle = upper(this.#low, limit) + lower(this.#high, limit), last = lower(this.#low, limit);
      const answer = upper(this.#high, limit) + Math.floor(middle / WORD);
      if (middle >>> 0 !== 0 || last >= limit || BigInt(last) >= (MASK + 1n) % BigInt(limit)) return answer;
    }
  }

  /** A number in `[0, 1)`. */
  unit(): number {
    let value: number;
    do value = Number(this.next() >> 1n) * 2 ** -63; while (value >= 1);
    return value;
  }
}
