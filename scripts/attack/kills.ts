/**
 * Ends every command at a random moment by SIGINT, SIGTERM or SIGKILL. It must be gone soon, say one line at most, and
 * leave no unfinished file; what was killed must not stand in the way of the next run.
 *
 * Run: `deno run -A scripts/attack/kills.ts [KILLS] [AT_ONCE]` (prints what it found; exit code 1 when anything)
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { DOCUMENTS, SEARCHES } from "./documents.ts";

const kills = Number(process.argv[2] ?? 300), atOnce = Number(process.argv[3] ?? 2);
const main = new URL("../../cli/main.ts", import.meta.url).pathname;
const config = new URL("../../deno.json", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "dynosim-attack-"));
const rows = Array.from({ length: 60_000 }, (_, i) =>
  JSON.stringify({
    timestamp: 400 * i,
    input_length: 600,
    output_length: 30,
    hash_ids: [i % 50, 1000 + i],
  })).join("\n");
const traces = { plain: join(folder, "trace.jsonl"), packed: join(folder, "trace.jsonl.gz") };
writeFileSync(traces.plain, rows);
writeFileSync(traces.packed, gzipSync(rows));
const file = (name: string, document: unknown) => {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(document));
  return path;
};
const large = {
  source: { type: "trace", paths: [traces.packed], format: "mooncake" },
  load: { type: "trace_timestamps" },
};
const configs = {
  large: file("large", { ...DOCUMENTS.aggregated.document, traffic: large }),
  planner: file("planner", DOCUMENTS.planner.document),
  retune: file("retune", DOCUMENTS.retune.document),
  search: file("search", SEARCHES.search),
};

interface Ended {
  code: number | null;
  signal: string | null;
  stderr: string;
  tookMs: number;
}

function run(args: string[], signal?: NodeJS.Signals, afterMs = 0): Promise<Ended> {
  const child = spawn(process.execPath, ["run", "-A", "--no-check", "--quiet", "--config", config, main, ...args], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  let stderr = "", sentAt = Infinity;
  child.stderr.on("data", (piece) => stderr += piece);
  const timer = signal && setTimeout(() => {
    sentAt = performance.now();
    child.kill(signal);
  }, afterMs);
  return new Promise((resolve) =>
    child.on("close", (code, ended) => {
      clearTimeout(timer);
      resolve({ code, signal: ended, stderr, tookMs: performance.now() - sentAt });
    })
  );
}

const finished = join(folder, "finished");
await run(["predict", "-c", configs.planner, "--stack", "dynamo", "--capture-per-request", "--output-dir", finished]);
const COMMANDS: ((out: string) => string[])[] = [
  (out) => ["predict", "-c", configs.large, "--capture-per-request", "--output-dir", out],
  (out) => ["predict", "-c", configs.planner, "--stack", "dynamo", "--output-dir", out],
  (out) => ["predict", "-c", configs.retune, "--stack", "dynamo", "--output-dir", out],
  (out) => ["recommend", "-c", configs.search, "--stack", "dynamo", "--output-dir", out],
  (out) => ["convert", traces.packed, "-o", join(out, "x.jsonl.gz"), "--to", "dynamo"],
  (out) => ["report", finished, "-o", join(out, "page.html")],
  () => ["inspect", traces.packed],
  () => ["compare", finished, finished],
  () => ["explain", finished],
  () => ["estimate", "--model", "Qwen/Qwen3-32B", "--hardware", "h200_sxm", "--capacity"],
];
const SIGNALS = ["SIGINT", "SIGTERM", "SIGKILL"] as const;
const CODES: Record<string, number> = { SIGINT: 130, SIGTERM: 143 };
const tally: Record<string, number> = {};
let found = 0, slowestMs = 0;
const tell = (text: string) => {
  found++;
  console.log(`FOUND ${text}`);
};

async function kill(n: number): Promise<void> {
  const out = join(folder, `out${n}`), args = COMMANDS[n % COMMANDS.length](out);
  mkdirSync(out);
  const signal = SIGNALS[Math.floor(n / COMMANDS.length) % SIGNALS.length], afterMs = Math.random() * 3000;
  const what = `${args.join(" ")} ended by ${signal} after ${Math.round(afterMs)} ms`;
  const ended = await run(args, signal, afterMs);
  const late = ended.tookMs === -Infinity; // it was over before
  tally[late ? "over before" : signal] = (tally[late ? "over before" : signal] ?? 0) + 1;
  if (/mistake in dynosim|\n {4}at |Uncaught/.test(ended.stderr)) tell(`${what}: ${ended.stderr.slice(0, 500)}`);
  if (!late && ended.tookMs > 5000) tell(`${what}: gone only after ${Math.round(ended.tookMs)} ms`);
  if (!late) slowestMs = Math.max(slowestMs, ended.tookMs);
  const soon = ended.signal === signal || ended.code === 0 || ended.code === CODES[signal];
  if (!soon) tell(`${what}: exit code ${ended.code}: ${ended.stderr.slice(0, 300)}`);
  const left = readdirSync(out).filter((name) => name.endsWith(".part") || name === ".dynosim.lock");
  // a process that ended by the signal's default (before it could hear it) or SIGKILL leaves what the next run removes
  if (left.length > 0 && ended.signal === null) tell(`${what}: left ${left.join(", ")}`);
  if (signal === "SIGKILL" && args[0] === "predict" && n % 3 === 0) {
    const again = await run([
      "predict",
      "-c",
      configs.planner,
      "--stack",
      "dynamo",
      "--output-dir",
      out,
      "--overwrite",
    ]);
    if (again.code !== 0) tell(`${what}: a rerun ends with ${again.code}: ${again.stderr.slice(-300)}`);
    const stays = readdirSync(out).filter((name) => name.startsWith("."));
    if (stays.length > 0) tell(`${what}: a rerun leaves ${stays.join(", ")}`);
  }
  rmSync(out, { recursive: true, force: true });
}

let next = 0;
await Promise.all(Array.from({ length: atOnce }, async () => {
  while (next < kills) await kill(next++);
}));
rmSync(folder, { recursive: true, force: true });
console.log(`${kills} kills: ${JSON.stringify(tally)}, slowest end ${Math.round(slowestMs)} ms, ${found} found`);
process.exit(found > 0 ? 1 : 0);
