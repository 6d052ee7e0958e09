/**
 * Did users feel it: latency over time against its bound, and the share of good requests.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import type { ColumnTable } from "./arquero.ts";
import type { Sla } from "../report/sla.ts";
import { draw, duration, figure, grid, MARGINS, minutesAxis, valueAxis } from "./figure.ts";
import { type BucketOptions, bucketsOf, goodputOverTime, percentilesOverTime, roundBucketMs } from "./over_time.ts";
import type { TimeFigureOptions } from "./replicas_plot.ts";
import {
  boundMarks,
  captured,
  describeSla,
  type LatencyMetric,
  LINEAR_RANGE,
  METRICS,
  powers,
  type RequestsRun,
  runLegend,
} from "./request_figures.ts";

/** Options of {@linkcode latencyPlot}. */
export interface LatencyFigureOptions extends TimeFigureOptions, BucketOptions {
  /** Bounds drawn into the figure. */
  sla?: Sla | null;
  /** Height in pixels. */
  height?: number;
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
    rows: (goodputOverTime(run.requests!, sla, bucketsOf(options)).objects() as Record<string, number | null>[])
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

interface Band {
  minute: number;
  p50: number;
  p95: number;
  /** Buckets without requests break the line. */
  piece: number;
}

function bands(requests: ColumnTable, metric: LatencyMetric, options: BucketOptions): Band[] {
  const rows = percentilesOverTime(requests, metric, { ...bucketsOf(options), percentiles: [50, 95] })
    .objects() as Record<
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
