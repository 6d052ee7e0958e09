/**
 * What came in, and what it did to the cluster: request and token rates, requests waiting and running, KV cache in use.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import type { PlannerSection } from "../report/planner_section.ts";
import type { SchedulerMetrics, Telemetry } from "../report/telemetry.ts";
import {
  amount,
  draw,
  figure,
  grid,
  LIGHT,
  MARGINS,
  minutesAxis,
  type PlotElement,
  runColor,
  valueAxis,
} from "./figure.ts";
import { captured, type RequestsRun, runLegend } from "./request_figures.ts";
import { type BucketOptions, bucketsOf, queueOverTime, trafficOverTime } from "./over_time.ts";
import type { TimeFigureOptions } from "./replicas_plot.ts";

/** Requests and tokens per second as they arrived, in two panels. The traffic of the first run with requests. */
export function trafficPlot(
  runs: readonly RequestsRun[],
  options: TimeFigureOptions & BucketOptions = {},
): string {
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
  return figure({
    untilMs: untilMinute * 60_000,
    title: options.title ?? "Traffic",
    subtitle: "requests and tokens per second, by arrival",
    legend: [
      { label: "requests", color: LIGHT.green, mark: "line" },
      { label: "prompt tokens", color: LIGHT.blue, mark: "line" },
      { label: "output tokens asked for", color: LIGHT.purple, mark: "line" },
    ],
    panels: [
      { plot: panel(width, untilMinute, "requests/s", steps("requests", LIGHT.green, 0.2), false) },
      {
        plot: panel(width, untilMinute, "tokens/s", [
          ...steps("input", LIGHT.blue, 0.15),
          ...steps("output", LIGHT.purple, 0),
        ], true),
      },
    ],
  });
}

/** Requests waiting for a first admission (thick) and running (thin) over time. */
export function queuePlot(
  runs: readonly RequestsRun[],
  options: TimeFigureOptions & Pick<BucketOptions, "bucketMs"> = {},
): string {
  const width = options.width ?? 960;
  const series = captured(runs).map(({ run, color }) => ({
    run,
    color,
    rows: (queueOverTime(run.requests!, { bucketMs: options.bucketMs }).objects() as Record<string, number>[])
      .map(({ at_ms, waiting, running }) => ({ minute: at_ms / 60_000, waiting, running })),
  }));
  const untilMinute = options.untilMs === undefined
    ? Math.max(1e-3, ...series.map(({ rows }) => rows.at(-1)?.minute ?? 0))
    : options.untilMs / 60_000;
  const lines = (y: "waiting" | "running") =>
    series.map(({ rows, color }) => Plot.lineY(rows, { x: "minute", y, stroke: color, strokeWidth: 1.75 }));
  return figure({
    untilMs: untilMinute * 60_000,
    title: options.title ?? "Requests in the cluster",
    subtitle: "waiting for their first admission, and running",
    legend: runLegend(series.map(({ run, color }) => ({ name: run.name, color }))),
    panels: [
      { plot: panel(width, untilMinute, "waiting", [...lines("waiting"), atLeast(4)], false) },
      { plot: panel(width, untilMinute, "running", [...lines("running"), atLeast(4)], true) },
    ],
  });
}

/** A run whose KV cache use is known: from telemetry samples, else from what the Planner saw. */
export interface KvRun {
  /** Short name for legends. */
  readonly name: string;
  /** Samples of the cluster; null unless captured. */
  readonly telemetry: Telemetry | null;
  /** What the Planner saw; null when none ran. */
  readonly planner: PlannerSection | null;
}

/**
 * KV cache in use over time. With telemetry: the mean share of blocks in use over all ranks; without: the context tokens
 * of running requests as the Planner saw them at its ticks. Null when neither is there.
 */
export function kvPlot(runs: readonly KvRun[], options: TimeFigureOptions = {}): string | null {
  const byShare = runs.every(({ telemetry }) => telemetry !== null);
  const series = runs.map((run, i) => ({
    run,
    color: runColor(i),
    rows: byShare ? cacheShares(run.telemetry!) : contextTokens(run.planner),
  })).filter(({ rows }) => rows.length > 0);
  if (series.length === 0) return null;
  const untilMinute = options.untilMs === undefined
    ? Math.max(...series.map(({ rows }) => rows.at(-1)!.minute))
    : options.untilMs / 60_000;
  const lines = series.map(({ rows, color }) =>
    Plot.lineY(rows, { x: "minute", y: "value", stroke: color, strokeWidth: 1.75 })
  );
  return figure({
    untilMs: untilMinute * 60_000,
    title: options.title ?? "KV cache in use",
    subtitle: byShare
      ? "mean share of KV blocks that running requests hold, over all ranks"
      : "context tokens of running requests, all workers",
    legend: runLegend(series.map(({ run, color }) => ({ name: run.name, color }))),
    panels: [{
      plot: panel(options.width ?? 960, untilMinute, byShare ? "blocks in use" : "tokens", lines, true, byShare),
    }],
  });
}

/** Makes an axis of counts so high that its ticks are whole numbers. */
function atLeast(count: number): Plot.Markish {
  return Plot.ruleY([count], { strokeOpacity: 0 });
}

interface Point {
  minute: number;
  value: number;
}

function cacheShares({ samples }: Telemetry): Point[] {
  const mean = (rows: readonly SchedulerMetrics[]) =>
    rows.reduce((sum, row) => sum + row.active_cache_usage, 0) / Math.max(rows.length, 1);
  return samples.map((sample) => ({
    minute: sample.sampled_at_ms / 60_000,
    value: mean([...sample.prefill_scheduler_metrics, ...sample.decode_scheduler_metrics]),
  }));
}

function contextTokens(planner: PlannerSection | null): Point[] {
  return (planner?.ticks ?? []).flatMap((tick) => {
    const seen = tick.input.fpm_observations?.decode;
    if (!seen) return [];
    const value = seen.reduce((sum, { metrics }) => {
      const scheduled = metrics.scheduled_requests as Record<string, number> | undefined;
      return sum + (scheduled?.sum_decode_kv_tokens ?? 0);
    }, 0);
    return [{ minute: tick.at_ms / 60_000, value }];
  });
}

function panel(
  width: number,
  untilMinute: number,
  label: string,
  marks: readonly Plot.Markish[],
  lowest: boolean,
  share = false,
): PlotElement {
  return draw({
    ...MARGINS,
    width,
    height: lowest ? 150 : 126,
    marginBottom: lowest ? 38 : 14,
    x: { domain: [0, untilMinute], axis: lowest ? undefined : null },
    y: { zero: true, nice: true },
    marks: [
      grid(3),
      ...(lowest ? minutesAxis() : []),
      valueAxis(label, share ? (value) => `${Number((value * 100).toPrecision(3))} %` : amount, 3),
      ...marks,
      Plot.ruleY([0], { stroke: "currentColor", strokeOpacity: 0.5 }),
    ],
  });
}
