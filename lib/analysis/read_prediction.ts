/**
 * Reads `prediction.json` without holding its per-request records: in the layout that predict writes (two-space
 * indents, one top-level key after the other) they are cut out line by line and handed on, or skipped. Any other layout
 * is read as a whole.
 *
 * @module
 */
import { ConfigError, TraceError } from "../errors.ts";
import { ByteSourceError, readBytes } from "../io/bytes.ts";
import { checkReport } from "../report/check_report.ts";
import type { RequestRecord } from "../report/per_request.ts";
import { type Report, sectionedReport } from "../report/report.ts";
import type { Summary } from "../report/summary.ts";
import { type Line, LineCutter } from "../trace/lines.ts";

const LIST_OPENS = '  "per_request": [';
const NEWLINE = "\n";

/**
 * Reads a report.
 *
 * @param onRecord takes every per-request record; null to skip them
 * @returns the report with `per_request` null, and whether it had records
 * @throws {TraceError} when the file cannot be read
 * @throws {ConfigError} when it is not a report
 */
export async function readPrediction(
  path: string,
  onRecord: ((record: RequestRecord) => void) | null,
): Promise<{ report: Report; hasRecords: boolean }> {
  const reader = new Reader(onRecord);
  const cutter = new LineCutter();
  try {
    for await (const piece of readBytes(path)) for (const line of cutter.cut(piece)) reader.line(line);
    for (const line of cutter.finish()) reader.line(line);
  } catch (problem) {
    if (problem instanceof SyntaxError) throw unreadable(path, problem);
    if (!(problem instanceof ByteSourceError)) throw problem;
    const hint = problem.stage === "open"
      ? ": is its folder the output of a prediction?"
      : ` to its end: ${problem.message}`;
    throw new TraceError(`Cannot ${problem.stage} ${path}${hint}`, { file: path }, { cause: problem });
  }
  let value: unknown;
  try {
    value = JSON.parse(reader.text);
  } catch (problem) {
    throw unreadable(path, problem as Error);
  }
  const report = checkReport(sectionedReport(value), path) as unknown as Report;
  checkFigures(report.summary, path);
  // A file in another layout still has its records.
  const whole = report.per_request;
  if (whole != null && onRecord !== null) { for (const record of whole) onRecord(record); }
  const hasRecords = reader.foundList || whole != null;
  return { report: { ...report, per_request: null, planner: report.planner ?? null }, hasRecords };
}

/** Sorts lines into the list of records and the rest. */
class Reader {
  /** Everything but the records. */
  text = "";
  foundList = false;
  readonly #onRecord: ((record: RequestRecord) => void) | null;
  readonly #decoder = new TextDecoder();
  #inList = false;
  #record = "";

  constructor(onRecord: ((record: RequestRecord) => void) | null) {
    this.#onRecord = onRecord;
  }

  line(line: Line): void {
    if (!this.#inList) {
      const content = this.#decode(line);
      this.#inList = content === LIST_OPENS;
      this.foundList ||= this.#inList;
      this.text += this.#inList ? '  "per_request": null' : content + NEWLINE;
      return;
    }
    const { bytes, start, end } = line;
    if (bytes[start + 2] === 93) {
      // `  ]` ends the list, with a comma when more keys follow
      this.#inList = false;
      this.text += (bytes[end - 1] === 44 ? "," : "") + NEWLINE;
    } else if (this.#onRecord !== null) {
      const content = this.#decode(line);
      const ends = bytes[start + 4] === 125;
      this.#record += ends ? "}" : content;
      if (!ends) return;
      this.#onRecord(JSON.parse(this.#record));
      this.#record = "";
    }
  }

  #decode({ bytes, start, end }: Line): string {
    return this.#decoder.decode(bytes.subarray(start, end));
  }
}

/** Figures of the summary that tables and pictures of a run cannot do without. */
const NEEDED = [
  "num_requests",
  "completed_requests",
  "duration_ms",
  "gpu_hours",
  "prefill_worker_seconds",
  "decode_worker_seconds",
  "prefill_gpus_per_worker",
  "decode_gpus_per_worker",
] as const satisfies readonly (keyof Summary)[];

function checkFigures(summary: Summary, path: string): void {
  const missing = NEEDED.find((key) => typeof summary[key] !== "number");
  if (missing === undefined) return;
  const message = `${path} is not a report: summary.${missing} should be a number, not ${
    JSON.stringify(summary[missing])
  }`;
  throw new ConfigError(message, [{ path: `summary.${missing}`, message, file: path }]);
}

function unreadable(path: string, cause: Error): TraceError {
  return new TraceError(`Cannot parse ${path} as JSON: ${cause.message}`, { file: path }, { cause });
}
