/**
 * What a calibration holds for, and whether a deployment is that.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";
import { assumptionsOf } from "../aic/assumptions.ts";
import type { Deployment } from "../aic/deployment.ts";
import type { CalibrationKey, CalibrationProfile } from "./profile.ts";

/**
 * The key of a deployment.
 *
 * @param model name under which it was asked for
 */
export function calibrationKey(model: string, deployment: Deployment): CalibrationKey {
  const { parallelism, nextn, hardware, backend, databaseMode } = deployment;
  const assumed = assumptionsOf(deployment);
  return {
    model,
    hardware: hardware.name,
    backend,
    backend_version: assumed.backend_version,
    tensor: parallelism.tensor,
    pipeline: parallelism.pipeline,
    attention_data: parallelism.attentionData,
    moe_tensor: parallelism.moeTensor,
    moe_expert: parallelism.moeExpert,
    nextn,
    weights: assumed.weights,
    expert_weights: assumed.expert_weights,
    attention: assumed.attention,
    kv_cache: assumed.kv_cache,
    communication: assumed.communication,
    database_mode: databaseMode,
    data_version: assumed.data_version,
  };
}

/** Names in which two keys differ. */
const keyDifferences = (one: CalibrationKey, other: CalibrationKey): (keyof CalibrationKey)[] =>
  (Object.keys(one) as (keyof CalibrationKey)[]).filter((name) => one[name] !== other[name]);

/** What differs between the key of a calibration and that of a deployment, as `tensor 4, not 2`. */
const toldDifferences = (key: CalibrationKey, wanted: CalibrationKey): string[] =>
  keyDifferences(key, wanted).map((name) => `${name} ${key[name] ?? "none"}, not ${wanted[name] ?? "none"}`);

/**
 * Refuses a calibration of something else, unless it is forced.
 *
 * @param path where it was asked for, in a configuration
 * @returns what differs all the same, as `tensor 4, not 2`
 * @throws {ConfigError} naming what differs
 */
export function requireKey(
  { key }: CalibrationProfile,
  wanted: CalibrationKey,
  { path, forced }: { path: string; forced: boolean },
): string[] {
  const differs = toldDifferences(key, wanted);
  if (differs.length === 0 || forced) return differs;
  const message = `the calibration is of another deployment: ${differs.join("; ")}`;
  const hint = "calibrate this deployment, or force the calibration upon it";
  throw new ConfigError(`${path}: ${message} (${hint})`, [{ path, message, hint }]);
}
