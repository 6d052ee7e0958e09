/**
 * Compares replays with the Planner with recorded ones: the summary, every record, every tick and every event.
 *
 *     deno run -A scripts/compare_reference/planners.ts FILE… [--shown=N] [--only=SEED]
 *
 * FILE: a case a line (.jsonl.gz), as `random_planners.py` writes them. Figures that are estimated or forecast count as
 * equal to 1e-6, those of ARIMA to 1e-3.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { gunzipSync } from "node:zlib";
import type { Report } from "../../lib/report/report.ts";
import { compareFields, compareReport, type Difference, explain } from "../../tests/conformance/compare.ts";
import { type Case, type CaseResult, runCase } from "../../tests/conformance/replay_case.ts";
import { goldenPlanner } from "../../tests/planner/golden_planner.ts";

type Fields = Record<string, unknown>;

interface PlannerCase extends Case {
  planner_config: Fields;
  performance_model_metadata?: Fields;
  expected: Case["expected"] & { planner?: Fields; crash?: string };
}

const argument = (name: string) => process.argv.find((text) => text.startsWith(`--${name}=`))?.split("=")[1];
const files = process.argv.slice(2).filter((text) => !text.startsWith("--"));
const shown = Number(argument("shown") ?? 5), only = argument("only");

const ESTIMATED = /\.(estimated|engine_rps|predicted)_\w+$/;
/** Of the configuration, of the wall clock, or of what only one of the two has. */
const NOT_COMPARED = /digest|wall_time_ms|html_report_path|metadata\.(?!bootstrap)/;

function plannerDifferences(given: PlannerCase, report: Report): Difference[] {
  const tolerance = given.planner_config.load_predictor === "arima" ? 1e-3 : 1e-6;
  const { planner } = given.expected;
  return compareFields(report.planner, planner, "planner").filter(({ path, expected, actual }) => {
    if (NOT_COMPARED.test(path)) return false;
    if (!ESTIMATED.test(path) || typeof expected !== "number" || typeof actual !== "number") return true;
    return Math.abs(actual - expected) > tolerance * Math.max(Math.abs(expected), 1e-9);
  });
}

async function differencesOf(given: PlannerCase): Promise<Difference[]> {
  const { expected, planner_config, performance_model_metadata, engine_args } = given;
  if (expected.crash !== undefined) return [];
  const { prefill_engine_args, decode_engine_args } = given;
  let result: CaseResult;
  try {
    const planner = goldenPlanner({
      planner_config,
      options: { extra_engine_args: engine_args, prefill_engine_args, decode_engine_args, performance_model_metadata },
    });
    result = await runCase(given, { planner });
  } catch (problem) {
    result = { error: (problem as Error).message };
  }
  const { error, hang } = expected;
  if (hang) return result.error ? [] : [{ path: "error", expected: "some error", actual: "a report" }];
  if (error !== undefined || result.report === undefined) {
    const said = result.error?.replace(/^(replay invariant violated: .* in-flight requests remaining) \(.*\)$/s, "$1");
    return said !== undefined && error !== undefined
      ? []
      : [{ path: "error", expected: error ?? "a report", actual: said ?? "a report" }];
  }
  const { summary, requests } = expected;
  return [...plannerDifferences(given, result.report), ...compareReport(result.report, { summary, requests })];
}

let equal = 0, told = 0, refused = 0, ticks = 0, events = 0;
const different: number[] = [];
for (const file of files) {
  const rows = gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n");
  for (const row of rows) {
    const given = JSON.parse(row) as PlannerCase;
    if (only !== undefined && String(given.seed) !== only) continue;
    const found = await differencesOf(given);
    if (found.length > 0) {
      different.push(given.seed!);
      if (told++ < shown) console.log(explain(found, `seed ${given.seed} ${JSON.stringify(given.planner_config)}`));
    } else if (given.expected.planner === undefined) refused++;
    else {
      equal++;
      ticks += given.expected.planner.total_ticks as number;
      events += (given.expected.planner.scaling_events as unknown[]).length;
    }
  }
}
console.log(
  `${equal} equal (${ticks} ticks, ${events} scaling events), ${refused} refused by both, ${different.length} different ${
    different.join(" ")
  }`,
);
