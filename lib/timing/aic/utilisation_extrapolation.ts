/**
 * Values outside what was measured: the four nearest measurements of a grid (by the ratios of their coordinates) say how
 * far the operator stays from its bound there, and the bound is scaled by that. Which measurements are nearest changes
 * only at a few places along an axis, so the list is kept for the whole stretch in which it holds.
 *
 * @module
 */
import type { GridBound } from "./bounds.ts";
import { NEAREST, nearestMean } from "./nearest_mean.ts";
import type { GridData } from "./perf_member.ts";

/** Numbers kept of each of the nearest: squares before the moving axis, place on it, square after it, bound over latency. */
const FIELDS = 4;

const CACHE_SLOTS = 1 << 13;
/** Odd number that scatters the coordinate that stays over the slots. */
const SPREAD = 0x2545f491;

/** A stretch of the moving axis in which the nearest measurements are the same, in the same order. */
interface Stretch {
  readonly low: number;
  readonly high: number;
  /** How many are near; fewer than five only when the grid has no more. */
  readonly count: number;
  /** `FIELDS` numbers of each, nearest first. */
  readonly nearest: Float64Array;
}

/** The stretches known for one value of the coordinate that stays, in ascending order. */
interface Line {
  readonly stretches: Stretch[];
  /** The stretch that answered last; queries wander. */
  cursor: number;
}

/** Which coordinate of a query changes from call to call while the others tend to stay. */
export type MovingAxis = "row" | "leaf";

/** Answers queries at one head count outside a grid. */
export class UtilisationExtrapolation {
  readonly #bound: GridBound;
  readonly #head: number;
  readonly #rowMoves: boolean;
  /** Logarithms of the coordinates of every leaf. */
  readonly #heads: Float64Array;
  readonly #rows: Float64Array;
  readonly #leaves: Float64Array;
  /** Bound over latency (or the power) of every leaf; NaN where the leaf does not count. */
  readonly #utils: Float64Array;
  readonly #means: boolean;
  readonly #lines = new Map<number, Line>();
  /** Recent answers by (row, leaf), one per slot: as sequences grow, a length is met again and again. */
  readonly #keys = new Float64Array(CACHE_SLOTS).fill(-1);
  readonly #answers = new Float64Array(CACHE_SLOTS);
  #recentKey = -1;
  #recent: Line = { stretches: [], cursor: 0 };

  /** @param powers watts of every leaf: their mean is asked for instead of a time */
  constructor(data: GridData, bound: GridBound, head: number, moving: MovingAxis, powers?: Float64Array) {
    this.#means = powers !== undefined;
    const count = data.leaves.length;
    this.#bound = bound;
    this.#head = head;
    this.#rowMoves = moving === "row";
    this.#heads = new Float64Array(count);
    this.#rows = new Float64Array(count);
    this.#leaves = new Float64Array(count);
    this.#utils = new Float64Array(count);
    for (let h = 0; h < data.heads.length; h++) {
      for (let r = data.rowStart[h]; r < data.rowStart[h + 1]; r++) {
        for (let l = data.leafStart[r]; l < data.leafStart[r + 1]; l++) {
          const latency = data.values[l];
          const limit = bound.ms(data.heads[h], data.rows[r], data.leaves[l]);
          this.#heads[l] = logarithm(data.heads[h]);
          this.#rows[l] = logarithm(data.rows[r]);
          this.#leaves[l] = logarithm(data.leaves[l]);
          this.#utils[l] = latency > 0 && limit > 0 ? powers?.[l] ?? limit / latency : NaN;
        }
      }
    }
  }

  /** Milliseconds at a point; NaN when the grid has no usable measurement. */
  at(row: number, leaf: number): number {
    const key = row * 4294967296 + leaf;
    const slot = (this.#rowMoves ? row + Math.imul(leaf, SPREAD) : leaf + Math.imul(row, SPREAD)) & (CACHE_SLOTS - 1);
    if (this.#keys[slot] === key) return this.#answers[slot];
    this.#keys[slot] = key;
    return this.#answers[slot] = this.#compute(row, leaf);
  }

  #compute(row: number, leaf: number): number {
    const moving = this.#rowMoves ? row : leaf;
    const line = this.#line(this.#rowMoves ? leaf : row);
    const { stretches } = line;
    let at = line.cursor;
    while (at > 0 && moving < stretches[at].low) at--;
    while (at < stretches.length - 1 && moving > stretches[at].high) at++;
    let stretch = stretches[at];
    if (stretch === undefined || moving < stretch.low || moving > stretch.high) {
      stretch = this.#nearest(row, leaf);
      stretches.push(stretch);
      stretches.sort((a, b) => a.low - b.low);
      at = stretches.indexOf(stretch);
    }
    line.cursor = at;
    const mean = meanUtil(stretch, logarithm(moving));
    return this.#means ? mean : this.#bound.ms(this.#head, row, leaf) / mean;
  }

  #line(key: number): Line {
    if (key === this.#recentKey) return this.#recent;
    let line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, line = { stretches: [], cursor: 0 });
    this.#recentKey = key;
    return this.#recent = line;
  }

  #distance2(index: number, x: number, y: number, z: number): number {
    const dx = this.#heads[index] - x;
    const dy = this.#rows[index] - y;
    const dz = this.#leaves[index] - z;
    return dx * dx + dy * dy + dz * dz;
  }

  /** The nearest leaves of a point (ties: the earlier leaf), and how far along the moving axis that list holds. */
  #nearest(row: number, leaf: number): Stretch {
    const x = logarithm(this.#head);
    const y = logarithm(row);
    const z = logarithm(leaf);
    const indices: number[] = [];
    const distances: number[] = [];
    for (let i = 0; i < this.#utils.length; i++) {
      if (Number.isNaN(this.#utils[i])) continue;
      const distance = this.#distance2(i, x, y, z);
      if (indices.length === NEAREST && distance >= distances[NEAREST - 1]) continue;
      let at = indices.length;
      while (at > 0 && distances[at - 1] > distance) at--;
      indices.splice(at, 0, i);
      distances.splice(at, 0, distance);
      indices.length = distances.length = Math.min(indices.length, NEAREST);
    }
    const nearest = new Float64Array(indices.length * FIELDS);
    indices.forEach((index, i) => {
      const dx = this.#heads[index] - x;
      const dy = this.#rows[index] - y;
      const dz = this.#leaves[index] - z;
      const fields = this.#rowMoves
        ? [dx * dx, this.#rows[index], dz * dz]
        : [dx * dx + dy * dy, this.#leaves[index], 0];
      nearest.set([...fields, this.#utils[index]], i * FIELDS);
    });
    const { low, high } = this.#extent(indices, x, y, z);
    const moving = this.#rowMoves ? row : leaf;
    return { low: Math.min(low, moving), high: Math.max(high, moving), count: indices.length, nearest };
  }

  /**
   * Where along the moving axis `indices` stays the list of the nearest. The difference of two squared distances is a
   * straight line along one axis, so each pair changes places once at most.
   */
  #extent(indices: readonly number[], x: number, y: number, z: number): { low: number; high: number } {
    let from = -Infinity;
    let to = Infinity;
    const along = this.#rowMoves ? this.#rows : this.#leaves;
    const at = this.#rowMoves ? y : z;
    const limit = (nearer: number, farther: number) => {
      const slope = along[nearer] - along[farther];
      if (slope === 0) return;
      const gap = this.#distance2(farther, x, y, z) - this.#distance2(nearer, x, y, z);
      const crossing = at - gap / (2 * slope);
      if (slope > 0) from = Math.max(from, crossing);
      else to = Math.min(to, crossing);
    };
    for (let i = 1; i < indices.length; i++) limit(indices[i - 1], indices[i]);
    if (indices.length === NEAREST) {
      const last = indices[NEAREST - 1];
      for (let i = 0; i < this.#utils.length; i++) {
        if (!Number.isNaN(this.#utils[i]) && !indices.includes(i)) limit(last, i);
      }
    }
    // a hair inside, so that rounding never claims a point beyond a crossing
    return { low: Math.ceil(2 ** from * (1 + 1e-9)), high: Math.floor(2 ** to * (1 - 1e-9)) };
  }
}

const squares = new Float64Array(NEAREST);
const utils = new Float64Array(NEAREST);

/** Bound over latency, or the power, at a place on the moving axis. */
function meanUtil({ nearest, count }: Stretch, place: number): number {
  for (let i = 0; i < count; i++) {
    squares[i] = distance2(nearest, i * FIELDS, place);
    utils[i] = nearest[i * FIELDS + 3];
  }
  return nearestMean(squares, utils, count);
}

function distance2(nearest: Float64Array, at: number, place: number): number {
  const along = nearest[at + 1] - place;
  return nearest[at] + along * along + nearest[at + 2];
}

/** Remembered logarithms of small whole numbers. */
const LOGARITHMS = new Float64Array(1 << 17).fill(NaN);

/** Base-2 logarithm of a coordinate (a whole number; 0 counts as next to nothing). */
export function logarithm(value: number): number {
  if (value < LOGARITHMS.length) {
    const known = LOGARITHMS[value];
    if (known === known) return known;
    return LOGARITHMS[value] = Math.log2(Math.max(value, 1e-12));
  }
  return Math.log2(value);
}
