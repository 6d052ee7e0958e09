import {
  IntMap,
  NO_SAMPLES,
  OUTCOME_NAMES,
  Outcome,
  PLAIN_BLOCK_TOKENS,
  PerRequestRecords,
  Pool,
  RequestRecords,
  ServedRequests,
  SlotMap,
  buildReport,
  checkPrice,
  checkSla,
  parseLaunch,
  percentileRank,
  predictionSummary,
  unknownRouter,
  workerLaunch
} from "./config.js";
import {
  Evidence,
  LineCutter,
  PassCorrection,
  parseCalibration,
  precisionWarnings,
  probes,
  readCalibration,
  run_parts_exports,
  unevenness
} from "./timing.js";
import {
  ByteSourceError,
  ConfigError,
  FEW,
  SimulationError,
  TraceError,
  __export,
  checkOptions,
  every,
  gunzipped,
  longer,
  nearName,
  pause,
  reaching,
  readBytes,
  reason
} from "./base.js";

// lib/timing/duration.ts
var MOST_PASS_MS = 1e12;
function exactNanoseconds(seconds2) {
  const bits2 = new DataView(new ArrayBuffer(8));
  bits2.setFloat64(0, seconds2);
  const raw = bits2.getBigUint64(0);
  const exponent = Number(raw >> 52n & 0x7ffn);
  const fraction = raw & 0xfffffffffffffn;
  const mantissa = (exponent === 0 ? fraction : fraction | 0x10000000000000n) * 1000000000n;
  const shift = BigInt(1075 - Math.max(exponent, 1));
  if (shift <= 0n) return Number(mantissa << -shift);
  const whole = mantissa >> shift;
  const rest = mantissa - (whole << shift);
  const half = 1n << shift - 1n;
  return Number(rest > half || rest === half && (whole & 1n) === 1n ? whole + 1n : whole);
}
function nanoseconds(seconds2) {
  const product = seconds2 * 1e9;
  const whole = Math.floor(product);
  const offHalf = product - whole - 0.5;
  const doubt = product * 45e-17;
  if (offHalf > doubt) return whole + 1;
  if (offHalf < -doubt) return whole;
  return exactNanoseconds(seconds2);
}
function seconds(nanos) {
  if (nanos < 1e9) return nanos / 1e9;
  const whole = Math.floor(nanos / 1e9);
  return whole + (nanos - whole * 1e9) / 1e9;
}
function passDurationMs(rawMs, ratio) {
  const product = rawMs / 1e3 * 1e9, nearest = Math.floor(product + 0.5);
  if (ratio === 1 && product < 1e9 && Math.abs(product - nearest) < 0.499999) return nearest / 1e9 * 1e3;
  return roundedMs(rawMs, ratio) + 0;
}
function roundedMs(rawMs, ratio) {
  let nanos = nanoseconds(rawMs / 1e3);
  if (ratio !== 1 && ratio > 0 && nanos > 0) nanos = nanoseconds(seconds(nanos) / ratio);
  const ms = seconds(nanos) * 1e3;
  if (ms <= MOST_PASS_MS) return ms;
  throw new SimulationError(`a pass would last ${ms} ms: the times of this model, its parallelism or a speed-up ratio are out of bounds`);
}
passDurationMs(12.0890625, 1);

// lib/cluster/spec.ts
function isPending(step) {
  return "resume" in step;
}

// lib/planner/model/timing_estimator.ts
function timingEstimator(timing, capacityTokens) {
  return {
    estimateMs({ prefillRequests, prefillTokens, prefillKvTokens, decodeRequests, decodeKvTokens }) {
      let ms = 0;
      if (prefillTokens > 0) {
        const requests2 = Math.max(1, prefillRequests);
        const [tokens, prefix] = [
          prefillTokens,
          prefillKvTokens
        ].map((sum) => Math.floor(sum / requests2));
        if (tokens > 0) ms += timing.prefillMs(requests2, tokens, prefix);
      }
      if (decodeRequests > 0) ms += timing.decodeMs(decodeRequests, decodeKvTokens, capacityTokens);
      return ms;
    }
  };
}

// lib/planner/model/pass.ts
function passSeconds(estimator, pass) {
  const ms = estimator.estimateMs(pass);
  return ms === null ? null : Math.max(0, ms) / 1e3;
}
var emptyPass = Object.freeze({
  prefillRequests: 0,
  prefillTokens: 0,
  prefillKvTokens: 0,
  decodeRequests: 0,
  decodeKvTokens: 0
});
function missShare(kvHitRate) {
  if (kvHitRate === null || Number.isNaN(kvHitRate)) return 1;
  return 1 - Math.min(Math.max(kvHitRate, 0), 0.95);
}
function chunkedSeconds(estimator, tokens, chunk, beside) {
  const { prefillRequests, decodeRequests, decodeKvTokens } = beside;
  const pass = (prefillTokens) => ({
    prefillRequests,
    prefillTokens,
    prefillKvTokens: 0,
    decodeRequests,
    decodeKvTokens
  });
  const full = Math.floor(tokens / chunk), rest = tokens % chunk;
  let seconds2 = 0;
  if (full > 0) {
    const each = passSeconds(estimator, pass(chunk));
    if (each === null) return null;
    seconds2 += each * full;
  }
  if (rest > 0) {
    const last = passSeconds(estimator, pass(rest));
    if (last === null) return null;
    seconds2 += last;
  }
  return seconds2;
}

// lib/planner/unreachable_bounds.ts
var REACH_QUESTION = {
  ttftMs: true,
  itlMs: true,
  inputTokens: true,
  outputTokens: true,
  prefill: true,
  decode: true,
  maxBatchedTokens: true
};
function unreachableBounds(question) {
  checkOptions("unreachableBounds()", question, REACH_QUESTION);
  const { ttftMs, itlMs } = question;
  const input = Math.max(1, Math.ceil(question.inputTokens)), output = Math.max(1, Math.ceil(question.outputTokens));
  const alone = {
    prefillRequests: 1,
    decodeRequests: 0,
    decodeKvTokens: 0
  };
  const chunk = Number.isFinite(question.maxBatchedTokens) ? question.maxBatchedTokens : input;
  const prompt = chunkedSeconds(question.prefill, input, Math.max(1, chunk), alone);
  const context = input + Math.floor(output / 2);
  const step = passSeconds(question.decode, {
    ...emptyPass,
    decodeRequests: 1,
    decodeKvTokens: context
  });
  const found = [];
  const missed = (seconds2, bound) => seconds2 !== null && seconds2 * 1e3 > bound;
  if (missed(prompt, ttftMs)) {
    found.push(`ttft_ms ${ttftMs} is out of reach: a prompt of ${input} tokens, nothing of it cached, takes an idle engine ${milliseconds(prompt)} ms`);
  }
  if (missed(step, itlMs)) {
    found.push(`itl_ms ${itlMs} is out of reach: a decode step of one sequence of ${context} tokens takes ${milliseconds(step)} ms`);
  }
  return found;
}
var milliseconds = (seconds2) => Number((seconds2 * 1e3).toPrecision(4)).toString();

// lib/router/router.ts
var SimpleRouter = class {
  needsState = false;
  needsPrefillDone = false;
  needsEnds = false;
  mayQueue = false;
  cache = null;
  placement = {
    overlapTokens: 0,
    overlapBlocks: -1,
    bestOverlapBlocks: -1
  };
  placedRank = -1;
  forget(_worker, _nowMs) {
  }
  prefillDone(_request, _rank, _nowMs) {
  }
  ended(_request, _rank, _nowMs) {
  }
  nextReleased(_nowMs) {
    return -1;
  }
  get knobs() {
    return null;
  }
  /** How often the knobs were changed: never. */
  get revision() {
    return 0;
  }
  update(_knobs) {
  }
};

// lib/router/least_loaded.ts
var LeastLoadedRouter = class extends SimpleRouter {
  needsState = true;
  needsEnds = true;
  /** Requests placed and not ended, by rank id, for all ranks ever seen. */
  #requests = [];
  /** Routable ranks by worker. */
  #ranks = /* @__PURE__ */ new Map();
  join(worker, firstRank, ranks) {
    this.#ranks.set(worker, Array.from({
      length: ranks
    }, (_, i) => firstRank + i));
    for (const rank of this.#ranks.get(worker)) this.#requests[rank] ??= 0;
  }
  leave(worker) {
    this.#ranks.delete(worker);
  }
  place() {
    let best = -1;
    for (const ranks of this.#ranks.values()) {
      for (const rank of ranks) {
        const fewer = best < 0 ? 1 : this.#requests[best] - this.#requests[rank];
        if (fewer > 0 || fewer === 0 && rank < best) best = rank;
      }
    }
    if (best < 0) throw new SimulationError("placement policy error: no active workers for least-loaded placement");
    this.#requests[best]++;
    return best;
  }
  ended(_request, rank) {
    this.#requests[rank]--;
  }
};
var leastLoaded = () => () => new LeastLoadedRouter();

// lib/router/round_robin.ts
var RoundRobinRouter = class extends SimpleRouter {
  #oneRing;
  /** Routable workers by ascending id. */
  #members = [];
  /** Ranks of all members in order, the ring of prefill and decode pools; null after a change, until it is needed. */
  #ring = null;
  #next = 0;
  constructor(context) {
    super();
    this.#oneRing = context.pool !== Pool.aggregated;
  }
  join(worker, firstRank, ranks) {
    const members = this.#members;
    let at = members.length;
    while (at > 0 && members[at - 1].worker > worker) at--;
    members.splice(at, 0, {
      worker,
      firstRank,
      ranks,
      turn: 0
    });
    this.#ring = null;
  }
  leave(worker) {
    const at = this.#members.findIndex((member) => member.worker === worker);
    if (at >= 0) this.#members.splice(at, 1);
    this.#ring = null;
  }
  place() {
    if (this.#members.length === 0) {
      throw new SimulationError("placement policy error: no active workers for round-robin placement");
    }
    if (this.#oneRing) {
      const ring = this.#ring ??= this.#ranks(), index2 = this.#next % ring.length;
      this.#next = index2 + 1;
      return ring[index2];
    }
    const index = this.#next % this.#members.length;
    this.#next = index + 1;
    const member = this.#members[index];
    const rank = member.firstRank + member.turn;
    member.turn = (member.turn + 1) % member.ranks;
    return rank;
  }
  #ranks() {
    return this.#members.flatMap(({ firstRank, ranks }) => Array.from({
      length: ranks
    }, (_, i) => firstRank + i));
  }
};
var roundRobin = () => (context) => new RoundRobinRouter(context);

// lib/router/plain_routers.ts
var PLAIN_ROUTERS = {
  round_robin: roundRobin,
  least_loaded: leastLoaded
};

// lib/router/router_from.ts
var SURROUNDINGS = {
  launch: true,
  estimator: true,
  calibration: true,
  deployments: true,
  roles: true
};
async function routerFrom(spec, about = {}) {
  checkOptions("routerFrom()", spec, {
    policy: true,
    settings: true,
    policyFile: true
  });
  checkOptions("routerFrom(): surroundings", about, SURROUNDINGS);
  const { policy = "round_robin", settings = {}, policyFile = null } = spec;
  if (policy === "kv_router") {
    const { kvRouterFrom } = await import(import.meta.resolve("./lib.router.kv_router_from.js"));
    return await kvRouterFrom(spec, about);
  }
  if (!Object.hasOwn(PLAIN_ROUTERS, policy)) throw unknownRouter(policy);
  const vain = [
    ...Object.keys(settings),
    ...policyFile === null ? [] : [
      "policyFile"
    ]
  ];
  return {
    router: PLAIN_ROUTERS[policy](),
    warnings: vain.map((name) => `the router's ${name} has no effect: its policy is ${policy}`)
  };
}

// lib/traffic/cutoff.ts
function admittedUntil(traffic, limitMs) {
  return {
    ...traffic,
    start: () => new ClosingSource(traffic.start(), limitMs)
  };
}
var ClosingSource = class {
  workload;
  reactive;
  reactionMs;
  #source;
  #limitMs;
  /** Present where the load has agents. */
  agentOutcome;
  #closed = false;
  constructor(source, limitMs) {
    this.#source = source;
    this.#limitMs = limitMs;
    this.workload = source.workload;
    this.reactive = source.reactive;
    this.reactionMs = source.reactionMs;
    if (source.agentOutcome) this.agentOutcome = (handsOff) => source.agentOutcome(handsOff);
  }
  get arrivalMs() {
    return this.#source.arrivalMs;
  }
  nextReadyMs() {
    const next2 = this.#closed ? Infinity : this.#source.nextReadyMs();
    return next2 > this.#limitMs ? Infinity : next2;
  }
  admit(nowMs) {
    return this.nextReadyMs() <= nowMs ? this.#source.admit(nowMs) : -1;
  }
  ended(...[request, nowMs, status, emitted]) {
    if (nowMs > this.#limitMs && !this.reactionMs) this.#closed = true;
    this.#source.ended(request, nowMs, status, emitted);
  }
  released(request, nowMs) {
    this.#source.released?.(request, nowMs);
  }
  dispatched(request, nowMs) {
    this.#source.dispatched(request, nowMs);
  }
  exhausted() {
    return this.#source.exhausted() || this.nextReadyMs() === Infinity;
  }
  promptRuns(request) {
    return this.#source.promptRuns(request);
  }
};

// lib/replay/run_options.ts
var SPEC = {
  traffic: true,
  roles: true,
  router: true,
  autoscaler: true,
  retune: true,
  stack: true,
  sla: true,
  price: true,
  maxVirtualMs: true,
  cutoff: true,
  capture: true
};
var RUN_OPTIONS = {
  onProgress: true,
  onWarning: true,
  onResolved: true,
  onSequences: true,
  onOperations: true,
  signal: true,
  mostParallel: true,
  executor: true,
  hostMs: true,
  shared: true,
  ready: true
};

// lib/replay/autoscaler.ts
var AUTOSCALERS = {
  planner: () => import(import.meta.resolve("./lib.replay.planner_autoscaler.js")),
  hpa: () => import(import.meta.resolve("./lib.replay.hpa_autoscaler.js")),
  keda: () => import(import.meta.resolve("./lib.replay.keda_autoscaler.js"))
};
var AUTOSCALER_KINDS = Object.keys(AUTOSCALERS);
async function autoscalerFrom(spec, context) {
  if (!Object.hasOwn(AUTOSCALERS, spec.kind)) {
    const near = nearName(spec.kind, AUTOSCALER_KINDS);
    const message = `autoscaler ${JSON.stringify(spec.kind)} is not known; known kinds: ${AUTOSCALER_KINDS.join(", ")}` + (near ? ` (did you mean '${near}'?)` : "");
    throw new ConfigError(message, [
      {
        path: "autoscaler.kind",
        message
      }
    ]);
  }
  const { makeAutoscaler } = await AUTOSCALERS[spec.kind]();
  return await makeAutoscaler(spec, context);
}
function scriptedAutoscaler(policy) {
  return {
    policy,
    planner: null,
    ticks: () => [],
    section: () => null,
    finish: () => Promise.resolve()
  };
}

// lib/timing/deployments.ts
var operatorDatabase = () => Promise.resolve(run_parts_exports);
var Deployments = class {
  #made = /* @__PURE__ */ new Map();
  #timings = /* @__PURE__ */ new Map();
  /** By data release; the one that ships has no name. */
  #catalogs = /* @__PURE__ */ new Map();
  /**
   * The deployment of an identity.
   *
   * @throws {ConfigError} when a name is not known, or the model cannot be split as asked.
   */
  of(identity) {
    return once(this.#made, identity, () => this.#make(identity));
  }
  /**
   * The timing model of an identity, known to have times for what its workers do. Its measurements are loaded with it.
   *
   * @param options which stack's engine asks it
   * @throws {ConfigError} as {@linkcode Deployments.of}, and when the measurements are not on this machine or have no
   * times for the model.
   */
  timing(identity, options = {}) {
    return once(this.#timings, {
      ...identity,
      ...options
    }, async () => {
      const { operatorTiming, requireTimes } = await operatorDatabase();
      const deployment = await this.of(identity);
      requireTimes(deployment, identity.model, identity.worker_type);
      return operatorTiming(deployment, options);
    });
  }
  async #make(identity) {
    const { deployIdentity, loadModel, requireOperators, PerfCatalog } = await operatorDatabase();
    const { data_release: release } = identity;
    let catalog = this.#catalogs.get(release);
    if (catalog === void 0) this.#catalogs.set(release, catalog = new PerfCatalog({
      release
    }));
    const found = await loadModel(identity.model);
    requireOperators(found, identity.system, identity.backend, catalog);
    return deployIdentity(identity, catalog, found);
  }
};
function once(made, identity, make) {
  const key = JSON.stringify(identity);
  let value = made.get(key);
  if (value === void 0) made.set(key, value = make());
  return value;
}

// lib/timing/fixed.ts
var FixedTiming = class {
  #prefillMs;
  #decodeMs;
  constructor(prefillMs, decodeMs) {
    this.#prefillMs = prefillMs;
    this.#decodeMs = decodeMs;
  }
  prefillMs() {
    return this.#prefillMs;
  }
  decodeMs() {
    return this.#decodeMs;
  }
};
function fixed(options) {
  checkOptions("fixed()", options, {
    prefillMs: true,
    decodeMs: true
  });
  for (const [name, value] of Object.entries(options)) {
    if (!(typeof value === "number" && value >= 0 && value <= MOST_PASS_MS)) {
      throw new ConfigError(`${name} must be from 0 to ${MOST_PASS_MS} milliseconds, got ${value}`);
    }
  }
  return new FixedTiming(options.prefillMs, options.decodeMs);
}

// lib/timing/polynomial.ts
var PolynomialTiming = class {
  prefillMs(requests2, newTokens, _prefixTokens) {
    const x = requests2 * newTokens;
    return 4209989e-13 * (x * x) + 0.01518344 * x + 16.50142;
  }
  decodeMs(_requests, contextTokens, capacityTokens) {
    const fill = Math.min(contextTokens / capacityTokens, 1);
    return Math.max(-25.74 * (fill * fill) + 54.01 * fill + 5.74, 1);
  }
};
function polynomial() {
  return new PolynomialTiming();
}

// lib/traffic/synthetic.ts
var synthetic_exports = {};
__export(synthetic_exports, {
  syntheticTraffic: () => syntheticTraffic
});

// lib/trace/number_cursor.ts
var JsonProblem = class extends Error {
  at;
  name;
  constructor(at, message) {
    super(message), this.at = at, this.name = "JsonProblem";
  }
};
var QUOTE = 34;
var MINUS = 45;
var DOT = 46;
var ZERO = 48;
var OPEN_LIST = 91;
var CLOSE_LIST = 93;
var COMMA = 44;
var U64_MAX = 18446744073709551615n;
var POWERS = Float64Array.from({
  length: 309
}, (_, k) => Number(`1e${k}`));
var NumberCursor = class {
  bytes = new Uint8Array(0);
  at = 0;
  end = 0;
  /** True once a byte above 127 was passed: the line's UTF-8 then still has to be checked. */
  beyondAscii = false;
  #decoder = new TextDecoder("utf-8", {
    fatal: true,
    ignoreBOM: true
  });
  /** Skips white space and returns the next byte, -1 at the end. */
  peek() {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end) {
      const byte = bytes[at];
      if (byte !== 32 && byte !== 9 && byte !== 13 && byte !== 10) {
        this.at = at;
        return byte;
      }
      at++;
    }
    this.at = at;
    return -1;
  }
  /** Enters a list. */
  openList() {
    if (this.peek() !== OPEN_LIST) this.fail("a list");
    this.at++;
  }
  /** True when another item follows; moves to it, or behind the list. */
  nextItem(first) {
    const byte = this.peek();
    if (byte === CLOSE_LIST) {
      this.at++;
      return false;
    }
    if (!first) {
      if (byte !== COMMA) this.fail('"," or "]"');
      this.at++;
    }
    return true;
  }
  /** An integer of 0 \u2026 2^64 - 1; a bigint above 2^53 - 1. */
  unsigned() {
    const first = this.peek();
    const { bytes, end } = this;
    const start = this.at;
    if (first < ZERO || first > 57) this.fail("a non-negative integer");
    let at = start + 1;
    let value = first - ZERO;
    while (at < end) {
      const digit = bytes[at] - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      at++;
    }
    if (first === ZERO && at > start + 1) this.fail("a number without leading zeros");
    if (at < end) {
      const next2 = bytes[at];
      if (next2 === DOT || next2 === 101 || next2 === 69) this.fail("a non-negative integer");
    }
    if (at - start > 15) {
      const exact = BigInt(this.text(start, at));
      if (exact > U64_MAX) this.fail("an integer of at most 64 bits");
      this.at = at;
      return exact > 9007199254740991n ? exact : Number(exact);
    }
    this.at = at;
    return value;
  }
  /**
   * A list of integers of 0 \u2026 2^64 - 1, put into the first places of `list`. Returns how many there are; `list` is not
   * made shorter, because that would give up its memory.
   *
   * @param limit the largest that may be; without it above 2^53 - 1 as a bigint
   */
  unsignedList(list, limit = Infinity) {
    this.openList();
    const { bytes, end } = this;
    let at = this.at, count = 0;
    for (; ; ) {
      const start = at;
      let value = 0;
      while (at < end) {
        const digit = bytes[at] - ZERO;
        if (digit < 0 || digit > 9) break;
        value = value * 10 + digit;
        at++;
      }
      const length = at - start;
      if (length === 0 || length > 15 || value > limit || at >= end || length > 1 && bytes[start] === ZERO) break;
      const next2 = bytes[at];
      if (next2 === COMMA) {
        list[count++] = value;
        this.at = ++at;
        if (at < end && bytes[at] === 32) at++;
        continue;
      }
      if (next2 !== CLOSE_LIST) break;
      list[count++] = value;
      this.at = at + 1;
      return count;
    }
    const item = () => limit === Infinity ? this.unsigned() : this.count(limit);
    if (count > 0) list[count++] = item();
    for (let first = count === 0; this.nextItem(first); first = false) list[count++] = item();
    return count;
  }
  /** A non-negative integer of at most `limit`. */
  count(limit) {
    this.peek();
    const start = this.at;
    const value = this.unsigned();
    if (value > limit) {
      this.at = start;
      this.fail(`an integer of at most ${limit}`);
    }
    return Number(value);
  }
  /** An integer of -2^31 \u2026 2^31 - 1. */
  signed32() {
    if (this.peek() !== MINUS) return this.count(2147483647);
    const start = this.at++;
    const digit = this.at < this.end ? this.bytes[this.at] : 0;
    if (digit < ZERO || digit > 57) {
      this.at = start;
      this.fail("an integer");
    }
    const value = this.count(2147483648);
    if (value === 0) {
      this.at = start;
      this.fail("an integer (-0 is none)");
    }
    return -value;
  }
  /**
   * A number as a double. Integers are rounded correctly. For fractions the digits without the point are read as an
   * unsigned 64-bit integer (what does not fit is dropped), converted, and scaled once by a power of ten: for up to 15
   * digits the correctly rounded value, beyond that possibly its neighbour, as in the reference.
   */
  number() {
    const first = this.peek();
    const { bytes, end } = this;
    const start = this.at;
    let at = start;
    if (first === MINUS) at++;
    let digits = 0, value = 0;
    const from = at;
    while (at < end) {
      const digit = bytes[at] - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      digits++;
      at++;
    }
    if (digits === 0) this.fail("a number");
    if (bytes[from] === ZERO && digits > 1) this.fail("a number without leading zeros");
    const next2 = at < end ? bytes[at] : 0;
    if (next2 !== DOT && next2 !== 101 && next2 !== 69) {
      this.at = at;
      if (digits > 15) value = Number(this.text(from, at));
      if (value === Infinity) {
        this.at = start;
        this.fail("a number in the range of a double");
      }
      return first === MINUS ? -value : value;
    }
    let scale = 0;
    const integerEnd = at;
    if (next2 === DOT) {
      const point = ++at;
      while (at < end) {
        const digit = bytes[at] - ZERO;
        if (digit < 0 || digit > 9) break;
        value = value * 10 + digit;
        digits++;
        at++;
      }
      scale = at - point;
      if (scale === 0) this.failAt(at, "a digit after the point");
    }
    if (digits > 15) [value, scale] = this.#significand(from, integerEnd, at);
    else scale = -scale;
    const e = at < end ? bytes[at] : 0;
    if (e === 101 || e === 69) {
      at++;
      let sign = 1;
      if (at < end && (bytes[at] === 43 || bytes[at] === MINUS)) sign = bytes[at++] === MINUS ? -1 : 1;
      const digitsFrom = at;
      let exponent = 0;
      while (at < end && bytes[at] >= ZERO && bytes[at] <= 57) {
        exponent = Math.min(exponent * 10 + bytes[at++] - ZERO, 1e9);
      }
      if (at === digitsFrom) this.failAt(at, "the digits of the exponent");
      scale += sign * exponent;
    }
    if (value !== 0) {
      while (scale < -308) {
        value /= 1e308;
        scale += 308;
        if (value === 0) break;
      }
      if (value !== 0) value = scale < 0 ? value / POWERS[-scale] : scale > 308 ? Infinity : value * POWERS[scale];
    }
    if (value === Infinity) this.fail("a number in the range of a double");
    this.at = at;
    return first === MINUS ? -value : value;
  }
  /** More digits than a double holds: the 64-bit significand and the power of ten it still has to be scaled by. */
  #significand(from, integerEnd, end) {
    let value = 0n, scale = 0, full = false;
    for (let at = from; at < end; at++) {
      if (at === integerEnd) continue;
      const longer2 = value * 10n + BigInt(this.bytes[at] - ZERO);
      if (full || longer2 > U64_MAX) {
        full = true;
        if (at < integerEnd) scale++;
      } else {
        value = longer2;
        if (at > integerEnd) scale--;
      }
    }
    return [
      Number(value),
      scale
    ];
  }
  /** The bytes `from \u2026 to - 1` as text. */
  text(from, to) {
    const part = this.bytes.subarray(from, to);
    if (part.length <= 64 && !this.beyondAscii) return String.fromCharCode.apply(null, part);
    return this.#decoder.decode(part);
  }
  /** Throws: `expected` was expected at the position. */
  fail(expected) {
    return this.failAt(this.at, expected);
  }
  /** Throws: `expected` was expected at a byte. */
  failAt(at, expected) {
    throw new JsonProblem(at, `expected ${expected}, found ${this.#found(at)}`);
  }
  /** The offending text: the token at `at`, cut short. */
  #found(at) {
    if (at >= this.end) return "the end of the line";
    let to = at + 1;
    const word = (byte) => byte > 127 || byte === 95 || byte === DOT || byte === MINUS || byte === 43 || byte >= 48 && byte <= 57 || byte >= 65 && byte <= 90 || byte >= 97 && byte <= 122;
    if (this.bytes[at] === QUOTE) {
      while (to < this.end && this.bytes[to] !== QUOTE) to++;
      to = Math.min(to + 1, this.end);
    } else if (word(this.bytes[at])) {
      while (to < this.end && word(this.bytes[to])) to++;
    }
    const text = new TextDecoder().decode(this.bytes.subarray(at, Math.min(to, at + 60)));
    return `${text}${to > at + 60 ? "\u2026" : ""}`;
  }
};

// lib/trace/row.ts
var MAX_TOKENS = 2147483647;
var RefusedRow = class extends Error {
  reason;
  name;
  constructor(reason2, message) {
    super(message), this.reason = reason2, this.name = "RefusedRow";
  }
};
function keepRequest(request) {
  return {
    timestampMs: request.timestampMs,
    inputTokens: request.inputTokens,
    outputTokens: request.outputTokens,
    hashIds: request.hashIds.slice(0, request.hashCount),
    sessionId: request.sessionId,
    delayMs: request.delayMs,
    outputTokenIds: request.outputTokenIds?.slice(0, request.outputTokens),
    requestId: request.requestId,
    priority: request.priority,
    strictPriority: request.strictPriority,
    policyClass: request.policyClass,
    durationMs: request.durationMs,
    agent: request.agent,
    line: request.line
  };
}
function readingLine(cursor, line, file, wording, tracker, read) {
  cursor.open(line.bytes, line.start, line.end);
  let result, problem;
  try {
    result = read();
    if (!cursor.beyondAscii) return result;
  } catch (cause) {
    problem = cause;
  }
  if (!validUtf8(line)) {
    throw new TraceError(`${wording.read(line.number)}: the line is not valid UTF-8`, {
      file,
      line: line.number
    });
  }
  if (problem === void 0) return result;
  if (!(problem instanceof JsonProblem)) throw problem;
  const column = new TextDecoder().decode(line.bytes.subarray(line.start, problem.at)).length + 1;
  const field = tracker && tracker.field >= 0 ? `${tracker.keys.names[tracker.field]}: ` : "";
  const hint = likelyCause(line, problem.at);
  throw new TraceError(`${wording.parse(line.number)}: ${field}${problem.message} (column ${column})${hint}`, {
    file,
    line: line.number,
    column
  });
}
var strict = new TextDecoder("utf-8", {
  fatal: true,
  ignoreBOM: true
});
function validUtf8(line) {
  try {
    strict.decode(line.bytes.subarray(line.start, line.end));
    return true;
  } catch {
    return false;
  }
}
function likelyCause(line, at) {
  const { bytes, start, end } = line;
  let first = start;
  while (first < end && (bytes[first] === 32 || bytes[first] === 9)) first++;
  if (!line.ended && at >= end) return "; the file ends inside a record";
  if (line.number === 1 && bytes.subarray(start, end).includes(13)) {
    return "; lines seem to end in CR alone: convert them to LF";
  }
  if (at <= first) {
    if (bytes[first] === 91) return "; the file seems to be one JSON array: write one object a line";
    if (bytes[first] === 35) return "; comments are not allowed";
  }
  if (bytes[at] === 123 && at > first) return "; two objects on one line?";
  return "";
}

// lib/trace/clock.ts
var MOST_TIME_MS = 864e13;
var WallClock = class {
  #firstSeconds = NaN;
  #firstTicks = 0;
  /** The last time up to its seconds, and what it means: neighbours often share it. */
  #text = "";
  #seconds = 0;
  /** @throws {RefusedRow} when the text is no time. */
  read(text) {
    const whole = text.slice(0, 19);
    if (whole !== this.#text) {
      this.#seconds = wholeSeconds(whole);
      this.#text = whole;
    }
    let ticks = 0, at = 19;
    if (text.charCodeAt(at) === 46) {
      const from = ++at;
      for (let digit; (digit = text.charCodeAt(at) - 48) >= 0 && digit <= 9; at++) {
        if (at - from < 7) ticks = ticks * 10 + digit;
      }
      if (at === from) refuse(text);
      for (let digits = at - from; digits < 7; digits++) ticks *= 10;
    }
    const seconds2 = at === text.length ? this.#seconds : this.#seconds - offsetSeconds(text.slice(at));
    if (Number.isNaN(this.#firstSeconds)) {
      this.#firstSeconds = seconds2;
      this.#firstTicks = ticks;
    }
    return ((seconds2 - this.#firstSeconds) * 1e7 + (ticks - this.#firstTicks)) / 1e4;
  }
};
function wholeSeconds(text) {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d):(\d\d):(\d\d)$/.exec(text);
  const day = match === null ? NaN : Date.parse(`${match[1]}T00:00:00Z`);
  if (match === null || Number.isNaN(day)) return refuse(text);
  const [hours, minutes, seconds2] = [
    match[2],
    match[3],
    match[4]
  ].map(Number);
  if (hours > 23 || minutes > 59 || seconds2 > 60) refuse(text);
  return day / 1e3 + hours * 3600 + minutes * 60 + seconds2;
}
function offsetSeconds(text) {
  if (text === "+00:00" || text === "Z") return 0;
  const match = /^(?:Z| ?UTC|([+-])(\d\d)(?::?(\d\d))?)$/.exec(text);
  if (match === null) return refuse(text);
  const [, sign, hours = "0", minutes = "0"] = match;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}
function refuse(text) {
  throw new RefusedRow("bad time", `"${text}" is no time`);
}
function secondsToMs(text) {
  const match = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text);
  if (match === null) {
    const seconds2 = text === "" ? NaN : Number(text);
    if (!Number.isFinite(seconds2)) throw new RefusedRow("bad time", `"${text}" is no time`);
    return seconds2 * 1e3;
  }
  const [, sign, whole, fraction = ""] = match;
  return Number(`${sign}${whole}${fraction.slice(0, 3).padEnd(3, "0")}.${fraction.slice(3)}`);
}

// lib/random/chacha.ts
var LENGTH = 16;
var StdRng = class {
  #input = new Uint32Array(LENGTH);
  #state = new Int32Array(LENGTH);
  #words = new Uint32Array(LENGTH);
  #next = LENGTH;
  /** `seed` is taken modulo 2^64. */
  constructor(seed) {
    const input = this.#input;
    input.set([
      1634760805,
      857760878,
      2036477234,
      1797285236
    ]);
    let state = BigInt.asUintN(64, BigInt(seed));
    for (let i = 4; i < 12; i++) {
      state = BigInt.asUintN(64, state * 6364136223846793005n + 11634580027462260723n);
      const mixed = Number((state >> 18n ^ state) >> 27n & 0xffffffffn);
      const turn2 = Number(state >> 59n);
      input[i] = mixed >>> turn2 | mixed << (32 - turn2 & 31);
    }
  }
  /** The word at `index` of the stream, counted from its start; the next {@linkcode uint32} follows it. */
  wordAt(index) {
    const block = Math.floor(index / LENGTH);
    if (this.#blockIndex() !== block + 1) {
      this.#input[12] = block >>> 0;
      this.#input[13] = Math.floor(block / 4294967296);
      this.#refill();
    }
    this.#next = index % LENGTH + 1;
    return this.#words[this.#next - 1];
  }
  #blockIndex() {
    return this.#input[13] * 4294967296 + this.#input[12];
  }
  /** An integer of 0 \u2026 2^32 - 1: the next word. */
  uint32() {
    if (this.#next === LENGTH) {
      this.#refill();
      this.#next = 0;
    }
    return this.#words[this.#next++];
  }
  /** A float of [0, 1) with 53 random bits: two words, the low half first. */
  float64() {
    const low = this.uint32();
    return (this.uint32() * 2097152 + (low >>> 11)) / 9007199254740992;
  }
  /** An integer of 0 \u2026 2^64 - 1: two words, the low half first. */
  uint64() {
    const low = this.uint32();
    return BigInt(this.uint32()) << 32n | BigInt(low);
  }
  /** True with probability `p` (0 \u2026 1): two words are compared with p \u00d7 2^64; at p = 1 none is drawn. */
  chance(p) {
    if (p === 1) return true;
    const low = this.uint32(), high = this.uint32();
    const scaled = p * 4294967296;
    const limitHigh = Math.floor(scaled);
    if (high !== limitHigh) return high < limitHigh;
    return low < Math.floor((scaled - limitHigh) * 4294967296);
  }
  /** An integer of 0 \u2026 n - 1, n < 2^32, each with the same probability. */
  below(n) {
    let [high, low] = multiply(this.uint32(), n);
    if (low > 4294967296 - n) {
      const [more] = multiply(this.uint32(), n);
      if (low + more >= 4294967296) high++;
    }
    return high;
  }
  #refill() {
    const input = this.#input, state = this.#state;
    state.set(input);
    for (let round = 0; round < 6; round++) {
      quarterRound(state, 0, 4, 8, 12);
      quarterRound(state, 1, 5, 9, 13);
      quarterRound(state, 2, 6, 10, 14);
      quarterRound(state, 3, 7, 11, 15);
      quarterRound(state, 0, 5, 10, 15);
      quarterRound(state, 1, 6, 11, 12);
      quarterRound(state, 2, 7, 8, 13);
      quarterRound(state, 3, 4, 9, 14);
    }
    for (let i = 0; i < LENGTH; i++) this.#words[i] = state[i] + input[i];
    input[12]++;
    if (input[12] === 0) input[13]++;
  }
};
function quarterRound(state, ia, ib, ic, id) {
  let a = state[ia], b = state[ib], c = state[ic], d = state[id];
  a = a + b | 0;
  d ^= a;
  d = d << 16 | d >>> 16;
  c = c + d | 0;
  b ^= c;
  b = b << 12 | b >>> 20;
  a = a + b | 0;
  d ^= a;
  d = d << 8 | d >>> 24;
  c = c + d | 0;
  b ^= c;
  b = b << 7 | b >>> 25;
  state[ia] = a;
  state[ib] = b;
  state[ic] = c;
  state[id] = d;
}
function multiply(a, b) {
  const aHigh = a >>> 16, aLow = a & 65535, bHigh = b >>> 16, bLow = b & 65535;
  const low = aLow * bLow;
  const middle = aHigh * bLow + aLow * bHigh + Math.floor(low / 65536);
  return [
    aHigh * bHigh + Math.floor(middle / 65536),
    middle % 65536 * 65536 + low % 65536
  ];
}

// lib/arithmetic/double_double.ts
var LN2 = [
  0.6931471805599453,
  23190468138462996e-33
];
function twoSum(a, b) {
  const sum = a + b, rest = sum - a;
  return [
    sum,
    a - (sum - rest) + (b - rest)
  ];
}
function twoProduct(a, b) {
  const product = a * b;
  const aBig = 134217729 * a, bBig = 134217729 * b;
  const aHigh = aBig - (aBig - a), bHigh = bBig - (bBig - b);
  const aLow = a - aHigh, bLow = b - bHigh;
  return [
    product,
    aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
  ];
}
function add(aHigh, aLow, bHigh, bLow) {
  const [high, rest] = twoSum(aHigh, bHigh);
  const [low, tail] = twoSum(aLow, bLow);
  const [sum, more] = twoSum(high, rest + low);
  return twoSum(sum, more + tail);
}
function multiply2(aHigh, aLow, bHigh, bLow) {
  const [product, rest] = twoProduct(aHigh, bHigh);
  return twoSum(product, rest + (aHigh * bLow + aLow * bHigh));
}
function divide(aHigh, aLow, bHigh, bLow) {
  const first = aHigh / bHigh;
  const [high, low] = multiply2(bHigh, bLow, first, 0);
  const [rest, more] = add(aHigh, aLow, -high, -low);
  const second = (rest + more) / bHigh;
  const [high2, low2] = multiply2(bHigh, bLow, second, 0);
  const [rest2, more2] = add(rest, more, -high2, -low2);
  const [sum, tail] = twoSum(first, second);
  return twoSum(sum, tail + (rest2 + more2) / bHigh);
}

// lib/arithmetic/natural_log.ts
var TERMS = 22;
var SMALL = 11;
var ODD = Array.from({
  length: TERMS
}, (_, k) => divide(1, 0, 2 * k + 1, 0));
var bits = new DataView(new ArrayBuffer(8));
function naturalLog(value) {
  if (value === 1) return 0;
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  let exponent = (high >>> 20) - 1023;
  bits.setUint32(0, high & 1048575 | 1072693248);
  let m = bits.getFloat64(0);
  if (m > 1.4142135623730951) {
    m /= 2;
    exponent++;
  }
  const sum = m + 1;
  const s = divide(m - 1, 0, sum, m - (sum - 1));
  const square = multiply2(s[0], s[1], s[0], s[1]);
  let tail = 0;
  for (let k = TERMS - 1; k >= SMALL; k--) tail = tail * square[0] + ODD[k][0];
  let series = [
    tail,
    0
  ];
  for (let k = SMALL - 1; k >= 0; k--) {
    const next2 = multiply2(series[0], series[1], square[0], square[1]);
    series = add(next2[0], next2[1], ODD[k][0], ODD[k][1]);
  }
  const half = multiply2(series[0], series[1], s[0], s[1]);
  const power = multiply2(exponent, 0, LN2[0], LN2[1]);
  const result = add(power[0], power[1], 2 * half[0], 2 * half[1]);
  return result[0] + result[1];
}

// lib/traffic/arrivals.ts
var SMALLEST = 22250738585072014e-324;
function arrivalTimes(count, process) {
  const times = new Float64Array(count);
  let gap;
  if ("intervalMs" in process) {
    const gapMs = process.intervalMs > 0 ? 1e3 / (1e3 / process.intervalMs) : 0;
    gap = () => gapMs;
  } else {
    const mean = 1e3 / process.requestsPerSecond, random = new StdRng(process.seed);
    gap = () => -mean * naturalLog(Math.min(1, Math.max(SMALLEST, 1 - random.float64())));
  }
  for (let i = 1; i < count; i++) times[i] = times[i - 1] + gap();
  return times;
}

// lib/traffic/numbers.ts
function numberText(value) {
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  if (Number.isInteger(value) && Math.abs(value) >= 1e21) return BigInt(value).toString();
  const text = String(value);
  const small = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text);
  if (small === null) return text;
  return `${small[1]}0.${"0".repeat(Number(small[4]) - 1)}${small[2]}${small[3] ?? ""}`;
}

// lib/traffic/prompt_history.ts
var PromptHistory = class {
  #workload;
  #sessions = /* @__PURE__ */ new Map();
  /** @param workload in which the outputs of all turns but the last are known by their tokens */
  constructor(workload) {
    this.#workload = workload;
  }
  /** The turn was admitted: its own tokens now belong to the session. */
  admitted(session, request) {
    let history = this.#sessions.get(session);
    if (history === void 0) {
      history = {
        tokens: new Uint32Array(16),
        lengths: new Int32Array(16),
        runs: 0,
        total: 0
      };
      this.#sessions.set(session, history);
    }
    const { blockStart, blockIds, blockTokens, inputTokens } = this.#workload;
    let left = inputTokens[request];
    for (let at = blockStart[request]; at < blockStart[request + 1]; at++, left -= blockTokens) {
      append(history, blockIds[at], Math.min(left, blockTokens));
    }
  }
  /** The turn ended: the tokens it really emitted belong to the session. */
  ended(session, request, emitted) {
    const history = this.#sessions.get(session), tokens = this.#workload.outputTokenIds.get(request);
    for (let i = 0; i < emitted; i++) append(history, tokens[i], 1);
  }
  /** The session is over. */
  closed(session) {
    this.#sessions.delete(session);
  }
  /** The whole prompt of the turn admitted last in this session. */
  prompt(session, _request) {
    const history = this.#sessions.get(session);
    return {
      tokens: history.tokens.slice(0, history.runs),
      lengths: history.lengths.slice(0, history.runs),
      inputTokens: history.total
    };
  }
};
function append(history, token, length) {
  history.total += length;
  if (history.runs > 0 && history.tokens[history.runs - 1] === token) {
    history.lengths[history.runs - 1] += length;
    return;
  }
  if (history.runs === history.tokens.length) {
    history.tokens = reaching(history.tokens, history.runs);
    history.lengths = reaching(history.lengths, history.runs);
  }
  history.tokens[history.runs] = token;
  history.lengths[history.runs++] = length;
}

// lib/traffic/request_queue.ts
var RequestQueue = class {
  workload;
  reactive = true;
  arrivalMs = 0;
  #concurrency;
  #inFlight = 0;
  #next = 0;
  #readyMs = 0;
  constructor(workload, concurrency) {
    this.workload = workload;
    this.#concurrency = concurrency;
  }
  nextReadyMs() {
    return this.#next < this.workload.count && this.#inFlight < this.#concurrency ? this.#readyMs : Infinity;
  }
  admit(nowMs) {
    if (this.#next === this.workload.count || this.#inFlight >= this.#concurrency) return -1;
    this.#inFlight++;
    this.arrivalMs = nowMs;
    return this.#next++;
  }
  ended(_request, nowMs) {
    this.#inFlight--;
    this.#readyMs = nowMs;
  }
  dispatched() {
  }
  exhausted() {
    return this.#next === this.workload.count;
  }
  promptRuns() {
    return null;
  }
};

// lib/collections/heap.ts
var Heap = class {
  #items = [];
  #order;
  constructor(order) {
    this.#order = order;
  }
  get size() {
    return this.#items.length;
  }
  /** The first item, undefined when there is none. */
  get first() {
    return this.#items[0];
  }
  push(item) {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = at - 1 >> 1;
      if (this.#order(item, items[parent]) >= 0) break;
      items[at] = items[parent];
      at = parent;
    }
    items[at] = item;
  }
  /** Takes the first item, undefined when there is none. */
  pop() {
    const items = this.#items;
    const first = items[0], last = items.pop();
    if (items.length === 0) return first;
    let at = 0;
    for (; ; ) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#order(items[child + 1], items[child]) < 0) child++;
      if (this.#order(items[child], last) >= 0) break;
      items[at] = items[child];
      at = child;
    }
    items[at] = last;
    return first;
  }
};

// lib/traffic/session_driver.ts
var byTurn = (a, b) => a.atMs - b.atMs || a.request - b.request;
var SessionDriver = class {
  workload;
  reactive = true;
  /** The shortest think time; with a fixed number of sessions open, an end may open the next one at once. */
  reactionMs;
  arrivalMs = 0;
  #firstRequest;
  #session;
  #delays;
  #history;
  #closedLoop;
  #sessions;
  /** Of the first turns; null in a closed loop. */
  #arrivals;
  /** Sessions in the order in which they begin; null for load order. */
  #order;
  #opened = 0;
  /** The next turns of open sessions that have no request under way. */
  #waiting = new Heap(byTurn);
  /** Sessions that are neither over nor unopened. */
  #active = 0;
  constructor(workload, options) {
    this.workload = workload;
    this.#firstRequest = options.firstRequest;
    this.#session = options.session;
    this.#delays = options.delaysMs;
    this.#history = options.history ?? null;
    this.#sessions = options.firstRequest.length - 1;
    const { start } = options;
    this.#closedLoop = "concurrency" in start;
    this.reactionMs = this.#closedLoop ? 0 : shortestDelayMs(options);
    if ("concurrency" in start) {
      this.#arrivals = this.#order = null;
      while (this.#opened < this.#sessions && this.#active < start.concurrency) this.#open(0);
    } else {
      this.#arrivals = start.arrivals;
      this.#order = start.order;
    }
  }
  nextReadyMs() {
    const waiting = this.#waiting.first?.atMs ?? Infinity;
    if (this.#arrivals === null || this.#opened === this.#sessions) return waiting;
    return Math.min(waiting, this.#arrivals.at(this.#nextSession));
  }
  get #nextSession() {
    return this.#order === null ? this.#opened : this.#order[this.#opened];
  }
  admit(nowMs) {
    if (this.#arrivals !== null) {
      while (this.#opened < this.#sessions) {
        const atMs2 = this.#arrivals.at(this.#nextSession);
        if (atMs2 > nowMs) break;
        this.#open(atMs2);
      }
    }
    const first = this.#waiting.first;
    if (first === void 0 || first.atMs > nowMs) return -1;
    const { atMs, request } = this.#waiting.pop();
    this.arrivalMs = this.#closedLoop ? nowMs : atMs;
    this.#history?.admitted(this.#session[request], request);
    return request;
  }
  ended(request, nowMs, status, emitted) {
    const session = this.#session[request];
    const next2 = request + 1;
    const goesOn = (status === "completed" || status === "rejected") && next2 < this.#firstRequest[session + 1];
    if (goesOn) {
      this.#history?.ended(session, request, status === "completed" ? emitted : 0);
      this.#waiting.push({
        atMs: this.#delays === null ? nowMs : nowMs + this.#delays[next2],
        request: next2
      });
      return;
    }
    this.#history?.closed(session);
    this.#active--;
    if (this.#closedLoop && this.#opened < this.#sessions) this.#open(nowMs);
  }
  dispatched() {
  }
  exhausted() {
    return this.#opened === this.#sessions && this.#active === 0;
  }
  promptRuns(request) {
    return this.#history === null ? null : this.#history.prompt(this.#session[request], request);
  }
  /** The first turn of the next session is ready at `atMs`. */
  #open(atMs) {
    this.#waiting.push({
      atMs,
      request: this.#firstRequest[this.#nextSession]
    });
    this.#opened++;
    this.#active++;
  }
};
function shortestDelayMs({ firstRequest, session, delaysMs }) {
  let shortest = Infinity;
  for (let request = 0; request < session.length; request++) {
    if (request !== firstRequest[session[request]]) {
      shortest = Math.min(shortest, delaysMs === null ? 0 : delaysMs[request]);
    }
  }
  return shortest;
}

// lib/trace/block_fit.ts
var SIZES = [
  8,
  16,
  32,
  64,
  128,
  256,
  512,
  1024,
  2048
];
var BlockFit = class {
  #blockTokens;
  #fitting = new Float64Array(SIZES.length);
  #rows = 0;
  /** Rows with more ids than their prompt needs. */
  surplusRows = 0;
  surplusIds = 0;
  #offByMore = 0;
  constructor(blockTokens) {
    this.#blockTokens = blockTokens;
  }
  add(inputTokens, ids) {
    this.#rows++;
    const needed = Math.ceil(inputTokens / this.#blockTokens);
    if (ids > needed) {
      this.surplusRows++;
      this.surplusIds += ids - needed;
      if (ids > needed + 1) this.#offByMore++;
    }
    if (ids === needed) return;
    for (let i = 0; i < SIZES.length; i++) if (Math.ceil(inputTokens / SIZES[i]) === ids) this.#fitting[i]++;
  }
  /** A warning when the ids do not fit, else undefined. */
  warning() {
    if (this.surplusRows === 0) return void 0;
    const text = `${this.surplusIds} surplus block ids in ${this.surplusRows} of ${this.#rows} rows`;
    if (this.#offByMore * 2 <= this.#rows) return text;
    const best = this.#fitting.indexOf(Math.max(...this.#fitting));
    if (this.#fitting[best] * 10 < this.surplusRows * 9) return `${text}: ${this.#blockTokens} is not the block size`;
    return `${text}: blocks of ${SIZES[best]} tokens fit, blocks of ${this.#blockTokens} do not`;
  }
};

// lib/trace/time_doubt.ts
var DOUBTFUL_RATE = 200;
function timeDoubt(requests2, spanMs) {
  const spanSeconds = Number((spanMs / 1e3).toPrecision(12)), rate = requests2 / spanSeconds;
  if (requests2 <= 100 || !(rate > DOUBTFUL_RATE)) return void 0;
  return `${Math.round(rate)} requests a second over ${spanSeconds} s: are the times in seconds instead of milliseconds?`;
}

// lib/traffic/planned_outputs.ts
var SEED = 232521115524845;
function withPlannedOutputs(workload, repeated) {
  const random = new StdRng(SEED), outputTokenIds = new Map(workload.outputTokenIds);
  let drawn = 0;
  for (let request = 0; request < workload.count; request++) {
    if (outputTokenIds.has(request)) continue;
    const count = workload.outputTokens[request];
    if (repeated(request)) {
      const tokens = new Uint32Array(count);
      for (let i = 0; i < count; i++) tokens[i] = random.wordAt(drawn + i);
      outputTokenIds.set(request, tokens);
    }
    drawn += count;
  }
  return {
    ...workload,
    outputTokenIds
  };
}

// lib/traffic/session_names.ts
var SessionNames = class {
  session;
  turn;
  firstRequest;
  sessionMadeUp;
  #names;
  #lineOf;
  constructor(names, lineOf, firstRequest, sessions2, count) {
    this.#names = names;
    this.#lineOf = lineOf;
    this.firstRequest = firstRequest ?? Int32Array.from({
      length: count + 1
    }, (_, i) => i);
    this.session = new Int32Array(count);
    this.turn = new Int32Array(count);
    let madeUp = null;
    for (let s = 0; s < sessions2; s++) {
      for (let r = this.firstRequest[s]; r < this.firstRequest[s + 1]; r++) {
        this.session[r] = s;
        this.turn[r] = r - this.firstRequest[s];
      }
      if (names[s] === void 0) (madeUp ??= new Uint8Array(sessions2))[s] = 1;
    }
    this.sessionMadeUp = madeUp;
  }
  sessionName(session) {
    return this.#names[session] ?? `request_${this.#lineOf(this.firstRequest[session])}`;
  }
};

// lib/traffic/timestamp_queue.ts
var Arrivals = class {
  #times;
  #fromMs;
  #speedup;
  constructor(timesMs, fromMs = 0, speedup = 1) {
    this.#times = timesMs;
    this.#fromMs = fromMs;
    this.#speedup = speedup;
  }
  get count() {
    return this.#times.length;
  }
  at(request) {
    return (this.#times[request] - this.#fromMs) / this.#speedup;
  }
  /** The latest arrival, at least 0. */
  latest() {
    let latest = 0;
    for (let r = 0; r < this.count; r++) latest = Math.max(latest, this.at(r));
    return latest;
  }
};
var TimestampQueue = class {
  workload;
  reactive = false;
  spanMs;
  arrivalMs = 0;
  #arrivals;
  /** Requests in order of arrival, or null when load order is that already. */
  #order;
  /** How many came, which is next and when it arrives. */
  #came = 0;
  #next = -1;
  #nextMs = Infinity;
  /** `order` comes from {@linkcode arrivalOrder}. */
  constructor(workload, arrivals, order) {
    this.workload = workload;
    this.#arrivals = arrivals;
    this.#order = order;
    this.#advance();
    const last = workload.count - 1;
    this.spanMs = [
      this.#nextMs,
      last < 0 ? -Infinity : arrivals.at(order === null ? last : order[last])
    ];
  }
  nextReadyMs() {
    return this.#nextMs;
  }
  admit(nowMs) {
    const request = this.#next;
    if (request < 0 || this.#nextMs > nowMs) return -1;
    this.arrivalMs = this.#nextMs;
    this.#came++;
    this.#advance();
    return request;
  }
  #advance() {
    const ended = this.#came === this.workload.count;
    this.#next = ended ? -1 : this.#order === null ? this.#came : this.#order[this.#came];
    this.#nextMs = ended ? Infinity : this.#arrivals.at(this.#next);
  }
  ended() {
  }
  dispatched() {
  }
  exhausted() {
    return this.#next < 0;
  }
  promptRuns() {
    return null;
  }
};
function arrivalOrder(arrivals) {
  let sorted = true;
  for (let i = 1; i < arrivals.count && sorted; i++) sorted = arrivals.at(i - 1) <= arrivals.at(i);
  if (sorted) return null;
  const order = Int32Array.from({
    length: arrivals.count
  }, (_, i) => i);
  return order.sort((a, b) => arrivals.at(a) - arrivals.at(b) || a - b);
}

// lib/collections/id_table.ts
var IdTable = class {
  /** Number of different ids so far. */
  count = 0;
  /** number + 1 by id; 0 means not seen. What is not used of it takes no memory, as the system gives that when it is written. */
  #dense = new Int32Array(1 << 18);
  #low = new Uint32Array(1 << 10);
  #high = new Uint32Array(1 << 10);
  /** number + 1 by slot; 0 means empty. */
  #slot = new Int32Array(1 << 10);
  #hashed = 0;
  /** Writes the numbers of the first `count` ids to `out`, from `at` on. */
  intern(ids, count, out, at) {
    let dense = this.#dense;
    for (let i = 0; i < count; i++) {
      const id = ids[i];
      if (id < dense.length) {
        let number = dense[id];
        if (number === 0) number = dense[id] = ++this.count;
        out[at + i] = number - 1;
      } else {
        out[at + i] = this.#internLarge(id);
        dense = this.#dense;
      }
    }
  }
  #internLarge(id) {
    if (this.#worthATable(id)) {
      this.#dense[id] ||= ++this.count;
      return this.#dense[id] - 1;
    }
    if (typeof id === "number") return this.#find(id >>> 0, Math.floor(id / 4294967296));
    return this.#find(Number(id & 0xffffffffn), Number(id >> 32n));
  }
  /** Grows the table when at most about an eighth of it would stay empty for ever; false when the id is too large. */
  #worthATable(id) {
    if (typeof id !== "number" || id >= 8 * this.count + 65536 || id >= 1 << 29) return false;
    let length = this.#dense.length;
    while (length <= id) length *= 2;
    const larger = this.#dense = longer(this.#dense, length);
    if (this.#hashed > 0) {
      for (let slot = 0; slot < this.#slot.length; slot++) {
        if (this.#slot[slot] !== 0 && this.#high[slot] === 0 && this.#low[slot] < length) {
          larger[this.#low[slot]] = this.#slot[slot];
        }
      }
    }
    return true;
  }
  #find(low, high) {
    if (this.#hashed * 2 >= this.#slot.length) this.#grow();
    const at = this.#probe(low, high);
    if (this.#slot[at] !== 0) return this.#slot[at] - 1;
    this.#low[at] = low;
    this.#high[at] = high;
    this.#slot[at] = ++this.count;
    this.#hashed++;
    return this.count - 1;
  }
  #probe(low, high) {
    const mask = this.#slot.length - 1;
    let at = Math.imul(low ^ Math.imul(high, 2246822507), 2654435761);
    at = (at ^ at >>> 15) & mask;
    while (this.#slot[at] !== 0 && (this.#low[at] !== low || this.#high[at] !== high)) at = at + 1 & mask;
    return at;
  }
  #grow() {
    const low = this.#low, high = this.#high, slot = this.#slot;
    this.#low = new Uint32Array(low.length * 2);
    this.#high = new Uint32Array(low.length * 2);
    this.#slot = new Int32Array(low.length * 2);
    for (let old = 0; old < slot.length; old++) {
      if (slot[old] === 0) continue;
      const at = this.#probe(low[old], high[old]);
      this.#low[at] = low[old];
      this.#high[at] = high[old];
      this.#slot[at] = slot[old];
    }
  }
};

// lib/traffic/named_outputs.ts
var PIECE = 1 << 16;
var NamedOutputs = class {
  #count = 0;
  /** By request: the piece its tokens stand in, from where on, and how many they are. */
  #pieceOf = new Int32Array(1024);
  #from = new Int32Array(1024);
  #length = new Int32Array(1024);
  #pieces = [];
  #used = 0;
  /** Requests with a named output. */
  get count() {
    return this.#count;
  }
  /** Keeps the first `count` tokens that a request is going to emit. */
  add(request, tokens, count) {
    if (count === 0) return;
    if (this.#pieces.length === 0 || this.#used + count > this.#pieces.at(-1).length) {
      this.#pieces.push(new Uint32Array(Math.max(PIECE, count)));
      this.#used = 0;
    }
    const last = this.#pieces.length - 1, piece = this.#pieces[last], from = this.#used;
    for (let i = 0; i < count; i++) piece[from + i] = tokens[i];
    this.#used += count;
    this.#pieceOf = reaching(this.#pieceOf, request);
    this.#from = reaching(this.#from, request);
    this.#length = reaching(this.#length, request);
    this.#pieceOf[request] = last;
    this.#from[request] = from;
    this.#length[request] = count;
    this.#count++;
  }
  /** Puts the requests in a new order: request `order[i]` becomes request `i`. */
  reorder(order) {
    const moved = (column) => order.map((request) => column[request] ?? 0);
    this.#pieceOf = moved(this.#pieceOf);
    this.#from = moved(this.#from);
    this.#length = moved(this.#length);
  }
  /** All of them. */
  all() {
    const outputs2 = /* @__PURE__ */ new Map(), length = this.#length;
    for (let r = 0; r < length.length; r++) if (length[r] > 0) outputs2.set(r, this.#tokens(r));
    return outputs2;
  }
  /**
   * Those that matter. A sequence shares tokens behind the end of `r`'s prompt only if it has `r`'s whole prompt and
   * then `r`'s first output token. Either that token still belongs to its prompt, and then any two sequences that meet
   * so may go on together, or its prompt is the same and it emits the same token first.
   */
  shared(prompts) {
    if (this.#count === 0) return /* @__PURE__ */ new Map();
    return this.#meetsPrompt(prompts) ? this.all() : this.#sameBeginnings(prompts);
  }
  /**
   * Whether some prompt goes on behind the end of another one with the first token that the other's request emits. True
   * in very few other cases, too.
   */
  #meetsPrompt({ count, blockTokens, inputTokens, blockStart, blockIds }) {
    const wanted = /* @__PURE__ */ new Map(), length = this.#length;
    for (let r = 0; r < Math.min(count, length.length); r++) {
      if (length[r] === 0) continue;
      const start = blockStart[r], end = blockStart[r + 1], first = this.#first(r);
      if (inputTokens[r] % blockTokens === 0) wanted.set(next(hashOf(blockIds, start, end), first), first);
      else if (blockIds[end - 1] === first) return true;
    }
    if (wanted.size === 0) return false;
    for (let r = 0; r < count; r++) {
      let hash2 = EMPTY;
      for (let at = blockStart[r]; at < blockStart[r + 1]; at++) {
        hash2 = next(hash2, blockIds[at]);
        if (wanted.get(hash2) === blockIds[at]) return true;
      }
    }
    return false;
  }
  /** The outputs that begin like that of another request with the same prompt. */
  #sameBeginnings(prompts) {
    const { count, inputTokens, blockStart, blockIds } = prompts, length = this.#length;
    const shared = /* @__PURE__ */ new Map(), met = /* @__PURE__ */ new Map();
    for (let r = 0; r < Math.min(count, length.length); r++) {
      if (length[r] === 0) continue;
      const prompt = next(hashOf(blockIds, blockStart[r], blockStart[r + 1]), inputTokens[r]);
      let hash2 = next(prompt, this.#first(r)), other = met.get(hash2);
      while (other !== void 0 && !this.#beginAlike(prompts, r, other)) other = met.get(hash2 = next(hash2, 1));
      if (other === void 0) {
        met.set(hash2, r);
      } else {
        shared.set(other, this.#tokens(other));
        shared.set(r, this.#tokens(r));
      }
    }
    return shared;
  }
  /** Whether two requests have the same prompt and the same first output token. */
  #beginAlike({ inputTokens, blockStart, blockIds }, a, b) {
    if (inputTokens[a] !== inputTokens[b] || this.#first(a) !== this.#first(b)) return false;
    const from = blockStart[a], other = blockStart[b], blocks = blockStart[a + 1] - from;
    for (let i = 0; i < blocks; i++) if (blockIds[from + i] !== blockIds[other + i]) return false;
    return true;
  }
  #first(request) {
    return this.#pieces[this.#pieceOf[request]][this.#from[request]];
  }
  #tokens(request) {
    const from = this.#from[request];
    return this.#pieces[this.#pieceOf[request]].subarray(from, from + this.#length[request]);
  }
};
var EMPTY = 1;
function next(hash2, item) {
  const mixed = Math.imul(hash2 ^ item, 2654435761);
  return mixed ^ mixed >>> 15;
}
function hashOf(ids, from, to) {
  let hash2 = EMPTY;
  for (let at = from; at < to; at++) hash2 = next(hash2, ids[at]);
  return hash2;
}

// lib/traffic/workload_builder.ts
var WorkloadBuilder = class {
  blockTokens;
  count = 0;
  #inputTokens = new Int32Array(1024);
  #outputTokens = new Int32Array(1024);
  #blockStart = new Int32Array(1025);
  /** Large from the start: what is not used takes no memory, and copies of arrays that grow take time. */
  #blockIds = new Int32Array(2 ** 19);
  #named = new NamedOutputs();
  #priority = null;
  #strictPriority = null;
  #policyClass = null;
  /** Dropped with the last row: nobody asks for a number any more. */
  #ids;
  /** `ids` may be given when several loads must share their numbering. */
  constructor(blockTokens, ids = new IdTable()) {
    this.blockTokens = blockTokens;
    this.#ids = ids;
  }
  /**
   * Adds a request with the first `given` of `hashIds`; ids beyond ceil(input / blockTokens) are numbered but not kept.
   * Returns its index.
   */
  add(row, hashIds, given = hashIds.length) {
    const index = this.count++;
    if (index === this.#inputTokens.length) this.#grow();
    this.#inputTokens[index] = row.inputTokens;
    this.#outputTokens[index] = row.outputTokens;
    const from = this.#blockStart[index];
    if (from + given > this.#blockIds.length) this.#blockIds = reaching(this.#blockIds, from + given - 1);
    this.#ids.intern(hashIds, given, this.#blockIds, from);
    this.#blockStart[index + 1] = from + Math.min(given, Math.ceil(row.inputTokens / this.blockTokens));
    const named = row.outputTokenIds;
    if (named !== void 0) this.#named.add(index, named, Math.min(named.length, row.outputTokens));
    if (row.priority) (this.#priority ??= new Int32Array(this.#inputTokens.length))[index] = row.priority;
    if (row.strictPriority) {
      (this.#strictPriority ??= new Uint32Array(this.#inputTokens.length))[index] = row.strictPriority;
    }
    if (row.policyClass !== void 0) (this.#policyClass ??= /* @__PURE__ */ new Map()).set(index, row.policyClass);
    return index;
  }
  #grow() {
    const length = this.#inputTokens.length * 2;
    this.#inputTokens = reaching(this.#inputTokens, length - 1);
    this.#outputTokens = reaching(this.#outputTokens, length - 1);
    this.#blockStart = reaching(this.#blockStart, length);
    if (this.#priority) this.#priority = reaching(this.#priority, length - 1);
    if (this.#strictPriority) this.#strictPriority = reaching(this.#strictPriority, length - 1);
  }
  inputTokens(index) {
    return this.#inputTokens[index];
  }
  outputTokens(index) {
    return this.#outputTokens[index];
  }
  /** Number of block ids kept of a row. */
  blocks(index) {
    return this.#blockStart[index + 1] - this.#blockStart[index];
  }
  /** Puts the rows in a new order: row `order[i]` becomes row `i`. */
  reorder(order) {
    const { count } = this;
    const pick = (column) => {
      const picked = new column.constructor(column.length);
      for (let i = 0; i < count; i++) picked[i] = column[order[i]];
      return picked;
    };
    const blockStart = new Int32Array(this.#blockStart.length), blockIds = new Int32Array(this.#blockIds.length);
    for (let i = 0; i < count; i++) {
      const from = this.#blockStart[order[i]], to = this.#blockStart[order[i] + 1];
      blockIds.set(this.#blockIds.subarray(from, to), blockStart[i]);
      blockStart[i + 1] = blockStart[i] + to - from;
    }
    this.#blockStart = blockStart;
    this.#blockIds = blockIds;
    this.#inputTokens = pick(this.#inputTokens);
    this.#outputTokens = pick(this.#outputTokens);
    if (this.#priority) this.#priority = pick(this.#priority);
    if (this.#strictPriority) this.#strictPriority = pick(this.#strictPriority);
    const moved = (map) => {
      const result = /* @__PURE__ */ new Map();
      for (let i = 0; i < count; i++) if (map.has(order[i])) result.set(i, map.get(order[i]));
      return result;
    };
    if (this.#named.count > 0) this.#named.reorder(order);
    if (this.#policyClass) this.#policyClass = moved(this.#policyClass);
  }
  /**
   * The finished workload. The builder must not be used any further.
   *
   * @param growingPrompts outputs become part of later prompts: all that are named are needed. Default false
   */
  finish(sessions2, names = null, growingPrompts = false) {
    const { count } = this;
    this.#ids = null;
    const prompts = {
      count,
      blockTokens: this.blockTokens,
      inputTokens: this.#inputTokens.subarray(0, count),
      outputTokens: this.#outputTokens.subarray(0, count),
      blockStart: this.#blockStart.subarray(0, count + 1),
      blockIds: this.#blockIds.subarray(0, this.#blockStart[count])
    };
    return {
      ...prompts,
      outputTokenIds: growingPrompts ? this.#named.all() : this.#named.shared(prompts),
      priority: this.#priority && this.#priority.subarray(0, count),
      strictPriority: this.#strictPriority && this.#strictPriority.subarray(0, count),
      policyClass: this.#policyClass,
      session: sessions2?.session ?? null,
      turn: sessions2?.turn ?? null,
      sessionName: sessions2 ? (session) => sessions2.sessionName(session) : () => "",
      sessionMadeUp: sessions2?.sessionMadeUp ?? null,
      requestIds: names?.requestIds ?? null,
      playIds: names?.playIds ?? null
    };
  }
};

// lib/traffic/session_rows.ts
var SessionRows = class {
  #options;
  #builder;
  #fit;
  /** By row: the timestamp of a session's first row (NaN when missing), of the others the delay after the turn before. */
  #times = new Float64Array(1024);
  /** By row, from the first one on that does not stand in the line after the row before. */
  #lines = null;
  #firstLine = 1;
  /** By row, from the first row on that continues a session; until then row and session are the same. */
  #session = null;
  #sessions = 0;
  #byName = /* @__PURE__ */ new Map();
  /** By session; made-up names are missing. */
  #names = [];
  /** Last timestamp seen in a named session, NaN before the first. */
  #lastMs = new Float64Array(0);
  /** True once a session is called like a row without a session would be. */
  #clashing = false;
  #file = "";
  /** `prepared` are rows that belong to no session, in file order. */
  constructor(options, prepared) {
    this.#options = options;
    this.#builder = prepared?.builder ?? new WorkloadBuilder(options.blockTokens);
    this.#fit = new BlockFit(options.blockTokens);
    if (prepared === void 0) return;
    this.#times = prepared.times;
    this.#lines = prepared.lines;
    this.#file = prepared.file;
    this.#sessions = prepared.builder.count;
  }
  get count() {
    return this.#builder.count;
  }
  /** Adds a row of `file` with the first `hashCount` of its ids. The request may be changed afterwards. */
  add(request, hashCount, file) {
    this.#file = file;
    const row = this.#builder.count;
    if (row === this.#times.length) {
      this.#times = reaching(this.#times, row);
      if (this.#lines !== null) this.#lines = reaching(this.#lines, row);
      if (this.#session !== null) this.#session = reaching(this.#session, row);
    }
    this.#place(row, request.line);
    const session = this.#sessionOf(request);
    if (session === void 0) this.#begin(row, request);
    else this.#continue(row, request, session);
    this.#builder.add(request, request.hashIds, hashCount);
    this.#fit.add(request.inputTokens, hashCount);
  }
  #place(row, line) {
    if (row === 0) this.#firstLine = line;
    if (this.#lines === null) {
      if (line === this.#firstLine + row) return;
      this.#lines = Int32Array.from(this.#times, (_, i) => this.#firstLine + i);
    }
    this.#lines[row] = line;
  }
  #line(row) {
    return this.#lines === null ? this.#firstLine + row : this.#lines[row];
  }
  /**
   * The session a row continues. Rows without a session are called `request_<line>`, and a trace that uses such names
   * itself means the same session by them.
   */
  #sessionOf(request) {
    const name = request.sessionId;
    if (name === void 0) return this.#clashing ? this.#byName.get(`request_${request.line}`) : void 0;
    const known = this.#byName.get(name);
    if (known !== void 0 || !name.startsWith("request_")) return known;
    this.#clashing = true;
    const row = this.#rowAt(Number(name.slice(8)));
    if (row === this.#builder.count || `request_${this.#line(row)}` !== name) return void 0;
    const session = this.#session === null ? row : this.#session[row];
    if (this.#names[session] !== void 0) return void 0;
    this.#register(session, name, this.#times[row]);
    return session;
  }
  /** The first row at or behind a line. */
  #rowAt(line) {
    let low = 0, high = this.#builder.count;
    while (low < high) {
      const middle = low + high >> 1;
      if (this.#line(middle) < line) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  #register(session, name, lastMs) {
    this.#byName.set(name, session);
    this.#names[session] = name;
    if (session >= this.#lastMs.length) this.#lastMs = reaching(this.#lastMs, Math.max(session, 1023));
    this.#lastMs[session] = lastMs;
  }
  #begin(row, request) {
    const name = request.sessionId;
    if (request.delayMs) {
      this.#fail(request.line, `sets delay on the first turn of session ${name ?? `request_${request.line}`}`);
    }
    const timestampMs = request.timestampMs ?? NaN;
    this.#times[row] = timestampMs;
    const session = this.#sessions++;
    if (this.#session !== null) this.#session[row] = session;
    if (name !== void 0) this.#register(session, name, timestampMs);
  }
  #continue(row, request, session) {
    const { timestampMs } = request;
    let delay = request.delayMs;
    if (delay === void 0) {
      const lastMs = this.#lastMs[session];
      if (timestampMs === void 0) delay = 0;
      else if (!Number.isNaN(lastMs)) delay = timestampMs - lastMs;
      else {
        this.#fail(request.line, `for session ${request.sessionId ?? `request_${request.line}`} cannot infer delay without a previous timestamp`);
      }
    }
    if (!(delay >= 0 && delay < Infinity)) this.#fail(request.line, `has invalid delay ${numberText(delay)}`);
    if (timestampMs !== void 0) this.#lastMs[session] = timestampMs;
    this.#session ??= Int32Array.from(this.#times, (_, i) => i);
    this.#session[row] = session;
    this.#times[row] = delay;
  }
  #fail(line, what) {
    throw new TraceError(`trace line ${line} ${what}`, {
      file: this.#file,
      line
    });
  }
  /** The load. Checks what only the whole shows, session by session. The rows must not be used any further. */
  finish() {
    const firstRequest = this.#session === null ? null : this.#sortBySession();
    if (firstRequest === null) {
      const starts2 = narrowed(this.#times.subarray(0, this.#sessions));
      this.#times = new Float64Array(0);
      return this.#paced({
        starts: starts2,
        delays: null,
        firstRequest
      }, this.#options);
    }
    const starts = new Float64Array(this.#sessions), delays = this.#times;
    for (let s = 0; s < this.#sessions; s++) {
      starts[s] = delays[firstRequest[s]];
      delays[firstRequest[s]] = 0;
    }
    return this.#paced({
      starts,
      delays,
      firstRequest
    }, this.#options);
  }
  #paced(recorded, { speedup = 1, concurrency }) {
    const timed = concurrency === void 0, { firstRequest } = recorded;
    if (!timed && !(concurrency >= 1)) throw new ConfigError("replay_concurrency must be at least 1");
    const starts = timed ? normalised(recorded.starts, speedup) : new Arrivals(recorded.starts);
    const delays = timed && speedup !== 1 ? recorded.delays && recorded.delays.map((delay) => delay / speedup) : recorded.delays;
    this.#check(starts, delays, firstRequest, timed);
    const doubt = timed ? timeDoubt(starts.count, speedup * starts.latest()) : void 0;
    const found = [
      this.#fit.warning(),
      doubt
    ].filter((text) => text !== void 0);
    const warnings = found.map((text) => `${this.#file}: ${text}`);
    const repaced = (pace) => this.#paced(recorded, pace);
    const order = timed ? arrivalOrder(starts) : null;
    if (timed && firstRequest === null) {
      const workload2 = this.#builder.finish(null);
      return {
        workload: workload2,
        start: () => new TimestampQueue(workload2, starts, order),
        warnings,
        repaced
      };
    }
    const sessions2 = new SessionNames(this.#names, (request) => this.#line(request), firstRequest, this.#sessions, this.count);
    const grows = this.#options.growingPrompts === true && firstRequest !== null;
    const rows = this.#builder.finish(sessions2, null, grows), { session } = sessions2;
    const workload = grows ? withPlannedOutputs(rows, (request) => request + 1 < rows.count && session[request + 1] === session[request]) : rows;
    return {
      workload,
      warnings,
      repaced,
      start: () => new SessionDriver(workload, {
        start: timed ? {
          arrivals: starts,
          order
        } : {
          concurrency
        },
        firstRequest: sessions2.firstRequest,
        session: sessions2.session,
        delaysMs: delays,
        history: grows ? new PromptHistory(workload) : void 0
      })
    };
  }
  /** Puts the rows in load order, session by session; returns the first request of each session and the count. */
  #sortBySession() {
    const session = this.#session, count = this.count;
    const firstRequest = new Int32Array(this.#sessions + 1);
    for (let row = 0; row < count; row++) firstRequest[session[row] + 1]++;
    for (let s = 0; s < this.#sessions; s++) firstRequest[s + 1] += firstRequest[s];
    const next2 = firstRequest.slice(), order = new Int32Array(count);
    const times = new Float64Array(count), lines = new Int32Array(count);
    for (let row = 0; row < count; row++) {
      const request = next2[session[row]]++;
      order[request] = row;
      times[request] = this.#times[row];
      lines[request] = this.#line(row);
    }
    this.#times = times;
    this.#lines = lines;
    this.#builder.reorder(order);
    return firstRequest;
  }
  #check(starts, delays, firstRequest, timed) {
    const sessions2 = this.#sessions, builder = this.#builder;
    for (let s = 0; s < sessions2; s++) {
      const start = starts.at(s);
      const first = firstRequest === null ? s : firstRequest[s];
      const end = firstRequest === null ? s + 1 : firstRequest[s + 1];
      if (start > MOST_TIME_MS) {
        const what = `trace line ${this.#line(first)}: arrival after ${numberText(start)} ms is beyond what a clock tells`;
        throw new TraceError(what, {
          file: this.#file,
          line: this.#line(first)
        });
      }
      if (!(start >= 0 && start < Infinity)) this.#refuseStart(s, first, start, timed);
      for (let request = first; request < end; request++) {
        if (builder.inputTokens(request) === 0) {
          const what = `session ${this.#name(s, first)} turn ${request - first} must have a positive input_length`;
          throw new TraceError(what, {
            file: this.#file,
            line: this.#line(request)
          });
        }
        if (delays !== null && !(delays[request] < Infinity)) {
          const what = `session ${this.#name(s, first)} turn ${request - first} has invalid delay inf`;
          throw new TraceError(what, {
            file: this.#file,
            line: this.#line(request)
          });
        }
      }
    }
  }
  #refuseStart(session, first, start, timed) {
    const name = this.#name(session, first);
    const place = {
      file: this.#file,
      line: this.#line(first)
    };
    if (!Number.isNaN(start)) {
      throw new TraceError(`session ${name} has invalid first_arrival_timestamp_ms ${numberText(start)}`, place);
    }
    if (timed) throw new TraceError(`trace mode requires first_arrival_timestamp_ms for session ${name}`, place);
  }
  #name(session, first) {
    return this.#names[session] ?? `request_${this.#line(first)}`;
  }
};
function normalised(starts, speedup) {
  checkSpeedup(speedup);
  let earliest = Infinity;
  for (let s = 0; s < starts.length; s++) {
    const start = starts[s];
    if (start < earliest) earliest = start;
    else if (earliest > 0 && Number.isNaN(start)) earliest = 0;
  }
  return new Arrivals(starts, earliest, speedup);
}
function narrowed(times) {
  for (let i = 0; i < times.length; i++) if (times[i] !== times[i] >>> 0) return times;
  return new Uint32Array(times);
}
function checkSpeedup(speedup, name = "ratio") {
  if (speedup > 0 && speedup < Infinity) return;
  throw new ConfigError(`${name} must be a finite positive number, got ${numberText(speedup)}`);
}

// lib/traffic/synthetic.ts
var OPTIONS = {
  inputTokens: true,
  outputTokens: true,
  count: true,
  concurrency: true,
  requestsPerSecond: true,
  arrivalIntervalMs: true,
  seed: true,
  speedup: true,
  turns: true,
  sharedPrefixRatio: true,
  prefixGroups: true,
  interTurnDelayMs: true,
  growingPrompts: true,
  blockTokens: true,
  cachedPrefixTokens: true
};
var GROUP_SEED = 42;
var GROWING_GROUP_SEED = 0;
function syntheticTraffic(options) {
  checkOptions("syntheticTraffic()", options, OPTIONS);
  const process = checked(options);
  const { turns = 1, sharedPrefixRatio = 0, prefixGroups = 0, interTurnDelayMs = 0 } = options;
  const plain = turns <= 1 && sharedPrefixRatio <= 0 && prefixGroups === 0 && interTurnDelayMs <= 0;
  return plain ? requests(options, process) : sessions(options, process);
}
var MOST = {
  input_tokens: 1e7,
  output_tokens: 1e9,
  request_count: 1e9
};
function checked(options) {
  const { concurrency, requestsPerSecond, arrivalIntervalMs } = options;
  const fail = (what) => {
    throw new ConfigError(what);
  };
  if (!(options.inputTokens >= 1)) fail("input_tokens must be at least 1");
  if (!(options.outputTokens >= 1)) fail("output_tokens must be at least 1");
  if (!(options.count >= 1)) fail("request_count must be at least 1");
  for (const [name, value] of [
    [
      "input_tokens",
      options.inputTokens
    ],
    [
      "output_tokens",
      options.outputTokens
    ],
    [
      "request_count",
      options.count
    ]
  ]) {
    if (!Number.isInteger(value)) fail(`${name} must be a whole number, got ${numberText(value)}`);
    if (value > MOST[name]) fail(`${name} must be at most ${MOST[name]}, got ${numberText(value)}`);
  }
  if ([
    concurrency,
    requestsPerSecond,
    arrivalIntervalMs
  ].filter((value) => value !== void 0).length !== 1) {
    fail("synthetic replay requires exactly one of replay_concurrency, request_rate, or arrival_interval_ms");
  }
  if (concurrency !== void 0) {
    if (!(concurrency >= 1)) fail("replay_concurrency must be at least 1");
    return null;
  }
  if (requestsPerSecond !== void 0) {
    if (!(requestsPerSecond > 0 && requestsPerSecond < Infinity)) {
      fail(`request_rate must be a finite positive number, got ${numberText(requestsPerSecond)}`);
    }
    return {
      requestsPerSecond,
      seed: options.seed ?? 42
    };
  }
  const intervalMs = arrivalIntervalMs;
  if (!(intervalMs >= 0 && intervalMs < Infinity)) {
    fail(`arrival_interval_ms must be a finite non-negative number, got ${numberText(intervalMs)}`);
  }
  return {
    intervalMs
  };
}
function requests(options, process) {
  const { inputTokens, outputTokens, count, concurrency, speedup = 1, blockTokens = 512 } = options;
  const builder = new WorkloadBuilder(blockTokens);
  const row = {
    inputTokens,
    outputTokens
  };
  const ids = new Array(Math.ceil(inputTokens / blockTokens));
  const shared = Math.floor((options.cachedPrefixTokens ?? 0) / blockTokens);
  for (let r = 0, next2 = shared; r < count; r++) {
    for (let i = 0; i < ids.length; i++) ids[i] = i < shared ? i : next2++;
    builder.add(row, ids);
  }
  const workload = builder.finish(null);
  if (process === null) return {
    workload,
    start: () => new RequestQueue(workload, concurrency)
  };
  checkSpeedup(speedup, "arrival_speedup_ratio");
  const times = withinClock(arrivalTimes(count, process).map((time) => time / speedup));
  const arrivals = new Arrivals(times);
  return {
    workload,
    start: () => new TimestampQueue(workload, arrivals, null)
  };
}
function withinClock(arrivals) {
  const last = arrivals.length > 0 ? arrivals[arrivals.length - 1] : 0;
  if (last <= MOST_TIME_MS) return arrivals;
  const message = `the last request would arrive after ${numberText(last)} ms, beyond what a clock tells: arrivals are too rare`;
  throw new ConfigError(message, [
    {
      path: "traffic.load",
      message
    }
  ]);
}
function sessions(options, process) {
  const { inputTokens, outputTokens, count, concurrency, speedup = 1, blockTokens = 512 } = options;
  const { turns = 1, sharedPrefixRatio: ratio = 0, prefixGroups: groups = 0, interTurnDelayMs = 0 } = options;
  if (!(turns >= 1)) throw new ConfigError("turns_per_session must be at least 1");
  if (!(interTurnDelayMs >= 0 && interTurnDelayMs < Infinity)) {
    throw new ConfigError("inter_turn_delay_ms must be a finite non-negative number");
  }
  if (!(ratio >= 0 && ratio <= 1)) {
    throw new ConfigError(`shared_prefix_ratio must be between 0.0 and 1.0, got ${numberText(ratio)}`);
  }
  const blocks = Math.ceil(inputTokens / blockTokens);
  const shared = groups > 0 && ratio > 0 ? Math.min(blocks, Math.round(blocks * ratio)) : 0;
  const random = new StdRng(options.growingPrompts ? GROWING_GROUP_SEED : GROUP_SEED);
  const builder = new WorkloadBuilder(blockTokens);
  const row = {
    inputTokens,
    outputTokens
  }, ids = new Array(blocks);
  let next2 = groups * shared;
  for (let s = 0; s < count; s++) {
    const group = groups > 0 && ratio > 0 ? random.below(groups) : 0;
    for (let turn3 = 0; turn3 < turns; turn3++) {
      for (let i = 0; i < blocks; i++) ids[i] = i < shared ? group * shared + i : next2++;
      builder.add(row, ids);
    }
  }
  const total = count * turns;
  const session = Int32Array.from({
    length: total
  }, (_, r) => Math.floor(r / turns));
  const turn2 = session.map((s, r) => r - s * turns);
  const rows = builder.finish({
    session,
    turn: turn2,
    sessionName: (s) => `session_${s}`,
    sessionMadeUp: null
  });
  const grows = options.growingPrompts === true && turns > 1;
  const workload = grows ? {
    ...rows,
    outputTokenIds: outputs(rows, turns)
  } : rows;
  if (process !== null) checkSpeedup(speedup);
  const scale = process === null ? 1 : speedup;
  const delaysMs = Float64Array.from(turn2, (k) => k === 0 ? 0 : interTurnDelayMs / scale);
  const start = process === null ? {
    concurrency
  } : {
    arrivals: new Arrivals(withinClock(arrivalTimes(count, process).map((time) => time / scale))),
    order: null
  };
  const firstRequest = Int32Array.from({
    length: count + 1
  }, (_, s) => s * turns);
  return {
    workload,
    start: () => {
      const history = grows ? new PromptHistory(workload) : void 0;
      return new SessionDriver(workload, {
        start,
        firstRequest,
        session,
        delaysMs,
        history
      });
    }
  };
}
function outputs({ count, outputTokens }, turns) {
  const tokens = /* @__PURE__ */ new Map();
  for (let r = 0; r < count; r++) {
    if ((r + 1) % turns !== 0) tokens.set(r, new Uint32Array(outputTokens[r]).fill(2 ** 32 - 1 - r));
  }
  return tokens;
}

// lib/trace/feed.ts
function sourceName(source) {
  return typeof source !== "string" ? "<stream>" : source === "-" ? "<standard input>" : source;
}
function sourceBytes(source) {
  if (typeof source === "string") return readBytes(source);
  if (typeof source !== "object" || source === null || !(Symbol.asyncIterator in source)) {
    const found = source === null ? "null" : typeof source;
    throw new ConfigError(`a trace must be a path or a stream of bytes (like blob.stream()), got ${found}`);
  }
  return gunzipped(source);
}
async function* feed(source, reader, emit, options = {}) {
  const file = sourceName(source);
  const cutter = new LineCutter(file);
  const read = options.badRows === "drop" ? dropping(reader, file, options.ledger) : failing(reader, file);
  const bytes = sourceBytes(source)[Symbol.asyncIterator]();
  try {
    for (; ; ) {
      let piece;
      try {
        piece = await bytes.next();
      } catch (cause) {
        const opening = cause instanceof ByteSourceError && cause.stage === "open";
        const what = opening ? reader.wording.open : reader.wording.read(cutter.number + 1);
        throw new TraceError(`${what}: ${reason(cause)}`, opening ? {
          file
        } : {
          file,
          line: cutter.number + 1
        }, {
          cause
        });
      }
      if (piece.done) break;
      for (const line of cutter.cut(piece.value)) read(line, emit);
      yield;
    }
    for (const line of cutter.finish()) read(line, emit);
    reader.finish?.(emit);
    yield;
  } finally {
    await bytes.return?.();
  }
}
function failing(reader, file) {
  return (line, emit) => {
    try {
      reader.read(line, emit);
    } catch (problem) {
      if (!(problem instanceof RefusedRow)) throw problem;
      const what = `${reader.wording.parse(line.number)}: ${problem.reason}: ${problem.message}`;
      throw new TraceError(what, {
        file,
        line: line.number
      });
    }
  };
}
function dropping(reader, file, ledger) {
  return (line, emit) => {
    try {
      reader.read(line, emit);
    } catch (problem) {
      if (reader.atHeader) throw problem;
      if (problem instanceof RefusedRow) {
        ledger?.refuse(problem.reason, `${file}:${line.number}: ${problem.message}`);
      } else if (problem instanceof TraceError && problem.place.line === line.number) {
        ledger?.refuse("unreadable row", problem.message);
      } else throw problem;
    }
  };
}
async function* requestBatches(source, reader, options = {}) {
  const { ledger } = options;
  let batch = [];
  const emit = reader.keep ? (request) => batch.push(reader.keep(request)) : (request) => batch.push(keepRequest(request));
  const take = () => {
    const taken = batch;
    if (ledger) ledger.read += taken.length;
    batch = [];
    return taken;
  };
  const feeding = feed(source, reader, emit, options);
  try {
    for (; ; ) {
      let done;
      try {
        done = (await feeding.next()).done;
      } catch (problem) {
        if (batch.length > 0) yield take();
        throw problem;
      }
      if (batch.length > 0) yield take();
      if (done) return;
    }
  } finally {
    await feeding.return();
  }
}

// lib/trace/format.ts
var FORMAT_OPTIONS = {
  blockTokens: true,
  sharedPrefixRatio: true,
  prefixGroups: true,
  keepZeroOutput: true,
  sessions: true,
  lengthsFolder: true,
  ledger: true
};
var IDENTITIES = [
  "recorded",
  "synthesised unique"
];
var identityTeller = (ledger) => (text) => {
  if (ledger !== void 0 && IDENTITIES.includes(text)) ledger.identity = text;
};

// lib/trace/json_cursor.ts
var QUOTE2 = 34;
var MINUS2 = 45;
var ZERO2 = 48;
var COLON = 58;
var BACKSLASH = 92;
var OPEN_LIST2 = 91;
var CLOSE_LIST2 = 93;
var OPEN = 123;
var CLOSE = 125;
var COMMA2 = 44;
var ESCAPES = '"\\/bfnrt';
var JsonCursor = class extends NumberCursor {
  #guess = 0;
  /** Takes up the bytes `start \u2026 end - 1`. */
  open(bytes, start, end) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    this.beyondAscii = false;
    this.#guess = 0;
  }
  /** Enters an object. */
  openObject() {
    if (this.peek() !== OPEN) this.fail("an object");
    this.at++;
  }
  /**
   * Moves to the value of the next key: its field in `keys`, -1 for a key that is not in there, -2 after the last.
   * `first` is true when no key of this object was read yet.
   */
  nextKey(keys, first) {
    let byte = this.peek();
    if (byte === CLOSE) {
      this.at++;
      return -2;
    }
    if (first) {
      this.#guess = 0;
    } else {
      if (byte !== COMMA2) this.fail('"," or "}"');
      this.at++;
      byte = this.peek();
    }
    if (byte !== QUOTE2) this.fail(first ? 'a key or "}"' : "a key");
    const spelling = keys.spellingAt(this.bytes, this.at + 1, this.#guess);
    let field;
    if (spelling >= 0 && this.at + keys.lengthOf(spelling) < this.end) {
      field = keys.fieldOf(spelling);
      this.at += keys.lengthOf(spelling) + 1;
      this.#guess = spelling + 1 === keys.spellings ? 0 : spelling + 1;
    } else {
      field = keys.fieldNamed(this.string());
    }
    if (this.peek() !== COLON) this.fail('":"');
    this.at++;
    return field;
  }
  /** Passes the next key whatever it is; false after the last. */
  #passKey(first) {
    let byte = this.peek();
    if (byte === CLOSE) {
      this.at++;
      return false;
    }
    if (!first) {
      if (byte !== COMMA2) this.fail('"," or "}"');
      this.at++;
      byte = this.peek();
    }
    if (byte !== QUOTE2) this.fail(first ? 'a key or "}"' : "a key");
    this.#passString();
    if (this.peek() !== COLON) this.fail('":"');
    this.at++;
    return true;
  }
  /** True, and past it, when the value is null. */
  isNull() {
    if (this.peek() !== 110) return false;
    this.#word("null");
    return true;
  }
  /** A string. */
  string() {
    if (this.peek() !== QUOTE2) this.fail("a string");
    const start = this.at;
    if (!this.#passString()) return this.text(start + 1, this.at - 1);
    const text = JSON.parse(this.text(start, this.at));
    if (!text.isWellFormed()) this.failAt(start, "a string without half characters");
    return text;
  }
  /** A string that is one of `words`. */
  oneOf(words) {
    this.peek();
    const start = this.at;
    for (const word of words) if (this.#holds(word)) return word;
    const text = this.string();
    if (!words.includes(text)) this.failAt(start, words.map((word) => `"${word}"`).join(" or "));
    return text;
  }
  /** Passes the string at the position if it is written exactly as `word`. */
  #holds(word) {
    const { bytes, at } = this, end = at + word.length + 1;
    if (end >= this.end || bytes[at] !== QUOTE2 || bytes[end] !== QUOTE2) return false;
    for (let i = 0; i < word.length; i++) if (bytes[at + 1 + i] !== word.charCodeAt(i)) return false;
    this.at = end + 1;
    return true;
  }
  /** Passes a string and checks its grammar; true when it holds escapes. */
  #passString() {
    const { bytes, end } = this;
    let at = this.at + 1;
    let escaped = false;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === QUOTE2) {
        this.at = at + 1;
        return escaped;
      }
      if (byte === BACKSLASH) {
        escaped = true;
        at = this.#passEscape(at);
      } else if (byte > 127) {
        this.beyondAscii = true;
      } else if (byte < 32) {
        this.failAt(at, "no control character inside a string");
      }
    }
    this.at = end;
    return this.fail("the end of the string");
  }
  /** Checks the escape that begins at `at` and returns where its last byte stands. */
  #passEscape(at) {
    const { bytes, end } = this;
    if (at + 1 >= end) return at;
    const kind = bytes[at + 1];
    if (kind === 117) {
      for (let i = at + 2; i < at + 6; i++) {
        const byte = i < end ? bytes[i] : 0;
        const hex = byte >= ZERO2 && byte <= 57 || byte >= 65 && byte <= 70 || byte >= 97 && byte <= 102;
        if (!hex) this.failAt(at, "four hexadecimal digits after \\u");
      }
      return at + 5;
    }
    if (!ESCAPES.includes(String.fromCharCode(kind))) this.failAt(at, "a known escape");
    return at + 1;
  }
  boolean() {
    const byte = this.peek();
    if (byte === 116) this.#word("true");
    else if (byte === 102) this.#word("false");
    else this.fail("true or false");
    return byte === 116;
  }
  #word(word) {
    for (let i = 0; i < word.length; i++) {
      if (this.at + i >= this.end || this.bytes[this.at + i] !== word.charCodeAt(i)) this.fail("a value");
    }
    this.at += word.length;
  }
  /** Passes any value, checking its grammar. */
  skip(depth = 0) {
    const byte = this.peek();
    if (depth > 127) this.fail("at most 127 levels of nesting");
    if (byte === QUOTE2) {
      this.#passString();
    } else if (byte === OPEN) {
      this.at++;
      for (let first = true; this.#passKey(first); first = false) this.skip(depth + 1);
    } else if (byte === OPEN_LIST2) {
      if (this.#passIntegers()) return;
      this.at++;
      for (let first = true; this.nextItem(first); first = false) this.skip(depth + 1);
    } else if (byte === MINUS2 || byte >= ZERO2 && byte <= 57) {
      this.number();
    } else if (byte === 110) {
      this.#word("null");
    } else if (byte === 116 || byte === 102) {
      this.boolean();
    } else {
      this.fail("a value");
    }
  }
  /** Passes a list of plain integers, which is what long lists are; false, and at the same place, for any other. */
  #passIntegers() {
    const { bytes, end } = this;
    let at = this.at + 1;
    for (; ; ) {
      const from = at;
      while (at < end && bytes[at] >= ZERO2 && bytes[at] <= 57) at++;
      if (at === from || at >= end || at - from > 1 && bytes[from] === ZERO2) return false;
      if (bytes[at] === CLOSE_LIST2) {
        this.at = at + 1;
        return true;
      }
      if (bytes[at++] !== COMMA2) return false;
      if (at < end && bytes[at] === 32) at++;
    }
  }
  /** Reads any value. Of a key given twice the last wins. */
  value(depth = 0) {
    const byte = this.peek();
    if (depth > 127) this.fail("at most 127 levels of nesting");
    switch (byte) {
      case QUOTE2:
        return this.string();
      case OPEN: {
        const object = /* @__PURE__ */ Object.create(null);
        this.at++;
        for (let first = true; ; first = false) {
          let next2 = this.peek();
          if (next2 === CLOSE) break;
          if (!first) {
            if (next2 !== COMMA2) this.fail('"," or "}"');
            this.at++;
            next2 = this.peek();
          }
          if (next2 !== QUOTE2) this.fail(first ? 'a key or "}"' : "a key");
          const key = this.string();
          if (this.peek() !== COLON) this.fail('":"');
          this.at++;
          object[key] = this.value(depth + 1);
        }
        this.at++;
        return object;
      }
      case OPEN_LIST2: {
        const list = [];
        this.at++;
        for (let first = true; this.nextItem(first); first = false) list.push(this.value(depth + 1));
        return list;
      }
      case 110:
        this.#word("null");
        return null;
      case 116:
      case 102:
        return this.boolean();
      default: {
        if (byte !== MINUS2 && (byte < ZERO2 || byte > 57)) this.fail("a value");
        const start = this.at;
        const value = this.number();
        if (Math.abs(value) <= 9007199254740991) return value;
        const text = this.text(start, this.at);
        return /^-?\d+$/.test(text) ? BigInt(text) : value;
      }
    }
  }
  /** Checks that nothing but white space follows. */
  finish() {
    if (this.peek() !== -1) this.fail("the end of the line");
  }
};

// lib/trace/key_set.ts
var KeySet = class {
  #spellings = [];
  #byText = /* @__PURE__ */ new Map();
  names = [];
  /** `fields[i]` lists the spellings of field `i`, the proper one first. */
  constructor(fields) {
    const encoder = new TextEncoder();
    fields.forEach((spellings, field) => {
      this.names.push(spellings[0]);
      for (const text of spellings) {
        this.#byText.set(text, field);
        this.#spellings.push({
          bytes: encoder.encode(`${text}"`),
          field
        });
      }
    });
  }
  /** The index of the spelling whose bytes (with the closing quote) stand at `at`, or -1. Tries `guess` first. */
  spellingAt(bytes, at, guess) {
    const count = this.#spellings.length;
    for (let tried = 0; tried < count; tried++) {
      let index = guess + tried;
      if (index >= count) index -= count;
      const expected = this.#spellings[index].bytes;
      let i = 0;
      while (i < expected.length && bytes[at + i] === expected[i]) i++;
      if (i === expected.length) return index;
    }
    return -1;
  }
  lengthOf(spelling) {
    return this.#spellings[spelling].bytes.length;
  }
  fieldOf(spelling) {
    return this.#spellings[spelling].field;
  }
  fieldNamed(text) {
    return this.#byText.get(text) ?? -1;
  }
  get spellings() {
    return this.#spellings.length;
  }
};

// lib/trace/mooncake.ts
var KEYS = new KeySet([
  [
    "timestamp",
    "created_time"
  ],
  [
    "input_length",
    "input_tokens"
  ],
  [
    "output_length",
    "output_tokens"
  ],
  [
    "hash_ids"
  ],
  [
    "session_id"
  ],
  [
    "delay",
    "delay_ms"
  ],
  [
    "output_token_ids"
  ],
  [
    "request_id"
  ],
  [
    "priority"
  ],
  [
    "strict_priority"
  ],
  [
    "policy_class"
  ],
  [
    "prefix_identity"
  ]
]);
var TIMESTAMP = 0;
var INPUT = 1;
var OUTPUT = 2;
var HASHES = 3;
var SESSION = 4;
var DELAY = 5;
var OUTPUT_IDS = 6;
var REQUEST = 7;
var PRIORITY = 8;
var STRICT = 9;
var POLICY = 10;
var IDENTITY = 11;
var asBytes = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
var PLAIN_KEYS = [
  '{"timestamp":',
  '"input_length":',
  '"output_length":',
  '"hash_ids":'
].map(asBytes);
var PLAIN_OUTPUTS = asBytes('"output_token_ids":');
var MooncakeRows = class {
  keys = KEYS;
  field = -1;
  #file;
  #blockTokens;
  #cursor = new JsonCursor();
  wording;
  #ids = [];
  #outputIds = [];
  #outputCount = 0;
  #tellIdentity;
  #request;
  #seen = 0;
  #plain = new Float64Array(3);
  constructor(file, blockTokens, ledger) {
    this.#tellIdentity = identityTeller(ledger);
    this.#file = file;
    this.#blockTokens = blockTokens;
    this.wording = {
      open: `failed to open trace file ${file}`,
      parse: (line) => `failed to parse line ${line} from ${file} as JSON`,
      read: (line) => `failed to read line ${line} from ${file}`
    };
    this.#request = {
      timestampMs: void 0,
      inputTokens: 0,
      outputTokens: 0,
      hashIds: this.#ids,
      hashCount: 0,
      sessionId: void 0,
      delayMs: void 0,
      outputTokenIds: void 0,
      requestId: void 0,
      priority: void 0,
      strictPriority: void 0,
      policyClass: void 0,
      line: 0
    };
  }
  read(line, emit) {
    if (!this.#plainRow(line)) readingLine(this.#cursor, line, this.#file, this.wording, this, this.#row);
    const request = this.#request, seen = this.#seen;
    request.line = line.number;
    if ((seen & 1 << HASHES) === 0) this.#fail(line, "is missing hash_ids");
    const capacity = request.hashCount * this.#blockTokens;
    if ((seen & 1 << INPUT) === 0) request.inputTokens = capacity;
    else if (request.inputTokens > capacity) {
      this.#fail(line, `input_length ${request.inputTokens} exceeds hash_ids capacity ${capacity}`);
    }
    if ((seen & 1 << OUTPUT) === 0) this.#fail(line, "is missing output_length");
    const named = this.#outputCount;
    if (request.outputTokenIds !== void 0 && named !== request.outputTokens) {
      this.#fail(line, `output_length ${request.outputTokens} does not match output_token_ids length ${named}`);
    }
    if (request.inputTokens > MAX_TOKENS) this.#fail(line, `input_length ${request.inputTokens} is too large`);
    emit(request);
  }
  /**
   * Reads a row that looks exactly like those of the published traces: the four fields in their order, plain integers
   * of at most 15 digits, at most one space after each `:` and `,`; output tokens may follow. False for any other, which
   * is then read with all checks. Most rows are such rows, and this loop is quick even before it is compiled.
   */
  #plainRow(line) {
    const { bytes, end } = line;
    let at = line.start;
    for (let field = 0; field < 4; field++) {
      const key = PLAIN_KEYS[field];
      for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
      at += key.length;
      if (bytes[at] === 32) at++;
      if (field === HASHES) break;
      const from = at;
      let value = 0;
      for (let digit = bytes[at] - 48; digit >= 0 && digit <= 9; digit = bytes[++at] - 48) value = value * 10 + digit;
      const length = at - from;
      if (length === 0 || length > (field === OUTPUT ? 9 : 15) || length > 1 && bytes[from] === 48) return false;
      if (bytes[at] !== 44) return false;
      if (bytes[++at] === 32) at++;
      this.#plain[field] = value;
    }
    const ids = this.#ids;
    let count = 0;
    if (bytes[at++] !== 91) return false;
    for (; ; ) {
      const from = at;
      let value = 0;
      for (let digit = bytes[at] - 48; digit >= 0 && digit <= 9; digit = bytes[++at] - 48) value = value * 10 + digit;
      const length = at - from;
      if (length === 0 || length > 15 || length > 1 && bytes[from] === 48) return false;
      ids[count++] = value;
      const next2 = bytes[at++];
      if (next2 === 93) break;
      if (next2 !== 44) return false;
      if (bytes[at] === 32) at++;
    }
    const named = bytes[at] === 44;
    if (named && (at = this.#plainOutputs(bytes, at + 1, end)) < 0) return false;
    if (at + 1 !== end || bytes[at] !== 125) return false;
    if (this.#sparse) this.#clear();
    const request = this.#request;
    if (named) {
      request.outputTokenIds = this.#outputIds;
      this.#sparse = true;
    }
    request.timestampMs = this.#plain[TIMESTAMP];
    request.inputTokens = this.#plain[INPUT];
    request.outputTokens = this.#plain[OUTPUT];
    request.hashCount = count;
    this.#seen = 1 << TIMESTAMP | 1 << INPUT | 1 << OUTPUT | 1 << HASHES;
    return true;
  }
  /** Reads output tokens of at most 9 digits and their key; returns the place behind them, -1 for any others. */
  #plainOutputs(bytes, start, end) {
    const ids = this.#outputIds;
    let at = bytes[start] === 32 ? start + 1 : start + 0, count = 0;
    for (let i = 0; i < PLAIN_OUTPUTS.length; i++) if (bytes[at++] !== PLAIN_OUTPUTS[i]) return -1;
    if (bytes[at] === 32) at++;
    if (bytes[at++] !== 91) return -1;
    for (; ; ) {
      const from = at;
      let value = bytes[at++] - 48, byte = bytes[at++];
      if (value < 0 || value > 9) return -1;
      while (byte >= 48 && byte <= 57) {
        value = Math.imul(value, 10) + byte - 48 | 0;
        byte = bytes[at++];
      }
      if (at > end || at - from > 10 || at - from > 2 && bytes[from] === 48) return -1;
      ids[count++] = value;
      if (byte === 93) break;
      if (byte !== 44) return -1;
      if (bytes[at] === 32) at++;
    }
    this.#outputCount = count;
    return at;
  }
  #fail(line, what) {
    throw new TraceError(`trace line ${line.number} ${what}`, {
      file: this.#file,
      line: line.number
    });
  }
  #row = () => {
    const cursor = this.#cursor, request = this.#request;
    let seen = 0, given = 0;
    this.field = -1;
    if (this.#sparse) this.#clear();
    cursor.openObject();
    for (let first = true; ; first = false) {
      const field = cursor.nextKey(KEYS, first);
      if (field === -2) break;
      if (field < 0) {
        this.field = -1;
        cursor.skip();
        continue;
      }
      this.field = field;
      const bit = 1 << field;
      if (given & bit) cursor.fail(`each field once (an alias counts), but ${KEYS.names[field]} is given again`);
      given |= bit;
      if (cursor.peek() === 110 && cursor.isNull()) continue;
      seen |= bit;
      switch (field) {
        case TIMESTAMP:
          request.timestampMs = cursor.number();
          break;
        case INPUT:
          request.inputTokens = Number(cursor.unsigned());
          break;
        case OUTPUT:
          request.outputTokens = cursor.count(MAX_TOKENS);
          break;
        case HASHES:
          request.hashCount = cursor.unsignedList(this.#ids);
          break;
        default:
          this.#rare(field);
      }
    }
    this.field = -1;
    cursor.finish();
    if ((seen & 1 << TIMESTAMP) === 0) request.timestampMs = void 0;
    this.#seen = seen;
  };
  /** True when the last row set one of the fields that few traces have. */
  #sparse = false;
  #clear() {
    const request = this.#request;
    request.sessionId = request.delayMs = request.outputTokenIds = request.requestId = void 0;
    request.priority = request.strictPriority = request.policyClass = void 0;
    this.#sparse = false;
  }
  #rare(field) {
    const cursor = this.#cursor, request = this.#request;
    this.#sparse = true;
    if (field === SESSION) request.sessionId = cursor.string();
    else if (field === DELAY) request.delayMs = cursor.number();
    else if (field === REQUEST) request.requestId = cursor.string();
    else if (field === PRIORITY) request.priority = cursor.signed32();
    else if (field === STRICT) request.strictPriority = cursor.count(4294967295);
    else if (field === POLICY) request.policyClass = cursor.string();
    else if (field === IDENTITY) this.#tellIdentity(cursor.string());
    else if (field === OUTPUT_IDS) {
      this.#outputCount = cursor.unsignedList(this.#outputIds, 4294967295);
      request.outputTokenIds = this.#outputIds;
    }
  }
};
var mooncake = {
  name: "mooncake",
  title: "Mooncake JSON Lines",
  identity: "recorded",
  shape: "rows",
  recognise: ({ object }) => Array.isArray(object?.hash_ids) && (object.output_length ?? object.output_tokens) !== void 0 && object.chat_id === void 0 ? "its rows have hash_ids and output_length" : void 0,
  open: ({ blockTokens = 512, ledger }) => ({
    blockTokens,
    rows: (file) => new MooncakeRows(file, blockTokens, ledger)
  })
};
var timeText = (ms) => String(ms).length > 16 ? Number(ms.toPrecision(15)) : ms;
function mooncakeRow(request, identity) {
  let row = "{";
  if (request.timestampMs !== void 0) row += `"timestamp": ${timeText(request.timestampMs)}, `;
  row += `"input_length": ${request.inputTokens}, "output_length": ${request.outputTokens}, "hash_ids": [`;
  const ids = request.hashIds;
  if (ids.length > 0) row += ids[0];
  for (let i = 1; i < ids.length; i++) row += `, ${ids[i]}`;
  row += "]";
  if (request.sessionId !== void 0) row += `, "session_id": ${JSON.stringify(request.sessionId)}`;
  if (request.delayMs !== void 0) row += `, "delay": ${timeText(request.delayMs)}`;
  if (request.outputTokenIds !== void 0) row += `, "output_token_ids": [${request.outputTokenIds.join(", ")}]`;
  if (request.requestId !== void 0) row += `, "request_id": ${JSON.stringify(request.requestId)}`;
  if (request.priority !== void 0) row += `, "priority": ${request.priority}`;
  if (request.strictPriority !== void 0) row += `, "strict_priority": ${request.strictPriority}`;
  if (request.policyClass !== void 0) row += `, "policy_class": ${JSON.stringify(request.policyClass)}`;
  if (identity !== void 0 && identity !== "recorded") row += `, "prefix_identity": "${identity}"`;
  return row + "}\n";
}

// lib/trace/formats.ts
var FORMATS = {
  "mooncake": () => mooncake,
  "dynamo": async () => (await import(import.meta.resolve("./lib.trace.dynamo.js"))).dynamo,
  "agentic_mooncake": async () => (await import(import.meta.resolve("./lib.trace.agentic_mooncake.js"))).agenticMooncake,
  "applied_compute_agentic": async () => (await import(import.meta.resolve("./lib.trace.applied_compute.js"))).appliedCompute,
  "lengths": async () => (await import(import.meta.resolve("./lib.trace.plain_lengths.js"))).plainLengths,
  "azure": async () => (await import(import.meta.resolve("./lib.trace.azure.js"))).azure,
  "burstgpt": async () => (await import(import.meta.resolve("./lib.trace.burstgpt.js"))).burstGpt,
  "qwen_bailian": async () => (await import(import.meta.resolve("./lib.trace.qwen_bailian.js"))).qwenBailian,
  "ragpulse": async () => (await import(import.meta.resolve("./lib.trace.ragpulse.js"))).ragPulse,
  "vidur": async () => (await import(import.meta.resolve("./lib.trace.vidur.js"))).vidur,
  "splitwise": async () => (await import(import.meta.resolve("./lib.trace.splitwise.js"))).splitwise,
  "llmservingsim": async () => (await import(import.meta.resolve("./lib.trace.llmservingsim.js"))).llmServingSim
};
var ALIASES = {
  "mooncake-delta": "mooncake",
  "mooncake_delta": "mooncake",
  "agentic-mooncake": "agentic_mooncake"
};
var traceFormats = Object.keys(FORMATS);
async function traceFormat(name) {
  const known = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  if (Object.hasOwn(FORMATS, known)) return await FORMATS[known]();
  const near = nearName(name, traceFormats);
  const hint = near === void 0 ? "" : ` (did you mean '${near}'?)`;
  throw new ConfigError(`unknown trace format '${name}'${hint}: expected one of ${traceFormats.join(", ")}`);
}

// lib/trace/batches.ts
var BATCHES = Symbol("batches");
function batchesOf(source) {
  return source[BATCHES]?.() ?? grouped(source);
}
async function* grouped(source) {
  for await (const item of source) yield [
    item
  ];
}

// lib/traffic/load_trace.ts
var MOST_BLOCK_TOKENS = 2 ** 20;
var LOAD_OPTIONS = {
  blockTokens: true,
  concurrency: true,
  speedup: true,
  lanes: true,
  model: true
};
var SPELLINGS = {
  "mooncake_delta": "mooncake-delta",
  "agentic-mooncake": "agentic_mooncake"
};
var REPLAYABLE = [
  "mooncake",
  "mooncake-delta",
  "agentic_mooncake",
  "applied_compute_agentic",
  "dynamo"
];
var LOAD_TRACE_OPTIONS = {
  ...FORMAT_OPTIONS,
  ...LOAD_OPTIONS,
  format: true
};
async function loadTrace(input, options = {}) {
  checkOptions("loadTrace()", options, LOAD_TRACE_OPTIONS);
  if (options.concurrency !== void 0 && (options.speedup ?? 1) !== 1) {
    throw new ConfigError("loadTrace(): speedup has no effect with concurrency, which replaces the recorded times");
  }
  try {
    return await load(input, options);
  } catch (problem) {
    const [source] = Array.isArray(input) ? input : [
      input
    ];
    if (!(problem instanceof TraceError) || typeof source !== "string") throw problem;
    const { formatHint } = await import(import.meta.resolve("./lib.trace.format_hint.js"));
    throw await formatHint(problem, source, options.format ?? "mooncake", REPLAYABLE);
  }
}
async function load(input, options) {
  const sources = Array.isArray(input) ? input : [
    input
  ];
  const { format: written = "mooncake" } = options;
  const name = Object.hasOwn(SPELLINGS, written) ? SPELLINGS[written] : written;
  checkLoad(name, sources.length, options);
  if (name === "dynamo") {
    const { loadDynamo } = await import(import.meta.resolve("./lib.traffic.load_dynamo.js"));
    return await loadDynamo(sources, options);
  }
  const format = await traceFormat(name);
  const trace = format.open(options);
  const file = sourceName(sources[0]);
  if (format.shape === "graph") {
    const requests2 = await collected(requestBatches(sources[0], trace.rows(file)));
    const { loadGraph } = await import(import.meta.resolve("./lib.traffic.agent_graph.js"));
    return loadGraph(requests2, trace.provenance, {
      ...options,
      blockTokens: trace.blockTokens
    });
  }
  const rows = new SessionRows({
    ...options,
    blockTokens: trace.blockTokens,
    growingPrompts: name === "mooncake-delta"
  });
  const add2 = (request) => rows.add(request, request.hashCount, file);
  for await (const _ of feed(sources[0], trace.rows(file), add2)) ;
  return finished(rows, file);
}
async function loadRequests(requests2, options = {}) {
  checkOptions("loadRequests()", options, {
    ...LOAD_OPTIONS,
    name: true
  });
  checkLoad("mooncake", 1, options);
  const file = options.name ?? "<requests>";
  const rows = new SessionRows({
    ...options,
    blockTokens: options.blockTokens ?? 512
  });
  const agents = [];
  for await (const batch of batchesOf(requests2)) {
    for (const request of batch) {
      if (request.agent !== void 0) agents.push(request);
      else rows.add(request, request.hashIds.length, file);
    }
  }
  if (agents.length === 0) return finished(rows, file);
  if (rows.count > 0) throw new TraceError(`${file}: requests with and without an agent cannot be mixed`, {
    file
  });
  const { loadGraph } = await import(import.meta.resolve("./lib.traffic.agent_graph.js"));
  return loadGraph(agents, {
    format: "requests",
    digest: file
  }, {
    ...options,
    blockTokens: options.blockTokens ?? 512
  });
}
function finished(rows, file) {
  if (rows.count === 0) throw new TraceError(`trace file ${file} did not contain any requests`, {
    file
  });
  return rows.finish();
}
async function collected(batches) {
  const requests2 = [];
  for await (const batch of batches) requests2.push(...batch);
  return requests2;
}
function checkLoad(format, files, options) {
  const { blockTokens, concurrency, lanes, model } = options;
  if (format === "weka") throw new ConfigError("trace_format='weka' is not supported: Weka corpora cannot be read");
  if (!REPLAYABLE.includes(format)) {
    throw new ConfigError(`trace_format must be 'mooncake', 'mooncake-delta', 'agentic_mooncake'/'agentic-mooncake', 'weka', 'applied_compute_agentic', or 'dynamo', got '${format}'`);
  }
  if (files === 0) throw new ConfigError("trace replay requires at least one trace file");
  if (files > 1 && format !== "dynamo") {
    throw new ConfigError(`trace_format='${format}' requires exactly one trace file, got ${files}`);
  }
  if (blockTokens !== void 0 && !(blockTokens > 0)) {
    throw new ConfigError("trace_block_size must be greater than 0");
  }
  if (blockTokens !== void 0 && blockTokens > MOST_BLOCK_TOKENS) {
    throw new ConfigError(`trace_block_size must be at most ${MOST_BLOCK_TOKENS}, got ${blockTokens}`);
  }
  if (concurrency !== void 0 && !(concurrency >= 1)) {
    throw new ConfigError("replay_concurrency must be at least 1");
  }
  if (lanes !== void 0) {
    if (!(lanes >= 1)) throw new ConfigError("agentic_lanes must be at least 1");
    if (concurrency !== void 0) {
      throw new ConfigError("agentic_lanes cannot be combined with replay_concurrency");
    }
    if (format !== "agentic_mooncake" && format !== "dynamo") {
      throw new ConfigError("agentic_lanes requires trace_format='agentic_mooncake', 'weka', or 'dynamo'");
    }
  }
  if (model === "") throw new ConfigError("execution_model must be non-empty");
  if (format === "applied_compute_agentic" && concurrency === void 0) {
    throw new ConfigError("trace_format='applied_compute_agentic' requires replay_concurrency because source traces do not contain first-turn timestamps");
  }
  if (format === "agentic_mooncake" && concurrency !== void 0) {
    throw new ConfigError("agentic_mooncake trace format is not supported with replay_concurrency");
  }
}

// lib/traffic/spec.ts
async function loadTraffic(spec, engineBlockTokens) {
  if (spec.type === "trace") {
    const { paths, type: _2, ...options2 } = spec;
    return await loadTrace(paths, options2);
  }
  const { type: _, blockTokens, ...options } = spec;
  const { syntheticTraffic: syntheticTraffic2 } = await Promise.resolve(synthetic_exports);
  return syntheticTraffic2({
    ...options,
    blockTokens: blockTokens ?? await engineBlockTokens()
  });
}

// lib/replay/shared_data.ts
var MOST_LOADS = 4;
var SharedData = class {
  /** Deployments by identity. */
  deployments = new Deployments();
  #loads = /* @__PURE__ */ new Map();
  /**
   * The load of a description, read when it is asked for first.
   *
   * @param engineBlockTokens KV block size of the workers that compute prompts
   * @throws as {@linkcode loadTraffic}
   */
  async traffic(spec, engineBlockTokens) {
    const blockTokens = spec.type === "synthetic" ? spec.blockTokens ?? await engineBlockTokens() : spec.blockTokens;
    const make = () => loadTraffic({
      ...spec,
      blockTokens
    }, engineBlockTokens);
    if (spec.type === "synthetic") return await this.#kept(JSON.stringify({
      ...spec,
      blockTokens
    }), make);
    const { speedup, concurrency, ...recorded } = spec;
    return await this.recorded(JSON.stringify(recorded), {
      speedup,
      concurrency
    }, make);
  }
  /**
   * Recorded requests at a pace. They are read once for all paces, as far as their format allows.
   *
   * @param name of the requests; the same name must mean the same ones
   * @param make reads them at that pace
   */
  async recorded(name, pace, make) {
    const closed2 = pace.concurrency !== void 0;
    const asked = JSON.stringify({
      ...pace
    });
    const { traffic, pace: first } = await this.#kept(`${closed2 ? "closed" : "timed"} ${name}`, async () => ({
      traffic: await make(),
      pace: asked
    }));
    if (first === asked) return traffic;
    return traffic.repaced?.(pace) ?? await this.#kept(`${asked} ${name}`, make);
  }
  /** What was made under a name, or what is made now. */
  async #kept(key, make) {
    const made = this.#loads.get(key) ?? make();
    this.#loads.delete(key);
    this.#loads.set(key, made);
    if (this.#loads.size > MOST_LOADS) this.#loads.delete(this.#loads.keys().next().value);
    try {
      return await made;
    } catch (problem) {
      this.#loads.delete(key);
      throw problem;
    }
  }
};

// lib/report/moments.ts
var Moments = class {
  /** Sum of the weights. */
  count = 0;
  mean = 0;
  min = Infinity;
  max = -Infinity;
  /** Weighted sum of squared distances from the mean. */
  #squares = 0;
  /** Adds the first `length` samples of a batch. */
  addBatch(samples, weights, length) {
    let weight = 0, sum = 0, min = this.min, max = this.max, i = 0;
    const origin = samples[0];
    for (; i + 4 <= length; i += 4) {
      const a = samples[i], b = samples[i + 1], c = samples[i + 2], d = samples[i + 3];
      const ofA = weights[i], ofB = weights[i + 1], ofC = weights[i + 2], ofD = weights[i + 3];
      weight = weight + ofA + ofB + ofC + ofD;
      sum = sum + ofA * (a - origin) + ofB * (b - origin) + ofC * (c - origin) + ofD * (d - origin);
      if (a < min) min = a;
      if (a > max) max = a;
      if (b < min) min = b;
      if (b > max) max = b;
      if (c < min) min = c;
      if (c > max) max = c;
      if (d < min) min = d;
      if (d > max) max = d;
    }
    for (; i < length; i++) {
      const sample = samples[i];
      weight += weights[i];
      sum += weights[i] * (sample - origin);
      if (sample < min) min = sample;
      if (sample > max) max = sample;
    }
    if (!(weight > 0)) return;
    const batchMean = origin + sum / weight;
    let squares = 0;
    for (i = 0; i + 4 <= length; i += 4) {
      const a = samples[i] - batchMean, b = samples[i + 1] - batchMean;
      const c = samples[i + 2] - batchMean, d = samples[i + 3] - batchMean;
      squares = squares + weights[i] * a * a + weights[i + 1] * b * b + weights[i + 2] * c * c + weights[i + 3] * d * d;
    }
    for (; i < length; i++) {
      const distance = samples[i] - batchMean;
      squares += weights[i] * distance * distance;
    }
    const total = this.count + weight;
    const shift = batchMean - this.mean;
    this.mean += shift * (weight / total);
    this.#squares += squares + shift * shift * this.count * (weight / total);
    this.count = total;
    this.min = min;
    this.max = max;
  }
  /** Population standard deviation; 0 without samples. */
  get std() {
    return this.count === 0 ? 0 : Math.sqrt(this.#squares / this.count);
  }
};

// lib/arithmetic/exponential.ts
var TERMS2 = 24;
var INVERSE_FACTORIALS = [
  [
    1,
    0
  ]
];
for (let k = 1; k < TERMS2; k++) {
  INVERSE_FACTORIALS.push(divide(INVERSE_FACTORIALS[k - 1][0], INVERSE_FACTORIALS[k - 1][1], k, 0));
}
function exponential(value) {
  if (value === 0) return 1;
  const power = Math.round(value / LN2[0]);
  const whole = multiply2(power, 0, LN2[0], LN2[1]);
  const rest = add(value, 0, -whole[0], -whole[1]);
  let sum = [
    0,
    0
  ];
  for (let k = TERMS2 - 1; k >= 0; k--) {
    const next2 = multiply2(sum[0], sum[1], rest[0], rest[1]);
    sum = add(next2[0], next2[1], INVERSE_FACTORIALS[k][0], INVERSE_FACTORIALS[k][1]);
  }
  return (sum[0] + sum[1]) * 2 ** power;
}

// lib/report/sketch.ts
var ACCURACY = 1e-3;
var GAMMA_MINUS_1 = 2 * ACCURACY / (1 - ACCURACY);
var GAMMA = 1 + GAMMA_MINUS_1;
var INVERSE_LOG_GAMMA = 1 / Math.log1p(GAMMA_MINUS_1);
var SMALLEST2 = 22250738585072014e-324 * GAMMA;
var EDGE_MARGIN = 1e-12;
function sketchKey(sample) {
  return Math.ceil(Math.log(sample) * INVERSE_LOG_GAMMA) + 0;
}
function sketchValue(key) {
  return exponential(key * (1 / INVERSE_LOG_GAMMA)) * (2 / (1 + GAMMA));
}
var Sketch = class {
  /** Samples counted so far. */
  count = 0;
  #zeros = 0;
  /** Bin of key `#firstKey + i`. */
  #bins = new Float64Array(0);
  #firstKey = 0;
  /** Counts the first `length` samples >= 0 of a batch, `weights[i]` times each. */
  addBatch(samples, weights, length) {
    let bin = -1, run = 0, low = Infinity, high = -Infinity;
    let total = 0;
    for (let i = 0; i < length; i++) {
      const sample = samples[i];
      const weight = weights[i];
      total += weight;
      if (sample > low && sample < high) {
        run += weight;
      } else if (sample < SMALLEST2) {
        this.#zeros += weight;
      } else {
        if (bin >= 0) this.#bins[bin] += run;
        const key = sketchKey(sample);
        this.#reserve(key);
        bin = key - this.#firstKey;
        run = weight;
        const edge = Math.exp(key / INVERSE_LOG_GAMMA);
        high = edge * (1 - EDGE_MARGIN);
        low = edge / GAMMA * (1 + EDGE_MARGIN);
      }
    }
    if (bin >= 0) this.#bins[bin] += run;
    this.count += total;
  }
  /** Value of the bin that holds the sample of this rank (from 0) in ascending order; 0 when there are no samples. */
  valueAtRank(rank) {
    let below = this.#zeros;
    if (rank < below || this.count === 0) return 0;
    for (let bin = 0; bin < this.#bins.length; bin++) {
      below += this.#bins[bin];
      if (rank < below) return sketchValue(this.#firstKey + bin);
    }
    throw new RangeError(`Rank ${rank} is not below the ${this.count} samples of the sketch`);
  }
  /** Makes sure that a key has a bin. */
  #reserve(key) {
    if (this.#bins.length === 0) {
      this.#bins = new Float64Array(1024);
      this.#firstKey = key - 512;
    }
    const before = this.#firstKey - key;
    const after = key - (this.#firstKey + this.#bins.length - 1);
    if (before > 0 || after > 0) {
      const missing = Math.max(before, after);
      const spare = missing + this.#bins.length;
      const larger = new Float64Array(this.#bins.length + spare);
      larger.set(this.#bins, before > 0 ? spare : 0);
      if (before > 0) this.#firstKey -= spare;
      this.#bins = larger;
    }
  }
};

// lib/report/gap_statistics.ts
var BATCH = 512;
var GapStatistics = class {
  /** The last pair, from 1 on; 0 without any. Nothing equals what stands there. */
  #last = 0;
  #gaps = new Float64Array(BATCH + 1).fill(NaN, 0, 1);
  #counts = new Float64Array(BATCH + 1);
  /** The same from the first pair on. */
  #pairGaps = this.#gaps.subarray(1);
  #pairCounts = this.#counts.subarray(1);
  #rates = new Float64Array(BATCH);
  #rateCounts = new Float64Array(BATCH);
  #itl = new Metric();
  #userRate = new Metric();
  // In few words, so that V8 puts it into the loop over passes: a call would make an object of every gap.
  add(gapMs, count) {
    let last = this.#last;
    if (this.#gaps[last] !== gapMs) {
      if (last === BATCH) last = this.#flush();
      this.#gaps[++last] = gapMs;
      this.#counts[last] = 0;
      this.#last = last;
    }
    this.#counts[last] += count;
  }
  /** Inter-token latency in milliseconds. */
  itl() {
    this.#flush();
    return this.#itl.distribution();
  }
  /** Output tokens per second and user. */
  userRate() {
    this.#flush();
    return this.#userRate.distribution();
  }
  /** Counts the pairs; returns the place of the last one that is left, 0. */
  #flush() {
    const length = this.#last, gaps = this.#pairGaps, counts = this.#pairCounts;
    if (length === 0) return 0;
    this.#last = 0;
    let rates = 0;
    for (let i = 0; i < length; i++) {
      const gap = gaps[i];
      if (gap > 0) {
        this.#rates[rates] = 1e3 / gap;
        this.#rateCounts[rates++] = counts[i];
      }
    }
    this.#itl.addBatch(gaps, counts, length);
    this.#userRate.addBatch(this.#rates, this.#rateCounts, rates);
    return 0;
  }
};
var Metric = class {
  #moments = new Moments();
  #sketch = new Sketch();
  addBatch(samples, weights, length) {
    if (length === 0) return;
    this.#moments.addBatch(samples, weights, length);
    this.#sketch.addBatch(samples, weights, length);
  }
  distribution() {
    const { count, mean, min, max, std } = this.#moments;
    if (count === 0) return {
      ...NO_SAMPLES
    };
    const at = (p) => count === 1 ? min : this.#sketch.valueAtRank(percentileRank(count, p));
    return {
      count,
      mean,
      min,
      max,
      median: at(50),
      p75: at(75),
      p90: at(90),
      p95: at(95),
      p99: at(99),
      std
    };
  }
};

// lib/collections/pair_map.ts
var PairMap = class {
  #first = new Int32Array(64);
  #second = new Int32Array(64);
  #values = new Int32Array(64);
  #size = 0;
  /** Entry + 1 by hash, 0 where empty; half of it at least stays empty. */
  #table = new Int32Array(128);
  get size() {
    return this.#size;
  }
  get(first, second) {
    const table = this.#table, mask = table.length - 1;
    for (let at = hash(first, second) & mask; ; at = at + 1 & mask) {
      const entry = table[at] - 1;
      if (entry < 0) return -1;
      if (this.#first[entry] === first && this.#second[entry] === second) return this.#values[entry];
    }
  }
  /** Adds a pair that is not there yet. */
  add(first, second, value) {
    const entry = this.#size++;
    if (entry === this.#values.length) {
      this.#first = longer(this.#first);
      this.#second = longer(this.#second);
      this.#values = longer(this.#values);
      this.#table = new Int32Array(this.#values.length * 2);
      for (let i = 0; i < entry; i++) this.#place(i);
    }
    this.#first[entry] = first;
    this.#second[entry] = second;
    this.#values[entry] = value;
    this.#place(entry);
  }
  #place(entry) {
    const table = this.#table, mask = table.length - 1;
    let at = hash(this.#first[entry], this.#second[entry]) & mask;
    while (table[at] !== 0) at = at + 1 & mask;
    table[at] = entry + 1;
  }
};
function hash(first, second) {
  const mixed = Math.imul(first, 2654435761) ^ Math.imul(second, 2246822507);
  return mixed ^ mixed >>> 15;
}

// lib/collections/sequence_table.ts
var SequenceTable = class {
  /** All sequences, one after the other; sequence `i` ends before `#ends[i]`. */
  #items = new Uint32Array(256);
  #ends = new Int32Array(16);
  #hashes = new Int32Array(16);
  /** Sequence + 1 by hash, 0 where empty; half of it at least stays empty. */
  #table = new Int32Array(32);
  /** How many different ones there are. */
  size = 0;
  /** The number of the sequence that the first `count` of `items` are. */
  numberOf(items, count) {
    let hash2 = count;
    for (let i = 0; i < count; i++) hash2 = Math.imul(hash2 ^ items[i], 2654435761) ^ hash2 >>> 15;
    const table = this.#table, mask = table.length - 1;
    for (let at = (hash2 ^ hash2 >>> 16) & mask; ; at = at + 1 & mask) {
      const sequence = table[at] - 1;
      if (sequence < 0) return this.#add(items, count, hash2);
      if (this.#hashes[sequence] === hash2 && this.#equals(sequence, items, count)) return sequence;
    }
  }
  #equals(sequence, items, count) {
    const start = sequence === 0 ? 0 : this.#ends[sequence - 1], own = this.#items;
    if (this.#ends[sequence] - start !== count) return false;
    for (let i = 0; i < count; i++) if (own[start + i] !== items[i]) return false;
    return true;
  }
  #add(items, count, hash2) {
    const sequence = this.size++, start = sequence === 0 ? 0 : this.#ends[sequence - 1], end = start + count;
    if (sequence === this.#ends.length) {
      this.#ends = longer(this.#ends);
      this.#hashes = longer(this.#hashes);
      this.#table = new Int32Array(this.#ends.length * 2);
      for (let i = 0; i < sequence; i++) this.#place(i);
    }
    if (end > start) this.#items = reaching(this.#items, end - 1);
    for (let i = 0; i < count; i++) this.#items[start + i] = items[i];
    this.#ends[sequence] = end;
    this.#hashes[sequence] = hash2;
    this.#place(sequence);
    return sequence;
  }
  #place(sequence) {
    const table = this.#table, mask = table.length - 1, hash2 = this.#hashes[sequence];
    let at = (hash2 ^ hash2 >>> 16) & mask;
    while (table[at] !== 0) at = at + 1 & mask;
    table[at] = sequence + 1;
  }
};

// lib/engine/prompt_index.ts
var NO_PROMPTS = new Int32Array(0);
var WORTH_JOINING = 2;
var MOST_JOINED = 512;
var MOST_BLOCKS = 2 ** 16 - 1;
var PromptIndex = class {
  /** Tokens of a KV block. */
  blockTokens;
  /** Path of request `r`: from `edges[start[r]]` on, as many as its blocks take. */
  edges;
  /** See `edges`, by request. */
  start;
  /** KV blocks of each edge; the last edge of a path may be covered in part. */
  edgeBlocks;
  /** KV blocks that an edge has at most. */
  mostBlocks;
  /** Result of the last `locate`: block of the path at which the edge begins. */
  firstBlock = 0;
  /** Prompts given as token runs, by request, also of requests that ended; empty unless they are kept. */
  runs = /* @__PURE__ */ new Map();
  #keepsRuns;
  #outputs;
  #inputTokens;
  /** By request; null where every prompt is made of the workload's blocks. */
  #known = null;
  #edgeCount = 0;
  #used = 0;
  /** First parent, + 2, and edge seen for each content (0 for none), and a map for contents met under several parents. */
  #firstParent;
  #firstEdge;
  #others = new PairMap();
  #cut = new BlockCut();
  /** Contents of KV blocks that no single interned token fills: their runs, each a token and how often it stands there. */
  #contents = new SequenceTable();
  /**
   * Indexes every prompt of the workload.
   *
   * @param keepsRuns whether somebody compares prompts token by token: keeps those that are given as runs
   */
  constructor(workload, blockTokens, keepsRuns = true) {
    this.blockTokens = blockTokens;
    this.#keepsRuns = keepsRuns;
    this.#outputs = workload.outputTokenIds;
    this.#inputTokens = workload.inputTokens;
    const perId = workload.blockTokens / blockTokens;
    const known = Number.isInteger(perId) && perId <= MOST_BLOCKS && workload.outputTokenIds.size === 0;
    if (known) {
      const ids = workload.blockIds.length, most = Math.floor(MOST_JOINED / perId);
      const joins = most > 1 && ids >= workload.count * WORTH_JOINING;
      const contents = joins ? ids : largest(workload.blockIds) + 1;
      this.#firstParent = new Int32Array(contents);
      this.#firstEdge = new Int32Array(contents);
      this.start = workload.blockStart;
      const stops = joins ? new Uint8Array(ids) : null;
      this.edges = this.#indexBlocks(workload, perId, stops);
      this.edgeBlocks = new Uint16Array(this.#edgeCount);
      if (stops === null) this.edgeBlocks.fill(perId);
      this.mostBlocks = stops === null ? perId : this.#join(workload, perId, most, stops);
      this.#firstParent = this.#firstEdge = NO_PROMPTS;
    } else {
      const contents = largest(workload.blockIds) + 1;
      this.#firstParent = new Int32Array(contents);
      this.#firstEdge = new Int32Array(contents);
      this.edgeBlocks = new Uint16Array(0);
      this.start = new Int32Array(workload.count);
      this.#known = new Int32Array(workload.count);
      this.edges = new Int32Array(1024);
      this.mostBlocks = 1;
      for (let r = 0; r < workload.count; r++) this.#indexTokens(workload, r);
    }
  }
  /** Edges named so far; ids are dense. */
  get edgeCount() {
    return this.#edgeCount;
  }
  /** KV blocks of a request whose content is known beforehand: full blocks of the prompt, and of literal output after it. */
  knownBlocks(request) {
    return this.#known === null ? Math.floor(this.#inputTokens[request] / this.blockTokens) : this.#known[request];
  }
  /**
   * Where in `edges` block `block` of a request's path is; `firstBlock` becomes the first block of that edge. The path is
   * known to have so many blocks.
   */
  locate(request, block) {
    let at = this.start[request], first = 0;
    if (this.#known !== null) {
      this.firstBlock = block;
      return at + block;
    }
    for (; ; ) {
      const next2 = first + this.edgeBlocks[this.edges[at]];
      if (next2 > block) break;
      first = next2;
      at++;
    }
    this.firstBlock = first;
    return at;
  }
  /** Gives `request` a prompt made of token runs, known only when its turn starts. */
  addRuns(request, runs) {
    if (this.#known === null) throw new RangeError("prompts made of token runs need a load with known output tokens");
    if (this.#keepsRuns) this.runs.set(request, runs);
    this.start[request] = this.#used;
    const cut = this.#cut.begin();
    this.#extend(cut, runs.tokens, runs.lengths);
    const outputs2 = this.#outputs.get(request);
    if (outputs2 !== void 0) this.#extend(cut, outputs2, null);
    this.#known[request] = this.#used - this.start[request];
  }
  /**
   * An edge for every trace block; returns the paths, which stand where the blocks of the load do. `stops` becomes 1 for
   * edges that end a prompt or are followed by several others.
   */
  #indexBlocks({ count, blockStart, blockIds }, perId, stops) {
    const edges = new Int32Array(blockIds.length);
    for (let r = 0; r < count; r++) {
      const end = blockStart[r] + this.#traceBlocks(r, perId);
      let parent = -1;
      for (let at = blockStart[r]; at < end; at++) {
        const edge = this.#child(parent, blockIds[at]);
        if (stops !== null && edge !== parent + 1 && parent >= 0) stops[parent] = 1;
        edges[at] = parent = edge;
      }
      if (stops !== null && parent >= 0) stops[parent] = 1;
    }
    return edges;
  }
  /** Trace blocks of a prompt that hold a full KV block. */
  #traceBlocks(request, perId) {
    return Math.ceil(Math.floor(this.#inputTokens[request] / this.blockTokens) / perId);
  }
  /**
   * Joins edges, of `perId` KV blocks each so far, up to those that `stops` names, at most `most` of them; returns the
   * length of the longest. The edge after one that does not stop has the next number.
   */
  #join({ count, blockStart }, perId, most, stops) {
    const { edges, edgeBlocks } = this, numbers = new Int32Array(this.#edgeCount), start = new Int32Array(count);
    let used = 0, edgeCount = 0, longest = 1;
    for (let r = 0; r < count; r++) {
      const end = blockStart[r] + this.#traceBlocks(r, perId);
      start[r] = used;
      for (let at = blockStart[r]; at < end; ) {
        const head = edges[at], number = numbers[head];
        let joined;
        if (number > 0) {
          joined = edgeBlocks[number - 1];
          edges[used++] = number - 1;
        } else {
          for (joined = 1; stops[head + joined - 1] === 0 && joined < most; ) joined++;
          if (joined > longest) longest = joined;
          edgeBlocks[edgeCount] = joined;
          edges[used++] = edgeCount++;
          numbers[head] = edgeCount;
        }
        at += joined;
      }
    }
    this.#edgeCount = edgeCount;
    this.edges = edges.slice(0, used);
    this.edgeBlocks = edgeBlocks.slice(0, edgeCount);
    for (let edge = 0; edge < edgeCount; edge++) this.edgeBlocks[edge] *= perId;
    this.start = start;
    return longest * perId;
  }
  #indexTokens(workload, r) {
    const ids = workload.blockIds.subarray(workload.blockStart[r], workload.blockStart[r + 1]);
    const lengths = new Int32Array(ids.length).fill(workload.blockTokens);
    if (ids.length > 0) lengths[ids.length - 1] = workload.inputTokens[r] - (ids.length - 1) * workload.blockTokens;
    this.start[r] = this.#used;
    const cut = this.#cut.begin();
    this.#extend(cut, ids, lengths);
    const planned = workload.outputTokenIds.get(r);
    if (planned !== void 0) this.#extend(cut, planned, null);
    this.#known[r] = this.#used - this.start[r];
  }
  /**
   * Cuts runs of equal tokens into KV blocks and follows or extends the tree block by block.
   *
   * @param lengths how often each token stands in a row; null: once
   */
  #extend(cut, tokens, lengths) {
    const size = this.blockTokens;
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i];
      let left = lengths === null ? 1 : lengths[i];
      if (cut.filled === 0 && left >= size) {
        const content = this.#content(cut.all(token, size));
        for (; left >= size; left -= size) this.#append(cut, content);
      }
      while (left > 0) {
        const part = Math.min(left, size - cut.filled);
        cut.add(token, part);
        left -= part;
        if (cut.filled === size) this.#append(cut, this.#content(cut.finish()));
      }
    }
  }
  #append(cut, content) {
    cut.parent = this.#child(cut.parent, content);
    this.edges = reaching(this.edges, this.#used);
    this.edges[this.#used++] = cut.parent;
    this.edgeBlocks = reaching(this.edgeBlocks, cut.parent, 1);
  }
  /** Number that stands for a block's runs: the token itself where the whole block repeats it and it is interned. */
  #content({ runs, used }) {
    const interned = this.#firstParent.length;
    return used === 2 && runs[0] < interned ? runs[0] : interned + this.#contents.numberOf(runs, used);
  }
  #child(parent, content) {
    if (content < this.#firstParent.length) {
      const first = this.#firstParent[content];
      if (first === parent + 2) return this.#firstEdge[content];
      if (first === 0) {
        this.#firstParent[content] = parent + 2;
        return this.#firstEdge[content] = this.#edgeCount++;
      }
    }
    let edge = this.#others.get(parent, content);
    if (edge < 0) this.#others.add(parent, content, edge = this.#edgeCount++);
    return edge;
  }
};
function largest(ids) {
  let most = -1;
  for (let i = 0; i < ids.length; i++) if (ids[i] > most) most = ids[i];
  return most;
}
var BlockCut = class {
  /** Last edge of the path. */
  parent = -1;
  /** Tokens of the block so far. */
  filled = 0;
  /** Runs of the block, `used` numbers: a token, how often it stands in a row, the next token \u2026 */
  runs = new Uint32Array(256);
  used = 0;
  /** Of another path, which begins at the root. */
  begin() {
    this.parent = -1;
    this.filled = 0;
    return this;
  }
  add(token, count) {
    let { used } = this;
    if (this.filled === 0) used = 0;
    this.filled += count;
    if (used > 0 && this.runs[used - 2] === token) {
      this.runs[used - 1] += count;
      return;
    }
    this.runs = reaching(this.runs, used + 1);
    this.runs[used] = token;
    this.runs[used + 1] = count;
    this.used = used + 2;
  }
  /** The block is full; its runs stand until the next one begins. */
  finish() {
    this.filled = 0;
    return this;
  }
  /** A whole block of one token. */
  all(token, size) {
    this.add(token, size);
    return this.finish();
  }
};

// lib/engine/acceptance.ts
var Acceptance = class {
  #words;
  #rates;
  #high;
  #low;
  constructor(rates, words) {
    this.#words = words;
    this.#rates = rates;
    this.#high = new Uint32Array(rates.length);
    this.#low = new Uint32Array(rates.length);
    rates.forEach((rate, i) => {
      const scaled = rate * 4294967296;
      this.#high[i] = Math.floor(scaled);
      this.#low[i] = Math.floor((scaled - Math.floor(scaled)) * 4294967296);
    });
  }
  /** Most tokens one draw can yield. */
  get limit() {
    return this.#rates.length + 1;
  }
  /**
   * Tokens of one forward pass, at least 1. A rate of 1 consumes no random number.
   *
   * @param drafts drafted tokens that the pass verifies; by default one for each rate
   */
  draw(drafts = this.#rates.length) {
    for (let i = 0; i < drafts; i++) {
      if (this.#rates[i] === 1) continue;
      const low = this.#words.uint32(), high = this.#words.uint32();
      if (high > this.#high[i] || high === this.#high[i] && low >= this.#low[i]) return i + 1;
    }
    return drafts + 1;
  }
};

// lib/engine/pass_clock.ts
var PassClock = class {
  #timing;
  #capacityTokens;
  #prefillRatio;
  #decodeRatio;
  /** Whether a pass that does both is asked for as one. */
  #fused;
  /** Whether durations may be asked for that no pass has yet. */
  looksAhead;
  constructor(timing, settings) {
    this.#timing = timing;
    this.#capacityTokens = settings.blocks * settings.blockTokens;
    this.#prefillRatio = settings.speedup;
    this.#decodeRatio = settings.speedup * settings.decodeSpeedup;
    this.looksAhead = timing.inOrder !== true;
    this.#fused = timing.mixedMs !== void 0;
  }
  /**
   * Prefill phase of a batch.
   *
   * @param requests prompts that compute at least one token
   * @param reachedTokens sum over them of prompt tokens known after the pass (cached, computed before, computed now)
   * @param priorTokens sum over them of prompt tokens known before the pass
   */
  prefillMs(requests2, reachedTokens, priorTokens) {
    if (requests2 === 0) return 0;
    const prefix = Math.floor(priorTokens / requests2);
    const fresh = Math.floor(reachedTokens / requests2) - prefix;
    if (fresh <= 0) return 0;
    const raw = this.#timing.prefillMs(requests2, fresh, prefix);
    if (!Number.isFinite(raw)) {
      throw new SimulationError(`prefill timing provider returned non-finite duration ${raw}ms`);
    }
    return passDurationMs(Math.max(raw, 0), this.#prefillRatio);
  }
  /** When a pass of both phases ends that starts at `startMs`; either may be empty. Arguments as in the two. */
  endMs(startMs, prompts, reachedTokens, priorTokens, decodes, contextTokens, squaredTokens) {
    if (this.#fused && decodes > 0 && prompts > 0 && reachedTokens > priorTokens) {
      const raw = this.#timing.mixedMs(prompts, reachedTokens - priorTokens, priorTokens, decodes, contextTokens);
      if (!(Number.isFinite(raw) && raw >= 0)) {
        throw new SimulationError(`timing provider returned invalid duration ${raw}ms of a mixed pass`);
      }
      return startMs + passDurationMs(raw, this.#prefillRatio);
    }
    const decodeMs = this.decodeMs(decodes, contextTokens, squaredTokens);
    return startMs + this.prefillMs(prompts, reachedTokens, priorTokens) + decodeMs;
  }
  /** Decode phase for `requests` sequences that know `contextTokens` tokens together, and their sum of squares. */
  decodeMs(requests2, contextTokens, squaredTokens) {
    if (requests2 === 0) return 0;
    const raw = this.#timing.decodeMs(requests2, contextTokens, this.#capacityTokens, squaredTokens);
    if (!(raw >= 0 && raw < Infinity)) this.#refuse(raw);
    return passDurationMs(raw, this.#decodeRatio);
  }
  #refuse(raw) {
    if (Number.isFinite(raw)) throw new SimulationError(`timing provider returned invalid duration ${raw}ms`);
    throw new SimulationError(`decode timing provider returned non-finite duration ${raw}ms`);
  }
};

// lib/engine/pass_metrics.ts
var LengthSums = class {
  count = 0;
  sum = 0;
  squares = 0;
  add(length) {
    this.count++;
    this.sum += length;
    this.squares += length * length;
  }
  remove(length) {
    this.count--;
    this.sum -= length;
    this.squares -= length * length;
  }
  clear() {
    this.count = this.sum = this.squares = 0;
  }
  set(count, sum, squares) {
    this.count = count;
    this.sum = sum;
    this.squares = squares;
  }
  copy(from) {
    this.count = from.count;
    this.sum = from.sum;
    this.squares = from.squares;
  }
  /** Adds the lengths another one counts. */
  include(other) {
    this.count += other.count;
    this.sum += other.sum;
    this.squares += other.squares;
  }
  /** Population variance, 0 without samples. */
  get variance() {
    const n = this.count;
    return n === 0 ? 0 : Math.max(0, (n * this.squares - this.sum * this.sum) / n / n);
  }
};
var PassMetrics = class {
  /** Full prompt lengths of requests that computed prompt tokens. */
  prefill = new LengthSums();
  /** Tokens those requests computed in the pass. */
  prefillTokens = 0;
  /** Their prompt tokens known before. */
  prefillKvTokens = 0;
  /** Lengths of the other scheduled requests. */
  decode = new LengthSums();
  queuedPrefill = new LengthSums();
  queuedDecode = new LengthSums();
  startMs = 0;
  endMs = 0;
  clear() {
    this.prefill.clear();
    this.decode.clear();
    this.queuedPrefill.clear();
    this.queuedDecode.clear();
    this.prefillTokens = this.prefillKvTokens = this.startMs = this.endMs = 0;
  }
  copy(from) {
    this.prefill.copy(from.prefill);
    this.decode.copy(from.decode);
    this.queuedPrefill.copy(from.queuedPrefill);
    this.queuedDecode.copy(from.queuedDecode);
    this.prefillTokens = from.prefillTokens;
    this.prefillKvTokens = from.prefillKvTokens;
    this.startMs = from.startMs;
    this.endMs = from.endMs;
  }
  /** Writes everything but the ids of worker and rank. */
  describe(row) {
    row.wallTimeS = Math.max(this.endMs - this.startMs, 0) / 1e3;
    row.prefillRequests = this.prefill.count;
    row.prefillTokens = this.prefillTokens;
    row.prefillLengthVariance = this.prefill.variance;
    row.prefillKvTokens = this.prefillKvTokens;
    row.decodeRequests = this.decode.count;
    row.decodeKvTokens = this.decode.sum;
    row.decodeKvVariance = this.decode.variance;
    row.queuedPrefillRequests = this.queuedPrefill.count;
    row.queuedPrefillTokens = this.queuedPrefill.sum;
    row.queuedPrefillLengthVariance = this.queuedPrefill.variance;
    row.queuedDecodeRequests = this.queuedDecode.count;
    row.queuedDecodeKvTokens = this.queuedDecode.sum;
    row.queuedDecodeKvVariance = this.queuedDecode.variance;
  }
};

// lib/engine/rank.ts
var Retry = {
  later: 0,
  fail: 1,
  again: 2,
  countdown: 3
};

// lib/engine/signals.ts
var Signals = class _Signals {
  count = 0;
  slot = new Int32Array(FEW);
  kind = new Uint8Array(FEW);
  /** Tokens that leave together, 1 unless set. */
  burst = new Int32Array(FEW);
  /** Appends a signal and returns its place. */
  add(slot, kind, burst = 1) {
    const at = this.count++;
    if (at === this.slot.length) this.#grow();
    this.slot[at] = slot;
    this.kind[at] = kind;
    this.burst[at] = burst;
  }
  clear() {
    this.count = 0;
  }
  #grow() {
    this.slot = longer(this.slot);
    this.kind = longer(this.kind);
    this.burst = longer(this.burst);
  }
  static {
    new _Signals().#grow();
  }
};

// lib/engine/sglang/pass_results.ts
var Signal = {
  /** It is over without a further token. */
  done: 0,
  /** First token after a prefill; it goes on. */
  first: 1,
  /** Token of a prefill, and the last. */
  only: 2,
  /** Token of a decode pass; it goes on. */
  token: 3,
  /** Token of a decode pass, and the last. */
  last: 4,
  rejected: 5
};
var PassResults = class {
  signals = new Signals();
  /** Requests that end with the pass: `ending[0 .. endings)`, in the order in which they give up their pages. */
  ending = new Int32Array(64);
  endings = 0;
  /** Running requests that have not emitted yet, or not since they were retracted; oldest first. Outlives the pass. */
  late = [];
  #slots;
  constructor(slots) {
    this.#slots = slots;
  }
  clear() {
    this.signals.clear();
    this.endings = 0;
  }
  /** A request ends with this pass. Its pages are given up when everybody has had their tokens. */
  end(slot, kind, burst = 1) {
    const { length, computed } = this.#slots;
    if (kind === Signal.only) length[slot]++;
    else computed[slot] = length[slot];
    this.signals.add(slot, kind, burst);
    this.ending = reaching(this.ending, this.endings);
    this.ending[this.endings++] = slot;
  }
  /** The slot, which was late, does not run any more. */
  forgetLate(slot) {
    const at = this.late.indexOf(slot);
    if (at >= 0) this.late.splice(at, 1);
  }
};

// lib/engine/sglang/decode_pass.ts
var NOBODY = [];
var DecodePass = class {
  /** The pass yields tokens. */
  emits = false;
  /** It cannot: one request is left, and lacks pages. */
  stuck = false;
  /** Requests that get tokens, and tokens accepted for them. */
  forwards = 0;
  accepted = 0;
  /** Requests that were sent back, in order. */
  retracted = NOBODY;
  #parts;
  /** Tokens a request can get at most. */
  #burst;
  #leaving = new Int32Array(64);
  constructor(parts) {
    this.#parts = parts;
    this.#burst = parts.acceptance?.limit ?? 1;
  }
  clear() {
    this.emits = this.stuck = false;
    this.forwards = this.accepted = 0;
    this.retracted = NOBODY;
  }
  /** Requests without any output to emit are over. */
  endSpent() {
    const { requests: { running }, results } = this.#parts;
    if (running.spent === 0) return;
    const spent = running.takeComplete(this.#room());
    for (let i = 0; i < spent; i++) results.end(this.#leaving[i], Signal.done);
  }
  /** Decides the pass that starts at `nowMs` and returns its end. */
  run(nowMs) {
    const { requests: { running, pages }, clock } = this.#parts;
    if (running.count === 0) return nowMs;
    let growth = running.growth(this.#burst);
    while (growth > pages.tree.obtainable && running.count > 1) {
      this.#retract();
      growth = running.growth(this.#burst);
    }
    if (this.retracted.length > 0) this.#learn();
    if (!pages.takeGrowth(growth)) {
      this.stuck = true;
      return nowMs;
    }
    const end = nowMs + clock.decodeMs(running.count, running.tokens, running.tokensSquared);
    this.emits = true;
    this.forwards = running.count;
    if (this.#burst === 1) this.#step();
    else this.#stepBursts(growth);
    return end;
  }
  /** The running request at `index` leaves before its end; its pages are the caller's to give up. */
  leave(index) {
    const { requests: { running, pages, stream }, results } = this.#parts, slot = running.list[index];
    pages.endTail(slot);
    running.leave(index);
    stream.pause(slot);
    results.forgetLate(slot);
    return slot;
  }
  /** One token for everybody. */
  #step() {
    const { requests: { running, pages, slots: { order } }, results } = this.#parts, late = results.late;
    this.accepted = running.count;
    const leaving = this.#room(), count = running.step(leaving);
    if (running.steps >= pages.nextInsertion) pages.insertLoose();
    let next2 = 0;
    for (let i = 0; i < count; i++) {
      for (; next2 < late.length && order[late[next2]] <= order[leaving[i]]; next2++) {
        if (late[next2] !== leaving[i]) results.signals.add(late[next2], Signal.token);
      }
      results.end(leaving[i], Signal.last);
    }
    for (; next2 < late.length; next2++) results.signals.add(late[next2], Signal.token);
    late.length = 0;
  }
  /** As many tokens for each as are drawn. */
  #stepBursts(reserved) {
    const { requests: { running, pages, slots: { length, stop } }, results, acceptance } = this.#parts;
    let unused = reserved;
    running.steps++;
    for (let i = 0; i < running.count; i++) {
      const slot = running.list[i], before = pages.pages(length[slot]);
      const drawn = acceptance.draw(), emitted = Math.min(drawn, stop[slot] - length[slot]);
      this.accepted += drawn;
      for (let token = 0; token < emitted; token++) {
        length[slot]++;
        if (length[slot] < stop[slot]) pages.filled(slot);
      }
      unused -= pages.pages(length[slot]) - before;
      if (length[slot] < stop[slot]) results.signals.add(slot, Signal.token, emitted);
      else results.end(slot, Signal.last, emitted);
    }
    running.takeComplete(this.#room());
    pages.tree.available += unused;
    results.late.length = 0;
  }
  /** Sends the running request with least output back to the queue. */
  #retract() {
    const { running, pages, slots } = this.#parts.requests;
    let victim = 0, least = Infinity;
    for (let i = 0; i < running.count; i++) {
      const generated = running.length(running.list[i]) - slots.prompt[running.list[i]];
      if (generated >= least) continue;
      least = generated;
      victim = i;
    }
    const slot = this.leave(victim);
    pages.drop(slot, slots.length[slot]);
    this.retracted = [
      ...this.retracted,
      slot
    ];
  }
  /** A retraction tells how much output requests really have. */
  #learn() {
    const { requests: { running, slots: { prompt, stop } }, ratio } = this.#parts;
    let generated = 0, most = 0;
    for (let i = 0; i < running.count; i++) {
      const slot = running.list[i];
      generated += running.length(slot) - prompt[slot];
      most += stop[slot] - prompt[slot];
    }
    ratio.retracted(running.count, generated, most);
  }
  /** Room for all running requests. */
  #room() {
    if (this.#leaving.length < this.#parts.requests.running.list.length) {
      this.#leaving = new Int32Array(this.#parts.requests.running.list.length);
    }
    return this.#leaving;
  }
};

// lib/engine/sglang/delivery.ts
function deliver(rank, { signals }, { stream, slots }, { observer, records }, endMs, prefills) {
  for (let i = 0; i < signals.count; i++) {
    const slot = signals.slot[i], request = slots.request[slot], kind = signals.kind[i];
    if (kind === Signal.rejected) {
      records.emit(request, 0, NaN, NaN, NaN);
      slots.close(slot);
      observer.ended(rank, request, endMs, Outcome.rejected);
      continue;
    }
    const first = Number.isNaN(stream.firstMs(slot));
    if (kind === Signal.first || kind === Signal.only) {
      stream.beginBetween(slot, endMs);
    } else if (kind === Signal.token || kind === Signal.last) {
      if (!stream.running(slot)) stream.begin(slot);
      stream.burst(slot, signals.burst[i] - 1);
    }
    if (kind === Signal.first || kind === Signal.token) {
      if (first && rank.tellFirstTokens) observer.firstToken(rank, request, endMs);
    } else if (prefills) {
      stream.drop(slot);
      observer.sourceHeld(rank, request, endMs);
    } else {
      stream.complete(slot, request, slots.length[slot] - slots.prompt[slot]);
      slots.close(slot);
      observer.ended(rank, request, endMs, Outcome.completed);
    }
  }
  signals.clear();
}

// lib/engine/sglang/new_token_ratio.ts
var INITIAL = 0.7;
var LOWEST_FACTOR = 0.14;
var STEPS = 600;
var MARGIN = 20;
var GROUP_FACTOR = 0.3;
var NewTokenRatio = class {
  /** Begins as a number: V8 makes a new object of every number that it puts into a field which was undefined first. */
  value = 0;
  #initial;
  #lowest;
  #step;
  /** @param grouped whether the rank is one of several of its worker */
  constructor(conservativeness, grouped2) {
    this.#initial = INITIAL * (grouped2 ? conservativeness * GROUP_FACTOR : conservativeness);
    this.#lowest = this.#initial * LOWEST_FACTOR;
    this.#step = (this.#initial - this.#lowest) / STEPS;
    this.value = this.#initial;
  }
  /** A decode pass went by. */
  decay() {
    this.value = Math.max(this.value - this.#step, this.#lowest);
  }
  /** Starts anew: the rank had nothing to do. */
  reset() {
    this.value = this.#initial;
  }
  /** A retraction left `requests` running, which have produced `generated` of at most `most` tokens. */
  retracted(requests2, generated, most) {
    this.value = Math.min(1, (generated + MARGIN * requests2) / (most + 1));
  }
};

// lib/engine/sglang/prefill_batch.ts
var PrefillBatch = class {
  count = 0;
  slot = new Int32Array(64);
  /** Tokens each request computes in this pass, and tokens it had before. */
  computed = new Int32Array(64);
  prior = new Int32Array(64);
  /** Sums over the batch: tokens with KV after the pass, before it, and computed in it. */
  reachedTokens = 0;
  priorTokens = 0;
  computedTokens = 0;
  #slots;
  #pages;
  #waiting;
  #running;
  #pageTokens;
  #settings;
  constructor(parts, pageTokens, settings) {
    this.#slots = parts.slots;
    this.#pages = parts.pages;
    this.#waiting = parts.waiting;
    this.#running = parts.running;
    this.#pageTokens = pageTokens;
    this.#settings = settings;
  }
  clear() {
    this.count = this.reachedTokens = this.priorTokens = this.computedTokens = 0;
  }
  /** Requests that compute prompt tokens, for the pass's metrics. */
  describe(pass) {
    for (let i = 0; i < this.count; i++) {
      if (this.computed[i] === 0) continue;
      pass.prefill.add(this.#slots.prompt[this.slot[i]]);
      pass.prefillTokens += this.computed[i];
      pass.prefillKvTokens += this.prior[i];
    }
  }
  /**
   * Moves requests from the queue into the batch and gives them their pages.
   *
   * @param sequences how many may run, those of the batch included
   * @param ratio share of their open output that running requests are expected to need
   * @param admitted told of each request that gets its first pages, with the tokens it reuses
   */
  form(sequences, ratio, admitted) {
    const { length, computed, stop, prompt } = this.#slots, waiting = this.#waiting, pages = this.#pages;
    const page = this.#pageTokens, { maxPrefillTokens, chunkedPrefillTokens, clipMaxNewTokens } = this.#settings;
    let total = pages.tree.obtainable * page - this.#running.openOutput(ratio);
    let input = maxPrefillTokens, chunk = chunkedPrefillTokens;
    const running = this.#running.count;
    while (waiting.size > 0 && chunk > 0 && sequences.admits(running + this.count)) {
      const slot = waiting.at(0), begun = computed[slot] > 0;
      let start = computed[slot];
      if (!begun) {
        const usable = stop[slot] === prompt[slot] ? length[slot] : length[slot] - 1;
        start = pages.match(slot, Math.floor(usable / page)) * page;
      }
      const todo = length[slot] - start;
      let count = todo;
      if (todo === 0 && begun) return;
      if (Math.ceil(todo / page) * page > chunk) {
        count = Math.min(Math.floor(chunk / page) * page, todo);
        if (count === 0) return;
      }
      const charge = Math.ceil(count / page) * page;
      const reserve = count === todo ? Math.min(stop[slot] - length[slot], clipMaxNewTokens) : 0;
      if (charge + reserve >= total) {
        if (this.count === 0) this.#rememberHead(charge + reserve, begun);
        return;
      }
      if (charge > input || charge > chunk) return;
      let prior = start;
      if (begun) {
        if (!pages.extend(slot, start + count)) return;
      } else {
        const matched = pages.take(slot, start / page, start + count);
        if (matched < 0) return;
        prior = matched * page;
        admitted(slot, prior);
      }
      pages.publish(slot, start + count);
      waiting.remove(0);
      this.#add(slot, start + count, prior);
      total -= charge + reserve;
      input -= charge;
      chunk -= charge;
    }
  }
  #add(slot, reached, prior) {
    const at = this.count++;
    if (at === this.slot.length) {
      this.slot = longer(this.slot);
      this.computed = longer(this.computed);
      this.prior = longer(this.prior);
    }
    this.slot[at] = slot;
    this.computed[at] = reached - prior;
    this.prior[at] = prior;
    this.reachedTokens += reached;
    this.priorTokens += prior;
    this.computedTokens += reached - prior;
  }
  /** Until something else changes, the head only needs room. */
  #rememberHead(needs, begun) {
    const tree = this.#pages.tree;
    this.#waiting.headNeeds = needs;
    tree.watch(begun ? -1 : tree.matchEnd);
  }
};

// lib/engine/sglang/prefill_delay.ts
var PrefillDelay = class {
  /** Passes that still must not prefill. */
  left = 0;
  /** The pass had to defer prefill and had nothing to decode. */
  idle = false;
  /** The pass computed prompt tokens; it ran the model for whatever purpose. */
  computedPrefill = false;
  ranModel = false;
  #passes;
  constructor(passes) {
    this.#passes = passes;
  }
  /** The pass is decided on all ranks of the worker: when may the next prefill be? */
  settle(prefill) {
    if (prefill) this.left = this.#passes;
    else this.step();
  }
  /** A pass without prefill. */
  step() {
    if (this.left > 0) this.left--;
  }
};

// lib/engine/sglang/prefill_pass.ts
var PrefillPass = class {
  #requests;
  #batch;
  #results;
  #clock;
  #pageTokens;
  #takesTime;
  /** @param options.takesTime decode role: recomputed prompts take no time of their own */
  constructor(parts, { pageTokens, takesTime }) {
    this.#requests = parts.requests;
    this.#batch = parts.batch;
    this.#results = parts.results;
    this.#clock = parts.clock;
    this.#pageTokens = pageTokens;
    this.#takesTime = takesTime;
  }
  /** Decides the pass that starts at `nowMs` and returns its end. */
  run(nowMs) {
    const batch = this.#batch, clock = this.#clock;
    const duration = this.#takesTime ? clock.prefillMs(batch.count, batch.reachedTokens, batch.priorTokens) : 0;
    this.#emit(this.#sendBack());
    this.#requests.giveUpEnded(this.#results);
    return nowMs + duration;
  }
  /** Unfinished prompts go back to the queue; the complete ones close up, and their number is returned. */
  #sendBack() {
    const { slots: { length, computed }, pages, waiting } = this.#requests, { slot: list, count } = this.#batch;
    let complete = 0;
    for (let i = 0; i < count; i++) {
      const slot = list[i];
      if (computed[slot] < length[slot]) {
        pages.cache(slot, computed[slot]);
        waiting.add(slot, true);
      } else {
        list[complete++] = slot;
      }
    }
    return complete;
  }
  /** First tokens: all of those that go on, or none when the pages they need do not suffice. */
  #emit(complete) {
    const { slots: { stop, length, computed }, pages } = this.#requests, results = this.#results;
    const list = this.#batch.slot;
    let growth = 0;
    for (let i = 0; i < complete; i++) {
      const slot = list[i];
      if (stop[slot] === length[slot]) results.end(slot, Signal.done);
      else if (stop[slot] > length[slot] + 1 && length[slot] % this.#pageTokens === 0) growth++;
    }
    for (let i = 0; i < complete; i++) {
      if (stop[list[i]] === length[list[i]] + 1) results.end(list[i], Signal.only);
    }
    const emits = pages.takeGrowth(growth);
    for (let i = 0; i < complete; i++) {
      const slot = list[i];
      if (stop[slot] <= length[slot] + 1) continue;
      if (emits) {
        computed[slot] = ++length[slot];
        pages.cache(slot, length[slot]);
        results.signals.add(slot, Signal.first);
      } else {
        results.late.push(slot);
      }
      this.#requests.join(slot);
    }
  }
};

// lib/engine/token_sequences.ts
var TokenSequences = class {
  #inputTokens;
  #blockStart;
  #blockIds;
  #blockTokens;
  #outputs;
  #runs;
  /** Where each run of an explicit prompt ends; null where every run is one token. */
  #ends = /* @__PURE__ */ new Map();
  /** First position after the run found last. */
  #runEnd = 0;
  constructor(workload, prompts) {
    this.#inputTokens = workload.inputTokens;
    this.#blockStart = workload.blockStart;
    this.#blockIds = workload.blockIds;
    this.#blockTokens = workload.blockTokens;
    this.#outputs = workload.outputTokenIds;
    this.#runs = prompts.runs;
  }
  /** True while every prompt is made of whole trace blocks and no output token is known beforehand. */
  get plain() {
    return this.#outputs.size === 0 && this.#runs.size === 0;
  }
  /**
   * First position in `from .. to` at which the sequences of `a` and `b` differ; `to` when they do not. They are known
   * to agree before `from`, and both to reach `to`.
   */
  common(a, b, from, to) {
    if (a === b) return to;
    return this.plain ? this.#commonBlocks(a, b, from, to) : this.#commonRuns(a, b, from, to);
  }
  /** A number for the token at `position`: equal for equal tokens there, whatever the request. */
  token(request, position) {
    return this.#run(request, position);
  }
  #commonBlocks(a, b, from, to) {
    const size = this.#blockTokens, ids = this.#blockIds;
    const end = Math.min(to, this.#inputTokens[a], this.#inputTokens[b]);
    if (from >= end) return from;
    let block = Math.floor(from / size);
    const endBlock = Math.ceil(end / size);
    for (let x = this.#blockStart[a] + block, y = this.#blockStart[b] + block; block < endBlock; block++, x++, y++) {
      if (ids[x] !== ids[y]) return Math.max(from, block * size);
    }
    return end;
  }
  #commonRuns(a, b, from, to) {
    let at = this.#commonTokens(a, b, from, to);
    while (at < to) {
      const tokenA = this.#run(a, at), end = this.#runEnd;
      if (tokenA !== this.#run(b, at)) return at;
      at = Math.min(end, this.#runEnd);
    }
    return to;
  }
  /** As `common`, of the prompts alone and only while both are written token by token. */
  #commonTokens(a, b, from, to) {
    const runsA = this.#runs.get(a), runsB = this.#runs.get(b);
    if (runsA === void 0 || runsB === void 0) return from;
    const { tokens } = runsA, { tokens: others } = runsB;
    if (tokens.length < runsA.inputTokens || others.length < runsB.inputTokens) return from;
    const end = Math.min(to, tokens.length, others.length);
    let at = from;
    while (at < end && tokens[at] === others[at]) at++;
    return at;
  }
  /** Token at a position; sets `#runEnd`. */
  #run(request, position) {
    const runs = this.#runs.size === 0 ? void 0 : this.#runs.get(request);
    const prompt = runs === void 0 ? this.#inputTokens[request] : runs.inputTokens;
    if (position < prompt) {
      if (runs === void 0) {
        const block = Math.floor(position / this.#blockTokens);
        this.#runEnd = Math.min((block + 1) * this.#blockTokens, prompt);
        return this.#blockIds[this.#blockStart[request] + block];
      }
      return this.#explicitRun(request, runs, position);
    }
    const named = this.#outputs.size === 0 ? void 0 : this.#outputs.get(request);
    this.#runEnd = named === void 0 ? Infinity : position + 1;
    return named === void 0 ? -1 - request : named[position - prompt];
  }
  #explicitRun(request, runs, position) {
    let ends = this.#ends.get(request);
    if (ends === void 0) this.#ends.set(request, ends = endsOf(runs));
    if (ends === null) {
      this.#runEnd = position + 1;
      return runs.tokens[position];
    }
    let low = 0, high = ends.length - 1;
    while (low < high) {
      const middle = low + high >> 1;
      if (ends[middle] > position) high = middle;
      else low = middle + 1;
    }
    this.#runEnd = ends[low];
    return runs.tokens[low];
  }
};
function endsOf({ tokens, lengths, inputTokens }) {
  if (tokens.length === inputTokens) return null;
  const ends = new Int32Array(tokens.length);
  for (let i = 0, end = 0; i < ends.length; i++) ends[i] = end += lengths[i];
  return ends;
}

// lib/engine/pass_log.ts
var FIRST_LENGTH = 256;
var PassLog = class _PassLog {
  #sink;
  #ends = new Float64Array(FEW);
  /** Change, at each pass, of the number of completed requests whose gap ends there. */
  #change = new Int32Array(FEW);
  #mask = FEW - 1;
  #length = FIRST_LENGTH;
  #next = 0;
  #oldest = 0;
  #emitting = 0;
  constructor(sink) {
    this.#sink = sink;
  }
  /** Index the next pass will get. */
  get next() {
    return this.#next;
  }
  /** Passes that can still be pushed; at 0 call `fold` first, with the oldest pass still looked back to. */
  get room() {
    return this.#length - 1 - (this.#next - this.#oldest);
  }
  /** Appends a pass end. */
  push(endMs) {
    if (this.#next - this.#oldest === this.#mask) this.#grow();
    this.#ends[this.#next++ & this.#mask] = endMs;
  }
  /** End of pass `index`, which must not be folded. */
  end(index) {
    return this.#ends[index & this.#mask];
  }
  /** Tells that a request which completed had emitted in every pass from `first` to `last`. */
  emitted(first, last) {
    if (last <= first) return;
    this.#change[first + 1 & this.#mask]++;
    this.#change[last + 1 & this.#mask]--;
  }
  /** Folds all passes up to and including `until`; grows the log when more than half of it must stay. */
  fold(until) {
    const last = Math.min(until, this.#next - 1);
    const ends = this.#ends, change = this.#change, mask = this.#mask;
    let emitting = this.#emitting;
    for (let pass = this.#oldest; pass <= last; pass++) {
      const at = pass & mask;
      if (change[at] !== 0) {
        emitting += change[at];
        change[at] = 0;
      }
      if (emitting > 0) this.#sink.add(ends[at] - ends[pass - 1 & mask], emitting);
    }
    if (last >= this.#oldest) this.#oldest = last + 1;
    this.#emitting = emitting;
    if (this.#next - this.#oldest >= this.#length >> 1) this.#length *= 2;
  }
  #grow() {
    const size = (this.#mask + 1) * 2;
    const ends = new Float64Array(size), change = new Int32Array(size);
    for (let pass = this.#oldest; pass <= this.#next; pass++) {
      ends[pass & size - 1] = this.#ends[pass & this.#mask];
      change[pass & size - 1] = this.#change[pass & this.#mask];
    }
    const before = this.#oldest - 1;
    ends[before & size - 1] = this.#ends[before & this.#mask];
    this.#ends = ends;
    this.#change = change;
    this.#mask = size - 1;
  }
  static {
    new _PassLog({
      add: () => {
      }
    }).#grow();
  }
};

// lib/engine/token_stream.ts
var Broken = class {
  /** Gaps that are not the gap of a pass in an open run. */
  gaps = [];
  /** Tokens that left together with the one before. */
  together = 0;
  lastMs = NaN;
};
var TokenStream = class {
  log;
  #sink;
  #records;
  /** First pass of the open run, or -1. */
  #since = new Int32Array(FEW).fill(-1);
  #firstMs = new Float64Array(FEW).fill(NaN);
  #secondMs = new Float64Array(FEW).fill(NaN);
  /** When the token right before the open run left, if that was between two passes of the log; else NaN. */
  #headMs = new Float64Array(FEW).fill(NaN);
  #broken = /* @__PURE__ */ new Map();
  constructor(sink, records) {
    this.#sink = sink;
    this.#records = records;
    this.log = new PassLog(sink);
  }
  /** Makes room for slots below `slots` and clears nothing. */
  reserve(slots) {
    const last = slots - 1;
    this.#since = reaching(this.#since, last, -1);
    this.#firstMs = reaching(this.#firstMs, last, NaN);
    this.#secondMs = reaching(this.#secondMs, last, NaN);
    this.#headMs = reaching(this.#headMs, last, NaN);
  }
  /** True while the slot emits in every pass. */
  running(slot) {
    return this.#since[slot] >= 0;
  }
  /** Folds the log as far as no open run of these slots, the ones that run, looks back. */
  fold(slots, count) {
    let oldest = this.log.next - 1;
    for (let i = 0; i < count; i++) {
      const since = this.#since[slots[i]];
      if (since >= 0 && since < oldest) oldest = since;
    }
    this.log.fold(oldest - 1);
  }
  /**
   * The slot emits in the pass just pushed, without an open run: its first token, or the first after a break.
   * From now on it counts as emitting in every pass until `pause` or `complete`.
   */
  begin(slot) {
    const pass = this.log.next - 1, end = this.log.end(pass);
    this.#since[slot] = pass;
    if (Number.isNaN(this.#firstMs[slot])) {
      this.#firstMs[slot] = end;
      return;
    }
    const broken = this.#broken.get(slot);
    broken.gaps.push(Math.max(end - broken.lastMs, 0));
    if (Number.isNaN(this.#secondMs[slot])) this.#secondMs[slot] = end;
  }
  /**
   * The slot emits at `atMs` outside the passes of the log, after the last of them: its first token, or the first after
   * a break. From the next pass on it counts as emitting in every pass until `pause` or `complete`.
   */
  beginBetween(slot, atMs) {
    if (Number.isNaN(this.#firstMs[slot])) {
      this.#firstMs[slot] = atMs;
    } else {
      const broken = this.#broken.get(slot);
      broken.gaps.push(Math.max(atMs - broken.lastMs, 0));
      if (Number.isNaN(this.#secondMs[slot])) this.#secondMs[slot] = atMs;
    }
    this.#since[slot] = this.log.next;
    this.#headMs[slot] = atMs;
  }
  /** `more` further tokens leave together with the slot's token of the pass just pushed (multi-token prediction). */
  burst(slot, more) {
    if (more <= 0) return;
    this.#breakOf(slot).together += more;
    if (Number.isNaN(this.#secondMs[slot])) {
      const since = this.#since[slot], pass = this.log.next - 1;
      const second = Number.isNaN(this.#headMs[slot]) ? since + 1 : since;
      this.#secondMs[slot] = this.log.end(since >= 0 && second < pass ? second : pass);
    }
  }
  /** The slot's open run, if any, ended with pass `last` (default: the pass before the one being formed). */
  pause(slot, last = this.log.next - 1) {
    const since = this.#since[slot];
    if (since < 0) return;
    const broken = this.#breakOf(slot), head = this.#headMs[slot];
    this.#since[slot] = -1;
    if (!Number.isNaN(head)) {
      this.#headMs[slot] = NaN;
      if (last < since) {
        broken.lastMs = head;
        return;
      }
      broken.gaps.push(Math.max(this.log.end(since) - head, 0));
      if (Number.isNaN(this.#secondMs[slot])) this.#secondMs[slot] = this.log.end(since);
    }
    if (last > since && Number.isNaN(this.#secondMs[slot])) this.#secondMs[slot] = this.log.end(since + 1);
    for (let pass = since + 1; pass <= last; pass++) {
      broken.gaps.push(Math.max(this.log.end(pass) - this.log.end(pass - 1), 0));
    }
    broken.lastMs = this.log.end(last);
  }
  /** The request in this slot completed with the token it emitted last; `emitted` tokens in all. */
  complete(slot, request, emitted) {
    const since = this.#since[slot];
    if (emitted === 0) {
      this.#records.emit(request, 0, NaN, NaN, NaN);
      this.drop(slot);
      return;
    }
    const last = this.log.next - 1, head = this.#headMs[slot];
    let second = this.#secondMs[slot];
    if (!Number.isNaN(head) && last >= since) {
      const end = this.log.end(since);
      this.#sink.add(Math.max(end - head, 0), 1);
      if (Number.isNaN(second)) second = end;
    }
    if (since >= 0) {
      if (last > since && Number.isNaN(second)) second = this.log.end(since + 1);
      this.log.emitted(since, last);
    }
    const broken = this.#broken.size > 0 ? this.#broken.get(slot) : void 0;
    if (broken !== void 0) {
      for (const gap of broken.gaps) this.#sink.add(gap, 1);
      if (broken.together > 0) this.#sink.add(0, broken.together);
    }
    const lastMs = last < since ? head : this.log.end(last);
    this.#records.emit(request, emitted, this.#firstMs[slot], second, lastMs);
    this.drop(slot);
  }
  /** Forgets the slot: it completed, or its request went without completing. */
  drop(slot) {
    this.#since[slot] = -1;
    this.#firstMs[slot] = NaN;
    this.#secondMs[slot] = NaN;
    this.#headMs[slot] = NaN;
    if (this.#broken.size > 0) this.#broken.delete(slot);
  }
  /** First token of the slot's request, `NaN` before it. */
  firstMs(slot) {
    return this.#firstMs[slot];
  }
  #breakOf(slot) {
    let broken = this.#broken.get(slot);
    if (broken === void 0) this.#broken.set(slot, broken = new Broken());
    return broken;
  }
};

// lib/engine/steady_set.ts
var SteadySet = class {
  /** How many there are, and at the next pass the sum of their lengths and of the squares. */
  count = 0;
  tokens = 0;
  tokensSquared = 0;
  #blockTokens;
  /** By pass number modulo block size: how many slots start a new block in such a pass. */
  growth;
  /** Length of a slot at pass p is `base + p`. */
  #base = new Int32Array(FEW);
  #endsAt = new Int32Array(FEW);
  #order = new Float64Array(FEW);
  /** Binary heap of slots by (pass of the last token, admission order). */
  #heap = new Int32Array(FEW);
  constructor(blockTokens) {
    this.#blockTokens = blockTokens;
    this.growth = new Int32Array(blockTokens);
  }
  /** Makes room for slots below `slots`. */
  reserve(slots) {
    const last = slots - 1;
    this.#base = reaching(this.#base, last);
    this.#endsAt = reaching(this.#endsAt, last);
    this.#order = reaching(this.#order, last);
    this.#heap = reaching(this.#heap, last);
  }
  /** Pass in which the next slot emits its last token, `Infinity` without any. */
  get nextEnd() {
    return this.count === 0 ? Infinity : this.#endsAt[this.#heap[0]];
  }
  /** Blocks the set starts in pass `pass`. */
  growthAt(pass) {
    return this.growth[pass % this.#blockTokens];
  }
  /** Whether a slot completes a block in pass `pass`: it starts the next one in the pass after. */
  completesIn(pass) {
    return this.growth[(pass + 1) % this.#blockTokens] > 0;
  }
  /** Length of a slot when pass `pass` is formed. */
  length(slot, pass) {
    return this.#base[slot] + pass;
  }
  /**
   * A slot will know `length` tokens at the next pass `pass`, of which all but the last are computed, and stops at
   * `stop` tokens. `order` ranks slots that end together.
   */
  add(slot, length, stop, order, pass) {
    this.#base[slot] = length - pass;
    this.#endsAt[slot] = pass + stop - length - 1;
    this.#order[slot] = order;
    this.growth[this.#phase(slot)]++;
    this.tokens += length;
    this.tokensSquared += length * length;
    this.#push(slot);
  }
  /** All slots emit once, or `passes` times, more. */
  advance(passes = 1) {
    this.tokensSquared += passes * (2 * this.tokens + this.count * passes);
    this.tokens += this.count * passes;
  }
  /** Takes out the slot that ends in pass `pass`, lowest order first, or -1; called before `advance`. */
  popEnding(pass) {
    if (this.count === 0 || this.#endsAt[this.#heap[0]] !== pass) return -1;
    const slot = this.#heap[0], length = this.#base[slot] + pass;
    this.growth[this.#phase(slot)]--;
    this.tokens -= length;
    this.tokensSquared -= length * length;
    this.#pop();
    return slot;
  }
  /** Takes out a slot before pass `pass` is formed, wherever it ends. */
  remove(slot, pass) {
    const heap = this.#heap, length = this.#base[slot] + pass;
    this.growth[this.#phase(slot)]--;
    this.tokens -= length;
    this.tokensSquared -= length * length;
    let at = heap.indexOf(slot);
    for (; at > 0; at = at - 1 >> 1) heap[at] = heap[at - 1 >> 1];
    heap[0] = slot;
    this.#pop();
  }
  /** Takes out everybody. */
  clear() {
    for (let i = 0; i < this.count; i++) this.growth[this.#phase(this.#heap[i])]--;
    this.count = 0;
    this.tokens = 0;
    this.tokensSquared = 0;
  }
  /** Pass numbers, modulo block size, in which the slot starts a block: those where its length is 1 more than full blocks. */
  #phase(slot) {
    const size = this.#blockTokens, phase = (1 - this.#base[slot]) % size;
    return phase < 0 ? phase + size : phase;
  }
  #before(a, b) {
    const ends = this.#endsAt;
    return ends[a] < ends[b] || ends[a] === ends[b] && this.#order[a] < this.#order[b];
  }
  #push(slot) {
    const heap = this.#heap;
    let at = this.count++;
    while (at > 0) {
      const parent = at - 1 >> 1;
      if (!this.#before(slot, heap[parent])) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = slot;
  }
  #pop() {
    const heap = this.#heap, size = --this.count;
    const slot = heap[size];
    let at = 0;
    for (; ; ) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#before(heap[child + 1], heap[child])) child++;
      if (!this.#before(heap[child], slot)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = slot;
  }
};

// lib/engine/sglang/decode_batch.ts
var ORDER_LIMIT = 1 << 22;
var DecodeBatch = class {
  /** Running requests: `list[0 .. count)`, oldest first. */
  list = new Int32Array(64);
  count = 0;
  /** Decode passes formed so far. */
  steps = 0;
  /** Running requests that have no output to emit at all; they count in no sum. */
  spent = 0;
  #slots;
  #pageTokens;
  #clip;
  #bursts;
  #orderLimit;
  /** Counts each length one higher: as it is when a decode pass has given the token. */
  #steady;
  #steadySlot = new Uint8Array(64);
  #nextOrder = 0;
  /** Sum over all of min(open output, clip), how many of them have no more open than clip, and when one more has not. */
  #open = 0;
  #shrinking = 0;
  #recountAt = Infinity;
  /**
   * @param clip most open output tokens of one request that count
   * @param bursts whether a pass can yield several tokens for a request
   * @param orderLimit how many requests may join before the list is numbered anew
   */
  constructor(slots, pageTokens, clip, bursts, orderLimit = ORDER_LIMIT) {
    this.#slots = slots;
    this.#pageTokens = pageTokens;
    this.#clip = clip;
    this.#bursts = bursts;
    this.#orderLimit = orderLimit;
    this.#steady = new SteadySet(pageTokens);
  }
  /** Makes room for slots below `slots`. */
  reserve(slots) {
    this.#steady.reserve(slots);
    this.#steadySlot = reaching(this.#steadySlot, slots - 1);
    this.list = reaching(this.list, slots - 1);
  }
  /** Known tokens of a slot, running or not. */
  length(slot) {
    return this.#steadySlot[slot] === 1 ? this.#steady.length(slot, this.steps) - 1 : this.#slots.length[slot];
  }
  /** Output tokens a running slot has still to emit. */
  remaining(slot) {
    return this.#slots.stop[slot] - this.length(slot);
  }
  /** True when `join` would run out of order numbers: `renumber` first. */
  get orderExhausted() {
    return this.#nextOrder >= this.#orderLimit && this.count > 0;
  }
  /** Numbers the running list from 0. */
  renumber() {
    for (let i = 0; i < this.count; i++) this.#slots.order[this.list[i]] = i;
    this.#nextOrder = this.count;
    if (!this.#bursts) this.#rebuild();
  }
  /** A slot joins the end of the list, `slots.length` being up to date. */
  join(slot) {
    const slots = this.#slots;
    if (this.count === 0) this.#nextOrder = 0;
    slots.order[slot] = this.#nextOrder++;
    this.list[this.count++] = slot;
    const open = slots.stop[slot] - slots.length[slot];
    if (open <= 0) this.spent++;
    if (open <= 0 || this.#bursts) return;
    this.#enter(slot);
    if (open <= this.#clip) {
      this.#open += open;
      this.#shrinking++;
    } else {
      this.#open += this.#clip;
      this.#recountAt = Math.min(this.#recountAt, this.steps + open - this.#clip);
    }
  }
  /** The request at `index` of the list leaves before a decode pass; its length is written to its slot. */
  leave(index) {
    const slot = this.list[index];
    this.list.copyWithin(index, index + 1, this.count--);
    if (this.#slots.stop[slot] <= this.length(slot)) this.spent--;
    if (this.#steadySlot[slot] === 0) return;
    this.#slots.length[slot] = this.length(slot);
    this.#steadySlot[slot] = 0;
    this.#steady.remove(slot, this.steps);
    this.#recount();
  }
  /** Sum of all lengths. */
  get tokens() {
    return this.#bursts ? this.#sum(false) : this.#steady.tokens - this.#steady.count;
  }
  /** Sum of all squared lengths. */
  get tokensSquared() {
    return this.#bursts ? this.#sum(true) : this.#steady.tokensSquared - 2 * this.#steady.tokens + this.#steady.count;
  }
  /** Pages the next decode pass fills beyond those held, when each request gets up to `burst` tokens. */
  growth(burst) {
    if (!this.#bursts) return this.#steady.growthAt(this.steps);
    const size = this.#pageTokens, { length, stop } = this.#slots;
    let pages = 0;
    for (let i = 0; i < this.count; i++) {
      const slot = this.list[i], known = length[slot];
      pages += Math.ceil((known + Math.min(burst, stop[slot] - known)) / size) - Math.ceil(known / size);
    }
    return pages;
  }
  /** As `growth(1)`, of the decode pass `passes` after the next one; without multi-token prediction. */
  growthAfter(passes) {
    return this.#steady.growthAt(this.steps + passes);
  }
  /** Decode pass in which the next request ends, counted as `steps`; `Infinity` without any. */
  get nextEnd() {
    return this.#steady.nextEnd;
  }
  /**
   * Takes the decode pass: everybody gets one token. The requests that end with it leave; they are written to `ended`,
   * which has room for all.
   *
   * @returns how many ended
   */
  step(ended) {
    let count = 0;
    if (this.#steady.nextEnd === this.steps) {
      for (let slot; (slot = this.#steady.popEnding(this.steps)) >= 0; ) {
        this.#steadySlot[slot] = 0;
        this.#slots.length[slot] = this.#slots.stop[slot];
        ended[count++] = slot;
      }
      if (this.#clip >= 1) {
        this.#open -= count;
        this.#shrinking -= count;
      }
    }
    this.steps++;
    this.#steady.advance();
    this.#open -= this.#shrinking;
    if (count > 0) this.#compact();
    if (this.steps >= this.#recountAt) this.#recount();
    return count;
  }
  /** Takes a decode pass in which nobody ends. */
  stepAll() {
    this.steps++;
    this.#steady.advance();
    this.#open -= this.#shrinking;
    if (this.steps >= this.#recountAt) this.#recount();
  }
  /** Removes the requests that have nothing left to emit; as `step`, but no pass. */
  takeComplete(ended) {
    this.spent = 0;
    let count = 0, kept = 0;
    for (let i = 0; i < this.count; i++) {
      const slot = this.list[i];
      if (this.remaining(slot) <= 0) ended[count++] = slot;
      else this.list[kept++] = slot;
    }
    this.count = kept;
    return count;
  }
  /** Sum over all of min(open output, clip) times `ratio`, added in list order. */
  openOutput(ratio) {
    let sum = 0;
    for (let i = 0; i < this.count; i++) sum += Math.min(this.remaining(this.list[i]), this.#clip) * ratio;
    return sum;
  }
  /** The same by one multiplication: equal up to round-off. Not for bursts. */
  openOutputEstimate(ratio) {
    return this.#open * ratio;
  }
  #enter(slot) {
    const slots = this.#slots;
    this.#steadySlot[slot] = 1;
    this.#steady.add(slot, slots.length[slot] + 1, slots.stop[slot] + 1, slots.order[slot], this.steps);
  }
  #rebuild() {
    for (let i = 0; i < this.count; i++) this.#slots.length[this.list[i]] = this.length(this.list[i]);
    this.#steady.clear();
    for (let i = 0; i < this.count; i++) if (this.#steadySlot[this.list[i]] === 1) this.#enter(this.list[i]);
  }
  #compact() {
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      const slot = this.list[i];
      if (this.remaining(slot) > 0) this.list[kept++] = slot;
    }
    this.count = kept;
  }
  #recount() {
    this.#open = this.#shrinking = 0;
    this.#recountAt = Infinity;
    for (let i = 0; i < this.count; i++) {
      const open = this.remaining(this.list[i]);
      if (open <= 0) continue;
      if (open <= this.#clip) {
        this.#open += open;
        this.#shrinking++;
      } else {
        this.#open += this.#clip;
        this.#recountAt = Math.min(this.#recountAt, this.steps + open - this.#clip);
      }
    }
  }
  #sum(squared) {
    let sum = 0;
    for (let i = 0; i < this.count; i++) {
      const length = this.#slots.length[this.list[i]];
      sum += squared ? length * length : length;
    }
    return sum;
  }
};

// lib/collections/int_deque.ts
var IntDeque = class _IntDeque {
  #ring = new Int32Array(16);
  #mask = 15;
  #head = 0;
  #size = 0;
  get size() {
    return this.#size;
  }
  /** Entry at `position`, 0 being the front. */
  at(position) {
    return this.#ring[this.#head + position & this.#mask];
  }
  pushBack(slot) {
    if (this.#size > this.#mask) this.#grow();
    this.#ring[this.#head + this.#size++ & this.#mask] = slot;
  }
  pushFront(slot) {
    if (this.#size > this.#mask) this.#grow();
    this.#head = this.#head - 1 & this.#mask;
    this.#ring[this.#head] = slot;
    this.#size++;
  }
  popFront() {
    const slot = this.#ring[this.#head];
    this.#head = this.#head + 1 & this.#mask;
    this.#size--;
    return slot;
  }
  /** Puts a slot in front of what stands at `position`. */
  insert(position, slot) {
    this.pushBack(slot);
    for (let i = this.#size - 1; i > position; i--) this.set(i, this.at(i - 1));
    this.set(position, slot);
  }
  remove(position) {
    const slot = this.at(position);
    for (let i = position; i < this.#size - 1; i++) this.set(i, this.at(i + 1));
    this.#size--;
    return slot;
  }
  /** Puts a slot in the place of what stands at `position`. */
  set(position, slot) {
    this.#ring[this.#head + position & this.#mask] = slot;
  }
  #grow() {
    const ring = new Int32Array(this.#ring.length * 2);
    for (let i = 0; i < this.#size; i++) ring[i] = this.at(i);
    this.#ring = ring;
    this.#mask = ring.length - 1;
    this.#head = 0;
  }
  static {
    new _IntDeque().#grow();
  }
};

// lib/engine/sglang/hand_offs.ts
var HandOffs = class {
  /** Prompt lengths of all requests of a decode rank that do not run yet. */
  queued = new LengthSums();
  /** Pages that have to be transferred to the destination reserved last. */
  missingPages = 0;
  #slots;
  #pages;
  #activated = new IntDeque();
  #offers = [];
  #destinations = /* @__PURE__ */ new Map();
  #keptForTransfer = /* @__PURE__ */ new Map();
  /** The oldest offer was tried, and pages have not become free since. */
  #tried = false;
  constructor(slots, pages) {
    this.#slots = slots;
    this.#pages = pages;
  }
  /** Requests that are neither waiting for a prefill nor running. */
  get size() {
    return this.#destinations.size + this.#activated.size + this.#keptForTransfer.size;
  }
  /** Requests with KV, or waiting for it, that do not run. */
  get waiting() {
    return this.#destinations.size + this.#activated.size;
  }
  /** Offers without KV. */
  get pending() {
    return this.#offers.length;
  }
  /** Requests that could run. */
  get activated() {
    return this.#activated.size;
  }
  /** Pages may have become free. */
  freed() {
    this.#tried = false;
  }
  offer(slot) {
    this.queued.add(this.#slots.prompt[slot]);
    this.#destinations.set(this.#slots.request[slot], slot);
    this.#offers.push(slot);
    if (this.#offers.length === 1) this.#tried = false;
  }
  /** Takes pages for the oldest offer; returns its slot, -1 when there is none or they do not suffice. */
  reserve(pageTokens) {
    if (this.#offers.length === 0 || this.#tried) return -1;
    const slot = this.#offers[0], prompt = this.#slots.prompt[slot];
    const matched = this.#pages.take(slot, Math.floor(prompt / pageTokens), prompt);
    this.#tried = matched < 0;
    if (matched < 0) return -1;
    this.#offers.shift();
    this.missingPages = this.#pages.pages(prompt) - matched;
    return slot;
  }
  /** The KV of a reserved destination is there. */
  activate(request) {
    const slot = this.#destinations.get(request), tree = this.#pages.tree, available = tree.available;
    this.#destinations.delete(request);
    this.#pages.publish(slot, this.#slots.prompt[slot]);
    this.#pages.cache(slot, this.#slots.prompt[slot]);
    if (tree.available > available) this.#tried = false;
    this.#activated.pushBack(slot);
  }
  /** Takes out the activated request whose turn it is to run. */
  next() {
    const slot = this.#activated.popFront();
    this.queued.remove(this.#slots.prompt[slot]);
    return slot;
  }
  /** Keeps the KV of a finished prefill. */
  keep(slot) {
    this.#keptForTransfer.set(this.#slots.request[slot], slot);
  }
  /** Stops keeping it; returns the slot, -1 when nothing is kept. */
  takeKept(request) {
    const slot = this.#keptForTransfer.get(request) ?? -1;
    this.#keptForTransfer.delete(request);
    return slot;
  }
  /** Takes out a request in any state; returns its slot, -1 when it is not here. */
  remove(request) {
    const kept = this.takeKept(request);
    if (kept >= 0) return kept;
    let slot = this.#destinations.get(request) ?? -1;
    if (slot >= 0) {
      this.#destinations.delete(request);
      const pending = this.#offers.indexOf(slot);
      if (pending >= 0) this.#offers.splice(pending, 1);
      if (pending === 0) this.#tried = false;
    } else {
      for (let i = 0; i < this.#activated.size && slot < 0; i++) {
        if (this.#slots.request[this.#activated.at(i)] === request) slot = this.#activated.remove(i);
      }
    }
    if (slot >= 0) this.queued.remove(this.#slots.prompt[slot]);
    return slot;
  }
};

// lib/engine/sglang/prefix_order.ts
var LONGEST_QUEUE = 128;
var SHORT_MATCH = 32;
var LAST = -(1 << 30);
var PrefixOrder = class {
  #pages;
  #slots;
  #sequences;
  #pageTokens;
  #alikeTokens;
  #matched = new Int32Array(LONGEST_QUEUE);
  #order = new Int32Array(LONGEST_QUEUE);
  #sortedVersion = -1;
  #sortedEvictions = -1;
  /** The queue changed since it was sorted. */
  stale = true;
  constructor(pages, slots, sequences, pageTokens) {
    this.#pages = pages;
    this.#slots = slots;
    this.#sequences = sequences;
    this.#pageTokens = pageTokens;
    this.#alikeTokens = Math.ceil(SHORT_MATCH / pageTokens) * pageTokens;
  }
  /** True while sorting again would change nothing. */
  get settled() {
    const { version, evictions } = this.#pages.tree;
    return !this.stale && this.#sequences.plain && version === this.#sortedVersion && evictions === this.#sortedEvictions;
  }
  /** Sorts the queue, stable. */
  sort(queue) {
    if (queue.size > LONGEST_QUEUE || this.settled) return;
    const count = queue.size, matched = this.#matched, order = this.#order;
    const beginnings = /* @__PURE__ */ new Map();
    for (let i = 0; i < count; i++) {
      const slot = queue.at(i), length = this.#slots.length[slot];
      let tokens = this.#pages.match(slot, Math.floor(length / this.#pageTokens)) * this.#pageTokens;
      if (tokens <= SHORT_MATCH && length >= this.#alikeTokens && this.#repeats(slot, beginnings)) tokens += LAST;
      let at = i;
      for (; at > 0 && matched[at - 1] < tokens; at--) {
        matched[at] = matched[at - 1];
        order[at] = order[at - 1];
      }
      matched[at] = tokens;
      order[at] = slot;
    }
    for (let i = 0; i < count; i++) queue.set(i, order[i]);
    this.stale = false;
    this.#sortedVersion = this.#pages.tree.version;
    this.#sortedEvictions = this.#pages.tree.evictions;
  }
  /** Whether a request seen before begins like this one; notes the beginning otherwise. */
  #repeats(slot, beginnings) {
    const request = this.#slots.request[slot], first = this.#sequences.token(request, 0), size = this.#alikeTokens;
    const others = beginnings.get(first);
    if (others === void 0) {
      beginnings.set(first, [
        request
      ]);
      return false;
    }
    for (const other of others) if (this.#sequences.common(other, request, 0, size) === size) return true;
    others.push(request);
    return false;
  }
};

// lib/collections/keyed_heap.ts
var KeyedHeap = class {
  size = 0;
  #keys = new Float64Array(64);
  #values = new Int32Array(64);
  /** The entry with the smallest key; only when the heap is not empty. */
  get first() {
    return this.#values[0];
  }
  /** Its key. */
  get firstKey() {
    return this.#keys[0];
  }
  push(value, key) {
    if (this.size === this.#values.length) {
      this.#keys = longer(this.#keys);
      this.#values = longer(this.#values);
    }
    this.#rise(this.size++, value, key);
  }
  /** Takes the first entry away; only when the heap is not empty. */
  pop() {
    const keys = this.#keys, values = this.#values, size = --this.size, key = keys[size], value = values[size];
    let at = 0;
    for (; ; ) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && keys[child + 1] < keys[child]) child++;
      if (keys[child] >= key) break;
      keys[at] = keys[child];
      values[at] = values[child];
      at = child;
    }
    keys[at] = key;
    values[at] = value;
  }
  /** Drops the entries that do not satisfy a condition; costs the size times its logarithm at most. */
  keep(wanted) {
    const keys = this.#keys, values = this.#values, size = this.size;
    this.size = 0;
    for (let i = 0; i < size; i++) {
      if (wanted(values[i], keys[i])) this.#rise(this.size++, values[i], keys[i]);
    }
  }
  #rise(at, value, key) {
    const keys = this.#keys, values = this.#values;
    while (at > 0) {
      const parent = at - 1 >> 1;
      if (keys[parent] <= key) break;
      keys[at] = keys[parent];
      values[at] = values[parent];
      at = parent;
    }
    keys[at] = key;
    values[at] = value;
  }
};

// lib/engine/sglang/eviction_heap.ts
var SWEEP_AT = 1024;
var EvictionHeap = class {
  #isCurrent;
  #heap = new KeyedHeap();
  /** Size at which wrong entries are swept out. */
  #sweepAt = SWEEP_AT;
  /** @param isCurrent whether the node is evictable and was last used at `stamp` */
  constructor(isCurrent) {
    this.#isCurrent = isCurrent;
  }
  push(node, stamp) {
    const heap = this.#heap;
    if (heap.size === this.#sweepAt) {
      heap.keep(this.#isCurrent);
      this.#sweepAt = Math.max(SWEEP_AT, heap.size * 2);
    }
    heap.push(node, stamp);
  }
  /** The evictable node used longest ago, which stays in the heap; -1 when there is none. */
  peek() {
    const heap = this.#heap;
    for (; heap.size > 0; heap.pop()) if (this.#isCurrent(heap.first, heap.firstKey)) return heap.first;
    return -1;
  }
  /** Removes what `peek` returned. */
  pop() {
    this.#heap.pop();
  }
};

// lib/engine/sglang/radix_tree.ts
var ROOT = 0;
var RadixTree = class {
  static root = ROOT;
  pageTokens;
  /** Pages nobody uses. */
  available;
  /** Pages in unlocked nodes. */
  evictable = 0;
  /** Pages matched by the last `matchAndLock`, or already present in the last `insert`. */
  matched = 0;
  /** Node in which the last `matchLength` ended. */
  matchEnd = ROOT;
  /** Counts changes after which a match may come out longer; evictions, after which it may come out shorter. */
  version = 0;
  evictions = 0;
  /** No change since `watch` can have touched the match watched. */
  undisturbed = false;
  onEvict = null;
  #watched = -1;
  #sequences;
  #owner;
  #candidates;
  #parent = new Int32Array(64);
  #children = new Int32Array(64);
  #locks = new Int32Array(64);
  #stamp = new Float64Array(64);
  /** Request whose sequence holds the path down to the node's end. */
  #sequence = new Int32Array(64);
  #from = new Int32Array(64);
  #to = new Int32Array(64);
  /** Slot that grows the node, or -1. */
  #tail = new Int32Array(64).fill(-1);
  /** First token of the edge, folded to 32 bits; children are found by (parent, key). */
  #key = new Int32Array(64);
  #nextInBucket = new Int32Array(64);
  #buckets = new Int32Array(128).fill(-1);
  #nodes = 1;
  #spare = [];
  constructor(pages, pageTokens, sequences, owner) {
    this.available = pages;
    this.pageTokens = pageTokens;
    this.#sequences = sequences;
    this.#owner = owner;
    this.#candidates = new EvictionHeap((node, stamp) => this.#stamp[node] === stamp && this.#locks[node] === 0 && this.#children[node] === 0 && node !== ROOT);
  }
  /** Pages that can be had without taking any from a request. */
  get obtainable() {
    return this.available + this.evictable;
  }
  /** Waits for changes of a match that ends in `node`, -1 for none. */
  watch(node) {
    this.#watched = node;
    this.undisturbed = true;
  }
  /** Leading pages of a sequence, at most `limit`, that are in the tree. Changes nothing. */
  matchLength(request, limit) {
    let node = ROOT, at = 0;
    while (at < limit) {
      const child = this.#childOf(node, request, at, limit);
      if (child < 0) break;
      at = this.matched;
      node = child;
      if (at < this.#to[child]) break;
    }
    this.matchEnd = node;
    return at;
  }
  /**
   * Locks the longest match of the first `limit` pages and returns the node where it ends, cutting an edge where
   * necessary; `matched` tells its length. Whole edges on the way count as used at `stamp`.
   */
  matchAndLock(request, limit, stamp) {
    let node = ROOT, at = 0;
    while (at < limit) {
      const child = this.#childOf(node, request, at, limit);
      if (child < 0) break;
      at = this.matched;
      if (at < this.#to[child]) {
        node = this.#split(child, at);
        break;
      }
      this.#stamp[child] = stamp;
      node = child;
    }
    this.matched = at;
    this.lock(node, ROOT);
    return node;
  }
  /**
   * Puts the pages `from .. to` of a sequence below `anchor`, which is where `from` lies. Pages found there already are
   * counted in `matched`.
   *
   * @param stamp time of use for the whole path; a new node gets `stamp + 1`
   * @returns the node where `to` lies; what is new in it is not locked
   */
  insert(anchor, request, from, to, stamp) {
    this.matched = 0;
    this.version++;
    this.undisturbed = false;
    for (let n = anchor; n !== ROOT; n = this.#parent[n]) this.#stamp[n] = stamp;
    let node = anchor, at = from, present = 0;
    for (; ; ) {
      if (node !== ROOT && this.#children[node] === 0 && this.#locks[node] <= (node === anchor ? 1 : 0)) {
        this.#sequence[node] = request;
        this.#to[node] = to;
        this.#stamp[node] = stamp;
        if (this.#locks[node] === 0) {
          this.evictable += to - at;
          this.#candidates.push(node, stamp);
        }
        break;
      }
      const child = this.#childOf(node, request, at, to);
      if (child < 0) {
        node = this.#add(node, request, at, to, stamp + 1);
        break;
      }
      present += this.matched - at;
      at = this.matched;
      if (at < this.#to[child]) {
        node = this.#split(child, at);
        if (at < to) node = this.#add(node, request, at, to, stamp + 1);
        break;
      }
      node = child;
      this.#stamp[node] = stamp;
      if (at === to) {
        if (this.#locks[node] === 0 && this.#children[node] === 0) this.#candidates.push(node, stamp);
        break;
      }
    }
    this.matched = present;
    return node;
  }
  /** Locks `node` and its ancestors below `above`. */
  lock(node, above) {
    for (let n = node; n !== above; n = this.#parent[n]) {
      if (this.#locks[n]++ === 0) this.evictable -= this.#to[n] - this.#from[n];
      else if (this.#tail[n] >= 0) this.#share(n);
    }
  }
  /** Unlocks `node` and its ancestors, used last at `stamp` or later. */
  unlock(node, stamp) {
    for (let n = node; n !== ROOT; n = this.#parent[n]) {
      if (this.#stamp[n] < stamp) this.#stamp[n] = stamp;
      if (--this.#locks[n] > 0) continue;
      this.evictable += this.#to[n] - this.#from[n];
      if (this.#children[n] === 0) this.#candidates.push(n, this.#stamp[n]);
    }
  }
  /** Frees `pages` evictable pages, fewer when there are not so many. */
  evict(pages) {
    this.evictions++;
    while (pages > 0) {
      const node = this.#candidates.peek();
      if (node < 0) return;
      const end = this.#to[node], size = end - this.#from[node], taken = Math.min(pages, size);
      if (node === this.#watched) this.undisturbed = false;
      this.evictable -= taken;
      this.available += taken;
      pages -= taken;
      if (this.onEvict !== null) this.onEvict(this.#sequence[node], end - taken, end);
      if (taken < size) {
        this.#to[node] = end - taken;
      } else {
        this.#candidates.pop();
        this.#remove(node);
      }
    }
  }
  /** Whether only the request that locks `node` uses it, so that its pages can follow there unseen. */
  isPrivate(node) {
    return node !== ROOT && this.#locks[node] === 1 && this.#children[node] === 0;
  }
  /** From now on `slot` grows the node along the sequence of its request. */
  setTail(node, slot, request) {
    this.#tail[node] = slot;
    this.#sequence[node] = request;
  }
  /** The node ends at page `end` and is nobody's tail. */
  endTail(node, end) {
    this.#to[node] = end;
    this.#tail[node] = -1;
  }
  #share(node) {
    const slot = this.#tail[node];
    this.endTail(node, this.#owner.tailEnd(slot));
    this.#owner.tailShared(slot);
  }
  /** Child of `node` with the sequence's page `at`; `matched` becomes the page up to which both agree, at most `limit`. */
  #childOf(node, request, at, limit) {
    const size = this.pageTokens, key = this.#sequences.token(request, at * size) | 0;
    for (let child = this.#buckets[this.#bucket(node, key)]; child >= 0; child = this.#nextInBucket[child]) {
      if (this.#parent[child] !== node || this.#key[child] !== key) continue;
      if (this.#tail[child] >= 0) this.#to[child] = this.#owner.tailEnd(this.#tail[child]);
      const end = Math.min(limit, this.#to[child]) * size;
      const agreed = Math.floor(this.#sequences.common(this.#sequence[child], request, at * size, end) / size);
      if (agreed <= at) continue;
      this.matched = agreed;
      return child;
    }
    return -1;
  }
  /** Cuts an edge at page `at`; the node keeps the lower part, the new upper one is returned. */
  #split(node, at) {
    const upper = this.#new();
    this.version++;
    this.undisturbed = false;
    this.#unlink(node);
    this.#parent[upper] = this.#parent[node];
    this.#children[upper] = 1;
    this.#locks[upper] = this.#locks[node];
    this.#stamp[upper] = this.#stamp[node];
    this.#sequence[upper] = this.#sequence[node];
    this.#from[upper] = this.#from[node];
    this.#to[upper] = at;
    this.#key[upper] = this.#key[node];
    this.#link(upper);
    this.#parent[node] = upper;
    this.#from[node] = at;
    this.#key[node] = this.#sequences.token(this.#sequence[node], at * this.pageTokens) | 0;
    this.#link(node);
    return upper;
  }
  #add(parent, request, from, to, stamp) {
    if (this.#tail[parent] >= 0) this.#share(parent);
    const node = this.#new();
    this.#parent[node] = parent;
    this.#children[parent]++;
    this.#children[node] = 0;
    this.#locks[node] = 0;
    this.#stamp[node] = stamp;
    this.#sequence[node] = request;
    this.#from[node] = from;
    this.#to[node] = to;
    this.#key[node] = this.#sequences.token(request, from * this.pageTokens) | 0;
    this.#link(node);
    this.evictable += to - from;
    this.#candidates.push(node, stamp);
    return node;
  }
  #remove(node) {
    const parent = this.#parent[node];
    this.#unlink(node);
    this.#stamp[node] = -1;
    this.#spare.push(node);
    if (--this.#children[parent] === 0 && parent !== ROOT && this.#locks[parent] === 0) {
      this.#candidates.push(parent, this.#stamp[parent]);
    }
  }
  #bucket(parent, key) {
    return (Math.imul(parent, 2654435761) ^ Math.imul(key, 2246822507)) >>> 5 & this.#buckets.length - 1;
  }
  #link(node) {
    const bucket = this.#bucket(this.#parent[node], this.#key[node]);
    this.#nextInBucket[node] = this.#buckets[bucket];
    this.#buckets[bucket] = node;
  }
  #unlink(node) {
    const bucket = this.#bucket(this.#parent[node], this.#key[node]), next2 = this.#nextInBucket;
    if (this.#buckets[bucket] === node) {
      this.#buckets[bucket] = next2[node];
      return;
    }
    let before = this.#buckets[bucket];
    while (next2[before] !== node) before = next2[before];
    next2[before] = next2[node];
  }
  #new() {
    const node = this.#spare.pop() ?? this.#nodes++;
    if (node === this.#parent.length) this.#grow();
    this.#tail[node] = -1;
    return node;
  }
  #grow() {
    const size = this.#parent.length * 2;
    this.#parent = longer(this.#parent, size);
    this.#children = longer(this.#children, size);
    this.#locks = longer(this.#locks, size);
    this.#sequence = longer(this.#sequence, size);
    this.#from = longer(this.#from, size);
    this.#to = longer(this.#to, size);
    this.#tail = longer(this.#tail, size);
    this.#key = longer(this.#key, size);
    this.#nextInBucket = longer(this.#nextInBucket, size);
    this.#stamp = longer(this.#stamp, size);
    this.#buckets = new Int32Array(size * 2).fill(-1);
    for (let node = 1; node < this.#nodes - 1; node++) this.#link(node);
  }
};

// lib/engine/sglang/request_pages.ts
var PASS_STAMPS = 2 ** 26;
var BETWEEN = 2 ** 25;
var STAMPS_BETWEEN = 2 ** 24;
var RequestPages = class {
  tree;
  /** Earliest decode pass (counted as `DecodeBatch.steps` after it) in which a loose running request fills a page. */
  nextInsertion = Infinity;
  #caching;
  #pageTokens;
  #slots;
  #batch;
  #bursts;
  #sequences;
  #residency;
  #stampsBetweenLimit;
  #stampPass = 0;
  #stampsBetween = 0;
  /** Added to the decode pass in stamps: grows when more happened between two passes than there were stamps for. */
  #stampShift = 0;
  /** While pages are put into the tree in list order: the requests from this order on have not had their token yet. */
  #reached = Infinity;
  constructor(options, slots, batch, sequences, residency) {
    this.tree = new RadixTree(options.pages, options.pageTokens, sequences, this);
    if (residency !== null) {
      this.tree.onEvict = (request, from, to) => residency.evicted(request, from, to);
    }
    this.#stampsBetweenLimit = options.stampsBetween ?? STAMPS_BETWEEN;
    this.#caching = options.caching;
    this.#pageTokens = options.pageTokens;
    this.#bursts = options.bursts;
    this.#slots = slots;
    this.#batch = batch;
    this.#sequences = sequences;
    this.#residency = residency;
  }
  /** Pages that cover `tokens`. */
  pages(tokens) {
    return Math.ceil(tokens / this.#pageTokens);
  }
  /** Leading full pages of a sequence that could be reused, at most `limit`. */
  match(slot, limit) {
    return this.#caching ? this.tree.matchLength(this.#slots.request[slot], limit) : 0;
  }
  /**
   * Gives a request that holds nothing its first pages: up to `limit` from the tree (locked), fresh ones up to `tokens`.
   *
   * @returns pages found in the tree, -1 when there are not enough others
   */
  take(slot, limit, tokens) {
    const tree = this.tree, slots = this.#slots;
    let anchor = RadixTree.root, matched = 0;
    if (this.#caching) {
      anchor = tree.matchAndLock(slots.request[slot], limit, this.#nextStamp());
      matched = tree.matched;
    }
    const fresh = this.pages(tokens) - matched;
    if (fresh > tree.obtainable) {
      tree.unlock(anchor, 0);
      return -1;
    }
    this.#takeFresh(fresh);
    slots.anchor[slot] = anchor;
    slots.cached[slot] = matched;
    slots.computed[slot] = tokens;
    return matched;
  }
  /** Gives a request in mid-prefill the pages up to `tokens`; false when there are not enough. */
  extend(slot, tokens) {
    const fresh = this.pages(tokens) - this.pages(this.#slots.computed[slot]);
    if (fresh > this.tree.obtainable) return false;
    this.#takeFresh(fresh);
    this.#slots.computed[slot] = tokens;
    return true;
  }
  /** Takes pages for one more token of several requests; false, after evicting what there was, when there are too few. */
  takeGrowth(pages) {
    const tree = this.tree;
    if (tree.available < pages) tree.evict(pages - tree.available);
    if (tree.available < pages) return false;
    tree.available -= pages;
    return true;
  }
  /** Prompt pages up to `tokens` got their KV: the router may know. */
  publish(slot, tokens) {
    if (this.#residency === null || !this.#caching) return;
    this.#residency.grown(slot, this.#slots.request[slot], Math.floor(tokens / this.#pageTokens));
  }
  /** Puts the full pages of a request that goes on into the tree, `tokens` being computed. Not for tails. */
  cache(slot, tokens) {
    if (this.#hasUncached(slot, tokens)) this.#insert(slot, tokens, this.#nextStamp());
  }
  /** A request joins the running list: if its path ends in a node of its own, its pages follow there unseen. */
  startTail(slot) {
    if (!this.#caching) return;
    const slots = this.#slots, anchor = slots.anchor[slot], late = this.#hasUncached(slot, this.#batch.length(slot));
    if (this.tree.isPrivate(anchor) && !late && this.#sequences.plain) {
      slots.tailSince[slot] = this.#batch.steps;
      slots.loose[slot] = 0;
      this.tree.setTail(anchor, slot, slots.request[slot]);
    } else {
      slots.loose[slot] = 1;
      this.#expectInsertion(slot);
    }
  }
  /** A request leaves the running list; call before its length changes hands. */
  endTail(slot) {
    const slots = this.#slots;
    slots.loose[slot] = 0;
    if (slots.tailSince[slot] < 0) return;
    const end = this.tailEnd(slot);
    slots.used[slot] = this.#tailUsed(slot);
    slots.cached[slot] = end;
    slots.tailSince[slot] = -1;
    this.tree.endTail(slots.anchor[slot], end);
  }
  /** After a decode pass in which loose requests filled pages: puts those into the tree, in list order. */
  insertLoose() {
    const { list, count } = this.#batch, slots = this.#slots;
    this.nextInsertion = Infinity;
    for (let i = 0; i < count; i++) {
      const slot = list[i];
      if (slots.loose[slot] === 0) continue;
      this.#reached = slots.order[slot];
      this.filled(slot);
    }
    this.#reached = Infinity;
  }
  /** A running request may have filled a page with its last token. */
  filled(slot) {
    const slots = this.#slots, length = this.#batch.length(slot);
    if (slots.loose[slot] === 0) {
      if (length % this.#pageTokens === 0) slots.used[slot] = this.#passStamp(slot);
      return;
    }
    if (this.#hasUncached(slot, length)) {
      this.#insert(slot, length, this.#passStamp(slot));
      this.publish(slot, length);
      this.startTail(slot);
    } else {
      this.#expectInsertion(slot);
    }
  }
  /** A request is over, `known` tokens and KV for `computed` of them: its full pages stay, the rest is free. */
  finish(slot, known, computed) {
    const tree = this.tree, slots = this.#slots, held = this.pages(computed);
    if (!this.#caching) {
      tree.available += held;
      return;
    }
    const full = Math.floor(Math.min(known, computed) / this.#pageTokens);
    const cached = slots.cached[slot], anchor = slots.anchor[slot];
    tree.available += held - full;
    this.publish(slot, Math.min(known, computed));
    let used = slots.used[slot];
    if (full > cached) {
      used = this.#nextStamp();
      tree.insert(anchor, slots.request[slot], cached, full, used);
      tree.available += tree.matched;
    }
    tree.unlock(anchor, used);
    if (this.#residency !== null) this.#residency.settled(slot);
  }
  /** A request gives up its KV, `computed` tokens; what is in the tree stays there. */
  drop(slot, computed) {
    const tree = this.tree, slots = this.#slots, held = this.pages(computed);
    tree.available += held - slots.cached[slot];
    tree.unlock(slots.anchor[slot], slots.used[slot]);
    if (this.#residency !== null) {
      const full = Math.floor(computed / this.#pageTokens), request = slots.request[slot];
      this.#residency.settled(slot);
      if (full > slots.cached[slot]) this.#residency.evicted(request, this.match(slot, full), full);
    }
    slots.cached[slot] = slots.anchor[slot] = slots.computed[slot] = 0;
    slots.used[slot] = 0;
  }
  tailEnd(slot) {
    return Math.floor((this.#batch.length(slot) - this.#unseen(slot)) / this.#pageTokens);
  }
  tailShared(slot) {
    const slots = this.#slots;
    slots.cached[slot] = this.tailEnd(slot);
    slots.used[slot] = this.#tailUsed(slot);
    slots.tailSince[slot] = -1;
    slots.loose[slot] = 1;
    this.#expectInsertion(slot);
  }
  /** Before passes or the running list are numbered anew: times of use are written down while the old numbers hold. */
  noteUse() {
    const { list, count, steps } = this.#batch, slots = this.#slots;
    for (let i = 0; i < count; i++) {
      if (slots.tailSince[list[i]] < 0) continue;
      slots.used[list[i]] = this.#tailUsed(list[i]);
      slots.tailSince[list[i]] = steps;
    }
  }
  #hasUncached(slot, tokens) {
    return this.#caching && Math.floor(tokens / this.#pageTokens) > this.#slots.cached[slot];
  }
  /** Puts the full pages of `tokens` into the tree and locks them; copies of pages that are there are freed. */
  #insert(slot, tokens, stamp) {
    const tree = this.tree, slots = this.#slots;
    const full = Math.floor(tokens / this.#pageTokens), anchor = slots.anchor[slot];
    const end = tree.insert(anchor, slots.request[slot], slots.cached[slot], full, stamp);
    tree.available += tree.matched;
    slots.used[slot] = 0;
    if (end !== anchor) {
      tree.lock(end, anchor);
      slots.anchor[slot] = end;
    }
    slots.cached[slot] = full;
    if (this.#residency !== null) this.#residency.settled(slot);
  }
  #takeFresh(pages) {
    const tree = this.tree;
    if (pages > tree.available) tree.evict(pages - tree.available);
    tree.available -= pages;
  }
  /** 1 while the slot's newest token has not been looked at for caching: it is the last, or comes later in the list. */
  #unseen(slot) {
    const slots = this.#slots;
    return this.#batch.length(slot) >= slots.stop[slot] || slots.order[slot] >= this.#reached ? 1 : 0;
  }
  /** When the tail got its last page. */
  #tailUsed(slot) {
    const slots = this.#slots;
    if (this.#bursts) return slots.used[slot];
    const unseen = this.#unseen(slot);
    const pass = this.#batch.steps - unseen - (this.#batch.length(slot) - unseen) % this.#pageTokens;
    return pass > slots.tailSince[slot] ? this.#stampAt(pass, slots.order[slot] * 4) : slots.used[slot];
  }
  #expectInsertion(slot) {
    const length = this.#batch.length(slot);
    const tokens = this.#hasUncached(slot, length) ? 1 : this.#pageTokens - length % this.#pageTokens;
    this.nextInsertion = Math.min(this.nextInsertion, this.#batch.steps + tokens);
  }
  #passStamp(slot) {
    return this.#stampAt(this.#batch.steps, this.#slots.order[slot] * 4);
  }
  #nextStamp() {
    if (this.#stampPass !== this.#batch.steps) {
      this.#stampPass = this.#batch.steps;
      this.#stampsBetween = 0;
    } else if (this.#stampsBetween >= this.#stampsBetweenLimit) {
      this.noteUse();
      this.#stampShift++;
      this.#stampsBetween = 0;
    }
    return this.#stampAt(this.#stampPass, BETWEEN + 2 * this.#stampsBetween++);
  }
  #stampAt(pass, place) {
    return (pass + this.#stampShift) * PASS_STAMPS + place;
  }
};

// lib/collections/run_map.ts
var BITS = 4;
var MASK = (1 << BITS) - 1;
var RunMap = class {
  /** Page by key / keys of a page. */
  #pages = new IntMap();
  /** Value + 1 of each key of each page, 0 where there is none. */
  #values = new Int32Array(1 << BITS);
  /** Keys with a value, by page. */
  #used = new Int32Array(1);
  #count = 0;
  #spare = [];
  /** What was looked for last, and its page, -1 without one. */
  #lastRun = -1;
  #lastPage = -1;
  get(key) {
    const page = this.#pageOf(key >> BITS);
    return page < 0 ? -1 : this.#values[page << BITS | key & MASK] - 1;
  }
  /** Adds a key that is not there yet. */
  add(key, value) {
    const run = key >> BITS;
    let page = this.#pageOf(run);
    if (page < 0) page = this.#open(run);
    this.#values[page << BITS | key & MASK] = value + 1;
    this.#used[page]++;
  }
  /** Gives a key that is there another value. */
  set(key, value) {
    this.#values[this.#pageOf(key >> BITS) << BITS | key & MASK] = value + 1;
  }
  /** Removes a key that is there. */
  delete(key) {
    const run = key >> BITS, page = this.#pageOf(run);
    this.#values[page << BITS | key & MASK] = 0;
    if (--this.#used[page] > 0) return;
    this.#pages.delete(run);
    this.#spare.push(page);
    this.#lastPage = -1;
  }
  #pageOf(run) {
    if (run !== this.#lastRun) {
      this.#lastRun = run;
      this.#lastPage = this.#pages.get(run);
    }
    return this.#lastPage;
  }
  /** A page for the keys that were just looked for in vain. */
  #open(run) {
    const page = this.#spare.pop() ?? this.#count++;
    this.#used = reaching(this.#used, page);
    this.#values = reaching(this.#values, (page << BITS) + MASK);
    this.#pages.add(run, page);
    return this.#lastPage = page;
  }
};

// lib/engine/sglang/residency.ts
var Residency = class {
  /** Changes since the log was emptied last: edge, pages of it now resident, edge, \u2026 */
  log = [];
  #prompts;
  /** By edge; absent where no page is resident. */
  #resident = new RunMap();
  /** Leading pages held by slots that hold some outside the tree. */
  #private = /* @__PURE__ */ new Map();
  constructor(prompts) {
    this.#prompts = prompts;
  }
  /** The first `pages` pages of a request have their KV; some of them may be private to `slot`. */
  grown(slot, request, pages) {
    const prompts = this.#prompts, { edges, edgeBlocks } = prompts;
    const known = Math.min(pages, prompts.knownBlocks(request));
    this.#private.set(slot, {
      request,
      pages: known
    });
    if (known === 0) return;
    let at = prompts.locate(request, known - 1), first = prompts.firstBlock, cover = known - first;
    while (this.#raise(edges[at], cover) && first > 0) {
      cover = edgeBlocks[edges[--at]];
      first -= cover;
    }
  }
  /** All pages of `slot` are in the tree now, or gone. */
  settled(slot) {
    this.#private.delete(slot);
  }
  /** The pages `from .. to` of a request's sequence are no longer in the tree, nor held by the request itself. */
  evicted(request, from, to) {
    const prompts = this.#prompts, { edges, start, edgeBlocks } = prompts;
    const end = Math.min(to, prompts.knownBlocks(request));
    if (from >= end) return;
    let at = prompts.locate(request, from), first = prompts.firstBlock;
    for (; first < end; first += edgeBlocks[edges[at++]]) {
      const edge = edges[at], step = at - start[request], blocks = edgeBlocks[edge];
      let cover = Math.max(from - first, 0);
      for (const other of this.#private.values()) {
        if (other.pages - first > cover && edges[start[other.request] + step] === edge) {
          cover = Math.min(other.pages - first, blocks);
        }
      }
      if (cover >= this.#resident.get(edge)) continue;
      if (cover > 0) this.#resident.set(edge, cover);
      else this.#resident.delete(edge);
      this.log.push(edge, cover);
    }
  }
  #raise(edge, cover) {
    const before = this.#resident.get(edge);
    if (before >= cover) return false;
    if (before < 0) this.#resident.add(edge, cover);
    else this.#resident.set(edge, cover);
    this.log.push(edge, cover);
    return true;
  }
};

// lib/engine/sglang/slots.ts
var Slots = class _Slots {
  request = new Int32Array(64);
  /** Prompt tokens. */
  prompt = new Int32Array(64);
  /** Known tokens at which the request is complete. */
  stop = new Int32Array(64);
  /** Known tokens, prompt and generated ones; of steadily decoding slots only up to date when they leave. */
  length = new Int32Array(64);
  /** Tokens whose KV exists, while the request does not run; a running one has KV for all it knows. */
  computed = new Int32Array(64);
  /** Leading pages that are in the tree, locked for this request; not up to date for tails. */
  cached = new Int32Array(64);
  /** Tree node where they end. */
  anchor = new Int32Array(64);
  /** Time of use of the anchor's path by the last page put below it; not up to date for tails. */
  used = new Float64Array(64);
  /** Decode passes formed when the anchor became the slot's tail, -1 while it is not. */
  tailSince = new Int32Array(64);
  /** 1 for a running request whose next full page must be put into the tree explicitly. */
  loose = new Uint8Array(64);
  /** Place in the running list relative to others: later ones are larger. */
  order = new Int32Array(64);
  #size = 64;
  #next = 0;
  #spare = [];
  /** Slots in use. */
  get count() {
    return this.#next - this.#spare.length;
  }
  /** Every slot ever used is below it. */
  get limit() {
    return this.#next;
  }
  /** Takes a slot for a request that nothing has been done for yet. */
  open(request, prompt, output) {
    const slot = this.#spare.pop() ?? this.#next++;
    if (slot === this.#size) this.#grow();
    this.request[slot] = request;
    this.prompt[slot] = prompt;
    this.stop[slot] = prompt + output;
    this.length[slot] = prompt;
    this.computed[slot] = this.cached[slot] = this.anchor[slot] = 0;
    this.used[slot] = 0;
    this.tailSince[slot] = -1;
    this.loose[slot] = 0;
    return slot;
  }
  close(slot) {
    this.#spare.push(slot);
  }
  #grow() {
    this.#size *= 2;
    this.request = longer(this.request, this.#size);
    this.prompt = longer(this.prompt, this.#size);
    this.stop = longer(this.stop, this.#size);
    this.length = longer(this.length, this.#size);
    this.computed = longer(this.computed, this.#size);
    this.cached = longer(this.cached, this.#size);
    this.anchor = longer(this.anchor, this.#size);
    this.tailSince = longer(this.tailSince, this.#size);
    this.order = longer(this.order, this.#size);
    this.used = longer(this.used, this.#size);
    this.loose = longer(this.loose, this.#size);
  }
  static {
    new _Slots().#grow();
  }
};

// lib/engine/sglang/wait_list.ts
var WaitList = class {
  /** Prompt lengths of the requests without output, and lengths of those with (decode ranks: of all). */
  prefill = new LengthSums();
  decode = new LengthSums();
  /** Requests whose prompt is too long ever to run. */
  overlong = 0;
  /** Tokens and output the head needs room for, while lack of it is all that keeps it out; else NaN. */
  headNeeds = NaN;
  #queue = new IntDeque();
  #slots;
  #order;
  #decodes;
  #maxModelTokens;
  constructor(slots, order, options) {
    this.#slots = slots;
    this.#order = order;
    this.#decodes = options.decodes;
    this.#maxModelTokens = options.maxModelTokens;
  }
  get size() {
    return this.#queue.size;
  }
  at(position) {
    return this.#queue.at(position);
  }
  /** Puts a slot behind all others, or in front. */
  add(slot, front = false) {
    const { length, prompt } = this.#slots;
    if (this.#decodes || length[slot] > prompt[slot]) this.decode.add(length[slot]);
    else this.prefill.add(prompt[slot]);
    if (prompt[slot] >= this.#maxModelTokens) this.overlong++;
    if (front || this.#queue.size === 0) this.headNeeds = NaN;
    if (front) this.#queue.pushFront(slot);
    else this.#queue.pushBack(slot);
    if (this.#order !== null) this.#order.stale = true;
  }
  remove(position) {
    const slot = position === 0 ? this.#queue.popFront() : this.#queue.remove(position);
    const { length, prompt } = this.#slots;
    if (this.#decodes || length[slot] > prompt[slot]) this.decode.remove(length[slot]);
    else this.prefill.remove(prompt[slot]);
    if (prompt[slot] >= this.#maxModelTokens) this.overlong--;
    this.headNeeds = NaN;
    if (this.#order !== null) this.#order.stale = true;
    return slot;
  }
  /** Position of a request, -1 when it does not wait. */
  find(request) {
    for (let i = 0; i < this.#queue.size; i++) if (this.#slots.request[this.#queue.at(i)] === request) return i;
    return -1;
  }
  /** Takes out the requests that can never run. */
  takeOverlong() {
    const taken = [];
    for (let i = 0; this.overlong > 0; ) {
      if (this.#slots.prompt[this.#queue.at(i)] < this.#maxModelTokens) i++;
      else taken.push(this.remove(i));
    }
    return taken;
  }
  /** Applies the queue policy. */
  sort() {
    if (this.#order === null || this.#queue.size === 0) return;
    const head = this.#queue.at(0);
    this.#order.sort(this.#queue);
    if (this.#queue.at(0) !== head) this.headNeeds = NaN;
  }
  /** Whether the policy would leave the queue as it is. */
  get sorted() {
    return this.#order === null || this.#queue.size <= 1 || this.#order.settled;
  }
  /** First come, first served. */
  get fifo() {
    return this.#order === null;
  }
};

// lib/engine/sglang/requests.ts
var Requests = class {
  slots = new Slots();
  running;
  pages;
  waiting;
  handOffs;
  stream;
  #rankId;
  #context;
  #settings;
  #sequences;
  #residency;
  #bursts;
  /** @param bursts whether decode passes yield several tokens a request */
  constructor(rankId, settings, sglang, context, bursts) {
    const { slots } = this, { role, blockTokens: pageTokens, prefixCaching: caching, maxModelTokens } = settings;
    this.#rankId = rankId;
    this.#context = context;
    this.#settings = settings;
    this.#bursts = bursts;
    this.#sequences = new TokenSequences(context.workload, context.prompts);
    this.#residency = context.cache === null ? null : new Residency(context.prompts);
    this.running = new DecodeBatch(slots, pageTokens, sglang.clipMaxNewTokens, bursts);
    this.pages = new RequestPages({
      pages: settings.blocks,
      pageTokens,
      caching,
      bursts
    }, slots, this.running, this.#sequences, this.#residency);
    const order = sglang.schedulePolicy === "lpm" && caching ? new PrefixOrder(this.pages, slots, this.#sequences, pageTokens) : null;
    this.waiting = new WaitList(slots, order, {
      decodes: role === "decode",
      maxModelTokens
    });
    this.handOffs = new HandOffs(slots, this.pages);
    this.stream = new TokenStream(context.sink, context.records);
  }
  get owned() {
    return this.running.count + this.waiting.size + this.handOffs.size;
  }
  /** Takes a slot for a request that comes here. */
  open(request) {
    const { workload, records } = this.#context, { role, maxModelTokens } = this.#settings;
    const prompt = records.inputTokens[request], wanted = workload.outputTokens[request];
    const output = Math.min(role === "prefill" ? Math.min(wanted, 1) : wanted, Math.max(0, maxModelTokens - prompt));
    const slot = this.slots.open(request, prompt, output);
    this.stream.reserve(slot + 1);
    this.running.reserve(slot + 1);
    return slot;
  }
  /** A request that has its prompt's KV runs from here on. */
  join(slot) {
    if (this.running.orderExhausted) {
      this.pages.noteUse();
      this.running.renumber();
    }
    this.running.join(slot);
    this.pages.startTail(slot);
  }
  /**
   * Whether nobody can be admitted for sure, without looking at the cache again.
   *
   * @param ratio share of their open output that running requests are expected to need
   */
  headBlocked(ratio) {
    const { waiting, running } = this, { tree } = this.pages;
    if (waiting.size === 0 || waiting.fifo && !this.#context.sequences.admits(running.count)) return true;
    const needs = waiting.headNeeds;
    if (!(needs > 0) || !tree.undisturbed || !waiting.sorted || !this.#sequences.plain) return false;
    if (this.#bursts) return false;
    const room = tree.obtainable * this.#settings.blockTokens, open = running.openOutputEstimate(ratio);
    const gap = needs - (room - open), doubt = 1e-6 + open * 1e-9;
    if (gap > doubt || gap < -doubt) return gap > 0;
    return needs >= room - running.openOutput(ratio);
  }
  /** Requests that end with a pass give up their pages, in the order noted. */
  giveUpEnded({ ending, endings }) {
    const { slots, pages, handOffs } = this;
    for (let i = 0; i < endings; i++) {
      const slot = ending[i];
      pages.endTail(slot);
      if (this.#settings.role === "prefill") handOffs.keep(slot);
      else pages.finish(slot, slots.length[slot], slots.computed[slot]);
      handOffs.freed();
    }
  }
  /** Takes a request that does not run out of its queue; returns its slot, -1 when it is in none. */
  takeWaiting(request) {
    const slot = this.handOffs.remove(request);
    if (slot >= 0) return slot;
    const at = this.waiting.find(request);
    return at >= 0 ? this.waiting.remove(at) : -1;
  }
  /** A slot gave up its pages between passes. */
  forget(slot, nowMs) {
    this.slots.close(slot);
    this.handOffs.freed();
    this.waiting.headNeeds = NaN;
    this.reportResidency(nowMs);
  }
  /** Whether pages came or went that nobody was told of yet. */
  get reports() {
    return this.#residency !== null && this.#residency.log.length > 0;
  }
  /** Tells who follows the cache which prompt pages came and went. */
  reportResidency(atMs) {
    const log = this.#residency?.log;
    if (log === void 0 || log.length === 0) return;
    for (let i = 0; i < log.length; i += 2) this.#context.cache.resident(this.#rankId, log[i], log[i + 1], atMs);
    log.length = 0;
  }
  /** Requests that decode now, before any is retracted. */
  describeDecode({ decode }) {
    decode.count = this.running.count;
    decode.sum = this.running.tokens;
    decode.squares = this.running.tokensSquared;
  }
  /** Requests that wait while the pass runs. */
  describeQueue({ queuedPrefill, queuedDecode }) {
    queuedPrefill.copy(this.waiting.prefill);
    queuedDecode.copy(this.waiting.decode);
    queuedDecode.include(this.handOffs.queued);
  }
};

// lib/engine/sglang/rank.ts
var NOBODY2 = [];
var MOST_AHEAD = 64;
var SglangRank = class {
  id;
  collectPasses = false;
  tellFirstTokens = false;
  hadEffect = false;
  retry = Retry.later;
  committedPrefillTokens = 0;
  cacheTotalTokens = 0;
  cacheHitTokens = 0;
  decodeForwards = 0;
  acceptedTokens = 0;
  /** Retractions are not counted as preemptions. */
  preemptions = 0;
  ranHeldBlockMs = 0;
  ranPeakBlocks = 0;
  #context;
  #settings;
  #role;
  #grouped;
  #clock;
  #requests;
  #batch;
  #ratio;
  #delay;
  #results;
  #prefill;
  #decode;
  #bursts;
  /** What the pass found in the cache. */
  #reusedTokens = 0;
  #admitted;
  // The pass being formed or in flight.
  #startMs = 0;
  #admissions = 0;
  /** The pass in flight is one of decoding alone, which `#runSteadyPasses` started. */
  #inSteadyRun = false;
  #pass = new PassMetrics();
  #ended = new PassMetrics();
  /** @param ranks attention data-parallel ranks of the worker, which share a chunk */
  constructor(id, settings, timing, context, ranks = 1) {
    const sglang = {
      ...settings.sglang
    };
    sglang.chunkedPrefillTokens = Math.floor(sglang.chunkedPrefillTokens / ranks);
    if (sglang.chunkedPrefillTokens === 0) {
      throw new SimulationError(`engine error: constructing attention-DP rank ${id % ranks}: SGLang attention DP size ${ranks} reduces chunked_prefill_size=${settings.sglang.chunkedPrefillTokens} to zero`);
    }
    const { role, blockTokens: pageTokens } = settings;
    const bursts = settings.acceptRates !== null && role !== "prefill";
    const requests2 = new Requests(id, settings, sglang, context, bursts), { slots } = requests2;
    const clock = new PassClock(timing, settings), results = new PassResults(slots);
    const batch = new PrefillBatch(requests2, pageTokens, sglang);
    const ratio = new NewTokenRatio(sglang.scheduleConservativeness, ranks > 1);
    const acceptance = bursts ? new Acceptance(settings.acceptRates, context.words(id)) : null;
    this.id = id;
    this.#context = context;
    this.#settings = settings;
    this.#role = role;
    this.#grouped = ranks > 1;
    this.#clock = clock;
    this.#requests = requests2;
    this.#batch = batch;
    this.#ratio = ratio;
    this.#delay = new PrefillDelay(settings.prefillDecodeInterval);
    this.#results = results;
    this.#prefill = new PrefillPass({
      requests: requests2,
      batch,
      results,
      clock
    }, {
      pageTokens,
      takesTime: role !== "decode"
    });
    this.#decode = new DecodePass({
      requests: requests2,
      ratio,
      clock,
      results,
      acceptance
    });
    this.#bursts = bursts;
    const recordPool = Pool[role];
    this.#admitted = (slot, reusedTokens) => {
      this.#reusedTokens += reusedTokens;
      context.records.admit(slots.request[slot], this.#startMs, reusedTokens, recordPool);
      this.#admissions++;
    };
  }
  get ready() {
    const { running, waiting, handOffs } = this.#requests;
    return running.count > 0 || waiting.size > 0 || handOffs.activated > 0 || this.#delay.left > 0;
  }
  get owned() {
    return this.#requests.owned;
  }
  get reshuffled() {
    return this.#admissions > 0 || this.#decode.retracted.length > 0;
  }
  get passStartMs() {
    return this.#startMs;
  }
  submit(request, _nowMs) {
    this.#requests.waiting.add(this.#requests.open(request));
  }
  start(nowMs) {
    this.#begin(nowMs);
    this.#inSteadyRun = false;
    const { waiting, running, handOffs } = this.#requests, decode = this.#decode, delay = this.#delay;
    const deferred = delay.left > 0, ratio = this.#ratio.value, { sequences } = this.#context;
    const rejected = waiting.overlong > 0 ? waiting.takeOverlong() : NOBODY2;
    if (handOffs.activated > 0) this.#promote();
    if (!this.#requests.headBlocked(ratio)) {
      waiting.sort();
      if (!deferred && handOffs.activated === 0 && handOffs.pending === 0 && sequences.admits(running.count)) {
        this.#batch.form(sequences, ratio, this.#admitted);
      }
    }
    const prefill = this.#batch.count > 0;
    delay.idle = deferred && !prefill && running.count === running.spent;
    if (prefill && this.collectPasses) this.#batch.describe(this.#pass);
    const end = prefill ? this.#prefill.run(nowMs) : this.#decodePass(nowMs);
    for (const slot of rejected) this.#results.signals.add(slot, Signal.rejected);
    for (const slot of decode.retracted) waiting.add(slot);
    delay.computedPrefill = this.#batch.computedTokens > 0;
    delay.ranModel = delay.computedPrefill || decode.emits;
    this.hadEffect = end > nowMs || this.#results.signals.count > 0 || delay.ranModel || this.reshuffled;
    this.retry = this.#whatNext(deferred, this.#ratio.value !== ratio);
    if (!this.#grouped) this.#settle(delay.computedPrefill, delay.ranModel);
    if (this.collectPasses) this.#requests.describeQueue(this.#pass);
    return end;
  }
  settleGroup(ranks, tookPart) {
    let prefill = false, model = false;
    for (let i = 0; i < ranks.length; i++) {
      const rank = ranks[i];
      if (tookPart[i] === 0) {
        rank.#delay.idle = false;
        continue;
      }
      prefill ||= rank.#delay.computedPrefill;
      model ||= rank.#delay.ranModel;
    }
    for (const rank of ranks) rank.#settle(prefill, model);
  }
  steadyDecodeRun(nowMs, untilMs) {
    let start = nowMs;
    this.ranHeldBlockMs = this.ranPeakBlocks = 0;
    for (; ; ) {
      if (this.#steady) {
        this.#startMs = start;
        const end2 = this.#runSteadyPasses(start, untilMs);
        this.#inSteadyRun = end2 >= 0;
        if (end2 >= 0) return end2;
        start = this.#startMs;
      }
      const end = this.start(start);
      if (this.#results.signals.count > 0 || !this.#decode.emits || end === start || end >= untilMs) return end;
      this.#noteHeld(end - start);
      this.finish(end);
      start = end;
    }
  }
  /** The blocks that are held now are held for so long by a pass that ends within the run. */
  #noteHeld(durationMs) {
    const held = this.heldBlocks;
    this.ranHeldBlockMs += held * durationMs;
    if (held > this.ranPeakBlocks) this.ranPeakBlocks = held;
  }
  /**
   * Goes through the passes that would follow by their durations alone, up to where a request ends, pages enter the tree
   * or are evicted, or the pass log is folded: all that happens at the same event as without looking ahead.
   */
  quietUntilMs(endMs) {
    const { running, waiting, pages, stream, reports } = this.#requests;
    if (!this.#inSteadyRun || !this.#clock.looksAhead || !this.#steady) return -Infinity;
    if (waiting.size > 0 || this.#delay.left > 0 || reports) return -Infinity;
    const lastStep = Math.min(running.nextEnd, pages.nextInsertion - 1);
    const most = Math.min(lastStep - running.steps, MOST_AHEAD, stream.log.room - 1), requests2 = running.count;
    let left = pages.tree.available, { tokens, tokensSquared: squares } = running, quietMs = endMs + 0;
    for (let pass = 0; pass < most; pass++) {
      left -= running.growthAfter(pass);
      if (left < 0) break;
      quietMs += this.#clock.decodeMs(requests2, tokens, squares);
      squares += 2 * tokens + requests2;
      tokens += requests2;
    }
    return quietMs;
  }
  /** Nothing but a decode pass that moves counters can be next. */
  get #steady() {
    const { running, waiting, handOffs } = this.#requests;
    return running.count > 0 && !this.#bursts && running.spent === 0 && this.#results.late.length === 0 && handOffs.activated === 0 && waiting.overlong === 0;
  }
  /**
   * Runs decode passes that only move counters, each but the last to its end.
   *
   * @returns the end of the pass left in flight, `untilMs` or later; -1 when the pass at `#startMs` takes more
   */
  #runSteadyPasses(nowMs, untilMs) {
    const { running, waiting, pages, stream } = this.#requests, { tree } = pages, { log } = stream;
    const requests2 = running.count, lastStep = Math.min(running.nextEnd, pages.nextInsertion - 1);
    const delay = this.#delay, reports = this.#context.cache !== null;
    for (let start = nowMs + 0; running.steps < lastStep; this.#startMs = start) {
      if (delay.left > 0) waiting.sort();
      else if (waiting.size > 0 && !this.#requests.headBlocked(this.#ratio.value)) return -1;
      const growth = running.growth(1);
      if (growth > tree.available) {
        if (growth > tree.obtainable) return -1;
        tree.evict(growth - tree.available);
      }
      tree.available -= growth;
      delay.step();
      if (log.room === 0) stream.fold(running.list, requests2);
      const end = start + this.#clock.decodeMs(requests2, running.tokens, running.tokensSquared);
      this.#ratio.decay();
      if (end >= untilMs || this.collectPasses) {
        this.#begin(start);
        this.#decode.emits = this.hadEffect = true;
        this.#decode.forwards = this.#decode.accepted = requests2;
        if (this.collectPasses) {
          this.#requests.describeDecode(this.#pass);
          this.#requests.describeQueue(this.#pass);
        }
      }
      running.stepAll();
      if (end >= untilMs) return end;
      this.#noteHeld(end - start);
      if (this.collectPasses) {
        this.finish(end);
      } else {
        log.push(end);
        this.decodeForwards += requests2;
        this.acceptedTokens += requests2;
        if (reports) this.#requests.reportResidency(end);
      }
      start = end;
    }
    return -1;
  }
  finish(endMs) {
    if (this.#decode.emits) this.#requests.stream.log.push(endMs);
    this.committedPrefillTokens += this.#batch.computedTokens;
    this.cacheHitTokens += this.#reusedTokens;
    this.cacheTotalTokens += this.#reusedTokens + this.#batch.computedTokens;
    this.#reusedTokens = 0;
    this.decodeForwards += this.#decode.forwards;
    this.acceptedTokens += this.#decode.accepted;
    if (this.collectPasses) {
      this.#pass.endMs = endMs;
      this.#ended.copy(this.#pass);
    }
    this.#requests.reportResidency(endMs);
    deliver(this, this.#results, this.#requests, this.#context, endMs, this.#role === "prefill");
  }
  close() {
    this.#requests.stream.log.fold(Infinity);
  }
  // Forming a pass.
  #begin(nowMs) {
    const { stream, running } = this.#requests;
    if (stream.log.room === 0) stream.fold(running.list, running.count);
    this.#startMs = nowMs;
    this.#batch.clear();
    this.#results.clear();
    this.#decode.clear();
    this.#admissions = 0;
    if (this.collectPasses) {
      this.#pass.clear();
      this.#pass.startMs = nowMs;
    }
  }
  /** Requests whose KV was transferred join the running ones while there is room. */
  #promote() {
    const { slots, running, handOffs } = this.#requests;
    while (handOffs.activated > 0 && this.#context.sequences.admits(running.count)) {
      const slot = handOffs.next();
      this.#admitted(slot, 0);
      this.#requests.join(slot);
      if (slots.stop[slot] > slots.length[slot]) this.#results.late.push(slot);
    }
  }
  #decodePass(nowMs) {
    const decode = this.#decode;
    decode.endSpent();
    if (this.collectPasses) this.#requests.describeDecode(this.#pass);
    const end = decode.run(nowMs);
    if (decode.retracted.length > 0) this.#requests.handOffs.freed();
    else if (!this.#delay.idle) this.#ratio.decay();
    this.#requests.giveUpEnded(this.#results);
    return end;
  }
  #whatNext(deferred, ratioChanged) {
    if (this.#decode.stuck) return Retry.fail;
    if (deferred) return Retry.countdown;
    if (ratioChanged) return Retry.again;
    return this.#role === "aggregated" ? Retry.fail : Retry.later;
  }
  /** The pass is decided on all ranks of the worker: when may the next prefill be, and does the ratio start anew? */
  #settle(prefill, model) {
    if (this.#delay.idle && !model) this.#ratio.reset();
    this.#delay.settle(prefill);
  }
  // Roles.
  offer(request, _nowMs) {
    const prompt = this.#context.records.inputTokens[request];
    if (prompt >= this.#settings.maxModelTokens) return "destination prompt must be shorter than max_model_len";
    if (this.#requests.pages.pages(prompt) > this.#settings.blocks) {
      return "destination prompt exceeds the KV pool capacity";
    }
    this.#requests.handOffs.offer(this.#requests.open(request));
    return null;
  }
  get pendingDestinations() {
    return this.#requests.handOffs.pending;
  }
  tryReserve(nowMs) {
    const { handOffs, slots } = this.#requests, pageTokens = this.#settings.blockTokens;
    const slot = handOffs.reserve(pageTokens);
    if (slot < 0) return false;
    this.#context.observer.reserved(this, slots.request[slot], nowMs, handOffs.missingPages * pageTokens);
    return true;
  }
  activate(request, nowMs) {
    this.#requests.handOffs.activate(request);
    this.#requests.reportResidency(nowMs);
  }
  release(request, nowMs) {
    const { handOffs, pages, slots } = this.#requests, slot = handOffs.takeKept(request);
    if (slot < 0) return;
    pages.finish(slot, slots.length[slot], slots.computed[slot]);
    this.#requests.forget(slot, nowMs);
  }
  cancel(request, nowMs) {
    const { slots, running, pages, stream } = this.#requests;
    let slot = this.#requests.takeWaiting(request);
    for (let i = 0; i < running.count && slot < 0; i++) {
      if (slots.request[running.list[i]] !== request) continue;
      slot = this.#decode.leave(i);
      slots.computed[slot] = slots.length[slot];
    }
    if (slot < 0) return false;
    pages.drop(slot, slots.computed[slot]);
    stream.drop(slot);
    this.#requests.forget(slot, nowMs);
    return true;
  }
  // Telemetry.
  describePass(row) {
    this.#ended.describe(row);
  }
  get activeBlocks() {
    return this.#settings.blocks - this.#requests.pages.tree.available;
  }
  /** Pages in the tree count as in use, evictable or not. */
  get inactiveBlocks() {
    return 0;
  }
  get heldBlocks() {
    return this.#settings.blocks - this.#requests.pages.tree.obtainable;
  }
  get totalBlocks() {
    return this.#settings.blocks;
  }
  get runningRequests() {
    return this.#requests.running.count;
  }
  get waitingRequests() {
    return this.#requests.waiting.size + this.#requests.handOffs.waiting;
  }
};

// lib/engine/trtllm/completion_promises.ts
var CompletionPromises = class {
  /** Blocks promised to running requests and to reserved destinations beyond those they hold. */
  outstanding = 0;
  #blocks;
  #blockTokens;
  #maxModelTokens;
  constructor(settings) {
    this.#blocks = settings.blocks;
    this.#blockTokens = settings.blockTokens;
    this.#maxModelTokens = settings.maxModelTokens;
  }
  /** Output tokens a prompt may have of the `wanted` ones: as many as the model, then the pool, can take beside it. */
  outputLimit(promptTokens, wanted) {
    const capacity = this.#blocks * this.#blockTokens;
    const output = Math.min(wanted, Math.max(0, this.#maxModelTokens - promptTokens));
    return promptTokens < capacity ? Math.min(output, capacity - promptTokens) : output;
  }
  /** Whether a request that ends with `tokens` tokens can ever be admitted. */
  possible(tokens) {
    return this.#completion(tokens) <= this.#blocks;
  }
  /** Whether a request that ends with `tokens` tokens fits, `available` blocks not being in use; `shared` of its own are. */
  fits(tokens, shared, available) {
    return this.#completion(tokens) - shared <= Math.max(available - this.outstanding, 0);
  }
  /** A request that ends with `tokens` tokens is promised its blocks, of which it holds `held`. */
  give(tokens, held) {
    this.outstanding += this.#completion(tokens) - held;
  }
  /** Takes back what a request that ends with `tokens` tokens and holds `held` blocks is still owed. */
  takeBack(tokens, held) {
    this.outstanding -= this.#completion(tokens) - held;
  }
  /** Requests got `blocks` of those promised to them. */
  redeem(blocks) {
    this.outstanding -= blocks;
  }
  #completion(tokens) {
    return Math.ceil(tokens / this.#blockTokens);
  }
};

// lib/collections/int_list.ts
var IntList = class _IntList {
  count = 0;
  slots = new Int32Array(FEW);
  add(slot) {
    if (this.count === this.slots.length) this.#grow();
    this.slots[this.count++] = slot;
  }
  /** Index of a slot that is in the list; the end is searched first. */
  indexOf(slot) {
    let at = this.count - 1;
    while (this.slots[at] !== slot) at--;
    return at;
  }
  /** Takes out the slot at `index`; the others keep their order. */
  removeAt(index) {
    this.slots.copyWithin(index, index + 1, this.count--);
  }
  clear() {
    this.count = 0;
  }
  #grow() {
    this.slots = longer(this.slots);
  }
  static {
    new _IntList().#grow();
  }
};

// lib/engine/vllm/pass_results.ts
var Signal2 = {
  /** It is over without a further token. */
  done: 0,
  /** It emitted a token and goes on. */
  token: 1,
  /** It emitted its last token. */
  last: 2,
  /** It emitted its token, if it had one, and its KV waits for the transfer (prefill role). */
  held: 3,
  rejected: 4
};
var PassResults2 = class {
  signals = new Signals();
  #rejected = new IntList();
  #requests;
  #prefillOnly;
  constructor(requests2, prefillOnly) {
    this.#requests = requests2;
    this.#prefillOnly = prefillOnly;
  }
  clear() {
    this.signals.clear();
    this.#rejected.clear();
  }
  /** A slot that never ran is refused. */
  reject(slot) {
    this.#rejected.add(slot);
  }
  /** The running request at `index` wants no token (more). */
  done(index) {
    this.signals.add(this.#requests.running.slots[index], this.#prefillOnly ? Signal2.held : Signal2.done);
    this.#requests.end(index);
  }
  /** The running request at `index` emitted `burst` tokens, among them its last. */
  last(index, burst = 1) {
    this.signals.add(this.#requests.running.slots[index], this.#prefillOnly ? Signal2.held : Signal2.last, burst);
    this.#requests.end(index);
  }
  /** Everything is decided: rejections are told after all else. */
  close() {
    const { slots, count } = this.#rejected;
    for (let i = 0; i < count; i++) this.signals.add(slots[i], Signal2.rejected);
  }
};

// lib/engine/vllm/burst_output.ts
var BurstOutput = class {
  #parts;
  #acceptance;
  /** Prefill ranks emit one token, which no prediction precedes. */
  #single;
  #ready = new IntList();
  /** Drafts were scheduled with the pass (vLLM); on TensorRT-LLM every pass verifies all. */
  #scheduled;
  constructor(parts, acceptance) {
    this.#parts = parts;
    this.#acceptance = acceptance;
    this.#single = parts.role === "prefill";
    this.#scheduled = parts.requests.tables.promises === null;
  }
  /** Decides what pass `pass`, which has been formed, emits; returns when it ends. */
  emit(pass) {
    const { requests: { tables, running, slots }, batch, results, preemption, clock } = this.#parts;
    for (let i = 0; i < running.count; ) {
      const slot = running.slots[i];
      if (slots.computed[slot] >= slots.length[slot] && slots.length[slot] >= slots.stop[slot]) results.done(i);
      else i++;
    }
    const reserved = this.#reserve(pass), ready = this.#ready;
    let decodes = 0, context = 0, squares = 0;
    for (let i = 0; i < ready.count; i++) {
      if (this.#opens(ready.slots[i], pass)) continue;
      const length = slots.length[ready.slots[i]];
      decodes++;
      context += length;
      squares += length * length;
    }
    const { startMs, prefills, reachedTokens, priorTokens } = batch;
    if (this.#single) decodes = 0;
    const end = clock.endMs(startMs, prefills, reachedTokens, priorTokens, decodes, context, squares);
    this.#pauseOthers();
    if (ready.count === 0) return end;
    preemption.progressed();
    let used = 0;
    for (let i = 0; i < ready.count; i++) used += this.#emitBurst(ready.slots[i], pass);
    tables.putBack(reserved - used);
    return end;
  }
  /** Whether pass `pass` finishes the prompt of a slot that has no output yet, on vLLM. */
  #opens(slot, pass) {
    const { slots } = this.#parts.requests;
    return this.#scheduled && slots.passOf[slot] === pass && slots.passPrompt[slot] > 0 && slots.length[slot] === slots.prompt[slot];
  }
  /** Drafts of a slot that this pass verifies. */
  #drafts(slot, pass) {
    if (this.#single || this.#opens(slot, pass)) return 0;
    return this.#scheduled ? this.#parts.requests.slots.drafts[slot] : this.#acceptance.limit - 1;
  }
  /** Finds who emits and takes blocks for the longest bursts of all of them; returns how many. */
  #reserve(pass) {
    const { requests: { tables, running, slots }, preemption } = this.#parts, ready = this.#ready;
    for (; ; ) {
      let blocks = 0;
      ready.clear();
      for (let i = 0; i < running.count; i++) {
        const slot = running.slots[i], length = slots.length[slot];
        if (slots.computed[slot] < length) continue;
        ready.add(slot);
        const most = this.#drafts(slot, pass) + 1;
        blocks += tables.blocks(length + Math.min(most, slots.stop[slot] - length)) - tables.blocks(length);
      }
      if (ready.count === 0) return 0;
      if (blocks <= tables.pool.available) {
        tables.take(blocks);
        return blocks;
      }
      preemption.preempt();
    }
  }
  /** Running requests that emit nothing. */
  #pauseOthers() {
    const { requests: { running, slots, stream } } = this.#parts;
    for (let i = 0; i < running.count; i++) {
      const slot = running.slots[i];
      if (slots.computed[slot] < slots.length[slot] && stream.running(slot)) stream.pause(slot);
    }
  }
  /** Draws a slot's burst and appends it; returns the reserved blocks it needed. */
  #emitBurst(slot, pass) {
    const { requests: { tables, running, slots }, batch, results } = this.#parts;
    const accepted = this.#acceptance.draw(this.#drafts(slot, pass));
    const length = slots.length[slot], after = length + Math.min(accepted, slots.stop[slot] - length);
    if (!this.#single && !(slots.passOf[slot] === pass && slots.passPrompt[slot] > 0)) {
      batch.forwards++;
      batch.accepted += accepted;
    }
    tables.complete(slot, slots.computed[slot], after - 1);
    const blocks = after > slots.allocated[slot] ? tables.blocks(after) - tables.blocks(slots.allocated[slot]) : 0;
    slots.allocated[slot] = Math.max(slots.allocated[slot], after);
    slots.length[slot] = after;
    slots.computed[slot] = after - 1;
    slots.again[slot] = 0;
    if (after >= slots.stop[slot]) results.last(running.indexOf(slot), after - length);
    else results.signals.add(slot, Signal2.token, after - length);
    return blocks;
  }
};

// lib/engine/vllm/pass_batch.ts
var PassBatch = class {
  startMs = 0;
  /** Tokens that may still be computed in this pass. */
  budget = 0;
  /** Requests that take part. */
  scheduled = 0;
  admissions = 0;
  preempted = false;
  /** Requests that compute prompt tokens; of their prompts, tokens with KV after the pass and before it. */
  prefills = 0;
  reachedTokens = 0;
  priorTokens = 0;
  /** Tokens those requests compute. */
  computedTokens = 0;
  /** Requests that decode, and tokens accepted for them. */
  forwards = 0;
  accepted = 0;
  /** Keep `metrics` up. */
  collecting = false;
  metrics = new PassMetrics();
  #slots;
  #decodes;
  /** @param decodes decode role: recomputed prompts take no time of their own */
  constructor(slots, decodes) {
    this.#slots = slots;
    this.#decodes = decodes;
  }
  /** A pass starts at `startMs` and may compute `budget` tokens. */
  begin(startMs, budget) {
    this.startMs = startMs;
    this.budget = budget;
    this.scheduled = this.admissions = this.prefills = this.reachedTokens = this.priorTokens = this.computedTokens = this.forwards = this.accepted = 0;
    this.preempted = false;
    if (this.collecting) {
      this.metrics.clear();
      this.metrics.startMs = startMs;
    }
  }
  /** All steady requests compute a token each. */
  addSteady(steady) {
    this.budget -= steady.count;
    this.scheduled += steady.count;
    if (this.collecting) this.metrics.decode.set(steady.count, steady.tokens, steady.tokensSquared);
  }
  /** A request computes its tokens `before .. after - 1` in pass `pass`. */
  add(slot, before, after, pass) {
    const slots = this.#slots, prompt = slots.prompt[slot];
    const prior = Math.min(before, prompt), promptTokens = Math.min(after, prompt) - prior, used = after - before;
    slots.passOf[slot] = pass;
    slots.passTokens[slot] = used;
    slots.passPrompt[slot] = promptTokens;
    slots.passPrior[slot] = prior;
    this.budget -= used;
    this.scheduled++;
    if (promptTokens > 0) {
      this.computedTokens += used;
      if (!this.#decodes) {
        this.prefills++;
        this.reachedTokens += prior + promptTokens;
        this.priorTokens += prior;
      }
    }
    if (!this.collecting) return;
    if (promptTokens > 0) {
      this.metrics.prefill.add(prompt);
      this.metrics.prefillTokens += used;
      this.metrics.prefillKvTokens += prior;
    } else if (slots.length[slot] < slots.stop[slot]) {
      this.metrics.decode.add(slots.length[slot]);
    }
  }
  /** Undoes `add`, except that somebody was scheduled. */
  remove(slot) {
    const slots = this.#slots, promptTokens = slots.passPrompt[slot], used = slots.passTokens[slot];
    slots.passOf[slot] = -1;
    this.budget += used;
    if (promptTokens > 0) {
      this.computedTokens -= used;
      if (!this.#decodes) {
        this.prefills--;
        this.reachedTokens -= slots.passPrior[slot] + promptTokens;
        this.priorTokens -= slots.passPrior[slot];
      }
    }
    if (!this.collecting) return;
    if (promptTokens > 0) {
      this.metrics.prefill.remove(slots.prompt[slot]);
      this.metrics.prefillTokens -= used;
      this.metrics.prefillKvTokens -= slots.passPrior[slot];
    } else if (slots.length[slot] < slots.stop[slot]) {
      this.metrics.decode.remove(slots.length[slot]);
    }
  }
};

// lib/engine/vllm/preemption.ts
var Preemption = class {
  /** So far. */
  count = 0;
  #rankId;
  #requests;
  #batch;
  #lastFirst;
  #blocks;
  /** Since a token was emitted or a request came or went. */
  #withoutOutput = 0;
  constructor(rankId, requests2, batch, settings) {
    this.#rankId = rankId;
    this.#requests = requests2;
    this.#batch = batch;
    this.#lastFirst = settings.preemption === "lifo";
    this.#blocks = settings.blocks;
  }
  /** Something came of the blocks that were taken. */
  progressed() {
    this.#withoutOutput = 0;
  }
  /** Preempts one running request; returns its slot, -1 when there is none. */
  preempt() {
    const { running, waiting, tables } = this.#requests;
    if (running.count === 0) return -1;
    if (tables.promises !== null) throw new SimulationError(`rank ${this.#rankId} lacks blocks it has promised`);
    const index = this.#lastFirst ? running.count - 1 : 0, slot = running.slots[index];
    this.#requests.preempt(index);
    this.#batch.preempted = true;
    this.count++;
    if (++this.#withoutOutput > 1e3 + 4 * (running.count + waiting.size)) {
      throw new SimulationError(`offline replay makes no progress: rank ${this.#rankId} preempted ${this.#withoutOutput} times without emitting a token (${this.#requests.owned} requests in flight); its KV pool of ${this.#blocks} blocks is too small`);
    }
    return slot;
  }
};

// lib/engine/blocks/copies.ts
var Copies = class {
  /** Copies by cell, oldest first. */
  #ofCell = /* @__PURE__ */ new Map();
  /** Copies that slots hold, by slot and block of its table. */
  #held = /* @__PURE__ */ new Map();
  /** Copies nobody holds, by the number they have in the eviction order. */
  #released = /* @__PURE__ */ new Map();
  #next = 0;
  /** Whether some block is resident more than once. */
  get any() {
    return this.#ofCell.size > 0;
  }
  /** A slot's block becomes a further copy of a cell. */
  add(slot, block, cell) {
    const copy = {
      cell,
      refs: 1,
      stamp: 0,
      promoted: false
    };
    const others = this.#ofCell.get(cell);
    if (others === void 0) this.#ofCell.set(cell, [
      copy
    ]);
    else others.push(copy);
    let held = this.#held.get(slot);
    if (held === void 0) this.#held.set(slot, held = /* @__PURE__ */ new Map());
    held.set(block, copy);
  }
  /** Whether a slot holds copies. */
  heldBy(slot) {
    return this.#held.size > 0 && this.#held.has(slot);
  }
  /** The copy a slot holds as a block of its table. */
  held(slot, block) {
    return this.#held.get(slot)?.get(block);
  }
  /** A slot has given up all blocks. */
  forget(slot) {
    this.#held.delete(slot);
  }
  /** Nobody holds a copy any more; returns its number in the eviction order. */
  release(copy, stamp) {
    copy.refs = 0;
    copy.stamp = stamp;
    this.#released.set(this.#next, copy);
    return this.#next++;
  }
  /** The copy of a number in the eviction order. */
  released(number) {
    return this.#released.get(number);
  }
  /** A number in the eviction order is used up. */
  forgetReleased(number) {
    this.#released.delete(number);
  }
  /** Takes a copy out for good. */
  remove(copy) {
    const others = this.#ofCell.get(copy.cell);
    others.splice(others.indexOf(copy), 1);
    if (others.length === 0) this.#ofCell.delete(copy.cell);
  }
  /** A cell goes: its oldest further copy takes its place; undefined when it has none. */
  promote(cell) {
    if (this.#ofCell.size === 0) return void 0;
    const others = this.#ofCell.get(cell), copy = others?.shift();
    if (copy === void 0) return void 0;
    if (others.length === 0) this.#ofCell.delete(cell);
    copy.promoted = true;
    return copy;
  }
};

// lib/engine/blocks/frames.ts
var RESIDENT = 0;
var REFS = 1;
var STAMP = 2;
var CELL = 3;
var EDGE = 4;
var FIELDS = 5;
var Frames = class _Frames {
  /** Blocks that a frame has at most. */
  mostBlocks;
  fields = new Int32Array(FEW * FIELDS);
  /** Holders and place in the eviction order of every cell. */
  cellRefs;
  cellStamp;
  /** Edges whose resident part changed since the log was last taken, each before its new length; null when nobody listens. */
  changes = null;
  /** Edges of one block come in runs of neighbours, longer ones alone. */
  #ofEdge;
  #ofRequest = /* @__PURE__ */ new Map();
  #used = 0;
  #spare = [];
  /** Frames that are split, by number of their cells / `mostBlocks`. */
  #owners = new Int32Array(1);
  #split = 0;
  #spareCells = [];
  constructor(mostBlocks) {
    this.mostBlocks = mostBlocks;
    this.#ofEdge = mostBlocks > 1 ? new IntMap() : new RunMap();
    this.cellRefs = new Int32Array(mostBlocks);
    this.cellStamp = new Int32Array(mostBlocks);
  }
  /** The frame of a prompt edge, -1 when nothing of it is resident. */
  of(edge) {
    return this.#ofEdge.get(edge);
  }
  /** The frame of a prompt edge, an empty one when nothing of it is resident. */
  open(edge) {
    let frame = this.#ofEdge.get(edge);
    if (frame < 0) this.#ofEdge.add(edge, frame = this.#new(edge));
    return frame;
  }
  /** The frame of a request's generated blocks number `at`, an empty one when there is none. */
  openGenerated(owner, at) {
    let frame = owner.frames[at] ?? -1;
    if (frame < 0) {
      owner.frames[at] = frame = this.#new(-1);
      this.#ofRequest.set(frame, {
        owner,
        at
      });
    }
    return frame;
  }
  /** Gives a frame more resident blocks. */
  extend(frame, blocks) {
    this.fields[frame + RESIDENT] = blocks;
    if (this.changes !== null) this.#note(this.changes, this.fields[frame + EDGE], blocks);
  }
  /** Leaves a frame its first `blocks` blocks; without any it is free for another edge. */
  shrink(frame, blocks) {
    this.extend(frame, blocks);
    if (blocks === 0) this.#close(frame);
  }
  /** From here on the blocks of a frame are counted one by one, in cells; returns the first. */
  split(frame) {
    const { fields, mostBlocks } = this, cell = fields[frame + CELL];
    if (cell >= 0) return cell;
    const number = this.#spareCells.pop() ?? this.#split++, first = number * mostBlocks, end = first + mostBlocks;
    this.#owners = reaching(this.#owners, number);
    this.cellRefs = reaching(this.cellRefs, end - 1);
    this.cellStamp = reaching(this.cellStamp, end - 1);
    this.#owners[number] = frame;
    fields[frame + CELL] = first;
    const resident = first + fields[frame + RESIDENT];
    this.cellRefs.fill(fields[frame + REFS], first, resident);
    this.cellStamp.fill(fields[frame + STAMP], first, resident);
    this.cellStamp.fill(0, resident, end);
    return first;
  }
  /** The frame that a cell belongs to. */
  ownerOf(cell) {
    return this.#owners[Math.floor(cell / this.mostBlocks)];
  }
  #close(frame) {
    const edge = this.fields[frame + EDGE], cell = this.fields[frame + CELL];
    if (edge >= 0) {
      this.#ofEdge.delete(edge);
    } else {
      const { owner, at } = this.#ofRequest.get(frame);
      owner.frames[at] = -1;
      this.#ofRequest.delete(frame);
    }
    if (cell >= 0) this.#spareCells.push(cell / this.mostBlocks);
    this.#spare.push(frame);
  }
  #new(edge) {
    let frame = this.#spare.pop();
    if (frame === void 0) {
      frame = this.#used;
      this.#used += FIELDS;
      if (this.#used > this.fields.length) this.#grow();
    }
    const { fields } = this;
    fields[frame + RESIDENT] = fields[frame + REFS] = fields[frame + STAMP] = 0;
    fields[frame + CELL] = -1;
    fields[frame + EDGE] = edge;
    return frame;
  }
  #grow() {
    this.fields = longer(this.fields);
  }
  static {
    const frames = new _Frames(2);
    frames.#grow();
    frames.split(frames.open(0));
  }
  /** Notes the resident length of an edge; block after block of one edge is one change. */
  #note(changes, edge, blocks) {
    if (edge < 0) return;
    const last = changes.count - 2;
    if (last >= 0 && changes.slots[last] === edge) {
      changes.slots[last + 1] = blocks;
      return;
    }
    changes.add(edge);
    changes.add(blocks);
  }
};

// lib/engine/blocks/eviction_order.ts
var ANONYMOUS = -1;
var COPY = -2;
var FRAME = 0;
var LOW = 1;
var HIGH = 2;
var RELEASED = 3;
var FIELDS2 = 4;
var FIRST = 16;
var EvictionOrder = class _EvictionOrder {
  #ring = new Int32Array(FIRST * FIELDS2);
  #frames;
  #copies;
  #mask = FIRST - 1;
  #head = 0;
  #tail = 0;
  constructor(frames, copies) {
    this.#frames = frames;
    this.#copies = copies;
  }
  /** Puts released blocks behind all others; of one entry the highest go first. */
  append(frame, low, high, stamp) {
    if (this.#tail - this.#head > this.#mask) this.#makeRoom();
    const ring = this.#ring, at = (this.#tail++ & this.#mask) * FIELDS2;
    ring[at + FRAME] = frame;
    ring[at + LOW] = low;
    ring[at + HIGH] = high;
    ring[at + RELEASED] = stamp;
  }
  /** Evicts blocks, those that were released longest ago first; so many are evictable. */
  evict(count) {
    const ring = this.#ring, frames = this.#frames, fields = frames.fields;
    while (count > 0) {
      const at = (this.#head & this.#mask) * FIELDS2, frame = ring[at + FRAME];
      if (frame >= 0 && fields[frame + CELL] < 0) {
        if (fields[frame + STAMP] !== ring[at + RELEASED]) {
          this.#head++;
          continue;
        }
        const blocks = ring[at + HIGH] + 1, taken = Math.min(count, blocks);
        count -= taken;
        ring[at + HIGH] = blocks - taken - 1;
        if (taken === blocks) this.#head++;
        frames.shrink(frame, blocks - taken);
      } else if (frame >= 0) {
        count = this.#evictCells(at, count);
      } else if (frame === ANONYMOUS) {
        const taken = Math.min(count, ring[at + HIGH]);
        ring[at + HIGH] -= taken;
        count -= taken;
        if (ring[at + HIGH] === 0) this.#head++;
      } else {
        count -= this.#evictCopy(at);
      }
    }
  }
  /** Evicts up to `count` cells of the first entry; returns how many are left to evict. */
  #evictCells(at, count) {
    const ring = this.#ring, frames = this.#frames, stamp = ring[at + RELEASED], low = ring[at + LOW];
    const frame = ring[at + FRAME], first = frames.fields[frame + CELL];
    let high = ring[at + HIGH];
    for (; high >= low && count > 0; high--) {
      if (frames.cellStamp[first + high] !== stamp) continue;
      this.#evictCell(frame, first, high);
      count--;
    }
    if (high < low) this.#head++;
    else ring[at + HIGH] = high;
    return count;
  }
  /** Evicts the further copy that the first entry is, if nobody holds it again; returns how many blocks that frees. */
  #evictCopy(at) {
    const frames = this.#frames, copies = this.#copies, number = this.#ring[at + LOW], copy = copies.released(number);
    copies.forgetReleased(number);
    this.#head++;
    if (!copy.promoted) {
      copies.remove(copy);
      return 1;
    }
    if (frames.cellStamp[copy.cell] !== this.#ring[at + RELEASED]) return 0;
    const frame = frames.ownerOf(copy.cell), first = frames.fields[frame + CELL];
    this.#evictCell(frame, first, copy.cell - first);
    return 1;
  }
  #evictCell(frame, first, at) {
    const frames = this.#frames, cell = first + at, copy = this.#copies.promote(cell);
    frames.cellStamp[cell] = 0;
    if (copy === void 0) {
      frames.shrink(frame, at);
    } else {
      frames.cellRefs[cell] = copy.refs;
      frames.cellStamp[cell] = copy.stamp;
    }
  }
  /** Drops entries that hold nothing evictable any more; doubles the ring when most still do. */
  #makeRoom() {
    const size = this.#mask + 1, old = this.#ring;
    const kept = [];
    for (let i = this.#head; i < this.#tail; i++) {
      const at = (i & this.#mask) * FIELDS2;
      if (this.#stillEvictable(at)) kept.push(at);
    }
    const larger = kept.length > size / 2 ? size * 2 : size, ring = new Int32Array(larger * FIELDS2);
    for (let i = 0; i < kept.length; i++) {
      for (let field = 0; field < FIELDS2; field++) ring[i * FIELDS2 + field] = old[kept[i] + field];
    }
    this.#ring = ring;
    this.#mask = larger - 1;
    this.#head = 0;
    this.#tail = kept.length;
  }
  static {
    new _EvictionOrder(new Frames(1), new Copies()).#makeRoom();
  }
  #stillEvictable(at) {
    const ring = this.#ring, { fields, cellStamp } = this.#frames;
    const frame = ring[at + FRAME], low = ring[at + LOW], stamp = ring[at + RELEASED];
    if (frame === ANONYMOUS) return true;
    if (frame === COPY) {
      const copy = this.#copies.released(low);
      if (!copy.promoted || cellStamp[copy.cell] === stamp) return true;
      this.#copies.forgetReleased(low);
      return false;
    }
    const first = fields[frame + CELL];
    if (first < 0) return fields[frame + STAMP] === stamp;
    for (let i = low; i <= ring[at + HIGH]; i++) if (cellStamp[first + i] === stamp) return true;
    return false;
  }
};

// lib/engine/blocks/block_pool.ts
var BlockPool = class {
  capacity;
  /** Blocks without content. */
  free;
  /** Cached blocks nobody holds, evictable. */
  inactive = 0;
  /** Result of the last `lookup`: leading resident blocks, and how many of them are held by somebody. */
  overlap = 0;
  activeHits = 0;
  #index;
  #caching;
  #frames;
  #copies = new Copies();
  #order;
  /** Stamp of the last release. */
  #clock = 0;
  /** By slot: its request, and how many blocks of its path in the prompt index are known contents. */
  #request = new Int32Array(FEW);
  #known = new Int32Array(FEW);
  #generated = /* @__PURE__ */ new Map();
  constructor(capacity, index, caching) {
    this.capacity = capacity;
    this.free = capacity;
    this.#index = index;
    this.#caching = caching;
    this.#frames = new Frames(index.mostBlocks);
    this.#order = new EvictionOrder(this.#frames, this.#copies);
  }
  /** Blocks somebody holds. */
  get active() {
    return this.capacity - this.free - this.inactive;
  }
  /** Blocks that can be had without taking any from a request. */
  get available() {
    return this.free + this.inactive;
  }
  /** Whether some identity is resident more than once. */
  get hasCopies() {
    return this.#copies.any;
  }
  /** Edges whose resident part changed since the log was last taken, each before its new length; null when nobody listens. */
  get changes() {
    return this.#frames.changes;
  }
  set changes(changes) {
    this.#frames.changes = changes;
  }
  /** Gives a slot the prompt of a request. */
  open(slot, request) {
    this.#request = reaching(this.#request, slot);
    this.#known = reaching(this.#known, slot);
    this.#request[slot] = request;
    this.#known[slot] = this.#caching ? this.#index.knownBlocks(request) : 0;
  }
  /** Forgets a slot that holds nothing. */
  close(slot) {
    if (this.#generated.size > 0) this.#generated.delete(slot);
  }
  /** Finds how many of the slot's first `blocks` blocks are resident; sets `overlap` and `activeHits`. */
  lookup(slot, blocks) {
    this.overlap = 0;
    this.activeHits = 0;
    if (!this.#caching) return;
    const index = this.#index, { edges, edgeBlocks } = index, known = Math.min(blocks, this.#known[slot]);
    const frames = this.#frames, fields = frames.fields, refs = frames.cellRefs;
    let overlap = 0, active = 0;
    for (let at = index.start[this.#request[slot]]; overlap < known; at++) {
      const edge = edges[at], frame = frames.of(edge);
      if (frame < 0) break;
      const wanted = Math.min(edgeBlocks[edge], known - overlap), take = Math.min(wanted, fields[frame + RESIDENT]);
      const first = fields[frame + CELL];
      if (first >= 0) {
        for (let cell = first, end = cell + take; cell < end; cell++) if (refs[cell] > 0) active++;
      } else if (fields[frame + REFS] > 0) active += take;
      overlap += take;
      if (take < wanted) break;
    }
    if (overlap === known && blocks > known) {
      for (; overlap < blocks; overlap++) {
        const cell = this.#generatedCell(slot, overlap - known);
        if (cell < 0) break;
        if (refs[cell] > 0) active++;
      }
    }
    this.overlap = overlap;
    this.activeHits = active;
  }
  /**
   * Takes blocks for a slot, all or nothing: its first `hits` blocks by holding the resident ones, and `fresh` ones
   * without content, evicting what was released longest ago where free blocks do not suffice.
   */
  allocate(slot, hits, fresh) {
    const evictions = fresh - this.free;
    if (evictions > 0) {
      if (evictions > this.inactive) return false;
      if (hits > 0 && evictions > this.inactive - hits && evictions > this.inactive - this.#inactiveAmong(slot, hits)) {
        return false;
      }
    }
    if (hits > 0) this.#hold(slot, hits);
    this.take(fresh);
    return true;
  }
  /** Takes `fresh` blocks that are known to be available. */
  take(fresh) {
    const free = Math.min(fresh, this.free);
    this.free -= free;
    this.#evict(fresh - free);
  }
  /** The slot's blocks `from .. to - 1`, which it holds without content so far, are complete: others may reuse them. */
  finalise(slot, from, to) {
    if (!this.#caching) return;
    const known = this.#known[slot], end = Math.min(to, known);
    if (from < end) this.#finaliseKnown(slot, from, end);
    if (known < to && this.#generated.size > 0) this.#finaliseGenerated(slot, to);
  }
  #finaliseKnown(slot, from, to) {
    const index = this.#index, frames = this.#frames, { edges, edgeBlocks } = index;
    let at = index.locate(this.#request[slot], from), first = index.firstBlock;
    for (let block = from; block < to; at++) {
      const edge = edges[at], frame = frames.open(edge), fields = frames.fields, resident = fields[frame + RESIDENT];
      const end = first + edgeBlocks[edge], next2 = Math.min(end, to);
      if (resident !== block - first) {
        for (let b = block; b < next2; b++) this.#complete(slot, b, frame, b - first);
      } else if (fields[frame + CELL] < 0 && (resident === 0 || fields[frame + REFS] === 1)) {
        fields[frame + REFS] = 1;
        fields[frame + STAMP] = 0;
        frames.extend(frame, next2 - first);
      } else {
        const cell = frames.split(frame);
        frames.cellRefs.fill(1, cell + resident, cell + next2 - first);
        frames.cellStamp.fill(0, cell + resident, cell + next2 - first);
        frames.extend(frame, next2 - first);
      }
      block = next2;
      first = end;
    }
  }
  /**
   * Returns what a slot holds: its blocks `0 .. held - 1`, of which the first `complete` are finalised. The last block
   * goes first, so that a prompt's tail is evicted before its head.
   */
  release(slot, held, complete) {
    if (!this.#caching) {
      this.free += held;
      return;
    }
    this.free += held - complete;
    const known = this.#known[slot], stamp = ++this.#clock;
    const generated = this.#generated.size > 0 ? this.#generated.get(slot) : void 0;
    if (generated !== void 0) this.#finaliseGenerated(slot, complete);
    if (generated !== void 0 || this.#copies.heldBy(slot)) {
      for (let block = complete - 1; block >= 0; block--) this.#releaseOne(slot, block, stamp);
      if (generated !== void 0) generated.done = known;
      this.#copies.forget(slot);
      return;
    }
    if (complete > known) {
      this.#order.append(ANONYMOUS, 0, complete - known, stamp);
      this.inactive += complete - known;
    }
    const blocks = Math.min(complete, known);
    if (blocks > 0) this.inactive += this.#releaseKnown(slot, blocks, stamp);
  }
  /** Releases a slot's first `blocks` blocks, of known content and without copies; returns how many nobody holds any more. */
  #releaseKnown(slot, blocks, stamp) {
    const index = this.#index, frames = this.#frames, fields = frames.fields, { edges, edgeBlocks } = index;
    let at = index.locate(this.#request[slot], blocks - 1), first = index.firstBlock, top = blocks - first, freed = 0;
    for (; ; ) {
      const frame = frames.of(edges[at]);
      if (fields[frame + CELL] < 0 && fields[frame + RESIDENT] === top) {
        if (--fields[frame + REFS] === 0) {
          fields[frame + STAMP] = stamp;
          freed += top;
          this.#order.append(frame, 0, top - 1, stamp);
        }
      } else {
        freed += this.#releaseCells(frame, top, stamp);
      }
      if (first === 0) return freed;
      top = edgeBlocks[edges[--at]];
      first -= top;
    }
  }
  /** Releases the first `blocks` blocks of a frame one by one. */
  #releaseCells(frame, blocks, stamp) {
    const frames = this.#frames, first = frames.split(frame), refs = frames.cellRefs, stamps = frames.cellStamp;
    let freed = 0, high = -1;
    for (let at = blocks - 1; at >= 0; at--) {
      if (--refs[first + at] === 0) {
        stamps[first + at] = stamp;
        freed++;
        if (high < 0) high = at;
      } else if (high >= 0) {
        this.#order.append(frame, at + 1, high, stamp);
        high = -1;
      }
    }
    if (high >= 0) this.#order.append(frame, 0, high, stamp);
    return freed;
  }
  /** Before a preempted slot is released: its complete generated blocks get frames, so that it can find them again. */
  rememberGenerated(slot, complete) {
    if (!this.#caching || complete <= this.#known[slot] || this.#generated.has(slot)) return;
    this.#generated.set(slot, {
      frames: [],
      done: this.#known[slot]
    });
    this.#finaliseGenerated(slot, complete);
  }
  /** Resident blocks of a prompt edge. */
  residentOn(edge) {
    const frame = this.#frames.of(edge);
    return frame < 0 ? 0 : this.#frames.fields[frame + RESIDENT];
  }
  // Cells and copies.
  #generatedCell(slot, ordinal) {
    const frames = this.#frames, generated = this.#generated.get(slot);
    if (generated === void 0) return -1;
    const step = Math.floor(ordinal / frames.mostBlocks), at = ordinal - step * frames.mostBlocks;
    const frame = generated.frames[step] ?? -1;
    return frame < 0 || frames.fields[frame + RESIDENT] <= at ? -1 : frames.fields[frame + CELL] + at;
  }
  /** Puts the generated blocks below `to` into frames, for a slot that was preempted once. */
  #finaliseGenerated(slot, to) {
    const generated = this.#generated.get(slot), { mostBlocks } = this.#frames;
    if (generated === void 0) return;
    for (; generated.done < to; generated.done++) {
      const ordinal = generated.done - this.#known[slot], step = Math.floor(ordinal / mostBlocks);
      const frame = this.#frames.openGenerated(generated, step);
      this.#complete(slot, generated.done, frame, ordinal - step * mostBlocks);
    }
  }
  /** One block of a frame gets content: the frame's next one, or a further copy of one that is resident. */
  #complete(slot, block, frame, at) {
    const frames = this.#frames, cell = frames.split(frame) + at;
    if (frames.fields[frame + RESIDENT] === at) {
      frames.cellRefs[cell] = 1;
      frames.cellStamp[cell] = 0;
      frames.extend(frame, at + 1);
    } else {
      this.#copies.add(slot, block, cell);
    }
  }
  #releaseOne(slot, block, stamp) {
    const known = this.#known[slot], frames = this.#frames;
    if (block >= known && !this.#generated.has(slot)) {
      this.#order.append(ANONYMOUS, 0, 1, stamp);
      this.inactive++;
      return;
    }
    const copy = this.#copies.held(slot, block);
    if (copy !== void 0 && !copy.promoted) {
      this.#order.append(COPY, this.#copies.release(copy, stamp), 0, stamp);
      this.inactive++;
      return;
    }
    let cell;
    if (copy !== void 0) {
      cell = copy.cell;
    } else if (block >= known) {
      cell = this.#generatedCell(slot, block - known);
    } else {
      const index = this.#index, at = index.locate(this.#request[slot], block);
      cell = frames.split(frames.of(index.edges[at])) + block - index.firstBlock;
    }
    if (--frames.cellRefs[cell] === 0) {
      const frame = frames.ownerOf(cell), at = cell - frames.fields[frame + CELL];
      frames.cellStamp[cell] = stamp;
      this.#order.append(frame, at, at, stamp);
      this.inactive++;
    }
  }
  #hold(slot, blocks) {
    const index = this.#index, frames = this.#frames, fields = frames.fields, { edges, edgeBlocks } = index;
    const known = Math.min(blocks, this.#known[slot]);
    let block = 0, reclaimed = 0;
    for (let at = index.start[this.#request[slot]]; block < known; at++) {
      const edge = edges[at], frame = frames.of(edge), held = Math.min(edgeBlocks[edge], known - block);
      if (fields[frame + CELL] < 0 && fields[frame + RESIDENT] === held) {
        if (fields[frame + REFS]++ === 0) {
          fields[frame + STAMP] = 0;
          reclaimed += held;
        }
      } else {
        const cell = frames.split(frame);
        for (let at2 = cell; at2 < cell + held; at2++) reclaimed += this.#holdCell(at2);
      }
      block += held;
    }
    if (block < blocks) this.#generated.get(slot).done = blocks;
    for (; block < blocks; block++) reclaimed += this.#holdCell(this.#generatedCell(slot, block - known));
    this.inactive -= reclaimed;
  }
  /** Holds a cell once more; returns how many blocks nobody held before. */
  #holdCell(cell) {
    const frames = this.#frames;
    if (frames.cellRefs[cell]++ > 0) return 0;
    frames.cellStamp[cell] = 0;
    return 1;
  }
  #evict(blocks) {
    this.inactive -= blocks;
    this.#order.evict(blocks);
  }
  /** How many of a slot's first `blocks` blocks, all of them resident, nobody holds. */
  #inactiveAmong(slot, blocks) {
    const index = this.#index, frames = this.#frames, { fields, cellRefs } = frames, { edges, edgeBlocks } = index;
    const known = Math.min(blocks, this.#known[slot]);
    let block = 0, inactive = 0;
    for (let at = index.start[this.#request[slot]]; block < known; at++) {
      const edge = edges[at], frame = frames.of(edge), cell = fields[frame + CELL];
      const wanted = Math.min(edgeBlocks[edge], known - block);
      if (cell >= 0) {
        for (let at2 = cell; at2 < cell + wanted; at2++) if (cellRefs[at2] === 0) inactive++;
      } else if (fields[frame + REFS] === 0) inactive += wanted;
      block += wanted;
    }
    for (; block < blocks; block++) if (cellRefs[this.#generatedCell(slot, block - known)] === 0) inactive++;
    return inactive;
  }
};

// lib/engine/destinations.ts
var Destinations = class {
  #slots = /* @__PURE__ */ new Map();
  #pending = [];
  /** The oldest pending one was tried, and nothing has become free since. */
  #tried = false;
  /** All of them, pending and reserved. */
  get size() {
    return this.#slots.size;
  }
  get pending() {
    return this.#pending.length;
  }
  offer(request, slot) {
    this.#slots.set(request, slot);
    this.#pending.push(slot);
    if (this.#pending.length === 1) this.#tried = false;
  }
  /** The oldest pending slot, to be tried once; -1 when there is none, or no reason to try it again. */
  tryNext() {
    if (this.#pending.length === 0 || this.#tried) return -1;
    this.#tried = true;
    return this.#pending[0];
  }
  /** The oldest pending one got its blocks: it is reserved. */
  granted() {
    this.#pending.shift();
    this.#tried = false;
  }
  /** Blocks or places may have become free: another try is worth it. */
  freed() {
    this.#tried = false;
  }
  /** The KV of a reserved one is there: it is awaited no more. Returns its slot. */
  activate(request) {
    const slot = this.#slots.get(request);
    this.#slots.delete(request);
    return slot;
  }
  /** Slot of a request, -1 when it is not awaited. */
  slotOf(request) {
    return this.#slots.get(request) ?? -1;
  }
  isPending(slot) {
    return this.#pending.includes(slot);
  }
  /** Forgets a request, pending or reserved. */
  remove(request) {
    const at = this.#pending.indexOf(this.activate(request));
    if (at >= 0) this.#pending.splice(at, 1);
    if (at === 0) this.#tried = false;
  }
};

// lib/engine/vllm/block_tables.ts
var BlockTables = class {
  pool;
  /** Requests are promised all their blocks at admission, and cached prompts are reused whole. */
  promises;
  /** Result of the last `lookup`, in tokens: the prefix that need not be computed, and what of it somebody holds. */
  cachedTokens = 0;
  sharedTokens = 0;
  #slots;
  #block;
  #blocks;
  #bursts;
  /** Where `settings.acceptRates` predict tokens, one cached block fewer can be reused. */
  constructor(settings, slots, pool, promises) {
    this.pool = pool;
    this.promises = promises;
    this.#slots = slots;
    this.#block = settings.blockTokens;
    this.#blocks = settings.blocks;
    this.#bursts = settings.acceptRates !== null;
  }
  /** Blocks that cover `tokens`. */
  blocks(tokens) {
    return Math.ceil(tokens / this.#block);
  }
  /** Blocks that `tokens` fill. */
  fullBlocks(tokens) {
    return Math.floor(tokens / this.#block);
  }
  /** Finds the cached prefix of a request that holds nothing; sets `cachedTokens` and `sharedTokens`. */
  lookup(slot) {
    const slots = this.#slots, block = this.#block, length = slots.length[slot];
    this.pool.lookup(slot, slots.identified[slot]);
    let cached = Math.min(this.pool.overlap * block, length);
    let shared = Math.min(this.pool.activeHits * block, length);
    if (length < slots.outputEnd[slot] && this.promises === null) {
      const limit = Math.floor((length - 1) / block) * block;
      cached = Math.min(cached, limit);
      shared = Math.min(shared, limit);
      if (this.#bursts && cached >= block) {
        cached -= block;
        shared = Math.min(shared, cached);
      }
    }
    this.cachedTokens = cached;
    this.sharedTokens = shared;
  }
  /** Whether a waiting request could be admitted if it were alone. */
  possible(slot) {
    const { length, outputEnd } = this.#slots;
    return this.promises?.possible(outputEnd[slot]) ?? this.blocks(length[slot]) <= this.#blocks;
  }
  /** Whether a waiting request, the last one looked up, fits beside those that run. */
  fits(slot) {
    const { length, outputEnd } = this.#slots, available = this.pool.available;
    const shared = this.fullBlocks(this.sharedTokens);
    return this.promises?.fits(outputEnd[slot], shared, available) ?? this.blocks(length[slot]) - shared <= available;
  }
  /** Blocks for a slot through `target` tokens, the first `cached` of them from the cache; all or nothing. */
  grow(slot, target, cached) {
    const held = this.blocks(this.#slots.allocated[slot]), hits = this.fullBlocks(cached);
    const more = this.blocks(target) - held;
    if (more > 0 && !this.pool.allocate(slot, hits, more - hits)) return false;
    this.promises?.redeem(more);
    this.#slots.allocated[slot] = target;
    return true;
  }
  /** Takes blocks that are known to be available, for requests that run. */
  take(blocks) {
    this.pool.take(blocks);
    this.promises?.redeem(blocks);
  }
  /** Undoes `take` of blocks that were not needed. */
  putBack(blocks) {
    this.pool.free += blocks;
    this.promises?.redeem(-blocks);
  }
  /** Tokens `before .. after - 1` of a slot have KV now: the blocks they complete can be shared. */
  complete(slot, before, after) {
    const from = this.fullBlocks(before), to = this.fullBlocks(after);
    if (to > from) this.pool.finalise(slot, from, to);
  }
  /** Gives a slot blocks for its prompt, all or nothing; returns how many have to be transferred, -1 when it got none. */
  reserve(slot) {
    const slots = this.#slots, prompt = slots.prompt[slot], end = slots.outputEnd[slot], promises = this.promises;
    if (promises?.fits(end, 0, this.pool.available) === false) return -1;
    this.pool.lookup(slot, promises === null ? slots.identified[slot] : 0);
    const hits = this.pool.overlap, missing = this.blocks(prompt) - hits;
    if (!this.pool.allocate(slot, hits, missing)) return -1;
    promises?.give(end, missing);
    slots.allocated[slot] = prompt;
    slots.computed[slot] = hits * this.#block;
    return missing;
  }
  /** The slot needs no more blocks than it holds. */
  takeBackPromise(slot) {
    this.promises?.takeBack(this.#slots.outputEnd[slot], this.blocks(this.#slots.allocated[slot]));
  }
  /** Gives up all blocks of a slot. */
  release(slot) {
    const { allocated, computed } = this.#slots;
    this.pool.release(slot, this.blocks(allocated[slot]), this.fullBlocks(computed[slot]));
  }
  /** Gives up all blocks of a slot that will run again: it can find those with content by then. */
  preempt(slot) {
    const slots = this.#slots, complete = this.fullBlocks(slots.computed[slot]);
    slots.identified[slot] = Math.max(slots.identified[slot], complete);
    this.pool.rememberGenerated(slot, complete);
    this.release(slot);
    slots.computed[slot] = slots.allocated[slot] = 0;
  }
};

// lib/engine/vllm/slots.ts
var Slots2 = class _Slots {
  request = new Int32Array(FEW);
  /** Prompt tokens. */
  prompt = new Int32Array(FEW);
  /** Known tokens at which the request is complete for its output limit alone. */
  outputEnd = new Int32Array(FEW);
  /** Known tokens at which it stops: `outputEnd` or the model's limit, whichever comes first. */
  stop = new Int32Array(FEW);
  /** Known tokens: prompt and generated ones. */
  length = new Int32Array(FEW);
  /** Tokens whose KV exists. */
  computed = new Int32Array(FEW);
  /** Tokens its blocks were asked to cover. */
  allocated = new Int32Array(FEW);
  /** Leading blocks of its table that have an identity. */
  identified = new Int32Array(FEW);
  /** Arrival ordinal in the rank. */
  ordinal = new Float64Array(FEW);
  /** Rank among running requests: later admissions are larger. */
  order = new Float64Array(FEW);
  /** 1 for a request that was preempted and not admitted again. */
  preempted = new Uint8Array(FEW);
  /** 1 while it emits in every pass. */
  steady = new Uint8Array(FEW);
  /** Pass in which it was scheduled last, and what it got there. */
  passOf = new Int32Array(FEW);
  passTokens = new Int32Array(FEW);
  passPrompt = new Int32Array(FEW);
  passPrior = new Int32Array(FEW);
  /** Drafted tokens that pass verifies. */
  drafts = new Int32Array(FEW);
  /** 1 from a preemption to the next token: its drafts are lost. */
  again = new Uint8Array(FEW);
  #size = FEW;
  #next = 0;
  #opened = 0;
  #spare = [];
  /** Takes a slot for a request that nothing has been done for yet. */
  open(request, prompt, output, maxModelTokens) {
    const slot = this.#spare.pop() ?? this.#next++;
    if (slot === this.#size) this.#grow();
    this.request[slot] = request;
    this.prompt[slot] = prompt;
    this.outputEnd[slot] = prompt + output;
    this.stop[slot] = Math.min(prompt + output, maxModelTokens);
    this.length[slot] = prompt;
    this.computed[slot] = this.allocated[slot] = this.identified[slot] = 0;
    this.ordinal[slot] = this.#opened++;
    this.preempted[slot] = this.steady[slot] = 0;
    this.passOf[slot] = -1;
    this.drafts[slot] = this.again[slot] = 0;
    return slot;
  }
  close(slot) {
    this.#spare.push(slot);
  }
  /** All of the prompt has KV. */
  hasPrompt(slot) {
    const prompt = this.prompt[slot];
    return this.steady[slot] === 1 || this.computed[slot] >= prompt && this.allocated[slot] >= prompt;
  }
  #grow() {
    this.#size *= 2;
    this.request = longer(this.request);
    this.prompt = longer(this.prompt);
    this.outputEnd = longer(this.outputEnd);
    this.stop = longer(this.stop);
    this.length = longer(this.length);
    this.computed = longer(this.computed);
    this.allocated = longer(this.allocated);
    this.identified = longer(this.identified);
    this.ordinal = longer(this.ordinal);
    this.order = longer(this.order);
    this.preempted = longer(this.preempted);
    this.steady = longer(this.steady);
    this.passOf = longer(this.passOf);
    this.passTokens = longer(this.passTokens);
    this.passPrompt = longer(this.passPrompt);
    this.passPrior = longer(this.passPrior);
    this.drafts = longer(this.drafts);
    this.again = longer(this.again);
  }
  static {
    new _Slots().#grow();
  }
};

// lib/engine/vllm/wait_list.ts
var WaitList2 = class {
  /** Prompt lengths of requests that never ran; none on decode ranks. */
  fresh = new LengthSums();
  /** Lengths of preempted requests; on decode ranks, prompt lengths of all that do not run, destinations included. */
  begun = new LengthSums();
  /** The head cannot be admitted before somebody ends or is preempted. */
  headBlocked = false;
  #queue = new IntDeque();
  #slots;
  #decodes;
  constructor(slots, decodes) {
    this.#slots = slots;
    this.#decodes = decodes;
  }
  get size() {
    return this.#queue.size;
  }
  at(position) {
    return this.#queue.at(position);
  }
  /** A request arrived. */
  add(slot) {
    this.#queue.pushBack(slot);
    this.fresh.add(this.#slots.prompt[slot]);
  }
  /** A request that ran starts over, before all others. */
  addPreempted(slot) {
    this.#queue.pushFront(slot);
    this.begun.add(this.#lengthOf(slot));
  }
  /** A destination waits for its KV; it counts, but has no place in the queue yet. */
  countDestination(slot) {
    this.begun.add(this.#slots.prompt[slot]);
    this.headBlocked = false;
  }
  /** A destination that waited for its KV is gone. */
  forgetDestination(slot) {
    this.begun.remove(this.#slots.prompt[slot]);
  }
  /** The KV of a destination is there: it waits in the order in which requests came to the rank. */
  addActivated(slot) {
    const { ordinal } = this.#slots;
    let position = 0;
    while (position < this.size && ordinal[this.at(position)] < ordinal[slot]) position++;
    this.#queue.insert(position, slot);
    this.headBlocked = false;
  }
  /** Takes out the request at `position`. */
  remove(position) {
    const slot = position === 0 ? this.#queue.popFront() : this.#queue.remove(position);
    if (this.#decodes || this.#slots.preempted[slot] === 1) this.begun.remove(this.#lengthOf(slot));
    else this.fresh.remove(this.#slots.prompt[slot]);
  }
  /** Position of the first request whose prompt has KV, `size` without any. */
  firstComputed() {
    let position = 0;
    while (position < this.size && !this.#slots.hasPrompt(this.at(position))) position++;
    return position;
  }
  /** Position of a request, -1 when it does not wait. */
  find(request) {
    for (let i = 0; i < this.size; i++) if (this.#slots.request[this.at(i)] === request) return i;
    return -1;
  }
  #lengthOf(slot) {
    return this.#decodes ? this.#slots.prompt[slot] : this.#slots.length[slot];
  }
};

// lib/engine/vllm/requests.ts
var Requests2 = class {
  slots = new Slots2();
  waiting;
  /** In the order of admission. */
  running = new IntList();
  /** Those of the running requests that emit in every pass. */
  steady;
  destinations = new Destinations();
  tables;
  stream;
  /** Blocks of generated tokens may have content that others share; a pass that completes one serves each request. */
  namedOutputs;
  /** Slots of requests whose KV waits to be fetched, by request (prefill role). */
  #held = /* @__PURE__ */ new Map();
  #records;
  #pool;
  #maxModelTokens;
  #admissions = 0;
  constructor(settings, context, promises) {
    const pool = new BlockPool(settings.blocks, context.prompts, settings.prefixCaching);
    if (context.cache !== null && settings.role !== "decode") pool.changes = new IntList();
    this.waiting = new WaitList2(this.slots, settings.role === "decode");
    this.steady = new SteadySet(settings.blockTokens);
    this.tables = new BlockTables(settings, this.slots, pool, promises);
    this.stream = new TokenStream(context.sink, context.records);
    this.namedOutputs = settings.prefixCaching && context.workload.outputTokenIds.size > 0;
    this.#records = context.records;
    this.#pool = Pool[settings.role];
    this.#maxModelTokens = settings.maxModelTokens;
  }
  /** All of them, in whatever state. */
  get owned() {
    return this.running.count + this.waiting.size + this.#held.size + this.destinations.size;
  }
  /** Takes a slot for a request that comes here. */
  open(request, prompt, output) {
    const { slots, tables } = this, limited = tables.promises?.outputLimit(prompt, output) ?? output;
    const slot = slots.open(request, prompt, limited, this.#maxModelTokens);
    slots.identified[slot] = tables.fullBlocks(prompt);
    this.stream.reserve(slot + 1);
    this.steady.reserve(slot + 1);
    tables.pool.open(slot, request);
    return slot;
  }
  /** Forgets a request that holds nothing. */
  close(slot) {
    this.tables.pool.close(slot);
    this.slots.close(slot);
  }
  /** The waiting request at `position` runs from `nowMs` on; `cachedTokens` of its prompt are not computed. */
  admit(position, cachedTokens, nowMs) {
    const slot = this.waiting.at(position);
    this.waiting.remove(position);
    this.#records.admit(this.slots.request[slot], nowMs, cachedTokens, this.#pool);
    this.slots.preempted[slot] = 0;
    this.slots.order[slot] = this.#admissions++;
    this.running.add(slot);
  }
  /** The running request at `index` starts over when there is room again. */
  preempt(index) {
    const slot = this.running.slots[index];
    this.running.removeAt(index);
    this.stream.pause(slot);
    this.tables.preempt(slot);
    this.slots.preempted[slot] = this.slots.again[slot] = 1;
    this.waiting.addPreempted(slot);
    this.#freed();
  }
  /** The running request at `index` has all its tokens; its KV is kept where another worker fetches it. */
  end(index) {
    const slot = this.running.slots[index];
    this.running.removeAt(index);
    this.tables.takeBackPromise(slot);
    if (this.#pool === Pool.prefill) this.#held.set(this.slots.request[slot], slot);
    else this.tables.release(slot);
    this.#freed();
  }
  /** Gives up KV that was held for a transfer; false when there is none. */
  releaseHeld(request) {
    const slot = this.#held.get(request);
    if (slot === void 0) return false;
    this.#held.delete(request);
    this.#drop(slot);
    return true;
  }
  /** Between passes: forgets a request in any state; false when it is not here. */
  cancel(request) {
    return this.releaseHeld(request) || this.#cancelDestination(request) || this.#cancelWaiting(request) || this.#cancelRunning(request);
  }
  /** Writes out what the counters of the steady requests stand for, before pass `pass`: none is steady then. */
  unsteady(pass) {
    const { steady, slots, running } = this;
    if (steady.count === 0) return;
    for (let i = 0; i < running.count; i++) {
      const slot = running.slots[i];
      if (slots.steady[slot] === 0) continue;
      slots.steady[slot] = 0;
      const length = steady.length(slot, pass);
      slots.length[slot] = length;
      slots.computed[slot] = slots.allocated[slot] = length - 1;
    }
    steady.clear();
  }
  #cancelDestination(request) {
    const { destinations } = this, slot = destinations.slotOf(request);
    if (slot < 0) return false;
    if (!destinations.isPending(slot)) this.tables.takeBackPromise(slot);
    destinations.remove(request);
    this.waiting.forgetDestination(slot);
    this.#drop(slot);
    return true;
  }
  #cancelWaiting(request) {
    const position = this.waiting.find(request);
    if (position < 0) return false;
    const slot = this.waiting.at(position);
    this.waiting.remove(position);
    if (this.slots.hasPrompt(slot)) this.tables.takeBackPromise(slot);
    this.stream.drop(slot);
    this.#drop(slot);
    return true;
  }
  #cancelRunning(request) {
    const { running, slots } = this;
    for (let i = 0; i < running.count; i++) {
      const slot = running.slots[i];
      if (slots.request[slot] !== request) continue;
      this.unsteady(this.stream.log.next);
      running.removeAt(i);
      this.tables.takeBackPromise(slot);
      this.stream.drop(slot);
      this.#drop(slot);
      return true;
    }
    return false;
  }
  #drop(slot) {
    this.tables.release(slot);
    this.close(slot);
    this.#freed();
  }
  /** Blocks or places became free: who was turned away may be asked again. */
  #freed() {
    this.waiting.headBlocked = false;
    this.destinations.freed();
  }
};

// lib/engine/vllm/scheduler.ts
var Scheduled = {
  yes: 0,
  blocked: 1,
  preemptedItself: 2
};
var Scheduler = class {
  #requests;
  #batch;
  #preemption;
  #settings;
  #sequences;
  /** Drafted tokens that a decoding request has verified in a pass. */
  #drafts;
  #results;
  /** Prefill cadence: requests wait although the pool has room. */
  #capacityBound = false;
  /** Prompts wait for a later pass of the wave. */
  #deferring = false;
  constructor(requests2, batch, preemption, results, settings, sequences) {
    this.#requests = requests2;
    this.#batch = batch;
    this.#preemption = preemption;
    this.#results = results;
    this.#settings = settings;
    this.#sequences = sequences;
    this.#drafts = requests2.tables.promises === null ? settings.acceptRates?.length ?? 0 : 0;
  }
  /**
   * Decides who takes part in pass `pass`.
   *
   * @param wave passes of the group since all its ranks were idle
   */
  form(pass, wave) {
    const { running, steady, waiting } = this.#requests;
    this.#deferring = wave % this.#settings.prefillScheduleInterval !== 0 && !this.#capacityBound && this.#anyHasPrompt();
    if (running.count !== steady.count) waiting.headBlocked = false;
    const regular = this.#serveRegular(pass);
    if (!regular) this.#serveLiteral(pass);
    if (regular && waiting.headBlocked) this.#capacityBound = true;
    else this.#admitWaiting(pass);
  }
  /** Serves everybody at once; false when that takes the literal way. */
  #serveRegular(pass) {
    const { running, steady, slots, tables } = this.#requests, batch = this.#batch, count = steady.count;
    if (this.#deferring || count > batch.budget || this.#settings.acceptRates !== null) return false;
    if (this.#requests.namedOutputs && steady.completesIn(pass)) return false;
    const growth = steady.growthAt(pass);
    let need = growth, before = 0, after = 0;
    const prompt = running.count > count ? running.slots[count] : -1;
    if (prompt >= 0) {
      before = slots.computed[prompt];
      if (running.count > count + 1 || slots.steady[prompt] === 1) return false;
      if (before === 0 || !this.#settings.chunkedPrefill) return false;
      after = before + Math.min(slots.length[prompt] - before, batch.budget - count);
      need += tables.blocks(after) - tables.blocks(slots.allocated[prompt]);
    }
    if (need > tables.pool.available) return false;
    if (need > 0) tables.take(need);
    batch.addSteady(steady);
    if (after > before) {
      slots.allocated[prompt] = after;
      this.#advance(prompt, before, after, pass);
    }
    return true;
  }
  /** Serves the running list one by one, in any state. */
  #serveLiteral(pass) {
    this.#requests.unsteady(pass);
    const { running, slots, tables } = this.#requests;
    for (let i = 0; i < running.count && this.#batch.budget > 0; ) {
      const slot = running.slots[i];
      if (this.#deferring && !slots.hasPrompt(slot)) {
        i++;
        continue;
      }
      let cached = 0;
      if (slots.computed[slot] === 0) {
        tables.lookup(slot);
        cached = tables.cachedTokens;
      }
      const outcome = this.#schedule(slot, cached, pass);
      if (outcome === Scheduled.blocked) break;
      if (outcome === Scheduled.yes) i++;
    }
  }
  /** Admits waiting requests while places, tokens and blocks last. */
  #admitWaiting(pass) {
    const { running, steady, waiting, slots, tables, destinations } = this.#requests;
    const batch = this.#batch, settings = this.#settings;
    waiting.headBlocked = false;
    while (!batch.preempted) {
      const at = destinations.pending > 0 ? waiting.firstComputed() : 0;
      if (at >= waiting.size) break;
      if (!this.#sequences.admits(running.count)) {
        waiting.headBlocked = true;
        break;
      }
      const slot = waiting.at(at);
      if (slots.prompt[slot] >= settings.maxModelTokens || slots.preempted[slot] === 0 && !tables.possible(slot)) {
        waiting.remove(at);
        this.#results.reject(slot);
        this.#preemption.progressed();
        continue;
      }
      const computed = slots.hasPrompt(slot);
      let cached = 0;
      if (!computed) {
        tables.lookup(slot);
        cached = tables.cachedTokens;
        if (!tables.fits(slot)) {
          waiting.headBlocked = tables.promises === null || !tables.pool.hasCopies;
          break;
        }
        if (this.#deferring && slots.length[slot] - cached > 1) break;
      }
      const budget = batch.budget, promises = computed ? null : tables.promises;
      promises?.give(slots.outputEnd[slot], 0);
      if (this.#schedule(slot, cached, pass) !== Scheduled.yes) {
        promises?.takeBack(slots.outputEnd[slot], 0);
        waiting.headBlocked = batch.scheduled === steady.count;
        break;
      }
      let position = at;
      while (waiting.at(position) !== slot) position++;
      this.#requests.admit(position, cached, batch.startMs);
      batch.admissions++;
      if (budget === batch.budget && budget === 0) break;
    }
    if (!this.#deferring && !batch.preempted) this.#capacityBound = waiting.size > 0;
  }
  /** Gives one request its share of the pass. */
  #schedule(slot, cached, pass) {
    const { slots, tables } = this.#requests, { budget } = this.#batch;
    const before = slots.computed[slot] + cached, length = slots.length[slot];
    const rest = length + this.#draftsOf(slot) - before;
    if (!this.#settings.chunkedPrefill && slots.prompt[slot] - before > budget) return Scheduled.blocked;
    const wanted = Math.min(rest, budget);
    if (wanted === 0 && rest > 0) return Scheduled.blocked;
    let after = before + wanted;
    const known = Math.min(after, length);
    while (known > slots.allocated[slot] && !tables.grow(slot, known, cached)) {
      const victim = this.#preemption.preempt();
      if (victim >= 0 && slots.passOf[victim] === pass) this.#batch.remove(victim);
      if (victim === slot) return Scheduled.preemptedItself;
      if (victim < 0) {
        after = before;
        break;
      }
    }
    if (after === before && after < length) return Scheduled.blocked;
    this.#advance(slot, before, after, pass);
    return Scheduled.yes;
  }
  /** Tokens `before .. after - 1` of a slot are computed in this pass. */
  #advance(slot, before, after, pass) {
    const { slots, tables } = this.#requests, known = Math.min(after, slots.length[slot]);
    slots.drafts[slot] = after - known;
    slots.computed[slot] = known;
    tables.complete(slot, before, known);
    this.#batch.add(slot, before, after, pass);
  }
  /** Drafted tokens of a request that a pass may verify after its known ones. */
  #draftsOf(slot) {
    const { slots } = this.#requests, length = slots.length[slot];
    if (this.#drafts === 0 || length === slots.prompt[slot] || slots.again[slot] === 1) return 0;
    return Math.max(0, Math.min(this.#drafts, this.#settings.maxModelTokens - 1 - length));
  }
  #anyHasPrompt() {
    const { running, slots } = this.#requests;
    for (let i = 0; i < running.count; i++) if (slots.hasPrompt(running.slots[i])) return true;
    return false;
  }
};

// lib/engine/vllm/token_output.ts
var TokenOutput = class {
  #parts;
  #ready = new IntList();
  constructor(parts) {
    this.#parts = parts;
  }
  /** Decides what pass `pass`, which has been formed, emits; returns when it ends. */
  emit(pass) {
    const { requests: requests2, batch, results, preemption, clock, role } = this.#parts;
    const { running, steady, slots, stream } = requests2, ready = this.#ready, steadyCount = steady.count;
    let decodes = steadyCount, context = steady.tokens, squares = steady.tokensSquared;
    ready.clear();
    for (let i = steadyCount; i < running.count; ) {
      const slot = running.slots[i], length = slots.length[slot];
      if (slots.computed[slot] < length) {
        if (stream.running(slot)) stream.pause(slot);
        i++;
        continue;
      }
      if (length >= slots.stop[slot]) {
        results.done(i);
        preemption.progressed();
        continue;
      }
      ready.add(slot);
      const isPrompt = slots.passOf[slot] === pass && slots.passPrompt[slot] > 0;
      if (!isPrompt) batch.forwards++;
      if (role !== "aggregated" || !isPrompt || length !== slots.prompt[slot]) {
        decodes++;
        context += length;
        squares += length * length;
      }
      i++;
    }
    batch.forwards = role === "prefill" ? 0 : batch.forwards + steadyCount;
    batch.accepted = batch.forwards;
    const { startMs, prefills, reachedTokens, priorTokens } = batch;
    if (role === "prefill") decodes = 0;
    const end = clock.endMs(startMs, prefills, reachedTokens, priorTokens, decodes, context, squares);
    this.#endSteady(pass);
    steady.advance(1);
    this.#emitReady(pass);
    if (steadyCount + ready.count > 0) preemption.progressed();
    return end;
  }
  /** Steady requests that emit their last token. */
  #endSteady(pass) {
    const { requests: { running, steady, slots }, results } = this.#parts;
    for (let slot = steady.popEnding(pass); slot >= 0; slot = steady.popEnding(pass)) {
      slots.steady[slot] = 0;
      slots.computed[slot] = slots.allocated[slot] = slots.stop[slot] - 1;
      slots.length[slot] = slots.stop[slot];
      results.last(running.indexOf(slot));
    }
  }
  /** The others that emit. */
  #emitReady(pass) {
    const { requests: { running, steady, slots, stream }, results } = this.#parts, ready = this.#ready;
    for (let i = 0; i < ready.count; i++) {
      const slot = ready.slots[i], length = ++slots.length[slot];
      if (length >= slots.stop[slot]) {
        results.last(running.indexOf(slot));
        continue;
      }
      slots.steady[slot] = 1;
      steady.add(slot, length, slots.stop[slot], slots.order[slot], pass + 1);
      if (!stream.running(slot)) results.signals.add(slot, Signal2.token);
    }
  }
};

// lib/engine/vllm/rank.ts
var START = 0;
var BEFORE = 1;
var HELD_SINCE = 2;
var MOST_AHEAD2 = 64;
var VllmRank = class {
  id;
  tellFirstTokens = false;
  hadEffect = false;
  retry = Retry.later;
  committedPrefillTokens = 0;
  decodeForwards = 0;
  acceptedTokens = 0;
  ranHeldBlockMs = 0;
  ranPeakBlocks = 0;
  ranActiveBlocks = -1;
  ranInactiveBlocks = -1;
  #context;
  #settings;
  #role;
  #clock;
  #requests;
  #batch;
  #results;
  #preemption;
  #scheduler;
  #output;
  #bursts;
  /** The pass in flight is one of steady decoding alone, which `steadyDecodeRun` started. */
  #inSteadyRun = false;
  /** In an array, for V8 would make an object of each number that one pass of a loop leaves to the next. */
  #times = new Float64Array(3);
  /** Sums of the last pass that ended. */
  #ended = new PassMetrics();
  constructor(id, settings, timing, context, promises = null) {
    const { role } = settings, clock = new PassClock(timing, settings);
    const requests2 = new Requests2(settings, context, promises);
    const batch = new PassBatch(requests2.slots, role === "decode");
    const results = new PassResults2(requests2, role === "prefill");
    const preemption = new Preemption(id, requests2, batch, settings);
    const parts = {
      requests: requests2,
      batch,
      results,
      preemption,
      clock,
      role
    };
    this.id = id;
    this.#context = context;
    this.#settings = settings;
    this.#role = role;
    this.#clock = clock;
    this.#requests = requests2;
    this.#batch = batch;
    this.#results = results;
    this.#preemption = preemption;
    this.#scheduler = new Scheduler(requests2, batch, preemption, results, settings, context.sequences);
    this.#bursts = settings.acceptRates !== null;
    this.#output = settings.acceptRates === null ? new TokenOutput(parts) : new BurstOutput(parts, new Acceptance(settings.acceptRates, context.words(id)));
  }
  get reshuffled() {
    return this.#batch.admissions > 0 || this.#batch.preempted;
  }
  get passStartMs() {
    return this.#batch.startMs;
  }
  get ready() {
    return this.#requests.running.count > 0 || this.#requests.waiting.size > 0;
  }
  get owned() {
    return this.#requests.owned;
  }
  submit(request, _nowMs) {
    const { workload, records } = this.#context, wanted = workload.outputTokens[request];
    const output = this.#role === "prefill" ? Math.min(wanted, 1) : wanted;
    this.#requests.waiting.add(this.#requests.open(request, records.inputTokens[request], output));
    this.#preemption.progressed();
  }
  start(nowMs, wave = 0) {
    const { stream, running } = this.#requests, batch = this.#batch, results = this.#results;
    if (stream.log.room === 0) stream.fold(running.slots, running.count);
    const pass = stream.log.next;
    this.#begin(nowMs);
    this.#inSteadyRun = false;
    this.#scheduler.form(pass, wave);
    const end = this.#output.emit(pass);
    results.close();
    this.hadEffect = end > nowMs || results.signals.count > 0 || batch.scheduled > 0 || batch.admissions > 0 || batch.preempted;
    if (batch.collecting) this.#noteQueue(batch.metrics);
    return end;
  }
  startInGroup(nowMs, wave) {
    return this.#settings.prefillScheduleInterval > 1 ? this.start(nowMs, wave) : this.steadyDecodeRun(nowMs, nowMs);
  }
  steadyDecodeRun(nowMs, untilMs) {
    const { steady, running, waiting, tables, stream, namedOutputs } = this.#requests, requests2 = steady.count;
    this.ranHeldBlockMs = this.ranPeakBlocks = 0;
    this.ranActiveBlocks = -1;
    if (requests2 === 0 || requests2 !== running.count || requests2 > this.#settings.maxBatchedTokens) {
      return this.start(nowMs);
    }
    if (this.#bursts || waiting.size > 0 && !waiting.headBlocked) return this.start(nowMs);
    const log = stream.log, { pool, promises } = tables;
    const lastPass = steady.nextEnd, decodes = this.#role !== "prefill", telling = pool.changes !== null;
    const growths = steady.growth, block = this.#settings.blockTokens;
    const { tokens, tokensSquared: squares } = steady, times = this.#times;
    let pass = log.next, phase = pass % block, room = log.room, passes = 0;
    let { active, inactive } = pool;
    times[START] = times[BEFORE] = times[HELD_SINCE] = nowMs;
    for (; pass < lastPass; pass++) {
      if (namedOutputs && steady.completesIn(pass)) break;
      const growth = growths[phase];
      if (growth > 0) {
        if (growth > pool.available) break;
        this.#noteHeld(times[START] - times[HELD_SINCE]);
        times[HELD_SINCE] = times[START];
        active = pool.active;
        inactive = pool.inactive;
        pool.take(growth);
        promises?.redeem(growth);
      }
      if (--room < 0) {
        stream.fold(running.slots, running.count);
        room = log.room - 1;
      }
      const grown = requests2 * passes;
      const end = times[START] + (decodes ? this.#clock.decodeMs(requests2, tokens + grown, squares + passes * (2 * tokens + grown)) : 0);
      if (end >= untilMs) {
        this.#noteHeld(times[START] - times[HELD_SINCE]);
        if (growth === 0) ({ active, inactive } = pool);
        this.#noteDecodeRun(passes, times[BEFORE], times[START], active, inactive);
        this.#startSteady(times[START]);
        return end;
      }
      log.push(end);
      if (telling) this.#reportCache(end);
      if (++phase === block) phase = 0;
      passes++;
      times[BEFORE] = times[START];
      times[START] = end;
    }
    this.#noteHeld(times[START] - times[HELD_SINCE]);
    this.#noteDecodeRun(passes, times[BEFORE], times[START], pool.active, pool.inactive);
    return this.start(times[START]);
  }
  /** The blocks that are held now were held for so long in passes that have ended. */
  #noteHeld(durationMs) {
    if (durationMs === 0) return;
    const { active } = this.#requests.tables.pool;
    this.ranHeldBlockMs += active * durationMs;
    if (active > this.ranPeakBlocks) this.ranPeakBlocks = active;
  }
  /**
   * Goes through the passes that would follow by their durations alone, up to where a request ends, a block is evicted
   * or completed with content, what is evicted is told, or the pass log is folded: all that happens at the same event as without looking ahead.
   */
  quietUntilMs(endMs) {
    const { steady, waiting, stream, tables, namedOutputs } = this.#requests;
    const { changes, free } = tables.pool, { log } = stream;
    if (!this.#inSteadyRun || !this.#clock.looksAhead) return -Infinity;
    if (waiting.size > 0 && !waiting.headBlocked || changes !== null && changes.count > 0) return -Infinity;
    const block = this.#settings.blockTokens, growths = steady.growth, requests2 = steady.count;
    const decodes = this.#role !== "prefill", first = log.next + 1;
    const last = Math.min(steady.nextEnd, first + MOST_AHEAD2, first + log.room - 1);
    let phase = first % block, left = free, { tokens, tokensSquared: squares } = steady, quietMs = endMs + 0;
    for (let pass = first; pass < last; pass++) {
      if (namedOutputs && steady.completesIn(pass)) break;
      left -= growths[phase];
      if (left < 0) break;
      if (decodes) quietMs += this.#clock.decodeMs(requests2, tokens, squares);
      squares += 2 * tokens + requests2;
      tokens += requests2;
      if (++phase === block) phase = 0;
    }
    return quietMs;
  }
  finish(endMs) {
    const { stream, slots } = this.#requests, batch = this.#batch, { signals } = this.#results;
    const { records, observer } = this.#context;
    stream.log.push(endMs);
    this.committedPrefillTokens += batch.computedTokens;
    this.decodeForwards += batch.forwards;
    this.acceptedTokens += batch.accepted;
    if (batch.collecting) {
      batch.metrics.endMs = endMs;
      this.#ended.copy(batch.metrics);
    }
    this.#reportCache(endMs);
    for (let i = 0; i < signals.count; i++) {
      const slot = signals.slot[i], request = slots.request[slot], kind = signals.kind[i];
      if (kind === Signal2.token || kind === Signal2.last) {
        const first = Number.isNaN(stream.firstMs(slot));
        if (!stream.running(slot)) stream.begin(slot);
        if (this.#bursts) stream.burst(slot, signals.burst[i] - 1);
        if (first && this.tellFirstTokens && (kind === Signal2.token || signals.burst[i] > 1)) {
          observer.firstToken(this, request, endMs);
        }
        if (kind === Signal2.token) continue;
        stream.complete(slot, request, slots.stop[slot] - slots.prompt[slot]);
        this.#requests.close(slot);
        observer.ended(this, request, endMs, Outcome.completed);
      } else if (kind === Signal2.held) {
        stream.drop(slot);
        observer.sourceHeld(this, request, endMs);
      } else if (kind === Signal2.done) {
        stream.complete(slot, request, slots.length[slot] - slots.prompt[slot]);
        this.#requests.close(slot);
        observer.ended(this, request, endMs, Outcome.completed);
      } else {
        records.emit(request, 0, NaN, NaN, NaN);
        this.#requests.close(slot);
        observer.ended(this, request, endMs, Outcome.rejected);
      }
    }
    signals.clear();
  }
  close() {
    this.#requests.stream.log.fold(Infinity);
  }
  #begin(nowMs) {
    this.#batch.begin(nowMs, this.#settings.maxBatchedTokens);
    this.#results.clear();
  }
  /** The steady requests, whose blocks are taken, decode in a pass that stays in flight. */
  #startSteady(nowMs) {
    const { steady } = this.#requests, batch = this.#batch;
    this.#begin(nowMs);
    this.#inSteadyRun = true;
    batch.addSteady(steady);
    batch.forwards = batch.accepted = steady.count;
    this.hadEffect = true;
    if (batch.collecting) this.#noteQueue(batch.metrics);
    steady.advance(1);
  }
  /**
   * Accounts for `passes` decode passes that ended in a steadyDecodeRun, the last one from `startMs` to `endMs` with so
   * many blocks active and inactive at its end.
   */
  #noteDecodeRun(passes, startMs, endMs, active, inactive) {
    if (passes === 0) return;
    this.ranActiveBlocks = active;
    this.ranInactiveBlocks = inactive;
    const { steady } = this.#requests;
    this.decodeForwards += steady.count * passes;
    this.acceptedTokens += steady.count * passes;
    steady.advance(passes - 1);
    if (this.#batch.collecting) {
      this.#ended.clear();
      this.#ended.decode.set(steady.count, steady.tokens, steady.tokensSquared);
      this.#noteQueue(this.#ended);
      this.#ended.startMs = startMs;
      this.#ended.endMs = endMs;
    }
    steady.advance(1);
  }
  #noteQueue(metrics) {
    metrics.queuedPrefill.copy(this.#requests.waiting.fresh);
    metrics.queuedDecode.copy(this.#requests.waiting.begun);
  }
  /** Tells what the pass that ends at `endMs` changed in the cache. */
  #reportCache(endMs) {
    const { changes } = this.#requests.tables.pool;
    if (changes === null || changes.count === 0) return;
    const cache = this.#context.cache, { slots, count } = changes;
    for (let i = 0; i < count; i += 2) cache.resident(this.id, slots[i], slots[i + 1], endMs);
    changes.clear();
  }
  // Roles.
  offer(request, _nowMs) {
    const { workload, records } = this.#context, { tables, waiting, slots, destinations } = this.#requests;
    const prompt = records.inputTokens[request], { promises } = tables;
    if (prompt >= this.#settings.maxModelTokens) return "destination prompt must be shorter than max_model_len";
    if (promises === null && tables.blocks(prompt) > this.#settings.blocks) {
      return "destination prompt exceeds the KV pool capacity";
    }
    const slot = this.#requests.open(request, prompt, workload.outputTokens[request]);
    if (promises?.possible(slots.outputEnd[slot]) === false) {
      this.#requests.close(slot);
      return "TRT-LLM destination request exceeds the to-completion KV pool capacity";
    }
    destinations.offer(request, slot);
    waiting.countDestination(slot);
    return null;
  }
  get pendingDestinations() {
    return this.#requests.destinations.pending;
  }
  tryReserve(nowMs) {
    const { destinations, running, tables, waiting, slots } = this.#requests, slot = destinations.tryNext();
    if (slot < 0 || !this.#context.sequences.admits(running.count)) return false;
    const missing = tables.reserve(slot);
    if (missing < 0) return false;
    destinations.granted();
    waiting.headBlocked = false;
    this.#context.observer.reserved(this, slots.request[slot], nowMs, missing * this.#settings.blockTokens);
    return true;
  }
  activate(request, _nowMs) {
    const { destinations, slots, tables, waiting } = this.#requests, slot = destinations.activate(request);
    tables.complete(slot, slots.computed[slot], slots.prompt[slot]);
    slots.computed[slot] = slots.prompt[slot];
    waiting.addActivated(slot);
    this.#preemption.progressed();
  }
  release(request, _nowMs) {
    this.#requests.releaseHeld(request);
  }
  cancel(request, _nowMs) {
    return this.#requests.cancel(request);
  }
  // Telemetry.
  get collectPasses() {
    return this.#batch.collecting;
  }
  set collectPasses(collecting) {
    this.#batch.collecting = collecting;
  }
  describePass(row) {
    this.#ended.describe(row);
  }
  get preemptions() {
    return this.#preemption.count;
  }
  get activeBlocks() {
    return this.#requests.tables.pool.active;
  }
  get inactiveBlocks() {
    return this.#requests.tables.pool.inactive;
  }
  get heldBlocks() {
    return this.#requests.tables.pool.active;
  }
  get totalBlocks() {
    return this.#settings.blocks;
  }
  get runningRequests() {
    return this.#requests.running.count;
  }
  get waitingRequests() {
    return this.#requests.waiting.size + this.#requests.destinations.size;
  }
};

// lib/engine/make_rank.ts
var MAKERS = {
  vllm: (id, settings, timing, context) => new VllmRank(id, settings, timing, context),
  sglang: (id, settings, timing, context, ranks) => new SglangRank(id, settings, timing, context, ranks),
  trtllm: (id, settings, timing, context) => new VllmRank(id, settings, timing, context, new CompletionPromises(settings))
};
function makeRank(id, settings, timing, context, ranks = 1) {
  return MAKERS[settings.backend](id, settings, timing, context, ranks);
}

// lib/engine/sequence_limit.ts
var SequenceLimit = class {
  /** Sequences a rank may run, `Infinity` when unlimited. */
  most;
  #needed = 0;
  constructor(most) {
    this.most = most;
  }
  /** Whether a rank with so many running may take one more. */
  admits(running) {
    if (running >= this.#needed) this.#needed = running + 1;
    return running < this.most;
  }
  /** Smallest limit that would always have said yes; larger than `most` when it said no. 0 when it was never asked. */
  get needed() {
    return this.#needed;
  }
};

// lib/collections/number_set.ts
var NumberSet = class {
  #words = new Uint32Array(1);
  add(number) {
    const word = number >>> 5;
    if (word >= this.#words.length) this.#words = reaching(this.#words, word);
    this.#words[word] |= 1 << (number & 31);
  }
  delete(number) {
    const word = number >>> 5;
    if (word < this.#words.length) this.#words[word] &= ~(1 << (number & 31));
  }
  /** The lowest member that is at least `from`, -1 without any. */
  next(from) {
    const words = this.#words;
    let word = from >>> 5;
    if (word >= words.length) return -1;
    let bits2 = words[word] & -1 << (from & 31);
    while (bits2 === 0) {
      if (++word === words.length) return -1;
      bits2 = words[word];
    }
    return word << 5 | 31 - Math.clz32(bits2 & -bits2);
  }
};

// lib/planner/pass_row.ts
function emptyPassRow(workerId, dpRank, wallTimeS) {
  return {
    workerId,
    dpRank,
    wallTimeS,
    prefillRequests: 0,
    prefillTokens: 0,
    prefillLengthVariance: 0,
    prefillKvTokens: 0,
    decodeRequests: 0,
    decodeKvTokens: 0,
    decodeKvVariance: 0,
    queuedPrefillRequests: 0,
    queuedPrefillTokens: 0,
    queuedPrefillLengthVariance: 0,
    queuedDecodeRequests: 0,
    queuedDecodeKvTokens: 0,
    queuedDecodeKvVariance: 0
  };
}

// lib/cluster/lifecycle.ts
var LifecycleLog = class {
  operations = [];
  /** Ordinal the next operation will get. */
  get next() {
    return this.operations.length;
  }
  add(operation) {
    this.operations.push({
      operation_ordinal: this.next,
      ...operation,
      topology_released_request_uuids: []
    });
  }
};
function transitionOf(worker, name, prior, origin) {
  return {
    worker_id: worker.id,
    transition: name,
    prior_state: prior,
    state: worker.state,
    origin_operation_ordinal: origin
  };
}

// lib/cluster/pool_gauges.ts
var PoolGauges = class {
  #workers;
  #totals;
  #blocks;
  #reported = {
    preemptions: 0,
    total: 0,
    hits: 0
  };
  /** Rows of ranks as they were shown last, for as long as nothing about them changes. */
  #schedulers = [];
  /**
   * @param workers the live ones, by ascending id
   * @param blocks KV blocks of one rank
   */
  constructor(workers, totals, blocks) {
    this.#workers = workers;
    this.#totals = totals;
    this.#blocks = blocks;
  }
  /** @param consume whether the counters, which run from the last time on that did so, begin anew */
  read(consume) {
    const counts = this.#totals.gone();
    const workers = this.#workers;
    for (let w = 0; w < workers.length; w++) {
      const { gauges } = workers[w];
      for (let rank = 0; gauges !== null && rank < gauges.length; rank++) {
        const gauge = gauges[rank];
        counts.preemptions += gauge.preemptions;
        counts.total += gauge.cacheTotalTokens;
        counts.hits += gauge.cacheHitTokens;
      }
    }
    const told = this.#reported;
    if (consume) this.#reported = counts;
    return {
      schedulers: this.#schedulerRows(),
      interval: {
        cache_hit_tokens: counts.hits - told.hits,
        cache_total_tokens: counts.total - told.total,
        preemptions: counts.preemptions - told.preemptions
      }
    };
  }
  /** Rows of all ranks; those of ranks that told nothing new, and a list without any new row, are the ones before. */
  #schedulerRows() {
    const workers = this.#workers, last = this.#schedulers, totalBlocks = this.#blocks;
    let rows = null, at = 0;
    for (let w = 0; w < workers.length; w++) {
      const worker = workers[w];
      for (let dpRank = 0; worker.gauges !== null && dpRank < worker.gauges.length; dpRank++, at++) {
        const gauge = worker.gauges[dpRank];
        if (at < last.length && tells(last[at], worker.id, dpRank, gauge)) {
          if (rows !== null) rows.push(last[at]);
          continue;
        }
        rows ??= last.slice(0, at);
        rows.push({
          worker_id: worker.id,
          dp_rank: dpRank,
          active_blocks: gauge.activeBlocks,
          inactive_blocks: gauge.inactiveBlocks,
          total_blocks: totalBlocks,
          active_cache_usage: gauge.activeBlocks / totalBlocks,
          physical_cache_usage: (gauge.activeBlocks + gauge.inactiveBlocks) / totalBlocks,
          running_requests: gauge.runningRequests,
          waiting_requests: gauge.waitingRequests
        });
      }
    }
    return this.#schedulers = rows ?? (at === last.length ? last : last.slice(0, at));
  }
};
function tells(row, worker, rank, gauge) {
  return row.active_blocks === gauge.activeBlocks && row.inactive_blocks === gauge.inactiveBlocks && row.running_requests === gauge.runningRequests && row.waiting_requests === gauge.waitingRequests && row.worker_id === worker && row.dp_rank === rank;
}

// lib/cluster/pool_totals.ts
var PoolTotals = class {
  #workers;
  #goneCommitted = 0;
  #goneForwards = 0;
  #goneAccepted = 0;
  #gonePreemptions = 0;
  #goneCacheTotal = 0;
  #goneCacheHits = 0;
  /** @param workers the live ones */
  constructor(workers) {
    this.#workers = workers;
  }
  /** Keeps what a rank of a removed worker has counted. */
  keep(rank) {
    this.#goneCommitted += rank.committedPrefillTokens;
    this.#goneForwards += rank.decodeForwards;
    this.#goneAccepted += rank.acceptedTokens;
    this.#gonePreemptions += rank.preemptions;
    this.#goneCacheTotal += rank.cacheTotalTokens ?? 0;
    this.#goneCacheHits += rank.cacheHitTokens ?? 0;
  }
  /** What ranks of removed workers counted of what telemetry shows. */
  gone() {
    return {
      preemptions: this.#gonePreemptions,
      total: this.#goneCacheTotal,
      hits: this.#goneCacheHits
    };
  }
  get committedPrefillTokens() {
    let sum = this.#goneCommitted;
    for (const worker of this.#workers) for (const rank of worker.made) sum += rank.committedPrefillTokens;
    return sum;
  }
  get decodeForwards() {
    const workers = this.#workers;
    let sum = this.#goneForwards;
    for (let w = 0; w < workers.length; w++) {
      const { made } = workers[w];
      for (let i = 0; i < made.length; i++) sum += made[i].decodeForwards;
    }
    return sum;
  }
  get acceptedTokens() {
    const workers = this.#workers;
    let sum = this.#goneAccepted;
    for (let w = 0; w < workers.length; w++) {
      const { made } = workers[w];
      for (let i = 0; i < made.length; i++) sum += made[i].acceptedTokens;
    }
    return sum;
  }
};

// lib/cluster/worker.ts
var MOST_RETRIES = 1024;
var NONE = [];
var Worker = class {
  id;
  /** How many ranks it has, and the id of the first. */
  size;
  firstRank;
  /** Its ranks once one of them was needed, none before: most of a large cluster's workers may never be. */
  made = NONE;
  reports;
  /** Gauges by rank, kept up when somebody watches them. */
  gauges = null;
  state;
  /** Operation that started or drained it, for the lifecycle log. */
  originOrdinal = 0;
  /** A pass is in flight until `endMs`. */
  inFlight = false;
  endMs = 0;
  /** When it was last free to start a pass. */
  freeAtMs = 0;
  /** When it was added, and when it was removed; `Infinity` while it is there. */
  addedMs;
  removedMs = Infinity;
  /** Most KV blocks that its requests held in all ranks together, looked at when a pass starts. */
  peakHeldBlocks = 0;
  /** Blocks that were held during passes, times the milliseconds those took. */
  heldBlockMs = 0;
  /** Commands for it that wait for the end of its pass. */
  putOff = 0;
  /** Its last attempt came to nothing: not tried again before something happens to it. */
  deferred = false;
  /** Nothing that others see happens here up to then, unless something reaches it; see {@linkcode Rank.quietUntilMs}. */
  quietUntilMs = -Infinity;
  #startMs = 0;
  /** Retries at one time that a scheduler asked for, one after the other. */
  #retries = 0;
  /** Group passes since all ranks were idle. */
  #wave = 0;
  #tookPart;
  /** The last pass that was started ends when it starts. */
  #takesNoTime = false;
  #awake;
  #make;
  /**
   * @param make makes the ranks, whose ids follow each other
   * @param awake the workers of the pool that may have something to do; this one enters itself
   */
  constructor(id, size, make, state, nowMs, awake) {
    this.id = id;
    this.size = size;
    this.firstRank = id * size;
    this.#make = make;
    this.state = state;
    this.#awake = awake;
    this.freeAtMs = nowMs;
    this.addedMs = nowMs;
    this.#tookPart = new Uint8Array(size);
    this.reports = [];
    for (let i = 0; i < size; i++) {
      this.reports.push({
        fresh: false,
        idle: false,
        lastMs: nowMs,
        startMs: 0,
        endMs: 0,
        idleRow: null
      });
    }
  }
  /** Its ranks, which are made when they are needed first. */
  get ranks() {
    return this.made.length > 0 ? this.made : this.made = this.#make(this.firstRank);
  }
  /** True when it would start a pass now. */
  get ready() {
    if (this.inFlight || this.deferred) return false;
    for (let i = 0; i < this.made.length; i++) if (this.made[i].ready) return true;
    return false;
  }
  /** Requests it owns in any way. */
  get owned() {
    let owned = 0;
    for (let i = 0; i < this.made.length; i++) owned += this.made[i].owned;
    return owned;
  }
  /** Nothing is left to do here. */
  get empty() {
    return !this.inFlight && this.owned === 0;
  }
  /** Something happened to a rank at `nowMs` (a request came, KV moved): the worker may try again from then on. */
  wake(nowMs, rank) {
    this.deferred = false;
    this.quietUntilMs = -Infinity;
    this.#awake.add(this.id);
    if (!this.inFlight && nowMs > this.freeAtMs) this.freeAtMs = nowMs;
    this.readGauge(rank - this.firstRank);
  }
  /** Begins to keep gauges. */
  watch() {
    this.gauges = Array.from({
      length: this.size
    }, () => ({
      activeBlocks: 0,
      inactiveBlocks: 0,
      runningRequests: 0,
      waitingRequests: 0,
      preemptions: 0,
      cacheTotalTokens: 0,
      cacheHitTokens: 0
    }));
    for (let i = 0; i < this.size; i++) this.readGauge(i);
  }
  /** Brings the gauges of a rank up to date, where they are kept: a command reached it, or a pass ended. */
  readGauge(i) {
    if (this.gauges === null) return;
    const rank = this.ranks[i], gauge = this.gauges[i];
    gauge.activeBlocks = rank.activeBlocks;
    gauge.inactiveBlocks = rank.inactiveBlocks;
    gauge.runningRequests = rank.runningRequests;
    gauge.waitingRequests = rank.waitingRequests;
    gauge.preemptions = rank.preemptions;
    gauge.cacheTotalTokens = rank.cacheTotalTokens ?? 0;
    gauge.cacheHitTokens = rank.cacheHitTokens ?? 0;
  }
  /** Ends every pass due by `untilMs`, starting each next one that starts before it, or also at it (`inclusive`). */
  advance(untilMs, inclusive = false) {
    for (; ; ) {
      if (this.inFlight) {
        if (this.endMs > untilMs) return;
        this.finish();
      }
      if (this.deferred || this.freeAtMs > untilMs || this.freeAtMs === untilMs && !inclusive) return;
      if (!this.ready) return this.rest();
      this.start(this.freeAtMs, untilMs);
    }
  }
  /** Ends every pass due before `untilMs`, starting each next one; a pass that ends at that time is left in flight. */
  advanceBefore(untilMs) {
    while (this.inFlight && this.endMs < untilMs) {
      this.finish();
      if (!this.ready) return this.rest();
      this.start(this.freeAtMs, untilMs);
    }
  }
  /** The pass in flight may end, and others after it, without anybody seeing it. */
  get isQuiet() {
    return this.inFlight && this.endMs < this.quietUntilMs;
  }
  /** In lock step: passes may have ended by `now`, none of which anybody sees. */
  isBehind(now) {
    return this.endMs <= now && this.isQuiet && now <= this.quietUntilMs;
  }
  /** Finds out how long it may be left behind. */
  lookAhead() {
    this.quietUntilMs = this.inFlight && this.size === 1 && !this.#takesNoTime ? this.made[0].quietUntilMs?.(this.endMs) ?? -Infinity : -Infinity;
  }
  /** Nothing is left to try before something happens to it: it is passed over until then. */
  rest() {
    if (!this.inFlight && !this.deferred) this.#awake.delete(this.id);
  }
  /** Last time something happened here: the last pass end, or the start of the pass in flight. */
  get lastEventMs() {
    return this.inFlight ? this.startedMs : this.endMs;
  }
  /** The pass in flight takes no time: a run of passes came to it ahead of the cluster's clock. */
  get endsAtOnce() {
    return this.inFlight && this.#takesNoTime;
  }
  /** Start of the last pass that was tried. */
  get startedMs() {
    let last = 0;
    for (const rank of this.made) last = Math.max(last, rank.passStartMs);
    return last;
  }
  /** Starts a pass at `nowMs`; whole decode passes may follow while their starts are before `untilMs`. */
  start(nowMs, untilMs) {
    const ranks = this.made;
    let effect = false, retry = Retry.later, countedMs = nowMs;
    this.#startMs = nowMs;
    if (ranks.length === 1) {
      const rank = ranks[0];
      this.#tookPart[0] = 1;
      this.endMs = this.gauges === null ? rank.steadyDecodeRun(nowMs, untilMs) : this.#runGauged(rank, this.gauges[0], nowMs, untilMs);
      effect = rank.hadEffect;
      retry = rank.retry;
      this.heldBlockMs += rank.ranHeldBlockMs;
      this.peakHeldBlocks = Math.max(this.peakHeldBlocks, rank.ranPeakBlocks);
      countedMs = rank.passStartMs;
      if (countedMs > nowMs) {
        this.#startMs = countedMs;
        const report = this.reports[0];
        report.fresh = true;
        report.idle = false;
        report.lastMs = countedMs;
      }
    } else {
      this.endMs = nowMs;
      for (let i = 0; i < ranks.length; i++) {
        const rank = ranks[i];
        this.#tookPart[i] = rank.ready ? 1 : 0;
        if (!rank.ready) continue;
        this.endMs = Math.max(this.endMs, rank.startInGroup?.(nowMs, this.#wave) ?? rank.start(nowMs, this.#wave));
        if (rank.hadEffect) effect = true;
        if (rank.retry > retry) retry = rank.retry;
      }
      ranks[0].settleGroup?.(ranks, this.#tookPart);
      this.#wave++;
    }
    this.inFlight = effect;
    this.#takesNoTime = this.endMs === countedMs;
    if (effect) {
      this.#retries = 0;
      this.#count(this.endMs - countedMs);
    } else this.#defer(this.endMs, retry);
  }
  /** Starts a pass and keeps the gauge up at the ends of those that end on the way. */
  #runGauged(rank, gauge, nowMs, untilMs) {
    const { runningRequests, waitingRequests } = rank;
    const end = rank.steadyDecodeRun(nowMs, rank.ranActiveBlocks === void 0 ? 0 : untilMs);
    if (rank.ranActiveBlocks === void 0 || rank.ranActiveBlocks < 0) return end;
    gauge.activeBlocks = rank.ranActiveBlocks;
    gauge.inactiveBlocks = rank.ranInactiveBlocks;
    gauge.runningRequests = runningRequests;
    gauge.waitingRequests = waitingRequests;
    return end;
  }
  /** Notes what is held while a pass takes its time. */
  #count(durationMs) {
    let held = 0;
    for (let i = 0; i < this.made.length; i++) held += this.made[i].heldBlocks;
    if (held > this.peakHeldBlocks) this.peakHeldBlocks = held;
    this.heldBlockMs += held * durationMs;
  }
  /** Ends the pass in flight. */
  finish() {
    const end = this.endMs, ranks = this.made;
    this.inFlight = false;
    this.freeAtMs = end;
    const told = end > this.#startMs || this.#reshuffled();
    for (let i = 0; i < ranks.length; i++) {
      if (told || this.#tookPart[i] === 1 && ranks[i].hadEffect) this.finishRank(i);
    }
    if (ranks.length > 1 && this.owned === 0) this.#wave = 0;
  }
  /** One rank tells of the pass: because it ends, or because one without effect led to something all the same. */
  finishRank(i) {
    const report = this.reports[i], end = this.endMs;
    report.fresh = true;
    report.idle = this.#tookPart[i] === 0;
    report.lastMs = end;
    report.startMs = this.#startMs;
    report.endMs = end;
    if (!report.idle) this.made[i].finish(end);
    this.readGauge(i);
  }
  #reshuffled() {
    for (let i = 0; i < this.made.length; i++) if (this.#tookPart[i] === 1 && this.made[i].reshuffled) return true;
    return false;
  }
  #defer(nowMs, retry) {
    this.freeAtMs = Math.max(this.freeAtMs, nowMs);
    if (retry === Retry.countdown || retry === Retry.again && ++this.#retries < MOST_RETRIES) return;
    if (retry !== Retry.later) {
      throw new SimulationError(`replay invariant violated: offline replay detected an effect-free zero-duration pass with ${this.owned} in-flight requests remaining`);
    }
    this.deferred = true;
    this.#retries = 0;
  }
};

// lib/cluster/worker_pool.ts
var NO_PASSES = [];
var WorkerPool = class {
  name;
  settings;
  router;
  /** Live workers by ascending id. */
  workers = [];
  /** Worker of each scheduler id ever given. */
  workerOf = [];
  /** What all workers that there ever were have counted. */
  totals;
  /** Requests the router keeps. */
  queued = 0;
  /** Seconds of all workers' lives so far. */
  workerSeconds = 0;
  /** Workers that may have something to do; all others wait for something to happen to them. */
  #awake = new NumberSet();
  #draining = 0;
  #makeRanks;
  #log;
  #readyAt = [];
  #nextWorker = 0;
  #collecting = false;
  /** Ids by state, until a worker changes its state: samples and ticks of quiet hours share them. */
  #states = null;
  /** Null while nobody watches. */
  #gauges = null;
  constructor(name, settings, router, makeRank2, log) {
    this.name = name;
    this.settings = settings;
    this.router = router;
    this.#makeRanks = (first) => {
      const ranks = Array.from({
        length: settings.dpSize
      }, (_, i) => makeRank2(first + i));
      for (const rank of ranks) {
        rank.collectPasses = this.#collecting;
        rank.tellFirstTokens = router.needsPrefillDone;
      }
      return ranks;
    };
    this.#log = log;
    this.totals = new PoolTotals(this.workers);
  }
  /** Adds the workers a run starts with, active at time 0. */
  populate(replicas) {
    for (let i = 0; i < replicas; i++) this.#join(this.#add("active", 0), 0);
  }
  /** Whether ranks keep up the rows that ticks report. */
  set collecting(collecting) {
    this.#collecting = collecting;
    for (const worker of this.workers) for (const rank of worker.made) rank.collectPasses = collecting;
  }
  /**
   * The worker with the lowest id from `id` on that may have something to do, undefined without any. Loops over such
   * workers cost nothing for the idle ones between them.
   */
  awakeFrom(id) {
    const found = this.#awake.next(id);
    return found < 0 ? void 0 : this.workerOf[found * this.settings.dpSize];
  }
  /** Rank by scheduler id. */
  rank(id) {
    const worker = this.workerOf[id];
    return worker.ranks[id - worker.firstRank];
  }
  /** Adds the time between two instants to every live worker's life. */
  age(fromMs, toMs) {
    if (toMs > fromMs) this.workerSeconds += this.workers.length * (toMs - fromMs) / 1e3;
  }
  /** Requests owned by all ranks. */
  get owned() {
    let owned = 0;
    for (const worker of this.workers) owned += worker.owned;
    return owned;
  }
  count(state) {
    const { workers } = this;
    let count = 0;
    for (let i = 0; i < workers.length; i++) if (workers[i].state === state) count++;
    return count;
  }
  /** Ids of the workers in each state; the same object until one of them changes. */
  get states() {
    return this.#states ??= {
      active: this.#ids("active"),
      starting: this.#ids("starting"),
      draining: this.#ids("draining")
    };
  }
  #ids(state) {
    return this.workers.filter((worker) => worker.state === state).map((worker) => worker.id);
  }
  /** Time of the next ready event, those of cancelled workers included (they still stop the clock). */
  get nextReadyMs() {
    const events = this.#readyAt;
    let next2 = Infinity;
    for (let i = 0; i < events.length; i++) if (events[i].atMs < next2) next2 = events[i].atMs;
    return next2;
  }
  /** Carries out a target: the wanted number of workers that are not draining. */
  scaleTo(target, nowMs, tick) {
    const present = this.count("starting") + this.count("active");
    if (target === present) return;
    const ordinal = this.#log.next, transitions = [], removed = [];
    const origins = /* @__PURE__ */ new Set();
    for (let i = present; i < target; i++) transitions.push(this.#launch(nowMs, ordinal));
    let surplus = present - target;
    for (let i = this.workers.length - 1; i >= 0 && surplus > 0; i--) {
      const worker = this.workers[i];
      if (worker.state !== "starting") continue;
      surplus--;
      origins.add(worker.originOrdinal);
      removed.push(this.#remove(worker, nowMs, "startup_cancelled"));
    }
    for (let i = this.workers.length - 1; i >= 0 && surplus > 0; i--) {
      const worker = this.workers[i];
      if (worker.state !== "active") continue;
      surplus--;
      this.#turn(worker, "draining");
      worker.originOrdinal = ordinal;
      this.router.leave(worker.id, nowMs);
      transitions.push(transitionOf(worker, "worker_draining", "active", ordinal));
    }
    for (const worker of this.#drained()) removed.push(this.#remove(worker, nowMs));
    this.#note("planner_scale", nowMs, tick, only(origins), [
      ...transitions,
      ...removed
    ]);
  }
  /** Workers whose start-up is over become active, one operation each; returns whether any event was due. */
  settleReady(nowMs, joined) {
    let any = false;
    for (let i = 0; i < this.#readyAt.length; ) {
      const { atMs, worker } = this.#readyAt[i];
      if (atMs > nowMs) {
        i++;
        continue;
      }
      this.#readyAt.splice(i, 1);
      any = true;
      if (worker.state !== "starting") continue;
      this.#turn(worker, "active");
      worker.freeAtMs = nowMs;
      for (const report of worker.reports) report.lastMs = nowMs;
      this.#join(worker, nowMs);
      const origin = worker.originOrdinal;
      this.#note("worker_ready_event", nowMs, null, origin, [
        transitionOf(worker, "worker_ready", "starting", origin)
      ]);
      joined();
    }
    return any;
  }
  /** Earliest time at which a draining worker was found empty, `Infinity` when none is. */
  get nextDrainedMs() {
    let next2 = Infinity;
    if (this.#draining === 0) return next2;
    for (const worker of this.workers) {
      if (worker.state === "draining" && worker.freeAtMs < next2 && worker.empty) next2 = worker.freeAtMs;
    }
    return next2;
  }
  /** Removes draining workers that are empty since `nowMs` or before; returns whether any was. */
  settleDrained(nowMs) {
    return this.#draining > 0 && this.#removeDrained(nowMs);
  }
  /** Apart, because a function whose closures use its arguments makes an object for these at every call. */
  #removeDrained(nowMs) {
    const done = this.#drained().filter((worker) => worker.freeAtMs <= nowMs);
    if (done.length === 0) return false;
    const origins = new Set(done.map((worker) => worker.originOrdinal));
    const transitions = done.map((worker) => this.#remove(worker, nowMs));
    this.#note("drain_settlement", nowMs, null, only(origins), transitions);
    return true;
  }
  /** The pool as a policy sees it; empties the buffer of passes. */
  snapshot(nowMs) {
    let passes = null;
    for (const worker of this.workers) {
      for (let i = 0; i < worker.size; i++) {
        const report = worker.reports[i], fresh = report.fresh;
        report.fresh = false;
        if (worker.state !== "active" || !this.#collecting) continue;
        const idleMs = nowMs - report.lastMs;
        passes ??= [];
        if (idleMs >= 1e3) {
          report.lastMs += Math.floor(idleMs / 1e3) * 1e3;
          passes.push(report.idleRow ??= emptyPassRow(worker.id, i, 0));
        } else if (fresh) {
          const row = emptyPassRow(worker.id, i, (report.endMs - report.startMs) / 1e3);
          if (!report.idle) worker.made[i].describePass(row);
          passes.push(row);
        }
      }
    }
    const { active, starting, draining } = this.states;
    return {
      active,
      starting,
      draining,
      passes: passes ?? NO_PASSES
    };
  }
  /** Keeps gauges of all ranks from here on. */
  watchGauges() {
    this.#gauges = new PoolGauges(this.workers, this.totals, this.settings.rank.blocks);
    for (const worker of this.workers) worker.watch();
  }
  /**
   * The pool as telemetry sees it, once {@linkcode WorkerPool.watchGauges} was called.
   *
   * @param consume whether the counters, which run from the last time on that did so, begin anew
   */
  telemetry(consume) {
    const { active, starting, draining } = this.states, { schedulers, interval } = this.#gauges.read(consume);
    return {
      active,
      starting,
      draining,
      schedulers,
      interval,
      pendingRequests: this.queued
    };
  }
  /** What became of every worker there ever was, by ascending id. */
  usage(endMs) {
    return [
      ...new Set(this.workerOf)
    ].map((worker) => ({
      pool: this.name,
      id: worker.id,
      firstRank: worker.firstRank,
      ranks: worker.size,
      aliveMs: Math.max(0, Math.min(worker.removedMs, endMs) - worker.addedMs),
      blocks: worker.size * this.settings.rank.blocks,
      peakHeldBlocks: worker.peakHeldBlocks,
      heldBlockMs: worker.heldBlockMs
    }));
  }
  close() {
    for (const worker of this.workers) for (const rank of worker.made) rank.close();
  }
  #add(state, nowMs) {
    const worker = new Worker(this.#nextWorker++, this.settings.dpSize, this.#makeRanks, state, nowMs, this.#awake);
    for (let i = 0; i < worker.size; i++) this.workerOf[worker.firstRank + i] = worker;
    this.workers.push(worker);
    this.#states = null;
    if (this.#gauges !== null) worker.watch();
    return worker;
  }
  #turn(worker, state) {
    if (worker.state === "draining") this.#draining--;
    if (state === "draining") this.#draining++;
    if (state === "removed") this.#awake.delete(worker.id);
    worker.state = state;
    this.#states = null;
  }
  #join(worker, nowMs) {
    this.router.join(worker.id, worker.firstRank, worker.size, nowMs);
  }
  #launch(nowMs, ordinal) {
    const delayed = this.settings.startupMs > 0;
    const worker = this.#add(delayed ? "starting" : "active", nowMs);
    worker.originOrdinal = ordinal;
    if (delayed) {
      this.#readyAt.push({
        atMs: nowMs + this.settings.startupMs,
        worker
      });
      return transitionOf(worker, "worker_starting", null, ordinal);
    }
    this.#join(worker, nowMs);
    return transitionOf(worker, "worker_ready", null, ordinal);
  }
  #drained() {
    return this.workers.filter((worker) => worker.state === "draining" && worker.empty);
  }
  #remove(worker, nowMs, reason2) {
    const prior = worker.state;
    this.#turn(worker, "removed");
    worker.removedMs = nowMs;
    this.workers.splice(this.workers.indexOf(worker), 1);
    for (const rank of worker.made) {
      this.totals.keep(rank);
      rank.close();
    }
    if (prior === "draining") this.router.forget(worker.id, nowMs);
    return {
      ...transitionOf(worker, "worker_removed", prior, worker.originOrdinal),
      ...reason2 && {
        reason: reason2
      }
    };
  }
  #note(cause, atMs, tick, origin, transitions) {
    const { states } = this;
    this.#log.add({
      at_ms: atMs,
      pool: this.name,
      cause,
      planner_tick_ordinal: tick,
      origin_operation_ordinal: origin,
      transitions,
      state_after_batch: {
        active: [
          ...states.active
        ],
        starting: [
          ...states.starting
        ],
        draining: [
          ...states.draining
        ]
      }
    });
  }
};
function only(origins) {
  return origins.size === 1 ? [
    ...origins
  ][0] : null;
}

// lib/cluster/build_pool.ts
function buildPool(spec, pool, identity, prompts, observer, log) {
  const { workload } = spec.source, { settings } = pool;
  const router = pool.router({
    workload,
    prompts,
    records: spec.records,
    pool: identity.pool,
    maxBatchedTokens: settings.rank.maxBatchedTokens
  });
  const context = {
    workload,
    prompts,
    records: spec.records,
    sink: spec.sink,
    observer,
    cache: router.cache,
    sequences: pool.sequences ?? new SequenceLimit(settings.rank.maxSequences),
    words: (id) => new StdRng(settings.rank.mtpSeed + BigInt(id))
  };
  const workers = new WorkerPool(identity.name, settings, router, (id) => makeRank(id, settings.rank, pool.timing, context, settings.dpSize), log);
  workers.populate(pool.replicas);
  return workers;
}

// lib/cluster/traffic_meter.ts
var AT_ONCE = 2 ** 30;
var FEW2 = 64;
var FIRST2 = 256;
var TrafficMeter = class {
  #records;
  #inOrder;
  #openedMs = 0;
  #arrivals = 0;
  /** Of each request that ended: its end, lengths, the wait for its first token, and its mean gap (`NaN` without one). */
  #endMs = new Float64Array(FIRST2);
  #inputTokens = new Float64Array(FIRST2);
  #outputTokens = new Float64Array(FIRST2);
  #ttftMs = new Float64Array(FIRST2);
  #itlMs = new Float64Array(FIRST2);
  /** What ranks requests that ended at one time: passes that take time come before those that do not, then workers. */
  #place = new Int32Array(FIRST2);
  #endedCount = 0;
  #order = new Uint32Array(FEW2);
  #hitRates = 0;
  #hitRateCount = 0;
  #forwards = 0;
  #accepted = 0;
  /** @param inOrder whether ends are told in the order in which they happen */
  constructor(records, inOrder) {
    this.#records = records;
    this.#inOrder = inOrder;
  }
  arrived() {
    this.#arrivals++;
  }
  /** A routed request of which the router believed `overlap` of `blocks` prompt blocks resident. */
  routed(overlap, blocks) {
    this.#hitRates += overlap / Math.max(blocks, 1);
    this.#hitRateCount++;
  }
  /** A request is about to complete on a worker; `atOnce` when the pass took no time. Others need not be told. */
  ended(request, atMs, worker, atOnce) {
    const at = this.#endedCount++, records = this.#records, row = records.rowOf(request);
    if (at === this.#place.length) this.#grow();
    const tokens = records.outputTokens[row], first = records.firstTokenMs[row];
    this.#place[at] = atOnce ? AT_ONCE + worker : worker;
    this.#endMs[at] = atMs;
    this.#inputTokens[at] = records.inputTokens[request];
    this.#outputTokens[at] = tokens;
    this.#ttftMs[at] = tokens > 0 ? first - records.arrivalMs[row] : NaN;
    this.#itlMs[at] = tokens > 1 ? (records.lastTokenMs[row] - first) / (tokens - 1) : NaN;
  }
  #grow() {
    this.#place = longer(this.#place);
    this.#endMs = longer(this.#endMs);
    this.#inputTokens = longer(this.#inputTokens);
    this.#outputTokens = longer(this.#outputTokens);
    this.#ttftMs = longer(this.#ttftMs);
    this.#itlMs = longer(this.#itlMs);
  }
  /** Closes a window in which nothing happened, unseen, and opens the next. */
  nothingUntil(nowMs) {
    this.#openedMs = nowMs;
  }
  /** The requests of the window in the order of their ends. */
  #ordered() {
    const count = this.#endedCount, ends = this.#endMs, place = this.#place;
    if (this.#order.length < count) this.#order = new Uint32Array(ends.length);
    const order = this.#order;
    if (count > FEW2) {
      for (let i = 0; i < count; i++) order[i] = i;
      return order.subarray(0, count).sort((a, b) => ends[a] - ends[b] || place[a] - place[b]);
    }
    for (let i = 0; i < count; i++) {
      let at = i;
      for (; at > 0; at--) {
        const before = order[at - 1];
        if (ends[before] < ends[i] || ends[before] === ends[i] && place[before] <= place[i]) break;
        order[at] = before;
      }
      order[at] = i;
    }
    return order;
  }
  /**
   * Closes the window at `nowMs` and opens the next.
   *
   * @param forwards decode forwards of all passes ended so far, since the start of the run
   * @param accepted tokens accepted by them
   */
  close(nowMs, forwards, accepted) {
    const count = this.#endedCount;
    const order = this.#inOrder ? null : this.#ordered();
    let input = 0, output = 0, ttft = 0, ttfts = 0, itl = 0, itls = 0;
    for (let k = 0; k < count; k++) {
      const i = order === null ? k : order[k];
      input += this.#inputTokens[i];
      output += this.#outputTokens[i];
      const wait = this.#ttftMs[i], gap = this.#itlMs[i];
      if (wait > 0) {
        ttft += wait;
        ttfts++;
      }
      if (!Number.isNaN(gap)) {
        itl += gap;
        itls++;
      }
    }
    const moreForwards = forwards - this.#forwards, moreAccepted = accepted - this.#accepted;
    const window = {
      durationS: (nowMs - this.#openedMs) / 1e3,
      requests: this.#arrivals,
      shapeCount: count,
      meanInputTokens: count > 0 ? input / count : 0,
      meanOutputTokens: count > 0 ? output / count : 0,
      meanTtftMs: ttfts > 0 ? ttft / ttfts : 0,
      ttftCount: ttfts,
      meanItlMs: itls > 0 ? itl / itls : 0,
      itlCount: itls,
      meanAcceptLength: moreForwards > 0 ? moreAccepted / moreForwards : null,
      acceptLengthForwards: moreForwards,
      meanKvHitRate: this.#hitRateCount > 0 ? this.#hitRates / this.#hitRateCount : 0,
      kvHitRateCount: this.#hitRateCount
    };
    this.#openedMs = nowMs;
    this.#arrivals = this.#endedCount = this.#hitRates = this.#hitRateCount = 0;
    this.#forwards = forwards;
    this.#accepted = accepted;
    return window;
  }
};

// lib/cluster/telemetry_sampler.ts
var NOBODY3 = {
  active: [],
  starting: [],
  draining: [],
  schedulers: [],
  interval: {
    cache_hit_tokens: 0,
    cache_total_tokens: 0,
    preemptions: 0
  },
  pendingRequests: 0
};
var TelemetrySampler = class {
  traffic;
  #probe;
  #prefill;
  #decode;
  #begun = false;
  /**
   * @param prefill null in aggregated clusters
   * @param inOrder whether ends are told in the order in which they happen
   */
  constructor(probe, records, prefill, decode, inOrder) {
    this.#probe = probe;
    this.#prefill = prefill;
    this.#decode = decode;
    this.traffic = new TrafficMeter(records, inOrder);
    prefill?.watchGauges();
    decode.watchGauges();
  }
  /** Time of the next periodic sample; there is none before the baseline. */
  get nextMs() {
    return this.#begun ? this.#probe.nextSampleMs : Infinity;
  }
  /** Time of the next sample, the baseline included. */
  get seenMs() {
    return this.#begun ? this.#probe.nextSampleMs : 0;
  }
  baseline(nowMs) {
    this.#begun = true;
    this.#probe.baseline(nowMs, {
      prefill: this.#prefill?.telemetry(false) ?? NOBODY3,
      decode: this.#decode.telemetry(false)
    });
  }
  periodic(nowMs) {
    this.#probe.periodic(nowMs, this.#view(nowMs));
  }
  /** A periodic sample when nothing has happened since two samples ago. */
  repeat(nowMs) {
    this.traffic.nothingUntil(nowMs);
    this.#probe.repeat(nowMs);
  }
  final(nowMs) {
    this.#probe.final(nowMs, this.#view(nowMs));
  }
  #view(nowMs) {
    const { decodeForwards, acceptedTokens } = this.#decode.totals;
    return {
      traffic: this.traffic.close(nowMs, decodeForwards, acceptedTokens),
      prefill: this.#prefill?.telemetry(true) ?? NOBODY3,
      decode: this.#decode.telemetry(true)
    };
  }
};

// lib/cluster/tick_clock.ts
var KNOBS = [
  "overlap_score_credit",
  "prefill_load_scale",
  "temperature"
];
var NOBODY4 = {
  active: [],
  starting: [],
  draining: [],
  passes: []
};
var TickClock = class {
  #policy;
  /** Time of the next tick, `Infinity` when none is armed; before `arm` anything may be its answer. */
  nextMs;
  /** Ticks handled so far. */
  handled = 0;
  constructor(policy) {
    this.#policy = policy;
    this.nextMs = policy === null ? Infinity : -Infinity;
  }
  /** Asks for the first tick, once instant `nowMs` has settled. */
  arm(nowMs) {
    if (this.#policy === null) return;
    const first = this.#policy.initialTickMs();
    this.nextMs = Number.isFinite(first) ? Math.max(first, nowMs) : Infinity;
  }
  /** Asks the policy, updates router knobs and arms the next tick. */
  decide(view) {
    const { prefill, decode } = view.routers;
    const states = {
      prefill: prefill && stateOf(prefill),
      decode: stateOf(decode)
    };
    const routers = states.prefill || states.decode ? {
      ...states.prefill && {
        prefill: states.prefill
      },
      ...states.decode && {
        decode: states.decode
      }
    } : void 0;
    const decision = this.#policy.onTick({
      tickOrdinal: this.handled++,
      nowMs: view.nowMs,
      prefill: view.prefill ?? NOBODY4,
      decode: view.decode,
      traffic: view.traffic,
      ...routers && {
        routers
      }
    });
    const knobs = decision.routerKnobs;
    if (knobs?.prefill && prefill) turn(prefill, knobs.prefill);
    if (knobs?.decode) turn(decode, knobs.decode);
    const next2 = decision.nextTickMs;
    this.nextMs = next2 !== null && Number.isFinite(next2) && next2 > view.nowMs ? next2 : Infinity;
    return {
      targets: {
        prefill: decision.targetPrefill,
        decode: decision.targetDecode
      },
      pending: decision.pending ?? null,
      armed: this.nextMs < Infinity
    };
  }
};
function turn(router, wanted) {
  const { knobs } = router;
  if (knobs !== null && KNOBS.some((name) => knobs[name] !== wanted[name])) router.update(wanted);
}
function stateOf(router) {
  if (router.knobs === null) return null;
  return {
    state: "active",
    revision: router.revision,
    parameters: {
      ...router.knobs
    }
  };
}

// lib/cluster/cluster.ts
var EVENTS_PER_YIELD = 1024;
var MOST_IDLE_TICKS = 1e5;
var Cluster = class {
  spec;
  /** Aggregated: one; disaggregated: prefill, then decode. */
  pools;
  /** The prompts in the blocks of the pools, the first one's first; one index where their blocks are alike. */
  prompts;
  log = new LifecycleLog();
  traffic;
  ticks;
  telemetry;
  watchTraffic;
  lockStep;
  /** In lock step: workers stay behind the clock for as long as nothing happens on them that others see. */
  staysQuiet = false;
  limitMs;
  /** Not in lock step: how long after the end of a request it can cause an arrival; 0 where none does. */
  windowMs;
  /** Time of the instant that is being settled. */
  nowMs = 0;
  /** Time up to which workers' lives are counted. */
  agedMs = 0;
  /** The pool whose workers emit tokens. */
  #decode;
  #prefill;
  constructor(spec, pools, { lockStep, endsInOrder, windows }) {
    this.spec = spec;
    const prompts = /* @__PURE__ */ new Map();
    const comparesTokens = pools.some(({ spec: { settings } }) => settings.rank.backend === "sglang");
    this.pools = pools.map(({ spec: pool, ...identity }) => {
      const { blockTokens } = pool.settings.rank, { workload } = spec.source;
      const index = prompts.get(blockTokens) ?? new PromptIndex(workload, blockTokens, comparesTokens);
      prompts.set(blockTokens, index);
      return buildPool(spec, pool, identity, index, this, this.log);
    });
    this.prompts = [
      ...prompts.values()
    ];
    this.#decode = this.pools[this.pools.length - 1];
    this.#prefill = this.pools.length > 1 ? this.pools[0] : null;
    this.ticks = new TickClock(spec.policy ?? null);
    this.watchTraffic = spec.policy != null;
    const queues = this.pools.some(({ router }) => router.mayQueue);
    const { reactive, reactionMs = 0 } = spec.source;
    const inWindows = windows && reactionMs > 0;
    const sampled = spec.telemetry != null, samplesAlone = !reactive && !this.watchTraffic;
    this.lockStep = lockStep || reactive && !inWindows || queues || sampled && !samplesAlone;
    this.telemetry = spec.telemetry ? new TelemetrySampler(spec.telemetry, spec.records, this.#prefill, this.#decode, this.lockStep) : null;
    this.windowMs = reactive && !this.lockStep && reactionMs < Infinity ? reactionMs : 0;
    this.traffic = new TrafficMeter(spec.records, this.lockStep && endsInOrder);
    this.limitMs = spec.maxVirtualMs ?? Infinity;
  }
  /** Runs the whole load; see `ClusterRun` for what is yielded. */
  *run() {
    try {
      return yield* this.#play();
    } catch (error) {
      throw this.failureOf(error);
    }
  }
  *#play() {
    const { records } = this.spec, { telemetry, ticks } = this;
    this.#collect(this.watchTraffic);
    this.#settle(0, false);
    if (telemetry !== null) {
      this.bring(0);
      telemetry.baseline(0);
    }
    ticks.arm(0);
    this.#collect(ticks.nextMs < Infinity);
    let events = 0, told = 0, idleTicks = 0;
    for (; ; ) {
      if (this.windowMs > 0) yield* this.hearEnds();
      const now = this.#nextMs();
      if (telemetry !== null && !this.lockStep) yield* this.#sampleRunning(telemetry, now);
      if (now === Infinity) {
        yield* this.runOut();
        if (this.finished() || this.anyInFlight()) break;
        this.deadEnd();
      }
      if (now > this.limitMs) break;
      if (telemetry !== null && this.lockStep && telemetry.nextMs < now) this.#sampleBefore(telemetry, now);
      const tick = now === ticks.nextMs;
      if (!this.reach(now, tick)) break;
      const before = this.log.next, pending = this.#settle(now, tick);
      if (tick) {
        if (pending) yield pending;
        if (this.finished()) break;
        idleTicks = this.#stuck() && before === this.log.next ? idleTicks + 1 : 0;
        if (idleTicks > MOST_IDLE_TICKS) this.deadEnd();
      }
      const { admitted } = records;
      if (++events >= EVENTS_PER_YIELD || admitted - told >= EVENTS_PER_YIELD) {
        events = 0;
        told = admitted;
        yield {
          virtualMs: now,
          ended: records.ended
        };
      }
    }
    return this.#close();
  }
  /**
   * Samples before the event at `now`. Workers that stay behind are brought to each of them while any is at work. Once
   * nothing can happen, the first sample tells what happened since the one before it, the second that nothing did; all
   * others would tell the same.
   */
  #sampleBefore(telemetry, now) {
    let still = 0;
    for (let atMs = telemetry.nextMs; atMs < now; atMs = telemetry.nextMs) {
      this.nowMs = atMs;
      this.age(atMs);
      if (still === 0) this.bring(atMs);
      if (still < 2) telemetry.periodic(atMs);
      else telemetry.repeat(atMs);
      if (still > 0 || !this.staysQuiet || !this.anyBusy()) still++;
    }
  }
  /**
   * Samples before what comes from outside at `now`, of workers that run on their own. Where nothing comes, or after the
   * limit, there is no sample behind the last event.
   */
  *#sampleRunning(telemetry, now) {
    const { records } = this.spec, limitMs = this.limitMs;
    let taken = 0, still = 0;
    for (let atMs = telemetry.nextMs; atMs < now && atMs <= limitMs; atMs = telemetry.nextMs) {
      if (still === 0) this.bring(atMs);
      if (now > limitMs || now === Infinity) {
        if (!this.eventFrom(atMs)) return;
      }
      if (still < 2) telemetry.periodic(atMs);
      else telemetry.repeat(atMs);
      if (still > 0 || !this.anyBusy()) still++;
      if (++taken % EVENTS_PER_YIELD === 0) yield {
        virtualMs: atMs,
        ended: records.ended
      };
    }
  }
  /** Time of the next thing that neither the load, nor the policy, nor a worker brings about. */
  ownNextMs() {
    return Infinity;
  }
  /** In lock step: whether a worker that has something to do is left behind all the same. */
  lags(_pool, _worker) {
    return false;
  }
  /** Whether requests are still under way between workers. */
  get underWay() {
    return false;
  }
  /** Nothing comes from outside any more: lets the workers finish what they have. */
  *runOut() {
  }
  /** Hears of all ends that can bring about what happens next. */
  *hearEnds() {
  }
  /** Brings workers that run on their own to an event at `now`; false when the run was over before. */
  reach(_now, _tick) {
    return true;
  }
  /** Brings workers that run on their own through `now`, before somebody looks at them. */
  bring(_now) {
  }
  /** Whether something happens on a worker at `now`, to which all were brought, or later and within the limit. */
  eventFrom(_now) {
    return false;
  }
  /** The policy was asked, and its targets are carried out. */
  afterTick() {
  }
  /** The failure a run ends with, where another one was met first. */
  failureOf(failure) {
    return failure;
  }
  // What they share.
  /** Next time at which something from outside the workers happens; in lock step, or a pass ends. */
  #nextMs() {
    let next2 = this.outsideMs();
    if (!this.lockStep) return next2;
    let busy = false;
    for (let p = 0; p < this.pools.length; p++) {
      const pool = this.pools[p];
      for (let worker = pool.awakeFrom(0); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
        const lags = this.lags(pool, worker);
        if (!worker.inFlight && !lags) continue;
        busy = true;
        if (lags) continue;
        const seenMs = this.staysQuiet ? Math.max(worker.endMs, worker.quietUntilMs) : worker.endMs;
        if (seenMs < next2) next2 = seenMs;
      }
    }
    return !busy && this.finished() ? Infinity : next2;
  }
  /** Next time at which something from outside the workers happens. */
  outsideMs() {
    let next2 = Math.min(this.spec.source.nextReadyMs(), this.ticks.nextMs, this.ownNextMs());
    for (let p = 0; p < this.pools.length; p++) next2 = Math.min(next2, this.pools[p].nextReadyMs);
    return next2;
  }
  /** Next time at which somebody looks at all workers, or the end of the run. */
  seenMs() {
    return this.telemetry === null ? this.limitMs : Math.min(this.telemetry.seenMs, this.limitMs);
  }
  /** Does everything that is possible at `now`, round by round; the tick comes at the end of the first. */
  #settle(now, tick) {
    if (now > this.nowMs) this.nowMs = now;
    if (this.lockStep) this.age(now);
    const { telemetry } = this;
    let pending = null;
    for (let changed = true, first = true; changed; first = false) {
      changed = this.round(now);
      if (first && telemetry !== null && telemetry.nextMs === now) {
        this.bring(now);
        telemetry.periodic(now);
      }
      if (first && tick) {
        this.bring(now);
        if (this.finished()) break;
        pending = this.#tick(now);
        changed = true;
      }
    }
    return pending;
  }
  #tick(now) {
    this.age(now);
    const prefill = this.#prefill, decode = this.#decode;
    const { targets, pending, armed } = this.ticks.decide({
      nowMs: now,
      prefill: prefill && prefill.snapshot(now),
      decode: decode.snapshot(now),
      traffic: this.traffic.close(now, decode.totals.decodeForwards, decode.totals.acceptedTokens),
      routers: {
        prefill: prefill && prefill.router,
        decode: decode.router
      }
    });
    const scale = (pool, target) => {
      if (pool === null || target === null) return;
      pool.scaleTo(target, now, this.ticks.handled - 1);
      this.rescaled(pool, now);
    };
    scale(prefill, targets.prefill);
    scale(decode, targets.decode);
    if (!armed) this.#collect(false);
    this.afterTick();
    return pending;
  }
  #collect(collecting) {
    for (const pool of this.pools) pool.collecting = collecting;
  }
  /** Counts all workers' lives up to `now`. */
  age(now) {
    if (now <= this.agedMs) return;
    for (let p = 0; p < this.pools.length; p++) this.pools[p].age(this.agedMs, now);
    this.agedMs = now;
  }
  /** A request enters the cluster. */
  arrive(request) {
    const { source, records } = this.spec;
    const runs = source.promptRuns(request);
    if (runs !== null) {
      for (const prompts of this.prompts) prompts.addRuns(request, runs);
    }
    records.arrive(request, source.arrivalMs, runs === null ? source.workload.inputTokens[request] : runs.inputTokens);
    if (this.watchTraffic) this.traffic.arrived();
    this.telemetry?.traffic.arrived();
  }
  /** A request was handed to the workers. */
  dispatched(request, now) {
    const { source, records } = this.spec;
    if (source.reactive) source.dispatched(request, now);
    if (source.workload.playIds !== null) records.dispatch(request, now);
  }
  /** A request has ended, whatever its outcome. */
  terminate(request, atMs, outcome) {
    const { records, source } = this.spec, row = records.rowOf(request);
    records.finish(request, atMs, outcome);
    if (!source.reactive) return;
    const status = OUTCOME_NAMES[outcome];
    source.ended(request, atMs, status, records.outputTokens[row]);
  }
  /** Counts a request that is about to complete on a worker of a pool. */
  meterEnd(pool, rank, request, atMs) {
    if (!this.watchTraffic && this.telemetry === null) return;
    const worker = pool.workerOf[rank.id].id, atOnce = rank.passStartMs === atMs;
    if (this.watchTraffic) this.traffic.ended(request, atMs, worker, atOnce);
    this.telemetry?.traffic.ended(request, atMs, worker, atOnce);
  }
  /** Whether the whole load has ended. */
  finished() {
    const { source, records } = this.spec;
    if (this.underWay || !source.exhausted() || source.nextReadyMs() < Infinity) return false;
    return records.ended === records.admitted && !this.anyInFlight();
  }
  anyInFlight() {
    return this.#anyWorker((worker) => worker.inFlight);
  }
  anyBusy() {
    return this.#anyWorker((worker) => worker.inFlight || worker.ready);
  }
  #anyWorker(is) {
    for (const pool of this.pools) {
      for (let worker = pool.awakeFrom(0); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
        if (is(worker)) return true;
      }
    }
    return false;
  }
  /** Requests may be left, but no worker can do anything and none will come. */
  #stuck() {
    if (this.spec.source.nextReadyMs() < Infinity || this.ownNextMs() < Infinity) return false;
    return this.pools.every((pool) => pool.nextReadyMs === Infinity) && !this.anyInFlight();
  }
  #close() {
    const endMs = this.lastMs();
    this.age(endMs);
    this.telemetry?.final(endMs);
    for (const pool of this.pools) pool.close();
    return {
      prefillWorkerSeconds: this.#prefill?.workerSeconds ?? 0,
      decodeWorkerSeconds: this.#decode.workerSeconds,
      committedPrefillTokens: this.pools.reduce((sum, pool) => sum + pool.totals.committedPrefillTokens, 0),
      endMs,
      ticks: this.ticks.handled,
      lifecycle: this.log.operations,
      workers: this.pools.flatMap((pool) => pool.usage(endMs))
    };
  }
};

// lib/cluster/laggards.ts
var Laggards = class {
  #pool;
  /** Whether a worker lags now. */
  #lags;
  /** Who is being brought to another time. */
  #moving = null;
  /** Passes that start then have been started on the workers up to this one, or are being started on it. */
  #startedMs = -Infinity;
  #startedId = Infinity;
  /** Passes that end now have been ended on the workers up to this one. */
  #endingId = Infinity;
  constructor(pool, lags) {
    this.#pool = pool;
    this.#lags = lags;
  }
  /** Brings a worker to `now`; a pass that starts there is started too when `inclusive`. */
  advance(worker, now, inclusive) {
    this.#moving = worker;
    worker.advance(now, inclusive);
    this.#moving = null;
  }
  /**
   * In lock step: at `now` passes are being started, lowest worker first, and it is the turn of `id`; `Infinity` when all
   * have had theirs.
   */
  starting(now, id) {
    if (this.#startedMs !== now) this.#startedId = -1;
    this.#startedMs = now;
    if (id > this.#startedId) this.#startedId = id;
  }
  /** In lock step: whether a pass of a worker that could start at `now` has been started. */
  started(worker, now) {
    return this.#startedMs === now && worker.id <= this.#startedId;
  }
  /** In lock step: passes are being ended, lowest worker first, and it is the turn of `id`; `Infinity` when it is over. */
  ending(id) {
    this.#endingId = id;
  }
  /**
   * In lock step: brings a worker that something is about to reach to where it would be at this point of the instant
   * `now` if it had not been left behind: a pass that ends then is in flight until its turn comes, and the next one is
   * started when its turn has come.
   */
  catchUp(worker, now) {
    if (worker.id > this.#endingId) worker.advanceBefore(now);
    else this.advance(worker, now, this.started(worker, now));
  }
  /** In lock step: brings all of them to `now`, and lets none stay behind until its next pass. */
  wakeAll(now) {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(0); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
      if (!this.#lags(worker)) continue;
      this.advance(worker, now, true);
      worker.quietUntilMs = -Infinity;
    }
  }
  /** Brings all of them to `now`. */
  advanceAll(now, inclusive) {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(0); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
      if (this.#lags(worker)) this.advance(worker, now, inclusive);
    }
  }
  /** When the first of them has something to do; `Infinity` when none has. */
  get nextMs() {
    const pool = this.#pool;
    let next2 = Infinity;
    for (let worker = pool.awakeFrom(0); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
      if (!this.#lags(worker)) continue;
      if (worker.inFlight) next2 = Math.min(next2, worker.endMs);
      else if (worker.ready) next2 = Math.min(next2, worker.freeAtMs);
    }
    return next2;
  }
  /** When something happened last on any worker of the pool. */
  get lastEventMs() {
    let last = 0;
    for (const worker of this.#pool.workers) last = Math.max(last, worker.lastEventMs);
    return last;
  }
  /** Of a failure at `now`, or of the worker that was being advanced, and those that others would have met before: the first. */
  firstFailure(failure, now) {
    const failed = this.#moving;
    if (!(failure instanceof SimulationError)) return failure;
    let first = failure, until = failed?.startedMs ?? now, lowest = failed?.id ?? -1;
    for (const worker of this.#pool.workers) {
      if (worker === failed || !this.#lags(worker)) continue;
      try {
        worker.advance(until, worker.id < lowest);
      } catch (earlier) {
        first = earlier;
        until = worker.startedMs;
        lowest = worker.id;
      }
    }
    return first;
  }
};

// lib/cluster/placement.ts
function checkRank(router, rank, known) {
  if (known) return;
  const name = router.constructor?.name ?? "the router";
  throw new SimulationError(`placement policy error: ${name} answered rank ${String(rank)}, and there is no such rank`);
}
function notePlacement(records, router, pool, request, worker, rankId, queueEnteredMs, releasedMs = NaN) {
  const view = router.placement;
  records.route(request, pool, view.overlapTokens);
  if (records.routing === null) return;
  records.routing.add({
    request,
    pool,
    queueEnteredMs,
    releasedMs: Number.isNaN(queueEnteredMs) ? NaN : releasedMs,
    worker: worker.id,
    scheduler: rankId,
    dpRank: rankId - worker.firstRank,
    overlapTokens: view.overlapTokens,
    overlapBlocks: view.overlapBlocks,
    bestOverlapBlocks: view.bestOverlapBlocks
  });
}

// lib/cluster/aggregated.ts
var SLICE_MS = 6e4;
var FEW3 = 2;
var WINDOWS_PER_YIELD = 1024;
var AggregatedCluster = class extends Cluster {
  #pool;
  #router;
  /** Attempts in vain count: see the constructor. */
  #countsAttempts;
  /** All ends up to then were heard of, where they cause arrivals. */
  #heardMs = 0;
  /** All workers, each of which is brought to the present when somebody looks at it. */
  #laggards;
  constructor(spec, pool) {
    const { settings } = pool, lockStep = settings.dpSize > 1 && settings.rank.prefillScheduleInterval > 1;
    super(spec, [
      {
        spec: pool,
        name: "agg",
        pool: Pool.aggregated
      }
    ], {
      lockStep,
      endsInOrder: true,
      windows: true
    });
    this.#countsAttempts = lockStep;
    this.#pool = this.pools[0];
    this.#router = this.#pool.router;
    this.#laggards = new Laggards(this.#pool, () => true);
    this.staysQuiet = this.lockStep && !lockStep && (this.telemetry === null || this.limitMs === Infinity) && this.#pool.workers.length > FEW3;
  }
  // What ranks tell.
  ended(rank, request, atMs, outcome) {
    if (outcome === Outcome.completed) this.meterEnd(this.#pool, rank, request, atMs);
    this.terminate(request, atMs, outcome);
    if (this.#router.needsEnds) this.#router.ended(request, rank.id, atMs);
    if (this.#router.mayQueue) this.#releaseQueued(atMs);
  }
  firstToken(rank, request, atMs) {
    this.#router.prefillDone(request, rank.id, atMs);
    if (this.#router.mayQueue) this.#releaseQueued(atMs);
  }
  sourceHeld() {
  }
  reserved() {
  }
  // The steps of a round.
  round(now) {
    const { source } = this.spec;
    let changed = this.lockStep && this.#finishDue(now);
    if (this.#pool.nextReadyMs <= now) {
      this.age(now);
      if (this.#settleReady(now)) changed = true;
    }
    if (source.nextReadyMs() <= now) {
      if (this.#router.needsState && !this.lockStep) this.#advanceSeen(now);
      for (let request = source.admit(now); request >= 0; request = source.admit(now)) this.#place(request, now);
      changed = true;
    }
    const goesOn = this.lockStep && this.#startReady(now);
    if (this.lockStep) this.#settleDrains(now, true);
    if (this.#countsAttempts) return changed || goesOn;
    return goesOn || this.#pool.nextReadyMs <= now || source.nextReadyMs() <= now;
  }
  /** Start-ups that are over; what waited for a worker goes on. */
  #settleReady(now) {
    return this.#pool.settleReady(now, () => this.#router.mayQueue && this.#releaseQueued(now));
  }
  #place(request, now) {
    this.arrive(request);
    const rank = this.#router.place(request, now);
    if (rank < 0) this.#pool.queued++;
    else this.#hand(request, rank, now, false);
    this.dispatched(request, now);
  }
  /** Gives a placed request to its rank. */
  #hand(request, rankId, now, queued) {
    const { records } = this.spec;
    const worker = this.#pool.workerOf[rankId];
    checkRank(this.#router, rankId, worker !== void 0);
    const queuedMs = queued ? records.arrivalMs[records.rowOf(request)] : NaN;
    notePlacement(records, this.#router, Pool.aggregated, request, worker, rankId, queuedMs, now);
    records.place(request, Pool.aggregated, rankId);
    const { overlapBlocks } = this.#router.placement;
    if (overlapBlocks >= 0 && (this.watchTraffic || this.telemetry !== null)) {
      const blocks = Math.ceil(records.inputTokens[request] / this.prompts[0].blockTokens);
      if (this.watchTraffic) this.traffic.routed(overlapBlocks, blocks);
      this.telemetry?.traffic.routed(overlapBlocks, blocks);
    }
    if (!this.lockStep) this.#laggards.advance(worker, now, false);
    else if (this.staysQuiet && worker.isBehind(now)) this.#laggards.catchUp(worker, now);
    worker.ranks[rankId - worker.firstRank].submit(request, now);
    worker.wake(now, rankId);
  }
  #releaseQueued(now) {
    for (let request = this.#router.nextReleased(now); request >= 0; request = this.#router.nextReleased(now)) {
      this.#pool.queued--;
      this.#hand(request, this.#router.placedRank, now, true);
    }
  }
  /** Ends the passes due at `now`, lowest worker first. */
  #finishDue(now) {
    const pool = this.#pool;
    let any = false;
    for (let worker = pool.awakeFrom(0); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
      if (!worker.inFlight || worker.endMs > now || worker.endsAtOnce) continue;
      if (this.staysQuiet && worker.isBehind(now)) {
        if (now < worker.quietUntilMs) continue;
        this.#laggards.advance(worker, now, false);
      } else {
        this.#laggards.ending(worker.id);
        worker.finish();
      }
      any = true;
    }
    this.#laggards.ending(Infinity);
    return any;
  }
  /**
   * Lock step: starts passes on all ready workers, the lowest first, until none is ready: one whose pass takes no time
   * is at once ready for the next. The last one to start may go on alone until the next thing that can happen elsewhere.
   */
  #startReady(now) {
    let any = false;
    if (this.#countsAttempts) this.#tryAgain();
    for (let worker = this.#firstReady(0, now); worker !== void 0; ) {
      this.#laggards.starting(now, worker.id);
      const next2 = this.#firstReady(worker.id + 1, now);
      const again = this.#startOn(worker, now, next2 === void 0 ? this.#untilOthers(worker) : now);
      if (again) any = true;
      else if (this.staysQuiet && worker.inFlight) worker.lookAhead();
      worker = again ? this.#firstReady(0, now) : next2;
    }
    this.#laggards.starting(now, Infinity);
    return any;
  }
  /** Workers that found nothing to do may look again. */
  #tryAgain() {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(0); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
      worker.deferred = false;
    }
  }
  /** Lowest worker from `id` on that would start a pass now, or started one that takes no time. */
  #firstReady(id, now) {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(id); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
      if (worker.ready || worker.endsAtOnce && worker.endMs <= now) return worker;
      worker.rest();
    }
    return void 0;
  }
  /** Next time at which something can happen that does not come from `worker`. */
  #untilOthers(worker) {
    const pool = this.#pool;
    let until = Math.min(this.outsideMs(), this.seenMs());
    for (let other = pool.awakeFrom(0); other !== void 0; other = pool.awakeFrom(other.id + 1)) {
      if (other === worker || !other.inFlight) continue;
      if (this.staysQuiet) return 0;
      if (other.endMs >= until) continue;
      if (other.quietUntilMs <= other.endMs) other.lookAhead();
      until = Math.min(until, Math.max(other.quietUntilMs, other.endMs));
    }
    return until;
  }
  /** Starts a pass; returns whether it ended at once, so that more can happen now. */
  #startOn(worker, now, until) {
    if (!worker.inFlight) {
      worker.start(Math.max(now, worker.freeAtMs), until);
      if (!worker.inFlight) return !worker.deferred;
    }
    if (worker.endMs > now) return false;
    worker.finish();
    return true;
  }
  /**
   * Brings every worker to `now`; passes that start there are started too when `inclusive`. Workers that are drained by
   * then are removed after everything else that happens at the same time, so those of `now` only when `inclusive`.
   */
  #advanceAll(now, inclusive) {
    this.#laggards.advanceAll(now, inclusive);
    this.#settleDrains(now, inclusive);
  }
  /** As far as a router can tell brings every worker to `now`: those where nothing happens that it hears of stay behind. */
  #advanceSeen(now) {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(0); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
      if (now <= worker.quietUntilMs) continue;
      this.#laggards.advance(worker, now, false);
      worker.lookAhead();
    }
    this.#settleDrains(now, false);
  }
  /** Workers that do not move in lock step may fail out of order: the failure that came first is the run's. */
  failureOf(failure) {
    return this.lockStep ? failure : this.#laggards.firstFailure(failure, this.nowMs);
  }
  /** Removes drained workers at the times at which they became empty. */
  #settleDrains(now, inclusive) {
    for (let at = this.#pool.nextDrainedMs; at < now || at === now && inclusive; at = this.#pool.nextDrainedMs) {
      if (at === Infinity) return;
      this.age(at);
      this.#pool.settleDrained(Math.max(at, this.agedMs));
    }
  }
  // Workers that run on their own.
  /** When the first of them has something to do; 0 without any. */
  #soonestMs() {
    const soonest = this.#laggards.nextMs;
    return soonest === Infinity ? 0 : soonest;
  }
  /**
   * What ends after `heardMs` causes arrivals after `heardMs + windowMs` only, so all workers can be brought there, or to
   * the next event when that comes first.
   */
  *hearEnds() {
    for (let windows = 1; ; windows++) {
      const next2 = Math.min(this.outsideMs(), this.limitMs);
      if (this.#heardMs + this.windowMs > next2 || this.#heardMs >= this.limitMs || !this.anyBusy()) return;
      const from = Math.max(this.#heardMs, this.#soonestMs());
      this.#heardMs = Math.min(next2, from + this.windowMs);
      this.#advanceAll(this.#heardMs, false);
      if (windows % WINDOWS_PER_YIELD === 0) yield {
        virtualMs: this.#heardMs,
        ended: this.spec.records.ended
      };
    }
  }
  /** In slices, so that a driver can show progress or stop. */
  *runOut() {
    for (let until = this.nowMs + SLICE_MS; until < this.limitMs && this.anyBusy(); ) {
      this.#advanceAll(until, false);
      yield {
        virtualMs: until,
        ended: this.spec.records.ended
      };
      until = Math.max(until, this.#soonestMs()) + SLICE_MS;
    }
    this.#advanceAll(this.limitMs, true);
  }
  reach(now, tick) {
    if (this.lockStep || !tick && now !== this.#pool.nextReadyMs) return true;
    this.#advanceAll(now, false);
    return !(this.finished() && this.#laggards.lastEventMs < now);
  }
  bring(now) {
    if (!this.lockStep) this.#advanceAll(now, true);
    else if (this.staysQuiet) this.#laggards.advanceAll(now, true);
  }
  eventFrom(now) {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(0); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
      if (worker.inFlight && worker.endMs <= this.limitMs) return true;
    }
    return this.#laggards.lastEventMs === now;
  }
  rescaled(_pool, now) {
    if (this.#router.mayQueue) this.#releaseQueued(now);
  }
  afterTick() {
    this.#tryAgain();
  }
  lastMs() {
    if (this.limitMs < Infinity) this.#advanceAll(this.limitMs, true);
    return Math.max(this.nowMs, this.#laggards.lastEventMs);
  }
  deadEnd() {
    const { records } = this.spec;
    const attempted = this.#pool.owned > 0;
    throw new SimulationError("replay invariant violated: offline replay " + (attempted ? "detected an effect-free zero-duration pass" : "reached a dead end") + ` with ${records.admitted - records.ended} in-flight requests remaining`);
  }
};

// lib/cluster/handoffs.ts
var HandOffs2 = class _HandOffs {
  /** In order of arrival, from 1 on. */
  ordinal = new Int32Array(64);
  /** Ranks it was placed on, -1 before. */
  prefillRank = new Int32Array(64);
  decodeRank = new Int32Array(64);
  /** Tokens that have to be transferred. */
  missing = new Int32Array(64);
  /** Sides that have yet to forget it because it failed. */
  cancelling = new Uint8Array(64);
  /** When the prefill router began to keep it. */
  queuedMs = new Float64Array(64);
  /** Requests that are on their way through both pools. */
  underWay = 0;
  /** 1 once both sides let go of it, and once it ended. */
  #closed = new Uint8Array(64);
  #ended = new Uint8Array(64);
  #rows = new SlotMap();
  #ordinals = 0;
  /** A request arrives; returns its row. */
  open(request) {
    const row = this.#rows.take(request);
    if (row === this.ordinal.length) this.#grow(row);
    this.ordinal[row] = ++this.#ordinals;
    this.prefillRank[row] = this.decodeRank[row] = -1;
    this.missing[row] = this.cancelling[row] = this.#closed[row] = this.#ended[row] = 0;
    this.underWay++;
    return row;
  }
  /** The row of a request, -1 where nothing of it is left. */
  rowOf(request) {
    return this.#rows.get(request);
  }
  /** Whether it is still on its way. */
  isOpen(row) {
    return row >= 0 && this.#closed[row] === 0;
  }
  /** Both sides let go of a request. */
  close(request) {
    const row = this.rowOf(request);
    this.underWay--;
    this.#closed[row] = 1;
    this.#forget(request, row);
  }
  /** A request ended, whatever its outcome. */
  ended(request) {
    const row = this.rowOf(request);
    this.#ended[row] = 1;
    this.#forget(request, row);
  }
  #forget(request, row) {
    if (this.#closed[row] === 1 && this.#ended[row] === 1 && this.cancelling[row] === 0) this.#rows.give(request);
  }
  #grow(row) {
    this.ordinal = reaching(this.ordinal, row);
    this.prefillRank = reaching(this.prefillRank, row);
    this.decodeRank = reaching(this.decodeRank, row);
    this.missing = reaching(this.missing, row);
    this.cancelling = reaching(this.cancelling, row);
    this.queuedMs = reaching(this.queuedMs, row);
    this.#closed = reaching(this.#closed, row);
    this.#ended = reaching(this.#ended, row);
  }
  static {
    const some = new _HandOffs();
    for (let request = 0; request <= 64; request++) some.open(request);
  }
};
var Action = {
  submitPrefill: 0,
  reserve: 1,
  transfer: 2,
  activate: 3,
  release: 4,
  cancelPrefill: 5,
  cancelDecode: 6,
  complete: 7
};
var ActionQueue = class {
  #ring = new Int32Array(64);
  #mask = 63;
  #head = 0;
  #tail = 0;
  get empty() {
    return this.#head === this.#tail;
  }
  push(action, request) {
    if (this.#tail - this.#head > this.#mask - 2) this.#grow();
    this.#ring[this.#tail++ & this.#mask] = action;
    this.#ring[this.#tail++ & this.#mask] = request;
  }
  /** Takes the oldest entry: returns its action, leaves its request in `request`. */
  shift() {
    const action = this.#ring[this.#head++ & this.#mask];
    this.request = this.#ring[this.#head++ & this.#mask];
    return action;
  }
  /** Request of the entry taken last. */
  request = 0;
  #grow() {
    const size = (this.#mask + 1) * 2, ring = new Int32Array(size);
    for (let i = this.#head; i < this.#tail; i++) ring[i & size - 1] = this.#ring[i & this.#mask];
    this.#ring = ring;
    this.#mask = size - 1;
  }
};
var Transfers = class {
  #endMs = [];
  #request = [];
  #ordinal = [];
  /** End of the next one, `Infinity` without any. */
  get nextMs() {
    return this.#endMs.length === 0 ? Infinity : this.#endMs[0];
  }
  push(endMs, request, ordinal) {
    let at = this.#endMs.length;
    this.#endMs.push(endMs);
    this.#request.push(request);
    this.#ordinal.push(ordinal);
    while (at > 0) {
      const parent = at - 1 >> 1;
      if (!this.#before(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
  }
  /** Takes the next one's request. */
  pop() {
    const request = this.#request[0], last = this.#endMs.length - 1;
    this.#swap(0, last);
    this.#endMs.pop();
    this.#request.pop();
    this.#ordinal.pop();
    for (let at = 0; ; ) {
      let child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#before(child + 1, child)) child++;
      if (!this.#before(child, at)) break;
      this.#swap(child, at);
      at = child;
    }
    return request;
  }
  /** Drops the transfers of a request whose hand-off is over. */
  drop(request) {
    const kept = [];
    for (let i = 0; i < this.#endMs.length; i++) {
      if (this.#request[i] !== request) kept.push([
        this.#endMs[i],
        this.#request[i],
        this.#ordinal[i]
      ]);
    }
    if (kept.length === this.#endMs.length) return;
    this.#endMs.length = this.#request.length = this.#ordinal.length = 0;
    for (const entry of kept) this.push(...entry);
  }
  #before(a, b) {
    const ends = this.#endMs;
    return ends[a] < ends[b] || ends[a] === ends[b] && this.#ordinal[a] < this.#ordinal[b];
  }
  #swap(a, b) {
    const end = this.#endMs[a], request = this.#request[a], ordinal = this.#ordinal[a];
    this.#endMs[a] = this.#endMs[b];
    this.#request[a] = this.#request[b];
    this.#ordinal[a] = this.#ordinal[b];
    this.#endMs[b] = end;
    this.#request[b] = request;
    this.#ordinal[b] = ordinal;
  }
};

// lib/cluster/put_off.ts
var PutOff = class {
  /** (action, request) by rank. */
  #waiting = /* @__PURE__ */ new Map();
  /** A command waits. From now on the end of the pass is looked for. */
  add(worker, rank, action, request) {
    const waiting = this.#waiting.get(rank);
    worker.putOff++;
    worker.quietUntilMs = -Infinity;
    if (waiting === void 0) this.#waiting.set(rank, [
      action,
      request
    ]);
    else waiting.push(action, request);
  }
  /** A pass of the worker has ended: what waited for it is to be carried out, rank by rank. */
  release(worker, actions) {
    if (worker.putOff === 0) return;
    worker.putOff = 0;
    for (const rank of worker.made) {
      const waiting = this.#waiting.get(rank);
      if (waiting === void 0) continue;
      this.#waiting.delete(rank);
      for (let k = 0; k < waiting.length; k += 2) actions.push(waiting[k], waiting[k + 1]);
    }
  }
};

// lib/cluster/run_alone.ts
function isAwaited(worker) {
  if (worker.putOff > 0) return true;
  for (let i = 0; i < worker.made.length; i++) if (worker.made[i].pendingDestinations > 0) return true;
  return false;
}
var RunAlone = class {
  #prefill;
  #decode;
  #endsMatter;
  #staysQuiet;
  /**
   * @param endsMatter the end of a request can cause an arrival
   * @param staysQuiet workers stay behind while nothing ends there, so that none has to go on alone beside others
   */
  constructor(prefill, decode, endsMatter, staysQuiet) {
    this.#prefill = prefill;
    this.#decode = decode;
    this.#endsMatter = endsMatter;
    this.#staysQuiet = staysQuiet;
  }
  /** @param untilMs when something happens next that no worker brings about */
  until(worker, now, untilMs) {
    if (worker.size > 1 || worker.made[0].pendingDestinations > 0) return now;
    const prefill = this.#prefill, decode = this.#decode;
    let until = untilMs;
    for (let other = decode.awakeFrom(0); other !== void 0; other = decode.awakeFrom(other.id + 1)) {
      if (other === worker) continue;
      if (this.#staysQuiet && other.inFlight) return now;
      if (!this.#endsMatter && !isAwaited(other)) continue;
      if (other.inFlight) until = Math.min(until, other.endMs);
      else if (other.ready) return now;
    }
    for (let other = prefill.awakeFrom(0); other !== void 0; other = prefill.awakeFrom(other.id + 1)) {
      if (other.inFlight) until = Math.min(until, other.endMs);
      else if (other.ready) return now;
    }
    return until;
  }
};

// lib/cluster/disaggregated.ts
var SLICE_MS2 = 6e4;
var FEW4 = 2;
var DisaggregatedCluster = class extends Cluster {
  #prefill;
  #decode;
  #destinationFirst;
  #actions = new ActionQueue();
  /** In this round a worker was ready and started nothing. */
  #triedInVain = false;
  /** Decode workers may stay behind: nothing that happens there is heard of at once. */
  #mayLag;
  #laggards;
  #alone;
  /** Workers that something reached in this round: no pass of theirs that starts now has been started. */
  #reached = [];
  #transfers = new Transfers();
  #handOffs = new HandOffs2();
  #putOff = new PutOff();
  /** Requests whose destination was refused: its rank does not know them. */
  #refused = /* @__PURE__ */ new Set();
  /** Requests that wait for a worker of their pool. */
  #unplacedPrefill = [];
  #unplacedDecode = [];
  constructor(spec, prefill, decode) {
    const pools = [
      {
        spec: prefill,
        name: "prefill",
        pool: Pool.prefill
      },
      {
        spec: decode,
        name: "decode",
        pool: Pool.decode
      }
    ];
    super(spec, pools, {
      lockStep: true,
      endsInOrder: false,
      windows: false
    });
    [this.#prefill, this.#decode] = this.pools;
    this.#destinationFirst = prefill.settings.rank.backend === "sglang";
    this.#mayLag = decode.settings.dpSize === 1 && !spec.source.reactive && this.telemetry === null && !this.#decode.router.needsEnds && !this.#decode.router.needsState && !this.#decode.router.mayQueue;
    this.staysQuiet = !this.#mayLag && (this.telemetry === null || this.limitMs === Infinity) && this.#decode.workers.length > FEW4;
    this.#alone = new RunAlone(this.#prefill, this.#decode, spec.source.reactive, this.staysQuiet);
    this.#laggards = new Laggards(this.#decode, (worker) => this.staysQuiet ? worker.isQuiet : this.lags(this.#decode, worker));
  }
  // What ranks tell.
  ended(rank, request, atMs, outcome) {
    if (outcome !== Outcome.completed) return this.#fail(request, atMs, outcome);
    this.meterEnd(this.#decode, rank, request, atMs);
    this.terminate(request, atMs, outcome);
    this.#handOffs.ended(request);
    if (this.#decode.router.needsEnds) this.#decode.router.ended(request, rank.id, atMs);
    if (this.#decode.router.mayQueue) this.#releaseQueued(this.#decode, atMs);
  }
  firstToken() {
  }
  sourceHeld(rank, request, atMs) {
    this.spec.records.hold(request, atMs);
    const { router } = this.#prefill;
    if (router.needsPrefillDone) router.prefillDone(request, rank.id, atMs);
    if (router.mayQueue) this.#releaseQueued(this.#prefill, atMs);
    this.#actions.push(this.#destinationFirst ? Action.transfer : Action.reserve, request);
  }
  reserved(rank, request, atMs, missingTokens) {
    const { records } = this.spec;
    records.disaggregated.destinationReservedMs[request] = atMs;
    records.place(request, Pool.decode, rank.id);
    this.#handOffs.missing[this.#handOffs.rowOf(request)] = missingTokens;
    this.#actions.push(this.#destinationFirst ? Action.submitPrefill : Action.transfer, request);
  }
  // The steps of a round.
  round(now) {
    const { source } = this.spec, prefill = this.#prefill, decode = this.#decode;
    let changed = this.#finishDue(prefill, now);
    if (this.#finishDue(decode, now)) changed = true;
    if (this.#settleReady(prefill, now)) changed = true;
    if (this.#settleReady(decode, now)) changed = true;
    while (this.#transfers.nextMs <= now) {
      this.#actions.push(Action.activate, this.#transfers.pop());
      changed = true;
    }
    while (!this.#actions.empty) {
      this.#perform(this.#actions.shift(), this.#actions.request, now);
      changed = true;
    }
    if (source.nextReadyMs() <= now) {
      for (let request = source.admit(now); request >= 0; request = source.admit(now)) this.#open(request, now);
      changed = true;
    }
    this.#triedInVain = false;
    let goesOn = this.#startReady(prefill, now);
    if (this.#startReady(decode, now)) goesOn = true;
    this.#laggards.starting(now, Infinity);
    if (this.#triedInVain && this.staysQuiet) this.#laggards.wakeAll(now);
    if (this.#reached.length > 0) this.#reached.length = 0;
    prefill.settleDrained(now);
    decode.settleDrained(now);
    if (this.#triedInVain) return changed || goesOn;
    return goesOn || !this.#actions.empty || this.#transfers.nextMs <= now || source.nextReadyMs() <= now || prefill.nextReadyMs <= now || decode.nextReadyMs <= now;
  }
  /** A request arrives; its first step is prepared. */
  #open(request, now) {
    this.arrive(request);
    this.#handOffs.open(request);
    this.#actions.push(this.#destinationFirst ? Action.reserve : Action.submitPrefill, request);
    this.dispatched(request, now);
  }
  /** Carries out one step of a hand-off, or puts it off until its worker's pass ends. */
  #perform(action, request, now) {
    const handOffs = this.#handOffs, row = handOffs.rowOf(request);
    switch (action) {
      case Action.submitPrefill:
        if (!handOffs.isOpen(row)) return;
        return this.#submitPrefill(request, row, now);
      case Action.reserve:
        if (!handOffs.isOpen(row)) return;
        return this.#reserve(request, now);
      case Action.transfer:
        if (!handOffs.isOpen(row)) return;
        return this.#transfer(request, row, now);
      case Action.activate:
      case Action.cancelDecode:
        return this.#command(this.#decode, handOffs.decodeRank[row], action, request, now);
      case Action.release:
      case Action.cancelPrefill:
        return this.#command(this.#prefill, handOffs.prefillRank[row], action, request, now);
      case Action.complete:
        return this.#complete(request, now);
    }
  }
  #submitPrefill(request, row, now) {
    const pool = this.#prefill;
    if (pool.count("active") === 0) {
      this.#unplacedPrefill.push(request);
      return;
    }
    const rankId = pool.router.place(request, now);
    if (rankId !== -1) this.#handPrefill(request, rankId, now, NaN);
    else {
      this.#handOffs.queuedMs[row] = now;
      pool.queued++;
    }
  }
  #handPrefill(request, rankId, now, queuedMs) {
    const { records } = this.spec, pool = this.#prefill, worker = pool.workerOf[rankId];
    checkRank(pool.router, rankId, worker !== void 0);
    this.#handOffs.prefillRank[this.#handOffs.rowOf(request)] = rankId;
    notePlacement(records, pool.router, Pool.prefill, request, worker, rankId, queuedMs, now);
    records.place(request, Pool.prefill, rankId);
    this.#meterHit(pool, request);
    pool.rank(rankId).submit(request, now);
    worker.wake(now, rankId);
  }
  #reserve(request, now) {
    const pool = this.#decode;
    if (pool.count("active") === 0) {
      this.#unplacedDecode.push(request);
      return;
    }
    const rankId = pool.router.place(request, now);
    if (rankId !== -1) this.#handDecode(request, rankId, now);
    else pool.queued++;
  }
  #handDecode(request, rankId, now) {
    const pool = this.#decode, worker = pool.workerOf[rankId];
    checkRank(pool.router, rankId, worker !== void 0);
    this.#catchUp(worker, now);
    const rank = pool.rank(rankId);
    this.#handOffs.decodeRank[this.#handOffs.rowOf(request)] = rankId;
    notePlacement(this.spec.records, pool.router, Pool.decode, request, worker, rankId, NaN);
    if (rank.offer(request, now) !== null) {
      this.#refused.add(request);
      this.#fail(request, now, Outcome.failed);
      return;
    }
    if (!worker.inFlight) rank.tryReserve(now);
    worker.wake(now, rankId);
  }
  #transfer(request, row, now) {
    const { rank } = this.#prefill.settings;
    const tokens = rank.transferTiming === "full_prompt" ? this.spec.records.inputTokens[request] : this.#handOffs.missing[row];
    const bytes = rank.transferBytesPerToken, bandwidth = rank.transferGigabytesPerSecond;
    const delayMs = bytes === null || bandwidth === null || bandwidth <= 0 ? 0 : tokens * bytes / (bandwidth * 1e9) * 1e3;
    if (delayMs > 0) this.#transfers.push(now + delayMs, request, this.#handOffs.ordinal[row]);
    else this.#actions.push(Action.activate, request);
  }
  /** A command that may only reach a worker between passes. */
  #command(pool, rankId, action, request, now) {
    if (rankId < 0 || action === Action.cancelDecode && this.#refused.delete(request)) {
      this.#afterCommand(action, request, now);
      return;
    }
    const worker = pool.workerOf[rankId], rank = pool.rank(rankId);
    if (pool === this.#decode) this.#catchUp(worker, now);
    if (worker.inFlight) return this.#putOff.add(worker, rank, action, request);
    let applied = true;
    if (action === Action.activate) rank.activate(request, now);
    else if (action === Action.release) rank.release(request, now);
    else applied = rank.cancel(request, now);
    if (applied) {
      rank.tryReserve(now);
      worker.wake(now, rankId);
    }
    this.#afterCommand(action, request, now);
  }
  #afterCommand(action, request, now) {
    const stamps = this.spec.records.disaggregated;
    if (action === Action.activate) {
      stamps.destinationActivatedMs[request] = now;
      this.#actions.push(Action.release, request);
    } else if (action === Action.release) {
      stamps.sourceReleasedMs[request] = now;
      this.#actions.push(Action.complete, request);
    } else {
      const { router } = this.#decode, { decodeRank, cancelling } = this.#handOffs;
      const row = this.#handOffs.rowOf(request);
      if (action === Action.cancelDecode && decodeRank[row] >= 0) {
        if (router.needsEnds) router.ended(request, decodeRank[row], now);
        if (router.mayQueue) this.#releaseQueued(this.#decode, now);
      }
      if (--cancelling[row] === 0) this.#complete(request, now);
    }
  }
  /** Both sides have forgotten a request: what was booked for its prompt is given back, and its hand-off is over. */
  #complete(request, now) {
    const { router } = this.#prefill, rank = this.#handOffs.prefillRank[this.#handOffs.rowOf(request)];
    if (rank >= 0) {
      if (router.needsEnds) router.ended(request, rank, now);
      if (router.mayQueue) this.#releaseQueued(this.#prefill, now);
    }
    this.#handOffs.close(request);
    this.spec.source.released?.(request, now);
  }
  /** A request ends without tokens: both sides forget it. */
  #fail(request, now, outcome) {
    this.spec.records.emit(request, 0, NaN, NaN, NaN);
    this.terminate(request, now, outcome);
    this.#transfers.drop(request);
    this.#handOffs.cancelling[this.#handOffs.rowOf(request)] = 2;
    this.#handOffs.ended(request);
    this.#actions.push(Action.cancelPrefill, request);
    this.#actions.push(Action.cancelDecode, request);
  }
  #releaseQueued(pool, now) {
    const { router } = pool;
    for (let request = router.nextReleased(now); request >= 0; request = router.nextReleased(now)) {
      pool.queued--;
      if (pool === this.#prefill) {
        const queuedMs = this.#handOffs.queuedMs[this.#handOffs.rowOf(request)];
        this.#handPrefill(request, router.placedRank, now, queuedMs);
      } else this.#handDecode(request, router.placedRank, now);
    }
  }
  #meterHit(pool, request) {
    const { overlapBlocks } = pool.router.placement;
    if (overlapBlocks < 0 || !this.watchTraffic && this.telemetry === null) return;
    const blocks = Math.ceil(this.spec.records.inputTokens[request] / this.prompts[0].blockTokens);
    if (this.watchTraffic) this.traffic.routed(overlapBlocks, blocks);
    this.telemetry?.traffic.routed(overlapBlocks, blocks);
  }
  /** Start-ups that are over; what waited for a worker is queued again. */
  #settleReady(pool, now) {
    return pool.nextReadyMs <= now && this.#join(pool, now);
  }
  /** Apart, because a function whose closures use its arguments makes an object for these at every call. */
  #join(pool, now) {
    return pool.settleReady(now, () => this.#resume(pool, now));
  }
  #resume(pool, now) {
    if (pool.router.mayQueue) this.#releaseQueued(pool, now);
    if (pool.count("active") === 0) return;
    const prefill = pool === this.#prefill;
    const waiting = prefill ? this.#unplacedPrefill : this.#unplacedDecode;
    if (prefill) this.#unplacedPrefill = [];
    else this.#unplacedDecode = [];
    for (const request of waiting) this.#actions.push(prefill ? Action.submitPrefill : Action.reserve, request);
  }
  // Passes.
  #finishDue(pool, now) {
    const quiet = this.staysQuiet && pool === this.#decode;
    let any = false;
    for (let worker = pool.awakeFrom(0); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
      if (!worker.inFlight || worker.endMs > now || this.lags(pool, worker)) continue;
      if (quiet && worker.isBehind(now)) {
        if (now < worker.quietUntilMs) continue;
        this.#laggards.advance(worker, now, false);
      } else {
        if (quiet) this.#laggards.ending(worker.id);
        this.#finish(worker, now);
      }
      any = true;
    }
    if (quiet) this.#laggards.ending(Infinity);
    return any;
  }
  /** Ends a pass: tokens first, then a try to grant a destination, then the commands that waited for it. */
  #finish(worker, now) {
    worker.finish();
    const ranks = worker.made;
    for (let i = 0; i < ranks.length; i++) if (ranks[i].tryReserve(now)) worker.readGauge(i);
    this.#putOff.release(worker, this.#actions);
  }
  /** Starts passes on all ready workers of a pool, lowest id first; returns whether something else became possible. */
  #startReady(pool, now) {
    const quiet = this.staysQuiet && pool === this.#decode;
    let any = false;
    for (let worker = pool.awakeFrom(0); worker !== void 0; worker = pool.awakeFrom(worker.id + 1)) {
      if (this.lags(pool, worker)) continue;
      worker.deferred = false;
      if (quiet) this.#laggards.starting(now, worker.id);
      while (worker.ready) {
        worker.start(now, pool === this.#decode ? this.#freeUntil(worker, now) : now);
        if (!worker.inFlight) {
          this.#triedInVain = true;
          for (let i = 0; i < worker.made.length; i++) {
            if (!worker.made[i].tryReserve(now)) continue;
            worker.finishRank(i);
            worker.deferred = false;
            any = true;
          }
          continue;
        }
        if (worker.endMs > now) {
          if (quiet && !isAwaited(worker)) worker.lookAhead();
          break;
        }
        this.#finish(worker, now);
        any = true;
      }
      worker.rest();
    }
    return any;
  }
  /** How long a decode worker can go on without anything from outside reaching it. */
  #freeUntil(worker, now) {
    if (!this.#actions.empty) return now;
    return this.#alone.until(worker, now, Math.min(this.outsideMs(), this.seenMs()));
  }
  // Workers that stay behind.
  lags(pool, worker) {
    if (!this.#mayLag || pool !== this.#decode || worker.putOff > 0 || worker.deferred) return false;
    if (worker.state !== "active" || worker.made.length === 0) return false;
    const rank = worker.made[0];
    return rank.pendingDestinations === 0 && (worker.inFlight || rank.ready);
  }
  /** Brings a worker that lags to `now`, where something reaches it. */
  #catchUp(worker, now) {
    if (this.staysQuiet) {
      if (worker.isBehind(now)) this.#laggards.catchUp(worker, now);
      return;
    }
    const started = this.#laggards.started(worker, now) && !this.#reached.includes(worker);
    if (this.lags(this.#decode, worker)) this.#laggards.advance(worker, now, started);
    this.#reached.push(worker);
  }
  failureOf(failure) {
    return this.#laggards.firstFailure(failure, this.nowMs);
  }
  /** In slices, so that a driver can show progress or stop. */
  *runOut() {
    for (let until = this.nowMs + SLICE_MS2; until < this.limitMs && this.#laggards.nextMs < Infinity; ) {
      this.#laggards.advanceAll(until, false);
      yield {
        virtualMs: until,
        ended: this.spec.records.ended
      };
      until = Math.max(until, this.#laggards.nextMs) + SLICE_MS2;
    }
    this.#laggards.advanceAll(this.limitMs, true);
  }
  reach(now, tick) {
    if (!this.#mayLag || !tick && now !== this.#prefill.nextReadyMs && now !== this.#decode.nextReadyMs) return true;
    this.#laggards.advanceAll(now, false);
    return !(this.finished() && Math.max(this.nowMs, this.#laggards.lastEventMs) < now);
  }
  bring(now) {
    if (this.#mayLag || this.staysQuiet) this.#laggards.advanceAll(now, true);
  }
  // Ticks and ends.
  ownNextMs() {
    return this.#transfers.nextMs;
  }
  get underWay() {
    return this.#handOffs.underWay > 0;
  }
  rescaled(pool, now) {
    this.#resume(pool, now);
  }
  lastMs() {
    if (this.limitMs < Infinity) this.#laggards.advanceAll(this.limitMs, true);
    let end = this.nowMs;
    for (const worker of this.#decode.workers) end = Math.max(end, Math.min(worker.lastEventMs, this.limitMs));
    return end;
  }
  deadEnd() {
    const { records } = this.spec;
    const attempted = [
      ...this.#prefill.workers,
      ...this.#decode.workers
    ].some((worker) => worker.made.some((rank) => rank.ready));
    const left = records.admitted - records.ended;
    throw new SimulationError("replay invariant violated: offline disagg replay " + (attempted ? "encountered an effect-free zero-duration pass" : "reached a dead end") + ` with ${left} in-flight requests remaining`);
  }
};

// lib/report/worker_rows.ts
function workerRows(workers, { byPrefillRank, byDecodeRank }) {
  return workers.map(({ pool, id, firstRank, ranks, aliveMs, blocks, peakHeldBlocks, heldBlockMs }) => {
    const byRank = pool === "prefill" ? byPrefillRank : byDecodeRank;
    let completed = 0;
    for (let rank = firstRank; rank < firstRank + ranks; rank++) completed += byRank[rank] ?? 0;
    return {
      pool,
      worker_id: id,
      alive_s: aliveMs / 1e3,
      completed_requests: completed,
      kv_use_mean: aliveMs > 0 ? heldBlockMs / aliveMs / blocks : null,
      kv_use_peak: peakHeldBlocks / blocks
    };
  });
}

// lib/collections/kept.ts
var Kept = class {
  #last = null;
  #keys = [];
  /** The value, or the one before when both are equal. */
  keep(value) {
    const last = this.#last, before = this.#keys;
    if (value === last) return value;
    const keys = Object.keys(value);
    let same = last !== null && keys.length === before.length;
    for (let i = 0; same && i < keys.length; i++) {
      const key = keys[i];
      same = key === before[i] && Object.is(last[key], value[key]);
    }
    if (same) return last;
    this.#keys = keys;
    return this.#last = value;
  }
};
var KeptList = class {
  #last = [];
  /** The list, or the one before when both have the same elements. */
  keep(list) {
    const last = this.#last;
    let same = list.length === last.length;
    for (let i = 0; same && i < last.length; i++) same = list[i] === last[i];
    return same ? last : this.#last = [
      ...list
    ];
  }
};

// lib/report/telemetry.ts
var DEFAULT_INTERVAL_MS = 1e3;
var NO_TRAFFIC = {
  duration_s: 0,
  arriving_requests: 0,
  completed_requests: 0,
  avg_isl: 0,
  avg_osl: 0,
  avg_ttft_ms: 0,
  avg_itl_ms: 0,
  ttft_count: 0,
  itl_count: 0,
  avg_router_kv_hit_rate: 0,
  router_kv_hit_rate_count: 0,
  avg_accept_length: null,
  accept_length_forward_count: 0
};
var TelemetryCollector = class {
  #intervalMs;
  /** Samples that differ from the one before in more than their times, and how often each was repeated. */
  #told = [];
  #repeats = [];
  #count = 0;
  #lastMs = 0;
  // What stays the same between samples is kept once.
  #traffic = new Kept();
  #intervals = {
    prefill: new Kept(),
    decode: new Kept()
  };
  #startMs = 0;
  /** @param intervalMs virtual milliseconds between samples; default 1000 */
  constructor(intervalMs = DEFAULT_INTERVAL_MS) {
    if (!(intervalMs > 0 && Number.isFinite(intervalMs))) {
      throw new ConfigError(`telemetry_sample_interval_ms must be a positive finite number, got ${intervalMs}`);
    }
    this.#intervalMs = intervalMs;
  }
  /** When the next periodic sample is due: a multiple of the interval after the start, so round-off does not add up. */
  get nextSampleMs() {
    return this.#atMs(this.#count);
  }
  #atMs(ordinal) {
    return this.#startMs + ordinal * this.#intervalMs;
  }
  /** The state before anything counts; its traffic is empty whatever has arrived already. */
  baseline(nowMs, view) {
    this.#startMs = this.#lastMs = nowMs;
    const interval = {
      cache_hit_tokens: 0,
      cache_total_tokens: 0,
      preemptions: 0
    };
    this.#tell(this.#sample("baseline", nowMs, {
      ...NO_TRAFFIC
    }, {
      prefill: {
        ...view.prefill,
        interval
      },
      decode: {
        ...view.decode,
        interval
      }
    }));
  }
  /** What happened since the previous sample. */
  periodic(nowMs, view) {
    this.#tell(this.#sample("periodic", nowMs, trafficFields(view.traffic), view));
  }
  /** Nothing happened since the previous sample, nor in the interval before it: only the times are others. */
  repeat(nowMs) {
    this.#repeats[this.#repeats.length - 1]++;
    this.#count++;
    this.#lastMs = nowMs;
  }
  /** The last sample; left out when no time has passed and nothing was counted since the previous one. */
  final(nowMs, view) {
    const traffic = trafficFields(view.traffic);
    if (nowMs === this.#lastMs && !counted(traffic, view)) return;
    this.#tell(this.#sample("final", nowMs, traffic, view));
  }
  /** The section; repeated samples are made when `samples` is first read. */
  telemetry() {
    const all = () => [
      ...this.#all()
    ];
    let samples = null;
    return {
      sample_interval_ms: this.#intervalMs,
      get samples() {
        return samples ??= all();
      }
    };
  }
  *#all() {
    for (let i = 0; i < this.#told.length; i++) {
      let sample = this.#told[i];
      yield sample;
      for (let k = this.#repeats[i]; k > 0; k--) yield sample = this.#again(sample);
    }
  }
  /** The sample that repeats another. */
  #again(sample) {
    const ordinal = sample.sample_ordinal + 1, startMs = sample.sampled_at_ms, nowMs = this.#atMs(ordinal);
    const durationS = (nowMs - startMs) / 1e3;
    const traffic = durationS === sample.traffic.duration_s ? sample.traffic : {
      ...sample.traffic,
      duration_s: durationS
    };
    return {
      ...sample,
      sample_ordinal: ordinal,
      interval_start_ms: startMs,
      sampled_at_ms: nowMs,
      traffic
    };
  }
  #tell(sample) {
    this.#told.push(sample);
    this.#repeats.push(0);
    this.#count++;
    this.#lastMs = sample.sampled_at_ms;
  }
  #sample(kind, nowMs, traffic, { prefill, decode }) {
    return {
      sample_ordinal: this.#count,
      kind,
      interval_start_ms: this.#lastMs,
      sampled_at_ms: nowMs,
      traffic: isQuiet(traffic) ? this.#traffic.keep(traffic) : traffic,
      prefill_scheduler_metrics: prefill.schedulers,
      decode_scheduler_metrics: decode.schedulers,
      prefill_interval_metrics: this.#intervals.prefill.keep(prefill.interval),
      decode_interval_metrics: this.#intervals.decode.keep(decode.interval),
      router_pending_prefill_requests: prefill.pendingRequests,
      router_pending_decode_requests: decode.pendingRequests,
      active_prefill_ids: prefill.active,
      active_decode_ids: decode.active,
      starting_prefill_ids: prefill.starting,
      starting_decode_ids: decode.starting,
      draining_prefill_ids: prefill.draining,
      draining_decode_ids: decode.draining
    };
  }
};
function trafficFields(window) {
  return {
    duration_s: window.durationS,
    arriving_requests: window.requests,
    completed_requests: window.shapeCount,
    avg_isl: window.meanInputTokens,
    avg_osl: window.meanOutputTokens,
    avg_ttft_ms: window.meanTtftMs,
    avg_itl_ms: window.meanItlMs,
    ttft_count: window.ttftCount,
    itl_count: window.itlCount,
    avg_router_kv_hit_rate: window.meanKvHitRate,
    router_kv_hit_rate_count: window.kvHitRateCount,
    avg_accept_length: window.meanAcceptLength,
    accept_length_forward_count: window.acceptLengthForwards
  };
}
function isQuiet({ arriving_requests, completed_requests, accept_length_forward_count }) {
  return arriving_requests + completed_requests + accept_length_forward_count === 0;
}
function counted(traffic, { prefill, decode }) {
  const counters = [
    traffic.arriving_requests,
    traffic.completed_requests,
    traffic.ttft_count,
    traffic.itl_count,
    traffic.router_kv_hit_rate_count,
    traffic.accept_length_forward_count,
    ...Object.values(prefill.interval),
    ...Object.values(decode.interval)
  ];
  return counters.some((count) => count > 0);
}

// lib/replay/simulate.ts
var OPTIONS2 = {
  traffic: true,
  pools: true,
  policy: true,
  plannerSection: true,
  sla: true,
  price: true,
  maxVirtualMs: true,
  reportsCutoff: true,
  capturePerRequest: true,
  telemetryIntervalMs: true,
  observe: true,
  hostMs: true,
  startedHostMs: true
};
var POOL_OPTIONS = {
  settings: true,
  replicas: true,
  timing: true,
  router: true,
  sequences: true
};
function gpusPerWorker(settings) {
  return settings.tensorParallel * settings.dpSize;
}
function* simulate(simulation) {
  checkOptions("simulate()", simulation, OPTIONS2);
  const { traffic, pools } = simulation;
  const hostMs = simulation.hostMs ?? (() => 0), started = simulation.startedHostMs ?? hostMs();
  if (pools.length < 1 || pools.length > 2) throw new RangeError(`a cluster has one or two pools, got ${pools.length}`);
  for (const pool of pools) checkOptions("simulate(): pools", pool, POOL_OPTIONS);
  const decode = pools[pools.length - 1], prefill = pools.length > 1 ? pools[0] : null;
  const { count, inputTokens, playIds } = traffic.workload, { sla = null, capturePerRequest = false } = simulation;
  const { maxVirtualMs = Infinity } = simulation;
  const source = traffic.start(), { spanMs } = source;
  const served = new ServedRequests(sla, count, spanMs && spanMs[1] <= maxVirtualMs ? spanMs : null);
  const records = new RequestRecords({
    capacity: count,
    history: capturePerRequest,
    keepsEnded: capturePerRequest || playIds !== null,
    disaggregated: prefill !== null,
    inputTokens,
    listener: served
  });
  simulation.observe?.(records);
  const gaps = new GapStatistics();
  const { telemetryIntervalMs = null } = simulation;
  const telemetry = telemetryIntervalMs === null ? null : new TelemetryCollector(telemetryIntervalMs);
  const spec = {
    source,
    records,
    sink: gaps,
    policy: simulation.policy ?? null,
    maxVirtualMs,
    telemetry
  };
  const cluster = prefill === null ? new AggregatedCluster(spec, decode) : new DisaggregatedCluster(spec, prefill, decode);
  const outcome = yield* cluster.run();
  const handOffs = records.disaggregated;
  const handsOff = (request) => handOffs !== null && records.status[request] === Outcome.completed && !Number.isNaN(handOffs.sourceHeldMs[request]) && Number.isNaN(handOffs.sourceReleasedMs[request]);
  const building = buildReport({
    records,
    served,
    workload: source.workload,
    gaps,
    sla,
    price: simulation.price ?? null,
    agents: source.agentOutcome?.(handsOff),
    planner: simulation.plannerSection?.(outcome) ?? null,
    telemetry: telemetry?.telemetry(),
    workers: workerRows(outcome.workers, served),
    totals: {
      cutoffRequests: simulation.reportsCutoff ? {
        keptOut: count - records.admitted,
        unfinished: records.admitted - records.ended
      } : void 0,
      prefillWorkerSeconds: outcome.prefillWorkerSeconds,
      decodeWorkerSeconds: outcome.decodeWorkerSeconds,
      prefillGpusPerWorker: prefill === null ? 0 : gpusPerWorker(prefill.settings),
      decodeGpusPerWorker: gpusPerWorker(decode.settings),
      committedPrefillTokens: outcome.committedPrefillTokens,
      wallMs: hostMs() - started,
      largestPromptTokens: Math.min(...pools.map(({ settings }) => largestPrompt(settings)))
    }
  });
  for (let step = building.next(); ; step = building.next()) {
    if (step.done) return step.value;
    yield {
      virtualMs: outcome.endMs,
      ended: records.ended
    };
  }
}
function largestPrompt({ rank }) {
  return Math.min(rank.blocks * rank.blockTokens, rank.maxModelTokens - 1);
}

// lib/replay/run_evidence.ts
var run_evidence_exports = {};
__export(run_evidence_exports, {
  RunEvidence: () => RunEvidence
});

// lib/timing/pass_sampler.ts
var MOST2 = 32;
var FIELDS3 = 7;
var PassSampler = class {
  #base;
  ranks;
  mixedMs;
  inOrder = true;
  #sumMs = 0;
  #stepMs = 1;
  #nextMs = 1;
  #kept = new Float64Array(MOST2 * FIELDS3);
  #count = 0;
  constructor(base) {
    this.#base = base;
    this.ranks = base.ranks;
    if (base.mixedMs !== void 0) this.mixedMs = this.#mixedMs;
  }
  prefillMs(requests2, newTokens, prefixTokens) {
    const ms = this.#base.prefillMs(requests2, newTokens, prefixTokens);
    if (!(this.#sumMs + ms < this.#nextMs)) {
      this.#keep(ms, requests2, requests2 * newTokens, requests2 * prefixTokens, 0, 0);
    }
    this.#sumMs += ms;
    return ms;
  }
  decodeMs(requests2, contextTokens, capacityTokens, squaredTokens = 0) {
    const ms = this.#base.decodeMs(requests2, contextTokens, capacityTokens, squaredTokens);
    if (!(this.#sumMs + ms < this.#nextMs)) this.#keep(ms, 0, 0, 0, requests2, contextTokens);
    this.#sumMs += ms;
    return ms;
  }
  #mixedMs(prompts, newTokens, priorTokens, decodes, contextTokens) {
    const ms = this.#base.mixedMs(prompts, newTokens, priorTokens, decodes, contextTokens);
    if (!(this.#sumMs + ms < this.#nextMs)) this.#keep(ms, prompts, newTokens, priorTokens, decodes, contextTokens);
    this.#sumMs += ms;
    return ms;
  }
  /** The passes that were kept. Their shares add up to 1, unless nothing was. */
  passes() {
    const kept = this.#kept, crossings = [];
    for (let i = 0; i < this.#count; i++) crossings.push(this.#crossings(i));
    const all = crossings.reduce((sum, count) => sum + count, 0);
    return crossings.map((count, i) => {
      const [, , prompts, newTokens, priorTokens, decodes, contextTokens] = kept.subarray(i * FIELDS3, (i + 1) * FIELDS3);
      return {
        share: count / all,
        prompts,
        newTokens,
        priorTokens,
        decodes,
        contextTokens
      };
    });
  }
  #keep(ms, ...sums) {
    if (!Number.isFinite(ms)) return;
    if (this.#count === MOST2) this.#halve();
    const end = this.#sumMs + ms;
    if (end < this.#nextMs) return;
    this.#kept.set([
      this.#sumMs,
      ms,
      ...sums
    ], this.#count++ * FIELDS3);
    this.#nextMs = (Math.floor(end / this.#stepMs) + 1) * this.#stepMs;
  }
  /** Doubles the step, until half of the room is free at least. */
  #halve() {
    while (this.#count > MOST2 / 2) {
      this.#stepMs *= 2;
      let kept = 0;
      for (let i = 0; i < this.#count; i++) {
        if (this.#crossings(i) > 0) this.#kept.copyWithin(kept++ * FIELDS3, i * FIELDS3, (i + 1) * FIELDS3);
      }
      this.#count = kept;
    }
    this.#nextMs = (Math.floor(this.#sumMs / this.#stepMs) + 1) * this.#stepMs;
  }
  /** Multiples of the step that a kept pass crosses. */
  #crossings(i) {
    const from = this.#kept[i * FIELDS3], to = from + this.#kept[i * FIELDS3 + 1];
    return Math.floor(to / this.#stepMs) - Math.floor(from / this.#stepMs);
  }
};

// lib/replay/run_evidence.ts
var RunEvidence = class {
  /** By role; null where times are not measured, or not by the role's own deployment. */
  #roles;
  /** @param ready timing models that replace a role's own */
  constructor(roles, ready = []) {
    this.#roles = roles.map(({ measured, settings, spec }, i) => measured === null || ready[i] !== void 0 ? null : {
      deployment: measured,
      settings,
      replicas: spec.replicas,
      evidence: new Evidence(measured),
      sampler: null
    });
  }
  /**
   * Warnings by a usual prompt and usual decode steps of a load, each once.
   *
   * @param concurrency sessions that are open at once, where the load says so
   */
  expected(workload, concurrency) {
    const warnings = this.#roles.flatMap((role) => {
      if (role === null) return [];
      const passes = probes(expectedLoad(workload, role, concurrency)).filter(of(role.settings.rank.role));
      return [
        ...precisionWarnings(role.deployment, passes),
        ...role.evidence.ofEach(passes)
      ];
    });
    return [
      ...new Set(warnings)
    ];
  }
  /** The pools, their passes looked at. */
  watched(pools) {
    return pools.map((pool, i) => {
      const role = this.#roles[i];
      return role === null ? pool : {
        ...pool,
        timing: role.sampler = new PassSampler(pool.timing)
      };
    });
  }
  /** Warnings by the passes that took the run's time, about what was not told before it. */
  played() {
    return this.#roles.flatMap((role) => {
      if (role === null || role.sampler === null) return [];
      const { settings: { rank }, deployment: { nextn }, evidence, sampler } = role;
      const passes = sampler.passes().map((pass) => ({
        share: pass.share,
        load: loadOf(pass, nextn + 1)
      }));
      return evidence.ofAll(`the time of ${rank.role} passes`, passes);
    });
  }
};
var of = (role) => ({ num_decode_requests: decodes = 0 }) => role === "aggregated" || role === "decode" === decodes > 0;
function loadOf({ prompts, newTokens, priorTokens, decodes, contextTokens }, width) {
  return {
    num_prefill_requests: prompts,
    sum_prefill_tokens: newTokens,
    sum_prefill_kv_tokens: priorTokens,
    num_decode_requests: decodes * width,
    sum_decode_kv_tokens: contextTokens * width
  };
}
var USUAL_BATCH = 32;
function expectedLoad({ inputTokens, outputTokens, count }, { settings: { rank, dpSize }, replicas }, concurrency) {
  if (count === 0) return void 0;
  const mean = (tokens) => tokens.reduce((sum, value) => sum + value, 0) / count;
  const promptTokens = Math.max(Math.round(mean(inputTokens)), 1);
  const open = concurrency === void 0 ? USUAL_BATCH : Math.ceil(concurrency / (replicas * dpSize));
  return {
    promptTokens,
    contextTokens: promptTokens + Math.round(mean(outputTokens) / 2),
    batch: Math.min(open, rank.maxSequences),
    passTokens: rank.maxBatchedTokens
  };
}

// lib/traffic/held_back.ts
function heldBack(traffic, ms) {
  return ms === 0 ? traffic : {
    ...traffic,
    start: () => new HeldBack(traffic.start(), ms)
  };
}
var HeldBack = class {
  #inner;
  #ms;
  workload;
  reactive;
  agentOutcome;
  constructor(inner, ms) {
    this.#inner = inner;
    this.#ms = ms;
    this.workload = inner.workload;
    this.reactive = inner.reactive;
    if (inner.agentOutcome) this.agentOutcome = (handsOff) => inner.agentOutcome(handsOff);
  }
  get arrivalMs() {
    return this.#inner.arrivalMs;
  }
  nextReadyMs() {
    return this.#inner.nextReadyMs() + this.#ms;
  }
  admit(nowMs) {
    const readyMs = this.#inner.nextReadyMs();
    return nowMs < readyMs + this.#ms ? -1 : this.#inner.admit(Math.max(nowMs - this.#ms, readyMs));
  }
  ended(request, nowMs, status, emitted) {
    this.#inner.ended(request, nowMs, status, emitted);
  }
  released(request, nowMs) {
    this.#inner.released?.(request, nowMs);
  }
  dispatched(request, nowMs) {
    this.#inner.dispatched(request, nowMs);
  }
  exhausted() {
    return this.#inner.exhausted();
  }
  promptRuns(request) {
    return this.#inner.promptRuns(request);
  }
};

// lib/replay/drive.ts
var PAUSE_EVERY_MS = 100;
var Driver = class {
  #run;
  #options;
  #pausedMs = performance.now();
  #progress;
  constructor(run, options) {
    this.#run = run;
    this.#options = options;
    this.#progress = {
      requestsDone: 0,
      requestsTotal: options.requestsTotal,
      virtualMs: 0
    };
  }
  /**
   * Goes on to the next thing the run yields, and does what has to be done there.
   *
   * @returns the report, once the run is over
   */
  async step() {
    const step = this.#run.next();
    if (step.done) return step.value;
    const { signal } = this.#options;
    signal?.throwIfAborted();
    if (isPending(step.value)) {
      await this.#work(step.value);
    } else if (performance.now() - this.#pausedMs < PAUSE_EVERY_MS) {
      return null;
    } else {
      const { ended, virtualMs } = step.value;
      this.#progress = {
        ...this.#progress,
        requestsDone: ended,
        virtualMs
      };
      this.#look();
      await pause();
      signal?.throwIfAborted();
    }
    this.#pausedMs = performance.now();
    return null;
  }
  #look() {
    this.#options.onProgress?.(this.#progress);
  }
  /** Does pending work while progress goes on being told; what that throws ends the work. */
  async #work(pending) {
    const { work, signal } = this.#options;
    if (work === void 0) throw new TypeError("the policy leaves work to a driver that does none");
    const stop = new AbortController();
    const end = every(PAUSE_EVERY_MS, () => {
      try {
        this.#look();
      } catch (reason2) {
        stop.abort(reason2);
      }
    });
    try {
      await work(pending, signal ? AbortSignal.any([
        signal,
        stop.signal
      ]) : stop.signal, (done, known) => {
        this.#progress = {
          ...this.#progress,
          sweep: {
            done,
            known
          }
        };
      });
    } finally {
      end();
    }
    this.#progress = {
      ...this.#progress,
      sweep: null
    };
    this.#look();
    signal?.throwIfAborted();
  }
};

// lib/replay/fit.ts
function misfits(workload, { role, settings: { rank } }) {
  const found = [];
  const { capacity, prompt, sequence } = largest2(workload, rank.blocks * rank.blockTokens, rank.maxModelTokens);
  const pool = `${rank.blocks} KV blocks of ${rank.blockTokens} tokens hold ${capacity}`;
  if (rank.role !== "decode" && !rank.chunkedPrefill && prompt > rank.maxBatchedTokens) {
    found.push(`${role}: the largest prompt has ${prompt} tokens, max_batched_tokens is ${rank.maxBatchedTokens}, and enable_chunked_prefill is false: ` + (rank.prefixCaching ? "unless enough of it is cached, it never starts" : "it never starts") + "; raise max_batched_tokens or let prompts be computed in chunks");
  }
  if (rank.backend === "vllm" && rank.role !== "prefill" && sequence > capacity) {
    found.push(`${role}: the longest sequence has ${sequence} tokens (prompt and output), and ${pool}: it never ends; give the KV cache more blocks, or limit context_length`);
  }
  if (rank.backend === "sglang") {
    const pages = (tokens) => Math.ceil(tokens / rank.blockTokens) * rank.blockTokens;
    const output = rank.role === "prefill" ? 0 : Math.min(sequence - prompt, rank.sglang.clipMaxNewTokens);
    if (pages(prompt) + output + rank.blockTokens > capacity) {
      found.push(`${role}: a prompt of ${prompt} tokens and room for its output need more than ${pool}: it never starts; give the KV cache more blocks`);
    }
  }
  return found;
}
function largest2({ count, inputTokens, outputTokens }, capacity, maxTokens) {
  let prompt = 0, sequence = 0;
  const most = Math.min(capacity, maxTokens - 1);
  for (let r = 0; r < count; r++) {
    const input = inputTokens[r];
    if (input > most) continue;
    prompt = Math.max(prompt, input);
    sequence = Math.max(sequence, Math.min(input + outputTokens[r], maxTokens));
  }
  return {
    capacity,
    prompt,
    sequence
  };
}
function whyStuck(workload, roles) {
  const known = roles.flatMap((role) => misfits(workload, role));
  if (known.length > 0) return known.join("; ");
  return roles.map(({ role, settings: { rank } }) => {
    const { prompt, sequence } = largest2(workload, Infinity, Infinity);
    return `${role}: the largest prompt has ${prompt} tokens, the longest sequence ${sequence}; a rank has ${rank.blocks} KV blocks of ${rank.blockTokens} tokens and takes ${rank.maxBatchedTokens} tokens a pass`;
  }).join("; ");
}
function coarseBlocks(workload, { role, settings: { rank } }) {
  const { blockTokens, blockIds } = workload;
  if (!rank.prefixCaching || rank.blockTokens <= blockTokens) return void 0;
  const distinct = blockIds.reduce((most, id) => Math.max(most, id), -1) + 1;
  if (distinct === blockIds.length) return void 0;
  return `${role}: KV blocks of ${rank.blockTokens} tokens on a load whose blocks have ${blockTokens}: only prefixes of whole KV blocks are shared; a block_size of ${blockTokens} keeps the reuse that was recorded`;
}

// lib/replay/reach.ts
function outOfReach({ ttftMs, itlMs }, pools, { inputTokens, outputTokens, count }) {
  if (count === 0) return [];
  const mean = (tokens) => tokens.reduce((sum, value) => sum + value, 0) / count;
  const estimator = ({ timing, settings: { rank } }) => timingEstimator(timing, rank.blocks * rank.blockTokens);
  return unreachableBounds({
    ttftMs,
    itlMs,
    inputTokens: mean(inputTokens),
    outputTokens: mean(outputTokens),
    prefill: estimator(pools[0]),
    decode: estimator(pools[pools.length - 1]),
    maxBatchedTokens: pools[0].settings.rank.maxBatchedTokens
  });
}

// lib/timing/calibration/calibrated_timing.ts
function calibratedTiming(base, model, { correction = null, mixed = "sum" }) {
  if (mixed === "sum" && correction?.shares) return new SummedTiming(base, correction);
  const corrected = correction === null ? base : new CorrectedTiming(base, correction);
  return mixed === "sum" ? corrected : new FusedTiming(corrected, model, correction);
}
var CorrectedTiming = class {
  #base;
  #correction;
  /** The correction counts the passes that it is asked about. */
  inOrder = true;
  ranks;
  /** Decode steps whose sequences know a token each, by their number: what attention does not take. */
  #emptyMs = [];
  constructor(base, correction) {
    this.#base = base;
    this.#correction = correction;
    this.ranks = base.ranks;
  }
  prefillMs(requests2, newTokens, prefixTokens) {
    const ms = this.#base.prefillMs(requests2, newTokens, prefixTokens);
    const correction = this.#correction;
    return correction.stride * correction.passMs(ms, requests2 * newTokens, 0, requests2 * prefixTokens, 0, requests2);
  }
  decodeMs(requests2, contextTokens, capacityTokens, squaredTokens = 0) {
    const correction = this.#correction;
    let ms = this.#base.decodeMs(requests2, contextTokens, capacityTokens);
    if (correction.uneven > 0 && squaredTokens > 0 && requests2 > 1) {
      const emptyMs = this.#emptyMs[requests2] ??= this.#base.decodeMs(requests2, requests2, capacityTokens);
      ms += correction.uneven * unevenness(requests2, contextTokens, squaredTokens) * Math.max(ms - emptyMs, 0);
    }
    return correction.stride * correction.passMs(ms, 0, requests2, 0, contextTokens);
  }
};
var SummedTiming = class extends CorrectedTiming {
  #shared;
  constructor(base, correction) {
    super(base, correction);
    this.#shared = correction;
  }
  mixedMs(prompts, newTokens, priorTokens, decodes, contextTokens) {
    const prefix = Math.floor(priorTokens / prompts), fresh = Math.floor((priorTokens + newTokens) / prompts) - prefix;
    const decodeMs = this.decodeMs(decodes, contextTokens, Infinity);
    if (fresh <= 0) return decodeMs;
    const sharedMs = this.#shared.stride * this.#shared.sharedMs(prompts * fresh, decodes);
    return this.prefillMs(prompts, fresh, prefix) + decodeMs - sharedMs;
  }
};
var FusedTiming = class {
  #base;
  #model;
  #correction;
  inOrder;
  ranks;
  constructor(base, model, correction) {
    this.#base = base;
    this.#model = model;
    this.#correction = correction;
    this.inOrder = base.inOrder ?? false;
    this.ranks = base.ranks;
  }
  prefillMs(requests2, newTokens, prefixTokens) {
    return this.#base.prefillMs(requests2, newTokens, prefixTokens);
  }
  decodeMs(requests2, contextTokens, capacityTokens, squaredTokens = 0) {
    return this.#base.decodeMs(requests2, contextTokens, capacityTokens, squaredTokens);
  }
  mixedMs(prompts, newTokens, priorTokens, decodes, contextTokens) {
    const width = this.#model.nextn + 1;
    const ms = this.#model.sumsMs(prompts, newTokens, priorTokens, decodes * width, (contextTokens + decodes) * width);
    const correction = this.#correction;
    if (correction === null) return ms;
    const mixedMs = correction.passMs(ms, newTokens, decodes, priorTokens, contextTokens, prompts);
    return correction.stride * (mixedMs + correction.besideMs);
  }
};

// lib/replay/roles.ts
async function closeRole(role, deployments) {
  if (!(Number.isSafeInteger(role.replicas) && role.replicas >= 1)) {
    throw new ConfigError(`invalid replay spec: ${poolName(role)} pool must start with at least one worker`);
  }
  try {
    return await closed(role, deployments);
  } catch (error) {
    throw error instanceof ConfigError ? ofRole(role, error) : error;
  }
}
function ofRole({ role }, error) {
  const ours = ({ path }) => path.startsWith("parallelism.");
  if (!error.issues.some(ours)) return error;
  const place = (issue) => ours(issue) ? {
    ...issue,
    path: `engine.workers.${role}.${issue.path}`
  } : issue;
  return new ConfigError(error.message, error.issues.map(place), {
    cause: error
  });
}
async function closed(role, deployments) {
  const { open } = role;
  const answered = open ? await answers(role, open, deployments) : null;
  const launch = open && answered ? workerLaunch({
    ...open,
    launch: role.launch
  }, answered) : role.launch;
  const settings = parseLaunch(launch), { rank } = settings;
  const ranks = role.replicas * settings.dpSize;
  if (ranks > MOST_RANKS) {
    const message = `${poolName(role)} has ${ranks} ranks (replicas \xD7 attention_data), and at most ${MOST_RANKS} are simulated`;
    throw new ConfigError(message, [
      {
        path: `engine.workers.${role.role}.parallelism`,
        message
      }
    ]);
  }
  const timed = rank.timing.type === "external";
  const model = await modelBehind(role, timed, deployments);
  const calibration = timed ? await calibrationOf(role, deployments) : null, profile = calibration && calibration.profile;
  return {
    spec: {
      ...role,
      launch,
      open: null,
      ...profile === null ? {} : {
        passTiming: {
          ...role.passTiming,
          calibration: profile
        }
      }
    },
    calibration,
    settings,
    resolved: {
      role: role.role,
      blocks: rank.blocks,
      blockTokens: rank.blockTokens,
      blocksFrom: open?.capacity.type === "default" ? "memory model" : "configured",
      capacity: answered?.capacity ?? null,
      maxModelTokens: Number.isFinite(rank.maxModelTokens) ? rank.maxModelTokens : null,
      assumed: model.assumed,
      calibration: profile && profile.level
    },
    measured: timed ? model.deployment : null
  };
}
async function calibrationOf({ role, estimator, passTiming }, deployments) {
  const given = passTiming?.calibration ?? null;
  if (given === null) return null;
  if (!estimator) throw new ConfigError(`the ${role} role has a calibration and names no model`);
  const profile = typeof given === "string" ? await readCalibration(given) : parseCalibration(given);
  const { calibrationKey, requireKey } = await import(import.meta.resolve("./lib.timing.calibration.key.js"));
  const key = calibrationKey(estimator.model, await deployments.of(estimator));
  const forced = passTiming?.forced ?? false;
  const differs = requireKey(profile, key, {
    path: `engine.workers.${role}.timing.calibration`,
    forced
  });
  return {
    profile,
    differs,
    correction: new PassCorrection(profile)
  };
}
async function modelBehind({ estimator, open }, timed, deployments) {
  if (!estimator || !(timed || open?.capacity.type === "default")) return {
    assumed: null,
    deployment: null
  };
  const deployment = await deployments.of(estimator), { assumptionsOf } = await operatorDatabase();
  return {
    assumed: assumptionsOf(deployment),
    deployment
  };
}
var MOST_RANKS = 2e4;
var poolName = ({ role }) => role;
async function answers({ role, launch, estimator }, { capacity, contextTokens, transferBytesPerToken }, deployments) {
  const identity = () => {
    if (!estimator) throw new ConfigError(`the ${role} role leaves numbers to its model and does not name one`);
    return estimator;
  };
  const known = capacity.type === "fixed" ? void 0 : kvBlocks(role, launch, capacity, identity(), await deployments.of(identity()));
  return {
    blocks: known?.blocks,
    capacity: known?.capacity ?? null,
    maxModelTokens: contextTokens === "max" ? await longestContext(identity()) : void 0,
    transferBytesPerToken: transferBytesPerToken === "auto" ? await bytesPerToken(identity()) : void 0
  };
}
async function makePool(role, router, deployments, { timing, stack = "dynamo" } = {}) {
  const { spec: { replicas }, settings } = role;
  return {
    settings,
    replicas,
    router,
    timing: timing ?? await timingOf(role, deployments, stack)
  };
}
async function timingOf({ settings: { rank: { timing } }, spec: { estimator = null, passTiming }, calibration }, deployments, stack) {
  if (timing.type === "fixed") return fixed({
    prefillMs: timing.prefillMs,
    decodeMs: timing.decodeMs
  });
  if (timing.type === "polynomial") return polynomial();
  if (estimator === null) throw new ConfigError("measured timing needs the identity of a model and its hardware");
  const measured = await deployments.timing(estimator, {
    stack
  });
  const mixed = passTiming?.mixed ?? (calibration === null ? "sum" : "fused");
  if (calibration === null && mixed === "sum") return measured;
  const model = (await deployments.of(estimator)).forwardPassModel();
  return calibratedTiming(measured, model, {
    correction: calibration && calibration.correction,
    mixed
  });
}
function kvBlocks(role, launch, { memoryFraction, cudaGraphReservedBytes }, { model, system, kv_block_size }, deployment) {
  const engine = launch.engine;
  const found = deployment.kvCapacity({
    maxBatchedTokens: engine.max_num_batched_tokens ?? 8192,
    memoryFraction,
    reservedBytes: cudaGraphReservedBytes
  });
  const blocks = Math.floor(found.tokens / kv_block_size);
  if (blocks > 0) return {
    blocks,
    capacity: found
  };
  const message = `${model} leaves no room for a KV cache on ${system}; use more GPUs or a larger memory_fraction`;
  throw new ConfigError(message, [
    {
      path: `engine.workers.${role}.kv_cache.capacity`,
      message
    }
  ]);
}
async function longestContext({ model }) {
  const { loadModel, maxContextLength } = await operatorDatabase();
  return maxContextLength(await loadModel(model));
}
async function bytesPerToken({ model, tp, kvcache_quant_mode }) {
  const { kvBytesPerToken, loadModel, quantMode } = await operatorDatabase();
  const mode = kvcache_quant_mode === null ? null : quantMode("kvcache", kvcache_quant_mode);
  return kvBytesPerToken((await loadModel(model)).facts, tp, model, mode);
}

// lib/replay/run_metadata.ts
var metadataOf = (roles) => ({
  roles: roles.map(({ settings, resolved: { role, blocks, blockTokens, blocksFrom, maxModelTokens, assumed } }) => ({
    role,
    kv_blocks: blocks,
    ...settings.dpSize > 1 ? {
      kv_ranks: settings.dpSize
    } : {},
    kv_block_tokens: blockTokens,
    kv_blocks_from: blocksFrom,
    max_model_tokens: maxModelTokens,
    ...assumed
  }))
});
function countedPasses(metadata, roles) {
  if (roles.every(({ calibration }) => calibration === null)) return metadata;
  return {
    ...metadata,
    roles: metadata.roles.map((role, i) => {
      const calibration = roles[i].calibration;
      if (calibration === null) return role;
      const { profile: { level, request_overhead_ms, between_passes, n, error }, correction: { passes, outside }, differs } = calibration;
      const held_out = Object.fromEntries(Object.entries(error.after).map(([metric, { mdape }]) => [
        metric,
        mdape
      ]));
      return {
        ...role,
        calibration: {
          level,
          passes,
          passes_outside: outside,
          request_overhead_ms,
          ...between_passes ? {
            between_passes
          } : {},
          fitted_to: {
            ...n
          },
          held_out,
          ...differs.length === 0 ? {} : {
            forced_from: [
              ...differs
            ]
          }
        }
      };
    })
  };
}
function calibrationWarnings({ roles }) {
  return roles.flatMap(({ role, calibration }) => {
    if (calibration === void 0) return [];
    const { passes, passes_outside: outside, forced_from: differs = [] } = calibration;
    const share = (outside / passes * 100).toFixed(1);
    return [
      ...differs.length === 0 ? [] : [
        `the calibration of ${role} workers is forced: it was fitted to another deployment (${differs.join("; ")})`
      ],
      ...outside === 0 ? [] : [
        `${outside} of ${passes} ${role} passes (${share} %) are outside of what was measured for the calibration; their correction fades, so calibrate with such loads to trust them`
      ]
    ];
  });
}

// lib/replay/stack_summary.ts
async function stackSummary(stack, roles, deployments) {
  if (stack === void 0) return {};
  if (stack === "dynamo") {
    const unavailable_reason = "runner did not report effective timing provenance";
    return {
      prediction_provenance: {
        runner: {
          unavailable_reason
        }
      }
    };
  }
  const provenance = {}, precision = {};
  let measured = true;
  for (const { spec, settings, resolved } of roles) {
    const { timing } = settings.rank, { estimator = null } = spec;
    if (timing.type === "fixed") {
      measured = false;
      provenance[spec.role] = unmeasured("fixed", "configured", "configured timing does not use performance data");
    } else if (timing.type === "polynomial" || estimator === null) {
      measured = false;
      provenance[spec.role] = unmeasured("polynomial", "built_in", "built-in timing does not use performance data");
    } else {
      provenance[spec.role] = {
        data_identity: null,
        data_version: (await deployments.of(estimator)).backendVersion,
        data_version_unavailable_reason: null,
        estimator: "op_level",
        timing_source: "aic"
      };
    }
    if (resolved.blocksFrom === "memory model" && estimator !== null) {
      const { modes, facts: { quant: { kvAlgorithm } } } = await deployments.of(estimator);
      const declared = kvAlgorithm === "none" ? "bfloat16" : kvAlgorithm;
      const source = estimator.kvcache_quant_mode !== null ? "user_override" : declared === modes.kvcache ? "checkpoint" : "aisimulate_policy";
      precision[spec.role] = {
        dtype: modes.kvcache,
        source
      };
    }
  }
  return {
    prediction_provenance: provenance,
    ...Object.keys(precision).length > 0 ? {
      kv_cache_precision: precision
    } : {},
    ...measured ? {
      power_coverage: 0
    } : {}
  };
}
var unmeasured = (estimator, timing_source, reason2) => ({
  data_version: null,
  data_version_unavailable_reason: reason2,
  estimator,
  timing_source
});

// lib/replay/assemble.ts
async function assemble(described, options, records) {
  const { hostMs = () => performance.now() } = options, startedHostMs = hostMs();
  const { sla = null, price = null, maxVirtualMs, cutoff = "hard", capture = {} } = described;
  const { ready = {}, shared = new SharedData(), onWarning, onProgress, signal } = options;
  const { deployments } = shared;
  if (sla !== null) checkSla(sla);
  if (price !== null) checkPrice(price);
  const closing = Promise.all(described.roles.map((role) => closeRole(role, deployments)));
  const [traffic, roles] = await Promise.all([
    trafficOf(described, options, shared, closing),
    closing
  ]);
  checkRoles(roles);
  const spec = {
    ...described,
    roles: roles.map((role) => role.spec)
  };
  options.onResolved?.(roles.map(({ resolved }) => resolved));
  for (const warning of traffic.warnings ?? []) onWarning?.(warning);
  const evidence = await evidenceOf(roles, options);
  if (onWarning) {
    for (const warning of evidence?.expected(traffic.workload, spec.traffic?.concurrency) ?? []) onWarning(warning);
    for (const role of roles.map(fitted)) {
      for (const misfit of misfits(traffic.workload, role)) onWarning(misfit);
      const hint = described.traffic?.type === "trace" ? coarseBlocks(traffic.workload, role) : void 0;
      if (hint !== void 0) onWarning(hint);
    }
  }
  const router = ready.router ?? await routerOf(spec, roles, shared, options);
  const pools = await Promise.all(roles.map((role, i) => makePool(role, router, deployments, {
    timing: ready.timings?.[i],
    stack: spec.stack
  })));
  const estimators = spec.roles.map(({ estimator = null }) => estimator);
  const autoscaler = ready.autoscaler !== void 0 ? ready.autoscaler : spec.autoscaler ? await autoscalerFrom(spec.autoscaler, {
    traffic,
    pools,
    estimators,
    calibrations: roles.map(({ calibration }) => calibration && calibration.profile),
    deployments,
    capture,
    history: ready.history,
    onWarning
  }) : null;
  if (onWarning && sla !== null && autoscaler?.planner?.config.optimization_target !== "sla") {
    const bounds = {
      ttftMs: sla.ttftMs ?? Infinity,
      itlMs: sla.itlMs ?? Infinity
    };
    for (const bound of outOfReach(bounds, pools, traffic.workload)) onWarning(`the SLA's ${bound}`);
  }
  const retune = await retuneOf(spec, traffic, autoscaler, options);
  const limitMs = maxVirtualMs ?? Infinity;
  for (const { calibration } of roles) calibration?.correction.reset();
  const load2 = heldBack(traffic, roles[0].calibration?.profile.request_overhead_ms ?? 0);
  const sequences = roles.map(({ settings }) => new SequenceLimit(settings.rank.maxSequences));
  const operations = options.onOperations ? await operationsOf(spec, roles, options) : null;
  const judgedPools = evidence?.watched(pools) ?? pools;
  const power = spec.stack === "engine" ? await powerOf(roles, options) : null;
  const listedPools = operations?.watched(judgedPools) ?? judgedPools;
  const watchedPools = power?.watched(listedPools) ?? listedPools;
  const simulation = simulate({
    traffic: cutoff === "soft" && limitMs < Infinity ? admittedUntil(load2, limitMs) : load2,
    pools: watchedPools.map((pool, i) => ({
      ...pool,
      router: autoscaler?.before?.(pool.router, i) ?? pool.router,
      sequences: sequences[i]
    })),
    policy: retune?.policy ?? autoscaler?.policy ?? null,
    plannerSection: autoscaler && ((outcome) => autoscaler.section(outcome)),
    sla,
    price,
    maxVirtualMs: cutoff === "hard" ? limitMs : void 0,
    reportsCutoff: limitMs < Infinity,
    capturePerRequest: (capture.perRequest ?? false) || records.streamed(),
    telemetryIntervalMs: capture.telemetryIntervalMs ?? null,
    observe: records.observe,
    hostMs,
    startedHostMs
  });
  const requestsTotal = traffic.workload.count;
  return {
    driver: new Driver(simulation, {
      requestsTotal,
      onProgress,
      signal,
      work: retune?.work
    }),
    traffic,
    roles: roles.map(fitted),
    autoscaler,
    retune,
    metadata: metadataOf(roles),
    closed: roles,
    evidence,
    sequences,
    operations,
    power,
    stackSummary: await stackSummary(spec.stack, roles, deployments)
  };
}
async function evidenceOf(roles, options) {
  if (!options.onWarning || roles.every(({ measured }) => measured === null)) return null;
  const { RunEvidence: RunEvidence2 } = await Promise.resolve(run_evidence_exports);
  return new RunEvidence2(roles, options.ready?.timings);
}
async function operationsOf(spec, roles, options) {
  const { RunOperations } = await import(import.meta.resolve("./lib.replay.run_operations.js"));
  return new RunOperations(roles, spec.stack, options.ready?.timings);
}
async function powerOf(roles, options) {
  if (roles.some(({ measured }, i) => measured === null || options.ready?.timings?.[i] !== void 0)) {
    return null;
  }
  if (roles.every(({ measured }) => measured.energyFactories() === null)) return null;
  const { RunPower } = await import(import.meta.resolve("./lib.replay.run_power.js"));
  return new RunPower(roles, "engine");
}
async function trafficOf({ traffic }, options, shared, closing) {
  const { traffic: ready } = options.ready ?? {};
  if (ready !== void 0) return typeof ready === "function" ? await ready() : ready;
  if (!traffic) throw new ConfigError("the replay has no load: describe its `traffic`, or hand one over");
  return await shared.traffic(traffic, async () => (await closing)[0].settings.rank.blockTokens);
}
async function routerOf({ router, roles }, closed2, { deployments }, options) {
  const made = await routerFrom(router ?? {}, {
    launch: roles[0].launch,
    estimator: roles[0].estimator,
    calibration: closed2[0].calibration && closed2[0].calibration.profile,
    deployments,
    roles: roles.map(({ role }) => role)
  });
  for (const warning of made.warnings) options.onWarning?.(warning);
  return made.router;
}
async function retuneOf(spec, traffic, autoscaler, options) {
  const planner = autoscaler?.planner ?? null;
  if (planner === null || !spec.retune && planner.config.retune === null) return null;
  const { ready = {}, mostParallel, executor, onWarning } = options;
  if (ready.router !== void 0 || ready.timings?.some((timing) => timing !== void 0)) {
    throw new ConfigError("a retune replays in other threads: its router and timing must be described in plain data");
  }
  const { makeRetune } = await import(import.meta.resolve("./lib.replay.make_retune.js"));
  const { readRetune } = await import(import.meta.resolve("./lib.config.retune_mapping.js"));
  const settings = spec.retune ?? readRetune(planner.config);
  return await makeRetune(planner, {
    settings,
    spec,
    traffic,
    mostParallel,
    executor,
    onWarning
  });
}
function checkRoles(roles) {
  const names = roles.map(({ settings }) => settings.rank.role);
  const wanted = roles.length === 1 ? [
    "aggregated"
  ] : [
    "prefill",
    "decode"
  ];
  if (roles.length > 2 || names.join() !== wanted.join()) {
    throw new ConfigError(`a cluster has an aggregated role, or a prefill and a decode role, got ${names.join(", ")}`);
  }
}
var fitted = ({ settings }) => ({
  role: settings.rank.role,
  settings
});

// lib/replay/run_streams.ts
var MOST_AHEAD3 = 4096;
var StreamBuffer = class {
  /** Whether somebody reads the stream. */
  open = false;
  #items = [];
  #emptied = null;
  /** Whether the replay has to wait for the reader. */
  get full() {
    return this.#items.length > MOST_AHEAD3;
  }
  /** Adds an item. */
  push(item) {
    this.#items.push(item);
  }
  /** Takes all items; those who wait for room go on. */
  take() {
    const items = this.#items;
    this.#items = [];
    this.#emptied?.();
    this.#emptied = null;
    return items;
  }
  /** Nobody reads the stream any more. */
  close() {
    this.open = false;
    this.take();
  }
  /** Resolves when the items were taken. */
  emptied() {
    return new Promise((resolve) => this.#emptied = resolve);
  }
};
var RunStreams = class {
  /** Records of requests that ended. */
  requests = new StreamBuffer();
  /** Ticks of the autoscaler. */
  ticks = new StreamBuffer();
  #toldRequests = 0;
  #toldTicks = 0;
  /** Resolves once no stream is too far ahead of its reader. */
  async room() {
    for (const buffer of [
      this.requests,
      this.ticks
    ]) while (buffer.full) await buffer.emptied();
  }
  /**
   * Puts what is new into the streams that are read.
   *
   * @param over whether the run is over, so that nothing more will come
   */
  tell(records, workload, ticks, over) {
    const due = records.ended - this.#toldRequests;
    if (this.requests.open && due > 0 && (over || due * 4 >= this.#toldRequests)) {
      const made = new PerRequestRecords(records, workload);
      while (this.#toldRequests < records.ended) {
        this.requests.push(made.of(records.completionOrder[this.#toldRequests++]));
      }
    }
    if (!this.ticks.open) return;
    const all = ticks();
    while (this.#toldTicks < all.length) this.ticks.push(streamed(all[this.#toldTicks++]));
  }
};
function streamed(tick) {
  const { target_prefill: prefill, target_decode: decode } = tick.runtime_decision;
  return {
    ...tick,
    atMs: tick.at_ms,
    targets: {
      prefill,
      decode
    }
  };
}

// lib/replay/running.ts
var Running = class {
  #spec;
  #options;
  #streams = new RunStreams();
  #report = null;
  #started = null;
  #records = null;
  #result = null;
  #stepping = null;
  /** What ended the run before its time; everybody who asks is told. */
  #failure = null;
  /**
   * A run that starts when its report or one of its streams is asked for.
   *
   * @param spec what is run
   */
  constructor(spec, options) {
    checkOptions("run(): spec", spec, SPEC);
    checkOptions("run()", options, RUN_OPTIONS);
    this.#spec = spec;
    this.#options = options;
  }
  /** The record of every request, in the order in which they end, in batches for one reader. */
  requests() {
    return this.#read(this.#streams.requests);
  }
  /** Every tick of the autoscaler, in batches for one reader; none without one. */
  ticks() {
    return this.#read(this.#streams.ticks);
  }
  /** The report, once everything has happened. Streams that were asked for must be read to their end for it. */
  get report() {
    return this.#report ??= this.#finish();
  }
  async #finish() {
    while (this.#result === null) await this.#step();
    return this.#result;
  }
  #read(buffer) {
    buffer.open = true;
    return this.#batches(buffer);
  }
  async *#batches(buffer) {
    try {
      for (; ; ) {
        const items = buffer.take();
        if (items.length > 0) yield items;
        else if (this.#result !== null) return;
        else await this.#step();
      }
    } finally {
      buffer.close();
    }
  }
  /** Goes on by one piece of the replay, once for everybody who asks. */
  #step() {
    if (this.#failure !== null) return Promise.reject(this.#failure.problem);
    return this.#stepping ??= this.#advance().catch((problem) => {
      this.#failure = {
        problem
      };
      this.#started?.retune?.close();
      throw problem;
    }).finally(() => this.#stepping = null);
  }
  async #advance() {
    const started = this.#started ??= await assemble(this.#spec, this.#options, {
      observe: (records) => this.#records = records,
      streamed: () => this.#streams.requests.open
    });
    const { driver, traffic, roles, autoscaler, retune, metadata } = started;
    await this.#streams.room();
    const report = await driver.step().catch((problem) => {
      throw problem instanceof SimulationError ? explained(problem, traffic, roles) : problem;
    });
    const ticks = () => autoscaler === null ? [] : autoscaler.ticks();
    this.#streams.tell(this.#records, traffic.workload, ticks, report !== null);
    if (report === null) return;
    retune?.close();
    await autoscaler?.finish(report);
    this.#options.onSequences?.(started.sequences.map(({ needed }) => needed));
    const counted2 = countedPasses(metadata, started.closed);
    if (this.#options.onWarning) {
      const found = [
        ...calibrationWarnings(counted2),
        ...started.evidence?.played() ?? []
      ];
      for (const warning of found) this.#options.onWarning(warning);
    }
    if (started.operations !== null) this.#options.onOperations?.(started.operations.totals());
    const summary = {
      ...report.summary,
      ...started.stackSummary,
      ...started.power?.power()
    };
    this.#result = {
      ...report,
      summary,
      metadata: counted2
    };
  }
};
function explained(problem, { workload }, roles) {
  if (!problem.message.startsWith("replay invariant violated")) return problem;
  return new SimulationError(`${problem.message} (${whyStuck(workload, roles)})`, {
    cause: problem
  });
}

// lib/replay/predict.ts
var { ready: _ready, ...REPLAY_OPTIONS } = RUN_OPTIONS;
var OPTIONS3 = {
  ...REPLAY_OPTIONS,
  capturePerRequest: true,
  telemetryIntervalMs: true,
  onStart: true
};
var CAPTURE = {
  perRequest: true,
  telemetryIntervalMs: true,
  plannerDetails: true,
  diagnostics: true
};
async function predict(plan, options = {}) {
  checkOptions("predict()", options, OPTIONS3);
  const { capturePerRequest: perRequest, telemetryIntervalMs, onStart, ...rest } = options;
  const spec = planSpec(plan, {
    perRequest,
    telemetryIntervalMs
  });
  const report = await (onStart ? await shown(spec, rest, onStart) : new Running(spec, rest)).report;
  return {
    ...report,
    summary: predictionSummary(report.summary)
  };
}
async function shown(spec, options, to) {
  const { run } = await import(import.meta.resolve("./lib.replay.run.js"));
  const predicted = run(spec, options);
  to(predicted);
  return predicted;
}
function planSpec(plan, capture = {}) {
  checkOptions("planSpec()", capture, CAPTURE);
  const { roles, router, planner, autoscaler, retune, sla, price, traffic } = plan;
  const { policy, policyFile = null, ...settings } = router.policy === "kv_router" ? router : {
    policy: router.policy
  };
  return {
    traffic: trafficSpec(traffic, roles[0].estimator.model, plan.stack),
    roles: roles.map(({ role, replicas, launch, estimator, passTiming, ...open }) => ({
      role,
      replicas,
      launch,
      estimator,
      ...passTiming === null ? {} : {
        passTiming
      },
      open: {
        capacity: open.capacity,
        contextTokens: open.contextTokens,
        transferBytesPerToken: open.transferBytesPerToken
      }
    })),
    router: {
      policy,
      settings,
      policyFile
    },
    // What is in vain was said when the configuration was read.
    autoscaler: planner ? {
      kind: "planner",
      config: planner,
      written: null
    } : autoscaler && {
      ...autoscaler,
      written: null
    },
    retune,
    sla: sla && {
      ttftMs: sla.ttftMs ?? void 0,
      itlMs: sla.itlMs ?? void 0,
      e2eMs: sla.e2eMs ?? void 0
    },
    price,
    maxVirtualMs: Number.isFinite(traffic.maxVirtualMs) ? traffic.maxVirtualMs : null,
    cutoff: traffic.cutoff,
    stack: plan.stack,
    capture
  };
}
function trafficSpec({ source, load: load2 }, model, stack) {
  if (source.type === "trace") {
    return {
      type: "trace",
      paths: source.paths,
      format: source.format,
      blockTokens: source.blockTokens ?? void 0,
      model,
      ...load2.type === "trace_timestamps" ? {
        speedup: load2.speedup,
        lanes: load2.agenticLanes ?? void 0
      } : load2.type === "concurrency" ? {
        concurrency: load2.concurrency
      } : {}
    };
  }
  const { type: _, ...shape } = source;
  return {
    ...shape,
    type: "synthetic",
    // As in the newest release: only its engine stack plays sessions as conversations.
    ...source.type === "synthetic-session" && stack === "engine" ? {
      growingPrompts: true
    } : {},
    ...source.type === "synthetic" && !source.cachedPrefixTokens ? {
      blockTokens: PLAIN_BLOCK_TOKENS
    } : {},
    ...load2.type === "concurrency" ? {
      concurrency: load2.concurrency
    } : load2.type === "constant_rate" ? {
      arrivalIntervalMs: 1e3 / load2.perSecond
    } : load2.type === "poisson" ? {
      requestsPerSecond: load2.perSecond,
      seed: load2.seed
    } : {}
  };
}

export {
  exponential,
  naturalLog,
  nanoseconds,
  passDurationMs,
  RunMap,
  emptyPassRow,
  isPending,
  Heap,
  IdTable,
  Kept,
  KeptList,
  passSeconds,
  emptyPass,
  missShare,
  chunkedSeconds,
  timingEstimator,
  unreachableBounds,
  SimpleRouter,
  leastLoaded,
  roundRobin,
  PLAIN_ROUTERS,
  routerFrom,
  admittedUntil,
  outOfReach,
  JsonProblem,
  MAX_TOKENS,
  RefusedRow,
  readingLine,
  MOST_TIME_MS,
  WallClock,
  secondsToMs,
  BATCHES,
  batchesOf,
  grouped,
  sourceName,
  sourceBytes,
  feed,
  requestBatches,
  FORMAT_OPTIONS,
  identityTeller,
  JsonCursor,
  KeySet,
  mooncakeRow,
  traceFormats,
  traceFormat,
  BlockFit,
  timeDoubt,
  Arrivals,
  TimestampQueue,
  WorkloadBuilder,
  SessionRows,
  checkSpeedup,
  RUN_OPTIONS,
  Running,
  AUTOSCALER_KINDS,
  scriptedAutoscaler,
  Deployments,
  fixed,
  polynomial,
  closeRole,
  makePool,
  arrivalTimes,
  syntheticTraffic,
  loadTrace,
  loadRequests,
  loadTraffic,
  SharedData,
  GapStatistics,
  simulate,
  predict,
  planSpec
};
