/**
 * One page about one or several runs: a self-contained HTML file with figures, tables, the Planner's decisions and the
 * configurations. It loads nothing from anywhere.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import type { PlannerTick, RetuneEvent, ScalingEvent } from "../report/planner_section.ts";
import type { Sla } from "../report/sla.ts";
import { assumedTable } from "./assumed_table.ts";
import { gpuHoursPlot, tradeOffPlot } from "./comparison_plot.ts";
import { amount, duration, runColor } from "./figure.ts";
import { type Html, type HtmlValue, markup, safe } from "./html.ts";
import { latencyCdfPlot, ttftByLengthPlot } from "./latency_distribution_plot.ts";
import { goodputPlot, latencyPlot } from "./latency_plot.ts";
import { describeSla } from "./request_figures.ts";
import { page } from "./page.ts";
import { tickReason } from "./planner_tables.ts";
import { endOfRun } from "./replicas.ts";
import { mostWorkers, replicasPlot } from "./replicas_plot.ts";
import type { Run } from "./run.ts";
import { headlines, summaryRows } from "./summary_rows.ts";
import { kvPlot, queuePlot, trafficPlot } from "./traffic_plot.ts";

/** Options of {@linkcode htmlReport}. */
export interface HtmlReportOptions {
  /** Default: the names of the runs. */
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

/** The same figure by figure, for callers that may be asked to stop in between. */
export function* htmlReportSteps(runs: readonly Run[], options: HtmlReportOptions = {}): Generator<void, string> {
  checkOptions("htmlReport()", options, { title: true } satisfies OptionNames<HtmlReportOptions>);
  if (runs.length === 0) throw new RangeError("A report needs at least one run");
  const title = options.title ?? runs.map(({ name }) => name).join(" · ");
  const sla = runs.find((run) => run.sla !== null)?.sla ?? null;
  const untilMs = Math.max(...runs.map(endOfRun));
  const sections = [
    glance(runs),
    replicas(runs, untilMs),
    yield* users(runs, sla, untilMs),
    yield* traffic(runs, untilMs),
    yield* differences(runs, sla),
    figures(runs),
    retune(runs),
    assumed(runs),
    configurations(runs),
  ];
  return page({
    title,
    facts: facts(runs[0], sla),
    header: safe`<p class="runs">${runs.map((run, i) => safe`<span>${dot(i)}${run.name}</span>`)}</p>
`,
    main: sections.flatMap((part) => [part, safe`\n`]),
    footer:
      safe`<footer class="quiet">Replayed in virtual time by dynosim. Percentiles are values that occurred (nearest rank); those of ITL and
output rate come from a sketch with 0.1 % accuracy.</footer>
`,
  });
}

function facts({ summary }: Run, sla: Sla | null): string {
  const parts = [`${summary.num_requests.toLocaleString("en")} requests over ${duration(summary.duration_ms)}`];
  if (sla !== null) parts.push(`good means ${describeSla(sla)}`);
  return parts.join("; ");
}

function glance(runs: readonly Run[]): Html {
  const cards = headlines(runs).map(({ label, values }) => {
    const lines = values.map(({ text, difference, verdict }, i) =>
      safe`<div class="value">${runs.length > 1 ? dot(i) : null}<b>${text}</b>${
        difference === null ? null : safe`<span class="${verdict}">${difference}</span>`
      }</div>`
    );
    return safe`<div class="card"><div class="label">${label}</div>${lines}</div>`;
  });
  return section("At a glance", safe`<div class="cards">${cards}</div>`);
}

function replicas(runs: readonly Run[], untilMs: number): Html {
  const maxWorkers = Math.max(...runs.map(mostWorkers));
  const plots = runs.map((run) => [box(replicasPlot(run, { title: run.name, untilMs, maxWorkers })), timeline(run)]);
  return section("When did we have how many replicas, and why?", safe`${plots}`);
}

/** A line of the timeline. */
interface DecisionRow {
  atS: number;
  row: Html;
}

/** Every scaling event with what the Planner saw and said at its tick, and every decision of a retune. */
function timeline({ planner }: Run): Html | null {
  if (planner === null) return null;
  const tickAt = new Map(planner.ticks.map((tick) => [tick.at_ms, tick]));
  const scaled = (event: ScalingEvent, advice: boolean): DecisionRow => {
    const tick = tickAt.get(event.at_s * 1000) ?? null;
    const reason = tick === null ? "" : (tickReason(tick) ?? "").replaceAll("_", " ");
    const change = safe`${step(event)}${advice ? " (recommended)" : ""}`;
    return {
      atS: event.at_s,
      row: timelineRow(event.at_s, event.component, change, tick ? observed(tick) : "", reason),
    };
  };
  const retuned = (event: RetuneEvent): DecisionRow => {
    const span = `${event.window.num_requests} requests from ${clock(event.window.start_s)} to ${
      clock(event.window.end_s)
    }`;
    const row = timelineRow(event.decided_at_s, "retune", event.outcome, span, event.reason ?? settingsOf(event));
    return { atS: event.decided_at_s, row };
  };
  const decisions = [
    ...planner.scaling_events.map((event) => scaled(event, false)),
    ...(planner.recommended_scaling_events ?? []).map((event) => scaled(event, true)),
    ...(planner.retune_events ?? []).map(retuned),
  ].sort((a, b) => a.atS - b.atS);
  if (decisions.length === 0) return safe`<p class="quiet">The Planner changed nothing.</p>`;
  return safe`<details><summary>${decisions.length} decisions</summary><div class="scroll"><table><thead><tr><th>time</th><th>pool</th><th>change</th><th>seen</th><th>reason</th></tr></thead><tbody>${
    decisions.map(({ row }) => row)
  }</tbody></table></div></details>`;
}

const timelineRow = (atS: number, pool: string, change: HtmlValue, seen: string, reason: string): Html =>
  safe`<tr><td class="number">${
    clock(atS)
  }</td><td>${pool}</td><td>${change}</td><td>${seen}</td><td>${reason}</td></tr>`;

function step({ from_count, to_count, reason }: ScalingEvent): Html {
  return safe`<span class="${reason === "scale_up" ? "up" : "down"}">${from_count} → ${to_count}</span>`;
}

function observed({ input, topology }: PlannerTick): string {
  const parts: string[] = [];
  const { traffic } = input;
  if (traffic !== null && traffic.duration_s > 0) {
    parts.push(`${(traffic.num_req / traffic.duration_s).toFixed(2)} requests/s`);
    if (traffic.isl > 0) parts.push(`${Math.round(traffic.isl)} → ${Math.round(traffic.osl)} tokens`);
  }
  for (const role of ["prefill", "decode"] as const) {
    const passes = input.fpm_observations?.[role] ?? [];
    const sum = (of: (metrics: (typeof passes)[number]["metrics"]) => number | undefined) =>
      passes.reduce((total, { metrics }) => total + (of(metrics) ?? 0), 0);
    const queued = sum(({ queued_requests: work }) => work.num_prefill_requests) +
      sum(({ queued_requests: work }) => work.num_decode_requests);
    const running = sum(({ scheduled_requests: work }) => work.num_decode_requests);
    const context = sum(({ scheduled_requests: work }) => work.sum_decode_kv_tokens);
    const where = topology.prefill.active_count > 0 ? ` in ${role}` : "";
    if (running > 0) parts.push(`${running} decoding with ${amount(context)} tokens of context${where}`);
    if (queued > 0) parts.push(`${queued} queued${where}`);
  }
  return parts.join(", ");
}

/** Figures one by one, with a step before each. */
function* drawn(...figures: (() => string)[]): Generator<void, Html[]> {
  const boxes: Html[] = [];
  for (const draw of figures) {
    yield;
    boxes.push(box(draw()));
  }
  return boxes;
}

function* users(runs: readonly Run[], sla: Sla | null, untilMs: number): Generator<void, Html> {
  if (runs.every(({ requests }) => requests === null)) return section("Did users feel it?", uncaptured());
  const options = { sla, untilMs };
  const figures = yield* drawn(
    ...sla === null ? [] : [() => goodputPlot(runs, sla, { untilMs })],
    () => latencyPlot(runs, "ttft_ms", options),
    () => latencyPlot(runs, "itl_ms", options),
  );
  return section("Did users feel it?", safe`${figures}`);
}

function* traffic(runs: readonly Run[], untilMs: number): Generator<void, Html> {
  const kv = kvPlot(runs, { untilMs });
  const requests = runs.some((run) => run.requests !== null)
    ? yield* drawn(() => trafficPlot(runs, { untilMs }), () => queuePlot(runs, { untilMs }))
    : uncaptured();
  return section("What came in, and where did it wait?", safe`${requests}${kv === null ? null : box(kv)}`);
}

function* differences(runs: readonly Run[], sla: Sla | null): Generator<void, Html> {
  const figures = yield* drawn(
    ...runs.every(({ requests }) => requests === null) ? [] : [
      () => latencyCdfPlot(runs, "ttft_ms", { sla }),
      () => latencyCdfPlot(runs, "itl_ms", { sla }),
      () => latencyCdfPlot(runs, "e2e_latency_ms", { sla }),
      () => ttftByLengthPlot(runs, { sla }),
    ],
    ...runs.length > 1 ? [() => tradeOffPlot(runs)] : [],
    () => gpuHoursPlot(runs, { height: Math.max(208, 46 + 34 * runs.length) }),
  );
  const title = runs.length > 1 ? "How do the runs differ?" : "How are latency and cost distributed?";
  return section(title, safe`<div class="grid">${figures}</div>`);
}

function figures(runs: readonly Run[]): Html {
  const head = runs.map((run, i) => safe`<th>${dot(i)}${run.name}</th>`);
  const body = summaryRows(runs).map(({ label, values }) =>
    safe`<tr><th>${label}</th>${values.map((value) => safe`<td class="number">${value}</td>`)}</tr>`
  );
  return section(
    "All figures",
    safe`<details><summary>${body.length} figures of the summary</summary><div class="scroll"><table class="facts"><thead><tr><th></th>${head}</tr></thead><tbody>${body}</tbody></table></div></details>`,
  );
}

function retune(runs: readonly Run[]): Html | null {
  const tables = runs.flatMap((run) => {
    const events = run.planner?.retune_events ?? [];
    if (events.length === 0) return [];
    return [
      safe`<h3>${run.name}</h3><div class="scroll"><table><thead><tr><th>window</th><th>decided</th><th>outcome</th><th>score</th><th>chosen</th></tr></thead><tbody>${
        events.map(retuneRow)
      }</tbody></table></div>`,
    ];
  });
  return tables.length === 0 ? null : section("What did retune choose?", safe`${tables}`);
}

/** The chosen settings in words. */
function settingsOf({ chosen }: RetuneEvent): string {
  return Object.entries({ ...chosen?.router, ...chosen?.planner }).map(([name, value]) => `${name} ${value}`).join(
    ", ",
  );
}

function retuneRow(event: RetuneEvent): Html {
  const { window, decided_at_s, outcome, reason, current, chosen, improvement_percentage } = event;
  const score = (value: number | null | undefined) => typeof value === "number" ? value.toPrecision(5) : "–";
  const gain = typeof improvement_percentage === "number" ? ` (${improvement_percentage.toFixed(1)} %)` : "";
  return safe`<tr><td class="number">${clock(window.start_s)} – ${clock(window.end_s)}</td><td class="number">${
    clock(decided_at_s)
  }</td><td>${outcome}${reason ? `: ${reason}` : null}</td><td class="number">${score(current?.score)} → ${
    score(chosen?.score)
  }${gain}</td><td>${settingsOf(event)}</td></tr>`;
}

function assumed(runs: readonly Run[]): Html | null {
  const table = assumedTable(runs);
  return table && section("What do the figures rest on?", table);
}

function configurations(runs: readonly Run[]): Html | null {
  const known = runs.filter(({ config }) => config !== null);
  if (known.length === 0) return null;
  const open = markup(known.length === 1 ? " open" : "");
  const texts = known.map((run) =>
    safe`<details${open}><summary>${run.name}</summary><pre>${run.config}</pre></details>`
  );
  return section("How was it configured?", safe`${texts}`);
}

function uncaptured(): Html {
  return safe`<p class="quiet">No per-request records were kept. Run the prediction with <code>--capture-per-request</code> to see latencies and queues over time.</p>`;
}

function section(title: string, content: Html): Html {
  return safe`<section><h2>${title}</h2>${content}</section>`;
}

/** A figure: its markup comes from the serialiser of the document it was drawn in. */
function box(svg: string): Html {
  return safe`<figure>${markup(svg)}</figure>`;
}

function dot(i: number): Html {
  return safe`<svg class="dynosim dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4.5" fill="${
    runColor(i)
  }"/></svg>`;
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
