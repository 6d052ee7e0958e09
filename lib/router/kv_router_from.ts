/**
 * A kv_router from plain data: its policy file is read, its load model loaded, and what of it has no effect is said. Only
 * runs with such a router load this.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import { choices, shown } from "../engine/launch/fields.ts";
import type { ForwardPassModel } from "../timing/aic/forward_pass_model.ts";
import { PassCorrection } from "../timing/calibration/correction.ts";
import type { CalibrationProfile } from "../timing/calibration/profile.ts";
import { kvRouter } from "./kv_factory.ts";
import type { KvRouterSettings } from "./kv_settings.ts";
import { readPolicyFile } from "./policy_file.ts";
import type { PrefillLoadModel } from "./prefill_load.ts";
import type { MadeRouter, RouterSurroundings } from "./router_from.ts";
import type { RouterSpec } from "./spec.ts";

/**
 * Makes a kv_router.
 *
 * @throws {ConfigError} as `routerFrom` does
 */
export async function kvRouterFrom(
  { settings = {}, policyFile = null }: RouterSpec,
  about: RouterSurroundings,
): Promise<MadeRouter> {
  const { seed, ...knobs } = settings;
  const merged: Partial<KvRouterSettings> = { ...knobs }, warnings: string[] = [];
  const launched = launchPolicy(about.launch);
  if (launched !== null) merged.queuePolicy = launched;
  if (policyFile !== null) warnings.push(...await applyPolicyFile(merged, policyFile, about));
  const prefillLoadMs = merged.prefillLoadModel === "aic" ? await loadModel(about) : null;
  return { router: kvRouter({ ...merged, prefillLoadMs, seed }), warnings };
}

async function contentOf(path: string) {
  const { policyFileContent }: typeof import("./policy_source.ts") = await import(
    import.meta.resolve("./policy_source.ts")
  );
  return await policyFileContent(path);
}

/** Puts what a policy file says over the settings; returns what of it, and of them, has no effect. */
async function applyPolicyFile(
  settings: Partial<KvRouterSettings>,
  given: NonNullable<RouterSpec["policyFile"]>,
  { estimator, roles }: RouterSurroundings,
): Promise<string[]> {
  const path = typeof given === "string" ? given : undefined;
  const content = path === undefined ? given : await contentOf(path);
  const file = readPolicyFile(content, { path, roles, model: estimator?.model });
  Object.assign(settings, file.settings, { profile: file.profile });
  const warnings = [...file.withoutEffect];
  if (file.profile === null) return warnings;
  for (const name of ["queueThreshold", "queuePolicy"] as const) {
    if ((settings[name] ?? null) === null) continue;
    const field = name === "queueThreshold" ? "router_queue_threshold" : "router_queue_policy";
    warnings.push(`${field} has no effect: the policy file's classes have their own`);
  }
  return warnings;
}

/** Expected durations of prompts on the workers that compute them. */
async function loadModel({ estimator, calibration, deployments }: RouterSurroundings): Promise<PrefillLoadModel> {
  if (!estimator || deployments === undefined) {
    throw wrong("router_prefill_load_model", "router_prefill_load_model='ais' requires ais_perf_config");
  }
  return promptModel((await deployments.of(estimator)).forwardPassModel(), calibration);
}

/** Expected durations of prompts by a performance model, corrected as the passes of the workers are. */
export function promptModel(
  model: Pick<ForwardPassModel, "contextMs">,
  calibration?: CalibrationProfile | null,
): PrefillLoadModel {
  if (!calibration) return (newTokens, prefixTokens) => model.contextMs(1, newTokens, prefixTokens);
  const correction = new PassCorrection(calibration);
  return (newTokens, prefixTokens) =>
    correction.passMs(model.contextMs(1, newTokens, prefixTokens), newTokens, 0, prefixTokens, 0);
}

const wrong = (path: string, message: string) => new ConfigError(message, [{ path, message }]);

const POLICIES = ["fcfs", "lcfs", "wspt"] as const;

/** The queue policy that a launch mapping asks for, null when it does not. */
function launchPolicy(launch: unknown): (typeof POLICIES)[number] | null {
  const runtime = (launch as { dynamo?: { router_queue_policy?: unknown } } | null | undefined)?.dynamo;
  const policy = runtime?.router_queue_policy ?? null;
  if (policy === null) return null;
  const refuse = (reason: string) => wrong("dynamo.router_queue_policy", `router_queue_policy: ${reason}`);
  if (typeof policy !== "string") throw refuse(`invalid type: ${shown(policy)}, expected string or map`);
  const known = POLICIES.find((name) => name === policy);
  if (known === undefined) throw refuse(`unknown variant \`${policy}\`, expected ${choices(POLICIES)}`);
  return known;
}
