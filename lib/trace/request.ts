/**
 * A request as a trace tells it, whatever the format. Readers yield it, converters and writers take it. Imports nothing.
 *
 * @module
 */

/** Names the content of one trace block. Exact: a `bigint` above 2^53 - 1, a `number` below. */
export type HashId = number | bigint;

/** One row of a request trace. Absent facts are `undefined`. */
export interface TraceRequest {
  /** Arrival in milliseconds on the trace's own clock. */
  timestampMs?: number;
  inputTokens: number;
  outputTokens: number;
  /** Content of the prompt, one id per trace block; may hold surplus ids. */
  hashIds: readonly HashId[];
  /** Rows of one session run one after the other. */
  sessionId?: string;
  /** Think time after the previous turn of the session ended, in milliseconds. */
  delayMs?: number;
  outputTokenIds?: readonly number[];
  requestId?: string;
  priority?: number;
  strictPriority?: number;
  policyClass?: string;
  /** Physical line of the row, from 1. */
  line: number;
}
