/**
 * How a run is judged, in sentences: first the share of requests within the SLA and what the others missed, then money,
 * then whether the run was saturated.
 *
 * @module
 */
import type { RunCalibration } from "../report.ts";
import type { Evaluation, SlaVerdict } from "../evaluation.ts";
import type { Overload } from "../overload.ts";
import { type Cost, moneyText } from "../price.ts";
import { counted, number, percent, whole } from "./format.ts";

/** What of a report is judged. */
export interface JudgedReport {
  /** Its summary. */
  readonly summary: object;
  /** Its judgement, where it has one. */
  readonly evaluation?: Evaluation | null;
}

/** What the bounds of an SLA are on. `itl_ms` bounds the mean of a request (TPOT), not single gaps (ITL). */
const BOUNDS = [
  ["ttft", "ttft_ms", "TTFT"],
  ["tpot", "itl_ms", "TPOT"],
  ["e2e", "e2e_ms", "end-to-end latency"],
] as const;

/** `83 % of 2,000 requests within the SLA (TTFT 500 ms, TPOT 20 ms)`. */
export function attainmentText({ within, requests, bounds }: SlaVerdict): string {
  const limits = BOUNDS.flatMap(([, key, name]) => bounds[key] === null ? [] : [`${name} ${number(bounds[key])} ms`]);
  return `${share(within, requests)} of ${counted(requests, "request")} within the SLA (${limits.join(", ")})`;
}

/** A percentage that says 100 only of all, and 0 only of none. */
function share(part: number, of: number): string {
  const text = percent(part, of);
  if (part < of && text === "100 %") return "over 99.99 %";
  return part > 0 && text === "0 %" ? "under 0.01 %" : text;
}

/**
 * Which bound was missed how often; null when every request kept them all. It is what explains a table whose
 * percentiles are all within the bounds.
 *
 * @param p95ItlMs what such a table has in its line of ITL
 */
export function missesText(
  { within, requests, bounds, missed }: SlaVerdict,
  p95ItlMs: number | null = null,
): string | null {
  if (within === requests) return null;
  const parts = BOUNDS.flatMap(([miss, key, name]) =>
    bounds[key] === null || missed[miss] === 0
      ? []
      : [`${name} over ${number(bounds[key])} ms: ${whole(missed[miss])} (${share(missed[miss], requests)})`]
  );
  if (missed.unserved > 0) {
    parts.push(
      `rejected, failed, kept out, unfinished or without a token: ${whole(missed.unserved)} (${
        share(missed.unserved, requests)
      })`,
    );
  }
  const twice = missed.ttft + missed.tpot + missed.e2e + missed.unserved > requests - within;
  const hidden = bounds.itl_ms !== null && missed.tpot > 0 && p95ItlMs !== null && p95ItlMs <= bounds.itl_ms;
  const note = hidden
    ? `; p95 ITL is ${number(p95ItlMs)} ms all the same: it pools the gaps of all tokens, TPOT is a request's mean`
    : "";
  return `${counted(requests - within, "request")} missed it: ${parts.join(", ")}${
    twice ? ", some more than one" : ""
  }${note}`;
}

/** `$4.50 (1.5 GPU hours at $3.00)` and what that comes to for tokens and good requests. */
export function costText({ price_per_gpu_hour: price, currency, total, ...each }: Cost, gpuHours: number): string {
  const { per_million_output_tokens: tokens, per_thousand_good_requests: good } = each;
  return [
    `${moneyText(total, currency)} for ${number(gpuHours)} GPU hours at ${moneyText(price, currency)}`,
    ...tokens === null ? [] : [`${moneyText(tokens, currency)} a million output tokens`],
    ...good === null ? [] : [`${moneyText(good, currency)} a thousand requests within the SLA`],
  ].join("; ");
}

/** Why a run counts as saturated. */
export function overloadText({ queues_growing, waiting, never_ran }: Overload): string {
  const parts = [
    ...queues_growing
      ? [
        `${
          waiting.map((mean) => number(mean)).join(", ")
        } requests waited on average in the four quarters of the load, ` +
        "so latencies grow with its length",
      ]
      : [],
    ...never_ran > 0 ? [`${counted(never_ran, "request")} never ran`] : [],
  ];
  return `saturated: ${parts.join("; ")}`;
}

/** Which calibration corrected the passes of a role, how good it was and how far the run went beyond it. */
export function calibrationLine(role: string, calibration: RunCalibration): string {
  const { level, passes, passes_outside: outside, request_overhead_ms: waits, fitted_to: n, held_out } = calibration;
  const { forced_from: differs = [], between_passes: between = 0 } = calibration;
  const error = held_out?.pass_ms ?? held_out?.e2e_latency_ms;
  const fitted = n && [
    ...n.passes > 0 ? [`${whole(n.passes)} passes`] : [],
    ...n.requests > 0 ? [`${whole(n.requests)} requests`] : [],
  ].join(" and ");
  return [
    `Calibration (${role}): ${level.replaceAll("_", " ")}${fitted ? ` fitted to ${fitted} that were measured` : ""}` +
    (error == null ? "" : `, ${Number(error.toFixed(2))} % off those it did not see`),
    `corrected ${whole(passes)} passes` +
    (outside > 0 ? `, ${whole(outside)} of them outside of what was measured` : ""),
    ...waits > 0 ? [`every request waits ${number(waits)} ms outside of the passes`] : [],
    ...between > 0 ? [`between passes ${number(100 * between)} % of their time passes`] : [],
    ...differs.length > 0 ? [`forced: it was fitted to another deployment (${differs.join("; ")})`] : [],
  ].join("; ");
}

/**
 * A run judged in sentences; none when nothing was asked about it.
 *
 * @example
 * ```ts
 * import { readTrace, replay, verdictLines } from "dynosim";
 *
 * const sla = { ttftMs: 1500, itlMs: 50 }, price = { perGpuHour: 3 };
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl"), { cluster: { replicas: 2 }, sla, price }).report;
 * for (const line of verdictLines(report)) console.log(line);
 * ```
 */
export function verdictLines({ summary, evaluation }: JudgedReport): string[] {
  const { sla, cost, overload } = evaluation ?? {};
  const {
    gpu_hours = 0,
    p95_itl_ms: itl,
    cutoff_unadmitted_requests: keptOut,
    cutoff_unfinished_requests: unfinished = 0,
  } = summary as Readonly<Record<string, number | undefined>>;
  const misses = sla && missesText(sla, itl);
  return [
    ...sla ? [attainmentText(sla)] : [],
    ...misses ? [misses] : [],
    ...cost ? [costText(cost, gpu_hours)] : [],
    ...keptOut === undefined
      ? []
      : [`the cutoff kept out ${counted(keptOut, "request")} and left ${whole(unfinished)} unfinished`],
    ...overload ? [overloadText(overload)] : [],
  ];
}
