/**
 * `dynosim compare`: runs side by side, from their output directories.
 *
 * @module
 */
import { writeText } from "../lib/io/process.ts";
import { type ComparableReport, type Figure, FIGURES, figuresOf, firstDivergence } from "../lib/report/compare.ts";
import { csvText } from "../lib/report/csv.ts";
import { choice } from "./arguments.ts";
import { command } from "./command.ts";
import { readReport } from "./reports.ts";
import { type Comparison, comparisonText } from "./comparison_texts.ts";
import { outputColumns } from "./terminal.ts";

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
  table: (comparison: Comparison) => comparisonText(comparison, outputColumns()),
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

/** A figure with the unit of its money; of several units nothing is better, because they cannot be compared. */
function inCurrency(figure: Figure, units: ReadonlySet<string>): Figure {
  if (!figure.key.startsWith("cost") || units.size === 0) return figure;
  const label = `${figure.label} (${[...units].join(", ")})`;
  return units.size === 1 ? { ...figure, label } : { ...figure, label, better: null };
}

/** Puts runs side by side; the first is what the others are compared with. */
export function compared(runs: Readonly<Record<string, ComparableReport>>): Comparison {
  const names = Object.keys(runs), reports = Object.values(runs);
  const values = reports.map(figuresOf);
  const [base] = reports;
  const units = new Set(reports.flatMap(({ evaluation }) => evaluation?.cost ? [evaluation.cost.currency] : []));
  return {
    runs: names,
    figures: FIGURES.map((figure) => ({ ...inCurrency(figure, units), values: values.map((of) => of[figure.key]) }))
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
