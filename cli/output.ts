/**
 * The output directory of a prediction: which files it holds and how they get there, all of them or none.
 *
 * @module
 */
import { ConfigError } from "../lib/errors.ts";
import { AtomicFile, partOf } from "../lib/io/atomic.ts";
import { LOCK_FILE, takeFolder } from "../lib/io/folder_lock.ts";
import { joinPath, type OutputFolderOptions, prepareOutputFolder } from "../lib/io/folders.ts";
import { host } from "../lib/io/host.ts";
import { readText } from "../lib/io/text.ts";
import type { RunStatus } from "./resources.ts";
import { CONFIG_FILE, predictionText, type Report, requestLines } from "../lib/report/report.ts";

/** Files an earlier run may have left, which `--overwrite` removes. */
const KNOWN: OutputFolderOptions["known"] = [
  "prediction.json",
  "requests.jsonl",
  CONFIG_FILE,
  "recommendation.json",
  "recommendation.csv",
  "capacity.json",
  "resource-plan.json",
  "resource-runtime.json",
  "execution-events.jsonl",
  "fpm-coverage.json",
  "afd-replay-spec.json",
  "afd-qualification.json",
  { folder: ".", matches: (name: string) => isPart(name) },
  { folder: "recommendations", matches: (name: string) => /^\d{4}\.yaml$/.test(name) },
];

/** What a run without a result leaves. */
const REMAINS = ["resource-plan.json", "resource-runtime.json", "execution-events.jsonl"];
const FRUITLESS: readonly RunStatus[] = ["resource_limited", "timed_out", "cancelled", "failed", "running"];

/**
 * Makes the directory, or clears the known files out of it, and takes it for this process until the command ends. What a
 * run without a result left (one that was killed too) is no reason to refuse: a second try needs no `--overwrite`.
 *
 * @throws {ConfigError} when it cannot be used, or another process uses it
 */
export async function prepareOutput(folder: string, overwrite: boolean): Promise<void> {
  const exists = folder !== "" && host().kind(folder) === "directory";
  if (exists) takeFolder(folder);
  const unfinished = exists && await holdsNoResult(folder);
  prepareOutputFolder(folder, { overwrite: overwrite || unfinished, known: KNOWN, ignored: [LOCK_FILE] });
  takeFolder(folder);
}

/** Whether there is nothing but the status of a run that came to no result. It is no longer running: we have its lock. */
async function holdsNoResult(folder: string): Promise<boolean> {
  try {
    for (const { name } of host().list(folder)) {
      if (name === LOCK_FILE || isPart(name)) continue;
      if (!REMAINS.includes(name)) return false;
      const text = await readText(joinPath(folder, name), { mostBytes: 2 ** 20 });
      if (name === "execution-events.jsonl") {
        // the journal of a search, unless that was killed before its first line was written
        if (text.includes("\n") && !text.startsWith('{"event":"resource_plan"')) return false;
        continue;
      }
      if (!FRUITLESS.includes(JSON.parse(text).status)) return false;
    }
    return true;
  } catch {
    return false; // whoever wrote that
  }
}

/** Whether a name is that of an unfinished file of a run. */
const isPart = (name: string) => KNOWN.some((known) => typeof known === "string" && partOf(name, known) !== undefined);

/** A longer configuration is a mistake of the path. */
const MOST_CONFIG_BYTES = 2 ** 20;

/**
 * The text of a configuration file.
 *
 * @throws {ConfigError} when it cannot be read
 */
export async function configText(path: string): Promise<string> {
  try {
    return await readText(path, { raw: true, mostBytes: MOST_CONFIG_BYTES });
  } catch (cause) {
    const { message } = cause as Error;
    throw new ConfigError(`could not read configuration ${path}: ${message}`, [{ path: "", message, file: path }], {
      cause,
    });
  }
}

/** Writes an object with two-space indents, keys as they are. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Writes `prediction.json`, the configuration it came from, and `requests.jsonl` when records were captured. They get
 * their names when all are written.
 *
 * @param options `config`: YAML text; `flat`: the summary's keys stand at the top of `prediction.json`; `between`: called
 * between pieces, what it throws ends the writing and leaves nothing
 * @returns the path of `prediction.json`
 */
export async function writeReport(
  folder: string,
  report: Report,
  { config, flat = false, between }: { config: string; flat?: boolean; between: () => void },
): Promise<string> {
  const path = joinPath(folder, "prediction.json");
  const texts: [string, Iterable<string>][] = [
    [joinPath(folder, CONFIG_FILE), [config]],
    [path, predictionText(report, { flat })],
  ];
  if (report.coverage.capture_per_request) texts.unshift([joinPath(folder, "requests.jsonl"), requestLines(report)]);
  await writeTogether("", texts, between);
  return path;
}

/**
 * Writes several files of a folder, which get their names when all are written.
 *
 * @param texts names below the folder, and the pieces of each
 * @param between called between pieces; what it throws ends the writing and leaves nothing
 */
export async function writeTogether(
  folder: string,
  texts: readonly (readonly [string, Iterable<string>])[],
  between: () => void = () => {},
): Promise<void> {
  const files: AtomicFile[] = [];
  try {
    for (const [name, pieces] of texts) {
      const file = await AtomicFile.open(joinPath(folder, name));
      files.push(file);
      for (const piece of joined(pieces, 1 << 16)) {
        await file.write(piece);
        between();
      }
    }
    for (const file of files) await file.commit();
  } catch (error) {
    for (const file of files) file.abort();
    throw error;
  }
}

/** Pieces put together to at least `length` characters, so that a line is not a system call. */
function* joined(pieces: Iterable<string>, length: number): Generator<string> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < length) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
