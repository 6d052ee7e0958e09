/**
 * The families of models against what the reference reports: passes and KV capacity of deployments on h200_sxm and
 * b200_sxm under every backend, and what the reference cannot time.
 */
import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { PerfCatalog } from "../../lib/timing/aic/catalog.ts";
import { Deployment, type DeploymentOptions } from "../../lib/timing/aic/deployment.ts";
import { findModel } from "../../lib/timing/aic/model_sources.ts";

const GOLDENS = new URL("../../fixtures/goldens/perf-families/", import.meta.url);
const catalog = new PerfCatalog();

/** A deployment with the times of the workloads (null where the reference fails) and KV capacities. */
interface Case extends DeploymentOptions {
  model: string;
  ms: (number | null)[];
  /** Memory fraction, token budget, tokens (null: nothing left), bytes of one token. */
  kv: [number, number, number | null, number][];
}

for (const file of readdirSync(GOLDENS).filter((name) => name.endsWith(".json"))) {
  const { workloads, cases }: { workloads: number[][]; cases: Case[] } = JSON.parse(
    readFileSync(new URL(file, GOLDENS), "utf8"),
  );
  test(`passes and KV capacity of ${file.slice(0, -5)}`, () => {
    for (const { model, ms, kv, ...options } of cases) {
      const where = JSON.stringify({ model, ...options });
      const deployed = new Deployment(findModel(model)!.facts, { ...options, fmhaFallback: false }, catalog);
      workloads.forEach(([prompts, fresh, prior, decodes, known], i) => {
        const load = {
          num_prefill_requests: prompts,
          sum_prefill_tokens: fresh,
          sum_prefill_kv_tokens: prior,
          num_decode_requests: decodes,
          sum_decode_kv_tokens: known,
        };
        const ask = () => deployed.forwardPassModel().passMs(load);
        const want = ms[i];
        if (want === null) {
          return assert.throws(ask, { name: /^(Config|Simulation)Error$/ }, `${where} ${workloads[i]}`);
        }
        const got = ask();
        assert.ok(Math.abs(got - want) <= 1e-12 * want, `${where} ${workloads[i]}: ${got} is not ${want}`);
      });
      for (const [memoryFraction, maxBatchedTokens, tokens, bytesPerToken] of kv) {
        const ask = () => deployed.kvCapacity({ memoryFraction, maxBatchedTokens });
        if (tokens === null) assert.throws(ask, { name: "ConfigError" }, where);
        else assert.deepEqual([ask().tokens, Math.floor(ask().bytesPerToken)], [tokens, bytesPerToken], where);
      }
    }
  });
}
