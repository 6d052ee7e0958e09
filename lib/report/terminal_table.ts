/**
 * A summary as people read it in a terminal: one box-drawn table and up to three lines.
 *
 * @module
 */

const COLUMNS = [
  ["avg", "mean"],
  ["min", "min"],
  ["max", "max"],
  ["p99", "p99"],
  ["p90", "p90"],
  ["p75", "p75"],
  ["std", "std"],
] as const;

const DISTRIBUTIONS = [
  ["Time to First Token (ms)", "ttft_ms"],
  ["Time to Second Token (ms)", "ttst_ms"],
  ["Request Latency (ms)", "e2e_latency_ms"],
  ["Inter Token Latency (ms)", "itl_ms"],
  ["Output Token Throughput Per User (tokens/sec/user)", "output_token_throughput_per_user"],
] as const;

const TRAILING = [
  ["Wall Time (ms)", "wall_time_ms"],
  ["Prefix Cache Reused Ratio", "prefix_cache_reused_ratio"],
  ["First Admission Prefix Cache Reused Ratio", "first_admission_prefix_cache_reused_ratio"],
] as const;

/**
 * The table of a summary, as lines joined by newlines, without a final one. A distribution without a mean key has no
 * row; a value that is not there is `N/A`.
 *
 * @param summary the `summary` of a report, ours or the reference's
 *
 * @example
 * ```ts
 * import { readTrace, replay, terminalTable } from "dynosim";
 *
 * const { summary } = await replay(readTrace("fixtures/traces/chat.jsonl")).report;
 * console.log(terminalTable(summary));
 * ```
 */
export function terminalTable(summary: object): string {
  const values = summary as Record<string, unknown>;
  const none = COLUMNS.slice(1).map(() => "N/A");
  const rows = [["Metric", ...COLUMNS.map(([label]) => label)]];
  for (const [label, metric] of DISTRIBUTIONS) {
    if (!(`mean_${metric}` in values)) continue;
    rows.push([label, ...COLUMNS.map(([, statistic]) => formatCell(values[`${statistic}_${metric}`]))]);
  }
  rows.push(["Output Token Throughput (tokens/sec)", formatCell(values.output_throughput_tok_s), ...none]);
  rows.push(["Request Throughput (requests/sec)", formatCell(values.request_throughput_rps), ...none]);
  const count = values.completed_requests ?? values.num_requests;
  rows.push(["Request Count (requests)", formatCell(count), ...none]);
  if (typeof values.power_coverage === "number") {
    rows.push(["Power per GPU (W)", formatCell(values.power_w), ...none]);
    rows.push(["Power Data Coverage (%)", formatCell(values.power_coverage * 100), ...none]);
  }
  const trailing = TRAILING.filter(([, key]) => typeof values[key] === "number")
    .map(([label, key]) => `${label}: ${formatCell(values[key])}`);
  return ["NVIDIA AIPerf | LLM Metrics", ...box(rows), ...trailing].join("\n");
}

/** A cell: two decimals, commas between thousands; halves are rounded to even on the exact binary value. */
export function formatCell(value: unknown): string {
  if (typeof value === "boolean") return value ? "1.00" : "0.00";
  if (typeof value !== "number") return "N/A";
  if (Number.isNaN(value)) return "nan";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (!Number.isFinite(value)) return sign + "inf";
  const [whole, decimals] = twoDecimals(Math.abs(value)).split(".");
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${decimals}`;
}

// `toFixed` rounds the exact value too, but halves up, and it gives up at 1e21.
function twoDecimals(value: number): string {
  if (value >= 1e21) return `${BigInt(value)}.00`;
  // Only multiples of 1/8 can lie exactly between two hundredths.
  const eighths = value * 8;
  if (Number.isInteger(eighths) && eighths % 2 === 1) {
    const below = Math.floor(value * 100);
    return ((below % 2 === 0 ? below : below + 1) / 100).toFixed(2);
  }
  return value.toFixed(2);
}

function box(rows: string[][]): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const rule = (left: string, joint: string, right: string) =>
    left + widths.map((width) => "━".repeat(width + 2)).join(joint) + right;
  const line = (row: string[]) =>
    "┃" +
    row.map((cell, column) => ` ${column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])} `).join("┃") +
    "┃";
  const [header, ...body] = rows.map(line);
  return [rule("┏", "┳", "┓"), header, rule("┡", "╇", "┩"), ...body, rule("└", "┴", "┘")];
}
