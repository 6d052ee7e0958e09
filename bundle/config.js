/*!
 * Made by `deno task bundle`, not to be edited; see scripts/bundle/main.ts.
 *
 * It holds three packages: yaml (ISC, Eemeli Aro, license in vendor/yaml.js), valibot (MIT, Fabian Hiller) and
 * @noble/hashes (MIT, Paul Miller), whose license is:
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 * documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
 * rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
 * persons to whom the Software is furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
 * Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
 * WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
 * COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
 * OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
import {
  AtomicFile,
  BACKENDS,
  BLOCK_TOKENS,
  ByteSourceError,
  ConfigError,
  DATABASE_MODES,
  EXIT,
  Interrupted,
  LOCK_FILE,
  ResourceLimitError,
  TimedOut,
  UsageError,
  after,
  alignedRows,
  array,
  checkOptions,
  containerBytes,
  cpuCount,
  custom,
  every,
  exitCode,
  getDotPath,
  gunzipped,
  heapShare,
  host,
  hostMemory,
  isMapping,
  lazy,
  literal,
  longer,
  nearName,
  nullable,
  nullish,
  object,
  optional,
  partOf,
  pause,
  pipe,
  rawTransform,
  reaching,
  readBytes,
  readText,
  reason,
  residentBytes,
  roundHalfEven,
  safeParse,
  takeFolder,
  text,
  transferKinds,
  unknown,
  warn,
  wrapped,
  writeFileAtomically,
  writeText
} from "./base.js";

// lib/jobs/job.ts
var JobExpired = class extends Error {
  /** The class by name. */
  name = "JobExpired";
};
var reasonOf = (problem) => problem instanceof Error ? problem.message : String(problem);

// lib/jobs/waiting_line.ts
var WaitingLine = class {
  #free;
  #waiting = [];
  constructor(places) {
    this.#free = places;
  }
  /** Resolves when a place is free, and takes it. */
  async enter() {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise((resume) => this.#waiting.push(resume));
  }
  /** Gives a place back. */
  leave() {
    const next = this.#waiting.shift();
    if (next === void 0) this.#free++;
    else next();
  }
};

// lib/jobs/inline.ts
var InlineRunner = class {
  parallel = 1;
  #kind;
  #setup;
  #line = new WaitingLine(1);
  #work = null;
  constructor(kind, setup) {
    this.#kind = kind;
    this.#setup = setup;
  }
  async do({ data }, { timeoutSeconds = Infinity, signal } = {}) {
    signal?.throwIfAborted();
    await this.#line.enter();
    try {
      await pause();
      signal?.throwIfAborted();
      const deadline = performance.now() + timeoutSeconds * 1e3;
      const expired = () => performance.now() > deadline || signal?.aborted === true;
      this.#work ??= import(this.#kind.module.href).then((module) => module.prepare(this.#setup));
      const result = await (await this.#work)(data, {
        expired
      });
      return expired() ? {
        status: "timeout"
      } : {
        status: "done",
        result
      };
    } catch (problem) {
      if (signal?.aborted) throw signal.reason;
      return problem instanceof JobExpired ? {
        status: "timeout"
      } : {
        status: "failed",
        reason: reasonOf(problem)
      };
    } finally {
      this.#line.leave();
    }
  }
  close() {
  }
};
var inline = () => ({
  parallel: 1,
  open: (kind, setup) => new InlineRunner(kind, setup)
});

// lib/report/story/format.ts
var whole = (value) => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
function number(value) {
  if (value === null) return "?";
  if (Math.abs(value) >= 1e3) return whole(value);
  return Number(value.toPrecision(4)).toString();
}
var percent = (part, of) => of > 0 ? `${number(part / of * 100)} %` : "0 %";
function time(seconds) {
  const total = Math.floor(seconds);
  const two = (value) => String(value).padStart(2, "0");
  const minutes = Math.floor(total / 60) % 60;
  return total < 3600 ? `${minutes}:${two(total % 60)}` : `${Math.floor(total / 3600)}:${two(minutes)}:${two(total % 60)}`;
}
var counted = (count2, noun) => `${whole(count2)} ${noun}${count2 === 1 ? "" : "s"}`;

// lib/report/story/autoscaler_story.ts
var REASONS = {
  scale_up: "the metrics want more replicas",
  scale_down: "the metrics want fewer replicas",
  within_target: "the metrics are within the tolerance of their targets",
  stabilizing: "the stabilisation window keeps an earlier recommendation",
  rate_limited: "a scaling policy allows no further change yet",
  at_bound: "the replicas are at their bound",
  outside_bounds: "the replicas were outside their bounds",
  no_metrics: "a metric is unknown",
  paused: "there are no replicas, so the HorizontalPodAutoscaler pauses",
  activated: "a trigger became active",
  idle: "no trigger is active",
  scale_to_zero: "no trigger was active for the cooldown period"
};
var NAMES = {
  hpa: "HorizontalPodAutoscaler",
  keda: "KEDA"
};
var autoscalerName = (kind) => Object.hasOwn(NAMES, kind) ? NAMES[kind] : kind;
var scalerReasonText = (reason2) => Object.hasOwn(REASONS, reason2) ? REASONS[reason2] : reason2;
function metricText({ name, value, target, each, replicas: replicas2 }) {
  const measured = `${name} ${value === null ? "unknown" : number(value)}${each ? " a worker" : ""}`;
  return `${measured} (target ${number(target)}${replicas2 === null ? "" : `, wants ${replicas2}`})`;
}
function autoscalerReasons({ autoscaler = {} }) {
  const aggregated = autoscaler.prefill === void 0;
  return [
    "prefill",
    "decode"
  ].flatMap((role) => {
    const verdict = autoscaler[role];
    if (!verdict) return [];
    const who = aggregated ? "" : `${role}: `;
    const held = verdict.wanted !== null && verdict.wanted !== verdict.replicas ? `; wanted ${verdict.wanted}, given ${verdict.replicas}` : "";
    return [
      `${who}${scalerReasonText(verdict.reason)}${held}`,
      ...verdict.metrics.map((metric2) => `${who}${metricText(metric2)}`)
    ];
  });
}
var autoscalerHolds = ({ autoscaler = {} }) => Object.values(autoscaler).map(({ reason: reason2 }) => scalerReasonText(reason2));
function autoscalerFacts(config) {
  const workers = Object.entries(Object(config.workers));
  return workers.map(([role, one]) => {
    const least = one.min_replicas ?? one.min_replica_count, most = one.max_replicas ?? one.max_replica_count;
    const watched = Array.isArray(one.metrics) ? one.metrics : Array.isArray(one.triggers) ? one.triggers : [];
    const metrics = watched.map((metric2) => {
      const { name, metric: trigger2, threshold, target = {} } = Object(metric2);
      return `${name ?? trigger2} ${target?.average_value ?? target?.value ?? threshold}`;
    });
    return `${role}: ${least} to ${counted(Number(most), "replica")}, targets ${metrics.join(", ")}`;
  });
}

// lib/report/story/reason_texts.ts
var LOAD = {
  scale_up: {
    sla: "every rank is estimated to miss the SLA",
    easy: "a rank is over its upper threshold"
  },
  scale_down: {
    sla: "one replica fewer is estimated to keep the SLA",
    easy: "every rank is under its lower threshold"
  },
  scale_down_capped_by_throughput: "fewer would do for the load, but not for the forecast",
  scale_down_refused_consolidation: "one replica fewer is estimated to miss the SLA",
  no_change: {
    sla: "the estimates ask for no change",
    easy: "the load is between the thresholds"
  },
  insufficient_data: {
    sla: "the performance model has seen too few passes",
    easy: "no worker is ready"
  },
  missing_engine_metadata: "a limit of the engines that the load is measured against is unknown",
  no_fpm_data: "no worker has reported a pass",
  scaling_in_progress: "a worker is starting",
  worker_count_mismatch: "not every worker has reported yet",
  gpu_budget_guard_hold: "the GPU budget forbids the change it wants",
  gpu_budget_reconcile: "the deployment is outside its GPU budget or below its minimum",
  disabled: "load scaling is off"
};
var THROUGHPUT = {
  scale: "the forecast needs another number of replicas",
  set_lower_bound: "the forecast sets the floor of the load loop",
  no_change: "the forecast needs what there is",
  model_not_ready: "the performance model cannot tell the capacity of an engine yet",
  missing_engine_metadata: "a limit of the engines that their capacity depends on is unknown",
  partner_not_ready: "the other role's performance model is not ready",
  no_traffic_data: "no traffic was observed",
  predict_failed: "the predictor failed",
  gpu_budget_guard_hold: "the GPU budget forbids the change it wants",
  gpu_budget_reconcile: "the deployment is outside its GPU budget or below its minimum"
};
var BLIND = [
  "model_not_ready",
  "missing_engine_metadata",
  "partner_not_ready"
];
var capacityUnknown = (reason2) => reason2 != null && BLIND.includes(reason2);
var CAPPED_BLINDLY = "fewer would do for the load, but the throughput loop does not know what an engine serves and keeps what there is";
function loadReasonText(reason2, target) {
  const words = Object.hasOwn(LOAD, reason2) ? LOAD[reason2] : void 0;
  return words === void 0 ? reason2 : typeof words === "string" ? words : words[target];
}
function throughputReasonText(reason2) {
  return Object.hasOwn(THROUGHPUT, reason2) ? THROUGHPUT[reason2] : reason2;
}

// lib/report/story/health.ts
var UNDONE_WITHIN_S = 300;
var FEWEST_UNDONE = 2;
function plannerHealth({ planner: planner2 }) {
  return planner2 === null ? [] : [
    ...flapping(planner2),
    ...blindLoops(planner2)
  ];
}
function* flapping(planner2) {
  const advised = planner2.metadata.advisory ?? false;
  const events = advised ? planner2.recommended_scaling_events : planner2.scaling_events;
  for (const [pool, changes] of Map.groupBy(events, ({ component }) => component)) {
    const undone = [];
    changes.forEach((change, i) => {
      const next = changes[i + 1];
      if (next && next.reason !== change.reason && next.at_s - change.at_s <= UNDONE_WITHIN_S) {
        undone.push([
          change,
          next
        ]);
      }
    });
    if (undone.length < FEWEST_UNDONE) continue;
    const waits = undone.map(([change, next]) => next.at_s - change.at_s).sort((a, b) => a - b);
    const [first, second] = undone[0];
    const who = planner2.metadata.autoscaler ? autoscalerName(planner2.metadata.autoscaler) : "the Planner";
    const step = ({ at_s, from_count, to_count }) => `${from_count} \u2192 ${to_count} at ${time(at_s)}`;
    yield `flapping: ${whole(undone.length)} of ${counted(changes.length, "change")} of ${pool} workers that ${who} ${advised ? "recommends" : "made"} were undone by the next one within ${UNDONE_WITHIN_S / 60} minutes (after ${number(waits[Math.floor(waits.length / 2)])} s in the middle; first ${step(first)}, ${step(second)})`;
  }
}
function* blindLoops({ metadata, ticks }) {
  const { planner_config: config } = metadata;
  if (config?.optimization_target !== "sla") return;
  if (config.enable_throughput_scaling) {
    const asked = ticks.filter((tick) => tick.scheduled_tick.run_throughput_scaling && reasonOf2(tick) !== null && reasonOf2(tick) !== "no_traffic_data");
    const blind = asked.filter((tick) => capacityUnknown(reasonOf2(tick)));
    if (blind.length > asked.length / 2) {
      const reasons = new Set(blind.map((tick) => throughputReasonText(reasonOf2(tick))));
      yield `the throughput loop could not decide in ${often(blind.length, asked.length)}: the capacity of an engine was unknown (${[
        ...reasons
      ].join("; ")}), so it asked for what there was`;
    }
  }
  if (config.enable_load_scaling) {
    const asked = ticks.filter((tick) => tick.scheduled_tick.run_load_scaling && isBusy(tick));
    const blind = asked.filter(({ effects: { diagnostics: d } }) => d.estimated_ttft_ms === null && d.estimated_itl_ms === null);
    if (blind.length > asked.length / 2) {
      yield `the load loop could not decide in ${often(blind.length, asked.length)} with work: it had no estimate of TTFT or ITL`;
    }
  }
}
var reasonOf2 = (tick) => tick.effects.diagnostics.throughput_decision_reason;
var often = (part, of) => of === 1 ? "its only tick" : part === of ? `any of its ${counted(of, "tick")}` : `${whole(part)} of its ${counted(of, "tick")}`;
function isBusy({ input: { fpm_observations: rows } }) {
  return [
    ...rows?.prefill ?? [],
    ...rows?.decode ?? []
  ].some(({ metrics: { scheduled_requests: s, queued_requests: q } }) => s.num_decode_requests + s.num_prefill_requests + q.num_decode_requests + q.num_prefill_requests > 0);
}

// lib/report/price.ts
var PRICE_OPTIONS = {
  perGpuHour: true,
  currency: true
};
var CURRENCY = "$";
function checkPrice({ perGpuHour, currency }) {
  if (typeof perGpuHour !== "number" || !Number.isFinite(perGpuHour) || perGpuHour <= 0) {
    throw new ConfigError(`price.perGpuHour must be finite and positive, got ${perGpuHour}`);
  }
  if (currency != null && (typeof currency !== "string" || currency.trim() === "")) {
    throw new ConfigError(`price.currency must be a symbol or a code, got ${JSON.stringify(currency)}`);
  }
}
function costOf({ gpu_hours: hours, total_output_tokens: tokens, goodput_completed_requests: good = 0 }, { perGpuHour, currency }) {
  const total = hours * perGpuHour;
  return {
    price_per_gpu_hour: perGpuHour,
    currency: currency ?? CURRENCY,
    total,
    per_million_output_tokens: tokens > 0 ? total / tokens * 1e6 : null,
    per_thousand_good_requests: good > 0 ? total / good * 1e3 : null
  };
}
function moneyText(amount, currency = CURRENCY) {
  const small = amount !== 0 && Math.abs(amount) < 1;
  const [whole2, decimals] = (small ? String(Number(amount.toPrecision(3))) : amount.toFixed(2)).split(".");
  const text4 = whole2.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals === void 0 ? "" : `.${decimals}`);
  return /^[A-Za-z]/.test(currency) ? `${text4} ${currency}` : `${currency}${text4}`;
}

// lib/report/story/verdict.ts
var BOUNDS = [
  [
    "ttft",
    "ttft_ms",
    "TTFT"
  ],
  [
    "tpot",
    "itl_ms",
    "TPOT"
  ],
  [
    "e2e",
    "e2e_ms",
    "end-to-end latency"
  ]
];
function attainmentText({ within, requests, bounds }) {
  const limits = BOUNDS.flatMap(([, key, name]) => bounds[key] === null ? [] : [
    `${name} ${number(bounds[key])} ms`
  ]);
  return `${share(within, requests)} of ${counted(requests, "request")} within the SLA (${limits.join(", ")})`;
}
function share(part, of) {
  const text4 = percent(part, of);
  if (part < of && text4 === "100 %") return "over 99.99 %";
  return part > 0 && text4 === "0 %" ? "under 0.01 %" : text4;
}
function missesText({ within, requests, bounds, missed }, p95ItlMs = null) {
  if (within === requests) return null;
  const parts = BOUNDS.flatMap(([miss, key, name]) => bounds[key] === null || missed[miss] === 0 ? [] : [
    `${name} over ${number(bounds[key])} ms: ${whole(missed[miss])} (${share(missed[miss], requests)})`
  ]);
  if (missed.unserved > 0) {
    parts.push(`rejected, failed, kept out, unfinished or without a token: ${whole(missed.unserved)} (${share(missed.unserved, requests)})`);
  }
  const twice = missed.ttft + missed.tpot + missed.e2e + missed.unserved > requests - within;
  const hidden = bounds.itl_ms !== null && missed.tpot > 0 && p95ItlMs !== null && p95ItlMs <= bounds.itl_ms;
  const note = hidden ? `; p95 ITL is ${number(p95ItlMs)} ms all the same: it pools the gaps of all tokens, TPOT is a request's mean` : "";
  return `${counted(requests - within, "request")} missed it: ${parts.join(", ")}${twice ? ", some more than one" : ""}${note}`;
}
function costText({ price_per_gpu_hour: price, currency, total, ...each }, gpuHours) {
  const { per_million_output_tokens: tokens, per_thousand_good_requests: good } = each;
  return [
    `${moneyText(total, currency)} for ${number(gpuHours)} GPU hours at ${moneyText(price, currency)}`,
    ...tokens === null ? [] : [
      `${moneyText(tokens, currency)} a million output tokens`
    ],
    ...good === null ? [] : [
      `${moneyText(good, currency)} a thousand requests within the SLA`
    ]
  ].join("; ");
}
function overloadText({ queues_growing, waiting, never_ran }) {
  const parts = [
    ...queues_growing ? [
      `${waiting.map((mean2) => number(mean2)).join(", ")} requests waited on average in the four quarters of the load, so latencies grow with its length`
    ] : [],
    ...never_ran > 0 ? [
      `${counted(never_ran, "request")} never ran`
    ] : []
  ];
  return `saturated: ${parts.join("; ")}`;
}
function calibrationLine(role, calibration) {
  const { level, passes, passes_outside: outside, request_overhead_ms: waits, fitted_to: n, held_out } = calibration;
  const { forced_from: differs = [], between_passes: between = 0 } = calibration;
  const error = held_out?.pass_ms ?? held_out?.e2e_latency_ms;
  const fitted = n && [
    ...n.passes > 0 ? [
      `${whole(n.passes)} passes`
    ] : [],
    ...n.requests > 0 ? [
      `${whole(n.requests)} requests`
    ] : []
  ].join(" and ");
  return [
    `Calibration (${role}): ${level.replaceAll("_", " ")}${fitted ? ` fitted to ${fitted} that were measured` : ""}` + (error == null ? "" : `, ${Number(error.toFixed(2))} % off those it did not see`),
    `corrected ${whole(passes)} passes` + (outside > 0 ? `, ${whole(outside)} of them outside of what was measured` : ""),
    ...waits > 0 ? [
      `every request waits ${number(waits)} ms outside of the passes`
    ] : [],
    ...between > 0 ? [
      `between passes ${number(100 * between)} % of their time passes`
    ] : [],
    ...differs.length > 0 ? [
      `forced: it was fitted to another deployment (${differs.join("; ")})`
    ] : []
  ].join("; ");
}
function verdictLines({ summary, evaluation }) {
  const { sla: sla2, cost, overload } = evaluation ?? {};
  const { gpu_hours = 0, p95_itl_ms: itl, cutoff_unadmitted_requests: keptOut, cutoff_unfinished_requests: unfinished = 0 } = summary;
  const misses = sla2 && missesText(sla2, itl);
  return [
    ...sla2 ? [
      attainmentText(sla2)
    ] : [],
    ...misses ? [
      misses
    ] : [],
    ...cost ? [
      costText(cost, gpu_hours)
    ] : [],
    ...keptOut === void 0 ? [] : [
      `the cutoff kept out ${counted(keptOut, "request")} and left ${whole(unfinished)} unfinished`
    ],
    ...overload ? [
      overloadText(overload)
    ] : []
  ];
}

// lib/collections/select.ts
var SMALL = 64;
function select(numbers, ranks2) {
  let from = 0;
  for (const rank of ranks2) {
    if (rank < from) continue;
    place(numbers, rank, from, numbers.length - 1);
    from = rank + 1;
  }
}
function place(numbers, rank, low, high) {
  for (let left = 2 * Math.log2(high - low + 2); high - low >= SMALL && left > 0; left--) {
    const pivot = middle(numbers[low], numbers[low + high >>> 1], numbers[high]);
    let i = low, j = high;
    while (i <= j) {
      while (numbers[i] < pivot) i++;
      while (numbers[j] > pivot) j--;
      if (i > j) break;
      const number2 = numbers[i];
      numbers[i++] = numbers[j];
      numbers[j--] = number2;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else return;
  }
  numbers.subarray(low, high + 1).sort();
}
function middle(a, b, c) {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

// lib/report/distribution.ts
var NO_SAMPLES = Object.freeze({
  count: 0,
  mean: 0,
  min: 0,
  max: 0,
  median: 0,
  p75: 0,
  p90: 0,
  p95: 0,
  p99: 0,
  std: 0
});
function percentileRank(count2, p) {
  return Math.floor((count2 - 1) * p / 100 + 0.5);
}
function percentile(ascending, p) {
  return ascending.length === 0 ? NaN : ascending[percentileRank(ascending.length, p)];
}
var FEW_SAMPLES = 16;
var MANY_SAMPLES = 65536;
var PERCENTILES = [
  50,
  75,
  90,
  95,
  99
];
function describe(samples) {
  return describeInPlace(samples.slice());
}
function describeInPlace(samples) {
  const count2 = samples.length;
  if (count2 === 0) return {
    ...NO_SAMPLES
  };
  const centre = mean(samples), few = count2 <= FEW_SAMPLES, std = few ? 0 : deviation(samples, centre);
  if (count2 < MANY_SAMPLES || Number.isNaN(centre)) {
    const ascending = samples.sort(), min2 = ascending[0], max2 = ascending[count2 - 1];
    return {
      count: count2,
      mean: centre,
      min: min2,
      max: max2,
      ...percentiles(ascending),
      std: few ? deviation(ascending) : std
    };
  }
  const { min, max } = extremes(samples);
  select(samples, PERCENTILES.map((p) => percentileRank(count2, p)));
  return {
    count: count2,
    mean: centre,
    min,
    max,
    ...percentiles(samples),
    std
  };
}
function percentiles(samples) {
  const [median, p75, p90, p95, p99] = PERCENTILES.map((p) => percentile(samples, p));
  return {
    median,
    p75,
    p90,
    p95,
    p99
  };
}
function extremes(samples) {
  let min = Infinity, max = -Infinity;
  for (let i = 0; i < samples.length; i++) {
    if (samples[i] < min) min = samples[i];
    if (samples[i] > max) max = samples[i];
  }
  return {
    min,
    max
  };
}
function mean(samples) {
  const count2 = samples.length;
  let sum = 0, i = 0;
  for (; i + 4 <= count2; i += 4) sum = sum + samples[i] + samples[i + 1] + samples[i + 2] + samples[i + 3];
  for (; i < count2; i++) sum += samples[i];
  return sum / count2;
}
function deviation(samples, centre = mean(samples)) {
  const count2 = samples.length;
  let sum = 0, i = 0;
  for (; i + 4 <= count2; i += 4) {
    const a = samples[i] - centre, b = samples[i + 1] - centre, c = samples[i + 2] - centre, d = samples[i + 3] - centre;
    sum = sum + a * a + b * b + c * c + d * d;
  }
  for (; i < count2; i++) {
    const distance = samples[i] - centre;
    sum += distance * distance;
  }
  return Math.sqrt(sum / count2);
}

// lib/report/overload.ts
var FEWEST = 20;
var GROWTH = 0.02;
var LEAST_GROWTH = 4;
var FACTOR = 1.5;
var NEVER_RAN = 0.01;
function overloadOf(records, waits) {
  const { admitted } = records, { waits: waited, neverRan } = waits.result(records);
  const waiting = admitted >= FEWEST ? waited : [
    0,
    0,
    0,
    0
  ], [, second, third, last] = waiting;
  const growing = last > third && third > second && last >= FACTOR * second && last - second >= Math.max(LEAST_GROWTH, GROWTH * admitted);
  if (!growing && neverRan <= NEVER_RAN * admitted) return null;
  return {
    queues_growing: growing,
    waiting,
    never_ran: neverRan
  };
}

// lib/report/evaluation.ts
function evaluate(records, served, summary, { sla: sla2, price }) {
  const overload = overloadOf(records, served.waits);
  if (sla2 === null && price === null && overload === null) return void 0;
  return {
    ...sla2 === null ? {} : {
      sla: verdictOf(served.sla, summary, sla2)
    },
    ...price === null ? {} : {
      cost: costOf(summary, price)
    },
    ...overload === null ? {} : {
      overload
    }
  };
}
function verdictOf({ within, served, ttft, tpot, e2e }, summary, sla2) {
  const requests = requestsOf(summary);
  return {
    bounds: {
      ttft_ms: sla2.ttftMs ?? null,
      itl_ms: sla2.itlMs ?? null,
      e2e_ms: sla2.e2eMs ?? null
    },
    requests,
    within,
    attainment: attainment(summary) ?? 0,
    missed: {
      ttft,
      tpot,
      e2e,
      unserved: requests - served
    }
  };
}
var requestsOf = ({ num_requests, cutoff_unadmitted_requests }) => (num_requests ?? 0) + (cutoff_unadmitted_requests ?? 0);
function attainment(summary) {
  const { goodput_completed_requests: good } = summary, all = requestsOf(summary);
  return good == null || all === 0 ? null : good / all;
}

// lib/report/agentic_summary.ts
function agenticSummary({ plays, source, models, blockTokens, nodes }) {
  const completed = plays.filter((play) => play.status === "completed");
  const { count: _, ...latency2 } = describe(Float64Array.from(completed, (play) => play.causalTerminalMs - play.startMs));
  return {
    total_trajectories: plays.length,
    completed_trajectories: completed.length,
    incomplete_trajectories: plays.length - completed.length,
    ...Object.fromEntries(Object.entries({
      ...latency2,
      p50: latency2.median
    }).map(([name, value]) => [
      `${name}_trajectory_e2e_latency_ms`,
      value
    ])),
    agentic_graph: {
      source,
      block_size: blockTokens,
      node_count: nodes,
      play_count: plays.length,
      source_models: models
    },
    agentic_play_outcomes: plays.map(({ playId, status, causalTerminalMs, settledMs, failure }) => ({
      play_id: playId,
      // what it came to is known, and counted above; the play is over with its last request and its last hand-off
      status: Number.isNaN(settledMs) ? "incomplete" : status,
      ...Number.isNaN(causalTerminalMs) ? {} : {
        causal_terminal_ms: causalTerminalMs
      },
      ...Number.isNaN(settledMs) ? {} : {
        settled_at_ms: settledMs
      },
      ...failure ? {
        failure_request_id: failure.requestId,
        failure_status: failure.status
      } : {}
    }))
  };
}

// lib/report/indented_writer.ts
var MOST_SHAPES = 64;
var IndentedWriter = class {
  #parts = [];
  /** By number of keys. */
  #shapes = [];
  #lineBreaks = [];
  /** Texts added since they were taken. */
  get parts() {
    return this.#parts.length;
  }
  /** Takes what was added. */
  take() {
    const text4 = this.#parts.join("");
    this.#parts = [];
    return text4;
  }
  /** Adds a text as it is. */
  add(text4) {
    this.#parts.push(text4);
  }
  /** A line break and so many steps of two blanks. */
  lineBreak(depth) {
    return this.#lineBreaks[depth] ??= "\n" + "  ".repeat(depth);
  }
  /**
   * Adds a value; one that JSON has no text for as null.
   *
   * @param depth how many steps of two blanks stand before its last line
   */
  value(value, depth) {
    if (typeof value !== "object" || value === null) this.#parts.push(plainText(value) ?? "null");
    else if (Array.isArray(value)) this.#list(value, depth);
    else if (hasOwnText(value)) this.value(value.toJSON(), depth);
    else this.#object(value, depth);
  }
  #list(list, depth) {
    const parts = this.#parts;
    if (list.length === 0) {
      parts.push("[]");
      return;
    }
    const lineBreak = this.lineBreak(depth + 1);
    parts.push("[" + lineBreak);
    const following = "," + lineBreak;
    for (let i = 0; i < list.length; i++) {
      if (i > 0) parts.push(following);
      this.value(list[i], depth + 1);
    }
    parts.push(this.lineBreak(depth) + "]");
  }
  #object(object2, depth) {
    const parts = this.#parts, { sorted, places } = this.#shape(Object.keys(object2));
    const { heads, values, texts, end } = places[depth] ??= this.#place(sorted, depth);
    let told = 0;
    for (let i = 0; i < sorted.length; i++) {
      const value = object2[sorted[i]], again = values[i] === value;
      let text4 = again ? texts[i] : null;
      if (text4 === null) {
        if (!isTold(value)) continue;
        const start2 = parts.length;
        parts.push(told > 0 || i === 0 ? heads[i] : "{" + heads[i].slice(1));
        this.value(value, depth + 1);
        if (again && told === i) text4 = joinedFrom(parts, start2);
        values[i] = value;
        texts[i] = text4;
      } else parts.push(told > 0 || i === 0 ? text4 : "{" + text4.slice(1));
      told++;
    }
    parts.push(told === 0 ? "{}" : end);
  }
  #shape(keys) {
    const shapes = this.#shapes[keys.length] ??= [];
    for (let s = 0; s < shapes.length; s++) {
      const known = shapes[s].keys;
      let i = 0;
      while (i < keys.length && keys[i] === known[i]) i++;
      if (i === keys.length) return shapes[s];
    }
    const shape = {
      keys,
      sorted: orderedKeys(keys),
      places: []
    };
    if (shapes.length < MOST_SHAPES) shapes.push(shape);
    return shape;
  }
  #place(sorted, depth) {
    const lineBreak = this.lineBreak(depth + 1);
    return {
      heads: sorted.map((key, i) => [
        i === 0 ? "{" : ",",
        lineBreak,
        jsonString(key),
        ": "
      ].join("")),
      values: sorted.map(() => void 0),
      texts: sorted.map(() => null),
      end: this.lineBreak(depth) + "}"
    };
  }
};
function joinedFrom(parts, start2) {
  const text4 = parts.slice(start2).join("");
  parts.length = start2;
  parts.push(text4);
  return text4;
}
var hasOwnText = (value) => "toJSON" in value && typeof value.toJSON === "function";
function isTold(value) {
  if (typeof value === "object") return value === null || !hasOwnText(value) || isTold(value.toJSON());
  return value !== void 0 && typeof value !== "function" && typeof value !== "symbol";
}
function plainText(value) {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null";
  return typeof value === "string" ? jsonString(value) : JSON.stringify(value);
}
function orderedKeys(keys) {
  const ordered = {};
  for (const key of keys.toSorted()) ordered[key] = true;
  return Object.keys(ordered);
}
var PLAIN = /^[ !#-[\]-~]*$/;
var jsonString = (text4) => PLAIN.test(text4) ? `"${text4}"` : escapeBeyondAscii(JSON.stringify(text4));
function escapeBeyondAscii(json) {
  return json.replace(/[^\0-\x7f]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

// lib/report/json.ts
function compactJson(value) {
  return escapeBeyondAscii(JSON.stringify(sortKeys(value)));
}
function indentedJson(value, indent = 0) {
  const writer = new IndentedWriter();
  writer.value(value, indent / 2);
  return writer.take();
}
var LONG = 64;
var PIECE = 1 << 13;
function* indentedPieces(value, indent) {
  const writer = new IndentedWriter();
  yield* cut(writer, value, indent / 2, 2);
  yield writer.take();
}
function* cut(writer, value, depth, within) {
  if (Array.isArray(value) && value.length > LONG) {
    for (let i = 0; i < value.length; i++) {
      writer.add((i === 0 ? "[" : ",") + writer.lineBreak(depth + 1));
      writer.value(value[i], depth + 1);
      if (writer.parts >= PIECE) yield writer.take();
    }
    writer.add(writer.lineBreak(depth) + "]");
  } else if (within > 0 && isPlain(value)) {
    let opening = "{";
    for (const key of orderedKeys(Object.keys(value))) {
      if (value[key] === void 0) continue;
      writer.add(opening + writer.lineBreak(depth + 1));
      writer.value(key, 0);
      writer.add(": ");
      opening = ",";
      yield* cut(writer, value[key], depth + 1, within - 1);
    }
    writer.add(opening === "{" ? "{}" : writer.lineBreak(depth) + "}");
  } else writer.value(value, depth);
}
var isPlain = (value) => value !== null && typeof value === "object" && !Array.isArray(value) && !("toJSON" in value);
function sortKeys(value) {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== "object") return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return sortKeys(value.toJSON());
  const sorted = {};
  for (const key of Object.keys(value).sort()) sorted[key] = sortKeys(value[key]);
  return sorted;
}

// lib/collections/int_map.ts
var FIRST = 16;
var IntMap = class _IntMap {
  /** Key + 1, 0 where empty. */
  #keys = new Int32Array(FIRST);
  #values = new Int32Array(FIRST);
  #mask = FIRST - 1;
  #size = 0;
  get size() {
    return this.#size;
  }
  get(key) {
    const keys = this.#keys, mask = this.#mask, wanted = key + 1;
    let at = Math.imul(key, 2654435761) >>> 7 & mask;
    for (; ; ) {
      const found = keys[at];
      if (found === wanted) return this.#values[at];
      if (found === 0) return -1;
      at = at + 1 & mask;
    }
  }
  /** The keys that are there, ascending. */
  keys() {
    return this.#keys.filter((key) => key !== 0).map((key) => key - 1).sort();
  }
  /** Adds a key that is not there yet. */
  add(key, value) {
    if (this.#size * 2 > this.#mask) this.#grow();
    const keys = this.#keys, mask = this.#mask;
    let at = Math.imul(key, 2654435761) >>> 7 & mask;
    while (keys[at] !== 0) at = at + 1 & mask;
    keys[at] = key + 1;
    this.#values[at] = value;
    this.#size++;
  }
  /** Removes a key that is there. */
  delete(key) {
    const keys = this.#keys, values = this.#values, mask = this.#mask;
    let at = Math.imul(key, 2654435761) >>> 7 & mask;
    while (keys[at] !== key + 1) at = at + 1 & mask;
    this.#size--;
    let next = at;
    for (; ; ) {
      next = next + 1 & mask;
      const moved = keys[next];
      if (moved === 0) break;
      const home = Math.imul(moved - 1, 2654435761) >>> 7 & mask;
      if ((next - home & mask) >= (next - at & mask)) {
        keys[at] = moved;
        values[at] = values[next];
        at = next;
      }
    }
    keys[at] = 0;
  }
  #grow() {
    const keys = this.#keys, values = this.#values;
    this.#mask = this.#mask * 2 + 1;
    this.#keys = new Int32Array(this.#mask + 1);
    this.#values = new Int32Array(this.#mask + 1);
    this.#size = 0;
    for (let i = 0; i < keys.length; i++) if (keys[i] !== 0) this.add(keys[i] - 1, values[i]);
  }
  static {
    new _IntMap().#grow();
  }
};

// lib/collections/slot_map.ts
var SlotMap = class {
  #slots = new IntMap();
  #spare = [];
  #next = 0;
  /** The slot of a key, -1 without one. */
  get(key) {
    return this.#slots.get(key);
  }
  /** The keys that have a slot, ascending. */
  keys() {
    return this.#slots.keys();
  }
  /** Gives a key without a slot one. */
  take(key) {
    const slot = this.#spare.pop() ?? this.#next++;
    this.#slots.add(key, slot);
    return slot;
  }
  /** Takes the slot of a key back, and tells which it was. */
  give(key) {
    const slot = this.#slots.get(key);
    this.#slots.delete(key);
    this.#spare.push(slot);
    return slot;
  }
};

// lib/engine/history.ts
var INITIAL_ROWS = 1024;
var AdmissionLog = class {
  count = 0;
  request = new Int32Array(INITIAL_ROWS);
  /** Pool code, see `Pool` in `records.ts`. */
  pool = new Uint8Array(INITIAL_ROWS);
  atMs = new Float64Array(INITIAL_ROWS);
  reused = new Int32Array(INITIAL_ROWS);
  /** Appends an admission that found `reused` prompt tokens in the cache. */
  add(request, pool, atMs, reused) {
    const row = this.count++;
    if (row === this.request.length) {
      this.request = longer(this.request);
      this.pool = longer(this.pool);
      this.atMs = longer(this.atMs);
      this.reused = longer(this.reused);
    }
    this.request[row] = request;
    this.pool[row] = pool;
    this.atMs[row] = atMs;
    this.reused[row] = reused;
  }
  /** Groups the rows by request. */
  byRequest(requests) {
    return group(this.request, this.count, requests);
  }
};
var RoutingLog = class {
  rows = [];
  /** Appends a placement; the object is kept. */
  add(placement) {
    this.rows.push(placement);
  }
  /** Groups the rows by request. */
  byRequest(requests) {
    return group(Int32Array.from(this.rows, (row) => row.request), this.rows.length, requests);
  }
};
function group(request, count2, requests) {
  const start2 = new Int32Array(requests + 1);
  for (let row = 0; row < count2; row++) start2[request[row] + 1]++;
  for (let r = 0; r < requests; r++) start2[r + 1] += start2[r];
  const next = start2.slice();
  const rows = new Int32Array(count2);
  for (let row = 0; row < count2; row++) rows[next[request[row]]++] = row;
  return {
    start: start2,
    rows
  };
}

// lib/engine/records.ts
var Pool = {
  aggregated: 0,
  prefill: 1,
  decode: 2
};
var POOL_NAMES = [
  "agg",
  "prefill",
  "decode"
];
var Outcome = {
  none: 0,
  completed: 1,
  rejected: 2,
  failed: 3,
  cancelled: 4
};
var OUTCOME_NAMES = [
  "",
  "completed",
  "rejected",
  "failed",
  "canceled"
];
var INITIAL_CAPACITY = 256;
var DisaggregatedRecords = class {
  // By row.
  /** Prefill is done, its KV waits for the transfer. */
  sourceHeldMs;
  /** End of the wait for a place in the decode pool: the first admission there, or the end of a request without one. */
  decodeWaitedMs;
  /** Scheduler (rank) id in the prefill pool, -1 when never placed there. */
  prefillRank;
  prefillAdmissions;
  /** Largest number of prompt tokens reused at a prefill admission. */
  prefillReused;
  // By request, and empty unless everything is kept.
  prefillAdmitMs;
  decodeAdmitMs;
  destinationReservedMs;
  destinationActivatedMs;
  sourceReleasedMs;
  /** Prompt tokens the router believed resident at the picked worker, -1 when never placed. */
  prefillOverlapTokens;
  decodeOverlapTokens;
  /** @internal */
  resize(rows, kept) {
    this.sourceHeldMs = stamps(rows, this.sourceHeldMs);
    this.decodeWaitedMs = stamps(rows, this.decodeWaitedMs);
    this.prefillRank = int32(rows, this.prefillRank, -1);
    this.prefillAdmissions = int32(rows, this.prefillAdmissions);
    this.prefillReused = int32(rows, this.prefillReused);
    this.prefillAdmitMs = stamps(kept, this.prefillAdmitMs);
    this.decodeAdmitMs = stamps(kept, this.decodeAdmitMs);
    this.destinationReservedMs = stamps(kept, this.destinationReservedMs);
    this.destinationActivatedMs = stamps(kept, this.destinationActivatedMs);
    this.sourceReleasedMs = stamps(kept, this.sourceReleasedMs);
    this.prefillOverlapTokens = int32(kept, this.prefillOverlapTokens, -1);
    this.decodeOverlapTokens = int32(kept, this.decodeOverlapTokens, -1);
  }
  /** @internal A row is used again. */
  clear(row) {
    this.sourceHeldMs[row] = this.decodeWaitedMs[row] = NaN;
    this.prefillRank[row] = -1;
    this.prefillAdmissions[row] = this.prefillReused[row] = 0;
  }
};
var RequestRecords = class {
  /** Requests admitted to the cluster so far. */
  admitted = 0;
  /** Requests that ended so far. */
  ended = 0;
  // By request.
  /** Prompt tokens as admitted. */
  inputTokens;
  // By row.
  /** When a request arrived, in virtual milliseconds as all times here; `NaN` before it happened. */
  arrivalMs;
  /** First admission by a scheduler, in any pool. */
  firstAdmitMs;
  /** Its first output token. */
  firstTokenMs;
  /** Its second output token. */
  secondTokenMs;
  /** Its last output token so far. */
  lastTokenMs;
  /** Output tokens emitted. */
  outputTokens;
  /** Scheduler (rank) id in the aggregated or decode pool, -1 when never placed there. */
  decodeRank;
  /** Admissions in the aggregated or decode pool. */
  admissions;
  /** Prompt tokens reused at the first admission of all. */
  reusedFirst;
  /** Largest number of prompt tokens reused at an admission in the aggregated or decode pool. */
  reusedMax;
  // By request, and empty unless everything is kept.
  /** How it ended, one of {@linkcode Outcome}; 0 while it runs. */
  status;
  /** Its end, of whatever kind. */
  terminalMs;
  /** `completionOrder[0 .. ended)` are the requests in the order in which they ended. */
  completionOrder;
  /** Hand-over to the cluster, where it is not the arrival (agentic plays); null until one is stamped. */
  dispatchedMs = null;
  /**
   * Columns of prefill and decode pools; null in aggregated clusters.
   *
   * @internal
   */
  disaggregated;
  /**
   * Every placement and every admission; null unless asked for.
   *
   * @internal
   */
  routing;
  /**
   * Every admission by a scheduler; null unless asked for.
   *
   * @internal
   */
  admissionLog;
  #listener;
  /** Rows of the requests that have not ended; null where everything is kept. */
  #rows;
  #capacity = 0;
  #rowCapacity = 0;
  /** Whether the prompt lengths are somebody else's. */
  #shared;
  /** Empty columns, which grow as requests arrive. */
  constructor(options = {}) {
    const { history = false, keepsEnded = true, inputTokens } = options;
    this.disaggregated = options.disaggregated ? new DisaggregatedRecords() : null;
    this.routing = history ? new RoutingLog() : null;
    this.admissionLog = history ? new AdmissionLog() : null;
    this.#listener = options.listener ?? null;
    this.#rows = keepsEnded || history ? null : new SlotMap();
    this.#shared = inputTokens !== void 0;
    if (inputTokens !== void 0) this.inputTokens = inputTokens;
    this.#resize(options.capacity ?? INITIAL_CAPACITY);
  }
  /** The row of a request that has not ended; -1 where it has, and not everything is kept. */
  rowOf(request) {
    return this.#rows === null ? request : this.#rows.get(request);
  }
  /** A request enters the cluster with `inputTokens` prompt tokens. */
  arrive(request, atMs, inputTokens) {
    if (request >= this.#capacity) this.#resize(Math.max(request + 1, this.#capacity * 2));
    if (this.inputTokens[request] !== inputTokens) {
      if (this.#shared) this.#own();
      this.inputTokens[request] = inputTokens;
    }
    this.admitted++;
    if (this.#rows === null) this.arrivalMs[request] = atMs;
    else this.#begin(this.#rows.take(request), atMs);
  }
  /** The requests that arrived and have not ended, ascending. */
  unended() {
    if (this.#rows !== null) return this.#rows.keys();
    const { arrivalMs, status } = this;
    return Int32Array.from(arrivalMs.keys()).filter((r) => !Number.isNaN(arrivalMs[r]) && status[r] === Outcome.none);
  }
  /** A request that waited before its arrival counted is handed over. */
  dispatch(request, atMs) {
    (this.dispatchedMs ??= stamps(this.#capacity))[request] = atMs;
  }
  /** A router placed a request in a pool, where it believed `overlapTokens` of its prompt resident. */
  route(request, pool, overlapTokens) {
    const columns = this.disaggregated;
    if (columns === null) return;
    (pool === Pool.prefill ? columns.prefillOverlapTokens : columns.decodeOverlapTokens)[request] = overlapTokens;
  }
  /** Scheduler `rank` of a pool has taken a request. */
  place(request, pool, rank) {
    const row = this.rowOf(request);
    if (row < 0) return;
    if (pool === Pool.prefill) this.disaggregated.prefillRank[row] = rank;
    else this.decodeRank[row] = rank;
  }
  /** A scheduler admits a request (again), finding `reused` prompt tokens in its cache. */
  admit(request, atMs, reused, pool) {
    if (this.admissionLog !== null) this.admissionLog.add(request, pool, atMs, reused);
    const columns = this.disaggregated, row = this.rowOf(request);
    if (row < 0) return;
    if (Number.isNaN(this.firstAdmitMs[row])) {
      this.firstAdmitMs[row] = atMs;
      this.reusedFirst[row] = reused;
    }
    if (pool === Pool.prefill) {
      if (columns.prefillAdmissions[row]++ === 0) columns.prefillAdmitMs[request] = atMs;
      if (reused > columns.prefillReused[row]) columns.prefillReused[row] = reused;
      return;
    }
    if (this.admissions[row]++ === 0 && columns !== null) {
      columns.decodeAdmitMs[request] = columns.decodeWaitedMs[row] = atMs;
    }
    if (reused > this.reusedMax[row]) this.reusedMax[row] = reused;
  }
  /** The prompt of a request is computed, its KV waits for the transfer to the other pool. */
  hold(request, atMs) {
    const row = this.rowOf(request);
    if (row >= 0) this.disaggregated.sourceHeldMs[row] = atMs;
  }
  /**
   * The tokens a request emitted, told once when it ends: how many, and when the first, second and last left (`NaN`
   * where there is no such token).
   */
  emit(request, count2, firstMs, secondMs, lastMs) {
    const row = this.rowOf(request);
    this.outputTokens[row] = count2;
    this.firstTokenMs[row] = firstMs;
    this.secondTokenMs[row] = secondMs;
    this.lastTokenMs[row] = lastMs;
  }
  /** A request ends; the order of these calls is the completion order in which means are summed. */
  finish(request, atMs, outcome) {
    this.terminalMs[request] = atMs;
    this.status[request] = outcome;
    this.completionOrder[this.ended++] = request;
    const waited = this.disaggregated?.decodeWaitedMs, row = this.rowOf(request);
    if (waited !== void 0 && Number.isNaN(waited[row])) waited[row] = atMs;
    this.#listener?.ended(this, request, row, atMs, outcome);
    this.#rows?.give(request);
  }
  /** A row is used for another request. */
  #begin(row, arrivalMs) {
    if (row >= this.#rowCapacity) this.#resizeRows(this.#rowCapacity * 2);
    this.arrivalMs[row] = arrivalMs;
    this.firstAdmitMs[row] = NaN;
    this.firstTokenMs[row] = this.secondTokenMs[row] = this.lastTokenMs[row] = NaN;
    this.decodeRank[row] = -1;
    this.outputTokens[row] = this.admissions[row] = this.reusedFirst[row] = this.reusedMax[row] = 0;
    this.disaggregated?.clear(row);
  }
  /** Prompt lengths of its own from now on. */
  #own() {
    this.inputTokens = int32(this.#capacity, this.#shared ? this.inputTokens.slice(0, this.#capacity) : this.inputTokens);
    this.#shared = false;
  }
  #resize(capacity2) {
    const kept = this.#rows === null ? capacity2 : 0;
    this.#capacity = capacity2;
    if (!this.#shared || this.inputTokens.length < capacity2) this.#own();
    this.status = this.status ? longer(this.status, kept) : new Uint8Array(kept);
    this.terminalMs = stamps(kept, this.terminalMs);
    this.completionOrder = int32(kept, this.completionOrder);
    if (this.dispatchedMs !== null) this.dispatchedMs = stamps(capacity2, this.dispatchedMs);
    this.#resizeRows(this.#rows === null ? capacity2 : Math.max(this.#rowCapacity, INITIAL_CAPACITY));
  }
  #resizeRows(rows) {
    this.#rowCapacity = rows;
    this.arrivalMs = stamps(rows, this.arrivalMs);
    this.firstAdmitMs = stamps(rows, this.firstAdmitMs);
    this.firstTokenMs = stamps(rows, this.firstTokenMs);
    this.secondTokenMs = stamps(rows, this.secondTokenMs);
    this.lastTokenMs = stamps(rows, this.lastTokenMs);
    this.outputTokens = int32(rows, this.outputTokens);
    this.decodeRank = int32(rows, this.decodeRank, -1);
    this.admissions = int32(rows, this.admissions);
    this.reusedFirst = int32(rows, this.reusedFirst);
    this.reusedMax = int32(rows, this.reusedMax);
    this.disaggregated?.resize(rows, this.#rows === null ? this.#capacity : 0);
  }
};
function stamps(capacity2, old) {
  if (old?.length === capacity2) return old;
  const column = new Float64Array(capacity2);
  if (old) column.set(old);
  return column.fill(NaN, old?.length ?? 0);
}
function int32(capacity2, old, empty = 0) {
  if (old?.length === capacity2) return old;
  const column = new Int32Array(capacity2);
  if (old) column.set(old);
  return empty === 0 ? column : column.fill(empty, old?.length ?? 0);
}

// lib/report/sla.ts
var SLA_OPTIONS = {
  ttftMs: true,
  itlMs: true,
  e2eMs: true
};
function checkSla(sla2) {
  const bounds = [
    [
      "ttft_ms",
      sla2.ttftMs
    ],
    [
      "itl_ms",
      sla2.itlMs
    ],
    [
      "e2e_ms",
      sla2.e2eMs
    ]
  ];
  for (const [name, bound2] of bounds) {
    if (bound2 === void 0 || bound2 === null) continue;
    if (!Number.isFinite(bound2) || bound2 < 0) {
      throw new ConfigError(`sla_${name} must be a finite, non-negative value, got ${bound2}`);
    }
    if (bound2 === 0) {
      throw new ConfigError(`invalid replay spec: sla.${name} must be finite and positive, got ${bound2}`);
    }
  }
  if (sla2.e2eMs !== void 0 && (sla2.ttftMs !== void 0 || sla2.itlMs !== void 0)) {
    throw new ConfigError("invalid replay spec: sla.e2e_ms is mutually exclusive with sla.ttft_ms/itl_ms");
  }
}
var Bound = {
  ttft: 1,
  tpot: 2,
  e2e: 4,
  unserved: 8
};
function missedBounds(tokens, ttftMs, e2eMs, wholeMs, sla2) {
  const { ttftMs: ttft = null, itlMs: itl = null, e2eMs: e2e = null } = sla2;
  if (tokens === 0) {
    if (e2e === null || ttft !== null || itl !== null) return Bound.unserved;
    return wholeMs <= e2e ? 0 : Bound.e2e;
  }
  return (e2e === null || e2eMs <= e2e ? 0 : Bound.e2e) | (ttft === null || ttftMs <= ttft ? 0 : Bound.ttft) | (itl === null || tokens < 2 || (e2eMs - ttftMs) / (tokens - 1) <= itl ? 0 : Bound.tpot);
}
var meetsSla = (...request) => missedBounds(...request) === 0;

// lib/report/waits.ts
var FIRST2 = 64;
var Waits = class {
  #sums;
  #firstMs = Infinity;
  #lastMs = -Infinity;
  #count = 0;
  #sinceMs;
  #untilMs;
  /**
   * @param spanMs first and last arrival; null where they are not known beforehand
   * @param expected waits to make room for at once where they are kept; memory is taken as they come
   */
  constructor(spanMs, expected) {
    this.#sums = spanMs && new QuarterSums(spanMs);
    const room = spanMs === null ? Math.max(expected, FIRST2) : 0;
    this.#sinceMs = new Float64Array(room);
    this.#untilMs = new Float64Array(room);
  }
  /** A request is about to end. One that was refused did not wait. */
  ended(records, row) {
    const { arrivalMs, firstAdmitMs, disaggregated } = records, arrived = arrivalMs[row];
    this.#came(arrived);
    this.#add(arrived, firstAdmitMs[row]);
    if (disaggregated !== null) this.#add(disaggregated.sourceHeldMs[row], disaggregated.decodeWaitedMs[row]);
  }
  /**
   * What came of it when the run is over: requests that waited on average, in each quarter, and those that no scheduler
   * had admitted by then, other than rejected and failed ones.
   */
  result(records) {
    const { arrivalMs, firstAdmitMs, disaggregated } = records, unended = records.unended();
    let neverRan = 0;
    for (const request of unended) this.#came(arrivalMs[records.rowOf(request)]);
    const sums = this.#sums ?? new QuarterSums([
      this.#firstMs,
      this.#lastMs
    ]);
    for (let i = 0; i < this.#count; i++) sums.add(this.#sinceMs[i], this.#untilMs[i]);
    for (const request of unended) {
      const row = records.rowOf(request), admitted = firstAdmitMs[row];
      if (Number.isNaN(admitted)) neverRan++;
      sums.add(arrivalMs[row], orNever(admitted));
      if (disaggregated !== null) sums.add(disaggregated.sourceHeldMs[row], orNever(disaggregated.decodeWaitedMs[row]));
    }
    return {
      waits: sums.waits,
      neverRan
    };
  }
  #came(atMs) {
    if (atMs < this.#firstMs) this.#firstMs = atMs;
    if (atMs > this.#lastMs) this.#lastMs = atMs;
  }
  #add(sinceMs, untilMs) {
    if (this.#sums !== null) return this.#sums.add(sinceMs, untilMs);
    if (!(untilMs > sinceMs)) return;
    const at = this.#count++;
    this.#sinceMs = reaching(this.#sinceMs, at);
    this.#untilMs = reaching(this.#untilMs, at);
    this.#sinceMs[at] = sinceMs;
    this.#untilMs[at] = untilMs;
  }
};
var orNever = (atMs) => Number.isNaN(atMs) ? Infinity : atMs;
var QuarterSums = class {
  waits = [
    0,
    0,
    0,
    0
  ];
  #fromMs;
  #quarterMs;
  constructor([firstMs, lastMs]) {
    this.#fromMs = firstMs;
    this.#quarterMs = (lastMs - firstMs) / 4;
  }
  /** Adds one wait, unless it never began. Most lie in one quarter: the others are passed over quickly. */
  add(sinceMs, untilMs) {
    const quarterMs = this.#quarterMs;
    if (!(quarterMs > 0 && untilMs > sinceMs)) return;
    for (let quarter = 0; quarter < 4; quarter++) {
      const start2 = this.#fromMs + quarter * quarterMs, end = start2 + quarterMs;
      if (end <= sinceMs) continue;
      if (start2 >= untilMs) break;
      const overlap = (untilMs < end ? untilMs : end) - (sinceMs > start2 ? sinceMs : start2);
      if (overlap > 0) this.waits[quarter] += overlap / quarterMs;
    }
  }
};

// lib/report/served_requests.ts
var FIRST3 = 256;
var NOTHING = new Float64Array(0);
var Samples = class {
  #count = 0;
  #values;
  #described = null;
  /** @param expected samples to make room for at once; memory is taken as they come */
  constructor(expected) {
    this.#values = new Float64Array(Math.max(expected, FIRST3));
  }
  /** Number of samples. */
  get count() {
    return this.#count;
  }
  add(value) {
    if (this.#count === this.#values.length) this.#values = longer(this.#values);
    this.#values[this.#count++] = value;
  }
  /** Describes the samples, and lets go of them: none may be added any more. */
  describe() {
    this.#described ??= describeInPlace(this.#values.subarray(0, this.#count));
    this.#values = NOTHING;
    return this.#described;
  }
};
var SlaCounts = class {
  /** Requests within every bound, and their output tokens. */
  within = 0;
  outputTokens = 0;
  /** Requests that could be held to the bounds. */
  served = 0;
  ttft = 0;
  tpot = 0;
  e2e = 0;
  /** @param missed bits of {@linkcode Bound} */
  add(missed, tokens) {
    if (missed === 0) {
      this.within++;
      this.outputTokens += tokens;
    }
    if (missed & Bound.unserved) return;
    this.served++;
    if (missed & Bound.ttft) this.ttft++;
    if (missed & Bound.tpot) this.tpot++;
    if (missed & Bound.e2e) this.e2e++;
  }
};
var ServedRequests = class {
  rejected = 0;
  failed = 0;
  completed = 0;
  inputTokens = 0;
  outputTokens = 0;
  /** Prompt tokens found in caches, at the best admission of each request and at its first. */
  reusedTokens = 0;
  firstReusedTokens = 0;
  /** Last end of a completed request. */
  lastEndMs = 0;
  /** Time to the first token, of requests with a token. */
  ttft;
  /** Time between the first and the second token, and mean time per token after the first, of those with two. */
  ttst;
  tpot;
  /** Time from the arrival to the last token, of requests with a token. */
  e2e;
  /** Null without bounds. */
  sla;
  /** Completed requests by the scheduler id they were placed on last, in the prefill pool and in the other. */
  byPrefillRank = [];
  byDecodeRank = [];
  /** Waits for schedulers, of all outcomes. */
  waits;
  #bounds;
  /**
   * @param expected requests to make room for at once
   * @param spanMs first and last arrival, where both are known beforehand
   */
  constructor(sla2 = null, expected = 0, spanMs = null) {
    this.#bounds = sla2;
    this.waits = new Waits(spanMs, expected);
    this.sla = sla2 && new SlaCounts();
    this.ttft = new Samples(expected);
    this.ttst = new Samples(expected);
    this.tpot = new Samples(expected);
    this.e2e = new Samples(expected);
  }
  ended(records, request, row, atMs, outcome) {
    this.waits.ended(records, row);
    if (outcome === Outcome.rejected) this.rejected++;
    if (outcome === Outcome.failed) this.failed++;
    if (outcome !== Outcome.completed) return;
    const pools = records.disaggregated;
    count(this.byDecodeRank, records.decodeRank[row]);
    if (pools !== null) count(this.byPrefillRank, pools.prefillRank[row]);
    if (records.admissions[row] === 0 && (pools === null || pools.prefillAdmissions[row] === 0)) return;
    const tokens = records.outputTokens[row], reused = records.reusedMax[row];
    this.completed++;
    this.inputTokens += records.inputTokens[request];
    this.outputTokens += tokens;
    this.lastEndMs = Math.max(this.lastEndMs, atMs);
    this.reusedTokens += pools === null ? reused : Math.max(reused, pools.prefillReused[row]);
    this.firstReusedTokens += records.reusedFirst[row];
    const ttft = timeToFirstToken(records, row), e2e = endToEnd(records, row);
    if (tokens > 0) {
      this.ttft.add(ttft);
      this.e2e.add(e2e);
    }
    if (tokens > 1) {
      this.ttst.add(timeToSecondToken(records, row));
      this.tpot.add(timePerOutputToken(records, row));
    }
    if (this.sla !== null) {
      this.sla.add(missedBounds(tokens, ttft, e2e, atMs - records.arrivalMs[row], this.#bounds), tokens);
    }
  }
};
function count(byRank, rank) {
  if (rank >= 0) byRank[rank] = (byRank[rank] ?? 0) + 1;
}
function timeToFirstToken(records, row) {
  return Math.max(records.firstTokenMs[row] - records.arrivalMs[row], 0);
}
function timeToSecondToken(records, row) {
  return Math.max(records.secondTokenMs[row] - records.firstTokenMs[row], 0);
}
function endToEnd(records, row) {
  return Math.max(records.lastTokenMs[row] - records.arrivalMs[row], 0);
}
function timePerOutputToken(records, row) {
  const tokens = records.outputTokens[row];
  return tokens > 1 ? Math.max(records.lastTokenMs[row] - records.firstTokenMs[row], 0) / (tokens - 1) : NaN;
}

// lib/report/per_request.ts
var PerRequestRecords = class {
  length;
  #records;
  #workload;
  #order;
  #admissions;
  #placements;
  constructor(records, workload) {
    this.#records = records;
    this.#workload = workload;
    this.#order = reportOrder(records, workload);
    this.length = this.#order.length;
    this.#admissions = records.admissionLog?.byRequest(workload.count) ?? null;
    this.#placements = records.routing?.byRequest(workload.count) ?? null;
  }
  /** The record of a request by its index in the load; it must have ended. */
  of(request) {
    return this.#record(request);
  }
  at(index) {
    const position = index < 0 ? this.length + index : index;
    return position in this.#order ? this.#record(this.#order[position]) : void 0;
  }
  *[Symbol.iterator]() {
    for (const request of this.#order) yield this.#record(request);
  }
  /** All records at once, for `JSON.stringify`. */
  toJSON() {
    return [
      ...this
    ];
  }
  // Keys are written in sorted order at every depth, so that `JSON.stringify` alone gives the lines of a file.
  #record(r) {
    const records = this.#records, workload = this.#workload, pools = records.disaggregated;
    const decodeAdmissions = records.admissions[r];
    const prefillAdmissions = pools === null ? 0 : pools.prefillAdmissions[r];
    const hasSession = workload.session !== null;
    const hasDestination = pools === null || pools.destinationReservedMs[r] >= 0;
    const record = {
      admission_count: prefillAdmissions + decodeAdmissions,
      admission_history: this.#admissionHistory(r),
      agentic: workload.agentic?.[r],
      arrival_time_ms: records.arrivalMs[r],
      decode_admit_ms: pools === null ? null : orNull(pools.decodeAdmitMs[r]),
      decode_reused_input_tokens: pools === null || decodeAdmissions === 0 ? null : records.reusedMax[r],
      decode_route_overlap_tokens: pools === null ? null : countOrNull(pools.decodeOverlapTokens[r]),
      decode_worker_idx: hasDestination ? countOrNull(records.decodeRank[r]) : null,
      destination_activated_ms: pools === null ? null : orNull(pools.destinationActivatedMs[r]),
      destination_reserved_ms: pools === null ? null : orNull(pools.destinationReservedMs[r]),
      dispatched_at_ms: records.dispatchedMs === null ? null : orNull(records.dispatchedMs[r]),
      e2e_latency_ms: orNull(endToEnd(records, r)),
      first_admit_ms: orNull(records.firstAdmitMs[r]),
      first_token_ms: orNull(records.firstTokenMs[r]),
      input_length: records.inputTokens[r],
      itl_ms: orNull(timePerOutputToken(records, r)),
      last_token_ms: orNull(records.lastTokenMs[r]),
      output_length: records.outputTokens[r],
      play_id: workload.playIds?.[r],
      prefill_admit_ms: pools === null ? null : orNull(pools.prefillAdmitMs[r]),
      prefill_route_overlap_tokens: pools === null ? null : countOrNull(pools.prefillOverlapTokens[r]),
      prefill_worker_idx: pools === null ? null : countOrNull(pools.prefillRank[r]),
      pressure_record_ordinals: [],
      readmission_count: Math.max(prefillAdmissions - 1, 0) + Math.max(decodeAdmissions - 1, 0),
      request_id: workload.requestIds?.[r],
      requested_output_length: workload.outputTokens[r],
      reused_input_tokens: prefillAdmissions > 0 ? pools.prefillReused[r] : records.reusedMax[r],
      routing_history: this.#routingHistory(r),
      session_id: hasSession ? workload.sessionName(workload.session[r]) : null,
      source_held_ms: pools === null ? null : orNull(pools.sourceHeldMs[r]),
      source_released_ms: pools === null ? null : orNull(pools.sourceReleasedMs[r]),
      terminal_status: OUTCOME_NAMES[records.status[r]],
      terminal_time_ms: records.terminalMs[r],
      ttft_ms: orNull(timeToFirstToken(records, r)),
      ttst_ms: orNull(timeToSecondToken(records, r)),
      turn_index: hasSession && workload.turn !== null ? workload.turn[r] : null,
      uuid: uuidOf(r)
    };
    if (record.agentic === void 0) delete record.agentic;
    if (record.play_id === void 0) delete record.play_id;
    if (record.request_id === void 0) delete record.request_id;
    return record;
  }
  #admissionHistory(r) {
    const history = [];
    if (this.#admissions === null) return history;
    const log = this.#records.admissionLog;
    const { start: start2, rows } = this.#admissions;
    const seen = [
      0,
      0,
      0
    ];
    for (let i = start2[r]; i < start2[r + 1]; i++) {
      const row = rows[i];
      const pool = log.pool[row];
      history.push({
        admission_ordinal: i - start2[r],
        at_ms: log.atMs[row],
        is_readmission: seen[pool] > 0,
        pool: POOL_NAMES[pool],
        pool_admission_ordinal: seen[pool]++,
        reused_input_tokens: log.reused[row]
      });
    }
    return history;
  }
  #routingHistory(r) {
    const history = [];
    if (this.#placements === null) return history;
    const { start: start2, rows } = this.#placements;
    for (let i = start2[r]; i < start2[r + 1]; i++) {
      const placement = this.#records.routing.rows[rows[i]];
      const queued = placement.queueEnteredMs >= 0;
      const hasBlocks = placement.overlapBlocks >= 0;
      history.push({
        best_available_overlap_blocks: hasBlocks ? placement.bestOverlapBlocks : null,
        dp_rank: placement.dpRank,
        logical_worker_id: placement.worker,
        outcome: queued ? "queued" : "immediate",
        overlap_regret_blocks: hasBlocks ? Math.max(placement.bestOverlapBlocks - placement.overlapBlocks, 0) : null,
        placement_replica_id: null,
        pool: POOL_NAMES[placement.pool],
        queue_entered_at_ms: queued ? placement.queueEnteredMs : null,
        queue_wait_ms: queued ? placement.releasedMs - placement.queueEnteredMs : 0,
        released_at_ms: queued ? placement.releasedMs : null,
        reported_overlap_tokens: placement.overlapTokens,
        scheduler_id: placement.scheduler,
        selected_overlap_blocks: hasBlocks ? placement.overlapBlocks : null
      });
    }
    return history;
  }
};
function uuidOf(request) {
  return "00000000-0000-0000-0000-" + (request + 1).toString(16).padStart(12, "0");
}
function reportOrder(records, workload) {
  const ended = records.completionOrder.slice(0, records.ended).sort();
  const { arrivalMs } = records;
  const ids = workload.requestIds;
  if (ids === null && ended.every((r, i) => i === 0 || arrivalMs[ended[i - 1]] <= arrivalMs[r])) return ended;
  const compareIds = (a, b) => ids === null || ids[a] === ids[b] ? 0 : ids[a] < ids[b] ? -1 : 1;
  return ended.sort((a, b) => compareIds(a, b) || arrivalMs[a] - arrivalMs[b] || a - b);
}
function orNull(value) {
  return Number.isNaN(value) ? null : value;
}
function countOrNull(value) {
  return value < 0 ? null : value;
}

// lib/report/summary.ts
var STATISTICS = [
  "mean",
  "min",
  "max",
  "median",
  "p75",
  "p90",
  "p95",
  "p99",
  "std"
];
function* summarize(records, served, gaps, totals) {
  const { completed, inputTokens: input, outputTokens: output, lastEndMs: durationMs, rejected, failed } = served;
  const { reusedTokens: reused, firstReusedTokens: reusedFirst, sla: sla2 } = served;
  const seconds = Math.max(durationMs / 1e3, 1e-9);
  yield;
  const ttft = served.ttft.describe();
  yield;
  const ttst = served.ttst.describe();
  yield;
  const tpot = served.tpot.describe();
  yield;
  const e2e = served.e2e.describe();
  yield;
  const perWallSecond = (tokens) => totals.wallMs > 0 ? tokens / totals.wallMs * 1e3 : 0;
  return {
    kv_eviction_policy: "lru",
    committed_prefill_tokens: totals.committedPrefillTokens,
    num_requests: records.admitted,
    completed_requests: completed,
    total_input_tokens: input,
    total_output_tokens: output,
    duration_ms: durationMs,
    wall_time_ms: totals.wallMs,
    request_throughput_rps: completed / seconds,
    input_throughput_tok_s: input / seconds,
    output_throughput_tok_s: output / seconds,
    total_throughput_tok_s: (input + output) / seconds,
    prefill_worker_seconds: totals.prefillWorkerSeconds,
    decode_worker_seconds: totals.decodeWorkerSeconds,
    prefill_gpus_per_worker: totals.prefillGpusPerWorker,
    decode_gpus_per_worker: totals.decodeGpusPerWorker,
    gpu_hours: (totals.prefillWorkerSeconds * totals.prefillGpusPerWorker + totals.decodeWorkerSeconds * totals.decodeGpusPerWorker) / 3600,
    ...sla2 === null ? {} : {
      goodput_completed_requests: sla2.within,
      goodput_request_throughput_rps: sla2.within / seconds,
      goodput_output_throughput_tok_s: sla2.outputTokens / seconds
    },
    power_w: null,
    power_coverage: null,
    processed_tokens: input + output,
    processed_tokens_per_s: perWallSecond(input + output),
    processed_output_tokens_per_s: perWallSecond(output),
    prefix_cache_reused_ratio: input === 0 ? 0 : reused / input,
    first_admission_prefix_cache_reused_ratio: input === 0 ? 0 : reusedFirst / input,
    num_ttft_samples: served.ttft.count,
    num_tpot_samples: served.tpot.count,
    num_e2e_latency_samples: served.e2e.count,
    ...rejected > 0 ? {
      rejected_requests: rejected
    } : {},
    ...rejected > 0 && totals.largestPromptTokens !== void 0 ? {
      largest_prompt_tokens: totals.largestPromptTokens
    } : {},
    ...failed > 0 ? {
      failed_requests: failed
    } : {},
    ...totals.cutoffRequests === void 0 ? {} : {
      cutoff_unadmitted_requests: totals.cutoffRequests.keptOut,
      cutoff_unfinished_requests: totals.cutoffRequests.unfinished
    },
    ...statistics("ttft_ms", ttft),
    ...statistics("ttst_ms", ttst),
    ...statistics("tpot_ms", tpot),
    ...statistics("itl_ms", gaps.itl()),
    ...statistics("e2e_latency_ms", e2e),
    ...statistics("output_token_throughput_per_user", gaps.userRate())
  };
}
function statistics(metric2, distribution) {
  return Object.fromEntries(STATISTICS.map((name) => [
    `${name}_${metric2}`,
    distribution[name]
  ]));
}
var RATES = [
  "request_throughput_rps",
  "input_throughput_tok_s",
  "output_throughput_tok_s",
  "total_throughput_tok_s",
  "processed_tokens_per_s",
  "processed_output_tokens_per_s"
];
function predictionSummary(summary) {
  if (summary.completed_requests > 0) return summary;
  const nothing = Object.keys(summary).filter((key) => RATES.includes(key) || STATISTICS.some((name) => key.startsWith(`${name}_`)));
  return {
    ...summary,
    ...Object.fromEntries(nothing.map((key) => [
      key,
      null
    ])),
    prediction_status: "invalid",
    stop_reason: "no_completed_requests",
    diagnostic: NO_COMPLETED_REQUESTS
  };
}
var NO_COMPLETED_REQUESTS = "No requests completed; serving latency and throughput are unavailable. Check KV capacity against request lengths, context limits, and traffic stop limits.";

// lib/report/report.ts
var CONFIG_FILE = "effective-config.yaml";
function* buildReport(parts) {
  const { records, served, workload, planner: planner2 = null, sla: sla2 = null, price = null } = parts;
  const perRequest = records.admissionLog === null ? null : new PerRequestRecords(records, workload);
  const summary = yield* summarize(records, served, parts.gaps, parts.totals);
  const evaluation = evaluate(records, served, summary, {
    sla: sla2,
    price
  });
  return {
    summary: {
      ...summary,
      ...parts.agents === void 0 ? {} : agenticSummary(parts.agents)
    },
    per_request: perRequest,
    coverage: {
      capture_per_request: perRequest !== null,
      capture_planner_details: planner2 !== null && (parts.plannerDetails ?? true),
      per_request_records: perRequest?.length ?? 0
    },
    planner: planner2,
    ...evaluation === void 0 ? {} : {
      evaluation
    },
    ...parts.telemetry === void 0 ? {} : {
      telemetry: parts.telemetry
    },
    ...parts.workers === void 0 ? {} : {
      workers: parts.workers
    }
  };
}
function* predictionText(report, options = {}) {
  checkOptions("predictionText()", options, {
    flat: true
  });
  const { flat = false } = options;
  const sections = flat ? flatReport(report) : {
    ...report
  };
  let opening = "{\n";
  for (const key of Object.keys(sections).sort()) {
    yield `${opening}  ${JSON.stringify(key)}: `;
    opening = ",\n";
    if (key === "per_request" && report.per_request !== null) yield* indentedList(report.per_request);
    else yield* indentedPieces(sections[key], 2);
  }
  yield "\n}\n";
}
function* requestLines(report) {
  for (const record of report.per_request ?? []) yield requestLine(record);
}
function requestLine(record) {
  const json = record.agentic === void 0 ? escapeBeyondAscii(JSON.stringify(record)) : compactJson(record);
  return json + "\n";
}
function* indentedList(records) {
  if (records.length === 0) {
    yield "[]";
    return;
  }
  let opening = "[\n    ";
  for (const record of records) {
    yield opening + (record.agentic === void 0 ? escapeBeyondAscii(JSON.stringify([
      [
        record
      ]
    ], null, 2)).slice("[\n  [\n    ".length, -"\n  ]\n]".length) : indentedJson(record, 4));
    opening = ",\n    ";
  }
  yield "\n  ]";
}
var SECTIONS = [
  "per_request",
  "coverage",
  "planner",
  "evaluation",
  "telemetry",
  "workers",
  "metadata",
  "details"
];
function flatReport({ summary, per_request, coverage, planner: planner2, ...rest }) {
  return {
    ...summary,
    ...rest,
    ...per_request === null ? {} : {
      per_request,
      coverage
    },
    ...planner2 === null ? {} : {
      planner: planner2
    }
  };
}
function sectionedReport(value) {
  if (typeof value !== "object" || value === null || Object.hasOwn(value, "summary")) return value;
  if (!Object.hasOwn(value, "completed_requests")) return value;
  const known = (key) => SECTIONS.includes(key);
  const entries = Object.entries(value);
  return {
    summary: Object.fromEntries(entries.filter(([key]) => !known(key))),
    per_request: null,
    planner: null,
    ...Object.fromEntries(entries.filter(([key]) => known(key)))
  };
}

// lib/engine/launch/rules.ts
var MEMORY_FRACTION = {
  vllm: "gpu_memory_utilization",
  sglang: "mem_fraction_static",
  trtllm: "free_gpu_memory_fraction"
};
var DEFAULT_ACCEPT_RATES = [
  0.85,
  0.3,
  0,
  0,
  0
];
var EXTERNAL_PROVIDERS = [
  "ais",
  "aic"
];
function fail(path, message) {
  throw new ConfigError(message, [
    {
      path,
      message
    }
  ]);
}
var MOST_BLOCK_TOKENS = 2 ** 20;
var MOST_INTERVAL = 1e4;
function checkRank(rank, engine2) {
  const { backend } = rank;
  const positive4 = (name, value) => {
    if (value === 0) fail(`engine.${name}`, `${name} must be positive`);
  };
  const finite2 = (name, value) => {
    if (!(Number.isFinite(value) && value >= 0)) fail(`engine.${name}`, `${name} must be finite and non-negative`);
  };
  if (engine2.state_cache != null) {
    if (backend !== "vllm") fail("engine.state_cache", "state_cache is supported only for backend=vllm");
    notSimulated("state_cache", "a recurrent-state cache");
  }
  if (engine2.prefix_match_unit != null) {
    const text4 = "engine: prefix_match_unit currently requires state_cache";
    fail("engine.prefix_match_unit", `invalid engine launch config: ${text4}`);
  }
  positive4("num_gpu_blocks", rank.blocks);
  positive4("block_size", rank.blockTokens);
  if (rank.blockTokens > MOST_BLOCK_TOKENS) {
    fail("engine.block_size", `block_size must be at most ${MOST_BLOCK_TOKENS}, got ${rank.blockTokens}`);
  }
  if (backend !== "sglang" && rank.blockTokens < 2) {
    fail("engine.block_size", "vLLM/TRT-LLM block_size must be at least two");
  }
  positive4("max_num_seqs", rank.maxSequences);
  positive4("max_num_batched_tokens", rank.maxBatchedTokens);
  positive4("prefill_schedule_interval", rank.prefillScheduleInterval);
  if (rank.prefillDecodeInterval > MOST_INTERVAL) {
    const text4 = `prefill_decode_interval must be at most ${MOST_INTERVAL}, got ${rank.prefillDecodeInterval}`;
    fail("engine.prefill_decode_interval", text4);
  }
  if (rank.prefillScheduleInterval !== 1 && backend !== "vllm") {
    const text4 = "prefill_schedule_interval is supported only for backend=vllm; use prefill_decode_interval for backend=sglang";
    fail("engine.prefill_schedule_interval", text4);
  }
  if (rank.prefillDecodeInterval !== 0 && backend !== "sglang") {
    fail("engine.prefill_decode_interval", "prefill_decode_interval is supported only for backend=sglang");
  }
  positive4("max_model_len", rank.maxModelTokens);
  finite2("speedup_ratio", rank.speedup);
  finite2("decode_speedup_ratio", rank.decodeSpeedup);
  rank.acceptRates = readAcceptRates(engine2, rank.decodeSpeedup);
  if (backend === "sglang") checkSglang(rank);
  if (engine2.emit_kv_token_ids && !engine2.emit_kv_events) {
    fail("engine.emit_kv_token_ids", "emit_kv_token_ids requires emit_kv_events");
  }
  positive4("kv_transfer_bytes_per_token", rank.transferBytesPerToken);
  positive4("kv_cache_bytes_per_token", engine2.kv_cache_bytes_per_token);
  if (engine2.kv_cache_groups?.length) notSimulated("kv_cache_groups", "grouped KV caches");
  if (engine2.kv_cache_capacity_bytes != null) {
    fail("engine.kv_cache_capacity_bytes", "kv_cache_capacity_bytes requires kv_cache_groups");
  }
  if (engine2.g3_offload != null && engine2.native_host_offload == null) {
    fail("engine.g3_offload", "g3_offload requires native_host_offload");
  }
  if (engine2.native_host_offload != null) {
    if (backend !== "vllm") {
      fail("engine.native_host_offload", "native_host_offload is supported only for backend=vllm");
    }
    notSimulated("native_host_offload", "offloading KV blocks to host memory");
  }
  if (rank.transferGigabytesPerSecond !== null) finite2("kv_transfer_bandwidth", rank.transferGigabytesPerSecond);
}
function notSimulated(name, what) {
  return fail(`engine.${name}`, `${name} is not supported: ${what} is not simulated`);
}
function readAcceptRates(engine2, decodeSpeedup) {
  const depth = engine2.aic_nextn;
  const text4 = engine2.aic_nextn_accept_rates;
  const path = "engine.aic_nextn_accept_rates";
  if (depth == null) {
    if (text4 != null) fail(path, "aic_nextn_accept_rates requires aic_nextn");
    return null;
  }
  if (depth < 1 || depth > 5) fail("engine.aic_nextn", `aic_nextn must be in 1..=5, got ${depth}`);
  const rates = text4 == null || text4.trim() === "" ? DEFAULT_ACCEPT_RATES : text4.split(",").map((part) => {
    const number2 = part.trim();
    if (number2 === "") {
      fail(path, `invalid aic_nextn_accept_rates value "${part}": cannot parse float from empty string`);
    }
    if (!/^[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)$/i.test(number2)) {
      fail(path, `invalid aic_nextn_accept_rates value "${part}": invalid float literal`);
    }
    return /inf/i.test(number2) ? number2[0] === "-" ? -Infinity : Infinity : Number(number2);
  });
  rates.forEach((rate, index) => {
    if (rate >= 0 && rate <= 1) return;
    const shown3 = String(rate).replace("Infinity", "inf");
    fail(path, `aic_nextn_accept_rates[${index}] must be finite and in [0, 1], got ${shown3}`);
  });
  if (decodeSpeedup !== 1) {
    const rule = "aic_nextn requires decode_speedup_ratio=1.0 because MTP output acceleration is modeled by burst sampling";
    fail("engine.aic_nextn", rule);
  }
  return Array.from({
    length: depth
  }, (_, index) => rates[index] ?? 0);
}
function checkSglang(rank) {
  const { maxPrefillTokens, chunkedPrefillTokens, scheduleConservativeness } = rank.sglang;
  if (!rank.chunkedPrefill) {
    const text4 = "enable_chunked_prefill=false is not supported for backend=sglang";
    fail("engine.enable_chunked_prefill", text4);
  }
  if (maxPrefillTokens === 0) fail("engine.sglang.max_prefill_tokens", "sglang.max_prefill_tokens must be positive");
  if (chunkedPrefillTokens === 0) {
    fail("engine.sglang.chunked_prefill_size", "sglang.chunked_prefill_size must be positive");
  }
  if (!(Number.isFinite(scheduleConservativeness) && scheduleConservativeness >= 0)) {
    const text4 = "sglang.schedule_conservativeness must be finite and non-negative";
    fail("engine.sglang.schedule_conservativeness", text4);
  }
  if (chunkedPrefillTokens % rank.blockTokens !== 0) {
    const text4 = "sglang.chunked_prefill_size must be divisible by block_size";
    fail("engine.sglang.chunked_prefill_size", text4);
  }
}
function checkTiming(timing2) {
  const path = "engine.timing_model";
  if (timing2.type === "fixed") {
    for (const [name, ms] of [
      [
        "prefill",
        timing2.prefillMs
      ],
      [
        "decode",
        timing2.decodeMs
      ]
    ]) {
      if (!(Number.isFinite(ms) && ms >= 0)) fail(path, `fixed ${name} latency must be finite and non-negative`);
    }
  } else if (timing2.type === "external") {
    if (timing2.provider.trim() === "") fail(path, "timing provider cannot be empty");
    if (!EXTERNAL_PROVIDERS.includes(timing2.provider)) {
      fail(path, `unsupported external timing provider "${timing2.provider}"`);
    }
  }
}
function checkWorker(worker2, launch2) {
  if (worker2.dpSize === 0) fail("dp_size", "dp_size must be positive");
  if (worker2.tensorParallel === 0) fail("tensor_parallel_size", "tensor_parallel_size must be positive");
  if (!(Number.isFinite(worker2.startupMs) && worker2.startupMs >= 0)) {
    fail("startup_time", "startup_time must be finite and non-negative");
  }
  for (const name of Object.values(MEMORY_FRACTION)) {
    const value = launch2[name];
    if (value != null && !(value >= 0 && value <= 1)) fail(name, `${name} must be finite and in [0, 1]`);
  }
}

// lib/engine/launch/fields.ts
function structural(path, reason2, hint) {
  const message = `invalid engine launch config: ${path}: ${reason2}`;
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
var invalid = (path, value, expected) => structural(path, `invalid type: ${shown(value)}, expected ${expected}`);
function unknownName(path, kind, name, names) {
  const near = nearName(name, names);
  return structural(path, `unknown ${kind} \`${name}\`, expected ${choices(names)}`, near && `did you mean \`${near}\`?`);
}
var unsigned = (type) => (value, path) => {
  if (!isInteger(value)) throw invalid(path, value, type);
  if (value < 0 || BigInt(value) >= (type === "u32" ? 2n ** 32n : 2n ** 64n)) {
    throw structural(path, `invalid value: ${shown(value)}, expected ${type}`);
  }
  return type === "u64" ? value : Number(value);
};
var f64 = (value, path) => {
  if (typeof value !== "number") throw invalid(path, value, "f64");
  return value;
};
var bool = (value, path) => {
  if (typeof value !== "boolean") throw invalid(path, value, "a boolean");
  return value;
};
var text2 = (value, path) => {
  if (typeof value !== "string") throw invalid(path, value, "a string");
  return value;
};
var sequence = (value, path) => {
  if (!Array.isArray(value)) throw invalid(path, value, "a sequence");
  return value;
};
var anything = (value) => value;
var nullable2 = (reader) => (value, path) => value === null ? null : reader(value, path);
var choice = (...names) => (value, path) => {
  if (typeof value !== "string") throw invalid(path, value, "string or map");
  if (!names.includes(value)) throw unknownName(path, "variant", value, names);
  return value;
};
var mapping = (what) => (value, path) => {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw invalid(path || ".", value, what);
  return value;
};
var struct = (what, readers, aliases = {}) => {
  const spellings = (name) => Object.keys(aliases).filter((alias) => aliases[alias] === name);
  const names = Object.keys(readers).flatMap((name) => [
    ...spellings(name),
    name
  ]);
  return (value, path) => {
    const out = {};
    for (const [written, given] of Object.entries(mapping(`struct ${what}`)(value, path))) {
      if (given === void 0) continue;
      const where = path ? `${path}.${written}` : written;
      const name = Object.hasOwn(aliases, written) ? aliases[written] : written;
      if (!Object.hasOwn(readers, name)) throw unknownName(where, "field", written, names);
      if (Object.hasOwn(out, name)) throw structural(path, `duplicate field \`${name}\``);
      out[name] = readers[name](given, where);
    }
    return out;
  };
};
var isInteger = (value) => typeof value === "bigint" || Number.isInteger(value) && Math.abs(value) < 2 ** 64;
function shown(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "sequence";
  switch (typeof value) {
    case "boolean":
      return `boolean \`${value}\``;
    case "number":
    case "bigint":
      if (isInteger(value)) return `integer \`${value}\``;
      return `floating point \`${Math.abs(Number(value)) < 1e16 ? value : Number(value).toExponential()}\``;
    case "string":
      return `string ${JSON.stringify(value)}`;
    default:
      return "map";
  }
}
function choices(names) {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 3 ? quoted.join(" or ") : `one of ${quoted.join(", ")}`;
}

// lib/engine/launch/schema.ts
var usize = unsigned("usize");
var timingModel = (value, path) => {
  const fields4 = mapping("internally tagged enum TimingModelConfig")(value, path);
  const required = (name, read) => {
    if (fields4[name] === void 0) throw structural(path, `missing field \`${name}\``);
    return read(fields4[name], path);
  };
  const tag = required("type", anything);
  switch (tag) {
    case "polynomial":
      return {
        type: "polynomial"
      };
    case "fixed": {
      for (const name of [
        "prefill_ms",
        "decode_ms"
      ]) if (fields4[name] !== void 0) f64(fields4[name], path);
      return {
        type: "fixed",
        prefillMs: required("prefill_ms", f64),
        decodeMs: required("decode_ms", f64)
      };
    }
    case "external":
      return {
        type: "external",
        provider: required("provider", text2),
        config: fields4.config ?? null
      };
  }
  if (typeof tag !== "string") throw invalid(`${path}.type`, tag, "variant identifier");
  throw unknownName(`${path}.type`, "variant", tag, [
    "polynomial",
    "fixed",
    "external"
  ]);
};
var sglang = struct("SglangConfig", {
  schedule_policy: choice("fifo", "lpm"),
  max_prefill_tokens: usize,
  chunked_prefill_size: usize,
  clip_max_new_tokens: usize,
  schedule_conservativeness: f64
});
var trtllm = struct("TrtllmConfig", {
  capacity_scheduler_policy: choice("guaranteed_no_evict")
});
var engine = struct("EngineConfigWire", {
  backend: choice(...BACKENDS),
  num_gpu_blocks: usize,
  block_size: nullable2(usize),
  max_model_len: nullable2(usize),
  max_num_seqs: nullable2(usize),
  max_num_batched_tokens: nullable2(usize),
  prefill_schedule_interval: usize,
  prefill_decode_interval: usize,
  enable_prefix_caching: bool,
  enable_chunked_prefill: bool,
  speedup_ratio: f64,
  decode_speedup_ratio: f64,
  aic_nextn: nullable2(usize),
  aic_nextn_accept_rates: nullable2(text2),
  aic_mtp_seed: unsigned("u64"),
  worker_type: choice("aggregated", "prefill", "decode"),
  preemption_mode: choice("lifo", "fifo"),
  emit_kv_events: bool,
  emit_kv_token_ids: bool,
  kv_transfer_bytes_per_token: nullable2(usize),
  kv_cache_bytes_per_token: nullable2(usize),
  kv_cache_groups: sequence,
  kv_cache_capacity_bytes: nullable2(usize),
  native_host_offload: nullable2(mapping("struct NativeHostOffloadConfig")),
  state_cache: nullable2(mapping("struct StateCacheConfig")),
  prefix_match_unit: nullable2(usize),
  g3_offload: nullable2(mapping("struct G3OffloadConfig")),
  kv_transfer_bandwidth: nullable2(f64),
  kv_transfer_timing_mode: choice("full_prompt", "destination_missing"),
  timing_model: timingModel,
  sglang,
  trtllm
}, {
  kv_bytes_per_token: "kv_transfer_bytes_per_token"
});
var dynamo = struct("MockerRuntimeOptions", {
  enable_local_indexer: anything,
  bootstrap_port: anything,
  handoff_session_timeout_ms: anything,
  reasoning: anything,
  response_replay_trace_path: anything,
  zmq_kv_events_port: anything,
  zmq_replay_port: anything,
  router_queue_policy: anything
});
var launch = struct("EngineLaunchConfig", {
  engine,
  dp_size: unsigned("u32"),
  tensor_parallel_size: usize,
  startup_time: nullable2(f64),
  num_gpu_blocks_is_explicit: bool,
  gpu_memory_utilization: nullable2(f64),
  mem_fraction_static: nullable2(f64),
  free_gpu_memory_fraction: nullable2(f64),
  cuda_graph_reserved_bytes: nullable2(unsigned("u64"))
});
function readLaunchShape(value) {
  const { dynamo: runtime, ...rest } = mapping("struct EngineLaunchConfig")(value, "");
  return {
    ...launch(rest, ""),
    ...runtime === void 0 ? {} : {
      dynamo: dynamo(runtime, "dynamo")
    }
  };
}

// lib/engine/launch/launch.ts
function parseLaunch(mapping2, options = {}) {
  checkOptions("parseLaunch()", options, {
    onIgnored: true
  });
  const launch2 = readLaunchShape(mapping2 ?? {});
  const engine2 = launch2.engine ?? {};
  const backend = engine2.backend ?? "vllm";
  const blockTokens = engine2.block_size ?? BLOCK_TOKENS[backend];
  const timing2 = engine2.timing_model ?? {
    type: "polynomial"
  };
  const rank = {
    backend,
    role: engine2.worker_type ?? "aggregated",
    blockTokens,
    blocks: engine2.num_gpu_blocks ?? 16384,
    maxModelTokens: limit(engine2.max_model_len, Infinity),
    maxSequences: limit(engine2.max_num_seqs, 256),
    maxBatchedTokens: limit(engine2.max_num_batched_tokens, 8192),
    prefillScheduleInterval: engine2.prefill_schedule_interval ?? 1,
    prefillDecodeInterval: engine2.prefill_decode_interval ?? 0,
    prefixCaching: engine2.enable_prefix_caching ?? true,
    chunkedPrefill: engine2.enable_chunked_prefill ?? true,
    speedup: engine2.speedup_ratio ?? 1,
    decodeSpeedup: engine2.decode_speedup_ratio ?? 1,
    preemption: engine2.preemption_mode ?? "lifo",
    acceptRates: null,
    mtpSeed: BigInt(engine2.aic_mtp_seed ?? 42),
    timing: timing2,
    sglang: sglangSettings(engine2.sglang ?? {}),
    transferBytesPerToken: engine2.kv_transfer_bytes_per_token ?? null,
    transferGigabytesPerSecond: engine2.kv_transfer_bandwidth ?? null,
    transferTiming: engine2.kv_transfer_timing_mode ?? "full_prompt"
  };
  checkRank(rank, engine2);
  checkTiming(timing2);
  const performance2 = timing2.type === "external" ? Object(timing2.config) : {};
  const worker2 = {
    rank,
    dpSize: launch2.dp_size ?? performance2.attention_dp ?? performance2.attention_dp_size ?? 1,
    tensorParallel: launch2.tensor_parallel_size ?? performance2.tp ?? performance2.tp_size ?? 1,
    startupMs: (launch2.startup_time ?? 0) * 1e3,
    blocksExplicit: launch2.num_gpu_blocks_is_explicit ?? engine2.num_gpu_blocks !== void 0,
    memoryFraction: launch2[MEMORY_FRACTION[backend]] ?? null,
    cudaGraphReservedBytes: launch2.cuda_graph_reserved_bytes ?? 0
  };
  checkWorker(worker2, launch2);
  if (options.onIgnored) reportIgnored(launch2, engine2, worker2, options.onIgnored);
  return worker2;
}
var limit = (value, absent) => value === void 0 ? absent : value ?? Infinity;
function sglangSettings(fields4) {
  return {
    schedulePolicy: fields4.schedule_policy ?? "fifo",
    maxPrefillTokens: fields4.max_prefill_tokens ?? 16384,
    chunkedPrefillTokens: fields4.chunked_prefill_size ?? 8192,
    clipMaxNewTokens: fields4.clip_max_new_tokens ?? 4096,
    scheduleConservativeness: fields4.schedule_conservativeness ?? 1
  };
}
function reportIgnored(launch2, engine2, worker2, onIgnored) {
  const { backend, timing: timing2 } = worker2.rank;
  if (launch2.dynamo != null && Object.keys(launch2.dynamo).join() !== "router_queue_policy") {
    onIgnored("dynamo", "a replay starts no runtime");
  }
  for (const section2 of [
    "sglang",
    "trtllm"
  ]) {
    if (engine2[section2] !== void 0 && section2 !== backend) onIgnored(`engine.${section2}`, `backend is ${backend}`);
  }
  if (backend === "sglang" && engine2.max_num_batched_tokens !== void 0) {
    onIgnored("engine.max_num_batched_tokens", "backend sglang is limited by sglang.max_prefill_tokens");
  }
  if (backend !== "vllm" && engine2.preemption_mode !== void 0) {
    onIgnored("engine.preemption_mode", `backend is ${backend}`);
  }
  const estimated = timing2.type === "external" && !worker2.blocksExplicit;
  for (const name of [
    ...Object.values(MEMORY_FRACTION),
    "cuda_graph_reserved_bytes"
  ]) {
    if (launch2[name] == null) continue;
    if (!estimated) onIgnored(name, "the block count is not estimated");
    else if (name.includes("fraction") || name.includes("utilization")) {
      if (name !== MEMORY_FRACTION[backend]) onIgnored(name, `backend is ${backend}`);
    }
  }
}

// lib/config/python_text.ts
function quote(text4) {
  const mark = text4.includes("'") && !text4.includes('"') ? '"' : "'";
  const escaped = text4.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("	", "\\t");
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}
var quoteList = (names) => `[${names.map(quote).join(", ")}]`;
function quoteChoices(names) {
  const quoted = names.map(quote);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}
function repr(value) {
  if (value === null || value === void 0) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value).map(([key, item]) => `${quote(key)}: ${repr(item)}`).join(", ")}}`;
  }
  return String(value);
}

// lib/config/schema_parts.ts
var Problem = class {
  message;
  hint;
  label;
  constructor(message, hint, label) {
    this.message = message;
    this.hint = hint;
    this.label = label;
  }
};
var LABEL = "unknown";
var HINT = "hint: ";
var INSIDE = "map";
var labelItem = (label, input) => ({
  type: LABEL,
  origin: "value",
  input,
  key: label,
  value: input
});
var didYouMean = (name) => `did you mean \`${name}\`?`;
function reads(read) {
  return pipe(unknown(), rawTransform(({ dataset, addIssue, NEVER }) => {
    const result = read(dataset.value);
    const problems = result instanceof Problem ? [
      result
    ] : result;
    if (!Array.isArray(problems) || !(problems[0] instanceof Problem)) return result;
    for (const { message, hint, label } of problems) {
      addIssue({
        message,
        ...hint === void 0 ? {} : {
          expected: HINT + hint
        },
        ...label === void 0 ? {} : {
          path: [
            labelItem(label, dataset.value)
          ]
        }
      });
    }
    return NEVER;
  }));
}
function checkBounds(value, { gt, ge, lt, le }) {
  if (!Number.isFinite(value)) return new Problem("Input should be a finite number");
  if (gt !== void 0 && !(value > gt)) return new Problem(`Input should be greater than ${gt}`);
  if (ge !== void 0 && !(value >= ge)) return new Problem(`Input should be greater than or equal to ${ge}`);
  if (lt !== void 0 && !(value < lt)) return new Problem(`Input should be less than ${lt}`);
  if (le !== void 0 && !(value <= le)) return new Problem(`Input should be less than or equal to ${le}`);
  return value;
}
var strictInt = (bounds = {}) => reads((value) => Number.isInteger(value) ? checkBounds(value, bounds) : new Problem("Input should be a valid integer"));
var strictNumber = (bounds = {}) => reads((value) => typeof value === "number" ? checkBounds(value, bounds) : new Problem("Input should be a valid number"));
var NUMERIC_TEXT = /^\s*[+-]?(\d[\d_]*)?(\.\d*)?([eE][+-]?\d+)?\s*$/;
var laxInt = (bounds = {}) => reads((value) => {
  if (typeof value === "boolean") return checkBounds(Number(value), bounds);
  if (typeof value === "string") {
    const text4 = /^\s*[+-]?\d[\d_]*(\.0*)?\s*$/.test(value) ? value.replaceAll("_", "") : "";
    if (text4 === "") {
      return new Problem("Input should be a valid integer, unable to parse string as an integer");
    }
    return checkBounds(Number(text4), bounds);
  }
  if (typeof value !== "number") return new Problem("Input should be a valid integer");
  if (Number.isFinite(value) && !Number.isInteger(value)) {
    return new Problem("Input should be a valid integer, got a number with a fractional part");
  }
  return checkBounds(value, bounds);
});
var laxNumber = (bounds = {}) => reads((value) => {
  if (typeof value === "boolean") return checkBounds(Number(value), bounds);
  if (typeof value === "string") {
    const text4 = value.replaceAll("_", "");
    if (!/\d/.test(text4) || !NUMERIC_TEXT.test(text4)) {
      return new Problem("Input should be a valid number, unable to parse string as a number");
    }
    return checkBounds(Number(text4), bounds);
  }
  return typeof value === "number" ? checkBounds(value, bounds) : new Problem("Input should be a valid number");
});
var BOOLEANS = {
  ...Object.fromEntries([
    "1",
    "on",
    "t",
    "true",
    "y",
    "yes"
  ].map((word) => [
    word,
    true
  ])),
  ...Object.fromEntries([
    "0",
    "off",
    "f",
    "false",
    "n",
    "no"
  ].map((word) => [
    word,
    false
  ]))
};
var boolean = () => reads((value) => {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string" && typeof value !== "number") return new Problem("Input should be a valid boolean");
  const word = String(value).toLowerCase();
  return Object.hasOwn(BOOLEANS, word) ? BOOLEANS[word] : new Problem("Input should be a valid boolean, unable to interpret input");
});
var text3 = (check = (text4) => text4) => reads((value) => {
  if (typeof value === "string") return check(value);
  const quoted = typeof value === "number" || typeof value === "boolean";
  return new Problem("Input should be a valid string", quoted ? `write it in quotes to make it text` : void 0);
});
var nonemptyText = () => text3((text4) => text4 === "" ? new Problem("Value error, value must be nonempty") : text4);
var literal2 = (names, read = (value) => value) => reads((value) => {
  const given = read(value);
  if (names.includes(given)) return given;
  const near = typeof given === "string" ? nearName(given, names) : void 0;
  return new Problem(`Input should be ${quoteChoices(names)}`, near && didYouMean(near));
});
var orWord = (word, schema4, label) => reads((value) => {
  if (value === word) return word;
  const result = safeParse(schema4, value);
  if (result.success) return result.output;
  return [
    new Problem(result.issues[0].message, void 0, label),
    new Problem(`Input should be ${quoteChoices([
      word
    ])}`, void 0, `literal[${quoteChoices([
      word
    ])}]`)
  ];
});
var orNull2 = (schema4) => nullish(schema4, null);
var withDefault = (schema4, value) => optional(schema4, value);
var anything2 = () => nullish(unknown(), null);
function shown2(value) {
  const text4 = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  return text4.length > 80 ? `${text4.slice(0, 80)}\u2026` : text4;
}
var databaseModeName = () => literal2(DATABASE_MODES, (value) => typeof value === "string" ? value.toUpperCase() : value);
var transferPolicy = () => reads((value) => {
  const names = Array.isArray(value) ? value : [
    value
  ];
  if (!names.every((name) => typeof name === "string")) {
    return new Problem("Input should be a valid string or a list of strings");
  }
  try {
    transferKinds(value);
  } catch (problem) {
    return new Problem(`Value error, ${problem.message}`);
  }
  return value;
});

// lib/config/schema_sections.ts
function inner(schema4, value, addIssue, label) {
  const result = safeParse(schema4, value);
  for (const { message, expected, path } of result.issues ?? []) {
    const items = [
      ...label === void 0 ? [] : [
        labelItem(label, value)
      ],
      ...path ?? []
    ];
    addIssue({
      message,
      expected,
      ...items.length > 0 ? {
        path: items
      } : {}
    });
  }
  return result;
}
function section(model, entries, rules2 = [], options = {}) {
  const fields4 = object(entries, "Field required");
  const names = Object.keys(entries);
  return pipe(custom(isMapping, `Input should be a valid dictionary or instance of ${model}`), rawTransform(({ dataset, addIssue, NEVER }) => {
    const result = inner(fields4, dataset.value, addIssue);
    const unknown2 = Object.keys(dataset.value).filter((key) => !Object.hasOwn(entries, key));
    if (options.listUnknown && unknown2.length > 0) {
      const near = unknown2.map((key) => nearName(key, names)).filter((name) => name !== void 0);
      addIssue({
        message: `Extra inputs are not permitted: ${quoteList(unknown2.toSorted())}`,
        ...near.length > 0 ? {
          expected: HINT + didYouMean(near.join("`, `"))
        } : {},
        path: [
          {
            type: INSIDE,
            origin: "key",
            input: dataset.value,
            key: unknown2[0],
            value: void 0
          }
        ]
      });
    } else {
      for (const key of unknown2) {
        const near = nearName(key, names);
        addIssue({
          message: "Extra inputs are not permitted",
          ...near ? {
            expected: HINT + didYouMean(near)
          } : {},
          path: [
            {
              type: "object",
              origin: "key",
              input: dataset.value,
              key,
              value: dataset.value[key]
            }
          ]
        });
      }
    }
    if (!result.success || unknown2.length > 0) return NEVER;
    for (const rule of rules2) {
      const broken = rule(result.output);
      if (broken === void 0) continue;
      addIssue({
        message: `Value error, ${broken}`
      });
      return NEVER;
    }
    return result.output;
  }));
}
function tagged(options) {
  return pipe(unknown(), rawTransform(({ dataset, addIssue, NEVER }) => {
    const { value } = dataset;
    if (!isMapping(value)) {
      addIssue({
        message: "Input should be a valid dictionary or object to extract fields from"
      });
      return NEVER;
    }
    const tag = value.type;
    if (tag === void 0) {
      addIssue({
        message: "Unable to extract tag using discriminator 'type'"
      });
      return NEVER;
    }
    if (typeof tag !== "string" || !Object.hasOwn(options, tag)) {
      const tags = Object.keys(options);
      const near = typeof tag === "string" ? nearName(tag, tags) : void 0;
      addIssue({
        message: `Input tag '${shown2(tag)}' found using 'type' does not match any of the expected tags: ${tags.map((name) => `'${name}'`).join(", ")}`,
        ...near ? {
          expected: HINT + didYouMean(near)
        } : {}
      });
      return NEVER;
    }
    const result = inner(options[tag], value, addIssue, tag);
    return result.success ? result.output : NEVER;
  }));
}

// lib/config/worker_section.ts
var positive = () => strictInt({
  gt: 0
});
var ranks = () => withDefault(strictInt({
  gt: 0,
  le: 65536
}), 1);
var parallelism = section("Parallelism", {
  replicas: withDefault(positive(), 1),
  tensor: ranks(),
  pipeline: ranks(),
  attention_data: ranks(),
  moe_tensor: ranks(),
  moe_expert: ranks(),
  prefill_context: orNull2(positive()),
  decode_context: orNull2(positive())
});
var scheduler = (role) => section("Scheduler", {
  max_batched_tokens: withDefault(positive(), 8192),
  max_sequences: withDefault(positive(), role === "prefill" ? 1 : 256),
  prefill_schedule_interval: withDefault(positive(), 1),
  prefill_decode_interval: withDefault(strictInt({
    ge: 0
  }), 0)
});
var capacity = section("KvCapacity", {
  type: withDefault(literal2([
    "default",
    "fixed"
  ]), "default"),
  memory_fraction: orNull2(strictNumber({
    gt: 0,
    le: 1
  })),
  blocks: orNull2(positive()),
  bytes: orNull2(positive()),
  cuda_graph_reserved_bytes: withDefault(strictInt({
    ge: 0,
    le: 2 ** 53
  }), 0)
}, [
  ({ type, blocks, bytes, memory_fraction, cuda_graph_reserved_bytes }) => {
    if (type === "default") {
      return blocks !== null || bytes !== null ? "default KV capacity rejects blocks or bytes" : void 0;
    }
    if (blocks === null && bytes === null) return "fixed KV capacity requires blocks or bytes";
    if (blocks !== null && bytes !== null) return "fixed KV capacity accepts only one of blocks or bytes";
    if (memory_fraction !== null) return "fixed KV capacity rejects memory_fraction";
    if (cuda_graph_reserved_bytes !== 0) return "fixed KV capacity rejects cuda_graph_reserved_bytes";
  }
]);
var bandwidth = (gigabytesPerSecond) => withDefault(strictNumber({
  gt: 0
}), gigabytesPerSecond);
var hostOffload = section("HostOffload", {
  num_host_blocks: positive(),
  d2h_bandwidth_gbps: bandwidth(32),
  h2d_bandwidth_gbps: bandwidth(32),
  scope: withDefault(literal2([
    "worker_local",
    "cluster_shared"
  ]), "worker_local"),
  shared_d2h_bandwidth_gbps: bandwidth(80),
  shared_h2d_bandwidth_gbps: bandwidth(80),
  latency_to_first_byte_ms: withDefault(strictNumber({
    ge: 0
  }), 0)
});
var g3Offload = section("G3Offload", {
  scope: literal2([
    "worker_local",
    "cluster_shared"
  ]),
  num_g3_blocks: positive(),
  latency_to_first_byte_ms: withDefault(strictNumber({
    ge: 0
  }), 0.1),
  read_bandwidth_gbps: bandwidth(10),
  write_bandwidth_gbps: bandwidth(10),
  shared_read_bandwidth_gbps: bandwidth(80),
  shared_write_bandwidth_gbps: bandwidth(80)
});
var kvCache = section("KvCache", {
  block_size: orNull2(positive()),
  prefix_caching: withDefault(boolean(), true),
  bytes_per_token: withDefault(orWord("auto", positive(), "constrained-int"), "auto"),
  capacity: withDefault(capacity, {}),
  host_offload: orNull2(hostOffload),
  g3_offload: orNull2(g3Offload)
}, [
  ({ host_offload, g3_offload }) => g3_offload && !host_offload ? "g3_offload requires host_offload" : void 0,
  ({ capacity: capacity2, block_size, bytes_per_token }) => capacity2.bytes !== null && (block_size === null || bytes_per_token === "auto") ? "KV capacity in bytes requires explicit block_size and bytes_per_token" : void 0
]);
var ESTIMATION_MODES = [
  "auto",
  "op_level",
  "fpm_interpolation",
  "fpm_regression"
];
var FALLBACK_POLICIES = [
  "deny",
  "allow"
];
var timing = section("Timing", {
  gemm_quant_mode: orNull2(text3()),
  moe_quant_mode: orNull2(text3()),
  kvcache_quant_mode: orNull2(text3()),
  fmha_quant_mode: orNull2(text3()),
  comm_quant_mode: orNull2(text3()),
  type: withDefault(literal2([
    "default",
    "fixed",
    "polynomial"
  ]), "default"),
  prefill_ms: orNull2(laxNumber({
    ge: 0
  })),
  decode_ms: orNull2(laxNumber({
    ge: 0
  })),
  forward_model: orNull2(literal2([
    "op_level",
    "fpm"
  ])),
  fpm_parquet_path: orNull2(text3()),
  calibration: orNull2(nonemptyText()),
  calibration_forced: withDefault(boolean(), false),
  mixed: orNull2(literal2([
    "sum",
    "fused"
  ])),
  database_mode: orNull2(databaseModeName()),
  transfer_policy: orNull2(transferPolicy()),
  estimation_mode: orNull2(literal2(ESTIMATION_MODES)),
  fallback_policy: orNull2(literal2(FALLBACK_POLICIES))
}, [
  ({ type, database_mode, transfer_policy, estimation_mode, fallback_policy }) => type !== "default" && [
    database_mode,
    transfer_policy,
    estimation_mode,
    fallback_policy
  ].some((setting) => setting !== null) ? "estimator settings require default timing" : void 0,
  ({ type, calibration, mixed }) => type !== "default" && (calibration !== null || mixed !== null) ? "calibration and mixed require default timing" : void 0,
  ({ calibration, calibration_forced }) => calibration_forced && calibration === null ? "calibration_forced requires a calibration" : void 0,
  ({ type, prefill_ms, decode_ms }) => {
    if (type === "fixed") {
      return prefill_ms === null || decode_ms === null ? "fixed timing requires prefill_ms and decode_ms" : void 0;
    }
    return prefill_ms !== null || decode_ms !== null ? `${type} timing rejects fixed timing values` : void 0;
  },
  ({ type, gemm_quant_mode, moe_quant_mode, kvcache_quant_mode, fmha_quant_mode, comm_quant_mode }) => {
    const modes = [
      gemm_quant_mode,
      moe_quant_mode,
      kvcache_quant_mode,
      fmha_quant_mode,
      comm_quant_mode
    ];
    const some = modes.some((mode) => mode !== null);
    return type !== "default" && some ? "estimator settings require default timing" : void 0;
  },
  ({ type, forward_model }) => type !== "default" && forward_model === "fpm" ? `${type} timing rejects forward_model='fpm'; forward_model applies to default timing only` : void 0,
  ({ type, forward_model, fpm_parquet_path }) => fpm_parquet_path !== null && !(type === "default" && forward_model === "fpm") ? "fpm_parquet_path requires default timing with forward_model='fpm'" : void 0
]);
var bytesFit = ({ kv_cache }) => {
  const { capacity: capacity2, block_size, bytes_per_token } = kv_cache;
  return capacity2.bytes !== null && capacity2.bytes < block_size * bytes_per_token ? "KV capacity in bytes is smaller than one block" : void 0;
};
var worker = (role) => section("WorkerConfig", {
  parallelism: withDefault(parallelism, {}),
  scheduler: withDefault(scheduler(role), {}),
  kv_cache: withDefault(kvCache, {}),
  timing: withDefault(timing, {}),
  startup_seconds: withDefault(laxNumber({
    ge: 0
  }), 0),
  hardware: orNull2(text3()),
  context_length: orNull2(orWord("max", positive(), "constrained-int"))
}, [
  bytesFit
]);

// lib/config/engine_section.ts
var MODEL_CONTROLS = {
  gemm_quant_mode: null,
  moe_quant_mode: null,
  kvcache_quant_mode: null,
  fmha_quant_mode: null,
  comm_quant_mode: null,
  enable_eplb: null,
  wideep_num_slots: null,
  moe_backend: null,
  moe_kernel_source: null,
  attention_backend: null,
  database_mode: "SILICON"
};
var ESTIMATOR_POLICIES = [
  "transfer_policy",
  "systems_paths",
  "systems_path",
  "estimation_mode",
  "fallback_policy",
  "estimator_config",
  "data_release"
];
var kvTransfer = section("KvTransfer", {
  bytes_per_token: withDefault(orWord("auto", strictInt({
    gt: 0
  }), "constrained-int"), "auto"),
  bandwidth_gb_per_second: orNull2(strictNumber({
    gt: 0
  })),
  timing_mode: withDefault(literal2([
    "destination_missing",
    "full_prompt"
  ]), "destination_missing")
});
var speculation = section("NgramSpeculation", {
  kind: literal2([
    "ngram"
  ]),
  num_speculative_tokens: strictInt({
    ge: 1,
    le: 5
  }),
  acceptance_rates: reads((value) => Array.isArray(value) && value.every((rate) => typeof rate === "number" && rate >= 0 && rate <= 1) ? value : new Problem("Input should be a valid list")),
  seed: withDefault(strictInt({
    ge: 0
  }), 42)
}, [
  ({ num_speculative_tokens, acceptance_rates }) => acceptance_rates.length === num_speculative_tokens ? void 0 : "acceptance_rates must contain one conditional probability per speculative token"
]);
var hardware = text3((name) => {
  if (name === "") return new Problem("Value error, value must be nonempty");
  return name === "auto" ? new Problem("Value error, engine.hardware='auto' is recommendation-only") : name;
});
var fields = {
  mode: withDefault(literal2([
    "aggregated",
    "disaggregated"
  ]), "aggregated"),
  model: nonemptyText(),
  hardware,
  backend: withDefault(literal2(BACKENDS), "vllm"),
  backend_version: orNull2(text3()),
  context_length: withDefault(orWord("max", strictInt({
    gt: 0
  }), "constrained-int"), "max"),
  nextn: withDefault(strictInt({
    ge: 0,
    le: 5
  }), 0),
  nextn_accepted: orNull2(strictNumber()),
  speculation: orNull2(speculation),
  enable_chunked_prefill: orNull2(boolean()),
  gemm_quant_mode: orNull2(text3()),
  moe_quant_mode: orNull2(text3()),
  kvcache_quant_mode: orNull2(text3()),
  fmha_quant_mode: orNull2(text3()),
  comm_quant_mode: orNull2(text3()),
  enable_eplb: orNull2(boolean()),
  wideep_num_slots: orNull2(strictInt({
    gt: 0
  })),
  moe_backend: orNull2(text3()),
  moe_kernel_source: orNull2(text3()),
  attention_backend: orNull2(text3()),
  database_mode: withDefault(databaseModeName(), "SILICON"),
  transfer_policy: orNull2(transferPolicy()),
  systems_paths: anything2(),
  systems_path: anything2(),
  estimation_mode: orNull2(literal2(ESTIMATION_MODES)),
  fallback_policy: orNull2(literal2(FALLBACK_POLICIES)),
  estimator_config: anything2(),
  enable_shared_layer: orNull2(boolean()),
  strict_provenance: orNull2(boolean()),
  decoder_replay: orNull2(boolean()),
  fpm_profile: anything2(),
  data_release: orNull2(nonemptyText()),
  workers: withDefault(section("Workers", {
    aggregated: orNull2(worker("aggregated")),
    prefill: orNull2(worker("prefill")),
    decode: orNull2(worker("decode"))
  }), {}),
  kv_transfer: orNull2(kvTransfer)
};
function rolesOf({ workers }) {
  return [
    "aggregated",
    "prefill",
    "decode"
  ].filter((role) => workers[role] !== null).map((role) => [
    role,
    workers[role]
  ]);
}
var nextnRules = ({ nextn, nextn_accepted }) => {
  if (nextn > 0 && nextn_accepted === null) return "nextn requires explicit nextn_accepted";
  if (nextn_accepted !== null && !(nextn > 0 && nextn_accepted >= 0 && nextn_accepted <= nextn)) {
    return "nextn_accepted requires nextn > 0 and must be within [0, nextn]";
  }
};
var timingRules = (engine2) => {
  if (rolesOf(engine2).every(([, { timing: timing2 }]) => timing2.type === "default")) return void 0;
  const controls = Object.entries(MODEL_CONTROLS);
  if (engine2.nextn > 0 || controls.some(([name, unused]) => engine2[name] !== unused)) {
    return "engine model controls require default timing in every regular language role";
  }
  if (ESTIMATOR_POLICIES.some((name) => ![
    null,
    "auto",
    "deny"
  ].includes(engine2[name]))) {
    return "estimator policies require regular language workers with default timing in every role";
  }
};
var hardwareRules = (engine2) => {
  for (const [role, { hardware: hardware2 }] of rolesOf(engine2)) {
    if (hardware2 === null) continue;
    if (role === "aggregated" || engine2.mode === "aggregated") {
      return "worker hardware overrides require prefill/decode workers in disaggregated mode";
    }
    if (hardware2.trim() !== hardware2 || hardware2 === "" || hardware2 === "auto") {
      return `workers.${role}.hardware must be one concrete nonempty hardware identifier`;
    }
  }
};
var topologyRules = ({ mode, workers, kv_transfer }) => {
  if (mode === "aggregated") {
    if (!workers.aggregated) return "aggregated mode requires workers.aggregated";
    if (workers.prefill || workers.decode) return "aggregated mode rejects prefill/decode workers";
    if (kv_transfer) return "aggregated mode rejects kv_transfer";
    return void 0;
  }
  if (!workers.prefill || !workers.decode) return "disaggregated mode requires prefill and decode workers";
  if (workers.aggregated) return "disaggregated mode rejects aggregated workers";
};
var offloadRules = (engine2) => {
  for (const [role, { kv_cache, parallelism: parallelism2 }] of rolesOf(engine2)) {
    if (!kv_cache.host_offload) continue;
    if (role !== "aggregated") return "host_offload is supported only for the aggregated worker";
    if (engine2.backend !== "vllm") return "host_offload is supported only for backend=vllm";
    if (!kv_cache.prefix_caching) return "host_offload requires prefix_caching=true";
    if (parallelism2.attention_data !== 1) return "host_offload requires attention_data=1";
  }
};
var blockSizeRules = (engine2) => {
  if (engine2.backend === "sglang") return void 0;
  for (const [role, { kv_cache }] of rolesOf(engine2)) {
    if (kv_cache.block_size === 1) {
      return `${role} KV block_size has no value supported by vLLM/TensorRT-LLM; those backends require block_size >= 2`;
    }
  }
  return void 0;
};
var schedulerRules = (engine2) => {
  for (const [role, { scheduler: scheduler2 }] of rolesOf(engine2)) {
    const only = (field, backend) => `workers.${role}.scheduler.${field} is supported only for backend=${backend}`;
    if (scheduler2.prefill_schedule_interval !== 1 && engine2.backend !== "vllm") {
      return only("prefill_schedule_interval", "vllm");
    }
    if (scheduler2.prefill_decode_interval !== 0 && engine2.backend !== "sglang") {
      return only("prefill_decode_interval", "sglang");
    }
  }
};
var speculationRules = (engine2) => {
  if (!engine2.speculation) return void 0;
  const roles = rolesOf(engine2);
  if (engine2.nextn > 0) return "speculation cannot be combined with nextn";
  if (engine2.backend !== "vllm") return "ngram speculation requires vllm aggregated/disaggregated language workers";
  if (roles.some(([, { kv_cache }]) => kv_cache.host_offload)) return "ngram speculation does not support host_offload";
  if (roles.some(([, { timing: timing2 }]) => timing2.type !== "default" || timing2.forward_model === "fpm")) {
    return "ngram speculation requires op_level timing";
  }
};
var engineSection = section("EngineConfig", fields, [
  nextnRules,
  timingRules,
  hardwareRules,
  topologyRules,
  offloadRules,
  blockSizeRules,
  schedulerRules,
  speculationRules
]);

// lib/config/make_plan.ts
var DEFAULT_SEED = 42;
var DEFAULT_BLOCK = {
  vllm: 64,
  sglang: 1,
  trtllm: 32
};
var DEFAULT_MEMORY_FRACTION = {
  vllm: 0.9,
  sglang: 0.88,
  trtllm: 0.9
};
function trafficPlan({ source, load: load2, stop: stop2 }) {
  const maxVirtualMs = stop2?.max_virtual_time_seconds == null ? Infinity : stop2.max_virtual_time_seconds * 1e3;
  const cutoff = stop2?.cutoff ?? "soft";
  if (source.type === "trace") {
    const { paths: paths2, format } = source;
    const blockTokens = source.block_size ?? (format === "dynamo" || format === "weka" ? null : 512);
    return {
      source: {
        type: "trace",
        paths: paths2,
        format,
        blockTokens
      },
      load: loadPlan(load2, 0),
      maxVirtualMs,
      cutoff
    };
  }
  const unit = source.type === "synthetic" ? "requests" : "sessions";
  const perSecond = load2[`${unit}_per_second`] ?? 0;
  const loadUnit = load2.type === "concurrency" ? load2.concurrency ?? 10 : perSecond;
  const ratio = stop2[`${unit}_per_load_unit`];
  const count2 = stop2[unit] ?? Math.max(1, roundHalfEven(ratio * loadUnit));
  if (source.type === "synthetic") {
    const { input_tokens, output_tokens } = source;
    return {
      source: {
        type: "synthetic",
        inputTokens: input_tokens,
        outputTokens: output_tokens,
        count: count2,
        ...source.cached_prefix_tokens > 0 ? {
          cachedPrefixTokens: source.cached_prefix_tokens
        } : {}
      },
      load: loadPlan(load2, perSecond),
      maxVirtualMs,
      cutoff
    };
  }
  const { session } = source;
  return {
    source: {
      type: "synthetic-session",
      inputTokens: source.new_input_tokens_per_turn,
      outputTokens: source.output_tokens_per_turn,
      count: count2,
      turns: session.turns,
      sharedPrefixRatio: session.shared_prefix_ratio,
      prefixGroups: session.prefix_groups,
      interTurnDelayMs: session.inter_turn_delay_ms
    },
    load: loadPlan(load2, perSecond),
    maxVirtualMs,
    cutoff
  };
}
function loadPlan(load2, perSecond) {
  switch (load2.type) {
    case "trace_timestamps":
      return {
        type: "trace_timestamps",
        speedup: load2.speedup ?? 1,
        agenticLanes: load2.agentic_lanes
      };
    case "concurrency":
      return {
        type: "concurrency",
        concurrency: load2.concurrency ?? 10
      };
    case "constant_rate":
      return {
        type: "constant_rate",
        perSecond
      };
    case "poisson":
      return {
        type: "poisson",
        perSecond,
        seed: load2.seed ?? DEFAULT_SEED
      };
  }
}
function rolePlans(engine2) {
  return rolesOf(engine2).map(([role, worker2]) => rolePlan(engine2, role, worker2));
}
function rolePlan(engine2, role, worker2) {
  const { parallelism: parallelism2, scheduler: scheduler2, kv_cache } = worker2;
  const { backend } = engine2;
  const blockTokens = kv_cache.block_size ?? DEFAULT_BLOCK[backend];
  const estimator = estimatorConfig(engine2, role, worker2, blockTokens);
  const contextTokens = worker2.context_length ?? engine2.context_length;
  const transfer = engine2.kv_transfer;
  return {
    role,
    replicas: parallelism2.replicas,
    gpusPerWorker: parallelism2.tensor * parallelism2.pipeline * parallelism2.attention_data,
    launch: {
      engine: {
        backend,
        worker_type: role,
        block_size: blockTokens,
        max_num_seqs: scheduler2.max_sequences,
        max_num_batched_tokens: scheduler2.max_batched_tokens,
        prefill_schedule_interval: scheduler2.prefill_schedule_interval,
        prefill_decode_interval: scheduler2.prefill_decode_interval,
        enable_prefix_caching: kv_cache.prefix_caching,
        enable_chunked_prefill: engine2.enable_chunked_prefill ?? true,
        ...speculation2(engine2),
        ...transfer === null ? {} : {
          kv_transfer_bandwidth: transfer.bandwidth_gb_per_second,
          kv_transfer_timing_mode: transfer.timing_mode
        },
        timing_model: timingModel2(worker2.timing, estimator)
      },
      dp_size: parallelism2.attention_data,
      tensor_parallel_size: parallelism2.tensor,
      startup_time: worker2.startup_seconds
    },
    estimator,
    timing: worker2.timing.type,
    passTiming: worker2.timing.calibration === null && worker2.timing.mixed === null ? null : {
      calibration: worker2.timing.calibration,
      forced: worker2.timing.calibration_forced,
      mixed: worker2.timing.mixed
    },
    capacity: capacityPlan(engine2, kv_cache, blockTokens),
    contextTokens: contextTokens === "max" && backend !== "vllm" ? null : contextTokens,
    transferBytesPerToken: transfer === null || transfer.bandwidth_gb_per_second === null ? null : transfer.bytes_per_token
  };
}
function capacityPlan(engine2, kvCache2, blockTokens) {
  const { type, blocks, bytes, memory_fraction, cuda_graph_reserved_bytes } = kvCache2.capacity;
  if (type === "fixed") {
    return {
      type,
      blocks: blocks ?? Math.floor(bytes / (blockTokens * kvCache2.bytes_per_token))
    };
  }
  return {
    type,
    memoryFraction: memory_fraction ?? DEFAULT_MEMORY_FRACTION[engine2.backend],
    cudaGraphReservedBytes: cuda_graph_reserved_bytes
  };
}
function timingModel2(timing2, estimator) {
  switch (timing2.type) {
    case "fixed":
      return {
        type: "fixed",
        prefill_ms: timing2.prefill_ms,
        decode_ms: timing2.decode_ms
      };
    case "polynomial":
      return {
        type: "polynomial"
      };
    case "default":
      return {
        type: "external",
        provider: "ais",
        config: estimator
      };
  }
}
function estimatorConfig(engine2, role, { parallelism: parallelism2, hardware: hardware2, timing: timing2 }, blockTokens) {
  const { moe_tensor, moe_expert } = parallelism2;
  return {
    model: engine2.model,
    system: hardware2 ?? engine2.hardware,
    backend: engine2.backend,
    backend_version: engine2.backend_version,
    worker_type: role,
    tp: parallelism2.tensor,
    pp: parallelism2.pipeline,
    attention_dp: parallelism2.attention_data,
    ...moe_tensor * moe_expert > 1 ? {
      moe_tp: moe_tensor,
      moe_ep: moe_expert
    } : {},
    kv_block_size: blockTokens,
    nextn: engine2.nextn,
    gemm_quant_mode: timing2.gemm_quant_mode ?? engine2.gemm_quant_mode,
    moe_quant_mode: timing2.moe_quant_mode ?? engine2.moe_quant_mode,
    kvcache_quant_mode: timing2.kvcache_quant_mode ?? engine2.kvcache_quant_mode,
    fmha_quant_mode: timing2.fmha_quant_mode ?? engine2.fmha_quant_mode,
    comm_quant_mode: timing2.comm_quant_mode ?? engine2.comm_quant_mode,
    database_mode: timing2.database_mode ?? engine2.database_mode,
    transfer_policy: timing2.transfer_policy ?? engine2.transfer_policy,
    ...engine2.data_release === null ? {} : {
      data_release: engine2.data_release
    }
  };
}
function speculation2({ nextn, nextn_accepted }) {
  if (nextn === 0) return {};
  return {
    aic_nextn: nextn,
    aic_nextn_accept_rates: acceptanceRates(nextn, nextn_accepted).join(",")
  };
}
function acceptanceRates(depth, accepted) {
  return Array.from({
    length: depth
  }, (_, draft) => Math.min(Math.max(accepted - draft, 0), 1));
}
function routerPlan(router2) {
  if (router2 === null) return {
    policy: "round_robin"
  };
  if (router2.policy !== "kv_router") return {
    policy: router2.policy
  };
  return {
    policy: "kv_router",
    overlapScoreCredit: router2.overlap_score_credit ?? 1,
    prefillLoadScale: router2.prefill_load_scale ?? 1,
    temperature: router2.temperature ?? 0,
    ...router2.seed === void 0 ? {} : {
      seed: router2.seed
    },
    prefillLoadModel: router2.prefill_load_model.type === "none" ? "none" : "aic",
    ...router2.policy_file === void 0 ? {} : {
      policyFile: router2.policy_file
    }
  };
}
var slaPlan = (sla2) => sla2 === null || sla2.ttft_ms === null && sla2.itl_ms === null && sla2.e2e_ms === null ? null : {
  ttftMs: sla2.ttft_ms,
  itlMs: sla2.itl_ms,
  e2eMs: sla2.e2e_ms
};
var pricePlan = ({ price_per_gpu_hour, currency }) => price_per_gpu_hour === null ? null : {
  perGpuHour: price_per_gpu_hour,
  currency
};
function workerSettings(plan, resolved = {}) {
  return parseLaunch(workerLaunch(plan, resolved));
}
function workerLaunch(plan, resolved = {}) {
  const { capacity: capacity2, contextTokens, transferBytesPerToken } = plan;
  const launch2 = {
    ...plan.launch
  };
  launch2.engine = {
    ...launch2.engine,
    num_gpu_blocks: capacity2.type === "fixed" ? capacity2.blocks : resolved.blocks,
    max_model_len: contextTokens === "max" ? resolved.maxModelTokens : contextTokens,
    kv_transfer_bytes_per_token: transferBytesPerToken === "auto" ? resolved.transferBytesPerToken : transferBytesPerToken
  };
  launch2.num_gpu_blocks_is_explicit = capacity2.type === "fixed";
  return launch2;
}

// lib/retune/config.ts
var ROUTER_KNOBS = [
  "overlap_score_credit",
  "prefill_load_scale",
  "temperature"
];
var OBJECTIVES = [
  "throughput",
  "throughput_per_gpu",
  "throughput_per_user",
  "goodput",
  "goodput_per_gpu",
  "ttft",
  "e2e_latency"
];
var REACTIVE = {
  kalman_q_level: 10,
  kalman_q_trend: 1,
  kalman_r: 5,
  kalman_min_points: 3
};
var CALM = {
  kalman_q_level: 1,
  kalman_q_trend: 0.1,
  kalman_r: 10,
  kalman_min_points: 5
};
var PREDICTOR_PRESETS = {
  constant_last: {
    load_predictor: "constant",
    load_predictor_log1p: false
  },
  arima_raw: {
    load_predictor: "arima",
    load_predictor_log1p: false
  },
  arima_log1p: {
    load_predictor: "arima",
    load_predictor_log1p: true
  },
  prophet_w20_raw: {
    load_predictor: "prophet",
    load_predictor_log1p: false,
    prophet_window_size: 20
  },
  prophet_w20_log1p: {
    load_predictor: "prophet",
    load_predictor_log1p: true,
    prophet_window_size: 20
  },
  prophet_w50_raw: {
    load_predictor: "prophet",
    load_predictor_log1p: false,
    prophet_window_size: 50
  },
  prophet_w50_log1p: {
    load_predictor: "prophet",
    load_predictor_log1p: true,
    prophet_window_size: 50
  },
  kalman_default_raw: {
    load_predictor: "kalman",
    load_predictor_log1p: false,
    ...CALM
  },
  kalman_default_log1p: {
    load_predictor: "kalman",
    load_predictor_log1p: true,
    ...CALM
  },
  kalman_reactive_raw: {
    load_predictor: "kalman",
    load_predictor_log1p: false,
    ...REACTIVE
  },
  kalman_reactive_log1p: {
    load_predictor: "kalman",
    load_predictor_log1p: true,
    ...REACTIVE
  }
};

// lib/router/names.ts
var ROUTER_NAMES = [
  "round_robin",
  "kv_router",
  "least_loaded"
];
function unknownRouter(name) {
  const near = nearName(name, ROUTER_NAMES), known = ROUTER_NAMES.map((known2) => `'${known2}'`).join(", ");
  const message = `router ${JSON.stringify(name)} is not known; known routers: ${known}` + (near ? ` (did you mean '${near}'?)` : "");
  return new ConfigError(message, [
    {
      path: "router.policy",
      message
    }
  ]);
}

// lib/config/traffic_section.ts
var TRACE_FORMATS = [
  "mooncake",
  "mooncake-delta",
  "agentic_mooncake",
  "applied_compute_agentic",
  "dynamo",
  "weka"
];
var synthetic = section("SyntheticSource", {
  type: literal2([
    "synthetic"
  ]),
  input_tokens: withDefault(strictInt({
    gt: 0
  }), 1024),
  output_tokens: withDefault(strictInt({
    gt: 0
  }), 128),
  images: orNull2(section("SyntheticImages", {
    height: strictInt({
      gt: 0
    }),
    width: strictInt({
      gt: 0
    }),
    count: withDefault(strictInt({
      gt: 0
    }), 1)
  })),
  cached_prefix_tokens: withDefault(strictInt({
    ge: 0
  }), 0)
}, [
  ({ input_tokens, cached_prefix_tokens }) => cached_prefix_tokens > input_tokens ? "cached_prefix_tokens cannot exceed input_tokens" : void 0
]);
var syntheticSession = section("SyntheticSessionSource", {
  type: literal2([
    "synthetic-session"
  ]),
  new_input_tokens_per_turn: withDefault(strictInt({
    gt: 0
  }), 1024),
  output_tokens_per_turn: withDefault(strictInt({
    gt: 0
  }), 128),
  session: section("SessionShape", {
    turns: withDefault(strictInt({
      ge: 2
    }), 4),
    shared_prefix_ratio: withDefault(strictNumber({
      ge: 0,
      le: 1
    }), 0),
    prefix_groups: withDefault(strictInt({
      ge: 0
    }), 0),
    inter_turn_delay_ms: withDefault(strictNumber({
      ge: 0
    }), 0)
  }, [
    ({ shared_prefix_ratio, prefix_groups }) => shared_prefix_ratio > 0 && prefix_groups === 0 ? "prefix_groups must be positive when shared_prefix_ratio is positive" : void 0
  ])
});
var paths = reads((value) => {
  if (!Array.isArray(value)) return new Problem("Input should be a valid list");
  const odd = value.findIndex((path) => typeof path !== "string");
  if (odd >= 0) return new Problem("Input should be a valid string", void 0, String(odd));
  if (value.length === 0 || value.includes("")) {
    return new Problem("Value error, trace paths must contain at least one nonempty path");
  }
  return value;
});
var trace = section("TraceSource", {
  type: literal2([
    "trace"
  ]),
  paths,
  format: withDefault(literal2(TRACE_FORMATS), "mooncake"),
  block_size: orNull2(strictInt({
    gt: 0,
    le: 2 ** 20
  })),
  nested_timestamp_basis: orNull2(literal2([
    "auto",
    "absolute",
    "relative"
  ]))
}, [
  ({ paths: paths2, format }) => format !== "dynamo" && paths2.length !== 1 ? `trace format '${format}' requires exactly one path` : void 0,
  ({ format, nested_timestamp_basis }) => nested_timestamp_basis !== null && format !== "weka" ? "nested_timestamp_basis is only valid for trace format 'weka'" : void 0
]);
var LOAD_TYPES = [
  "concurrency",
  "poisson",
  "constant_rate",
  "trace_timestamps"
];
var USED_BY = {
  concurrency: [
    "concurrency"
  ],
  poisson: [
    "requests_per_second",
    "sessions_per_second",
    "seed"
  ],
  constant_rate: [
    "requests_per_second",
    "sessions_per_second"
  ],
  trace_timestamps: [
    "speedup",
    "agentic_lanes",
    "agentic_snapshot",
    "agentic_warmup",
    "agentic_profile"
  ]
};
var load = section("Load", {
  type: withDefault(literal2(LOAD_TYPES), "concurrency"),
  concurrency: optional(nullable(strictInt({
    gt: 0
  }))),
  requests_per_second: orNull2(strictNumber({
    gt: 0
  })),
  sessions_per_second: orNull2(strictNumber({
    gt: 0
  })),
  seed: orNull2(strictInt({
    ge: 0
  })),
  speedup: orNull2(strictNumber({
    gt: 0
  })),
  agentic_lanes: orNull2(strictInt({
    gt: 0
  })),
  agentic_snapshot: anything2(),
  agentic_warmup: anything2(),
  agentic_profile: anything2()
}, [
  ({ type, ...fields4 }) => {
    const surplus = Object.entries(fields4).filter(([name, value]) => value != null && !USED_BY[type].includes(name));
    if (surplus.length === 0) return void 0;
    return `traffic.load.type='${type}' does not accept ${quoteList(surplus.map(([name]) => name).toSorted())}`;
  },
  ({ type, concurrency }) => type === "concurrency" && concurrency === null ? "traffic.load.type='concurrency' requires concurrency" : void 0
]);
var stop = section("Stop", {
  requests: orNull2(strictInt({
    gt: 0
  })),
  requests_per_load_unit: orNull2(strictNumber({
    gt: 0
  })),
  sessions: orNull2(strictInt({
    gt: 0
  })),
  sessions_per_load_unit: orNull2(strictNumber({
    gt: 0
  })),
  max_virtual_time_seconds: orNull2(strictNumber({
    gt: 0
  })),
  cutoff: orNull2(literal2([
    "soft",
    "hard"
  ]))
}, [
  ({ cutoff, max_virtual_time_seconds }) => cutoff !== null && max_virtual_time_seconds === null ? "traffic.stop.cutoff has no effect without max_virtual_time_seconds" : void 0
]);
var AGENTIC_FORMATS = [
  "agentic_mooncake",
  "weka"
];
var LANE_FORMATS = [
  ...AGENTIC_FORMATS,
  "dynamo"
];
var traceRules = ({ source, load: load2, stop: stop2 }) => {
  if (source.type !== "trace") return void 0;
  const { format } = source;
  if (load2.type !== "trace_timestamps" && load2.type !== "concurrency") {
    return "trace traffic requires trace_timestamps or concurrency load";
  }
  const { max_virtual_time_seconds = null, cutoff: _, ...counts } = stop2 ?? {};
  if (Object.values(counts).some((value) => value !== null)) {
    return "trace traffic only accepts max_virtual_time_seconds";
  }
  if (AGENTIC_FORMATS.includes(format) && load2.type !== "trace_timestamps") {
    return `${format} requires trace_timestamps load`;
  }
  if (format === "applied_compute_agentic" && load2.type !== "concurrency") {
    return "applied_compute_agentic requires concurrency load";
  }
  if (AGENTIC_FORMATS.includes(format) && max_virtual_time_seconds !== null) {
    return `${format} does not support max_virtual_time_seconds`;
  }
  if (load2.agentic_lanes !== null && !LANE_FORMATS.includes(format)) {
    return "agentic_lanes requires weka, agentic_mooncake, or agentic dynamo input";
  }
};
var syntheticRules = ({ source, load: load2, stop: stop2 }) => {
  if (source.type === "trace") return void 0;
  const [unit, other] = source.type === "synthetic" ? [
    "requests",
    "sessions"
  ] : [
    "sessions",
    "requests"
  ];
  if (load2.type === "trace_timestamps") return "synthetic traffic does not accept trace_timestamps load";
  if (load2.agentic_lanes !== null) return "synthetic traffic does not accept agentic_lanes";
  if (load2.type !== "concurrency") {
    if (load2[`${unit}_per_second`] === null) {
      return `${load2.type} synthetic traffic requires ${unit}_per_second`;
    }
    if (load2[`${other}_per_second`] !== null) return "traffic load rate unit does not match source type";
  }
  if (stop2 === null) return "synthetic traffic requires a stop condition";
  if (stop2.max_virtual_time_seconds !== null) return "max_virtual_time_seconds is trace-only";
  const plain = stop2[unit], perUnit = stop2[`${unit}_per_load_unit`];
  if (plain === null && perUnit === null || stop2[other] !== null || stop2[`${other}_per_load_unit`] !== null) {
    return unit === "requests" ? "synthetic request traffic requires a request stop" : "synthetic session traffic requires a session stop";
  }
  if (plain !== null && perUnit !== null) return "traffic.stop requires exactly one count condition";
};
var trafficSection = section("TrafficConfig", {
  source: tagged({
    synthetic,
    "synthetic-session": syntheticSession,
    trace
  }),
  load,
  stop: orNull2(stop)
}, [
  traceRules,
  syntheticRules
]);
var DEFAULT_TRAFFIC = {
  source: {
    type: "synthetic"
  },
  load: {
    type: "concurrency",
    concurrency: 10
  },
  stop: {
    requests: 100
  }
};

// lib/planner/observations.ts
var ROLES = [
  "prefill",
  "decode"
];
var nonDraining = ({ active, starting }) => active.length + starting.length;
function byWorker(a, b) {
  if (a.workerId === b.workerId) return a.dpRank - b.dpRank;
  return String(a.workerId) < String(b.workerId) ? -1 : 1;
}
function orderedByWorker(rows) {
  for (let i = 1; i < rows.length; i++) {
    if (byWorker(rows[i - 1], rows[i]) > 0) return rows.toSorted(byWorker);
  }
  return rows;
}
var RANKS = 4096;
var LastPasses = class {
  #rows = /* @__PURE__ */ new Map();
  #active = [];
  #alive = /* @__PURE__ */ new Set();
  update({ passes, active }) {
    const before = this.#active;
    let same = active.length === before.length;
    for (let i = 0; same && i < active.length; i++) same = active[i] === before[i];
    if (!same) {
      this.#active = [
        ...active
      ];
      this.#alive = new Set(active);
      for (const [key, row] of this.#rows) if (!this.#alive.has(row.workerId)) this.#rows.delete(key);
    }
    for (let i = 0; i < passes.length; i++) {
      const row = passes[i];
      if (this.#alive.has(row.workerId)) this.#rows.set(row.workerId * RANKS + row.dpRank, row);
    }
  }
  rows() {
    return this.#rows.size === 0 ? null : [
      ...this.#rows.values()
    ];
  }
};
function merge(a, weightA, b, weightB) {
  const weight = weightA + weightB;
  return weight > 0 ? (a * weightA + b * weightB) / weight : 0;
}
function mergeWindows(a, b) {
  const accept = a.meanAcceptLength === null ? b.meanAcceptLength : b.meanAcceptLength === null ? a.meanAcceptLength : merge(a.meanAcceptLength, a.acceptLengthForwards, b.meanAcceptLength, b.acceptLengthForwards);
  return {
    durationS: a.durationS + b.durationS,
    requests: a.requests + b.requests,
    shapeCount: a.shapeCount + b.shapeCount,
    meanInputTokens: merge(a.meanInputTokens, a.shapeCount, b.meanInputTokens, b.shapeCount),
    meanOutputTokens: merge(a.meanOutputTokens, a.shapeCount, b.meanOutputTokens, b.shapeCount),
    meanTtftMs: merge(a.meanTtftMs, a.ttftCount, b.meanTtftMs, b.ttftCount),
    ttftCount: a.ttftCount + b.ttftCount,
    meanItlMs: merge(a.meanItlMs, a.itlCount, b.meanItlMs, b.itlCount),
    itlCount: a.itlCount + b.itlCount,
    meanAcceptLength: accept,
    acceptLengthForwards: a.acceptLengthForwards + b.acceptLengthForwards,
    meanKvHitRate: merge(a.meanKvHitRate, a.kvHitRateCount, b.meanKvHitRate, b.kvHitRateCount),
    kvHitRateCount: a.kvHitRateCount + b.kvHitRateCount
  };
}
var Observations = class {
  #passes = {
    prefill: new LastPasses(),
    decode: new LastPasses()
  };
  #wanted = {
    prefill: null,
    decode: null
  };
  #window = null;
  /** Takes a snapshot in. */
  update(snapshot) {
    for (const role of ROLES) this.#passes[role].update(snapshot[role]);
    this.#window = this.#window ? mergeWindows(this.#window, snapshot.traffic) : snapshot.traffic;
    this.settle(snapshot);
  }
  /** Forgets targets the deployment has reached. */
  settle(snapshot) {
    for (const role of ROLES) {
      if (this.#wanted[role] === nonDraining(snapshot[role])) this.#wanted[role] = null;
    }
  }
  /** Remembers a target that changes a role. */
  want(role, count2) {
    this.#wanted[role] = count2;
  }
  /** Counts of a role. */
  counts(role, snapshot) {
    const present = nonDraining(snapshot[role]);
    const wanted = this.#wanted[role];
    const expected = wanted ?? present;
    return {
      ready: snapshot[role].active.length,
      expected,
      inProgress: wanted !== null && wanted !== present
    };
  }
  /** The last rows of a role in the order their ranks appeared, null when there are none. */
  rows(role) {
    return this.#passes[role].rows();
  }
  /** Takes the unread traffic; null when it covers no time. */
  takeTraffic() {
    const window = this.#window;
    this.#window = null;
    if (!window || !(window.durationS > 0)) return null;
    return {
      durationS: window.durationS,
      requests: window.requests,
      inputTokens: window.meanInputTokens,
      outputTokens: window.meanOutputTokens,
      kvHitRate: window.meanKvHitRate,
      acceptLength: window.meanAcceptLength,
      ttftMs: window.ttftCount > 0 ? window.meanTtftMs : null,
      itlMs: window.itlCount > 0 ? window.meanItlMs : null
    };
  }
};

// lib/autoscaler/metrics.ts
var METRIC_NAMES = [
  "queue_depth",
  "running_requests",
  "kv_usage",
  "request_rate"
];
var RATE_WINDOW_S = 60;
var Metrics = class {
  #roles;
  /** Its memory of last passes is what a scrape of the workers would find. */
  #passes = new Observations();
  #arrivals = [];
  #snapshot = null;
  constructor(roles) {
    this.#roles = roles;
  }
  /** Takes a snapshot in; call once at each tick. Returns the traffic since the tick before. */
  update(snapshot) {
    this.#snapshot = snapshot;
    this.#passes.update(snapshot);
    const untilS = snapshot.nowMs / 1e3, { durationS, requests } = snapshot.traffic;
    this.#arrivals.push({
      untilS,
      durationS,
      requests
    });
    while (this.#arrivals[0].untilS <= untilS - RATE_WINDOW_S) this.#arrivals.shift();
    return this.#passes.takeTraffic();
  }
  /** Last passes of a role, and its workers. */
  observed(role) {
    return {
      rows: this.#passes.rows(role),
      counts: this.#passes.counts(role, this.#snapshot)
    };
  }
  /** A metric of a role at the tick that was taken in last. */
  sample(role, metric2) {
    const snapshot = this.#snapshot[role];
    const workers = snapshot.active.length, notReady = snapshot.starting.length;
    if (metric2 === "request_rate") {
      const seconds = this.#arrivals.reduce((sum2, { durationS }) => sum2 + durationS, 0);
      const total = seconds > 0 ? this.#arrivals.reduce((sum2, { requests }) => sum2 + requests, 0) / seconds : null;
      const present = Math.max(nonDraining(snapshot), 1);
      return {
        byWorker: [],
        missing: 0,
        notReady,
        total,
        mean: total === null ? null : total / present
      };
    }
    const { kvTokens, waiting } = this.#roles[role];
    const values = /* @__PURE__ */ new Map();
    for (const row of this.#passes.rows(role) ?? []) {
      const value = values.get(row.workerId) ?? {
        sum: 0,
        ranks: 0
      };
      value.sum += gauge(row, metric2, kvTokens);
      value.ranks++;
      values.set(row.workerId, value);
    }
    const byWorker2 = [
      ...values.values()
    ].map(({ sum: sum2, ranks: ranks2 }) => metric2 === "kv_usage" ? sum2 / ranks2 : sum2);
    const sum = byWorker2.reduce((total, value) => total + value, 0);
    const known = byWorker2.length > 0 || workers === 0;
    return {
      byWorker: byWorker2,
      missing: workers - byWorker2.length,
      notReady,
      total: known ? sum + (metric2 === "queue_depth" ? waiting() : 0) : null,
      mean: byWorker2.length > 0 ? sum / byWorker2.length : known ? 0 : null
    };
  }
};
function gauge(row, metric2, kvTokens) {
  switch (metric2) {
    case "queue_depth":
      return row.queuedPrefillRequests + row.queuedDecodeRequests;
    case "running_requests":
      return row.prefillRequests + row.decodeRequests;
    case "kv_usage":
      return (row.decodeKvTokens + row.prefillKvTokens + row.prefillTokens) / kvTokens;
  }
}

// lib/config/autoscaler_section.ts
var listOf = (schema4, least) => pipe(reads((value) => {
  if (!Array.isArray(value)) return new Problem("Input should be a valid list");
  return value.length < least ? new Problem(`List should have at least ${least} item`) : value;
}), array(schema4));
var policy = section("ScalingPolicy", {
  type: literal2([
    "Pods",
    "Percent"
  ]),
  value: strictInt({
    gt: 0
  }),
  period_seconds: strictInt({
    gt: 0,
    le: 1800
  })
});
var rules = (window, policies) => section("ScalingRules", {
  stabilization_window_seconds: withDefault(strictInt({
    ge: 0,
    le: 3600
  }), window),
  select_policy: withDefault(literal2([
    "Max",
    "Min",
    "Disabled"
  ]), "Max"),
  policies: optional(listOf(policy, 1), policies),
  tolerance: orNull2(strictNumber({
    ge: 0
  }))
});
var behavior = () => withDefault(section("Behavior", {
  scale_up: withDefault(rules(0, [
    {
      type: "Percent",
      value: 100,
      period_seconds: 15
    },
    {
      type: "Pods",
      value: 4,
      period_seconds: 15
    }
  ]), {}),
  scale_down: withDefault(rules(300, [
    {
      type: "Percent",
      value: 100,
      period_seconds: 15
    }
  ]), {})
}), {});
var metric = section("Metric", {
  type: orNull2(literal2([
    "Pods",
    "External"
  ])),
  name: literal2(METRIC_NAMES),
  target: section("MetricTarget", {
    average_value: orNull2(strictNumber({
      gt: 0
    })),
    value: orNull2(strictNumber({
      gt: 0
    }))
  }, [
    ({ average_value, value }) => average_value === null === (value === null) ? "give one of average_value and value" : void 0
  ])
}, [
  ({ type, name }) => type === "Pods" && name === "request_rate" ? "request_rate is a metric of the whole: type External" : void 0,
  ({ type, target }) => type === "Pods" && target.value !== null ? "a Pods metric has an average_value" : void 0
]);
var hpaRole = section("HorizontalPodAutoscaler", {
  min_replicas: withDefault(strictInt({
    ge: 1
  }), 1),
  max_replicas: strictInt({
    ge: 1
  }),
  metrics: listOf(metric, 1),
  behavior: behavior()
}, [
  ({ min_replicas, max_replicas }) => min_replicas > max_replicas ? "min_replicas must not exceed max_replicas" : void 0
]);
var trigger = section("Trigger", {
  metric: literal2(METRIC_NAMES),
  threshold: strictNumber({
    gt: 0
  }),
  activation_threshold: withDefault(strictNumber({
    ge: 0
  }), 0),
  metric_type: withDefault(literal2([
    "AverageValue",
    "Value"
  ]), "AverageValue")
});
var kedaRole = section("ScaledObject", {
  polling_interval: withDefault(strictInt({
    gt: 0
  }), 30),
  cooldown_period: withDefault(strictInt({
    ge: 0
  }), 300),
  initial_cooldown_period: withDefault(strictInt({
    ge: 0
  }), 0),
  idle_replica_count: orNull2(strictInt({
    ge: 0,
    le: 0
  })),
  min_replica_count: withDefault(strictInt({
    ge: 0
  }), 0),
  max_replica_count: withDefault(strictInt({
    ge: 1
  }), 100),
  triggers: listOf(trigger, 1),
  advanced: withDefault(section("Advanced", {
    horizontal_pod_autoscaler_config: withDefault(section("HpaConfig", {
      behavior: behavior()
    }), {})
  }), {})
}, [
  ({ min_replica_count, max_replica_count }) => min_replica_count > max_replica_count ? "min_replica_count must not exceed max_replica_count" : void 0,
  ({ idle_replica_count, min_replica_count }) => idle_replica_count !== null && idle_replica_count >= min_replica_count ? "idle_replica_count must be less than min_replica_count" : void 0
]);
var controller = {
  sync_period_seconds: withDefault(strictNumber({
    gt: 0
  }), 15),
  tolerance: withDefault(strictNumber({
    ge: 0
  }), 0.1)
};
var ofRoles = (role) => section("AutoscaledWorkers", {
  aggregated: orNull2(role),
  prefill: orNull2(role),
  decode: orNull2(role)
}, [
  (workers) => Object.values(workers).every((one) => one === null) ? "name the workers to scale" : void 0
]);
var hpa = section("Hpa", {
  type: literal2([
    "hpa"
  ]),
  ...controller,
  workers: ofRoles(hpaRole)
});
var keda = section("Keda", {
  type: literal2([
    "keda"
  ]),
  ...controller,
  workers: ofRoles(kedaRole)
});
var autoscalerSection = tagged({
  hpa,
  keda
});
var leavesNone = (role) => "triggers" in role && (role.min_replica_count === 0 || role.idle_replica_count === 0);
var SCALED_TO_ZERO = "only aggregated workers can be scaled to zero: min_replica_count must be at least 1";
var mostReplicas = (role) => "triggers" in role ? role.max_replica_count : role.max_replicas;
var hpaSettings = (config) => {
  const { sync_period_seconds: syncSeconds, tolerance, workers } = readOf(hpa, config);
  return {
    syncSeconds,
    roles: mapRoles(workers, ({ behavior: behavior2, metrics, ...rest }) => ({
      ...rest,
      metrics: metrics.map(({ type, ...one }) => ({
        ...one,
        type: type ?? (one.name === "request_rate" || one.target.value !== null ? "External" : "Pods")
      })),
      behavior: behavior2,
      tolerance: tolerances(behavior2, tolerance)
    }))
  };
};
var kedaSettings = (config) => {
  const { sync_period_seconds: syncSeconds, tolerance, workers } = readOf(keda, config);
  return {
    syncSeconds,
    roles: mapRoles(workers, ({ advanced, idle_replica_count, ...rest }) => {
      const { behavior: behavior2 } = advanced.horizontal_pod_autoscaler_config;
      const idle = idle_replica_count === null ? null : 0;
      return {
        ...rest,
        idle_replica_count: idle,
        behavior: behavior2,
        tolerance: tolerances(behavior2, tolerance)
      };
    })
  };
};
var tolerances = ({ scale_up, scale_down }, cluster) => ({
  up: scale_up.tolerance ?? cluster,
  down: scale_down.tolerance ?? cluster
});
function mapRoles(workers, map2) {
  const entries = Object.entries(workers).flatMap(([role, one]) => one === null ? [] : [
    [
      role,
      map2(one)
    ]
  ]);
  return Object.fromEntries(entries);
}
function readOf(schema4, config) {
  const result = safeParse(schema4, config);
  if (result.success) return result.output;
  const issues = result.issues.map((issue) => ({
    path: [
      "autoscaler",
      getDotPath(issue)
    ].filter((part) => part).join("."),
    message: issue.message
  }));
  throw new ConfigError(issues.map(({ path, message }) => `${path}: ${message}`).join("; "), issues);
}

// vendor/yaml.js
var __defProp = Object.defineProperty;
var __export = (target, all) => {
  for (var name in all) __defProp(target, name, {
    get: all[name],
    enumerable: true
  });
};
var ALIAS = Symbol.for("yaml.alias");
var DOC = Symbol.for("yaml.document");
var MAP = Symbol.for("yaml.map");
var PAIR = Symbol.for("yaml.pair");
var SCALAR = Symbol.for("yaml.scalar");
var SEQ = Symbol.for("yaml.seq");
var NODE_TYPE = Symbol.for("yaml.node.type");
var isAlias = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === ALIAS;
var isDocument = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === DOC;
var isMap = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === MAP;
var isPair = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === PAIR;
var isScalar = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === SCALAR;
var isSeq = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === SEQ;
function isCollection(node) {
  if (node && typeof node === "object") switch (node[NODE_TYPE]) {
    case MAP:
    case SEQ:
      return true;
  }
  return false;
}
function isNode(node) {
  if (node && typeof node === "object") switch (node[NODE_TYPE]) {
    case ALIAS:
    case MAP:
    case SCALAR:
    case SEQ:
      return true;
  }
  return false;
}
var hasAnchor = (node) => (isScalar(node) || isCollection(node)) && !!node.anchor;
var BREAK = Symbol("break visit");
var SKIP = Symbol("skip children");
var REMOVE = Symbol("remove node");
function visit(node, visitor) {
  const visitor_ = initVisitor(visitor);
  if (isDocument(node)) {
    const cd = visit_(null, node.contents, visitor_, Object.freeze([
      node
    ]));
    if (cd === REMOVE) node.contents = null;
  } else visit_(null, node, visitor_, Object.freeze([]));
}
visit.BREAK = BREAK;
visit.SKIP = SKIP;
visit.REMOVE = REMOVE;
function visit_(key, node, visitor, path) {
  const ctrl = callVisitor(key, node, visitor, path);
  if (isNode(ctrl) || isPair(ctrl)) {
    replaceNode(key, path, ctrl);
    return visit_(key, ctrl, visitor, path);
  }
  if (typeof ctrl !== "symbol") {
    if (isCollection(node)) {
      path = Object.freeze(path.concat(node));
      for (let i = 0; i < node.items.length; ++i) {
        const ci = visit_(i, node.items[i], visitor, path);
        if (typeof ci === "number") i = ci - 1;
        else if (ci === BREAK) return BREAK;
        else if (ci === REMOVE) {
          node.items.splice(i, 1);
          i -= 1;
        }
      }
    } else if (isPair(node)) {
      path = Object.freeze(path.concat(node));
      const ck = visit_("key", node.key, visitor, path);
      if (ck === BREAK) return BREAK;
      else if (ck === REMOVE) node.key = null;
      const cv = visit_("value", node.value, visitor, path);
      if (cv === BREAK) return BREAK;
      else if (cv === REMOVE) node.value = null;
    }
  }
  return ctrl;
}
async function visitAsync(node, visitor) {
  const visitor_ = initVisitor(visitor);
  if (isDocument(node)) {
    const cd = await visitAsync_(null, node.contents, visitor_, Object.freeze([
      node
    ]));
    if (cd === REMOVE) node.contents = null;
  } else await visitAsync_(null, node, visitor_, Object.freeze([]));
}
visitAsync.BREAK = BREAK;
visitAsync.SKIP = SKIP;
visitAsync.REMOVE = REMOVE;
async function visitAsync_(key, node, visitor, path) {
  const ctrl = await callVisitor(key, node, visitor, path);
  if (isNode(ctrl) || isPair(ctrl)) {
    replaceNode(key, path, ctrl);
    return visitAsync_(key, ctrl, visitor, path);
  }
  if (typeof ctrl !== "symbol") {
    if (isCollection(node)) {
      path = Object.freeze(path.concat(node));
      for (let i = 0; i < node.items.length; ++i) {
        const ci = await visitAsync_(i, node.items[i], visitor, path);
        if (typeof ci === "number") i = ci - 1;
        else if (ci === BREAK) return BREAK;
        else if (ci === REMOVE) {
          node.items.splice(i, 1);
          i -= 1;
        }
      }
    } else if (isPair(node)) {
      path = Object.freeze(path.concat(node));
      const ck = await visitAsync_("key", node.key, visitor, path);
      if (ck === BREAK) return BREAK;
      else if (ck === REMOVE) node.key = null;
      const cv = await visitAsync_("value", node.value, visitor, path);
      if (cv === BREAK) return BREAK;
      else if (cv === REMOVE) node.value = null;
    }
  }
  return ctrl;
}
function initVisitor(visitor) {
  if (typeof visitor === "object" && (visitor.Collection || visitor.Node || visitor.Value)) {
    return Object.assign({
      Alias: visitor.Node,
      Map: visitor.Node,
      Scalar: visitor.Node,
      Seq: visitor.Node
    }, visitor.Value && {
      Map: visitor.Value,
      Scalar: visitor.Value,
      Seq: visitor.Value
    }, visitor.Collection && {
      Map: visitor.Collection,
      Seq: visitor.Collection
    }, visitor);
  }
  return visitor;
}
function callVisitor(key, node, visitor, path) {
  if (typeof visitor === "function") return visitor(key, node, path);
  if (isMap(node)) return visitor.Map?.(key, node, path);
  if (isSeq(node)) return visitor.Seq?.(key, node, path);
  if (isPair(node)) return visitor.Pair?.(key, node, path);
  if (isScalar(node)) return visitor.Scalar?.(key, node, path);
  if (isAlias(node)) return visitor.Alias?.(key, node, path);
  return void 0;
}
function replaceNode(key, path, node) {
  const parent = path[path.length - 1];
  if (isCollection(parent)) {
    parent.items[key] = node;
  } else if (isPair(parent)) {
    if (key === "key") parent.key = node;
    else parent.value = node;
  } else if (isDocument(parent)) {
    parent.contents = node;
  } else {
    const pt = isAlias(parent) ? "alias" : "scalar";
    throw new Error(`Cannot replace node with ${pt} parent`);
  }
}
var escapeChars = {
  "!": "%21",
  ",": "%2C",
  "[": "%5B",
  "]": "%5D",
  "{": "%7B",
  "}": "%7D"
};
var escapeTagName = (tn) => tn.replace(/[!,[\]{}]/g, (ch) => escapeChars[ch]);
var Directives = class _Directives {
  constructor(yaml, tags) {
    this.docStart = null;
    this.docEnd = false;
    this.yaml = Object.assign({}, _Directives.defaultYaml, yaml);
    this.tags = Object.assign({}, _Directives.defaultTags, tags);
  }
  clone() {
    const copy = new _Directives(this.yaml, this.tags);
    copy.docStart = this.docStart;
    return copy;
  }
  /**
     * During parsing, get a Directives instance for the current document and
     * update the stream state according to the current version's spec.
     */
  atDocument() {
    const res = new _Directives(this.yaml, this.tags);
    switch (this.yaml.version) {
      case "1.1":
        this.atNextDocument = true;
        break;
      case "1.2":
        this.atNextDocument = false;
        this.yaml = {
          explicit: _Directives.defaultYaml.explicit,
          version: "1.2"
        };
        this.tags = Object.assign({}, _Directives.defaultTags);
        break;
    }
    return res;
  }
  /**
     * @param onError - May be called even if the action was successful
     * @returns `true` on success
     */
  add(line, onError) {
    if (this.atNextDocument) {
      this.yaml = {
        explicit: _Directives.defaultYaml.explicit,
        version: "1.1"
      };
      this.tags = Object.assign({}, _Directives.defaultTags);
      this.atNextDocument = false;
    }
    const parts = line.trim().split(/[ \t]+/);
    const name = parts.shift();
    switch (name) {
      case "%TAG": {
        if (parts.length !== 2) {
          onError(0, "%TAG directive should contain exactly two parts");
          if (parts.length < 2) return false;
        }
        const [handle, prefix] = parts;
        this.tags[handle] = prefix;
        return true;
      }
      case "%YAML": {
        this.yaml.explicit = true;
        if (parts.length !== 1) {
          onError(0, "%YAML directive should contain exactly one part");
          return false;
        }
        const [version] = parts;
        if (version === "1.1" || version === "1.2") {
          this.yaml.version = version;
          return true;
        } else {
          const isValid = /^\d+\.\d+$/.test(version);
          onError(6, `Unsupported YAML version ${version}`, isValid);
          return false;
        }
      }
      default:
        onError(0, `Unknown directive ${name}`, true);
        return false;
    }
  }
  /**
     * Resolves a tag, matching handles to those defined in %TAG directives.
     *
     * @returns Resolved tag, which may also be the non-specific tag `'!'` or a
     *   `'!local'` tag, or `null` if unresolvable.
     */
  tagName(source, onError) {
    if (source === "!") return "!";
    if (source[0] !== "!") {
      onError(`Not a valid tag: ${source}`);
      return null;
    }
    if (source[1] === "<") {
      const verbatim = source.slice(2, -1);
      if (verbatim === "!" || verbatim === "!!") {
        onError(`Verbatim tags aren't resolved, so ${source} is invalid.`);
        return null;
      }
      if (source[source.length - 1] !== ">") onError("Verbatim tags must end with a >");
      return verbatim;
    }
    const [, handle, suffix] = source.match(/^(.*!)([^!]*)$/s);
    if (!suffix) onError(`The ${source} tag has no suffix`);
    const prefix = this.tags[handle];
    if (prefix) {
      try {
        return prefix + decodeURIComponent(suffix);
      } catch (error) {
        onError(String(error));
        return null;
      }
    }
    if (handle === "!") return source;
    onError(`Could not resolve tag: ${source}`);
    return null;
  }
  /**
     * Given a fully resolved tag, returns its printable string form,
     * taking into account current tag prefixes and defaults.
     */
  tagString(tag) {
    for (const [handle, prefix] of Object.entries(this.tags)) {
      if (tag.startsWith(prefix)) return handle + escapeTagName(tag.substring(prefix.length));
    }
    return tag[0] === "!" ? tag : `!<${tag}>`;
  }
  toString(doc) {
    const lines = this.yaml.explicit ? [
      `%YAML ${this.yaml.version || "1.2"}`
    ] : [];
    const tagEntries = Object.entries(this.tags);
    let tagNames;
    if (doc && tagEntries.length > 0 && isNode(doc.contents)) {
      const tags = {};
      visit(doc.contents, (_key, node) => {
        if (isNode(node) && node.tag) tags[node.tag] = true;
      });
      tagNames = Object.keys(tags);
    } else tagNames = [];
    for (const [handle, prefix] of tagEntries) {
      if (handle === "!!" && prefix === "tag:yaml.org,2002:") continue;
      if (!doc || tagNames.some((tn) => tn.startsWith(prefix))) lines.push(`%TAG ${handle} ${prefix}`);
    }
    return lines.join("\n");
  }
};
Directives.defaultYaml = {
  explicit: false,
  version: "1.2"
};
Directives.defaultTags = {
  "!!": "tag:yaml.org,2002:"
};
function anchorIsValid(anchor) {
  if (/[\x00-\x19\s,[\]{}]/.test(anchor)) {
    const sa = JSON.stringify(anchor);
    const msg = `Anchor must not contain whitespace or control characters: ${sa}`;
    throw new Error(msg);
  }
  return true;
}
function anchorNames(root) {
  const anchors = /* @__PURE__ */ new Set();
  visit(root, {
    Value(_key, node) {
      if (node.anchor) anchors.add(node.anchor);
    }
  });
  return anchors;
}
function findNewAnchor(prefix, exclude) {
  for (let i = 1; true; ++i) {
    const name = `${prefix}${i}`;
    if (!exclude.has(name)) return name;
  }
}
function createNodeAnchors(doc, prefix) {
  const aliasObjects = [];
  const sourceObjects = /* @__PURE__ */ new Map();
  let prevAnchors = null;
  return {
    onAnchor: (source) => {
      aliasObjects.push(source);
      prevAnchors ?? (prevAnchors = anchorNames(doc));
      const anchor = findNewAnchor(prefix, prevAnchors);
      prevAnchors.add(anchor);
      return anchor;
    },
    /**
         * With circular references, the source node is only resolved after all
         * of its child nodes are. This is why anchors are set only after all of
         * the nodes have been created.
         */
    setAnchors: () => {
      for (const source of aliasObjects) {
        const ref = sourceObjects.get(source);
        if (typeof ref === "object" && ref.anchor && (isScalar(ref.node) || isCollection(ref.node))) {
          ref.node.anchor = ref.anchor;
        } else {
          const error = new Error("Failed to resolve repeated object (this should not happen)");
          error.source = source;
          throw error;
        }
      }
    },
    sourceObjects
  };
}
function applyReviver(reviver, obj, key, val) {
  if (val && typeof val === "object") {
    if (Array.isArray(val)) {
      for (let i = 0, len = val.length; i < len; ++i) {
        const v0 = val[i];
        const v1 = applyReviver(reviver, val, String(i), v0);
        if (v1 === void 0) delete val[i];
        else if (v1 !== v0) val[i] = v1;
      }
    } else if (val instanceof Map) {
      for (const k of Array.from(val.keys())) {
        const v0 = val.get(k);
        const v1 = applyReviver(reviver, val, k, v0);
        if (v1 === void 0) val.delete(k);
        else if (v1 !== v0) val.set(k, v1);
      }
    } else if (val instanceof Set) {
      for (const v0 of Array.from(val)) {
        const v1 = applyReviver(reviver, val, v0, v0);
        if (v1 === void 0) val.delete(v0);
        else if (v1 !== v0) {
          val.delete(v0);
          val.add(v1);
        }
      }
    } else {
      for (const [k, v0] of Object.entries(val)) {
        const v1 = applyReviver(reviver, val, k, v0);
        if (v1 === void 0) delete val[k];
        else if (v1 !== v0) val[k] = v1;
      }
    }
  }
  return reviver.call(obj, key, val);
}
function toJS(value, arg, ctx) {
  if (Array.isArray(value)) return value.map((v, i) => toJS(v, String(i), ctx));
  if (value && typeof value.toJSON === "function") {
    if (!ctx || !hasAnchor(value)) return value.toJSON(arg, ctx);
    const data = {
      aliasCount: 0,
      count: 1,
      res: void 0
    };
    ctx.anchors.set(value, data);
    ctx.onCreate = (res2) => {
      data.res = res2;
      delete ctx.onCreate;
    };
    const res = value.toJSON(arg, ctx);
    if (ctx.onCreate) ctx.onCreate(res);
    return res;
  }
  if (typeof value === "bigint" && !ctx?.keep) return Number(value);
  return value;
}
var NodeBase = class {
  constructor(type) {
    Object.defineProperty(this, NODE_TYPE, {
      value: type
    });
  }
  /** Create a copy of this node.  */
  clone() {
    const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
    if (this.range) copy.range = this.range.slice();
    return copy;
  }
  /** A plain JavaScript representation of this node. */
  toJS(doc, { mapAsMap, maxAliasCount, onAnchor, reviver } = {}) {
    if (!isDocument(doc)) throw new TypeError("A document argument is required");
    const ctx = {
      anchors: /* @__PURE__ */ new Map(),
      doc,
      keep: true,
      mapAsMap: mapAsMap === true,
      mapKeyWarned: false,
      maxAliasCount: typeof maxAliasCount === "number" ? maxAliasCount : 100
    };
    const res = toJS(this, "", ctx);
    if (typeof onAnchor === "function") for (const { count: count2, res: res2 } of ctx.anchors.values()) onAnchor(res2, count2);
    return typeof reviver === "function" ? applyReviver(reviver, {
      "": res
    }, "", res) : res;
  }
};
var Alias = class extends NodeBase {
  constructor(source) {
    super(ALIAS);
    this.source = source;
    Object.defineProperty(this, "tag", {
      set() {
        throw new Error("Alias nodes cannot have tags");
      }
    });
  }
  /**
     * Resolve the value of this alias within `doc`, finding the last
     * instance of the `source` anchor before this node.
     */
  resolve(doc, ctx) {
    if (ctx?.maxAliasCount === 0) throw new ReferenceError("Alias resolution is disabled");
    let nodes;
    if (ctx?.aliasResolveCache) {
      nodes = ctx.aliasResolveCache;
    } else {
      nodes = [];
      visit(doc, {
        Node: (_key, node) => {
          if (isAlias(node) || hasAnchor(node)) nodes.push(node);
        }
      });
      if (ctx) ctx.aliasResolveCache = nodes;
    }
    let found = void 0;
    for (const node of nodes) {
      if (node === this) break;
      if (node.anchor === this.source) found = node;
    }
    if (found && ctx) {
      const { anchors, doc: doc2, maxAliasCount } = ctx;
      let data = anchors.get(found);
      if (!data) {
        toJS(found, null, ctx);
        data = anchors.get(found);
      }
      if (data?.res === void 0) {
        const msg = "This should not happen: Alias anchor was not resolved?";
        throw new ReferenceError(msg);
      }
      if (maxAliasCount >= 0) {
        data.count += 1;
        if (data.aliasCount === 0) data.aliasCount = getAliasCount(doc2, found, anchors);
        if (data.count * data.aliasCount > maxAliasCount) {
          const msg = "Excessive alias count indicates a resource exhaustion attack";
          throw new ReferenceError(msg);
        }
      }
    }
    return found;
  }
  toJSON(_arg, ctx) {
    if (!ctx) return {
      source: this.source
    };
    const source = this.resolve(ctx.doc, ctx);
    if (!source) {
      const msg = `Unresolved alias (the anchor must be set before the alias): ${this.source}`;
      throw new ReferenceError(msg);
    }
    return ctx.anchors.get(source).res;
  }
  toString(ctx, _onComment, _onChompKeep) {
    const src = `*${this.source}`;
    if (ctx) {
      anchorIsValid(this.source);
      if (ctx.options.verifyAliasOrder && !ctx.anchors.has(this.source)) {
        const msg = `Unresolved alias (the anchor must be set before the alias): ${this.source}`;
        throw new Error(msg);
      }
      if (ctx.implicitKey) return `${src} `;
    }
    return src;
  }
};
function getAliasCount(doc, node, anchors) {
  if (isAlias(node)) {
    const source = node.resolve(doc);
    const anchor = anchors && source && anchors.get(source);
    return anchor ? anchor.count * anchor.aliasCount : 0;
  } else if (isCollection(node)) {
    let count2 = 0;
    for (const item of node.items) {
      const c = getAliasCount(doc, item, anchors);
      if (c > count2) count2 = c;
    }
    return count2;
  } else if (isPair(node)) {
    const kc = getAliasCount(doc, node.key, anchors);
    const vc = getAliasCount(doc, node.value, anchors);
    return Math.max(kc, vc);
  }
  return 1;
}
var isScalarValue = (value) => !value || typeof value !== "function" && typeof value !== "object";
var Scalar = class extends NodeBase {
  constructor(value) {
    super(SCALAR);
    this.value = value;
  }
  toJSON(arg, ctx) {
    return ctx?.keep ? this.value : toJS(this.value, arg, ctx);
  }
  toString() {
    return String(this.value);
  }
};
Scalar.BLOCK_FOLDED = "BLOCK_FOLDED";
Scalar.BLOCK_LITERAL = "BLOCK_LITERAL";
Scalar.PLAIN = "PLAIN";
Scalar.QUOTE_DOUBLE = "QUOTE_DOUBLE";
Scalar.QUOTE_SINGLE = "QUOTE_SINGLE";
var defaultTagPrefix = "tag:yaml.org,2002:";
function findTagObject(value, tagName, tags) {
  if (tagName) {
    const match = tags.filter((t) => t.tag === tagName);
    const tagObj = match.find((t) => !t.format) ?? match[0];
    if (!tagObj) throw new Error(`Tag ${tagName} not found`);
    return tagObj;
  }
  return tags.find((t) => t.identify?.(value) && !t.format);
}
function createNode(value, tagName, ctx) {
  if (isDocument(value)) value = value.contents;
  if (isNode(value)) return value;
  if (isPair(value)) {
    const map2 = ctx.schema[MAP].createNode?.(ctx.schema, null, ctx);
    map2.items.push(value);
    return map2;
  }
  if (value instanceof String || value instanceof Number || value instanceof Boolean || typeof BigInt !== "undefined" && value instanceof BigInt) {
    value = value.valueOf();
  }
  const { aliasDuplicateObjects, onAnchor, onTagObj, schema: schema4, sourceObjects } = ctx;
  let ref = void 0;
  if (aliasDuplicateObjects && value && typeof value === "object") {
    ref = sourceObjects.get(value);
    if (ref) {
      ref.anchor ?? (ref.anchor = onAnchor(value));
      return new Alias(ref.anchor);
    } else {
      ref = {
        anchor: null,
        node: null
      };
      sourceObjects.set(value, ref);
    }
  }
  if (tagName?.startsWith("!!")) tagName = defaultTagPrefix + tagName.slice(2);
  let tagObj = findTagObject(value, tagName, schema4.tags);
  if (!tagObj) {
    if (value && typeof value.toJSON === "function") {
      value = value.toJSON();
    }
    if (!value || typeof value !== "object") {
      const node2 = new Scalar(value);
      if (ref) ref.node = node2;
      return node2;
    }
    tagObj = value instanceof Map ? schema4[MAP] : Symbol.iterator in Object(value) ? schema4[SEQ] : schema4[MAP];
  }
  if (onTagObj) {
    onTagObj(tagObj);
    delete ctx.onTagObj;
  }
  const node = tagObj?.createNode ? tagObj.createNode(ctx.schema, value, ctx) : typeof tagObj?.nodeClass?.from === "function" ? tagObj.nodeClass.from(ctx.schema, value, ctx) : new Scalar(value);
  if (tagName) node.tag = tagName;
  else if (!tagObj.default) node.tag = tagObj.tag;
  if (ref) ref.node = node;
  return node;
}
function collectionFromPath(schema4, path, value) {
  let v = value;
  for (let i = path.length - 1; i >= 0; --i) {
    const k = path[i];
    if (typeof k === "number" && Number.isInteger(k) && k >= 0) {
      const a = [];
      a[k] = v;
      v = a;
    } else {
      v = /* @__PURE__ */ new Map([
        [
          k,
          v
        ]
      ]);
    }
  }
  return createNode(v, void 0, {
    aliasDuplicateObjects: false,
    keepUndefined: false,
    onAnchor: () => {
      throw new Error("This should not happen, please report a bug.");
    },
    schema: schema4,
    sourceObjects: /* @__PURE__ */ new Map()
  });
}
var isEmptyPath = (path) => path == null || typeof path === "object" && !!path[Symbol.iterator]().next().done;
var Collection = class extends NodeBase {
  constructor(type, schema4) {
    super(type);
    Object.defineProperty(this, "schema", {
      value: schema4,
      configurable: true,
      enumerable: false,
      writable: true
    });
  }
  /**
     * Create a copy of this collection.
     *
     * @param schema - If defined, overwrites the original's schema
     */
  clone(schema4) {
    const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
    if (schema4) copy.schema = schema4;
    copy.items = copy.items.map((it) => isNode(it) || isPair(it) ? it.clone(schema4) : it);
    if (this.range) copy.range = this.range.slice();
    return copy;
  }
  /**
     * Adds a value to the collection. For `!!map` and `!!omap` the value must
     * be a Pair instance or a `{ key, value }` object, which may not have a key
     * that already exists in the map.
     */
  addIn(path, value) {
    if (isEmptyPath(path)) this.add(value);
    else {
      const [key, ...rest] = path;
      const node = this.get(key, true);
      if (isCollection(node)) node.addIn(rest, value);
      else if (node === void 0 && this.schema) this.set(key, collectionFromPath(this.schema, rest, value));
      else throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
    }
  }
  /**
     * Removes a value from the collection.
     * @returns `true` if the item was found and removed.
     */
  deleteIn(path) {
    const [key, ...rest] = path;
    if (rest.length === 0) return this.delete(key);
    const node = this.get(key, true);
    if (isCollection(node)) return node.deleteIn(rest);
    else throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
  }
  /**
     * Returns item at `key`, or `undefined` if not found. By default unwraps
     * scalar values from their surrounding node; to disable set `keepScalar` to
     * `true` (collections are always returned intact).
     */
  getIn(path, keepScalar) {
    const [key, ...rest] = path;
    const node = this.get(key, true);
    if (rest.length === 0) return !keepScalar && isScalar(node) ? node.value : node;
    else return isCollection(node) ? node.getIn(rest, keepScalar) : void 0;
  }
  hasAllNullValues(allowScalar) {
    return this.items.every((node) => {
      if (!isPair(node)) return false;
      const n = node.value;
      return n == null || allowScalar && isScalar(n) && n.value == null && !n.commentBefore && !n.comment && !n.tag;
    });
  }
  /**
     * Checks if the collection includes a value with the key `key`.
     */
  hasIn(path) {
    const [key, ...rest] = path;
    if (rest.length === 0) return this.has(key);
    const node = this.get(key, true);
    return isCollection(node) ? node.hasIn(rest) : false;
  }
  /**
     * Sets a value in this collection. For `!!set`, `value` needs to be a
     * boolean to add/remove the item from the set.
     */
  setIn(path, value) {
    const [key, ...rest] = path;
    if (rest.length === 0) {
      this.set(key, value);
    } else {
      const node = this.get(key, true);
      if (isCollection(node)) node.setIn(rest, value);
      else if (node === void 0 && this.schema) this.set(key, collectionFromPath(this.schema, rest, value));
      else throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
    }
  }
};
var stringifyComment = (str) => str.replace(/^(?!$)(?: $)?/gm, "#");
function indentComment(comment, indent) {
  if (/^\n+$/.test(comment)) return comment.substring(1);
  return indent ? comment.replace(/^(?! *$)/gm, indent) : comment;
}
var lineComment = (str, indent, comment) => str.endsWith("\n") ? indentComment(comment, indent) : comment.includes("\n") ? "\n" + indentComment(comment, indent) : (str.endsWith(" ") ? "" : " ") + comment;
var FOLD_FLOW = "flow";
var FOLD_BLOCK = "block";
var FOLD_QUOTED = "quoted";
function foldFlowLines(text4, indent, mode = "flow", { indentAtStart, lineWidth = 80, minContentWidth = 20, onFold, onOverflow } = {}) {
  if (!lineWidth || lineWidth < 0) return text4;
  if (lineWidth < minContentWidth) minContentWidth = 0;
  const endStep = Math.max(1 + minContentWidth, 1 + lineWidth - indent.length);
  if (text4.length <= endStep) return text4;
  const folds = [];
  const escapedFolds = {};
  let end = lineWidth - indent.length;
  if (typeof indentAtStart === "number") {
    if (indentAtStart > lineWidth - Math.max(2, minContentWidth)) folds.push(0);
    else end = lineWidth - indentAtStart;
  }
  let split = void 0;
  let prev = void 0;
  let overflow = false;
  let i = -1;
  let escStart = -1;
  let escEnd = -1;
  if (mode === FOLD_BLOCK) {
    i = consumeMoreIndentedLines(text4, i, indent.length);
    if (i !== -1) end = i + endStep;
  }
  for (let ch; ch = text4[i += 1]; ) {
    if (mode === FOLD_QUOTED && ch === "\\") {
      escStart = i;
      switch (text4[i + 1]) {
        case "x":
          i += 3;
          break;
        case "u":
          i += 5;
          break;
        case "U":
          i += 9;
          break;
        default:
          i += 1;
      }
      escEnd = i;
    }
    if (ch === "\n") {
      if (mode === FOLD_BLOCK) i = consumeMoreIndentedLines(text4, i, indent.length);
      end = i + indent.length + endStep;
      split = void 0;
    } else {
      if (ch === " " && prev && prev !== " " && prev !== "\n" && prev !== "	") {
        const next = text4[i + 1];
        if (next && next !== " " && next !== "\n" && next !== "	") split = i;
      }
      if (i >= end) {
        if (split) {
          folds.push(split);
          end = split + endStep;
          split = void 0;
        } else if (mode === FOLD_QUOTED) {
          while (prev === " " || prev === "	") {
            prev = ch;
            ch = text4[i += 1];
            overflow = true;
          }
          const j = i > escEnd + 1 ? i - 2 : escStart - 1;
          if (escapedFolds[j]) return text4;
          folds.push(j);
          escapedFolds[j] = true;
          end = j + endStep;
          split = void 0;
        } else {
          overflow = true;
        }
      }
    }
    prev = ch;
  }
  if (overflow && onOverflow) onOverflow();
  if (folds.length === 0) return text4;
  if (onFold) onFold();
  let res = text4.slice(0, folds[0]);
  for (let i2 = 0; i2 < folds.length; ++i2) {
    const fold = folds[i2];
    const end2 = folds[i2 + 1] || text4.length;
    if (fold === 0) res = `
${indent}${text4.slice(0, end2)}`;
    else {
      if (mode === FOLD_QUOTED && escapedFolds[fold]) res += `${text4[fold]}\\`;
      res += `
${indent}${text4.slice(fold + 1, end2)}`;
    }
  }
  return res;
}
function consumeMoreIndentedLines(text4, i, indent) {
  let end = i;
  let start2 = i + 1;
  let ch = text4[start2];
  while (ch === " " || ch === "	") {
    if (i < start2 + indent) {
      ch = text4[++i];
    } else {
      do {
        ch = text4[++i];
      } while (ch && ch !== "\n");
      end = i;
      start2 = i + 1;
      ch = text4[start2];
    }
  }
  return end;
}
var getFoldOptions = (ctx, isBlock2) => ({
  indentAtStart: isBlock2 ? ctx.indent.length : ctx.indentAtStart,
  lineWidth: ctx.options.lineWidth,
  minContentWidth: ctx.options.minContentWidth
});
var containsDocumentMarker = (str) => /^(%|---|\.\.\.)/m.test(str);
function lineLengthOverLimit(str, lineWidth, indentLength) {
  if (!lineWidth || lineWidth < 0) return false;
  const limit2 = lineWidth - indentLength;
  const strLen = str.length;
  if (strLen <= limit2) return false;
  for (let i = 0, start2 = 0; i < strLen; ++i) {
    if (str[i] === "\n") {
      if (i - start2 > limit2) return true;
      start2 = i + 1;
      if (strLen - start2 <= limit2) return false;
    }
  }
  return true;
}
function doubleQuotedString(value, ctx) {
  const json = JSON.stringify(value);
  if (ctx.options.doubleQuotedAsJSON) return json;
  const { implicitKey } = ctx;
  const minMultiLineLength = ctx.options.doubleQuotedMinMultiLineLength;
  const indent = ctx.indent || (containsDocumentMarker(value) ? "  " : "");
  let str = "";
  let start2 = 0;
  for (let i = 0, ch = json[i]; ch; ch = json[++i]) {
    if (ch === " " && json[i + 1] === "\\" && json[i + 2] === "n") {
      str += json.slice(start2, i) + "\\ ";
      i += 1;
      start2 = i;
      ch = "\\";
    }
    if (ch === "\\") switch (json[i + 1]) {
      case "u":
        {
          str += json.slice(start2, i);
          const code = json.substr(i + 2, 4);
          switch (code) {
            case "0000":
              str += "\\0";
              break;
            case "0007":
              str += "\\a";
              break;
            case "000b":
              str += "\\v";
              break;
            case "001b":
              str += "\\e";
              break;
            case "0085":
              str += "\\N";
              break;
            case "00a0":
              str += "\\_";
              break;
            case "2028":
              str += "\\L";
              break;
            case "2029":
              str += "\\P";
              break;
            default:
              if (code.substr(0, 2) === "00") str += "\\x" + code.substr(2);
              else str += json.substr(i, 6);
          }
          i += 5;
          start2 = i + 1;
        }
        break;
      case "n":
        if (implicitKey || json[i + 2] === '"' || json.length < minMultiLineLength) {
          i += 1;
        } else {
          str += json.slice(start2, i) + "\n\n";
          while (json[i + 2] === "\\" && json[i + 3] === "n" && json[i + 4] !== '"') {
            str += "\n";
            i += 2;
          }
          str += indent;
          if (json[i + 2] === " ") str += "\\";
          i += 1;
          start2 = i + 1;
        }
        break;
      default:
        i += 1;
    }
  }
  str = start2 ? str + json.slice(start2) : json;
  return implicitKey ? str : foldFlowLines(str, indent, FOLD_QUOTED, getFoldOptions(ctx, false));
}
function singleQuotedString(value, ctx) {
  if (ctx.options.singleQuote === false || ctx.implicitKey && value.includes("\n") || /[ \t]\n|\n[ \t]/.test(value)) return doubleQuotedString(value, ctx);
  const indent = ctx.indent || (containsDocumentMarker(value) ? "  " : "");
  const res = "'" + value.replace(/'/g, "''").replace(/\n+/g, `$&
${indent}`) + "'";
  return ctx.implicitKey ? res : foldFlowLines(res, indent, FOLD_FLOW, getFoldOptions(ctx, false));
}
function quotedString(value, ctx) {
  const { singleQuote } = ctx.options;
  let qs;
  if (singleQuote === false) qs = doubleQuotedString;
  else {
    const hasDouble = value.includes('"');
    const hasSingle = value.includes("'");
    if (hasDouble && !hasSingle) qs = singleQuotedString;
    else if (hasSingle && !hasDouble) qs = doubleQuotedString;
    else qs = singleQuote ? singleQuotedString : doubleQuotedString;
  }
  return qs(value, ctx);
}
var blockEndNewlines;
try {
  blockEndNewlines = new RegExp("(^|(?<!\n))\n+(?!\n|$)", "g");
} catch {
  blockEndNewlines = /\n+(?!\n|$)/g;
}
function blockString({ comment, type, value }, ctx, onComment, onChompKeep) {
  const { blockQuote, commentString, lineWidth } = ctx.options;
  if (!blockQuote || /\n[\t ]+$/.test(value)) {
    return quotedString(value, ctx);
  }
  const indent = ctx.indent || (ctx.forceBlockIndent || containsDocumentMarker(value) ? "  " : "");
  const literal3 = blockQuote === "literal" ? true : blockQuote === "folded" || type === Scalar.BLOCK_FOLDED ? false : type === Scalar.BLOCK_LITERAL ? true : !lineLengthOverLimit(value, lineWidth, indent.length);
  if (!value) return literal3 ? "|\n" : ">\n";
  let chomp;
  let endStart;
  for (endStart = value.length; endStart > 0; --endStart) {
    const ch = value[endStart - 1];
    if (ch !== "\n" && ch !== "	" && ch !== " ") break;
  }
  let end = value.substring(endStart);
  const endNlPos = end.indexOf("\n");
  if (endNlPos === -1) {
    chomp = "-";
  } else if (value === end || endNlPos !== end.length - 1) {
    chomp = "+";
    if (onChompKeep) onChompKeep();
  } else {
    chomp = "";
  }
  if (end) {
    value = value.slice(0, -end.length);
    if (end[end.length - 1] === "\n") end = end.slice(0, -1);
    end = end.replace(blockEndNewlines, `$&${indent}`);
  }
  let startWithSpace = false;
  let startEnd;
  let startNlPos = -1;
  for (startEnd = 0; startEnd < value.length; ++startEnd) {
    const ch = value[startEnd];
    if (ch === " ") startWithSpace = true;
    else if (ch === "\n") startNlPos = startEnd;
    else break;
  }
  let start2 = value.substring(0, startNlPos < startEnd ? startNlPos + 1 : startEnd);
  if (start2) {
    value = value.substring(start2.length);
    start2 = start2.replace(/\n+/g, `$&${indent}`);
  }
  const indentSize = indent ? "2" : "1";
  let header = (startWithSpace ? indentSize : "") + chomp;
  if (comment) {
    header += " " + commentString(comment.replace(/ ?[\r\n]+/g, " "));
    if (onComment) onComment();
  }
  if (!literal3) {
    const foldedValue = value.replace(/\n+/g, "\n$&").replace(/(?:^|\n)([\t ].*)(?:([\n\t ]*)\n(?![\n\t ]))?/g, "$1$2").replace(/\n+/g, `$&${indent}`);
    let literalFallback = false;
    const foldOptions = getFoldOptions(ctx, true);
    if (blockQuote !== "folded" && type !== Scalar.BLOCK_FOLDED) {
      foldOptions.onOverflow = () => {
        literalFallback = true;
      };
    }
    const body = foldFlowLines(`${start2}${foldedValue}${end}`, indent, FOLD_BLOCK, foldOptions);
    if (!literalFallback) return `>${header}
${indent}${body}`;
  }
  value = value.replace(/\n+/g, `$&${indent}`);
  return `|${header}
${indent}${start2}${value}${end}`;
}
function plainString(item, ctx, onComment, onChompKeep) {
  const { type, value } = item;
  const { actualString, implicitKey, indent, indentStep, inFlow } = ctx;
  if (implicitKey && value.includes("\n") || inFlow && /[[\]{},]/.test(value)) {
    return quotedString(value, ctx);
  }
  if (/^[\n\t ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-][ \t]|[\n:][ \t]|[ \t]\n|[\n\t ]#|[\n\t :]$/.test(value)) {
    return implicitKey || inFlow || !value.includes("\n") ? quotedString(value, ctx) : blockString(item, ctx, onComment, onChompKeep);
  }
  if (!implicitKey && !inFlow && type !== Scalar.PLAIN && value.includes("\n")) {
    return blockString(item, ctx, onComment, onChompKeep);
  }
  if (containsDocumentMarker(value)) {
    if (indent === "") {
      ctx.forceBlockIndent = true;
      return blockString(item, ctx, onComment, onChompKeep);
    } else if (implicitKey && indent === indentStep) {
      return quotedString(value, ctx);
    }
  }
  const str = value.replace(/\n+/g, `$&
${indent}`);
  if (actualString) {
    const test = (tag) => tag.default && tag.tag !== "tag:yaml.org,2002:str" && tag.test?.test(str);
    const { compat, tags } = ctx.doc.schema;
    if (tags.some(test) || compat?.some(test)) return quotedString(value, ctx);
  }
  return implicitKey ? str : foldFlowLines(str, indent, FOLD_FLOW, getFoldOptions(ctx, false));
}
function stringifyString(item, ctx, onComment, onChompKeep) {
  const { implicitKey, inFlow } = ctx;
  const ss = typeof item.value === "string" ? item : Object.assign({}, item, {
    value: String(item.value)
  });
  let { type } = item;
  if (type !== Scalar.QUOTE_DOUBLE) {
    if (/[\x00-\x08\x0b-\x1f\x7f-\x9f\u{D800}-\u{DFFF}]/u.test(ss.value)) type = Scalar.QUOTE_DOUBLE;
  }
  const _stringify = (_type) => {
    switch (_type) {
      case Scalar.BLOCK_FOLDED:
      case Scalar.BLOCK_LITERAL:
        return implicitKey || inFlow ? quotedString(ss.value, ctx) : blockString(ss, ctx, onComment, onChompKeep);
      case Scalar.QUOTE_DOUBLE:
        return doubleQuotedString(ss.value, ctx);
      case Scalar.QUOTE_SINGLE:
        return singleQuotedString(ss.value, ctx);
      case Scalar.PLAIN:
        return plainString(ss, ctx, onComment, onChompKeep);
      default:
        return null;
    }
  };
  let res = _stringify(type);
  if (res === null) {
    const { defaultKeyType, defaultStringType } = ctx.options;
    const t = implicitKey && defaultKeyType || defaultStringType;
    res = _stringify(t);
    if (res === null) throw new Error(`Unsupported default string type ${t}`);
  }
  return res;
}
function createStringifyContext(doc, options) {
  const opt = Object.assign({
    blockQuote: true,
    commentString: stringifyComment,
    defaultKeyType: null,
    defaultStringType: "PLAIN",
    directives: null,
    doubleQuotedAsJSON: false,
    doubleQuotedMinMultiLineLength: 40,
    falseStr: "false",
    flowCollectionPadding: true,
    indentSeq: true,
    lineWidth: 80,
    minContentWidth: 20,
    nullStr: "null",
    simpleKeys: false,
    singleQuote: null,
    trailingComma: false,
    trueStr: "true",
    verifyAliasOrder: true
  }, doc.schema.toStringOptions, options);
  let inFlow;
  switch (opt.collectionStyle) {
    case "block":
      inFlow = false;
      break;
    case "flow":
      inFlow = true;
      break;
    default:
      inFlow = null;
  }
  return {
    anchors: /* @__PURE__ */ new Set(),
    doc,
    flowCollectionPadding: opt.flowCollectionPadding ? " " : "",
    indent: "",
    indentStep: typeof opt.indent === "number" ? " ".repeat(opt.indent) : "  ",
    inFlow,
    options: opt
  };
}
function getTagObject(tags, item) {
  if (item.tag) {
    const match = tags.filter((t) => t.tag === item.tag);
    if (match.length > 0) return match.find((t) => t.format === item.format) ?? match[0];
  }
  let tagObj = void 0;
  let obj;
  if (isScalar(item)) {
    obj = item.value;
    let match = tags.filter((t) => t.identify?.(obj));
    if (match.length > 1) {
      const testMatch = match.filter((t) => t.test);
      if (testMatch.length > 0) match = testMatch;
    }
    tagObj = match.find((t) => t.format === item.format) ?? match.find((t) => !t.format);
  } else {
    obj = item;
    tagObj = tags.find((t) => t.nodeClass && obj instanceof t.nodeClass);
  }
  if (!tagObj) {
    const name = obj?.constructor?.name ?? (obj === null ? "null" : typeof obj);
    throw new Error(`Tag not resolved for ${name} value`);
  }
  return tagObj;
}
function stringifyProps(node, tagObj, { anchors, doc }) {
  if (!doc.directives) return "";
  const props = [];
  const anchor = (isScalar(node) || isCollection(node)) && node.anchor;
  if (anchor && anchorIsValid(anchor)) {
    anchors.add(anchor);
    props.push(`&${anchor}`);
  }
  const tag = node.tag ?? (tagObj.default ? null : tagObj.tag);
  if (tag) props.push(doc.directives.tagString(tag));
  return props.join(" ");
}
function stringify(item, ctx, onComment, onChompKeep) {
  if (isPair(item)) return item.toString(ctx, onComment, onChompKeep);
  if (isAlias(item)) {
    if (ctx.doc.directives) return item.toString(ctx);
    if (ctx.resolvedAliases?.has(item)) {
      throw new TypeError(`Cannot stringify circular structure without alias nodes`);
    } else {
      if (ctx.resolvedAliases) ctx.resolvedAliases.add(item);
      else ctx.resolvedAliases = /* @__PURE__ */ new Set([
        item
      ]);
      item = item.resolve(ctx.doc);
    }
  }
  let tagObj = void 0;
  const node = isNode(item) ? item : ctx.doc.createNode(item, {
    onTagObj: (o) => tagObj = o
  });
  tagObj ?? (tagObj = getTagObject(ctx.doc.schema.tags, node));
  const props = stringifyProps(node, tagObj, ctx);
  if (props.length > 0) ctx.indentAtStart = (ctx.indentAtStart ?? 0) + props.length + 1;
  const str = typeof tagObj.stringify === "function" ? tagObj.stringify(node, ctx, onComment, onChompKeep) : isScalar(node) ? stringifyString(node, ctx, onComment, onChompKeep) : node.toString(ctx, onComment, onChompKeep);
  if (!props) return str;
  return isScalar(node) || str[0] === "{" || str[0] === "[" ? `${props} ${str}` : `${props}
${ctx.indent}${str}`;
}
function stringifyPair({ key, value }, ctx, onComment, onChompKeep) {
  const { allNullValues, doc, indent, indentStep, options: { commentString, indentSeq, simpleKeys } } = ctx;
  let keyComment = isNode(key) && key.comment || null;
  if (simpleKeys) {
    if (keyComment) {
      throw new Error("With simple keys, key nodes cannot have comments");
    }
    if (isCollection(key) || !isNode(key) && typeof key === "object") {
      const msg = "With simple keys, collection cannot be used as a key value";
      throw new Error(msg);
    }
  }
  let explicitKey = !simpleKeys && (!key || keyComment && value == null && !ctx.inFlow || isCollection(key) || (isScalar(key) ? key.type === Scalar.BLOCK_FOLDED || key.type === Scalar.BLOCK_LITERAL : typeof key === "object"));
  ctx = Object.assign({}, ctx, {
    allNullValues: false,
    implicitKey: !explicitKey && (simpleKeys || !allNullValues),
    indent: indent + indentStep
  });
  let keyCommentDone = false;
  let chompKeep = false;
  let str = stringify(key, ctx, () => keyCommentDone = true, () => chompKeep = true);
  if (!explicitKey && !ctx.inFlow && str.length > 1024) {
    if (simpleKeys) throw new Error("With simple keys, single line scalar must not span more than 1024 characters");
    explicitKey = true;
  }
  if (ctx.inFlow) {
    if (allNullValues || value == null) {
      if (keyCommentDone && onComment) onComment();
      return str === "" ? "?" : explicitKey ? `? ${str}` : str;
    }
  } else if (allNullValues && !simpleKeys || value == null && explicitKey) {
    str = `? ${str}`;
    if (keyComment && !keyCommentDone) {
      str += lineComment(str, ctx.indent, commentString(keyComment));
    } else if (chompKeep && onChompKeep) onChompKeep();
    return str;
  }
  if (keyCommentDone) keyComment = null;
  if (explicitKey) {
    if (keyComment) str += lineComment(str, ctx.indent, commentString(keyComment));
    str = `? ${str}
${indent}:`;
  } else {
    str = `${str}:`;
    if (keyComment) str += lineComment(str, ctx.indent, commentString(keyComment));
  }
  let vsb, vcb, valueComment;
  if (isNode(value)) {
    vsb = !!value.spaceBefore;
    vcb = value.commentBefore;
    valueComment = value.comment;
  } else {
    vsb = false;
    vcb = null;
    valueComment = null;
    if (value && typeof value === "object") value = doc.createNode(value);
  }
  ctx.implicitKey = false;
  if (!explicitKey && !keyComment && isScalar(value)) ctx.indentAtStart = str.length + 1;
  chompKeep = false;
  if (!indentSeq && indentStep.length >= 2 && !ctx.inFlow && !explicitKey && isSeq(value) && !value.flow && !value.tag && !value.anchor) {
    ctx.indent = ctx.indent.substring(2);
  }
  let valueCommentDone = false;
  const valueStr = stringify(value, ctx, () => valueCommentDone = true, () => chompKeep = true);
  let ws = " ";
  if (keyComment || vsb || vcb) {
    ws = vsb ? "\n" : "";
    if (vcb) {
      const cs = commentString(vcb);
      ws += `
${indentComment(cs, ctx.indent)}`;
    }
    if (valueStr === "" && !ctx.inFlow) {
      if (ws === "\n" && valueComment) ws = "\n\n";
    } else {
      ws += `
${ctx.indent}`;
    }
  } else if (!explicitKey && isCollection(value)) {
    const vs0 = valueStr[0];
    const nl0 = valueStr.indexOf("\n");
    const hasNewline = nl0 !== -1;
    const flow = ctx.inFlow ?? value.flow ?? value.items.length === 0;
    if (hasNewline || !flow) {
      let hasPropsLine = false;
      if (hasNewline && (vs0 === "&" || vs0 === "!")) {
        let sp0 = valueStr.indexOf(" ");
        if (vs0 === "&" && sp0 !== -1 && sp0 < nl0 && valueStr[sp0 + 1] === "!") {
          sp0 = valueStr.indexOf(" ", sp0 + 1);
        }
        if (sp0 === -1 || nl0 < sp0) hasPropsLine = true;
      }
      if (!hasPropsLine) ws = `
${ctx.indent}`;
    }
  } else if (valueStr === "" || valueStr[0] === "\n") {
    ws = "";
  }
  str += ws + valueStr;
  if (ctx.inFlow) {
    if (valueCommentDone && onComment) onComment();
  } else if (valueComment && !valueCommentDone) {
    str += lineComment(str, ctx.indent, commentString(valueComment));
  } else if (chompKeep && onChompKeep) {
    onChompKeep();
  }
  return str;
}
function warn2(logLevel, warning) {
  if (logLevel === "debug" || logLevel === "warn") {
    console.warn(warning);
  }
}
var MERGE_KEY = "<<";
var merge2 = {
  identify: (value) => value === MERGE_KEY || typeof value === "symbol" && value.description === MERGE_KEY,
  default: "key",
  tag: "tag:yaml.org,2002:merge",
  test: /^<<$/,
  resolve: () => Object.assign(new Scalar(Symbol(MERGE_KEY)), {
    addToJSMap: addMergeToJSMap
  }),
  stringify: () => MERGE_KEY
};
var isMergeKey = (ctx, key) => (merge2.identify(key) || isScalar(key) && (!key.type || key.type === Scalar.PLAIN) && merge2.identify(key.value)) && ctx?.doc.schema.tags.some((tag) => tag.tag === merge2.tag && tag.default);
function addMergeToJSMap(ctx, map2, value) {
  const source = resolveAliasValue(ctx, value);
  if (isSeq(source)) for (const it of source.items) mergeValue(ctx, map2, it);
  else if (Array.isArray(source)) for (const it of source) mergeValue(ctx, map2, it);
  else mergeValue(ctx, map2, source);
}
function mergeValue(ctx, map2, value) {
  const source = resolveAliasValue(ctx, value);
  if (!isMap(source)) throw new Error("Merge sources must be maps or map aliases");
  const srcMap = source.toJSON(null, ctx, Map);
  for (const [key, value2] of srcMap) {
    if (map2 instanceof Map) {
      if (!map2.has(key)) map2.set(key, value2);
    } else if (map2 instanceof Set) {
      map2.add(key);
    } else if (!Object.prototype.hasOwnProperty.call(map2, key)) {
      Object.defineProperty(map2, key, {
        value: value2,
        writable: true,
        enumerable: true,
        configurable: true
      });
    }
  }
  return map2;
}
function resolveAliasValue(ctx, value) {
  return ctx && isAlias(value) ? value.resolve(ctx.doc, ctx) : value;
}
function addPairToJSMap(ctx, map2, { key, value }) {
  if (isNode(key) && key.addToJSMap) key.addToJSMap(ctx, map2, value);
  else if (isMergeKey(ctx, key)) addMergeToJSMap(ctx, map2, value);
  else {
    const jsKey = toJS(key, "", ctx);
    if (map2 instanceof Map) {
      map2.set(jsKey, toJS(value, jsKey, ctx));
    } else if (map2 instanceof Set) {
      map2.add(jsKey);
    } else {
      const stringKey = stringifyKey(key, jsKey, ctx);
      const jsValue = toJS(value, stringKey, ctx);
      if (stringKey in map2) Object.defineProperty(map2, stringKey, {
        value: jsValue,
        writable: true,
        enumerable: true,
        configurable: true
      });
      else map2[stringKey] = jsValue;
    }
  }
  return map2;
}
function stringifyKey(key, jsKey, ctx) {
  if (jsKey === null) return "";
  if (typeof jsKey !== "object") return String(jsKey);
  if (isNode(key) && ctx?.doc) {
    const strCtx = createStringifyContext(ctx.doc, {});
    strCtx.anchors = /* @__PURE__ */ new Set();
    for (const node of ctx.anchors.keys()) strCtx.anchors.add(node.anchor);
    strCtx.inFlow = true;
    strCtx.inStringifyKey = true;
    const strKey = key.toString(strCtx);
    if (!ctx.mapKeyWarned) {
      let jsonStr = JSON.stringify(strKey);
      if (jsonStr.length > 40) jsonStr = jsonStr.substring(0, 36) + '..."';
      warn2(ctx.doc.options.logLevel, `Keys with collection values will be stringified due to JS Object restrictions: ${jsonStr}. Set mapAsMap: true to use object keys.`);
      ctx.mapKeyWarned = true;
    }
    return strKey;
  }
  return JSON.stringify(jsKey);
}
function createPair(key, value, ctx) {
  const k = createNode(key, void 0, ctx);
  const v = createNode(value, void 0, ctx);
  return new Pair(k, v);
}
var Pair = class _Pair {
  constructor(key, value = null) {
    Object.defineProperty(this, NODE_TYPE, {
      value: PAIR
    });
    this.key = key;
    this.value = value;
  }
  clone(schema4) {
    let { key, value } = this;
    if (isNode(key)) key = key.clone(schema4);
    if (isNode(value)) value = value.clone(schema4);
    return new _Pair(key, value);
  }
  toJSON(_, ctx) {
    const pair = ctx?.mapAsMap ? /* @__PURE__ */ new Map() : {};
    return addPairToJSMap(ctx, pair, this);
  }
  toString(ctx, onComment, onChompKeep) {
    return ctx?.doc ? stringifyPair(this, ctx, onComment, onChompKeep) : JSON.stringify(this);
  }
};
function stringifyCollection(collection, ctx, options) {
  const flow = ctx.inFlow ?? collection.flow;
  const stringify4 = flow ? stringifyFlowCollection : stringifyBlockCollection;
  return stringify4(collection, ctx, options);
}
function stringifyBlockCollection({ comment, items }, ctx, { blockItemPrefix, flowChars, itemIndent, onChompKeep, onComment }) {
  const { indent, options: { commentString } } = ctx;
  const itemCtx = Object.assign({}, ctx, {
    indent: itemIndent,
    type: null
  });
  let chompKeep = false;
  const lines = [];
  for (let i = 0; i < items.length; ++i) {
    const item = items[i];
    let comment2 = null;
    if (isNode(item)) {
      if (!chompKeep && item.spaceBefore) lines.push("");
      addCommentBefore(ctx, lines, item.commentBefore, chompKeep);
      if (item.comment) comment2 = item.comment;
    } else if (isPair(item)) {
      const ik = isNode(item.key) ? item.key : null;
      if (ik) {
        if (!chompKeep && ik.spaceBefore) lines.push("");
        addCommentBefore(ctx, lines, ik.commentBefore, chompKeep);
      }
    }
    chompKeep = false;
    let str2 = stringify(item, itemCtx, () => comment2 = null, () => chompKeep = true);
    if (comment2) str2 += lineComment(str2, itemIndent, commentString(comment2));
    if (chompKeep && comment2) chompKeep = false;
    lines.push(blockItemPrefix + str2);
  }
  let str;
  if (lines.length === 0) {
    str = flowChars.start + flowChars.end;
  } else {
    str = lines[0];
    for (let i = 1; i < lines.length; ++i) {
      const line = lines[i];
      str += line ? `
${indent}${line}` : "\n";
    }
  }
  if (comment) {
    str += "\n" + indentComment(commentString(comment), indent);
    if (onComment) onComment();
  } else if (chompKeep && onChompKeep) onChompKeep();
  return str;
}
function stringifyFlowCollection({ items }, ctx, { flowChars, itemIndent }) {
  const { indent, indentStep, flowCollectionPadding: fcPadding, options: { commentString } } = ctx;
  itemIndent += indentStep;
  const itemCtx = Object.assign({}, ctx, {
    indent: itemIndent,
    inFlow: true,
    type: null
  });
  let reqNewline = false;
  let linesAtValue = 0;
  const lines = [];
  for (let i = 0; i < items.length; ++i) {
    const item = items[i];
    let comment = null;
    if (isNode(item)) {
      if (item.spaceBefore) lines.push("");
      addCommentBefore(ctx, lines, item.commentBefore, false);
      if (item.comment) comment = item.comment;
    } else if (isPair(item)) {
      const ik = isNode(item.key) ? item.key : null;
      if (ik) {
        if (ik.spaceBefore) lines.push("");
        addCommentBefore(ctx, lines, ik.commentBefore, false);
        if (ik.comment) reqNewline = true;
      }
      const iv = isNode(item.value) ? item.value : null;
      if (iv) {
        if (iv.comment) comment = iv.comment;
        if (iv.commentBefore) reqNewline = true;
      } else if (item.value == null && ik?.comment) {
        comment = ik.comment;
      }
    }
    if (comment) reqNewline = true;
    let str = stringify(item, itemCtx, () => comment = null);
    reqNewline || (reqNewline = lines.length > linesAtValue || str.includes("\n"));
    if (i < items.length - 1) {
      str += ",";
    } else if (ctx.options.trailingComma) {
      if (ctx.options.lineWidth > 0) {
        reqNewline || (reqNewline = lines.reduce((sum, line) => sum + line.length + 2, 2) + (str.length + 2) > ctx.options.lineWidth);
      }
      if (reqNewline) {
        str += ",";
      }
    }
    if (comment) str += lineComment(str, itemIndent, commentString(comment));
    lines.push(str);
    linesAtValue = lines.length;
  }
  const { start: start2, end } = flowChars;
  if (lines.length === 0) {
    return start2 + end;
  } else {
    if (!reqNewline) {
      const len = lines.reduce((sum, line) => sum + line.length + 2, 2);
      reqNewline = ctx.options.lineWidth > 0 && len > ctx.options.lineWidth;
    }
    if (reqNewline) {
      let str = start2;
      for (const line of lines) str += line ? `
${indentStep}${indent}${line}` : "\n";
      return `${str}
${indent}${end}`;
    } else {
      return `${start2}${fcPadding}${lines.join(" ")}${fcPadding}${end}`;
    }
  }
}
function addCommentBefore({ indent, options: { commentString } }, lines, comment, chompKeep) {
  if (comment && chompKeep) comment = comment.replace(/^\n+/, "");
  if (comment) {
    const ic = indentComment(commentString(comment), indent);
    lines.push(ic.trimStart());
  }
}
function findPair(items, key) {
  const k = isScalar(key) ? key.value : key;
  for (const it of items) {
    if (isPair(it)) {
      if (it.key === key || it.key === k) return it;
      if (isScalar(it.key) && it.key.value === k) return it;
    }
  }
  return void 0;
}
var YAMLMap = class extends Collection {
  static get tagName() {
    return "tag:yaml.org,2002:map";
  }
  constructor(schema4) {
    super(MAP, schema4);
    this.items = [];
  }
  /**
     * A generic collection parsing method that can be extended
     * to other node classes that inherit from YAMLMap
     */
  static from(schema4, obj, ctx) {
    const { keepUndefined, replacer } = ctx;
    const map2 = new this(schema4);
    const add = (key, value) => {
      if (typeof replacer === "function") value = replacer.call(obj, key, value);
      else if (Array.isArray(replacer) && !replacer.includes(key)) return;
      if (value !== void 0 || keepUndefined) map2.items.push(createPair(key, value, ctx));
    };
    if (obj instanceof Map) {
      for (const [key, value] of obj) add(key, value);
    } else if (obj && typeof obj === "object") {
      for (const key of Object.keys(obj)) add(key, obj[key]);
    }
    if (typeof schema4.sortMapEntries === "function") {
      map2.items.sort(schema4.sortMapEntries);
    }
    return map2;
  }
  /**
     * Adds a value to the collection.
     *
     * @param overwrite - If not set `true`, using a key that is already in the
     *   collection will throw. Otherwise, overwrites the previous value.
     */
  add(pair, overwrite) {
    let _pair;
    if (isPair(pair)) _pair = pair;
    else if (!pair || typeof pair !== "object" || !("key" in pair)) {
      _pair = new Pair(pair, pair?.value);
    } else _pair = new Pair(pair.key, pair.value);
    const prev = findPair(this.items, _pair.key);
    const sortEntries = this.schema?.sortMapEntries;
    if (prev) {
      if (!overwrite) throw new Error(`Key ${_pair.key} already set`);
      if (isScalar(prev.value) && isScalarValue(_pair.value)) prev.value.value = _pair.value;
      else prev.value = _pair.value;
    } else if (sortEntries) {
      const i = this.items.findIndex((item) => sortEntries(_pair, item) < 0);
      if (i === -1) this.items.push(_pair);
      else this.items.splice(i, 0, _pair);
    } else {
      this.items.push(_pair);
    }
  }
  delete(key) {
    const it = findPair(this.items, key);
    if (!it) return false;
    const del = this.items.splice(this.items.indexOf(it), 1);
    return del.length > 0;
  }
  get(key, keepScalar) {
    const it = findPair(this.items, key);
    const node = it?.value;
    return (!keepScalar && isScalar(node) ? node.value : node) ?? void 0;
  }
  has(key) {
    return !!findPair(this.items, key);
  }
  set(key, value) {
    this.add(new Pair(key, value), true);
  }
  /**
     * @param ctx - Conversion context, originally set in Document#toJS()
     * @param {Class} Type - If set, forces the returned collection type
     * @returns Instance of Type, Map, or Object
     */
  toJSON(_, ctx, Type) {
    const map2 = Type ? new Type() : ctx?.mapAsMap ? /* @__PURE__ */ new Map() : {};
    if (ctx?.onCreate) ctx.onCreate(map2);
    for (const item of this.items) addPairToJSMap(ctx, map2, item);
    return map2;
  }
  toString(ctx, onComment, onChompKeep) {
    if (!ctx) return JSON.stringify(this);
    for (const item of this.items) {
      if (!isPair(item)) throw new Error(`Map items must all be pairs; found ${JSON.stringify(item)} instead`);
    }
    if (!ctx.allNullValues && this.hasAllNullValues(false)) ctx = Object.assign({}, ctx, {
      allNullValues: true
    });
    return stringifyCollection(this, ctx, {
      blockItemPrefix: "",
      flowChars: {
        start: "{",
        end: "}"
      },
      itemIndent: ctx.indent || "",
      onChompKeep,
      onComment
    });
  }
};
var map = {
  collection: "map",
  default: true,
  nodeClass: YAMLMap,
  tag: "tag:yaml.org,2002:map",
  resolve(map2, onError) {
    if (!isMap(map2)) onError("Expected a mapping for this tag");
    return map2;
  },
  createNode: (schema4, obj, ctx) => YAMLMap.from(schema4, obj, ctx)
};
var YAMLSeq = class extends Collection {
  static get tagName() {
    return "tag:yaml.org,2002:seq";
  }
  constructor(schema4) {
    super(SEQ, schema4);
    this.items = [];
  }
  add(value) {
    this.items.push(value);
  }
  /**
     * Removes a value from the collection.
     *
     * `key` must contain a representation of an integer for this to succeed.
     * It may be wrapped in a `Scalar`.
     *
     * @returns `true` if the item was found and removed.
     */
  delete(key) {
    const idx = asItemIndex(key);
    if (typeof idx !== "number") return false;
    const del = this.items.splice(idx, 1);
    return del.length > 0;
  }
  get(key, keepScalar) {
    const idx = asItemIndex(key);
    if (typeof idx !== "number") return void 0;
    const it = this.items[idx];
    return !keepScalar && isScalar(it) ? it.value : it;
  }
  /**
     * Checks if the collection includes a value with the key `key`.
     *
     * `key` must contain a representation of an integer for this to succeed.
     * It may be wrapped in a `Scalar`.
     */
  has(key) {
    const idx = asItemIndex(key);
    return typeof idx === "number" && idx < this.items.length;
  }
  /**
     * Sets a value in this collection. For `!!set`, `value` needs to be a
     * boolean to add/remove the item from the set.
     *
     * If `key` does not contain a representation of an integer, this will throw.
     * It may be wrapped in a `Scalar`.
     */
  set(key, value) {
    const idx = asItemIndex(key);
    if (typeof idx !== "number") throw new Error(`Expected a valid index, not ${key}.`);
    const prev = this.items[idx];
    if (isScalar(prev) && isScalarValue(value)) prev.value = value;
    else this.items[idx] = value;
  }
  toJSON(_, ctx) {
    const seq2 = [];
    if (ctx?.onCreate) ctx.onCreate(seq2);
    let i = 0;
    for (const item of this.items) seq2.push(toJS(item, String(i++), ctx));
    return seq2;
  }
  toString(ctx, onComment, onChompKeep) {
    if (!ctx) return JSON.stringify(this);
    return stringifyCollection(this, ctx, {
      blockItemPrefix: "- ",
      flowChars: {
        start: "[",
        end: "]"
      },
      itemIndent: (ctx.indent || "") + "  ",
      onChompKeep,
      onComment
    });
  }
  static from(schema4, obj, ctx) {
    const { replacer } = ctx;
    const seq2 = new this(schema4);
    if (obj && Symbol.iterator in Object(obj)) {
      let i = 0;
      for (let it of obj) {
        if (typeof replacer === "function") {
          const key = obj instanceof Set ? it : String(i++);
          it = replacer.call(obj, key, it);
        }
        seq2.items.push(createNode(it, void 0, ctx));
      }
    }
    return seq2;
  }
};
function asItemIndex(key) {
  let idx = isScalar(key) ? key.value : key;
  if (idx && typeof idx === "string") idx = Number(idx);
  return typeof idx === "number" && Number.isInteger(idx) && idx >= 0 ? idx : null;
}
var seq = {
  collection: "seq",
  default: true,
  nodeClass: YAMLSeq,
  tag: "tag:yaml.org,2002:seq",
  resolve(seq2, onError) {
    if (!isSeq(seq2)) onError("Expected a sequence for this tag");
    return seq2;
  },
  createNode: (schema4, obj, ctx) => YAMLSeq.from(schema4, obj, ctx)
};
var string = {
  identify: (value) => typeof value === "string",
  default: true,
  tag: "tag:yaml.org,2002:str",
  resolve: (str) => str,
  stringify(item, ctx, onComment, onChompKeep) {
    ctx = Object.assign({
      actualString: true
    }, ctx);
    return stringifyString(item, ctx, onComment, onChompKeep);
  }
};
var nullTag = {
  identify: (value) => value == null,
  createNode: () => new Scalar(null),
  default: true,
  tag: "tag:yaml.org,2002:null",
  test: /^(?:~|[Nn]ull|NULL)?$/,
  resolve: () => new Scalar(null),
  stringify: ({ source }, ctx) => typeof source === "string" && nullTag.test.test(source) ? source : ctx.options.nullStr
};
var boolTag = {
  identify: (value) => typeof value === "boolean",
  default: true,
  tag: "tag:yaml.org,2002:bool",
  test: /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/,
  resolve: (str) => new Scalar(str[0] === "t" || str[0] === "T"),
  stringify({ source, value }, ctx) {
    if (source && boolTag.test.test(source)) {
      const sv = source[0] === "t" || source[0] === "T";
      if (value === sv) return source;
    }
    return value ? ctx.options.trueStr : ctx.options.falseStr;
  }
};
function stringifyNumber({ format, minFractionDigits, tag, value }) {
  if (typeof value === "bigint") return String(value);
  const num = typeof value === "number" ? value : Number(value);
  if (!isFinite(num)) return isNaN(num) ? ".nan" : num < 0 ? "-.inf" : ".inf";
  let n = Object.is(value, -0) ? "-0" : JSON.stringify(value);
  if (!format && minFractionDigits && (!tag || tag === "tag:yaml.org,2002:float") && /^-?\d/.test(n) && !n.includes("e")) {
    let i = n.indexOf(".");
    if (i < 0) {
      i = n.length;
      n += ".";
    }
    let d = minFractionDigits - (n.length - i - 1);
    while (d-- > 0) n += "0";
  }
  return n;
}
var floatNaN = {
  identify: (value) => typeof value === "number",
  default: true,
  tag: "tag:yaml.org,2002:float",
  test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
  resolve: (str) => str.slice(-3).toLowerCase() === "nan" ? NaN : str[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
  stringify: stringifyNumber
};
var floatExp = {
  identify: (value) => typeof value === "number",
  default: true,
  tag: "tag:yaml.org,2002:float",
  format: "EXP",
  test: /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+$/,
  resolve: (str) => parseFloat(str),
  stringify(node) {
    const num = Number(node.value);
    return isFinite(num) ? num.toExponential() : stringifyNumber(node);
  }
};
var float = {
  identify: (value) => typeof value === "number",
  default: true,
  tag: "tag:yaml.org,2002:float",
  test: /^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)$/,
  resolve(str) {
    const node = new Scalar(parseFloat(str));
    const dot = str.indexOf(".");
    if (dot !== -1 && str[str.length - 1] === "0") node.minFractionDigits = str.length - dot - 1;
    return node;
  },
  stringify: stringifyNumber
};
var intIdentify = (value) => typeof value === "bigint" || Number.isInteger(value);
var intResolve = (str, offset, radix, { intAsBigInt }) => intAsBigInt ? BigInt(str) : parseInt(str.substring(offset), radix);
function intStringify(node, radix, prefix) {
  const { value } = node;
  if (intIdentify(value) && value >= 0) return prefix + value.toString(radix);
  return stringifyNumber(node);
}
var intOct = {
  identify: (value) => intIdentify(value) && value >= 0,
  default: true,
  tag: "tag:yaml.org,2002:int",
  format: "OCT",
  test: /^0o[0-7]+$/,
  resolve: (str, _onError, opt) => intResolve(str, 2, 8, opt),
  stringify: (node) => intStringify(node, 8, "0o")
};
var int = {
  identify: intIdentify,
  default: true,
  tag: "tag:yaml.org,2002:int",
  test: /^[-+]?[0-9]+$/,
  resolve: (str, _onError, opt) => intResolve(str, 0, 10, opt),
  stringify: stringifyNumber
};
var intHex = {
  identify: (value) => intIdentify(value) && value >= 0,
  default: true,
  tag: "tag:yaml.org,2002:int",
  format: "HEX",
  test: /^0x[0-9a-fA-F]+$/,
  resolve: (str, _onError, opt) => intResolve(str, 2, 16, opt),
  stringify: (node) => intStringify(node, 16, "0x")
};
var schema = [
  map,
  seq,
  string,
  nullTag,
  boolTag,
  intOct,
  int,
  intHex,
  floatNaN,
  floatExp,
  float
];
function intIdentify2(value) {
  return typeof value === "bigint" || Number.isInteger(value);
}
var stringifyJSON = ({ value }) => JSON.stringify(value);
var jsonScalars = [
  {
    identify: (value) => typeof value === "string",
    default: true,
    tag: "tag:yaml.org,2002:str",
    resolve: (str) => str,
    stringify: stringifyJSON
  },
  {
    identify: (value) => value == null,
    createNode: () => new Scalar(null),
    default: true,
    tag: "tag:yaml.org,2002:null",
    test: /^null$/,
    resolve: () => null,
    stringify: stringifyJSON
  },
  {
    identify: (value) => typeof value === "boolean",
    default: true,
    tag: "tag:yaml.org,2002:bool",
    test: /^true$|^false$/,
    resolve: (str) => str === "true",
    stringify: stringifyJSON
  },
  {
    identify: intIdentify2,
    default: true,
    tag: "tag:yaml.org,2002:int",
    test: /^-?(?:0|[1-9][0-9]*)$/,
    resolve: (str, _onError, { intAsBigInt }) => intAsBigInt ? BigInt(str) : parseInt(str, 10),
    stringify: ({ value }) => intIdentify2(value) ? value.toString() : JSON.stringify(value)
  },
  {
    identify: (value) => typeof value === "number",
    default: true,
    tag: "tag:yaml.org,2002:float",
    test: /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?$/,
    resolve: (str) => parseFloat(str),
    stringify: stringifyJSON
  }
];
var jsonError = {
  default: true,
  tag: "",
  test: /^/,
  resolve(str, onError) {
    onError(`Unresolved plain scalar ${JSON.stringify(str)}`);
    return str;
  }
};
var schema2 = [
  map,
  seq
].concat(jsonScalars, jsonError);
var binary = {
  identify: (value) => value instanceof Uint8Array,
  default: false,
  tag: "tag:yaml.org,2002:binary",
  /**
     * Returns a Buffer in node and an Uint8Array in browsers
     *
     * To use the resulting buffer as an image, you'll want to do something like:
     *
     *   const blob = new Blob([buffer], { type: 'image/jpeg' })
     *   document.querySelector('#photo').src = URL.createObjectURL(blob)
     */
  resolve(src, onError) {
    if (typeof atob === "function") {
      const str = atob(src.replace(/[\n\r]/g, ""));
      const buffer = new Uint8Array(str.length);
      for (let i = 0; i < str.length; ++i) buffer[i] = str.charCodeAt(i);
      return buffer;
    } else {
      onError("This environment does not support reading binary tags; either Buffer or atob is required");
      return src;
    }
  },
  stringify({ comment, type, value }, ctx, onComment, onChompKeep) {
    if (!value) return "";
    const buf = value;
    let str;
    if (typeof btoa === "function") {
      let s = "";
      for (let i = 0; i < buf.length; ++i) s += String.fromCharCode(buf[i]);
      str = btoa(s);
    } else {
      throw new Error("This environment does not support writing binary tags; either Buffer or btoa is required");
    }
    type ?? (type = Scalar.BLOCK_LITERAL);
    if (type !== Scalar.QUOTE_DOUBLE) {
      const lineWidth = Math.max(ctx.options.lineWidth - ctx.indent.length, ctx.options.minContentWidth);
      const n = Math.ceil(str.length / lineWidth);
      const lines = new Array(n);
      for (let i = 0, o = 0; i < n; ++i, o += lineWidth) {
        lines[i] = str.substr(o, lineWidth);
      }
      str = lines.join(type === Scalar.BLOCK_LITERAL ? "\n" : " ");
    }
    return stringifyString({
      comment,
      type,
      value: str
    }, ctx, onComment, onChompKeep);
  }
};
function resolvePairs(seq2, onError) {
  if (isSeq(seq2)) {
    for (let i = 0; i < seq2.items.length; ++i) {
      let item = seq2.items[i];
      if (isPair(item)) continue;
      else if (isMap(item)) {
        if (item.items.length > 1) onError("Each pair must have its own sequence indicator");
        const pair = item.items[0] || new Pair(new Scalar(null));
        if (item.commentBefore) pair.key.commentBefore = pair.key.commentBefore ? `${item.commentBefore}
${pair.key.commentBefore}` : item.commentBefore;
        if (item.comment) {
          const cn = pair.value ?? pair.key;
          cn.comment = cn.comment ? `${item.comment}
${cn.comment}` : item.comment;
        }
        item = pair;
      }
      seq2.items[i] = isPair(item) ? item : new Pair(item);
    }
  } else onError("Expected a sequence for this tag");
  return seq2;
}
function createPairs(schema4, iterable, ctx) {
  const { replacer } = ctx;
  const pairs22 = new YAMLSeq(schema4);
  pairs22.tag = "tag:yaml.org,2002:pairs";
  let i = 0;
  if (iterable && Symbol.iterator in Object(iterable)) for (let it of iterable) {
    if (typeof replacer === "function") it = replacer.call(iterable, String(i++), it);
    let key, value;
    if (Array.isArray(it)) {
      if (it.length === 2) {
        key = it[0];
        value = it[1];
      } else throw new TypeError(`Expected [key, value] tuple: ${it}`);
    } else if (it && it instanceof Object) {
      const keys = Object.keys(it);
      if (keys.length === 1) {
        key = keys[0];
        value = it[key];
      } else {
        throw new TypeError(`Expected tuple with one key, not ${keys.length} keys`);
      }
    } else {
      key = it;
    }
    pairs22.items.push(createPair(key, value, ctx));
  }
  return pairs22;
}
var pairs = {
  collection: "seq",
  default: false,
  tag: "tag:yaml.org,2002:pairs",
  resolve: resolvePairs,
  createNode: createPairs
};
var YAMLOMap = class _YAMLOMap extends YAMLSeq {
  constructor() {
    super();
    this.add = YAMLMap.prototype.add.bind(this);
    this.delete = YAMLMap.prototype.delete.bind(this);
    this.get = YAMLMap.prototype.get.bind(this);
    this.has = YAMLMap.prototype.has.bind(this);
    this.set = YAMLMap.prototype.set.bind(this);
    this.tag = _YAMLOMap.tag;
  }
  /**
     * If `ctx` is given, the return type is actually `Map<unknown, unknown>`,
     * but TypeScript won't allow widening the signature of a child method.
     */
  toJSON(_, ctx) {
    if (!ctx) return super.toJSON(_);
    const map2 = /* @__PURE__ */ new Map();
    if (ctx?.onCreate) ctx.onCreate(map2);
    for (const pair of this.items) {
      let key, value;
      if (isPair(pair)) {
        key = toJS(pair.key, "", ctx);
        value = toJS(pair.value, key, ctx);
      } else {
        key = toJS(pair, "", ctx);
      }
      if (map2.has(key)) throw new Error("Ordered maps must not include duplicate keys");
      map2.set(key, value);
    }
    return map2;
  }
  static from(schema4, iterable, ctx) {
    const pairs22 = createPairs(schema4, iterable, ctx);
    const omap2 = new this();
    omap2.items = pairs22.items;
    return omap2;
  }
};
YAMLOMap.tag = "tag:yaml.org,2002:omap";
var omap = {
  collection: "seq",
  identify: (value) => value instanceof Map,
  nodeClass: YAMLOMap,
  default: false,
  tag: "tag:yaml.org,2002:omap",
  resolve(seq2, onError) {
    const pairs22 = resolvePairs(seq2, onError);
    const seenKeys = [];
    for (const { key } of pairs22.items) {
      if (isScalar(key)) {
        if (seenKeys.includes(key.value)) {
          onError(`Ordered maps must not include duplicate keys: ${key.value}`);
        } else {
          seenKeys.push(key.value);
        }
      }
    }
    return Object.assign(new YAMLOMap(), pairs22);
  },
  createNode: (schema4, iterable, ctx) => YAMLOMap.from(schema4, iterable, ctx)
};
function boolStringify({ value, source }, ctx) {
  const boolObj = value ? trueTag : falseTag;
  if (source && boolObj.test.test(source)) return source;
  return value ? ctx.options.trueStr : ctx.options.falseStr;
}
var trueTag = {
  identify: (value) => value === true,
  default: true,
  tag: "tag:yaml.org,2002:bool",
  test: /^(?:Y|y|[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON)$/,
  resolve: () => new Scalar(true),
  stringify: boolStringify
};
var falseTag = {
  identify: (value) => value === false,
  default: true,
  tag: "tag:yaml.org,2002:bool",
  test: /^(?:N|n|[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/,
  resolve: () => new Scalar(false),
  stringify: boolStringify
};
var floatNaN2 = {
  identify: (value) => typeof value === "number",
  default: true,
  tag: "tag:yaml.org,2002:float",
  test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
  resolve: (str) => str.slice(-3).toLowerCase() === "nan" ? NaN : str[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
  stringify: stringifyNumber
};
var floatExp2 = {
  identify: (value) => typeof value === "number",
  default: true,
  tag: "tag:yaml.org,2002:float",
  format: "EXP",
  test: /^[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/,
  resolve: (str) => parseFloat(str.replace(/_/g, "")),
  stringify(node) {
    const num = Number(node.value);
    return isFinite(num) ? num.toExponential() : stringifyNumber(node);
  }
};
var float2 = {
  identify: (value) => typeof value === "number",
  default: true,
  tag: "tag:yaml.org,2002:float",
  test: /^[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*$/,
  resolve(str) {
    const node = new Scalar(parseFloat(str.replace(/_/g, "")));
    const dot = str.indexOf(".");
    if (dot !== -1) {
      const f = str.substring(dot + 1).replace(/_/g, "");
      if (f[f.length - 1] === "0") node.minFractionDigits = f.length;
    }
    return node;
  },
  stringify: stringifyNumber
};
var intIdentify3 = (value) => typeof value === "bigint" || Number.isInteger(value);
function intResolve2(str, offset, radix, { intAsBigInt }) {
  const sign = str[0];
  if (sign === "-" || sign === "+") offset += 1;
  str = str.substring(offset).replace(/_/g, "");
  if (intAsBigInt) {
    switch (radix) {
      case 2:
        str = `0b${str}`;
        break;
      case 8:
        str = `0o${str}`;
        break;
      case 16:
        str = `0x${str}`;
        break;
    }
    const n2 = BigInt(str);
    return sign === "-" ? BigInt(-1) * n2 : n2;
  }
  const n = parseInt(str, radix);
  return sign === "-" ? -1 * n : n;
}
function intStringify2(node, radix, prefix) {
  const { value } = node;
  if (intIdentify3(value)) {
    const str = value.toString(radix);
    return value < 0 ? "-" + prefix + str.substr(1) : prefix + str;
  }
  return stringifyNumber(node);
}
var intBin = {
  identify: intIdentify3,
  default: true,
  tag: "tag:yaml.org,2002:int",
  format: "BIN",
  test: /^[-+]?0b[0-1_]+$/,
  resolve: (str, _onError, opt) => intResolve2(str, 2, 2, opt),
  stringify: (node) => intStringify2(node, 2, "0b")
};
var intOct2 = {
  identify: intIdentify3,
  default: true,
  tag: "tag:yaml.org,2002:int",
  format: "OCT",
  test: /^[-+]?0[0-7_]+$/,
  resolve: (str, _onError, opt) => intResolve2(str, 1, 8, opt),
  stringify: (node) => intStringify2(node, 8, "0")
};
var int2 = {
  identify: intIdentify3,
  default: true,
  tag: "tag:yaml.org,2002:int",
  test: /^[-+]?[0-9][0-9_]*$/,
  resolve: (str, _onError, opt) => intResolve2(str, 0, 10, opt),
  stringify: stringifyNumber
};
var intHex2 = {
  identify: intIdentify3,
  default: true,
  tag: "tag:yaml.org,2002:int",
  format: "HEX",
  test: /^[-+]?0x[0-9a-fA-F_]+$/,
  resolve: (str, _onError, opt) => intResolve2(str, 2, 16, opt),
  stringify: (node) => intStringify2(node, 16, "0x")
};
var YAMLSet = class _YAMLSet extends YAMLMap {
  constructor(schema4) {
    super(schema4);
    this.tag = _YAMLSet.tag;
  }
  add(key) {
    let pair;
    if (isPair(key)) pair = key;
    else if (key && typeof key === "object" && "key" in key && "value" in key && key.value === null) pair = new Pair(key.key, null);
    else pair = new Pair(key, null);
    const prev = findPair(this.items, pair.key);
    if (!prev) this.items.push(pair);
  }
  /**
     * If `keepPair` is `true`, returns the Pair matching `key`.
     * Otherwise, returns the value of that Pair's key.
     */
  get(key, keepPair) {
    const pair = findPair(this.items, key);
    return !keepPair && isPair(pair) ? isScalar(pair.key) ? pair.key.value : pair.key : pair;
  }
  set(key, value) {
    if (typeof value !== "boolean") throw new Error(`Expected boolean value for set(key, value) in a YAML set, not ${typeof value}`);
    const prev = findPair(this.items, key);
    if (prev && !value) {
      this.items.splice(this.items.indexOf(prev), 1);
    } else if (!prev && value) {
      this.items.push(new Pair(key));
    }
  }
  toJSON(_, ctx) {
    return super.toJSON(_, ctx, Set);
  }
  toString(ctx, onComment, onChompKeep) {
    if (!ctx) return JSON.stringify(this);
    if (this.hasAllNullValues(true)) return super.toString(Object.assign({}, ctx, {
      allNullValues: true
    }), onComment, onChompKeep);
    else throw new Error("Set items must all have null values");
  }
  static from(schema4, iterable, ctx) {
    const { replacer } = ctx;
    const set2 = new this(schema4);
    if (iterable && Symbol.iterator in Object(iterable)) for (let value of iterable) {
      if (typeof replacer === "function") value = replacer.call(iterable, value, value);
      set2.items.push(createPair(value, null, ctx));
    }
    return set2;
  }
};
YAMLSet.tag = "tag:yaml.org,2002:set";
var set = {
  collection: "map",
  identify: (value) => value instanceof Set,
  nodeClass: YAMLSet,
  default: false,
  tag: "tag:yaml.org,2002:set",
  createNode: (schema4, iterable, ctx) => YAMLSet.from(schema4, iterable, ctx),
  resolve(map2, onError) {
    if (isMap(map2)) {
      if (map2.hasAllNullValues(true)) return Object.assign(new YAMLSet(), map2);
      else onError("Set items must all have null values");
    } else onError("Expected a mapping for this tag");
    return map2;
  }
};
function parseSexagesimal(str, asBigInt) {
  const sign = str[0];
  const parts = sign === "-" || sign === "+" ? str.substring(1) : str;
  const num = (n) => asBigInt ? BigInt(n) : Number(n);
  const res = parts.replace(/_/g, "").split(":").reduce((res2, p) => res2 * num(60) + num(p), num(0));
  return sign === "-" ? num(-1) * res : res;
}
function stringifySexagesimal(node) {
  let { value } = node;
  let num = (n) => n;
  if (typeof value === "bigint") num = (n) => BigInt(n);
  else if (isNaN(value) || !isFinite(value)) return stringifyNumber(node);
  let sign = "";
  if (value < 0) {
    sign = "-";
    value *= num(-1);
  }
  const _60 = num(60);
  const parts = [
    value % _60
  ];
  if (value < 60) {
    parts.unshift(0);
  } else {
    value = (value - parts[0]) / _60;
    parts.unshift(value % _60);
    if (value >= 60) {
      value = (value - parts[0]) / _60;
      parts.unshift(value);
    }
  }
  return sign + parts.map((n) => String(n).padStart(2, "0")).join(":").replace(/000000\d*$/, "");
}
var intTime = {
  identify: (value) => typeof value === "bigint" || Number.isInteger(value),
  default: true,
  tag: "tag:yaml.org,2002:int",
  format: "TIME",
  test: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+$/,
  resolve: (str, _onError, { intAsBigInt }) => parseSexagesimal(str, intAsBigInt),
  stringify: stringifySexagesimal
};
var floatTime = {
  identify: (value) => typeof value === "number",
  default: true,
  tag: "tag:yaml.org,2002:float",
  format: "TIME",
  test: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/,
  resolve: (str) => parseSexagesimal(str, false),
  stringify: stringifySexagesimal
};
var timestamp = {
  identify: (value) => value instanceof Date,
  default: true,
  tag: "tag:yaml.org,2002:timestamp",
  // If the time zone is omitted, the timestamp is assumed to be specified in UTC. The time part
  // may be omitted altogether, resulting in a date format. In such a case, the time part is
  // assumed to be 00:00:00Z (start of day, UTC).
  test: RegExp("^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:t|T|[ \\t]+)([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2}(\\.[0-9]+)?)(?:[ \\t]*(Z|[-+][012]?[0-9](?::[0-9]{2})?))?)?$"),
  resolve(str) {
    const match = str.match(timestamp.test);
    if (!match) throw new Error("!!timestamp expects a date, starting with yyyy-mm-dd");
    const [, year, month, day, hour, minute, second] = match.map(Number);
    const millisec = match[7] ? Number((match[7] + "00").substr(1, 3)) : 0;
    let date = Date.UTC(year, month - 1, day, hour || 0, minute || 0, second || 0, millisec);
    const tz = match[8];
    if (tz && tz !== "Z") {
      let d = parseSexagesimal(tz, false);
      if (Math.abs(d) < 30) d *= 60;
      date -= 6e4 * d;
    }
    return new Date(date);
  },
  stringify: ({ value }) => value?.toISOString().replace(/(T00:00:00)?\.000Z$/, "") ?? ""
};
var schema3 = [
  map,
  seq,
  string,
  nullTag,
  trueTag,
  falseTag,
  intBin,
  intOct2,
  int2,
  intHex2,
  floatNaN2,
  floatExp2,
  float2,
  binary,
  merge2,
  omap,
  pairs,
  set,
  intTime,
  floatTime,
  timestamp
];
var schemas = /* @__PURE__ */ new Map([
  [
    "core",
    schema
  ],
  [
    "failsafe",
    [
      map,
      seq,
      string
    ]
  ],
  [
    "json",
    schema2
  ],
  [
    "yaml11",
    schema3
  ],
  [
    "yaml-1.1",
    schema3
  ]
]);
var tagsByName = {
  binary,
  bool: boolTag,
  float,
  floatExp,
  floatNaN,
  floatTime,
  int,
  intHex,
  intOct,
  intTime,
  map,
  merge: merge2,
  null: nullTag,
  omap,
  pairs,
  seq,
  set,
  timestamp
};
var coreKnownTags = {
  "tag:yaml.org,2002:binary": binary,
  "tag:yaml.org,2002:merge": merge2,
  "tag:yaml.org,2002:omap": omap,
  "tag:yaml.org,2002:pairs": pairs,
  "tag:yaml.org,2002:set": set,
  "tag:yaml.org,2002:timestamp": timestamp
};
function getTags(customTags, schemaName, addMergeTag) {
  const schemaTags = schemas.get(schemaName);
  if (schemaTags && !customTags) {
    return addMergeTag && !schemaTags.includes(merge2) ? schemaTags.concat(merge2) : schemaTags.slice();
  }
  let tags = schemaTags;
  if (!tags) {
    if (Array.isArray(customTags)) tags = [];
    else {
      const keys = Array.from(schemas.keys()).filter((key) => key !== "yaml11").map((key) => JSON.stringify(key)).join(", ");
      throw new Error(`Unknown schema "${schemaName}"; use one of ${keys} or define customTags array`);
    }
  }
  if (Array.isArray(customTags)) {
    for (const tag of customTags) tags = tags.concat(tag);
  } else if (typeof customTags === "function") {
    tags = customTags(tags.slice());
  }
  if (addMergeTag) tags = tags.concat(merge2);
  return tags.reduce((tags2, tag) => {
    const tagObj = typeof tag === "string" ? tagsByName[tag] : tag;
    if (!tagObj) {
      const tagName = JSON.stringify(tag);
      const keys = Object.keys(tagsByName).map((key) => JSON.stringify(key)).join(", ");
      throw new Error(`Unknown custom tag ${tagName}; use one of ${keys}`);
    }
    if (!tags2.includes(tagObj)) tags2.push(tagObj);
    return tags2;
  }, []);
}
var sortMapEntriesByKey = (a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
var Schema = class _Schema {
  constructor({ compat, customTags, merge: merge22, resolveKnownTags, schema: schema4, sortMapEntries, toStringDefaults }) {
    this.compat = Array.isArray(compat) ? getTags(compat, "compat") : compat ? getTags(null, compat) : null;
    this.name = typeof schema4 === "string" && schema4 || "core";
    this.knownTags = resolveKnownTags ? coreKnownTags : {};
    this.tags = getTags(customTags, this.name, merge22);
    this.toStringOptions = toStringDefaults ?? null;
    Object.defineProperty(this, MAP, {
      value: map
    });
    Object.defineProperty(this, SCALAR, {
      value: string
    });
    Object.defineProperty(this, SEQ, {
      value: seq
    });
    this.sortMapEntries = typeof sortMapEntries === "function" ? sortMapEntries : sortMapEntries === true ? sortMapEntriesByKey : null;
  }
  clone() {
    const copy = Object.create(_Schema.prototype, Object.getOwnPropertyDescriptors(this));
    copy.tags = this.tags.slice();
    return copy;
  }
};
function stringifyDocument(doc, options) {
  const lines = [];
  let hasDirectives = options.directives === true;
  if (options.directives !== false && doc.directives) {
    const dir = doc.directives.toString(doc);
    if (dir) {
      lines.push(dir);
      hasDirectives = true;
    } else if (doc.directives.docStart) hasDirectives = true;
  }
  if (hasDirectives) lines.push("---");
  const ctx = createStringifyContext(doc, options);
  const { commentString } = ctx.options;
  if (doc.commentBefore) {
    if (lines.length !== 1) lines.unshift("");
    const cs = commentString(doc.commentBefore);
    lines.unshift(indentComment(cs, ""));
  }
  let chompKeep = false;
  let contentComment = null;
  if (doc.contents) {
    if (isNode(doc.contents)) {
      if (doc.contents.spaceBefore && hasDirectives) lines.push("");
      if (doc.contents.commentBefore) {
        const cs = commentString(doc.contents.commentBefore);
        lines.push(indentComment(cs, ""));
      }
      ctx.forceBlockIndent = !!doc.comment;
      contentComment = doc.contents.comment;
    }
    const onChompKeep = contentComment ? void 0 : () => chompKeep = true;
    let body = stringify(doc.contents, ctx, () => contentComment = null, onChompKeep);
    if (contentComment) body += lineComment(body, "", commentString(contentComment));
    if ((body[0] === "|" || body[0] === ">") && lines[lines.length - 1] === "---") {
      lines[lines.length - 1] = `--- ${body}`;
    } else lines.push(body);
  } else {
    lines.push(stringify(doc.contents, ctx));
  }
  if (doc.directives?.docEnd) {
    if (doc.comment) {
      const cs = commentString(doc.comment);
      if (cs.includes("\n")) {
        lines.push("...");
        lines.push(indentComment(cs, ""));
      } else {
        lines.push(`... ${cs}`);
      }
    } else {
      lines.push("...");
    }
  } else {
    let dc = doc.comment;
    if (dc && chompKeep) dc = dc.replace(/^\n+/, "");
    if (dc) {
      if ((!chompKeep || contentComment) && lines[lines.length - 1] !== "") lines.push("");
      lines.push(indentComment(commentString(dc), ""));
    }
  }
  return lines.join("\n") + "\n";
}
var Document = class _Document {
  constructor(value, replacer, options) {
    this.commentBefore = null;
    this.comment = null;
    this.errors = [];
    this.warnings = [];
    Object.defineProperty(this, NODE_TYPE, {
      value: DOC
    });
    let _replacer = null;
    if (typeof replacer === "function" || Array.isArray(replacer)) {
      _replacer = replacer;
    } else if (options === void 0 && replacer) {
      options = replacer;
      replacer = void 0;
    }
    const opt = Object.assign({
      intAsBigInt: false,
      keepSourceTokens: false,
      logLevel: "warn",
      prettyErrors: true,
      strict: true,
      stringKeys: false,
      uniqueKeys: true,
      version: "1.2"
    }, options);
    this.options = opt;
    let { version } = opt;
    if (options?._directives) {
      this.directives = options._directives.atDocument();
      if (this.directives.yaml.explicit) version = this.directives.yaml.version;
    } else this.directives = new Directives({
      version
    });
    this.setSchema(version, options);
    this.contents = value === void 0 ? null : this.createNode(value, _replacer, options);
  }
  /**
     * Create a deep copy of this Document and its contents.
     *
     * Custom Node values that inherit from `Object` still refer to their original instances.
     */
  clone() {
    const copy = Object.create(_Document.prototype, {
      [NODE_TYPE]: {
        value: DOC
      }
    });
    copy.commentBefore = this.commentBefore;
    copy.comment = this.comment;
    copy.errors = this.errors.slice();
    copy.warnings = this.warnings.slice();
    copy.options = Object.assign({}, this.options);
    if (this.directives) copy.directives = this.directives.clone();
    copy.schema = this.schema.clone();
    copy.contents = isNode(this.contents) ? this.contents.clone(copy.schema) : this.contents;
    if (this.range) copy.range = this.range.slice();
    return copy;
  }
  /** Adds a value to the document. */
  add(value) {
    if (assertCollection(this.contents)) this.contents.add(value);
  }
  /** Adds a value to the document. */
  addIn(path, value) {
    if (assertCollection(this.contents)) this.contents.addIn(path, value);
  }
  /**
     * Create a new `Alias` node, ensuring that the target `node` has the required anchor.
     *
     * If `node` already has an anchor, `name` is ignored.
     * Otherwise, the `node.anchor` value will be set to `name`,
     * or if an anchor with that name is already present in the document,
     * `name` will be used as a prefix for a new unique anchor.
     * If `name` is undefined, the generated anchor will use 'a' as a prefix.
     */
  createAlias(node, name) {
    if (!node.anchor) {
      const prev = anchorNames(this);
      node.anchor = !name || prev.has(name) ? findNewAnchor(name || "a", prev) : name;
    }
    return new Alias(node.anchor);
  }
  createNode(value, replacer, options) {
    let _replacer = void 0;
    if (typeof replacer === "function") {
      value = replacer.call({
        "": value
      }, "", value);
      _replacer = replacer;
    } else if (Array.isArray(replacer)) {
      const keyToStr = (v) => typeof v === "number" || v instanceof String || v instanceof Number;
      const asStr = replacer.filter(keyToStr).map(String);
      if (asStr.length > 0) replacer = replacer.concat(asStr);
      _replacer = replacer;
    } else if (options === void 0 && replacer) {
      options = replacer;
      replacer = void 0;
    }
    const { aliasDuplicateObjects, anchorPrefix, flow, keepUndefined, onTagObj, tag } = options ?? {};
    const { onAnchor, setAnchors, sourceObjects } = createNodeAnchors(
      this,
      // eslint-disable-next-line @typescript-eslint/prefer-nullish-coalescing
      anchorPrefix || "a"
    );
    const ctx = {
      aliasDuplicateObjects: aliasDuplicateObjects ?? true,
      keepUndefined: keepUndefined ?? false,
      onAnchor,
      onTagObj,
      replacer: _replacer,
      schema: this.schema,
      sourceObjects
    };
    const node = createNode(value, tag, ctx);
    if (flow && isCollection(node)) node.flow = true;
    setAnchors();
    return node;
  }
  /**
     * Convert a key and a value into a `Pair` using the current schema,
     * recursively wrapping all values as `Scalar` or `Collection` nodes.
     */
  createPair(key, value, options = {}) {
    const k = this.createNode(key, null, options);
    const v = this.createNode(value, null, options);
    return new Pair(k, v);
  }
  /**
     * Removes a value from the document.
     * @returns `true` if the item was found and removed.
     */
  delete(key) {
    return assertCollection(this.contents) ? this.contents.delete(key) : false;
  }
  /**
     * Removes a value from the document.
     * @returns `true` if the item was found and removed.
     */
  deleteIn(path) {
    if (isEmptyPath(path)) {
      if (this.contents == null) return false;
      this.contents = null;
      return true;
    }
    return assertCollection(this.contents) ? this.contents.deleteIn(path) : false;
  }
  /**
     * Returns item at `key`, or `undefined` if not found. By default unwraps
     * scalar values from their surrounding node; to disable set `keepScalar` to
     * `true` (collections are always returned intact).
     */
  get(key, keepScalar) {
    return isCollection(this.contents) ? this.contents.get(key, keepScalar) : void 0;
  }
  /**
     * Returns item at `path`, or `undefined` if not found. By default unwraps
     * scalar values from their surrounding node; to disable set `keepScalar` to
     * `true` (collections are always returned intact).
     */
  getIn(path, keepScalar) {
    if (isEmptyPath(path)) return !keepScalar && isScalar(this.contents) ? this.contents.value : this.contents;
    return isCollection(this.contents) ? this.contents.getIn(path, keepScalar) : void 0;
  }
  /**
     * Checks if the document includes a value with the key `key`.
     */
  has(key) {
    return isCollection(this.contents) ? this.contents.has(key) : false;
  }
  /**
     * Checks if the document includes a value at `path`.
     */
  hasIn(path) {
    if (isEmptyPath(path)) return this.contents !== void 0;
    return isCollection(this.contents) ? this.contents.hasIn(path) : false;
  }
  /**
     * Sets a value in this document. For `!!set`, `value` needs to be a
     * boolean to add/remove the item from the set.
     */
  set(key, value) {
    if (this.contents == null) {
      this.contents = collectionFromPath(this.schema, [
        key
      ], value);
    } else if (assertCollection(this.contents)) {
      this.contents.set(key, value);
    }
  }
  /**
     * Sets a value in this document. For `!!set`, `value` needs to be a
     * boolean to add/remove the item from the set.
     */
  setIn(path, value) {
    if (isEmptyPath(path)) {
      this.contents = value;
    } else if (this.contents == null) {
      this.contents = collectionFromPath(this.schema, Array.from(path), value);
    } else if (assertCollection(this.contents)) {
      this.contents.setIn(path, value);
    }
  }
  /**
     * Change the YAML version and schema used by the document.
     * A `null` version disables support for directives, explicit tags, anchors, and aliases.
     * It also requires the `schema` option to be given as a `Schema` instance value.
     *
     * Overrides all previously set schema options.
     */
  setSchema(version, options = {}) {
    if (typeof version === "number") version = String(version);
    let opt;
    switch (version) {
      case "1.1":
        if (this.directives) this.directives.yaml.version = "1.1";
        else this.directives = new Directives({
          version: "1.1"
        });
        opt = {
          resolveKnownTags: false,
          schema: "yaml-1.1"
        };
        break;
      case "1.2":
      case "next":
        if (this.directives) this.directives.yaml.version = version;
        else this.directives = new Directives({
          version
        });
        opt = {
          resolveKnownTags: true,
          schema: "core"
        };
        break;
      case null:
        if (this.directives) delete this.directives;
        opt = null;
        break;
      default: {
        const sv = JSON.stringify(version);
        throw new Error(`Expected '1.1', '1.2' or null as first argument, but found: ${sv}`);
      }
    }
    if (options.schema instanceof Object) this.schema = options.schema;
    else if (opt) this.schema = new Schema(Object.assign(opt, options));
    else throw new Error(`With a null YAML version, the { schema: Schema } option is required`);
  }
  // json & jsonArg are only used from toJSON()
  toJS({ json, jsonArg, mapAsMap, maxAliasCount, onAnchor, reviver } = {}) {
    const ctx = {
      anchors: /* @__PURE__ */ new Map(),
      doc: this,
      keep: !json,
      mapAsMap: mapAsMap === true,
      mapKeyWarned: false,
      maxAliasCount: typeof maxAliasCount === "number" ? maxAliasCount : 100
    };
    const res = toJS(this.contents, jsonArg ?? "", ctx);
    if (typeof onAnchor === "function") for (const { count: count2, res: res2 } of ctx.anchors.values()) onAnchor(res2, count2);
    return typeof reviver === "function" ? applyReviver(reviver, {
      "": res
    }, "", res) : res;
  }
  /**
     * A JSON representation of the document `contents`.
     *
     * @param jsonArg Used by `JSON.stringify` to indicate the array index or
     *   property name.
     */
  toJSON(jsonArg, onAnchor) {
    return this.toJS({
      json: true,
      jsonArg,
      mapAsMap: false,
      onAnchor
    });
  }
  /** A YAML representation of the document. */
  toString(options = {}) {
    if (this.errors.length > 0) throw new Error("Document with errors cannot be stringified");
    if ("indent" in options && (!Number.isInteger(options.indent) || Number(options.indent) <= 0)) {
      const s = JSON.stringify(options.indent);
      throw new Error(`"indent" option must be a positive integer, not ${s}`);
    }
    return stringifyDocument(this, options);
  }
};
function assertCollection(contents) {
  if (isCollection(contents)) return true;
  throw new Error("Expected a YAML collection as document contents");
}
var YAMLError = class extends Error {
  constructor(name, pos, code, message) {
    super();
    this.name = name;
    this.code = code;
    this.message = message;
    this.pos = pos;
  }
};
var YAMLParseError = class extends YAMLError {
  constructor(pos, code, message) {
    super("YAMLParseError", pos, code, message);
  }
};
var YAMLWarning = class extends YAMLError {
  constructor(pos, code, message) {
    super("YAMLWarning", pos, code, message);
  }
};
var prettifyError = (src, lc) => (error) => {
  if (error.pos[0] === -1) return;
  error.linePos = error.pos.map((pos) => lc.linePos(pos));
  const { line, col } = error.linePos[0];
  error.message += ` at line ${line}, column ${col}`;
  let ci = col - 1;
  let lineStr = src.substring(lc.lineStarts[line - 1], lc.lineStarts[line]).replace(/[\n\r]+$/, "");
  if (ci >= 60 && lineStr.length > 80) {
    const trimStart = Math.min(ci - 39, lineStr.length - 79);
    lineStr = "\u2026" + lineStr.substring(trimStart);
    ci -= trimStart - 1;
  }
  if (lineStr.length > 80) lineStr = lineStr.substring(0, 79) + "\u2026";
  if (line > 1 && /^ *$/.test(lineStr.substring(0, ci))) {
    let prev = src.substring(lc.lineStarts[line - 2], lc.lineStarts[line - 1]);
    if (prev.length > 80) prev = prev.substring(0, 79) + "\u2026\n";
    lineStr = prev + lineStr;
  }
  if (/[^ ]/.test(lineStr)) {
    let count2 = 1;
    const end = error.linePos[1];
    if (end?.line === line && end.col > col) {
      count2 = Math.max(1, Math.min(end.col - col, 80 - ci));
    }
    const pointer = " ".repeat(ci) + "^".repeat(count2);
    error.message += `:

${lineStr}
${pointer}
`;
  }
};
function resolveProps(tokens, { flow, indicator, next, offset, onError, parentIndent, startOnNewline }) {
  let spaceBefore = false;
  let atNewline = startOnNewline;
  let hasSpace = startOnNewline;
  let comment = "";
  let commentSep = "";
  let hasNewline = false;
  let reqSpace = false;
  let tab = null;
  let anchor = null;
  let tag = null;
  let newlineAfterProp = null;
  let comma = null;
  let found = null;
  let start2 = null;
  for (const token of tokens) {
    if (reqSpace) {
      if (token.type !== "space" && token.type !== "newline" && token.type !== "comma") onError(token.offset, "MISSING_CHAR", "Tags and anchors must be separated from the next token by white space");
      reqSpace = false;
    }
    if (tab) {
      if (atNewline && token.type !== "comment" && token.type !== "newline") {
        onError(tab, "TAB_AS_INDENT", "Tabs are not allowed as indentation");
      }
      tab = null;
    }
    switch (token.type) {
      case "space":
        if (!flow && (indicator !== "doc-start" || next?.type !== "flow-collection") && token.source.includes("	")) {
          tab = token;
        }
        hasSpace = true;
        break;
      case "comment": {
        if (!hasSpace) onError(token, "MISSING_CHAR", "Comments must be separated from other tokens by white space characters");
        const cb = token.source.substring(1) || " ";
        if (!comment) comment = cb;
        else comment += commentSep + cb;
        commentSep = "";
        atNewline = false;
        break;
      }
      case "newline":
        if (atNewline) {
          if (comment) comment += token.source;
          else if (!found || indicator !== "seq-item-ind") spaceBefore = true;
        } else commentSep += token.source;
        atNewline = true;
        hasNewline = true;
        if (anchor || tag) newlineAfterProp = token;
        hasSpace = true;
        break;
      case "anchor":
        if (anchor) onError(token, "MULTIPLE_ANCHORS", "A node can have at most one anchor");
        if (token.source.endsWith(":")) onError(token.offset + token.source.length - 1, "BAD_ALIAS", "Anchor ending in : is ambiguous", true);
        anchor = token;
        start2 ?? (start2 = token.offset);
        atNewline = false;
        hasSpace = false;
        reqSpace = true;
        break;
      case "tag": {
        if (tag) onError(token, "MULTIPLE_TAGS", "A node can have at most one tag");
        tag = token;
        start2 ?? (start2 = token.offset);
        atNewline = false;
        hasSpace = false;
        reqSpace = true;
        break;
      }
      case indicator:
        if (anchor || tag) onError(token, "BAD_PROP_ORDER", `Anchors and tags must be after the ${token.source} indicator`);
        if (found) onError(token, "UNEXPECTED_TOKEN", `Unexpected ${token.source} in ${flow ?? "collection"}`);
        found = token;
        atNewline = indicator === "seq-item-ind" || indicator === "explicit-key-ind";
        hasSpace = false;
        break;
      case "comma":
        if (flow) {
          if (comma) onError(token, "UNEXPECTED_TOKEN", `Unexpected , in ${flow}`);
          comma = token;
          atNewline = false;
          hasSpace = false;
          break;
        }
      // else fallthrough
      default:
        onError(token, "UNEXPECTED_TOKEN", `Unexpected ${token.type} token`);
        atNewline = false;
        hasSpace = false;
    }
  }
  const last = tokens[tokens.length - 1];
  const end = last ? last.offset + last.source.length : offset;
  if (reqSpace && next && next.type !== "space" && next.type !== "newline" && next.type !== "comma" && (next.type !== "scalar" || next.source !== "")) {
    onError(next.offset, "MISSING_CHAR", "Tags and anchors must be separated from the next token by white space");
  }
  if (tab && (atNewline && tab.indent <= parentIndent || next?.type === "block-map" || next?.type === "block-seq")) onError(tab, "TAB_AS_INDENT", "Tabs are not allowed as indentation");
  return {
    comma,
    found,
    spaceBefore,
    comment,
    hasNewline,
    anchor,
    tag,
    newlineAfterProp,
    end,
    start: start2 ?? end
  };
}
function containsNewline(key) {
  if (!key) return null;
  switch (key.type) {
    case "alias":
    case "scalar":
    case "double-quoted-scalar":
    case "single-quoted-scalar":
      if (key.source.includes("\n")) return true;
      if (key.end) {
        for (const st of key.end) if (st.type === "newline") return true;
      }
      return false;
    case "flow-collection":
      for (const it of key.items) {
        for (const st of it.start) if (st.type === "newline") return true;
        if (it.sep) {
          for (const st of it.sep) if (st.type === "newline") return true;
        }
        if (containsNewline(it.key) || containsNewline(it.value)) return true;
      }
      return false;
    default:
      return true;
  }
}
function flowIndentCheck(indent, fc, onError) {
  if (fc?.type === "flow-collection") {
    const end = fc.end[0];
    if (end.indent === indent && (end.source === "]" || end.source === "}") && containsNewline(fc)) {
      const msg = "Flow end indicator should be more indented than parent";
      onError(end, "BAD_INDENT", msg, true);
    }
  }
}
function mapIncludes(ctx, items, search) {
  const { uniqueKeys } = ctx.options;
  if (uniqueKeys === false) return false;
  const isEqual = typeof uniqueKeys === "function" ? uniqueKeys : (a, b) => a === b || isScalar(a) && isScalar(b) && a.value === b.value;
  return items.some((pair) => isEqual(pair.key, search));
}
var startColMsg = "All mapping items must start at the same column";
function resolveBlockMap({ composeNode: composeNode2, composeEmptyNode: composeEmptyNode2 }, ctx, bm, onError, tag) {
  const NodeClass = tag?.nodeClass ?? YAMLMap;
  const map2 = new NodeClass(ctx.schema);
  if (ctx.atRoot) ctx.atRoot = false;
  let offset = bm.offset;
  let commentEnd = null;
  for (const collItem of bm.items) {
    const { start: start2, key, sep, value } = collItem;
    const keyProps = resolveProps(start2, {
      indicator: "explicit-key-ind",
      next: key ?? sep?.[0],
      offset,
      onError,
      parentIndent: bm.indent,
      startOnNewline: true
    });
    const implicitKey = !keyProps.found;
    if (implicitKey) {
      if (key) {
        if (key.type === "block-seq") onError(offset, "BLOCK_AS_IMPLICIT_KEY", "A block sequence may not be used as an implicit map key");
        else if ("indent" in key && key.indent !== bm.indent) onError(offset, "BAD_INDENT", startColMsg);
      }
      if (!keyProps.anchor && !keyProps.tag && !sep) {
        commentEnd = keyProps.end;
        if (keyProps.comment) {
          if (map2.comment) map2.comment += "\n" + keyProps.comment;
          else map2.comment = keyProps.comment;
        }
        continue;
      }
      if (keyProps.newlineAfterProp || containsNewline(key)) {
        onError(key ?? start2[start2.length - 1], "MULTILINE_IMPLICIT_KEY", "Implicit keys need to be on a single line");
      }
    } else if (keyProps.found?.indent !== bm.indent) {
      onError(offset, "BAD_INDENT", startColMsg);
    }
    ctx.atKey = true;
    const keyStart = keyProps.end;
    const keyNode = key ? composeNode2(ctx, key, keyProps, onError) : composeEmptyNode2(ctx, keyStart, start2, null, keyProps, onError);
    if (ctx.schema.compat) flowIndentCheck(bm.indent, key, onError);
    ctx.atKey = false;
    if (mapIncludes(ctx, map2.items, keyNode)) onError(keyStart, "DUPLICATE_KEY", "Map keys must be unique");
    const valueProps = resolveProps(sep ?? [], {
      indicator: "map-value-ind",
      next: value,
      offset: keyNode.range[2],
      onError,
      parentIndent: bm.indent,
      startOnNewline: !key || key.type === "block-scalar"
    });
    offset = valueProps.end;
    if (valueProps.found) {
      if (implicitKey) {
        if (value?.type === "block-map" && !valueProps.hasNewline) onError(offset, "BLOCK_AS_IMPLICIT_KEY", "Nested mappings are not allowed in compact mappings");
        if (ctx.options.strict && keyProps.start < valueProps.found.offset - 1024) onError(keyNode.range, "KEY_OVER_1024_CHARS", "The : indicator must be at most 1024 chars after the start of an implicit block mapping key");
      }
      const valueNode = value ? composeNode2(ctx, value, valueProps, onError) : composeEmptyNode2(ctx, offset, sep, null, valueProps, onError);
      if (ctx.schema.compat) flowIndentCheck(bm.indent, value, onError);
      offset = valueNode.range[2];
      const pair = new Pair(keyNode, valueNode);
      if (ctx.options.keepSourceTokens) pair.srcToken = collItem;
      map2.items.push(pair);
    } else {
      if (implicitKey) onError(keyNode.range, "MISSING_CHAR", "Implicit map keys need to be followed by map values");
      if (valueProps.comment) {
        if (keyNode.comment) keyNode.comment += "\n" + valueProps.comment;
        else keyNode.comment = valueProps.comment;
      }
      const pair = new Pair(keyNode);
      if (ctx.options.keepSourceTokens) pair.srcToken = collItem;
      map2.items.push(pair);
    }
  }
  if (commentEnd && commentEnd < offset) onError(commentEnd, "IMPOSSIBLE", "Map comment with trailing content");
  map2.range = [
    bm.offset,
    offset,
    commentEnd ?? offset
  ];
  return map2;
}
function resolveBlockSeq({ composeNode: composeNode2, composeEmptyNode: composeEmptyNode2 }, ctx, bs, onError, tag) {
  const NodeClass = tag?.nodeClass ?? YAMLSeq;
  const seq2 = new NodeClass(ctx.schema);
  if (ctx.atRoot) ctx.atRoot = false;
  if (ctx.atKey) ctx.atKey = false;
  let offset = bs.offset;
  let commentEnd = null;
  for (const { start: start2, value } of bs.items) {
    const props = resolveProps(start2, {
      indicator: "seq-item-ind",
      next: value,
      offset,
      onError,
      parentIndent: bs.indent,
      startOnNewline: true
    });
    if (!props.found) {
      if (props.anchor || props.tag || value) {
        if (value?.type === "block-seq") onError(props.end, "BAD_INDENT", "All sequence items must start at the same column");
        else onError(offset, "MISSING_CHAR", "Sequence item without - indicator");
      } else {
        commentEnd = props.end;
        if (props.comment) seq2.comment = props.comment;
        continue;
      }
    }
    const node = value ? composeNode2(ctx, value, props, onError) : composeEmptyNode2(ctx, props.end, start2, null, props, onError);
    if (ctx.schema.compat) flowIndentCheck(bs.indent, value, onError);
    offset = node.range[2];
    seq2.items.push(node);
  }
  seq2.range = [
    bs.offset,
    offset,
    commentEnd ?? offset
  ];
  return seq2;
}
function resolveEnd(end, offset, reqSpace, onError) {
  let comment = "";
  if (end) {
    let hasSpace = false;
    let sep = "";
    for (const token of end) {
      const { source, type } = token;
      switch (type) {
        case "space":
          hasSpace = true;
          break;
        case "comment": {
          if (reqSpace && !hasSpace) onError(token, "MISSING_CHAR", "Comments must be separated from other tokens by white space characters");
          const cb = source.substring(1) || " ";
          if (!comment) comment = cb;
          else comment += sep + cb;
          sep = "";
          break;
        }
        case "newline":
          if (comment) sep += source;
          hasSpace = true;
          break;
        default:
          onError(token, "UNEXPECTED_TOKEN", `Unexpected ${type} at node end`);
      }
      offset += source.length;
    }
  }
  return {
    comment,
    offset
  };
}
var blockMsg = "Block collections are not allowed within flow collections";
var isBlock = (token) => token && (token.type === "block-map" || token.type === "block-seq");
function resolveFlowCollection({ composeNode: composeNode2, composeEmptyNode: composeEmptyNode2 }, ctx, fc, onError, tag) {
  const isMap2 = fc.start.source === "{";
  const fcName = isMap2 ? "flow map" : "flow sequence";
  const NodeClass = tag?.nodeClass ?? (isMap2 ? YAMLMap : YAMLSeq);
  const coll = new NodeClass(ctx.schema);
  coll.flow = true;
  const atRoot = ctx.atRoot;
  if (atRoot) ctx.atRoot = false;
  if (ctx.atKey) ctx.atKey = false;
  let offset = fc.offset + fc.start.source.length;
  for (let i = 0; i < fc.items.length; ++i) {
    const collItem = fc.items[i];
    const { start: start2, key, sep, value } = collItem;
    const props = resolveProps(start2, {
      flow: fcName,
      indicator: "explicit-key-ind",
      next: key ?? sep?.[0],
      offset,
      onError,
      parentIndent: fc.indent,
      startOnNewline: false
    });
    if (!props.found) {
      if (!props.anchor && !props.tag && !sep && !value) {
        if (i === 0 && props.comma) onError(props.comma, "UNEXPECTED_TOKEN", `Unexpected , in ${fcName}`);
        else if (i < fc.items.length - 1) onError(props.start, "UNEXPECTED_TOKEN", `Unexpected empty item in ${fcName}`);
        if (props.comment) {
          if (coll.comment) coll.comment += "\n" + props.comment;
          else coll.comment = props.comment;
        }
        offset = props.end;
        continue;
      }
      if (!isMap2 && ctx.options.strict && containsNewline(key)) onError(key, "MULTILINE_IMPLICIT_KEY", "Implicit keys of flow sequence pairs need to be on a single line");
    }
    if (i === 0) {
      if (props.comma) onError(props.comma, "UNEXPECTED_TOKEN", `Unexpected , in ${fcName}`);
    } else {
      if (!props.comma) onError(props.start, "MISSING_CHAR", `Missing , between ${fcName} items`);
      if (props.comment) {
        let prevItemComment = "";
        loop: for (const st of start2) {
          switch (st.type) {
            case "comma":
            case "space":
              break;
            case "comment":
              prevItemComment = st.source.substring(1);
              break loop;
            default:
              break loop;
          }
        }
        if (prevItemComment) {
          let prev = coll.items[coll.items.length - 1];
          if (isPair(prev)) prev = prev.value ?? prev.key;
          if (prev.comment) prev.comment += "\n" + prevItemComment;
          else prev.comment = prevItemComment;
          props.comment = props.comment.substring(prevItemComment.length + 1);
        }
      }
    }
    if (!isMap2 && !sep && !props.found) {
      const valueNode = value ? composeNode2(ctx, value, props, onError) : composeEmptyNode2(ctx, props.end, sep, null, props, onError);
      coll.items.push(valueNode);
      offset = valueNode.range[2];
      if (isBlock(value)) onError(valueNode.range, "BLOCK_IN_FLOW", blockMsg);
    } else {
      ctx.atKey = true;
      const keyStart = props.end;
      const keyNode = key ? composeNode2(ctx, key, props, onError) : composeEmptyNode2(ctx, keyStart, start2, null, props, onError);
      if (isBlock(key)) onError(keyNode.range, "BLOCK_IN_FLOW", blockMsg);
      ctx.atKey = false;
      const valueProps = resolveProps(sep ?? [], {
        flow: fcName,
        indicator: "map-value-ind",
        next: value,
        offset: keyNode.range[2],
        onError,
        parentIndent: fc.indent,
        startOnNewline: false
      });
      if (valueProps.found) {
        if (!isMap2 && !props.found && ctx.options.strict) {
          if (sep) for (const st of sep) {
            if (st === valueProps.found) break;
            if (st.type === "newline") {
              onError(st, "MULTILINE_IMPLICIT_KEY", "Implicit keys of flow sequence pairs need to be on a single line");
              break;
            }
          }
          if (props.start < valueProps.found.offset - 1024) onError(valueProps.found, "KEY_OVER_1024_CHARS", "The : indicator must be at most 1024 chars after the start of an implicit flow sequence key");
        }
      } else if (value) {
        if ("source" in value && value.source?.[0] === ":") onError(value, "MISSING_CHAR", `Missing space after : in ${fcName}`);
        else onError(valueProps.start, "MISSING_CHAR", `Missing , or : between ${fcName} items`);
      }
      const valueNode = value ? composeNode2(ctx, value, valueProps, onError) : valueProps.found ? composeEmptyNode2(ctx, valueProps.end, sep, null, valueProps, onError) : null;
      if (valueNode) {
        if (isBlock(value)) onError(valueNode.range, "BLOCK_IN_FLOW", blockMsg);
      } else if (valueProps.comment) {
        if (keyNode.comment) keyNode.comment += "\n" + valueProps.comment;
        else keyNode.comment = valueProps.comment;
      }
      const pair = new Pair(keyNode, valueNode);
      if (ctx.options.keepSourceTokens) pair.srcToken = collItem;
      if (isMap2) {
        const map2 = coll;
        if (mapIncludes(ctx, map2.items, keyNode)) onError(keyStart, "DUPLICATE_KEY", "Map keys must be unique");
        map2.items.push(pair);
      } else {
        const map2 = new YAMLMap(ctx.schema);
        map2.flow = true;
        map2.items.push(pair);
        const endRange = (valueNode ?? keyNode).range;
        map2.range = [
          keyNode.range[0],
          endRange[1],
          endRange[2]
        ];
        coll.items.push(map2);
      }
      offset = valueNode ? valueNode.range[2] : valueProps.end;
    }
  }
  const expectedEnd = isMap2 ? "}" : "]";
  const [ce, ...ee] = fc.end;
  let cePos = offset;
  if (ce?.source === expectedEnd) cePos = ce.offset + ce.source.length;
  else {
    const name = fcName[0].toUpperCase() + fcName.substring(1);
    const msg = atRoot ? `${name} must end with a ${expectedEnd}` : `${name} in block collection must be sufficiently indented and end with a ${expectedEnd}`;
    onError(offset, atRoot ? "MISSING_CHAR" : "BAD_INDENT", msg);
    if (ce && ce.source.length !== 1) ee.unshift(ce);
  }
  if (ee.length > 0) {
    const end = resolveEnd(ee, cePos, ctx.options.strict, onError);
    if (end.comment) {
      if (coll.comment) coll.comment += "\n" + end.comment;
      else coll.comment = end.comment;
    }
    coll.range = [
      fc.offset,
      cePos,
      end.offset
    ];
  } else {
    coll.range = [
      fc.offset,
      cePos,
      cePos
    ];
  }
  return coll;
}
function resolveCollection(CN2, ctx, token, onError, tagName, tag) {
  const coll = token.type === "block-map" ? resolveBlockMap(CN2, ctx, token, onError, tag) : token.type === "block-seq" ? resolveBlockSeq(CN2, ctx, token, onError, tag) : resolveFlowCollection(CN2, ctx, token, onError, tag);
  const Coll = coll.constructor;
  if (tagName === "!" || tagName === Coll.tagName) {
    coll.tag = Coll.tagName;
    return coll;
  }
  if (tagName) coll.tag = tagName;
  return coll;
}
function composeCollection(CN2, ctx, token, props, onError) {
  const tagToken = props.tag;
  const tagName = !tagToken ? null : ctx.directives.tagName(tagToken.source, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg));
  if (token.type === "block-seq") {
    const { anchor, newlineAfterProp: nl } = props;
    const lastProp = anchor && tagToken ? anchor.offset > tagToken.offset ? anchor : tagToken : anchor ?? tagToken;
    if (lastProp && (!nl || nl.offset < lastProp.offset)) {
      const message = "Missing newline after block sequence props";
      onError(lastProp, "MISSING_CHAR", message);
    }
  }
  const expType = token.type === "block-map" ? "map" : token.type === "block-seq" ? "seq" : token.start.source === "{" ? "map" : "seq";
  if (!tagToken || !tagName || tagName === "!" || tagName === YAMLMap.tagName && expType === "map" || tagName === YAMLSeq.tagName && expType === "seq") {
    return resolveCollection(CN2, ctx, token, onError, tagName);
  }
  let tag = ctx.schema.tags.find((t) => t.tag === tagName && t.collection === expType);
  if (!tag) {
    const kt = ctx.schema.knownTags[tagName];
    if (kt?.collection === expType) {
      ctx.schema.tags.push(Object.assign({}, kt, {
        default: false
      }));
      tag = kt;
    } else {
      if (kt) {
        onError(tagToken, "BAD_COLLECTION_TYPE", `${kt.tag} used for ${expType} collection, but expects ${kt.collection ?? "scalar"}`, true);
      } else {
        onError(tagToken, "TAG_RESOLVE_FAILED", `Unresolved tag: ${tagName}`, true);
      }
      return resolveCollection(CN2, ctx, token, onError, tagName);
    }
  }
  const coll = resolveCollection(CN2, ctx, token, onError, tagName, tag);
  const res = tag.resolve?.(coll, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg), ctx.options) ?? coll;
  const node = isNode(res) ? res : new Scalar(res);
  node.range = coll.range;
  node.tag = tagName;
  if (tag?.format) node.format = tag.format;
  return node;
}
function resolveBlockScalar(ctx, scalar, onError) {
  const start2 = scalar.offset;
  const header = parseBlockScalarHeader(scalar, ctx.options.strict, onError);
  if (!header) return {
    value: "",
    type: null,
    comment: "",
    range: [
      start2,
      start2,
      start2
    ]
  };
  const type = header.mode === ">" ? Scalar.BLOCK_FOLDED : Scalar.BLOCK_LITERAL;
  const lines = scalar.source ? splitLines(scalar.source) : [];
  let chompStart = lines.length;
  for (let i = lines.length - 1; i >= 0; --i) {
    const content = lines[i][1];
    if (content === "" || content === "\r") chompStart = i;
    else break;
  }
  if (chompStart === 0) {
    const value2 = header.chomp === "+" && lines.length > 0 ? "\n".repeat(Math.max(1, lines.length - 1)) : "";
    let end2 = start2 + header.length;
    if (scalar.source) end2 += scalar.source.length;
    return {
      value: value2,
      type,
      comment: header.comment,
      range: [
        start2,
        end2,
        end2
      ]
    };
  }
  let trimIndent = scalar.indent + header.indent;
  let offset = scalar.offset + header.length;
  let contentStart = 0;
  for (let i = 0; i < chompStart; ++i) {
    const [indent, content] = lines[i];
    if (content === "" || content === "\r") {
      if (header.indent === 0 && indent.length > trimIndent) trimIndent = indent.length;
    } else {
      if (indent.length < trimIndent) {
        const message = "Block scalars with more-indented leading empty lines must use an explicit indentation indicator";
        onError(offset + indent.length, "MISSING_CHAR", message);
      }
      if (header.indent === 0) trimIndent = indent.length;
      contentStart = i;
      if (trimIndent === 0 && !ctx.atRoot) {
        const message = "Block scalar values in collections must be indented";
        onError(offset, "BAD_INDENT", message);
      }
      break;
    }
    offset += indent.length + content.length + 1;
  }
  for (let i = lines.length - 1; i >= chompStart; --i) {
    if (lines[i][0].length > trimIndent) chompStart = i + 1;
  }
  let value = "";
  let sep = "";
  let prevMoreIndented = false;
  for (let i = 0; i < contentStart; ++i) value += lines[i][0].slice(trimIndent) + "\n";
  for (let i = contentStart; i < chompStart; ++i) {
    let [indent, content] = lines[i];
    offset += indent.length + content.length + 1;
    const crlf = content[content.length - 1] === "\r";
    if (crlf) content = content.slice(0, -1);
    if (content && indent.length < trimIndent) {
      const src = header.indent ? "explicit indentation indicator" : "first line";
      const message = `Block scalar lines must not be less indented than their ${src}`;
      onError(offset - content.length - (crlf ? 2 : 1), "BAD_INDENT", message);
      indent = "";
    }
    if (type === Scalar.BLOCK_LITERAL) {
      value += sep + indent.slice(trimIndent) + content;
      sep = "\n";
    } else if (indent.length > trimIndent || content[0] === "	") {
      if (sep === " ") sep = "\n";
      else if (!prevMoreIndented && sep === "\n") sep = "\n\n";
      value += sep + indent.slice(trimIndent) + content;
      sep = "\n";
      prevMoreIndented = true;
    } else if (content === "") {
      if (sep === "\n") value += "\n";
      else sep = "\n";
    } else {
      value += sep + content;
      sep = " ";
      prevMoreIndented = false;
    }
  }
  switch (header.chomp) {
    case "-":
      break;
    case "+":
      for (let i = chompStart; i < lines.length; ++i) value += "\n" + lines[i][0].slice(trimIndent);
      if (value[value.length - 1] !== "\n") value += "\n";
      break;
    default:
      value += "\n";
  }
  const end = start2 + header.length + scalar.source.length;
  return {
    value,
    type,
    comment: header.comment,
    range: [
      start2,
      end,
      end
    ]
  };
}
function parseBlockScalarHeader({ offset, props }, strict, onError) {
  if (props[0].type !== "block-scalar-header") {
    onError(props[0], "IMPOSSIBLE", "Block scalar header not found");
    return null;
  }
  const { source } = props[0];
  const mode = source[0];
  let indent = 0;
  let chomp = "";
  let error = -1;
  for (let i = 1; i < source.length; ++i) {
    const ch = source[i];
    if (!chomp && (ch === "-" || ch === "+")) chomp = ch;
    else {
      const n = Number(ch);
      if (!indent && n) indent = n;
      else if (error === -1) error = offset + i;
    }
  }
  if (error !== -1) onError(error, "UNEXPECTED_TOKEN", `Block scalar header includes extra characters: ${source}`);
  let hasSpace = false;
  let comment = "";
  let length = source.length;
  for (let i = 1; i < props.length; ++i) {
    const token = props[i];
    switch (token.type) {
      case "space":
        hasSpace = true;
      // fallthrough
      case "newline":
        length += token.source.length;
        break;
      case "comment":
        if (strict && !hasSpace) {
          const message = "Comments must be separated from other tokens by white space characters";
          onError(token, "MISSING_CHAR", message);
        }
        length += token.source.length;
        comment = token.source.substring(1);
        break;
      case "error":
        onError(token, "UNEXPECTED_TOKEN", token.message);
        length += token.source.length;
        break;
      /* istanbul ignore next should not happen */
      default: {
        const message = `Unexpected token in block scalar header: ${token.type}`;
        onError(token, "UNEXPECTED_TOKEN", message);
        const ts = token.source;
        if (ts && typeof ts === "string") length += ts.length;
      }
    }
  }
  return {
    mode,
    indent,
    chomp,
    comment,
    length
  };
}
function splitLines(source) {
  const split = source.split(/\n( *)/);
  const first = split[0];
  const m = first.match(/^( *)/);
  const line0 = m?.[1] ? [
    m[1],
    first.slice(m[1].length)
  ] : [
    "",
    first
  ];
  const lines = [
    line0
  ];
  for (let i = 1; i < split.length; i += 2) lines.push([
    split[i],
    split[i + 1]
  ]);
  return lines;
}
function resolveFlowScalar(scalar, strict, onError) {
  const { offset, type, source, end } = scalar;
  let _type;
  let value;
  const _onError = (rel, code, msg) => onError(offset + rel, code, msg);
  switch (type) {
    case "scalar":
      _type = Scalar.PLAIN;
      value = plainValue(source, _onError);
      break;
    case "single-quoted-scalar":
      _type = Scalar.QUOTE_SINGLE;
      value = singleQuotedValue(source, _onError);
      break;
    case "double-quoted-scalar":
      _type = Scalar.QUOTE_DOUBLE;
      value = doubleQuotedValue(source, _onError);
      break;
    /* istanbul ignore next should not happen */
    default:
      onError(scalar, "UNEXPECTED_TOKEN", `Expected a flow scalar value, but found: ${type}`);
      return {
        value: "",
        type: null,
        comment: "",
        range: [
          offset,
          offset + source.length,
          offset + source.length
        ]
      };
  }
  const valueEnd = offset + source.length;
  const re = resolveEnd(end, valueEnd, strict, onError);
  return {
    value,
    type: _type,
    comment: re.comment,
    range: [
      offset,
      valueEnd,
      re.offset
    ]
  };
}
function plainValue(source, onError) {
  let badChar = "";
  switch (source[0]) {
    /* istanbul ignore next should not happen */
    case "	":
      badChar = "a tab character";
      break;
    case ",":
      badChar = "flow indicator character ,";
      break;
    case "%":
      badChar = "directive indicator character %";
      break;
    case "|":
    case ">": {
      badChar = `block scalar indicator ${source[0]}`;
      break;
    }
    case "@":
    case "`": {
      badChar = `reserved character ${source[0]}`;
      break;
    }
  }
  if (badChar) onError(0, "BAD_SCALAR_START", `Plain value cannot start with ${badChar}`);
  return unfoldLines(source);
}
function singleQuotedValue(source, onError) {
  if (source[source.length - 1] !== "'" || source.length === 1) onError(source.length, "MISSING_CHAR", "Missing closing 'quote");
  return unfoldLines(source.slice(1, -1)).replace(/''/g, "'");
}
function unfoldLines(source) {
  const line = /(.*?)\r?\n/sy;
  let match = line.exec(source);
  if (!match) return source;
  let trimEnd, trimBoth;
  try {
    trimEnd = new RegExp("(?<![ 	])[ 	]+$");
    trimBoth = new RegExp("^[ 	]+|(?<![ 	])[ 	]+$", "g");
  } catch {
    trimEnd = /[ \t]+$/;
    trimBoth = /^[ \t]+|[ \t]+$/g;
  }
  let res = match[1].replace(trimEnd, "");
  let sep = " ";
  let pos = line.lastIndex;
  while (match = line.exec(source)) {
    const lm = match[1].replace(trimBoth, "");
    if (lm === "") {
      if (sep === "\n") res += sep;
      else sep = "\n";
    } else {
      res += sep + lm;
      sep = " ";
    }
    pos = line.lastIndex;
  }
  const last = /[ \t]*(.*)/sy;
  last.lastIndex = pos;
  match = last.exec(source);
  return res + sep + (match?.[1] ?? "");
}
function doubleQuotedValue(source, onError) {
  let res = "";
  for (let i = 1; i < source.length - 1; ++i) {
    const ch = source[i];
    if (ch === "\r" && source[i + 1] === "\n") continue;
    if (ch === "\n") {
      const { fold, offset } = foldNewline(source, i);
      res += fold;
      i = offset;
    } else if (ch === "\\") {
      let next = source[++i];
      const cc = escapeCodes[next];
      if (cc) res += cc;
      else if (next === "\n") {
        next = source[i + 1];
        while (next === " " || next === "	") next = source[++i + 1];
      } else if (next === "\r" && source[i + 1] === "\n") {
        next = source[++i + 1];
        while (next === " " || next === "	") next = source[++i + 1];
      } else if (next === "x" || next === "u" || next === "U") {
        const length = next === "x" ? 2 : next === "u" ? 4 : 8;
        res += parseCharCode(source, i + 1, length, onError);
        i += length;
      } else {
        const raw = source.substr(i - 1, 2);
        onError(i - 1, "BAD_DQ_ESCAPE", `Invalid escape sequence ${raw}`);
        res += raw;
      }
    } else if (ch === " " || ch === "	") {
      const wsStart = i;
      let next = source[i + 1];
      while (next === " " || next === "	") next = source[++i + 1];
      if (next !== "\n" && !(next === "\r" && source[i + 2] === "\n")) res += i > wsStart ? source.slice(wsStart, i + 1) : ch;
    } else {
      res += ch;
    }
  }
  if (source[source.length - 1] !== '"' || source.length === 1) onError(source.length, "MISSING_CHAR", 'Missing closing "quote');
  return res;
}
function foldNewline(source, offset) {
  let fold = "";
  let ch = source[offset + 1];
  while (ch === " " || ch === "	" || ch === "\n" || ch === "\r") {
    if (ch === "\r" && source[offset + 2] !== "\n") break;
    if (ch === "\n") fold += "\n";
    offset += 1;
    ch = source[offset + 1];
  }
  if (!fold) fold = " ";
  return {
    fold,
    offset
  };
}
var escapeCodes = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  e: "\x1B",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "	",
  v: "\v",
  N: "\x85",
  _: "\xA0",
  L: "\u2028",
  P: "\u2029",
  " ": " ",
  '"': '"',
  "/": "/",
  "\\": "\\",
  "	": "	"
};
function parseCharCode(source, offset, length, onError) {
  const cc = source.substr(offset, length);
  const ok = cc.length === length && /^[0-9a-fA-F]+$/.test(cc);
  const code = ok ? parseInt(cc, 16) : NaN;
  try {
    return String.fromCodePoint(code);
  } catch {
    const raw = source.substr(offset - 2, length + 2);
    onError(offset - 2, "BAD_DQ_ESCAPE", `Invalid escape sequence ${raw}`);
    return raw;
  }
}
function composeScalar(ctx, token, tagToken, onError) {
  const { value, type, comment, range } = token.type === "block-scalar" ? resolveBlockScalar(ctx, token, onError) : resolveFlowScalar(token, ctx.options.strict, onError);
  const tagName = tagToken ? ctx.directives.tagName(tagToken.source, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg)) : null;
  let tag;
  if (ctx.options.stringKeys && ctx.atKey) {
    tag = ctx.schema[SCALAR];
  } else if (tagName) tag = findScalarTagByName(ctx.schema, value, tagName, tagToken, onError);
  else if (token.type === "scalar") tag = findScalarTagByTest(ctx, value, token, onError);
  else tag = ctx.schema[SCALAR];
  let scalar;
  try {
    const res = tag.resolve(value, (msg) => onError(tagToken ?? token, "TAG_RESOLVE_FAILED", msg), ctx.options);
    scalar = isScalar(res) ? res : new Scalar(res);
  } catch (error) {
    const msg = error instanceof Error ? error.message : String(error);
    onError(tagToken ?? token, "TAG_RESOLVE_FAILED", msg);
    scalar = new Scalar(value);
  }
  scalar.range = range;
  scalar.source = value;
  if (type) scalar.type = type;
  if (tagName) scalar.tag = tagName;
  if (tag.format) scalar.format = tag.format;
  if (comment) scalar.comment = comment;
  return scalar;
}
function findScalarTagByName(schema4, value, tagName, tagToken, onError) {
  if (tagName === "!") return schema4[SCALAR];
  const matchWithTest = [];
  for (const tag of schema4.tags) {
    if (!tag.collection && tag.tag === tagName) {
      if (tag.default && tag.test) matchWithTest.push(tag);
      else return tag;
    }
  }
  for (const tag of matchWithTest) if (tag.test?.test(value)) return tag;
  const kt = schema4.knownTags[tagName];
  if (kt && !kt.collection) {
    schema4.tags.push(Object.assign({}, kt, {
      default: false,
      test: void 0
    }));
    return kt;
  }
  onError(tagToken, "TAG_RESOLVE_FAILED", `Unresolved tag: ${tagName}`, tagName !== "tag:yaml.org,2002:str");
  return schema4[SCALAR];
}
function findScalarTagByTest({ atKey, directives, schema: schema4 }, value, token, onError) {
  const tag = schema4.tags.find((tag2) => (tag2.default === true || atKey && tag2.default === "key") && tag2.test?.test(value)) || schema4[SCALAR];
  if (schema4.compat) {
    const compat = schema4.compat.find((tag2) => tag2.default && tag2.test?.test(value)) ?? schema4[SCALAR];
    if (tag.tag !== compat.tag) {
      const ts = directives.tagString(tag.tag);
      const cs = directives.tagString(compat.tag);
      const msg = `Value may be parsed as either ${ts} or ${cs}`;
      onError(token, "TAG_RESOLVE_FAILED", msg, true);
    }
  }
  return tag;
}
function emptyScalarPosition(offset, before, pos) {
  if (before) {
    pos ?? (pos = before.length);
    for (let i = pos - 1; i >= 0; --i) {
      let st = before[i];
      switch (st.type) {
        case "space":
        case "comment":
        case "newline":
          offset -= st.source.length;
          continue;
      }
      st = before[++i];
      while (st?.type === "space") {
        offset += st.source.length;
        st = before[++i];
      }
      break;
    }
  }
  return offset;
}
var CN = {
  composeNode,
  composeEmptyNode
};
function composeNode(ctx, token, props, onError) {
  const atKey = ctx.atKey;
  const { spaceBefore, comment, anchor, tag } = props;
  let node;
  let isSrcToken = true;
  switch (token.type) {
    case "alias":
      node = composeAlias(ctx, token, onError);
      if (anchor || tag) onError(token, "ALIAS_PROPS", "An alias node must not specify any properties");
      break;
    case "scalar":
    case "single-quoted-scalar":
    case "double-quoted-scalar":
    case "block-scalar":
      node = composeScalar(ctx, token, tag, onError);
      if (anchor) node.anchor = anchor.source.substring(1);
      break;
    case "block-map":
    case "block-seq":
    case "flow-collection":
      try {
        node = composeCollection(CN, ctx, token, props, onError);
        if (anchor) node.anchor = anchor.source.substring(1);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        onError(token, "RESOURCE_EXHAUSTION", message);
      }
      break;
    default: {
      const message = token.type === "error" ? token.message : `Unsupported token (type: ${token.type})`;
      onError(token, "UNEXPECTED_TOKEN", message);
      isSrcToken = false;
    }
  }
  node ?? (node = composeEmptyNode(ctx, token.offset, void 0, null, props, onError));
  if (anchor && node.anchor === "") onError(anchor, "BAD_ALIAS", "Anchor cannot be an empty string");
  if (atKey && ctx.options.stringKeys && (!isScalar(node) || typeof node.value !== "string" || node.tag && node.tag !== "tag:yaml.org,2002:str")) {
    const msg = "With stringKeys, all keys must be strings";
    onError(tag ?? token, "NON_STRING_KEY", msg);
  }
  if (spaceBefore) node.spaceBefore = true;
  if (comment) {
    if (token.type === "scalar" && token.source === "") node.comment = comment;
    else node.commentBefore = comment;
  }
  if (ctx.options.keepSourceTokens && isSrcToken) node.srcToken = token;
  return node;
}
function composeEmptyNode(ctx, offset, before, pos, { spaceBefore, comment, anchor, tag, end }, onError) {
  const token = {
    type: "scalar",
    offset: emptyScalarPosition(offset, before, pos),
    indent: -1,
    source: ""
  };
  const node = composeScalar(ctx, token, tag, onError);
  if (anchor) {
    node.anchor = anchor.source.substring(1);
    if (node.anchor === "") onError(anchor, "BAD_ALIAS", "Anchor cannot be an empty string");
  }
  if (spaceBefore) node.spaceBefore = true;
  if (comment) {
    node.comment = comment;
    node.range[2] = end;
  }
  return node;
}
function composeAlias({ options }, { offset, source, end }, onError) {
  const alias = new Alias(source.substring(1));
  if (alias.source === "") onError(offset, "BAD_ALIAS", "Alias cannot be an empty string");
  if (alias.source.endsWith(":")) onError(offset + source.length - 1, "BAD_ALIAS", "Alias ending in : is ambiguous", true);
  const valueEnd = offset + source.length;
  const re = resolveEnd(end, valueEnd, options.strict, onError);
  alias.range = [
    offset,
    valueEnd,
    re.offset
  ];
  if (re.comment) alias.comment = re.comment;
  return alias;
}
function composeDoc(options, directives, { offset, start: start2, value, end }, onError) {
  const opts = Object.assign({
    _directives: directives
  }, options);
  const doc = new Document(void 0, opts);
  const ctx = {
    atKey: false,
    atRoot: true,
    directives: doc.directives,
    options: doc.options,
    schema: doc.schema
  };
  const props = resolveProps(start2, {
    indicator: "doc-start",
    next: value ?? end?.[0],
    offset,
    onError,
    parentIndent: 0,
    startOnNewline: true
  });
  if (props.found) {
    doc.directives.docStart = true;
    if (value && (value.type === "block-map" || value.type === "block-seq") && !props.hasNewline) onError(props.end, "MISSING_CHAR", "Block collection cannot start on same line with directives-end marker");
  }
  doc.contents = value ? composeNode(ctx, value, props, onError) : composeEmptyNode(ctx, props.end, start2, null, props, onError);
  const contentEnd = doc.contents.range[2];
  const re = resolveEnd(end, contentEnd, false, onError);
  if (re.comment) doc.comment = re.comment;
  doc.range = [
    offset,
    contentEnd,
    re.offset
  ];
  return doc;
}
function getErrorPos(src) {
  if (typeof src === "number") return [
    src,
    src + 1
  ];
  if (Array.isArray(src)) return src.length === 2 ? src : [
    src[0],
    src[1]
  ];
  const { offset, source } = src;
  return [
    offset,
    offset + (typeof source === "string" ? source.length : 1)
  ];
}
function parsePrelude(prelude) {
  let comment = "";
  let atComment = false;
  let afterEmptyLine = false;
  for (let i = 0; i < prelude.length; ++i) {
    const source = prelude[i];
    switch (source[0]) {
      case "#":
        comment += (comment === "" ? "" : afterEmptyLine ? "\n\n" : "\n") + (source.substring(1) || " ");
        atComment = true;
        afterEmptyLine = false;
        break;
      case "%":
        if (prelude[i + 1]?.[0] !== "#") i += 1;
        atComment = false;
        break;
      default:
        if (!atComment) afterEmptyLine = true;
        atComment = false;
    }
  }
  return {
    comment,
    afterEmptyLine
  };
}
var Composer = class {
  constructor(options = {}) {
    this.doc = null;
    this.atDirectives = false;
    this.prelude = [];
    this.errors = [];
    this.warnings = [];
    this.onError = (source, code, message, warning) => {
      const pos = getErrorPos(source);
      if (warning) this.warnings.push(new YAMLWarning(pos, code, message));
      else this.errors.push(new YAMLParseError(pos, code, message));
    };
    this.directives = new Directives({
      version: options.version || "1.2"
    });
    this.options = options;
  }
  decorate(doc, afterDoc) {
    const { comment, afterEmptyLine } = parsePrelude(this.prelude);
    if (comment) {
      const dc = doc.contents;
      if (afterDoc) {
        doc.comment = doc.comment ? `${doc.comment}
${comment}` : comment;
      } else if (afterEmptyLine || doc.directives.docStart || !dc) {
        doc.commentBefore = comment;
      } else if (isCollection(dc) && !dc.flow && dc.items.length > 0) {
        let it = dc.items[0];
        if (isPair(it)) it = it.key;
        const cb = it.commentBefore;
        it.commentBefore = cb ? `${comment}
${cb}` : comment;
      } else {
        const cb = dc.commentBefore;
        dc.commentBefore = cb ? `${comment}
${cb}` : comment;
      }
    }
    if (afterDoc) {
      for (let i = 0; i < this.errors.length; ++i) doc.errors.push(this.errors[i]);
      for (let i = 0; i < this.warnings.length; ++i) doc.warnings.push(this.warnings[i]);
    } else {
      doc.errors = this.errors;
      doc.warnings = this.warnings;
    }
    this.prelude = [];
    this.errors = [];
    this.warnings = [];
  }
  /**
     * Current stream status information.
     *
     * Mostly useful at the end of input for an empty stream.
     */
  streamInfo() {
    return {
      comment: parsePrelude(this.prelude).comment,
      directives: this.directives,
      errors: this.errors,
      warnings: this.warnings
    };
  }
  /**
     * Compose tokens into documents.
     *
     * @param forceDoc - If the stream contains no document, still emit a final document including any comments and directives that would be applied to a subsequent document.
     * @param endOffset - Should be set if `forceDoc` is also set, to set the document range end and to indicate errors correctly.
     */
  *compose(tokens, forceDoc = false, endOffset = -1) {
    for (const token of tokens) yield* this.next(token);
    yield* this.end(forceDoc, endOffset);
  }
  /** Advance the composer by one CST token. */
  *next(token) {
    switch (token.type) {
      case "directive":
        this.directives.add(token.source, (offset, message, warning) => {
          const pos = getErrorPos(token);
          pos[0] += offset;
          this.onError(pos, "BAD_DIRECTIVE", message, warning);
        });
        this.prelude.push(token.source);
        this.atDirectives = true;
        break;
      case "document": {
        const doc = composeDoc(this.options, this.directives, token, this.onError);
        if (this.atDirectives && !doc.directives.docStart) this.onError(token, "MISSING_CHAR", "Missing directives-end/doc-start indicator line");
        this.decorate(doc, false);
        if (this.doc) yield this.doc;
        this.doc = doc;
        this.atDirectives = false;
        break;
      }
      case "byte-order-mark":
      case "space":
        break;
      case "comment":
      case "newline":
        this.prelude.push(token.source);
        break;
      case "error": {
        const msg = token.source ? `${token.message}: ${JSON.stringify(token.source)}` : token.message;
        const error = new YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", msg);
        if (this.atDirectives || !this.doc) this.errors.push(error);
        else this.doc.errors.push(error);
        break;
      }
      case "doc-end": {
        if (!this.doc) {
          const msg = "Unexpected doc-end without preceding document";
          this.errors.push(new YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", msg));
          break;
        }
        this.doc.directives.docEnd = true;
        const end = resolveEnd(token.end, token.offset + token.source.length, this.doc.options.strict, this.onError);
        this.decorate(this.doc, true);
        if (end.comment) {
          const dc = this.doc.comment;
          this.doc.comment = dc ? `${dc}
${end.comment}` : end.comment;
        }
        this.doc.range[2] = end.offset;
        break;
      }
      default:
        this.errors.push(new YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", `Unsupported token ${token.type}`));
    }
  }
  /**
     * Call at end of input to yield any remaining document.
     *
     * @param forceDoc - If the stream contains no document, still emit a final document including any comments and directives that would be applied to a subsequent document.
     * @param endOffset - Should be set if `forceDoc` is also set, to set the document range end and to indicate errors correctly.
     */
  *end(forceDoc = false, endOffset = -1) {
    if (this.doc) {
      this.decorate(this.doc, true);
      yield this.doc;
      this.doc = null;
    } else if (forceDoc) {
      const opts = Object.assign({
        _directives: this.directives
      }, this.options);
      const doc = new Document(void 0, opts);
      if (this.atDirectives) this.onError(endOffset, "MISSING_CHAR", "Missing directives-end indicator line");
      doc.range = [
        0,
        endOffset,
        endOffset
      ];
      this.decorate(doc, false);
      yield doc;
    }
  }
};
var cst_exports = {};
__export(cst_exports, {
  BOM: () => BOM,
  DOCUMENT: () => DOCUMENT,
  FLOW_END: () => FLOW_END,
  SCALAR: () => SCALAR2,
  createScalarToken: () => createScalarToken,
  isCollection: () => isCollection2,
  isScalar: () => isScalar2,
  prettyToken: () => prettyToken,
  resolveAsScalar: () => resolveAsScalar,
  setScalarValue: () => setScalarValue,
  stringify: () => stringify2,
  tokenType: () => tokenType,
  visit: () => visit2
});
function resolveAsScalar(token, strict = true, onError) {
  if (token) {
    const _onError = (pos, code, message) => {
      const offset = typeof pos === "number" ? pos : Array.isArray(pos) ? pos[0] : pos.offset;
      if (onError) onError(offset, code, message);
      else throw new YAMLParseError([
        offset,
        offset + 1
      ], code, message);
    };
    switch (token.type) {
      case "scalar":
      case "single-quoted-scalar":
      case "double-quoted-scalar":
        return resolveFlowScalar(token, strict, _onError);
      case "block-scalar":
        return resolveBlockScalar({
          options: {
            strict
          }
        }, token, _onError);
    }
  }
  return null;
}
function createScalarToken(value, context) {
  const { implicitKey = false, indent, inFlow = false, offset = -1, type = "PLAIN" } = context;
  const source = stringifyString({
    type,
    value
  }, {
    implicitKey,
    indent: indent > 0 ? " ".repeat(indent) : "",
    inFlow,
    options: {
      blockQuote: true,
      lineWidth: -1
    }
  });
  const end = context.end ?? [
    {
      type: "newline",
      offset: -1,
      indent,
      source: "\n"
    }
  ];
  switch (source[0]) {
    case "|":
    case ">": {
      const he = source.indexOf("\n");
      const head = source.substring(0, he);
      const body = source.substring(he + 1) + "\n";
      const props = [
        {
          type: "block-scalar-header",
          offset,
          indent,
          source: head
        }
      ];
      if (!addEndtoBlockProps(props, end)) props.push({
        type: "newline",
        offset: -1,
        indent,
        source: "\n"
      });
      return {
        type: "block-scalar",
        offset,
        indent,
        props,
        source: body
      };
    }
    case '"':
      return {
        type: "double-quoted-scalar",
        offset,
        indent,
        source,
        end
      };
    case "'":
      return {
        type: "single-quoted-scalar",
        offset,
        indent,
        source,
        end
      };
    default:
      return {
        type: "scalar",
        offset,
        indent,
        source,
        end
      };
  }
}
function setScalarValue(token, value, context = {}) {
  let { afterKey = false, implicitKey = false, inFlow = false, type } = context;
  let indent = "indent" in token ? token.indent : null;
  if (afterKey && typeof indent === "number") indent += 2;
  if (!type) switch (token.type) {
    case "single-quoted-scalar":
      type = "QUOTE_SINGLE";
      break;
    case "double-quoted-scalar":
      type = "QUOTE_DOUBLE";
      break;
    case "block-scalar": {
      const header = token.props[0];
      if (header.type !== "block-scalar-header") throw new Error("Invalid block scalar header");
      type = header.source[0] === ">" ? "BLOCK_FOLDED" : "BLOCK_LITERAL";
      break;
    }
    default:
      type = "PLAIN";
  }
  const source = stringifyString({
    type,
    value
  }, {
    implicitKey: implicitKey || indent === null,
    indent: indent !== null && indent > 0 ? " ".repeat(indent) : "",
    inFlow,
    options: {
      blockQuote: true,
      lineWidth: -1
    }
  });
  switch (source[0]) {
    case "|":
    case ">":
      setBlockScalarValue(token, source);
      break;
    case '"':
      setFlowScalarValue(token, source, "double-quoted-scalar");
      break;
    case "'":
      setFlowScalarValue(token, source, "single-quoted-scalar");
      break;
    default:
      setFlowScalarValue(token, source, "scalar");
  }
}
function setBlockScalarValue(token, source) {
  const he = source.indexOf("\n");
  const head = source.substring(0, he);
  const body = source.substring(he + 1) + "\n";
  if (token.type === "block-scalar") {
    const header = token.props[0];
    if (header.type !== "block-scalar-header") throw new Error("Invalid block scalar header");
    header.source = head;
    token.source = body;
  } else {
    const { offset } = token;
    const indent = "indent" in token ? token.indent : -1;
    const props = [
      {
        type: "block-scalar-header",
        offset,
        indent,
        source: head
      }
    ];
    if (!addEndtoBlockProps(props, "end" in token ? token.end : void 0)) props.push({
      type: "newline",
      offset: -1,
      indent,
      source: "\n"
    });
    for (const key of Object.keys(token)) if (key !== "type" && key !== "offset") delete token[key];
    Object.assign(token, {
      type: "block-scalar",
      indent,
      props,
      source: body
    });
  }
}
function addEndtoBlockProps(props, end) {
  if (end) for (const st of end) switch (st.type) {
    case "space":
    case "comment":
      props.push(st);
      break;
    case "newline":
      props.push(st);
      return true;
  }
  return false;
}
function setFlowScalarValue(token, source, type) {
  switch (token.type) {
    case "scalar":
    case "double-quoted-scalar":
    case "single-quoted-scalar":
      token.type = type;
      token.source = source;
      break;
    case "block-scalar": {
      const end = token.props.slice(1);
      let oa = source.length;
      if (token.props[0].type === "block-scalar-header") oa -= token.props[0].source.length;
      for (const tok of end) tok.offset += oa;
      delete token.props;
      Object.assign(token, {
        type,
        source,
        end
      });
      break;
    }
    case "block-map":
    case "block-seq": {
      const offset = token.offset + source.length;
      const nl = {
        type: "newline",
        offset,
        indent: token.indent,
        source: "\n"
      };
      delete token.items;
      Object.assign(token, {
        type,
        source,
        end: [
          nl
        ]
      });
      break;
    }
    default: {
      const indent = "indent" in token ? token.indent : -1;
      const end = "end" in token && Array.isArray(token.end) ? token.end.filter((st) => st.type === "space" || st.type === "comment" || st.type === "newline") : [];
      for (const key of Object.keys(token)) if (key !== "type" && key !== "offset") delete token[key];
      Object.assign(token, {
        type,
        indent,
        source,
        end
      });
    }
  }
}
var stringify2 = (cst) => "type" in cst ? stringifyToken(cst) : stringifyItem(cst);
function stringifyToken(token) {
  switch (token.type) {
    case "block-scalar": {
      let res = "";
      for (const tok of token.props) res += stringifyToken(tok);
      return res + token.source;
    }
    case "block-map":
    case "block-seq": {
      let res = "";
      for (const item of token.items) res += stringifyItem(item);
      return res;
    }
    case "flow-collection": {
      let res = token.start.source;
      for (const item of token.items) res += stringifyItem(item);
      for (const st of token.end) res += st.source;
      return res;
    }
    case "document": {
      let res = stringifyItem(token);
      if (token.end) for (const st of token.end) res += st.source;
      return res;
    }
    default: {
      let res = token.source;
      if ("end" in token && token.end) for (const st of token.end) res += st.source;
      return res;
    }
  }
}
function stringifyItem({ start: start2, key, sep, value }) {
  let res = "";
  for (const st of start2) res += st.source;
  if (key) res += stringifyToken(key);
  if (sep) for (const st of sep) res += st.source;
  if (value) res += stringifyToken(value);
  return res;
}
var BREAK2 = Symbol("break visit");
var SKIP2 = Symbol("skip children");
var REMOVE2 = Symbol("remove item");
function visit2(cst, visitor) {
  if ("type" in cst && cst.type === "document") cst = {
    start: cst.start,
    value: cst.value
  };
  _visit(Object.freeze([]), cst, visitor);
}
visit2.BREAK = BREAK2;
visit2.SKIP = SKIP2;
visit2.REMOVE = REMOVE2;
visit2.itemAtPath = (cst, path) => {
  let item = cst;
  for (const [field, index] of path) {
    const tok = item?.[field];
    if (tok && "items" in tok) {
      item = tok.items[index];
    } else return void 0;
  }
  return item;
};
visit2.parentCollection = (cst, path) => {
  const parent = visit2.itemAtPath(cst, path.slice(0, -1));
  const field = path[path.length - 1][0];
  const coll = parent?.[field];
  if (coll && "items" in coll) return coll;
  throw new Error("Parent collection not found");
};
function _visit(path, item, visitor) {
  let ctrl = visitor(item, path);
  if (typeof ctrl === "symbol") return ctrl;
  for (const field of [
    "key",
    "value"
  ]) {
    const token = item[field];
    if (token && "items" in token) {
      for (let i = 0; i < token.items.length; ++i) {
        const ci = _visit(Object.freeze(path.concat([
          [
            field,
            i
          ]
        ])), token.items[i], visitor);
        if (typeof ci === "number") i = ci - 1;
        else if (ci === BREAK2) return BREAK2;
        else if (ci === REMOVE2) {
          token.items.splice(i, 1);
          i -= 1;
        }
      }
      if (typeof ctrl === "function" && field === "key") ctrl = ctrl(item, path);
    }
  }
  return typeof ctrl === "function" ? ctrl(item, path) : ctrl;
}
var BOM = "\uFEFF";
var DOCUMENT = "";
var FLOW_END = "";
var SCALAR2 = "";
var isCollection2 = (token) => !!token && "items" in token;
var isScalar2 = (token) => !!token && (token.type === "scalar" || token.type === "single-quoted-scalar" || token.type === "double-quoted-scalar" || token.type === "block-scalar");
function prettyToken(token) {
  switch (token) {
    case BOM:
      return "<BOM>";
    case DOCUMENT:
      return "<DOC>";
    case FLOW_END:
      return "<FLOW_END>";
    case SCALAR2:
      return "<SCALAR>";
    default:
      return JSON.stringify(token);
  }
}
function tokenType(source) {
  switch (source) {
    case BOM:
      return "byte-order-mark";
    case DOCUMENT:
      return "doc-mode";
    case FLOW_END:
      return "flow-error-end";
    case SCALAR2:
      return "scalar";
    case "---":
      return "doc-start";
    case "...":
      return "doc-end";
    case "":
    case "\n":
    case "\r\n":
      return "newline";
    case "-":
      return "seq-item-ind";
    case "?":
      return "explicit-key-ind";
    case ":":
      return "map-value-ind";
    case "{":
      return "flow-map-start";
    case "}":
      return "flow-map-end";
    case "[":
      return "flow-seq-start";
    case "]":
      return "flow-seq-end";
    case ",":
      return "comma";
  }
  switch (source[0]) {
    case " ":
    case "	":
      return "space";
    case "#":
      return "comment";
    case "%":
      return "directive-line";
    case "*":
      return "alias";
    case "&":
      return "anchor";
    case "!":
      return "tag";
    case "'":
      return "single-quoted-scalar";
    case '"':
      return "double-quoted-scalar";
    case "|":
    case ">":
      return "block-scalar-header";
  }
  return null;
}
function isEmpty(ch) {
  switch (ch) {
    case void 0:
    case " ":
    case "\n":
    case "\r":
    case "	":
      return true;
    default:
      return false;
  }
}
var hexDigits = new Set("0123456789ABCDEFabcdef");
var tagChars = new Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-#;/?:@&=+$_.!~*'()");
var flowIndicatorChars = new Set(",[]{}");
var invalidAnchorChars = new Set(" ,[]{}\n\r	");
var isNotAnchorChar = (ch) => !ch || invalidAnchorChars.has(ch);
var Lexer = class {
  constructor() {
    this.atEnd = false;
    this.blockScalarIndent = -1;
    this.blockScalarKeep = false;
    this.buffer = "";
    this.flowKey = false;
    this.flowLevel = 0;
    this.indentNext = 0;
    this.indentValue = 0;
    this.lineEndPos = null;
    this.next = null;
    this.pos = 0;
  }
  /**
     * Generate YAML tokens from the `source` string. If `incomplete`,
     * a part of the last line may be left as a buffer for the next call.
     *
     * @returns A generator of lexical tokens
     */
  *lex(source, incomplete = false) {
    if (source) {
      if (typeof source !== "string") throw TypeError("source is not a string");
      this.buffer = this.buffer ? this.buffer + source : source;
      this.lineEndPos = null;
    }
    this.atEnd = !incomplete;
    let next = this.next ?? "stream";
    while (next && (incomplete || this.hasChars(1))) next = yield* this.parseNext(next);
  }
  atLineEnd() {
    let i = this.pos;
    let ch = this.buffer[i];
    while (ch === " " || ch === "	") ch = this.buffer[++i];
    if (!ch || ch === "#" || ch === "\n") return true;
    if (ch === "\r") return this.buffer[i + 1] === "\n";
    return false;
  }
  charAt(n) {
    return this.buffer[this.pos + n];
  }
  continueScalar(offset) {
    let ch = this.buffer[offset];
    if (this.indentNext > 0) {
      let indent = 0;
      while (ch === " ") ch = this.buffer[++indent + offset];
      if (ch === "\r") {
        const next = this.buffer[indent + offset + 1];
        if (next === "\n" || !next && !this.atEnd) return offset + indent + 1;
      }
      return ch === "\n" || indent >= this.indentNext || !ch && !this.atEnd ? offset + indent : -1;
    }
    if (ch === "-" || ch === ".") {
      const dt = this.buffer.substr(offset, 3);
      if ((dt === "---" || dt === "...") && isEmpty(this.buffer[offset + 3])) return -1;
    }
    return offset;
  }
  getLine() {
    let end = this.lineEndPos;
    if (typeof end !== "number" || end !== -1 && end < this.pos) {
      end = this.buffer.indexOf("\n", this.pos);
      this.lineEndPos = end;
    }
    if (end === -1) return this.atEnd ? this.buffer.substring(this.pos) : null;
    if (this.buffer[end - 1] === "\r") end -= 1;
    return this.buffer.substring(this.pos, end);
  }
  hasChars(n) {
    return this.pos + n <= this.buffer.length;
  }
  setNext(state) {
    this.buffer = this.buffer.substring(this.pos);
    this.pos = 0;
    this.lineEndPos = null;
    this.next = state;
    return null;
  }
  peek(n) {
    return this.buffer.substr(this.pos, n);
  }
  *parseNext(next) {
    switch (next) {
      case "stream":
        return yield* this.parseStream();
      case "line-start":
        return yield* this.parseLineStart();
      case "block-start":
        return yield* this.parseBlockStart();
      case "doc":
        return yield* this.parseDocument();
      case "flow":
        return yield* this.parseFlowCollection();
      case "quoted-scalar":
        return yield* this.parseQuotedScalar();
      case "block-scalar":
        return yield* this.parseBlockScalar();
      case "plain-scalar":
        return yield* this.parsePlainScalar();
    }
  }
  *parseStream() {
    let line = this.getLine();
    if (line === null) return this.setNext("stream");
    if (line[0] === BOM) {
      yield* this.pushCount(1);
      line = line.substring(1);
    }
    if (line[0] === "%") {
      let dirEnd = line.length;
      let cs = line.indexOf("#");
      while (cs !== -1) {
        const ch = line[cs - 1];
        if (ch === " " || ch === "	") {
          dirEnd = cs - 1;
          break;
        } else {
          cs = line.indexOf("#", cs + 1);
        }
      }
      while (true) {
        const ch = line[dirEnd - 1];
        if (ch === " " || ch === "	") dirEnd -= 1;
        else break;
      }
      const n = (yield* this.pushCount(dirEnd)) + (yield* this.pushSpaces(true));
      yield* this.pushCount(line.length - n);
      this.pushNewline();
      return "stream";
    }
    if (this.atLineEnd()) {
      const sp = yield* this.pushSpaces(true);
      yield* this.pushCount(line.length - sp);
      yield* this.pushNewline();
      return "stream";
    }
    yield DOCUMENT;
    return yield* this.parseLineStart();
  }
  *parseLineStart() {
    const ch = this.charAt(0);
    if (!ch && !this.atEnd) return this.setNext("line-start");
    if (ch === "-" || ch === ".") {
      if (!this.atEnd && !this.hasChars(4)) return this.setNext("line-start");
      const s = this.peek(3);
      if ((s === "---" || s === "...") && isEmpty(this.charAt(3))) {
        yield* this.pushCount(3);
        this.indentValue = 0;
        this.indentNext = 0;
        return s === "---" ? "doc" : "stream";
      }
    }
    this.indentValue = yield* this.pushSpaces(false);
    if (this.indentNext > this.indentValue && !isEmpty(this.charAt(1))) this.indentNext = this.indentValue;
    return yield* this.parseBlockStart();
  }
  *parseBlockStart() {
    const [ch0, ch1] = this.peek(2);
    if (!ch1 && !this.atEnd) return this.setNext("block-start");
    if ((ch0 === "-" || ch0 === "?" || ch0 === ":") && isEmpty(ch1)) {
      const n = (yield* this.pushCount(1)) + (yield* this.pushSpaces(true));
      this.indentNext = this.indentValue + 1;
      this.indentValue += n;
      return "block-start";
    }
    return "doc";
  }
  *parseDocument() {
    yield* this.pushSpaces(true);
    const line = this.getLine();
    if (line === null) return this.setNext("doc");
    let n = yield* this.pushIndicators();
    switch (line[n]) {
      case "#":
        yield* this.pushCount(line.length - n);
      // fallthrough
      case void 0:
        yield* this.pushNewline();
        return yield* this.parseLineStart();
      case "{":
      case "[":
        yield* this.pushCount(1);
        this.flowKey = false;
        this.flowLevel = 1;
        return "flow";
      case "}":
      case "]":
        yield* this.pushCount(1);
        return "doc";
      case "*":
        yield* this.pushUntil(isNotAnchorChar);
        return "doc";
      case '"':
      case "'":
        return yield* this.parseQuotedScalar();
      case "|":
      case ">":
        n += yield* this.parseBlockScalarHeader();
        n += yield* this.pushSpaces(true);
        yield* this.pushCount(line.length - n);
        yield* this.pushNewline();
        return yield* this.parseBlockScalar();
      default:
        return yield* this.parsePlainScalar();
    }
  }
  *parseFlowCollection() {
    let nl, sp;
    let indent = -1;
    do {
      nl = yield* this.pushNewline();
      if (nl > 0) {
        sp = yield* this.pushSpaces(false);
        this.indentValue = indent = sp;
      } else {
        sp = 0;
      }
      sp += yield* this.pushSpaces(true);
    } while (nl + sp > 0);
    const line = this.getLine();
    if (line === null) return this.setNext("flow");
    if (indent !== -1 && indent < this.indentNext && line[0] !== "#" || indent === 0 && (line.startsWith("---") || line.startsWith("...")) && isEmpty(line[3])) {
      const atFlowEndMarker = indent === this.indentNext - 1 && this.flowLevel === 1 && (line[0] === "]" || line[0] === "}");
      if (!atFlowEndMarker) {
        this.flowLevel = 0;
        yield FLOW_END;
        return yield* this.parseLineStart();
      }
    }
    let n = 0;
    while (line[n] === ",") {
      n += yield* this.pushCount(1);
      n += yield* this.pushSpaces(true);
      this.flowKey = false;
    }
    n += yield* this.pushIndicators();
    switch (line[n]) {
      case void 0:
        return "flow";
      case "#":
        yield* this.pushCount(line.length - n);
        return "flow";
      case "{":
      case "[":
        yield* this.pushCount(1);
        this.flowKey = false;
        this.flowLevel += 1;
        return "flow";
      case "}":
      case "]":
        yield* this.pushCount(1);
        this.flowKey = true;
        this.flowLevel -= 1;
        return this.flowLevel ? "flow" : "doc";
      case "*":
        yield* this.pushUntil(isNotAnchorChar);
        return "flow";
      case '"':
      case "'":
        this.flowKey = true;
        return yield* this.parseQuotedScalar();
      case ":": {
        const next = this.charAt(1);
        if (this.flowKey || isEmpty(next) || next === ",") {
          this.flowKey = false;
          yield* this.pushCount(1);
          yield* this.pushSpaces(true);
          return "flow";
        }
      }
      // fallthrough
      default:
        this.flowKey = false;
        return yield* this.parsePlainScalar();
    }
  }
  *parseQuotedScalar() {
    const quote2 = this.charAt(0);
    let end = this.buffer.indexOf(quote2, this.pos + 1);
    if (quote2 === "'") {
      while (end !== -1 && this.buffer[end + 1] === "'") end = this.buffer.indexOf("'", end + 2);
    } else {
      while (end !== -1) {
        let n = 0;
        while (this.buffer[end - 1 - n] === "\\") n += 1;
        if (n % 2 === 0) break;
        end = this.buffer.indexOf('"', end + 1);
      }
    }
    const qb = this.buffer.substring(0, end);
    let nl = qb.indexOf("\n", this.pos);
    if (nl !== -1) {
      while (nl !== -1) {
        const cs = this.continueScalar(nl + 1);
        if (cs === -1) break;
        nl = qb.indexOf("\n", cs);
      }
      if (nl !== -1) {
        end = nl - (qb[nl - 1] === "\r" ? 2 : 1);
      }
    }
    if (end === -1) {
      if (!this.atEnd) return this.setNext("quoted-scalar");
      end = this.buffer.length;
    }
    yield* this.pushToIndex(end + 1, false);
    return this.flowLevel ? "flow" : "doc";
  }
  *parseBlockScalarHeader() {
    this.blockScalarIndent = -1;
    this.blockScalarKeep = false;
    let i = this.pos;
    while (true) {
      const ch = this.buffer[++i];
      if (ch === "+") this.blockScalarKeep = true;
      else if (ch > "0" && ch <= "9") this.blockScalarIndent = Number(ch) - 1;
      else if (ch !== "-") break;
    }
    return yield* this.pushUntil((ch) => isEmpty(ch) || ch === "#");
  }
  *parseBlockScalar() {
    let nl = this.pos - 1;
    let indent = 0;
    let ch;
    loop: for (let i2 = this.pos; ch = this.buffer[i2]; ++i2) {
      switch (ch) {
        case " ":
          indent += 1;
          break;
        case "\n":
          nl = i2;
          indent = 0;
          break;
        case "\r": {
          const next = this.buffer[i2 + 1];
          if (!next && !this.atEnd) return this.setNext("block-scalar");
          if (next === "\n") break;
        }
        default:
          break loop;
      }
    }
    if (!ch && !this.atEnd) return this.setNext("block-scalar");
    if (indent >= this.indentNext) {
      if (this.blockScalarIndent === -1) this.indentNext = indent;
      else {
        this.indentNext = this.blockScalarIndent + (this.indentNext === 0 ? 1 : this.indentNext);
      }
      do {
        const cs = this.continueScalar(nl + 1);
        if (cs === -1) break;
        nl = this.buffer.indexOf("\n", cs);
      } while (nl !== -1);
      if (nl === -1) {
        if (!this.atEnd) return this.setNext("block-scalar");
        nl = this.buffer.length;
      }
    }
    let i = nl + 1;
    ch = this.buffer[i];
    while (ch === " ") ch = this.buffer[++i];
    if (ch === "	") {
      while (ch === "	" || ch === " " || ch === "\r" || ch === "\n") ch = this.buffer[++i];
      nl = i - 1;
    } else if (!this.blockScalarKeep) {
      do {
        let i2 = nl - 1;
        let ch2 = this.buffer[i2];
        if (ch2 === "\r") ch2 = this.buffer[--i2];
        const lastChar = i2;
        while (ch2 === " ") ch2 = this.buffer[--i2];
        if (ch2 === "\n" && i2 >= this.pos && i2 + 1 + indent > lastChar) nl = i2;
        else break;
      } while (true);
    }
    yield SCALAR2;
    yield* this.pushToIndex(nl + 1, true);
    return yield* this.parseLineStart();
  }
  *parsePlainScalar() {
    const inFlow = this.flowLevel > 0;
    let end = this.pos - 1;
    let i = this.pos - 1;
    let ch;
    while (ch = this.buffer[++i]) {
      if (ch === ":") {
        const next = this.buffer[i + 1];
        if (isEmpty(next) || inFlow && flowIndicatorChars.has(next)) break;
        end = i;
      } else if (isEmpty(ch)) {
        let next = this.buffer[i + 1];
        if (ch === "\r") {
          if (next === "\n") {
            i += 1;
            ch = "\n";
            next = this.buffer[i + 1];
          } else end = i;
        }
        if (next === "#" || inFlow && flowIndicatorChars.has(next)) break;
        if (ch === "\n") {
          const cs = this.continueScalar(i + 1);
          if (cs === -1) break;
          i = Math.max(i, cs - 2);
        }
      } else {
        if (inFlow && flowIndicatorChars.has(ch)) break;
        end = i;
      }
    }
    if (!ch && !this.atEnd) return this.setNext("plain-scalar");
    yield SCALAR2;
    yield* this.pushToIndex(end + 1, true);
    return inFlow ? "flow" : "doc";
  }
  *pushCount(n) {
    if (n > 0) {
      yield this.buffer.substr(this.pos, n);
      this.pos += n;
      return n;
    }
    return 0;
  }
  *pushToIndex(i, allowEmpty) {
    const s = this.buffer.slice(this.pos, i);
    if (s) {
      yield s;
      this.pos += s.length;
      return s.length;
    } else if (allowEmpty) yield "";
    return 0;
  }
  *pushIndicators() {
    let n = 0;
    loop: while (true) {
      switch (this.charAt(0)) {
        case "!":
          n += yield* this.pushTag();
          n += yield* this.pushSpaces(true);
          continue loop;
        case "&":
          n += yield* this.pushUntil(isNotAnchorChar);
          n += yield* this.pushSpaces(true);
          continue loop;
        case "-":
        case "?":
        case ":": {
          const inFlow = this.flowLevel > 0;
          const ch1 = this.charAt(1);
          if (isEmpty(ch1) || inFlow && flowIndicatorChars.has(ch1)) {
            if (!inFlow) this.indentNext = this.indentValue + 1;
            else if (this.flowKey) this.flowKey = false;
            n += yield* this.pushCount(1);
            n += yield* this.pushSpaces(true);
            continue loop;
          }
        }
      }
      break loop;
    }
    return n;
  }
  *pushTag() {
    if (this.charAt(1) === "<") {
      let i = this.pos + 2;
      let ch = this.buffer[i];
      while (!isEmpty(ch) && ch !== ">") ch = this.buffer[++i];
      return yield* this.pushToIndex(ch === ">" ? i + 1 : i, false);
    } else {
      let i = this.pos + 1;
      let ch = this.buffer[i];
      while (ch) {
        if (tagChars.has(ch)) ch = this.buffer[++i];
        else if (ch === "%" && hexDigits.has(this.buffer[i + 1]) && hexDigits.has(this.buffer[i + 2])) {
          ch = this.buffer[i += 3];
        } else break;
      }
      return yield* this.pushToIndex(i, false);
    }
  }
  *pushNewline() {
    const ch = this.buffer[this.pos];
    if (ch === "\n") return yield* this.pushCount(1);
    else if (ch === "\r" && this.charAt(1) === "\n") return yield* this.pushCount(2);
    else return 0;
  }
  *pushSpaces(allowTabs) {
    let i = this.pos - 1;
    let ch;
    do {
      ch = this.buffer[++i];
    } while (ch === " " || allowTabs && ch === "	");
    const n = i - this.pos;
    if (n > 0) {
      yield this.buffer.substr(this.pos, n);
      this.pos = i;
    }
    return n;
  }
  *pushUntil(test) {
    let i = this.pos;
    let ch = this.buffer[i];
    while (!test(ch)) ch = this.buffer[++i];
    return yield* this.pushToIndex(i, false);
  }
};
var LineCounter = class {
  constructor() {
    this.lineStarts = [];
    this.addNewLine = (offset) => this.lineStarts.push(offset);
    this.linePos = (offset) => {
      let low = 0;
      let high = this.lineStarts.length;
      while (low < high) {
        const mid = low + high >> 1;
        if (this.lineStarts[mid] < offset) low = mid + 1;
        else high = mid;
      }
      if (this.lineStarts[low] === offset) return {
        line: low + 1,
        col: 1
      };
      if (low === 0) return {
        line: 0,
        col: offset
      };
      const start2 = this.lineStarts[low - 1];
      return {
        line: low,
        col: offset - start2 + 1
      };
    };
  }
};
function includesToken(list, type) {
  for (let i = 0; i < list.length; ++i) if (list[i].type === type) return true;
  return false;
}
function findNonEmptyIndex(list) {
  for (let i = 0; i < list.length; ++i) {
    switch (list[i].type) {
      case "space":
      case "comment":
      case "newline":
        break;
      default:
        return i;
    }
  }
  return -1;
}
function isFlowToken(token) {
  switch (token?.type) {
    case "alias":
    case "scalar":
    case "single-quoted-scalar":
    case "double-quoted-scalar":
    case "flow-collection":
      return true;
    default:
      return false;
  }
}
function getPrevProps(parent) {
  switch (parent.type) {
    case "document":
      return parent.start;
    case "block-map": {
      const it = parent.items[parent.items.length - 1];
      return it.sep ?? it.start;
    }
    case "block-seq":
      return parent.items[parent.items.length - 1].start;
    /* istanbul ignore next should not happen */
    default:
      return [];
  }
}
function getFirstKeyStartProps(prev) {
  if (prev.length === 0) return [];
  let i = prev.length;
  loop: while (--i >= 0) {
    switch (prev[i].type) {
      case "doc-start":
      case "explicit-key-ind":
      case "map-value-ind":
      case "seq-item-ind":
      case "newline":
        break loop;
    }
  }
  while (prev[++i]?.type === "space") {
  }
  return prev.splice(i, prev.length);
}
function arrayPushArray(target, source) {
  if (source.length < 1e5) Array.prototype.push.apply(target, source);
  else for (let i = 0; i < source.length; ++i) target.push(source[i]);
}
function fixFlowSeqItems(fc) {
  if (fc.start.type === "flow-seq-start") {
    for (const it of fc.items) {
      if (it.sep && !it.value && !includesToken(it.start, "explicit-key-ind") && !includesToken(it.sep, "map-value-ind")) {
        if (it.key) it.value = it.key;
        delete it.key;
        if (isFlowToken(it.value)) {
          if (it.value.end) arrayPushArray(it.value.end, it.sep);
          else it.value.end = it.sep;
        } else arrayPushArray(it.start, it.sep);
        delete it.sep;
      }
    }
  }
}
var Parser = class {
  /**
     * @param onNewLine - If defined, called separately with the start position of
     *   each new line (in `parse()`, including the start of input).
     */
  constructor(onNewLine) {
    this.atNewLine = true;
    this.atScalar = false;
    this.indent = 0;
    this.offset = 0;
    this.onKeyLine = false;
    this.stack = [];
    this.source = "";
    this.type = "";
    this.lexer = new Lexer();
    this.onNewLine = onNewLine;
  }
  /**
     * Parse `source` as a YAML stream.
     * If `incomplete`, a part of the last line may be left as a buffer for the next call.
     *
     * Errors are not thrown, but yielded as `{ type: 'error', message }` tokens.
     *
     * @returns A generator of tokens representing each directive, document, and other structure.
     */
  *parse(source, incomplete = false) {
    if (this.onNewLine && this.offset === 0) this.onNewLine(0);
    for (const lexeme of this.lexer.lex(source, incomplete)) yield* this.next(lexeme);
    if (!incomplete) yield* this.end();
  }
  /**
     * Advance the parser by the `source` of one lexical token.
     */
  *next(source) {
    this.source = source;
    if (this.atScalar) {
      this.atScalar = false;
      yield* this.step();
      this.offset += source.length;
      return;
    }
    const type = tokenType(source);
    if (!type) {
      const message = `Not a YAML token: ${source}`;
      yield* this.pop({
        type: "error",
        offset: this.offset,
        message,
        source
      });
      this.offset += source.length;
    } else if (type === "scalar") {
      this.atNewLine = false;
      this.atScalar = true;
      this.type = "scalar";
    } else {
      this.type = type;
      yield* this.step();
      switch (type) {
        case "newline":
          this.atNewLine = true;
          this.indent = 0;
          if (this.onNewLine) this.onNewLine(this.offset + source.length);
          break;
        case "space":
          if (this.atNewLine && source[0] === " ") this.indent += source.length;
          break;
        case "explicit-key-ind":
        case "map-value-ind":
        case "seq-item-ind":
          if (this.atNewLine) this.indent += source.length;
          break;
        case "doc-mode":
        case "flow-error-end":
          return;
        default:
          this.atNewLine = false;
      }
      this.offset += source.length;
    }
  }
  /** Call at end of input to push out any remaining constructions */
  *end() {
    while (this.stack.length > 0) yield* this.pop();
  }
  get sourceToken() {
    const st = {
      type: this.type,
      offset: this.offset,
      indent: this.indent,
      source: this.source
    };
    return st;
  }
  *step() {
    const top = this.peek(1);
    if (this.type === "doc-end" && top?.type !== "doc-end") {
      while (this.stack.length > 0) yield* this.pop();
      this.stack.push({
        type: "doc-end",
        offset: this.offset,
        source: this.source
      });
      return;
    }
    if (!top) return yield* this.stream();
    switch (top.type) {
      case "document":
        return yield* this.document(top);
      case "alias":
      case "scalar":
      case "single-quoted-scalar":
      case "double-quoted-scalar":
        return yield* this.scalar(top);
      case "block-scalar":
        return yield* this.blockScalar(top);
      case "block-map":
        return yield* this.blockMap(top);
      case "block-seq":
        return yield* this.blockSequence(top);
      case "flow-collection":
        return yield* this.flowCollection(top);
      case "doc-end":
        return yield* this.documentEnd(top);
    }
    yield* this.pop();
  }
  peek(n) {
    return this.stack[this.stack.length - n];
  }
  *pop(error) {
    const token = error ?? this.stack.pop();
    if (!token) {
      const message = "Tried to pop an empty stack";
      yield {
        type: "error",
        offset: this.offset,
        source: "",
        message
      };
    } else if (this.stack.length === 0) {
      yield token;
    } else {
      const top = this.peek(1);
      if (token.type === "block-scalar") {
        token.indent = "indent" in top ? top.indent : 0;
      } else if (token.type === "flow-collection" && top.type === "document") {
        token.indent = 0;
      }
      if (token.type === "flow-collection") fixFlowSeqItems(token);
      switch (top.type) {
        case "document":
          top.value = token;
          break;
        case "block-scalar":
          top.props.push(token);
          break;
        case "block-map": {
          const it = top.items[top.items.length - 1];
          if (it.value) {
            top.items.push({
              start: [],
              key: token,
              sep: []
            });
            this.onKeyLine = true;
            return;
          } else if (it.sep) {
            it.value = token;
          } else {
            Object.assign(it, {
              key: token,
              sep: []
            });
            this.onKeyLine = !it.explicitKey;
            return;
          }
          break;
        }
        case "block-seq": {
          const it = top.items[top.items.length - 1];
          if (it.value) top.items.push({
            start: [],
            value: token
          });
          else it.value = token;
          break;
        }
        case "flow-collection": {
          const it = top.items[top.items.length - 1];
          if (!it || it.value) top.items.push({
            start: [],
            key: token,
            sep: []
          });
          else if (it.sep) it.value = token;
          else Object.assign(it, {
            key: token,
            sep: []
          });
          return;
        }
        /* istanbul ignore next should not happen */
        default:
          yield* this.pop();
          yield* this.pop(token);
      }
      if ((top.type === "document" || top.type === "block-map" || top.type === "block-seq") && (token.type === "block-map" || token.type === "block-seq")) {
        const last = token.items[token.items.length - 1];
        if (last && !last.sep && !last.value && last.start.length > 0 && findNonEmptyIndex(last.start) === -1 && (token.indent === 0 || last.start.every((st) => st.type !== "comment" || st.indent < token.indent))) {
          if (top.type === "document") top.end = last.start;
          else top.items.push({
            start: last.start
          });
          token.items.splice(-1, 1);
        }
      }
    }
  }
  *stream() {
    switch (this.type) {
      case "directive-line":
        yield {
          type: "directive",
          offset: this.offset,
          source: this.source
        };
        return;
      case "byte-order-mark":
      case "space":
      case "comment":
      case "newline":
        yield this.sourceToken;
        return;
      case "doc-mode":
      case "doc-start": {
        const doc = {
          type: "document",
          offset: this.offset,
          start: []
        };
        if (this.type === "doc-start") doc.start.push(this.sourceToken);
        this.stack.push(doc);
        return;
      }
    }
    yield {
      type: "error",
      offset: this.offset,
      message: `Unexpected ${this.type} token in YAML stream`,
      source: this.source
    };
  }
  *document(doc) {
    if (doc.value) return yield* this.lineEnd(doc);
    switch (this.type) {
      case "doc-start": {
        if (findNonEmptyIndex(doc.start) !== -1) {
          yield* this.pop();
          yield* this.step();
        } else doc.start.push(this.sourceToken);
        return;
      }
      case "anchor":
      case "tag":
      case "space":
      case "comment":
      case "newline":
        doc.start.push(this.sourceToken);
        return;
    }
    const bv = this.startBlockValue(doc);
    if (bv) this.stack.push(bv);
    else {
      yield {
        type: "error",
        offset: this.offset,
        message: `Unexpected ${this.type} token in YAML document`,
        source: this.source
      };
    }
  }
  *scalar(scalar) {
    if (this.type === "map-value-ind") {
      const prev = getPrevProps(this.peek(2));
      const start2 = getFirstKeyStartProps(prev);
      let sep;
      if (scalar.end) {
        sep = scalar.end;
        sep.push(this.sourceToken);
        delete scalar.end;
      } else sep = [
        this.sourceToken
      ];
      const map2 = {
        type: "block-map",
        offset: scalar.offset,
        indent: scalar.indent,
        items: [
          {
            start: start2,
            key: scalar,
            sep
          }
        ]
      };
      this.onKeyLine = true;
      this.stack[this.stack.length - 1] = map2;
    } else yield* this.lineEnd(scalar);
  }
  *blockScalar(scalar) {
    switch (this.type) {
      case "space":
      case "comment":
      case "newline":
        scalar.props.push(this.sourceToken);
        return;
      case "scalar":
        scalar.source = this.source;
        this.atNewLine = true;
        this.indent = 0;
        if (this.onNewLine) {
          let nl = this.source.indexOf("\n") + 1;
          while (nl !== 0) {
            this.onNewLine(this.offset + nl);
            nl = this.source.indexOf("\n", nl) + 1;
          }
        }
        yield* this.pop();
        break;
      /* istanbul ignore next should not happen */
      default:
        yield* this.pop();
        yield* this.step();
    }
  }
  *blockMap(map2) {
    const it = map2.items[map2.items.length - 1];
    switch (this.type) {
      case "newline":
        this.onKeyLine = false;
        if (it.value) {
          const end = "end" in it.value ? it.value.end : void 0;
          const last = Array.isArray(end) ? end[end.length - 1] : void 0;
          if (last?.type === "comment") end?.push(this.sourceToken);
          else map2.items.push({
            start: [
              this.sourceToken
            ]
          });
        } else if (it.sep) {
          it.sep.push(this.sourceToken);
        } else {
          it.start.push(this.sourceToken);
        }
        return;
      case "space":
      case "comment":
        if (it.value) {
          map2.items.push({
            start: [
              this.sourceToken
            ]
          });
        } else if (it.sep) {
          it.sep.push(this.sourceToken);
        } else {
          if (this.atIndentedComment(it.start, map2.indent)) {
            const prev = map2.items[map2.items.length - 2];
            const end = prev?.value?.end;
            if (Array.isArray(end)) {
              arrayPushArray(end, it.start);
              end.push(this.sourceToken);
              map2.items.pop();
              return;
            }
          }
          it.start.push(this.sourceToken);
        }
        return;
    }
    if (this.indent >= map2.indent) {
      const atMapIndent = !this.onKeyLine && this.indent === map2.indent;
      const atNextItem = atMapIndent && (it.sep || it.explicitKey) && this.type !== "seq-item-ind";
      let start2 = [];
      if (atNextItem && it.sep && !it.value) {
        const nl = [];
        for (let i = 0; i < it.sep.length; ++i) {
          const st = it.sep[i];
          switch (st.type) {
            case "newline":
              nl.push(i);
              break;
            case "space":
              break;
            case "comment":
              if (st.indent > map2.indent) nl.length = 0;
              break;
            default:
              nl.length = 0;
          }
        }
        if (nl.length >= 2) start2 = it.sep.splice(nl[1]);
      }
      switch (this.type) {
        case "anchor":
        case "tag":
          if (atNextItem || it.value) {
            start2.push(this.sourceToken);
            map2.items.push({
              start: start2
            });
            this.onKeyLine = true;
          } else if (it.sep) {
            it.sep.push(this.sourceToken);
          } else {
            it.start.push(this.sourceToken);
          }
          return;
        case "explicit-key-ind":
          if (!it.sep && !it.explicitKey) {
            it.start.push(this.sourceToken);
            it.explicitKey = true;
          } else if (atNextItem || it.value) {
            start2.push(this.sourceToken);
            map2.items.push({
              start: start2,
              explicitKey: true
            });
          } else {
            this.stack.push({
              type: "block-map",
              offset: this.offset,
              indent: this.indent,
              items: [
                {
                  start: [
                    this.sourceToken
                  ],
                  explicitKey: true
                }
              ]
            });
          }
          this.onKeyLine = true;
          return;
        case "map-value-ind":
          if (it.explicitKey) {
            if (!it.sep) {
              if (includesToken(it.start, "newline")) {
                Object.assign(it, {
                  key: null,
                  sep: [
                    this.sourceToken
                  ]
                });
              } else {
                const start22 = getFirstKeyStartProps(it.start);
                this.stack.push({
                  type: "block-map",
                  offset: this.offset,
                  indent: this.indent,
                  items: [
                    {
                      start: start22,
                      key: null,
                      sep: [
                        this.sourceToken
                      ]
                    }
                  ]
                });
              }
            } else if (it.value) {
              map2.items.push({
                start: [],
                key: null,
                sep: [
                  this.sourceToken
                ]
              });
            } else if (includesToken(it.sep, "map-value-ind")) {
              this.stack.push({
                type: "block-map",
                offset: this.offset,
                indent: this.indent,
                items: [
                  {
                    start: start2,
                    key: null,
                    sep: [
                      this.sourceToken
                    ]
                  }
                ]
              });
            } else if (isFlowToken(it.key) && !includesToken(it.sep, "newline")) {
              const start22 = getFirstKeyStartProps(it.start);
              const key = it.key;
              const sep = it.sep;
              sep.push(this.sourceToken);
              delete it.key;
              delete it.sep;
              this.stack.push({
                type: "block-map",
                offset: this.offset,
                indent: this.indent,
                items: [
                  {
                    start: start22,
                    key,
                    sep
                  }
                ]
              });
            } else if (start2.length > 0) {
              it.sep = it.sep.concat(start2, this.sourceToken);
            } else {
              it.sep.push(this.sourceToken);
            }
          } else {
            if (!it.sep) {
              Object.assign(it, {
                key: null,
                sep: [
                  this.sourceToken
                ]
              });
            } else if (it.value || atNextItem) {
              map2.items.push({
                start: start2,
                key: null,
                sep: [
                  this.sourceToken
                ]
              });
            } else if (includesToken(it.sep, "map-value-ind")) {
              this.stack.push({
                type: "block-map",
                offset: this.offset,
                indent: this.indent,
                items: [
                  {
                    start: [],
                    key: null,
                    sep: [
                      this.sourceToken
                    ]
                  }
                ]
              });
            } else {
              it.sep.push(this.sourceToken);
            }
          }
          this.onKeyLine = true;
          return;
        case "alias":
        case "scalar":
        case "single-quoted-scalar":
        case "double-quoted-scalar": {
          const fs = this.flowScalar(this.type);
          if (atNextItem || it.value) {
            map2.items.push({
              start: start2,
              key: fs,
              sep: []
            });
            this.onKeyLine = true;
          } else if (it.sep) {
            this.stack.push(fs);
          } else {
            Object.assign(it, {
              key: fs,
              sep: []
            });
            this.onKeyLine = true;
          }
          return;
        }
        default: {
          const bv = this.startBlockValue(map2);
          if (bv) {
            if (bv.type === "block-seq") {
              if (!it.explicitKey && it.sep && !includesToken(it.sep, "newline")) {
                yield* this.pop({
                  type: "error",
                  offset: this.offset,
                  message: "Unexpected block-seq-ind on same line with key",
                  source: this.source
                });
                return;
              }
            } else if (atMapIndent) {
              map2.items.push({
                start: start2
              });
            }
            this.stack.push(bv);
            return;
          }
        }
      }
    }
    yield* this.pop();
    yield* this.step();
  }
  *blockSequence(seq2) {
    const it = seq2.items[seq2.items.length - 1];
    switch (this.type) {
      case "newline":
        if (it.value) {
          const end = "end" in it.value ? it.value.end : void 0;
          const last = Array.isArray(end) ? end[end.length - 1] : void 0;
          if (last?.type === "comment") end?.push(this.sourceToken);
          else seq2.items.push({
            start: [
              this.sourceToken
            ]
          });
        } else it.start.push(this.sourceToken);
        return;
      case "space":
      case "comment":
        if (it.value) seq2.items.push({
          start: [
            this.sourceToken
          ]
        });
        else {
          if (this.atIndentedComment(it.start, seq2.indent)) {
            const prev = seq2.items[seq2.items.length - 2];
            const end = prev?.value?.end;
            if (Array.isArray(end)) {
              arrayPushArray(end, it.start);
              end.push(this.sourceToken);
              seq2.items.pop();
              return;
            }
          }
          it.start.push(this.sourceToken);
        }
        return;
      case "anchor":
      case "tag":
        if (it.value || this.indent <= seq2.indent) break;
        it.start.push(this.sourceToken);
        return;
      case "seq-item-ind":
        if (this.indent !== seq2.indent) break;
        if (it.value || includesToken(it.start, "seq-item-ind")) seq2.items.push({
          start: [
            this.sourceToken
          ]
        });
        else it.start.push(this.sourceToken);
        return;
    }
    if (this.indent > seq2.indent) {
      const bv = this.startBlockValue(seq2);
      if (bv) {
        this.stack.push(bv);
        return;
      }
    }
    yield* this.pop();
    yield* this.step();
  }
  *flowCollection(fc) {
    const it = fc.items[fc.items.length - 1];
    if (this.type === "flow-error-end") {
      let top;
      do {
        yield* this.pop();
        top = this.peek(1);
      } while (top?.type === "flow-collection");
    } else if (fc.end.length === 0) {
      switch (this.type) {
        case "comma":
        case "explicit-key-ind":
          if (!it || it.sep) fc.items.push({
            start: [
              this.sourceToken
            ]
          });
          else it.start.push(this.sourceToken);
          return;
        case "map-value-ind":
          if (!it || it.value) fc.items.push({
            start: [],
            key: null,
            sep: [
              this.sourceToken
            ]
          });
          else if (it.sep) it.sep.push(this.sourceToken);
          else Object.assign(it, {
            key: null,
            sep: [
              this.sourceToken
            ]
          });
          return;
        case "space":
        case "comment":
        case "newline":
        case "anchor":
        case "tag":
          if (!it || it.value) fc.items.push({
            start: [
              this.sourceToken
            ]
          });
          else if (it.sep) it.sep.push(this.sourceToken);
          else it.start.push(this.sourceToken);
          return;
        case "alias":
        case "scalar":
        case "single-quoted-scalar":
        case "double-quoted-scalar": {
          const fs = this.flowScalar(this.type);
          if (!it || it.value) fc.items.push({
            start: [],
            key: fs,
            sep: []
          });
          else if (it.sep) this.stack.push(fs);
          else Object.assign(it, {
            key: fs,
            sep: []
          });
          return;
        }
        case "flow-map-end":
        case "flow-seq-end":
          fc.end.push(this.sourceToken);
          return;
      }
      const bv = this.startBlockValue(fc);
      if (bv) this.stack.push(bv);
      else {
        yield* this.pop();
        yield* this.step();
      }
    } else {
      const parent = this.peek(2);
      if (parent.type === "block-map" && (this.type === "map-value-ind" && parent.indent === fc.indent || this.type === "newline" && !parent.items[parent.items.length - 1].sep)) {
        yield* this.pop();
        yield* this.step();
      } else if (this.type === "map-value-ind" && parent.type !== "flow-collection") {
        const prev = getPrevProps(parent);
        const start2 = getFirstKeyStartProps(prev);
        fixFlowSeqItems(fc);
        const sep = fc.end.splice(1, fc.end.length);
        sep.push(this.sourceToken);
        const map2 = {
          type: "block-map",
          offset: fc.offset,
          indent: fc.indent,
          items: [
            {
              start: start2,
              key: fc,
              sep
            }
          ]
        };
        this.onKeyLine = true;
        this.stack[this.stack.length - 1] = map2;
      } else {
        yield* this.lineEnd(fc);
      }
    }
  }
  flowScalar(type) {
    if (this.onNewLine) {
      let nl = this.source.indexOf("\n") + 1;
      while (nl !== 0) {
        this.onNewLine(this.offset + nl);
        nl = this.source.indexOf("\n", nl) + 1;
      }
    }
    return {
      type,
      offset: this.offset,
      indent: this.indent,
      source: this.source
    };
  }
  startBlockValue(parent) {
    switch (this.type) {
      case "alias":
      case "scalar":
      case "single-quoted-scalar":
      case "double-quoted-scalar":
        return this.flowScalar(this.type);
      case "block-scalar-header":
        return {
          type: "block-scalar",
          offset: this.offset,
          indent: this.indent,
          props: [
            this.sourceToken
          ],
          source: ""
        };
      case "flow-map-start":
      case "flow-seq-start":
        return {
          type: "flow-collection",
          offset: this.offset,
          indent: this.indent,
          start: this.sourceToken,
          items: [],
          end: []
        };
      case "seq-item-ind":
        return {
          type: "block-seq",
          offset: this.offset,
          indent: this.indent,
          items: [
            {
              start: [
                this.sourceToken
              ]
            }
          ]
        };
      case "explicit-key-ind": {
        this.onKeyLine = true;
        const prev = getPrevProps(parent);
        const start2 = getFirstKeyStartProps(prev);
        start2.push(this.sourceToken);
        return {
          type: "block-map",
          offset: this.offset,
          indent: this.indent,
          items: [
            {
              start: start2,
              explicitKey: true
            }
          ]
        };
      }
      case "map-value-ind": {
        this.onKeyLine = true;
        const prev = getPrevProps(parent);
        const start2 = getFirstKeyStartProps(prev);
        return {
          type: "block-map",
          offset: this.offset,
          indent: this.indent,
          items: [
            {
              start: start2,
              key: null,
              sep: [
                this.sourceToken
              ]
            }
          ]
        };
      }
    }
    return null;
  }
  atIndentedComment(start2, indent) {
    if (this.type !== "comment") return false;
    if (this.indent <= indent) return false;
    return start2.every((st) => st.type === "newline" || st.type === "space");
  }
  *documentEnd(docEnd) {
    if (this.type !== "doc-mode") {
      if (docEnd.end) docEnd.end.push(this.sourceToken);
      else docEnd.end = [
        this.sourceToken
      ];
      if (this.type === "newline") yield* this.pop();
    }
  }
  *lineEnd(token) {
    switch (this.type) {
      case "comma":
      case "doc-start":
      case "doc-end":
      case "flow-seq-end":
      case "flow-map-end":
      case "map-value-ind":
        yield* this.pop();
        yield* this.step();
        break;
      case "newline":
        this.onKeyLine = false;
      // fallthrough
      case "space":
      case "comment":
      default:
        if (token.end) token.end.push(this.sourceToken);
        else token.end = [
          this.sourceToken
        ];
        if (this.type === "newline") yield* this.pop();
    }
  }
};
function parseOptions(options) {
  const prettyErrors = options.prettyErrors !== false;
  const lineCounter = options.lineCounter || prettyErrors && new LineCounter() || null;
  return {
    lineCounter,
    prettyErrors
  };
}
function parseDocument(source, options = {}) {
  const { lineCounter, prettyErrors } = parseOptions(options);
  const parser = new Parser(lineCounter?.addNewLine);
  const composer = new Composer(options);
  let doc = null;
  for (const _doc of composer.compose(parser.parse(source), true, source.length)) {
    if (!doc) doc = _doc;
    else if (doc.options.logLevel !== "silent") {
      doc.errors.push(new YAMLParseError(_doc.range.slice(0, 2), "MULTIPLE_DOCS", "Source contains multiple documents; please use YAML.parseAllDocuments()"));
      break;
    }
  }
  if (prettyErrors && lineCounter) {
    doc.errors.forEach(prettifyError(source, lineCounter));
    doc.warnings.forEach(prettifyError(source, lineCounter));
  }
  return doc;
}
function parse(src, reviver, options) {
  let _reviver = void 0;
  if (typeof reviver === "function") {
    _reviver = reviver;
  } else if (options === void 0 && reviver && typeof reviver === "object") {
    options = reviver;
  }
  const doc = parseDocument(src, options);
  if (!doc) return null;
  doc.warnings.forEach((warning) => warn2(doc.options.logLevel, warning));
  if (doc.errors.length > 0) {
    if (doc.options.logLevel !== "silent") throw doc.errors[0];
    else doc.errors = [];
  }
  return doc.toJS(Object.assign({
    reviver: _reviver
  }, options));
}
function stringify3(value, replacer, options) {
  let _replacer = null;
  if (typeof replacer === "function" || Array.isArray(replacer)) {
    _replacer = replacer;
  } else if (options === void 0 && replacer) {
    options = replacer;
  }
  if (typeof options === "string") options = options.length;
  if (typeof options === "number") {
    const indent = Math.round(options);
    options = indent < 1 ? void 0 : indent > 8 ? {
      indent: 8
    } : {
      indent
    };
  }
  if (value === void 0) {
    const { keepUndefined } = options ?? replacer ?? {};
    if (!keepUndefined) return void 0;
  }
  if (isDocument(value) && !_replacer) return value.toString(options);
  return new Document(value, _replacer, options).toString(options);
}

// lib/config/yaml_dialects.ts
function elsewhere(text4) {
  if (/^(yes|Yes|YES|on|On|ON)$/.test(text4)) return "true";
  if (/^(no|No|NO|off|Off|OFF)$/.test(text4)) return "false";
  if (/^[-+]?[1-9]\d*(:[0-5]?\d)+$/.test(text4)) return String(sexagesimal(text4));
  if (/^[-+]?0_*[0-7][0-7_]*$/.test(text4)) return String(parseInt(text4.replaceAll("_", ""), 8));
  if (/^[-+]?([1-9][\d_]*|0)(\.[\d_]*)?$/.test(text4) && text4.includes("_")) return text4.replaceAll("_", "");
  if (/^[-+]?0x[\da-fA-F_]+$/.test(text4) && text4.includes("_")) return String(Number(text4.replaceAll("_", "")));
  if (/^0o[0-7]+$/.test(text4) || /^[-+]?(\d+(\.\d*)?|\.\d+)[eE]\d+$/.test(text4)) return "text";
  return void 0;
}
function sexagesimal(text4) {
  const sign = text4.startsWith("-") ? -1 : 1;
  return sign * text4.replace(/^[-+]/, "").split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}
function dialectHint(text4) {
  const theirs = elsewhere(text4);
  if (theirs === void 0 || theirs === "text") return void 0;
  if (/^[-+]?0[0-7]+$/.test(text4)) return `YAML 1.2 reads ${text4} as ${Number(text4)}, a YAML 1.1 reader as ${theirs}`;
  const advice = /\d/.test(theirs) ? `: write ${theirs}` : "";
  return `YAML 1.2 reads ${text4} as text, a YAML 1.1 reader as ${theirs}${advice}`;
}

// lib/config/document.ts
function parseYaml(name, text4) {
  const lines = new LineCounter();
  const document = parseDocument(text4, {
    version: "1.2",
    schema: "core",
    merge: true,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
    uniqueKeys: false
  });
  const source = {
    name,
    lines,
    text: text4,
    document
  };
  const found = document.errors[0] ?? document.warnings[0];
  if (found !== void 0) return {
    source,
    problem: {
      message: found.message,
      offset: found.pos[0]
    }
  };
  const twice = keyGivenTwice(document);
  if (twice === null) return {
    source,
    problem: null
  };
  const [first, second] = twice;
  const line = lines.linePos(first.range[0]).line;
  const message = `duplicate mapping key ${quote(String(first.value))} (first on line ${line})`;
  return {
    source,
    problem: {
      message,
      offset: second.range[0]
    }
  };
}
function keyGivenTwice(document) {
  let twice = null;
  visit(document, {
    Map(_key, { items }) {
      const seen = /* @__PURE__ */ new Map();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === "<<") continue;
        const before = seen.get(key.value);
        if (before !== void 0) {
          twice = [
            before,
            key
          ];
          return visit.BREAK;
        }
        seen.set(key.value, key);
      }
    }
  });
  return twice;
}
function valueOf({ document }) {
  const itself = aliasOfItself(document);
  if (itself !== null) return {
    problem: {
      message: "an alias stands inside the value it refers to",
      offset: itself
    }
  };
  try {
    return {
      value: toValue(document),
      problem: null
    };
  } catch (error) {
    return {
      problem: {
        message: error.message,
        offset: 0
      }
    };
  }
}
function aliasOfItself(document) {
  const around = /* @__PURE__ */ new Set();
  const walk2 = (node) => {
    if (isAlias(node)) return around.has(node.resolve(document)) ? node.range[0] : null;
    const items = node?.items;
    if (!Array.isArray(items)) return null;
    around.add(node);
    for (const item of items) {
      const found = isMap(node) ? walk2(item.key) ?? walk2(item.value) : walk2(item);
      if (found !== null) return found;
    }
    around.delete(node);
    return null;
  };
  return walk2(document.contents);
}
var MOST_LEVELS = 100;
function toValue(document) {
  const copy = (value, level) => {
    if (typeof value !== "object" || value === null) return value;
    if (level > MOST_LEVELS) throw new RangeError(`values are nested deeper than ${MOST_LEVELS} levels`);
    if (Array.isArray(value)) return value.map((item) => copy(item, level + 1));
    const mapping2 = {};
    for (const [key, item] of Object.entries(value)) setOwn(mapping2, key, copy(item, level + 1));
    return mapping2;
  };
  return copy(document.toJS({
    maxAliasCount: 100
  }), 0);
}
function setOwn(mapping2, key, value) {
  Object.defineProperty(mapping2, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true
  });
}
var ConfigDocument = class {
  /** The document as plain values; overrides are in it. */
  value;
  #file;
  #overrides = [];
  /**
   * Parses a configuration text.
   *
   * @param name how errors call the file
   * @throws {ConfigError} for malformed YAML, duplicate keys, and a document that is not one mapping
   */
  constructor(name, text4) {
    const { source, problem } = parseYaml(name, text4);
    this.#file = source;
    if (problem !== null) throw this.#malformed(problem);
    const { value, problem: unusable } = valueOf(source);
    if (unusable !== null) throw this.#malformed(unusable);
    if (!isMap(source.document.contents)) {
      const message = `configuration ${name} must contain one YAML mapping`;
      throw new ConfigError(message, [
        {
          path: "",
          message,
          file: name
        }
      ]);
    }
    for (const { key } of source.document.contents.items) {
      const section2 = isScalar(key) ? key.value : String(key);
      if (typeof section2 === "string" && section2 !== "" && !section2.includes(".")) continue;
      const shown3 = typeof section2 === "string" ? quote(section2) : String(section2);
      const message = `top-level configuration keys must be nonempty section names without dots; got ${shown3}`;
      throw new ConfigError(`${name}: ${message}`, [
        {
          path: "",
          message,
          ...this.#place(source, key)
        }
      ]);
    }
    this.value = value;
  }
  /** How errors call the file. */
  get name() {
    return this.#file.name;
  }
  #malformed({ message, offset }) {
    const { name, lines } = this.#file;
    const { line, col } = lines.linePos(offset);
    const pointer = excerptText(this.#excerpt(this.#file, offset, 1), line);
    return new ConfigError(`malformed YAML in ${name}: ${message}, at line ${line}, column ${col}:
${pointer}`, [
      {
        path: "",
        message,
        file: name,
        line,
        column: col
      }
    ]);
  }
  /**
   * Applies one `PATH=YAML_VALUE`. The value replaces what is at the path; missing mappings on the way are made.
   *
   * @throws {ConfigError} for an argument that cannot be applied; unknown fields are found when the document is read
   */
  override(argument, { search = false } = {}) {
    const refuse = (message) => {
      throw new ConfigError(message, [
        {
          path: "",
          message,
          file: "--set"
        }
      ]);
    };
    const equals = argument.indexOf("=");
    if (equals < 0) refuse(`invalid --set ${quote(argument)}; expected PATH=YAML_VALUE`);
    const dotted = argument.slice(0, equals);
    const path = dotted.split(".");
    if (path.some((part) => part === "" || /^\p{Nd}+$/u.test(part))) {
      refuse(`invalid --set path ${quote(dotted)}; sequence indexes are unsupported`);
    }
    if (!search && (path[0] === "optimization" || path[0] === "optimizer")) {
      refuse(`--set path ${quote(dotted)} is not in the schema`);
    }
    const invalid2 = ({ message, offset }) => `invalid YAML value for --set ${quote(dotted)}: ${message} (at character ${offset + 1} of the value)`;
    const { source, problem } = parseYaml(`--set ${dotted}`, argument.slice(equals + 1));
    if (problem !== null) refuse(invalid2(problem));
    const { value, problem: unusable } = valueOf(source);
    if (unusable !== null) refuse(invalid2(unusable));
    let at = this.value;
    for (const part of path.slice(0, -1)) {
      if (!Object.hasOwn(at, part)) setOwn(at, part, {});
      const next = at[part];
      if (typeof next !== "object" || next === null || Array.isArray(next)) {
        refuse(`--set path ${quote(dotted)} crosses a non-mapping value`);
      }
      at = next;
    }
    setOwn(at, path.at(-1), value ?? null);
    this.#overrides.push({
      path,
      argument,
      source
    });
  }
  /**
   * Where the value at `path` was written, or the nearest mapping around it; `key` asks for its name instead of it.
   */
  locate(path, key = false) {
    const last = this.#overrides.findLast(({ path: set2 }) => set2.every((part, index) => path[index] === void 0 || path[index] === part));
    if (last && (last.path.length <= path.length || !nodeAt(this.#file.document, path).exact)) {
      const { node: node2, exact: exact2 } = nodeAt(last.source.document, path.slice(last.path.length));
      return {
        file: `--set ${quote(last.argument)}`,
        ...exact2 && isScalar(node2) && node2.source !== void 0 ? {
          scalar: node2.source
        } : {}
      };
    }
    const { node, pair, exact } = nodeAt(this.#file.document, path);
    const shown3 = exact && !key && isScalar(node) ? node : pair?.key ?? node;
    const scalar = exact && isScalar(node) && node.type === "PLAIN" ? node.source : void 0;
    return {
      ...this.#place(this.#file, shown3),
      ...scalar === void 0 ? {} : {
        scalar
      }
    };
  }
  /** Numbers of the file that a YAML 1.1 reader takes for others (`012`): where, as written, and both readings. */
  ambiguousNumbers() {
    const found = [];
    const walk2 = (node) => {
      if (isMap(node)) node.items.forEach((pair) => walk2(pair.value));
      else if (isScalar(node)) {
        const theirs = node.type === "PLAIN" && node.source !== void 0 ? elsewhere(node.source) : void 0;
        if (typeof node.value === "number" && theirs !== void 0) {
          found.push({
            place: this.#place(this.#file, node),
            text: node.source,
            ours: node.value,
            theirs
          });
        }
      } else if (typeof node === "object" && node !== null && "items" in node) node.items.forEach(walk2);
    };
    walk2(this.#file.document.contents);
    return found;
  }
  #place(source, node) {
    const range = node?.range;
    if (!range) return {
      file: source.name
    };
    const { line, col } = source.lines.linePos(range[0]);
    return {
      file: source.name,
      line,
      column: col,
      excerpt: this.#excerpt(source, range[0], range[1] - range[0])
    };
  }
  #excerpt({ text: text4, lines }, offset, length) {
    const { line, col } = lines.linePos(offset);
    const start2 = lines.lineStarts[line - 1];
    const end = lines.lineStarts[line] ?? text4.length;
    const whole2 = text4.slice(start2, Math.min(end, start2 + col + MOST_EXCERPT)).replace(/[\r\n]+$/, "");
    return clipped(whole2, col, Math.max(1, Math.min(length, whole2.length - col + 1)));
  }
};
var MOST_EXCERPT = 160;
function clipped(whole2, column, length) {
  const from = column > MOST_EXCERPT / 2 ? column - 1 - MOST_EXCERPT / 4 : 0;
  const shown3 = whole2.slice(from, from + MOST_EXCERPT);
  const [before, after2] = [
    from > 0 ? "\u2026" : "",
    from + MOST_EXCERPT < whole2.length ? "\u2026" : ""
  ];
  const at = column - from + before.length;
  return {
    text: before + shown3 + after2,
    column: at,
    length: Math.max(1, Math.min(length, shown3.length - at + 2))
  };
}
var pairs2 = /* @__PURE__ */ new WeakMap();
function pairsOf(mapping2) {
  let known = pairs2.get(mapping2);
  if (known === void 0) {
    pairs2.set(mapping2, known = /* @__PURE__ */ new Map());
    for (const pair of mapping2.items) if (isScalar(pair.key)) known.set(String(pair.key.value), pair);
  }
  return known;
}
function nodeAt(document, path) {
  let node = document.contents;
  let pair;
  for (const part of path) {
    while (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const next = pairsOf(node).get(part);
      if (next === void 0) return {
        node,
        pair,
        exact: false
      };
      pair = next;
      node = next.value;
    } else if (typeof node === "object" && node !== null && "items" in node && /^\d+$/.test(part)) {
      const item = node.items[Number(part)];
      if (item === void 0) return {
        node,
        pair,
        exact: false
      };
      [node, pair] = [
        item,
        void 0
      ];
    } else return {
      node,
      pair,
      exact: false
    };
  }
  return {
    node,
    pair,
    exact: true
  };
}
function excerptText({ text: text4, column, length }, line) {
  const margin = ` ${line} | `;
  return `${margin}${text4}
${" ".repeat(margin.length - 2)}| ${" ".repeat(column - 1)}${"^".repeat(length)}`;
}

// lib/config/evaluation_section.ts
var bound = () => orNull2(strictNumber({
  gt: 0
}));
var sla = section("SlaConfig", {
  ttft_ms: bound(),
  itl_ms: bound(),
  e2e_ms: bound()
}, [
  ({ ttft_ms, itl_ms, e2e_ms }) => e2e_ms !== null && (ttft_ms !== null || itl_ms !== null) ? "e2e_ms is mutually exclusive with ttft_ms/itl_ms" : void 0
]);
var priceFields = {
  price_per_gpu_hour: orNull2(strictNumber({
    gt: 0
  })),
  currency: orNull2(nonemptyText())
};
var evaluationSection = section("EvaluationConfig", {
  sla: orNull2(sla),
  ...priceFields
}, [
  ({ price_per_gpu_hour, currency }) => currency !== null && price_per_gpu_hour === null ? "currency has no effect without price_per_gpu_hour" : void 0
]);

// lib/config/execution_section.ts
var resources = section("ExecutionResources", {
  initialization_timeout_seconds: withDefault(strictNumber({
    gt: 0
  }), 60),
  shutdown_timeout_seconds: withDefault(strictNumber({
    gt: 0
  }), 5),
  memory_limit_gb: withDefault(orWord("auto", strictNumber({
    gt: 0
  }), "constrained-float"), "auto"),
  cpu_limit: withDefault(orWord("auto", strictInt({
    gt: 0
  }), "constrained-int"), "auto"),
  reserve_memory_gb: withDefault(strictNumber({
    ge: 0
  }), 1),
  reserve_memory_fraction: withDefault(strictNumber({
    ge: 0,
    lt: 1
  }), 0),
  available_memory_fraction: withDefault(strictNumber({
    gt: 0,
    le: 1
  }), 0.9)
});
var executionSection = section("ExecutionConfig", {
  resources: withDefault(resources, {})
});

// lib/config/issues.ts
function placed(document, location, path, message, hint) {
  const aboutKey = message.startsWith("Extra inputs") || message.startsWith("Value error");
  const { scalar, ...place2 } = document.locate(path, aboutKey);
  const hints = [
    hint,
    scalar === void 0 ? void 0 : dialectHint(scalar)
  ].filter((text4) => text4 !== void 0);
  return {
    path: location || path.join("."),
    location,
    message,
    ...place2,
    ...hints.length > 0 ? {
      hint: hints.join("; ")
    } : {}
  };
}
function placedIssues(document, section2, issues) {
  return issues.map(({ message, expected, path = [] }) => {
    const items = path;
    const namesBut = (type) => items.filter((item) => item.type !== type).map(({ key }) => String(key));
    const location = [
      section2,
      ...namesBut(INSIDE)
    ].join(".");
    const keys = [
      ...section2.split("."),
      ...namesBut(LABEL)
    ];
    const hint = expected?.startsWith(HINT) ? expected.slice(HINT.length) : void 0;
    return placed(document, location, keys, message, hint);
  });
}
function placedError(document, error) {
  if (error.issues.length === 0) return new ConfigError(`${document.name}: ${error.message}`, [], {
    cause: error
  });
  const issues = error.issues.map(({ path, message, hint, file }) => {
    if (path === "" || file !== void 0) return {
      path,
      location: path,
      message,
      hint,
      file
    };
    const keys = path.split(".");
    return placed(document, "", Object.hasOwn(document.value, keys[0]) ? keys : [
      "engine",
      ...keys
    ], message, hint);
  });
  return configError(document.name, issues);
}
var MOST_TOLD = 20;
function configError(name, issues) {
  const clean = issues.map(({ excerpt: _excerpt, location: _location, ...issue }) => issue);
  if (issues.length === 1 && issues[0].location === "") {
    return new ConfigError(`${name}: ${block(issues[0]).trimStart()}`, clean);
  }
  const count2 = `${issues.length} validation error${issues.length === 1 ? "" : "s"}`;
  const rest = issues.length - MOST_TOLD;
  const more = rest > 0 ? [
    `\u2026 and ${rest} more`
  ] : [];
  return new ConfigError([
    `${name}: ${count2}`,
    ...issues.slice(0, MOST_TOLD).map(block),
    ...more
  ].join("\n"), clean);
}
function block({ location, message, file, line, column, hint, excerpt }) {
  const place2 = file === void 0 ? void 0 : `at ${[
    file,
    line,
    column
  ].filter((part) => part !== void 0).join(":")}`;
  const third = [
    place2,
    hint
  ].filter((part) => part !== void 0).join("; ");
  return [
    ...location === "" ? [] : [
      location
    ],
    `  ${message}`,
    ...third === "" ? [] : [
      `  ${third}`
    ],
    ...excerpt === void 0 ? [] : [
      excerptText(excerpt, line).replace(/^/gm, "  ")
    ]
  ].join("\n");
}

// lib/planner/budget_warnings.ts
function* budgetWarnings(question) {
  const { maxGpus: most, minGpus: least, gpus, names: { max, min } } = question;
  const total = (replicas2) => replicas2.prefill * gpus.prefill + replicas2.decode * gpus.decode;
  const starting = total(question.starting), needed = total(question.minimum);
  if (most >= 0 && needed > most) {
    yield `the minimum replicas need ${needed} GPUs and ${max} is ${most}: the Planner will scale to 0`;
  } else if (most >= 0 && starting > most) {
    yield `the starting replicas take ${starting} GPUs and ${max} is ${most}: the first decision removes some`;
  } else if (most >= 0 && starting === most) {
    yield `${max} (${most}) is used up by the starting replicas (${starting} GPUs): every scale-up will be held`;
  } else if (most >= 0 && starting + Math.min(gpus.prefill || gpus.decode, gpus.decode) > most) {
    yield `${max} (${most}) leaves no room for another replica beside the starting ${starting} GPUs`;
  } else if (most >= 0) {
    const used = mostUsable(most, gpus, question.minimum);
    if (used < most) yield `${max} (${most}) cannot be used up: ${engineSizes(gpus)}, so at most ${used} will run`;
  }
  if (least >= 0 && most >= 0 && least > most) yield `${min} (${least}) is above ${max} (${most}): no deployment fits`;
}
function mostUsable(most, gpus, { prefill: least, decode }) {
  const withDecode = (taken) => taken + Math.floor((most - taken) / gpus.decode) * gpus.decode;
  if (gpus.prefill === 0) return withDecode(0);
  let used = 0;
  for (let count2 = least; count2 * gpus.prefill + decode * gpus.decode <= most && used < most; count2++) {
    used = Math.max(used, withDecode(count2 * gpus.prefill));
  }
  return used;
}
var engineSizes = ({ prefill, decode }) => prefill === 0 ? `an engine takes ${decode} GPUs` : `a prefill engine takes ${prefill} GPUs and a decode engine ${decode}`;

// lib/config/planner_section.ts
var positive2 = () => laxInt({
  gt: 0
});
var interval = () => optional(nullable(positive2()));
var settings = {
  target: withDefault(literal2([
    "throughput",
    "latency",
    "load",
    "sla"
  ]), "throughput"),
  max_num_gpus: withDefault(laxInt({
    ge: -1
  }), 8),
  min_num_gpus: withDefault(laxInt({
    ge: -1
  }), -1),
  min_workers: withDefault(laxInt({
    ge: 0
  }), 1),
  prefill_min_workers: orNull2(laxInt({
    ge: 1
  })),
  decode_min_workers: orNull2(laxInt({
    ge: 1
  })),
  enable_throughput_scaling: optional(boolean()),
  enable_load_scaling: optional(boolean()),
  throughput_adjustment_interval_seconds: interval(),
  load_adjustment_interval_seconds: interval(),
  max_throughput_scaling_replicas: withDefault(positive2(), 8),
  max_num_fpm_samples: withDefault(positive2(), 64),
  fpm_sample_bucket_size: withDefault(positive2(), 16),
  load_scaling_down_sensitivity: withDefault(laxInt({
    ge: 0,
    le: 100
  }), 80),
  load_min_observations: withDefault(positive2(), 5),
  load_predictor: withDefault(literal2([
    "constant",
    "arima",
    "kalman",
    "prophet"
  ]), "arima"),
  load_predictor_log1p: withDefault(boolean(), false),
  prophet_window_size: withDefault(positive2(), 50),
  kalman_q_level: withDefault(laxNumber({
    ge: 0
  }), 1),
  kalman_q_trend: withDefault(laxNumber({
    ge: 0
  }), 0.1),
  kalman_r: withDefault(laxNumber({
    ge: 0
  }), 10),
  kalman_min_points: withDefault(positive2(), 5),
  load_predictor_warmup_trace: orNull2(text3()),
  advisory: withDefault(boolean(), false),
  retune: anything2()
};
var policy2 = withDefault(literal2([
  "disabled",
  "enabled"
]), "disabled");
var enabled = section("PlannerConfig", {
  policy: policy2,
  ...settings
}, [
  (planner2) => {
    const { throughput, load: load2 } = scalingModes(planner2);
    for (const [active, name] of [
      [
        throughput,
        "throughput"
      ],
      [
        load2,
        "load"
      ]
    ]) {
      const key = `${name}_adjustment_interval_seconds`;
      if (active && planner2[key] === null) return `${key} cannot be null while its scaling mode is enabled`;
    }
  }
], {
  listUnknown: true
});
var ignored = Object.fromEntries(Object.keys(settings).map((name) => [
  name,
  anything2()
]));
var disabled = section("PlannerConfig", {
  policy: policy2,
  ...ignored
}, [
  (planner2) => {
    const advisory = safeParse(boolean(), planner2.advisory);
    return advisory.success && advisory.output ? "planner.advisory requires policy: enabled" : void 0;
  }
], {
  listUnknown: true
});
var plannerSection = lazy((value) => value?.policy === "enabled" ? enabled : disabled);
function scalingModes(planner2) {
  const { target, enable_throughput_scaling, enable_load_scaling, retune } = planner2;
  if (retune != null && enable_throughput_scaling === false && enable_load_scaling === false) {
    return {
      throughput: false,
      load: false,
      retuneOnly: true
    };
  }
  if (target !== "sla") return {
    throughput: false,
    load: true,
    retuneOnly: false
  };
  return {
    throughput: enable_throughput_scaling ?? true,
    load: enable_load_scaling ?? false,
    retuneOnly: false
  };
}
var RENAMED = {
  optimization_target: "target",
  max_gpu_budget: "max_num_gpus",
  min_gpu_budget: "min_num_gpus",
  min_endpoint: "min_workers",
  prefill_min_endpoint: "prefill_min_workers",
  decode_min_endpoint: "decode_min_workers"
};
function keyOfRule(message) {
  const named = message.match(/\b[a-z0-9]+(_[a-z0-9]+)+\b/g) ?? [];
  return named.map((field) => RENAMED[field] ?? field).find((key) => Object.hasOwn(settings, key));
}
var plannerGpus = (engine2, role) => {
  const { tensor, attention_data } = engine2.workers[role].parallelism;
  return tensor * attention_data;
};
function plannerConfig(planner2, engine2, sla2, retune) {
  const modes = scalingModes(planner2);
  const aggregated = engine2.mode === "aggregated";
  const config = {
    mode: aggregated ? "agg" : "disagg",
    backend: engine2.backend,
    optimization_target: planner2.target,
    enable_throughput_scaling: modes.throughput,
    enable_load_scaling: modes.load,
    throughput_adjustment_interval_seconds: planner2.throughput_adjustment_interval_seconds ?? 180,
    load_adjustment_interval_seconds: planner2.load_adjustment_interval_seconds ?? 5,
    max_throughput_scaling_replicas: planner2.max_throughput_scaling_replicas,
    max_gpu_budget: planner2.max_num_gpus,
    min_gpu_budget: planner2.min_num_gpus,
    min_endpoint: planner2.min_workers,
    prefill_min_endpoint: planner2.prefill_min_workers,
    decode_min_endpoint: planner2.decode_min_workers,
    decode_engine_num_gpu: plannerGpus(engine2, aggregated ? "aggregated" : "decode"),
    ...aggregated ? {} : {
      prefill_engine_num_gpu: plannerGpus(engine2, "prefill")
    },
    load_predictor: planner2.load_predictor,
    load_predictor_log1p: planner2.load_predictor_log1p,
    prophet_window_size: planner2.prophet_window_size,
    kalman_q_level: planner2.kalman_q_level,
    kalman_q_trend: planner2.kalman_q_trend,
    kalman_r: planner2.kalman_r,
    kalman_min_points: planner2.kalman_min_points,
    max_num_fpm_samples: planner2.max_num_fpm_samples,
    fpm_sample_bucket_size: planner2.fpm_sample_bucket_size,
    load_scaling_down_sensitivity: planner2.load_scaling_down_sensitivity,
    load_min_observations: planner2.load_min_observations,
    report_interval_hours: null,
    live_dashboard_port: 0
  };
  if (planner2.target === "sla") {
    if (sla2?.ttft_ms != null) config.ttft_ms = sla2.ttft_ms;
    if (sla2?.itl_ms != null) config.itl_ms = sla2.itl_ms;
  } else if (planner2.target === "load") {
    Object.assign(config, {
      decode_scale_up_kv_rate: 90,
      decode_scale_down_kv_rate: 70
    });
    if (!aggregated) Object.assign(config, {
      prefill_scale_up_queue_tokens: 1,
      prefill_scale_down_queue_tokens: 0
    });
  }
  if (planner2.load_predictor_warmup_trace !== null) {
    config.load_predictor_warmup_trace = planner2.load_predictor_warmup_trace;
  }
  if (planner2.advisory) config.advisory = true;
  if (retune !== null) config.retune = retune;
  return config;
}

// lib/config/notes.ts
function* notes(sections, given) {
  const { engine: engine2, planner: planner2, autoscaler, traffic } = sections;
  for (const [role, { startup_seconds, timing: timing2, parallelism: parallelism2, scheduler: scheduler2 }] of rolesOf(engine2)) {
    if (scheduler2.prefill_schedule_interval !== 1 && parallelism2.attention_data === 1) {
      yield `engine.workers.${role}.scheduler.prefill_schedule_interval has no effect: it lets the ranks of attention_data take turns, and attention_data is 1`;
    }
    if (startup_seconds > 0 && !planner2 && !autoscaler?.workers[role]) {
      yield `engine.workers.${role}.startup_seconds has no effect: without a Planner no worker is added`;
    }
    const path = `engine.workers.${role}.scheduler.max_batched_tokens`;
    if (engine2.backend === "sglang" && given(path)) {
      yield `${path} does not limit SGLang's passes; it only enters the memory model`;
    }
    if (timing2.type === "default" || !planner2 || planner2.target !== "sla" || !scalingModes(planner2).throughput) {
      continue;
    }
    yield `engine.workers.${role}.timing is ${timing2.type}: the Planner's performance model starts from the operator database and disagrees with these workers until it has seen them run`;
  }
  const own = rolesOf(engine2).every(([, { context_length }]) => context_length !== null);
  if (own && given("engine.context_length")) {
    yield "engine.context_length has no effect: every role of workers has a context_length of its own";
  }
  for (const [role, { kv_cache: { bytes_per_token, capacity: capacity2 } }] of rolesOf(engine2)) {
    const path = `engine.workers.${role}.kv_cache.bytes_per_token`;
    if (given(path) && bytes_per_token !== "auto" && capacity2.bytes === null) {
      yield `${path} has no effect: it turns a capacity in bytes into blocks, and capacity.bytes is not given`;
    }
  }
  const shutdown = "execution.resources.shutdown_timeout_seconds";
  if (given(shutdown)) yield `${shutdown} has no effect: the run is one process that ends when its files are written`;
  if (autoscaler && traffic.load.type === "concurrency") {
    yield "traffic.load.type is concurrency: the load follows the capacity, whoever scales it";
  }
  const alone = autoscaler?.workers.aggregated;
  if (alone && "triggers" in alone && leavesNone(alone) && alone.triggers.every(({ metric: metric2 }) => OF_WORKERS.has(metric2))) {
    yield `autoscaler.workers.aggregated may be scaled to zero, and none of its triggers can bring a worker back: ${[
      ...OF_WORKERS
    ].join(" and ")} are measured on workers; add a trigger on queue_depth, or min_replica_count: 1`;
  }
  if (planner2) yield* plannerNotes(sections, planner2, given);
  else if (given("planner") && !given("planner.policy")) {
    yield "planner.policy is disabled unless it is set: the planner section has no effect";
  }
}
var OF_WORKERS = /* @__PURE__ */ new Set([
  "running_requests",
  "kv_usage"
]);
function* plannerNotes({ engine: engine2, traffic }, planner2, given) {
  const { advisory, target } = planner2;
  const modes = scalingModes(planner2);
  const { prefill } = engine2.workers, decode = engine2.workers.decode ?? engine2.workers.aggregated;
  if (!modes.retuneOnly) {
    yield* budgetWarnings({
      maxGpus: planner2.max_num_gpus,
      minGpus: planner2.min_num_gpus,
      gpus: {
        prefill: gpusOf(prefill),
        decode: gpusOf(decode)
      },
      starting: {
        prefill: prefill?.parallelism.replicas ?? 0,
        decode: decode.parallelism.replicas
      },
      minimum: {
        prefill: planner2.prefill_min_workers ?? planner2.min_workers,
        decode: planner2.decode_min_workers ?? planner2.min_workers
      },
      names: {
        max: "planner.max_num_gpus",
        min: "planner.min_num_gpus"
      }
    });
  }
  if (advisory) yield "[ADVISORY] the Planner makes every decision and changes nothing";
  if (target !== "sla" && !modes.retuneOnly) {
    for (const key of [
      "enable_throughput_scaling",
      "enable_load_scaling"
    ]) {
      if (planner2[key] !== void 0) {
        yield `planner.${key} has no effect: target ${target} scales on load only`;
      }
    }
  }
  if (!modes.retuneOnly) {
    for (const [key, works, reason2] of loadKeys(target, modes.load)) {
      if (!works && given(`planner.${key}`) && planner2[key] !== null) yield `planner.${key} has no effect: ${reason2}`;
    }
  }
  if (target !== "sla" && given("evaluation.sla") && planner2.retune == null) {
    yield `evaluation.sla does not steer the Planner: its target is ${target}`;
  }
  const predictorKeys = [
    [
      "load_predictor",
      true
    ],
    [
      "load_predictor_log1p",
      true
    ],
    [
      "load_predictor_warmup_trace",
      true
    ],
    [
      "throughput_adjustment_interval_seconds",
      true
    ],
    [
      "max_throughput_scaling_replicas",
      true
    ],
    [
      "prophet_window_size",
      planner2.load_predictor === "prophet"
    ],
    [
      "kalman_q_level",
      planner2.load_predictor === "kalman"
    ],
    [
      "kalman_q_trend",
      planner2.load_predictor === "kalman"
    ],
    [
      "kalman_r",
      planner2.load_predictor === "kalman"
    ],
    [
      "kalman_min_points",
      planner2.load_predictor === "kalman"
    ]
  ];
  for (const [key, fits] of predictorKeys) {
    if (!given(`planner.${key}`) || planner2[key] === null) continue;
    if (!modes.throughput) yield `planner.${key} has no effect: throughput scaling is off`;
    else if (!fits && planner2.retune == null) {
      yield `planner.${key} has no effect: load_predictor is ${planner2.load_predictor}`;
    }
  }
  if (planner2.retune != null) yield* retuneNotes(Object(planner2.retune), modes, given);
  if (traffic.load.type === "concurrency") {
    yield "traffic.load.type is concurrency: the load follows the capacity, so the Planner sees no arrivals of its own";
  }
}
var loadKeys = (target, load2) => {
  const sla2 = target === "sla";
  const model = `target ${target} uses no performance model`;
  return [
    [
      "load_scaling_down_sensitivity",
      sla2 && load2,
      sla2 ? "load scaling is off" : `target ${target} has thresholds of its own`
    ],
    [
      "load_min_observations",
      sla2,
      model
    ],
    [
      "max_num_fpm_samples",
      sla2,
      model
    ],
    [
      "fpm_sample_bucket_size",
      sla2,
      model
    ]
  ];
};
var gpusOf = (role) => role ? role.parallelism.tensor * role.parallelism.pipeline * role.parallelism.attention_data : 0;
var SCALING_KEYS = [
  "max_num_gpus",
  "min_num_gpus",
  "min_workers",
  "prefill_min_workers",
  "decode_min_workers",
  "max_num_fpm_samples",
  "fpm_sample_bucket_size",
  "load_scaling_down_sensitivity",
  "load_min_observations"
];
function* retuneNotes(block2, modes, given) {
  if (modes.retuneOnly) {
    for (const key of SCALING_KEYS.filter((key2) => given(`planner.${key2}`))) {
      yield `planner.${key} has no effect: both scaling modes are off, retune keeps the replicas`;
    }
  }
  if (block2.history_seconds != null && !modes.throughput) {
    yield "planner.retune.history_seconds has no effect: throughput scaling is off, nothing reads history";
  }
  if (block2.decision_latency_scale != null && block2.decision_latency_seconds !== "measured") {
    yield "planner.retune.decision_latency_scale has no effect: decision_latency_seconds is not measured";
  }
}

// lib/config/retune_domains.ts
var isFinite2 = (value) => typeof value === "number" && Number.isFinite(value);
function readDomain(value, { owner, check }) {
  if (Array.isArray(value)) return readChoices(value, owner, check);
  if (!isMapping(value)) {
    const wrong = check(value);
    return wrong === void 0 ? [
      value
    ] : new Problem(wrong);
  }
  const keys = Object.keys(value);
  if (keys.length !== 1 || keys[0] !== "choices" && keys[0] !== "range") {
    return new Problem(`Value error, ${owner} domains must contain exactly choices or range`);
  }
  if (keys[0] === "choices") return readChoices(value.choices, owner, check);
  return readRange(value.range, owner, check);
}
function readChoices(value, owner, check) {
  if (!Array.isArray(value) || value.length === 0) {
    return new Problem(`Value error, ${owner} choices must be a nonempty list`);
  }
  for (const choice2 of value) {
    const wrong = check(choice2);
    if (wrong !== void 0) return new Problem(wrong);
  }
  if (new Set(value).size < value.length) {
    return new Problem(`Value error, ${owner} choices must contain unique values`);
  }
  return value;
}
function readRange(value, owner, check) {
  if (!isMapping(value)) return new Problem(`Value error, ${owner} range must be a mapping`);
  const surplus = Object.keys(value).filter((key) => ![
    "min",
    "max",
    "step"
  ].includes(key));
  if (surplus.length > 0) {
    return new Problem(`Value error, ${owner} range has unknown fields ${quoteList(surplus.toSorted())}`);
  }
  const { min, max, step } = value;
  if (min === void 0 || max === void 0) return new Problem(`Value error, ${owner} range requires min and max`);
  if (!isFinite2(min) || !isFinite2(max) || min > max) {
    return new Problem(`Value error, ${owner} range requires finite numeric min <= max`);
  }
  if (!isFinite2(step) || step <= 0) {
    return new Problem(owner === "Router" ? "Value error, Router numeric ranges require a stepped linear range" : "Value error, Planner independent numeric ranges require step");
  }
  const wrong = check(min) ?? check(max);
  if (wrong !== void 0) return new Problem(wrong);
  const count2 = (max - min) / step;
  if (count2 > 1e4) return new Problem(`Value error, ${owner} range has more than 10,000 values`);
  const values = decimalRange(min, max, step);
  const odd = values.map(check).find((message) => message !== void 0);
  return odd === void 0 ? values : new Problem(odd);
}
function decimalRange(min, max, step) {
  const [low, high, by] = [
    min,
    max,
    step
  ].map(toDecimal);
  const scale = Math.max(low.scale, high.scale, by.scale);
  const whole2 = ({ digits, scale: own }) => digits * 10n ** BigInt(scale - own);
  const values = [];
  for (let at = whole2(low); at <= whole2(high); at += whole2(by)) values.push(Number(`${at}e-${scale}`));
  return values;
}
function toDecimal(value) {
  const [mantissa, exponent = "0"] = String(value).split("e");
  const [whole2, fraction = ""] = mantissa.split(".");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole2 + fraction);
  return scale >= 0 ? {
    digits,
    scale
  } : {
    digits: digits * 10n ** BigInt(-scale),
    scale: 0
  };
}

// lib/config/retune_section.ts
var positive3 = () => laxNumber({
  gt: 0
});
var knobDomain = {
  owner: "Router",
  check(value) {
    if (typeof value !== "number" || !Number.isFinite(value)) return "Input should be a finite number";
    return value >= 0 ? void 0 : "Input should be greater than or equal to 0";
  }
};
var sensitivityDomain = {
  owner: "Planner",
  check(value) {
    if (!Number.isInteger(value)) return "Input should be a valid integer";
    if (value < 0) return "Input should be greater than or equal to 0";
    return value <= 100 ? void 0 : "Input should be less than or equal to 100";
  }
};
var domain = (kind) => reads((value) => readDomain(value, kind));
var DEFAULT_KNOBS = {
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
var CANNOT = {
  host_cache_hit_weight: "it also sets how the startup router counts cached tokens, which a runtime update does not change",
  disk_cache_hit_weight: "it also sets how the startup router counts cached tokens, which a runtime update does not change",
  shared_cache_multiplier: "replay reports no shared cache hits"
};
var refused = Object.fromEntries(Object.entries(CANNOT).map(([name, why]) => [
  name,
  optional(reads(() => new Problem(`Value error, retune.router.${name} cannot be retuned: ${why}`)))
]));
var router = orDefaultWord(section("RetuneRouter", {
  overlap_score_credit: optional(domain(knobDomain)),
  prefill_load_scale: optional(domain(knobDomain)),
  temperature: optional(domain(knobDomain)),
  ...refused
}));
var predictors = reads((value) => {
  if (value === "default") return value;
  const list = typeof value === "string" ? [
    value
  ] : value;
  if (!Array.isArray(list) || list.length === 0) {
    return new Problem("Value error, Planner choices must be a nonempty list");
  }
  const odd = list.find((name) => typeof name !== "string" || !Object.hasOwn(PREDICTOR_PRESETS, name));
  if (odd !== void 0) {
    const near = typeof odd === "string" ? nearName(odd, Object.keys(PREDICTOR_PRESETS)) : void 0;
    const known = Object.keys(PREDICTOR_PRESETS).join(", ");
    return new Problem(`Value error, unknown load predictor preset '${odd}', expected one of ${known}`, near && didYouMean(near));
  }
  return new Set(list).size < list.length ? new Problem("Value error, Planner choices must contain unique values") : list;
});
var planner = orDefaultWord(section("RetunePlanner", {
  load_scaling_down_sensitivity: optional(domain(sensitivityDomain)),
  load_predictor: optional(predictors)
}));
function orDefaultWord(schema4) {
  return lazy((value) => value === "default" ? literal("default") : schema4);
}
var fields2 = {
  interval_seconds: withDefault(positive3(), 600),
  grace_seconds: withDefault(laxNumber({
    ge: 0
  }), 60),
  router: orNull2(router),
  planner: orNull2(planner),
  objective: withDefault(literal2(OBJECTIVES), "goodput_per_gpu"),
  sla_ttft_ms: orNull2(positive3()),
  sla_itl_ms: orNull2(positive3()),
  min_improvement_percentage: withDefault(laxNumber({
    ge: 0
  }), 3),
  decision_latency_seconds: withDefault(orWord("measured", laxNumber({
    ge: 0
  }), "constrained-float"), 0),
  decision_latency_scale: withDefault(positive3(), 1),
  timeout_seconds: orNull2(positive3()),
  max_parallel: withDefault(laxInt({
    gt: 0
  }), 4),
  history_seconds: orNull2(positive3())
};
var retuneSection = section("RetuneConfig", fields2, [
  ({ router: router2, planner: planner2 }) => router2 === null && planner2 === null ? "retune requires router or planner" : void 0,
  ({ interval_seconds, decision_latency_seconds, decision_latency_scale, timeout_seconds }) => {
    const timeout = timeout_seconds ?? interval_seconds;
    const limit2 = interval_seconds / decision_latency_scale;
    if (decision_latency_seconds === "measured" && decision_latency_scale > 1 && timeout > limit2) {
      return `retune.timeout_seconds (${timeout}s) must be at most interval_seconds / decision_latency_scale (${limit2}s) when decision_latency_seconds is measured`;
    }
  },
  ({ interval_seconds, decision_latency_seconds }) => typeof decision_latency_seconds === "number" && decision_latency_seconds > interval_seconds ? "retune.decision_latency_seconds must be at most interval_seconds" : void 0
]);
function resolveRetune(retune, context) {
  const ticks = retune.interval_seconds / context.loadIntervalSeconds;
  if (Math.abs(ticks - Math.round(ticks)) > 1e-9) {
    return {
      problem: `retune.interval_seconds must be a multiple of load_adjustment_interval_seconds (${context.loadIntervalSeconds}s), got ${retune.interval_seconds}`
    };
  }
  const fields4 = plannerFields(retune.planner, context);
  if (fields4 !== null && "problem" in fields4) return fields4;
  const windows = (fields4?.load_predictor ?? []).map((name) => PREDICTOR_PRESETS[name].prophet_window_size ?? 0);
  const window = Math.max(0, ...windows) || context.prophetWindow;
  const timeout = retune.timeout_seconds ?? retune.interval_seconds;
  return {
    interval_seconds: retune.interval_seconds,
    grace_seconds: retune.grace_seconds,
    router: routerKnobs(retune.router),
    planner: fields4,
    objective: retune.objective,
    sla_ttft_ms: retune.sla_ttft_ms ?? context.slaTtftMs,
    sla_itl_ms: retune.sla_itl_ms ?? context.slaItlMs,
    min_improvement_percentage: retune.min_improvement_percentage,
    decision_latency_seconds: retune.decision_latency_seconds,
    decision_latency_scale: retune.decision_latency_scale,
    timeout_seconds: timeout,
    max_parallel: retune.max_parallel,
    history_seconds: retune.history_seconds ?? context.throughputIntervalSeconds * window
  };
}
function routerKnobs(router2) {
  if (router2 === null) return null;
  const written = router2 === "default" ? {} : router2;
  return Object.fromEntries(ROUTER_KNOBS.map((name) => [
    name,
    written[name] ?? DEFAULT_KNOBS[name]
  ]));
}
function plannerFields(planner2, { loadScaling, throughputScaling }) {
  if (planner2 === null) return null;
  if (!loadScaling && !throughputScaling) {
    return {
      problem: "retune.planner has nothing to search: both scaling modes are off"
    };
  }
  const all = Object.keys(PREDICTOR_PRESETS);
  if (planner2 === "default") {
    return {
      load_scaling_down_sensitivity: loadScaling ? [
        70,
        80,
        90
      ] : null,
      load_predictor: throughputScaling ? all : null
    };
  }
  if (planner2.load_scaling_down_sensitivity && !loadScaling) {
    return {
      problem: "retune.planner.load_scaling_down_sensitivity requires load scaling"
    };
  }
  if (planner2.load_predictor && !throughputScaling) {
    return {
      problem: "retune.planner.load_predictor requires throughput scaling"
    };
  }
  return {
    load_scaling_down_sensitivity: planner2.load_scaling_down_sensitivity ?? null,
    load_predictor: planner2.load_predictor === "default" ? all : planner2.load_predictor ?? null
  };
}

// lib/config/router_section.ts
var knob = () => optional(reads((value) => {
  if (value === null) return new Problem("Value error, Router numeric knobs do not accept null");
  const result = safeParse(strictNumber({
    ge: 0
  }), value);
  return result.success ? result.output : new Problem(result.issues[0].message);
}));
var fields3 = {
  policy: withDefault(literal2(ROUTER_NAMES), "round_robin"),
  prefill_load_model: withDefault(section("PrefillLoadModel", {
    type: withDefault(literal2([
      "none",
      "aic",
      "ais"
    ]), "none")
  }), {}),
  overlap_score_credit: knob(),
  prefill_load_scale: knob(),
  temperature: knob(),
  seed: optional(strictInt({
    ge: 0
  })),
  policy_file: optional(nonemptyText())
};
var routerSection = section("RouterConfig", fields3, [
  ({ policy: policy3, prefill_load_model, ...knobs }) => {
    const given = Object.entries(knobs).filter(([, value]) => value !== void 0).map(([name]) => name);
    if (policy3 === "kv_router" || given.length === 0 && prefill_load_model.type === "none") return void 0;
    return `${policy3} requires prefill_load_model.type='none' and rejects KV-router knobs ` + quoteList(given.toSorted());
  }
]);

// lib/config/rules.ts
function* brokenRules(sections) {
  yield* documentRules(sections);
  yield* routerRules(sections);
  if (sections.planner) yield* plannerRules(sections, sections.planner);
  if (sections.autoscaler) yield* autoscalerRules(sections, sections.autoscaler);
  yield* capabilities(sections);
  yield* notSimulated2(sections);
}
var AGGREGATED_ONLY = [
  "mooncake-delta",
  "agentic_mooncake"
];
function* documentRules({ traffic: { source }, engine: engine2 }) {
  if (source.type === "trace" && AGGREGATED_ONLY.includes(source.format) && engine2.mode !== "aggregated") {
    const message = `Value error, ${source.format} requires aggregated engine mode`;
    yield {
      path: "engine.mode",
      message
    };
  }
  const { prefill, decode } = engine2.workers;
  if (engine2.mode === "disaggregated" && prefill && decode) {
    const [a, b] = [
      prefill.kv_cache.block_size,
      decode.kv_cache.block_size
    ];
    if (a !== b && a !== null && b !== null) {
      const message = `offline disaggregated replay requires matching prefill/decode block_size, got ${a} and ${b}`;
      yield {
        path: "engine.workers.decode.kv_cache.block_size",
        message
      };
    }
  }
}
function* autoscalerRules({ engine: engine2, planner: planner2 }, autoscaler) {
  if (planner2) {
    yield {
      path: "autoscaler",
      message: "the Planner scales already: give planner or autoscaler, not both"
    };
  }
  const roles = rolesOf(engine2).map(([role]) => role);
  for (const role of Object.keys(autoscaler.workers)) {
    const path = `autoscaler.workers.${role}`, settings2 = autoscaler.workers[role];
    if (settings2 === null) continue;
    if (!roles.includes(role)) yield {
      path,
      message: `engine.mode ${engine2.mode} has no ${role} workers`
    };
    else if (role !== "aggregated" && leavesNone(settings2)) yield {
      path,
      message: SCALED_TO_ZERO
    };
  }
}
function* routerRules({ engine: engine2, router: router2, planner: planner2, autoscaler }) {
  if (router2?.policy !== "kv_router" || planner2 !== null || autoscaler !== null) return;
  const ranks2 = rolesOf(engine2).map(([, { parallelism: parallelism2 }]) => parallelism2.replicas * parallelism2.attention_data);
  if (Math.max(...ranks2) < 2) {
    yield {
      path: "router.policy",
      message: "router.policy=kv_router requires more than one routable worker"
    };
  }
}
function* plannerRules({ traffic: { source, load: load2, stop: stop2 }, evaluation: { sla: sla2 }, router: router2 }, planner2) {
  const modes = scalingModes(planner2);
  if (modes.throughput && (sla2?.ttft_ms == null || sla2.itl_ms == null)) {
    const message = "Planner throughput scaling requires evaluation.sla.ttft_ms and evaluation.sla.itl_ms";
    yield {
      path: "planner.target",
      message
    };
  }
  if (source.type === "trace" && AGGREGATED_ONLY.includes(source.format)) {
    yield {
      path: "planner.policy",
      message: `dynamo.planner does not support trace format '${source.format}'`
    };
  }
  if (planner2.retune == null) return;
  const format = source.type === "trace" ? source.format : null;
  if (format !== "dynamo") {
    yield {
      path: "planner.retune",
      message: "planner.retune requires traffic.source.type=trace with format=dynamo"
    };
  }
  if (load2.type !== "trace_timestamps") {
    yield {
      path: "planner.retune",
      message: "planner.retune requires traffic.load.type=trace_timestamps"
    };
  }
  for (const name of [
    "agentic_lanes",
    "agentic_snapshot",
    "agentic_warmup",
    "agentic_profile"
  ]) {
    if (load2[name] !== null) {
      yield {
        path: `traffic.load.${name}`,
        message: `planner.retune does not support traffic.load.${name}`
      };
    }
  }
  if (stop2?.max_virtual_time_seconds != null) {
    const path = "traffic.stop.max_virtual_time_seconds";
    yield {
      path,
      message: `planner.retune does not support ${path}`
    };
  }
  const { router: searched } = Object(planner2.retune);
  if (searched != null && router2?.policy !== "kv_router") {
    yield {
      path: "planner.retune.router",
      message: "planner.retune.router requires router.policy=kv_router"
    };
  }
}
function* capabilities({ stack, engine: engine2 }) {
  if (stack !== "dynamo") return yield* contextParallelism(engine2);
  if (engine2.nextn > 0) {
    const message = "runner does not support explicit MTP expected acceptance; use --stack engine";
    yield {
      path: "engine.nextn",
      message
    };
  }
  for (const [path, value] of modelControls(engine2)) {
    if (value === null) continue;
    const name = path.slice(path.lastIndexOf(".") + 1);
    yield {
      path,
      message: `runner does not support engine model controls ['${name}']; use --stack engine`
    };
  }
  for (const [role, { parallelism: parallelism2 }] of rolesOf(engine2)) {
    const prefix = role === "aggregated" ? "" : `${role}_`;
    const sizes = [
      [
        "pipeline",
        "pp",
        parallelism2.pipeline
      ],
      [
        "prefill_context",
        "cp",
        parallelism2.prefill_context ?? 1
      ],
      [
        "decode_context",
        "dcp",
        parallelism2.decode_context ?? 1
      ]
    ];
    for (const [field, name, size] of sizes) {
      if (size === 1) continue;
      const path = `engine.workers.${role}.parallelism.${field}`;
      yield {
        path,
        message: `runner does not support parallel_config.${prefix}${name}=${size}`
      };
    }
  }
}
function* contextParallelism(engine2) {
  for (const [role, { parallelism: parallelism2 }] of rolesOf(engine2)) {
    for (const field of [
      "prefill_context",
      "decode_context"
    ]) {
      const size = parallelism2[field] ?? 1;
      if (size === 1) continue;
      const path = `engine.workers.${role}.parallelism.${field}`;
      yield {
        path,
        message: `context parallelism (${size}) is not simulated; expected 1`
      };
    }
  }
}
var MODES = [
  "gemm_quant_mode",
  "moe_quant_mode",
  "kvcache_quant_mode",
  "fmha_quant_mode",
  "comm_quant_mode"
];
function* modelControls(engine2) {
  for (const name of MODES) yield [
    `engine.${name}`,
    engine2[name]
  ];
  for (const [role, { timing: timing2 }] of rolesOf(engine2)) {
    for (const name of MODES) yield [
      `engine.workers.${role}.timing.${name}`,
      timing2[name]
    ];
  }
}
var OPERATORS = "estimates are made operator by operator (op_level)";
var unsupported = (path, why) => ({
  path,
  message: `${path} is not supported: ${why}`
});
function* estimation(path, { estimation_mode, fallback_policy }) {
  if (estimation_mode?.startsWith("fpm")) yield unsupported(`${path}.estimation_mode`, OPERATORS);
  if (fallback_policy === "allow") {
    yield unsupported(`${path}.fallback_policy`, "a model without measurements ends the prediction (deny)");
  }
}
function* notSimulated2({ stack, traffic: { source, load: load2 }, engine: engine2, router: router2, planner: planner2 }) {
  if (source.type === "trace" && source.format === "weka") {
    yield {
      path: "traffic.source.format",
      message: "runner does not support trace format 'weka'"
    };
  }
  if (source.type === "synthetic" && source.images) {
    yield unsupported("traffic.source.images", "multimodal requests are not simulated");
  }
  if (source.type === "synthetic" && source.cached_prefix_tokens > 0 && stack === "dynamo") {
    const path = "traffic.source.cached_prefix_tokens";
    yield {
      path,
      message: "runner does not support cached_prefix_tokens; use --stack engine"
    };
  }
  for (const name of [
    "agentic_snapshot",
    "agentic_warmup",
    "agentic_profile"
  ]) {
    if (load2[name] !== null) yield unsupported(`traffic.load.${name}`, "the replay starts at the beginning of a trace");
  }
  if (engine2.speculation && (stack === "dynamo" || router2 || planner2)) {
    yield {
      path: "engine.speculation",
      message: "ngram speculation requires offline --stack engine without adapters"
    };
  } else if (engine2.speculation) {
    yield unsupported("engine.speculation", "drafts from the prompt are not simulated; use nextn");
  }
  for (const name of [
    "enable_eplb",
    "wideep_num_slots",
    "moe_backend",
    "moe_kernel_source",
    "attention_backend"
  ]) {
    if (engine2[name] !== null && engine2[name] !== false) {
      yield unsupported(`engine.${name}`, "the operator database has no such variants");
    }
  }
  for (const name of [
    "systems_paths",
    "systems_path"
  ]) {
    if (engine2[name] !== null) yield unsupported(`engine.${name}`, "engine.data_release names installed measurements");
  }
  for (const name of [
    "estimator_config",
    "fpm_profile"
  ]) {
    if (engine2[name] !== null) yield unsupported(`engine.${name}`, OPERATORS);
  }
  if (engine2.enable_shared_layer !== null) {
    yield unsupported("engine.enable_shared_layer", "what versions share is settled when perf-data builds a set");
  }
  if (engine2.strict_provenance) {
    yield unsupported("engine.strict_provenance", "database_mode: SILICON takes nothing but measurements");
  }
  if (engine2.decoder_replay) yield unsupported("engine.decoder_replay", OPERATORS);
  yield* estimation("engine", engine2);
  for (const [role, { kv_cache, timing: timing2 }] of rolesOf(engine2)) {
    const path = `engine.workers.${role}`;
    if (kv_cache.host_offload) {
      yield unsupported(`${path}.kv_cache.host_offload`, "offloading KV blocks to host memory is not simulated");
    }
    if (timing2.forward_model === "fpm") yield unsupported(`${path}.timing.forward_model`, OPERATORS);
    yield* estimation(`${path}.timing`, timing2);
  }
}

// lib/config/load.ts
var STACKS = [
  "dynamo",
  "engine"
];
var CORE = [
  "traffic",
  "engine",
  "evaluation",
  "execution"
];
var ADAPTERS = {
  planner: plannerSection,
  router: routerSection,
  autoscaler: autoscalerSection
};
async function loadPrediction(text4, options = {}) {
  checkOptions("loadPrediction()", options, {
    name: true,
    stack: true,
    set: true
  });
  const { name = DEFAULT_NAME, set: set2 = [] } = options;
  const document = new ConfigDocument(name, text4);
  for (const argument of set2) document.override(argument);
  const stack = options.stack ?? (Object.keys(ADAPTERS).some((section2) => Object.hasOwn(document.value, section2)) ? "dynamo" : "engine");
  checkStack(stack);
  const issues = [];
  const sections = readSections(document, stack, issues);
  if (sections === null) throw configError(name, issues);
  const whole2 = ({ path, message }) => placed(document, "", path.split("."), message);
  issues.push(...Array.from(brokenRules(sections), whole2));
  const plan = await makePlan(document, sections, issues);
  if (issues.length > 0) throw configError(name, issues);
  return {
    plan,
    effective: document.value,
    warnings: warningsOf(document, sections),
    place: (error) => placedError(document, error)
  };
}
var DEFAULT_NAME = "configuration";
function checkStack(stack) {
  if (STACKS.includes(stack)) return;
  const near = nearName(stack, STACKS);
  const message = `stack ${quote(stack)} is unavailable; installed stacks: ${STACKS.join(", ")}. Install the distribution that provides the requested stack.`;
  throw new ConfigError(message + (near ? ` (${didYouMean(near)})` : ""), [
    {
      path: "",
      message
    }
  ]);
}
function readSections(document, stack, issues) {
  const { value } = document;
  const searched = [
    "optimization",
    "optimizer"
  ].filter((name) => Object.hasOwn(value, name));
  if (searched.length > 0) {
    issues.push(placed(document, "", [
      searched[0]
    ], `predict does not accept ${quoteList(searched)}`));
  }
  const read = (name, schema4, absent) => {
    const result = safeParse(schema4, Object.hasOwn(value, name) ? value[name] : absent);
    if (!result.success) issues.push(...placedIssues(document, name, result.issues));
    return result.output;
  };
  const traffic = read("traffic", trafficSection, DEFAULT_TRAFFIC);
  let engine2;
  if (Object.hasOwn(value, "engine")) engine2 = read("engine", engineSection, void 0);
  else issues.push(placed(document, "engine", [
    "engine"
  ], "Field required"));
  const evaluation = read("evaluation", evaluationSection, {});
  const execution = read("execution", executionSection, {});
  const adapters = {};
  for (const name of Object.keys(value)) {
    if (CORE.includes(name) || searched.includes(name)) continue;
    if (stack !== "dynamo" || !Object.hasOwn(ADAPTERS, name)) {
      const near = homeOf(name, value[name]) ?? nearName(name, [
        ...CORE,
        ...stack === "dynamo" ? Object.keys(ADAPTERS) : []
      ]);
      const hint = near && near !== name ? didYouMean(near) : void 0;
      const sections = [
        ...CORE,
        ...stack === "dynamo" ? Object.keys(ADAPTERS) : []
      ].toSorted().join(", ");
      const message = `unknown top-level section ${quote(name)}; known sections for --stack ${stack}: ${sections}`;
      issues.push(placed(document, "", [
        name
      ], message, Object.hasOwn(ADAPTERS, name) ? "use --stack dynamo" : hint));
    } else if (typeof value[name] !== "object" || value[name] === null || Array.isArray(value[name])) {
      issues.push(placed(document, "", [
        name
      ], `adapter section '${name}' must be a mapping`));
    } else adapters[name] = read(name, ADAPTERS[name], void 0);
  }
  if (issues.length > 0) return null;
  const planner2 = adapters.planner?.policy === "enabled" ? adapters.planner : null;
  const { router: router2 = null, autoscaler = null } = adapters;
  return {
    stack,
    traffic,
    engine: engine2,
    evaluation,
    execution,
    router: router2,
    planner: planner2,
    autoscaler
  };
}
var HOMES = {
  traffic: [
    "source",
    "load",
    "stop"
  ],
  engine: [
    "model",
    "hardware",
    "backend",
    "backend_version",
    "mode",
    "context_length",
    "workers"
  ],
  evaluation: [
    "sla",
    "price_per_gpu_hour",
    "currency"
  ],
  execution: [
    "resources"
  ]
};
function homeOf(name, value) {
  const home = Object.keys(HOMES).find((section2) => HOMES[section2].includes(name));
  if (home === void 0) return void 0;
  const [bound2] = name === "sla" && typeof value === "object" && value !== null ? Object.keys(value) : [];
  const near = bound2 === void 0 ? void 0 : nearName(bound2, [
    "ttft_ms",
    "itl_ms",
    "e2e_ms"
  ]);
  return [
    home,
    name,
    ...near === void 0 ? [] : [
      near
    ]
  ].join(".");
}
async function makePlan(document, sections, issues) {
  const { stack, traffic, engine: engine2, evaluation, execution, router: router2, planner: planner2, autoscaler } = sections;
  const roles = rolePlans(engine2);
  for (const role of roles) checkSettings(document, role, issues);
  const retune = planner2 && retunePlan(document, sections, issues);
  const config = planner2 && plannerConfig(planner2, engine2, evaluation.sla, retune);
  if (config !== null && issues.length === 0) await checkPlanner(document, config, issues);
  return {
    stack,
    traffic: trafficPlan(traffic),
    roles,
    router: routerPlan(router2),
    planner: config,
    autoscaler: autoscaler && {
      kind: autoscaler.type,
      config: {
        ...autoscaler
      }
    },
    retune,
    sla: slaPlan(evaluation.sla),
    price: pricePlan(evaluation),
    resources: execution.resources
  };
}
function checkSettings(document, role, issues) {
  try {
    workerSettings(role, {
      blocks: 1,
      maxModelTokens: 1,
      transferBytesPerToken: 1
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    issues.push(placed(document, "", [
      "engine",
      "workers",
      role.role
    ], error.message));
  }
}
async function checkPlanner(document, config, issues) {
  const { parsePlannerConfig } = await import(import.meta.resolve("./lib.planner.config.js"));
  try {
    parsePlannerConfig(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const { path, message } of error.issues) {
      const key = keyOfRule(path || message);
      issues.push(placed(document, "planner", [
        "planner",
        ...key ? [
          key
        ] : []
      ], `Value error, ${message}`));
    }
  }
}
function retunePlan(document, sections, issues) {
  const { planner: planner2, evaluation } = sections;
  if (planner2?.retune == null) return null;
  const result = safeParse(retuneSection, planner2.retune);
  if (!result.success) {
    issues.push(...placedIssues(document, "planner.retune", result.issues));
    return null;
  }
  const modes = scalingModes(planner2);
  const resolved = resolveRetune(result.output, {
    throughputScaling: modes.throughput,
    loadScaling: modes.load,
    loadIntervalSeconds: planner2.load_adjustment_interval_seconds ?? 5,
    throughputIntervalSeconds: planner2.throughput_adjustment_interval_seconds ?? 180,
    prophetWindow: planner2.prophet_window_size,
    slaTtftMs: evaluation.sla?.ttft_ms ?? 500,
    slaItlMs: evaluation.sla?.itl_ms ?? 50
  });
  if (!("problem" in resolved)) return resolved;
  issues.push(placed(document, "", [
    "planner",
    "retune"
  ], resolved.problem));
  return null;
}
function warningsOf(document, sections) {
  const given = (path) => {
    let at = document.value;
    for (const part of path.split(".")) at = at?.[part];
    return at != null;
  };
  const numbers = document.ambiguousNumbers().map(({ place: { file, line, column }, text: text4, ours, theirs }) => `${file}:${line}:${column}: ${text4} is ${ours} here (YAML 1.2); a YAML 1.1 reader takes it for ${theirs}`);
  return [
    ...numbers,
    ...notes(sections, given)
  ];
}

// lib/report/compare.ts
var latency = (key, name) => [
  "mean",
  "median",
  "p90",
  "p95",
  "p99"
].map((statistic) => ({
  key: `${statistic}_${key}`,
  label: `${name} ${statistic} (ms)`,
  better: "lower"
}));
var FIGURES = [
  {
    key: "attainment_percent",
    label: "Requests within the SLA (%)",
    better: "higher"
  },
  {
    key: "goodput_completed_requests",
    label: "Requests within the SLA",
    better: "higher"
  },
  ...[
    "ttft",
    "tpot",
    "e2e"
  ].map((bound2) => ({
    key: `missed_${bound2}`,
    label: `\u2026 that missed the bound on ${bound2.toUpperCase()}`,
    better: "lower"
  })),
  {
    key: "missed_unserved",
    label: "\u2026 that were not served",
    better: "lower"
  },
  {
    key: "gpu_hours",
    label: "GPU hours",
    better: "lower"
  },
  {
    key: "cost",
    label: "Cost",
    better: "lower"
  },
  {
    key: "cost_per_million_output_tokens",
    label: "Cost of a million output tokens",
    better: "lower"
  },
  {
    key: "cost_per_thousand_good_requests",
    label: "Cost of 1,000 requests within the SLA",
    better: "lower"
  },
  {
    key: "goodput_output_throughput_tok_s",
    label: "Goodput (output tokens/s)",
    better: "higher"
  },
  {
    key: "goodput_request_throughput_rps",
    label: "Goodput (requests/s)",
    better: "higher"
  },
  {
    key: "completed_requests",
    label: "Requests completed",
    better: "higher"
  },
  {
    key: "rejected_requests",
    label: "Requests rejected",
    better: "lower"
  },
  {
    key: "output_throughput_tok_s",
    label: "Output (tokens/s)",
    better: "higher"
  },
  ...latency("ttft_ms", "TTFT"),
  ...latency("tpot_ms", "TPOT"),
  ...latency("itl_ms", "ITL"),
  ...latency("e2e_latency_ms", "E2E"),
  {
    key: "prefix_cache_reused_ratio",
    label: "Prefix cache reuse",
    better: "higher"
  },
  {
    key: "duration_ms",
    label: "Duration (ms)",
    better: null
  },
  {
    key: "scaling_events",
    label: "Scaling events",
    better: null
  },
  {
    key: "added_workers",
    label: "Workers added",
    better: null
  },
  {
    key: "worker_starts",
    label: "Workers with a start-up delay",
    better: null
  },
  {
    key: "recommended_scaling_events",
    label: "Recommended scaling events",
    better: null
  },
  {
    key: "retunes_applied",
    label: "Retunes applied",
    better: null
  }
];
function figuresOf({ summary, planner: planner2, evaluation }) {
  const values = {
    ...summary,
    ...judgedFigures(summary, evaluation ?? {}),
    scaling_events: planner2?.scaling_events.length,
    added_workers: planner2?.scaling_events.reduce((sum, event) => sum + Math.max(event.to_count - event.from_count, 0), 0),
    worker_starts: planner2?.lifecycle_operations.flatMap((operation) => operation.transitions).filter(({ transition }) => transition === "worker_starting").length,
    recommended_scaling_events: planner2?.recommended_scaling_events?.length || void 0,
    retunes_applied: planner2?.retune_events?.filter(({ outcome }) => outcome === "applied").length
  };
  return Object.fromEntries(FIGURES.map(({ key }) => [
    key,
    typeof values[key] === "number" ? values[key] : null
  ]));
}
function judgedFigures(summary, { sla: sla2, cost }) {
  const share2 = attainment(summary);
  return {
    attainment_percent: share2 === null ? null : share2 * 100,
    missed_ttft: sla2?.bounds.ttft_ms == null ? null : sla2.missed.ttft,
    missed_tpot: sla2?.bounds.itl_ms == null ? null : sla2.missed.tpot,
    missed_e2e: sla2?.bounds.e2e_ms == null ? null : sla2.missed.e2e,
    missed_unserved: sla2?.missed.unserved || null,
    cost: cost?.total,
    cost_per_million_output_tokens: cost?.per_million_output_tokens,
    cost_per_thousand_good_requests: cost?.per_thousand_good_requests
  };
}
function firstDivergence(a, b) {
  const left = a.planner?.ticks ?? [], right = b.planner?.ticks ?? [];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [one, other] = [
      left[i],
      right[i]
    ];
    if (one === void 0 || other === void 0) {
      const present = one ?? other;
      const [first, second] = one ? [
        "a tick",
        "no tick"
      ] : [
        "no tick",
        "a tick"
      ];
      return {
        ordinal: i,
        at_ms: present.at_ms,
        what: "end",
        first,
        second
      };
    }
    for (const [what, view] of VIEWS) {
      if (view(one) !== view(other)) {
        return {
          ordinal: i,
          at_ms: one.at_ms,
          what,
          first: view(one),
          second: view(other)
        };
      }
    }
  }
  return null;
}
var VIEWS = [
  [
    "time",
    (tick) => `${tick.at_ms} ms`
  ],
  [
    "replicas",
    replicas
  ],
  [
    "decision",
    decision
  ]
];
var rolesOf2 = ({ input }) => input.worker_counts.ready_num_prefill === null ? [
  [
    "decode",
    "agg"
  ]
] : [
  [
    "prefill",
    "prefill"
  ],
  [
    "decode",
    "decode"
  ]
];
function replicas(tick) {
  return rolesOf2(tick).map(([role, name]) => {
    const { active_count, starting_count, draining_count } = tick.topology[role];
    return `${name} ${active_count} active, ${starting_count} starting, ${draining_count} draining`;
  }).join("; ");
}
function decision(tick) {
  const { runtime_decision, effects, router_policies } = tick, roles = rolesOf2(tick);
  const targets = roles.map(([role, name]) => `${name} ${runtime_decision[`target_${role}`] ?? effects.scale_to?.[`num_${role}`] ?? "unchanged"}`);
  const routers = roles.map(([role, name]) => {
    const before = router_policies?.[role]?.parameters ?? {};
    const changes = Object.entries(runtime_decision.router_parameters?.[role] ?? {}).filter(([name2, value]) => before[name2] !== value).map(([name2, value]) => `${name2} ${value}`);
    return changes.length === 0 ? "" : `; ${name} router ${changes.join(", ")}`;
  });
  return `${targets.join(", ")}${routers.join("")}`;
}

// lib/report/terminal_table.ts
var OPTIONS = {
  columns: true
};
var STATISTICS2 = [
  {
    key: "mean",
    head: "mean",
    rank: 0
  },
  {
    key: "min",
    head: "min",
    rank: 7
  },
  {
    key: "median",
    head: "p50",
    rank: 1
  },
  {
    key: "p75",
    head: "p75",
    rank: 8
  },
  {
    key: "p90",
    head: "p90",
    rank: 2
  },
  {
    key: "p95",
    head: "p95",
    rank: 3
  },
  {
    key: "p99",
    head: "p99",
    rank: 4
  },
  {
    key: "max",
    head: "max",
    rank: 5
  },
  {
    key: "std",
    head: "std",
    rank: 6
  }
];
var DISTRIBUTIONS = [
  [
    "TTFT (ms)",
    "ttft_ms"
  ],
  [
    "TPOT (ms)",
    "tpot_ms"
  ],
  [
    "ITL (ms)",
    "itl_ms"
  ],
  [
    "E2E (ms)",
    "e2e_latency_ms"
  ],
  [
    "Tokens/s per user",
    "output_token_throughput_per_user"
  ]
];
var LABEL2 = 20;
function terminalTable(report, options = {}) {
  checkOptions("terminalTable()", options, OPTIONS);
  const { columns = 80 } = options;
  const facts = factsOf(report).flatMap(([label, text4]) => wrapped(label.padEnd(LABEL2) + text4, columns, LABEL2));
  const tables = [
    latencyTable(report.summary, columns),
    ...workerTables(report.workers ?? [])
  ];
  return [
    facts,
    ...tables
  ].filter((lines) => lines.length > 0).map((lines) => lines.join("\n")).join("\n\n");
}
function factsOf({ summary, planner: planner2 }) {
  const values = summary;
  const { completed_requests: completed, num_requests: all = completed, gpu_hours: hours, duration_ms: ms } = values;
  const { rejected_requests: rejected, failed_requests: failed, largest_prompt_tokens: largest } = values;
  const facts = [];
  if (completed != null) {
    facts.push([
      "Requests",
      [
        `${completed === all ? whole(completed) : `${whole(completed)} of ${whole(all)}`} completed`,
        ...rejected ? [
          `${whole(rejected)} rejected${largest ? ` (the largest prompt that fits: ${whole(largest)} tokens)` : ""}`
        ] : [],
        ...failed ? [
          `${whole(failed)} failed`
        ] : []
      ].join(", ")
    ]);
  }
  if (hours != null) {
    const gpus = number(ms ? hours * 36e5 / ms : 0);
    const mean2 = ms ? `, ${gpus} ${gpus === "1" ? "GPU" : "GPUs"} on average over ${time(ms / 1e3)}` : "";
    facts.push([
      "GPU hours",
      `${number(hours)}${mean2}`
    ]);
  }
  const rates = (prefix) => {
    const [tokens, requests] = [
      values[`${prefix}output_throughput_tok_s`],
      values[`${prefix}request_throughput_rps`]
    ];
    return tokens == null || requests == null ? null : `${number(tokens)} output tokens/s, ${number(requests)} requests/s`;
  };
  const goodput = rates("goodput_"), output = rates("");
  if (goodput !== null) facts.push([
    "Goodput",
    goodput
  ]);
  if (output !== null) facts.push([
    "Throughput",
    output
  ]);
  if (values.prefix_cache_reused_ratio != null) {
    facts.push([
      "Prefix cache reuse",
      `${percent(values.prefix_cache_reused_ratio, 1)} of the prompt tokens`
    ]);
  }
  if (values.power_coverage) {
    const known = `${percent(values.power_coverage, 1)} of the passes' time`;
    facts.push([
      "Power of a GPU",
      values.power_w == null ? `not told: the energy of ${known} is known` : `${number(values.power_w)} W while passes run, from ${known}`
    ]);
  }
  if (planner2) facts.push(...scalingFacts(planner2));
  return facts;
}
function scalingFacts({ scaling_events, recommended_scaling_events, retune_events }) {
  const added = scaling_events.reduce((sum, { from_count, to_count }) => sum + Math.max(0, to_count - from_count), 0);
  const removed = scaling_events.reduce((sum, { from_count, to_count }) => sum + Math.max(0, from_count - to_count), 0);
  const applied = retune_events?.filter(({ outcome }) => outcome === "applied").length;
  return [
    [
      "Scaling events",
      `${whole(scaling_events.length)}${scaling_events.length === 0 ? "" : `: ${counted(added, "worker")} added, ${whole(removed)} removed`}`
    ],
    ...recommended_scaling_events?.length ? [
      [
        "Recommended",
        `${counted(recommended_scaling_events.length, "scaling event")}`
      ]
    ] : [],
    ...applied === void 0 ? [] : [
      [
        "Retunes applied",
        whole(applied)
      ]
    ]
  ];
}
function latencyTable(values, columns) {
  const rows = DISTRIBUTIONS.filter(([, metric2]) => values[`mean_${metric2}`] != null);
  if (rows.length === 0) return [];
  for (let most = STATISTICS2.length - 1; ; most--) {
    const shown3 = STATISTICS2.filter(({ rank }) => rank <= most);
    const lines = alignedRows([
      [
        "",
        ...shown3.map(({ head }) => head)
      ],
      ...rows.map(([label, metric2]) => [
        label.padEnd(LABEL2 - 2),
        ...shown3.map(({ key }) => values[`${key}_${metric2}`] == null ? "\u2013" : number(values[`${key}_${metric2}`]))
      ])
    ]);
    if (most === 0 || Math.max(...lines.map(({ length }) => length)) <= columns) return lines;
  }
}
var POOLS = {
  agg: "Workers",
  prefill: "Prefill workers",
  decode: "Decode workers"
};
function workerTables(workers) {
  return [
    ...Map.groupBy(workers, ({ pool }) => pool)
  ].filter(([, { length }]) => length > 1).map(([pool, rows]) => {
    const spread = (label, of, text4) => {
      const values = rows.map(of).filter((value) => value !== null);
      const mean2 = values.reduce((sum, value) => sum + value, 0) / values.length;
      return [
        label,
        ...[
          Math.min(...values),
          mean2,
          Math.max(...values)
        ].map(text4)
      ];
    };
    const share2 = (value) => `${number(Number((value * 100).toPrecision(3)))} %`;
    return alignedRows([
      [
        `${POOLS[pool] ?? pool} (${rows.length})`.padEnd(LABEL2 - 2),
        "least",
        "mean",
        "most"
      ],
      spread("Requests", ({ completed_requests }) => completed_requests, number),
      spread("KV in use, mean", ({ kv_use_mean }) => kv_use_mean, share2),
      spread("KV in use, peak", ({ kv_use_peak }) => kv_use_peak, share2)
    ]);
  });
}

// cli/executor.ts
var EXECUTOR = text("who replays: threads of this machine, or the workers at a Redis, redis://HOST:PORT or rediss://\u2026 (see worker)", {
  value: "WHERE",
  fallback: "threads"
});
async function replayers(command, option, here, sent) {
  if (option === "threads") return {
    executor: here(),
    status: () => null,
    end: async () => {
    }
  };
  const address = await addressOf(option, "argument --executor");
  const { queueExecutor } = await import(import.meta.resolve("./lib.jobs.queue.executor.js"));
  const { kind, ...options } = await sent();
  const executor = await queueExecutor(address, {
    ...options,
    kinds: [
      kind
    ],
    onNote: (note) => warn(command, note)
  });
  return {
    executor,
    status: () => executor.status(),
    end: () => executor.end()
  };
}
async function addressOf(given, place2) {
  const { brokerAddress } = await import(import.meta.resolve("./lib.jobs.queue.address.js"));
  try {
    return brokerAddress(given);
  } catch (problem) {
    if (problem instanceof ConfigError) throw new UsageError(`${place2}: ${problem.message}`);
    throw problem;
  }
}

// lib/io/folders.ts
function joinPath(folder, name) {
  return folder === "" || folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}
function prepareOutputFolder(folder, options) {
  if (folder === "") throw new ConfigError("the name of the output directory is empty");
  const kind = orRefuse(`could not use output directory ${folder}`, () => host().kind(folder));
  if (kind === "file" || kind === "other") {
    throw new ConfigError(`output path ${folder} exists and is not a directory`);
  }
  if (kind === "missing" || kind === "denied") {
    orRefuse(`could not create output directory ${folder}`, () => host().makeDirectory(folder));
    return;
  }
  const entries = orRefuse(`could not read output directory ${folder}`, () => host().list(folder)).filter(({ name }) => !options.ignored?.includes(name));
  if (entries.length === 0) return;
  if (!options.overwrite) {
    throw new ConfigError(`output directory ${folder} is not empty; pass --overwrite to replace known AISimulate outputs`);
  }
  for (const known of options.known) {
    const inside = typeof known === "string" ? folder : joinPath(folder, known.folder);
    const matches = typeof known === "string" ? (name) => name === known : known.matches;
    if (typeof known !== "string" && host().kind(inside) !== "directory") continue;
    for (const { name, kind: kind2 } of host().list(inside)) {
      const path = joinPath(inside, name);
      if (kind2 !== "directory" && matches(name)) orRefuse(`could not remove ${path}`, () => host().remove(path));
    }
  }
}
function orRefuse(what, attempt) {
  try {
    return attempt();
  } catch (cause) {
    throw new ConfigError(`${what}: ${reason(cause)}`, [], {
      cause
    });
  }
}
var GLOB = /[*?[]/;
function filesAt(path, suffixes = [
  ".jsonl",
  ".jsonl.gz"
]) {
  if (host().kind(path) === "directory") {
    return [
      ...walk(path, Infinity)
    ].filter((found) => suffixes.some((end) => found.endsWith(end))).sort(byteOrder);
  }
  if (!GLOB.test(path) || host().kind(path) === "file") return [
    path
  ];
  const parts = path.split("/");
  const fixed = parts.findIndex((part) => GLOB.test(part));
  const root = parts.slice(0, fixed).join("/") || (path.startsWith("/") ? "/" : "");
  if (host().kind(root || ".") !== "directory") return [];
  const depth = parts.includes("**") ? Infinity : parts.length - fixed;
  const pattern = globPattern(parts.slice(fixed));
  const prefix = root === "" || root.endsWith("/") ? root.length : root.length + 1;
  return [
    ...walk(root, depth)
  ].filter((found) => pattern.test(found.slice(prefix))).sort(byteOrder);
}
var MOST_NAMES = 1e5;
function* walk(root, levels) {
  let names = 0;
  const count2 = () => {
    if (++names <= MOST_NAMES) return;
    const most = MOST_NAMES.toLocaleString("en");
    throw new ConfigError(`there are more than ${most} files below '${root || "."}': name the files, or a smaller folder`);
  };
  yield* walkFolder(root, levels, count2);
}
function* walkFolder(folder, depth, count2) {
  for (const { name, kind } of host().list(folder || ".")) {
    count2();
    const path = joinPath(folder, name);
    const resolved = kind === "other" ? host().kind(path) : kind;
    if (resolved === "file") yield path;
    else if (kind === "directory" && depth > 1) yield* walkFolder(path, depth - 1, count2);
  }
}
function globPattern(parts) {
  const text4 = parts.map((part, i) => {
    if (part === "**") return i === parts.length - 1 ? ".*" : "(?:[^/]+/)*";
    const one = part.replace(/\[!/g, "[^").replace(/[.+^${}()|\\]/g, (c, at) => part[at - 1] === "[" ? c : `\\${c}`).replace(/\*/g, "[^/]*").replace(/\?/g, "[^/]");
    return i === parts.length - 1 ? one : `${one}/`;
  }).join("");
  return new RegExp(`^${text4}$`);
}
var byteOrder = (a, b) => a < b ? -1 : a > b ? 1 : 0;

// cli/output.ts
var KNOWN = [
  "prediction.json",
  "requests.jsonl",
  CONFIG_FILE,
  "recommendation.json",
  "recommendation.csv",
  "capacity.json",
  "resource-plan.json",
  "resource-runtime.json",
  "execution-events.jsonl",
  "fpm-coverage.json",
  "afd-replay-spec.json",
  "afd-qualification.json",
  {
    folder: ".",
    matches: (name) => isPart(name)
  },
  {
    folder: "recommendations",
    matches: (name) => /^\d{4}\.yaml$/.test(name)
  }
];
var REMAINS = [
  "resource-plan.json",
  "resource-runtime.json",
  "execution-events.jsonl"
];
var FRUITLESS = [
  "resource_limited",
  "timed_out",
  "cancelled",
  "failed",
  "running"
];
async function prepareOutput(folder, overwrite) {
  const exists = folder !== "" && host().kind(folder) === "directory";
  if (exists) takeFolder(folder);
  const unfinished = exists && await holdsNoResult(folder);
  prepareOutputFolder(folder, {
    overwrite: overwrite || unfinished,
    known: KNOWN,
    ignored: [
      LOCK_FILE
    ]
  });
  takeFolder(folder);
}
async function holdsNoResult(folder) {
  try {
    for (const { name } of host().list(folder)) {
      if (name === LOCK_FILE || isPart(name)) continue;
      if (!REMAINS.includes(name)) return false;
      const text4 = await readText(joinPath(folder, name), {
        mostBytes: 2 ** 20
      });
      if (name === "execution-events.jsonl") {
        if (text4.includes("\n") && !text4.startsWith('{"event":"resource_plan"')) return false;
        continue;
      }
      if (!FRUITLESS.includes(JSON.parse(text4).status)) return false;
    }
    return true;
  } catch {
    return false;
  }
}
var isPart = (name) => KNOWN.some((known) => typeof known === "string" && partOf(name, known) !== void 0);
var MOST_CONFIG_BYTES = 2 ** 20;
async function configText(path) {
  try {
    return await readText(path, {
      raw: true,
      mostBytes: MOST_CONFIG_BYTES
    });
  } catch (cause) {
    const { message } = cause;
    throw new ConfigError(`could not read configuration ${path}: ${message}`, [
      {
        path: "",
        message,
        file: path
      }
    ], {
      cause
    });
  }
}
var jsonText = (value) => `${JSON.stringify(value, null, 2)}
`;
async function writeReport(folder, report, { config, flat = false, between }) {
  const path = joinPath(folder, "prediction.json");
  const texts = [
    [
      joinPath(folder, CONFIG_FILE),
      [
        config
      ]
    ],
    [
      path,
      predictionText(report, {
        flat
      })
    ]
  ];
  if (report.coverage.capture_per_request) texts.unshift([
    joinPath(folder, "requests.jsonl"),
    requestLines(report)
  ]);
  await writeTogether("", texts, between);
  return path;
}
async function writeTogether(folder, texts, between = () => {
}) {
  const files = [];
  try {
    for (const [name, pieces] of texts) {
      const file = await AtomicFile.open(joinPath(folder, name));
      files.push(file);
      for (const piece of joined(pieces, 1 << 16)) {
        await file.write(piece);
        between();
      }
    }
    for (const file of files) await file.commit();
  } catch (error) {
    for (const file of files) file.abort();
    throw error;
  }
}
function* joined(pieces, length) {
  let text4 = "";
  for (const piece of pieces) {
    text4 += piece;
    if (text4.length < length) continue;
    yield text4;
    text4 = "";
  }
  if (text4 !== "") yield text4;
}

// lib/traffic/plain_blocks.ts
var PLAIN_BLOCK_TOKENS = 512;

// cli/resources.ts
var hostFacts = () => ({
  memory: hostMemory(),
  cpus: cpuCount(),
  containerBytes
});
var UNASKED_BYTES = 256e6;
var gigabytes = (bytes) => `${(bytes / 1e9).toFixed(2)} GB`;
function budgetOf(limits, host2, neededBytes = 0) {
  const { memory, cpus } = host2;
  if (limits.cpu_limit !== "auto" && limits.cpu_limit > cpus) {
    return "requested CPU budget exceeds the host/container CPU allowance";
  }
  const budget = {
    cpus: limits.cpu_limit === "auto" ? Math.max(1, cpus - 1) : limits.cpu_limit
  };
  const asked = limits.memory_limit_gb === "auto" ? Infinity : Math.trunc(limits.memory_limit_gb * 1e9);
  const contained = neededBytes > UNASKED_BYTES ? containerBudget(limits, host2.containerBytes()) : Infinity;
  if (memory === void 0) return {
    ...budget,
    memoryBytes: Math.min(asked, contained),
    reservedBytes: 0
  };
  const reservedBytes = Math.max(Math.trunc(limits.reserve_memory_gb * 1e9), Math.trunc(limits.reserve_memory_fraction * memory.totalBytes));
  const headroom = Math.max(0, memory.availableBytes - reservedBytes);
  if (asked !== Infinity) {
    if (asked <= headroom) return {
      ...budget,
      memoryBytes: Math.min(asked, contained),
      reservedBytes
    };
    return `requested host memory budget ${gigabytes(asked)} exceeds available headroom ${gigabytes(headroom)}`;
  }
  const share2 = Math.trunc(limits.available_memory_fraction * memory.availableBytes);
  const memoryBytes = Math.min(share2, headroom, contained);
  if (memoryBytes === 0) return "no host memory remains for an execution process";
  return {
    ...budget,
    memoryBytes,
    reservedBytes
  };
}
var containerBudget = (limits, bytes) => bytes === Infinity ? bytes : Math.trunc(limits.available_memory_fraction * bytes);
var RUNTIME_BYTES = 48 * 2 ** 20;
var SMALL_RUN_BYTES = 136 * 2 ** 20;
var DOUBT = 0.2;
var REQUEST_BYTES = 60;
var RECORD_BYTES = 300;
var ID_BYTES = 8;
var MADE_ID_BYTES = 30;
var REPEATED_TOKEN_BYTES = 4;
var REPEATED_TURN_BYTES = 2e3;
function estimateOf({ traffic: { source }, roles, stack }, size, perRequest) {
  const each = REQUEST_BYTES + (perRequest ? RECORD_BYTES : 0);
  if (source.type === "trace") {
    const bytes = size.rows * each + size.listed * ID_BYTES, requests2 = size.rows || null;
    return estimate("dynosim-trace-v2", requests2, bytes - bytes * DOUBT, bytes + bytes * DOUBT);
  }
  const requests = source.count * (source.type === "synthetic" ? 1 : source.turns);
  const plain = source.type === "synthetic" && !source.cachedPrefixTokens;
  const blockTokens = plain ? PLAIN_BLOCK_TOKENS : roles[0].estimator.kv_block_size;
  const ids = Math.ceil(source.inputTokens / blockTokens), { outputTokens, count: count2 } = source;
  const repeated = source.type === "synthetic-session" && stack === "engine" ? requests - count2 : 0;
  const least = requests * (each + ids * ID_BYTES) + repeated * outputTokens * REPEATED_TOKEN_BYTES;
  const most = requests * (each + ids * MADE_ID_BYTES) + repeated * (2 * outputTokens * REPEATED_TOKEN_BYTES + REPEATED_TURN_BYTES);
  return estimate("dynosim-synthetic-v2", requests, least, most);
}
var estimate = (allocationModel, requests, least, most) => ({
  allocationModel,
  requests,
  leastBytes: Math.round(RUNTIME_BYTES + least),
  peakBytes: Math.round(SMALL_RUN_BYTES + most)
});
function admit(plan, host2, size, perRequest) {
  const estimate2 = estimateOf(plan, size, perRequest);
  const budget = budgetOf(plan.resources, host2, estimate2.peakBytes);
  const reason2 = typeof budget === "string" ? budget : estimate2.leastBytes > budget.memoryBytes ? "the workload needs more memory than the budget" : void 0;
  const limit2 = typeof budget === "string" ? void 0 : budget;
  const parallel = plan.retune?.max_parallel ?? 1;
  const facts = {
    schema_version: 1,
    status: reason2 === void 0 ? "admitted" : "resource_limited",
    stack: plan.stack,
    host: {
      total_memory_bytes: host2.memory?.totalBytes ?? null,
      available_memory_bytes: host2.memory?.availableBytes ?? null,
      cpu_count: host2.cpus,
      process_memory_bytes: residentBytes()
    },
    budget: limit2 ? budgetFields(limit2) : null,
    estimate: {
      allocation_model: estimate2.allocationModel,
      request_count: estimate2.requests,
      input_token_bytes: null,
      lower_bound_bytes: estimate2.leastBytes,
      estimated_peak_bytes: estimate2.peakBytes,
      reason: null,
      api_version: 1
    },
    requested_parallelism: parallel,
    effective_parallelism: Math.min(parallel, limit2?.cpus ?? 1),
    reason: reason2 ?? null
  };
  if (reason2 === void 0) return {
    budget,
    plan: facts
  };
  const message = `${reason2}; allocation model=${estimate2.allocationModel}, requests=${estimate2.requests ?? "unknown"}, estimated peak=${gigabytes(estimate2.peakBytes)}, lower bound=${gigabytes(estimate2.leastBytes)}, host budget=${gigabytes(limit2?.memoryBytes ?? 0)}. Choose an explicit smaller workload or an execution host with sufficient resources.`;
  return {
    error: new ResourceLimitError(message),
    plan: facts
  };
}
var finite = (value) => Number.isFinite(value) ? value : null;
var budgetFields = ({ memoryBytes, cpus, reservedBytes }) => ({
  memory_limit_bytes: finite(memoryBytes),
  cpu_limit: cpus,
  reserved_host_memory_bytes: reservedBytes,
  coordinator_memory_bytes: 0
});
var ResourceWatch = class {
  budget;
  requested;
  containerBytes;
  #started;
  #looked;
  #peakBytes;
  #containerBudget;
  /** @param containerBytes what the container of this process may take in all */
  constructor(budget, requested, containerBytes2) {
    this.budget = budget;
    this.requested = requested;
    this.containerBytes = containerBytes2;
    this.#started = performance.now();
    this.#looked = -Infinity;
    this.#peakBytes = 0;
  }
  /**
   * Looks at the memory in use, at most every 50 ms.
   *
   * @throws {ResourceLimitError} when a limit is passed
   */
  look() {
    const now = performance.now();
    if (now - this.#looked < 50) return;
    this.#looked = now;
    const used = residentBytes();
    this.#peakBytes = Math.max(this.#peakBytes, used);
    const most = Math.min(this.budget.memoryBytes, used > UNASKED_BYTES ? this.#contained() : Infinity);
    if (used > most) {
      const figures = `${gigabytes(used)} of ${gigabytes(most)}`;
      throw new ResourceLimitError(`owned process tree exceeded the memory budget (${figures})`);
    }
    if (heapShare() > 0.95) throw new ResourceLimitError("the runtime's memory for objects is nearly full");
    if (this.budget.reservedBytes === 0) return;
    const available = hostMemory()?.availableBytes ?? Infinity;
    if (available < this.budget.reservedBytes) {
      throw new ResourceLimitError("available host memory fell below reserved headroom");
    }
  }
  #contained() {
    return this.#containerBudget ??= containerBudget(this.requested, this.containerBytes());
  }
  /** What `resource-runtime.json` says. */
  record(status, reason2, exitCode2) {
    return {
      schema_version: 1,
      status,
      reason: reason2,
      exit_code: exitCode2,
      budget: budgetFields(this.budget),
      requested_resources: {
        ...this.requested
      },
      peak_observed_rss_bytes: Math.max(this.#peakBytes, residentBytes()),
      wall_seconds: (performance.now() - this.#started) / 1e3,
      thread_limit_per_runtime: 1,
      termination_complete: status !== "running"
    };
  }
};

// lib/trace/trace_size.ts
var SMALL_BYTES = 1 << 19;
var SAMPLE_BYTES = 1 << 16;
var [LINE_FEED, COMMA, OPEN, CLOSE] = new TextEncoder().encode("\n,[]");
async function traceSize(paths2) {
  const size = {
    textBytes: 0,
    rows: 0,
    listed: 0
  };
  for (const path of paths2) {
    const fileBytes = path === "-" ? 0 : host().fileBytes(path);
    if (fileBytes < SMALL_BYTES) continue;
    const sample = await sampleOf(path);
    if (sample === void 0) continue;
    const times = fileBytes / sample.packedBytes;
    size.textBytes += Math.round(sample.textBytes * times);
    size.rows += Math.round(sample.rows * times);
    size.listed += Math.round(sample.listed * times);
  }
  return size;
}
async function sampleOf(path) {
  const sample = {
    packedBytes: 0,
    textBytes: 0,
    rows: 0,
    listed: 0
  };
  let depth = 0, last = LINE_FEED;
  try {
    const packed = start(path, (bytes) => sample.packedBytes = bytes);
    for await (const piece of gunzipped(packed, void 0, true)) {
      for (let i = 0; i < piece.length; last = piece[i++]) {
        const byte = piece[i];
        if (last === LINE_FEED) sample.rows++;
        if (byte === OPEN) depth++;
        else if (byte === CLOSE && depth > 0) depth--;
        if (depth > 0 && (byte === COMMA || byte === OPEN)) sample.listed++;
      }
      sample.textBytes += piece.length;
    }
  } catch (problem) {
    if (!(problem instanceof ByteSourceError)) throw problem;
  }
  return sample.textBytes === 0 ? void 0 : sample;
}
async function* start(path, tell) {
  for await (const piece of readBytes(path, {
    raw: true,
    chunkBytes: SAMPLE_BYTES
  })) {
    tell(piece.length);
    yield piece;
    return;
  }
}

// cli/supervise.ts
async function startWatch(plan, folder, perRequest) {
  const { source } = plan.traffic;
  const size = await traceSize(source.type === "trace" ? source.paths : []);
  const host2 = hostFacts(), admitted = admit(plan, host2, size, perRequest);
  if (!("error" in admitted)) {
    const line = JSON.stringify({
      event: "resource_plan",
      value: admitted.plan
    });
    await writeFileAtomically(joinPath(folder, "execution-events.jsonl"), `${line}
`);
    return new ResourceWatch(admitted.budget, plan.resources, host2.containerBytes);
  }
  const text4 = jsonText(admitted.plan);
  await writeFileAtomically(joinPath(folder, "resource-plan.json"), text4);
  writeText("stderr", text4);
  throw admitted.error;
}
async function startSearchWatch({ resources: resources2, stack }, folder) {
  const host2 = hostFacts(), budget = budgetOf(resources2, host2);
  if (typeof budget !== "string") return new ResourceWatch(budget, resources2, host2.containerBytes);
  const text4 = jsonText({
    schema_version: 1,
    status: "resource_limited",
    stack,
    reason: budget
  });
  await writeFileAtomically(joinPath(folder, "resource-plan.json"), text4);
  writeText("stderr", text4);
  throw new ResourceLimitError(budget);
}
var LOOK_EVERY_MS = 50;
var STATUS = {
  [EXIT.resources]: "resource_limited",
  [EXIT.timeout]: "timed_out"
};
async function supervised(watch, folder, control, body) {
  const { signal } = control;
  const seconds = watch.requested.initialization_timeout_seconds;
  const timeout = () => control.abort(new TimedOut("execution initialization timed out"));
  const disarm = after(seconds * 1e3, timeout);
  const stopLooking = every(LOOK_EVERY_MS, () => {
    try {
      watch.look();
    } catch (limit2) {
      control.abort(limit2);
    }
  });
  const record = (status, reason2, code) => writeFileAtomically(joinPath(folder, "resource-runtime.json"), jsonText(watch.record(status, reason2, code)));
  const ended = (error) => {
    const code = exitCode(error), known = error instanceof Interrupted ? "cancelled" : STATUS[code];
    const reason2 = known ? error.message : `execution process exited with status ${code}`;
    return record(known ?? "failed", reason2, code);
  };
  try {
    await record("running", null, null);
    const result = await body({
      watch,
      signal,
      started: disarm
    });
    if (signal.aborted) await ended(signal.reason);
    else await record("completed", null, EXIT.ok);
    return result;
  } catch (problem) {
    const error = signal.aborted ? signal.reason : problem;
    await ended(error).catch(() => {
    });
    throw error;
  } finally {
    disarm();
    stopLooking();
  }
}

// lib/config/effective.ts
function effectiveConfig(value) {
  return stringify3(value, {
    lineWidth: 0
  });
}
function boundsOf(text4) {
  let value;
  try {
    value = new ConfigDocument("configuration", text4).value;
  } catch (problem) {
    if (problem instanceof ConfigError) return null;
    throw problem;
  }
  const section2 = safeParse(evaluationSection, value.evaluation ?? {});
  return section2.success ? slaPlan(section2.output.sla) : null;
}

// lib/report/power.ts
var COVERAGE_GATE = 0.9;
function powerOf({ ms, coveredMs, energy }) {
  const power_coverage = ms > 0 ? coveredMs / ms : 0;
  return {
    power_w: power_coverage >= COVERAGE_GATE && energy > 0 ? energy / ms : null,
    power_coverage
  };
}
var addedUp = (all) => all.reduce((a, b) => ({
  ms: a.ms + b.ms,
  coveredMs: a.coveredMs + b.coveredMs,
  energy: a.energy + b.energy
}), {
  ms: 0,
  coveredMs: 0,
  energy: 0
});

// lib/report/energy_details.ts
var NOT_MEASURED = "timing provider returned latency without positive energy evidence";
var NO_TIMES = "one or more replay roles have no timing provider";
var NOTHING_RAN = "no forward-pass timing evidence was observed";
function energyPart(phases) {
  const scope = "active_forward_pass_per_gpu";
  const about = {
    ...{
      schema_version: "1.0",
      scope,
      coverage_gate: COVERAGE_GATE
    },
    ...{
      latency_unit: "ms",
      energy_unit: "W-ms",
      power_w_unit: "W"
    }
  };
  if (phases === null) {
    const status2 = "unsupported";
    const unknown2 = {
      power_w: null,
      power_coverage: null,
      publication_status: status2,
      unavailable_reason: NO_TIMES
    };
    return {
      status: status2,
      scope,
      diagnostics: {
        ...about,
        ...unknown2,
        phases: []
      }
    };
  }
  const totals = totalsOf(phases.flatMap(({ operations }) => operations)), status = totals.publication_status;
  const reason2 = status === "not_observed" ? {
    unavailable_reason: NOTHING_RAN
  } : {};
  return {
    status,
    scope,
    diagnostics: {
      ...about,
      ...totals,
      ...reason2,
      phases: phases.map(phaseEnergy)
    }
  };
}
function totalsOf(operations) {
  const sum = (of) => operations.reduce((all, one) => all + of(one), 0);
  const [ms, coveredMs, energy] = [
    sum(({ ms: ms2 }) => ms2),
    sum(({ coveredMs: coveredMs2 }) => coveredMs2),
    sum(({ energy: energy2 }) => energy2)
  ];
  const power = powerOf({
    ms,
    coveredMs,
    energy
  });
  return {
    latency_ms: ms,
    covered_latency_ms: coveredMs,
    ...energy > 0 ? {
      energy_wms: energy
    } : {},
    ...power,
    publication_status: ms === 0 ? "not_observed" : power.power_w === null ? "withheld" : "available"
  };
}
function phaseEnergy({ name, operations }) {
  const totals = totalsOf(operations), all = operations.map((operation) => operationEnergy(operation, totals.energy_wms));
  return {
    name,
    ...totals,
    source: common(all.map(({ source }) => source)),
    source_kind: totals.energy_wms === void 0 ? "missing" : common(all.map(({ source_kind }) => source_kind)),
    operations: all
  };
}
var common = (names) => new Set(names).size > 1 ? "mixed" : names[0] ?? "missing";
var KINDS = {
  silicon: "measured",
  estimated: "modeled",
  mixed: "mixed"
};
function operationEnergy({ name, ms, coveredMs, energy, source }, ofPhase) {
  const about = {
    name,
    latency_ms: ms,
    covered_latency_ms: coveredMs,
    source
  };
  const power_coverage = ms > 0 ? coveredMs / ms : 0;
  if (!(energy > 0)) {
    return {
      ...about,
      power_coverage,
      status: "missing",
      source_kind: "missing",
      uncovered_reason: NOT_MEASURED
    };
  }
  const partial = power_coverage < 1 - 1e-12;
  return {
    ...about,
    power_coverage,
    energy_wms: energy,
    energy_contribution: energy / ofPhase,
    status: partial ? "partial" : "available",
    source_kind: KINDS[source] ?? "modeled",
    ...partial ? {
      uncovered_reason: NOT_MEASURED
    } : {}
  };
}
function energyText({ diagnostics }, top) {
  const { power_w, power_coverage, publication_status, phases } = diagnostics;
  const share2 = (value) => value === null ? "unknown" : `${(value * 100).toFixed(1)} %`;
  const watts = (value) => value === null ? "not told" : `${value.toFixed(1)} W`;
  const reason2 = "unavailable_reason" in diagnostics ? ` (${diagnostics.unavailable_reason})` : "";
  const lines = [
    `  power of a GPU while passes run: ${watts(power_w)}, ${publication_status}${reason2}`,
    `  share of the passes' time with a known energy: ${share2(power_coverage)} (told from ${share2(COVERAGE_GATE)})`
  ];
  for (const { name, operations, ...phase } of phases) {
    const joules = ((phase.energy_wms ?? 0) / 1e6).toFixed(3);
    lines.push(`  ${name}: ${joules} kJ, ${watts(phase.power_w)}, ${share2(phase.power_coverage)} known`);
    const known = operations.flatMap((operation) => "energy_wms" in operation ? [
      operation
    ] : []).sort((a, b) => b.energy_wms - a.energy_wms || (a.name < b.name ? -1 : 1));
    const rows = known.slice(0, top).map(({ name: name2, energy_wms, energy_contribution, latency_ms, source_kind }) => [
      name2,
      (energy_wms / 1e3).toFixed(1),
      share2(energy_contribution),
      (energy_wms / latency_ms).toFixed(1),
      source_kind
    ]);
    if (rows.length > 0) {
      lines.push(...alignedRows([
        [
          "operation",
          "J",
          "share",
          "W",
          "source"
        ],
        ...rows
      ]).map((line) => `    ${line}`));
    }
    if (known.length > top) lines.push(`    \u2026 ${known.length - top} more in prediction.json`);
  }
  return lines;
}

// lib/report/details.ts
var DETAILS = [
  "summary",
  "memory",
  "time",
  "energy",
  "source"
];
function detailNames(list) {
  const words = list.split(",").map((word) => word.trim()).filter((word) => word !== "");
  const unknown2 = words.find((word) => word !== "all" && !DETAILS.includes(word));
  if (unknown2 !== void 0 || words.length === 0) {
    const found = unknown2 === void 0 ? "no section" : `'${unknown2}'`;
    throw new ConfigError(`unknown detail section ${found}; known sections: ${DETAILS.join(", ")}, all`);
  }
  return DETAILS.filter((name) => words.includes("all") || words.includes(name));
}
var OPERATION_DETAILS = [
  "time",
  "energy",
  "source"
];
var SCOPE = "accumulated_active_forward_pass_per_gpu";
var NO_BOUND = "no bound is known of an operation, or nothing was run";
var NO_OPERATIONS = "no passes were timed by operators";
function detailsOf(names, { summary, roles, operations }) {
  const details = {
    schema_version: "1.0",
    sections: {},
    skipped: {}
  };
  const phases = [
    {
      name: "prefill",
      operations: operations?.prefill ?? []
    },
    {
      name: "decode",
      operations: operations?.decode ?? []
    }
  ];
  const observed = phases.some(({ operations: operations2 }) => operations2.length > 0) ? {
    status: "available",
    scope: SCOPE
  } : {
    status: "not_observed",
    scope: SCOPE,
    unavailable_reason: NO_OPERATIONS
  };
  const known = {
    summary: () => ({
      status: "available",
      scope: "serving_workload",
      metrics: summary
    }),
    time: () => ({
      status: "available",
      scope: "serving_workload",
      latency_unit: "ms",
      serving_metrics: Object.fromEntries(Object.entries(summary).filter(([key]) => /_(ttft|ttst|tpot|itl|e2e_latency)_ms$/.test(key))),
      diagnostics: {
        ...observed,
        latency_unit: "ms",
        phases: phases.map(timedPhase)
      }
    }),
    memory: () => ({
      status: roles.every(({ capacity: capacity2 }) => capacity2 !== null) ? "available" : "partial",
      scope: "capacity_estimate_per_rank",
      roles: Object.fromEntries(roles.map((role) => [
        role.role,
        memoryOf(role)
      ]))
    }),
    energy: () => energyPart(operations?.complete ? phases : null),
    source: () => ({
      ...observed,
      phases: phases.map(({ name, operations: operations2 }) => ({
        name,
        operations: operations2.map(({ name: name2, ms, source }) => ({
          name: name2,
          latency_ms: ms,
          source,
          fallbacks: []
        }))
      }))
    })
  };
  for (const name of names) {
    if (name === "memory" && roles.length === 0) details.skipped[name] = "no role tells of its memory";
    else details.sections[name] = known[name]();
  }
  return details;
}
function timedPhase({ name, operations }) {
  const sum = (of) => operations.reduce((all, one) => all + of(one), 0);
  const bound2 = (boundMs, math_ms, memory_ms) => boundMs === null ? {
    sol: null,
    sol_unavailable_reason: NO_BOUND
  } : {
    sol: {
      latency_ms: boundMs,
      math_ms,
      memory_ms
    },
    sol_unavailable_reason: null
  };
  const bounded = operations.length > 0 && operations.every(({ boundMs }) => boundMs !== null);
  return {
    name,
    latency_ms: sum(({ ms }) => ms),
    ...bound2(bounded ? sum(({ boundMs }) => boundMs) : null, sum(({ arithmeticMs }) => arithmeticMs ?? 0), sum(({ memoryMs }) => memoryMs ?? 0)),
    operations: operations.map(({ name: name2, ms, boundMs, arithmeticMs, memoryMs, source }) => ({
      name: name2,
      latency_ms: ms,
      source,
      // no operator of ours is timed by the measurements of another group of experts
      fallbacks: [],
      ...bound2(boundMs, arithmeticMs, memoryMs),
      latency_to_sol_ratio: boundMs === null || !(boundMs > 0) ? null : ms / boundMs
    }))
  };
}
function memoryOf({ blocks, blockTokens, blocksFrom, assumed, capacity: capacity2 }) {
  return {
    status: capacity2 === null ? "unavailable" : "available",
    source: blocksFrom,
    estimated_num_gpu_blocks: blocks,
    scheduler_block_size_tokens: blockTokens,
    total_kv_size_tokens: capacity2?.tokens ?? blocks * blockTokens,
    kvcache_quant_mode: assumed?.kv_cache ?? null,
    kv_size_per_token_bytes: assumed?.kv_bytes_per_token ?? null,
    ...capacity2 === null ? {
      unavailable_reason: "the KV blocks were configured"
    } : {
      total_gpu_capacity_bytes: capacity2.gpuBytes,
      total_kv_size_bytes: capacity2.bytes,
      memory_breakdown: {
        weights_bytes: Math.floor(capacity2.memory.weights),
        activations_bytes: Math.floor(capacity2.memory.activations),
        runtime_overhead_bytes: Math.floor(capacity2.memory.runtime),
        comm_overhead_bytes: Math.floor(capacity2.memory.collectives),
        cuda_graph_reserved_bytes: capacity2.reservedBytes
      }
    }
  };
}
var TOP_OPERATIONS = 12;
function detailsText({ sections, skipped }, top = TOP_OPERATIONS) {
  const lines = [];
  const list = (fields4, indent) => {
    for (const [name, value] of Object.entries(fields4)) {
      if (name === "phases") continue;
      if (typeof value !== "object" || value === null) lines.push(`${indent}${name}: ${value}`);
      else if (name.endsWith("metrics")) list(value, indent);
      else {
        lines.push(`${indent}${name}:`);
        list(value, `${indent}  `);
        if ("phases" in value) lines.push(...phasesText(value.phases, top, `${indent}  `));
      }
    }
  };
  for (const [name, section2] of Object.entries(sections)) {
    lines.push(`Detail: ${name}`);
    if (name === "energy") {
      lines.push(...energyText(section2, top), "");
      continue;
    }
    list(section2, "  ");
    if ("phases" in section2) lines.push(...phasesText(section2.phases, top, "  "));
    lines.push("");
  }
  for (const [name, why] of Object.entries(skipped)) lines.push(`Skipped ${name}: ${why}`);
  return lines.join("\n");
}
function phasesText(phases, top, indent) {
  return phases.flatMap(({ name, operations }) => {
    const total = operations.reduce((sum, { latency_ms }) => sum + latency_ms, 0);
    const most = operations.toSorted((a, b) => b.latency_ms - a.latency_ms || (a.name < b.name ? -1 : 1)).slice(0, top);
    const rows = most.map(({ name: name2, latency_ms: ms, source, sol }) => [
      name2,
      ms.toFixed(3),
      `${(total > 0 ? ms / total * 100 : 0).toFixed(1)} %`,
      ...sol === void 0 ? [] : [
        sol === null || sol.latency_ms === 0 ? "-" : (ms / sol.latency_ms).toFixed(2)
      ],
      source
    ]);
    const ratio = operations.some(({ sol }) => sol !== void 0) ? [
      "x bound"
    ] : [];
    const left = operations.length - most.length;
    return [
      `${indent}${name}: ${total.toFixed(3)} ms`,
      ...operations.length === 0 ? [] : alignedRows([
        [
          "operation",
          "ms",
          "share",
          ...ratio,
          "source"
        ],
        ...rows
      ]).map((line) => `${indent}  ${line}`),
      ...left > 0 ? [
        `${indent}  \u2026 ${left} more in prediction.json`
      ] : []
    ];
  });
}

export {
  joinPath,
  filesAt,
  JobExpired,
  reasonOf,
  WaitingLine,
  inline,
  whole,
  number,
  percent,
  time,
  counted,
  autoscalerName,
  autoscalerReasons,
  autoscalerHolds,
  autoscalerFacts,
  capacityUnknown,
  CAPPED_BLINDLY,
  loadReasonText,
  throughputReasonText,
  plannerHealth,
  PRICE_OPTIONS,
  CURRENCY,
  checkPrice,
  moneyText,
  attainmentText,
  missesText,
  overloadText,
  calibrationLine,
  verdictLines,
  EXECUTOR,
  replayers,
  addressOf,
  NO_SAMPLES,
  percentileRank,
  percentile,
  attainment,
  compactJson,
  IntMap,
  SlotMap,
  Pool,
  POOL_NAMES,
  Outcome,
  OUTCOME_NAMES,
  RequestRecords,
  SLA_OPTIONS,
  checkSla,
  meetsSla,
  ServedRequests,
  PerRequestRecords,
  predictionSummary,
  CONFIG_FILE,
  buildReport,
  predictionText,
  requestLines,
  sectionedReport,
  prepareOutput,
  configText,
  jsonText,
  writeReport,
  writeTogether,
  PLAIN_BLOCK_TOKENS,
  startWatch,
  startSearchWatch,
  supervised,
  ROLES,
  nonDraining,
  orderedByWorker,
  Observations,
  Metrics,
  quote,
  quoteList,
  repr,
  Problem,
  didYouMean,
  reads,
  strictInt,
  strictNumber,
  text3 as text,
  nonemptyText,
  literal2 as literal,
  orNull2 as orNull,
  withDefault,
  anything2 as anything,
  section,
  autoscalerSection,
  leavesNone,
  SCALED_TO_ZERO,
  mostReplicas,
  hpaSettings,
  kedaSettings,
  parse,
  ConfigDocument,
  priceFields,
  evaluationSection,
  shown,
  choices,
  parseLaunch,
  engineSection,
  pricePlan,
  workerSettings,
  workerLaunch,
  effectiveConfig,
  boundsOf,
  executionSection,
  placed,
  placedIssues,
  placedError,
  configError,
  budgetWarnings,
  ROUTER_KNOBS,
  OBJECTIVES,
  PREDICTOR_PRESETS,
  decimalRange,
  retuneSection,
  resolveRetune,
  ROUTER_NAMES,
  unknownRouter,
  TRACE_FORMATS,
  trafficSection,
  DEFAULT_TRAFFIC,
  powerOf,
  addedUp,
  STACKS,
  loadPrediction,
  checkStack,
  FIGURES,
  figuresOf,
  judgedFigures,
  firstDivergence,
  detailNames,
  OPERATION_DETAILS,
  detailsOf,
  TOP_OPERATIONS,
  detailsText,
  terminalTable
};
/*!
* npm:yaml@2.9.1 as one module; made by `deno task vendor`, not to be edited.
*
* Copyright Eemeli Aro <eemeli@gmail.com>
*
* Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
* provided that the above copyright notice and this permission notice appear in all copies.
*
* THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
* IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
* INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
* ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
* THIS SOFTWARE.
*/
