/**
 * `dynosim predict`: a configuration file in, a report out.
 *
 * @module
 */
import { effectiveConfig } from "../lib/config/effective.ts";
import { loadPrediction, STACKS } from "../lib/config/load.ts";
import type { PredictionPlan } from "../lib/config/plan.ts";
import { ConfigError, SimulationError } from "../lib/errors.ts";
import { joinPath } from "../lib/io/folders.ts";
import { writeText } from "../lib/io/process.ts";
import type { ResolvedRole } from "../lib/replay/roles.ts";
import type { PredictOptions } from "../lib/replay/predict.ts";
import { judgedFigures } from "../lib/report/compare.ts";
import { csvText } from "../lib/report/csv.ts";
import { compactJson } from "../lib/report/json.ts";
import {
  detailNames,
  type Details,
  detailsOf,
  detailsText,
  OPERATION_DETAILS,
  TOP_OPERATIONS,
} from "../lib/report/details.ts";
import type { Report } from "../lib/report/report.ts";
import { plannerHealth } from "../lib/report/story/health.ts";
import { calibrationLine, verdictLines } from "../lib/report/story/verdict.ts";
import type { OperationTotals } from "../lib/timing/aic/operation_ledger.ts";
import { assumptionsText } from "../lib/timing/aic/assumptions.ts";
import { terminalTable } from "../lib/report/terminal_table.ts";
import { wrapped } from "../lib/report/text_table.ts";
import { inline } from "../lib/jobs/inline.ts";
import type { Executor } from "../lib/jobs/job.ts";
import { choice, flag, list, number, text, UsageError, type Values } from "./arguments.ts";
import { type Command, command, EXIT } from "./command.ts";
import { EXECUTOR, replayers } from "./executor.ts";
import { configText, prepareOutput, writeReport } from "./output.ts";
import { type Guard, startWatch, supervised } from "./supervise.ts";
import { grouped, outputColumns, paint, ProgressBar, showReading, warn } from "./terminal.ts";

/** Runs a plan: `predict` of the library, or a stand-in for it. */
export type Predict = (plan: PredictionPlan, options: PredictOptions) => Promise<Report>;

const LINE = {
  command: "predict",
  summary: "Replays a load through a simulated deployment and reports what its users would have seen.",
  options: {
    config: text("the prediction, a YAML file (- reads standard input)", { value: "FILE", short: "c", required: true }),
    stack: text(`${STACKS.join(" or ")}; default dynamo with a router, planner or autoscaler section, else engine`, {
      value: "NAME",
    }),
    set: list("replaces one value of the file, e.g. engine.workers.aggregated.parallelism.replicas=4", {
      value: "PATH=YAML",
    }),
    outputDir: text("where prediction.json goes", { value: "DIR", fallback: "./aisimulate-output" }),
    overwrite: flag("replace the files of an earlier run in that directory"),
    format: choice("what is printed; the files stay the same", ["table", "json", "csv"], { fallback: "table" }),
    detail: text("also report summary, memory, time, energy or source (a comma list), or all", { value: "SECTIONS" }),
    detailTopN: number(`most operations of a phase in the text of --detail time and source (${TOP_OPERATIONS})`, {
      value: "N",
      least: 1,
      integer: true,
    }),
    diagnostics: choice("power: the same as --detail energy", ["none", "power"], { fallback: "none" }),
    capturePerRequest: flag("also keep every request: requests.jsonl, and per_request in prediction.json"),
    executor: { ...EXECUTOR, help: `of a retune: ${EXECUTOR.help}` },
    online: flag("refused: replays are offline"),
  },
  exits: {
    [EXIT.failed]: "the replay failed or no request completed",
    [EXIT.resources]: "memory or CPU limit",
    [EXIT.timeout]: "timeout",
  },
} as const;

/** The command. `predict` is loaded when the plan stands, because it brings the whole simulation with it. */
export const predictCommand = (
  predict: () => Promise<Predict>,
  version: () => Promise<string> = () => Promise.resolve(""),
): Command =>
  command(LINE, async (options, _operands, control) => {
    if (options.online) throw new UsageError("runner does not support execution mode 'online'");
    const asked = [options.detail ?? [], options.diagnostics === "power" ? "energy" : []].flat();
    const parts = asked.length === 0 ? [] : detailNames(asked.join(","));
    const listed = parts.some((part) => OPERATION_DETAILS.includes(part));
    if (options.detailTopN !== undefined && !(listed && options.format === "table")) {
      throw new UsageError(
        "--detail-top-n has no effect without --detail time, energy or source and --format table: files keep all operations",
      );
    }
    const { plan, effective, warnings, place } = await loadPrediction(await configText(options.config), {
      name: options.config,
      stack: options.stack,
      set: options.set,
    });
    // told at the end, where they are seen
    const told = [...warnings];
    if (options.executor !== "threads" && plan.retune === null) {
      throw new UsageError(
        "--executor has no effect: only the sweeps of a retune are sent, and planner.retune is absent",
      );
    }
    const onWarning = (message: string) => told.push(message);
    // loaded while the first files are written
    const simulation = predict();
    simulation.catch(() => {}); // told where it is waited for
    try {
      await prepareOutput(options.outputDir, options.overwrite);
      const watch = await startWatch(plan, options.outputDir, options.capturePerRequest);
      let roles: readonly ResolvedRole[] = [];
      const onResolved = (resolved: readonly ResolvedRole[]) => roles = resolved;
      const simulate = located(simulation, place);
      let details: Details | undefined, operations: OperationTotals | null = null;
      const onOperations = listed ? (totals: OperationTotals | null) => operations = totals : undefined;
      const report = await supervised(watch, options.outputDir, control, (guard) =>
        run(
          async (settings) => {
            const report = await withReplayers(
              plan,
              options.executor,
              version,
              (executor) => simulate(plan, { ...settings, executor, onResolved, onWarning, onOperations }),
            );
            if (parts.length > 0) details = detailsOf(parts, { summary: report.summary, roles, operations });
            return details === undefined ? report : { ...report, details };
          },
          plan,
          effectiveConfig(effective),
          options,
          guard,
        ));
      const none = nothingCompleted(report);
      if (none !== null) onWarning(paint("bold", none));
      for (const finding of plannerHealth(report)) onWarning(finding);
      writeText("stdout", printed(report, roles, options, details));
      const { diagnostic, prediction_status } = report.summary;
      if (prediction_status === "invalid") {
        throw new SimulationError(`${diagnostic} The report is written all the same`);
      }
    } finally {
      for (const warning of told) warn("predict", warning);
    }
  });

/** A module by its place beside this one; see `main.ts`. */
const part = <M>(file: string): Promise<M> => import(import.meta.resolve(file));

/** Hands whoever replays the sweeps of a retune to `use`; nobody in particular where they stay here. */
async function withReplayers(
  plan: PredictionPlan,
  option: string,
  version: () => Promise<string>,
  use: (executor: Executor | undefined) => Promise<Report>,
): Promise<Report> {
  if (option === "threads") return await use(undefined);
  const [{ needsOf }, { planSpec }, { SWEEP_KIND }] = await Promise.all([
    part<typeof import("../lib/replay/needs.ts")>("../lib/replay/needs.ts"),
    part<typeof import("../lib/replay/predict.ts")>("../lib/replay/predict.ts"),
    part<typeof import("../lib/replay/sweep_kind.ts")>("../lib/replay/sweep_kind.ts"),
  ]);
  const { executor, end } = await replayers("predict", option, inline, async () => ({
    kind: SWEEP_KIND,
    version: await version(),
    name: "sweeps",
    ...await needsOf(planSpec(plan)),
  }));
  try {
    return await use(executor);
  } finally {
    await end();
  }
}

/** The simulation, waited for when it is called; what it finds wrong with the configuration is told with its place. */
const located = (simulation: Promise<Predict>, place: (error: ConfigError) => ConfigError): Predict => {
  return async (plan, options) => {
    const simulate = await simulation;
    try {
      return await simulate(plan, options);
    } catch (error) {
      throw error instanceof ConfigError ? place(error) : error;
    }
  };
};

async function run(
  simulate: (settings: PredictOptions) => Promise<Report>,
  plan: PredictionPlan,
  config: string,
  { outputDir, capturePerRequest }: Values<typeof LINE.options>,
  { watch, signal, started }: Guard,
): Promise<Report> {
  const { source } = plan.traffic;
  const hide = showReading(source.type === "trace" ? source.paths : []);
  let bar: ProgressBar | null = null;
  const look = () => {
    signal.throwIfAborted();
    watch.look();
  };
  try {
    const report = await simulate({
      capturePerRequest,
      signal,
      mostParallel: watch.budget.cpus,
      onProgress(progress) {
        started();
        look();
        hide();
        (bar ??= new ProgressBar()).update(progress);
      },
    });
    started();
    look();
    await writeReport(outputDir, report, { config, flat: plan.stack === "engine", between: look });
    return report;
  } finally {
    hide();
    (bar as ProgressBar | null)?.clear();
  }
}

/** Why there is nothing to see; null when there is. */
function nothingCompleted({ summary }: Report): string | null {
  const { completed_requests, num_requests, rejected_requests = 0, largest_prompt_tokens: longest } = summary;
  if (completed_requests > 0) return null;
  const fits = longest === undefined ? "" : `; the largest prompt that fits has ${grouped(longest)} tokens`;
  const why = rejected_requests > 0 ? `: ${rejected_requests} rejected${fits}` : "";
  return `none of the ${num_requests} requests completed${why}`;
}

function printed(
  report: Report,
  roles: readonly ResolvedRole[],
  options: Values<typeof LINE.options>,
  details: Details | undefined,
): string {
  const { summary, evaluation } = report;
  if (options.format === "json") {
    return `${compactJson({ ...details ? { summary, details } : summary, ...evaluation && { evaluation } })}\n`;
  }
  if (options.format === "csv") {
    const judged = Object.entries(judgedFigures(summary, evaluation ?? {})).filter(([, value]) => value != null);
    const figures = Object.entries(summary).filter(([, value]) => !isObject(value));
    return csvText([Object.fromEntries([...judged, ...figures])]);
  }
  const columns = outputColumns();
  const judged = verdictLines(report).flatMap((line) => wrapped(line, columns, 2));
  const lines = [...judged, ...judged.length > 0 ? [""] : [], terminalTable(report, { columns }), ""];
  for (const { role, blocks, blocksFrom, maxModelTokens, assumed } of roles) {
    const context = maxModelTokens === null ? "" : `; sequences of up to ${grouped(maxModelTokens)} tokens`;
    lines.push(...wrapped(`KV blocks (${role}): ${grouped(blocks)}, ${blocksFrom}${context}`, columns, 2));
    if (assumed) lines.push(...wrapped(`Assumed (${role}): ${assumptionsText(assumed)}`, columns, 2));
  }
  for (const { role, calibration } of report.metadata?.roles ?? []) {
    if (calibration) lines.push(...wrapped(calibrationLine(role, calibration), columns, 2));
  }
  if (details) lines.push("", detailsText(details, options.detailTopN));
  lines.push(`Simulated in ${(summary.wall_time_ms / 1000).toFixed(2)} s`);
  lines.push(`Saved full report to: ${joinPath(options.outputDir, "prediction.json")}`);
  return `${lines.join("\n")}\n`;
}

const isObject = (value: unknown) => typeof value === "object" && value !== null;
