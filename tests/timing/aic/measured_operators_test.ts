import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { PerfCatalog } from "../../../lib/timing/aic/catalog.ts";
import { MeasuredOperatorFactory } from "../../../lib/timing/aic/measured_operators.ts";

test("MeasuredOperatorFactory takes its share of the next power of two for batched products of other head counts", () => {
  const set = new PerfCatalog().load({ system: "b200_sxm", backend: "sglang", version: "0.5.14" });
  const ms = (heads: number, pre: boolean, tokens: number) => {
    const spec = { kind: "mla_bmm" as const, name: "bmm", count: 24, heads, mode: "bfloat16" as const, pre };
    const [operator] = new MeasuredOperatorFactory(set).operators([spec]);
    return operator.ms(tokens, tokens, 1000, 0, 1);
  };
  // Kimi-K3 over 16 ranks has 6 heads a rank; recorded from aisimulate 0.13.0
  assert.equal(ms(6, true, 4), 0.08150399699807166);
  assert.equal(ms(6, false, 5000), 0.1727484709233977);
  assert.equal(ms(6, true, 300), ms(8, true, 300) * 0.75);
});
