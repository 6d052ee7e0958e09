/**
 * A figure as a part of a page: words in HTML, where they wrap and can be read aloud, and the panels as SVG elements
 * that the page's script fits to the width.
 *
 * @module
 */
import type { PlotElement } from "./draw.ts";
import { type Figure, type LegendEntry, swatch } from "./figure.ts";
import { packed } from "./figure_data.ts";
import { type Html, markup, safe } from "./html.ts";

/** Markup of a figure. */
export function figureHtml(figure: Figure): Html {
  const { title, subtitle, legend = [], panels, cells = false, untilMs } = figure;
  const time = untilMs === undefined ? null : safe` data-until="${Number((untilMs / 1000).toFixed(3))}"`;
  const shown = new Set(figure.data.series.map(({ of, at }) => at ?? of));
  const how = untilMs === undefined ? "" : ". Arrow keys move through time, plus and minus zoom, 0 shows everything";
  return safe`<figure class="chart" data-figure="${
    packed(figure.data)
  }"${time}><figcaption><div class="head"><div><h3>${title}</h3>${
    subtitle && safe`<p class="quiet">${subtitle}</p>`
  }</div><div class="tools"><button type="button" data-save="svg" aria-label="Save ${title} as SVG">SVG</button><button type="button" data-save="csv" aria-label="Save the data of ${title} as CSV">CSV</button></div></div>${
    legend.length === 0 ? null : safe`<ul class="legend">${legend.map((entry) => legendItem(entry, shown))}</ul>`
  }</figcaption><div class="panels${markup(cells ? " cells" : "")}"${
    untilMs === undefined ? null : safe` tabindex="0" role="group" aria-label="${title}${how}"`
  }>${
    panels.map(({ heading, plot }) =>
      safe`<div class="panel">${
        heading === undefined
          ? null
          : safe`<h4><span class="clamp" title="${heading}">${heading}</span>${
            shown.has(heading) ? readout(heading) : null
          }</h4>`
      }${
        markup(plot.markup.replace(
          "<svg ",
          `${safe`<svg class="dynosim" role="img" aria-label="${heading ?? title}" data-frame="${frameOf(plot)}" `}`,
        ))
      }</div>`
    )
  }</div></figure>\n`;
}

/** Left, right, width, height, top and bottom of the axes. */
const frameOf = ({ width, height, marginLeft, marginRight, marginTop, marginBottom }: PlotElement): string =>
  [marginLeft, width - marginRight, width, height, marginTop, height - marginBottom].join(" ");

const readout = (at: string): Html => safe` <span class="now" data-at="${at}"></span>`;

function legendItem(entry: LegendEntry, shown: ReadonlySet<string>): Html {
  return safe`<li><svg class="dynosim key" viewBox="0 -6 16 12" aria-hidden="true">${
    swatch(entry)
  }</svg><span>${entry.label}${shown.has(entry.label) ? readout(entry.label) : null}</span></li>`;
}
