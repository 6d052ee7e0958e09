import {
  MARGINS,
  draw,
  grid,
  valueAxis,
  zeroLine
} from "./drawing.js";
import {
  LIGHT
} from "./analysis.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";

// lib/analysis/calibration_plot.ts
import * as Plot from "@observablehq/plot";
var WIDTH = 720;
var HEIGHT = 150;
var signed = (value) => `${value > 0 ? "+" : ""}${Number(value.toPrecision(3))} %`;
function calibrationPlot(groups) {
  const dots = groups.flatMap(({ by, group, bias, after_bias }) => [
    ...bias === null ? [] : [
      {
        by,
        group,
        bias,
        color: LIGHT.vermilion,
        when: "without a correction"
      }
    ],
    ...after_bias === null ? [] : [
      {
        by,
        group,
        bias: after_bias,
        color: LIGHT.blue,
        when: "with it, held out"
      }
    ]
  ]);
  const kinds = [
    ...Map.groupBy(dots, ({ by }) => by)
  ].filter(([by]) => by !== "phase" && !by.endsWith("time"));
  return {
    title: "Simulated against measured",
    subtitle: "bias in percent: above zero the simulation is too slow, below too fast",
    legend: [
      {
        label: "without a correction",
        color: LIGHT.vermilion,
        mark: "dot"
      },
      {
        label: "with it, held out",
        color: LIGHT.blue,
        mark: "dot"
      }
    ],
    panels: kinds.map(([by, own]) => ({
      heading: by,
      plot: draw({
        width: WIDTH,
        height: HEIGHT,
        ...MARGINS,
        marginBottom: 26,
        x: {
          type: "point",
          domain: [
            ...new Set(own.map(({ group }) => group))
          ],
          padding: 0.5
        },
        color: {
          type: "identity"
        },
        marks: [
          grid(),
          zeroLine(),
          Plot.axisX({
            label: null,
            tickSize: 4
          }),
          valueAxis("%"),
          Plot.dot(own, {
            x: "group",
            y: "bias",
            fill: ({ color }) => color,
            r: 4,
            title: ({ group, bias, when }) => `${by} ${group}: ${signed(bias)} ${when}`
          })
        ]
      })
    })),
    data: {
      x: "group",
      series: kinds.flatMap(([by]) => [
        "bias",
        "after_bias"
      ].map((key) => {
        const own = groups.filter((group) => group.by === by);
        const part = key === "bias" ? "without a correction" : "with it, held out";
        return {
          of: by,
          part,
          unit: "%",
          x: own.map(({ group }) => group),
          y: own.map((group) => group[key])
        };
      }))
    }
  };
}
export {
  calibrationPlot
};
