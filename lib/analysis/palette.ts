/**
 * Colours of figures: for light and dark ground, and for colour-blind people.
 *
 * @module
 */

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

const RUN_COLORS = [LIGHT.blue, LIGHT.vermilion, LIGHT.green, LIGHT.purple, LIGHT.amber, LIGHT.grey] as const;

/** Runs that one figure can show at once, each in a colour of its own. */
export const MOST_COLORS = RUN_COLORS.length;

/** Dashes of the first, second … time that the colours are used. */
const DASHES = [null, "7 3", "2 3", "9 3 2 3"] as const;

/** Look of a run's lines. */
export interface RunStyle {
  color: string;
  /** SVG dash array; null for a whole line. */
  dash: string | null;
}

/** Look of run number `i`, from 0. Colours repeat after six with other dashes. */
export function runStyle(i: number): RunStyle {
  return {
    color: RUN_COLORS[i % MOST_COLORS],
    dash: DASHES[Math.floor(i / MOST_COLORS) % DASHES.length],
  };
}

/** Colour of run number `i`, from 0. */
export const runColor = (i: number): string => runStyle(i).color;

/** CSS of figures: light by default, dark where the reader prefers it or the page says `data-theme="dark"`. */
export function figureStyle(): string {
  const colors = Object.keys(LIGHT) as (keyof typeof LIGHT)[];
  const dark = (scope: string) =>
    `${scope}{color:${INK.dark}}` +
    colors.map((name) =>
      `${scope} [stroke="${LIGHT[name]}"]{stroke:${DARK[name]}}${scope} [fill="${LIGHT[name]}"]{fill:${DARK[name]}}`
    ).join("");
  // A list of selectors in `:is()` stands for one scope; bare, its first part would lose what follows.
  const preferred = ":is(:root:not([data-theme=light]) .dynosim,:root.dynosim)";
  return `.dynosim{color:${INK.light};font-size:12px;max-width:100%;height:auto}` +
    `.dynosim text{fill:currentColor;stroke:none}.dynosim .title{font-size:14px;font-weight:600}` +
    `.dynosim .stretch *{vector-effect:non-scaling-stroke}.dynosim .heading{font-weight:600}.dynosim .quiet{fill-opacity:.75}` +
    `@media(prefers-color-scheme:dark){${dark(preferred)}}` +
    dark("[data-theme=dark] .dynosim");
}
