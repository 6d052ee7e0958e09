/**
 * Finds and reads the reports that commands are given: output directories of predict, or `prediction.json` files.
 *
 * @module
 */
import { ConfigError } from "../lib/errors.ts";
import { ByteSourceError, readBytes } from "../lib/io/bytes.ts";
import { joinPath } from "../lib/io/folders.ts";
import { host } from "../lib/io/host.ts";

/**
 * The file of a report.
 *
 * @param path an output directory of predict, a file, or `-` for standard input
 * @throws {ConfigError} when there is none
 */
export function reportFile(path: string): string {
  if (path === "-") return path;
  const file = host().kind(path) === "directory" ? joinPath(path, "prediction.json") : path;
  if (host().kind(file) === "missing") throw refusal(`there is no report: ${file} does not exist`, file);
  return file;
}

/**
 * Reads `summary` and `planner` (null when there is none) of a report.
 *
 * @typeParam R what the caller takes a report for
 * @throws {ConfigError} when there is none at that path
 */
export async function readReport<R>(path: string): Promise<R> {
  const file = reportFile(path);
  const decoder = new TextDecoder();
  let text = "";
  let report: { summary?: unknown; planner?: unknown } | null;
  try {
    for await (const bytes of readBytes(file)) text += decoder.decode(bytes, { stream: true });
    report = JSON.parse(text + decoder.decode());
  } catch (cause) {
    if (!(cause instanceof ByteSourceError || cause instanceof SyntaxError)) throw cause;
    throw refusal(`cannot read the report ${file}: ${cause.message}`, file, cause);
  }
  if (typeof report?.summary !== "object" || report.summary === null) {
    throw refusal(`${file} is no report: it has no summary`, file);
  }
  return { summary: report.summary, planner: report.planner ?? null } as R;
}

const refusal = (message: string, file: string, cause?: Error) =>
  new ConfigError(message, [{ path: "", message, file }], { cause });
