/**
 * How is latency distributed: over requests, and over prompt lengths.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import type { ColumnTable } from "./arquero.ts";
import { percentileRank } from "../report/distribution.ts";
import type { Sla } from "../report/sla.ts";
import { bottomAxis, grid, MARGINS, valueAxis } from "./axes.ts";
import { draw } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { ttftByInputLength } from "./over_time.ts";
import {
  boundMarks,
  captured,
  type LatencyMetric,
  LINEAR_RANGE,
  METRICS,
  powers,
  type RequestsRun,
  runLegend,
} from "./request_figures.ts";
import { duration } from "./units.ts";

/** Options of {@linkcode latencyCdfPlot} and {@linkcode ttftByLengthPlot}. */
export interface LatencyCdfFigureOptions {
  /** Head of the figure. */
  title?: string;
  /** Width in pixels. Default 472. */
  width?: number;
  /** Height in pixels. */
  height?: number;
  /** Draws the bound of the latency. */
  sla?: Sla | null;
}

/** The distribution of a latency: the share of requests that waited at most so long. */
export function latencyCdfPlot(
  runs: readonly RequestsRun[],
  metric: LatencyMetric,
  options: LatencyCdfFigureOptions = {},
): Figure {
  const { long, bound, name } = METRICS[metric];
  const limit = options.sla?.[bound] ?? undefined;
  const series = captured(runs).map(({ run, style }) => ({ run, style, rows: quantiles(run.requests!, metric) }));
  const values = series.flatMap(({ rows }) => rows.map(({ value }) => value)).filter((value) => value > 0);
  const lowest = Math.min(...values, limit ?? Infinity), highest = Math.max(...values, limit ?? 0);
  const log = values.length > 0 && highest / lowest > LINEAR_RANGE;
  const plot = draw({
    ...MARGINS,
    marginBottom: 40,
    width: options.width ?? 472,
    height: options.height ?? 230,
    x: log
      ? { type: "log", domain: [lowest, highest * 1.1], clamp: true }
      : { domain: [0, values.length > 0 ? highest * 1.05 : 1], clamp: true },
    y: { domain: [0, 1] },
    marks: [
      grid(),
      bottomAxis(log ? `${name} (log scale)` : name, log ? powers(lowest, highest) : 5, duration),
      valueAxis("requests", (share) => `${Math.round(share * 100)} %`),
      ...series.map(({ rows, style }) =>
        Plot.lineY(rows, {
          x: "value",
          y: "share",
          stroke: style.color,
          strokeWidth: 2,
          strokeDasharray: style.dash ?? undefined,
        })
      ),
      ...(limit === undefined
        ? []
        : [Plot.ruleX([limit], { stroke: "currentColor", strokeDasharray: "4 3", strokeOpacity: 0.8 })]),
    ],
  });
  return {
    title: options.title ?? long,
    subtitle: "share of requests that waited at most so long",
    legend: runLegend(series.map(({ run, style }) => ({ name: run.name, ...style })), limit),
    panels: [{ plot }],
    data: {
      x: "share of requests",
      series: series.map(({ run, rows }) => ({
        of: run.name,
        part: name,
        unit: "ms",
        x: rows.map(({ share }) => share),
        y: rows.map(({ value }) => value),
      })),
    },
  };
}

/** TTFT against prompt length, in classes of powers of two: median (thick) and 95th percentile (thin). */
export function ttftByLengthPlot(
  runs: readonly RequestsRun[],
  options: LatencyCdfFigureOptions = {},
): Figure {
  const series = captured(runs).map(({ run, style }) => ({
    run,
    style,
    rows: (ttftByInputLength(run.requests!).objects() as Record<string, number>[]).map((row) => ({
      from: row.from_tokens,
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
    marginBottom: 40,
    width: options.width ?? 472,
    height: options.height ?? 230,
    x: { type: "log", base: 2 },
    y: { type: "log", domain: [Math.min(lowest, highest) / 1.15, highest * 1.15], clamp: true },
    marks: [
      grid(powers(lowest, highest)),
      bottomAxis("prompt tokens (log scale)", 6, (tokens) => tokens >= 1024 ? `${tokens / 1024}k` : String(tokens)),
      valueAxis("TTFT (log scale)", duration, powers(lowest, highest)),
      ...series.flatMap(({ rows, style: { color, dash } }) => [
        Plot.lineY(rows, { x: "tokens", y: "p95", stroke: color, strokeWidth: 1 }),
        Plot.lineY(rows, { x: "tokens", y: "p50", stroke: color, strokeWidth: 2, strokeDasharray: dash ?? undefined }),
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
  return {
    title: options.title ?? "TTFT by prompt length",
    subtitle: "median (thick) and 95th percentile (thin)",
    legend: runLegend(series.map(({ run, style }) => ({ name: run.name, ...style })), limit),
    panels: [{ plot }],
    data: {
      x: "prompt tokens from",
      series: series.flatMap(({ run, rows }) => {
        const x = rows.map(({ from }) => from);
        return [
          { of: run.name, part: "TTFT median", unit: "ms" as const, x, y: rows.map(({ p50 }) => p50) },
          { of: run.name, part: "TTFT p95", unit: "ms" as const, x, y: rows.map(({ p95 }) => p95) },
        ];
      }),
    },
  };
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
