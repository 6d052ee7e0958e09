/**
 * Jobs in this thread, one after the other.
 *
 * @module
 */
import {
  type Executor,
  type Job,
  JobExpired,
  type JobFunction,
  type JobKind,
  type JobModule,
  type JobOptions,
  type JobRunner,
  type Outcome,
  reasonOf,
} from "./job.ts";
import { pause } from "../io/timers.ts";
import { WaitingLine } from "./waiting_line.ts";

class InlineRunner<Setup, Data, Result> implements JobRunner<Data, Result> {
  readonly parallel = 1;
  readonly #kind: JobKind;
  readonly #setup: Setup;
  readonly #line = new WaitingLine(1);
  #work: Promise<JobFunction<Data, Result>> | null = null;

  constructor(kind: JobKind, setup: Setup) {
    this.#kind = kind;
    this.#setup = setup;
  }

  async do({ data }: Job<Data>, { timeoutSeconds = Infinity, signal }: JobOptions = {}): Promise<Outcome<Result>> {
    signal?.throwIfAborted();
    await this.#line.enter();
    try {
      // a turn of the event loop lets a pending abort through
      await pause();
      signal?.throwIfAborted();
      const deadline = performance.now() + timeoutSeconds * 1000;
      const expired = () => performance.now() > deadline || signal?.aborted === true;
      this.#work ??= import(this.#kind.module.href)
        .then((module: JobModule<Setup, Data, Result>) => module.prepare(this.#setup));
      const result = await (await this.#work)(data, { expired });
      return expired() ? { status: "timeout" } : { status: "done", result };
    } catch (problem) {
      if (signal?.aborted) throw signal.reason;
      return problem instanceof JobExpired ? { status: "timeout" } : { status: "failed", reason: reasonOf(problem) };
    } finally {
      this.#line.leave();
    }
  }

  close(): void {}
}

/**
 * Runs jobs in this thread.
 *
 * @example
 * ```ts
 * import { inline } from "dynosim";
 *
 * console.log(inline().parallel); // 1
 * ```
 */
export const inline = (): Executor => ({
  parallel: 1,
  open: <Setup, Data, Result>(kind: JobKind, setup: Setup) => new InlineRunner<Setup, Data, Result>(kind, setup),
});
