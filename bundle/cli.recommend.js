import {
  Journal,
  ROLE_NAMES,
  loadRecommendation,
  nobody,
  readShard,
  readShards,
  recommend,
  shapeText,
  shardText,
  strategyOf,
  withoutResources,
  workerGpus
} from "./search.js";
import "./retune.js";
import "./router.js";
import {
  canonicalJson
} from "./planner.js";
import "./traces.js";
import "./core.js";
import {
  threads
} from "./shared.js";
import {
  CURRENCY,
  EXECUTOR,
  Problem,
  STACKS,
  attainment,
  compactJson,
  configText,
  effectiveConfig,
  joinPath,
  literal,
  nonemptyText,
  orNull,
  prepareOutput,
  reads,
  replayers,
  section,
  startSearchWatch,
  strictInt,
  supervised,
  text as text2,
  withDefault,
  writeTogether
} from "./config.js";
import {
  issueText
} from "./timing.js";
import {
  ConfigError,
  EXIT,
  Interrupted,
  ProgressBar,
  ResourceLimitError,
  UsageError,
  alignedRows,
  barLine,
  choice,
  command,
  csvLine,
  csvText,
  exitCode,
  flag,
  getDotPath,
  grouped,
  host,
  list,
  outputColumns,
  paint,
  safeParse,
  takeFolder,
  text,
  warn,
  wrapped,
  writeText
} from "./base.js";

// lib/recommend/dgd.ts
var nameText = reads((value) => {
  if (typeof value !== "string" || value === "") return new Problem("Input should be a valid string");
  if (/[/\\]/.test(value)) return new Problem("Value error, name must not contain path separators");
  const other = value.match(/\{(?!index\})[^}]*\}?/);
  return other === null ? value : new Problem(`Value error, only {index} may be templated, found ${other[0]}`);
});
var schema = section("DGDOutputConfig", {
  name: nameText,
  namespace: orNull(nonemptyText()),
  generator: withDefault(literal([
    "aic",
    "direct"
  ]), "direct"),
  format: withDefault(literal([
    "manifest",
    "kustomize"
  ]), "manifest"),
  output_file: orNull(text2((file) => /\.ya?ml$/.test(file) && !/(^|\/)\.\.?(\/|$)|^\//.test(file) ? file : new Problem("Value error, output_file must be a .yaml or .yml name inside the output directory"))),
  output_dir: orNull(nonemptyText()),
  runtime_image: nonemptyText(),
  runtime_version_override: orNull(nonemptyText()),
  num_gpus_per_node: strictInt({
    gt: 0
  })
}, [
  ({ format, output_file }) => format === "manifest" && output_file === null ? "format manifest requires output_file" : void 0,
  ({ runtime_image, runtime_version_override }) => runtime_version_override === null && !/:\d+\.\d+\.\d+$/.test(runtime_image) ? "the tag of runtime_image must be MAJOR.MINOR.PATCH, or runtime_version_override given" : void 0
]);
function readDgd(value, target) {
  const refuse = (path, message) => {
    throw new ConfigError(message, [
      {
        path,
        message
      }
    ]);
  };
  const read = safeParse(schema, value);
  if (!read.success) {
    const told = read.issues.map((issue) => {
      const path = [
        "dgd",
        getDotPath(issue)
      ].filter((part) => part !== null).join(".");
      return {
        path,
        message: `dgd${getDotPath(issue) === null ? ": " : "."}${issueText(issue)}`
      };
    });
    throw new ConfigError("the dgd section cannot be used", told);
  }
  const dgd = read.output;
  if (dgd.format === "kustomize") refuse("dgd.format", "format kustomize is not written; use manifest");
  if (dgd.generator === "aic") refuse("dgd.generator", "generator aic is not there; use direct");
  for (const key of [
    "name",
    "output_file"
  ]) {
    const templated = dgd[key].includes("{index}");
    if (target === "pareto" && !templated) {
      refuse(`dgd.${key}`, `a Pareto search writes every front member: ${key} needs {index}`);
    }
    if (target !== "pareto" && templated) {
      refuse(`dgd.${key}`, `only a Pareto search has several winners: ${key} must not have {index}`);
    }
  }
  return dgd;
}
var FLAGS = {
  vllm: {
    model: "--model",
    tensor: "--tensor-parallel-size",
    data: "--data-parallel-size",
    block: "--block-size",
    memory: "--gpu-memory-utilization",
    prefix: "--enable-prefix-caching",
    sequences: "--max-num-seqs",
    tokens: "--max-num-batched-tokens",
    served: "--served-model-name",
    context: "--max-model-len"
  },
  sglang: {
    model: "--model-path",
    tensor: "--tp-size",
    data: "--dp-size",
    block: "--page-size",
    memory: "--mem-fraction-static",
    sequences: "--max-running-requests",
    tokens: "--chunked-prefill-size",
    served: "--served-model-name",
    context: "--context-length"
  },
  trtllm: {
    model: "--model-path",
    tensor: "--tensor-parallel-size",
    memory: "--free-gpu-memory-fraction",
    block: "--kv-block-size",
    sequences: "--max-batch-size",
    tokens: "--max-num-tokens",
    served: "--served-model-name",
    context: "--max-seq-len"
  }
};
var EXPERT_FLAGS = {
  vllm: () => [
    "--enable-expert-parallel"
  ],
  sglang: (size) => [
    "--ep-size",
    String(size)
  ],
  trtllm: (size) => [
    "--expert-parallel-size",
    String(size)
  ]
};
var ROLE_FLAGS = {
  vllm: (role) => role === "prefill" ? [
    "--is-prefill-worker"
  ] : [],
  sglang: (role) => [
    "--disaggregation-mode",
    role
  ],
  trtllm: (role) => [
    "--disaggregation-mode",
    role
  ]
};
var SECRET = [
  {
    secretRef: {
      name: "hf-token-secret"
    }
  }
];
function manifestOf(document, dgd, index, annotation) {
  const { engine, router = {}, planner } = document;
  const refuse = (message) => {
    throw new ConfigError(message, [
      {
        path: "dgd",
        message
      }
    ]);
  };
  if (planner?.policy === "enabled") {
    refuse("a Planner cannot be written into a DynamoGraphDeployment here; search with planner.policy: disabled");
  }
  if ((router.prefill_load_model?.type ?? "none") !== "none") {
    refuse("a prefill load model cannot be written into a DynamoGraphDeployment; search with type: none");
  }
  const roles = Object.entries(engine.workers);
  const name = dgd.name.replaceAll("{index}", String(index).padStart(3, "0"));
  return {
    apiVersion: "nvidia.com/v1beta1",
    kind: "DynamoGraphDeployment",
    metadata: {
      name,
      ...dgd.namespace === null ? {} : {
        namespace: dgd.namespace
      },
      annotations: {
        "nvidia.com/sweeper-evaluation-context": JSON.stringify(annotation)
      }
    },
    spec: {
      components: [
        frontend(router, dgd),
        ...roles.map(([role, worker]) => component(role, worker, engine, dgd, refuse))
      ]
    }
  };
}
function frontend(router, { runtime_image }) {
  const kv = router.policy === "kv_router";
  const env = [
    [
      "DYN_ROUTER_MODE",
      kv ? "kv" : "round-robin"
    ]
  ];
  if (kv) {
    env.push([
      "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT",
      decimal(router.overlap_score_credit ?? 1)
    ], [
      "DYN_ROUTER_PREFILL_LOAD_SCALE",
      decimal(router.prefill_load_scale ?? 1)
    ], [
      "DYN_ROUTER_TEMPERATURE",
      decimal(router.temperature ?? 0)
    ], [
      "DYN_ROUTER_PREFILL_LOAD_MODEL",
      "none"
    ]);
  }
  return {
    name: "Frontend",
    type: "frontend",
    replicas: 1,
    podTemplate: {
      spec: {
        containers: [
          {
            name: "main",
            image: runtime_image,
            command: [
              "python3"
            ],
            args: [
              "-m",
              "dynamo.frontend"
            ],
            envFrom: SECRET,
            env: env.map(([name, value]) => ({
              name,
              value
            }))
          }
        ]
      }
    }
  };
}
var decimal = (value) => Number.isInteger(value) ? `${value}.0` : String(value);
function component(role, worker, engine, dgd, refuse) {
  const { parallelism, kv_cache, scheduler } = worker;
  const { tensor, attention_data: data, moe_tensor: moeTensor, moe_expert: experts } = parallelism;
  const flags = FLAGS[engine.backend];
  if (tensor > 1 && data > 1) refuse("unknown parallelism strategy 'mixed': tensor and attention_data together");
  if (data > 1 && experts === 1 && moeTensor > 1) refuse("unknown parallelism strategy 'dtp'");
  const gpus = tensor * data;
  if (gpus > dgd.num_gpus_per_node) {
    refuse(`a worker of ${gpus} GPUs does not fit a node of ${dgd.num_gpus_per_node}; multi-node workers are not written`);
  }
  const args = [
    flags.model,
    engine.model,
    flags.tensor,
    String(engine.backend === "sglang" || engine.backend === "trtllm" ? gpus : tensor)
  ];
  if (data > 1) {
    if (engine.backend === "trtllm") args.push("--enable-attention-dp");
    else args.push(flags.data, String(data));
    if (engine.backend === "sglang") args.push("--enable-dp-attention");
  }
  if (experts > 1) args.push(...EXPERT_FLAGS[engine.backend](experts));
  args.push(flags.block, String(kv_cache.block_size));
  if (kv_cache.capacity.type === "default") args.push(flags.memory, String(kv_cache.capacity.memory_fraction));
  if (kv_cache.prefix_caching !== false && flags.prefix) args.push(flags.prefix);
  args.push(flags.sequences, String(scheduler.max_sequences), flags.tokens, String(scheduler.max_batched_tokens));
  if (role !== "aggregated") args.push(...ROLE_FLAGS[engine.backend](role));
  args.push(flags.served, engine.model, flags.context, String(worker.context_length ?? engine.context_length));
  return {
    name: role === "aggregated" ? "worker" : role,
    type: role === "aggregated" ? "worker" : role,
    replicas: parallelism.replicas,
    podTemplate: {
      spec: {
        containers: [
          {
            name: "main",
            image: dgd.runtime_image,
            workingDir: `/workspace/examples/backends/${engine.backend}`,
            command: [
              "python3",
              "-m",
              `dynamo.${engine.backend}`
            ],
            args,
            resources: {
              limits: {
                "nvidia.com/gpu": String(gpus)
              },
              requests: {
                "ephemeral-storage": "2Gi",
                "nvidia.com/gpu": String(gpus)
              }
            },
            envFrom: SECRET
          }
        ]
      }
    }
  };
}
function dgdFiles(winners, dgd) {
  const files = winners.map(({ document, config }, index) => {
    const annotation = {
      aic_nextn: null,
      concurrency: config.concurrency ?? null,
      gpu_budget: config.gpu_budget ?? null,
      hardware_sku: config.hardware_sku ?? null,
      min_gpu_budget: config.min_gpu_budget ?? null,
      startup_time: null
    };
    const name = dgd.output_file.replaceAll("{index}", String(index).padStart(3, "0"));
    return [
      name,
      [
        effectiveConfig(manifestOf(document, dgd, index, annotation))
      ]
    ];
  });
  const list2 = {
    artifacts: files.map(([path]) => ({
      path
    })),
    output: "dgd",
    renderer: dgd.generator
  };
  return [
    ...files,
    [
      "index.json",
      [
        `${JSON.stringify(list2, null, 2)}
`
      ]
    ]
  ];
}

// lib/recommend/describe.ts
var BACKEND_NAMES = {
  vllm: "vLLM",
  sglang: "SGLang",
  trtllm: "TensorRT-LLM"
};
var grouped2 = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
function deploymentText({ suggestion: { mode, backend, roles } }) {
  const name = BACKEND_NAMES[backend] ?? backend;
  const shapes = roles.map((one) => workerGpus(one) === 1 ? "tensor 1" : shapeText(one));
  if (mode === "agg") return `${roles[0].replicas} \xD7 ${name} ${shapes[0]}`;
  return `${name} ${roles[0].replicas} \xD7 prefill ${shapes[0]} + ${roles[1].replicas} \xD7 decode ${shapes[1]}`;
}
function candidateText(candidate) {
  const { config } = candidate;
  const adapters = config.adapters ?? {};
  const router = adapters["dynamo.router"], planner = adapters["dynamo.planner"];
  const limit = (role, what) => {
    const value = config[`${role}_${what}`];
    return typeof value === "number" ? grouped2(value) : void 0;
  };
  const roles = candidate.suggestion.mode === "agg" ? [
    "agg"
  ] : [
    "prefill",
    "decode"
  ];
  const both = (what) => [
    ...new Set(roles.map((role) => limit(role, what)).filter((value) => value !== void 0))
  ].join("/");
  const load = config.concurrency ?? config.replay_concurrency;
  return [
    deploymentText(candidate),
    router && routerText(router),
    planner?.policy === "enabled" ? plannerText(planner) : void 0,
    candidate.document?.autoscaler && autoscalerText(candidate.document.autoscaler),
    `${both("max_num_batched_tokens")} batched tokens`,
    `${both("max_num_seqs")} sequences`,
    config.traffic_load === void 0 ? void 0 : typeof load === "number" ? `${grouped2(load)} at a time` : config.request_rate !== void 0 ? `${config.request_rate} requests/s` : `speedup ${config.arrival_speedup_ratio}`
  ].filter((part) => part !== void 0).join(", ");
}
function routerText({ policy, overlap_score_credit: credit, prefill_load_scale: scale, temperature }) {
  if (policy !== "kv_router") return String(policy);
  return `kv_router (credit ${credit}, load scale ${short(scale)}, temperature ${short(temperature)})`;
}
var short = (value) => typeof value === "number" ? String(Number(value.toPrecision(3))) : String(value);
function autoscalerText({ type, workers }) {
  const most = Object.values(workers).map(({ max_replicas, max_replica_count = 100 }) => max_replicas ?? max_replica_count);
  return `${String(type).toUpperCase()} up to ${most.join(" + ")} workers`;
}
function plannerText(planner) {
  const loops = [
    planner.enable_throughput_scaling ? "throughput" : "",
    planner.enable_load_scaling ? "load" : ""
  ];
  return `Planner on ${loops.filter((loop) => loop !== "").join(" and ")}, up to ${planner.max_num_gpus} GPUs`;
}

// lib/recommend/ledger.ts
var idOf = (index) => `candidate-${String(index + 1).padStart(6, "0")}`;
function ledgerOf(found, version) {
  const { open, evaluated, ranked, repeats } = found;
  const ids = new Map(evaluated.map((result, i) => [
    result,
    idOf(i)
  ]));
  const { selected, folded } = unfolded(ranked);
  const view = selected.map((result) => ids.get(result));
  const pareto = open.goal.target === "pareto";
  const count = (status) => evaluated.filter((result) => result.status === status).length;
  const counts = Object.fromEntries([
    "feasible",
    "infeasible",
    "unsupported",
    "timed_out",
    "failed",
    "resource_limited"
  ].map((status) => [
    status,
    count(status)
  ]));
  counts.evaluated = counts.feasible + counts.infeasible + counts.timed_out + counts.failed;
  counts.cache_hits = repeats;
  return {
    ledger: {
      schema_version: "1.1",
      candidate_retention: "all",
      candidates: evaluated.map((result) => recordOf(found, result, ids.get(result))),
      counts,
      views: {
        top_n: pareto ? [] : view,
        pareto_front: pareto ? view : []
      },
      provenance: runProvenance(found, version)
    },
    documents: selected.map((result) => result.trial.candidate.document),
    folded
  };
}
function unfolded(ranked) {
  const whole = /* @__PURE__ */ new Set(), variants = /* @__PURE__ */ new Set();
  const selected = [];
  let folded = 0;
  for (const result of ranked) {
    const document = result.trial.candidate.document;
    const text3 = canonicalJson(document);
    if (whole.has(text3)) continue;
    whole.add(text3);
    const { score, objectives, metrics } = result;
    const variant = canonicalJson({
      document: withoutLimits(document),
      score,
      objectives,
      metrics
    });
    if (variants.has(variant)) {
      folded++;
      continue;
    }
    variants.add(variant);
    selected.push(result);
  }
  return {
    selected,
    folded
  };
}
function withoutLimits(document) {
  const workers = Object.entries(document.engine.workers).map(([role, { scheduler: _, ...worker }]) => [
    role,
    worker
  ]);
  return {
    ...document,
    engine: {
      ...document.engine,
      workers: Object.fromEntries(workers)
    }
  };
}
function recordOf(found, result, id) {
  const { trial: { candidate }, status, score, objectives, metrics, category, reason } = result;
  return {
    candidate_id: id,
    status,
    config: candidate.config,
    prediction_config: candidate.document,
    used_gpus: candidate.usedGpus,
    score,
    metrics: metrics && {
      ...metrics
    },
    objectives: objectives && {
      ...objectives
    },
    reason_category: category,
    reason,
    provenance: provenanceOf(found, result)
  };
}
function provenanceOf({ open: { search, goal } }, { trial: { candidate } }) {
  const { config, suggestion: { mode, backend, roles } } = candidate;
  const keys = mode === "agg" ? [
    "agg"
  ] : [
    "prefill",
    "decode"
  ];
  const prefix = (key) => key === "agg" ? "" : `${key}_`;
  return {
    model: search.engine.model,
    hardware: search.engine.hardware,
    backend,
    backend_version: config.backend_version,
    performance_data: keys.map((key, i) => ({
      role: ROLE_NAMES[key],
      source: "backend_deployment",
      provider: "dynosim",
      config: {
        system: search.engine.roles[key].hardware,
        backend,
        backend_version: config.backend_version,
        model_path: search.engine.model,
        tp_size: roles[i].tensor,
        attention_dp_size: roles[i].attentionData,
        moe_tp_size: roles[i].moeTensor,
        moe_ep_size: roles[i].moeExpert
      }
    })),
    topology: {
      deployment_mode: mode,
      ...Object.fromEntries(keys.flatMap((key, i) => [
        [
          `${prefix(key)}tp`,
          roles[i].tensor
        ],
        [
          `${prefix(key)}pp`,
          roles[i].pipeline
        ],
        [
          `${prefix(key)}attention_dp`,
          roles[i].attentionData
        ],
        [
          `${prefix(key)}moe_tp`,
          roles[i].moeTensor
        ],
        [
          `${prefix(key)}moe_ep`,
          roles[i].moeExpert
        ],
        [
          `${prefix(key)}replicas`,
          roles[i].replicas
        ],
        [
          `${prefix(key)}strategy`,
          strategyOf(roles[i])
        ]
      ]))
    },
    objective: {
      target: goal.target,
      strict_sla: goal.strictSla,
      min_goodput_rps: goal.minGoodputRps,
      ...goal.minAttainment === null ? {} : {
        min_attainment: goal.minAttainment
      }
    },
    sla: goal.sla,
    power: {
      power_w: null,
      power_coverage: null,
      source: "runner_reported",
      unavailable_reason: "no energy provider"
    },
    operations: [],
    runner_metadata: {},
    description: candidateText(candidate)
  };
}
function runProvenance({ open, screened, interrupted }, version) {
  const { search, space, plan, id } = open;
  return {
    search_strategy: plan.algorithm,
    implementation: "dynosim.recommend",
    implementation_version: version,
    // named by what was searched instead of by the moment, so that the same search writes the same files
    run_id: id.slice(0, 32),
    created_at: null,
    input_fingerprint: `sha256:${id}`,
    config: search.written,
    stack: search.stack,
    space: {
      configurations: Number.isFinite(plan.size) ? plan.size : null,
      most_replays: plan.most,
      interrupted,
      ruled_out: space.ruledOut.map(({ mode, backend, role, shape, why, reason, combinations }) => ({
        deployment_mode: mode,
        backend,
        role: ROLE_NAMES[role],
        shape: shape && shapeText(shape),
        gpus_per_worker: shape && workerGpus(shape),
        why,
        reason,
        combinations
      })),
      load_predictors: space.predictors,
      screened: screened.map(({ trial: { candidate, requests }, status, score, reason }) => ({
        config: candidate.config,
        requests,
        status,
        score,
        reason
      }))
    }
  };
}

// lib/recommend/result_files.ts
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([, item]) => item !== void 0);
  return Object.fromEntries(entries.sort(([a], [b]) => a < b ? -1 : 1).map(([key, item]) => [
    key,
    sorted(item)
  ]));
}
function* ledgerText(ledger) {
  const { candidates, ...rest } = ledger;
  const parts = Object.entries({
    ...rest,
    candidates: null
  }).sort(([a], [b]) => a < b ? -1 : 1);
  yield "{\n";
  for (const [i, [key, value]] of parts.entries()) {
    const end = i < parts.length - 1 ? ",\n" : "\n";
    if (key !== "candidates") {
      yield `  ${JSON.stringify(key)}: ${indented(value, 2)}${end}`;
      continue;
    }
    yield `  "candidates": [`;
    for (const [j, record] of candidates.entries()) yield `${j > 0 ? "," : ""}
    ${indented(record, 4)}`;
    yield `${candidates.length > 0 ? "\n  " : ""}]${end}`;
  }
  yield "}\n";
}
var indented = (value, blanks) => JSON.stringify(sorted(value), null, 2).replaceAll("\n", `
${" ".repeat(blanks)}`);
var COLUMNS = [
  "schema_version",
  "candidate_id",
  "status",
  "reason_category",
  "reason",
  "used_gpus",
  "score",
  "power_w",
  "power_coverage",
  "power_source",
  "config_json",
  "prediction_config_json",
  "metrics_json",
  "objectives_json",
  "provenance_json",
  "is_top_n",
  "is_pareto"
];
var json = (value) => JSON.stringify(sorted(value));
var truth = (value) => value ? "True" : "False";
function* ledgerTable({ schema_version, candidates, views }) {
  yield csvLine(COLUMNS);
  const top = new Set(views.top_n), front = new Set(views.pareto_front);
  for (const record of candidates) yield csvLine(row(schema_version, record, top, front));
}
function row(version, record, top, front) {
  const { candidate_id, metrics } = record;
  return [
    version,
    candidate_id,
    record.status,
    record.reason_category,
    record.reason,
    record.used_gpus,
    record.score,
    metrics?.power_w,
    metrics?.power_coverage,
    "runner_reported",
    json(record.config),
    json(record.prediction_config),
    json(metrics),
    json(record.objectives),
    json(record.provenance),
    truth(top.has(candidate_id)),
    truth(front.has(candidate_id))
  ];
}
function resultFiles({ ledger, documents }, stack) {
  return [
    ...documents.map((document, i) => [
      `recommendations/${String(i + 1).padStart(4, "0")}.yaml`,
      [
        `# dynosim predict --stack ${stack} --config ${String(i + 1).padStart(4, "0")}.yaml
`,
        effectiveConfig(document)
      ]
    ]),
    [
      "recommendation.csv",
      ledgerTable(ledger)
    ],
    [
      "recommendation.json",
      ledgerText(ledger)
    ]
  ];
}

// cli/search_output.ts
async function prepareSearchOutput(folder, overwrite, search) {
  const journal = joinPath(folder, "execution-events.jsonl");
  if (!overwrite && host().kind(journal) === "file") {
    takeFolder(folder);
    if (await Journal.searchIn(journal) === search) return;
  }
  await prepareOutput(folder, overwrite);
}

// cli/search_texts.ts
var MOST_ROWS = 10;
var short2 = (value) => String(Number(value.toPrecision(4)));
var ofCalibration = (reason) => reason.includes("calibration is of another deployment");
function spaceLine({ search, space, plan }) {
  const shapes = space.branches.reduce((sum, { pool }) => sum + pool.length, 0);
  const many = Number.isFinite(plan.size) ? grouped(plan.size) : "endlessly many";
  const out = space.ruledOut.reduce((sum, { combinations }) => sum + combinations, 0);
  const because = (why, text3, also = () => true) => {
    const count = space.ruledOut.filter((one) => one.why === why && also(one.reason)).reduce((sum, { combinations }) => sum + combinations, 0);
    return count > 0 ? [
      `${grouped(count)} ${text3}`
    ] : [];
  };
  const reasons = [
    ...because("model", "do not hold the model"),
    ...because("context", "do not hold one sequence of the longest kind"),
    ...because("split", "do not divide the model"),
    ...because("backend", "are not for their backend"),
    ...because("sla", "miss the SLA even when idle"),
    ...because("data", "are not what the calibration was fitted to", ofCalibration),
    ...because("data", "cannot be timed", (reason) => !ofCalibration(reason))
  ];
  const how = plan.algorithm === "exhaustive" ? "all of them" : `${plan.algorithm}, at most ${grouped(plan.most)} replays`;
  const ruled = out > 0 ? ` (${grouped(out)} shapes ruled out: ${reasons.join(", ")})` : "";
  return `searching ${many} configurations of ${grouped(shapes)} legal shapes of ${search.engine.model}: ${how}${ruled}`;
}
var SearchProgress = class {
  #bar = new ProgressBar();
  #open;
  #queue;
  #done = 0;
  #best = null;
  constructor(open, queue = () => null) {
    this.#open = open;
    this.#queue = queue;
  }
  /** Counts a result. */
  add(result) {
    this.#done++;
    const whole = result.trial.requests === null && result.status === "feasible";
    if (whole && (this.#best === null || result.score > this.#best.score)) this.#best = result;
    this.#bar.draw((elapsedMs, columns) => {
      const { most } = this.#open.plan;
      const pace = this.#done / elapsedMs * 1e3;
      const left = Math.max(0, most - this.#done) / pace;
      const best = this.#best === null ? "" : `  best so far ${this.#best.trial.candidate.usedGpus} GPUs: ${short2(Math.abs(this.#best.score))}`;
      const facts = `${grouped(this.#done)} / ${grouped(most)}  ${Math.round(pace)} a second${best}  ${Math.ceil(left)} s left${queueText(this.#queue())}`;
      return barLine(Math.min(1, this.#done / most), facts, columns);
    });
  }
  /** Takes the line away. */
  clear() {
    this.#bar.clear();
  }
};
function queueText(status) {
  if (status === null) return "";
  const { workers, waiting, running, failed } = status;
  return `  ${grouped(workers)} workers, jobs: ${grouped(running)} running, ${grouped(waiting)} waiting; ${grouped(failed)} failed`;
}
var milliseconds = (value) => value == null ? "-" : value >= 1e3 ? `${short2(value / 1e3)} s` : `${short2(value)} ms`;
var LEAST_ROOM = 30;
function rankingTable({ open: { goal }, ranked }, { price }, columns = 80) {
  const { target } = goal;
  const head = [
    "#",
    "GPUs",
    ...price === null ? [] : [
      `${price.currency ?? CURRENCY}/h`
    ],
    ...goal.sla === null ? [] : [
      "within SLA"
    ],
    ...target === "pareto" ? [
      "tok/s/GPU",
      "tok/s/user"
    ] : [
      target
    ],
    "TTFT p95",
    "TPOT p95"
  ];
  const rows = ranked.slice(0, MOST_ROWS).map(({ trial: { candidate }, score, objectives, metrics }, i) => {
    const share = attainment(metrics);
    return [
      String(i + 1),
      String(candidate.usedGpus),
      ...price === null ? [] : [
        (candidate.usedGpus * price.perGpuHour).toFixed(2)
      ],
      ...goal.sla === null ? [] : [
        share === null ? "-" : `${(share * 100).toFixed(1)} %`
      ],
      ...target === "pareto" ? [
        short2(objectives.throughput_per_gpu),
        short2(objectives.throughput_per_user)
      ] : [
        short2(Math.abs(score))
      ],
      milliseconds(metrics.p95_ttft_ms),
      milliseconds(metrics.p95_tpot_ms)
    ];
  });
  const [top, ...figures] = alignedRows([
    head,
    ...rows
  ], {
    left: 0
  });
  const beside = columns - top.length - 2, below = beside < LEAST_ROOM;
  const indent = " ".repeat(below ? 4 : top.length + 2);
  const lines = [
    below ? top : `${top}  what`
  ];
  figures.forEach((line, i) => {
    const [first, ...others] = wrapped(candidateText(ranked[i].trial.candidate), columns - indent.length);
    lines.push(...below ? [
      line,
      indent + first
    ] : [
      `${line}  ${first}`
    ], ...others.map((text3) => indent + text3));
  });
  const more = ranked.length > MOST_ROWS ? [
    `\u2026 and ${grouped(ranked.length - MOST_ROWS)} more`
  ] : [];
  return [
    ...lines,
    ...more
  ].join("\n");
}
function summaryLines({ open, evaluated, screened, repeats, ranked }, { counts }) {
  const reasons = /* @__PURE__ */ new Map();
  for (const { status, reason } of evaluated) {
    if (status !== "feasible" && reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const most = [
    ...reasons
  ].sort(([, a], [, b]) => b - a);
  const shown = most.slice(0, 3).map(([reason, count]) => `${reason} (\xD7${count})`);
  if (most.length > 3) shown.push(`+${most.length - 3} more distinct reason(s)`);
  const partial = screened.length > 0 ? `, ${grouped(screened.length)} more on part of the load` : "";
  const end = ranked.length === 0 ? "no feasible candidate (see the reasons; check the SLA, the GPU budget and the backends)" : open.goal.target === "pareto" ? `Pareto front: ${ranked.length} candidate(s)` : `best ${open.goal.target}=${short2(Math.abs(ranked[0].score))}`;
  return [
    `${grouped(counts.feasible)}/${grouped(evaluated.length)} replays feasible${partial}, ${counts.infeasible} infeasible, ${counts.failed} failed, ${counts.timed_out} timed out, ${counts.resource_limited} resource-limited, ${repeats} repeated; ${end}`,
    ...shown.length > 0 ? [
      `not ranked: ${shown.join(" | ")}`
    ] : []
  ];
}

// cli/recommend.ts
var LINE = {
  command: "recommend",
  summary: "Searches for the deployment that serves a load best: replays candidates, ranks them, writes a prediction for each.",
  operands: {
    name: "DIR\u2026",
    help: "with --merge, the directories of all shards",
    least: 0,
    most: Infinity
  },
  options: {
    config: text("the search, a YAML file (- reads standard input)", {
      value: "FILE",
      short: "c"
    }),
    stack: text(`${STACKS.join(" or ")}; default dynamo with a router or planner section, else engine`, {
      value: "NAME"
    }),
    set: list("replaces one value of the file, e.g. 'traffic.load.concurrency={choices: [1, 2]}'", {
      value: "PATH=YAML"
    }),
    executor: EXECUTOR,
    shard: text("tries only part I of N of the configurations, each into a directory of its own", {
      value: "I/N"
    }),
    merge: flag("makes the files of the whole search from the directories of all its shards, instead of --config"),
    outputDir: text("where recommendation.json goes", {
      value: "DIR",
      fallback: "./aisimulate-output"
    }),
    overwrite: flag("replace the files of an earlier run in that directory instead of going on with it"),
    format: choice("what is printed; the files stay the same", [
      "table",
      "json",
      "csv"
    ], {
      fallback: "table"
    }),
    output: list("also write the winner for something else; dgd is a DynamoGraphDeployment", {
      value: "NAME"
    })
  },
  notes: [
    "The same command again goes on where an earlier one was stopped. Ctrl-C ranks what is done."
  ],
  exits: {
    [EXIT.failed]: "no feasible candidate",
    [EXIT.resources]: "memory or CPU limit"
  }
};
var RANK_WITHIN_MS = 2e4;
var recommendCommand = (version) => command(LINE, async (options, folders, control) => {
  const { search, shards, shard } = await asked(options, folders, version);
  for (const warning of search.warnings) warn("recommend", warning);
  const dgd = Object.hasOwn(search.outputs, "dgd") ? await placed(search, Promise.resolve().then(() => readDgd(search.outputs.dgd, search.optimization.target))) : null;
  const journalPath = joinPath(options.outputDir, "execution-events.jsonl");
  const run = recommend(search, {
    version,
    signal: control.signal,
    shard
  });
  const open = await placed(search, run.open);
  if (shards !== null && shards.search !== open.id) {
    throw new ConfigError("the traces, measurements or model facts here are not those that the shards were made from");
  }
  for (const warning of open.space.warnings) warn("recommend", warning);
  await prepareSearchOutput(options.outputDir, options.overwrite, open.id);
  const watch = await startSearchWatch(search, options.outputDir);
  return await supervised(watch, options.outputDir, control, async (guard) => {
    guard.started();
    const journal = await Journal.open(journalPath, open, header(version, shard));
    try {
      const part = {
        shard,
        shards
      };
      const files = await runSearch(search, open, version, journal, options, guard, part);
      if (shard !== void 0) return await finishShard(files.found, shard, journal, options.outputDir, guard);
      return await finish(files, search, options, guard, dgd);
    } finally {
      journal.close();
    }
  });
}, {
  stopWithinMs: RANK_WITHIN_MS
});
var header = (version, shard) => ({ id, search }) => ({
  search: id,
  version,
  stack: search.stack,
  document: withoutResources(search.written),
  ...shard && {
    shard: shardText(shard)
  }
});
async function asked(options, folders, version) {
  const { config, merge, set, stack, output: outputs } = options;
  const refuse = (message) => {
    throw new UsageError(message);
  };
  const shard = options.shard === void 0 ? void 0 : readShard(options.shard);
  if (options.shard !== void 0 && shard === void 0) {
    refuse(`argument --shard: '${options.shard}' is no part, e.g. 1/8, 2/8, \u2026 8/8`);
  }
  if (!merge) {
    if (folders.length > 0) refuse(`unrecognized arguments: ${folders.join(" ")} (directories are for --merge)`);
    if (config === void 0) return refuse("the following arguments are required: -c/--config");
    return {
      search: loadRecommendation(await configText(config), {
        name: config,
        stack,
        set,
        outputs
      }),
      shard,
      shards: null
    };
  }
  const given = Object.entries({
    config,
    stack,
    shard
  }).filter(([, value]) => value !== void 0).map(([name]) => name);
  if (set.length > 0) given.push("set");
  if (options.executor !== "threads") given.push("executor");
  if (given.length > 0) refuse(`argument --merge: the shards say what is searched, without --${given.join(", --")}`);
  const shards = await readShards(folders);
  if (shards.version !== version) {
    throw new ConfigError(`the shards were made by dynosim ${shards.version}, and this is ${version}`);
  }
  const search = loadRecommendation(JSON.stringify(shards.document), {
    name: joinPath(folders[0], "execution-events.jsonl"),
    stack: shards.stack,
    outputs
  });
  return {
    search,
    shard: void 0,
    shards
  };
}
async function finishShard({ evaluated, interrupted }, shard, journal, folder, { signal }) {
  const many = `shard ${shardText(shard)}: ${evaluated.length} configurations`;
  if (interrupted) {
    const { reason } = signal;
    warn("recommend", `${many}, ended before its time: ${reason instanceof Error ? reason.message : reason}`);
    return reason instanceof Interrupted ? exitCode(reason) : EXIT.resources;
  }
  await journal.complete();
  writeText("stdout", `${many} in ${folder}; when all are done: dynosim recommend --merge DIR\u2026
`);
  return EXIT.ok;
}
async function placed(search, work) {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ConfigError ? search.place(error) : error;
  }
}
async function* whileSearching(search, run) {
  try {
    yield* run;
  } catch (error) {
    throw error instanceof ConfigError ? search.place(error) : error;
  }
}
async function runSearch(search, { id, names }, version, journal, options, { watch, signal }, { shard, shards }) {
  const parallel = Math.min(search.optimizer.parallelism, watch.budget.cpus);
  const { executor, status, end } = await replayers("recommend", options.executor, () => shards === null ? threads(parallel) : nobody, async () => {
    const { CANDIDATE_KIND } = await import(import.meta.resolve("./lib.recommend.candidate_kind.js"));
    return {
      kind: CANDIDATE_KIND,
      version,
      name: id,
      needs: names.needs,
      files: names.files
    };
  });
  const run = recommend(search, {
    version,
    signal,
    executor,
    known: shards === null ? journal.known : shards.known,
    shard
  });
  let progress = null;
  let whole = 0;
  void run.surveyed.then((open) => {
    if (options.format !== "table") return;
    writeText("stderr", `${paint("bold", spaceLine(open))}
`);
    progress = new SearchProgress(open, status);
  }, () => {
  });
  try {
    for await (const result of whileSearching(search, run)) {
      const id2 = result.trial.requests === null ? `candidate-${String(++whole).padStart(6, "0")}` : null;
      await journal.add(result, id2);
      progress?.add(result);
    }
  } finally {
    progress?.clear();
    await end();
  }
  const found = await run.result;
  return {
    found,
    files: ledgerOf(found, version)
  };
}
async function finish({ found, files }, search, options, guard, dgd) {
  const { ledger, documents, folded } = files;
  await writeTogether(options.outputDir, resultFiles(files, search.stack));
  if (dgd !== null && documents.length > 0) {
    const winners = found.ranked.slice(0, search.optimization.target === "pareto" ? void 0 : 1).map(({ trial: { candidate } }) => ({
      document: candidate.document,
      config: candidate.config
    }));
    await writeTogether(options.outputDir, dgdFiles(winners, dgd));
  }
  const path = joinPath(options.outputDir, "recommendation.json");
  if (folded > 0) {
    writeText("stderr", `Folded ${folded} scheduler-limit variant(s) with identical predicted metrics; all evaluated candidates remain in recommendation.json and recommendation.csv
`);
  }
  if (options.format === "table") writeText("stderr", summaryLines(found, ledger).map((line) => `${line}
`).join(""));
  if (documents.length > 0) {
    const view = () => viewOf(files, options.outputDir);
    if (options.format === "json") writeText("stdout", `${compactJson(view())}
`);
    else if (options.format === "csv") writeText("stdout", csvText(csvView(files, options.outputDir, search)));
    else writeText("stdout", `${rankingTable(found, search, outputColumns())}
Saved full result to: ${path}
`);
  }
  const { reason } = guard.signal;
  if (found.interrupted) {
    warn("recommend", `ended before its time: ${reason instanceof Error ? reason.message : reason}; what is done is ranked, the same command goes on` + (reason instanceof ResourceLimitError ? ", and needs less with --set execution.resources.cpu_limit=1" : ""));
    return reason instanceof Interrupted ? exitCode(reason) : EXIT.resources;
  }
  if (ledger.counts.resource_limited > 0) {
    writeText("stderr", "some candidates were resource-limited; saved results cover only evaluated candidates\n");
    return EXIT.resources;
  }
  if (documents.length > 0) return EXIT.ok;
  writeText("stderr", `no feasible candidate found; saved full result to: ${path}
`);
  return EXIT.failed;
}
function csvView(files, folder, { price }) {
  const { candidates, views } = files.ledger;
  const byId = new Map(candidates.map((record) => [
    record.candidate_id,
    record
  ]));
  const shares = [
    ...views.top_n,
    ...views.pareto_front
  ].map((id) => attainment(byId.get(id).metrics ?? {}));
  return viewOf(files, folder).map(({ objectives, ...rest }, i) => ({
    ...rest,
    ...objectives,
    ...shares[i] === null ? {} : {
      attainment_percent: shares[i] * 100
    },
    ...price === null ? {} : {
      cost_per_hour: rest.used_gpus * price.perGpuHour
    }
  }));
}
function viewOf({ ledger: { candidates, views } }, folder) {
  const byId = new Map(candidates.map((record) => [
    record.candidate_id,
    record
  ]));
  return [
    ...views.top_n,
    ...views.pareto_front
  ].map((id, i) => {
    const { score, objectives, used_gpus } = byId.get(id);
    return {
      rank: i + 1,
      config_path: joinPath(folder, `recommendations/${String(i + 1).padStart(4, "0")}.yaml`),
      score,
      objectives,
      used_gpus,
      power_w: null,
      power_coverage: null
    };
  });
}
export {
  recommendCommand
};
