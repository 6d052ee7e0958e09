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
import { boundLegend, type LatencyMetric, LINEAR_RANGE, METRICS, powers } from "./request_figures.ts";
import { duration } from "./units.ts";

const PERCENTILES = ["median", "p90", "p95", "p99"] as const;

interface Row {
  name: string;
  row: number;
  median: number;
  p90: number;
  p95: number;
  p99: number;
}

/** Median to 95th (thick) and 99th percentile (thin) of a latency, a row a run; null when no run has any. */
export function latencyRangesPlot(
  runs: readonly { name: string; summary: Summary }[],
  metric: LatencyMetric,
  options: { sla?: Sla | null; width?: number } = {},
): Figure | null {
  const { long, name, bound } = METRICS[metric];
  const known = runs.filter(({ summary }) => typeof summary[`median_${metric}`] === "number");
  if (known.length === 0) return null;
  const limit = options.sla?.[bound] ?? undefined;
  const rows = known.map(({ name, summary }, row): Row => ({
    name,
    row,
    median: summary[`median_${metric}`],
    p90: summary[`p90_${metric}`],
    p95: summary[`p95_${metric}`],
    p99: summary[`p99_${metric}`],
  }));
  const values = [...rows.flatMap(({ median, p99 }) => [median, p99]), ...(limit === undefined ? [] : [limit])];
  const lowest = Math.min(...values.filter((value) => value > 0), 1e9), highest = Math.max(...values, 1e-9);
  const log = highest / lowest > LINEAR_RANGE;
  const at = (part: number) => (one: Row) => one.row + part;
  const range = (to: "p95" | "p99", width: number, opacity: number) =>
    Plot.rect(rows, {
      x1: (one: Row) => Math.max(one.median, log ? lowest : 0),
      x2: to,
      y1: at(0.7 - width),
      y2: at(0.7 + width),
      fill: LIGHT.blue,
      fillOpacity: opacity,
      title: (one: Row) => PERCENTILES.map((key) => `${key} ${duration(one[key])}`).join(", "),
    });
  const plot = draw({
    width: options.width ?? 960,
    height: 46 + 40 * rows.length,
    marginLeft: 6,
    marginRight: 24,
    marginTop: 6,
    marginBottom: 40,
    x: log ? { type: "log", domain: [lowest / 1.1, highest * 1.1], clamp: true } : { domain: [0, highest * 1.05] },
    y: { domain: [0, rows.length], reverse: true, axis: null },
    marks: [
      bottomAxis(log ? `${name} (log scale)` : name, log ? powers(lowest, highest) : 5, duration),
      ...runRows(known),
      range("p99", 0.05, 0.45),
      range("p95", 0.15, 0.5),
      Plot.dot(rows, { x: (one: Row) => Math.max(one.median, log ? lowest : 0), y: at(0.7), fill: LIGHT.blue, r: 4.5 }),
      ...(limit === undefined
        ? []
        : [Plot.ruleX([limit], { stroke: "currentColor", strokeDasharray: "4 3", strokeOpacity: 0.8 })]),
    ],
  });
  return {
    title: metric === "itl_ms" ? "Time between tokens (ITL)" : long,
    subtitle: "median (dot), to the 95th (thick) and 99th percentile (thin)",
    legend: boundLegend(limit),
    panels: [{ plot }],
    data: {
      x: "run",
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
