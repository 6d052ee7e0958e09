/**
 * How close operators come to their bound, read off the two most similar measurements: similarity is the distance
 * between logarithms, each axis stretched to the same length.
 *
 * @module
 */

/** How a cloud answers. */
export interface CloudOptions {
  /** How many measurements count. Default 2. */
  readonly neighbours?: 1 | 2;
  /** Whether a measurement of no time at all counts: what is like it costs nothing. Default false. */
  readonly free?: boolean;
}

/** Places with their utilisation, and the frame that makes axes comparable. */
export class UtilisationCloud {
  readonly #axes: number;
  readonly #low: Float64Array;
  readonly #span: Float64Array;
  /** Coordinates of the places, stretched to 0 … 1, place by place. */
  readonly #places: Float64Array;
  readonly #utils: Float64Array;
  readonly #query: Float64Array;
  readonly #neighbours: 1 | 2;

  /**
   * @param axes coordinates of a place
   * @param points the coordinates of each place followed by its bound and its latency; unusable ones are left out
   */
  constructor(axes: number, points: Iterable<readonly number[]>, { neighbours = 2, free = false }: CloudOptions = {}) {
    this.#neighbours = neighbours;
    const places: number[] = [];
    const utils: number[] = [];
    for (const point of points) {
      const bound = point[axes];
      const latency = point[axes + 1];
      if (!(bound > 0 && (latency > 0 || free && latency === 0))) continue;
      for (let axis = 0; axis < axes; axis++) places.push(logarithm(point[axis]));
      utils.push(bound / latency);
    }
    this.#axes = axes;
    this.#low = new Float64Array(axes).fill(Infinity);
    const high = new Float64Array(axes).fill(-Infinity);
    places.forEach((value, i) => {
      this.#low[i % axes] = Math.min(this.#low[i % axes], value);
      high[i % axes] = Math.max(high[i % axes], value);
    });
    this.#span = high.map((value, axis) => value - this.#low[axis]);
    this.#places = Float64Array.from(places, (value, i) => this.#stretched(value, i % axes));
    this.#utils = Float64Array.from(utils);
    this.#query = new Float64Array(axes);
  }

  /** Utilisation at a place; NaN when nothing was measured. Places outside the frame count as its edge. */
  at(a: number, b = 0, c = 0, d = 0): number {
    const axes = this.#axes;
    const query = this.#query;
    for (let axis = 0; axis < axes; axis++) {
      const value = axis === 0 ? a : axis === 1 ? b : axis === 2 ? c : d;
      query[axis] = Math.min(Math.max(this.#stretched(logarithm(value), axis), 0), 1);
    }
    let first = -1, second = -1;
    let nearest = Infinity, next = Infinity;
    for (let i = 0; i < this.#utils.length; i++) {
      let square = 0;
      for (let axis = 0; axis < axes; axis++) {
        const difference = this.#places[i * axes + axis] - query[axis];
        square += difference * difference;
      }
      if (square < nearest) {
        second = first;
        next = nearest;
        first = i;
        nearest = square;
      } else if (square < next) {
        second = i;
        next = square;
      }
    }
    if (first < 0) return NaN;
    if (nearest === 0 || second < 0 || this.#neighbours === 1) return this.#utils[first];
    const weight = 1 / Math.sqrt(nearest);
    const otherWeight = 1 / Math.sqrt(next);
    return (weight * this.#utils[first] + otherWeight * this.#utils[second]) / (weight + otherWeight);
  }

  #stretched(value: number, axis: number): number {
    return (value - this.#low[axis]) / (this.#span[axis] || 1);
  }
}

const logarithm = (value: number) => Math.log(Math.max(value, 1e-9));
