/**
 * Growing typed arrays.
 *
 * @module
 */

/** A copy of a column with room for `size` entries, by default twice as many; the new ones are `fill`. */
export function longer<Column extends Int32Array | Float64Array | Uint8Array>(
  column: Column,
  size = column.length * 2,
  fill = 0,
): Column {
  const copy = new (column.constructor as new (size: number) => Column)(size);
  copy.set(column);
  if (fill !== 0) copy.fill(fill, column.length);
  return copy;
}
