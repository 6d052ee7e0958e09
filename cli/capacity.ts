/**
 * `dynosim capacity`: how much load a deployment carries within its SLA, and what runs out then.
 *
 * @module
 */
import { brevityText, carriedText, loadColumns, saturationText } from "../lib/analysis/capacity_story.ts";
import { figureSvg } from "../lib/analysis/figure.ts";
import { CAPACITY_FILE } from "../lib/analysis/read_capacity.ts";
import { type Capacity, capacity } from "../lib/capacity/capacity.ts";
import { LOAD_AXES } from "../lib/capacity/load_axis.ts";
import { effectiveConfig } from "../lib/config/effective.ts";
import { loadPrediction, STACKS } from "../lib/config/load.ts";
import { ConfigError } from "../lib/errors.ts";
import { writeFileAtomically } from "../lib/io/atomic.ts";
import { writeText } from "../lib/io/process.ts";
import { atMost } from "../lib/jobs/at_most.ts";
import { threads } from "../lib/jobs/threads.ts";
import { CONFIG_FILE } from "../lib/report/report.ts";
import { csvText } from "../lib/report/csv.ts";
import { alignedRows, wrapped } from "../lib/report/text_table.ts";
import { choice, flag, list, number, text, UsageError } from "./arguments.ts";
import { type Command, command } from "./command.ts";
import { EXECUTOR, replayers } from "./executor.ts";
import { configText, jsonText, prepareOutput, writeTogether } from "./output.ts";
import { outputColumns, ProgressBar, shareLine, warn } from "./terminal.ts";

const LINE = {
  command: "capacity",
  summary: "Finds the largest load that a deployment carries within its SLA, and what runs out beyond it.",
  options: {
    config: text("the prediction, a YAML file (- reads standard input)", { value: "FILE", short: "c", required: true }),
    stack: text(`${STACKS.join(" or ")}; default dynamo with a router, planner or autoscaler section, else engine`, {
      value: "NAME",
    }),
    set: list("replaces one value of the file", { value: "PATH=YAML" }),
    over: text(`what is turned up: ${LOAD_AXES.join(", ")}; what the load has unless it is given`, { value: "AXIS" }),
    attainment: number("share of requests that must be within the SLA", { value: "SHARE", fallback: 0.99 }),
    parallelism: number("replays at a time", { value: "N", fallback: 2, least: 1, integer: true }),
    executor: EXECUTOR,
    figure: text("also draw the share against the load, as SVG", { value: "FILE" }),
    outputDir: text(`also write ${CAPACITY_FILE} there, for dynosim report and explain`, { value: "DIR" }),
    overwrite: flag("replace the files of an earlier run in that directory"),
    format: choice("a table to read, or the same as JSON or CSV", ["table", "json", "csv"], { fallback: "table" }),
  },
  notes: ["The edge is known to 1 %. A load above one that is too much is taken for too much as well."],
} as const;

/** Time in which an interrupted search takes its jobs back from a queue. */
const END_WITHIN_MS = 10_000;

/** The command. */
export const capacityCommand = (version: string): Command =>
  command(LINE, async (options, _operands, control) => {
    const { over, attainment } = options;
    if (over !== undefined && !(LOAD_AXES as readonly string[]).includes(over)) {
      throw new UsageError(`argument --over: invalid choice: '${over}' (choose from ${LOAD_AXES.join(", ")})`);
    }
    if (!(attainment > 0 && attainment <= 1)) {
      throw new UsageError("argument --attainment: must be above 0 and at most 1");
    }
    const { outputDir: folder, overwrite } = options;
    if (overwrite && folder === undefined) throw new UsageError("--overwrite has no effect without --output-dir");
    const { plan, warnings, effective, place } = await loadPrediction(await configText(options.config), {
      name: options.config,
      stack: options.stack,
      set: options.set,
    });
    for (const warning of warnings) warn("capacity", warning);
    if (folder !== undefined) await prepareOutput(folder, overwrite);
    const { executor, end } = await replayers("capacity", options.executor, () =>
      threads(options.parallelism), async () => {
      const [{ needsOf }, { planSpec }, { CAPACITY_KIND }] = await Promise.all([
        import("../lib/replay/needs.ts"),
        import("../lib/replay/predict.ts"),
        import("../lib/capacity/capacity_kind.ts"),
      ]);
      return { kind: CAPACITY_KIND, version, name: "capacity", ...await needsOf(planSpec(plan)) };
    });
    let found: Capacity;
    const bar = new ProgressBar();
    let replayed = 0;
    try {
      found = await capacity(plan, {
        over: over as Capacity["over"] | undefined,
        attainment,
        executor: atMost(options.parallelism, executor),
        onPoint({ value, attainment }, left) {
          replayed++;
          const last = `load ${Number(value.toPrecision(4))}: ${(attainment * 100).toFixed(2)} % within the SLA`;
          const what = `${replayed} loads replayed, ${last}`;
          bar.draw((elapsedMs, columns) =>
            shareLine(replayed / (replayed + left), what, elapsedMs, columns)
          );
        },
        signal: control.signal,
      });
    } catch (error) {
      throw error instanceof ConfigError ? place(error) : error;
    } finally {
      bar.clear();
      await end();
    }
    if (options.figure !== undefined) {
      const { capacityPlot } = await import("../lib/analysis/capacity_plot.ts");
      await writeFileAtomically(options.figure, figureSvg(capacityPlot(found)));
    }
    if (folder !== undefined) {
      await writeTogether(folder, [
        [CAPACITY_FILE, [jsonText(found)]],
        [CONFIG_FILE, [effectiveConfig(effective)]],
      ]);
    }
    writeText("stdout", TEXTS[options.format](found));
    for (const warning of found.warnings) {
      warn("capacity", warning);
    }
  }, { stopWithinMs: END_WITHIN_MS });

const TEXTS = {
  table: (found: Capacity) => capacityText(found),
  json: (found: Capacity) => jsonText(found),
  csv: ({ points, largest }: Capacity) =>
    csvText(points.map(({ cost, ...point }) => ({
      ...point,
      ...(cost === undefined ? {} : { cost_per_thousand_good_requests: cost.per_thousand_good_requests }),
      carried: largest !== null && point.value <= largest,
    }))),
};

/** A capacity as people read it. */
export function capacityText(found: Capacity): string {
  const columns = loadColumns(found);
  const rows = [
    columns.map(([head]) => head),
    ...found.points.map((point) => columns.map(([, of]) => of(point, found))),
  ];
  const verdict = [carriedText(found), brevityText(found), saturationText(found)].filter((text) => text !== null).join(
    "; ",
  );
  return [...alignedRows(rows), "", ...wrapped(verdict, outputColumns(), 2), ""].join("\n");
}
