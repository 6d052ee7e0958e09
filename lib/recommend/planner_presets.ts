/**
 * Named settings of the Planner that a search tries.
 *
 * @module
 */
import { PREDICTOR_PRESETS, type PredictorPreset } from "../retune/config.ts";

/** Which loops run, and how often (seconds). */
export interface ScalingPolicy {
  enable_throughput_scaling: boolean;
  enable_load_scaling: boolean;
  throughput_adjustment_interval_seconds: number | null;
  load_adjustment_interval_seconds: number | null;
}

const policy = (throughput: boolean, load: boolean, every: number | null, loadEvery: number | null): ScalingPolicy => ({
  enable_throughput_scaling: throughput,
  enable_load_scaling: load,
  throughput_adjustment_interval_seconds: every,
  load_adjustment_interval_seconds: loadEvery,
});

/** A group of Planner fields that are searched together. */
export type Group = "scaling_policy" | "fpm_sampling" | "load_sensitivity" | "load_predictor";

/** Settings of each group by name, in the order tried. */
export const PRESETS: Readonly<Record<Group, Readonly<Record<string, object>>>> = {
  scaling_policy: {
    disabled: policy(false, false, null, null),
    throughput_180_5: policy(true, false, 180, 5),
    throughput_600_5: policy(true, false, 600, 5),
    load_180_5: policy(false, true, 180, 5),
    load_180_10: policy(false, true, 180, 10),
    hybrid_180_5: policy(true, true, 180, 5),
    hybrid_600_5: policy(true, true, 600, 5),
  },
  fpm_sampling: {
    small: { max_num_fpm_samples: 32, fpm_sample_bucket_size: 4 },
    default: { max_num_fpm_samples: 64, fpm_sample_bucket_size: 16 },
    large: { max_num_fpm_samples: 128, fpm_sample_bucket_size: 16 },
    fine: { max_num_fpm_samples: 128, fpm_sample_bucket_size: 64 },
  },
  load_sensitivity: {
    aggressive: { load_scaling_down_sensitivity: 70, load_min_observations: 3 },
    default: { load_scaling_down_sensitivity: 80, load_min_observations: 5 },
    conservative: { load_scaling_down_sensitivity: 90, load_min_observations: 8 },
  },
  load_predictor: PREDICTOR_PRESETS as Readonly<Record<string, PredictorPreset>>,
};

/** Keys of each group and what each is searched over when `preset: false` and the file does not name it. */
export const INDEPENDENT: Readonly<Record<Group, Readonly<Record<string, readonly unknown[]>>>> = {
  scaling_policy: {
    enable_throughput_scaling: [false, true],
    enable_load_scaling: [false, true],
    throughput_adjustment_interval_seconds: [180, 600],
    load_adjustment_interval_seconds: [5, 10],
  },
  fpm_sampling: { max_num_fpm_samples: [32, 64, 128], fpm_sample_bucket_size: [4, 16, 64] },
  load_sensitivity: { load_scaling_down_sensitivity: [70, 80, 90], load_min_observations: [3, 5, 8] },
  load_predictor: {
    load_predictor: ["constant", "arima", "prophet", "kalman"],
    load_predictor_log1p: [false, true],
    prophet_window_size: [20, 50],
    kalman_q_level: [1, 10],
    kalman_q_trend: [0.1, 1],
    kalman_r: [5, 10],
    kalman_min_points: [3, 5],
  },
};

/** Groups in the order of files. */
export const GROUPS = Object.keys(PRESETS) as Group[];
