import {
  MOST_WARNING,
  MOST_WARNINGS
} from "./search.js";
import {
  located,
  run
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

// lib/capacity/saturation.ts
var ROWS = [
  "prefill_scheduler_metrics",
  "decode_scheduler_metrics"
];
var FULL = 0.95;
var OFTEN = 0.1;
function saturationOf(value, report, sla, pools) {
  const samples = report.telemetry?.samples ?? [];
  let rows = 0, usage = 0, full = 0, limited = 0, atLimit = 0, waiting = 0, queued = 0, preempted = 0;
  for (const sample of samples) {
    queued += sample.router_pending_prefill_requests + sample.router_pending_decode_requests;
    preempted += sample.prefill_interval_metrics.preemptions + sample.decode_interval_metrics.preemptions;
    for (const key of ROWS) {
      const limit = key === "prefill_scheduler_metrics" ? pools.prefill ?? null : pools.decode;
      for (const row of sample[key]) {
        waiting += row.waiting_requests;
        if (row.waiting_requests === 0) continue;
        rows++;
        usage += row.active_cache_usage;
        if (limit !== null && row.running_requests >= limit) {
          atLimit++;
          limited += row.waiting_requests;
        } else if (row.active_cache_usage >= FULL) full += row.waiting_requests;
      }
    }
  }
  const each = (sum, of) => of > 0 ? sum / of : 0;
  const { ttft, itl, slowMs } = missesOf(report, sla);
  const minutes = report.summary.duration_ms / 6e4;
  const gaveUp = preempted > 0 && preempted >= OFTEN * (ttft + itl);
  const waits = () => queued > waiting ? "router_queue" : each(limited, waiting) >= OFTEN ? "sequence_limit" : gaveUp || each(full, waiting) >= OFTEN ? "kv_blocks" : "prefill_compute";
  const between = pools.prefill === void 0 && report.summary.median_itl_ms < slowMs / 2;
  const bottleneck = ttft >= itl ? waits() : gaveUp ? "kv_blocks" : between ? "prefill_compute" : "decode_compute";
  return {
    value,
    bottleneck,
    kv_usage: each(usage, rows),
    preemptions_per_minute: each(preempted, minutes),
    at_sequence_limit: each(atLimit, rows),
    waiting_requests: each(waiting, samples.length),
    router_queue: each(queued, samples.length),
    missed_ttft: ttft,
    missed_itl: itl
  };
}
function missesOf({ per_request }, { ttftMs, itlMs, e2eMs }) {
  let ttft = 0, itl = 0, slowMs = 0;
  for (const { ttft_ms, itl_ms, e2e_latency_ms } of per_request ?? []) {
    const late = ttftMs != null && ttft_ms !== null && ttft_ms > ttftMs;
    let slow = itlMs != null && itl_ms !== null && itl_ms > itlMs;
    if (late) ttft++;
    if (e2eMs != null && e2e_latency_ms !== null && e2e_latency_ms > e2eMs) {
      if (ttft_ms !== null && ttft_ms > e2e_latency_ms / 2) ttft++;
      else slow = true;
    }
    if (!slow) continue;
    itl++;
    slowMs += itl_ms ?? 0;
  }
  return {
    ttft,
    itl,
    slowMs: itl > 0 ? slowMs / itl : 0
  };
}

// lib/capacity/capacity_jobs.ts
function prepare({ spec, local }) {
  const shared = new SharedData();
  return (task, control) => {
    const { traffic, telemetryIntervalMs } = task;
    const asked = {
      ...spec,
      traffic,
      capture: {
        plannerDetails: false,
        diagnostics: false,
        perRequest: telemetryIntervalMs !== null,
        telemetryIntervalMs
      }
    };
    return measured(local === void 0 ? asked : located(asked, local), task, shared, control);
  };
}
async function measured(spec, { value, telemetryIntervalMs }, shared, control) {
  const warnings = [];
  const report = await run(spec, {
    shared,
    onWarning: (warning) => {
      if (warnings.length < MOST_WARNINGS) warnings.push(warning.slice(0, MOST_WARNING));
    },
    onProgress() {
      if (control.expired()) throw new JobExpired();
    }
  }).report;
  const { summary, evaluation } = report, { cost } = evaluation;
  const point = {
    value,
    attainment: evaluation.sla.attainment,
    num_requests: evaluation.sla.requests,
    completed_requests: summary.completed_requests,
    request_throughput_rps: summary.request_throughput_rps,
    p95_ttft_ms: summary.p95_ttft_ms,
    p95_tpot_ms: summary.p95_tpot_ms,
    duration_ms: summary.duration_ms,
    queues_growing: evaluation.overload?.queues_growing ?? false,
    ...cost === void 0 ? {} : {
      cost: {
        currency: cost.currency,
        per_thousand_good_requests: cost.per_thousand_good_requests
      }
    }
  };
  const most = (role) => {
    const one = spec.roles.find((one2) => one2.role === role) ?? spec.roles[0];
    const { max_num_seqs: limit } = Object(one?.launch.engine);
    return typeof limit === "number" ? limit : null;
  };
  const pools = {
    ...spec.roles.length > 1 ? {
      prefill: most("prefill")
    } : {},
    decode: most("decode")
  };
  if (telemetryIntervalMs === null) return {
    point,
    saturation: null,
    warnings: []
  };
  return {
    point,
    saturation: saturationOf(value, report, spec.sla, pools),
    warnings
  };
}
export {
  prepare
};
