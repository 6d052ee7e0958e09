/**
 * A tick of the Planner under the names reports give its parts.
 *
 * @module
 */
import type { PerRole, TickFindings, TickView } from "../planner/listener.ts";
import type { RoleCounts, Traffic } from "../planner/observations.ts";
import type { PassRow, RoleSnapshot } from "../planner/policy.ts";
import type { ScheduledTick } from "../planner/schedule.ts";
import type {
  FpmObservation,
  PlannerMetadata,
  PlannerTick,
  ReportedCounts,
  ReportedSchedule,
  ReportedTraffic,
  RoleTopology,
  TickDiagnostics,
} from "./planner_section.ts";

/** @param metadata of the Planner that lived through the tick; another autoscaler has no configuration here */
export function reportedTick(
  view: TickView,
  { mode, planner_config }: Pick<PlannerMetadata, "mode"> & Partial<Pick<PlannerMetadata, "planner_config">>,
): PlannerTick {
  const { tick, next, snapshot, traffic, counts, rows, findings, scaleTo, decision } = view;
  return {
    ordinal: snapshot.tickOrdinal,
    at_ms: tick.atS * 1000,
    scheduled_tick: reportedSchedule(tick),
    input: {
      now_s: tick.atS,
      traffic: reportedTraffic(traffic),
      worker_counts: reportedCounts(counts, mode === "disagg"),
      fpm_observations: rows.prefill || rows.decode
        ? { prefill: reportedPasses(rows.prefill), decode: reportedPasses(rows.decode) }
        : null,
    },
    topology: { prefill: reportedTopology(snapshot.prefill), decode: reportedTopology(snapshot.decode) },
    effects: {
      scale_to: scaleTo && { num_prefill: scaleTo.prefill, num_decode: scaleTo.decode },
      next_tick: reportedSchedule(next),
      diagnostics: reportedFindings(findings),
      batch_drain_limits: [],
    },
    runtime_decision: {
      target_prefill: decision.targetPrefill,
      target_decode: decision.targetDecode,
      next_tick_ms: decision.nextTickMs,
      router_parameters: decision.routerKnobs ?? null,
    },
    ...(planner_config?.retune && snapshot.routers ? { router_policies: snapshot.routers } : {}),
  };
}

/** A tick's plan under its reported names. */
function reportedSchedule(tick: ScheduledTick): ReportedSchedule {
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
function reportedTraffic(traffic: Traffic | null): ReportedTraffic | null {
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
function reportedCounts(
  counts: PerRole<RoleCounts>,
  disaggregated: boolean,
): ReportedCounts {
  return {
    ready_num_prefill: disaggregated ? counts.prefill.ready : null,
    ready_num_decode: counts.decode.ready,
    expected_num_prefill: disaggregated ? counts.prefill.expected : null,
    expected_num_decode: counts.decode.expected,
    prefill_scaling_in_progress: counts.prefill.inProgress,
    decode_scaling_in_progress: counts.decode.inProgress,
    pending_num_prefill: 0,
    pending_num_decode: 0,
  };
}

/** Rows of a role under their reported names; null when there are none. */
function reportedPasses(rows: readonly PassRow[] | null): FpmObservation[] | null {
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
function reportedTopology({ active, starting, draining }: RoleSnapshot): RoleTopology {
  return {
    active: [...active],
    active_count: active.length,
    starting: [...starting],
    starting_count: starting.length,
    draining: [...draining],
    draining_count: draining.length,
  };
}

function reportedFindings(findings: TickFindings): TickDiagnostics {
  const { forecast, requestsPerSecond, floors, loadReasons, throughputReasons } = findings;
  return {
    estimated_ttft_ms: findings.estimatedTtftMs,
    estimated_itl_ms: findings.estimatedItlMs,
    predicted_num_req: forecast?.requests ?? null,
    predicted_isl: forecast?.inputTokens ?? null,
    predicted_osl: forecast?.outputTokens ?? null,
    predicted_kv_hit_rate: forecast?.kvHitRate ?? null,
    engine_rps_prefill: requestsPerSecond.prefill,
    engine_rps_decode: requestsPerSecond.decode,
    throughput_lower_bound_prefill: floors.prefill,
    throughput_lower_bound_decode: floors.decode,
    load_decision_reason: findings.loadReason,
    throughput_decision_reason: findings.throughputReason,
    load_decision_reason_prefill: loadReasons.prefill,
    load_decision_reason_decode: loadReasons.decode,
    throughput_decision_reason_prefill: throughputReasons.prefill,
    throughput_decision_reason_decode: throughputReasons.decode,
    load_metadata_available: findings.loadLimitsKnown,
    throughput_metadata_available: findings.throughputLimitsKnown,
    plugin_overrides: [],
    reconcile_reasons: {},
    held_over_plugins: [],
    execute_action: "apply",
    short_circuit_reason: "",
    audit_events: [],
  };
}
