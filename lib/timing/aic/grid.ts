/**
 * Tables with three axes at a fixed head count: exact where measured, interpolated between, one-sided values scaled by
 * the bound, and the extrapolation by utilisation everywhere else. Where powers come with the times, energies are the
 * answer: the power is interpolated along straight lines, and outside it is the mean with the weights of the utilisations.
 *
 * @module
 */
import type { GridBound } from "./bounds.ts";
import { CONSTANT, lowerBound } from "./curve.ts";
import { type MovingAxis, UtilisationExtrapolation } from "./utilisation_extrapolation.ts";
import type { GridData } from "./perf_member.ts";

/** Options of a {@linkcode Grid}. */
export interface GridOptions {
  /** Interpolate the square roots of values along the row axis (costs that grow with the square). Default false. */
  squareRootRows?: boolean;
  /** The coordinate that changes most from call to call. */
  moving: MovingAxis;
  /** What answers outside of the measurements. Default: the bound, by the utilisation of the nearest of them. */
  outside?: () => UtilisationExtrapolation;
}

/** A grid asked at one head count. */
export class Grid {
  readonly #bound: GridBound;
  readonly #head: number;
  /** The measured head counts around the query (one, when it was measured itself); none when it lies outside. */
  readonly #nodes: readonly HeadNode[];
  /** The node of a measured head count. */
  readonly #own: HeadNode | null;
  /** The grid of powers; null when times are asked for. */
  readonly #watts: Grid | null;
  readonly #outside: () => UtilisationExtrapolation;
  #extrapolation: UtilisationExtrapolation | null = null;

  constructor({ powers, ...data }: GridData, bound: GridBound, head: number, options: GridOptions) {
    const { moving } = options;
    const outside = (watts?: Float64Array) => () => new UtilisationExtrapolation(data, bound, head, moving, watts);
    this.#outside = options.outside ?? outside();
    this.#watts = powers === undefined
      ? null
      : new Grid({ ...data, values: powers }, CONSTANT, head, { moving, outside: outside(powers) });
    this.#bound = bound;
    this.#head = head;
    const { heads } = data;
    const at = lowerBound(heads, 0, heads.length, head);
    const node = (index: number) => new HeadNode(data, index, bound, head, options.squareRootRows ?? false);
    if (at < heads.length && heads[at] === head) this.#nodes = [node(at)];
    else this.#nodes = at === 0 || at === heads.length ? [] : [node(at - 1), node(at)];
    this.#own = this.#nodes.length === 1 ? this.#nodes[0] : null;
  }

  /** Milliseconds (of energies watt-milliseconds) at (row, leaf); NaN when the grid has no usable measurement at all. */
  at(row: number, leaf: number): number {
    return this.#watts === null ? this.#value(row, leaf) : this.#value(row, leaf) * this.#watts.#value(row, leaf);
  }

  #value(row: number, leaf: number): number {
    const inside = this.#own === null ? this.#between(row, leaf) : this.#own.at(row, leaf);
    if (inside === inside) return inside;
    this.#extrapolation ??= this.#outside();
    return this.#extrapolation.at(row, leaf);
  }

  /** Between two measured head counts; NaN outside of both. */
  #between(row: number, leaf: number): number {
    if (this.#nodes.length === 0) return NaN;
    const [low, high] = this.#nodes;
    const a = low.at(row, leaf);
    const b = high.at(row, leaf);
    if (a === a && b === b) return a + (b - a) * ((this.#head - low.head) / (high.head - low.head));
    if (a !== a && b !== b) return NaN;
    const near = a === a ? low.head : high.head;
    return carried(a === a ? a : b, this.#bound.ms(this.#head, row, leaf), this.#bound.ms(near, row, leaf));
  }
}

/** The rows of one measured head count. Remembers where the last query fell, because the next one is near. */
class HeadNode {
  readonly head: number;
  readonly #data: GridData;
  readonly #bound: GridBound;
  /** Head count of the query, which the bound is asked for. */
  readonly #asked: number;
  readonly #squareRoot: boolean;
  readonly #from: number;
  readonly #to: number;
  /** The last row asked for, and the leaves of the measured rows at or below and above it. */
  #row = NaN;
  #inside = false;
  #exact = false;
  #lowRow = 0;
  #highRow = 0;
  #weight = 0;
  readonly #low: LeafCursor;
  readonly #high: LeafCursor;

  constructor(data: GridData, index: number, bound: GridBound, asked: number, squareRoot: boolean) {
    this.head = data.heads[index];
    this.#data = data;
    this.#bound = bound;
    this.#asked = asked;
    this.#squareRoot = squareRoot;
    this.#from = data.rowStart[index];
    this.#to = data.rowStart[index + 1];
    this.#low = new LeafCursor(data);
    this.#high = new LeafCursor(data);
  }

  /** Milliseconds at (row, leaf); NaN outside. */
  at(row: number, leaf: number): number {
    if (row !== this.#row) this.#locate(row);
    if (!this.#inside) return NaN;
    const a = this.#low.at(leaf);
    if (this.#exact) return a;
    const b = this.#high.at(leaf);
    if (a === a && b === b) {
      if (!this.#squareRoot) return a + (b - a) * this.#weight;
      const root = Math.sqrt(a);
      const blended = root + (Math.sqrt(b) - root) * this.#weight;
      return blended * blended;
    }
    if (a !== a && b !== b) return NaN;
    const near = a === a ? this.#lowRow : this.#highRow;
    return carried(
      a === a ? a : b,
      this.#bound.ms(this.#asked, row, leaf),
      this.#bound.ms(this.#asked, near, leaf),
    );
  }

  #locate(row: number): void {
    this.#row = row;
    const { rows } = this.#data;
    const at = lowerBound(rows, this.#from, this.#to, row);
    this.#exact = at < this.#to && rows[at] === row;
    this.#inside = this.#exact || (at > this.#from && at < this.#to);
    if (!this.#inside) return;
    const low = this.#exact ? at : at - 1;
    this.#lowRow = rows[low];
    this.#low.open(low);
    if (this.#exact) return;
    this.#highRow = rows[at];
    this.#weight = (row - this.#lowRow) / (this.#highRow - this.#lowRow);
    this.#high.open(at);
  }
}

/** The leaves of one row, with the pair of neighbours that held the last query. */
class LeafCursor {
  readonly #data: GridData;
  #from = 0;
  #to = 0;
  /** Where the upper one of the pair is. */
  #at = 0;
  #low = Infinity;
  #high = -Infinity;
  #lowValue = 0;
  #highValue = 0;

  constructor(data: GridData) {
    this.#data = data;
  }

  /** Turns to another row. */
  open(row: number): void {
    this.#from = this.#data.leafStart[row];
    this.#to = this.#data.leafStart[row + 1];
    this.#low = Infinity;
    this.#high = -Infinity;
  }

  /** The value at `leaf`, NaN outside the row. */
  at(leaf: number): number {
    if (!(leaf >= this.#low && leaf <= this.#high) && !this.#find(leaf)) return NaN;
    if (leaf === this.#high) return this.#highValue;
    const share = (leaf - this.#low) / (this.#high - this.#low);
    return this.#lowValue + (this.#highValue - this.#lowValue) * share;
  }

  #find(leaf: number): boolean {
    const { leaves, values } = this.#data;
    // mostly it lies beside the pair of the last query
    let at = leaf > this.#high ? this.#at + 1 : this.#at - 1;
    if (!(at > this.#from && at < this.#to && leaves[at - 1] < leaf && leaf <= leaves[at])) {
      at = lowerBound(leaves, this.#from, this.#to, leaf);
    }
    if (at === this.#to || (at === this.#from && leaves[at] !== leaf)) return false;
    this.#at = at;
    const low = Math.max(at - 1, this.#from);
    this.#low = leaves[low];
    this.#high = leaves[at];
    this.#lowValue = values[low];
    this.#highValue = values[at];
    return true;
  }
}

/** A value known at a neighbour, carried to the query by the ratio of the bounds. */
export function carried(value: number, boundHere: number, boundThere: number): number {
  return boundHere > 0 && boundThere > 0 ? value * (boundHere / boundThere) : value;
}
