/**
 * Utilisations from measurements in the forms that sets keep them in: curves, grids, modules.
 *
 * @module
 */
import type { Utilisation } from "./bound_operators.ts";
import type { GridBound } from "./bounds.ts";
import type { ModuleEstimate } from "./operators/attention_modules.ts";
import type { CurveData, GridData } from "./perf_member.ts";
import { type CloudOptions, UtilisationCloud } from "./utilisation.ts";

/** Of the most similar measurements; see {@linkcode UtilisationCloud}. */
export function ofCloud(axes: number, points: Iterable<readonly number[]>, options: CloudOptions = {}): Utilisation {
  const cloud = new UtilisationCloud(axes, points, options);
  return (a, b, c, d) => cloud.at(a, b, c, d);
}

/**
 * Of blocks: of the most similar ones, their prefix included. A prefix beyond all that were measured counts as new tokens,
 * and blocks without a prefix answer.
 */
export function ofModule({ measured, prefixAxis }: ModuleEstimate): Utilisation | undefined {
  const [first] = measured;
  if (first === undefined) return undefined;
  const whole = ofCloud(first.place.length, measured.map(({ place, bound, ms }) => [...place, bound, ms]));
  if (prefixAxis === null) return whole;
  let longest = 0;
  for (const { place } of measured) longest = Math.max(longest, place[prefixAxis]);
  const bare = measured.filter(({ place }) => place[prefixAxis] === 0)
    .map(({ place, bound, ms }) => [...place.slice(0, prefixAxis), ...place.slice(prefixAxis + 1), bound, ms]);
  const withoutPrefix = ofCloud(first.place.length - 1, bare);
  return prefixAxis === 0
    ? (prefix, seq, batch) => prefix > longest ? withoutPrefix(seq + prefix, batch, 0) : whole(prefix, seq, batch)
    : (heads, prefix, seq, batch) =>
      prefix > longest ? withoutPrefix(heads, seq + prefix, batch ?? 1) : whole(heads, prefix, seq, batch);
}

/** Of the points of a grid. */
export function ofGrid(grid: GridData | undefined, bound: GridBound): Utilisation | undefined {
  return grid && ofCloud(3, gridPoints(grid, bound));
}

/** The points of a grid as a cloud takes them. */
export function* gridPoints(grid: GridData, bound: GridBound): Generator<number[], void, void> {
  const { heads, rowStart, rows, leafStart, leaves, values } = grid;
  for (let h = 0; h < heads.length; h++) {
    for (let r = rowStart[h]; r < rowStart[h + 1]; r++) {
      for (let l = leafStart[r]; l < leafStart[r + 1]; l++) {
        yield [heads[h], rows[r], leaves[l], bound.ms(heads[h], rows[r], leaves[l]), values[l]];
      }
    }
  }
}

/** Of the points of a curve. */
export function ofCurve(curve: CurveData | undefined, bound: (key: number) => number): Utilisation | undefined {
  return curve && ofCloud(1, Array.from(curve.keys, (key, i) => [key, bound(key), curve.values[i]]));
}

/** A utilisation times a factor. */
export function scaled(utilisation: Utilisation | undefined, factor: number): Utilisation | undefined {
  return utilisation && ((a, b, c) => utilisation(a, b, c) * factor);
}
