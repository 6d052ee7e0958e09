import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Outcome, Pool, RequestRecords } from "../../lib/engine/records.ts";
import { type Span, Waits } from "../../lib/report/waits.ts";

const requests = fc.array(
  fc.record({
    arrival: fc.integer({ min: 0, max: 900 }),
    // never admitted, or so much later
    wait: fc.constantFrom(null, 0, 3, 250, 2000),
    ended: fc.boolean(),
  }),
  { minLength: 2, maxLength: 40 },
);

test("Waits tells how many requests waited in each quarter, whether or not it was told when they come", () => {
  fc.assert(fc.property(requests, fc.boolean(), (requests, keepsEnded) => {
    const arrivals = requests.map(({ arrival }) => arrival),
      first = Math.min(...arrivals),
      last = Math.max(...arrivals);
    const results = [null, [first, last] as Span].map((span) => {
      const waits = new Waits(span, 0);
      const listener = { ended: (records: RequestRecords, _: number, row: number) => waits.ended(records, row) };
      const records = new RequestRecords({ keepsEnded, listener });
      requests.forEach(({ arrival, wait, ended }, r) => {
        records.arrive(r, arrival, 10);
        if (wait !== null) records.admit(r, arrival + wait, 0, Pool.aggregated);
        if (ended) records.finish(r, 5000, wait === null ? Outcome.rejected : Outcome.completed);
      });
      return waits.result(records);
    });
    const quarter = (last - first) / 4;
    const expected = [0, 1, 2, 3].map((q) => {
      let sum = 0;
      for (const { arrival, wait, ended } of requests) {
        const until = wait !== null ? arrival + wait : ended ? arrival : Infinity, start = first + q * quarter;
        sum += Math.max(0, Math.min(until, start + quarter) - Math.max(arrival, start));
      }
      return quarter > 0 ? sum / quarter : 0;
    });
    for (const { waits, neverRan } of results) {
      assert.equal(neverRan, requests.filter(({ wait, ended }) => wait === null && !ended).length);
      waits.forEach((value, q) => assert.ok(Math.abs(value - expected[q]) < 1e-9, `${value} is not ${expected[q]}`));
    }
  }));
});
