import { test } from "node:test";
import assert from "node:assert/strict";
import { ConfigError } from "../../lib/errors.ts";
import { KvRouter } from "../../lib/router/kv_router.ts";
import { LeastLoadedRouter } from "../../lib/router/least_loaded.ts";
import { ROUTER_NAMES, type RouterName } from "../../lib/router/names.ts";
import { ROUTERS } from "../../lib/router/registry.ts";
import { RoundRobinRouter } from "../../lib/router/round_robin.ts";
import { routerFrom } from "../../lib/router/router_from.ts";
import { context, prompt } from "./support.ts";

const CLASSES = { round_robin: RoundRobinRouter, kv_router: KvRouter, least_loaded: LeastLoadedRouter };

test("ROUTERS and routerFrom make the router of every name", async () => {
  const pool = context([prompt(16, 0)]);
  assert.deepEqual(Object.keys(ROUTERS).toSorted(), ROUTER_NAMES.toSorted());
  for (const policy of ROUTER_NAMES) {
    assert.ok(ROUTERS[policy]({})(pool) instanceof CLASSES[policy], policy);
    assert.ok((await routerFrom({ policy })).router(pool) instanceof CLASSES[policy], policy);
  }
});

test("ROUTERS' kv_router takes its options", () => {
  const router = ROUTERS.kv_router({ temperature: 0.5, prefillLoadScale: 2 })(context([prompt(16, 0)]));
  assert.deepEqual(router.knobs, { overlap_score_credit: 1, prefill_load_scale: 2, temperature: 0.5 });
});

test("routerFrom names the routers it knows, and what may have been meant", async () => {
  await assert.rejects(
    routerFrom({ policy: "least_loded" as RouterName }),
    (error) =>
      error instanceof ConfigError && /round_robin.*kv_router.*least_loaded/.test(error.message) &&
      error.message.includes("did you mean 'least_loaded'?"),
  );
});

test("ROUTERS' kv_router refuses options out of bounds", () => {
  const { kv_router } = ROUTERS;
  assert.throws(() => kv_router({ temperature: -1 }), /router_temperature must be finite and non-neg/);
  assert.throws(() => kv_router({ seed: -1 }), /seed must be a non-negative integer, got -1/);
  assert.throws(() => kv_router({ prefillLoadModel: "aic" }), /requires a performance model/);
});
