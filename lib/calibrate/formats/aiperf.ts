/**
 * AIPerf's record of every request, `profile_export.jsonl`: metrics with their units, warm-up and failures among them.
 *
 * @module
 */
import * as v from "valibot";
import { TraceError } from "../../errors.ts";
import { type MeasuredFormat, optional, type Row, shaped } from "./format.ts";

const metric = v.looseObject({ value: v.pipe(v.number(), v.finite()), unit: v.optional(v.string(), "") });
type Metric = v.InferOutput<typeof metric>;

const recordSchema = v.looseObject({
  metadata: v.looseObject({
    request_start_ns: optional(v.number()),
    benchmark_phase: optional(v.string()),
    was_cancelled: optional(v.boolean()),
  }),
  metrics: v.looseObject({
    input_sequence_length: optional(metric),
    output_sequence_length: optional(metric),
    time_to_first_token: optional(metric),
    inter_token_latency: optional(metric),
    request_latency: optional(metric),
  }),
  error: v.optional(v.unknown(), null),
});

/** Milliseconds of a unit. */
const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, "µs": 1e-3, ms: 1, s: 1000, sec: 1000 };

function milliseconds(name: string, found: Metric | null, { file, line }: Row): number | null {
  if (found === null) return null;
  if (!Object.hasOwn(UNITS, found.unit)) {
    const known = Object.keys(UNITS).join(", ");
    throw new TraceError(`${file}:${line}: ${name} is in '${found.unit}', expected one of ${known}`, { file, line });
  }
  return found.value * UNITS[found.unit];
}

/** The format. */
export const aiperf: MeasuredFormat = {
  name: "aiperf",
  title: "AIPerf profile_export.jsonl",
  recognise: ({ object }) => typeof object?.metadata === "object" && typeof object.metrics === "object",
  json(value, row, into) {
    const { metadata, metrics, error } = shaped(recordSchema, value, row);
    if (metadata.benchmark_phase === "warmup") return into.skip("warm-up");
    if (error !== null) return into.skip("failed requests");
    if (metadata.was_cancelled) return into.skip("cancelled requests");
    const inputTokens = metrics.input_sequence_length?.value, outputTokens = metrics.output_sequence_length?.value;
    if (!inputTokens || !outputTokens) return into.skip("requests without lengths");
    const time = (name: "time_to_first_token" | "inter_token_latency" | "request_latency") =>
      milliseconds(name, metrics[name], row);
    into.requests.push({
      arrivalMs: metadata.request_start_ns === null ? null : metadata.request_start_ns / 1e6,
      inputTokens,
      outputTokens,
      hashIds: null,
      ttftMs: time("time_to_first_token"),
      tpotMs: time("inter_token_latency"),
      e2eMs: time("request_latency"),
    });
  },
};
