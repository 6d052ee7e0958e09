/**
 * When did we have how many replicas, and why: step areas of active, starting and draining workers, a line for what the
 * Planner wanted, a mark for each of its decisions.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import type { Component, ScalingEvent } from "../report/planner_section.ts";
import { time } from "../report/story/format.ts";
import { grid, MARGINS, minutesAxis, valueAxis, zeroLine } from "./axes.ts";
import { draw, type PlotElement } from "./draw.ts";
import type { Figure, LegendEntry } from "./figure.ts";
import type { SeriesData } from "./figure_data.ts";
import { CELL, grouped, namesOf } from "./multiples.ts";
import { LIGHT } from "./palette.ts";
import { describeScaling } from "./replica_facts.ts";
import { endOfRun, poolsOf, type ReplicaSource, type ReplicaStep, replicaSteps } from "./replicas.ts";

const POOL_TITLES = { agg: "aggregated workers", prefill: "prefill workers", decode: "decode workers" } as const;

/** Options of figures over time. */
export interface TimeFigureOptions {
  /** Head of the figure. */
  title?: string;
  /** Width in pixels. Default 960. */
  width?: number;
  /** End of the time axis in milliseconds. Default: the end of the run. */
  untilMs?: number;
}

/** Options of {@linkcode replicasPlot}. */
export interface ReplicasFigureOptions extends TimeFigureOptions {
  /** Height of the axis at least, to compare runs. Default: the most workers the pool had. */
  maxWorkers?: number;
}

/**
 * Replicas over time, a panel a pool.
 *
 * @param run a run or report; without captured Planner details the steps are its scaling events
 */
export function replicasPlot(run: ReplicaSource, options: ReplicasFigureOptions = {}): Figure {
  const title = options.title ?? "Replicas";
  const untilMs = options.untilMs ?? endOfRun(run);
  const pools = poolsOf(run.summary);
  const size = { ...MARGINS, width: options.width ?? 960, ticks: 10 };
  return {
    untilMs,
    title,
    subtitle: describeScaling(run),
    legend: legendOf([run]),
    panels: pools.map((pool, i) => {
      const lowest = i === pools.length - 1;
      const frame = { ...size, height: lowest ? 168 : 140, marginBottom: lowest ? 40 : 14, lowest };
      return {
        heading: pools.length > 1 ? POOL_TITLES[pool] : undefined,
        plot: panel(run, pool, { ...frame, untilMs, maxWorkers: options.maxWorkers }),
      };
    }),
    data: {
      x: "time (s)",
      series: pools.flatMap((pool) =>
        columns(run, pool, untilMs).map((column) => ({
          ...column,
          of: title,
          part: pools.length > 1 ? `${pool} ${column.part}` : column.part,
          at: column.part,
        }))
      ),
    },
  };
}

/** Replicas of many runs: small panels, one for all runs whose replicas were the same. */
export function replicasCells(
  runs: readonly (ReplicaSource & { name: string })[],
  { untilMs, maxWorkers }: { untilMs: number; maxWorkers: number },
): Figure {
  const size = { ...CELL, ticks: 4, lowest: true };
  const cells = runs.flatMap((run) =>
    poolsOf(run.summary).map((pool, _, { length }) => {
      const of = length > 1 ? `${run.name}: ${pool}` : run.name;
      return { run, pool, name: of, data: columns(run, pool, untilMs) };
    })
  );
  const groups = grouped(cells, ({ data }) => JSON.stringify(data.map(({ x, y }) => [x, y])));
  return {
    untilMs,
    title: "Replicas",
    subtitle: "workers over time, the same axes everywhere",
    legend: legendOf(runs),
    panels: groups.map((same) => ({
      heading: namesOf(same),
      plot: panel(same[0].run, same[0].pool, { ...size, untilMs, maxWorkers }),
    })),
    cells: true,
    data: {
      x: "time (s)",
      series: groups.flatMap((same) =>
        same.flatMap(({ name, data }, i) =>
          data.map((column) => {
            const shown = i === 0 && (column.part === "active" || column.part === "wanted");
            return { ...column, of: name, at: shown ? namesOf(same) : "" };
          })
        )
      ),
    },
  };
}

function legendOf(runs: readonly ReplicaSource[]): LegendEntry[] {
  const scaled = runs.some(({ planner }) => planner !== null);
  const moved = runs.some(({ planner }) => (planner?.scaling_events.length ?? 0) > 0);
  const advised = runs.some(({ planner }) => (planner?.recommended_scaling_events?.length ?? 0) > 0);
  return [
    { label: "active", color: LIGHT.blue, mark: "area" },
    ...(scaled
      ? [
        { label: "starting", color: LIGHT.amber, mark: "area" } as const,
        { label: "draining", color: LIGHT.grey, mark: "area" } as const,
        { label: "wanted", color: LIGHT.vermilion, mark: "line" } as const,
      ]
      : []),
    ...(moved
      ? [
        { label: "scale up", color: LIGHT.green, mark: "up" } as const,
        { label: "scale down", color: LIGHT.purple, mark: "down" } as const,
      ]
      : []),
    ...(advised ? [{ label: "recommended only", color: LIGHT.amber, mark: "dot" } as const] : []),
  ];
}

/** Steps to the end of the axis. */
function lastingSteps(run: ReplicaSource, pool: Component, untilMs: number): ReplicaStep[] {
  const steps = replicaSteps(run, pool), last = steps.at(-1)!;
  return [...steps, { ...last, at_ms: Math.max(untilMs, last.at_ms) }];
}

function columns(run: ReplicaSource, pool: Component, untilMs: number): SeriesData[] {
  const steps = lastingSteps(run, pool, untilMs);
  const x = steps.map(({ at_ms }) => at_ms / 1000);
  const states = run.planner === null ? ["active"] as const : ["active", "starting", "draining", "target"] as const;
  return states.map((state) => ({
    of: "",
    part: state === "target" ? "wanted" : state,
    unit: "workers",
    x,
    y: steps.map((step) => step[state]),
    step: true,
  }));
}

interface PanelOptions {
  width: number;
  height: number;
  marginLeft: number;
  marginRight: number;
  marginTop: number;
  marginBottom: number;
  ticks: number;
  /** Whether it has the time axis. */
  lowest: boolean;
  untilMs: number;
  maxWorkers?: number;
}

function panel(
  run: ReplicaSource,
  pool: Component,
  { lowest, untilMs, maxWorkers, ticks: timeTicks, ...size }: PanelOptions,
): PlotElement {
  const ofPool = (events: readonly ScalingEvent[] = []) => events.filter(({ component }) => component === pool);
  const events = ofPool(run.planner?.scaling_events);
  const rows = lastingSteps(run, pool, untilMs).map((step) => ({
    minute: step.at_ms / 60_000,
    active: step.active,
    starting: step.active + step.starting,
    draining: step.active + step.starting + step.draining,
    wanted: step.target,
  }));
  const most = Math.max(maxWorkers ?? 1, ...rows.map(({ draining }) => draining));
  const step = Math.max(1, Math.ceil(most / (size.height > 130 ? 5 : 3)));
  const ticks = Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
  const area = (y1: string | number, y2: string, fill: string) =>
    Plot.areaY(rows, { x: "minute", y1, y2, fill, fillOpacity: 0.45, curve: "step-after" });
  return draw({
    ...size,
    x: { domain: [0, untilMs / 60_000], axis: lowest ? undefined : null },
    y: { domain: [0, most * 1.02] },
    marks: [
      grid(ticks),
      area(0, "active", LIGHT.blue),
      ...(run.planner === null ? [] : [
        area("active", "starting", LIGHT.amber),
        area("starting", "draining", LIGHT.grey),
        Plot.lineY(rows, { x: "minute", y: "wanted", stroke: LIGHT.vermilion, strokeWidth: 1.25, curve: "step-after" }),
      ]),
      zeroLine(),
      ...(lowest ? [minutesAxis(timeTicks)] : []),
      valueAxis(timeTicks > 4 ? "workers" : "", String, ticks),
      eventMarks(events, "scale_up", LIGHT.green),
      eventMarks(events, "scale_down", LIGHT.purple),
      Plot.dot(ofPool(run.planner?.recommended_scaling_events), {
        x: (event: ScalingEvent) => event.at_s / 60,
        fill: LIGHT.amber,
        r: 2.5,
        frameAnchor: "top",
        dy: -7,
        title: eventTitle,
      }),
    ],
  });
}

function eventMarks(events: readonly ScalingEvent[], reason: ScalingEvent["reason"], color: string): Plot.Markish {
  return Plot.dot(events.filter((event) => event.reason === reason), {
    x: (event: ScalingEvent) => event.at_s / 60,
    symbol: "triangle",
    rotate: reason === "scale_up" ? 0 : 180,
    fill: color,
    r: 3,
    frameAnchor: "top",
    dy: reason === "scale_up" ? -10 : -4,
    title: eventTitle,
  });
}

function eventTitle(event: ScalingEvent): string {
  const change = `${event.component} ${event.from_count} → ${event.to_count} (${event.reason.replace("_", " ")})`;
  return `${time(event.at_s)}  ${change}`;
}
