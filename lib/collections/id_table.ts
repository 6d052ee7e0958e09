/**
 * Small dense numbers for 64-bit block ids, in order of first appearance.
 *
 * @module
 */
import { longer } from "./growing.ts";

/** A block id: an integer, as a bigint beyond 2^53. */
type Id = number | bigint;

/**
 * Numbers ids 0, 1, 2 … as they first appear. Ids that are small for the number of ids seen go through a plain table,
 * the others (hashes) through an open-addressed one that keeps all 64 bits.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { IdTable } from "./id_table.ts";
 *
 * const table = new IdTable(), numbers = new Int32Array(3);
 * table.intern([7, 2n ** 60n, 7], 3, numbers, 0);
 * assert.deepEqual([...numbers], [0, 1, 0]);
 * ```
 */
export class IdTable {
  /** Number of different ids so far. */
  count = 0;
  /** number + 1 by id; 0 means not seen. What is not used of it takes no memory, as the system gives that when it is written. */
  #dense = new Int32Array(1 << 18);
  #low = new Uint32Array(1 << 10);
  #high = new Uint32Array(1 << 10);
  /** number + 1 by slot; 0 means empty. */
  #slot = new Int32Array(1 << 10);
  #hashed = 0;

  /** Writes the numbers of the first `count` ids to `out`, from `at` on. */
  intern(ids: readonly Id[], count: number, out: Int32Array, at: number): void {
    let dense = this.#dense;
    for (let i = 0; i < count; i++) {
      const id = ids[i];
      if (id < dense.length) {
        let number = dense[id as number];
        if (number === 0) number = dense[id as number] = ++this.count;
        out[at + i] = number - 1;
      } else {
        out[at + i] = this.#internLarge(id);
        dense = this.#dense;
      }
    }
  }

  #internLarge(id: Id): number {
    if (this.#worthATable(id)) {
      this.#dense[id as number] ||= ++this.count;
      return this.#dense[id as number] - 1;
    }
    if (typeof id === "number") return this.#find(id >>> 0, Math.floor(id / 4294967296));
    return this.#find(Number(id & 0xffffffffn), Number(id >> 32n));
  }

  /** Grows the table when at most about an eighth of it would stay empty for ever; false when the id is too large. */
  #worthATable(id: Id): boolean {
    if (typeof id !== "number" || id >= 8 * this.count + 65536 || id >= 1 << 29) return false;
    let length = this.#dense.length;
    while (length <= id) length *= 2;
    const larger = this.#dense = longer(this.#dense, length);
    if (this.#hashed > 0) {
      for (let slot = 0; slot < this.#slot.length; slot++) {
        if (this.#slot[slot] !== 0 && this.#high[slot] === 0 && this.#low[slot] < length) {
          larger[this.#low[slot]] = this.#slot[slot];
        }
      }
    }
    return true;
  }

  #find(low: number, high: number): number {
    if (this.#hashed * 2 >= this.#slot.length) this.#grow();
    const at = this.#probe(low, high);
    if (this.#slot[at] !== 0) return this.#slot[at] - 1;
    this.#low[at] = low;
    this.#high[at] = high;
    this.#slot[at] = ++this.count;
    this.#hashed++;
    return this.count - 1;
  }

  #probe(low: number, high: number): number {
    const mask = this.#slot.length - 1;
    let at = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
    at = (at ^ at >>> 15) & mask;
    while (this.#slot[at] !== 0 && (this.#low[at] !== low || this.#high[at] !== high)) at = at + 1 & mask;
    return at;
  }

  #grow(): void {
    const low = this.#low, high = this.#high, slot = this.#slot;
    this.#low = new Uint32Array(low.length * 2);
    this.#high = new Uint32Array(low.length * 2);
    this.#slot = new Int32Array(low.length * 2);
    for (let old = 0; old < slot.length; old++) {
      if (slot[old] === 0) continue;
      const at = this.#probe(low[old], high[old]);
      this.#low[at] = low[old];
      this.#high[at] = high[old];
      this.#slot[at] = slot[old];
    }
  }
}
