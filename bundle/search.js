import {
  located,
  presetLoss,
  replaySpecSchema,
  run,
  trafficSchema,
  warmupBuckets
} from "./retune.js";
import {
  DEFAULT_SETTINGS,
  canonicalJson,
  readWarmupTrace
} from "./planner.js";
import {
  limit,
  readTrace
} from "./traces.js";
import {
  SharedData,
  closeRole,
  exponential,
  loadRequests,
  makePool,
  naturalLog,
  planSpec
} from "./core.js";
import {
  MersenneTwister,
  saturationSchema,
  splitmix32
} from "./shared.js";
import {
  CURRENCY,
  ConfigDocument,
  DEFAULT_TRAFFIC,
  JobExpired,
  PREDICTOR_PRESETS,
  Problem,
  SCALED_TO_ZERO,
  anything,
  attainment,
  autoscalerSection,
  checkStack,
  compactJson,
  configError,
  decimalRange,
  didYouMean,
  engineSection,
  evaluationSection,
  executionSection,
  inline,
  joinPath,
  leavesNone,
  literal as literal2,
  loadPrediction,
  mostReplicas,
  orNull,
  placed,
  placedError,
  placedIssues,
  priceFields,
  pricePlan,
  quote,
  quoteList,
  reads,
  repr,
  section,
  strictInt,
  strictNumber,
  text,
  trafficSection,
  withDefault
} from "./config.js";
import {
  DEFAULT_MEMORY_FRACTION,
  Deployment,
  PerfCatalog,
  loadModel,
  maxContextLength,
  sha256,
  sha256Of
} from "./timing.js";
import {
  BACKENDS,
  ByteSourceError,
  ConfigError,
  SimulationError,
  TraceError,
  array,
  boolean,
  check,
  checkNumber,
  checkOptions,
  custom,
  finite,
  host,
  isMapping,
  lazy,
  literal,
  looseObject,
  maxLength,
  minValue,
  nearName,
  null_,
  nullable,
  nullish,
  number,
  object,
  optional,
  picklist,
  pipe,
  rawCheck,
  readBytes,
  readText,
  record,
  roundHalfEven,
  safeInteger,
  safeParse,
  strictObject,
  string,
  transform,
  union,
  unknown,
  variant,
  writeFileAtomically
} from "./base.js";

// lib/capacity/bracket.ts
async function largestHolding(ask, { start, whole, parallel, precision, reach }) {
  const shaped = (value) => whole ? Math.max(1, Math.round(value)) : Number(value.toPrecision(6));
  let holds = null, fails = null;
  const learn = async (wanted2) => {
    const values2 = [
      ...new Set(wanted2.map(shaped))
    ].filter((value) => value !== holds && value !== fails);
    if (values2.length === 0) return false;
    const low = holds ?? (fails ?? 2 * start) / 2;
    const rounds = holds !== null && fails !== null ? roundsToNarrow(low, fails) - 1 : roundsToNarrow(low, 2 * low);
    const answers = await ask(values2, Math.max(0, rounds));
    const order = values2.map((value, i) => ({
      value,
      ok: answers[i]
    })).toSorted((a, b) => a.value - b.value);
    const failing = order.find(({ ok }) => !ok)?.value;
    if (failing !== void 0 && (fails === null || failing < fails)) fails = failing;
    for (const { value, ok } of order) {
      if (ok && (fails === null || value < fails) && (holds === null || value > holds)) holds = value;
    }
    return true;
  };
  const roundsToNarrow = (low, high) => {
    const parts = Math.log(high / low) / Math.log1p(precision);
    return Math.ceil(Math.log(whole ? Math.min(parts, high - low) : parts) / Math.log(parallel + 1));
  };
  await learn(Array.from({
    length: parallel
  }, (_2, i) => start * 2 ** i));
  for (let at = start * 2 ** (parallel - 1); fails === null && at < start * reach; ) {
    const next = Array.from({
      length: parallel
    }, (_2, i) => at * 2 ** (i + 1));
    at = next.at(-1);
    if (!await learn(next)) break;
  }
  for (let at = start; holds === null && at > start / reach; ) {
    const next = Array.from({
      length: parallel
    }, (_2, i) => at / 2 ** (i + 1));
    at = next.at(-1);
    if (!await learn(next)) break;
  }
  while (holds !== null && fails !== null && fails / holds > 1 + precision && !(whole && fails - holds <= 1)) {
    const from = holds, ratio = fails / holds;
    const between = Array.from({
      length: parallel
    }, (_2, i) => from * ratio ** ((i + 1) / (parallel + 1)));
    if (!await learn(between)) break;
  }
  return {
    holds,
    fails
  };
}

// lib/capacity/load_axis.ts
var LOAD_AXES = [
  "speedup",
  "concurrency",
  "rate"
];
function axisOf({ traffic: { load: load3 } }) {
  return load3.type === "trace_timestamps" ? "speedup" : load3.type === "concurrency" ? "concurrency" : "rate";
}
function checkAxis(plan, axis) {
  const own = axisOf(plan);
  if (own === axis) return;
  const path = "traffic.load.type";
  const message = `the load is ${plan.traffic.load.type}, which has no ${axis}: ask --over ${own}, or change the load`;
  throw new ConfigError(`${path}: ${message}`, [
    {
      path,
      message
    }
  ]);
}
function loadValue({ traffic: { load: load3 } }) {
  return load3.type === "trace_timestamps" ? load3.speedup : load3.type === "concurrency" ? load3.concurrency : load3.perSecond;
}
function withLoad(plan, value) {
  const { load: load3 } = plan.traffic;
  const sized = load3.type === "trace_timestamps" ? {
    ...load3,
    speedup: value
  } : load3.type === "concurrency" ? {
    ...load3,
    concurrency: value
  } : {
    ...load3,
    perSecond: value
  };
  return {
    ...plan,
    traffic: {
      ...plan.traffic,
      load: sized
    }
  };
}

// lib/capacity/capacity.ts
var OPTIONS = {
  over: true,
  attainment: true,
  precision: true,
  executor: true,
  onPoint: true,
  signal: true
};
var CAPACITY_JOBS = {
  name: "capacity",
  module: new URL("./lib.capacity.capacity_jobs.js", import.meta["url"])
};
var REACH = 1024;
var SAMPLES = 200;
async function capacity(plan, options = {}) {
  checkOptions("capacity()", options, OPTIONS);
  const { over = axisOf(plan), attainment: attainment2 = 0.99, precision = 0.01, executor = inline(), onPoint, signal } = options;
  if (plan.sla === null) {
    const path = "evaluation.sla", message = "a capacity needs bounds: give ttft_ms and itl_ms, or e2e_ms";
    throw new ConfigError(`${path}: ${message}`, [
      {
        path,
        message
      }
    ]);
  }
  if (!(attainment2 > 0 && attainment2 <= 1)) {
    throw new ConfigError(`attainment must be above 0 and at most 1, got ${attainment2}`);
  }
  checkNumber("precision", precision, {
    above: 0,
    most: 1
  });
  checkAxis(plan, over);
  const setup = {
    spec: planSpec(plan, {
      plannerDetails: false,
      diagnostics: false
    })
  };
  const runner = executor.open(CAPACITY_JOBS, setup);
  const points = [];
  const replayed = async (value, telemetryIntervalMs) => {
    const task = {
      value,
      traffic: planSpec(withLoad(plan, value)).traffic,
      telemetryIntervalMs
    };
    const outcome2 = await runner.do({
      id: null,
      data: task
    }, {
      signal
    });
    if (outcome2.status === "done") return outcome2.result;
    throw new SimulationError(`the replay at ${over} ${value} failed: ${outcome2.status === "failed" ? outcome2.reason : "it took too long"}`);
  };
  try {
    const written = loadValue(plan);
    const { holds, fails } = await largestHolding((values2, roundsAfter) => {
      let left = values2.length + roundsAfter * runner.parallel + 1;
      return Promise.all(values2.map(async (value) => {
        const { point: point2 } = await replayed(value, null);
        points.push(point2);
        onPoint?.(point2, --left);
        return point2.attainment >= attainment2;
      }));
    }, {
      start: written,
      whole: over === "concurrency",
      parallel: runner.parallel,
      precision,
      reach: REACH
    });
    const edge = points.find(({ value }) => value === fails);
    const interval = edge && Math.max(edge.duration_ms / SAMPLES, 1);
    const { saturation, warnings } = interval === void 0 ? {
      saturation: null,
      warnings: []
    } : await replayed(edge.value, interval);
    points.sort((a, b) => a.value - b.value);
    const { ttftMs = null, itlMs = null, e2eMs = null } = plan.sla;
    const sla = {
      ttft_ms: ttftMs,
      itl_ms: itlMs,
      e2e_ms: e2eMs
    };
    return {
      largest: holds,
      beyond: fails,
      over,
      attainment: attainment2,
      sla,
      written,
      points,
      saturation,
      warnings
    };
  } finally {
    runner.close();
  }
}

// lib/capacity/warning_limits.ts
var MOST_WARNINGS = 100;
var MOST_WARNING = 2e3;

// lib/capacity/capacity_kind.ts
var figure = number();
var point = strictObject({
  value: figure,
  attainment: figure,
  num_requests: figure,
  completed_requests: figure,
  request_throughput_rps: figure,
  p95_ttft_ms: figure,
  p95_tpot_ms: figure,
  duration_ms: figure,
  queues_growing: boolean(),
  cost: optional(strictObject({
    currency: string(),
    per_thousand_good_requests: nullable(figure)
  }))
});
var CAPACITY_KIND = {
  ...CAPACITY_JOBS,
  setup: strictObject({
    spec: replaySpecSchema
  }),
  data: strictObject({
    value: number(),
    traffic: trafficSchema,
    telemetryIntervalMs: nullable(pipe(number(), finite(), minValue(0)))
  }),
  result: strictObject({
    point,
    saturation: nullable(saturationSchema),
    warnings: pipe(array(pipe(string(), maxLength(MOST_WARNING))), maxLength(MOST_WARNINGS))
  }),
  answers: ({ value, telemetryIntervalMs }, answer) => answer.point.value === value && answer.saturation === null === (telemetryIntervalMs === null),
  localSetup({ spec }, local) {
    located(spec, local);
    return {
      spec,
      local
    };
  }
};

// lib/recommend/candidate_jobs.ts
var HOST_FIGURES = [
  "wall_time_ms",
  "processed_output_tokens_per_s",
  "processed_tokens_per_s"
];
var PREFIX_FORMATS = [
  "mooncake",
  "dynamo"
];
function prepare(local) {
  const worker2 = new CandidateWorker(local);
  return (task, control2) => worker2.answer(task, control2);
}
var CandidateWorker = class {
  #shared = new SharedData();
  #local;
  constructor(local) {
    this.#local = local;
  }
  async answer({ ask, document: document2, stack, requests }, control2) {
    let plan;
    try {
      const cut = requests === null ? document2 : shortened(document2, requests);
      ({ plan } = await loadPrediction(JSON.stringify(cut), {
        name: "candidate",
        stack
      }));
    } catch (problem) {
      if (!(problem instanceof ConfigError)) throw problem;
      const what = problem.issues.map(({ path, message }) => path === "" ? message : `${path}: ${message}`).join("; ");
      const reason = "candidate adapter selection infeasible: generated prediction config is infeasible: ";
      return {
        ok: false,
        category: "adapter_constraint",
        reason: reason + (what || problem.message)
      };
    }
    try {
      const spec = this.#located(planSpec(plan, {
        plannerDetails: false,
        diagnostics: false
      }));
      if (ask === "load") return {
        ok: true,
        load: await this.#load(spec)
      };
      if (ask === "idle") {
        const load3 = await this.#load(spec);
        return {
          ok: true,
          load: load3,
          idle: await Promise.all(spec.roles.map((role) => this.#idle(role, load3)))
        };
      }
      return {
        ok: true,
        ...await this.#replay(spec, requests, control2)
      };
    } catch (problem) {
      if (problem instanceof ConfigError) {
        return {
          ok: false,
          category: "candidate_materialization",
          reason: `candidate build failed: ${problem.message}`
        };
      }
      if (!(problem instanceof SimulationError || problem instanceof TraceError)) throw problem;
      return {
        ok: false,
        category: "replay_runtime",
        reason: `replay failed: ${problem.name}: ${problem.message}`,
        ...problem instanceof TraceError && {
          trace: problem.message
        }
      };
    }
  }
  #located(spec) {
    return this.#local === null ? spec : located(spec, this.#local);
  }
  async #replay(spec, requests, control2) {
    const { traffic } = spec;
    const part = requests !== null && traffic?.type === "trace" ? () => this.#part(traffic, requests) : void 0;
    let sequences;
    const report = await run(spec, {
      shared: this.#shared,
      ready: part && {
        traffic: part
      },
      onSequences(needed) {
        if (!spec.autoscaler) sequences = [
          ...needed
        ];
      },
      onProgress() {
        if (control2.expired()) throw new JobExpired();
      }
    }).report;
    return {
      metrics: metricsOf(report),
      ...sequences && {
        sequences
      }
    };
  }
  /** The first requests of a trace. */
  #part(traffic, requests) {
    const { paths, format, blockTokens, speedup, concurrency } = traffic;
    const name = JSON.stringify({
      requests,
      paths,
      format,
      blockTokens
    });
    return this.#shared.recorded(name, {
      speedup,
      concurrency
    }, () => {
      const rows = readTrace(paths[0], {
        format
      }).pipeThrough(limit(requests));
      return loadRequests(rows, {
        blockTokens,
        speedup,
        concurrency
      });
    });
  }
  async #load({ traffic, roles }) {
    const blockTokens = async () => (await closeRole(roles[0], this.#shared.deployments)).settings.rank.blockTokens;
    const { workload } = await this.#shared.traffic(traffic, blockTokens);
    return factsOf(workload, traffic.type === "trace");
  }
  async #idle(role, { shortestPrompt, leastNewTokens }) {
    const { deployments } = this.#shared;
    try {
      const closed = await closeRole(role, deployments);
      const { settings: { rank } } = closed;
      const { timing } = await makePool(closed, nowhere, deployments);
      const computed = rank.prefixCaching ? leastNewTokens : shortestPrompt;
      return {
        prefillMs: role.role === "decode" ? 0 : timing.prefillMs(1, computed, shortestPrompt - computed),
        decodeMs: role.role === "prefill" ? 0 : timing.decodeMs(1, shortestPrompt, rank.blocks * rank.blockTokens)
      };
    } catch (problem) {
      if (!(problem instanceof ConfigError || problem instanceof SimulationError)) throw problem;
      return {
        problem: problem.message
      };
    }
  }
};
var nowhere = () => {
  throw new SimulationError("nothing is placed here");
};
function shortened(document2, requests) {
  if (document2.traffic.source.type === "trace") return document2;
  return {
    ...document2,
    traffic: {
      ...document2.traffic,
      stop: {
        requests
      }
    }
  };
}
function factsOf({ count, inputTokens, outputTokens, blockTokens }, shares2) {
  let prompt = Infinity, output = Infinity;
  for (let request = 0; request < count; request++) {
    prompt = Math.min(prompt, inputTokens[request]);
    output = Math.min(output, outputTokens[request]);
  }
  return {
    requests: count,
    shortestPrompt: prompt,
    shortestOutput: output,
    leastNewTokens: shares2 ? Math.min(prompt, (prompt - 1) % blockTokens + 1) : prompt
  };
}
function metricsOf({ summary, planner }) {
  const metrics2 = {};
  for (const [name, value] of Object.entries(summary)) {
    if (!HOST_FIGURES.includes(name) && (typeof value === "number" || value === null)) metrics2[name] = value;
  }
  if (planner) metrics2.planner_total_ticks = planner.total_ticks;
  return metrics2;
}

// lib/recommend/shapes.ts
var PARALLELISM_KEYS = [
  [
    "tensor",
    "tensor"
  ],
  [
    "pipeline",
    "pipeline"
  ],
  [
    "attention_data",
    "attentionData"
  ],
  [
    "moe_tensor",
    "moeTensor"
  ],
  [
    "moe_expert",
    "moeExpert"
  ],
  [
    "replicas",
    "replicas"
  ]
];
var workerGpus = ({ tensor, pipeline, attentionData }) => tensor * pipeline * attentionData;
var allGpus = (one) => workerGpus(one) * one.replicas;
var sameReplicas = (a, b) => PARALLELISM_KEYS.every(([, key]) => a[key] === b[key]);
var WORKER_SIZES = [
  1,
  2,
  4,
  8,
  16
];
var SIZES = [
  1,
  2,
  4,
  8,
  16,
  32,
  64,
  128
];
var shape = (tensor, attentionData = 1, moeTensor = 1, moeExpert = 1) => ({
  tensor,
  pipeline: 1,
  attentionData,
  moeTensor,
  moeExpert,
  replicas: 1
});
function* workerShapes(mixture, budget) {
  for (const gpus of WORKER_SIZES) {
    if (gpus > budget) return;
    if (!mixture) yield shape(gpus);
    else yield* mixtureShapes(gpus);
  }
}
function* mixtureShapes(gpus) {
  if (gpus === 1) {
    yield shape(1);
    return;
  }
  for (const tensor of SIZES.filter((size) => size <= gpus)) {
    const attentionData = gpus / tensor;
    if (tensor > 1 && attentionData > 1) continue;
    yield shape(tensor, attentionData, 1, gpus);
    yield shape(tensor, attentionData, gpus, 1);
  }
}
function* replicaConfigs(shapes, budget, minimum = 0) {
  for (const one of shapes) {
    for (let replicas = 1; replicas * workerGpus(one) <= budget; replicas++) {
      if (replicas * workerGpus(one) >= minimum) yield {
        ...one,
        replicas
      };
    }
  }
}
function strategyOf({ tensor, attentionData, moeTensor, moeExpert }) {
  if (moeExpert === 1) {
    if (moeTensor === 1 || tensor > 1 && attentionData === 1) return "tp";
    return attentionData > 1 && tensor === 1 ? "dtp" : "mixed";
  }
  if (moeTensor > 1 || tensor > 1 && attentionData > 1) return "mixed";
  return attentionData > 1 ? "dep" : "tep";
}

// lib/recommend/branch.ts
var entryGpus = (roles) => roles.reduce((sum, one) => sum + allGpus(one), 0);
var NO_SPACE = {
  choices: /* @__PURE__ */ new Map(),
  floats: /* @__PURE__ */ new Map(),
  log: [],
  conditional: []
};
function withSections(branch, sections) {
  const choices2 = new Map(branch.choices), floats = new Map(branch.floats), log = new Set(branch.log);
  const conditional = [
    ...branch.conditional
  ];
  for (const section2 of sections) {
    for (const [name, values2] of section2.choices) choices2.set(name, values2);
    for (const [name, range] of section2.floats) floats.set(name, range);
    for (const name of section2.log) log.add(name);
    conditional.push(...section2.conditional);
  }
  return {
    ...branch,
    choices: choices2,
    floats,
    log,
    conditional
  };
}
function selections({ choices: choices2, conditional }) {
  const selectors = [
    ...new Set(conditional.map(({ selector }) => selector))
  ];
  return selectors.reduce((all, name) => all.flatMap((one) => choices2.get(name).map((value) => new Map([
    ...one,
    [
      name,
      value
    ]
  ]))), [
    /* @__PURE__ */ new Map()
  ]);
}
function pinnedBranch(branch, selection) {
  const choices2 = new Map(branch.choices), floats = new Map(branch.floats), log = new Set(branch.log);
  for (const [name, value] of selection) choices2.set(name, [
    value
  ]);
  for (const condition of branch.conditional) {
    if (!condition.values.includes(selection.get(condition.selector))) continue;
    for (const [name, values2] of condition.choices) choices2.set(name, values2);
    for (const [name, range] of condition.floats) floats.set(name, range);
    for (const name of condition.log) log.add(name);
  }
  return {
    ...branch,
    choices: choices2,
    floats,
    log,
    conditional: []
  };
}

// lib/recommend/domains.ts
var pinned = (value) => ({
  kind: "choices",
  values: [
    value
  ],
  pinned: true
});
var listed = (values2) => ({
  kind: "choices",
  values: values2,
  pinned: false
});
var least = (domain) => domain.kind === "choices" ? Math.min(...domain.values) : domain.min;
var largest = (domain) => domain.kind === "choices" ? Math.max(...domain.values) : domain.max;
var representative = (domain) => domain.kind === "choices" ? domain.values[0] : domain.min;
var contains = (domain, value) => domain.kind === "choices" ? domain.values.includes(value) : value >= domain.min && value <= domain.max;
var MOST_VALUES = 1e5;
var choices = (item) => pipe(section("Choices", {
  choices: pipe(array(item, "Input should be a valid list"), rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    if (value.length === 0) addIssue({
      message: "Value error, choices must be a nonempty list"
    });
    if (new Set(value.map((one) => JSON.stringify(one))).size < value.length) {
      addIssue({
        message: "Value error, choices must contain unique values"
      });
    }
  }))
}), transform(({ choices: choices2 }) => listed(choices2)));
var span = (number3, rule) => section("Range", {
  range: section("RangeBounds", {
    min: number3(),
    max: number3(),
    step: optional(number3({
      gt: 0
    })),
    scale: optional(literal2([
      "linear",
      "log"
    ]), "linear")
  }, [
    (bounds) => bounds.min > bounds.max ? "range requires min <= max" : void 0,
    (bounds) => rule(bounds),
    ({ min, max, step }) => step !== void 0 && (max - min) / step >= MOST_VALUES ? `range has more than ${MOST_VALUES} values; use a larger step` : void 0
  ])
});
var integers = pipe(span(strictInt, ({ min, step, scale }) => {
  if (scale === "linear") return step === void 0 ? "integer linear range requires step" : void 0;
  if (step !== void 0) return "integer log range rejects step";
  return min > 0 ? void 0 : "integer log range requires min > 0";
}), transform(({ range: { min, max, step, scale } }) => {
  if (min === max) return listed([
    min
  ]);
  return scale === "log" ? {
    kind: "integers",
    min,
    max
  } : listed(steps(min, max, step));
}));
var numbers = pipe(span(strictNumber, ({ min, step, scale }) => {
  if (scale === "linear") return void 0;
  if (step !== void 0) return "log range rejects step";
  return min > 0 ? void 0 : "log range requires min > 0";
}), transform(({ range: { min, max, step, scale } }) => {
  if (step !== void 0) return listed(steps(min, max, step));
  return {
    kind: "continuous",
    min,
    max,
    log: scale === "log"
  };
}));
function steps(min, max, step) {
  const values2 = [];
  for (let at = min; at <= max; at += step) values2.push(at);
  return values2;
}
var withinBounds = (plain2, message) => (min, max) => {
  const problem = [
    min,
    max
  ].map((end) => safeParse(plain2, end)).find(({ success }) => !success);
  return problem === void 0 ? void 0 : message ?? `range: ${problem.issues[0].message}`;
};
var checked = (range, rule) => pipe(range, rawCheck(({ dataset, addIssue }) => {
  if (!dataset.typed) return;
  const broken = rule(least(dataset.value), largest(dataset.value));
  if (broken !== void 0) addIssue({
    message: `Value error, ${broken}`
  });
}));
var domainOf = (plain2, range) => lazy((value) => {
  if (isMapping(value)) {
    if (range !== void 0 && Object.hasOwn(value, "range")) return range;
    return choices(plain2);
  }
  return pipe(plain2, transform((one) => pinned(one)));
});
var intDomain = (bounds = {}, outside) => domainOf(strictInt(bounds), checked(integers, withinBounds(strictInt(bounds), outside)));
var numberDomain = (bounds = {}, outside) => domainOf(strictNumber(bounds), checked(numbers, withinBounds(strictNumber(bounds), outside)));
var wordDomain = (names) => domainOf(literal2(names));
var choicesDomain = (plain2) => domainOf(plain2);

// lib/recommend/parallelism_domain.ts
var KNOBS = [
  "replicas",
  "tensor",
  "pipeline",
  "attention_data",
  "moe_tensor",
  "moe_expert"
];
var CONTEXT_KEYS = [
  "prefill_context",
  "decode_context"
];
function readEntry(entry2, index) {
  const label = String(index);
  if (typeof entry2 !== "object" || entry2 === null || Array.isArray(entry2)) {
    return new Problem("Input should be a valid dictionary", void 0, label);
  }
  const given = entry2;
  for (const key of CONTEXT_KEYS) {
    if (given[key] == null || given[key] === 1) continue;
    return new Problem(`Value error, ${key}=${given[key]} is not supported by recommend; context parallelism is a predict-only knob (use predict with a fixed parallelism)`, void 0, label);
  }
  const missing = KNOBS.filter((key) => given[key] == null).toSorted();
  const unknown2 = Object.keys(given).filter((key) => ![
    ...KNOBS,
    ...CONTEXT_KEYS
  ].includes(key)).toSorted();
  if (missing.length > 0 || unknown2.length > 0) {
    return new Problem(`Value error, parallelism preset entries must cover exactly all knobs; missing=${quoteList(missing)}, unknown=${quoteList(unknown2)}`, void 0, label);
  }
  const odd = KNOBS.find((key) => !Number.isInteger(given[key]) || given[key] < 1);
  if (odd !== void 0) {
    const what = Number.isInteger(given[odd]) ? "greater than 0" : "a valid integer";
    return new Problem(`Input should be ${what}`, void 0, `${label}.${odd}`);
  }
  return Object.fromEntries(PARALLELISM_KEYS.map(([key, name]) => [
    name,
    given[key]
  ]));
}
var preset = reads((value) => {
  if (value === "default" || value === false) return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return new Problem("Value error, parallelism preset list must be nonempty");
    const entries = value.map(readEntry);
    const problems = entries.filter((entry2) => entry2 instanceof Problem);
    if (problems.length > 0) return problems;
    const configs = entries;
    for (const [i, config] of configs.entries()) {
      const first = configs.findIndex((other) => sameReplicas(other, config));
      if (first < i) {
        return new Problem(`Value error, parallelism preset entries must differ; it repeats entry ${first}`, void 0, String(i));
      }
    }
    return configs;
  }
  if (typeof value === "object" && value !== null) {
    if (Object.keys(value).length === 0) return false;
    return new Problem("Value error, parallelism preset mapping must be empty to disable it");
  }
  return new Problem("Input should be 'default', false or a list of shapes");
});
var fields = {
  preset: optional(preset, "default"),
  ...Object.fromEntries(KNOBS.map((key) => [
    key,
    optional(nullable(intDomain({
      gt: 0
    })))
  ])),
  prefill_context: anything(),
  decode_context: anything()
};
var parallelismSearch = pipe(section("ParallelismDomain", fields, [
  (value) => {
    const { preset: preset3, prefill_context, decode_context, ...knobs } = value;
    const given = Object.keys(knobs).filter((key) => knobs[key] != null);
    if (preset3 !== false && given.length > 0) {
      return `parallelism cannot combine preset with independent knobs ${quoteList(given)}; write preset: false to filter the shapes by them`;
    }
    for (const [key, size] of Object.entries({
      prefill_context,
      decode_context
    })) {
      if (size != null && size !== 1) {
        return `${key}=${size} is not supported by recommend; context parallelism is a predict-only knob`;
      }
    }
  }
]), transform((value) => {
  const { preset: preset3, ...knobs } = value;
  if (preset3 === "default") return {
    kind: "default"
  };
  if (preset3 !== false) return {
    kind: "listed",
    configs: preset3
  };
  return {
    kind: "filtered",
    knobs: Object.fromEntries(KNOBS.filter((key) => knobs[key]).map((key) => [
      key,
      knobs[key]
    ]))
  };
}));

// lib/recommend/engine_domain.ts
var ROLE_NAMES = {
  agg: "aggregated",
  prefill: "prefill",
  decode: "decode"
};
var rolesOfMode = (mode) => mode === "agg" ? [
  "agg"
] : [
  "prefill",
  "decode"
];
var SEARCHED_TOKENS = {
  agg: [
    8192,
    16384,
    32768
  ],
  prefill: [
    8192,
    16384,
    32768
  ],
  decode: [
    8192
  ]
};
var SEARCHED_SEQUENCES = {
  agg: [
    256,
    512,
    1024
  ],
  prefill: [
    1,
    2,
    4,
    8,
    16,
    32,
    64,
    128,
    256
  ],
  decode: [
    256,
    512,
    1024
  ]
};
var refused = (what) => optional(reads((value) => value == null ? null : new Problem(`Value error, ${what}`)), null);
var capacity2 = section("KvCapacityDomain", {
  type: anything(),
  memory_fraction: nullish(numberDomain({
    gt: 0,
    le: 1
  }, "memory_fraction range must stay within (0, 1]")),
  blocks: anything(),
  bytes: refused("capacity.bytes currently supports prediction only; recommendation is not supported: give blocks"),
  cuda_graph_reserved_bytes: anything()
});
var worker = section("WorkerDomain", {
  parallelism: nullish(parallelismSearch),
  scheduler: nullish(section("SchedulerDomain", {
    max_batched_tokens: nullish(intDomain({
      gt: 0
    })),
    max_sequences: nullish(intDomain({
      gt: 0
    }))
  })),
  kv_cache: nullish(section("KvCacheDomain", {
    block_size: nullish(intDomain({
      gt: 0
    })),
    prefix_caching: anything(),
    bytes_per_token: anything(),
    capacity: nullish(capacity2),
    host_offload: refused("host_offload currently supports prediction only; recommendation is not supported"),
    g3_offload: refused("g3_offload currently supports prediction only; recommendation is not supported"),
    state_cache: refused("state_cache currently supports prediction only; recommendation is not supported")
  })),
  timing: anything(),
  startup_seconds: anything(),
  hardware: anything(),
  context_length: anything()
}, [
  ({ timing }) => {
    const given = Object.keys(timing ?? {}).filter((key) => key.endsWith("_quant_mode"));
    return given.length > 0 ? "explicit timing quantization/backend identity is prediction-only; recommendation preflight does not support these overrides" : void 0;
  }
]);
var versions = reads((value) => {
  if (typeof value === "string") return value;
  const fits = isMapping(value) && Object.values(value).every((version) => typeof version === "string");
  return fits ? value : new Problem("Input should be a version, or a mapping of backend to version");
});
var CARRIED = [
  "kv_transfer",
  "enable_chunked_prefill",
  "gemm_quant_mode",
  "moe_quant_mode",
  "kvcache_quant_mode",
  "fmha_quant_mode",
  "comm_quant_mode",
  "enable_eplb",
  "wideep_num_slots",
  "moe_backend",
  "moe_kernel_source",
  "attention_backend",
  "database_mode",
  "transfer_policy",
  "systems_paths",
  "systems_path",
  "estimation_mode",
  "fallback_policy",
  "estimator_config",
  "enable_shared_layer",
  "strict_provenance",
  "decoder_replay",
  "fpm_profile",
  "data_release",
  "context_length"
];
var shell = section("EngineDomain", {
  mode: optional(wordDomain([
    "aggregated",
    "disaggregated"
  ])),
  model: text(),
  hardware: text(),
  backend: optional(wordDomain(BACKENDS)),
  backend_version: nullish(versions),
  ...Object.fromEntries(CARRIED.map((name) => [
    name,
    anything()
  ])),
  nextn: optional(reads((value) => value == null || value === 0 ? 0 : new Problem("Value error, nextn is prediction-only; give it to predict for the configuration that recommend finds"))),
  nextn_accepted: refused("nextn_accepted is prediction-only"),
  speculation: refused("speculation is prediction-only"),
  afd: refused("afd is not supported"),
  fpm_profile: refused("fpm_profile is not supported"),
  workers: section("WorkersDomain", {
    aggregated: nullish(worker),
    prefill: nullish(worker),
    decode: nullish(worker),
    encoder: refused("encoder workers are not supported")
  })
});
function readEngine(value, autoHardware, lengths) {
  const read = safeParse(shell, value);
  if (!read.success) return {
    issues: read.issues
  };
  const fields4 = read.output;
  const written = structuredClone(value);
  if (written.hardware === "auto" && autoHardware !== null) written.hardware = autoHardware;
  const modeDomain = fields4.mode ?? listed([
    "aggregated",
    "disaggregated"
  ]);
  const modes = modeDomain.values.map((mode) => mode === "aggregated" ? "agg" : "disagg");
  const backends = (fields4.backend ?? listed([
    "vllm",
    "sglang"
  ])).values;
  const broken = rules(fields4, written, modes, backends, lengths);
  if (broken !== void 0) return {
    issues: told(broken)
  };
  for (const mode of modes) {
    for (const backend of backends) {
      const checked2 = safeParse(engineSection, plain(fields4, written, mode, backend));
      if (!checked2.success) return {
        issues: checked2.issues
      };
    }
  }
  const roles = {};
  for (const mode of modes) for (const key of rolesOfMode(mode)) roles[key] = roleSearch(key, fields4, written);
  const { workers: _2, ...rest } = written;
  return {
    engine: {
      modes,
      backends,
      versions: typeof fields4.backend_version === "string" ? {
        [backends[0]]: fields4.backend_version
      } : fields4.backend_version ?? {},
      model: written.model,
      hardware: written.hardware,
      contextLength: written.context_length ?? "max",
      roles,
      written: rest
    }
  };
}
function told(message) {
  return safeParse(custom(() => false, `Value error, ${message}`), null).issues;
}
function rules(fields4, written, modes, backends, lengths) {
  const { workers, backend_version: version, kv_transfer } = fields4;
  const aggregated = modes.includes("agg"), disaggregated = modes.includes("disagg");
  if (aggregated && !workers.aggregated) return "aggregated mode requires workers.aggregated";
  if (disaggregated && !(workers.prefill && workers.decode)) {
    return "disaggregated mode requires prefill and decode workers";
  }
  if (!disaggregated && (workers.prefill || workers.decode)) return "aggregated mode rejects prefill/decode workers";
  if (!disaggregated && kv_transfer) return "aggregated mode rejects kv_transfer";
  if (!aggregated && workers.aggregated) return "disaggregated mode rejects aggregated workers";
  if (typeof version === "string" && backends.length > 1) {
    return "a string backend_version requires exactly one configured backend; use a {backend: version} mapping for a multi-backend search";
  }
  const stray = Object.keys(typeof version === "object" && version !== null ? version : {}).filter((name) => !backends.includes(name));
  if (stray.length > 0) return `backend_version contains unconfigured backend(s): ${quoteList(stray.toSorted())}`;
  if (written.workers.aggregated?.context_length != null) {
    return "workers.aggregated.context_length must be set as engine.context_length";
  }
  const { input, output } = lengths ?? {
    input: 1024,
    output: 128
  };
  for (const [role, needed] of [
    [
      "prefill",
      input + 1
    ],
    [
      "decode",
      input + output
    ]
  ]) {
    const context = written.workers[role]?.context_length;
    if (typeof context === "number" && context < needed) {
      return `engine.workers.${role}.context_length must be at least ${needed} for the configured workload`;
    }
  }
  if (backends.includes("sglang")) return void 0;
  for (const role of [
    "aggregated",
    "prefill",
    "decode"
  ]) {
    const size = workers[role]?.kv_cache?.block_size;
    const most = size == null ? 2 : size.kind === "choices" ? Math.max(...size.values) : size.max;
    if (most < 2) {
      return `${role} KV block_size has no value supported by vLLM/TensorRT-LLM; those backends require block_size >= 2`;
    }
  }
}
function plain(fields4, written, mode, backend) {
  const { workers: _2, backend_version: _version, mode: _mode, nextn: _nextn, ...rest } = written;
  const one = (key) => {
    const name = ROLE_NAMES[key];
    const role = structuredClone(written.workers[name]);
    const { kv_cache } = fields4.workers[name];
    delete role.parallelism;
    delete role.scheduler;
    if (kv_cache?.block_size) role.kv_cache.block_size = Math.max(2, representative(kv_cache.block_size));
    if (kv_cache?.capacity?.memory_fraction) {
      role.kv_cache.capacity.memory_fraction = representative(kv_cache.capacity.memory_fraction);
    }
    return [
      name,
      role
    ];
  };
  return {
    ...rest,
    mode: mode === "agg" ? "aggregated" : "disaggregated",
    backend,
    workers: Object.fromEntries(rolesOfMode(mode).map(one)),
    kv_transfer: mode === "agg" ? null : written.kv_transfer ?? {}
  };
}
function roleSearch(key, fields4, written) {
  const name = ROLE_NAMES[key];
  const { parallelism, scheduler, kv_cache } = fields4.workers[name];
  const own = written.workers[name];
  const fixed = own.kv_cache?.capacity?.type === "fixed";
  return {
    key,
    parallelism: parallelism ?? {
      kind: "default"
    },
    tokens: scheduler?.max_batched_tokens ?? listed(SEARCHED_TOKENS[key]),
    sequences: scheduler?.max_sequences ?? listed(SEARCHED_SEQUENCES[key]),
    blockSize: kv_cache?.block_size ?? null,
    memoryFraction: kv_cache?.capacity?.memory_fraction ?? null,
    fixedBlocks: fixed ? own.kv_cache.capacity.blocks : null,
    hardware: own.hardware ?? written.hardware,
    contextLength: own.context_length ?? null,
    written: own
  };
}

// lib/recommend/feasibility.ts
var Feasibility = class {
  #facts;
  #catalog;
  #engine;
  #context;
  #known = /* @__PURE__ */ new Map();
  /** @param context tokens of the engine's longest sequence */
  constructor(facts, catalog, engine, context) {
    this.#facts = facts;
    this.#catalog = catalog;
    this.#engine = engine;
    this.#context = context;
  }
  /** Whether the model is a mixture of experts. */
  get mixture() {
    return this.#facts.experts > 1;
  }
  /** Version of a backend on a role's hardware, or why it has none. */
  version(role, backend) {
    try {
      return this.#catalog.version(role.hardware, backend, this.#engine.versions[backend] ?? null);
    } catch (error) {
      if (error instanceof ConfigError) return error;
      throw error;
    }
  }
  /** Whether a worker of that shape holds the model and one sequence. */
  verdict(role, backend, shape2) {
    const { tensor, pipeline, attentionData, moeTensor, moeExpert } = shape2;
    const key = [
      role.key,
      backend,
      tensor,
      pipeline,
      attentionData,
      moeTensor,
      moeExpert
    ].join(" ");
    let known = this.#known.get(key);
    if (known === void 0) this.#known.set(key, known = this.#ask(role, backend, shape2));
    return known;
  }
  /** Capacity of one rank in tokens, as a candidate with these knobs has it. */
  tokens(role, backend, shape2, maxBatchedTokens, memoryFraction) {
    return this.#deployment(role, backend, shape2).kvCapacity({
      maxBatchedTokens,
      memoryFraction
    }).tokens;
  }
  #deployment(role, backend, shape2) {
    const { tensor, pipeline, attentionData, moeTensor, moeExpert } = shape2;
    const { written, versions: versions2 } = this.#engine;
    return new Deployment(this.#facts, {
      hardware: role.hardware,
      backend,
      backendVersion: versions2[backend] ?? null,
      tensor,
      pipeline,
      attentionData,
      moeTensor,
      moeExpert,
      quant: {
        gemm: written.gemm_quant_mode,
        moe: written.moe_quant_mode,
        kvcache: written.kvcache_quant_mode,
        fmha: written.fmha_quant_mode,
        comm: written.comm_quant_mode
      },
      databaseMode: written.database_mode
    }, this.#catalog);
  }
  #ask(role, backend, shape2) {
    const refused3 = backendRule(backend, shape2, this.mixture);
    if (refused3 !== void 0) return {
      fits: false,
      why: "backend",
      reason: refused3
    };
    const context = typeof role.contextLength === "number" ? role.contextLength : this.#context;
    let tokens;
    if (role.fixedBlocks !== null && role.blockSize !== null) {
      tokens = role.fixedBlocks * least(role.blockSize);
    } else {
      try {
        const fraction = role.memoryFraction === null ? DEFAULT_MEMORY_FRACTION[backend] : least(role.memoryFraction);
        tokens = this.tokens(role, backend, shape2, largest(role.tokens), fraction);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return {
          fits: false,
          why: /no KV budget/.test(error.message) ? "model" : "split",
          reason: error.message.trim()
        };
      }
    }
    if (tokens > context) return {
      fits: true
    };
    return {
      fits: false,
      why: "context",
      reason: `the KV cache holds ${tokens} tokens, a sequence may have ${context}`
    };
  }
};
var powerOf2 = (size) => Number.isInteger(Math.log2(size)) && size <= 128;
function backendRule(backend, shape2, mixture) {
  const { tensor, pipeline, attentionData, moeTensor, moeExpert } = shape2;
  if (pipeline !== 1) return "pipeline parallelism is not searched: pipeline must be 1";
  if (!mixture) {
    return attentionData * moeTensor * moeExpert === 1 ? void 0 : "a dense model is split by tensor alone: the other sizes must be 1";
  }
  if (![
    tensor,
    attentionData,
    moeTensor,
    moeExpert
  ].every(powerOf2)) return "sizes must be powers of two up to 128";
  if (tensor * attentionData !== moeTensor * moeExpert) {
    return "tensor \xD7 attention_data must equal moe_tensor \xD7 moe_expert";
  }
  if (backend === "trtllm" && tensor > 1 && attentionData > 1) {
    return "trtllm does not combine tensor and attention_data";
  }
  if (backend === "vllm" && moeTensor > 1 && moeExpert > 1) return "vllm does not combine moe_tensor and moe_expert";
}

// lib/recommend/planner_presets.ts
var policy = (throughput, load3, every, loadEvery) => ({
  enable_throughput_scaling: throughput,
  enable_load_scaling: load3,
  throughput_adjustment_interval_seconds: every,
  load_adjustment_interval_seconds: loadEvery
});
var PRESETS = {
  scaling_policy: {
    disabled: policy(false, false, null, null),
    throughput_180_5: policy(true, false, 180, 5),
    throughput_600_5: policy(true, false, 600, 5),
    load_180_5: policy(false, true, 180, 5),
    load_180_10: policy(false, true, 180, 10),
    hybrid_180_5: policy(true, true, 180, 5),
    hybrid_600_5: policy(true, true, 600, 5)
  },
  fpm_sampling: {
    small: {
      max_num_fpm_samples: 32,
      fpm_sample_bucket_size: 4
    },
    default: {
      max_num_fpm_samples: 64,
      fpm_sample_bucket_size: 16
    },
    large: {
      max_num_fpm_samples: 128,
      fpm_sample_bucket_size: 16
    },
    fine: {
      max_num_fpm_samples: 128,
      fpm_sample_bucket_size: 64
    }
  },
  load_sensitivity: {
    aggressive: {
      load_scaling_down_sensitivity: 70,
      load_min_observations: 3
    },
    default: {
      load_scaling_down_sensitivity: 80,
      load_min_observations: 5
    },
    conservative: {
      load_scaling_down_sensitivity: 90,
      load_min_observations: 8
    }
  },
  load_predictor: PREDICTOR_PRESETS
};
var INDEPENDENT = {
  scaling_policy: {
    enable_throughput_scaling: [
      false,
      true
    ],
    enable_load_scaling: [
      false,
      true
    ],
    throughput_adjustment_interval_seconds: [
      180,
      600
    ],
    load_adjustment_interval_seconds: [
      5,
      10
    ]
  },
  fpm_sampling: {
    max_num_fpm_samples: [
      32,
      64,
      128
    ],
    fpm_sample_bucket_size: [
      4,
      16,
      64
    ]
  },
  load_sensitivity: {
    load_scaling_down_sensitivity: [
      70,
      80,
      90
    ],
    load_min_observations: [
      3,
      5,
      8
    ]
  },
  load_predictor: {
    load_predictor: [
      "constant",
      "arima",
      "prophet",
      "kalman"
    ],
    load_predictor_log1p: [
      false,
      true
    ],
    prophet_window_size: [
      20,
      50
    ],
    kalman_q_level: [
      1,
      10
    ],
    kalman_q_trend: [
      0.1,
      1
    ],
    kalman_r: [
      5,
      10
    ],
    kalman_min_points: [
      3,
      5
    ]
  }
};
var GROUPS = Object.keys(PRESETS);

// lib/recommend/planner_space.ts
var PREFIX = "adapter::dynamo.planner::";
var PLANNER_TARGETS = {
  throughput: "throughput",
  throughput_per_gpu: "throughput",
  throughput_per_user: "throughput",
  pareto: "throughput",
  ttft: "latency",
  e2e_latency: "latency",
  goodput: "sla",
  goodput_per_gpu: "sla",
  min_gpus: "sla"
};
var fieldsOf = (group, entry2) => ({
  ...typeof entry2 === "string" ? PRESETS[group][entry2] : entry2
});
var PlannerSpace = class {
  #search;
  #goal;
  #policies;
  /** Scaling policies that the target does not allow; left out of a default list. */
  dropped;
  /** Predictor of each throughput interval. */
  #predictors = /* @__PURE__ */ new Map();
  /** @throws {ConfigError} when no scaling policy, or one that the file lists, fits the target */
  constructor(search, goal) {
    this.#search = search;
    this.#goal = goal;
    const bounded = goal.sla?.ttft_ms != null && goal.sla.itl_ms != null;
    const allowed = (entry2) => !fieldsOf("scaling_policy", entry2).enable_throughput_scaling || PLANNER_TARGETS[goal.target] === "sla" && bounded;
    const { entries, explicit } = search.groups.scaling_policy;
    this.#policies = entries.filter(allowed);
    this.dropped = entries.filter((entry2) => !allowed(entry2));
    if (this.never) return;
    const refuse = (message) => {
      throw new ConfigError(message, [
        {
          path: "planner.scaling_policy",
          message
        }
      ]);
    };
    if (this.dropped.length > 0 && explicit) {
      refuse(`Planner scaling_policy contains choices that are incompatible with the selected optimization target/SLA: ${repr(this.dropped)}`);
    }
    if (this.#policies.length === 0) {
      refuse(PLANNER_TARGETS[goal.target] === "sla" ? "Planner throughput scaling requires evaluation.sla.ttft_ms and evaluation.sla.itl_ms" : "every Planner scaling_policy enables throughput scaling, which requires a goodput target");
    }
  }
  /** Whether every candidate is without a Planner. */
  get never() {
    return this.#search.policies.every((policy2) => policy2 === "disabled");
  }
  /** Intervals of the throughput loops that are tried, in seconds, ascending. */
  get intervals() {
    if (this.never) return [];
    const policies = this.#policies.map((entry2) => fieldsOf("scaling_policy", entry2));
    const used2 = policies.filter((policy2) => policy2.enable_throughput_scaling).map((policy2) => policy2.throughput_adjustment_interval_seconds).filter((interval) => interval !== null);
    return [
      ...new Set(used2)
    ].sort((a, b) => a - b);
  }
  /**
   * Chooses the predictor of every interval: the one that would have forecast the trace best, the first of the list
   * where nothing can be said.
   *
   * @param buckets the trace's traffic in buckets of an interval; null for traffic without a trace
   * @returns why, as the reference writes it, and the losses
   */
  choosePredictors(buckets2) {
    const { intervals } = this;
    const { entries } = this.#search.groups.load_predictor;
    const losses = {};
    if (intervals.length === 0) return {
      reason: "no_throughput_scaling_candidate",
      losses
    };
    if (buckets2 === null) {
      for (const interval of intervals) this.#predictors.set(interval, entries[0]);
      return {
        reason: "static_workload_configured_fallback",
        losses
      };
    }
    const presets = entries.map((entry2) => fieldsOf("load_predictor", entry2));
    const undecided = [];
    for (const intervalSeconds of intervals) {
      const task = {
        buckets: buckets2(intervalSeconds),
        intervalSeconds,
        warmupBuckets: warmupBuckets(presets, intervalSeconds)
      };
      const found = presets.map((preset3) => presetLoss(preset3, task));
      const best2 = found.reduce((first, loss, i) => loss < (found[first] ?? Infinity) ? i : first, -1);
      if (best2 < 0) undecided.push(intervalSeconds);
      this.#predictors.set(intervalSeconds, entries[Math.max(best2, 0)]);
      losses[intervalSeconds] = Object.fromEntries(entries.map((entry2, i) => [
        typeof entry2 === "string" ? entry2 : `custom_${i}`,
        Number.isFinite(found[i]) ? found[i] : null
      ]));
    }
    const reason = undecided.length > 0 ? `swept; no_winner_configured_fallback@[${undecided.join(", ")}]` : "swept";
    return {
      reason,
      losses
    };
  }
  /** Parameters of the Planner in a mode. */
  space(mode) {
    const { groups, policies, minWorkers, prefillMinWorkers, decodeMinWorkers } = this.#search;
    if (this.never) return {
      ...NO_SPACE,
      choices: /* @__PURE__ */ new Map([
        [
          `${PREFIX}policy`,
          policies
        ]
      ])
    };
    const choices2 = /* @__PURE__ */ new Map();
    const log = [];
    const uses = (key) => this.#policies.some((entry2) => fieldsOf("scaling_policy", entry2)[key]);
    const shown = [
      [
        "scaling_policy",
        true
      ],
      [
        "fpm_sampling",
        uses("enable_throughput_scaling")
      ],
      [
        "load_sensitivity",
        uses("enable_load_scaling")
      ]
    ];
    for (const [group, used2] of shown) {
      if (used2 && groups[group].separate === null) {
        choices2.set(PREFIX + group, group === "scaling_policy" ? this.#policies : groups[group].entries);
      }
      if (group === "scaling_policy") choices2.set(`${PREFIX}policy`, policies);
    }
    const fewest = [
      [
        "min_workers",
        minWorkers
      ],
      [
        "prefill_min_workers",
        mode === "disagg" ? prefillMinWorkers : null
      ],
      [
        "decode_min_workers",
        mode === "disagg" ? decodeMinWorkers : null
      ]
    ];
    for (const [name, domain] of fewest) if (domain !== null) choices2.set(PREFIX + name, values(domain));
    for (const [group, used2] of shown) {
      const { separate } = groups[group];
      if (!used2 || separate === null) continue;
      for (const [key, given] of separate.choices) {
        choices2.set(PREFIX + key, group === "scaling_policy" ? this.#kept(key, given) : given);
      }
      log.push(...separate.log.map((key) => PREFIX + key));
    }
    return {
      choices: choices2,
      floats: /* @__PURE__ */ new Map(),
      log,
      conditional: []
    };
  }
  /** Values of a scaling key that some allowed policy has. */
  #kept(key, given) {
    return given.filter((value) => this.#policies.some((entry2) => fieldsOf("scaling_policy", entry2)[key] === value));
  }
  /** The Planner of a candidate, as a prediction's section. */
  planner(values2) {
    const { groups, maxNumGpus, maxThroughputReplicas } = this.#search;
    const disabled = {
      policy: "disabled"
    };
    if (this.never || values2[`${PREFIX}policy`] !== "enabled") return disabled;
    const fields4 = (group) => {
      const { separate } = groups[group];
      if (separate === null) return fieldsOf(group, values2[PREFIX + group]);
      return Object.fromEntries([
        ...separate.choices.keys()
      ].map((key) => [
        key,
        values2[PREFIX + key]
      ]));
    };
    const policy2 = fields4("scaling_policy");
    if (!policy2.enable_throughput_scaling && !policy2.enable_load_scaling) return disabled;
    const { target, minGpus } = this.#goal;
    const predictor = policy2.enable_throughput_scaling ? this.#predictors.get(policy2.throughput_adjustment_interval_seconds ?? 180) : void 0;
    const fewest = [
      "min_workers",
      "prefill_min_workers",
      "decode_min_workers"
    ].filter((name) => values2[PREFIX + name] != null).map((name) => [
      name,
      values2[PREFIX + name]
    ]);
    return {
      policy: "enabled",
      enable_throughput_scaling: policy2.enable_throughput_scaling,
      enable_load_scaling: policy2.enable_load_scaling,
      throughput_adjustment_interval_seconds: policy2.throughput_adjustment_interval_seconds ?? 180,
      load_adjustment_interval_seconds: policy2.load_adjustment_interval_seconds ?? 5,
      max_throughput_scaling_replicas: maxThroughputReplicas,
      ...SAMPLING,
      ...SENSITIVITY,
      ...PREDICTOR,
      ...policy2.enable_throughput_scaling ? fields4("fpm_sampling") : {},
      ...policy2.enable_load_scaling ? fields4("load_sensitivity") : {},
      ...predictor === void 0 ? {} : used(fieldsOf("load_predictor", predictor)),
      target: PLANNER_TARGETS[target],
      max_num_gpus: maxNumGpus,
      min_num_gpus: minGpus ?? -1,
      min_workers: 1,
      ...Object.fromEntries(fewest)
    };
  }
};
var SAMPLING = PRESETS.fpm_sampling.default;
var SENSITIVITY = PRESETS.load_sensitivity.default;
var { throughput_adjustment_interval_seconds: _, ...KNOBS2 } = DEFAULT_SETTINGS;
var PREDICTOR = {
  load_predictor: "arima",
  ...KNOBS2
};
function used(fields4) {
  const kind = fields4.load_predictor;
  const matters = (key) => key.startsWith("load_predictor") || kind === "prophet" && key.startsWith("prophet") || kind === "kalman" && key.startsWith("kalman");
  return Object.fromEntries(Object.entries(fields4).filter(([key]) => matters(key)));
}
function values(domain) {
  if (domain.kind === "choices") return domain.values;
  const all = [];
  for (let at = Math.ceil(domain.min); contains(domain, at); at++) all.push(at);
  return all;
}

// lib/recommend/pool.ts
var MOST_ENTRIES = 2e5;
function tooMany(mode, { most }) {
  const path = "optimization.constraints.max_candidate_gpus";
  const message = `up to ${most} GPUs make more than ${MOST_ENTRIES} combinations of shapes and counts (${mode}): lower it, or say under parallelism which sizes or replicas are wanted`;
  return new ConfigError(`${path}: ${message}`, [
    {
      path,
      message
    }
  ]);
}
var keyOf = (roles) => roles.map((one) => PARALLELISM_KEYS.map(([, key]) => one[key]).join(" ")).join(" | ");
function poolOf(mode, engine, budget, feasibility) {
  const roles = rolesOfMode(mode).map((key) => engine.roles[key]);
  const found = /* @__PURE__ */ new Map();
  const ruledOut = [], warnings = [];
  const listed2 = listedConfigs(roles, budget);
  for (const backend of new Set(engine.backends)) {
    const missing = roles.map((role) => [
      role,
      feasibility.version(role, backend)
    ]).find(([, version]) => version instanceof ConfigError);
    if (missing !== void 0) {
      const reason = missing[1].message;
      ruledOut.push({
        mode,
        backend,
        role: missing[0].key,
        shape: null,
        why: "data",
        reason,
        combinations: 0
      });
      continue;
    }
    const tally = new Tally(mode, backend);
    for (const candidate of listed2 ?? combinations(roles, budget, feasibility)) {
      const gpus = entryGpus(candidate);
      if (gpus > budget.most || gpus < budget.fewest || !wanted(roles, candidate)) continue;
      if (!tally.fits(roles, candidate, feasibility)) continue;
      const key = keyOf(candidate);
      const entry2 = found.get(key) ?? {
        roles: candidate,
        backends: /* @__PURE__ */ new Set()
      };
      entry2.backends.add(backend);
      found.set(key, entry2);
      if (found.size > MOST_ENTRIES) throw tooMany(mode, budget);
    }
    ruledOut.push(...tally.ruledOut);
    warnings.push(...tally.warnings(engine.model));
  }
  const entries = [
    ...found.values()
  ];
  checkListed(mode, roles, listed2, entries, ruledOut);
  return {
    entries: listed2 === null ? entries : inOrder(listed2, found),
    ruledOut,
    warnings
  };
}
var Tally = class {
  mode;
  backend;
  #byShape;
  constructor(mode, backend) {
    this.mode = mode;
    this.backend = backend;
    this.#byShape = /* @__PURE__ */ new Map();
  }
  fits(roles, candidate, feasibility) {
    for (const [i, role] of roles.entries()) {
      const verdict = feasibility.verdict(role, this.backend, candidate[i]);
      if (verdict.fits) continue;
      const shape2 = {
        ...candidate[i],
        replicas: 1
      };
      const key = `${role.key} ${keyOf([
        shape2
      ])}`;
      const known = this.#byShape.get(key) ?? {
        mode: this.mode,
        backend: this.backend,
        role: role.key,
        shape: shape2,
        why: verdict.why,
        reason: verdict.reason,
        combinations: 0
      };
      known.combinations++;
      this.#byShape.set(key, known);
      return false;
    }
    return true;
  }
  get ruledOut() {
    return [
      ...this.#byShape.values()
    ];
  }
  warnings(model) {
    const of = (why) => this.ruledOut.filter((one) => one.why === why);
    const shapes = (all) => all.map(({ role, shape: shape2 }) => `${ROLE_NAMES[role]} ${shapeText(shape2)}`).join(", ");
    const split = of("split"), context = of("context");
    return [
      ...split.length > 0 ? [
        `${model} cannot be split into ${split.length} shape(s) on ${this.backend}: ${shapes(split)}: ${split[0].reason}`
      ] : [],
      ...context.length > 0 ? [
        `${context.length} shape(s) on ${this.backend} cannot hold one sequence of the longest kind (context_length): ${shapes(context)}: ${context[0].reason}`
      ] : []
    ];
  }
};
function shapeText(shape2) {
  const parts = PARALLELISM_KEYS.filter(([key, name]) => key !== "replicas" && shape2[name] !== 1).map(([key, name]) => `${key} ${shape2[name]}`);
  return parts.length > 0 ? parts.join(" ") : "1 GPU";
}
function listedConfigs(roles, budget) {
  const lists = roles.map(({ parallelism }) => parallelism.kind === "listed" ? parallelism.configs : null);
  if (lists.includes(null)) return null;
  const all = lists.reduce((found, list) => found.flatMap((one) => list.map((next) => [
    ...one,
    next
  ])), [
    []
  ]);
  const over = all.find((candidate) => entryGpus(candidate) > budget.most);
  if (over !== void 0) {
    const message = `pinned parallel config ${over.map(shapeAndCount).join(" + ")}: used_gpus=${entryGpus(over)} exceeds gpu_budget=${budget.most} (optimization.constraints.max_candidate_gpus in recommend); remove this preset or increase the GPU budget`;
    throw new ConfigError(message, [
      {
        path: `engine.workers.${ROLE_NAMES[roles[0].key]}.parallelism.preset`,
        message
      }
    ]);
  }
  return all;
}
var shapeAndCount = (one) => `${one.replicas} \xD7 (${shapeText(one)})`;
function* combinations(roles, { most, fewest }, { mixture }) {
  if (roles.length === 1) {
    for (const one of replicaConfigs(workerShapes(mixture, most), most, fewest)) yield [
      one
    ];
    return;
  }
  const each = [
    ...replicaConfigs(workerShapes(mixture, most), most)
  ];
  const smallest = Math.min(...each.map(allGpus));
  const usable = each.filter((one) => allGpus(one) <= most - smallest);
  for (const prefill of usable) {
    for (const decode of usable) yield [
      prefill,
      decode
    ];
  }
}
function unmetWish(mode, engine, budget, feasibility) {
  const free = {
    ...engine,
    roles: {
      ...engine.roles
    }
  };
  for (const key of rolesOfMode(mode)) free.roles[key] = {
    ...engine.roles[key],
    parallelism: {
      kind: "default"
    }
  };
  const { entries } = poolOf(mode, free, budget, feasibility);
  if (entries.length === 0) return null;
  let together = null;
  for (const [i, key] of rolesOfMode(mode).entries()) {
    const { parallelism } = engine.roles[key];
    if (parallelism.kind !== "filtered") continue;
    together ??= {
      path: `engine.workers.${ROLE_NAMES[key]}.parallelism`,
      why: `within ${budget.most} GPUs each of these sizes can be had, but not together`
    };
    for (const [name, size] of PARALLELISM_KEYS) {
      const domain = parallelism.knobs[name];
      const legal = [
        ...new Set(entries.map(({ roles }) => roles[i][size]))
      ].toSorted((a, b) => a - b);
      if (domain === void 0 || legal.some((value) => contains(domain, value))) continue;
      return {
        path: `engine.workers.${ROLE_NAMES[key]}.parallelism.${name}`,
        why: `within ${budget.most} GPUs, ${name} can be ${legal.join(", ")}`
      };
    }
  }
  return together;
}
function wanted(roles, candidate) {
  return roles.every(({ parallelism }, i) => {
    if (parallelism.kind === "default") return true;
    if (parallelism.kind === "listed") return parallelism.configs.some((one) => keyOf([
      one
    ]) === keyOf([
      candidate[i]
    ]));
    return PARALLELISM_KEYS.every(([key, name]) => {
      const domain = parallelism.knobs[key];
      return domain === void 0 || contains(domain, candidate[i][name]);
    });
  });
}
function checkListed(mode, roles, listed2, entries, ruledOut) {
  const list = roles.find(({ parallelism }) => parallelism.kind === "listed");
  if (list === void 0) return;
  const reasons = [
    ...new Set(ruledOut.map(({ backend, reason }) => `${backend}: ${reason}`))
  ].join("; ");
  const why = reasons === "" ? "" : ` (${reasons})`;
  const path = `engine.workers.${ROLE_NAMES[list.key]}.parallelism.preset`;
  let message;
  if (entries.length === 0) {
    message = `deployment_mode='${mode}': no configured backend can run the pinned parallel_configs${why}`;
  } else if (listed2 !== null) {
    const known = new Set(entries.map((entry2) => keyOf(entry2.roles)));
    const illegal = listed2.filter((candidate) => !known.has(keyOf(candidate)));
    if (illegal.length > 0) {
      message = `pinned parallel_configs are legal/KV-feasible for no configured backend: [${illegal.map((candidate) => candidate.map(shapeAndCount).join(" + ")).join(", ")}]${why}`;
    }
  }
  if (message !== void 0) throw new ConfigError(message, [
    {
      path,
      message
    }
  ]);
}
function inOrder(listed2, found) {
  return listed2.map((candidate) => found.get(keyOf(candidate)));
}

// lib/recommend/router_domain.ts
var SEARCHED = {
  overlap_score_credit: [
    0,
    0.5,
    1
  ],
  prefill_load_scale: [
    0,
    0.25,
    0.5,
    1,
    2,
    4,
    8,
    16,
    32
  ],
  temperature: [
    0,
    0.2,
    0.5,
    1
  ]
};
var KNOBS3 = Object.keys(SEARCHED);
var knob = (name) => optional(lazy((value) => {
  if (value === null) return reads(() => new Problem("Value error, Router numeric knobs do not accept null"));
  const exact = steps2(value);
  return exact === void 0 ? numberDomain({
    ge: 0
  }, `router.${name} range requires min >= 0`) : pipe(numberDomain({
    ge: 0
  }, `router.${name} range requires min >= 0`), transform(() => listed(decimalRange(...exact))));
}));
function steps2(value) {
  const range = value?.range;
  if (typeof range !== "object" || range === null) return void 0;
  const { min, max, step } = range;
  const usable = [
    min,
    max,
    step
  ].every((one) => typeof one === "number" && Number.isFinite(one)) && step > 0;
  return usable ? [
    min,
    max,
    step
  ] : void 0;
}
var fields2 = {
  policy: optional(wordDomain([
    "round_robin",
    "kv_router"
  ])),
  prefill_load_model: optional(section("PrefillLoadModelDomain", {
    type: optional(wordDomain([
      "none",
      "ais",
      "aic"
    ]))
  })),
  overlap_score_credit: knob("overlap_score_credit"),
  prefill_load_scale: knob("prefill_load_scale"),
  temperature: knob("temperature")
};
function resolve(written) {
  const policies = (written.policy ?? listed([
    "round_robin",
    "kv_router"
  ])).values;
  const models = written.prefill_load_model?.type;
  const fallback = policies.every((policy2) => policy2 === "round_robin") && written.prefill_load_model === void 0 ? [
    "none"
  ] : [
    "none",
    "ais"
  ];
  return {
    policies,
    loadModels: models?.values ?? fallback,
    knobs: Object.fromEntries(KNOBS3.map((name) => [
      name,
      written[name] ?? listed(SEARCHED[name])
    ]))
  };
}
var routerSearch = pipe(section("RouterDomain", fields2, [
  (written) => {
    const { policies, loadModels } = resolve(written);
    if (policies.includes("round_robin") && !policies.includes("kv_router")) {
      if (loadModels.some((model) => model !== "none")) {
        return `router.policy=round_robin rejects prefill_load_model.type ${quoteList(loadModels.toSorted())}; only 'none' is allowed`;
      }
      const given = KNOBS3.filter((name) => written[name] !== void 0);
      if (given.length > 0) {
        return `router.policy=round_robin rejects KV-router fields ${quoteList(given.toSorted())}`;
      }
    } else if (policies.includes("round_robin") && !loadModels.includes("none")) {
      return "router policy domain containing round_robin requires prefill_load_model.type to include none";
    }
  }
]), transform(resolve));
var PREFIX2 = "adapter::dynamo.router::";
var MODE = `${PREFIX2}mode`;
var LOAD_MODEL = `${PREFIX2}prefill_load_model_type`;
function routerSpace({ policies, loadModels, knobs }) {
  if (!policies.includes("kv_router")) return {
    ...NO_SPACE,
    choices: /* @__PURE__ */ new Map([
      [
        MODE,
        policies
      ]
    ])
  };
  const choices2 = /* @__PURE__ */ new Map([
    [
      LOAD_MODEL,
      loadModels
    ]
  ]);
  const floats = /* @__PURE__ */ new Map();
  const log = [];
  for (const name of KNOBS3) {
    const domain = knobs[name];
    if (domain.kind === "choices") choices2.set(PREFIX2 + name, domain.values);
    else if (domain.min === domain.max) choices2.set(PREFIX2 + name, [
      domain.min
    ]);
    else {
      floats.set(PREFIX2 + name, [
        domain.min,
        domain.max
      ]);
      if (domain.kind === "continuous" && domain.log) log.push(PREFIX2 + name);
    }
  }
  if (policies.length === 1) return {
    choices: new Map([
      [
        MODE,
        policies
      ],
      ...choices2
    ]),
    floats,
    log,
    conditional: []
  };
  return {
    choices: /* @__PURE__ */ new Map([
      [
        MODE,
        policies
      ]
    ]),
    floats: /* @__PURE__ */ new Map(),
    log: [],
    conditional: [
      {
        selector: MODE,
        values: [
          "kv_router"
        ],
        choices: choices2,
        floats,
        log: new Set(log)
      }
    ]
  };
}
function routerOf(values2) {
  if (values2[MODE] === "round_robin") return {
    policy: "round_robin",
    prefill_load_model: {
      type: "none"
    }
  };
  return {
    policy: "kv_router",
    prefill_load_model: {
      type: values2[LOAD_MODEL]
    },
    ...Object.fromEntries(KNOBS3.map((name) => [
      name,
      values2[PREFIX2 + name]
    ]))
  };
}

// lib/recommend/space.ts
async function searchSpace(search, catalog = new PerfCatalog()) {
  const { engine, optimization, optimizer } = search;
  const model = await loadModel(engine.model);
  for (const role of Object.values(engine.roles)) catalog.system(role.hardware);
  const context = engine.contextLength === "max" ? maxContextLength(model) : engine.contextLength;
  const feasibility = new Feasibility(model.facts, catalog, engine, context);
  const { max_candidate_gpus: most, min_candidate_gpus: fewest } = optimization.constraints;
  const planner = search.planner && new PlannerSpace(search.planner, {
    target: optimization.target,
    sla: search.sla,
    minGpus: fewest
  });
  const sections = (mode) => search.sections.map((section2) => section2 === "planner" ? planner?.space(mode) ?? NO_SPACE : section2 === "router" && search.router ? routerSpace(search.router) : NO_SPACE);
  const branches = [], ruledOut = [], warnings = [], skipped = [];
  for (const mode of engine.modes) {
    const pool = poolOf(mode, engine, {
      most,
      fewest: fewest ?? 0
    }, feasibility);
    ruledOut.push(...pool.ruledOut);
    warnings.push(...pool.warnings);
    if (pool.entries.length === 0) {
      skipped.push(mode);
      continue;
    }
    const backends = [
      ...new Set(engine.backends)
    ].filter((backend) => pool.entries.some((entry2) => entry2.backends.has(backend)));
    const parameters = ownParameters(search, mode, backends);
    const branch = {
      mode,
      pool: pool.entries,
      ...parameters,
      conditional: [],
      smallestFirst: optimization.target === "min_gpus"
    };
    branches.push(withSections(branch, sections(mode)));
  }
  if (branches.length === 0) {
    const unmet = skipped.map((mode) => unmetWish(mode, engine, {
      most,
      fewest: 0
    }, feasibility)).find((found) => found !== null);
    throw nothingLegal(skipped, ruledOut, most, engine.model, ruledOut.length === 0 ? unmet : void 0);
  }
  for (const mode of skipped) {
    warnings.push(`deployment mode ${mode} is skipped: no configured backend has a viable parallel config within ${most} GPUs`);
  }
  if (optimizer.max_trials < branches.length) {
    const message = `optimizer.max_trials must be at least the number of active deployment branches (${branches.length})`;
    throw new ConfigError(message, [
      {
        path: "optimizer.max_trials",
        message
      }
    ]);
  }
  const predictors = planner && planner.choosePredictors(await buckets(search, planner));
  return {
    branches,
    ruledOut,
    warnings,
    feasibility,
    contextTokens: context,
    planner,
    predictors
  };
}
function ownParameters(search, mode, backends) {
  const { engine: { roles }, traffic } = search;
  const own = rolesOfMode(mode).map((key) => roles[key]);
  const choices2 = /* @__PURE__ */ new Map();
  const integers2 = /* @__PURE__ */ new Map();
  const floats = /* @__PURE__ */ new Map();
  const log = /* @__PURE__ */ new Set();
  const add = (name, domain2) => {
    if (domain2.kind === "choices") choices2.set(name, domain2.values);
    else {
      (domain2.kind === "integers" ? integers2 : floats).set(name, [
        domain2.min,
        domain2.max
      ]);
      if (domain2.kind === "integers" || domain2.log) log.add(name);
    }
  };
  for (const { key, tokens, sequences } of own) {
    add(`${key}_max_num_batched_tokens`, tokens);
    add(`${key}_max_num_seqs`, sequences);
  }
  const searched = (role, part) => {
    const domain2 = role[part];
    return domain2 !== null && !(domain2.kind === "choices" && domain2.pinned) ? domain2 : null;
  };
  for (const role of own) {
    const blockSize = searched(role, "blockSize"), fraction = searched(role, "memoryFraction");
    if (blockSize) add(`${role.key}_block_size`, blockSize);
    if (fraction) add(`${role.key}_gpu_memory_utilization`, fraction);
  }
  choices2.set("backend", backends);
  const { field, domain } = traffic;
  if (domain.kind !== "choices" || !domain.pinned) add("traffic_load", domain);
  else if (field === "fraction") choices2.set("kv_load_ratio", domain.values);
  return {
    choices: choices2,
    integers: integers2,
    floats,
    log
  };
}
function nothingLegal(skipped, ruledOut, budget, model, unmet) {
  const message = `no deployment_mode has a viable parallel config (skipped [${skipped.map((mode) => `'${mode}'`).join(", ")}]); check backends / model / hardware / gpu_budget=${budget}`;
  if (unmet !== void 0) return new ConfigError(message, [
    {
      path: unmet.path,
      message,
      hint: unmet.why
    }
  ]);
  const reasons = [
    ...new Set(ruledOut.map(({ backend, reason }) => `${backend}: ${reason}`))
  ];
  const most = reasons.slice(0, 4).join("; ") + (reasons.length > 4 ? `; and ${reasons.length - 4} more reasons` : "");
  const path = ruledOut.some(({ why }) => why === "context") ? "engine.context_length" : ruledOut.some(({ why }) => why === "model") ? "optimization.constraints.max_candidate_gpus" : "engine";
  return new ConfigError(message, [
    {
      path,
      message,
      hint: most === "" ? void 0 : `${model}: ${most}`
    }
  ]);
}
async function buckets({ traffic: { prediction: { source } } }, planner) {
  const usable = source.type === "trace" && [
    "mooncake",
    "dynamo"
  ].includes(source.format ?? "mooncake");
  if (planner.intervals.length === 0 || !usable) return null;
  const traces = await Promise.all(source.paths.map((path) => readWarmupTrace(path)));
  const cut = (intervalSeconds) => traces[0].intervals(intervalSeconds);
  return traces.length === 1 ? cut : null;
}

// lib/recommend/candidate_document.ts
function documentOf({ mode, backend, values: values2 }, knobs, load3, search, space) {
  const { traffic, engine, sla, price, resources, sections, written } = search;
  const planner = space.planner?.planner(values2) ?? null;
  const scales = planner?.policy === "enabled" || search.autoscaler !== null;
  const { mode: _mode, backend: _backend, backend_version: _version, kv_transfer, nextn: _nextn, ...rest } = engine.written;
  const choice = scales || Math.max(...knobs.map(({ shape: shape2 }) => shape2.replicas * shape2.attentionData)) > 1;
  const router = choice ? routerOf(values2) : ONE_WORKER_ROUTER;
  const adapters = {
    router: () => router,
    planner: () => planner,
    autoscaler: () => autoscalerOf(knobs, search)
  };
  const bounds = Object.entries(sla ?? {}).filter(([, bound]) => bound !== null);
  const evaluation = {
    ...bounds.length > 0 ? {
      sla: Object.fromEntries(bounds)
    } : {},
    ...price === null ? {} : {
      price_per_gpu_hour: price.perGpuHour,
      currency: price.currency ?? CURRENCY
    }
  };
  return {
    traffic: {
      ...traffic.prediction,
      load: {
        ...traffic.prediction.load,
        ...loadFields(load3, traffic)
      },
      ...stopOf(traffic.prediction.stop)
    },
    engine: {
      ...rest,
      mode: mode === "agg" ? "aggregated" : "disaggregated",
      backend,
      backend_version: knobs[0].version,
      context_length: space.contextTokens,
      workers: Object.fromEntries(knobs.map((one) => [
        ROLE_NAMES[one.role.key],
        workerOf(one)
      ])),
      ...mode === "agg" ? {} : {
        kv_transfer: kv_transfer ?? {}
      }
    },
    ...Object.keys(evaluation).length > 0 ? {
      evaluation
    } : {},
    ...Object.hasOwn(written, "execution") ? {
      execution: {
        resources
      }
    } : {},
    ...Object.fromEntries(sections.map((section2) => [
      section2,
      adapters[section2]()
    ]))
  };
}
function autoscalerOf(knobs, { written }) {
  const autoscaler = written.autoscaler;
  const names = knobs.map(({ role }) => ROLE_NAMES[role.key]).filter((name) => autoscaler.workers[name] != null);
  return {
    ...autoscaler,
    workers: Object.fromEntries(names.map((name) => [
      name,
      autoscaler.workers[name]
    ]))
  };
}
function loadFields(load3, { field, prediction }) {
  if (field === "fraction") return {
    type: "concurrency",
    concurrency: load3
  };
  if (field === "speedup" && prediction.load.speedup == null) return {};
  return {
    [field]: load3
  };
}
function stopOf(stop) {
  return stop?.max_virtual_time_seconds == null ? {} : {
    stop: {
      cutoff: "hard",
      ...stop
    }
  };
}
var ONE_WORKER_ROUTER = {
  policy: "round_robin",
  prefill_load_model: {
    type: "none"
  }
};
function workerOf({ role, shape: shape2, tokens, sequences, blockTokens, memoryFraction }) {
  const { written, fixedBlocks } = role;
  const { block_size: _size, capacity: capacity3, ...cache } = written.kv_cache ?? {};
  return {
    parallelism: {
      replicas: shape2.replicas,
      tensor: shape2.tensor,
      pipeline: shape2.pipeline,
      attention_data: shape2.attentionData,
      moe_tensor: shape2.moeTensor,
      moe_expert: shape2.moeExpert
    },
    scheduler: {
      max_batched_tokens: tokens,
      max_sequences: sequences
    },
    kv_cache: {
      block_size: blockTokens,
      prefix_caching: true,
      bytes_per_token: "auto",
      ...cache,
      capacity: fixedBlocks !== null ? {
        type: "fixed",
        blocks: fixedBlocks
      } : {
        type: "default",
        memory_fraction: memoryFraction,
        ...capacity3?.cuda_graph_reserved_bytes == null ? {} : {
          cuda_graph_reserved_bytes: capacity3.cuda_graph_reserved_bytes
        }
      }
    },
    timing: written.timing ?? {
      type: "default"
    },
    startup_seconds: written.startup_seconds ?? 0,
    ...role.key === "agg" || written.hardware == null ? {} : {
      hardware: written.hardware
    },
    ...role.contextLength === null ? {} : {
      context_length: role.contextLength
    }
  };
}

// lib/recommend/candidate_load.ts
function loadOf({ values: values2 }, knobs, { field, domain, lengths, prediction }, space) {
  const drawn = values2.traffic_load;
  const pinned2 = domain.kind === "choices" ? domain.values[0] : domain.min;
  if (field === "fraction") return fractionOf(drawn ?? pinned2, knobs, lengths, drawn !== void 0, space);
  const value = field === "concurrency" ? Math.max(1, roundHalfEven(drawn ?? pinned2)) : drawn ?? pinned2;
  const name = field === "speedup" ? "arrival_speedup_ratio" : field !== "concurrency" ? "request_rate" : prediction.source.type === "trace" ? "replay_concurrency" : "concurrency";
  const both = field === "concurrency" ? {
    concurrency: value,
    [name]: value
  } : {
    [name]: value
  };
  if (drawn === void 0) return {
    value,
    config: field === "concurrency" ? both : {}
  };
  return {
    value,
    config: {
      traffic_load: value,
      ...both
    }
  };
}
function fractionOf(fraction, knobs, { input, output }, searched, space) {
  const config = {
    kv_load_ratio: fraction
  };
  if (searched) config.traffic_load = fraction;
  let capacity3 = 0;
  for (const { role, shape: shape2, tokens, blockTokens, memoryFraction, backend } of knobs) {
    const perRank = role.fixedBlocks !== null ? role.fixedBlocks * blockTokens : Math.floor(space.feasibility.tokens(role, backend, shape2, tokens, memoryFraction) / blockTokens) * blockTokens;
    capacity3 = perRank * shape2.attentionData * shape2.replicas;
    config[`${role.key}_kv_capacity_tokens`] = capacity3;
  }
  const requests = Math.floor(capacity3 / (input + Math.floor(output / 2)));
  if (requests < 1) {
    return {
      reason: `candidate KV capacity infeasible: ${capacity3} tokens hold no request of ${input} prompt and ${output} output tokens`
    };
  }
  const value = Math.max(1, Math.trunc(fraction * requests));
  return {
    value,
    config: {
      ...config,
      concurrency: value,
      kv_load_capacity_tokens: capacity3,
      kv_load_concurrency_capacity: requests
    }
  };
}

// lib/recommend/candidate_sample.ts
function sampleOf({ mode, backend, values: values2 }, knobs, search, space) {
  const { engine, optimization, router, planner, autoscaler } = search;
  const own = Object.entries(values2).filter(([name]) => !name.startsWith("adapter::"));
  const sample = {
    deployment_mode: mode,
    backend,
    backend_version: knobs[0].version,
    model_name: engine.model,
    hardware_sku: engine.hardware,
    gpu_budget: optimization.constraints.max_candidate_gpus,
    context_length: space.contextTokens,
    ...Object.fromEntries(own)
  };
  if (optimization.constraints.min_candidate_gpus !== null) {
    sample.min_gpu_budget = optimization.constraints.min_candidate_gpus;
  }
  for (const { role, shape: shape2 } of knobs) describeRole(sample, role, shape2);
  const transfer = engine.written.kv_transfer;
  if (mode === "disagg") sample.kv_transfer_timing_mode = transfer?.timing_mode ?? "destination_missing";
  if (mode === "disagg" && transfer) {
    sample.kv_transfer_bytes_per_token = transfer.bytes_per_token ?? "auto";
    if (transfer.bandwidth_gb_per_second != null) sample.kv_transfer_bandwidth = transfer.bandwidth_gb_per_second;
  }
  if (autoscaler) sample.autoscaler = autoscaler.type;
  const adapters = {};
  if (router) adapters["dynamo.router"] = routerOf(values2);
  if (planner) adapters["dynamo.planner"] = space.planner.planner(values2);
  return Object.keys(adapters).length > 0 ? {
    ...sample,
    adapters
  } : sample;
}
function describeRole(sample, role, shape2) {
  const { key, written, fixedBlocks } = role;
  const prefix = key === "agg" ? "" : `${key}_`;
  const sizes = {
    tp: shape2.tensor,
    pp: shape2.pipeline,
    attention_dp: shape2.attentionData,
    moe_tp: shape2.moeTensor,
    moe_ep: shape2.moeExpert,
    replicas: shape2.replicas,
    strategy: strategyOf(shape2)
  };
  for (const [name, size] of Object.entries(sizes)) sample[prefix + name] = size;
  const cache = written.kv_cache ?? {}, timing = written.timing ?? {};
  const details = {
    block_size: role.blockSize?.kind === "choices" && role.blockSize.pinned ? role.blockSize.values[0] : void 0,
    gpu_memory_utilization: role.memoryFraction?.kind === "choices" && role.memoryFraction.pinned ? role.memoryFraction.values[0] : void 0,
    num_gpu_blocks: fixedBlocks ?? void 0,
    enable_prefix_caching: cache.prefix_caching ?? true,
    kv_bytes_per_token: cache.bytes_per_token ?? "auto",
    startup_time: written.startup_seconds ?? 0,
    timing_model: timing.type === void 0 || timing.type === "default" ? void 0 : timing,
    hardware_sku: key === "agg" ? void 0 : role.hardware,
    context_length: role.contextLength ?? void 0
  };
  for (const [name, value] of Object.entries(details)) if (value !== void 0) sample[`${key}_${name}`] = value;
}

// lib/recommend/candidate.ts
var BLOCK_TOKENS = {
  vllm: 64,
  sglang: 1,
  trtllm: 32
};
var CandidateMaker = class {
  #search;
  #space;
  constructor(search, space) {
    this.#search = search;
    this.#space = space;
  }
  /** The space whose suggestions are made concrete. */
  get space() {
    return this.#space;
  }
  /** The candidate that a suggestion stands for. */
  make(suggestion) {
    const { engine } = this.#search;
    const knobs = rolesOfMode(suggestion.mode).map((key, i) => this.#knobs(engine.roles[key], suggestion, i));
    const usedGpus = entryGpus(suggestion.roles);
    const config = {
      ...sampleOf(suggestion, knobs, this.#search, this.#space),
      used_gpus: usedGpus
    };
    const small = knobs.find(({ blockTokens }) => suggestion.backend !== "sglang" && blockTokens < 2);
    const refuse = (category, reason) => ({
      suggestion,
      usedGpus,
      config,
      document: null,
      refusal: {
        category,
        reason
      }
    });
    if (small !== void 0) {
      return refuse("adapter_constraint", `candidate adapter selection infeasible: generated prediction config is infeasible: ${ROLE_NAMES[small.role.key]} KV block_size ${small.blockTokens} is not supported by ${suggestion.backend}; it requires block_size >= 2`);
    }
    const grown = this.#grownGpus(knobs), { max_candidate_gpus: budget } = this.#search.optimization.constraints;
    if (grown > budget) {
      return refuse("gpu_budget", `the autoscaler may grow it to ${grown} GPUs, more than max_candidate_gpus=${budget}`);
    }
    const load3 = loadOf(suggestion, knobs, this.#search.traffic, this.#space);
    if ("reason" in load3) return refuse("kv_capacity", load3.reason);
    Object.assign(config, load3.config);
    return {
      suggestion,
      usedGpus,
      config,
      document: documentOf(suggestion, knobs, load3.value, this.#search, this.#space),
      refusal: null
    };
  }
  /** GPUs of a deployment with as many workers as its autoscaler may start. */
  #grownGpus(knobs) {
    const { autoscaler } = this.#search;
    return knobs.reduce((sum, { role, shape: shape2 }) => {
      const { most = 0 } = autoscaler?.roles[ROLE_NAMES[role.key]] ?? {};
      return sum + workerGpus(shape2) * Math.max(shape2.replicas, most);
    }, 0);
  }
  #knobs(role, { backend, roles, values: values2 }, i) {
    const value = (name) => values2[`${role.key}_${name}`];
    const written = (domain) => domain?.kind === "choices" ? domain.values[0] : void 0;
    const version = this.#space.feasibility.version(role, backend);
    if (version instanceof ConfigError) throw version;
    return {
      role,
      shape: roles[i],
      tokens: value("max_num_batched_tokens"),
      sequences: value("max_num_seqs"),
      blockTokens: value("block_size") ?? written(role.blockSize) ?? BLOCK_TOKENS[backend],
      memoryFraction: value("gpu_memory_utilization") ?? written(role.memoryFraction) ?? DEFAULT_MEMORY_FRACTION[backend],
      version,
      backend
    };
  }
};

// lib/recommend/replays.ts
var LOOK = 32;
var AHEAD = 4;
var Replays = class {
  #runner;
  #options;
  #ended = new AbortController();
  #signal;
  #replays = /* @__PURE__ */ new Map();
  #families = /* @__PURE__ */ new Map();
  /** Wanted ones in their order; those before the head are no longer waiting. */
  #queue = [];
  #head = 0;
  #ahead = /* @__PURE__ */ new Set();
  #foreseen;
  #running = 0;
  constructor(runner, options) {
    this.#runner = runner;
    this.#options = options;
    this.#foreseen = options.foreseen ?? null;
    const { signal } = options;
    this.#signal = signal === void 0 ? this.#ended.signal : AbortSignal.any([
      signal,
      this.#ended.signal
    ]);
    this.#signal.addEventListener("abort", () => this.#giveUp(this.#signal.reason), {
      once: true
    });
  }
  /** The replay of a trial that has a document: its name, and what comes of it. */
  want(document2, requests) {
    const replay = this.#replay(document2, requests), { job, outcome: outcome2 } = replay;
    if (!replay.wanted) {
      replay.wanted = true;
      this.#ahead.delete(replay);
      if (replay.state === "waiting") this.#queue.push(replay);
    }
    if (this.#signal.aborted) this.#giveUp(this.#signal.reason);
    this.#fill();
    return {
      job,
      outcome: outcome2.promise
    };
  }
  /** Ends what is under way; nobody wants it any more. */
  close() {
    this.#ended.abort(new Error("the search is over"));
  }
  #replay(document2, requests) {
    const { names, stack, known } = this.#options;
    const job = names.of(document2, stack, requests);
    let replay = this.#replays.get(job);
    if (replay !== void 0) return replay;
    const family = this.#family(document2, requests);
    replay = {
      job,
      document: document2,
      requests,
      family,
      limits: limitsOf(document2),
      wanted: false,
      state: "waiting",
      known: null,
      outcome: Promise.withResolvers()
    };
    replay.outcome.promise.catch(() => {
    });
    this.#replays.set(job, replay);
    family.push(replay);
    const same = known?.get(job) ?? family.find((other) => isSame(other, replay))?.known;
    if (same) this.#settle(replay, same);
    return replay;
  }
  #family(document2, requests) {
    const key = familyOf(document2, requests);
    let family = this.#families.get(key);
    if (family === void 0) this.#families.set(key, family = []);
    return family;
  }
  /** Hands replays to the runner: one more than run at once, so that nobody waits for the next. */
  #fill() {
    while (this.#running <= this.#runner.parallel && !this.#signal.aborted) {
      const replay = this.#next();
      if (replay === null) return;
      void this.#run(replay);
    }
  }
  /**
   * What is done next. While another one of its family runs, a replay waits for what comes of that, as long as there is
   * something else to do.
   */
  #next() {
    while (this.#head < this.#queue.length && this.#queue[this.#head].state !== "waiting") this.#head++;
    if (this.#head > LOOK) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    let first = null;
    for (let i = this.#head, left = LOOK; i < this.#queue.length && left > 0; i++) {
      const replay = this.#queue[i];
      if (replay.state !== "waiting") continue;
      if (isFree(replay)) return replay;
      first ??= replay;
      left--;
    }
    if (this.#running >= this.#runner.parallel) return null;
    return this.#nextForeseen() ?? first;
  }
  #nextForeseen() {
    for (const replay of this.#ahead) if (replay.state === "waiting" && isFree(replay)) return replay;
    if (this.#runner.parallel === 1) return null;
    while (this.#foreseen !== null && this.#ahead.size < AHEAD * this.#runner.parallel) {
      const { done, value } = this.#foreseen.next();
      if (done) {
        this.#foreseen = null;
        return null;
      }
      const { candidate: { document: document2 }, requests } = value;
      if (document2 === null) continue;
      const replay = this.#replay(document2, requests);
      if (replay.wanted) continue;
      this.#ahead.add(replay);
      if (replay.state === "waiting" && isFree(replay)) return replay;
    }
    return null;
  }
  async #run(replay) {
    const { stack, timeoutSeconds } = this.#options, { job: id, document: document2, requests } = replay;
    replay.state = "running";
    this.#running++;
    try {
      const data = {
        ask: "replay",
        document: document2,
        stack,
        requests
      };
      const outcome2 = await this.#runner.do({
        id,
        data
      }, {
        timeoutSeconds,
        signal: this.#signal
      });
      this.#settle(replay, outcome2);
    } catch (problem) {
      replay.state = "over";
      replay.outcome.reject(problem);
    } finally {
      this.#running--;
      this.#fill();
    }
  }
  #settle(replay, outcome2) {
    replay.state = "over";
    replay.known = outcome2;
    replay.outcome.resolve(outcome2);
    for (const other of replay.family) {
      if (other.state === "waiting" && isSame(replay, other)) this.#settle(other, outcome2);
    }
  }
  #giveUp(reason) {
    for (const replay of this.#replays.values()) {
      if (replay.state !== "waiting") continue;
      replay.state = "over";
      replay.outcome.reject(reason);
    }
  }
};
var familyOf = (document2, requests) => canonicalJson({
  document: withoutLimits(document2),
  requests
});
var isFree = ({ family }) => family.every(({ state }) => state !== "running");
function isSame(done, other) {
  if (done.known?.status !== "done" || !done.known.result.ok || !("metrics" in done.known.result)) return false;
  const { sequences } = done.known.result;
  return sequences !== void 0 && sequences.length === done.limits.length && sequences.every((needed, role) => done.limits[role] === other.limits[role] || needed <= Math.min(done.limits[role], other.limits[role]));
}
var ROLES = [
  "aggregated",
  "prefill",
  "decode"
];
var limitsOf = ({ engine: { workers } }) => ROLES.filter((role) => Object.hasOwn(workers, role)).map((role) => workers[role].scheduler.max_sequences);
function withoutLimits(document2) {
  const workers = Object.entries(document2.engine.workers).map(([role, worker2]) => {
    const { max_sequences: _2, ...scheduler } = worker2.scheduler;
    return [
      role,
      {
        ...worker2,
        scheduler
      }
    ];
  });
  return {
    ...document2,
    engine: {
      ...document2.engine,
      workers: Object.fromEntries(workers)
    }
  };
}

// lib/recommend/score.ts
var PARETO = [
  "throughput_per_gpu",
  "throughput_per_user"
];
var LESS_IS_BETTER = [
  "ttft",
  "e2e_latency",
  "min_gpus"
];
var number2 = (metrics2, name) => metrics2[name] ?? 0;
function averageGpus(metrics2) {
  const hours = number2(metrics2, "gpu_hours"), duration = number2(metrics2, "duration_ms");
  return hours > 0 && duration > 0 ? hours / (duration / 36e5) : 0;
}
function objective(target, metrics2, usedGpus) {
  const perGpu = (value) => {
    const gpus = averageGpus(metrics2);
    return gpus > 0 ? value / gpus : 0;
  };
  const latency = (name) => {
    const mean = metrics2[`mean_${name}_ms`];
    return number2(metrics2, `num_${name}_samples`) > 0 && mean != null && Number.isFinite(mean) ? mean : Infinity;
  };
  switch (target) {
    case "throughput":
      return number2(metrics2, "output_throughput_tok_s");
    case "throughput_per_gpu":
      return perGpu(number2(metrics2, "output_throughput_tok_s"));
    case "throughput_per_user":
      return number2(metrics2, "mean_output_token_throughput_per_user");
    case "goodput":
      return number2(metrics2, "goodput_output_throughput_tok_s");
    case "goodput_per_gpu":
      return perGpu(number2(metrics2, "goodput_output_throughput_tok_s"));
    case "ttft":
      return latency("ttft");
    case "e2e_latency":
      return latency("e2e_latency");
    case "min_gpus":
      return usedGpus;
  }
}
var short = (value) => String(Number(value.toPrecision(6)));
function slaViolation(metrics2, sla) {
  const checks = [
    [
      "ttft",
      "mean_ttft_ms",
      "num_ttft_samples",
      sla.ttft_ms
    ],
    [
      "tpot",
      "mean_tpot_ms",
      "num_tpot_samples",
      sla.itl_ms
    ],
    [
      "e2e",
      "mean_e2e_latency_ms",
      "num_e2e_latency_samples",
      sla.e2e_ms
    ]
  ];
  if (number2(metrics2, "completed_requests") <= 0) return "no request completed";
  const broken = checks.flatMap(([label, mean, samples, bound]) => {
    if (bound === null) return [];
    const value = metrics2[mean];
    if (value == null || number2(metrics2, samples) <= 0) return [
      `${label} has no samples`
    ];
    return value <= bound ? [] : [
      `${label} ${short(value)}ms > ${short(bound)}ms`
    ];
  });
  return broken.length > 0 ? broken.join("; ") : null;
}
function assess(goal, metrics2, usedGpus) {
  const { target, sla, strictSla, minGoodputRps, minAttainment, gpuBudget } = goal;
  const out = (category, reason) => ({
    status: category === "invalid_metrics" ? "failed" : "infeasible",
    category,
    reason,
    score: null,
    objectives: null
  });
  const odd = Object.entries(metrics2).find(([name, value2]) => value2 === null ? !name.startsWith("power") : !Number.isFinite(value2));
  if (odd !== void 0) return out("invalid_metrics", `replay metric ${odd[0]} is not a finite number`);
  if (usedGpus > gpuBudget) return out("gpu_budget", `candidate uses ${usedGpus} GPUs, over gpu_budget=${gpuBudget}`);
  if (sla !== null && (strictSla || target === "min_gpus")) {
    const violation = slaViolation(metrics2, sla);
    if (violation !== null) return out("sla_constraint", `strict aggregate SLA violation: ${violation}`);
  }
  if (minAttainment !== null) {
    const share = attainment(metrics2) ?? 0;
    if (!(share >= minAttainment)) {
      const reason = `attainment constraint: ${short(share)} of the requests within the SLA < min_attainment=`;
      return out("sla_constraint", reason + short(minAttainment));
    }
  }
  const goodput = metrics2.goodput_request_throughput_rps;
  if (minGoodputRps !== null && !(goodput != null && goodput >= minGoodputRps)) {
    return out("load_constraint", `minimum goodput constraint: goodput_request_throughput_rps=${short(goodput ?? 0)} < min_goodput_rps=${short(minGoodputRps)}`);
  }
  if (target === "pareto") {
    const objectives = Object.fromEntries(PARETO.map((name) => [
      name,
      objective(name, metrics2, usedGpus)
    ]));
    return {
      status: "feasible",
      score: objectives[PARETO[0]],
      objectives
    };
  }
  const value = objective(target, metrics2, usedGpus);
  if (value === Infinity) {
    const samples = `num_${target}_samples`;
    return out("no_samples", `${target} objective has no qualifying samples (${samples}=${number2(metrics2, samples)})`);
  }
  return {
    status: "feasible",
    score: LESS_IS_BETTER.includes(target) ? -value : value,
    objectives: null
  };
}
function ranking(target, candidates2) {
  const text2 = new Map(candidates2.map((one) => [
    one,
    compactJson(one.config)
  ]));
  const byText = (a, b) => text2.get(a) < text2.get(b) ? -1 : text2.get(a) > text2.get(b) ? 1 : 0;
  const goodput = (one) => number2(one.metrics, "goodput_output_throughput_tok_s");
  const latency = (one) => one.metrics.mean_e2e_latency_ms ?? Infinity;
  return candidates2.toSorted(target === "min_gpus" ? (a, b) => a.usedGpus - b.usedGpus || goodput(b) - goodput(a) || latency(a) - latency(b) || byText(a, b) : (a, b) => b.score - a.score || a.usedGpus - b.usedGpus || byText(a, b));
}
function paretoFront(candidates2) {
  const [gpu, user] = PARETO;
  const at = (one, name) => one.objectives[name];
  const sorted = candidates2.toSorted((a, b) => at(b, gpu) - at(a, gpu) || at(b, user) - at(a, user));
  const front = [];
  let best2 = -Infinity, bestGpu = Infinity;
  for (const one of sorted) {
    const equal = at(one, user) === best2 && at(one, gpu) === bestGpu;
    if (at(one, user) <= best2 && !equal) continue;
    front.push(one);
    [best2, bestGpu] = [
      at(one, user),
      at(one, gpu)
    ];
  }
  const text2 = new Map(front.map((one) => [
    one,
    compactJson(one.config)
  ]));
  return front.toSorted((a, b) => at(a, user) - at(b, user) || at(b, gpu) - at(a, gpu) || a.usedGpus - b.usedGpus || (text2.get(a) < text2.get(b) ? -1 : 1));
}

// lib/recommend/evaluator.ts
var Evaluator = class {
  #replays;
  #options;
  /** Asked anew each time: machines join and leave. */
  #parallel;
  constructor(runner, options) {
    this.#parallel = () => runner.parallel;
    this.#replays = new Replays(runner, options);
    this.#options = options;
  }
  /**
   * Evaluates trials, yielding each result as soon as those before it are there. Trials are taken as they are needed.
   *
   * @throws the reason of the signal, when it is aborted
   */
  async *evaluate(trials) {
    const untried = trials[Symbol.iterator]();
    const pending = [];
    let more = true;
    for (let done = 0; ; done++) {
      while (more && pending.length < done + LOOK + 2 * this.#parallel()) {
        const { done: end, value } = untried.next();
        if (end) more = false;
        else {
          const result = this.#one(value);
          result.catch(() => {
          });
          pending.push(result);
        }
      }
      if (done === pending.length) return;
      yield await pending[done];
      pending[done] = null;
    }
  }
  /** Ends replays that nobody waits for. */
  close() {
    this.#replays.close();
  }
  async #one(trial) {
    const { candidate, requests } = trial;
    if (candidate.document === null) return refused2(trial);
    const { job, outcome: outcome2 } = this.#replays.want(candidate.document, requests);
    return this.#judge(trial, job, await outcome2);
  }
  #judge(trial, job, outcome2) {
    const base = nothing(trial, job, outcome2);
    const { goal, timeoutSeconds } = this.#options;
    if (outcome2.status === "timeout") {
      return {
        ...base,
        status: "timed_out",
        category: "runtime_timeout",
        reason: `exceed runtime: replay > ${timeoutSeconds}s`
      };
    }
    if (outcome2.status === "failed") {
      const memory = /memory/i.test(outcome2.reason);
      return memory ? {
        ...base,
        status: "resource_limited",
        category: "resource_limit",
        reason: outcome2.reason
      } : {
        ...base,
        status: "failed",
        category: "replay_runtime",
        reason: `replay failed: ${outcome2.reason}`
      };
    }
    const answer = outcome2.result;
    if (!answer.ok) {
      const status = answer.category === "adapter_constraint" ? "infeasible" : "failed";
      return {
        ...base,
        status,
        category: answer.category,
        reason: answer.reason
      };
    }
    if (!("metrics" in answer)) throw new TypeError("a replay was answered with something else");
    const { metrics: metrics2 } = answer;
    const judged = assess(goal, metrics2, trial.candidate.usedGpus);
    if (judged.status === "feasible") {
      return {
        ...base,
        status: "feasible",
        score: judged.score,
        objectives: judged.objectives,
        metrics: metrics2
      };
    }
    return {
      ...base,
      status: judged.status,
      category: judged.category,
      reason: judged.reason,
      metrics: metrics2
    };
  }
};
var refused2 = (trial) => ({
  ...nothing(trial, null, null),
  status: "infeasible",
  ...trial.candidate.refusal
});
var nothing = (trial, job, outcome2) => ({
  trial,
  job,
  outcome: outcome2,
  status: "failed",
  score: null,
  objectives: null,
  metrics: null,
  category: null,
  reason: null
});

// lib/recommend/exhaustive_search.ts
var Distinct = class {
  #seen = /* @__PURE__ */ new Set();
  /** Whether the candidate's deployment is new. */
  isNew({ document: document2, config }) {
    const key = canonicalJson(document2 ?? config);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
};
function* distinctCandidates(suggestions, maker, distinct = new Distinct()) {
  for (const suggestion of suggestions) {
    const candidate = maker.make(suggestion);
    if (distinct.isNew(candidate)) yield candidate;
  }
}
function* exhaustiveSearch(candidates2) {
  yield trialsOf(candidates2);
}
function* trialsOf(candidates2) {
  for (const candidate of candidates2) yield {
    candidate,
    requests: null
  };
}

// lib/recommend/foreseen.ts
function* foreseen(strategy) {
  let step = strategy.next();
  while (!step.done) {
    const results = [];
    for (const trial of step.value) {
      yield trial;
      results.push(hoped(trial));
    }
    step = strategy.next(results);
  }
}
var hoped = (trial) => {
  const result = refused2(trial);
  return trial.candidate.document === null ? result : {
    ...result,
    status: "feasible"
  };
};

// lib/recommend/halving_search.ts
var FACTOR = 3;
var RUNGS = 2;
var LEAST_REQUESTS = 32;
var LEAST_WHOLE = LEAST_REQUESTS * FACTOR ** RUNGS;
var FIRST_SHARE = 0.5;
var CENTRES = 4;
var PATIENCE = 50;
function* halvingSearch(points, maker, options) {
  const { target, seed, maxTrials, requests } = options;
  const distinct = new Distinct();
  const spread = points.spread(seed);
  const rungs = requests === null || requests < LEAST_WHOLE || maxTrials <= RUNGS ? 0 : RUNGS;
  let left = maxTrials;
  const first = Math.max(1, Math.floor(maxTrials * FIRST_SHARE));
  let candidates2 = fresh(spread, maker, distinct, first);
  for (let rung = 0; rung < rungs; rung++) {
    const part = Math.ceil(requests / FACTOR ** (rungs - rung));
    const trials = candidates2.slice(0, left).map((candidate) => ({
      candidate,
      requests: part
    }));
    left -= trials.length;
    const results = yield trials;
    candidates2 = best(target, results, Math.max(1, Math.ceil(trials.length / FACTOR)));
    if (candidates2.length === 0 || left === 0) return;
  }
  const whole = [];
  const tryAll = function* (those) {
    const trials = those.slice(0, left).map((candidate) => ({
      candidate,
      requests: null
    }));
    left -= trials.length;
    if (trials.length > 0) whole.push(...yield trials);
  };
  yield* tryAll(candidates2);
  const expanded = /* @__PURE__ */ new Set();
  while (left > 0) {
    const centres = best(target, whole, CENTRES * 4).filter((candidate) => !expanded.has(candidate)).slice(0, CENTRES);
    const around = [];
    for (const centre of centres) {
      expanded.add(centre);
      for (const suggestion of points.beside(centre.suggestion)) {
        const candidate = maker.make(suggestion);
        if (distinct.isNew(candidate)) around.push(candidate);
      }
    }
    const next = around.length > 0 || centres.length > 0 ? around : fresh(spread, maker, distinct, Math.min(left, 16));
    if (next.length === 0 && centres.length === 0) return;
    yield* tryAll(next);
  }
}
function fresh(spread, maker, distinct, count) {
  const found = [];
  for (let looks = count * PATIENCE; found.length < count && looks > 0; looks--) {
    const candidate = maker.make(spread.next().value);
    if (distinct.isNew(candidate)) found.push(candidate);
  }
  return found;
}
function best(target, results, count) {
  const feasible = results.filter(({ status }) => status === "feasible").map((result) => ({
    score: result.score,
    objectives: result.objectives,
    usedGpus: result.trial.candidate.usedGpus,
    metrics: result.metrics,
    config: result.trial.candidate.config,
    candidate: result.trial.candidate
  }));
  if (target !== "pareto") return ranking(target, feasible).slice(0, count).map(({ candidate }) => candidate);
  const chosen = [];
  for (let rest = feasible; rest.length > 0 && chosen.length < count; ) {
    const front = new Set(paretoFront(rest));
    chosen.push(...[
      ...front
    ].map(({ candidate }) => candidate));
    rest = rest.filter((one) => !front.has(one));
  }
  return chosen.slice(0, count);
}

// lib/recommend/identity.ts
var JobNames = class _JobNames {
  #surroundings;
  /** What must be the same wherever its jobs run. */
  needs;
  /** Files that its jobs read. */
  files;
  constructor(surroundings, needs, files) {
    this.#surroundings = surroundings;
    this.needs = needs;
    this.files = files;
  }
  /** Reads what the names depend on. */
  static async of(search, space, catalog, version) {
    const { source } = search.traffic.prediction;
    const paths = source.type === "trace" ? source.paths : [];
    const trace = await Promise.all(paths.map((path, i) => fileDigest(path, `traffic.source.paths[${i}]`)));
    const others = [
      ...namedFiles(search.written)
    ].toSorted(([a], [b]) => a < b ? -1 : 1);
    const more = await Promise.all(others.map(([path, place]) => fileDigest(path, place)));
    const model = sha256(canonicalJson((await loadModel(search.engine.model)).facts));
    const sets = dataDigests(search, space, catalog);
    const data = sets.map(({ name, sha256: sha2562 }) => `${name} ${sha2562 ?? "absent"}`);
    const surroundings = {
      data,
      model,
      trace,
      version,
      ...more.length > 0 ? {
        files: more
      } : {}
    };
    const file = (path, sha2562) => ({
      path,
      sha256: sha2562,
      bytes: host().fileBytes(path)
    });
    return new _JobNames(canonicalJson(surroundings), [
      ...sets,
      {
        type: "model",
        name: search.engine.model,
        sha256: model
      }
    ], [
      ...paths.map((path, i) => file(path, trace[i])),
      ...others.map(([path], i) => file(path, more[i]))
    ]);
  }
  /** Name of the job that replays a document's first requests (null: all of them). */
  of(document2, stack, requests) {
    return sha256(`${this.#surroundings}
${canonicalJson({
      document: withoutResources(document2),
      stack,
      requests
    })}`);
  }
  /** Name of the whole search. */
  search(written, stack) {
    return sha256(`${this.#surroundings}
${canonicalJson({
      stack,
      written: withoutResources(written)
    })}`);
  }
};
var FILE_FIELDS = [
  "policy_file",
  "calibration",
  "load_predictor_warmup_trace"
];
function namedFiles(value, place = "") {
  const found = /* @__PURE__ */ new Map();
  if (typeof value !== "object" || value === null) return found;
  for (const [key, item] of Object.entries(value)) {
    const here = place === "" ? key : `${place}.${key}`;
    if (FILE_FIELDS.includes(key) && typeof item === "string") found.set(item, here);
    else for (const [path, where] of namedFiles(item, here)) found.set(path, where);
  }
  return found;
}
function withoutResources({ execution: _2, ...document2 }) {
  return document2;
}
async function fileDigest(path, place) {
  const refused3 = (message, cause) => new ConfigError(message, [
    {
      path: place,
      message
    }
  ], {
    cause
  });
  if (path === "-") throw refused3("a search reads its trace more than once: name a file instead of standard input");
  try {
    return await sha256Of(readBytes(path, {
      raw: true
    }));
  } catch (cause) {
    if (!(cause instanceof ByteSourceError)) throw cause;
    throw refused3(`could not ${cause.stage} trace file ${path}: ${cause.message}`, cause);
  }
}
function dataDigests({ engine }, { branches, feasibility }, catalog) {
  const names = /* @__PURE__ */ new Set();
  const backends = new Set(branches.flatMap(({ choices: choices2 }) => choices2.get("backend")));
  for (const role of Object.values(engine.roles)) {
    const type = role.written.timing?.type ?? "default";
    for (const backend of type === "default" ? backends : []) {
      const version = feasibility.version(role, backend);
      if (typeof version === "string") names.add(JSON.stringify({
        system: role.hardware,
        backend,
        version
      }));
    }
  }
  return [
    ...names
  ].toSorted().map((name) => ({
    type: "measurements",
    name,
    sha256: catalog.digest(JSON.parse(name))
  }));
}

// lib/recommend/points.ts
var STEP = 1 / 8;
function listAxis(name, values2) {
  const ordered = values2.every((value) => typeof value === "number") ? values2.toSorted((a, b) => a - b) : values2;
  return {
    name,
    values: ordered,
    at: (place) => ordered[Math.min(Math.floor(place * ordered.length), ordered.length - 1)],
    beside(value) {
      const index = ordered.indexOf(value);
      if (typeof value !== "number") return ordered.filter((other) => other !== value);
      return [
        index - 1,
        index + 1
      ].filter((i) => i >= 0 && i < ordered.length).map((i) => ordered[i]);
    }
  };
}
function rangeAxis(name, [from, to], log, whole) {
  const [low, high] = log ? [
    naturalLog(from),
    naturalLog(to)
  ] : [
    from,
    to
  ];
  const value = (place2) => {
    const drawn = low + (high - low) * Math.min(1, Math.max(0, place2));
    const plain2 = Math.min(to, Math.max(from, log ? exponential(drawn) : drawn));
    return whole ? roundHalfEven(plain2) : plain2;
  };
  const place = (of) => ((log ? naturalLog(of) : of) - low) / (high - low);
  return {
    name,
    values: from === to ? [
      from
    ] : null,
    at: value,
    beside: (of) => from === to ? [] : [
      place(of) - STEP,
      place(of) + STEP
    ].map(value).filter((other) => other !== of)
  };
}
var FlatSpace = class {
  branch;
  axes;
  pairs;
  constructor(branch) {
    this.branch = branch;
    const lists = [
      ...branch.choices
    ].filter(([name]) => name !== "backend");
    this.axes = [
      ...lists.map(([name, values2]) => listAxis(name, values2)),
      ...[
        ...branch.integers
      ].map(([name, range]) => rangeAxis(name, range, true, true)),
      ...[
        ...branch.floats
      ].map(([name, range]) => rangeAxis(name, range, branch.log.has(name), false))
    ];
    const backends = branch.choices.get("backend");
    this.pairs = branch.pool.flatMap((entry2) => backends.filter((backend) => entry2.backends.has(backend)).map((backend) => ({
      entry: entry2,
      backend
    })));
  }
  /** Number of points; `Infinity` with a continuous axis. */
  get size() {
    const [...ranges] = this.branch.integers.values();
    const whole = ranges.reduce((product, [from, to]) => product * (to - from + 1), 1);
    const lists = this.axes.filter(({ values: values2 }) => values2 !== null).reduce((product, { values: values2 }) => product * values2.length, 1);
    const continuous = [
      ...this.branch.floats.values()
    ].some(([from, to]) => from !== to);
    return continuous ? Infinity : this.pairs.length * lists * whole;
  }
  suggestion({ entry: entry2, backend }, values2) {
    return {
      mode: this.branch.mode,
      backend,
      roles: entry2.roles,
      values: values2
    };
  }
  *all() {
    const lists = this.axes.map((axis) => axis.values ?? this.#wholes(axis.name));
    for (const pair of this.pairs) {
      for (const values2 of products(lists)) {
        yield this.suggestion(pair, Object.fromEntries(this.axes.map(({ name }, i) => [
          name,
          values2[i]
        ])));
      }
    }
  }
  #wholes(name) {
    const [from, to] = this.branch.integers.get(name);
    return Array.from({
      length: to - from + 1
    }, (_2, i) => from + i);
  }
};
function* products(lists) {
  if (lists.length === 0) {
    yield [];
    return;
  }
  for (const rest of products(lists.slice(0, -1))) {
    for (const value of lists.at(-1)) yield [
      ...rest,
      value
    ];
  }
}
var Points = class {
  #spaces;
  constructor(branches) {
    this.#spaces = branches.flatMap((branch) => selections(branch).map((selection) => new FlatSpace(pinnedBranch(branch, selection))));
  }
  /** How many there are; `Infinity` when a parameter is continuous. */
  get size() {
    return this.#spaces.reduce((sum, { size }) => sum + size, 0);
  }
  /** Every point, shape by shape. */
  *all() {
    for (const space of this.#spaces) yield* space.all();
  }
  /**
   * Points spread evenly over every parameter at once, without end; the same one may come again. Method: additive
   * recurrence with the inverse powers of the generalised golden ratio (M. Roberts, "The unreasonable effectiveness of
   * quasirandom sequences", 2018), shifted at random.
   */
  *spread(seed) {
    const draws = this.#spaces.map((space, i) => sequence(space, splitmix32(seed + Math.imul(i, 2246822507))));
    for (; ; ) for (const draw of draws) yield draw();
  }
  /** Points that differ from one in a single parameter, by one step. */
  *beside(point2) {
    for (const { branch, axes, pairs } of this.#spaces) {
      if (branch.mode !== point2.mode) continue;
      const known = axes.every(({ name }) => Object.hasOwn(point2.values, name));
      const pinned2 = [
        ...branch.choices
      ].every(([name, values2]) => name === "backend" || values2.length > 1 || point2.values[name] === values2[0]);
      if (!known || !pinned2 || Object.keys(point2.values).length !== axes.length) continue;
      for (const { entry: entry2, backend } of pairs) {
        const sameShape = sameRoles(entry2.roles, point2.roles), sameBackend = backend === point2.backend;
        if (sameShape === sameBackend) continue;
        if (sameShape || oneStep(entry2.roles, point2.roles)) {
          yield {
            ...point2,
            roles: entry2.roles,
            backend
          };
        }
      }
      for (const { name, beside } of axes) {
        for (const value of beside(point2.values[name])) yield {
          ...point2,
          values: {
            ...point2.values,
            [name]: value
          }
        };
      }
    }
  }
};
function sequence(space, random) {
  const { axes, pairs } = space;
  const dimensions = axes.length + 1;
  let golden = 2;
  for (let i = 0; i < 64; i++) golden = root(1 + golden, dimensions + 1);
  const steps3 = Array.from({
    length: dimensions
  }, (_2, i) => 1 / power(golden, i + 1) % 1);
  const places = steps3.map(() => random());
  return () => {
    for (let i = 0; i < dimensions; i++) places[i] = (places[i] + steps3[i]) % 1;
    const pair = pairs[Math.min(Math.floor(places[0] * pairs.length), pairs.length - 1)];
    return space.suggestion(pair, Object.fromEntries(axes.map(({ name, at }, i) => [
      name,
      at(places[i + 1])
    ])));
  };
}
var power = (base, times) => exponential(naturalLog(base) * times);
var root = (value, degree) => exponential(naturalLog(value) / degree);
var sameRoles = (a, b) => a.every((one, i) => sameReplicas(one, b[i]));
function oneStep(a, b) {
  const different = a.flatMap((one2, i) => sameReplicas(one2, b[i]) ? [] : [
    [
      one2,
      b[i]
    ]
  ]);
  if (different.length !== 1) return false;
  const [[one, other]] = different;
  const sameShape = PARALLELISM_KEYS.every(([key, name]) => key === "replicas" || one[name] === other[name]);
  if (sameShape) return Math.abs(one.replicas - other.replicas) === 1;
  const gpus = [
    workerGpus(one),
    workerGpus(other)
  ];
  const near = Math.max(...gpus) <= 2 * Math.min(...gpus);
  const total = gpus[0] * one.replicas === gpus[1] * other.replicas;
  return near && (one.replicas === other.replicas || total);
}

// lib/recommend/search_plan.ts
function uncuttable({ traffic: { prediction: { source } } }) {
  if (source.type === "synthetic-session") return "a load of sessions cannot be cut off after some requests";
  if (source.type !== "trace") return null;
  const { format = "mooncake", paths } = source;
  if (!PREFIX_FORMATS.includes(format)) return `a ${format} trace cannot be cut off after some requests`;
  return paths.length > 1 ? `${paths.length} trace files cannot be cut off after some requests` : null;
}
function syntheticRequests({ traffic: { prediction: { source, stop } } }) {
  if (source.type !== "synthetic" || stop?.requests == null) return null;
  return stop.requests;
}
function planOf(search, { branches }) {
  const { optimizer: { algorithm, max_trials }, written } = search;
  const { size } = new Points(branches);
  const given = written.optimizer?.max_trials !== void 0;
  const refuse = (path, message) => {
    throw new ConfigError(message, [
      {
        path,
        message
      }
    ]);
  };
  switch (algorithm) {
    case "random":
      return {
        algorithm,
        most: max_trials,
        size
      };
    case "exhaustive":
      if (size === Infinity) {
        refuse("optimizer.algorithm", "exhaustive needs a finite space: give the continuous ranges a step, or use halving");
      }
      if (given && size > max_trials) {
        refuse("optimizer.max_trials", `the space has ${size} configurations, more than max_trials=${max_trials}: raise it, or use halving`);
      }
      return {
        algorithm,
        most: size,
        size
      };
    case "halving":
      checkHalving(syntheticRequests(search));
      return {
        algorithm,
        most: Math.min(max_trials, size),
        size
      };
    case "bayesian":
      return size <= max_trials ? {
        algorithm: "exhaustive",
        most: size,
        size
      } : {
        algorithm: "halving",
        most: max_trials,
        size
      };
  }
}
function checkHalving(requests) {
  if (requests === null || requests >= LEAST_WHOLE) return;
  const message = `halving replays a ninth of the load first: ${requests} requests are too few, it needs ${LEAST_WHOLE}; use exhaustive or random`;
  throw new ConfigError(message, [
    {
      path: "optimizer.algorithm",
      message
    }
  ]);
}
function notInParts(algorithm) {
  const message = `a search can only be done in shards when it tries every configuration, and ${algorithm} decides by what came of others: use exhaustive, or --executor`;
  return new ConfigError(message, [
    {
      path: "optimizer.algorithm",
      message
    }
  ]);
}

// lib/recommend/survey.ts
var MARGIN = 1.01;
var keyOf2 = (role, backend, shape2) => [
  role,
  backend,
  ...PARALLELISM_KEYS.map(([key, name]) => key === "replicas" ? "" : shape2[name])
].join(" ");
async function survey(search, space, goal, runner, signal) {
  const maker = new CandidateMaker(search, space);
  const idle2 = /* @__PURE__ */ new Map();
  let load3 = null;
  const ask = async (point2, keys) => {
    const { document: document2 } = maker.make(point2);
    if (document2 === null) return;
    const outcome2 = await runner.do({
      id: null,
      data: {
        ask: "idle",
        document: document2,
        stack: search.stack,
        requests: null
      }
    }, {
      signal
    });
    if (outcome2.status !== "done" || !outcome2.result.ok || !("idle" in outcome2.result)) return;
    load3 ??= outcome2.result.load;
    for (const [i, found] of outcome2.result.idle.entries()) idle2.set(keys[i], found);
  };
  const questions = [];
  const asked = /* @__PURE__ */ new Set();
  for (const branch of space.branches) {
    for (const { entry: entry2, backend } of pairsOf(branch)) {
      const keys = rolesOfMode(branch.mode).map((role, i) => keyOf2(role, backend, entry2.roles[i]));
      if (keys.every((key) => asked.has(key))) continue;
      for (const key of keys) asked.add(key);
      const point2 = firstPoint({
        ...branch,
        pool: [
          entry2
        ]
      }, backend);
      if (point2 !== null) questions.push(ask(point2, keys));
    }
  }
  await Promise.all(questions);
  if (load3 === null) return {
    space,
    load: load3
  };
  return {
    space: narrowed(space, goal, idle2, load3),
    load: load3
  };
}
function* pairsOf({ pool, choices: choices2 }) {
  for (const entry2 of pool) {
    for (const backend of choices2.get("backend")) {
      if (entry2.backends.has(backend)) yield {
        entry: entry2,
        backend
      };
    }
  }
}
function firstPoint(branch, backend) {
  for (const point2 of new Points([
    branch
  ]).spread(0)) if (point2.backend === backend) return point2;
  return null;
}
function narrowed(space, goal, idle2, load3) {
  const ruledOut = /* @__PURE__ */ new Map();
  const branches = space.branches.map((branch) => {
    const roles = rolesOfMode(branch.mode);
    const pool = branch.pool.map((entry2) => {
      const backends = [
        ...entry2.backends
      ].filter((backend) => {
        const found = roles.map((role2, i) => idle2.get(keyOf2(role2, backend, entry2.roles[i])));
        const why = objection(found, goal, load3);
        if (why === null) return true;
        const { role, reason, kind } = why;
        const key = keyOf2(roles[role], backend, entry2.roles[role]);
        const known = ruledOut.get(key) ?? {
          mode: branch.mode,
          backend,
          role: roles[role],
          shape: {
            ...entry2.roles[role],
            replicas: 1
          },
          why: kind,
          reason,
          combinations: 0
        };
        known.combinations++;
        ruledOut.set(key, known);
        return false;
      });
      return {
        ...entry2,
        backends: new Set(backends)
      };
    }).filter(({ backends }) => backends.size > 0);
    const left = branch.choices.get("backend").filter((backend) => pool.some(({ backends }) => backends.has(backend)));
    const choices2 = new Map(branch.choices);
    choices2.set("backend", left);
    return {
      ...branch,
      pool,
      choices: choices2
    };
  }).filter(({ pool }) => pool.length > 0);
  if (branches.length === 0) throw nothingLeft([
    ...ruledOut.values()
  ]);
  return {
    ...space,
    branches,
    ruledOut: [
      ...space.ruledOut,
      ...ruledOut.values()
    ]
  };
}
function objection(roles, goal, load3) {
  const untimed = roles.findIndex((found) => found !== void 0 && "problem" in found);
  if (untimed >= 0) return {
    role: untimed,
    kind: "data",
    reason: roles[untimed].problem
  };
  const counts = goal.strictSla || goal.minAttainment !== null || [
    "goodput",
    "goodput_per_gpu",
    "min_gpus"
  ].includes(goal.target);
  if (goal.sla === null || !counts || roles.includes(void 0)) return null;
  const times = roles;
  const first = times[0].prefillMs, step = times.at(-1).decodeMs;
  const { ttft_ms, itl_ms, e2e_ms } = goal.sla;
  const misses = (ms, bound) => bound !== null && ms > bound * MARGIN;
  const told2 = (what, ms, bound) => `${what} takes ${ms.toFixed(1)} ms when idle, more than ${bound} ms`;
  if (misses(first, ttft_ms)) return {
    role: 0,
    kind: "sla",
    reason: told2("the shortest prompt", first, ttft_ms)
  };
  if (load3.shortestOutput > 1 && misses(step, itl_ms)) {
    return {
      role: times.length - 1,
      kind: "sla",
      reason: told2("a decode step", step, itl_ms)
    };
  }
  const whole = first + (load3.shortestOutput - 1) * step;
  return misses(whole, e2e_ms) ? {
    role: times.length - 1,
    kind: "sla",
    reason: told2("the shortest request", whole, e2e_ms)
  } : null;
}
function nothingLeft(ruledOut) {
  const sla = ruledOut.filter(({ why }) => why === "sla");
  const [first] = sla.length > 0 ? sla : ruledOut;
  const message = sla.length > 0 ? `no legal shape can keep the SLA: on each of them ${first.reason}` : `no legal shape can be timed: ${first.reason}`;
  return new ConfigError(message, [
    {
      path: sla.length > 0 ? "evaluation.sla" : "engine",
      message
    }
  ]);
}

// lib/recommend/open_search.ts
var goalOf = ({ optimization: { target, strict_sla, constraints: constraints2 }, sla }) => ({
  target,
  sla,
  strictSla: strict_sla,
  minGoodputRps: constraints2.min_goodput_rps,
  minAttainment: constraints2.min_attainment,
  gpuBudget: constraints2.max_candidate_gpus
});
async function openSearch(search, options) {
  const { catalog = new PerfCatalog(), version = "" } = options;
  const space = await searchSpace(search, catalog);
  const names = await JobNames.of(search, space, catalog, version);
  const plan = planOf(search, space);
  const decided = plan.algorithm !== "halving" || search.optimizer.algorithm === "halving";
  if (options.shard !== void 0 && decided && plan.algorithm !== "exhaustive") throw notInParts(plan.algorithm);
  const whole = plan.algorithm === "halving" ? uncuttable(search) : null;
  return {
    search,
    space: whole === null ? space : {
      ...space,
      warnings: [
        ...space.warnings,
        `halving replays the whole load each time: ${whole}`
      ]
    },
    plan,
    goal: goalOf(search),
    names,
    id: names.search(search.written, search.stack),
    requests: syntheticRequests(search)
  };
}
async function readLoad({ search, space }, runner, signal) {
  if (search.traffic.prediction.source.type !== "trace") return;
  const document2 = firstDocument(new Points(space.branches), new CandidateMaker(search, space));
  if (document2 === null) return;
  const task = {
    ask: "load",
    document: document2,
    stack: search.stack,
    requests: null
  };
  const outcome2 = await runner.do({
    id: null,
    data: task
  }, {
    signal
  });
  if (outcome2.status !== "done" || outcome2.result.ok || outcome2.result.trace === void 0) return;
  throw new TraceError(outcome2.result.trace);
}
var LOOKS = 100;
function firstDocument(points, maker) {
  let looks = 0;
  for (const point2 of points.spread(0)) {
    const { document: document2 } = maker.make(point2);
    if (document2 !== null || ++looks === LOOKS) return document2;
  }
  return null;
}
async function narrowed2(open, runner, signal) {
  const { search, goal, requests } = open;
  const { space, load: load3 } = await survey(search, open.space, goal, runner, signal);
  const cuttable = search.traffic.prediction.source.type === "trace" && uncuttable(search) === null;
  const surveyed = {
    ...open,
    space,
    requests: cuttable ? load3?.requests ?? null : requests
  };
  if (search.optimizer.algorithm === "halving") checkHalving(surveyed.requests);
  return {
    ...surveyed,
    plan: planOf(search, space)
  };
}

// lib/recommend/random_sampler.ts
var WEIGHTED_TRIES = 32;
var CONTINUOUS_TRIES = 64;
var branchSeed = (seed, mode) => seed + (mode === "agg" ? 0 : 1);
var Undrawn = class {
  #left;
  #moved = /* @__PURE__ */ new Map();
  #places = /* @__PURE__ */ new Map();
  #drawn = /* @__PURE__ */ new Set();
  constructor(size) {
    this.#left = size;
  }
  get left() {
    return this.#left;
  }
  /** Any of the rest. */
  draw(random) {
    const place = random.below(this.#left);
    const value = this.#moved.get(place) ?? place;
    this.#take(value);
    return value;
  }
  /** Takes this one; false when it was drawn before. */
  take(value) {
    if (this.#drawn.has(value)) return false;
    this.#take(value);
    return true;
  }
  #take(value) {
    const place = this.#places.get(value) ?? value;
    this.#places.delete(value);
    this.#left--;
    const last = this.#moved.get(this.#left) ?? this.#left;
    this.#moved.delete(this.#left);
    if (place !== this.#left) {
      this.#moved.set(place, last);
      this.#places.set(last, place);
    }
    this.#drawn.add(value);
  }
};
function listDigits(name, values2, log) {
  const distinct = [
    ...new Map(values2.map((value) => [
      canonicalJson(value),
      value
    ])).values()
  ];
  const sorted = log ? distinct.toSorted((a, b) => a - b) : distinct;
  return {
    name,
    size: sorted.length,
    value: (digit) => sorted[digit],
    log: log && sorted.length > 1 ? [
      sorted[0],
      sorted.at(-1)
    ] : null,
    nearest(drawn) {
      const distance = (value) => Math.abs(value - drawn);
      return sorted.reduce((best2, value, i) => distance(value) < distance(sorted[best2]) ? i : best2, 0);
    }
  };
}
function rangeDigits(name, [min, max]) {
  const size = max - min + 1;
  return {
    name,
    size,
    value: (digit) => min + digit,
    log: size > 1 ? [
      min,
      max
    ] : null,
    nearest: (drawn) => Math.max(0, Math.min(size - 1, roundHalfEven(drawn) - min))
  };
}
var FlatSampler = class {
  #branch;
  #random;
  #digits;
  #arms = [];
  #continuous;
  #weighted;
  constructor(branch, seed) {
    this.#branch = branch;
    this.#random = new MersenneTwister(seed);
    const lists = [
      ...branch.choices
    ].filter(([name]) => name !== "backend");
    this.#digits = [
      ...lists.map(([name, values2]) => listDigits(name, values2, branch.log.has(name))),
      ...[
        ...branch.integers
      ].map(([name, range]) => rangeDigits(name, range))
    ];
    this.#continuous = [
      ...branch.floats.values()
    ].some(([from, to]) => from !== to);
    this.#weighted = this.#digits.some(({ log }) => log !== null);
    const size = this.#digits.reduce((product, { size: size2 }) => product * size2, 1);
    const pairs = [];
    for (const { roles, backends } of branch.pool) {
      for (const backend of branch.choices.get("backend")) {
        if (backends.has(backend)) pairs.push({
          backend,
          roles
        });
      }
    }
    this.#random.shuffle(pairs);
    if (branch.smallestFirst) pairs.sort((a, b) => entryGpus(a.roles) - entryGpus(b.roles));
    this.#arms = pairs.map((pair) => ({
      ...pair,
      undrawn: new Undrawn(size),
      seen: /* @__PURE__ */ new Set()
    }));
  }
  get exhausted() {
    return this.#arms.length === 0;
  }
  next() {
    for (let arm = this.#arms.shift(); arm !== void 0; arm = this.#arms.shift()) {
      const values2 = this.#continuous ? this.#newValues(arm) : this.#valuesAt(this.#index(arm));
      if (values2 === null) continue;
      if (this.#continuous || arm.undrawn.left > 0) this.#arms.push(arm);
      return {
        mode: this.#branch.mode,
        backend: arm.backend,
        roles: arm.roles,
        values: values2
      };
    }
    return null;
  }
  #newValues({ backend, seen }) {
    for (let tries = 0; tries < CONTINUOUS_TRIES; tries++) {
      const values2 = this.#valuesAt(this.#weightedIndex());
      const key = canonicalJson({
        backend,
        ...values2
      });
      if (seen.has(key)) continue;
      seen.add(key);
      return values2;
    }
    return null;
  }
  #index({ undrawn }) {
    for (let tries = 0; this.#weighted && tries < WEIGHTED_TRIES; tries++) {
      const index = this.#weightedIndex();
      if (undrawn.take(index)) return index;
    }
    return undrawn.draw(this.#random);
  }
  #weightedIndex() {
    let index = 0;
    for (const { size, log, nearest } of this.#digits) {
      const digit = log === null ? this.#random.below(size) : nearest(this.#logUniform(log[0], log[1]));
      index = index * size + digit;
    }
    return index;
  }
  #logUniform(from, to) {
    return exponential(this.#random.uniform(naturalLog(from), naturalLog(to)));
  }
  #valuesAt(index) {
    const values2 = {};
    for (const { name, size, value } of this.#digits.toReversed()) {
      values2[name] = value(index % size);
      index = Math.floor(index / size);
    }
    for (const [name, [from, to]] of this.#branch.floats) {
      values2[name] = from === to ? from : this.#branch.log.has(name) ? this.#logUniform(from, to) : this.#random.uniform(from, to);
    }
    return values2;
  }
};
var RandomSampler = class {
  #samplers;
  #turn = 0;
  /** @param seed of the branch, see {@linkcode branchSeed} */
  constructor(branch, seed) {
    this.#samplers = branch.conditional.length === 0 ? [
      new FlatSampler(branch, seed)
    ] : selections(branch).map((selection) => new FlatSampler(pinnedBranch(branch, selection), armSeed(seed, selection)));
  }
  /** The next suggestion; null when the space is used up. */
  next() {
    for (let tries = 0; tries < this.#samplers.length; tries++) {
      const sampler = this.#samplers[this.#turn];
      this.#turn = (this.#turn + 1) % this.#samplers.length;
      const suggestion = sampler.next();
      if (suggestion !== null) return suggestion;
    }
    return null;
  }
};
function armSeed(seed, selection) {
  const id = sha256(canonicalJson(Object.fromEntries(selection))).slice(0, 12);
  return (seed + parseInt(id.slice(0, 8), 16)) % (2 ** 31 - 1);
}

// lib/recommend/trial.ts
var isSuccess = ({ status, category }) => status === "feasible" || status === "resource_limited" || category === "no_samples";

// lib/recommend/random_search.ts
var TRIES = 11;
var shares = (whole, parts) => Array.from({
  length: parts
}, (_2, i) => Math.floor(whole / parts) + (i < whole % parts ? 1 : 0));
function* randomSearch(branches, maker, { seed, maxTrials, parallelism, onRepeat }) {
  const round = Math.min(parallelism, maxTrials);
  const budgets = shares(maxTrials, branches.length);
  const states = branches.map((branch, i) => ({
    sampler: new RandomSampler(branch, branchSeed(seed, branch.mode)),
    left: budgets[i],
    live: true
  }));
  const seen = /* @__PURE__ */ new Map();
  for (let cycle = Math.ceil(maxTrials / round); cycle > 0; cycle--) {
    for (const state of states) {
      if (!state.live || state.left === 0) continue;
      const target = Math.min(round, state.left);
      let successes = 0, asked = 0;
      while (state.live && successes < target && asked < TRIES * round && state.left > 0) {
        const count = Math.min(target - successes, TRIES * round - asked, state.left);
        const suggestions = take(state.sampler, count);
        asked += suggestions.length;
        state.left -= suggestions.length;
        const trials = [], keys = [];
        for (const suggestion of suggestions) {
          const candidate = maker.make(suggestion);
          const key = canonicalJson(suggestion);
          const known = seen.get(key);
          if (known !== void 0) {
            onRepeat();
            if (known) successes++;
            continue;
          }
          trials.push({
            candidate,
            requests: null
          });
          keys.push(key);
        }
        const results = trials.length > 0 ? yield trials : [];
        for (const [i, result] of results.entries()) {
          const success = isSuccess(result);
          if (success) successes++;
          if (success || isRemembered(result)) seen.set(keys[i], success);
        }
        if (suggestions.length < count) retire(state, states);
      }
      if (successes < target) state.live = false;
    }
  }
}
var isRemembered = ({ category }) => category !== null && [
  "gpu_budget",
  "kv_capacity",
  "sla_constraint",
  "load_constraint"
].includes(category);
function take(sampler, count) {
  const taken = [];
  for (let next; taken.length < count && (next = sampler.next()) !== null; ) taken.push(next);
  return taken;
}
function retire(state, states) {
  state.live = false;
  const others = states.filter(({ live }) => live);
  const parts = shares(state.left, others.length);
  for (const [i, other] of others.entries()) other.left += parts[i];
  state.left = 0;
}

// lib/recommend/journal.ts
var MOST_BYTES = 2 ** 30;
var header = object({
  event: literal("requested_config"),
  value: looseObject({
    search: string()
  })
});
var metrics = record(string(), nullable(number()));
var outcome = variant("status", [
  object({
    status: literal("done"),
    result: variant("ok", [
      object({
        ok: literal(true),
        metrics,
        sequences: optional(array(number()))
      }),
      object({
        ok: literal(false),
        category: string(),
        reason: string(),
        trace: optional(string())
      })
    ])
  }),
  object({
    status: literal("failed"),
    reason: string()
  }),
  object({
    status: literal("timeout")
  })
]);
var entry = object({
  event: picklist([
    "candidate_completed",
    "candidate_screened"
  ]),
  value: looseObject({
    job: nullable(string()),
    outcome: nullable(outcome)
  })
});
var Journal = class _Journal {
  #path;
  #known;
  #lines;
  #encoder = new TextEncoder();
  #file = null;
  /** The first line, which waits for the first result: a search that could not begin leaves nothing. */
  #first;
  #written = 0;
  constructor(path, first, lines, known) {
    this.#first = first;
    this.#path = path;
    this.#lines = lines;
    this.#known = known;
  }
  /** Outcomes of the jobs that an earlier run of the search did, by name. */
  get known() {
    return this.#known;
  }
  /** Lines that were there. */
  get resumed() {
    return this.#lines.length;
  }
  /** What a journal says, and whether its search ended; null when there is none, or it cannot be read. */
  static async read(path) {
    const lines = await completeLines(path);
    const first = lines.length === 0 ? void 0 : safeParse(header, parsed(lines[0]));
    if (!first?.success) return null;
    const { known, good } = outcomesIn(lines);
    return {
      header: first.output.value,
      known,
      completed: lines[good] === line("search_completed", {})
    };
  }
  /** Name of the search that a journal belongs to; null when there is none, or it cannot be read. */
  static async searchIn(path) {
    const [first] = await completeLines(path);
    if (first === void 0) return null;
    const read = safeParse(header, parsed(first));
    return read.success ? read.output.value.search : null;
  }
  /**
   * Opens the journal of a search, or goes on with the one it has.
   *
   * @throws {ConfigError} when the file belongs to another search or is none
   */
  static async open(path, open, documentOf2) {
    const first = line("requested_config", documentOf2(open));
    const lines = await completeLines(path);
    if (lines.length > 0 && lines[0] !== first) {
      throw new ConfigError(`${path} is the journal of another search; pass --overwrite to replace it`);
    }
    const { known, good } = outcomesIn(lines);
    const journal = new _Journal(path, first, lines.slice(0, good), known);
    if (good > 0) await writeFileAtomically(path, lines.slice(0, good).map((text2) => `${text2}
`));
    return journal;
  }
  /** Notes a result. */
  async add(result, id) {
    const { trial: { candidate, requests }, job, outcome: outcome2, status, score, category, reason } = result;
    await this.#begin();
    await this.#append(line(requests === null ? "candidate_completed" : "candidate_screened", {
      candidate_id: id,
      status,
      score,
      reason_category: category,
      reason,
      used_gpus: candidate.usedGpus,
      requests,
      config: candidate.config,
      job,
      outcome: outcome2
    }));
  }
  /** Notes that nothing is left to do. */
  async complete() {
    await this.#begin();
    await this.#append(line("search_completed", {}));
  }
  async #begin() {
    if (this.#first !== null) await this.#append(this.#first);
    this.#first = null;
  }
  /** Writes a line, unless an earlier run did. */
  async #append(text2) {
    const index = this.#written++;
    if (index < this.#lines.length) {
      if (this.#lines[index] === text2) return;
      throw new ConfigError(`line ${index + 1} of ${this.#path} is not what this search finds: the files it was made from have changed; pass --overwrite to start anew`);
    }
    this.#file ??= await host().openForAppending(this.#path);
    await this.#file.write(this.#encoder.encode(`${text2}
`));
  }
  /** Closes the file. */
  close() {
    this.#file?.close();
    this.#file = null;
  }
};
var line = (event, value) => JSON.stringify({
  event,
  value
});
function outcomesIn(lines) {
  const known = /* @__PURE__ */ new Map();
  let good = Math.min(lines.length, 1);
  for (const text2 of lines.slice(1)) {
    const read = safeParse(entry, parsed(text2));
    if (!read.success) break;
    const { job, outcome: outcome2 } = read.output.value;
    if (job !== null && outcome2 !== null) known.set(job, outcome2);
    good++;
  }
  return {
    known,
    good
  };
}
function parsed(text2) {
  try {
    return JSON.parse(text2);
  } catch {
    return void 0;
  }
}
async function completeLines(path) {
  if (host().kind(path) !== "file") return [];
  const text2 = await readText(path, {
    mostBytes: MOST_BYTES,
    raw: true
  });
  return text2.slice(0, text2.lastIndexOf("\n") + 1).split("\n").slice(0, -1);
}

// lib/recommend/shards.ts
var shardText = ({ index, of }) => `${index}/${of}`;
var MOST_SHARDS = 1e5;
function readShard(text2) {
  const found = /^(\d{1,6})\/(\d{1,6})$/.exec(text2);
  if (found === null) return void 0;
  const shard = {
    index: Number(found[1]),
    of: Number(found[2])
  };
  return shard.index >= 1 && shard.index <= shard.of && shard.of <= MOST_SHARDS ? shard : void 0;
}
function* candidatesOf(candidates2, { index, of }) {
  const shards = /* @__PURE__ */ new Map();
  for (const candidate of candidates2) {
    if (candidate.document === null) continue;
    const family = familyOf(candidate.document, null);
    let shard = shards.get(family);
    if (shard === void 0) shards.set(family, shard = shards.size % of + 1);
    if (shard === index) yield candidate;
  }
}
var header2 = looseObject({
  search: string(),
  version: string(),
  stack: string(),
  document: record(string(), unknown()),
  shard: string()
});
async function readShards(folders) {
  const refuse = (message) => {
    throw new ConfigError(message);
  };
  let first;
  const known = /* @__PURE__ */ new Map();
  const seen = /* @__PURE__ */ new Map();
  for (const folder of folders) {
    const path = joinPath(folder, "execution-events.jsonl");
    const journal = await Journal.read(path);
    const read = safeParse(header2, journal?.header);
    const shard = read.success ? readShard(read.output.shard) : void 0;
    if (journal === null || !read.success || shard === void 0) {
      return refuse(`${folder} holds no shard of a search: ${path} is ${journal === null ? "missing" : "no shard's"}`);
    }
    if (!journal.completed) {
      refuse(`${folder}: shard ${shardText(shard)} is not finished; its command again goes on where it was`);
    }
    const { shard: _2, ...rest } = read.output;
    const text2 = JSON.stringify(rest);
    first ??= {
      folder,
      text: text2,
      value: read.output,
      of: shard.of
    };
    if (text2 !== first.text) refuse(`${folder} and ${first.folder} hold shards of different searches`);
    if (shard.of !== first.of) refuse(`${folder} holds shard ${shardText(shard)}, ${first.folder} one of ${first.of}`);
    if (seen.has(shard.index)) refuse(`${folder} and ${seen.get(shard.index)} hold the same shard ${shardText(shard)}`);
    seen.set(shard.index, folder);
    for (const [job, outcome2] of journal.known) known.set(job, outcome2);
  }
  if (first === void 0) return refuse("no folder with a shard is named");
  const { of, value: { search, version, document: document2, stack } } = first;
  const missing = Array.from({
    length: of
  }, (_2, i) => i + 1).filter((index) => !seen.has(index));
  if (missing.length > 0) {
    const few = missing.slice(0, 10).map((index) => `${index}/${of}`).join(", ");
    const more = missing.length > 10 ? ` and ${missing.length - 10} more` : "";
    refuse(`shard${missing.length > 1 ? "s" : ""} ${few}${more} of the search ${missing.length > 1 ? "are" : "is"} missing`);
  }
  return {
    search,
    version,
    document: document2,
    stack,
    known
  };
}
var nobody = {
  parallel: 1,
  remote: true,
  open: () => ({
    parallel: 1,
    do: () => Promise.reject(new ConfigError("the shards lack a candidate of the search: they were made from other files")),
    close() {
    }
  })
};

// lib/recommend/recommend.ts
var CANDIDATE_JOBS = {
  name: "candidate",
  module: new URL("./lib.recommend.candidate_jobs.js", import.meta["url"])
};
var OPTIONS2 = {
  executor: true,
  signal: true,
  catalog: true,
  version: true,
  known: true,
  shard: true
};
var RecommendRun = class {
  #search;
  #options;
  #open = null;
  #result = null;
  #stream = null;
  #survey = Promise.withResolvers();
  /** A search that starts when its result or its first candidate is asked for. */
  constructor(search, options) {
    checkOptions("recommend()", options, OPTIONS2);
    this.#survey.promise.catch(() => {
    });
    this.#search = search;
    this.#options = options;
  }
  /** What is searched; found out without a replay. */
  get open() {
    return this.#open ??= openSearch(this.#search, this.#options);
  }
  /** Everything, ranked. What of the stream is not read by then is read here. */
  get result() {
    return this.#result ??= this.#finish();
  }
  /** Every result, whole replays and partial ones, in the order of suggestion. */
  async *[Symbol.asyncIterator]() {
    this.#stream ??= this.#run();
    for (; ; ) {
      const step = await this.#stream.next();
      if (step.done) {
        this.#result ??= Promise.resolve(step.value);
        return;
      }
      yield step.value;
    }
  }
  /** What is left to search once every shape was looked at. */
  get surveyed() {
    return this.#survey.promise;
  }
  /** Looks at every shape; only the reference's own search tries what cannot be wanted. */
  async #surveyed(runner) {
    try {
      const open = await this.open;
      const { signal } = this.#options;
      await readLoad(open, runner, signal);
      const narrow = open.plan.algorithm === "random" ? open : await narrowed2(open, runner, signal);
      this.#survey.resolve(narrow);
      return narrow;
    } catch (problem) {
      runner.close();
      this.#survey.reject(problem);
      throw problem;
    }
  }
  async #finish() {
    this.#stream ??= this.#run();
    for (; ; ) {
      const step = await this.#stream.next();
      if (step.done) return step.value;
    }
  }
  async *#run() {
    const { executor = inline(), signal, known, shard } = this.#options;
    const { optimizer, stack } = this.#search;
    const runner = executor.open(CANDIDATE_JOBS, null);
    const open = await this.#surveyed(executor.remote ? inline().open(CANDIDATE_JOBS, null) : runner);
    if (shard !== void 0 && open.plan.algorithm !== "exhaustive") {
      runner.close();
      throw notInParts(open.plan.algorithm);
    }
    const evaluator = new Evaluator(runner, {
      goal: open.goal,
      stack,
      timeoutSeconds: optimizer.candidate_timeout_seconds,
      names: open.names,
      known,
      foreseen: open.plan.algorithm === "random" ? foreseen(strategyOf2(open, () => {
      })) : void 0,
      signal
    });
    const evaluated = [], screened = [];
    let repeats = 0, interrupted = false;
    const strategy = strategyOf2(open, () => repeats++, shard);
    try {
      let step = strategy.next();
      while (!step.done) {
        const results = [];
        for await (const result of evaluator.evaluate(step.value)) {
          results.push(result);
          (result.trial.requests === null ? evaluated : screened).push(result);
          yield result;
        }
        step = strategy.next(results);
      }
    } catch (problem) {
      if (!signal?.aborted) throw problem;
      interrupted = true;
    } finally {
      evaluator.close();
      runner.close();
    }
    return {
      open,
      evaluated,
      screened,
      repeats,
      interrupted,
      ranked: ranked(open.goal, evaluated)
    };
  }
};
var recommend = (search, options = {}) => new RecommendRun(search, options);
function strategyOf2({ search, space, plan, goal, requests }, onRepeat, shard) {
  const { seed, parallelism } = search.optimizer;
  const maker = new CandidateMaker(search, space);
  const points = new Points(space.branches);
  switch (plan.algorithm) {
    case "random":
      return randomSearch(space.branches, maker, {
        seed,
        maxTrials: plan.most,
        parallelism,
        onRepeat
      });
    case "exhaustive": {
      const all = distinctCandidates(points.all(), maker);
      return exhaustiveSearch(shard === void 0 ? all : candidatesOf(all, shard));
    }
    case "halving":
      return halvingSearch(points, maker, {
        target: goal.target,
        seed,
        maxTrials: plan.most,
        requests
      });
  }
}
function ranked({ target }, results) {
  const feasible = results.filter(({ status }) => status === "feasible").map((result) => ({
    score: result.score,
    objectives: result.objectives,
    usedGpus: result.trial.candidate.usedGpus,
    metrics: result.metrics,
    config: result.trial.candidate.config,
    result
  }));
  return (target === "pareto" ? paretoFront(feasible) : ranking(target, feasible)).map(({ result }) => result);
}
function* candidates(search, space) {
  const points = new Points(space.branches);
  const maker = new CandidateMaker(search, space);
  yield* distinctCandidates(points.size === Infinity ? points.spread(search.optimizer.seed) : points.all(), maker);
}

// lib/recommend/candidate_kind.ts
var document = pipe(record(string(), unknown()), check((value) => isJson(value), "expected a document of JSON"));
var figure2 = number();
var load = object({
  requests: figure2,
  shortestPrompt: figure2,
  shortestOutput: figure2,
  leastNewTokens: figure2
});
var idle = array(union([
  object({
    prefillMs: figure2,
    decodeMs: figure2
  }),
  object({
    problem: string()
  })
]));
function isJson(value) {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  return !ArrayBuffer.isView(value) && Object.values(value).every(isJson);
}
var isWhole = (metrics2) => [
  "completed_requests",
  "duration_ms",
  "gpu_hours",
  "output_throughput_tok_s"
].every((name) => typeof metrics2[name] === "number");
var CANDIDATE_KIND = {
  ...CANDIDATE_JOBS,
  setup: null_(),
  data: strictObject({
    ask: picklist([
      "replay",
      "load",
      "idle"
    ]),
    document,
    stack: picklist([
      "engine",
      "dynamo"
    ]),
    requests: nullable(pipe(number(), safeInteger(), minValue(1)))
  }),
  result: union([
    object({
      ok: literal(true),
      metrics: pipe(record(string(), nullable(number())), check(isWhole, "figures are missing")),
      sequences: optional(array(pipe(number(), safeInteger(), minValue(0))))
    }),
    object({
      ok: literal(true),
      load,
      idle: optional(idle)
    }),
    object({
      ok: literal(false),
      category: string(),
      reason: string(),
      trace: optional(string())
    })
  ]),
  answers: ({ ask }, answer) => !answer.ok || (ask === "replay" ? "metrics" in answer : "load" in answer && "idle" in answer === (ask === "idle")),
  localSetup: (_setup, local) => local
};

// lib/recommend/goal_sections.ts
var TARGETS = [
  "throughput",
  "throughput_per_gpu",
  "throughput_per_user",
  "goodput",
  "goodput_per_gpu",
  "min_gpus",
  "ttft",
  "e2e_latency",
  "pareto"
];
var ALGORITHMS = [
  "bayesian",
  "random",
  "exhaustive",
  "halving"
];
var strictBoolean = () => reads((value) => typeof value === "boolean" ? value : new Problem("Input should be a valid boolean"));
var hardware = () => reads((value) => {
  if (typeof value !== "string") return new Problem("Input should be a valid string");
  const name = value.trim();
  return name === "" || name === "auto" ? new Problem("Value error, optimization.hardware must be a concrete nonempty identifier") : name;
});
var constraints = section("OptimizationConstraints", {
  max_candidate_gpus: withDefault(strictInt({
    gt: 0,
    le: 8192
  }), 32),
  min_candidate_gpus: orNull(strictInt({
    gt: 0
  })),
  min_goodput_rps: orNull(strictNumber({
    gt: 0
  })),
  min_attainment: orNull(strictNumber({
    gt: 0,
    le: 1
  }))
}, [
  ({ max_candidate_gpus, min_candidate_gpus }) => min_candidate_gpus !== null && min_candidate_gpus > max_candidate_gpus ? "min_candidate_gpus cannot exceed max_candidate_gpus" : void 0
]);
var optimizationFields = {
  target: withDefault(literal2(TARGETS), "throughput"),
  hardware: orNull(hardware()),
  strict_sla: withDefault(strictBoolean(), false),
  constraints: withDefault(constraints, {}),
  gpu_hour_price: priceFields.price_per_gpu_hour,
  currency: priceFields.currency
};
var optimizationSection = section("OptimizationConfig", optimizationFields, [
  ({ target, constraints: constraints2 }) => constraints2.min_goodput_rps !== null && target !== "min_gpus" ? "min_goodput_rps is only supported with min_gpus" : void 0,
  ({ gpu_hour_price, currency }) => currency !== null && gpu_hour_price === null ? "currency has no effect without gpu_hour_price" : void 0
]);
var optimizerSection = section("OptimizerConfig", {
  algorithm: withDefault(literal2(ALGORITHMS), "bayesian"),
  max_trials: withDefault(strictInt({
    gt: 0
  }), 320),
  parallelism: withDefault(strictInt({
    gt: 0
  }), 16),
  candidate_timeout_seconds: withDefault(strictNumber({
    gt: 0
  }), 600),
  seed: withDefault(strictInt({
    ge: 0
  }), 42)
});

// lib/recommend/search_rules.ts
function* crossRules({ engine, optimization, sla, traffic, router, planner, autoscaler }) {
  const { target, strict_sla, constraints: constraints2 } = optimization;
  if (engine.hardware === "auto") {
    yield [
      "engine.hardware",
      "engine.hardware='auto' requires one optimization.hardware"
    ];
  }
  const bounded = sla !== null && Object.values(sla).some((bound) => bound !== null);
  if (!bounded && [
    "goodput",
    "goodput_per_gpu",
    "min_gpus"
  ].includes(target)) {
    yield [
      "optimization.target",
      `optimization target '${target}' requires an evaluation.sla bound`
    ];
  }
  if (!bounded && strict_sla) {
    yield [
      "optimization.strict_sla",
      "optimization.strict_sla requires at least one evaluation.sla bound"
    ];
  }
  if (planner !== null && autoscaler !== null) {
    yield [
      "autoscaler",
      "the Planner scales already: give planner or autoscaler, not both"
    ];
  }
  if (!bounded && constraints2.min_attainment !== null) {
    const path = "optimization.constraints.min_attainment";
    yield [
      path,
      `${path} requires at least one evaluation.sla bound`
    ];
  }
  if (autoscaler !== null) yield* scaledRoleRules(engine, autoscaler);
  if (target !== "min_gpus") return;
  const { prediction, field, domain, lengths } = traffic;
  const fixed = domain.kind === "choices" && domain.pinned && (field === "concurrency" || field === "requests_per_second");
  if (lengths === null || prediction.source.type !== "synthetic" || !fixed) {
    yield [
      "traffic.load",
      "min_gpus requires fixed synthetic request-rate or concurrency traffic"
    ];
    return;
  }
  if (field === "requests_per_second") {
    const rate = domain.values[0];
    if (constraints2.min_goodput_rps === null) {
      yield [
        "optimization.constraints",
        "min_gpus with request-rate traffic requires constraints.min_goodput_rps"
      ];
    } else if (constraints2.min_goodput_rps > rate) {
      yield [
        "optimization.constraints.min_goodput_rps",
        "min_goodput_rps cannot exceed the offered request rate"
      ];
    }
  }
  const adapter = router !== null ? "router" : planner !== null ? "planner" : autoscaler !== null ? "autoscaler" : null;
  if (adapter !== null) yield [
    adapter,
    "min_gpus requires static engine pools without adapters"
  ];
}
function* outputRules({ planner, autoscaler }, outputs) {
  if (!outputs.includes("dgd")) return;
  if (autoscaler !== null) {
    yield [
      "autoscaler",
      "a DynamoGraphDeployment cannot hold an autoscaler: search without one"
    ];
  }
  if (planner !== null && !planner.policies.includes("disabled")) {
    yield [
      "planner",
      "a Planner cannot be written into a DynamoGraphDeployment here: search without one"
    ];
  }
}
function* scaledRoleRules({ modes }, { roles }) {
  const told2 = (mode) => mode === "agg" ? "aggregated" : "disaggregated";
  const known = new Set(modes.flatMap(rolesOfMode).map((role) => ROLE_NAMES[role]));
  for (const [role, { none }] of Object.entries(roles)) {
    const path = `autoscaler.workers.${role}`;
    if (!known.has(role)) yield [
      path,
      `engine.mode ${modes.map(told2).join(", ")} has no ${role} workers`
    ];
    else if (role !== "aggregated" && none) yield [
      path,
      SCALED_TO_ZERO
    ];
  }
  for (const mode of modes) {
    if (rolesOfMode(mode).some((role) => Object.hasOwn(roles, ROLE_NAMES[role]))) continue;
    yield [
      "autoscaler.workers",
      `no workers of engine.mode ${told2(mode)} are scaled: name them, or search another mode`
    ];
  }
}
function* notes({ engine, optimization, optimizer }, value) {
  if (!Object.hasOwn(value, "traffic")) {
    yield "no traffic section: 100 synthetic requests of 1024 prompt and 128 output tokens, 10 at a time, are searched with";
  }
  if (engine.contextLength === "max") {
    yield "engine.context_length is the model's longest: shapes that cannot hold one such sequence are ruled out; give the longest sequence that you serve to keep smaller ones";
  }
  const workers = value.engine?.workers ?? {};
  for (const [role, worker2] of Object.entries(workers)) {
    if (worker2?.timing?.calibration_forced !== true) continue;
    yield `the calibration of ${role} workers is forced: it corrects every configuration, also those that it was not fitted to`;
  }
  const given = value.engine?.hardware;
  if (optimization.hardware !== null && given !== "auto") {
    yield "optimization.hardware has no effect: engine.hardware is not auto";
  }
  if (isMapping(value.optimizer) && value.optimizer.algorithm === "bayesian") {
    yield `optimizer.algorithm bayesian is the reference's: here every configuration is replayed when there are at most max_trials (${optimizer.max_trials}) of them, else halving runs`;
  }
}

// lib/recommend/planner_domain.ts
var strictBoolean2 = reads((value) => typeof value === "boolean" ? value : new Problem("Input should be a valid boolean"));
var positive = () => nullish(intDomain({
  gt: 0
}));
var square = (value) => Number.isInteger(Math.sqrt(value));
var ENTRY_KEYS = /* @__PURE__ */ (() => {
  const flag = (value) => typeof value === "boolean";
  const count = (value) => Number.isInteger(value) && value > 0;
  const countOrNull = (value) => value === null || count(value);
  const number3 = (value) => typeof value === "number" && Number.isFinite(value) && value > 0;
  return {
    scaling_policy: {
      enable_throughput_scaling: flag,
      enable_load_scaling: flag,
      throughput_adjustment_interval_seconds: countOrNull,
      load_adjustment_interval_seconds: countOrNull
    },
    fpm_sampling: {
      max_num_fpm_samples: count,
      fpm_sample_bucket_size: (value) => count(value) && square(value)
    },
    load_sensitivity: {
      load_scaling_down_sensitivity: (value) => Number.isInteger(value) && value >= 0 && value <= 100,
      load_min_observations: count
    },
    load_predictor: {
      load_predictor: (value) => INDEPENDENT.load_predictor.load_predictor.includes(value),
      load_predictor_log1p: flag,
      prophet_window_size: count,
      kalman_q_level: number3,
      kalman_q_trend: number3,
      kalman_r: number3,
      kalman_min_points: count
    }
  };
})();
function entryProblem(group, entry2) {
  const names = Object.keys(PRESETS[group]);
  if (typeof entry2 === "string") {
    if (Object.hasOwn(PRESETS[group], entry2)) return void 0;
    const allowed = `Value error, ${group}.preset has invalid choice ${quote(entry2)}; allowed: ${quoteList(names.toSorted())}`;
    const near = nearName(entry2, names);
    return new Problem(allowed, near && didYouMean(near));
  }
  if (typeof entry2 !== "object" || entry2 === null || Array.isArray(entry2)) {
    return new Problem(`Value error, ${group}.preset entries are names or mappings of all keys of the group`);
  }
  const keys = ENTRY_KEYS[group];
  const given = entry2;
  const unknown2 = Object.keys(given).filter((key) => !Object.hasOwn(keys, key));
  if (unknown2.length > 0) {
    return new Problem(`Value error, ${group}.preset mapping has unknown keys ${quoteList(unknown2.toSorted())}; allowed: ${quoteList(Object.keys(keys).toSorted())}`);
  }
  const missing = Object.keys(keys).filter((key) => !Object.hasOwn(given, key));
  if (missing.length > 0) {
    return new Problem(`Value error, ${group}.preset mapping is missing required keys ${quoteList(missing.toSorted())}`);
  }
  const odd = Object.keys(keys).find((key) => !keys[key](given[key]));
  if (odd !== void 0) {
    return new Problem(`Value error, ${group}.preset mapping has no usable ${odd}: ${JSON.stringify(given[odd])}`);
  }
  if (group === "scaling_policy" && !given.enable_throughput_scaling && !given.enable_load_scaling && (given.throughput_adjustment_interval_seconds !== null || given.load_adjustment_interval_seconds !== null)) {
    return new Problem("Value error, disabled scaling policy requires null adjustment intervals");
  }
}
var preset2 = (group) => reads((value) => {
  if (value === "default" || value === false) return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return new Problem("Value error, preset list must be nonempty");
    for (const [i, entry2] of value.entries()) {
      const problem = entryProblem(group, entry2);
      if (problem !== void 0) return new Problem(problem.message, problem.hint, String(i));
      if (value.findIndex((other) => JSON.stringify(other) === JSON.stringify(entry2)) < i) {
        return new Problem("Value error, preset entries must differ", void 0, String(i));
      }
    }
    return value;
  }
  if (typeof value === "object" && value !== null) {
    return Object.keys(value).length === 0 ? false : new Problem("Value error, preset mapping must be empty to disable it");
  }
  return new Problem("Input should be 'default', false or a list of presets");
});
var control = (group) => nullish(section("PresetControl", {
  preset: optional(preset2(group), "default"),
  type: nullish(wordDomain([
    "constant",
    "arima",
    "prophet",
    "kalman"
  ]))
}, [
  (value) => group !== "load_predictor" && value.type != null ? "type belongs to load_predictor" : void 0
]));
var fields3 = {
  scaling_policy: control("scaling_policy"),
  fpm_sampling: control("fpm_sampling"),
  load_sensitivity: control("load_sensitivity"),
  load_predictor: control("load_predictor"),
  policy: optional(wordDomain([
    "disabled",
    "enabled"
  ])),
  enable_throughput_scaling: nullish(choicesDomain(strictBoolean2)),
  enable_load_scaling: nullish(choicesDomain(strictBoolean2)),
  throughput_adjustment_interval_seconds: positive(),
  load_adjustment_interval_seconds: positive(),
  max_throughput_scaling_replicas: optional(strictInt({
    gt: 0
  }), 8),
  max_num_fpm_samples: positive(),
  fpm_sample_bucket_size: positive(),
  load_scaling_down_sensitivity: nullish(intDomain({
    ge: 0
  })),
  load_min_observations: positive(),
  load_predictor_log1p: nullish(choicesDomain(strictBoolean2)),
  prophet_window_size: positive(),
  kalman_q_level: nullish(numberDomain({
    gt: 0
  })),
  kalman_q_trend: nullish(numberDomain({
    gt: 0
  })),
  kalman_r: nullish(numberDomain({
    gt: 0
  })),
  kalman_min_points: positive(),
  max_num_gpus: optional(strictInt({
    gt: 0
  }), 8),
  min_workers: nullish(intDomain({
    ge: 0
  })),
  prefill_min_workers: positive(),
  decode_min_workers: positive()
};
var knobsOf = (group) => Object.keys(INDEPENDENT[group]).filter((key) => key !== "load_predictor");
function presetConflicts(written) {
  for (const group of GROUPS) {
    const given = knobsOf(group).filter((key) => written[key] != null).toSorted();
    const control2 = written[group];
    if (control2 == null) {
      if (given.length === 0) continue;
      return `planner.${group} uses the default preset and cannot be combined with independent knobs ${quoteList(given)}`;
    }
    if (control2.preset === false) continue;
    if (control2.type != null) given.push("load_predictor.type");
    if (given.length > 0) {
      return `planner.${group}.preset cannot be combined with independent knobs ${quoteList(given)}`;
    }
  }
}
function valueRules({ load_scaling_down_sensitivity: sensitivity, fpm_sample_bucket_size: bucket }) {
  const values2 = (domain) => domain.kind === "choices" ? domain.values : [
    domain.max
  ];
  if (sensitivity != null && values2(sensitivity).some((value) => value > 100)) {
    return "load_scaling_down_sensitivity must be <= 100";
  }
  if (bucket == null) return void 0;
  if (bucket.kind === "choices" && bucket.values.every(square)) return void 0;
  const ranged = bucket.kind !== "choices" || !bucket.pinned;
  if (!ranged || !wholeValues(bucket).some(square)) return "fpm_sample_bucket_size values must be perfect squares";
}
function wholeValues(domain) {
  if (domain.kind === "choices") return domain.values;
  return Array.from({
    length: Math.floor(domain.max) - Math.ceil(domain.min) + 1
  }, (_2, i) => Math.ceil(domain.min) + i);
}
function groupSearch(group, written) {
  const control2 = written[group];
  const names = Object.keys(PRESETS[group]);
  if (control2 == null || control2.preset === "default") return {
    entries: names,
    explicit: false,
    separate: null
  };
  if (control2.preset !== false) return {
    entries: control2.preset,
    explicit: true,
    separate: null
  };
  const choices2 = /* @__PURE__ */ new Map();
  const log = [];
  for (const [key, searched] of Object.entries(INDEPENDENT[group])) {
    const domain = key === "load_predictor" ? control2.type : written[key];
    let values2 = domain == null ? searched : valuesOf(domain);
    if (key === "fpm_sample_bucket_size") values2 = values2.filter((value) => square(value));
    if (domain != null && domain.kind !== "choices") log.push(key);
    choices2.set(key, values2);
  }
  const entries = [
    ...choices2
  ].reduce((all, [key, values2]) => all.flatMap((entry2) => values2.map((value) => ({
    ...entry2,
    [key]: value
  }))), [
    {}
  ]);
  return {
    entries,
    explicit: false,
    separate: group === "load_predictor" ? null : {
      choices: choices2,
      log
    }
  };
}
function valuesOf(domain) {
  if (domain.kind === "choices") return domain.values;
  return domain.kind === "integers" ? wholeValues(domain) : [
    domain.min,
    domain.max
  ];
}
var plannerSearch = pipe(section("PlannerDomain", fields3, [
  presetConflicts,
  valueRules
]), transform((written) => ({
  policies: (written.policy ?? listed([
    "disabled",
    "enabled"
  ])).values,
  groups: Object.fromEntries(GROUPS.map((group) => [
    group,
    groupSearch(group, written)
  ])),
  maxNumGpus: written.max_num_gpus,
  maxThroughputReplicas: written.max_throughput_scaling_replicas,
  minWorkers: written.min_workers ?? null,
  prefillMinWorkers: written.prefill_min_workers ?? null,
  decodeMinWorkers: written.decode_min_workers ?? null
})));

// lib/recommend/traffic_domain.ts
var LOAD_TYPES = [
  "concurrency",
  "poisson",
  "constant_rate",
  "trace_timestamps",
  "kv_capacity_fraction"
];
var above0 = (field) => `traffic.load.${field} range requires min > 0`;
var load2 = section("LoadDomain", {
  type: optional(literal2(LOAD_TYPES), "concurrency"),
  concurrency: nullish(intDomain({
    gt: 0
  }, above0("concurrency"))),
  requests_per_second: nullish(numberDomain({
    gt: 0
  }, above0("requests_per_second"))),
  sessions_per_second: nullish(numberDomain({
    gt: 0
  }, above0("sessions_per_second"))),
  fraction: nullish(numberDomain({
    gt: 0
  }, above0("fraction"))),
  speedup: nullish(numberDomain({
    gt: 0
  }, above0("speedup"))),
  seed: anything(),
  agentic_lanes: anything(),
  agentic_snapshot: anything(),
  agentic_warmup: anything(),
  agentic_profile: anything()
}, [
  ({ type, fraction, concurrency, requests_per_second, sessions_per_second, speedup }) => {
    if (type !== "kv_capacity_fraction") {
      return fraction == null ? void 0 : `traffic.load.type='${type}' does not accept ['fraction']`;
    }
    if (fraction == null) return "traffic.load.type='kv_capacity_fraction' requires fraction";
    const others = {
      concurrency,
      requests_per_second,
      sessions_per_second,
      speedup
    };
    const surplus = Object.entries(others).filter(([, value]) => value != null).map(([name]) => `'${name}'`);
    return surplus.length > 0 ? `traffic.load.type='${type}' does not accept [${surplus.join(", ")}]` : void 0;
  }
]);
var shell2 = section("TrafficDomain", {
  source: anything(),
  load: optional(load2),
  stop: anything()
});
function readTraffic(value) {
  if (value === void 0) return {
    traffic: trafficOf(structuredClone(DEFAULT_TRAFFIC), "concurrency", pinned(10))
  };
  const read = safeParse(shell2, value);
  if (!read.success) return {
    issues: read.issues
  };
  const given = read.output.load;
  const type = given?.type ?? "concurrency";
  const unit = value.source?.type === "synthetic-session" ? "sessions" : "requests";
  const field = type === "trace_timestamps" ? "speedup" : type === "kv_capacity_fraction" ? "fraction" : type === "concurrency" ? "concurrency" : `${unit}_per_second`;
  const domain = given?.[field] ?? void 0;
  const prediction = structuredClone(value);
  if (given !== void 0) {
    if (type === "kv_capacity_fraction") {
      const { fraction: _2, type: _type, ...rest } = prediction.load;
      prediction.load = {
        ...rest,
        type: "concurrency",
        concurrency: 1
      };
    }
    for (const name of [
      "concurrency",
      "requests_per_second",
      "sessions_per_second",
      "speedup"
    ]) {
      if (given[name] != null) prediction.load[name] = representative(given[name]);
    }
  }
  const checked2 = safeParse(trafficSection, prediction);
  if (!checked2.success) return {
    issues: checked2.issues
  };
  if (type === "kv_capacity_fraction" && checked2.output.source.type === "trace") {
    return {
      issues: issue("Value error, trace traffic requires trace_timestamps or concurrency load: kv_capacity_fraction needs lengths to fill the cache with")
    };
  }
  return {
    traffic: trafficOf(prediction, field, domain ?? pinned(field === "concurrency" ? 10 : 1))
  };
}
function issue(message) {
  return safeParse(custom(() => false, message), null).issues;
}
function trafficOf(prediction, field, domain) {
  const { source } = prediction;
  const lengths = source.type === "trace" ? null : source.type === "synthetic" ? {
    input: source.input_tokens ?? 1024,
    output: source.output_tokens ?? 128
  } : {
    input: source.new_input_tokens_per_turn ?? 1024,
    output: source.output_tokens_per_turn ?? 128
  };
  const drawn = domain.kind === "integers" ? {
    kind: "continuous",
    min: domain.min,
    max: domain.max,
    log: true
  } : domain;
  return {
    prediction,
    field,
    domain: drawn,
    lengths
  };
}

// lib/recommend/search_sections.ts
function readSections(document2, stack, issues) {
  const { value } = document2;
  const tell = (section2, found) => issues.push(...placedIssues(document2, section2, found));
  const read = (section2, schema, absent) => {
    if (!Object.hasOwn(value, section2) && absent === void 0) {
      issues.push(placed(document2, section2, [
        section2
      ], "Field required"));
      return void 0;
    }
    const result = safeParse(schema, Object.hasOwn(value, section2) ? value[section2] : absent);
    if (!result.success) tell(section2, result.issues);
    return result.success ? result.output : void 0;
  };
  const traffic = readTraffic(Object.hasOwn(value, "traffic") ? value.traffic : void 0);
  if ("issues" in traffic) tell("traffic", traffic.issues);
  const optimization = read("optimization", optimizationSection, void 0);
  const optimizer = read("optimizer", optimizerSection, {});
  const evaluation = read("evaluation", evaluationSection, {});
  const execution = read("execution", executionSection, {});
  const lengths = "traffic" in traffic ? traffic.traffic.lengths : null;
  let engine;
  if (!Object.hasOwn(value, "engine")) issues.push(placed(document2, "engine", [
    "engine"
  ], "Field required"));
  else {
    const found = readEngine(value.engine, optimization?.hardware ?? null, lengths);
    if ("issues" in found) tell("engine", found.issues);
    else engine = found.engine;
  }
  const own = (section2, schema) => stack === "dynamo" && Object.hasOwn(value, section2) ? read(section2, schema, void 0) ?? null : null;
  return {
    traffic: "traffic" in traffic ? traffic.traffic : void 0,
    engine,
    sla: evaluation?.sla ?? null,
    price: readPrice(document2, evaluation, optimization, issues),
    resources: execution?.resources,
    optimization,
    optimizer,
    router: own("router", routerSearch),
    planner: own("planner", plannerSearch),
    autoscaler: scaled(own("autoscaler", autoscalerSection))
  };
}
function scaled(section2) {
  if (section2 === null) return null;
  const roles = {};
  for (const [role, settings] of Object.entries(section2.workers)) {
    if (settings === null) continue;
    roles[role] = {
      most: mostReplicas(settings),
      none: leavesNone(settings)
    };
  }
  return {
    type: section2.type,
    roles
  };
}
function readPrice(document2, evaluation, optimization, issues) {
  const price = evaluation ? pricePlan(evaluation) : null;
  if (!optimization) return price;
  const { gpu_hour_price: price_per_gpu_hour, currency } = optimization;
  const other = pricePlan({
    price_per_gpu_hour,
    currency
  });
  if (price === null || other === null) return price ?? other;
  if (price.perGpuHour !== other.perGpuHour || price.currency !== other.currency) {
    const message = "Value error, gpu_hour_price is another price than evaluation.price_per_gpu_hour: give one of them";
    issues.push(placed(document2, "", [
      "optimization",
      "gpu_hour_price"
    ], message));
  }
  return price;
}

// lib/recommend/load.ts
var OPTIONS3 = {
  name: true,
  stack: true,
  set: true,
  outputs: true
};
var CORE = [
  "engine",
  "evaluation",
  "execution",
  "optimization",
  "optimizer",
  "traffic"
];
var STACK_SECTIONS = {
  dynamo: [
    "autoscaler",
    "planner",
    "router"
  ],
  engine: []
};
var OUTPUTS = [
  "dgd"
];
function loadRecommendation(text2, options = {}) {
  checkOptions("loadRecommendation()", options, OPTIONS3);
  const { name = "configuration", set = [], outputs = [] } = options;
  const document2 = new ConfigDocument(name, text2);
  for (const argument of set) document2.override(argument, {
    search: true
  });
  const { value } = document2;
  const stack = options.stack ?? (STACK_SECTIONS.dynamo.some((section2) => Object.hasOwn(value, section2)) ? "dynamo" : "engine");
  checkStack(stack);
  const issues = [];
  checkOutputs(document2, outputs, issues);
  checkNames(document2, stack, outputs, issues);
  const read = readSections(document2, stack, issues);
  if (issues.length > 0) throw configError(name, issues);
  const found = read;
  for (const [path, message] of [
    ...crossRules(found),
    ...outputRules(found, outputs)
  ]) {
    issues.push(placed(document2, "", path.split("."), `Value error, ${message}`));
  }
  if (issues.length > 0) throw configError(name, issues);
  const numbers2 = document2.ambiguousNumbers().map(({ place: { file, line: line2, column }, text: text3, ours, theirs }) => `${file}:${line2}:${column}: ${text3} is ${ours} here (YAML 1.2); a YAML 1.1 reader takes it for ${theirs}`);
  return {
    stack,
    ...found,
    sections: Object.keys(value).filter((key) => STACK_SECTIONS[stack].includes(key)),
    outputs: Object.fromEntries(outputs.map((output) => [
      output,
      value[output]
    ])),
    written: value,
    warnings: [
      ...numbers2,
      ...notes(found, value)
    ],
    place: (error) => placedError(document2, error)
  };
}
function checkOutputs(document2, outputs, issues) {
  for (const output of outputs) {
    const refuse = (message, hint) => issues.push(placed(document2, "", [
      output
    ], message, hint));
    if (!/^[\w-]+$/.test(output)) refuse(`invalid --output name ${quote(output)}`);
    else if ([
      ...CORE,
      ...STACK_SECTIONS.dynamo
    ].includes(output)) {
      refuse(`output adapter name ${quote(output)} collides with a recommendation input section`);
    } else if (!Object.hasOwn(document2.value, output)) {
      refuse(`--output ${quote(output)} requires a top-level ${quote(output)} configuration section`);
    } else if (!OUTPUTS.includes(output)) {
      const near = nearName(output, OUTPUTS);
      refuse(`output adapter ${quote(output)} is unavailable; installed adapters: ${OUTPUTS.join(", ")}`, near && didYouMean(near));
    } else if (!isMapping(document2.value[output])) refuse(`output section ${quote(output)} must be a mapping`);
  }
}
function checkNames(document2, stack, outputs, issues) {
  const known = [
    ...CORE,
    ...STACK_SECTIONS[stack]
  ].toSorted();
  for (const section2 of Object.keys(document2.value)) {
    if (known.includes(section2) || outputs.includes(section2)) continue;
    const near = nearName(section2, known);
    const message = `unknown top-level section ${quote(section2)}${near ? ` (did you mean ${quote(near)}?)` : ""}; known sections for --stack ${stack}: ${known.join(", ")}`;
    const hint = OUTPUTS.includes(section2) ? `it belongs to --output ${section2}` : STACK_SECTIONS.dynamo.includes(section2) ? "use --stack dynamo" : void 0;
    issues.push(placed(document2, "", [
      section2
    ], message, hint));
  }
}

export {
  LOAD_AXES,
  capacity,
  MOST_WARNINGS,
  MOST_WARNING,
  CAPACITY_KIND,
  workerGpus,
  strategyOf,
  ROLE_NAMES,
  PREFIX_FORMATS,
  prepare,
  withoutResources,
  shapeText,
  searchSpace,
  Journal,
  shardText,
  readShard,
  readShards,
  nobody,
  RecommendRun,
  recommend,
  candidates,
  CANDIDATE_KIND,
  TARGETS,
  ALGORITHMS,
  loadRecommendation
};
