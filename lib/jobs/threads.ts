/**
 * Jobs in worker threads, which stay alive between jobs (they are warm then). A thread that dies is a failed job with its
 * reason; one whose job took too long is ended.
 *
 * @module
 */
import { checkNumber, checkOptions, type OptionNames } from "../errors.ts";
import { after } from "../io/timers.ts";
import { WorkerThread } from "../io/worker_thread.ts";
import {
  type Executor,
  type Job,
  type JobKind,
  type JobOptions,
  type JobRunner,
  type Outcome,
  reasonOf,
} from "./job.ts";
import { inline } from "./inline.ts";
import { WaitingLine } from "./waiting_line.ts";

/** Options of {@linkcode threads}. */
export interface ThreadsOptions {
  /** Most JavaScript heap of one thread in megabytes (typed arrays aside). Default 2048. */
  heapMegabytes?: number;
  /** Takes a thread even when there is room for one job only, so that it can be ended. Default false. */
  always?: boolean;
}

class ThreadRunner<Setup, Data, Result> implements JobRunner<Data, Result> {
  readonly parallel: number;
  readonly #start: () => Promise<WorkerThread>;
  /** Does the jobs where threads cannot load what the main thread can (Bun without installed packages). */
  readonly #here: JobRunner<Data, Result>;
  #threadsLoad = true;
  readonly #line: WaitingLine;
  #idle: WorkerThread[] = [];

  constructor(parallel: number, start: () => Promise<WorkerThread>, here: JobRunner<Data, Result>) {
    this.parallel = parallel;
    this.#here = here;
    this.#start = start;
    this.#line = new WaitingLine(parallel);
  }

  async do(job: Job<Data>, options: JobOptions = {}): Promise<Outcome<Result>> {
    const { timeoutSeconds, signal } = options;
    signal?.throwIfAborted();
    await this.#line.enter();
    try {
      signal?.throwIfAborted();
      const outcome = this.#threadsLoad
        ? await this.#run(await this.#thread(), job.data, timeoutSeconds, signal)
        : await this.#here.do(job, options);
      return outcome ?? await this.#here.do(job, options);
    } catch (problem) {
      if (signal?.aborted) throw signal.reason;
      return { status: "failed", reason: reasonOf(problem) };
    } finally {
      this.#line.leave();
    }
  }

  async #run(
    thread: WorkerThread,
    data: Data,
    timeoutSeconds: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<Result> | null> {
    let late = false;
    const abort = () => thread.stop();
    signal?.addEventListener("abort", abort);
    const disarm = timeoutSeconds === undefined ? () => {} : after(timeoutSeconds * 1000, () => {
      late = true;
      thread.stop();
    });
    try {
      const answer = await thread.do(data);
      if (signal?.aborted) throw signal.reason;
      if (late) return { status: "timeout" };
      if ("failure" in answer && answer.unloadable) {
        this.#threadsLoad = false;
        return null;
      }
      return "failure" in answer
        ? { status: "failed", reason: answer.failure }
        : { status: "done", result: answer.result as Result };
    } finally {
      disarm();
      signal?.removeEventListener("abort", abort);
      if (thread.death === null) this.#idle.push(thread);
    }
  }

  /** A thread that waits for a job; a new one when none does. */
  async #thread(): Promise<WorkerThread> {
    this.#idle = this.#idle.filter(({ death }) => death === null);
    return this.#idle.pop() ?? await this.#start();
  }

  close(): void {
    for (const thread of this.#idle) thread.stop();
    this.#idle = [];
  }
}

/**
 * Runs up to `parallel` jobs at once; with room for one there is no thread, jobs run here, with the same results.
 *
 * @example
 * ```ts
 * import { threads } from "dynosim";
 *
 * console.log(threads(4).parallel); // 4
 * ```
 */
export function threads(parallel: number, options: ThreadsOptions = {}): Executor {
  checkOptions("threads()", options, { heapMegabytes: true, always: true } satisfies OptionNames<ThreadsOptions>);
  const { heapMegabytes = 2048, always = false } = options;
  checkNumber("threads(): parallel", parallel, { least: 0, whole: true });
  checkNumber("threads(): heapMegabytes", heapMegabytes, { least: 1 });
  if (parallel <= 1 && !always) return inline();
  return {
    parallel,
    open: <Setup, Data, Result>(kind: JobKind, setup: Setup) =>
      new ThreadRunner<Setup, Data, Result>(
        parallel,
        () => WorkerThread.start({ module: kind.module, setup, heapMegabytes }),
        inline().open<Setup, Data, Result>(kind, setup),
      ),
  };
}
