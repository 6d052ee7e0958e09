import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../../lib/errors.ts";
import { loadRecommendation } from "../../lib/recommend/load.ts";
import { recommend } from "../../lib/recommend/recommend.ts";
import { ledgerOf } from "../../lib/recommend/ledger.ts";
import { resultFiles } from "../../lib/recommend/result_files.ts";
import { explainRecommendation, readRecommendation, recommendationPage } from "../../mod.ts";
import { writeTogether } from "../../cli/output.ts";
import { inFolder } from "../cli/support.ts";
import { rankingTable } from "../../cli/search_texts.ts";

const text = (evaluation: string, optimization = "") => `
traffic: {source: {type: synthetic}, load: {concurrency: 4}, stop: {requests: 8}}
engine:
  {mode: aggregated, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, context_length: 8192, workers: {aggregated: {}}}
optimization: {target: throughput_per_gpu, constraints: {max_candidate_gpus: 1}${optimization}}
optimizer: {max_trials: 2}
evaluation: {${evaluation}}
`;

test("loadRecommendation takes the price of a GPU hour from either section, and not two prices", () => {
  const priced = { perGpuHour: 2.5, currency: "EUR" };
  const price = "price_per_gpu_hour: 2.5, currency: EUR", other = ", gpu_hour_price: 2.5, currency: EUR";
  assert.deepEqual(loadRecommendation(text(price)).price, priced);
  assert.deepEqual(loadRecommendation(text("", other)).price, priced);
  assert.deepEqual(loadRecommendation(text(price, other)).price, priced);
  assert.equal(loadRecommendation(text("")).price, null);
  assert.throws(() => loadRecommendation(text("price_per_gpu_hour: 2", other)), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.equal(error.issues[0].path, "optimization.gpu_hour_price");
    assert.match(error.message, /another price than evaluation\.price_per_gpu_hour/);
    return true;
  });
});

test("recommend writes the price into the configurations it found, and its table tells what an hour costs", async () => {
  const search = loadRecommendation(text("", ", gpu_hour_price: 3"));
  const found = await recommend(search).result;
  assert.deepEqual(found.ranked[0].trial.candidate.document!.evaluation, { price_per_gpu_hour: 3, currency: "$" });
  assert.match(rankingTable(found, search), /\$\/h[^]* 3\.00 /);
  for (const columns of [40, 60, 80, 100, 160]) {
    const lines = rankingTable(found, search, columns).split("\n");
    if (columns >= 60) assert.ok(lines.every(({ length }) => length <= columns), lines.join("\n"));
    assert.match(lines.join(" ").replace(/ +/g, " "), /1 × vLLM tensor 1/);
  }
  await inFolder(async (folder) => {
    await writeTogether(folder, resultFiles(ledgerOf(found, "test"), "engine"));
    const result = await readRecommendation(folder);
    assert.match(await recommendationPage(result), />\$\/h<[^]*<td>3\.00<\/td>/);
    assert.match(explainRecommendation(result).join("\n"), /on 1 GPUs \(\$3\.00 an hour\)/);
  });
});
