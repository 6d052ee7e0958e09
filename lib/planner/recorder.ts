/**
 * Collects what becomes the `planner` object of a report. The Planner adds ticks and events, retune its decisions; the
 * cluster keeps its own log of lifecycle operations.
 *
 * @module
 */
import type { EngineCapabilities } from "./capabilities.ts";
import type { RoleCounts, RoleName, Traffic } from "./observations.ts";
import type { PassRow, RoleSnapshot } from "./policy.ts";
import type {
  Component,
  FpmObservation,
  LifecycleOperation,
  PlannerMetadata,
  PlannerSection,
  PlannerTick,
  ReportedCounts,
  ReportedSchedule,
  ReportedTraffic,
  RetuneEvent,
  RoleTopology,
  ScalingEvent,
  TickDiagnostics,
} from "./report.ts";
import type { ScheduledTick } from "./schedule.ts";

/** Mean latencies in the traffic of a tick, null where there was no sample or no traffic. */
export interface ObservedLatency {
  ttftMs: number | null;
  itlMs: number | null;
}

/** The growing `planner` object of one run. */
export class PlannerRecorder {
  readonly #metadata: PlannerMetadata;
  readonly #ticks: PlannerTick[] = [];
  readonly #events: ScalingEvent[] = [];
  readonly #recommended: ScalingEvent[] = [];
  readonly #latencies: ObservedLatency[] = [];
  #retune: RetuneEvent[] | null = null;
  #total = 0;

  /** @param metadata with `details_captured`: whether ticks and lifecycle operations are kept */
  constructor(metadata: PlannerMetadata) {
    this.#metadata = metadata;
  }

  /** Whether ticks and lifecycle operations are kept. */
  get capturesDetails(): boolean {
    return this.#metadata.details_captured;
  }

  /** Counts a tick; `details` is only asked when they are kept. `latency` is what the tick's traffic had, if any. */
  tick(details: () => PlannerTick, latency: ObservedLatency | null = null): void {
    this.#total++;
    if (!this.capturesDetails) return;
    this.#ticks.push(details());
    this.#latencies.push({ ttftMs: latency?.ttftMs ?? null, itlMs: latency?.itlMs ?? null });
  }

  /** Latencies the ticks saw, one entry a kept tick; they are not part of the report. */
  get latencies(): readonly ObservedLatency[] {
    return this.#latencies;
  }

  /** Adds a change of the wanted workers. */
  scaled(event: ScalingEvent): void {
    this.#events.push(event);
  }

  /** Adds a change an advisory run recommends. */
  recommended(event: ScalingEvent): void {
    this.#recommended.push(event);
  }

  /** Adds a retune decision. */
  retuned(event: RetuneEvent): void {
    (this.#retune ??= []).push(event);
  }

  /** Notes the resolved retune block: from here the report lists decisions, even if there are none. */
  retuning(block: Record<string, unknown>): void {
    this.#metadata.retune = block;
    this.#retune ??= [];
  }

  /**
   * The object as it stands; the recorder goes on using its lists.
   *
   * @param lifecycle what the cluster did with its workers
   */
  section(lifecycle: LifecycleOperation[] = []): PlannerSection {
    return {
      metadata: this.#metadata,
      ticks: this.#ticks,
      scaling_events: this.#events,
      recommended_scaling_events: this.#recommended,
      lifecycle_operations: this.capturesDetails ? lifecycle : [],
      retune_events: this.#retune,
      total_ticks: this.#total,
      html_report_path: null,
    };
  }
}

/** An event of a role whose wanted workers change. */
export function scalingEvent(atS: number, component: Component, from: number, to: number): ScalingEvent {
  return {
    at_s: atS,
    component,
    from_count: from,
    to_count: to,
    reason: to > from ? "scale_up" : "scale_down",
  };
}

/** A tick's plan under its reported names. */
export function reportedSchedule(tick: ScheduledTick): ReportedSchedule {
  return {
    at_s: tick.atS,
    run_load_scaling: tick.runLoadScaling,
    run_throughput_scaling: tick.runThroughputScaling,
    need_traffic_metrics: tick.needTraffic,
    use_full_traffic_metrics: tick.useFullTraffic,
    traffic_metrics_duration_s: tick.trafficDurationS,
    need_worker_states: true,
    need_worker_fpm: tick.needPasses,
    at_monotonic_s: tick.atS,
  };
}

/** Traffic under its reported names. */
export function reportedTraffic(traffic: Traffic | null): ReportedTraffic | null {
  return traffic && {
    duration_s: traffic.durationS,
    num_req: traffic.requests,
    isl: traffic.inputTokens,
    osl: traffic.outputTokens,
    kv_hit_rate: traffic.kvHitRate,
    accept_length: traffic.acceptLength,
  };
}

/** Counts under their reported names. */
export function reportedCounts(
  counts: Record<RoleName, RoleCounts>,
  prefill: EngineCapabilities | null,
): ReportedCounts {
  return {
    ready_num_prefill: prefill ? counts.prefill.ready : null,
    ready_num_decode: counts.decode.ready,
    expected_num_prefill: prefill ? counts.prefill.expected : null,
    expected_num_decode: counts.decode.expected,
    prefill_scaling_in_progress: counts.prefill.inProgress,
    decode_scaling_in_progress: counts.decode.inProgress,
    pending_num_prefill: 0,
    pending_num_decode: 0,
  };
}

/** Rows of a role under their reported names; null when there are none. */
export function reportedPasses(rows: readonly PassRow[] | null): FpmObservation[] | null {
  return rows && rows.map((row) => ({
    worker_id: String(row.workerId),
    dp_rank: row.dpRank,
    metrics: {
      version: 1,
      worker_id: String(row.workerId),
      dp_rank: row.dpRank,
      counter_id: 0,
      wall_time: row.wallTimeS,
      scheduled_requests: {
        num_decode_requests: row.decodeRequests,
        num_prefill_requests: row.prefillRequests,
        sum_decode_kv_tokens: row.decodeKvTokens,
        sum_prefill_kv_tokens: row.prefillKvTokens,
        sum_prefill_tokens: row.prefillTokens,
        var_decode_kv_tokens: row.decodeKvVariance,
        var_prefill_length: row.prefillLengthVariance,
      },
      queued_requests: {
        num_decode_requests: row.queuedDecodeRequests,
        num_prefill_requests: row.queuedPrefillRequests,
        sum_decode_kv_tokens: row.queuedDecodeKvTokens,
        sum_prefill_tokens: row.queuedPrefillTokens,
        var_decode_kv_tokens: row.queuedDecodeKvVariance,
        var_prefill_length: row.queuedPrefillLengthVariance,
      },
    },
  }));
}

/** Workers of a role under their reported names. */
export function reportedTopology({ active, starting, draining }: RoleSnapshot): RoleTopology {
  return {
    active: [...active],
    active_count: active.length,
    starting: [...starting],
    starting_count: starting.length,
    draining: [...draining],
    draining_count: draining.length,
  };
}

/** Diagnostics of a tick on which nothing ran; floors start at 1. */
export function emptyDiagnostics(floors: { prefill: number; decode: number }): TickDiagnostics {
  return {
    estimated_ttft_ms: null,
    estimated_itl_ms: null,
    predicted_num_req: null,
    predicted_isl: null,
    predicted_osl: null,
    predicted_kv_hit_rate: null,
    engine_rps_prefill: null,
    engine_rps_decode: null,
    throughput_lower_bound_prefill: floors.prefill,
    throughput_lower_bound_decode: floors.decode,
    load_decision_reason: null,
    throughput_decision_reason: null,
    load_decision_reason_prefill: null,
    load_decision_reason_decode: null,
    throughput_decision_reason_prefill: null,
    throughput_decision_reason_decode: null,
    plugin_overrides: [],
    reconcile_reasons: {},
    held_over_plugins: [],
    execute_action: "apply",
    short_circuit_reason: "",
    audit_events: [],
  };
}
