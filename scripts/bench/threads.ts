/**
 * Whether one replay would gain from a second thread: eight workers placed in turn at recorded times, once as they are,
 * and once as two halves of four workers, each in a thread of its own. The halves leave out what would have to be added
 * (putting completions and gaps of both into one order), so the figures are a lower end of what two threads take.
 *
 * Run: `deno run -A scripts/bench/threads.ts TRACE [REPEAT]` with a Mooncake trace; every run is a fresh process.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { runTraceReplay } from "../../lib/replay/run_trace_replay.ts";

const WORKERS = 8;
const THIS = new URL(import.meta.url);

async function replay(trace: string, numWorkers: number): Promise<number> {
  const { summary } = await runTraceReplay([trace], { numWorkers });
  return summary.completed_requests;
}

function inThread(trace: string): Promise<number> {
  const thread = new Worker(THIS);
  return new Promise((done, failed) => {
    thread.on("message", (completed) => thread.terminate().then(() => done(completed), failed));
    thread.on("error", failed);
    thread.postMessage(trace);
  });
}

/** One measurement in this process: prints wall time and processor time from here to the end. */
async function measure(kind: string, traces: readonly string[]): Promise<void> {
  const start = performance.now(), before = process.cpuUsage();
  const completed = kind === "one"
    ? await replay(traces[0], WORKERS)
    : (await Promise.all(traces.map(inThread))).reduce((sum, count) => sum + count, 0);
  const { user } = process.cpuUsage(before);
  console.log(JSON.stringify({ ms: performance.now() - start, userMs: user / 1000, completed }));
}

function compare(trace: string, repeat: number): void {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-threads-"));
  const lines = readFileSync(trace, "utf8").trimEnd().split("\n");
  const halves = [0, 1].map((half) => {
    const path = join(folder, `${half}.jsonl`);
    writeFileSync(path, lines.filter((_, i) => i % WORKERS >> 2 === half).join("\n") + "\n");
    return path;
  });
  for (const [kind, ...traces] of [["one", trace], ["two", ...halves]]) {
    const runs = Array.from({ length: repeat }, () => {
      const { stdout } = spawnSync("deno", ["run", "-A", fileURLToPath(THIS), kind, ...traces], { encoding: "utf8" });
      return JSON.parse(stdout) as { ms: number; userMs: number; completed: number };
    });
    const least = (key: "ms" | "userMs") => Math.round(Math.min(...runs.map((run) => run[key])));
    console.log(`${kind} thread(s): ${least("ms")} ms, processor ${least("userMs")} ms, ${runs[0].completed} requests`);
  }
  rmSync(folder, { recursive: true });
}

if (!isMainThread) {
  parentPort!.on("message", async (trace) => parentPort!.postMessage(await replay(trace, WORKERS / 2)));
} else {
  const [first, ...rest] = process.argv.slice(2);
  if (first === "one" || first === "two") await measure(first, rest);
  else compare(first, Number(rest[0] ?? 5));
}
