/**
 * The `workers` section of a report: what each worker served, and how full its KV cache was.
 *
 * @module
 */
import type { WorkerUsage } from "../cluster/spec.ts";
import type { ServedRequests } from "./served_requests.ts";

/** A worker. */
export interface WorkerRow {
  /** `agg`, `prefill` or `decode`. */
  pool: string;
  /** Its number in the pool. */
  worker_id: number;
  /** Seconds between its start and its removal, or the end of the run. */
  alive_s: number;
  /** Requests that completed and were placed here last. */
  completed_requests: number;
  /**
   * Mean share of the KV blocks that requests held over its life: held blocks times the time of the passes they were held
   * in. A run of decode passes counts with what it held in the end. Null for a worker without a life.
   */
  kv_use_mean: number | null;
  /** Largest share of the KV blocks that requests held when a pass started. */
  kv_use_peak: number;
}

/** Rows of all workers of a run. */
export function workerRows(
  workers: readonly WorkerUsage[],
  { byPrefillRank, byDecodeRank }: Pick<ServedRequests, "byPrefillRank" | "byDecodeRank">,
): WorkerRow[] {
  return workers.map(({ pool, id, firstRank, ranks, aliveMs, blocks, peakHeldBlocks, heldBlockMs }) => {
    const byRank = pool === "prefill" ? byPrefillRank : byDecodeRank;
    let completed = 0;
    for (let rank = firstRank; rank < firstRank + ranks; rank++) completed += byRank[rank] ?? 0;
    return {
      pool,
      worker_id: id,
      alive_s: aliveMs / 1000,
      completed_requests: completed,
      kv_use_mean: aliveMs > 0 ? heldBlockMs / aliveMs / blocks : null,
      kv_use_peak: peakHeldBlocks / blocks,
    };
  });
}
