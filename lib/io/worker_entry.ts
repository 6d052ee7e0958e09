/**
 * The main module of a {@linkcode WorkerThread}: loads the module of jobs it is told and does the jobs it is sent, one at
 * a time.
 *
 * @module
 */
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadAnswer } from "./worker_thread.ts";

type Work = (job: unknown, control: { expired(): boolean }) => unknown;

const { module, setup } = workerData as { module: string; setup: unknown };
let work: Promise<Work> | undefined;
/** True while a job runs without a pause. */
let inside = false;

function begin(job: unknown, run: Work): unknown {
  inside = true;
  try {
    return run(job, { expired: () => false });
  } finally {
    inside = false;
  }
}

const reasonOf = (problem: unknown) => problem instanceof Error ? problem.message : String(problem);

async function answer(job: unknown): Promise<ThreadAnswer> {
  let jobs: { prepare(setup: unknown): Work | Promise<Work> };
  try {
    jobs = await import(module);
  } catch (problem) {
    return { failure: reasonOf(problem), unloadable: true };
  }
  try {
    work ??= Promise.resolve(jobs.prepare(setup));
    return { result: await begin(job, await work) };
  } catch (problem) {
    return { failure: reasonOf(problem) };
  }
}

parentPort!.on("message", async (job: unknown) => parentPort!.postMessage(await answer(job)));

// When a thread runs out of memory, some runtimes cut the running function off (no `finally` runs) and go on as if
// nothing had happened. A timer cannot fire inside a job, so if it finds itself there, the job was cut off.
setInterval(() => {
  if (inside) parentPort!.postMessage({ failure: "a worker ran out of memory", fatal: true } satisfies ThreadAnswer);
}, 500);
