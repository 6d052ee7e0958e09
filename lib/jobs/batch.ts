/**
 * Batches: all results or none, within one time limit.
 *
 * @module
 */
import type { JobRunner } from "./job.ts";

/** Results of a batch in the order of its jobs, or why there are none. */
export type BatchResult<Result> =
  | { status: "done"; results: Result[] }
  | { status: "timeout" }
  | { status: "failed"; reason: string };

/** Options of one batch. */
export interface BatchOptions {
  /** Wall-clock limit of the whole batch in seconds; unlimited when absent. */
  timeoutSeconds?: number;
  /** Called when a job is done, with how many are. */
  onDone?: (done: number) => void;
  /** Ends everything; the batch then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Does all jobs, started in order. After a failure no further job is started; of several failures the first job's
 * counts, so the outcome does not depend on which worker was faster.
 *
 * @throws the reason of the signal, when it is aborted
 */
export async function runBatch<Data, Result>(
  runner: JobRunner<Data, Result>,
  jobs: readonly Data[],
  { timeoutSeconds = Infinity, onDone, signal }: BatchOptions = {},
): Promise<BatchResult<Result>> {
  signal?.throwIfAborted();
  const deadline = performance.now() + timeoutSeconds * 1000;
  const results: Result[] = new Array(jobs.length);
  let next = 0, done = 0, failedJob = jobs.length, reason = "", late = false;
  const work = async () => {
    while (next < jobs.length && !late && failedJob === jobs.length) {
      const index = next++;
      const left = (deadline - performance.now()) / 1000;
      const outcome = left > 0
        ? await runner.do({ id: null, data: jobs[index] }, { timeoutSeconds: left, signal })
        : { status: "timeout" as const };
      if (outcome.status === "done") {
        results[index] = outcome.result;
        onDone?.(++done);
      } else if (outcome.status === "timeout") late = true;
      else if (index < failedJob) [failedJob, reason] = [index, outcome.reason];
    }
  };
  await Promise.all(Array.from({ length: Math.min(runner.parallel, jobs.length) }, work));
  signal?.throwIfAborted();
  if (late) return { status: "timeout" };
  return failedJob < jobs.length ? { status: "failed", reason } : { status: "done", results };
}
