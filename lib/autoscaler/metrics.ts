/**
 * What autoscalers measure: gauges that engines export, taken from the last pass of each rank, and the rate of requests.
 *
 * @module
 */
import {
  type ConsumedTraffic,
  nonDraining,
  Observations,
  type RoleCounts,
  type RoleName,
} from "../planner/observations.ts";
import type { PassRow, Snapshot } from "../planner/policy.ts";

/** Name of a metric. */
export type MetricName = "queue_depth" | "running_requests" | "kv_usage" | "request_rate";

/**
 * Metrics by name: requests that wait to be computed, requests in the running batch, share of the KV cache in use (0 to
 * 1), and requests that arrive per second over the last {@linkcode RATE_WINDOW_S}.
 */
export const METRIC_NAMES: readonly MetricName[] = ["queue_depth", "running_requests", "kv_usage", "request_rate"];

/** Seconds over which the rate of requests is taken, as of a Prometheus `rate(…[1m])`. */
const RATE_WINDOW_S = 60;

/** A metric of one role at one time. */
export interface Sample {
  /** A value for each worker that serves and has reported one; empty for metrics that no worker has. */
  byWorker: readonly number[];
  /** Workers that serve and have reported none yet. */
  missing: number;
  /** Workers that are starting. */
  notReady: number;
  /** Sum over workers, with what waits in front of them; null when nobody could tell. */
  total: number | null;
  /** Mean over workers; null when nobody could tell. */
  mean: number | null;
}

/** What is known of a role beside its passes. */
export interface MeasuredRole {
  /** KV tokens one rank holds. */
  kvTokens: number;
  /** Requests that wait in front of all workers, because there is none. */
  waiting(): number;
}

/** Remembers passes and arrivals between the ticks of a run. */
export class Metrics {
  readonly #roles: Partial<Record<RoleName, MeasuredRole>>;
  /** Its memory of last passes is what a scrape of the workers would find. */
  readonly #passes = new Observations();
  readonly #arrivals: { untilS: number; durationS: number; requests: number }[] = [];
  #snapshot: Snapshot | null = null;

  constructor(roles: Partial<Record<RoleName, MeasuredRole>>) {
    this.#roles = roles;
  }

  /** Takes a snapshot in; call once at each tick. Returns the traffic since the tick before. */
  update(snapshot: Snapshot): ConsumedTraffic | null {
    this.#snapshot = snapshot;
    this.#passes.update(snapshot);
    const untilS = snapshot.nowMs / 1000, { durationS, requests } = snapshot.traffic;
    this.#arrivals.push({ untilS, durationS, requests });
    while (this.#arrivals[0].untilS <= untilS - RATE_WINDOW_S) this.#arrivals.shift();
    return this.#passes.takeTraffic();
  }

  /** Last passes of a role, and its workers. */
  observed(role: RoleName): { rows: PassRow[] | null; counts: RoleCounts } {
    return { rows: this.#passes.rows(role), counts: this.#passes.counts(role, this.#snapshot!) };
  }

  /** A metric of a role at the tick that was taken in last. */
  sample(role: RoleName, metric: MetricName): Sample {
    const snapshot = this.#snapshot![role];
    const workers = snapshot.active.length, notReady = snapshot.starting.length;
    if (metric === "request_rate") {
      const seconds = this.#arrivals.reduce((sum, { durationS }) => sum + durationS, 0);
      const total = seconds > 0 ? this.#arrivals.reduce((sum, { requests }) => sum + requests, 0) / seconds : null;
      const present = Math.max(nonDraining(snapshot), 1);
      return { byWorker: [], missing: 0, notReady, total, mean: total === null ? null : total / present };
    }
    const { kvTokens, waiting } = this.#roles[role]!;
    const values = new Map<number, { sum: number; ranks: number }>();
    for (const row of this.#passes.rows(role) ?? []) {
      const value = values.get(row.workerId) ?? { sum: 0, ranks: 0 };
      value.sum += gauge(row, metric, kvTokens);
      value.ranks++;
      values.set(row.workerId, value);
    }
    const byWorker = [...values.values()].map(({ sum, ranks }) => metric === "kv_usage" ? sum / ranks : sum);
    const sum = byWorker.reduce((total, value) => total + value, 0);
    const known = byWorker.length > 0 || workers === 0;
    return {
      byWorker,
      missing: workers - byWorker.length,
      notReady,
      total: known ? sum + (metric === "queue_depth" ? waiting() : 0) : null,
      mean: byWorker.length > 0 ? sum / byWorker.length : known ? 0 : null,
    };
  }
}

function gauge(row: PassRow, metric: Exclude<MetricName, "request_rate">, kvTokens: number): number {
  switch (metric) {
    case "queue_depth":
      return row.queuedPrefillRequests + row.queuedDecodeRequests;
    case "running_requests":
      return row.prefillRequests + row.decodeRequests;
    case "kv_usage":
      return (row.decodeKvTokens + row.prefillKvTokens + row.prefillTokens) / kvTokens;
  }
}
