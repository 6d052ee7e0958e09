/**
 * A map from non-negative integers to non-negative integers whose keys come in runs: neighbours are added, asked for and
 * deleted one after the other. Keys stand in pages of neighbours, so only the first of a run is looked for.
 *
 * @module
 */
import { reaching } from "./growing.ts";
import { IntMap } from "./int_map.ts";

/** Keys of a page: 2 to this power. */
const BITS = 4;
const MASK = (1 << BITS) - 1;

/**
 * Integer map for runs of keys; `get` answers -1 for what is not there. A page that holds nothing is used again.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { RunMap } from "./run_map.ts";
 *
 * const map = new RunMap();
 * map.add(40, 4);
 * assert.equal(map.get(40), 4);
 * map.delete(40);
 * assert.equal(map.get(40), -1);
 * ```
 */
export class RunMap {
  /** Page by key / keys of a page. */
  readonly #pages = new IntMap();
  /** Value + 1 of each key of each page, 0 where there is none. */
  #values = new Int32Array(1 << BITS);
  /** Keys with a value, by page. */
  #used = new Int32Array(1);
  #count = 0;
  readonly #spare: number[] = [];
  /** What was looked for last, and its page, -1 without one. */
  #lastRun = -1;
  #lastPage = -1;

  get(key: number): number {
    const page = this.#pageOf(key >> BITS);
    return page < 0 ? -1 : this.#values[page << BITS | key & MASK] - 1;
  }

  /** Adds a key that is not there yet. */
  add(key: number, value: number): void {
    const run = key >> BITS;
    let page = this.#pageOf(run);
    if (page < 0) page = this.#open(run);
    this.#values[page << BITS | key & MASK] = value + 1;
    this.#used[page]++;
  }

  /** Gives a key that is there another value. */
  set(key: number, value: number): void {
    this.#values[this.#pageOf(key >> BITS) << BITS | key & MASK] = value + 1;
  }

  /** Removes a key that is there. */
  delete(key: number): void {
    const run = key >> BITS, page = this.#pageOf(run);
    this.#values[page << BITS | key & MASK] = 0;
    if (--this.#used[page] > 0) return;
    this.#pages.delete(run);
    this.#spare.push(page);
    this.#lastPage = -1;
  }

  #pageOf(run: number): number {
    if (run !== this.#lastRun) {
      this.#lastRun = run;
      this.#lastPage = this.#pages.get(run);
    }
    return this.#lastPage;
  }

  /** A page for the keys that were just looked for in vain. */
  #open(run: number): number {
    const page = this.#spare.pop() ?? this.#count++;
    // Assigned in any case: see growing.ts.
    this.#used = reaching(this.#used, page);
    this.#values = reaching(this.#values, (page << BITS) + MASK);
    this.#pages.add(run, page);
    return this.#lastPage = page;
  }
}
