import {
  GROUPS,
  INDEPENDENT,
  Journal,
  PRESETS,
  ROLE_NAMES,
  choicesDomain,
  intDomain,
  listed,
  nobody,
  numberDomain,
  pinned,
  readEngine,
  readShard,
  readShards,
  recommend,
  representative,
  rolesOfMode,
  routerSearch,
  shapeText,
  shardText,
  strategyOf,
  withoutResources,
  wordDomain,
  workerGpus
} from "./search.js";
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
  ConfigDocument,
  DEFAULT_TRAFFIC,
  EXECUTOR,
  Problem,
  SCALED_TO_ZERO,
  STACKS,
  anything,
  attainment,
  autoscalerSection,
  checkStack,
  compactJson,
  configError,
  configText,
  didYouMean,
  effectiveConfig,
  evaluationSection,
  executionSection,
  joinPath,
  leavesNone,
  literal,
  mostReplicas,
  nonemptyText,
  orNull,
  placed,
  placedError,
  placedIssues,
  prepareOutput,
  priceFields,
  pricePlan,
  quote,
  quoteList,
  reads,
  replayers,
  section,
  startSearchWatch,
  strictInt,
  strictNumber,
  supervised,
  text as text2,
  trafficSection,
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
  checkOptions,
  choice,
  command,
  csvLine,
  csvText,
  custom,
  exitCode,
  flag,
  getDotPath,
  grouped,
  host,
  list,
  nearName,
  nullish,
  optional,
  outputColumns,
  paint,
  pipe,
  safeParse,
  takeFolder,
  text,
  transform,
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
    const told = read.issues.map((issue2) => {
      const path = [
        "dgd",
        getDotPath(issue2)
      ].filter((part) => part !== null).join(".");
      return {
        path,
        message: `dgd${getDotPath(issue2) === null ? ": " : "."}${issueText(issue2)}`
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
  const load2 = config.concurrency ?? config.replay_concurrency;
  return [
    deploymentText(candidate),
    router && routerText(router),
    planner?.policy === "enabled" ? plannerText(planner) : void 0,
    candidate.document?.autoscaler && autoscalerText(candidate.document.autoscaler),
    `${both("max_num_batched_tokens")} batched tokens`,
    `${both("max_num_seqs")} sequences`,
    config.traffic_load === void 0 ? void 0 : typeof load2 === "number" ? `${grouped2(load2)} at a time` : config.request_rate !== void 0 ? `${config.request_rate} requests/s` : `speedup ${config.arrival_speedup_ratio}`
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
  target: withDefault(literal(TARGETS), "throughput"),
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
  algorithm: withDefault(literal(ALGORITHMS), "bayesian"),
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

// lib/recommend/planner_domain.ts
var strictBoolean2 = reads((value) => typeof value === "boolean" ? value : new Problem("Input should be a valid boolean"));
var positive = () => nullish(intDomain({
  gt: 0
}));
var square = (value) => Number.isInteger(Math.sqrt(value));
var ENTRY_KEYS = /* @__PURE__ */ (() => {
  const flag2 = (value) => typeof value === "boolean";
  const count = (value) => Number.isInteger(value) && value > 0;
  const countOrNull = (value) => value === null || count(value);
  const number = (value) => typeof value === "number" && Number.isFinite(value) && value > 0;
  return {
    scaling_policy: {
      enable_throughput_scaling: flag2,
      enable_load_scaling: flag2,
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
      load_predictor_log1p: flag2,
      prophet_window_size: count,
      kalman_q_level: number,
      kalman_q_trend: number,
      kalman_r: number,
      kalman_min_points: count
    }
  };
})();
function entryProblem(group, entry) {
  const names = Object.keys(PRESETS[group]);
  if (typeof entry === "string") {
    if (Object.hasOwn(PRESETS[group], entry)) return void 0;
    const allowed = `Value error, ${group}.preset has invalid choice ${quote(entry)}; allowed: ${quoteList(names.toSorted())}`;
    const near = nearName(entry, names);
    return new Problem(allowed, near && didYouMean(near));
  }
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    return new Problem(`Value error, ${group}.preset entries are names or mappings of all keys of the group`);
  }
  const keys = ENTRY_KEYS[group];
  const given = entry;
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(keys, key));
  if (unknown.length > 0) {
    return new Problem(`Value error, ${group}.preset mapping has unknown keys ${quoteList(unknown.toSorted())}; allowed: ${quoteList(Object.keys(keys).toSorted())}`);
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
var preset = (group) => reads((value) => {
  if (value === "default" || value === false) return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return new Problem("Value error, preset list must be nonempty");
    for (const [i, entry] of value.entries()) {
      const problem = entryProblem(group, entry);
      if (problem !== void 0) return new Problem(problem.message, problem.hint, String(i));
      if (value.findIndex((other) => JSON.stringify(other) === JSON.stringify(entry)) < i) {
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
  preset: optional(preset(group), "default"),
  type: nullish(wordDomain([
    "constant",
    "arima",
    "prophet",
    "kalman"
  ]))
}, [
  (value) => group !== "load_predictor" && value.type != null ? "type belongs to load_predictor" : void 0
]));
var fields = {
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
  const values = (domain) => domain.kind === "choices" ? domain.values : [
    domain.max
  ];
  if (sensitivity != null && values(sensitivity).some((value) => value > 100)) {
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
  }, (_, i) => Math.ceil(domain.min) + i);
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
  const choices = /* @__PURE__ */ new Map();
  const log = [];
  for (const [key, searched] of Object.entries(INDEPENDENT[group])) {
    const domain = key === "load_predictor" ? control2.type : written[key];
    let values = domain == null ? searched : valuesOf(domain);
    if (key === "fpm_sample_bucket_size") values = values.filter((value) => square(value));
    if (domain != null && domain.kind !== "choices") log.push(key);
    choices.set(key, values);
  }
  const entries = [
    ...choices
  ].reduce((all, [key, values]) => all.flatMap((entry) => values.map((value) => ({
    ...entry,
    [key]: value
  }))), [
    {}
  ]);
  return {
    entries,
    explicit: false,
    separate: group === "load_predictor" ? null : {
      choices,
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
var plannerSearch = pipe(section("PlannerDomain", fields, [
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
var load = section("LoadDomain", {
  type: optional(literal(LOAD_TYPES), "concurrency"),
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
var shell = section("TrafficDomain", {
  source: anything(),
  load: optional(load),
  stop: anything()
});
function readTraffic(value) {
  if (value === void 0) return {
    traffic: trafficOf(structuredClone(DEFAULT_TRAFFIC), "concurrency", pinned(10))
  };
  const read = safeParse(shell, value);
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
      const { fraction: _, type: _type, ...rest } = prediction.load;
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
  const checked = safeParse(trafficSection, prediction);
  if (!checked.success) return {
    issues: checked.issues
  };
  if (type === "kv_capacity_fraction" && checked.output.source.type === "trace") {
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

// lib/recommend/load.ts
var OPTIONS = {
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
function loadRecommendation(text3, options = {}) {
  checkOptions("loadRecommendation()", options, OPTIONS);
  const { name = "configuration", set = [], outputs = [] } = options;
  const document = new ConfigDocument(name, text3);
  for (const argument of set) document.override(argument, {
    search: true
  });
  const { value } = document;
  const stack = options.stack ?? (STACK_SECTIONS.dynamo.some((section2) => Object.hasOwn(value, section2)) ? "dynamo" : "engine");
  checkStack(stack);
  const issues = [];
  checkOutputs(document, outputs, issues);
  checkNames(document, stack, outputs, issues);
  const read = readSections(document, stack, issues);
  if (issues.length > 0) throw configError(name, issues);
  const found = read;
  for (const [path, message] of [
    ...crossRules(found),
    ...outputRules(found, outputs)
  ]) {
    issues.push(placed(document, "", path.split("."), `Value error, ${message}`));
  }
  if (issues.length > 0) throw configError(name, issues);
  const numbers = document.ambiguousNumbers().map(({ place: { file, line, column }, text: text4, ours, theirs }) => `${file}:${line}:${column}: ${text4} is ${ours} here (YAML 1.2); a YAML 1.1 reader takes it for ${theirs}`);
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
      ...numbers,
      ...notes(found, value)
    ],
    place: (error) => placedError(document, error)
  };
}
function checkOutputs(document, outputs, issues) {
  for (const output of outputs) {
    const refuse = (message, hint) => issues.push(placed(document, "", [
      output
    ], message, hint));
    if (!/^[\w-]+$/.test(output)) refuse(`invalid --output name ${quote(output)}`);
    else if ([
      ...CORE,
      ...STACK_SECTIONS.dynamo
    ].includes(output)) {
      refuse(`output adapter name ${quote(output)} collides with a recommendation input section`);
    } else if (!Object.hasOwn(document.value, output)) {
      refuse(`--output ${quote(output)} requires a top-level ${quote(output)} configuration section`);
    } else if (!OUTPUTS.includes(output)) {
      const near = nearName(output, OUTPUTS);
      refuse(`output adapter ${quote(output)} is unavailable; installed adapters: ${OUTPUTS.join(", ")}`, near && didYouMean(near));
    } else if (!isMapping(document.value[output])) refuse(`output section ${quote(output)} must be a mapping`);
  }
}
var isMapping = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
function checkNames(document, stack, outputs, issues) {
  const known = [
    ...CORE,
    ...STACK_SECTIONS[stack]
  ].toSorted();
  for (const section2 of Object.keys(document.value)) {
    if (known.includes(section2) || outputs.includes(section2)) continue;
    const near = nearName(section2, known);
    const message = `unknown top-level section ${quote(section2)}${near ? ` (did you mean ${quote(near)}?)` : ""}; known sections for --stack ${stack}: ${known.join(", ")}`;
    const hint = OUTPUTS.includes(section2) ? `it belongs to --output ${section2}` : STACK_SECTIONS.dynamo.includes(section2) ? "use --stack dynamo" : void 0;
    issues.push(placed(document, "", [
      section2
    ], message, hint));
  }
}
function readSections(document, stack, issues) {
  const { value } = document;
  const tell = (section2, found) => issues.push(...placedIssues(document, section2, found));
  const read = (section2, schema2, absent) => {
    if (!Object.hasOwn(value, section2) && absent === void 0) {
      issues.push(placed(document, section2, [
        section2
      ], "Field required"));
      return void 0;
    }
    const result = safeParse(schema2, Object.hasOwn(value, section2) ? value[section2] : absent);
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
  if (!Object.hasOwn(value, "engine")) issues.push(placed(document, "engine", [
    "engine"
  ], "Field required"));
  else {
    const found = readEngine(value.engine, optimization?.hardware ?? null, lengths);
    if ("issues" in found) tell("engine", found.issues);
    else engine = found.engine;
  }
  const own = (section2, schema2) => stack === "dynamo" && Object.hasOwn(value, section2) ? read(section2, schema2, void 0) ?? null : null;
  return {
    traffic: "traffic" in traffic ? traffic.traffic : void 0,
    engine,
    sla: evaluation?.sla ?? null,
    price: readPrice(document, evaluation, optimization, issues),
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
function readPrice(document, evaluation, optimization, issues) {
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
    issues.push(placed(document, "", [
      "optimization",
      "gpu_hour_price"
    ], message));
  }
  return price;
}
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
  const told = (mode) => mode === "agg" ? "aggregated" : "disaggregated";
  const known = new Set(modes.flatMap(rolesOfMode).map((role) => ROLE_NAMES[role]));
  for (const [role, { none }] of Object.entries(roles)) {
    const path = `autoscaler.workers.${role}`;
    if (!known.has(role)) yield [
      path,
      `engine.mode ${modes.map(told).join(", ")} has no ${role} workers`
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
      `no workers of engine.mode ${told(mode)} are scaled: name them, or search another mode`
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
  for (const [role, worker] of Object.entries(workers)) {
    if (worker?.timing?.calibration_forced !== true) continue;
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
var recommendCommand = (version) => command(LINE, async (options, folders, control2) => {
  const { search, shards, shard } = await asked(options, folders, version);
  for (const warning of search.warnings) warn("recommend", warning);
  const dgd = Object.hasOwn(search.outputs, "dgd") ? await placed2(search, Promise.resolve().then(() => readDgd(search.outputs.dgd, search.optimization.target))) : null;
  const journalPath = joinPath(options.outputDir, "execution-events.jsonl");
  const run = recommend(search, {
    version,
    signal: control2.signal,
    shard
  });
  const open = await placed2(search, run.open);
  if (shards !== null && shards.search !== open.id) {
    throw new ConfigError("the traces, measurements or model facts here are not those that the shards were made from");
  }
  for (const warning of open.space.warnings) warn("recommend", warning);
  await prepareSearchOutput(options.outputDir, options.overwrite, open.id);
  const watch = await startSearchWatch(search, options.outputDir);
  return await supervised(watch, options.outputDir, control2, async (guard) => {
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
async function placed2(search, work) {
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
