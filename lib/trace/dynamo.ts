/**
 * `dynamo.request.trace.v1`: what a running Dynamo records, in one or several files. Reader of rows, and writer. How the
 * rows become an ordered trace is `dynamo_order.ts`, how agents' rows become a graph `dynamo_agents.ts`. Imports the
 * shared row reading of this folder.
 *
 * @module
 */
import { ConfigError, type Place, TraceError } from "../errors.ts";
import { dynamoByTime } from "./dynamo_order.ts";
import type { ByteSource } from "./feed.ts";
import type { FormatOptions, OpenTrace, TraceFormat } from "./format.ts";
import { JsonCursor, KeySet } from "./json_cursor.ts";
import type { Line } from "./lines.ts";
import type { HashId, Relation, TraceRequest } from "./request.ts";
import { type Emit, MAX_TOKENS, readingLine, type RowReader, type RowRequest, type Wording } from "./row.ts";

const SCHEMA = "dynamo.request.trace.v1";

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
]);
const EVENT_TYPE = 1, EVENT_TIME = 2, CONTEXT = 3, REQUEST = 4, TOOL = 5, EVENT = 6;
const CONTEXT_KEYS = new KeySet([["session_id"], ["parent_session_id"]]);
const REQUEST_KEYS = new KeySet([
  ["request_id"],
  ["model"],
  ["output_tokens"],
  ["request_received_ms"],
  ["total_time_ms"],
  ["replay"],
]);
const REPLAY_KEYS = new KeySet([["trace_block_size"], ["input_length"], ["input_sequence_hashes"], ["dependencies"]]);
const LINK_KEYS = new KeySet([["request_id"], ["relation"], ["trigger"]]);
const TOOL_KEYS = new KeySet([
  ["tool_call_id"],
  ["tool_class"],
  ["claude"],
  ["started_at_unix_ms"],
  ["ended_at_unix_ms"],
  ["duration_ms"],
]);
const CLAUDE_KEYS = new KeySet([
  ["source_request_id"],
  ["execution_mode"],
  ["consumer_request_id"],
  ["child_session_id"],
]);
const RELATIONS: readonly Relation[] = ["sequence", "spawn", "join", "replay_barrier"];
const TRIGGERS = ["dispatch", "completion"] as const;

/** A link that a row names itself. */
export interface DynamoLink {
  requestId: string;
  relation: Relation;
  trigger: "dispatch" | "completion";
}

/** A request as a dynamo row tells it. `timestampMs` is its start on the recorder's clock; `sessionId` its agent's. */
export interface DynamoRow extends RowRequest {
  timestampMs: number;
  requestId: string;
  endMs: number;
  /** False when the row says no `output_tokens`; `outputTokens` is then 0. */
  outputKnown: boolean;
  parentSessionId?: string;
  model?: string;
  links?: readonly DynamoLink[];
}

/** A tool call of an agent. */
export interface DynamoTool {
  sessionId: string;
  callId: string;
  toolClass: string;
  startMs?: number;
  endMs: number;
  durationMs?: number;
  sourceRequestId?: string;
  consumerRequestId?: string;
  childSessionId?: string;
  executionMode?: string;
}

/** A tool call as its row tells it. */
type ToolFacts = Omit<DynamoTool, "sessionId" | "endMs"> & { endMs?: number };

/** One trace of one or several files; what its readers share. */
export class DynamoTrace implements OpenTrace {
  /** Block size of the first request. */
  blockTokens: number | undefined;
  /** A block size that differs from the first one, when there is any. */
  otherBlockTokens: number | undefined;
  readonly tools: DynamoTool[] = [];
  readonly known = new Set<string>();
  requests = 0;
  withContext = 0;
  readonly #expected: number | undefined;

  constructor(options: FormatOptions) {
    this.#expected = options.blockTokens;
  }

  rows(file: string): DynamoRows {
    return new DynamoRows(file, this);
  }

  byTime(sources: readonly ByteSource[]): AsyncGenerator<readonly TraceRequest[], void, void> {
    return dynamoByTime(sources, this);
  }

  /** Checks what only all files together show. */
  check(): void {
    if (this.requests === 0) throw new TraceError("Dynamo trace contains no request_end records");
    if (this.withContext > 0 && this.withContext < this.requests) {
      throw new TraceError("Dynamo request trace cannot mix requests with and without agent_context");
    }
    if (this.blockTokens === 0) throw new TraceError("embedded trace block size must be positive");
    if (this.otherBlockTokens !== undefined) {
      throw new TraceError("mixed replay trace_block_size values are not supported");
    }
    if (this.#expected !== undefined && this.#expected !== this.blockTokens) {
      throw new ConfigError(
        `trace_block_size ${this.#expected} does not match embedded Dynamo request trace block size ${this.blockTokens}`,
      );
    }
  }
}

/** Reads the lines of one file; rows come as the file has them. The row it gives is used again for the next one. */
export class DynamoRows implements RowReader {
  readonly wording: Wording;
  readonly keys: KeySet = RECORD;
  field = -1;
  readonly #file: string;
  readonly #trace: DynamoTrace;
  readonly #cursor = new JsonCursor();
  readonly #ids: HashId[] = [];
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
    if (trace.known.has(row.requestId)) throw new TraceError(`duplicate request_id "${row.requestId}"`, place);
    trace.known.add(row.requestId);
    if (row.durationMs !== undefined && row.durationMs < 0) {
      throw new TraceError("request duration must be finite and nonnegative", place);
    }
    trace.requests++;
    if (row.sessionId !== undefined) trace.withContext++;
    emit(row);
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
    const context = value(CONTEXT) && !cursor.isNull() ? this.#context() : undefined;
    const request = value(REQUEST) && !cursor.isNull() ? this.#request() : undefined;
    const tool = value(TOOL) && !cursor.isNull() ? this.#tool() : undefined;
    this.field = -1;
    if (eventType === "request_end") {
      if (request === undefined) {
        throw new TraceError("request_end is missing request metrics", { file: this.#file, line });
      }
      return finishRow(request, eventMs, context, line);
    }
    if (context !== undefined && tool !== undefined) {
      const call = { ...tool, endMs: tool.endMs ?? eventMs, sessionId: context.sessionId };
      checkTool(call, { file: this.#file, line });
      this.#trace.tools.push(call);
    }
    return undefined;
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

  #object(keys: KeySet, required: readonly number[], read: (field: number) => void): void {
    const cursor = this.#cursor;
    let seen = 0;
    cursor.openObject();
    for (let first = true;; first = false) {
      const field = cursor.nextKey(keys, first);
      if (field === -2) break;
      if (field < 0) {
        cursor.skip();
        continue;
      }
      seen |= 1 << field;
      read(field);
    }
    for (const field of required) if ((seen & 1 << field) === 0) cursor.fail(`the field ${keys.names[field]}`);
  }

  #optional<T>(read: () => T): T | undefined {
    return this.#cursor.isNull() ? undefined : read();
  }

  #context(): { sessionId: string; parentSessionId?: string } {
    const cursor = this.#cursor;
    const context: { sessionId: string; parentSessionId?: string } = { sessionId: "" };
    this.#object(CONTEXT_KEYS, [0], (field) => {
      if (field === 0) context.sessionId = cursor.string();
      else context.parentSessionId = this.#optional(() => cursor.string());
    });
    return context;
  }

  #request(): Partial<DynamoRow> & { receivedMs?: number } {
    const cursor = this.#cursor;
    const request: Partial<DynamoRow> & { receivedMs?: number } = { outputTokens: 0, outputKnown: false };
    this.#object(REQUEST_KEYS, [0, 5], (field) => {
      if (field === 0) request.requestId = cursor.string();
      else if (field === 5) this.#replay(request);
      else if (cursor.isNull()) return;
      else if (field === 1) request.model = cursor.string();
      else if (field === 2) {
        request.outputTokens = cursor.count(MAX_TOKENS);
        request.outputKnown = true;
      } else if (field === 3) request.receivedMs = Number(cursor.unsigned());
      else request.durationMs = cursor.number();
    });
    return request;
  }

  #replay(request: Partial<DynamoRow>): void {
    const cursor = this.#cursor;
    this.#object(REPLAY_KEYS, [0, 1, 2], (field) => {
      if (field === 0) {
        const tokens = cursor.count(MAX_TOKENS);
        const trace = this.#trace;
        trace.blockTokens ??= tokens;
        if (tokens !== trace.blockTokens) trace.otherBlockTokens = tokens;
      } else if (field === 1) request.inputTokens = cursor.count(MAX_TOKENS);
      else if (field === 2) {
        request.hashIds = this.#ids;
        request.hashCount = cursor.unsignedList(this.#ids);
      } else if (!cursor.isNull()) {
        const links: DynamoLink[] = [];
        cursor.openList();
        for (let first = true; cursor.nextItem(first); first = false) {
          const link: DynamoLink = { requestId: "", relation: "sequence", trigger: "completion" };
          this.#object(LINK_KEYS, [0, 1, 2], (part) => {
            if (part === 0) link.requestId = cursor.string();
            else if (part === 1) link.relation = cursor.oneOf(RELATIONS);
            else link.trigger = cursor.oneOf(TRIGGERS);
          });
          links.push(link);
        }
        request.links = links;
      }
    });
  }

  #tool(): ToolFacts {
    const cursor = this.#cursor;
    const tool: ToolFacts = { callId: "", toolClass: "" };
    this.#object(TOOL_KEYS, [0, 1], (field) => {
      if (field === 0) tool.callId = cursor.string();
      else if (field === 1) tool.toolClass = cursor.string();
      else if (cursor.isNull()) return;
      else if (field === 3) tool.startMs = Number(cursor.unsigned());
      else if (field === 4) tool.endMs = Number(cursor.unsigned());
      else if (field === 5) tool.durationMs = cursor.number();
      else {
        this.#object(CLAUDE_KEYS, [0, 1], (part) => {
          if (part === 0) tool.sourceRequestId = cursor.string();
          else if (part === 1) tool.executionMode = cursor.string();
          else if (part === 2) tool.consumerRequestId = this.#optional(() => cursor.string());
          else tool.childSessionId = this.#optional(() => cursor.string());
        });
      }
    });
    return tool;
  }
}

/** Puts a request's times together. */
function finishRow(
  request: Partial<DynamoRow> & { receivedMs?: number },
  eventMs: number,
  context: { sessionId: string; parentSessionId?: string } | undefined,
  line: number,
): DynamoRow {
  const { receivedMs, ...row } = request;
  const durationMs = Math.round(row.durationMs ?? 0);
  const startMs = receivedMs ?? Math.max(0, eventMs - durationMs);
  return {
    ...row as DynamoRow,
    timestampMs: startMs,
    endMs: receivedMs !== undefined && row.durationMs !== undefined ? receivedMs + durationMs : eventMs,
    sessionId: context?.sessionId,
    parentSessionId: context?.parentSessionId,
    line,
  };
}

function checkTool(tool: DynamoTool, place: Place): void {
  const fail = (what: string) => {
    throw new TraceError(what, place);
  };
  if (tool.sessionId.trim() === "") fail("tool session_id must be nonempty");
  if (tool.callId.trim() === "") fail("tool_call_id must be nonempty");
  if (tool.toolClass.trim() === "") fail("tool_class must be nonempty");
  const { durationMs = 0, endMs } = tool;
  if (durationMs < 0) fail("tool duration must be finite and nonnegative");
  const startMs = tool.startMs ?? Math.max(0, endMs - Math.round(durationMs));
  if (startMs > endMs) fail("tool end time precedes start time");
}

/** The dynamo format. */
export const dynamo: TraceFormat = {
  name: "dynamo",
  title: "Dynamo request trace, JSON Lines",
  identity: "recorded",
  shape: "rows",
  shards: true,
  open: (options) => new DynamoTrace(options),
};

/** Options of {@linkcode DynamoRowWriter}. */
export interface DynamoWriterOptions {
  /** Tokens a block id stands for. Default 512. */
  blockTokens?: number;
  /**
   * Added to the times, so that they are a wall clock. Default: 0 for times that are one already (from 1973 on), else
   * 2025-01-01. Files that belong together must share it.
   */
  epochMs?: number;
  /** Keep the requests' own ids instead of numbering them. Equal times are then ordered by id. Default false. */
  keepIds?: boolean;
}

const EPOCH_MS = 1_735_689_600_000;

/** Writes requests as rows of an open-loop trace: sessions and their delays have no place in it. */
export class DynamoRowWriter {
  readonly #blockTokens: number;
  readonly #keepIds: boolean;
  #epochMs: number | undefined;
  #count = 0;
  /** Rows whose time was no whole millisecond and was rounded. */
  rounded = 0;
  /** Rows that belonged to a session. */
  withSession = 0;

  constructor(options: DynamoWriterOptions = {}) {
    this.#blockTokens = options.blockTokens ?? 512;
    this.#keepIds = options.keepIds ?? false;
    this.#epochMs = options.epochMs;
  }

  /** @throws {TraceError} for a request without a time. */
  row(request: TraceRequest): string {
    const { timestampMs, durationMs } = request;
    if (timestampMs === undefined) {
      throw new TraceError(`trace line ${request.line} has no timestamp, which a dynamo trace needs`, {
        line: request.line,
      });
    }
    this.#epochMs ??= timestampMs >= 1e11 ? 0 : EPOCH_MS;
    const startMs = Math.round(this.#epochMs + timestampMs);
    if (startMs !== this.#epochMs + timestampMs) this.rounded++;
    if (request.sessionId !== undefined) this.withSession++;
    const number = String(++this.#count).padStart(9, "0");
    const id = this.#keepIds && request.requestId !== undefined ? JSON.stringify(request.requestId) : `"r${number}"`;
    const endMs = startMs + Math.round(durationMs ?? 0);
    const total = durationMs === undefined ? "" : `,"total_time_ms":${durationMs}`;
    return `{"schema":"${SCHEMA}","event_type":"request_end","event_time_unix_ms":${endMs},"request":{"request_id":${id},` +
      `"request_received_ms":${startMs},"output_tokens":${request.outputTokens}${total},"replay":{"trace_block_size":` +
      `${this.#blockTokens},"input_length":${request.inputTokens},"input_sequence_hashes":[${
        request.hashIds.join(",")
      }]}}}\n`;
  }
}
