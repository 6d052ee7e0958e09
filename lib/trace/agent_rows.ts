/**
 * The checks that every agentic row must pass, in their order.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import type { AgentFacts, Relation, TraceRequest } from "./request.ts";

/** An agentic row before it is checked; what is missing is undefined. */
export interface AgentRow {
  requestId: string;
  sessionId: string;
  hashIds: TraceRequest["hashIds"] | undefined;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  outputTokenIds: readonly number[] | undefined;
  notBeforeMs: number;
  recordedApiTimeMs: number | undefined;
  agent: AgentFacts;
  priority?: number;
  strictPriority?: number;
  policyClass?: string;
}

const NAMES: Record<Relation, string> = {
  sequence: "Sequence",
  spawn: "Spawn",
  join: "Join",
  replay_barrier: "ReplayBarrier",
};

/**
 * Checks one row. `known` holds the request ids before it and takes up this one's.
 *
 * @throws {TraceError} naming the first thing that is wrong.
 */
export function checkAgentRow(
  row: AgentRow,
  line: number,
  blockTokens: number,
  known: Set<string>,
  file: string,
): void {
  const fail = (what: string): never => {
    throw new TraceError(`trace line ${line} ${what}`, { file, line });
  };
  if (row.requestId.trim() === "") fail("has empty request_id");
  if (row.agent.playId.trim() === "") fail("has empty play_id");
  if (row.sessionId.trim() === "") fail("has empty session_id");
  if (known.has(row.requestId)) fail(`duplicates request_id ${row.requestId}`);
  known.add(row.requestId);
  const { hashIds, inputTokens, outputTokens, outputTokenIds } = row;
  if (hashIds === undefined) return fail("is missing hash_ids");
  if (hashIds.length === 0) fail("has empty hash_ids");
  if (inputTokens === undefined) return fail("is missing input_length");
  if (inputTokens === 0) fail("has zero input_length");
  const expected = Math.ceil(inputTokens / blockTokens);
  if (hashIds.length !== expected) {
    const rule = `has input_length ${inputTokens} at block_size ${blockTokens} and requires exactly`;
    fail(`${rule} ${expected} hash_ids, got ${hashIds.length}`);
  }
  if (row.agent.model.trim() === "") fail("has an empty model");
  if (outputTokens === undefined) return fail("is missing output_length");
  if (outputTokenIds !== undefined && outputTokenIds.length !== outputTokens) {
    fail(`output_length ${outputTokens} does not match output_token_ids length ${outputTokenIds.length}`);
  }
  const time = (value: number) => value >= 0 && value < Infinity;
  if (!time(row.notBeforeMs)) fail(`has invalid not_before_ms ${row.notBeforeMs}`);
  if (row.recordedApiTimeMs !== undefined && !time(row.recordedApiTimeMs)) {
    const text = Number.isInteger(row.recordedApiTimeMs) ? row.recordedApiTimeMs.toFixed(1) : row.recordedApiTimeMs;
    fail(`has invalid recorded_api_time_ms Some(${text})`);
  }
  for (const { requestId, delayMs, trigger, relation } of row.agent.dependencies) {
    if (requestId.trim() === "") fail("has a dependency with an empty request_id");
    if (!time(delayMs)) fail(`has invalid dependency delay ${delayMs}`);
    if (trigger === "dispatch" && relation !== "spawn") {
      fail(`has invalid ${NAMES[relation]} dependency with Dispatch trigger`);
    }
  }
}
