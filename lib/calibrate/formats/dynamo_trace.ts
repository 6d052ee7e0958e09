/**
 * Dynamo's request trace with its measured times (`dynamo.request.trace.v1`). It tells arrivals and the content of
 * prompts too, so that the same file is the load and the measurement.
 *
 * @module
 */
import * as v from "valibot";
import { amount, type MeasuredFormat, optional, shaped, wholeNumber } from "./format.ts";

const SCHEMA = "dynamo.request.trace.v1";

const requestSchema = v.looseObject({
  output_tokens: optional(wholeNumber),
  input_tokens: optional(wholeNumber),
  request_received_ms: optional(amount),
  ttft_ms: optional(amount),
  total_time_ms: optional(amount),
  avg_itl_ms: optional(amount),
  replay: optional(v.looseObject({
    trace_block_size: v.pipe(wholeNumber, v.minValue(1)),
    input_length: wholeNumber,
    input_sequence_hashes: v.array(v.number()),
  })),
});
const recordSchema = v.looseObject({
  event_type: v.string(),
  request: optional(requestSchema),
});

const recordOf = (value: unknown) => (value as { event?: Record<string, unknown> } | null)?.event ?? value;

/** The format. */
export const dynamoTrace: MeasuredFormat = {
  name: "dynamo",
  title: "Dynamo request trace, JSON Lines",
  recognise: ({ object }) => (recordOf(object) as Record<string, unknown> | undefined)?.schema === SCHEMA,
  json(value, row, into) {
    const { event_type, request } = shaped(recordSchema, recordOf(value), row);
    if (event_type !== "request_end" || request === null) return into.skip("records of something else");
    const { replay, output_tokens: outputTokens, ttft_ms, total_time_ms } = request;
    const inputTokens = replay?.input_length ?? request.input_tokens;
    if (inputTokens === null || inputTokens === 0 || !outputTokens) return into.skip("requests without lengths");
    if (ttft_ms === null && total_time_ms === null) return into.skip("requests without times");
    if (replay !== null) into.blockTokens ??= replay.trace_block_size;
    const between = ttft_ms === null || total_time_ms === null || outputTokens < 2
      ? null
      : Math.max(total_time_ms - ttft_ms, 0) / (outputTokens - 1);
    into.requests.push({
      arrivalMs: request.request_received_ms,
      inputTokens,
      outputTokens,
      hashIds: replay !== null && replay.trace_block_size === into.blockTokens ? replay.input_sequence_hashes : null,
      ttftMs: ttft_ms,
      tpotMs: between ?? request.avg_itl_ms,
      e2eMs: total_time_ms,
    });
  },
};
