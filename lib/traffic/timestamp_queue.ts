/**
 * Open loop: every request arrives at a time known beforehand.
 *
 * @module
 */
import type { AdmissionSource, Workload } from "./workload.ts";

/** Requests by arrival time; equal times keep load order. Nothing that happens in the cluster changes it. */
export class TimestampQueue implements AdmissionSource {
  readonly workload: Workload;
  readonly reactive = false;
  arrivalMs = 0;
  readonly #arrivals: Float64Array;
  /** Requests in order of arrival, or null when load order is that already. */
  readonly #order: Int32Array | null;
  #next = 0;

  /** `arrivalsMs[r]` is the arrival of request `r`. `order` comes from {@linkcode arrivalOrder}. */
  constructor(workload: Workload, arrivalsMs: Float64Array, order: Int32Array | null) {
    this.workload = workload;
    this.#arrivals = arrivalsMs;
    this.#order = order;
  }

  nextReadyMs(): number {
    const at = this.#next;
    if (at === this.workload.count) return Infinity;
    return this.#arrivals[this.#order === null ? at : this.#order[at]];
  }

  admit(nowMs: number): number {
    const at = this.#next;
    if (at === this.workload.count) return -1;
    const request = this.#order === null ? at : this.#order[at];
    const arrival = this.#arrivals[request];
    if (arrival > nowMs) return -1;
    this.#next = at + 1;
    this.arrivalMs = arrival;
    return request;
  }

  ended(): void {}
  dispatched(): void {}

  exhausted(): boolean {
    return this.#next === this.workload.count;
  }

  promptRuns(): null {
    return null;
  }
}

/** The stable order of arrival, or null when the requests stand in it already. */
export function arrivalOrder(arrivalsMs: Float64Array): Int32Array | null {
  let sorted = true;
  for (let i = 1; i < arrivalsMs.length && sorted; i++) sorted = arrivalsMs[i - 1] <= arrivalsMs[i];
  if (sorted) return null;
  const order = Int32Array.from({ length: arrivalsMs.length }, (_, i) => i);
  return order.sort((a, b) => arrivalsMs[a] - arrivalsMs[b] || a - b);
}
