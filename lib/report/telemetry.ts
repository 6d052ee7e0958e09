/**
 * The `telemetry` section of a report: samples of traffic and schedulers at a fixed interval of virtual time. The
 * cluster says when and hands over what it knows; its own windows stay what they are.
 *
 * @module
 */
import { Kept } from "../collections/kept.ts";
import { ConfigError } from "../errors.ts";
import type { IntervalMetrics, SchedulerMetrics, TelemetryProbe, TelemetryView } from "../cluster/telemetry_probe.ts";
import type { TrafficWindow } from "../planner/policy.ts";

export type { IntervalMetrics, PoolTelemetry, SchedulerMetrics, TelemetryView } from "../cluster/telemetry_probe.ts";

/** What came in and went out between two samples. Means without samples are 0. */
export interface TelemetryTraffic {
  /** Length of the window. */
  duration_s: number;
  /** Requests that came in. */
  arriving_requests: number;
  /** Requests that completed. */
  completed_requests: number;
  /** Mean prompt tokens of those. */
  avg_isl: number;
  /** Mean output tokens of those. */
  avg_osl: number;
  /** Mean TTFT of those that have one. */
  avg_ttft_ms: number;
  /** Their number. */
  ttft_count: number;
  /** Mean TPOT of those that have one. */
  avg_itl_ms: number;
  /** Their number. */
  itl_count: number;
  /** Mean share of prompt blocks that were resident where the router placed them. */
  avg_router_kv_hit_rate: number;
  /** Placements it is the mean of. */
  router_kv_hit_rate_count: number;
  /** Tokens per decode forward. */
  avg_accept_length: number | null;
  /** Forwards it is the mean of. */
  accept_length_forward_count: number;
}

/** One sample. */
export interface TelemetrySample {
  /** 0, 1, … over the run. */
  sample_ordinal: number;
  /** Why it was taken. */
  kind: "baseline" | "periodic" | "final";
  /** End of the sample before. */
  interval_start_ms: number;
  /** Virtual time. */
  sampled_at_ms: number;
  /** What went through since the sample before. */
  traffic: TelemetryTraffic;
  /** A row a rank of the prefill pool. */
  prefill_scheduler_metrics: readonly SchedulerMetrics[];
  /** A row a rank of the decode (or only) pool. */
  decode_scheduler_metrics: readonly SchedulerMetrics[];
  /** Counters of the prefill pool. */
  prefill_interval_metrics: IntervalMetrics;
  /** Counters of the decode (or only) pool. */
  decode_interval_metrics: IntervalMetrics;
  /** Waiting in the prefill router. */
  router_pending_prefill_requests: number;
  /** Waiting in the decode (or only) router. */
  router_pending_decode_requests: number;
  /** Workers that serve. */
  active_prefill_ids: readonly number[];
  /** Workers that are not ready yet. */
  starting_prefill_ids: readonly number[];
  /** Workers that finish what they have. */
  draining_prefill_ids: readonly number[];
  /** Workers that serve. */
  active_decode_ids: readonly number[];
  /** Workers that are not ready yet. */
  starting_decode_ids: readonly number[];
  /** Workers that finish what they have. */
  draining_decode_ids: readonly number[];
}

/** Every sample of a run. */
export interface Telemetry {
  /** Virtual time between samples. */
  sample_interval_ms: number;
  /** In the order of time. */
  samples: TelemetrySample[];
}

const DEFAULT_INTERVAL_MS = 1000;
const NO_TRAFFIC: TelemetryTraffic = {
  duration_s: 0,
  arriving_requests: 0,
  completed_requests: 0,
  avg_isl: 0,
  avg_osl: 0,
  avg_ttft_ms: 0,
  avg_itl_ms: 0,
  ttft_count: 0,
  itl_count: 0,
  avg_router_kv_hit_rate: 0,
  router_kv_hit_rate_count: 0,
  avg_accept_length: null,
  accept_length_forward_count: 0,
};

/** Collects samples. The cluster calls `baseline` once, `periodic` whenever `nextSampleMs` is due, `final` once. */
export class TelemetryCollector implements TelemetryProbe {
  readonly #intervalMs: number;
  /** Samples that differ from the one before in more than their times, and how often each was repeated. */
  readonly #told: TelemetrySample[] = [];
  readonly #repeats: number[] = [];
  #count = 0;
  #lastMs = 0;
  // What stays the same between samples is kept once.
  readonly #traffic = new Kept<TelemetryTraffic>();
  readonly #intervals = { prefill: new Kept<IntervalMetrics>(), decode: new Kept<IntervalMetrics>() };
  #startMs = 0;

  /** @param intervalMs virtual milliseconds between samples; default 1000 */
  constructor(intervalMs: number = DEFAULT_INTERVAL_MS) {
    if (!(intervalMs > 0 && Number.isFinite(intervalMs))) {
      throw new ConfigError(`telemetry_sample_interval_ms must be a positive finite number, got ${intervalMs}`);
    }
    this.#intervalMs = intervalMs;
  }

  /** When the next periodic sample is due: a multiple of the interval after the start, so round-off does not add up. */
  get nextSampleMs(): number {
    return this.#atMs(this.#count);
  }

  #atMs(ordinal: number): number {
    return this.#startMs + ordinal * this.#intervalMs;
  }

  /** The state before anything counts; its traffic is empty whatever has arrived already. */
  baseline(nowMs: number, view: Pick<TelemetryView, "prefill" | "decode">): void {
    this.#startMs = this.#lastMs = nowMs;
    const interval = { cache_hit_tokens: 0, cache_total_tokens: 0, preemptions: 0 };
    this.#tell(this.#sample("baseline", nowMs, { ...NO_TRAFFIC }, {
      prefill: { ...view.prefill, interval },
      decode: { ...view.decode, interval },
    }));
  }

  /** What happened since the previous sample. */
  periodic(nowMs: number, view: TelemetryView): void {
    this.#tell(this.#sample("periodic", nowMs, trafficFields(view.traffic), view));
  }

  /** Nothing happened since the previous sample, nor in the interval before it: only the times are others. */
  repeat(nowMs: number): void {
    this.#repeats[this.#repeats.length - 1]++;
    this.#count++;
    this.#lastMs = nowMs;
  }

  /** The last sample; left out when no time has passed and nothing was counted since the previous one. */
  final(nowMs: number, view: TelemetryView): void {
    const traffic = trafficFields(view.traffic);
    if (nowMs === this.#lastMs && !counted(traffic, view)) return;
    this.#tell(this.#sample("final", nowMs, traffic, view));
  }

  /** The section; repeated samples are made when `samples` is first read. */
  telemetry(): Telemetry {
    const all = () => [...this.#all()];
    let samples: TelemetrySample[] | null = null;
    return {
      sample_interval_ms: this.#intervalMs,
      get samples() {
        return samples ??= all();
      },
    };
  }

  *#all(): Generator<TelemetrySample> {
    for (let i = 0; i < this.#told.length; i++) {
      let sample = this.#told[i];
      yield sample;
      for (let k = this.#repeats[i]; k > 0; k--) yield sample = this.#again(sample);
    }
  }

  /** The sample that repeats another. */
  #again(sample: TelemetrySample): TelemetrySample {
    const ordinal = sample.sample_ordinal + 1, startMs = sample.sampled_at_ms, nowMs = this.#atMs(ordinal);
    const durationS = (nowMs - startMs) / 1000;
    const traffic = durationS === sample.traffic.duration_s
      ? sample.traffic
      : { ...sample.traffic, duration_s: durationS };
    return { ...sample, sample_ordinal: ordinal, interval_start_ms: startMs, sampled_at_ms: nowMs, traffic };
  }

  #tell(sample: TelemetrySample): void {
    this.#told.push(sample);
    this.#repeats.push(0);
    this.#count++;
    this.#lastMs = sample.sampled_at_ms;
  }

  #sample(
    kind: TelemetrySample["kind"],
    nowMs: number,
    traffic: TelemetryTraffic,
    { prefill, decode }: Pick<TelemetryView, "prefill" | "decode">,
  ): TelemetrySample {
    return {
      sample_ordinal: this.#count,
      kind,
      interval_start_ms: this.#lastMs,
      sampled_at_ms: nowMs,
      traffic: isQuiet(traffic) ? this.#traffic.keep(traffic) : traffic,
      prefill_scheduler_metrics: prefill.schedulers,
      decode_scheduler_metrics: decode.schedulers,
      prefill_interval_metrics: this.#intervals.prefill.keep(prefill.interval),
      decode_interval_metrics: this.#intervals.decode.keep(decode.interval),
      router_pending_prefill_requests: prefill.pendingRequests,
      router_pending_decode_requests: decode.pendingRequests,
      active_prefill_ids: prefill.active,
      active_decode_ids: decode.active,
      starting_prefill_ids: prefill.starting,
      starting_decode_ids: decode.starting,
      draining_prefill_ids: prefill.draining,
      draining_decode_ids: decode.draining,
    };
  }
}

function trafficFields(window: TrafficWindow): TelemetryTraffic {
  return {
    duration_s: window.durationS,
    arriving_requests: window.requests,
    completed_requests: window.shapeCount,
    avg_isl: window.meanInputTokens,
    avg_osl: window.meanOutputTokens,
    avg_ttft_ms: window.meanTtftMs,
    avg_itl_ms: window.meanItlMs,
    ttft_count: window.ttftCount,
    itl_count: window.itlCount,
    avg_router_kv_hit_rate: window.meanKvHitRate,
    router_kv_hit_rate_count: window.kvHitRateCount,
    avg_accept_length: window.meanAcceptLength,
    accept_length_forward_count: window.acceptLengthForwards,
  };
}

/** Whether the window may be like the one before. */
function isQuiet({ arriving_requests, completed_requests, accept_length_forward_count }: TelemetryTraffic): boolean {
  return arriving_requests + completed_requests + accept_length_forward_count === 0;
}

function counted(traffic: TelemetryTraffic, { prefill, decode }: TelemetryView): boolean {
  const counters = [
    traffic.arriving_requests,
    traffic.completed_requests,
    traffic.ttft_count,
    traffic.itl_count,
    traffic.router_kv_hit_rate_count,
    traffic.accept_length_forward_count,
    ...Object.values(prefill.interval),
    ...Object.values(decode.interval),
  ];
  return counters.some((count) => count > 0);
}
