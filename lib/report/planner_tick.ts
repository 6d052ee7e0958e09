/**
 * A tick of the Planner under the names reports give its parts.
 *
 * @module
 */
import { Kept, KeptList } from "../collections/kept.ts";
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

/**
 * Gives ticks their reported form. Parts that are as they were at the tick before are the same objects, so quiet hours
 * take little memory.
 */
export class TickForm {
  readonly #disaggregated: boolean;
  readonly #tellsRouters: boolean;
  readonly #counts = new Kept<ReportedCounts>();
  readonly #scaleTo = new Kept<NonNullable<PlannerTick["effects"]["scale_to"]>>();
  readonly #findings = new FindingsForm();
  readonly #roles = { prefill: new RoleForm(), decode: new RoleForm() };
  readonly #passes = new Kept<NonNullable<PlannerTick["input"]["fpm_observations"]>>();
  readonly #topology = new Kept<PlannerTick["topology"]>();
  /** The schedule told last, and its form: it is the next tick's own. */
  #next: { tick: ScheduledTick; form: ReportedSchedule } | null = null;

  /** @param metadata of the Planner that lives through the ticks; another autoscaler has no configuration here */
  constructor(
    { mode, planner_config }: Pick<PlannerMetadata, "mode"> & Partial<Pick<PlannerMetadata, "planner_config">>,
  ) {
    this.#disaggregated = mode === "disagg";
    this.#tellsRouters = Boolean(planner_config?.retune);
  }

  /** The form of the tick that follows the one before. */
  of(view: TickView): PlannerTick {
    const { tick, next, snapshot, traffic, counts, rows, findings, scaleTo, decision } = view;
    const prefill = this.#roles.prefill, decode = this.#roles.decode;
    const scheduled = this.#next?.tick === tick ? this.#next.form : reportedSchedule(tick);
    this.#next = { tick: next, form: reportedSchedule(next) };
    return {
      ordinal: snapshot.tickOrdinal,
      at_ms: tick.atS * 1000,
      scheduled_tick: scheduled,
      input: {
        now_s: tick.atS,
        traffic: reportedTraffic(traffic),
        worker_counts: this.#counts.keep(reportedCounts(counts, this.#disaggregated)),
        fpm_observations: tick.needPasses || rows.prefill || rows.decode
          ? this.#passes.keep({ prefill: prefill.passes(rows.prefill), decode: decode.passes(rows.decode) })
          : null,
      },
      topology: this.#topology.keep({
        prefill: prefill.topology(snapshot.prefill),
        decode: decode.topology(snapshot.decode),
      }),
      effects: {
        scale_to: scaleTo && this.#scaleTo.keep({ num_prefill: scaleTo.prefill, num_decode: scaleTo.decode }),
        next_tick: this.#next.form,
        diagnostics: this.#findings.of(findings),
        batch_drain_limits: NONE,
      },
      runtime_decision: {
        target_prefill: decision.targetPrefill,
        target_decode: decision.targetDecode,
        next_tick_ms: decision.nextTickMs,
        router_parameters: decision.routerKnobs ?? null,
      },
      ...(this.#tellsRouters && snapshot.routers ? { router_policies: snapshot.routers } : {}),
    };
  }
}

const NONE: never[] = [];

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

/** Forms of what one role does. */
class RoleForm {
  readonly #lists = {
    active: new KeptList<number>(),
    starting: new KeptList<number>(),
    draining: new KeptList<number>(),
  };
  readonly #topology = new Kept<RoleTopology>();
  #rows: readonly PassRow[] = [];
  #forms: FpmObservation[] = [];

  /** Rows under their reported names; null when there are none. */
  passes(rows: readonly PassRow[] | null): FpmObservation[] | null {
    if (rows === null) return null;
    const before = this.#rows, forms = this.#forms;
    let same = rows.length === before.length;
    for (let i = 0; same && i < rows.length; i++) same = rows[i] === before[i];
    if (same) return forms;
    this.#rows = rows;
    return this.#forms = rows.map((row, i) => row === before[i] ? forms[i] : reportedPass(row));
  }

  /** Workers under their reported names. */
  topology({ active, starting, draining }: RoleSnapshot): RoleTopology {
    const lists = this.#lists;
    return this.#topology.keep({
      active: lists.active.keep(active),
      active_count: active.length,
      starting: lists.starting.keep(starting),
      starting_count: starting.length,
      draining: lists.draining.keep(draining),
      draining_count: draining.length,
    });
  }
}

function reportedPass(row: PassRow): FpmObservation {
  return {
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
      queued_requests: reportedQueue(row),
    },
  };
}

const NOTHING_QUEUED: FpmObservation["metrics"]["queued_requests"] = {
  num_decode_requests: 0,
  num_prefill_requests: 0,
  sum_decode_kv_tokens: 0,
  sum_prefill_tokens: 0,
  var_decode_kv_tokens: 0,
  var_prefill_length: 0,
};

/** What waits beside a pass: mostly nothing, which is the same object for all. */
function reportedQueue(row: PassRow): FpmObservation["metrics"]["queued_requests"] {
  if (row.queuedDecodeRequests === 0 && row.queuedPrefillRequests === 0) {
    const tokens = row.queuedDecodeKvTokens !== 0 || row.queuedPrefillTokens !== 0;
    if (!tokens && row.queuedDecodeKvVariance === 0 && row.queuedPrefillLengthVariance === 0) return NOTHING_QUEUED;
  }
  return {
    num_decode_requests: row.queuedDecodeRequests,
    num_prefill_requests: row.queuedPrefillRequests,
    sum_decode_kv_tokens: row.queuedDecodeKvTokens,
    sum_prefill_tokens: row.queuedPrefillTokens,
    var_decode_kv_tokens: row.queuedDecodeKvVariance,
    var_prefill_length: row.queuedPrefillLengthVariance,
  };
}

/** Forms of what ticks found. */
class FindingsForm {
  readonly #loadLimits = new Kept<TickDiagnostics["load_metadata_available"]>();
  readonly #throughputLimits = new Kept<TickDiagnostics["throughput_metadata_available"]>();
  #last: TickFindings | null = null;
  #form!: TickDiagnostics;

  of(findings: TickFindings): TickDiagnostics {
    if (this.#last !== null && sameFindings(this.#last, findings)) return this.#form;
    this.#last = findings;
    const form = this.#form = reportedFindings(findings);
    form.load_metadata_available = this.#loadLimits.keep(form.load_metadata_available);
    form.throughput_metadata_available = this.#throughputLimits.keep(form.throughput_metadata_available);
    return form;
  }
}

/** Whether two ticks found the same; forecasts are never looked into, those of two ticks hardly ever are the same. */
function sameFindings(a: TickFindings, b: TickFindings): boolean {
  return a.forecast === b.forecast && a.loadReason === b.loadReason && a.throughputReason === b.throughputReason &&
    Object.is(a.estimatedTtftMs, b.estimatedTtftMs) && Object.is(a.estimatedItlMs, b.estimatedItlMs) &&
    samePair(a.requestsPerSecond, b.requestsPerSecond) && samePair(a.floors, b.floors) &&
    samePair(a.loadReasons, b.loadReasons) && samePair(a.throughputReasons, b.throughputReasons) &&
    samePair(a.loadLimitsKnown, b.loadLimitsKnown) && samePair(a.throughputLimitsKnown, b.throughputLimitsKnown);
}

const samePair = <T>(a: Partial<PerRole<T>>, b: Partial<PerRole<T>>) =>
  Object.is(a.prefill, b.prefill) && Object.is(a.decode, b.decode);

const NO_REASONS: Record<string, never> = {};

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
    plugin_overrides: NONE,
    reconcile_reasons: NO_REASONS,
    held_over_plugins: NONE,
    execute_action: "apply",
    short_circuit_reason: "",
    audit_events: NONE,
  };
}
