/**
 * Measures replays: `deno task bench [--only NAME[,NAME]] [--repeat N] [--traces DIR] [--cold-only | --warm-only]
 * [--json FILE]`.
 *
 * One JSON line a scenario: `cold_ms` is the least `wall_time_ms` of fresh processes (loading, replay, summary),
 * `process_ms` the least time of such a process as a whole (`deno` called directly), `process_user_ms` its processor
 * time, `outside_ms` the part of the whole that is not the replay, `cold_rss_mb` the peak memory; `warm_ms` is the least
 * of repeated runs in this process, `warm_user_ms` their processor time. Processes are `predict`, and for made loads one
 * call of `runTraceReplay`. The line `command` is a process that replays nothing. With `DYNOSIM_ORACLE=DIR` (a virtual
 * environment that has the reference) the reference runs beside: `reference_ms` and `reference_user_ms` in a process
 * that is warm, `reference_process_ms` and `reference_process_user_ms` a fresh process as a whole, and the ratios; those
 * of processor time hold on a busy machine too. `--json` writes all lines as one JSON list.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runTraceReplay } from "../../lib/replay/run_trace_replay.ts";
import { generatedLines } from "./generated.ts";
import { GENERATED, options, prediction, type Scenario, SCENARIOS } from "./scenarios.ts";

const ALL = [...SCENARIOS, ...GENERATED];
const HELP = `usage: deno task bench [--only NAME[,NAME]] [--repeat N] [--traces DIR] [--cold-only | --warm-only]
                       [--json FILE]

scenarios: command, ${ALL.map(({ name }) => name).join(", ")}
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
    json: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  try {
    const { values } = parseArgs({ options });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    for (const name of values.only?.split(",") ?? []) {
      if (name !== "command" && !ALL.some((scenario) => scenario.name === name)) {
        throw new Error(`there is no scenario '${name}'`);
      }
    }
    if (!/^[1-9]\d*$/.test(values.repeat)) {
      throw new Error(`--repeat takes a whole number from 1, found '${values.repeat}'`);
    }
    if (values["cold-only"] && values["warm-only"]) {
      throw new Error("--cold-only and --warm-only leave nothing to measure");
    }
    if (values.json !== undefined && !existsSync(dirname(resolve(values.json)))) {
      throw new Error(`the folder of --json ${values.json} is not there`);
    }
    return values;
  } catch (problem) {
    console.error(`${HELP}\ndynosim bench: error: ${(problem as Error).message}`);
    process.exit(2);
  }
}

const repeat = Number(values.repeat);
const only = values.only?.split(",");
const root = fileURLToPath(new URL("../../", import.meta.url));

async function warm(scenario: Scenario, trace: string): Promise<{ ms: number; userMs: number }> {
  let ms = Infinity, userMs = Infinity;
  for (let i = 0; i < repeat + 2; i++) {
    const before = process.cpuUsage();
    const { summary } = await runTraceReplay([trace], { ...options(scenario), onWarning: () => {} });
    ms = Math.min(ms, summary.wall_time_ms);
    userMs = Math.min(userMs, process.cpuUsage(before).user / 1000);
  }
  return { ms, userMs };
}

/** Time and processor time of a process as a whole, in milliseconds, as bash counts them. */
interface Whole {
  ms: number;
  userMs: number;
  stdout: string;
}

function whole(command: readonly string[]): Whole {
  const script = 'TIMEFORMAT="%R %U"; time "$@" 2>/dev/null';
  const { stdout, stderr, status } = spawnSync("bash", ["-c", script, "bench", ...command], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${command.join(" ")}: exit code ${status}\n${stderr}`);
  const [real, user] = stderr.trim().split("\n").at(-1)!.split(" ").map((seconds) => 1000 * Number(seconds));
  return { ms: real, userMs: user, stdout };
}

/** One replay of a made load as a process, as a script of somebody is started. */
function onceCommand(scenario: Scenario, trace: string): string[] {
  return [process.execPath, "run", "-A", "scripts/bench/once.ts", trace, JSON.stringify(options(scenario))];
}

/** How the task `predict` calls `deno`, without the task runner. */
function predictCommand(): string[] {
  const { tasks } = JSON.parse(readFileSync(join(root, "deno.json"), "utf8"));
  return [process.execPath, ...tasks.predict.split(" ").slice(1)];
}

function cold(scenario: Scenario, trace: string) {
  return typeof scenario.trace === "string" ? coldCommand(scenario, trace) : coldCall(scenario, trace);
}

function coldCall(scenario: Scenario, trace: string) {
  let ms = Infinity, processMs = Infinity, userMs = Infinity;
  for (let i = 0; i < repeat; i++) {
    const run = whole(onceCommand(scenario, trace));
    ms = Math.min(ms, JSON.parse(run.stdout).wall_time_ms);
    processMs = Math.min(processMs, run.ms);
    userMs = Math.min(userMs, run.userMs);
  }
  return { ms, rssMb: null, processMs, userMs };
}

function coldCommand(scenario: Scenario, trace: string) {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-bench-"));
  const config = join(folder, "prediction.yaml");
  writeFileSync(config, prediction(scenario, trace));
  let ms = Infinity, rssMb = Infinity, processMs = Infinity, userMs = Infinity;
  for (let i = 0; i < repeat; i++) {
    const out = join(folder, `out-${i}`);
    const args = ["--stack", "dynamo", "--config", config, "--output-dir", out, "--format", "json"];
    const run = whole([...predictCommand(), ...args]);
    ms = Math.min(ms, JSON.parse(run.stdout).wall_time_ms);
    processMs = Math.min(processMs, run.ms);
    userMs = Math.min(userMs, run.userMs);
    const { peak_observed_rss_bytes: peak } = JSON.parse(readFileSync(join(out, "resource-runtime.json"), "utf8"));
    rssMb = Math.min(rssMb, peak / 1e6);
  }
  rmSync(folder, { recursive: true });
  return { ms, rssMb, processMs, userMs };
}

/** What the reference takes, null where it cannot run the scenario, or not in good time. */
function reference(scenario: Scenario, trace: string) {
  if (scenario.alone) return null;
  try {
    return measuredReference(scenario, trace);
  } catch (problem) {
    console.error(`${scenario.name}: the reference cannot run it: ${(problem as Error).message.split("\n")[0]}`);
    return null;
  }
}

/** Its own account in a warm process, and a fresh process as a whole. */
function measuredReference(scenario: Scenario, trace: string) {
  const oracle = process.env.DYNOSIM_ORACLE;
  if (!oracle) return null;
  const script = fileURLToPath(new URL("reference.py", import.meta.url));
  const run = (times: number) =>
    whole([join(oracle, "bin/python"), script, trace, String(times), JSON.stringify(scenario.reference)]);
  const { wall_ms: ms, user_ms: userMs } = JSON.parse(run(Math.min(repeat, 3)).stdout);
  const processes = Array.from({ length: Math.min(repeat, 3) }, () => run(1));
  return {
    ms,
    userMs,
    processMs: Math.min(...processes.map((each) => each.ms)),
    processUserMs: Math.min(...processes.map((each) => each.userMs)),
  };
}

const round = (value: number, digits = 1) => Number(value.toFixed(digits));

const lines: Record<string, unknown>[] = [];
function tell(line: Record<string, unknown>): void {
  lines.push(line);
  console.log(JSON.stringify(line));
}

if ((!only || only.includes("command")) && !values["warm-only"]) {
  const runs = Array.from({ length: repeat }, () => whole([...predictCommand(), "--help"]));
  tell({
    scenario: "command",
    process_ms: round(Math.min(...runs.map(({ ms }) => ms))),
    process_user_ms: round(Math.min(...runs.map(({ userMs }) => userMs))),
  });
}

const made = mkdtempSync(join(tmpdir(), "dynosim-bench-"));

/** The scenario's trace; what is to be made is written first. */
function traceOf({ name, trace }: Scenario): string {
  if (typeof trace === "string") return resolve(values.traces, trace);
  const path = join(made, `${name}.jsonl`);
  writeFileSync(path, [...generatedLines(trace)].join(""));
  return path;
}

for (const scenario of ALL) {
  if (only && !only.includes(scenario.name)) continue;
  const trace = traceOf(scenario);
  if (!existsSync(trace)) {
    console.error(`${scenario.name}: skipped, ${trace} is not there`);
    continue;
  }
  const line: Record<string, unknown> = { scenario: scenario.name };
  const theirs = reference(scenario, trace);
  if (theirs !== null) {
    Object.assign(line, {
      reference_ms: round(theirs.ms),
      reference_user_ms: round(theirs.userMs),
      reference_process_ms: round(theirs.processMs),
      reference_process_user_ms: round(theirs.processUserMs),
    });
  }
  if (!values["warm-only"]) {
    const { ms, rssMb, processMs, userMs } = cold(scenario, trace);
    Object.assign(line, {
      cold_ms: round(ms),
      process_ms: round(processMs),
      process_user_ms: round(userMs),
      outside_ms: round(processMs - ms),
      ...(rssMb === null ? {} : { cold_rss_mb: round(rssMb) }),
    });
    if (theirs !== null) {
      line.cold_ratio = round(theirs.ms / ms);
      line.process_ratio = round(theirs.processMs / processMs);
      line.process_user_ratio = round(theirs.processUserMs / userMs);
    }
  }
  if (!values["cold-only"]) {
    const { ms, userMs } = await warm(scenario, trace);
    line.warm_ms = round(ms);
    line.warm_user_ms = round(userMs);
    if (theirs !== null) {
      line.warm_ratio = round(theirs.ms / ms);
      line.warm_user_ratio = round(theirs.userMs / userMs);
    }
  }
  tell(line);
}
rmSync(made, { recursive: true });
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(lines, null, 2)}\n`);
