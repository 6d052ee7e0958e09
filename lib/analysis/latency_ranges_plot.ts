/**
 * Latencies of the summaries as ranges, a row a run: what there is without records, and what stays readable for many.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import type { Sla } from "../report/sla.ts";
import type { Summary } from "../report/summary.ts";
import { bottomAxis } from "./axes.ts";
import { runRows } from "./comparison_plot.ts";
import { draw } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { LIGHT } from "./palette.ts";
import { type LatencyMetric, LINEAR_RANGE, METRICS, powers } from "./request_figures.ts";
import { duration } from "./units.ts";

type Distributed = LatencyMetric | "tpot_ms";

/** Options of these figures. */
export interface RangesFigureOptions {
  /** Draws the bounds. */
  sla?: Sla | null;
  /** Width in pixels. Default 960. */
  width?: number;
}

const PERCENTILES = ["median", "p90", "p95", "p99"] as const;

/** A latency of a run, with what it is drawn beside. */
interface Row {
  name: string;
  row: number;
  median: number;
  p90: number;
  p95: number;
  p99: number;
  limit: number | null;
}

type Summarised = { readonly name: string; readonly summary: Summary };

function rowOf(name: string, { summary }: Summarised, metric: Distributed, limit?: number | null): Omit<Row, "row">[] {
  const [median, p90, p95, p99] = PERCENTILES.map((key) => summary[`${key}_${metric}`] as number | null);
  if (median === null || p90 === null || p95 === null || p99 === null) return [];
  return [{ name, median, p90, p95, p99, limit: limit ?? null }];
}

/** A latency of every run, a row a run; null when no run has any. */
export function latencyRangesPlot(
  runs: readonly Summarised[],
  metric: LatencyMetric,
  options: RangesFigureOptions = {},
): Figure | null {
  const { long, name, bound } = METRICS[metric];
  const limit = options.sla?.[bound];
  // the itl_ms of requests, one mean each, are what a summary calls TPOT
  const rows = runs.flatMap((run) => rowOf(run.name, run, metric === "itl_ms" ? "tpot_ms" : metric, limit));
  return figureOf(rows.map((one, row) => ({ ...one, row })), { title: long, axis: name, width: options.width });
}

/** All latencies of one run, a row each; null when it has none. */
export function latenciesPlot(run: Summarised, options: RangesFigureOptions = {}): Figure | null {
  const { ttftMs, itlMs, e2eMs } = options.sla ?? {};
  const rows = [
    ...rowOf("time to first token (TTFT)", run, "ttft_ms", ttftMs),
    ...rowOf("time per output token of a request (TPOT)", run, "tpot_ms", itlMs),
    ...rowOf("time between tokens (ITL)", run, "itl_ms"),
    ...rowOf("end to end", run, "e2e_latency_ms", e2eMs),
  ];
  return figureOf(rows.map((one, row) => ({ ...one, row })), { title: "Latencies", axis: "", width: options.width });
}

function figureOf(
  rows: readonly Row[],
  { title, axis, width = 960 }: { title: string; axis: string; width?: number },
): Figure | null {
  if (rows.length === 0) return null;
  const limits = rows.flatMap(({ limit }) => limit === null ? [] : [limit]);
  const values = [...rows.flatMap(({ median, p99 }) => [median, p99]), ...limits];
  const lowest = Math.min(...values.filter((value) => value > 0), 1e9), highest = Math.max(...values, 1e-9);
  const log = highest / lowest > LINEAR_RANGE;
  const from = (one: Row) => Math.max(one.median, log ? lowest : 0);
  const bar = (to: "p95" | "p99", half: number, opacity: number) =>
    Plot.rect(rows, {
      x1: from,
      x2: to,
      y1: (one: Row) => one.row + 0.7 - half,
      y2: (one: Row) => one.row + 0.7 + half,
      fill: LIGHT.blue,
      fillOpacity: opacity,
      title: (one: Row) => PERCENTILES.map((key) => `${key} ${duration(one[key])}`).join(", "),
    });
  const plot = draw({
    width,
    height: 46 + 40 * rows.length,
    marginLeft: 12,
    marginRight: 24,
    marginTop: 6,
    marginBottom: 40,
    x: log ? { type: "log", domain: [lowest / 1.1, highest * 1.1], clamp: true } : { domain: [0, highest * 1.05] },
    y: { domain: [0, rows.length], reverse: true, axis: null },
    marks: [
      bottomAxis(log ? `${axis} (log scale)`.trim() : axis, log ? powers(lowest, highest) : 5, duration),
      ...runRows(rows),
      bar("p99", 0.05, 0.45),
      bar("p95", 0.15, 0.5),
      Plot.dot(rows, { x: from, y: (one: Row) => one.row + 0.7, fill: LIGHT.blue, r: 4.5 }),
      Plot.ruleX(rows.filter(({ limit }) => limit !== null), {
        x: "limit",
        y1: (one: Row) => one.row + 0.44,
        y2: (one: Row) => one.row + 0.96,
        stroke: LIGHT.vermilion,
        strokeWidth: 2,
        title: (one: Row) => `SLA ${duration(one.limit!)}`,
      }),
    ],
  });
  return {
    title,
    subtitle: "median (dot), to the 95th (thick) and 99th percentile (thin)",
    legend: limits.length === 0 ? [] : [{
      label: new Set(limits).size === 1 ? `SLA ${duration(limits[0])}` : "SLA",
      color: LIGHT.vermilion,
      mark: "line",
    }],
    panels: [{ plot }],
    data: {
      x: "of",
      series: PERCENTILES.map((key) => ({
        of: key,
        part: "",
        unit: "ms",
        x: rows.map(({ name }) => name),
        y: rows.map((row) => row[key]),
      })),
    },
  };
}
