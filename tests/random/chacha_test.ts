import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { StdRng } from "../../lib/random/chacha.ts";

const draws = <T>(count: number, draw: () => T) => Array.from({ length: count }, draw);

test("StdRng draws the reference's integers, floats and choices from seed 42", () => {
  let random = new StdRng(42);
  assert.deepEqual(draws(4, () => random.uint64()), [
    9713269763989775522n,
    10011513049433592189n,
    11740708795755607249n,
    7487565853151867058n,
  ]);
  random = new StdRng(42n);
  assert.deepEqual(draws(4, () => random.float64()), [
    0.5265574090027738,
    0.5427252099031439,
    0.6364650991438949,
    0.4059017582307767,
  ]);
  random = new StdRng(42);
  assert.deepEqual(draws(12, () => random.below(3)), [0, 1, 0, 1, 2, 1, 2, 1, 2, 0, 1, 1]);
  random = new StdRng(42);
  assert.deepEqual(draws(6, () => random.below(2)), [0, 1, 0, 1, 1, 1]);
});

test("StdRng draws the words of planned outputs", () => {
  const random = new StdRng(232521115524845);
  assert.deepEqual(draws(4, () => random.uint32()), [952584220, 694593853, 2967053780, 2932165014]);
});

test("StdRng.wordAt goes to any place of the stream", () => {
  const words = draws(200, ((random) => () => random.uint32())(new StdRng(7)));
  fc.assert(fc.property(fc.array(fc.nat(198), { minLength: 1 }), (places) => {
    const random = new StdRng(7);
    for (const place of places) {
      assert.equal(random.wordAt(place), words[place]);
      assert.equal(random.uint32(), words[place + 1]);
    }
  }));
});

test("StdRng.chance compares two words with the probability", () => {
  fc.assert(fc.property(fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (seed, p) => {
    const word = new StdRng(seed).uint64(), random = new StdRng(seed);
    const limit = BigInt(Math.floor(p * 2 ** 53)) << 11n;
    if (p < 1 && Number.isInteger(p * 2 ** 53)) assert.equal(random.chance(p), word < limit);
    else assert.equal(typeof random.chance(p), "boolean");
  }));
  const random = new StdRng(1);
  assert.equal(random.chance(1), true);
  assert.equal(random.uint64(), new StdRng(1).uint64());
});
