/**
 * The result of a search as one page: the candidates by what they cost and bring, the best in words, what each dimension
 * did, and the ledger as a table that can be sorted and filtered.
 *
 * @module
 */
import { attainment } from "../report/evaluation.ts";
import { figureHtml } from "./figure_html.ts";
import { type Html, safe } from "./html.ts";
import { page } from "./page.ts";
import {
  rankedCandidates,
  type RecommendationResult,
  type RecommendedCandidate,
  searchPrice,
} from "./read_recommendation.ts";
import { candidatesPlot } from "./recommendation_plot.ts";
import { descriptionOf, explainRecommendation } from "./recommendation_story.ts";
import { dimensionEffects } from "./recommendation_table.ts";

const short = (value: number | null | undefined): string => value == null ? "" : String(Number(value.toPrecision(4)));

type Column = readonly [
  label: string,
  of: (one: RecommendedCandidate, rank: string) => string | number | null | undefined,
];

const LEDGER: readonly Column[] = [
  ["#", (_, rank) => rank],
  ["candidate", (one) => one.candidate_id],
  ["status", (one) => one.status],
  ["GPUs", (one) => one.used_gpus],
  ["within SLA (%)", ({ metrics }) => share(metrics)],
  ["score", (one) => short(one.score)],
  ["TTFT p95 (ms)", ({ metrics }) => short(metrics?.p95_ttft_ms)],
  ["TPOT p95 (ms)", ({ metrics }) => short(metrics?.p95_tpot_ms)],
  ["tokens/s", ({ metrics }) => short(metrics?.output_throughput_tok_s)],
  ["what", (one) => one.reason === null ? descriptionOf(one) : `${descriptionOf(one)} – ${one.reason}`],
];

function share(metrics: RecommendedCandidate["metrics"]): string {
  const within = metrics && attainment(metrics);
  return within === null ? "" : short(within * 100);
}

function candidates(result: RecommendationResult): Html {
  const figure = candidatesPlot(result);
  return figure === null ? safe`<p class="quiet">No feasible candidate to draw.</p>` : figureHtml(figure);
}

function ledger(result: RecommendationResult): Html {
  const ranks = new Map(rankedCandidates(result).map((one, i) => [one.candidate_id, String(i + 1)]));
  const price = searchPrice(result);
  const hourly = (one: RecommendedCandidate) =>
    one.used_gpus === null ? "" : (one.used_gpus * price!.perGpuHour).toFixed(2);
  const columns = price === null
    ? LEDGER
    : LEDGER.flatMap((column): Column[] => column[0] === "GPUs" ? [column, [`${price.currency}/h`, hourly]] : [column]);
  return safe`<p><input class="filter" id="filter" data-filters="ledger" type="search" placeholder="filter, e.g. tensor 2, feasible" aria-label="filter"></p>
<div class="scroll"><table id="ledger" class="sortable"><thead><tr>${
    columns.map(([label]) => safe`<th scope="col"><button type="button">${label}</button></th>`)
  }</tr></thead>
<tbody>${
    result.candidates.map((one) =>
      safe`<tr id="${one.candidate_id}">${
        columns.map(([, of]) => safe`<td>${of(one, ranks.get(one.candidate_id) ?? "")}</td>`)
      }</tr>\n`
    )
  }</tbody></table></div>
<h3>Configurations of the best</h3>
${
    rankedCandidates(result).slice(0, 20).map((one, i) =>
      safe`<details><summary>${i + 1}: ${descriptionOf(one)}</summary><pre>${
        JSON.stringify(one.config, null, 2)
      }</pre></details>`
    )
  }`;
}

function dimensions(result: RecommendationResult): Html {
  const found = dimensionEffects(result);
  if (found.length === 0) return safe`<p class="quiet">Nothing had more than one value.</p>`;
  return safe`<div class="scroll"><table><thead><tr><th scope="col">dimension</th><th scope="col">value</th><th scope="col" class="number">candidates</th><th scope="col" class="number">best score</th><th scope="col" class="number">middle score</th></tr></thead><tbody>${
    found.flatMap(({ name, values }) =>
      values.map(({ value, candidates, best, median }, i) =>
        safe`<tr><th>${i === 0 ? name : ""}</th><td>${
          String(value)
        }</td><td class="number">${candidates}</td><td class="number">${short(best)}</td><td class="number">${
          short(median)
        }</td></tr>`
      )
    )
  }</tbody></table></div>`;
}

/** The page of {@linkcode recommendationPage} in `plots.ts`. */
export function recommendationPage(result: RecommendationResult, options: { title?: string }): string {
  const [facts, ...story] = explainRecommendation(result);
  return page({
    title: options.title ?? "What to run",
    facts,
    main: safe`<h2>Candidates</h2>
${candidates(result)}
<h2>In words</h2>
${story.map((line) => safe`<p>${line}</p>`)}
<h2>What each dimension did</h2>
${dimensions(result)}
<h2>Ledger</h2>
${ledger(result)}`,
  });
}
