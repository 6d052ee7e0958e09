import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { planSpec } from "../../lib/replay/predict.ts";
import { closeRole, makePool } from "../../lib/replay/roles.ts";
import { roundRobin } from "../../lib/router/round_robin.ts";
import { Deployments } from "../../lib/timing/deployments.ts";

const DISAGGREGATED = readFileSync(
  new URL("../../fixtures/configs/planner-disaggregated.yaml", import.meta.url),
  "utf8",
);

async function pools({ set = [], kvMode = null }: { set?: string[]; kvMode?: string | null } = {}) {
  const { plan } = await loadPrediction(DISAGGREGATED, { name: "test", stack: "dynamo", set });
  const deployments = new Deployments();
  const spec = planSpec(plan);
  // The Dynamo stack refuses a written KV mode; descriptions of runs and the engine stack take one.
  for (const { estimator } of spec.roles) if (estimator) estimator.kvcache_quant_mode = kvMode;
  const roles = await Promise.all(spec.roles.map((role) => closeRole(role, deployments)));
  const [prefill, decode] = await Promise.all(roles.map((role) => makePool(role, roundRobin(), deployments)));
  return { prefill, decode, resolved: roles.map(({ resolved }) => resolved) };
}

test("closeRole derives blocks, context and transferred bytes from the model", async () => {
  const { prefill, decode, resolved } = await pools();
  assert.deepEqual(resolved.map(({ role, blocks, blocksFrom }) => [role, blocks, blocksFrom]), [
    ["prefill", 29249, "memory model"],
    ["decode", 29249, "memory model"],
  ]);
  assert.equal(prefill.settings.rank.maxModelTokens, 131072);
  // the checkpoint is stored in bfloat16, although its cache is FP8
  assert.equal(prefill.settings.rank.transferBytesPerToken, 131072);
  assert.equal(decode.timing.decodeMs(3, 305, 1e6), 3.445400893240771);
  assert.equal(prefill.timing.prefillMs(2, 300, 64), 13.961636600662569);
});

test("closeRole: a written KV mode counts for transfers, reserved bytes for blocks, a database mode for times", async () => {
  const written = await pools({ kvMode: "fp8" });
  assert.equal(written.prefill.settings.rank.transferBytesPerToken, 65536);
  const reserved = "engine.workers.decode.kv_cache.capacity.cuda_graph_reserved_bytes=1073741824";
  const { resolved } = await pools({ set: [reserved] });
  const lost = Math.floor(resolved[0].blocks - resolved[1].blocks);
  assert.ok(Math.abs(lost - 2 ** 30 / 65536 / 64) <= 1);
  const bounds = await pools({ set: ["engine.database_mode=SOL"] });
  assert.ok(bounds.prefill.timing.prefillMs(2, 300, 64) < 13);
});
