/**
 * The head of a report page: what is compared, the figures people decide by, and what to know before trusting them.
 *
 * @module
 */
import type { Sla } from "../report/sla.ts";
import { type Html, safe } from "./html.ts";
import { MOST_COLORS, runColor } from "./palette.ts";
import { describeSla } from "./request_figures.ts";
import { notesOf } from "./run_notes.ts";
import type { Run } from "./run.ts";
import { type Headline, headlines } from "./summary_rows.ts";
import { duration, shortened } from "./units.ts";

/** A section of a page. */
export const section = (title: string, content: Html): Html => safe`<section><h2>${title}</h2>${content}</section>`;

/** Cards hold so many runs; more become a table. */
const MOST_IN_CARDS = 3;

/** `fixed`, `fixed against scaled`, `20 runs compared with fixed`. */
export function titleOf(runs: readonly Run[]): string {
  const [first, second] = runs;
  if (second === undefined) return first.name;
  const names = `${second.name} against ${first.name}`;
  if (runs.length === 2 && names.length <= 72) return names;
  return `${runs.length === 2 ? "A run" : `${runs.length - 1} runs`} compared with ${shortened(first.name, 48)}`;
}

/** What was replayed and what counts as good. */
export function factsOf({ summary }: Run, sla: Sla | null): string {
  const parts = [`${summary.num_requests.toLocaleString("en")} requests over ${duration(summary.duration_ms)}`];
  if (sla !== null) parts.push(`good means ${describeSla(sla)}`);
  return parts.join("; ");
}

/** The runs with their colours, while these tell them apart; nothing where the title names the only one. */
export function runNames(runs: readonly Run[], title: string): Html | undefined {
  if (runs.length > MOST_COLORS || (runs.length === 1 && title === runs[0].name)) return undefined;
  return safe`<p class="runs">${runs.map((run, i) => safe`<span>${dot(i)}${run.name}</span>`)}</p>\n`;
}

/** Cards of a few runs, a table of many, and notes. */
export function overview(runs: readonly Run[]): Html {
  const figures = headlines(runs), brief = runs.length > MOST_IN_CARDS;
  const values = brief ? comparisonTable(runs, figures) : cards(runs, figures);
  const notes = runs.flatMap((run) => notesOf(run, brief).map((note) => ({ name: run.name, note })));
  return section(
    "At a glance",
    safe`${values}${
      notes.length === 0
        ? null
        : safe`<ul class="notes" aria-label="What to know">${
          notes.map(({ name, note }) => safe`<li>${runs.length > 1 ? safe`<b>${name}</b>: ` : null}${note}</li>`)
        }</ul>`
    }`,
  );
}

function cards(runs: readonly Run[], figures: readonly Headline[]): Html {
  return safe`<div class="cards">${
    figures.map(({ label, values }) =>
      safe`<div class="card"><div class="label">${label}</div>${
        values.map(({ text, difference, verdict }, i) =>
          safe`<div class="value">${runs.length > 1 ? dot(i) : null}<b>${text}</b>${
            difference === null ? null : safe`<span class="${verdict}">${difference}</span>`
          }</div>`
        )
      }</div>`
    )
  }</div>`;
}

/** A row a run; the difference to the first run under each figure. */
function comparisonTable(runs: readonly Run[], figures: readonly Headline[]): Html {
  const head = (label: string) => safe`<th scope="col"><button type="button">${label}</button></th>`;
  const rows = runs.map((run, i) =>
    safe`<tr><th scope="row" data-value="${run.name}"><div class="run">${
      runs.length > MOST_COLORS ? safe`<span class="quiet">#${i + 1}</span>` : dot(i)
    }<span class="clamp" title="${run.name}">${run.name}</span></div></th>${
      figures.map(({ values }) => {
        const { text, value, difference, verdict } = values[i];
        return safe`<td class="number" data-value="${value}">${text}${
          difference === null ? null : safe`<small class="${verdict}">${difference}</small>`
        }</td>`;
      })
    }</tr>`
  );
  return safe`<div class="scroll whole"><table class="sortable compared"><caption class="unseen">Figures of every run; differences are to the first</caption><thead><tr>${
    head("run")
  }${figures.map(({ label }) => head(label))}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** The colour of run number `i`. */
export function dot(i: number): Html {
  return safe`<svg class="dynosim dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4.5" fill="${
    runColor(i)
  }"/></svg>`;
}
