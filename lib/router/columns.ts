/**
 * Growing typed arrays.
 *
 * @module
 */

/** `column` itself when it has room for index `last`, else a copy of at least twice the length. */
export function reaching<T extends Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(column: T, last: number): T {
  if (last < column.length) return column;
  const larger = new (column.constructor as new (length: number) => T)(Math.max(last + 1, column.length * 2));
  larger.set(column);
  return larger;
}
