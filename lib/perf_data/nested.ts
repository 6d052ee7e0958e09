/**
 * Measurements under integer keys, as nested maps filled row by row; and their sorted form.
 *
 * @module
 */
import type { Levels } from "../timing/aic/perf_member.ts";

/** What was measured at one place. */
export interface Sample {
  /** Milliseconds. */
  readonly ms: number;
  /** Mean power of a GPU; 0 where it was not measured. */
  readonly watts: number;
}

/** Samples by one key. */
export type Leaves = Map<number, Sample>;

/** Samples by a path of keys, a map a level. */
export type Nest = Map<number, Nest | Sample>;

/** The value of a key, made when it is not there yet. */
export function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, value = make());
  return value;
}

/** Stores a sample below a path of keys unless there is one: the first row of a key wins. */
export function put(nest: Nest, path: readonly number[], sample: Sample): void {
  let at = nest;
  for (let level = 0; level < path.length - 1; level++) {
    at = getOrAdd<number, Nest | Sample>(at, path[level], () => new Map()) as Nest;
  }
  const last = path[path.length - 1];
  if (!at.has(last)) at.set(last, sample);
}

/** A sample whose time was lifted (to its bound): its energy stays what was measured. */
export const raised = ({ ms, watts }: Sample, to: number): Sample => ({
  ms: to,
  watts: to === ms ? watts : watts * ms / to,
});

/** Number of samples below a nest. */
export function countLeaves(nest: Nest): number {
  let count = 0;
  for (const below of nest.values()) count += below instanceof Map ? countLeaves(below) : 1;
  return count;
}

const sorted = <V>(map: Map<number, V>): [number, V][] => [...map].sort(([a], [b]) => a - b);

/** Sorted keys, values and powers; `raise` may lift a time (to its bound), given its key. */
export function curveOf(
  leaves: Leaves,
  raise: (ms: number, key: number) => number = (ms) => ms,
): { keys: number[]; values: number[]; powers: number[] } {
  const samples = sorted(leaves).map(([key, sample]) => [key, raised(sample, raise(sample.ms, key))] as const);
  return {
    keys: samples.map(([key]) => key),
    values: samples.map(([, { ms }]) => ms),
    powers: samples.map(([, { watts }]) => watts),
  };
}

/** Sorted nested lists of `depth` levels; `raise` may lift a time (to its bound), given its path of keys. */
export function levelsOf(
  nest: Nest,
  depth: number,
  raise: (value: number, path: readonly number[]) => number = (value) => value,
): Levels<number[]> {
  const keys: number[][] = Array.from({ length: depth }, () => []);
  const starts: number[][] = Array.from({ length: depth - 1 }, () => [0]);
  const values: number[] = [], powers: number[] = [];
  const path: number[] = new Array(depth);
  const walk = (at: Nest, level: number) => {
    for (const [key, below] of sorted(at)) {
      path[level] = key;
      keys[level].push(key);
      if (below instanceof Map) {
        walk(below, level + 1);
        starts[level].push(keys[level + 1].length);
      } else {
        const sample = raised(below, raise(below.ms, path));
        values.push(sample.ms);
        powers.push(sample.watts);
      }
    }
  };
  walk(nest, 0);
  return { keys, starts, values, powers };
}
