/**
 * What is left to do for requests on their way from a prefill to a decode worker: a first-in-first-out queue of
 * actions, actions put off because their worker has a pass in flight, and KV transfers under way.
 *
 * @module
 */

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
  /** Hand-off ordinal of each request, in order of arrival. */
  readonly #ordinal: Int32Array;

  constructor(ordinals: Int32Array) {
    this.#ordinal = ordinals;
  }

  /** End of the next one, `Infinity` without any. */
  get nextMs(): number {
    return this.#endMs.length === 0 ? Infinity : this.#endMs[0];
  }

  push(endMs: number, request: number): void {
    let at = this.#endMs.length;
    this.#endMs.push(endMs);
    this.#request.push(request);
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
    const kept: [number, number][] = [];
    for (let i = 0; i < this.#endMs.length; i++) {
      if (this.#request[i] !== request) kept.push([this.#endMs[i], this.#request[i]]);
    }
    if (kept.length === this.#endMs.length) return;
    this.#endMs.length = this.#request.length = 0;
    for (const [endMs, other] of kept) this.push(endMs, other);
  }

  #before(a: number, b: number): boolean {
    const ends = this.#endMs, requests = this.#request;
    return ends[a] < ends[b] ||
      (ends[a] === ends[b] && this.#ordinal[requests[a]] < this.#ordinal[requests[b]]);
  }

  #swap(a: number, b: number): void {
    const end = this.#endMs[a], request = this.#request[a];
    this.#endMs[a] = this.#endMs[b];
    this.#request[a] = this.#request[b];
    this.#endMs[b] = end;
    this.#request[b] = request;
  }
}
