/**
 * Puts odd values into every field of valid documents, one at a time, loads each and runs what is still valid: predictions
 * of every section, searches, capacities, calibration profiles. Nothing may end in an error that is none of ours, go on
 * for ever, or report figures that are no numbers. Values that are accepted and change nothing are listed, to be looked at.
 *
 * Run: `deno run -A scripts/attack/fields.ts [SHARE_OF_CASES] [SEED] [DOCUMENT…]` (prints what it found; exit code 1 when anything)
 */
import process from "node:process";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { DOCUMENTS } from "./documents.ts";
import { attack, casesOf, type Told } from "./field_cases.ts";

/** Silence after which a case counts as one that never ends. */
const SILENCE_MS = 20_000;

/** Runs the cases of a document from a number on in a thread, until the last is done or one never ends. */
function round(name: string, from: number, hear: (told: Told) => void): Promise<void> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { name, from, share, seed } });
  let heardMs = performance.now();
  return new Promise((resolve, reject) => {
    const watch = setInterval(async () => {
      if (performance.now() - heardMs < SILENCE_MS) return;
      clearInterval(watch);
      await thread.terminate();
      resolve();
    }, 500);
    thread.on("message", (told: Told) => {
      heardMs = performance.now();
      hear(told);
    });
    const end = (what: () => void) => {
      clearInterval(watch);
      what();
    };
    thread.on("error", (problem) => end(() => reject(problem)));
    thread.on("exit", () => end(resolve));
  });
}

const [share, seed] = [Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 1)];

if (isMainThread) {
  const counts = { cases: 0, refused: 0, failed: 0, completed: 0, stopped: 0 }, silent = new Map<string, string[]>();
  let found = 0;
  const chosen = process.argv.length > 4 ? process.argv.slice(4) : Object.keys(DOCUMENTS);
  for (const name of chosen) {
    const total = casesOf(name).length;
    for (let next = 0; next < total;) {
      let running: Told | null = null;
      await round(name, next, (told) => {
        if (told.what === "start") {
          running = told;
          next = told.number + 1;
          return;
        }
        if (told.what === "found") console.log(`FOUND ${++found}: ${told.where}: ${told.text}`);
        else if (told.what === "silent") silent.set(told.path, [...silent.get(told.path) ?? [], told.value]);
        else {
          if (told.what !== "skipped") counts.cases++, counts[told.what]++;
          running = null;
          next = told.number + 1;
        }
      });
      if (running === null) break;
      console.log(`FOUND ${++found}: ${(running as Told).where}: no end after ${SILENCE_MS} ms`);
    }
    console.log(name, JSON.stringify(counts), `${found} found`);
  }
  for (const [path, values] of silent) console.log(`no effect: ${path} = ${values.join(" | ")}`);
  process.exit(found > 0 ? 1 : 0);
} else {
  const { name, from, share, seed } = workerData;
  await attack(name, { from, share, seed }, (told) => parentPort!.postMessage(told));
}
