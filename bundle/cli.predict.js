import {
  EXECUTOR,
  OPERATION_DETAILS,
  STACKS,
  TOP_OPERATIONS,
  calibrationLine,
  compactJson,
  configText,
  detailNames,
  detailsOf,
  detailsText,
  effectiveConfig,
  inline,
  joinPath,
  judgedFigures,
  loadPrediction,
  plannerHealth,
  prepareOutput,
  replayers,
  startWatch,
  supervised,
  terminalTable,
  verdictLines,
  writeReport
} from "./config.js";
import {
  ConfigError,
  EXIT,
  ProgressBar,
  SimulationError,
  UsageError,
  assumptionsText,
  choice,
  command,
  csvText,
  flag,
  grouped,
  list,
  number2 as number,
  outputColumns,
  paint,
  showReading,
  text,
  warn,
  wrapped,
  writeText
} from "./base.js";

// cli/predict.ts
var LINE = {
  command: "predict",
  summary: "Replays a load through a simulated deployment and reports what its users would have seen.",
  options: {
    config: text("the prediction, a YAML file (- reads standard input)", {
      value: "FILE",
      short: "c",
      required: true
    }),
    stack: text(`${STACKS.join(" or ")}; default dynamo with a router, planner or autoscaler section, else engine`, {
      value: "NAME"
    }),
    set: list("replaces one value of the file, e.g. engine.workers.aggregated.parallelism.replicas=4", {
      value: "PATH=YAML"
    }),
    outputDir: text("where prediction.json goes", {
      value: "DIR",
      fallback: "./aisimulate-output"
    }),
    overwrite: flag("replace the files of an earlier run in that directory"),
    format: choice("what is printed; the files stay the same", [
      "table",
      "json",
      "csv"
    ], {
      fallback: "table"
    }),
    detail: text("also report summary, memory, time, energy or source (a comma list), or all", {
      value: "SECTIONS"
    }),
    detailTopN: number(`most operations of a phase in the text of --detail time and source (${TOP_OPERATIONS})`, {
      value: "N",
      least: 1,
      integer: true
    }),
    diagnostics: choice("power: the same as --detail energy", [
      "none",
      "power"
    ], {
      fallback: "none"
    }),
    capturePerRequest: flag("also keep every request: requests.jsonl, and per_request in prediction.json"),
    executor: {
      ...EXECUTOR,
      help: `of a retune: ${EXECUTOR.help}`
    },
    online: flag("refused: replays are offline")
  },
  exits: {
    [EXIT.failed]: "the replay failed or no request completed",
    [EXIT.resources]: "memory or CPU limit",
    [EXIT.timeout]: "timeout"
  }
};
var predictCommand = (predict, version = () => Promise.resolve("")) => command(LINE, async (options, _operands, control) => {
  if (options.online) throw new UsageError("runner does not support execution mode 'online'");
  const asked = [
    options.detail ?? [],
    options.diagnostics === "power" ? "energy" : []
  ].flat();
  const parts = asked.length === 0 ? [] : detailNames(asked.join(","));
  const listed = parts.some((part) => OPERATION_DETAILS.includes(part));
  if (options.detailTopN !== void 0 && !(listed && options.format === "table")) {
    throw new UsageError("--detail-top-n has no effect without --detail time, energy or source and --format table: files keep all operations");
  }
  const { plan, effective, warnings, place } = await loadPrediction(await configText(options.config), {
    name: options.config,
    stack: options.stack,
    set: options.set
  });
  const told = [
    ...warnings
  ];
  if (options.executor !== "threads" && plan.retune === null) {
    throw new UsageError("--executor has no effect: only the sweeps of a retune are sent, and planner.retune is absent");
  }
  const onWarning = (message) => told.push(message);
  const simulation = predict();
  simulation.catch(() => {
  });
  try {
    await prepareOutput(options.outputDir, options.overwrite);
    const watch = await startWatch(plan, options.outputDir, options.capturePerRequest);
    let roles = [];
    const onResolved = (resolved) => roles = resolved;
    const simulate = located(simulation, place);
    let details, operations = null;
    const onOperations = listed ? (totals) => operations = totals : void 0;
    const report = await supervised(watch, options.outputDir, control, (guard) => run(async (settings) => {
      const report2 = await withReplayers(plan, options.executor, version, (executor) => simulate(plan, {
        ...settings,
        executor,
        onResolved,
        onWarning,
        onOperations
      }));
      if (parts.length > 0) details = detailsOf(parts, {
        summary: report2.summary,
        roles,
        operations
      });
      return details === void 0 ? report2 : {
        ...report2,
        details
      };
    }, plan, effectiveConfig(effective), options, guard));
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
async function withReplayers(plan, option, version, use) {
  if (option === "threads") return await use(void 0);
  const [{ needsOf }, { planSpec }, { SWEEP_KIND }] = await Promise.all([
    import(import.meta.resolve("./lib.replay.needs.js")),
    import(import.meta.resolve("./lib.replay.predict.js")),
    import(import.meta.resolve("./lib.replay.sweep_kind.js"))
  ]);
  const { executor, end } = await replayers("predict", option, inline, async () => ({
    kind: SWEEP_KIND,
    version: await version(),
    name: "sweeps",
    ...await needsOf(planSpec(plan))
  }));
  try {
    return await use(executor);
  } finally {
    await end();
  }
}
var located = (simulation, place) => {
  return async (plan, options) => {
    const simulate = await simulation;
    try {
      return await simulate(plan, options);
    } catch (error) {
      throw error instanceof ConfigError ? place(error) : error;
    }
  };
};
async function run(simulate, plan, config, { outputDir, capturePerRequest }, { watch, signal, started }) {
  const { source } = plan.traffic;
  const hide = showReading(source.type === "trace" ? source.paths : []);
  let bar = null;
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
      }
    });
    started();
    look();
    await writeReport(outputDir, report, {
      config,
      flat: plan.stack === "engine",
      between: look
    });
    return report;
  } finally {
    hide();
    bar?.clear();
  }
}
function nothingCompleted({ summary }) {
  const { completed_requests, num_requests, rejected_requests = 0, largest_prompt_tokens: longest } = summary;
  if (completed_requests > 0) return null;
  const fits = longest === void 0 ? "" : `; the largest prompt that fits has ${grouped(longest)} tokens`;
  const why = rejected_requests > 0 ? `: ${rejected_requests} rejected${fits}` : "";
  return `none of the ${num_requests} requests completed${why}`;
}
function printed(report, roles, options, details) {
  const { summary, evaluation } = report;
  if (options.format === "json") {
    return `${compactJson({
      ...details ? {
        summary,
        details
      } : summary,
      ...evaluation && {
        evaluation
      }
    })}
`;
  }
  if (options.format === "csv") {
    const judged2 = Object.entries(judgedFigures(summary, evaluation ?? {})).filter(([, value]) => value != null);
    const figures = Object.entries(summary).filter(([, value]) => !isObject(value));
    return csvText([
      Object.fromEntries([
        ...judged2,
        ...figures
      ])
    ]);
  }
  const columns = outputColumns();
  const judged = verdictLines(report).flatMap((line) => wrapped(line, columns, 2));
  const lines = [
    ...judged,
    ...judged.length > 0 ? [
      ""
    ] : [],
    terminalTable(report, {
      columns
    }),
    ""
  ];
  for (const { role, blocks, blocksFrom, maxModelTokens, assumed } of roles) {
    const context = maxModelTokens === null ? "" : `; sequences of up to ${grouped(maxModelTokens)} tokens`;
    lines.push(...wrapped(`KV blocks (${role}): ${grouped(blocks)}, ${blocksFrom}${context}`, columns, 2));
    if (assumed) lines.push(...wrapped(`Assumed (${role}): ${assumptionsText(assumed)}`, columns, 2));
  }
  for (const { role, calibration } of report.metadata?.roles ?? []) {
    if (calibration) lines.push(...wrapped(calibrationLine(role, calibration), columns, 2));
  }
  if (details) lines.push("", detailsText(details, options.detailTopN));
  lines.push(`Simulated in ${(summary.wall_time_ms / 1e3).toFixed(2)} s`);
  lines.push(`Saved full report to: ${joinPath(options.outputDir, "prediction.json")}`);
  return `${lines.join("\n")}
`;
}
var isObject = (value) => typeof value === "object" && value !== null;
export {
  predictCommand
};
