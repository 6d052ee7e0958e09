import { test } from "node:test";
import assert from "node:assert/strict";
import { ConfigError } from "../../lib/errors.ts";
import { KvRouter } from "../../lib/router/kv_router.ts";
import { replayRouter, type ReplayRouterOptions } from "../../lib/router/replay_router.ts";
import { RoundRobinRouter } from "../../lib/router/round_robin.ts";
import { context, prompt } from "./support.ts";

function refusal(options: ReplayRouterOptions): string {
  try {
    replayRouter(options);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return "accepted";
}

const kv = (more: ReplayRouterOptions): ReplayRouterOptions => ({ routerMode: "kv_router", ...more });

test("replayRouter makes round robin unless told otherwise", () => {
  const pool = context([prompt(16, 0)]);
  assert.ok(replayRouter().router(pool) instanceof RoundRobinRouter);
  assert.ok(replayRouter(kv({})).router(pool) instanceof KvRouter);
});

test("replayRouter refuses options with the reference's texts", () => {
  assert.equal(refusal({ routerMode: "rr" }), "router_mode must be either 'round_robin' or 'kv_router', got 'rr'");
  assert.equal(refusal({ kvEventLagMs: 3 }), "kv_event_lag_ms only supports router_mode='kv_router'");
  assert.equal(refusal(kv({ kvEventLagMs: -5 })), "kv_event_lag_ms must be finite and non-negative, got -5");
  assert.equal(refusal(kv({ kvEventLagMs: NaN })), "kv_event_lag_ms must be finite and non-negative, got NaN");
  assert.equal(
    refusal(kv({ routerConfig: { router_prefill_load_model: "ais" } })),
    "router_prefill_load_model='ais' requires ais_perf_config",
  );
  assert.match(
    refusal(kv({ routerConfig: { router_policy_config: "p.yaml" } })),
    /^router_policy_config: failed to read router policy config p\.yaml: /,
  );
  assert.equal(
    refusal(kv({ launch: { dynamo: { router_queue_policy: "x" } } })),
    "router_queue_policy: unknown variant `x`, expected one of `fcfs`, `lcfs`, `wspt`",
  );
  assert.equal(
    refusal(kv({ launch: { dynamo: { router_queue_policy: 1 } } })),
    "router_queue_policy: invalid type: integer `1`, expected string or map",
  );
  assert.equal(
    refusal(kv({
      routerConfig: { router_prefill_load_model: "ais", router_policy_config: "p.yaml" },
      policyFile: { router: { router_track_prefill_tokens: false } },
      prefillLoadMs: () => 1,
    })),
    "router_prefill_load_model requires router_track_prefill_tokens=true",
  );
});

/** Order in which three queued prompts are released on one rank. */
function order(options: ReplayRouterOptions): number[] {
  const prompts = [prompt(16, 0), prompt(16, 100), prompt(8, 200), prompt(12, 300)];
  const router = replayRouter(options).router(context(prompts));
  router.join(0, 0, 1, 0);
  prompts.forEach((_, r) => router.place(r, r));
  const released: number[] = [];
  for (let last = 0; released.length < 3; last = released.at(-1)!) {
    router.prefillDone(last, 0, 10);
    released.push(router.nextReleased(10));
  }
  return released;
}

test("replayRouter lets the launch mapping's queue policy win", () => {
  const routerConfig = { router_queue_threshold: 0, router_queue_policy: "wspt" };
  assert.deepEqual(order(kv({ routerConfig })), [2, 3, 1]);
  assert.deepEqual(order(kv({ routerConfig, launch: { dynamo: { router_queue_policy: "lcfs" } } })), [3, 2, 1]);
  assert.deepEqual(order(kv({ routerConfig, launch: { dynamo: { router_queue_policy: null } } })), [2, 3, 1]);
});

test("replayRouter lets the policy file's settings win and tells what has no effect", () => {
  const routerConfig = {
    router_policy_config: "p.yaml",
    router_track_active_blocks: true,
    router_queue_threshold: 0.5,
    router_ttl_secs: 1,
  };
  const policyFile = {
    router: { router_track_active_blocks: false, router_event_threads: 2 },
    default_policy_family: "a",
    uncached_isl_buckets: [{ min_tokens: 0, bucket: "b" }],
    policy_classes: [{ name: "c", quantum: 1, policy_family: "a", cache_bucket: "b" }],
  };
  const { router, withoutEffect } = replayRouter(kv({ routerConfig, policyFile }));
  assert.equal(router(context([prompt(16, 0)])).mayQueue, false);
  assert.deepEqual(withoutEffect, [
    "router_config.router_ttl_secs has no effect: requests do not expire in replay",
    "policy file: router.router_event_threads has no effect: it concerns the live router only",
    "router_queue_threshold has no effect: the policy file's classes have their own",
  ]);
  assert.deepEqual(replayRouter({ routerConfig: { a: 1 } }).withoutEffect, [
    "router_config has no effect: router_mode is round_robin",
  ]);
});
