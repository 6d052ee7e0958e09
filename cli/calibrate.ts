/**
 * `dynosim calibrate`: how far simulated figures are from measured ones, and a correction where one pays.
 *
 * @module
 */
import { calibrate, type Calibrated } from "../lib/calibrate/calibrate.ts";
import type { Measured } from "../lib/calibrate/measured.ts";
import { readMeasured } from "../lib/calibrate/read_measured.ts";
import { loadPrediction, STACKS } from "../lib/config/load.ts";
import type { PredictionPlan } from "../lib/config/plan.ts";
import type { Role } from "../lib/engine/settings.ts";
import { figureSvg } from "../lib/analysis/figure.ts";
import { ConfigError } from "../lib/errors.ts";
import { writeText } from "../lib/io/process.ts";
import { csvText } from "../lib/report/csv.ts";
import { choice, list, text } from "./arguments.ts";
import { command } from "./command.ts";
import { calibrationText } from "./calibration_texts.ts";
import { configText, jsonText, writeTogether } from "./output.ts";
import { ProgressBar, shareLine, showReading, warn } from "./terminal.ts";

const LINE = {
  command: "calibrate",
  summary: "Compares measurements of a real system with their simulation, and fits the simplest correction that pays.",
  options: {
    config: text("the deployment that was measured, a prediction's YAML file", {
      value: "FILE",
      short: "c",
      required: true,
    }),
    output: text("write the correction here, for timing.calibration", { value: "FILE", short: "o" }),
    stack: choice("which sections the configuration may have", STACKS, { fallback: "dynamo" }),
    set: list("replaces one value of the configuration", { value: "PATH=YAML" }),
    role: choice("whose passes were measured", ["aggregated", "prefill", "decode"], { fallback: "aggregated" }),
    figure: text("also draw the bias by group, without a correction and with it, as SVG", { value: "FILE" }),
    format: choice("a table, JSON, or the errors by group as CSV", ["table", "json", "csv"], { fallback: "table" }),
  },
  operands: { name: "MEASURED", help: "measurements, all of one deployment", least: 1, most: Infinity },
  notes: [
    "Measurements: forward passes (Dynamo's recorder, or a CSV table with latency_ms), Dynamo request traces, AIPerf's " +
    "profile_export.jsonl, detailed results of vllm bench serve and of SGLang's bench_serving.",
    "Errors are (simulated - measured) / measured in percent; those after a fit are of measurements it did not see.",
  ],
} as const;

const TEXTS = {
  table: calibrationText,
  json: jsonText,
  csv: ({ groups }: Calibrated) => csvText(groups.map((row) => ({ ...row }))),
};

/** The command. */
export const calibrateCommand = command(LINE, async (options, operands) => {
  const { plan } = await loadPrediction(await configText(options.config), {
    name: options.config,
    stack: options.stack,
    set: options.set,
  });
  if (!plan.roles.some(({ role }) => role === options.role)) {
    const roles = plan.roles.map(({ role }) => role).join(", ");
    throw new ConfigError(`${options.config} has no ${options.role} role; name one with --role (${roles})`);
  }
  const hide = showReading(operands);
  const measured = await readMeasured(operands).finally(hide);
  const result = await calibrated(measured, plan, options.role as Role);
  writeText("stdout", TEXTS[options.format](result));
  if (result.refused !== null) warn("calibrate", `${result.refused}; nothing was fitted`);
  if (options.figure !== undefined) {
    const { calibrationPlot } = await import("../lib/analysis/calibration_plot.ts");
    await writeTogether("", [[options.figure, [figureSvg(calibrationPlot(result.groups))]]]);
  }
  if (options.output === undefined) return;
  if (result.profile === null) throw new ConfigError(`${options.output} is not written: there is no correction`);
  await writeTogether("", [[options.output, [jsonText(result.profile)]]]);
});

/** Compares and fits, with a bar for each step. */
async function calibrated(measured: Measured, plan: PredictionPlan, role: Role): Promise<Calibrated> {
  let bar = new ProgressBar(), at = "";
  try {
    return await calibrate(measured, plan, {
      role,
      onProgress({ step, share }) {
        if (step !== at) {
          bar.clear();
          [bar, at] = [new ProgressBar(), step];
        }
        bar.draw((elapsedMs, columns) => shareLine(share, step, elapsedMs, columns));
      },
    });
  } finally {
    bar.clear();
  }
}
