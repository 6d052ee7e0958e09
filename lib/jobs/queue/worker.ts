/**
 * A worker: looks for runs, takes part in those it can do, tells why it cannot do the others.
 *
 * @module
 */
import { hostName } from "../../io/process.ts";
import { unlessStopped } from "../../io/stop.ts";
import { pause } from "../../io/timers.ts";
import type { Executor } from "../job.ts";
import { reasonOf } from "../job.ts";
import { threads } from "../threads.ts";
import { WaitingLine } from "../waiting_line.ts";
import type { BrokerAddress } from "./address.ts";
import { Broker } from "./broker.ts";
import { WorkerFiles } from "./files.ts";
import { KEPT_SECONDS, RunKeys, RUNS, workerKey, WORKERS } from "./keys.ts";
import type { QueuedKind } from "./kind.ts";
import { plain, readCard } from "./messages.ts";
import { Service } from "./service.ts";
import { Turns } from "./turns.ts";

/** What must be known of a thing to say whether it is the same: its digest here; null when it is not here. */
export type Lookup = (name: string) => string | null | Promise<string | null>;

/** Options of {@linkcode work}. */
export interface WorkOptions {
  /** Kinds of jobs it can do. */
  kinds: readonly QueuedKind[];
  /** Digests of what runs need, by type of thing. */
  lookups: ReadonlyMap<string, Lookup>;
  /** Version of dynosim: runs of another one are declined. */
  version: string;
  /** Tasks at once. */
  concurrency: number;
  /** Folder whose files may be read; null for none. */
  folder: string | null;
  /** Folder for files that were fetched; null: nothing is fetched. */
  cache: string | null;
  /** Address below which files are fetched by name; null for none. */
  from: string | null;
  /** A worker that was not heard of for so many seconds is taken for gone. Default 30. */
  leaseSeconds?: number;
  /** Seconds in which a task may still be finished when the worker is told to stop. Default 5. */
  finishSeconds?: number;
  /** Hears a line a job, and what happens between them. */
  log: (line: string) => void;
  /** Tells it to stop: it finishes its tasks, or hands them back. */
  signal: AbortSignal;
}

/** What a worker did. */
export interface WorkDone {
  /** Jobs. */
  jobs: number;
  /** Tasks. */
  tasks: number;
  /** Tasks that failed. */
  failed: number;
  /** Milliseconds spent with tasks, over all of them. */
  busyMs: number;
  /** Milliseconds from the first job to the end of the last, times the tasks that may run at once. */
  spanMs: number;
}

/** Pause between two looks for runs. */
const LOOK_MS = 500;
/** Time after which a run that was declined is looked at again. */
const AGAIN_MS = 60_000;

/** What the runs of a worker share. */
export interface WorkerContext {
  readonly id: string;
  readonly broker: Broker;
  readonly options: Required<WorkOptions>;
  /** Files by digest. */
  readonly files: WorkerFiles;
  /** Places for tasks. */
  readonly places: WaitingLine;
  /** Whether tasks may run side by side. */
  readonly turns: Turns;
  /** Where tasks run. */
  readonly threads: Executor;
  /** Aborted when tasks may not even be finished any more. */
  readonly dropped: AbortSignal;
  readonly done: WorkDone;
}

/**
 * Works until the signal is aborted.
 *
 * @throws {QueueError} when there is no Redis that lets us in
 */
export async function work(address: BrokerAddress, given: WorkOptions): Promise<WorkDone> {
  const options: Required<WorkOptions> = {
    leaseSeconds: 30,
    finishSeconds: 5,
    ...given,
    log: (line) => given.log(plain(line)),
  };
  const { log, signal, concurrency, version, leaseSeconds, finishSeconds, folder, cache, from } = options;
  const broker = await Broker.connect(address, {
    onConnection: (connected) => log(connected ? `connected to ${address.shown} again` : `lost ${address.shown}`),
  });
  const id = `${hostName()}-${crypto.randomUUID().slice(0, 8)}`;
  const dropped = new AbortController();
  const context: WorkerContext = {
    id,
    broker,
    options,
    files: new WorkerFiles(broker.redis, { folder, cache, from, signal }),
    places: new WaitingLine(concurrency),
    turns: new Turns(),
    threads: threads(concurrency, { always: true }),
    dropped: dropped.signal,
    done: { jobs: 0, tasks: 0, failed: 0, busyMs: 0, spanMs: 0 },
  };
  const started = performance.now();
  const card = JSON.stringify({ host: hostName(), version, concurrency });
  const services = new Map<string, Service>();
  const declined = new Map<string, { card: string; at: number }>();
  const stop = () => setTimeout(() => dropped.abort(new Error("the worker was told to stop")), finishSeconds * 1000);
  signal.addEventListener("abort", stop);
  log(`worker ${id} is at ${address.shown}, ${concurrency} at once`);
  const beat = async () => {
    await broker.redis.pipeline()
      // it must be known to be gone before its jobs go to another
      .set(workerKey(id), card, "PX", Math.round(leaseSeconds * 800))
      .sadd(WORKERS, id)
      .expire(WORKERS, KEPT_SECONDS)
      .exec();
  };
  const beating = setInterval(() => void beat().catch(() => {}), Math.min(2000, leaseSeconds * 200));
  try {
    await unlessStopped(beat(), signal).catch(() => {});
    while (!signal.aborted) {
      try {
        await unlessStopped(look(context, services, declined), signal);
      } catch (problem) {
        if (!signal.aborted) log(`cannot look for work: ${reasonOf(problem)}`);
      }
      await unlessStopped(pause(LOOK_MS), signal).catch(() => {});
    }
    await Promise.all([...services.values()].map((service) => service.leave("finish")));
  } finally {
    clearInterval(beating);
    signal.removeEventListener("abort", stop);
    const forgetting = broker.redis.pipeline().del(workerKey(id)).srem(WORKERS, id).exec();
    await Promise.race([forgetting.catch(() => {}), pause(1000)]);
    broker.close();
  }
  const { done } = context;
  const share = done.spanMs > 0
    ? `, ${(100 * Math.min(1, done.busyMs / done.spanMs)).toFixed(1)} % of the time at them`
    : "";
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  log(`worker ${id} ends after ${seconds} s: ${done.tasks} tasks in ${done.jobs} jobs, ${done.failed} failed${share}`);
  return done;
}

/** Joins new runs, leaves those that are over. */
async function look(
  context: WorkerContext,
  services: Map<string, Service>,
  declined: Map<string, { card: string; at: number }>,
): Promise<void> {
  const { redis } = context.broker;
  const runs = (await redis.smembers(RUNS)).filter((run) => /^run-[0-9a-f]{24}$/.test(run));
  const cards = runs.length === 0 ? [] : await redis.mget(...runs.map((run) => new RunKeys(run).card));
  for (const [run, service] of services) {
    if (!service.ended && cards[runs.indexOf(run)] != null) continue;
    services.delete(run);
    void service.leave("drop");
  }
  for (const run of declined.keys()) if (!runs.includes(run)) declined.delete(run);
  for (const [i, run] of runs.entries()) {
    const text = cards[i];
    if (text === null) {
      await redis.srem(RUNS, run);
      continue;
    }
    const before = declined.get(run);
    if (services.has(run) || (before?.card === text && performance.now() - before.at < AGAIN_MS)) continue;
    const service = new Service(context, new RunKeys(run));
    services.set(run, service);
    void service.join(readCard(run, text)).then((why) => {
      if (why === null) return;
      services.delete(run);
      declined.set(run, { card: text, at: performance.now() });
    });
  }
}
