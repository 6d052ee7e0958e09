/**
 * How far simulated passes and requests are from measured ones, by group: the bias without a correction, and with it.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import { grid, MARGINS, valueAxis, zeroLine } from "./axes.ts";
import { draw } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { LIGHT } from "./palette.ts";

/** What is drawn of a group. */
export interface ComparedGroup {
  /** What groups are made by. */
  readonly by: string;
  /** Which group. */
  readonly group: string;
  /** Median of (simulated − measured) / measured in percent, without a correction; null of nothing. */
  readonly bias: number | null;
  /** The same with one, of measurements that the fit did not see; null where there is none. */
  readonly after_bias: number | null;
}

const WIDTH = 720, HEIGHT = 150;
const signed = (value: number) => `${value > 0 ? "+" : ""}${Number(value.toPrecision(3))} %`;

/** A panel for each kind of groups. */
export function calibrationPlot(groups: readonly ComparedGroup[]): Figure {
  const dots = groups.flatMap(({ by, group, bias, after_bias }) => [
    ...bias === null ? [] : [{ by, group, bias, color: LIGHT.vermilion, when: "without a correction" }],
    ...after_bias === null ? [] : [{ by, group, bias: after_bias, color: LIGHT.blue, when: "with it, held out" }],
  ]);
  const kinds = [...Map.groupBy(dots, ({ by }) => by)].filter(([by]) => by !== "phase" && !by.endsWith("time"));
  return {
    title: "Simulated against measured",
    subtitle: "bias in percent: above zero the simulation is too slow, below too fast",
    legend: [
      { label: "without a correction", color: LIGHT.vermilion, mark: "dot" },
      { label: "with it, held out", color: LIGHT.blue, mark: "dot" },
    ],
    panels: kinds.map(([by, own]) => ({
      heading: by,
      plot: draw({
        width: WIDTH,
        height: HEIGHT,
        ...MARGINS,
        marginBottom: 26,
        x: { type: "point", domain: [...new Set(own.map(({ group }) => group))], padding: 0.5 },
        color: { type: "identity" },
        marks: [
          grid(),
          zeroLine(),
          Plot.axisX({ label: null, tickSize: 4 }),
          valueAxis("%"),
          Plot.dot(own, {
            x: "group",
            y: "bias",
            fill: ({ color }: { color: string }) => color,
            r: 4,
            title: ({ group, bias, when }: { group: string; bias: number; when: string }) =>
              `${by} ${group}: ${signed(bias)} ${when}`,
          }),
        ],
      }),
    })),
    data: {
      x: "group",
      series: kinds.flatMap(([by]) =>
        (["bias", "after_bias"] as const).map((key) => {
          const own = groups.filter((group) => group.by === by);
          const part = key === "bias" ? "without a correction" : "with it, held out";
          return { of: by, part, unit: "%", x: own.map(({ group }) => group), y: own.map((group) => group[key]) };
        })
      ),
    },
  };
}
