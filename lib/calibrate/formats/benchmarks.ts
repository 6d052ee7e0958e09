/**
 * Results of the benchmarks that come with the engines: `vllm bench serve --save-result --save-detailed` (one JSON
 * object) and SGLang's `bench_serving --output-details` (one JSON object a line). Seconds; columns of requests.
 *
 * @module
 */
import * as v from "valibot";
import { TraceError } from "../../errors.ts";
import { arrivalTimes } from "../../traffic/arrivals.ts";
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
  request_rate: optional(v.union([amount, v.string()])),
});
type Columns = v.InferOutput<typeof columns>;

/** The seed of arrivals that are drawn; any would do. */
const SEED = 1;

/**
 * When requests came, in milliseconds; null where as many were open at a time as the benchmark held, which `into` is told.
 * Without a rate all are sent at once, or as soon as there is room.
 */
function arrivalsOf(
  { input_lens: { length }, start_times, max_concurrency, request_rate }: Columns,
  row: Row,
  into: Measured,
): ArrayLike<number> | null {
  const held = request_rate === null || Number(request_rate) === Infinity || request_rate === "inf";
  const open = held ? max_concurrency ?? (start_times === null ? length : null) : null;
  if (open !== null) {
    if (into.concurrency !== null && into.concurrency !== open) {
      const message = `its requests were sent with ${open} open at a time, those before with ${into.concurrency}; ` +
        "give results of one number at a time";
      throw new TraceError(`${row.file}:${row.line}: ${message}`, row);
    }
    into.concurrency = open;
  }
  if (start_times !== null) return start_times.map((seconds) => seconds * 1000);
  if (held || !(Number(request_rate) > 0)) return null;
  into.assumed.add(`requests came at random, ${Number(request_rate)} a second: the results say the rate alone`);
  // a run after another one begins when that has ended
  const from = into.requests.reduce((last, { arrivalMs, e2eMs }) => Math.max(last, (arrivalMs ?? 0) + (e2eMs ?? 0)), 0);
  return arrivalTimes(length, { requestsPerSecond: Number(request_rate), seed: SEED }).map((ms) => from + ms);
}

function requests(value: unknown, row: Row, into: Measured): void {
  if (typeof value === "object" && value !== null && !("ttfts" in value)) {
    const message = "it holds no times of single requests: write it with --save-detailed (vLLM) or --output-details " +
      "(SGLang)";
    throw new TraceError(`${row.file}:${row.line}: ${message}`, row);
  }
  const found = shaped(columns, value, row);
  const { input_lens, output_lens, ttfts, itls, start_times, errors } = found;
  const count = input_lens.length;
  for (const [name, column] of Object.entries({ output_lens, ttfts, itls, start_times, errors })) {
    if (column !== null && column.length !== count) {
      const message = `${name} has ${column.length} entries, but input_lens has ${count}`;
      throw new TraceError(`${row.file}:${row.line}: ${message}`, row);
    }
  }
  const arrivals = arrivalsOf(found, row, into);
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
      arrivalMs: arrivals === null ? null : arrivals[i],
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
