/**
 * One page about one or several runs: a self-contained HTML file with figures, tables, the Planner's decisions and the
 * configurations. It loads nothing from anywhere.
 *
 * @module
 */
import type { PlannerTick, RetuneEvent, ScalingEvent } from "../report/planner_section.ts";
import type { Sla } from "../report/sla.ts";
import { gpuHoursPlot, tradeOffPlot } from "./comparison_plot.ts";
import { amount, duration, escapeXml, runColor } from "./figure.ts";
import { latencyCdfPlot, ttftByLengthPlot } from "./latency_distribution_plot.ts";
import { goodputPlot, latencyPlot } from "./latency_plot.ts";
import { describeSla } from "./request_figures.ts";
import { SCRIPT, STYLE } from "./page_style.ts";
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
  if (runs.length === 0) throw new RangeError("A report needs at least one run");
  const title = options.title ?? runs.map(({ name }) => name).join(" · ");
  const sla = runs.find((run) => run.sla !== null)?.sla ?? null;
  const untilMs = Math.max(...runs.map(endOfRun));
  const sections = [
    glance(runs),
    replicas(runs, untilMs),
    users(runs, sla, untilMs),
    traffic(runs, untilMs),
    differences(runs, sla),
    figures(runs),
    retune(runs),
    configurations(runs),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${escapeXml(title)} – dynosim</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escapeXml(title)}</h1>
<p class="quiet">${escapeXml(facts(runs[0], sla))}</p>
<p class="runs">${runs.map((run, i) => `<span>${dot(i)}${escapeXml(run.name)}</span>`).join("")}</p>
<button id="theme" type="button" aria-label="Switch between light and dark" title="Light or dark">◐</button>
</header>
<main>
${sections.join("\n")}
</main>
<footer class="quiet">Replayed in virtual time by dynosim. Percentiles are values that occurred (nearest rank); those of ITL and
output rate come from a sketch with 0.1 % accuracy.</footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function facts({ summary }: Run, sla: Sla | null): string {
  const parts = [`${summary.num_requests.toLocaleString("en")} requests over ${duration(summary.duration_ms)}`];
  if (sla !== null) parts.push(`good means ${describeSla(sla)}`);
  return parts.join("; ");
}

function glance(runs: readonly Run[]): string {
  const cards = headlines(runs).map(({ label, values }) => {
    const lines = values.map(({ text, difference, verdict }, i) =>
      `<div class="value">${runs.length > 1 ? dot(i) : ""}<b>${escapeXml(text)}</b>` +
      (difference === null ? "" : `<span class="${verdict}">${escapeXml(difference)}</span>`) + "</div>"
    );
    return `<div class="card"><div class="label">${escapeXml(label)}</div>${lines.join("")}</div>`;
  });
  return section("At a glance", `<div class="cards">${cards.join("")}</div>`);
}

function replicas(runs: readonly Run[], untilMs: number): string {
  const maxWorkers = Math.max(...runs.map(mostWorkers));
  const plots = runs.map((run) => box(replicasPlot(run, { title: run.name, untilMs, maxWorkers })) + timeline(run));
  return section("When did we have how many replicas, and why?", plots.join(""));
}

/** Every scaling event with what the Planner saw and said at its tick. */
function timeline(run: Run): string {
  const { planner } = run;
  if (planner === null) return "";
  const events = [
    ...planner.scaling_events.map((event) => ({ event, advice: false })),
    ...(planner.recommended_scaling_events ?? []).map((event) => ({ event, advice: true })),
  ].sort((a, b) => a.event.at_s - b.event.at_s);
  if (events.length === 0) return `<p class="quiet">The Planner changed nothing.</p>`;
  const tickAt = new Map(planner.ticks.map((tick) => [tick.at_ms, tick]));
  const rows = events.map(({ event, advice }) => {
    const tick = tickAt.get(event.at_s * 1000) ?? null;
    return `<tr><td class="number">${clock(event.at_s)}</td><td>${event.component}</td>` +
      `<td>${step(event)}${advice ? " (recommended)" : ""}</td><td>${escapeXml(tick ? observed(tick) : "")}</td>` +
      `<td>${escapeXml(tick ? (tickReason(tick) ?? "").replaceAll("_", " ") : "")}</td></tr>`;
  });
  return `<details><summary>${events.length} decisions</summary><div class="scroll"><table><thead><tr>` +
    `<th>time</th><th>pool</th><th>workers</th><th>seen at the tick</th><th>reason</th></tr></thead>` +
    `<tbody>${rows.join("")}</tbody></table></div></details>`;
}

function step({ from_count, to_count, reason }: ScalingEvent): string {
  return `<span class="${reason === "scale_up" ? "up" : "down"}">${from_count} → ${to_count}</span>`;
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

function users(runs: readonly Run[], sla: Sla | null, untilMs: number): string {
  if (runs.every(({ requests }) => requests === null)) return section("Did users feel it?", uncaptured());
  const options = { sla, untilMs };
  return section(
    "Did users feel it?",
    (sla === null ? "" : box(goodputPlot(runs, sla, { untilMs }))) +
      box(latencyPlot(runs, "ttft_ms", options)) +
      box(latencyPlot(runs, "itl_ms", options)),
  );
}

function traffic(runs: readonly Run[], untilMs: number): string {
  const kv = kvPlot(runs, { untilMs });
  const requests = runs.some((run) => run.requests !== null)
    ? box(trafficPlot(runs, { untilMs })) + box(queuePlot(runs, { untilMs }))
    : uncaptured();
  return section("What came in, and where did it wait?", requests + (kv === null ? "" : box(kv)));
}

function differences(runs: readonly Run[], sla: Sla | null): string {
  const figures: string[] = [];
  if (runs.some(({ requests }) => requests !== null)) {
    figures.push(
      latencyCdfPlot(runs, "ttft_ms", { sla }),
      latencyCdfPlot(runs, "itl_ms", { sla }),
      latencyCdfPlot(runs, "e2e_latency_ms", { sla }),
      ttftByLengthPlot(runs, { sla }),
    );
  }
  if (runs.length > 1) figures.push(tradeOffPlot(runs));
  figures.push(gpuHoursPlot(runs, { height: Math.max(208, 46 + 34 * runs.length) }));
  const title = runs.length > 1 ? "How do the runs differ?" : "How are latency and cost distributed?";
  return section(title, `<div class="grid">${figures.map(box).join("")}</div>`);
}

function figures(runs: readonly Run[]): string {
  const head = runs.map((run, i) => `<th>${dot(i)}${escapeXml(run.name)}</th>`).join("");
  const body = summaryRows(runs).map(({ label, values }) =>
    `<tr><th>${escapeXml(label)}</th>${values.map((value) => `<td class="number">${value}</td>`).join("")}</tr>`
  );
  return section(
    "All figures",
    `<details><summary>${body.length} figures of the summary</summary><div class="scroll"><table class="facts"><thead><tr>` +
      `<th></th>${head}</tr></thead><tbody>${body.join("")}</tbody></table></div></details>`,
  );
}

function retune(runs: readonly Run[]): string {
  const tables = runs.flatMap((run) => {
    const events = run.planner?.retune_events ?? [];
    if (events.length === 0) return [];
    return [
      `<h3>${
        escapeXml(run.name)
      }</h3><div class="scroll"><table><thead><tr><th>window</th><th>decided</th><th>outcome</th>` +
      `<th>score</th><th>chosen</th></tr></thead><tbody>${events.map(retuneRow).join("")}</tbody></table></div>`,
    ];
  });
  return tables.length === 0 ? "" : section("What did retune choose?", tables.join(""));
}

function retuneRow(
  { window, decided_at_s, outcome, reason, current, chosen, improvement_percentage }: RetuneEvent,
): string {
  const score = (value: number | null | undefined) => typeof value === "number" ? value.toPrecision(5) : "–";
  const gain = improvement_percentage === null ? "" : ` (${improvement_percentage.toFixed(1)} %)`;
  const point = { ...chosen?.router, ...chosen?.planner };
  const settings = Object.entries(point).map(([name, value]) => `${name} ${value}`).join(", ");
  return `<tr><td class="number">${clock(window.start_s)} – ${clock(window.end_s)}</td>` +
    `<td class="number">${clock(decided_at_s)}</td><td>${escapeXml(outcome + (reason ? `: ${reason}` : ""))}</td>` +
    `<td class="number">${score(current?.score)} → ${score(chosen?.score)}${gain}</td><td>${
      escapeXml(settings)
    }</td></tr>`;
}

function configurations(runs: readonly Run[]): string {
  const known = runs.filter(({ config }) => config !== null);
  if (known.length === 0) return "";
  const texts = known.map((run) =>
    `<details${known.length === 1 ? " open" : ""}><summary>${escapeXml(run.name)}</summary>` +
    `<pre>${escapeXml(run.config!)}</pre></details>`
  );
  return section("How was it configured?", texts.join(""));
}

function uncaptured(): string {
  return `<p class="quiet">No per-request records were kept. Run the prediction with <code>--capture-per-request</code> to ` +
    `see latencies and queues over time.</p>`;
}

function section(title: string, content: string): string {
  return `<section><h2>${escapeXml(title)}</h2>${content}</section>`;
}

function box(svg: string): string {
  return `<figure>${svg}</figure>`;
}

function dot(i: number): string {
  return `<svg class="dynosim dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4.5" ` +
    `fill="${runColor(i)}"/></svg>`;
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
