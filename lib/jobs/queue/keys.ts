/**
 * Names in Redis. All of them begin with `dynosim:`; those of a run begin with its name, so that a run can be removed as
 * a whole. Everything has an expiry, in case nobody is left to remove it.
 *
 * @module
 */
import type { Redis } from "ioredis";

/** What all names begin with. */
export const PREFIX = "dynosim";
/** Set of the runs that want workers. */
export const RUNS: string = `${PREFIX}:runs`;
/** Set of the workers that were here lately. */
export const WORKERS: string = `${PREFIX}:workers`;
/** What a worker says of itself; gone soon after the worker is. */
export const workerKey = (worker: string): string => `${PREFIX}:worker:${worker}`;

/** Seconds after which what nobody uses is gone. */
export const KEPT_SECONDS = 86_400;

/** Names of a run. */
export class RunKeys {
  constructor(readonly run: string) {}

  #name(part: string): string {
    return `${PREFIX}:${this.run}:${part}`;
  }

  /** What it is: there as long as the run goes on. */
  get card(): string {
    return this.#name("card");
  }
  /** Hash: outcome by task. */
  get results(): string {
    return this.#name("results");
  }
  /** List: tasks whose outcome is new. */
  get news(): string {
    return this.#name("news");
  }
  /** Hash: by task, the workers that began it and did not end it. */
  get starts(): string {
    return this.#name("starts");
  }
  /** Hash: by worker, why it cannot do the run. */
  get declined(): string {
    return this.#name("declined");
  }
  /** Set: workers that take jobs of the run. */
  get members(): string {
    return this.#name("members");
  }
  /** Set: digests of files that workers ask for. */
  get wanted(): string {
    return this.#name("wanted");
  }
  /** Hash: by digest of a file, why workers do not get it here. */
  get withheld(): string {
    return this.#name("withheld");
  }
  /** Hash: pieces of a file, and their number. */
  file(sha256: string): string {
    return this.#name(`file-${sha256}`);
  }
  /** A coordinator of the run; gone soon after it is. */
  coordinator(id: string): string {
    return this.#name(`coordinator-${id}`);
  }
  /** A job of BullMQ. */
  job(id: string): string {
    return this.#name(id);
  }
  /** BullMQ's sign that a worker holds a job. */
  lock(id: string): string {
    return this.#name(`${id}:lock`);
  }
  /** BullMQ's list of jobs that wait. */
  get waiting(): string {
    return this.#name("wait");
  }
  /** BullMQ's list of jobs that were taken. */
  get active(): string {
    return this.#name("active");
  }
  /** What BullMQ keeps for a queue. */
  get bookkeeping(): string[] {
    return ["wait", "active", "paused", "stalled", "id", "meta", "events", "marker", "delayed", "failed", "completed"]
      .map((part) => this.#name(part));
  }
  /** Pattern of all names of the run. */
  get all(): string {
    return this.#name("*");
  }
}

/** Names that begin like this. */
export async function keysLike(redis: Redis, pattern: string): Promise<string[]> {
  const found = new Set<string>();
  let cursor = "0";
  do {
    const [next, keys] = await redis.scan(cursor, "MATCH", pattern, "COUNT", 1000);
    for (const key of keys) found.add(key);
    cursor = next;
  } while (cursor !== "0");
  return [...found];
}

/** Removes everything of a run. */
export async function wipe(redis: Redis, keys: RunKeys): Promise<void> {
  await redis.srem(RUNS, keys.run);
  const found = await keysLike(redis, keys.all);
  for (let from = 0; from < found.length; from += 1000) await redis.unlink(...found.slice(from, from + 1000));
}
