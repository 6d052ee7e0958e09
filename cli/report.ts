/**
 * `dynosim report`: output directories of predictions in, one HTML page out.
 *
 * @module
 */
import { capacityPage } from "../lib/analysis/capacity_page.ts";
import { recommendationPage } from "../lib/analysis/recommendation_page.ts";
import { htmlReportSteps } from "../lib/analysis/html_report.ts";
import { readRun, type Run } from "../lib/analysis/run.ts";
import { boundsOf } from "../lib/config/effective.ts";
import { ConfigError, TraceError } from "../lib/errors.ts";
import { writeFileAtomically } from "../lib/io/atomic.ts";
import { joinPath } from "../lib/io/folders.ts";
import { host, isStandardOutput } from "../lib/io/host.ts";
import { writeText } from "../lib/io/process.ts";
import { stopPoint } from "../lib/io/stop.ts";
import type { Sla } from "../lib/report/sla.ts";
import { number, type Option, text, UsageError, type Values } from "./arguments.ts";
import { command } from "./command.ts";
import { capacityResult, reportFile, searchResult } from "./reports.ts";
import { ProgressBar, shareLine, showReading, warn } from "./terminal.ts";

const bound = (metric: string): Option<number | undefined> => ({
  ...number(`bound on ${metric} in milliseconds, instead of the configuration's`, {
    value: "MS",
    fallback: 0,
    least: 0,
  }),
  fallback: undefined,
});

const LINE = {
  command: "report",
  summary:
    "Draws one or several predictions as one self-contained HTML page; the first is what the others are compared with.",
  options: {
    output: text("where the page goes (- is standard output)", { value: "FILE", short: "o", fallback: "report.html" }),
    title: text("heading of the page", { value: "TEXT" }),
    slaTtftMs: bound("time to first token"),
    slaItlMs: bound("time between tokens"),
    slaE2eMs: bound("end-to-end latency"),
  },
  operands: {
    name: "DIR…",
    help: "output directories of predict, or one of recommend or capacity",
    least: 1,
    most: Infinity,
  },
  notes: ["Latencies and queues over time need runs with --capture-per-request."],
} as const;

/** The command. */
export const reportCommand = command(LINE, async (options, folders) => {
  const carried = folders.length === 1 ? await capacityResult(folders[0]) : null;
  if (carried !== null) {
    await writeFileAtomically(options.output, capacityPage(carried, { title: options.title }));
    if (!isStandardOutput(options.output)) writeText("stdout", `Saved report to: ${options.output}\n`);
    return;
  }
  const search = folders.length === 1 ? await searchResult(folders[0]) : null;
  if (search !== null) {
    await writeFileAtomically(options.output, recommendationPage(search, { title: options.title }));
    if (!isStandardOutput(options.output)) writeText("stdout", `Saved report to: ${options.output}\n`);
    return;
  }
  const given = givenBounds(options);
  const names = distinctNames(folders);
  const runs: Run[] = [];
  const hide = showReading(
    folders.flatMap((folder) => ["prediction.json", "requests.jsonl"].map((name) => joinPath(folder, name))),
  );
  try {
    for (const [i, folder] of folders.entries()) {
      if (host().kind(folder) !== "directory") {
        throw new ConfigError(`${folder} is not a directory; give the output directories of predict`);
      }
      reportFile(folder);
      const run = await readRun(folder, { name: names[i] }).catch(asMistake);
      runs.push({ ...run, sla: given ?? (run.config === null ? null : boundsOf(run.config)) });
    }
  } finally {
    hide();
  }
  if (runs.every(({ requests }) => requests === null)) {
    warn(
      "report",
      "no run has per-request records, so latencies over time are missing (predict --capture-per-request)",
    );
  }
  await writeFileAtomically(options.output, await pageOf(runs, options.title));
  if (!isStandardOutput(options.output)) writeText("stdout", `Saved report to: ${options.output}\n`);
});

/** The page, drawn figure by figure, so that the command can be stopped in between. */
async function pageOf(runs: readonly Run[], title: string | undefined): Promise<string> {
  const steps = htmlReportSteps(runs, { title }), bar = new ProgressBar();
  try {
    for (;;) {
      await stopPoint();
      const step = steps.next();
      if (step.done) return step.value;
      bar.draw((elapsedMs, columns) => shareLine(step.value, "drawing", elapsedMs, columns));
    }
  } finally {
    bar.clear();
  }
}

/** What cannot be read of a named directory is a mistake of the command line, as for the other commands. */
function asMistake(problem: unknown): never {
  throw problem instanceof TraceError ? new ConfigError(problem.message, [], { cause: problem }) : problem;
}

function givenBounds({ slaTtftMs, slaItlMs, slaE2eMs }: Values<typeof LINE.options>): Sla | null {
  if (slaTtftMs === undefined && slaItlMs === undefined && slaE2eMs === undefined) return null;
  if (slaE2eMs !== undefined && (slaTtftMs !== undefined || slaItlMs !== undefined)) {
    throw new UsageError("--sla-e2e-ms is mutually exclusive with --sla-ttft-ms and --sla-itl-ms");
  }
  return { ttftMs: slaTtftMs, itlMs: slaItlMs, e2eMs: slaE2eMs };
}

/** The last parts of paths, as many as it takes to tell them apart; repeated paths are numbered. */
export function distinctNames(folders: readonly string[]): string[] {
  const parts = folders.map((folder) => folder.split("/").filter((part) => part !== "" && part !== "."));
  const tail = (count: number) => parts.map((all, i) => all.slice(-count).join("/") || folders[i]);
  const longest = Math.max(...parts.map(({ length }) => length), 1);
  for (let count = 1; count <= longest; count++) {
    const names = tail(count);
    if (new Set(names).size === names.length) return names;
  }
  const names = tail(longest);
  return names.map((name, i) =>
    names.indexOf(name) === i ? name : `${name} (${names.slice(0, i + 1).filter((other) => other === name).length})`
  );
}
