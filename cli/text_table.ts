/**
 * Tables for a terminal, without rules: columns stand apart by two blanks.
 *
 * @module
 */

/** How {@linkcode alignedRows} places columns. */
export interface TableOptions {
  /** How many columns, from the first on, stand to the left; the others, usually figures, to the right. Default 1. */
  left?: number;
}

/** Rows as lines of equal columns; a row may be shorter than the first. */
export function alignedRows(rows: readonly (readonly string[])[], { left = 1 }: TableOptions = {}): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row.map((text, column) => column < left ? text.padEnd(widths[column]) : text.padStart(widths[column])).join("  ")
      .trimEnd()
  );
}
