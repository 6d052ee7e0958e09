/**
 * Samples a running cluster for telemetry: what its pools and ranks look like at a sample, and the traffic since the one
 * before. Samples change nothing; workers that run on their own are brought to the time of each.
 *
 * @module
 */
import type { RequestRecords } from "../engine/records.ts";
import type { PoolTelemetry, TelemetryProbe, TelemetryView } from "./telemetry_probe.ts";
import { TrafficMeter } from "./traffic_meter.ts";
import type { WorkerPool } from "./worker_pool.ts";

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

  /**
   * @param prefill null in aggregated clusters
   * @param inOrder whether ends are told in the order in which they happen
   */
  constructor(
    probe: TelemetryProbe,
    records: RequestRecords,
    prefill: WorkerPool | null,
    decode: WorkerPool,
    inOrder: boolean,
  ) {
    this.#probe = probe;
    this.#prefill = prefill;
    this.#decode = decode;
    this.traffic = new TrafficMeter(records, inOrder);
    prefill?.watchGauges();
    decode.watchGauges();
  }

  /** Time of the next periodic sample; there is none before the baseline. */
  get nextMs(): number {
    return this.#begun ? this.#probe.nextSampleMs : Infinity;
  }

  /** Time of the next sample, the baseline included. */
  get seenMs(): number {
    return this.#begun ? this.#probe.nextSampleMs : 0;
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
    const { decodeForwards, acceptedTokens } = this.#decode.totals;
    return {
      traffic: this.traffic.close(nowMs, decodeForwards, acceptedTokens),
      prefill: this.#prefill?.telemetry(true) ?? NOBODY,
      decode: this.#decode.telemetry(true),
    };
  }
}
