/**
 * `dynosim worker`: does the replays of searches that other machines put into a queue.
 *
 * @module
 */
import { ConfigError } from "../lib/errors.ts";
import { userDataFolder } from "../lib/io/data_files.ts";
import { joinPath } from "../lib/io/folders.ts";
import { host } from "../lib/io/host.ts";
import { cpuCount, writeText } from "../lib/io/process.ts";
import { work } from "../lib/jobs/queue/worker.ts";
import { measurementsDigest, modelDigest } from "../lib/replay/needs.ts";
import { number, text, UsageError } from "./arguments.ts";
import { type Command, command, exitCode } from "./command.ts";
import { addressOf } from "./executor.ts";
import { QUEUED_KINDS } from "./queue_kinds.ts";

const LINE = {
  command: "worker",
  summary:
    "Does the replays of searches whose coordinators say --executor redis://HOST:PORT. Any number of machines may.",
  operands: {
    name: "REDIS",
    help: "redis://HOST:PORT, rediss://… with TLS; user and password in it or in DYNOSIM_REDIS_USERNAME, _PASSWORD",
    least: 1,
    most: 1,
  },
  options: {
    concurrency: number("replays at a time", { value: "N", least: 1, integer: true }),
    traces: text("folder whose files may be read, found by their digest; what is not there is fetched", {
      value: "DIR",
    }),
    tracesFrom: text("address below which files are fetched by their name, before the coordinator is asked", {
      value: "URL",
    }),
    lease: number("seconds after which the jobs of a worker that is not heard of go to another", {
      value: "SECONDS",
      fallback: 30,
      least: 1,
    }),
    finish: number("seconds that replays may still take when the worker is told to stop", {
      value: "SECONDS",
      fallback: 5,
      least: 0,
    }),
  },
  notes: [
    "Ctrl-C finishes the replays that run and hands back the rest of their jobs; again ends at once.",
    "It reads nothing but its own data and the files of --traces, and runs no code that is sent.",
  ],
} as const;

/** Longest pause between being told to stop and the end, beside `--finish`. */
const STOP_WITHIN_MS = 600_000;

/** The command. */
export const workerCommand = (version: string): Command =>
  command(LINE, async (options, [redis], control) => {
    const address = await addressOf(redis, "argument REDIS");
    const { traces = null, concurrency = Math.max(1, cpuCount() - 1), lease, finish } = options;
    if (traces !== null && host().kind(traces) !== "directory") {
      throw new ConfigError(`argument --traces: ${traces} is no folder`);
    }
    const own = userDataFolder();
    await work(address, {
      kinds: QUEUED_KINDS,
      lookups: new Map([["measurements", measurementsDigest], ["model", modelDigest]]),
      version,
      concurrency,
      folder: traces,
      cache: own === undefined ? null : joinPath(own, "traces"),
      from: baseOf(options.tracesFrom),
      leaseSeconds: lease,
      finishSeconds: finish,
      log: (line) => writeText("stderr", `${new Date().toISOString().slice(11, 19)} ${line}\n`),
      signal: control.signal,
    });
    return exitCode(control.signal.reason);
  }, { stopWithinMs: STOP_WITHIN_MS });

function baseOf(given: string | undefined): string | null {
  if (given === undefined) return null;
  if (!URL.canParse(given) || !/^https?:/.test(given)) {
    throw new UsageError(`argument --traces-from: '${given}' is no http:// or https:// address`);
  }
  return given.endsWith("/") ? given : `${given}/`;
}
