import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ArmaFilter, type SeriesFilter, unknowns } from "../../lib/forecast/arma.ts";
import { filterOf, ShortArmaFilter } from "../../lib/forecast/short_arma.ts";

const bit = fc.constantFrom(0, 1);
const number = fc.oneof(
  fc.double({ min: -1e3, max: 1e3, noNaN: true }),
  fc.double(),
  fc.constantFrom(0, -0, 1e9, Infinity),
);

test("ShortArmaFilter finds the numbers of ArmaFilter to the last bit, also where they are none", () => {
  fc.assert(fc.property(
    fc.record({ p: bit, q: bit, constant: fc.boolean() }),
    fc.array(number, { minLength: 4, maxLength: 4 }),
    fc.array(fc.array(number, { maxLength: 8 }), { minLength: 1, maxLength: 2 }),
    (order, numbers, lists) => {
      const short = filterOf(order), general = new ArmaFilter(order);
      assert.ok(short instanceof ShortArmaFilter);
      for (const list of lists) {
        for (const filter of [short, general]) {
          filter.take(new Float64Array(numbers.slice(0, unknowns(order))));
          filter.run(new Float64Array(list));
        }
        const numbersOf = (filter: SeriesFilter) => [filter.logLikelihood, filter.next, ...filter.ar, ...filter.ma];
        assert.deepStrictEqual(numbersOf(short), numbersOf(general));
      }
    },
  ));
});

test("filterOf filters orders of more coefficients in general", () => {
  assert.ok(filterOf({ p: 2, q: 0, constant: false }) instanceof ArmaFilter);
  assert.ok(filterOf({ p: 0, q: 2, constant: true }) instanceof ArmaFilter);
});
