/**
 * What scaled a run and what retune chose, as tables of a report page.
 *
 * @module
 */
import type { PlannerTick, RetuneEvent, ScalingEvent } from "../report/planner_section.ts";
import { counted, time } from "../report/story/format.ts";
import { type Html, type HtmlValue, safe } from "./html.ts";
import { tickReason } from "./planner_tables.ts";
import type { Run } from "./run.ts";
import { amount } from "./units.ts";

/** A line of the timeline. */
interface DecisionRow {
  atS: number;
  row: Html;
}

/** Rows of all timelines of a page together; the rest is told by `dynosim explain`. */
export const MOST_ROWS = 1500;

/**
 * Every scaling event with what the Planner saw and said at its tick, and every decision of a retune. Null when nobody
 * could decide anything.
 *
 * @param most rows at most
 */
export function timeline({ planner, name }: Run, most: number, named: boolean): Html | null {
  if (planner === null) return null;
  const tickAt = new Map(planner.ticks.map((tick) => [tick.at_ms, tick]));
  const scaled = (event: ScalingEvent, advice: boolean): DecisionRow => {
    const tick = tickAt.get(event.at_s * 1000) ?? null;
    const reason = tick === null ? "" : (tickReason(tick) ?? "").replaceAll("_", " ");
    const change = safe`${step(event)}${advice ? " (recommended)" : ""}`;
    const row = timelineRow(event.at_s, event.component, change, tick ? observed(tick) : "", reason);
    return { atS: event.at_s, row };
  };
  const retuned = (event: RetuneEvent): DecisionRow => {
    const { num_requests, start_s, end_s } = event.window;
    const span = `${num_requests} requests from ${time(start_s)} to ${time(end_s)}`;
    const row = timelineRow(event.decided_at_s, "retune", event.outcome, span, event.reason ?? settingsOf(event));
    return { atS: event.decided_at_s, row };
  };
  const decisions = [
    ...planner.scaling_events.map((event) => scaled(event, false)),
    ...(planner.recommended_scaling_events ?? []).map((event) => scaled(event, true)),
    ...(planner.retune_events ?? []).map(retuned),
  ].sort((a, b) => a.atS - b.atS);
  if (decisions.length === 0) {
    return named ? null : safe`<p class="quiet">The Planner changed nothing.</p>`;
  }
  const more = decisions.length - most;
  return safe`<details><summary>${named ? `${name}: ` : null}${
    counted(decisions.length, "decision")
  }</summary><div class="scroll" tabindex="0" role="group" aria-label="decisions of ${name}"><table><thead><tr><th scope="col">time</th><th scope="col">pool</th><th scope="col">change</th><th scope="col">seen</th><th scope="col">reason</th></tr></thead><tbody>${
    decisions.slice(0, most).map(({ row }) => row)
  }</tbody></table>${
    more > 0 ? safe`<p class="quiet">${more} more: <code>dynosim explain</code></p>` : null
  }</div></details>`;
}

const timelineRow = (atS: number, pool: string, change: HtmlValue, seen: string, reason: string): Html =>
  safe`<tr><td class="number">${
    time(atS)
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

/** Tables of retune decisions, a run with any after the other; null without one. */
export function retuneTables(runs: readonly Run[]): Html | null {
  const tables = runs.flatMap((run) => {
    const events = run.planner?.retune_events ?? [];
    if (events.length === 0) return [];
    return [
      safe`<h3>${run.name}</h3><div class="scroll"><table><thead><tr><th scope="col">window</th><th scope="col">decided</th><th scope="col">outcome</th><th scope="col">score</th><th scope="col">chosen</th></tr></thead><tbody>${
        events.map(retuneRow)
      }</tbody></table></div>`,
    ];
  });
  return tables.length === 0 ? null : safe`${tables}`;
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
  return safe`<tr><td class="number">${time(window.start_s)} – ${time(window.end_s)}</td><td class="number">${
    time(decided_at_s)
  }</td><td>${outcome}${reason ? `: ${reason}` : null}</td><td class="number">${score(current?.score)} → ${
    score(chosen?.score)
  }${gain}</td><td>${settingsOf(event)}</td></tr>`;
}
