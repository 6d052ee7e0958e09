/**
 * What figures of requests share: latencies with their names and bounds, runs with their colours, ticks of logarithmic
 * axes.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import type { ColumnTable } from "./arquero.ts";
import type { Sla } from "../report/sla.ts";
import type { LegendEntry } from "./figure.ts";
import { type RunStyle, runStyle } from "./palette.ts";
import { duration } from "./units.ts";

/** A run with a table of requests. */
export interface RequestsRun {
  /** Short name for legends. */
  readonly name: string;
  /** The table; null when requests were not captured. */
  readonly requests: ColumnTable | null;
}

/**
 * Latencies that can be drawn, with their names and bounds. A request's `itl_ms` is the mean of its gaps: its TPOT, which
 * the bound of that name is on. ITL is what the gaps of all tokens together are called.
 */
export const METRICS = {
  ttft_ms: { name: "TTFT", long: "Time to first token (TTFT)", bound: "ttftMs" },
  itl_ms: { name: "TPOT", long: "Time per output token (TPOT), mean of a request", bound: "itlMs" },
  e2e_latency_ms: { name: "latency", long: "End-to-end latency", bound: "e2eMs" },
} as const satisfies Record<LatencyMetric, object>;

/** A latency column of the requests table. */
export type LatencyMetric = "ttft_ms" | "itl_ms" | "e2e_latency_ms";

/** Beyond this ratio of extremes a linear axis hides one of them. */
export const LINEAR_RANGE = 25;

/** `TTFT ≤ 1.5 s, TPOT ≤ 50 ms` */
export function describeSla(sla: Sla): string {
  return Object.values(METRICS).flatMap(({ bound, name }) => {
    const limit = sla[bound];
    return limit == null ? [] : [`${name} ≤ ${duration(limit)}`];
  }).join(", ");
}

/** Runs with requests, each with the look of its place among all. */
export function captured<R extends RequestsRun>(runs: readonly R[]): { run: R; style: RunStyle }[] {
  return runs.map((run, i) => ({ run, style: runStyle(i) })).filter(({ run }) => run.requests !== null);
}

/** When the last request of any run arrived. */
export function lastArrivalMs(runs: readonly RequestsRun[]): number {
  let last = 0;
  for (const { run } of captured(runs)) {
    const arrivals = run.requests!.column("arrival_time_ms")!;
    run.requests!.scan((row) => void (last = Math.max(last, arrivals.at(row!))));
  }
  return last;
}

/** Legend of runs, and of the bound where there is one. */
export function runLegend(runs: readonly ({ name: string } & RunStyle)[], limit?: number): LegendEntry[] {
  return [
    ...runs.map(({ name, color, dash }) => ({ label: name, color, dash, mark: "line" as const })),
    ...boundLegend(limit),
  ];
}

/** Legend of a bound. */
export const boundLegend = (limit?: number): LegendEntry[] =>
  limit === undefined ? [] : [{ label: `SLA ${duration(limit)}`, color: "currentColor", mark: "dashed" }];

/** The bound of a latency as a dashed line. */
export function boundMarks(limit: number | undefined): Plot.Markish[] {
  if (limit === undefined) return [];
  return [Plot.ruleY([limit], { stroke: "currentColor", strokeDasharray: "4 3", strokeOpacity: 0.8 })];
}

/** Ticks of a logarithmic axis: powers of ten, with their thirds where there are few. */
export function powers(lowest: number, highest: number): number[] {
  const decades: number[] = [];
  for (let power = Math.floor(Math.log10(lowest)); 10 ** power <= highest * 1.15; power++) decades.push(10 ** power);
  const inside = (ticks: number[]) => ticks.filter((tick) => tick >= lowest / 1.15 && tick <= highest * 1.15);
  const few = inside(decades);
  return few.length >= 3 ? few : inside(decades.flatMap((tick) => [tick, 3 * tick]));
}
