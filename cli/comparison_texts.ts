/**
 * Runs side by side as people read them: a column a run where they fit, else a row a run.
 *
 * @module
 */
import type { Divergence, Figure } from "../lib/report/compare.ts";
import { alignedRows } from "../lib/report/text_table.ts";
import { clock, paint } from "./terminal.ts";

/** Two runs and where they part. */
interface Pair {
  run: string;
  against: string;
  /** Null when they decide alike throughout. */
  divergence: Divergence | null;
}

/** Values by run; figures that no run has are left out. */
export interface Comparison {
  runs: string[];
  figures: (Figure & { values: (number | null)[] })[];
  /** One for each run after the first, where both have a Planner. */
  divergences: Pair[];
}

/** More runs than these have a row each, however much room there is. */
const MOST_COLUMNS = 6;

/** The comparison as people read it, in lines of at most `columns` characters where names allow it. */
export function comparisonText(comparison: Comparison, columns: number): string {
  const { runs } = comparison;
  const wide = columnTable(comparison);
  const fits = runs.length <= MOST_COLUMNS && plain(wide).every(({ length }) => length <= columns);
  const [lines, sentences] = fits
    ? [wide, comparison.divergences.map(divergenceText)]
    : [rowTable(comparison, columns), comparison.divergences.map(shortText)];
  return `${[...lines, ...(sentences.length > 0 ? ["", ...sentences] : [])].join("\n")}\n`;
}

// deno-lint-ignore no-control-regex
const plain = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/\x1b\[\d+m/g, ""));

/** A row a figure, with the distance to the first run. */
function columnTable({ runs, figures }: Comparison): string[] {
  const table = [
    ["", ...runs],
    ...figures.map(({ key, label, values }) => [
      label,
      ...values.map((_, run) => cellText(values, run, key.endsWith("_percent"))),
    ]),
  ];
  return coloured(table, (row, column) => ({ figure: figures[row], run: column }));
}

/** Figures of a row a run, the most telling first: those without room are left out. */
const TELLING: readonly (readonly [key: string, head: string])[] = [
  ["attainment_percent", "SLA %"],
  ["gpu_hours", "GPU h"],
  ["cost", "cost"],
  ["p95_ttft_ms", "TTFT p95"],
  ["p95_tpot_ms", "TPOT p95"],
  ["output_throughput_tok_s", "tok/s"],
  ["scaling_events", "events"],
  ["p95_itl_ms", "ITL p95"],
  ["p95_e2e_latency_ms", "E2E p95"],
  ["median_ttft_ms", "TTFT p50"],
  ["median_tpot_ms", "TPOT p50"],
  ["rejected_requests", "rejected"],
  ["p99_ttft_ms", "TTFT p99"],
  ["p99_tpot_ms", "TPOT p99"],
  ["p99_itl_ms", "ITL p99"],
  ["goodput_output_throughput_tok_s", "good tok/s"],
  ["prefix_cache_reused_ratio", "reuse"],
];

/** Longest name of a run in a row. */
const NAME = 28;

/** A row a run. */
function rowTable({ runs, figures }: Comparison, columns: number): string[] {
  const told = TELLING.flatMap(([key, head]) => {
    const figure = figures.find((one) => one.key === key);
    return figure === undefined ? [] : [{ figure, head }];
  });
  for (let shown = told.length;; shown--) {
    const picked = told.slice(0, shown);
    const table = [
      ["", ...picked.map(({ head }) => head)],
      ...runs.map((name, run) => [
        name.length > NAME ? `…${name.slice(1 - NAME)}` : name,
        ...picked.map(({ figure: { values } }) => values[run] === null ? "–" : numberText(values[run])),
      ]),
    ];
    if (shown > 1 && Math.max(...alignedRows(table).map(({ length }) => length)) > columns) continue;
    const left = figures.length - shown;
    return [
      ...coloured(table, (run, column) => ({ figure: picked[column].figure, run })),
      ...left > 0 ? ["", `${left} more figures: --format csv`] : [],
    ];
  }
}

/** Aligned rows, heads bold, figures in the colour of better or worse than the first run. */
function coloured(
  table: readonly (readonly string[])[],
  of: (row: number, column: number) => { figure: Comparison["figures"][number]; run: number },
): string[] {
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  return table.map((row, index) =>
    row.map((text, column) => {
      if (column === 0) return text.padEnd(widths[0]);
      const padded = text.padStart(widths[column]);
      if (index === 0) return paint("bold", padded, "stdout");
      const { figure, run } = of(index - 1, column - 1);
      return judged(padded, figure, run);
    }).join("  ").trimEnd()
  );
}

function divergenceText({ run, against, divergence }: Pair): string {
  if (divergence === null) return `The autoscalers of ${against} and ${run} decide alike at every tick.`;
  const { ordinal, at_ms, what, first, second } = divergence;
  return `The autoscalers of ${against} and ${run} part at tick ${ordinal} (${clock(at_ms)}), ${what}:\n` +
    `  ${against}: ${first}\n  ${run}: ${second}`;
}

const shortText = ({ run, against, divergence }: Pair): string =>
  divergence === null
    ? `${run} decides as ${against} does`
    : `${run} parts from ${against} at tick ${divergence.ordinal} (${clock(divergence.at_ms)}), ${divergence.what}`;

/** Green for better, red for worse, from a thousandth on. */
function judged(text: string, { better, values }: Comparison["figures"][number], run: number): string {
  const [base, value] = [values[0], values[run]];
  if (better === null || base === null || value === null || Math.abs(value - base) <= Math.abs(base) / 1000) {
    return text;
  }
  return paint(value > base === (better === "higher") ? "green" : "red", text, "stdout");
}

/**
 * `12.50 (+3.2 %)`: a run's value and how far it is from the first run's; `74.80 (−25.10 points)` for percentages, of which
 * a percentage would be misread.
 */
export function cellText(values: readonly (number | null)[], run: number, percentage = false): string {
  const [base, value] = [values[0], values[run]];
  if (value === null) return "–";
  const shown = numberText(value);
  if (run === 0 || base === null) return shown;
  if (value === base) return `${shown} (=)`;
  const sign = value > base ? "+" : "−";
  const distance = Math.abs(value - base);
  if (percentage) return `${shown} (${sign}${distance.toFixed(2)} points)`;
  return `${shown} (${sign}${base === 0 ? numberText(distance) : `${(distance / Math.abs(base) * 100).toFixed(1)} %`})`;
}

/** Counts as they are, other numbers with about four digits. */
function numberText(value: number): string {
  const digits = Number.isInteger(value) || Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 10 ? 2 : 4;
  const [whole, decimals] = value.toFixed(digits).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals === undefined ? "" : `.${decimals}`);
}
