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

/** Lists of more entries than this are told entry by entry. */
const LONG = 64;

/**
 * What {@linkcode indentedJson} gives, in pieces: long lists in an object, or in the objects it has, are told entry by
 * entry, so that no text grows beyond what a string may hold.
 */
export function* indentedPieces(value: unknown, indent: number, depth = 2): Generator<string> {
  const blanks = "\n" + " ".repeat(indent);
  if (Array.isArray(value) && value.length > LONG) {
    let opening = "[";
    for (const entry of value) {
      yield `${opening}${blanks}  ${indentedJson(entry ?? null, indent + 2)}`;
      opening = ",";
    }
    yield `${blanks}]`;
  } else if (depth > 0 && isPlain(value)) {
    let opening = "{";
    for (const key of orderedKeys(value)) {
      if (value[key] === undefined) continue;
      yield `${opening}${blanks}  ${escapeBeyondAscii(JSON.stringify(key))}: `;
      opening = ",";
      yield* indentedPieces(value[key], indent + 2, depth - 1);
    }
    yield opening === "{" ? "{}" : `${blanks}}`;
  } else yield indentedJson(value, indent);
}

/** Keys as a sorted object has them: JavaScript puts those that look like indices first. */
function orderedKeys(value: Record<string, unknown>): string[] {
  const ordered: Record<string, boolean> = {};
  for (const key of Object.keys(value).sort()) ordered[key] = true;
  return Object.keys(ordered);
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value) && !("toJSON" in value);

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
