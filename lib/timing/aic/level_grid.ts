/**
 * Tables with any number of axes, all of which change from query to query: exact where measured, straight lines between,
 * one-sided values carried by the bound, and the mean of the nearest measurements everywhere else. Where powers come with
 * the times, energies are the answer.
 *
 * @module
 */
import { CONSTANT, lowerBound } from "./curve.ts";
import { carried } from "./grid.ts";
import { NEAREST, nearestMean } from "./nearest_mean.ts";
import type { Levels } from "./perf_member.ts";
import { logarithm } from "./utilisation_extrapolation.ts";

/** The bound of an operator at the coordinates of its table, in the order of the axes. */
export type LevelBound = (at: Float64Array) => number;

/** Answers queries over all axes of a table. */
export class LevelGrid {
  readonly #data: Levels;
  readonly #bound: LevelBound;
  readonly #query: Float64Array;
  readonly #nearest: () => NearestLeaves;
  #found: NearestLeaves | null = null;
  /** The table of powers; null when times are asked for. */
  readonly #watts: LevelGrid | null;

  /** @param times the table of times that `data` are the powers of */
  constructor({ powers, ...data }: Levels, bound: LevelBound, times?: { data: Levels; bound: LevelBound }) {
    this.#data = data;
    this.#bound = bound;
    this.#query = new Float64Array(data.keys.length);
    this.#nearest = times === undefined
      ? () => new NearestLeaves(data, bound)
      : () => new NearestLeaves(times.data, times.bound, data.values);
    this.#watts = powers === undefined
      ? null
      : new LevelGrid({ ...data, values: powers }, CONSTANT.ms, { data, bound });
  }

  /**
   * Milliseconds (of energies watt-milliseconds) at the coordinates, as many as the table has axes; NaN when no
   * measurement is usable.
   */
  at(a: number, b: number, c: number, d = 0): number {
    const value = this.#value(a, b, c, d);
    return this.#watts === null ? value : value * this.#watts.#value(a, b, c, d);
  }

  #value(a: number, b: number, c: number, d: number): number {
    const query = this.#query;
    query[0] = a;
    query[1] = b;
    query[2] = c;
    if (query.length > 3) query[3] = d;
    const inside = this.#resolve(0, 0, this.#data.keys[0].length);
    if (inside === inside) return inside;
    const mean = (this.#found ??= this.#nearest()).mean(query);
    return this.#found.ofPowers ? mean : this.#bound(query) / mean;
  }

  /** The value below the entries `from .. to` of a level; NaN outside of what was measured there. */
  #resolve(level: number, from: number, to: number): number {
    const keys = this.#data.keys[level];
    const wanted = this.#query[level];
    const index = lowerBound(keys, from, to, wanted);
    if (index < to && keys[index] === wanted) return this.#below(level, index);
    if (index === from || index === to) return NaN;
    const low = this.#below(level, index - 1);
    const high = this.#below(level, index);
    if (low === low && high === high) {
      return low + (high - low) * ((wanted - keys[index - 1]) / (keys[index] - keys[index - 1]));
    }
    if (low !== low && high !== high) return NaN;
    const here = this.#bound(this.#query);
    this.#query[level] = low === low ? keys[index - 1] : keys[index];
    const there = this.#bound(this.#query);
    this.#query[level] = wanted;
    return carried(low === low ? low : high, here, there);
  }

  #below(level: number, index: number): number {
    const { starts, values } = this.#data;
    if (level === starts.length) return values[index];
    return this.#resolve(level + 1, starts[level][index], starts[level][index + 1]);
  }
}

/**
 * Finds the measurements nearest to a query, by the ratios of coordinates. Entries of a level are visited from the nearest
 * outwards, and left out with all below them once they alone are farther than what was found.
 */
class NearestLeaves {
  readonly #data: Levels;
  /** Logarithms of the keys of every level. */
  readonly #logs: readonly Float64Array[];
  /** Bound over latency (or the power) of every leaf; NaN where the leaf does not count. */
  readonly #utils: Float64Array;
  readonly #place: Float64Array;
  /** What was found: squared distances in ascending order, and the leaves they belong to. */
  readonly #squares = new Float64Array(NEAREST);
  readonly #leaves = new Int32Array(NEAREST);
  readonly #nearestUtils = new Float64Array(NEAREST);
  #count = 0;

  /** Whether means are those of powers. */
  readonly ofPowers: boolean;

  /** @param powers watts of every leaf, whose mean is asked for instead */
  constructor(data: Levels, bound: LevelBound, powers?: Float64Array) {
    this.ofPowers = powers !== undefined;
    const { keys, starts, values } = data;
    this.#data = data;
    this.#logs = keys.map((list) => Float64Array.from(list, logarithm));
    this.#utils = new Float64Array(values.length);
    this.#place = new Float64Array(keys.length);
    const path = new Float64Array(keys.length);
    const fill = (level: number, from: number, to: number) => {
      for (let i = from; i < to; i++) {
        path[level] = keys[level][i];
        if (level < starts.length) fill(level + 1, starts[level][i], starts[level][i + 1]);
        else {
          const limit = bound(path);
          this.#utils[i] = values[i] > 0 && limit > 0 ? powers?.[i] ?? limit / values[i] : NaN;
        }
      }
    };
    fill(0, 0, keys[0].length);
  }

  /** Bound over latency, or the power, around a query; NaN when no measurement is usable. */
  mean(query: Float64Array): number {
    for (let level = 0; level < query.length; level++) this.#place[level] = logarithm(query[level]);
    this.#count = 0;
    this.#visit(0, 0, this.#data.keys[0].length, 0);
    for (let i = 0; i < this.#count; i++) this.#nearestUtils[i] = this.#utils[this.#leaves[i]];
    return nearestMean(this.#squares, this.#nearestUtils, this.#count);
  }

  #visit(level: number, from: number, to: number, square: number): void {
    const logs = this.#logs[level];
    const place = this.#place[level];
    let above = from;
    while (above < to && logs[above] < place) above++;
    let below = above - 1;
    while (below >= from || above < to) {
      const down = below >= from ? place - logs[below] : Infinity;
      const up = above < to ? logs[above] - place : Infinity;
      const index = down < up ? below-- : above++;
      const along = logs[index] - place;
      const reached = square + along * along;
      if (this.#count === NEAREST && reached > this.#squares[NEAREST - 1]) return;
      if (level === this.#data.starts.length) this.#keep(index, reached);
      else this.#visit(level + 1, this.#data.starts[level][index], this.#data.starts[level][index + 1], reached);
    }
  }

  /** Keeps a leaf if it is among the nearest; of equally near ones the earlier counts. */
  #keep(leaf: number, square: number): void {
    const utils = this.#utils[leaf];
    if (utils !== utils) return;
    const squares = this.#squares;
    const leaves = this.#leaves;
    let at = this.#count;
    while (at > 0 && (squares[at - 1] > square || squares[at - 1] === square && leaves[at - 1] > leaf)) at--;
    if (at === NEAREST) return;
    if (this.#count < NEAREST) this.#count++;
    for (let i = this.#count - 1; i > at; i--) {
      squares[i] = squares[i - 1];
      leaves[i] = leaves[i - 1];
    }
    squares[at] = square;
    leaves[at] = leaf;
  }
}
