/**
 * The predictor `kalman`: a local linear trend (level and slope, both drifting) filtered from noisy
 * observations (Kalman, 1960), with the start and the noise that the Planner configures.
 *
 * @module
 */
import type { Forecaster, ForecasterKind, PredictorSettings } from "./predictor.ts";

/** Uncertainty of level and trend before anything was seen. */
const INITIAL_VARIANCE = 1000;

/**
 * State: level and trend with their covariance. One time step moves the level by the trend; one observation measures
 * the level. A forecast takes the time step ahead of its observation, which then does not take it again.
 */
class KalmanForecaster implements Forecaster {
  readonly #log: boolean;
  readonly #minimumPoints: number;
  readonly #levelNoise: number;
  readonly #trendNoise: number;
  readonly #observationNoise: number;
  #count = 0;
  #level = 0;
  #trend = 0;
  #p00 = INITIAL_VARIANCE;
  #p01 = 0;
  #p10 = 0;
  #p11 = INITIAL_VARIANCE;
  #stepped = false;

  constructor(settings: PredictorSettings) {
    this.#log = settings.load_predictor_log1p;
    this.#minimumPoints = settings.kalman_min_points;
    this.#levelNoise = Math.max(1e-12, settings.kalman_q_level);
    this.#trendNoise = Math.max(1e-12, settings.kalman_q_trend);
    this.#observationNoise = Math.max(1e-9, settings.kalman_r);
  }

  add(value: number): void {
    const z = this.#log ? Math.log(1 + Math.max(0, value)) : value;
    if (this.#count++ === 0) {
      this.#level = z;
      return;
    }
    if (!this.#stepped) this.#step();
    this.#stepped = false;
    this.#measure(z);
  }

  forecast(): number | null {
    if (this.#count === 0 || this.#count < this.#minimumPoints) return null;
    if (!this.#stepped) this.#step();
    this.#stepped = true;
    return Math.max(0, this.#log ? Math.exp(this.#level) - 1 : this.#level);
  }

  #step(): void {
    this.#level += this.#trend;
    const p00 = this.#p00 + this.#p10, p01 = this.#p01 + this.#p11;
    this.#p00 = p00 + p01 + this.#levelNoise;
    this.#p01 = p01;
    this.#p10 = this.#p10 + this.#p11;
    this.#p11 += this.#trendNoise;
  }

  /** The covariance update keeps Joseph's form, which stays symmetric and positive where the short form may not. */
  #measure(z: number): void {
    const r = this.#observationNoise;
    const s = this.#p00 + r;
    const k0 = this.#p00 / s, k1 = this.#p10 / s;
    const surprise = z - this.#level;
    this.#level += k0 * surprise;
    this.#trend += k1 * surprise;
    const a = 1 - k0;
    const b00 = a * this.#p00, b01 = a * this.#p01;
    const b10 = this.#p10 - k1 * this.#p00, b11 = this.#p11 - k1 * this.#p01;
    this.#p00 = b00 * a + k0 * r * k0;
    this.#p01 = b01 - b00 * k1 + k0 * r * k1;
    this.#p10 = b10 * a + k1 * r * k0;
    this.#p11 = b11 - b10 * k1 + k1 * r * k1;
  }
}

/** Level and trend with Gaussian noise. */
export const kalman: ForecasterKind = {
  minimumPoints: (settings) => settings.kalman_min_points,
  create: (settings) => new KalmanForecaster(settings),
};
