/**
 * A mean over the last values of a series that has started.
 *
 * @module
 */

/** Mean of the last `capacity` values; values before the first positive one are ignored. 0 while nothing was taken. */
export class MovingAverage {
  readonly #capacity: number;
  readonly #values: number[] = [];
  #sum = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Takes a value. */
  add(value: number): void {
    if (this.#values.length === 0 && !(value > 0)) return;
    this.#sum += value;
    this.#values.push(value);
    if (this.#values.length > this.#capacity) this.#sum -= this.#values.shift()!;
  }

  /** The mean. */
  get mean(): number {
    return this.#values.length === 0 ? 0 : this.#sum / this.#values.length;
  }
}
