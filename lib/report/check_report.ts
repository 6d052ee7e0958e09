/**
 * Reports that come from files, checked before anything is told of them: others may have written them. What a report
 * may lack, and what we do not read, is left open.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../errors.ts";
import type { Evaluation } from "./evaluation.ts";
import type { PlannerSection } from "./planner_section.ts";
import type { Summary } from "./summary.ts";

const number = v.pipe(v.number(), v.finite());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const maybe = <S extends v.GenericSchema>(schema: S) => v.nullish(schema);
const figure = maybe(v.number());
const listOf = <S extends v.GenericSchema>(schema: S) => v.optional(v.array(schema), []);
const knobs = v.record(v.string(), v.union([v.number(), v.string(), v.boolean(), v.null()]));

const STATISTIC = /^(mean|min|max|median|p75|p90|p95|p99|std)_/;
/** Keys of the summary that are no numbers. */
const WORDS = ["kv_eviction_policy"];
/** Keys of the summary whose values are figures, beside those that begin with a statistic. */
const FIGURE =
  /(_ms|_s|_rps|_requests|_tokens|_seconds|_worker|_hours|_samples|_ratio|_w|_coverage)$|^(num|total|processed)_|gpu|goodput/;

const summary = v.pipe(
  v.record(v.string(), v.unknown()),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [key, value] of Object.entries(dataset.value)) {
      const figure = (STATISTIC.test(key) || FIGURE.test(key)) && !WORDS.includes(key) && typeof value !== "object";
      if (!figure || typeof value === "number") continue;
      const path = [{ type: "object", origin: "value", input: dataset.value, key, value }] as any;
      addIssue({ message: "a number", received: JSON.stringify(value), path });
    }
  }),
);

const scalingEvent = v.looseObject({
  at_s: number,
  component: v.pipe(v.string(), v.regex(/^[a-z_]{1,40}$/, "the name of a pool")),
  from_count: count,
  to_count: count,
  reason: v.picklist(["scale_up", "scale_down"]),
});

const work = v.looseObject({
  num_prefill_requests: number,
  num_decode_requests: number,
  sum_decode_kv_tokens: number,
  sum_prefill_tokens: v.optional(number),
});
const observations = maybe(v.array(v.looseObject({
  worker_id: v.union([v.string(), v.number()]),
  dp_rank: number,
  metrics: v.looseObject({ wall_time: v.optional(number), scheduled_requests: work, queued_requests: work }),
})));
const roleTopology = v.looseObject({ active_count: count, starting_count: count, draining_count: count });
const text = maybe(v.string());

const verdict = v.optional(v.looseObject({
  replicas: count,
  wanted: figure,
  reason: v.string(),
  metrics: v.array(v.looseObject({ name: v.string(), value: figure, target: number, replicas: figure })),
}));

const tick = v.looseObject({
  autoscaler: v.optional(v.looseObject({ prefill: verdict, decode: verdict })),
  ordinal: count,
  at_ms: number,
  scheduled_tick: v.optional(v.looseObject({ at_s: v.optional(number) })),
  input: v.looseObject({
    traffic: maybe(v.looseObject({ duration_s: number, num_req: number, isl: number, osl: number })),
    worker_counts: maybe(v.record(v.string(), v.union([v.number(), v.boolean(), v.null()]))),
    fpm_observations: maybe(v.looseObject({ prefill: observations, decode: observations })),
  }),
  topology: v.looseObject({ prefill: roleTopology, decode: roleTopology }),
  effects: v.looseObject({
    scale_to: maybe(v.looseObject({ num_prefill: figure, num_decode: figure })),
    diagnostics: v.looseObject({
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
      throughput_decision_reason_decode: text,
    }),
  }),
  runtime_decision: v.looseObject({ target_prefill: figure, target_decode: figure }),
});

const point = v.looseObject({ router: maybe(v.record(v.string(), v.unknown())), planner: maybe(knobs), score: figure });
const retuneEvent = v.looseObject({
  window: v.looseObject({ index: v.optional(count), start_s: number, end_s: number, num_requests: count }),
  launched_at_s: v.optional(number),
  decided_at_s: number,
  outcome: v.string(),
  reason: text,
  objective: text,
  current: maybe(point),
  chosen: maybe(point),
  improvement_percentage: figure,
  planner_changes: maybe(v.record(v.string(), v.unknown())),
  candidates: maybe(v.array(v.record(v.string(), v.unknown()))),
});

const ids = v.array(number);
const lifecycle = v.looseObject({
  at_ms: number,
  pool: v.string(),
  transitions: v.array(v.looseObject({ transition: v.string() })),
  state_after_batch: v.looseObject({ active: ids, starting: ids, draining: ids }),
});

const planner = v.looseObject({
  metadata: v.optional(v.record(v.string(), v.unknown()), {}),
  ticks: listOf(tick),
  scaling_events: listOf(scalingEvent),
  recommended_scaling_events: listOf(scalingEvent),
  lifecycle_operations: listOf(lifecycle),
  retune_events: v.nullish(v.array(retuneEvent), null),
  total_ticks: v.optional(count, 0),
  html_report_path: text,
});

const metadata = v.looseObject({
  roles: v.array(v.looseObject({
    role: v.string(),
    kv_blocks: number,
    kv_ranks: v.optional(number),
    kv_block_tokens: number,
    kv_blocks_from: v.string(),
    max_model_tokens: v.nullable(number),
    data_version: v.optional(v.string()),
    backend_version: text,
    weights: v.optional(v.string()),
    expert_weights: text,
    attention: text,
    kv_cache: v.optional(v.string()),
    communication: v.optional(v.string()),
    kv_bytes_per_token: v.optional(number),
    calibration: v.optional(v.looseObject({
      level: v.string(),
      passes: count,
      passes_outside: count,
      request_overhead_ms: v.optional(number),
      between_passes: v.optional(number),
      fitted_to: v.optional(v.looseObject({ passes: count, requests: count })),
      held_out: v.optional(v.record(v.string(), v.nullable(number))),
      forced_from: v.optional(v.array(v.string())),
    })),
  })),
});

const evaluation = v.looseObject({
  sla: v.optional(v.looseObject({
    bounds: v.looseObject({ ttft_ms: figure, itl_ms: figure, e2e_ms: figure }),
    requests: count,
    within: count,
    attainment: number,
    missed: v.looseObject({ ttft: count, tpot: count, e2e: count, unserved: count }),
  })),
  cost: v.optional(v.looseObject({
    price_per_gpu_hour: number,
    currency: v.pipe(v.string(), v.maxLength(20)),
    total: number,
    per_million_output_tokens: v.nullable(number),
    per_thousand_good_requests: v.nullable(number),
  })),
  overload: v.optional(v.looseObject({
    queues_growing: v.boolean(),
    waiting: v.tuple([number, number, number, number]),
    never_ran: count,
  })),
});

const schedulers = v.array(v.looseObject({ active_cache_usage: number }));
const telemetry = v.looseObject({
  samples: v.array(v.looseObject({
    sampled_at_ms: number,
    prefill_scheduler_metrics: schedulers,
    decode_scheduler_metrics: schedulers,
  })),
});

const worker = v.looseObject({
  pool: v.string(),
  worker_id: count,
  completed_requests: count,
  kv_use_mean: v.nullable(number),
  kv_use_peak: number,
});

const report = v.looseObject({
  summary,
  evaluation: v.optional(evaluation),
  planner: v.nullish(planner, null),
  per_request: maybe(v.array(v.record(v.string(), v.unknown()))),
  coverage: v.optional(v.record(v.string(), v.unknown()), {}),
  telemetry: maybe(telemetry),
  workers: v.optional(v.array(worker)),
  metadata: maybe(metadata),
});

/** What every reader of a report needs; the rest of the file is beside it. */
export interface CheckedReport {
  summary: Summary;
  planner: PlannerSection | null;
  evaluation?: Evaluation;
  [key: string]: unknown;
}

/**
 * Checks the parsed text of a `prediction.json`.
 *
 * @throws {ConfigError} that names the file, the field, what was found and what was expected
 */
export function checkReport(value: unknown, file: string): CheckedReport {
  if (typeof value !== "object" || value === null || !("summary" in value)) {
    throw refusal(file, "", "is not a report: it has no summary");
  }
  const result = v.safeParse(report, value);
  if (result.success) return result.output as unknown as CheckedReport;
  const [issue] = result.issues;
  const path = v.getDotPath(issue) ?? "";
  const expected = issue.expected ?? issue.message;
  const found = issue.received.length > 60 ? `${issue.received.slice(0, 60)}…` : issue.received;
  throw refusal(file, path, `is not a report: ${path} should be ${expected}, not ${found}`);
}

const refusal = (file: string, path: string, what: string) =>
  new ConfigError(`${file} ${what}`, [{ path, message: what, file }]);
