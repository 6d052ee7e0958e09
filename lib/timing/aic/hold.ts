/**
 * Values outside what was measured: the four nearest measurements of a grid (by the ratios of their coordinates) say how
 * far the operator stays from its bound there, and the bound is scaled by that. Which measurements are nearest changes
 * only at a few places along an axis, so the list is kept for the whole stretch in which it holds.
 *
 * The weights fall to zero where the fifth nearest begins, which makes the value continuous. Imports the table form and
 * the bounds' type.
 *
 * @module
 */
import type { GridBound } from "./bounds.ts";
import type { GridData } from "./perf_set.ts";

/** Measurements that are looked at: four that count and the one that ends their reach. */
const NEAREST = 5;

/** A stretch of the moving axis in which the nearest measurements are the same, in the same order. */
interface Stretch {
  low: number;
  high: number;
  /** Leaf indices, nearest first; fewer than five only when the grid has no more. */
  readonly leaves: Int32Array;
  /** Bound over latency of each. */
  readonly utils: Float64Array;
}

/** Which coordinate of a query changes from call to call while the others tend to stay. */
export type MovingAxis = "row" | "leaf";

/** Answers queries outside a grid. */
export class Hold {
  readonly #bound: GridBound;
  readonly #rowMoves: boolean;
  /** Coordinates of every leaf, and their logarithms. */
  readonly #heads: Float64Array;
  readonly #rows: Float64Array;
  readonly #leaves: Float64Array;
  /** Bound over latency of every leaf; not positive where the leaf does not count. */
  readonly #utils: Float64Array;
  /** Stretches by the coordinate that stays, for the last head count asked. */
  #head = -1;
  #stretches = new Map<number, Stretch[]>();
  #recentKey = -1;
  #recent: Stretch | null = null;

  constructor(data: GridData, bound: GridBound, moving: MovingAxis) {
    const count = data.leaves.length;
    this.#bound = bound;
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
          this.#utils[l] = latency > 0 && limit > 0 ? limit / latency : NaN;
        }
      }
    }
  }

  /** Milliseconds at a point; NaN when the grid has no usable measurement. */
  at(head: number, row: number, leaf: number): number {
    if (head !== this.#head) this.#forget(head);
    const moving = this.#rowMoves ? row : leaf;
    const fixed = this.#rowMoves ? leaf : row;
    let stretch = this.#recent;
    if (stretch === null || this.#recentKey !== fixed || moving < stretch.low || moving > stretch.high) {
      stretch = this.#find(head, row, leaf);
      this.#recent = stretch;
      this.#recentKey = fixed;
    }
    return this.#bound.ms(head, row, leaf) / this.#meanUtil(stretch, head, row, leaf);
  }

  #forget(head: number): void {
    this.#head = head;
    this.#stretches = new Map();
    this.#recent = null;
  }

  #meanUtil(stretch: Stretch, head: number, row: number, leaf: number): number {
    const { leaves, utils } = stretch;
    const x = logarithm(head);
    const y = logarithm(row);
    const z = logarithm(leaf);
    const bounded = leaves.length === NEAREST;
    const reach = bounded ? Math.sqrt(this.#distance2(leaves[NEAREST - 1], x, y, z)) : Infinity;
    let weighted = 0;
    let weights = 0;
    const count = Math.min(leaves.length, NEAREST - 1);
    for (let i = 0; i < count; i++) {
      const distance = Math.sqrt(this.#distance2(leaves[i], x, y, z));
      let weight: number;
      if (bounded) {
        const closeness = Math.max(reach - distance, 0) / (reach * distance + 1e-12);
        weight = closeness * closeness;
      } else {
        weight = 1 / (distance * distance + 1e-12);
      }
      weighted += weight * utils[i];
      weights += weight;
    }
    if (weights > 0) return weighted / weights;
    weighted = 0;
    for (let i = 0; i < count; i++) weighted += utils[i];
    return weighted / count;
  }

  #distance2(index: number, x: number, y: number, z: number): number {
    const dx = this.#heads[index] - x;
    const dy = this.#rows[index] - y;
    const dz = this.#leaves[index] - z;
    return dx * dx + dy * dy + dz * dz;
  }

  #find(head: number, row: number, leaf: number): Stretch {
    const moving = this.#rowMoves ? row : leaf;
    const fixed = this.#rowMoves ? leaf : row;
    let known = this.#stretches.get(fixed);
    if (known === undefined) this.#stretches.set(fixed, known = []);
    for (const stretch of known) {
      if (moving >= stretch.low && moving <= stretch.high) return stretch;
    }
    const found = this.#nearest(head, row, leaf);
    known.push(found);
    return found;
  }

  /** The nearest leaves of a point (ties: the earlier leaf), and how far along the moving axis that list holds. */
  #nearest(head: number, row: number, leaf: number): Stretch {
    const x = logarithm(head);
    const y = logarithm(row);
    const z = logarithm(leaf);
    const indices: number[] = [];
    const distances: number[] = [];
    for (let i = 0; i < this.#utils.length; i++) {
      if (!(this.#utils[i] > 0)) continue;
      const distance = this.#distance2(i, x, y, z);
      if (indices.length === NEAREST && distance >= distances[NEAREST - 1]) continue;
      let at = indices.length;
      while (at > 0 && distances[at - 1] > distance) at--;
      indices.splice(at, 0, i);
      distances.splice(at, 0, distance);
      indices.length = distances.length = Math.min(indices.length, NEAREST);
    }
    const stretch: Stretch = {
      ...this.#extent(indices, x, y, z),
      leaves: Int32Array.from(indices),
      utils: Float64Array.from(indices, (index) => this.#utils[index]),
    };
    const moving = this.#rowMoves ? row : leaf;
    stretch.low = Math.min(stretch.low, moving);
    stretch.high = Math.max(stretch.high, moving);
    return stretch;
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
        if (this.#utils[i] > 0 && !indices.includes(i)) limit(last, i);
      }
    }
    // a hair inside, so that rounding never claims a point beyond a crossing
    return { low: Math.ceil(2 ** from * (1 + 1e-9)), high: Math.floor(2 ** to * (1 - 1e-9)) };
  }
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
