/**
 * The predictor `arima`: an ARIMA model whose order is chosen once, on the values at the first forecast, and whose
 * numbers are refined with every later forecast.
 *
 * @module
 */
import { type ArimaFit, differences, fitOrder, searchOrder } from "./arima_search.ts";
import type { Forecaster, ForecasterKind, PredictorSettings } from "./predictor.ts";
import { filterOf } from "./short_arma.ts";

const MINIMUM_POINTS = 5;

/** What the search settled on; for tests and curious users. */
export interface ArimaChoice {
  order: [p: number, d: number, q: number];
  constant: boolean;
  log: boolean;
}

/** One series under ARIMA. */
export class ArimaForecaster implements Forecaster {
  readonly #values: number[] = [];
  #log: boolean;
  #fit: ArimaFit | null = null;
  /** Values the present fit has seen. */
  #fitted = 0;

  constructor(settings: PredictorSettings) {
    this.#log = settings.load_predictor_log1p;
  }

  /** The chosen order, null before the first fit. */
  get choice(): ArimaChoice | null {
    if (!this.#fit) return null;
    const { p, d, q, constant } = this.#fit.order;
    return { order: [p, d, q], constant, log: this.#log };
  }

  add(value: number): void {
    this.#values.push(value);
  }

  forecast(): number | null {
    const values = this.#values;
    if (values.length < MINIMUM_POINTS) return null;
    if (values.every((value) => value === values[0])) return values[0];
    const series = this.#series();
    this.#fit = this.#fit ? this.#refit(series, this.#fit) : this.#search(series);
    if (!this.#fit) return null;
    this.#fitted = values.length;
    const next = this.#next(this.#series(), this.#fit);
    if (!Number.isFinite(next)) return null;
    return Math.max(0, this.#log ? Math.exp(next) - 1 : next);
  }

  #series(): number[] {
    return this.#values.map((value) => this.#log ? Math.log(1 + Math.max(0, value)) : Math.max(0, value));
  }

  /** Without any dependence in the raw values the logarithms are tried once, and kept. */
  #search(series: number[]): ArimaFit | null {
    const fit = searchOrder(series);
    if (this.#log || !fit || fit.order.p + fit.order.q > 0) return fit;
    this.#log = true;
    return searchOrder(this.#series());
  }

  #refit(series: number[], fit: ArimaFit): ArimaFit {
    const added = series.length - this.#fitted;
    if (added === 0) return fit;
    const maxIterations = Math.max(5, Math.floor(added / 10));
    return fitOrder(series, fit.order, { start: fit.point, maxIterations }) ?? fit;
  }

  #next(series: number[], { order, point }: ArimaFit): number {
    const filter = filterOf(order);
    filter.take(point);
    filter.run(Float64Array.from(differences(series, order.d)));
    let { next } = filter;
    for (let d = order.d - 1; d >= 0; d--) {
      const level = differences(series, d);
      next += level[level.length - 1];
    }
    return next;
  }
}

/** ARIMA with an automatic choice of order. */
export const arima: ForecasterKind = {
  minimumPoints: () => MINIMUM_POINTS,
  create: (settings) => new ArimaForecaster(settings),
};
