import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import "../without_user_cache.ts";
import { loadRecommendation } from "../../lib/recommend/load.ts";
import { branchSeed, RandomSampler } from "../../lib/recommend/random_sampler.ts";
import type { Replicas } from "../../lib/recommend/shapes.ts";
import { searchSpace } from "../../lib/recommend/space.ts";
import { goldens, sorted } from "./goldens.ts";

/** Sizes of the workers as the goldens list them. */
const columns = (roles: readonly Replicas[]) =>
  roles.flatMap((one) => [one.tensor, one.pipeline, one.attentionData, one.moeTensor, one.moeExpert, one.replicas]);

for (const golden of goldens()) {
  const { name, config, stack } = golden;
  const open = async () => {
    const search = loadRecommendation(JSON.stringify(config), { name, stack });
    return { search, space: await searchSpace(search) };
  };

  test(`searchSpace lists the shapes and parameters of ${name}`, async () => {
    const { branches } = (await open()).space;
    assert.deepEqual(branches.map(({ mode }) => mode), golden.branches.map((branch) => branch.deployment_mode));
    for (const [i, branch] of branches.entries()) {
      const groups: Record<string, number[][]> = {};
      for (const { roles, backends } of branch.pool) {
        (groups[[...backends].toSorted().join()] ??= []).push(columns(roles));
      }
      const expected = golden.branches[i];
      assert.deepEqual(sorted(groups), sorted(expected.parallel_configs));
      assert.deepEqual([...branch.choices], Object.entries(expected.knob_choices));
      assert.deepEqual(Object.fromEntries(branch.floats), expected.float_ranges);
      assert.deepEqual(Object.fromEntries(branch.integers), expected.integer_ranges);
      assert.deepEqual([...branch.log].toSorted(), expected.log);
      assert.equal(branch.conditional.length, expected.conditional.length);
      for (const [j, { selector, values, choices, floats, log }] of branch.conditional.entries()) {
        const recorded = expected.conditional[j];
        assert.deepEqual([selector, values, [...choices]], [
          recorded.selector,
          recorded.values,
          Object.entries(recorded.choices),
        ]);
        assert.deepEqual([Object.fromEntries(floats), [...log]], [recorded.float_ranges, recorded.log]);
      }
    }
  });

  test(`RandomSampler suggests what the reference suggests in ${name}`, async () => {
    const { search, space } = await open();
    for (const [i, branch] of space.branches.entries()) {
      const recorded = golden.branches[i].random_suggestions;
      const sampler = new RandomSampler(branch, branchSeed(search.optimizer.seed, branch.mode));
      const drawn = recorded.list.map(() => {
        const { mode, backend, roles, values } = sampler.next()!;
        return { selection: sorted({ deployment_mode: mode, backend, ...values }), parallel: columns(roles) };
      });
      assert.deepEqual(drawn, recorded.list.map(sorted));
    }
  });

  const diagnostics = golden.adapter_diagnostics?.["dynamo.planner"];
  if (diagnostics === undefined) continue;
  test(`searchSpace chooses the load predictors of ${name}`, async () => {
    const { predictors, planner } = (await open()).space;
    assert.deepEqual(predictors, {
      reason: diagnostics.load_predictor_reason,
      losses: diagnostics.load_predictor_losses,
    });
    assert.deepEqual(planner!.dropped, diagnostics.dropped_scaling_policies);
  });
}
