/**
 * Whole predictions, ours against the installed reference's.
 *
 *     deno run -A scripts/compare_reference/main.ts --reference VENV [--work DIR] [--only PATTERN] [--skip-runs]
 *
 * The reference's answers stay in DIR and are not asked for again; `--skip-runs` compares those that are there.
 * Figures count as equal to 1e-9, percentiles of sketches and what forecasts and regressions estimate to 1e-3.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadPrediction } from "../../lib/config/load.ts";
import { predict } from "../../lib/replay/predict.ts";
import type { Case } from "./case_documents.ts";
import { cases } from "./cases.ts";

const { values } = parseArgs({
  options: {
    reference: { type: "string", default: process.env.DYNOSIM_REFERENCE },
    work: { type: "string", default: join(tmpdir(), "dynosim-compare-reference") },
    only: { type: "string", default: "" },
    "skip-runs": { type: "boolean", default: false },
  },
});

type Fields = Record<string, any>;
interface Outcome {
  exit_code: number | null;
  report: Fields | null;
  stderr: string;
}

const WALL_CLOCK = /wall_time|^processed_/;
const OWN =
  /digest|planner_config$|^advisory$|^retune|recommended|router_parameters|^cutoff_|rejected_|failed_|largest_|power_diagnostics/;
const LOOSE = /^(median|p\d+)_|^(predicted|estimated|engine_rps)_/;
const COUNTS = ["num_requests", "completed_requests", "total_input_tokens", "total_output_tokens"];

interface Difference {
  path: string;
  theirs: unknown;
  ours: unknown;
  relative: number;
}

function* differences(theirs: unknown, ours: unknown, path: string, key = ""): Generator<Difference> {
  if (WALL_CLOCK.test(key) || OWN.test(key) || theirs === ours) return;
  if (typeof theirs === "number" && typeof ours === "number") {
    const relative = Math.abs(theirs - ours) / Math.max(Math.abs(theirs), Math.abs(ours));
    if (relative > (LOOSE.test(key) ? 1e-3 : 1e-9) && Math.abs(theirs - ours) > 1e-12) {
      yield { path, theirs, ours, relative };
    }
  } else if (theirs !== null && ours !== null && typeof theirs === "object" && typeof ours === "object") {
    for (const name of Object.keys(theirs)) {
      yield* differences((theirs as Fields)[name], (ours as Fields)[name], `${path}.${name}`, name);
    }
  } else yield { path, theirs, ours, relative: Infinity };
}

/** What we answer: a report, or the message of a refusal. A cutoff ends everything, as it does there. */
async function answer({ args, config }: Case): Promise<{ report: Fields | null; message: string }> {
  const stack = args[args.indexOf("--stack") + 1] as string | undefined;
  try {
    if (args.includes("--online")) return { report: null, message: "runner does not support execution mode 'online'" };
    const { plan } = await loadPrediction(JSON.stringify(config), {
      stack: args.includes("--stack") ? stack : "engine",
    });
    const report = await predict({ ...plan, traffic: { ...plan.traffic, cutoff: "hard" } });
    return { report: JSON.parse(JSON.stringify({ ...report, per_request: null })), message: "" };
  } catch (error) {
    return { report: null, message: (error as Error).message };
  }
}

const chosen = [...cases()].filter(({ name }) => new RegExp(values.only).test(name));
mkdirSync(values.work, { recursive: true });
if (!values["skip-runs"]) {
  if (!values.reference) throw new Error("name the reference's environment: --reference VENV, or DYNOSIM_REFERENCE");
  const script = fileURLToPath(new URL("reference_runs.py", import.meta.url));
  const input = chosen.map((each) => JSON.stringify(each)).join("\n");
  spawnSync(join(values.reference, "bin/python"), [script, values.work], {
    input,
    stdio: ["pipe", "inherit", "inherit"],
  });
}

const tally = { compared: 0, same: 0, counted: 0, refusedByBoth: 0, differ: 0 };
let largest = 0;
for (const each of chosen) {
  const file = join(values.work, `${each.name}.json`);
  if (!existsSync(file)) continue;
  const outcome: Outcome = JSON.parse(readFileSync(file, "utf8"));
  tally.compared++;
  const { report, message } = await answer(each);
  if (outcome.report === null || report === null) {
    const both = outcome.report === null && report === null;
    if (both) tally.refusedByBoth++;
    else tally.differ++;
    const theirs = outcome.stderr.trim().split("\n").at(-1) ?? "";
    console.log(
      `${both ? "both refuse" : "DIFFERENT"} ${each.name}\n  theirs: ${theirs.slice(-200)}\n  ours: ${
        message.slice(0, 200)
      }`,
    );
    continue;
  }
  const theirs = outcome.report.summary ? outcome.report : { summary: outcome.report };
  let found = [...differences({ summary: theirs.summary, planner: theirs.planner ?? null }, report, "")];
  if (each.random) found = found.filter(({ path }) => COUNTS.includes(path.split(".").at(-1)!));
  if (found.length === 0) {
    if (each.random) tally.counted++;
    else tally.same++;
    continue;
  }
  tally.differ++;
  for (const { relative } of found) if (Number.isFinite(relative)) largest = Math.max(largest, relative);
  console.log(`DIFFERENT ${each.name}: ${found.length} figures`);
  for (const { path, theirs, ours } of found.slice(0, 4)) {
    console.log(
      `  ${path}: theirs ${JSON.stringify(theirs)?.slice(0, 80)}, ours ${JSON.stringify(ours)?.slice(0, 80)}`,
    );
  }
}
console.log(JSON.stringify({ ...tally, largest }));
