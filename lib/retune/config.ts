/**
 * What a retune is told: the resolved `planner.retune` block, every default filled, every domain written out.
 *
 * @module
 */

/** Router parameters that can change while a replay runs, in grid order. */
export const ROUTER_KNOBS = ["overlap_score_credit", "prefill_load_scale", "temperature"] as const;
/** One of {@link ROUTER_KNOBS}. */
export type RouterKnob = typeof ROUTER_KNOBS[number];

/** Scores a candidate can be chosen by. */
export const OBJECTIVES = [
  "throughput",
  "throughput_per_gpu",
  "throughput_per_user",
  "goodput",
  "goodput_per_gpu",
  "ttft",
  "e2e_latency",
] as const;
/** One of {@link OBJECTIVES}. */
export type Objective = typeof OBJECTIVES[number];

/** A predictor setting the pre-sweep compares. */
export interface PredictorPreset {
  /** Name of the predictor. */
  load_predictor: "constant" | "arima" | "prophet" | "kalman";
  /** Forecast `ln(1 + value)` instead of the value. */
  load_predictor_log1p: boolean;
  /** Observations Prophet is fitted to. */
  prophet_window_size?: number;
  /** Variance of the level's steps. */
  kalman_q_level?: number;
  /** Variance of the trend's steps. */
  kalman_q_trend?: number;
  /** Variance of an observation. */
  kalman_r?: number;
  /** Observations before the Kalman filter forecasts. */
  kalman_min_points?: number;
}

const REACTIVE = { kalman_q_level: 10, kalman_q_trend: 1, kalman_r: 5, kalman_min_points: 3 };
const CALM = { kalman_q_level: 1, kalman_q_trend: 0.1, kalman_r: 10, kalman_min_points: 5 };

/** Predictor presets by name; the order decides ties. */
export const PREDICTOR_PRESETS: Readonly<Record<string, PredictorPreset>> = {
  constant_last: { load_predictor: "constant", load_predictor_log1p: false },
  arima_raw: { load_predictor: "arima", load_predictor_log1p: false },
  arima_log1p: { load_predictor: "arima", load_predictor_log1p: true },
  prophet_w20_raw: { load_predictor: "prophet", load_predictor_log1p: false, prophet_window_size: 20 },
  prophet_w20_log1p: { load_predictor: "prophet", load_predictor_log1p: true, prophet_window_size: 20 },
  prophet_w50_raw: { load_predictor: "prophet", load_predictor_log1p: false, prophet_window_size: 50 },
  prophet_w50_log1p: { load_predictor: "prophet", load_predictor_log1p: true, prophet_window_size: 50 },
  kalman_default_raw: { load_predictor: "kalman", load_predictor_log1p: false, ...CALM },
  kalman_default_log1p: { load_predictor: "kalman", load_predictor_log1p: true, ...CALM },
  kalman_reactive_raw: { load_predictor: "kalman", load_predictor_log1p: false, ...REACTIVE },
  kalman_reactive_log1p: { load_predictor: "kalman", load_predictor_log1p: true, ...REACTIVE },
};

/** The resolved block, in the file's names. Times are seconds. */
export interface RetuneConfig {
  /** Time between sweeps. */
  interval_seconds: number;
  /** Time before the first sweep. */
  grace_seconds: number;
  /** Values of each knob in the order tried; null when the router is not searched. */
  router: Record<RouterKnob, number[]> | null;
  /** Searched Planner fields; null when none is. `load_predictor` lists preset names. */
  planner: { load_scaling_down_sensitivity: number[] | null; load_predictor: string[] | null } | null;
  /** What a candidate is scored by. */
  objective: Objective;
  /** Bound on TTFT in milliseconds, for goodput. */
  sla_ttft_ms: number;
  /** Bound on TPOT in milliseconds, for goodput. */
  sla_itl_ms: number;
  /** Percent by which a candidate must beat the current point. */
  min_improvement_percentage: number;
  /** Virtual time a sweep takes; `measured`: the wall-clock time it took. */
  decision_latency_seconds: number | "measured";
  /** What a measured latency is multiplied by. */
  decision_latency_scale: number;
  /** Wall-clock time after which a sweep is given up. */
  timeout_seconds: number;
  /** Most replays at once. */
  max_parallel: number;
  /** How far back the forecasts are compared. */
  history_seconds: number;
}
