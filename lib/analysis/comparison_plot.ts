/**
 * How do the runs differ: what they cost and what they delivered.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import { moneyText } from "../report/price.ts";
import type { Summary } from "../report/summary.ts";
import { bottomAxis, grid, MARGINS, valueAxis, zeroLine } from "./axes.ts";
import { draw } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { labelled } from "./labelled_points.ts";
import { LIGHT, MOST_COLORS, runColor } from "./palette.ts";
import { gpuHoursByPhase, type ReplicaSource } from "./replicas.ts";
import { amount, duration, shortened } from "./units.ts";

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
 * GPU hours against what they bought, a dot a run with its name: good output tokens per second (more is better) unless
 * another figure of the summary is named.
 */
export function tradeOffPlot(runs: readonly NamedRun[], options: TradeOffFigureOptions = {}): Figure {
  const bounded = runs.every(({ summary }) => summary.goodput_output_throughput_tok_s !== undefined);
  const key = options.against ?? (bounded ? "goodput_output_throughput_tok_s" : "output_throughput_tok_s");
  const isLatency = key.endsWith("_ms");
  const format = isLatency ? duration : amount;
  const points = runs.map((run, i) => ({
    name: run.name,
    color: runs.length > MOST_COLORS ? LIGHT.blue : runColor(i),
    hours: run.summary.gpu_hours,
    cost: costText(run, run.summary.gpu_hours),
    value: Number(run.summary[key] ?? 0),
  }));
  const [x0, x1] = around(points.map(({ hours }) => hours)), [y0, y1] = around(points.map(({ value }) => value));
  const size = { ...MARGINS, width: options.width ?? 472, height: options.height ?? 230, marginBottom: 40 };
  const plot = labelled(
    draw({
      ...size,
      color: { type: "identity" },
      x: { domain: [x0, x1] },
      y: { domain: [y0, y1] },
      marks: [
        grid(),
        bottomAxis("GPU hours", 5),
        valueAxis(LABELS[key] ?? key, format),
        ...(y0 === 0 ? [zeroLine()] : []),
        Plot.dot(points, {
          x: "hours",
          y: "value",
          fill: (point: { color: string }) => point.color,
          r: 5,
          title: (point: (typeof points)[number]) =>
            `${point.name}: ${format(point.value)} for ${amount(point.hours)} GPU hours${point.cost}`,
        }),
      ],
    }),
    points.map(({ name, hours, value }, i) => ({
      x: size.marginLeft + (hours - x0) / (x1 - x0) * (size.width - size.marginLeft - size.marginRight),
      y: size.height - size.marginBottom -
        (value - y0) / (y1 - y0) * (size.height - size.marginBottom - size.marginTop),
      names: [shortened(name, 34), `#${i + 1}`],
    })),
  );
  return {
    title: options.title ?? (isLatency ? "Cost against latency" : "Cost against goodput"),
    subtitle: `${isLatency ? "down" : "up"} and to the left is better` +
      (key.startsWith("goodput_output") ? "; only tokens of good requests count" : ""),
    panels: [{ plot }],
    data: {
      x: "run",
      series: [
        {
          of: "GPU hours",
          part: "",
          unit: "GPU hours",
          x: points.map(({ name }) => name),
          y: points.map(({ hours }) => hours),
        },
        {
          of: LABELS[key] ?? key,
          part: "",
          unit: isLatency ? "ms" : "tokens/s",
          x: points.map(({ name }) => name),
          y: points.map(({ value }) => value),
        },
      ],
    },
  };
}

/** The ends of an axis around values: from zero where that leaves them apart, else close around them. */
function around(values: readonly number[]): [number, number] {
  const low = Math.min(...values), high = Math.max(...values);
  if (high <= 0) return [0, 1];
  if (low < high * 0.7 || low === high) return [0, high * 1.12];
  const room = (high - low) * 0.15;
  return [low - room, high + room];
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

/** Height of a row of bars with its name above. */
const ROW = 40;

/** GPU hours of each run by phase of its workers' lives. */
export function gpuHoursPlot(runs: readonly NamedRun[], options: ComparisonFigureOptions = {}): Figure {
  const colors: Record<string, string> = { active: LIGHT.blue, starting: LIGHT.amber, draining: LIGHT.grey };
  const rows = runs.flatMap((run, i) => {
    const phases = gpuHoursByPhase(run).objects() as { phase: string; gpu_hours: number }[];
    let from = 0;
    return Object.keys(colors).map((phase) => {
      const hours = phases.filter((row) => row.phase === phase).reduce((sum, row) => sum + row.gpu_hours, 0);
      return { row: i, name: run.name, phase, hours, from, to: from += hours, cost: costText(run, from) };
    });
  });
  const most = Math.max(...rows.map(({ to }) => to), 1e-9);
  const plot = draw({
    width: options.width ?? 472,
    height: options.height ?? 46 + ROW * runs.length,
    marginLeft: 12,
    marginRight: 56 + 6.6 * Math.max(...rows.map(({ cost }) => cost.length)),
    marginTop: 6,
    marginBottom: 40,
    x: { domain: [0, most] },
    y: { domain: [0, runs.length], reverse: true, axis: null },
    marks: [
      bottomAxis("GPU hours", 5),
      ...runRows(runs),
      Plot.rect(rows.filter(({ hours }) => hours > 0), {
        x1: "from",
        x2: "to",
        y1: (bar: { row: number }) => bar.row + 0.5,
        y2: (bar: { row: number }) => bar.row + 0.88,
        fill: (bar: { phase: string }) => colors[bar.phase],
        fillOpacity: 0.6,
        title: (bar: { phase: string; hours: number }) => `${bar.phase}: ${bar.hours.toFixed(3)} GPU hours`,
      }),
      Plot.text(rows.filter(({ phase }) => phase === "draining"), {
        x: "to",
        y: (bar: { row: number }) => bar.row + 0.69,
        text: (bar: { to: number; cost: string }) => bar.to.toFixed(2) + bar.cost,
        dx: 6,
        textAnchor: "start",
      }),
    ],
    color: { type: "identity" },
  });
  return {
    title: options.title ?? "GPU hours",
    subtitle: "by phase of the workers' lives",
    legend: Object.entries(colors).map(([label, color]) => ({ label, color, mark: "area" as const })),
    panels: [{ plot }],
    data: {
      x: "run",
      series: Object.keys(colors).map((phase) => ({
        of: phase,
        part: "",
        unit: "GPU hours",
        x: runs.map(({ name }) => name),
        y: rows.filter((row) => row.phase === phase).map(({ hours }) => hours),
      })),
    },
  };
}

/** Names of runs at the left, each above its row: there even a long one has room. */
export function runRows(runs: readonly { name: string }[]): Plot.Markish[] {
  return [
    Plot.text(runs.map(({ name }, row) => ({ name: shortened(name, 44), row })), {
      frameAnchor: "left",
      y: (one: { row: number }) => one.row + 0.28,
      text: "name",
      textAnchor: "start",
    }),
  ];
}
