import { test } from "node:test";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../lib/errors.ts";
import { KvRouter } from "../../lib/router/kv_router.ts";
import { RoundRobinRouter } from "../../lib/router/round_robin.ts";
import { promptModel } from "../../lib/router/kv_router_from.ts";
import { routerFrom, type RouterSurroundings } from "../../lib/router/router_from.ts";
import type { CalibrationProfile } from "../../lib/timing/calibration/profile.ts";
import { type ReplayRouterOptions, type RouterSpec, routerSpecOf } from "../../lib/router/spec.ts";
import { inFolder } from "../cli/support.ts";
import { context, prompt } from "./support.ts";

async function refusal(options: ReplayRouterOptions, about: RouterSurroundings = {}): Promise<string> {
  try {
    await routerFrom(routerSpecOf(options).spec, about);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return "accepted";
}

const kv = (more: ReplayRouterOptions): ReplayRouterOptions => ({ routerMode: "kv_router", ...more });
const pool = () => context([prompt(16, 0)]);

test("routerFrom makes round robin unless told otherwise", async () => {
  assert.ok((await routerFrom({})).router(pool()) instanceof RoundRobinRouter);
  assert.ok((await routerFrom({ policy: "kv_router" })).router(pool()) instanceof KvRouter);
});

test("routerFrom takes a router through JSON and a structured clone", async () => {
  const { spec } = routerSpecOf(kv({ routerConfig: { router_temperature: 0.5, prefill_load_scale: 2 } }));
  for (const copy of [JSON.parse(JSON.stringify(spec)), structuredClone(spec)]) {
    const { knobs } = (await routerFrom(copy)).router(pool());
    assert.deepEqual(knobs, { overlap_score_credit: 1, prefill_load_scale: 2, temperature: 0.5 });
  }
});

test("routerSpecOf and routerFrom refuse options with the reference's texts", async () => {
  const mode = "router_mode must be either 'round_robin' or 'kv_router', got 'rr'";
  assert.equal(await refusal({ routerMode: "rr" }), mode);
  assert.equal(await refusal({ kvEventLagMs: 3 }), "kv_event_lag_ms only supports router_mode='kv_router'");
  assert.equal(await refusal(kv({ kvEventLagMs: -5 })), "kv_event_lag_ms must be finite and non-negative, got -5");
  assert.equal(await refusal(kv({ kvEventLagMs: NaN })), "kv_event_lag_ms must be finite and non-negative, got NaN");
  const estimated = kv({ routerConfig: { router_prefill_load_model: "ais" } });
  assert.equal(await refusal(estimated), "router_prefill_load_model='ais' requires ais_perf_config");
  const queue = (policy: unknown) => ({ launch: { dynamo: { router_queue_policy: policy } } });
  assert.equal(
    await refusal(kv({}), queue("x")),
    "router_queue_policy: unknown variant `x`, expected one of `fcfs`, `lcfs`, `wspt`",
  );
  assert.equal(
    await refusal(kv({}), queue(1)),
    "router_queue_policy: invalid type: integer `1`, expected string or map",
  );
});

test("routerFrom asks the workers' performance model for prompts where the load model is asked for", async () => {
  const spec: RouterSpec = { policy: "kv_router", settings: { prefillLoadModel: "aic" } };
  const estimator = { model: "m", system: "s", backend: "vllm" }, asked: unknown[] = [];
  const forwardPassModel = () => ({ contextMs: (...args: number[]) => args.length });
  const deployments = {
    // deno-lint-ignore no-explicit-any
    of: (identity: unknown) => Promise.resolve((asked.push(identity), { forwardPassModel }) as any),
  };
  assert.ok((await routerFrom(spec, { estimator, deployments })).router(pool()) instanceof KvRouter);
  assert.deepEqual(asked, [estimator]);
  const policyFile = { router: { router_track_prefill_tokens: false } };
  await assert.rejects(
    routerFrom({ ...spec, policyFile }, { estimator, deployments }),
    /router_prefill_load_model requires router_track_prefill_tokens=true/,
  );
});

test("promptModel corrects prompts as the passes of calibrated workers are", () => {
  const model = { contextMs: (requests: number, tokens: number, prefix: number) => requests * tokens + prefix };
  assert.equal(promptModel(model)(100, 8), 108);
  const seen = { decode_requests: null, prefill_tokens: [1, 1000] as [number, number] };
  const prefill = { ratio: 1.5, constant_ms: 2, curve: [], n: 20, seen };
  const calibration = { phases: { prefill, decode: null, mixed: null } } as unknown as CalibrationProfile;
  assert.equal(promptModel(model, calibration)(100, 8), 108 * 1.5 + 2);
});

/** Order in which three queued prompts are released on one rank. */
async function order(options: ReplayRouterOptions, about: RouterSurroundings = {}): Promise<number[]> {
  const prompts = [prompt(16, 0), prompt(16, 100), prompt(8, 200), prompt(12, 300)];
  const router = (await routerFrom(routerSpecOf(options).spec, about)).router(context(prompts));
  router.join(0, 0, 1, 0);
  prompts.forEach((_, r) => router.place(r, r));
  const released: number[] = [];
  for (let last = 0; released.length < 3; last = released.at(-1)!) {
    router.prefillDone(last, 0, 10);
    released.push(router.nextReleased(10));
  }
  return released;
}

test("routerFrom lets the launch mapping's queue policy win", async () => {
  const options = kv({ routerConfig: { router_queue_threshold: 0, router_queue_policy: "wspt" } });
  const launched = (policy: string | null) => order(options, { launch: { dynamo: { router_queue_policy: policy } } });
  assert.deepEqual(await order(options), [2, 3, 1]);
  assert.deepEqual(await launched("lcfs"), [3, 2, 1]);
  assert.deepEqual(await launched(null), [2, 3, 1]);
});

const CLASSES = {
  router: { router_track_active_blocks: false, router_event_threads: 2 },
  default_policy_family: "a",
  uncached_isl_buckets: [{ min_tokens: 0, bucket: "b" }],
  policy_classes: [{ name: "c", quantum: 1, policy_family: "a", cache_bucket: "b" }],
};

test("a policy file's settings win, from its path as from its content, and what has no effect is said", () =>
  inFolder(async (folder) => {
    const path = join(folder, "policy.yaml");
    writeFileSync(path, `# classes of requests\n${JSON.stringify(CLASSES, null, 1)}\n`);
    const routerConfig = {
      router_policy_config: path,
      router_track_active_blocks: true,
      router_queue_threshold: 0.5,
      router_ttl_secs: 1,
    };
    const { spec, warnings: vain } = routerSpecOf(kv({ routerConfig }));
    assert.deepEqual(vain, ["router_config.router_ttl_secs has no effect: requests do not expire in replay"]);
    assert.equal(spec.policyFile, path);
    for (const policyFile of [path, CLASSES]) {
      const { router, warnings } = await routerFrom({ ...spec, policyFile });
      assert.equal(router(pool()).mayQueue, false);
      assert.deepEqual(warnings, [
        "policy file: router.router_event_threads has no effect: it concerns the live router only",
        "router_queue_threshold has no effect: the policy file's classes have their own",
      ]);
    }
  }));

test("a policy file that cannot be read or parsed is named", () =>
  inFolder(async (folder) => {
    const refused = (path: string) => refusal(kv({ routerConfig: { router_policy_config: path } }));
    const missing = join(folder, "nowhere.yaml"), broken = join(folder, "broken.yaml");
    assert.ok(
      (await refused(missing)).startsWith(`router_policy_config: failed to read router policy config ${missing}: `),
    );
    writeFileSync(broken, "router: [");
    assert.ok(
      (await refused(broken)).startsWith(`router_policy_config: failed to parse router policy config ${broken}: `),
    );
    writeFileSync(broken, "");
    assert.match(await refused(broken), /router policy config must define router settings, a root profile/);
  }));

test("settings of a router without any have no effect, and that is said", async () => {
  const { warnings } = await routerFrom({ policy: "least_loaded", settings: { temperature: 1 }, policyFile: "p.yaml" });
  assert.deepEqual(warnings, [
    "the router's temperature has no effect: its policy is least_loaded",
    "the router's policyFile has no effect: its policy is least_loaded",
  ]);
  assert.deepEqual(routerSpecOf({ routerConfig: { a: 1 } }).warnings, [
    "router_config has no effect: router_mode is round_robin",
  ]);
});
