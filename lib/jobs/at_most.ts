/**
 * An executor that is asked for less at a time than it could do.
 *
 * @module
 */
import type { Executor, JobKind, JobRunner } from "./job.ts";

/** The same executor, said to do so many jobs at once: what is asked then does not depend on how many it could do. */
export const atMost = (parallel: number, executor: Executor): Executor => ({
  parallel,
  open<Setup, Data, Result>(kind: JobKind, setup: Setup): JobRunner<Data, Result> {
    const runner = executor.open<Setup, Data, Result>(kind, setup);
    return { parallel, do: (job, options) => runner.do(job, options), close: () => runner.close() };
  },
});
