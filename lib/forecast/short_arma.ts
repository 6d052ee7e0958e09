/**
 * The filter of ARMA(p, q) with at most one coefficient of each kind, which is all that a search on a few values tries:
 * the same numbers as those of `ArmaFilter`, to the last bit, without vectors and matrices. Its covariance is known but
 * for one entry, since only the first state is uncertain beyond the newest noise.
 *
 * @module
 */
import { ArmaFilter, type ArmaOrder, type SeriesFilter } from "./arma.ts";

const LOG_2_PI = Math.log(2 * Math.PI);

/** The filter of an order. */
export const filterOf = (order: ArmaOrder): SeriesFilter =>
  order.p <= 1 && order.q <= 1 ? new ShortArmaFilter(order) : new ArmaFilter(order);

/** The filter of an order whose `p` and `q` are 0 or 1. */
export class ShortArmaFilter implements SeriesFilter {
  readonly #constantAt: number;
  readonly ar: Float64Array;
  readonly ma: Float64Array;
  #constant = 0;
  #variance = 0;
  logLikelihood = NaN;
  next = NaN;

  constructor({ p, q, constant }: ArmaOrder) {
    this.#constantAt = constant ? 1 : 0;
    this.ar = new Float64Array(p);
    this.ma = new Float64Array(q);
  }

  take(point: Float64Array): void {
    let at = this.#constantAt;
    this.#constant = at === 1 ? point[0] : 0;
    if (this.ar.length === 1) {
      const x = point[at++];
      this.ar[0] = -(x / Math.sqrt(1 + x * x));
    }
    if (this.ma.length === 1) {
      const x = point[at++];
      this.ma[0] = x / Math.sqrt(1 + x * x);
    }
    this.#variance = point[at] * point[at];
  }

  run(series: Float64Array): void {
    this.logLikelihood = this.next = NaN;
    const phi = this.ar.length === 1 ? this.ar[0] : 0, theta = this.ma.length === 1 ? this.ma[0] : 0;
    const constant = this.#constant, variance = this.#variance, own = 1 - phi * phi;
    if (own === 0) return;
    const mean = constant === 0 ? 0 : constant / (1 - phi), noise = theta * theta, moving = this.ma.length === 1;
    let f = (1 + 2 * phi * theta + noise) / own, state = 0, shifted = 0, logLikelihood = 0;
    for (let t = 0; t < series.length; t++) {
      const surprise = series[t] - mean - state, scale = f * variance;
      logLikelihood -= 0.5 * (LOG_2_PI + Math.log(scale) + (surprise * surprise) / scale);
      const corrected = state + surprise;
      state = phi * corrected + (moving ? shifted + (theta / f) * surprise : 0);
      // 0, or not a number after an infinite surprise
      shifted = 0 * corrected;
      f = noise - noise / f + 1;
    }
    this.logLikelihood = logLikelihood;
    this.next = mean + state;
  }
}
