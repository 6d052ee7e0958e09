/**
 * Did users feel it: latency over time against its bound, and the share of good requests.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import type { ColumnTable } from "./arquero.ts";
import type { Sla } from "../report/sla.ts";
import { grid, minutesAxis, valueAxis } from "./axes.ts";
import { draw } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { panelsOf, type RunSeries } from "./multiples.ts";
import { type BucketOptions, goodputOverTime, percentilesOverTime, roundBucketMs } from "./over_time.ts";
import type { TimeFigureOptions } from "./replicas_plot.ts";
import {
  boundLegend,
  boundMarks,
  captured,
  describeSla,
  lastArrivalMs,
  type LatencyMetric,
  LINEAR_RANGE,
  METRICS,
  powers,
  type RequestsRun,
  runLegend,
} from "./request_figures.ts";
import { duration } from "./units.ts";

/** Options of {@linkcode latencyPlot}. */
export interface LatencyFigureOptions extends TimeFigureOptions, BucketOptions {
  /** Bounds drawn into the figure. */
  sla?: Sla | null;
  /** Height in pixels. */
  height?: number;
  /** A small panel for each run that differs. Default: all runs in one. */
  apart?: boolean;
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
): Figure {
  const { long, bound, name } = METRICS[metric];
  const { apart = false } = options;
  const bucketMs = bucketOf(runs, options);
  const found = captured(runs).map(({ run, style }) => ({
    run,
    style,
    rows: bands(run.requests!, metric, { by: options.by, bucketMs }),
  }));
  const limit = options.sla?.[bound] ?? undefined;
  const values = found.flatMap(({ rows }) => rows.flatMap(({ p50, p95 }) => [p50, p95]));
  const lowest = Math.min(...values, limit ?? Infinity), highest = Math.max(...values, limit ?? 0);
  const log = lowest > 0 && highest / lowest > LINEAR_RANGE;
  const untilMinute = untilMinutes(found.map(({ rows }) => rows), options);
  const series = found.map(({ run, style, rows }): RunSeries => {
    const x = rows.map(({ minute }) => minute * 60);
    return {
      name: run.name,
      style,
      marks: ({ color, dash }) => [
        Plot.areaY(rows, {
          x: "minute",
          y1: "p50",
          y2: "p95",
          z: "piece",
          fill: color,
          fillOpacity: apart ? 0.3 : 0.2,
        }),
        Plot.lineY(rows, { x: "minute", y: "p95", z: "piece", stroke: color, strokeWidth: 1 }),
        Plot.lineY(rows, {
          x: "minute",
          y: "p50",
          z: "piece",
          stroke: color,
          strokeWidth: 2,
          strokeDasharray: dash ?? undefined,
        }),
      ],
      data: [
        { of: run.name, part: "median", unit: "ms", x, y: rows.map(({ p50 }) => p50) },
        { of: run.name, part: "p95", unit: "ms", x, y: rows.map(({ p95 }) => p95) },
      ],
    };
  });
  const size = { apart, width: options.width ?? 960, height: options.height ?? 210 };
  const { panels, cells, series: data } = panelsOf(series, size, (marks, { ticks, small, ...panel }) => {
    const levels = log ? powers(lowest, highest) : ticks.y;
    return draw({
      ...panel,
      x: { domain: [0, untilMinute] },
      y: log
        ? { type: "log", domain: [lowest / 1.15, highest * 1.15], clamp: true }
        : { domain: [0, highest * 1.06], clamp: true },
      marks: [
        grid(levels),
        minutesAxis(ticks.x),
        valueAxis(small ? "" : log ? `${name} (log scale)` : name, duration, levels),
        ...marks,
        ...boundMarks(limit),
      ],
    });
  });
  return {
    untilMs: untilMinute * 60_000,
    title: options.title ?? long,
    subtitle: `median (thick) to 95th percentile (thin), by arrival, every ${duration(bucketMs)}` +
      (apart ? "; the first run in grey" : ""),
    legend: apart
      ? boundLegend(limit)
      : runLegend(found.map(({ run, style }) => ({ name: run.name, ...style })), limit),
    panels,
    cells,
    data: { x: "time (s)", series: data },
  };
}

/** The share of requests that keep their bounds over time, by arrival. */
export function goodputPlot(runs: readonly RequestsRun[], sla: Sla, options: LatencyFigureOptions = {}): Figure {
  const { apart = false } = options;
  const bucketMs = bucketOf(runs, options);
  const found = captured(runs).map(({ run, style }) => ({
    run,
    style,
    rows: shares(run.requests!, sla, { by: options.by, bucketMs }),
  }));
  const untilMinute = untilMinutes(found.map(({ rows }) => rows), options);
  const series = found.map(({ run, style, rows }): RunSeries => ({
    name: run.name,
    style,
    marks: ({ color, dash }) => [
      Plot.lineY(rows, {
        x: "minute",
        y: "share",
        z: "piece",
        stroke: color,
        strokeWidth: apart ? 1.75 : 2,
        strokeDasharray: dash ?? undefined,
      }),
    ],
    data: [{
      of: run.name,
      part: "good",
      unit: "share",
      x: rows.map(({ minute }) => minute * 60),
      y: rows.map(({ share }) => share),
    }],
  }));
  const size = { apart, width: options.width ?? 960, height: options.height ?? 170 };
  const { panels, cells, series: data } = panelsOf(series, size, (marks, { ticks, small, ...panel }) =>
    draw({
      ...panel,
      x: { domain: [0, untilMinute] },
      y: { domain: [0, 1.02] },
      marks: [
        grid(HALVES),
        minutesAxis(ticks.x),
        valueAxis(small ? "" : "good requests", (share) => `${Math.round(share * 100)} %`, HALVES),
        ...marks,
      ],
    }));
  return {
    untilMs: untilMinute * 60_000,
    title: options.title ?? "Good requests",
    subtitle: `share of completed requests with ${describeSla(sla)}, by arrival` +
      (apart ? "; the first run in grey" : ""),
    legend: apart ? [] : runLegend(found.map(({ run, style }) => ({ name: run.name, ...style }))),
    panels,
    cells,
    data: { x: "time (s)", series: data },
  };
}

const HALVES = [0, 0.5, 1];

/** Good shares of the buckets that have any request; a line ends where one has none. */
function shares(
  requests: ColumnTable,
  sla: Sla,
  options: BucketOptions,
): { minute: number; share: number; piece: number }[] {
  let piece = 0;
  return (goodputOverTime(requests, sla, options).objects() as Record<string, number | null>[]).flatMap((bucket) => {
    const { from_ms, to_ms, good_share: share } = bucket;
    if (share === null) piece++;
    return share === null ? [] : [{ minute: (from_ms! + to_ms!) / 120_000, share, piece }];
  });
}

interface Band {
  minute: number;
  p50: number;
  p95: number;
  /** Buckets without requests break the line. */
  piece: number;
}

function bands(requests: ColumnTable, metric: LatencyMetric, buckets: BucketOptions): Band[] {
  const rows = percentilesOverTime(requests, metric, { ...buckets, percentiles: [50, 95] }).objects() as Record<
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

/** The same buckets for all runs; fewer of them where panels are small. */
function bucketOf(runs: readonly RequestsRun[], { bucketMs, apart }: LatencyFigureOptions): number {
  return bucketMs ?? roundBucketMs(lastArrivalMs(runs), apart ? SMALL_BUCKETS : undefined);
}

const SMALL_BUCKETS = 60;
