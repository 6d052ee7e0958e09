import {
  saturationSchema
} from "./shared.js";
import {
  CONFIG_FILE,
  CURRENCY,
  attainment,
  joinPath,
  meetsSla,
  moneyText,
  percentile,
  sectionedReport
} from "./config.js";
import {
  LineCutter,
  issueText
} from "./timing.js";
import {
  ByteSourceError,
  ConfigError,
  TraceError,
  array,
  boolean,
  checkOptions,
  finite,
  getDotPath,
  host,
  integer,
  looseObject,
  maxLength,
  minLength,
  minValue,
  null_,
  nullable,
  nullish,
  number,
  object,
  optional,
  picklist,
  pipe,
  rawCheck,
  reaching,
  readBytes,
  readText,
  record,
  regex,
  safeParse,
  string,
  tuple,
  union,
  unknown
} from "./base.js";

// lib/analysis/result_file.ts
async function readResult(file, what, schema3, mostBytes) {
  const refuse = (why, cause) => {
    const message = `cannot read ${what} from ${file}: ${why}`;
    throw new ConfigError(message, [
      {
        path: "",
        message,
        file
      }
    ], {
      cause
    });
  };
  if (host().kind(file) === "missing") return refuse("there is no such file");
  let value;
  try {
    value = JSON.parse(await readText(file, {
      mostBytes
    }));
  } catch (problem) {
    return refuse(problem.message, problem);
  }
  const read = safeParse(schema3, value);
  return read.success ? read.output : refuse(issueText(read.issues[0]));
}

// lib/analysis/read_capacity.ts
var BOTTLENECKS = {
  prefill_compute: "computing prompts takes too long",
  decode_compute: "decode steps take too long",
  kv_blocks: "KV blocks run out",
  sequence_limit: "the limit of sequences a rank may run is reached",
  router_queue: "requests wait in the router"
};
var CAPACITY_FILE = "capacity.json";
var bound = nullable(number());
var schema = looseObject({
  largest: nullable(number()),
  beyond: nullable(number()),
  over: picklist([
    "speedup",
    "concurrency",
    "rate"
  ]),
  attainment: number(),
  sla: object({
    ttft_ms: bound,
    itl_ms: bound,
    e2e_ms: bound
  }),
  written: number(),
  points: pipe(array(looseObject({
    value: number(),
    attainment: number(),
    request_throughput_rps: number(),
    p95_ttft_ms: number(),
    p95_tpot_ms: number(),
    queues_growing: boolean(),
    cost: optional(looseObject({
      currency: pipe(string(), maxLength(20)),
      per_thousand_good_requests: nullable(number())
    }))
  })), minLength(1)),
  saturation: nullable(saturationSchema)
});
var MOST_BYTES = 2 ** 24;
var capacityFile = (path) => host().kind(path) === "directory" ? joinPath(path, CAPACITY_FILE) : path;
async function readCapacity(path) {
  return await readResult(capacityFile(path), "a capacity", schema, MOST_BYTES);
}

// lib/analysis/capacity_story.ts
var short = (value) => String(Number(value.toPrecision(4)));
var share = (value) => `${(value * 100).toFixed(2)} %`;
var LOAD_COLUMNS = [
  [
    "",
    ({ value }, { largest, beyond }) => value === largest ? "largest" : value === beyond ? "too much" : ""
  ],
  [
    "load",
    ({ value }) => short(value)
  ],
  [
    "within SLA",
    ({ attainment: attainment2 }) => share(attainment2)
  ],
  [
    "requests/s",
    ({ request_throughput_rps }) => short(request_throughput_rps)
  ],
  [
    "TTFT p95 (ms)",
    ({ p95_ttft_ms }) => short(p95_ttft_ms)
  ],
  [
    "TPOT p95 (ms)",
    ({ p95_tpot_ms }) => short(p95_tpot_ms)
  ]
];
function loadColumns({ points }) {
  if (points.every(({ cost }) => cost === void 0)) return LOAD_COLUMNS;
  return [
    ...LOAD_COLUMNS,
    [
      "cost of 1,000 good",
      ({ cost }) => goodCost(cost) ?? "\u2013"
    ]
  ];
}
var goodCost = (cost) => cost?.per_thousand_good_requests == null ? null : moneyText(cost.per_thousand_good_requests, cost.currency);
function carriedText({ largest, beyond, over, attainment: attainment2, written, points }) {
  const asked = `${share(attainment2)} within the SLA`;
  if (largest === null) return `does not keep ${asked} at any load down to ${over} ${short(points[0].value)}`;
  const load = over === "speedup" ? `${short(largest / written)} \xD7 this traffic (speedup ${short(largest)})` : over === "rate" ? `${short(largest)} arrivals a second` : `${largest} at a time`;
  const cost = goodCost(points.find(({ value }) => value === largest)?.cost);
  const carried = `carries ${load} with ${asked}${cost === null ? "" : `, at ${cost} a thousand of those requests`}`;
  return beyond === null ? `${carried}; no load up to ${short(points.at(-1).value)} was too much` : carried;
}
function brevityText({ largest, points }) {
  if (!points.some(({ value, queues_growing }) => value === largest && queues_growing)) return null;
  return "queues still grew at that load when its last request came: a longer load of this size would be served worse, so the answer holds for a burst of this length only";
}
function whatRunsOut({ bottleneck, missed_ttft, missed_itl }) {
  return bottleneck === "prefill_compute" && missed_itl > missed_ttft ? "prompts that are computed between decode steps hold tokens up" : BOTTLENECKS[bottleneck];
}
function saturationText({ saturation }) {
  if (saturation === null) return null;
  const { value, kv_usage, preemptions_per_minute, missed_ttft, missed_itl } = saturation;
  return `at ${short(value)} ${whatRunsOut(saturation)} (${share(kv_usage)} of the KV blocks in use while requests wait, ${short(preemptions_per_minute)} preemptions a minute; ${missed_ttft} requests miss by their first token, ${missed_itl} by the time between tokens)`;
}
function saturationRows({ saturation }) {
  if (saturation === null) return [];
  return [
    [
      "runs out first",
      whatRunsOut(saturation)
    ],
    [
      "looked at load",
      short(saturation.value)
    ],
    [
      "KV blocks in use while requests wait",
      share(saturation.kv_usage)
    ],
    [
      "preemptions a minute",
      short(saturation.preemptions_per_minute)
    ],
    [
      "samples with as many sequences as may run",
      share(saturation.at_sequence_limit)
    ],
    [
      "requests waiting in schedulers, on average",
      short(saturation.waiting_requests)
    ],
    [
      "requests waiting in the router, on average",
      short(saturation.router_queue)
    ],
    [
      "requests that miss by their first token",
      String(saturation.missed_ttft)
    ],
    [
      "requests that miss by the time between tokens",
      String(saturation.missed_itl)
    ]
  ];
}
function explainCapacity(found) {
  const sentences = [
    brevityText(found),
    saturationText(found)
  ].filter((text3) => text3 !== null).map((text3) => `${text3[0].toUpperCase()}${text3.slice(1)}.`);
  const tried = `${found.points.length} loads were tried, from ${short(found.points[0].value)} to ${short(found.points.at(-1).value)} (${found.over}).`;
  return [
    `It ${carriedText(found)}.`,
    ...sentences,
    tried
  ];
}

// lib/analysis/arquero.ts
import "@uwdata/flechette";
import { table as untyped } from "arquero/src/table/index.js";
var table = untyped;

// lib/analysis/over_time.ts
var BUCKET_OPTIONS = {
  bucketMs: true,
  by: true
};
var bucketsOf = ({ bucketMs, by }) => ({
  bucketMs,
  by
});
var ROUND_SECONDS = [
  0.1,
  0.2,
  0.5,
  1,
  2,
  5,
  10,
  15,
  30,
  60,
  120,
  300,
  600,
  900,
  1800,
  3600,
  7200,
  14400,
  43200,
  86400
];
var BUCKETS = 150;
function roundBucketMs(spanMs, most = BUCKETS) {
  const seconds = ROUND_SECONDS.find((length) => length * 1e3 * most >= spanMs);
  return 1e3 * (seconds ?? Math.ceil(spanMs / 864e5 / most) * 86400);
}
function percentilesOverTime(requests, metric, options = {}) {
  checkOptions("percentilesOverTime()", options, {
    ...BUCKET_OPTIONS,
    percentiles: true
  });
  const percentiles = options.percentiles ?? [
    50,
    95,
    99
  ];
  const buckets = split(requests, options);
  const values = column(requests, metric);
  const samples = buckets.rows.map((rows) => Float64Array.from(rows.map((row) => values.at(row)).filter((value) => value !== null)).sort());
  return table({
    ...buckets.edges,
    count: samples.map((ascending2) => ascending2.length),
    ...Object.fromEntries(percentiles.map((p) => [
      `p${p}`,
      samples.map((ascending2) => valueOrNull(ascending2, p))
    ]))
  });
}
function goodputOverTime(requests, sla, options = {}) {
  checkOptions("goodputOverTime()", options, BUCKET_OPTIONS);
  const buckets = split(requests, options);
  const seconds = buckets.bucketMs / 1e3;
  const isGood = goodRow(requests, sla);
  const tokens = column(requests, "output_length");
  const completed = completedRow(requests);
  const counts = buckets.rows.map((rows) => {
    const ended = rows.filter(completed);
    const good = ended.filter(isGood);
    const goodTokens = good.reduce((sum, row) => sum + (tokens.at(row) ?? 0), 0);
    return {
      ended: ended.length,
      good: good.length,
      goodTokens
    };
  });
  return table({
    ...buckets.edges,
    completed: counts.map(({ ended }) => ended),
    good: counts.map(({ good }) => good),
    good_share: counts.map(({ ended, good }) => ended === 0 ? null : good / ended),
    good_requests_per_s: counts.map(({ good }) => good / seconds),
    good_output_tokens_per_s: counts.map(({ goodTokens }) => goodTokens / seconds)
  });
}
function trafficOverTime(requests, options = {}) {
  checkOptions("trafficOverTime()", options, BUCKET_OPTIONS);
  const buckets = split(requests, options);
  const seconds = buckets.bucketMs / 1e3;
  const rate = (name) => {
    const values = column(requests, name);
    return buckets.rows.map((rows) => rows.reduce((sum, row) => sum + (values.at(row) ?? 0), 0) / seconds);
  };
  return table({
    ...buckets.edges,
    requests_per_s: buckets.rows.map((rows) => rows.length / seconds),
    input_tokens_per_s: rate("input_length"),
    output_tokens_per_s: rate("requested_output_length")
  });
}
function queueOverTime(requests, options = {}) {
  checkOptions("queueOverTime()", options, {
    bucketMs: true
  });
  const ends = split(requests, {
    ...options,
    by: "terminal_time_ms"
  });
  const arrived = ascending(requests, "arrival_time_ms");
  const admitted = ascending(requests, "first_admit_ms");
  const admit = column(requests, "first_admit_ms");
  const neverAdmitted = ascending(requests, "terminal_time_ms", (row) => admit.at(row) === null);
  const ended = ascending(requests, "terminal_time_ms", (row) => admit.at(row) !== null);
  const last = Math.max(ended.at(-1) ?? 0, neverAdmitted.at(-1) ?? 0);
  const times = ends.edges.to_ms.map((at) => Math.min(at, last));
  return table({
    at_ms: times,
    waiting: times.map((at) => upTo(arrived, at) - upTo(admitted, at) - upTo(neverAdmitted, at)),
    running: times.map((at) => upTo(admitted, at) - upTo(ended, at))
  });
}
function ttftByInputLength(requests, options = {}) {
  checkOptions("ttftByInputLength()", options, {
    edges: true
  });
  const lengths = column(requests, "input_length");
  const ttft = column(requests, "ttft_ms");
  const reused = column(requests, "reused_input_tokens");
  const rows = rowsOf(requests).filter((row) => ttft.at(row) !== null);
  const longest = rows.reduce((most, row) => Math.max(most, lengths.at(row)), 1);
  const edges = options.edges ?? Array.from({
    length: Math.floor(Math.log2(longest)) + 1
  }, (_, power) => 2 ** power);
  const classes = edges.map((from, i) => {
    const to = edges[i + 1] ?? Infinity;
    const members = rows.filter((row) => lengths.at(row) >= from && lengths.at(row) < to);
    const samples = Float64Array.from(members, (row) => ttft.at(row)).sort();
    const share2 = members.reduce((sum, row) => sum + (reused.at(row) ?? 0) / Math.max(lengths.at(row), 1), 0);
    return {
      from,
      to,
      count: members.length,
      samples,
      share: members.length === 0 ? null : share2 / members.length
    };
  }).filter(({ count: count2 }) => count2 > 0);
  return table({
    from_tokens: classes.map(({ from }) => from),
    to_tokens: classes.map(({ to }) => to),
    count: classes.map(({ count: count2 }) => count2),
    p50_ttft_ms: classes.map(({ samples }) => valueOrNull(samples, 50)),
    p95_ttft_ms: classes.map(({ samples }) => valueOrNull(samples, 95)),
    mean_reused_share: classes.map(({ share: share2 }) => share2)
  });
}
function goodRow(requests, sla) {
  const completed = completedRow(requests);
  const [tokens, ttft, e2e, arrival, end] = [
    "output_length",
    "ttft_ms",
    "e2e_latency_ms",
    "arrival_time_ms",
    "terminal_time_ms"
  ].map((name) => column(requests, name));
  return (row) => completed(row) && meetsSla(tokens.at(row), ttft.at(row) ?? NaN, e2e.at(row) ?? NaN, end.at(row) - arrival.at(row), sla);
}
function split(requests, options) {
  const times = column(requests, options.by ?? "arrival_time_ms");
  const rows = rowsOf(requests).filter((row) => times.at(row) !== null);
  const last = rows.reduce((latest, row) => Math.max(latest, times.at(row)), 0);
  const bucketMs = options.bucketMs ?? roundBucketMs(last);
  if (!(bucketMs > 0)) throw new RangeError(`bucketMs must be above 0, got ${bucketMs}`);
  const buckets = Array.from({
    length: Math.floor(last / bucketMs) + 1
  }, () => []);
  for (const row of rows) buckets[Math.floor(times.at(row) / bucketMs)].push(row);
  return {
    bucketMs,
    edges: {
      from_ms: buckets.map((_, i) => i * bucketMs),
      to_ms: buckets.map((_, i) => (i + 1) * bucketMs)
    },
    rows: buckets
  };
}
function column(requests, name) {
  const found = requests.column(name);
  if (found === void 0) {
    throw new RangeError(`No column ${name} in the table; it has ${requests.columnNames().join(", ")}`);
  }
  return found;
}
function completedRow(requests) {
  const status = requests.column("terminal_status");
  const admissions = column(requests, "admission_count");
  return (row) => status.at(row) === "completed" && (admissions.at(row) ?? 0) > 0;
}
function rowsOf(requests) {
  const rows = [];
  requests.scan((row) => void rows.push(row));
  return rows;
}
function ascending(requests, name, wanted = () => true) {
  const values = column(requests, name);
  const rows = rowsOf(requests).filter((row) => values.at(row) !== null && wanted(row));
  return Float64Array.from(rows, (row) => values.at(row)).sort();
}
function upTo(values, limit) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
function valueOrNull(ascendingValues, p) {
  return ascendingValues.length === 0 ? null : percentile(ascendingValues, p);
}

// lib/analysis/columns.ts
var INITIAL_ROWS = 1024;
var NO_TEXT = -1;
var NumberColumn = class {
  length = 0;
  #values = null;
  /** Appends a value; anything but a number is null. */
  push(value) {
    const row = this.length++;
    if (typeof value !== "number" || Number.isNaN(value)) {
      if (this.#values !== null) this.#room(row)[row] = NaN;
    } else {
      this.#room(row)[row] = value;
    }
  }
  /** The value of a row, null when it has none. */
  at(row) {
    const value = this.#values?.[row] ?? NaN;
    return Number.isNaN(value) ? null : value;
  }
  *[Symbol.iterator]() {
    for (let row = 0; row < this.length; row++) yield this.at(row);
  }
  #room(row) {
    const values = this.#values ??= new Float64Array(INITIAL_ROWS).fill(NaN);
    return this.#values = reaching(values, row, NaN);
  }
};
var TextColumn = class {
  length = 0;
  #codes = null;
  #texts = [];
  #codeOf = /* @__PURE__ */ new Map();
  /** Appends a value; anything but a text or a truth value is null. */
  push(value) {
    const row = this.length++;
    if (typeof value !== "string" && typeof value !== "boolean") {
      if (this.#codes !== null) this.#room(row)[row] = NO_TEXT;
      return;
    }
    let code = this.#codeOf.get(value);
    if (code === void 0) {
      code = this.#texts.length;
      this.#texts.push(value);
      this.#codeOf.set(value, code);
    }
    this.#room(row)[row] = code;
  }
  /** The value of a row, null when it has none. */
  at(row) {
    const code = this.#codes?.[row] ?? NO_TEXT;
    return code === NO_TEXT ? null : this.#texts[code];
  }
  *[Symbol.iterator]() {
    for (let row = 0; row < this.length; row++) yield this.at(row);
  }
  #room(row) {
    const codes = this.#codes ??= new Int32Array(INITIAL_ROWS).fill(NO_TEXT);
    return this.#codes = reaching(codes, row, NO_TEXT);
  }
};
function makeColumns(kinds) {
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [
    name,
    kind === "number" ? new NumberColumn() : new TextColumn()
  ]));
}
function pushRow(columns, row) {
  for (const name in columns) columns[name].push(row[name]);
}

// lib/analysis/planner_tables.ts
var TICKS = {
  ordinal: "number",
  at_ms: "number",
  run_load_scaling: "text",
  run_throughput_scaling: "text",
  num_req: "number",
  requests_per_s: "number",
  input_tokens: "number",
  output_tokens: "number",
  estimated_ttft_ms: "number",
  estimated_itl_ms: "number",
  predicted_num_req: "number",
  prefill_active: "number",
  prefill_starting: "number",
  prefill_draining: "number",
  prefill_target: "number",
  decode_active: "number",
  decode_starting: "number",
  decode_draining: "number",
  decode_target: "number",
  reason: "text"
};
function ticksTable(source) {
  return rowsTable(TICKS, (source.planner?.ticks ?? []).map(tickRow));
}
function tickRow(tick2) {
  const { scheduled_tick: scheduled, topology, runtime_decision: decision, effects } = tick2;
  const traffic = tick2.input.traffic;
  const { diagnostics } = effects;
  return {
    ordinal: tick2.ordinal,
    at_ms: tick2.at_ms,
    run_load_scaling: scheduled.run_load_scaling,
    run_throughput_scaling: scheduled.run_throughput_scaling,
    num_req: traffic?.num_req,
    requests_per_s: traffic && traffic.duration_s > 0 ? traffic.num_req / traffic.duration_s : null,
    input_tokens: traffic?.isl,
    output_tokens: traffic?.osl,
    estimated_ttft_ms: diagnostics.estimated_ttft_ms,
    estimated_itl_ms: diagnostics.estimated_itl_ms,
    predicted_num_req: diagnostics.predicted_num_req,
    prefill_active: topology.prefill.active_count,
    prefill_starting: topology.prefill.starting_count,
    prefill_draining: topology.prefill.draining_count,
    prefill_target: decision.target_prefill,
    decode_active: topology.decode.active_count,
    decode_starting: topology.decode.starting_count,
    decode_draining: topology.decode.draining_count,
    decode_target: decision.target_decode,
    reason: tickReason(tick2)
  };
}
function tickReason(tick2) {
  const { diagnostics } = tick2.effects, own = tick2.autoscaler !== void 0;
  const parts = [];
  for (const loop of [
    "load",
    "throughput"
  ]) {
    const byRole = [
      "prefill",
      "decode"
    ].flatMap((role) => {
      const reason = diagnostics[`${loop}_decision_reason_${role}`];
      return typeof reason === "string" && reason !== "" ? [
        `${own ? "" : `${loop} `}${role}: ${reason}`
      ] : [];
    });
    const whole = diagnostics[`${loop}_decision_reason`];
    if (byRole.length > 0) parts.push(...byRole);
    else if (typeof whole === "string" && whole !== "") parts.push(own ? whole : `${loop}: ${whole}`);
  }
  return parts.length === 0 ? null : parts.join("; ");
}
function scalingEventsTable(source) {
  const events = (source.planner?.scaling_events ?? []).map((event) => ({
    ...event,
    recommended: false
  }));
  const advice = (source.planner?.recommended_scaling_events ?? []).map((event) => ({
    ...event,
    recommended: true
  }));
  const kinds = {
    at_s: "number",
    component: "text",
    from_count: "number",
    to_count: "number",
    reason: "text",
    recommended: "text"
  };
  return rowsTable(kinds, [
    ...events,
    ...advice
  ].sort((a, b) => a.at_s - b.at_s));
}
function lifecycleTable(source) {
  const kinds = {
    at_ms: "number",
    pool: "text",
    worker_id: "number",
    transition: "text",
    prior_state: "text",
    state: "text",
    cause: "text",
    reason: "text"
  };
  const rows = (source.planner?.lifecycle_operations ?? []).flatMap((operation) => operation.transitions.map((transition) => ({
    ...transition,
    at_ms: operation.at_ms,
    pool: operation.pool,
    cause: operation.cause
  })));
  return rowsTable(kinds, rows);
}
function retuneTable(source) {
  const kinds = {
    window: "number",
    window_start_s: "number",
    window_end_s: "number",
    num_requests: "number",
    launched_at_s: "number",
    decided_at_s: "number",
    outcome: "text",
    reason: "text",
    objective: "text",
    current_score: "number",
    chosen_score: "number",
    improvement_percentage: "number",
    chosen_router: "text",
    planner_changes: "text",
    candidates: "number"
  };
  return rowsTable(kinds, (source.planner?.retune_events ?? []).map(retuneRow));
}
function retuneRow(event) {
  return {
    ...event,
    window: event.window.index,
    window_start_s: event.window.start_s,
    window_end_s: event.window.end_s,
    num_requests: event.window.num_requests,
    current_score: event.current?.score,
    chosen_score: event.chosen?.score,
    chosen_router: settings(event.chosen?.router),
    planner_changes: settings(event.planner_changes),
    candidates: event.candidates.length
  };
}
function settings(values) {
  const pairs = Object.entries(values ?? {}).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? null : pairs.join(" ");
}
function rowsTable(kinds, rows) {
  const columns = makeColumns(kinds);
  for (const row of rows) pushRow(columns, row);
  return table(columns);
}

// lib/analysis/read_recommendation.ts
function searchPrice({ provenance: { config } }) {
  const { evaluation: evaluation2, optimization } = config;
  for (const [price, currency] of [
    [
      evaluation2?.price_per_gpu_hour,
      evaluation2?.currency
    ],
    [
      optimization?.gpu_hour_price,
      optimization?.currency
    ]
  ]) {
    if (typeof price === "number") {
      return {
        perGpuHour: price,
        currency: typeof currency === "string" ? currency : CURRENCY
      };
    }
  }
  return null;
}
var MOST_BYTES2 = 2 ** 30;
var numbers = record(string(), nullable(number()));
var candidate = looseObject({
  candidate_id: string(),
  status: string(),
  config: record(string(), unknown()),
  used_gpus: nullable(number()),
  score: nullable(number()),
  metrics: nullable(numbers),
  objectives: nullable(numbers),
  reason_category: nullable(string()),
  reason: nullable(string()),
  provenance: optional(looseObject({
    description: optional(string())
  }), {})
});
var ruledOut = looseObject({
  why: string(),
  reason: string(),
  backend: string(),
  role: string(),
  shape: nullable(string()),
  combinations: number()
});
var schema2 = looseObject({
  candidates: array(candidate),
  counts: numbers,
  views: object({
    top_n: array(string()),
    pareto_front: array(string())
  }),
  provenance: looseObject({
    search_strategy: optional(string(), "unknown"),
    config: optional(looseObject({}), {}),
    space: optional(looseObject({
      configurations: nullable(number()),
      interrupted: boolean(),
      ruled_out: array(ruledOut),
      screened: array(looseObject({
        requests: nullable(number()),
        score: nullable(number())
      }))
    }))
  })
});
var recommendationFile = (path) => host().kind(path) === "directory" ? joinPath(path, "recommendation.json") : path;
async function readRecommendation(path) {
  return await readResult(recommendationFile(path), "the result of a search", schema2, MOST_BYTES2);
}
function rankedCandidates({ candidates, views }) {
  const byId = new Map(candidates.map((one) => [
    one.candidate_id,
    one
  ]));
  return [
    ...views.top_n,
    ...views.pareto_front
  ].map((id) => byId.get(id)).filter((one) => one !== void 0);
}

// lib/analysis/recommendation_table.ts
var isScalar = (value) => [
  "number",
  "string",
  "boolean"
].includes(typeof value);
function knobsOf({ config }) {
  const knobs2 = {};
  for (const [name, value] of Object.entries(config)) if (isScalar(value)) knobs2[name] = value;
  const adapters = config.adapters;
  if (typeof adapters !== "object" || adapters === null) return knobs2;
  for (const [adapter, section] of Object.entries(adapters)) {
    const prefix = adapter.slice(adapter.lastIndexOf(".") + 1);
    for (const [name, value] of Object.entries(Object(section))) {
      if (isScalar(value)) knobs2[`${prefix}_${name}`] = value;
    }
  }
  return knobs2;
}
function recommendationTable(result) {
  const ranks = new Map(rankedCandidates(result).map((one, i) => [
    one.candidate_id,
    i + 1
  ]));
  const rows = result.candidates.map((one) => ({
    rank: ranks.get(one.candidate_id),
    candidate_id: one.candidate_id,
    status: one.status,
    reason_category: one.reason_category,
    reason: one.reason,
    used_gpus: one.used_gpus,
    score: one.score,
    ...knobsOf(one),
    ...one.metrics
  }));
  const kinds = {};
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      if (typeof value === "number") kinds[name] ??= "number";
      else if (value !== null && value !== void 0) kinds[name] = "text";
      else kinds[name] ??= [
        "reason",
        "reason_category"
      ].includes(name) ? "text" : "number";
    }
  }
  const columns = makeColumns(kinds);
  for (const row of rows) pushRow(columns, row);
  return table(columns);
}
var DERIVED = /^(used_gpus|traffic_load|strategy|prefill_strategy|decode_strategy|backend_version|kv_load_|.*_kv_capacity_tokens)/;
function dimensionEffects(result) {
  const scores = /* @__PURE__ */ new Map();
  for (const one of result.candidates) {
    if (one.status !== "feasible" || one.score === null) continue;
    for (const [name, value] of Object.entries(knobsOf(one))) {
      if (DERIVED.test(name)) continue;
      const byValue = scores.get(name) ?? /* @__PURE__ */ new Map();
      scores.set(name, byValue);
      byValue.set(value, [
        ...byValue.get(value) ?? [],
        one.score
      ]);
    }
  }
  const dimensions = [];
  for (const [name, byValue] of scores) {
    if (byValue.size < 2) continue;
    const values = [
      ...byValue
    ].map(([value, all]) => {
      const ordered = all.toSorted((a, b) => a - b);
      return {
        value,
        candidates: all.length,
        best: ordered.at(-1),
        median: ordered[Math.floor(ordered.length / 2)]
      };
    }).toSorted((a, b) => b.best - a.best);
    const [first, second] = values;
    const scale = Math.max(Math.abs(first.best), Math.abs(second.best));
    dimensions.push({
      name,
      values,
      effect: scale > 0 ? (first.best - second.best) / scale : 0
    });
  }
  return dimensions.toSorted((a, b) => b.effect - a.effect);
}

// lib/analysis/recommendation_story.ts
var grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
var short2 = (value) => String(Number(Math.abs(value).toPrecision(4)));
var percent = (share2) => `${Number((share2 * 100).toPrecision(2))} %`;
var targetOf = ({ provenance: { config } }) => {
  const { optimization, goal } = config;
  return String(optimization?.target ?? goal?.target ?? "throughput");
};
var descriptionOf = ({ provenance, candidate_id, used_gpus }) => provenance.description ?? `${candidate_id} (${used_gpus} GPUs)`;
var WHY = {
  model: "do not hold the model",
  context: "do not hold one sequence of the longest kind",
  split: "do not divide the model",
  backend: "are not for their backend",
  data: "cannot be timed",
  sla: "miss the SLA even when idle"
};
function lostReasons({ candidates }) {
  const counts = /* @__PURE__ */ new Map();
  for (const { status, reason } of candidates) {
    if (status === "feasible") continue;
    const text3 = `${status}: ${reason ?? "no reason given"}`;
    counts.set(text3, (counts.get(text3) ?? 0) + 1);
  }
  return [
    ...counts
  ].sort(([, a], [, b]) => b - a);
}
function explainRecommendation(result) {
  const { candidates, provenance: { search_strategy, space } } = result;
  const target = targetOf(result);
  const ranked = rankedCandidates(result);
  const feasible = candidates.filter(({ status }) => status === "feasible").length;
  const lines = [];
  const many = space?.configurations == null ? "" : ` of ${grouped(space.configurations)} configurations`;
  lines.push(`Searched for ${target} (${search_strategy}): ${grouped(candidates.length)}${many} were replayed whole, ${grouped(feasible)} of them feasible.` + (space?.interrupted ? " The search was ended before its time." : ""));
  if (space !== void 0 && space.screened.length > 0) {
    lines.push(`${grouped(space.screened.length)} replays of part of the load decided what was replayed whole.`);
  }
  for (const [why, text3] of Object.entries(WHY)) {
    const out = space?.ruled_out.filter((one) => one.why === why) ?? [];
    if (out.length === 0) continue;
    const sum = out.reduce((total, { combinations }) => total + combinations, 0);
    lines.push(`Ruled out before any replay: ${grouped(sum)} choices of shapes ${text3} (for instance ${out[0].backend}, ${out[0].role} ${out[0].shape ?? ""}: ${out[0].reason}).`);
  }
  const [best, next] = ranked;
  if (best === void 0) lines.push("Nothing was feasible.");
  else {
    const within = best.metrics && attainment(best.metrics), price = searchPrice(result);
    const hourly = price === null || best.used_gpus === null ? "" : ` (${moneyText(best.used_gpus * price.perGpuHour, price.currency)} an hour)`;
    const share2 = within === null ? "" : `, ${percent(within)} of the requests within the SLA`;
    lines.push(`${target === "pareto" ? "First on the front" : "Best"}: ${descriptionOf(best)} on ${best.used_gpus} GPUs${hourly}, ${target === "pareto" ? "throughput_per_gpu" : target} ${short2(best.score ?? 0)}${share2}.`);
    if (next?.score != null && best.score !== null && target !== "pareto") {
      const scale = Math.max(Math.abs(best.score), Math.abs(next.score));
      const behind = scale > 0 ? ` (${percent(Math.abs(best.score - next.score) / scale)} behind)` : "";
      lines.push(`Next: ${descriptionOf(next)}, ${short2(next.score)}${behind}.`);
    }
  }
  for (const { name, values, effect } of dimensionEffects(result).slice(0, 8)) {
    const [first, ...others] = values;
    lines.push(effect === 0 ? `${name}: makes no difference to the best (${values.map(({ value }) => value).join(", ")}).` : `${name}: ${first.value} is best with ${short2(first.best)}; ${others.slice(0, 4).map(({ value, best: best2 }) => `${value} at best ${short2(best2)}`).join(", ")} (giving it up costs ${percent(effect)}).`);
  }
  for (const [reason, count2] of lostReasons(result).slice(0, 5)) {
    lines.push(`Not ranked, ${grouped(count2)} times: ${reason}.`);
  }
  return lines;
}

// lib/analysis/replicas.ts
function replicasOverTime(source) {
  const steps = poolsOf(source.summary).flatMap((pool) => replicaSteps(source, pool));
  const values = (key) => steps.map((step) => step[key]);
  return table({
    at_ms: values("at_ms"),
    pool: values("pool"),
    active: values("active"),
    starting: values("starting"),
    draining: values("draining"),
    target: values("target")
  });
}
function poolsOf(summary2) {
  return summary2.prefill_gpus_per_worker > 0 ? [
    "prefill",
    "decode"
  ] : [
    "agg"
  ];
}
function replicaSteps({ summary: summary2, planner: planner2 }, pool) {
  const fixed = (count2, atMs = 0) => ({
    at_ms: atMs,
    pool,
    active: count2,
    starting: 0,
    draining: 0,
    target: count2
  });
  const firstTick = planner2?.ticks[0]?.topology[pool === "prefill" ? "prefill" : "decode"];
  if (planner2 && firstTick) {
    const operations = planner2.lifecycle_operations.filter((operation) => operation.pool === pool);
    return [
      fixed(firstTick.active_count + firstTick.starting_count),
      ...operations.map(({ at_ms, state_after_batch: { active, starting, draining } }) => ({
        at_ms,
        pool,
        active: active.length,
        starting: starting.length,
        draining: draining.length,
        target: active.length + starting.length
      }))
    ];
  }
  const events = planner2?.scaling_events.filter((event) => event.component === pool) ?? [];
  if (events.length > 0) {
    return [
      fixed(events[0].from_count),
      ...events.map((event) => fixed(event.to_count, event.at_s * 1e3))
    ];
  }
  const seconds = pool === "prefill" ? summary2.prefill_worker_seconds : summary2.decode_worker_seconds;
  return [
    fixed(summary2.duration_ms > 0 ? Math.round(seconds * 1e3 / summary2.duration_ms) : 0)
  ];
}
function endOfRun({ summary: summary2, planner: planner2 }) {
  return Math.max(summary2.duration_ms, planner2?.lifecycle_operations.at(-1)?.at_ms ?? 0);
}
function gpuHoursByPhase(source) {
  const end = endOfRun(source), price = source.evaluation?.cost?.price_per_gpu_hour;
  const phases = [
    "active",
    "starting",
    "draining"
  ];
  const rows = poolsOf(source.summary).flatMap((pool) => {
    const gpus = pool === "prefill" ? source.summary.prefill_gpus_per_worker : source.summary.decode_gpus_per_worker;
    const steps = replicaSteps(source, pool);
    return phases.map((phase) => {
      const workerMs = steps.reduce((sum, step, i) => {
        const until = Math.min(steps[i + 1]?.at_ms ?? end, end);
        return sum + step[phase] * Math.max(until - step.at_ms, 0);
      }, 0);
      return {
        pool,
        phase,
        gpu_hours: workerMs * gpus / 36e5
      };
    });
  });
  return table({
    pool: rows.map(({ pool }) => pool),
    phase: rows.map(({ phase }) => phase),
    gpu_hours: rows.map(({ gpu_hours }) => gpu_hours),
    ...price === void 0 ? {} : {
      cost: rows.map(({ gpu_hours }) => gpu_hours * price)
    }
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
  add(record2) {
    pushRow(this.#columns, record2);
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
    for (const record2 of source.per_request) columns.add(record2);
    return columns.table();
  }
  throw new RangeError("The run has no per-request records: capture them (--capture-per-request)");
}

// lib/report/check_report.ts
var number2 = pipe(number(), finite());
var count = pipe(number(), integer(), minValue(0));
var maybe = (schema3) => nullish(schema3);
var figure = maybe(number());
var listOf = (schema3) => optional(array(schema3), []);
var knobs = record(string(), union([
  number(),
  string(),
  boolean(),
  null_()
]));
var STATISTIC = /^(mean|min|max|median|p75|p90|p95|p99|std)_/;
var WORDS = [
  "kv_eviction_policy"
];
var FIGURE = /(_ms|_s|_rps|_requests|_tokens|_seconds|_worker|_hours|_samples|_ratio|_w|_coverage)$|^(num|total|processed)_|gpu|goodput/;
var summary = pipe(record(string(), unknown()), rawCheck(({ dataset, addIssue }) => {
  if (!dataset.typed) return;
  for (const [key, value] of Object.entries(dataset.value)) {
    const figure2 = (STATISTIC.test(key) || FIGURE.test(key)) && !WORDS.includes(key) && typeof value !== "object";
    if (!figure2 || typeof value === "number") continue;
    const path = [
      {
        type: "object",
        origin: "value",
        input: dataset.value,
        key,
        value
      }
    ];
    addIssue({
      message: "a number",
      received: JSON.stringify(value),
      path
    });
  }
}));
var scalingEvent = looseObject({
  at_s: number2,
  component: pipe(string(), regex(/^[a-z_]{1,40}$/, "the name of a pool")),
  from_count: count,
  to_count: count,
  reason: picklist([
    "scale_up",
    "scale_down"
  ])
});
var work = looseObject({
  num_prefill_requests: number2,
  num_decode_requests: number2,
  sum_decode_kv_tokens: number2,
  sum_prefill_tokens: optional(number2)
});
var observations = maybe(array(looseObject({
  worker_id: union([
    string(),
    number()
  ]),
  dp_rank: number2,
  metrics: looseObject({
    wall_time: optional(number2),
    scheduled_requests: work,
    queued_requests: work
  })
})));
var roleTopology = looseObject({
  active_count: count,
  starting_count: count,
  draining_count: count
});
var text = maybe(string());
var verdict = optional(looseObject({
  replicas: count,
  wanted: figure,
  reason: string(),
  metrics: array(looseObject({
    name: string(),
    value: figure,
    target: number2,
    replicas: figure
  }))
}));
var tick = looseObject({
  autoscaler: optional(looseObject({
    prefill: verdict,
    decode: verdict
  })),
  ordinal: count,
  at_ms: number2,
  scheduled_tick: optional(looseObject({
    at_s: optional(number2)
  })),
  input: looseObject({
    traffic: maybe(looseObject({
      duration_s: number2,
      num_req: number2,
      isl: number2,
      osl: number2
    })),
    worker_counts: maybe(record(string(), union([
      number(),
      boolean(),
      null_()
    ]))),
    fpm_observations: maybe(looseObject({
      prefill: observations,
      decode: observations
    }))
  }),
  topology: looseObject({
    prefill: roleTopology,
    decode: roleTopology
  }),
  effects: looseObject({
    scale_to: maybe(looseObject({
      num_prefill: figure,
      num_decode: figure
    })),
    diagnostics: looseObject({
      estimated_ttft_ms: figure,
      estimated_itl_ms: figure,
      predicted_num_req: figure,
      predicted_isl: figure,
      predicted_osl: figure,
      predicted_kv_hit_rate: figure,
      engine_rps_prefill: figure,
      engine_rps_decode: figure,
      load_decision_reason: text,
      throughput_decision_reason: text,
      load_decision_reason_prefill: text,
      load_decision_reason_decode: text,
      throughput_decision_reason_prefill: text,
      throughput_decision_reason_decode: text
    })
  }),
  runtime_decision: looseObject({
    target_prefill: figure,
    target_decode: figure
  })
});
var point = looseObject({
  router: maybe(record(string(), unknown())),
  planner: maybe(knobs),
  score: figure
});
var retuneEvent = looseObject({
  window: looseObject({
    index: optional(count),
    start_s: number2,
    end_s: number2,
    num_requests: count
  }),
  launched_at_s: optional(number2),
  decided_at_s: number2,
  outcome: string(),
  reason: text,
  objective: text,
  current: maybe(point),
  chosen: maybe(point),
  improvement_percentage: figure,
  planner_changes: maybe(record(string(), unknown())),
  candidates: maybe(array(record(string(), unknown())))
});
var ids = array(number2);
var lifecycle = looseObject({
  at_ms: number2,
  pool: string(),
  transitions: array(looseObject({
    transition: string()
  })),
  state_after_batch: looseObject({
    active: ids,
    starting: ids,
    draining: ids
  })
});
var planner = looseObject({
  metadata: optional(record(string(), unknown()), {}),
  ticks: listOf(tick),
  scaling_events: listOf(scalingEvent),
  recommended_scaling_events: listOf(scalingEvent),
  lifecycle_operations: listOf(lifecycle),
  retune_events: nullish(array(retuneEvent), null),
  total_ticks: optional(count, 0),
  html_report_path: text
});
var metadata = looseObject({
  roles: array(looseObject({
    role: string(),
    kv_blocks: number2,
    kv_ranks: optional(number2),
    kv_block_tokens: number2,
    kv_blocks_from: string(),
    max_model_tokens: nullable(number2),
    data_version: optional(string()),
    backend_version: text,
    weights: optional(string()),
    expert_weights: text,
    attention: text,
    kv_cache: optional(string()),
    communication: optional(string()),
    kv_bytes_per_token: optional(number2),
    calibration: optional(looseObject({
      level: string(),
      passes: count,
      passes_outside: count,
      request_overhead_ms: optional(number2),
      between_passes: optional(number2),
      fitted_to: optional(looseObject({
        passes: count,
        requests: count
      })),
      held_out: optional(record(string(), nullable(number2))),
      forced_from: optional(array(string()))
    }))
  }))
});
var evaluation = looseObject({
  sla: optional(looseObject({
    bounds: looseObject({
      ttft_ms: figure,
      itl_ms: figure,
      e2e_ms: figure
    }),
    requests: count,
    within: count,
    attainment: number2,
    missed: looseObject({
      ttft: count,
      tpot: count,
      e2e: count,
      unserved: count
    })
  })),
  cost: optional(looseObject({
    price_per_gpu_hour: number2,
    currency: pipe(string(), maxLength(20)),
    total: number2,
    per_million_output_tokens: nullable(number2),
    per_thousand_good_requests: nullable(number2)
  })),
  overload: optional(looseObject({
    queues_growing: boolean(),
    waiting: tuple([
      number2,
      number2,
      number2,
      number2
    ]),
    never_ran: count
  }))
});
var schedulers = array(looseObject({
  active_cache_usage: number2
}));
var telemetry = looseObject({
  samples: array(looseObject({
    sampled_at_ms: number2,
    prefill_scheduler_metrics: schedulers,
    decode_scheduler_metrics: schedulers
  }))
});
var worker = looseObject({
  pool: string(),
  worker_id: count,
  completed_requests: count,
  kv_use_mean: nullable(number2),
  kv_use_peak: number2
});
var report = looseObject({
  summary,
  evaluation: optional(evaluation),
  planner: nullish(planner, null),
  per_request: maybe(array(record(string(), unknown()))),
  coverage: optional(record(string(), unknown()), {}),
  telemetry: maybe(telemetry),
  workers: optional(array(worker)),
  metadata: maybe(metadata)
});
function checkReport(value, file) {
  if (typeof value !== "object" || value === null || !("summary" in value)) {
    throw refusal(file, "", "is not a report: it has no summary");
  }
  const result = safeParse(report, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = getDotPath(issue) ?? "";
  const expected = issue.expected ?? issue.message;
  const found = issue.received.length > 60 ? `${issue.received.slice(0, 60)}\u2026` : issue.received;
  throw refusal(file, path, `is not a report: ${path} should be ${expected}, not ${found}`);
}
var refusal = (file, path, what) => new ConfigError(`${file} ${what}`, [
  {
    path,
    message: what,
    file
  }
]);

// lib/analysis/read_prediction.ts
var LIST_OPENS = '  "per_request": [';
var NEWLINE = "\n";
async function readPrediction(path, onRecord) {
  const reader = new Reader(onRecord);
  const cutter = new LineCutter();
  try {
    for await (const piece of readBytes(path)) for (const line of cutter.cut(piece)) reader.line(line);
    for (const line of cutter.finish()) reader.line(line);
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
  const report2 = checkReport(sectionedReport(value), path);
  checkFigures(report2.summary, path);
  const whole = report2.per_request;
  if (whole != null && onRecord !== null) {
    for (const record2 of whole) onRecord(record2);
  }
  const hasRecords = reader.foundList || whole != null;
  return {
    report: {
      ...report2,
      per_request: null,
      planner: report2.planner ?? null
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
  line(line) {
    if (!this.#inList) {
      const content = this.#decode(line);
      this.#inList = content === LIST_OPENS;
      this.foundList ||= this.#inList;
      this.text += this.#inList ? '  "per_request": null' : content + NEWLINE;
      return;
    }
    const { bytes, start, end } = line;
    if (bytes[start + 2] === 93) {
      this.#inList = false;
      this.text += (bytes[end - 1] === 44 ? "," : "") + NEWLINE;
    } else if (this.#onRecord !== null) {
      const content = this.#decode(line);
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
function checkFigures(summary2, path) {
  const missing = NEEDED.find((key) => typeof summary2[key] !== "number");
  if (missing === void 0) return;
  const message = `${path} is not a report: summary.${missing} should be a number, not ${JSON.stringify(summary2[missing])}`;
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

// lib/analysis/run.ts
var OPTIONS = {
  name: true,
  sla: true,
  config: true
};
function boundsOf(evaluation2) {
  const bounds = evaluation2?.sla?.bounds;
  if (bounds === void 0) return null;
  const { ttft_ms: ttftMs, itl_ms: itlMs, e2e_ms: e2eMs } = bounds;
  return e2eMs === null ? {
    ttftMs,
    itlMs
  } : {
    e2eMs
  };
}
function toRun(report2, options = {}) {
  checkOptions("toRun()", options, OPTIONS);
  return {
    name: options.name ?? "run",
    summary: report2.summary,
    planner: report2.planner,
    coverage: report2.coverage,
    metadata: report2.metadata ?? null,
    telemetry: report2.telemetry ?? null,
    requests: report2.per_request === null ? null : requestsTable(report2),
    evaluation: report2.evaluation ?? null,
    workers: report2.workers ?? [],
    sla: options.sla ?? boundsOf(report2.evaluation),
    config: options.config ?? null
  };
}
async function readRun(folder, options = {}) {
  checkOptions("readRun()", options, OPTIONS);
  const fromLines = await readRequests(joinPath(folder, "requests.jsonl"));
  const columns = new RequestColumns();
  const { report: report2, hasRecords } = await readPrediction(joinPath(folder, "prediction.json"), fromLines === null ? (record2) => columns.add(record2) : null);
  const run = toRun(report2, {
    ...options,
    name: options.name ?? folder.split("/").filter((part) => part !== "" && part !== ".").at(-1) ?? folder,
    config: options.config ?? await readText2(joinPath(folder, CONFIG_FILE))
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
  const add = (line) => {
    try {
      columns.add(JSON.parse(decoder.decode(line.bytes.subarray(line.start, line.end))));
    } catch (cause) {
      const place = {
        file: path,
        line: line.number
      };
      throw new TraceError(`Cannot parse line ${line.number} of ${path} as a request record`, place, {
        cause
      });
    }
  };
  try {
    for await (const piece of readBytes(path)) for (const line of cutter.cut(piece)) add(line);
    for (const line of cutter.finish()) add(line);
  } catch (problem) {
    if (problem instanceof ByteSourceError && problem.stage === "open") return null;
    throw problem;
  }
  return columns.table();
}
async function readText2(path) {
  const decoder = new TextDecoder();
  let text3 = "";
  try {
    for await (const piece of readBytes(path)) text3 += decoder.decode(piece, {
      stream: true
    });
  } catch (problem) {
    if (problem instanceof ByteSourceError && problem.stage === "open") return null;
    throw problem;
  }
  return text3 + decoder.decode();
}

// lib/analysis/html.ts
var Html = class {
  #text;
  constructor(text3) {
    this.#text = text3;
  }
  toString() {
    return this.#text;
  }
};
function safe(fixed, ...values) {
  let text3 = fixed[0];
  values.forEach((value, i) => text3 += escaped(value) + fixed[i + 1]);
  return new Html(text3);
}
var markup = (text3) => new Html(text3);
var SIGNS = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
};
function escaped(value) {
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(escaped).join("");
  return String(value ?? "").replace(/[&<>"']/g, (sign) => SIGNS[sign]);
}

// lib/analysis/palette.ts
var LIGHT = {
  blue: "#0072b2",
  vermilion: "#d0530a",
  green: "#00875f",
  purple: "#a8508a",
  amber: "#c98a00",
  grey: "#7d8590"
};
var DARK = {
  blue: "#5ab0ea",
  vermilion: "#ff8e55",
  green: "#35c79a",
  purple: "#e09ac6",
  amber: "#edbb4a",
  grey: "#8d96a3"
};
var INK = {
  light: "#1f2328",
  dark: "#e6e9ee"
};
var RUN_COLORS = [
  LIGHT.blue,
  LIGHT.vermilion,
  LIGHT.green,
  LIGHT.purple,
  LIGHT.amber,
  LIGHT.grey
];
var MOST_COLORS = RUN_COLORS.length;
var DASHES = [
  null,
  "7 3",
  "2 3",
  "9 3 2 3"
];
function runStyle(i) {
  return {
    color: RUN_COLORS[i % MOST_COLORS],
    dash: DASHES[Math.floor(i / MOST_COLORS) % DASHES.length]
  };
}
var runColor = (i) => runStyle(i).color;
function figureStyle() {
  const colors = Object.keys(LIGHT);
  const dark = (scope) => `${scope}{color:${INK.dark}}` + colors.map((name) => `${scope} [stroke="${LIGHT[name]}"]{stroke:${DARK[name]}}${scope} [fill="${LIGHT[name]}"]{fill:${DARK[name]}}`).join("");
  const preferred = ":is(:root:not([data-theme=light]) .dynosim,:root.dynosim)";
  return `.dynosim{color:${INK.light};font-size:12px;max-width:100%;height:auto}.dynosim text{fill:currentColor;stroke:none}.dynosim .title{font-size:14px;font-weight:600}.dynosim .stretch *{vector-effect:non-scaling-stroke}.dynosim .heading{font-weight:600}.dynosim .quiet{fill-opacity:.75}@media(prefers-color-scheme:dark){${dark(preferred)}}` + dark("[data-theme=dark] .dynosim");
}

// lib/analysis/units.ts
function duration(ms) {
  const short3 = (value) => String(Number(value.toPrecision(3)));
  if (ms < 1e3) return `${short3(ms)} ms`;
  if (ms < 12e4) return `${short3(ms / 1e3)} s`;
  return `${short3(ms / 6e4)} min`;
}
function amount(value) {
  const short3 = (scaled) => Number(scaled.toPrecision(3)).toLocaleString("en");
  if (Math.abs(value) >= 1e6) return `${short3(value / 1e6)}M`;
  if (Math.abs(value) >= 1e4) return `${short3(value / 1e3)}k`;
  return short3(value);
}
function percentage(share2) {
  return `${Number((share2 * 100).toFixed(1))} %`;
}
function shortened(name, most) {
  if (name.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return `${name.slice(0, head)}\u2026${name.slice(name.length - (most - 1 - head))}`;
}

// lib/analysis/figure.ts
var TITLE_HEIGHT = 22;
var SUBTITLE_HEIGHT = 17;
var LEGEND_HEIGHT = 22;
var HEADING_HEIGHT = 18;
var TOP = 6;
var FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
var CHARACTER = 6.6;
function figureSvg(figure2) {
  const width = Math.max(...figure2.panels.map(({ plot }) => plot.width));
  const fitting = Math.floor(width / CHARACTER);
  const parts = [];
  let y = TOP + 13;
  parts.push(text2(0, y, shortened(figure2.title, Math.floor(fitting * 0.85)), "title"));
  y += TITLE_HEIGHT - 4;
  if (figure2.subtitle) {
    parts.push(text2(0, y, shortened(figure2.subtitle, fitting), "quiet"));
    y += SUBTITLE_HEIGHT;
  }
  if (figure2.legend && figure2.legend.length > 0) {
    const { entries, bottom } = legend(figure2.legend, y, width);
    parts.push(...entries);
    y = bottom + LEGEND_HEIGHT;
  }
  y -= 8;
  for (const { heading, plot } of figure2.panels) {
    if (heading !== void 0) {
      parts.push(text2(0, y + 13, shortened(heading, fitting), "heading"));
      y += HEADING_HEIGHT;
    }
    parts.push(markup(plot.markup.replace("<svg ", `<svg y="${y}" `)));
    y += plot.height;
  }
  return `${safe`<svg xmlns="http://www.w3.org/2000/svg" class="dynosim" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-label="${figure2.title}" font-family="${markup(FONT)}" font-size="12"><style>${markup(figureStyle())}</style>${parts}</svg>`}`;
}
function text2(x, y, content, kind) {
  return safe`<text x="${x}" y="${y}"${kind === void 0 ? null : safe` class="${kind}"`}>${content}</text>`;
}
function legend(entries, y, width) {
  let x = 0;
  const drawn = entries.flatMap((entry) => {
    const label = shortened(entry.label, 60), room = 22 + label.length * CHARACTER;
    if (x > 0 && x + room > width) {
      x = 0;
      y += 18;
    }
    const sign = safe`<g transform="translate(${Number(x.toFixed(1))},${y - 4})">${swatch(entry)}</g>`;
    const words = text2(Number((x + 22).toFixed(1)), y, label);
    x += room + 18;
    return [
      sign,
      words
    ];
  });
  return {
    entries: drawn,
    bottom: y
  };
}
function swatch({ mark, color, dash }) {
  switch (mark) {
    case "area":
      return safe`<rect y="-5" width="16" height="10" rx="1.5" fill="${color}" fill-opacity=".45"/>`;
    case "dot":
      return safe`<circle cx="8" r="4" fill="${color}"/>`;
    case "up":
      return safe`<path d="M3,4h10l-5,-9z" fill="${color}"/>`;
    case "down":
      return safe`<path d="M3,-4h10l-5,9z" fill="${color}"/>`;
    default: {
      const pattern = mark === "dashed" ? "4 3" : dash;
      const dashes = pattern == null ? null : safe` stroke-dasharray="${pattern}"`;
      return safe`<path d="M0,0h16" fill="none" stroke="${color}" stroke-width="2"${dashes}/>`;
    }
  }
}

export {
  table,
  CAPACITY_FILE,
  capacityFile,
  readCapacity,
  loadColumns,
  carriedText,
  brevityText,
  saturationText,
  saturationRows,
  explainCapacity,
  makeColumns,
  pushRow,
  safe,
  markup,
  LIGHT,
  MOST_COLORS,
  runStyle,
  runColor,
  figureStyle,
  duration,
  amount,
  percentage,
  shortened,
  figureSvg,
  swatch,
  bucketsOf,
  roundBucketMs,
  percentilesOverTime,
  goodputOverTime,
  trafficOverTime,
  queueOverTime,
  ttftByInputLength,
  ticksTable,
  tickReason,
  scalingEventsTable,
  lifecycleTable,
  retuneTable,
  checkReport,
  searchPrice,
  recommendationFile,
  readRecommendation,
  rankedCandidates,
  recommendationTable,
  dimensionEffects,
  targetOf,
  descriptionOf,
  explainRecommendation,
  replicasOverTime,
  poolsOf,
  replicaSteps,
  endOfRun,
  gpuHoursByPhase,
  requestsTable,
  toRun,
  readRun
};
