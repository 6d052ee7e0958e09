/**
 * A request as a trace tells it, whatever the format. Readers yield it, converters and writers take it.
 *
 * @module
 */

/** Names the content of one trace block. Exact: a `bigint` above 2^53 - 1, a `number` below. */
export type HashId = number | bigint;

/** One row of a request trace. Absent facts are `undefined`. */
export interface TraceRequest {
  /** Arrival in milliseconds on the trace's own clock. */
  timestampMs?: number;
  /** Tokens of the prompt. */
  inputTokens: number;
  /** Tokens to be generated. */
  outputTokens: number;
  /** Content of the prompt, one id per trace block; may hold surplus ids. */
  hashIds: readonly HashId[];
  /** Rows of one session run one after the other. */
  sessionId?: string;
  /** Think time after the previous turn of the session ended, in milliseconds. */
  delayMs?: number;
  /** What was generated, where the trace says it. */
  outputTokenIds?: readonly number[];
  /** The name the trace gives it. */
  requestId?: string;
  /** Of a kv_router with a policy file: larger is more urgent. */
  priority?: number;
  /** Order of urgency that nothing else outweighs. */
  strictPriority?: number;
  /** Queue of a policy file it belongs to. */
  policyClass?: string;
  /** How long the request took where it was recorded, in milliseconds. */
  durationMs?: number;
  /** What agentic formats say beside it; `timestampMs` is then the earliest start. */
  agent?: AgentFacts;
  /** Physical line of the row, from 1. */
  line: number;
}

/** Place of a request in an agentic workload. */
export interface AgentFacts {
  /** Requests of one play depend on each other and on no others. */
  playId: string;
  /** Place of the play in the source, from 0, when it has one. */
  playOrdinal?: number;
  /** The model it was recorded with. */
  model: string;
  /** All must have triggered before the request can start. */
  dependencies: readonly Dependency[];
}

/** Why a request waits for another one. */
export type Relation = "sequence" | "spawn" | "join" | "replay_barrier";

/** One request waits for another one. */
export interface Dependency {
  /** The request waited for. */
  requestId: string;
  /** Whether its start (being handed to the cluster) or its completion counts. */
  trigger: "dispatch" | "completion";
  /** Time from the trigger to the earliest start, in milliseconds. */
  delayMs: number;
  /** What the source says of the two. */
  relation: Relation;
}
