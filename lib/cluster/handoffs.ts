/**
 * Requests on their way from a prefill to a decode worker: where each stands, what is left to do for it in a
 * first-in-first-out queue of actions, and KV transfers under way.
 *
 * @module
 */
import { reaching } from "../collections/growing.ts";
import { SlotMap } from "../collections/slot_map.ts";

/** Where requests stand between the pools, by row. A request has a row until nothing refers to it any more. */
export class HandOffs {
  /** In order of arrival, from 1 on. */
  ordinal = new Int32Array(64);
  /** Ranks it was placed on, -1 before. */
  prefillRank = new Int32Array(64);
  decodeRank = new Int32Array(64);
  /** Tokens that have to be transferred. */
  missing = new Int32Array(64);
  /** Sides that have yet to forget it because it failed. */
  cancelling = new Uint8Array(64);
  /** When the prefill router began to keep it. */
  queuedMs = new Float64Array(64);
  /** Requests that are on their way through both pools. */
  underWay = 0;
  /** 1 once both sides let go of it, and once it ended. */
  #closed = new Uint8Array(64);
  #ended = new Uint8Array(64);
  readonly #rows = new SlotMap();
  #ordinals = 0;

  /** A request arrives; returns its row. */
  open(request: number): number {
    const row = this.#rows.take(request);
    if (row === this.ordinal.length) this.#grow(row);
    this.ordinal[row] = ++this.#ordinals;
    this.prefillRank[row] = this.decodeRank[row] = -1;
    this.missing[row] =
      this.cancelling[row] =
      this.#closed[row] =
      this.#ended[row] =
        0;
    this.underWay++;
    return row;
  }

  /** The row of a request, -1 where nothing of it is left. */
  rowOf(request: number): number {
    return this.#rows.get(request);
  }

  /** Whether it is still on its way. */
  isOpen(row: number): boolean {
    return row >= 0 && this.#closed[row] === 0;
  }

  /** Both sides let go of a request. */
  close(request: number): void {
    const row = this.rowOf(request);
    this.underWay--;
    this.#closed[row] = 1;
    this.#forget(request, row);
  }

  /** A request ended, whatever its outcome. */
  ended(request: number): void {
    const row = this.rowOf(request);
    this.#ended[row] = 1;
    this.#forget(request, row);
  }

  #forget(request: number, row: number): void {
    if (this.#closed[row] === 1 && this.#ended[row] === 1 && this.cancelling[row] === 0) this.#rows.give(request);
  }

  #grow(row: number): void {
    this.ordinal = reaching(this.ordinal, row);
    this.prefillRank = reaching(this.prefillRank, row);
    this.decodeRank = reaching(this.decodeRank, row);
    this.missing = reaching(this.missing, row);
    this.cancelling = reaching(this.cancelling, row);
    this.queuedMs = reaching(this.queuedMs, row);
    this.#closed = reaching(this.#closed, row);
    this.#ended = reaching(this.#ended, row);
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    const some = new HandOffs();
    for (let request = 0; request <= 64; request++) some.open(request);
  }
}

/** Steps of a hand-off. */
export const Action = {
  submitPrefill: 0,
  reserve: 1,
  transfer: 2,
  activate: 3,
  release: 4,
  cancelPrefill: 5,
  cancelDecode: 6,
  complete: 7,
} as const;
export type Action = (typeof Action)[keyof typeof Action];

/** First-in-first-out queue of (action, request). */
export class ActionQueue {
  #ring = new Int32Array(64);
  #mask = 63;
  #head = 0;
  #tail = 0;

  get empty(): boolean {
    return this.#head === this.#tail;
  }

  push(action: Action, request: number): void {
    if (this.#tail - this.#head > this.#mask - 2) this.#grow();
    this.#ring[this.#tail++ & this.#mask] = action;
    this.#ring[this.#tail++ & this.#mask] = request;
  }

  /** Takes the oldest entry: returns its action, leaves its request in `request`. */
  shift(): Action {
    const action = this.#ring[this.#head++ & this.#mask] as Action;
    this.request = this.#ring[this.#head++ & this.#mask];
    return action;
  }

  /** Request of the entry taken last. */
  request = 0;

  #grow(): void {
    const size = (this.#mask + 1) * 2, ring = new Int32Array(size);
    for (let i = this.#head; i < this.#tail; i++) ring[i & (size - 1)] = this.#ring[i & this.#mask];
    this.#ring = ring;
    this.#mask = size - 1;
  }
}

/** Transfers under way, by (end, hand-off ordinal). A binary heap. */
export class Transfers {
  readonly #endMs: number[] = [];
  readonly #request: number[] = [];
  readonly #ordinal: number[] = [];

  /** End of the next one, `Infinity` without any. */
  get nextMs(): number {
    return this.#endMs.length === 0 ? Infinity : this.#endMs[0];
  }

  push(endMs: number, request: number, ordinal: number): void {
    let at = this.#endMs.length;
    this.#endMs.push(endMs);
    this.#request.push(request);
    this.#ordinal.push(ordinal);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** Takes the next one's request. */
  pop(): number {
    const request = this.#request[0], last = this.#endMs.length - 1;
    this.#swap(0, last);
    this.#endMs.pop();
    this.#request.pop();
    this.#ordinal.pop();
    for (let at = 0;;) {
      let child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#before(child + 1, child)) child++;
      if (!this.#before(child, at)) break;
      this.#swap(child, at);
      at = child;
    }
    return request;
  }

  /** Drops the transfers of a request whose hand-off is over. */
  drop(request: number): void {
    const kept: [number, number, number][] = [];
    for (let i = 0; i < this.#endMs.length; i++) {
      if (this.#request[i] !== request) kept.push([this.#endMs[i], this.#request[i], this.#ordinal[i]]);
    }
    if (kept.length === this.#endMs.length) return;
    this.#endMs.length = this.#request.length = this.#ordinal.length = 0;
    for (const entry of kept) this.push(...entry);
  }

  #before(a: number, b: number): boolean {
    const ends = this.#endMs;
    return ends[a] < ends[b] || (ends[a] === ends[b] && this.#ordinal[a] < this.#ordinal[b]);
  }

  #swap(a: number, b: number): void {
    const end = this.#endMs[a], request = this.#request[a], ordinal = this.#ordinal[a];
    this.#endMs[a] = this.#endMs[b];
    this.#request[a] = this.#request[b];
    this.#ordinal[a] = this.#ordinal[b];
    this.#endMs[b] = end;
    this.#request[b] = request;
    this.#ordinal[b] = ordinal;
  }
}
