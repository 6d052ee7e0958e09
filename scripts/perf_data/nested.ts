/**
 * Nested maps filled row by row, the first value of a key wins; and their sorted form as a grid or a curve.
 *
 * @module
 */
import type { GridData } from "../../lib/timing/aic/perf_set.ts";

export type Leaves = Map<number, number>;
export type Rows = Map<number, Leaves>;
export type Heads = Map<number, Rows>;

/** The value of a key, made when it is not there yet. */
export function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, value = make());
  return value;
}

/** Stores a leaf unless the key has one. */
export function put(heads: Heads, head: number, row: number, leaf: number, value: number): void {
  const leaves = getOrAdd(getOrAdd(heads, head, (): Rows => new Map()), row, (): Leaves => new Map());
  if (!leaves.has(leaf)) leaves.set(leaf, value);
}

export function countLeaves(heads: Heads): number {
  let count = 0;
  for (const rows of heads.values()) for (const leaves of rows.values()) count += leaves.size;
  return count;
}

const sorted = <V>(map: Map<number, V>): [number, V][] => [...map].sort(([a], [b]) => a - b);

/** Sorted keys and values. */
export function curveOf(leaves: Leaves): { keys: number[]; values: number[] } {
  const pairs = sorted(leaves);
  return { keys: pairs.map(([key]) => key), values: pairs.map(([, value]) => value) };
}

/** Sorted nested lists; `raise` may lift a value (to its bound). */
export function gridOf(
  heads: Heads,
  raise: (value: number, head: number, row: number, leaf: number) => number = (value) => value,
): { [part in keyof GridData]: number[] } {
  const grid = {
    heads: [] as number[],
    rowStart: [0],
    rows: [] as number[],
    leafStart: [0],
    leaves: [] as number[],
    values: [] as number[],
  };
  for (const [head, rows] of sorted(heads)) {
    grid.heads.push(head);
    for (const [row, leaves] of sorted(rows)) {
      grid.rows.push(row);
      for (const [leaf, value] of sorted(leaves)) {
        grid.leaves.push(leaf);
        grid.values.push(raise(value, head, row, leaf));
      }
      grid.leafStart.push(grid.leaves.length);
    }
    grid.rowStart.push(grid.rows.length);
  }
  return grid;
}
