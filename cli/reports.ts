/**
 * Finds and reads the reports that commands are given: output directories of predict, or `prediction.json` files.
 *
 * @module
 */
import { ConfigError } from "../lib/errors.ts";
import { ByteSourceError } from "../lib/io/bytes.ts";
import { CAPACITY_FILE, capacityFile, type CapacityResult, readCapacity } from "../lib/analysis/read_capacity.ts";
import { joinPath } from "../lib/io/folders.ts";
import { host } from "../lib/io/host.ts";
import {
  readRecommendation,
  recommendationFile,
  type RecommendationResult,
} from "../lib/analysis/read_recommendation.ts";
import { readText } from "../lib/io/text.ts";
import { checkReport } from "../lib/report/check_report.ts";
import { sectionedReport } from "../lib/report/report.ts";
import { showReading } from "./terminal.ts";

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
 * Reads `summary`, `planner` (null when there is none) and `evaluation` (where there is one) of a report.
 *
 * @typeParam R what the caller takes a report for
 * @throws {ConfigError} when there is none at that path
 */
export async function readReport<R>(path: string): Promise<R> {
  const file = reportFile(path);
  let value: unknown;
  try {
    const hide = showReading([file]);
    value = JSON.parse(await readText(file, { mostBytes: MOST_REPORT_BYTES }).finally(hide));
  } catch (cause) {
    if (!(cause instanceof ByteSourceError || cause instanceof SyntaxError)) throw cause;
    throw refusal(`cannot read the report ${file}: ${cause.message}`, file, cause);
  }
  const { summary, planner, evaluation } = checkReport(sectionedReport(value), file);
  return { summary, planner, evaluation } as R;
}

/** Longer texts are more than a runtime holds in one piece. */
const MOST_REPORT_BYTES = 2 ** 28;

const refusal = (message: string, file: string, cause?: Error) =>
  new ConfigError(message, [{ path: "", message, file }], { cause });

/**
 * What a deployment carries, when a path names that: a directory with a `capacity.json` and no `prediction.json`, or the
 * file itself.
 *
 * @throws {ConfigError} when it cannot be read
 */
export async function capacityResult(path: string): Promise<CapacityResult | null> {
  if (path === "-") return null;
  const file = capacityFile(path);
  if (!file.endsWith(CAPACITY_FILE) || host().kind(file) !== "file") return null;
  return host().kind(joinPath(path, "prediction.json")) === "file" ? null : await readCapacity(path);
}

/**
 * The result of a search, when a path names one: a directory with a `recommendation.json` and no `prediction.json`, or
 * the file itself.
 *
 * @throws {ConfigError} when it cannot be read
 */
export async function searchResult(path: string): Promise<RecommendationResult | null> {
  if (path === "-") return null;
  const file = recommendationFile(path);
  if (!file.endsWith("recommendation.json") || host().kind(file) !== "file") return null;
  return host().kind(joinPath(path, "prediction.json")) === "file" ? null : await readRecommendation(path);
}
