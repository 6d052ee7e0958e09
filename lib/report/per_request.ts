/**
 * Per-request records: one object for every request that ended, as `requests.jsonl` has them. They are made one at a
 * time from the columns of a run, so a report of a million requests costs no more memory than its columns.
 *
 * @module
 */
import type { PoolName } from "../cluster/lifecycle.ts";
import { OUTCOME_NAMES, POOL_NAMES, type RequestRecords } from "../engine/records.ts";
import type { RowsByRequest } from "../engine/history.ts";
import type { Workload } from "../traffic/workload.ts";
import { endToEnd, timePerOutputToken, timeToFirstToken, timeToSecondToken } from "./served_requests.ts";

/** One admission of a request by a scheduler. */
export interface AdmissionEntry {
  /** 0, 1, … over both pools. */
  admission_ordinal: number;
  /** Start of the pass that took it. */
  at_ms: number;
  /** Not the first one in its pool: it had to give its blocks up before. */
  is_readmission: boolean;
  /** Which pool admitted it. */
  pool: PoolName;
  /** 0, 1, … in its pool. */
  pool_admission_ordinal: number;
  /** Prompt tokens found in the KV cache. */
  reused_input_tokens: number;
}

/** One placement of a request on a worker. */
export interface RoutingEntry {
  /** Most prompt blocks any worker held, as the router believed; null with round robin. */
  best_available_overlap_blocks: number | null;
  /** Rank inside the worker. */
  dp_rank: number;
  /** The worker. */
  logical_worker_id: number;
  /** Placed at once, or after waiting in the router. */
  outcome: "immediate" | "queued";
  /** Blocks given up by not taking the best worker. */
  overlap_regret_blocks: number | null;
  /** Null with round robin. */
  placement_replica_id: number | null;
  /** Which pool it was placed in. */
  pool: PoolName;
  /** Null when placed at once. */
  queue_entered_at_ms: number | null;
  /** Time in the router. */
  queue_wait_ms: number;
  /** Null when placed at once. */
  released_at_ms: number | null;
  /** Prompt tokens the router told the worker it holds. */
  reported_overlap_tokens: number;
  /** The rank, counted over all workers of the pool. */
  scheduler_id: number;
  /** Prompt blocks the chosen worker held, as the router believed; null with round robin. */
  selected_overlap_blocks: number | null;
}

/**
 * What happened to one request. Times are milliseconds of virtual time; what does not exist is null. Aggregated workers
 * are `decode_worker_idx`; both worker fields hold scheduler (rank) ids.
 */
export interface RequestRecord {
  /** Length of the history. */
  admission_count: number;
  /** Every time a scheduler took it into its running set. */
  admission_history: AdmissionEntry[];
  /** Agentic traces: what the trace says about the request. */
  agentic?: Readonly<Record<string, string>>;
  /** When it arrived. */
  arrival_time_ms: number;
  /** First admission in the decode pool; null when aggregated. */
  decode_admit_ms: number | null;
  /** Most prompt tokens a decode admission reused; null when aggregated. */
  decode_reused_input_tokens: number | null;
  /** Prompt tokens believed resident on the decode worker; null when aggregated. */
  decode_route_overlap_tokens: number | null;
  /** Rank that decoded it, or served all of it. */
  decode_worker_idx: number | null;
  /** When the transferred KV let it join the decode queue. */
  destination_activated_ms: number | null;
  /** When a decode worker had room for its KV. */
  destination_reserved_ms: number | null;
  /** Always null in a replay. */
  dispatched_at_ms: number | null;
  /** Last token minus arrival. */
  e2e_latency_ms: number | null;
  /** First admission of all; null when it was rejected. */
  first_admit_ms: number | null;
  /** When its first token was delivered. */
  first_token_ms: number | null;
  /** Prompt tokens. */
  input_length: number;
  /** Mean time per output token after the first. */
  itl_ms: number | null;
  /** When its last token was delivered. */
  last_token_ms: number | null;
  /** Tokens it got. */
  output_length: number;
  /** Agentic traces: the play it belongs to. */
  play_id?: string;
  /** First admission in the prefill pool; null when aggregated. */
  prefill_admit_ms: number | null;
  /** Prompt tokens believed resident on the prefill worker; null when aggregated. */
  prefill_route_overlap_tokens: number | null;
  /** Rank that computed its prompt; null when aggregated. */
  prefill_worker_idx: number | null;
  /** Always empty in a replay. */
  pressure_record_ordinals: number[];
  /** Admissions after the first one of each pool. */
  readmission_count: number;
  /** The name the trace gives it. */
  request_id?: string;
  /** Tokens it asked for. */
  requested_output_length: number;
  /** Most prompt tokens an admission found in the KV cache. */
  reused_input_tokens: number;
  /** Every placement. */
  routing_history: RoutingEntry[];
  /** Session it belongs to. */
  session_id: string | null;
  /** When its prompt was computed and its KV held for the transfer. */
  source_held_ms: number | null;
  /** When the prefill worker got that KV back. */
  source_released_ms: number | null;
  /** How it ended. */
  terminal_status: "completed" | "rejected" | "failed" | "canceled";
  /** When it ended: the end of a pass, or the refusal. */
  terminal_time_ms: number;
  /** First token minus arrival. */
  ttft_ms: number | null;
  /** Second token minus first. */
  ttst_ms: number | null;
  /** 0, 1, … in its session. */
  turn_index: number | null;
  /** Number of its arrival. */
  uuid: string;
}

/** A list of records that need not exist all at once; an array is one too. */
export interface RecordList extends Iterable<RequestRecord> {
  /** Number of records. */
  readonly length: number;
  /** The record at a position; undefined where there is none. */
  at(index: number): RequestRecord | undefined;
}

/**
 * The records of a run, in order of arrival, then of request (agentic formats: of request id, arrival, request).
 * Requests without an outcome are absent.
 */
export class PerRequestRecords implements RecordList {
  readonly length: number;
  readonly #records: RequestRecords;
  readonly #workload: Workload;
  readonly #order: Int32Array;
  readonly #admissions: RowsByRequest | null;
  readonly #placements: RowsByRequest | null;

  constructor(records: RequestRecords, workload: Workload) {
    this.#records = records;
    this.#workload = workload;
    this.#order = reportOrder(records, workload);
    this.length = this.#order.length;
    this.#admissions = records.admissionLog?.byRequest(workload.count) ?? null;
    this.#placements = records.routing?.byRequest(workload.count) ?? null;
  }

  /** The record of a request by its index in the load; it must have ended. */
  of(request: number): RequestRecord {
    return this.#record(request);
  }

  at(index: number): RequestRecord | undefined {
    const position = index < 0 ? this.length + index : index;
    return position in this.#order ? this.#record(this.#order[position]) : undefined;
  }

  *[Symbol.iterator](): Iterator<RequestRecord> {
    for (const request of this.#order) yield this.#record(request);
  }

  /** All records at once, for `JSON.stringify`. */
  toJSON(): RequestRecord[] {
    return [...this];
  }

  // Keys are written in sorted order at every depth, so that `JSON.stringify` alone gives the lines of a file.
  #record(r: number): RequestRecord {
    const records = this.#records, workload = this.#workload, pools = records.disaggregated;
    const decodeAdmissions = records.admissions[r];
    const prefillAdmissions = pools === null ? 0 : pools.prefillAdmissions[r];
    const hasSession = workload.session !== null;
    const hasDestination = pools === null || pools.destinationReservedMs[r] >= 0;
    const record = {
      admission_count: prefillAdmissions + decodeAdmissions,
      admission_history: this.#admissionHistory(r),
      agentic: workload.agentic?.[r],
      arrival_time_ms: records.arrivalMs[r],
      decode_admit_ms: pools === null ? null : orNull(pools.decodeAdmitMs[r]),
      decode_reused_input_tokens: pools === null || decodeAdmissions === 0 ? null : records.reusedMax[r],
      decode_route_overlap_tokens: pools === null ? null : countOrNull(pools.decodeOverlapTokens[r]),
      decode_worker_idx: hasDestination ? countOrNull(records.decodeRank[r]) : null,
      destination_activated_ms: pools === null ? null : orNull(pools.destinationActivatedMs[r]),
      destination_reserved_ms: pools === null ? null : orNull(pools.destinationReservedMs[r]),
      dispatched_at_ms: records.dispatchedMs === null ? null : orNull(records.dispatchedMs[r]),
      e2e_latency_ms: orNull(endToEnd(records, r)),
      first_admit_ms: orNull(records.firstAdmitMs[r]),
      first_token_ms: orNull(records.firstTokenMs[r]),
      input_length: records.inputTokens[r],
      itl_ms: orNull(timePerOutputToken(records, r)),
      last_token_ms: orNull(records.lastTokenMs[r]),
      output_length: records.outputTokens[r],
      play_id: workload.playIds?.[r],
      prefill_admit_ms: pools === null ? null : orNull(pools.prefillAdmitMs[r]),
      prefill_route_overlap_tokens: pools === null ? null : countOrNull(pools.prefillOverlapTokens[r]),
      prefill_worker_idx: pools === null ? null : countOrNull(pools.prefillRank[r]),
      pressure_record_ordinals: [],
      readmission_count: Math.max(prefillAdmissions - 1, 0) + Math.max(decodeAdmissions - 1, 0),
      request_id: workload.requestIds?.[r],
      requested_output_length: workload.outputTokens[r],
      reused_input_tokens: prefillAdmissions > 0 ? pools!.prefillReused[r] : records.reusedMax[r],
      routing_history: this.#routingHistory(r),
      session_id: hasSession ? workload.sessionName(workload.session![r]) : null,
      source_held_ms: pools === null ? null : orNull(pools.sourceHeldMs[r]),
      source_released_ms: pools === null ? null : orNull(pools.sourceReleasedMs[r]),
      terminal_status: OUTCOME_NAMES[records.status[r]] as RequestRecord["terminal_status"],
      terminal_time_ms: records.terminalMs[r],
      ttft_ms: orNull(timeToFirstToken(records, r)),
      ttst_ms: orNull(timeToSecondToken(records, r)),
      turn_index: hasSession && workload.turn !== null ? workload.turn[r] : null,
      uuid: uuidOf(r),
    };
    if (record.agentic === undefined) delete record.agentic;
    if (record.play_id === undefined) delete record.play_id;
    if (record.request_id === undefined) delete record.request_id;
    return record;
  }

  #admissionHistory(r: number): AdmissionEntry[] {
    const history: AdmissionEntry[] = [];
    if (this.#admissions === null) return history;
    const log = this.#records.admissionLog!;
    const { start, rows } = this.#admissions;
    const seen = [0, 0, 0];
    for (let i = start[r]; i < start[r + 1]; i++) {
      const row = rows[i];
      const pool = log.pool[row];
      history.push({
        admission_ordinal: i - start[r],
        at_ms: log.atMs[row],
        is_readmission: seen[pool] > 0,
        pool: POOL_NAMES[pool],
        pool_admission_ordinal: seen[pool]++,
        reused_input_tokens: log.reused[row],
      });
    }
    return history;
  }

  #routingHistory(r: number): RoutingEntry[] {
    const history: RoutingEntry[] = [];
    if (this.#placements === null) return history;
    const { start, rows } = this.#placements;
    for (let i = start[r]; i < start[r + 1]; i++) {
      const placement = this.#records.routing!.rows[rows[i]];
      const queued = placement.queueEnteredMs >= 0;
      const hasBlocks = placement.overlapBlocks >= 0;
      history.push({
        best_available_overlap_blocks: hasBlocks ? placement.bestOverlapBlocks : null,
        dp_rank: placement.dpRank,
        logical_worker_id: placement.worker,
        outcome: queued ? "queued" : "immediate",
        overlap_regret_blocks: hasBlocks ? Math.max(placement.bestOverlapBlocks - placement.overlapBlocks, 0) : null,
        placement_replica_id: null,
        pool: POOL_NAMES[placement.pool],
        queue_entered_at_ms: queued ? placement.queueEnteredMs : null,
        queue_wait_ms: queued ? placement.releasedMs - placement.queueEnteredMs : 0,
        released_at_ms: queued ? placement.releasedMs : null,
        reported_overlap_tokens: placement.overlapTokens,
        scheduler_id: placement.scheduler,
        selected_overlap_blocks: hasBlocks ? placement.overlapBlocks : null,
      });
    }
    return history;
  }
}

/** Name of a request in reports: its one-based place in the workload, in the form of a UUID. */
function uuidOf(request: number): string {
  return "00000000-0000-0000-0000-" + (request + 1).toString(16).padStart(12, "0");
}

function reportOrder(records: RequestRecords, workload: Workload): Int32Array {
  const ended = records.completionOrder.slice(0, records.ended).sort();
  const { arrivalMs } = records;
  const ids = workload.requestIds;
  if (ids === null && ended.every((r, i) => i === 0 || arrivalMs[ended[i - 1]] <= arrivalMs[r])) return ended;
  const compareIds = (a: number, b: number) => ids === null || ids[a] === ids[b] ? 0 : ids[a] < ids[b] ? -1 : 1;
  return ended.sort((a, b) => compareIds(a, b) || arrivalMs[a] - arrivalMs[b] || a - b);
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function countOrNull(value: number): number | null {
  return value < 0 ? null : value;
}
