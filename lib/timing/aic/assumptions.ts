/**
 * What a deployment's figures assume: data version, the precision of everything, what a token takes in the KV cache.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";
import type { Deployment } from "./deployment.ts";

/** What was assumed, in plain data. */
export interface Assumptions {
  /** Version of the package that the measurements come from. */
  data_version: string;
  /** Version of the backend that was measured; null when nothing was. */
  backend_version: string | null;
  /** Precision of the dense products' weights. */
  weights: string;
  /** Precision of the experts' weights; null without experts. */
  expert_weights: string | null;
  /** Precision in which prompts attend; null when nothing was measured that would tell. */
  attention: string | null;
  /** Number format of the KV cache. */
  kv_cache: string;
  /** Number format of communication. */
  communication: string;
  /** Bytes of the KV cache that one sequence of one token takes in one rank, states of fixed size included. */
  kv_bytes_per_token: number;
}

/**
 * What the figures of a deployment assume.
 *
 * @example
 * ```ts
 * import { assumptionsOf, deploy } from "dynosim";
 *
 * const { weights, kv_cache } = assumptionsOf(deploy({ model: "Qwen/Qwen3-32B-FP8", hardware: "h200_sxm" }));
 * console.log(weights, kv_cache); // fp8_block fp8
 * ```
 */
export function assumptionsOf(deployment: Deployment): Assumptions {
  const { gemm, moe, kvcache, comm } = deployment.impliedModes;
  const { backends } = deployment.catalog.system(deployment.hardware.name);
  const measured = Object.hasOwn(backends, deployment.backend);
  return {
    data_version: deployment.catalog.origin.release,
    backend_version: measured ? deployment.backendVersion : null,
    weights: gemm,
    expert_weights: deployment.facts.experts > 0 ? moe : null,
    attention: attentionMode(deployment),
    kv_cache: kvcache,
    communication: comm === "half" ? "bfloat16" : comm,
    kv_bytes_per_token: deployment.kvBytesPerToken,
  };
}

/** Depends on what was measured. */
function attentionMode(deployment: Deployment): string | null {
  try {
    return deployment.modes.fmha;
  } catch (problem) {
    if (problem instanceof ConfigError) return null;
    throw problem;
  }
}

/** One line for people. */
export function assumptionsText(assumed: Assumptions): string {
  const { weights, expert_weights: experts, attention, kv_cache, communication, kv_bytes_per_token } = assumed;
  return [
    `weights ${weights}${experts === null || experts === weights ? "" : ` (experts ${experts})`}`,
    ...attention === null ? [] : [`attention ${attention}`],
    `KV cache ${kv_cache} (${kv_bytes_per_token} bytes a token)`,
    `communication ${communication}`,
    assumed.backend_version === null ? "nothing measured" : `backend version ${assumed.backend_version}`,
    `data version ${assumed.data_version}`,
  ].join(", ");
}
