import { test } from "node:test";
import assert from "node:assert/strict";
import fc from "fast-check";
import { Picker } from "../../lib/router/pick.ts";
import { WyRand } from "../../lib/random/wyrand.ts";

/** Sixteen picks among three equal workers named 10, 20 and 30. */
function sequence(seed: bigint, temperature: number): string {
  const picker = new Picker(new WyRand(seed)), costs = new Float64Array(3);
  return Array.from({ length: 16 }, () => 10 * (picker.choose(costs, [10, 20, 30], temperature) + 1)).join(" ");
}

function counts(costs: number[], temperature: number, draws: number): number[] {
  const picker = new Picker(new WyRand(1n)), column = Float64Array.from(costs), chosen = costs.map(() => 0);
  for (let i = 0; i < draws; i++) chosen[picker.choose(column, costs, temperature)]++;
  return chosen;
}

test("Picker breaks ties with the documented sequence of seed 42", () => {
  assert.equal(sequence(42n, 0), "10 30 10 10 30 20 10 10 10 20 10 20 30 10 20 20");
});

test("Picker draws equal costs with the documented sequence of seed 42", () => {
  assert.equal(sequence(42n, 0.7), "30 20 30 10 20 20 30 20 30 10 10 30 30 20 30 30");
});

test("Picker takes the lowest cost at temperature 0 and draws nothing for it", () => {
  const random = new WyRand(7n), picker = new Picker(random);
  assert.equal(picker.choose(Float64Array.of(3, 1, 2), [0, 1, 2], 0), 1);
  assert.equal(random.next(), new WyRand(7n).next());
});

test("Picker breaks ties evenly", () => {
  for (const count of counts([5, 5, 9, 5], 0, 3000).filter((_, i) => i !== 2)) assert.ok(Math.abs(count - 1000) < 90);
});

test("Picker weighs by normalised cost whatever the spread", () => {
  const share = (costs: number[], temperature: number) => counts(costs, temperature, 4000)[0] / 4000;
  assert.ok(Math.abs(share([10, 18], 1) - 1 / (1 + Math.exp(-1))) < 0.03);
  assert.ok(Math.abs(share([1e-9, 1e9], 1) - 1 / (1 + Math.exp(-1))) < 0.03);
  assert.ok(Math.abs(share([18, 10, 10], 0.5) - Math.exp(-2) / (2 + Math.exp(-2))) < 0.02);
  assert.equal(share([10, 18], 0.1), 1);
});

test("Picker survives a spread beyond the largest number", () => {
  const chosen = counts([-1.7e308, 1.7e308], 1, 2000);
  assert.ok(Math.abs(chosen[0] / 2000 - 1 / (1 + Math.exp(-1))) < 0.04);
});

test("Picker never picks beyond the candidates", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 40 }),
      fc.constantFrom(0, 0.01, 0.7, 100),
      fc.bigInt(0n, (1n << 64n) - 1n),
      (costs, temperature, seed) => {
        const at = new Picker(new WyRand(seed)).choose(Float64Array.from(costs), costs, temperature);
        assert.ok(at >= 0 && at < costs.length);
        if (temperature === 0) assert.equal(costs[at], Math.min(...costs));
      },
    ),
  );
});

test("WyRand.below is unbiased at the borders and stays in range", () => {
  const random = new WyRand(3n), seen = new Set<number>();
  for (let i = 0; i < 500; i++) seen.add(random.below(7));
  assert.deepEqual([...seen].sort(), [0, 1, 2, 3, 4, 5, 6]);
  assert.equal(random.below(1), 0);
});

test("WyRand.unit stays in [0, 1)", () => {
  const random = new WyRand(9n);
  for (let i = 0; i < 1000; i++) {
    const value = random.unit();
    assert.ok(value >= 0 && value < 1);
  }
});
