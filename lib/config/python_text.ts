/**
 * Texts quoted the way Python's `repr` writes them, as the reference's messages have them.
 *
 * @module
 */

/** `'a'`, or `"it's"` when the text holds a single quote and no double one. */
export function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

/** `['a', 'b']`. */
export const quoteList = (names: readonly string[]): string => `[${names.map(quote).join(", ")}]`;

/** `'a'`, `'a' or 'b'`, `'a', 'b' or 'c'`. */
export function quoteChoices(names: readonly string[]): string {
  const quoted = names.map(quote);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

/** A scalar as Python writes it: `None`, `True`, `'text'`, `1.5`. */
export function repr(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value).map(([key, item]) => `${quote(key)}: ${repr(item)}`).join(", ")}}`;
  }
  return String(value);
}
