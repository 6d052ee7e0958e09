/**
 * Jobs: independent pieces of work in plain data, and whoever does them. A search or a sweep makes jobs and awaits their
 * outcomes; whether they run here, in threads or on other machines is the {@linkcode Executor}'s business.
 *
 * @module
 */

/** Tells a job that runs in this thread when to stop by itself. */
export interface JobControl {
  /** True once the job's time is up. Cheap enough to ask now and then. */
  expired(): boolean;
}

/** Does one job. */
export type JobFunction<Data, Result> = (data: Data, control: JobControl) => Result | Promise<Result>;

/** What a module of jobs exports. `prepare` is called once per worker. */
export interface JobModule<Setup, Data, Result> {
  /** Makes ready what all jobs share and answers the function that does them. */
  prepare(setup: Setup): JobFunction<Data, Result> | Promise<JobFunction<Data, Result>>;
}

/** A kind of job: a name that means the same on every machine, and the module that does it here. */
export interface JobKind {
  /** Its name. */
  readonly name: string;
  /** The module, which exports a {@linkcode JobModule}. */
  readonly module: URL;
}

/** One job. Its data are plain: they can be cloned into a thread or written to a queue. */
export interface Job<Data> {
  /**
   * Digest of everything that the result depends on, so that equal jobs have equal names; null for jobs that are never
   * looked up again.
   */
  readonly id: string | null;
  /** What is asked. */
  readonly data: Data;
}

/** How a job ended. */
export type Outcome<Result> =
  | { status: "done"; result: Result }
  | { status: "failed"; reason: string }
  | { status: "timeout" };

/** Options of one job. */
export interface JobOptions {
  /** Wall-clock limit in seconds, from the moment it starts; unlimited when absent. */
  timeoutSeconds?: number;
  /** Ends it; `do` then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** Does jobs of one kind with one setup. */
export interface JobRunner<Data, Result> {
  /** Jobs that run at once; more wait. */
  readonly parallel: number;
  /**
   * Does a job. Jobs start in the order in which they are handed in.
   *
   * @throws the reason of the signal, when it is aborted
   */
  do(job: Job<Data>, options?: JobOptions): Promise<Outcome<Result>>;
  /** Ends everything. The runner may be used again; it then starts anew. */
  close(): void;
}

/** Where jobs run. */
export interface Executor {
  /** Jobs that run at once. */
  readonly parallel: number;
  /** Jobs run on other machines: small questions are better answered here. Default false. */
  readonly remote?: boolean;
  /** Opens a runner for jobs of a kind; `setup` is plain data too. */
  open<Setup, Data, Result>(kind: JobKind, setup: Setup): JobRunner<Data, Result>;
}

/**
 * A job function throws this to say that it stopped because its time was up.
 *
 * @example
 * ```ts
 * import { JobExpired, type JobFunction } from "dynosim";
 *
 * const sumTo: JobFunction<number, number> = (most, { expired }) => {
 *   let sum = 0;
 *   for (let i = 1; i <= most; i++) {
 *     if (expired()) throw new JobExpired();
 *     sum += i;
 *   }
 *   return sum;
 * };
 * console.log(await sumTo(10, { expired: () => false })); // 55
 * ```
 */
export class JobExpired extends Error {
  /** The class by name. */
  override readonly name = "JobExpired";
}

/** What is told of a problem. */
export const reasonOf = (problem: unknown): string => problem instanceof Error ? problem.message : String(problem);
