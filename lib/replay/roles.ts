/**
 * Roles in plain data made into pools: open questions about the model are answered, and timing models are made.
 *
 * @module
 */
import type { PoolSpec } from "../cluster/spec.ts";
import { workerLaunch } from "../config/make_plan.ts";
import type { EstimatorConfig, RolePlan } from "../config/plan.ts";
import { parseLaunch } from "../engine/launch/launch.ts";
import type { WorkerSettings } from "../engine/settings.ts";
import { ConfigError, type ConfigIssue } from "../errors.ts";
import type { RouterFactory } from "../router/router.ts";
import type { Assumptions } from "../timing/aic/assumptions.ts";
import type { KvCapacity } from "../timing/aic/capacity.ts";
import type { Deployment } from "../timing/aic/deployment.ts";
import { calibratedTiming } from "../timing/calibration/calibrated_timing.ts";
import { PassCorrection } from "../timing/calibration/correction.ts";
import {
  type CalibrationLevel,
  type CalibrationProfile,
  parseCalibration,
  readCalibration,
} from "../timing/calibration/profile.ts";
import { type Deployments, operatorDatabase } from "../timing/deployments.ts";
import { fixed } from "../timing/fixed.ts";
import { polynomial } from "../timing/polynomial.ts";
import type { Timing } from "../timing/timing.ts";
import type { RoleSpec } from "./spec.ts";

/** Where a number that was not written comes from, for the report's metadata. */
export interface ResolvedRole {
  /** What its workers are for. */
  role: RolePlan["role"];
  /** KV blocks of one rank. */
  blocks: number;
  /** Tokens in a KV block. */
  blockTokens: number;
  /** `configured` (a configuration or the engine's default), or `memory model` when it was derived. */
  blocksFrom: "configured" | "memory model";
  /** What shares the GPU's memory, where the memory model gave the number of blocks. */
  capacity: KvCapacity | null;
  /** Longest sequence; null without a limit. */
  maxModelTokens: number | null;
  /** Precisions, cache bytes and data version; null when neither times nor blocks come from the model. */
  assumed: Assumptions | null;
  /** The level of its calibration; null without one. */
  calibration: CalibrationLevel | null;
}

/** A role whose questions are answered, and the settings of its workers. */
export interface ClosedRole {
  /** The same role with nothing open. */
  spec: RoleSpec;
  settings: WorkerSettings;
  resolved: ResolvedRole;
  /** What corrects its passes; null without a calibration. */
  calibration: RoleCalibration | null;
  /** The deployment whose measurements time its passes; null when nothing measured does. */
  measured: Deployment | null;
}

/** A calibration as a run uses it. */
export interface RoleCalibration {
  profile: CalibrationProfile;
  /** How the deployment that it was fitted to differs from this one; empty unless it is forced. */
  differs: readonly string[];
  /** Of the engine's passes; counts them. */
  correction: PassCorrection;
}

/**
 * Answers what a role leaves open.
 *
 * @throws {ConfigError} when its settings contradict each other, or the model leaves no room for a KV cache
 */
export async function closeRole(role: RoleSpec, deployments: Deployments): Promise<ClosedRole> {
  if (!(Number.isSafeInteger(role.replicas) && role.replicas >= 1)) {
    throw new ConfigError(`invalid replay spec: ${poolName(role)} pool must start with at least one worker`);
  }
  try {
    return await closed(role, deployments);
  } catch (error) {
    throw error instanceof ConfigError ? ofRole(role, error) : error;
  }
}

/** An error about a field of a role's parallelism, with the field's place in a configuration. */
function ofRole({ role }: RoleSpec, error: ConfigError): ConfigError {
  const ours = ({ path }: ConfigIssue) => path.startsWith("parallelism.");
  if (!error.issues.some(ours)) return error;
  const place = (issue: ConfigIssue) =>
    ours(issue) ? { ...issue, path: `engine.workers.${role}.${issue.path}` } : issue;
  return new ConfigError(error.message, error.issues.map(place), { cause: error });
}

async function closed(role: RoleSpec, deployments: Deployments): Promise<ClosedRole> {
  const { open } = role;
  const answered = open ? await answers(role, open, deployments) : null;
  const launch = open && answered ? workerLaunch({ ...open, launch: role.launch }, answered) : role.launch;
  const settings = parseLaunch(launch), { rank } = settings;
  const ranks = role.replicas * settings.dpSize;
  if (ranks > MOST_RANKS) {
    const message = `${
      poolName(role)
    } has ${ranks} ranks (replicas × attention_data), and at most ${MOST_RANKS} are simulated`;
    throw new ConfigError(message, [{ path: `engine.workers.${role.role}.parallelism`, message }]);
  }
  const timed = rank.timing.type === "external";
  const model = await modelBehind(role, timed, deployments);
  const calibration = timed ? await calibrationOf(role, deployments) : null,
    profile = calibration && calibration.profile;
  return {
    spec: {
      ...role,
      launch,
      open: null,
      ...(profile === null ? {} : { passTiming: { ...role.passTiming, calibration: profile } }),
    },
    calibration,
    settings,
    resolved: {
      role: role.role,
      blocks: rank.blocks,
      blockTokens: rank.blockTokens,
      blocksFrom: open?.capacity.type === "default" ? "memory model" : "configured",
      capacity: answered?.capacity ?? null,
      maxModelTokens: Number.isFinite(rank.maxModelTokens) ? rank.maxModelTokens : null,
      assumed: model.assumed,
      calibration: profile && profile.level,
    },
    measured: timed ? model.deployment : null,
  };
}

/** The calibration of a role, known to be one of its deployment or to be forced upon it. */
async function calibrationOf(
  { role, estimator, passTiming }: RoleSpec,
  deployments: Deployments,
): Promise<RoleCalibration | null> {
  const given = passTiming?.calibration ?? null;
  if (given === null) return null;
  if (!estimator) throw new ConfigError(`the ${role} role has a calibration and names no model`);
  const profile = typeof given === "string" ? await readCalibration(given) : parseCalibration(given);
  const { calibrationKey, requireKey }: typeof import("../timing/calibration/key.ts") = await import(
    import.meta.resolve("../timing/calibration/key.ts")
  );
  const key = calibrationKey(estimator.model, await deployments.of(estimator));
  const forced = passTiming?.forced ?? false;
  const differs = requireKey(profile, key, { path: `engine.workers.${role}.timing.calibration`, forced });
  return { profile, differs, correction: new PassCorrection(profile) };
}

/** What a role takes from its model (times, blocks, or both) assumes. */
async function modelBehind(
  { estimator, open }: RoleSpec,
  timed: boolean,
  deployments: Deployments,
): Promise<{ assumed: Assumptions | null; deployment: Deployment | null }> {
  if (!estimator || !(timed || open?.capacity.type === "default")) return { assumed: null, deployment: null };
  const deployment = await deployments.of(estimator), { assumptionsOf } = await operatorDatabase();
  return { assumed: assumptionsOf(deployment), deployment };
}

/** Ranks of a role that are simulated at most: more is a slip of the pen, and would only fill the memory. */
const MOST_RANKS = 20_000;

const poolName = ({ role }: RoleSpec) => role;

async function answers(
  { role, launch, estimator }: RoleSpec,
  { capacity, contextTokens, transferBytesPerToken }: NonNullable<RoleSpec["open"]>,
  deployments: Deployments,
) {
  const identity = (): EstimatorConfig => {
    if (!estimator) throw new ConfigError(`the ${role} role leaves numbers to its model and does not name one`);
    return estimator;
  };
  const known = capacity.type === "fixed"
    ? undefined
    : kvBlocks(role, launch, capacity, identity(), await deployments.of(identity()));
  return {
    blocks: known?.blocks,
    capacity: known?.capacity ?? null,
    maxModelTokens: contextTokens === "max" ? await longestContext(identity()) : undefined,
    transferBytesPerToken: transferBytesPerToken === "auto" ? await bytesPerToken(identity()) : undefined,
  };
}

/** A pool of a closed role. A timing model that is handed over wins over the one the launch mapping names. */
export async function makePool(
  role: ClosedRole,
  router: RouterFactory,
  deployments: Deployments,
  { timing, stack = "dynamo" }: { timing?: Timing; stack?: "engine" | "dynamo" } = {},
): Promise<PoolSpec> {
  const { spec: { replicas }, settings } = role;
  return { settings, replicas, router, timing: timing ?? await timingOf(role, deployments, stack) };
}

/** The timing model of a pool's workers. Only measured timing needs to know the hardware. */
async function timingOf(
  { settings: { rank: { timing } }, spec: { estimator = null, passTiming }, calibration }: ClosedRole,
  deployments: Deployments,
  stack: "engine" | "dynamo",
): Promise<Timing> {
  if (timing.type === "fixed") return fixed({ prefillMs: timing.prefillMs, decodeMs: timing.decodeMs });
  if (timing.type === "polynomial") return polynomial();
  if (estimator === null) throw new ConfigError("measured timing needs the identity of a model and its hardware");
  const measured = await deployments.timing(estimator, { stack });
  const mixed = passTiming?.mixed ?? (calibration === null ? "sum" : "fused");
  if (calibration === null && mixed === "sum") return measured;
  const model = (await deployments.of(estimator)).forwardPassModel();
  return calibratedTiming(measured, model, { correction: calibration && calibration.correction, mixed });
}

function kvBlocks(
  role: RoleSpec["role"],
  launch: RoleSpec["launch"],
  { memoryFraction, cudaGraphReservedBytes }: { memoryFraction: number; cudaGraphReservedBytes: number },
  { model, system, kv_block_size }: EstimatorConfig,
  deployment: Deployment,
): { blocks: number; capacity: KvCapacity } {
  const engine = launch.engine as { max_num_batched_tokens?: number };
  const found = deployment.kvCapacity({
    maxBatchedTokens: engine.max_num_batched_tokens ?? 8192,
    memoryFraction,
    reservedBytes: cudaGraphReservedBytes,
  });
  const blocks = Math.floor(found.tokens / kv_block_size);
  if (blocks > 0) return { blocks, capacity: found };
  const message = `${model} leaves no room for a KV cache on ${system}; use more GPUs or a larger memory_fraction`;
  throw new ConfigError(message, [{ path: `engine.workers.${role}.kv_cache.capacity`, message }]);
}

async function longestContext({ model }: EstimatorConfig): Promise<number> {
  const { loadModel, maxContextLength } = await operatorDatabase();
  return maxContextLength(await loadModel(model));
}

/** Follows the format the checkpoint is stored in, whatever the cache's quantisation, unless that was written. */
async function bytesPerToken({ model, tp, kvcache_quant_mode }: EstimatorConfig): Promise<number> {
  const { kvBytesPerToken, loadModel, quantMode } = await operatorDatabase();
  const mode = kvcache_quant_mode === null ? null : quantMode("kvcache", kvcache_quant_mode);
  return kvBytesPerToken((await loadModel(model)).facts, tp, model, mode);
}
