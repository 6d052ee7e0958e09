/**
 * Drives a simulation from the asynchronous world: shows progress, lets signals through, does the work a policy leaves
 * outside the core. Nothing here knows what is simulated.
 *
 * @module
 */
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
}

/** Options of {@linkcode drive}. */
export interface DriveOptions {
  /** Requests of the load, for progress. */
  requestsTotal: number;
  /** Called now and then; what it throws ends the run. */
  onProgress?: (progress: RunProgress) => void;
  /** Ends the run with its reason. */
  signal?: AbortSignal;
  /** Does work that a policy leaves to its driver; the signal ends it. */
  work?: (pending: Pending, signal: AbortSignal) => Promise<void>;
}

/** Host time after which a run lets other events of the process through. */
const YIELD_EVERY_MS = 50;

/** Runs a simulation to its report. */
export async function drive(
  run: Generator<Progress | Pending, Report>,
  { requestsTotal, onProgress, signal, work }: DriveOptions,
): Promise<Report> {
  let yieldedAt = performance.now();
  let progress: RunProgress = { requestsDone: 0, requestsTotal, virtualMs: 0 };
  for (;;) {
    const step = run.next();
    if (step.done) return step.value;
    signal?.throwIfAborted();
    if (isPending(step.value)) {
      if (work === undefined) throw new TypeError("the policy leaves work to a driver that does none");
      await watched(step.value, work, () => onProgress?.(progress), signal);
      yieldedAt = performance.now();
      continue;
    }
    if (performance.now() - yieldedAt < YIELD_EVERY_MS) continue;
    progress = { requestsDone: step.value.ended, requestsTotal, virtualMs: step.value.virtualMs };
    onProgress?.(progress);
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    yieldedAt = performance.now();
  }
}

/** Does pending work while `look` goes on being called; what it throws ends the work. */
async function watched(
  pending: Pending,
  work: NonNullable<DriveOptions["work"]>,
  look: () => void,
  signal?: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const timer = setInterval(() => {
    try {
      look();
    } catch (reason) {
      stop.abort(reason);
    }
  }, YIELD_EVERY_MS);
  try {
    await work(pending, signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
  } finally {
    clearInterval(timer);
  }
  look();
  signal?.throwIfAborted();
}
