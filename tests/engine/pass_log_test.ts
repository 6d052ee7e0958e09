import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PassLog } from "../../lib/engine/pass_log.ts";

/** Requests that emit in every pass from one to another, and how early the log is folded. */
const plan = fc.record({
  passes: fc.integer({ min: 1, max: 900 }),
  runs: fc.array(fc.record({ first: fc.nat(900), length: fc.integer({ min: 1, max: 700 }) }), { maxLength: 25 }),
  eager: fc.boolean(),
});

test("PassLog tells each gap of each run once, however it is folded", () => {
  fc.assert(
    fc.property(plan, ({ passes, runs, eager }) => {
      const gaps = new Map<number, number>();
      const log = new PassLog({ add: (gap, count) => void gaps.set(gap, (gaps.get(gap) ?? 0) + count) });
      // Gaps of different length, so that each is recognised: pass p ends p(p + 1)/2 after the first.
      const endOf = (pass: number) => 10 + pass * (pass + 1) / 2;
      const expected = new Map<number, number>();
      const ended = runs.map(({ first, length }) => ({ first, last: Math.min(passes - 1, first + length - 1) }))
        .filter(({ first, last }) => last >= first);
      for (let pass = 0; pass < passes; pass++) {
        if (log.room === 0 || eager && pass % 7 === 0) {
          const open = ended.filter(({ first, last }) => first < pass && last >= pass).map(({ first }) => first);
          log.fold(Math.min(log.next - 1, ...open) - 1);
        }
        assert.equal(log.next, pass);
        log.push(endOf(pass));
        for (const { first, last } of ended) {
          if (last !== pass) continue;
          assert.equal(log.end(first), endOf(first), "what a run looks back to is kept");
          log.emitted(first, last);
          for (let p = first + 1; p <= last; p++) expected.set(p, (expected.get(p) ?? 0) + 1);
        }
      }
      log.fold(Infinity);
      // Pass p ends p after the one before it.
      assert.deepEqual([...gaps].sort(([a], [b]) => a - b), [...expected].sort(([a], [b]) => a - b));
    }),
    { seed: 5, numRuns: 200 },
  );
});

test("PassLog keeps the end of a run at its last pass when it grows right after it", () => {
  const gaps: [number, number][] = [];
  const log = new PassLog({ add: (gap, count) => void gaps.push([gap, count]) });
  for (let pass = 0; pass < 200; pass++) log.push(pass + 1);
  log.emitted(197, 199);
  log.fold(-1);
  log.push(500);
  log.emitted(199, 200);
  log.fold(Infinity);
  assert.deepEqual(gaps, [[1, 1], [1, 1], [300, 1]]);
});
