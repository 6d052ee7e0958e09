import {
  capacityResult,
  explainCapacity,
  explainRecommendation,
  readReport,
  searchResult
} from "./analysis.js";
import "./shared.js";
import {
  CAPPED_BLINDLY,
  autoscalerFacts,
  autoscalerHolds,
  autoscalerName,
  autoscalerReasons,
  capacityUnknown,
  counted,
  jsonText,
  loadReasonText,
  moneyText,
  number as number2,
  percent,
  plannerHealth,
  throughputReasonText,
  time,
  verdictLines,
  whole
} from "./config.js";
import "./timing.js";
import {
  checkOptions,
  choice,
  command,
  number2 as number,
  paint,
  writeText
} from "./base.js";

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
function headline({ outcome, current, chosen, objective, reason, improvement_percentage }) {
  switch (outcome) {
    case "kept":
      return `retune kept ${shown(valuesOf(current))}`;
    case "timeout":
    case "failed":
    case "no_requests":
      return `retune changed nothing: ${reason}`;
  }
  const before = valuesOf(current), after = chosen ? valuesOf(chosen) : {};
  const changes = Object.keys(after).filter((name) => before[name] !== after[name]).map((name) => `${name} ${before[name]} \u2192 ${after[name]}`);
  const gain = improvement_percentage === null ? "" : `, better by ${number2(improvement_percentage)} %`;
  const scores = `${objective} ${number2(current.score)} \u2192 ${number2(chosen?.score ?? null)}${gain}`;
  return `retune ${outcome === "applied" ? "switched" : "would switch"} ${changes.join(", ")} (${scores})`;
}
function circumstances(event) {
  const { window, launched_at_s, sweep_wall_s, decision_latency_s, reason, outcome } = event;
  const span = `${time(window.start_s)}\u2013${time(window.end_s)}`;
  const details = [
    `window ${window.index} (${span}, ${counted(window.num_requests, "request")}), launched at ${time(launched_at_s)}` + (outcome === "no_requests" ? "" : `, sweep ${number2(sweep_wall_s)} s, latency ${number2(decision_latency_s)} s`)
  ];
  if ([
    "kept",
    "applied",
    "advisory"
  ].includes(outcome) && reason) details.push(reason);
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
  #loadText(reason, { ordinal }) {
    if (reason === "scale_down_capped_by_throughput" && this.#blindFloors.has(ordinal)) return CAPPED_BLINDLY;
    return loadReasonText(reason, this.#target);
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
        const reason = component === "agg" ? load2 : d[`load_decision_reason_${component}`];
        if (!reason || !/^scale_/.test(reason)) return [];
        const who = component === "agg" ? "" : `${component}: `;
        return [
          `load loop: ${who}${this.#loadText(reason, tick)}`
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
      for (const { worker_id, transition, reason } of operation.transitions) {
        const what = transition === "worker_ready" ? "ready at once" : transition === "worker_starting" ? `starting${this.#readyAt(operation, worker_id)}` : transition === "worker_draining" ? "draining" : reason === "startup_cancelled" ? "cancelled before it was ready" : null;
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
  #readyAt({ pool }, worker) {
    for (const operation of this.#planner.lifecycle_operations) {
      if (operation.pool !== pool) continue;
      for (const { worker_id, transition } of operation.transitions) {
        if (worker_id === worker && transition === "worker_ready") return `, ready at ${time(operation.at_ms / 1e3)}`;
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
  const { style: style2 = (text) => text } = options;
  const lines = [];
  const heads = entries.map(({ kind, fromS, toS }) => kind === "start" || kind === "end" ? "" : toS === null ? time(fromS) : `${time(fromS)}\u2013${time(toS)}`);
  const width = Math.max(...heads.map((head) => head.length));
  entries.forEach((entry, i) => {
    const { text, details, kind } = entry;
    const framed = kind === "start" || kind === "end";
    if (kind === "end" && lines.at(-1) !== "") lines.push("");
    const indent = framed ? "" : `${style2(heads[i].padStart(width), "time", entry)}  `;
    lines.push(`${indent}${style2(text, "sentence", entry)}`);
    for (const detail of details) {
      lines.push(`${" ".repeat(framed ? 2 : width + 4)}${style2(detail, "detail", entry)}`);
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
    const up = planner.scaling_events.filter(({ reason }) => reason === "scale_up").length;
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

// cli/explain.ts
var LINE = {
  command: "explain",
  summary: "Tells what a search found and why the rest lost; or when the Planner changed the replicas, what it saw and by which rule, and how the run ended.",
  options: {
    holdSeconds: number("shortest time without a change that is told", {
      value: "N",
      fallback: 60,
      least: 0
    }),
    format: choice("text to read, or the same as a list of JSON objects", [
      "text",
      "json"
    ], {
      fallback: "text"
    })
  },
  operands: {
    name: "DIR",
    help: "output directory of recommend, capacity or predict (or its prediction.json; - reads it)",
    least: 1,
    most: 1
  }
};
var explainCommand = command(LINE, async ({ holdSeconds, format }, [path]) => {
  const carried = await capacityResult(path);
  if (carried !== null) {
    const lines = explainCapacity(carried);
    writeText("stdout", format === "json" ? jsonText(lines) : `${lines.join("\n")}
`);
    return;
  }
  const search = await searchResult(path);
  if (search !== null) {
    const lines = explainRecommendation(search);
    const [first, ...rest] = lines;
    const text = () => `${[
      paint("bold", first, "stdout"),
      ...rest
    ].join("\n")}
`;
    writeText("stdout", format === "json" ? jsonText(lines) : text());
    return;
  }
  const entries = explainRun(await readReport(path), {
    holdSeconds
  });
  writeText("stdout", format === "json" ? jsonText(entries) : `${storyText(entries, {
    style
  })}
`);
});
var COLOURS = {
  change: "green",
  recommendation: "cyan",
  retune: "yellow",
  start: "bold",
  end: "bold"
};
function style(text, part, { kind }) {
  if (part === "detail") return paint("dim", text, "stdout");
  if (part === "time") return paint("cyan", text, "stdout");
  return kind === "hold" ? text : paint(COLOURS[kind], text, "stdout");
}
export {
  explainCommand
};
