import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clampPair, clampSingle, fitTowards, guardPair, guardSingle } from "../../lib/planner/budget.ts";
import { readGolden } from "./helpers.ts";

const golden = readGolden("unit_budget_capacity_bootstrap.json");

test("guardSingle answers the reference's vectors", () => {
  assert.ok(golden.guard_single.length >= 13);
  for (const { args, result } of golden.guard_single) {
    const budget = { gpus: args.gpu, minGpus: args.min_gpus, maxGpus: args.max_gpus, minimum: args.min_endpoint };
    const { count, reason } = guardSingle(args.current, args.proposed, budget);
    assert.deepEqual([count, reason], result, JSON.stringify(args));
  }
});

test("clampSingle answers the reference's vectors", () => {
  for (const { args: [wanted, gpus, minGpus, maxGpus, minimum], result } of golden.proportional_single) {
    assert.equal(clampSingle(wanted, { gpus, minGpus, maxGpus, minimum }), result);
  }
});

test("guardPair, fitTowards and clampPair answer the reference's 75 pairs", () => {
  assert.equal(golden.pair.cases.length, 75);
  for (const { args, guard_disagg, fit_directional, proportional_pair_of_proposal } of golden.pair.cases) {
    const [cp, cd, pp, pd, gp, gd, minGpus, maxGpus, mp, md] = args;
    const current = { prefill: cp, decode: cd }, proposed = { prefill: pp, decode: pd };
    const budget = { gpus: { prefill: gp, decode: gd }, minimum: { prefill: mp, decode: md }, minGpus, maxGpus };
    const guarded = guardPair(current, proposed, budget);
    assert.deepEqual([guarded.count.prefill, guarded.count.decode, guarded.reason], guard_disagg, `guard ${args}`);
    const fitted = fitTowards(current, proposed, budget);
    assert.deepEqual([fitted.prefill, fitted.decode], fit_directional, `fit ${args}`);
    const clamped = clampPair(proposed, budget);
    assert.deepEqual([clamped.prefill, clamped.decode], proportional_pair_of_proposal, `clamp ${args}`);
  }
});

const count = fc.integer({ min: 0, max: 12 });
const cost = fc.integer({ min: 1, max: 4 });

test("guardSingle never moves against the proposal unless it reconciles", () => {
  fc.assert(
    fc.property(count, count, cost, fc.integer({ min: -1, max: 30 }), (current, proposed, gpus, maxGpus) => {
      const { count: result, reason } = guardSingle(current, proposed, { gpus, minGpus: -1, maxGpus, minimum: 1 });
      if (reason === "gpu_budget_reconcile") return;
      assert.ok(result >= Math.min(current, proposed) && result <= Math.max(current, proposed));
      if (maxGpus >= 0) assert.ok(result * gpus <= maxGpus);
    }),
  );
});

test("guardPair stays under the ceiling and between current and proposed unless it reconciles", () => {
  fc.assert(
    fc.property(
      count,
      count,
      count,
      count,
      cost,
      cost,
      fc.integer({ min: -1, max: 40 }),
      (cp, cd, pp, pd, gp, gd, top) => {
        const current = { prefill: cp, decode: cd }, proposed = { prefill: pp, decode: pd };
        const budget = {
          gpus: { prefill: gp, decode: gd },
          minimum: { prefill: 1, decode: 1 },
          minGpus: -1,
          maxGpus: top,
        };
        const { count: result, reason } = guardPair(current, proposed, budget);
        if (reason === "gpu_budget_reconcile") return;
        if (top >= 0) assert.ok(result.prefill * gp + result.decode * gd <= top);
        for (const role of ["prefill", "decode"] as const) {
          assert.ok(result[role] >= Math.min(current[role], proposed[role]));
          assert.ok(result[role] <= Math.max(current[role], proposed[role]));
        }
      },
    ),
  );
});
