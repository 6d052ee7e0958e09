/**
 * A binary heap of small integers by numeric keys, in two typed arrays: no allocation per entry, `push` and `pop` cost
 * the logarithm of the size.
 *
 * @module
 */
import { longer } from "./growing.ts";

/**
 * Integers of which the one with the smallest key can be taken. Entries of equal keys come in any order.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { KeyedHeap } from "./keyed_heap.ts";
 *
 * const heap = new KeyedHeap();
 * heap.push(7, 2.5);
 * heap.push(9, 0.5);
 * assert.equal(heap.first, 9);
 * heap.pop();
 * assert.equal(heap.first, 7);
 * ```
 */
export class KeyedHeap {
  size = 0;
  #keys = new Float64Array(64);
  #values = new Int32Array(64);

  /** The entry with the smallest key; only when the heap is not empty. */
  get first(): number {
    return this.#values[0];
  }

  /** Its key. */
  get firstKey(): number {
    return this.#keys[0];
  }

  push(value: number, key: number): void {
    if (this.size === this.#values.length) {
      this.#keys = longer(this.#keys);
      this.#values = longer(this.#values);
    }
    this.#rise(this.size++, value, key);
  }

  /** Takes the first entry away; only when the heap is not empty. */
  pop(): void {
    const keys = this.#keys, values = this.#values, size = --this.size, key = keys[size], value = values[size];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && keys[child + 1] < keys[child]) child++;
      if (keys[child] >= key) break;
      keys[at] = keys[child];
      values[at] = values[child];
      at = child;
    }
    keys[at] = key;
    values[at] = value;
  }

  /** Drops the entries that do not satisfy a condition; costs the size times its logarithm at most. */
  keep(wanted: (value: number, key: number) => boolean): void {
    const keys = this.#keys, values = this.#values, size = this.size;
    this.size = 0;
    for (let i = 0; i < size; i++) {
      if (wanted(values[i], keys[i])) this.#rise(this.size++, values[i], keys[i]);
    }
  }

  #rise(at: number, value: number, key: number): void {
    const keys = this.#keys, values = this.#values;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent] <= key) break;
      keys[at] = keys[parent];
      values[at] = values[parent];
      at = parent;
    }
    keys[at] = key;
    values[at] = value;
  }
}
