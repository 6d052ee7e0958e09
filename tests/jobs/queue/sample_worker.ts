/** A worker of sample jobs in a process of its own: `sample_worker.ts REDIS CONCURRENCY VERSION LEASE [FOLDER]`. */
import process from "node:process";
import { brokerAddress } from "../../../lib/jobs/queue/address.ts";
import { work } from "../../../lib/jobs/queue/worker.ts";
import { SAMPLE_KIND } from "./sample_jobs.ts";

const [redis, concurrency, version, lease, folder] = process.argv.slice(2);
const control = new AbortController();
process.on("SIGINT", () => {
  console.error("told to stop");
  control.abort();
});
await work(brokerAddress(redis), {
  kinds: [SAMPLE_KIND],
  lookups: new Map([["stone", (name: string) => name === "granite" ? "1".repeat(64) : null]]),
  version,
  concurrency: Number(concurrency),
  folder: folder ?? null,
  cache: folder === undefined ? null : `${folder}/cache`,
  from: null,
  leaseSeconds: Number(lease),
  finishSeconds: 60,
  log: (line) => console.error(line),
  signal: control.signal,
});
process.exit(0);
