/**
 * What a stack adds to the summary of a prediction: where its times come from, and on the engine stack the format of the
 * KV cache and how much of the power is known.
 *
 * @module
 */
import type { RolePrecision, RoleProvenance, Summary } from "../report/summary.ts";
import type { Deployments } from "../timing/deployments.ts";
import type { ClosedRole } from "./roles.ts";
import type { ReplaySpec } from "./spec.ts";

/** Keys of the summary that only predictions of a stack have. */
export type StackSummary = Pick<Summary, "prediction_provenance" | "kv_cache_precision"> & { power_coverage?: 0 };

/** Nothing for runs that no stack asked for. */
export async function stackSummary(
  stack: ReplaySpec["stack"],
  roles: readonly ClosedRole[],
  deployments: Deployments,
): Promise<StackSummary> {
  if (stack === undefined) return {};
  if (stack === "dynamo") {
    const unavailable_reason = "runner did not report effective timing provenance";
    return { prediction_provenance: { runner: { unavailable_reason } } };
  }
  const provenance: Record<string, RoleProvenance> = {}, precision: Record<string, RolePrecision> = {};
  let measured = true;
  for (const { spec, settings, resolved } of roles) {
    const { timing } = settings.rank, { estimator = null } = spec;
    if (timing.type === "fixed") {
      measured = false;
      provenance[spec.role] = unmeasured("fixed", "configured", "configured timing does not use performance data");
    } else if (timing.type === "polynomial" || estimator === null) {
      measured = false;
      provenance[spec.role] = unmeasured("polynomial", "built_in", "built-in timing does not use performance data");
    } else {
      provenance[spec.role] = {
        data_identity: null,
        data_version: (await deployments.of(estimator)).backendVersion,
        data_version_unavailable_reason: null,
        estimator: "op_level",
        timing_source: "aic",
      };
    }
    if (resolved.blocksFrom === "memory model" && estimator !== null) {
      const { modes, facts: { quant: { kvAlgorithm } } } = await deployments.of(estimator);
      const declared = kvAlgorithm === "none" ? "bfloat16" : kvAlgorithm;
      const source = estimator.kvcache_quant_mode !== null
        ? "user_override"
        : declared === modes.kvcache
        ? "checkpoint"
        : "aisimulate_policy";
      precision[spec.role] = { dtype: modes.kvcache, source };
    }
  }
  return {
    prediction_provenance: provenance,
    ...(Object.keys(precision).length > 0 ? { kv_cache_precision: precision } : {}),
    ...(measured ? { power_coverage: 0 } : {}),
  };
}

const unmeasured = (estimator: string, timing_source: string, reason: string): RoleProvenance => ({
  data_version: null,
  data_version_unavailable_reason: reason,
  estimator,
  timing_source,
});
