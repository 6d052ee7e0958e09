/**
 * Curves and tables of ratios: medians by size, each drawn to 1 by as much as it may be chance.
 *
 * @module
 */
import { secondStep, sizeStep } from "../timing/calibration/correction.ts";
import type { CorrectionTable, TableAxis } from "../timing/calibration/profile.ts";
import type { PassSamples } from "./pass_samples.ts";
import { median } from "./statistics.ts";
import { held } from "./straight_lines.ts";

/** Fewer passes make no knot of a curve and no cell of a table. */
const LEAST_OF_GROUP = 3;
/**
 * So many decode passes of exactly one batch make a knot of their own, fewer one with others of their half octave; so many
 * make a cell, because a cell beside none is a step.
 */
const OWN_KNOT = 10;
/** Lengths of sequences (octaves) without which a table over them is none. */
const LEAST_OF_LENGTHS = 3;
/** Variance of a median by that of a mean, of normal values; and a standard deviation by a median of deviations. */
const MEDIAN_VARIANCE = Math.PI / 2, DEVIATION = 1.4826;

/** Ratios of one group of passes. */
interface Group {
  /** Their median. */
  readonly left: number;
  /** Median of their relative distances from it. */
  readonly apart: number;
  readonly n: number;
}

/**
 * A group keeps as much of its own median as groups differ from 1 by more than chance makes of medians (James and Stein,
 * 1961). What chance makes is told from all groups, because three passes can agree by chance.
 *
 * @param alone whether it is told from the group itself too, where its passes agree less than is usual
 */
function shrunk(groups: readonly Group[], deviations: readonly number[], alone: boolean): number[] {
  const usual = median(deviations);
  const chance = ({ left, apart, n }: Group) =>
    MEDIAN_VARIANCE * (DEVIATION * (alone ? Math.max(usual, apart) : usual) * left) ** 2 / n;
  const between = groups.reduce((sum, group) => sum + (group.left - 1) ** 2 - chance(group), 0) / groups.length;
  return groups.map((group) => between > 0 ? held(1 + between / (between + chance(group)) * (group.left - 1)) : 1);
}

/** Some ratios as a group; tells how far each is from their median. */
function groupOf(ratios: Float64Array, deviations: number[]): Group {
  const left = median(ratios), apart = ratios.map((ratio) => Math.abs(ratio / left - 1));
  deviations.push(...apart);
  return { left, apart: median(apart), n: ratios.length };
}

/**
 * A curve over the size of passes: each decode batch that is frequent has a knot, all else half octaves have.
 *
 * @param ratioOf what is left of a row, as a ratio around 1
 */
export function fitCurve(
  sizes: Float64Array,
  rows: Int32Array,
  ratioOf: (row: number) => number,
  overDecodes: boolean,
): [number, number][] {
  const often = new Map<number, number>();
  for (const row of rows) often.set(sizes[row], (often.get(sizes[row]) ?? 0) + 1);
  // engines pad decode batches to the sizes of their graphs, so that neighbouring sizes can differ by a fifth
  const members = Map.groupBy(
    rows,
    (row) =>
      overDecodes && often.get(sizes[row])! >= OWN_KNOT
        ? Math.log2(sizes[row])
        : Math.round(2 * Math.log2(sizes[row])) / 2,
  );
  const found: (Group & { x: number })[] = [], deviations: number[] = [];
  for (const own of members.values()) {
    if (own.length < LEAST_OF_GROUP) continue;
    const x = own.reduce((sum, row) => sum + Math.log2(sizes[row]), 0) / own.length;
    found.push({ x, ...groupOf(Float64Array.from(own, ratioOf), deviations) });
  }
  // those of a half octave lie between frequent batches of it
  found.sort((a, b) => a.x - b.x);
  const factors = shrunk(found, deviations, false);
  return found.flatMap(({ x }, i) => i === 0 || x > found[i - 1].x ? [[x, factors[i]] as [number, number]] : []);
}

/** The second size of a pass. */
function secondOf({ priorTokens, decodes, contextTokens }: PassSamples, row: number, over: TableAxis): number {
  if (over === "prior_tokens") return priorTokens[row];
  return over === "decode_requests" ? decodes[row] : contextTokens[row] / decodes[row];
}

/** A table over the size of passes and a second size; null where too few cells have enough passes. */
export function fitTable(
  samples: PassSamples,
  sizes: Float64Array,
  rows: Int32Array,
  ratioOf: (row: number) => number,
  over: TableAxis,
): CorrectionTable | null {
  const place = (row: number) => [sizeStep(Math.log2(sizes[row])), secondStep(secondOf(samples, row, over))];
  const found: (Group & { at: number[] })[] = [], deviations: number[] = [];
  for (const own of Map.groupBy(rows, (row) => place(row).join()).values()) {
    if (own.length < (over === "context_tokens" ? OWN_KNOT : LEAST_OF_GROUP)) continue;
    found.push({ at: place(own[0]), ...groupOf(Float64Array.from(own, ratioOf), deviations) });
  }
  if (found.length === 0) return null;
  // two lengths are those of a sweep, and say little of a third
  if (over === "context_tokens" && new Set(found.map(({ at }) => at[1])).size < LEAST_OF_LENGTHS) return null;
  const factors = shrunk(found, deviations, true);
  return { over, cells: found.map(({ at: [i, j] }, k) => [i, j, factors[k]]) };
}
