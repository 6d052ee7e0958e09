/**
 * A plan's roles made into pools: open questions about the model are answered, timing models and routers are made.
 *
 * @module
 */
import type { PoolSpec } from "../cluster/spec.ts";
import { workerSettings } from "../config/make_plan.ts";
import type { EstimatorConfig, PredictionPlan, RolePlan } from "../config/plan.ts";
import { ConfigError } from "../errors.ts";
import { routerByName } from "../router/registry.ts";
import type { RouterFactory } from "../router/router.ts";
import type { Pools } from "./simulate.ts";
import { fixed } from "../timing/fixed.ts";
import { polynomial } from "../timing/polynomial.ts";
import type { Timing } from "../timing/timing.ts";
import type { Deployment } from "../timing/aic/deployment.ts";

/** Where a number that was not written comes from, for the report's metadata. */
export interface ResolvedRole {
  role: RolePlan["role"];
  /** KV blocks of one rank. */
  blocks: number;
  blockTokens: number;
  /** `configured`, or `memory model` when it was derived. */
  blocksFrom: "configured" | "memory model";
  maxModelTokens: number | null;
}

/** Deployments by identity; measurements are shared and loaded when somebody asks for them. */
export class Deployments {
  readonly #made = new Map<string, Promise<Deployment>>();

  /** The deployment of a role. Loads the performance library with the first one. */
  of(config: EstimatorConfig): Promise<Deployment> {
    const key = JSON.stringify(config);
    let made = this.#made.get(key);
    if (made === undefined) this.#made.set(key, made = this.#make(config));
    return made;
  }

  #catalog: Promise<import("../timing/aic/catalog.ts").PerfCatalog> | null = null;

  async #make(config: EstimatorConfig): Promise<Deployment> {
    this.#catalog ??= import("../timing/aic/catalog.ts").then(({ PerfCatalog }) => new PerfCatalog());
    const [{ deployIdentity }, { loadModel }, catalog] = await Promise.all([
      import("../timing/aic/estimator_identity.ts"),
      import("../timing/aic/model_sources.ts"),
      this.#catalog,
    ]);
    return deployIdentity(config, catalog, await loadModel(config.model));
  }
}

/** Makes the pools of a plan. */
export async function makePools(
  plan: PredictionPlan,
  deployments: Deployments,
): Promise<{ pools: Pools; resolved: ResolvedRole[] }> {
  const router = await routerOf(plan, deployments);
  const made = await Promise.all(plan.roles.map((role) => makePool(role, router, deployments)));
  const resolved = made.map((pool) => pool.resolved);
  const [first, second] = made.map((pool) => pool.spec);
  return { pools: second === undefined ? { aggregated: first } : { prefill: first, decode: second }, resolved };
}

async function makePool(
  role: RolePlan,
  router: RouterFactory,
  deployments: Deployments,
): Promise<{ spec: PoolSpec; resolved: ResolvedRole }> {
  const { capacity, contextTokens, transferBytesPerToken } = role;
  const deployment = () => deployments.of(role.estimator);
  const settings = workerSettings(role, {
    blocks: capacity.type === "fixed" ? undefined : kvBlocks(role, capacity, await deployment()),
    maxModelTokens: contextTokens === "max" ? await longestContext(role) : undefined,
    transferBytesPerToken: transferBytesPerToken === "auto" ? await bytesPerToken(role) : undefined,
  });
  const resolved: ResolvedRole = {
    role: role.role,
    blocks: settings.rank.blocks,
    blockTokens: settings.rank.blockTokens,
    blocksFrom: capacity.type === "fixed" ? "configured" : "memory model",
    maxModelTokens: Number.isFinite(settings.rank.maxModelTokens) ? settings.rank.maxModelTokens : null,
  };
  const timing = await timingOf(settings, role.estimator, deployments);
  return { spec: { settings, replicas: role.replicas, timing, router }, resolved };
}

/** The timing model of a pool's workers. Only measured timing needs to know the hardware. */
export async function timingOf(
  { rank: { timing } }: PoolSpec["settings"],
  estimator: EstimatorConfig | null,
  deployments: Deployments,
): Promise<Timing> {
  if (timing.type === "fixed") return fixed(timing);
  if (timing.type === "polynomial") return polynomial();
  if (estimator === null) throw new ConfigError("measured timing needs the identity of a model and its hardware");
  const { operatorTiming } = await import("../timing/aic/operator_timing.ts");
  return operatorTiming(await deployments.of(estimator));
}

function kvBlocks(
  role: RolePlan,
  { memoryFraction, cudaGraphReservedBytes }: { memoryFraction: number; cudaGraphReservedBytes: number },
  deployment: Deployment,
): number {
  const engine = role.launch.engine as { block_size?: number; max_num_batched_tokens?: number };
  const { tokens } = deployment.kvCapacity({
    maxBatchedTokens: engine.max_num_batched_tokens ?? 8192,
    memoryFraction,
    reservedBytes: cudaGraphReservedBytes,
  });
  const blocks = Math.floor(tokens / role.estimator.kv_block_size);
  if (blocks > 0) return blocks;
  const { model, system } = role.estimator;
  const message = `${model} leaves no room for a KV cache on ${system}; use more GPUs or a larger memory_fraction`;
  throw new ConfigError(message, [{ path: `engine.workers.${role.role}.kv_cache.capacity`, message }]);
}

async function longestContext(role: RolePlan): Promise<number> {
  const { loadModel, maxContextLength } = await import("../timing/aic/model_sources.ts");
  return maxContextLength(await loadModel(role.estimator.model));
}

/** Follows the format the checkpoint is stored in, whatever the cache's quantisation, unless that was written. */
async function bytesPerToken({ estimator: { model, tp, kvcache_quant_mode } }: RolePlan): Promise<number> {
  const [{ kvBytesPerToken }, { loadModel }, { quantMode }] = await Promise.all([
    import("../timing/aic/capacity.ts"),
    import("../timing/aic/model_sources.ts"),
    import("../timing/aic/quant_choice.ts"),
  ]);
  const mode = kvcache_quant_mode === null ? null : quantMode("kvcache", kvcache_quant_mode);
  return kvBytesPerToken((await loadModel(model)).facts, tp, model, mode);
}

async function routerOf({ router, roles }: PredictionPlan, deployments: Deployments): Promise<RouterFactory> {
  if (router.policy !== "kv_router") return routerByName(router.policy);
  const { policy, prefillLoadModel, ...knobs } = router;
  if (prefillLoadModel === "none") return routerByName(policy, knobs);
  const model = (await deployments.of(roles[0].estimator)).forwardPassModel();
  return routerByName(policy, {
    ...knobs,
    prefillLoadModel,
    prefillLoadMs: (newTokens, prefixTokens) => model.contextMs(1, newTokens, prefixTokens),
  });
}
