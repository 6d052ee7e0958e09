/**
 * Drives a simulation from the asynchronous world: shows progress, lets signals through, does the work a policy leaves
 * outside the core. Nothing here knows what is simulated.
 *
 * @module
 */
import { every, pause } from "../io/timers.ts";
import { isPending, type Progress } from "../cluster/spec.ts";
import type { Pending } from "../planner/policy.ts";
import type { Report } from "../report/report.ts";

/** How far a run is. */
export interface RunProgress {
  /** Requests that ended. */
  requestsDone: number;
  /** Requests of the load; grows while agents go on. */
  requestsTotal: number;
  /** Virtual time. */
  virtualMs: number;
  /** The sweep of a retune that is going on: candidates replayed, and those known of. Null or absent outside of sweeps. */
  sweep?: { done: number; known: number } | null;
}

/** Options of a {@linkcode Driver}. */
export interface DriveOptions {
  /** Requests of the load, for progress. */
  requestsTotal: number;
  /** Called now and then; what it throws ends the run. */
  onProgress?: (progress: RunProgress) => void;
  /** Ends the run with its reason. */
  signal?: AbortSignal;
  /** Does work that a policy leaves to its driver, and tells how far it is; the signal ends it. */
  work?: (pending: Pending, signal: AbortSignal, onCandidates: (done: number, known: number) => void) => Promise<void>;
}

/** Host time after which a run lets other events of the process through. */
const PAUSE_EVERY_MS = 100;

/** Drives one run. */
export class Driver {
  readonly #run: Generator<Progress | Pending, Report>;
  readonly #options: DriveOptions;
  #pausedMs = performance.now();
  #progress: RunProgress;

  constructor(run: Generator<Progress | Pending, Report>, options: DriveOptions) {
    this.#run = run;
    this.#options = options;
    this.#progress = { requestsDone: 0, requestsTotal: options.requestsTotal, virtualMs: 0 };
  }

  /**
   * Goes on to the next thing the run yields, and does what has to be done there.
   *
   * @returns the report, once the run is over
   */
  async step(): Promise<Report | null> {
    const step = this.#run.next();
    if (step.done) return step.value;
    const { signal } = this.#options;
    signal?.throwIfAborted();
    if (isPending(step.value)) {
      await this.#work(step.value);
    } else if (performance.now() - this.#pausedMs < PAUSE_EVERY_MS) {
      return null;
    } else {
      const { ended, virtualMs } = step.value;
      this.#progress = { ...this.#progress, requestsDone: ended, virtualMs };
      this.#look();
      await pause();
      signal?.throwIfAborted();
    }
    this.#pausedMs = performance.now();
    return null;
  }

  #look(): void {
    this.#options.onProgress?.(this.#progress);
  }

  /** Does pending work while progress goes on being told; what that throws ends the work. */
  async #work(pending: Pending): Promise<void> {
    const { work, signal } = this.#options;
    if (work === undefined) throw new TypeError("the policy leaves work to a driver that does none");
    const stop = new AbortController();
    const end = every(PAUSE_EVERY_MS, () => {
      try {
        this.#look();
      } catch (reason) {
        stop.abort(reason);
      }
    });
    try {
      await work(pending, signal ? AbortSignal.any([signal, stop.signal]) : stop.signal, (done, known) => {
        this.#progress = { ...this.#progress, sweep: { done, known } };
      });
    } finally {
      end();
    }
    this.#progress = { ...this.#progress, sweep: null };
    this.#look();
    signal?.throwIfAborted();
  }
}
