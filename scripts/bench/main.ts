/**
 * Measures replays: `deno task bench [--only NAME[,NAME]] [--repeat N] [--traces DIR] [--cold-only | --warm-only]`.
 *
 * One JSON line a scenario: `cold_ms` is the least `wall_time_ms` of fresh `predict` processes, `cold_rss_mb` their peak
 * memory, `warm_ms` the least of repeated runs in this process. Both count loading, replay and summary. With
 * `DYNOSIM_ORACLE=DIR` (a virtual environment that has the reference) the reference runs beside, and the line has
 * `reference_ms` and the ratios.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { runTraceReplay } from "../../lib/replay/run_trace_replay.ts";
import { options, prediction, type Scenario, SCENARIOS } from "./scenarios.ts";

const HELP = `usage: deno task bench [--only NAME[,NAME]] [--repeat N] [--traces DIR] [--cold-only | --warm-only]

scenarios: ${SCENARIOS.map(({ name }) => name).join(", ")}
traces:    conversation_trace.jsonl and synthetic_trace.jsonl of the Mooncake project (default ../shared/traces)
DYNOSIM_ORACLE=VENV runs the reference of that Python environment beside.`;

const values = argumentsOf();

function argumentsOf() {
  const options = {
    only: { type: "string" },
    repeat: { type: "string", default: "5" },
    traces: { type: "string", default: "../shared/traces" },
    "cold-only": { type: "boolean", default: false },
    "warm-only": { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  try {
    const { values } = parseArgs({ options });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    for (const name of values.only?.split(",") ?? []) {
      if (!SCENARIOS.some((scenario) => scenario.name === name)) throw new Error(`there is no scenario '${name}'`);
    }
    return values;
  } catch (problem) {
    console.error(`${HELP}\ndynosim bench: error: ${(problem as Error).message}`);
    process.exit(2);
  }
}

const repeat = Number(values.repeat);
const only = values.only?.split(",");
const root = new URL("../../", import.meta.url).pathname;

async function warm(scenario: Scenario, trace: string): Promise<number> {
  let best = Infinity;
  for (let i = 0; i < repeat + 2; i++) {
    const { summary } = await runTraceReplay([trace], options(scenario));
    best = Math.min(best, summary.wall_time_ms);
  }
  return best;
}

function cold(scenario: Scenario, trace: string): { ms: number; rssMb: number } {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-bench-"));
  const config = join(folder, "prediction.yaml");
  writeFileSync(config, prediction(scenario, trace));
  let ms = Infinity, rssMb = Infinity;
  for (let i = 0; i < repeat; i++) {
    const out = join(folder, `out-${i}`);
    const args = ["task", "--quiet", "predict", "--stack", "dynamo", "--config", config, "--output-dir", out];
    const { stdout, stderr, status } = spawnSync("deno", [...args, "--format", "json"], {
      cwd: root,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    ms = Math.min(ms, JSON.parse(stdout).wall_time_ms);
    const { peak_observed_rss_bytes: peak } = JSON.parse(readFileSync(join(out, "resource-runtime.json"), "utf8"));
    rssMb = Math.min(rssMb, peak / 1e6);
  }
  rmSync(folder, { recursive: true });
  return { ms, rssMb };
}

function reference(scenario: Scenario, trace: string): number | null {
  const oracle = process.env.DYNOSIM_ORACLE;
  if (!oracle) return null;
  const script = new URL("reference.py", import.meta.url).pathname;
  const args = [script, trace, "2", JSON.stringify(scenario.reference)];
  const { stdout, stderr, status } = spawnSync(join(oracle, "bin/python"), args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout).wall_ms;
}

const round = (value: number, digits = 1) => Number(value.toFixed(digits));

for (const scenario of SCENARIOS) {
  if (only && !only.includes(scenario.name)) continue;
  const trace = resolve(values.traces, scenario.trace);
  if (!existsSync(trace)) {
    console.error(`${scenario.name}: skipped, ${trace} is not there`);
    continue;
  }
  const line: Record<string, unknown> = { scenario: scenario.name };
  const theirs = reference(scenario, trace);
  if (theirs !== null) line.reference_ms = round(theirs);
  if (!values["warm-only"]) {
    const { ms, rssMb } = cold(scenario, trace);
    line.cold_ms = round(ms);
    line.cold_rss_mb = round(rssMb);
    if (theirs !== null) line.cold_ratio = round(theirs / ms);
  }
  if (!values["cold-only"]) {
    const ms = await warm(scenario, trace);
    line.warm_ms = round(ms);
    if (theirs !== null) line.warm_ratio = round(theirs / ms);
  }
  console.log(JSON.stringify(line));
}
