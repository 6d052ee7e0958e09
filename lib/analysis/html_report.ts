/**
 * One page about one or several runs: a self-contained HTML file with figures, tables, the Planner's decisions and the
 * configurations. It loads nothing from anywhere.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import type { Sla } from "../report/sla.ts";
import { assumedTable } from "./assumed_table.ts";
import { gpuHoursPlot, tradeOffPlot } from "./comparison_plot.ts";
import type { Figure } from "./figure.ts";
import { figureHtml } from "./figure_html.ts";
import { type Html, markup, safe } from "./html.ts";
import { kvPlot } from "./kv_plot.ts";
import { latencyCdfPlot, ttftByLengthPlot } from "./latency_distribution_plot.ts";
import { goodputPlot, latencyPlot } from "./latency_plot.ts";
import { latenciesPlot, latencyRangesPlot } from "./latency_ranges_plot.ts";
import { crowded, grouped, namesOf } from "./multiples.ts";
import { page } from "./page.ts";
import { endOfRun } from "./replicas.ts";
import { constantWorkers, hasHistory, mostWorkers } from "./replica_facts.ts";
import { replicasCells, replicasPlot } from "./replicas_plot.ts";
import { MOST_ROWS, retuneTables, timeline } from "./report_decisions.ts";
import { dot, factsOf, overview, runNames, section, titleOf } from "./report_overview.ts";
import type { LatencyMetric } from "./request_figures.ts";
import type { Run } from "./run.ts";
import { summaryRows } from "./summary_rows.ts";
import { queuePlot, trafficPlot } from "./traffic_plot.ts";
import { workersTable } from "./workers_table.ts";

/** Options of {@linkcode htmlReport}. */
export interface HtmlReportOptions {
  /** Default: the name of one run, what is compared with what of several. */
  title?: string;
}

/**
 * Writes a page about runs of the same trace, side by side.
 *
 * @param runs one run or more; the first is what the others are compared with
 * @throws {RangeError} without runs
 */
export function htmlReport(runs: readonly Run[], options: HtmlReportOptions = {}): string {
  const steps = htmlReportSteps(runs, options);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/**
 * The same figure by figure, for callers that may be asked to stop in between. Yields how much of the page is drawn, as a
 * share; the parts of the page count alike.
 */
export function* htmlReportSteps(runs: readonly Run[], options: HtmlReportOptions = {}): Generator<number, string> {
  checkOptions("htmlReport()", options, { title: true } satisfies OptionNames<HtmlReportOptions>);
  if (runs.length === 0) throw new RangeError("A report needs at least one run");
  const title = options.title ?? titleOf(runs);
  const sla = runs.find((run) => run.sla !== null)?.sla ?? null;
  const untilMs = Math.max(...runs.map(endOfRun));
  const retuned = retuneTables(runs), assumed = assumedTable(runs), workers = workersTable(runs);
  const sections = [
    overview(runs),
    ...runs.length > 1 ? [section("What does it cost, and what does it bring?", yield* within(0, cost(runs)))] : [],
    section("When did we have how many replicas, and why?", yield* within(1, replicas(runs, untilMs))),
    section("Did users feel it?", yield* within(2, users(runs, sla, untilMs))),
    yield* within(3, traffic(runs, untilMs)),
    ...yield* within(4, distributions(runs, sla)),
    workers && section("How even were the workers?", workers),
    figures(runs),
    retuned && section("What did retune choose?", retuned),
    assumed && section("What do the figures rest on?", assumed),
    configurations(runs),
  ];
  return page({
    title,
    facts: factsOf(runs[0], sla),
    header: runNames(runs, title),
    main: sections.flatMap((part) => [part, safe`\n`]),
    footer:
      safe`<footer class="quiet">Replayed in virtual time by dynosim. Percentiles are values that occurred (nearest rank); those of ITL and
output rate come from a sketch with 0.1 % accuracy. Drag over a figure to zoom into a part of the time, double click to see
everything again.</footer>
`,
  });
}

/** Parts of the page that have figures. */
const PARTS = 5;

/** The steps of one of several parts, as shares of the whole. */
function* within<T>(part: number, steps: Generator<number, T>, parts = PARTS): Generator<number, T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield (part + step.value) / parts;
  }
}

/** Figures one by one, with a step before each. */
function* drawn(...figures: (() => Figure | null)[]): Generator<number, Html[]> {
  const boxes: Html[] = [];
  for (const [i, draw] of figures.entries()) {
    yield i / figures.length;
    const figure = draw();
    if (figure !== null) boxes.push(figureHtml(figure));
  }
  return boxes;
}

function* cost(runs: readonly Run[]): Generator<number, Html> {
  const many = crowded(runs.length);
  const size = many ? { width: 960, height: 380 } : {};
  const figures = yield* drawn(
    () => tradeOffPlot(runs, { ...size, ...many ? {} : { height: 260 } }),
    () => gpuHoursPlot(runs, many ? { width: 960 } : {}),
  );
  return many ? safe`${figures}` : safe`<div class="grid">${figures}</div>`;
}

function* replicas(runs: readonly Run[], untilMs: number): Generator<number, Html> {
  const maxWorkers = Math.max(...runs.map(mostWorkers));
  const moving = runs.filter(hasHistory), constant = runs.filter((run) => !hasHistory(run));
  const fixed = grouped(constant, constantWorkers).map((same) =>
    safe`<p>${constantWorkers(same[0])} all the time${runs.length > 1 ? `: ${namesOf(same)}` : ""}.</p>`
  );
  const most = Math.ceil(MOST_ROWS / runs.length);
  if (crowded(moving.length)) {
    const cells = yield* drawn(() => replicasCells(moving, { untilMs, maxWorkers }));
    return safe`${fixed}${cells}${runs.map((run) => timeline(run, most, true))}`;
  }
  const boxes: Html[] = [];
  for (const [i, run] of moving.entries()) {
    const figures = drawn(() => replicasPlot(run, { title: run.name, untilMs, maxWorkers }));
    boxes.push(...yield* within(i, figures, moving.length));
    const decisions = timeline(run, most, false);
    if (decisions !== null) boxes.push(decisions);
  }
  return safe`${fixed}${boxes}${constant.map((run) => timeline(run, most, true))}`;
}

function* users(runs: readonly Run[], sla: Sla | null, untilMs: number): Generator<number, Html> {
  if (runs.every(({ requests }) => requests === null)) {
    const figures = runs.length === 1 ? yield* drawn(() => latenciesPlot(runs[0], { sla })) : yield* ranges(runs, sla);
    return safe`${figures}${UNCAPTURED}`;
  }
  const options = { sla, untilMs, apart: crowded(runs.length) };
  const figures = yield* drawn(
    ...sla === null ? [] : [() => goodputPlot(runs, sla, options)],
    () => latencyPlot(runs, "ttft_ms", options),
    () => latencyPlot(runs, "itl_ms", options),
  );
  return safe`${figures}`;
}

const LATENCIES: readonly LatencyMetric[] = ["ttft_ms", "itl_ms", "e2e_latency_ms"];

function* ranges(runs: readonly Run[], sla: Sla | null): Generator<number, Html> {
  const width = crowded(runs.length) ? 960 : 472;
  const figures = yield* drawn(...LATENCIES.map((metric) => () => latencyRangesPlot(runs, metric, { sla, width })));
  return crowded(runs.length) ? safe`${figures}` : safe`<div class="grid">${figures}</div>`;
}

function* traffic(runs: readonly Run[], untilMs: number): Generator<number, Html | null> {
  const options = { untilMs, apart: crowded(runs.length) };
  const recorded = runs.some((run) => run.requests !== null);
  const figures = yield* drawn(
    ...recorded ? [() => trafficPlot(runs, { untilMs }), () => queuePlot(runs, options)] : [],
    () => kvPlot(runs, options),
  );
  return figures.length === 0 ? null : section("What came in, and where did it wait?", safe`${figures}`);
}

/** Distributions of latency: curves of a few runs, ranges of many. */
function* distributions(runs: readonly Run[], sla: Sla | null): Generator<number, Html[]> {
  if (runs.every(({ requests }) => requests === null)) return [];
  const title = "How is latency distributed?";
  if (crowded(runs.length)) return [section(title, yield* ranges(runs, sla))];
  const figures = yield* drawn(
    ...LATENCIES.map((metric) => () => latencyCdfPlot(runs, metric, { sla })),
    () => ttftByLengthPlot(runs, { sla }),
    ...runs.length === 1 && hasHistory(runs[0]) ? [() => gpuHoursPlot(runs)] : [],
  );
  return [section(title, safe`<div class="grid">${figures}</div>`)];
}

function figures(runs: readonly Run[]): Html {
  const head = runs.map((run, i) => safe`<th scope="col">${crowded(runs.length) ? null : dot(i)}${run.name}</th>`);
  const body = summaryRows(runs).map(({ label, values }) =>
    safe`<tr><th scope="row">${label}</th>${values.map((value) => safe`<td class="number">${value}</td>`)}</tr>`
  );
  return section(
    "All figures",
    safe`<details><summary>${body.length} figures of the summary</summary><div class="scroll" tabindex="0" role="group" aria-label="all figures"><table class="facts"><thead><tr><td></td>${head}</tr></thead><tbody>${body}</tbody></table></div></details>`,
  );
}

function configurations(runs: readonly Run[]): Html | null {
  const known = runs.filter(({ config }) => config !== null);
  if (known.length === 0) return null;
  const open = markup(known.length === 1 ? " open" : "");
  const texts = grouped(known, ({ config }) => config!).map((same) =>
    safe`<details${open}><summary>${namesOf(same)}</summary><pre tabindex="0">${same[0].config}</pre></details>`
  );
  return section("How was it configured?", safe`${texts}`);
}

const UNCAPTURED =
  safe`<p class="quiet">No per-request records were kept. Run the prediction with <code>--capture-per-request</code> to see latencies, traffic and queues over time.</p>`;
