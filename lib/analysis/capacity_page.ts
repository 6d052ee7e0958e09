/**
 * What a deployment carries as one page: the answer, the knee as figures and as a table, and what runs out there.
 *
 * @module
 */
import { capacityLatencyPlot, capacityPlot } from "./capacity_plot.ts";
import { explainCapacity, loadColumns, saturationRows } from "./capacity_story.ts";
import { figureHtml } from "./figure_html.ts";
import { type Html, markup, safe } from "./html.ts";
import { page } from "./page.ts";
import type { CapacityResult } from "./read_capacity.ts";

const STYLE =
  `<style>#loads td{text-align:right;font-variant-numeric:tabular-nums}#loads td:first-child{text-align:left}
#loads tr.largest{font-weight:600}#loads tr.beyond{color:var(--quiet)}</style>`;

function loads(found: CapacityResult): Html {
  const { largest, beyond, points } = found, columns = loadColumns(found);
  const kind = (value: number) => value === largest ? "largest" : beyond !== null && value >= beyond ? "beyond" : "";
  return safe`<div class="scroll"><table id="loads"><thead><tr>${
    columns.map(([label]) => safe`<th>${label}</th>`)
  }</tr></thead>
<tbody>${
    points.map((point) =>
      safe`<tr class="${kind(point.value)}">${columns.map(([, of]) => safe`<td>${of(point, found)}</td>`)}</tr>\n`
    )
  }</tbody></table></div>`;
}

function runsOut(found: CapacityResult): Html {
  const rows = saturationRows(found);
  if (rows.length === 0) return safe`<p class="quiet">No load that was tried is too much.</p>`;
  return safe`<div class="scroll"><table id="saturation"><tbody>${
    rows.map(([name, value]) => safe`<tr><th>${name}</th><td>${value}</td></tr>`)
  }</tbody></table></div>`;
}

function boundsText({ sla: { ttft_ms, itl_ms, e2e_ms } }: CapacityResult): string {
  const bounds = [
    ttft_ms === null ? "" : `TTFT up to ${ttft_ms} ms`,
    itl_ms === null ? "" : `a mean of up to ${itl_ms} ms between its tokens (TPOT)`,
    e2e_ms === null ? "" : `${e2e_ms} ms for the whole request`,
  ].filter((text) => text !== "");
  return `A request is good with ${bounds.join(" and ")}.`;
}

/** The page of {@linkcode capacityPage} in `plots.ts`. */
export function capacityPage(found: CapacityResult, options: { title?: string }): string {
  const [facts, ...story] = explainCapacity(found);
  return page({
    title: options.title ?? "What it carries",
    facts,
    main: safe`${markup(STYLE)}
<h2>The knee</h2>
${figureHtml(capacityPlot(found))}${figureHtml(capacityLatencyPlot(found))}
<p>${boundsText(found)} ${story.join(" ")}</p>
<h2>What runs out there</h2>
${runsOut(found)}
<h2>Loads</h2>
${loads(found)}`,
  });
}
