/**
 * `dynosim explain`: the Planner's story of a run, from its `prediction.json` alone.
 *
 * @module
 */
import { explainCapacity } from "../lib/analysis/capacity_story.ts";
import { explainRecommendation } from "../lib/analysis/recommendation_story.ts";
import { writeText } from "../lib/io/process.ts";
import {
  type ExplainedReport,
  explainRun,
  type StoryEntry,
  type StoryPart,
  storyText,
} from "../lib/report/story/run_story.ts";
import { choice, number } from "./arguments.ts";
import { type Command, command } from "./command.ts";
import { jsonText } from "./output.ts";
import { capacityResult, readReport, searchResult } from "./reports.ts";
import { paint } from "./terminal.ts";

const LINE = {
  command: "explain",
  summary:
    "Tells what a search found and why the rest lost; or when the Planner changed the replicas, what it saw and by which rule, and how the run ended.",
  options: {
    holdSeconds: number("shortest time without a change that is told", { value: "N", fallback: 60, least: 0 }),
    format: choice("text to read, or the same as a list of JSON objects", ["text", "json"], { fallback: "text" }),
  },
  operands: {
    name: "DIR",
    help: "output directory of recommend, capacity or predict (or its prediction.json; - reads it)",
    least: 1,
    most: 1,
  },
} as const;

/** The command. */
export const explainCommand: Command = command(LINE, async ({ holdSeconds, format }, [path]) => {
  const carried = await capacityResult(path);
  if (carried !== null) {
    const lines = explainCapacity(carried);
    writeText("stdout", format === "json" ? jsonText(lines) : `${lines.join("\n")}\n`);
    return;
  }
  const search = await searchResult(path);
  if (search !== null) {
    const lines = explainRecommendation(search);
    const [first, ...rest] = lines;
    const text = () => `${[paint("bold", first, "stdout"), ...rest].join("\n")}\n`;
    writeText("stdout", format === "json" ? jsonText(lines) : text());
    return;
  }
  const entries = explainRun(await readReport<ExplainedReport>(path), { holdSeconds });
  writeText("stdout", format === "json" ? jsonText(entries) : `${storyText(entries, { style })}\n`);
});

const COLOURS = { change: "green", recommendation: "cyan", retune: "yellow", start: "bold", end: "bold" } as const;

/** Changes stand out, reasons stand back. */
function style(text: string, part: StoryPart, { kind }: StoryEntry): string {
  if (part === "detail") return paint("dim", text, "stdout");
  if (part === "time") return paint("cyan", text, "stdout");
  return kind === "hold" ? text : paint(COLOURS[kind], text, "stdout");
}
