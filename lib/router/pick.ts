/**
 * Turns costs into a choice: the cheapest candidate at temperature 0, a draw by normalised cost above it.
 *
 * @module
 */
import type { WyRand } from "../random/wyrand.ts";

/** Chooses one of the candidates for a request. */
export interface Chooser {
  /**
   * @param costs cost of each candidate, all finite; only the first `ranks.length` (> 0) count
   * @param ranks the candidates, ascending
   * @returns the position of the choice
   */
  choose(costs: Float64Array, ranks: readonly number[], temperature: number, request: number): number;
}

/** Chooses by cost alone. */
export class Picker implements Chooser {
  readonly #random: WyRand;
  #weights = new Float64Array(16);

  constructor(random: WyRand) {
    this.#random = random;
  }

  /**
   * Temperature 0 takes the lowest cost, equals by equal chance; above, the best candidate weighs 1 and the worst
   * exp(-1 / temperature), whatever the spread.
   */
  choose(costs: Float64Array, ranks: readonly number[], temperature: number): number {
    const count = ranks.length;
    return temperature === 0 ? this.#cheapest(costs, count) : this.#draw(costs, count, temperature);
  }

  #cheapest(costs: Float64Array, count: number): number {
    let best = 0, ties = 1;
    for (let i = 1; i < count; i++) {
      if (costs[i] < costs[best]) {
        best = i;
        ties = 1;
      } else if (costs[i] === costs[best] && this.#random.below(++ties) === 0) best = i;
    }
    return best;
  }

  #draw(costs: Float64Array, count: number, temperature: number): number {
    if (this.#weights.length < count) this.#weights = new Float64Array(count * 2);
    const weights = this.#weights;
    let min = costs[0], max = costs[0];
    for (let i = 1; i < count; i++) {
      if (costs[i] < min) min = costs[i];
      if (costs[i] > max) max = costs[i];
    }
    if (min === max) weights.fill(1 / count, 0, count);
    else {
      const unit = max - min < Infinity ? 1 : Math.max(Math.abs(min), Math.abs(max));
      const slope = -1 / ((max / unit - min / unit) * temperature), offset = (min / unit) * slope;
      let sum = 0;
      for (let i = 0; i < count; i++) sum += weights[i] = Math.exp((costs[i] / unit) * slope - offset);
      for (let i = 0; i < count; i++) weights[i] /= sum;
    }
    const drawn = this.#random.unit();
    let reached = 0;
    for (let i = 0; i < count; i++) if (drawn <= (reached += weights[i])) return i;
    return count - 1;
  }
}
