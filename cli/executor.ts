/**
 * `--executor`: where the replays of a command run. The default is here; what a queue needs is loaded when one is named.
 *
 * @module
 */
import { ConfigError } from "../lib/errors.ts";
import type { Executor } from "../lib/jobs/job.ts";
import type { QueueExecutor, QueueExecutorOptions } from "../lib/jobs/queue/executor.ts";
import type { QueuedKind } from "../lib/jobs/queue/kind.ts";
import type { QueueStatus } from "../lib/jobs/queue/runner.ts";
import { text, UsageError } from "./arguments.ts";
import { warn } from "./terminal.ts";

/** The option. */
export const EXECUTOR = text(
  "who replays: threads of this machine, or the workers at a Redis, redis://HOST:PORT or rediss://… (see worker)",
  { value: "WHERE", fallback: "threads" },
);

/** Whoever replays for a command. */
export interface Replayers {
  executor: Executor;
  /** How its queue stands; null where there is none. */
  status(): QueueStatus | null;
  /** Leaves nothing behind. */
  end(): Promise<void>;
}

/** What is sent, and what its workers must have. */
export interface Sent extends Pick<QueueExecutorOptions, "needs" | "files" | "name" | "version"> {
  kind: QueuedKind;
}

/**
 * The executor that an option names.
 *
 * @param here the executor of this machine
 * @param sent asked for when jobs go to a queue
 * @throws {UsageError} when the option is none
 * @throws {QueueError} when there is no Redis that lets us in
 */
export async function replayers(
  command: string,
  option: string,
  here: () => Executor,
  sent: () => Promise<Sent>,
): Promise<Replayers> {
  if (option === "threads") return { executor: here(), status: () => null, end: async () => {} };
  const address = await addressOf(option, "argument --executor");
  const { queueExecutor }: typeof import("../lib/jobs/queue/executor.ts") = await import(
    import.meta.resolve("../lib/jobs/queue/executor.ts")
  );
  const { kind, ...options } = await sent();
  const executor: QueueExecutor = await queueExecutor(address, {
    ...options,
    kinds: [kind],
    onNote: (note) => warn(command, note),
  });
  return { executor, status: () => executor.status(), end: () => executor.end() };
}

/**
 * Reads the address of a Redis.
 *
 * @throws {UsageError} when it is none
 */
export async function addressOf(given: string, place: string) {
  const { brokerAddress }: typeof import("../lib/jobs/queue/address.ts") = await import(
    import.meta.resolve("../lib/jobs/queue/address.ts")
  );
  try {
    return brokerAddress(given);
  } catch (problem) {
    if (problem instanceof ConfigError) throw new UsageError(`${place}: ${problem.message}`);
    throw problem;
  }
}
