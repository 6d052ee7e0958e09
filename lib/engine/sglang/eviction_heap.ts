/**
 * Tree nodes that may be evicted, least recently used first. Entries that have become wrong since (the node was locked,
 * touched, extended or removed) stay until they surface or the heap is swept.
 *
 * @module
 */
import { KeyedHeap } from "../../collections/keyed_heap.ts";

/** Fewest entries that are worth a sweep. */
const SWEEP_AT = 1024;

/** Heap of (stamp, node). Whether an entry is still right is the owner's knowledge. */
export class EvictionHeap {
  readonly #isCurrent: (node: number, stamp: number) => boolean;
  readonly #heap = new KeyedHeap();
  /** Size at which wrong entries are swept out. */
  #sweepAt = SWEEP_AT;

  /** @param isCurrent whether the node is evictable and was last used at `stamp` */
  constructor(isCurrent: (node: number, stamp: number) => boolean) {
    this.#isCurrent = isCurrent;
  }

  push(node: number, stamp: number): void {
    const heap = this.#heap;
    if (heap.size === this.#sweepAt) {
      heap.keep(this.#isCurrent);
      this.#sweepAt = Math.max(SWEEP_AT, heap.size * 2);
    }
    heap.push(node, stamp);
  }

  /** The evictable node used longest ago, which stays in the heap; -1 when there is none. */
  peek(): number {
    const heap = this.#heap;
    for (; heap.size > 0; heap.pop()) if (this.#isCurrent(heap.first, heap.firstKey)) return heap.first;
    return -1;
  }

  /** Removes what `peek` returned. */
  pop(): void {
    this.#heap.pop();
  }
}
