/**
 * Per-request records as a table.
 *
 * @module
 */
import { type ColumnTable, table } from "./arquero.ts";
import type { RequestRecord } from "../report/per_request.ts";
import { type Column, makeColumns, pushRow } from "./columns.ts";

/** The scalar keys of a record, in the order in which people ask for them. */
const KINDS = {
  request_id: "text",
  play_id: "text",
  session_id: "text",
  turn_index: "number",
  uuid: "text",
  terminal_status: "text",
  arrival_time_ms: "number",
  dispatched_at_ms: "number",
  first_admit_ms: "number",
  first_token_ms: "number",
  last_token_ms: "number",
  terminal_time_ms: "number",
  ttft_ms: "number",
  ttst_ms: "number",
  itl_ms: "number",
  e2e_latency_ms: "number",
  input_length: "number",
  requested_output_length: "number",
  output_length: "number",
  reused_input_tokens: "number",
  decode_reused_input_tokens: "number",
  admission_count: "number",
  readmission_count: "number",
  prefill_worker_idx: "number",
  decode_worker_idx: "number",
  prefill_admit_ms: "number",
  source_held_ms: "number",
  destination_reserved_ms: "number",
  destination_activated_ms: "number",
  source_released_ms: "number",
  decode_admit_ms: "number",
  prefill_route_overlap_tokens: "number",
  decode_route_overlap_tokens: "number",
} as const;

/** Collects records into columns, one at a time, so that a file can be read without holding its objects. */
export class RequestColumns {
  readonly #columns: Record<string, Column> = makeColumns(KINDS);

  /** Appends a record. */
  add(record: RequestRecord): void {
    pushRow(this.#columns, record);
  }

  /** The table of what was added. */
  table(): ColumnTable {
    // Tables of traces and ticks call it so: one name to group and join by.
    return table({ ...this.#columns, arrival_ms: this.#columns.arrival_time_ms } as any);
  }
}

/** Where records come from: a report, or a run read from its folder. */
export type RequestSource =
  | { readonly per_request: Iterable<RequestRecord> | null }
  | { readonly requests: ColumnTable | null };

/**
 * A table with a row a request and the scalar keys of `requests.jsonl` as columns; what a request has not is null.
 * `arrival_ms` is `arrival_time_ms` under the name that tables of traces have for it.
 *
 * @param source a report with captured requests, or a run from {@linkcode readRun}
 * @throws {RangeError} when requests were not captured
 *
 * @example
 * ```ts
 * import { readTrace, replay, requestsTable } from "dynosim";
 *
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl"), { capturePerRequest: true }).report;
 * const slow = requestsTable(report).filter((r: any) => r.ttft_ms > 200);
 * console.log(slow.numRows() < 2000); // true
 * ```
 */
export function requestsTable(source: RequestSource): ColumnTable {
  if ("requests" in source) {
    if (source.requests !== null) return source.requests;
  } else if (source.per_request !== null) {
    const columns = new RequestColumns();
    for (const record of source.per_request) columns.add(record);
    return columns.table();
  }
  throw new RangeError("The run has no per-request records: capture them (--capture-per-request)");
}
