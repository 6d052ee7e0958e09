/**
 * The ranks of one pool as telemetry shows them, and its counters between two samples.
 *
 * @module
 */
import type { PoolTotals } from "./pool_totals.ts";
import type { PoolTelemetry, SchedulerMetrics } from "./telemetry_probe.ts";
import type { Gauges, Worker } from "./worker.ts";

/** Gauges of the workers of one pool. */
export class PoolGauges {
  readonly #workers: readonly Worker[];
  readonly #totals: PoolTotals;
  readonly #blocks: number;
  #reported = { preemptions: 0, total: 0, hits: 0 };
  /** Rows of ranks as they were shown last, for as long as nothing about them changes. */
  #schedulers: readonly SchedulerMetrics[] = [];

  /**
   * @param workers the live ones, by ascending id
   * @param blocks KV blocks of one rank
   */
  constructor(workers: readonly Worker[], totals: PoolTotals, blocks: number) {
    this.#workers = workers;
    this.#totals = totals;
    this.#blocks = blocks;
  }

  /** @param consume whether the counters, which run from the last time on that did so, begin anew */
  read(consume: boolean): Pick<PoolTelemetry, "schedulers" | "interval"> {
    const counts = this.#totals.gone();
    const workers = this.#workers;
    for (let w = 0; w < workers.length; w++) {
      const { gauges } = workers[w];
      for (let rank = 0; gauges !== null && rank < gauges.length; rank++) {
        const gauge = gauges[rank];
        counts.preemptions += gauge.preemptions;
        counts.total += gauge.cacheTotalTokens;
        counts.hits += gauge.cacheHitTokens;
      }
    }
    const told = this.#reported;
    if (consume) this.#reported = counts;
    return {
      schedulers: this.#schedulerRows(),
      interval: {
        cache_hit_tokens: counts.hits - told.hits,
        cache_total_tokens: counts.total - told.total,
        preemptions: counts.preemptions - told.preemptions,
      },
    };
  }

  /** Rows of all ranks; those of ranks that told nothing new, and a list without any new row, are the ones before. */
  #schedulerRows(): readonly SchedulerMetrics[] {
    const workers = this.#workers, last = this.#schedulers, totalBlocks = this.#blocks;
    let rows: SchedulerMetrics[] | null = null, at = 0;
    for (let w = 0; w < workers.length; w++) {
      const worker = workers[w];
      for (let dpRank = 0; worker.gauges !== null && dpRank < worker.gauges.length; dpRank++, at++) {
        const gauge = worker.gauges[dpRank];
        if (at < last.length && tells(last[at], worker.id, dpRank, gauge)) {
          if (rows !== null) rows.push(last[at]);
          continue;
        }
        rows ??= last.slice(0, at);
        rows.push({
          worker_id: worker.id,
          dp_rank: dpRank,
          active_blocks: gauge.activeBlocks,
          inactive_blocks: gauge.inactiveBlocks,
          total_blocks: totalBlocks,
          active_cache_usage: gauge.activeBlocks / totalBlocks,
          physical_cache_usage: (gauge.activeBlocks + gauge.inactiveBlocks) / totalBlocks,
          running_requests: gauge.runningRequests,
          waiting_requests: gauge.waitingRequests,
        });
      }
    }
    return this.#schedulers = rows ?? (at === last.length ? last : last.slice(0, at));
  }
}

/** Whether a row shows a rank as its gauge does. */
function tells(row: SchedulerMetrics, worker: number, rank: number, gauge: Gauges): boolean {
  return row.active_blocks === gauge.activeBlocks && row.inactive_blocks === gauge.inactiveBlocks &&
    row.running_requests === gauge.runningRequests && row.waiting_requests === gauge.waitingRequests &&
    row.worker_id === worker && row.dp_rank === rank;
}
