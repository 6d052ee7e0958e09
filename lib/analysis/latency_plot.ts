/**
 * Did users feel it: latency over time against its bound, the share of good requests, and how latency is distributed.
 * May import lib/report; the plot library.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { percentileRank } from "../report/distribution.ts";
import type { Sla } from "../report/sla.ts";
import { draw, duration, figure, grid, type LegendEntry, MARGINS, minutesAxis, runColor, valueAxis } from "./figure.ts";
import {
  type BucketOptions,
  goodputOverTime,
  percentilesOverTime,
  roundBucketMs,
  ttftByInputLength,
} from "./over_time.ts";
import type { TimeFigureOptions } from "./replicas_plot.ts";

/** A run with a table of requests. */
export interface RequestsRun {
  readonly name: string;
  readonly requests: ColumnTable | null;
}

/** Latencies that can be drawn, with their names and bounds. */
const METRICS = {
  ttft_ms: { name: "TTFT", long: "Time to first token (TTFT)", bound: "ttftMs" },
  itl_ms: { name: "ITL", long: "Time between tokens (ITL), mean of a request", bound: "itlMs" },
  e2e_latency_ms: { name: "latency", long: "End-to-end latency", bound: "e2eMs" },
} as const;

/** A latency column of the requests table. */
export type LatencyMetric = keyof typeof METRICS;

/** Beyond this ratio of extremes a linear axis hides one of them. */
const LINEAR_RANGE = 25;

/** Options of {@linkcode latencyPlot}. */
export interface LatencyFigureOptions extends TimeFigureOptions, BucketOptions {
  sla?: Sla | null;
  height?: number;
}

/** Options of {@linkcode latencyCdfPlot} and {@linkcode ttftByLengthPlot}. */
export interface LatencyCdfFigureOptions {
  title?: string;
  /** Width in pixels. Default 472. */
  width?: number;
  height?: number;
  /** Draws the bound of the latency. */
  sla?: Sla | null;
}

/**
 * A latency over time, by arrival: a band from the median to the 95th percentile a run, with the bound as a line. The
 * axis is logarithmic when the values span more than one order of magnitude.
 *
 * @param runs runs with requests; others are left out
 */
export function latencyPlot(
  runs: readonly RequestsRun[],
  metric: LatencyMetric,
  options: LatencyFigureOptions = {},
): string {
  const { long, bound, name } = METRICS[metric];
  const series = captured(runs).map(({ run, color }) => ({ run, color, rows: bands(run.requests!, metric, options) }));
  const limit = options.sla?.[bound] ?? undefined;
  const values = series.flatMap(({ rows }) => rows.flatMap(({ p50, p95 }) => [p50, p95]));
  const lowest = Math.min(...values, limit ?? Infinity), highest = Math.max(...values, limit ?? 0);
  const log = lowest > 0 && highest / lowest > LINEAR_RANGE;
  const ticks = log ? powers(lowest, highest) : 4;
  const untilMinute = untilMinutes(series.map(({ rows }) => rows), options);
  const plot = draw({
    ...MARGINS,
    marginBottom: 38,
    width: options.width ?? 960,
    height: options.height ?? 210,
    x: { domain: [0, untilMinute] },
    y: log
      ? { type: "log", domain: [lowest / 1.15, highest * 1.15], clamp: true }
      : { domain: [0, highest * 1.06], clamp: true },
    marks: [
      grid(ticks),
      ...minutesAxis(),
      valueAxis(log ? `${name} (log scale)` : name, duration, ticks),
      ...series.flatMap(({ rows, color }) => [
        Plot.areaY(rows, { x: "minute", y1: "p50", y2: "p95", z: "piece", fill: color, fillOpacity: 0.22 }),
        Plot.lineY(rows, { x: "minute", y: "p95", z: "piece", stroke: color, strokeWidth: 1 }),
        Plot.lineY(rows, { x: "minute", y: "p50", z: "piece", stroke: color, strokeWidth: 2 }),
      ]),
      ...boundMarks(limit),
    ],
  });
  return figure({
    untilMs: untilMinute * 60_000,
    title: options.title ?? long,
    subtitle: `median (thick) to 95th percentile (thin), by arrival, every ${duration(bucketOf(runs, options))}`,
    legend: runLegend(series.map(({ run, color }) => ({ name: run.name, color })), limit),
    panels: [{ plot }],
  });
}

/** The share of requests that keep their bounds over time, by arrival. */
export function goodputPlot(runs: readonly RequestsRun[], sla: Sla, options: LatencyFigureOptions = {}): string {
  const series = captured(runs).map(({ run, color }) => ({
    run,
    color,
    rows: (goodputOverTime(run.requests!, sla, options).objects() as Record<string, number | null>[])
      .filter(({ good_share }) => good_share !== null)
      .map(({ from_ms, to_ms, good_share }) => ({ minute: (from_ms! + to_ms!) / 120_000, share: good_share })),
  }));
  const untilMinute = untilMinutes(series.map(({ rows }) => rows), options);
  const plot = draw({
    ...MARGINS,
    marginBottom: 38,
    width: options.width ?? 960,
    height: options.height ?? 170,
    x: { domain: [0, untilMinute] },
    y: { domain: [0, 1.02] },
    marks: [
      grid(),
      ...minutesAxis(),
      valueAxis("good requests", (share) => `${Math.round(share * 100)} %`),
      ...series.map(({ rows, color }) => Plot.lineY(rows, { x: "minute", y: "share", stroke: color, strokeWidth: 2 })),
    ],
  });
  return figure({
    untilMs: untilMinute * 60_000,
    title: options.title ?? "Good requests",
    subtitle: `share of completed requests with ${describeSla(sla)}, by arrival`,
    legend: runLegend(series.map(({ run, color }) => ({ name: run.name, color }))),
    panels: [{ plot }],
  });
}

/** The distribution of a latency: the share of requests that waited at most so long. */
export function latencyCdfPlot(
  runs: readonly RequestsRun[],
  metric: LatencyMetric,
  options: LatencyCdfFigureOptions = {},
): string {
  const { long, bound, name } = METRICS[metric];
  const limit = options.sla?.[bound] ?? undefined;
  const series = captured(runs).map(({ run, color }) => ({ run, color, rows: quantiles(run.requests!, metric) }));
  const values = series.flatMap(({ rows }) => rows.map(({ value }) => value)).filter((value) => value > 0);
  const lowest = Math.min(...values, limit ?? Infinity), highest = Math.max(...values, limit ?? 0);
  const log = values.length > 0 && highest / lowest > LINEAR_RANGE;
  const place = log ? Math.log(limit! / lowest) / Math.log(highest / lowest) : limit! / highest;
  const crowded = place > 0.75;
  const plot = draw({
    ...MARGINS,
    marginBottom: 38,
    width: options.width ?? 472,
    height: options.height ?? 230,
    x: log
      ? { type: "log", domain: [lowest, highest * 1.1], clamp: true }
      : { domain: [0, values.length > 0 ? highest * 1.05 : 1], clamp: true },
    y: { domain: [0, 1] },
    marks: [
      grid(),
      Plot.axisX({
        label: log ? `${name} (log scale)` : name,
        labelAnchor: "right",
        labelArrow: "none",
        tickSize: 4,
        ticks: (log ? powers(lowest, highest) : 5) as number,
        tickFormat: duration as (value: unknown) => string,
      }),
      valueAxis("requests", (share) => `${Math.round(share * 100)} %`),
      ...series.map(({ rows, color }) => Plot.lineY(rows, { x: "value", y: "share", stroke: color, strokeWidth: 2 })),
      ...(limit === undefined ? [] : [
        Plot.ruleX([limit], { stroke: "currentColor", strokeDasharray: "4 3", strokeOpacity: 0.8 }),
        Plot.text([`SLA ${duration(limit)}`], {
          x: limit,
          frameAnchor: "bottom",
          dx: crowded ? -5 : 5,
          dy: -6,
          textAnchor: crowded ? "end" : "start",
        }),
      ]),
    ],
  });
  return figure({
    title: options.title ?? long,
    subtitle: "share of requests that waited at most so long",
    legend: runLegend(series.map(({ run, color }) => ({ name: run.name, color }))),
    panels: [{ plot }],
  });
}

/** TTFT against prompt length, in classes of powers of two: median (thick) and 95th percentile (thin). */
export function ttftByLengthPlot(
  runs: readonly RequestsRun[],
  options: LatencyCdfFigureOptions = {},
): string {
  const series = captured(runs).map(({ run, color }) => ({
    run,
    color,
    rows: (ttftByInputLength(run.requests!).objects() as Record<string, number>[]).map((row) => ({
      tokens: row.from_tokens * Math.SQRT2,
      p50: row.p50_ttft_ms,
      p95: row.p95_ttft_ms,
      count: row.count,
    })),
  }));
  const limit = options.sla?.ttftMs ?? undefined;
  const values = series.flatMap(({ rows }) => rows.flatMap(({ p50, p95 }) => [p50, p95])).filter((value) => value > 0);
  const lowest = Math.min(...values, limit ?? Infinity), highest = Math.max(...values, limit ?? 1);
  const plot = draw({
    ...MARGINS,
    marginBottom: 38,
    width: options.width ?? 472,
    height: options.height ?? 230,
    x: { type: "log", base: 2 },
    y: { type: "log", domain: [Math.min(lowest, highest) / 1.15, highest * 1.15], clamp: true },
    marks: [
      grid(powers(lowest, highest)),
      Plot.axisX({
        label: "prompt tokens (log scale)",
        labelAnchor: "right",
        labelArrow: "none",
        tickSize: 4,
        ticks: 6,
        tickFormat: ((tokens: number) => tokens >= 1024 ? `${tokens / 1024}k` : String(tokens)) as (
          v: unknown,
        ) => string,
      }),
      valueAxis("TTFT (log scale)", duration, powers(lowest, highest)),
      ...series.flatMap(({ rows, color }) => [
        Plot.lineY(rows, { x: "tokens", y: "p95", stroke: color, strokeWidth: 1 }),
        Plot.lineY(rows, { x: "tokens", y: "p50", stroke: color, strokeWidth: 2 }),
        Plot.dot(rows, {
          x: "tokens",
          y: "p50",
          fill: color,
          r: 2.5,
          title: (row: { count: number }) => `${row.count} requests`,
        }),
      ]),
      ...boundMarks(limit),
    ],
  });
  return figure({
    title: options.title ?? "TTFT by prompt length",
    subtitle: "median (thick) and 95th percentile (thin)",
    legend: runLegend(series.map(({ run, color }) => ({ name: run.name, color }))),
    panels: [{ plot }],
  });
}

/** `TTFT ≤ 1.5 s, ITL ≤ 50 ms` */
export function describeSla(sla: Sla): string {
  return Object.values(METRICS).flatMap(({ bound, name }) => {
    const limit = sla[bound];
    return limit == null ? [] : [`${name} ≤ ${duration(limit)}`];
  }).join(", ");
}

/** Runs with requests, each with the colour of its place among all. */
export function captured<R extends RequestsRun>(runs: readonly R[]): { run: R; color: string }[] {
  return runs.map((run, i) => ({ run, color: runColor(i) })).filter(({ run }) => run.requests !== null);
}

/** Legend of runs; one run alone needs none, unless there is a bound to explain. */
export function runLegend(runs: readonly { name: string; color: string }[], limit?: number): LegendEntry[] {
  return [
    ...runs.map(({ name, color }) => ({ label: name, color, mark: "line" as const })),
    ...(limit === undefined
      ? []
      : [{ label: `SLA ${duration(limit)}`, color: "currentColor", mark: "dashed" as const }]),
  ];
}

interface Band {
  minute: number;
  p50: number;
  p95: number;
  /** Buckets without requests break the line. */
  piece: number;
}

function bands(requests: ColumnTable, metric: LatencyMetric, options: BucketOptions): Band[] {
  const rows = percentilesOverTime(requests, metric, { ...options, percentiles: [50, 95] }).objects() as Record<
    string,
    number | null
  >[];
  let piece = 0;
  return rows.flatMap(({ from_ms, to_ms, p50, p95 }) => {
    if (p50 === null || p95 === null) {
      piece++;
      return [];
    }
    return [{ minute: (from_ms! + to_ms!) / 120_000, p50, p95, piece }];
  });
}

function boundMarks(limit: number | undefined): Plot.Markish[] {
  if (limit === undefined) return [];
  return [Plot.ruleY([limit], { stroke: "currentColor", strokeDasharray: "4 3", strokeOpacity: 0.8 })];
}

const CDF_POINTS = 240;

function quantiles(requests: ColumnTable, metric: string): { value: number; share: number }[] {
  const column = requests.column(metric)!;
  const values: number[] = [];
  requests.scan((row) => {
    const value = column.at(row!);
    if (value !== null) values.push(value);
  });
  const ascending = Float64Array.from(values).sort();
  if (ascending.length === 0) return [];
  return Array.from({ length: CDF_POINTS + 1 }, (_, i) => ({
    value: ascending[percentileRank(ascending.length, (100 * i) / CDF_POINTS)],
    share: i / CDF_POINTS,
  }));
}

/** Ticks of a logarithmic axis: powers of ten, with their thirds where there are few. */
function powers(lowest: number, highest: number): number[] {
  const decades: number[] = [];
  for (let power = Math.floor(Math.log10(lowest)); 10 ** power <= highest * 1.15; power++) decades.push(10 ** power);
  const inside = (ticks: number[]) => ticks.filter((tick) => tick >= lowest / 1.15 && tick <= highest * 1.15);
  const few = inside(decades);
  return few.length >= 3 ? few : inside(decades.flatMap((tick) => [tick, 3 * tick]));
}

function untilMinutes(series: readonly (readonly { minute: number }[])[], options: TimeFigureOptions): number {
  if (options.untilMs !== undefined) return options.untilMs / 60_000;
  return Math.max(1e-3, ...series.flatMap((rows) => rows.map(({ minute }) => minute)));
}

function bucketOf(runs: readonly RequestsRun[], options: BucketOptions): number {
  if (options.bucketMs !== undefined) return options.bucketMs;
  const last = captured(runs).reduce((latest, { run }) => {
    const arrivals = run.requests!.column("arrival_time_ms")!;
    run.requests!.scan((row) => void (latest = Math.max(latest, arrivals.at(row!))));
    return latest;
  }, 0);
  return roundBucketMs(last);
}
