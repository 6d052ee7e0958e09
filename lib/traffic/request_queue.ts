/**
 * Closed loop over independent requests: a fixed number of them is in flight.
 *
 * @module
 */
import type { AdmissionSource, Workload } from "./workload.ts";

/** Admits requests in load order while fewer than `concurrency` are in flight; each arrives when it is admitted. */
export class RequestQueue implements AdmissionSource {
  readonly workload: Workload;
  readonly reactive = true;
  arrivalMs = 0;
  readonly #concurrency: number;
  #inFlight = 0;
  #next = 0;
  #readyMs = 0;

  constructor(workload: Workload, concurrency: number) {
    this.workload = workload;
    this.#concurrency = concurrency;
  }

  nextReadyMs(): number {
    return this.#next < this.workload.count && this.#inFlight < this.#concurrency ? this.#readyMs : Infinity;
  }

  admit(nowMs: number): number {
    if (this.#next === this.workload.count || this.#inFlight >= this.#concurrency) return -1;
    this.#inFlight++;
    this.arrivalMs = nowMs;
    return this.#next++;
  }

  ended(_request: number, nowMs: number): void {
    this.#inFlight--;
    this.#readyMs = nowMs;
  }

  dispatched(): void {}

  exhausted(): boolean {
    return this.#next === this.workload.count;
  }

  promptRuns(): null {
    return null;
  }
}
