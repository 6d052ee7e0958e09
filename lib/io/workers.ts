/**
 * Running independent jobs in worker threads: at most so many at once, within a time limit, and never a hang. A worker
 * that dies is a failed job with its reason. Workers stay alive between batches (they are warm then) until the pool is
 * closed. With room for one there is no worker: jobs run here, with the same results.
 *
 * A job module exports `prepare(setup)`, which may be asynchronous and returns the function that does one job. Setup,
 * jobs and results are structured clones; typed arrays over a `SharedArrayBuffer` are shared, not copied.
 *
 * @module
 */

/** Tells a job that runs in this thread when to stop by itself. */
export interface JobControl {
  /** True once the time limit of the batch has passed. Cheap enough to ask now and then. */
  expired(): boolean;
}

/** Does one job. */
export type JobFunction<Job, Result> = (job: Job, control: JobControl) => Result | Promise<Result>;

/** What a module of jobs exports. */
export interface JobModule<Setup, Job, Result> {
  prepare(setup: Setup): JobFunction<Job, Result> | Promise<JobFunction<Job, Result>>;
}

/** Results of a batch in the order of its jobs, or why there are none. */
export type BatchResult<Result> =
  | { status: "done"; results: Result[] }
  | { status: "timeout" }
  | { status: "failed"; reason: string };

/** Options of one batch. */
export interface BatchOptions {
  /** Wall-clock limit in seconds; unlimited when absent. */
  timeoutSeconds?: number;
  /** Ends everything; `run` then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A job function throws this to say that it stopped because its time was up. */
export class JobExpired extends Error {
  override readonly name = "JobExpired";
}

/** The part of a `node:worker_threads` worker that is used here. */
interface Thread {
  postMessage(value: unknown): void;
  on(event: "message" | "error" | "exit", listener: (value: any) => void): void;
  terminate(): Promise<unknown>;
}

/** What a thread answers to a job. */
export type ThreadAnswer = { result: unknown } | { failure: string; fatal?: boolean };

/** Timers that are longer fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const reasonOf = (problem: unknown) => problem instanceof Error ? problem.message : String(problem);

/** A worker thread that does one job at a time. */
class Hand {
  readonly #thread: Thread;
  #settle: ((answer: ThreadAnswer) => void) | null = null;
  /** Why the thread is gone; null while it lives. */
  death: string | null = null;

  constructor(thread: Thread) {
    this.#thread = thread;
    thread.on("message", (answer: ThreadAnswer) => {
      if ("failure" in answer && answer.fatal) this.stop(answer.failure);
      else this.#answer(answer);
    });
    thread.on("error", (problem) => this.#die(`a worker failed: ${reasonOf(problem)}`));
    thread.on("exit", (code) => this.#die(`a worker ended with exit code ${code}`));
  }

  do(job: unknown): Promise<ThreadAnswer> {
    if (this.death !== null) return Promise.resolve({ failure: this.death });
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#thread.postMessage(job);
    });
  }

  /** Ends the thread at once, whatever it is doing. */
  stop(reason = "a worker was stopped"): void {
    this.#die(reason);
    void this.#thread.terminate();
  }

  #answer(answer: ThreadAnswer): void {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(answer);
  }

  #die(reason: string): void {
    this.death ??= reason;
    this.#answer({ failure: this.death });
  }
}

/** Options of a {@linkcode WorkerPool}. */
export interface WorkerPoolOptions<Setup> {
  /** URL of the job module. */
  module: URL;
  /** Given to `prepare` once per worker. */
  setup: Setup;
  /** Jobs at once; 1 runs them in this thread. */
  maxParallel: number;
  /** Most JavaScript heap of one worker (typed arrays aside); more ends the worker instead of the process. Default 2048. */
  heapMegabytes?: number;
}

/**
 * Runs batches of jobs, see the module comment.
 *
 * ```ts ignore
 * const pool = new WorkerPool<Setup, Job, number>({ module, setup, maxParallel: 4 });
 * const batch = await pool.run(jobs, { timeoutSeconds: 60 });
 * pool.close();
 * ```
 */
export class WorkerPool<Setup, Job, Result> {
  readonly #options: WorkerPoolOptions<Setup>;
  #idle: Hand[] = [];
  #here: Promise<JobFunction<Job, Result>> | null = null;

  constructor(options: WorkerPoolOptions<Setup>) {
    this.#options = options;
  }

  /**
   * Runs all jobs, at most `maxParallel` at once, started in order. After a failure no further job is started; of
   * several failures the first job's counts, so the outcome does not depend on which worker was faster.
   *
   * @throws the reason of the signal, when it is aborted
   */
  async run(jobs: readonly Job[], options: BatchOptions = {}): Promise<BatchResult<Result>> {
    options.signal?.throwIfAborted();
    if (jobs.length === 0) return { status: "done", results: [] };
    if (this.#options.maxParallel === 1) return await this.#runHere(jobs, options);
    return await this.#runInWorkers(jobs, options);
  }

  /** Ends all workers. The pool may be used again; it then starts new ones. */
  close(): void {
    for (const hand of this.#idle) hand.stop();
    this.#idle = [];
  }

  async #runHere(jobs: readonly Job[], { timeoutSeconds, signal }: BatchOptions): Promise<BatchResult<Result>> {
    const deadline = performance.now() + (timeoutSeconds ?? Infinity) * 1000;
    const expired = () => performance.now() > deadline;
    const results: Result[] = [];
    try {
      const { module, setup } = this.#options;
      this.#here ??= import(module.href).then((jobModule: JobModule<Setup, Job, Result>) => jobModule.prepare(setup));
      const work = await this.#here;
      for (const job of jobs) {
        // A turn of the event loop lets a pending abort through.
        await new Promise((resume) => setTimeout(resume, 0));
        signal?.throwIfAborted();
        if (expired()) return { status: "timeout" };
        results.push(await work(job, { expired }));
      }
    } catch (problem) {
      if (signal?.aborted) throw signal.reason;
      return problem instanceof JobExpired ? { status: "timeout" } : { status: "failed", reason: reasonOf(problem) };
    }
    return expired() ? { status: "timeout" } : { status: "done", results };
  }

  async #runInWorkers(jobs: readonly Job[], { timeoutSeconds, signal }: BatchOptions): Promise<BatchResult<Result>> {
    const busy = new Set<Hand>();
    const results: Result[] = new Array(jobs.length);
    let next = 0, failedJob = jobs.length, reason = "";
    let ended: "timeout" | "aborted" | null = null;
    const stop = (why: "timeout" | "aborted") => {
      ended ??= why;
      for (const hand of busy) hand.stop();
    };
    const fail = (job: number, why: string) => {
      if (job < failedJob) [failedJob, reason] = [job, why];
    };
    const runner = async () => {
      while (next < jobs.length && ended === null && failedJob === jobs.length) {
        const job = next++;
        try {
          const hand = await this.#hand();
          busy.add(hand);
          if (ended !== null) hand.stop();
          const answer = await hand.do(jobs[job]);
          busy.delete(hand);
          if (hand.death === null) this.#idle.push(hand);
          if ("failure" in answer) fail(job, answer.failure);
          else results[job] = answer.result as Result;
        } catch (problem) {
          fail(job, reasonOf(problem));
        }
      }
    };
    const abort = () => stop("aborted");
    signal?.addEventListener("abort", abort);
    const timer = timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => stop("timeout"), Math.min(timeoutSeconds * 1000, LONGEST_TIMER_MS));
    try {
      await Promise.all(Array.from({ length: Math.min(this.#options.maxParallel, jobs.length) }, runner));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      if (ended !== null) this.close();
    }
    if (signal?.aborted) throw signal.reason;
    if (ended !== null) return { status: "timeout" };
    return failedJob < jobs.length ? { status: "failed", reason } : { status: "done", results };
  }

  /** A worker that waits for a job; a new one when none does. */
  async #hand(): Promise<Hand> {
    this.#idle = this.#idle.filter((hand) => hand.death === null);
    const idle = this.#idle.pop();
    if (idle) return idle;
    const { Worker } = await import("node:worker_threads");
    const { module, setup, heapMegabytes = 2048 } = this.#options;
    const worker = new Worker(new URL("./worker_entry.ts", import.meta.url), {
      workerData: { module: module.href, setup },
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    return new Hand(worker as unknown as Thread);
  }
}
