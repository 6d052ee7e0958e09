/**
 * Typed arrays that grow: a column is a plain field of its owner, which replaces it when it is full, so that reading and
 * writing it costs what a typed array costs. Growing by doubling copies every entry once or twice over a column's life.
 *
 * V8 compiles code on the assumption that a field which was never given a second value never will be, and throws all of it
 * away when that happens. So classes whose columns are read in every pass grow an instance while they are loaded, or assign
 * the column in every call that may have to grow it. Without that a replay compiled up to 40 functions twice.
 *
 * @module
 */

/** An array of numbers that can be a column. */
export type Column = Int32Array | Uint32Array | Float64Array | Uint16Array | Uint8Array;

/**
 * Entries a column starts with where there may be thousands of columns (workers have dozens each): such small arrays are
 * made many times faster than larger ones.
 */
export const FEW = 8;

/**
 * A copy of a column with room for `size` entries, by default twice as many; the new ones are `fill`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { longer } from "./growing.ts";
 *
 * assert.deepEqual([...longer(Int32Array.of(1, 2))], [1, 2, 0, 0]);
 * ```
 */
export function longer<T extends Column>(column: T, size = column.length * 2, fill = 0): T {
  const copy = new (column.constructor as new (size: number) => T)(size);
  copy.set(column as ArrayLike<number>);
  if (fill !== 0) copy.fill(fill, column.length);
  return copy;
}

/**
 * The column itself when it has room for index `last`, else a copy of at least twice the length.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { reaching } from "./growing.ts";
 *
 * const column = Int32Array.of(1, 2);
 * assert.equal(reaching(column, 1), column);
 * assert.equal(reaching(column, 2).length, 4);
 * ```
 */
export function reaching<T extends Column>(column: T, last: number, fill = 0): T {
  return last < column.length ? column : longer(column, Math.max(last + 1, column.length * 2), fill);
}
