/**
 * JSON text as report files have it: keys sorted, characters beyond ASCII escaped.
 *
 * @module
 */
import { escapeBeyondAscii, IndentedWriter, orderedKeys } from "./indented_writer.ts";

/** Compact text of a value, object keys sorted at every depth. */
export function compactJson(value: unknown): string {
  return escapeBeyondAscii(JSON.stringify(sortKeys(value)));
}

/** Text of a value with two-space indents, object keys sorted at every depth; `indent`: blanks before its last line. */
export function indentedJson(value: unknown, indent = 0): string {
  const writer = new IndentedWriter();
  writer.value(value, indent / 2);
  return writer.take();
}

/** Lists of more entries than this are cut into pieces. */
const LONG = 64;
/** A piece is given when it is put together from so many texts. */
const PIECE = 1 << 13;

/**
 * What {@linkcode indentedJson} gives, in pieces: long lists in an object, or in the objects it has, are cut between
 * entries, so that no text grows beyond what a string may hold. Nobody may change the value in between.
 */
export function* indentedPieces(value: unknown, indent: number): Generator<string> {
  const writer = new IndentedWriter();
  yield* cut(writer, value, indent / 2, 2);
  yield writer.take();
}

/** @param within objects inside of each other whose long lists are cut */
function* cut(writer: IndentedWriter, value: unknown, depth: number, within: number): Generator<string> {
  if (Array.isArray(value) && value.length > LONG) {
    for (let i = 0; i < value.length; i++) {
      writer.add((i === 0 ? "[" : ",") + writer.lineBreak(depth + 1));
      writer.value(value[i], depth + 1);
      if (writer.parts >= PIECE) yield writer.take();
    }
    writer.add(writer.lineBreak(depth) + "]");
  } else if (within > 0 && isPlain(value)) {
    let opening = "{";
    for (const key of orderedKeys(Object.keys(value))) {
      if (value[key] === undefined) continue;
      writer.add(opening + writer.lineBreak(depth + 1));
      writer.value(key, 0);
      writer.add(": ");
      opening = ",";
      yield* cut(writer, value[key], depth + 1, within - 1);
    }
    writer.add(opening === "{" ? "{}" : writer.lineBreak(depth) + "}");
  } else writer.value(value, depth);
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value) && !("toJSON" in value);

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== "object") return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return sortKeys(value.toJSON());
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) sorted[key] = sortKeys((value as Record<string, unknown>)[key]);
  return sorted;
}
