/**
 * The traffic the throughput loop expects in its next interval: three predictors (requests, prompt and output lengths)
 * and what is remembered beside them.
 *
 * @module
 */
import type { TrafficObservation } from "./history.ts";
import type { Predictor, PredictorSettings } from "./predictor.ts";
import { createPredictor, type PredictorName } from "./registry.ts";

/** Expected traffic of one throughput interval. */
export interface Forecast {
  /** Requests of the interval. */
  requests: number;
  /** Mean prompt length. */
  inputTokens: number;
  /** Mean output length. */
  outputTokens: number;
  /** Last observed hit rate; null before the first. */
  kvHitRate: number | null;
}

/** Which predictor forecasts, with its settings; fields of the Planner's configuration. */
export interface ForecasterSettings extends PredictorSettings {
  load_predictor: PredictorName;
}

/** Three predictors of one kind, fed interval by interval. */
export class TrafficForecaster {
  readonly #requests: Predictor;
  readonly #inputTokens: Predictor;
  readonly #outputTokens: Predictor;
  #live = false;
  #lastInput = 0;
  #lastOutput = 0;
  #kvHitRate: number | null = null;

  /** @param history intervals before the replay starts, oldest first */
  constructor(settings: ForecasterSettings, history: readonly TrafficObservation[] = []) {
    const predictor = () => createPredictor(settings.load_predictor, settings);
    this.#requests = predictor();
    this.#inputTokens = predictor();
    this.#outputTokens = predictor();
    for (const interval of history) this.#add(interval);
    for (const each of [this.#requests, this.#inputTokens, this.#outputTokens]) each.resetIdle();
    this.#live = false;
  }

  /** Takes the traffic of an interval; a hit rate that is not a number leaves the last one. */
  observe(traffic: TrafficObservation & { kvHitRate: number }): void {
    this.#add(traffic);
    if (!Number.isNaN(traffic.kvHitRate)) this.#kvHitRate = traffic.kvHitRate;
  }

  /** The next interval; null when a predictor gives no usable number. */
  forecast(): Forecast | null {
    const requests = this.#requests.forecast();
    const inputTokens = this.#inputTokens.forecast();
    const outputTokens = this.#outputTokens.forecast();
    if (![requests, inputTokens, outputTokens].every(Number.isFinite)) return null;
    return { requests, inputTokens, outputTokens, kvHitRate: this.#kvHitRate };
  }

  /** Once load has been seen, an empty interval keeps the lengths of the last one that had requests. */
  #add({ requests, inputTokens, outputTokens }: TrafficObservation): void {
    this.#requests.add(requests);
    if (requests > 0) {
      this.#live = true;
      if (Number.isFinite(inputTokens)) this.#lastInput = inputTokens;
      if (Number.isFinite(outputTokens)) this.#lastOutput = outputTokens;
    } else if (this.#live) {
      inputTokens = this.#lastInput;
      outputTokens = this.#lastOutput;
    }
    if (Number.isFinite(inputTokens)) this.#inputTokens.add(inputTokens);
    if (Number.isFinite(outputTokens)) this.#outputTokens.add(outputTokens);
  }
}
