import {
  CAPPED_BLINDLY,
  WaitingLine,
  autoscalerFacts,
  autoscalerHolds,
  autoscalerName,
  autoscalerReasons,
  capacityUnknown,
  counted,
  filesAt,
  inline,
  joinPath,
  loadReasonText,
  moneyText,
  number as number2,
  percent,
  plannerHealth,
  reasonOf,
  throughputReasonText,
  time,
  verdictLines,
  whole
} from "./config.js";
import {
  ForwardPassModel,
  issueText,
  sha256,
  sha256Of,
  sha256Stream
} from "./timing.js";
import {
  AtomicFile,
  QueueError,
  after,
  array,
  checkNumber,
  checkOptions,
  finite,
  host,
  literal,
  longer,
  maxLength,
  maxValue,
  minLength,
  minValue,
  nullable,
  number,
  pause,
  picklist,
  pipe,
  readBytes,
  reason,
  regex,
  safeInteger,
  safeParse,
  strictObject,
  string,
  transform,
  unknown,
  variant
} from "./base.js";

// lib/io/worker_thread.ts
var reasonOf2 = (problem) => problem instanceof Error ? problem.message : String(problem);
var WorkerThread = class _WorkerThread {
  #thread;
  #settle = null;
  /** Why the thread is gone; null while it lives. */
  death = null;
  constructor(thread) {
    this.#thread = thread;
    thread.on("message", (answer) => {
      if ("failure" in answer && answer.fatal) this.stop(answer.failure);
      else this.#answer(answer);
    });
    thread.on("error", (problem) => this.#die(`a worker failed: ${reasonOf2(problem)}`));
    thread.on("exit", (code) => this.#die(`a worker ended with exit code ${code}`));
  }
  /** Starts a thread; its module is loaded with the first job. */
  static async start({ module, setup, heapMegabytes }) {
    const { Worker } = await import("node:worker_threads");
    const worker2 = new Worker(new URL("./lib.io.worker_entry.js", import.meta["url"]), {
      workerData: {
        module: module.href,
        setup
      },
      resourceLimits: {
        maxOldGenerationSizeMb: heapMegabytes
      }
    });
    return new _WorkerThread(worker2);
  }
  /** Does a job. The thread must be idle. */
  do(job) {
    if (this.death !== null) return Promise.resolve({
      failure: this.death
    });
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#thread.postMessage(job);
    });
  }
  /** Ends the thread at once, whatever it is doing. */
  stop(reason2 = "a worker was stopped") {
    this.#die(reason2);
    void this.#thread.terminate();
  }
  #answer(answer) {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(answer);
  }
  #die(reason2) {
    this.death ??= reason2;
    this.#answer({
      failure: this.death
    });
  }
};

// lib/jobs/threads.ts
var ThreadRunner = class {
  parallel;
  #start;
  /** Does the jobs where threads cannot load what the main thread can (Bun without installed packages). */
  #here;
  #threadsLoad = true;
  #line;
  #idle = [];
  constructor(parallel, start, here) {
    this.parallel = parallel;
    this.#here = here;
    this.#start = start;
    this.#line = new WaitingLine(parallel);
  }
  async do(job, options = {}) {
    const { timeoutSeconds, signal } = options;
    signal?.throwIfAborted();
    await this.#line.enter();
    try {
      signal?.throwIfAborted();
      const outcome = this.#threadsLoad ? await this.#run(await this.#thread(), job.data, timeoutSeconds, signal) : await this.#here.do(job, options);
      return outcome ?? await this.#here.do(job, options);
    } catch (problem) {
      if (signal?.aborted) throw signal.reason;
      return {
        status: "failed",
        reason: reasonOf(problem)
      };
    } finally {
      this.#line.leave();
    }
  }
  async #run(thread, data, timeoutSeconds, signal) {
    let late = false;
    const abort = () => thread.stop();
    signal?.addEventListener("abort", abort);
    const disarm = timeoutSeconds === void 0 ? () => {
    } : after(timeoutSeconds * 1e3, () => {
      late = true;
      thread.stop();
    });
    try {
      const answer = await thread.do(data);
      if (signal?.aborted) throw signal.reason;
      if (late) return {
        status: "timeout"
      };
      if ("failure" in answer && answer.unloadable) {
        this.#threadsLoad = false;
        return null;
      }
      return "failure" in answer ? {
        status: "failed",
        reason: answer.failure
      } : {
        status: "done",
        result: answer.result
      };
    } finally {
      disarm();
      signal?.removeEventListener("abort", abort);
      if (thread.death === null) this.#idle.push(thread);
    }
  }
  /** A thread that waits for a job; a new one when none does. */
  async #thread() {
    this.#idle = this.#idle.filter(({ death }) => death === null);
    return this.#idle.pop() ?? await this.#start();
  }
  close() {
    for (const thread of this.#idle) thread.stop();
    this.#idle = [];
  }
};
function threads(parallel, options = {}) {
  checkOptions("threads()", options, {
    heapMegabytes: true,
    always: true
  });
  const { heapMegabytes = 2048, always = false } = options;
  checkNumber("threads(): parallel", parallel, {
    least: 0,
    whole: true
  });
  checkNumber("threads(): heapMegabytes", heapMegabytes, {
    least: 1
  });
  if (parallel <= 1 && !always) return inline();
  return {
    parallel,
    open: (kind, setup) => new ThreadRunner(parallel, () => WorkerThread.start({
      module: kind.module,
      setup,
      heapMegabytes
    }), inline().open(kind, setup))
  };
}

// lib/report/story/retune_story.ts
function valuesOf({ router, planner }) {
  const { load_scaling_down_sensitivity: sensitivity, load_predictor: predictor, ...fields } = planner ?? {};
  return {
    ...router,
    ...sensitivity === void 0 ? {} : {
      load_scaling_down_sensitivity: sensitivity
    },
    ...predictor === void 0 ? {} : {
      load_predictor: predictorPhrase(predictor, fields)
    }
  };
}
function predictorPhrase(name, fields) {
  const { load_predictor_log1p: log, prophet_window_size: window, kalman_q_level, kalman_q_trend, kalman_r } = fields;
  return [
    name,
    ...name === "prophet" ? [
      `over ${window}`
    ] : [],
    ...name === "kalman" ? [
      `q ${kalman_q_level}/${kalman_q_trend} r ${kalman_r}`
    ] : [],
    ...log ? [
      "log1p"
    ] : []
  ].join(" ");
}
var shown = (values, names = Object.keys(values)) => [
  ...names
].map((name) => `${name} ${values[name]}`).join(", ");
function retuneStories({ retune_events }) {
  return (retune_events ?? []).map((event) => ({
    fromS: event.decided_at_s,
    text: headline(event),
    details: [
      ...circumstances(event),
      ...tried(event),
      ...predictors(event)
    ]
  }));
}
function headline({ outcome, current, chosen, objective, reason: reason2, improvement_percentage }) {
  switch (outcome) {
    case "kept":
      return `retune kept ${shown(valuesOf(current))}`;
    case "timeout":
    case "failed":
    case "no_requests":
      return `retune changed nothing: ${reason2}`;
  }
  const before = valuesOf(current), after2 = chosen ? valuesOf(chosen) : {};
  const changes = Object.keys(after2).filter((name) => before[name] !== after2[name]).map((name) => `${name} ${before[name]} \u2192 ${after2[name]}`);
  const gain = improvement_percentage === null ? "" : `, better by ${number2(improvement_percentage)} %`;
  const scores = `${objective} ${number2(current.score)} \u2192 ${number2(chosen?.score ?? null)}${gain}`;
  return `retune ${outcome === "applied" ? "switched" : "would switch"} ${changes.join(", ")} (${scores})`;
}
function circumstances(event) {
  const { window, launched_at_s, sweep_wall_s, decision_latency_s, reason: reason2, outcome } = event;
  const span = `${time(window.start_s)}\u2013${time(window.end_s)}`;
  const details = [
    `window ${window.index} (${span}, ${counted(window.num_requests, "request")}), launched at ${time(launched_at_s)}` + (outcome === "no_requests" ? "" : `, sweep ${number2(sweep_wall_s)} s, latency ${number2(decision_latency_s)} s`)
  ];
  if ([
    "kept",
    "applied",
    "advisory"
  ].includes(outcome) && reason2) details.push(reason2);
  return details;
}
function tried({ candidates, chosen, objective }) {
  if (candidates.length < 2) return candidates.length === 0 ? [] : [
    "nothing else to try: every domain is pinned"
  ];
  const points = candidates.map(valuesOf);
  const names = new Set(points.flatMap(Object.keys));
  const varying = [
    ...names
  ].filter((name) => points.some((values) => values[name] !== points[0][name]));
  const labels = points.map((values) => shown(values, varying));
  const width = Math.max(...labels.map((label) => label.length));
  const picked = chosen ? shown(valuesOf(chosen)) : "";
  return [
    `tried (${objective}):`
  ].concat(candidates.map(({ score }, i) => {
    const marks = [
      i === 0 ? "current" : "",
      shown(points[i]) === picked ? "chosen" : ""
    ].filter(Boolean).join(", ");
    return `  ${labels[i].padEnd(width)}  ${score === null ? "\u2013" : number2(score)}${marks && `  (${marks})`}`;
  }));
}
function predictors({ predictor, predictor_warmup }) {
  if (!predictor) return [];
  const ranked = Object.entries(predictor.losses).filter(([, loss]) => loss !== null).sort(([a, lossA], [b, lossB]) => lossA - lossB || Number(b === predictor.winner) - Number(a === predictor.winner)).slice(0, 3).map(([name, loss]) => `${name} ${number2(loss)}`);
  const lines = [
    predictor.winner === null ? "load predictor kept: too little history to compare" : `best load predictor ${predictor.winner} (loss: ${ranked.join(", ")})`
  ];
  if (predictor_warmup) lines.push(`it starts with ${whole(predictor_warmup.observations)} recorded intervals`);
  return lines;
}

// lib/report/story/tick_story.ts
var TickStory = class {
  #planner;
  #config;
  #target;
  #tickAt;
  /** Ticks whose floors are of a throughput loop that did not know what an engine serves. */
  #blindFloors = /* @__PURE__ */ new Set();
  constructor(planner) {
    this.#planner = planner;
    this.#config = planner.metadata.planner_config ?? {};
    const sla = this.#config.optimization_target === "sla" || planner.metadata.bootstrap !== void 0 && planner.metadata.bootstrap.status !== "not_required";
    this.#target = sla ? "sla" : "easy";
    this.#tickAt = new Map(planner.ticks.map((tick) => [
      tick.at_ms,
      tick
    ]));
    let blind = false;
    for (const tick of planner.ticks) {
      if (tick.scheduled_tick.run_throughput_scaling) {
        blind = capacityUnknown(tick.effects.diagnostics.throughput_decision_reason);
      }
      if (blind) this.#blindFloors.add(tick.ordinal);
    }
  }
  start(summary) {
    const config = this.#config;
    const { metadata, ticks } = this.#planner;
    const first = ticks[0];
    const facts = [];
    if (config.enable_load_scaling === false && config.enable_throughput_scaling === false) {
      facts.push("both scaling loops are off: the replicas stay as they are");
    } else if (config.optimization_target !== void 0) {
      const bounds = this.#target === "sla" ? ` (TTFT ${config.ttft_ms} ms, ITL ${config.itl_ms} ms)` : "";
      facts.push(`target ${config.optimization_target}${bounds}`);
      if (config.enable_load_scaling) facts.push(`load loop every ${config.load_adjustment_interval_seconds} s`);
      if (config.enable_throughput_scaling) {
        const every = config.throughput_adjustment_interval_seconds;
        facts.push(`throughput loop every ${every} s (${config.load_predictor})`);
      }
      const most = config.max_gpu_budget;
      facts.push(most < 0 ? "no GPU limit" : `at most ${most} GPUs`);
    }
    const details = [
      facts.join(", ")
    ].filter((text) => text !== "");
    if (metadata.autoscaler_config) details.push(...autoscalerFacts(metadata.autoscaler_config));
    if (first) details.push(`starts with ${workers(first)}`);
    const bootstrap = metadata.bootstrap;
    if (this.#target === "sla" && bootstrap) {
      details.push(bootstrap.status === "installed" ? `performance model started from ${bootstrap.prefill_fpm_count} prefill and ${bootstrap.decode_fpm_count} decode estimates` : `performance model starts empty (${bootstrap.status})`);
    }
    if (!metadata.details_captured) details.push("ticks were not captured: changes are told without their reasons");
    const advisory = metadata.advisory ? "Advisory Planner: it decides, nothing changes." : `${metadata.autoscaler ? autoscalerName(metadata.autoscaler) : "Planner"} in the loop.`;
    const total = `${this.#planner.total_ticks} ticks, ${whole(summary.num_requests)} requests.`;
    return {
      kind: "start",
      fromS: 0,
      toS: null,
      text: `${advisory} ${total}`,
      details
    };
  }
  /** Events of one tick. */
  change(kind, atS, events) {
    const moves = events.map(({ component, from_count, to_count }) => `${component} ${from_count} \u2192 ${to_count}`);
    const tick = this.#tickAt.get(atS * 1e3);
    const details = tick ? [
      ...this.#because(tick, events),
      ...this.#observed(tick)
    ] : [];
    if (tick && kind === "change") details.push(...this.#consequences(tick));
    const text = kind === "change" ? moves.join(", ") : `would scale ${moves.join(", ")}`;
    return {
      kind,
      fromS: atS,
      toS: null,
      text,
      details
    };
  }
  /** A stretch without changes: how often which reason was given. */
  hold(fromS, toS) {
    const ticks = this.#planner.ticks.filter(({ at_ms }) => at_ms > fromS * 1e3 && at_ms < toS * 1e3);
    if (ticks.length === 0) return [];
    const counts = /* @__PURE__ */ new Map();
    for (const tick of ticks) {
      for (const text of this.#holdReasons(tick)) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const reasons = [
      ...counts
    ].sort(([, a], [, b]) => b - a);
    const details = reasons.map(([text, count]) => `${text} (${count} ${count === 1 ? "tick" : "ticks"})`);
    return [
      {
        kind: "hold",
        fromS,
        toS,
        text: `holds ${workers(ticks[ticks.length - 1])}`,
        details
      }
    ];
  }
  #holdReasons(tick) {
    if (tick.autoscaler) return autoscalerHolds(tick);
    const { effects: { diagnostics }, scheduled_tick } = tick;
    const { load_decision_reason: load2, throughput_decision_reason: throughput } = diagnostics;
    const reasons = [];
    const { estimated_ttft_ms, estimated_itl_ms } = diagnostics;
    const blind = load2 === "no_change" && this.#target === "sla" && estimated_ttft_ms === null && estimated_itl_ms === null;
    if (load2 && load2 !== "disabled") {
      reasons.push(this.#loadText(blind ? "insufficient_data" : load2, tick));
    }
    if (throughput && (load2 === "disabled" || !load2 || scheduled_tick.run_throughput_scaling)) {
      reasons.push(throughputReasonText(throughput));
    }
    return reasons;
  }
  /** A reason of the load loop; "the forecast" only where it could be turned into replicas. */
  #loadText(reason2, { ordinal }) {
    if (reason2 === "scale_down_capped_by_throughput" && this.#blindFloors.has(ordinal)) return CAPPED_BLINDLY;
    return loadReasonText(reason2, this.#target);
  }
  /** Which rule changed the counts. */
  #because(tick, events) {
    if (tick.autoscaler) return autoscalerReasons(tick);
    const d = tick.effects.diagnostics;
    const lines = [];
    const { load_decision_reason: load2, throughput_decision_reason: throughput } = d;
    if (throughput === "scale" || throughput === "set_lower_bound") {
      const forecast = `forecast ${number2(d.predicted_num_req)} requests of ${number2(d.predicted_isl)} + ${number2(d.predicted_osl)} tokens in ${tick.input.traffic?.duration_s} s`;
      const idle = d.predicted_num_req === 0;
      const engine = idle ? [
        "the minimum will do"
      ] : [
        d.load_decision_reason_prefill || d.throughput_decision_reason_prefill ? `a prefill engine serves ${number2(d.engine_rps_prefill)}/s, a decode engine ${number2(d.engine_rps_decode)}/s` : `an engine serves ${number2(d.engine_rps_decode)}/s`
      ];
      const floor = throughput === "set_lower_bound" ? [
        `floor ${floors(tick)}`
      ] : [];
      lines.push(`throughput loop: ${[
        forecast,
        ...engine,
        ...floor
      ].join("; ")}`);
    }
    if (load2 && load2 !== "disabled") {
      const roles = events.flatMap(({ component }) => {
        const reason2 = component === "agg" ? load2 : d[`load_decision_reason_${component}`];
        if (!reason2 || !/^scale_/.test(reason2)) return [];
        const who = component === "agg" ? "" : `${component}: `;
        return [
          `load loop: ${who}${this.#loadText(reason2, tick)}`
        ];
      });
      lines.push(...roles);
      if (load2.startsWith("gpu_budget")) lines.push(`budget: ${loadReasonText(load2, this.#target)}`);
    }
    if (lines.length === 0) lines.push("repair: the deployment was outside its GPU budget or below its minimum");
    return lines;
  }
  /** What the Planner saw. */
  #observed({ input, effects: { diagnostics: d } }) {
    const lines = [];
    const estimates = [
      d.estimated_ttft_ms === null ? "" : `TTFT ${number2(d.estimated_ttft_ms)} ms`,
      d.estimated_itl_ms === null ? "" : `ITL ${number2(d.estimated_itl_ms)} ms`
    ].filter((text) => text !== "");
    if (estimates.length > 0) lines.push(`worst rank: estimated ${estimates.join(", ")}`);
    for (const role of [
      "prefill",
      "decode"
    ]) {
      const rows = input.fpm_observations?.[role];
      if (rows) lines.push(`${input.worker_counts.ready_num_prefill === null ? "" : `${role}: `}${load(rows)}`);
    }
    return lines;
  }
  /** What became of the workers. */
  #consequences(tick) {
    const groups = /* @__PURE__ */ new Map();
    for (const operation of this.#planner.lifecycle_operations) {
      if (operation.planner_tick_ordinal !== tick.ordinal) continue;
      for (const { worker_id, transition, reason: reason2 } of operation.transitions) {
        const what = transition === "worker_ready" ? "ready at once" : transition === "worker_starting" ? `starting${this.#readyAt(operation, worker_id)}` : transition === "worker_draining" ? "draining" : reason2 === "startup_cancelled" ? "cancelled before it was ready" : null;
        if (what === null) continue;
        const key = `${operation.pool === "agg" ? "" : `${operation.pool} `}%: ${what}`;
        groups.set(key, [
          ...groups.get(key) ?? [],
          String(worker_id)
        ]);
      }
    }
    return [
      ...groups
    ].map(([text, ids]) => text.replace("%", `${ids.length === 1 ? "worker" : "workers"} ${ids.join(", ")}`));
  }
  #readyAt({ pool }, worker2) {
    for (const operation of this.#planner.lifecycle_operations) {
      if (operation.pool !== pool) continue;
      for (const { worker_id, transition } of operation.transitions) {
        if (worker_id === worker2 && transition === "worker_ready") return `, ready at ${time(operation.at_ms / 1e3)}`;
      }
    }
    return ", not ready before the end";
  }
};
function floors({ effects: { diagnostics }, input }) {
  const { throughput_lower_bound_prefill: prefill, throughput_lower_bound_decode: decode } = diagnostics;
  return input.worker_counts.ready_num_prefill === null ? `${decode}` : `${prefill} prefill, ${decode} decode`;
}
function load(rows) {
  let decodes = 0, kv = 0, prompts = 0, tokens = 0, waiting = 0;
  for (const { metrics: { scheduled_requests: s, queued_requests: q } } of rows) {
    decodes += s.num_decode_requests;
    kv += s.sum_decode_kv_tokens;
    prompts += q.num_prefill_requests;
    tokens += q.sum_prefill_tokens;
    waiting += q.num_decode_requests;
  }
  const parts = [
    counted(rows.length, "rank"),
    `${whole(decodes)} decoding on ${whole(kv)} KV tokens`,
    `${counted(prompts, "prompt")}${prompts > 0 ? ` (${whole(tokens)} tokens)` : ""} waiting`
  ];
  if (waiting > 0) parts.push(`${whole(waiting)} waiting to decode`);
  return parts.join(", ");
}
function workers({ topology, input }) {
  const of = (role) => {
    const { active_count: active, starting_count: starting } = topology[role];
    return `${active}${starting > 0 ? ` (+${starting} starting)` : ""}`;
  };
  if (input.worker_counts.ready_num_prefill !== null) {
    return `${of("prefill")} prefill and ${of("decode")} decode workers`;
  }
  return `${of("decode")} ${topology.decode.active_count === 1 ? "worker" : "workers"}`;
}

// lib/report/story/run_story.ts
function explainRun(report, options = {}) {
  checkOptions("explainRun()", options, {
    holdSeconds: true
  });
  const { planner, summary } = report;
  const end = endEntry(report);
  if (!planner) {
    return [
      {
        kind: "start",
        fromS: 0,
        toS: null,
        text: "No Planner ran: the replicas were fixed.",
        details: []
      },
      end
    ];
  }
  const holdSeconds = options.holdSeconds ?? 60;
  const ticks = new TickStory(planner);
  const entries = [
    ticks.start(summary)
  ];
  const events = [
    ...planner.scaling_events.map((event) => ({
      event,
      kind: "change"
    })),
    ...planner.recommended_scaling_events.map((event) => ({
      event,
      kind: "recommendation"
    }))
  ];
  const times = [
    ...new Set(events.map(({ event }) => event.at_s))
  ].sort((a, b) => a - b);
  let sinceS = 0;
  const hold = (untilS) => {
    if (untilS - sinceS >= holdSeconds) entries.push(...ticks.hold(sinceS, untilS));
  };
  for (const atS of times) {
    hold(atS);
    const now = events.filter(({ event }) => event.at_s === atS);
    for (const kind of [
      "change",
      "recommendation"
    ]) {
      const group = now.filter((each) => each.kind === kind).map(({ event }) => event);
      if (group.length > 0) entries.push(ticks.change(kind, atS, group));
    }
    sinceS = atS;
  }
  hold(end.fromS);
  entries.push(...retuneStories(planner).map((story) => ({
    kind: "retune",
    toS: null,
    ...story
  })));
  const order = (entry) => entry.kind === "start" ? -1 : entry.fromS;
  entries.sort((a, b) => order(a) - order(b));
  return [
    ...entries,
    end
  ];
}
function storyText(entries, options = {}) {
  checkOptions("storyText()", options, {
    style: true
  });
  const { style = (text) => text } = options;
  const lines = [];
  const heads = entries.map(({ kind, fromS, toS }) => kind === "start" || kind === "end" ? "" : toS === null ? time(fromS) : `${time(fromS)}\u2013${time(toS)}`);
  const width = Math.max(...heads.map((head) => head.length));
  entries.forEach((entry, i) => {
    const { text, details, kind } = entry;
    const framed = kind === "start" || kind === "end";
    if (kind === "end" && lines.at(-1) !== "") lines.push("");
    const indent = framed ? "" : `${style(heads[i].padStart(width), "time", entry)}  `;
    lines.push(`${indent}${style(text, "sentence", entry)}`);
    for (const detail of details) {
      lines.push(`${" ".repeat(framed ? 2 : width + 4)}${style(detail, "detail", entry)}`);
    }
    if (kind === "start") lines.push("");
  });
  return lines.join("\n");
}
function boundsOf({ planner_config: config, retune }) {
  if (config?.optimization_target === "sla") return {
    ttftMs: config.ttft_ms,
    itlMs: config.itl_ms
  };
  return {
    ttftMs: retune?.sla_ttft_ms,
    itlMs: retune?.sla_itl_ms
  };
}
function endEntry(report) {
  const { summary, planner, evaluation } = report;
  const value = (key) => summary[key];
  const durationS = (value("duration_ms") ?? 0) / 1e3;
  const completed = value("completed_requests") ?? 0, good = value("goodput_completed_requests");
  const all = (value("num_requests") ?? 0) + (value("cutoff_unadmitted_requests") ?? 0);
  const sla = good === void 0 ? "no SLA was given" : good === all && all > 0 ? "the SLA was met by every one of them" : `the SLA was met by ${percent(good, all)} and missed by ${whole(all - good)} of them`;
  const [, ...judged] = evaluation?.sla ? verdictLines(report) : [
    "",
    ...verdictLines(report)
  ];
  const details = judged.slice();
  if (good !== void 0 && planner) {
    const { ttftMs, itlMs } = boundsOf(planner.metadata);
    const bounds = [
      [
        "TTFT",
        "ttft",
        ttftMs
      ],
      [
        "TPOT (a request's mean)",
        "tpot",
        itlMs
      ]
    ];
    details.push(...bounds.flatMap(([name, key, bound]) => {
      const p95 = value(`p95_${key}_ms`);
      if (p95 === void 0 || typeof bound !== "number") return [];
      const miss = p95 - bound;
      const verdict = miss > 0 ? `${number2(miss)} ms over its bound of ${bound} ms` : `within its bound of ${bound} ms`;
      return [
        `p95 ${name} ${number2(p95)} ms: ${verdict}`
      ];
    }));
  }
  if (planner) {
    const up = planner.scaling_events.filter(({ reason: reason2 }) => reason2 === "scale_up").length;
    details.push(`${counted(up, "change")} up, ${planner.scaling_events.length - up} down`);
  }
  details.push(...plannerHealth(report));
  const hours = number2(value("gpu_hours") ?? null), { cost } = evaluation ?? {};
  const money = cost ? ` (${moneyText(cost.total, cost.currency)})` : "";
  const requests = `${whole(completed)} of ${whole(all)} requests completed in ${time(durationS)}`;
  return {
    kind: "end",
    fromS: durationS,
    toS: null,
    text: `${requests}; ${sla}; ${hours} GPU hours${money}.`,
    details
  };
}

// lib/collections/histogram.ts
var EXACT = 65536;
var BINS_PER_OCTAVE = 256;
var Histogram = class {
  count = 0;
  min = Infinity;
  max = -Infinity;
  #sum = 0;
  #exact = new Float64Array(1024);
  #coarse = /* @__PURE__ */ new Map();
  add(value, weight = 1) {
    this.count += weight;
    this.#sum += value * weight;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    const at = Math.round(value);
    if (at < EXACT) {
      if (at >= this.#exact.length) {
        this.#exact = longer(this.#exact, Math.min(EXACT, Math.max(at + 1, this.#exact.length * 2)));
      }
      this.#exact[at] += weight;
    } else {
      const bin = Math.floor(Math.log2(value) * BINS_PER_OCTAVE);
      this.#coarse.set(bin, (this.#coarse.get(bin) ?? 0) + weight);
    }
  }
  get mean() {
    return this.count === 0 ? NaN : this.#sum / this.count;
  }
  get sum() {
    return this.#sum;
  }
  /** The smallest value that at least `p` percent of the values do not exceed; `NaN` without values. */
  percentile(p) {
    if (this.count === 0) return NaN;
    let left = Math.max(1, Math.ceil(this.count * p / 100));
    for (let value = 0; value < this.#exact.length; value++) {
      left -= this.#exact[value];
      if (left <= 0) return Math.min(Math.max(value, this.min), this.max);
    }
    for (const bin of [
      ...this.#coarse.keys()
    ].sort((a, b) => a - b)) {
      left -= this.#coarse.get(bin);
      if (left <= 0) return Math.min(Math.round(2 ** ((bin + 0.5) / BINS_PER_OCTAVE)), this.max);
    }
    return this.max;
  }
};

// lib/collections/index_heap.ts
var IndexHeap = class {
  size = 0;
  #entries;
  #times;
  /** `times[entry]` is the time of an entry; at most `capacity` entries are in the heap together. */
  constructor(capacity, times) {
    this.#entries = new Int32Array(capacity);
    this.#times = times;
  }
  /** The first entry; only when the heap is not empty. */
  get first() {
    return this.#entries[0];
  }
  push(entry) {
    const entries = this.#entries;
    let at = this.size++;
    while (at > 0) {
      const parent = at - 1 >> 1;
      if (!this.#before(entry, entries[parent])) break;
      entries[at] = entries[parent];
      at = parent;
    }
    entries[at] = entry;
  }
  /** Takes the first entry away; only when the heap is not empty. */
  pop() {
    const entries = this.#entries, size = --this.size, last = entries[size];
    let at = 0;
    for (; ; ) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#before(entries[child + 1], entries[child])) child++;
      if (!this.#before(entries[child], last)) break;
      entries[at] = entries[child];
      at = child;
    }
    entries[at] = last;
  }
  #before(a, b) {
    return this.#times[a] < this.#times[b] || this.#times[a] === this.#times[b] && a < b;
  }
};

// lib/collections/text_set.ts
var TextSet = class {
  size = 0;
  /** Three words a slot; a slot whose third word is 0 is empty. */
  #words = new Uint32Array(3 * 1024);
  #mask = 1023;
  #a = 0;
  #b = 0;
  #c = 0;
  /** Adds a text; false when it was there already. */
  add(text) {
    if (this.size * 2 > this.#mask) this.#grow();
    this.#hash(text);
    if (!this.#place(this.#a, this.#b, this.#c)) return false;
    this.size++;
    return true;
  }
  #hash(text) {
    let a = 608135816, b = 2242054355, c = 320440878;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 2246822507);
      b = Math.imul(b ^ code, 3266489909);
      c = Math.imul(c ^ code, 2654435761);
      a ^= a >>> 15;
      b ^= b >>> 13;
      c = c << 13 | c >>> 19;
    }
    a = Math.imul(a ^ c >>> 7 ^ text.length, 668265263);
    b = Math.imul(b ^ a >>> 16, 374761393);
    c = Math.imul(c ^ b >>> 11, 625341585);
    this.#a = a ^ c >>> 16;
    this.#b = b ^ a >>> 13;
    this.#c = c | 1;
  }
  #place(a, b, c) {
    const words = this.#words;
    for (let slot = (a ^ b >>> 5) & this.#mask; ; slot = slot + 1 & this.#mask) {
      const at = 3 * slot;
      if (words[at + 2] === 0) {
        words[at] = a;
        words[at + 1] = b;
        words[at + 2] = c;
        return true;
      }
      if (words[at] === a >>> 0 && words[at + 1] === b >>> 0 && words[at + 2] === c >>> 0) return false;
    }
  }
  #grow() {
    const old = this.#words;
    this.#words = new Uint32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let at = 0; at < old.length; at += 3) {
      if (old[at + 2] !== 0) this.#place(old[at], old[at + 1], old[at + 2]);
    }
  }
};

// lib/io/download.ts
function sha256OfFile(path) {
  return sha256Of(readBytes(path, {
    raw: true
  }));
}
async function download(url, path, options) {
  let answer;
  try {
    answer = await fetch(url, {
      signal: options.signal
    });
  } catch (cause) {
    throw new Error(`cannot reach ${url}: ${cause.message}`, {
      cause
    });
  }
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new Error(`${url} answered ${answer.status} ${answer.statusText}`.trim());
  }
  const hash = sha256Stream();
  const file2 = await AtomicFile.open(path, {
    gzip: false
  });
  try {
    for await (const piece of answer.body) {
      hash.update(piece);
      await file2.write(piece);
    }
    const found = hash.hex();
    if (found !== options.sha256) {
      throw new Error(`${url} sent another file: its SHA-256 is ${found}, expected ${options.sha256}`);
    }
    await file2.commit();
  } catch (problem) {
    file2.abort();
    throw problem;
  }
}

// lib/io/node_packages.ts
var runtime = globalThis;
async function withoutEnvironment(load2) {
  const { env } = runtime.process;
  runtime.process.env = {};
  try {
    return await load2();
  } finally {
    runtime.process.env = env;
  }
}
var asBuffer = (bytes) => runtime.process.getBuiltinModule("node:buffer").Buffer.from(bytes);

// lib/jobs/batch.ts
async function runBatch(runner, jobs, { timeoutSeconds = Infinity, onDone, signal } = {}) {
  signal?.throwIfAborted();
  const deadline = performance.now() + timeoutSeconds * 1e3;
  const results = new Array(jobs.length);
  let next = 0, done = 0, failedJob = jobs.length, reason2 = "", late = false;
  const work = async () => {
    while (next < jobs.length && !late && failedJob === jobs.length) {
      const index = next++;
      const left = (deadline - performance.now()) / 1e3;
      const outcome = left > 0 ? await runner.do({
        id: null,
        data: jobs[index]
      }, {
        timeoutSeconds: left,
        signal
      }) : {
        status: "timeout"
      };
      if (outcome.status === "done") {
        results[index] = outcome.result;
        onDone?.(++done);
      } else if (outcome.status === "timeout") late = true;
      else if (index < failedJob) [failedJob, reason2] = [
        index,
        outcome.reason
      ];
    }
  };
  await Promise.all(Array.from({
    length: Math.min(runner.parallel, jobs.length)
  }, work));
  signal?.throwIfAborted();
  if (late) return {
    status: "timeout"
  };
  return failedJob < jobs.length ? {
    status: "failed",
    reason: reason2
  } : {
    status: "done",
    results
  };
}

// lib/jobs/queue/keys.ts
var PREFIX = "dynosim";
var RUNS = `${PREFIX}:runs`;
var WORKERS = `${PREFIX}:workers`;
var workerKey = (worker2) => `${PREFIX}:worker:${worker2}`;
var KEPT_SECONDS = 86400;
var RunKeys = class {
  run;
  constructor(run) {
    this.run = run;
  }
  #name(part) {
    return `${PREFIX}:${this.run}:${part}`;
  }
  /** What it is: there as long as the run goes on. */
  get card() {
    return this.#name("card");
  }
  /** Hash: outcome by task. */
  get results() {
    return this.#name("results");
  }
  /** List: tasks whose outcome is new. */
  get news() {
    return this.#name("news");
  }
  /** Hash: by task, the workers that began it and did not end it. */
  get starts() {
    return this.#name("starts");
  }
  /** Hash: by worker, why it cannot do the run. */
  get declined() {
    return this.#name("declined");
  }
  /** Set: workers that take jobs of the run. */
  get members() {
    return this.#name("members");
  }
  /** Set: digests of files that workers ask for. */
  get wanted() {
    return this.#name("wanted");
  }
  /** Hash: by digest of a file, why workers do not get it here. */
  get withheld() {
    return this.#name("withheld");
  }
  /** Hash: pieces of a file, and their number. */
  file(sha2563) {
    return this.#name(`file-${sha2563}`);
  }
  /** A coordinator of the run; gone soon after it is. */
  coordinator(id) {
    return this.#name(`coordinator-${id}`);
  }
  /** A job of BullMQ. */
  job(id) {
    return this.#name(id);
  }
  /** BullMQ's sign that a worker holds a job. */
  lock(id) {
    return this.#name(`${id}:lock`);
  }
  /** BullMQ's list of jobs that wait. */
  get waiting() {
    return this.#name("wait");
  }
  /** BullMQ's list of jobs that were taken. */
  get active() {
    return this.#name("active");
  }
  /** What BullMQ keeps for a queue. */
  get bookkeeping() {
    return [
      "wait",
      "active",
      "paused",
      "stalled",
      "id",
      "meta",
      "events",
      "marker",
      "delayed",
      "failed",
      "completed"
    ].map((part) => this.#name(part));
  }
  /** Pattern of all names of the run. */
  get all() {
    return this.#name("*");
  }
};
async function keysLike(redis, pattern) {
  const found = /* @__PURE__ */ new Set();
  let cursor = "0";
  do {
    const [next, keys] = await redis.scan(cursor, "MATCH", pattern, "COUNT", 1e3);
    for (const key of keys) found.add(key);
    cursor = next;
  } while (cursor !== "0");
  return [
    ...found
  ];
}
async function wipe(redis, keys) {
  await redis.srem(RUNS, keys.run);
  const found = await keysLike(redis, keys.all);
  for (let from = 0; from < found.length; from += 1e3) await redis.unlink(...found.slice(from, from + 1e3));
}

// lib/jobs/queue/broker.ts
var CONNECT_WITHIN_MS = 1e4;
var START_WITHIN_MS = 5e3;
var RETRY_MS = 1e3;
var Broker = class _Broker {
  /** Plain commands. They wait while the connection is lost. */
  redis;
  #address;
  #bullmq;
  #closed = false;
  constructor(redis, address, bullmq) {
    this.redis = redis;
    this.#address = address;
    this.#bullmq = bullmq;
  }
  /**
   * Connects.
   *
   * @throws {QueueError} when there is no Redis that lets us in
   */
  static async connect(address, { onConnection } = {}) {
    const [bullmq, { Redis }] = await withoutEnvironment(() => Promise.all([
      import("bullmq"),
      import("ioredis")
    ]));
    const { host: host2, port, database, username, password, tls } = address;
    let welcome = false, connected = true, problem = null;
    const redis = new Redis({
      host: host2,
      port,
      db: database,
      username,
      password,
      ...tls === null ? {} : {
        tls: {
          ca: tls.ca,
          servername: host2
        }
      },
      lazyConnect: true,
      connectTimeout: CONNECT_WITHIN_MS,
      maxRetriesPerRequest: null,
      retryStrategy: (times) => welcome ? Math.min(50 * times, RETRY_MS) : null
    });
    redis.on("error", (error) => problem = error);
    const deadline = performance.now() + START_WITHIN_MS;
    for (let there = false; !there; ) {
      try {
        await redis.connect();
        await redis.ping();
        there = true;
      } catch (cause) {
        redis.disconnect();
        const told = problem ?? cause;
        if (told.code === "ECONNREFUSED" && performance.now() < deadline) {
          await pause(RETRY_MS / 4);
        } else throw new QueueError(`cannot use the Redis at ${address.shown}: ${reasonOf3(told, address)}`);
      }
    }
    welcome = true;
    const broker = new _Broker(redis, address, bullmq);
    redis.on("close", () => {
      if (connected && !broker.#closed) onConnection?.(connected = false);
    });
    redis.on("ready", () => {
      if (!connected) onConnection?.(connected = true);
    });
    return broker;
  }
  /** Address as it may be printed. */
  get shown() {
    return this.#address.shown;
  }
  /** The queue of a run. */
  queue(run) {
    return new this.#bullmq.Queue(run, {
      connection: this.redis,
      prefix: PREFIX,
      skipMetasUpdate: true
    });
  }
  /** Takes jobs of a run. */
  take(run, process, { concurrency, leaseMs, onError }) {
    const worker2 = new this.#bullmq.Worker(run, process, {
      connection: this.redis,
      prefix: PREFIX,
      concurrency,
      lockDuration: leaseMs,
      stalledInterval: leaseMs,
      // who dies with what is noted by us, candidate by candidate
      maxStalledCount: 1e3,
      drainDelay: 2,
      removeOnComplete: {
        count: 0
      },
      removeOnFail: {
        count: 0
      }
    });
    worker2.on("error", onError);
    return worker2;
  }
  /** Gives a job back to its queue; the processor ends by throwing what this resolves to. */
  async handBack(job, token) {
    await job.moveToWait(token);
    return new this.#bullmq.WaitingError();
  }
  /** What a processor throws so that its job is not tried again. */
  refusal(reason2) {
    return new this.#bullmq.UnrecoverableError(reason2);
  }
  /** Ends the connection. */
  close() {
    this.#closed = true;
    this.redis.disconnect();
  }
};
function reasonOf3(problem, { password, port, tls }) {
  const { message = "", code } = problem;
  if (code === "ECONNREFUSED") return "nobody listens there (connection refused)";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "there is no such host";
  if (/WRONGPASS|invalid.*password/i.test(message)) return "it does not take this user and password";
  if (/NOAUTH/.test(message)) return "it wants a password: give one in the address, or as DYNOSIM_REDIS_PASSWORD";
  if (/ETIMEDOUT|timed out/i.test(`${code} ${message}`)) {
    return `it did not answer within ${CONNECT_WITHIN_MS / 1e3} s`;
  }
  if (/Connection is closed|ECONNRESET|EPIPE|Protocol error/i.test(`${code} ${message}`)) {
    return tls === null ? `what listens at port ${port} ended the connection (is it no Redis, or one that wants TLS, rediss://?)` : `what listens at port ${port} ended the connection (is it a Redis without TLS, redis://?)`;
  }
  if (/certificate/i.test(message)) return `${message}: name its authority in DYNOSIM_REDIS_CA`;
  return password === void 0 ? message : message.replaceAll(password, "\u2026");
}

// lib/jobs/queue/files.ts
var PIECE_BYTES = 2 ** 20;
var MOST_FILE_BYTES = 64 * 2 ** 20;
var LOOK_AGAIN_MS = 200;
var BUSY = "another process is writing it";
var FETCHES = 100;
var ANSWER_WITHIN_MS = 6e4;
var megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
async function supply(redis, keys, files) {
  for (const wanted of await redis.smembers(keys.wanted)) {
    const file2 = files.find(({ sha256: sha2563 }) => sha2563 === wanted);
    if (file2 === void 0) await withhold(redis, keys, wanted, "it is no file of this run");
    else if (file2.bytes > MOST_FILE_BYTES) {
      const why = `${file2.path} has ${megabytes(file2.bytes)}, and at most ${megabytes(MOST_FILE_BYTES)} travel through Redis: put it into the worker's --traces folder, or serve it and say --traces-from`;
      await withhold(redis, keys, wanted, why);
    } else await put(redis, keys, file2);
    await redis.srem(keys.wanted, wanted);
  }
}
async function withhold(redis, keys, sha2563, why) {
  await redis.hset(keys.withheld, sha2563, why);
  await redis.expire(keys.withheld, KEPT_SECONDS);
}
async function put(redis, keys, { path, sha256: sha2563 }) {
  const key = keys.file(sha2563);
  let pieces = 0;
  for await (const piece of readBytes(path, {
    raw: true,
    chunkBytes: PIECE_BYTES
  })) {
    await redis.hset(key, String(pieces++), asBuffer(piece));
    await redis.expire(key, KEPT_SECONDS);
  }
  await redis.hset(key, "pieces", String(pieces));
}
var WorkerFiles = class {
  #redis;
  #options;
  #digests = /* @__PURE__ */ new Map();
  constructor(redis, options) {
    this.#redis = redis;
    this.#options = options;
  }
  /** Local path of a file, or why there is none. */
  async find(file2, keys) {
    for (let left = FETCHES; ; left--) {
      const found = await this.#find(file2, keys);
      if ("path" in found || left === 0 || !found.missing.includes(BUSY)) return found;
      await pause(LOOK_AGAIN_MS);
    }
  }
  async #find(file2, keys) {
    const here = await this.#here(file2);
    if (here !== null) return {
      path: here
    };
    const { cache, from } = this.#options;
    const missing = (why2) => ({
      missing: `it does not have ${file2.path} (SHA-256 ${file2.sha256.slice(0, 12)}\u2026): ${why2}`
    });
    if (cache === null) return missing("there is no folder to keep it in: set DYNOSIM_CACHE");
    const path = joinPath(cache, file2.sha256);
    let why = "";
    if (from !== null) {
      try {
        await download(new URL(encodeURIComponent(file2.path.replace(/^.*[/\\]/, "")), from).href, path, {
          sha256: file2.sha256,
          signal: this.#options.signal
        });
        return {
          path
        };
      } catch (problem) {
        this.#options.signal.throwIfAborted();
        why = `${reason(problem)}; `;
      }
    }
    try {
      return {
        path: await this.#asked(file2, keys, path)
      };
    } catch (problem) {
      this.#options.signal.throwIfAborted();
      return missing(why + reason(problem));
    }
  }
  /** A file with this digest in the folder or the cache. */
  async #here({ sha256: sha2563, bytes }) {
    const { folder, cache } = this.#options;
    const candidates = [
      ...cache === null ? [] : [
        joinPath(cache, sha2563)
      ],
      ...folder === null ? [] : filesAt(folder, [
        ""
      ])
    ];
    for (const path of candidates) {
      if (host().fileBytes(path) !== bytes || host().kind(path) !== "file") continue;
      try {
        if (await this.#digest(path) === sha2563) return path;
      } catch {
      }
    }
    return null;
  }
  /** Digests are found once: files do not change while a worker runs. */
  #digest(path) {
    let digest = this.#digests.get(path);
    if (digest === void 0) {
      digest = sha256OfFile(path);
      this.#digests.set(path, digest);
      digest.catch(() => this.#digests.delete(path));
    }
    return digest;
  }
  /** Asks the coordinator and waits until the file is in Redis. */
  async #asked(file2, keys, path) {
    const { signal } = this.#options;
    const key = keys.file(file2.sha256);
    const deadline = performance.now() + ANSWER_WITHIN_MS;
    await this.#redis.hdel(keys.withheld, file2.sha256);
    for (; ; ) {
      signal.throwIfAborted();
      const pieces = Number(await this.#redis.hget(key, "pieces"));
      if (pieces > 0 || file2.bytes === 0) return await this.#fetched(file2, key, pieces, path);
      const why = await this.#redis.hget(keys.withheld, file2.sha256);
      if (why !== null) throw new Error(why);
      if (performance.now() > deadline) throw new Error("the coordinator does not answer");
      await this.#redis.sadd(keys.wanted, file2.sha256);
      await this.#redis.expire(keys.wanted, KEPT_SECONDS);
      await pause(LOOK_AGAIN_MS);
    }
  }
  async #fetched({ sha256: sha2563, bytes }, key, pieces, path) {
    const digest = sha256Stream();
    const file2 = await AtomicFile.open(path, {
      gzip: false
    });
    try {
      let taken = 0;
      for (let at = 0; at < pieces; at++) {
        const piece = await this.#redis.hgetBuffer(key, String(at));
        if (piece === null || (taken += piece.length) > bytes) throw new Error("what is in Redis is another file");
        digest.update(piece);
        await file2.write(new Uint8Array(piece));
      }
      if (digest.hex() !== sha2563) throw new Error("what is in Redis is another file: its digest is wrong");
      await file2.commit();
    } catch (problem) {
      file2.abort();
      throw problem;
    }
    return path;
  }
};

// lib/jobs/queue/plain_text.ts
var MARK = "$dynosim";
var ARRAYS = {
  Float64Array,
  Int32Array,
  Uint32Array,
  Uint8Array
};
var NOT_FINITE = [
  "NaN",
  "Infinity",
  "-Infinity"
];
function marked(_key, value) {
  if (typeof value === "number" && !Number.isFinite(value)) return {
    [MARK]: "number",
    value: String(value)
  };
  if (typeof value === "bigint") return {
    [MARK]: "bigint",
    value: String(value)
  };
  if (ArrayBuffer.isView(value)) {
    const name = Object.keys(ARRAYS).find((name2) => value instanceof ARRAYS[name2]);
    if (name === void 0) throw new TypeError("an array of this type cannot be sent");
    return {
      [MARK]: name,
      value: Array.from(value, (item) => Number.isFinite(item) ? item : String(item))
    };
  }
  return value;
}
function unmarked(_key, value) {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, MARK)) return value;
  const { [MARK]: type, value: content } = value;
  if (type === "number" && NOT_FINITE.includes(content)) return Number(content);
  if (type === "bigint" && typeof content === "string" && /^-?\d{1,40}$/.test(content)) return BigInt(content);
  if (Object.hasOwn(ARRAYS, type) && Array.isArray(content)) return arrayOf(type, content);
  throw new SyntaxError(`a text has the mark ${JSON.stringify(type)}, which stands for nothing`);
}
function arrayOf(type, content) {
  const items = content.map((item) => {
    if (typeof item === "number" || NOT_FINITE.includes(item)) return Number(item);
    throw new SyntaxError(`a ${type} holds ${JSON.stringify(item)}`);
  });
  const array2 = ARRAYS[type].from(items);
  const changed = items.findIndex((item, i) => !Object.is(array2[i], item));
  if (changed >= 0) throw new SyntaxError(`a ${type} cannot hold ${items[changed]}`);
  return array2;
}
var plainText = (value) => JSON.stringify(value, marked);
var fromPlainText = (text) => JSON.parse(text, unmarked);

// lib/jobs/queue/messages.ts
var MOST_TASKS = 25;
var MOST_TEXT = 64 * 2 ** 20;
var MOST_REASON = 1e4;
var SEAL = 64;
var short = pipe(string(), maxLength(1e3));
var sha2562 = pipe(string(), regex(/^[0-9a-f]{64}$/, "expected a SHA-256"));
var seconds = pipe(number(), finite(), minValue(0));
var need = strictObject({
  type: short,
  name: short,
  sha256: nullable(sha2562)
});
var file = strictObject({
  path: short,
  sha256: sha2562,
  bytes: pipe(number(), safeInteger(), minValue(0))
});
var card = strictObject({
  protocol: literal(2, "it speaks another version of the protocol"),
  name: short,
  kind: short,
  version: short,
  setup: unknown(),
  needs: pipe(array(need), maxLength(1e3)),
  files: pipe(array(file), maxLength(1e3))
});
var batch = strictObject({
  tasks: pipe(array(strictObject({
    id: sha2562,
    data: string(),
    timeoutSeconds: nullable(seconds)
  })), minLength(1), maxLength(MOST_TASKS))
});
var worker = strictObject({
  host: short,
  version: short,
  concurrency: pipe(number(), safeInteger(), minValue(1), maxValue(1e4))
});
var starts = pipe(array(short), maxLength(100));
function read(schema, text) {
  if (text.length > MOST_TEXT) return "it is too long";
  let value;
  try {
    value = fromPlainText(text);
  } catch {
    return "it is no JSON";
  }
  const result = safeParse(schema, value);
  return result.success ? result.output : issueText(result.issues[0]);
}
var sealed = (name, text) => sha256(`${name}
${text}`) + text;
function opened(name, text) {
  const inner = text.slice(SEAL);
  return text.length <= MOST_TEXT && text === sealed(name, inner) ? inner : null;
}
var taskSeal = ({ id, timeoutSeconds }) => `task ${id} ${timeoutSeconds}`;
var outcomeSeal = (task) => `outcome ${task}`;
var runOf = (card2) => `run-${sha256(card2).slice(0, 24)}`;
function readCard(run, text) {
  const found = read(card, text);
  return typeof found === "string" || runOf(text) === run ? found : "it was damaged, or is that of another run";
}
var readWorker = (text) => read(worker, text);
function readBatch(value) {
  const result = safeParse(batch, value);
  if (!result.success) return issueText(result.issues[0]);
  const tasks = result.output.tasks.map((task) => ({
    ...task,
    data: opened(taskSeal(task), task.data)
  }));
  const damaged = tasks.find(({ data }) => data === null);
  return damaged === void 0 ? tasks : `task ${damaged.id.slice(0, 8)} was damaged`;
}
function readStarts(text) {
  const found = text === null ? [] : read(starts, text);
  return typeof found === "string" ? [] : found;
}
function readOutcome(task, text, result) {
  const inner = opened(outcomeSeal(task), text);
  if (inner === null) return "it was damaged, or is that of another task";
  const outcome = variant("status", [
    strictObject({
      status: literal("done"),
      result
    }),
    strictObject({
      status: literal("failed"),
      reason: pipe(string(), maxLength(MOST_REASON), transform(plain))
    }),
    strictObject({
      status: literal("timeout")
    })
  ]);
  return read(outcome, inner);
}
var plain = (text) => text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");

// lib/random/mersenne_twister.ts
var SIZE = 624;
var SHIFT = 397;
var MersenneTwister = class {
  #state = new Uint32Array(SIZE);
  #next = SIZE;
  /**
   * @param seed a whole number from 0 to 2\u2075\u00b3 \u2212 1
   */
  constructor(seed) {
    const key = seed < 2 ** 32 ? [
      seed
    ] : [
      seed % 2 ** 32,
      Math.floor(seed / 2 ** 32)
    ];
    const state = this.#state;
    state[0] = 19650218;
    for (let i2 = 1; i2 < SIZE; i2++) {
      state[i2] = Math.imul(state[i2 - 1] ^ state[i2 - 1] >>> 30, 1812433253) + i2;
    }
    let i = 1;
    for (let step = 0; step < SIZE; step++) {
      const mixed = state[i] ^ Math.imul(state[i - 1] ^ state[i - 1] >>> 30, 1664525);
      state[i] = mixed + key[step % key.length] + step % key.length;
      i = this.#following(i);
    }
    for (let step = 1; step < SIZE; step++) {
      state[i] = (state[i] ^ Math.imul(state[i - 1] ^ state[i - 1] >>> 30, 1566083941)) - i;
      i = this.#following(i);
    }
    state[0] = 2147483648;
  }
  #following(i) {
    if (i + 1 < SIZE) return i + 1;
    this.#state[0] = this.#state[SIZE - 1];
    return 1;
  }
  /** The next 32 bits. */
  word() {
    if (this.#next === SIZE) this.#refill();
    let word = this.#state[this.#next++];
    word ^= word >>> 11;
    word ^= word << 7 & 2636928640;
    word ^= word << 15 & 4022730752;
    return (word ^ word >>> 18) >>> 0;
  }
  #refill() {
    const state = this.#state;
    for (let i = 0; i < SIZE; i++) {
      const joined = state[i] & 2147483648 | state[(i + 1) % SIZE] & 2147483647;
      state[i] = state[(i + SHIFT) % SIZE] ^ joined >>> 1 ^ (joined & 1 ? 2567483615 : 0);
    }
    this.#next = 0;
  }
  /** A whole number from 0 to `limit` \u2212 1; `limit` is at least 1 and at most 2\u2075\u00b3. */
  below(limit) {
    let bits = 0;
    for (let rest = limit; rest >= 1; rest = Math.floor(rest / 2)) bits++;
    for (; ; ) {
      const drawn = this.#bits(bits);
      if (drawn < limit) return drawn;
    }
  }
  #bits(count) {
    if (count <= 32) return this.word() >>> 32 - count;
    const low = this.word();
    return (this.word() >>> 64 - count) * 2 ** 32 + low;
  }
  /** A fraction from 0 up to but not including 1, with 53 bits. */
  fraction() {
    const high = this.word() >>> 5;
    return (high * 67108864 + (this.word() >>> 6)) / 9007199254740992;
  }
  /** A number between two others. */
  uniform(from, to) {
    return from + (to - from) * this.fraction();
  }
  /** Puts a list in a random order, in place. */
  shuffle(list) {
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [list[i], list[j]] = [
        list[j],
        list[i]
      ];
    }
  }
};

// lib/random/splitmix32.ts
function splitmix32(seed) {
  let state = seed | 0;
  return () => {
    state = state + 2654435769 | 0;
    let mixed = Math.imul(state ^ state >>> 16, 569420461);
    mixed = Math.imul(mixed ^ mixed >>> 15, 1935289751);
    return ((mixed ^ mixed >>> 15) >>> 0) / 4294967296;
  };
}

// lib/random/wyrand.ts
var MASK = (1n << 64n) - 1n;
var STEP_HIGH = 758484428;
var STEP_LOW = 2859235493;
var TWIST_HIGH = 2344110995;
var TWIST_LOW = 2519641289;
var WORD = 2 ** 32;
function upper(a, b) {
  const aLow = a & 65535, aHigh = a >>> 16, bLow = b & 65535, bHigh = b >>> 16;
  return aHigh * bHigh + Math.floor((aHigh * bLow + aLow * bHigh + (aLow * bLow >>> 16)) / 65536);
}
var lower = (a, b) => Math.imul(a, b) >>> 0;
var WyRand = class {
  #stateHigh = 0;
  #stateLow = 0;
  /** Halves of the number drawn last. */
  #high = 0;
  #low = 0;
  /** Starts the stream at `seed` (its low 64 bits). */
  constructor(seed) {
    this.#stateHigh = Number(seed >> 32n & 0xffffffffn);
    this.#stateLow = Number(seed & 0xffffffffn);
  }
  /** The next 64 bits. */
  next() {
    this.#draw();
    return BigInt(this.#high) << 32n | BigInt(this.#low);
  }
  /** The product of the state and its twisted self, folded from 128 bits to 64. */
  #draw() {
    const sum = this.#stateLow + STEP_LOW, low = sum >>> 0;
    const high = this.#stateHigh + STEP_HIGH + (sum >= WORD ? 1 : 0) >>> 0;
    this.#stateLow = low;
    this.#stateHigh = high;
    const twistedLow = (low ^ TWIST_LOW) >>> 0, twistedHigh = (high ^ TWIST_HIGH) >>> 0;
    const second = upper(low, twistedLow) + lower(low, twistedHigh) + lower(high, twistedLow);
    const third = upper(low, twistedHigh) + upper(high, twistedLow) + lower(high, twistedHigh) + Math.floor(second / WORD);
    const fourth = upper(high, twistedHigh) + Math.floor(third / WORD);
    this.#low = (lower(low, twistedLow) ^ third) >>> 0;
    this.#high = (second ^ fourth) >>> 0;
  }
  /** An integer in `[0, limit)`, without bias. `limit` is a positive integer below 2\u00b3\u00b2. */
  below(limit) {
    for (; ; ) {
      this.#draw();
      const middle = upper(this.#low, limit) + lower(this.#high, limit), last = lower(this.#low, limit);
      const answer = upper(this.#high, limit) + Math.floor(middle / WORD);
      if (middle >>> 0 !== 0 || last >= limit || BigInt(last) >= (MASK + 1n) % BigInt(limit)) return answer;
    }
  }
  /** A number in `[0, 1)`. */
  unit() {
    let value;
    do
      value = Number(this.next() >> 1n) * 2 ** -63;
    while (value >= 1);
    return value;
  }
};

// lib/report/saturation.ts
var BOTTLENECK_NAMES = [
  "prefill_compute",
  "decode_compute",
  "kv_blocks",
  "sequence_limit",
  "router_queue"
];
var figure = pipe(number(), finite());
var saturationSchema = strictObject({
  value: figure,
  bottleneck: picklist(BOTTLENECK_NAMES),
  kv_usage: figure,
  preemptions_per_minute: figure,
  at_sequence_limit: figure,
  waiting_requests: figure,
  router_queue: figure,
  missed_ttft: figure,
  missed_itl: figure
});

// lib/timing/aic/energy_models.ts
function energyModels(deployment) {
  const factories = deployment.energyFactories();
  if (factories === null) return null;
  const { times, energies } = factories, { lists, nextn } = deployment;
  const covered = {
    operators: (specs) => coveredOperators(times, energies, specs)
  };
  return {
    energy: new ForwardPassModel(energies, lists, nextn),
    covered: new ForwardPassModel(covered, lists, nextn)
  };
}
function coveredOperators(times, energies, specs) {
  const known = energies.operators(specs);
  return times.operators(specs).map((time2) => new CoveredOperator(time2, known.filter((energy) => energy.name === time2.name)));
}
var STRENGTH = [
  "tokens",
  "lengths",
  "sequences"
];
var CoveredOperator = class {
  dependence;
  #time;
  #energies;
  constructor(time2, energies) {
    this.#time = time2;
    this.#energies = energies;
    this.dependence = STRENGTH[Math.max(...[
      time2,
      ...energies
    ].map(({ dependence }) => STRENGTH.indexOf(dependence)))];
  }
  get name() {
    return this.#time.name;
  }
  ms(tokens, batch2, seq, prefix, scale) {
    for (let i = 0; i < this.#energies.length; i++) {
      if (this.#energies[i].ms(tokens, batch2, seq, prefix, scale) > 0) {
        return this.#time.ms(tokens, batch2, seq, prefix, scale);
      }
    }
    return 0;
  }
  problem(tokens, batch2, seq, prefix) {
    return this.#time.problem(tokens, batch2, seq, prefix);
  }
};

export {
  Histogram,
  IndexHeap,
  TextSet,
  sha256OfFile,
  download,
  runBatch,
  RUNS,
  WORKERS,
  workerKey,
  KEPT_SECONDS,
  RunKeys,
  keysLike,
  wipe,
  Broker,
  supply,
  WorkerFiles,
  plainText,
  fromPlainText,
  MOST_TASKS,
  MOST_REASON,
  sealed,
  taskSeal,
  outcomeSeal,
  runOf,
  readCard,
  readWorker,
  readBatch,
  readStarts,
  readOutcome,
  plain,
  threads,
  MersenneTwister,
  splitmix32,
  WyRand,
  saturationSchema,
  explainRun,
  storyText,
  energyModels
};
