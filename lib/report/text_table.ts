/**
 * Text of a given width: tables without rules, whose columns stand apart by two blanks, and wrapped sentences.
 *
 * @module
 */

/** How {@linkcode alignedRows} places columns. */
export interface TableOptions {
  /** How many columns, from the first on, stand to the left; the others, usually figures, to the right. Default 1. */
  left?: number;
  /** Least width of each column, for rows that are printed before the others are known. Default none. */
  least?: readonly number[];
}

/** Rows as lines of equal columns; a row may be shorter than the first. */
export function alignedRows(
  rows: readonly (readonly string[])[],
  { left = 1, least = [] }: TableOptions = {},
): string[] {
  const widths = rows[0].map((_, column) =>
    Math.max(least[column] ?? 0, ...rows.map((row) => (row[column] ?? "").length))
  );
  return rows.map((row) =>
    row.map((text, column) => column < left ? text.padEnd(widths[column]) : text.padStart(widths[column])).join("  ")
      .trimEnd()
  );
}

/**
 * A text as lines of at most `columns` characters, broken at blanks; a longer word has a line of its own.
 *
 * @param indent blanks in front of every line but the first
 */
export function wrapped(text: string, columns: number, indent = 0): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line.trim() !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = " ".repeat(indent) + word;
    } else line += (line === "" || line.trim() === "" ? "" : " ") + word;
  }
  return [...lines, line];
}
