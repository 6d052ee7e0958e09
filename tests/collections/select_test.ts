import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { select } from "../../lib/collections/select.ts";

const SHAPES: Readonly<Record<string, (i: number, random: number) => number>> = {
  random: (_, random) => random,
  "of few values": (_, random) => random % 7,
  equal: () => 3,
  ascending: (i) => i,
  descending: (i) => -i,
  "up and down": (i) => Math.abs(500 - i),
  "a saw": (i) => i % 13,
};

for (const [name, numberAt] of Object.entries(SHAPES)) {
  test(`select puts ranks of numbers that are ${name} where sorting would put them`, () => {
    fc.assert(fc.property(
      fc.array(fc.nat(1e6), { minLength: 1, maxLength: 1000, size: "max" }),
      fc.array(fc.nat(999), { maxLength: 6 }),
      (given, wanted) => {
        const numbers = Float64Array.from(given, (random, i) => numberAt(i, random)), sorted = numbers.slice().sort();
        const ranks = wanted.map((rank) => rank % numbers.length).sort((a, b) => a - b);
        select(numbers, ranks);
        for (const rank of ranks) assert.equal(numbers[rank], sorted[rank]);
        assert.deepEqual(numbers.sort(), sorted);
      },
    ));
  });
}
