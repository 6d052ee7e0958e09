/**
 * What a candidate is worth, and when it is worth a switch.
 *
 * @module
 */
import type { Objective } from "./config.ts";
import type { ReplayMetrics } from "./types.ts";

const MS_PER_HOUR = 3_600_000;

/** Mean number of GPUs over a replay; 0 when there was none or no time passed. */
function meanGpus({ gpu_hours, duration_ms }: ReplayMetrics): number {
  const gpus = gpu_hours / (duration_ms / MS_PER_HOUR);
  return gpus > 0 && Number.isFinite(gpus) ? gpus : 0;
}

const perGpu = (value: number, metrics: ReplayMetrics) => {
  const gpus = meanGpus(metrics);
  return gpus > 0 ? value / gpus : 0;
};

/** Value of each objective; times are negated, so more is always better. */
const VALUE: Record<Objective, (metrics: ReplayMetrics) => number> = {
  throughput: (m) => m.output_throughput_tok_s,
  throughput_per_gpu: (m) => perGpu(m.output_throughput_tok_s, m),
  throughput_per_user: (m) => m.mean_output_token_throughput_per_user ?? 0,
  goodput: (m) => m.goodput_output_throughput_tok_s,
  goodput_per_gpu: (m) => perGpu(m.goodput_output_throughput_tok_s, m),
  ttft: (m) => -(m.mean_ttft_ms ?? Infinity),
  e2e_latency: (m) => -(m.mean_e2e_latency_ms ?? Infinity),
};

/**
 * Score of a replay, higher is better. Latency objectives are negated, `-Infinity` without a sample.
 *
 * @example
 * ```ts
 * import { scoreReplay } from "dynosim";
 *
 * const score = scoreReplay("goodput_per_gpu", {
 *   goodput_output_throughput_tok_s: 900,
 *   output_throughput_tok_s: 1000,
 *   mean_output_token_throughput_per_user: 50,
 *   mean_ttft_ms: 200,
 *   mean_itl_ms: 20,
 *   mean_e2e_latency_ms: 4000,
 *   gpu_hours: 0.5,
 *   duration_ms: 600_000,
 * });
 * console.log(score); // 300: three GPUs
 * ```
 */
export function scoreReplay(objective: Objective, metrics: ReplayMetrics): number {
  return VALUE[objective](metrics);
}

/** Index of the highest score; the earlier of equals, so the current point (0) wins every tie. */
export function bestIndex(scores: readonly number[]): number {
  return scores.reduce((best, score, index) => score > scores[best] ? index : best, 0);
}

/**
 * Whether a score beats the current one by more than a percentage of it. Works on negated (latency) scores as on plain
 * ones. From nothing (0, or a latency without samples) every gain is enough.
 */
export function beats(score: number, current: number, percentage: number): boolean {
  if (current === -Infinity) return score > current;
  const share = percentage / 100;
  return score > current * (current < 0 ? 1 - share : 1 + share);
}

/** Gain over the current score in percent, positive when better; null when the current one is 0 or not finite. */
export function improvementPercentage(score: number, current: number): number | null {
  if (current === 0 || !Number.isFinite(current) || !Number.isFinite(score)) return null;
  return (score - current) / Math.abs(current) * 100;
}
