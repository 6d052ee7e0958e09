import { test } from "node:test";
import assert from "node:assert/strict";
import { parse } from "@std/yaml";
import { ConfigError } from "../../lib/errors.ts";
import { completeKvSettings } from "../../lib/router/kv_config.ts";
import { KvRouter } from "../../lib/router/kv_router.ts";
import { type PolicyFileOptions, readPolicyFile } from "../../lib/router/policy_file.ts";
import { context, prompt } from "./support.ts";

const CLASS = "name: a, quantum: 1, queue_policy: fcfs, policy_family: a, cache_bucket: b";
const profile = (classes: string, family = "a", buckets = "[{min_tokens: 0, bucket: b}]") =>
  `policy_classes: ${classes}\ndefault_policy_family: ${family}\nuncached_isl_buckets: ${buckets}`;

function refusal(yaml: string, options?: PolicyFileOptions): string {
  try {
    readPolicyFile(parse(yaml), options);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return "accepted";
}

test("readPolicyFile refuses profiles with the reference's texts", () => {
  const cases: [string, string][] = [
    [
      "policy_classes: []",
      "root profile must specify default_policy_family, uncached_isl_buckets, and policy_classes when any root profile field is present",
    ],
    [profile("[]"), "root policy_classes must not be empty"],
    [profile("[{name: a, quantum: 1}]"), 'root default_policy_family "a" does not name a configured family'],
    [profile(`[{${CLASS}}, {name: a, quantum: 1}]`), 'root contains duplicate policy class "a"'],
    [
      profile(`[{${CLASS}}, {${CLASS.replace("name: a", "name: c")}}]`),
      'root contains duplicate policy classes for family "a" and bucket "b"',
    ],
    [
      profile(`[{${CLASS.replace("quantum: 1", "quantum: 0")}}]`),
      'root policy class "a" quantum must be greater than zero',
    ],
    [profile(`[{${CLASS.replace("fcfs", "lcfs")}}]`), 'root policy class "a" queue_policy must be fcfs or wspt'],
    [profile(`[{${CLASS.replace("name: a", "name: ''")}}]`), 'root policy class name "" must match [A-Za-z0-9_.-]+'],
    [profile(`[{${CLASS}}]`, "a", "[]"), "root uncached_isl_buckets must not be empty"],
    [
      profile(`[{${CLASS}}]`, "a", "[{min_tokens: 1, bucket: b}]"),
      "root uncached_isl_buckets must start at min_tokens 0",
    ],
    [
      profile(`[{${CLASS}}]`, "a", "[{min_tokens: 0, bucket: b}, {min_tokens: 0, bucket: c}]"),
      "root uncached_isl_buckets min_tokens must be strictly increasing",
    ],
    [
      profile(`[{${CLASS}}]`, "a", "[{min_tokens: 0, bucket: b}, {min_tokens: 5, bucket: b}]"),
      'root contains duplicate cache bucket "b"',
    ],
    [
      profile(`[{${CLASS}}]`, "a", "[{min_tokens: 0, bucket: b}, {min_tokens: 5, bucket: c}]"),
      'root is missing a policy class for family "a" and bucket "c"',
    ],
    [profile(`[{${CLASS}}]`, "q"), 'root default_policy_family "q" does not name a configured family'],
    [
      profile("[{name: a, quantum: 1, policy_family: a}]"),
      'root policy class "a" must specify both policy_family and cache_bucket or neither for an explicit class',
    ],
    [
      profile(`[{${CLASS.replace("cache_bucket: b", "cache_bucket: z")}}]`),
      'root policy class "a" references unknown cache bucket "z"',
    ],
    [
      profile(`[{${CLASS}, prefill_busy_threshold_frac: -1}]`),
      'root policy class "a" prefill_busy_threshold_frac must be finite and non-negative',
    ],
    ["router: {x: 1}", "unknown router setting: x"],
    ["router: {router_temperature: 1}", "unknown router setting: router_temperature"],
    [
      "router: {router_track_active_blocks: 1}",
      "router.router_track_active_blocks: invalid type: integer `1`, expected a boolean",
    ],
    [
      "worker_selection: {aggregated: custom}",
      'worker_selection aggregated "custom" does not name a configured instance',
    ],
    [
      "worker_selection: {instances: []}",
      "worker_selection must define an instance or an aggregated, prefill, decode, or encode selection",
    ],
    [`models: {m: {${profile("[]").replaceAll("\n", ", ")}}}`, 'model "m" policy_classes must not be empty'],
  ];
  for (const [yaml, text] of cases) {
    assert.equal(refusal(yaml), `router_policy_config: invalid router policy config: ${text}`);
  }
  for (const empty of ["", "models: {}", "router: null"]) {
    assert.match(refusal(empty), /router policy config must define/);
  }
});

test("readPolicyFile refuses shapes with the place in the file", () => {
  const cases: [string, string][] = [
    ["[]", "invalid type: sequence, expected struct RawRouterPolicyConfig"],
    ["router: 1", "router: invalid type: integer `1`, expected a map"],
    [profile("[{name: a}]"), "policy_classes[0]: missing field `quantum`"],
    [
      profile(`[{${CLASS}}]`, "a", "[{min_tokens: 0, name: b}]"),
      "uncached_isl_buckets[0]: unknown field `name`, expected `min_tokens` or `bucket`",
    ],
    [
      profile(`[{${CLASS}, prefill_busy_threshold: -1}]`),
      "policy_classes[0].prefill_busy_threshold: invalid type: integer `-1`, expected usize",
    ],
    [
      profile(`[{${CLASS}, prefill_busy_threshold: 1.5}]`),
      "policy_classes[0].prefill_busy_threshold: invalid type: floating point `1.5`, expected usize",
    ],
    ["models: {m: {}}", "models.m: missing field `default_policy_family`"],
    ["request_classifier: {}", "request_classifier: missing field `type`"],
  ];
  for (const [yaml, text] of cases) {
    assert.equal(
      refusal(yaml, { path: "p.yaml" }),
      `router_policy_config: failed to parse router policy config p.yaml: ${text}`,
    );
  }
  assert.match(refusal("a: 1"), /unknown field `a`, expected one of `router`, `default_policy_family`/);
});

test("readPolicyFile refuses what replay cannot do", () => {
  const custom = "worker_selection: {aggregated: x, instances: [{name: x, type: custom}]}";
  assert.equal(
    refusal(custom),
    'placement policy error: custom worker-selection policy "x" is not supported by replay',
  );
  assert.equal(refusal(custom, { roles: ["prefill", "decode"] }), "accepted");
  assert.equal(refusal("worker_selection: {aggregated: default}"), "accepted");
  assert.equal(
    refusal("request_classifier: {type: x}"),
    "placement policy error: offline replay does not support request_classifier plugins",
  );
});

test("readPolicyFile picks the model's profile, else the root one, and reads settings", () => {
  const file = parse(`${profile(`[{${CLASS}}]`)}
router: {router_track_active_blocks: false, router_prefill_load_model: ais}
models: {m: {${profile(`[{${CLASS.replace("name: a", "name: own")}}]`).replaceAll("\n", ", ")}}}`);
  assert.equal(readPolicyFile(file).profile!.classes[0].name, "a");
  assert.equal(readPolicyFile(file, { model: "m" }).profile!.classes[0].name, "own");
  assert.equal(readPolicyFile(file, { model: "other" }).profile!.classes[0].name, "a");
  assert.deepEqual(readPolicyFile(file).settings, { trackActiveBlocks: false, prefillLoadModel: "aic" });
});

test("KvRouter queues by class: named, by family, by uncached tokens", () => {
  const { profile: classes } = readPolicyFile(parse(profile(
    `[{name: small, quantum: 1, policy_family: a, cache_bucket: s}, {name: large, quantum: 1, policy_family: a, cache_bucket: l, prefill_busy_threshold: 0},
      {name: f.s, quantum: 1, policy_family: f, cache_bucket: s, prefill_busy_threshold_frac: 0.5}, {name: f.l, quantum: 1, policy_family: f, cache_bucket: l},
      {name: named, quantum: 1, prefill_busy_threshold: 20, prefill_busy_threshold_frac: 9, request_queue_limit_per_worker: 1}]`,
    "a",
    "[{min_tokens: 0, bucket: s}, {min_tokens: 20, bucket: l}]",
  )));
  const prompts = [
    prompt(16, 0), // small: never waits
    prompt(20, 100), // large: waits behind 16 booked tokens
    prompt(12, 200, { policyClass: "f" }), // f.s: 16 booked tokens are not over half of 32
    prompt(12, 300, { policyClass: "f" }), // f.s: 28 are
    prompt(20, 400, { policyClass: "f" }), // f.l: never
    prompt(4, 500, { policyClass: "named" }), // 48 > 20
    prompt(16, 600, { policyClass: "unknown" }), // default family: small
    prompt(4, 700, { policyClass: "named" }), // one waits already
  ];
  const router = new KvRouter(context(prompts, { maxBatchedTokens: 32 }), completeKvSettings({ profile: classes }));
  router.join(0, 0, 1);
  assert.deepEqual(prompts.slice(0, 7).map((_, r) => router.place(r, r)), [0, -1, 0, -1, 0, -1, 0]);
  assert.throws(
    () => router.place(7, 7),
    /^SimulationError: placement policy error: router policy class "named" queue requests limit reached \(current=1, limit=1\)$/,
  );
});
