/**
 * JSON text as report files have it: keys sorted, characters beyond ASCII escaped.
 *
 * @module
 */

/** Compact text of a value, object keys sorted at every depth. */
export function compactJson(value: unknown): string {
  return escapeBeyondAscii(JSON.stringify(sortKeys(value)));
}

/** Text of a value with two-space indents, object keys sorted at every depth; `indent` blanks before inner lines. */
export function indentedJson(value: unknown, indent = 0): string {
  const text = escapeBeyondAscii(JSON.stringify(sortKeys(value), null, 2));
  return indent === 0 ? text : text.replaceAll("\n", "\n" + " ".repeat(indent));
}

/** Replaces every UTF-16 unit beyond ASCII by its `\uXXXX` escape. */
export function escapeBeyondAscii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== "object") return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return sortKeys(value.toJSON());
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) sorted[key] = sortKeys((value as Record<string, unknown>)[key]);
  return sorted;
}
