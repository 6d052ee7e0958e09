/**
 * What came in, and what it did to the cluster: request and token rates, requests waiting and running.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import { grid, MARGINS, minutesAxis, valueAxis, zeroLine } from "./axes.ts";
import { draw, type PlotElement } from "./draw.ts";
import type { Figure } from "./figure.ts";
import type { SeriesData } from "./figure_data.ts";
import { type PanelSize, panelsOf, type RunSeries } from "./multiples.ts";
import { type BucketOptions, bucketsOf, queueOverTime, roundBucketMs, trafficOverTime } from "./over_time.ts";
import { LIGHT } from "./palette.ts";
import type { TimeFigureOptions } from "./replicas_plot.ts";
import { captured, lastArrivalMs, type RequestsRun, runLegend } from "./request_figures.ts";
import { amount } from "./units.ts";

/** Requests and tokens per second as they arrived, in two panels. The traffic of the first run with requests. */
export function trafficPlot(
  runs: readonly RequestsRun[],
  options: TimeFigureOptions & BucketOptions = {},
): Figure {
  const width = options.width ?? 960;
  const run = captured(runs)[0]?.run;
  const rows = run === undefined
    ? []
    : (trafficOverTime(run.requests!, bucketsOf(options)).objects() as Record<string, number>[]).map((row) => ({
      minute: row.from_ms / 60_000,
      requests: row.requests_per_s,
      input: row.input_tokens_per_s,
      output: row.output_tokens_per_s,
      until: row.to_ms / 60_000,
    }));
  if (rows.length > 0) rows.push({ ...rows.at(-1)!, minute: rows.at(-1)!.until });
  const untilMinute = options.untilMs === undefined ? rows.at(-1)?.until ?? 1 : options.untilMs / 60_000;
  const steps = (y: "requests" | "input" | "output", color: string, opacity: number) => [
    Plot.areaY(rows, { x: "minute", y, fill: color, fillOpacity: opacity, curve: "step-after" }),
    Plot.lineY(rows, { x: "minute", y, stroke: color, strokeWidth: 1.25, curve: "step-after" }),
  ];
  const x = rows.map(({ minute }) => minute * 60);
  const column = (of: string, unit: SeriesData["unit"], values: number[]): SeriesData => ({
    of,
    part: "",
    unit,
    x,
    y: values,
    step: true,
  });
  return {
    untilMs: untilMinute * 60_000,
    title: options.title ?? "Traffic",
    subtitle: "requests and tokens per second, by arrival",
    legend: [
      { label: "requests", color: LIGHT.green, mark: "line" },
      { label: "prompt tokens", color: LIGHT.blue, mark: "line" },
      { label: "output tokens asked for", color: LIGHT.purple, mark: "line" },
    ],
    panels: [
      { plot: panel(wide(width, false), untilMinute, "requests/s", steps("requests", LIGHT.green, 0.2)) },
      {
        plot: panel(wide(width, true), untilMinute, "tokens/s", [
          ...steps("input", LIGHT.blue, 0.15),
          ...steps("output", LIGHT.purple, 0),
        ]),
      },
    ],
    data: {
      x: "time (s)",
      series: [
        column("requests", "requests/s", rows.map(({ requests }) => requests)),
        column("prompt tokens", "tokens/s", rows.map(({ input }) => input)),
        column("output tokens asked for", "tokens/s", rows.map(({ output }) => output)),
      ],
    },
  };
}

/** Options of {@linkcode queuePlot}. */
export interface QueueFigureOptions extends TimeFigureOptions, Pick<BucketOptions, "bucketMs"> {
  /** A small panel for each run that differs. Default: all runs in two panels. */
  apart?: boolean;
}

const WAITING = "waiting", RUNNING = "running";

/** Requests waiting for a first admission and running over time: two panels, or a small one for each run. */
export function queuePlot(runs: readonly RequestsRun[], options: QueueFigureOptions = {}): Figure {
  const { apart = false, width = 960 } = options;
  const bucketMs = options.bucketMs ?? (apart ? roundBucketMs(lastArrivalMs(runs), 60) : undefined);
  const found = captured(runs).map(({ run, style }) => ({
    run,
    style,
    rows: (queueOverTime(run.requests!, { bucketMs }).objects() as Record<string, number>[])
      .map(({ at_ms, waiting, running }) => ({ minute: at_ms / 60_000, waiting, running })),
  }));
  const untilMinute = options.untilMs === undefined
    ? Math.max(1e-3, ...found.map(({ rows }) => rows.at(-1)?.minute ?? 0))
    : options.untilMs / 60_000;
  const most = Math.max(4, ...found.flatMap(({ rows }) => rows.flatMap(({ waiting, running }) => [waiting, running])));
  const line = (rows: object[], y: string, color: string, dash: string | null) =>
    Plot.lineY(rows, { x: "minute", y, stroke: color, strokeWidth: 1.75, strokeDasharray: dash ?? undefined });
  const data = (name: string, rows: (typeof found)[number]["rows"], part: typeof WAITING | typeof RUNNING) => ({
    of: name,
    part,
    unit: "requests" as const,
    x: rows.map(({ minute }) => minute * 60),
    y: rows.map((row) => row[part]),
  });
  const frame = {
    untilMs: untilMinute * 60_000,
    title: options.title ?? "Requests in the cluster",
    subtitle: "waiting for their first admission, and running",
  };
  if (apart) {
    const series = found.map(({ run, style, rows }): RunSeries => ({
      name: run.name,
      style,
      marks: ({ color }) =>
        color === LIGHT.grey ? [] : [line(rows, RUNNING, color, null), line(rows, WAITING, LIGHT.vermilion, null)],
      data: [data(run.name, rows, WAITING), data(run.name, rows, RUNNING)],
    }));
    const { panels, cells, series: columns } = panelsOf(
      series,
      { apart, width, height: 0 },
      (marks, size) => panel(size, untilMinute, "requests", [...marks, ceiling(most)]),
    );
    return {
      ...frame,
      legend: [
        { label: WAITING, color: LIGHT.vermilion, mark: "line" },
        { label: RUNNING, color: LIGHT.blue, mark: "line" },
      ],
      panels,
      cells,
      data: { x: "time (s)", series: columns },
    };
  }
  const lines = (part: string) => found.map(({ rows, style }) => line(rows, part, style.color, style.dash));
  return {
    ...frame,
    legend: runLegend(found.map(({ run, style }) => ({ name: run.name, ...style }))),
    panels: [
      { plot: panel(wide(width, false), untilMinute, WAITING, [...lines(WAITING), ceiling(4)]) },
      { plot: panel(wide(width, true), untilMinute, RUNNING, [...lines(RUNNING), ceiling(4)]) },
    ],
    data: {
      x: "time (s)",
      series: found.flatMap(({ run, rows }) => [data(run.name, rows, WAITING), data(run.name, rows, RUNNING)]),
    },
  };
}

/** Makes an axis so high. */
function ceiling(count: number): Plot.Markish {
  return Plot.ruleY([count], { strokeOpacity: 0 });
}

const wide = (width: number, lowest: boolean): PanelSize => ({
  ...MARGINS,
  width,
  height: lowest ? 150 : 126,
  marginBottom: lowest ? 40 : 14,
  ticks: { x: lowest ? 10 : 0, y: 3 },
  small: false,
});

function panel(
  { ticks, small, ...size }: PanelSize,
  untilMinute: number,
  label: string,
  marks: readonly Plot.Markish[],
): PlotElement {
  return draw({
    ...size,
    x: { domain: [0, untilMinute], axis: ticks.x > 0 ? undefined : null },
    y: { zero: true, nice: true },
    marks: [
      grid(ticks.y),
      ...(ticks.x > 0 ? [minutesAxis(ticks.x)] : []),
      valueAxis(small ? "" : label, amount, ticks.y),
      ...marks,
      zeroLine(),
    ],
  });
}
