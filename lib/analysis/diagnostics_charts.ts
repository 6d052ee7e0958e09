/**
 * Charts of the diagnostics page: numbers over the ticks, and a marker for each decision.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import type { DiagnosticsSnapshot } from "../report/planner_diagnostics.ts";
import { time } from "../report/story/format.ts";
import { grid, MARGINS, minutesAxis, valueAxis } from "./axes.ts";
import { runRows } from "./comparison_plot.ts";
import { draw } from "./draw.ts";
import type { Figure, LegendEntry } from "./figure.ts";
import { LIGHT } from "./palette.ts";
import { amount } from "./units.ts";

type Color = (typeof LIGHT)[keyof typeof LIGHT];

/** Marker colours of decisions; others are grey. */
const LOAD_COLORS: Record<string, Color> = {
  scale_up: LIGHT.green,
  scale_down: LIGHT.blue,
  scale_down_capped_by_throughput: LIGHT.purple,
  no_fpm_data: LIGHT.amber,
  scaling_in_progress: LIGHT.vermilion,
  worker_count_mismatch: LIGHT.vermilion,
  insufficient_data: LIGHT.purple,
  missing_engine_metadata: LIGHT.vermilion,
};
const THROUGHPUT_COLORS: Record<string, Color> = {
  scale: LIGHT.green,
  set_lower_bound: LIGHT.blue,
  no_traffic_data: LIGHT.amber,
  predict_failed: LIGHT.vermilion,
  model_not_ready: LIGHT.vermilion,
  missing_engine_metadata: LIGHT.vermilion,
  partner_not_ready: LIGHT.purple,
};

const WIDTH = 500, HEIGHT = 190;

/** A line (or marks) of a chart: its value at each snapshot, null where there is none. */
export interface Series {
  label: string;
  color: string;
  of: (snapshot: DiagnosticsSnapshot) => number | null;
  kind?: "line" | "step" | "dashed" | "diamond";
}

/** Legends of more lines than this would cover the chart. */
const MOST_LEGEND = 4;

/** Lines of the snapshots in one chart. */
export function chart(
  snapshots: readonly DiagnosticsSnapshot[],
  title: string,
  unit: string,
  series: readonly Series[],
  format: (value: number) => string = amount,
): Figure {
  const untilS = endOf(snapshots);
  const drawn = series.map((one) => {
    const rows = snapshots.flatMap((snapshot) => {
      const value = one.of(snapshot);
      return value === null || !Number.isFinite(value) ? [] : [{ at: snapshot.timestamp_s / 60, value }];
    });
    const kept = one.kind === "diamond" ? apart(rows, ({ value }) => value, untilS / 60) : rows.filter(bends);
    return { ...one, rows: kept };
  }).filter(({ rows }) => rows.length > 0);
  const marks = drawn.map(({ rows, color, kind = "line" }) =>
    kind === "diamond"
      ? Plot.dot(rows, { x: "at", y: "value", symbol: "diamond", fill: color, r: 3.5 })
      : Plot.lineY(rows, {
        x: "at",
        y: "value",
        stroke: color,
        strokeWidth: kind === "dashed" ? 1.25 : 1.75,
        strokeDasharray: kind === "dashed" ? "4 3" : undefined,
        curve: kind === "step" ? "step-after" : "linear",
      })
  );
  const signs = { line: "line", step: "line", dashed: "dashed", diamond: "dot" } as const;
  const legend: LegendEntry[] = drawn.slice(0, MOST_LEGEND)
    .map(({ label, color, kind = "line" }) => ({ label, color, mark: signs[kind] }));
  const more = drawn.length > MOST_LEGEND ? `, ${drawn.length} lines` : "";
  return {
    title,
    subtitle: drawn.length === 0 ? "no data" : unit + more,
    untilMs: untilS * 1000,
    legend,
    panels: [{
      plot: draw({
        ...MARGINS,
        marginTop: 14,
        marginBottom: 28,
        width: WIDTH,
        height: HEIGHT,
        x: { domain: [0, untilS / 60] },
        y: { zero: true, nice: true, domain: drawn.length === 0 ? [0, 1] : undefined },
        marks: [grid(3), minutesAxis(4), valueAxis("", format, 3), ...marks],
      }),
    }],
    data: {
      x: "time (s)",
      series: drawn.map(({ label, rows, kind }) => ({
        of: label,
        part: "",
        unit: format === amount ? unit : "ms",
        x: rows.map(({ at }) => at * 60),
        y: rows.map(({ value }) => value),
        step: kind === "step",
      })),
    },
  };
}

/** Whether a line needs a point: those between two of the same value are on it anyway. */
const bends = ({ value }: Point, i: number, points: readonly Point[]): boolean =>
  value !== points[i - 1]?.value || value !== points[i + 1]?.value;

interface Point {
  at: number;
  value: number;
}

/** Keeps of the markers in one row only those that can be told from the one before on an axis of that length. */
function apart<T extends { at: number }>(markers: readonly T[], rowOf: (marker: T) => unknown, length: number): T[] {
  const last = new Map<unknown, number>(), least = length / (2 * WIDTH);
  return markers.filter((marker) => {
    const row = rowOf(marker);
    if (marker.at - (last.get(row) ?? -Infinity) < least) return false;
    last.set(row, marker.at);
    return true;
  });
}

/** A marker a decision, coloured by its reason; a row a reason, and a role where the reasons differ by role. */
export function decisions(
  snapshots: readonly DiagnosticsSnapshot[],
  title: string,
  loop: "load" | "throughput",
): Figure {
  const colors = loop === "load" ? LOAD_COLORS : THROUGHPUT_COLORS;
  const byRole = snapshots.some((snapshot) =>
    snapshot[`${loop}_decision_reason_prefill`] !== null || snapshot[`${loop}_decision_reason_decode`] !== null
  );
  const roles = byRole ? (["prefill", "decode"] as const) : ([null] as const);
  const all = snapshots.flatMap((snapshot) =>
    roles.flatMap((role) => {
      const whole = snapshot[`${loop}_decision_reason`];
      const reason = role === null ? whole : snapshot[`${loop}_decision_reason_${role}`] ?? whole;
      const words = reason?.replaceAll("_", " ") ?? "";
      return !reason ? [] : [{ at: snapshot.timestamp_s, reason, name: role === null ? words : `${role}: ${words}` }];
    })
  );
  const names = [...new Set(all.map(({ name }) => name))].sort();
  const untilS = endOf(snapshots);
  const marks = apart(all, ({ name }) => name, untilS);
  return {
    title,
    subtitle: marks.length === 0 ? "no data" : "one marker a tick",
    untilMs: untilS * 1000,
    panels: [{
      plot: draw({
        width: WIDTH,
        height: Math.max(HEIGHT, 40 + 34 * names.length),
        marginLeft: 12,
        marginRight: 16,
        marginTop: 14,
        marginBottom: 28,
        x: { domain: [0, untilS / 60] },
        y: { domain: [0, Math.max(names.length, 1)], reverse: true, axis: null },
        color: { type: "identity" },
        marks: [
          minutesAxis(4),
          ...runRows(names.map((name) => ({ name }))),
          Plot.dot(marks, {
            x: ({ at }: { at: number }) => at / 60,
            y: ({ name }: { name: string }) => names.indexOf(name) + 0.7,
            fill: ({ reason }: { reason: string }) => Object.hasOwn(colors, reason) ? colors[reason] : LIGHT.grey,
            r: 3,
            title: ({ at, name }: { at: number; name: string }) => `${time(at)}  ${name}`,
          }),
        ],
      }),
    }],
    data: {
      x: "time (s)",
      series: names.map((name) => {
        const own = marks.filter((mark) => mark.name === name);
        return { of: name, part: "", unit: "decisions", x: own.map(({ at }) => at), y: own.map(() => 1) };
      }),
    },
  };
}

/** End of the time axis in seconds. */
const endOf = (snapshots: readonly DiagnosticsSnapshot[]): number => Math.max(snapshots.at(-1)?.timestamp_s ?? 1, 1);
