/**
 * Rows as CSV (RFC 4180, lines end with a newline alone): what a table prints for other programs.
 *
 * @module
 */

/** A cell: nothing for null, JSON for objects and lists, quoted where it must be. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A line of cells, with its newline. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join()}\n`;

/**
 * Objects as CSV with a head: the columns are the keys of all rows, in the order in which they come up; a row has empty
 * cells where it lacks a key.
 *
 * @example
 * ```ts
 * import { csvText } from "./csv.ts";
 *
 * console.log(csvText([{ run: "a", ttft_ms: 12.5 }, { run: "b" }]).split("\n")[1]); // a,12.5
 * ```
 */
export function csvText(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [columns, ...rows.map((row) => columns.map((name) => row[name]))].map(csvLine).join("");
}
