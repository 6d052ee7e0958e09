/**
 * How much load does a deployment carry: the share of requests within the SLA against the load, and the edge.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import { draw, figure, grid, LIGHT, MARGINS, valueAxis } from "./figure.ts";

/** What is drawn; a `Capacity` is one. */
export interface DrawnCapacity {
  /** Largest load that is carried. */
  readonly largest: number | null;
  /** Name of the load's axis. */
  readonly over: string;
  /** The share asked for. */
  readonly attainment: number;
  /** Loads that were tried, by size. */
  readonly points: readonly { readonly value: number; readonly attainment: number }[];
}

/** The figure as an SVG text. */
export function capacityPlot({ largest, over, attainment, points }: DrawnCapacity): string {
  const plot = draw({
    width: 720,
    height: 280,
    ...MARGINS,
    marginBottom: 38,
    x: { type: "log" },
    y: { domain: [0, 1] },
    marks: [
      grid(),
      Plot.axisX({ label: over, labelAnchor: "right", labelArrow: "none", tickSize: 4, ticks: 6, tickFormat: "~g" }),
      valueAxis("requests within the SLA", (value) => `${Math.round(value * 100)} %`),
      Plot.ruleY([attainment], { stroke: LIGHT.vermilion, strokeDasharray: "4 3" }),
      ...(largest === null ? [] : [Plot.ruleX([largest], { stroke: LIGHT.green })]),
      Plot.line(points, { x: "value", y: "attainment", stroke: LIGHT.blue, strokeWidth: 1.6 }),
      Plot.dot(points, {
        x: "value",
        y: "attainment",
        fill: LIGHT.blue,
        r: 3.5,
        title: ({ value, attainment }: DrawnCapacity["points"][number]) =>
          `${over} ${value}: ${(attainment * 100).toFixed(2)} % within the SLA`,
      }),
    ],
  });
  return figure({
    title: "Load that is carried",
    subtitle: `share of requests within the SLA by ${over}`,
    legend: [
      { label: "replayed", color: LIGHT.blue, mark: "dot" },
      { label: "asked for", color: LIGHT.vermilion, mark: "dashed" },
      { label: "largest load", color: LIGHT.green, mark: "line" },
    ],
    panels: [{ plot }],
  });
}
