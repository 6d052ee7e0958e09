/**
 * Placements and admissions in the order in which they happened, kept only when per-request records were asked for.
 * Rows are appended to typed arrays; a request's own rows are found through an index built once at the end.
 *
 * @module
 */
import { longer } from "../collections/growing.ts";

const INITIAL_ROWS = 1024;

/** Rows of one log grouped by request: those of `r` are `rows[start[r] .. start[r + 1])`, in order of time. */
export interface RowsByRequest {
  readonly start: Int32Array;
  readonly rows: Int32Array;
}

/** Every admission of every request. */
export class AdmissionLog {
  count = 0;
  request: Int32Array = new Int32Array(INITIAL_ROWS);
  /** Pool code, see `Pool` in `records.ts`. */
  pool: Uint8Array = new Uint8Array(INITIAL_ROWS);
  atMs: Float64Array = new Float64Array(INITIAL_ROWS);
  reused: Int32Array = new Int32Array(INITIAL_ROWS);

  /** Appends an admission that found `reused` prompt tokens in the cache. */
  add(request: number, pool: number, atMs: number, reused: number): void {
    const row = this.count++;
    if (row === this.request.length) {
      this.request = longer(this.request);
      this.pool = longer(this.pool);
      this.atMs = longer(this.atMs);
      this.reused = longer(this.reused);
    }
    this.request[row] = request;
    this.pool[row] = pool;
    this.atMs[row] = atMs;
    this.reused[row] = reused;
  }

  /** Groups the rows by request. */
  byRequest(requests: number): RowsByRequest {
    return group(this.request, this.count, requests);
  }
}

/** One placement, as the router tells it. */
export interface Placement {
  request: number;
  /** Pool code, see `Pool` in `records.ts`. */
  pool: number;
  /** When it entered the router's queue and left it; `NaN` for an immediate placement. */
  queueEnteredMs: number;
  releasedMs: number;
  worker: number;
  scheduler: number;
  dpRank: number;
  /** Prompt tokens believed resident at the pick; 0 with round robin. */
  overlapTokens: number;
  /** Leading prompt blocks resident at the pick and at the best candidate; -1 with round robin. */
  overlapBlocks: number;
  bestOverlapBlocks: number;
}

/** Every placement of every request. */
export class RoutingLog {
  readonly rows: Placement[] = [];

  /** Appends a placement; the object is kept. */
  add(placement: Placement): void {
    this.rows.push(placement);
  }

  /** Groups the rows by request. */
  byRequest(requests: number): RowsByRequest {
    return group(Int32Array.from(this.rows, (row) => row.request), this.rows.length, requests);
  }
}

function group(request: Int32Array, count: number, requests: number): RowsByRequest {
  const start = new Int32Array(requests + 1);
  for (let row = 0; row < count; row++) start[request[row] + 1]++;
  for (let r = 0; r < requests; r++) start[r + 1] += start[r];
  const next = start.slice();
  const rows = new Int32Array(count);
  for (let row = 0; row < count; row++) rows[next[request[row]]++] = row;
  return { start, rows };
}
