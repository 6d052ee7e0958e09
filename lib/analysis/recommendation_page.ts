/**
 * The result of a search as one page: the candidates by what they cost and bring, the best in words, what each dimension
 * did, and the ledger as a table that can be sorted and filtered.
 *
 * @module
 */
import { checkOptions } from "../errors.ts";
import { attainment } from "../report/evaluation.ts";
import { type Html, markup, safe } from "./html.ts";
import { page } from "./page.ts";
import { rankedCandidates, type RecommendationResult, type RecommendedCandidate } from "./read_recommendation.ts";
import { descriptionOf, explainRecommendation, targetOf } from "./recommendation_story.ts";
import { dimensionEffects } from "./recommendation_table.ts";

/** Width and height of the figure, and room for its labels. */
const WIDTH = 960, HEIGHT = 380, LEFT = 64, RIGHT = 20, TOP = 16, BOTTOM = 44;

const short = (value: number | null | undefined): string => value == null ? "" : String(Number(value.toPrecision(4)));

/** What the axes of the figure are. */
interface Axes {
  x: { label: string; of: (one: RecommendedCandidate) => number | null };
  y: { label: string; of: (one: RecommendedCandidate) => number | null };
}

function axesOf(target: string): Axes {
  if (target === "pareto") {
    return {
      x: {
        label: "output tokens a second for each user",
        of: ({ objectives }) => objectives?.throughput_per_user ?? null,
      },
      y: {
        label: "output tokens a second for each GPU",
        of: ({ objectives }) => objectives?.throughput_per_gpu ?? null,
      },
    };
  }
  const latency = target === "ttft" || target === "e2e_latency";
  return {
    x: { label: "GPUs", of: ({ used_gpus }) => used_gpus },
    y: { label: latency ? `${target} (ms)` : target, of: ({ score }) => score === null ? null : Math.abs(score) },
  };
}

/** Steps of an axis: about five, at 1, 2 or 5 times a power of ten. */
function ticks(from: number, to: number): number[] {
  const rough = (to - from || 1) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!;
  const found: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to + step * 1e-9; at += step) {
    found.push(Number(at.toPrecision(12)));
  }
  return found;
}

function figure(result: RecommendationResult): Html {
  const { x, y } = axesOf(targetOf(result));
  const points = result.candidates.flatMap((one) => {
    const at = [x.of(one), y.of(one)];
    return one.status === "feasible" && at.every((value) => value !== null) ? [{ one, x: at[0]!, y: at[1]! }] : [];
  });
  if (points.length === 0) return safe`<p class="quiet">No feasible candidate to draw.</p>`;
  const range = (values: readonly number[]) => {
    const low = Math.min(...values), high = Math.max(...values), pad = (high - low || Math.abs(high) || 1) * 0.06;
    return [low - pad, high + pad] as const;
  };
  const [x0, x1] = range(points.map((point) => point.x)), [y0, y1] = range(points.map((point) => point.y));
  const px = (value: number) => Number((LEFT + (value - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)).toFixed(1));
  const py = (value: number) =>
    Number((HEIGHT - BOTTOM - (value - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)).toFixed(1));
  const front = new Set(result.views.pareto_front.length > 0 ? result.views.pareto_front : envelope(result, points));
  const line = points.filter(({ one }) => front.has(one.candidate_id)).toSorted((a, b) => a.x - b.x || a.y - b.y)
    .map((point) => `${px(point.x)},${py(point.y)}`).join(" ");
  return safe`<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="candidates by ${x.label} and ${y.label}">
${
    ticks(x0, x1).map((at) =>
      safe`<text x="${px(at)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle" class="tick">${short(at)}</text>`
    )
  }
${
    ticks(y0, y1).map((at) =>
      safe`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${py(at)}" y2="${py(at)}" class="rule"/><text x="${
        LEFT - 8
      }" y="${py(at) + 4}" text-anchor="end" class="tick">${short(at)}</text>`
    )
  }
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle" class="tick">${x.label}</text>
<text x="${LEFT}" y="12" class="tick">${y.label}</text>
<polyline points="${line}" class="front"/>
${
    points.map(({ one, x, y }) =>
      safe`<a href="#${one.candidate_id}"><circle cx="${px(x)}" cy="${py(y)}" r="${
        front.has(one.candidate_id) ? 5 : 3.5
      }" class="${front.has(one.candidate_id) ? "point best" : "point"}"><title>${one.candidate_id}: ${
        descriptionOf(one)
      } – ${short(x)} / ${short(y)}</title></circle></a>`
    )
  }
</svg></figure>`;
}

/** Candidates that no other one with as few GPUs beats. */
function envelope(result: RecommendationResult, points: readonly { one: RecommendedCandidate }[]): string[] {
  const score = (one: RecommendedCandidate) => one.score ?? -Infinity;
  const sorted = points.map(({ one }) => one).toSorted((a, b) =>
    (a.used_gpus ?? 0) - (b.used_gpus ?? 0) || score(b) - score(a)
  );
  const found: string[] = [];
  let best = -Infinity;
  for (const one of sorted) {
    if (score(one) <= best) continue;
    best = score(one);
    found.push(one.candidate_id);
  }
  return result.candidates.length === 0 ? [] : found;
}

const LEDGER: readonly [
  label: string,
  of: (one: RecommendedCandidate, rank: string) => string | number | null | undefined,
][] = [
  ["#", (_, rank) => rank],
  ["candidate", (one) => one.candidate_id],
  ["status", (one) => one.status],
  ["GPUs", (one) => one.used_gpus],
  ["score", (one) => short(one.score)],
  ["within SLA (%)", ({ metrics }) => share(metrics)],
  ["TTFT p95 (ms)", ({ metrics }) => short(metrics?.p95_ttft_ms)],
  ["TPOT p95 (ms)", ({ metrics }) => short(metrics?.p95_tpot_ms)],
  ["tokens/s", ({ metrics }) => short(metrics?.output_throughput_tok_s)],
  ["what", (one) => one.reason === null ? descriptionOf(one) : `${descriptionOf(one)} – ${one.reason}`],
];

function share(metrics: RecommendedCandidate["metrics"]): string {
  const within = metrics && attainment(metrics);
  return within === null ? "" : short(within * 100);
}

function ledger(result: RecommendationResult): Html {
  const ranks = new Map(rankedCandidates(result).map((one, i) => [one.candidate_id, String(i + 1)]));
  return safe`<p><input id="filter" type="search" placeholder="filter, e.g. tensor 2, feasible" aria-label="filter"></p>
<div class="scroll"><table id="ledger"><thead><tr>${
    LEDGER.map(([label]) => safe`<th><button type="button">${label}</button></th>`)
  }</tr></thead>
<tbody>${
    result.candidates.map((one) =>
      safe`<tr id="${one.candidate_id}">${
        LEDGER.map(([, of]) => safe`<td>${of(one, ranks.get(one.candidate_id) ?? "")}</td>`)
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
  return safe`<div class="scroll"><table><thead><tr><th>dimension</th><th>value</th><th>candidates</th><th>best score</th><th>middle score</th></tr></thead><tbody>${
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

const STYLE =
  `<style>.tick{font-size:11px;fill:var(--quiet)}.rule{stroke:var(--line)}.point{fill:#4c8dd6;fill-opacity:.55}
.point.best{fill:#d97706;fill-opacity:1}.front{fill:none;stroke:#d97706;stroke-width:1.5}
#ledger th button{all:unset;cursor:pointer;font-weight:600}#ledger tr:target{outline:2px solid #d97706}
#filter{width:100%;max-width:420px;padding:6px 9px;border:1px solid var(--line);border-radius:8px;background:var(--card);color:var(--ink)}</style>`;

/** Sorting by a click on a heading, and the filter. */
const SCRIPT = `(() => {
const body = document.querySelector("#ledger tbody");
const rows = [...body.rows];
let last = -1, down = false;
document.querySelectorAll("#ledger th button").forEach((button, column) => button.addEventListener("click", () => {
  down = column === last ? !down : false;
  last = column;
  const value = (row) => row.cells[column].textContent;
  const compare = (a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === "" || y === "") return x === y ? 0 : x === "" ? 1 : -1;
    const order = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
    return down ? -order : order;
  };
  body.append(...rows.sort(compare));
}));
document.getElementById("filter").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase().split(",").map((text) => text.trim());
  for (const row of rows) row.hidden = !wanted.every((text) => row.textContent.toLowerCase().includes(text));
});
})();`;

/**
 * Draws the result of a search as one self-contained page.
 *
 * @example
 * ```ts ignore
 * const text = recommendationPage(await readRecommendation("runs/sizing"), { title: "Sizing" });
 * ```
 */
export function recommendationPage(result: RecommendationResult, options: { title?: string } = {}): string {
  checkOptions("recommendationPage()", options, { title: true });
  const [facts, ...story] = explainRecommendation(result);
  return page({
    title: options.title ?? "What to run",
    facts,
    main: safe`${markup(STYLE)}
<h2>Candidates</h2>
${figure(result)}
<h2>In words</h2>
${story.map((line) => safe`<p>${line}</p>`)}
<h2>What each dimension did</h2>
${dimensions(result)}
<h2>Ledger</h2>
${ledger(result)}`,
    script: SCRIPT,
  });
}
