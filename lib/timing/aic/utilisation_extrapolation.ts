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
  /** Logarithms of the coordinates of every leaf that counts. */
  readonly #heads: Float64Array;
  readonly #rows: Float64Array;
  readonly #leaves: Float64Array;
  /** Bound over latency (or the power) of those. */
  readonly #utils: Float64Array;
  /** Squared distances of those from the point looked at. */
  readonly #squares: Float64Array;
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
    this.#bound = bound;
    this.#head = head;
    this.#rowMoves = moving === "row";
    const { heads, rows, leaves, values, rowStart, leafStart } = data, count = leaves.length;
    const headLogarithms = new Float64Array(count), rowLogarithms = new Float64Array(count);
    const leafLogarithms = new Float64Array(count), leafUtils = new Float64Array(count);
    let usable = 0;
    for (let h = 0; h < heads.length; h++) {
      const headLogarithm = logarithm(heads[h]);
      for (let r = rowStart[h]; r < rowStart[h + 1]; r++) {
        const rowLogarithm = logarithm(rows[r]);
        for (let l = leafStart[r]; l < leafStart[r + 1]; l++) {
          const latency = values[l], limit = bound.ms(heads[h], rows[r], leaves[l]);
          const util = latency > 0 && limit > 0 ? powers?.[l] ?? limit / latency : NaN;
          if (util !== util) continue;
          headLogarithms[usable] = headLogarithm;
          rowLogarithms[usable] = rowLogarithm;
          leafLogarithms[usable] = logarithm(leaves[l]);
          leafUtils[usable++] = util;
        }
      }
    }
    this.#heads = headLogarithms.subarray(0, usable);
    this.#rows = rowLogarithms.subarray(0, usable);
    this.#leaves = leafLogarithms.subarray(0, usable);
    this.#utils = leafUtils.subarray(0, usable);
    this.#squares = new Float64Array(usable);
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

  /** The nearest leaves of a point (ties: the earlier leaf), and how far along the moving axis that list holds. */
  #nearest(row: number, leaf: number): Stretch {
    const x = logarithm(this.#head), y = logarithm(row), z = logarithm(leaf);
    const heads = this.#heads, rows = this.#rows, leaves = this.#leaves, utils = this.#utils, all = this.#squares;
    const found = new Int32Array(NEAREST), size = all.length;
    let count = 0;
    for (let i = 0; i < size; i++) {
      const dx = heads[i] - x, dy = rows[i] - y, dz = leaves[i] - z;
      const square = dx * dx + dy * dy + dz * dz;
      all[i] = square;
      if (count === NEAREST && square >= all[found[NEAREST - 1]]) continue;
      let at = count < NEAREST ? count++ : NEAREST - 1;
      for (; at > 0 && all[found[at - 1]] > square; at--) found[at] = found[at - 1];
      found[at] = i;
    }
    const nearest = new Float64Array(count * FIELDS), rowMoves = this.#rowMoves;
    for (let k = 0; k < count; k++) {
      const i = found[k], at = k * FIELDS;
      const dx = heads[i] - x, dy = rows[i] - y, dz = leaves[i] - z;
      nearest[at] = rowMoves ? dx * dx : dx * dx + dy * dy;
      nearest[at + 1] = rowMoves ? rows[i] : leaves[i];
      nearest[at + 2] = rowMoves ? dz * dz : 0;
      nearest[at + 3] = utils[i];
    }
    const moving = rowMoves ? row : leaf;
    const { low, high } = extent(rowMoves ? rows : leaves, all, found, count, rowMoves ? y : z);
    return { low: Math.min(low, moving), high: Math.max(high, moving), count, nearest };
  }
}

/**
 * Where along the moving axis a list stays that of the nearest. The difference of two squared distances is a straight
 * line along one axis, so each pair changes places once at most.
 *
 * @param along places of all leaves on the axis
 * @param all their squared distances from the point
 * @param found the nearest, of which there are `count`
 * @param at the place of the point
 */
function extent(
  along: Float64Array,
  all: Float64Array,
  found: Int32Array,
  count: number,
  at: number,
): { low: number; high: number } {
  let from = -Infinity, to = Infinity;
  const narrow = (slope: number, crossing: number) => {
    if (slope > 0) from = Math.max(from, crossing);
    else to = Math.min(to, crossing);
  };
  for (let k = 1; k < count; k++) {
    const nearer = found[k - 1], farther = found[k], slope = along[nearer] - along[farther];
    if (slope !== 0) narrow(slope, at - (all[farther] - all[nearer]) / (2 * slope));
  }
  const last = found[NEAREST - 1], place = along[last], square = all[last];
  for (let i = 0; count === NEAREST && i < along.length; i++) {
    const slope = place - along[i];
    if (slope === 0) continue;
    const crossing = at - (all[i] - square) / (2 * slope);
    // hardly any leaf is so near that it matters
    if (slope > 0 ? crossing <= from : crossing >= to) continue;
    if (!found.includes(i)) narrow(slope, crossing);
  }
  // a hair inside, so that rounding never claims a point beyond a crossing
  return { low: Math.ceil(2 ** from * (1 + 1e-9)), high: Math.floor(2 ** to * (1 - 1e-9)) };
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
