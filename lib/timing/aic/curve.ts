/**
 * Tables with one axis: exact where measured, straight lines between, and the bound of the operator beyond the ends,
 * scaled so that it meets the last measurement. Where powers come with the times, energies are the answer: time and power
 * are each found in that way, and the power of the last measurement holds beyond it.
 *
 * @module
 */
import type { CurveData } from "./perf_member.ts";

/** First index in `keys[from .. to)` whose key is not below `key`; `to` when there is none. */
export function lowerBound(keys: Uint32Array, from: number, to: number, key: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A measured curve and the bound that carries it beyond its ends. */
export class Curve {
  readonly #keys: Uint32Array;
  readonly #values: Float64Array;
  readonly #bound: { ms(key: number): number };
  readonly #watts: Curve | null;

  constructor({ keys, values, powers }: CurveData, bound: { ms(key: number): number }) {
    this.#keys = keys;
    this.#values = values;
    this.#bound = bound;
    this.#watts = powers === undefined ? null : new Curve({ keys, values: powers }, CONSTANT);
  }

  /** Smallest measured key. */
  get first(): number {
    return this.#keys[0];
  }

  get points(): number {
    return this.#keys.length;
  }

  /** Milliseconds (of tables of energies watt-milliseconds) at `key`, which may lie anywhere and need not be whole. */
  at(key: number): number {
    return this.#watts === null ? this.#value(key) : this.#value(key) * this.#watts.#value(key);
  }

  #value(key: number): number {
    const keys = this.#keys;
    const values = this.#values;
    const index = lowerBound(keys, 0, keys.length, key);
    if (index < keys.length && keys[index] === key) return values[index];
    if (index === 0 || index === keys.length) {
      const end = index === 0 ? 0 : index - 1;
      return this.#bound.ms(key) / (this.#bound.ms(keys[end]) / values[end]);
    }
    const low = index - 1;
    return values[low] + (values[index] - values[low]) * ((key - keys[low]) / (keys[index] - keys[low]));
  }
}

/** The bound of powers, which do not grow with the work. */
export const CONSTANT = { ms: (): number => 1 };

/** A cost that grows in proportion: the bound of collectives, whose size is in elements. */
export const PROPORTIONAL = { ms: (size: number): number => size };
