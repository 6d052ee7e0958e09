/**
 * Samples a running cluster for telemetry: what its pools and ranks look like at a sample, and the traffic since the one
 * before. Samples change nothing, but they are told at exact times, so a sampled cluster moves in lock step.
 *
 * @module
 */
import type { RequestRecords } from "../engine/records.ts";
import type { TrafficWindow } from "../planner/policy.ts";
import { TrafficMeter } from "./traffic_meter.ts";
import type { WorkerPool } from "./worker_pool.ts";

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

const NOBODY: PoolTelemetry = {
  active: [],
  starting: [],
  draining: [],
  schedulers: [],
  interval: { cache_hit_tokens: 0, cache_total_tokens: 0, preemptions: 0 },
  pendingRequests: 0,
};

/** Telemetry of one run. */
export class TelemetrySampler {
  readonly traffic: TrafficMeter;
  readonly #probe: TelemetryProbe;
  readonly #prefill: WorkerPool | null;
  readonly #decode: WorkerPool;
  #begun = false;

  /** @param prefill null in aggregated clusters */
  constructor(probe: TelemetryProbe, records: RequestRecords, prefill: WorkerPool | null, decode: WorkerPool) {
    this.#probe = probe;
    this.#prefill = prefill;
    this.#decode = decode;
    this.traffic = new TrafficMeter(records, true);
    prefill?.watchGauges();
    decode.watchGauges();
  }

  /** Time of the next periodic sample; there is none before the baseline. */
  get nextMs(): number {
    return this.#begun ? this.#probe.nextSampleMs : Infinity;
  }

  baseline(nowMs: number): void {
    this.#begun = true;
    this.#probe.baseline(nowMs, {
      prefill: this.#prefill?.telemetry(false) ?? NOBODY,
      decode: this.#decode.telemetry(false),
    });
  }

  periodic(nowMs: number): void {
    this.#probe.periodic(nowMs, this.#view(nowMs));
  }

  /** A periodic sample when nothing has happened since two samples ago. */
  repeat(nowMs: number): void {
    this.traffic.nothingUntil(nowMs);
    this.#probe.repeat(nowMs);
  }

  final(nowMs: number): void {
    this.#probe.final(nowMs, this.#view(nowMs));
  }

  #view(nowMs: number): TelemetryView {
    const { decodeForwards, acceptedTokens } = this.#decode;
    return {
      traffic: this.traffic.close(nowMs, decodeForwards, acceptedTokens),
      prefill: this.#prefill?.telemetry(true) ?? NOBODY,
      decode: this.#decode.telemetry(true),
    };
  }
}
