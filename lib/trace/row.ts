/**
 * What every line format shares: a row reader turns one line into one request, and mistakes become errors that name
 * file, line, column, field and the offending text.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import type { JsonCursor } from "./json_cursor.ts";
import type { KeySet } from "./key_set.ts";
import { JsonProblem } from "./number_cursor.ts";
import type { Line } from "./lines.ts";
import type { TraceRequest } from "./request.ts";

/** Largest token count a replay can hold. */
export const MAX_TOKENS = 2147483647;

/**
 * A request as a reader gives it: only the first `hashCount` of `hashIds` and the first `outputTokens` of
 * `outputTokenIds` are its own.
 */
export interface RowRequest extends TraceRequest {
  /** How many of `hashIds` are the request's. */
  hashCount: number;
}

/** Takes a request from a reader. The object may be used again afterwards: see {@linkcode keepRequest}. */
export type Emit = (request: RowRequest) => void;

/** Reads the lines of one file, in order. */
export interface RowReader {
  /** The format's words for its parts, for errors. */
  readonly wording: Wording;
  /** True while the next line is one that all others depend on; it is never left out. */
  readonly atHeader?: boolean;
  /**
   * Gives the requests of a line to `emit`, none or several. The object may be used again for the next one.
   */
  read(line: Line, emit: Emit): void;
  /** A copy of a request that no later line changes. Default {@linkcode keepRequest}. */
  keep?(request: RowRequest): TraceRequest;
  /** Called after the last line of the file. */
  finish?(emit: Emit): void;
}

/** A row that tells of a request which cannot be used. It is dropped with its reason, or fails when rows must be good. */
export class RefusedRow extends Error {
  override readonly name = "RefusedRow";
  constructor(readonly reason: string, message: string) {
    super(message);
  }
}

/** A request that no later line changes. */
export function keepRequest(request: RowRequest): TraceRequest {
  // written out, because spreading an object costs five times as much
  return {
    timestampMs: request.timestampMs,
    inputTokens: request.inputTokens,
    outputTokens: request.outputTokens,
    hashIds: request.hashIds.slice(0, request.hashCount),
    sessionId: request.sessionId,
    delayMs: request.delayMs,
    outputTokenIds: request.outputTokenIds?.slice(0, request.outputTokens),
    requestId: request.requestId,
    priority: request.priority,
    strictPriority: request.strictPriority,
    policyClass: request.policyClass,
    durationMs: request.durationMs,
    agent: request.agent,
    line: request.line,
  };
}

/** How a format words what went wrong at a line. */
export interface Wording {
  /** The file cannot be opened. */
  open: string;
  /** A line is no row. */
  parse(line: number): string;
  /** A line cannot be read. */
  read(line: number): string;
}

/** The field being read, for messages: set `field` while its value is read. */
export interface FieldTracker {
  field: number;
  readonly keys: KeySet;
}

/**
 * Runs `read` on a line and words its mistakes: `<what failed>: <field>: expected …, found … (column N)`. A line that is
 * no valid UTF-8 fails as unreadable, wherever the bad byte stands.
 */
export function readingLine<T>(
  cursor: JsonCursor,
  line: Line,
  file: string,
  wording: Wording,
  tracker: FieldTracker | undefined,
  read: () => T,
): T {
  cursor.open(line.bytes, line.start, line.end);
  let result: T, problem: unknown;
  try {
    result = read();
    if (!cursor.beyondAscii) return result;
  } catch (cause) {
    problem = cause;
  }
  if (!validUtf8(line)) {
    throw new TraceError(`${wording.read(line.number)}: the line is not valid UTF-8`, { file, line: line.number });
  }
  if (problem === undefined) return result!;
  if (!(problem instanceof JsonProblem)) throw problem;
  const column = new TextDecoder().decode(line.bytes.subarray(line.start, problem.at)).length + 1;
  const field = tracker && tracker.field >= 0 ? `${tracker.keys.names[tracker.field]}: ` : "";
  const hint = likelyCause(line, problem.at);
  throw new TraceError(
    `${wording.parse(line.number)}: ${field}${problem.message} (column ${column})${hint}`,
    { file, line: line.number, column },
  );
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function validUtf8(line: Line): boolean {
  try {
    strict.decode(line.bytes.subarray(line.start, line.end));
    return true;
  } catch {
    return false;
  }
}

function likelyCause(line: Line, at: number): string {
  const { bytes, start, end } = line;
  let first = start;
  while (first < end && (bytes[first] === 32 || bytes[first] === 9)) first++;
  if (!line.ended && at >= end) return "; the file ends inside a record";
  if (line.number === 1 && bytes.subarray(start, end).includes(13)) {
    return "; lines seem to end in CR alone: convert them to LF";
  }
  if (at <= first) {
    if (bytes[first] === 91) return "; the file seems to be one JSON array: write one object a line";
    if (bytes[first] === 35) return "; comments are not allowed";
  }
  if (bytes[at] === 123 && at > first) return "; two objects on one line?";
  return "";
}
