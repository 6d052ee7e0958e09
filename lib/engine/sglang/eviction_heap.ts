/**
 * Tree nodes that may be evicted, least recently used first. A binary heap in typed arrays; entries that have become
 * wrong since (the node was locked, touched, extended or removed) stay until they surface or the heap is swept.
 *
 * @module
 */
import { longer } from "../../collections/growing.ts";

/** Heap of (stamp, node). Whether an entry is still right is the owner's knowledge. */
export class EvictionHeap {
  readonly #isCurrent: (node: number, stamp: number) => boolean;
  #stamps = new Float64Array(64);
  #nodes = new Int32Array(64);
  #size = 0;
  /** Size at which wrong entries are swept out. */
  #sweepAt = 1024;

  /** @param isCurrent whether the node is evictable and was last used at `stamp` */
  constructor(isCurrent: (node: number, stamp: number) => boolean) {
    this.#isCurrent = isCurrent;
  }

  push(node: number, stamp: number): void {
    if (this.#size === this.#sweepAt) this.#sweep();
    if (this.#size === this.#nodes.length) this.#grow();
    this.#rise(this.#size++, node, stamp);
  }

  /** The evictable node used longest ago, which stays in the heap; -1 when there is none. */
  peek(): number {
    while (this.#size > 0) {
      if (this.#isCurrent(this.#nodes[0], this.#stamps[0])) return this.#nodes[0];
      this.pop();
    }
    return -1;
  }

  /** Removes what `peek` returned. */
  pop(): void {
    const size = --this.#size, stamp = this.#stamps[size], node = this.#nodes[size];
    const stamps = this.#stamps, nodes = this.#nodes;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && stamps[child + 1] < stamps[child]) child++;
      if (stamps[child] >= stamp) break;
      stamps[at] = stamps[child];
      nodes[at] = nodes[child];
      at = child;
    }
    stamps[at] = stamp;
    nodes[at] = node;
  }

  #rise(at: number, node: number, stamp: number): void {
    const stamps = this.#stamps, nodes = this.#nodes;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (stamps[parent] <= stamp) break;
      stamps[at] = stamps[parent];
      nodes[at] = nodes[parent];
      at = parent;
    }
    stamps[at] = stamp;
    nodes[at] = node;
  }

  #sweep(): void {
    const stamps = this.#stamps, nodes = this.#nodes;
    let kept = 0;
    for (let i = 0; i < this.#size; i++) {
      if (this.#isCurrent(nodes[i], stamps[i])) this.#rise(kept++, nodes[i], stamps[i]);
    }
    this.#size = kept;
    this.#sweepAt = Math.max(1024, kept * 2);
  }

  #grow(): void {
    this.#stamps = longer(this.#stamps);
    this.#nodes = longer(this.#nodes);
  }
}
