import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { largestHolding } from "../../lib/capacity/bracket.ts";

const upTo = (edge: number, asked: number[]) => (values: readonly number[]) => {
  asked.push(...values);
  return Promise.resolve(values.map((value) => value <= edge));
};

test("largestHolding finds the edge wherever it is, from any start, with any number of values at once", async () => {
  const edges = fc.double({ min: 0.02, max: 400, noNaN: true });
  await fc.assert(fc.asyncProperty(edges, fc.integer({ min: 1, max: 4 }), async (edge, parallel) => {
    const asked: number[] = [];
    const options = { start: 1, whole: false, parallel, precision: 0.01, reach: 1024 };
    const { holds, fails } = await largestHolding(upTo(edge, asked), options);
    assert.ok(holds! <= edge && fails! > edge, `${holds} ${edge} ${fails}`);
    assert.ok(fails! / holds! <= 1.0101);
    assert.equal(new Set(asked).size, asked.length, "nothing is asked twice");
  }));
});

test("largestHolding narrows whole numbers to neighbours", async () => {
  const options = { start: 8, whole: true, parallel: 2, precision: 0.001, reach: 1024 };
  assert.deepEqual(await largestHolding(upTo(37.5, []), options), { holds: 37, fails: 38 });
  assert.deepEqual(await largestHolding(upTo(0.5, []), options), { holds: null, fails: 1 });
});

test("largestHolding tells how many rounds are left once it knows both sides", async () => {
  const edges = fc.double({ min: 0.02, max: 400, noNaN: true });
  await fc.assert(fc.asyncProperty(edges, fc.integer({ min: 1, max: 4 }), async (edge, parallel) => {
    const options = { start: 1, whole: false, parallel, precision: 0.01, reach: 1024 };
    const told: number[] = [], ask = upTo(edge, []);
    await largestHolding((values, roundsAfter) => {
      told.push(roundsAfter);
      return ask(values);
    }, options);
    const narrowing = told.slice(-3).toReversed();
    assert.ok(narrowing[0] <= 1, `${told}`);
    narrowing.forEach((rounds, after) => assert.ok(Math.abs(rounds - after) <= 1, `${told}`));
  }));
});

test("largestHolding gives up at its reach", async () => {
  const options = { start: 1, whole: false, parallel: 1, precision: 0.01, reach: 64 };
  const asked: number[] = [];
  assert.deepEqual(await largestHolding(upTo(Infinity, asked), options), { holds: 64, fails: null });
  assert.deepEqual(asked, [1, 2, 4, 8, 16, 32, 64]);
  assert.equal((await largestHolding(upTo(0, []), options)).holds, null);
});
