/**
 * Lines of several runs: in one panel where each has a colour of its own, else in a small panel for each that differs.
 *
 * @module
 */
import type { Markish } from "@observablehq/plot";
import { MARGINS } from "./axes.ts";
import type { Panel } from "./figure.ts";
import type { SeriesData } from "./figure_data.ts";
import { LIGHT, MOST_COLORS, type RunStyle } from "./palette.ts";
import type { PlotElement } from "./draw.ts";

/** A run's part of a figure. */
export interface RunSeries {
  name: string;
  style: RunStyle;
  /** Draws it. */
  marks: (style: RunStyle) => readonly Markish[];
  data: readonly SeriesData[];
}

/** Size of a panel. */
export interface PanelSize {
  width: number;
  height: number;
  marginLeft: number;
  marginRight: number;
  marginTop: number;
  marginBottom: number;
  /** Ticks of the axes at most. */
  ticks: { x: number; y: number };
  /** Has no room for names of axes. */
  small: boolean;
}

/** Panels and their data. */
export interface Multiples {
  panels: Panel[];
  cells: boolean;
  series: SeriesData[];
}

/** Look of the first run behind the others. */
const BEHIND: RunStyle = { color: LIGHT.grey, dash: null };

/** Whether so many runs get small panels, when a page may choose. */
export const crowded = (runs: number): boolean => runs > MOST_COLORS;

/**
 * Panels of runs.
 *
 * @param apart a small panel for each run, with the first one behind it; runs whose data are equal share one
 * @param draw draws a panel with those marks
 */
export function panelsOf(
  runs: readonly RunSeries[],
  { apart, width, height }: { apart: boolean; width: number; height: number },
  draw: (marks: readonly Markish[], size: PanelSize) => PlotElement,
): Multiples {
  if (!apart) {
    const size = { ...MARGINS, width, height, marginBottom: 40, ticks: { x: 10, y: 4 }, small: false };
    return {
      panels: [{ plot: draw(runs.flatMap(({ marks, style }) => marks(style)), size) }],
      cells: false,
      series: runs.flatMap(({ data }) => data),
    };
  }
  const groups = grouped(runs, ({ data }) => JSON.stringify(data.map(({ x, y }) => [x, y])));
  const size = { ...CELL, ticks: { x: 4, y: 3 }, small: true };
  const panels = groups.map((same, i) => {
    const [run] = same;
    const behind = i === 0 ? [] : runs[0].marks(BEHIND);
    return { heading: namesOf(same), plot: draw([...behind, ...run.marks({ color: LIGHT.blue, dash: null })], size) };
  });
  const series = groups.flatMap((same, i) =>
    same.flatMap(({ data }, j) => data.map((one) => ({ ...one, at: j === 0 ? panels[i].heading : "" })))
  );
  return { panels, cells: true, series };
}

/** Size and margins of small panels. */
export const CELL = { ...MARGINS, width: 300, height: 120, marginTop: 16, marginBottom: 26 };

/** Lists of entries with the same key, in the order of their first ones. */
export function grouped<T>(entries: readonly T[], keyOf: (entry: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const key = keyOf(entry), group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}

/** Names of runs that are alike. */
export const namesOf = (runs: readonly { name: string }[]): string => runs.map(({ name }) => name).join(", ");
