/**
 * What happened to requests, in columns. Engines and the cluster write; the report is told of every request when it
 * ends. All times are milliseconds of virtual time, `NaN` where something never happened.
 *
 * Some columns are addressed by the dense request index of the workload, the others by a row: the same where everything
 * is kept; otherwise a small number that a request has from its arrival to its end, so that requests that ended take
 * next to no memory.
 *
 * @module
 */
import { longer } from "../collections/growing.ts";
import { SlotMap } from "../collections/slot_map.ts";
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

/** Told of every request when it ends, while its row still says what happened to it. */
export interface EndListener {
  /** Called once a request, in the order of completion in which means are summed. */
  ended(records: RequestRecords, request: number, row: number, atMs: number, outcome: Outcome): void;
}

/** Options of {@linkcode RequestRecords}. */
export interface RequestRecordsOptions {
  /** Requests to make room for at once; the columns grow beyond it when needed. Default 256. */
  capacity?: number;
  /** Keeps the columns that only prefill and decode pools fill. Default false. */
  disaggregated?: boolean;
  /** Keeps every placement and admission for the per-request records. Default false. */
  history?: boolean;
  /**
   * Keeps all columns of requests that ended. Otherwise only those that are addressed by request are kept, and the rows of
   * requests that ended are used again. Default true.
   */
  keepsEnded?: boolean;
  /** Prompt tokens by request as far as they are known beforehand: not copied unless one turns out to be another. */
  inputTokens?: Int32Array;
  /** Told of every end. Default nobody. */
  listener?: EndListener | null;
}

/** Columns that only requests of disaggregated clusters fill. Each stamp keeps its first value. */
export class DisaggregatedRecords {
  // By row.

  /** Prefill is done, its KV waits for the transfer. */
  sourceHeldMs!: Float64Array;
  /** End of the wait for a place in the decode pool: the first admission there, or the end of a request without one. */
  decodeWaitedMs!: Float64Array;
  /** Scheduler (rank) id in the prefill pool, -1 when never placed there. */
  prefillRank!: Int32Array;
  prefillAdmissions!: Int32Array;
  /** Largest number of prompt tokens reused at a prefill admission. */
  prefillReused!: Int32Array;

  // By request, and empty unless everything is kept.

  prefillAdmitMs!: Float64Array;
  decodeAdmitMs!: Float64Array;
  destinationReservedMs!: Float64Array;
  destinationActivatedMs!: Float64Array;
  sourceReleasedMs!: Float64Array;
  /** Prompt tokens the router believed resident at the picked worker, -1 when never placed. */
  prefillOverlapTokens!: Int32Array;
  decodeOverlapTokens!: Int32Array;

  /** @internal */
  resize(rows: number, kept: number): void {
    this.sourceHeldMs = stamps(rows, this.sourceHeldMs);
    this.decodeWaitedMs = stamps(rows, this.decodeWaitedMs);
    this.prefillRank = int32(rows, this.prefillRank, -1);
    this.prefillAdmissions = int32(rows, this.prefillAdmissions);
    this.prefillReused = int32(rows, this.prefillReused);
    this.prefillAdmitMs = stamps(kept, this.prefillAdmitMs);
    this.decodeAdmitMs = stamps(kept, this.decodeAdmitMs);
    this.destinationReservedMs = stamps(kept, this.destinationReservedMs);
    this.destinationActivatedMs = stamps(kept, this.destinationActivatedMs);
    this.sourceReleasedMs = stamps(kept, this.sourceReleasedMs);
    this.prefillOverlapTokens = int32(kept, this.prefillOverlapTokens, -1);
    this.decodeOverlapTokens = int32(kept, this.decodeOverlapTokens, -1);
  }

  /** @internal A row is used again. */
  clear(row: number): void {
    this.sourceHeldMs[row] = this.decodeWaitedMs[row] = NaN;
    this.prefillRank[row] = -1;
    this.prefillAdmissions[row] = this.prefillReused[row] = 0;
  }
}

/** Columns of the requests of one replay. */
export class RequestRecords {
  /** Requests admitted to the cluster so far. */
  admitted = 0;
  /** Requests that ended so far. */
  ended = 0;

  // By request.

  /** Prompt tokens as admitted. */
  inputTokens!: Int32Array;

  // By row.

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
  /** Output tokens emitted. */
  outputTokens!: Int32Array;
  /** Scheduler (rank) id in the aggregated or decode pool, -1 when never placed there. */
  decodeRank!: Int32Array;
  /** Admissions in the aggregated or decode pool. */
  admissions!: Int32Array;
  /** Prompt tokens reused at the first admission of all. */
  reusedFirst!: Int32Array;
  /** Largest number of prompt tokens reused at an admission in the aggregated or decode pool. */
  reusedMax!: Int32Array;

  // By request, and empty unless everything is kept.

  /** How it ended, one of {@linkcode Outcome}; 0 while it runs. */
  status!: Uint8Array;
  /** Its end, of whatever kind. */
  terminalMs!: Float64Array;
  /** `completionOrder[0 .. ended)` are the requests in the order in which they ended. */
  completionOrder!: Int32Array;

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
  readonly #listener: EndListener | null;
  /** Rows of the requests that have not ended; null where everything is kept. */
  readonly #rows: SlotMap | null;
  #capacity = 0;
  #rowCapacity = 0;
  /** Whether the prompt lengths are somebody else's. */
  #shared: boolean;

  /** Empty columns, which grow as requests arrive. */
  constructor(options: RequestRecordsOptions = {}) {
    const { history = false, keepsEnded = true, inputTokens } = options;
    this.disaggregated = options.disaggregated ? new DisaggregatedRecords() : null;
    this.routing = history ? new RoutingLog() : null;
    this.admissionLog = history ? new AdmissionLog() : null;
    this.#listener = options.listener ?? null;
    this.#rows = keepsEnded || history ? null : new SlotMap();
    this.#shared = inputTokens !== undefined;
    if (inputTokens !== undefined) this.inputTokens = inputTokens;
    this.#resize(options.capacity ?? INITIAL_CAPACITY);
  }

  /** The row of a request that has not ended; -1 where it has, and not everything is kept. */
  rowOf(request: number): number {
    return this.#rows === null ? request : this.#rows.get(request);
  }

  /** A request enters the cluster with `inputTokens` prompt tokens. */
  arrive(request: number, atMs: number, inputTokens: number): void {
    if (request >= this.#capacity) this.#resize(Math.max(request + 1, this.#capacity * 2));
    if (this.inputTokens[request] !== inputTokens) {
      if (this.#shared) this.#own();
      this.inputTokens[request] = inputTokens;
    }
    this.admitted++;
    if (this.#rows === null) this.arrivalMs[request] = atMs;
    else this.#begin(this.#rows.take(request), atMs);
  }

  /** The requests that arrived and have not ended, ascending. */
  unended(): Int32Array {
    if (this.#rows !== null) return this.#rows.keys();
    const { arrivalMs, status } = this;
    return Int32Array.from(arrivalMs.keys()).filter((r) => !Number.isNaN(arrivalMs[r]) && status[r] === Outcome.none);
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
    const row = this.rowOf(request);
    if (row < 0) return;
    if (pool === Pool.prefill) this.disaggregated!.prefillRank[row] = rank;
    else this.decodeRank[row] = rank;
  }

  /** A scheduler admits a request (again), finding `reused` prompt tokens in its cache. */
  admit(request: number, atMs: number, reused: number, pool: Pool): void {
    if (this.admissionLog !== null) this.admissionLog.add(request, pool, atMs, reused);
    const columns = this.disaggregated, row = this.rowOf(request);
    if (row < 0) return;
    if (Number.isNaN(this.firstAdmitMs[row])) {
      this.firstAdmitMs[row] = atMs;
      this.reusedFirst[row] = reused;
    }
    if (pool === Pool.prefill) {
      if (columns!.prefillAdmissions[row]++ === 0) columns!.prefillAdmitMs[request] = atMs;
      if (reused > columns!.prefillReused[row]) columns!.prefillReused[row] = reused;
      return;
    }
    if (this.admissions[row]++ === 0 && columns !== null) {
      columns.decodeAdmitMs[request] = columns.decodeWaitedMs[row] = atMs;
    }
    if (reused > this.reusedMax[row]) this.reusedMax[row] = reused;
  }

  /** The prompt of a request is computed, its KV waits for the transfer to the other pool. */
  hold(request: number, atMs: number): void {
    const row = this.rowOf(request);
    if (row >= 0) this.disaggregated!.sourceHeldMs[row] = atMs;
  }

  /**
   * The tokens a request emitted, told once when it ends: how many, and when the first, second and last left (`NaN`
   * where there is no such token).
   */
  emit(request: number, count: number, firstMs: number, secondMs: number, lastMs: number): void {
    const row = this.rowOf(request);
    this.outputTokens[row] = count;
    this.firstTokenMs[row] = firstMs;
    this.secondTokenMs[row] = secondMs;
    this.lastTokenMs[row] = lastMs;
  }

  /** A request ends; the order of these calls is the completion order in which means are summed. */
  finish(request: number, atMs: number, outcome: Outcome): void {
    this.terminalMs[request] = atMs;
    this.status[request] = outcome;
    this.completionOrder[this.ended++] = request;
    const waited = this.disaggregated?.decodeWaitedMs, row = this.rowOf(request);
    if (waited !== undefined && Number.isNaN(waited[row])) waited[row] = atMs;
    this.#listener?.ended(this, request, row, atMs, outcome);
    this.#rows?.give(request);
  }

  /** A row is used for another request. */
  #begin(row: number, arrivalMs: number): void {
    if (row >= this.#rowCapacity) this.#resizeRows(this.#rowCapacity * 2);
    this.arrivalMs[row] = arrivalMs;
    this.firstAdmitMs[row] = NaN;
    this.firstTokenMs[row] = this.secondTokenMs[row] = this.lastTokenMs[row] = NaN;
    this.decodeRank[row] = -1;
    this.outputTokens[row] =
      this.admissions[row] =
      this.reusedFirst[row] =
      this.reusedMax[row] =
        0;
    this.disaggregated?.clear(row);
  }

  /** Prompt lengths of its own from now on. */
  #own(): void {
    this.inputTokens = int32(
      this.#capacity,
      this.#shared ? this.inputTokens.slice(0, this.#capacity) : this.inputTokens,
    );
    this.#shared = false;
  }

  #resize(capacity: number): void {
    const kept = this.#rows === null ? capacity : 0;
    this.#capacity = capacity;
    if (!this.#shared || this.inputTokens.length < capacity) this.#own();
    this.status = this.status ? longer(this.status, kept) : new Uint8Array(kept);
    this.terminalMs = stamps(kept, this.terminalMs);
    this.completionOrder = int32(kept, this.completionOrder);
    if (this.dispatchedMs !== null) this.dispatchedMs = stamps(capacity, this.dispatchedMs);
    this.#resizeRows(this.#rows === null ? capacity : Math.max(this.#rowCapacity, INITIAL_CAPACITY));
  }

  #resizeRows(rows: number): void {
    this.#rowCapacity = rows;
    this.arrivalMs = stamps(rows, this.arrivalMs);
    this.firstAdmitMs = stamps(rows, this.firstAdmitMs);
    this.firstTokenMs = stamps(rows, this.firstTokenMs);
    this.secondTokenMs = stamps(rows, this.secondTokenMs);
    this.lastTokenMs = stamps(rows, this.lastTokenMs);
    this.outputTokens = int32(rows, this.outputTokens);
    this.decodeRank = int32(rows, this.decodeRank, -1);
    this.admissions = int32(rows, this.admissions);
    this.reusedFirst = int32(rows, this.reusedFirst);
    this.reusedMax = int32(rows, this.reusedMax);
    this.disaggregated?.resize(rows, this.#rows === null ? this.#capacity : 0);
  }
}

function stamps(capacity: number, old?: Float64Array): Float64Array {
  if (old?.length === capacity) return old;
  const column = new Float64Array(capacity);
  if (old) column.set(old);
  return column.fill(NaN, old?.length ?? 0);
}

function int32(capacity: number, old?: Int32Array, empty = 0): Int32Array {
  if (old?.length === capacity) return old;
  const column = new Int32Array(capacity);
  if (old) column.set(old);
  return empty === 0 ? column : column.fill(empty, old?.length ?? 0);
}
