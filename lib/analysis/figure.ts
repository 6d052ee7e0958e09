/**
 * What all pictures share: the frame of title, legend and panels, and the numbers behind them. A figure becomes one SVG
 * text that needs no browser to be made and no network to be shown, or a part of a page.
 *
 * @module
 */
import type { PlotElement } from "./draw.ts";
import type { FigureData } from "./figure_data.ts";
import { type Html, markup, safe } from "./html.ts";
import { figureStyle } from "./palette.ts";
import { shortened } from "./units.ts";

/** An entry of a legend. */
export interface LegendEntry {
  label: string;
  color: string;
  mark: "line" | "dashed" | "area" | "up" | "down" | "dot";
  /** SVG dash array of a line. */
  dash?: string | null;
}

/** A part of a figure with axes of its own. */
export interface Panel {
  /** Written above it. */
  heading?: string;
  plot: PlotElement;
}

/** A picture. */
export interface Figure {
  title: string;
  /** Says what is drawn and in which unit. */
  subtitle?: string;
  legend?: readonly LegendEntry[];
  /** From top to bottom. */
  panels: readonly Panel[];
  /** Panels are small and stand side by side where there is room. */
  cells?: boolean;
  /** End of a time axis in milliseconds; pages move one line through all figures that share such an axis. */
  untilMs?: number;
  data: FigureData;
}

const TITLE_HEIGHT = 22, SUBTITLE_HEIGHT = 17, LEGEND_HEIGHT = 22, HEADING_HEIGHT = 18, TOP = 6;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
/** Width of a character of text, about. */
const CHARACTER = 6.6;

/** The whole figure as an SVG text: panels under a title, a line of explanation and a legend, for both grounds. */
export function figureSvg(figure: Figure): string {
  const width = Math.max(...figure.panels.map(({ plot }) => plot.width));
  const fitting = Math.floor(width / CHARACTER);
  const parts: Html[] = [];
  let y = TOP + 13;
  parts.push(text(0, y, shortened(figure.title, Math.floor(fitting * 0.85)), "title"));
  y += TITLE_HEIGHT - 4;
  if (figure.subtitle) {
    parts.push(text(0, y, shortened(figure.subtitle, fitting), "quiet"));
    y += SUBTITLE_HEIGHT;
  }
  if (figure.legend && figure.legend.length > 0) {
    const { entries, bottom } = legend(figure.legend, y, width);
    parts.push(...entries);
    y = bottom + LEGEND_HEIGHT;
  }
  y -= 8;
  for (const { heading, plot } of figure.panels) {
    if (heading !== undefined) {
      parts.push(text(0, y + 13, shortened(heading, fitting), "heading"));
      y += HEADING_HEIGHT;
    }
    parts.push(markup(plot.markup.replace("<svg ", `<svg y="${y}" `)));
    y += plot.height;
  }
  return `${safe`<svg xmlns="http://www.w3.org/2000/svg" class="dynosim" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-label="${figure.title}" font-family="${
    markup(FONT)
  }" font-size="12"><style>${markup(figureStyle())}</style>${parts}</svg>`}`;
}

function text(x: number, y: number, content: string, kind?: "title" | "quiet" | "heading"): Html {
  return safe`<text x="${x}" y="${y}"${kind === undefined ? null : safe` class="${kind}"`}>${content}</text>`;
}

/** Entries side by side, on as many lines as they need; `y` is that of the first one's text. */
function legend(entries: readonly LegendEntry[], y: number, width: number): { entries: Html[]; bottom: number } {
  let x = 0;
  const drawn = entries.flatMap((entry) => {
    const label = shortened(entry.label, 60), room = 22 + label.length * CHARACTER;
    if (x > 0 && x + room > width) {
      x = 0;
      y += 18;
    }
    const sign = safe`<g transform="translate(${Number(x.toFixed(1))},${y - 4})">${swatch(entry)}</g>`;
    const words = text(Number((x + 22).toFixed(1)), y, label);
    x += room + 18;
    return [sign, words];
  });
  return { entries: drawn, bottom: y };
}

/** The sign of a legend entry: 16 wide, around y 0. */
export function swatch({ mark, color, dash }: LegendEntry): Html {
  switch (mark) {
    case "area":
      return safe`<rect y="-5" width="16" height="10" rx="1.5" fill="${color}" fill-opacity=".45"/>`;
    case "dot":
      return safe`<circle cx="8" r="4" fill="${color}"/>`;
    case "up":
      return safe`<path d="M3,4h10l-5,-9z" fill="${color}"/>`;
    case "down":
      return safe`<path d="M3,-4h10l-5,9z" fill="${color}"/>`;
    default: {
      const pattern = mark === "dashed" ? "4 3" : dash;
      const dashes = pattern == null ? null : safe` stroke-dasharray="${pattern}"`;
      return safe`<path d="M0,0h16" fill="none" stroke="${color}" stroke-width="2"${dashes}/>`;
    }
  }
}
