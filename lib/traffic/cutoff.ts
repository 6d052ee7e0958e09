/**
 * A soft end of virtual time: from a moment on nobody is admitted any more, and who was admitted before may finish.
 *
 * @module
 */
import type { AdmissionSource, Traffic } from "./workload.ts";

/**
 * The same load, closed after a time.
 *
 * @param limitMs virtual milliseconds; a request that is ready at that very time still comes in
 *
 * @example
 * ```ts
 * import { admittedUntil, syntheticTraffic } from "dynosim";
 *
 * const traffic = syntheticTraffic({ inputTokens: 8, outputTokens: 2, count: 9, arrivalIntervalMs: 100 });
 * const source = admittedUntil(traffic, 250).start();
 * let admitted = 0;
 * while (source.admit(1000) >= 0) admitted++;
 * console.log(admitted); // 3
 * ```
 */
export function admittedUntil(traffic: Traffic, limitMs: number): Traffic {
  return { ...traffic, start: () => new ClosingSource(traffic.start(), limitMs) };
}

class ClosingSource implements AdmissionSource {
  readonly workload: AdmissionSource["workload"];
  readonly reactive: boolean;
  readonly reactionMs?: number;
  readonly #source: AdmissionSource;
  readonly #limitMs: number;
  /** Present where the load has agents. */
  readonly agentOutcome?: AdmissionSource["agentOutcome"];
  #closed = false;

  constructor(source: AdmissionSource, limitMs: number) {
    this.#source = source;
    this.#limitMs = limitMs;
    this.workload = source.workload;
    this.reactive = source.reactive;
    this.reactionMs = source.reactionMs;
    if (source.agentOutcome) this.agentOutcome = (handsOff) => source.agentOutcome!(handsOff);
  }

  get arrivalMs(): number {
    return this.#source.arrivalMs;
  }

  nextReadyMs(): number {
    const next = this.#closed ? Infinity : this.#source.nextReadyMs();
    return next > this.#limitMs ? Infinity : next;
  }

  admit(nowMs: number): number {
    return this.nextReadyMs() <= nowMs ? this.#source.admit(nowMs) : -1;
  }

  ended(...[request, nowMs, status, emitted]: Parameters<AdmissionSource["ended"]>): void {
    // A place that becomes free after the limit stays free; ends with a time for thought may be told out of order.
    if (nowMs > this.#limitMs && !this.reactionMs) this.#closed = true;
    this.#source.ended(request, nowMs, status, emitted);
  }

  released(request: number, nowMs: number): void {
    this.#source.released?.(request, nowMs);
  }

  dispatched(request: number, nowMs: number): void {
    this.#source.dispatched(request, nowMs);
  }

  exhausted(): boolean {
    // Requests that wait for an end are not ready: only those in the cluster keep the run going.
    return this.#source.exhausted() || this.nextReadyMs() === Infinity;
  }

  promptRuns(request: number): ReturnType<AdmissionSource["promptRuns"]> {
    return this.#source.promptRuns(request);
  }
}
