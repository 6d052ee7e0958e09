import {
  ByteSourceError,
  ConfigError,
  FileError,
  SimulationError,
  TraceError,
  __export,
  array,
  assumptionsOf,
  boolean,
  check,
  checkNumber,
  checkOptions,
  csvLine,
  databaseMode,
  environment,
  fileError,
  finite,
  getDotPath,
  gtValue,
  integer,
  is,
  isMapping,
  isTerminal,
  literal,
  longer,
  looseObject,
  maxValue,
  minLength,
  minValue,
  nearName,
  nullable,
  nullish,
  number,
  object,
  optional,
  parse,
  picklist,
  pipe,
  readBytes,
  readText,
  record,
  regex,
  roundHalfEven,
  safeParse,
  showReading,
  strictObject,
  string,
  transferKinds,
  tuple,
  union,
  unknown,
  writeText
} from "./base.js";

// lib/timing/aic/pass_loads.ts
var SUMS = [
  "num_prefill_requests",
  "sum_prefill_tokens",
  "sum_prefill_kv_tokens",
  "num_decode_requests",
  "sum_decode_kv_tokens"
];
var DECODE_VARIANCE = "var_decode_kv_tokens";
var WITHOUT_EFFECT = [
  "var_prefill_length",
  DECODE_VARIANCE
];
function passLoads(row) {
  if (Array.isArray(row)) {
    if (row.length === 0) throw new TypeError("a list of ranks needs one rank at least");
    return row.map(oneLoad);
  }
  return [
    oneLoad(row)
  ];
}
function decodeVariances(row) {
  return (Array.isArray(row) ? row : [
    row
  ]).map((rank) => {
    const variance = sumsOf(rank)[DECODE_VARIANCE] ?? null;
    if (variance === null || typeof variance === "number" && variance >= 0 && variance < Infinity) return variance;
    throw new TypeError(`${DECODE_VARIANCE} must be a number of at least 0; found ${JSON.stringify(variance)}`);
  });
}
function sumsOf(metrics) {
  const nested = metrics.scheduled_requests;
  return typeof nested === "object" && nested !== null ? nested : metrics;
}
function oneLoad(row) {
  if (typeof row !== "object" || row === null || Array.isArray(row)) {
    throw new TypeError(`expected an object with ${SUMS.join(", ")}; found ${JSON.stringify(row)}`);
  }
  const metrics = row;
  if ("version" in metrics && metrics.version !== 1) {
    throw new TypeError(`unsupported version ${JSON.stringify(metrics.version)} of forward-pass metrics; expected 1`);
  }
  const sums = sumsOf(metrics);
  const load = {};
  for (const [name, value] of Object.entries(sums)) {
    if (SUMS.includes(name)) load[name] = wholeNumber(name, value);
    else if (/^(num|sum|var)_/.test(name) && !WITHOUT_EFFECT.includes(name)) {
      const near = nearName(name, SUMS);
      throw new TypeError(`unknown field ${name}${near ? `, did you mean ${near}?` : ""} (known: ${SUMS.join(", ")})`);
    }
  }
  if (Object.keys(load).length === 0) throw new TypeError(`none of ${SUMS.join(", ")} is given`);
  if (!load.num_prefill_requests && (load.sum_prefill_tokens || load.sum_prefill_kv_tokens)) {
    throw new TypeError("prefill tokens are given without num_prefill_requests");
  }
  if (!load.num_decode_requests && load.sum_decode_kv_tokens) {
    throw new TypeError("decode tokens are given without num_decode_requests");
  }
  return load;
}
function wholeNumber(name, value) {
  if (Number.isInteger(value) && value >= 0 && value <= 4294967295) return value;
  throw new TypeError(`${name} must be a whole number from 0 to 4294967295; found ${JSON.stringify(value)}`);
}

// lib/timing/aic/quant.ts
var GEMM_MODES = {
  bfloat16: {
    bytes: 2,
    flops: "bfloat16"
  },
  int8_wo: {
    bytes: 1,
    flops: "bfloat16"
  },
  int4_wo: {
    bytes: 0.5,
    flops: "bfloat16"
  },
  fp8: {
    bytes: 1,
    flops: "fp8"
  },
  fp8_static: {
    bytes: 1,
    flops: "fp8"
  },
  fp8_block: {
    bytes: 1,
    flops: "fp8"
  },
  fp8_ootb: {
    bytes: 1,
    flops: "fp8"
  },
  sq: {
    bytes: 1,
    flops: "int8"
  },
  nvfp4: {
    bytes: 0.5625,
    flops: "fp4"
  },
  nvfp4_wo: {
    bytes: 0.5625,
    flops: "bfloat16"
  },
  w4a16_nvfp4: {
    bytes: 0.5625,
    flops: "bfloat16"
  }
};
var MOE_MODES = {
  bfloat16: {
    bytes: 2,
    flops: "bfloat16"
  },
  fp8: {
    bytes: 1,
    flops: "fp8"
  },
  fp8_block: {
    bytes: 1,
    flops: "fp8"
  },
  int4_wo: {
    bytes: 0.5,
    flops: "bfloat16"
  },
  w4afp8: {
    bytes: 0.5,
    flops: "fp8"
  },
  nvfp4: {
    bytes: 0.5625,
    flops: "fp4"
  },
  nvfp4_wo: {
    bytes: 0.5625,
    flops: "bfloat16"
  },
  w4a16_nvfp4: {
    bytes: 0.5625,
    flops: "bfloat16"
  },
  w4a16_mxfp4: {
    bytes: 0.5,
    flops: "bfloat16"
  },
  w4a16_mxfp4_cutlass: {
    bytes: 0.5,
    flops: "bfloat16"
  },
  w4a8_mxfp4_mxfp8: {
    bytes: 0.5,
    flops: "fp8"
  },
  w4a8_mxfp4_mxfp8_trtllm: {
    bytes: 0.5,
    flops: "fp8"
  }
};
var FMHA_MODES = {
  bfloat16: {
    bytes: 2,
    flops: "bfloat16"
  },
  fp8: {
    bytes: 1,
    flops: "fp8"
  },
  fp8_block: {
    bytes: 1,
    flops: "fp8"
  }
};
var KV_MODES = {
  bfloat16: 2,
  int8: 1,
  fp8: 1
};
var COMM_MODES = {
  half: 2,
  int8: 1,
  fp8: 1
};

// lib/timing/aic/list_builder.ts
function listsOf(request, list2, drafted = true) {
  const { facts: { layers }, nextn } = request;
  const share = drafted && nextn > 0 ? (nextn + layers) / layers : 1;
  return {
    context: list2(new ListBuilder(request, "context", 1)),
    generation: list2(new ListBuilder(request, "generation", share))
  };
}
function checkWeightBlocks({ facts, modes, parallelism: { moeTensor } }) {
  const block = facts.quant.weightBlock?.[0] ?? 128;
  if (modes.moe === "fp8_block" && Math.floor(facts.moeInter / moeTensor) % block !== 0) {
    const message = `moe_tensor ${moeTensor} does not split the experts' ${facts.moeInter} columns (moe_intermediate_size) into whole ${block}-column blocks of quantised weights: use moe_expert, or a smaller moe_tensor`;
    throw new ConfigError(message, [
      {
        path: "parallelism.moe_tensor",
        message
      }
    ]);
  }
}
var ListBuilder = class _ListBuilder {
  phase;
  share;
  layers;
  prefix;
  own;
  facts;
  hardware;
  backend;
  parallelism;
  modes;
  nextn;
  gemmFixed;
  #request;
  /**
   * @param layers how many layers the operators stand for
   * @param prefix stands before every name but that of attention
   */
  constructor(request, phase, share, layers = request.facts.layers, prefix = "") {
    this.phase = phase;
    this.share = share;
    this.layers = layers;
    this.prefix = prefix;
    this.#request = request;
    this.own = request.own;
    this.facts = request.facts;
    this.hardware = request.hardware;
    this.backend = request.backend;
    this.nextn = request.nextn;
    this.parallelism = request.parallelism;
    this.modes = request.modes;
    this.gemmFixed = request.gemmFixed;
  }
  /** The same for some of the layers, whose operators have names of their own. */
  block(prefix, layers) {
    return new _ListBuilder(this.#request, this.phase, this.share, layers, prefix);
  }
  /** `a \u00b7 b` divided over the tensor-parallel ranks, rounded down. */
  perRank(whole) {
    return Math.floor(whole / this.parallelism.tensor);
  }
  /** KV heads of one rank. */
  get kvHeads() {
    return Math.ceil(this.facts.kvHeads / this.parallelism.tensor);
  }
  named(name, count3 = this.layers) {
    return {
      name: `${this.phase}_${this.prefix}${name}`,
      count: count3 * this.share
    };
  }
  embedding(rows) {
    return {
      kind: "embedding",
      ...this.named("embedding", 1),
      rows,
      width: this.facts.hidden
    };
  }
  elementwise(name, bytesPerToken) {
    return {
      kind: "elementwise",
      ...this.named(name),
      bytesPerToken
    };
  }
  /** Normalisation with the residual: two vectors in, two out. */
  norm(name) {
    return this.elementwise(name, 8 * this.facts.hidden);
  }
  /** Gate and activation of a feed-forward part whose two halves are `width` wide on this rank. */
  gate(name, both, width) {
    return this.elementwise(name, 2 * both + 2 * width);
  }
  gemm(name, n, k, mode = this.modes.gemm, lowPrecisionInput = false) {
    return {
      kind: "gemm",
      ...this.named(name),
      n,
      k,
      mode,
      lowPrecisionInput
    };
  }
  logits() {
    const { vocab, hidden } = this.facts;
    const shape = {
      n: this.perRank(vocab),
      k: hidden,
      mode: "bfloat16",
      lowPrecisionInput: false
    };
    return {
      kind: "gemm",
      ...this.named("logits_gemm", 1),
      ...shape
    };
  }
  attention(count3, parts = {}) {
    const { heads = this.facts.heads, kvHeads = this.facts.kvHeads, headSize = this.facts.headSize } = parts;
    const shape = {
      name: `${this.phase}_attention`,
      count: count3 * this.share,
      heads: this.perRank(heads),
      kvHeads: Math.ceil(kvHeads / this.parallelism.tensor),
      headSize,
      window: parts.window ?? 0,
      kv: this.modes.kvcache,
      qkNorm: parts.qkNorm ?? false
    };
    if (this.phase === "generation") return {
      kind: "generation_attention",
      ...shape
    };
    const rotated = parts.rotated ?? true;
    return {
      kind: "context_attention",
      ...shape,
      fmha: this.modes.fmha,
      ...rotated ? {} : {
        rotated
      }
    };
  }
  /** The parts that every layer with ordinary attention starts with. */
  attentionPart(attention2) {
    const { heads, headSize, hidden } = this.facts;
    const queries2 = this.perRank(heads * headSize);
    return [
      this.norm("add_norm_1"),
      this.gemm("qkv_gemm", queries2 + headSize * this.kvHeads * 2, hidden),
      attention2,
      this.gemm("proj_gemm", hidden, queries2, this.modes.gemm, true),
      this.norm("add_norm_2")
    ];
  }
  allReduce(name, count3) {
    const { hidden } = this.facts;
    const { tensor } = this.parallelism;
    return {
      kind: "all_reduce",
      ...this.named(name, count3),
      width: hidden,
      ranks: tensor,
      comm: this.modes.comm
    };
  }
  p2p() {
    const { pipeline } = this.parallelism;
    return {
      kind: "p2p",
      ...this.named("p2p", pipeline - 1),
      width: this.facts.hidden,
      stages: pipeline
    };
  }
  /** Router, transport and experts of a layer. */
  expertPart(distribution, parts = {}) {
    const { hidden, experts: experts2 } = this.facts;
    return [
      ...parts.router ?? true ? [
        this.gemm("router_gemm", experts2, hidden, "bfloat16")
      ] : [],
      this.dispatch(true, parts),
      this.experts(distribution, parts),
      this.dispatch(false, parts)
    ];
  }
  /** Tokens on their way to the experts (`pre`) or back. */
  dispatch(pre, parts = {}) {
    const { transportMode, mode = this.modes.moe } = parts;
    return {
      kind: "moe_dispatch",
      ...this.named(pre ? "moe_pre_dispatch" : "moe_post_dispatch"),
      ...this.#expertLayout(parts, transportMode ?? mode),
      pre,
      comm: this.modes.comm
    };
  }
  /** The routed experts themselves. */
  experts(distribution, parts = {}) {
    const { mode = this.modes.moe, gated = true } = parts;
    const shape = {
      ...this.#expertLayout(parts, mode),
      inter: this.facts.moeInter,
      distribution,
      gated
    };
    return {
      kind: "moe",
      ...this.named("moe"),
      ...shape
    };
  }
  #expertLayout({ width = this.facts.hidden }, mode) {
    const { experts: experts2, topk } = this.facts;
    const { moeTensor, moeExpert, attentionData } = this.parallelism;
    return {
      hidden: width,
      topk,
      experts: experts2,
      moeTensor,
      moeExpert,
      attentionData,
      mode
    };
  }
};

// lib/timing/aic/families/fields.ts
var count = pipe(number(), integer(), minValue(1));
var countOr0 = pipe(number(), integer(), minValue(0));
var countIfThere = (instead) => pipe(nullish(countOr0, instead), number());
function fields(schema4, config) {
  const result = safeParse(schema4, config);
  if (result.success) return result.output;
  const issue = result.issues[0];
  const field = getDotPath(issue) ?? "";
  const found2 = issue.input === void 0 ? "is missing" : `is ${JSON.stringify(issue.input)}`;
  throw new ConfigError(`'${field}' in the model's config.json ${found2}; expected ${issue.expected ?? issue.message}`);
}

// lib/timing/aic/families/memory.ts
function linearCache(bytesPerToken, state = 0) {
  return {
    bytes: (tokens) => tokens * bytesPerToken + state,
    tokens: (budget) => Math.max(Math.floor((budget - state) / bytesPerToken), 0)
  };
}
function bentCache(bytes, longest) {
  return {
    bytes,
    tokens(budget) {
      if (bytes(1) > budget) return 0;
      let fits2 = 1;
      while (bytes(fits2 * 2) <= budget) {
        if (bytes(fits2 * 2) === bytes(fits2)) return longest;
        fits2 *= 2;
      }
      let exceeds = fits2 * 2;
      while (exceeds - fits2 > 1) {
        const middle = Math.floor((fits2 + exceeds) / 2);
        if (bytes(middle) <= budget) fits2 = middle;
        else exceeds = middle;
      }
      return fits2;
    }
  };
}
var DENSE_ACTIVATIONS = {
  sglang: [
    14,
    8.5,
    6.5,
    6.5
  ],
  other: [
    11,
    6.5,
    5,
    5
  ]
};
var EXPERT_ACTIVATIONS = {
  sglang: [
    28,
    17,
    13,
    13
  ],
  other: [
    22,
    13,
    10,
    10
  ]
};
var PLAIN_ACTIVATIONS = {
  sglang: [
    13,
    8,
    6.5,
    6.5
  ],
  other: [
    10,
    6,
    5,
    5
  ]
};

// lib/timing/aic/families/decilm.ts
var HEAD_SIZE = 128;
var WIDTH_STEP = 256;
var deciFamily = {
  name: "decilm",
  architectures: [
    "DeciLMForCausalLM",
    "NemotronForCausalLM"
  ],
  own: layerGroups,
  spreadsExperts: () => false,
  check({ nextn }) {
    if (nextn !== 0) {
      throw new ConfigError("NemotronNas does not support MTP speculative decoding (nextn must be 0)");
    }
  },
  lists: (request) => listsOf(request, deciList),
  memory: {
    activations: PLAIN_ACTIVATIONS,
    cache() {
      throw new ConfigError("insufficient model metadata; missing: kv_size_per_token_bytes (its layers have unequal numbers of KV heads); give the number of blocks (num_gpu_blocks) instead");
    }
  }
};
var Blocks = object({
  block_configs: array(object({
    attention: object({
      n_heads_in_group: nullish(count),
      no_op: nullish(boolean(), false)
    }),
    ffn: object({
      ffn_mult: nullish(pipe(number(), minValue(0)), 3.5),
      no_op: nullish(boolean(), false)
    })
  }))
});
function layerGroups(text, { heads, hidden }) {
  const groups = [];
  fields(Blocks, text).block_configs.forEach(({ attention: attention2, ffn }, i) => {
    if (!attention2.no_op && attention2.n_heads_in_group == null) {
      throw new ConfigError(`'block_configs.${i}.attention.n_heads_in_group' in the model's config.json is missing; expected a whole number from 1`);
    }
    const kvHeads = attention2.no_op ? 0 : Math.floor(heads / attention2.n_heads_in_group);
    const inter = ffn.no_op ? 0 : wholeWidth(2 * ffn.ffn_mult * hidden / 3);
    const last = groups.at(-1);
    if (last?.kvHeads === kvHeads && last.inter === inter) {
      groups[groups.length - 1] = {
        ...last,
        layers: last.layers + 1
      };
    } else groups.push({
      layers: 1,
      kvHeads,
      inter
    });
  });
  return groups;
}
var wholeWidth = (width) => Math.ceil(Math.trunc(width) / WIDTH_STEP) * WIDTH_STEP;
function deciList(build) {
  return [
    build.embedding(build.facts.vocab),
    ...build.own.flatMap((group) => layerGroup(build.block("", group.layers), group)),
    build.p2p(),
    build.logits()
  ];
}
function layerGroup(build, { kvHeads, inter }) {
  const { hidden, heads, headSize } = build.facts;
  const queries2 = build.perRank(heads * headSize);
  const ofRank = Math.ceil(kvHeads / build.parallelism.tensor);
  const both = build.perRank(2 * inter);
  const width = build.perRank(inter);
  const attention2 = kvHeads === 0 ? [] : [
    build.norm("add_norm_1"),
    build.gemm("qkv_gemm", queries2 + headSize * ofRank * 2, hidden),
    build.attention(build.layers, {
      kvHeads,
      headSize: HEAD_SIZE
    }),
    build.gemm("proj_gemm", hidden, queries2),
    build.allReduce("ar_1", build.layers)
  ];
  const feedForward2 = inter === 0 ? [] : [
    build.norm("add_norm_2"),
    build.gemm("gate_ffn1_gemm", both, hidden),
    build.gate("act_gate", both, width),
    build.gemm("ffn2_gemm", hidden, width),
    build.allReduce("ar_2", build.layers)
  ];
  return [
    ...attention2,
    ...feedForward2
  ];
}

// lib/timing/aic/families/exclusions.ts
var PROJECTIONS = [
  "q",
  "kv",
  "o",
  "indexer"
];
var PROJECTION_NAMES = {
  q: [
    "q_a_proj",
    "q_b_proj",
    "q_proj"
  ],
  kv: [
    "kv_a_proj",
    "kv_b_proj",
    "kv_proj",
    "k_proj",
    "v_proj"
  ],
  o: [
    "o_proj"
  ],
  indexer: [
    "indexer"
  ]
};
var byProjection = (isPlain) => ({
  q: isPlain("q"),
  kv: isPlain("kv"),
  o: isPlain("o"),
  indexer: isPlain("indexer")
});
function plainProjections(excluded) {
  const names = (pattern2, group) => PROJECTION_NAMES[group].some((name) => pattern2.includes(name));
  const whole = excluded.some((pattern2) => pattern2.includes("self_attn") && !PROJECTIONS.some((group) => names(pattern2, group)));
  return byProjection((group) => whole || excluded.some((pattern2) => names(pattern2, group)));
}
var plainSharedExperts = (excluded) => excluded.some((pattern2) => pattern2.toLowerCase().includes("shared_expert"));

// lib/timing/aic/families/deepseek.ts
var KERNEL_HEADS = 128;
var deepseekFamily = {
  name: "deepseek",
  architectures: [
    "DeepseekForCausalLM",
    "DeepseekV3ForCausalLM"
  ],
  spreadsExperts: () => true,
  own: (text, facts, { excluded }) => ({
    plain: plainProjections(excluded),
    plainSharedExperts: plainSharedExperts(excluded),
    ...latentWidths(text),
    ...expertCounts(text, facts.layers)
  }),
  implied: impliedLatent,
  lists: (request) => listsOf(request, latentList),
  memory: {
    weights: residentWeights,
    activations: EXPERT_ACTIVATIONS,
    // the hidden size in whole heads, not the heads' own size
    width: ({ heads, hidden }) => heads * Math.floor(hidden / heads),
    routerWidth: ({ heads, hidden }, backend) => backend === "sglang" ? hidden : heads * Math.floor(hidden / heads),
    cache: ({ facts, own, kv }) => linearCache(facts.layers * (own.kvRank + own.ropeSize) * KV_MODES[kv])
  }
};
function impliedLatent(modes, facts, _own, serving) {
  const { backend, backendVersion, hardware } = serving;
  const casts = backend === "sglang" && backendVersion === "0.5.14" && hardware.smVersion === 90 && facts.architecture === "DeepseekV3ForCausalLM" && facts.storedType === "bfloat16" && facts.latent?.kvRank === 512 && facts.latent.ropeSize === 64;
  return casts ? {
    ...modes,
    fmha: "bfloat16"
  } : modes;
}
function latentWidths(text) {
  const read2 = fields(object({
    q_lora_rank: countIfThere(0),
    kv_lora_rank: countIfThere(0),
    qk_nope_head_dim: countIfThere(0),
    qk_rope_head_dim: countIfThere(0),
    v_head_dim: countIfThere(0)
  }), text);
  return {
    queryRank: read2.q_lora_rank || 1536,
    kvRank: read2.kv_lora_rank || 512,
    plainSize: read2.qk_nope_head_dim || 128,
    ropeSize: read2.qk_rope_head_dim || 64,
    valueSize: read2.v_head_dim || 128
  };
}
function expertCounts(text, layers) {
  const { first_k_dense_replace, moe_layer_freq, n_shared_experts } = fields(object({
    first_k_dense_replace: countIfThere(0),
    moe_layer_freq: countIfThere(1),
    n_shared_experts: countIfThere(0)
  }), text);
  const every = Math.max(moe_layer_freq, 1);
  let expertLayers2 = 0;
  for (let layer = first_k_dense_replace; layer < layers; layer++) if (layer % every === 0) expertLayers2++;
  return {
    expertLayers: expertLayers2,
    sharedExperts: n_shared_experts
  };
}
function residentWeights(request) {
  const { facts, own, parallelism, backend, modes, gemmFixed, operators } = request;
  const { tensor, pipeline, moeTensor, moeExpert } = parallelism;
  if (backend !== "sglang" || facts.architecture !== "DeepseekV3ForCausalLM" || pipeline !== 1) return operators;
  const { hidden, moeInter, inter, experts: experts2, vocab, layers } = facts;
  const gemm = GEMM_MODES[modes.gemm].bytes;
  const routed = 3 * hidden * moeInter * experts2 * MOE_MODES[modes.moe].bytes / (moeTensor * moeExpert);
  const shared = 3 * hidden * moeInter * (own.plainSharedExperts && !gemmFixed ? 2 : gemm) / tensor;
  const router2 = 2 * hidden * experts2;
  const plain = 3 * hidden * inter * gemm / tensor;
  return operators - 2 * vocab * hidden * (1 - 1 / tensor) - layers * (routed + shared + router2) + own.expertLayers * (routed + own.sharedExperts * shared + router2) + (layers - own.expertLayers) * plain;
}
function latentList(build) {
  const { moeInter } = build.facts;
  const plain = build.own.plainSharedExperts && !build.gemmFixed;
  return [
    build.embedding(build.facts.vocab),
    build.norm("add_norm_1"),
    ...attentionBlock(build),
    build.norm("add_norm_2"),
    ...expertsBeside(build, sharedExperts(build, build.perRank(2 * moeInter), build.perRank(moeInter), plain ? "bfloat16" : build.modes.gemm), build.expertPart("power_law_1.01")),
    build.logits(),
    ...tensorAllReduce(build),
    build.p2p()
  ];
}
function expertsBeside(build, shared, routed) {
  if (build.phase === "context") return [
    ...shared,
    ...routed
  ];
  return [
    {
      kind: "overlap",
      name: "generation_moe_overlap",
      count: 1,
      groups: [
        routed,
        shared
      ]
    }
  ];
}
function sharedExperts(build, both, width, mode) {
  const { hidden } = build.facts;
  return [
    build.gemm("shared_gate_up_gemm", both, hidden, mode),
    build.gate("shared_act_gate", both, width),
    build.gemm("shared_ffn2_gemm", hidden, width, mode)
  ];
}
function tensorAllReduce(build) {
  return build.backend === "vllm" ? [
    build.allReduce("tp_allreduce", 2 * build.facts.layers)
  ] : [];
}
function projectionModes(build) {
  const { gemm } = build.modes;
  const { q, kv, o } = build.own.plain;
  return {
    q: q ? "bfloat16" : gemm,
    kv: kv ? "bfloat16" : gemm,
    o: o ? "bfloat16" : gemm
  };
}
function attentionBlock(build) {
  const modes = projectionModes(build);
  const parts = granularParts(build, modes);
  if (modes.q !== modes.kv || modes.kv !== modes.o) return parts;
  const { layers, heads } = build.facts;
  const { kvcache, fmha } = build.modes;
  const primary = {
    kind: build.phase === "context" ? "mla_context_module" : "mla_generation_module",
    ...build.named("mla_module", layers),
    heads: build.perRank(heads),
    nativeHeads: heads,
    fmha,
    kv: kvcache,
    mode: modes.q
  };
  return [
    {
      kind: "fallback",
      name: `${build.phase}_mla_block`,
      count: 1,
      primary,
      list: parts
    }
  ];
}
function granularParts(build, modes) {
  const { hidden, heads } = build.facts;
  const { queryRank, kvRank, plainSize, ropeSize, valueSize } = build.own;
  const downscale = modes.q === modes.kv ? modes.q : build.modes.gemm;
  const contextOnly = build.phase === "context" ? [
    build.gemm("kv_b_proj_gemm", build.perRank(heads * (plainSize + valueSize)), kvRank, modes.kv)
  ] : [];
  return [
    build.gemm("downscale_gemm", queryRank + kvRank + ropeSize, hidden, downscale),
    build.gemm("q_b_proj_gemm", build.perRank(heads * (plainSize + ropeSize)), queryRank, modes.q),
    ...contextOnly,
    ...innerAttention(build, modes.kv),
    build.gemm("proj_gemm", hidden, build.perRank(heads * valueSize), modes.o)
  ];
}
function innerAttention(build, projection) {
  const { phase } = build;
  const { layers, heads, kvHeads } = build.facts;
  const { kvcache: kv, fmha } = build.modes;
  const named = build.named("attention", layers);
  if (build.backend === "vllm") {
    const shape = {
      ...named,
      heads: build.perRank(heads),
      kvHeads: build.perRank(kvHeads),
      headSize: build.own.valueSize,
      window: 0,
      kv
    };
    return phase === "context" ? [
      {
        kind: "context_attention",
        ...shape,
        fmha,
        qkNorm: false
      }
    ] : [
      {
        kind: "generation_attention",
        ...shape,
        qkNorm: false
      }
    ];
  }
  const kernelHeads = build.perRank(KERNEL_HEADS);
  if (phase === "context") return [
    {
      kind: "context_mla",
      ...named,
      heads: kernelHeads,
      fmha,
      kv
    }
  ];
  const mode = projection === "bfloat16" ? "bfloat16" : "fp8";
  const bmm = (name, pre) => ({
    kind: "mla_bmm",
    ...build.named(name, layers),
    heads: build.perRank(heads),
    mode,
    pre
  });
  return [
    bmm("bmm_pre", true),
    {
      kind: "generation_mla",
      ...named,
      heads: kernelHeads,
      kv
    },
    bmm("bmm_post", false)
  ];
}

// lib/timing/aic/curve.ts
function lowerBound(keys, from, to, key) {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = low + high >>> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
var Curve = class _Curve {
  #keys;
  #values;
  #bound;
  #watts;
  constructor({ keys, values, powers }, bound) {
    this.#keys = keys;
    this.#values = values;
    this.#bound = bound;
    this.#watts = powers === void 0 ? null : new _Curve({
      keys,
      values: powers
    }, CONSTANT);
  }
  /** Smallest measured key. */
  get first() {
    return this.#keys[0];
  }
  get points() {
    return this.#keys.length;
  }
  /** Milliseconds (of tables of energies watt-milliseconds) at `key`, which may lie anywhere and need not be whole. */
  at(key) {
    return this.#watts === null ? this.#value(key) : this.#value(key) * this.#watts.#value(key);
  }
  #value(key) {
    const keys = this.#keys;
    const values = this.#values;
    const index = lowerBound(keys, 0, keys.length, key);
    if (index < keys.length && keys[index] === key) return values[index];
    if (index === 0 || index === keys.length) {
      const end = index === 0 ? 0 : index - 1;
      return this.#bound.ms(key) / (this.#bound.ms(keys[end]) / values[end]);
    }
    const low = index - 1;
    return values[low] + (values[index] - values[low]) * ((key - keys[low]) / (keys[index] - keys[low]));
  }
};
var CONSTANT = {
  ms: () => 1
};
var PROPORTIONAL = {
  ms: (size2) => size2
};

// lib/timing/aic/nearest_mean.ts
var NEAREST = 5;
function nearestMean(squares2, utils2, count3) {
  const bounded = count3 === NEAREST;
  const reach = bounded ? Math.sqrt(squares2[NEAREST - 1]) : Infinity;
  const end = Math.min(count3, NEAREST - 1);
  let weighted = 0;
  let weights = 0;
  for (let i = 0; i < end; i++) {
    const distance = Math.sqrt(squares2[i]);
    let weight;
    if (bounded) {
      const closeness = Math.max(reach - distance, 0) / (reach * distance + 1e-12);
      weight = closeness * closeness;
    } else {
      weight = 1 / (distance * distance + 1e-12);
    }
    weighted += weight * utils2[i];
    weights += weight;
  }
  if (weights > 0) return weighted / weights;
  weighted = 0;
  for (let i = 0; i < end; i++) weighted += utils2[i];
  return weighted / end;
}

// lib/timing/aic/utilisation_extrapolation.ts
var FIELDS = 4;
var CACHE_SLOTS = 1 << 13;
var SPREAD = 625341585;
var UtilisationExtrapolation = class {
  #bound;
  #head;
  #rowMoves;
  /** Logarithms of the coordinates of every leaf that counts. */
  #heads;
  #rows;
  #leaves;
  /** Bound over latency (or the power) of those. */
  #utils;
  /** Squared distances of those from the point looked at. */
  #squares;
  #means;
  #lines = /* @__PURE__ */ new Map();
  /** Recent answers by (row, leaf), one per slot: as sequences grow, a length is met again and again. */
  #keys = new Float64Array(CACHE_SLOTS).fill(-1);
  #answers = new Float64Array(CACHE_SLOTS);
  #recentKey = -1;
  #recent = {
    stretches: [],
    cursor: 0
  };
  /** @param powers watts of every leaf: their mean is asked for instead of a time */
  constructor(data, bound, head, moving, powers) {
    this.#means = powers !== void 0;
    this.#bound = bound;
    this.#head = head;
    this.#rowMoves = moving === "row";
    const { heads, rows, leaves, values, rowStart, leafStart } = data, count3 = leaves.length;
    const headLogarithms = new Float64Array(count3), rowLogarithms = new Float64Array(count3);
    const leafLogarithms = new Float64Array(count3), leafUtils = new Float64Array(count3);
    let usable = 0;
    for (let h = 0; h < heads.length; h++) {
      const headLogarithm = logarithm(heads[h]);
      for (let r = rowStart[h]; r < rowStart[h + 1]; r++) {
        const rowLogarithm = logarithm(rows[r]);
        for (let l = leafStart[r]; l < leafStart[r + 1]; l++) {
          const latency = values[l], limit = bound.ms(heads[h], rows[r], leaves[l]);
          const util = latency > 0 && limit > 0 ? powers?.[l] ?? limit / latency : NaN;
          if (util !== util) continue;
          headLogarithms[usable] = headLogarithm;
          rowLogarithms[usable] = rowLogarithm;
          leafLogarithms[usable] = logarithm(leaves[l]);
          leafUtils[usable++] = util;
        }
      }
    }
    this.#heads = headLogarithms.subarray(0, usable);
    this.#rows = rowLogarithms.subarray(0, usable);
    this.#leaves = leafLogarithms.subarray(0, usable);
    this.#utils = leafUtils.subarray(0, usable);
    this.#squares = new Float64Array(usable);
  }
  /** Milliseconds at a point; NaN when the grid has no usable measurement. */
  at(row, leaf) {
    const key = row * 4294967296 + leaf;
    const slot = (this.#rowMoves ? row + Math.imul(leaf, SPREAD) : leaf + Math.imul(row, SPREAD)) & CACHE_SLOTS - 1;
    if (this.#keys[slot] === key) return this.#answers[slot];
    this.#keys[slot] = key;
    return this.#answers[slot] = this.#compute(row, leaf);
  }
  #compute(row, leaf) {
    const moving = this.#rowMoves ? row : leaf;
    const line = this.#line(this.#rowMoves ? leaf : row);
    const { stretches } = line;
    let at = line.cursor;
    while (at > 0 && moving < stretches[at].low) at--;
    while (at < stretches.length - 1 && moving > stretches[at].high) at++;
    let stretch = stretches[at];
    if (stretch === void 0 || moving < stretch.low || moving > stretch.high) {
      stretch = this.#nearest(row, leaf);
      stretches.push(stretch);
      stretches.sort((a, b) => a.low - b.low);
      at = stretches.indexOf(stretch);
    }
    line.cursor = at;
    const mean = meanUtil(stretch, logarithm(moving));
    return this.#means ? mean : this.#bound.ms(this.#head, row, leaf) / mean;
  }
  #line(key) {
    if (key === this.#recentKey) return this.#recent;
    let line = this.#lines.get(key);
    if (line === void 0) this.#lines.set(key, line = {
      stretches: [],
      cursor: 0
    });
    this.#recentKey = key;
    return this.#recent = line;
  }
  /** The nearest leaves of a point (ties: the earlier leaf), and how far along the moving axis that list holds. */
  #nearest(row, leaf) {
    const x = logarithm(this.#head), y = logarithm(row), z = logarithm(leaf);
    const heads = this.#heads, rows = this.#rows, leaves = this.#leaves, utils2 = this.#utils, all = this.#squares;
    const found2 = new Int32Array(NEAREST), size2 = all.length;
    let count3 = 0;
    for (let i = 0; i < size2; i++) {
      const dx = heads[i] - x, dy = rows[i] - y, dz = leaves[i] - z;
      const square = dx * dx + dy * dy + dz * dz;
      all[i] = square;
      if (count3 === NEAREST && square >= all[found2[NEAREST - 1]]) continue;
      let at = count3 < NEAREST ? count3++ : NEAREST - 1;
      for (; at > 0 && all[found2[at - 1]] > square; at--) found2[at] = found2[at - 1];
      found2[at] = i;
    }
    const nearest = new Float64Array(count3 * FIELDS), rowMoves = this.#rowMoves;
    for (let k = 0; k < count3; k++) {
      const i = found2[k], at = k * FIELDS;
      const dx = heads[i] - x, dy = rows[i] - y, dz = leaves[i] - z;
      nearest[at] = rowMoves ? dx * dx : dx * dx + dy * dy;
      nearest[at + 1] = rowMoves ? rows[i] : leaves[i];
      nearest[at + 2] = rowMoves ? dz * dz : 0;
      nearest[at + 3] = utils2[i];
    }
    const moving = rowMoves ? row : leaf;
    const { low, high } = extent(rowMoves ? rows : leaves, all, found2, count3, rowMoves ? y : z);
    return {
      low: Math.min(low, moving),
      high: Math.max(high, moving),
      count: count3,
      nearest
    };
  }
};
function extent(along, all, found2, count3, at) {
  let from = -Infinity, to = Infinity;
  const narrow = (slope, crossing) => {
    if (slope > 0) from = Math.max(from, crossing);
    else to = Math.min(to, crossing);
  };
  for (let k = 1; k < count3; k++) {
    const nearer = found2[k - 1], farther = found2[k], slope = along[nearer] - along[farther];
    if (slope !== 0) narrow(slope, at - (all[farther] - all[nearer]) / (2 * slope));
  }
  const last = found2[NEAREST - 1], place = along[last], square = all[last];
  for (let i = 0; count3 === NEAREST && i < along.length; i++) {
    const slope = place - along[i];
    if (slope === 0) continue;
    const crossing = at - (all[i] - square) / (2 * slope);
    if (slope > 0 ? crossing <= from : crossing >= to) continue;
    if (!found2.includes(i)) narrow(slope, crossing);
  }
  return {
    low: Math.ceil(2 ** from * (1 + 1e-9)),
    high: Math.floor(2 ** to * (1 - 1e-9))
  };
}
var squares = new Float64Array(NEAREST);
var utils = new Float64Array(NEAREST);
function meanUtil({ nearest, count: count3 }, place) {
  for (let i = 0; i < count3; i++) {
    squares[i] = distance2(nearest, i * FIELDS, place);
    utils[i] = nearest[i * FIELDS + 3];
  }
  return nearestMean(squares, utils, count3);
}
function distance2(nearest, at, place) {
  const along = nearest[at + 1] - place;
  return nearest[at] + along * along + nearest[at + 2];
}
var LOGARITHMS = new Float64Array(1 << 17).fill(NaN);
function logarithm(value) {
  if (value < LOGARITHMS.length) {
    const known = LOGARITHMS[value];
    if (known === known) return known;
    return LOGARITHMS[value] = Math.log2(Math.max(value, 1e-12));
  }
  return Math.log2(value);
}

// lib/timing/aic/grid.ts
var Grid = class _Grid {
  #bound;
  #head;
  /** The measured head counts around the query (one, when it was measured itself); none when it lies outside. */
  #nodes;
  /** The node of a measured head count. */
  #own;
  /** The grid of powers; null when times are asked for. */
  #watts;
  #outside;
  #extrapolation = null;
  constructor({ powers, ...data }, bound, head, options) {
    const { moving } = options;
    const outside2 = (watts) => () => new UtilisationExtrapolation(data, bound, head, moving, watts);
    this.#outside = options.outside ?? outside2();
    this.#watts = powers === void 0 ? null : new _Grid({
      ...data,
      values: powers
    }, CONSTANT, head, {
      moving,
      outside: outside2(powers)
    });
    this.#bound = bound;
    this.#head = head;
    const { heads } = data;
    const at = lowerBound(heads, 0, heads.length, head);
    const node = (index) => new HeadNode(data, index, bound, head, options.squareRootRows ?? false);
    if (at < heads.length && heads[at] === head) this.#nodes = [
      node(at)
    ];
    else this.#nodes = at === 0 || at === heads.length ? [] : [
      node(at - 1),
      node(at)
    ];
    this.#own = this.#nodes.length === 1 ? this.#nodes[0] : null;
  }
  /** Milliseconds (of energies watt-milliseconds) at (row, leaf); NaN when the grid has no usable measurement at all. */
  at(row, leaf) {
    return this.#watts === null ? this.#value(row, leaf) : this.#value(row, leaf) * this.#watts.#value(row, leaf);
  }
  #value(row, leaf) {
    const inside = this.#own === null ? this.#between(row, leaf) : this.#own.at(row, leaf);
    if (inside === inside) return inside;
    this.#extrapolation ??= this.#outside();
    return this.#extrapolation.at(row, leaf);
  }
  /** Between two measured head counts; NaN outside of both. */
  #between(row, leaf) {
    if (this.#nodes.length === 0) return NaN;
    const [low, high] = this.#nodes;
    const a = low.at(row, leaf);
    const b = high.at(row, leaf);
    if (a === a && b === b) return a + (b - a) * ((this.#head - low.head) / (high.head - low.head));
    if (a !== a && b !== b) return NaN;
    const near = a === a ? low.head : high.head;
    return carried(a === a ? a : b, this.#bound.ms(this.#head, row, leaf), this.#bound.ms(near, row, leaf));
  }
};
var HeadNode = class {
  head;
  #data;
  #bound;
  /** Head count of the query, which the bound is asked for. */
  #asked;
  #squareRoot;
  #from;
  #to;
  /** The last row asked for, and the leaves of the measured rows at or below and above it. */
  #row = NaN;
  #inside = false;
  #exact = false;
  #lowRow = 0;
  #highRow = 0;
  #weight = 0;
  #low;
  #high;
  constructor(data, index, bound, asked, squareRoot) {
    this.head = data.heads[index];
    this.#data = data;
    this.#bound = bound;
    this.#asked = asked;
    this.#squareRoot = squareRoot;
    this.#from = data.rowStart[index];
    this.#to = data.rowStart[index + 1];
    this.#low = new LeafCursor(data);
    this.#high = new LeafCursor(data);
  }
  /** Milliseconds at (row, leaf); NaN outside. */
  at(row, leaf) {
    if (row !== this.#row) this.#locate(row);
    if (!this.#inside) return NaN;
    const a = this.#low.at(leaf);
    if (this.#exact) return a;
    const b = this.#high.at(leaf);
    if (a === a && b === b) {
      if (!this.#squareRoot) return a + (b - a) * this.#weight;
      const root = Math.sqrt(a);
      const blended = root + (Math.sqrt(b) - root) * this.#weight;
      return blended * blended;
    }
    if (a !== a && b !== b) return NaN;
    const near = a === a ? this.#lowRow : this.#highRow;
    return carried(a === a ? a : b, this.#bound.ms(this.#asked, row, leaf), this.#bound.ms(this.#asked, near, leaf));
  }
  #locate(row) {
    this.#row = row;
    const { rows } = this.#data;
    const at = lowerBound(rows, this.#from, this.#to, row);
    this.#exact = at < this.#to && rows[at] === row;
    this.#inside = this.#exact || at > this.#from && at < this.#to;
    if (!this.#inside) return;
    const low = this.#exact ? at : at - 1;
    this.#lowRow = rows[low];
    this.#low.open(low);
    if (this.#exact) return;
    this.#highRow = rows[at];
    this.#weight = (row - this.#lowRow) / (this.#highRow - this.#lowRow);
    this.#high.open(at);
  }
};
var LeafCursor = class {
  #data;
  #from = 0;
  #to = 0;
  /** Where the upper one of the pair is. */
  #at = 0;
  #low = Infinity;
  #high = -Infinity;
  #lowValue = 0;
  #highValue = 0;
  constructor(data) {
    this.#data = data;
  }
  /** Turns to another row. */
  open(row) {
    this.#from = this.#data.leafStart[row];
    this.#to = this.#data.leafStart[row + 1];
    this.#low = Infinity;
    this.#high = -Infinity;
  }
  /** The value at `leaf`, NaN outside the row. */
  at(leaf) {
    if (!(leaf >= this.#low && leaf <= this.#high) && !this.#find(leaf)) return NaN;
    if (leaf === this.#high) return this.#highValue;
    const share = (leaf - this.#low) / (this.#high - this.#low);
    return this.#lowValue + (this.#highValue - this.#lowValue) * share;
  }
  #find(leaf) {
    const { leaves, values } = this.#data;
    let at = leaf > this.#high ? this.#at + 1 : this.#at - 1;
    if (!(at > this.#from && at < this.#to && leaves[at - 1] < leaf && leaf <= leaves[at])) {
      at = lowerBound(leaves, this.#from, this.#to, leaf);
    }
    if (at === this.#to || at === this.#from && leaves[at] !== leaf) return false;
    this.#at = at;
    const low = Math.max(at - 1, this.#from);
    this.#low = leaves[low];
    this.#high = leaves[at];
    this.#lowValue = values[low];
    this.#highValue = values[at];
    return true;
  }
};
function carried(value, boundHere, boundThere) {
  return boundHere > 0 && boundThere > 0 ? value * (boundHere / boundThere) : value;
}

// lib/timing/aic/hardware.ts
function memoryMs(hardware, bytes) {
  return (bytes / (hardware.memoryBandwidth * hardware.memoryScaling) + hardware.memoryLatencySeconds) * 1e3;
}
function peerBandwidth(hardware, gpus) {
  if (gpus <= hardware.gpusPerNode) return hardware.intraNodeBandwidth;
  if (hardware.gpusPerRack === null || gpus <= hardware.gpusPerRack) return hardware.interNodeBandwidth;
  return hardware.interRackBandwidth ?? hardware.interNodeBandwidth;
}
function flopsOf(hardware, type, mode) {
  const rate = hardware.flops[type];
  if (rate !== void 0 && rate > 0) return rate;
  throw new ConfigError(`missing system flops: quant mode '${mode}' needs '${type}_tc_flops', which ${hardware.name} does not have`);
}

// lib/timing/aic/level_grid.ts
var LevelGrid = class _LevelGrid {
  #data;
  #bound;
  #query;
  #nearest;
  #found = null;
  /** The table of powers; null when times are asked for. */
  #watts;
  /** @param times the table of times that `data` are the powers of */
  constructor({ powers, ...data }, bound, times) {
    this.#data = data;
    this.#bound = bound;
    this.#query = new Float64Array(data.keys.length);
    this.#nearest = times === void 0 ? () => new NearestLeaves(data, bound) : () => new NearestLeaves(times.data, times.bound, data.values);
    this.#watts = powers === void 0 ? null : new _LevelGrid({
      ...data,
      values: powers
    }, CONSTANT.ms, {
      data,
      bound
    });
  }
  /**
   * Milliseconds (of energies watt-milliseconds) at the coordinates, as many as the table has axes; NaN when no
   * measurement is usable.
   */
  at(a, b, c, d = 0) {
    const value = this.#value(a, b, c, d);
    return this.#watts === null ? value : value * this.#watts.#value(a, b, c, d);
  }
  #value(a, b, c, d) {
    const query = this.#query;
    query[0] = a;
    query[1] = b;
    query[2] = c;
    if (query.length > 3) query[3] = d;
    const inside = this.#resolve(0, 0, this.#data.keys[0].length);
    if (inside === inside) return inside;
    const mean = (this.#found ??= this.#nearest()).mean(query);
    return this.#found.ofPowers ? mean : this.#bound(query) / mean;
  }
  /** The value below the entries `from .. to` of a level; NaN outside of what was measured there. */
  #resolve(level2, from, to) {
    const keys = this.#data.keys[level2];
    const wanted = this.#query[level2];
    const index = lowerBound(keys, from, to, wanted);
    if (index < to && keys[index] === wanted) return this.#below(level2, index);
    if (index === from || index === to) return NaN;
    const low = this.#below(level2, index - 1);
    const high = this.#below(level2, index);
    if (low === low && high === high) {
      return low + (high - low) * ((wanted - keys[index - 1]) / (keys[index] - keys[index - 1]));
    }
    if (low !== low && high !== high) return NaN;
    const here = this.#bound(this.#query);
    this.#query[level2] = low === low ? keys[index - 1] : keys[index];
    const there = this.#bound(this.#query);
    this.#query[level2] = wanted;
    return carried(low === low ? low : high, here, there);
  }
  #below(level2, index) {
    const { starts, values } = this.#data;
    if (level2 === starts.length) return values[index];
    return this.#resolve(level2 + 1, starts[level2][index], starts[level2][index + 1]);
  }
};
var NearestLeaves = class {
  #data;
  /** Logarithms of the keys of every level. */
  #logs;
  /** Bound over latency (or the power) of every leaf; NaN where the leaf does not count. */
  #utils;
  #place;
  /** What was found: squared distances in ascending order, and the leaves they belong to. */
  #squares = new Float64Array(NEAREST);
  #leaves = new Int32Array(NEAREST);
  #nearestUtils = new Float64Array(NEAREST);
  #count = 0;
  /** Whether means are those of powers. */
  ofPowers;
  /** @param powers watts of every leaf, whose mean is asked for instead */
  constructor(data, bound, powers) {
    this.ofPowers = powers !== void 0;
    const { keys, starts, values } = data;
    this.#data = data;
    this.#logs = keys.map((list2) => Float64Array.from(list2, logarithm));
    this.#utils = new Float64Array(values.length);
    this.#place = new Float64Array(keys.length);
    const path = new Float64Array(keys.length);
    const fill = (level2, from, to) => {
      for (let i = from; i < to; i++) {
        path[level2] = keys[level2][i];
        if (level2 < starts.length) fill(level2 + 1, starts[level2][i], starts[level2][i + 1]);
        else {
          const limit = bound(path);
          this.#utils[i] = values[i] > 0 && limit > 0 ? powers?.[i] ?? limit / values[i] : NaN;
        }
      }
    };
    fill(0, 0, keys[0].length);
  }
  /** Bound over latency, or the power, around a query; NaN when no measurement is usable. */
  mean(query) {
    for (let level2 = 0; level2 < query.length; level2++) this.#place[level2] = logarithm(query[level2]);
    this.#count = 0;
    this.#visit(0, 0, this.#data.keys[0].length, 0);
    for (let i = 0; i < this.#count; i++) this.#nearestUtils[i] = this.#utils[this.#leaves[i]];
    return nearestMean(this.#squares, this.#nearestUtils, this.#count);
  }
  #visit(level2, from, to, square) {
    const logs = this.#logs[level2];
    const place = this.#place[level2];
    let above = from;
    while (above < to && logs[above] < place) above++;
    let below = above - 1;
    while (below >= from || above < to) {
      const down = below >= from ? place - logs[below] : Infinity;
      const up = above < to ? logs[above] - place : Infinity;
      const index = down < up ? below-- : above++;
      const along = logs[index] - place;
      const reached = square + along * along;
      if (this.#count === NEAREST && reached > this.#squares[NEAREST - 1]) return;
      if (level2 === this.#data.starts.length) this.#keep(index, reached);
      else this.#visit(level2 + 1, this.#data.starts[level2][index], this.#data.starts[level2][index + 1], reached);
    }
  }
  /** Keeps a leaf if it is among the nearest; of equally near ones the earlier counts. */
  #keep(leaf, square) {
    const utils2 = this.#utils[leaf];
    if (utils2 !== utils2) return;
    const squares2 = this.#squares;
    const leaves = this.#leaves;
    let at = this.#count;
    while (at > 0 && (squares2[at - 1] > square || squares2[at - 1] === square && leaves[at - 1] > leaf)) at--;
    if (at === NEAREST) return;
    if (this.#count < NEAREST) this.#count++;
    for (let i = this.#count - 1; i > at; i--) {
      squares2[i] = squares2[i - 1];
      leaves[i] = leaves[i - 1];
    }
    squares2[at] = square;
    leaves[at] = leaf;
  }
};

// lib/timing/aic/operators/attention_modules.ts
var AttentionModuleOperator = class {
  name;
  dependence = "sequences";
  #count;
  #time;
  constructor(spec, time) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#time = time;
  }
  ms(_tokens, batch, seq, prefix, scale) {
    let latency = this.#time(batch, seq, prefix);
    if (scale !== 1) latency *= scale;
    return Math.max(latency, 0) * this.#count;
  }
  problem(_tokens, batch, seq, prefix) {
    return Number.isNaN(this.#time(batch, seq, prefix)) ? `no usable measurement for ${this.name}` : void 0;
  }
};
function limitedPairs(seq, prefix, limit) {
  const full = seq + prefix;
  if (full <= limit) return (full * (full + 1) - prefix * (prefix + 1)) / 2;
  if (prefix >= limit) return seq * limit;
  return (limit * (limit + 1) - prefix * (prefix + 1)) / 2 + (full - limit) * limit;
}
function closestBelow(measured, wanted) {
  const sorted = [
    ...new Set(measured)
  ].sort((a, b) => a - b);
  return sorted.filter((value) => value <= wanted).at(-1) ?? sorted[0];
}
function forEachMeasurement({ keys, starts, values }, visit) {
  const path = [];
  const walk = (level2, from, to) => {
    for (let i = from; i < to; i++) {
      path[level2] = keys[level2][i];
      if (level2 === starts.length) visit(path, values[i]);
      else walk(level2 + 1, starts[level2][i], starts[level2][i + 1]);
    }
  };
  walk(0, 0, keys[0].length);
}
function headedEstimate({ heads, phase }, bound, levels) {
  const measured = [];
  if (levels !== null) {
    forEachMeasurement(levels, ([n, a, b, c], ms) => {
      if (phase === "generation") measured.push({
        place: [
          n,
          a,
          b
        ],
        bound: bound.generation(n, a, b),
        ms
      });
      else measured.push({
        place: [
          n,
          a,
          b,
          c
        ],
        bound: bound.context(n, a, b, c),
        ms
      });
    });
  }
  return phase === "context" ? {
    bound: (batch, seq, prefix) => bound.context(heads, prefix, seq, batch),
    place: (batch, seq, prefix) => [
      heads,
      prefix,
      seq,
      batch
    ],
    measured,
    prefixAxis: 1
  } : {
    bound: (batch, seq) => bound.generation(heads, batch, seq),
    place: (batch, seq) => [
      heads,
      batch,
      seq,
      0
    ],
    measured,
    prefixAxis: null
  };
}

// lib/timing/aic/operators/operator.ts
var MissingOperator = class {
  name;
  dependence;
  #problem;
  constructor(name, dependence, problem) {
    this.name = name;
    this.dependence = dependence;
    this.#problem = problem;
  }
  ms() {
    return NaN;
  }
  problem() {
    return this.#problem;
  }
};
function sumMs(operators, tokens, batch, seq, prefix, scale) {
  let sum3 = 0;
  for (let i = 0; i < operators.length; i++) sum3 += operators[i].ms(tokens, batch, seq, prefix, scale);
  return sum3;
}
function firstProblem(operators, tokens, batch, seq, prefix) {
  for (const operator of operators) {
    const problem = operator.problem(tokens, batch, seq, prefix);
    if (problem !== void 0) return problem;
  }
  return void 0;
}

// lib/timing/aic/operators/dsa.ts
var DSA_WIDTHS = {
  DeepseekV32ForCausalLM: {
    hidden: 7168,
    queryRank: 1536,
    plain: 128,
    value: 128,
    indexHeads: 64
  },
  GlmMoeDsaForCausalLM: {
    hidden: 6144,
    queryRank: 2048,
    plain: 192,
    value: 256,
    indexHeads: 32
  }
};
var KV_RANK = 512;
var ROPE = 64;
var INDEX_HEAD = 128;
var LATENT = KV_RANK + ROPE;
var INDEX_ENTRY = 132;
var DECODE_PICKED = 2048;
var WITH_INDEXER = {
  projected: true,
  scored: true,
  decodeScored: true
};
function withoutIndexer(backend) {
  return backend === "vllm" ? {
    projected: false,
    scored: false,
    decodeScored: false
  } : {
    projected: true,
    scored: false,
    decodeScored: true
  };
}
var DsaBound = class {
  #spec;
  #parts;
  #gemmFlops;
  #indexFlops;
  #attentionFlops;
  #bandwidth;
  constructor(spec, hardware, parts) {
    const cost = GEMM_MODES[spec.mode];
    this.#spec = spec;
    this.#parts = parts;
    this.#gemmFlops = flopsOf(hardware, cost.flops, spec.mode);
    this.#indexFlops = flopsOf(hardware, "fp8", "fp8");
    const attention2 = spec.phase === "context" ? spec.fmha : "bfloat16";
    this.#attentionFlops = flopsOf(hardware, FMHA_MODES[attention2].flops, attention2);
    this.#bandwidth = hardware.memoryBandwidth;
  }
  context(heads, prefix, seq, batch) {
    const { architecture, picked, fmha, kv } = this.#spec;
    const { plain, indexHeads } = DSA_WIDTHS[architecture];
    const tokens = batch * seq;
    const full = seq + prefix;
    const scored = this.#parts.scored && full > picked;
    const scores = scored ? 2 * tokens * indexHeads * INDEX_HEAD * full : 0;
    const pairs = batch * limitedPairs(seq, prefix, picked);
    const cache = batch * heads * Math.min(full, picked) * LATENT * KV_MODES[kv];
    const indexCache = scored ? INDEX_ENTRY * batch * full : 0;
    const queries2 = tokens * heads * (plain + ROPE) * FMHA_MODES[fmha].bytes * 2;
    const bytes = this.#weights(heads) + cache + indexCache + queries2;
    return this.#ms(heads, tokens, scores, pairs, bytes);
  }
  generation(heads, batch, known) {
    const { architecture, kv } = this.#spec;
    const { indexHeads } = DSA_WIDTHS[architecture];
    const scores = this.#parts.decodeScored ? 2 * batch * indexHeads * INDEX_HEAD * known : 0;
    const pairs = batch * Math.min(known, DECODE_PICKED);
    const indexCache = this.#parts.decodeScored ? INDEX_ENTRY * batch * known : 0;
    const bytes = this.#weights(heads) + indexCache + pairs * LATENT * KV_MODES[kv];
    return this.#ms(heads, batch, scores, pairs, bytes);
  }
  #ms(heads, tokens, scores, pairs, bytes) {
    const attention2 = 2 * heads * (LATENT + KV_RANK) * pairs;
    const math = this.#projections(heads, tokens) / this.#gemmFlops + scores / this.#indexFlops + attention2 / this.#attentionFlops;
    return Math.max(math * 1e3, bytes / this.#bandwidth * 1e3);
  }
  #projections(heads, tokens) {
    const { hidden, queryRank, plain, value, indexHeads } = DSA_WIDTHS[this.#spec.architecture];
    const [indexers, indexSize] = this.#parts.projected ? [
      indexHeads,
      INDEX_HEAD
    ] : [
      0,
      0
    ];
    return 2 * tokens * hidden * (queryRank + KV_RANK + ROPE + indexSize) + 2 * tokens * queryRank * heads * (plain + ROPE) + 2 * tokens * queryRank * indexers * INDEX_HEAD + 2 * tokens * hidden * indexers + 2 * tokens * heads * value * hidden + 2 * heads * tokens * plain * KV_RANK + 2 * heads * tokens * KV_RANK * value;
  }
  #weights(heads) {
    const { hidden, queryRank, plain, value, indexHeads } = DSA_WIDTHS[this.#spec.architecture];
    const [indexers, indexSize] = this.#parts.projected ? [
      indexHeads,
      INDEX_HEAD
    ] : [
      0,
      0
    ];
    const elements = hidden * (queryRank + KV_RANK + ROPE + indexSize) + queryRank * heads * (plain + ROPE) + queryRank * indexers * INDEX_HEAD + hidden * indexers + heads * value * hidden;
    return elements * GEMM_MODES[this.#spec.mode].bytes;
  }
};
function dsaOperator(spec, hardware, set) {
  const full = moduleTime(spec, hardware, set, "full", WITH_INDEXER);
  if (full === void 0) return missing(spec, set);
  const { indexed } = spec;
  if (indexed >= 1 || !skipsUsably(spec, set)) return new AttentionModuleOperator(spec, full);
  const skip = moduleTime(spec, hardware, set, "skip", withoutIndexer(set.header.backend)) ?? (() => NaN);
  return new AttentionModuleOperator(spec, (batch, seq, prefix) => indexed * full(batch, seq, prefix) + (1 - indexed) * skip(batch, seq, prefix));
}
function dsaEstimate(spec, hardware, backend, table2, set) {
  const bound = new DsaBound(spec, hardware, table2 === "full" ? WITH_INDEXER : withoutIndexer(backend));
  const slice = set && sliceName(spec, set, table2);
  return headedEstimate(spec, bound, slice === void 0 ? null : set.member(memberName(spec)).levels(slice));
}
function moduleTime(spec, hardware, set, table2, parts) {
  const member = set.member(memberName(spec));
  const slice = sliceName(spec, set, table2);
  if (member === void 0 || slice === void 0) return void 0;
  const { heads } = spec;
  const bound = new DsaBound(spec, hardware, parts);
  if (spec.phase === "context") {
    const grid2 = new LevelGrid(member.levels(slice), (at) => bound.context(at[0], at[1], at[2], at[3]));
    return (batch, seq, prefix) => grid2.at(heads, prefix, seq, batch);
  }
  const onGrid = {
    ms: (n, batch, known) => bound.generation(n, batch, known)
  };
  const grid = new Grid(member.grid(slice), onGrid, heads, {
    moving: "leaf"
  });
  return (batch, known) => grid.at(batch, known);
}
var memberName = ({ phase }) => `dsa_${phase}`;
function sliceName({ phase, architecture, fmha, kv, mode }, set, table2) {
  const key = `${table2}|${architecture}|${fmha}|${kv}|${mode}|`;
  return set.member(`dsa_${phase}`)?.names().find((name) => name.startsWith(key));
}
function skipsUsably(spec, set) {
  const member = set.member(memberName(spec));
  const { backend } = set.header;
  if (backend === "sglang") return member?.names().some((name) => name.startsWith("skip|")) ?? false;
  if (backend !== "vllm") return false;
  const full = sliceName(spec, set, "full");
  const skip = sliceName(spec, set, "skip");
  if (full === void 0 || skip === void 0 || full.slice(4) !== skip.slice(4)) return false;
  return [
    full,
    skip
  ].every((slice) => member.levels(slice).keys[0].includes(spec.heads));
}
function missing(spec, set) {
  const { phase, architecture, fmha, kv, mode } = spec;
  const key = `DsaKey { architecture: "${architecture}", fmha_quant: "${fmha}", kv_quant: "${kv}", gemm_quant: "${mode}" }`;
  const problem = set.member(memberName(spec)) === void 0 ? `no DSA module rows of ${set.header.backend} ${set.header.version} on ${set.header.system}` : `${phase} DSA module data missing for ${key}`;
  return new MissingOperator(spec.name, "sequences", problem);
}

// lib/timing/aic/families/deepseek_v32.ts
var deepseekV32Family = {
  name: "deepseek_v32",
  architectures: [
    "DeepseekV32ForCausalLM",
    "GlmMoeDsaForCausalLM"
  ],
  own: readOwn,
  // attention over prompts was measured in bfloat16 alone
  implied: (modes, _facts, _own, { backend }) => backend !== "vllm" && modes.fmha === "fp8" ? {
    ...modes,
    fmha: "bfloat16"
  } : modes,
  spreadsExperts: () => true,
  lists: (request) => listsOf(request, sparseList),
  memory: {
    activations: EXPERT_ACTIVATIONS,
    routerWidth: ({ heads, headSize, hidden }, backend) => backend === "sglang" ? hidden : heads * headSize,
    cache: ({ facts, own, kv }) => linearCache(facts.layers * (KV_RANK * KV_MODES[kv] + ROPE * 2 + own.indexEntryBytes))
  }
};
var schema = object({
  q_lora_rank: count,
  kv_lora_rank: count,
  qk_nope_head_dim: count,
  qk_rope_head_dim: count,
  v_head_dim: count,
  index_head_dim: count,
  index_n_heads: count,
  index_topk: count,
  index_topk_freq: nullish(pipe(number(), integer()), 1),
  index_topk_pattern: nullish(union([
    string(),
    array(string())
  ])),
  index_skip_topk_offset: nullish(pipe(number(), integer()))
});
function readOwn(text, facts, { excluded }) {
  const read2 = fields(schema, text);
  const dense = denseLayers(text, facts.layers, excluded);
  return {
    picked: read2.index_topk,
    indexEntryBytes: read2.index_head_dim + 4 * Math.ceil(read2.index_head_dim / 128),
    indexed: indexedShare(read2, facts.layers),
    plain: {
      vllm: plainByPath(excluded, facts.layers),
      others: plainProjections(excluded)
    },
    plainSharedExperts: plainSharedExperts(excluded),
    dense: typeof dense === "string" ? [] : dense,
    denseProblem: typeof dense === "string" ? dense : null
  };
}
function indexedShare(read2, layers) {
  const every = read2.index_topk_freq || 1;
  const { index_topk_pattern: pattern2, index_skip_topk_offset: offset } = read2;
  if (every <= 1 && !pattern2?.length) return 1;
  let indexed = 0;
  for (let layer = 0; layer < layers; layer++) {
    const skips = pattern2 != null ? pattern2[layer] === "S" : Math.max(offset == null ? layer - 1 : layer - offset + 1, 0) % every !== 0;
    if (!skips) indexed++;
  }
  return indexed / layers;
}
var INDEXER_PRODUCTS = [
  "indexer.wq_b",
  "indexer.wk",
  "indexer.weights_proj"
];
function plainByPath(excluded, layers) {
  const endsWith = (pattern2, block) => {
    const at = pattern2.lastIndexOf(block);
    return at >= 0 && [
      "",
      "*",
      ".*",
      "\\..*"
    ].includes(pattern2.slice(at + block.length));
  };
  const globs = excluded.filter((pattern2) => !pattern2.startsWith("re:"));
  const expressions = excluded.filter((pattern2) => pattern2.startsWith("re:")).map((pattern2) => expression(pattern2));
  if (globs.some((pattern2) => endsWith(pattern2, "self_attn"))) return byProjection(() => true);
  const matches = (module) => expressions.some((tried) => Array.from({
    length: layers
  }, (_, layer) => `model.layers.${layer}.self_attn.${module}`).some((path) => tried.test(path)));
  return byProjection((group) => {
    const marks = group === "indexer" ? INDEXER_PRODUCTS : PROJECTION_NAMES[group];
    const paths = group === "indexer" ? [
      ...marks,
      "indexer.wk_weights_proj"
    ] : group === "kv" ? [
      ...marks,
      "kv_a_proj_with_mqa"
    ] : marks;
    return globs.some((pattern2) => marks.some((mark) => pattern2.includes(mark))) || group === "indexer" && globs.some((pattern2) => endsWith(pattern2, "indexer")) || paths.some(matches);
  });
}
function expression(pattern2) {
  try {
    return new RegExp(`^(?:${pattern2.slice(3)})`);
  } catch {
    throw new ConfigError(`the exclusion '${pattern2}' in the model's quantization_config is no regular expression`);
  }
}
function denseLayers(text, layers, excluded) {
  const replaced = text.first_k_dense_replace ?? 0;
  if (!Number.isInteger(replaced) || replaced < 0 || replaced > layers) {
    return `'first_k_dense_replace' in the model's config.json is ${JSON.stringify(replaced)}; expected 0 to ${layers}`;
  }
  if (replaced === 0) return [];
  if ((text.moe_layer_freq ?? 1) !== 1) {
    return "layers without experts need 'moe_layer_freq' 1 in the model's config.json";
  }
  if ((text.hidden_act ?? "silu") !== "silu") return "layers without experts need 'hidden_act' silu in config.json";
  const groups = /* @__PURE__ */ new Map();
  for (let layer = 0; layer < replaced; layer++) {
    const named = (projection) => namesRun(excluded, `model.layers.${layer}.mlp.${projection}`);
    if (named("gate_proj") !== named("up_proj")) {
      return `gate_proj and up_proj of layer ${layer} are one product, but only one of them is quantised`;
    }
    const plainGate = named("gate_proj") || namesPart(excluded, `model.layers.${layer}.mlp.gate_up_proj`);
    const plainDown = named("down_proj") || namesPart(excluded, `model.layers.${layer}.mlp.down_proj`);
    const key = `${plainGate} ${plainDown}`;
    const group = groups.get(key) ?? {
      layers: 0,
      plainGate,
      plainDown
    };
    group.layers++;
    groups.set(key, group);
  }
  return [
    ...groups.values()
  ];
}
var namesRun = (patterns, path) => patterns.some((pattern2) => `.${path}.`.includes(`.${pattern2.replace(/\.+$/, "")}.`));
function namesPart(patterns, path) {
  const candidates = [
    path,
    ...path.split(".")
  ];
  return patterns.some((pattern2) => {
    const escaped = pattern2.replace(/[\\^$+?()[\]{}|.]/g, "\\$&").replaceAll("*", ".*");
    const whole = new RegExp(`^${escaped}$`);
    return candidates.some((candidate) => whole.test(candidate));
  });
}
function sparseList(build) {
  const { moeInter, vocab } = build.facts;
  const { moeTensor } = build.parallelism;
  const dense = denseGroups(build);
  const experts2 = build.block("", build.layers - dense.reduce((sum3, { layers }) => sum3 + layers, 0));
  const both = Math.floor(2 * moeInter / moeTensor);
  const mode = build.own.plainSharedExperts ? "bfloat16" : build.modes.gemm;
  return [
    build.embedding(vocab),
    build.norm("add_norm_1"),
    attentionBlock2(build),
    build.norm("add_norm_2"),
    ...dense.flatMap((group, i) => denseLayer(build, group, dense.length === 1 ? "dense_" : `dense_${i}_`)),
    ...expertsBeside(build, sharedExperts(experts2, both, Math.floor(moeInter / moeTensor), mode), experts2.expertPart("power_law_1.01")),
    build.logits(),
    build.p2p()
  ];
}
function attentionBlock2(build) {
  const { own, phase, backend } = build;
  const architecture = build.facts.architecture;
  const { fmha, kvcache: kv, gemm } = build.modes;
  const heads = build.perRank(build.facts.heads);
  const plain = backend === "vllm" ? own.plain.vllm : own.plain.others;
  const modeOf2 = (group) => plain[group] ? "bfloat16" : gemm;
  const { hidden, queryRank, plain: keySize, value, indexHeads } = DSA_WIDTHS[architecture];
  const bytesOf = (group) => GEMM_MODES[modeOf2(group)].bytes;
  return {
    kind: "dsa",
    ...build.named("attention"),
    phase,
    architecture,
    heads,
    picked: own.picked,
    fmha,
    kv,
    // measurements know one mode; a mixed block goes by its largest projection
    mode: modeOf2("o"),
    indexed: backend === "trtllm" ? 1 : own.indexed,
    weightBytes: bytesOf("q") * (hidden * queryRank + queryRank * heads * (keySize + ROPE)) + bytesOf("kv") * (hidden * (KV_RANK + ROPE) + KV_RANK * heads * (keySize + value)) + bytesOf("o") * (heads * value * hidden) + bytesOf("indexer") * (queryRank * INDEX_HEAD * indexHeads + hidden * indexHeads)
  };
}
function denseGroups(build) {
  const { backend, nextn, own, facts: { inter } } = build;
  const { pipeline, attentionData, tensor } = build.parallelism;
  if (backend !== "sglang" || pipeline !== 1 || attentionData !== 1 || nextn !== 0) return [];
  if (own.denseProblem !== null) throw new ConfigError(own.denseProblem);
  if (own.dense.length > 0 && (inter === 0 || inter % tensor !== 0)) {
    throw new ConfigError(`'intermediate_size' (${inter}) of layers without experts must be divisible by tensor ${tensor}`);
  }
  return own.dense;
}
function denseLayer(build, { layers, plainGate, plainDown }, prefix) {
  const part = build.block(prefix, layers);
  const { hidden, inter } = build.facts;
  const width = build.perRank(inter);
  const { gemm } = build.modes;
  return [
    part.allReduce("attn_ar", layers),
    part.gemm("gate_up_gemm", 2 * width, hidden, plainGate ? "bfloat16" : gemm),
    part.gate("act_gate", 2 * width, width),
    part.gemm("down_gemm", hidden, width, plainDown ? "bfloat16" : gemm, true),
    part.allReduce("ffn_ar", layers)
  ];
}

// lib/timing/aic/families/deepseek_v4.ts
var deepseekV4Family = {
  name: "deepseek_v4",
  architectures: [
    "DeepseekV4ForCausalLM"
  ],
  own: readOwn2,
  implied,
  spreadsExperts: () => true,
  lists: (request) => listsOf(request, compressedList),
  memory: {
    activations: EXPERT_ACTIVATIONS,
    routerWidth: ({ hidden }) => hidden,
    cache: compressedCache
  }
};
var schema2 = object({
  q_lora_rank: count,
  o_lora_rank: count,
  o_groups: count,
  head_dim: count,
  qk_rope_head_dim: count,
  index_head_dim: count,
  index_n_heads: count,
  index_topk: count,
  sliding_window: count,
  compress_ratios: array(countOr0),
  hc_mult: count,
  hc_sinkhorn_iters: count,
  compress_rope_theta: number(),
  num_hash_layers: countOr0,
  hc_eps: number(),
  n_shared_experts: countOr0,
  expert_dtype: nullish(string())
});
function readOwn2(text, { layers }) {
  const read2 = fields(schema2, text);
  const ratios = read2.compress_ratios.slice(0, layers);
  if (ratios.length < layers) {
    throw new ConfigError(`'compress_ratios' in the model's config.json has ${ratios.length} entries; expected one for each of ${layers} layers`);
  }
  const unknown3 = [
    ...new Set(ratios)
  ].filter((ratio) => ![
    0,
    4,
    128
  ].includes(ratio)).sort((a, b) => a - b);
  if (unknown3.length > 0) throw new ConfigError(`Unsupported DeepSeek-V4 compress_ratios: [${unknown3.join(", ")}]`);
  return {
    widths: {
      queryRank: read2.q_lora_rank,
      outputRank: read2.o_lora_rank,
      outputGroups: read2.o_groups,
      headSize: read2.head_dim,
      ropeSize: read2.qk_rope_head_dim,
      indexHeads: read2.index_n_heads,
      indexSize: read2.index_head_dim,
      picked: read2.index_topk,
      window: read2.sliding_window
    },
    ratios,
    streams: read2.hc_mult,
    rounds: read2.hc_sinkhorn_iters,
    fp4Experts: read2.expert_dtype?.toLowerCase() === "fp4"
  };
}
function implied(modes, _facts, { fp4Experts }, serving) {
  const { backend, hardware: { smVersion } } = serving;
  const fmha = modes.fmha === "fp8" ? "bfloat16" : modes.fmha;
  const whole = {
    ...modes,
    ...fmha === void 0 ? {} : {
      fmha
    },
    kvcache: "fp8"
  };
  if (!fp4Experts || modes.moe === "nvfp4") return whole;
  if (backend === "sglang" && smVersion >= 100) return {
    ...whole,
    moe: "w4a8_mxfp4_mxfp8_trtllm"
  };
  if (backend === "sglang" && smVersion === 90) return {
    ...whole,
    moe: "w4a16_mxfp4_cutlass"
  };
  return {
    ...whole,
    moe: "w4a8_mxfp4_mxfp8"
  };
}
function compressedList(build) {
  const { hidden, moeInter, vocab } = build.facts;
  const width = build.perRank(moeInter);
  return [
    build.embedding(vocab),
    mixing(build, "pre"),
    build.elementwise("attn_norm", 4 * hidden),
    ...attentionBlocks(build),
    mixing(build, "post"),
    build.elementwise("ffn_norm", 4 * hidden),
    ...expertsBeside(build, sharedExperts(build, 2 * width, width, build.modes.gemm), build.expertPart("power_law_1.01")),
    build.logits(),
    build.p2p()
  ];
}
function mixing(build, part) {
  const { streams, rounds } = build.own;
  return {
    kind: "mhc",
    ...build.named(`mhc_${part}`),
    part,
    hidden: build.facts.hidden,
    streams,
    rounds
  };
}
function attentionBlocks(build) {
  const { ratios } = build.own;
  const kinds = [
    ...new Set(ratios.filter((ratio) => ratio !== 0)),
    128
  ];
  return [
    ...new Set(kinds)
  ].flatMap((ratio) => {
    const layers = ratios.filter((own) => own === ratio || own === 0 && ratio === 128).length;
    return layers === 0 ? [] : [
      attentionBlock3(build, ratio, layers)
    ];
  });
}
function attentionBlock3(build, ratio, layers) {
  const { facts: { hidden, heads: nativeHeads }, own: { widths }, modes: { fmha, kvcache: kv, gemm: mode } } = build;
  const heads = build.perRank(nativeHeads);
  const localGroups = Math.max(1, build.perRank(widths.outputGroups));
  const { queryRank, outputRank, headSize, indexHeads, indexSize } = widths;
  const copies = ratio === 4 ? 2 : 1;
  let products = hidden * queryRank + queryRank * heads * headSize + hidden * headSize + localGroups * outputRank * hidden + 2 * hidden * copies * headSize;
  let plain = heads * headSize * outputRank;
  let scales = heads + ratio * copies * headSize;
  if (ratio === 4) {
    products += queryRank * indexHeads * indexSize + 4 * hidden * indexSize;
    plain += hidden * indexHeads;
    scales += 8 * indexSize;
  }
  return {
    kind: "dsv4",
    ...build.named("attention", layers),
    phase: build.phase,
    hidden,
    ...widths,
    ratio,
    heads,
    nativeHeads,
    localGroups,
    fmha,
    kv,
    mode,
    weightBytes: GEMM_MODES[mode].bytes * products + 2 * plain + 4 * scales
  };
}
function compressedCache({ facts, own: { widths, ratios }, kv }) {
  const { headSize, indexSize, window } = widths;
  const entry = headSize * KV_MODES[kv];
  const layersOf3 = (ratio) => ratios.filter((own) => own === ratio).length;
  const fine = layersOf3(4);
  const coarse = layersOf3(128);
  const state = fine * (2 * 4 * 2 * headSize * 4 + 2 * 4 * 2 * indexSize * 4) + coarse * (2 * 128 * headSize * 4);
  const bytes = (tokens) => ratios.length * Math.min(tokens, window) * entry + state + fine * Math.floor(tokens / 4) * (entry + indexSize * 0.5) + coarse * Math.floor(tokens / 128) * entry;
  return bentCache(bytes, facts.contextLength ?? Infinity);
}

// lib/timing/aic/families/grouped_query.ts
function groupedQueryCache({ facts, parallelism, kv }) {
  const elements = Math.ceil(facts.kvHeads / parallelism.tensor) * facts.headSize * facts.layers * 2;
  return linearCache(elements * KV_MODES[kv]);
}

// lib/timing/aic/families/dense.ts
var denseFamily = {
  name: "llama",
  architectures: [
    "LlamaForCausalLM",
    "Qwen2ForCausalLM",
    "Qwen3ForCausalLM",
    "MiMoForCausalLM"
  ],
  spreadsExperts: () => false,
  lists: (request) => listsOf(request, denseList),
  memory: {
    activations: DENSE_ACTIVATIONS,
    cache: groupedQueryCache
  }
};
function denseList(build) {
  const { architecture, hidden, inter, layers, vocab } = build.facts;
  const both = build.perRank(2 * inter);
  const width = build.perRank(inter);
  const qkNorm = architecture === "Qwen3ForCausalLM";
  return [
    build.embedding(build.perRank(vocab)),
    ...build.attentionPart(build.attention(layers, {
      qkNorm
    })),
    build.gemm("gate_ffn1_gemm", both, hidden),
    build.gate("act_gate", both, width),
    build.gemm("ffn2_gemm", hidden, width, build.modes.gemm, true),
    build.logits(),
    build.allReduce("embedding_ar", 1),
    build.allReduce("ar_1", layers),
    build.allReduce("ar_2", layers),
    build.p2p()
  ];
}

// lib/timing/aic/families/experts.ts
var GPT_OSS_WINDOW = 128;
var QK_NORM = [
  "Qwen3MoeForCausalLM",
  "MiniMaxM2ForCausalLM"
];
var isGptOss = (architecture) => architecture === "GptOssForCausalLM";
var expertFamily = {
  name: "moe",
  architectures: [
    "MixtralForCausalLM",
    "Qwen2MoeForCausalLM",
    "Qwen3MoeForCausalLM",
    "GptOssForCausalLM",
    "MiniMaxM2ForCausalLM"
  ],
  spreadsExperts: () => true,
  check: checkWeightBlocks,
  lists: (request) => listsOf(request, expertList),
  memory: {
    activations: EXPERT_ACTIVATIONS,
    cache: expertCache
  }
};
function expertList(build) {
  const { architecture, layers, vocab } = build.facts;
  const windowed = isGptOss(architecture);
  const qkNorm = QK_NORM.includes(architecture);
  return [
    ...windowed ? [
      build.attention(layers / 2, {
        window: GPT_OSS_WINDOW
      })
    ] : [],
    build.embedding(build.perRank(vocab)),
    ...build.attentionPart(build.attention(windowed ? layers / 2 : layers, {
      qkNorm
    })),
    ...build.expertPart("power_law_1.2"),
    ...build.phase === "generation" ? [
      build.logits()
    ] : [],
    build.allReduce("embedding_ar", 1),
    build.p2p()
  ];
}
function expertCache(request) {
  const whole = groupedQueryCache(request);
  if (!isGptOss(request.facts.architecture)) return whole;
  const growing = whole.bytes(1) / 2;
  return {
    bytes: (tokens) => growing * tokens + growing * Math.min(tokens, GPT_OSS_WINDOW),
    tokens(budget) {
      const tokens = whole.tokens(budget);
      return tokens <= GPT_OSS_WINDOW ? tokens : Math.floor((budget - growing * GPT_OSS_WINDOW) / growing);
    }
  };
}

// lib/timing/aic/families/gemma4.ts
var CHARGED_ROUTER = 128;
var hasExperts = ({ topk, experts: experts2 }) => topk > 0 && experts2 > 0;
var gemma4Family = {
  name: "gemma4",
  architectures: [
    "Gemma4ForConditionalGeneration"
  ],
  nested: [
    "Gemma4ForConditionalGeneration"
  ],
  own: gemma4,
  spreadsExperts: () => true,
  check({ facts, parallelism: { moeExpert } }) {
    if (!hasExperts(facts) && moeExpert !== 1) {
      throw new ConfigError(`dense Gemma 4 variants require moe_expert 1, got ${moeExpert}`);
    }
  },
  lists: (request) => listsOf(request, gemma4List),
  memory: {
    activations: EXPERT_ACTIVATIONS,
    routerWidth: (facts) => hasExperts(facts) ? facts.hidden : 0,
    cache: windowedCache
  }
};
var Config = object({
  layer_types: array(picklist([
    "sliding_attention",
    "full_attention"
  ])),
  num_global_key_value_heads: countIfThere(0),
  global_head_dim: countIfThere(0),
  sliding_window: countIfThere(0),
  attention_k_eq_v: nullish(boolean(), false)
});
function gemma4(text, facts, { excluded }) {
  const own = fields(Config, text);
  if (own.layer_types.length !== facts.layers) {
    throw new ConfigError(`Gemma 4 layer_types length ${own.layer_types.length} != num_hidden_layers ${facts.layers}`);
  }
  const full = own.layer_types.filter((type) => type === "full_attention").length;
  const { kvHeads, headSize } = facts;
  return {
    sliding: {
      layers: facts.layers - full,
      kvHeads,
      headSize,
      window: own.sliding_window,
      projections: 2
    },
    full: {
      layers: full,
      kvHeads: own.num_global_key_value_heads || kvHeads,
      headSize: own.global_head_dim || headSize,
      window: 0,
      projections: own.attention_k_eq_v ? 1 : 2
    },
    plainAttention: excluded.some((entry) => entry.toLowerCase().includes("self_attn")),
    plainFeedForward: excluded.some((entry) => entry.toLowerCase().includes(".mlp"))
  };
}
function gemma4List(build) {
  const { sliding, full } = build.own;
  return [
    build.embedding(build.facts.vocab),
    ...layersOf(build, "swa_", sliding),
    ...layersOf(build, "global_", full),
    build.logits(),
    build.p2p()
  ];
}
function layersOf(whole, prefix, kind) {
  if (kind.layers === 0) return [];
  const build = whole.block(prefix, kind.layers);
  const { facts, modes, gemmFixed, own } = build;
  const attentionMode = own.plainAttention && !gemmFixed ? "bfloat16" : modes.gemm;
  const sharedMode = own.plainFeedForward && !gemmFixed ? "bfloat16" : modes.gemm;
  const expertMode = own.plainFeedForward && !gemmFixed ? "bfloat16" : modes.moe;
  const { hidden, heads, inter } = facts;
  const queries2 = build.perRank(heads * kind.headSize);
  const keys = Math.ceil(kind.kvHeads / build.parallelism.tensor) * kind.headSize;
  const width = build.perRank(inter);
  return [
    build.norm("attn_norm"),
    build.gemm("qkv_gemm", queries2 + keys * kind.projections, hidden, attentionMode),
    build.attention(kind.layers, kind),
    build.gemm("proj_gemm", hidden, queries2, attentionMode, true),
    build.norm("ffn_norm"),
    build.gemm("shared_mlp_gate_up_gemm", 2 * width, hidden, sharedMode),
    build.gate("shared_mlp_act", 2 * width, width),
    build.gemm("shared_mlp_down_gemm", hidden, width, sharedMode, true),
    ...hasExperts(facts) ? build.expertPart("power_law_1.01", {
      mode: expertMode,
      router: facts.experts >= CHARGED_ROUTER
    }) : []
  ];
}
function windowedCache({ facts, own, parallelism, kv }) {
  const elements = ({ layers, kvHeads, headSize }) => layers * Math.ceil(kvHeads / parallelism.tensor) * headSize;
  const { window } = own.sliding;
  const held2 = (tokens) => window > 0 ? Math.min(tokens, window) : tokens;
  return bentCache((tokens) => KV_MODES[kv] * 2 * (elements(own.sliding) * held2(tokens) + elements(own.full) * tokens), facts.contextLength ?? 0);
}

// lib/timing/aic/families/hybrid_experts.ts
var hybridExpertsFamily = {
  name: "hybrid_experts",
  architectures: [
    "Llama4ForConditionalGeneration",
    "MiMoV2FlashForCausalLM"
  ],
  nested: [
    "Llama4ForConditionalGeneration"
  ],
  own: (text, facts) => facts.architecture === "MiMoV2FlashForCausalLM" ? mimo(text, facts) : llama4(text, facts),
  spreadsExperts: () => true,
  check: checkWeightBlocks,
  lists: (request) => listsOf(request, (build) => [
    build.embedding(build.facts.vocab),
    ...hybridBlocks(build),
    build.logits(),
    build.p2p()
  ]),
  // the cache is counted as if no layer had a window
  memory: {
    activations: PLAIN_ACTIVATIONS,
    cache: groupedQueryCache
  }
};
var Llama4 = object({
  interleave_moe_layer_step: optional(unknown(), 1),
  attention_chunk_size: countIfThere(0),
  intermediate_size_mlp: countIfThere(0)
});
function llama4(text, facts) {
  const own = fields(Llama4, text);
  const step2 = own.interleave_moe_layer_step;
  if (!Number.isInteger(step2) || step2 < 1) {
    throw new ConfigError(`interleave_moe_layer_step must be a positive integer, got ${JSON.stringify(step2)}`);
  }
  const kind = {
    heads: facts.heads,
    kvHeads: facts.kvHeads,
    headSize: facts.headSize,
    valueSize: facts.headSize
  };
  const indices = Array.from({
    length: facts.layers
  }, (_, i) => i);
  return {
    layers: countLayers(indices.map((i) => i % 2 === 1), indices.map((i) => (i + 1) % step2 === 0)),
    global: {
      ...kind,
      window: 0
    },
    windowed: {
      ...kind,
      window: own.attention_chunk_size
    },
    denseInter: own.intermediate_size_mlp || facts.inter
  };
}
var flag = union([
  boolean(),
  picklist([
    0,
    1
  ])
]);
var Mimo = object({
  hybrid_layer_pattern: array(unknown()),
  moe_layer_freq: union([
    array(unknown()),
    number()
  ]),
  sliding_window_size: countIfThere(0),
  swa_num_key_value_heads: countIfThere(0),
  swa_head_dim: countIfThere(0),
  swa_v_head_dim: countIfThere(0),
  v_head_dim: countIfThere(0),
  num_key_value_heads: count
});
function mimo(text, facts) {
  const own = fields(Mimo, text);
  const { layers, heads, kvHeads, headSize } = facts;
  const attention2 = own.hybrid_layer_pattern;
  const experts2 = Array.isArray(own.moe_layer_freq) ? own.moe_layer_freq : new Array(layers).fill(own.moe_layer_freq);
  if (attention2.length !== layers || experts2.length !== layers) {
    throw new ConfigError(`Hybrid pattern length mismatch for ${facts.architecture}: expected ${layers} entries, got attn=${attention2.length} moe=${experts2.length}`);
  }
  if (![
    ...attention2,
    ...experts2
  ].every((value) => is(flag, value))) {
    throw new ConfigError(`Hybrid patterns for ${facts.architecture} must contain only 0/1 values`);
  }
  return {
    layers: countLayers(attention2.map(Boolean), experts2.map(Boolean)),
    global: {
      heads,
      kvHeads,
      headSize,
      valueSize: own.v_head_dim || headSize,
      window: 0
    },
    windowed: {
      heads,
      kvHeads: own.swa_num_key_value_heads || kvHeads,
      headSize: own.swa_head_dim || headSize,
      valueSize: own.swa_v_head_dim || headSize,
      window: own.sliding_window_size
    },
    denseInter: facts.inter
  };
}
function countLayers(global, experts2) {
  const having = (attention2, moe) => global.filter((value, i) => value === attention2 && experts2[i] === moe).length;
  return {
    globalExperts: having(true, true),
    windowExperts: having(false, true),
    windowDense: having(false, false),
    globalDense: having(true, false)
  };
}
function hybridBlocks(build, extras = {}) {
  const { layers, global, windowed } = build.own;
  return [
    ...expertBlock(build, layers.globalExperts, global, "global", extras),
    ...expertBlock(build, layers.windowExperts, windowed, "swa", extras),
    ...denseBlock(build, layers.windowDense, windowed, "swa", extras),
    ...denseBlock(build, layers.globalDense, global, "global", extras)
  ];
}
function expertBlock(build, layers, kind, name, extras) {
  if (layers === 0) return [];
  return [
    ...attention(build.block(`${name}_`, layers), kind, extras),
    build.block(`${name}_moe_`, layers).norm("norm"),
    ...build.block(`${name}_`, layers).expertPart("power_law_1.01", {
      transportMode: "bfloat16"
    })
  ];
}
function denseBlock(build, layers, kind, name, extras) {
  if (layers === 0) return [];
  return [
    ...attention(build.block(`${name}_dense_`, layers), kind, extras),
    build.block(`${name}_dense_ffn_`, layers).norm("norm"),
    ...denseFeedForward(build.block(`${name}_dense_`, layers), build.own.denseInter)
  ];
}
function denseFeedForward(build, inter) {
  const width = build.perRank(inter);
  const { hidden } = build.facts;
  return [
    build.gemm("gate_up_gemm", 2 * width, hidden),
    build.gate("act", 2 * width, width),
    build.gemm("down_gemm", hidden, width, build.modes.gemm, true)
  ];
}
function attention(build, kind, extras) {
  const { hidden } = build.facts;
  const { heads, kvHeads, headSize, valueSize } = kind;
  const ofRank = Math.ceil(kvHeads / build.parallelism.tensor);
  const values = build.perRank(heads * valueSize);
  const headsOfRank = build.perRank(heads);
  return [
    build.norm("attn_norm"),
    build.gemm("qkv_gemm", build.perRank(heads * headSize) + ofRank * (headSize + valueSize), hidden),
    build.attention(build.layers, {
      ...kind,
      qkNorm: extras.qkNorm
    }),
    ...extras.headGate ? [
      build.gemm("attn_gate_gemm", headsOfRank, hidden),
      build.elementwise("attn_gate", 2 * (values + headsOfRank) + 2 * values)
    ] : [],
    build.gemm("proj_gemm", hidden, values, build.modes.gemm, true)
  ];
}

// lib/timing/aic/families/kimi_k25.ts
var kimiK25Family = {
  ...deepseekFamily,
  name: "kimi_k25",
  architectures: [
    "KimiK25ForConditionalGeneration"
  ],
  nested: [
    "KimiK25ForConditionalGeneration"
  ],
  implied: void 0,
  lists: (request) => listsOf(request, latentList),
  memory: {
    ...deepseekFamily.memory,
    width: void 0,
    routerWidth: ({ heads, headSize, hidden }, backend) => backend === "sglang" ? hidden : heads * headSize
  }
};

// lib/timing/aic/families/kimi_k3.ts
var kimiK3Family = {
  name: "kimi_k3",
  architectures: [
    "KimiK3ForConditionalGeneration"
  ],
  nested: [
    "KimiK3ForConditionalGeneration"
  ],
  own: readOwn3,
  implied: (modes, _facts, _own, { backend, hardware }) => backend === "sglang" && hardware.smVersion >= 100 && modes.moe === "w4a16_mxfp4" ? {
    ...modes,
    moe: "w4a8_mxfp4_mxfp8"
  } : modes,
  spreadsExperts: () => true,
  check({ own, parallelism: { tensor } }) {
    if (own.deltaHeads % tensor !== 0) {
      throw new ConfigError(`linear_attn_config.num_heads ${own.deltaHeads} should be divisible by tensor ${tensor}`);
    }
  },
  lists: (request) => listsOf(request, deltaList, false),
  memory: {
    activations: {
      sglang: EXPERT_ACTIVATIONS.sglang,
      other: PLAIN_ACTIVATIONS.other
    },
    cache: deltaCache
  }
};
var schema3 = object({
  linear_attn_config: object({
    kda_layers: array(pipe(number(), integer())),
    num_heads: count,
    head_dim: count,
    short_conv_kernel_size: nullish(count, 4)
  }),
  q_lora_rank: count,
  kv_lora_rank: count,
  qk_nope_head_dim: count,
  qk_rope_head_dim: count,
  v_head_dim: count,
  routed_expert_hidden_size: countIfThere(0),
  num_shared_experts: countIfThere(0),
  first_k_dense_replace: countIfThere(0),
  attn_res_block_size: countIfThere(0)
});
function readOwn3(text, { layers, hidden }) {
  const read2 = fields(schema3, text);
  const { kda_layers: numbers, num_heads, head_dim, short_conv_kernel_size } = read2.linear_attn_config;
  if (numbers.length === 0) throw new ConfigError("Kimi-K3 config must define linear_attn_config.kda_layers");
  const outside2 = numbers.find((layer) => layer < 1 || layer > layers);
  if (outside2 !== void 0) {
    throw new ConfigError(`'linear_attn_config.kda_layers' names the layer ${outside2}; expected 1 to ${layers}`);
  }
  return {
    deltaLayers: new Set(numbers).size,
    deltaHeads: num_heads,
    deltaHeadSize: head_dim,
    taps: short_conv_kernel_size,
    queryRank: read2.q_lora_rank,
    kvRank: read2.kv_lora_rank,
    plainSize: read2.qk_nope_head_dim,
    ropeSize: read2.qk_rope_head_dim,
    valueSize: read2.v_head_dim,
    latentWidth: read2.routed_expert_hidden_size || hidden,
    sharedExperts: read2.num_shared_experts,
    denseLayers: read2.first_k_dense_replace,
    residualBlocks: read2.attn_res_block_size > 0
  };
}
function deltaList(build) {
  const { facts: { vocab, hidden, layers }, own } = build;
  return [
    build.embedding(build.perRank(vocab)),
    build.allReduce("embedding_ar", 1),
    ...deltaAttention(build.block("kda_", own.deltaLayers)),
    ...layers > own.deltaLayers ? latentAttention(build.block("mla_", layers - own.deltaLayers)) : [],
    ...own.residualBlocks ? [
      build.block("", 2 * layers).elementwise("attn_res", 2 * (4 * hidden + 2 * hidden))
    ] : [],
    build.norm("ffn_norm"),
    ...own.denseLayers > 0 ? denseLayers2(build.block("dense_", own.denseLayers)) : [],
    ...layers > own.denseLayers ? experts(build.block("", layers - own.denseLayers)) : [],
    build.logits(),
    build.p2p(),
    ...build.phase === "generation" && build.nextn > 0 ? draftModel(build) : []
  ];
}
function deltaAttention(build) {
  const { phase, backend, facts: { hidden }, own, layers } = build;
  const heads = build.perRank(own.deltaHeads);
  const width = heads * own.deltaHeadSize;
  const fusedDecode = phase === "generation" && backend === "vllm" && build.nextn === 0;
  return [
    build.norm("norm"),
    build.gemm("qkvg_gemm", 4 * width, hidden),
    build.gemm("bfa_gemm", own.deltaHeads + own.deltaHeadSize, hidden),
    build.gemm("fb_gemm", width, own.deltaHeadSize),
    ...deltaKernels(build, heads),
    ...fusedDecode ? [] : [
      build.elementwise("onorm", 2 * (2 * width + width))
    ],
    build.gemm("o_gemm", hidden, width, build.modes.gemm, true),
    build.allReduce("ar", layers)
  ];
}
function deltaKernels(build, heads) {
  const { phase, backend, nextn, facts: { hidden }, own: { taps, deltaHeadSize: headSize } } = build;
  const checks = phase === "generation" && nextn > 0;
  const kernel = (name, by) => ({
    kind: "kda",
    ...build.named(name),
    ...{
      phase: checks ? "verify" : phase,
      kernel: by,
      hidden,
      taps,
      heads,
      headSize
    },
    ...checks ? {
      checked: nextn + 1
    } : {}
  });
  const vllm = backend === "vllm";
  if (checks) {
    const recurrence = vllm ? "fused_recurrent_kda" : "fused_sigmoid_gating_delta_rule_update";
    return [
      kernel("conv1d", "causal_conv1d_update"),
      kernel("verify", recurrence)
    ];
  }
  if (phase === "context") {
    return [
      kernel("conv1d", "causal_conv1d_fn_qkv3"),
      kernel("scan", vllm ? "flashkda_fwd" : "chunk_kda")
    ];
  }
  if (vllm) return [
    kernel("fused_decode", "fused_kda_decode")
  ];
  return [
    kernel("conv1d", "causal_conv1d_update"),
    kernel("recurrent", "fused_recurrent_kda_packed_decode")
  ];
}
function latentAttention(build) {
  const { facts: { hidden, heads }, own: { queryRank, kvRank, ropeSize, valueSize }, layers } = build;
  const gated = build.perRank(heads * valueSize);
  return [
    build.norm("norm"),
    build.gemm("downscale_gemm", queryRank + kvRank + ropeSize, hidden),
    ...build.backend === "vllm" ? latentBlock(build) : latentKernels(build),
    build.gemm("gate_gemm", gated, hidden),
    build.elementwise("gate_mul", 2 * (build.perRank(2 * heads * valueSize) + gated)),
    build.allReduce("ar", layers)
  ];
}
function latentBlock(build) {
  const { phase, layers, facts: { heads, kvHeads }, own: { valueSize }, modes: { fmha, kvcache: kv, gemm } } = build;
  const primary = {
    kind: phase === "context" ? "mla_context_module" : "mla_generation_module",
    ...build.named("module"),
    ...{
      heads: build.perRank(heads),
      nativeHeads: heads,
      fmha,
      kv,
      mode: gemm
    }
  };
  const attention2 = build.attention(layers, {
    headSize: valueSize
  });
  const inner = {
    ...attention2,
    kvHeads: build.perRank(kvHeads)
  };
  const list2 = [
    queries(build),
    ...keysAndValues(build),
    inner,
    output(build)
  ];
  return [
    {
      kind: "fallback",
      name: `${phase}_mla_block`,
      count: 1,
      primary,
      list: list2
    }
  ];
}
function latentKernels(build) {
  const { phase, layers, modes: { fmha, kvcache: kv, gemm }, share } = build;
  const heads = build.perRank(build.facts.heads);
  const named = {
    name: `${phase}_attention`,
    count: layers * share
  };
  if (phase === "context") {
    const attention2 = {
      kind: "context_mla",
      ...named,
      heads,
      fmha,
      kv
    };
    return [
      queries(build),
      ...keysAndValues(build),
      attention2,
      output(build)
    ];
  }
  const product = (name, pre) => ({
    kind: "mla_bmm",
    name: `${phase}_${name}`,
    count: layers * share,
    ...{
      heads,
      mode: gemm === "bfloat16" ? "bfloat16" : "fp8",
      pre
    }
  });
  return [
    queries(build),
    product("bmm_pre", true),
    {
      kind: "generation_mla",
      ...named,
      heads,
      kv
    },
    product("bmm_post", false),
    output(build)
  ];
}
var queries = (build) => {
  const { facts: { heads }, own: { plainSize, ropeSize, queryRank } } = build;
  return build.gemm("q_b_gemm", build.perRank(heads * (plainSize + ropeSize)), queryRank);
};
function keysAndValues(build) {
  const { phase, facts: { heads }, own: { plainSize, valueSize, kvRank } } = build;
  if (phase === "generation") return [];
  return [
    build.gemm("kv_b_gemm", build.perRank(heads * (plainSize + valueSize)), kvRank)
  ];
}
var output = (build) => {
  const { facts: { heads, hidden }, own: { valueSize }, modes: { gemm } } = build;
  return build.gemm("o_gemm", hidden, build.perRank(heads * valueSize), gemm, true);
};
function denseLayers2(build) {
  const { facts: { hidden, inter }, modes: { gemm }, layers } = build;
  const both = build.perRank(2 * inter);
  const width = build.perRank(inter);
  return [
    build.gemm("gate_up_gemm", both, hidden),
    build.gate("act_gate", both, width),
    build.gemm("down_gemm", hidden, width, gemm, true),
    build.allReduce("ffn_ar", layers)
  ];
}
function experts(build) {
  const { facts: { hidden, moeInter }, own: { latentWidth: width, sharedExperts: sharedExperts2 } } = build;
  const [router2, ...routed] = build.expertPart("power_law_1.01", {
    width
  });
  const inter = sharedExperts2 * moeInter;
  const both = build.perRank(2 * inter);
  return [
    router2,
    build.gemm("latent_down_gemm", width, hidden, "bfloat16"),
    build.elementwise("latent_norm", 8 * width),
    ...routed,
    build.gemm("latent_up_gemm", hidden, width, "bfloat16"),
    ...inter > 0 ? [
      build.gemm("shared_gate_up_gemm", both, hidden, "bfloat16"),
      build.gate("shared_act_gate", both, build.perRank(inter)),
      build.gemm("shared_down_gemm", hidden, build.perRank(inter), "bfloat16")
    ] : []
  ];
}
var DRAFT = {
  layers: 5,
  inter: 14336,
  heads: 64
};
var LATENT_DRAFT = {
  queryRank: 1536,
  latent: 512 + 64,
  querySize: 128 + 64,
  valueSize: 128
};
var GROUPED_DRAFT = {
  kvHeads: 16,
  headSize: 64
};
function draftModel(build) {
  const { facts: { hidden, vocab }, nextn } = build;
  const proposed = nextn / (nextn + 1);
  const once = 1 / (nextn + 1);
  const each = DRAFT.layers * proposed;
  const latent = build.backend === "vllm";
  const shown = (spec, name, count3) => ({
    ...spec,
    name: `draft_${name}`,
    count: count3
  });
  const gemm = (name, n, k, count3 = each, lowPrecision = false) => shown(build.gemm(name, n, k, build.modes.gemm, lowPrecision), name, count3);
  const { headSize: size2, kvHeads } = GROUPED_DRAFT;
  const width = DRAFT.heads * (latent ? LATENT_DRAFT.valueSize : size2);
  const attention2 = latent ? build.attention(1, {
    heads: DRAFT.heads,
    kvHeads: DRAFT.heads,
    headSize: LATENT_DRAFT.valueSize
  }) : build.attention(1, {
    heads: DRAFT.heads,
    kvHeads,
    headSize: size2
  });
  return [
    shown(build.embedding(build.perRank(vocab)), "embedding", proposed),
    shown(build.norm("norm"), "norm", 2 * each),
    ...latent ? [
      gemm("downscale_gemm", LATENT_DRAFT.queryRank + LATENT_DRAFT.latent, hidden),
      gemm("q_b_gemm", build.perRank(DRAFT.heads * LATENT_DRAFT.querySize), LATENT_DRAFT.queryRank)
    ] : [
      gemm("qkv_gemm", build.perRank((DRAFT.heads + 2 * kvHeads) * size2), hidden)
    ],
    shown(attention2, "attention", each),
    gemm("proj_gemm", hidden, build.perRank(width), each, true),
    gemm("gate_up_gemm", build.perRank(2 * DRAFT.inter), hidden),
    shown(build.gate("act_gate", build.perRank(2 * DRAFT.inter), build.perRank(DRAFT.inter)), "act_gate", each),
    gemm("down_gemm", hidden, build.perRank(DRAFT.inter), each, true),
    shown(build.allReduce("ar", 1), "ar", 2 * each),
    gemm("kv_proj_gemm", latent ? LATENT_DRAFT.latent : build.perRank(2 * kvHeads * size2), hidden, DRAFT.layers * once),
    shown(build.logits(), "logits_gemm", once)
  ];
}
var STATES = 5;
function deltaCache({ facts, own, parallelism, kv }) {
  const { deltaLayers, deltaHeadSize: size2, taps, kvRank, ropeSize } = own;
  const heads = Math.floor(own.deltaHeads / parallelism.tensor);
  const state = STATES * deltaLayers * (heads * size2 * size2 * 4 + (taps - 1) * 3 * heads * size2 * 2);
  return linearCache(KV_MODES[kv] * (facts.layers - deltaLayers) * (kvRank + ropeSize), state);
}

// lib/timing/aic/families/minimax_m3.ts
var minimaxM3Family = {
  name: "minimax_m3",
  architectures: [
    "MiniMaxM3ForCausalLM",
    "MiniMaxM3SparseForConditionalGeneration"
  ],
  nested: [
    "MiniMaxM3SparseForConditionalGeneration"
  ],
  spreadsExperts: () => true,
  lists: (request) => listsOf(request, sparseList2),
  memory: {
    activations: PLAIN_ACTIVATIONS,
    cache: groupedQueryCache
  }
};
function sparseList2(build) {
  const { facts: { hidden, heads, kvHeads, moeInter, vocab }, modes } = build;
  return [
    build.embedding(vocab),
    build.norm("add_norm_1"),
    {
      kind: "msa",
      ...build.named("attention"),
      phase: build.phase,
      hidden,
      heads: Math.max(1, build.perRank(heads)),
      kvHeads: Math.max(1, build.perRank(kvHeads)),
      fmha: modes.fmha,
      kv: modes.kvcache,
      mode: modes.gemm
    },
    build.norm("add_norm_2"),
    ...expertsBeside(build, sharedExperts(build, build.perRank(2 * moeInter), build.perRank(moeInter), modes.gemm), build.expertPart("power_law_1.01")),
    build.logits(),
    build.p2p()
  ];
}

// lib/timing/aic/families/muse_glimmer.ts
var museGlimmerFamily = {
  name: "muse_glimmer",
  architectures: [
    "MuseGlimmerForConditionalGeneration"
  ],
  nested: [
    "MuseGlimmerForConditionalGeneration"
  ],
  own: museGlimmer,
  spreadsExperts: () => false,
  lists: (request) => listsOf(request, museGlimmerList),
  memory: {
    activations: DENSE_ACTIVATIONS,
    cache: windowedCache2
  }
};
var Config2 = object({
  layer_types: array(picklist([
    "sliding_attention",
    "full_attention"
  ])),
  sliding_window: count
});
function museGlimmer(text, { layers }) {
  const { layer_types: types, sliding_window: window } = fields(Config2, text);
  if (types.length !== layers) {
    throw new ConfigError(`Muse Glimmer layer_types length ${types.length} != num_hidden_layers ${layers}`);
  }
  const full = types.filter((type) => type === "full_attention").length;
  return {
    windowed: layers - full,
    full,
    window
  };
}
function museGlimmerList(build) {
  const { facts: { vocab, layers }, own: { windowed, full, window } } = build;
  return [
    build.embedding(build.perRank(vocab)),
    build.allReduce("embedding_ar", 1),
    ...windowed > 0 ? layersOf2(build.block("swa_", windowed), window) : [],
    ...full > 0 ? layersOf2(build.block("global_", full), 0) : [],
    build.allReduce("ar_1", layers),
    build.allReduce("ar_2", layers),
    build.logits(),
    build.p2p()
  ];
}
function layersOf2(build, window) {
  const { facts: { hidden, heads, headSize, inter }, modes, layers } = build;
  const queries2 = build.perRank(heads * headSize);
  return [
    build.norm("attn_norm"),
    build.gemm("qkv_gemm", queries2 + build.kvHeads * headSize * 2, hidden),
    build.attention(layers, {
      window,
      qkNorm: true,
      rotated: window > 0
    }),
    build.gemm("gate_gemm", queries2, hidden),
    build.gate("gate_mul", 2 * queries2, queries2),
    build.gemm("proj_gemm", hidden, queries2, modes.gemm, true),
    build.norm("ffn_norm"),
    ...denseFeedForward(build.block(`${build.prefix}mlp_`, layers), inter)
  ];
}
function windowedCache2({ facts, own, parallelism, kv }) {
  const ofLayer = KV_MODES[kv] * 2 * Math.ceil(facts.kvHeads / parallelism.tensor) * facts.headSize;
  return bentCache((tokens) => ofLayer * (own.windowed * Math.min(tokens, own.window) + own.full * tokens), facts.contextLength ?? 0);
}

// lib/timing/aic/families/nemotron_h.ts
var nemotronHFamily = {
  name: "nemotron_h",
  architectures: [
    "NemotronHForCausalLM"
  ],
  own: nemotronH,
  // vLLM quantises the experts' inputs at run time, so that weights of four bits compute in four bits
  implied: (modes, _facts, _own, { backend }) => backend === "vllm" && modes.moe === "w4a16_nvfp4" ? {
    ...modes,
    moe: "nvfp4"
  } : modes,
  spreadsExperts: ({ own }) => own?.experts !== 0,
  lists: (request) => listsOf(request, nemotronHList),
  // all layers count as attention in the cache, and the states of Mamba not at all
  memory: {
    activations: PLAIN_ACTIVATIONS,
    cache: groupedQueryCache
  }
};
var Config3 = object({
  hybrid_override_pattern: nullish(string()),
  layers_block_type: nullish(array(string())),
  mamba_num_heads: count,
  mamba_head_dim: count,
  ssm_state_size: count,
  conv_kernel: count,
  n_groups: count,
  chunk_size: count,
  moe_shared_expert_intermediate_size: countIfThere(0),
  moe_latent_size: countIfThere(0)
});
var LETTERS = {
  ...{
    mamba: "M",
    moe: "E",
    attention: "*",
    mlp: "-",
    dense: "-",
    ffn: "-"
  },
  ...{
    M: "M",
    E: "E",
    "*": "*",
    "-": "-"
  }
};
function pattern(own) {
  if (own.hybrid_override_pattern) return [
    ...own.hybrid_override_pattern
  ];
  if (own.layers_block_type == null) {
    throw new ConfigError("NemotronH config must define 'hybrid_override_pattern' or 'layers_block_type'.");
  }
  return own.layers_block_type.map((name) => {
    if (Object.hasOwn(LETTERS, name)) return LETTERS[name];
    throw new ConfigError(`Unsupported NemotronH layer block type '${name}'. Supported values: ${Object.keys(LETTERS).join(", ")}.`);
  });
}
function nemotronH(text, _facts) {
  const own = fields(Config3, text);
  const letters = pattern(own);
  const having = (letter) => letters.filter((found2) => found2 === letter).length;
  return {
    mamba: having("M"),
    attention: having("*"),
    experts: having("E"),
    plain: having("-"),
    mambaHeads: own.mamba_num_heads,
    mambaHeadSize: own.mamba_head_dim,
    stateSize: own.ssm_state_size,
    taps: own.conv_kernel,
    groups: own.n_groups,
    chunk: own.chunk_size,
    sharedInter: own.moe_shared_expert_intermediate_size,
    latent: own.moe_latent_size
  };
}
function nemotronHList(build) {
  const { mamba, attention: attention2, experts: experts2, plain } = build.own;
  return [
    build.embedding(build.facts.vocab),
    ...mamba > 0 ? mambaLayers(build.block("", mamba)) : [],
    ...attention2 > 0 ? attentionLayers(build.block("", attention2)) : [],
    ...experts2 > 0 ? expertLayers(build.block("", experts2)) : [],
    ...plain > 0 ? plainLayers(build.block("", plain)) : [],
    build.p2p(),
    build.logits()
  ];
}
function mambaLayers(build) {
  const { hidden } = build.facts;
  const { mambaHeads, mambaHeadSize, groups, stateSize, taps, chunk } = build.own;
  const headsOfRank = build.perRank(mambaHeads);
  const inner = headsOfRank * mambaHeadSize;
  const groupsOfRank = Math.max(build.perRank(groups), 1);
  const prompts = build.phase === "context";
  const shape = {
    hidden,
    stateSize,
    taps,
    heads: mambaHeads,
    headSize: mambaHeadSize,
    groups,
    chunk
  };
  const kernel = (name, kernel2) => ({
    kind: "mamba2",
    ...build.named(name),
    phase: build.phase,
    kernel: kernel2,
    ...shape
  });
  return [
    build.norm("mamba_norm"),
    build.gemm("mamba_in_proj_gemm", 2 * inner + 2 * groupsOfRank * stateSize + headsOfRank, hidden),
    kernel("mamba_conv1d", prompts ? "causal_conv1d_fn" : "causal_conv1d_update"),
    kernel("mamba_ssm", prompts ? "mamba_chunk_scan_combined" : "selective_state_update"),
    build.gemm("mamba_out_proj_gemm", hidden, inner),
    build.allReduce("mamba_ar", build.layers)
  ];
}
function attentionLayers(build) {
  const { hidden, heads, headSize } = build.facts;
  const queries2 = build.perRank(heads * headSize);
  return [
    build.norm("attn_norm"),
    build.gemm("qkv_gemm", queries2 + headSize * build.kvHeads * 2, hidden),
    build.attention(build.layers),
    build.gemm("proj_gemm", hidden, queries2, build.modes.gemm, true),
    build.allReduce("attn_ar", build.layers)
  ];
}
function expertLayers(build) {
  const { hidden, experts: experts2 } = build.facts;
  const { latent, sharedInter } = build.own;
  const shared = build.perRank(sharedInter);
  const parts = {
    width: latent > 0 ? latent : hidden,
    gated: false
  };
  const latentOfRank = build.perRank(latent);
  return [
    build.norm("moe_norm"),
    build.gemm("shared_up_gemm", shared, hidden),
    build.gate("shared_relu2", shared, shared),
    build.gemm("shared_down_gemm", hidden, shared, build.modes.gemm, true),
    build.gemm("router_gemm", experts2, hidden, "bfloat16"),
    ...latent > 0 ? [
      build.gemm("fc1_latent_proj_gemm", latentOfRank, hidden)
    ] : [],
    build.dispatch(true, parts),
    build.experts("power_law_1.01", parts),
    build.dispatch(false, parts),
    ...latent > 0 ? [
      build.gemm("fc2_latent_proj_gemm", hidden, latentOfRank, build.modes.gemm, true)
    ] : [],
    build.allReduce("moe_ar", build.layers)
  ];
}
function plainLayers(build) {
  const { hidden, inter } = build.facts;
  const width = build.perRank(inter);
  return [
    build.norm("mlp_norm"),
    build.gemm("mlp_up_gemm", width, hidden),
    build.gate("mlp_relu2", width, width),
    build.gemm("mlp_down_gemm", hidden, width),
    build.allReduce("mlp_ar", build.layers)
  ];
}

// lib/timing/aic/checkpoint_quant.ts
function checkpointParts(config, hfQuantConfig, nested) {
  const other = mapping(hfQuantConfig.quantization);
  const own = "quantization_config" in config || other.quant_algo || other.quantization_algo || other.kv_cache_quant_algo ? mapping(config.quantization_config) : mapping(nested?.quantization_config);
  const groups = Object.values(mapping(own.config_groups)).map(mapping);
  const layers = [
    ...layerAlgorithms(other.quantized_layers),
    ...layerAlgorithms(own.quantized_layers)
  ];
  return {
    own,
    layers,
    quantised: [
      ...layers,
      ...groups.flatMap((group) => {
        const algorithm = groupAlgorithm(mapping(group.weights));
        return algorithm === null ? [] : list(group.targets).map((target) => [
          target,
          algorithm
        ]);
      })
    ],
    excluded: [
      ...list(own.modules_to_not_convert),
      ...list(own.exclude_modules),
      ...list(own.ignore),
      ...list(other.exclude_modules),
      ...list(other.ignore)
    ]
  };
}
function checkpointQuant(parts, hfQuantConfig) {
  const { own } = parts;
  const other = mapping(hfQuantConfig.quantization);
  const block = list(own.weight_block_size).map(Number);
  let algorithm = firstText(other.quant_algo, own.quant_algo, own.quant_method, own.quantization_method, other.quantization_algo);
  if (algorithm !== null && Object.hasOwn(ALIASES, algorithm)) algorithm = ALIASES[algorithm];
  if (algorithm === "fp8" && block.length > 0) algorithm = "fp8_block";
  const dynamicActivations = dynamicActivationsOf(own);
  return {
    algorithm,
    kvAlgorithm: kvAlgorithmOf(own, other),
    dynamicActivations,
    weightBlock: block.length > 0 ? block : null,
    byPart: algorithm === "mixed_precision" ? mixedModes(parts, dynamicActivations) : algorithm === "compressed-tensors" ? compressedModes(own) : {
      gemm: null,
      moe: null
    }
  };
}
var ALIASES = {
  w4a16_mxfp4: "mxfp4",
  "mixed-precision": "mixed_precision",
  mixedprecision: "mixed_precision"
};
var PART_ALIASES = {
  e4m3: "fp8",
  e5m2: "fp8",
  fp4: "nvfp4"
};
function partAlgorithm(value) {
  const text = firstText(value)?.trim() ?? null;
  return text === null ? null : Object.hasOwn(PART_ALIASES, text) ? PART_ALIASES[text] : text;
}
function layerAlgorithms(layers) {
  return Object.entries(mapping(layers)).flatMap(([target, about]) => {
    const algorithm = isJson(about) ? namedAlgorithm(about) : partAlgorithm(about);
    return algorithm === null ? [] : [
      [
        target,
        algorithm
      ]
    ];
  });
}
function namedAlgorithm(about) {
  return partAlgorithm(about.quant_algo || about.quantization_algo || about.quant_method);
}
function groupAlgorithm(weights) {
  const named = namedAlgorithm(weights);
  if (named !== null || !isFloat(weights)) return named;
  if (weights.num_bits === 8) return weights.group_size === 32 ? "mxfp8" : "fp8";
  return weights.num_bits === 4 ? "nvfp4" : null;
}
var isFloat = ({ type }) => String(type ?? "").toLowerCase().includes("float");
function isRoutedExpert(target) {
  const name = target.toLowerCase();
  if (name.includes("shared_expert")) return false;
  return name.includes(".experts.") || name.endsWith(".experts") || name.includes("routing_expert");
}
function mixedModes({ own, quantised }, dynamic) {
  const algorithms = (routed) => new Set(quantised.filter(([target]) => isRoutedExpert(target) === routed).map(([, algorithm]) => algorithm));
  const rest = algorithms(false);
  const experts2 = algorithms(true);
  const wholeTensors = dynamic === true ? "fp8" : "fp8_static";
  let gemm = null;
  if (firstText(own.quant_method) === "fp8") {
    gemm = list(own.weight_block_size).length > 0 ? "fp8_block" : wholeTensors;
  } else if (rest.has("mxfp8")) gemm = "fp8_block";
  else if (rest.has("fp8")) gemm = wholeTensors;
  else if (rest.has("w4a16_nvfp4")) gemm = "w4a16_nvfp4";
  else if (rest.has("nvfp4")) gemm = "nvfp4";
  let moe = null;
  if (experts2.has("w4a16_nvfp4")) moe = "w4a16_nvfp4";
  else if (experts2.has("nvfp4")) moe = "nvfp4";
  else if (experts2.has("mxfp8")) moe = "fp8_block";
  else if (experts2.has("fp8")) moe = "fp8";
  return {
    gemm,
    moe
  };
}
function compressedModes(own) {
  const stored = Object.values(mapping(own.config_groups)).map((group) => storedMode(mapping(mapping(group).weights))).find((mode) => mode !== null);
  if (stored === void 0) return {
    gemm: null,
    moe: null
  };
  const ignored = list(own.ignore).map((pattern2) => pattern2.toLowerCase());
  const attention2 = ignored.some((name) => /self_attn|q_proj|k_proj|v_proj|o_proj/.test(name));
  const experts2 = ignored.some((name) => name.includes("expert") && !name.includes("shared_expert"));
  return {
    gemm: attention2 ? null : stored,
    moe: experts2 ? null : stored
  };
}
function storedMode(weights) {
  const whole = String(weights.type ?? "").toLowerCase().includes("int");
  if (weights.num_bits === 4) return whole ? "int4_wo" : isFloat(weights) ? "w4a16_mxfp4" : null;
  if (weights.num_bits !== 8) return null;
  if (whole) return "int8_wo";
  if (!isFloat(weights)) return null;
  return String(weights.strategy ?? "").toLowerCase() === "block" || weights.block_structure ? "fp8_block" : "fp8";
}
function kvAlgorithmOf(own, other) {
  const named = firstText(other.kv_cache_quant_algo, own.kv_cache_quant_algo, own.kv_cache_quant_method, own.kv_cache_dtype);
  if (named !== null) {
    if ([
      "fp8",
      "e4m3",
      "e5m2"
    ].includes(named)) return "fp8";
    return [
      "fp16",
      "float16",
      "bf16",
      "bfloat16"
    ].includes(named) ? "bfloat16" : named;
  }
  const scheme = mapping(own.kv_cache_scheme);
  const type = String(scheme.type ?? "").toLowerCase();
  if (type.includes("fp8")) return "fp8";
  if (type !== "float" || !Number.isInteger(scheme.num_bits)) return null;
  return scheme.num_bits <= 8 ? "fp8" : scheme.num_bits >= 16 ? "bfloat16" : null;
}
function dynamicActivationsOf(own) {
  const scheme = firstText(own.activation_scheme);
  if (scheme === "dynamic") return true;
  if (scheme === "static") return false;
  const said = Object.values(mapping(own.config_groups)).map(mapping).flatMap((group) => [
    mapping(group.input_activations),
    mapping(group.weights)
  ]).filter((part) => "dynamic" in part).map((part) => Boolean(part.dynamic));
  return said.length === 0 ? null : said.includes(true);
}
var isJson = (value) => isMapping(value);
var mapping = (value) => isJson(value) ? value : {};
var list = (value) => Array.isArray(value) ? value.map(String) : [];
function firstText(...values) {
  for (const value of values) {
    if (typeof value === "string" && value.trim() !== "") return value.trim().toLowerCase();
  }
  return null;
}

// lib/timing/aic/families/qwen35.ts
var ARCHITECTURES = [
  "Qwen3_5ForConditionalGeneration",
  "Qwen3_5MoeForConditionalGeneration",
  "Qwen3_5MoeForCausalLM"
];
var CHARGED_ROUTER2 = 128;
var qwen35Family = {
  name: "qwen35",
  architectures: ARCHITECTURES,
  nested: ARCHITECTURES.slice(0, 2),
  own: qwen35,
  spreadsExperts: ({ experts: experts2 }) => experts2 > 0,
  check(request) {
    if (request.facts.experts > 0) checkWeightBlocks(request);
    const { own: { keyHeads, valueHeads }, parallelism: { tensor } } = request;
    if (keyHeads % tensor !== 0 || valueHeads % tensor !== 0) {
      throw new ConfigError(`Qwen3.5 GDN head counts must both be divisible by tensor parallel size: num_k_heads=${keyHeads}, num_v_heads=${valueHeads}, tensor=${tensor}`);
    }
  },
  lists: (request) => listsOf(request, qwen35List),
  memory: {
    activations: PLAIN_ACTIVATIONS,
    cache: cacheAndState
  }
};
var Config4 = object({
  layer_types: array(picklist([
    "linear_attention",
    "full_attention"
  ])),
  linear_num_key_heads: count,
  linear_key_head_dim: count,
  linear_num_value_heads: count,
  linear_value_head_dim: count,
  linear_conv_kernel_dim: count,
  shared_expert_intermediate_size: countIfThere(0)
});
function qwen35(text, facts, parts, root) {
  const own = fields(Config4, text);
  if (own.layer_types.length !== facts.layers) {
    throw new ConfigError(`Qwen3.5 layer_types length ${own.layer_types.length} != num_hidden_layers ${facts.layers}`);
  }
  const linearLayers = own.layer_types.filter((type) => type === "linear_attention").length;
  const stateType = "mamba_ssm_dtype" in text ? text.mamba_ssm_dtype : root.mamba_ssm_dtype;
  return {
    linearLayers,
    fullLayers: facts.layers - linearLayers,
    keyHeads: own.linear_num_key_heads,
    keySize: own.linear_key_head_dim,
    valueHeads: own.linear_num_value_heads,
    valueSize: own.linear_value_head_dim,
    taps: own.linear_conv_kernel_dim,
    stateType: stateType === "bfloat16" || stateType === "float16" ? stateType : "float32",
    sharedInter: own.shared_expert_intermediate_size,
    partModes: partModes(parts)
  };
}
var LAYER_MODES = {
  fp8: "fp8_static",
  mxfp8: "fp8",
  nvfp4: "nvfp4",
  w4a16_nvfp4: "w4a16_nvfp4"
};
function partModes({ layers, excluded }) {
  const named = {
    projection: null,
    dense: null,
    shared: null
  };
  for (const [layer, algorithm] of layers) {
    if (!Object.hasOwn(LAYER_MODES, algorithm)) continue;
    const mode = LAYER_MODES[algorithm];
    const target = layer.toLowerCase();
    if (target.includes(".linear_attn.") || target.includes(".self_attn.")) named.projection = mode;
    else if (target.includes("shared_expert")) named.shared = mode;
    else if (target.includes(".mlp.") && !isRoutedExpert(target)) named.dense = mode;
  }
  const plainIf = (matches) => excluded.some((entry) => matches(entry.toLowerCase())) ? "bfloat16" : null;
  return {
    projection: named.projection ?? plainIf((name) => name.includes("linear_attn") || name.includes("self_attn")),
    dense: named.dense ?? plainIf((name) => name.includes(".mlp") && !name.includes("shared_expert")),
    shared: named.shared ?? plainIf((name) => name.includes("shared_expert"))
  };
}
function modeOf(build, part) {
  return build.gemmFixed ? build.modes.gemm : build.own.partModes[part] ?? build.modes.gemm;
}
function qwen35List(build) {
  const { linearLayers, fullLayers } = build.own;
  return [
    build.embedding(build.perRank(build.facts.vocab)),
    build.allReduce("embedding_ar", 1),
    ...linearLayers > 0 ? linearBlock(build.block("gdn_", linearLayers)) : [],
    ...fullLayers > 0 ? fullBlock(build, build.block("full_", fullLayers)) : [],
    build.logits(),
    build.p2p()
  ];
}
function attentionSum(build) {
  const folded = build.backend === "sglang" && build.facts.experts > 0 && build.parallelism.attentionData > 1;
  return folded ? [] : [
    build.allReduce("ar", build.layers)
  ];
}
function linearBlock(build) {
  const { hidden } = build.facts;
  const { keyHeads, keySize, valueHeads, valueSize, taps, stateType } = build.own;
  const mode = modeOf(build, "projection");
  const kernel = (name, kernel2) => ({
    kind: "gdn",
    ...build.named(name),
    phase: build.phase,
    kernel: kernel2,
    hidden,
    taps,
    keyHeads: build.perRank(keyHeads),
    keySize,
    valueHeads: build.perRank(valueHeads),
    valueSize,
    stateType
  });
  const kernels = build.phase === "context" ? [
    kernel("conv1d", "causal_conv1d_fn"),
    kernel("scan", "chunk_gated_delta_rule")
  ] : [
    kernel("conv1d", "causal_conv1d_update"),
    kernel("recurrence", "fused_sigmoid_gating_delta_rule_update")
  ];
  return [
    build.norm("norm"),
    build.gemm("in_proj_gemm", build.perRank(2 * keyHeads * keySize + 2 * valueHeads * valueSize), hidden, mode),
    {
      ...build.gemm("in_proj_ba_gemm", build.perRank(2 * valueHeads), hidden, mode),
      belowGrid: true
    },
    ...kernels,
    build.gemm("out_proj_gemm", hidden, build.perRank(valueHeads * valueSize), mode, true),
    ...attentionSum(build),
    ...feedForward(build)
  ];
}
function fullBlock(whole, build) {
  const { hidden, heads, headSize } = build.facts;
  const mode = modeOf(build, "projection");
  const queries2 = build.perRank(heads) * headSize;
  const unnamed = whole.block("", build.layers);
  return [
    build.norm("attn_norm"),
    unnamed.gemm("qkv_gemm", 2 * queries2 + 2 * build.kvHeads * headSize, hidden, mode),
    build.attention(build.layers, {
      qkNorm: true
    }),
    unnamed.gemm("proj_gemm", hidden, queries2, mode, true),
    ...attentionSum(build),
    ...feedForward(build)
  ];
}
function feedForward(build) {
  if (build.facts.experts > 0) return build.phase === "context" ? promptExperts(build) : decodeExperts(build);
  const { hidden, inter } = build.facts;
  const mode = modeOf(build, "dense");
  const both = build.perRank(2 * inter);
  const width = build.perRank(inter);
  return [
    build.norm("ffn_norm"),
    build.gemm("gate_ffn1_gemm", both, hidden, mode),
    build.gate("act_gate", both, width),
    build.gemm("ffn2_gemm", hidden, width, mode, true),
    build.allReduce("ffn_ar", build.layers)
  ];
}
var DISTRIBUTION = "power_law_1.2";
var transportsFirst = ({ backend, parallelism }) => backend !== "sglang" || parallelism.attentionData > 1;
function router(build) {
  const { experts: experts2, hidden } = build.facts;
  return experts2 >= CHARGED_ROUTER2 ? [
    build.gemm("router_gemm", experts2, hidden, "bfloat16")
  ] : [];
}
function toExperts(build) {
  const dispatch = build.dispatch(true);
  return dispatch.kind === "moe_dispatch" ? [
    {
      ...dispatch,
      attentionSummed: true
    }
  ] : [];
}
function promptExperts(build) {
  return [
    build.norm("ffn_norm"),
    ...router(build),
    ...transportsFirst(build) ? toExperts(build) : [],
    build.experts(DISTRIBUTION),
    build.dispatch(false),
    ...sharedExpert(build),
    ...merge(build)
  ];
}
function decodeExperts(build) {
  const before = transportsFirst(build) ? toExperts(build) : [];
  const shared = sharedExpert(build);
  if (build.backend === "trtllm" || shared.length === 0) {
    return [
      build.norm("ffn_norm"),
      ...build.backend === "sglang" ? [
        ...before,
        ...router(build)
      ] : [
        ...router(build),
        ...before
      ],
      build.experts(DISTRIBUTION),
      ...shared,
      ...merge(build),
      build.dispatch(false)
    ];
  }
  const sglang = build.backend === "sglang";
  const routed = [
    ...router(build),
    ...sglang ? [] : before,
    build.experts(DISTRIBUTION)
  ];
  return [
    build.norm("ffn_norm"),
    ...sglang ? before : [],
    {
      kind: "overlap",
      name: build.named("moe_overlap").name,
      count: 1,
      groups: [
        routed,
        shared
      ]
    },
    ...merge(build),
    build.dispatch(false)
  ];
}
function sharedExpert(build) {
  const { sharedInter } = build.own;
  if (sharedInter === 0) return [];
  const { hidden } = build.facts;
  const mode = modeOf(build, "shared");
  const both = build.perRank(2 * sharedInter);
  const width = build.perRank(sharedInter);
  const gated = build.backend !== "sglang";
  return [
    ...gated ? [
      {
        ...build.gemm("shared_expert_gate_gemm", 1, hidden, "bfloat16"),
        belowGrid: true
      }
    ] : [],
    build.gemm("shared_gate_up_gemm", both, hidden, mode),
    build.gate("shared_act_gate", both, width),
    build.gemm("shared_down_gemm", hidden, width, mode, true),
    ...gated ? [
      build.elementwise("shared_expert_gate_mul", 4 * hidden)
    ] : []
  ];
}
function merge(build) {
  if (build.own.sharedInter === 0) return [];
  const { hidden } = build.facts;
  return [
    build.elementwise("shared_merge", build.backend === "sglang" ? 8 * hidden : 6 * hidden)
  ];
}
function cacheAndState({ facts, own, parallelism: { tensor }, kv }) {
  const { linearLayers, fullLayers, keyHeads, keySize, valueHeads, valueSize, taps, stateType } = own;
  const perToken = KV_MODES[kv] * fullLayers * 2 * Math.ceil(facts.kvHeads / tensor) * facts.headSize;
  const stateBytes = stateType === "float32" ? 4 : 2;
  const recurrent = Math.floor(valueHeads / tensor) * keySize * valueSize * stateBytes;
  const channels = Math.floor((2 * keyHeads * keySize + valueHeads * valueSize) / tensor);
  return linearCache(perToken, linearLayers * (recurrent + channels * (taps - 1) * 2));
}

// lib/timing/aic/families/qwen3_vl.ts
var qwen3VlFamily = {
  name: "qwen3_vl",
  architectures: [
    "Qwen3VLForConditionalGeneration"
  ],
  nested: [
    "Qwen3VLForConditionalGeneration"
  ],
  spreadsExperts: () => false,
  lists: (request) => listsOf(request, denseList),
  memory: {
    activations: PLAIN_ACTIVATIONS,
    cache: groupedQueryCache
  }
};
var qwen3VlExpertFamily = {
  name: "qwen3_vl_experts",
  architectures: [
    "Qwen3VLMoeForConditionalGeneration"
  ],
  nested: [
    "Qwen3VLMoeForConditionalGeneration"
  ],
  spreadsExperts: () => true,
  check: checkWeightBlocks,
  lists: (request) => listsOf(request, expertList),
  memory: {
    activations: PLAIN_ACTIVATIONS,
    cache: groupedQueryCache
  }
};

// lib/timing/aic/families/step37.ts
var step37Family = {
  name: "step37",
  architectures: [
    "Step3p7FlashForCausalLM",
    "Step3p7ForConditionalGeneration",
    "Step3p5ForCausalLM",
    "Step3p5FlashForCausalLM"
  ],
  nested: [
    "Step3p7FlashForCausalLM",
    "Step3p7ForConditionalGeneration"
  ],
  own: step37,
  spreadsExperts: () => true,
  check: checkWeightBlocks,
  lists: (request) => listsOf(request, step37List),
  memory: {
    activations: EXPERT_ACTIVATIONS,
    routerWidth: ({ experts: experts2, hidden }) => experts2 > 0 ? hidden : 0,
    cache: windowedCache3
  }
};
var layerNumbers = union([
  pipe(string(), regex(/^[\d\s,]*$/)),
  array(number())
]);
var Step = object({
  layer_types: array(string()),
  num_nextn_predict_layers: countIfThere(0),
  moe_layers_enum: nullish(layerNumbers, ""),
  first_k_dense_replace: countIfThere(0),
  sliding_window: countIfThere(0),
  sliding_window_size: countIfThere(0),
  attention_other_setting: nullish(object({
    num_attention_heads: countIfThere(0),
    head_dim: countIfThere(0)
  })),
  use_head_wise_attn_gate: nullish(boolean(), false),
  share_expert_dim: countIfThere(0)
});
function step37(text, facts) {
  const own = fields(Step, text);
  const { layers, heads, kvHeads, headSize } = facts;
  const drafts = own.num_nextn_predict_layers;
  const types = own.layer_types.length === layers + drafts ? own.layer_types.slice(0, layers) : own.layer_types;
  if (types.length !== layers) {
    throw new ConfigError(`Step3p7 layer_types length ${types.length} != num_hidden_layers ${layers} (num_nextn_predict_layers=${drafts})`);
  }
  if (!types.every((type) => type === "sliding_attention" || type === "full_attention")) {
    throw new ConfigError("Step3p7 layer_types must contain only 'sliding_attention' or 'full_attention'");
  }
  const named = typeof own.moe_layers_enum === "string" ? own.moe_layers_enum.split(",").filter((part) => part.trim() !== "").map(Number) : own.moe_layers_enum ?? [];
  const hasExperts2 = (layer) => named.length > 0 ? named.includes(layer) : layer >= own.first_k_dense_replace;
  const other = own.attention_other_setting;
  const shape = {
    kvHeads,
    valueSize: headSize
  };
  return {
    layers: countLayers(types.map((type) => type === "full_attention"), types.map((_, layer) => hasExperts2(layer))),
    global: {
      ...shape,
      heads,
      headSize,
      window: 0
    },
    windowed: {
      ...shape,
      heads: other?.num_attention_heads || heads,
      headSize: other?.head_dim || headSize,
      window: own.sliding_window || own.sliding_window_size
    },
    denseInter: facts.inter,
    headGate: own.use_head_wise_attn_gate ?? false,
    sharedInter: own.share_expert_dim
  };
}
function step37List(build) {
  const { layers, sharedInter, headGate } = build.own;
  const withExperts = layers.globalExperts + layers.windowExperts;
  const shared = sharedInter > 0 && withExperts > 0 ? denseFeedForward(build.block("shared_expert_dense_", withExperts), sharedInter) : [];
  return [
    build.embedding(build.facts.vocab),
    ...hybridBlocks(build, {
      qkNorm: true,
      headGate
    }),
    build.logits(),
    build.p2p(),
    ...shared
  ];
}
function windowedCache3({ facts, own, parallelism, kv }) {
  const { globalExperts, globalDense, windowExperts, windowDense } = own.layers;
  const perLayer = Math.ceil(facts.kvHeads / parallelism.tensor) * facts.headSize * 2 * KV_MODES[kv];
  const { window } = own.windowed;
  const held2 = (tokens) => window > 0 ? Math.min(tokens, window) : tokens;
  return bentCache((tokens) => perLayer * ((windowExperts + windowDense) * held2(tokens) + (globalExperts + globalDense) * tokens), facts.contextLength ?? 0);
}

// lib/timing/aic/families/registry.ts
var FAMILIES = [
  denseFamily,
  expertFamily,
  deepseekFamily,
  deepseekV32Family,
  deepseekV4Family,
  kimiK25Family,
  kimiK3Family,
  minimaxM3Family,
  qwen3VlFamily,
  qwen3VlExpertFamily,
  qwen35Family,
  hybridExpertsFamily,
  gemma4Family,
  nemotronHFamily,
  deciFamily,
  step37Family,
  museGlimmerFamily
];
var BY_ARCHITECTURE = new Map(FAMILIES.flatMap((family) => family.architectures.map((name) => [
  name,
  family
])));
var SUPPORTED_ARCHITECTURES = [
  ...BY_ARCHITECTURE.keys()
];
function familyOf(architecture) {
  return BY_ARCHITECTURE.get(architecture);
}

// lib/timing/aic/operator_lists.ts
function requireFamily({ architecture, problem }) {
  const family = familyOf(architecture);
  if (family === void 0) {
    throw new ConfigError(`no operator list for the architecture '${architecture}' (supported: ${SUPPORTED_ARCHITECTURES.join(", ")})`);
  }
  if (problem !== null) throw new ConfigError(problem);
  return family;
}
function operatorLists(request) {
  const family = requireFamily(request.facts);
  const whole = {
    ...request,
    own: request.facts.own
  };
  checkParallelism(whole, family);
  family.check?.(whole);
  return family.lists(whole);
}
function checkParallelism({ facts, parallelism }, family) {
  const { tensor, attentionData, moeTensor, moeExpert } = parallelism;
  if (facts.heads % tensor !== 0) {
    refuse("tensor", `tensor ${tensor} does not divide the model's ${facts.heads} attention heads`);
  }
  if (!family.spreadsExperts(facts)) return;
  const ranks = tensor * attentionData, shares = moeTensor * moeExpert;
  if (ranks !== shares) {
    const expert = ranks / moeTensor;
    const fit = Number.isInteger(expert) && expert <= Math.max(facts.experts, 1) ? moeTensor > 1 ? `moe_tensor ${moeTensor}, moe_expert ${expert}` : `moe_expert ${expert}` : `moe_tensor ${ranks}, moe_expert 1`;
    refuse("tensor", `the experts must be spread over the same GPUs as the attention: tensor ${tensor} \xD7 attention_data ${attentionData} = ${ranks}, and moe_tensor ${moeTensor} \xD7 moe_expert ${moeExpert} = ${shares}; write ${fit}`);
  }
  if (moeExpert > Math.max(facts.experts, 1)) {
    refuse("moe_expert", `moe_expert ${moeExpert} is more than the model's ${facts.experts} experts`);
  }
}
function refuse(field, message) {
  throw new ConfigError(message, [
    {
      path: `parallelism.${field}`,
      message
    }
  ]);
}

// lib/timing/aic/bounds.ts
var GemmBound = class {
  #bytes;
  #flops;
  #bandwidth;
  /** @throws {ConfigError} when the hardware cannot compute in the mode's number format. */
  constructor(hardware, mode) {
    const cost = GEMM_MODES[mode];
    this.#bytes = cost.bytes;
    this.#flops = flopsOf(hardware, cost.flops, mode);
    this.#bandwidth = hardware.memoryBandwidth;
  }
  ms(m, n, k) {
    const math = 2 * m * n * k / this.#flops * 1e3;
    const memory = this.#bytes * (m * n + m * k + n * k) / this.#bandwidth * 1e3;
    return Math.max(math, memory);
  }
};
var ScalingBound = class {
  #passes;
  #bandwidth;
  constructor(hardware, table2) {
    this.#passes = table2 === "computescale" ? 2 : 3;
    this.#bandwidth = hardware.memoryBandwidth;
  }
  ms(m, k) {
    return this.#passes * m * k / this.#bandwidth * 1e3;
  }
};
var ContextAttentionBound = class {
  #shape;
  #kvBytes;
  #flops;
  #bandwidth;
  constructor(hardware, shape, fmha, kv) {
    this.#shape = shape;
    this.#kvBytes = KV_MODES[kv];
    this.#flops = flopsOf(hardware, FMHA_MODES[fmha].flops, fmha);
    this.#bandwidth = hardware.memoryBandwidth;
  }
  /** @param prefix tokens of the sequence that were computed before */
  ms(heads, seq, batch, prefix = 0) {
    const { headSize, window } = this.#shape;
    const kvHeads = this.#shape.kvHeads || heads;
    const operations = window > 0 && seq > window ? 2 * batch * (seq - prefix) * window * heads * headSize * 2 : 2 * batch * (seq * seq - prefix * prefix) * heads * headSize * 2 / 2;
    const activations = heads * (seq - prefix) * headSize;
    const bytes = 2 * batch * (activations + activations) + this.#kvBytes * batch * (2 * kvHeads * seq * headSize);
    return Math.max(operations / this.#flops * 1e3, bytes / this.#bandwidth * 1e3);
  }
};
function decodeFlops(hardware, kv) {
  const type = kv === "fp8" && hardware.smVersion >= 89 ? "fp8" : "bfloat16";
  return flopsOf(hardware, type, kv);
}
var GenerationAttentionBound = class {
  #shape;
  #kvBytes;
  #flops;
  #bandwidth;
  constructor(hardware, shape, kv) {
    this.#shape = shape;
    this.#kvBytes = KV_MODES[kv];
    this.#flops = decodeFlops(hardware, kv);
    this.#bandwidth = hardware.memoryBandwidth;
  }
  ms(heads, batch, tokens) {
    const { headSize, window } = this.#shape;
    const kvHeads = this.#shape.kvHeads || heads;
    const cached = window > 0 ? Math.min(tokens - 1, window) : tokens - 1;
    const operations = 2 * batch * heads * headSize * 2 * cached;
    const bytes = batch * (heads * headSize * 2 + 2 * kvHeads * cached * headSize * this.#kvBytes + heads * headSize * 2);
    return Math.max(operations / this.#flops * 1e3, bytes / this.#bandwidth * 1e3);
  }
};
var ContextMlaBound = class {
  #kvBytes;
  #flops;
  #bandwidth;
  constructor(hardware, fmha, kv) {
    this.#kvBytes = KV_MODES[kv];
    this.#flops = flopsOf(hardware, FMHA_MODES[fmha].flops, fmha);
    this.#bandwidth = hardware.memoryBandwidth;
  }
  /** @param prefix tokens of the sequence that were computed before */
  ms(heads, seq, batch, prefix = 0) {
    const operations = batch * heads * 2 / 2 * 320 * (seq * seq - prefix * prefix);
    const bytes = batch * heads * (this.#kvBytes * seq * 320 + 2 * (seq - prefix) * 320);
    return Math.max(operations / this.#flops * 1e3, bytes / this.#bandwidth * 1e3);
  }
};
var GenerationMlaBound = class {
  #kvBytes;
  #flops;
  #bandwidth;
  #module;
  constructor(hardware, kv, moduleMode = null) {
    this.#kvBytes = KV_MODES[kv];
    this.#flops = decodeFlops(hardware, kv);
    this.#bandwidth = hardware.memoryBandwidth;
    if (moduleMode === null) {
      this.#module = null;
    } else {
      const cost = GEMM_MODES[moduleMode];
      this.#module = {
        bytes: cost.bytes,
        flops: flopsOf(hardware, cost.flops, moduleMode)
      };
    }
  }
  ms(heads, batch, tokens) {
    const operations = 2 * batch * heads * 1088 * tokens;
    const bytes = batch * (heads * 1088 * 2 + (tokens - 1) * 576 * this.#kvBytes);
    let math = operations / this.#flops * 1e3;
    let memory = bytes / this.#bandwidth * 1e3;
    if (this.#module !== null) {
      math += 2 * 2 * batch * heads * 128 * 512 / this.#module.flops * 1e3;
      memory += 2 * heads * (batch * 640 + 128 * 512) * this.#module.bytes / this.#bandwidth * 1e3;
    }
    return Math.max(math, memory);
  }
};
var MlaBmmBound = class {
  #heads;
  #bytes;
  #flops;
  #bandwidth;
  constructor(hardware, heads, mode) {
    const cost = GEMM_MODES[mode];
    this.#heads = heads;
    this.#bytes = cost.bytes;
    this.#flops = flopsOf(hardware, cost.flops, mode);
    this.#bandwidth = hardware.memoryBandwidth;
  }
  ms(tokens) {
    const operations = 2 * tokens * this.#heads * 128 * 512;
    const bytes = this.#heads * (tokens * 640 + 128 * 512) * this.#bytes;
    return Math.max(operations / this.#flops * 1e3, bytes / this.#bandwidth * 1e3);
  }
};
var MoeBound = class {
  #shape;
  #bytes;
  #flops;
  #bandwidth;
  constructor(hardware, shape, cost, mode) {
    this.#shape = shape;
    this.#bytes = cost.bytes;
    this.#flops = flopsOf(hardware, cost.flops, mode);
    this.#bandwidth = hardware.memoryBandwidth;
  }
  ms(tokens) {
    const { topk, experts: experts2, hidden, inter, moeTensor, moeExpert, gated } = this.#shape;
    const projections = gated ? 3 : 2;
    const routed = tokens * topk;
    const local = Math.floor(routed / moeExpert);
    const operations = wholeQuotient([
      routed,
      hidden,
      inter,
      projections,
      2
    ], [
      moeExpert,
      moeTensor
    ]);
    const moved = local * hidden * 2 + Math.floor(local * inter * projections / moeTensor) + Math.floor(hidden * inter * projections / moeTensor) * Math.min(Math.floor(experts2 / moeExpert), local);
    return Math.max(operations / this.#flops * 1e3, moved * this.#bytes / this.#bandwidth * 1e3);
  }
};
function wholeQuotient(factors, divisors) {
  let product = 1;
  for (const factor of factors) product *= factor;
  if (product <= Number.MAX_SAFE_INTEGER) {
    for (const divisor of divisors) product = Math.floor(product / divisor);
    return product;
  }
  let exact = 1n;
  for (const factor of factors) exact *= BigInt(factor);
  for (const divisor of divisors) exact /= BigInt(divisor);
  return Number(exact);
}

// lib/timing/aic/operators/token_operators.ts
var MemoryOperator = class {
  name;
  dependence = "tokens";
  #count;
  #hardware;
  #bytesPerToken;
  constructor(spec, hardware) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#hardware = hardware;
    this.#bytesPerToken = spec.kind === "embedding" ? spec.width * 2 : spec.bytesPerToken;
  }
  ms(tokens) {
    return memoryMs(this.#hardware, this.#bytesPerToken * tokens) * this.#count;
  }
  problem() {
  }
};
var P2pOperator = class {
  name;
  dependence = "tokens";
  #spec;
  #hardware;
  constructor(spec, hardware) {
    this.name = spec.name;
    this.#spec = spec;
    this.#hardware = hardware;
  }
  ms(tokens) {
    const { width, stages, count: count3 } = this.#spec;
    if (stages <= 1) return 0;
    const { interNodeBandwidth, p2pLatencySeconds } = this.#hardware;
    return (tokens * width * 2 / interNodeBandwidth + p2pLatencySeconds) * 1e3 * count3;
  }
  problem() {
  }
};
var GemmOperator = class {
  name;
  dependence = "tokens";
  #spec;
  #curve;
  #bound;
  /** @param bound answers where the measurements cannot; null when nothing does */
  constructor(spec, curve, bound) {
    this.name = spec.name;
    this.#spec = spec;
    this.#curve = curve;
    this.#bound = bound;
  }
  ms(tokens) {
    return Math.max(this.#at(tokens), 0) * this.#spec.count;
  }
  problem(tokens) {
    return Number.isNaN(this.#at(tokens)) ? noShape(tokens, this.#spec) : void 0;
  }
  #at(tokens) {
    const measured = this.#curve.at(tokens);
    if (measured === measured || this.#bound === null) return measured;
    return this.#bound.ms(tokens, this.#spec.n, this.#spec.k);
  }
};
var noShape = (m, { n, k }) => `perf_interp: no data to anchor query {m=${m}, n=${n}, k=${k}} (no site within max_site_distance)`;
var ScalingKernel = class {
  #grid;
  #bound;
  #firstM;
  #lastM;
  #k;
  #clampedK;
  #extends;
  /** Only the kernel that applies scales takes longer beyond what was measured. */
  constructor(data, hardware, k, table2) {
    const bound = new ScalingBound(hardware, table2);
    this.#bound = bound;
    this.#grid = new Grid(data, {
      ms: (_, m, columns) => bound.ms(m, columns)
    }, 0, {
      moving: "row"
    });
    this.#firstM = data.rows[0];
    this.#lastM = data.rows[data.rows.length - 1];
    this.#k = k;
    this.#clampedK = clamp(k, Math.min(...data.leaves), Math.max(...data.leaves));
    this.#extends = table2 === "scale_matrix";
  }
  at(m) {
    const clampedM = clamp(m, this.#firstM, this.#lastM);
    const value = this.#grid.at(clampedM, this.#clampedK);
    if (!this.#extends || clampedM === m && this.#clampedK === this.#k) return value;
    return value * (this.#bound.ms(m, this.#k) / this.#bound.ms(clampedM, this.#clampedK));
  }
};
var clamp = (value, low, high) => Math.min(Math.max(value, low), high);
var StaticFp8GemmOperator = class {
  name;
  dependence = "tokens";
  #spec;
  #curve;
  #bound;
  #computeScale;
  #scaleMatrix;
  constructor(spec, curve, bound, computeScale, scaleMatrix) {
    this.name = spec.name;
    this.#spec = spec;
    this.#curve = curve;
    this.#bound = bound;
    this.#computeScale = computeScale;
    this.#scaleMatrix = scaleMatrix;
  }
  ms(tokens) {
    const { n, k, count: count3 } = this.#spec;
    let latency = this.#curve.at(tokens) - this.#computeScale.at(tokens);
    if (this.#scaleMatrix !== null) latency -= this.#scaleMatrix.at(tokens);
    return Math.max(latency, this.#bound.ms(tokens, n, k), 0) * count3;
  }
  problem(tokens) {
    return Number.isNaN(this.#curve.at(tokens)) ? noShape(tokens, this.#spec) : void 0;
  }
};
var LOW_LATENCY_TOKENS = 128;
var MoeOperator = class {
  name;
  dependence = "tokens";
  #spec;
  #curve;
  #lowLatency;
  constructor(spec, curve, lowLatency) {
    this.name = spec.name;
    this.#spec = spec;
    this.#curve = curve;
    this.#lowLatency = lowLatency;
  }
  ms(tokens) {
    return Math.max(this.#at(tokens), 0) * this.#spec.count;
  }
  problem(tokens) {
    return Number.isNaN(this.#at(tokens)) ? `MoE data missing below ${this.#curve.first} tokens for ${this.name}` : void 0;
  }
  #at(tokens) {
    const all = tokens * this.#spec.attentionData;
    if (this.#lowLatency !== null && all <= LOW_LATENCY_TOKENS) return this.#lowLatency.at(all);
    return this.#curve.points === 1 && all < this.#curve.first ? NaN : this.#curve.at(all);
  }
};
var CurveOperator = class {
  name;
  dependence = "tokens";
  #count;
  #curve;
  #share;
  /** @param share part of the measured time that the operator takes */
  constructor(spec, curve, share = 1) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#curve = curve;
    this.#share = share;
  }
  ms(tokens) {
    return Math.max(this.#curve.at(tokens) * this.#share, 0) * this.#count;
  }
  problem() {
  }
};

// lib/timing/aic/operators/mhc.ts
var SITES = 2;
var mixtures = (streams) => (2 + streams) * streams;
function mhcWeightBytes({ hidden, streams }) {
  const mixed = mixtures(streams);
  return SITES * (mixed * streams * hidden + mixed + 3) * 2;
}
var MhcBound = class {
  #spec;
  #flops;
  #bandwidth;
  constructor(spec, hardware) {
    this.#spec = spec;
    this.#flops = flopsOf(hardware, "bfloat16", "bfloat16");
    this.#bandwidth = hardware.memoryBandwidth;
  }
  ms(tokens) {
    const { part, hidden, streams, rounds } = this.#spec;
    const wide = streams * hidden;
    const mixed = mixtures(streams);
    const operations = part === "pre" ? SITES * (2 * tokens * wide * mixed + 3 * tokens * wide + tokens * (streams * streams + 2 * streams) * rounds + 2 * tokens * streams * hidden) : SITES * (2 * tokens * streams * streams * hidden + 2 * tokens * streams * hidden);
    let bytes = SITES * (mixed * wide + mixed + 3) * 2 + SITES * tokens * wide * 2 * 2;
    if (part === "pre") bytes += SITES * tokens * (2 * streams + streams * streams) * 4;
    return Math.max(operations / this.#flops * 1e3, bytes / this.#bandwidth * 1e3);
  }
};
function mhcOperator(spec, hardware, set) {
  const { part, streams, hidden } = spec;
  const curve = set.member("mhc")?.curve(`${part}|${streams}|${hidden}`);
  if (curve === void 0) {
    const key = `{ op: "${part}", hc_mult: ${streams}, hidden_size: ${hidden} }`;
    return new MissingOperator(spec.name, "tokens", `mHC module data missing for ${key}`);
  }
  return new CurveOperator(spec, new Curve(curve, new MhcBound(spec, hardware)));
}

// lib/timing/aic/capacity.ts
var CAPACITY_REQUEST = {
  maxBatchedTokens: true,
  memoryFraction: true,
  reservedBytes: true,
  tolerance: true
};
var DEFAULT_MEMORY_FRACTION = {
  vllm: 0.9,
  trtllm: 0.9,
  sglang: 0.88
};
var MEBIBYTE = 1 << 20;
function kvCapacity(deployment, request) {
  checkOptions("kvCapacity()", request, CAPACITY_REQUEST);
  checkNumber("kvCapacity(): maxBatchedTokens", request.maxBatchedTokens ?? null, {
    least: 1
  });
  checkNumber("kvCapacity(): reservedBytes", request.reservedBytes, {
    least: 0
  });
  checkNumber("kvCapacity(): tolerance", request.tolerance, {
    least: 0,
    most: 1
  });
  const { hardware, backend } = deployment;
  const { memoryFraction } = request;
  if (!(memoryFraction >= 0 && memoryFraction <= 1)) {
    throw new ConfigError(`memory fraction ${memoryFraction} must be between 0 and 1`);
  }
  const sglang = backend === "sglang";
  const memory = {
    weights: residentWeights2(deployment) / deployment.parallelism.pipeline,
    activations: activationBytes(deployment, request.maxBatchedTokens),
    runtime: hardware.otherBytes * (sglang ? 1.2 : 1),
    collectives: collectivesBytes(deployment)
  };
  const capacity = hardware.memoryBytes;
  const before = sglang ? memory.runtime + memory.collectives : 0;
  const rest = sglang ? memory.weights : memory.weights + memory.activations + memory.runtime + memory.collectives;
  const taken = rest + (request.reservedBytes ?? 0);
  const free = capacity - before;
  const budget = backend === "trtllm" ? (free - taken) * memoryFraction : free * memoryFraction - taken;
  if (!(budget > 0)) {
    throw new ConfigError(`no KV budget: non-KV memory (${Math.floor(taken)} bytes) meets/exceeds the KV-cache memory limit (capacity=${capacity} bytes) at memory fraction ${memoryFraction} on ${hardware.name}` + (backend !== "trtllm" && taken < free ? `; it leaves room from ${ceilHundredth(taken / free)} on` : ""));
  }
  const { facts } = deployment;
  const cache = requireFamily(facts).memory.cache({
    ...deployment,
    own: facts.own,
    kv: deployment.modes.kvcache
  });
  const usable = request.tolerance ? Math.floor(Math.floor(budget) * (1 - request.tolerance)) : budget;
  return {
    bytes: Math.floor(budget),
    bytesPerToken: cache.bytes(1),
    tokens: cache.tokens(usable),
    gpuBytes: capacity,
    reservedBytes: request.reservedBytes ?? 0,
    memory
  };
}
var ceilHundredth = (value) => Math.ceil(value * 100) / 100;
function residentWeights2(deployment) {
  const { facts } = deployment;
  const operators = weightBytes(deployment.operators);
  return requireFamily(facts).memory.weights?.({
    ...deployment,
    own: facts.own,
    operators
  }) ?? operators;
}
function weightBytes(operators) {
  return operators.reduce((sum3, operator) => sum3 + weightsOf(operator), 0);
}
function weightsOf(spec) {
  switch (spec.kind) {
    case "gemm":
      return spec.n * spec.k * GEMM_MODES[spec.mode].bytes * spec.count;
    case "embedding":
      return spec.rows * spec.width * 2 * spec.count;
    case "moe": {
      const all = spec.hidden * spec.inter * spec.experts * MOE_MODES[spec.mode].bytes * (spec.gated ?? true ? 3 : 2);
      return Math.floor(Math.floor(all / spec.moeExpert) / spec.moeTensor) * spec.count;
    }
    case "dsa":
    case "dsv4":
      return spec.weightBytes * spec.count;
    case "mhc":
      return mhcWeightBytes(spec) * spec.count;
    case "fallback":
      return weightsOf(spec.primary) || weightBytes(spec.list);
    case "overlap":
      return weightBytes(spec.groups[0]) + weightBytes(spec.groups[1]);
    default:
      return 0;
  }
}
function activationBytes({ facts, backend, parallelism }, maxTokens) {
  const { tensor, attentionData, moeExpert } = parallelism;
  const sglang = backend === "sglang";
  const { memory } = requireFamily(facts);
  const factor = memory.activations[sglang ? "sglang" : "other"][[
    1,
    2,
    4,
    8
  ].indexOf(Math.min(tensor, 8))];
  if (factor === void 0) {
    throw new ConfigError(`no memory figures for tensor parallelism ${tensor}; expected 1, 2, 4, 8 or more`);
  }
  const width = memory.width?.(facts) ?? facts.heads * facts.headSize;
  const routerWidth = memory.routerWidth?.(facts, backend) ?? 0;
  let bytes = 2 * maxTokens * width * factor;
  bytes += maxTokens * routerWidth * attentionData * facts.experts * facts.topk / moeExpert / 128 * 4;
  bytes = Math.max(bytes, (sglang ? 90 : 70) * MEBIBYTE);
  return sglang ? bytes * 1.15 : bytes;
}
function collectivesBytes({ hardware, parallelism }) {
  const bytes = hardware.ncclBytes[Math.min(parallelism.tensor, 8)];
  if (bytes === void 0) {
    throw new ConfigError(`no memory figures for tensor parallelism ${parallelism.tensor} on ${hardware.name}`);
  }
  return bytes;
}
function storedBytes(type) {
  const name = (type ?? "").toLowerCase();
  if (name.includes("float32")) return 4;
  return /fp8|float8|int8/.test(name) ? 1 : 2;
}
function kvBytesPerToken(facts, tensor, model, kv = null) {
  const width = kv === null ? storedBytes(facts.storedType) : KV_MODES[kv];
  const bytes = facts.latent ? facts.layers * (facts.latent.kvRank + facts.latent.ropeSize) * width : 2 * Math.ceil((facts.kvHeads || facts.heads) / tensor) * facts.headSize * facts.layers * width;
  if (!(bytes > 0)) throw new ConfigError(`could not derive KV bytes per token for model '${model}'`);
  return bytes;
}

// lib/io/data_files.ts
var runtime = globalThis;
var SHIPPED_DATA = new URL("../data/", import.meta["url"]);
var ABSENT = /* @__PURE__ */ new Set([
  "ENOENT",
  "ENOTDIR",
  "EISDIR"
]);
function ifThere(path, call) {
  try {
    return call();
  } catch (problem) {
    const deno = runtime.Deno;
    const absent = deno ? problem instanceof deno.errors.NotFound || problem instanceof deno.errors.NotADirectory || problem instanceof deno.errors.IsADirectory : false;
    if (absent || ABSENT.has(problem.code ?? "")) return void 0;
    throw fileError("read", pathText(path), problem);
  }
}
var pathText = (path) => path instanceof URL ? decodeURIComponent(path.pathname) : path;
function readFileIfThere(path) {
  return ifThere(path, () => runtime.Deno ? readWithDeno(runtime.Deno, path) : new Uint8Array(runtime.process.getBuiltinModule("node:fs").readFileSync(path)));
}
function readWithDeno(deno, path) {
  const file = deno.openSync(path);
  try {
    const { size: size2, isDirectory } = file.statSync();
    if (isDirectory) throw new deno.errors.IsADirectory();
    let bytes = new Uint8Array(size2 + 1), length = 0;
    for (; ; ) {
      const count3 = file.readSync(bytes.subarray(length));
      if (count3 === null) return bytes.subarray(0, length);
      length += count3;
      if (length < bytes.length) continue;
      const larger = new Uint8Array(2 * length);
      larger.set(bytes);
      bytes = larger;
    }
  } finally {
    file.close();
  }
}
function readTextIfThere(path) {
  const bytes = readFileIfThere(path);
  return bytes && new TextDecoder().decode(bytes);
}
function namesIn(folder) {
  const names = ifThere(folder, () => runtime.Deno ? [
    ...runtime.Deno.readDirSync(folder)
  ].map((entry) => entry.name) : runtime.process.getBuiltinModule("node:fs").readdirSync(folder));
  return names?.sort() ?? [];
}
function userDataFolder() {
  const own = environment("DYNOSIM_CACHE");
  if (own) return own;
  const caches = environment("XDG_CACHE_HOME");
  if (caches) return `${caches}/dynosim`;
  const home = environment("HOME") || environment("USERPROFILE");
  return home && `${home}/.cache/dynosim`;
}

// lib/io/digest.ts
var runtime2 = globalThis;
var createHash = () => runtime2.process.getBuiltinModule("node:crypto").createHash("sha256");
function sha256(data) {
  return createHash().update(data).digest("hex");
}
async function sha256OfText(text) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
async function sha256Of(pieces) {
  const hash = createHash();
  for await (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}
function sha256Stream() {
  const hash = createHash();
  return {
    update: (piece) => void hash.update(piece),
    hex: () => hash.digest("hex")
  };
}

// lib/timing/aic/perf_member.ts
var SITES2 = "sites";
var DIVISORS = [
  1,
  3,
  5,
  9,
  15,
  25,
  45,
  1e3,
  1e4,
  1e5,
  1e6
];
var SHORTEST_CODE = 4;
var LOWEST_EXPONENT = -20;
var bytesOfCodes = (count3, width) => Math.ceil(count3 * width / 2);
var FIELDS2 = Array.from({
  length: 32
}, (_, field) => field);
function checkOf(bytes, from, to) {
  let hash = 2166136261;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], 16777619);
  return hash >>> 0;
}
checkOf(new Uint8Array(1), 0, 1);
var exponentOf = (divisor) => Math.floor(Math.log2(divisor));
var PieceReader = class {
  body;
  #bytes;
  #view;
  #keys;
  #slices;
  constructor(body) {
    this.body = body;
    this.#keys = /* @__PURE__ */ new Map();
    this.#slices = /* @__PURE__ */ new Map();
    this.#bytes = body;
    this.#view = new DataView(body.buffer, body.byteOffset, body.length);
  }
  /** A list of slices or sites. */
  list(at, length) {
    this.#confirm(at, at + length);
    return JSON.parse(new TextDecoder().decode(this.#bytes.subarray(at, at + length)));
  }
  /** The slice at a place; the same place gives the same object. */
  slice(at) {
    let slice = this.#slices.get(at);
    if (slice === void 0) this.#slices.set(at, slice = this.#decode(at));
    return slice;
  }
  /** The keys of the slice at a place, without its values. */
  keysOf(at) {
    const place = this.#view.getUint32(at, true);
    let keys = this.#keys.get(place);
    if (keys === void 0) this.#keys.set(place, keys = this.#decodeKeys(place));
    return keys;
  }
  #decode(at) {
    const { keys, starts } = this.keysOf(at);
    const count3 = keys[keys.length - 1].length, coding = this.#bytes[at + 4];
    const divisor = DIVISORS[coding >> 3], width = SHORTEST_CODE + (coding & 7);
    const span = 2 ** (4 * width - 5), none = 32 * span - 1;
    const lowest = LOWEST_EXPONENT + exponentOf(divisor), units = Float64Array.from(FIELDS2, (f) => 2 ** (lowest + f) / span);
    const values = new Float64Array(count3);
    const codesAt = at + 5;
    let beside = codesAt + bytesOfCodes(count3, width);
    for (let i = 0; i < count3; i++) {
      let code = 0;
      for (let half = (i + 1) * width - 1; half >= i * width; half--) {
        code = code * 16 + (this.#bytes[codesAt + (half >> 1)] >> 4 * (half & 1) & 15);
      }
      if (code === none) {
        values[i] = this.#view.getFloat64(beside, true);
        beside += 8;
      } else if (code !== 0) {
        const field = Math.floor(code / span);
        values[i] = (code - field * span + span) * units[field] / divisor;
      }
    }
    this.#confirm(at, beside);
    return {
      keys,
      starts,
      values
    };
  }
  #decodeKeys(at) {
    let place = at;
    const next = () => {
      let number2 = 0;
      for (let unit = 1; ; unit *= 128) {
        const byte = this.#view.getUint8(place++);
        number2 += (byte & 127) * unit;
        if (byte < 128) return number2;
      }
    };
    const keys = [], starts = [];
    for (let levels = next(), above = 1; keys.length < levels; above = keys[keys.length - 1].length) {
      const list2 = [], start = new Uint32Array(above + 1);
      for (let entry = 0; entry < above; entry++) {
        for (let left = next(), key = 0; left > 0; left--) list2.push(key += next());
        start[entry + 1] = list2.length;
      }
      if (keys.length > 0) starts.push(start);
      keys.push(Uint32Array.from(list2));
    }
    this.#confirm(at, place);
    return {
      keys,
      starts
    };
  }
  #confirm(from, to) {
    if (this.#view.getUint32(to, true) !== checkOf(this.#bytes, from, to)) throw new Error("the check does not fit");
  }
};
var Member = class _Member {
  #pieces;
  /** Slice \u2192 place in the body. */
  #places = /* @__PURE__ */ new Map();
  #sites = [];
  #damaged;
  #powers;
  /**
   * @param list of its slices, or of its sites
   * @param damaged the error to throw when a slice cannot be read
   * @param powers of its slices; with them, or where none were measured, its tables are those of energies
   */
  constructor(list2, pieces, damaged2, powers = null) {
    this.#pieces = pieces;
    this.#damaged = damaged2;
    this.#powers = powers;
    if (powers !== null && powers !== "none" && powers.slices !== list2.length / 3) {
      throw new Error("the powers are of other measurements");
    }
    let place = 0;
    if (typeof list2[1] === "number") {
      this.#sites = list2.map((number2, i) => i % 3 === 2 ? place += number2 : number2);
      return;
    }
    for (let i = 0, name = ""; i < list2.length; i += 3) {
      name = name.slice(0, list2[i]) + list2[i + 1];
      this.#places.set(name, place += list2[i + 2]);
    }
  }
  /** The member with only some of its slices. */
  only(names) {
    const shown = new _Member([], this.#pieces, this.#damaged);
    for (const [name, place] of this.#places) if (names.has(name)) shown.#places.set(name, place);
    return shown;
  }
  /** Names of the slices. */
  names() {
    return this.#sites.length > 0 ? [
      SITES2
    ] : [
      ...this.#places.keys()
    ];
  }
  has(name) {
    return this.#places.has(name);
  }
  /** The curve of that name, or undefined. */
  curve(name) {
    const levels = this.levels(name);
    return levels && {
      keys: levels.keys[0],
      values: levels.values,
      powers: levels.powers
    };
  }
  /** The grid of that name, which has three axes, or undefined. */
  grid(name) {
    const levels = this.levels(name);
    if (levels === void 0) return void 0;
    const [[heads, rows, leaves], [rowStart, leafStart]] = [
      levels.keys,
      levels.starts
    ];
    return {
      heads,
      rowStart,
      rows,
      leafStart,
      leaves,
      values: levels.values,
      powers: levels.powers
    };
  }
  /** The grid of that name with all its axes, or undefined. */
  levels(name) {
    const place = this.#places.get(name);
    if (place === void 0) return void 0;
    const levels = this.#read(() => this.#pieces.slice(place));
    if (this.#powers === null) return levels;
    return {
      ...levels,
      powers: this.#wattsOf([
        ...this.#places.keys()
      ].indexOf(name), levels.values.length)
    };
  }
  #wattsOf(slice, values) {
    if (this.#powers === null) return void 0;
    const watts = this.#powers === "none" ? new Float64Array(values) : this.#powers.of(slice);
    if (watts.length !== values) throw this.#damaged(new Error("the powers are of other measurements"));
    return watts;
  }
  /** The sites of a GEMM member, in order. */
  sites() {
    const sites = this.#sites;
    return {
      length: sites.length / 3,
      n: (index) => sites[3 * index],
      k: (index) => sites[3 * index + 1],
      site: (index) => this.#site(sites[3 * index], sites[3 * index + 1], sites[3 * index + 2], index)
    };
  }
  /** A site whose latencies are decoded when they are looked at: most sites are only asked what they cover. */
  #site(n, k, place, index) {
    const read2 = (what) => this.#read(what), pieces = this.#pieces;
    const [keys] = read2(() => pieces.keysOf(place).keys);
    return {
      n,
      k,
      keys,
      get values() {
        return read2(() => pieces.slice(place).values);
      },
      powers: this.#wattsOf(index, keys.length)
    };
  }
  #read(what) {
    try {
      return what();
    } catch (cause) {
      throw this.#damaged(cause);
    }
  }
};

// lib/timing/aic/perf_set.ts
var MAGIC = "dynoperf";
var FORMAT = 3;
var OWN = "own/";
function readPerfSetHeader(bytes) {
  const { header, bodyAt } = parsedHeader(bytes);
  return isHeader(header, bytes.length - bodyAt) ? {
    header,
    bodyAt
  } : void 0;
}
function parsedHeader(bytes) {
  const text = new TextDecoder();
  if (bytes.length < 12 || text.decode(bytes.subarray(0, 8)) !== MAGIC) return {
    header: void 0,
    bodyAt: 0
  };
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true), bodyAt = 12 + length;
  try {
    return {
      header: JSON.parse(text.decode(bytes.subarray(12, bodyAt))),
      bodyAt
    };
  } catch {
    return {
      header: void 0,
      bodyAt
    };
  }
}
var isText = (value) => typeof value === "string";
var isTexts = (value) => Array.isArray(value) && value.every(isText);
function isHeader(header, bodyBytes) {
  if (!isMapping(header) || header.format !== FORMAT) return false;
  const { system, backend, version, hardware, lanes, own, members } = header;
  const inside = (place) => Array.isArray(place) && place.length === 2 && place.every((part) => Number.isSafeInteger(part) && part >= 0) && place[0] + place[1] + 4 <= bodyBytes;
  return isText(system) && isText(backend) && isText(version) && isMapping(hardware) && isMapping(lanes) && isTexts(lanes.context) && isTexts(lanes.generation) && (own === void 0 || isMapping(own) && Object.values(own).every((state) => [
    "none",
    "named",
    "apart"
  ].includes(state))) && isMapping(members) && Object.values(members).every(inside);
}
var PerfSet = class {
  header;
  #pieces;
  #members = /* @__PURE__ */ new Map();
  #path;
  /**
   * @param path how errors call the file
   * @throws {FileError} when the bytes are no set, or were cut or changed
   */
  constructor(bytes, path = "performance set") {
    const read2 = readPerfSetHeader(bytes);
    if (!read2) throw ofAnotherFormat(bytes, path) ?? damaged(path, "its header cannot be read");
    this.#path = path;
    this.header = read2.header;
    this.#pieces = new PieceReader(bytes.subarray(read2.bodyAt));
  }
  /** What was measured with this version itself: without declared donors, older versions and other backends. */
  ownTables() {
    const { own = {}, members } = this.header;
    const shown = Object.entries(members).filter(([name]) => !name.startsWith(OWN) && own[name] !== "none");
    const filtered = /* @__PURE__ */ new Map();
    return {
      header: {
        ...this.header,
        members: Object.fromEntries(shown)
      },
      member: (name) => {
        const state = Object.hasOwn(own, name) ? own[name] : void 0;
        if (state === "none") return void 0;
        if (state === "apart") return this.member(OWN + name);
        if (state === void 0) return this.member(name);
        let member = filtered.get(name);
        if (member === void 0) {
          filtered.set(name, member = this.member(name).only(new Set(this.member(OWN + name).names())));
        }
        return member;
      }
    };
  }
  /** The tables with energies in place of times, from the powers of members; those without have no power anywhere. */
  energies(powers) {
    const made = /* @__PURE__ */ new Map();
    const member = (name) => {
      if (!made.has(name)) made.set(name, this.#open(name, powers(name) ?? "none"));
      return made.get(name);
    };
    return {
      header: this.header,
      unit: "W-ms",
      member
    };
  }
  /** The member of that name (`gemm/bfloat16`), or undefined when the set has none. */
  member(name) {
    const known = this.#members.get(name);
    if (known !== void 0) return known;
    const member = this.#open(name);
    if (member !== void 0) this.#members.set(name, member);
    return member;
  }
  #open(name, powers = null) {
    if (!Object.hasOwn(this.header.members, name)) return void 0;
    const unreadable = (cause) => damaged(this.#path, `its member ${name} cannot be read`, cause);
    try {
      return new Member(this.#pieces.list(...this.header.members[name]), this.#pieces, unreadable, powers);
    } catch (cause) {
      throw unreadable(cause);
    }
  }
};
function ofAnotherFormat(bytes, path) {
  const { header } = parsedHeader(bytes);
  if (!isMapping(header) || !Number.isSafeInteger(header.format) || header.format === FORMAT) return void 0;
  const system = typeof header.system === "string" && /^[a-z0-9_]+$/.test(header.system) ? ` ${header.system}` : "";
  const message = `${path} was written by another release of dynosim (format ${header.format}, this one reads ${FORMAT}); install the measurements again (deno task perf-data install${system})`;
  return new FileError(message, {
    file: path
  });
}
function damaged(path, what, cause) {
  const advice = "remove the file and install the measurements again (deno task perf-data install)";
  return new FileError(`${path} is damaged: ${what}; ${advice}`, {
    file: path
  }, {
    cause
  });
}

// lib/io/gzip.ts
var zlib = () => globalThis.process.getBuiltinModule("node:zlib");
var gunzip = (packed) => zlib().gunzipSync(packed);
var gzip = (plain) => zlib().gzipSync(plain, {
  level: 9
});

// lib/timing/aic/power_file.ts
var POWER_MAGIC = "dynowatt";
var BESIDE = 255;
var PowerFile = class {
  #bytes;
  #path;
  #membersAt;
  #members;
  /**
   * @param path how errors call the file
   * @throws {FileError} when the bytes are no such file
   */
  constructor(bytes, path) {
    this.#bytes = bytes;
    this.#path = path;
    try {
      const text = new TextDecoder(), length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
      const header = JSON.parse(text.decode(bytes.subarray(12, 12 + length)));
      if (text.decode(bytes.subarray(0, 8)) !== POWER_MAGIC || header.format !== 1) throw new Error("unknown form");
      this.#membersAt = 12 + length;
      this.#members = header.members;
      for (const [offset, packed] of Object.values(header.members)) {
        if (!(offset >= 0 && packed >= 0 && this.#membersAt + offset + packed <= bytes.length)) {
          throw new Error("cut off");
        }
      }
    } catch (cause) {
      throw this.#damaged("its header cannot be read", cause);
    }
  }
  /** The powers of a member, or undefined when none were measured. */
  member(name) {
    if (!Object.hasOwn(this.#members, name)) return void 0;
    const [offset, length] = this.#members[name], at = this.#membersAt + offset;
    try {
      return readPowers(gunzip(this.#bytes.subarray(at, at + length)));
    } catch (cause) {
      throw this.#damaged(`its member ${name} cannot be unpacked`, cause);
    }
  }
  #damaged(what, cause) {
    const advice = "remove the file and install the measurements again (deno task perf-data install)";
    return new FileError(`${this.#path} is damaged: ${what}; ${advice}`, {
      file: this.#path
    }, {
      cause
    });
  }
};
function readPowers(plain) {
  const view = new DataView(plain.buffer, plain.byteOffset, plain.length);
  const slices = view.getUint32(0, true), beside = view.getUint32(4, true), starts = new Float64Array(slices + 1);
  for (let i = 0; i < slices; i++) starts[i + 1] = starts[i] + view.getUint32(8 + 4 * i, true);
  const count3 = starts[slices], besideAt = 8 + 4 * slices, readingsAt = besideAt + 8 * beside, sumsAt = readingsAt + count3;
  if (plain.length !== sumsAt + 4 * count3) throw new Error("its length does not fit");
  const watts = new Float64Array(count3);
  for (let i = 0, next = besideAt; i < count3; i++) {
    const readings = plain[readingsAt + i];
    if (readings === BESIDE) {
      watts[i] = view.getFloat64(next, true);
      next += 8;
    } else if (readings > 0) {
      let sum3 = 0;
      for (let plane = 3; plane >= 0; plane--) sum3 = sum3 * 256 + plain[sumsAt + plane * count3 + i];
      watts[i] = sum3 / (1e3 * readings);
    }
  }
  return {
    slices,
    of: (slice) => watts.subarray(starts[slice], starts[slice + 1])
  };
}

// lib/timing/aic/catalog.ts
var DOUBTFUL = 0.2;
var PerfCatalog = class {
  #release;
  #file;
  #sets = /* @__PURE__ */ new Map();
  #energies = /* @__PURE__ */ new Map();
  /** The sets on this machine: those shipped and those in the user's cache. Nothing is read yet. */
  constructor(options = {}) {
    checkOptions("PerfCatalog", options, {
      release: true
    });
    this.#release = options.release;
  }
  /**
   * Where the measurements are from.
   *
   * @throws {ConfigError} when nothing of the release asked for is on this machine.
   */
  get origin() {
    return this.#catalog().origin;
  }
  /** Names of all known systems. */
  systemNames() {
    return Object.keys(this.#entries());
  }
  /**
   * A system by name.
   *
   * @throws {ConfigError} when it is not known, with the nearest name.
   */
  system(name) {
    const entries2 = this.#entries();
    if (Object.hasOwn(entries2, name)) return entries2[name];
    const message = unknown2("hardware", name, Object.keys(entries2));
    throw new ConfigError(message, [
      {
        path: "hardware",
        message
      }
    ]);
  }
  /**
   * The version that a request means: a slot (`current`, `previous`, `next`), one of the slots' versions, or none for
   * `current`.
   *
   * @throws {ConfigError} when the system has no measurements of the backend, or no such version.
   */
  version(system, backend, requested = null) {
    const { backends } = this.system(system);
    const slots = Object.hasOwn(backends, backend) ? backends[backend] : void 0;
    if (slots === void 0) {
      const known = Object.keys(backends);
      const message2 = `no measurements of backend '${backend}' on '${system}' ` + (known.length > 0 ? `(measured: ${known.join(", ")})` : "(only its hardware is known)");
      throw new ConfigError(message2, [
        {
          path: "backend",
          message: message2
        }
      ]);
    }
    const byName = {
      ...slots
    };
    const wanted = requested ?? "current";
    if (Object.hasOwn(byName, wanted)) return byName[wanted];
    if (Object.values(byName).includes(wanted)) return wanted;
    const near = nearName(wanted, [
      ...Object.keys(byName),
      ...Object.values(byName)
    ]);
    const message = `unknown version '${wanted}' of backend '${backend}' on '${system}'` + (near ? `, did you mean '${near}'?` : "") + ` (known: ${Object.entries(byName).map(([slot, version]) => `${slot} = ${version}`).join(", ")})`;
    throw new ConfigError(message, [
      {
        path: "backend_version",
        message
      }
    ]);
  }
  /**
   * A set, from what ships with the project or from the user's folder.
   *
   * @throws {ConfigError} when it is in neither, with the command that installs it.
   * @internal
   */
  load(name) {
    const file = setFile(name);
    const known = this.#sets.get(file);
    if (known) return known;
    const found2 = this.#bytes(file);
    if (found2 === void 0) {
      const { system, backend, version } = name;
      const slots = this.system(system).backends[backend];
      const which = slots?.current === version ? "" : ` --backend-version ${version}`;
      const message = `the measurements of '${system}' with ${backend} ${version} are not installed; run: deno task perf-data install ${system} --backend ${backend}${which}${this.#releaseOption()}`;
      throw new ConfigError(message, [
        {
          path: "hardware",
          message
        }
      ]);
    }
    const set = new PerfSet(found2.bytes, found2.path);
    this.#sets.set(file, set);
    return set;
  }
  /**
   * The tables of a set with energies in place of times; undefined when no power was measured.
   *
   * @throws {ConfigError} as {@linkcode PerfCatalog.load}
   * @internal
   */
  energies(name) {
    const file = powersFile(name);
    let tables = this.#energies.get(file);
    if (tables === void 0) {
      const found2 = this.#bytes(file);
      if (found2 !== void 0) {
        const powers = new PowerFile(found2.bytes, found2.path);
        this.#energies.set(file, tables = this.load(name).energies((member) => powers.member(member)));
      }
    }
    return tables;
  }
  /**
   * Tables of a set with measurements that cannot be right, by name; known only of the sets that ship with the project.
   *
   * @internal
   */
  flaggedTables({ system, backend, version }) {
    if (this.origin.release !== shippedCatalog().origin.release) return {};
    const text = readTextIfThere(new URL(`${system}/findings.json`, SHIPPED_PERF));
    const sets = text ? JSON.parse(text) : {};
    const name = `${backend}-${version}`;
    return Object.hasOwn(sets, name) ? sets[name] : {};
  }
  /** SHA-256 of a set's file; null when it is not on this machine. */
  digest(name) {
    const found2 = this.#bytes(setFile(name));
    return found2 === void 0 ? null : sha256(found2.bytes);
  }
  #bytes(file) {
    for (const { folder } of this.#folders()) {
      const place = inFolder(folder, file), bytes = readFileIfThere(place);
      if (bytes !== void 0) return {
        bytes,
        path: pathText(place)
      };
    }
  }
  /** Sets of a system that are on this machine, with the place each comes from. */
  setsOnThisMachine(system) {
    return this.#folders().flatMap(({ folder, place }) => namesIn(inFolder(folder, system)).filter((name) => name.endsWith(".perf")).map((file) => ({
      file,
      place
    })));
  }
  #entries() {
    return this.#catalog().systems;
  }
  #catalog() {
    if (this.#file) return this.#file;
    const shipped = shippedCatalog();
    if (this.#release === void 0 || this.#release === shipped.origin.release) return this.#file = shipped;
    const own = userDataFolder();
    const text = own && readTextIfThere(`${releaseFolder(own, this.#release)}/systems.json`);
    if (!text) {
      const message = `data release ${this.#release} is not on this machine; run: deno task perf-data install SYSTEM --release ${this.#release}`;
      throw new ConfigError(message, [
        {
          path: "data_release",
          message
        }
      ]);
    }
    return this.#file = readCatalog(text, `${releaseFolder(own, this.#release)}/systems.json`);
  }
  #releaseOption() {
    const { release } = this.origin;
    return release === shippedCatalog().origin.release ? "" : ` --release ${release}`;
  }
  /** Folders in which sets may lie, in the order in which they are looked for. */
  #folders() {
    const { release } = this.origin;
    const own = userDataFolder();
    return [
      ...release === shippedCatalog().origin.release ? [
        {
          folder: SHIPPED_PERF,
          place: "shipped"
        }
      ] : [],
      ...own === void 0 ? [] : [
        {
          folder: releaseFolder(own, release),
          place: "installed"
        }
      ]
    ];
  }
};
var SHIPPED_PERF = new URL("perf/", SHIPPED_DATA);
var inFolder = (folder, name) => typeof folder === "string" ? `${folder}/${name}` : new URL(name, folder);
var SLOTS = record(string(), string());
var CATALOG = looseObject({
  origin: looseObject({
    package: string(),
    release: string(),
    licence: string()
  }),
  systems: record(string(), looseObject({
    hardware: looseObject({}),
    backends: record(string(), SLOTS)
  }))
});
function readCatalog(text, path) {
  try {
    return parse(CATALOG, JSON.parse(text));
  } catch (cause) {
    const advice = "remove it and install the data release again (deno task perf-data install)";
    throw new FileError(`${path} is damaged: it lists no systems; ${advice}`, {
      file: path
    }, {
      cause
    });
  }
}
var shippedFile;
function shippedCatalog() {
  return shippedFile ??= JSON.parse(readTextIfThere(new URL("systems.json", SHIPPED_PERF)));
}
function releaseFolder(own, release) {
  return `${own}/perf/${release}`;
}
function setFile({ system, backend, version }) {
  return `${system}/${backend}-${version}.perf`;
}
var powersFile = ({ system, backend, version }) => `${system}/${backend}-${version}.power`;
function unknown2(what, name, known) {
  const near = nearName(name, known);
  return `unknown ${what} '${name}'${near ? `, did you mean '${near}'?` : ""} (known: ${known.join(", ")})`;
}

// lib/timing/aic/pass_plan.ts
var ROWS_LIMIT = 1 << 16;
var CELLS_LIMIT = 1 << 22;
var LOGITS = -1;
var isLogits = (name) => name.includes("logits_gemm");
var ATTENTION = {
  context: "context_attention",
  generation: "generation_attention"
};
var PassPlan = class {
  operators;
  /** Operators named so are attention; a mixed pass asks them separately. */
  #attentionName;
  #attention;
  #logits;
  #leading;
  #perToken;
  #perSequence;
  /** What follows the leading operators: a column of the row, `LOGITS`, or `-2 - i` for the i-th of `#perSequence`. */
  #steps;
  #stepsWithoutAttention;
  #dependsOnTokensAlone;
  /** By token count: the sum of the leading operators, then the others. Row 0 is scratch for counts beyond the limit. */
  #rows = new Float64Array(0);
  #stride;
  /** Token counts below this are kept. */
  #rowsLimit;
  #logitsMs = new Float64Array(0);
  #withoutAttentionMs = new Float64Array(0);
  /** @param perSequenceLogits whether the LM head sees one token per sequence (prompts) or every token (decode) */
  constructor(operators, attentionName, perSequenceLogits) {
    const logits = (operator) => perSequenceLogits && isLogits(operator.name);
    const plain = (operator) => operator.dependence === "tokens" && !logits(operator);
    this.operators = operators;
    this.#attentionName = attentionName;
    this.#attention = operators.filter((operator) => operator.name === attentionName);
    this.#logits = operators.find(logits) ?? null;
    const firstOther = operators.findIndex((operator) => !plain(operator));
    const lead = firstOther < 0 ? operators.length : firstOther;
    this.#leading = operators.slice(0, lead);
    const rest = operators.slice(lead);
    this.#perToken = rest.filter(plain);
    this.#perSequence = rest.filter((operator) => operator.dependence !== "tokens");
    this.#stride = 1 + this.#perToken.length;
    this.#rowsLimit = Math.min(ROWS_LIMIT, Math.floor(CELLS_LIMIT / this.#stride));
    const step2 = (operator) => logits(operator) ? LOGITS : plain(operator) ? 1 + this.#perToken.indexOf(operator) : -2 - this.#perSequence.indexOf(operator);
    this.#steps = Int32Array.from(rest, step2);
    const others = rest.filter((operator) => operator.name !== attentionName);
    this.#stepsWithoutAttention = Int32Array.from(others, step2);
    this.#dependsOnTokensAlone = others.every((operator) => operator.dependence !== "sequences");
  }
  /** Milliseconds of the whole list; NaN when data are missing. Arguments as in {@linkcode Operator}. */
  ms(tokens, batch, seq, prefix, scale = 1) {
    return this.#sum(this.#steps, tokens, batch, seq, prefix, batch, scale);
  }
  /** Milliseconds of a single sequence of `tokens` new tokens without its attention. */
  withoutAttentionMs(tokens, prefix) {
    if (!this.#dependsOnTokensAlone || tokens >= ROWS_LIMIT) {
      return this.#sum(this.#stepsWithoutAttention, tokens, 1, tokens, prefix, 1, 1);
    }
    if (tokens >= this.#withoutAttentionMs.length) {
      this.#withoutAttentionMs = grown(this.#withoutAttentionMs, tokens, 1);
    }
    const known = this.#withoutAttentionMs[tokens];
    if (known === known) return known;
    return this.#withoutAttentionMs[tokens] = this.#sum(this.#stepsWithoutAttention, tokens, 1, tokens, prefix, 1, 1);
  }
  /** Adds the attention operators to `sum`, each divided by `divisor`. */
  addAttentionMs(sum3, batch, seq, prefix, divisor = 1, scale = 1) {
    const attention2 = this.#attention;
    for (let i = 0; i < attention2.length; i++) {
      sum3 += attention2[i].ms(batch * seq, batch, seq, prefix, scale) / divisor;
    }
    return sum3;
  }
  /** The operators that count as attention, and the others. */
  split() {
    const others = this.operators.filter((operator) => operator.name !== this.#attentionName);
    return {
      attention: this.#attention,
      others
    };
  }
  /** Tokens that an operator sees when the pass has `tokens` of them in `batch` sequences. */
  tokensOf(operator, tokens, batch) {
    return operator === this.#logits ? batch : tokens;
  }
  #sum(steps, tokens, batch, seq, prefix, logitsTokens, scale) {
    const at = this.#row(tokens);
    let sum3 = this.#rows[at];
    for (let i = 0; i < steps.length; i++) {
      const step2 = steps[i];
      if (step2 >= 0) sum3 += this.#rows[at + step2];
      else if (step2 === LOGITS) sum3 += this.#logitsAt(logitsTokens);
      else sum3 += this.#perSequence[-2 - step2].ms(tokens, batch, seq, prefix, scale);
    }
    return sum3;
  }
  /** Where the row of a token count begins, filled. */
  #row(tokens) {
    const kept = tokens < this.#rowsLimit;
    if (kept && tokens * this.#stride >= this.#rows.length || this.#rows.length === 0) {
      this.#rows = grown(this.#rows, kept ? tokens : 0, this.#stride, this.#rowsLimit);
    }
    const at = kept ? tokens * this.#stride : 0;
    const lead = this.#rows[at];
    if (!kept || lead !== lead) this.#fill(at, tokens);
    return at;
  }
  #fill(at, tokens) {
    let lead = 0;
    for (const operator of this.#leading) lead += operator.ms(tokens, tokens, 1, 0, 1);
    this.#rows[at] = lead;
    for (let i = 0; i < this.#perToken.length; i++) {
      this.#rows[at + 1 + i] = this.#perToken[i].ms(tokens, tokens, 1, 0, 1);
    }
  }
  #logitsAt(tokens) {
    if (tokens >= ROWS_LIMIT) return this.#logits.ms(tokens, tokens, 1, 0, 1);
    if (tokens >= this.#logitsMs.length) this.#logitsMs = grown(this.#logitsMs, tokens, 1);
    const known = this.#logitsMs[tokens];
    if (known === known) return known;
    return this.#logitsMs[tokens] = this.#logits.ms(tokens, tokens, 1, 0, 1);
  }
};
function grown(rows, index, stride, limit = ROWS_LIMIT) {
  let capacity = Math.max(256, rows.length / stride);
  while (capacity <= index) capacity *= 2;
  const wider = new Float64Array(Math.min(capacity, limit) * stride).fill(NaN);
  wider.set(rows);
  return wider;
}

// lib/timing/aic/plain_rows.ts
function plainRows(specs, operators, at, tokensOf2 = () => at.tokens) {
  return operators.flatMap((operator, i) => {
    const spec = specs[i], lists = partsOf(spec), tokens = tokensOf2(operator), { batch, seq, prefix } = at;
    const seen = {
      tokens,
      batch,
      seq,
      prefix
    };
    const { name } = operator;
    if (lists === null) {
      return [
        {
          name,
          ms: operator.ms(tokens, batch, seq, prefix, 1),
          top: name,
          spec,
          at: seen
        }
      ];
    }
    const composite = operator, taken = composite.taken(tokens, batch, seq, prefix);
    return plainRows(lists[taken], composite.lists[taken], seen).map((row) => ({
      ...row,
      top: name
    }));
  });
}
function plainSpecs(specs) {
  return specs.flatMap((spec) => partsOf(spec)?.flatMap(plainSpecs) ?? [
    spec
  ]);
}
function partsOf(spec) {
  switch (spec.kind) {
    case "fallback":
      return [
        [
          spec.primary
        ],
        spec.list
      ];
    case "overlap":
      return spec.groups;
    default:
      return null;
  }
}

// lib/timing/aic/step_times.ts
var PAGE_BITS = 8;
var PAGE = 1 << PAGE_BITS;
var MOST_PAGES = 2048;
var LENGTHS = 1 << 20;
var BATCHES = 1 << 12;
var StepTimes = class {
  /** By batch, then by page of sequence lengths. */
  #pages = [];
  #count = 0;
  /**
   * The times of the lengths around `seq`, NaN where nothing is known yet; null when this step is not kept. The step
   * itself stands at {@linkcode StepTimes.place}.
   *
   * @param batch sequences
   * @param seq their length
   */
  page(batch, seq) {
    if ((batch | 0) !== batch || (seq | 0) !== seq || batch < 0 || seq < 0 || seq >= LENGTHS) return null;
    if (batch < this.#pages.length) {
      const page = this.#pages[batch][seq >> PAGE_BITS];
      if (page !== void 0) return page;
    }
    return batch < BATCHES && this.#count < MOST_PAGES ? this.#add(batch, seq >> PAGE_BITS) : null;
  }
  /** Where a length stands in its page. */
  static place(seq) {
    return seq & PAGE - 1;
  }
  #add(batch, at) {
    this.#count++;
    while (this.#pages.length <= batch) this.#pages.push([]);
    const row = this.#pages[batch];
    while (row.length <= at) row.push(void 0);
    return row[at] = new Float64Array(PAGE).fill(NaN);
  }
};

// lib/timing/aic/forward_pass_model.ts
var ForwardPassModel = class {
  #context;
  #generation;
  /**
   * What its operators were made from.
   *
   * @internal
   */
  lists;
  #steps = new StepTimes();
  /** Depth of multi-token prediction. */
  nextn;
  /**
   * A model of the passes of one worker.
   *
   * @param factory gives operators their times
   */
  constructor(factory, lists, nextn = 0) {
    this.#context = new PassPlan(factory.operators(lists.context), ATTENTION.context, true);
    this.#generation = new PassPlan(factory.operators(lists.generation), ATTENTION.generation, false);
    this.lists = lists;
    this.nextn = nextn;
  }
  /** Milliseconds to compute `seq` new tokens of each of `requests` prompts, after `prefix` tokens of each. */
  contextMs(requests, seq, prefix) {
    const ms = this.#context.ms(requests * seq, requests, seq, prefix);
    if (ms !== ms) this.#fail(this.#context, [
      requests * seq,
      requests,
      seq,
      prefix
    ]);
    return ms;
  }
  /** Milliseconds of one token for each of `batch` sequences of `seq` tokens (the new one included). */
  generationMs(batch, seq, scale = 1) {
    const page = scale === 1 ? this.#steps.page(batch, seq) : null;
    if (page !== null) {
      const known = page[StepTimes.place(seq)];
      if (known === known) return known;
    }
    const ms = this.#generation.ms(batch, batch, seq, 0, scale);
    if (ms !== ms) this.#fail(this.#generation, [
      batch,
      batch,
      seq,
      0
    ]);
    if (page !== null) page[StepTimes.place(seq)] = ms;
    return ms;
  }
  /** Milliseconds of a pass from the sums of its load; the five numbers of {@linkcode PassLoad}, in its order. */
  sumsMs(prompts, newTokens, priorTokens, decodes, decodeTokens) {
    if (newTokens === 0) {
      return decodes === 0 ? 0 : this.generationMs(decodes, Math.floor(decodeTokens / decodes));
    }
    if (decodes === 0) {
      return this.contextMs(prompts, Math.floor(newTokens / prompts), Math.floor(priorTokens / prompts));
    }
    const seq = Math.max(Math.floor(newTokens / prompts), 1);
    const prefix = Math.floor(priorTokens / prompts);
    const batch = Math.max(Math.floor((newTokens + seq - 1) / seq), 1);
    let sum3 = this.#context.withoutAttentionMs(newTokens + decodes, priorTokens);
    sum3 = this.#context.addAttentionMs(sum3, batch, seq, prefix);
    const known = Math.max(Math.floor(decodeTokens / decodes), 1);
    sum3 = this.#generation.addAttentionMs(sum3, decodes, known, 0);
    if (sum3 !== sum3) this.#failMixed(newTokens + decodes, priorTokens, [
      batch,
      seq,
      prefix
    ], [
      decodes,
      known
    ]);
    return sum3;
  }
  /**
   * Milliseconds of a pass. Several loads are the ranks of one attention-data-parallel worker: the slowest counts.
   *
   * @throws {SimulationError} when tokens are given without the requests they belong to, or no load is given.
   */
  passMs(loads) {
    const ranks = Array.isArray(loads) ? loads : [
      loads
    ];
    if (ranks.length === 0) throw new SimulationError("a forward pass needs the load of at least one rank");
    let slowest = 0;
    for (const load of ranks) slowest = Math.max(slowest, this.sumsMs(...checkedSums(load)));
    return slowest;
  }
  /** The operators of {@linkcode contextMs}, in list order. */
  contextRows(requests, seq, prefix) {
    return this.#rows(this.#context, this.#context.operators, [
      requests * seq,
      requests,
      seq,
      prefix
    ]);
  }
  /** The operators of {@linkcode generationMs}, in list order. */
  generationRows(batch, seq) {
    return this.#rows(this.#generation, this.#generation.operators, [
      batch,
      batch,
      seq,
      0
    ]);
  }
  /** The operators of {@linkcode passMs} for one load, in the order in which they add up. */
  passRows(load) {
    const [prompts, newTokens, priorTokens, decodes, decodeTokens] = checkedSums(load);
    if (newTokens === 0) {
      return decodes === 0 ? [] : this.generationRows(decodes, Math.floor(decodeTokens / decodes));
    }
    const seq = Math.max(Math.floor(newTokens / prompts), 1);
    const prefix = Math.floor(priorTokens / prompts);
    if (decodes === 0) return this.contextRows(prompts, Math.floor(newTokens / prompts), prefix);
    const batch = Math.max(Math.floor((newTokens + seq - 1) / seq), 1);
    const known = Math.max(Math.floor(decodeTokens / decodes), 1);
    const all = newTokens + decodes;
    const context = this.#context.split();
    return [
      ...this.#rows(this.#context, context.others, [
        all,
        1,
        all,
        priorTokens
      ]),
      ...this.#rows(this.#context, context.attention, [
        batch * seq,
        batch,
        seq,
        prefix
      ]),
      ...this.#rows(this.#generation, this.#generation.split().attention, [
        decodes,
        decodes,
        known,
        0
      ])
    ];
  }
  /**
   * The plain operators that {@linkcode passMs} of one load takes its time from; NaN where measurements have no answer.
   *
   * @internal
   */
  plainRows(load) {
    const [prompts, newTokens, priorTokens, decodes, decodeTokens] = checkedSums(load);
    const each = (sum3, count3) => Math.floor(sum3 / count3);
    const context = (batch, seq2, prefix, which) => this.#plainRows("context", {
      tokens: batch * seq2,
      batch,
      seq: seq2,
      prefix
    }, which);
    const generation = (seq2, which) => this.#plainRows("generation", {
      tokens: decodes,
      batch: decodes,
      seq: seq2,
      prefix: 0
    }, which);
    if (newTokens === 0) return decodes === 0 ? [] : generation(each(decodeTokens, decodes));
    if (decodes === 0) return context(prompts, each(newTokens, prompts), each(priorTokens, prompts));
    const seq = Math.max(each(newTokens, prompts), 1);
    return [
      ...context(1, newTokens + decodes, priorTokens, "others"),
      ...context(Math.max(each(newTokens + seq - 1, seq), 1), seq, each(priorTokens, prompts), "attention"),
      ...generation(Math.max(each(decodeTokens, decodes), 1), "attention")
    ];
  }
  #plainRows(list2, at, which) {
    const plan = list2 === "context" ? this.#context : this.#generation;
    const tokensOf2 = (operator) => plan.tokensOf(operator, at.tokens, at.batch);
    const wanted = plan.operators.map(({ name }) => which === void 0 || name === ATTENTION[list2] === (which === "attention"));
    const chosen = (all) => all.filter((_, i) => wanted[i]);
    return plainRows(chosen(this.lists[list2]), chosen(plan.operators), at, tokensOf2);
  }
  /** Parts of a mixed step without the sums being one; for {@linkcode mixedStepMs}. */
  mixedParts(tokens, priorTokens, context, generation) {
    const parts = {
      others: this.#context.withoutAttentionMs(tokens, priorTokens),
      context: context === null ? 0 : this.#context.addAttentionMs(0, context.batch, context.seq, context.prefix, 1, context.scale),
      generation: generation === null ? 0 : this.#generation.addAttentionMs(0, generation.batch, generation.seq, 0, 1, generation.scale)
    };
    if (Number.isNaN(parts.others + parts.context + parts.generation)) {
      this.#failMixed(tokens, priorTokens, [
        context?.batch ?? 1,
        context?.seq ?? 1,
        context?.prefix ?? 0
      ], [
        generation?.batch ?? 1,
        generation?.seq ?? 1
      ]);
    }
    return parts;
  }
  #rows(plan, operators, point) {
    const [tokens, batch, seq, prefix] = point;
    return operators.map((operator) => {
      const seen = plan.tokensOf(operator, tokens, batch);
      const ms = operator.ms(seen, batch, seq, prefix, 1);
      if (Number.isNaN(ms)) this.#fail(plan, point);
      return {
        name: operator.name,
        ms
      };
    });
  }
  #fail(plan, point, operators = plan.operators) {
    const [tokens, batch, seq, prefix] = point;
    for (const operator of operators) {
      const problem = operator.problem(plan.tokensOf(operator, tokens, batch), batch, seq, prefix);
      if (problem !== void 0) throw new SimulationError(`perf database error: ${problem}`);
    }
    throw new SimulationError(`perf database error: no estimate for ${tokens} tokens in ${batch} sequences`);
  }
  #failMixed(tokens, priorTokens, [batch, seq, prefix], [decodes, known]) {
    const context = this.#context.split();
    const generation = this.#generation.split();
    const asks = [
      [
        this.#context,
        context.others,
        [
          tokens,
          1,
          tokens,
          priorTokens
        ]
      ],
      [
        this.#context,
        context.attention,
        [
          batch * seq,
          batch,
          seq,
          prefix
        ]
      ],
      [
        this.#generation,
        generation.attention,
        [
          decodes,
          decodes,
          known,
          0
        ]
      ]
    ];
    for (const [plan, operators, point] of asks) {
      for (const operator of operators) {
        const seen = plan.tokensOf(operator, point[0], point[1]);
        if (Number.isNaN(operator.ms(seen, point[1], point[2], point[3], 1))) this.#fail(plan, point, operators);
      }
    }
    throw new SimulationError(`perf database error: no estimate for a mixed pass of ${tokens} tokens`);
  }
};
function checkedSums(load) {
  const prompts = load.num_prefill_requests ?? 0;
  const newTokens = load.sum_prefill_tokens ?? 0;
  const priorTokens = load.sum_prefill_kv_tokens ?? 0;
  const decodes = load.num_decode_requests ?? 0;
  const decodeTokens = load.sum_decode_kv_tokens ?? 0;
  if (prompts === 0 && (newTokens > 0 || priorTokens > 0)) {
    throw new SimulationError("prefill tokens are given without num_prefill_requests");
  }
  if (decodes === 0 && decodeTokens > 0) {
    throw new SimulationError("decode tokens are given without num_decode_requests");
  }
  return [
    prompts,
    newTokens,
    priorTokens,
    decodes,
    decodeTokens
  ];
}

// lib/timing/aic/dispatch.ts
function dispatchParts(spec, backend, hardware) {
  const { hidden, moeTensor, moeExpert, attentionData, pre, mode } = spec;
  const group = moeTensor * moeExpert;
  const attentionTensor = Math.max(Math.floor(group / attentionData), 1);
  const split = attentionTensor > 1;
  const replicated = attentionData > 1;
  const sum3 = {
    operation: "all_reduce",
    gpus: group,
    perToken: hidden
  };
  const all = hidden * attentionData;
  const spread = {
    operation: pre ? "all_gather" : "reduce_scatter",
    gpus: group,
    perToken: all
  };
  if (backend === "vllm") {
    const sums = split && !(pre && spec.attentionSummed);
    return [
      ...sums ? [
        sum3
      ] : [],
      ...replicated ? [
        spread
      ] : []
    ];
  }
  if (backend === "sglang") {
    if (!split || !replicated) return split ? [
      sum3
    ] : replicated ? [
      spread
    ] : [];
    const inner = {
      operation: pre ? "reduce_scatter" : "all_gather",
      gpus: attentionTensor,
      perToken: hidden
    };
    return pre ? [
      inner,
      spread
    ] : [
      spread,
      inner
    ];
  }
  if (hardware.smVersion !== 100) return split ? [
    sum3
  ] : replicated ? [
    spread
  ] : [];
  if (!replicated) return split ? [
    sum3
  ] : [];
  if (moeTensor === 1 && hardware.gpusPerNode >= 72) return null;
  return [
    pre ? {
      ...spread,
      perToken: all * quantisedShare(mode)
    } : spread
  ];
}
function quantisedShare(mode) {
  return mode === "nvfp4" ? 0.28125 : mode === "fp8" || mode === "fp8_block" ? 0.5 : 1;
}

// lib/timing/aic/gemm_table.ts
var REACH = 2;
var NEIGHBOURS = 4;
var GemmTable = class {
  #sites;
  #bound;
  constructor(sites, bound) {
    this.#sites = sites;
    this.#bound = bound;
  }
  /** The product with k \u00d7 n weights. */
  shape(n, k) {
    for (let i = 0; i < this.#sites.length; i++) {
      if (this.#sites.n(i) === n && this.#sites.k(i) === k) return new MeasuredGemm(this.#sites.site(i), this.#bound);
    }
    return new NeighbourGemm(n, k, this.#sites, this.#bound);
  }
};
var MeasuredGemm = class {
  #site;
  #keys;
  #bound;
  /** Latencies, decoded at the first question: of many neighbours only a few are asked. */
  #values;
  #powers;
  constructor(site, bound) {
    this.#site = site;
    this.#keys = site.keys;
    this.#powers = site.powers;
    this.#bound = bound;
  }
  get site() {
    return this.#site;
  }
  /** Whether `m` lies between the ends of the curve. */
  covers(m) {
    const keys = this.#keys;
    return keys[0] <= m && m <= keys[keys.length - 1];
  }
  at(m) {
    return this.#powers === void 0 ? this.ms(m) : this.ms(m) * this.watts(m);
  }
  ms(m) {
    const inside = this.#within(this.#values ??= this.#site.values, m), { n, k } = this.#site;
    return inside === inside ? inside : this.#bound.ms(m, n, k) / median(this.#end(m).map(({ util }) => util));
  }
  /** Power of a table of energies. */
  watts(m) {
    const inside = this.#within(this.#powers, m);
    return inside === inside ? inside : median(this.#end(m).map(({ watts }) => watts));
  }
  /** The value at `m` between measurements, NaN beyond them. */
  #within(values, m) {
    const keys = this.#keys;
    const at = lowerBound(keys, 0, keys.length, m);
    if (at < keys.length && keys[at] === m) return values[at];
    if (at === 0 || at === keys.length || keys.length === 1) return NaN;
    const low = values[at - 1];
    return low + (values[at] - low) * ((m - keys[at - 1]) / (keys[at] - keys[at - 1]));
  }
  /** The three measurements at the end beyond which `m` lies. */
  #end(m) {
    const { keys, values, n, k } = this.#site, powers = this.#powers;
    const start = m < keys[0] ? 0 : Math.max(0, keys.length - 3);
    const found2 = [];
    for (let i = start; i < Math.min(start + 3, keys.length); i++) {
      const util = this.#bound.ms(keys[i], n, k) / values[i];
      if (util > 0) found2.push({
        util,
        watts: powers?.[i] ?? 0
      });
    }
    return found2;
  }
};
function median(values) {
  const sorted = values.toSorted((a, b) => a - b), middle = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
var NeighbourGemm = class {
  #n;
  #k;
  #sites;
  #bound;
  /** Shapes within reach, nearest first, equally near ones in table order. */
  #near;
  constructor(n, k, sites, bound) {
    this.#n = n;
    this.#k = k;
    this.#sites = sites;
    this.#bound = bound;
    this.#near = this.#neighbours((distance) => distance <= REACH);
  }
  at(m) {
    let utils2 = 0;
    let watts = 0;
    let weights = 0;
    for (const { curve, distance } of this.#chosen(m)) {
      const value = curve.ms(m);
      if (!(value > 0)) continue;
      const { n, k, powers } = curve.site;
      const weight = 1 / (distance * distance + 1e-12);
      utils2 += weight * (this.#bound.ms(m, n, k) / value);
      watts += weight * (powers === void 0 ? 1 : curve.watts(m));
      weights += weight;
    }
    return weights > 0 ? this.#bound.ms(m, this.#n, this.#k) / (utils2 / weights) * (watts / weights) : NaN;
  }
  /** All shapes whose distance is accepted, nearest first. */
  #neighbours(accept) {
    const logN = Math.log2(this.#n);
    const logK = Math.log2(this.#k);
    const found2 = [];
    for (let i = 0; i < this.#sites.length; i++) {
      const dn = Math.log2(this.#sites.n(i)) - logN;
      const dk = Math.log2(this.#sites.k(i)) - logK;
      const distance = Math.sqrt(dn * dn + dk * dk);
      if (accept(distance)) found2.push({
        curve: new MeasuredGemm(this.#sites.site(i), this.#bound),
        distance
      });
    }
    return found2.sort((a, b) => a.distance - b.distance);
  }
  /** The nearest shapes whose curve covers `m`; those of all shapes when no curve at all covers it. */
  #chosen(m) {
    const covering = [];
    for (const neighbour of this.#near) {
      if (neighbour.curve.covers(m) && covering.push(neighbour) === NEIGHBOURS) return covering;
    }
    if (covering.length > 0) return covering;
    const all = this.#neighbours(() => true);
    const everywhere = all.filter((neighbour) => neighbour.curve.covers(m));
    if (everywhere.length > 0) return this.#scaledUp(everywhere).slice(0, NEIGHBOURS);
    return (this.#near.length > 0 ? this.#near : this.#scaledUp(all)).slice(0, NEIGHBOURS);
  }
  /** A shape that exceeds everything measured on one axis only may take its neighbours from the other axis alone. */
  #scaledUp(candidates) {
    const sites = candidates.map((neighbour) => neighbour.curve.site);
    const ns = sites.map((site) => site.n);
    const ks = sites.map((site) => site.k);
    if (this.#n < Math.min(...ns) || this.#k < Math.min(...ks)) return [];
    const wider = this.#n > Math.max(...ns);
    const deeper = this.#k > Math.max(...ks);
    if (wider === deeper) return [];
    return candidates.filter(({ curve: { site } }) => {
      const [measured, wanted] = wider ? [
        site.k,
        this.#k
      ] : [
        site.n,
        this.#n
      ];
      return Math.abs(Math.log2(measured) - Math.log2(wanted)) <= REACH;
    });
  }
};

// lib/timing/aic/operators/attention_operators.ts
var EXTRA_LOSS = 1.1;
function qkNormMs(spec, hardware) {
  const queries2 = spec.heads * spec.headSize, keys = spec.kvHeads * spec.headSize;
  return memoryMs(hardware, 2 * queries2) * 2 + memoryMs(hardware, 2 * keys) * 2;
}
function contextAttentionExtraMs(spec, hardware) {
  const queries2 = spec.heads * spec.headSize, keys = spec.kvHeads * spec.headSize;
  const norm = spec.qkNorm ? qkNormMs(spec, hardware) * 2 : 0;
  const rotation = spec.rotated === false ? 0 : memoryMs(hardware, 2 * queries2 + 2 * keys) * 2;
  const write = memoryMs(hardware, keys * FMHA_MODES[spec.fmha].bytes);
  return (norm + rotation + (write + write)) * EXTRA_LOSS;
}
function generationAttentionExtraMs(spec, hardware) {
  return spec.qkNorm ? qkNormMs(spec, hardware) * (2 * EXTRA_LOSS) : 0;
}
var ContextAttentionOperator = class {
  name;
  dependence = "sequences";
  #count;
  #grid;
  #extraMs;
  /** @param extraMs added to every layer whatever its size (0 for latent attention) */
  constructor(spec, grid, extraMs) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#grid = grid;
    this.#extraMs = extraMs;
  }
  ms(_tokens, batch, seq, prefix, scale) {
    const full = seq + prefix;
    let latency = this.#grid.at(full, batch);
    const square = full * full;
    latency = latency * ((square - prefix * prefix) / square) + this.#extraMs;
    if (scale !== 1) latency *= scale;
    return Math.max(latency, 0) * this.#count;
  }
  problem(_tokens, batch, seq, prefix) {
    return Number.isNaN(this.#grid.at(seq + prefix, batch)) ? `no usable measurement for ${this.name}` : void 0;
  }
};
var GenerationAttentionOperator = class {
  name;
  dependence = "sequences";
  #count;
  #grid;
  #extraMs;
  /** @param extraMs added to every layer whatever its size */
  constructor(spec, grid, extraMs) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#grid = grid;
    this.#extraMs = extraMs;
  }
  ms(_tokens, batch, seq, _prefix, scale) {
    let latency = this.#mean(batch, seq) + this.#extraMs;
    if (scale !== 1) latency *= scale;
    return Math.max(latency, 0) * this.#count;
  }
  problem(_tokens, batch, seq) {
    return Number.isNaN(this.#mean(batch, seq)) ? `no usable measurement for ${this.name}` : void 0;
  }
  #mean(batch, seq) {
    const low = Math.max(Math.trunc(0.9 * seq), 1);
    const span = Math.max(Math.trunc(1.1 * seq), low) - low;
    let sum3 = 0;
    for (let i = 0; i < 5; i++) sum3 += this.#grid.at(batch, low + Math.floor(span * i / 4));
    return sum3 / 5;
  }
};
var GenerationMlaOperator = class {
  name;
  dependence = "sequences";
  #count;
  #grid;
  constructor(spec, grid) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#grid = grid;
  }
  ms(_tokens, batch, seq, _prefix, scale) {
    let latency = this.#grid.at(batch, seq);
    if (scale !== 1) latency *= scale;
    return Math.max(latency, 0) * this.#count;
  }
  problem(_tokens, batch, seq) {
    return Number.isNaN(this.#grid.at(batch, seq)) ? `no usable measurement for ${this.name}` : void 0;
  }
};

// lib/timing/aic/operators/collective_operators.ts
function measuredGroup(sizes, gpus, { gpusPerNode }) {
  if (gpus <= gpusPerNode) return Math.min(gpus, Math.max(0, ...sizes));
  return Math.max(0, ...sizes.filter((size2) => size2 <= gpus)) || gpusPerNode;
}
var summedBy = ({ gpusPerNode }, gpus) => gpusPerNode === 72 && gpus > 4 ? "all_reduce" : "custom";
var GroupCollective = class {
  #curve;
  /** What carries the largest measured group to this one; null inside the measured sizes. */
  #carry;
  #single;
  constructor(fanOuts, gpus, hardware) {
    this.#single = gpus <= 1;
    const measured = measuredGroup([
      ...fanOuts.keys()
    ], gpus, hardware);
    this.#curve = fanOuts.get(measured) ?? null;
    this.#carry = measured < gpus ? (gpus - 1) / gpus * measured / Math.max(measured - 1, 1) * peerBandwidth(hardware, measured) / peerBandwidth(hardware, gpus) : null;
  }
  /** Milliseconds for `elements` numbers; NaN when the group's size was not measured. */
  at(elements) {
    if (this.#single) return 0;
    if (this.#curve === null) return NaN;
    const value = this.#curve.at(elements);
    return this.#carry === null ? value : value * this.#carry;
  }
};
var AllReduceOperator = class {
  name;
  dependence = "tokens";
  #spec;
  #collective;
  constructor(spec, collective) {
    this.name = spec.name;
    this.#spec = spec;
    this.#collective = collective;
  }
  ms(tokens) {
    const { width, ranks, count: count3 } = this.#spec;
    return ranks <= 1 ? 0 : Math.max(this.#collective.at(tokens * width), 0) * count3;
  }
  problem(tokens) {
    return Number.isNaN(this.ms(tokens)) ? `custom all-reduce data missing for ${this.#spec.ranks} GPUs` : void 0;
  }
};
var MoeDispatchOperator = class {
  name;
  dependence = "tokens";
  #count;
  #steps;
  constructor(spec, steps) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#steps = steps;
  }
  ms(tokens) {
    let sum3 = 0;
    for (const { collective, perToken } of this.#steps) sum3 += collective.at(tokens * perToken);
    return Math.max(sum3, 0) * this.#count;
  }
  problem(tokens) {
    for (const { label, collective, perToken } of this.#steps) {
      if (Number.isNaN(collective.at(tokens * perToken))) return `${label} data missing for ${this.name}`;
    }
    return void 0;
  }
};

// lib/timing/aic/operators/composite_operators.ts
var FallbackOperator = class {
  name;
  dependence;
  #primary;
  #list;
  constructor(name, primary, list2) {
    this.name = name;
    this.dependence = "sequences";
    this.#primary = primary;
    this.#list = list2;
  }
  get lists() {
    return [
      [
        this.#primary
      ],
      this.#list
    ];
  }
  taken(tokens, batch, seq, prefix) {
    return Number.isNaN(this.#primary.ms(tokens, batch, seq, prefix, 1)) ? 1 : 0;
  }
  ms(tokens, batch, seq, prefix, scale) {
    const whole = this.#primary.ms(tokens, batch, seq, prefix, scale);
    return whole === whole ? whole : sumMs(this.#list, tokens, batch, seq, prefix, scale);
  }
  problem(tokens, batch, seq, prefix) {
    if (this.#primary.problem(tokens, batch, seq, prefix) === void 0) return void 0;
    return firstProblem(this.#list, tokens, batch, seq, prefix);
  }
};
var OverlapOperator = class {
  name;
  lists;
  dependence;
  #sum;
  constructor(name, lists, options = {}) {
    this.name = name;
    this.lists = lists;
    this.dependence = "tokens";
    this.#sum = options.sum ?? false;
  }
  taken(tokens, batch, seq, prefix) {
    const [first, second] = this.lists.map((list2) => sumMs(list2, tokens, batch, seq, prefix, 1));
    return first >= second ? 0 : 1;
  }
  ms(tokens, batch, seq, prefix, scale) {
    const first = sumMs(this.lists[0], tokens, batch, seq, prefix, scale);
    const second = sumMs(this.lists[1], tokens, batch, seq, prefix, scale);
    return this.#sum ? first + second : Math.max(first, second);
  }
  problem(tokens, batch, seq, prefix) {
    const [first, second] = this.lists;
    return firstProblem(first, tokens, batch, seq, prefix) ?? firstProblem(second, tokens, batch, seq, prefix);
  }
};

// lib/timing/aic/operators/formula_operator.ts
var FormulaOperator = class {
  name;
  dependence;
  #count;
  #formula;
  constructor(spec, dependence, formula) {
    this.name = spec.name;
    this.dependence = dependence;
    this.#count = spec.count;
    this.#formula = formula;
  }
  ms(tokens, batch, seq, prefix, scale) {
    let latency = this.#formula(tokens, batch, seq, prefix);
    if (scale !== 1 && this.dependence === "sequences") latency *= scale;
    return Math.max(latency, 0) * this.#count;
  }
  problem(tokens, batch, seq, prefix) {
    return Number.isNaN(this.#formula(tokens, batch, seq, prefix)) ? `no estimate for ${this.name}` : void 0;
  }
};
var EitherOperator = class {
  #first;
  #second;
  constructor(first, second) {
    this.#first = first;
    this.#second = second;
  }
  get name() {
    return this.#first.name;
  }
  get dependence() {
    return this.#first.dependence;
  }
  ms(tokens, batch, seq, prefix, scale) {
    const ms = this.#first.ms(tokens, batch, seq, prefix, scale);
    return ms === ms ? ms : this.#second.ms(tokens, batch, seq, prefix, scale);
  }
  problem(tokens, batch, seq, prefix) {
    return this.#first.problem(tokens, batch, seq, prefix) && this.#second.problem(tokens, batch, seq, prefix);
  }
};

// lib/timing/aic/operators/dsv4.ts
var Dsv4Bound = class {
  #spec;
  #gemm;
  #plainFlops;
  #indexFlops;
  #attentionFlops;
  #attentionBytes;
  #bandwidth;
  constructor(spec, hardware) {
    const cost = GEMM_MODES[spec.mode];
    const decode = spec.kv === "fp8" && hardware.smVersion >= 89 ? "fp8" : "bfloat16";
    const attention2 = spec.phase === "context" ? spec.fmha : decode;
    this.#spec = spec;
    this.#gemm = {
      bytes: cost.bytes,
      flops: flopsOf(hardware, cost.flops, spec.mode)
    };
    this.#plainFlops = flopsOf(hardware, "bfloat16", "bfloat16");
    this.#indexFlops = flopsOf(hardware, "fp8", "fp8");
    this.#attentionFlops = flopsOf(hardware, FMHA_MODES[attention2].flops, attention2);
    this.#attentionBytes = FMHA_MODES[attention2].bytes;
    this.#bandwidth = hardware.memoryBandwidth;
  }
  context(prefix, seq, batch) {
    const { ratio, picked, window } = this.#spec;
    const full = prefix + seq;
    const limit = ratio === 4 ? picked : Math.floor(full / ratio);
    const compressed = compressedPairs(full, ratio, limit) - compressedPairs(prefix, ratio, limit);
    return this.#ms(batch, batch * seq, full, batch * limitedPairs(seq, prefix, window) + batch * compressed);
  }
  generation(batch, known) {
    const { ratio, picked, window } = this.#spec;
    const cached = Math.max(known - 1, 0);
    const entries2 = Math.floor(cached / ratio);
    const compressed = ratio === 4 ? Math.min(entries2, picked) : entries2;
    return this.#ms(batch, batch, cached, batch * Math.min(cached, window) + batch * compressed);
  }
  #ms(batch, tokens, length, pairs) {
    const { hidden, queryRank, outputRank, headSize, ropeSize, indexHeads, indexSize, ratio, heads, kv } = this.#spec;
    const groups = this.#spec.localGroups;
    const copies = ratio === 4 ? 2 : 1;
    const entries2 = ratio === 4 ? Math.floor(length / 4) : 0;
    let compute = 2 * tokens * hidden * queryRank + 2 * tokens * queryRank * heads * headSize + 2 * tokens * hidden * headSize + 2 * tokens * groups * outputRank * hidden + 4 * tokens * hidden * copies * headSize + 2 * tokens * copies * headSize;
    let plain = 2 * tokens * heads * headSize * outputRank;
    let index = 0;
    let weights = hidden * queryRank + queryRank * heads * headSize + hidden * headSize + groups * outputRank * hidden + 2 * hidden * copies * headSize;
    let plainWeights = heads * headSize * outputRank;
    let indexCache = 0;
    if (ratio === 4) {
      compute += 4 * tokens * hidden * 2 * indexSize + 2 * tokens * 2 * indexSize;
      index = 2 * tokens * queryRank * indexHeads * indexSize + 2 * tokens * entries2 * indexHeads * indexSize;
      plain += 2 * tokens * hidden * indexHeads;
      weights += queryRank * indexHeads * indexSize;
      plainWeights += hidden * indexHeads;
      indexCache = batch * entries2 * indexSize * 0.5;
    }
    const attention2 = 4 * heads * headSize * pairs;
    const bytes = this.#gemm.bytes * weights + 2 * plainWeights + this.#gemm.bytes * tokens * (hidden + queryRank + heads * headSize + headSize + groups * outputRank) + KV_MODES[kv] * pairs * headSize + indexCache + this.#attentionBytes * tokens * heads * ropeSize;
    const math = compute / this.#gemm.flops + plain / this.#plainFlops + index / this.#indexFlops + attention2 / this.#attentionFlops;
    return Math.max(math * 1e3, bytes / this.#bandwidth * 1e3);
  }
};
function compressedPairs(full, ratio, limit) {
  const entries2 = Math.floor(full / ratio);
  const growing = Math.min(entries2, limit);
  if (growing < entries2) {
    const reached = limit * ratio;
    return ratio * limit * (limit - 1) / 2 + limit * (full - reached + 1);
  }
  return ratio * growing * (growing - 1) / 2 + growing * (full - growing * ratio + 1);
}
var kindOf = ({ ratio }) => ratio === 4 ? "csa" : "hca";
var memberName2 = (spec) => `dsv4_${kindOf(spec)}_${spec.phase}`;
var modesOf = ({ phase, fmha, kv, mode }) => phase === "context" ? `${fmha}|${kv}|${mode}` : `${kv}|${mode}`;
function sliceName2(spec, set) {
  const modes = modesOf(spec);
  const measured = (set.member(memberName2(spec))?.names() ?? []).filter((name) => name.startsWith(`${modes}|`)).map((name) => name.split("|").slice(-2).map(Number));
  const native = closestBelow(measured.map(([of]) => of), spec.nativeHeads);
  const local = closestBelow(measured.filter(([of]) => of === native).map(([, heads]) => heads), spec.heads);
  return local === void 0 ? void 0 : `${modes}|${native}|${local}`;
}
function dsv4Estimate(spec, hardware, set) {
  const { phase } = spec;
  const bound = new Dsv4Bound(spec, hardware);
  const slice = set && sliceName2(spec, set);
  const measured = [];
  if (slice !== void 0) {
    forEachMeasurement(set.member(memberName2(spec)).levels(slice), ([a, b, c], ms) => {
      if (phase === "generation") measured.push({
        place: [
          b,
          c
        ],
        bound: bound.generation(b, c),
        ms
      });
      else measured.push({
        place: [
          a,
          b,
          c
        ],
        bound: bound.context(a, b, c),
        ms
      });
    });
  }
  return phase === "context" ? {
    bound: (batch, seq, prefix) => bound.context(prefix, seq, batch),
    place: (batch, seq, prefix) => [
      prefix,
      seq,
      batch,
      0
    ],
    measured,
    prefixAxis: 0
  } : {
    bound: (batch, seq) => bound.generation(batch, seq),
    place: (batch, seq) => [
      batch,
      seq,
      0,
      0
    ],
    measured,
    prefixAxis: null
  };
}
function dsv4Operator(spec, hardware, set) {
  const { phase } = spec;
  const kind = kindOf(spec);
  const member = set.member(memberName2(spec));
  const name = sliceName2(spec, set);
  if (name === void 0) {
    const { backend, version, system } = set.header;
    const problem = member === void 0 ? `no DSV4 module rows of ${backend} ${version} on ${system}` : `${phase} DSV4 ${kind.toUpperCase()} module data missing for ${modesOf(spec).replaceAll("|", ", ")}`;
    return new MissingOperator(spec.name, "sequences", problem);
  }
  const bound = new Dsv4Bound(spec, hardware);
  const overhead = kind === "csa" && set.unit === void 0 ? pickingOverhead(spec, set) : void 0;
  const time = phase === "context" ? contextTime(member.levels(name), bound) : (() => {
    const onGrid = {
      ms: (_, batch, known) => bound.generation(batch, known)
    };
    const grid = new Grid(member.grid(name), onGrid, 0, {
      moving: "leaf"
    });
    return (batch, known) => grid.at(batch, known);
  })();
  if (overhead === void 0) return new AttentionModuleOperator(spec, time);
  return new AttentionModuleOperator(spec, (batch, seq, prefix) => Math.max(time(batch, seq, prefix) - overhead(batch, seq, prefix), 0));
}
function contextTime(levels, bound) {
  const grid = new LevelGrid(levels, (at) => bound.context(at[0], at[1], at[2]));
  return (batch, seq, prefix) => grid.at(prefix, seq, batch);
}
function pickingOverhead({ phase, nativeHeads }, set) {
  const levels = set.member("dsv4_topk_overhead")?.levels(`${phase}|${nativeHeads}`);
  if (levels === void 0) return void 0;
  return phase === "context" ? (batch, seq, prefix) => Math.max(clampedAt(levels, [
    batch,
    seq,
    prefix
  ]), 0) : (batch, known) => Math.max(clampedAt(levels, [
    batch,
    1,
    known - 1
  ]), 0);
}
function clampedAt({ keys, starts, values }, at) {
  const below = (level2, index) => level2 === starts.length ? values[index] : within(level2 + 1, starts[level2][index], starts[level2][index + 1]);
  const within = (level2, from, to) => {
    const wanted = at[level2];
    let high = from;
    while (high < to && keys[level2][high] < wanted) high++;
    if (high === to) return below(level2, to - 1);
    if (keys[level2][high] === wanted || high === from) return below(level2, high);
    const weight = (wanted - keys[level2][high - 1]) / (keys[level2][high] - keys[level2][high - 1]);
    return below(level2, high - 1) * (1 - weight) + below(level2, high) * weight;
  };
  return within(0, 0, keys[0].length);
}

// lib/timing/aic/operators/state_kernels.ts
function promptTable(member, name, bound) {
  const data = member?.grid(name);
  if (data === void 0) return void 0;
  const onGrid = {
    ms: (_, batch, seq) => bound.ms(batch, seq)
  };
  const grid = new Grid(data, onGrid, 0, {
    moving: "leaf"
  });
  return (batch, seq) => seq > 0 ? grid.at(batch, seq) : NaN;
}
function decodeTable(member, name, bound) {
  const data = member?.curve(name);
  if (data === void 0) return void 0;
  const curve = new Curve(data, {
    ms: (batch) => bound.ms(batch, 0)
  });
  return (batch) => curve.at(batch);
}
var StateKernelOperator = class {
  name;
  dependence;
  #count;
  #prompts;
  #table;
  #bound;
  /**
   * @param table undefined: the bound alone answers
   * @param set where the table is from: of those of energies, the bound adds nothing
   */
  constructor(spec, table2, bound, set) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#prompts = spec.phase === "context";
    this.dependence = this.#prompts ? "lengths" : "tokens";
    this.#table = table2;
    this.#bound = set?.unit === void 0 ? bound : {
      ms: () => 0
    };
  }
  ms(tokens, batch, seq) {
    const width = this.#prompts ? batch : tokens;
    const length = this.#prompts ? seq : 0;
    let latency = this.#table === void 0 ? NaN : this.#table(width, length);
    if (latency !== latency) latency = this.#bound.ms(width, length);
    return Math.max(latency, 0) * this.#count;
  }
  problem() {
  }
};

// lib/timing/aic/operators/gdn.ts
var VLLM_SCANS = [
  "flashinfer",
  "triton",
  "cutedsl"
].map((kernel) => `chunk_gated_delta_rule_${kernel}`);
var VLLM_SCAN_VERSIONS = [
  "0.24.0",
  "0.27.1"
];
var HALF_STATE_RECURRENCE = "flashinfer_gated_delta_rule_decode";
var GdnBound = class {
  #spec;
  #bandwidth;
  #stateBytes;
  constructor(spec, hardware, stateBytes = spec.stateType === "float32" ? 4 : 2) {
    this.#spec = spec;
    this.#bandwidth = hardware.memoryBandwidth;
    this.#stateBytes = stateBytes;
  }
  ms(batch, seq) {
    const { kernel, taps, keyHeads, keySize, valueHeads, valueSize } = this.#spec;
    const tokens = seq > 0 ? batch * seq : batch;
    const channels = 2 * keyHeads * keySize + valueHeads * valueSize;
    let bytes;
    if (kernel === "causal_conv1d_fn" || kernel === "causal_conv1d_update") {
      bytes = tokens * channels * (taps + 1) * 2 + tokens * channels * 2;
    } else {
      const elements = valueHeads * keySize * valueSize;
      const handed = kernel === "chunk_gated_delta_rule" ? Math.floor(seq / 64) * elements * 2 * batch : 0;
      const state = elements * this.#stateBytes * batch;
      const read2 = tokens * channels * 2 + state + handed;
      const written = tokens * valueHeads * valueSize * 2 + state + handed;
      bytes = read2 + written;
    }
    return bytes / this.#bandwidth * 1e3;
  }
};
function gdnOperator(spec, hardware, set) {
  const { phase, kernel } = spec;
  const halfState = kernel === "fused_sigmoid_gating_delta_rule_update" && runsHalfState(spec, set, hardware);
  const bound = new GdnBound(spec, hardware, halfState ? 2 : void 0);
  const member = set?.member("gdn");
  const name = set && member && (halfState ? shapeName(spec, HALF_STATE_RECURRENCE) : measuredName(spec, set, member));
  if (name === void 0) return new StateKernelOperator(spec, void 0, bound, set);
  const table2 = phase === "context" ? promptTable(member, name, bound) : decodeTable(member, name, bound);
  return new StateKernelOperator(spec, table2, bound, set);
}
function runsHalfState({ stateType }, set, hardware) {
  return stateType === "bfloat16" && set?.header.backend === "sglang" && hardware.smVersion >= 100 && hardware.smVersion < 110;
}
function measuredName(spec, set, member) {
  const convolution = spec.kernel.startsWith("causal_conv1d");
  if (!convolution && spec.stateType !== "float32") return void 0;
  const { backend, version } = set.header;
  if (spec.kernel === "chunk_gated_delta_rule" && backend === "vllm" && VLLM_SCAN_VERSIONS.includes(version)) {
    const scans = VLLM_SCANS.map((kernel) => shapeName(spec, kernel)).filter((name2) => member.has(name2));
    if (scans.length > 1) return void 0;
    if (scans.length === 1) return scans[0];
  }
  const name = shapeName(spec, spec.kernel);
  return member.has(name) ? name : void 0;
}
function shapeName(spec, kernel) {
  const { phase, hidden, taps, keyHeads, keySize, valueHeads, valueSize } = spec;
  return [
    kernel,
    phase,
    hidden,
    taps,
    keyHeads,
    keySize,
    valueHeads,
    valueSize
  ].join("|");
}

// lib/timing/aic/operators/kda.ts
var FUSED_DECODE = "kda_fused_decode";
var FUSED_VERIFY = "fused_kda_decode_mtp_dspark";
var KdaBound = class {
  #spec;
  #kernel;
  #bandwidth;
  constructor(spec, hardware, kernel = spec.kernel) {
    this.#spec = spec;
    this.#kernel = kernel;
    this.#bandwidth = hardware.memoryBandwidth;
  }
  ms(batch, seq) {
    const tokens = seq > 0 ? batch * seq : batch;
    return this.#bytes(this.#kernel, tokens, batch, seq) / this.#bandwidth * 1e3;
  }
  #bytes(kernel, tokens, batch, seq) {
    const { taps, heads, headSize } = this.#spec;
    const width = heads * headSize;
    const state = heads * headSize * headSize * 4 * batch;
    switch (kernel) {
      case "causal_conv1d_fn_qkv3":
      case "causal_conv1d_update":
        return tokens * 3 * width * (taps + 1) * 2 + tokens * 3 * width * 2;
      case FUSED_DECODE:
      case FUSED_VERIFY:
        return this.#bytes("fused_recurrent_kda_packed_decode", tokens, batch, seq) + this.#bytes("causal_conv1d_update", tokens, batch, seq);
      default: {
        if (this.#spec.phase === "verify") return tokens * 4 * width * 2 + state + (tokens * width * 2 + state * seq);
        const handed = this.#spec.phase === "context" ? Math.floor(seq / 64) * state : 0;
        return tokens * 4 * width * 2 + state + handed + (tokens * width * 2 + state + handed);
      }
    }
  }
};
function kdaOperator(spec, hardware, set) {
  const { phase, kernel } = spec;
  const member = set?.member("kda");
  if (phase === "verify") return verifyOperator(spec, hardware, set);
  if (member === void 0) return new StateKernelOperator(spec, void 0, new KdaBound(spec, hardware), set);
  const separate = kernel === "causal_conv1d_update" || kernel === "fused_recurrent_kda_packed_decode";
  if (separate && !member.has(shapeName2(spec, kernel)) && member.has(shapeName2(spec, FUSED_DECODE))) {
    if (kernel === "causal_conv1d_update") {
      return new StateKernelOperator(spec, () => 0, new KdaBound(spec, hardware), set);
    }
    const bound2 = new KdaBound(spec, hardware, FUSED_DECODE);
    return new StateKernelOperator(spec, decodeTable(member, shapeName2(spec, FUSED_DECODE), bound2), bound2, set);
  }
  const bound = new KdaBound(spec, hardware);
  const name = closestShape(spec, member);
  if (name === void 0) return new StateKernelOperator(spec, void 0, bound, set);
  const table2 = phase === "context" ? promptTable(member, name, bound) : decodeTable(member, name, bound);
  return new StateKernelOperator(spec, table2, bound, set);
}
function verifyOperator(spec, hardware, set) {
  const member = set?.member("kda");
  const checked = spec.checked;
  const fused = member !== void 0 && !member.has(shapeName2(spec, spec.kernel)) && member.has(shapeName2(spec, FUSED_VERIFY));
  const bound = new KdaBound(spec, hardware, fused ? FUSED_VERIFY : spec.kernel);
  const sequences = (tokens) => Math.max(roundHalfEven(tokens / checked), 1);
  const whole = {
    ms: (tokens) => bound.ms(sequences(tokens), checked)
  };
  if (fused && spec.kernel === "causal_conv1d_update") return new StateKernelOperator(spec, () => 0, whole, set);
  const name = fused ? shapeName2(spec, FUSED_VERIFY) : member && closestShape(spec, member);
  const table2 = name === void 0 ? void 0 : promptTable(member, name, bound);
  return new StateKernelOperator(spec, table2 && ((tokens) => table2(sequences(tokens), checked)), whole, set);
}
function shapeName2({ phase, hidden, taps, heads, headSize }, kernel) {
  return [
    kernel,
    phase,
    hidden,
    taps,
    heads,
    headSize,
    heads,
    headSize
  ].join("|");
}
function closestShape(spec, member) {
  const own = shapeName2(spec, spec.kernel);
  if (member.has(own)) return own;
  const prefix = [
    spec.kernel,
    spec.phase,
    spec.hidden,
    ""
  ].join("|");
  const sizes = (name) => name.slice(prefix.length).split("|").map(Number);
  const measured = member.names().filter((name) => name.startsWith(prefix)).sort((a, b) => {
    const [left, right] = [
      sizes(a),
      sizes(b)
    ];
    const differs = left.findIndex((size2, i) => size2 !== right[i]);
    return differs < 0 ? 0 : left[differs] - right[differs];
  });
  let best;
  let gap = Infinity;
  for (const name of measured) {
    const apart = Math.abs(sizes(name)[3] - spec.heads);
    if (apart >= gap) continue;
    best = name;
    gap = apart;
  }
  return best;
}

// lib/timing/aic/operators/mamba2.ts
var Mamba2Bound = class {
  #spec;
  #bandwidth;
  constructor(spec, hardware) {
    this.#spec = spec;
    this.#bandwidth = hardware.memoryBandwidth;
  }
  ms(batch, seq) {
    const { kernel, heads, headSize, groups, stateSize, taps } = this.#spec;
    const tokens = seq > 0 ? batch * seq : batch;
    const inner = heads * headSize;
    let bytes;
    if (kernel === "causal_conv1d_fn" || kernel === "causal_conv1d_update") {
      const channels = inner + 2 * groups * stateSize;
      bytes = tokens * channels * (taps + 1) * 2 + tokens * channels * 2;
    } else {
      bytes = tokens * (inner + groups * stateSize * 2 + heads) * 2 + tokens * inner * 2;
    }
    return bytes / this.#bandwidth * 1e3;
  }
};
function mamba2Operator(spec, hardware, set) {
  const bound = new Mamba2Bound(spec, hardware);
  const member = spec.phase === "context" ? set?.member("mamba2") : void 0;
  const name = member && nearestShape(spec, member);
  return new StateKernelOperator(spec, name === void 0 ? void 0 : promptTable(member, name, bound), bound, set);
}
function nearestShape(spec, member) {
  const { kernel, hidden, stateSize, taps, heads, headSize, groups, chunk } = spec;
  const own = [
    kernel,
    hidden,
    stateSize,
    taps,
    heads,
    headSize,
    groups,
    chunk
  ].join("|");
  if (member.has(own)) return own;
  const ofWidth = member.names().filter((name) => name.startsWith(`${kernel}|${hidden}|`));
  const sizes = (name) => name.split("|").slice(2).map(Number);
  return ofWidth.sort((a, b) => {
    const [left, right] = [
      sizes(a),
      sizes(b)
    ];
    const at = left.findIndex((size2, i) => size2 !== right[i]);
    return at < 0 ? 0 : left[at] - right[at];
  })[0];
}

// lib/timing/aic/operators/msa.ts
var HEAD = 128;
var BLOCK = 128;
var PICKED = 16 * BLOCK;
var INDEX_WIDTH = 4 * 128;
var MsaBound = class {
  #spec;
  #gemm;
  #indexFlops;
  #attentionFlops;
  #bandwidth;
  constructor(spec, hardware) {
    const cost = GEMM_MODES[spec.mode];
    this.#spec = spec;
    this.#gemm = {
      bytes: cost.bytes,
      flops: flopsOf(hardware, cost.flops, spec.mode)
    };
    this.#indexFlops = flopsOf(hardware, "fp8", "fp8");
    this.#attentionFlops = flopsOf(hardware, FMHA_MODES[spec.fmha].flops, spec.fmha);
    this.#bandwidth = hardware.memoryBandwidth;
  }
  context(heads, prefix, seq, batch) {
    return this.#ms(heads, batch, batch * seq, prefix + seq, batch * limitedPairs(seq, prefix, PICKED));
  }
  generation(heads, batch, known) {
    const cached = Math.max(known - 1, 0);
    return this.#ms(heads, batch, batch, cached, batch * Math.min(cached, PICKED));
  }
  #ms(heads, batch, tokens, length, pairs) {
    const { hidden, kvHeads, fmha, kv } = this.#spec;
    const projections = 2 * tokens * hidden * heads * HEAD + 2 * tokens * hidden * 2 * kvHeads * HEAD + 2 * tokens * heads * HEAD * hidden + 2 * tokens * hidden * INDEX_WIDTH;
    const blocks = length > PICKED ? Math.ceil(length / BLOCK) : 0;
    const scores = 2 * tokens * INDEX_WIDTH * blocks;
    const attention2 = 2 * heads * (HEAD + HEAD) * pairs;
    const weights = hidden * heads * HEAD + hidden * 2 * kvHeads * HEAD + heads * HEAD * hidden + hidden * INDEX_WIDTH;
    const bytes = weights * this.#gemm.bytes + batch * kvHeads * Math.min(length, PICKED) * (HEAD + HEAD) * KV_MODES[kv] + batch * blocks * INDEX_WIDTH + tokens * heads * HEAD * FMHA_MODES[fmha].bytes * 2;
    const math = projections / this.#gemm.flops + scores / this.#indexFlops + attention2 / this.#attentionFlops;
    return Math.max(math * 1e3, bytes / this.#bandwidth * 1e3);
  }
};
var sliceName3 = ({ phase, fmha, kv, mode }) => phase === "context" ? `${fmha}|${kv}|${mode}` : `${kv}|${mode}`;
function msaEstimate(spec, hardware, set) {
  const levels = set?.member(`msa_${spec.phase}`)?.levels(sliceName3(spec));
  return headedEstimate(spec, new MsaBound(spec, hardware), levels ?? null);
}
function msaOperator(spec, hardware, set) {
  const { phase, heads } = spec;
  const member = set.member(`msa_${phase}`);
  const slice = sliceName3(spec);
  const levels = member?.levels(slice);
  if (levels === void 0) {
    const { backend, version, system } = set.header;
    const problem = member === void 0 ? `no MSA module rows of ${backend} ${version} on ${system}` : `${phase} MSA module data missing for ${slice.replaceAll("|", ", ")}`;
    return new MissingOperator(spec.name, "sequences", problem);
  }
  const bound = new MsaBound(spec, hardware);
  if (phase === "context") {
    const grid2 = new LevelGrid(levels, (at) => bound.context(at[0], at[1], at[2], at[3]));
    return new AttentionModuleOperator(spec, (batch, seq, prefix) => grid2.at(heads, prefix, seq, batch));
  }
  const onGrid = {
    ms: (n, batch, known) => bound.generation(n, batch, known)
  };
  const grid = new Grid(member.grid(slice), onGrid, heads, {
    moving: "leaf"
  });
  return new AttentionModuleOperator(spec, (batch, known) => grid.at(batch, known));
}

// lib/timing/aic/measured_operators.ts
var MeasuredOperatorFactory = class {
  #set;
  #hardware;
  #energies;
  #gemmTables = /* @__PURE__ */ new Map();
  #fanOuts = /* @__PURE__ */ new Map();
  constructor(set) {
    this.#set = set;
    this.#hardware = set.header.hardware;
    this.#energies = set.unit !== void 0;
  }
  operators(specs) {
    return specs.map((spec) => this.#operator(spec));
  }
  #operator(spec) {
    switch (spec.kind) {
      case "embedding":
      case "elementwise":
        return this.#energies ? nothing(spec) : new MemoryOperator(spec, this.#hardware);
      case "p2p":
        return this.#energies ? nothing(spec) : new P2pOperator(spec, this.#hardware);
      case "gemm":
        return spec.mode === "fp8_static" ? this.#staticGemm(spec) : this.#gemm(spec);
      case "context_attention":
        return this.#contextAttention(spec);
      case "generation_attention":
        return this.#generationAttention(spec);
      case "all_reduce":
        return this.#allReduce(spec);
      case "moe":
        return this.#moe(spec);
      case "moe_dispatch":
        return this.#moeDispatch(spec);
      case "context_mla":
        return this.#contextMla(spec);
      case "generation_mla":
        return this.#generationMla(spec);
      case "mla_bmm":
        return this.#mlaBmm(spec);
      case "mla_context_module":
      case "mla_generation_module":
        return this.#mlaModule(spec);
      case "dsa":
        return dsaOperator(spec, this.#hardware, this.#set);
      case "dsv4":
        return dsv4Operator(spec, this.#hardware, this.#set);
      case "msa":
        return msaOperator(spec, this.#hardware, this.#set);
      case "mhc":
        return mhcOperator(spec, this.#hardware, this.#set);
      case "kda":
        return kdaOperator(spec, this.#hardware, this.#set);
      case "gdn":
        return gdnOperator(spec, this.#hardware, this.#set);
      case "mamba2":
        return mamba2Operator(spec, this.#hardware, this.#set);
      case "fallback":
        return new FallbackOperator(spec.name, this.#operator(spec.primary), this.operators(spec.list));
      case "overlap":
        return new OverlapOperator(spec.name, [
          this.operators(spec.groups[0]),
          this.operators(spec.groups[1])
        ], {
          sum: this.#energies
        });
    }
  }
  #gemmTable(mode) {
    if (!this.#gemmTables.has(mode)) {
      const bound = new GemmBound(this.#hardware, mode);
      const member = this.#set.member(`gemm/${mode}`);
      this.#gemmTables.set(mode, member && new GemmTable(member.sites(), bound));
    }
    return this.#gemmTables.get(mode);
  }
  #gemm(spec) {
    const table2 = this.#gemmTable(spec.mode);
    if (table2 === void 0) return missing2(spec, "tokens", `GEMM perf data missing for quant '${spec.mode}'`);
    const bound = spec.belowGrid ? this.#energies ? NOTHING : new GemmBound(this.#hardware, spec.mode) : null;
    return new GemmOperator(spec, table2.shape(spec.n, spec.k), bound);
  }
  #staticGemm(spec) {
    const table2 = this.#gemmTable("fp8");
    if (table2 === void 0) return missing2(spec, "tokens", "GEMM perf data missing for quant 'fp8_static'");
    const scaling = (name) => {
      const grid = this.#set.member(name)?.grid("fp8");
      return grid && new ScalingKernel(grid, this.#hardware, spec.k, name);
    };
    const computeScale = scaling("computescale");
    const scaleMatrix = spec.lowPrecisionInput ? scaling("scale_matrix") : null;
    if (computeScale === void 0) return missing2(spec, "tokens", "ComputeScale perf data missing for quant 'fp8'");
    if (scaleMatrix === void 0) return missing2(spec, "tokens", "ScaleMatrix perf data missing for quant 'fp8'");
    const bound = this.#energies ? NOTHING : new GemmBound(this.#hardware, "fp8_static");
    return new StaticFp8GemmOperator(spec, table2.shape(spec.n, spec.k), bound, computeScale, scaleMatrix);
  }
  #contextAttention(spec) {
    const { heads, headSize, window, fmha, kv } = spec;
    const kvHeads = spec.kvHeads === heads ? 0 : spec.kvHeads;
    const bound = new ContextAttentionBound(this.#hardware, {
      kvHeads,
      headSize,
      window
    }, fmha, kv);
    const grid = this.#set.member(`context_attention/${fmha}/${kv}`)?.grid(`${kvHeads}|${headSize}|${window}`);
    if (grid === void 0) {
      const key = `{ fmha_quant: "${fmha}", kv_quant: "${kv}", n_kv_lookup: ${kvHeads}, head_size: ${headSize}, window_size: ${window} }`;
      return missing2(spec, "sequences", `context attention data missing for ContextKey ${key}`);
    }
    return new ContextAttentionOperator(spec, new Grid(grid, bound, heads, {
      squareRootRows: true,
      moving: "row"
    }), this.#energies ? 0 : contextAttentionExtraMs(spec, this.#hardware));
  }
  #generationAttention(spec) {
    const { heads, headSize, window, kv } = spec;
    const kvHeads = spec.kvHeads === heads ? 0 : spec.kvHeads;
    const bound = new GenerationAttentionBound(this.#hardware, {
      kvHeads,
      headSize,
      window
    }, kv);
    const grid = this.#set.member(`generation_attention/${kv}`)?.grid(`${kvHeads}|${headSize}|${window}`);
    if (grid === void 0) {
      const key = `{ kv_quant: "${kv}", n_kv_lookup: ${kvHeads}, head_size: ${headSize}, window_size: ${window} }`;
      return missing2(spec, "sequences", `generation attention data missing for GenerationKey ${key}`);
    }
    return new GenerationAttentionOperator(spec, new Grid(grid, bound, heads, {
      moving: "leaf"
    }), this.#energies ? 0 : generationAttentionExtraMs(spec, this.#hardware));
  }
  /** Curves by number of GPUs: of the framework's all-reduce, or of an operation of the collectives library. */
  #curvesByGpus(member, prefix) {
    const curves = /* @__PURE__ */ new Map();
    for (const name of member?.names() ?? []) {
      if (!name.startsWith(prefix)) continue;
      curves.set(Number(name.slice(prefix.length)), new Curve(member.curve(name), PROPORTIONAL));
    }
    return curves;
  }
  #collective(operation, comm, gpus) {
    const key = `${operation} ${comm}`;
    let fanOuts = this.#fanOuts.get(key);
    if (fanOuts === void 0) {
      fanOuts = operation === "custom" ? this.#curvesByGpus(comm === "half" ? this.#set.member("all_reduce") : void 0, "") : this.#curvesByGpus(this.#set.member(`nccl/${comm}`), `${operation}|`);
      this.#fanOuts.set(key, fanOuts);
    }
    return new GroupCollective(fanOuts, gpus, this.#hardware);
  }
  #sumOver(gpus, comm) {
    return this.#collective(summedBy(this.#hardware, gpus), comm, gpus);
  }
  #allReduce(spec) {
    return new AllReduceOperator(spec, this.#sumOver(spec.ranks, spec.comm));
  }
  #moe(spec) {
    const { topk, experts: experts2, hidden, inter, moeTensor, moeExpert, mode, distribution } = spec;
    const cost = MOE_MODES[mode];
    const bound = new MoeBound(this.#hardware, {
      ...spec,
      gated: spec.gated ?? true
    }, cost, mode);
    const shape = [
      topk,
      experts2,
      hidden,
      inter,
      moeTensor,
      moeExpert
    ].join("|");
    const member = this.#set.member(`moe/${mode}`);
    const named = member?.names().some((name) => name.startsWith(`${distribution}|`)) ? distribution : "uniform";
    const curve = member?.curve(`${named}|${shape}`);
    if (curve === void 0) {
      const key = `{ quant: "${mode}", distribution: "${named}", topk: ${topk}, num_experts: ${experts2}, hidden_size: ${hidden}, inter_size: ${inter}, moe_tensor: ${moeTensor}, moe_expert: ${moeExpert} }`;
      return missing2(spec, "tokens", `MoE data missing for MoeKey ${key}${otherSplits(member, shape)}`);
    }
    const lowLatency = mode === "nvfp4" && (spec.gated ?? true) ? this.#set.member("moe_low_latency/nvfp4")?.curve(`${distribution}|${shape}`) : void 0;
    return new MoeOperator(spec, new Curve(curve, bound), lowLatency ? new Curve(lowLatency, bound) : null);
  }
  #moeDispatch(spec) {
    if (this.#energies) return nothing(spec);
    const parts = dispatchParts(spec, this.#set.header.backend, this.#hardware);
    if (parts === null) return missing2(spec, "tokens", "the all-to-all of wide nodes is not part of this model");
    const steps = parts.map(({ operation, gpus, perToken }) => ({
      label: operation === "all_reduce" ? "custom all-reduce" : `NCCL ${operation}`,
      collective: operation === "all_reduce" ? this.#sumOver(gpus, spec.comm) : this.#collective(operation, spec.comm, gpus),
      perToken
    }));
    return new MoeDispatchOperator(spec, steps);
  }
  #contextMla(spec) {
    const { heads, fmha, kv } = spec;
    const bound = new ContextMlaBound(this.#hardware, fmha, kv);
    const grid = this.#set.member("context_mla")?.grid(`${fmha}|${kv}`);
    if (grid === void 0) {
      const key = `{ fmha_quant: "${fmha}", kv_quant: "${kv}" }`;
      return missing2(spec, "sequences", `context MLA data missing for ContextKey ${key}`);
    }
    const options = {
      squareRootRows: true,
      moving: "row"
    };
    return new ContextAttentionOperator(spec, new Grid(grid, bound, heads, options), 0);
  }
  #generationMla(spec) {
    const bound = new GenerationMlaBound(this.#hardware, spec.kv);
    const grid = this.#set.member("generation_mla")?.grid(spec.kv);
    if (grid === void 0) {
      return missing2(spec, "sequences", `generation MLA data missing for kv_quant "${spec.kv}"`);
    }
    return new GenerationMlaOperator(spec, new Grid(grid, bound, spec.heads, {
      moving: "leaf"
    }));
  }
  #mlaBmm(spec) {
    const member = this.#set.member("mla_bmm");
    const operation = spec.pre ? "mla_gen_pre" : "mla_gen_post";
    const inMode = (mode2) => member?.names().some((name) => name.startsWith(`${operation}|${mode2}|`));
    const mode = inMode(spec.mode) ? spec.mode : "bfloat16";
    const own = member?.has(`${operation}|${mode}|${spec.heads}`) ?? false;
    const heads = own ? spec.heads : 2 ** Math.ceil(Math.log2(spec.heads));
    const curve = member?.curve(`${operation}|${mode}|${heads}`);
    if (curve === void 0) {
      return missing2(spec, "tokens", `MLA BMM data missing for num_heads=${heads} (${operation}, quant '${mode}')`);
    }
    const bound = new MlaBmmBound(this.#hardware, heads, spec.mode);
    return new CurveOperator(spec, new Curve(curve, bound), spec.heads / heads);
  }
  #mlaModule(spec) {
    const context = spec.kind === "mla_context_module";
    const { heads, fmha, kv, mode, nativeHeads } = spec;
    const slice = context ? `${fmha}|${kv}|${mode}` : `${kv}|${mode}`;
    const member = this.#set.member(spec.kind);
    const native = closestBelow((member?.names() ?? []).filter((name) => name.startsWith(`${slice}|`)).map((name) => Number(name.slice(slice.length + 1))), nativeHeads);
    const grid = native === void 0 ? void 0 : member?.grid(`${slice}|${native}`);
    if (grid === void 0) return missing2(spec, "sequences", `MLA module data missing for ${spec.name} (${slice})`);
    if (context) {
      const bound2 = new ContextMlaBound(this.#hardware, fmha, kv);
      const options = {
        squareRootRows: true,
        moving: "row"
      };
      return new ContextAttentionOperator(spec, new Grid(grid, bound2, heads, options), 0);
    }
    const bound = new GenerationMlaBound(this.#hardware, kv, mode);
    return new GenerationMlaOperator(spec, new Grid(grid, bound, heads, {
      moving: "leaf"
    }));
  }
};
var NOTHING = {
  ms: () => 0
};
var nothing = (spec) => new FormulaOperator(spec, "tokens", NOTHING.ms);
function missing2(spec, dependence, problem) {
  return new MissingOperator(spec.name, dependence, problem);
}
function otherSplits(member, shape) {
  const sizes = shape.split("|").slice(0, 4).join("|");
  const splits = (member?.names() ?? []).map((name) => name.split("|")).filter((parts) => parts.slice(1, 5).join("|") === sizes).map((parts) => [
    Number(parts[5]),
    Number(parts[6])
  ]).sort(([a, b], [c, d]) => a - c || b - d);
  const texts = new Set(splits.map(([tensor, expert]) => `${tensor} \xD7 ${expert}`));
  return texts.size === 0 ? "" : `; measured moe_tensor \xD7 moe_expert: ${[
    ...texts
  ].join(", ")}`;
}

// lib/timing/aic/operators/module_estimates.ts
function moduleEstimate(spec, hardware, backend, set, skips = false) {
  switch (spec.kind) {
    case "dsa":
      return dsaEstimate(spec, hardware, backend, skips ? "skip" : "full", set);
    case "dsv4":
      return dsv4Estimate(spec, hardware, set);
    case "msa":
      return msaEstimate(spec, hardware, set);
  }
}

// lib/timing/aic/bound_operators.ts
var AT_THE_BOUND = {
  of: () => () => 1,
  ofSkipping: () => () => 1,
  ofCollective: () => () => 1
};
function boundFactory(part, hardware, backend) {
  const ideal = withoutLosses(hardware);
  if (part === "whole") return new BoundOperatorFactory(ideal, backend, AT_THE_BOUND);
  const endless = (flops) => Object.fromEntries(Object.keys(flops).map((type) => [
    type,
    Infinity
  ]));
  const limited = part === "memory" ? {
    ...ideal,
    flops: endless(ideal.flops)
  } : {
    ...ideal,
    memoryBandwidth: Infinity,
    interNodeBandwidth: Infinity
  };
  return new BoundOperatorFactory(limited, backend, {
    ...AT_THE_BOUND,
    ofCollective: () => () => Infinity
  });
}
var BoundOperatorFactory = class {
  #hardware;
  #backend;
  #utilisations;
  #tables;
  /**
   * @param hardware kernels that only move bytes take its latency and its scaling
   * @param tables measurements of kernels around recurrent states, which are used however operators are estimated
   */
  constructor(hardware, backend, utilisations, tables) {
    this.#hardware = hardware;
    this.#backend = backend;
    this.#utilisations = utilisations;
    this.#tables = tables;
  }
  operators(specs) {
    return specs.map((spec) => this.operator(spec));
  }
  operator(spec) {
    const hardware = this.#hardware;
    switch (spec.kind) {
      case "embedding":
      case "elementwise":
        return new MemoryOperator(spec, hardware);
      case "p2p":
        return new P2pOperator(spec, hardware);
      case "gdn":
        return gdnOperator(spec, hardware, this.#tables);
      case "mamba2":
        return mamba2Operator(spec, hardware, this.#tables);
      case "kda":
        return kdaOperator(spec, hardware, this.#tables);
      case "fallback":
        return new FallbackOperator(spec.name, this.operator(spec.primary), this.operators(spec.list));
      case "overlap":
        return new OverlapOperator(spec.name, [
          this.operators(spec.groups[0]),
          this.operators(spec.groups[1])
        ]);
      case "all_reduce": {
        const collective = this.#collective("all_reduce", spec.comm, spec.ranks);
        return new FormulaOperator(spec, "tokens", (tokens) => collective(tokens * spec.width));
      }
      case "moe_dispatch": {
        const parts = dispatchParts(spec, this.#backend, hardware);
        if (parts === null) return missing3(spec);
        const steps = parts.map(({ operation, gpus, perToken }) => {
          const collective = this.#collective(operation, spec.comm, gpus);
          return (tokens) => collective(tokens * perToken);
        });
        return new FormulaOperator(spec, "tokens", (tokens) => steps.reduce((sum3, step2) => sum3 + step2(tokens), 0));
      }
      default: {
        const utilisation = this.#utilisations.of(spec);
        return utilisation === void 0 ? missing3(spec) : this.#measurable(spec, utilisation);
      }
    }
  }
  #measurable(spec, utilisation) {
    const hardware = this.#hardware;
    switch (spec.kind) {
      case "gemm":
        return this.#gemm(spec, utilisation);
      case "moe": {
        const bound = new MoeBound(hardware, {
          ...spec,
          gated: spec.gated ?? true
        }, MOE_MODES[spec.mode], spec.mode);
        return new FormulaOperator(spec, "tokens", (tokens) => {
          const all = tokens * spec.attentionData;
          return bound.ms(all) / utilisation(all, 0, 0);
        });
      }
      case "context_attention": {
        const { heads, headSize, window, fmha, kv } = spec;
        const kvHeads = spec.kvHeads === heads ? 0 : spec.kvHeads;
        const bound = new ContextAttentionBound(hardware, {
          kvHeads,
          headSize,
          window
        }, fmha, kv);
        const extraMs = contextAttentionExtraMs(spec, hardware);
        return new FormulaOperator(spec, "sequences", (_, batch, seq, prefix) => {
          const full = seq + prefix;
          return bound.ms(heads, full, batch, prefix) / utilisation(heads, full, batch) + extraMs;
        });
      }
      case "generation_attention": {
        const { heads, headSize, window, kv } = spec;
        const kvHeads = spec.kvHeads === heads ? 0 : spec.kvHeads;
        const bound = new GenerationAttentionBound(hardware, {
          kvHeads,
          headSize,
          window
        }, kv);
        const extraMs = generationAttentionExtraMs(spec, hardware);
        return new FormulaOperator(spec, "sequences", (_, batch, seq) => bound.ms(heads, batch, seq) / utilisation(heads, batch, seq) + extraMs);
      }
      case "context_mla":
      case "mla_context_module": {
        const bound = new ContextMlaBound(hardware, spec.fmha, spec.kv);
        return new FormulaOperator(spec, "sequences", (_, batch, seq, prefix) => {
          const full = seq + prefix;
          return bound.ms(spec.heads, full, batch, prefix) / utilisation(spec.heads, full, batch);
        });
      }
      case "generation_mla":
      case "mla_generation_module": {
        const module = spec.kind === "mla_generation_module" ? spec.mode : null;
        const bound = new GenerationMlaBound(hardware, spec.kv, module);
        return new FormulaOperator(spec, "sequences", (_, batch, seq) => bound.ms(spec.heads, batch, seq) / utilisation(spec.heads, batch, seq));
      }
      case "dsa":
      case "dsv4":
      case "msa": {
        const timed = (skips, reached) => {
          const { bound, place } = moduleEstimate(spec, hardware, this.#backend, void 0, skips);
          return (batch, seq, prefix) => bound(batch, seq, prefix) / reached(...place(batch, seq, prefix));
        };
        const full = timed(false, utilisation);
        const share = spec.kind === "dsa" ? spec.indexed : 1;
        const skipping = spec.kind === "dsa" && share < 1 ? this.#utilisations.ofSkipping(spec) : void 0;
        if (skipping === void 0) return new AttentionModuleOperator(spec, full);
        const skip = timed(true, skipping);
        return new AttentionModuleOperator(spec, (batch, seq, prefix) => share * full(batch, seq, prefix) + (1 - share) * skip(batch, seq, prefix));
      }
      case "mhc": {
        const bound = new MhcBound(spec, hardware);
        return new FormulaOperator(spec, "tokens", (tokens) => bound.ms(tokens) / utilisation(tokens, 0, 0));
      }
      case "mla_bmm": {
        const bound = new MlaBmmBound(hardware, spec.heads, spec.mode);
        return new FormulaOperator(spec, "tokens", (tokens) => bound.ms(tokens) / utilisation(tokens, 0, 0));
      }
      default:
        return missing3(spec);
    }
  }
  #gemm(spec, utilisation) {
    const bound = new GemmBound(this.#hardware, spec.mode);
    const { n, k } = spec;
    const whole = (m) => bound.ms(m, n, k) / utilisation(m, n, k);
    if (spec.mode !== "fp8_static" || this.#utilisations.ofScaling === void 0) {
      return new FormulaOperator(spec, "tokens", whole);
    }
    const computeScale = this.#scaling("computescale", k);
    const scaleMatrix = spec.lowPrecisionInput ? this.#scaling("scale_matrix", k) : () => 0;
    return new FormulaOperator(spec, "tokens", (m) => Math.max(whole(m) - computeScale(m) - scaleMatrix(m), bound.ms(m, n, k)));
  }
  #scaling(table2, k) {
    const utilisation = this.#utilisations.ofScaling(table2);
    if (utilisation === void 0) return () => NaN;
    const bound = new ScalingBound(this.#hardware, table2);
    return (m) => bound.ms(m, k) / utilisation(m, k, 0);
  }
  /** Milliseconds of a collective by elements. */
  #collective(operation, comm, gpus) {
    if (gpus <= 1) return () => 0;
    const utilisation = this.#utilisations.ofCollective(operation, comm, gpus);
    if (utilisation === void 0) return () => NaN;
    const passes = operation === "all_reduce" ? 2 : 1;
    const bandwidth = peerBandwidth(this.#hardware, gpus);
    const bytes = COMM_MODES[comm];
    return (elements) => passes * elements * bytes * (gpus - 1) / gpus / bandwidth * 1e3 / utilisation(elements, 0, 0);
  }
};
function missing3(spec) {
  const dependence = /attention|mla_(context|generation)|(context|generation)_mla/.test(spec.kind) ? "sequences" : "tokens";
  return new MissingOperator(spec.name, dependence, `nothing was measured that ${spec.name} could borrow from (transfer_policy says what it may)`);
}
function withoutLosses(hardware) {
  return {
    ...hardware,
    memoryScaling: 1,
    memoryLatencySeconds: 0,
    p2pLatencySeconds: 0
  };
}

// lib/timing/aic/quant_choice.ts
var NAMES = {
  gemm: GEMM_MODES,
  moe: MOE_MODES,
  fmha: FMHA_MODES,
  kvcache: KV_MODES,
  comm: COMM_MODES
};
function modeNames(kind) {
  return Object.keys(NAMES[kind]);
}
function chooseModes(facts, serving, overrides = {}, fmhaHasData) {
  const implied2 = impliedModes(facts);
  const family = facts.problem === null ? familyOf(facts.architecture) : void 0;
  const inferred = family?.implied?.(implied2, facts, facts.own, serving) ?? implied2;
  const pick = (kind) => overrides[kind] ? quantMode(kind, overrides[kind]) : inferred[kind] ?? DEFAULTS[kind];
  const kvcache = pick("kvcache");
  let fmha = pick("fmha");
  if (!overrides.fmha && fmha !== "bfloat16") {
    const gives = () => fmhaHasData && !fmhaHasData(fmha, kvcache) && fmhaHasData("bfloat16", kvcache);
    if (serving.backend === "vllm" || gives()) fmha = "bfloat16";
  }
  return {
    gemm: pick("gemm"),
    moe: pick("moe"),
    fmha,
    kvcache,
    comm: pick("comm")
  };
}
var DEFAULTS = {
  gemm: "bfloat16",
  moe: "bfloat16",
  fmha: "bfloat16",
  kvcache: "bfloat16",
  comm: "half"
};
function quantMode(kind, name) {
  if (Object.hasOwn(NAMES[kind], name)) return name;
  const near = nearName(name, modeNames(kind));
  throw new ConfigError(`unknown ${kind} quant mode '${name}'${near ? `, did you mean '${near}'?` : ""} (known: ${modeNames(kind).join(", ")})`);
}
function impliedModes(facts) {
  const { algorithm, kvAlgorithm } = facts.quant;
  const weights = impliedWeights(facts);
  if (kvAlgorithm === "none") return {
    ...weights,
    kvcache: "bfloat16",
    fmha: "bfloat16"
  };
  if (kvAlgorithm !== null && kvAlgorithm !== "fp8" && kvAlgorithm !== "bfloat16") {
    throw new ConfigError(`unsupported KV cache format '${kvAlgorithm}' in the model's configuration (supported: fp8, bfloat16, none)`);
  }
  const eightBits = algorithm === "fp8" || algorithm === "fp8_block" || algorithm === "nvfp4";
  if (eightBits || algorithm !== null && kvAlgorithm === "fp8") return {
    ...weights,
    kvcache: "fp8",
    fmha: "fp8"
  };
  return kvAlgorithm === null ? weights : {
    ...weights,
    kvcache: kvAlgorithm
  };
}
function impliedWeights({ quant: { algorithm, dynamicActivations, byPart } }) {
  switch (algorithm) {
    case null:
      return {};
    case "fp8":
      return {
        gemm: dynamicActivations === true ? "fp8" : "fp8_static",
        moe: "fp8"
      };
    case "fp8_block":
    case "nvfp4":
      return {
        gemm: algorithm,
        moe: algorithm
      };
    case "mxfp4":
      return {
        gemm: "bfloat16",
        moe: "w4a16_mxfp4"
      };
    case "mixed_precision":
    case "compressed-tensors":
      return {
        ...byPart.gemm === null ? {} : {
          gemm: quantMode("gemm", byPart.gemm)
        },
        ...byPart.moe === null ? {} : {
          moe: quantMode("moe", byPart.moe)
        }
      };
    default:
      throw new ConfigError(`unsupported quantisation '${algorithm}' in the model's configuration (supported: fp8, fp8 with weight blocks, nvfp4, mxfp4, mixed_precision, compressed-tensors)`);
  }
}

// lib/timing/aic/hybrid_operators.ts
var HybridOperatorFactory = class {
  #measured;
  #empirical;
  /** @param empirical absent with measurements of energies: what is estimated has none */
  constructor(measured, empirical = null) {
    this.#measured = measured;
    this.#empirical = empirical;
  }
  operators(specs) {
    return specs.map((spec) => this.#operator(spec));
  }
  #operator(spec) {
    switch (spec.kind) {
      case "fallback": {
        const [primary] = this.#measured.operators([
          spec.primary
        ]);
        return new FallbackOperator(spec.name, primary, this.operators(spec.list));
      }
      case "overlap":
        return new OverlapOperator(spec.name, [
          this.operators(spec.groups[0]),
          this.operators(spec.groups[1])
        ], {
          sum: this.#empirical === null
        });
      default: {
        const measurable = spec.kind === "gemm" ? {
          ...spec,
          belowGrid: false
        } : spec;
        return new EitherOperator(this.#measured.operators([
          measurable
        ])[0], this.#empirical?.operator(spec) ?? new FormulaOperator(spec, "tokens", () => 0));
      }
    }
  }
};

// lib/timing/aic/borrowing.ts
var SPEED = {
  bfloat16: 1,
  int8: 2,
  fp8: 2,
  fp4: 4
};
var LEVELS = {
  gemm: {
    ...{
      "2,1": 0.7,
      "1,1": 0.55,
      "0.5625,1": 0.45,
      "0.5,1": 0.45
    },
    ...{
      "1,2": 0.45,
      "0.5,2": 0.35,
      "1,4": 0.3,
      "0.5,4": 0.3,
      "0.5625,4": 0.3
    }
  },
  moe: {
    ...{
      "2,1": 0.53,
      "1,1": 0.45,
      "0.5625,1": 0.07,
      "0.5,1": 0.07
    },
    ...{
      "1,2": 0.4,
      "0.5,2": 0.15,
      "1,4": 0.3,
      "0.5,4": 0.23,
      "0.5625,4": 0.23
    }
  }
};
var OTHER_LEVEL = {
  gemm: 0.45,
  moe: 0.3
};
function level(kind, { bytes, flops }) {
  return LEVELS[kind][`${bytes},${SPEED[flops]}`] ?? OTHER_LEVEL[kind];
}
function formatRatio(kind, wanted, measured) {
  return level(kind, wanted) / level(kind, measured);
}
function sameProfile(a, b) {
  return a.bytes === b.bytes && SPEED[a.flops] === SPEED[b.flops];
}
function byLikeness(kind, wanted, measured, costs, hardware) {
  const distance = (mode) => {
    const speed = Math.abs(SPEED[costs[mode].flops] - SPEED[wanted.flops]);
    const space = Math.abs(costs[mode].bytes - wanted.bytes);
    return kind === "gemm" ? [
      speed,
      space
    ] : [
      speed + space,
      0
    ];
  };
  return measured.filter((mode) => hardware.flops[costs[mode].flops]).map((mode) => ({
    mode,
    away: distance(mode)
  })).sort((a, b) => a.away[0] - b.away[0] || a.away[1] - b.away[1]).map(({ mode }) => mode);
}
function nearestShape2(wanted, candidates) {
  const logs = candidates.map((sizes) => sizes.map(logarithm2));
  const low = wanted.map((_, axis) => Math.min(...logs.map((sizes) => sizes[axis])));
  const span = wanted.map((_, axis) => Math.max(...logs.map((sizes) => sizes[axis])) - low[axis] || 1);
  const place = (value, axis) => (value - low[axis]) / span[axis];
  const query = wanted.map((size2, axis) => place(logarithm2(size2), axis));
  let best = -1;
  let nearest = Infinity;
  logs.forEach((sizes, i) => {
    let square = 0;
    sizes.forEach((size2, axis) => square += (place(size2, axis) - query[axis]) ** 2);
    if (square < nearest) {
      nearest = square;
      best = i;
    }
  });
  return best;
}
var logarithm2 = (value) => Math.log(Math.max(value, 1e-9));
var HEAD_SIZE_RATIOS = {
  trtllm: [
    0.58,
    1,
    1.1,
    1.17,
    1.2
  ],
  sglang: [
    0.6,
    1,
    1.18,
    1.32,
    1.38
  ],
  vllm: [
    0.6,
    1,
    1.27,
    1.51,
    1.6
  ]
};
var HEAD_SIZES = [
  64,
  128,
  192,
  256,
  512
];
function headSizeRatio(backend, wanted, measured) {
  return headLevel(backend, wanted) / headLevel(backend, measured);
}
function headLevel(backend, size2) {
  const ratios = HEAD_SIZE_RATIOS[backend];
  const at = HEAD_SIZES.findIndex((known) => known >= size2);
  if (at === 0) return ratios[0];
  if (at < 0) return ratios[ratios.length - 1];
  if (HEAD_SIZES[at] === size2) return ratios[at];
  const [low, high] = [
    Math.log2(HEAD_SIZES[at - 1]),
    Math.log2(HEAD_SIZES[at])
  ];
  return ratios[at - 1] + (ratios[at] - ratios[at - 1]) * ((Math.log2(size2) - low) / (high - low));
}
function measuredModes(set, table2, known) {
  return Object.keys(set.header.members).filter((name) => name.startsWith(`${table2}/`)).map((name) => name.slice(table2.length + 1)).filter((mode) => Object.hasOwn(known, mode));
}

// lib/timing/aic/utilisation.ts
var UtilisationCloud = class {
  #axes;
  #low;
  #span;
  /** Coordinates of the places, stretched to 0 \u2026 1, place by place. */
  #places;
  #utils;
  #query;
  #neighbours;
  /**
   * @param axes coordinates of a place
   * @param points the coordinates of each place followed by its bound and its latency; unusable ones are left out
   */
  constructor(axes, points, { neighbours = 2, free = false } = {}) {
    this.#neighbours = neighbours;
    const places = [];
    const utils2 = [];
    for (const point of points) {
      const bound = point[axes];
      const latency = point[axes + 1];
      if (!(bound > 0 && (latency > 0 || free && latency === 0))) continue;
      for (let axis = 0; axis < axes; axis++) places.push(logarithm3(point[axis]));
      utils2.push(bound / latency);
    }
    this.#axes = axes;
    this.#low = new Float64Array(axes).fill(Infinity);
    const high = new Float64Array(axes).fill(-Infinity);
    places.forEach((value, i) => {
      this.#low[i % axes] = Math.min(this.#low[i % axes], value);
      high[i % axes] = Math.max(high[i % axes], value);
    });
    this.#span = high.map((value, axis) => value - this.#low[axis]);
    this.#places = Float64Array.from(places, (value, i) => this.#stretched(value, i % axes));
    this.#utils = Float64Array.from(utils2);
    this.#query = new Float64Array(axes);
  }
  /** Utilisation at a place; NaN when nothing was measured. Places outside the frame count as its edge. */
  at(a, b = 0, c = 0, d = 0) {
    const axes = this.#axes;
    const query = this.#query;
    for (let axis = 0; axis < axes; axis++) {
      const value = axis === 0 ? a : axis === 1 ? b : axis === 2 ? c : d;
      query[axis] = Math.min(Math.max(this.#stretched(logarithm3(value), axis), 0), 1);
    }
    let first = -1, second = -1;
    let nearest = Infinity, next = Infinity;
    for (let i = 0; i < this.#utils.length; i++) {
      let square = 0;
      for (let axis = 0; axis < axes; axis++) {
        const difference = this.#places[i * axes + axis] - query[axis];
        square += difference * difference;
      }
      if (square < nearest) {
        second = first;
        next = nearest;
        first = i;
        nearest = square;
      } else if (square < next) {
        second = i;
        next = square;
      }
    }
    if (first < 0) return NaN;
    if (nearest === 0 || second < 0 || this.#neighbours === 1) return this.#utils[first];
    const weight = 1 / Math.sqrt(nearest);
    const otherWeight = 1 / Math.sqrt(next);
    return (weight * this.#utils[first] + otherWeight * this.#utils[second]) / (weight + otherWeight);
  }
  #stretched(value, axis) {
    return (value - this.#low[axis]) / (this.#span[axis] || 1);
  }
};
var logarithm3 = (value) => Math.log(Math.max(value, 1e-9));

// lib/timing/aic/utilisation_clouds.ts
function ofCloud(axes, points, options = {}) {
  const cloud = new UtilisationCloud(axes, points, options);
  return (a, b, c, d) => cloud.at(a, b, c, d);
}
function ofModule({ measured, prefixAxis }) {
  const [first] = measured;
  if (first === void 0) return void 0;
  const whole = ofCloud(first.place.length, measured.map(({ place, bound, ms }) => [
    ...place,
    bound,
    ms
  ]));
  if (prefixAxis === null) return whole;
  let longest = 0;
  for (const { place } of measured) longest = Math.max(longest, place[prefixAxis]);
  const bare = measured.filter(({ place }) => place[prefixAxis] === 0).map(({ place, bound, ms }) => [
    ...place.slice(0, prefixAxis),
    ...place.slice(prefixAxis + 1),
    bound,
    ms
  ]);
  const withoutPrefix = ofCloud(first.place.length - 1, bare);
  return prefixAxis === 0 ? (prefix, seq, batch) => prefix > longest ? withoutPrefix(seq + prefix, batch, 0) : whole(prefix, seq, batch) : (heads, prefix, seq, batch) => prefix > longest ? withoutPrefix(heads, seq + prefix, batch ?? 1) : whole(heads, prefix, seq, batch);
}
function ofGrid(grid, bound) {
  return grid && ofCloud(3, gridPoints(grid, bound));
}
function* gridPoints(grid, bound) {
  const { heads, rowStart, rows, leafStart, leaves, values } = grid;
  for (let h = 0; h < heads.length; h++) {
    for (let r = rowStart[h]; r < rowStart[h + 1]; r++) {
      for (let l = leafStart[r]; l < leafStart[r + 1]; l++) {
        yield [
          heads[h],
          rows[r],
          leaves[l],
          bound.ms(heads[h], rows[r], leaves[l]),
          values[l]
        ];
      }
    }
  }
}
function ofCurve(curve, bound) {
  return curve && ofCloud(1, Array.from(curve.keys, (key, i) => [
    key,
    bound(key),
    curve.values[i]
  ]));
}
function scaled(utilisation, factor) {
  return utilisation && ((a, b, c) => utilisation(a, b, c) * factor);
}

// lib/timing/aic/moe_utilisations.ts
var LOW_LATENCY_TOKENS2 = 128;
var MoeUtilisations = class {
  #set;
  #hardware;
  #allowed;
  constructor(set, allowed) {
    this.#set = set;
    this.#hardware = set.header.hardware;
    this.#allowed = allowed;
  }
  /**
   * Of experts: of the shape itself, else of the nearest shape in the same number format, or in one of its size and
   * speed, or in the most similar one; all of them spread over ranks in the same way.
   */
  of(spec) {
    const { mode } = spec;
    const own = this.#ofShape(mode, mode, this.#shapeName(spec, mode), spec);
    if (own !== void 0) return this.#withLowLatency(spec, own);
    const wanted = MOE_MODES[mode];
    const others = measuredModes(this.#set, "moe", MOE_MODES).filter((other) => other !== mode);
    if (this.#allowed.has("xshape")) {
      const near = this.#nearest(spec, [
        mode
      ]);
      if (near !== void 0) return this.#ofShape(near.mode, mode, near.name, spec);
    }
    if (this.#allowed.has("xquant")) {
      const near = this.#nearest(spec, others.filter((other) => sameProfile(MOE_MODES[other], wanted)));
      if (near !== void 0) return this.#ofShape(near.mode, mode, near.name, spec);
    }
    if (!this.#allowed.has("xprofile")) return void 0;
    for (const other of byLikeness("moe", wanted, others, MOE_MODES, this.#hardware)) {
      const near = this.#nearest(spec, [
        other
      ]);
      if (near === void 0) continue;
      return scaled(this.#ofShape(other, other, near.name, spec), formatRatio("moe", wanted, MOE_MODES[other]));
    }
    return void 0;
  }
  /** Small batches of NVFP4 experts take after their own kernel. */
  #withLowLatency(spec, usual) {
    if (spec.mode !== "nvfp4" || spec.gated === false) return usual;
    const name = this.#shapeName(spec, spec.mode);
    const bound = this.#bound(spec, sizesOf(name), "nvfp4");
    const small = ofCurve(this.#set.member("moe_low_latency/nvfp4")?.curve(name), (tokens) => bound.ms(tokens));
    return small === void 0 ? usual : (tokens, b, c) => (tokens <= LOW_LATENCY_TOKENS2 ? small : usual)(tokens, b, c);
  }
  /** The routing that experts of a format were measured with, as near to the wanted one as there is. */
  #distribution({ distribution }, mode) {
    const names = this.#set.member(`moe/${mode}`)?.names() ?? [];
    return names.some((name) => name.startsWith(`${distribution}|`)) ? distribution : "uniform";
  }
  #shapeName(spec, mode) {
    const { topk, experts: experts2, hidden, inter, moeTensor, moeExpert } = spec;
    return [
      this.#distribution(spec, mode),
      topk,
      experts2,
      hidden,
      inter,
      moeTensor,
      moeExpert
    ].join("|");
  }
  /** The measurements of one shape and mode against the bound of another mode. */
  #ofShape(measured, bounded, name, spec) {
    const curve = this.#set.member(`moe/${measured}`)?.curve(name);
    if (curve === void 0) return void 0;
    const bound = this.#bound(spec, sizesOf(name), bounded);
    return ofCurve(curve, (tokens) => bound.ms(tokens));
  }
  #bound(spec, [topk, experts2, hidden, inter], mode) {
    const { moeTensor, moeExpert, gated = true } = spec;
    const shape = {
      topk,
      experts: experts2,
      hidden,
      inter,
      moeTensor,
      moeExpert,
      gated
    };
    return new MoeBound(this.#hardware, shape, MOE_MODES[mode], mode);
  }
  #nearest(spec, modes) {
    const spread = `|${spec.moeTensor}|${spec.moeExpert}`;
    const candidates = modes.flatMap((mode) => {
      const routed = `${this.#distribution(spec, mode)}|`;
      return (this.#set.member(`moe/${mode}`)?.names() ?? []).filter((name) => name.startsWith(routed) && name.endsWith(spread)).map((name) => ({
        mode,
        name,
        sizes: sizesOf(name)
      })).sort((a, b) => compareSizes(a.sizes, b.sizes));
    });
    const { topk, experts: experts2, hidden, inter } = spec;
    return candidates[nearestShape2([
      topk,
      experts2,
      hidden,
      inter
    ], candidates.map(({ sizes }) => sizes))];
  }
};
function sizesOf(name) {
  return name.split("|").slice(1, 5).map(Number);
}
function compareSizes(a, b) {
  const at = a.findIndex((size2, i) => size2 !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
}

// lib/timing/aic/measured_utilisations.ts
var COMMON_HEAD_SIZE = 128;
var MeasuredUtilisations = class {
  #set;
  #hardware;
  #allowed;
  #gemm = /* @__PURE__ */ new Map();
  #moe;
  constructor(set, allowed) {
    this.#set = set;
    this.#hardware = set.header.hardware;
    this.#allowed = allowed;
    this.#moe = new MoeUtilisations(set, allowed);
  }
  of(spec) {
    const set = this.#set;
    const hardware = this.#hardware;
    switch (spec.kind) {
      case "gemm":
        return this.#gemmUtilisation(spec.mode === "fp8_static" ? "fp8" : spec.mode);
      case "moe":
        return this.#moe.of(spec);
      case "context_attention":
      case "generation_attention":
        return this.#attentionUtilisation(spec);
      case "context_mla":
        return ofGrid(set.member("context_mla")?.grid(`${spec.fmha}|${spec.kv}`), new ContextMlaBound(hardware, spec.fmha, spec.kv));
      case "generation_mla":
        return ofGrid(set.member("generation_mla")?.grid(spec.kv), new GenerationMlaBound(hardware, spec.kv));
      case "mla_context_module":
      case "mla_generation_module":
        return this.#moduleUtilisation(spec);
      case "mla_bmm": {
        const operation = spec.pre ? "mla_gen_pre" : "mla_gen_post";
        const member = set.member("mla_bmm");
        const named = (of) => `${operation}|${spec.mode}|${of}`;
        const heads = member?.has(named(spec.heads)) ? spec.heads : 2 ** Math.ceil(Math.log2(spec.heads));
        const curve = member?.curve(named(heads));
        const bound = new MlaBmmBound(hardware, heads, spec.mode);
        return ofCurve(curve, (tokens) => bound.ms(tokens));
      }
      case "dsa":
      case "dsv4": {
        return ofModule(moduleEstimate(spec, hardware, set.header.backend, set));
      }
      case "msa":
        return this.#allowed.has("xop") ? this.#msaUtilisation(spec) : void 0;
      case "mhc": {
        const bound = new MhcBound(spec, hardware);
        const curve = set.member("mhc")?.curve(`${spec.part}|${spec.streams}|${spec.hidden}`);
        return ofCurve(curve, (tokens) => bound.ms(tokens));
      }
      default:
        return void 0;
    }
  }
  /** Of MiniMax sparse attention: what DeepSeek sparse attention with as many heads reaches at the same place. */
  #msaUtilisation({ phase, heads, fmha, kv, mode }) {
    const like = {
      ...{
        kind: "dsa",
        name: "like",
        count: 1,
        architecture: "GlmMoeDsaForCausalLM",
        picked: 2048,
        indexed: 1
      },
      ...{
        phase,
        heads,
        fmha,
        kv,
        mode,
        weightBytes: 0
      }
    };
    const operator = dsaOperator(like, this.#hardware, this.#set);
    const { bound } = moduleEstimate(like, this.#hardware, this.#set.header.backend);
    const reached = (batch, seq, prefix) => bound(batch, seq, prefix) / operator.ms(batch * seq, batch, seq, prefix, 1);
    if (Number.isNaN(reached(1, 1, 0))) return void 0;
    return phase === "context" ? (_, prefix, seq, batch = 1) => reached(batch, seq, prefix) : (_, batch, known) => reached(batch, known, 0);
  }
  ofSkipping(spec) {
    return ofModule(moduleEstimate(spec, this.#hardware, this.#set.header.backend, this.#set, true));
  }
  /** Groups larger than any that was measured come as close to their bound as the largest one. */
  ofCollective(operation, comm, gpus) {
    const summing = operation === "all_reduce";
    const member = this.#set.member(summing ? "all_reduce" : `nccl/${comm}`);
    const prefix = summing ? "" : `${operation}|`;
    const measured = (member?.names() ?? []).filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(prefix.length))).filter((size3) => size3 <= gpus);
    const size2 = Math.max(...measured);
    const bandwidth = peerBandwidth(this.#hardware, size2);
    const bytes = COMM_MODES[comm] * (summing ? 2 : 1);
    return ofCurve(member?.curve(`${prefix}${size2}`), (elements) => elements * bytes * (size2 - 1) / size2 / bandwidth * 1e3);
  }
  /** Of the kernels around statically quantised products; the one that finds scales follows its nearest measurement alone. */
  ofScaling(table2) {
    const grid = this.#set.member(table2)?.grid("fp8");
    if (grid === void 0) return void 0;
    const bound = new ScalingBound(this.#hardware, table2);
    const points = [
      ...gridPoints(grid, {
        ms: (_, m, k) => bound.ms(m, k)
      })
    ].map(([, ...rest]) => rest);
    return table2 === "computescale" ? ofCloud(2, points, {
      neighbours: 1,
      free: true
    }) : ofCloud(2, points);
  }
  /** Of products: of the format itself, else of one of its size and speed, else of the most similar one. */
  #gemmUtilisation(mode) {
    if (!this.#gemm.has(mode)) this.#gemm.set(mode, this.#gemmLadder(mode));
    return this.#gemm.get(mode);
  }
  #gemmLadder(mode) {
    const own = this.#gemmCloud(mode, mode);
    if (own !== void 0) return own;
    const wanted = GEMM_MODES[mode];
    const others = measuredModes(this.#set, "gemm", GEMM_MODES);
    if (this.#allowed.has("xquant")) {
      const alike = others.find((other) => sameProfile(GEMM_MODES[other], wanted));
      if (alike !== void 0) return this.#gemmCloud(alike, mode);
    }
    if (!this.#allowed.has("xprofile")) return void 0;
    const [nearest] = byLikeness("gemm", wanted, others, GEMM_MODES, this.#hardware);
    if (nearest === void 0) return void 0;
    return scaled(this.#gemmCloud(nearest, nearest), formatRatio("gemm", wanted, GEMM_MODES[nearest]));
  }
  /** The measurements of one mode against the bound of another. */
  #gemmCloud(measured, bounded) {
    const bound = new GemmBound(this.#hardware, bounded);
    const sites = this.#set.member(`gemm/${measured}`)?.sites();
    return sites && ofCloud(3, gemmPoints(sites, bound));
  }
  /** Of attention: of the shape itself with its window, else with another head size; then the same without a window. */
  #attentionUtilisation(spec) {
    const { heads, headSize, window, kv } = spec;
    const kvHeads = spec.kvHeads === heads ? 0 : spec.kvHeads;
    const context = spec.kind === "context_attention";
    const member = this.#set.member(context ? `context_attention/${spec.fmha}/${kv}` : `generation_attention/${kv}`);
    if (member === void 0) return void 0;
    const of = (size2, looksBack) => {
      const shape = {
        kvHeads,
        headSize: size2,
        window: looksBack
      };
      const grid = member.grid(`${kvHeads}|${size2}|${looksBack}`);
      return ofGrid(grid, context ? new ContextAttentionBound(this.#hardware, shape, spec.fmha, kv) : new GenerationAttentionBound(this.#hardware, shape, kv));
    };
    const sizes = this.#allowed.has("xshape") ? headSizes(member, kvHeads) : [];
    const reference = sizes.includes(COMMON_HEAD_SIZE) ? COMMON_HEAD_SIZE : sizes[nearestShape2([
      headSize
    ], sizes.map((size2) => [
      size2
    ]))];
    for (const looksBack of window > 0 ? [
      window,
      0
    ] : [
      0
    ]) {
      const own = of(headSize, looksBack);
      if (own !== void 0) return own;
      const other = reference === void 0 ? void 0 : of(reference, looksBack);
      if (other === void 0) continue;
      return context ? scaled(other, headSizeRatio(this.#set.header.backend, headSize, reference)) : other;
    }
    return void 0;
  }
  #moduleUtilisation(spec) {
    const { fmha, kv, mode, nativeHeads } = spec;
    const context = spec.kind === "mla_context_module";
    const modes = context ? `${fmha}|${kv}|${mode}|` : `${kv}|${mode}|`;
    const member = this.#set.member(spec.kind);
    const natives = (member?.names() ?? []).filter((known) => known.startsWith(modes)).map((known) => Number(known.slice(modes.length)));
    const name = `${modes}${closestBelow(natives, nativeHeads)}`;
    const bound = context ? new ContextMlaBound(this.#hardware, fmha, kv) : new GenerationMlaBound(this.#hardware, kv, mode);
    return ofGrid(member?.grid(name), bound);
  }
};
function gemmPoints(sites, bound) {
  const points = [];
  for (let i = 0; i < sites.length; i++) {
    const { n, k, keys, values } = sites.site(i);
    for (let j = 0; j < keys.length; j++) points.push([
      keys[j],
      n,
      k,
      bound.ms(keys[j], n, k),
      values[j]
    ]);
  }
  return points.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
}
function headSizes(member, kvHeads) {
  const sizes = member.names().map((name) => name.split("|").map(Number)).filter(([known]) => known === kvHeads).map(([, size2]) => size2);
  return [
    ...new Set(sizes)
  ].sort((a, b) => a - b);
}

// lib/timing/aic/deployment.ts
var DEPLOYMENT_OPTIONS = {
  hardware: true,
  backend: true,
  backendVersion: true,
  tensor: true,
  pipeline: true,
  attentionData: true,
  moeTensor: true,
  moeExpert: true,
  quant: true,
  nextn: true,
  databaseMode: true,
  transferPolicy: true,
  fmhaFallback: true
};
var QUANT_OPTIONS = {
  gemm: true,
  moe: true,
  kvcache: true,
  fmha: true,
  comm: true
};
var BACKENDS = [
  "vllm",
  "sglang",
  "trtllm"
];
var Deployment = class _Deployment {
  /** The model. */
  facts;
  /** The GPU system. */
  hardware;
  /** Serving framework. */
  backend;
  /** How a worker is spread over GPUs. */
  parallelism;
  /** Depth of multi-token prediction. */
  nextn;
  /** How operators are estimated. */
  databaseMode;
  #transfers;
  #options;
  /** Systems and measurements that it was made with. */
  catalog;
  #model;
  #modes;
  /**
   * A deployment whose measurements come from `catalog`.
   *
   * @throws {ConfigError} when the hardware, the backend or its version is not known, or the model cannot be split that
   *   way.
   */
  constructor(facts, options, catalog) {
    checkOptions("Deployment", options, DEPLOYMENT_OPTIONS);
    if (options.quant) checkOptions("Deployment: quant", options.quant, QUANT_OPTIONS);
    for (const size2 of [
      "tensor",
      "pipeline",
      "attentionData",
      "moeTensor",
      "moeExpert"
    ]) {
      checkNumber(`Deployment: ${size2}`, options[size2], {
        least: 1,
        most: 65536,
        whole: true
      });
    }
    checkNumber("Deployment: nextn", options.nextn, {
      least: 0,
      whole: true
    });
    const { backend = "vllm", nextn = 0 } = options;
    if (!BACKENDS.includes(backend)) {
      throw new ConfigError(`unknown backend '${backend}' (known: ${BACKENDS.join(", ")})`);
    }
    this.facts = facts;
    const { hardware, backends } = catalog.system(options.hardware);
    this.hardware = hardware;
    if (Object.hasOwn(backends, backend)) catalog.version(hardware.name, backend, options.backendVersion ?? null);
    this.backend = backend;
    this.nextn = nextn;
    this.databaseMode = databaseMode(options.databaseMode);
    this.#transfers = transferKinds(options.transferPolicy);
    this.parallelism = {
      tensor: options.tensor ?? 1,
      pipeline: options.pipeline ?? 1,
      attentionData: options.attentionData ?? 1,
      moeTensor: options.moeTensor ?? 1,
      moeExpert: options.moeExpert ?? 1
    };
    this.#options = options;
    this.catalog = catalog;
    this.#lists(chooseModes(facts, this.#serving(), options.quant));
  }
  /** The same deployment, its operators estimated in another way. */
  inMode(databaseMode2) {
    return new _Deployment(this.facts, {
      ...this.#options,
      databaseMode: databaseMode2
    }, this.catalog);
  }
  /** The same deployment with other quantisation modes; those that are not named follow from the checkpoint. */
  quantised(quant) {
    return new _Deployment(this.facts, {
      ...this.#options,
      quant: {
        ...this.#options.quant,
        ...quant
      }
    }, this.catalog);
  }
  /** Version of the backend whose measurements count. */
  get backendVersion() {
    return this.catalog.version(this.hardware.name, this.backend, this.#options.backendVersion ?? null);
  }
  /** Quantisation modes; asking loads the measurements when the attention mode depends on what was measured. */
  get modes() {
    return this.#modes ??= chooseModes(this.facts, this.#serving(), this.#options.quant, this.#options.fmhaFallback === false || this.databaseMode === "SOL" ? void 0 : (fmha, kvcache) => this.#measured(fmha, kvcache));
  }
  /** Quantisation modes as the checkpoint and the options imply them, whatever was measured. */
  get impliedModes() {
    return chooseModes(this.facts, this.#serving(), this.#options.quant);
  }
  /** Bytes that a sequence of one token takes in one rank's cache. */
  get kvBytesPerToken() {
    const { facts, hardware, backend, parallelism } = this;
    const kv = this.impliedModes.kvcache;
    return requireFamily(facts).memory.cache({
      facts,
      own: facts.own,
      hardware,
      backend,
      parallelism,
      kv
    }).bytes(1);
  }
  /**
   * Operators of a pass over prompts and of a decode step.
   *
   * @internal
   */
  get lists() {
    return this.#lists(this.modes);
  }
  /**
   * Estimates of forward passes; the same object every time.
   *
   * @throws {ConfigError} when the measurements are not on this machine.
   */
  forwardPassModel() {
    return this.#model ??= new ForwardPassModel(this.#operatorFactory(), this.lists, this.nextn);
  }
  /**
   * What gives operators their times and their energies; null when no power was measured. What is estimated instead of
   * measured has no energy.
   *
   * @internal
   */
  energyFactories() {
    if (this.databaseMode !== "SILICON" && this.databaseMode !== "HYBRID") return null;
    const tables = this.catalog.energies(this.#setName);
    if (tables === void 0) return null;
    const measured = new MeasuredOperatorFactory(tables);
    const energies = this.databaseMode === "SILICON" ? measured : new HybridOperatorFactory(measured);
    return {
      times: this.#operatorFactory(),
      energies
    };
  }
  /**
   * Passes at the bound of the hardware, or of its arithmetic or memory alone; needs no measurements.
   *
   * @internal
   */
  boundModel(part) {
    const { hardware, backend } = this, lists = this.inMode("SOL").lists;
    return new ForwardPassModel(boundFactory(part, hardware, backend), lists, this.nextn);
  }
  /** KV capacity of one rank; needs no measurements. */
  kvCapacity(request) {
    const { facts, hardware, backend, parallelism } = this;
    const modes = this.impliedModes;
    const operators = this.#lists(modes, 0).context;
    const gemmFixed = this.#gemmFixed;
    return kvCapacity({
      facts,
      hardware,
      backend,
      parallelism,
      modes,
      gemmFixed,
      operators
    }, request);
  }
  #serving() {
    const { backend, hardware } = this;
    const measured = Object.hasOwn(this.catalog.system(hardware.name).backends, backend);
    return {
      backend,
      hardware,
      backendVersion: measured ? this.backendVersion : null
    };
  }
  #operatorFactory() {
    const { hardware, backend } = this;
    if (this.databaseMode === "SOL") {
      return new BoundOperatorFactory(withoutLosses(hardware), backend, AT_THE_BOUND, this.#setIfThere()?.ownTables());
    }
    const set = this.#set();
    const measured = new MeasuredOperatorFactory(set);
    if (this.databaseMode === "SILICON") return measured;
    const tables = this.databaseMode === "EMPIRICAL" ? set.ownTables() : set;
    const utilisations = new MeasuredUtilisations(tables, this.#transfers);
    const empirical = new BoundOperatorFactory(set.header.hardware, backend, utilisations, tables);
    return this.databaseMode === "EMPIRICAL" ? empirical : new HybridOperatorFactory(measured, empirical);
  }
  /** Whether attention over prompts was measured in these modes. */
  #measured(fmha, kvcache) {
    const set = this.#set();
    const modes = {
      ...chooseModes(this.facts, this.#serving(), this.#options.quant),
      fmha,
      kvcache
    };
    return this.#lists(modes).context.some((spec) => measuredAttention(set, spec));
  }
  #lists(modes, nextn = this.nextn) {
    const { facts, hardware, backend, parallelism } = this;
    const gemmFixed = this.#gemmFixed;
    return operatorLists({
      facts,
      hardware,
      backend,
      parallelism,
      modes,
      nextn,
      gemmFixed
    });
  }
  get #gemmFixed() {
    return Boolean(this.#options.quant?.gemm);
  }
  #setIfThere() {
    try {
      return this.#set();
    } catch (problem) {
      if (problem instanceof ConfigError) return void 0;
      throw problem;
    }
  }
  #set() {
    return this.catalog.load(this.#setName);
  }
  get #setName() {
    return {
      system: this.hardware.name,
      backend: this.backend,
      version: this.backendVersion
    };
  }
};
function measuredAttention(set, spec) {
  switch (spec.kind) {
    case "context_attention":
      return Object.hasOwn(set.header.members, `context_attention/${spec.fmha}/${spec.kv}`);
    case "context_mla":
      return set.member(spec.kind)?.has(`${spec.fmha}|${spec.kv}`) ?? false;
    case "mla_context_module": {
      const slice = `${spec.fmha}|${spec.kv}|`;
      return set.member(spec.kind)?.names().some((name) => name.startsWith(slice)) ?? false;
    }
    case "fallback":
      return [
        spec.primary,
        ...spec.list
      ].some((inner) => measuredAttention(set, inner));
    default:
      return false;
  }
}

// lib/timing/aic/model_facts.ts
function modelFacts(config, hfQuantConfig = {}) {
  const architecture = String(config.architectures?.[0] ?? "");
  const family = familyOf(architecture);
  const nested = isJson(config.text_config) && family?.nested?.includes(architecture) ? config.text_config : null;
  const text = nested ?? (isJson(config.text_config) ? {
    ...config,
    ...config.text_config
  } : config);
  const parts = checkpointParts(config, hfQuantConfig, nested);
  const heads = wholeOr0(text.num_attention_heads);
  const hidden = wholeOr0(text.hidden_size);
  const inter = wholeOr0(text.intermediate_size);
  const experts2 = firstWhole(text, [
    "num_local_experts",
    "n_routed_experts",
    "moe_num_experts",
    "num_experts"
  ]);
  const facts = {
    architecture,
    family: family?.name ?? null,
    layers: wholeOr0(text.num_hidden_layers) || text.layers_block_type?.length || text.hybrid_override_pattern?.length || 0,
    hidden,
    heads,
    kvHeads: wholeOr0(text.num_key_value_heads),
    headSize: firstWhole(text, [
      "head_dim",
      "attention_head_dim"
    ]) || (heads > 0 ? Math.floor(hidden / heads) : 0),
    inter,
    vocab: wholeOr0(text.vocab_size),
    topk: text.num_experts_per_tok === 0 ? 0 : firstWhole(text, [
      "num_experts_per_tok",
      "num_experts_per_token",
      "top_k_experts",
      "moe_top_k"
    ]),
    experts: experts2,
    moeInter: wholeOr0(text.moe_intermediate_size) || inter,
    latent: latentFacts(text),
    contextLength: contextLengthOf(config),
    storedType: config.torch_dtype ?? config.dtype ?? text.torch_dtype ?? text.dtype ?? null,
    quant: checkpointQuant(parts, hfQuantConfig),
    own: null,
    problem: null
  };
  if (family === void 0) return facts;
  try {
    requireSizes(text, facts);
    return {
      ...facts,
      own: family.own?.(text, facts, parts, config) ?? null
    };
  } catch (problem) {
    if (problem instanceof ConfigError) return {
      ...facts,
      problem: problem.message
    };
    throw problem;
  }
}
var SIZES = [
  [
    "layers",
    "num_hidden_layers"
  ],
  [
    "hidden",
    "hidden_size"
  ],
  [
    "heads",
    "num_attention_heads"
  ],
  [
    "vocab",
    "vocab_size"
  ]
];
var OPTIONAL_SIZES = [
  "head_dim",
  "intermediate_size",
  "num_key_value_heads",
  "moe_intermediate_size"
];
function requireSizes(text, facts) {
  for (const field of OPTIONAL_SIZES) {
    const value = text[field];
    if (value == null || Number.isInteger(value) && value >= 0) continue;
    if (Array.isArray(value)) continue;
    throw new ConfigError(`'${field}' in the model's config.json is ${JSON.stringify(value)}; expected a whole number`);
  }
  for (const [fact, field] of SIZES) {
    if (facts[fact] > 0) continue;
    const found2 = text[field] === void 0 ? "is missing" : `is ${JSON.stringify(text[field])}`;
    throw new ConfigError(`'${field}' in the model's config.json ${found2}; expected a whole number from 1`);
  }
}
function latentFacts(text) {
  const kvRank = wholeOr0(text.kv_lora_rank);
  if (kvRank === 0) return null;
  return {
    kvRank,
    ropeSize: wholeOr0(text.qk_rope_head_dim),
    valueSize: wholeOr0(text.v_head_dim)
  };
}
var CONTEXT_KEYS = [
  "max_position_embeddings",
  "model_max_length",
  "max_sequence_length",
  "seq_length",
  "n_positions"
];
function contextLengthOf(config) {
  const places = isJson(config.text_config) ? [
    config.text_config,
    config
  ] : [
    config
  ];
  for (const place of places) {
    const found2 = firstWhole(place, CONTEXT_KEYS);
    if (found2 > 0) return found2;
  }
  return null;
}
var wholeOr0 = (value) => Number.isInteger(value) && value > 0 ? value : 0;
function firstWhole(place, keys) {
  for (const key of keys) {
    if (wholeOr0(place[key]) > 0) return place[key];
  }
  return 0;
}

// lib/io/python_json.ts
function parsePythonJson(text) {
  try {
    return JSON.parse(text);
  } catch (problem) {
    const plain = text.replace(/(?<=[[:,\s])-?(?:Infinity|NaN)(?=\s*[,\]}])/g, "null");
    if (plain === text) throw problem;
    return JSON.parse(plain);
  }
}

// lib/io/model_files.ts
var CONFIG = "config.json";
var QUANT_CONFIG = "hf_quant_config.json";
function modelConfigInFolder(folder) {
  const base = folder.replace(/\/+$/, "");
  const config = parsed(`${base}/${CONFIG}`);
  if (config === void 0) return void 0;
  return {
    config,
    hfQuantConfig: parsed(`${base}/${QUANT_CONFIG}`),
    from: base
  };
}
function parsed(path) {
  const text = readTextIfThere(path);
  if (text === void 0) return void 0;
  try {
    const value = parsePythonJson(text);
    if (isMapping(value)) return value;
    throw new SyntaxError("it is not a JSON object");
  } catch (problem) {
    throw new SyntaxError(`Cannot parse ${path}: ${problem.message}`);
  }
}
function modelConfigInHubCache(model) {
  const user = environment("HOME") || environment("USERPROFILE");
  const home = environment("HF_HOME") || user && `${user}/.cache/huggingface`;
  const cache = environment("HF_HUB_CACHE") || home && `${home}/hub`;
  if (!cache) return void 0;
  const folder = `${cache}/models--${model.replaceAll("/", "--")}`;
  const revision = readTextIfThere(`${folder}/refs/main`)?.trim();
  return revision === void 0 ? void 0 : modelConfigInFolder(`${folder}/snapshots/${revision}`);
}
async function modelConfigFromHub(model) {
  const offline = environment("HF_HUB_OFFLINE");
  if (offline && offline !== "0") throw new Error(`HF_HUB_OFFLINE=${offline}`);
  if (!/^[\w.-]+\/[\w.-]+$/.test(model)) throw new Error("not a name of the form <organisation>/<model>");
  const hub = (environment("HF_ENDPOINT") || "https://huggingface.co").replace(/\/+$/, "");
  const at = (file) => `${hub}/${model}/resolve/main/${file}`;
  const config = await fetched(at(CONFIG));
  if (config === void 0) throw new Error(`${at(CONFIG)} does not exist`);
  return {
    config,
    hfQuantConfig: await fetched(at(QUANT_CONFIG)),
    from: at(CONFIG)
  };
}
async function fetched(url) {
  const token = environment("HF_TOKEN");
  const answer2 = await fetch(url, {
    headers: token ? {
      authorization: `Bearer ${token}`
    } : {},
    signal: AbortSignal.timeout(15e3)
  });
  if (answer2.status === 404) {
    await answer2.body?.cancel();
    return void 0;
  }
  if (!answer2.ok) {
    await answer2.body?.cancel();
    throw new Error(`${url} answered ${answer2.status} ${answer2.statusText}`.trim());
  }
  return parsePythonJson(await answer2.text());
}

// lib/timing/aic/model_sources.ts
var table;
function shippedTable() {
  return table ??= JSON.parse(readTextIfThere(new URL("models.json", SHIPPED_DATA)) ?? "{}");
}
function shippedModels() {
  return Object.keys(shippedTable());
}
function findModel(model) {
  try {
    const folder = modelConfigInFolder(model);
    if (folder) return found(model, folder);
    const shipped = shippedTable();
    if (Object.hasOwn(shipped, model)) return {
      name: model,
      facts: shipped[model],
      from: "shipped"
    };
    const cached = modelConfigInHubCache(model);
    return cached && found(model, cached);
  } catch (problem) {
    if (problem instanceof SyntaxError) throw new ConfigError(problem.message, [], {
      cause: problem
    });
    throw problem;
  }
}
async function loadModel(model) {
  const local = findModel(model);
  if (local) return local;
  try {
    return found(model, await modelConfigFromHub(model));
  } catch (problem) {
    throw unknownModel(model, problem);
  }
}
function unknownModel(model, cause) {
  const near = nearName(model, shippedModels());
  const reason = cause instanceof Error ? cause.message.split("\n")[0].replace(/[.;,\s]+$/, "") : "not on this machine";
  const message = `could not load Hugging Face config for '${model}' (${reason}); ` + (near ? `did you mean '${near}'? Else ` : "") + "give a folder that holds its config.json, or one of the models that come with the tool";
  return new ConfigError(message, [
    {
      path: "model",
      message
    }
  ], {
    cause
  });
}
function maxContextLength({ name, facts }) {
  if (facts.contextLength !== null) return facts.contextLength;
  throw new ConfigError(`Hugging Face config for '${name}' does not declare a maximum context length`);
}
function found(name, files) {
  return {
    name,
    facts: modelFacts(files.config, files.hfQuantConfig),
    from: files.from
  };
}

// lib/timing/aic/operator_timing.ts
var DECODE_QUESTION = {
  engine: {
    beyond: 0,
    floorMs: 0
  },
  dynamo: {
    beyond: 1,
    floorMs: 1
  }
};
var OperatorTiming = class {
  #model;
  /** Tokens that a sequence adds to the batch of a decode step: itself and its drafts. */
  #width;
  #beyond;
  #floorMs;
  ranks;
  constructor(model, stack, { tensor, attentionData }) {
    this.#model = model;
    this.ranks = {
      tensor,
      attentionData
    };
    this.#width = model.nextn + 1;
    this.#beyond = DECODE_QUESTION[stack].beyond;
    this.#floorMs = DECODE_QUESTION[stack].floorMs;
  }
  prefillMs(requests, newTokens, prefixTokens) {
    if (requests === 0 || newTokens === 0) return 0;
    return this.#model.contextMs(requests, newTokens, prefixTokens);
  }
  decodeMs(requests, contextTokens) {
    if (requests === 0) return 0;
    const length = Math.floor(contextTokens / requests) + this.#beyond;
    return Math.max(this.#model.generationMs(requests * this.#width, length), this.#floorMs);
  }
};
function operatorTiming(deployment, options = {}) {
  checkOptions("operatorTiming()", options, {
    stack: true
  });
  return new OperatorTiming(deployment.forwardPassModel(), options.stack ?? "dynamo", deployment.parallelism);
}
var DEPLOY_OPTIONS = {
  model: true,
  ...DEPLOYMENT_OPTIONS
};
function deploy(options, catalog = new PerfCatalog()) {
  checkOptions("deploy()", options, DEPLOY_OPTIONS);
  const { model, ...rest } = options;
  const found2 = typeof model === "string" ? findModel(model) : model;
  if (found2 === void 0) throw unknownModel(model);
  return new Deployment(found2.facts, rest, catalog);
}

// lib/timing/aic/estimator_identity.ts
function deployIdentity(identity, catalog, found2) {
  return deploy({
    model: found2 ?? identity.model,
    hardware: identity.system,
    backend: identity.backend,
    backendVersion: identity.backend_version,
    tensor: identity.tp,
    pipeline: identity.pp,
    attentionData: identity.attention_dp,
    moeTensor: identity.moe_tp,
    moeExpert: identity.moe_ep,
    nextn: identity.nextn,
    quant: {
      gemm: identity.gemm_quant_mode,
      moe: identity.moe_quant_mode,
      kvcache: identity.kvcache_quant_mode,
      fmha: identity.fmha_quant_mode,
      comm: identity.comm_quant_mode
    },
    databaseMode: identity.database_mode,
    transferPolicy: identity.transfer_policy
  }, catalog);
}

// lib/timing/aic/probes.ts
var USUAL = {
  promptTokens: 2048,
  contextTokens: 2048,
  batch: 32,
  passTokens: Infinity
};
function probes({ promptTokens, contextTokens, batch, passTokens } = USUAL) {
  const fresh = Math.min(promptTokens, passTokens);
  const decode = (sequences) => {
    return {
      num_decode_requests: sequences,
      sum_decode_kv_tokens: sequences * contextTokens
    };
  };
  return [
    {
      num_prefill_requests: 1,
      sum_prefill_tokens: fresh,
      sum_prefill_kv_tokens: promptTokens - fresh
    },
    decode(1),
    ...batch > 1 ? [
      decode(batch)
    ] : []
  ];
}
function smallestAndLargest(loads) {
  const kinds = /* @__PURE__ */ new Map();
  for (const load of loads) {
    const { num_decode_requests: decodes = 0, num_prefill_requests: prompts = 0 } = load;
    const kind = `${prompts > 0} ${decodes > 0}`;
    kinds.set(kind, [
      ...kinds.get(kind) ?? [],
      load
    ]);
  }
  return [
    ...kinds.values()
  ].flatMap((alike) => {
    const sorted = alike.toSorted((a, b) => tokensOf(a) - tokensOf(b));
    return [
      .../* @__PURE__ */ new Set([
        sorted[0],
        sorted[sorted.length - 1]
      ])
    ];
  });
}
var tokensOf = ({ sum_prefill_tokens: fresh = 0, num_decode_requests: decodes = 0 }) => fresh + decodes;
function passText(load) {
  const { num_decode_requests: decodes = 0, sum_prefill_tokens: fresh = 0, sum_prefill_kv_tokens: prior = 0 } = load;
  if (decodes > 0) return fresh > 0 ? "a mixed pass" : `a decode step of ${decodes}`;
  return prior > 0 ? `a pass over ${fresh} tokens of a prompt after ${prior}` : `a prompt of ${fresh} tokens`;
}

// lib/timing/aic/readings.ts
function readingsOf(spec, at, set) {
  const { tokens, batch, seq, prefix } = at;
  const grid = (table2, slice, axes) => read(table2, slice, set.member(table2)?.levels(slice), axes);
  const curve = (table2, slice, axes) => read(table2, slice, asKeys(set.member(table2)?.curve(slice)), axes);
  switch (spec.kind) {
    case "gemm":
      return gemmReadings(spec, tokens, set);
    case "context_attention":
      return grid(`${spec.kind}/${spec.fmha}/${spec.kv}`, attentionSlice(spec), promptAxes(spec.heads, batch, seq + prefix));
    case "generation_attention":
      return grid(`${spec.kind}/${spec.kv}`, attentionSlice(spec), decodeAxes(spec.heads, batch, seq));
    case "context_mla":
      return grid(spec.kind, `${spec.fmha}|${spec.kv}`, promptAxes(spec.heads, batch, seq + prefix));
    case "generation_mla":
      return grid(spec.kind, spec.kv, decodeAxes(spec.heads, batch, seq));
    case "moe": {
      const { topk, experts: experts2, hidden, inter, moeTensor, moeExpert, mode, attentionData } = spec;
      const table2 = `moe/${mode}`, shape = [
        topk,
        experts2,
        hidden,
        inter,
        moeTensor,
        moeExpert
      ].join("|");
      const named = [
        spec.distribution,
        "uniform"
      ].find((name) => set.member(table2)?.has(`${name}|${shape}`));
      return named === void 0 ? [] : curve(table2, `${named}|${shape}`, [
        [
          "tokens",
          tokens * attentionData
        ]
      ]);
    }
    case "all_reduce": {
      const { ranks, comm, width } = spec;
      return collectiveReadings(summedBy(set.header.hardware, ranks), comm, ranks, tokens * width, set);
    }
    case "moe_dispatch": {
      const { backend, hardware } = set.header;
      return (dispatchParts(spec, backend, hardware) ?? []).flatMap(({ operation, gpus, perToken }) => {
        const by = operation === "all_reduce" ? summedBy(hardware, gpus) : operation;
        return collectiveReadings(by, spec.comm, gpus, tokens * perToken, set);
      });
    }
    case "mla_context_module":
    case "mla_generation_module": {
      const { kind, fmha, kv, mode, nativeHeads, heads } = spec, prompts = kind === "mla_context_module";
      const modes = prompts ? `${fmha}|${kv}|${mode}|` : `${kv}|${mode}|`;
      const native = closestBelow(numbered(set.member(kind), modes), nativeHeads);
      const axes = prompts ? promptAxes(heads, batch, seq + prefix) : decodeAxes(heads, batch, seq);
      return native === void 0 ? [] : grid(kind, `${modes}${native}`, axes);
    }
    default:
      return [];
  }
}
var productSlice = (n, k) => `n ${n} k ${k} m`;
var promptAxes = (heads, batch, length) => [
  [
    "heads",
    heads
  ],
  [
    "tokens of a sequence",
    length
  ],
  [
    "sequences",
    batch
  ]
];
var decodeAxes = (heads, batch, length) => [
  [
    "heads",
    heads
  ],
  [
    "sequences",
    batch
  ],
  [
    "tokens of a sequence",
    length
  ]
];
var attentionSlice = (spec) => `${spec.kvHeads === spec.heads ? 0 : spec.kvHeads}|${spec.headSize}|${spec.window}`;
function gemmReadings({ mode, n, k }, m, set) {
  const table2 = `gemm/${mode === "fp8_static" ? "fp8" : mode}`, member = set.member(table2);
  if (member === void 0) return [];
  const sites = member.sites();
  for (let i = 0; i < sites.length; i++) {
    if (sites.n(i) === n && sites.k(i) === k) {
      return read(table2, productSlice(n, k), asKeys(sites.site(i)), [
        [
          "tokens",
          m
        ]
      ]);
    }
  }
  let reach = LARGEST.get(member);
  if (reach === void 0) LARGEST.set(member, reach = largest(sites));
  const { longest, widest, deepest } = reach;
  const far = [
    [
      "tokens",
      m,
      longest
    ],
    [
      "columns",
      n,
      widest
    ],
    [
      "rows",
      k,
      deepest
    ]
  ];
  const [axis, asked, measured] = far.reduce((a, b) => b[1] / b[2] > a[1] / a[2] ? b : a);
  return [
    {
      table: table2,
      beyond: asked / measured,
      axis,
      asked,
      measured
    }
  ];
}
function collectiveReadings(operation, comm, gpus, elements, set) {
  if (gpus <= 1) return [];
  const custom = operation === "custom";
  const table2 = custom ? "all_reduce" : `nccl/${comm}`, prefix = custom ? "" : `${operation}|`;
  const member = set.member(table2);
  const group = measuredGroup(numbered(member, prefix), gpus, set.header.hardware);
  const slice = `${prefix}${group}`;
  const [sizes] = read(table2, slice, asKeys(member?.curve(slice)), [
    [
      "elements",
      elements
    ]
  ]);
  if (sizes === void 0) return [];
  if (gpus / group <= Math.max(sizes.beyond, 1)) return [
    sizes
  ];
  return [
    {
      table: table2,
      slice,
      beyond: gpus / group,
      axis: "GPUs",
      asked: gpus,
      measured: group
    }
  ];
}
function numbered(member, prefix) {
  const names = member?.names() ?? [];
  return names.filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(prefix.length)));
}
var LARGEST = /* @__PURE__ */ new WeakMap();
function largest(sites) {
  let longest = 0, widest = 0, deepest = 0;
  for (let i = 0; i < sites.length; i++) {
    const { n, k, keys } = sites.site(i);
    longest = Math.max(longest, keys[keys.length - 1]);
    widest = Math.max(widest, n);
    deepest = Math.max(deepest, k);
  }
  return {
    longest,
    widest,
    deepest
  };
}
var asKeys = (curve) => curve && {
  keys: [
    curve.keys
  ],
  starts: []
};
function read(table2, slice, levels, axes) {
  if (levels === void 0) return [];
  const { keys, starts } = levels;
  let best = {
    table: table2,
    slice,
    beyond: Infinity,
    axis: "",
    asked: NaN,
    measured: NaN
  };
  const walk = (level2, from, to, so) => {
    const [axis, asked] = axes[level2];
    for (let i = to - 1; i >= from && best.beyond > 1; i--) {
      const measured = keys[level2][i], ratio = asked / measured;
      const here = ratio > so.beyond ? {
        table: table2,
        slice,
        beyond: ratio,
        axis,
        asked,
        measured
      } : so;
      if (here.beyond >= best.beyond) continue;
      if (level2 === keys.length - 1) best = here;
      else walk(level2 + 1, starts[level2][i], starts[level2][i + 1], here);
    }
  };
  walk(0, 0, keys[0].length, {
    ...best,
    beyond: 0
  });
  return best.beyond < Infinity ? [
    best
  ] : [];
}

// lib/timing/aic/evidence_check.ts
var SHARE = 0.25;
var FAR = 2;
function evidenceWarnings(deployment, loads) {
  const evidence = new Evidence(deployment);
  if (loads === void 0) return evidence.ofEach(probes());
  const what = loads.length === 1 ? "the pass" : `the ${loads.length} passes looked at`;
  return evidence.ofAll(what, loads.map((load) => ({
    load
  })));
}
var Evidence = class {
  #deployment;
  /** Null where nothing measured is read at its place. */
  #set;
  #flagged;
  #told = /* @__PURE__ */ new Set();
  constructor(deployment) {
    this.#deployment = deployment;
    const { hardware: { name: system }, backend, catalog, databaseMode: databaseMode2 } = deployment;
    const measured = databaseMode2 !== "SOL" && databaseMode2 !== "EMPIRICAL" && Object.hasOwn(catalog.system(system).backends, backend);
    const name = measured ? {
      system,
      backend,
      version: deployment.backendVersion
    } : null;
    this.#set = name && setIfThere(catalog, name);
    this.#flagged = name === null ? {} : catalog.flaggedTables(name);
  }
  /** Warnings about passes one by one. */
  ofEach(loads) {
    return this.#warnings(loads.map((load) => [
      passText(load),
      [
        {
          load
        }
      ]
    ]));
  }
  /** Warnings about the time of passes together. */
  ofAll(what, passes) {
    return this.#warnings([
      [
        what,
        passes
      ]
    ]);
  }
  #warnings(groups) {
    if (this.#set === null || this.#nothingAgainst(groups.flatMap(([, passes]) => passes))) return [];
    const far = [], doubted = [];
    const farReadings = /* @__PURE__ */ new Map(), doubtedTables = /* @__PURE__ */ new Map();
    for (const [what, passes] of groups) {
      const rows = passes.flatMap((pass) => this.#rows(pass));
      const total = sum(rows);
      if (!(total > 0)) continue;
      const beyond = rows.filter((row) => row.readings.some(isFar));
      if (sum(beyond) > total * SHARE) {
        far.push(`${percent(sum(beyond) / total)} of ${what}`);
        for (const [place, worst] of worstOf(beyond)) farReadings.set(place, placeOf(worst));
      }
      const wrong = rows.filter((row) => row.readings.some((reading) => this.#doubt(reading) !== void 0));
      if (sum(wrong) > total * SHARE) {
        doubted.push(`${percent(sum(wrong) / total)} of ${what} (${[
          ...new Set(wrong.map((row) => row.name))
        ].join(", ")})`);
        for (const { readings } of wrong) {
          for (const reading of readings) {
            const doubt = this.#doubt(reading);
            if (doubt !== void 0) doubtedTables.set(reading.table, `: ${doubt}`);
          }
        }
      }
    }
    const { hardware: { name }, backend } = this.#deployment;
    const about = `${name} ${backend}`;
    return [
      ...this.#new(farReadings) ? [
        `${about}: ${listed(far)} is extrapolated from measurements far away (${entries(farReadings)})`
      ] : [],
      ...this.#new(doubtedTables) ? [
        `${about}: ${listed(doubted)} rests on tables of which much cannot be right (${entries(doubtedTables)}); see perf-data check ${name}`
      ] : []
    ];
  }
  /**
   * Whether nothing that passes may read is doubted, or far from what all of them together ask for at most: most
   * deployments are done here, without timing a pass.
   */
  #nothingAgainst(passes) {
    const { context, generation } = this.#deployment.forwardPassModel().lists;
    const asked = mostAsked(passes);
    const sound = (specs, at) => plainSpecs(specs).every((spec) => readingsOf(spec, at, this.#set).every((reading) => !isFar(reading) && this.#doubt(reading) === void 0));
    return sound(context, asked.context) && sound(generation, asked.generation);
  }
  /** Whether any of these was not told before; all are from now on. */
  #new(found2) {
    const before = this.#told.size;
    for (const key of found2.keys()) this.#told.add(key);
    return this.#told.size > before;
  }
  /** What is wrong with much of a table, and of the slice that is read. */
  #doubt({ table: table2, slice }) {
    if (!Object.hasOwn(this.#flagged, table2)) return void 0;
    const rules = Object.entries(this.#flagged[table2]).filter(([, [points, of, doubtful]]) => points > of * DOUBTFUL && (slice === void 0 || doubtful === void 0 || doubtful.includes(slice)));
    if (rules.length === 0) return void 0;
    return rules.map(([rule, [points, of]]) => `${rule} at ${percent(points / of)} of its points`).join(", ");
  }
  /** Plain operators of a pass; none where measurements have no answer. */
  #rows({ load, share }) {
    const rows = this.#deployment.forwardPassModel().plainRows(load), total = sum(rows);
    if (Number.isNaN(total)) return [];
    const weight = share === void 0 || total === 0 ? 1 : share / total;
    return rows.map((row) => ({
      ...row,
      ms: row.ms * weight,
      readings: readingsOf(row.spec, row.at, this.#set)
    }));
  }
};
function setIfThere(catalog, name) {
  try {
    return catalog.load(name);
  } catch (problem) {
    if (problem instanceof ConfigError) return null;
    throw problem;
  }
}
function mostAsked(passes) {
  const context = {
    tokens: 0,
    batch: 0,
    seq: 0,
    prefix: 0
  }, generation = {
    ...context
  };
  const raise = (at, tokens, batch, seq, prefix) => {
    at.tokens = Math.max(at.tokens, tokens);
    at.batch = Math.max(at.batch, batch);
    at.seq = Math.max(at.seq, seq);
    at.prefix = Math.max(at.prefix, prefix);
  };
  for (const { load } of passes) {
    const { num_prefill_requests: prompts = 0, sum_prefill_tokens: fresh = 0, sum_prefill_kv_tokens: prior = 0 } = load;
    const { num_decode_requests: decodes = 0, sum_decode_kv_tokens: known = 0 } = load;
    if (fresh > 0 && decodes > 0) raise(context, fresh + decodes, prompts, fresh + decodes, prior);
    else if (fresh > 0) raise(context, fresh, prompts, fresh / prompts, prior / prompts);
    if (decodes > 0) raise(generation, decodes, decodes, known / decodes, 0);
  }
  return {
    context,
    generation
  };
}
function worstOf(rows) {
  const worst = /* @__PURE__ */ new Map();
  for (const { name, readings } of rows) {
    for (const reading of readings.filter(isFar)) {
      const place = `${name}: ${reading.table}`, known = worst.get(place);
      if (known === void 0 || reading.beyond > known.beyond) worst.set(place, reading);
    }
  }
  return worst;
}
var isFar = ({ beyond }) => beyond > FAR;
var sum = (rows) => rows.reduce((total, row) => total + row.ms, 0);
var percent = (share) => `${Math.round(share * 100)} %`;
var listed = (texts) => texts.join(" and ");
var entries = (found2) => [
  ...found2
].map(([key, text]) => `${key}${text}`).join("; ");
function placeOf({ axis, asked, measured, beyond }) {
  const whole = (value) => value.toLocaleString("en");
  return ` was asked for ${whole(asked)} ${axis}, ${beyond.toFixed(1)} times the ${whole(measured)} measured`;
}

// lib/timing/aic/precision_check.ts
var SLOWER_PASS = 1.02;
var SLOWER_OPERATOR = 1.15;
var SHARE2 = 0.1;
var BFLOAT16 = {
  gemm: "bfloat16",
  moe: "bfloat16",
  kvcache: "bfloat16",
  fmha: "bfloat16"
};
function precisionWarnings(deployment, loads = probes()) {
  const { gemm, moe } = deployment.modes;
  if (deployment.databaseMode === "SOL" || gemm === "bfloat16" && moe === "bfloat16") return [];
  let plain;
  try {
    plain = deployment.quantised(BFLOAT16);
  } catch (problem) {
    if (problem instanceof ConfigError) return [];
    throw problem;
  }
  return loads.flatMap((load) => {
    const rows = rowsIfKnown(deployment, load), others = rows && rowsIfKnown(plain, load);
    return rows && others ? warning(deployment, load, rows, others) : [];
  });
}
function rowsIfKnown(deployment, load) {
  try {
    return deployment.forwardPassModel().passRows(load);
  } catch (problem) {
    if (problem instanceof SimulationError || problem instanceof ConfigError) return void 0;
    throw problem;
  }
}
function warning(deployment, load, rows, plain) {
  const total = sum2(rows);
  const slowerThan = (factor) => rows.filter((row, i) => plain[i]?.name === row.name && row.ms > plain[i].ms * factor);
  const whole = total > sum2(plain) * SLOWER_PASS;
  const slower = slowerThan(whole ? 1 : SLOWER_OPERATOR);
  if (slower.length === 0 || !whole && !(sum2(slower) > total * SHARE2)) return [];
  const { hardware: { name: system }, backend, modes, facts } = deployment;
  const names = new Set(slower.map(({ name }) => name));
  const mode = modes.gemm === modes.moe || facts.experts === 0 ? modes.gemm : `${modes.gemm} / ${modes.moe}`;
  const share = Math.round(100 * sum2(slower) / total), times = (total / sum2(plain)).toFixed(2);
  return [
    `${system} ${backend}: ${passText(load)} takes ${times} times as long in ${mode} as in bfloat16 by the same measurements, and ${share} % of it is slower (${[
      ...names
    ].join(", ")}); do not compare precisions on ${tablesOf(deployment, load, names).join(" and ")}`
  ];
}
var sum2 = (rows) => rows.reduce((total, row) => total + row.ms, 0);
function tablesOf(deployment, load, operators) {
  const { hardware: { name: system }, backend, catalog } = deployment;
  const { sources } = catalog.load({
    system,
    backend,
    version: deployment.backendVersion
  }).header;
  const rows = deployment.forwardPassModel().plainRows(load).filter(({ top }) => operators.has(top));
  const tables = new Set(rows.flatMap(({ spec }) => tableOf(spec) ?? []));
  return [
    ...tables
  ].map((table2) => {
    const folders = (sources[table2] ?? []).map(([folder]) => folder);
    return folders.length === 0 ? table2 : `${table2} (${folders.join(", ")})`;
  });
}
function tableOf({ kind }) {
  switch (kind) {
    case "gemm":
      return "gemm_perf";
    case "moe":
      return "moe_perf";
    case "context_attention":
    case "generation_attention":
    case "context_mla":
    case "generation_mla":
    case "mla_bmm":
    case "mla_context_module":
    case "mla_generation_module":
      return `${kind}_perf`;
    case "all_reduce":
      return "custom_allreduce_perf";
    default:
      return void 0;
  }
}

// lib/timing/aic/support.ts
var WIDTHS = [
  1,
  2,
  4,
  8,
  16,
  32,
  64
];
var NODE = 8;
var BATCHED_TOKENS = 8192;
var PROMPT = 1024;
var DECODES = 8;
function missingTimes(deployment, duty = "aggregated") {
  try {
    const model = deployment.forwardPassModel();
    if (duty !== "decode") model.contextMs(1, PROMPT, 0);
    if (duty !== "prefill") model.generationMs(DECODES, PROMPT);
    if (duty === "aggregated") model.sumsMs(1, PROMPT, 0, DECODES, DECODES * PROMPT);
    return null;
  } catch (problem) {
    if (problem instanceof SimulationError || problem instanceof ConfigError) return problem.message.trim();
    throw problem;
  }
}
function requireTimes(deployment, model, duty = "aggregated") {
  const { facts, hardware: { name: system }, backend, catalog, databaseMode: databaseMode2 } = deployment;
  if (databaseMode2 !== "SOL") catalog.load({
    system,
    backend,
    version: deployment.backendVersion
  });
  const reason = missingTimes(deployment, duty);
  if (reason === null) return;
  const nearest = () => nearestTimedModel(facts, system, backend, catalog);
  const estimated = databaseMode2 === "SILICON" && missingTimes(deployment.inMode("HYBRID"), duty) === null;
  throw withoutTimes(`${model} with ${backend} ${deployment.backendVersion} on ${system}`, reason, nearest, estimated);
}
function requireOperators({ name, facts }, hardware, backend, catalog) {
  try {
    requireFamily(facts);
  } catch (problem) {
    if (!(problem instanceof ConfigError)) throw problem;
    const nearest = () => nearestTimedModel(facts, hardware, backend, catalog);
    throw withoutTimes(`${name} with ${backend} on ${hardware}`, problem.message, nearest);
  }
}
function withoutTimes(what, reason, nearest, estimated = false) {
  const near = nearest();
  const said = reason.replace(/^perf database error: /, "").replace(/ \(supported: .*\)$/, "").replace(/\.$/, "");
  const message = `no timing data for ${what}: ${said}. ` + (estimated ? "database_mode HYBRID estimates it from similar operators. " : "") + (near === null ? "" : `The nearest model that has some there is '${near}' (the command 'models' lists all). `) + "Try another backend, backend_version or parallelism; timing of type fixed or polynomial needs no measurements (with kv_cache.capacity of type fixed where the model is not known)";
  return new ConfigError(message, [
    {
      path: "engine.model",
      message
    }
  ]);
}
function modelSupport({ name, facts }, hardware, backend, catalog) {
  const about = {
    model: name,
    architecture: facts.architecture,
    hardware,
    backend
  };
  catalog.version(hardware, backend);
  let refused;
  let tooLarge;
  for (const shape of shapesOf(facts)) {
    let deployment;
    try {
      deployment = new Deployment(facts, {
        hardware,
        backend,
        ...shape
      }, catalog);
    } catch (problem) {
      if (!(problem instanceof ConfigError)) throw problem;
      tooLarge ??= problem.message.trim();
      continue;
    }
    if (!fits(deployment)) {
      tooLarge = `does not fit into ${shape.tensor * shape.attentionData} GPUs of ${hardware}`;
      continue;
    }
    const reason = missingTimes(deployment);
    if (reason === null) return {
      ...about,
      status: "timed",
      reason: null,
      shape
    };
    refused ??= {
      reason,
      shape
    };
  }
  return {
    ...about,
    status: "refused",
    ...refused ?? {
      reason: tooLarge ?? "no legal parallel shape",
      shape: null
    }
  };
}
function fits(deployment) {
  const memoryFraction = DEFAULT_MEMORY_FRACTION[deployment.backend];
  try {
    deployment.kvCapacity({
      maxBatchedTokens: BATCHED_TOKENS,
      memoryFraction
    });
    return true;
  } catch (problem) {
    if (problem instanceof ConfigError) return !problem.message.startsWith("no KV budget");
    throw problem;
  }
}
function shapesOf(facts) {
  const family = familyOf(facts.architecture);
  if (family === void 0 || facts.problem !== null || !family.spreadsExperts(facts)) {
    return WIDTHS.map((tensor) => ({
      tensor,
      attentionData: 1,
      moeTensor: 1,
      moeExpert: 1
    }));
  }
  return WIDTHS.flatMap((width) => [
    {
      tensor: width,
      attentionData: 1,
      moeTensor: 1,
      moeExpert: width
    },
    ...width > 1 ? [
      {
        tensor: width,
        attentionData: 1,
        moeTensor: width,
        moeExpert: 1
      }
    ] : [],
    ...width > NODE ? [
      {
        tensor: NODE,
        attentionData: width / NODE,
        moeTensor: 1,
        moeExpert: width
      }
    ] : []
  ]);
}
function nearestTimedModel(facts, hardware, backend, catalog) {
  try {
    catalog.load({
      system: hardware,
      backend,
      version: catalog.version(hardware, backend)
    });
  } catch (problem) {
    if (problem instanceof ConfigError) return null;
    throw problem;
  }
  const candidates = shippedModels().map((name) => ({
    name,
    facts: findModel(name).facts
  })).map((model) => ({
    ...model,
    away: unlikeness(facts, model.facts)
  })).sort((a, b) => a.away - b.away);
  return candidates.find((model) => modelSupport(model, hardware, backend, catalog).status === "timed")?.name ?? null;
}
function unlikeness(a, b) {
  const size2 = ({ layers, hidden, inter, moeInter, topk }) => Math.log2(Math.max(layers * hidden * (hidden * 4 + 3 * (topk > 0 ? moeInter * topk : inter)), 1));
  const whole = ({ layers, hidden, moeInter, experts: experts2 }) => Math.log2(Math.max(layers * hidden * moeInter * Math.max(experts2, 1), 1));
  const different = (left, right, weight) => left === right ? 0 : weight;
  return Math.abs(size2(a) - size2(b)) + Math.abs(whole(a) - whole(b)) + different(a.architecture, b.architecture, 1) + different(a.experts > 0, b.experts > 0, 2) + different(a.latent === null, b.latent === null, 1) + different(a.quant.algorithm, b.quant.algorithm, 0.5);
}

// lib/timing/calibration/key.ts
function calibrationKey(model, deployment) {
  const { parallelism, nextn, hardware, backend, databaseMode: databaseMode2 } = deployment;
  const assumed = assumptionsOf(deployment);
  return {
    model,
    hardware: hardware.name,
    backend,
    backend_version: assumed.backend_version,
    tensor: parallelism.tensor,
    pipeline: parallelism.pipeline,
    attention_data: parallelism.attentionData,
    moe_tensor: parallelism.moeTensor,
    moe_expert: parallelism.moeExpert,
    nextn,
    weights: assumed.weights,
    expert_weights: assumed.expert_weights,
    attention: assumed.attention,
    kv_cache: assumed.kv_cache,
    communication: assumed.communication,
    database_mode: databaseMode2,
    data_version: assumed.data_version
  };
}
var keyDifferences = (one, other) => Object.keys(one).filter((name) => one[name] !== other[name]);
var toldDifferences = (key, wanted) => keyDifferences(key, wanted).map((name) => `${name} ${key[name] ?? "none"}, not ${wanted[name] ?? "none"}`);
function requireKey({ key }, wanted, { path, forced }) {
  const differs = toldDifferences(key, wanted);
  if (differs.length === 0 || forced) return differs;
  const message = `the calibration is of another deployment: ${differs.join("; ")}`;
  const hint = "calibrate this deployment, or force the calibration upon it";
  throw new ConfigError(`${path}: ${message} (${hint})`, [
    {
      path,
      message,
      hint
    }
  ]);
}

// lib/timing/calibration/uneven.ts
var USUAL_UNEVEN = 1.4;
function attentionOf(emptyMs) {
  const known = /* @__PURE__ */ new Map();
  return (ms, decodes) => {
    let empty = known.get(decodes);
    if (empty === void 0) known.set(decodes, empty = emptyMs(decodes));
    return Math.max(ms - empty, 0);
  };
}
function unevenness(count3, sum3, squares2) {
  const variation = count3 * squares2 / (sum3 * sum3) - 1;
  return variation > 0 ? Math.sqrt(variation) : 0;
}

// lib/trace/lines.ts
var MOST_LINE_BYTES = 5e8;
var LineCutter = class {
  #file;
  #line = {
    bytes: new Uint8Array(0),
    start: 0,
    end: 0,
    number: 0,
    ended: true
  };
  #carry = new Uint8Array(1024);
  #carried = 0;
  /** @param file how errors call what is read */
  constructor(file) {
    this.#file = file;
  }
  /** The number of the line that is being read: the last one given plus those that were blank. */
  get number() {
    return this.#line.number;
  }
  /**
   * The lines that end in this piece. The piece may be used again afterwards.
   *
   * @throws {TraceError} for a line of more than 500 MB
   */
  *cut(piece) {
    let start = 0;
    if (this.#carried > 0) {
      const feed = piece.indexOf(10);
      if (feed < 0) {
        this.#keep(piece);
        return;
      }
      this.#keep(piece.subarray(0, feed));
      start = feed + 1;
      const end = this.#carried;
      this.#carried = 0;
      if (this.#take(this.#carry, 0, end, true)) yield this.#line;
    }
    for (; ; ) {
      const feed = piece.indexOf(10, start);
      if (feed < 0) break;
      if (this.#take(piece, start, feed, true)) yield this.#line;
      start = feed + 1;
    }
    if (start < piece.length) this.#keep(piece.subarray(start));
  }
  /** The last line when no line feed ended it. */
  *finish() {
    if (this.#carried === 0) return;
    const end = this.#carried;
    this.#carried = 0;
    if (this.#take(this.#carry, 0, end, false)) yield this.#line;
  }
  #take(bytes, start, end, ended) {
    const line = this.#line;
    line.number++;
    if (line.number === 1 && bytes[start] === 239 && bytes[start + 1] === 187 && bytes[start + 2] === 191) {
      start += 3;
    }
    if (end > start && bytes[end - 1] === 13) end--;
    let first = start;
    while (first < end && (bytes[first] === 32 || bytes[first] >= 9 && bytes[first] <= 13)) first++;
    if (first >= end) return false;
    line.bytes = bytes;
    line.start = start;
    line.end = end;
    line.ended = ended;
    return true;
  }
  #keep(part) {
    const needed = this.#carried + part.length;
    if (needed > MOST_LINE_BYTES) {
      const line = this.#line.number + 1;
      const where = this.#file === void 0 ? "" : ` of ${this.#file}`;
      throw new TraceError(`line ${line}${where} has more than ${MOST_LINE_BYTES / 1e6} MB, the most a line may have`, {
        file: this.#file,
        line
      });
    }
    if (needed > this.#carry.length) {
      this.#carry = longer(this.#carry, Math.max(needed, Math.min(this.#carry.length * 2, MOST_LINE_BYTES)));
    }
    this.#carry.set(part, this.#carried);
    this.#carried = needed;
  }
};

// cli/estimate_answers.ts
var JUDGED = 256;
var AnswerCorrection = class {
  #model;
  #correction;
  #attention;
  /** Decode steps of several sequences of which nobody said how uneven they are, though the calibration asks for it. */
  takenAsEven = 0;
  constructor(model, correction) {
    this.#model = model;
    this.#correction = correction;
    this.#attention = attentionOf((decodes) => model.passMs({
      num_decode_requests: decodes,
      sum_decode_kv_tokens: decodes
    }));
  }
  /** Milliseconds of a rank's pass. @param variance of the lengths of its decoding sequences, where it is known */
  passMs(rank, variance) {
    const { sum_prefill_tokens: tokens = 0, sum_prefill_kv_tokens: prior = 0 } = rank;
    const { num_decode_requests: decodes = 0, sum_decode_kv_tokens: context = 0 } = rank;
    const { uneven } = this.#correction;
    let ms = this.#model.passMs(rank);
    if (uneven > 0 && tokens === 0 && decodes > 1 && context > 0) {
      if (variance === null) this.takenAsEven++;
      else ms += uneven * Math.sqrt(variance) / (context / decodes) * this.#attention(ms, decodes);
    }
    return this.#correction.passMs(ms, tokens, decodes, prior, context, rank.num_prefill_requests);
  }
};
var HEAD2 = csvLine([
  "line",
  "rank",
  ...SUMS,
  "latency_ms"
]);
async function answer(path, model, form, correction, asked) {
  const file = path === "-" ? "<standard input>" : path;
  const cutter = new LineCutter();
  const decoder = new TextDecoder();
  let answers = form.asTable ? HEAD2 : "";
  const read2 = (lines) => {
    for (const line of lines) {
      const text = decoder.decode(line.bytes.subarray(line.start, line.end));
      answers += answerLine(text, {
        file,
        line: line.number
      }, model, form, correction, asked);
    }
  };
  const flush = () => {
    if (answers !== "") writeText("stdout", answers);
    answers = "";
  };
  const hide = isTerminal("stdout") ? () => {
  } : showReading([
    path
  ]);
  try {
    for await (const piece of readBytes(path)) {
      read2(cutter.cut(piece));
      flush();
    }
    read2(cutter.finish());
  } catch (problem) {
    if (!(problem instanceof ByteSourceError)) throw problem;
    throw new TraceError(`failed to ${problem.stage} workloads ${file}: ${problem.message}`, {
      file
    });
  } finally {
    hide();
    flush();
  }
}
function answerLine(text, place, model, { perOp, asTable }, correction, asked) {
  try {
    const row = JSON.parse(text);
    const loads = passLoads(row);
    const answered = Array.isArray(row) ? {
      ranks: row
    } : {
      ...row
    };
    if (correction === null) answered.latency_ms = model.passMs(loads);
    else {
      const variances = decodeVariances(row);
      answered.latency_ms = Math.max(...loads.map((load, rank) => correction.passMs(load, variances[rank])));
    }
    if (asked.length < JUDGED) asked.push(...loads.slice(0, JUDGED - asked.length));
    if (perOp) {
      const slowest = loads.reduce((a, b) => model.passMs(b) > model.passMs(a) ? b : a);
      answered.operators = model.passRows(slowest);
    }
    if (!asTable) return `${JSON.stringify(answered)}
`;
    const cells = (load, rank) => [
      place.line,
      rank,
      ...SUMS.map((name) => load[name] ?? 0)
    ];
    return loads.map((load, rank) => csvLine([
      ...cells(load, rank),
      answered.latency_ms
    ])).join("");
  } catch (problem) {
    const where = `${place.file}:${place.line}`;
    const { message } = problem;
    if (problem instanceof SimulationError) throw new SimulationError(`${where}: ${message}`, {
      cause: problem
    });
    if (problem instanceof SyntaxError) throw new TraceError(`${where}: the line is not JSON: ${message}`, place);
    if (problem instanceof TypeError) throw new TraceError(`${where}: ${message}`, place);
    throw problem;
  }
}

// lib/io/issue_text.ts
var MOST_TEXT = 1e3;
function issueText(issue) {
  const path = getDotPath(issue);
  const whole = issue.received === "undefined" ? "is missing" : issue.message;
  const text = whole.length > MOST_TEXT ? `${whole.slice(0, MOST_TEXT - 1)}\u2026` : whole;
  return path === null ? text : `${path}: ${text}`;
}

// lib/timing/aic/run_parts.ts
var run_parts_exports = {};
__export(run_parts_exports, {
  Evidence: () => Evidence,
  PerfCatalog: () => PerfCatalog,
  assumptionsOf: () => assumptionsOf,
  deployIdentity: () => deployIdentity,
  kvBytesPerToken: () => kvBytesPerToken,
  loadModel: () => loadModel,
  maxContextLength: () => maxContextLength,
  operatorTiming: () => operatorTiming,
  precisionWarnings: () => precisionWarnings,
  probes: () => probes,
  quantMode: () => quantMode,
  requireOperators: () => requireOperators,
  requireTimes: () => requireTimes
});

// lib/timing/calibration/nested_cells.ts
var TOKEN_BITS = 8;
var PRIOR_BITS = 6;
var OTHER_BITS = 7;
var PRIOR_DOUBLINGS = 4;
var held = (place, bits) => Math.min(Math.max(Math.round(place), 0), (1 << bits) - 1);
var priorPlace = (prior, step2) => held(Math.log2(1 + prior) / PRIOR_DOUBLINGS / step2, PRIOR_BITS);
var promptPlace = (prompts, step2) => held(Math.log2(prompts) / step2, OTHER_BITS);
var numberOf = (tokens, prior, decodes, prompts) => ((tokens << PRIOR_BITS | prior) << OTHER_BITS | decodes) << OTHER_BITS | prompts;
function cellPlaces(over, step2, { tokens, prior, decodes, prompts }) {
  const place = {
    prior_tokens: priorPlace(prior, step2),
    decode_requests: held(Math.log2(decodes) / step2, OTHER_BITS),
    prompts: promptPlace(prompts, step2)
  };
  return [
    held(Math.log2(tokens) / step2, TOKEN_BITS),
    ...over.map((axis) => place[axis])
  ];
}
var NestedCells = class {
  #steps;
  #deviations;
  #prior;
  #decodes;
  #prompts;
  constructor({ over, steps }) {
    this.#prior = over.includes("prior_tokens");
    this.#decodes = over.includes("decode_requests");
    this.#prompts = over.includes("prompts");
    this.#steps = steps.map(({ step: step2 }) => step2);
    this.#deviations = steps.map(({ cells }) => new Map(cells.map((cell) => {
      const of = (axis) => over.includes(axis) ? cell[1 + over.indexOf(axis)] : 0;
      const places = [
        of("prior_tokens"),
        of("decode_requests"),
        of("prompts")
      ];
      return [
        numberOf(cell[0], ...places),
        cell[cell.length - 1]
      ];
    })));
  }
  /** Factor on a pass of these sizes; `tokens` and `decodes` are their logarithms. */
  factor(tokens, priorTokens, decodes, prompts) {
    let factor = 1;
    for (let i = 0; i < this.#steps.length; i++) {
      const step2 = this.#steps[i];
      factor += this.#deviations[i].get(numberOf(held(tokens / step2, TOKEN_BITS), this.#prior ? priorPlace(priorTokens, step2) : 0, this.#decodes ? held(decodes / step2, OTHER_BITS) : 0, this.#prompts ? promptPlace(prompts, step2) : 0)) ?? 0;
    }
    return factor;
  }
};

// lib/timing/calibration/correction.ts
var LEAST = 0.25;
var MOST = 8;
var FADE = 1.5;
var OUTSIDE = 0.01;
var Table = class {
  over;
  #cells;
  #columns;
  constructor({ over, cells }) {
    this.over = over;
    const most = (axis) => cells.reduce((found2, cell) => Math.max(found2, cell[axis]), 0);
    this.#columns = most(1) + 1;
    this.#cells = new Float64Array((most(0) + 1) * this.#columns).fill(1);
    for (const [i, j, factor] of cells) this.#cells[i * this.#columns + j] = factor;
  }
  /** Factor at the logarithm of a size and a second size. */
  at(x, second) {
    const i = sizeStep(x), j = secondStep(second);
    return j < this.#columns ? this.#cells[i * this.#columns + j] ?? 1 : 1;
  }
};
var sizeStep = (x) => Math.round(2 * x);
var secondStep = (second) => Math.round(Math.log2(1 + second));
var PartCurve = class {
  #ratio;
  #constantMs;
  #leastMs;
  #x;
  #y;
  #tables;
  #cells;
  #decodes;
  #tokens;
  #overDecodes;
  constructor(phase, { ratio, constant_ms, least_ms = 0, curve, tables = [], cells, seen }) {
    this.#ratio = ratio;
    this.#constantMs = constant_ms;
    this.#leastMs = least_ms;
    this.#x = Float64Array.from(curve, ([x]) => x);
    this.#y = Float64Array.from(curve, ([, y]) => y);
    this.#tables = tables.map((table2) => new Table(table2));
    this.#cells = cells === void 0 ? null : new NestedCells(cells);
    this.#decodes = seen.decode_requests && [
      Math.log2(seen.decode_requests[0]),
      Math.log2(seen.decode_requests[1])
    ];
    this.#tokens = seen.prefill_tokens && [
      Math.log2(seen.prefill_tokens[0]),
      Math.log2(seen.prefill_tokens[1])
    ];
    this.#overDecodes = phase === "decode";
  }
  /**
   * Factor on an estimate of `ms`; the logarithms are those of the pass's decoding sequences and prompt tokens.
   *
   * @param priorTokens tokens of its prompts that are known before, of all of them
   * @param contextTokens tokens that its decoding sequences know, of all of them
   */
  factor(ms, decodes, tokens, priorTokens, contextTokens, prompts) {
    const kept = 1 - this.distance(decodes, tokens) / FADE;
    if (kept <= 0) return 1;
    const x = this.#overDecodes ? decodes : tokens;
    let whole = Math.max(this.#ratio, this.#leastMs / ms) * this.#at(x);
    for (let i = 0; i < this.#tables.length; i++) {
      const table2 = this.#tables[i], { over } = table2;
      const second = over === "prior_tokens" ? priorTokens : 2 ** decodes;
      whole *= table2.at(x, over === "context_tokens" ? contextTokens / second : second);
    }
    if (this.#cells !== null) whole *= this.#cells.factor(tokens, priorTokens, decodes, prompts);
    whole += this.#constantMs / ms;
    return 1 + kept * (Math.min(Math.max(whole, LEAST), MOST) - 1);
  }
  /** Whether there is a constant. */
  get hasConstant() {
    return this.#constantMs > 0;
  }
  /** Milliseconds of the constant that {@linkcode factor} counts. */
  constantMs(decodes, tokens) {
    return this.#constantMs * Math.max(0, 1 - this.distance(decodes, tokens) / FADE);
  }
  /** Doublings between a pass and what was seen; 0 inside. */
  distance(decodes, tokens) {
    return outside(this.#decodes, decodes) + outside(this.#tokens, tokens);
  }
  #at(x) {
    const xs = this.#x, last = xs.length - 1;
    if (last < 0) return 1;
    if (x <= xs[0]) return this.#y[0];
    if (x >= xs[last]) return this.#y[last];
    let i = 1;
    while (xs[i] < x) i++;
    const share = (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
    return this.#y[i - 1] + share * (this.#y[i] - this.#y[i - 1]);
  }
};
var PhaseCurve = class {
  #within;
  #beyond;
  #most;
  constructor(phase, correction) {
    this.#within = new PartCurve(phase, correction);
    this.#beyond = correction.beyond === void 0 ? null : new PartCurve(phase, correction.beyond);
    this.#most = correction.beyond?.tokens ?? Infinity;
  }
  /** The correction of passes that compute so many tokens, prompts and decodes together. */
  of(computed) {
    return this.#beyond !== null && computed > this.#most ? this.#beyond : this.#within;
  }
};
function outside(range2, x) {
  if (range2 === null) return 0;
  return x < range2[0] ? range2[0] - x : x > range2[1] ? x - range2[1] : 0;
}
var PassCorrection = class {
  #prefill;
  #decode;
  #mixed;
  /** See `PhaseCorrection`: of decode steps. */
  uneven;
  /** See `PhaseCorrection`: of mixed passes. {@linkcode passMs} does not count it. */
  besideMs;
  /** What a pass takes up of a replay, by its own time: one, and what lies between it and the next. */
  stride;
  /** Passes that were corrected. */
  passes = 0;
  /** Those of them that are outside of what was seen, whose correction fades. */
  outside = 0;
  constructor({ phases, between_passes = 0 }) {
    const curve = (phase) => phases[phase] && new PhaseCurve(phase, phases[phase]);
    this.#prefill = curve("prefill");
    this.#decode = curve("decode");
    this.#mixed = curve("mixed");
    this.uneven = phases.decode?.uneven ?? 0;
    this.besideMs = phases.mixed?.beside_ms ?? 0;
    this.stride = 1 + between_passes;
  }
  /**
   * Milliseconds of a pass that is estimated to take `ms`.
   *
   * @param tokens prompt tokens that it computes, of all prompts together
   * @param decodes sequences that it decodes
   * @param priorTokens tokens of these prompts that are known before, of all of them
   * @param contextTokens tokens that these sequences know, of all of them
   * @param prompts prompts of which tokens are computed; default 1
   */
  passMs(ms, tokens, decodes, priorTokens, contextTokens, prompts = 1) {
    if (!(ms > 0)) return ms;
    this.passes++;
    if (tokens === 0) return ms * this.#of(this.#decode, ms, decodes, 0, 0, contextTokens, 0);
    if (decodes === 0) return ms * this.#of(this.#prefill ?? this.#mixed, ms, 0, tokens, priorTokens, 0, prompts);
    if (this.#mixed !== null) {
      return ms * this.#of(this.#mixed, ms, decodes, tokens, priorTokens, contextTokens, prompts);
    }
    this.outside++;
    const share = tokens / (tokens + decodes);
    const prefill = this.#prefill?.of(tokens).factor(ms, 0, Math.log2(tokens), priorTokens, 0, prompts) ?? 1;
    const decode = this.#decode?.of(decodes).factor(ms, Math.log2(decodes), 0, 0, contextTokens, 0) ?? 1;
    return ms * (share * prefill + (1 - share) * decode);
  }
  /** Whether {@linkcode sharedMs} is ever more than nothing. */
  get shares() {
    return (this.#prefill?.of(0).hasConstant ?? false) && (this.#decode?.of(0).hasConstant ?? false);
  }
  /**
   * Milliseconds that the corrected times of prompts and of decode steps both hold: a pass that does both waits for its
   * constant once.
   */
  sharedMs(tokens, decodes) {
    if (this.#prefill === null || this.#decode === null) return 0;
    return Math.min(this.#prefill.of(tokens).constantMs(NaN, Math.log2(tokens)), this.#decode.of(decodes).constantMs(Math.log2(decodes), NaN));
  }
  /** Starts counting anew. */
  reset() {
    this.passes = this.outside = 0;
  }
  #of(curve, ms, decodes, tokens, priorTokens, contextTokens, prompts) {
    if (curve === null) {
      this.outside++;
      return 1;
    }
    const part = curve.of(tokens + decodes);
    const x = decodes > 0 ? Math.log2(decodes) : NaN, y = tokens > 0 ? Math.log2(tokens) : NaN;
    if (part.distance(x, y) > OUTSIDE) this.outside++;
    return part.factor(ms, x, y, priorTokens, contextTokens, prompts);
  }
};

// lib/timing/calibration/profile.ts
var PHASES = [
  "prefill",
  "decode",
  "mixed"
];
var LEVELS2 = [
  "none",
  "scale",
  "phases",
  "pass_constant",
  "phase_constants",
  "curves",
  "regimes",
  "tables",
  "cells"
];
var TABLE_AXES = [
  "prior_tokens",
  "decode_requests",
  "context_tokens"
];
var CELL_AXES = [
  "prior_tokens",
  "decode_requests",
  "prompts"
];
var MOST_BYTES = 2 ** 22;
var MOST_STEPS = 100;
var finite2 = pipe(number(), finite());
var positive = pipe(finite2, gtValue(0));
var notNegative = pipe(finite2, minValue(0));
var count2 = pipe(number(), integer(), minValue(0));
var size = pipe(number(), integer(), minValue(1));
var range = pipe(tuple([
  notNegative,
  notNegative
]), check(([least, most]) => least <= most, "a range is [least, most]"));
var nameOrNull = nullable(string());
var keySchema = strictObject({
  model: string(),
  hardware: string(),
  backend: string(),
  backend_version: nameOrNull,
  tensor: size,
  pipeline: size,
  attention_data: size,
  moe_tensor: size,
  moe_expert: size,
  nextn: count2,
  weights: string(),
  expert_weights: nameOrNull,
  attention: nameOrNull,
  kv_cache: string(),
  communication: string(),
  database_mode: string(),
  data_version: string()
});
var step = pipe(number(), integer(), minValue(0), maxValue(MOST_STEPS));
var isPlace = (place) => Number.isInteger(place) && place >= 0 && place < 256;
var tableSchema = strictObject({
  over: picklist(TABLE_AXES),
  cells: pipe(array(tuple([
    step,
    step,
    positive
  ])), minLength(1))
});
var cellsSchema = pipe(strictObject({
  over: pipe(array(picklist(CELL_AXES)), check((over) => new Set(over).size === over.length, "a size counts once")),
  steps: array(strictObject({
    step: positive,
    cells: array(array(finite2))
  }))
}), check(({ over, steps }) => steps.every(({ cells }) => cells.every((cell) => cell.length === over.length + 2 && cell.slice(0, -1).every(isPlace))), "a cell is a place in prompt tokens, a place in each size that cells are over, and a deviation"));
var partEntries = {
  ratio: positive,
  constant_ms: notNegative,
  least_ms: optional(notNegative),
  curve: pipe(array(tuple([
    finite2,
    positive
  ])), check((knots) => knots.every(([x], i) => i === 0 || x > knots[i - 1][0]), "knots stand in rising order")),
  tables: optional(array(tableSchema)),
  cells: optional(cellsSchema),
  n: count2,
  seen: strictObject({
    decode_requests: nullable(range),
    prefill_tokens: nullable(range)
  })
};
var phaseSchema = strictObject({
  ...partEntries,
  beyond: optional(strictObject({
    tokens: size,
    ...partEntries
  })),
  uneven: optional(notNegative),
  beside_ms: optional(notNegative)
});
var errorSchema = strictObject({
  mdape: nullable(finite2),
  bias: nullable(finite2),
  n: count2
});
var profileSchema = strictObject({
  format: literal("dynosim.calibration.v1"),
  key: keySchema,
  level: picklist(LEVELS2),
  phases: strictObject({
    prefill: nullable(phaseSchema),
    decode: nullable(phaseSchema),
    mixed: nullable(phaseSchema)
  }),
  request_overhead_ms: notNegative,
  between_passes: optional(notNegative),
  n: strictObject({
    passes: count2,
    requests: count2
  }),
  error: strictObject({
    before: record(string(), errorSchema),
    after: record(string(), errorSchema)
  })
});
function parseCalibration(value, name = "calibration") {
  const result = safeParse(profileSchema, value);
  if (result.success) return result.output;
  const issues = result.issues.map((issue) => {
    return {
      path: getDotPath(issue) ?? "",
      message: issueText(issue),
      file: name
    };
  });
  const [first] = issues, more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  throw new ConfigError(`${name} is no calibration that \`calibrate\` wrote: ${first.message}${more}`, issues);
}
async function readCalibration(path) {
  let value;
  try {
    value = JSON.parse(await readText(path, {
      mostBytes: MOST_BYTES
    }));
  } catch (cause) {
    if (!(cause instanceof ByteSourceError || cause instanceof SyntaxError)) throw cause;
    const what = cause instanceof SyntaxError ? "is not JSON" : "could not be read";
    const message = `calibration ${path} ${what}: ${cause.message}`;
    throw new ConfigError(message, [
      {
        path: "",
        message,
        file: path
      }
    ], {
      cause
    });
  }
  return parseCalibration(value, path);
}

export {
  passLoads,
  USUAL_UNEVEN,
  attentionOf,
  unevenness,
  LineCutter,
  AnswerCorrection,
  answer,
  SHIPPED_DATA,
  readFileIfThere,
  readTextIfThere,
  userDataFolder,
  sha256,
  sha256OfText,
  sha256Of,
  sha256Stream,
  gzip,
  issueText,
  parsePythonJson,
  GEMM_MODES,
  MOE_MODES,
  FMHA_MODES,
  KV_MODES,
  COMM_MODES,
  GemmBound,
  ContextAttentionBound,
  GenerationAttentionBound,
  MoeBound,
  DEFAULT_MEMORY_FRACTION,
  kvBytesPerToken,
  DIVISORS,
  SHORTEST_CODE,
  LOWEST_EXPONENT,
  bytesOfCodes,
  checkOf,
  exponentOf,
  MAGIC,
  FORMAT,
  OWN,
  PerfSet,
  POWER_MAGIC,
  BESIDE,
  DOUBTFUL,
  PerfCatalog,
  releaseFolder,
  setFile,
  powersFile,
  plainSpecs,
  ForwardPassModel,
  modeNames,
  Deployment,
  modelFacts,
  shippedModels,
  findModel,
  loadModel,
  unknownModel,
  maxContextLength,
  DECODE_QUESTION,
  operatorTiming,
  deploy,
  deployIdentity,
  probes,
  smallestAndLargest,
  productSlice,
  evidenceWarnings,
  Evidence,
  precisionWarnings,
  modelSupport,
  run_parts_exports,
  cellPlaces,
  sizeStep,
  secondStep,
  PassCorrection,
  calibrationKey,
  requireKey,
  PHASES,
  LEVELS2 as LEVELS,
  parseCalibration,
  readCalibration
};
