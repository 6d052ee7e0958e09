/**
 * Numbers for sequences of integers: equal sequences get the same one. Everything stands in typed arrays, without an
 * object or a text a sequence.
 *
 * @module
 */
import { longer, reaching } from "./growing.ts";

/**
 * Sequences of integers of 32 bits, numbered from 0 in the order in which they are first met.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { SequenceTable } from "./sequence_table.ts";
 *
 * const table = new SequenceTable();
 * const of = (...items: number[]) => table.numberOf(Uint32Array.from(items), items.length);
 * assert.deepEqual([of(1, 2), of(1, 2, 3), of(1, 2)], [0, 1, 0]);
 * ```
 */
export class SequenceTable {
  /** All sequences, one after the other; sequence `i` ends before `#ends[i]`. */
  #items = new Uint32Array(256);
  #ends = new Int32Array(16);
  #hashes = new Int32Array(16);
  /** Sequence + 1 by hash, 0 where empty; half of it at least stays empty. */
  #table = new Int32Array(32);

  /** How many different ones there are. */
  size = 0;

  /** The number of the sequence that the first `count` of `items` are. */
  numberOf(items: Uint32Array, count: number): number {
    let hash = count;
    for (let i = 0; i < count; i++) hash = Math.imul(hash ^ items[i], 0x9e3779b1) ^ hash >>> 15;
    const table = this.#table, mask = table.length - 1;
    for (let at = (hash ^ hash >>> 16) & mask;; at = (at + 1) & mask) {
      const sequence = table[at] - 1;
      if (sequence < 0) return this.#add(items, count, hash);
      if (this.#hashes[sequence] === hash && this.#equals(sequence, items, count)) return sequence;
    }
  }

  #equals(sequence: number, items: Uint32Array, count: number): boolean {
    const start = sequence === 0 ? 0 : this.#ends[sequence - 1], own = this.#items;
    if (this.#ends[sequence] - start !== count) return false;
    for (let i = 0; i < count; i++) if (own[start + i] !== items[i]) return false;
    return true;
  }

  #add(items: Uint32Array, count: number, hash: number): number {
    const sequence = this.size++, start = sequence === 0 ? 0 : this.#ends[sequence - 1], end = start + count;
    if (sequence === this.#ends.length) {
      this.#ends = longer(this.#ends);
      this.#hashes = longer(this.#hashes);
      this.#table = new Int32Array(this.#ends.length * 2);
      for (let i = 0; i < sequence; i++) this.#place(i);
    }
    if (end > start) this.#items = reaching(this.#items, end - 1);
    for (let i = 0; i < count; i++) this.#items[start + i] = items[i];
    this.#ends[sequence] = end;
    this.#hashes[sequence] = hash;
    this.#place(sequence);
    return sequence;
  }

  #place(sequence: number): void {
    const table = this.#table, mask = table.length - 1, hash = this.#hashes[sequence];
    let at = (hash ^ hash >>> 16) & mask;
    while (table[at] !== 0) at = (at + 1) & mask;
    table[at] = sequence + 1;
  }
}
