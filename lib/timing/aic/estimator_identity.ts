/**
 * A deployment in the names that launch mappings and Planner metadata use for it.
 *
 * @module
 */
import type { PerfCatalog } from "./catalog.ts";
import type { Deployment } from "./deployment.ts";
import type { FoundModel } from "./model_sources.ts";
import { deploy } from "./operator_timing.ts";

/** The configuration of an estimator: absent sizes are 1, absent or null modes follow from the model. */
export interface EstimatorIdentity {
  /** Name of the model, or a folder. */
  model: string;
  /** Name of the GPU system. */
  system: string;
  /** Name of the engine. */
  backend: string;
  /** Null or absent: the version called current. */
  backend_version?: string | null;
  /** Tensor-parallel ranks. */
  tp?: number;
  /** Pipeline-parallel stages. */
  pp?: number;
  /** Attention data-parallel ranks. */
  attention_dp?: number;
  /** Tensor-parallel ranks of the experts. */
  moe_tp?: number;
  /** Expert-parallel ranks. */
  moe_ep?: number;
  /** Depth of multi-token prediction. */
  nextn?: number;
  /** Number format of matrix products. */
  gemm_quant_mode?: string | null;
  /** Number format of experts. */
  moe_quant_mode?: string | null;
  /** Number format of the KV cache. */
  kvcache_quant_mode?: string | null;
  /** Number format of prompt attention. */
  fmha_quant_mode?: string | null;
  /** Number format of communication. */
  comm_quant_mode?: string | null;
  /** How what was not measured is estimated. */
  database_mode?: string;
  /** What such estimates may borrow; null or absent: everything. */
  transfer_policy?: string | readonly string[] | null;
  /** Data release whose measurements count, where a catalogue is still to be chosen; absent: the one that ships. */
  data_release?: string;
}

/**
 * The deployment of an identity.
 *
 * @param found the model, when it was loaded before (it may have come from the hub)
 * @throws {ConfigError} as {@linkcode deploy}.
 *
 * @example
 * ```ts
 * import { deployIdentity } from "dynosim";
 *
 * const identity = { model: "Qwen/Qwen3-32B", system: "h200_sxm", backend: "vllm", tp: 2 };
 * console.log(deployIdentity(identity).backendVersion); // 0.24.0
 * ```
 */
export function deployIdentity(identity: EstimatorIdentity, catalog?: PerfCatalog, found?: FoundModel): Deployment {
  return deploy({
    model: found ?? identity.model,
    hardware: identity.system,
    backend: identity.backend,
    backendVersion: identity.backend_version,
    tensor: identity.tp,
    pipeline: identity.pp,
    attentionData: identity.attention_dp,
    moeTensor: identity.moe_tp,
    moeExpert: identity.moe_ep,
    nextn: identity.nextn,
    quant: {
      gemm: identity.gemm_quant_mode,
      moe: identity.moe_quant_mode,
      kvcache: identity.kvcache_quant_mode,
      fmha: identity.fmha_quant_mode,
      comm: identity.comm_quant_mode,
    },
    databaseMode: identity.database_mode,
    transferPolicy: identity.transfer_policy,
  }, catalog);
}
