import {
  arrivalTimes
} from "./traces.js";
import {
  Arrivals,
  MOST_TIME_MS,
  PromptHistory,
  SessionDriver,
  StdRng,
  TimestampQueue,
  WorkloadBuilder,
  checkSpeedup,
  numberText
} from "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import {
  ConfigError,
  checkOptions
} from "./base.js";

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
  for (let r = 0, next = shared; r < count; r++) {
    for (let i = 0; i < ids.length; i++) ids[i] = i < shared ? i : next++;
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
  let next = groups * shared;
  for (let s = 0; s < count; s++) {
    const group = groups > 0 && ratio > 0 ? random.below(groups) : 0;
    for (let turn2 = 0; turn2 < turns; turn2++) {
      for (let i = 0; i < blocks; i++) ids[i] = i < shared ? group * shared + i : next++;
      builder.add(row, ids);
    }
  }
  const total = count * turns;
  const session = Int32Array.from({
    length: total
  }, (_, r) => Math.floor(r / turns));
  const turn = session.map((s, r) => r - s * turns);
  const rows = builder.finish({
    session,
    turn,
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
  const delaysMs = Float64Array.from(turn, (k) => k === 0 ? 0 : interTurnDelayMs / scale);
  const start = process === null ? {
    concurrency
  } : {
    arrivalsMs: withinClock(arrivalTimes(count, process).map((time) => time / scale))
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
export {
  syntheticTraffic
};
