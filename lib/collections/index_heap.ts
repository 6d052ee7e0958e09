/**
 * Small integers by time.
 *
 * @module
 */

/**
 * A heap of entries 0 … capacity - 1 in the order (time, entry). Times must not change while an entry is in it. The times
 * are the caller's column, so an entry costs four bytes; `push` and `pop` cost the logarithm of the size.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { IndexHeap } from "./index_heap.ts";
 *
 * const heap = new IndexHeap(3, Float64Array.of(30, 10, 20));
 * for (let entry = 0; entry < 3; entry++) heap.push(entry);
 * heap.pop();
 * assert.equal(heap.first, 2);
 * ```
 */
export class IndexHeap {
  size = 0;
  readonly #entries: Int32Array;
  readonly #times: Float64Array;

  /** `times[entry]` is the time of an entry; at most `capacity` entries are in the heap together. */
  constructor(capacity: number, times: Float64Array) {
    this.#entries = new Int32Array(capacity);
    this.#times = times;
  }

  /** The first entry; only when the heap is not empty. */
  get first(): number {
    return this.#entries[0];
  }

  push(entry: number): void {
    const entries = this.#entries;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(entry, entries[parent])) break;
      entries[at] = entries[parent];
      at = parent;
    }
    entries[at] = entry;
  }

  /** Takes the first entry away; only when the heap is not empty. */
  pop(): void {
    const entries = this.#entries, size = --this.size, last = entries[size];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#before(entries[child + 1], entries[child])) child++;
      if (!this.#before(entries[child], last)) break;
      entries[at] = entries[child];
      at = child;
    }
    entries[at] = last;
  }

  #before(a: number, b: number): boolean {
    return this.#times[a] < this.#times[b] || (this.#times[a] === this.#times[b] && a < b);
  }
}
