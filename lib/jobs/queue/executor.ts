/**
 * The executor whose workers are on other machines: tasks go into a queue of BullMQ, outcomes come back through Redis.
 * Whatever is lost on the way (a worker, the connection, a Redis that starts anew) is noticed and sent again.
 *
 * @module
 */
import { QueueError } from "../../errors.ts";
import type { Executor, JobKind, JobRunner } from "../job.ts";
import type { BrokerAddress } from "./address.ts";
import type { AttendanceOptions } from "./attendance.ts";
import { Broker } from "./broker.ts";
import type { QueuedKind } from "./kind.ts";
import { MOST_TASKS, type Need, type RunFile } from "./messages.ts";
import { QueueRunner, type QueueStatus } from "./runner.ts";

/** Options of {@linkcode queueExecutor}. */
export interface QueueExecutorOptions extends AttendanceOptions {
  /** The kinds of jobs that are sent. */
  kinds: readonly QueuedKind[];
  /** Version of dynosim: workers of another one decline. */
  version: string;
  /** What must be the same on the workers. */
  needs: readonly Need[];
  /** Files that the jobs read. */
  files: readonly RunFile[];
  /** Tells two runs apart that have the same of all that. */
  name: string;
}

/** An executor with workers on other machines. */
export interface QueueExecutor extends Executor {
  /** How it stands. */
  status(): QueueStatus;
  /** Waits until nothing of its runs is left in Redis, and ends the connection. */
  end(): Promise<void>;
}

/**
 * Connects to a Redis, whose workers do the jobs then.
 *
 * @throws {QueueError} when there is no Redis that lets us in
 */
export async function queueExecutor(address: BrokerAddress, options: QueueExecutorOptions): Promise<QueueExecutor> {
  const { onNote = () => {} } = options;
  const broker = await Broker.connect(address, {
    onConnection: (connected) =>
      onNote(connected ? `connected to ${address.shown} again` : `lost ${address.shown}; trying to connect again`),
  });
  const runners: QueueRunner<any, any, any>[] = [];
  let ended = false;
  return {
    parallel: MOST_TASKS,
    remote: true,
    open<Setup, Data, Result>({ name }: JobKind, setup: Setup): JobRunner<Data, Result> {
      const kind = options.kinds.find((known) => known.name === name);
      if (kind === undefined) throw new QueueError(`jobs of kind ${name} cannot be sent`);
      const runner = new QueueRunner<Setup, Data, Result>(broker, kind, setup, options);
      runners.push(runner);
      return runner;
    },
    status: () =>
      runners.map((runner) => runner.status).reduce((a, b) => ({
        workers: Math.max(a.workers, b.workers),
        waiting: a.waiting + b.waiting,
        running: a.running + b.running,
        failed: a.failed + b.failed,
      }), { workers: 0, waiting: 0, running: 0, failed: 0 }),
    async end() {
      if (ended) return;
      ended = true;
      await Promise.all(runners.map((runner) => runner.end()));
      broker.close();
    },
  };
}
