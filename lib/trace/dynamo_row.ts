/**
 * What the rows of a `dynamo.request.trace.v1` file tell.
 *
 * @module
 */
import type { Relation } from "./request.ts";
import type { RowRequest } from "./row.ts";

/** Name and version of the format. */
export const SCHEMA = "dynamo.request.trace.v1";

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

/** The agent a row belongs to. */
export interface DynamoContext {
  sessionId: string;
  parentSessionId?: string;
}
