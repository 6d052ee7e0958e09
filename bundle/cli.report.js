import {
  capacityPage,
  capacityResult,
  htmlReportSteps,
  recommendationPage,
  reportFile,
  searchResult
} from "./drawing.js";
import {
  readRun
} from "./analysis.js";
import "./shared.js";
import {
  boundsOf,
  joinPath
} from "./config.js";
import "./timing.js";
import {
  ConfigError,
  ProgressBar,
  TraceError,
  UsageError,
  command,
  host,
  isStandardOutput,
  number2 as number,
  shareLine,
  showReading,
  stopPoint,
  text,
  warn,
  writeFileAtomically,
  writeText
} from "./base.js";

// cli/report.ts
var bound = (metric) => ({
  ...number(`bound on ${metric} in milliseconds, instead of the configuration's`, {
    value: "MS",
    fallback: 0,
    least: 0
  }),
  fallback: void 0
});
var LINE = {
  command: "report",
  summary: "Draws one or several predictions as one self-contained HTML page; the first is what the others are compared with.",
  options: {
    output: text("where the page goes (- is standard output)", {
      value: "FILE",
      short: "o",
      fallback: "report.html"
    }),
    title: text("heading of the page", {
      value: "TEXT"
    }),
    slaTtftMs: bound("time to first token"),
    slaItlMs: bound("time between tokens"),
    slaE2eMs: bound("end-to-end latency")
  },
  operands: {
    name: "DIR\u2026",
    help: "output directories of predict, or one of recommend or capacity",
    least: 1,
    most: Infinity
  },
  notes: [
    "Latencies and queues over time need runs with --capture-per-request."
  ]
};
var reportCommand = command(LINE, async (options, folders) => {
  const carried = folders.length === 1 ? await capacityResult(folders[0]) : null;
  if (carried !== null) {
    await writeFileAtomically(options.output, capacityPage(carried, {
      title: options.title
    }));
    if (!isStandardOutput(options.output)) writeText("stdout", `Saved report to: ${options.output}
`);
    return;
  }
  const search = folders.length === 1 ? await searchResult(folders[0]) : null;
  if (search !== null) {
    await writeFileAtomically(options.output, recommendationPage(search, {
      title: options.title
    }));
    if (!isStandardOutput(options.output)) writeText("stdout", `Saved report to: ${options.output}
`);
    return;
  }
  const given = givenBounds(options);
  const names = distinctNames(folders);
  const runs = [];
  const hide = showReading(folders.flatMap((folder) => [
    "prediction.json",
    "requests.jsonl"
  ].map((name) => joinPath(folder, name))));
  try {
    for (const [i, folder] of folders.entries()) {
      if (host().kind(folder) !== "directory") {
        throw new ConfigError(`${folder} is not a directory; give the output directories of predict`);
      }
      reportFile(folder);
      const run = await readRun(folder, {
        name: names[i]
      }).catch(asMistake);
      runs.push({
        ...run,
        sla: given ?? (run.config === null ? null : boundsOf(run.config))
      });
    }
  } finally {
    hide();
  }
  if (runs.every(({ requests }) => requests === null)) {
    warn("report", "no run has per-request records, so latencies over time are missing (predict --capture-per-request)");
  }
  await writeFileAtomically(options.output, await pageOf(runs, options.title));
  if (!isStandardOutput(options.output)) writeText("stdout", `Saved report to: ${options.output}
`);
});
async function pageOf(runs, title) {
  const steps = htmlReportSteps(runs, {
    title
  }), bar = new ProgressBar();
  try {
    for (; ; ) {
      await stopPoint();
      const step = steps.next();
      if (step.done) return step.value;
      bar.draw((elapsedMs, columns) => shareLine(step.value, "drawing", elapsedMs, columns));
    }
  } finally {
    bar.clear();
  }
}
function asMistake(problem) {
  throw problem instanceof TraceError ? new ConfigError(problem.message, [], {
    cause: problem
  }) : problem;
}
function givenBounds({ slaTtftMs, slaItlMs, slaE2eMs }) {
  if (slaTtftMs === void 0 && slaItlMs === void 0 && slaE2eMs === void 0) return null;
  if (slaE2eMs !== void 0 && (slaTtftMs !== void 0 || slaItlMs !== void 0)) {
    throw new UsageError("--sla-e2e-ms is mutually exclusive with --sla-ttft-ms and --sla-itl-ms");
  }
  return {
    ttftMs: slaTtftMs,
    itlMs: slaItlMs,
    e2eMs: slaE2eMs
  };
}
function distinctNames(folders) {
  const parts = folders.map((folder) => folder.split("/").filter((part) => part !== "" && part !== "."));
  const tail = (count) => parts.map((all, i) => all.slice(-count).join("/") || folders[i]);
  const longest = Math.max(...parts.map(({ length }) => length), 1);
  for (let count = 1; count <= longest; count++) {
    const names2 = tail(count);
    if (new Set(names2).size === names2.length) return names2;
  }
  const names = tail(longest);
  return names.map((name, i) => names.indexOf(name) === i ? name : `${name} (${names.slice(0, i + 1).filter((other) => other === name).length})`);
}
export {
  distinctNames,
  reportCommand
};
