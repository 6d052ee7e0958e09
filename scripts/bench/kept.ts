/**
 * Whether replays are still as fast as they were: processor time of made loads, in units of a fixed piece of work, against
 * `kept.json`. Tells what has become 20 % slower, and never fails for it: machines and neighbours differ.
 *
 * Run: `deno task bench-kept`; `--write` stores the figures of this machine as the new ones, `--only` prints those of some
 * loads as JSON.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runTraceReplay } from "../../lib/replay/run_trace_replay.ts";
import { splitmix32 } from "../../lib/random/splitmix32.ts";
import { denoOutput } from "../deno.ts";
import { generatedLines } from "./generated.ts";
import { GENERATED, options } from "./scenarios.ts";

const FILE = new URL("kept.json", import.meta.url);
/** How much slower is told. */
const SLOWER = 1.2;
/** Turns of which the least counts. */
const REPEAT = 9;
/** A load that looks slower is measured again, up to so many processes in all; the least counts. */
const PROCESSES = 3;

/** Processor time of this process so far, in milliseconds; helpers that compile and collect count too. */
const userMs = () => process.cpuUsage().user / 1000;

/** A fixed piece of work of the kind that replays do: arithmetic, typed arrays, a map, small objects. */
function unit(): number {
  const random = splitmix32(1), column = new Float64Array(1 << 16), map = new Map<number, { sum: number }>();
  for (let round = 0; round < 12; round++) {
    for (let i = 0; i < column.length; i++) {
      column[i] = random();
      const key = Math.floor(column[i] * 4096), entry = map.get(key);
      if (entry === undefined) map.set(key, { sum: i });
      else entry.sum += i;
    }
    column.sort();
  }
  return map.size;
}

/**
 * Processor time of a call in units: the least of several turns, between which the unit is measured too. In a turn a short
 * call is made so often that it takes about half as long as the unit; a single one could not be told from chance.
 */
async function inUnits(call: () => unknown): Promise<number> {
  let least = Infinity, leastUnit = Infinity, calls = 1;
  for (let turn = 0; turn <= REPEAT; turn++) {
    const start = userMs();
    for (let i = 0; i < calls; i++) await call();
    const between = userMs();
    unit();
    const each = (between - start) / calls, one = userMs() - between;
    if (turn === 0) calls = Math.max(1, Math.ceil(0.5 * one / each)); // this turn only says how long a call takes
    else [least, leastUnit] = [Math.min(least, each), Math.min(leastUnit, one)];
  }
  return least / leastUnit;
}

/** Measures loads in this process, in units. */
async function measure(names: string[]): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-kept-"));
  const found: Record<string, number> = {};
  for (const scenario of GENERATED.filter(({ name }) => names.includes(name))) {
    if (typeof scenario.trace === "string") continue;
    const path = join(folder, `${scenario.name}.jsonl`);
    writeFileSync(path, [...generatedLines(scenario.trace)].join(""));
    const replay = () => runTraceReplay([path], { ...options(scenario), onWarning: () => {} });
    for (let i = 0; i < 3; i++) await replay(); // compiled by then
    unit();
    found[scenario.name] = Number((await inUnits(replay)).toFixed(3));
  }
  rmSync(folder, { recursive: true });
  return found;
}

/** Measures loads in a process of its own: how V8 compiles and lays out memory differs between processes. */
function measureApart(names: string[]): Record<string, number> {
  const script = fileURLToPath(import.meta.url);
  const args = [
    "run",
    "--allow-read",
    "--allow-write",
    "--allow-env",
    "--allow-sys",
    script,
    "--only",
    names.join(","),
  ];
  return JSON.parse(denoOutput(args));
}

const { write, only } = argumentsOf();

function argumentsOf() {
  const help = "usage: deno task bench-kept [--write] [--only NAME[,NAME]]";
  try {
    const { values } = parseArgs({
      options: {
        write: { type: "boolean", default: false },
        only: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (!values.help) return values;
    console.log(help);
    process.exit(0);
  } catch (problem) {
    console.error(`${help}\ndynosim bench-kept: error: ${(problem as Error).message}`);
    process.exit(2);
  }
}

if (only !== undefined) {
  console.log(JSON.stringify(await measure(only.split(","))));
  process.exit();
}

const kept: Record<string, number> = JSON.parse(readFileSync(FILE, "utf8"));
const found: Record<string, number> = {};
let names = GENERATED.filter(({ trace }) => typeof trace !== "string").map(({ name }) => name);
for (let round = 0; round < PROCESSES && names.length > 0; round++) {
  for (const [name, now] of Object.entries(measureApart(names))) found[name] = Math.min(found[name] ?? Infinity, now);
  // what was as fast as before in one process need not be measured again; the figures that are stored are
  if (!write) names = names.filter((name) => found[name] > SLOWER * kept[name]);
}

if (write) writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`);
const slower = names.length;
for (const [name, now] of Object.entries(found)) {
  const before = kept[name], told = !write && names.includes(name);
  const change = before === undefined ? "new" : `${before} before, ${(now / before).toFixed(2)} times as much`;
  console.log(`${name.padEnd(16)} ${now.toFixed(3).padStart(8)} units (${change})${told ? "  SLOWER" : ""}`);
}
if (!write) {
  const all = Object.keys(found).length;
  console.log(slower === 0 ? "as fast as before" : `${slower} of ${all} loads are slower than before`);
}
