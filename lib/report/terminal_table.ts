/**
 * A report as people read it in a terminal: what was served at which expense, latencies, and how even the workers were.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import type { PlannerSection } from "./planner_section.ts";
import { counted, number, percent, time, whole } from "./story/format.ts";
import { alignedRows, wrapped } from "./text_table.ts";
import type { WorkerRow } from "./worker_rows.ts";

/** What of a report is shown. */
export interface TabledReport {
  /** Its summary; what it lacks has no row. */
  readonly summary: object;
  /** Its Planner section; null when none ran. */
  readonly planner?: PlannerSection | null;
  /** Its workers, where they are known. */
  readonly workers?: readonly WorkerRow[];
}

/** Options of {@linkcode terminalTable}. */
export interface TerminalTableOptions {
  /** Most characters of a line. Default 80; more room shows more statistics. */
  columns?: number;
}

const OPTIONS: OptionNames<TerminalTableOptions> = { columns: true };

type Values = Readonly<Record<string, number | null | undefined>>;

/** Statistics by place; those with the highest rank are left out first where there is no room. */
const STATISTICS = [
  { key: "mean", head: "mean", rank: 0 },
  { key: "min", head: "min", rank: 7 },
  { key: "median", head: "p50", rank: 1 },
  { key: "p75", head: "p75", rank: 8 },
  { key: "p90", head: "p90", rank: 2 },
  { key: "p95", head: "p95", rank: 3 },
  { key: "p99", head: "p99", rank: 4 },
  { key: "max", head: "max", rank: 5 },
  { key: "std", head: "std", rank: 6 },
];

const DISTRIBUTIONS = [
  ["TTFT (ms)", "ttft_ms"],
  ["TPOT (ms)", "tpot_ms"],
  ["ITL (ms)", "itl_ms"],
  ["E2E (ms)", "e2e_latency_ms"],
  ["Tokens/s per user", "output_token_throughput_per_user"],
] as const;

/** Width of the first column. */
const LABEL = 20;

/**
 * The tables of a report, as lines joined by newlines, without a final one.
 *
 * @example
 * ```ts
 * import { readTrace, replay, terminalTable } from "dynosim";
 *
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl"), { cluster: { replicas: 2 } }).report;
 * const lines = terminalTable(report, { columns: 80 }).split("\n");
 * console.log(lines[0]); // Requests            2,000 completed
 * ```
 */
export function terminalTable(report: TabledReport, options: TerminalTableOptions = {}): string {
  checkOptions("terminalTable()", options, OPTIONS);
  const { columns = 80 } = options;
  const facts = factsOf(report).flatMap(([label, text]) => wrapped(label.padEnd(LABEL) + text, columns, LABEL));
  const tables = [latencyTable(report.summary as Values, columns), ...workerTables(report.workers ?? [])];
  return [facts, ...tables].filter((lines) => lines.length > 0).map((lines) => lines.join("\n")).join("\n\n");
}

/** What can be said in a line. */
function factsOf({ summary, planner }: TabledReport): [label: string, text: string][] {
  const values = summary as Values;
  const { completed_requests: completed, num_requests: all = completed, gpu_hours: hours, duration_ms: ms } = values;
  const { rejected_requests: rejected, failed_requests: failed, largest_prompt_tokens: largest } = values;
  const facts: [string, string][] = [];
  if (completed != null) {
    facts.push([
      "Requests",
      [
        `${completed === all ? whole(completed) : `${whole(completed)} of ${whole(all!)}`} completed`,
        ...rejected
          ? [`${whole(rejected)} rejected${largest ? ` (the largest prompt that fits: ${whole(largest)} tokens)` : ""}`]
          : [],
        ...failed ? [`${whole(failed)} failed`] : [],
      ].join(", "),
    ]);
  }
  if (hours != null) {
    const gpus = number(ms ? hours * 3.6e6 / ms : 0);
    const mean = ms ? `, ${gpus} ${gpus === "1" ? "GPU" : "GPUs"} on average over ${time(ms / 1000)}` : "";
    facts.push(["GPU hours", `${number(hours)}${mean}`]);
  }
  const rates = (prefix: string) => {
    const [tokens, requests] = [values[`${prefix}output_throughput_tok_s`], values[`${prefix}request_throughput_rps`]];
    return tokens == null || requests == null
      ? null
      : `${number(tokens)} output tokens/s, ${number(requests)} requests/s`;
  };
  const goodput = rates("goodput_"), output = rates("");
  if (goodput !== null) facts.push(["Goodput", goodput]);
  if (output !== null) facts.push(["Throughput", output]);
  if (values.prefix_cache_reused_ratio != null) {
    facts.push(["Prefix cache reuse", `${percent(values.prefix_cache_reused_ratio, 1)} of the prompt tokens`]);
  }
  if (values.power_coverage) {
    const known = `${percent(values.power_coverage, 1)} of the passes' time`;
    facts.push([
      "Power of a GPU",
      values.power_w == null
        ? `not told: the energy of ${known} is known`
        : `${number(values.power_w)} W while passes run, from ${known}`,
    ]);
  }
  if (planner) facts.push(...scalingFacts(planner));
  return facts;
}

function scalingFacts(
  { scaling_events, recommended_scaling_events, retune_events }: PlannerSection,
): [string, string][] {
  const added = scaling_events.reduce((sum, { from_count, to_count }) => sum + Math.max(0, to_count - from_count), 0);
  const removed = scaling_events.reduce((sum, { from_count, to_count }) => sum + Math.max(0, from_count - to_count), 0);
  const applied = retune_events?.filter(({ outcome }) => outcome === "applied").length;
  return [
    [
      "Scaling events",
      `${whole(scaling_events.length)}${
        scaling_events.length === 0 ? "" : `: ${counted(added, "worker")} added, ${whole(removed)} removed`
      }`,
    ],
    ...recommended_scaling_events?.length
      ? [["Recommended", `${counted(recommended_scaling_events.length, "scaling event")}`] as [string, string]]
      : [],
    ...applied === undefined ? [] : [["Retunes applied", whole(applied)] as [string, string]],
  ];
}

/** Latencies, as many statistics as there is room for. */
function latencyTable(values: Values, columns: number): string[] {
  const rows = DISTRIBUTIONS.filter(([, metric]) => values[`mean_${metric}`] != null);
  if (rows.length === 0) return [];
  for (let most = STATISTICS.length - 1;; most--) {
    const shown = STATISTICS.filter(({ rank }) => rank <= most);
    const lines = alignedRows([
      ["", ...shown.map(({ head }) => head)],
      ...rows.map(([label, metric]) => [
        label.padEnd(LABEL - 2),
        ...shown.map(({ key }) => values[`${key}_${metric}`] == null ? "–" : number(values[`${key}_${metric}`]!)),
      ]),
    ]);
    if (most === 0 || Math.max(...lines.map(({ length }) => length)) <= columns) return lines;
  }
}

const POOLS: Readonly<Record<string, string>> = {
  agg: "Workers",
  prefill: "Prefill workers",
  decode: "Decode workers",
};

/** How even the workers of each pool with several were. */
function workerTables(workers: readonly WorkerRow[]): string[][] {
  return [...Map.groupBy(workers, ({ pool }) => pool)].filter(([, { length }]) => length > 1).map(([pool, rows]) => {
    const spread = (label: string, of: (row: WorkerRow) => number | null, text: (value: number) => string) => {
      const values = rows.map(of).filter((value) => value !== null);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return [label, ...[Math.min(...values), mean, Math.max(...values)].map(text)];
    };
    const share = (value: number) => `${number(Number((value * 100).toPrecision(3)))} %`;
    return alignedRows([
      [`${POOLS[pool] ?? pool} (${rows.length})`.padEnd(LABEL - 2), "least", "mean", "most"],
      spread("Requests", ({ completed_requests }) => completed_requests, number),
      spread("KV in use, mean", ({ kv_use_mean }) => kv_use_mean, share),
      spread("KV in use, peak", ({ kv_use_peak }) => kv_use_peak, share),
    ]);
  });
}
