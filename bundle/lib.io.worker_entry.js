import "./base.js";

// lib/io/worker_entry.ts
import { parentPort, workerData } from "node:worker_threads";
var { module, setup } = workerData;
var work;
var inside = false;
function begin(job, run) {
  inside = true;
  try {
    return run(job, {
      expired: () => false
    });
  } finally {
    inside = false;
  }
}
var reasonOf = (problem) => problem instanceof Error ? problem.message : String(problem);
async function answer(job) {
  let jobs;
  try {
    jobs = await import(module);
  } catch (problem) {
    return {
      failure: reasonOf(problem),
      unloadable: true
    };
  }
  try {
    work ??= Promise.resolve(jobs.prepare(setup));
    return {
      result: await begin(job, await work)
    };
  } catch (problem) {
    return {
      failure: reasonOf(problem)
    };
  }
}
parentPort.on("message", async (job) => parentPort.postMessage(await answer(job)));
setInterval(() => {
  if (inside) parentPort.postMessage({
    failure: "a worker ran out of memory",
    fatal: true
  });
}, 500);
