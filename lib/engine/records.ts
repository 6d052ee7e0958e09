/**
 * What happened to every request, in columns addressed by the dense request index of the workload. Engines and the
 * cluster write, the report reads. All times are milliseconds of virtual time, `NaN` where something never happened.
 *
 * @module
 */
import { AdmissionLog, RoutingLog } from "./history.ts";

/** Pool a worker belongs to; aggregated clusters have one, disaggregated ones have the other two. */
export const Pool = { aggregated: 0, prefill: 1, decode: 2 } as const;
/** One of the pools. */
export type Pool = (typeof Pool)[keyof typeof Pool];

/** Names of the pools in reports, by `Pool`. */
export const POOL_NAMES = ["agg", "prefill", "decode"] as const;

/** How a request ended; `none` while it has not. */
export const Outcome = { none: 0, completed: 1, rejected: 2, failed: 3, cancelled: 4 } as const;
/** One of the outcomes. */
export type Outcome = (typeof Outcome)[keyof typeof Outcome];

/** Names of the outcomes in reports (`terminal_status`), by `Outcome`. */
export const OUTCOME_NAMES = ["", "completed", "rejected", "failed", "canceled"] as const;

const INITIAL_CAPACITY = 256;

/** Options of {@linkcode RequestRecords}. */
export interface RequestRecordsOptions {
  /** Requests to make room for at once; the columns grow beyond it when needed. Default 256. */
  capacity?: number;
  /** Keeps the columns that only prefill and decode pools fill. Default false. */
  disaggregated?: boolean;
  /** Keeps every placement and admission for the per-request records. Default false. */
  history?: boolean;
}

/** Columns that only requests of disaggregated clusters fill. Each stamp keeps its first value. */
export class DisaggregatedRecords {
  /** Scheduler (rank) id in the prefill pool, -1 when never placed there. */
  prefillRank!: Int32Array;
  prefillAdmissions!: Int32Array;
  /** Largest number of prompt tokens reused at a prefill admission. */
  prefillReused!: Int32Array;
  prefillAdmitMs!: Float64Array;
  decodeAdmitMs!: Float64Array;
  /** Prefill is done, its KV waits for the transfer. */
  sourceHeldMs!: Float64Array;
  destinationReservedMs!: Float64Array;
  destinationActivatedMs!: Float64Array;
  sourceReleasedMs!: Float64Array;
  /** Prompt tokens the router believed resident at the picked worker, -1 when never placed. */
  prefillOverlapTokens!: Int32Array;
  decodeOverlapTokens!: Int32Array;

  /** @internal */
  resize(capacity: number): void {
    this.prefillRank = int32(capacity, this.prefillRank, -1);
    this.prefillAdmissions = int32(capacity, this.prefillAdmissions);
    this.prefillReused = int32(capacity, this.prefillReused);
    this.prefillAdmitMs = stamps(capacity, this.prefillAdmitMs);
    this.decodeAdmitMs = stamps(capacity, this.decodeAdmitMs);
    this.sourceHeldMs = stamps(capacity, this.sourceHeldMs);
    this.destinationReservedMs = stamps(capacity, this.destinationReservedMs);
    this.destinationActivatedMs = stamps(capacity, this.destinationActivatedMs);
    this.sourceReleasedMs = stamps(capacity, this.sourceReleasedMs);
    this.prefillOverlapTokens = int32(capacity, this.prefillOverlapTokens, -1);
    this.decodeOverlapTokens = int32(capacity, this.decodeOverlapTokens, -1);
  }
}

/** Outcome columns of all requests of one replay. */
export class RequestRecords {
  /** Requests admitted to the cluster so far. */
  admitted = 0;
  /** `completionOrder[0 .. ended)` are the requests in the order in which they ended. */
  ended = 0;
  /** See `ended`. */
  completionOrder!: Int32Array;
  /** When a request arrived, in virtual milliseconds as all times here; `NaN` before it happened. */
  arrivalMs!: Float64Array;
  /** First admission by a scheduler, in any pool. */
  firstAdmitMs!: Float64Array;
  /** Its first output token. */
  firstTokenMs!: Float64Array;
  /** Its second output token. */
  secondTokenMs!: Float64Array;
  /** Its last output token so far. */
  lastTokenMs!: Float64Array;
  /** Its end, of whatever kind. */
  terminalMs!: Float64Array;
  /** Prompt tokens as admitted. */
  inputTokens!: Int32Array;
  /** Output tokens emitted. */
  outputTokens!: Int32Array;
  /** How it ended, one of {@linkcode Outcome}; 0 while it runs. */
  status!: Uint8Array;
  /** Scheduler (rank) id in the aggregated or decode pool, -1 when never placed there. */
  decodeRank!: Int32Array;
  /** Admissions in the aggregated or decode pool. */
  admissions!: Int32Array;
  /** Prompt tokens reused at the first admission of all. */
  reusedFirst!: Int32Array;
  /** Largest number of prompt tokens reused at an admission in the aggregated or decode pool. */
  reusedMax!: Int32Array;
  /** Hand-over to the cluster, where it is not the arrival (agentic plays); null until one is stamped. */
  dispatchedMs: Float64Array | null = null;
  /**
   * Columns of prefill and decode pools; null in aggregated clusters.
   *
   * @internal
   */
  readonly disaggregated: DisaggregatedRecords | null;
  /**
   * Every placement and every admission; null unless asked for.
   *
   * @internal
   */
  readonly routing: RoutingLog | null;
  /**
   * Every admission by a scheduler; null unless asked for.
   *
   * @internal
   */
  readonly admissionLog: AdmissionLog | null;
  #capacity = 0;

  /** Empty columns, which grow as requests arrive. */
  constructor(options: RequestRecordsOptions = {}) {
    this.disaggregated = options.disaggregated ? new DisaggregatedRecords() : null;
    this.routing = options.history ? new RoutingLog() : null;
    this.admissionLog = options.history ? new AdmissionLog() : null;
    this.#resize(options.capacity ?? INITIAL_CAPACITY);
  }

  /** A request enters the cluster with `inputTokens` prompt tokens. */
  arrive(request: number, atMs: number, inputTokens: number): void {
    if (request >= this.#capacity) this.#resize(Math.max(request + 1, this.#capacity * 2));
    this.arrivalMs[request] = atMs;
    this.inputTokens[request] = inputTokens;
    this.admitted++;
  }

  /** A request that waited before its arrival counted is handed over. */
  dispatch(request: number, atMs: number): void {
    (this.dispatchedMs ??= stamps(this.#capacity))[request] = atMs;
  }

  /** A router placed a request in a pool, where it believed `overlapTokens` of its prompt resident. */
  route(request: number, pool: Pool, overlapTokens: number): void {
    const columns = this.disaggregated;
    if (columns === null) return;
    (pool === Pool.prefill ? columns.prefillOverlapTokens : columns.decodeOverlapTokens)[request] = overlapTokens;
  }

  /** Scheduler `rank` of a pool has taken a request. */
  place(request: number, pool: Pool, rank: number): void {
    if (pool === Pool.prefill) this.disaggregated!.prefillRank[request] = rank;
    else this.decodeRank[request] = rank;
  }

  /** A scheduler admits a request (again), finding `reused` prompt tokens in its cache. */
  admit(request: number, atMs: number, reused: number, pool: Pool): void {
    const columns = this.disaggregated;
    if (columns === null) {
      if (this.admissions[request]++ === 0) {
        this.firstAdmitMs[request] = atMs;
        this.reusedFirst[request] = reused;
      }
      if (reused > this.reusedMax[request]) this.reusedMax[request] = reused;
    } else {
      if (this.admissions[request] === 0 && columns.prefillAdmissions[request] === 0) {
        this.firstAdmitMs[request] = atMs;
        this.reusedFirst[request] = reused;
      }
      if (pool === Pool.prefill) {
        if (columns.prefillAdmissions[request]++ === 0) columns.prefillAdmitMs[request] = atMs;
        if (reused > columns.prefillReused[request]) columns.prefillReused[request] = reused;
      } else {
        if (this.admissions[request]++ === 0) columns.decodeAdmitMs[request] = atMs;
        if (reused > this.reusedMax[request]) this.reusedMax[request] = reused;
      }
    }
    if (this.admissionLog !== null) this.admissionLog.add(request, pool, atMs, reused);
  }

  /**
   * The tokens a request emitted, told once when it ends: how many, and when the first, second and last left (`NaN`
   * where there is no such token).
   */
  emit(request: number, count: number, firstMs: number, secondMs: number, lastMs: number): void {
    this.outputTokens[request] = count;
    this.firstTokenMs[request] = firstMs;
    this.secondTokenMs[request] = secondMs;
    this.lastTokenMs[request] = lastMs;
  }

  /** A request ends; the order of these calls is the completion order in which means are summed. */
  finish(request: number, atMs: number, outcome: Outcome): void {
    this.terminalMs[request] = atMs;
    this.status[request] = outcome;
    this.completionOrder[this.ended++] = request;
  }

  #resize(capacity: number): void {
    this.#capacity = capacity;
    this.completionOrder = int32(capacity, this.completionOrder);
    this.arrivalMs = stamps(capacity, this.arrivalMs);
    this.firstAdmitMs = stamps(capacity, this.firstAdmitMs);
    this.firstTokenMs = stamps(capacity, this.firstTokenMs);
    this.secondTokenMs = stamps(capacity, this.secondTokenMs);
    this.lastTokenMs = stamps(capacity, this.lastTokenMs);
    this.terminalMs = stamps(capacity, this.terminalMs);
    this.inputTokens = int32(capacity, this.inputTokens);
    this.outputTokens = int32(capacity, this.outputTokens);
    const status = new Uint8Array(capacity);
    if (this.status) status.set(this.status);
    this.status = status;
    this.decodeRank = int32(capacity, this.decodeRank, -1);
    this.admissions = int32(capacity, this.admissions);
    this.reusedFirst = int32(capacity, this.reusedFirst);
    this.reusedMax = int32(capacity, this.reusedMax);
    if (this.dispatchedMs !== null) this.dispatchedMs = stamps(capacity, this.dispatchedMs);
    this.disaggregated?.resize(capacity);
  }
}

function stamps(capacity: number, old?: Float64Array): Float64Array {
  const column = new Float64Array(capacity);
  if (old) column.set(old);
  return column.fill(NaN, old?.length ?? 0);
}

function int32(capacity: number, old?: Int32Array, empty = 0): Int32Array {
  const column = new Int32Array(capacity);
  if (old) column.set(old);
  return empty === 0 ? column : column.fill(empty, old?.length ?? 0);
}
