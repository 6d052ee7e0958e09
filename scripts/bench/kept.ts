/**
 * Whether replays are still as fast as they were: processor time of made loads, in units of a fixed piece of work, against
 * `kept.json`. Tells what has become 20 % slower, and never fails for it: machines and neighbours differ.
 *
 * Run: `deno task bench-kept`; `--write` stores the figures of this machine as the new ones.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { runTraceReplay } from "../../lib/replay/run_trace_replay.ts";
import { splitmix32 } from "../../lib/random/splitmix32.ts";
import { generatedLines } from "./generated.ts";
import { GENERATED, options } from "./scenarios.ts";

const FILE = new URL("kept.json", import.meta.url);
/** How much slower is told. */
const SLOWER = 1.2;
const REPEAT = 9;

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

/** Processor time of a call in units: the least of several calls, between which the unit is measured too. */
async function inUnits(call: () => unknown): Promise<number> {
  let least = Infinity, leastUnit = Infinity;
  for (let i = 0; i < REPEAT; i++) {
    const start = userMs();
    await call();
    const between = userMs();
    unit();
    least = Math.min(least, between - start);
    leastUnit = Math.min(leastUnit, userMs() - between);
  }
  return least / leastUnit;
}

const { write } = parseArgs({ options: { write: { type: "boolean", default: false } } }).values;
const folder = mkdtempSync(join(tmpdir(), "dynosim-kept-"));
const found: Record<string, number> = {};
for (const scenario of GENERATED) {
  if (typeof scenario.trace === "string") continue;
  const path = join(folder, `${scenario.name}.jsonl`);
  writeFileSync(path, [...generatedLines(scenario.trace)].join(""));
  const replay = () => runTraceReplay([path], { ...options(scenario), onWarning: () => {} });
  for (let i = 0; i < 3; i++) await replay(); // compiled by then
  unit();
  found[scenario.name] = Number((await inUnits(replay)).toFixed(3));
}
rmSync(folder, { recursive: true });

if (write) writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`);
const kept: Record<string, number> = JSON.parse(readFileSync(FILE, "utf8"));
let slower = 0;
for (const [name, now] of Object.entries(found)) {
  const before = kept[name], ratio = now / before, told = ratio > SLOWER;
  if (told) slower++;
  const change = before === undefined ? "new" : `${before} before, ${ratio.toFixed(2)} times as much`;
  console.log(`${name.padEnd(16)} ${now.toFixed(3).padStart(8)} units (${change})${told ? "  SLOWER" : ""}`);
}
console.log(
  slower === 0 ? "as fast as before" : `${slower} of ${Object.keys(found).length} loads are slower than before`,
);
