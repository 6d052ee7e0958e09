/**
 * Runs the sweeps of a retune: batch after batch on workers (or here, when there is room for one), within the time
 * limit of a sweep.
 *
 * @module
 */
import { type BatchOptions, type BatchResult, runBatch } from "../jobs/batch.ts";
import type { JobRunner } from "../jobs/job.ts";
import { sweepSteps } from "../retune/sweep.ts";
import type { SweepAnswer, SweepOutcome, SweepPlan, SweepTask } from "../retune/types.ts";

/** Whoever does the tasks. */
export interface TaskRunner {
  run(tasks: readonly SweepTask[], options: BatchOptions): Promise<BatchResult<SweepAnswer>>;
}

/** Does the tasks of sweeps with a runner of jobs. */
export const onRunner = (runner: JobRunner<SweepTask, SweepAnswer>): TaskRunner => ({
  run: (tasks, options) => runBatch(runner, tasks, options),
});

/** Options of {@linkcode runSweepOn}. */
export interface SweepOptions {
  /** Wall-clock limit of the whole sweep in seconds. */
  timeoutSeconds: number;
  signal?: AbortSignal;
  /** Told how many candidates were replayed, and how many are known of. */
  onCandidates?: (done: number, known: number) => void;
  /** Milliseconds on the host's clock. */
  hostMs?: () => number;
}

/**
 * Runs one sweep to its end.
 *
 * @throws the reason of the signal, when it is aborted
 */
export async function runSweepOn(
  runner: TaskRunner,
  plan: SweepPlan,
  { timeoutSeconds, signal, onCandidates, hostMs = () => performance.now() }: SweepOptions,
): Promise<SweepOutcome> {
  const startedMs = hostMs();
  const wallSeconds = () => (hostMs() - startedMs) / 1000;
  const steps = sweepSteps(plan);
  let earlier = 0;
  let step = steps.next();
  while (!step.done) {
    const left = timeoutSeconds - wallSeconds(), before = earlier;
    earlier += step.value.length;
    const onDone = (done: number) => onCandidates?.(before + done, earlier);
    onDone(0);
    const batch = left > 0
      ? await runner.run(step.value, { timeoutSeconds: left, onDone, signal })
      : { status: "timeout" as const };
    if (batch.status !== "done") return { ...batch, wallSeconds: wallSeconds() };
    step = steps.next(batch.results);
  }
  return { status: "done", findings: step.value, wallSeconds: wallSeconds() };
}
