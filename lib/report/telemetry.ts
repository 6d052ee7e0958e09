/**
 * The `telemetry` section of a report: samples of traffic and schedulers at a fixed interval of virtual time.
 * Imports nothing.
 *
 * @module
 */

/** What came in and went out between two samples. Means without samples are 0. */
export interface TelemetryTraffic {
  duration_s: number;
  arriving_requests: number;
  completed_requests: number;
  avg_isl: number;
  avg_osl: number;
  avg_ttft_ms: number;
  ttft_count: number;
  avg_itl_ms: number;
  itl_count: number;
  avg_router_kv_hit_rate: number;
  router_kv_hit_rate_count: number;
  avg_accept_length: number | null;
  accept_length_forward_count: number;
}

/** State of one rank as it last told it: when a command reached it, or when a pass ended. */
export interface SchedulerMetrics {
  worker_id: number;
  dp_rank: number;
  active_blocks: number;
  inactive_blocks: number;
  total_blocks: number;
  active_cache_usage: number;
  physical_cache_usage: number;
  running_requests: number;
  waiting_requests: number;
}

/** Counters of a pool since the previous sample. */
export interface IntervalMetrics {
  cache_hit_tokens: number;
  cache_total_tokens: number;
  preemptions: number;
}

/** One sample. */
export interface TelemetrySample {
  sample_ordinal: number;
  kind: "baseline" | "periodic" | "final";
  interval_start_ms: number;
  sampled_at_ms: number;
  traffic: TelemetryTraffic;
  prefill_scheduler_metrics: SchedulerMetrics[];
  decode_scheduler_metrics: SchedulerMetrics[];
  prefill_interval_metrics: IntervalMetrics;
  decode_interval_metrics: IntervalMetrics;
  router_pending_prefill_requests: number;
  router_pending_decode_requests: number;
  active_prefill_ids: number[];
  starting_prefill_ids: number[];
  draining_prefill_ids: number[];
  active_decode_ids: number[];
  starting_decode_ids: number[];
  draining_decode_ids: number[];
}

/** Every sample of a run. */
export interface Telemetry {
  sample_interval_ms: number;
  samples: TelemetrySample[];
}
