/**
 * A map from non-negative integers to non-negative integers in two typed arrays: open addressing, no allocation per
 * entry.
 *
 * @module
 */

/** Places a map starts with; a power of two. */
const FIRST = 16;

/**
 * Integer map; `get` answers -1 for what is not there. Half of the table stays empty, so that look-ups cost about one
 * step; growing moves every entry once.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { IntMap } from "./int_map.ts";
 *
 * const map = new IntMap();
 * map.add(40, 4);
 * assert.equal(map.get(40), 4);
 * map.delete(40);
 * assert.equal(map.get(40), -1);
 * ```
 */
export class IntMap {
  /** Key + 1, 0 where empty. */
  #keys = new Int32Array(FIRST);
  #values = new Int32Array(FIRST);
  #mask = FIRST - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: number): number {
    const keys = this.#keys, mask = this.#mask, wanted = key + 1;
    let at = Math.imul(key, 0x9e3779b1) >>> 7 & mask;
    for (;;) {
      const found = keys[at];
      if (found === wanted) return this.#values[at];
      if (found === 0) return -1;
      at = (at + 1) & mask;
    }
  }

  /** The keys that are there, ascending. */
  keys(): Int32Array {
    return this.#keys.filter((key) => key !== 0).map((key) => key - 1).sort();
  }

  /** Adds a key that is not there yet. */
  add(key: number, value: number): void {
    if (this.#size * 2 > this.#mask) this.#grow();
    const keys = this.#keys, mask = this.#mask;
    let at = Math.imul(key, 0x9e3779b1) >>> 7 & mask;
    while (keys[at] !== 0) at = (at + 1) & mask;
    keys[at] = key + 1;
    this.#values[at] = value;
    this.#size++;
  }

  /** Removes a key that is there. */
  delete(key: number): void {
    const keys = this.#keys, values = this.#values, mask = this.#mask;
    let at = Math.imul(key, 0x9e3779b1) >>> 7 & mask;
    while (keys[at] !== key + 1) at = (at + 1) & mask;
    this.#size--;
    // Close the gap: pull back every later entry of the probe sequence that may stand here.
    let next = at;
    for (;;) {
      next = (next + 1) & mask;
      const moved = keys[next];
      if (moved === 0) break;
      const home = Math.imul(moved - 1, 0x9e3779b1) >>> 7 & mask;
      if (((next - home) & mask) >= ((next - at) & mask)) {
        keys[at] = moved;
        values[at] = values[next];
        at = next;
      }
    }
    keys[at] = 0;
  }

  #grow(): void {
    const keys = this.#keys, values = this.#values;
    this.#mask = this.#mask * 2 + 1;
    this.#keys = new Int32Array(this.#mask + 1);
    this.#values = new Int32Array(this.#mask + 1);
    this.#size = 0;
    for (let i = 0; i < keys.length; i++) if (keys[i] !== 0) this.add(keys[i] - 1, values[i]);
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    new IntMap().#grow();
  }
}
