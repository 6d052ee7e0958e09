import {
  gateway
} from "./router.js";
import {
  DEFAULT_SETTINGS,
  TickForm,
  bucketSeries,
  canonicalJson,
  createPredictor,
  isRetuneOnly,
  noFindings,
  predictors,
  readWarmupTrace,
  recordedHistory,
  scalingEvent
} from "./planner.js";
import {
  Flow
} from "./traces.js";
import {
  Arrivals,
  Running,
  TimestampQueue
} from "./core.js";
import {
  runBatch,
  sha256OfFile,
  threads
} from "./shared.js";
import {
  Metrics,
  OBJECTIVES,
  PREDICTOR_PRESETS,
  ROLES,
  ROUTER_KNOBS,
  nonDraining,
  parseLaunch,
  resolveRetune,
  retuneSection
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

// lib/config/retune_mapping.ts
var PATH = "planner_config.retune";
function readRetune(config) {
  const result = safeParse(retuneSection, config.retune);
  if (!result.success) {
    fail(result.issues.map((issue) => ({
      path: [
        PATH,
        getDotPath(issue)
      ].filter(Boolean).join("."),
      message: issue.message.replace("Value error, ", "")
    })));
  }
  const resolved = resolveRetune(result.output, {
    throughputScaling: config.enable_throughput_scaling,
    loadScaling: config.enable_load_scaling,
    loadIntervalSeconds: config.load_adjustment_interval_seconds,
    throughputIntervalSeconds: config.throughput_adjustment_interval_seconds,
    prophetWindow: config.prophet_window_size,
    slaTtftMs: config.ttft_ms,
    slaItlMs: config.itl_ms
  });
  if ("problem" in resolved) fail([
    {
      path: PATH,
      message: resolved.problem
    }
  ]);
  return resolved;
}
function fail(issues) {
  throw new ConfigError(issues.map(({ path, message }) => `${path}: ${message}`).join("\n"), issues);
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
  const fields2 = {
    load_predictor,
    load_predictor_log1p
  };
  if (load_predictor === "prophet") fields2.prophet_window_size = config.prophet_window_size;
  if (load_predictor === "kalman") {
    const { kalman_q_level, kalman_q_trend, kalman_r, kalman_min_points } = config;
    Object.assign(fields2, {
      kalman_q_level,
      kalman_q_trend,
      kalman_r,
      kalman_min_points
    });
  }
  return fields2;
}
function changedFields(from, to) {
  return Object.fromEntries(Object.entries(to).filter(([name, value]) => from[name] !== value));
}
function sameKnobs(a, b) {
  return ROUTER_KNOBS.every((knob) => a?.[knob] === b?.[knob]);
}
function samePoint(a, b) {
  const fields2 = /* @__PURE__ */ new Set([
    ...Object.keys(a.planner),
    ...Object.keys(b.planner)
  ]);
  return sameKnobs(a.router, b.router) && [
    ...fields2
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
var settingsOf = ({ load_predictor: _, ...fields2 }, intervalSeconds) => ({
  ...DEFAULT_SETTINGS,
  ...fields2,
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
function runSweep(plan, answer) {
  const steps = sweepSteps(plan);
  let step = steps.next();
  while (!step.done) step = steps.next(step.value.map(answer));
  return step.value;
}
function answerWith(replay, forecast = forecastLoss) {
  return (task2) => task2.kind === "forecast" ? {
    kind: "forecast",
    loss: forecast(task2)
  } : {
    kind: "replay",
    metrics: replay(task2)
  };
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
  for (const text2 of left) onWarning?.(`planner.retune.${text2}`);
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
      for (const text2 of [
        role2.estimator?.system,
        role2.estimator?.data_release,
        role2.estimator?.backend_version
      ]) {
        if (text2 != null && !isPlainName(text2)) refuse(place, `${JSON.stringify(text2)} is no name`);
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
var isPlainName = (text2) => /^[\w.+-]{1,100}$/.test(text2) && !text2.includes("..");
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

// lib/replay/read_spec.ts
var exactly = (fields2) => strictObject(fields2, (issue) => {
  const key = issue.expected === "never" ? String(issue.path?.at(-1)?.key) : null;
  if (key === null) return `expected ${issue.expected}, found ${issue.received}`;
  const near = nearName(key, Object.keys(fields2));
  return `unknown key '${key}'` + (near === void 0 ? ` (known: ${Object.keys(fields2).join(", ")})` : `; did you mean '${near}'?`);
});
var WHOLE = `expected a whole number of at most ${Number.MAX_SAFE_INTEGER}`;
var found = (what) => (issue) => `expected ${what}, found ${issue.received}`;
var text = string(found("text"));
var bool = boolean(found("true or false"));
var number2 = pipe(number(found("a number")), finite("expected a finite number"));
var whole = pipe(number(found("a whole number")), safeInteger((issue) => `${WHOLE}, found ${issue.received}`), minValue(0, (issue) => `expected 0 or more, found ${issue.received}`));
var count = pipe(whole, minValue(1, (issue) => `expected 1 or more, found ${issue.received}`));
var maybe = (schema) => optional(schema);
var orNull = (schema) => nullable(schema);
var named = (names) => picklist(names, (issue) => `expected one of ${names.join(", ")}, found ${issue.received}`);
var mapping = record(string(), unknown(), found("a mapping"));
var trace = {
  type: literal("trace"),
  paths: pipe(array(text, found("a list of paths")), minLength(1, "expected at least one path")),
  format: maybe(text),
  blockTokens: maybe(count),
  concurrency: maybe(count),
  speedup: maybe(number2),
  lanes: maybe(count),
  model: maybe(text),
  sharedPrefixRatio: maybe(number2),
  prefixGroups: maybe(whole),
  keepZeroOutput: maybe(bool),
  sessions: maybe(bool),
  lengthsFolder: maybe(text)
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
  growingPrompts: maybe(bool),
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
  model: text,
  system: text,
  backend: named(BACKENDS),
  backend_version: orNull(text),
  worker_type: named(ROLES2),
  tp: count,
  pp: count,
  attention_dp: count,
  moe_tp: maybe(count),
  moe_ep: maybe(count),
  kv_block_size: count,
  nextn: whole,
  gemm_quant_mode: orNull(text),
  moe_quant_mode: orNull(text),
  kvcache_quant_mode: orNull(text),
  fmha_quant_mode: orNull(text),
  comm_quant_mode: orNull(text),
  database_mode: text,
  transfer_policy: orNull(union([
    text,
    array(text)
  ], "expected a name or a list of names")),
  data_release: maybe(text)
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
      text,
      mapping
    ], "expected the path of a calibration, or its content")),
    forced: maybe(bool),
    mixed: nullish(named([
      "sum",
      "fused"
    ]))
  })),
  open: nullish(exactly({
    capacity,
    contextTokens: orNull(union([
      count,
      literal("max")
    ], "expected a number of tokens or 'max'")),
    transferBytesPerToken: orNull(union([
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
  trackActiveBlocks: maybe(bool),
  assumeKvReuse: maybe(bool),
  trackPrefillTokens: maybe(bool),
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
  policy: maybe(text),
  settings: maybe(exactly(routerSettings)),
  policyFile: nullish(union([
    text,
    mapping
  ], "expected a path or the content of a policy file"))
};
var autoscaler = {
  kind: text,
  config: mapping,
  written: nullish(mapping)
};
var numbers = array(number2, found("a list of numbers"));
var retune = {
  interval_seconds: number2,
  grace_seconds: number2,
  router: orNull(exactly({
    overlap_score_credit: numbers,
    prefill_load_scale: numbers,
    temperature: numbers
  })),
  planner: orNull(exactly({
    load_scaling_down_sensitivity: orNull(numbers),
    load_predictor: orNull(array(text, found("a list of names")))
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
  perRequest: maybe(bool),
  telemetryIntervalMs: nullish(number2),
  plannerDetails: maybe(bool),
  diagnostics: maybe(bool)
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
function readReplaySpec(value) {
  const result = safeParse(replaySpecSchema, value);
  if (result.success) return result.output;
  const issues = result.issues.map((issue) => ({
    path: placeOf(issue),
    message: issue.message
  }));
  throw new ConfigError(issues.map(({ path, message }) => path ? `${path}: ${message}` : message).join("\n"), issues);
}
function placeOf(issue) {
  const keys = (issue.path ?? []).map(({ key }) => key);
  if (issue.expected === "never") keys.pop();
  return keys.map((key, at) => typeof key === "number" ? `[${key}]` : `${at ? "." : ""}${key}`).join("");
}
function replaySpecText(spec2) {
  return JSON.stringify(spec2, (_, value) => typeof value === "bigint" ? String(value) : value);
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
var fields = partial(strictObject({
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
      fields,
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
  const whole2 = share ? mean2 : total;
  if (whole2 === null) return null;
  const ratio = whole2 / value;
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
  decide({ nowS, active, starting, draining, sample }) {
    const { min_replicas, max_replicas, metrics: metrics2 } = this.#settings;
    const current = active + starting;
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
        replicas: this.#wanted(metric, value, current, active + draining)
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
  const whole2 = name === "kv_usage" ? mean2 : total;
  return average_value === null ? {
    name,
    value: whole2,
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
      const { active, starting, draining } = snapshot[loop.role];
      const verdict = loop.decide({
        nowS: atS,
        active: active.length,
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
  readRetune,
  located,
  scoreReplay,
  windowTraffic,
  RetunePolicy,
  warmupBuckets,
  forecastLoss,
  presetLoss,
  runSweep,
  answerWith,
  candidateSpec,
  SWEEP_JOBS,
  makeRetune,
  needsOf,
  measurementsDigest,
  modelDigest,
  trafficSchema,
  replaySpecSchema,
  readReplaySpec,
  replaySpecText,
  roleAutoscaler,
  ReplayRun,
  run,
  SWEEP_KIND
};
