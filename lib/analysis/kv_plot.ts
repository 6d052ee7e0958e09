/**
 * KV cache in use over time, against what the cache holds.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import { grid, minutesAxis, valueAxis, zeroLine } from "./axes.ts";
import { draw } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { contextTokens, type KvRun, type KvUse, sampledShares } from "./kv_use.ts";
import { namesOf, panelsOf, type RunSeries } from "./multiples.ts";
import { runStyle } from "./palette.ts";
import { runLegend } from "./request_figures.ts";
import type { TimeFigureOptions } from "./replicas_plot.ts";
import { amount } from "./units.ts";

/** Options of {@linkcode kvPlot}. */
export interface KvFigureOptions extends TimeFigureOptions {
  /** A small panel for each run that differs. Default: all runs in one. */
  apart?: boolean;
}

/** How the runs' use is told: the best that all of them know. */
type Measure = "sampled" | "share" | "tokens";

/**
 * KV cache in use over time, with its capacity as a line. Where every run has telemetry: the mean share of blocks in use
 * over all ranks; else context tokens of running requests, from the requests' records or from the Planner's ticks, as a
 * share of what the decode (or only) workers hold where that is known of every run. Null when no run has any.
 */
export function kvPlot(runs: readonly KvRun[], options: KvFigureOptions = {}): Figure | null {
  const { apart = false } = options;
  const sampled = runs.every(({ telemetry }) => telemetry !== null);
  const found = runs.map((run, i) => ({
    run,
    style: runStyle(i),
    rows: sampled ? sampledShares(run) : contextTokens(run, apart ? 60 : undefined),
  })).filter(({ rows }) => rows.length > 0);
  if (found.length === 0) return null;
  const known = found.every(({ rows }) => rows.every(({ capacity }) => capacity !== null));
  const measure: Measure = sampled ? "sampled" : known ? "share" : "tokens";
  const valueOf = ({ value, capacity }: KvUse) => measure === "share" ? value / capacity! : value;
  const untilMinute = options.untilMs === undefined
    ? Math.max(...found.map(({ rows }) => rows.at(-1)!.minute))
    : options.untilMs / 60_000;
  const series = found.map(({ run, style, rows }): RunSeries => {
    const points = rows.map((row) => ({ minute: row.minute, value: valueOf(row), capacity: row.capacity }));
    return {
      name: run.name,
      style,
      marks: ({ color, dash }) => [
        Plot.lineY(points, {
          x: "minute",
          y: "value",
          stroke: color,
          strokeWidth: 1.75,
          strokeDasharray: dash ?? undefined,
        }),
      ],
      data: [{
        of: run.name,
        part: measure === "tokens" ? "context" : "KV in use",
        unit: measure === "tokens" ? "tokens" : "share",
        x: points.map(({ minute }) => minute * 60),
        y: points.map(({ value }) => value),
      }],
    };
  });
  const shares = measure !== "tokens";
  const most = Math.max(...series.flatMap(({ data }) => data.flatMap(({ y }) => y as number[])));
  const highest = shares ? Math.max(1, most) : Math.max(most, 1);
  const size = { apart, width: options.width ?? 960, height: 160 };
  const { panels, cells, series: data } = panelsOf(series, size, (marks, { ticks, small, ...panel }) => {
    const levels = shares && highest < 1.5 ? [0, 0.5, 1] : ticks.y;
    return draw({
      ...panel,
      x: { domain: [0, untilMinute] },
      y: { domain: [0, highest * 1.06] },
      marks: [
        grid(levels),
        minutesAxis(ticks.x),
        valueAxis(
          small ? "" : shares ? "of capacity" : "tokens",
          shares ? (value) => `${Number((value * 100).toPrecision(3))} %` : amount,
          levels,
        ),
        ...marks,
        ...(shares ? [Plot.ruleY([1], { stroke: "currentColor", strokeDasharray: "4 3", strokeOpacity: 0.8 })] : []),
        zeroLine(),
      ],
    });
  });
  const unknown = runs.filter((run) => !found.some((one) => one.run === run));
  return {
    untilMs: untilMinute * 60_000,
    title: options.title ?? "KV cache in use",
    subtitle: SUBTITLES[measure] + (unknown.length === 0 ? "" : `; not known of ${namesOf(unknown)}`),
    legend: [
      ...(apart ? [] : runLegend(found.map(({ run, style }) => ({ name: run.name, ...style })))),
      ...(shares ? [{ label: "capacity", color: "currentColor", mark: "dashed" as const }] : []),
    ],
    panels,
    cells,
    data: { x: "time (s)", series: data },
  };
}

const SUBTITLES: Readonly<Record<Measure, string>> = {
  sampled: "mean share of KV blocks that running requests hold, over all ranks",
  share:
    "context tokens of running requests, as a share of what the workers' KV caches hold (shared prefixes count for " +
    "each request)",
  tokens: "context tokens of running requests, all workers",
};
