import {
  run
} from "./retune.js";
import {
  kvRouter,
  readKvRouterConfig
} from "./router.js";
import {
  PLAIN_ROUTERS,
  RUN_OPTIONS,
  loadRequests,
  scriptedAutoscaler
} from "./core.js";
import {
  PRICE_OPTIONS,
  ROUTER_NAMES,
  SLA_OPTIONS,
  checkSla,
  parseLaunch,
  requestLines
} from "./config.js";
import {
  ConfigError,
  SimulationError,
  checkOptions,
  writeFileAtomically
} from "./base.js";

// lib/engine/launch/choices.ts
function launchMapping({ mapping }, { role = "aggregated", startupSeconds } = {}) {
  return {
    ...mapping,
    engine: {
      ...mapping.engine,
      worker_type: role
    },
    ...startupSeconds === void 0 ? {} : {
      startup_time: startupSeconds
    }
  };
}
function vllm(choices = {}) {
  return chosen("vllm", choices);
}
function sglang(choices = {}) {
  return chosen("sglang", choices);
}
function trtllm(choices = {}) {
  return chosen("trtllm", choices);
}
var CHOICES = {
  blocks: true,
  blockTokens: true,
  maxModelTokens: true,
  maxSequences: true,
  maxBatchedTokens: true,
  prefixCaching: true,
  chunkedPrefill: true,
  preemption: true,
  speedup: true,
  decodeSpeedup: true,
  attentionData: true,
  tensor: true,
  speculation: true,
  transfer: true,
  schedulePolicy: true,
  chunkedPrefillTokens: true,
  maxPrefillTokens: true
};
var SPECULATION = {
  depth: true,
  acceptRates: true,
  seed: true
};
var TRANSFER = {
  bytesPerToken: true,
  gigabytesPerSecond: true,
  timing: true
};
function chosen(backend, choices) {
  checkOptions(`${backend}()`, choices, CHOICES);
  const { speculation, transfer } = choices;
  if (speculation) checkOptions(`${backend}(): speculation`, speculation, SPECULATION);
  if (transfer) checkOptions(`${backend}(): transfer`, transfer, TRANSFER);
  const engine = given({
    backend,
    num_gpu_blocks: choices.blocks,
    block_size: choices.blockTokens,
    max_model_len: choices.maxModelTokens,
    max_num_seqs: choices.maxSequences,
    max_num_batched_tokens: choices.maxBatchedTokens,
    enable_prefix_caching: choices.prefixCaching,
    enable_chunked_prefill: choices.chunkedPrefill,
    preemption_mode: choices.preemption,
    speedup_ratio: choices.speedup,
    decode_speedup_ratio: choices.decodeSpeedup,
    aic_nextn: speculation?.depth,
    aic_nextn_accept_rates: speculation?.acceptRates?.join(","),
    aic_mtp_seed: speculation?.seed,
    kv_transfer_bytes_per_token: transfer?.bytesPerToken,
    kv_transfer_bandwidth: transfer?.gigabytesPerSecond,
    kv_transfer_timing_mode: transfer?.timing
  });
  const own = given({
    schedule_policy: choices.schedulePolicy,
    chunked_prefill_size: choices.chunkedPrefillTokens,
    max_prefill_tokens: choices.maxPrefillTokens
  });
  if (Object.keys(own).length > 0) engine.sglang = own;
  return {
    backend,
    mapping: given({
      engine,
      dp_size: choices.attentionData,
      tensor_parallel_size: choices.tensor
    })
  };
}
function given(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== void 0));
}

// lib/planner/options.ts
var NAMES = {
  target: "optimization_target",
  ttftMs: "ttft_ms",
  itlMs: "itl_ms",
  maxGpus: "max_gpu_budget",
  minGpus: "min_gpu_budget",
  minWorkers: "min_endpoint",
  prefillMinWorkers: "prefill_min_endpoint",
  decodeMinWorkers: "decode_min_endpoint",
  throughputScaling: "enable_throughput_scaling",
  loadScaling: "enable_load_scaling",
  throughputIntervalSeconds: "throughput_adjustment_interval_seconds",
  loadIntervalSeconds: "load_adjustment_interval_seconds",
  maxThroughputStep: "max_throughput_scaling_replicas",
  scalingDownSensitivity: "load_scaling_down_sensitivity",
  minObservations: "load_min_observations",
  maxSamples: "max_num_fpm_samples",
  sampleBuckets: "fpm_sample_bucket_size",
  tieSeed: "sample_tie_seed",
  predictor: "load_predictor",
  predictorLog1p: "load_predictor_log1p",
  prophetWindow: "prophet_window_size",
  kalmanLevelNoise: "kalman_q_level",
  kalmanTrendNoise: "kalman_q_trend",
  kalmanNoise: "kalman_r",
  kalmanMinPoints: "kalman_min_points",
  warmupTrace: "load_predictor_warmup_trace",
  prefillUpQueueTokens: "prefill_scale_up_queue_tokens",
  prefillDownQueueTokens: "prefill_scale_down_queue_tokens",
  decodeUpKvPercent: "decode_scale_up_kv_rate",
  decodeDownKvPercent: "decode_scale_down_kv_rate",
  advisory: "advisory",
  retune: "retune"
};
var OPTIONS = Object.fromEntries(Object.keys(NAMES).map((name) => [
  name,
  true
]));
function planner(choices = {}) {
  const config = {
    report_interval_hours: null,
    live_dashboard_port: 0
  };
  checkOptions("planner()", choices, OPTIONS);
  for (const [key, value] of Object.entries(choices)) {
    if (value !== void 0) config[NAMES[key]] = value;
  }
  return config;
}

// lib/replay/replay.ts
var POOL_OPTIONS = {
  replicas: true,
  engine: true,
  timing: true,
  startupSeconds: true
};
var SPLIT_OPTIONS = {
  prefill: true,
  decode: true
};
var { ready: _ready, ...PASSED_ON } = RUN_OPTIONS;
var OPTIONS2 = {
  ...PASSED_ON,
  cluster: true,
  router: true,
  planner: true,
  sla: true,
  price: true,
  maxVirtualMs: true,
  capturePerRequest: true,
  telemetryIntervalMs: true,
  blockTokens: true,
  concurrency: true,
  speedup: true
};
function checkReplayOptions(options) {
  checkOptions("replay()", options, OPTIONS2);
  const { cluster, sla, price } = options;
  if (sla) checkOptions("replay(): sla", sla, SLA_OPTIONS);
  if (price) checkOptions("replay(): price", price, PRICE_OPTIONS);
  if (cluster === void 0) return;
  if ("prefill" in cluster || "decode" in cluster) {
    const { prefill, decode } = cluster;
    checkOptions("replay(): cluster", {
      ...cluster,
      prefill,
      decode
    }, SPLIT_OPTIONS);
    checkPool("replay(): cluster.prefill", prefill);
    checkPool("replay(): cluster.decode", decode);
  } else checkPool("replay(): cluster", cluster);
}
function checkPool(of, pool) {
  checkOptions(of, pool, POOL_OPTIONS);
  const { engine, timing } = pool;
  if (engine !== void 0 && typeof engine?.mapping !== "object") {
    throw new ConfigError(`${of}.engine must be what vllm(), sglang() or trtllm() return`);
  }
  if (timing !== void 0 && typeof timing?.prefillMs !== "function") {
    throw new ConfigError(`${of}.timing must be a timing model, such as polynomial(), fixed() or operatorTiming() return`);
  }
}
function replay(source, options = {}) {
  checkReplayOptions(options);
  if (typeof source !== "object" || source === null || !("workload" in source || Symbol.asyncIterator in source)) {
    throw new ConfigError(`replay(): the source must be a stream of requests (see readTrace) or a load (see loadTrace), got ${typeof source === "string" ? `'${source}'` : typeof source}`);
  }
  const { cluster = {}, router, planner: planner2, sla, price, maxVirtualMs, capturePerRequest, telemetryIntervalMs } = options;
  const { blockTokens, concurrency, speedup, onWarning = warn } = options;
  const { onProgress, onResolved, signal, mostParallel, hostMs, shared } = options;
  const pools = "prefill" in cluster ? [
    [
      "prefill",
      cluster.prefill
    ],
    [
      "decode",
      cluster.decode
    ]
  ] : [
    [
      "aggregated",
      cluster
    ]
  ];
  const scripted = isPolicy(planner2), mode = pools.length === 1 ? "agg" : "disagg";
  const retunes = planner2 && !scripted && planner2.retune != null;
  return run({
    roles: pools.map(([role, choices]) => roleSpec(role, choices)),
    router: typeof router === "function" ? null : router,
    autoscaler: planner2 && !scripted ? {
      kind: "planner",
      config: {
        mode,
        ...planner2
      },
      written: planner2
    } : null,
    sla,
    price,
    maxVirtualMs,
    capture: {
      perRequest: capturePerRequest ?? true,
      telemetryIntervalMs
    }
  }, {
    onProgress,
    onResolved,
    signal,
    mostParallel,
    hostMs,
    shared,
    onWarning,
    ready: {
      traffic: "workload" in source ? source : () => {
        if (retunes) throw new ConfigError("a retune needs a trace file: use loadTrace, runTraceReplay or predict");
        return loadRequests(source, {
          blockTokens,
          concurrency,
          speedup
        });
      },
      router: typeof router === "function" ? router : void 0,
      autoscaler: scripted ? scriptedAutoscaler(planner2) : void 0,
      timings: pools.map(([, { timing }]) => timing)
    }
  });
}
var isPolicy = (planner2) => typeof planner2?.onTick === "function";
function roleSpec(role, { replicas = 1, engine = vllm(), timing, startupSeconds }) {
  return {
    role,
    replicas,
    launch: withRanksOf(timing, launchMapping(engine, {
      role,
      startupSeconds
    }))
  };
}
function withRanksOf(timing, mapping) {
  if (timing?.ranks === void 0) return mapping;
  const { tensor, attentionData } = timing.ranks;
  const own = {
    ...mapping
  };
  for (const [key, option, size] of [
    [
      "tensor_parallel_size",
      "tensor",
      tensor
    ],
    [
      "dp_size",
      "attentionData",
      attentionData
    ]
  ]) {
    if (own[key] !== void 0 && own[key] !== size) {
      const message = `the engine has ${option} ${own[key]}, but its timing is of a deployment with ${option} ${size}`;
      throw new ConfigError(message, [
        {
          path: option,
          message
        }
      ]);
    }
    if (size !== 1) own[key] = size;
  }
  return own;
}
var warn = (message) => console.warn(`dynosim: ${message}`);

// lib/router/spec.ts
var REPLAY_ROUTER_OPTIONS = {
  routerMode: true,
  routerConfig: true,
  kvEventLagMs: true
};
function routerSpecOf(options = {}) {
  checkOptions("routerSpecOf()", options, REPLAY_ROUTER_OPTIONS);
  const { routerMode: policy = "round_robin", routerConfig, kvEventLagMs } = options;
  if (!ROUTER_NAMES.includes(policy)) {
    throw wrong("router_mode", `router_mode must be either 'round_robin' or 'kv_router', got '${policy}'`);
  }
  if (policy !== "kv_router") {
    if (kvEventLagMs !== void 0) {
      throw wrong("kv_event_lag_ms", "kv_event_lag_ms only supports router_mode='kv_router'");
    }
    const given2 = routerConfig !== void 0 && routerConfig !== null;
    return {
      spec: {
        policy
      },
      warnings: given2 ? [
        `router_config has no effect: router_mode is ${policy}`
      ] : []
    };
  }
  const { settings: { profile: _, seed: __, ...settings }, policyFile, withoutEffect } = readKvRouterConfig(routerConfig ?? {});
  return {
    spec: {
      policy,
      settings: {
        ...settings,
        ...kvEventLagMs === void 0 ? {} : {
          kvEventLagMs
        }
      },
      ...policyFile === null ? {} : {
        policyFile
      }
    },
    warnings: withoutEffect
  };
}
var wrong = (path, message) => new ConfigError(message, [
  {
    path,
    message
  }
]);

// lib/replay/replay_options.ts
var CALL_OPTIONS = {
  extraEngineArgs: true,
  prefillEngineArgs: true,
  decodeEngineArgs: true,
  routerMode: true,
  routerConfig: true,
  kvEventLagMs: true,
  numWorkers: true,
  numPrefillWorkers: true,
  numDecodeWorkers: true,
  slaTtftMs: true,
  slaItlMs: true,
  slaE2eMs: true,
  price: true,
  plannerConfig: true,
  capturePlannerDetails: true,
  capturePerRequest: true,
  captureTelemetry: true,
  telemetrySampleIntervalMs: true,
  reportJsonlPath: true,
  onProgress: true,
  onWarning: true,
  onStart: true,
  signal: true
};
var TRACE_OPTIONS = {
  ...CALL_OPTIONS,
  traceFormat: true,
  traceBlockSize: true,
  arrivalSpeedupRatio: true,
  replayConcurrency: true,
  agenticLanes: true,
  executionModel: true,
  traceSharedPrefixRatio: true,
  traceNumPrefixGroups: true,
  maxSimTimeMs: true
};
var SYNTHETIC_OPTIONS = {
  ...CALL_OPTIONS,
  replayConcurrency: true,
  requestRate: true,
  arrivalIntervalMs: true,
  arrivalSeed: true,
  arrivalSpeedupRatio: true,
  turnsPerSession: true,
  sharedPrefixRatio: true,
  numPrefixGroups: true,
  interTurnDelayMs: true
};
var COUNTS = [
  "numWorkers",
  "numPrefillWorkers",
  "numDecodeWorkers",
  "replayConcurrency",
  "traceBlockSize",
  "agenticLanes",
  "traceNumPrefixGroups",
  "turnsPerSession",
  "numPrefixGroups"
];
function checkTraceOptions(options) {
  checkNames("runTraceReplay()", options, TRACE_OPTIONS);
  const { maxSimTimeMs, traceFormat = "mooncake" } = options;
  if (maxSimTimeMs !== void 0 && !(Number.isFinite(maxSimTimeMs) && maxSimTimeMs >= 0)) {
    throw new ConfigError("max_sim_time_ms must be a finite, non-negative value");
  }
  checkSpeedupCounts(options);
  if (traceFormat === "applied_compute_agentic") return;
  for (const name of [
    "traceSharedPrefixRatio",
    "traceNumPrefixGroups"
  ]) {
    if (options[name] !== void 0) {
      throw new ConfigError(`${snake(name)} has no effect with trace_format='${traceFormat}'`);
    }
  }
}
function checkSyntheticOptions(options) {
  checkNames("runSyntheticTraceReplay()", options, SYNTHETIC_OPTIONS);
  checkSpeedupCounts(options);
  if (options.arrivalSeed !== void 0 && options.requestRate === void 0) {
    throw new ConfigError("arrival_seed has no effect without request_rate");
  }
}
function checkNames(of, options, known) {
  checkOptions(of, options, known);
  for (const [name, value] of Object.entries(options)) {
    if (COUNTS.includes(name) && value !== void 0 && !(Number.isInteger(value) || value < 1)) {
      throw new ConfigError(`${snake(name)} must be a whole number, got ${value}`);
    }
  }
}
function checkSpeedupCounts({ replayConcurrency, arrivalSpeedupRatio }) {
  if (replayConcurrency !== void 0 && arrivalSpeedupRatio !== void 0 && arrivalSpeedupRatio !== 1) {
    throw new ConfigError("arrival_speedup_ratio has no effect with replay_concurrency");
  }
}
var snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

// lib/replay/run_trace_replay.ts
async function runTraceReplay(files, options = {}) {
  return await reported(await traceReplaySpec(files, options), options);
}
async function traceReplaySpec(files, options = {}) {
  checkTraceOptions(options);
  return await callSpec(options, {
    type: "trace",
    paths: files,
    format: options.traceFormat,
    blockTokens: options.traceBlockSize,
    speedup: options.arrivalSpeedupRatio,
    concurrency: options.replayConcurrency,
    lanes: options.agenticLanes,
    model: options.executionModel,
    sharedPrefixRatio: options.traceSharedPrefixRatio,
    prefixGroups: options.traceNumPrefixGroups
  }, options.maxSimTimeMs);
}
async function runSyntheticTraceReplay(inputTokens, outputTokens, requestCount, options = {}) {
  checkSyntheticOptions(options);
  const spec = await callSpec(options, {
    type: "synthetic",
    inputTokens,
    outputTokens,
    count: requestCount,
    concurrency: options.replayConcurrency,
    requestsPerSecond: options.requestRate,
    arrivalIntervalMs: options.arrivalIntervalMs,
    seed: options.arrivalSeed,
    speedup: options.arrivalSpeedupRatio,
    turns: options.turnsPerSession,
    sharedPrefixRatio: options.sharedPrefixRatio,
    prefixGroups: options.numPrefixGroups,
    interTurnDelayMs: options.interTurnDelayMs
  });
  return await reported(spec, options);
}
async function reported(spec, options) {
  const { onProgress, onStart, onWarning = warn2, signal, reportJsonlPath } = options;
  const started = run(spec, {
    onProgress,
    onWarning,
    signal
  });
  onStart?.(started);
  const report = await started.report;
  if (reportJsonlPath !== void 0) await writeFileAtomically(reportJsonlPath, requestLines(report));
  return report;
}
var warn2 = (message) => console.warn(`dynosim: ${message}`);
async function callSpec(options, traffic, maxVirtualMs) {
  if (options.telemetrySampleIntervalMs !== void 0 && !options.captureTelemetry) {
    throw new ConfigError("telemetry_sample_interval_ms has no effect without capture_telemetry");
  }
  if (options.capturePlannerDetails !== void 0 && options.plannerConfig === void 0) {
    throw new ConfigError("capture_planner_details has no effect without planner_config");
  }
  const { routerMode = "round_robin", routerConfig, kvEventLagMs } = options;
  if (routerMode !== "kv_router" && routerConfig !== void 0) {
    throw new ConfigError(`router_config has no effect with router_mode='${routerMode}'`);
  }
  const { spec: router, warnings } = routerSpecOf({
    routerMode,
    routerConfig,
    kvEventLagMs
  });
  const { onWarning = warn2 } = options;
  for (const warning of warnings) onWarning(warning);
  const spec = {
    traffic,
    roles: roleSpecs(options),
    router,
    sla: slaOf(options),
    price: options.price ?? null,
    maxVirtualMs,
    capture: {
      perRequest: options.capturePerRequest || options.reportJsonlPath !== void 0,
      telemetryIntervalMs: options.captureTelemetry ? options.telemetrySampleIntervalMs ?? 1e3 : null,
      plannerDetails: options.capturePlannerDetails
    }
  };
  if (options.plannerConfig === void 0) return spec;
  const { readPlannerConfig: readPlannerConfig2 } = await import(import.meta.resolve("./lib.config.planner_source.js"));
  const config = await readPlannerConfig2(options.plannerConfig);
  if (config.retune != null) await checkRetune(config, traffic, options, maxVirtualMs);
  return {
    ...spec,
    autoscaler: {
      kind: "planner",
      config
    }
  };
}
async function checkRetune(config, traffic, { routerMode = "round_robin", routerConfig }, maxVirtualMs) {
  const [{ parsePlannerConfig: parsePlannerConfig2 }, { readRetune: readRetune2 }, { replayIssues }] = await Promise.all([
    import(import.meta.resolve("./lib.planner.config.js")),
    import(import.meta.resolve("./lib.config.retune_mapping.js")),
    import(import.meta.resolve("./lib.retune.requirements.js"))
  ]);
  const issues = replayIssues({
    traceFormat: traffic.type === "trace" ? traffic.format ?? null : null,
    replayConcurrency: traffic.concurrency !== void 0,
    agenticOptions: traffic.type === "trace" && traffic.lanes !== void 0 ? [
      "agentic_lanes"
    ] : [],
    maxSimTime: maxVirtualMs !== void 0,
    routerMode,
    routerConfig: routerConfig !== void 0,
    searchesRouter: readRetune2(parsePlannerConfig2(config)).router !== null
  });
  if (issues.length > 0) throw new ConfigError(issues.map(({ message }) => message).join("\n"), issues);
}
function slaOf({ slaTtftMs, slaItlMs, slaE2eMs }) {
  if (slaTtftMs === void 0 && slaItlMs === void 0 && slaE2eMs === void 0) return null;
  const sla = {
    ttftMs: slaTtftMs,
    itlMs: slaItlMs,
    e2eMs: slaE2eMs
  };
  checkSla(sla);
  return sla;
}
function roleSpecs(options) {
  const { extraEngineArgs, prefillEngineArgs, decodeEngineArgs, numWorkers, numPrefillWorkers, numDecodeWorkers } = options;
  const split = prefillEngineArgs !== void 0 || decodeEngineArgs !== void 0;
  if (split && extraEngineArgs !== void 0) {
    throw new ConfigError("extra_engine_args cannot be combined with prefill_engine_args/decode_engine_args");
  }
  if (split && (prefillEngineArgs === void 0 || decodeEngineArgs === void 0)) {
    throw new ConfigError("prefill_engine_args and decode_engine_args must be provided together");
  }
  if (split && (numWorkers ?? 1) !== 1) {
    throw new ConfigError("num_workers is only used for aggregated replay; use num_prefill_workers and num_decode_workers for disagg replay");
  }
  if (!split && ((numPrefillWorkers ?? 1) !== 1 || (numDecodeWorkers ?? 1) !== 1)) {
    throw new ConfigError("num_prefill_workers and num_decode_workers are only used for disagg replay; use num_workers for aggregated replay");
  }
  if (!split) {
    const launch = extraEngineArgs ?? {}, settings = parseLaunch(launch);
    const { role } = settings.rank;
    if (role !== "aggregated") {
      throw new ConfigError(`offline replay only supports aggregated workers, got ${capital(role)}`);
    }
    return [
      roleSpec2("aggregated", launch, settings, numWorkers)
    ];
  }
  const prefill = parseLaunch(prefillEngineArgs), decode = parseLaunch(decodeEngineArgs);
  checkPair(prefill, decode);
  return [
    roleSpec2("prefill", prefillEngineArgs, prefill, numPrefillWorkers),
    roleSpec2("decode", decodeEngineArgs, decode, numDecodeWorkers)
  ];
}
var roleSpec2 = (role, launch, settings, replicas = 1) => ({
  role,
  replicas,
  launch,
  estimator: estimatorOf(settings)
});
function checkPair(prefill, decode) {
  for (const [name, { rank }] of [
    [
      "prefill",
      prefill
    ],
    [
      "decode",
      decode
    ]
  ]) {
    if (rank.role !== name) {
      throw new ConfigError(`offline disaggregated replay requires ${name}_engine_args.worker_type=${name}, got ${capital(rank.role)}`);
    }
  }
  if (prefill.rank.blockTokens !== decode.rank.blockTokens) {
    throw new ConfigError(`offline disaggregated replay requires matching prefill/decode block_size, got ${prefill.rank.blockTokens} and ${decode.rank.blockTokens}`);
  }
  if (prefill.rank.backend !== decode.rank.backend) {
    throw new ConfigError("offline disaggregated replay requires matching backend engine types");
  }
}
var capital = (word) => word[0].toUpperCase() + word.slice(1);
function estimatorOf({ rank, dpSize, tensorParallel }) {
  if (rank.timing.type !== "external") return null;
  return {
    backend: rank.backend,
    backend_version: null,
    worker_type: rank.role,
    tp: tensorParallel,
    pp: 1,
    attention_dp: dpSize,
    kv_block_size: rank.blockTokens,
    nextn: rank.acceptRates?.length ?? 0,
    gemm_quant_mode: null,
    moe_quant_mode: null,
    kvcache_quant_mode: null,
    fmha_quant_mode: null,
    comm_quant_mode: null,
    database_mode: "SILICON",
    transfer_policy: null,
    ...rank.timing.config
  };
}

// lib/router/registry.ts
var ROUTERS = {
  ...PLAIN_ROUTERS,
  kv_router: kvRouter
};

// lib/timing/aic/step_estimates.ts
var MIXED_STEP = {
  contextTokens: true,
  decodes: true,
  inputLength: true,
  outputLength: true,
  prefix: true
};
var STRIDE = 32;
function promptMs(model, requests, inputLength, prefix = 0) {
  if (prefix >= inputLength) {
    throw new SimulationError(`the prefix (${prefix}) must be shorter than the input (${inputLength})`);
  }
  return model.contextMs(requests, inputLength - prefix, prefix);
}
function generationRunMs(model, batch, inputLength, outputLength) {
  let sum = 0;
  for (let i = 0; i < outputLength - 1; i += STRIDE) {
    const steps = Math.min(STRIDE, outputLength - 1 - i);
    sum += model.generationMs(batch * (model.nextn + 1), inputLength + i + 1) * steps;
  }
  return sum;
}
function decodeStepMs(model, decodes, inputLength, outputLength) {
  const known = Math.max(inputLength, 1) + Math.floor(Math.max(outputLength, 1) / 2) + 1;
  return model.generationMs(decodes * (model.nextn + 1), known);
}
function mixedStepMs(model, step, scales = {}) {
  checkOptions("mixedStepMs(): step", step, MIXED_STEP);
  checkOptions("mixedStepMs(): scales", scales, {
    context: true,
    generation: true
  });
  const { contextTokens, inputLength, outputLength, prefix = 0 } = step;
  if (contextTokens === 0 && step.decodes === 0) return 0;
  const decodes = step.decodes * (model.nextn + 1);
  const all = contextTokens + decodes;
  const cached = prefix * Math.floor(contextTokens / inputLength);
  if (all <= cached) {
    throw new SimulationError(`a mixed step of ${all} tokens must compute more than its prefixes (${cached})`);
  }
  const parts = model.mixedParts(all - cached, cached, contextTokens > 0 ? {
    batch: Math.ceil(contextTokens / inputLength),
    seq: inputLength - prefix,
    prefix,
    scale: scales.context ?? 1
  } : null, step.decodes > 0 ? {
    batch: decodes,
    seq: inputLength + Math.floor(outputLength / 2) + 1,
    scale: scales.generation ?? 1
  } : null);
  const contextMs = contextTokens > 0 ? parts.context / Math.ceil(inputLength / contextTokens) : 0;
  return parts.others + contextMs + parts.generation;
}

export {
  vllm,
  sglang,
  trtllm,
  planner,
  replay,
  routerSpecOf,
  runTraceReplay,
  traceReplaySpec,
  runSyntheticTraceReplay,
  ROUTERS,
  promptMs,
  generationRunMs,
  decodeStepMs,
  mixedStepMs
};
