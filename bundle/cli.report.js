import {
  LIGHT,
  MARGINS,
  amount,
  bottomAxis,
  capacityLatencyPlot,
  capacityPlot,
  capacityResult,
  checkReport,
  descriptionOf,
  dimensionEffects,
  draw,
  explainCapacity,
  explainRecommendation,
  figureHtml,
  grid,
  htmlReportSteps,
  labelled,
  loadColumns,
  makeColumns,
  markup,
  page,
  pushRow,
  rankedCandidates,
  reportFile,
  safe,
  saturationRows,
  searchPrice,
  searchResult,
  table,
  targetOf,
  valueAxis
} from "./analysis.js";
import "./shared.js";
import {
  CONFIG_FILE,
  attainment,
  boundsOf,
  joinPath,
  sectionedReport
} from "./config.js";
import {
  LineCutter
} from "./timing.js";
import {
  ByteSourceError,
  ConfigError,
  ProgressBar,
  TraceError,
  UsageError,
  checkOptions,
  command,
  host,
  isStandardOutput,
  number2 as number,
  readBytes,
  shareLine,
  showReading,
  stopPoint,
  text,
  warn,
  writeFileAtomically,
  writeText
} from "./base.js";

// lib/analysis/capacity_page.ts
var STYLE = `<style>#loads td{text-align:right;font-variant-numeric:tabular-nums}#loads td:first-child{text-align:left}
#loads tr.largest{font-weight:600}#loads tr.beyond{color:var(--quiet)}</style>`;
function loads(found) {
  const { largest, beyond, points } = found, columns = loadColumns(found);
  const kind = (value) => value === largest ? "largest" : beyond !== null && value >= beyond ? "beyond" : "";
  return safe`<div class="scroll"><table id="loads"><thead><tr>${columns.map(([label]) => safe`<th>${label}</th>`)}</tr></thead>
<tbody>${points.map((point) => safe`<tr class="${kind(point.value)}">${columns.map(([, of]) => safe`<td>${of(point, found)}</td>`)}</tr>\n`)}</tbody></table></div>`;
}
function runsOut(found) {
  const rows = saturationRows(found);
  if (rows.length === 0) return safe`<p class="quiet">No load that was tried is too much.</p>`;
  return safe`<div class="scroll"><table id="saturation"><tbody>${rows.map(([name, value]) => safe`<tr><th>${name}</th><td>${value}</td></tr>`)}</tbody></table></div>`;
}
function boundsText({ sla: { ttft_ms, itl_ms, e2e_ms } }) {
  const bounds = [
    ttft_ms === null ? "" : `TTFT up to ${ttft_ms} ms`,
    itl_ms === null ? "" : `a mean of up to ${itl_ms} ms between its tokens (TPOT)`,
    e2e_ms === null ? "" : `${e2e_ms} ms for the whole request`
  ].filter((text2) => text2 !== "");
  return `A request is good with ${bounds.join(" and ")}.`;
}
function capacityPage(found, options = {}) {
  checkOptions("capacityPage()", options, {
    title: true
  });
  const [facts, ...story] = explainCapacity(found);
  return page({
    title: options.title ?? "What it carries",
    facts,
    main: safe`${markup(STYLE)}
<h2>The knee</h2>
${figureHtml(capacityPlot(found))}${figureHtml(capacityLatencyPlot(found))}
<p>${boundsText(found)} ${story.join(" ")}</p>
<h2>What runs out there</h2>
${runsOut(found)}
<h2>Loads</h2>
${loads(found)}`
  });
}

// lib/analysis/recommendation_plot.ts
import * as Plot from "@observablehq/plot";
function axesOf(target) {
  if (target === "pareto") {
    return {
      x: {
        label: "output tokens a second for each user",
        unit: "tokens/s",
        of: ({ objectives }) => objectives?.throughput_per_user ?? null
      },
      y: {
        label: "output tokens a second for each GPU",
        unit: "tokens/s",
        of: ({ objectives }) => objectives?.throughput_per_gpu ?? null
      }
    };
  }
  const latency = target === "ttft" || target === "e2e_latency";
  return {
    x: {
      label: "GPUs",
      unit: "GPUs",
      of: ({ used_gpus }) => used_gpus
    },
    y: {
      label: latency ? `${target} (ms)` : target,
      unit: latency ? "ms" : "score",
      of: ({ score }) => score === null ? null : Math.abs(score)
    }
  };
}
var SIZE = {
  ...MARGINS,
  width: 960,
  height: 380,
  marginBottom: 40
};
function candidatesPlot(result) {
  const { x, y } = axesOf(targetOf(result));
  const points = result.candidates.flatMap((one) => {
    const at = [
      x.of(one),
      y.of(one)
    ];
    return one.status === "feasible" && at.every((value) => value !== null) ? [
      {
        one,
        x: at[0],
        y: at[1]
      }
    ] : [];
  });
  if (points.length === 0) return null;
  const ends = (values) => {
    const low = Math.min(...values), high = Math.max(...values), pad = (high - low || Math.abs(high) || 1) * 0.08;
    return [
      low - pad,
      high + pad
    ];
  };
  const [x0, x1] = ends(points.map((point) => point.x)), [y0, y1] = ends(points.map((point) => point.y));
  const front = new Set(result.views.pareto_front.length > 0 ? result.views.pareto_front : envelope(result, points));
  const isBest = ({ one }) => front.has(one.candidate_id);
  const best = points.filter(isBest).toSorted((a, b) => a.x - b.x || a.y - b.y);
  const ranks = new Map(rankedCandidates(result).map((one, i) => [
    one.candidate_id,
    i + 1
  ]));
  const dots = (chosen, color, r, fillOpacity) => Plot.dot(chosen, {
    x: "x",
    y: "y",
    fill: color,
    fillOpacity,
    r,
    href: ({ one }) => `#${one.candidate_id}`,
    title: ({ one, x: x2, y: y2 }) => `${one.candidate_id}: ${descriptionOf(one)} \u2013 ${amount(x2)} / ${amount(y2)}`
  });
  const plot = labelled(draw({
    ...SIZE,
    x: {
      domain: [
        x0,
        x1
      ]
    },
    y: {
      domain: [
        y0,
        y1
      ]
    },
    marks: [
      grid(5),
      bottomAxis(x.label, x.label === "GPUs" ? wholeTicks(x0, x1) : 6, amount),
      valueAxis(y.label, amount, 5),
      Plot.line(best, {
        x: "x",
        y: "y",
        stroke: LIGHT.vermilion,
        strokeWidth: 1.5
      }),
      dots(points.filter((point) => !isBest(point)), LIGHT.blue, 3.5, 0.55),
      dots(best, LIGHT.vermilion, 5, 1)
    ]
  }), best.map(({ one, x: x2, y: y2 }) => ({
    x: SIZE.marginLeft + (x2 - x0) / (x1 - x0) * (SIZE.width - SIZE.marginLeft - SIZE.marginRight),
    y: SIZE.height - SIZE.marginBottom - (y2 - y0) / (y1 - y0) * (SIZE.height - SIZE.marginBottom - SIZE.marginTop),
    names: [
      `#${ranks.get(one.candidate_id) ?? "?"}`
    ]
  })));
  return {
    title: `${y.label} against ${x.label}`,
    subtitle: "a dot leads to its row of the ledger",
    legend: [
      {
        label: "no other beats it, with its rank",
        color: LIGHT.vermilion,
        mark: "dot"
      },
      {
        label: "feasible",
        color: LIGHT.blue,
        mark: "dot"
      }
    ],
    panels: [
      {
        plot
      }
    ],
    data: {
      x: "candidate",
      series: [
        {
          of: x.label,
          part: "",
          unit: x.unit,
          x: points.map(idOf),
          y: points.map((point) => point.x)
        },
        {
          of: y.label,
          part: "",
          unit: y.unit,
          x: points.map(idOf),
          y: points.map((point) => point.y)
        }
      ]
    }
  };
}
var idOf = ({ one }) => one.candidate_id;
function wholeTicks(from, to) {
  const step = Math.max(1, Math.ceil((to - from) / 8)), first = Math.ceil(from / step) * step;
  return Array.from({
    length: Math.max(0, Math.floor((to - first) / step) + 1)
  }, (_, i) => first + i * step);
}
function envelope(result, points) {
  const score = (one) => one.score ?? -Infinity;
  const sorted = points.map(({ one }) => one).toSorted((a, b) => (a.used_gpus ?? 0) - (b.used_gpus ?? 0) || score(b) - score(a));
  const found = [];
  let best = -Infinity;
  for (const one of sorted) {
    if (score(one) <= best) continue;
    best = score(one);
    found.push(one.candidate_id);
  }
  return result.candidates.length === 0 ? [] : found;
}

// lib/analysis/recommendation_page.ts
var short = (value) => value == null ? "" : String(Number(value.toPrecision(4)));
var LEDGER = [
  [
    "#",
    (_, rank) => rank
  ],
  [
    "candidate",
    (one) => one.candidate_id
  ],
  [
    "status",
    (one) => one.status
  ],
  [
    "GPUs",
    (one) => one.used_gpus
  ],
  [
    "within SLA (%)",
    ({ metrics }) => share(metrics)
  ],
  [
    "score",
    (one) => short(one.score)
  ],
  [
    "TTFT p95 (ms)",
    ({ metrics }) => short(metrics?.p95_ttft_ms)
  ],
  [
    "TPOT p95 (ms)",
    ({ metrics }) => short(metrics?.p95_tpot_ms)
  ],
  [
    "tokens/s",
    ({ metrics }) => short(metrics?.output_throughput_tok_s)
  ],
  [
    "what",
    (one) => one.reason === null ? descriptionOf(one) : `${descriptionOf(one)} \u2013 ${one.reason}`
  ]
];
function share(metrics) {
  const within = metrics && attainment(metrics);
  return within === null ? "" : short(within * 100);
}
function candidates(result) {
  const figure = candidatesPlot(result);
  return figure === null ? safe`<p class="quiet">No feasible candidate to draw.</p>` : figureHtml(figure);
}
function ledger(result) {
  const ranks = new Map(rankedCandidates(result).map((one, i) => [
    one.candidate_id,
    String(i + 1)
  ]));
  const price = searchPrice(result);
  const hourly = (one) => one.used_gpus === null ? "" : (one.used_gpus * price.perGpuHour).toFixed(2);
  const columns = price === null ? LEDGER : LEDGER.flatMap((column) => column[0] === "GPUs" ? [
    column,
    [
      `${price.currency}/h`,
      hourly
    ]
  ] : [
    column
  ]);
  return safe`<p><input class="filter" id="filter" data-filters="ledger" type="search" placeholder="filter, e.g. tensor 2, feasible" aria-label="filter"></p>
<div class="scroll"><table id="ledger" class="sortable"><thead><tr>${columns.map(([label]) => safe`<th scope="col"><button type="button">${label}</button></th>`)}</tr></thead>
<tbody>${result.candidates.map((one) => safe`<tr id="${one.candidate_id}">${columns.map(([, of]) => safe`<td>${of(one, ranks.get(one.candidate_id) ?? "")}</td>`)}</tr>\n`)}</tbody></table></div>
<h3>Configurations of the best</h3>
${rankedCandidates(result).slice(0, 20).map((one, i) => safe`<details><summary>${i + 1}: ${descriptionOf(one)}</summary><pre>${JSON.stringify(one.config, null, 2)}</pre></details>`)}`;
}
function dimensions(result) {
  const found = dimensionEffects(result);
  if (found.length === 0) return safe`<p class="quiet">Nothing had more than one value.</p>`;
  return safe`<div class="scroll"><table><thead><tr><th scope="col">dimension</th><th scope="col">value</th><th scope="col" class="number">candidates</th><th scope="col" class="number">best score</th><th scope="col" class="number">middle score</th></tr></thead><tbody>${found.flatMap(({ name, values }) => values.map(({ value, candidates: candidates2, best, median }, i) => safe`<tr><th>${i === 0 ? name : ""}</th><td>${String(value)}</td><td class="number">${candidates2}</td><td class="number">${short(best)}</td><td class="number">${short(median)}</td></tr>`))}</tbody></table></div>`;
}
function recommendationPage(result, options = {}) {
  checkOptions("recommendationPage()", options, {
    title: true
  });
  const [facts, ...story] = explainRecommendation(result);
  return page({
    title: options.title ?? "What to run",
    facts,
    main: safe`<h2>Candidates</h2>
${candidates(result)}
<h2>In words</h2>
${story.map((line2) => safe`<p>${line2}</p>`)}
<h2>What each dimension did</h2>
${dimensions(result)}
<h2>Ledger</h2>
${ledger(result)}`
  });
}

// lib/analysis/read_prediction.ts
var LIST_OPENS = '  "per_request": [';
var NEWLINE = "\n";
async function readPrediction(path, onRecord) {
  const reader = new Reader(onRecord);
  const cutter = new LineCutter();
  try {
    for await (const piece of readBytes(path)) for (const line2 of cutter.cut(piece)) reader.line(line2);
    for (const line2 of cutter.finish()) reader.line(line2);
  } catch (problem) {
    if (problem instanceof SyntaxError) throw unreadable(path, problem);
    if (!(problem instanceof ByteSourceError)) throw problem;
    const hint = problem.stage === "open" ? ": is its folder the output of a prediction?" : ` to its end: ${problem.message}`;
    throw new TraceError(`Cannot ${problem.stage} ${path}${hint}`, {
      file: path
    }, {
      cause: problem
    });
  }
  let value;
  try {
    value = JSON.parse(reader.text);
  } catch (problem) {
    throw unreadable(path, problem);
  }
  const report = checkReport(sectionedReport(value), path);
  checkFigures(report.summary, path);
  const whole = report.per_request;
  if (whole != null && onRecord !== null) {
    for (const record of whole) onRecord(record);
  }
  const hasRecords = reader.foundList || whole != null;
  return {
    report: {
      ...report,
      per_request: null,
      planner: report.planner ?? null
    },
    hasRecords
  };
}
var Reader = class {
  /** Everything but the records. */
  text = "";
  foundList = false;
  #onRecord;
  #decoder = new TextDecoder();
  #inList = false;
  #record = "";
  constructor(onRecord) {
    this.#onRecord = onRecord;
  }
  line(line2) {
    if (!this.#inList) {
      const content = this.#decode(line2);
      this.#inList = content === LIST_OPENS;
      this.foundList ||= this.#inList;
      this.text += this.#inList ? '  "per_request": null' : content + NEWLINE;
      return;
    }
    const { bytes, start, end } = line2;
    if (bytes[start + 2] === 93) {
      this.#inList = false;
      this.text += (bytes[end - 1] === 44 ? "," : "") + NEWLINE;
    } else if (this.#onRecord !== null) {
      const content = this.#decode(line2);
      const ends = bytes[start + 4] === 125;
      this.#record += ends ? "}" : content;
      if (!ends) return;
      this.#onRecord(JSON.parse(this.#record));
      this.#record = "";
    }
  }
  #decode({ bytes, start, end }) {
    return this.#decoder.decode(bytes.subarray(start, end));
  }
};
var NEEDED = [
  "num_requests",
  "completed_requests",
  "duration_ms",
  "gpu_hours",
  "prefill_worker_seconds",
  "decode_worker_seconds",
  "prefill_gpus_per_worker",
  "decode_gpus_per_worker"
];
function checkFigures(summary, path) {
  const missing = NEEDED.find((key) => typeof summary[key] !== "number");
  if (missing === void 0) return;
  const message = `${path} is not a report: summary.${missing} should be a number, not ${JSON.stringify(summary[missing])}`;
  throw new ConfigError(message, [
    {
      path: `summary.${missing}`,
      message,
      file: path
    }
  ]);
}
function unreadable(path, cause) {
  return new TraceError(`Cannot parse ${path} as JSON: ${cause.message}`, {
    file: path
  }, {
    cause
  });
}

// lib/analysis/requests_table.ts
var KINDS = {
  request_id: "text",
  play_id: "text",
  session_id: "text",
  turn_index: "number",
  uuid: "text",
  terminal_status: "text",
  arrival_time_ms: "number",
  dispatched_at_ms: "number",
  first_admit_ms: "number",
  first_token_ms: "number",
  last_token_ms: "number",
  terminal_time_ms: "number",
  ttft_ms: "number",
  ttst_ms: "number",
  itl_ms: "number",
  e2e_latency_ms: "number",
  input_length: "number",
  requested_output_length: "number",
  output_length: "number",
  reused_input_tokens: "number",
  decode_reused_input_tokens: "number",
  admission_count: "number",
  readmission_count: "number",
  prefill_worker_idx: "number",
  decode_worker_idx: "number",
  prefill_admit_ms: "number",
  source_held_ms: "number",
  destination_reserved_ms: "number",
  destination_activated_ms: "number",
  source_released_ms: "number",
  decode_admit_ms: "number",
  prefill_route_overlap_tokens: "number",
  decode_route_overlap_tokens: "number"
};
var RequestColumns = class {
  #columns = makeColumns(KINDS);
  /** Appends a record. */
  add(record) {
    pushRow(this.#columns, record);
  }
  /** The table of what was added. */
  table() {
    return table({
      ...this.#columns,
      arrival_ms: this.#columns.arrival_time_ms
    });
  }
};
function requestsTable(source) {
  if ("requests" in source) {
    if (source.requests !== null) return source.requests;
  } else if (source.per_request !== null) {
    const columns = new RequestColumns();
    for (const record of source.per_request) columns.add(record);
    return columns.table();
  }
  throw new RangeError("The run has no per-request records: capture them (--capture-per-request)");
}

// lib/analysis/run.ts
var OPTIONS = {
  name: true,
  sla: true,
  config: true
};
function boundsOf2(evaluation) {
  const bounds = evaluation?.sla?.bounds;
  if (bounds === void 0) return null;
  const { ttft_ms: ttftMs, itl_ms: itlMs, e2e_ms: e2eMs } = bounds;
  return e2eMs === null ? {
    ttftMs,
    itlMs
  } : {
    e2eMs
  };
}
function toRun(report, options = {}) {
  checkOptions("toRun()", options, OPTIONS);
  return {
    name: options.name ?? "run",
    summary: report.summary,
    planner: report.planner,
    coverage: report.coverage,
    metadata: report.metadata ?? null,
    telemetry: report.telemetry ?? null,
    requests: report.per_request === null ? null : requestsTable(report),
    evaluation: report.evaluation ?? null,
    workers: report.workers ?? [],
    sla: options.sla ?? boundsOf2(report.evaluation),
    config: options.config ?? null
  };
}
async function readRun(folder, options = {}) {
  checkOptions("readRun()", options, OPTIONS);
  const fromLines = await readRequests(joinPath(folder, "requests.jsonl"));
  const columns = new RequestColumns();
  const { report, hasRecords } = await readPrediction(joinPath(folder, "prediction.json"), fromLines === null ? (record) => columns.add(record) : null);
  const run = toRun(report, {
    ...options,
    name: options.name ?? folder.split("/").filter((part) => part !== "" && part !== ".").at(-1) ?? folder,
    config: options.config ?? await readText(joinPath(folder, CONFIG_FILE))
  });
  return {
    ...run,
    requests: fromLines ?? (hasRecords ? columns.table() : null)
  };
}
async function readRequests(path) {
  const columns = new RequestColumns();
  const decoder = new TextDecoder("utf-8", {
    fatal: true
  });
  const cutter = new LineCutter();
  const add = (line2) => {
    try {
      columns.add(JSON.parse(decoder.decode(line2.bytes.subarray(line2.start, line2.end))));
    } catch (cause) {
      const place = {
        file: path,
        line: line2.number
      };
      throw new TraceError(`Cannot parse line ${line2.number} of ${path} as a request record`, place, {
        cause
      });
    }
  };
  try {
    for await (const piece of readBytes(path)) for (const line2 of cutter.cut(piece)) add(line2);
    for (const line2 of cutter.finish()) add(line2);
  } catch (problem) {
    if (problem instanceof ByteSourceError && problem.stage === "open") return null;
    throw problem;
  }
  return columns.table();
}
async function readText(path) {
  const decoder = new TextDecoder();
  let text2 = "";
  try {
    for await (const piece of readBytes(path)) text2 += decoder.decode(piece, {
      stream: true
    });
  } catch (problem) {
    if (problem instanceof ByteSourceError && problem.stage === "open") return null;
    throw problem;
  }
  return text2 + decoder.decode();
}

// cli/report.ts
var bound = (metric) => ({
  ...number(`bound on ${metric} in milliseconds, instead of the configuration's`, {
    value: "MS",
    fallback: 0,
    least: 0
  }),
  fallback: void 0
});
var LINE = {
  command: "report",
  summary: "Draws one or several predictions as one self-contained HTML page; the first is what the others are compared with.",
  options: {
    output: text("where the page goes (- is standard output)", {
      value: "FILE",
      short: "o",
      fallback: "report.html"
    }),
    title: text("heading of the page", {
      value: "TEXT"
    }),
    slaTtftMs: bound("time to first token"),
    slaItlMs: bound("time between tokens"),
    slaE2eMs: bound("end-to-end latency")
  },
  operands: {
    name: "DIR\u2026",
    help: "output directories of predict, or one of recommend or capacity",
    least: 1,
    most: Infinity
  },
  notes: [
    "Latencies and queues over time need runs with --capture-per-request."
  ]
};
var reportCommand = command(LINE, async (options, folders) => {
  const carried = folders.length === 1 ? await capacityResult(folders[0]) : null;
  if (carried !== null) {
    await writeFileAtomically(options.output, capacityPage(carried, {
      title: options.title
    }));
    if (!isStandardOutput(options.output)) writeText("stdout", `Saved report to: ${options.output}
`);
    return;
  }
  const search = folders.length === 1 ? await searchResult(folders[0]) : null;
  if (search !== null) {
    await writeFileAtomically(options.output, recommendationPage(search, {
      title: options.title
    }));
    if (!isStandardOutput(options.output)) writeText("stdout", `Saved report to: ${options.output}
`);
    return;
  }
  const given = givenBounds(options);
  const names = distinctNames(folders);
  const runs = [];
  const hide = showReading(folders.flatMap((folder) => [
    "prediction.json",
    "requests.jsonl"
  ].map((name) => joinPath(folder, name))));
  try {
    for (const [i, folder] of folders.entries()) {
      if (host().kind(folder) !== "directory") {
        throw new ConfigError(`${folder} is not a directory; give the output directories of predict`);
      }
      reportFile(folder);
      const run = await readRun(folder, {
        name: names[i]
      }).catch(asMistake);
      runs.push({
        ...run,
        sla: given ?? (run.config === null ? null : boundsOf(run.config))
      });
    }
  } finally {
    hide();
  }
  if (runs.every(({ requests }) => requests === null)) {
    warn("report", "no run has per-request records, so latencies over time are missing (predict --capture-per-request)");
  }
  await writeFileAtomically(options.output, await pageOf(runs, options.title));
  if (!isStandardOutput(options.output)) writeText("stdout", `Saved report to: ${options.output}
`);
});
async function pageOf(runs, title) {
  const steps = htmlReportSteps(runs, {
    title
  }), bar = new ProgressBar();
  try {
    for (; ; ) {
      await stopPoint();
      const step = steps.next();
      if (step.done) return step.value;
      bar.draw((elapsedMs, columns) => shareLine(step.value, "drawing", elapsedMs, columns));
    }
  } finally {
    bar.clear();
  }
}
function asMistake(problem) {
  throw problem instanceof TraceError ? new ConfigError(problem.message, [], {
    cause: problem
  }) : problem;
}
function givenBounds({ slaTtftMs, slaItlMs, slaE2eMs }) {
  if (slaTtftMs === void 0 && slaItlMs === void 0 && slaE2eMs === void 0) return null;
  if (slaE2eMs !== void 0 && (slaTtftMs !== void 0 || slaItlMs !== void 0)) {
    throw new UsageError("--sla-e2e-ms is mutually exclusive with --sla-ttft-ms and --sla-itl-ms");
  }
  return {
    ttftMs: slaTtftMs,
    itlMs: slaItlMs,
    e2eMs: slaE2eMs
  };
}
function distinctNames(folders) {
  const parts = folders.map((folder) => folder.split("/").filter((part) => part !== "" && part !== "."));
  const tail = (count) => parts.map((all, i) => all.slice(-count).join("/") || folders[i]);
  const longest = Math.max(...parts.map(({ length }) => length), 1);
  for (let count = 1; count <= longest; count++) {
    const names2 = tail(count);
    if (new Set(names2).size === names2.length) return names2;
  }
  const names = tail(longest);
  return names.map((name, i) => names.indexOf(name) === i ? name : `${name} (${names.slice(0, i + 1).filter((other) => other === name).length})`);
}
export {
  distinctNames,
  reportCommand
};
