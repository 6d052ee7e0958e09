/**
 * How much load does a deployment carry: the share of requests within the SLA, latencies and throughput against the
 * load, and the edge.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import { draw, figure, grid, LIGHT, MARGINS, valueAxis } from "./figure.ts";
import type { CapacityResult, TriedLoad } from "./read_capacity.ts";

const WIDTH = 720;

const loadAxis = (label: string | null) =>
  Plot.axisX({ label, labelAnchor: "right", labelArrow: "none", tickSize: 4, ticks: 6, tickFormat: "~g" });

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

/** The share within the SLA as an SVG text. */
export function capacityPlot({ largest, over, attainment, points }: CapacityResult): string {
  const plot = draw({
    width: WIDTH,
    height: 280,
    ...MARGINS,
    marginBottom: 38,
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
  return figure({
    title: "Load that is carried",
    subtitle: `share of requests within the SLA by ${over}`,
    legend: [TRIED, { label: "asked for", color: LIGHT.vermilion, mark: "dashed" }, EDGE],
    panels: [{ plot }],
  });
}

/** Latencies with their bounds, and what is served, as an SVG text. */
export function capacityLatencyPlot({ largest, over, sla, points }: CapacityResult): string {
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
        height: last ? 168 : 150,
        ...MARGINS,
        marginBottom: last ? 38 : 20,
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
  return figure({
    title: "What the load does",
    subtitle: `95th percentiles and requests served by ${over}`,
    legend: [TRIED, { label: "bound of the SLA", color: LIGHT.vermilion, mark: "dashed" }, EDGE],
    panels: [
      panel("Time to first token", "ms", ({ p95_ttft_ms }) => p95_ttft_ms, { bound: sla.ttft_ms }),
      panel("Time per output token", "ms", ({ p95_tpot_ms }) => p95_tpot_ms, { bound: sla.itl_ms }),
      panel("Requests served", "a second", ({ request_throughput_rps }) => request_throughput_rps, {
        log: false,
        last: true,
      }),
    ],
  });
}
