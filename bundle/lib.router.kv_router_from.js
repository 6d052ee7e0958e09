import {
  kvRouter,
  readPolicyFile
} from "./router.js";
import "./core.js";
import "./shared.js";
import {
  choices,
  shown
} from "./config.js";
import {
  PassCorrection
} from "./timing.js";
import {
  ConfigError
} from "./base.js";

// lib/router/kv_router_from.ts
async function kvRouterFrom({ settings = {}, policyFile = null }, about) {
  const { seed, ...knobs } = settings;
  const merged = {
    ...knobs
  }, warnings = [];
  const launched = launchPolicy(about.launch);
  if (launched !== null) merged.queuePolicy = launched;
  if (policyFile !== null) warnings.push(...await applyPolicyFile(merged, policyFile, about));
  const prefillLoadMs = merged.prefillLoadModel === "aic" ? await loadModel(about) : null;
  return {
    router: kvRouter({
      ...merged,
      prefillLoadMs,
      seed
    }),
    warnings
  };
}
async function contentOf(path) {
  const { policyFileContent } = await import(import.meta.resolve("./lib.router.policy_source.js"));
  return await policyFileContent(path);
}
async function applyPolicyFile(settings, given, { estimator, roles }) {
  const path = typeof given === "string" ? given : void 0;
  const content = path === void 0 ? given : await contentOf(path);
  const file = readPolicyFile(content, {
    path,
    roles,
    model: estimator?.model
  });
  Object.assign(settings, file.settings, {
    profile: file.profile
  });
  const warnings = [
    ...file.withoutEffect
  ];
  if (file.profile === null) return warnings;
  for (const name of [
    "queueThreshold",
    "queuePolicy"
  ]) {
    if ((settings[name] ?? null) === null) continue;
    const field = name === "queueThreshold" ? "router_queue_threshold" : "router_queue_policy";
    warnings.push(`${field} has no effect: the policy file's classes have their own`);
  }
  return warnings;
}
async function loadModel({ estimator, calibration, deployments }) {
  if (!estimator || deployments === void 0) {
    throw wrong("router_prefill_load_model", "router_prefill_load_model='ais' requires ais_perf_config");
  }
  return promptModel((await deployments.of(estimator)).forwardPassModel(), calibration);
}
function promptModel(model, calibration) {
  if (!calibration) return (newTokens, prefixTokens) => model.contextMs(1, newTokens, prefixTokens);
  const correction = new PassCorrection(calibration);
  return (newTokens, prefixTokens) => correction.passMs(model.contextMs(1, newTokens, prefixTokens), newTokens, 0, prefixTokens, 0);
}
var wrong = (path, message) => new ConfigError(message, [
  {
    path,
    message
  }
]);
var POLICIES = [
  "fcfs",
  "lcfs",
  "wspt"
];
function launchPolicy(launch) {
  const runtime = launch?.dynamo;
  const policy = runtime?.router_queue_policy ?? null;
  if (policy === null) return null;
  const refuse = (reason) => wrong("dynamo.router_queue_policy", `router_queue_policy: ${reason}`);
  if (typeof policy !== "string") throw refuse(`invalid type: ${shown(policy)}, expected string or map`);
  const known = POLICIES.find((name) => name === policy);
  if (known === void 0) throw refuse(`unknown variant \`${policy}\`, expected ${choices(POLICIES)}`);
  return known;
}
export {
  kvRouterFrom,
  promptModel
};
