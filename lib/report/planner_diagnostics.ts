/**
 * What a Planner tells about every tick for its diagnostics page and log: observed, estimated and predicted figures,
 * decisions, engine loads and GPU hours.
 *
 * @module
 */
import type { ObservedLatency } from "./planner_recorder.ts";
import type { FpmObservation, PlannerTick } from "../report/planner_section.ts";

/** Most snapshots that are kept: the last ones. */
const MOST_SNAPSHOTS = 50_000;

/** Load of one rank at a tick. */
export interface EngineLoad {
  worker_id: string;
  dp_rank: number;
  queued_prefill_tokens: number;
  queued_decode_kv_tokens: number;
  inflight_decode_kv_tokens: number;
}

/** One tick. Observed figures are those of the last traffic that was consumed. */
export interface DiagnosticsSnapshot {
  timestamp_s: number;
  num_prefill_replicas: number;
  num_decode_replicas: number;
  observed_ttft_ms: number | null;
  observed_itl_ms: number | null;
  observed_requests_per_second: number | null;
  observed_request_duration_seconds: null;
  observed_input_sequence_tokens: number | null;
  observed_output_sequence_tokens: number | null;
  observed_kv_hit_rate: number | null;
  estimated_ttft_ms: number | null;
  estimated_itl_ms: number | null;
  predicted_requests_per_second: number | null;
  predicted_input_sequence_tokens: number | null;
  predicted_output_sequence_tokens: number | null;
  predicted_kv_hit_rate: number | null;
  engine_rps_prefill: number | null;
  engine_rps_decode: number | null;
  load_decision_reason: string | null;
  throughput_decision_reason: string | null;
  load_decision_reason_prefill: string | null;
  load_decision_reason_decode: string | null;
  throughput_decision_reason_prefill: string | null;
  throughput_decision_reason_decode: string | null;
  throughput_lower_bound_prefill: number;
  throughput_lower_bound_decode: number;
  scale_to_prefill: number | null;
  scale_to_decode: number | null;
  prefill_engines: EngineLoad[];
  decode_engines: EngineLoad[];
  /** GPU hours since the first tick. */
  gpu_hours: number;
}

/** What the snapshots need besides the ticks. */
export interface DiagnosticsOptions {
  /** Throughput interval of the Planner, the base of all rates. */
  throughputIntervalSeconds: number;
  prefillGpusPerWorker: number;
  decodeGpusPerWorker: number;
}

/**
 * Snapshots of the last ticks on which a loop was due or a decision was made.
 *
 * @param latencies what the traffic of each tick had, one entry a tick
 */
export function diagnosticsSnapshots(
  ticks: readonly PlannerTick[],
  latencies: readonly ObservedLatency[],
  options: DiagnosticsOptions,
): DiagnosticsSnapshot[] {
  const interval = options.throughputIntervalSeconds;
  let observed: Pick<DiagnosticsSnapshot, (typeof OBSERVED)[number]> = {
    observed_ttft_ms: null,
    observed_itl_ms: null,
    observed_requests_per_second: null,
    observed_input_sequence_tokens: null,
    observed_output_sequence_tokens: null,
    observed_kv_hit_rate: null,
  };
  let gpuHours = 0, beforeS = NaN;
  const snapshots: DiagnosticsSnapshot[] = [];
  let surplus = ticks.reduce((count, tick) => decided(tick) ? count + 1 : count, 0) - MOST_SNAPSHOTS;
  ticks.forEach((tick, i) => {
    const { input, topology, effects } = tick;
    const { diagnostics, scale_to } = effects;
    const nowS = tick.at_ms / 1000;
    const gpus = topology.prefill.active_count * options.prefillGpusPerWorker +
      topology.decode.active_count * options.decodeGpusPerWorker;
    if (!Number.isNaN(beforeS)) gpuHours += (gpus * (nowS - beforeS)) / 3600;
    beforeS = nowS;
    if (input.traffic !== null) {
      observed = {
        observed_ttft_ms: latencies[i]?.ttftMs ?? null,
        observed_itl_ms: latencies[i]?.itlMs ?? null,
        observed_requests_per_second: input.traffic.num_req / interval,
        observed_input_sequence_tokens: input.traffic.isl,
        observed_output_sequence_tokens: input.traffic.osl,
        observed_kv_hit_rate: input.traffic.kv_hit_rate ?? null,
      };
    }
    if (!decided(tick) || surplus-- > 0) return;
    const perSecond = (count: number | null) => count === null ? null : count / interval;
    snapshots.push({
      timestamp_s: nowS,
      num_prefill_replicas: topology.prefill.active_count,
      num_decode_replicas: topology.decode.active_count,
      ...observed,
      observed_request_duration_seconds: null,
      estimated_ttft_ms: diagnostics.estimated_ttft_ms,
      estimated_itl_ms: diagnostics.estimated_itl_ms,
      predicted_requests_per_second: perSecond(diagnostics.predicted_num_req),
      predicted_input_sequence_tokens: diagnostics.predicted_isl,
      predicted_output_sequence_tokens: diagnostics.predicted_osl,
      predicted_kv_hit_rate: diagnostics.predicted_kv_hit_rate,
      engine_rps_prefill: diagnostics.engine_rps_prefill,
      engine_rps_decode: diagnostics.engine_rps_decode,
      load_decision_reason: diagnostics.load_decision_reason,
      throughput_decision_reason: diagnostics.throughput_decision_reason,
      load_decision_reason_prefill: diagnostics.load_decision_reason_prefill,
      load_decision_reason_decode: diagnostics.load_decision_reason_decode,
      throughput_decision_reason_prefill: diagnostics.throughput_decision_reason_prefill,
      throughput_decision_reason_decode: diagnostics.throughput_decision_reason_decode,
      throughput_lower_bound_prefill: diagnostics.throughput_lower_bound_prefill,
      throughput_lower_bound_decode: diagnostics.throughput_lower_bound_decode,
      scale_to_prefill: scale_to?.num_prefill ?? null,
      scale_to_decode: scale_to?.num_decode ?? null,
      prefill_engines: (input.fpm_observations?.prefill ?? []).map(engineLoad),
      decode_engines: (input.fpm_observations?.decode ?? []).map(engineLoad),
      gpu_hours: gpuHours,
    });
  });
  return snapshots;
}

/** Whether a loop was due, or a decision was made. */
const decided = ({ scheduled_tick, effects }: PlannerTick): boolean =>
  scheduled_tick.run_load_scaling || scheduled_tick.run_throughput_scaling || effects.scale_to !== null;

const OBSERVED = [
  "observed_ttft_ms",
  "observed_itl_ms",
  "observed_requests_per_second",
  "observed_input_sequence_tokens",
  "observed_output_sequence_tokens",
  "observed_kv_hit_rate",
] as const;

function engineLoad({ worker_id, dp_rank, metrics }: FpmObservation): EngineLoad {
  const { scheduled_requests: scheduled, queued_requests: queued } = metrics;
  return {
    worker_id,
    dp_rank,
    queued_prefill_tokens: queued.sum_prefill_tokens,
    queued_decode_kv_tokens: queued.sum_decode_kv_tokens,
    inflight_decode_kv_tokens: scheduled.sum_decode_kv_tokens,
  };
}

/** The last moment that a date can name, in milliseconds. */
const LAST_DATE_MS = 8.64e15;

/** A moment; the last one that has a date for those after it, which only times of a mistaken trace reach. */
const dateOf = (seconds: number): Date => new Date(Math.min(seconds * 1000, LAST_DATE_MS));

/** Seconds since 1970 as `1970-01-01T00:11:25Z`. */
export function utcStamp(seconds: number): string {
  return dateOf(seconds).toISOString().replace(/\.000Z$/, "Z");
}

/** Name of a diagnostics page whose last tick is at `lastTickS`. */
export function diagnosticsFileName(lastTickS: number): string {
  const digits = dateOf(Math.floor(lastTickS)).toISOString().replace(/\D/g, "");
  return `planner_report_${digits.slice(0, 8)}_${digits.slice(8, 14)}_001.html`;
}

/** Facts in the first line of a diagnostics log. */
export interface DiagnosticsLogHead {
  generatedAtUtc: string;
  htmlReportPath: string;
  ttftMs: number;
  itlMs: number;
}

/** The lines of a diagnostics log: one with its facts, then one a snapshot; keys sorted. */
export function* diagnosticsLog(
  snapshots: readonly DiagnosticsSnapshot[],
  head: DiagnosticsLogHead,
): Generator<string> {
  let order: string[] = [];
  const sorted = (fields: Record<string, unknown>) => {
    const keys = Object.keys(fields);
    if (keys.length !== order.length) order = keys.sort();
    return `{${order.map((key) => `"${key}":${JSON.stringify(fields[key])}`).join()}}\n`;
  };
  yield sorted({
    schema: "planner_diagnostics_snapshot_log_v1",
    kind: "metadata",
    generated_at_utc: head.generatedAtUtc,
    num_snapshots: snapshots.length,
    html_report_path: head.htmlReportPath,
    ttft_ms: head.ttftMs,
    itl_ms: head.itlMs,
  });
  for (const snapshot of snapshots) {
    yield sorted({ kind: "snapshot", timestamp_utc: utcStamp(snapshot.timestamp_s), ...snapshot });
  }
}
