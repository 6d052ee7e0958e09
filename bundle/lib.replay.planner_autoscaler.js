import {
  RecordedPlanner,
  bootstrap,
  failedBootstrap,
  isRetuneOnly,
  keysWithoutEffect,
  noBootstrap,
  parsePlannerConfig,
  plannerConfigKeys
} from "./planner.js";
import {
  readWarmupTrace
} from "./traces.js";
import {
  outOfReach
} from "./core.js";
import {
  textSha256
} from "./shared.js";
import {
  budgetWarnings,
  joinPath
} from "./config.js";
import {
  PassCorrection
} from "./timing.js";
import {
  TraceError,
  checkOptions,
  host,
  nearName,
  writeFileAtomically
} from "./base.js";

// lib/planner/capabilities.ts
function capabilitiesOf(worker, options = {}) {
  checkOptions("capabilitiesOf()", options, {
    pipelineParallel: true
  });
  const ranks = Math.max(worker.dpSize, 1);
  const { rank } = worker;
  const limit = (value) => Number.isFinite(value) ? value : null;
  const kvTokens = rank.blocks * rank.blockTokens * ranks;
  return {
    gpus: (worker.tensorParallel || 1) * (options.pipelineParallel ?? 1) * ranks,
    maxBatchedTokens: limit(rank.maxBatchedTokens),
    maxSequences: limit(rank.maxSequences),
    contextTokens: limit(rank.maxModelTokens),
    maxKvTokens: kvTokens > 0 ? limit(kvTokens) : null,
    speculationDepth: rank.acceptRates ? rank.acceptRates.length : null
  };
}

// lib/planner/warnings.ts
function plannerWarnings(given, config, run) {
  return [
    ...advisoryWarning(config),
    ...budgetOf(config, run),
    ...withoutEffect(given, config)
  ];
}
function* advisoryWarning({ advisory }) {
  if (advisory) yield "[ADVISORY] the Planner makes every decision and changes nothing";
}
function* budgetOf(config, { engines, replicas }) {
  if (isRetuneOnly(config)) return;
  yield* budgetWarnings({
    maxGpus: config.max_gpu_budget,
    minGpus: config.min_gpu_budget,
    gpus: {
      prefill: engines.prefill?.gpus ?? 0,
      decode: engines.decode.gpus
    },
    starting: replicas,
    minimum: {
      prefill: engines.prefill ? config.prefill_min_endpoint ?? config.min_endpoint : 0,
      decode: config.decode_min_endpoint ?? config.min_endpoint
    },
    names: {
      max: "max_gpu_budget",
      min: "min_gpu_budget"
    }
  });
}
function* withoutEffect(given, config) {
  const { unknown, live } = keysWithoutEffect(given);
  for (const key of unknown) {
    const near = nearName(key, plannerConfigKeys);
    yield `${key} is not a field of the Planner and is ignored${near ? `; did you mean ${near}?` : ""}`;
  }
  if (live.length > 0) yield `${live.join(", ")}: only a live deployment uses these; ignored in a replay`;
  const { optimization_target: target, load_predictor: predictor, mode } = config;
  const sla = target === "sla", fast = sla && config.enable_load_scaling, slow = config.enable_throughput_scaling;
  const fixed = `the target is ${target}`;
  const rules = [
    [
      sla || isRetuneOnly(config),
      `${fixed}, which always scales on load only`,
      [
        "enable_throughput_scaling",
        "enable_load_scaling"
      ]
    ],
    [
      sla || config.retune !== null,
      fixed,
      [
        "ttft_ms",
        "itl_ms",
        "ttft",
        "itl"
      ]
    ],
    [
      sla,
      `${fixed}, which uses no performance model`,
      [
        "max_num_fpm_samples",
        "fpm_sample_bucket_size",
        "load_min_observations",
        "sample_tie_seed"
      ]
    ],
    [
      fast,
      sla ? "load scaling is off" : `${fixed}, which has thresholds of its own`,
      [
        "load_scaling_down_sensitivity"
      ]
    ],
    [
      slow,
      "throughput scaling is off",
      [
        "throughput_adjustment_interval_seconds",
        "throughput_adjustment_interval",
        "max_throughput_scaling_replicas",
        "load_predictor",
        "load_predictor_log1p",
        "load_predictor_warmup_trace"
      ]
    ],
    [
      !slow || predictor !== "constant",
      "load_predictor is constant",
      [
        "load_predictor_log1p"
      ]
    ],
    [
      slow && predictor === "prophet",
      slow ? `load_predictor is ${predictor}` : "throughput scaling is off",
      [
        "prophet_window_size"
      ]
    ],
    [
      slow && predictor === "kalman",
      slow ? `load_predictor is ${predictor}` : "throughput scaling is off",
      [
        "kalman_q_level",
        "kalman_q_trend",
        "kalman_r",
        "kalman_min_points"
      ]
    ],
    [
      target === "load",
      fixed,
      [
        "decode_scale_up_kv_rate",
        "decode_scale_down_kv_rate"
      ]
    ],
    [
      target === "load" && mode !== "agg",
      target === "load" ? "the engines are aggregated" : fixed,
      [
        "prefill_scale_up_queue_tokens",
        "prefill_scale_down_queue_tokens"
      ]
    ]
  ];
  for (const [works, reason, keys] of rules) {
    if (works) continue;
    for (const key of keys) {
      if (given[key] === void 0 || given[key] === null || isForced(key, given, config)) continue;
      yield `${key} has no effect: ${reason}`;
    }
  }
}
function isForced(key, given, config) {
  return key.startsWith("enable_") && given[key] === config[key];
}

// lib/replay/make_planner.ts
async function makePlanner(given, written, context) {
  const { pools, traffic, estimators, capture, history, onWarning } = context;
  if (traffic.agents) throw new TraceError("scaling_policy replay does not support agentic Dynamo request traces");
  const config = parsePlannerConfig(given);
  const decode = pools[pools.length - 1], prefill = pools.length > 1 ? pools[0] : null;
  if (onWarning && config.optimization_target === "sla") {
    const bounds = {
      ttftMs: config.ttft_ms,
      itlMs: config.itl_ms
    };
    for (const bound of outOfReach(bounds, pools, traffic.workload)) onWarning(`the Planner's ${bound}`);
  }
  const engines = {
    prefill: prefill && capabilitiesOf(prefill.settings, pipelineOf(prefill, estimators[0])),
    decode: capabilitiesOf(decode.settings, pipelineOf(decode, estimators[pools.length - 1]))
  };
  const model = await firstModel(config, {
    prefill,
    decode
  }, context);
  if (written !== null && onWarning) {
    const replicas = {
      prefill: prefill?.replicas ?? 0,
      decode: decode.replicas
    };
    for (const warning of plannerWarnings(written, config, {
      engines,
      replicas
    })) {
      onWarning(warning.startsWith("[") ? warning : `the Planner's ${warning}`);
    }
    if (config.enable_throughput_scaling && model.metadata.status === "not_configured_load_only") {
      onWarning("the engines name no timing model of the operator database, so the Planner starts without a performance model: throughput-based scaling falls back to load-based scaling");
    }
  }
  return new RecordedPlanner({
    config,
    engines,
    sha256: textSha256,
    bootstrap: model,
    history: history ?? await pastTraffic(config),
    captureDetails: capture.plannerDetails
  });
}
var pipelineOf = ({ settings }, estimator) => ({
  pipelineParallel: settings.rank.timing.type === "external" ? estimator?.pp ?? 1 : 1
});
async function firstModel(config, pools, { estimators, calibrations, deployments }) {
  if (config.optimization_target !== "sla") return noBootstrap;
  const first = estimators[0], last = estimators[estimators.length - 1];
  if (first === null || last === null) {
    const nothing = {
      engine: engineOf(pools.decode),
      estimator: null
    };
    return bootstrap({
      prefill: pools.prefill && nothing,
      decode: nothing
    }, textSha256);
  }
  try {
    return bootstrap({
      prefill: pools.prefill && await startOf(first, pools.prefill, deployments, calibrations[0]),
      decode: await startOf(last, pools.decode, deployments, calibrations[calibrations.length - 1])
    }, textSha256);
  } catch (error) {
    if (config.enable_throughput_scaling) throw error;
    return failedBootstrap;
  }
}
async function startOf(estimator, pool, deployments, calibration) {
  const correction = calibration && new PassCorrection(calibration);
  const model = (await deployments.of(estimator)).forwardPassModel();
  return {
    engine: engineOf(pool),
    estimator: {
      estimateMs: (pass) => {
        const { prefillRequests, prefillTokens, prefillKvTokens, decodeRequests, decodeKvTokens } = pass;
        const ms = model.sumsMs(prefillRequests, prefillTokens, prefillKvTokens, decodeRequests, decodeKvTokens);
        if (correction === null) return ms;
        const width = model.nextn + 1;
        const decodes = decodeRequests / width, contextTokens = decodeKvTokens / width;
        return correction.passMs(ms, prefillTokens, decodes, prefillKvTokens, contextTokens, prefillRequests);
      }
    }
  };
}
function engineOf({ settings: { rank } }) {
  const limit = (value) => Number.isFinite(value) ? value : null;
  return {
    maxBatchedTokens: limit(rank.maxBatchedTokens),
    maxSequences: limit(rank.maxSequences),
    kvTokens: rank.blocks * rank.blockTokens,
    speculationDepth: rank.acceptRates?.length ?? null
  };
}
async function pastTraffic(config) {
  const pattern = config.load_predictor_warmup_trace;
  if (!pattern || !config.enable_throughput_scaling) return void 0;
  return (await readWarmupTrace(pattern)).intervals(config.throughput_adjustment_interval_seconds);
}

// lib/report/planner_diagnostics.ts
var MOST_SNAPSHOTS = 5e4;
function diagnosticsSnapshots(ticks, latencies, options) {
  const interval = options.throughputIntervalSeconds;
  let observed = {
    observed_ttft_ms: null,
    observed_itl_ms: null,
    observed_requests_per_second: null,
    observed_input_sequence_tokens: null,
    observed_output_sequence_tokens: null,
    observed_kv_hit_rate: null
  };
  let gpuHours = 0, beforeS = NaN;
  const snapshots = [];
  let surplus = ticks.reduce((count, tick) => decided(tick) ? count + 1 : count, 0) - MOST_SNAPSHOTS;
  ticks.forEach((tick, i) => {
    const { input, topology, effects } = tick;
    const { diagnostics, scale_to } = effects;
    const nowS = tick.at_ms / 1e3;
    const gpus = topology.prefill.active_count * options.prefillGpusPerWorker + topology.decode.active_count * options.decodeGpusPerWorker;
    if (!Number.isNaN(beforeS)) gpuHours += gpus * (nowS - beforeS) / 3600;
    beforeS = nowS;
    if (input.traffic !== null) {
      observed = {
        observed_ttft_ms: latencies[i]?.ttftMs ?? null,
        observed_itl_ms: latencies[i]?.itlMs ?? null,
        observed_requests_per_second: input.traffic.num_req / interval,
        observed_input_sequence_tokens: input.traffic.isl,
        observed_output_sequence_tokens: input.traffic.osl,
        observed_kv_hit_rate: input.traffic.kv_hit_rate ?? null
      };
    }
    if (!decided(tick) || surplus-- > 0) return;
    const perSecond = (count) => count === null ? null : count / interval;
    snapshots.push({
      timestamp_s: nowS,
      num_prefill_replicas: topology.prefill.active_count,
      num_decode_replicas: topology.decode.active_count,
      ...observed,
      observed_request_duration_seconds: null,
      estimated_ttft_ms: diagnostics.estimated_ttft_ms,
      estimated_itl_ms: diagnostics.estimated_itl_ms,
      predicted_requests_per_second: perSecond(diagnostics.predicted_num_req),
      predicted_input_sequence_tokens: diagnostics.predicted_isl,
      predicted_output_sequence_tokens: diagnostics.predicted_osl,
      predicted_kv_hit_rate: diagnostics.predicted_kv_hit_rate,
      engine_rps_prefill: diagnostics.engine_rps_prefill,
      engine_rps_decode: diagnostics.engine_rps_decode,
      load_decision_reason: diagnostics.load_decision_reason,
      throughput_decision_reason: diagnostics.throughput_decision_reason,
      load_decision_reason_prefill: diagnostics.load_decision_reason_prefill,
      load_decision_reason_decode: diagnostics.load_decision_reason_decode,
      throughput_decision_reason_prefill: diagnostics.throughput_decision_reason_prefill,
      throughput_decision_reason_decode: diagnostics.throughput_decision_reason_decode,
      throughput_lower_bound_prefill: diagnostics.throughput_lower_bound_prefill,
      throughput_lower_bound_decode: diagnostics.throughput_lower_bound_decode,
      scale_to_prefill: scale_to?.num_prefill ?? null,
      scale_to_decode: scale_to?.num_decode ?? null,
      prefill_engines: (input.fpm_observations?.prefill ?? []).map(engineLoad),
      decode_engines: (input.fpm_observations?.decode ?? []).map(engineLoad),
      gpu_hours: gpuHours
    });
  });
  return snapshots;
}
var decided = ({ scheduled_tick, effects }) => scheduled_tick.run_load_scaling || scheduled_tick.run_throughput_scaling || effects.scale_to !== null;
function engineLoad({ worker_id, dp_rank, metrics }) {
  const { scheduled_requests: scheduled, queued_requests: queued } = metrics;
  return {
    worker_id,
    dp_rank,
    queued_prefill_tokens: queued.sum_prefill_tokens,
    queued_decode_kv_tokens: queued.sum_decode_kv_tokens,
    inflight_decode_kv_tokens: scheduled.sum_decode_kv_tokens
  };
}
var LAST_DATE_MS = 864e13;
var dateOf = (seconds) => new Date(Math.min(seconds * 1e3, LAST_DATE_MS));
function utcStamp(seconds) {
  return dateOf(seconds).toISOString().replace(/\.000Z$/, "Z");
}
function diagnosticsFileName(lastTickS) {
  const digits = dateOf(Math.floor(lastTickS)).toISOString().replace(/\D/g, "");
  return `planner_report_${digits.slice(0, 8)}_${digits.slice(8, 14)}_001.html`;
}
function* diagnosticsLog(snapshots, head) {
  let order = [];
  const sorted = (fields) => {
    const keys = Object.keys(fields);
    if (keys.length !== order.length) order = keys.sort();
    return `{${order.map((key) => `"${key}":${JSON.stringify(fields[key])}`).join()}}
`;
  };
  yield sorted({
    schema: "planner_diagnostics_snapshot_log_v1",
    kind: "metadata",
    generated_at_utc: head.generatedAtUtc,
    num_snapshots: snapshots.length,
    html_report_path: head.htmlReportPath,
    ttft_ms: head.ttftMs,
    itl_ms: head.itlMs
  });
  for (const snapshot of snapshots) {
    yield sorted({
      kind: "snapshot",
      timestamp_utc: utcStamp(snapshot.timestamp_s),
      ...snapshot
    });
  }
}

// lib/replay/planner_diagnostics.ts
async function writePlannerDiagnostics(planner, report, { kvCapacityTokens, nowMs }) {
  const { config, recorder } = planner;
  const section = report.planner;
  const wanted = config.report_interval_hours !== null || config.live_dashboard_port !== 0;
  if (!wanted || section === null || !recorder.capturesDetails || section.ticks.length === 0) return;
  const snapshots = diagnosticsSnapshots(section.ticks, recorder.latencies, {
    throughputIntervalSeconds: config.throughput_adjustment_interval_seconds,
    prefillGpusPerWorker: report.summary.prefill_gpus_per_worker,
    decodeGpusPerWorker: report.summary.decode_gpus_per_worker
  });
  const name = config.report_filename ?? diagnosticsFileName(section.ticks.at(-1).at_ms / 1e3);
  const path = joinPath(config.report_output_dir, name);
  host().makeDirectory(config.report_output_dir);
  const bounds = {
    ttftMs: config.ttft_ms,
    itlMs: config.itl_ms
  };
  const { diagnosticsPage } = await import(import.meta.resolve("./lib.analysis.diagnostics_page.js"));
  await writeFileAtomically(path, diagnosticsPage(snapshots, {
    ...bounds,
    kvCapacityTokens,
    cost: report.evaluation?.cost
  }));
  if (config.report_write_gzip_log) {
    const head = {
      ...bounds,
      htmlReportPath: path,
      generatedAtUtc: utcStamp(Math.floor(nowMs / 1e3))
    };
    const log = `${path.replace(/\.html$/, "")}.log.jsonl.gz`;
    await writeFileAtomically(log, [
      ...diagnosticsLog(snapshots, head)
    ].join(""), {
      gzip: true
    });
  }
  section.html_report_path = path;
}

// lib/replay/planner_autoscaler.ts
async function makeAutoscaler({ config, written = config }, context) {
  const planner = await makePlanner(config, written, context);
  const { recorder } = planner;
  return {
    policy: planner,
    planner,
    ticks: () => recorder.section().ticks,
    section: ({ lifecycle }) => recorder.section(lifecycle),
    async finish(report) {
      if (context.capture.diagnostics === false) return;
      const { rank } = context.pools[context.pools.length - 1].settings;
      const kvCapacityTokens = rank.blocks * rank.blockTokens;
      await writePlannerDiagnostics(planner, report, {
        kvCapacityTokens,
        nowMs: Date.now()
      });
    }
  };
}
export {
  makeAutoscaler
};
