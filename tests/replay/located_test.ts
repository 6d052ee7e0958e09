import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPrediction, planSpec, type ReplaySpec } from "../../mod.ts";
import { located } from "../../lib/replay/located.ts";
import { measurementsDigest, modelDigest, needsOf } from "../../lib/replay/needs.ts";

const TRACE = "fixtures/traces/chat.jsonl", MODEL = "Qwen/Qwen3-32B";
const { plan } = await loadPrediction(`
traffic: {source: {type: trace, paths: [${TRACE}], format: mooncake}, load: {type: trace_timestamps}}
engine: {model: ${MODEL}, hardware: h200_sxm, backend: vllm, workers: {aggregated: {parallelism: {tensor: 2}}}}
`);
const SPEC = planSpec(plan);
const LOCAL = { files: { [TRACE]: "/here/0abc" }, models: [MODEL] };

test("located puts local paths in the place of those that were sent", () => {
  const { traffic, capture } = located(SPEC, LOCAL);
  assert.ok(traffic?.type === "trace");
  assert.deepEqual(traffic.paths, ["/here/0abc"]);
  assert.equal(capture?.diagnostics, false);
});

test("located refuses everything else that could be opened", () => {
  const [role] = SPEC.roles;
  const estimator = role.estimator!;
  const withRole = (changes: Partial<typeof role>): ReplaySpec => ({ ...SPEC, roles: [{ ...role, ...changes }] });
  const trace = SPEC.traffic as Extract<ReplaySpec["traffic"], { type: "trace" }>;
  const wrong: [RegExp, ReplaySpec][] = [
    [/paths\[0\]: "\/etc\/passwd" is no file/, { ...SPEC, traffic: { ...trace, paths: ["/etc/passwd"] } }],
    [/paths\[0\]: "toString" is no file/, { ...SPEC, traffic: { ...trace, paths: ["toString"] } }],
    [/lengthsFolder/, { ...SPEC, traffic: { ...trace, lengthsFolder: "/etc" } }],
    [/is no model of this run/, withRole({ estimator: { ...estimator, model: "/etc" } })],
    [/is no name/, withRole({ estimator: { ...estimator, system: "../../etc" } })],
    [/is no name/, withRole({ estimator: { ...estimator, data_release: "../x" } })],
    [/may be a path/, withRole({ launch: { engine: { timing: { model: "/etc" } } } })],
    [/calibration/, withRole({ passTiming: { calibration: "/etc/passwd" } })],
    [/policyFile/, { ...SPEC, router: { policy: "kv_router", policyFile: "/etc/passwd" } }],
    [/load_predictor_warmup_trace/, {
      ...SPEC,
      autoscaler: { kind: "planner", config: { load_predictor_warmup_trace: "/etc/passwd" } },
    }],
  ];
  for (const [message, spec] of wrong) assert.throws(() => located(spec, LOCAL), message);
});

test("needsOf tells by digest what a run depends on, and another machine can compare it", async () => {
  const { needs, files } = await needsOf(SPEC);
  assert.deepEqual(files.map(({ path, bytes }) => [path, bytes > 0]), [[TRACE, true]]);
  assert.deepEqual(needs.map(({ type }) => type), ["measurements", "model"]);
  assert.equal(measurementsDigest(needs[0].name), needs[0].sha256);
  assert.equal(modelDigest(needs[1].name), needs[1].sha256);
  for (const path of ["/etc", "..", "a/../../b", "a/b/c", "."]) assert.equal(modelDigest(path), null, path);
  assert.equal(measurementsDigest(JSON.stringify({ system: "../x", backend: "vllm", version: "1" })), null);
});
