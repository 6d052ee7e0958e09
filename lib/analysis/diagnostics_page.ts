/**
 * The Planner's diagnostics as one self-contained HTML page: seven rows of two charts over the ticks.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import type { DiagnosticsSnapshot, EngineLoad } from "../report/planner_diagnostics.ts";
import {
  amount,
  draw,
  duration,
  figure,
  grid,
  type LegendEntry,
  LIGHT,
  MARGINS,
  runColor,
  valueAxis,
} from "./figure.ts";
import { markup, safe } from "./html.ts";
import { page } from "./page.ts";

/** What the page says besides the snapshots. */
export interface DiagnosticsPageOptions {
  ttftMs: number;
  itlMs: number;
  /** KV tokens a decode worker holds, a dashed line in its load chart; none when unknown. */
  kvCapacityTokens?: number | null;
}

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
interface Series {
  label: string;
  color: string;
  of: (snapshot: DiagnosticsSnapshot) => number | null;
  kind?: "line" | "step" | "dashed" | "diamond";
}

/** Writes the page. */
export function diagnosticsPage(snapshots: readonly DiagnosticsSnapshot[], options: DiagnosticsPageOptions): string {
  const { ttftMs, itlMs } = options;
  const bounds = (label: string, limit: number): Series => ({
    label,
    color: "currentColor",
    of: () => limit,
    kind: "dashed",
  });
  const split = snapshots.some(({ num_prefill_replicas }) => num_prefill_replicas > 0);
  const floors = (role: "prefill" | "decode"): Series[] =>
    snapshots.some((snapshot) => snapshot[`throughput_lower_bound_${role}`] > 1)
      ? [{
        label: `lower bound, ${role}`,
        color: role === "prefill" ? LIGHT.vermilion : LIGHT.blue,
        of: (snapshot) => snapshot[`throughput_lower_bound_${role}`],
        kind: "dashed",
      }]
      : [];
  const replicas = (role: "prefill" | "decode", color: Color): Series[] => [
    { label: role, color, of: (snapshot) => snapshot[`num_${role}_replicas`], kind: "step" },
    {
      label: `Recommended ${role === "prefill" ? "Prefill" : "Decode"} Replicas`,
      color,
      of: (snapshot) => snapshot[`scale_to_${role}`],
      kind: "diamond",
    },
    ...floors(role),
  ];
  const line = (label: string, color: string, of: Series["of"]): Series => ({ label, color, of });
  const charts = [
    chart(snapshots, "Replica Counts", "workers", [
      ...(split ? replicas("prefill", LIGHT.vermilion) : []),
      ...replicas("decode", LIGHT.blue),
    ]),
    chart(snapshots, "Request Rate (Observed vs Predicted)", "requests/s", [
      line("observed", LIGHT.blue, (snapshot) => snapshot.observed_requests_per_second),
      line("predicted", LIGHT.vermilion, (snapshot) => snapshot.predicted_requests_per_second),
    ]),
    chart(snapshots, "Observed TTFT vs SLA", "TTFT", [
      line("observed", LIGHT.blue, (snapshot) => snapshot.observed_ttft_ms),
      bounds(`SLA ${duration(ttftMs)}`, ttftMs),
    ], duration),
    chart(snapshots, "Observed ITL vs SLA", "ITL", [
      line("observed", LIGHT.blue, (snapshot) => snapshot.observed_itl_ms),
      bounds(`SLA ${duration(itlMs)}`, itlMs),
    ], duration),
    chart(snapshots, "Estimated TTFT vs SLA", "TTFT", [
      line("estimated", LIGHT.purple, (snapshot) => snapshot.estimated_ttft_ms),
      bounds(`SLA ${duration(ttftMs)}`, ttftMs),
    ], duration),
    chart(snapshots, "Estimated ITL vs SLA", "ITL", [
      line("estimated", LIGHT.purple, (snapshot) => snapshot.estimated_itl_ms),
      bounds(`SLA ${duration(itlMs)}`, itlMs),
    ], duration),
    chart(
      snapshots,
      "Prefill Engine Load",
      "queued prefill tokens",
      engines(snapshots, split ? "prefill_engines" : "decode_engines", (load) => load.queued_prefill_tokens),
    ),
    chart(snapshots, "Decode Engine Load", "queued and in-flight KV tokens", [
      ...engines(
        snapshots,
        "decode_engines",
        (load) => load.queued_decode_kv_tokens + load.inflight_decode_kv_tokens,
      ),
      ...(options.kvCapacityTokens ? [bounds("KV Capacity", options.kvCapacityTokens)] : []),
    ]),
    chart(snapshots, "Engine Capacity (req/s)", "requests/s", [
      line("prefill", LIGHT.vermilion, (snapshot) => snapshot.engine_rps_prefill),
      line("decode", LIGHT.blue, (snapshot) => snapshot.engine_rps_decode),
    ]),
    chart(snapshots, "Sequence Lengths (Observed vs Predicted)", "tokens", [
      line("ISL observed", LIGHT.blue, (snapshot) => snapshot.observed_input_sequence_tokens),
      line("ISL predicted", LIGHT.vermilion, (snapshot) => snapshot.predicted_input_sequence_tokens),
      line("OSL observed", LIGHT.green, (snapshot) => snapshot.observed_output_sequence_tokens),
      line("OSL predicted", LIGHT.purple, (snapshot) => snapshot.predicted_output_sequence_tokens),
    ]),
    decisions(snapshots, "Load Scaling Decisions", "load", LOAD_COLORS),
    decisions(snapshots, "Throughput Scaling Decisions", "throughput", THROUGHPUT_COLORS),
    chart(snapshots, "Cumulative GPU Hours", "GPU hours", [
      line("GPU hours", LIGHT.green, (snapshot) => snapshot.gpu_hours),
    ]),
  ];
  return page({
    title: "Planner Diagnostics Report",
    facts: facts(snapshots, options, split),
    main: safe`<section><div class="grid">${
      charts.map((svg) => safe`<figure>${markup(svg)}</figure>`)
    }</div></section>`,
  });
}

function facts(snapshots: readonly DiagnosticsSnapshot[], options: DiagnosticsPageOptions, split: boolean): string {
  const first = snapshots[0]?.timestamp_s ?? 0, last = snapshots.at(-1)?.timestamp_s ?? 0;
  const changes = (role: "prefill" | "decode") =>
    snapshots.filter((snapshot, i) =>
      i > 0 && snapshot[`num_${role}_replicas`] !== snapshots[i - 1][`num_${role}_replicas`]
    )
      .length;
  const transitions = split
    ? `${changes("prefill")} prefill and ${changes("decode")} decode replica transitions`
    : `${changes("decode")} replica transitions`;
  return `${clock(first)} to ${clock(last)}, ${snapshots.length} ticks; ${transitions}; ` +
    `${(snapshots.at(-1)?.gpu_hours ?? 0).toFixed(3)} GPU hours; ` +
    `SLA targets TTFT ${duration(options.ttftMs)}, ITL ${duration(options.itlMs)}`;
}

/** A line a rank that ever reported. */
function engines(
  snapshots: readonly DiagnosticsSnapshot[],
  role: "prefill_engines" | "decode_engines",
  of: (load: EngineLoad) => number,
): Series[] {
  const names = new Set(snapshots.flatMap((snapshot) => snapshot[role].map(nameOf)));
  return [...names].map((name, i) => ({
    label: name,
    color: runColor(i),
    of: (snapshot) => {
      const load = snapshot[role].find((engine) => nameOf(engine) === name);
      return load === undefined ? null : of(load);
    },
  }));
}

const nameOf = ({ worker_id, dp_rank }: EngineLoad) => `worker ${worker_id}${dp_rank > 0 ? ` rank ${dp_rank}` : ""}`;

/** Legends of more lines than this would cover the chart. */
const MOST_LEGEND = 4;

function chart(
  snapshots: readonly DiagnosticsSnapshot[],
  title: string,
  unit: string,
  series: readonly Series[],
  format: (value: number) => string = amount,
): string {
  const [first, last] = extent(snapshots);
  const drawn = series.map((one) => {
    const rows = snapshots.flatMap((snapshot) => {
      const value = one.of(snapshot);
      return value === null || !Number.isFinite(value) ? [] : [{ at: snapshot.timestamp_s, value }];
    });
    return {
      ...one,
      rows: one.kind === "diamond" ? apart(rows, ({ value }) => value, last - first) : rows.filter(bends),
    };
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
  return figure({
    title,
    subtitle: drawn.length === 0 ? "no data" : unit + more,
    legend,
    panels: [{
      plot: draw({
        ...MARGINS,
        marginTop: 12,
        marginBottom: 26,
        width: WIDTH,
        height: HEIGHT,
        x: { domain: extent(snapshots) },
        y: { zero: true, nice: true, domain: drawn.length === 0 ? [0, 1] : undefined },
        marks: [grid(3), timeAxis(snapshots), valueAxis("", format, 3), ...marks],
      }),
    }],
  });
}

/** Whether a line needs a point: those between two of the same value are on it anyway. */
const bends = ({ value }: Point, i: number, points: readonly Point[]): boolean =>
  value !== points[i - 1]?.value || value !== points[i + 1]?.value;

interface Point {
  at: number;
  value: number;
}

/** Keeps of the markers in one row only those that can be told from the one before on a chart of `spanS` seconds. */
function apart<T extends { at: number }>(markers: readonly T[], rowOf: (marker: T) => unknown, spanS: number): T[] {
  const last = new Map<unknown, number>(), least = spanS / (2 * WIDTH);
  return markers.filter((marker) => {
    const row = rowOf(marker);
    if (marker.at - (last.get(row) ?? -Infinity) < least) return false;
    last.set(row, marker.at);
    return true;
  });
}

/** A marker a decision, coloured by its reason; a row a reason, and a role where the reasons differ by role. */
function decisions(
  snapshots: readonly DiagnosticsSnapshot[],
  title: string,
  loop: "load" | "throughput",
  colors: Record<string, Color>,
): string {
  const byRole = snapshots.some((snapshot) =>
    snapshot[`${loop}_decision_reason_prefill`] !== null || snapshot[`${loop}_decision_reason_decode`] !== null
  );
  const roles = byRole ? (["prefill", "decode"] as const) : ([null] as const);
  const [first, last] = extent(snapshots);
  const rows = snapshots.flatMap((snapshot) =>
    roles.flatMap((role) => {
      const whole = snapshot[`${loop}_decision_reason`];
      const reason = role === null ? whole : snapshot[`${loop}_decision_reason_${role}`] ?? whole;
      const words = reason?.replaceAll("_", " ");
      return !reason ? [] : [{ at: snapshot.timestamp_s, reason, row: role === null ? words : `${role}: ${words}` }];
    })
  );
  const names = [...new Set(rows.map(({ row }) => row))].sort();
  return figure({
    title,
    subtitle: rows.length === 0 ? "no data" : "one marker a tick",
    panels: [{
      plot: draw({
        ...MARGINS,
        marginLeft: 20 + 5.8 * Math.max(4, ...names.map((name) => name!.length)),
        marginTop: 12,
        marginBottom: 26,
        width: WIDTH,
        height: HEIGHT + 22,
        x: { domain: extent(snapshots) },
        y: { type: "point", domain: names },
        color: { type: "identity" },
        marks: [
          timeAxis(snapshots),
          Plot.axisY({ label: null, tickSize: 0 }),
          Plot.dot(apart(rows, ({ row }) => row, last - first), {
            x: "at",
            y: "row",
            fill: ({ reason }: { reason: string }) => colors[reason] ?? LIGHT.grey,
            r: 3,
            title: ({ at, row }: { at: number; row: string }) => `${clock(at)}  ${row}`,
          }),
        ],
      }),
    }],
  });
}

const STEPS_S = [1, 5, 10, 30, 60, 300, 600, 1200, 1800, 3600, 7200, 14_400, 28_800, 86_400];

/** Round times, five at most. */
function timeAxis(snapshots: readonly DiagnosticsSnapshot[]): Plot.Markish {
  const [first, last] = extent(snapshots);
  const step = STEPS_S.find((seconds) => (last - first) / seconds <= 5) ?? 86_400;
  const start = Math.ceil(first / step) * step;
  const ticks = Array.from({ length: Math.floor((last - start) / step) + 1 }, (_, i) => start + i * step);
  return Plot.axisX({ label: null, tickSize: 4, ticks, tickFormat: clock as (value: unknown) => string });
}

function extent(snapshots: readonly DiagnosticsSnapshot[]): [number, number] {
  const first = snapshots[0]?.timestamp_s ?? 0;
  return [first, Math.max(snapshots.at(-1)?.timestamp_s ?? 1, first + 1)];
}

/** `HH:MM:SS` */
function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}
