/**
 * Replays one window of a retune on one candidate setting: the same run, cold, with the window as its load. Described in
 * plain data, so that a worker can do it as well as the main thread.
 *
 * @module
 */
import { type JobControl, JobExpired } from "../jobs/job.ts";
import type { Summary } from "../report/summary.ts";
import type { ReplayMetrics, ReplayTask } from "../retune/types.ts";
import { windowTraffic } from "../retune/window.ts";
import { type ReplayRun, type ReplayRunOptions, run } from "./run.ts";
import type { SharedData } from "./shared_data.ts";
import type { ReplaySpec } from "./spec.ts";
import { candidateSpec } from "./window_spec.ts";

/** The run of one candidate, not started. */
export function windowRun(spec: ReplaySpec, task: ReplayTask, options: ReplayRunOptions = {}): ReplayRun {
  const ready = { traffic: windowTraffic(task.window), history: task.planner?.warmup };
  return run(candidateSpec(spec, task), { ...options, ready });
}

/**
 * Replays one candidate.
 *
 * @throws {JobExpired} when its time is up
 * @throws {SimulationError} when the replay cannot go on
 */
export async function replayWindow(
  spec: ReplaySpec,
  task: ReplayTask,
  control: JobControl,
  shared: SharedData,
): Promise<ReplayMetrics> {
  const onProgress = () => {
    if (control.expired()) throw new JobExpired();
  };
  return metricsOf((await windowRun(spec, task, { shared, onProgress }).report).summary);
}

function metricsOf(summary: Summary): ReplayMetrics {
  const sampled = (mean: number | undefined, samples: number) => samples > 0 ? mean ?? null : null;
  return {
    output_throughput_tok_s: summary.output_throughput_tok_s,
    goodput_output_throughput_tok_s: summary.goodput_output_throughput_tok_s ?? 0,
    mean_output_token_throughput_per_user: summary.mean_output_token_throughput_per_user,
    mean_ttft_ms: sampled(summary.mean_ttft_ms, summary.num_ttft_samples),
    mean_itl_ms: sampled(summary.mean_itl_ms, summary.num_tpot_samples),
    mean_e2e_latency_ms: sampled(summary.mean_e2e_latency_ms, summary.num_e2e_latency_samples),
    gpu_hours: summary.gpu_hours,
    duration_ms: summary.duration_ms,
  };
}
