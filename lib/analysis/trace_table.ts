/**
 * A trace as a table.
 *
 * @module
 */
import { type ColumnTable, table } from "./arquero.ts";
import type { HashId, TraceRequest } from "../trace/request.ts";
import { makeColumns, pushRow } from "./columns.ts";

const KINDS = {
  arrival_ms: "number",
  input_tokens: "number",
  output_tokens: "number",
  blocks: "number",
  reusable_blocks: "number",
  session: "text",
  line: "number",
} as const;

/**
 * A row a request of a trace: arrival on the trace's clock, lengths, number of prompt blocks and how many of them, from
 * the first on, already occurred in earlier rows.
 *
 * @param requests what a reader yields, or any iterable of requests
 *
 * @example
 * ```ts
 * import { readTrace, traceTable } from "dynosim";
 *
 * const table = await traceTable(readTrace("fixtures/traces/chat.jsonl"));
 * console.log(table.numRows()); // 2000
 * ```
 */
export async function traceTable(
  requests: AsyncIterable<TraceRequest> | Iterable<TraceRequest>,
): Promise<ColumnTable> {
  const columns = makeColumns(KINDS);
  const seen = new Set<HashId>();
  for await (const request of requests) {
    const blocks = request.hashIds;
    let reusable = 0;
    while (reusable < blocks.length && seen.has(blocks[reusable])) reusable++;
    for (let i = reusable; i < blocks.length; i++) seen.add(blocks[i]);
    pushRow(columns, {
      arrival_ms: request.timestampMs,
      input_tokens: request.inputTokens,
      output_tokens: request.outputTokens,
      blocks: blocks.length,
      reusable_blocks: reusable,
      session: request.sessionId,
      line: request.line,
    });
  }
  return table(columns as any);
}
