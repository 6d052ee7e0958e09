import assert from "node:assert/strict";
import { test } from "node:test";
import "../without_user_cache.ts";
import { loadRecommendation } from "../../lib/recommend/load.ts";
import { ledgerOf } from "../../lib/recommend/ledger.ts";
import { recommend } from "../../lib/recommend/recommend.ts";
import { goldens, sorted } from "./goldens.ts";

/** Host times, and what only the reference's estimators have. */
const NOT_COMPARED = /wall_time|processed_.*per_s/;
const OTHERS_CONFIG = /forward_model$|^enable_eplb$/;

/** A spread of sums differs in its last digits when the sums are added in another order. */
function near(name: string, ours: number, theirs: number, metrics: Record<string, number>): boolean {
  const scale = name.startsWith("std_") ? metrics[name.replace("std_", "mean_")] : theirs;
  return Math.abs(ours - theirs) <= 1e-9 * Math.abs(scale);
}

/** What is left of a recorded configuration. */
const configOf = (config: Record<string, unknown>) =>
  sorted(
    Object.fromEntries(Object.entries(config).filter(([name, value]) => value !== null && !OTHERS_CONFIG.test(name))),
  );

for (const golden of goldens()) {
  test(`recommend finds what the reference finds in ${golden.name}`, async () => {
    const search = loadRecommendation(JSON.stringify(golden.config), { name: golden.name, stack: golden.stack });
    const { ledger } = ledgerOf(await recommend(search).result, "test");
    assert.deepEqual(
      ledger.candidates.map(({ candidate_id }) => candidate_id),
      golden.candidates.map((one) => one.candidate_id),
    );
    let random = false;
    for (const [i, ours] of ledger.candidates.entries()) {
      const theirs = golden.candidates[i];
      const where = `${golden.name} ${theirs.candidate_id}`;
      assert.deepEqual(configOf(ours.config), configOf(theirs.config), where);
      assert.deepEqual([ours.status, ours.used_gpus], [theirs.status, theirs.used_gpus], `${where} ${ours.reason}`);
      // the reference chooses between equal workers by chance
      if (theirs.config.adapters?.["dynamo.router"]?.policy === "kv_router") {
        random = true;
        continue;
      }
      for (const [name, value] of Object.entries<any>(theirs.metrics ?? {})) {
        if (value === null || NOT_COMPARED.test(name)) continue;
        const got = ours.metrics![name];
        assert.ok(
          got != null && near(name, got, value, theirs.metrics),
          `${where}: ${name} is ${got}, expected ${value}`,
        );
      }
      if (theirs.score !== null) {
        assert.ok(
          near("score", ours.score!, theirs.score, {}),
          `${where}: score ${ours.score}, expected ${theirs.score}`,
        );
      }
    }
    if (random) return;
    const { wall_time_ms: _, ...counts } = golden.counts as any;
    assert.deepEqual(ledger.counts, counts);
    const best = (views: { top_n: string[]; pareto_front: string[] }) => [...views.top_n, ...views.pareto_front][0];
    const score = (id: string) => ledger.candidates.find((one) => one.candidate_id === id)!.score!;
    assert.ok(near("score", score(best(ledger.views)), score(best(golden.views)), {}));
  });
}
