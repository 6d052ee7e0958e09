/**
 * Workers that are left behind a cluster's clock, and brought to it when somebody looks at them.
 *
 * @module
 */
import { SimulationError } from "../errors.ts";
import type { Worker } from "./worker.ts";
import type { WorkerPool } from "./worker_pool.ts";

/** The workers of one pool that may lag. */
export class Laggards {
  readonly #pool: WorkerPool;
  /** Whether a worker lags now. */
  readonly #lags: (worker: Worker) => boolean;
  /** Who is being brought to another time. */
  #moving: Worker | null = null;
  /** Passes that start then have been started on the workers up to this one, or are being started on it. */
  #startedMs = -Infinity;
  #startedId = Infinity;
  /** Passes that end now have been ended on the workers up to this one. */
  #endingId = Infinity;

  constructor(pool: WorkerPool, lags: (worker: Worker) => boolean) {
    this.#pool = pool;
    this.#lags = lags;
  }

  /** Brings a worker to `now`; a pass that starts there is started too when `inclusive`. */
  advance(worker: Worker, now: number, inclusive: boolean): void {
    this.#moving = worker;
    worker.advance(now, inclusive);
    this.#moving = null;
  }

  /**
   * In lock step: at `now` passes are being started, lowest worker first, and it is the turn of `id`; `Infinity` when all
   * have had theirs.
   */
  starting(now: number, id: number): void {
    if (this.#startedMs !== now) this.#startedId = -1;
    this.#startedMs = now;
    // After a pass that took no time it is the turn of a lower worker again; those in between have started theirs.
    if (id > this.#startedId) this.#startedId = id;
  }

  /** In lock step: whether a pass of a worker that could start at `now` has been started. */
  started(worker: Worker, now: number): boolean {
    return this.#startedMs === now && worker.id <= this.#startedId;
  }

  /** In lock step: passes are being ended, lowest worker first, and it is the turn of `id`; `Infinity` when it is over. */
  ending(id: number): void {
    this.#endingId = id;
  }

  /**
   * In lock step: brings a worker that something is about to reach to where it would be at this point of the instant
   * `now` if it had not been left behind: a pass that ends then is in flight until its turn comes, and the next one is
   * started when its turn has come.
   */
  catchUp(worker: Worker, now: number): void {
    if (worker.id > this.#endingId) worker.advanceBefore(now);
    else this.advance(worker, now, this.started(worker, now));
  }

  /** In lock step: brings all of them to `now`, and lets none stay behind until its next pass. */
  wakeAll(now: number): void {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(0); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
      if (!this.#lags(worker)) continue;
      this.advance(worker, now, true);
      worker.quietUntilMs = -Infinity;
    }
  }

  /** Brings all of them to `now`. */
  advanceAll(now: number, inclusive: boolean): void {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(0); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
      if (this.#lags(worker)) this.advance(worker, now, inclusive);
    }
  }

  /** When the first of them has something to do; `Infinity` when none has. */
  get nextMs(): number {
    const pool = this.#pool;
    let next = Infinity;
    for (let worker = pool.awakeFrom(0); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
      if (!this.#lags(worker)) continue;
      if (worker.inFlight) next = Math.min(next, worker.endMs);
      else if (worker.ready) next = Math.min(next, worker.freeAtMs);
    }
    return next;
  }

  /** When something happened last on any worker of the pool. */
  get lastEventMs(): number {
    let last = 0;
    for (const worker of this.#pool.workers) last = Math.max(last, worker.lastEventMs);
    return last;
  }

  /** Of a failure at `now`, or of the worker that was being advanced, and those that others would have met before: the first. */
  firstFailure(failure: unknown, now: number): unknown {
    const failed = this.#moving;
    if (!(failure instanceof SimulationError)) return failure;
    let first: unknown = failure, until = failed?.startedMs ?? now, lowest = failed?.id ?? -1;
    for (const worker of this.#pool.workers) {
      if (worker === failed || !this.#lags(worker)) continue;
      try {
        worker.advance(until, worker.id < lowest);
      } catch (earlier) {
        first = earlier;
        until = worker.startedMs;
        lowest = worker.id;
      }
    }
    return first;
  }
}
