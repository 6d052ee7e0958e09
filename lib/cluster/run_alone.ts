/**
 * How long a decode worker can go on alone: nothing from outside reaches it until then.
 *
 * @module
 */
import type { Worker } from "./worker.ts";
import type { WorkerPool } from "./worker_pool.ts";

/** Whether the end of a worker's pass can have consequences elsewhere, whatever ends there. */
export function isAwaited(worker: Worker): boolean {
  if (worker.putOff > 0) return true;
  for (let i = 0; i < worker.made.length; i++) if (worker.made[i].pendingDestinations > 0) return true;
  return false;
}

/** The workers of a disaggregated cluster, as one of its decode workers sees them. */
export class RunAlone {
  readonly #prefill: WorkerPool;
  readonly #decode: WorkerPool;
  readonly #endsMatter: boolean;
  readonly #staysQuiet: boolean;

  /**
   * @param endsMatter the end of a request can cause an arrival
   * @param staysQuiet workers stay behind while nothing ends there, so that none has to go on alone beside others
   */
  constructor(prefill: WorkerPool, decode: WorkerPool, endsMatter: boolean, staysQuiet: boolean) {
    this.#prefill = prefill;
    this.#decode = decode;
    this.#endsMatter = endsMatter;
    this.#staysQuiet = staysQuiet;
  }

  /** @param untilMs when something happens next that no worker brings about */
  until(worker: Worker, now: number, untilMs: number): number {
    if (worker.size > 1 || worker.made[0].pendingDestinations > 0) return now;
    const prefill = this.#prefill, decode = this.#decode;
    let until = untilMs;
    for (let other = decode.awakeFrom(0); other !== undefined; other = decode.awakeFrom(other.id + 1)) {
      if (other === worker) continue;
      if (this.#staysQuiet && other.inFlight) return now;
      if (!this.#endsMatter && !isAwaited(other)) continue;
      if (other.inFlight) until = Math.min(until, other.endMs);
      else if (other.ready) return now;
    }
    for (let other = prefill.awakeFrom(0); other !== undefined; other = prefill.awakeFrom(other.id + 1)) {
      if (other.inFlight) until = Math.min(until, other.endMs);
      else if (other.ready) return now;
    }
    return until;
  }
}
