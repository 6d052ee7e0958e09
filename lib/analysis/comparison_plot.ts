/**
 * How do the runs differ: what they cost and what they delivered.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import { amount, draw, duration, figure, grid, LIGHT, MARGINS, runColor, valueAxis } from "./figure.ts";
import { moneyText } from "../report/price.ts";
import type { Summary } from "../report/summary.ts";
import { gpuHoursByPhase, type ReplicaSource } from "./replicas.ts";

/** A named run. */
export type NamedRun = ReplicaSource & { readonly name: string };

/** Options of comparison figures. */
export interface ComparisonFigureOptions {
  /** Head of the figure. */
  title?: string;
  /** Width in pixels. Default 472. */
  width?: number;
  /** Height in pixels. */
  height?: number;
}

/** Options of {@linkcode tradeOffPlot}. */
export interface TradeOffFigureOptions extends ComparisonFigureOptions {
  /** Key of the summary on the other axis. Default goodput, or output throughput when a run has no bounds. */
  against?: keyof Summary;
}

/**
 * GPU hours against what they bought, a dot a run: good output tokens per second (more is better) unless another figure
 * of the summary is named.
 */
export function tradeOffPlot(runs: readonly NamedRun[], options: TradeOffFigureOptions = {}): string {
  const bounded = runs.every(({ summary }) => summary.goodput_output_throughput_tok_s !== undefined);
  const key = options.against ?? (bounded ? "goodput_output_throughput_tok_s" : "output_throughput_tok_s");
  const latency = key.endsWith("_ms");
  const format = latency ? duration : amount;
  const points = runs.map((run, i) => ({
    name: run.name,
    color: runColor(i),
    hours: run.summary.gpu_hours,
    cost: costText(run, run.summary.gpu_hours),
    value: run.summary[key] as number,
  }));
  const plot = draw({
    width: options.width ?? 472,
    height: options.height ?? 230,
    ...MARGINS,
    marginBottom: 38,
    color: { type: "identity" },
    x: { domain: [0, Math.max(...points.map(({ hours }) => hours), 1e-9) * 1.15] },
    y: { domain: [0, Math.max(...points.map(({ value }) => value), 1e-9) * 1.15] },
    marks: [
      grid(),
      Plot.axisX({ label: "GPU hours", labelAnchor: "right", labelArrow: "none", tickSize: 4, ticks: 5 }),
      valueAxis(LABELS[key] ?? key, format),
      Plot.ruleY([0], { stroke: "currentColor", strokeOpacity: 0.5 }),
      Plot.dot(points, {
        x: "hours",
        y: "value",
        fill: (point: { color: string }) => point.color,
        r: 5.5,
        title: (point: { name: string; hours: number; value: number; cost: string }) =>
          `${point.name}: ${format(point.value)} for ${amount(point.hours)} GPU hours${point.cost}`,
      }),
    ],
  });
  return figure({
    title: options.title ?? (latency ? "Cost against latency" : "Cost against goodput"),
    subtitle: `${latency ? "down" : "up"} and to the left is better` +
      (key.startsWith("goodput_output") ? "; only tokens of good requests count" : ""),
    legend: points.map(({ name, color }) => ({ label: name, color, mark: "dot" as const })),
    panels: [{ plot }],
  });
}

const LABELS: Partial<Record<keyof Summary, string>> = {
  goodput_output_throughput_tok_s: "good output tokens/s",
  output_throughput_tok_s: "output tokens/s",
  mean_ttft_ms: "TTFT, mean",
  p95_ttft_ms: "TTFT, 95th percentile",
  mean_itl_ms: "ITL, mean",
  p95_itl_ms: "ITL, 95th percentile",
};

/** ` ($4.50)`: what GPU hours of a run cost; nothing without a price. */
function costText({ evaluation }: NamedRun, hours: number): string {
  const cost = evaluation?.cost;
  return cost ? ` (${moneyText(hours * cost.price_per_gpu_hour, cost.currency)})` : "";
}

/** GPU hours of each run by phase of its workers' lives. */
export function gpuHoursPlot(runs: readonly NamedRun[], options: ComparisonFigureOptions = {}): string {
  const colors: Record<string, string> = { active: LIGHT.blue, starting: LIGHT.amber, draining: LIGHT.grey };
  const rows = runs.flatMap((run) => {
    const phases = gpuHoursByPhase(run).objects() as { phase: string; gpu_hours: number }[];
    let from = 0;
    return Object.keys(colors).map((phase) => {
      const hours = phases.filter((row) => row.phase === phase).reduce((sum, row) => sum + row.gpu_hours, 0);
      return { name: run.name, phase, hours, from, to: from += hours, cost: costText(run, from) };
    });
  });
  const plot = draw({
    width: options.width ?? 472,
    height: options.height ?? 46 + 34 * runs.length,
    marginLeft: 12 + 6.4 * Math.max(...runs.map(({ name }) => name.length)),
    marginRight: 48 + 6.4 * Math.max(...rows.map(({ cost }) => cost.length)),
    marginTop: 6,
    marginBottom: 38,
    x: { domain: [0, Math.max(...rows.map(({ to }) => to), 1e-9)] },
    y: { type: "band", domain: runs.map(({ name }) => name), padding: 0.35 },
    marks: [
      Plot.axisX({ label: "GPU hours", labelAnchor: "right", labelArrow: "none", tickSize: 4, ticks: 5 }),
      Plot.axisY({ label: null, tickSize: 0 }),
      Plot.barX(rows, {
        x1: "from",
        x2: "to",
        y: "name",
        fill: (row: { phase: string }) => colors[row.phase],
        fillOpacity: 0.6,
        title: (row: { phase: string; hours: number }) => `${row.phase}: ${row.hours.toFixed(3)} GPU hours`,
      }),
      Plot.text(rows.filter(({ phase }) => phase === "draining"), {
        x: "to",
        y: "name",
        text: (row: { to: number; cost: string }) => row.to.toFixed(2) + row.cost,
        dx: 6,
        textAnchor: "start",
      }),
    ],
    color: { type: "identity" },
  });
  return figure({
    title: options.title ?? "GPU hours",
    subtitle: "by phase of the workers' lives",
    legend: Object.entries(colors).map(([label, color]) => ({ label, color, mark: "area" as const })),
    panels: [{ plot }],
  });
}
