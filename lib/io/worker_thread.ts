/**
 * A thread that does one job at a time. One that dies answers with its reason, never with silence.
 *
 * The module it is told exports `prepare(setup)`, which may be asynchronous and returns the function that does one job.
 * Setup, jobs and results are structured clones; typed arrays over a `SharedArrayBuffer` are shared, not copied.
 * `node:worker_threads` is loaded with the first thread.
 *
 * @module
 */

/** The part of a `node:worker_threads` worker that is used here. */
interface Thread {
  postMessage(value: unknown): void;
  on(event: "message" | "error" | "exit", listener: (value: any) => void): void;
  terminate(): Promise<unknown>;
}

/** What a thread answers to a job. */
export type ThreadAnswer =
  | { result: unknown }
  /** `fatal`: the thread cannot go on; `unloadable`: it could not load its module. */
  | { failure: string; fatal?: boolean; unloadable?: boolean };

/** What a thread is made of. */
export interface ThreadOptions {
  /** URL of the module of jobs. */
  module: URL;
  /** Given to its `prepare`. */
  setup: unknown;
  /** Most JavaScript heap (typed arrays aside); more ends the thread instead of the process. */
  heapMegabytes: number;
}

const reasonOf = (problem: unknown) => problem instanceof Error ? problem.message : String(problem);

/** A worker thread that does one job at a time. */
export class WorkerThread {
  readonly #thread: Thread;
  #settle: ((answer: ThreadAnswer) => void) | null = null;
  /** Why the thread is gone; null while it lives. */
  death: string | null = null;

  private constructor(thread: Thread) {
    this.#thread = thread;
    thread.on("message", (answer: ThreadAnswer) => {
      if ("failure" in answer && answer.fatal) this.stop(answer.failure);
      else this.#answer(answer);
    });
    thread.on("error", (problem) => this.#die(`a worker failed: ${reasonOf(problem)}`));
    thread.on("exit", (code) => this.#die(`a worker ended with exit code ${code}`));
  }

  /** Starts a thread; its module is loaded with the first job. */
  static async start({ module, setup, heapMegabytes }: ThreadOptions): Promise<WorkerThread> {
    const { Worker } = await import("node:worker_threads");
    const worker = new Worker(new URL("./worker_entry.ts", import.meta.url), {
      workerData: { module: module.href, setup },
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    return new WorkerThread(worker as unknown as Thread);
  }

  /** Does a job. The thread must be idle. */
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
