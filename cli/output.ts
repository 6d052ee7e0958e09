/**
 * The output directory of a prediction: which files it holds and how they get there, all of them or none.
 *
 * @module
 */
import { AtomicFile } from "../lib/io/atomic.ts";
import { readBytes } from "../lib/io/bytes.ts";
import { joinPath, prepareOutputFolder } from "../lib/io/folders.ts";
import { host } from "../lib/io/host.ts";
import type { RunStatus } from "./resources.ts";
import { CONFIG_FILE, predictionText, type Report, requestLines } from "../lib/report/report.ts";

/** Files an earlier run may have left, which `--overwrite` removes. */
const KNOWN = [
  "prediction.json",
  "requests.jsonl",
  CONFIG_FILE,
  "recommendation.json",
  "recommendation.csv",
  "resource-plan.json",
  "resource-runtime.json",
  "execution-events.jsonl",
  "fpm-coverage.json",
  "afd-replay-spec.json",
  "afd-qualification.json",
  { folder: "recommendations", matches: (name: string) => /^\d{4}\.yaml$/.test(name) },
];

/** What a run without a result leaves. */
const REMAINS = ["resource-plan.json", "resource-runtime.json"];
const FRUITLESS: readonly RunStatus[] = ["resource_limited", "timed_out", "cancelled", "failed"];

/**
 * Makes the directory, or clears the known files out of it. What a run without a result left is no reason to refuse: a
 * second try after a mistake needs no `--overwrite`.
 */
export async function prepareOutput(folder: string, overwrite: boolean): Promise<void> {
  prepareOutputFolder(folder, { overwrite: overwrite || (folder !== "" && await holdsNoResult(folder)), known: KNOWN });
}

/** Whether there is nothing but the status of a run that came to no result, and is no longer running. */
async function holdsNoResult(folder: string): Promise<boolean> {
  if (host().kind(folder) !== "directory") return false;
  try {
    for (const { name } of host().list(folder)) {
      if (!REMAINS.includes(name)) return false;
      const decoder = new TextDecoder();
      let text = "";
      for await (const bytes of readBytes(joinPath(folder, name))) text += decoder.decode(bytes, { stream: true });
      if (!FRUITLESS.includes(JSON.parse(text).status)) return false;
    }
    return true;
  } catch {
    return false; // whoever wrote that
  }
}

/** Writes an object with two-space indents, keys as they are. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Writes `prediction.json`, the configuration it came from, and `requests.jsonl` when records were captured. They get
 * their names when all are written.
 *
 * @param config YAML text
 * @param between called between pieces; what it throws ends the writing and leaves nothing
 * @returns the path of `prediction.json`
 */
export async function writeReport(
  folder: string,
  report: Report,
  config: string,
  between: () => void,
): Promise<string> {
  const path = joinPath(folder, "prediction.json");
  const texts: [string, Iterable<string>][] = [
    [joinPath(folder, CONFIG_FILE), [config]],
    [path, predictionText(report)],
  ];
  if (report.coverage.capture_per_request) texts.unshift([joinPath(folder, "requests.jsonl"), requestLines(report)]);
  const files: AtomicFile[] = [];
  try {
    for (const [name, pieces] of texts) {
      const file = await AtomicFile.open(name);
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
  return path;
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
