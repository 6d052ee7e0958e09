/**
 * Requests that reach the cluster a constant time after they arrived: what HTTP, tokenizer and detokenizer take on real
 * systems. Latencies count from the arrival.
 *
 * @module
 */
import type { AdmissionSource, EndStatus, PromptRuns, Traffic, Workload } from "./workload.ts";

/** The same load, every request held back. @param ms how long; 0 gives the load itself */
export function heldBack(traffic: Traffic, ms: number): Traffic {
  return ms === 0 ? traffic : { ...traffic, start: () => new HeldBack(traffic.start(), ms) };
}

class HeldBack implements AdmissionSource {
  readonly #inner: AdmissionSource;
  readonly #ms: number;
  readonly workload: Workload;
  readonly reactive: boolean;
  readonly agentOutcome?: AdmissionSource["agentOutcome"];

  constructor(inner: AdmissionSource, ms: number) {
    this.#inner = inner;
    this.#ms = ms;
    this.workload = inner.workload;
    this.reactive = inner.reactive;
    if (inner.agentOutcome) this.agentOutcome = (handsOff) => inner.agentOutcome!(handsOff);
  }

  get arrivalMs(): number {
    return this.#inner.arrivalMs;
  }

  nextReadyMs(): number {
    return this.#inner.nextReadyMs() + this.#ms;
  }

  admit(nowMs: number): number {
    const readyMs = this.#inner.nextReadyMs();
    // what was added is taken off inexactly, so that the inner source is asked for the time that it named
    return nowMs < readyMs + this.#ms ? -1 : this.#inner.admit(Math.max(nowMs - this.#ms, readyMs));
  }

  ended(request: number, nowMs: number, status: EndStatus, emitted: number): void {
    this.#inner.ended(request, nowMs, status, emitted);
  }

  released(request: number, nowMs: number): void {
    this.#inner.released?.(request, nowMs);
  }

  dispatched(request: number, nowMs: number): void {
    this.#inner.dispatched(request, nowMs);
  }

  exhausted(): boolean {
    return this.#inner.exhausted();
  }

  promptRuns(request: number): PromptRuns | null {
    return this.#inner.promptRuns(request);
  }
}
