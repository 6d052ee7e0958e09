import {
  Heap,
  RunMap,
  nanoseconds
} from "./core.js";
import {
  WyRand
} from "./shared.js";
import {
  POOL_NAMES,
  Pool,
  SlotMap,
  choices,
  shown
} from "./config.js";
import {
  ConfigError,
  SimulationError,
  checkOptions,
  isMapping,
  nearName,
  reaching
} from "./base.js";

// lib/router/field_shapes.ts
function misshapen({ is, nullable }, value) {
  if (value === null && nullable) return null;
  const expected = is === "text" ? "a string" : is === "boolean" ? "a boolean" : is;
  if (Array.isArray(is)) {
    if (typeof value !== "string") return `invalid type: ${shown(value)}, expected ${choices(is)}`;
    return is.includes(value) ? null : `unknown variant \`${value}\`, expected ${choices(is)}`;
  }
  const fits = is === "text" ? typeof value === "string" : is === "boolean" ? typeof value === "boolean" : typeof value === "number";
  if (!fits) return `invalid type: ${shown(value)}, expected ${expected}`;
  if (is === "f64" && !Number.isFinite(value)) return "number out of range";
  if (is !== "u32" && is !== "usize") return null;
  if (!Number.isInteger(value)) return `invalid type: ${shown(value)}, expected ${is}`;
  const tooLarge = value > (is === "u32" ? 2 ** 32 - 1 : Number.MAX_SAFE_INTEGER);
  return value < 0 || tooLarge ? `invalid value: ${shown(value)}, expected ${is}` : null;
}

// lib/router/kv_settings.ts
var DEFAULT_ROUTER_SEED = 0xd1a05eedn;
var KV_ROUTER_DEFAULTS = {
  overlapScoreCredit: 1,
  overlapScoreCreditDecay: 0,
  prefillLoadScale: 1,
  decodeActiveRequestWeight: 0,
  temperature: 0,
  trackActiveBlocks: true,
  assumeKvReuse: true,
  trackPrefillTokens: true,
  prefillLoadModel: "none",
  queueThreshold: null,
  queuePolicy: "fcfs",
  profile: null,
  kvEventLagMs: 0,
  seed: DEFAULT_ROUTER_SEED
};
function poolSettings(settings, pool) {
  switch (pool) {
    case "agg":
      return settings;
    case "prefill":
      return {
        ...settings,
        trackActiveBlocks: false
      };
    case "decode":
      return {
        ...settings,
        assumeKvReuse: false,
        trackPrefillTokens: false,
        prefillLoadModel: "none"
      };
  }
}
function singleClass(settings) {
  const only = {
    name: "default",
    quantum: 1,
    policy: settings.queuePolicy,
    busyTokens: null,
    busyFraction: settings.queueThreshold,
    requestLimit: null,
    inputTokenLimit: null,
    cachedTokenLimit: null
  };
  return {
    classes: [
      only
    ],
    explicit: /* @__PURE__ */ new Map(),
    families: /* @__PURE__ */ new Map([
      [
        "default",
        [
          0
        ]
      ]
    ]),
    defaultFamily: "default",
    bucketTokens: [
      0
    ]
  };
}

// lib/router/kv_config.ts
var PREFIX = "Failed to parse KvRouterConfig JSON: ";
var LIVE_ONLY = "it concerns the live router only";
var flag = {
  is: "boolean"
};
var liveFlag = {
  is: "boolean",
  unused: LIVE_ONLY
};
var weight = {
  is: "f64",
  least: 0,
  text: "must be finite and non-negative"
};
var share = {
  is: "f64",
  least: 0,
  most: 1,
  text: "must be between 0 and 1"
};
var noTier = "engines in replay have no such cache tier";
var atLeastZero = {
  is: "f64",
  least: 0,
  text: "must be greater than or equal to 0"
};
var FIELDS = {
  overlap_score_credit: {
    ...weight,
    text: "must be a finite, non-negative number"
  },
  overlap_score_credit_decay: weight,
  prefill_load_scale: weight,
  decode_active_request_weight: weight,
  overlap_score_weight: {
    is: "f64",
    nullable: true
  },
  host_cache_hit_weight: {
    ...share,
    unused: noTier
  },
  disk_cache_hit_weight: {
    ...share,
    unused: noTier
  },
  router_temperature: weight,
  use_kv_events: {
    is: "boolean",
    unused: "replay always has the engines' events"
  },
  durable_kv_events: liveFlag,
  router_replica_sync: liveFlag,
  router_track_active_blocks: flag,
  router_track_output_blocks: {
    is: "boolean",
    unused: "generated tokens are not reported to the router in replay"
  },
  router_assume_kv_reuse: flag,
  router_track_prefill_tokens: flag,
  router_tracking_hash: {
    is: [
      "public-xxh3-v1",
      "keyed-xxh3-v1"
    ],
    unused: "only hash values depend on it"
  },
  router_tracking_key_file: {
    is: "text",
    nullable: true,
    unused: "only hash values depend on it"
  },
  router_tracking_key_id: {
    is: "text",
    nullable: true,
    unused: "only hash values depend on it"
  },
  router_prefill_load_model: {
    is: [
      "none",
      "aic",
      "ais"
    ]
  },
  router_snapshot_threshold: {
    is: "u32",
    nullable: true,
    unused: LIVE_ONLY
  },
  router_reset_states: liveFlag,
  router_ttl_secs: {
    ...atLeastZero,
    unused: "requests do not expire in replay"
  },
  router_queue_threshold: {
    ...atLeastZero,
    nullable: true
  },
  router_policy_config: {
    is: "text",
    nullable: true
  },
  router_event_threads: {
    is: "u32",
    least: 1,
    text: "must be at least 1",
    unused: LIVE_ONLY
  },
  skip_initial_worker_wait: liveFlag,
  router_queue_policy: {
    is: [
      "fcfs",
      "lcfs",
      "wspt"
    ]
  },
  use_remote_indexer: liveFlag,
  serve_indexer: liveFlag,
  enable_session_prefix_index: liveFlag,
  shared_cache_multiplier: {
    ...share,
    nullable: true,
    unused: "replay reports no shared cache hits"
  },
  shared_cache_type: {
    is: [
      "none",
      "hicache"
    ],
    unused: "replay reports no shared cache hits"
  },
  router_predicted_ttl_secs: {
    ...atLeastZero,
    nullable: true,
    unused: "replay always has the engines' events"
  },
  conditional_disagg_enabled: liveFlag,
  conditional_disagg_policy: {
    is: [
      "isl_bounding",
      "prefill_load",
      "isl_or_load"
    ],
    unused: LIVE_ONLY
  },
  conditional_disagg_eff_isl_threshold: {
    is: "usize",
    unused: LIVE_ONLY
  },
  conditional_disagg_eff_isl_ratio_threshold: {
    ...share,
    unused: LIVE_ONLY
  },
  conditional_disagg_prefill_busy_threshold: {
    ...atLeastZero,
    nullable: true,
    unused: LIVE_ONLY
  },
  conditional_disagg_decode_busy_threshold: {
    ...atLeastZero,
    nullable: true,
    unused: LIVE_ONLY
  }
};
var names = Object.keys(FIELDS);
var RULES = [
  [
    (f) => f.durable_kv_events === true,
    "durable_kv_events=true is not supported by this runtime"
  ],
  [
    (f) => f.router_track_output_blocks === true && f.router_track_active_blocks === false,
    "router_track_output_blocks requires router_track_active_blocks=true"
  ],
  [
    (f) => (f.router_prefill_load_model ?? "none") !== "none" && f.router_track_prefill_tokens === false,
    "router_prefill_load_model requires router_track_prefill_tokens=true"
  ],
  [
    (f) => (f.router_predicted_ttl_secs ?? null) !== null && f.use_kv_events === false,
    "router_predicted_ttl_secs requires use_kv_events=true"
  ],
  [
    (f) => f.enable_session_prefix_index === true && f.use_kv_events === false,
    "enable_session_prefix_index requires use_kv_events=true"
  ],
  [
    (f) => f.use_remote_indexer === true && f.serve_indexer === true,
    "use_remote_indexer and serve_indexer are mutually exclusive"
  ],
  [
    (f) => f.router_tracking_hash !== "keyed-xxh3-v1" && ((f.router_tracking_key_file ?? null) !== null || (f.router_tracking_key_id ?? null) !== null),
    "router tracking key options require router_tracking_hash=keyed-xxh3-v1"
  ],
  [
    (f) => f.router_tracking_hash === "keyed-xxh3-v1" && (f.router_tracking_key_file ?? null) === null,
    "keyed-xxh3-v1 requires router_tracking_key_file"
  ],
  [
    (f) => f.router_tracking_hash === "keyed-xxh3-v1" && !f.router_tracking_key_id,
    "keyed-xxh3-v1 requires a nonempty router_tracking_key_id"
  ]
];
function refuse(path, reason, hint) {
  const message = PREFIX + reason;
  return new ConfigError(message, [
    {
      path,
      message,
      ...hint ? {
        hint
      } : {}
    }
  ]);
}
function readKvRouterConfig(config) {
  if (config === null || typeof config !== "object" || Array.isArray(config)) {
    throw refuse("", `invalid type: ${shown(config)}, expected struct KvRouterConfigSerde`);
  }
  const values = config;
  for (const [name2, value] of Object.entries(values)) {
    if (!Object.hasOwn(FIELDS, name2)) {
      const near = nearName(name2, names);
      const hint = near && `did you mean \`${near}\`?`;
      throw refuse(name2, `unknown field \`${name2}\`, expected ${choices(names)}`, hint);
    }
    const wrong2 = misshapen(FIELDS[name2], value);
    if (wrong2 !== null) throw refuse(name2, wrong2);
  }
  const old = values.overlap_score_weight ?? null;
  const merged = old === null ? values : {
    ...values,
    prefill_load_scale: old,
    ...old === 0 ? {
      overlap_score_credit: 0
    } : {}
  };
  for (const name2 of names) {
    const { least, most, text } = FIELDS[name2], value = merged[name2];
    if (typeof value !== "number" || text === void 0) continue;
    if (value < (least ?? -Infinity) || value > (most ?? Infinity)) throw refuse(name2, `${name2} ${text}`);
  }
  for (const [broken, text] of RULES) if (broken(merged)) throw refuse(text.split(" ")[0], text);
  return {
    settings: settingsOf(merged),
    policyFile: merged.router_policy_config ?? null,
    withoutEffect: withoutEffect(values, "router_config")
  };
}
function withoutEffect(values, where) {
  return Object.keys(values).filter((name2) => FIELDS[name2].unused !== void 0).map((name2) => `${where}.${name2} has no effect: ${FIELDS[name2].unused}`);
}
function settingsOf(values) {
  const all = {
    overlapScoreCredit: values.overlap_score_credit,
    overlapScoreCreditDecay: values.overlap_score_credit_decay,
    prefillLoadScale: values.prefill_load_scale,
    decodeActiveRequestWeight: values.decode_active_request_weight,
    temperature: values.router_temperature,
    trackActiveBlocks: values.router_track_active_blocks,
    assumeKvReuse: values.router_assume_kv_reuse,
    trackPrefillTokens: values.router_track_prefill_tokens,
    prefillLoadModel: values.router_prefill_load_model === "ais" ? "aic" : values.router_prefill_load_model,
    queueThreshold: values.router_queue_threshold,
    queuePolicy: values.router_queue_policy
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== void 0));
}
function completeKvSettings(given3, profile = given3.profile ?? null) {
  const settings = {
    ...KV_ROUTER_DEFAULTS,
    profile
  };
  for (const [name2, value] of Object.entries(given3)) {
    if (value !== void 0) Object.assign(settings, {
      [name2]: value
    });
  }
  settings.profile = profile;
  const wrong2 = (path, message) => new ConfigError(message, [
    {
      path,
      message
    }
  ]);
  const checked = [
    [
      "overlapScoreCredit",
      "overlap_score_credit"
    ],
    [
      "overlapScoreCreditDecay",
      "overlap_score_credit_decay"
    ],
    [
      "prefillLoadScale",
      "prefill_load_scale"
    ],
    [
      "decodeActiveRequestWeight",
      "decode_active_request_weight"
    ],
    [
      "temperature",
      "router_temperature"
    ],
    [
      "queueThreshold",
      "router_queue_threshold"
    ]
  ];
  for (const [key, name2] of checked) {
    const value = settings[key];
    if (value === null && key === "queueThreshold") continue;
    if (!(typeof value === "number" && value >= 0 && value < Infinity)) {
      throw wrong2(name2, `${name2} ${FIELDS[name2].text}`);
    }
  }
  const lag = settings.kvEventLagMs;
  if (!(lag >= 0 && lag < Infinity)) {
    throw wrong2("kv_event_lag_ms", `kv_event_lag_ms must be finite and non-negative, got ${lag}`);
  }
  if (settings.prefillLoadModel !== "none" && !settings.trackPrefillTokens) {
    throw wrong2("router_prefill_load_model", "router_prefill_load_model requires router_track_prefill_tokens=true");
  }
  return settings;
}

// lib/router/holders.ts
var NEXT = 0;
var EDGE = 1;
var RANK = 2;
var BLOCKS = 3;
var FIELDS2 = 4;
var NONE = -1;
var Holders = class _Holders {
  /** First node of each edge that has any. */
  #heads = new RunMap();
  #nodes = new Int32Array(1024 * FIELDS2);
  #used = 0;
  #free = NONE;
  /** Node of `rank` on `edge`, or -1. */
  find(edge, rank) {
    const nodes = this.#nodes;
    let node = this.#heads.get(edge);
    while (node !== NONE && nodes[node * FIELDS2 + RANK] !== rank) node = nodes[node * FIELDS2 + NEXT];
    return node;
  }
  /** Makes a node of no blocks for a pair that has none. */
  add(edge, rank) {
    let node = this.#free;
    if (node !== NONE) this.#free = this.#nodes[node * FIELDS2 + NEXT];
    else {
      node = this.#used++;
      this.#nodes = reaching(this.#nodes, this.#used * FIELDS2 - 1);
    }
    const at = node * FIELDS2, nodes = this.#nodes, head = this.#heads.get(edge);
    nodes[at + EDGE] = edge;
    nodes[at + RANK] = rank;
    nodes[at + BLOCKS] = 0;
    if (head === NONE) {
      nodes[at + NEXT] = NONE;
      this.#heads.add(edge, node);
    } else {
      nodes[at + NEXT] = nodes[head * FIELDS2 + NEXT];
      nodes[head * FIELDS2 + NEXT] = node;
    }
    return node;
  }
  /** Leading blocks of the node's edge that its rank holds. */
  blocks(node) {
    return this.#nodes[node * FIELDS2 + BLOCKS];
  }
  setBlocks(node, blocks) {
    this.#nodes[node * FIELDS2 + BLOCKS] = blocks;
  }
  /** Forgets a node. */
  remove(node) {
    const nodes = this.#nodes, at = node * FIELDS2, edge = nodes[at + EDGE];
    let before = this.#heads.get(edge);
    if (before === node) {
      if (nodes[at + NEXT] === NONE) this.#heads.delete(edge);
      else this.#heads.set(edge, nodes[at + NEXT]);
    } else {
      while (nodes[before * FIELDS2 + NEXT] !== node) before = nodes[before * FIELDS2 + NEXT];
      nodes[before * FIELDS2 + NEXT] = nodes[at + NEXT];
    }
    nodes[at + NEXT] = this.#free;
    nodes[at + RANK] = NONE;
    this.#free = node;
  }
  /** Sets the blocks of a pair, whether or not it has a node. */
  set(edge, rank, blocks) {
    let node = this.find(edge, rank);
    if (blocks > 0) {
      if (node === NONE) node = this.add(edge, rank);
      this.setBlocks(node, blocks);
    } else if (node !== NONE) this.remove(node);
  }
  /** Forgets everything a rank holds. */
  forget(rank) {
    for (let node = 0; node < this.#used; node++) if (this.#nodes[node * FIELDS2 + RANK] === rank) this.remove(node);
  }
  /**
   * Counts, for every rank, the leading blocks of a prompt that it holds without a gap.
   *
   * @param blocks leading blocks of the prompt that matter
   * @param counts result by rank id; must be long enough for every rank that holds something
   */
  count(prompts, request, blocks, counts) {
    counts.fill(0);
    const { edges, edgeBlocks } = prompts, heads = this.#heads, nodes = this.#nodes;
    for (let at = prompts.start[request], before = 0; before < blocks; at++) {
      const edge = edges[at], wanted = Math.min(edgeBlocks[edge], blocks - before);
      let goOn = false;
      for (let node = heads.get(edge); node !== NONE; node = nodes[node * FIELDS2 + NEXT]) {
        const rank = nodes[node * FIELDS2 + RANK];
        if (counts[rank] !== before) continue;
        const held = nodes[node * FIELDS2 + BLOCKS];
        if (held >= wanted) goOn = true;
        counts[rank] = before + Math.min(held, wanted);
      }
      if (!goOn) return;
      before += wanted;
    }
  }
  static {
    const holders = new _Holders();
    holders.set(0, 0, 1);
    holders.set(0, 0, 0);
  }
};

// lib/router/active_blocks.ts
var ActiveBlocks = class {
  #prompts;
  #holders = new Holders();
  /** Slots of the requests that end inside an edge. */
  #parts = new SlotMap();
  /** By node: requests that cover the whole edge, and the first of those that end inside it (slot + 1, 0 for none). */
  #whole = new Int32Array(1024);
  #part = new Int32Array(1024);
  /** By slot: the next one that ends inside the same edge on the same rank, likewise; and the blocks it covers there. */
  #nextPart = new Int32Array(64);
  #partBlocks = new Int32Array(64);
  #active = new Float64Array(16);
  constructor(prompts) {
    this.#prompts = prompts;
  }
  /** Distinct blocks under work on a rank. */
  on(rank) {
    return rank < this.#active.length ? this.#active[rank] : 0;
  }
  /** Leading blocks of a prompt that are under work already, by rank; see {@linkcode Holders.count}. */
  count(request, blocks, counts) {
    this.#holders.count(this.#prompts, request, blocks, counts);
  }
  /** A rank starts to work on the first `blocks` blocks of a prompt. */
  add(request, rank, blocks) {
    this.#active = reaching(this.#active, rank);
    const { edges, start, edgeBlocks } = this.#prompts;
    for (let at = start[request], left = blocks; left > 0; at++) {
      const edge = edges[at], covered = Math.min(left, edgeBlocks[edge]);
      let node = this.#holders.find(edge, rank);
      if (node < 0) node = this.#addNode(edge, rank);
      if (covered === edgeBlocks[edge]) this.#whole[node]++;
      else this.#link(node, this.#parts.take(request), covered);
      const before = this.#holders.blocks(node);
      if (covered > before) {
        this.#holders.setBlocks(node, covered);
        this.#active[rank] += covered - before;
      }
      left -= covered;
    }
  }
  /** A rank is done with a request that was added with the same `blocks`. */
  remove(request, rank, blocks) {
    const { edges, start, edgeBlocks } = this.#prompts;
    for (let at = start[request], left = blocks; left > 0; at++) {
      const edge = edges[at], covers = left >= edgeBlocks[edge], node = this.#holders.find(edge, rank);
      left -= edgeBlocks[edge];
      if (covers) this.#whole[node]--;
      else this.#unlink(node, this.#parts.give(request));
      if (this.#whole[node] > 0) continue;
      const before = this.#holders.blocks(node);
      let still = 0;
      for (let next = this.#part[node]; next !== 0; next = this.#nextPart[next - 1]) {
        still = Math.max(still, this.#partBlocks[next - 1]);
      }
      this.#active[rank] += still - before;
      if (still > 0) this.#holders.setBlocks(node, still);
      else this.#holders.remove(node);
    }
  }
  #addNode(edge, rank) {
    const node = this.#holders.add(edge, rank);
    this.#whole = reaching(this.#whole, node);
    this.#part = reaching(this.#part, node);
    this.#whole[node] = this.#part[node] = 0;
    return node;
  }
  #link(node, slot, covered) {
    this.#nextPart = reaching(this.#nextPart, slot);
    this.#partBlocks = reaching(this.#partBlocks, slot);
    this.#partBlocks[slot] = covered;
    this.#nextPart[slot] = this.#part[node];
    this.#part[node] = slot + 1;
  }
  #unlink(node, slot) {
    if (this.#part[node] === slot + 1) {
      this.#part[node] = this.#nextPart[slot];
      return;
    }
    let before = this.#part[node] - 1;
    while (this.#nextPart[before] !== slot + 1) before = this.#nextPart[before] - 1;
    this.#nextPart[before] = this.#nextPart[slot];
  }
};

// lib/router/cache_view.ts
var CacheView = class {
  #prompts;
  #lagMs;
  #holders = new Holders();
  #delayed = /* @__PURE__ */ new Map();
  /** @param lagMs time that an event takes, in milliseconds */
  constructor(prompts, lagMs) {
    this.#prompts = prompts;
    this.#lagMs = lagMs;
  }
  resident(rank, edge, blocks, atMs) {
    if (this.#lagMs === 0) return this.#holders.set(edge, rank, blocks);
    let delayed = this.#delayed.get(rank);
    if (delayed === void 0) this.#delayed.set(rank, delayed = {
      rank,
      events: [],
      head: 0
    });
    delayed.events.push(atMs + this.#lagMs, edge, blocks);
  }
  /** Counts the leading blocks of a prompt by rank, as known at `nowMs`; see {@linkcode Holders.count}. */
  count(request, blocks, nowMs, counts) {
    if (this.#delayed.size > 0) {
      for (const delayed of this.#delayed.values()) this.#apply(delayed, nowMs);
    }
    this.#holders.count(this.#prompts, request, blocks, counts);
  }
  /** A rank is gone, with everything it held and every event on its way. */
  forget(rank) {
    this.#delayed.delete(rank);
    this.#holders.forget(rank);
  }
  #apply(delayed, nowMs) {
    const { events, rank } = delayed;
    while (delayed.head < events.length && events[delayed.head] <= nowMs) {
      this.#holders.set(events[delayed.head + 1], rank, events[delayed.head + 2]);
      delayed.head += 3;
    }
    if (delayed.head * 2 > events.length) {
      events.splice(0, delayed.head);
      delayed.head = 0;
    }
  }
};

// lib/router/pick.ts
var Picker = class {
  #random;
  #weights = new Float64Array(16);
  constructor(random) {
    this.#random = random;
  }
  /**
   * Temperature 0 takes the lowest cost, equals by equal chance; above, the best candidate weighs 1 and the worst
   * exp(-1 / temperature), whatever the spread.
   */
  choose(costs, ranks, temperature) {
    const count = ranks.length;
    return temperature === 0 ? this.#cheapest(costs, count) : this.#draw(costs, count, temperature);
  }
  #cheapest(costs, count) {
    let best = 0, ties = 1;
    for (let i = 1; i < count; i++) {
      if (costs[i] < costs[best]) {
        best = i;
        ties = 1;
      } else if (costs[i] === costs[best] && this.#random.below(++ties) === 0) best = i;
    }
    return best;
  }
  #draw(costs, count, temperature) {
    if (this.#weights.length < count) this.#weights = new Float64Array(count * 2);
    const weights = this.#weights;
    let min = costs[0], max = costs[0];
    for (let i = 1; i < count; i++) {
      if (costs[i] < min) min = costs[i];
      if (costs[i] > max) max = costs[i];
    }
    if (min === max) weights.fill(1 / count, 0, count);
    else {
      const unit = max - min < Infinity ? 1 : Math.max(Math.abs(min), Math.abs(max));
      const slope = -1 / ((max / unit - min / unit) * temperature), offset = min / unit * slope;
      let sum = 0;
      for (let i = 0; i < count; i++) sum += weights[i] = Math.exp(costs[i] / unit * slope - offset);
      for (let i = 0; i < count; i++) weights[i] /= sum;
    }
    const drawn = this.#random.unit();
    let reached = 0;
    for (let i = 0; i < count; i++) if (drawn <= (reached += weights[i])) return i;
    return count - 1;
  }
};

// lib/router/prefill_load.ts
var PrefillLoad = class {
  #model;
  /** Slots of the requests with a booking. */
  #slots = new SlotMap();
  #booked = new Int32Array(64);
  /** Expected duration by slot in nanoseconds, -1 when unmodeled; only with a model. */
  #durationNs = new Float64Array(64);
  #sums = new Float64Array(16);
  #lines = [];
  constructor(model = null) {
    this.#model = model;
  }
  /** A rank is to compute `newTokens` of a prompt that starts with `prefixTokens` resident ones. */
  book(request, rank, newTokens, prefixTokens, nowMs) {
    if (newTokens <= 0) return;
    this.#sums = reaching(this.#sums, rank);
    const slot = this.#slots.take(request);
    this.#booked = reaching(this.#booked, slot);
    this.#booked[slot] = newTokens;
    this.#sums[rank] += newTokens;
    if (this.#model === null) return;
    const line = this.#lines[rank] ??= {
      requests: [],
      unmodeled: 0,
      anchorNs: 0
    };
    if (line.requests.push(request) === 1) line.anchorNs = nanoseconds(nowMs / 1e3);
    const expected = this.#model(newTokens, prefixTokens);
    this.#durationNs = reaching(this.#durationNs, slot);
    this.#durationNs[slot] = expected === null ? -1 : nanoseconds(expected / 1e3);
    if (expected === null) line.unmodeled++;
  }
  /** The prompt is computed or will not be; a request without a booking is ignored. */
  remove(request, rank, nowMs) {
    if (this.#slots.get(request) < 0) return;
    const slot = this.#slots.give(request);
    this.#sums[rank] -= this.#booked[slot];
    if (this.#model === null) return;
    const line = this.#lines[rank], at = line.requests.indexOf(request), duration = this.#durationNs[slot];
    line.requests.splice(at, 1);
    if (duration < 0) line.unmodeled--;
    const nowNs = nanoseconds(nowMs / 1e3);
    if (at === 0) line.anchorNs = nowNs;
    else if (duration > 0) line.anchorNs = Math.min(nowNs, line.anchorNs + duration);
  }
  /** Tokens a rank still has to compute at `nowMs`. */
  on(rank, nowMs) {
    const sum = rank < this.#sums.length ? this.#sums[rank] : 0;
    if (this.#model === null || sum === 0) return sum;
    const { requests, unmodeled, anchorNs } = this.#lines[rank];
    const anchor = this.#slots.get(requests[0]), tokens = this.#booked[anchor], duration = this.#durationNs[anchor];
    const elapsed = Math.max(0, nanoseconds(nowMs / 1e3) - anchorNs);
    if (unmodeled === 0) return Math.max(0, sum - completed(tokens, elapsed, duration));
    const left = duration < 0 ? 1 : duration === 0 ? 0 : Math.min(1, Math.max(0, 1 - elapsed / duration));
    return sum - tokens + Math.ceil(tokens * left);
  }
  /** A rank is gone. */
  forget(rank) {
    if (rank < this.#sums.length) this.#sums[rank] = 0;
    delete this.#lines[rank];
  }
};
function completed(tokens, elapsed, duration) {
  if (duration === 0) return tokens;
  const product = tokens * elapsed;
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / duration);
  return Number(BigInt(tokens) * BigInt(elapsed) / BigInt(duration));
}

// lib/router/queue.ts
function score(policy, priority, arrivalS, uncachedTokens) {
  const jump = Math.max(priority, 0);
  if (policy === "wspt") return (1 + jump) / Math.max(1, uncachedTokens);
  return policy === "fcfs" ? jump - arrivalS : jump + arrivalS;
}
var byTurn = (a, b) => b.strictPriority - a.strictPriority || b.score - a.score || a.order - b.order;
var ClassQueue = class {
  kind;
  waiting;
  inputTokens;
  cachedTokens;
  credit;
  constructor(kind) {
    this.kind = kind;
    this.waiting = new Heap(byTurn);
    this.inputTokens = 0;
    this.cachedTokens = 0;
    this.credit = 0;
  }
  /** What the head costs. */
  get price() {
    const { inputTokens, cachedTokens } = this.waiting.first;
    return Math.max(1, inputTokens - cachedTokens);
  }
  get canPay() {
    return this.credit >= this.price;
  }
  push(waiting) {
    this.waiting.push(waiting);
    this.inputTokens += waiting.inputTokens;
    this.cachedTokens += waiting.cachedTokens;
  }
  /** Takes the head, for its price. */
  pop() {
    this.credit -= this.price;
    const head = this.waiting.pop();
    if (this.waiting.size === 0) this.credit = 0;
    this.inputTokens -= head.inputTokens;
    this.cachedTokens -= head.cachedTokens;
    return head;
  }
};
var RequestQueue = class {
  #queues;
  /** Queue the round goes on with, and the one served last in the present drain (-1 for none). */
  #next = 0;
  #served = -1;
  #order = 0;
  constructor(classes) {
    this.#queues = classes.map((kind) => new ClassQueue(kind));
  }
  /** Whether requests of a class wait. */
  waits(queue) {
    return this.#queues[queue].waiting.size > 0;
  }
  /**
   * Appends a request to a class.
   *
   * @param ranks routable ranks, which the limits are multiplied with
   * @returns null, or why the class takes no more: the limit's name, its usage and its value
   */
  push(queue, waiting, ranks) {
    const { kind, waiting: present, inputTokens, cachedTokens } = this.#queues[queue];
    const full = over("requests", present.size, kind.requestLimit, ranks) ?? over("raw_isl_tokens", inputTokens, kind.inputTokenLimit, ranks) ?? over("cached_tokens", cachedTokens, kind.cachedTokenLimit, ranks);
    if (full === null) this.#queues[queue].push({
      ...waiting,
      order: this.#order++
    });
    return full;
  }
  /**
   * Takes the request whose turn it is among the classes that have room.
   *
   * @param hasRoom whether some rank is not busy for the class
   * @returns null when nothing can go now, which ends the drain
   */
  pop(hasRoom) {
    const queues = this.#queues, open = queues.map((queue) => queue.waiting.size > 0 && hasRoom(queue.kind));
    let at = this.#served;
    if (at < 0 || !open[at] || !queues[at].canPay) at = this.#visit(open);
    this.#served = at;
    if (at < 0) return null;
    this.#next = (at + 1) % queues.length;
    return queues[at].pop();
  }
  /** Goes round the open queues to the first that can pay for its head, with a quantum more where needed; -1 for none. */
  #visit(open) {
    const queues = this.#queues;
    let rounds = Infinity;
    for (let i = 0; i < queues.length; i++) {
      const at2 = (this.#next + i) % queues.length, queue = queues[at2];
      if (!open[at2]) continue;
      if (!queue.canPay) queue.credit += queue.kind.quantum;
      if (queue.canPay) return at2;
      rounds = Math.min(rounds, Math.ceil((queue.price - queue.credit) / queue.kind.quantum));
    }
    if (rounds === Infinity) return -1;
    queues.forEach((queue, at2) => open[at2] && (queue.credit += rounds * queue.kind.quantum));
    let at = this.#next;
    while (!open[at] || !queues[at].canPay) at = (at + 1) % queues.length;
    return at;
  }
};
function over(name2, usage, perRank, ranks) {
  if (perRank === null || usage < perRank * ranks) return null;
  return `${name2} limit reached (current=${usage}, limit=${perRank * ranks})`;
}

// lib/router/kv_router.ts
var UNLIMITED_BUDGET = 1e7;
var KvRouter = class {
  needsState = true;
  needsEnds = true;
  needsPrefillDone;
  mayQueue;
  cache;
  placement = {
    overlapTokens: 0,
    overlapBlocks: 0,
    bestOverlapBlocks: 0
  };
  placedRank = -1;
  revision = 0;
  #context;
  #settings;
  #knobs;
  /** Routable ranks, ascending, and where each worker's begin. */
  #ranks = [];
  #workers = /* @__PURE__ */ new Map();
  #view;
  #blocks;
  #load;
  #chooser;
  #profile;
  #queue;
  #hasRoomAtMs = 0;
  #hasRoom = (kind) => !this.#allBusy(kind, this.#hasRoomAtMs);
  /** By rank: requests, blocks when reuse is not assumed, and scratch for the request being placed. */
  #requests = new Int32Array(16);
  #plainBlocks = new Float64Array(16);
  #overlaps = new Int32Array(16);
  #shared = new Int32Array(16);
  /** By position in `#ranks`. */
  #tokens = new Float64Array(16);
  #costs = new Float64Array(16);
  /**
   * @param common settings of all pools of the cluster
   * @param model expected prefill durations; used when the settings ask for the load model
   * @param chooser who chooses by the costs; by default the cheapest rank, or a draw, as the settings say
   */
  constructor(context, common, model = null, chooser = new Picker(new WyRand(common.seed))) {
    const settings = this.#settings = poolSettings(common, POOL_NAMES[context.pool]);
    this.#context = context;
    this.#knobs = {
      overlap_score_credit: settings.overlapScoreCredit,
      prefill_load_scale: settings.prefillLoadScale,
      temperature: settings.temperature
    };
    const decode = context.pool === Pool.decode;
    this.cache = this.#view = decode ? null : new CacheView(context.prompts, settings.kvEventLagMs);
    this.#blocks = settings.trackActiveBlocks && settings.assumeKvReuse ? new ActiveBlocks(context.prompts) : null;
    this.#load = settings.trackPrefillTokens ? new PrefillLoad(settings.prefillLoadModel === "none" ? null : model) : null;
    this.#chooser = chooser;
    this.#profile = settings.profile ?? singleClass(settings);
    const queues = this.#profile.classes.some((kind) => kind.busyTokens !== null || kind.busyFraction !== null);
    this.#queue = queues ? new RequestQueue(this.#profile.classes) : null;
    this.mayQueue = queues;
    this.needsPrefillDone = settings.trackPrefillTokens;
  }
  get knobs() {
    return this.#knobs;
  }
  update(knobs) {
    this.#knobs = {
      ...knobs
    };
    this.revision++;
  }
  join(worker, firstRank, ranks) {
    const at = this.#ranks.findIndex((rank) => rank > firstRank);
    this.#ranks.splice(at < 0 ? this.#ranks.length : at, 0, ...Array.from({
      length: ranks
    }, (_, i) => firstRank + i));
    this.#workers.set(worker, {
      firstRank,
      ranks
    });
    const last = firstRank + ranks - 1;
    this.#requests = reaching(this.#requests, last);
    this.#plainBlocks = reaching(this.#plainBlocks, last);
    this.#overlaps = reaching(this.#overlaps, last);
    this.#shared = reaching(this.#shared, last);
    this.#tokens = reaching(this.#tokens, this.#ranks.length);
    this.#costs = reaching(this.#costs, this.#ranks.length);
  }
  leave(worker) {
    const member = this.#workers.get(worker);
    const at = member === void 0 ? -1 : this.#ranks.indexOf(member.firstRank);
    if (at >= 0) this.#ranks.splice(at, member.ranks);
  }
  forget(worker) {
    this.leave(worker);
    const { firstRank, ranks } = this.#workers.get(worker) ?? {
      firstRank: 0,
      ranks: 0
    };
    this.#workers.delete(worker);
    for (let rank = firstRank; rank < firstRank + ranks; rank++) {
      this.#view?.forget(rank);
      this.#load?.forget(rank);
    }
  }
  place(request, nowMs) {
    const blocks = this.#promptBlocks(request);
    if (this.#view !== null) this.#view.count(request, blocks, nowMs, this.#overlaps);
    if (this.#queue !== null && this.#enqueue(this.#queue, request, nowMs)) return -1;
    return this.#assign(request, this.#overlaps, nowMs);
  }
  prefillDone(request, rank, nowMs) {
    this.#load?.remove(request, rank, nowMs);
  }
  ended(request, rank, nowMs) {
    this.#load?.remove(request, rank, nowMs);
    this.#requests[rank]--;
    const blocks = this.#promptBlocks(request);
    if (this.#blocks !== null) this.#blocks.remove(request, rank, blocks);
    else this.#plainBlocks[rank] -= blocks;
  }
  nextReleased(nowMs) {
    if (this.#queue === null) return -1;
    this.#hasRoomAtMs = nowMs;
    const waiting = this.#queue.pop(this.#hasRoom);
    if (waiting === null) return -1;
    this.placedRank = this.#assign(waiting.request, waiting.overlaps, nowMs);
    return waiting.request;
  }
  #promptBlocks(request) {
    return Math.floor(this.#context.records.inputTokens[request] / this.#context.prompts.blockTokens);
  }
  /** Leading blocks on the routable rank that has most; ranks that joined after the look-up have none. */
  #best(overlaps) {
    let best = 0;
    for (const rank of this.#ranks) if (rank < overlaps.length && overlaps[rank] > best) best = overlaps[rank];
    return best;
  }
  /** Keeps the request if its class must wait. */
  #enqueue(queue, request, nowMs) {
    const { workload, prompts, records } = this.#context;
    const inputTokens = records.inputTokens[request];
    const cachedTokens = Math.min(inputTokens, this.#best(this.#overlaps) * prompts.blockTokens);
    const classIndex = this.#classOf(request, inputTokens - cachedTokens), kind = this.#profile.classes[classIndex];
    if (!queue.waits(classIndex) && !this.#allBusy(kind, nowMs)) return false;
    const waiting = {
      request,
      inputTokens,
      cachedTokens,
      strictPriority: workload.strictPriority?.[request] ?? 0,
      score: score(kind.policy, workload.priority?.[request] ?? 0, nowMs / 1e3, inputTokens - cachedTokens),
      overlaps: this.#overlaps.slice()
    };
    const full = queue.push(classIndex, waiting, this.#ranks.length);
    if (full !== null) {
      throw new SimulationError(`placement policy error: router policy class "${kind.name}" queue ${full}`);
    }
    return true;
  }
  #classOf(request, uncachedTokens) {
    const { explicit, families, defaultFamily, bucketTokens } = this.#profile;
    const name2 = this.#context.workload.policyClass?.get(request);
    const own = name2 === void 0 ? void 0 : explicit.get(name2);
    if (own !== void 0) return own;
    const family = (name2 === void 0 ? void 0 : families.get(name2)) ?? families.get(defaultFamily);
    let bucket = bucketTokens.length - 1;
    while (bucketTokens[bucket] > uncachedTokens) bucket--;
    return family[bucket];
  }
  #allBusy(kind, nowMs) {
    if (kind.busyTokens === null && kind.busyFraction === null) return false;
    const budget = this.#context.maxBatchedTokens, perPass = budget === Infinity ? UNLIMITED_BUDGET : budget;
    const absolute = kind.busyTokens ?? Infinity;
    const relative = kind.busyFraction === null ? Infinity : kind.busyFraction * perPass;
    const limit = Math.min(absolute, relative);
    for (const rank of this.#ranks) if (!((this.#load?.on(rank, nowMs) ?? 0) > limit)) return false;
    return true;
  }
  /** Scores every routable rank, picks one and counts the request there. */
  #assign(request, overlaps, nowMs) {
    const { prompts, records } = this.#context, inputTokens = records.inputTokens[request];
    this.#score(request, overlaps, nowMs);
    const rank = this.#ranks[this.#chooser.choose(this.#costs, this.#ranks, this.#knobs.temperature, request)];
    const overlap = rank < overlaps.length ? overlaps[rank] : 0, cached = overlap * prompts.blockTokens;
    const { placement } = this;
    placement.overlapBlocks = overlap;
    placement.overlapTokens = cached;
    placement.bestOverlapBlocks = this.#best(overlaps);
    this.#requests[rank]++;
    const blocks = this.#promptBlocks(request);
    if (this.#blocks !== null) this.#blocks.add(request, rank, blocks);
    else this.#plainBlocks[rank] += blocks;
    this.#load?.book(request, rank, inputTokens - cached, cached, nowMs);
    return rank;
  }
  /** Fills `#costs`. The order of operations is the reference's, so that equal costs are equal bit by bit. */
  #score(request, overlaps, nowMs) {
    const ranks = this.#ranks, tokens = this.#tokens, costs = this.#costs, load = this.#load;
    if (ranks.length === 0) throw new SimulationError("placement policy error: no endpoints available to route work");
    const { trackActiveBlocks, overlapScoreCreditDecay, decodeActiveRequestWeight } = this.#settings;
    const { overlap_score_credit: fullCredit, prefill_load_scale: scale } = this.#knobs;
    const { prompts, records } = this.#context, size = prompts.blockTokens, inputTokens = records.inputTokens[request];
    const blocks = this.#promptBlocks(request), allBlocks = Math.max(1, Math.ceil(inputTokens / size));
    this.#blocks?.count(request, blocks, this.#shared);
    let least = Infinity;
    for (let i = 0; i < ranks.length; i++) {
      tokens[i] = load === null ? 0 : load.on(ranks[i], nowMs);
      if (tokens[i] < least) least = tokens[i];
    }
    for (let i = 0; i < ranks.length; i++) {
      const rank = ranks[i];
      let decode = 0;
      if (this.#blocks !== null) decode = this.#blocks.on(rank) + (blocks - this.#shared[rank]);
      else if (trackActiveBlocks) decode = this.#plainBlocks[rank] + blocks;
      let prefill = 0;
      if (load !== null) {
        const decay = overlapScoreCreditDecay > 0 ? 1 / (1 + overlapScoreCreditDecay * ((tokens[i] - least) / size / allBlocks)) : 1;
        const credit = fullCredit * decay * (rank < overlaps.length ? overlaps[rank] : 0);
        prefill = Math.max(0, (tokens[i] + inputTokens) / size - credit);
      }
      costs[i] = scale * prefill + decode + decodeActiveRequestWeight * this.#requests[rank];
      if (!Number.isFinite(costs[i])) {
        throw new SimulationError(`placement policy error: scorer 0 produced a non-finite cost for candidate row ${i}`);
      }
    }
  }
};

// lib/router/kv_factory.ts
var OPTIONS = {
  overlapScoreCredit: true,
  overlapScoreCreditDecay: true,
  prefillLoadScale: true,
  decodeActiveRequestWeight: true,
  temperature: true,
  trackActiveBlocks: true,
  assumeKvReuse: true,
  trackPrefillTokens: true,
  prefillLoadModel: true,
  queueThreshold: true,
  queuePolicy: true,
  profile: true,
  kvEventLagMs: true,
  seed: true,
  prefillLoadMs: true
};
function kvRouter(options = {}) {
  checkOptions("kvRouter()", options, OPTIONS);
  const { seed = DEFAULT_ROUTER_SEED, prefillLoadMs = null, ...given3 } = options;
  if (typeof seed === "number" && !(Number.isSafeInteger(seed) && seed >= 0)) {
    throw wrong("router.seed", `seed must be a non-negative integer, got ${seed}`);
  }
  const settings = completeKvSettings({
    ...given3,
    seed: BigInt(seed)
  });
  if (settings.prefillLoadModel === "aic" && prefillLoadMs === null) {
    throw wrong("router.prefill_load_model", "router_prefill_load_model='aic' requires a performance model");
  }
  return (context) => new KvRouter(context, settings, prefillLoadMs);
}
var wrong = (path, message) => new ConfigError(message, [
  {
    path,
    message
  }
]);

// lib/router/policy_profile.ts
var given = (value) => value !== void 0 && value !== null;
var quoted = (text) => JSON.stringify(text);
function queueProfile({ family, classes, buckets }, wrong2) {
  const checkName = (what, text) => {
    if (!/^[A-Za-z0-9_.-]+$/.test(String(text))) throw wrong2(`${what} name ${quoted(text)} must match [A-Za-z0-9_.-]+`);
  };
  if (classes.length === 0) throw wrong2("policy_classes must not be empty");
  if (buckets.length === 0) throw wrong2("uncached_isl_buckets must not be empty");
  checkName("policy family", family);
  const bucketNames = [];
  buckets.forEach(({ bucket, min_tokens }, i) => {
    checkName("cache bucket", bucket);
    if (i === 0 && min_tokens !== 0) throw wrong2("uncached_isl_buckets must start at min_tokens 0");
    if (i > 0 && min_tokens <= buckets[i - 1].min_tokens) {
      throw wrong2("uncached_isl_buckets min_tokens must be strictly increasing");
    }
    if (bucketNames.includes(bucket)) throw wrong2(`contains duplicate cache bucket ${quoted(bucket)}`);
    bucketNames.push(bucket);
  });
  const explicit = /* @__PURE__ */ new Map(), families = /* @__PURE__ */ new Map(), seen = /* @__PURE__ */ new Set();
  classes.forEach((kind, position) => {
    checkName("policy class", kind.name);
    const called = `policy class ${quoted(kind.name)}`;
    if (seen.has(kind.name)) throw wrong2(`contains duplicate ${called}`);
    seen.add(kind.name);
    if (kind.quantum === 0) throw wrong2(`${called} quantum must be greater than zero`);
    if (![
      "fcfs",
      "wspt"
    ].includes(kind.queue_policy ?? "fcfs")) {
      throw wrong2(`${called} queue_policy must be fcfs or wspt`);
    }
    const part = kind.prefill_busy_threshold_frac;
    if (given(part) && !(part >= 0 && part < Infinity)) {
      throw wrong2(`${called} prefill_busy_threshold_frac must be finite and non-negative`);
    }
    if (given(kind.policy_family) !== given(kind.cache_bucket)) {
      throw wrong2(`${called} must specify both policy_family and cache_bucket or neither for an explicit class`);
    }
    if (!given(kind.policy_family)) {
      explicit.set(kind.name, position);
      return;
    }
    checkName("policy family", kind.policy_family);
    const bucket = bucketNames.indexOf(kind.cache_bucket);
    if (bucket < 0) throw wrong2(`${called} references unknown cache bucket ${quoted(kind.cache_bucket)}`);
    let row = families.get(kind.policy_family);
    if (row === void 0) families.set(kind.policy_family, row = bucketNames.map(() => -1));
    if (row[bucket] >= 0) {
      throw wrong2(`contains duplicate policy classes for family ${quoted(kind.policy_family)} and bucket ${quoted(kind.cache_bucket)}`);
    }
    row[bucket] = position;
  });
  if (!families.has(family)) throw wrong2(`default_policy_family ${quoted(family)} does not name a configured family`);
  for (const [called, row] of families) {
    const gap = row.indexOf(-1);
    if (gap >= 0) {
      throw wrong2(`is missing a policy class for family ${quoted(called)} and bucket ${quoted(bucketNames[gap])}`);
    }
  }
  return {
    classes: classes.map(queueClass),
    explicit,
    families,
    defaultFamily: family,
    bucketTokens: buckets.map(({ min_tokens }) => min_tokens)
  };
}
function queueClass(kind) {
  const number = (field) => kind[field] ?? null;
  return {
    name: kind.name,
    quantum: kind.quantum,
    policy: kind.queue_policy ?? "fcfs",
    busyTokens: number("prefill_busy_threshold"),
    busyFraction: number("prefill_busy_threshold_frac"),
    requestLimit: number("request_queue_limit_per_worker"),
    inputTokenLimit: number("raw_isl_token_queue_limit_per_worker"),
    cachedTokenLimit: number("cached_token_queue_limit_per_worker")
  };
}

// lib/router/policy_file.ts
var PROFILE_FIELDS = [
  "default_policy_family",
  "policy_classes",
  "uncached_isl_buckets"
];
var TOP_FIELDS = [
  "router",
  ...PROFILE_FIELDS,
  "models",
  "worker_selection",
  "request_classifier"
];
var PROCESS_FIELDS = [
  "host_cache_hit_weight",
  "disk_cache_hit_weight",
  "use_kv_events",
  "router_replica_sync",
  "router_track_active_blocks",
  "router_track_output_blocks",
  "router_assume_kv_reuse",
  "router_track_prefill_tokens",
  "router_tracking_hash",
  "router_tracking_key_file",
  "router_tracking_key_id",
  "router_prefill_load_model",
  "router_ttl_secs",
  "router_event_threads",
  "use_remote_indexer",
  "serve_indexer",
  "enable_session_prefix_index",
  "shared_cache_type",
  "router_predicted_ttl_secs"
];
var usize = {
  is: "usize"
};
var name = {
  is: "text"
};
var optional = (shape) => ({
  ...shape,
  nullable: true
});
var CLASS_FIELDS = {
  name,
  policy_family: optional(name),
  cache_bucket: optional(name),
  queue_policy: name,
  quantum: usize,
  prefill_busy_threshold: optional(usize),
  prefill_busy_threshold_frac: optional({
    is: "f64"
  }),
  request_queue_limit_per_worker: optional(usize),
  raw_isl_token_queue_limit_per_worker: optional(usize),
  cached_token_queue_limit_per_worker: optional(usize)
};
var BUCKET_FIELDS = {
  min_tokens: usize,
  bucket: name
};
var POLICY_FILE_OPTIONS = {
  path: true,
  model: true,
  roles: true
};
function readPolicyFile(file, options = {}) {
  checkOptions("readPolicyFile()", options, POLICY_FILE_OPTIONS);
  const unparsed = (where, reason) => refusal(`failed to parse router policy config ${options.path ?? "policy file"}: ${where ? `${where}: ` : ""}${reason}`);
  const top = mapping(file ?? {}, "struct RawRouterPolicyConfig", "", unparsed);
  known(top, TOP_FIELDS, "", unparsed);
  const router = given2(top.router) ? mapping(top.router, "a map", "router", unparsed) : null;
  const models = given2(top.models) ? mapping(top.models, "a map", "models", unparsed) : {};
  const rootParts = PROFILE_FIELDS.filter((field) => given2(top[field]));
  const root = rootParts.length > 0 ? top : null;
  const raw = /* @__PURE__ */ new Map();
  if (root !== null && rootParts.length === PROFILE_FIELDS.length) raw.set("root", rawProfile(root, "", unparsed));
  for (const [model, value] of Object.entries(models)) {
    const where = `models.${model}`, profile = mapping(value, "struct RawModelPolicyConfig", where, unparsed);
    known(profile, PROFILE_FIELDS, where, unparsed);
    const missing = PROFILE_FIELDS.find((field) => !given2(profile[field]));
    if (missing !== void 0) throw unparsed(where, `missing field \`${missing}\``);
    raw.set(`model ${JSON.stringify(model)}`, rawProfile(profile, `${where}.`, unparsed));
  }
  const selections = given2(top.worker_selection) ? customSelections(top.worker_selection, unparsed) : null;
  if (given2(top.request_classifier)) {
    const classifier = mapping(top.request_classifier, "struct RawRequestClassifierConfig", "request_classifier", unparsed);
    known(classifier, [
      "type",
      "parameters"
    ], "request_classifier", unparsed);
    if (!given2(classifier.type)) throw unparsed("request_classifier", "missing field `type`");
  }
  if (!router && !root && raw.size === 0 && !selections && !given2(top.request_classifier)) {
    throw invalid("router policy config must define router settings, a root profile, at least one model profile, worker_selection, or request_classifier");
  }
  if (root !== null && rootParts.length < PROFILE_FIELDS.length) {
    throw invalid("root profile must specify default_policy_family, uncached_isl_buckets, and policy_classes when any root profile field is present");
  }
  if (Object.hasOwn(models, "")) throw invalid("model profile name must not be empty");
  const settings = router === null ? {} : processSettings(router);
  const profiles = new Map([
    ...raw
  ].map(([owner, profile]) => [
    owner,
    queueProfile(profile, (reason) => invalid(`${owner} ${reason}`))
  ]));
  for (const role of options.roles ?? [
    "aggregated",
    "prefill",
    "decode"
  ]) {
    const custom = selections?.get(role);
    if (custom === void 0) continue;
    const text = `custom worker-selection policy ${JSON.stringify(custom)} is not supported by replay`;
    throw refusal(text, "placement policy error: ");
  }
  if (given2(top.request_classifier)) {
    throw refusal("offline replay does not support request_classifier plugins", "placement policy error: ");
  }
  const own = options.model === void 0 ? void 0 : profiles.get(`model ${JSON.stringify(options.model)}`);
  return {
    settings,
    profile: own ?? profiles.get("root") ?? null,
    withoutEffect: router === null ? [] : withoutEffect(router, "policy file: router")
  };
}
var given2 = (value) => value !== void 0 && value !== null;
function refusal(reason, prefix = "router_policy_config: ") {
  const message = prefix + reason;
  return new ConfigError(message, [
    {
      path: "router_policy_config",
      message
    }
  ]);
}
var invalid = (reason) => refusal(`invalid router policy config: ${reason}`);
function mapping(value, expected, where, refuse2) {
  if (isMapping(value)) return value;
  throw refuse2(where, `invalid type: ${shown(value)}, expected ${expected}`);
}
function list(value, where, refuse2) {
  if (Array.isArray(value)) return value;
  throw refuse2(where, `invalid type: ${shown(value)}, expected a sequence`);
}
function known(value, fields, where, refuse2) {
  for (const field of Object.keys(value)) {
    if (!fields.includes(field)) throw refuse2(where, `unknown field \`${field}\`, expected ${choices(fields)}`);
  }
}
function shaped(value, shapes, where, refuse2, free = "") {
  const fields = mapping(value, "a map", where, refuse2);
  known(fields, Object.keys(shapes), where, refuse2);
  for (const [field, shape] of Object.entries(shapes)) {
    if (fields[field] === void 0) {
      if (!shape.nullable && field !== free) throw refuse2(where, `missing field \`${field}\``);
      continue;
    }
    const wrong2 = misshapen(shape, fields[field]);
    if (wrong2 !== null) throw refuse2(`${where}.${field}`, wrong2.replace("invalid value", "invalid type"));
  }
  return fields;
}
function rawProfile(value, at, refuse2) {
  const wrong2 = misshapen(name, value.default_policy_family);
  if (wrong2 !== null) throw refuse2(`${at}default_policy_family`, wrong2);
  const items = (field, shapes, free = "") => list(value[field], at + field, refuse2).map((item, i) => shaped(item, shapes, `${at}${field}[${i}]`, refuse2, free));
  return {
    family: value.default_policy_family,
    classes: items("policy_classes", CLASS_FIELDS, "queue_policy"),
    buckets: items("uncached_isl_buckets", BUCKET_FIELDS)
  };
}
function processSettings(router) {
  for (const [field, value] of Object.entries(router)) {
    if (!PROCESS_FIELDS.includes(field)) throw invalid(`unknown router setting: ${field}`);
    const wrong2 = misshapen(FIELDS[field], value);
    if (wrong2 !== null) throw invalid(`router.${field}: ${wrong2}`);
  }
  return settingsOf(router);
}
function customSelections(value, refuse2) {
  const roles = [
    "aggregated",
    "prefill",
    "decode",
    "encode"
  ];
  const selection = mapping(value, "struct RawWorkerSelectionConfig", "worker_selection", refuse2);
  known(selection, [
    ...roles,
    "instances"
  ], "worker_selection", refuse2);
  const instances = given2(selection.instances) ? list(selection.instances, "worker_selection.instances", refuse2).map((item, i) => {
    const where = `worker_selection.instances[${i}]`, instance = mapping(item, "a map", where, refuse2);
    for (const field of [
      "name",
      "type"
    ]) {
      if (!given2(instance[field])) throw refuse2(where, `missing field \`${field}\``);
    }
    return String(instance.name);
  }) : [];
  const chosen = new Map(roles.filter((role) => given2(selection[role])).map((role) => [
    role,
    String(selection[role])
  ]));
  if (chosen.size === 0 && instances.length === 0) {
    throw invalid("worker_selection must define an instance or an aggregated, prefill, decode, or encode selection");
  }
  for (const [role, instance] of chosen) {
    if (instance === "default") chosen.delete(role);
    else if (!instances.includes(instance)) {
      throw invalid(`worker_selection ${role} ${JSON.stringify(instance)} does not name a configured instance`);
    }
  }
  return chosen;
}

// lib/router/gateway.ts
var GatewayRouter = class {
  mayQueue = true;
  needsState;
  needsPrefillDone;
  needsEnds;
  cache;
  placedRank = -1;
  #router;
  #waiting;
  #workers = /* @__PURE__ */ new Set();
  constructor(router, waiting) {
    this.#router = router;
    this.#waiting = waiting;
    this.needsState = router.needsState;
    this.needsPrefillDone = router.needsPrefillDone;
    this.needsEnds = router.needsEnds;
    this.cache = router.cache;
  }
  get placement() {
    return this.#router.placement;
  }
  get knobs() {
    return this.#router.knobs;
  }
  get revision() {
    return this.#router.revision;
  }
  join(worker, firstRank, ranks, nowMs) {
    this.#workers.add(worker);
    this.#router.join(worker, firstRank, ranks, nowMs);
  }
  leave(worker, nowMs) {
    this.#workers.delete(worker);
    this.#router.leave(worker, nowMs);
  }
  forget(worker, nowMs) {
    this.#router.forget(worker, nowMs);
  }
  place(request, nowMs) {
    if (this.#workers.size > 0) return this.#router.place(request, nowMs);
    this.#waiting.push(request);
    return -1;
  }
  prefillDone(request, rank, nowMs) {
    this.#router.prefillDone(request, rank, nowMs);
  }
  ended(request, rank, nowMs) {
    this.#router.ended(request, rank, nowMs);
  }
  nextReleased(nowMs) {
    if (this.#workers.size === 0) return -1;
    while (this.#waiting.length > 0) {
      const request2 = this.#waiting.shift();
      this.placedRank = this.#router.place(request2, nowMs);
      if (this.placedRank >= 0) return request2;
    }
    const request = this.#router.nextReleased(nowMs);
    this.placedRank = this.#router.placedRank;
    return request;
  }
  update(knobs) {
    this.#router.update(knobs);
  }
};
function gateway() {
  const queue = [];
  return {
    waiting: () => queue.length,
    before: (router) => (context) => new GatewayRouter(router(context), queue)
  };
}

export {
  gateway,
  readKvRouterConfig,
  kvRouter,
  readPolicyFile
};
