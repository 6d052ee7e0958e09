/**
 * When did we have how many replicas, and why: step areas of active, starting and draining workers, a line for what the
 * Planner wanted, a mark for each of its decisions.
 *
 * @module
 */
import { moneyText } from "../report/price.ts";
import * as Plot from "@observablehq/plot";
import type { ScalingEvent } from "../report/planner_section.ts";
import { draw, figure, grid, LIGHT, MARGINS, minutesAxis, type PlotElement, valueAxis } from "./figure.ts";
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
export function replicasPlot(run: ReplicaSource, options: ReplicasFigureOptions = {}): string {
  const width = options.width ?? 960;
  const untilMs = options.untilMs ?? endOfRun(run);
  const pools = poolsOf(run.summary);
  const advice = run.planner?.recommended_scaling_events ?? [];
  const events = run.planner?.scaling_events ?? [];
  return figure({
    untilMs,
    title: options.title ?? "Replicas",
    subtitle: describeScaling(run),
    legend: [
      { label: "active", color: LIGHT.blue, mark: "area" },
      ...(run.planner === null ? [] : [
        { label: "starting", color: LIGHT.amber, mark: "area" } as const,
        { label: "draining", color: LIGHT.grey, mark: "area" } as const,
        { label: "wanted", color: LIGHT.vermilion, mark: "line" } as const,
      ]),
      ...(events.length > 0
        ? [
          { label: "scale up", color: LIGHT.green, mark: "up" } as const,
          { label: "scale down", color: LIGHT.purple, mark: "down" } as const,
        ]
        : []),
      ...(advice.length > 0 ? [{ label: "recommended only", color: LIGHT.amber, mark: "dot" } as const] : []),
    ],
    panels: pools.map((pool, i) => ({
      heading: pools.length > 1 ? POOL_TITLES[pool] : undefined,
      plot: panel(replicaSteps(run, pool), {
        width,
        untilMs,
        label: "workers",
        lowest: i === pools.length - 1,
        events: events.filter(({ component }) => component === pool),
        scaled: run.planner !== null,
        advice: advice.filter(({ component }) => component === pool),
        maxWorkers: options.maxWorkers,
      }),
    })),
  });
}

/** The most workers, of any state, that a pool of a run had at once. */
export function mostWorkers(run: ReplicaSource): number {
  const totals = poolsOf(run.summary).flatMap((pool) =>
    replicaSteps(run, pool).map(({ active, starting, draining }) => active + starting + draining)
  );
  return Math.max(1, ...totals);
}

interface PanelOptions {
  width: number;
  untilMs: number;
  label: string;
  lowest: boolean;
  /** Whether somebody wanted numbers of workers. */
  scaled: boolean;
  events: readonly ScalingEvent[];
  advice: readonly ScalingEvent[];
  maxWorkers?: number;
}

function panel(steps: ReplicaStep[], options: PanelOptions): PlotElement {
  const lasting = [...steps, { ...steps.at(-1)!, at_ms: Math.max(options.untilMs, steps.at(-1)!.at_ms) }];
  const rows = lasting.map((step) => ({
    minute: step.at_ms / 60_000,
    active: step.active,
    starting: step.active + step.starting,
    draining: step.active + step.starting + step.draining,
    wanted: step.target,
  }));
  const most = Math.max(options.maxWorkers ?? 1, ...rows.map(({ draining }) => draining));
  const step = Math.max(1, Math.ceil(most / 5));
  const ticks = Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
  const area = (y1: string | number, y2: string, fill: string) =>
    Plot.areaY(rows, { x: "minute", y1, y2, fill, fillOpacity: 0.45, curve: "step-after" });
  return draw({
    ...MARGINS,
    width: options.width,
    height: options.lowest ? 168 : 142,
    marginBottom: options.lowest ? 38 : 14,
    x: { domain: [0, options.untilMs / 60_000], axis: options.lowest ? undefined : null },
    y: { domain: [0, most * 1.02] },
    marks: [
      grid(ticks),
      area(0, "active", LIGHT.blue),
      area("active", "starting", LIGHT.amber),
      area("starting", "draining", LIGHT.grey),
      ...(options.scaled
        ? [
          Plot.lineY(rows, {
            x: "minute",
            y: "wanted",
            stroke: LIGHT.vermilion,
            strokeWidth: 1.25,
            curve: "step-after",
          }),
        ]
        : []),
      Plot.ruleY([0], { stroke: "currentColor", strokeOpacity: 0.5 }),
      ...(options.lowest ? minutesAxis() : []),
      valueAxis(options.label, String, ticks),
      marks(options.events, "scale_up", LIGHT.green),
      marks(options.events, "scale_down", LIGHT.purple),
      Plot.dot(options.advice, {
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

function marks(events: readonly ScalingEvent[], reason: ScalingEvent["reason"], color: string): Plot.Markish {
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
  const minutes = Math.floor(event.at_s / 60), seconds = Math.round(event.at_s % 60);
  const clock = `${minutes}:${String(seconds).padStart(2, "0")}`;
  return `${clock}  ${event.component} ${event.from_count} → ${event.to_count} (${event.reason.replace("_", " ")})`;
}

function describeScaling({ planner, summary, evaluation }: ReplicaSource): string {
  const money = evaluation?.cost ? ` (${moneyText(evaluation.cost.total, evaluation.cost.currency)})` : "";
  const cost = `${Number(summary.gpu_hours.toPrecision(3))} GPU hours${money}`;
  if (planner === null) return `fixed number of workers, ${cost}`;
  const ups = planner.scaling_events.filter(({ reason }) => reason === "scale_up").length;
  const downs = planner.scaling_events.length - ups;
  const advice = planner.recommended_scaling_events?.length ?? 0;
  return `${ups} scale-ups, ${downs} scale-downs in ${planner.total_ticks} Planner ticks` +
    (advice > 0 ? `, ${advice} recommendations` : "") + `; ${cost}`;
}
