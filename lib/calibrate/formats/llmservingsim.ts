/**
 * `requests.jsonl` of LLMServingSim's benchmark of real engines. Arrivals are on another clock than the engine's times.
 *
 * @module
 */
import * as v from "valibot";
import { amount, type MeasuredFormat, shaped, wholeNumber } from "./format.ts";

const rowSchema = v.looseObject({
  input_toks: wholeNumber,
  output_toks: wholeNumber,
  queued_ts: amount,
  first_token_ts: amount,
  last_token_ts: amount,
});

/** The format. */
export const llmServingSimBench: MeasuredFormat = {
  name: "llmservingsim-bench",
  title: "LLMServingSim benchmark requests, JSON Lines",
  recognise: ({ object }) => object?.input_toks !== undefined && object.first_token_ts !== undefined,
  json(value, row, into) {
    const request = shaped(rowSchema, value, row);
    const { input_toks: inputTokens, output_toks: outputTokens, queued_ts, first_token_ts, last_token_ts } = request;
    if (inputTokens === 0 || outputTokens === 0) return into.skip("requests without lengths");
    into.requests.push({
      arrivalMs: queued_ts * 1000,
      inputTokens,
      outputTokens,
      hashIds: null,
      ttftMs: (first_token_ts - queued_ts) * 1000,
      tpotMs: outputTokens > 1 ? (last_token_ts - first_token_ts) * 1000 / (outputTokens - 1) : null,
      e2eMs: (last_token_ts - queued_ts) * 1000,
    });
  },
};
