import {
  Flow,
  readWarmupTrace
} from "./traces.js";
import {
  Arrivals,
  Kept,
  KeptList,
  Running,
  TimestampQueue,
  chunkedSeconds,
  emptyPass,
  emptyPassRow,
  missShare,
  passSeconds
} from "./core.js";
import {
  DEFAULT_SETTINGS,
  TrafficForecaster,
  bucketSeries,
  createPredictor,
  gateway,
  mulberry32,
  predictors,
  recordedHistory,
  runBatch,
  sha256OfFile,
  threads
} from "./shared.js";
import {
  Metrics,
  OBJECTIVES,
  Observations,
  PREDICTOR_PRESETS,
  ROLES,
  ROUTER_KNOBS,
  nonDraining,
  orderedByWorker,
  parseLaunch
} from "./config.js";
import {
  PerfCatalog,
  findModel,
  loadModel,
  sha256
} from "./timing.js";
import {
  BACKENDS,
  ConfigError,
  TraceError,
  array,
  boolean,
  check,
  checkOptions,
  finite,
  getDotPath,
  host,
  instance,
  lazy,
  literal,
  minLength,
  minValue,
  nearName,
  nullable,
  nullish,
  number,
  object,
  optional,
  partial,
  picklist,
  pipe,
  rawTransform,
  reason,
  record,
  safeInteger,
  safeParse,
  strictObject,
  string,
  union,
  unknown,
  variant
} from "./base.js";

// lib/planner/lax_fields.ts
function field(convert) {
  return pipe(unknown(), rawTransform(({ dataset, addIssue, NEVER }) => {
    try {
      return convert(dataset.value);
    } catch (problem) {
      addIssue({
        message: String(problem.message)
      });
      return NEVER;
    }
  }));
}
function fail(message) {
  throw new Error(message);
}
function check2(value, { above, atLeast: atLeast2, atMost, finite: finite3 }) {
  if (finite3 && !Number.isFinite(value)) fail("Input should be a finite number");
  if (above !== void 0 && !(value > above)) fail(`Input should be greater than ${above}`);
  if (atLeast2 !== void 0 && !(value >= atLeast2)) fail(`Input should be greater than or equal to ${atLeast2}`);
  if (atMost !== void 0 && !(value <= atMost)) fail(`Input should be less than or equal to ${atMost}`);
  return value;
}
function int(bounds = {}) {
  return field((input) => {
    if (typeof input === "boolean") return check2(Number(input), bounds);
    if (typeof input === "string") {
      if (!/^\s*[+-]?\d+(_\d+)*(\.0+)?\s*$/.test(input)) {
        fail("Input should be a valid integer, unable to parse string as an integer");
      }
      return check2(Number(input.replaceAll("_", "")), bounds);
    }
    if (typeof input !== "number") fail("Input should be a valid integer");
    if (!Number.isFinite(input)) fail("Input should be a finite number");
    if (!Number.isInteger(input)) fail("Input should be a valid integer, got a number with a fractional part");
    return check2(input, bounds);
  });
}
function float(bounds = {}) {
  return field((input) => {
    if (typeof input === "boolean") return check2(Number(input), bounds);
    if (typeof input === "string") {
      const value = input.trim() === "" ? NaN : Number(input);
      if (Number.isNaN(value)) fail("Input should be a valid number, unable to parse string as a number");
      return check2(value, bounds);
    }
    if (typeof input !== "number") fail("Input should be a valid number");
    return check2(input, bounds);
  });
}
function bool() {
  return field((input) => {
    if (typeof input === "boolean") return input;
    if (input === 0 || input === 1) return input === 1;
    if (typeof input === "string") {
      const word = input.toLowerCase();
      if ([
        "true",
        "t",
        "yes",
        "y",
        "on",
        "1"
      ].includes(word)) return true;
      if ([
        "false",
        "f",
        "no",
        "n",
        "off",
        "0"
      ].includes(word)) return false;
      fail("Input should be a valid boolean, unable to interpret input");
    }
    return fail("Input should be a valid boolean");
  });
}
function text() {
  return field((input) => typeof input === "string" ? input : fail("Input should be a valid string"));
}
function choice(words) {
  return field((input) => words.find((word) => word === input) ?? fail(`Input should be ${listed(words.map((word) => `'${word}'`))}`));
}
function listed(items) {
  return items.length < 2 ? items.join() : `${items.slice(0, -1).join(", ")} or ${items[items.length - 1]}`;
}
function orNull(schema) {
  return nullish(schema, null);
}
function withDefault(schema, value) {
  return optional(schema, value);
}

// lib/planner/config_fields.ts
var fields = {
  mode: withDefault(choice([
    "disagg",
    "prefill",
    "decode",
    "agg"
  ]), "disagg"),
  optimization_target: withDefault(choice([
    "throughput",
    "latency",
    "load",
    "sla"
  ]), "throughput"),
  enable_throughput_scaling: withDefault(bool(), true),
  enable_load_scaling: withDefault(bool(), false),
  throughput_adjustment_interval_seconds: withDefault(int(), DEFAULT_SETTINGS.throughput_adjustment_interval_seconds),
  load_adjustment_interval_seconds: withDefault(int({
    above: 0
  }), 5),
  max_throughput_scaling_replicas: withDefault(int({
    above: 0
  }), 8),
  max_gpu_budget: withDefault(int({
    atLeast: -1
  }), 8),
  min_gpu_budget: withDefault(int({
    atLeast: -1
  }), -1),
  min_endpoint: withDefault(int({
    atLeast: 0
  }), 1),
  prefill_min_endpoint: orNull(int({
    atLeast: 1
  })),
  decode_min_endpoint: orNull(int({
    atLeast: 1
  })),
  ttft_ms: withDefault(float({
    above: 0,
    finite: true
  }), 500),
  itl_ms: withDefault(float({
    above: 0,
    finite: true
  }), 50),
  load_predictor: withDefault(choice(Object.keys(predictors)), "arima"),
  load_predictor_log1p: withDefault(bool(), DEFAULT_SETTINGS.load_predictor_log1p),
  prophet_window_size: withDefault(int({
    above: 0
  }), DEFAULT_SETTINGS.prophet_window_size),
  kalman_q_level: withDefault(float({
    atLeast: 0,
    finite: true
  }), DEFAULT_SETTINGS.kalman_q_level),
  kalman_q_trend: withDefault(float({
    atLeast: 0,
    finite: true
  }), DEFAULT_SETTINGS.kalman_q_trend),
  kalman_r: withDefault(float({
    atLeast: 0,
    finite: true
  }), DEFAULT_SETTINGS.kalman_r),
  kalman_min_points: withDefault(int({
    above: 0
  }), DEFAULT_SETTINGS.kalman_min_points),
  load_predictor_warmup_trace: orNull(text()),
  max_num_fpm_samples: withDefault(int({
    above: 0
  }), 64),
  fpm_sample_bucket_size: withDefault(int({
    above: 0
  }), 16),
  sample_tie_seed: orNull(int({
    atLeast: 0
  })),
  load_scaling_down_sensitivity: withDefault(int({
    atLeast: 0,
    atMost: 100
  }), 80),
  load_min_observations: withDefault(int(), 5),
  prefill_scale_up_queue_tokens: orNull(int({
    atLeast: 0
  })),
  prefill_scale_down_queue_tokens: orNull(int({
    atLeast: 0
  })),
  decode_scale_up_kv_rate: orNull(float({
    atLeast: 0,
    atMost: 100
  })),
  decode_scale_down_kv_rate: orNull(float({
    atLeast: 0,
    atMost: 100
  })),
  speculative_nextn: withDefault(int({
    atLeast: 0
  }), 0),
  prefill_engine_num_gpu: orNull(int()),
  decode_engine_num_gpu: orNull(int()),
  advisory: withDefault(bool(), false),
  report_interval_hours: optional(nullable(float()), 24),
  report_output_dir: withDefault(text(), "./planner_reports"),
  report_filename: orNull(text()),
  report_write_gzip_log: withDefault(bool(), true),
  live_dashboard_port: withDefault(int(), 8080)
};
var ALIASES = {
  throughput_adjustment_interval: "throughput_adjustment_interval_seconds",
  load_adjustment_interval: "load_adjustment_interval_seconds",
  ttft: "ttft_ms",
  itl: "itl_ms"
};
var LIVE_FIELDS = [
  "pre_deployment_sweeping_mode",
  "environment",
  "backend",
  "log_dir",
  "control_api_port",
  "profile_results_dir",
  "aic_interpolation",
  "ais_perf_model",
  "throughput_metrics_source",
  "model_name",
  "namespace",
  "no_operation",
  "global_planner_namespace",
  "enable_power_awareness",
  "total_gpu_power_limit",
  "plugin_registration"
];
var plannerFields = object(fields);
function keysWithoutEffect(input) {
  const known = /* @__PURE__ */ new Set([
    ...Object.keys(fields),
    ...Object.keys(ALIASES),
    "scheduling",
    "retune",
    "batch_scheduling"
  ]);
  const others = Object.keys(input).filter((key) => !known.has(key));
  const isLive = (key) => LIVE_FIELDS.includes(key) || key.startsWith("metric_");
  return {
    unknown: others.filter((key) => !isLive(key)),
    live: others.filter(isLive)
  };
}
var plannerConfigKeys = [
  ...Object.keys(fields),
  "scheduling",
  "retune"
];

// lib/planner/config.ts
function isRetuneOnly(config) {
  return config.retune !== null && !config.enable_load_scaling && !config.enable_throughput_scaling;
}
function parsePlannerConfig(input) {
  const given = isMapping(input) ? input : fail2([
    {
      path: "",
      message: "Input should be a valid dictionary"
    }
  ]);
  if ("aic_perf_model" in given) {
    failRule("aic_perf_model is no longer accepted; the performance model comes from the engine's timing");
  }
  const named2 = Object.fromEntries(Object.entries(given).map(([key, value]) => [
    Object.hasOwn(ALIASES, key) ? ALIASES[key] : key,
    value
  ]));
  const result = safeParse(plannerFields, named2);
  if (!result.success) {
    fail2(result.issues.map((issue) => ({
      path: getDotPath(issue) ?? "",
      message: issue.message
    })));
  }
  const retune2 = isMapping(given.retune) ? given.retune : null;
  if (given.retune !== void 0 && given.retune !== null && !retune2) {
    fail2([
      {
        path: "retune",
        message: "Input should be a valid dictionary"
      }
    ]);
  }
  const config = normalised(result.output, named2, retune2);
  checkRules(config, named2);
  return config;
}
function normalised(checked, given, retune2) {
  const easy = checked.optimization_target !== "sla";
  const off = (key) => given[key] !== void 0 && !checked[key];
  const retuneOnly = retune2 !== null && off("enable_load_scaling") && off("enable_throughput_scaling");
  const modes = easy && !retuneOnly ? {
    enable_load_scaling: true,
    enable_throughput_scaling: false
  } : {};
  const both = {
    ...checked,
    ...modes
  };
  return {
    ...both,
    scheduling: {
      scale_interval_seconds: scaleInterval(both, given.scheduling)
    },
    retune: retune2
  };
}
function scaleInterval(config, scheduling) {
  const given = isMapping(scheduling) ? scheduling.scale_interval_seconds : void 0;
  if (given !== void 0 && given !== null) {
    const seconds = safeParse(float({
      above: 0
    }), given);
    if (!seconds.success) {
      fail2([
        {
          path: "scheduling.scale_interval_seconds",
          message: seconds.issues[0].message
        }
      ]);
    }
    return seconds.output;
  }
  const load = config.load_adjustment_interval_seconds * 1e3;
  const throughput = config.throughput_adjustment_interval_seconds * 1e3;
  return (config.enable_throughput_scaling && throughput > 0 ? greatestCommonDivisor(load, throughput) : load) / 1e3;
}
function greatestCommonDivisor(a, b) {
  while (b !== 0) [a, b] = [
    b,
    a % b
  ];
  return a;
}
function bothWrittenOff(checked, given) {
  const keys = [
    "enable_load_scaling",
    "enable_throughput_scaling"
  ];
  return keys.every((key) => given[key] !== void 0 && !checked[key]);
}
function checkRules(config, given) {
  const { mode, optimization_target: target } = config;
  const load = config.load_adjustment_interval_seconds;
  const throughput = config.throughput_adjustment_interval_seconds;
  if (mode === "prefill" && config.decode_min_endpoint !== null) {
    failRule("decode_min_endpoint is not supported when mode='prefill'");
  }
  if (mode === "decode" && config.prefill_min_endpoint !== null) {
    failRule("prefill_min_endpoint is not supported when mode='decode'");
  }
  if (mode === "agg" && (config.prefill_min_endpoint !== null || config.decode_min_endpoint !== null)) {
    failRule("prefill_min_endpoint and decode_min_endpoint are not supported when mode='agg'; use min_endpoint");
  }
  const hours = config.report_interval_hours;
  if (hours !== null && !(Number.isFinite(hours) && hours > 0)) {
    failRule("report_interval_hours must be a positive finite number or None");
  }
  const bins = Math.round(Math.sqrt(config.fpm_sample_bucket_size));
  if (bins * bins !== config.fpm_sample_bucket_size) {
    failRule(`fpm_sample_bucket_size must be a perfect square, got ${config.fpm_sample_bucket_size}`);
  }
  if (given.enable_power_awareness === true) {
    failRule("enable_power_awareness is not supported in a replay; leave it off");
  }
  if (target === "load") checkLoadThresholds(config);
  const allOff = !config.enable_load_scaling && !config.enable_throughput_scaling;
  if (allOff && !(config.retune !== null && bothWrittenOff(config, given))) {
    failRule("At least one scaling mode must be enabled (enable_throughput_scaling or enable_load_scaling)");
  }
  if (config.enable_throughput_scaling && throughput <= 0) {
    failRule("throughput_adjustment_interval_seconds must be > 0 when throughput scaling is enabled");
  }
  const divides = (interval) => {
    const ratio = interval / config.scheduling.scale_interval_seconds;
    return Math.abs(ratio - Math.round(ratio)) <= 1e-9 && Math.round(ratio) >= 1;
  };
  if (!divides(load) || config.enable_throughput_scaling && !divides(throughput)) {
    failRule("scheduling.scale_interval_seconds must evenly divide load_adjustment_interval_seconds and, when throughput scaling is enabled, throughput_adjustment_interval_seconds");
  }
  if (config.enable_load_scaling && config.enable_throughput_scaling && load >= throughput) {
    failRule(`load_adjustment_interval_seconds (${load}s) must be shorter than throughput_adjustment_interval_seconds (${throughput}s). Load-based scaling is the fast reactive loop; throughput-based is the slow predictive loop.`);
  }
  const batch = given.batch_scheduling;
  if (isMapping(batch) && batch.enabled === true && !config.advisory) {
    failRule("batch_scheduling is not simulated; set batch_scheduling.enabled: false (or advisory: true)");
  }
}
function checkLoadThresholds(config) {
  const { mode } = config;
  const queueUp = config.prefill_scale_up_queue_tokens, queueDown = config.prefill_scale_down_queue_tokens;
  const kvUp = config.decode_scale_up_kv_rate, kvDown = config.decode_scale_down_kv_rate;
  if (mode === "disagg" || mode === "prefill") {
    if (queueUp === null || queueDown === null) {
      failRule("optimization_target='load' requires prefill_scale_up_queue_tokens and prefill_scale_down_queue_tokens for prefill scaling");
    }
    if (queueUp <= queueDown) {
      failRule("prefill_scale_up_queue_tokens must be greater than prefill_scale_down_queue_tokens");
    }
  }
  if (mode !== "prefill") {
    if (kvUp === null || kvDown === null) {
      failRule("optimization_target='load' requires decode_scale_up_kv_rate and decode_scale_down_kv_rate for decode scaling");
    }
    if (kvUp <= kvDown) failRule("decode_scale_up_kv_rate must be greater than decode_scale_down_kv_rate");
  }
}
function isMapping(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function fail2(issues) {
  const count3 = issues.length === 1 ? "1 validation error" : `${issues.length} validation errors`;
  const blocks = issues.map(({ path, message }) => `${path === "" ? "" : `${path}
`}  ${message}`);
  throw new ConfigError(`${count3} for PlannerConfig
${blocks.join("\n")}`, issues);
}
function failRule(message) {
  throw new ConfigError(`1 validation error for PlannerConfig
  Value error, ${message}`, [
    {
      path: "",
      message
    }
  ]);
}

// lib/retune/in_vain.ts
function withoutVainSearches(settings, run2) {
  const left = [];
  let { router: router2, planner } = settings;
  if (planner?.load_scaling_down_sensitivity && run2.target !== "sla") {
    planner = {
      ...planner,
      load_scaling_down_sensitivity: null
    };
    left.push(`planner.load_scaling_down_sensitivity is not searched: target ${run2.target} has thresholds of its own`);
  }
  if (router2 && router2.overlap_score_credit.length > 1 && !run2.prefixCaching) {
    router2 = {
      ...router2,
      overlap_score_credit: router2.overlap_score_credit.slice(0, 1)
    };
    left.push("router.overlap_score_credit is not searched: prefix caching is off, nothing overlaps");
  }
  return [
    {
      ...settings,
      router: router2,
      planner
    },
    left
  ];
}
var searchesNothing = ({ router: router2, planner }) => router2 === null && !planner?.load_scaling_down_sensitivity && !planner?.load_predictor;

// lib/retune/candidates.ts
function product(lists) {
  return lists.reduce((rows, list) => rows.flatMap((row) => list.map((value) => [
    ...row,
    value
  ])), [
    []
  ]);
}
function gridPoints({ router: router2, planner }) {
  const sensitivity = planner?.load_scaling_down_sensitivity ?? null;
  const knobs2 = router2 ? ROUTER_KNOBS.map((knob) => router2[knob]) : [];
  return product([
    ...knobs2,
    ...sensitivity ? [
      sensitivity
    ] : []
  ]).map((values) => ({
    router: router2 ? Object.fromEntries(ROUTER_KNOBS.map((knob, i) => [
      knob,
      values[i]
    ])) : null,
    planner: sensitivity ? {
      load_scaling_down_sensitivity: values.at(-1)
    } : {}
  }));
}
function predictorFields(config) {
  const { load_predictor, load_predictor_log1p } = config;
  const fields3 = {
    load_predictor,
    load_predictor_log1p
  };
  if (load_predictor === "prophet") fields3.prophet_window_size = config.prophet_window_size;
  if (load_predictor === "kalman") {
    const { kalman_q_level, kalman_q_trend, kalman_r, kalman_min_points } = config;
    Object.assign(fields3, {
      kalman_q_level,
      kalman_q_trend,
      kalman_r,
      kalman_min_points
    });
  }
  return fields3;
}
function changedFields(from, to) {
  return Object.fromEntries(Object.entries(to).filter(([name, value]) => from[name] !== value));
}
function sameKnobs(a, b) {
  return ROUTER_KNOBS.every((knob) => a?.[knob] === b?.[knob]);
}
function samePoint(a, b) {
  const fields3 = /* @__PURE__ */ new Set([
    ...Object.keys(a.planner),
    ...Object.keys(b.planner)
  ]);
  return sameKnobs(a.router, b.router) && [
    ...fields3
  ].every((name) => a.planner[name] === b.planner[name]);
}
function candidatePoints(current, grid, winner) {
  const { load_scaling_down_sensitivity: _, ...kept } = current.planner;
  const predictor = winner === null ? kept : PREDICTOR_PRESETS[winner];
  const points = [
    current
  ];
  for (const { router: router2, planner } of grid) {
    const point = {
      router: router2,
      planner: {
        ...planner,
        ...predictor
      }
    };
    if (!points.some((other) => samePoint(other, point))) points.push(point);
  }
  return points;
}

// lib/retune/score.ts
var MS_PER_HOUR = 36e5;
function meanGpus({ gpu_hours, duration_ms }) {
  const gpus = gpu_hours / (duration_ms / MS_PER_HOUR);
  return gpus > 0 && Number.isFinite(gpus) ? gpus : 0;
}
var perGpu = (value, metrics2) => {
  const gpus = meanGpus(metrics2);
  return gpus > 0 ? value / gpus : 0;
};
var VALUE = {
  throughput: (m) => m.output_throughput_tok_s,
  throughput_per_gpu: (m) => perGpu(m.output_throughput_tok_s, m),
  throughput_per_user: (m) => m.mean_output_token_throughput_per_user ?? 0,
  goodput: (m) => m.goodput_output_throughput_tok_s,
  goodput_per_gpu: (m) => perGpu(m.goodput_output_throughput_tok_s, m),
  ttft: (m) => -(m.mean_ttft_ms ?? Infinity),
  e2e_latency: (m) => -(m.mean_e2e_latency_ms ?? Infinity)
};
function scoreReplay(objective, metrics2) {
  return VALUE[objective](metrics2);
}
function bestIndex(scores) {
  return scores.reduce((best, score, index) => score > scores[best] ? index : best, 0);
}
function beats(score, current, percentage) {
  if (current === -Infinity) return score > current;
  const share = percentage / 100;
  return score > current * (current < 0 ? 1 - share : 1 + share);
}
function improvementPercentage(score, current) {
  if (current === 0 || !Number.isFinite(current) || !Number.isFinite(score)) return null;
  return (score - current) / Math.abs(current) * 100;
}

// lib/retune/decision.ts
var finite2 = (value) => Number.isFinite(value) ? value : null;
var plannerOf = (point, settings) => settings.planner ? point.planner : null;
function scoredPoint(point, score, settings) {
  return {
    router: point.router,
    planner: plannerOf(point, settings),
    score: finite2(score)
  };
}
function emptyVerdict(current, outcome, reason2, wallSeconds, settings) {
  return {
    apply: null,
    event: {
      sweep_wall_s: wallSeconds,
      outcome,
      reason: reason2,
      objective: settings.objective,
      current: {
        ...current,
        score: null
      },
      chosen: null,
      improvement_percentage: null,
      planner_changes: {},
      predictor: null,
      candidates: []
    }
  };
}
function judge(outcome, current, settings, advisory) {
  const { wallSeconds } = outcome;
  if (outcome.status === "timeout") {
    const reason2 = `the sweep took longer than timeout_seconds (${settings.timeout_seconds}s)`;
    return emptyVerdict(current, "timeout", reason2, wallSeconds, settings);
  }
  if (outcome.status === "failed") return emptyVerdict(current, "failed", outcome.reason, wallSeconds, settings);
  const { candidates, predictor } = outcome.findings;
  const scores = candidates.map(({ metrics: metrics2 }) => scoreReplay(settings.objective, metrics2));
  const best = bestIndex(scores);
  const threshold = settings.min_improvement_percentage;
  const better = beats(scores[best], scores[0], threshold);
  const chosen = better ? best : 0;
  const gain = improvementPercentage(scores[best], scores[0]);
  return {
    apply: better && !advisory ? candidates[best].point : null,
    event: {
      sweep_wall_s: wallSeconds,
      outcome: better ? advisory ? "advisory" : "applied" : "kept",
      reason: reasonOf(better, best, gain, threshold),
      objective: settings.objective,
      current: {
        ...current,
        score: finite2(scores[0])
      },
      chosen: scoredPoint(candidates[chosen].point, scores[chosen], settings),
      improvement_percentage: gain,
      planner_changes: changedFields(current.planner, candidates[chosen].point.planner),
      predictor: predictor && toldPredictor(predictor),
      candidates: candidates.map((candidate, i) => toldCandidate(candidate, scores[i], settings))
    }
  };
}
function reasonOf(better, best, gain, threshold) {
  if (best === 0) return "no candidate is better than the current point";
  const by = gain === null ? "something instead of nothing" : `${gain.toFixed(2)} %`;
  return `the best candidate gains ${by}, ${better ? "more" : "not more"} than the ${threshold} % asked for`;
}
function toldPredictor({ winner, losses }) {
  return {
    winner,
    losses: Object.fromEntries(losses.map(({ preset, loss }) => [
      preset,
      finite2(loss)
    ]))
  };
}
function toldCandidate({ point, metrics: metrics2 }, score, settings) {
  return {
    ...scoredPoint(point, score, settings),
    metrics: {
      goodput_output_throughput_tok_s: metrics2.goodput_output_throughput_tok_s,
      output_throughput_tok_s: metrics2.output_throughput_tok_s,
      gpu_hours: metrics2.gpu_hours,
      mean_ttft_ms: metrics2.mean_ttft_ms,
      mean_itl_ms: metrics2.mean_itl_ms,
      duration_ms: metrics2.duration_ms
    }
  };
}
function changesPredictor(changes) {
  return Object.keys(changes).some((name) => name !== "load_scaling_down_sensitivity");
}

// lib/retune/window.ts
function firstAtOrAfter(arrivalMs, timeMs) {
  let low = 0, high = arrivalMs.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (arrivalMs[middle] < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
function windowIndices(trace2, bounds) {
  const { arrivalMs, totalTimeMs } = trace2;
  const end = firstAtOrAfter(arrivalMs, bounds.endMs);
  const indices = [];
  for (let i = firstAtOrAfter(arrivalMs, bounds.startMs); i < end; i++) {
    const unfinished = totalTimeMs !== null && arrivalMs[i] + totalTimeMs[i] >= bounds.launchMs;
    if (!unfinished) indices.push(i);
  }
  return indices;
}
function windowRequests(trace2, indices) {
  const { workload, arrivalMs } = trace2;
  const count3 = indices.length;
  let blocks = 0;
  for (const i of indices) blocks += workload.blockStart[i + 1] - workload.blockStart[i];
  const memory = new SharedArrayBuffer(8 * count3 + 4 * (count3 + count3 + count3 + 1 + blocks));
  let offset = 8 * count3;
  const integers = (length) => {
    const column = new Int32Array(memory, offset, length);
    offset += 4 * length;
    return column;
  };
  const window2 = {
    count: count3,
    blockTokens: workload.blockTokens,
    arrivalMs: new Float64Array(memory, 0, count3),
    inputTokens: integers(count3),
    outputTokens: integers(count3),
    blockStart: integers(count3 + 1),
    blockIds: integers(blocks)
  };
  const renumbered = /* @__PURE__ */ new Map();
  let block = 0;
  indices.forEach((request, i) => {
    window2.arrivalMs[i] = arrivalMs[request] - arrivalMs[indices[0]];
    window2.inputTokens[i] = workload.inputTokens[request];
    window2.outputTokens[i] = workload.outputTokens[request];
    window2.blockStart[i] = block;
    for (let at = workload.blockStart[request]; at < workload.blockStart[request + 1]; at++) {
      const id = workload.blockIds[at];
      let mine = renumbered.get(id);
      if (mine === void 0) renumbered.set(id, mine = renumbered.size);
      window2.blockIds[block++] = mine;
    }
  });
  window2.blockStart[count3] = block;
  return window2;
}
function windowTraffic(window2) {
  const { count: count3, blockTokens, inputTokens, outputTokens, blockStart, blockIds, arrivalMs } = window2;
  const workload = {
    count: count3,
    blockTokens,
    inputTokens,
    outputTokens,
    blockStart,
    blockIds,
    outputTokenIds: /* @__PURE__ */ new Map(),
    priority: null,
    strictPriority: null,
    policyClass: null,
    session: null,
    turn: null,
    sessionName: () => "",
    sessionMadeUp: null,
    requestIds: null,
    playIds: null
  };
  return {
    workload,
    start: () => new TimestampQueue(workload, new Arrivals(arrivalMs), null)
  };
}
function replayedTrace({ workload, recording, start }) {
  const source = start();
  const arrivalMs = new Float64Array(workload.count);
  for (let request = source.admit(Infinity); request >= 0; request = source.admit(Infinity)) {
    arrivalMs[request] = source.arrivalMs;
  }
  return {
    workload,
    arrivalMs,
    totalTimeMs: recording?.durationMs ?? null
  };
}

// lib/retune/retune_policy.ts
var FIRST_ROUTER_SEED = 42;
var EPSILON_MS = 1e-6;
var OPTIONS = {
  settings: true,
  planner: true,
  innerPlanner: true,
  tickSeconds: true,
  throughputIntervalSeconds: true,
  throughputScaling: true,
  trace: true,
  history: true,
  startReplicas: true,
  startKnobs: true,
  startFields: true,
  advisory: true,
  disaggregated: true,
  onDecision: true
};
var RetunePolicy = class {
  /** Decisions in time order, for the report. */
  events = [];
  #options;
  #grid;
  #replayedArrivals;
  #current;
  /** Fields in force that differ from the start. */
  #overlay = {};
  /** Index of the next window to launch. */
  #next = 0;
  /** Ready workers at the start of window `#next`, and of later ones that began before its launch. */
  #replicasAt = /* @__PURE__ */ new Map();
  #due = null;
  /** A policy before its first tick. */
  constructor(options) {
    checkOptions("a RetunePolicy", options, OPTIONS);
    const { settings, startKnobs: startKnobs2, startFields, trace: trace2 } = options;
    this.#options = options;
    this.#grid = gridPoints(settings);
    this.#current = {
      router: settings.router ? startKnobs2 : null,
      planner: searchedFields(settings, startFields)
    };
    this.#replicasAt.set(0, options.startReplicas);
    this.#replayedArrivals = {
      arrivalS: trace2.arrivalMs.map((ms) => ms / 1e3),
      inputTokens: trace2.workload.inputTokens,
      outputTokens: trace2.workload.outputTokens
    };
    options.planner.setRouterKnobs(this.#routerParameters);
  }
  /** The knobs that the routers shall have, per role; null when they are not searched or nothing is applied. */
  get #routerParameters() {
    const { advisory, disaggregated } = this.#options;
    const knobs2 = this.#current.router;
    if (knobs2 === null || advisory) return null;
    return disaggregated ? {
      prefill: knobs2,
      decode: knobs2
    } : {
      decode: knobs2
    };
  }
  initialTickMs() {
    return this.#options.planner.initialTickMs();
  }
  onTick(snapshot) {
    const { planner, settings } = this.#options;
    const { nowMs } = snapshot;
    this.#noteWindowStart(snapshot);
    if (this.#due && nowMs >= this.#due.atMs - EPSILON_MS) this.#decide(this.#due, nowMs);
    const decision = planner.onTick(snapshot);
    const launchMs = (settings.interval_seconds * (this.#next + 1) + settings.grace_seconds) * 1e3;
    const pending = nowMs >= launchMs - EPSILON_MS ? this.#launch(nowMs) : null;
    return pending ? {
      ...decision,
      pending
    } : decision;
  }
  /** Remembers the ready workers when a window begins. */
  #noteWindowStart({ nowMs, prefill, decode }) {
    const index = Math.floor((nowMs + EPSILON_MS) / (this.#options.settings.interval_seconds * 1e3));
    if (index < this.#next || this.#replicasAt.has(index)) return;
    this.#replicasAt.set(index, {
      prefill: prefill.active.length,
      decode: decode.active.length
    });
  }
  /** Records a decision and carries it out. */
  #decide(due, nowMs) {
    this.#due = null;
    const { apply, event } = due.verdict;
    let warmup = null;
    if (apply) {
      const changes = event.planner_changes;
      this.#current = apply;
      this.#options.planner.setRouterKnobs(this.#routerParameters);
      this.#overlay = {
        ...this.#overlay,
        ...changes
      };
      if (Object.keys(changes).length > 0) warmup = this.#tunePlanner(changes, due);
    }
    this.events.push({
      window: due.window,
      launched_at_s: due.launchedS,
      decided_at_s: nowMs / 1e3,
      decision_latency_s: due.latencyS,
      ...event,
      predictor_warmup: warmup
    });
    this.#options.onDecision?.(this.events.at(-1));
  }
  #tunePlanner(changes, { window: window2 }) {
    if (!changesPredictor(changes)) {
      this.#options.planner.retune(changes, null);
      return null;
    }
    const intervals2 = this.#history(window2.end_s);
    const last = intervals2.at(-1);
    const endS = last ? last.startS + this.#options.throughputIntervalSeconds : null;
    this.#options.planner.retune(changes, {
      intervals: intervals2,
      endS: endS ?? -Infinity
    });
    return {
      observations: intervals2.length,
      start_s: intervals2[0]?.startS ?? null,
      end_s: endS
    };
  }
  /** Starts the sweep of the next window; an empty window is decided without one. */
  #launch(nowMs) {
    const { settings, trace: trace2 } = this.#options;
    const index = this.#next++;
    const startS = settings.interval_seconds * index, endS = startS + settings.interval_seconds;
    const indices = windowIndices(trace2, {
      startMs: startS * 1e3,
      endMs: endS * 1e3,
      launchMs: nowMs
    });
    const window2 = {
      index,
      start_s: startS,
      end_s: endS,
      num_requests: indices.length
    };
    const replicas = this.#replicasAt.get(index) ?? this.#options.startReplicas;
    this.#replicasAt.delete(index);
    if (indices.length === 0) {
      const verdict = emptyVerdict(this.#current, "no_requests", "the window has no completed request", 0, settings);
      this.#wait(nowMs, window2, 0, verdict);
      return null;
    }
    const current = this.#current;
    return {
      work: {
        window: windowRequests(trace2, indices),
        replicas,
        routerSeed: FIRST_ROUTER_SEED + index,
        sla: {
          ttftMs: settings.sla_ttft_ms,
          itlMs: settings.sla_itl_ms
        },
        current,
        overlay: {
          ...this.#overlay
        },
        grid: this.#grid,
        presweep: settings.planner?.load_predictor ? {
          presets: settings.planner.load_predictor,
          buckets: this.#history(endS),
          intervalSeconds: this.#options.throughputIntervalSeconds
        } : null,
        warmup: this.#options.innerPlanner ? this.#history(startS) : null
      },
      resume: (outcome) => {
        const verdict = judge(outcome, current, settings, this.#options.advisory ?? false);
        this.#wait(nowMs, window2, latencySeconds(outcome, settings), verdict);
      }
    };
  }
  #wait(launchMs, window2, latencyS, verdict) {
    const atMs = launchMs + Math.max(latencyS, this.#options.tickSeconds) * 1e3;
    this.#due = {
      atMs,
      window: window2,
      launchedS: launchMs / 1e3,
      latencyS,
      verdict
    };
  }
  /** Buckets of the recorded and the replayed traffic up to a time; empty without throughput scaling. */
  #history(endS) {
    const { history, settings, throughputIntervalSeconds, throughputScaling } = this.#options;
    if (!throughputScaling) return [];
    return bucketSeries([
      ...history ? [
        history
      ] : [],
      this.#replayedArrivals
    ], {
      intervalS: throughputIntervalSeconds,
      endS,
      historyS: settings.history_seconds
    });
  }
};
function searchedFields({ planner }, start) {
  const { load_scaling_down_sensitivity } = start;
  return {
    ...planner?.load_scaling_down_sensitivity ? {
      load_scaling_down_sensitivity
    } : {},
    ...planner?.load_predictor ? predictorFields(start) : {}
  };
}
function latencySeconds({ wallSeconds }, settings) {
  const { decision_latency_seconds: latency, decision_latency_scale: scale, timeout_seconds: most } = settings;
  return latency === "measured" ? Math.min(wallSeconds, most) * scale : latency;
}

// lib/retune/forecast_loss.ts
var WEIGHTS = [
  0.4,
  0.4,
  0.1,
  0.1
];
var settingsOf = ({ load_predictor: _, ...fields3 }, intervalSeconds) => ({
  ...DEFAULT_SETTINGS,
  ...fields3,
  throughput_adjustment_interval_seconds: intervalSeconds
});
var warmupBuckets = (presets, intervalSeconds) => Math.max(...presets.map((preset) => predictors[preset.load_predictor].minimumPoints(settingsOf(preset, intervalSeconds))));
var distance = (predicted, actual) => Math.abs(Math.log1p(Math.max(predicted, 0)) - Math.log1p(Math.max(actual, 0)));
function bucketLoss(forecast, actual) {
  const [n, i, o] = [
    forecast.requests,
    forecast.inputTokens,
    forecast.outputTokens
  ].map((x) => Math.max(x, 0));
  const { requests, inputTokens, outputTokens } = actual;
  const terms = [
    distance(n * i, requests * inputTokens),
    distance(n * o, requests * outputTokens),
    distance(i, inputTokens),
    distance(o, outputTokens)
  ];
  return terms.reduce((sum, term, k) => sum + WEIGHTS[k] * term, 0);
}
function forecastTasks(presweep) {
  const { presets, buckets, intervalSeconds } = presweep;
  const warmup = warmupBuckets(presets.map((preset) => PREDICTOR_PRESETS[preset]), intervalSeconds);
  return presets.map((preset) => ({
    kind: "forecast",
    preset,
    buckets,
    intervalSeconds,
    warmupBuckets: warmup
  }));
}
var forecastLoss = ({ preset, ...task2 }) => presetLoss(PREDICTOR_PRESETS[preset], task2);
function presetLoss(preset, { buckets, intervalSeconds, warmupBuckets: warmupBuckets2 }) {
  const settings = settingsOf(preset, intervalSeconds);
  const [requests, input, output] = [
    0,
    1,
    2
  ].map(() => createPredictor(preset.load_predictor, settings));
  let sum = 0, scored = 0;
  for (const [index, actual] of buckets.entries()) {
    try {
      const forecast = {
        requests: requests.forecast(),
        inputTokens: input.forecast(),
        outputTokens: output.forecast()
      };
      if (index >= warmupBuckets2) {
        sum += bucketLoss(forecast, actual);
        scored++;
      }
    } catch {
      return Infinity;
    }
    requests.add(actual.requests);
    input.add(actual.inputTokens);
    output.add(actual.outputTokens);
  }
  const mean2 = sum / scored;
  return Number.isFinite(mean2) ? mean2 : Infinity;
}
function forecastWinner(presets, losses) {
  let winner = null, least = Infinity;
  presets.forEach((preset, i) => {
    if (losses[i] < least) [winner, least] = [
      preset,
      losses[i]
    ];
  });
  return {
    winner,
    losses: presets.map((preset, i) => ({
      preset,
      loss: losses[i]
    }))
  };
}

// lib/retune/sweep.ts
function* sweepSteps(plan) {
  let predictor = null;
  if (plan.presweep) {
    const losses = (yield forecastTasks(plan.presweep)).map((answer) => answer.loss);
    predictor = forecastWinner(plan.presweep.presets, losses);
  }
  const points = candidatePoints(plan.current, plan.grid, newPredictor(plan, predictor));
  const answers = yield points.map((point) => replayTask(plan, point));
  return {
    candidates: points.map((point, i) => ({
      point,
      metrics: answers[i].metrics
    })),
    predictor
  };
}
function newPredictor(plan, predictor) {
  const winner = predictor?.winner ?? null;
  if (winner === null) return null;
  const changes = changedFields(plan.current.planner, PREDICTOR_PRESETS[winner]);
  return Object.keys(changes).length > 0 ? winner : null;
}
function replayTask(plan, point) {
  return {
    kind: "replay",
    window: plan.window,
    replicas: plan.replicas,
    routerKnobs: point.router,
    routerSeed: plan.routerSeed,
    planner: plan.warmup ? {
      fields: {
        ...plan.overlay,
        ...point.planner
      },
      warmup: plan.warmup
    } : null,
    sla: plan.sla
  };
}

// lib/replay/sweeps.ts
var onRunner = (runner) => ({
  run: (tasks, options) => runBatch(runner, tasks, options)
});
async function runSweepOn(runner, plan, { timeoutSeconds, signal, onCandidates, hostMs = () => performance.now() }) {
  const startedMs = hostMs();
  const wallSeconds = () => (hostMs() - startedMs) / 1e3;
  const steps = sweepSteps(plan);
  let earlier = 0;
  let step = steps.next();
  while (!step.done) {
    const left = timeoutSeconds - wallSeconds(), before = earlier;
    earlier += step.value.length;
    const onDone = (done) => onCandidates?.(before + done, earlier);
    onDone(0);
    const batch = left > 0 ? await runner.run(step.value, {
      timeoutSeconds: left,
      onDone,
      signal
    }) : {
      status: "timeout"
    };
    if (batch.status !== "done") return {
      ...batch,
      wallSeconds: wallSeconds()
    };
    step = steps.next(batch.results);
  }
  return {
    status: "done",
    findings: step.value,
    wallSeconds: wallSeconds()
  };
}

// lib/replay/window_spec.ts
function windowSpec({ roles, router: router2 }, planner) {
  return {
    roles,
    router: router2,
    autoscaler: planner && {
      kind: "planner",
      config: {
        ...planner,
        retune: null,
        advisory: false
      },
      written: null
    },
    capture: {
      plannerDetails: false,
      diagnostics: false
    }
  };
}
function candidateSpec(spec2, { replicas, routerKnobs, routerSeed, planner, sla: sla2 }) {
  const { roles, router: router2, autoscaler: autoscaler2 } = spec2;
  const knobs2 = routerKnobs && {
    overlapScoreCredit: routerKnobs.overlap_score_credit,
    prefillLoadScale: routerKnobs.prefill_load_scale,
    temperature: routerKnobs.temperature
  };
  return {
    ...spec2,
    roles: roles.map((role2) => ({
      ...role2,
      replicas: role2.role === "prefill" ? replicas.prefill : replicas.decode
    })),
    router: router2?.policy === "kv_router" ? {
      ...router2,
      settings: {
        ...router2.settings,
        ...knobs2,
        seed: routerSeed
      }
    } : router2,
    autoscaler: planner && autoscaler2 ? {
      ...autoscaler2,
      config: {
        ...autoscaler2.config,
        ...planner.fields
      }
    } : null,
    sla: sla2
  };
}

// lib/replay/make_retune.ts
var SWEEP_JOBS = {
  name: "sweep",
  module: new URL("./lib.replay.sweep_jobs.js", import.meta["url"])
};
async function makeRetune(planner, { settings: asked, spec: spec2, traffic, mostParallel = navigator.hardwareConcurrency, executor, onWarning }) {
  if (!traffic.recording) throw new ConfigError("planner.retune requires an open-loop Dynamo request trace");
  const { config, recorder } = planner, { roles } = spec2;
  const disaggregated = roles.length > 1;
  const speedup = spec2.traffic?.speedup ?? 1;
  const settings = worthSearching(asked, config.optimization_target, spec2, onWarning);
  recorder.retuning({
    ...settings
  });
  const policy = new RetunePolicy({
    settings,
    planner,
    innerPlanner: !isRetuneOnly(config),
    tickSeconds: config.load_adjustment_interval_seconds,
    throughputIntervalSeconds: config.throughput_adjustment_interval_seconds,
    throughputScaling: config.enable_throughput_scaling,
    trace: replayedTrace(traffic),
    history: config.enable_throughput_scaling && config.load_predictor_warmup_trace ? await historyOf(config.load_predictor_warmup_trace, traffic.recording.originMs, speedup) : null,
    startReplicas: {
      prefill: disaggregated ? roles[0].replicas : 0,
      decode: roles[roles.length - 1].replicas
    },
    startKnobs: startKnobs(spec2),
    startFields: config,
    advisory: config.advisory,
    disaggregated,
    onDecision: (event) => recorder.retuned(event)
  });
  const parallel = Math.max(1, Math.min(settings.max_parallel, mostParallel));
  const runner = (executor ?? threads(parallel)).open(SWEEP_JOBS, windowSpec(spec2, isRetuneOnly(config) ? null : {
    ...config
  }));
  const sweeps = onRunner(runner);
  return {
    policy,
    async work(pending, signal, onCandidates) {
      const sweep = pending;
      const options = {
        timeoutSeconds: settings.timeout_seconds,
        signal,
        onCandidates
      };
      sweep.resume(await runSweepOn(sweeps, sweep.work, options));
    },
    close: () => runner.close()
  };
}
function worthSearching(asked, target, { roles }, onWarning) {
  const { prefixCaching } = parseLaunch(roles[0].launch).rank;
  const [settings, left] = withoutVainSearches(asked, {
    target,
    prefixCaching
  });
  if (left.length > 0 && searchesNothing(settings)) {
    const message = `planner.retune has nothing to search: ${left.join("; ")}`;
    throw new ConfigError(message, [
      {
        path: "planner.retune",
        message
      }
    ]);
  }
  for (const text3 of left) onWarning?.(`planner.retune.${text3}`);
  return settings;
}
function startKnobs({ router: router2 }) {
  if (router2?.policy !== "kv_router") return null;
  const { settings = {} } = router2;
  const { overlapScoreCredit = 1, prefillLoadScale = 1, temperature = 0 } = settings;
  return {
    overlap_score_credit: overlapScoreCredit,
    prefill_load_scale: prefillLoadScale,
    temperature
  };
}
async function historyOf(pattern, originMs, speedup) {
  const trace2 = await readWarmupTrace(pattern);
  const rows = trace2.requests();
  if (rows.length > 0 && trace2.format !== "dynamo") {
    throw new TraceError("retune history must be a Dynamo request trace", {
      file: pattern
    });
  }
  return recordedHistory(rows, originMs, speedup);
}

// lib/planner/canonical_json.ts
var Float = class {
  value;
  constructor(value) {
    this.value = value;
  }
};
function canonicalJson(value) {
  if (value instanceof Float) return floatText(value.value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, item]) => item !== void 0);
  entries.sort(([a], [b]) => a < b ? -1 : 1);
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}
function floatText(value) {
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    const [digits, exponent] = value.toExponential().split("e");
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

// lib/replay/located.ts
function located(spec2, { files, models }) {
  const file = (place, path) => {
    if (Object.hasOwn(files, path)) return files[path];
    return refuse(place, `${JSON.stringify(path)} is no file of this run`);
  };
  const model = (place, name) => {
    if (!models.includes(name)) refuse(place, `${JSON.stringify(name)} is no model of this run`);
  };
  const { traffic, roles, router: router2, autoscaler: autoscaler2 } = spec2;
  if (traffic?.type === "trace" && traffic.lengthsFolder !== void 0) {
    refuse("traffic.lengthsFolder", "a folder cannot be sent");
  }
  const warmup = autoscaler2?.config.load_predictor_warmup_trace;
  return {
    ...spec2,
    traffic: traffic?.type === "trace" ? {
      ...traffic,
      paths: traffic.paths.map((path, i) => file(`traffic.paths[${i}]`, path))
    } : traffic,
    roles: roles.map((role2, i) => {
      const place = `roles[${i}]`;
      if (role2.estimator != null) model(`${place}.estimator.model`, role2.estimator.model);
      checkTexts(`${place}.launch`, role2.launch, models);
      for (const text3 of [
        role2.estimator?.system,
        role2.estimator?.data_release,
        role2.estimator?.backend_version
      ]) {
        if (text3 != null && !isPlainName(text3)) refuse(place, `${JSON.stringify(text3)} is no name`);
      }
      return withCalibration(role2, (path) => file(`${place}.passTiming.calibration`, path));
    }),
    router: typeof router2?.policyFile === "string" ? {
      ...router2,
      policyFile: file("router.policyFile", router2.policyFile)
    } : router2,
    autoscaler: autoscaler2 && typeof warmup === "string" ? {
      ...autoscaler2,
      config: {
        ...autoscaler2.config,
        load_predictor_warmup_trace: file("load_predictor_warmup_trace", warmup)
      }
    } : autoscaler2,
    capture: {
      ...spec2.capture,
      diagnostics: false
    }
  };
}
var isPlainName = (text3) => /^[\w.+-]{1,100}$/.test(text3) && !text3.includes("..");
function withCalibration(role2, file) {
  const { passTiming } = role2;
  if (typeof passTiming?.calibration !== "string") return role2;
  return {
    ...role2,
    passTiming: {
      ...passTiming,
      calibration: file(passTiming.calibration)
    }
  };
}
function checkTexts(place, value, models) {
  if (typeof value === "string") {
    if (/[/\\]|\.\./.test(value) && !models.includes(value)) refuse(place, `${JSON.stringify(value)} may be a path`);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) checkTexts(`${place}.${key}`, item, models);
  }
}
function refuse(path, what) {
  const message = `${path}: ${what}`;
  throw new ConfigError(message, [
    {
      path,
      message
    }
  ]);
}

// lib/replay/needs.ts
async function needsOf({ traffic, roles, router: router2, autoscaler: autoscaler2 }) {
  const sets = /* @__PURE__ */ new Set(), models = /* @__PURE__ */ new Set(), paths = /* @__PURE__ */ new Set();
  for (const { estimator: estimator2, passTiming } of roles) {
    if (estimator2 != null) {
      const { system, backend, backend_version, data_release: release, model } = estimator2;
      const catalog = new PerfCatalog({
        release
      });
      try {
        const version = catalog.version(system, backend, backend_version);
        sets.add(JSON.stringify({
          system,
          backend,
          version,
          ...release === void 0 ? {} : {
            release
          }
        }));
      } catch (problem) {
        if (!(problem instanceof ConfigError)) throw problem;
      }
      models.add(model);
    }
    if (typeof passTiming?.calibration === "string") paths.add(passTiming.calibration);
  }
  if (traffic?.type === "trace") {
    for (const path of traffic.paths) paths.add(path);
  }
  if (typeof router2?.policyFile === "string") paths.add(router2.policyFile);
  const warmup = autoscaler2?.config.load_predictor_warmup_trace;
  if (typeof warmup === "string") paths.add(warmup);
  return {
    needs: [
      ...[
        ...sets
      ].map((name) => ({
        type: "measurements",
        name,
        sha256: measurementsDigest(name)
      })),
      ...await Promise.all([
        ...models
      ].map(async (name) => ({
        type: "model",
        name,
        sha256: sha256(canonicalJson((await loadModel(name)).facts))
      })))
    ],
    files: await Promise.all([
      ...paths
    ].map(fileOf))
  };
}
async function fileOf(path) {
  try {
    return {
      path,
      sha256: await sha256OfFile(path),
      bytes: host().fileBytes(path)
    };
  } catch (cause) {
    throw new ConfigError(`could not read ${path}: ${reason(cause)}`, [], {
      cause
    });
  }
}
function measurementsDigest(name) {
  const { system, backend, version, release } = JSON.parse(name);
  for (const part of [
    system,
    backend,
    version,
    release ?? ""
  ]) {
    if (typeof part !== "string" || part !== "" && !isPlainName(part)) return null;
  }
  try {
    return new PerfCatalog({
      release
    }).digest({
      system,
      backend,
      version
    });
  } catch (problem) {
    if (problem instanceof ConfigError) return null;
    throw problem;
  }
}
function modelDigest(name) {
  const parts = name.split("/");
  if (parts.length > 2 || !parts.every(isPlainName)) return null;
  const found2 = findModel(name);
  return found2 === void 0 ? null : sha256(canonicalJson(found2.facts));
}

// lib/replay/run.ts
var ReplayRun = class {
  #run;
  /**
   * A run that starts when its report or one of its streams is asked for.
   *
   * @param spec what is run
   */
  constructor(spec2, options) {
    this.#run = new Running(spec2, options);
  }
  /** The record of every request, in the order in which they end. */
  get requests() {
    return new Flow(this.#run.requests());
  }
  /** Every tick of the autoscaler; none without one. */
  get ticks() {
    return new Flow(this.#run.ticks());
  }
  /** The report, once everything has happened. Streams that were asked for must be read to their end for it. */
  get report() {
    return this.#run.report;
  }
};
function run(spec2, options = {}) {
  return new ReplayRun(spec2, options);
}

// lib/replay/read_spec.ts
var exactly = (fields3) => strictObject(fields3, (issue) => {
  const key = issue.expected === "never" ? String(issue.path?.at(-1)?.key) : null;
  if (key === null) return `expected ${issue.expected}, found ${issue.received}`;
  const near = nearName(key, Object.keys(fields3));
  return `unknown key '${key}'` + (near === void 0 ? ` (known: ${Object.keys(fields3).join(", ")})` : `; did you mean '${near}'?`);
});
var WHOLE = `expected a whole number of at most ${Number.MAX_SAFE_INTEGER}`;
var found = (what) => (issue) => `expected ${what}, found ${issue.received}`;
var text2 = string(found("text"));
var bool2 = boolean(found("true or false"));
var number2 = pipe(number(found("a number")), finite("expected a finite number"));
var whole = pipe(number(found("a whole number")), safeInteger((issue) => `${WHOLE}, found ${issue.received}`), minValue(0, (issue) => `expected 0 or more, found ${issue.received}`));
var count = pipe(whole, minValue(1, (issue) => `expected 1 or more, found ${issue.received}`));
var maybe = (schema) => optional(schema);
var orNull2 = (schema) => nullable(schema);
var named = (names) => picklist(names, (issue) => `expected one of ${names.join(", ")}, found ${issue.received}`);
var mapping = record(string(), unknown(), found("a mapping"));
var trace = {
  type: literal("trace"),
  paths: pipe(array(text2, found("a list of paths")), minLength(1, "expected at least one path")),
  format: maybe(text2),
  blockTokens: maybe(count),
  concurrency: maybe(count),
  speedup: maybe(number2),
  lanes: maybe(count),
  model: maybe(text2),
  sharedPrefixRatio: maybe(number2),
  prefixGroups: maybe(whole),
  keepZeroOutput: maybe(bool2),
  sessions: maybe(bool2),
  lengthsFolder: maybe(text2)
};
var synthetic = {
  type: literal("synthetic"),
  inputTokens: count,
  outputTokens: count,
  count,
  concurrency: maybe(count),
  requestsPerSecond: maybe(number2),
  arrivalIntervalMs: maybe(number2),
  seed: maybe(whole),
  speedup: maybe(number2),
  turns: maybe(count),
  sharedPrefixRatio: maybe(number2),
  prefixGroups: maybe(whole),
  interTurnDelayMs: maybe(number2),
  growingPrompts: maybe(bool2),
  cachedPrefixTokens: maybe(whole),
  blockTokens: maybe(count)
};
var trafficSchema = lazy((value) => value?.type === "synthetic" ? exactly(synthetic) : exactly(trace));
var ROLES2 = [
  "aggregated",
  "prefill",
  "decode"
];
var estimator = {
  model: text2,
  system: text2,
  backend: named(BACKENDS),
  backend_version: orNull2(text2),
  worker_type: named(ROLES2),
  tp: count,
  pp: count,
  attention_dp: count,
  moe_tp: maybe(count),
  moe_ep: maybe(count),
  kv_block_size: count,
  nextn: whole,
  gemm_quant_mode: orNull2(text2),
  moe_quant_mode: orNull2(text2),
  kvcache_quant_mode: orNull2(text2),
  fmha_quant_mode: orNull2(text2),
  comm_quant_mode: orNull2(text2),
  database_mode: text2,
  transfer_policy: orNull2(union([
    text2,
    array(text2)
  ], "expected a name or a list of names")),
  data_release: maybe(text2)
};
var capacity = lazy((value) => value?.type === "fixed" ? exactly({
  type: literal("fixed"),
  blocks: count
}) : exactly({
  type: literal("default"),
  memoryFraction: number2,
  cudaGraphReservedBytes: number2
}));
var launch = pipe(mapping, rawTransform(({ dataset, addIssue, NEVER }) => {
  const { engine } = dataset.value;
  if (typeof engine !== "object" || engine === null || !Object.hasOwn(engine, SEED)) return dataset.value;
  const seed = engine[SEED];
  const path = [
    {
      type: "object",
      origin: "value",
      input: dataset.value,
      key: "engine",
      value: engine
    },
    {
      type: "object",
      origin: "value",
      input: engine,
      key: SEED,
      value: seed
    }
  ];
  if (typeof seed === "number" && Number.isInteger(seed) && !Number.isSafeInteger(seed)) {
    addIssue({
      message: `${WHOLE}, or its digits as text, found ${seed}`,
      path
    });
    return NEVER;
  }
  if (typeof seed !== "string") return dataset.value;
  if (/^\d{1,20}$/.test(seed)) return {
    ...dataset.value,
    engine: {
      ...engine,
      [SEED]: BigInt(seed)
    }
  };
  addIssue({
    message: `expected digits, found ${JSON.stringify(seed)}`,
    path
  });
  return NEVER;
}));
var SEED = "aic_mtp_seed";
var role = {
  role: named(ROLES2),
  replicas: count,
  launch,
  estimator: nullish(exactly(estimator)),
  passTiming: nullish(exactly({
    calibration: nullish(union([
      text2,
      mapping
    ], "expected the path of a calibration, or its content")),
    forced: maybe(bool2),
    mixed: nullish(named([
      "sum",
      "fused"
    ]))
  })),
  open: nullish(exactly({
    capacity,
    contextTokens: orNull2(union([
      count,
      literal("max")
    ], "expected a number of tokens or 'max'")),
    transferBytesPerToken: orNull2(union([
      number2,
      literal("auto")
    ], "expected a number of bytes or 'auto'"))
  }))
};
var routerSettings = {
  overlapScoreCredit: maybe(number2),
  overlapScoreCreditDecay: maybe(number2),
  prefillLoadScale: maybe(number2),
  decodeActiveRequestWeight: maybe(number2),
  temperature: maybe(number2),
  trackActiveBlocks: maybe(bool2),
  assumeKvReuse: maybe(bool2),
  trackPrefillTokens: maybe(bool2),
  prefillLoadModel: maybe(named([
    "none",
    "aic"
  ])),
  queueThreshold: nullish(number2),
  queuePolicy: maybe(named([
    "fcfs",
    "lcfs",
    "wspt"
  ])),
  kvEventLagMs: maybe(number2),
  seed: maybe(whole)
};
var router = {
  policy: maybe(text2),
  settings: maybe(exactly(routerSettings)),
  policyFile: nullish(union([
    text2,
    mapping
  ], "expected a path or the content of a policy file"))
};
var autoscaler = {
  kind: text2,
  config: mapping,
  written: nullish(mapping)
};
var numbers = array(number2, found("a list of numbers"));
var retune = {
  interval_seconds: number2,
  grace_seconds: number2,
  router: orNull2(exactly({
    overlap_score_credit: numbers,
    prefill_load_scale: numbers,
    temperature: numbers
  })),
  planner: orNull2(exactly({
    load_scaling_down_sensitivity: orNull2(numbers),
    load_predictor: orNull2(array(text2, found("a list of names")))
  })),
  objective: named(OBJECTIVES),
  sla_ttft_ms: number2,
  sla_itl_ms: number2,
  min_improvement_percentage: number2,
  decision_latency_seconds: union([
    number2,
    literal("measured")
  ], "expected a number of seconds or 'measured'"),
  decision_latency_scale: number2,
  timeout_seconds: number2,
  max_parallel: count,
  history_seconds: number2
};
var price = {
  perGpuHour: number2,
  currency: nullish(string())
};
var sla = {
  ttftMs: nullish(number2),
  itlMs: nullish(number2),
  e2eMs: nullish(number2)
};
var capture = {
  perRequest: maybe(bool2),
  telemetryIntervalMs: nullish(number2),
  plannerDetails: maybe(bool2),
  diagnostics: maybe(bool2)
};
var spec = {
  traffic: nullish(trafficSchema),
  roles: pipe(array(exactly(role), found("a list of roles")), check(({ length }) => length === 1 || length === 2, "expected one role, or prefill and decode")),
  router: nullish(exactly(router)),
  autoscaler: nullish(exactly(autoscaler)),
  retune: nullish(exactly(retune)),
  stack: maybe(named([
    "engine",
    "dynamo"
  ])),
  sla: nullish(exactly(sla)),
  price: nullish(exactly(price)),
  maxVirtualMs: nullish(number2),
  cutoff: maybe(named([
    "soft",
    "hard"
  ])),
  capture: maybe(exactly(capture))
};
var replaySpecSchema = exactly(spec);

// lib/replay/sweep_kind.ts
var count2 = pipe(number(), safeInteger(), minValue(0));
var intervals = array(record(string(), number()));
var window = pipe(strictObject({
  count: count2,
  blockTokens: count2,
  arrivalMs: instance(Float64Array),
  inputTokens: instance(Int32Array),
  outputTokens: instance(Int32Array),
  blockStart: instance(Int32Array),
  blockIds: instance(Int32Array)
}), check((columns) => isWhole(columns), "its columns do not fit together"));
function isWhole({ count: count3, arrivalMs, inputTokens, outputTokens, blockStart, blockIds }) {
  return [
    arrivalMs,
    inputTokens,
    outputTokens
  ].every(({ length }) => length === count3) && arrivalMs.every((ms) => Number.isFinite(ms)) && blockStart.length === count3 + 1 && blockStart[0] === 0 && blockStart[count3] === blockIds.length && blockStart.every((start, i) => i === 0 || start >= blockStart[i - 1]) && blockIds.every((id) => id >= 0);
}
var knobs = strictObject({
  overlap_score_credit: number(),
  prefill_load_scale: number(),
  temperature: number()
});
var fields2 = partial(strictObject({
  load_scaling_down_sensitivity: number(),
  load_predictor: string(),
  load_predictor_log1p: boolean(),
  prophet_window_size: number(),
  kalman_q_level: number(),
  kalman_q_trend: number(),
  kalman_r: number(),
  kalman_min_points: number()
}));
var task = variant("kind", [
  strictObject({
    kind: literal("forecast"),
    preset: string(),
    buckets: intervals,
    intervalSeconds: number(),
    warmupBuckets: count2
  }),
  strictObject({
    kind: literal("replay"),
    window,
    replicas: strictObject({
      prefill: count2,
      decode: count2
    }),
    routerKnobs: nullable(knobs),
    routerSeed: number(),
    planner: nullable(strictObject({
      fields: fields2,
      warmup: intervals
    })),
    sla: strictObject({
      ttftMs: number(),
      itlMs: number()
    })
  })
]);
var figure = number();
var mean = nullable(figure);
var metrics = strictObject({
  goodput_output_throughput_tok_s: figure,
  output_throughput_tok_s: figure,
  gpu_hours: figure,
  duration_ms: figure,
  mean_ttft_ms: mean,
  mean_itl_ms: mean,
  mean_output_token_throughput_per_user: mean,
  mean_e2e_latency_ms: mean
});
var SWEEP_KIND = {
  ...SWEEP_JOBS,
  setup: replaySpecSchema,
  data: task,
  result: variant("kind", [
    strictObject({
      kind: literal("forecast"),
      loss: number()
    }),
    strictObject({
      kind: literal("replay"),
      metrics
    })
  ]),
  answers: (data, answer) => answer.kind === data.kind,
  localSetup: located
};

// lib/autoscaler/behavior.ts
var sumSince = (events, atS) => events.reduce((sum, event) => event.atS > atS ? sum + event.count : sum, 0);
var Stabilizer = class {
  #behavior;
  #bounds;
  #recommendations = null;
  #added = [];
  #removed = [];
  constructor(behavior, bounds) {
    this.#behavior = behavior;
    this.#bounds = bounds;
  }
  /** What becomes of a recommendation at a time. */
  limit(wanted, current, nowS) {
    const steady = this.#stabilized(wanted, current, nowS);
    const replicas = this.#paced(steady, current, nowS);
    const by = replicas === wanted ? null : steady !== wanted && replicas === steady ? "stabilization" : replicas === this.#bounds.most || replicas === this.#bounds.least ? "bounds" : "policy";
    return {
      replicas,
      by
    };
  }
  /** The number of replicas was changed. */
  changed(from, to, nowS) {
    if (to > from) this.#added.push({
      atS: nowS,
      count: to - from
    });
    else if (to < from) this.#removed.push({
      atS: nowS,
      count: from - to
    });
    const { scale_up, scale_down } = this.#behavior;
    const longest = Math.max(0, ...[
      scale_up,
      scale_down
    ].flatMap(({ policies }) => policies.map(({ period_seconds }) => period_seconds)));
    this.#added = this.#added.filter(({ atS }) => atS > nowS - longest);
    this.#removed = this.#removed.filter(({ atS }) => atS > nowS - longest);
  }
  /** The least of the upward window, and the most of the downward one, if the replicas are outside of these. */
  #stabilized(wanted, current, nowS) {
    const { scale_up, scale_down } = this.#behavior;
    const up = scale_up.stabilization_window_seconds, down = scale_down.stabilization_window_seconds;
    this.#recommendations ??= [
      {
        atS: nowS,
        count: current
      }
    ];
    let least = wanted, most = wanted;
    for (const { atS, count: count3 } of this.#recommendations) {
      if (atS > nowS - up) least = Math.min(least, count3);
      if (atS > nowS - down) most = Math.max(most, count3);
    }
    this.#recommendations = this.#recommendations.filter(({ atS }) => atS > nowS - Math.max(up, down));
    this.#recommendations.push({
      atS: nowS,
      count: wanted
    });
    return Math.min(Math.max(current, least), most);
  }
  #paced(wanted, current, nowS) {
    const { least, most } = this.#bounds;
    if (wanted > current) return Math.min(wanted, most, Math.max(this.#upTo(current, nowS), current));
    if (wanted < current) return Math.max(wanted, least, Math.min(this.#downTo(current, nowS), current));
    return wanted;
  }
  #upTo(current, nowS) {
    const { select_policy, policies } = this.#behavior.scale_up;
    if (select_policy === "Disabled") return current;
    if (policies.length === 0) return Infinity;
    const allowed = policies.map((policy) => {
      const start = this.#atStartOf(policy, current, nowS);
      return policy.type === "Pods" ? start + policy.value : Math.ceil(start * (100 + policy.value) / 100);
    });
    return select_policy === "Min" ? Math.min(...allowed) : Math.max(...allowed);
  }
  #downTo(current, nowS) {
    const { select_policy, policies } = this.#behavior.scale_down;
    if (select_policy === "Disabled") return current;
    if (policies.length === 0) return 0;
    const allowed = policies.map((policy) => {
      const start = this.#atStartOf(policy, current, nowS);
      return policy.type === "Pods" ? start - policy.value : Math.trunc(start * (100 - policy.value) / 100);
    });
    return select_policy === "Min" ? Math.max(...allowed) : Math.min(...allowed);
  }
  /** Replicas when the period of a policy began. */
  #atStartOf({ period_seconds }, current, nowS) {
    const since = nowS - period_seconds;
    return current - sumSince(this.#added, since) + sumSince(this.#removed, since);
  }
};

// lib/autoscaler/replica_count.ts
var within = (ratio, { up, down }) => ratio >= 1 - down && ratio <= 1 + up;
var ceiling = (value) => Math.ceil(Number(value.toPrecision(15)));
function podsReplicas({ byWorker, missing, notReady }, target, current, tolerance) {
  if (byWorker.length === 0) return null;
  const sum = byWorker.reduce((total, value) => total + value, 0);
  const ratio = sum / (byWorker.length * target);
  const unready = ratio > 1 ? notReady : 0;
  if (unready === 0 && missing === 0) return within(ratio, tolerance) ? current : ceiling(ratio * byWorker.length);
  const assumed = ratio < 1 ? missing * target : 0;
  const workers = byWorker.length + missing + unready;
  const cautious = (sum + assumed) / (workers * target);
  if (within(cautious, tolerance) || ratio < 1 && cautious > 1 || ratio > 1 && cautious < 1) return current;
  const replicas = ceiling(cautious * workers);
  return cautious < 1 && replicas > current || cautious > 1 && replicas < current ? current : replicas;
}
function externalReplicas({ total, mean: mean2 }, { averageValue, value }, { current, ready, share }, tolerance) {
  if (averageValue !== null) {
    if (total === null) return null;
    return within(total / (averageValue * current), tolerance) ? current : ceiling(total / averageValue);
  }
  const whole3 = share ? mean2 : total;
  if (whole3 === null) return null;
  const ratio = whole3 / value;
  if (current === 0) return ceiling(ratio);
  return within(ratio, tolerance) ? current : ceiling(ratio * ready);
}
function largestReplicas(wanted, current) {
  const known = wanted.filter((count3) => count3 !== null);
  if (known.length === 0) return null;
  const most = Math.max(...known);
  return known.length < wanted.length && most < current ? null : most;
}

// lib/autoscaler/hpa.ts
var HorizontalPodAutoscaler = class {
  #settings;
  #stabilizer;
  constructor(settings) {
    this.#settings = settings;
    const { behavior, min_replicas: least, max_replicas: most } = settings;
    this.#stabilizer = new Stabilizer(behavior, {
      least,
      most
    });
  }
  decide({ nowS, active: active2, starting, draining, sample }) {
    const { min_replicas, max_replicas, metrics: metrics2 } = this.#settings;
    const current = active2 + starting;
    if (current === 0 && min_replicas > 0) return {
      replicas: current,
      wanted: null,
      metrics: [],
      reason: "paused"
    };
    const seen = metrics2.map((metric) => {
      const value = sample(metric.name);
      return {
        metric,
        sample: value,
        replicas: this.#wanted(metric, value, current, active2 + draining)
      };
    });
    const told = seen.map(({ metric, sample: sample2, replicas: replicas2 }) => ({
      ...shown(metric, sample2),
      replicas: replicas2
    }));
    if (current < min_replicas || current > max_replicas) {
      const replicas2 = Math.min(Math.max(current, min_replicas), max_replicas);
      this.#stabilizer.changed(current, replicas2, nowS);
      return {
        replicas: replicas2,
        wanted: replicas2,
        metrics: told,
        reason: "outside_bounds"
      };
    }
    const wanted = largestReplicas(seen.map(({ replicas: replicas2 }) => replicas2), current);
    if (wanted === null) return {
      replicas: current,
      wanted,
      metrics: told,
      reason: "no_metrics"
    };
    const { replicas, by } = this.#stabilizer.limit(wanted, current, nowS);
    this.#stabilizer.changed(current, replicas, nowS);
    const reason2 = replicas > current ? "scale_up" : replicas < current ? "scale_down" : wanted === current ? "within_target" : by === "stabilization" ? "stabilizing" : by === "bounds" ? "at_bound" : "rate_limited";
    return {
      replicas,
      wanted,
      metrics: told,
      reason: reason2
    };
  }
  #wanted({ type, name, target }, sample, current, ready) {
    const { tolerance } = this.#settings, { average_value: averageValue, value } = target;
    if (type === "Pods") return podsReplicas(sample, averageValue, current, tolerance);
    return externalReplicas(sample, {
      averageValue,
      value
    }, {
      current,
      ready,
      share: name === "kv_usage"
    }, tolerance);
  }
};
function shown({ type, name, target: { average_value, value } }, { byWorker, total, mean: mean2 }) {
  const sum = byWorker.reduce((all, one) => all + one, 0);
  const whole3 = name === "kv_usage" ? mean2 : total;
  return average_value === null ? {
    name,
    value: whole3,
    target: value,
    each: false
  } : type === "Pods" ? {
    name,
    value: byWorker.length > 0 ? sum / byWorker.length : null,
    target: average_value,
    each: true
  } : {
    name,
    value: name === "kv_usage" ? mean2 : total,
    target: average_value,
    each: name === "kv_usage"
  };
}

// lib/planner/listener.ts
function noFindings(floors) {
  return {
    estimatedTtftMs: null,
    estimatedItlMs: null,
    forecast: null,
    requestsPerSecond: {
      prefill: null,
      decode: null
    },
    floors: {
      ...floors
    },
    loadReason: null,
    loadReasons: {
      prefill: null,
      decode: null
    },
    throughputReason: null,
    throughputReasons: {
      prefill: null,
      decode: null
    },
    loadLimitsKnown: {},
    throughputLimitsKnown: {}
  };
}

// lib/autoscaler/policy.ts
var SLACK_S = 1e-9;
var AutoscalerPolicy = class {
  #loops;
  #metrics;
  #listener;
  #disaggregated;
  #lastS = 0;
  constructor({ loops, measured, listener }) {
    this.#loops = loops.map((loop) => ({
      loop,
      turns: 0
    }));
    this.#metrics = new Metrics(measured);
    this.#disaggregated = measured.prefill !== void 0;
    this.#listener = listener ?? null;
  }
  initialTickMs() {
    return this.#nextS() * 1e3;
  }
  onTick(snapshot) {
    const atS = snapshot.nowMs / 1e3;
    const traffic = this.#metrics.update(snapshot);
    const verdicts = {};
    for (const entry of this.#loops) {
      const { loop, turns } = entry;
      if ((turns + 1) * loop.everySeconds > atS + SLACK_S) continue;
      entry.turns++;
      if (verdicts[loop.role]) continue;
      const { active: active2, starting, draining } = snapshot[loop.role];
      const verdict = loop.decide({
        nowS: atS,
        active: active2.length,
        starting: starting.length,
        draining: draining.length,
        sample: (metric) => this.#metrics.sample(loop.role, metric)
      });
      if (verdict !== null) verdicts[loop.role] = verdict;
    }
    const targets = {
      prefill: null,
      decode: null
    };
    for (const role2 of ROLES) {
      const verdict = verdicts[role2], from = nonDraining(snapshot[role2]);
      if (!verdict || verdict.replicas === from) continue;
      targets[role2] = verdict.replicas;
      const component = this.#disaggregated ? role2 : "agg";
      this.#listener?.scaled({
        atS,
        component,
        from,
        to: verdict.replicas
      });
    }
    const nextS = this.#nextS();
    const decision = {
      targetPrefill: targets.prefill,
      targetDecode: targets.decode,
      nextTickMs: nextS * 1e3
    };
    this.#listener?.ticked(this.#view(snapshot, {
      atS,
      nextS,
      traffic,
      verdicts,
      decision
    }));
    this.#lastS = atS;
    return decision;
  }
  #nextS() {
    return Math.min(...this.#loops.map(({ loop, turns }) => (turns + 1) * loop.everySeconds));
  }
  #view(snapshot, { atS, nextS, traffic, verdicts, decision }) {
    const plan = (at, since) => ({
      atS: at,
      runLoadScaling: true,
      runThroughputScaling: false,
      needTraffic: true,
      useFullTraffic: false,
      trafficDurationS: at - since,
      needPasses: true
    });
    const prefill = this.#metrics.observed("prefill"), decode = this.#metrics.observed("decode");
    const { targetPrefill, targetDecode } = decision;
    const changes = targetPrefill !== null || targetDecode !== null;
    const reasons = {
      prefill: verdicts.prefill?.reason ?? null,
      decode: verdicts.decode?.reason ?? null
    };
    return {
      tick: plan(atS, this.#lastS),
      next: plan(nextS, atS),
      snapshot,
      traffic,
      counts: {
        prefill: prefill.counts,
        decode: decode.counts
      },
      rows: {
        prefill: prefill.rows,
        decode: decode.rows
      },
      findings: {
        ...noFindings({
          prefill: 0,
          decode: 0
        }),
        loadReason: this.#disaggregated ? null : reasons.decode,
        loadReasons: this.#disaggregated ? reasons : {
          prefill: null,
          decode: null
        }
      },
      scaleTo: changes ? {
        prefill: targetPrefill,
        decode: targetDecode
      } : null,
      decision,
      verdicts
    };
  }
};

// lib/planner/bootstrap.ts
var BENCHMARK_GRANULARITY = 8;
var SHORTEST_PROMPT = 100;
var CONTEXTS = [
  500,
  2e3,
  4e3,
  8e3
];
var DEFAULT_BATCHED_TOKENS = 8192;
var DEFAULT_SEQUENCES = 256;
var DEFAULT_KV_TOKENS = 262144;
function sampleRow(given) {
  return {
    ...emptyPassRow(0, 0, 0),
    ...given
  };
}
function prefillSamples({ maxBatchedTokens }, estimator2, granularity = BENCHMARK_GRANULARITY) {
  const most = maxBatchedTokens ?? DEFAULT_BATCHED_TOKENS;
  const step = Math.max(1, Math.floor((most - SHORTEST_PROMPT) / granularity));
  const rows = [];
  for (let tokens = SHORTEST_PROMPT; tokens <= most; tokens += step) {
    const ms = estimator2.estimateMs({
      ...emptyPass,
      prefillRequests: 1,
      prefillTokens: tokens
    });
    if (ms !== null && ms > 0) {
      rows.push(sampleRow({
        wallTimeS: ms / 1e3,
        prefillRequests: 1,
        prefillTokens: tokens
      }));
    }
  }
  return rows;
}
function decodeSamples({ maxSequences, kvTokens, speculationDepth }, estimator2, granularity = BENCHMARK_GRANULARITY) {
  const most = maxSequences ?? DEFAULT_SEQUENCES;
  const step = Math.max(1, Math.floor(most / granularity));
  const pool = kvTokens > 0 ? kvTokens : DEFAULT_KV_TOKENS;
  const perSequence = (speculationDepth ?? 0) + 1;
  const rows = [];
  for (const context of CONTEXTS) {
    for (let batch = 1; batch <= most && batch * context <= pool; batch += step) {
      const ms = estimator2.estimateMs({
        ...emptyPass,
        decodeRequests: batch * perSequence,
        decodeKvTokens: batch * (context + 1)
      });
      if (ms === null || !(ms > 0)) continue;
      rows.push(sampleRow({
        wallTimeS: ms / 1e3,
        decodeRequests: batch,
        decodeKvTokens: batch * context
      }));
    }
  }
  return rows;
}
function canonicalSample(row) {
  const none = {
    num_decode_requests: 0,
    num_prefill_requests: 0,
    sum_decode_kv_tokens: 0,
    sum_prefill_tokens: 0
  };
  const zeroVariance = {
    var_decode_kv_tokens: new Float(0),
    var_prefill_length: new Float(0)
  };
  return {
    counter_id: 0,
    dp_rank: 0,
    queued_requests: {
      ...none,
      ...zeroVariance
    },
    scheduled_requests: {
      num_decode_requests: row.decodeRequests,
      num_prefill_requests: row.prefillRequests,
      sum_decode_kv_tokens: row.decodeKvTokens,
      sum_prefill_kv_tokens: row.prefillKvTokens,
      sum_prefill_tokens: row.prefillTokens,
      ...zeroVariance
    },
    version: 1,
    wall_time: new Float(row.wallTimeS),
    worker_id: ""
  };
}
function samplesText(prefill, decode) {
  return canonicalJson({
    decode: decode.map(canonicalSample),
    prefill: prefill.map(canonicalSample)
  });
}
function bootstrap(roles, sha2562) {
  const aggregated = roles.prefill === null;
  const prefillRole = roles.prefill ?? roles.decode;
  const nothing = (status) => ({
    metadata: {
      status,
      benchmark_granularity: BENCHMARK_GRANULARITY
    },
    prefill: [],
    decode: []
  });
  if (!prefillRole.estimator || !roles.decode.estimator) return nothing("not_configured_load_only");
  const prefill = prefillSamples(prefillRole.engine, prefillRole.estimator);
  const decode = decodeSamples(roles.decode.engine, roles.decode.estimator);
  const empty = aggregated ? prefill.length === 0 && decode.length === 0 : prefill.length === 0 || decode.length === 0;
  return {
    metadata: {
      status: empty ? "empty" : "installed",
      benchmark_granularity: BENCHMARK_GRANULARITY,
      prefill_fpm_count: prefill.length,
      decode_fpm_count: decode.length,
      fpm_sha256: sha2562(samplesText(prefill, decode))
    },
    prefill,
    decode
  };
}
var failedBootstrap = {
  metadata: {
    status: "session_failed_load_only",
    benchmark_granularity: BENCHMARK_GRANULARITY
  },
  prefill: [],
  decode: []
};
var noBootstrap = {
  metadata: {
    status: "not_required"
  },
  prefill: [],
  decode: []
};

// lib/planner/budget.ts
var active = (bound) => bound >= 0;
function inBand(total, tolerance, { minGpus, maxGpus }) {
  return (!active(maxGpus) || total <= maxGpus) && (!active(minGpus) || total >= minGpus - tolerance);
}
function outOfBand(totalGpus, largestCost, band) {
  return !inBand(totalGpus, active(band.minGpus) && active(band.maxGpus) ? largestCost : 0, band);
}
function clampSingle(wanted, budget) {
  const { gpus, minimum, minGpus, maxGpus } = budget;
  if (!active(minGpus) && !active(maxGpus) || gpus <= 0 || !outOfBand(wanted * gpus, gpus, budget)) return wanted;
  if (active(maxGpus) && wanted * gpus > maxGpus) {
    return maxGpus < minimum * gpus ? 0 : Math.max(minimum, Math.floor(maxGpus / gpus));
  }
  return Math.max(minimum, Math.ceil(minGpus / gpus));
}
function guardSingle(current, proposed, budget) {
  const { gpus, minGpus, maxGpus } = budget;
  const total = current * gpus;
  if (outOfBand(total, gpus, budget)) return {
    count: clampSingle(current, budget),
    reason: "gpu_budget_reconcile"
  };
  const hold = {
    count: current,
    reason: "gpu_budget_guard_hold"
  };
  if (active(minGpus) && total <= minGpus && proposed < current) return hold;
  if (active(maxGpus) && total >= maxGpus && proposed > current) return hold;
  const fitted = clampSingle(proposed, budget);
  const between = fitted >= Math.min(current, proposed) && fitted <= Math.max(current, proposed);
  return between ? {
    count: fitted,
    reason: null
  } : hold;
}
var gpuTotal = (pair, gpus) => pair.prefill * gpus.prefill + pair.decode * gpus.decode;
var equal = (a, b) => a.prefill === b.prefill && a.decode === b.decode;
var free = ({ prefill, decode }) => prefill <= 0 || decode <= 0;
function clampPair(wanted, budget) {
  const { gpus, minimum, minGpus, maxGpus } = budget;
  if (!active(minGpus) && !active(maxGpus) || free(gpus)) return wanted;
  const total = gpuTotal(wanted, gpus);
  if (!outOfBand(total, Math.max(gpus.prefill, gpus.decode), budget)) return wanted;
  if (active(maxGpus) && total > maxGpus) {
    if (maxGpus < gpuTotal(minimum, gpus)) return {
      prefill: 0,
      decode: 0
    };
    const room = Math.floor((maxGpus - minimum.decode * gpus.decode) / gpus.prefill);
    const prefill2 = Math.max(minimum.prefill, Math.min(room, Math.floor(wanted.prefill * (maxGpus / total))));
    return {
      prefill: prefill2,
      decode: Math.max(minimum.decode, Math.floor((maxGpus - prefill2 * gpus.prefill) / gpus.decode))
    };
  }
  const share = total <= 0 ? minGpus / 2 / gpus.prefill : wanted.prefill * (minGpus / total);
  const prefill = Math.max(minimum.prefill, Math.ceil(share));
  const needed2 = Math.max(minimum.decode, Math.ceil(Math.max(0, minGpus - prefill * gpus.prefill) / gpus.decode));
  const decode = Math.max(wanted.decode, needed2);
  if (!active(maxGpus) || prefill * gpus.prefill + decode * gpus.decode <= maxGpus) return {
    prefill,
    decode
  };
  return needed2 < wanted.decode ? fitTowards(wanted, {
    prefill,
    decode: needed2
  }, budget) : wanted;
}
function fitTowards(current, proposed, budget) {
  const { gpus, minimum, minGpus, maxGpus } = budget;
  if (free(gpus)) return proposed;
  const tolerance = active(minGpus) && active(maxGpus) ? Math.max(gpus.prefill, gpus.decode) : 0;
  let lowP = Math.max(minimum.prefill, Math.min(current.prefill, proposed.prefill));
  let lowD = Math.max(minimum.decode, Math.min(current.decode, proposed.decode));
  let highP = Math.max(current.prefill, proposed.prefill);
  let highD = Math.max(current.decode, proposed.decode);
  if (active(maxGpus)) {
    highP = Math.min(highP, Math.floor((maxGpus - lowD * gpus.decode) / gpus.prefill));
    highD = Math.min(highD, Math.floor((maxGpus - lowP * gpus.prefill) / gpus.decode));
  }
  if (active(minGpus)) {
    lowP = Math.max(lowP, Math.ceil((minGpus - tolerance - highD * gpus.decode) / gpus.prefill));
    lowD = Math.max(lowD, Math.ceil((minGpus - tolerance - highP * gpus.prefill) / gpus.decode));
  }
  if (lowP > highP || lowD > highD) return current;
  const reachable = proposed.prefill >= lowP && proposed.prefill <= highP && proposed.decode >= lowD && proposed.decode <= highD;
  if (reachable && inBand(gpuTotal(proposed, gpus), tolerance, budget)) return proposed;
  const stepP = proposed.prefill - current.prefill, stepD = proposed.decode - current.decode;
  const opposing = stepP * stepD < 0;
  let best = null, bestMiss = 0, bestSkew = 0, bestMoved = 0;
  for (let prefill = lowP; prefill <= highP; prefill++) {
    for (let decode = lowD; decode <= highD; decode++) {
      const movedP = Math.abs(prefill - current.prefill), movedD = Math.abs(decode - current.decode);
      if (opposing && movedP === 0 !== (movedD === 0)) continue;
      if (!inBand(prefill * gpus.prefill + decode * gpus.decode, tolerance, budget)) continue;
      const miss = Math.abs(proposed.prefill - prefill) + Math.abs(proposed.decode - decode);
      const skew = Math.abs(movedP * Math.abs(stepD) - movedD * Math.abs(stepP));
      const moved = movedP + movedD;
      const better = miss - bestMiss || skew - bestSkew || bestMoved - moved;
      if (best === null || better < 0) {
        best = {
          prefill,
          decode
        };
        bestMiss = miss, bestSkew = skew, bestMoved = moved;
      }
    }
  }
  return best ?? current;
}
function guardPair(current, proposed, budget) {
  const { gpus, minGpus, maxGpus } = budget;
  if (free(gpus)) return {
    count: clampPair(proposed, budget),
    reason: null
  };
  const tolerance = active(maxGpus) ? Math.max(gpus.prefill, gpus.decode) : 0;
  const total = gpuTotal(current, gpus);
  if (!inBand(total, tolerance, budget)) return {
    count: clampPair(current, budget),
    reason: "gpu_budget_reconcile"
  };
  const hold = {
    count: current,
    reason: "gpu_budget_guard_hold"
  };
  const down = proposed.prefill < current.prefill || proposed.decode < current.decode;
  const up = proposed.prefill > current.prefill || proposed.decode > current.decode;
  const trade = () => {
    const count4 = fitTowards(current, proposed, budget);
    return equal(count4, current) ? hold : {
      count: count4,
      reason: null
    };
  };
  if (total <= minGpus && down) return up ? trade() : hold;
  if (active(maxGpus) && total >= maxGpus && up) return down ? trade() : hold;
  const count3 = clampPair(proposed, budget);
  const within2 = (role2) => count3[role2] >= Math.min(current[role2], proposed[role2]) && count3[role2] <= Math.max(current[role2], proposed[role2]);
  const fits = within2("prefill") && within2("decode") && inBand(gpuTotal(count3, gpus), tolerance, budget);
  return fits ? {
    count: count3,
    reason: null
  } : hold;
}
var below = (ready, minimum) => ready.prefill < minimum.prefill || ready.decode < minimum.decode;
var raised = (pair, minimum) => ({
  prefill: Math.max(pair.prefill, minimum.prefill),
  decode: Math.max(pair.decode, minimum.decode)
});
function guardPairWithRecovery(current, proposed, budget) {
  if (!below(current, budget.minimum)) return guardPair(current, proposed, budget);
  return {
    count: clampPair(raised(proposed, budget.minimum), budget),
    reason: "gpu_budget_reconcile"
  };
}
function fitUnderCeiling(current, wanted, budget) {
  const ceiling2 = {
    ...budget,
    minGpus: -1
  };
  if (below(current, budget.minimum)) return clampPair(raised(wanted, budget.minimum), ceiling2);
  return fitTowards(current, wanted, ceiling2);
}

// lib/planner/sla_scaling.ts
function idleWish(rows, { ready, minimum }) {
  if (rows.length === 0 || !rows.every(isIdle)) return null;
  return Math.max(1, minimum, ready - 1);
}
var isIdle = (row) => row.prefillRequests === 0 && row.prefillTokens === 0 && row.prefillKvTokens === 0 && row.prefillLengthVariance === 0 && row.decodeRequests === 0 && row.decodeKvTokens === 0 && row.decodeKvVariance === 0 && row.queuedPrefillRequests === 0 && row.queuedPrefillTokens === 0 && row.queuedPrefillLengthVariance === 0 && row.queuedDecodeRequests === 0 && row.queuedDecodeKvTokens === 0 && row.queuedDecodeKvVariance === 0;
var consolidation = (ready) => ready > 1 ? ready / (ready - 1) : 1;
function decide(rows, bound, { ready, minimum }, stayIfRefused, judge2) {
  let canDown = ready > 1, refused = false;
  const estimates = [];
  for (const row of rows) {
    const { estimateMs: estimateMs2, fewer } = judge2(row, canDown);
    if (estimateMs2 !== null) estimates.push(estimateMs2);
    if (canDown && fewer !== "fine") {
      canDown = false;
      refused = fewer === "refused";
    }
  }
  const estimateMs = estimates.length > 0 ? Math.max(...estimates) : null;
  const limitsKnown2 = true;
  if (estimateMs === null) return {
    desired: null,
    reason: "insufficient_data",
    refused,
    estimateMs,
    limitsKnown: limitsKnown2
  };
  if (estimates.every((estimate) => estimate > bound)) {
    return {
      desired: ready + 1,
      reason: "no_change",
      refused: false,
      estimateMs,
      limitsKnown: limitsKnown2
    };
  }
  if (canDown) {
    return {
      desired: Math.max(ready - 1, minimum),
      reason: "no_change",
      refused,
      estimateMs,
      limitsKnown: limitsKnown2
    };
  }
  if (!refused) return {
    desired: null,
    reason: "no_change",
    refused,
    estimateMs,
    limitsKnown: limitsKnown2
  };
  const reason2 = "scale_down_refused_consolidation";
  return {
    desired: stayIfRefused ? ready : null,
    reason: reason2,
    refused,
    estimateMs,
    limitsKnown: limitsKnown2
  };
}
function prefillSide(rows, context) {
  const { model, ttftMs: bound, sensitivity, kvHitRate } = context;
  const ttft = (row, queue) => model.ttftMs(row, {
    queue,
    decode: 1,
    queuedDecodesJoin: false,
    kvHitRate
  });
  const crowd = consolidation(context.ready);
  return decide(rows, bound, context, false, (row, considerFewer) => {
    const estimateMs = ttft(row, 1);
    if (!considerFewer) return {
      estimateMs,
      fewer: "unknown"
    };
    const own = ttft(row, 0);
    if (own === null) return {
      estimateMs,
      fewer: "unknown"
    };
    const room = (bound - own) * sensitivity;
    if (room <= 0) return {
      estimateMs,
      fewer: "refused"
    };
    const crowded = ttft(row, crowd);
    if (crowded === null) return {
      estimateMs,
      fewer: "unknown"
    };
    return {
      estimateMs,
      fewer: crowded - own >= room ? "refused" : "fine"
    };
  });
}
function aggregatedTtftSide(rows, context) {
  const { model, ttftMs: bound, sensitivity, kvHitRate } = context;
  const crowd = consolidation(context.ready);
  const crowded = (row, queue) => model.ttftMs(row, {
    queue,
    decode: crowd,
    queuedDecodesJoin: true,
    kvHitRate
  });
  return decide(rows, bound, context, true, (row, considerFewer) => {
    const estimateMs = model.ttftMs(row, {
      queue: 1,
      decode: 1,
      queuedDecodesJoin: false,
      kvHitRate
    });
    if (!considerFewer) return {
      estimateMs,
      fewer: "unknown"
    };
    const own = crowded(row, 0), after = crowded(row, crowd);
    if (own === null || after === null) return {
      estimateMs,
      fewer: "unknown"
    };
    const room = (bound - own) * sensitivity;
    return {
      estimateMs,
      fewer: room <= 0 || after - own >= room ? "refused" : "fine"
    };
  });
}
function decodeSide(rows, context, { aggregated }) {
  const { model, itlMs: bound, sensitivity, maxKvTokens, acceptLength } = context;
  const crowd = consolidation(context.ready);
  const itl = (row, scale, queuedPrefillsToo) => {
    const ms = model.decodeMs(row, {
      scale,
      queuedPrefillsToo
    });
    return ms === null ? null : ms / acceptLength;
  };
  return decide(rows, bound, context, aggregated, (row, considerFewer) => {
    const estimateMs = itl(row, 1, false);
    if (!considerFewer) return {
      estimateMs,
      fewer: "unknown"
    };
    const prompts = aggregated ? row.queuedPrefillTokens : 0;
    const kv = Math.trunc((row.decodeKvTokens + row.queuedDecodeKvTokens + prompts) * crowd);
    if (maxKvTokens !== null && kv >= maxKvTokens) return {
      estimateMs,
      fewer: "refused"
    };
    const crowded = itl(row, crowd, aggregated);
    if (crowded === null) return {
      estimateMs,
      fewer: "unknown"
    };
    return {
      estimateMs,
      fewer: crowded >= bound * sensitivity ? "refused" : "fine"
    };
  });
}

// lib/planner/threshold_scaling.ts
function thresholds(side, target, config) {
  const reaches = (bound) => (value) => value >= bound;
  const atMost = (bound) => (value) => value <= bound;
  const exceeds = (bound) => (value) => value > bound;
  const below2 = (bound) => (value) => value < bound;
  if (target === "load") {
    const queue = side === "prefill";
    const up = queue ? config.prefill_scale_up_queue_tokens : config.decode_scale_up_kv_rate / 100;
    const down = queue ? config.prefill_scale_down_queue_tokens : config.decode_scale_down_kv_rate / 100;
    return {
      up: reaches(up),
      down: atMost(down),
      upAt: up
    };
  }
  if (side === "prefill") {
    return target === "latency" ? {
      up: reaches(0.1),
      down: atMost(0),
      upAt: 0.1
    } : {
      up: reaches(1),
      down: below2(0.1),
      upAt: 1
    };
  }
  return target === "latency" ? {
    up: exceeds(0.4),
    down: below2(0.1),
    upAt: 0.4
  } : {
    up: exceeds(1),
    down: below2(0.6),
    upAt: 1
  };
}
function weigh(side, target, engine) {
  if (side === "prefill") {
    if (target === "load") return (row) => row.queuedPrefillTokens;
    const limit2 = engine.contextTokens;
    return limit2 !== null && limit2 > 0 ? (row) => row.queuedPrefillTokens / limit2 : null;
  }
  const limit = engine.maxKvTokens;
  if (limit === null || limit <= 0) return null;
  const prompts = side === "aggregated" ? 1 : 0;
  return (row) => (row.decodeKvTokens + row.queuedDecodeKvTokens + prompts * row.queuedPrefillTokens) / limit;
}
function thresholdSide(side, rows, { config, engine, ready, minimum }) {
  const target = config.optimization_target;
  const weight = weigh(side, target, engine);
  const none = {
    desired: null,
    refused: false,
    estimateMs: null,
    limitsKnown: weight !== null
  };
  if (side === "prefill" && ready === 0) return {
    ...none,
    reason: "insufficient_data",
    limitsKnown: null
  };
  if (weight === null) return {
    ...none,
    reason: "missing_engine_metadata"
  };
  if (ready === 0) return {
    ...none,
    reason: "insufficient_data"
  };
  const { up, down, upAt } = thresholds(side, target, config);
  const values = rows.map(weight);
  const decided = (desired) => ({
    ...none,
    desired,
    reason: "no_change"
  });
  if (values.some(up)) return decided(ready + 1);
  if (ready > 1 && values.every(down)) {
    const fewer = Math.max(ready - 1, minimum, 1);
    const flaps = fewer < ready && Math.max(...values) * ready / fewer >= upAt;
    return decided(flaps ? ready : fewer);
  }
  return {
    ...none,
    reason: "no_change"
  };
}

// lib/planner/load_scaling.ts
var unsettled = ({ ready, expected, inProgress }) => inProgress || ready !== expected;
function covered(rows, ready) {
  const ranks = /* @__PURE__ */ new Map();
  for (const { workerId } of rows) ranks.set(workerId, (ranks.get(workerId) ?? 0) + 1);
  const counts = new Set(ranks.values());
  return ranks.size === ready && counts.size <= 1;
}
function proposeLoad(input) {
  return input.config.mode === "agg" ? proposeAggregated(input) : proposeDisaggregated(input);
}
function slaContext(input, model, role2) {
  const { config } = input;
  return {
    model,
    ready: input.counts[role2].ready,
    minimum: input.budget.minimum[role2],
    ttftMs: config.ttft_ms,
    itlMs: config.itl_ms,
    sensitivity: config.load_scaling_down_sensitivity / 100,
    maxKvTokens: input.engines[role2]?.maxKvTokens ?? null,
    kvHitRate: input.kvHitRate,
    acceptLength: input.acceptLength
  };
}
function proposeAggregated(input) {
  const { config, engines, counts, models, floors } = input;
  const { ready } = counts.decode;
  const without = (reason3, limitsKnown2 = {}) => ({
    counts: null,
    reason: reason3,
    roleReasons: null,
    estimatedTtftMs: null,
    estimatedItlMs: null,
    limitsKnown: limitsKnown2
  });
  const rows = input.rows.decode;
  const gate = !rows ? "no_fpm_data" : unsettled(counts.decode) ? "scaling_in_progress" : covered(rows, ready) ? null : "worker_count_mismatch";
  if (!rows || gate) return without(gate ?? "no_fpm_data");
  const minimum = input.budget.minimum.decode;
  const budget = {
    ...input.budget,
    gpus: input.budget.gpus.decode,
    minimum
  };
  const sla2 = config.optimization_target === "sla";
  const idle = sla2 ? idleWish(rows, {
    ready,
    minimum
  }) : null;
  let wish, refused = false;
  let estimates = without("no_change");
  if (idle !== null) {
    wish = idle;
  } else if (sla2) {
    const model = models.decode;
    const limited = engines.decode.maxBatchedTokens !== null;
    const limitsKnown2 = {
      decode: limited && model !== null
    };
    if (!model?.ready) {
      return without(limitsKnown2.decode ? "insufficient_data" : "missing_engine_metadata", limitsKnown2);
    }
    const context = slaContext(input, model, "decode");
    const prompts = limited ? aggregatedTtftSide(rows, context) : unlimited;
    const tokens = decodeSide(rows, context, {
      aggregated: true
    });
    const roleReasons = limited ? null : {
      prefill: null,
      decode: prompts.reason
    };
    estimates = {
      estimatedTtftMs: prompts.estimateMs,
      estimatedItlMs: tokens.estimateMs,
      limitsKnown: limitsKnown2,
      roleReasons
    };
    wish = combine(prompts.desired, tokens.desired, ready);
    refused = prompts.refused || tokens.refused;
  } else {
    const side = thresholdSide("aggregated", rows, {
      config,
      engine: engines.decode,
      ready,
      minimum
    });
    const limitsKnown2 = {
      decode: side.limitsKnown ?? false
    };
    if (side.desired === null) return without(side.reason, limitsKnown2);
    estimates = {
      ...estimates,
      limitsKnown: limitsKnown2
    };
    wish = side.desired;
  }
  const floor = sla2 && config.enable_throughput_scaling ? floors.decode : 0;
  const raised2 = Math.max(wish, minimum, floor);
  const { count: count3, reason: guard } = guardSingle(ready, raised2, budget);
  const capped = count3 > wish && wish < ready;
  let reason2;
  if (count3 < ready) reason2 = capped ? "scale_down_capped_by_throughput" : "scale_down";
  else if (count3 > ready) reason2 = "scale_up";
  else if (!sla2 || idle !== null) reason2 = "no_change";
  else if (capped) reason2 = "scale_down_capped_by_throughput";
  else reason2 = refused ? "scale_down_refused_consolidation" : "no_change";
  return {
    ...estimates,
    counts: count3 === ready ? null : {
      prefill: null,
      decode: count3
    },
    reason: guard ?? reason2
  };
}
function combine(prompts, tokens, ready) {
  if (prompts !== null && prompts > ready) return prompts;
  if (tokens !== null && tokens > ready) return tokens;
  if (prompts === null && tokens !== null && tokens < ready) return tokens;
  if (prompts !== null && tokens !== null && prompts < ready && tokens < ready) return Math.max(prompts, tokens);
  return ready;
}
var IMPORTANCE = [
  "scale_up",
  "scale_down_capped_by_throughput",
  "scale_down",
  "no_change"
];
var noWish = {
  desired: null,
  reason: "no_change",
  refused: false,
  estimateMs: null,
  limitsKnown: null
};
var unknown2 = {
  ...noWish,
  reason: "insufficient_data",
  limitsKnown: true
};
var unlimited = {
  ...noWish,
  reason: "missing_engine_metadata",
  limitsKnown: false
};
function proposeDisaggregated(input) {
  const { config, counts, rows, floors, budget } = input;
  const ready = {
    prefill: counts.prefill.ready,
    decode: counts.decode.ready
  };
  const gate = !rows.prefill && !rows.decode ? "no_fpm_data" : unsettled(counts.prefill) || unsettled(counts.decode) ? "scaling_in_progress" : rows.prefill && !covered(rows.prefill, ready.prefill) || rows.decode && !covered(rows.decode, ready.decode) ? "worker_count_mismatch" : null;
  if (gate) {
    const roleReasons2 = {
      prefill: gate,
      decode: gate
    };
    return {
      counts: null,
      reason: gate,
      roleReasons: roleReasons2,
      estimatedTtftMs: null,
      estimatedItlMs: null,
      limitsKnown: {}
    };
  }
  const sides = {
    prefill: sideOf("prefill", input),
    decode: sideOf("decode", input)
  };
  const estimates = {
    estimatedTtftMs: sides.prefill.estimateMs,
    estimatedItlMs: sides.decode.estimateMs
  };
  const wish = {
    prefill: sides.prefill.desired ?? ready.prefill,
    decode: sides.decode.desired ?? ready.decode
  };
  const withFloors = config.optimization_target === "sla" && config.enable_throughput_scaling;
  const floored = withFloors ? atLeast(wish, floors) : wish;
  const raisedBy = {
    prefill: floored.prefill > wish.prefill,
    decode: floored.decode > wish.decode
  };
  let wanted = atLeast(floored, budget.minimum);
  if (raisedBy.prefill || raisedBy.decode) wanted = fitUnderCeiling(ready, wanted, budget);
  const { count: count3, reason: guard } = guardPairWithRecovery(ready, wanted, budget);
  const roleReason = (role2) => {
    if (sides[role2].reason === "missing_engine_metadata") return "missing_engine_metadata";
    if (count3[role2] > ready[role2]) return "scale_up";
    if (raisedBy[role2] && wish[role2] < ready[role2]) return "scale_down_capped_by_throughput";
    return count3[role2] < ready[role2] ? "scale_down" : "no_change";
  };
  const roleReasons = {
    prefill: roleReason("prefill"),
    decode: roleReason("decode")
  };
  let reason2 = IMPORTANCE.find((each) => each === roleReasons.prefill || each === roleReasons.decode) ?? "missing_engine_metadata";
  const changed = count3.prefill !== ready.prefill || count3.decode !== ready.decode;
  if (!changed) {
    let first = null;
    for (const role2 of [
      "prefill",
      "decode"
    ]) {
      if (sides[role2].reason === "no_change") continue;
      roleReasons[role2] = sides[role2].reason;
      first ??= sides[role2].reason;
    }
    reason2 = first ?? reason2;
  }
  const limitsKnown2 = {};
  for (const role2 of [
    "prefill",
    "decode"
  ]) {
    const known = sides[role2].limitsKnown;
    if (known !== null) limitsKnown2[role2] = known;
  }
  return {
    counts: changed ? count3 : null,
    reason: guard ?? reason2,
    roleReasons,
    ...estimates,
    limitsKnown: limitsKnown2
  };
}
var atLeast = (pair, least) => ({
  prefill: Math.max(pair.prefill, least.prefill),
  decode: Math.max(pair.decode, least.decode)
});
function sideOf(role2, input) {
  const rows = input.rows[role2];
  if (!rows) return noWish;
  const engine = input.engines[role2];
  const { ready } = input.counts[role2];
  if (input.config.optimization_target !== "sla") {
    return thresholdSide(role2, rows, {
      config: input.config,
      engine,
      ready,
      minimum: input.budget.minimum[role2]
    });
  }
  const idle = idleWish(rows, {
    ready,
    minimum: input.budget.minimum[role2]
  });
  if (idle !== null) return {
    ...noWish,
    desired: idle
  };
  const model = input.models[role2];
  const limitsKnown2 = model !== null && !(role2 === "prefill" && engine.maxBatchedTokens === null);
  if (!model?.ready) return limitsKnown2 ? unknown2 : unlimited;
  if (ready === 0) return {
    ...unknown2,
    limitsKnown: limitsKnown2
  };
  if (!limitsKnown2) return unlimited;
  const context = slaContext(input, model, role2);
  return role2 === "prefill" ? prefillSide(rows, context) : decodeSide(rows, context, {
    aggregated: false
  });
}

// lib/planner/model/capacity.ts
var MOST_CANDIDATES = 128;
function* batchSizes(largest) {
  if (largest <= MOST_CANDIDATES) {
    for (let size = 1; size <= largest; size++) yield size;
  } else {
    for (let i = 0; i < MOST_CANDIDATES; i++) yield 1 + Math.floor(i * (largest - 1) / (MOST_CANDIDATES - 1));
  }
}
function engineCapacity(role2, estimator2, limits, question) {
  const { inputTokens, outputTokens } = question;
  if (!(inputTokens > 0) || role2 !== "prefill" && !(outputTokens > 0)) return null;
  const input = Math.ceil(inputTokens);
  const shape = {
    output: Math.max(1, Math.ceil(outputTokens)),
    computed: Math.max(1, Math.ceil(input * missShare(question.kvHitRate))),
    context: 0,
    accept: Math.max(1, question.acceptLength)
  };
  shape.context = Math.max(1, input + Math.floor(shape.output / 2));
  const points = {
    prefill: prefillPoint,
    decode: decodePoint,
    aggregated: aggregatedPoint
  };
  const largest = largestBatch(role2, limits, shape);
  let best = null;
  for (const batch of batchSizes(largest)) {
    const point = points[role2](estimator2, limits, shape, batch, question);
    if (point === "unavailable") return null;
    if (point === null) continue;
    const better = best === null || point.eligible && !best.eligible || point.eligible === best.eligible && point.requestsPerSecond > best.requestsPerSecond;
    if (better) best = point;
  }
  return best;
}
function largestBatch(role2, limits, { computed, context }) {
  const { maxBatchedTokens, maxSequences, maxKvTokens } = limits;
  if (role2 === "prefill") {
    return computed > maxBatchedTokens ? 1 : Math.min(maxSequences, Math.floor(maxBatchedTokens / computed));
  }
  const decode = Math.min(maxSequences, Math.floor(maxKvTokens / context));
  if (role2 === "decode") return decode;
  return maxBatchedTokens <= 1 ? 0 : Math.min(decode, Math.max(1, maxBatchedTokens - 1));
}
function prefillPoint(estimator2, { maxBatchedTokens }, { computed }, batch, { ttftMs: bound }) {
  const one = {
    prefillRequests: 1,
    decodeRequests: 0,
    decodeKvTokens: 0
  };
  const seconds = chunkedSeconds(estimator2, computed * batch, maxBatchedTokens, one);
  if (seconds === null) return "unavailable";
  if (seconds <= 0) return null;
  const ttftMs = seconds * 1e3;
  return {
    requestsPerSecond: batch / seconds,
    ttftMs,
    itlMs: null,
    e2eMs: ttftMs,
    eligible: ttftMs <= bound
  };
}
function decodePoint(estimator2, _limits, { output, context, accept }, batch, { itlMs: bound }) {
  const seconds = passSeconds(estimator2, {
    ...emptyPass,
    decodeRequests: batch,
    decodeKvTokens: batch * context
  });
  if (seconds === null) return "unavailable";
  if (seconds <= 0) return null;
  const itl = seconds / accept;
  const itlMs = itl * 1e3;
  return {
    requestsPerSecond: batch / (output * itl),
    ttftMs: null,
    itlMs,
    e2eMs: null,
    eligible: itlMs <= bound
  };
}
function aggregatedPoint(estimator2, { maxBatchedTokens }, { output, computed, context, accept }, batch, { ttftMs: ttftBound, itlMs: itlBound }) {
  const prompts = Math.ceil(batch * accept * computed / output);
  if (prompts > maxBatchedTokens - batch) return null;
  const decodes = {
    prefillRequests: 1,
    decodeRequests: batch,
    decodeKvTokens: batch * context
  };
  const seconds = passSeconds(estimator2, {
    ...decodes,
    prefillKvTokens: 0,
    prefillTokens: Math.min(maxBatchedTokens, prompts)
  });
  if (seconds === null) return "unavailable";
  if (seconds <= 0) return null;
  const wait = chunkedSeconds(estimator2, prompts + computed, maxBatchedTokens, decodes);
  if (wait === null) return "unavailable";
  const itl = seconds / accept;
  const ttftMs = wait * 1e3, itlMs = itl * 1e3;
  return {
    requestsPerSecond: batch / (output * itl),
    ttftMs,
    itlMs,
    e2eMs: ttftMs + itlMs * (output - 1),
    eligible: ttftMs <= ttftBound && itlMs <= itlBound
  };
}

// lib/planner/model/load_queries.ts
var whole2 = (x) => Math.max(0, Math.ceil(x));
function queuedPrefillSeconds({ role: role2, estimator: estimator2, maxBatchedTokens, meanInputTokens }, row, { queue, decode, queuedDecodesJoin, kvHitRate }) {
  if (role2 === "decode") return null;
  let tokens = row.queuedPrefillTokens * queue, requests = row.queuedPrefillRequests * queue;
  if (meanInputTokens > 0) {
    tokens += meanInputTokens;
    requests += 1;
  }
  const joining = queuedDecodesJoin ? 1 : 0;
  const decodes = whole2((row.decodeRequests + joining * row.queuedDecodeRequests) * decode);
  const decodeKv = whole2((row.decodeKvTokens + joining * row.queuedDecodeKvTokens) * decode);
  const mixed = role2 === "aggregated";
  return chunkedSeconds(estimator2, whole2(tokens * missShare(kvHitRate)), maxBatchedTokens, {
    prefillRequests: Math.max(1, whole2(requests)),
    decodeRequests: mixed ? decodes : 0,
    decodeKvTokens: mixed ? decodeKv : 0
  });
}
function decodeIterationSeconds({ role: role2, estimator: estimator2, meanDecodeTokens, typicalPrefill }, row, { scale, queuedPrefillsToo }) {
  if (role2 === "prefill") return null;
  const coming = queuedPrefillsToo ? 1 : 0;
  let kv = (row.decodeKvTokens + row.queuedDecodeKvTokens + coming * row.queuedPrefillTokens) * scale;
  let requests = (row.decodeRequests + row.queuedDecodeRequests + coming * row.queuedPrefillRequests) * scale;
  if (meanDecodeTokens > 0) {
    kv += meanDecodeTokens;
    requests += 1;
  }
  const mixed = role2 === "aggregated";
  return passSeconds(estimator2, {
    prefillRequests: mixed ? typicalPrefill.requests : 0,
    prefillTokens: mixed ? typicalPrefill.tokens : 0,
    prefillKvTokens: 0,
    decodeRequests: whole2(requests),
    decodeKvTokens: whole2(kv)
  });
}

// lib/planner/model/moving_average.ts
var MovingAverage = class {
  #capacity;
  #values = [];
  #sum = 0;
  constructor(capacity2) {
    this.#capacity = capacity2;
  }
  /** Takes a value. */
  add(value) {
    if (this.#values.length === 0 && !(value > 0)) return;
    this.#sum += value;
    this.#values.push(value);
    if (this.#values.length > this.#capacity) this.#sum -= this.#values.shift();
  }
  /** The mean. */
  get mean() {
    return this.#values.length === 0 ? 0 : this.#sum / this.#values.length;
  }
};

// lib/planner/model/sample_store.ts
var Axis = class {
  low;
  high;
  constructor(low = Infinity, high = -Infinity) {
    this.low = low;
    this.high = high;
  }
  /** Whether the bounds had to grow. */
  include(z) {
    const grows = z < this.low || z > this.high;
    this.low = Math.min(this.low, z);
    this.high = Math.max(this.high, z);
    return grows;
  }
  bin(z, bins) {
    if (this.high <= this.low) return 0;
    return Math.min(bins - 1, Math.max(0, Math.trunc((z - this.low) / (this.high - this.low) * bins)));
  }
};
var SampleStore = class _SampleStore {
  #options;
  #axes = [
    new Axis(),
    new Axis()
  ];
  /** Bins that hold something, in the order in which they began to. */
  #bins = [];
  #byKey = /* @__PURE__ */ new Map();
  #size = 0;
  #arrivals = 0;
  constructor(options) {
    this.#options = options;
  }
  /** The same samples, which go on by themselves. A choice of ties that is drawn goes on in common. */
  clone() {
    const clone = new _SampleStore(this.#options), [first, second] = this.#axes;
    clone.#axes = [
      new Axis(first.low, first.high),
      new Axis(second.low, second.high)
    ];
    for (const { key, samples } of this.#bins) clone.#open(key, samples.slice());
    clone.#size = this.#size;
    clone.#arrivals = this.#arrivals;
    return clone;
  }
  /** Samples held. */
  get size() {
    return this.#size;
  }
  /** Takes a sample and drops one when there are too many. */
  add(sample) {
    const { x1, x2, y } = sample;
    const stored = {
      x1,
      x2,
      y,
      z1: Math.log(1 + x1),
      z2: Math.log(1 + x2),
      order: this.#arrivals++
    };
    const grown1 = this.#axes[0].include(stored.z1), grown2 = this.#axes[1].include(stored.z2);
    if ((grown1 || grown2) && this.#size > 0) this.#rebin();
    this.#put(stored);
    this.#size++;
    if (this.#size > this.#options.capacity) this.#dropOne();
  }
  /** Writes the samples, bin by bin, into columns at least `size` long. */
  copyTo(columns) {
    let at = 0;
    for (const { samples } of this.#bins) {
      for (let i = 0; i < samples.length; i++, at++) {
        columns.x1[at] = samples[i].x1;
        columns.x2[at] = samples[i].x2;
        columns.y[at] = samples[i].y;
      }
    }
  }
  #put(sample) {
    const count3 = this.#options.binsPerAxis;
    const key = this.#axes[0].bin(sample.z1, count3) * count3 + this.#axes[1].bin(sample.z2, count3);
    const bin = this.#byKey.get(key);
    if (bin) bin.samples.push(sample);
    else this.#open(key, [
      sample
    ]);
  }
  #open(key, samples) {
    const bin = {
      key,
      samples
    };
    this.#bins.push(bin);
    this.#byKey.set(key, bin);
  }
  #rebin() {
    const bins = this.#bins, { random } = this.#options;
    if (random) shuffle(bins, random);
    else bins.sort((a, b) => a.samples[0].order - b.samples[0].order);
    this.#bins = [];
    this.#byKey = /* @__PURE__ */ new Map();
    for (const { samples } of bins) for (const sample of samples) this.#put(sample);
  }
  #dropOne() {
    const { random } = this.#options;
    const { key, samples } = random === void 0 ? this.#firstOfFullest() : this.#drawnOfFullest(random);
    samples.shift();
    if (samples.length === 0) {
      this.#bins.splice(this.#bins.findIndex((bin) => bin.key === key), 1);
      this.#byKey.delete(key);
    }
    this.#size--;
  }
  /** Of the fullest bins the one whose front sample arrived first. */
  #firstOfFullest() {
    const bins = this.#bins;
    let chosen = bins[0];
    for (let i = 1; i < bins.length; i++) {
      const { samples } = bins[i], lead = samples.length - chosen.samples.length;
      if (lead > 0 || lead === 0 && samples[0].order < chosen.samples[0].order) chosen = bins[i];
    }
    return chosen;
  }
  #drawnOfFullest(random) {
    let fullest = [];
    for (const bin of this.#bins) {
      const lead = bin.samples.length - (fullest[0]?.samples.length ?? 0);
      if (lead > 0) fullest = [
        bin
      ];
      else if (lead === 0) fullest.push(bin);
    }
    return fullest[Math.floor(random() * fullest.length)];
  }
};
function shuffle(items, random) {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [
      items[j],
      items[i]
    ];
  }
}

// lib/planner/model/regression.ts
var SMALLEST_MS = 1e-6;
var CONSTANT = 1e-12;
var SMALLEST_PIVOT = 1e-12;
var RIDGE = 1e-9;
var SAME_ERROR = 1e-12;
var MOST_WAITING = 256;
var FittedStore = class {
  #samples;
  #minimum;
  /** Samples that came since the fit, and what there was before them. */
  #waiting = [];
  #before;
  #most;
  #columns = {
    x1: new Float64Array(0),
    x2: new Float64Array(0),
    y: new Float64Array(0)
  };
  #fit = null;
  constructor(settings, random) {
    this.#samples = this.#before = new SampleStore({
      capacity: settings.max_num_fpm_samples,
      binsPerAxis: Math.round(Math.sqrt(settings.fpm_sample_bucket_size)),
      random
    });
    this.#minimum = settings.load_min_observations;
    this.#most = random === void 0 ? MOST_WAITING : 1;
  }
  get size() {
    return this.#samples.size;
  }
  get ready() {
    return this.#fitted() !== null;
  }
  add(sample) {
    if (this.#waiting.length === 0 && this.#most > 1) this.#before = this.#samples.clone();
    this.#waiting.push(sample);
    this.#samples.add(sample);
    if (this.#waiting.length === this.#most) this.#fitted();
  }
  #fitted() {
    const waiting = this.#waiting;
    if (waiting.length === 0) return this.#fit;
    this.#waiting = [];
    if (this.#take(this.#samples) || waiting.length === 1) return this.#fit;
    for (const sample of waiting) {
      this.#before.add(sample);
      this.#take(this.#before);
    }
    return this.#fit;
  }
  /** Takes the fit that samples allow; false when they allow none. */
  #take(samples) {
    if (samples.size < this.#minimum) return false;
    const fitted = fit(this.#copied(samples), samples.size);
    if (fitted !== null && !fitted.usable) return false;
    this.#fit = fitted && fitted.fit;
    return true;
  }
  #copied(samples) {
    const { size } = samples;
    if (this.#columns.y.length < size) {
      const column = () => new Float64Array(Math.max(2 * size, 64));
      this.#columns = {
        x1: column(),
        x2: column(),
        y: column()
      };
    }
    samples.copyTo(this.#columns);
    return this.#columns;
  }
  estimate(x1, x2) {
    const fit2 = this.#fitted();
    if (fit2 === null) return null;
    const { intercept, mean: mean2, deviation, slope } = fit2;
    let value = intercept;
    if (slope[0] !== 0) value += slope[0] * ((x1 - mean2[0]) / deviation[0]);
    if (slope[1] !== 0) value += slope[1] * ((x2 - mean2[1]) / deviation[1]);
    return Math.max(SMALLEST_MS, value);
  }
};
function fit({ x1, x2, y }, n) {
  let s1 = 0, s2 = 0, sy = 0;
  for (let i = 0; i < n; i++) s1 += x1[i], s2 += x2[i], sy += y[i];
  const m1 = s1 / n, m2 = s2 / n, my = sy / n;
  let c11 = 0, c22 = 0, c12 = 0, c1y = 0, c2y = 0, total = 0;
  for (let i = 0; i < n; i++) {
    const d1 = x1[i] - m1, d2 = x2[i] - m2, dy = y[i] - my;
    c11 += d1 * d1, c22 += d2 * d2, c12 += d1 * d2, c1y += d1 * dy, c2y += d2 * dy, total += dy * dy;
  }
  const deviation = [
    Math.sqrt(c11 / n),
    Math.sqrt(c22 / n)
  ];
  const active2 = [
    deviation[0] > CONSTANT * Math.max(1, Math.abs(m1)),
    deviation[1] > CONSTANT * Math.max(1, Math.abs(m2))
  ];
  if (!active2[0] && !active2[1]) return null;
  const own = n, cross = active2[0] && active2[1] ? c12 / (deviation[0] * deviation[1]) : 0;
  const with1 = active2[0] ? c1y / deviation[0] : 0, with2 = active2[1] ? c2y / deviation[1] : 0;
  const slope = [
    0,
    0
  ];
  let least = total;
  const consider = (slope1, slope2) => {
    if (slope1 < 0 || slope2 < 0) return;
    let error = 0;
    const by1 = slope1 === 0 ? 1 : deviation[0], by2 = slope2 === 0 ? 1 : deviation[1];
    for (let i = 0; i < n; i++) {
      const residual = y[i] - (my + slope1 * ((x1[i] - m1) / by1) + slope2 * ((x2[i] - m2) / by2));
      error += residual * residual;
    }
    if (!(error < least - SAME_ERROR * total)) return;
    least = error;
    slope[0] = slope1;
    slope[1] = slope2;
  };
  if (active2[0]) consider(with1 / own, 0);
  if (active2[1]) consider(0, with2 / own);
  if (active2[0] && active2[1]) {
    const [slope1, slope2] = solvePair(own, cross, with1, with2);
    consider(slope1, slope2);
  }
  const activeCount = (active2[0] ? 1 : 0) + (active2[1] ? 1 : 0);
  const usable = slope[0] !== 0 || slope[1] !== 0 || n <= activeCount;
  return {
    fit: {
      intercept: my,
      mean: [
        m1,
        m2
      ],
      deviation,
      slope
    },
    usable
  };
}
function solvePair(own, cross, with1, with2) {
  let diagonal = own;
  if (Math.abs(own - cross * cross / own) < SMALLEST_PIVOT) diagonal += RIDGE * Math.max(1, 2 * own);
  const pivot = diagonal - cross * cross / diagonal;
  const second = (with2 - cross / diagonal * with1) / pivot;
  return [
    (with1 - cross * second) / diagonal,
    second
  ];
}
function attentionPairs({ prefillRequests: requests, prefillTokens: tokens, prefillKvTokens: cached }) {
  if (tokens === 0 || requests === 0) return 0;
  return cached * tokens / requests + tokens * tokens / (2 * requests) + tokens / 2;
}
function invalidPass(role2, pass) {
  const problem = (text3) => `invalid forward pass metrics: ${text3}`;
  if (role2 === "prefill" && (pass.decodeRequests > 0 || pass.decodeKvTokens > 0)) {
    return problem("prefill regression worker received scheduled decode work");
  }
  if (role2 === "decode" && pass.prefillTokens > 0) {
    return problem("decode regression worker received scheduled prefill work");
  }
  if (pass.prefillRequests === 0 && (pass.prefillTokens > 0 || pass.prefillKvTokens > 0)) {
    return problem("scheduled prefill tokens without a prefill request");
  }
  if (pass.decodeRequests === 0 && pass.decodeKvTokens > 0) {
    return problem("scheduled decode tokens without a decode request");
  }
  return null;
}
var PassRegression = class {
  #role;
  /** By kind of pass: prefill only, decode only, both. */
  #stores;
  constructor(role2, settings, options = {}) {
    this.#role = role2;
    const store = () => new FittedStore(settings, options.random);
    this.#stores = {
      prefill: store(),
      decode: store(),
      mixed: store()
    };
  }
  /** Samples held. */
  get size() {
    return this.#stores.prefill.size + this.#stores.decode.size + this.#stores.mixed.size;
  }
  /** Whether any kind of pass can be estimated. */
  get ready() {
    return this.#stores.prefill.ready || this.#stores.decode.ready || this.#stores.mixed.ready;
  }
  /**
   * Learns one pass; passes without work or without a time teach nothing.
   *
   * @returns why the pass was refused, or null
   */
  observe(pass, wallTimeS) {
    const problem = invalidPass(this.#role, pass);
    if (problem) return problem;
    const store = this.#storeOf(pass);
    if (store && wallTimeS > 0) {
      const { x1, x2 } = features(this.#role, pass);
      store.add({
        x1,
        x2,
        y: wallTimeS * 1e3
      });
    }
    return null;
  }
  estimateMs(pass) {
    if (invalidPass(this.#role, pass)) return null;
    const store = this.#storeOf(pass);
    if (!store) return 0;
    const { x1, x2 } = features(this.#role, pass);
    return store.estimate(x1, x2);
  }
  #storeOf({ prefillTokens, decodeRequests }) {
    if (prefillTokens > 0) return decodeRequests > 0 ? this.#stores.mixed : this.#stores.prefill;
    return decodeRequests > 0 ? this.#stores.decode : null;
  }
};
function features(role2, pass) {
  if (role2 === "decode") return {
    x1: pass.decodeKvTokens,
    x2: pass.decodeRequests
  };
  const cached = pass.prefillTokens > 0 ? pass.prefillKvTokens : 0;
  const attention = cached + attentionPairs(pass);
  if (role2 === "prefill") return {
    x1: attention,
    x2: pass.prefillTokens
  };
  return {
    x1: attention + pass.decodeKvTokens,
    x2: pass.prefillTokens + pass.decodeRequests
  };
}

// lib/planner/model/performance_model.ts
var DEFAULT_LIMITS = {
  maxBatchedTokens: 8192,
  maxSequences: 512,
  maxKvTokens: 2e6
};
var PerformanceModel = class _PerformanceModel {
  #role;
  #limits;
  #regression;
  #inputTokens;
  #decodeTokens;
  #prefillRequests;
  #prefillTokens;
  constructor(limits, { role: role2, settings, random }) {
    this.#role = role2;
    this.#limits = limits;
    this.#regression = new PassRegression(role2, settings, {
      random
    });
    const average = () => new MovingAverage(settings.max_num_fpm_samples);
    this.#inputTokens = average();
    this.#decodeTokens = average();
    this.#prefillRequests = average();
    this.#prefillTokens = average();
  }
  /** A model without experience; null when a limit of the engine leaves nothing to model. */
  static create(options) {
    const limits = {
      maxBatchedTokens: options.limits.maxBatchedTokens ?? DEFAULT_LIMITS.maxBatchedTokens,
      maxSequences: options.limits.maxSequences ?? DEFAULT_LIMITS.maxSequences,
      maxKvTokens: options.limits.maxKvTokens ?? DEFAULT_LIMITS.maxKvTokens
    };
    if (limits.maxBatchedTokens <= 0 || limits.maxSequences <= 0 || limits.maxKvTokens <= 0) return null;
    return new _PerformanceModel(limits, options);
  }
  /** Whether any kind of pass can be estimated. */
  get ready() {
    return this.#regression.ready;
  }
  /**
   * Learns the rows of a tick, in the order their ranks first appeared.
   *
   * @returns why a row was refused (the rows before it are kept), or null
   */
  observe(rows) {
    for (const row of rows) {
      this.#inputTokens.add(row.prefillRequests > 0 ? row.prefillTokens / row.prefillRequests : 0);
      if (row.decodeRequests > 0) this.#decodeTokens.add(row.decodeKvTokens / row.decodeRequests);
    }
    const ordered = orderedByWorker(rows);
    for (const row of ordered) {
      const problem = this.#regression.observe(row, row.wallTimeS);
      if (problem) return problem;
    }
    for (const row of ordered) {
      this.#prefillRequests.add(row.prefillRequests);
      this.#prefillTokens.add(row.prefillTokens);
    }
    return null;
  }
  /** Milliseconds a prompt would wait at a rank; see `queuedPrefillSeconds`. */
  ttftMs(row, options) {
    const seconds = queuedPrefillSeconds(this.#context(), row, options);
    return seconds === null ? null : seconds * 1e3;
  }
  /** Milliseconds of a decode iteration at a rank; see `decodeIterationSeconds`. */
  decodeMs(row, options) {
    const seconds = decodeIterationSeconds(this.#context(), row, options);
    return seconds === null ? null : seconds * 1e3;
  }
  /** Requests a second one engine serves; null while the model cannot tell. */
  capacity(question) {
    return engineCapacity(this.#role, this.#regression, this.#limits, question);
  }
  #context() {
    const tokens = Math.ceil(this.#prefillTokens.mean);
    return {
      role: this.#role,
      estimator: this.#regression,
      maxBatchedTokens: this.#limits.maxBatchedTokens,
      meanInputTokens: this.#inputTokens.mean,
      meanDecodeTokens: this.#decodeTokens.mean,
      typicalPrefill: {
        requests: Math.max(Math.ceil(this.#prefillRequests.mean), tokens > 0 ? 1 : 0),
        tokens
      }
    };
  }
};

// lib/planner/projection.ts
var AGGREGATED = [
  "decode"
];
var NOBODY = [];
function project(proposed, counts, budget, aggregated) {
  const ready = {
    prefill: counts.prefill.ready,
    decode: counts.decode.ready
  };
  const wanted = {
    prefill: proposed.prefill ?? ready.prefill,
    decode: proposed.decode ?? ready.decode
  };
  const raised2 = {
    prefill: false,
    decode: false
  };
  let settled = true, total = 0, dearest = -Infinity;
  for (const role2 of aggregated ? AGGREGATED : ROLES) {
    const { expected, inProgress } = counts[role2];
    settled &&= ready[role2] === expected && !inProgress;
    total += ready[role2] * budget.gpus[role2];
    dearest = Math.max(dearest, budget.gpus[role2]);
  }
  for (const role2 of settled ? aggregated ? AGGREGATED : ROLES : NOBODY) {
    if (ready[role2] >= budget.minimum[role2]) continue;
    wanted[role2] = Math.max(wanted[role2], budget.minimum[role2]);
    raised2[role2] = true;
  }
  const broken = settled && outOfBand(total, dearest, budget);
  const same = (pair) => pair.decode === ready.decode && (aggregated || pair.prefill === ready.prefill);
  if (same(wanted) && !broken) return null;
  if (aggregated) {
    const minimum = budget.minimum.decode;
    const single = {
      ...budget,
      gpus: budget.gpus.decode,
      minimum
    };
    const decode = clampSingle(Math.max(wanted.decode, minimum), single);
    return decode === ready.decode ? null : {
      prefill: null,
      decode
    };
  }
  const lifted = {
    prefill: Math.max(wanted.prefill, budget.minimum.prefill),
    decode: Math.max(wanted.decode, budget.minimum.decode)
  };
  const fitted = clampPair(lifted, budget);
  if (same(fitted)) return null;
  const proposedNothing = proposed.prefill === null && proposed.decode === null;
  const clamped = fitted.prefill !== lifted.prefill || fitted.decode !== lifted.decode;
  if (proposedNothing && !clamped && (raised2.prefill || raised2.decode)) {
    return {
      prefill: raised2.prefill ? fitted.prefill : null,
      decode: raised2.decode ? fitted.decode : null
    };
  }
  return fitted;
}

// lib/planner/schedule.ts
var SLACK = 1e-9;
var TickSchedule = class {
  #config;
  #lastLoad = 0;
  #lastThroughput = 0;
  #lastLoadCall = 0;
  #lastPrediction = 0;
  #lastThroughputCall = 0;
  constructor(config) {
    this.#config = config;
  }
  /** The tick that follows a moment. */
  after(nowS) {
    const config = this.#config;
    const atS = nowS + config.scheduling.scale_interval_seconds;
    const loadEvery = config.load_adjustment_interval_seconds;
    const throughputEvery = config.throughput_adjustment_interval_seconds;
    const sla2 = config.optimization_target === "sla";
    const throughputOn = config.enable_throughput_scaling;
    const runLoadScaling = atS - this.#lastLoad >= loadEvery - SLACK;
    const loadDue = config.enable_load_scaling && atS - this.#lastLoadCall >= loadEvery;
    const fullDue = throughputOn && (atS - this.#lastPrediction >= throughputEvery || atS - this.#lastThroughputCall >= throughputEvery);
    const loadReadsTraffic = loadDue && sla2 && !throughputOn;
    return {
      atS,
      runLoadScaling,
      runThroughputScaling: throughputOn && atS - this.#lastThroughput >= throughputEvery - SLACK,
      needTraffic: fullDue || loadReadsTraffic,
      useFullTraffic: fullDue,
      trafficDurationS: fullDue ? throughputEvery : loadReadsTraffic ? loadEvery : 0,
      needPasses: loadDue || sla2 && runLoadScaling
    };
  }
  /** Whether the load loop takes part in a tick. */
  loadDue({ atS }) {
    const { enable_load_scaling: on, load_adjustment_interval_seconds: every } = this.#config;
    return on && atS - this.#lastLoadCall >= every;
  }
  /** Whether the predictors take part in a tick. */
  predictionDue({ atS }) {
    const { enable_throughput_scaling: on, throughput_adjustment_interval_seconds: every } = this.#config;
    return on && atS - this.#lastPrediction >= every;
  }
  /** Notes that a tick was handled, and whether a prediction was tried and could be used. */
  handled(tick, prediction) {
    if (this.loadDue(tick)) this.#lastLoadCall = tick.atS;
    if (tick.runLoadScaling) this.#lastLoad = tick.atS;
    if (tick.runThroughputScaling) this.#lastThroughput = tick.atS;
    if (prediction !== "none") this.#lastPrediction = tick.atS;
    if (prediction === "used") this.#lastThroughputCall = tick.atS;
  }
};

// lib/planner/throughput_scaling.ts
function proposeThroughput(input) {
  return input.config.mode === "agg" ? proposeAggregated2(input) : proposeDisaggregated2(input);
}
function capacityOf(role2, input) {
  const { config, forecast } = input;
  if (!limitsKnown(role2, input)) return null;
  const capacity2 = input.models[role2]?.capacity({
    inputTokens: forecast.inputTokens,
    outputTokens: forecast.outputTokens,
    ttftMs: config.ttft_ms,
    itlMs: config.itl_ms,
    kvHitRate: forecast.kvHitRate,
    acceptLength: input.acceptLength
  }) ?? null;
  return capacity2 && capacity2.requestsPerSecond > 0 ? capacity2 : null;
}
function limitsKnown(role2, { config, engines, models }) {
  if (config.mode === "agg" && engines.decode.maxBatchedTokens === null) return false;
  return models[role2] !== null;
}
var unusable = (role2, input) => limitsKnown(role2, input) ? "model_not_ready" : "missing_engine_metadata";
var noDemand = ({ forecast }) => forecast.requests === 0;
function needed(role2, capacity2, input) {
  const ready = input.ready[role2], minimum = input.budget.minimum[role2];
  const most = input.config.max_throughput_scaling_replicas;
  const demand = input.forecast.requests / input.durationS;
  const wish = noDemand(input) ? Math.max(1, minimum) : capacity2 ? Math.max(Math.ceil(demand / capacity2.requestsPerSecond), minimum) : ready;
  return Math.max(Math.min(Math.max(wish, ready - most, 0), ready + most), minimum);
}
function proposeAggregated2(input) {
  const { config, ready } = input;
  const idle = noDemand(input);
  const found2 = idle ? null : capacityOf("decode", input);
  const missing = idle || found2 !== null ? null : unusable("decode", input);
  const base = {
    roleReasons: null,
    capacity: {
      prefill: found2,
      decode: found2
    },
    limitsKnown: idle ? {} : {
      decode: limitsKnown("decode", input)
    }
  };
  const budget = {
    ...input.budget,
    gpus: input.budget.gpus.decode,
    minimum: input.budget.minimum.decode
  };
  const fitted = guardSingle(ready.decode, needed("decode", found2, input), {
    ...budget,
    minGpus: -1
  });
  if (config.enable_load_scaling) {
    const reason3 = missing ?? fitted.reason ?? "set_lower_bound";
    return {
      ...base,
      counts: null,
      floors: {
        prefill: null,
        decode: fitted.count
      },
      reason: reason3
    };
  }
  const { count: count3, reason: guard } = guardSingle(ready.decode, fitted.count, budget);
  const changed = count3 !== ready.decode;
  const reason2 = missing ?? (changed ? "scale" : guard ?? fitted.reason ?? "no_change");
  return {
    ...base,
    counts: changed ? {
      prefill: null,
      decode: count3
    } : null,
    floors: null,
    reason: reason2
  };
}
function proposeDisaggregated2(input) {
  const { config, ready, budget } = input;
  const idle = noDemand(input);
  const capacity2 = {
    prefill: idle ? null : capacityOf("prefill", input),
    decode: idle ? null : capacityOf("decode", input)
  };
  const known = idle || capacity2.prefill !== null && capacity2.decode !== null;
  const asked = idle ? {} : {
    prefill: limitsKnown("prefill", input),
    decode: limitsKnown("decode", input)
  };
  const wanted = known ? {
    prefill: needed("prefill", capacity2.prefill, input),
    decode: needed("decode", capacity2.decode, input)
  } : ready;
  const fitted = fitUnderCeiling(ready, wanted, budget);
  const equal2 = (a, b) => a.prefill === b.prefill && a.decode === b.decode;
  const held = equal2(fitted, ready) && !equal2(wanted, ready);
  const notReady = (role2) => capacity2[role2] ? "partner_not_ready" : unusable(role2, input);
  const everywhere = (reason2) => {
    if (known) return {
      reason: reason2,
      roleReasons: {
        prefill: reason2,
        decode: reason2
      }
    };
    const roleReasons = {
      prefill: notReady("prefill"),
      decode: notReady("decode")
    };
    const missing = Object.values(roleReasons).includes("missing_engine_metadata");
    return {
      reason: missing ? "missing_engine_metadata" : "model_not_ready",
      roleReasons
    };
  };
  if (config.enable_load_scaling) {
    const reasons = everywhere(held ? "gpu_budget_guard_hold" : "set_lower_bound");
    return {
      counts: null,
      floors: fitted,
      capacity: capacity2,
      limitsKnown: asked,
      ...reasons
    };
  }
  const { count: count3, reason: guard } = guardPairWithRecovery(ready, fitted, budget);
  const changed = !equal2(count3, ready);
  const hold = guard ?? (held ? "gpu_budget_guard_hold" : "no_change");
  return {
    counts: changed ? count3 : null,
    floors: null,
    capacity: capacity2,
    limitsKnown: asked,
    ...everywhere(changed ? "scale" : hold)
  };
}

// lib/planner/planner.ts
var PLANNER_OPTIONS = {
  config: true,
  engines: true,
  bootstrap: true,
  history: true,
  listener: true
};
var Planner = class {
  #listener;
  #config;
  #engines;
  #budget;
  #models;
  #schedule;
  #observations = new Observations();
  #retuneOnly;
  #floors = {
    prefill: 1,
    decode: 1
  };
  #recommended = {
    prefill: null,
    decode: null
  };
  #speculationDepth;
  #forecaster = null;
  /** Traffic the forecaster has observed, in case another one takes its place. */
  #consumed = [];
  #kvHitRate = null;
  #acceptLength = 1;
  #next;
  #routerKnobs = null;
  /** A Planner before its first tick. */
  constructor(options) {
    checkOptions("a Planner", options, PLANNER_OPTIONS);
    const { config, engines, bootstrap: bootstrap2 = noBootstrap } = options;
    if (config.mode !== "agg" && config.mode !== "disagg") {
      throw new ConfigError(`planner-in-the-loop replay supports mode='agg' or 'disagg', got '${config.mode}'`);
    }
    if (config.mode === "disagg" && engines.prefill === null) {
      throw new ConfigError("disagg planner replay requires prefill and decode engine arguments");
    }
    this.#config = config;
    this.#engines = config.mode === "agg" ? {
      ...engines,
      prefill: null
    } : engines;
    this.#budget = budgetOf(config, this.#engines);
    this.#retuneOnly = isRetuneOnly(config);
    this.#speculationDepth = engines.decode.speculationDepth ?? config.speculative_nextn;
    const sla2 = config.optimization_target === "sla";
    this.#models = sla2 ? this.#createModels() : {
      prefill: null,
      decode: null
    };
    if (sla2) this.#learn(bootstrap2);
    if (sla2 && config.enable_throughput_scaling) this.#forecaster = new TrafficForecaster(config, options.history);
    this.#schedule = new TickSchedule(config);
    this.#next = this.#schedule.after(0);
    this.#listener = options.listener ?? null;
  }
  /** The configuration in force. */
  get config() {
    return this.#config;
  }
  /**
   * Changes fields while the replay runs; models, observations and floors stay. With a history the forecaster is
   * replaced by one of the kind now configured, which learns the history and then what was observed after its end.
   */
  retune(fields3, history = null) {
    this.#config = {
      ...this.#config,
      ...fields3
    };
    if (!history || !this.#forecaster) return;
    this.#forecaster = new TrafficForecaster(this.#config, history.intervals);
    for (const { atS, traffic } of this.#consumed) if (atS > history.endS) this.#forecaster.observe(traffic);
  }
  /**
   * Puts another forecaster, already fed with its history, in place of the running one.
   *
   * @internal
   */
  replaceForecaster(forecaster) {
    if (this.#forecaster) this.#forecaster = forecaster;
  }
  /** Sets the router knobs that ticks ask for from now on; null for none. */
  setRouterKnobs(knobs2) {
    this.#routerKnobs = knobs2;
  }
  initialTickMs() {
    return this.#next.atS * 1e3;
  }
  onTick(snapshot) {
    const tick = this.#next;
    const observations = this.#observations;
    observations.update(snapshot);
    const counts = {
      prefill: observations.counts("prefill", snapshot),
      decode: observations.counts("decode", snapshot)
    };
    const seen = tick.needPasses ? {
      prefill: observations.rows("prefill"),
      decode: observations.rows("decode")
    } : {
      prefill: null,
      decode: null
    };
    const traffic = tick.needTraffic ? observations.takeTraffic() : null;
    if (tick.runLoadScaling) this.#learn(seen);
    const rows = {
      prefill: sorted(seen.prefill),
      decode: sorted(seen.decode)
    };
    const findings = noFindings(this.#floors);
    this.#remember(traffic);
    const { outcome, counts: throughput } = this.#throughput(tick, traffic, counts, findings);
    const load = this.#load(tick, counts, rows, findings);
    const proposed = {
      prefill: load?.prefill ?? throughput?.prefill ?? null,
      decode: load?.decode ?? throughput?.decode ?? null
    };
    this.#schedule.handled(tick, outcome);
    const aggregated = this.#config.mode === "agg";
    const scaleTo = this.#retuneOnly ? null : project(proposed, counts, this.#budget, aggregated);
    const next = this.#schedule.after(tick.atS);
    const decision = this.#decide(tick, next, snapshot, scaleTo);
    this.#listener?.ticked({
      tick,
      next,
      snapshot,
      traffic,
      counts,
      rows,
      findings,
      scaleTo,
      decision
    });
    this.#next = next;
    return decision;
  }
  #createModels() {
    const seed = this.#config.sample_tie_seed;
    const random = seed === null ? void 0 : mulberry32(seed);
    const create = (role2) => {
      const engine = this.#engines[role2];
      return engine && PerformanceModel.create({
        role: this.#config.mode === "agg" ? "aggregated" : role2,
        limits: engine,
        settings: this.#config,
        random
      });
    };
    return {
      prefill: create("prefill"),
      decode: create("decode")
    };
  }
  /** Feeds passes to the models; an aggregated deployment has one model for both kinds. */
  #learn({ prefill, decode }) {
    if (this.#config.mode === "agg") {
      const rows = prefill === null ? decode ?? [] : decode === null ? prefill : [
        ...prefill,
        ...decode
      ];
      if (rows.length > 0) this.#models.decode?.observe(rows);
      return;
    }
    if (prefill) this.#models.prefill?.observe(prefill);
    if (decode) this.#models.decode?.observe(decode);
  }
  /** Forecast and throughput loop; moves the floors when the load loop is on, else proposes counts. */
  #throughput(tick, traffic, counts, findings) {
    const forecaster = this.#forecaster;
    if (!forecaster || !this.#schedule.predictionDue(tick)) return {
      outcome: "none",
      counts: null
    };
    const give = (reason2, outcome) => {
      findings.throughputReason = reason2;
      return {
        outcome,
        counts: null
      };
    };
    if (!traffic) return give("no_traffic_data", "used");
    forecaster.observe(traffic);
    this.#consumed.push({
      atS: tick.atS,
      traffic
    });
    const forecast = forecaster.forecast();
    if (!forecast) return give("predict_failed", "failed");
    findings.forecast = forecast;
    const proposal = proposeThroughput({
      config: this.#config,
      engines: this.#engines,
      budget: this.#budget,
      ready: {
        prefill: counts.prefill.ready,
        decode: counts.decode.ready
      },
      models: this.#models,
      forecast,
      durationS: traffic.durationS,
      acceptLength: this.#acceptLength
    });
    if (proposal.floors) {
      this.#floors.prefill = proposal.floors.prefill ?? this.#floors.prefill;
      this.#floors.decode = proposal.floors.decode;
      findings.floors = {
        ...this.#floors
      };
    }
    findings.requestsPerSecond = {
      prefill: proposal.capacity.prefill?.requestsPerSecond ?? null,
      decode: proposal.capacity.decode?.requestsPerSecond ?? null
    };
    findings.throughputLimitsKnown = proposal.limitsKnown;
    findings.throughputReason = proposal.reason;
    findings.throughputReasons = perRole(proposal.roleReasons);
    return {
      outcome: "used",
      counts: proposal.counts
    };
  }
  /** Remembers the hit rate and the accept length of consumed traffic. */
  #remember(traffic) {
    if (!traffic || this.#config.optimization_target !== "sla") return;
    if (!Number.isNaN(traffic.kvHitRate)) this.#kvHitRate = traffic.kvHitRate;
    const depth = this.#speculationDepth;
    const { acceptLength } = traffic;
    if (depth > 0 && acceptLength !== null && !Number.isNaN(acceptLength)) {
      this.#acceptLength = Math.min(Math.max(acceptLength, 1), depth + 1);
    }
  }
  #load(tick, counts, rows, findings) {
    if (!tick.runLoadScaling || this.#retuneOnly) return null;
    if (!this.#config.enable_load_scaling) {
      findings.loadReason = "disabled";
      return null;
    }
    const proposal = proposeLoad({
      config: this.#config,
      engines: this.#engines,
      budget: this.#budget,
      counts,
      rows,
      models: this.#models,
      floors: this.#floors,
      kvHitRate: this.#kvHitRate,
      acceptLength: this.#acceptLength
    });
    findings.estimatedTtftMs = proposal.estimatedTtftMs;
    findings.estimatedItlMs = proposal.estimatedItlMs;
    findings.loadLimitsKnown = proposal.limitsKnown;
    findings.loadReason = proposal.reason;
    findings.loadReasons = perRole(proposal.roleReasons);
    return proposal.counts;
  }
  /** Turns wanted counts into targets of the cluster, which count starting workers too, and tells the changes. */
  #decide(tick, next, snapshot, scaleTo) {
    const decision = {
      targetPrefill: null,
      targetDecode: null,
      nextTickMs: next.atS * 1e3
    };
    const { advisory, mode } = this.#config;
    if (!advisory && this.#routerKnobs) decision.routerKnobs = this.#routerKnobs;
    const components = mode === "agg" ? [
      [
        "decode",
        "agg"
      ]
    ] : [
      [
        "prefill",
        "prefill"
      ],
      [
        "decode",
        "decode"
      ]
    ];
    if (advisory) {
      for (const [role2, component] of components) this.#recommend(tick, component, role2, snapshot, scaleTo);
      return decision;
    }
    if (!scaleTo) return decision;
    const present = {
      prefill: nonDraining(snapshot.prefill),
      decode: nonDraining(snapshot.decode)
    };
    const target = {
      prefill: scaleTo.prefill ?? present.prefill,
      decode: scaleTo.decode ?? present.decode
    };
    if (ROLES.every((role2) => target[role2] === present[role2])) return decision;
    for (const [role2, component] of components) {
      if (target[role2] === present[role2]) continue;
      this.#listener?.scaled({
        atS: tick.atS,
        component,
        from: present[role2],
        to: target[role2]
      });
      this.#observations.want(role2, target[role2]);
    }
    return {
      ...decision,
      targetPrefill: mode === "agg" ? 0 : target.prefill,
      targetDecode: target.decode
    };
  }
  /** An advisory run lists a recommendation when it changes, and again after a decision to stay. */
  #recommend(tick, component, role2, snapshot, scaleTo) {
    const { enable_load_scaling, enable_throughput_scaling } = this.#config;
    const current = nonDraining(snapshot[role2]);
    const proposing = tick.runLoadScaling && enable_load_scaling || tick.runThroughputScaling && enable_throughput_scaling && !enable_load_scaling;
    const count3 = scaleTo?.[role2] ?? (proposing ? current : null);
    if (count3 === null) return;
    if (count3 === current) this.#recommended[role2] = null;
    else if (count3 !== this.#recommended[role2]) {
      this.#listener?.recommended({
        atS: tick.atS,
        component,
        from: current,
        to: count3
      });
      this.#recommended[role2] = count3;
    }
  }
};
var perRole = (reasons) => ({
  prefill: reasons?.prefill ?? null,
  decode: reasons?.decode ?? null
});
var sorted = (rows) => rows && orderedByWorker(rows);
function budgetOf(config, engines) {
  return {
    minGpus: config.min_gpu_budget,
    maxGpus: config.max_gpu_budget,
    gpus: {
      prefill: engines.prefill?.gpus ?? 0,
      decode: engines.decode.gpus
    },
    minimum: {
      prefill: config.prefill_min_endpoint ?? config.min_endpoint,
      decode: config.decode_min_endpoint ?? config.min_endpoint
    }
  };
}

// lib/report/planner_metadata.ts
var DIGEST_EXCLUSIONS = [
  "report_output_dir",
  "report_filename",
  "report_interval_hours",
  "report_write_gzip_log",
  "live_dashboard_port",
  "control_api_port",
  "plugin_registration.auth",
  "plugin_registration.transport",
  "plugin_registration.protocol_version_min",
  "plugin_registration.protocol_version_max",
  "plugin_registration.heartbeat_timeout_seconds",
  "plugin_registration.heartbeat_missed_threshold",
  "plugin_registration.admin",
  "plugin_registration.in_process_plugins.kwargs",
  "scheduling.external_plugins.endpoint",
  "scheduling.external_plugins.auth_token",
  "scheduling.gateway"
];
var STEPS = [
  "builtin_load_predict",
  "builtin_load_propose",
  "builtin_throughput_propose"
];
function plannerMetadata(config, bootstrap2, { sha256: sha2562, captureDetails }) {
  const decisive = Object.fromEntries(Object.entries(config).filter(([key]) => !DIGEST_EXCLUSIONS.includes(key)));
  return {
    planner_config_digest: sha2562(canonicalJson(decisive)),
    planner_config: decisive,
    planner_config_identity_exclusions: DIGEST_EXCLUSIONS,
    builtin_plugin_ids: STEPS,
    configured_plugin_identities: [],
    plugin_pipeline: STEPS.map((plugin_id) => ({
      plugin_id,
      source: "builtin"
    })),
    pipeline_schema_version: "planner-plugin-pipeline.v1",
    mode: config.mode === "agg" ? "agg" : "disagg",
    benchmark_granularity: BENCHMARK_GRANULARITY,
    bootstrap: (config.optimization_target === "sla" && bootstrap2 || noBootstrap).metadata,
    details_captured: captureDetails,
    advisory: config.advisory,
    retune: null
  };
}

// lib/report/planner_tick.ts
var TickForm = class {
  #disaggregated;
  #tellsRouters;
  #counts = new Kept();
  #scaleTo = new Kept();
  #findings = new FindingsForm();
  #roles = {
    prefill: new RoleForm(),
    decode: new RoleForm()
  };
  #passes = new Kept();
  #topology = new Kept();
  /** The schedule told last, and its form: it is the next tick's own. */
  #next = null;
  /** @param metadata of the Planner that lives through the ticks; another autoscaler has no configuration here */
  constructor({ mode, planner_config }) {
    this.#disaggregated = mode === "disagg";
    this.#tellsRouters = Boolean(planner_config?.retune);
  }
  /** The form of the tick that follows the one before. */
  of(view) {
    const { tick, next, snapshot, traffic, counts, rows, findings, scaleTo, decision } = view;
    const prefill = this.#roles.prefill, decode = this.#roles.decode;
    const scheduled = this.#next?.tick === tick ? this.#next.form : reportedSchedule(tick);
    this.#next = {
      tick: next,
      form: reportedSchedule(next)
    };
    return {
      ordinal: snapshot.tickOrdinal,
      at_ms: tick.atS * 1e3,
      scheduled_tick: scheduled,
      input: {
        now_s: tick.atS,
        traffic: reportedTraffic(traffic),
        worker_counts: this.#counts.keep(reportedCounts(counts, this.#disaggregated)),
        fpm_observations: tick.needPasses || rows.prefill || rows.decode ? this.#passes.keep({
          prefill: prefill.passes(rows.prefill),
          decode: decode.passes(rows.decode)
        }) : null
      },
      topology: this.#topology.keep({
        prefill: prefill.topology(snapshot.prefill),
        decode: decode.topology(snapshot.decode)
      }),
      effects: {
        scale_to: scaleTo && this.#scaleTo.keep({
          num_prefill: scaleTo.prefill,
          num_decode: scaleTo.decode
        }),
        next_tick: this.#next.form,
        diagnostics: this.#findings.of(findings),
        batch_drain_limits: NONE
      },
      runtime_decision: {
        target_prefill: decision.targetPrefill,
        target_decode: decision.targetDecode,
        next_tick_ms: decision.nextTickMs,
        router_parameters: decision.routerKnobs ?? null
      },
      ...this.#tellsRouters && snapshot.routers ? {
        router_policies: snapshot.routers
      } : {}
    };
  }
};
var NONE = [];
function reportedSchedule(tick) {
  return {
    at_s: tick.atS,
    run_load_scaling: tick.runLoadScaling,
    run_throughput_scaling: tick.runThroughputScaling,
    need_traffic_metrics: tick.needTraffic,
    use_full_traffic_metrics: tick.useFullTraffic,
    traffic_metrics_duration_s: tick.trafficDurationS,
    need_worker_states: true,
    need_worker_fpm: tick.needPasses,
    at_monotonic_s: tick.atS
  };
}
function reportedTraffic(traffic) {
  return traffic && {
    duration_s: traffic.durationS,
    num_req: traffic.requests,
    isl: traffic.inputTokens,
    osl: traffic.outputTokens,
    kv_hit_rate: traffic.kvHitRate,
    accept_length: traffic.acceptLength
  };
}
function reportedCounts(counts, disaggregated) {
  return {
    ready_num_prefill: disaggregated ? counts.prefill.ready : null,
    ready_num_decode: counts.decode.ready,
    expected_num_prefill: disaggregated ? counts.prefill.expected : null,
    expected_num_decode: counts.decode.expected,
    prefill_scaling_in_progress: counts.prefill.inProgress,
    decode_scaling_in_progress: counts.decode.inProgress,
    pending_num_prefill: 0,
    pending_num_decode: 0
  };
}
var RoleForm = class {
  #lists = {
    active: new KeptList(),
    starting: new KeptList(),
    draining: new KeptList()
  };
  #topology = new Kept();
  #rows = [];
  #forms = [];
  /** Rows under their reported names; null when there are none. */
  passes(rows) {
    if (rows === null) return null;
    const before = this.#rows, forms = this.#forms;
    let same = rows.length === before.length;
    for (let i = 0; same && i < rows.length; i++) same = rows[i] === before[i];
    if (same) return forms;
    this.#rows = rows;
    return this.#forms = rows.map((row, i) => row === before[i] ? forms[i] : reportedPass(row));
  }
  /** Workers under their reported names. */
  topology({ active: active2, starting, draining }) {
    const lists = this.#lists;
    return this.#topology.keep({
      active: lists.active.keep(active2),
      active_count: active2.length,
      starting: lists.starting.keep(starting),
      starting_count: starting.length,
      draining: lists.draining.keep(draining),
      draining_count: draining.length
    });
  }
};
function reportedPass(row) {
  return {
    worker_id: String(row.workerId),
    dp_rank: row.dpRank,
    metrics: {
      version: 1,
      worker_id: String(row.workerId),
      dp_rank: row.dpRank,
      counter_id: 0,
      wall_time: row.wallTimeS,
      scheduled_requests: {
        num_decode_requests: row.decodeRequests,
        num_prefill_requests: row.prefillRequests,
        sum_decode_kv_tokens: row.decodeKvTokens,
        sum_prefill_kv_tokens: row.prefillKvTokens,
        sum_prefill_tokens: row.prefillTokens,
        var_decode_kv_tokens: row.decodeKvVariance,
        var_prefill_length: row.prefillLengthVariance
      },
      queued_requests: reportedQueue(row)
    }
  };
}
var NOTHING_QUEUED = {
  num_decode_requests: 0,
  num_prefill_requests: 0,
  sum_decode_kv_tokens: 0,
  sum_prefill_tokens: 0,
  var_decode_kv_tokens: 0,
  var_prefill_length: 0
};
function reportedQueue(row) {
  if (row.queuedDecodeRequests === 0 && row.queuedPrefillRequests === 0) {
    const tokens = row.queuedDecodeKvTokens !== 0 || row.queuedPrefillTokens !== 0;
    if (!tokens && row.queuedDecodeKvVariance === 0 && row.queuedPrefillLengthVariance === 0) return NOTHING_QUEUED;
  }
  return {
    num_decode_requests: row.queuedDecodeRequests,
    num_prefill_requests: row.queuedPrefillRequests,
    sum_decode_kv_tokens: row.queuedDecodeKvTokens,
    sum_prefill_tokens: row.queuedPrefillTokens,
    var_decode_kv_tokens: row.queuedDecodeKvVariance,
    var_prefill_length: row.queuedPrefillLengthVariance
  };
}
var FindingsForm = class {
  #loadLimits = new Kept();
  #throughputLimits = new Kept();
  #last = null;
  #form;
  of(findings) {
    if (this.#last !== null && sameFindings(this.#last, findings)) return this.#form;
    this.#last = findings;
    const form = this.#form = reportedFindings(findings);
    form.load_metadata_available = this.#loadLimits.keep(form.load_metadata_available);
    form.throughput_metadata_available = this.#throughputLimits.keep(form.throughput_metadata_available);
    return form;
  }
};
function sameFindings(a, b) {
  return a.forecast === b.forecast && a.loadReason === b.loadReason && a.throughputReason === b.throughputReason && Object.is(a.estimatedTtftMs, b.estimatedTtftMs) && Object.is(a.estimatedItlMs, b.estimatedItlMs) && samePair(a.requestsPerSecond, b.requestsPerSecond) && samePair(a.floors, b.floors) && samePair(a.loadReasons, b.loadReasons) && samePair(a.throughputReasons, b.throughputReasons) && samePair(a.loadLimitsKnown, b.loadLimitsKnown) && samePair(a.throughputLimitsKnown, b.throughputLimitsKnown);
}
var samePair = (a, b) => Object.is(a.prefill, b.prefill) && Object.is(a.decode, b.decode);
var NO_REASONS = {};
function reportedFindings(findings) {
  const { forecast, requestsPerSecond, floors, loadReasons, throughputReasons } = findings;
  return {
    estimated_ttft_ms: findings.estimatedTtftMs,
    estimated_itl_ms: findings.estimatedItlMs,
    predicted_num_req: forecast?.requests ?? null,
    predicted_isl: forecast?.inputTokens ?? null,
    predicted_osl: forecast?.outputTokens ?? null,
    predicted_kv_hit_rate: forecast?.kvHitRate ?? null,
    engine_rps_prefill: requestsPerSecond.prefill,
    engine_rps_decode: requestsPerSecond.decode,
    throughput_lower_bound_prefill: floors.prefill,
    throughput_lower_bound_decode: floors.decode,
    load_decision_reason: findings.loadReason,
    throughput_decision_reason: findings.throughputReason,
    load_decision_reason_prefill: loadReasons.prefill,
    load_decision_reason_decode: loadReasons.decode,
    throughput_decision_reason_prefill: throughputReasons.prefill,
    throughput_decision_reason_decode: throughputReasons.decode,
    load_metadata_available: findings.loadLimitsKnown,
    throughput_metadata_available: findings.throughputLimitsKnown,
    plugin_overrides: NONE,
    reconcile_reasons: NO_REASONS,
    held_over_plugins: NONE,
    execute_action: "apply",
    short_circuit_reason: "",
    audit_events: NONE
  };
}

// lib/report/planner_recorder.ts
var PlannerRecorder = class {
  #metadata;
  #ticks = [];
  #events = [];
  #recommended = [];
  #latencies = [];
  #latency = new Kept();
  #form;
  #retune = null;
  #total = 0;
  /**
   * An empty record.
   *
   * @param metadata with `details_captured`: whether ticks and lifecycle operations are kept
   */
  constructor(metadata) {
    this.#metadata = metadata;
    this.#form = new TickForm(metadata);
  }
  /** Whether ticks and lifecycle operations are kept. */
  get capturesDetails() {
    return this.#metadata.details_captured;
  }
  /** Adds a tick to the report. */
  ticked(view) {
    this.#total++;
    if (!this.capturesDetails) return;
    this.#ticks.push(this.#form.of(view));
    this.#latencies.push(this.#latency.keep({
      ttftMs: view.traffic?.ttftMs ?? null,
      itlMs: view.traffic?.itlMs ?? null
    }));
  }
  /** Latencies the ticks saw, one entry a kept tick; they are not part of the report. */
  get latencies() {
    return this.#latencies;
  }
  scaled(change) {
    this.#events.push(scalingEvent(change));
  }
  recommended(change) {
    this.#recommended.push(scalingEvent(change));
  }
  /** Adds a retune decision. */
  retuned(event) {
    (this.#retune ??= []).push(event);
  }
  /** Notes the resolved retune block: from here the report lists decisions, even if there are none. */
  retuning(block) {
    this.#metadata.retune = block;
    this.#retune ??= [];
  }
  /**
   * The object as it stands; the recorder goes on using its lists.
   *
   * @param lifecycle what the cluster did with its workers
   */
  section(lifecycle = []) {
    return {
      metadata: this.#metadata,
      ticks: this.#ticks,
      scaling_events: this.#events,
      recommended_scaling_events: this.#recommended,
      lifecycle_operations: this.capturesDetails ? lifecycle : [],
      retune_events: this.#retune,
      total_ticks: this.#total,
      html_report_path: null
    };
  }
};
function scalingEvent({ atS, component, from, to }) {
  return {
    at_s: atS,
    component,
    from_count: from,
    to_count: to,
    reason: to > from ? "scale_up" : "scale_down"
  };
}
var RecordedPlanner = class extends Planner {
  /** What the run reports. */
  recorder;
  /** A Planner before its first tick, and its empty record. */
  constructor({ sha256: sha2562, captureDetails = true, ...options }) {
    const recorder = new PlannerRecorder(plannerMetadata(options.config, options.bootstrap, {
      sha256: sha2562,
      captureDetails
    }));
    super({
      ...options,
      listener: recorder
    });
    this.recorder = recorder;
  }
};

// lib/report/autoscaler_recorder.ts
var AutoscalerRecorder = class {
  #identity;
  #form;
  #ticks = [];
  #events = [];
  #total = 0;
  constructor(identity) {
    this.#identity = identity;
    this.#form = new TickForm(identity);
  }
  ticked(view) {
    this.#total++;
    if (this.#identity.captureDetails) this.#ticks.push({
      ...this.#form.of(view),
      autoscaler: view.verdicts
    });
  }
  scaled(change) {
    this.#events.push(scalingEvent(change));
  }
  /** Ticks so far. */
  get ticks() {
    return this.#ticks;
  }
  /** The section as it stands. */
  section(lifecycle) {
    const { kind, config, mode, captureDetails } = this.#identity;
    return {
      metadata: {
        autoscaler: kind,
        autoscaler_config: config,
        mode,
        details_captured: captureDetails,
        advisory: false
      },
      ticks: this.#ticks,
      scaling_events: this.#events,
      recommended_scaling_events: [],
      lifecycle_operations: captureDetails ? lifecycle : [],
      retune_events: null,
      total_ticks: this.#total,
      html_report_path: null
    };
  }
};

// lib/replay/role_autoscaler.ts
function roleAutoscaler({ kind }, { syncSeconds, roles }, { loops, toZero }, { traffic, pools, capture: capture2 }) {
  if (traffic.agents) throw new TraceError("an autoscaler does not support agentic traces");
  const aggregated = pools.length === 1;
  const names = aggregated ? [
    "aggregated"
  ] : [
    "prefill",
    "decode"
  ];
  const gates = names.map((name) => roles[name] !== void 0 && toZero(roles[name]) ? gateway() : null);
  for (const name of Object.keys(roles)) {
    const path = `autoscaler.workers.${name}`;
    if (!names.includes(name)) {
      throw refusal(path, `there are no ${name} workers; the roles are ${names.join(" and ")}`);
    }
    if (!aggregated && toZero(roles[name])) throw refusal(path, "only aggregated workers can be scaled to zero");
  }
  const recorder = new AutoscalerRecorder({
    kind,
    config: {
      type: kind,
      sync_period_seconds: syncSeconds,
      workers: roles
    },
    mode: aggregated ? "agg" : "disagg",
    captureDetails: capture2.plannerDetails ?? true
  });
  const roleOf = (name) => name === "prefill" ? "prefill" : "decode";
  const measured = Object.fromEntries(names.map((name, i) => {
    const { rank: { blocks, blockTokens } } = pools[i].settings;
    return [
      roleOf(name),
      {
        kvTokens: blocks * blockTokens,
        waiting: gates[i]?.waiting ?? (() => 0)
      }
    ];
  }));
  const policy = new AutoscalerPolicy({
    loops: names.flatMap((name) => roles[name] ? loops(roles[name], roleOf(name), syncSeconds) : []),
    measured,
    listener: recorder
  });
  return {
    policy,
    planner: null,
    ticks: () => recorder.ticks,
    section: ({ lifecycle }) => recorder.section(lifecycle),
    finish: () => Promise.resolve(),
    before: (router2, pool) => gates[pool]?.before(router2) ?? router2
  };
}
var refusal = (path, message) => new ConfigError(`${path}: ${message}`, [
  {
    path,
    message
  }
]);

export {
  HorizontalPodAutoscaler,
  canonicalJson,
  bootstrap,
  failedBootstrap,
  noBootstrap,
  keysWithoutEffect,
  plannerConfigKeys,
  isRetuneOnly,
  parsePlannerConfig,
  located,
  windowTraffic,
  warmupBuckets,
  forecastLoss,
  presetLoss,
  candidateSpec,
  SWEEP_JOBS,
  makeRetune,
  needsOf,
  measurementsDigest,
  modelDigest,
  trafficSchema,
  replaySpecSchema,
  RecordedPlanner,
  roleAutoscaler,
  ReplayRun,
  run,
  SWEEP_KIND
};
