/**
 * How much load does a deployment carry: the share of requests within the SLA, latencies and throughput against the
 * load, and the edge.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import { bottomAxis, grid, MARGINS, valueAxis } from "./axes.ts";
import { draw } from "./draw.ts";
import type { Figure } from "./figure.ts";
import type { SeriesData } from "./figure_data.ts";
import { LIGHT } from "./palette.ts";
import type { CapacityResult, TriedLoad } from "./read_capacity.ts";

const WIDTH = 960;

const loadAxis = (label: string | null) => bottomAxis(label, 6, (value) => String(Number(value.toPrecision(6))));

/** A line through one figure of all loads. */
function series(points: readonly TriedLoad[], y: (point: TriedLoad) => number, told: (point: TriedLoad) => string) {
  return [
    Plot.line(points, { x: "value", y, stroke: LIGHT.blue, strokeWidth: 1.6 }),
    Plot.dot(points, { x: "value", y, fill: LIGHT.blue, r: 3.5, title: told }),
  ];
}

const edge = (largest: number | null) => largest === null ? [] : [Plot.ruleX([largest], { stroke: LIGHT.green })];

const EDGE = { label: "largest load", color: LIGHT.green, mark: "line" } as const;
const TRIED = { label: "replayed", color: LIGHT.blue, mark: "dot" } as const;

const column = (
  points: readonly TriedLoad[],
  of: string,
  unit: string,
  y: (point: TriedLoad) => number,
): SeriesData => ({ of, part: "", unit, x: points.map(({ value }) => value), y: points.map(y) });

/** The share within the SLA. */
export function capacityPlot({ largest, over, attainment, points }: CapacityResult): Figure {
  const plot = draw({
    width: WIDTH,
    height: 280,
    ...MARGINS,
    marginBottom: 40,
    x: { type: "log" },
    y: { domain: [0, 1] },
    marks: [
      grid(),
      loadAxis(over),
      valueAxis("requests within the SLA", (value) => `${Math.round(value * 100)} %`),
      Plot.ruleY([attainment], { stroke: LIGHT.vermilion, strokeDasharray: "4 3" }),
      ...edge(largest),
      ...series(
        points,
        ({ attainment }) => attainment,
        ({ value, attainment }) => `${over} ${value}: ${(attainment * 100).toFixed(2)} % within the SLA`,
      ),
    ],
  });
  return {
    title: "Load that is carried",
    subtitle: `share of requests within the SLA by ${over}`,
    legend: [TRIED, { label: "asked for", color: LIGHT.vermilion, mark: "dashed" }, EDGE],
    panels: [{ plot }],
    data: { x: over, series: [column(points, "requests within the SLA", "share", ({ attainment }) => attainment)] },
  };
}

/** Latencies with their bounds, and what is served. */
export function capacityLatencyPlot({ largest, over, sla, points }: CapacityResult): Figure {
  const panel = (
    heading: string,
    unit: string,
    y: (point: TriedLoad) => number,
    { bound = null, log = true, last = false }: { bound?: number | null; log?: boolean; last?: boolean },
  ) => {
    const shown = points.filter((point) => Number.isFinite(y(point)) && (!log || y(point) > 0));
    return {
      heading,
      plot: draw({
        width: WIDTH,
        height: last ? 170 : 150,
        ...MARGINS,
        marginBottom: last ? 40 : 20,
        x: { type: "log", domain: [points[0].value, points.at(-1)!.value] },
        y: { type: log ? "log" : "linear", zero: !log },
        marks: [
          grid(),
          loadAxis(last ? over : null),
          valueAxis(unit, (value) => Number(value.toPrecision(3)).toLocaleString("en")),
          ...(bound === null ? [] : [Plot.ruleY([bound], { stroke: LIGHT.vermilion, strokeDasharray: "4 3" })]),
          ...edge(largest),
          ...series(shown, y, (point) => `${over} ${point.value}: ${Number(y(point).toPrecision(4))} ${unit}`),
        ],
      }),
    };
  };
  const ttft = ({ p95_ttft_ms }: TriedLoad) => p95_ttft_ms, tpot = ({ p95_tpot_ms }: TriedLoad) => p95_tpot_ms;
  const served = ({ request_throughput_rps }: TriedLoad) => request_throughput_rps;
  return {
    title: "What the load does",
    subtitle: `95th percentiles and requests served by ${over}`,
    legend: [TRIED, { label: "bound of the SLA", color: LIGHT.vermilion, mark: "dashed" }, EDGE],
    panels: [
      panel("Time to first token", "ms", ttft, { bound: sla.ttft_ms }),
      panel("Time per output token", "ms", tpot, { bound: sla.itl_ms }),
      panel("Requests served", "a second", served, { log: false, last: true }),
    ],
    data: {
      x: over,
      series: [
        column(points, "TTFT p95", "ms", ttft),
        column(points, "TPOT p95", "ms", tpot),
        column(points, "requests served", "requests/s", served),
      ],
    },
  };
}
