/**
 * What telemetry sees of a cluster, and who looks.
 *
 * @module
 */
import type { TrafficWindow } from "../planner/policy.ts";

/** State of one rank as it last told it: when a command reached it, or when a pass ended. */
export interface SchedulerMetrics {
  /** The worker. */
  worker_id: number;
  /** Rank inside it. */
  dp_rank: number;
  /** KV blocks in use (SGLang: resident pages). */
  active_blocks: number;
  /** Cached blocks that may be evicted (SGLang: 0). */
  inactive_blocks: number;
  /** Blocks of the pool. */
  total_blocks: number;
  /** Active of all. */
  active_cache_usage: number;
  /** Active and inactive of all. */
  physical_cache_usage: number;
  /** In the running set. */
  running_requests: number;
  /** In the queue. */
  waiting_requests: number;
}

/** Counters of a pool since the previous sample. */
export interface IntervalMetrics {
  /** SGLang: prompt tokens found in the cache. */
  cache_hit_tokens: number;
  /** SGLang: prompt tokens looked up. */
  cache_total_tokens: number;
  /** Requests that had to give their blocks up. */
  preemptions: number;
}

/** What a sample needs to know of one pool. */
export interface PoolTelemetry {
  active: readonly number[];
  starting: readonly number[];
  draining: readonly number[];
  /** One row per live worker and rank, by worker, then rank. */
  schedulers: readonly SchedulerMetrics[];
  /** Counters since the previous sample, those of workers removed meanwhile included. */
  interval: IntervalMetrics;
  /** Requests waiting in the router. */
  pendingRequests: number;
}

/** The cluster at a sample. `traffic` is the window since the previous sample; a baseline consumes nothing. */
export interface TelemetryView {
  traffic: TrafficWindow;
  prefill: PoolTelemetry;
  decode: PoolTelemetry;
}

/** Takes samples; `TelemetryCollector` is one. */
export interface TelemetryProbe {
  /** When the next periodic sample is due. */
  readonly nextSampleMs: number;
  baseline(nowMs: number, view: Pick<TelemetryView, "prefill" | "decode">): void;
  periodic(nowMs: number, view: TelemetryView): void;
  /** A periodic sample that tells nothing new: nothing happened since the one before, nor in the interval before it. */
  repeat(nowMs: number): void;
  final(nowMs: number, view: TelemetryView): void;
}
