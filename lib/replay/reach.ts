/**
 * Bounds that requests of a load's mean length miss on idle engines.
 *
 * @module
 */
import type { PoolSpec } from "../cluster/spec.ts";
import { timingEstimator } from "../planner/model/timing_estimator.ts";
import { unreachableBounds } from "../planner/unreachable_bounds.ts";
import type { Workload } from "../traffic/workload.ts";

/** What to say of bounds in milliseconds that no number of replicas can keep; see {@linkcode unreachableBounds}. */
export function outOfReach(
  { ttftMs, itlMs }: { ttftMs: number; itlMs: number },
  pools: readonly PoolSpec[],
  { inputTokens, outputTokens, count }: Workload,
): string[] {
  if (count === 0) return [];
  const mean = (tokens: Int32Array) => tokens.reduce((sum, value) => sum + value, 0) / count;
  const estimator = ({ timing, settings: { rank } }: PoolSpec) =>
    timingEstimator(timing, rank.blocks * rank.blockTokens);
  return unreachableBounds({
    ttftMs,
    itlMs,
    inputTokens: mean(inputTokens),
    outputTokens: mean(outputTokens),
    prefill: estimator(pools[0]),
    decode: estimator(pools[pools.length - 1]),
    maxBatchedTokens: pools[0].settings.rank.maxBatchedTokens,
  });
}
