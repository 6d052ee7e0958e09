/**
 * Ends every command at a random moment by SIGINT, SIGTERM or SIGKILL. It must be gone soon, say one line at most, and
 * leave no unfinished file; what was killed must not stand in the way of the next run.
 *
 * Run: `deno run -A scripts/attack/kills.ts [KILLS] [AT_ONCE] [FIRST]` (prints what it found; exit code 1 when anything)
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { again as intoSame, CommandBench, NEVER } from "./commands.ts";

const [kills, atOnce, first] = [
  Number(process.argv[2] ?? 300),
  Number(process.argv[3] ?? 2),
  Number(process.argv[4] ?? 0),
];
const SIGNALS = ["SIGINT", "SIGTERM", "SIGKILL"] as const;
const CODES: Record<string, number> = { SIGINT: 130, SIGTERM: 143 };
const bench = new CommandBench(60_000);
await bench.prepare();
const { commands } = bench;
/** How long each takes here, so that signals come while it is at work. */
const lengths: number[] = [];
for (const [n, { args }] of commands.entries()) {
  const out = join(bench.folder, `alone${n}`);
  mkdirSync(out);
  lengths.push((await bench.run(args(out))).tookMs);
}
const tally: Record<string, number> = {};
let found = 0, slowestMs = 0, late = 0, reruns = 0;
const tell = (text: string) => {
  found++;
  console.log(`FOUND ${text}`);
};
const leftovers = (out: string) =>
  readdirSync(out).filter((name) => name.endsWith(".part") || name === ".dynosim.lock");

/** The same command once more into the folder of the killed one. */
async function again(what: string, args: string[], out: string): Promise<void> {
  reruns++;
  const { code, stderr } = await bench.run(intoSame(args));
  if (code !== 0) tell(`${what}: a rerun ends with ${code}: ${stderr.slice(-300)}`);
  const left = leftovers(out);
  if (left.length > 0) tell(`${what}: a rerun leaves ${left.join(", ")}`);
}

async function kill(n: number): Promise<void> {
  const out = join(bench.folder, `out${n}`), { args: of, writes } = commands[n % commands.length], args = of(out);
  mkdirSync(out);
  const signal = SIGNALS[Math.floor(n / commands.length) % SIGNALS.length];
  const afterMs = 100 + Math.random() * lengths[n % commands.length];
  const what = `${args.join(" ")} ended by ${signal} after ${Math.round(afterMs)} ms`;
  const ended = await bench.run(args, { signal, afterMs });
  const over = ended.afterSignalMs === -Infinity;
  tally[over ? "over before" : signal] = (tally[over ? "over before" : signal] ?? 0) + 1;
  if (NEVER.test(ended.stderr)) tell(`${what}: ${ended.stderr.slice(0, 500)}`);
  if (!over && ended.afterSignalMs > 5000) tell(`${what}: gone only after ${Math.round(ended.afterSignalMs)} ms`);
  if (!over) slowestMs = Math.max(slowestMs, ended.afterSignalMs);
  if (!over && ended.afterSignalMs > 500) late++;
  const soon = ended.signal === signal || ended.code === 0 || ended.code === CODES[signal];
  if (!soon) tell(`${what}: exit code ${ended.code}: ${ended.stderr.slice(0, 300)}`);
  const left = leftovers(out);
  // a process that ended by the signal's default (before it could hear it) or SIGKILL leaves what the next run removes
  if (left.length > 0 && ended.signal === null) tell(`${what}: left ${left.join(", ")}`);
  if (writes && signal === "SIGKILL" && !over) await again(what, args, out);
  rmSync(out, { recursive: true, force: true });
}

let next = first;
await Promise.all(Array.from({ length: atOnce }, async () => {
  while (next < first + kills) await kill(next++);
}));
bench.close();
console.log(
  `${kills} kills: ${JSON.stringify(tally)}, slowest end ${
    Math.round(slowestMs)
  } ms, ${late} after more than 500 ms, ` +
    `${reruns} reruns, ${found} found`,
);
process.exit(found > 0 ? 1 : 0);
