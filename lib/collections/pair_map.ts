/**
 * A map from pairs of integers to integers in four typed arrays: no allocation per entry.
 *
 * @module
 */
import { longer } from "./growing.ts";

/**
 * Map from pairs; `get` answers -1 for what is not there. Entries are never removed. An entry takes about 20 bytes, a
 * look-up about one step.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { PairMap } from "./pair_map.ts";
 *
 * const map = new PairMap();
 * map.add(-1, 7, 0);
 * assert.equal(map.get(-1, 7), 0);
 * assert.equal(map.get(7, -1), -1);
 * ```
 */
export class PairMap {
  #first = new Int32Array(64);
  #second = new Int32Array(64);
  #values = new Int32Array(64);
  #size = 0;
  /** Entry + 1 by hash, 0 where empty; half of it at least stays empty. */
  #table = new Int32Array(128);

  get size(): number {
    return this.#size;
  }

  get(first: number, second: number): number {
    const table = this.#table, mask = table.length - 1;
    for (let at = hash(first, second) & mask;; at = (at + 1) & mask) {
      const entry = table[at] - 1;
      if (entry < 0) return -1;
      if (this.#first[entry] === first && this.#second[entry] === second) return this.#values[entry];
    }
  }

  /** Adds a pair that is not there yet. */
  add(first: number, second: number, value: number): void {
    const entry = this.#size++;
    if (entry === this.#values.length) {
      this.#first = longer(this.#first);
      this.#second = longer(this.#second);
      this.#values = longer(this.#values);
      this.#table = new Int32Array(this.#values.length * 2);
      for (let i = 0; i < entry; i++) this.#place(i);
    }
    this.#first[entry] = first;
    this.#second[entry] = second;
    this.#values[entry] = value;
    this.#place(entry);
  }

  #place(entry: number): void {
    const table = this.#table, mask = table.length - 1;
    let at = hash(this.#first[entry], this.#second[entry]) & mask;
    while (table[at] !== 0) at = (at + 1) & mask;
    table[at] = entry + 1;
  }
}

function hash(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
