/**
 * Tables with three axes at a fixed head count: exact where measured, interpolated between, one-sided values scaled by
 * the bound, and the hold everywhere else. Imports the table form, the bounds' type and the hold.
 *
 * @module
 */
import type { GridBound } from "./bounds.ts";
import { lowerBound } from "./curve.ts";
import { Hold, type MovingAxis } from "./hold.ts";
import type { GridData } from "./perf_set.ts";

/** Options of a {@linkcode Grid}. */
export interface GridOptions {
  /** Interpolate the square roots of values along the row axis (costs that grow with the square). Default false. */
  squareRootRows?: boolean;
  /** The coordinate that changes most from call to call. */
  moving: MovingAxis;
}

/** A grid asked at one head count. NaN stands for "outside". */
export class Grid {
  readonly #data: GridData;
  readonly #bound: GridBound;
  readonly #head: number;
  readonly #squareRoot: boolean;
  readonly #moving: MovingAxis;
  /** Head nodes around the query; equal when the head count was measured, -1 when it lies outside. */
  readonly #headLow: number;
  readonly #headHigh: number;
  #hold: Hold | null = null;

  constructor(data: GridData, bound: GridBound, head: number, options: GridOptions) {
    this.#data = data;
    this.#bound = bound;
    this.#head = head;
    this.#squareRoot = options.squareRootRows ?? false;
    this.#moving = options.moving;
    const at = lowerBound(data.heads, 0, data.heads.length, head);
    const exact = at < data.heads.length && data.heads[at] === head;
    const outside = !exact && (at === 0 || at === data.heads.length);
    this.#headLow = outside ? -1 : exact ? at : at - 1;
    this.#headHigh = outside ? -1 : at;
  }

  /** Milliseconds at (row, leaf); NaN when the grid has no usable measurement at all. */
  at(row: number, leaf: number): number {
    const inside = this.#inside(row, leaf);
    if (inside === inside) return inside;
    this.#hold ??= new Hold(this.#data, this.#bound, this.#head, this.#moving);
    return this.#hold.at(row, leaf);
  }

  #inside(row: number, leaf: number): number {
    const low = this.#headLow;
    if (low === this.#headHigh) return low < 0 ? NaN : this.#rows(low, row, leaf);
    const high = this.#headHigh;
    const { heads } = this.#data;
    const a = this.#rows(low, row, leaf);
    const b = this.#rows(high, row, leaf);
    if (a === a && b === b) return a + (b - a) * ((this.#head - heads[low]) / (heads[high] - heads[low]));
    if (a !== a && b !== b) return NaN;
    const head = a === a ? heads[low] : heads[high];
    return this.#scaled(a === a ? a : b, this.#bound.ms(this.#head, row, leaf), this.#bound.ms(head, row, leaf));
  }

  #rows(head: number, row: number, leaf: number): number {
    const { rows, rowStart } = this.#data;
    const from = rowStart[head];
    const to = rowStart[head + 1];
    const at = lowerBound(rows, from, to, row);
    if (at === to) return NaN;
    if (rows[at] === row) return this.#leaves(at, leaf);
    if (at === from) return NaN;
    const a = this.#leaves(at - 1, leaf);
    const b = this.#leaves(at, leaf);
    if (a === a && b === b) {
      const weight = (row - rows[at - 1]) / (rows[at] - rows[at - 1]);
      if (!this.#squareRoot) return a + (b - a) * weight;
      const root = Math.sqrt(a);
      const blended = root + (Math.sqrt(b) - root) * weight;
      return blended * blended;
    }
    if (a !== a && b !== b) return NaN;
    const near = a === a ? rows[at - 1] : rows[at];
    return this.#scaled(
      a === a ? a : b,
      this.#bound.ms(this.#head, row, leaf),
      this.#bound.ms(this.#head, near, leaf),
    );
  }

  #leaves(row: number, leaf: number): number {
    const { leaves, leafStart, values } = this.#data;
    const from = leafStart[row];
    const to = leafStart[row + 1];
    const at = lowerBound(leaves, from, to, leaf);
    if (at === to) return NaN;
    if (leaves[at] === leaf) return values[at];
    if (at === from) return NaN;
    const low = values[at - 1];
    return low + (values[at] - low) * ((leaf - leaves[at - 1]) / (leaves[at] - leaves[at - 1]));
  }

  /** A value known at a neighbour, carried to the query by the ratio of the bounds. */
  #scaled(value: number, boundHere: number, boundThere: number): number {
    return boundHere > 0 && boundThere > 0 ? value * (boundHere / boundThere) : value;
  }
}
