/**
 * MT19937 with the ways of drawing that Python's `random.Random` has, so that samples taken there can be taken here.
 * Method: Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998), seeded by `init_by_array`.
 *
 * @module
 */

const SIZE = 624;
const SHIFT = 397;

/** The generator. A draw costs one 32-bit word for whole numbers, two for fractions. */
export class MersenneTwister {
  readonly #state = new Uint32Array(SIZE);
  #next = SIZE;

  /**
   * @param seed a whole number from 0 to 2⁵³ − 1
   */
  constructor(seed: number) {
    const key = seed < 2 ** 32 ? [seed] : [seed % 2 ** 32, Math.floor(seed / 2 ** 32)];
    const state = this.#state;
    state[0] = 19650218;
    for (let i = 1; i < SIZE; i++) {
      state[i] = Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), 1812433253) + i;
    }
    let i = 1;
    for (let step = 0; step < SIZE; step++) {
      const mixed = state[i] ^ Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), 1664525);
      state[i] = mixed + key[step % key.length] + step % key.length;
      i = this.#following(i);
    }
    for (let step = 1; step < SIZE; step++) {
      state[i] = (state[i] ^ Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), 1566083941)) - i;
      i = this.#following(i);
    }
    state[0] = 0x80000000;
  }

  #following(i: number): number {
    if (i + 1 < SIZE) return i + 1;
    this.#state[0] = this.#state[SIZE - 1];
    return 1;
  }

  /** The next 32 bits. */
  word(): number {
    if (this.#next === SIZE) this.#refill();
    let word = this.#state[this.#next++];
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #refill(): void {
    const state = this.#state;
    for (let i = 0; i < SIZE; i++) {
      const joined = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff);
      state[i] = state[(i + SHIFT) % SIZE] ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }

  /** A whole number from 0 to `limit` − 1; `limit` is at least 1 and at most 2⁵³. */
  below(limit: number): number {
    let bits = 0;
    for (let rest = limit; rest >= 1; rest = Math.floor(rest / 2)) bits++;
    for (;;) {
      const drawn = this.#bits(bits);
      if (drawn < limit) return drawn;
    }
  }

  #bits(count: number): number {
    if (count <= 32) return this.word() >>> (32 - count);
    const low = this.word();
    return (this.word() >>> (64 - count)) * 2 ** 32 + low;
  }

  /** A fraction from 0 up to but not including 1, with 53 bits. */
  fraction(): number {
    const high = this.word() >>> 5;
    return (high * 67108864 + (this.word() >>> 6)) / 9007199254740992;
  }

  /** A number between two others. */
  uniform(from: number, to: number): number {
    return from + (to - from) * this.fraction();
  }

  /** Puts a list in a random order, in place. */
  shuffle(list: unknown[]): void {
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [list[i], list[j]] = [list[j], list[i]];
    }
  }
}
