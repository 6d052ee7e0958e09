/**
 * Measurements under integer keys, as nested maps filled row by row; and their sorted form.
 *
 * @module
 */
import type { Levels } from "../timing/aic/perf_member.ts";

/** Values by one key. */
export type Leaves = Map<number, number>;

/** Values by a path of keys, a map a level. */
export type Nest = Map<number, Nest | number>;

/** The value of a key, made when it is not there yet. */
export function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, value = make());
  return value;
}

/** Stores a value below a path of keys unless there is one: the first row of a key wins. */
export function put(nest: Nest, path: readonly number[], value: number): void {
  let at = nest;
  for (let level = 0; level < path.length - 1; level++) {
    at = getOrAdd<number, Nest | number>(at, path[level], () => new Map()) as Nest;
  }
  const last = path[path.length - 1];
  if (!at.has(last)) at.set(last, value);
}

/** Number of values below a nest. */
export function countLeaves(nest: Nest): number {
  let count = 0;
  for (const below of nest.values()) count += typeof below === "number" ? 1 : countLeaves(below);
  return count;
}

const sorted = <V>(map: Map<number, V>): [number, V][] => [...map].sort(([a], [b]) => a - b);

/** Sorted keys and values. */
export function curveOf(leaves: Leaves): { keys: number[]; values: number[] } {
  const pairs = sorted(leaves);
  return { keys: pairs.map(([key]) => key), values: pairs.map(([, value]) => value) };
}

/** Sorted nested lists of `depth` levels; `raise` may lift a value (to its bound), given its path of keys. */
export function levelsOf(
  nest: Nest,
  depth: number,
  raise: (value: number, path: readonly number[]) => number = (value) => value,
): Levels<number[]> {
  const keys: number[][] = Array.from({ length: depth }, () => []);
  const starts: number[][] = Array.from({ length: depth - 1 }, () => [0]);
  const values: number[] = [];
  const path: number[] = new Array(depth);
  const walk = (at: Nest, level: number) => {
    for (const [key, below] of sorted(at)) {
      path[level] = key;
      keys[level].push(key);
      if (typeof below === "number") values.push(raise(below, path));
      else {
        walk(below, level + 1);
        starts[level].push(keys[level + 1].length);
      }
    }
  };
  walk(nest, 0);
  return { keys, starts, values };
}
