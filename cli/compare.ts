/**
 * `dynosim compare`: runs side by side, from their output directories.
 *
 * @module
 */
import { writeText } from "../lib/io/process.ts";
import {
  type ComparableReport,
  type Divergence,
  type Figure,
  FIGURES,
  figuresOf,
  firstDivergence,
} from "../lib/report/compare.ts";
import { csvText } from "../lib/report/csv.ts";
import { choice } from "./arguments.ts";
import { command } from "./command.ts";
import { readReport } from "./reports.ts";
import { clock, paint } from "./terminal.ts";

const LINE = {
  command: "compare",
  summary: "Puts the reports of several runs side by side; differences are to the first one.",
  options: {
    format: choice("what is printed", ["table", "json", "csv"], { fallback: "table" }),
  },
  operands: {
    name: "DIR…",
    help: "output directories of predict (or prediction.json files), at least two",
    least: 2,
    most: Infinity,
  },
} as const;

/** The command. */
export const compareCommand = command(LINE, async ({ format }, paths) => {
  const names = distinct(paths);
  const runs: Record<string, ComparableReport> = {};
  for (const [index, path] of paths.entries()) runs[names[index]] = await readReport<ComparableReport>(path);
  const comparison = compared(runs);
  writeText("stdout", TEXTS[format](comparison));
});

const TEXTS = {
  table: (comparison: Comparison) => comparisonText(comparison),
  json: (comparison: Comparison) => `${JSON.stringify(comparison)}\n`,
  csv: ({ runs, figures }: Comparison) =>
    csvText(runs.map((name, run) => ({
      name,
      ...Object.fromEntries(figures.map(({ key, values }) => [key, values[run]])),
    }))),
};

/** Names for columns: the paths without what all have in common, numbered when two are the same. */
export function distinct(paths: readonly string[]): string[] {
  const parts = paths.map((path) => path.replace(/\/(prediction\.json)?$/, "").split("/"));
  const inside = (index: number) => parts.every((part) => part.length > index + 1 && part[index] === parts[0][index]);
  let shared = 0;
  while (inside(shared)) shared++;
  const names = parts.map((part) => part.slice(shared).join("/") || ".");
  return names.map((name, index) => {
    const earlier = names.slice(0, index).filter((other) => other === name).length;
    return earlier === 0 ? name : `${name} (${earlier + 1})`;
  });
}

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

/** Puts runs side by side; the first is what the others are compared with. */
export function compared(runs: Readonly<Record<string, ComparableReport>>): Comparison {
  const names = Object.keys(runs), reports = Object.values(runs);
  const values = reports.map(figuresOf);
  const [base] = reports;
  return {
    runs: names,
    figures: FIGURES.map((figure) => ({ ...figure, values: values.map((of) => of[figure.key]) }))
      .filter((figure) => figure.values.some((value) => value !== null)),
    divergences: reports.flatMap((report, index) =>
      index === 0 || !base.planner || !report.planner ? [] : [{
        run: names[index],
        against: names[0],
        divergence: firstDivergence(base, report),
      }]
    ),
  };
}

/** The comparison as people read it. */
export function comparisonText({ runs, figures, divergences }: Comparison): string {
  const table = [
    ["", ...runs],
    ...figures.map(({ label, values }) => [label, ...values.map((_, run) => cellText(values, run))]),
  ];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const lines = table.map((row, index) =>
    row.map((text, column) => {
      if (column === 0) return text.padEnd(widths[0]);
      const padded = text.padStart(widths[column]);
      return index === 0 ? paint("bold", padded, "stdout") : judged(padded, figures[index - 1], column - 1);
    }).join("  ").trimEnd()
  );
  const sentences = divergences.map(({ run, against, divergence }) => {
    if (divergence === null) return `The autoscalers of ${against} and ${run} decide alike at every tick.`;
    const { ordinal, at_ms, what, first, second } = divergence;
    return `The autoscalers of ${against} and ${run} part at tick ${ordinal} (${clock(at_ms)}), ${what}:\n` +
      `  ${against}: ${first}\n  ${run}: ${second}`;
  });
  return `${[...lines, ...(sentences.length > 0 ? ["", ...sentences] : [])].join("\n")}\n`;
}

/** Green for better, red for worse, from a thousandth on. */
function judged(text: string, { better, values }: Comparison["figures"][number], run: number): string {
  const [base, value] = [values[0], values[run]];
  if (better === null || base === null || value === null || Math.abs(value - base) <= Math.abs(base) / 1000) {
    return text;
  }
  return paint(value > base === (better === "higher") ? "green" : "red", text, "stdout");
}

/** `12.50 (+3.2 %)`: a run's value and how far it is from the first run's. */
export function cellText(values: readonly (number | null)[], run: number): string {
  const [base, value] = [values[0], values[run]];
  if (value === null) return "–";
  const shown = numberText(value);
  if (run === 0 || base === null) return shown;
  if (value === base) return `${shown} (=)`;
  const sign = value > base ? "+" : "−";
  const distance = Math.abs(value - base);
  return `${shown} (${sign}${base === 0 ? numberText(distance) : `${(distance / Math.abs(base) * 100).toFixed(1)} %`})`;
}

/** Counts as they are, other numbers with about four digits. */
function numberText(value: number): string {
  const digits = Number.isInteger(value) || Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 10 ? 2 : 4;
  const [whole, decimals] = value.toFixed(digits).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals === undefined ? "" : `.${decimals}`);
}
