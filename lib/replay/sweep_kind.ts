/**
 * Jobs of a retune's sweeps as they are sent to other machines.
 *
 * @module
 */
import * as v from "valibot";
import type { QueuedKind } from "../jobs/queue/kind.ts";
import type { SweepAnswer, SweepTask, WindowRequests } from "../retune/types.ts";
import { located } from "./located.ts";
import { SWEEP_JOBS } from "./make_retune.ts";
import { replaySpecSchema } from "./read_spec.ts";
import type { ReplaySpec } from "./spec.ts";

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const intervals = v.array(v.record(v.string(), v.number()));

const window = v.pipe(
  v.strictObject({
    count,
    blockTokens: count,
    arrivalMs: v.instance(Float64Array),
    inputTokens: v.instance(Int32Array),
    outputTokens: v.instance(Int32Array),
    blockStart: v.instance(Int32Array),
    blockIds: v.instance(Int32Array),
  }),
  v.check((columns) => isWhole(columns as WindowRequests), "its columns do not fit together"),
);

/** Whether every request owns a piece of the blocks. */
function isWhole({ count, arrivalMs, inputTokens, outputTokens, blockStart, blockIds }: WindowRequests): boolean {
  return [arrivalMs, inputTokens, outputTokens].every(({ length }) => length === count) &&
    arrivalMs.every((ms) => Number.isFinite(ms)) &&
    blockStart.length === count + 1 && blockStart[0] === 0 && blockStart[count] === blockIds.length &&
    blockStart.every((start, i) => i === 0 || start >= blockStart[i - 1]) && blockIds.every((id) => id >= 0);
}

const knobs = v.strictObject({
  overlap_score_credit: v.number(),
  prefill_load_scale: v.number(),
  temperature: v.number(),
});

/** Fields that a retune may change; none of them names a file. */
const fields = v.partial(v.strictObject({
  load_scaling_down_sensitivity: v.number(),
  load_predictor: v.string(),
  load_predictor_log1p: v.boolean(),
  prophet_window_size: v.number(),
  kalman_q_level: v.number(),
  kalman_q_trend: v.number(),
  kalman_r: v.number(),
  kalman_min_points: v.number(),
}));

const task = v.variant("kind", [
  v.strictObject({
    kind: v.literal("forecast"),
    preset: v.string(),
    buckets: intervals,
    intervalSeconds: v.number(),
    warmupBuckets: count,
  }),
  v.strictObject({
    kind: v.literal("replay"),
    window,
    replicas: v.strictObject({ prefill: count, decode: count }),
    routerKnobs: v.nullable(knobs),
    routerSeed: v.number(),
    planner: v.nullable(v.strictObject({ fields, warmup: intervals })),
    sla: v.strictObject({ ttftMs: v.number(), itlMs: v.number() }),
  }),
]);

const figure = v.number(), mean = v.nullable(figure);

const metrics = v.strictObject({
  goodput_output_throughput_tok_s: figure,
  output_throughput_tok_s: figure,
  gpu_hours: figure,
  duration_ms: figure,
  mean_ttft_ms: mean,
  mean_itl_ms: mean,
  mean_output_token_throughput_per_user: mean,
  mean_e2e_latency_ms: mean,
});

/** See {@linkcode SweepTask} and {@linkcode SweepAnswer}. */
export const SWEEP_KIND: QueuedKind<ReplaySpec, SweepTask, SweepAnswer> = {
  ...SWEEP_JOBS,
  setup: replaySpecSchema,
  data: task as unknown as v.GenericSchema<unknown, SweepTask>,
  result: v.variant("kind", [
    v.strictObject({ kind: v.literal("forecast"), loss: v.number() }),
    v.strictObject({ kind: v.literal("replay"), metrics }),
  ]) as unknown as v.GenericSchema<unknown, SweepAnswer>,
  answers: (data, answer) => answer.kind === data.kind,
  localSetup: located,
};
