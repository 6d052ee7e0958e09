import {
  candidateSpec,
  forecastLoss,
  run,
  windowTraffic
} from "./retune.js";
import "./router.js";
import "./planner.js";
import "./traces.js";
import {
  SharedData
} from "./core.js";
import "./shared.js";
import {
  JobExpired
} from "./config.js";
import "./timing.js";
import "./base.js";

// lib/replay/window.ts
function windowRun(spec, task, options = {}) {
  const ready = {
    traffic: windowTraffic(task.window),
    history: task.planner?.warmup
  };
  return run(candidateSpec(spec, task), {
    ...options,
    ready
  });
}
async function replayWindow(spec, task, control, shared) {
  const onProgress = () => {
    if (control.expired()) throw new JobExpired();
  };
  return metricsOf((await windowRun(spec, task, {
    shared,
    onProgress
  }).report).summary);
}
function metricsOf(summary) {
  const sampled = (mean, samples) => samples > 0 ? mean ?? null : null;
  return {
    output_throughput_tok_s: summary.output_throughput_tok_s,
    goodput_output_throughput_tok_s: summary.goodput_output_throughput_tok_s ?? 0,
    mean_output_token_throughput_per_user: summary.mean_output_token_throughput_per_user,
    mean_ttft_ms: sampled(summary.mean_ttft_ms, summary.num_ttft_samples),
    mean_itl_ms: sampled(summary.mean_itl_ms, summary.num_tpot_samples),
    mean_e2e_latency_ms: sampled(summary.mean_e2e_latency_ms, summary.num_e2e_latency_samples),
    gpu_hours: summary.gpu_hours,
    duration_ms: summary.duration_ms
  };
}

// lib/replay/sweep_jobs.ts
function prepare(spec) {
  const shared = new SharedData();
  return async (task, control) => {
    if (task.kind === "forecast") return {
      kind: "forecast",
      loss: forecastLoss(task)
    };
    return {
      kind: "replay",
      metrics: await replayWindow(spec, task, control, shared)
    };
  };
}
export {
  prepare
};
