/**
 * The report of a run: one object that is both what a script gets and what `prediction.json` holds, and the texts of
 * `prediction.json` and `requests.jsonl`.
 *
 * @module
 */
import { checkOptions } from "../errors.ts";
import type { Details } from "./details.ts";
import type { RequestRecords } from "../engine/records.ts";
import type { AgentOutcome, Workload } from "../traffic/workload.ts";
import { type AgenticSummary, agenticSummary } from "./agentic_summary.ts";
import { evaluate, type Evaluation } from "./evaluation.ts";
import { escapeBeyondAscii } from "./indented_writer.ts";
import { compactJson, indentedJson, indentedPieces } from "./json.ts";
import { PerRequestRecords, type RecordList, type RequestRecord } from "./per_request.ts";
import type { PlannerSection } from "./planner_section.ts";
import type { Price } from "./price.ts";
import type { ServedRequests } from "./served_requests.ts";
import type { Sla } from "./sla.ts";
import { type ClusterTotals, summarize, type Summary, type TokenDistributions } from "./summary.ts";
import type { Telemetry } from "./telemetry.ts";
import type { WorkerRow } from "./worker_rows.ts";

/** File beside `prediction.json` with the configuration of the run, overrides applied. */
export const CONFIG_FILE = "effective-config.yaml";

/** What a report holds beyond the summary. */
export interface Coverage {
  /** Whether there are records of requests. */
  capture_per_request: boolean;
  /** True when a scaling policy ran and its details were kept. */
  capture_planner_details: boolean;
  /** Number of per-request records; 0 when they were not captured. */
  per_request_records: number;
}

/** A calibration in a run. */
export interface RunCalibration {
  /** How detailed it is. */
  level: string;
  /** Passes that it corrected. */
  passes: number;
  /** Those outside of what was measured, whose correction fades. */
  passes_outside: number;
  /** Milliseconds that a request waits outside the passes before its first token. */
  request_overhead_ms: number;
  /** By what share of its time a pass is longer for what the engine does between two of them; absent where nothing is. */
  between_passes?: number;
  /** How many measurements it was fitted to; absent in reports of earlier versions. */
  fitted_to?: { passes: number; requests: number };
  /** Its median error on measurements that the fit did not see, in percent, by metric. */
  held_out?: Record<string, number | null>;
  /**
   * How the deployment that it was fitted to differs from that of the run (`tensor 4, not 2`); only where such a one was
   * forced.
   */
  forced_from?: string[];
}

/** What a run was given where the configuration left it open. */
export interface RunMetadata {
  /** By role, what its workers were. */
  roles: {
    role: string;
    /** KV blocks of one rank. */
    kv_blocks: number;
    /** Ranks of a worker with blocks of their own; absent when there is one. */
    kv_ranks?: number;
    kv_block_tokens: number;
    /** `configured`, or `memory model` when the count was derived from the model and the hardware. */
    kv_blocks_from: string;
    /** Longest sequence; null without a limit. */
    max_model_tokens: number | null;
    /** Version of the package that measurements come from; this and what follows only where the model is used. */
    data_version?: string;
    /** Version of the backend that was measured; null when nothing was. */
    backend_version?: string | null;
    /** Precision of the dense products' weights. */
    weights?: string;
    /** Precision of the experts' weights; null without experts. */
    expert_weights?: string | null;
    /** Precision in which prompts attend; null when that is not known. */
    attention?: string | null;
    kv_cache?: string;
    communication?: string;
    /** Bytes of the KV cache that a token takes in one rank. */
    kv_bytes_per_token?: number;
    /** How times of the operator database were corrected by measured passes; only with a calibration. */
    calibration?: RunCalibration;
  }[];
}

/** The result of a replay. */
export interface Report {
  /** Figures of the run. */
  summary: Summary & Partial<AgenticSummary>;
  /** Records in order of arrival; null unless captured. Made as they are asked for. */
  per_request: RecordList | null;
  /** What the report holds beyond the summary. */
  coverage: Coverage;
  /** Null when no scaling policy ran. */
  planner: PlannerSection | null;
  /** How the run is judged; only with an SLA, with a price, and of saturated runs. */
  evaluation?: Evaluation;
  /** Only when captured. */
  telemetry?: Telemetry;
  /** Every worker there ever was. Not in reports of the reference. */
  workers?: WorkerRow[];
  /** Only of runs that were made from a configuration. */
  metadata?: RunMetadata;
  /** Parts of the evidence that were asked for. */
  details?: Details;
}

/** What a report is made of. */
export interface ReportParts {
  records: RequestRecords;
  /** The requests that ended, under the bounds of `sla`. */
  served: ServedRequests;
  workload: Workload;
  /** Pooled token distributions, see `GapStatistics`. */
  gaps: TokenDistributions;
  totals: ClusterTotals;
  /** Bounds for goodput; without them the summary has no goodput. */
  sla?: Sla | null;
  /** What a GPU costs; without it the report has no cost. */
  price?: Price | null;
  planner?: PlannerSection | null;
  /** Whether the planner section has ticks and lifecycle operations. */
  plannerDetails?: boolean;
  telemetry?: Telemetry;
  workers?: WorkerRow[];
  /** What came of an agentic load's plays. */
  agents?: AgentOutcome;
}

/** Puts a report together. Per-request records are captured when `records` kept its history. */
export function* buildReport(parts: ReportParts): Generator<void, Report> {
  const { records, served, workload, planner = null, sla = null, price = null } = parts;
  const perRequest = records.admissionLog === null ? null : new PerRequestRecords(records, workload);
  const summary = yield* summarize(records, served, parts.gaps, parts.totals);
  const evaluation = evaluate(records, served, summary, { sla, price });
  return {
    summary: { ...summary, ...(parts.agents === undefined ? {} : agenticSummary(parts.agents)) },
    per_request: perRequest,
    coverage: {
      capture_per_request: perRequest !== null,
      capture_planner_details: planner !== null && (parts.plannerDetails ?? true),
      per_request_records: perRequest?.length ?? 0,
    },
    planner,
    ...(evaluation === undefined ? {} : { evaluation }),
    ...(parts.telemetry === undefined ? {} : { telemetry: parts.telemetry }),
    ...(parts.workers === undefined ? {} : { workers: parts.workers }),
  };
}

/**
 * The text of `prediction.json`, in pieces: two-space indents, sorted keys, final newline. Long lists are cut
 * between entries.
 *
 * @param options `flat`: the summary's keys stand at the top, as predictions of the engine stack have them; sections that
 * say nothing are left out. Default false
 *
 * @example
 * ```ts
 * import { predictionText, readTrace, replay } from "dynosim";
 *
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl")).report;
 * let text = "";
 * for (const piece of predictionText(report)) text += piece;
 * console.log(Object.keys(JSON.parse(text)).join()); // coverage,metadata,per_request,planner,summary,workers
 * ```
 */
export function* predictionText(report: Report, options: { flat?: boolean } = {}): Generator<string> {
  checkOptions("predictionText()", options, { flat: true });
  const { flat = false } = options;
  const sections: Record<string, unknown> = flat ? flatReport(report) : { ...report };
  let opening = "{\n";
  for (const key of Object.keys(sections).sort()) {
    yield `${opening}  ${JSON.stringify(key)}: `;
    opening = ",\n";
    if (key === "per_request" && report.per_request !== null) yield* indentedList(report.per_request);
    else yield* indentedPieces(sections[key], 2);
  }
  yield "\n}\n";
}

/**
 * The lines of `requests.jsonl`, each with its newline; none when records were not captured.
 *
 * @example
 * ```ts
 * import { readTrace, replay, requestLines } from "dynosim";
 *
 * const { report } = replay(readTrace("fixtures/traces/chat.jsonl"), { capturePerRequest: true });
 * const [first] = requestLines(await report);
 * console.log(JSON.parse(first).terminal_status); // completed
 * ```
 */
export function* requestLines(report: Report): Generator<string> {
  for (const record of report.per_request ?? []) yield requestLine(record);
}

/** One line of `requests.jsonl` with its newline. */
function requestLine(record: RequestRecord): string {
  // Records are made with sorted keys; only what an agentic trace brought along is not.
  const json = record.agentic === undefined ? escapeBeyondAscii(JSON.stringify(record)) : compactJson(record);
  return json + "\n";
}

function* indentedList(records: RecordList): Generator<string> {
  if (records.length === 0) {
    yield "[]";
    return;
  }
  let opening = "[\n    ";
  for (const record of records) {
    // Two arrays around a record indent it as deep as it stands in the file.
    yield opening +
      (record.agentic === undefined
        ? escapeBeyondAscii(JSON.stringify([[record]], null, 2)).slice("[\n  [\n    ".length, -"\n  ]\n]".length)
        : indentedJson(record, 4));
    opening = ",\n    ";
  }
  yield "\n  ]";
}

/** Sections beside the summary. */
const SECTIONS = [
  "per_request",
  "coverage",
  "planner",
  "evaluation",
  "telemetry",
  "workers",
  "metadata",
  "details",
] as const;

function flatReport({ summary, per_request, coverage, planner, ...rest }: Report): Record<string, unknown> {
  return {
    ...summary,
    ...rest,
    ...(per_request === null ? {} : { per_request, coverage }),
    ...(planner === null ? {} : { planner }),
  };
}

/** A report as it was read from a file, whose summary may stand at the top; anything else as it is. */
export function sectionedReport(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.hasOwn(value, "summary")) return value;
  if (!Object.hasOwn(value, "completed_requests")) return value;
  const known = (key: string) => (SECTIONS as readonly string[]).includes(key);
  const entries = Object.entries(value);
  return {
    summary: Object.fromEntries(entries.filter(([key]) => !known(key))),
    per_request: null,
    planner: null,
    ...Object.fromEntries(entries.filter(([key]) => known(key))),
  };
}
