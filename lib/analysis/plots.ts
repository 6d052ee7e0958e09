/**
 * Figures on demand. The plot library is loaded when the first figure is drawn, so that programs which draw nothing do
 * not pay for it. Every function gives one SVG text with title, units and legend, for light and dark ground.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import type { CapacityResult } from "./read_capacity.ts";
import type { RecommendationResult } from "./read_recommendation.ts";
import type { ComparisonFigureOptions, NamedRun, TradeOffFigureOptions } from "./comparison_plot.ts";
import type { HtmlReportOptions } from "./html_report.ts";
import { figureSvg } from "./figure.ts";
import type { KvFigureOptions } from "./kv_plot.ts";
import type { KvRun } from "./kv_use.ts";
import type { LatencyCdfFigureOptions } from "./latency_distribution_plot.ts";
import type { LatencyFigureOptions } from "./latency_plot.ts";
import type { BucketOptions } from "./over_time.ts";
import type { LatencyMetric, RequestsRun } from "./request_figures.ts";
import type { ReplicaSource } from "./replicas.ts";
import type { ReplicasFigureOptions, TimeFigureOptions } from "./replicas_plot.ts";
import type { Run } from "./run.ts";
import type { Sla } from "../report/sla.ts";
import type { QueueFigureOptions } from "./traffic_plot.ts";

const TIME: OptionNames<TimeFigureOptions> = { title: true, width: true, untilMs: true };
const BUCKETS: OptionNames<BucketOptions> = { bucketMs: true, by: true };
const LATENCY: OptionNames<LatencyFigureOptions> = { ...TIME, ...BUCKETS, sla: true, height: true, apart: true };
const DISTRIBUTION: OptionNames<LatencyCdfFigureOptions> = { title: true, width: true, height: true, sla: true };
const COMPARISON: OptionNames<ComparisonFigureOptions> = { title: true, width: true, height: true };

/**
 * Active, starting and draining workers over time, what the Planner wanted and each of its decisions; a panel a pool.
 *
 * @param run a report or run
 *
 * @example
 * ```ts
 * import { planner, readTrace, replay, replicasPlot, vllm } from "dynosim";
 *
 * const { report } = replay(readTrace("fixtures/traces/chat.jsonl"), {
 *   cluster: { replicas: 1, engine: vllm({ blocks: 3000 }), startupSeconds: 30 },
 *   planner: planner({ target: "latency", maxGpus: 4 }),
 *   speedup: 4,
 * });
 * const svg = await replicasPlot(await report, { title: "One to four workers" });
 * console.log(svg.startsWith("<svg")); // true
 * ```
 */
export async function replicasPlot(run: ReplicaSource, options: ReplicasFigureOptions = {}): Promise<string> {
  checkOptions("replicasPlot()", options, { ...TIME, maxWorkers: true });
  return figureSvg((await import("./replicas_plot.ts")).replicasPlot(run, options));
}

/**
 * A latency over time, by arrival: a band from the median to the 95th percentile a run, and the bound as a line.
 *
 * @param runs runs with captured requests
 *
 * @example
 * ```ts
 * import { latencyPlot, readTrace, replay, toRun } from "dynosim";
 *
 * const { report } = replay(readTrace("fixtures/traces/chat.jsonl"), { capturePerRequest: true });
 * const svg = await latencyPlot([toRun(await report, { name: "one worker" })], "ttft_ms", { sla: { ttftMs: 200 } });
 * console.log(svg.includes("SLA 200 ms")); // true
 * ```
 */
export async function latencyPlot(
  runs: readonly RequestsRun[],
  metric: LatencyMetric,
  options: LatencyFigureOptions = {},
): Promise<string> {
  checkOptions("latencyPlot()", options, LATENCY);
  return figureSvg((await import("./latency_plot.ts")).latencyPlot(runs, metric, options));
}

/**
 * The share of requests that keep their bounds over time, by arrival.
 *
 * @example
 * ```ts
 * import { goodputPlot, limit, readTrace, replay, toRun } from "dynosim";
 *
 * const options = { cluster: { replicas: 2 }, capturePerRequest: true };
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl").pipeThrough(limit(200)), options).report;
 * console.log((await goodputPlot([toRun(report, { name: "two workers" })], { ttftMs: 200, itlMs: 20 })).startsWith("<svg"));
 * ```
 */
export async function goodputPlot(
  runs: readonly RequestsRun[],
  sla: Sla,
  options: LatencyFigureOptions = {},
): Promise<string> {
  checkOptions("goodputPlot()", options, LATENCY);
  return figureSvg((await import("./latency_plot.ts")).goodputPlot(runs, sla, options));
}

/**
 * How a latency is distributed: the share of requests that waited at most so long.
 *
 * @example
 * ```ts
 * import { latencyCdfPlot, limit, readTrace, replay, toRun } from "dynosim";
 *
 * const options = { cluster: { replicas: 2 }, capturePerRequest: true };
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl").pipeThrough(limit(200)), options).report;
 * console.log((await latencyCdfPlot([toRun(report, { name: "two workers" })], "ttft_ms")).startsWith("<svg"));
 * ```
 */
export async function latencyCdfPlot(
  runs: readonly RequestsRun[],
  metric: LatencyMetric,
  options: LatencyCdfFigureOptions = {},
): Promise<string> {
  checkOptions("latencyCdfPlot()", options, DISTRIBUTION);
  return figureSvg((await import("./latency_distribution_plot.ts")).latencyCdfPlot(runs, metric, options));
}

/**
 * TTFT against prompt length: median and 95th percentile.
 *
 * @example
 * ```ts
 * import { limit, readTrace, replay, toRun, ttftByLengthPlot } from "dynosim";
 *
 * const options = { cluster: { replicas: 2 }, capturePerRequest: true };
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl").pipeThrough(limit(200)), options).report;
 * console.log((await ttftByLengthPlot([toRun(report, { name: "two workers" })])).startsWith("<svg"));
 * ```
 */
export async function ttftByLengthPlot(
  runs: readonly RequestsRun[],
  options: LatencyCdfFigureOptions = {},
): Promise<string> {
  checkOptions("ttftByLengthPlot()", options, DISTRIBUTION);
  return figureSvg((await import("./latency_distribution_plot.ts")).ttftByLengthPlot(runs, options));
}

/**
 * Requests and tokens per second as they arrived.
 *
 * @example
 * ```ts
 * import { limit, readTrace, replay, toRun, trafficPlot } from "dynosim";
 *
 * const options = { cluster: { replicas: 2 }, capturePerRequest: true };
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl").pipeThrough(limit(200)), options).report;
 * console.log((await trafficPlot([toRun(report, { name: "two workers" })], { bucketMs: 10_000 })).startsWith("<svg"));
 * ```
 */
export async function trafficPlot(
  runs: readonly RequestsRun[],
  options: TimeFigureOptions & BucketOptions = {},
): Promise<string> {
  checkOptions("trafficPlot()", options, { ...TIME, ...BUCKETS });
  return figureSvg((await import("./traffic_plot.ts")).trafficPlot(runs, options));
}

/**
 * Requests waiting and running over time.
 *
 * @example
 * ```ts
 * import { limit, queuePlot, readTrace, replay, toRun } from "dynosim";
 *
 * const options = { cluster: { replicas: 2 }, capturePerRequest: true };
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl").pipeThrough(limit(200)), options).report;
 * console.log((await queuePlot([toRun(report, { name: "two workers" })])).startsWith("<svg"));
 * ```
 */
export async function queuePlot(
  runs: readonly RequestsRun[],
  options: QueueFigureOptions = {},
): Promise<string> {
  checkOptions("queuePlot()", options, { ...TIME, bucketMs: true, apart: true });
  return figureSvg((await import("./traffic_plot.ts")).queuePlot(runs, options));
}

/**
 * KV cache in use over time; null when a run has neither telemetry nor Planner ticks.
 *
 * @example
 * ```ts
 * import { kvPlot, limit, readTrace, replay, toRun } from "dynosim";
 *
 * const options = { cluster: { replicas: 2 }, capturePerRequest: true };
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl").pipeThrough(limit(200)), options).report;
 * console.log((await kvPlot([toRun(report, { name: "two workers" })])));
 * ```
 */
export async function kvPlot(runs: readonly KvRun[], options: KvFigureOptions = {}): Promise<string | null> {
  checkOptions("kvPlot()", options, { ...TIME, apart: true });
  const figure = (await import("./kv_plot.ts")).kvPlot(runs, options);
  return figure && figureSvg(figure);
}

/**
 * GPU hours against goodput, or another figure of the summary, a dot a run.
 *
 * @example
 * ```ts
 * import { limit, readTrace, replay, toRun, tradeOffPlot } from "dynosim";
 *
 * const options = { cluster: { replicas: 2 }, capturePerRequest: true };
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl").pipeThrough(limit(200)), options).report;
 * console.log((await tradeOffPlot([toRun(report, { name: "two workers" })], { against: "p95_ttft_ms" })).startsWith("<svg"));
 * ```
 */
export async function tradeOffPlot(runs: readonly NamedRun[], options: TradeOffFigureOptions = {}): Promise<string> {
  checkOptions("tradeOffPlot()", options, { ...COMPARISON, against: true });
  return figureSvg((await import("./comparison_plot.ts")).tradeOffPlot(runs, options));
}

/**
 * GPU hours of each run by phase of its workers' lives.
 *
 * @example
 * ```ts
 * import { gpuHoursPlot, limit, readTrace, replay, toRun } from "dynosim";
 *
 * const options = { cluster: { replicas: 2 }, capturePerRequest: true };
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl").pipeThrough(limit(200)), options).report;
 * console.log((await gpuHoursPlot([toRun(report, { name: "two workers" })])).startsWith("<svg"));
 * ```
 */
export async function gpuHoursPlot(runs: readonly NamedRun[], options: ComparisonFigureOptions = {}): Promise<string> {
  checkOptions("gpuHoursPlot()", options, COMPARISON);
  return figureSvg((await import("./comparison_plot.ts")).gpuHoursPlot(runs, options));
}

/**
 * One self-contained HTML page about one or several runs of the same trace, side by side; it loads nothing from
 * anywhere.
 *
 * @param runs runs from `readRun` or `toRun`; the first is what the others are compared with
 * @throws {RangeError} without runs
 *
 * @example
 * ```ts
 * import { htmlReport, readTrace, replay, toRun } from "dynosim";
 *
 * const runs = [];
 * for (const replicas of [1, 2]) {
 *   const options = { cluster: { replicas }, capturePerRequest: true, sla: { ttftMs: 200, itlMs: 20 } };
 *   const { report } = replay(readTrace("fixtures/traces/chat.jsonl"), options);
 *   runs.push(toRun(await report, { name: `${replicas} workers`, sla: options.sla }));
 * }
 * const page = await htmlReport(runs);
 * console.log(page.includes("At a glance")); // true
 * ```
 */
export async function htmlReport(runs: readonly Run[], options: HtmlReportOptions = {}): Promise<string> {
  return (await import("./html_report.ts")).htmlReport(runs, options);
}

/**
 * The share of requests within the SLA against the load, with the edge that a capacity found.
 *
 * @param found what {@linkcode capacity} found
 *
 * @example
 * ```ts
 * import { capacity, capacityPlot, loadPrediction } from "dynosim";
 *
 * const { plan } = await loadPrediction(`
 * traffic: {source: {type: synthetic}, load: {concurrency: 8}, stop: {requests: 40}}
 * engine:
 *   model: Qwen/Qwen3-32B
 *   hardware: h200_sxm
 *   workers: {aggregated: {parallelism: {tensor: 2}, timing: {type: fixed, prefill_ms: 20, decode_ms: 10}}}
 * evaluation: {sla: {ttft_ms: 500, itl_ms: 20}}
 * `);
 * const svg = await capacityPlot(await capacity(plan, { attainment: 0.9 }));
 * console.log(svg.startsWith("<svg")); // true
 * ```
 */
export async function capacityPlot(found: CapacityResult): Promise<string> {
  return figureSvg((await import("./capacity_plot.ts")).capacityPlot(found));
}

/**
 * Draws what a deployment carries as one self-contained page.
 *
 * @param found what {@linkcode capacity} found, or {@linkcode readCapacity} read
 * @param options `title`, the heading
 *
 * @example
 * ```ts ignore
 * const text = await capacityPage(await readCapacity("runs/capacity"), { title: "Four workers" });
 * ```
 */
export async function capacityPage(found: CapacityResult, options: { title?: string } = {}): Promise<string> {
  checkOptions("capacityPage()", options, { title: true });
  return (await import("./capacity_page.ts")).capacityPage(found, options);
}

/**
 * Draws the result of a search as one self-contained page.
 *
 * @param result what {@linkcode readRecommendation} read
 * @param options `title`, the heading
 *
 * @example
 * ```ts ignore
 * const text = await recommendationPage(await readRecommendation("runs/sizing"), { title: "Sizing" });
 * ```
 */
export async function recommendationPage(
  result: RecommendationResult,
  options: { title?: string } = {},
): Promise<string> {
  checkOptions("recommendationPage()", options, { title: true });
  return (await import("./recommendation_page.ts")).recommendationPage(result, options);
}
