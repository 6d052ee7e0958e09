import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { deploy } from "../../../lib/timing/aic/operator_timing.ts";
import { PerfCatalog } from "../../../lib/timing/aic/catalog.ts";
import { transferKinds } from "../../../lib/timing/aic/transfer_policy.ts";

test("transferKinds reads presets, kinds, lists of them, and refuses other names with the nearest", () => {
  const kinds = (policy: string | string[] | null) => [...transferKinds(policy)].sort().join();
  assert.equal(kinds(null), "xop,xprofile,xquant,xshape");
  assert.equal(kinds("aggressive"), "xop,xprofile,xquant,xshape");
  assert.equal(kinds("off"), "");
  assert.equal(kinds("Balanced"), "xquant,xshape");
  assert.equal(kinds("xprofile, conservative"), "xprofile,xshape");
  assert.equal(kinds(["xquant", "xop"]), "xop,xquant");
  assert.throws(() => transferKinds("xshap"), {
    name: "ConfigError",
    message: "unknown transfer kind/preset 'xshap', did you mean 'xshape'?; valid kinds: xop, xprofile, xquant, " +
      "xshape; presets: aggressive, balanced, conservative, off",
  });
});

test("a policy decides what HYBRID may borrow: weights of four bits from other number formats", () => {
  const catalog = new PerfCatalog();
  const options = {
    model: "meta-llama/Meta-Llama-3.1-8B",
    hardware: "h200_sxm",
    tensor: 2,
    quant: { gemm: "int4_wo" },
  };
  const estimate = (transferPolicy: string | null) =>
    deploy({ ...options, databaseMode: "HYBRID", transferPolicy }, catalog).forwardPassModel().contextMs(1, 700, 0);
  assert.ok(estimate(null) > 0);
  assert.equal(estimate("xprofile"), estimate(null));
  assert.throws(() => estimate("balanced"), {
    name: "SimulationError",
    message: /nothing was measured that context_qkv_gemm could borrow from/,
  });
});
