/** Texts as streams of bytes, and streams as lists. */
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTrace, type ReadTraceOptions } from "../../lib/trace/read_trace.ts";
import type { TraceRequest } from "../../lib/trace/request.ts";

/** The bytes of a text in pieces of a size. */
export async function* pieces(text: string | Uint8Array, size = 1 << 16): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

/** Rows as JSON Lines; a text is a line as it is. */
export const lines = (rows: readonly (object | string)[]): string =>
  rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join("");

/** Everything a source gives. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

/** The requests of a text, without facts that are absent. */
export async function read(
  text: string | Uint8Array,
  options: ReadTraceOptions = {},
  size?: number,
): Promise<Partial<TraceRequest>[]> {
  return (await collect(readTrace(pieces(text, size), options))).map(present);
}

/** An object without its undefined members. */
export const present = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<T>;

/** A folder that did not exist before. */
export const folder = (): string => mkdtempSync(join(tmpdir(), "dynosim-trace-"));

/** Real traces, which are not part of the project; null when they are not there. */
export function realTraces(): string | null {
  const path = fileURLToPath(new URL("../../../shared/traces/", import.meta.url));
  return existsSync(path) ? path : null;
}
