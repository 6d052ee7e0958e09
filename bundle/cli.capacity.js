import {
  LOAD_AXES,
  capacity
} from "./search.js";
import "./retune.js";
import "./router.js";
import "./planner.js";
import {
  CAPACITY_FILE,
  brevityText,
  carriedText,
  figureSvg,
  loadColumns,
  saturationText
} from "./analysis.js";
import "./traces.js";
import "./core.js";
import {
  threads
} from "./shared.js";
import {
  CONFIG_FILE,
  EXECUTOR,
  STACKS,
  configText,
  effectiveConfig,
  jsonText,
  loadPrediction,
  prepareOutput,
  replayers,
  writeTogether
} from "./config.js";
import "./timing.js";
import {
  ConfigError,
  ProgressBar,
  UsageError,
  alignedRows,
  choice,
  command,
  csvText,
  flag,
  list,
  number2 as number,
  outputColumns,
  shareLine,
  text,
  warn,
  wrapped,
  writeFileAtomically,
  writeText
} from "./base.js";

// lib/jobs/at_most.ts
var atMost = (parallel, executor) => ({
  parallel,
  open(kind, setup) {
    const runner = executor.open(kind, setup);
    return {
      parallel,
      do: (job, options) => runner.do(job, options),
      close: () => runner.close()
    };
  }
});

// cli/capacity.ts
var LINE = {
  command: "capacity",
  summary: "Finds the largest load that a deployment carries within its SLA, and what runs out beyond it.",
  options: {
    config: text("the prediction, a YAML file (- reads standard input)", {
      value: "FILE",
      short: "c",
      required: true
    }),
    stack: text(`${STACKS.join(" or ")}; default dynamo with a router, planner or autoscaler section, else engine`, {
      value: "NAME"
    }),
    set: list("replaces one value of the file", {
      value: "PATH=YAML"
    }),
    over: text(`what is turned up: ${LOAD_AXES.join(", ")}; what the load has unless it is given`, {
      value: "AXIS"
    }),
    attainment: number("share of requests that must be within the SLA", {
      value: "SHARE",
      fallback: 0.99
    }),
    parallelism: number("replays at a time", {
      value: "N",
      fallback: 2,
      least: 1,
      integer: true
    }),
    executor: EXECUTOR,
    figure: text("also draw the share against the load, as SVG", {
      value: "FILE"
    }),
    outputDir: text(`also write ${CAPACITY_FILE} there, for dynosim report and explain`, {
      value: "DIR"
    }),
    overwrite: flag("replace the files of an earlier run in that directory"),
    format: choice("a table to read, or the same as JSON or CSV", [
      "table",
      "json",
      "csv"
    ], {
      fallback: "table"
    })
  },
  notes: [
    "The edge is known to 1 %. A load above one that is too much is taken for too much as well."
  ]
};
var END_WITHIN_MS = 1e4;
var capacityCommand = (version) => command(LINE, async (options, _operands, control) => {
  const { over, attainment } = options;
  if (over !== void 0 && !LOAD_AXES.includes(over)) {
    throw new UsageError(`argument --over: invalid choice: '${over}' (choose from ${LOAD_AXES.join(", ")})`);
  }
  if (!(attainment > 0 && attainment <= 1)) {
    throw new UsageError("argument --attainment: must be above 0 and at most 1");
  }
  const { outputDir: folder, overwrite } = options;
  if (overwrite && folder === void 0) throw new UsageError("--overwrite has no effect without --output-dir");
  const { plan, warnings, effective, place } = await loadPrediction(await configText(options.config), {
    name: options.config,
    stack: options.stack,
    set: options.set
  });
  for (const warning of warnings) warn("capacity", warning);
  if (folder !== void 0) await prepareOutput(folder, overwrite);
  const { executor, end } = await replayers("capacity", options.executor, () => threads(options.parallelism), async () => {
    const [{ needsOf }, { planSpec }, { CAPACITY_KIND }] = await Promise.all([
      import(import.meta.resolve("./lib.replay.needs.js")),
      import(import.meta.resolve("./lib.replay.predict.js")),
      import(import.meta.resolve("./lib.capacity.capacity_kind.js"))
    ]);
    return {
      kind: CAPACITY_KIND,
      version,
      name: "capacity",
      ...await needsOf(planSpec(plan))
    };
  });
  let found;
  const bar = new ProgressBar();
  let replayed = 0;
  try {
    found = await capacity(plan, {
      over,
      attainment,
      executor: atMost(options.parallelism, executor),
      onPoint({ value, attainment: attainment2 }, left) {
        replayed++;
        const last = `load ${Number(value.toPrecision(4))}: ${(attainment2 * 100).toFixed(2)} % within the SLA`;
        const what = `${replayed} loads replayed, ${last}`;
        bar.draw((elapsedMs, columns) => shareLine(replayed / (replayed + left), what, elapsedMs, columns));
      },
      signal: control.signal
    });
  } catch (error) {
    throw error instanceof ConfigError ? place(error) : error;
  } finally {
    bar.clear();
    await end();
  }
  if (options.figure !== void 0) {
    const { capacityPlot } = await import(import.meta.resolve("./lib.analysis.capacity_plot.js"));
    await writeFileAtomically(options.figure, figureSvg(capacityPlot(found)));
  }
  if (folder !== void 0) {
    await writeTogether(folder, [
      [
        CAPACITY_FILE,
        [
          jsonText(found)
        ]
      ],
      [
        CONFIG_FILE,
        [
          effectiveConfig(effective)
        ]
      ]
    ]);
  }
  writeText("stdout", TEXTS[options.format](found));
  for (const warning of found.warnings) {
    warn("capacity", warning);
  }
}, {
  stopWithinMs: END_WITHIN_MS
});
var TEXTS = {
  table: (found) => capacityText(found),
  json: (found) => jsonText(found),
  csv: ({ points, largest }) => csvText(points.map(({ cost, ...point }) => ({
    ...point,
    ...cost === void 0 ? {} : {
      cost_per_thousand_good_requests: cost.per_thousand_good_requests
    },
    carried: largest !== null && point.value <= largest
  })))
};
function capacityText(found) {
  const columns = loadColumns(found);
  const rows = [
    columns.map(([head]) => head),
    ...found.points.map((point) => columns.map(([, of]) => of(point, found)))
  ];
  const verdict = [
    carriedText(found),
    brevityText(found),
    saturationText(found)
  ].filter((text2) => text2 !== null).join("; ");
  return [
    ...alignedRows(rows),
    "",
    ...wrapped(verdict, outputColumns(), 2),
    ""
  ].join("\n");
}
export {
  capacityCommand,
  capacityText
};
