/**
 * A run to look at: a report in memory or an output folder, with a name and what is known about how it was made.
 *
 * @module
 */
import type { ColumnTable } from "./arquero.ts";
import { checkOptions, type OptionNames, TraceError } from "../errors.ts";
import { ByteSourceError, readBytes } from "../io/bytes.ts";
import { joinPath } from "../io/folders.ts";
import { CONFIG_FILE, type Coverage, type Report, type RunMetadata } from "../report/report.ts";
import type { Evaluation } from "../report/evaluation.ts";
import type { PlannerSection } from "../report/planner_section.ts";
import type { Sla } from "../report/sla.ts";
import type { Summary } from "../report/summary.ts";
import type { Telemetry } from "../report/telemetry.ts";
import type { WorkerRow } from "../report/worker_rows.ts";
import { LineCutter } from "../trace/lines.ts";
import { readPrediction } from "./read_prediction.ts";
import { RequestColumns, requestsTable } from "./requests_table.ts";

/** One run, ready for tables and pictures. */
export interface Run {
  /** Short name for legends and column heads. */
  readonly name: string;
  /** Figures of the run. */
  readonly summary: Summary;
  /** What the Planner did; null when none ran. */
  readonly planner: PlannerSection | null;
  /** What the report holds beyond the summary. */
  readonly coverage: Coverage;
  /** What its workers were and what their times and blocks rest on; null when unknown. */
  readonly metadata: RunMetadata | null;
  /** How it is judged; null when nothing was asked about it. */
  readonly evaluation: Evaluation | null;
  /** What each worker served; empty when unknown. */
  readonly workers: readonly WorkerRow[];
  /** Samples of the cluster; null unless captured. */
  readonly telemetry: Telemetry | null;
  /** Table of requests, null when they were not captured. */
  readonly requests: ColumnTable | null;
  /** Bounds to draw and to judge requests by. */
  readonly sla: Sla | null;
  /** Text of the configuration, null when unknown. */
  readonly config: string | null;
}

/** What a report does not say about its run. */
export interface RunOptions {
  /** Default: the last part of the folder's path, or `run`. */
  name?: string;
  /** Bounds the run was held to. Default: those of its evaluation. */
  sla?: Sla | null;
  /** The configuration as text. Default: not known. */
  config?: string | null;
}

const OPTIONS: OptionNames<RunOptions> = { name: true, sla: true, config: true };

/** The bounds that a report was held to. */
function boundsOf(evaluation: Evaluation | undefined): Sla | null {
  const bounds = evaluation?.sla?.bounds;
  if (bounds === undefined) return null;
  const { ttft_ms: ttftMs, itl_ms: itlMs, e2e_ms: e2eMs } = bounds;
  return e2eMs === null ? { ttftMs, itlMs } : { e2eMs };
}

/**
 * Makes a run of a report in memory.
 *
 * @param report what a replay returned
 *
 * @example
 * ```ts
 * import { readTrace, replay, toRun } from "dynosim";
 *
 * const { report } = replay(readTrace("fixtures/traces/chat.jsonl"), { capturePerRequest: true });
 * const run = toRun(await report, { name: "one worker", sla: { ttftMs: 200 } });
 * console.log(run.requests!.numRows()); // 2000
 * ```
 */
export function toRun(report: Report, options: RunOptions = {}): Run {
  checkOptions("toRun()", options, OPTIONS);
  return {
    name: options.name ?? "run",
    summary: report.summary,
    planner: report.planner,
    coverage: report.coverage,
    metadata: report.metadata ?? null,
    telemetry: report.telemetry ?? null,
    requests: report.per_request === null ? null : requestsTable(report),
    evaluation: report.evaluation ?? null,
    workers: report.workers ?? [],
    sla: options.sla ?? boundsOf(report.evaluation),
    config: options.config ?? null,
  };
}

/**
 * Reads the output folder of a prediction: `prediction.json`, the requests line by line into columns (from
 * `requests.jsonl`, or from `prediction.json` when that is gone), and the configuration.
 *
 * @throws {TraceError} when `prediction.json` cannot be read or a line is not a record.
 *
 * @example
 * ```ts
 * import { compareRuns, readRun } from "dynosim";
 *
 * async function compare(folders: string[]) {
 *   compareRuns(await Promise.all(folders.map((folder) => readRun(folder)))).print();
 * }
 * console.log(typeof compare); // function
 * ```
 */
export async function readRun(folder: string, options: RunOptions = {}): Promise<Run> {
  checkOptions("readRun()", options, OPTIONS);
  const fromLines = await readRequests(joinPath(folder, "requests.jsonl"));
  const columns = new RequestColumns();
  const { report, hasRecords } = await readPrediction(
    joinPath(folder, "prediction.json"),
    fromLines === null ? (record) => columns.add(record) : null,
  );
  const run = toRun(report, {
    ...options,
    name: options.name ?? (folder.split("/").filter((part) => part !== "" && part !== ".").at(-1) ?? folder),
    config: options.config ?? await readText(joinPath(folder, CONFIG_FILE)),
  });
  return { ...run, requests: fromLines ?? (hasRecords ? columns.table() : null) };
}

async function readRequests(path: string): Promise<ColumnTable | null> {
  const columns = new RequestColumns();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const cutter = new LineCutter();
  const add = (line: { bytes: Uint8Array; start: number; end: number; number: number }) => {
    try {
      columns.add(JSON.parse(decoder.decode(line.bytes.subarray(line.start, line.end))));
    } catch (cause) {
      const place = { file: path, line: line.number };
      throw new TraceError(`Cannot parse line ${line.number} of ${path} as a request record`, place, { cause });
    }
  };
  try {
    for await (const piece of readBytes(path)) for (const line of cutter.cut(piece)) add(line);
    for (const line of cutter.finish()) add(line);
  } catch (problem) {
    if (problem instanceof ByteSourceError && problem.stage === "open") return null;
    throw problem;
  }
  return columns.table();
}

/** The text of a file, null when it cannot be opened. */
async function readText(path: string): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const piece of readBytes(path)) text += decoder.decode(piece, { stream: true });
  } catch (problem) {
    if (problem instanceof ByteSourceError && problem.stage === "open") return null;
    throw problem;
  }
  return text + decoder.decode();
}
