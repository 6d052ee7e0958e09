import { test } from "node:test";
import assert from "node:assert/strict";
import { ConfigError } from "../../lib/errors.ts";
import { KvRouter } from "../../lib/router/kv_router.ts";
import { LeastLoadedRouter } from "../../lib/router/least_loaded.ts";
import { ROUTER_NAMES } from "../../lib/router/names.ts";
import { routerByName } from "../../lib/router/registry.ts";
import { RoundRobinRouter } from "../../lib/router/round_robin.ts";
import { context, prompt } from "./support.ts";

test("routerByName makes the router of every name", () => {
  const pool = context([prompt(16, 0)]);
  assert.deepEqual(ROUTER_NAMES, ["round_robin", "kv_router", "least_loaded"]);
  assert.ok(routerByName("round_robin")(pool) instanceof RoundRobinRouter);
  assert.ok(routerByName("kv_router")(pool) instanceof KvRouter);
  assert.ok(routerByName("least_loaded")(pool) instanceof LeastLoadedRouter);
});

test("routerByName passes options on", () => {
  const router = routerByName("kv_router", { temperature: 0.5, prefillLoadScale: 2 })(context([prompt(16, 0)]));
  assert.deepEqual(router.knobs, { overlap_score_credit: 1, prefill_load_scale: 2, temperature: 0.5 });
});

test("routerByName names what it knows, and what may have been meant", () => {
  assert.throws(
    () => routerByName("least_loded"),
    (error) =>
      error instanceof ConfigError && /round_robin.*kv_router.*least_loaded/.test(error.message) &&
      error.message.includes("did you mean 'least_loaded'?"),
  );
});

test("routerByName refuses options out of bounds", () => {
  assert.throws(() => routerByName("kv_router", { temperature: -1 }), /router_temperature must be finite and non-neg/);
  assert.throws(() => routerByName("kv_router", { seed: -1 }), /seed must be a non-negative integer, got -1/);
  assert.throws(() => routerByName("kv_router", { prefillLoadModel: "aic" }), /requires a performance model/);
});
