/**
 * The Planner's story of a run, told from its report alone: each change of replicas with what was seen and the rule that
 * followed, each long hold with its reasons, and how it ended. Pure: a report in, entries out.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../../errors.ts";
import { retuneStories } from "./retune_story.ts";
import { plannerHealth } from "./health.ts";
import { TickStory } from "./tick_story.ts";
import type { Evaluation } from "../evaluation.ts";
import type { PlannerSection } from "../planner_section.ts";
import { moneyText } from "../price.ts";
import { verdictLines } from "./verdict.ts";
import { counted, number, percent, time, whole } from "./format.ts";

/** The parts of a report the story is told from. */
export interface ExplainedReport {
  /** The report's summary. */
  summary: Readonly<Record<string, unknown>>;
  /** The report's Planner section; null when none ran. */
  planner: PlannerSection | null;
  /** How the run is judged; absent in reports that were not asked about it. */
  evaluation?: Evaluation | null;
}

/** A paragraph of the story. Times are seconds of virtual time. */
export interface StoryEntry {
  /** What the paragraph is about. */
  kind: "start" | "change" | "recommendation" | "hold" | "retune" | "end";
  /** Start of what it tells of. */
  fromS: number;
  /** End of a hold; null for a moment. */
  toS: number | null;
  /** What happened, one sentence. */
  text: string;
  /** Why, one line each. */
  details: string[];
}

/** Options of {@linkcode explainRun}. */
export interface ExplainOptions {
  /** Shortest hold that is told, in seconds; 60 by default. */
  holdSeconds?: number;
}

/**
 * Tells the story of a run.
 *
 * @param report `prediction.json`, or the report of a replay
 *
 * @example
 * ```ts
 * import { explainRun } from "dynosim";
 *
 * const summary = { gpu_hours: 1.5, num_requests: 10, completed_requests: 10, duration_ms: 60_000 };
 * const [start, end] = explainRun({ summary, planner: null });
 * console.log(start.text); // No Planner ran: the replicas were fixed.
 * console.log(end.text); // 10 of 10 requests completed in 1:00; no SLA was given; 1.5 GPU hours.
 * ```
 */
export function explainRun(report: ExplainedReport, options: ExplainOptions = {}): StoryEntry[] {
  checkOptions("explainRun()", options, { holdSeconds: true } satisfies OptionNames<ExplainOptions>);
  const { planner, summary } = report;
  const end = endEntry(report);
  if (!planner) {
    return [{ kind: "start", fromS: 0, toS: null, text: "No Planner ran: the replicas were fixed.", details: [] }, end];
  }
  const holdSeconds = options.holdSeconds ?? 60;
  const ticks = new TickStory(planner);
  const entries: StoryEntry[] = [ticks.start(summary)];
  const events = [
    ...planner.scaling_events.map((event) => ({ event, kind: "change" as const })),
    ...planner.recommended_scaling_events.map((event) => ({ event, kind: "recommendation" as const })),
  ];
  const times = [...new Set(events.map(({ event }) => event.at_s))].sort((a, b) => a - b);
  let sinceS = 0;
  const hold = (untilS: number) => {
    if (untilS - sinceS >= holdSeconds) entries.push(...ticks.hold(sinceS, untilS));
  };
  for (const atS of times) {
    hold(atS);
    const now = events.filter(({ event }) => event.at_s === atS);
    for (const kind of ["change", "recommendation"] as const) {
      const group = now.filter((each) => each.kind === kind).map(({ event }) => event);
      if (group.length > 0) entries.push(ticks.change(kind, atS, group));
    }
    sinceS = atS;
  }
  hold(end.fromS);
  entries.push(...retuneStories(planner).map((story) => ({ kind: "retune" as const, toS: null, ...story })));
  const order = (entry: StoryEntry) => entry.kind === "start" ? -1 : entry.fromS;
  entries.sort((a, b) => order(a) - order(b));
  return [...entries, end];
}

/** Parts of a line of a story. */
export type StoryPart = "time" | "sentence" | "detail";

/** Options of {@linkcode storyText}. */
export interface StoryTextOptions {
  /** Dresses a part of a line, with colours for example. Default: it stays as it is. */
  style?: (text: string, part: StoryPart, entry: StoryEntry) => string;
}

/**
 * Writes a story, one line a sentence and its reasons below it.
 *
 * @example
 * ```ts
 * import { explainRun, planner, readTrace, replay, storyText, vllm } from "dynosim";
 *
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl"), {
 *   cluster: { replicas: 1, engine: vllm({ blocks: 3000 }) },
 *   planner: planner({ target: "latency", maxGpus: 4 }),
 * }).report;
 * console.log(storyText(explainRun(report)));
 * ```
 */
export function storyText(entries: readonly StoryEntry[], options: StoryTextOptions = {}): string {
  checkOptions("storyText()", options, { style: true } satisfies OptionNames<StoryTextOptions>);
  const { style = (text) => text } = options;
  const lines: string[] = [];
  const heads = entries.map(({ kind, fromS, toS }) =>
    kind === "start" || kind === "end" ? "" : toS === null ? time(fromS) : `${time(fromS)}–${time(toS)}`
  );
  const width = Math.max(...heads.map((head) => head.length));
  entries.forEach((entry, i) => {
    const { text, details, kind } = entry;
    const framed = kind === "start" || kind === "end";
    if (kind === "end" && lines.at(-1) !== "") lines.push("");
    const indent = framed ? "" : `${style(heads[i].padStart(width), "time", entry)}  `;
    lines.push(`${indent}${style(text, "sentence", entry)}`);
    for (const detail of details) {
      lines.push(`${" ".repeat(framed ? 2 : width + 4)}${style(detail, "detail", entry)}`);
    }
    if (kind === "start") lines.push("");
  });
  return lines.join("\n");
}

/** The bounds a Planner scales by, or its retune scores by. */
function boundsOf({ planner_config: config, retune }: PlannerSection["metadata"]): { ttftMs: unknown; itlMs: unknown } {
  if (config?.optimization_target === "sla") return { ttftMs: config.ttft_ms, itlMs: config.itl_ms };
  return { ttftMs: retune?.sla_ttft_ms, itlMs: retune?.sla_itl_ms };
}

/** How the run ended: the share within the SLA, requests, money; then what was missed, latencies and changes. */
function endEntry(report: ExplainedReport): StoryEntry {
  const { summary, planner, evaluation } = report;
  const value = (key: string) => summary[key] as number | undefined;
  const durationS = (value("duration_ms") ?? 0) / 1000;
  const completed = value("completed_requests") ?? 0, good = value("goodput_completed_requests");
  const all = (value("num_requests") ?? 0) + (value("cutoff_unadmitted_requests") ?? 0);
  const sla = good === undefined
    ? "no SLA was given"
    : good === all && all > 0
    ? "the SLA was met by every one of them"
    : `the SLA was met by ${percent(good, all)} and missed by ${whole(all - good)} of them`;
  const [, ...judged] = evaluation?.sla ? verdictLines(report) : ["", ...verdictLines(report)];
  const details = judged.slice();
  if (good !== undefined && planner) {
    const { ttftMs, itlMs } = boundsOf(planner.metadata);
    // An SLA bounds the mean gap of a request, so its percentile is over requests.
    const bounds = [["TTFT", "ttft", ttftMs], ["TPOT (a request's mean)", "tpot", itlMs]];
    details.push(...bounds.flatMap(([name, key, bound]) => {
      const p95 = value(`p95_${key}_ms`);
      if (p95 === undefined || typeof bound !== "number") return [];
      const miss = p95 - bound;
      const verdict = miss > 0 ? `${number(miss)} ms over its bound of ${bound} ms` : `within its bound of ${bound} ms`;
      return [`p95 ${name} ${number(p95)} ms: ${verdict}`];
    }));
  }
  if (planner) {
    const up = planner.scaling_events.filter(({ reason }) => reason === "scale_up").length;
    details.push(`${counted(up, "change")} up, ${planner.scaling_events.length - up} down`);
  }
  details.push(...plannerHealth(report));
  const hours = number(value("gpu_hours") ?? null), { cost } = evaluation ?? {};
  const money = cost ? ` (${moneyText(cost.total, cost.currency)})` : "";
  const requests = `${whole(completed)} of ${whole(all)} requests completed in ${time(durationS)}`;
  return {
    kind: "end",
    fromS: durationS,
    toS: null,
    text: `${requests}; ${sla}; ${hours} GPU hours${money}.`,
    details,
  };
}
