/**
 * Open loop: every request arrives at a time known beforehand.
 *
 * @module
 */
import type { AdmissionSource, Workload } from "./workload.ts";

/** Arrivals by request: times in milliseconds, counted from a moment and divided by a speedup. */
export class Arrivals {
  readonly #times: Float64Array | Uint32Array;
  readonly #fromMs: number;
  readonly #speedup: number;

  constructor(timesMs: Float64Array | Uint32Array, fromMs = 0, speedup = 1) {
    this.#times = timesMs;
    this.#fromMs = fromMs;
    this.#speedup = speedup;
  }

  get count(): number {
    return this.#times.length;
  }

  at(request: number): number {
    return (this.#times[request] - this.#fromMs) / this.#speedup;
  }

  /** The latest arrival, at least 0. */
  latest(): number {
    let latest = 0;
    for (let r = 0; r < this.count; r++) latest = Math.max(latest, this.at(r));
    return latest;
  }
}

/** Requests by arrival time; equal times keep load order. Nothing that happens in the cluster changes it. */
export class TimestampQueue implements AdmissionSource {
  readonly workload: Workload;
  readonly reactive = false;
  readonly spanMs: readonly [number, number];
  arrivalMs = 0;
  readonly #arrivals: Arrivals;
  /** Requests in order of arrival, or null when load order is that already. */
  readonly #order: Int32Array | null;
  /** How many came, which is next and when it arrives. */
  #came = 0;
  #next = -1;
  #nextMs = Infinity;

  /** `order` comes from {@linkcode arrivalOrder}. */
  constructor(workload: Workload, arrivals: Arrivals, order: Int32Array | null) {
    this.workload = workload;
    this.#arrivals = arrivals;
    this.#order = order;
    this.#advance();
    const last = workload.count - 1;
    this.spanMs = [this.#nextMs, last < 0 ? -Infinity : arrivals.at(order === null ? last : order[last])];
  }

  nextReadyMs(): number {
    return this.#nextMs;
  }

  admit(nowMs: number): number {
    const request = this.#next;
    if (request < 0 || this.#nextMs > nowMs) return -1;
    this.arrivalMs = this.#nextMs;
    this.#came++;
    this.#advance();
    return request;
  }

  #advance(): void {
    const ended = this.#came === this.workload.count;
    this.#next = ended ? -1 : this.#order === null ? this.#came : this.#order[this.#came];
    this.#nextMs = ended ? Infinity : this.#arrivals.at(this.#next);
  }

  ended(): void {}
  dispatched(): void {}

  exhausted(): boolean {
    return this.#next < 0;
  }

  promptRuns(): null {
    return null;
  }
}

/** The stable order of arrival, or null when the requests stand in it already. */
export function arrivalOrder(arrivals: Arrivals): Int32Array | null {
  let sorted = true;
  for (let i = 1; i < arrivals.count && sorted; i++) sorted = arrivals.at(i - 1) <= arrivals.at(i);
  if (sorted) return null;
  const order = Int32Array.from({ length: arrivals.count }, (_, i) => i);
  return order.sort((a, b) => arrivals.at(a) - arrivals.at(b) || a - b);
}
