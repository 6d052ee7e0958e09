import {
  energyModels
} from "./shared.js";
import "./config.js";
import {
  DECODE_QUESTION,
  plainSpecs
} from "./timing.js";
import "./base.js";

// lib/timing/aic/operation_ledger.ts
var OperationLedger = class {
  #base;
  #deployment;
  #model;
  #bounds;
  #energies;
  /** The bound of operators that have no measurements. */
  #leastMs;
  /** Measurements alone, where gaps in them are estimated; else null. */
  #measured;
  #beyond;
  #overlaps = /* @__PURE__ */ new Map();
  /** How often each pass was asked for, by its load. */
  #prefill = /* @__PURE__ */ new Map();
  #decode = /* @__PURE__ */ new Map();
  /** Every question is a pass. */
  inOrder = true;
  ranks;
  mixedMs;
  /** @param base the timing model of `deployment` as the engines of `stack` ask it */
  constructor(base, deployment, stack) {
    this.#base = base;
    this.#deployment = deployment;
    this.#model = deployment.forwardPassModel();
    this.#bounds = [
      [
        "boundMs",
        deployment.inMode("SOL").forwardPassModel()
      ],
      [
        "arithmeticMs",
        deployment.boundModel("arithmetic")
      ],
      [
        "memoryMs",
        deployment.boundModel("memory")
      ]
    ];
    this.#leastMs = deployment.boundModel("whole");
    this.#energies = energyModels(deployment);
    this.#measured = deployment.databaseMode === "HYBRID" ? deployment.inMode("SILICON").forwardPassModel() : null;
    const { context, generation } = this.#model.lists;
    for (const spec of [
      ...context,
      ...generation
    ]) {
      if (spec.kind === "overlap") this.#overlaps.set(spec.name, new Set(plainSpecs([
        spec
      ]).flatMap(sourcesOf)));
    }
    this.#beyond = DECODE_QUESTION[stack].beyond;
    this.ranks = base.ranks;
    if (base.mixedMs !== void 0) this.mixedMs = this.#mixedMs;
  }
  prefillMs(requests, newTokens, prefixTokens) {
    count(this.#prefill, requests, requests * newTokens, requests * prefixTokens);
    return this.#base.prefillMs(requests, newTokens, prefixTokens);
  }
  decodeMs(requests, contextTokens, capacityTokens, squaredTokens = 0) {
    const batch = requests * (this.#model.nextn + 1), length = Math.floor(contextTokens / requests) + this.#beyond;
    count(this.#decode, 0, 0, 0, batch, batch * length);
    return this.#base.decodeMs(requests, contextTokens, capacityTokens, squaredTokens);
  }
  #mixedMs(prompts, newTokens, priorTokens, decodes, contextTokens) {
    const width = this.#model.nextn + 1;
    count(this.#prefill, prompts, newTokens, priorTokens, decodes * width, (contextTokens + decodes) * width);
    return this.#base.mixedMs(prompts, newTokens, priorTokens, decodes, contextTokens);
  }
  /** What was added up. */
  totals() {
    return {
      complete: true,
      prefill: this.#totals(this.#prefill),
      decode: this.#totals(this.#decode)
    };
  }
  #totals(passes) {
    const sums = /* @__PURE__ */ new Map();
    for (const [key, times] of passes) this.#add(sums, loadOf(key), times);
    const known = (bound) => Number.isNaN(bound) ? null : bound;
    const of = ([name, { sources, ...sum }]) => ({
      name,
      ...sum,
      boundMs: known(sum.boundMs),
      arithmeticMs: known(sum.arithmeticMs),
      memoryMs: known(sum.memoryMs),
      source: sources.size > 1 ? "mixed" : [
        ...sources
      ][0]
    });
    return [
      ...sums
    ].map(of).sort((a, b) => a.name < b.name ? -1 : 1);
  }
  #add(sums, load, times) {
    const measured = this.#measured?.plainRows(load) ?? [];
    const gaps = new Set(measured.filter(({ ms }) => Number.isNaN(ms)).map(({ top }) => top));
    const least = this.#leastMs.plainRows(load);
    for (const { top, name, ms, spec } of this.#model.plainRows(load)) {
      let sum = sums.get(top);
      if (sum === void 0) sums.set(top, sum = newSum());
      sum.ms += ms * times;
      const atBound = maybeAtBound(spec) && least.some((row) => row.top === top && row.name === name && row.ms === ms);
      const sources = gaps.has(top) ? [
        "empirical"
      ] : atBound ? [
        "sol"
      ] : this.#sourcesOf(top, spec);
      for (const source of sources) sum.sources.add(source);
    }
    for (const [field, model] of this.#bounds) {
      for (const { top, ms } of model.plainRows(load)) {
        const sum = sums.get(top);
        if (sum !== void 0) sum[field] += ms * times;
      }
    }
    for (const { name, ms } of this.#energies?.covered.passRows(load) ?? []) sums.get(name).coveredMs += ms * times;
    for (const { name, ms } of this.#energies?.energy.passRows(load) ?? []) sums.get(name).energy += ms * times;
  }
  /** Of operators that run side by side both lists count, whichever takes longer. */
  #sourcesOf(top, spec) {
    const mode = this.#deployment.databaseMode;
    if (mode === "HYBRID" || mode === "SILICON" || spec.kind === "p2p" && spec.stages <= 1) {
      return this.#overlaps.get(top) ?? sourcesOf(spec);
    }
    return [
      mode === "SOL" ? "sol" : "empirical"
    ];
  }
};
var newSum = () => ({
  ms: 0,
  boundMs: 0,
  arithmeticMs: 0,
  memoryMs: 0,
  coveredMs: 0,
  energy: 0,
  sources: /* @__PURE__ */ new Set()
});
function count(passes, ...sums) {
  const key = sums.join();
  passes.set(key, (passes.get(key) ?? 0) + 1);
}
function loadOf(key) {
  const [prompts, fresh, prior, decodes, known] = key.split(",").map(Number);
  return {
    num_prefill_requests: prompts,
    sum_prefill_tokens: fresh,
    sum_prefill_kv_tokens: prior,
    num_decode_requests: decodes,
    sum_decode_kv_tokens: known
  };
}
var maybeAtBound = ({ kind, ...spec }) => kind === "gdn" || kind === "kda" || kind === "mamba2" || "belowGrid" in spec && spec.belowGrid === true;
function sourcesOf(spec) {
  switch (spec.kind) {
    case "embedding":
    case "elementwise":
      return [
        "empirical"
      ];
    case "context_attention":
      return [
        "silicon",
        "empirical"
      ];
    case "generation_attention":
      return spec.qkNorm ? [
        "silicon",
        "empirical"
      ] : [
        "silicon"
      ];
    case "all_reduce":
      return spec.ranks > 1 ? [
        "silicon"
      ] : [
        "empirical"
      ];
    case "p2p":
      return spec.stages > 1 ? [
        "empirical"
      ] : [
        "silicon"
      ];
    case "gemm":
      return spec.mode === "fp8_static" ? [
        "estimated"
      ] : [
        "silicon"
      ];
    default:
      return [
        "silicon"
      ];
  }
}

// lib/replay/run_operations.ts
var RunOperations = class {
  #roles;
  #ready;
  #stack;
  #ledgers = [];
  /**
   * @param stack whose engines ask
   * @param ready timing models that replace a role's own
   */
  constructor(roles, stack = "dynamo", ready = []) {
    this.#roles = roles;
    this.#stack = stack;
    this.#ready = ready;
  }
  /** The pools, their passes looked at. */
  watched(pools) {
    return pools.map((pool, i) => {
      const { measured } = this.#roles[i];
      if (measured === null || this.#ready[i] !== void 0) return pool;
      const ledger = new OperationLedger(pool.timing, measured, this.#stack);
      this.#ledgers.push(ledger);
      return {
        ...pool,
        timing: ledger
      };
    });
  }
  /** Null when no role's times are measured. */
  totals() {
    if (this.#ledgers.length === 0) return null;
    const all = this.#ledgers.map((ledger) => ledger.totals());
    return {
      complete: this.#ledgers.length === this.#roles.length,
      prefill: all.flatMap(({ prefill }) => prefill).sort(byName),
      decode: all.flatMap(({ decode }) => decode).sort(byName)
    };
  }
};
var byName = (a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
export {
  RunOperations
};
