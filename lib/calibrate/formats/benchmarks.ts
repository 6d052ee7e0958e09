/**
 * Results of the benchmarks that come with the engines: `vllm bench serve --save-result --save-detailed` (one JSON
 * object) and SGLang's `bench_serving --output-details` (one JSON object a line). Seconds; columns of requests.
 *
 * @module
 */
import * as v from "valibot";
import { TraceError } from "../../errors.ts";
import type { Measured } from "../measured.ts";
import { amount, type MeasuredFormat, optional, type Row, shaped, wholeNumber } from "./format.ts";

const columns = v.looseObject({
  input_lens: v.array(wholeNumber),
  output_lens: v.array(wholeNumber),
  ttfts: v.array(amount),
  itls: v.array(v.array(amount)),
  start_times: optional(v.array(amount)),
  errors: optional(v.array(v.nullable(v.string()))),
  max_concurrency: optional(v.pipe(amount, v.minValue(1))),
});

function requests(value: unknown, row: Row, into: Measured): void {
  if (typeof value === "object" && value !== null && !("ttfts" in value)) {
    const message = "it holds no times of single requests: write it with --save-detailed (vLLM) or --output-details " +
      "(SGLang)";
    throw new TraceError(`${row.file}:${row.line}: ${message}`, row);
  }
  const { input_lens, output_lens, ttfts, itls, start_times, errors, max_concurrency } = shaped(columns, value, row);
  const count = input_lens.length;
  for (const [name, column] of Object.entries({ output_lens, ttfts, itls, start_times, errors })) {
    if (column !== null && column.length !== count) {
      const message = `${name} has ${column.length} entries, but input_lens has ${count}`;
      throw new TraceError(`${row.file}:${row.line}: ${message}`, row);
    }
  }
  if (max_concurrency !== null) into.concurrency = max_concurrency;
  for (let i = 0; i < count; i++) {
    if (errors?.[i]) {
      into.skip("failed requests");
      continue;
    }
    if (input_lens[i] === 0 || output_lens[i] === 0) {
      into.skip("requests without lengths");
      continue;
    }
    const decodeMs = itls[i].reduce((sum, seconds) => sum + seconds, 0) * 1000, ttftMs = ttfts[i] * 1000;
    into.requests.push({
      arrivalMs: start_times === null ? null : start_times[i] * 1000,
      inputTokens: input_lens[i],
      outputTokens: output_lens[i],
      hashIds: null,
      ttftMs,
      tpotMs: output_lens[i] > 1 ? decodeMs / (output_lens[i] - 1) : null,
      e2eMs: ttftMs + decodeMs,
    });
  }
}

/** vLLM's. */
export const vllmBench: MeasuredFormat = {
  name: "vllm-bench",
  title: "vllm bench serve result, JSON",
  recognise: ({ object }) =>
    object !== undefined && ("ttfts" in object || "mean_ttft_ms" in object) && !("sharegpt_output_len" in object),
  json: requests,
};

/** SGLang's. */
export const sglangBench: MeasuredFormat = {
  name: "sglang-bench",
  title: "SGLang bench_serving result, JSON Lines",
  recognise: ({ object }) => object !== undefined && "sharegpt_output_len" in object && "mean_ttft_ms" in object,
  json: requests,
};
