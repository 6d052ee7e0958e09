/**
 * The objects inside of dynamo rows: agents, links and tool calls.
 *
 * @module
 */
import { type Place, TraceError } from "../errors.ts";
import type { DynamoContext, DynamoLink, DynamoTool } from "./dynamo_row.ts";
import type { JsonCursor } from "./json_cursor.ts";
import { KeySet } from "./key_set.ts";
import type { Relation } from "./request.ts";

const CONTEXT_KEYS = new KeySet([["session_id"], ["parent_session_id"]]);
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

/** A tool call as its row tells it. */
export type ToolFacts = Omit<DynamoTool, "sessionId" | "endMs"> & { endMs?: number };

/** Reads an object, field by field; fields without a name among the keys are passed, the `required` ones must be there. */
export function readObject(
  cursor: JsonCursor,
  keys: KeySet,
  required: readonly number[],
  read: (field: number) => void,
): void {
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

/** Reads the agent that a row belongs to. */
export function readContext(cursor: JsonCursor): DynamoContext {
  const context: DynamoContext = { sessionId: "" };
  readObject(cursor, CONTEXT_KEYS, [0], (field) => {
    if (field === 0) context.sessionId = cursor.string();
    else context.parentSessionId = cursor.isNull() ? undefined : cursor.string();
  });
  return context;
}

/** Reads the links that a request names. */
export function readLinks(cursor: JsonCursor): DynamoLink[] {
  const links: DynamoLink[] = [];
  cursor.openList();
  for (let first = true; cursor.nextItem(first); first = false) {
    const link: DynamoLink = { requestId: "", relation: "sequence", trigger: "completion" };
    readObject(cursor, LINK_KEYS, [0, 1, 2], (part) => {
      if (part === 0) link.requestId = cursor.string();
      else if (part === 1) link.relation = cursor.oneOf(RELATIONS);
      else link.trigger = cursor.oneOf(TRIGGERS);
    });
    links.push(link);
  }
  return links;
}

/** Reads a tool call. */
export function readTool(cursor: JsonCursor): ToolFacts {
  const tool: ToolFacts = { callId: "", toolClass: "" };
  readObject(cursor, TOOL_KEYS, [0, 1], (field) => {
    if (field === 0) tool.callId = cursor.string();
    else if (field === 1) tool.toolClass = cursor.string();
    else if (cursor.isNull()) return;
    else if (field === 3) tool.startMs = Number(cursor.unsigned());
    else if (field === 4) tool.endMs = Number(cursor.unsigned());
    else if (field === 5) tool.durationMs = cursor.number();
    else {
      readObject(cursor, CLAUDE_KEYS, [0, 1], (part) => {
        if (part === 0) tool.sourceRequestId = cursor.string();
        else if (part === 1) tool.executionMode = cursor.string();
        else if (part === 2) tool.consumerRequestId = cursor.isNull() ? undefined : cursor.string();
        else tool.childSessionId = cursor.isNull() ? undefined : cursor.string();
      });
    }
  });
  return tool;
}

/** Refuses a tool call that cannot have been. */
export function checkTool(tool: DynamoTool, place: Place): void {
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
