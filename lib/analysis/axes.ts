/**
 * Axes and margins that figures share.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";

/** Margins of a panel, the same everywhere so that time axes line up. */
export const MARGINS = { marginLeft: 56, marginRight: 16, marginTop: 26 } as const;

/** Horizontal grid lines that stay in the background, at the ticks of the value axis. */
export function grid(ticks: number | number[] = 4): Plot.Markish {
  return Plot.gridY({ stroke: "currentColor", strokeOpacity: 0.1, ticks: ticks as number });
}

/** The line of zero. */
export const zeroLine = (): Plot.Markish => Plot.ruleY([0], { stroke: "currentColor", strokeOpacity: 0.5 });

/** A horizontal axis with its name at the right end. */
export function bottomAxis(
  label: string | null,
  ticks: number | readonly number[],
  tickFormat?: (value: number) => string,
): Plot.Markish {
  return Plot.axisX({
    label,
    labelAnchor: "right",
    labelArrow: "none",
    tickSize: 4,
    ticks: ticks as number,
    ...(tickFormat ? { tickFormat: tickFormat as (value: unknown) => string } : {}),
  });
}

/** Time axis in minutes of the trace; its name is left out where there is room for a few ticks only. */
export function minutesAxis(ticks = 10): Plot.Markish {
  return bottomAxis(ticks > 4 ? "minutes of the trace" : null, ticks, String);
}

/** Value axis with few ticks and its unit above. */
export function valueAxis(
  label: string,
  tickFormat?: (value: number) => string,
  ticks: number | number[] = 4,
): Plot.Markish {
  return Plot.axisY({
    label,
    labelArrow: "none",
    labelAnchor: "top",
    tickSize: 0,
    ticks: ticks as number,
    ...(tickFormat ? { tickFormat: tickFormat as (value: unknown) => string } : {}),
  });
}
