/**
 * The reference's seeded generator ("StdRng" of rand 0.9: ChaCha with 12 rounds), in 32-bit integer arithmetic.
 *
 * @module
 */

const LENGTH = 16;

/**
 * A stream of random words that depends on the seed alone.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { StdRng } from "./chacha.ts";
 *
 * assert.equal(new StdRng(42).float64(), 0.5265574090027738);
 * ```
 */
export class StdRng {
  readonly #input = new Uint32Array(LENGTH);
  readonly #state = new Int32Array(LENGTH);
  readonly #words = new Uint32Array(LENGTH);
  #next = LENGTH;

  /** `seed` is taken modulo 2^64. */
  constructor(seed: number | bigint) {
    const input = this.#input;
    input.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
    let state = BigInt.asUintN(64, BigInt(seed));
    for (let i = 4; i < 12; i++) {
      state = BigInt.asUintN(64, state * 6364136223846793005n + 11634580027462260723n);
      const mixed = Number(((state >> 18n) ^ state) >> 27n & 0xffffffffn);
      const turn = Number(state >> 59n);
      input[i] = (mixed >>> turn) | (mixed << (32 - turn & 31));
    }
  }

  /** The word at `index` of the stream, counted from its start; the next {@linkcode uint32} follows it. */
  wordAt(index: number): number {
    const block = Math.floor(index / LENGTH);
    // #input holds the block to come: the one in #words is one less
    if (this.#blockIndex() !== block + 1) {
      this.#input[12] = block >>> 0;
      this.#input[13] = Math.floor(block / 4294967296);
      this.#refill();
    }
    this.#next = index % LENGTH + 1;
    return this.#words[this.#next - 1];
  }

  #blockIndex(): number {
    return this.#input[13] * 4294967296 + this.#input[12];
  }

  /** An integer of 0 … 2^32 - 1: the next word. */
  uint32(): number {
    if (this.#next === LENGTH) {
      this.#refill();
      this.#next = 0;
    }
    return this.#words[this.#next++];
  }

  /** A float of [0, 1) with 53 random bits: two words, the low half first. */
  float64(): number {
    const low = this.uint32();
    return (this.uint32() * 2097152 + (low >>> 11)) / 9007199254740992;
  }

  /** An integer of 0 … 2^64 - 1: two words, the low half first. */
  uint64(): bigint {
    const low = this.uint32();
    return BigInt(this.uint32()) << 32n | BigInt(low);
  }

  /** True with probability `p` (0 … 1): two words are compared with p × 2^64; at p = 1 none is drawn. */
  chance(p: number): boolean {
    if (p === 1) return true;
    const low = this.uint32(), high = this.uint32();
    const scaled = p * 4294967296;
    const limitHigh = Math.floor(scaled);
    if (high !== limitHigh) return high < limitHigh;
    return low < Math.floor((scaled - limitHigh) * 4294967296);
  }

  /** An integer of 0 … n - 1, n < 2^32, each with the same probability. */
  below(n: number): number {
    let [high, low] = multiply(this.uint32(), n);
    if (low > 4294967296 - n) {
      const [more] = multiply(this.uint32(), n);
      if (low + more >= 4294967296) high++;
    }
    return high;
  }

  #refill(): void {
    const input = this.#input, state = this.#state;
    state.set(input);
    for (let round = 0; round < 6; round++) {
      quarterRound(state, 0, 4, 8, 12);
      quarterRound(state, 1, 5, 9, 13);
      quarterRound(state, 2, 6, 10, 14);
      quarterRound(state, 3, 7, 11, 15);
      quarterRound(state, 0, 5, 10, 15);
      quarterRound(state, 1, 6, 11, 12);
      quarterRound(state, 2, 7, 8, 13);
      quarterRound(state, 3, 4, 9, 14);
    }
    for (let i = 0; i < LENGTH; i++) this.#words[i] = state[i] + input[i];
    input[12]++;
    if (input[12] === 0) input[13]++;
  }
}

function quarterRound(state: Int32Array, ia: number, ib: number, ic: number, id: number): void {
  let a = state[ia], b = state[ib], c = state[ic], d = state[id];
  a = a + b | 0;
  d ^= a;
  d = d << 16 | d >>> 16;
  c = c + d | 0;
  b ^= c;
  b = b << 12 | b >>> 20;
  a = a + b | 0;
  d ^= a;
  d = d << 8 | d >>> 24;
  c = c + d | 0;
  b ^= c;
  b = b << 7 | b >>> 25;
  state[ia] = a;
  state[ib] = b;
  state[ic] = c;
  state[id] = d;
}

/** The 64-bit product of two 32-bit integers as its high and low word. */
function multiply(a: number, b: number): [number, number] {
  const aHigh = a >>> 16, aLow = a & 0xffff, bHigh = b >>> 16, bLow = b & 0xffff;
  const low = aLow * bLow;
  const middle = aHigh * bLow + aLow * bHigh + Math.floor(low / 65536);
  return [aHigh * bHigh + Math.floor(middle / 65536), (middle % 65536) * 65536 + low % 65536];
}
