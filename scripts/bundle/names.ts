/**
 * Names of files: a source, the part it becomes, and the file of the copy that says what the part consists of.
 *
 * @module
 */
import { posix } from "node:path";

/** The entry point of all commands. */
export const MAIN = "cli/main.ts";

/** What scripts import. */
export const ENTRIES = ["mod.ts", "replay.ts"];

/** Name of a part's file, without its ending: `lib/trace/dynamo.ts` becomes `lib.trace.dynamo`. */
export const partName = (source: string): string => source.replace(/\.ts$/, "").replaceAll("/", ".");

/** The file that stands for a part in the copy that is bundled. */
export const entryFile = (source: string): string => `${partName(source)}.entry.ts`;

/** A file as the specifier of an import in another one. */
export function specifier(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}
