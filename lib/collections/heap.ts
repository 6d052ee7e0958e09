/**
 * A binary heap.
 *
 * @module
 */

/**
 * Items of which the first in `order` can be taken. Items that compare equal come in any order. `push` and `pop` cost
 * the logarithm of the size in comparisons, `first` nothing.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Heap } from "./heap.ts";
 *
 * const heap = new Heap<number>((a, b) => a - b);
 * heap.push(3);
 * heap.push(1);
 * assert.equal(heap.pop(), 1);
 * assert.equal(heap.first, 3);
 * ```
 */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #order: (a: T, b: T) => number;

  constructor(order: (a: T, b: T) => number) {
    this.#order = order;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The first item, undefined when there is none. */
  get first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#order(item, items[parent]) >= 0) break;
      items[at] = items[parent];
      at = parent;
    }
    items[at] = item;
  }

  /** Takes the first item, undefined when there is none. */
  pop(): T | undefined {
    const items = this.#items;
    const first = items[0], last = items.pop();
    if (items.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#order(items[child + 1], items[child]) < 0) child++;
      if (this.#order(items[child], last!) >= 0) break;
      items[at] = items[child];
      at = child;
    }
    items[at] = last!;
    return first;
  }
}
