/**
 * `dynosim explain`: the Planner's story of a run, from its `prediction.json` alone.
 *
 * @module
 */
import { TraceError } from "../lib/errors.ts";
import { ByteSourceError, readBytes } from "../lib/io/bytes.ts";
import { joinPath } from "../lib/io/folders.ts";
import { host } from "../lib/io/host.ts";
import { writeText } from "../lib/io/process.ts";
import { type ExplainedReport, explainRun, storyText } from "../lib/planner/explain.ts";
import { choice, number } from "./arguments.ts";
import { type Command, command } from "./command.ts";
import { jsonText } from "./output.ts";

const LINE = {
  command: "explain",
  summary: "Tells when the Planner changed the replicas, what it saw and by which rule, and how the run ended.",
  options: {
    holdSeconds: number("shortest time without a change that is told", { value: "N", fallback: 60, least: 0 }),
    format: choice("text to read, or the same as a list of JSON objects", ["text", "json"], { fallback: "text" }),
  },
  operands: {
    name: "DIR",
    help: "output directory of a prediction (or its prediction.json; - reads it)",
    least: 1,
    most: 1,
  },
} as const;

/** The command. */
export const explainCommand: Command = command(LINE, async ({ holdSeconds, format }, [path]) => {
  const entries = explainRun(await readReport(path), { holdSeconds });
  writeText("stdout", format === "json" ? jsonText(entries) : `${storyText(entries)}\n`);
});

async function readReport(path: string): Promise<ExplainedReport> {
  const file = path !== "-" && host().kind(path) === "directory" ? joinPath(path, "prediction.json") : path;
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of readBytes(file)) text += decoder.decode(bytes, { stream: true });
  } catch (cause) {
    if (!(cause instanceof ByteSourceError)) throw cause;
    throw new TraceError(`Cannot ${cause.stage} ${file}: ${cause.message}`, { file }, { cause });
  }
  let report: Partial<ExplainedReport> | null;
  try {
    report = JSON.parse(text);
  } catch (cause) {
    throw new TraceError(`Cannot parse ${file} as JSON: ${(cause as Error).message}`, { file }, { cause });
  }
  if (typeof report?.summary !== "object" || report.summary === null) {
    throw new TraceError(`${file} is not a report: it has no summary`, { file });
  }
  return { summary: report.summary, planner: report.planner ?? null };
}
