/**
 * `dynosim predict`: a configuration file in, a report out.
 *
 * @module
 */
import { effectiveConfig } from "../lib/config/effective.ts";
import { loadPrediction, STACKS } from "../lib/config/load.ts";
import type { PredictionPlan } from "../lib/config/plan.ts";
import { ConfigError, ResourceLimitError } from "../lib/errors.ts";
import { removeUnfinishedFiles, writeFileAtomically } from "../lib/io/atomic.ts";
import { readBytes } from "../lib/io/bytes.ts";
import { joinPath } from "../lib/io/folders.ts";
import { host } from "../lib/io/host.ts";
import { exit, onInterrupt, writeText } from "../lib/io/process.ts";
import { compactJson } from "../lib/report/json.ts";
import type { Report } from "../lib/report/report.ts";
import { formatCell, terminalTable } from "../lib/report/terminal_table.ts";
import { choice, flag, list, text, UsageError, type Values } from "./arguments.ts";
import { type Command, command, EXIT, exitCode, Interrupted, TimedOut } from "./command.ts";
import { jsonText, prepareOutput, writeReport } from "./output.ts";
import { admit, hostFacts, ResourceWatch, type RunStatus } from "./resources.ts";
import { paint, type Progress, ProgressBar, warn } from "./terminal.ts";

/** Options of a {@link Predict}. */
export interface PredictOptions {
  capturePerRequest: boolean;
  /** Called now and then while the replay runs; what it throws ends the replay. */
  onProgress?: (progress: Progress) => void;
  /** Told before the replay starts what is in vain. */
  onWarning?: (message: string) => void;
  /** Ends loading and replay with its reason. */
  signal?: AbortSignal;
  /** Processors the run may keep busy: a retune runs no more workers. */
  mostParallel?: number;
}

/** Runs a plan. */
export type Predict = (plan: PredictionPlan, options: PredictOptions) => Promise<Report>;

const LINE = {
  command: "predict",
  summary: "Replays a load through a simulated deployment and reports what its users would have seen.",
  options: {
    config: text("the prediction, a YAML file (- reads standard input)", { value: "FILE", short: "c", required: true }),
    stack: text(`${STACKS.join(" or ")}; router and planner sections need dynamo`, {
      value: "NAME",
      fallback: "engine",
    }),
    set: list("replaces one value of the file, e.g. engine.workers.aggregated.parallelism.replicas=4", {
      value: "PATH=YAML",
    }),
    outputDir: text("where prediction.json goes", { value: "DIR", fallback: "./aisimulate-output" }),
    overwrite: flag("replace the files of an earlier run in that directory"),
    format: choice("what is printed; the files stay the same", ["table", "json"], { fallback: "table" }),
    capturePerRequest: flag("also keep every request: requests.jsonl, and per_request in prediction.json"),
    online: flag("refused: replays are offline"),
  },
  notes: [
    "Exit codes: 0 done, 1 the replay failed, 2 command line or configuration, 3 memory or CPU limit, 130 Ctrl-C.",
  ],
} as const;

/** The command. `predict` is loaded when the plan stands, because it brings the whole simulation with it. */
export const predictCommand = (predict: () => Promise<Predict>): Command =>
  command(LINE, async (options) => {
    if (options.online) throw new UsageError("runner does not support execution mode 'online'");
    const { plan, effective, warnings, place } = await loadPrediction(await configText(options.config), {
      name: options.config,
      stack: options.stack,
      set: options.set,
    });
    for (const warning of warnings) warn("predict", warning);
    prepareOutput(options.outputDir, options.overwrite);
    const watch = await startWatch(plan, options.outputDir);
    const report = await supervised(watch, options.outputDir, (guard) =>
      run(plan, effectiveConfig(effective), options, located(predict, place), guard));
    print(report, plan, options);
  });

/** The simulation, loaded when it is called; what it finds wrong with the configuration is told with its place. */
const located = (predict: () => Promise<Predict>, place: (error: ConfigError) => ConfigError): Predict => {
  return async (plan, options) => {
    const simulate = await predict();
    try {
      return await simulate(plan, options);
    } catch (error) {
      throw error instanceof ConfigError ? place(error) : error;
    }
  };
};

async function configText(path: string): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const bytes of readBytes(path, { raw: true })) text += decoder.decode(bytes, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    const message = error instanceof TypeError ? "it is not UTF-8 text" : (error as Error).message;
    throw new ConfigError(`could not read configuration ${path}: ${message}`, [{ path: "", message, file: path }]);
  }
}

/** Makes the budget, or leaves `resource-plan.json` and refuses. */
async function startWatch(plan: PredictionPlan, folder: string): Promise<ResourceWatch> {
  const { source } = plan.traffic;
  const fileBytes = source.type === "trace" ? source.paths.reduce((sum, path) => sum + host().fileBytes(path), 0) : 0;
  const admitted = admit(plan, hostFacts(), fileBytes);
  if (!("error" in admitted)) return new ResourceWatch(admitted, plan.resources);
  const text = jsonText(admitted.plan);
  await writeFileAtomically(joinPath(folder, "resource-plan.json"), text);
  writeText("stderr", text);
  throw admitted.error;
}

/** What a run is guarded by. */
interface Guard {
  watch: ResourceWatch;
  signal: AbortSignal;
  /** Loading is over. */
  started(): void;
}

const STATUS: Record<number, RunStatus> = {
  [EXIT.resources]: "resource_limited",
  [EXIT.interrupted]: "cancelled",
  [EXIT.timeout]: "timed_out",
};

/** Runs under Ctrl-C, the initialization timeout and the memory watch, and leaves `resource-runtime.json`. */
async function supervised<T>(watch: ResourceWatch, folder: string, body: (guard: Guard) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let interruptedAt = Infinity;
  const stop = onInterrupt(() => {
    // a task runner passes on the same Ctrl-C that the terminal sent us; one that comes later is a second thought
    if (performance.now() > interruptedAt + 500) {
      removeUnfinishedFiles();
      exit(EXIT.interrupted);
    }
    interruptedAt = Math.min(interruptedAt, performance.now());
    controller.abort(new Interrupted());
  });
  const seconds = watch.requested.initialization_timeout_seconds;
  const timeout = () => controller.abort(new TimedOut("execution initialization timed out"));
  const timer = setTimeout(timeout, Math.min(seconds * 1000, 2 ** 31 - 1));
  const record = (status: RunStatus, reason: string | null, code: number) =>
    writeFileAtomically(joinPath(folder, "resource-runtime.json"), jsonText(watch.record(status, reason, code)));
  try {
    const result = await body({ watch, signal: controller.signal, started: () => clearTimeout(timer) });
    await record("completed", null, EXIT.ok);
    return result;
  } catch (problem) {
    const error = controller.signal.aborted ? controller.signal.reason : problem;
    const code = exitCode(error);
    const known = STATUS[code];
    await record(known ?? "failed", known ? error.message : `execution process exited with status ${code}`, code);
    throw error;
  } finally {
    clearTimeout(timer);
    stop();
  }
}

async function run(
  plan: PredictionPlan,
  config: string,
  { outputDir, capturePerRequest }: Values<typeof LINE.options>,
  predict: Predict,
  { watch, signal, started }: Guard,
): Promise<Report> {
  const bar = new ProgressBar();
  const look = () => {
    signal.throwIfAborted();
    watch.look();
  };
  try {
    const report = await predict(plan, {
      capturePerRequest,
      signal,
      onWarning: (message) => warn("predict", message),
      mostParallel: watch.budget.cpus,
      onProgress(progress) {
        started();
        look();
        bar.update(progress);
      },
    });
    started();
    look();
    await writeReport(outputDir, report, config, look);
    return report;
  } catch (error) {
    if (error instanceof RangeError && /allocation|Invalid (typed )?array length/i.test(error.message)) {
      throw new ResourceLimitError("owned process tree exceeded the memory budget", { cause: error });
    }
    throw error;
  } finally {
    bar.clear();
  }
}

function print({ summary }: Report, { stack }: PredictionPlan, options: Values<typeof LINE.options>): void {
  const { completed_requests, num_requests, rejected_requests = 0, failed_requests = 0 } = summary;
  const longest = summary.largest_prompt_tokens;
  const fits = longest === undefined
    ? ""
    : `; the largest prompt that fits has ${longest.toLocaleString("en-US")} tokens`;
  if (completed_requests === 0) {
    const why = rejected_requests > 0 ? `: ${rejected_requests} rejected${fits}` : "";
    warn("predict", paint("bold", `none of the ${num_requests} requests completed${why}`));
  }
  if (options.format === "json") {
    writeText("stdout", `${compactJson(summary)}\n`);
    return;
  }
  const lines = [terminalTable(summary)];
  if (rejected_requests > 0) lines.push(`Rejected Requests: ${formatCell(rejected_requests)}${fits}`);
  if (failed_requests > 0) lines.push(`Failed Requests: ${formatCell(failed_requests)}`);
  if (stack === "dynamo") lines.push("Timing (runner): unavailable");
  lines.push(`Saved full report to: ${joinPath(options.outputDir, "prediction.json")}`);
  writeText("stdout", `${lines.join("\n")}\n`);
}
