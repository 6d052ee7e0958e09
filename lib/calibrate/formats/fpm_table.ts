/**
 * Forward passes as a flat table (`fpm_metrics_detail.csv` of aiconfigurator): the five sums and `latency_ms`.
 *
 * @module
 */
import * as v from "valibot";
import { type MeasuredFormat, shaped } from "./format.ts";
import { takePass } from "./pass_sums.ts";

const COLUMNS = [
  "num_prefill_requests",
  "sum_prefill_tokens",
  "sum_prefill_kv_tokens",
  "num_decode_requests",
  "sum_decode_kv_tokens",
] as const;

const cell = v.pipe(
  v.string("the column is missing"),
  v.transform((text) => text.trim() === "" ? NaN : Number(text)),
  v.number("not a number"),
  v.finite("not a finite number"),
  v.minValue(0, "must be at least 0"),
);
const wholeCell = v.pipe(cell, v.integer("not a whole number"));

const rowSchema = v.looseObject({
  num_prefill_requests: wholeCell,
  sum_prefill_tokens: wholeCell,
  sum_prefill_kv_tokens: wholeCell,
  num_decode_requests: wholeCell,
  sum_decode_kv_tokens: wholeCell,
  var_decode_kv_tokens: v.optional(cell),
  latency_ms: cell,
  workload_segment: v.optional(v.string()),
});

/** The format. */
export const fpmTable: MeasuredFormat = {
  name: "fpm-table",
  title: "forward passes with latency_ms, CSV",
  recognise: ({ cells }) => cells.includes("latency_ms") && COLUMNS.every((name) => cells.includes(name)),
  csv(cells, row, into) {
    const sums = shaped(rowSchema, cells, row);
    takePass(sums, { ms: sums.latency_ms, segment: sums.workload_segment }, into);
  },
};
