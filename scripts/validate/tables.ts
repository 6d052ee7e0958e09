/** Figures and tables as the page shows them. */
import type { CalibrationError } from "../../lib/timing/calibration/profile.ts";

/** Median error of some figures, in percent. */
export const percent = (error: CalibrationError | undefined) => error?.mdape == null ? "–" : error.mdape.toFixed(1);
/** A number with its sign. */
export const signed = (value: number | null | undefined) =>
  value == null ? "–" : `${value > 0 ? "+" : ""}${value.toFixed(1)}`;

/** Rows as a table of Markdown; the first one is its head. */
export const table = (rows: readonly (readonly string[])[]) => {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(" | ")} |`;
  return [line(rows[0]), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.slice(1).map(line)];
};

/** Mean to one digit. */
export const mean = (values: readonly number[]) =>
  values.length === 0 ? "–" : (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(1);
