import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { WyRand } from "../../lib/random/wyrand.ts";

const MASK = (1n << 64n) - 1n;

/** The generator in arbitrary-precision arithmetic. */
class Plain {
  #state: bigint;

  constructor(seed: bigint) {
    this.#state = seed & MASK;
  }

  next(): bigint {
    this.#state = (this.#state + 0x2d358dcc_aa6c78a5n) & MASK;
    const product = this.#state * (this.#state ^ 0x8bb84b93_962eacc9n);
    return (product & MASK) ^ (product >> 64n);
  }

  below(limit: number): number {
    const n = BigInt(limit), biased = (1n << 64n) % n;
    for (;;) {
      const product = this.next() * n;
      if ((product & MASK) >= biased) return Number(product >> 64n);
    }
  }
}

test("WyRand draws what the definition gives", () => {
  const limit = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 2 ** 32 - 1 }));
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: MASK }), fc.array(limit, { maxLength: 60 }), (seed, limits) => {
    const random = new WyRand(seed), plain = new Plain(seed);
    for (const limit of limits) {
      assert.equal(random.below(limit), plain.below(limit));
      assert.equal(random.next(), plain.next());
    }
  }));
});

test("WyRand takes the low 64 bits of its seed", () => {
  assert.equal(new WyRand((5n << 64n) + 42n).next(), new WyRand(42n).next());
});
