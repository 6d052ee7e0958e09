/**
 * The lines of a `dynamo.request.trace.v1` file: requests that ended and tool calls, wrapped or not.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import type { DynamoTrace } from "./dynamo.ts";
import type { KeptDynamoRow } from "./dynamo_agents.ts";
import { checkTool, readContext, readLinks, readObject, readTool } from "./dynamo_objects.ts";
import { type DynamoContext, type DynamoRow, SCHEMA } from "./dynamo_row.ts";
import { JsonCursor } from "./json_cursor.ts";
import { KeySet } from "./key_set.ts";
import type { Line } from "./lines.ts";
import { JsonProblem } from "./number_cursor.ts";
import type { HashId, TraceRequest } from "./request.ts";
import { type Emit, MAX_TOKENS, readingLine, type RowReader, type RowRequest, type Wording } from "./row.ts";

/** Events that are left out whatever else the row holds. */
const SKIPPED = ["request_payload", "tool_start"];

const RECORD = new KeySet([
  ["schema"],
  ["event_type"],
  ["event_time_unix_ms"],
  ["agent_context"],
  ["request"],
  ["tool"],
  ["event"],
  ["prefix_identity"],
]);
const EVENT_TYPE = 1, EVENT_TIME = 2, CONTEXT = 3, REQUEST = 4, TOOL = 5, EVENT = 6, IDENTITY = 7;
/** The fields that every request has, as bits. */
const USUAL = 1 | 1 << EVENT_TYPE | 1 << EVENT_TIME | 1 << REQUEST;
const REQUEST_KEYS = new KeySet([
  ["request_id"],
  ["model"],
  ["output_tokens"],
  ["request_received_ms"],
  ["total_time_ms"],
  ["replay"],
]);
const REPLAY_KEYS = new KeySet([["trace_block_size"], ["input_length"], ["input_sequence_hashes"], ["dependencies"]]);
/** Reads the lines of one file; rows come as the file has them. The row it gives is used again for the next one. */
export class DynamoRows implements RowReader {
  readonly wording: Wording;
  readonly keys: KeySet = RECORD;
  field = -1;
  readonly #file: string;
  readonly #trace: DynamoTrace;
  readonly #cursor = new JsonCursor();
  readonly #ids: HashId[] = [];
  readonly #row: DynamoRow = {
    timestampMs: 0,
    inputTokens: 0,
    outputTokens: 0,
    hashIds: this.#ids,
    hashCount: 0,
    sessionId: undefined,
    requestId: "",
    durationMs: undefined,
    line: 0,
    endMs: 0,
    outputKnown: false,
    parentSessionId: undefined,
    model: undefined,
    links: undefined,
  };
  #receivedMs: number | undefined;
  #eventMs = 0;
  #agent: DynamoContext | undefined;
  /** Where the values of the record begin, by key; -1 for those that are missing. */
  #starts = new Int32Array(RECORD.names.length);
  #outer = new Int32Array(RECORD.names.length);

  constructor(file: string, trace: DynamoTrace) {
    this.#file = file;
    this.#trace = trace;
    this.wording = {
      open: `failed to open ${file}`,
      parse: (line) => `failed to parse ${file}:${line}`,
      read: (line) => `failed to read ${file}:${line}`,
    };
  }

  read(line: Line, emit: Emit): void {
    const row = readingLine(this.#cursor, line, this.#file, this.wording, this, () => this.#record(line.number));
    if (row === undefined) return;
    const trace = this.#trace, place = { file: this.#file, line: line.number };
    if (row.requestId.trim() === "") throw new TraceError("request_id must be nonempty", place);
    if (!trace.known.add(row.requestId)) throw new TraceError(`duplicate request_id "${row.requestId}"`, place);
    if (row.durationMs !== undefined && row.durationMs < 0) {
      throw new TraceError("request duration must be finite and nonnegative", place);
    }
    trace.requests++;
    if (row.sessionId !== undefined) trace.withContext++;
    emit(row);
  }

  keep(row: RowRequest): TraceRequest {
    const { timestampMs, requestId, endMs, outputKnown, parentSessionId, model, links } = row as DynamoRow;
    return {
      timestampMs,
      inputTokens: row.inputTokens,
      outputTokens: row.outputTokens,
      hashIds: row.hashIds.slice(0, row.hashCount),
      sessionId: row.sessionId,
      delayMs: undefined,
      requestId,
      durationMs: row.durationMs,
      line: row.line,
      endMs,
      outputKnown,
      parentSessionId,
      model,
      links,
    } as KeptDynamoRow;
  }

  /** Reads a record; undefined when it tells of no request. */
  #record(line: number): DynamoRow | undefined {
    const cursor = this.#cursor;
    this.field = -1;
    if (cursor.peek() !== 123) {
      cursor.skip();
      cursor.finish();
      return undefined;
    }
    const start = cursor.at;
    try {
      if (this.#usualRecord()) return this.#finish(this.#eventMs, this.#agent, line);
    } catch (problem) {
      // whatever is wrong is worded below, where it is known what counts
      if (!(problem instanceof JsonProblem)) throw problem;
    }
    cursor.at = start;
    this.#index(this.#outer);
    cursor.finish();
    let starts = this.#outer;
    if (starts[EVENT] >= 0) {
      starts = this.#starts;
      cursor.at = this.#outer[EVENT];
      this.#index(starts);
    }
    const value = (field: number): boolean => {
      this.field = field;
      if (starts[field] < 0) return false;
      cursor.at = starts[field];
      return true;
    };
    let eventType = value(EVENT_TYPE) && cursor.peek() === 34 ? cursor.string() : undefined;
    if (eventType === undefined && starts !== this.#outer && this.#outer[EVENT_TYPE] >= 0) {
      // the wrapper may say that the row is one to leave out, but a record must say itself what it is
      cursor.at = this.#outer[EVENT_TYPE];
      const outer = cursor.peek() === 34 ? cursor.string() : "";
      if (SKIPPED.includes(outer)) return undefined;
    }
    if (eventType !== undefined && SKIPPED.includes(eventType)) return undefined;
    if (!value(EVENT_TYPE)) cursor.fail("the field event_type");
    eventType = cursor.oneOf(["request_end", "tool_end", "tool_error"]);
    if (!value(0)) cursor.fail("the field schema");
    cursor.oneOf([SCHEMA]);
    if (!value(EVENT_TIME)) cursor.fail("the field event_time_unix_ms");
    const eventMs = Number(cursor.unsigned());
    const context = value(CONTEXT) && !cursor.isNull() ? readContext(cursor) : undefined;
    const hasRequest = value(REQUEST) && !cursor.isNull();
    if (hasRequest) this.#request();
    const tool = value(TOOL) && !cursor.isNull() ? readTool(cursor) : undefined;
    this.field = -1;
    if (eventType === "request_end") {
      if (!hasRequest) {
        throw new TraceError("request_end is missing request metrics", { file: this.#file, line });
      }
      return this.#finish(eventMs, context, line);
    }
    if (context !== undefined && tool !== undefined) {
      const call = { ...tool, endMs: tool.endMs ?? eventMs, sessionId: context.sessionId };
      checkTool(call, { file: this.#file, line });
      this.#trace.tools.push(call);
    }
    return undefined;
  }

  /**
   * Reads a record as recorders write it in one go: no wrapper, what it is before what it holds. False for any other,
   * which is then read with its parts looked up first.
   */
  #usualRecord(): boolean {
    const cursor = this.#cursor;
    let seen = 0;
    this.#agent = undefined;
    cursor.openObject();
    for (let first = true;; first = false) {
      const field = cursor.nextKey(RECORD, first);
      if (field === -2) break;
      seen |= 1 << field;
      if (field === 0) cursor.oneOf([SCHEMA]);
      else if (field === EVENT_TYPE) cursor.oneOf(["request_end"]);
      else if (field === EVENT_TIME) this.#eventMs = Number(cursor.unsigned());
      else if (field === CONTEXT) this.#agent = cursor.isNull() ? undefined : readContext(cursor);
      else if (field === IDENTITY) this.#trace.tellIdentity(cursor.string());
      else if (field === REQUEST && (seen & 1 << EVENT_TYPE) !== 0) this.#request();
      else return false;
    }
    cursor.finish();
    return (seen & USUAL) === USUAL;
  }

  /** Notes where the values of an object begin, checking its grammar. Of a key given twice the last counts. */
  #index(starts: Int32Array): void {
    const cursor = this.#cursor;
    starts.fill(-1);
    cursor.openObject();
    for (let first = true;; first = false) {
      const field = cursor.nextKey(RECORD, first);
      if (field === -2) return;
      cursor.peek();
      if (field >= 0) starts[field] = cursor.at;
      cursor.skip();
    }
  }

  /** Reads a request into the row. */
  #request(): void {
    const row = this.#row;
    row.outputTokens = 0;
    row.outputKnown = false;
    row.model =
      row.durationMs =
      row.links =
      this.#receivedMs =
        undefined;
    readObject(this.#cursor, REQUEST_KEYS, [0, 5], this.#requestField);
  }

  readonly #requestField = (field: number): void => {
    const cursor = this.#cursor, row = this.#row;
    if (field === 0) row.requestId = cursor.string();
    else if (field === 5) readObject(cursor, REPLAY_KEYS, [0, 1, 2], this.#replayField);
    else if (cursor.isNull()) return;
    else if (field === 1) row.model = cursor.string();
    else if (field === 2) {
      row.outputTokens = cursor.count(MAX_TOKENS);
      row.outputKnown = true;
    } else if (field === 3) this.#receivedMs = Number(cursor.unsigned());
    else row.durationMs = cursor.number();
  };

  readonly #replayField = (field: number): void => {
    const cursor = this.#cursor, row = this.#row;
    if (field === 0) {
      const tokens = cursor.count(MAX_TOKENS), trace = this.#trace;
      trace.blockTokens ??= tokens;
      if (tokens !== trace.blockTokens) trace.otherBlockTokens = tokens;
    } else if (field === 1) row.inputTokens = cursor.count(MAX_TOKENS);
    else if (field === 2) row.hashCount = cursor.unsignedList(this.#ids);
    else if (!cursor.isNull()) row.links = readLinks(cursor);
  };

  /** Puts the row's times together. */
  #finish(eventMs: number, context: DynamoContext | undefined, line: number): DynamoRow {
    const row = this.#row, receivedMs = this.#receivedMs;
    const durationMs = Math.round(row.durationMs ?? 0);
    row.timestampMs = receivedMs ?? Math.max(0, eventMs - durationMs);
    row.endMs = receivedMs !== undefined && row.durationMs !== undefined ? receivedMs + durationMs : eventMs;
    row.sessionId = context?.sessionId;
    row.parentSessionId = context?.parentSessionId;
    row.line = line;
    return row;
  }
}
