/**
 * What a trace that cannot be read in one format looks like instead.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import { host } from "../io/host.ts";
import { detectFormat } from "./detect.ts";

/**
 * The problem, with what to do when its file looks like another format: name that format, or convert the file first.
 *
 * @param format the format that was said
 * @param replayable formats that need no conversion
 */
export async function formatHint(
  problem: TraceError,
  file: string,
  format: string,
  replayable: readonly string[],
): Promise<TraceError> {
  if ((problem.place.line ?? 1) > 2 || host().kind(file) !== "file") return problem;
  const found = await detectFormat(file).catch(() => null);
  const name = found?.format.name;
  if (found == null || name === undefined || name === format.replaceAll("-", "_") || found.why.includes("mentions")) {
    return problem;
  }
  if (format.startsWith("mooncake") && name === "mooncake") return problem;
  const advice = replayable.includes(name)
    ? `write format ${name}`
    : `convert it first: deno task convert ${shellWord(file)} --to dynamo -o ${shellWord(convertedName(file))}, ` +
      "then replay that file with format dynamo";
  return new TraceError(`${problem.message}; the file looks like ${name} (${found.why}): ${advice}`, problem.place, {
    cause: problem,
  });
}

const convertedName = (file: string) => `${file.replace(/(\.\w{1,5}){1,2}$/, "")}-dynamo.jsonl.gz`;

const shellWord = (text: string) => /^[\w./~+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
