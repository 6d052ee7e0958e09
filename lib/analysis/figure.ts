/**
 * What all pictures share: colours that work on light and dark ground and for colour-blind people, axes, and the frame
 * of title and legend. A figure is one SVG text that needs no browser to be made and no network to be shown.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { type Html, markup, safe } from "./html.ts";

/** Colours on light ground, by role. The palette follows Okabe and Ito, darkened where white would swallow it. */
export const LIGHT = {
  blue: "#0072b2",
  vermilion: "#d0530a",
  green: "#00875f",
  purple: "#a8508a",
  amber: "#c98a00",
  grey: "#7d8590",
} as const;

/** The same colours on dark ground. */
const DARK: Readonly<Record<keyof typeof LIGHT, string>> = {
  blue: "#5ab0ea",
  vermilion: "#ff8e55",
  green: "#35c79a",
  purple: "#e09ac6",
  amber: "#edbb4a",
  grey: "#8d96a3",
};

const INK = { light: "#1f2328", dark: "#e6e9ee" };

/** Colours of the first, second … run. */
export const RUN_COLORS = [LIGHT.blue, LIGHT.vermilion, LIGHT.green, LIGHT.purple, LIGHT.amber, LIGHT.grey] as const;

/** Colour of run number `i`, from 0; they repeat. */
export function runColor(i: number): string {
  return RUN_COLORS[i % RUN_COLORS.length];
}

/** An entry of a legend. */
export interface LegendEntry {
  label: string;
  color: string;
  mark: "line" | "dashed" | "area" | "up" | "down" | "dot";
}

/** Options of {@linkcode figure}. */
export interface FigureOptions {
  title: string;
  /** Says what is drawn and in which unit. */
  subtitle?: string;
  legend?: readonly LegendEntry[];
  /** Panels from top to bottom; a heading is written above its panel. */
  panels: readonly { heading?: string; plot: PlotElement }[];
  /** Width in pixels; as wide as the widest panel by default. */
  width?: number;
  /** End of a time axis in milliseconds; pages move one line through all figures that share such an axis. */
  untilMs?: number;
}

/** An SVG element made by {@linkcode draw}. */
export interface PlotElement {
  readonly width: number;
  readonly height: number;
  readonly markup: string;
}

/** Margins of a panel, the same everywhere so that time axes line up. */
export const MARGINS = { marginLeft: 52, marginRight: 16, marginTop: 24 } as const;

const TITLE_HEIGHT = 22, SUBTITLE_HEIGHT = 17, LEGEND_HEIGHT = 22, HEADING_HEIGHT = 18, TOP = 6;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

/** Draws a plot without a browser. Takes the options of Observable Plot. */
export function draw(options: Plot.PlotOptions & { width: number; height: number }): PlotElement {
  const { document } = parseHTML("<!doctype html><html><body></body></html>") as any;
  const element = Plot.plot({
    ...options,
    document,
    style: { background: "none", fontFamily: "inherit", fontSize: "11px", overflow: "visible" },
  });
  return { width: options.width, height: options.height, markup: element.outerHTML };
}

/** Puts panels under a title, a line of explanation and a legend, and gives colours to both grounds. */
export function figure(options: FigureOptions): string {
  const width = options.width ?? Math.max(...options.panels.map(({ plot }) => plot.width));
  const parts: Html[] = [];
  let y = TOP + 13;
  parts.push(text(0, y, options.title, "title"));
  y += TITLE_HEIGHT - 4;
  if (options.subtitle) {
    parts.push(text(0, y, options.subtitle, "quiet"));
    y += SUBTITLE_HEIGHT;
  }
  if (options.legend && options.legend.length > 0) {
    parts.push(...legend(options.legend, y));
    y += LEGEND_HEIGHT;
  }
  y -= 8;
  for (const { heading, plot } of options.panels) {
    if (heading !== undefined) {
      parts.push(text(0, y + 13, heading, "heading"));
      y += HEADING_HEIGHT;
    }
    parts.push(markup(plot.markup.replace("<svg ", `<svg y="${y}" `)));
    y += plot.height;
  }
  const time = options.untilMs === undefined
    ? null
    : safe` data-time="${MARGINS.marginLeft} ${width - MARGINS.marginRight} ${options.untilMs}"`;
  return `${safe`<svg xmlns="http://www.w3.org/2000/svg" class="dynosim" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-label="${options.title}" font-family="${
    markup(FONT)
  }" font-size="11"${time}><style>${markup(figureStyle())}</style>${parts}</svg>`}`;
}

/** CSS of a figure: light by default, dark where the reader prefers it or the page says `data-theme="dark"`. */
function figureStyle(): string {
  const colors = Object.keys(LIGHT) as (keyof typeof LIGHT)[];
  const dark = (scope: string) =>
    `${scope}{color:${INK.dark}}` +
    colors.map((name) =>
      `${scope} [stroke="${LIGHT[name]}"]{stroke:${DARK[name]}}${scope} [fill="${LIGHT[name]}"]{fill:${DARK[name]}}`
    ).join("");
  return `.dynosim{color:${INK.light};max-width:100%;height:auto}` +
    `.dynosim text{fill:currentColor}.dynosim .title{font-size:14px;font-weight:600}` +
    `.dynosim .heading{font-size:12px;font-weight:600}.dynosim .quiet{fill-opacity:.75}` +
    `@media(prefers-color-scheme:dark){${dark(":root:not([data-theme=light]) .dynosim,:root.dynosim")}}` +
    dark("[data-theme=dark] .dynosim");
}

function text(x: number, y: number, content: string, kind?: "title" | "quiet" | "heading"): Html {
  return safe`<text x="${x}" y="${y}" ${kind === undefined ? null : safe`class="${kind}"`}>${content}</text>`;
}

function legend(entries: readonly LegendEntry[], y: number): Html[] {
  let x = 0;
  return entries.flatMap(({ label, color, mark }) => {
    const sign = swatch(mark, color, x, y - 4);
    const words = text(x + 22, y, label);
    x += 22 + label.length * 6.1 + 18;
    return [sign, words];
  });
}

function swatch(mark: LegendEntry["mark"], color: string, x: number, y: number): Html {
  switch (mark) {
    case "area":
      return safe`<rect x="${x}" y="${y - 5}" width="16" height="10" rx="1.5" fill="${color}" fill-opacity=".45"/>`;
    case "dot":
      return safe`<circle cx="${x + 8}" cy="${y}" r="4" fill="${color}"/>`;
    case "up":
      return safe`<path d="M${x + 3},${y + 4}h10l-5,-9z" fill="${color}"/>`;
    case "down":
      return safe`<path d="M${x + 3},${y - 4}h10l-5,9z" fill="${color}"/>`;
    default: {
      const dashes = mark === "dashed" ? safe` stroke-dasharray="4 3"` : null;
      return safe`<path d="M${x},${y}h16" fill="none" stroke="${color}" stroke-width="2"${dashes}/>`;
    }
  }
}

/** Horizontal grid lines that stay in the background, at the ticks of the value axis. */
export function grid(ticks: number | number[] = 4): Plot.Markish {
  return Plot.gridY({ stroke: "currentColor", strokeOpacity: 0.1, ticks: ticks as number });
}

/** Time axis in minutes of the trace. */
export function minutesAxis(label = true): Plot.Markish[] {
  return [
    Plot.ruleY([0], { strokeOpacity: 0 }),
    Plot.axisX({
      label: label ? "minutes of the trace" : null,
      labelAnchor: "right",
      labelArrow: "none",
      tickSize: 4,
      tickFormat: (minutes: number) => String(minutes),
    }),
  ];
}

/** Value axis with few ticks and its unit above. */
export function valueAxis(label: string, tickFormat?: (value: number) => string, ticks: number | number[] = 4) {
  return Plot.axisY({
    label,
    labelArrow: "none",
    labelAnchor: "top",
    tickSize: 0,
    ticks: ticks as number,
    ...(tickFormat ? { tickFormat: tickFormat as (value: unknown) => string } : {}),
  });
}

/** A duration as people write it: `80 ms`, `1.5 s`, `2 min`. */
export function duration(ms: number): string {
  const short = (value: number) => String(Number(value.toPrecision(3)));
  if (ms < 1000) return `${short(ms)} ms`;
  if (ms < 120_000) return `${short(ms / 1000)} s`;
  return `${short(ms / 60_000)} min`;
}

/** A count or rate as people write it: `950`, `1,160`, `12.3k`, `4M`. */
export function amount(value: number): string {
  const short = (scaled: number) => Number(scaled.toPrecision(3)).toLocaleString("en");
  if (Math.abs(value) >= 1e6) return `${short(value / 1e6)}M`;
  if (Math.abs(value) >= 1e4) return `${short(value / 1e3)}k`;
  return short(value);
}
