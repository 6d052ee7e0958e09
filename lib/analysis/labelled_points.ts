/**
 * Names beside the dots of a figure, where they lie on nothing else.
 *
 * @module
 */
import type { PlotElement } from "./draw.ts";
import { safe } from "./html.ts";

/** A dot with its names, from the one that is best to the shortest. */
export interface NamedPoint {
  x: number;
  y: number;
  names: readonly string[];
}

/** Where the text of a name begins, and which of the names it is. */
export interface Placed {
  x: number;
  y: number;
  name: number;
}

/**
 * Places names greedily: each takes the first of its names and of eight places around its dot that lies inside the
 * frame and on no dot and no name placed before. Pages carry this function in their script, so it stands alone.
 *
 * @param points dots with the widths of their names
 * @returns a place for each point; null where there is none
 */
export function placeLabels(
  points: readonly { x: number; y: number; widths: readonly number[] }[],
  frame: { left: number; right: number; top: number; bottom: number },
): (Placed | null)[] {
  const height = 14, gap = 8;
  const taken = points.map(({ x, y }) => ({ left: x - 6, right: x + 6, top: y - 6, bottom: y + 6 }));
  return points.map(({ x, y, widths }) => {
    for (let name = 0; name < widths.length; name++) {
      const width = widths[name];
      const places = [
        [x + gap, y + 4],
        [x - gap - width, y + 4],
        [x - width / 2, y - gap - 2],
        [x - width / 2, y + gap + 11],
        [x + gap - 2, y - gap],
        [x + gap - 2, y + gap + 9],
        [x - gap + 2 - width, y - gap],
        [x - gap + 2 - width, y + gap + 9],
      ];
      for (const [left, baseline] of places) {
        const box = { left: left - 2, right: left + width + 2, top: baseline - 11, bottom: baseline - 11 + height };
        const inside = box.left >= frame.left && box.right <= frame.right && box.top >= frame.top &&
          box.bottom <= frame.bottom;
        const free = taken.every((other) =>
          other.left >= box.right || other.right <= box.left || other.top >= box.bottom || other.bottom <= box.top
        );
        if (!inside || !free) continue;
        taken.push(box);
        return { x: left, y: baseline, name };
      }
    }
    return null;
  });
}

/** Width of a character, about. */
const CHARACTER = 6.6;

/** A plot with names at its points. The page's script places them anew, since it knows widths. */
export function labelled(plot: PlotElement, points: readonly NamedPoint[]): PlotElement {
  const frame = { left: plot.marginLeft + 2, right: plot.width - 2, top: 2, bottom: plot.height - plot.marginBottom };
  const placed = placeLabels(
    points.map(({ x, y, names }) => ({ x, y, widths: names.map(({ length }) => length * CHARACTER) })),
    frame,
  );
  const short = (value: number) => Number(value.toFixed(1));
  const labels = points.map(({ x, y, names }, i) => {
    const place = placed[i];
    const at = place === null ? safe` visibility="hidden"` : safe` x="${short(place.x)}" y="${short(place.y)}"`;
    return safe`<text class="name" text-anchor="start" data-x="${short(x)}" data-y="${short(y)}" data-names="${
      JSON.stringify(names)
    }"${at}>${names[place?.name ?? 0]}</text>`;
  });
  return { ...plot, markup: plot.markup.replace(/<\/svg>$/, `${safe`<g class="names">${labels}</g></svg>`}`) };
}
