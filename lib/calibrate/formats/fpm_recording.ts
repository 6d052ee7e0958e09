/**
 * Forward-pass metrics as Dynamo's recorder writes them: one JSON object a line, `metrics` inside what was received, or
 * the metrics alone. A pass without time is a sign of life of an idle rank.
 *
 * @module
 */
import * as v from "valibot";
import { amount, type MeasuredFormat, shaped, wholeNumber } from "./format.ts";
import { takePass } from "./pass_sums.ts";

const count = v.optional(wholeNumber, 0);

const metricsSchema = v.looseObject({
  version: v.optional(v.literal(1)),
  wall_time: amount,
  scheduled_requests: v.looseObject({
    num_prefill_requests: count,
    sum_prefill_tokens: count,
    sum_prefill_kv_tokens: count,
    num_decode_requests: count,
    sum_decode_kv_tokens: count,
    var_decode_kv_tokens: v.optional(amount),
  }),
});

/** The format. */
export const fpmRecording: MeasuredFormat = {
  name: "fpm",
  title: "Dynamo forward-pass metrics, JSON Lines",
  recognise: ({ object }) => {
    const metrics = (object?.metrics ?? object) as Record<string, unknown> | undefined;
    return metrics?.wall_time !== undefined && typeof metrics.scheduled_requests === "object";
  },
  json(value, row, into) {
    const received = (value as { metrics?: unknown } | null)?.metrics ?? value;
    const { wall_time, scheduled_requests: sums } = shaped(metricsSchema, received, row);
    takePass(sums, { ms: wall_time * 1000 }, into);
  },
};
