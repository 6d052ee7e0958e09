import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Histogram } from "../../lib/collections/histogram.ts";

test("Histogram gives exact percentiles of small integers and close ones of large numbers", () => {
  const value = fc.oneof(fc.nat(2000), fc.integer({ min: 65_536, max: 1e9 }));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 100 }), (values, p) => {
      const histogram = new Histogram();
      for (const one of values) histogram.add(one);
      const sorted = values.toSorted((a, b) => a - b);
      const wanted = sorted[Math.max(1, Math.ceil(values.length * p / 100)) - 1];
      const got = histogram.percentile(p);
      if (wanted < 65_536) assert.equal(got, wanted);
      else assert.ok(Math.abs(got - wanted) <= 0.004 * wanted, `${got} for ${wanted}`);
      assert.equal(histogram.max, sorted.at(-1));
    }),
  );
});
