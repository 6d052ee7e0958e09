import {
  capacityResult,
  readReport,
  searchResult
} from "./drawing.js";
import {
  explainCapacity,
  explainRecommendation
} from "./analysis.js";
import {
  explainRun,
  storyText
} from "./shared.js";
import {
  jsonText
} from "./config.js";
import "./timing.js";
import {
  choice,
  command,
  number2 as number,
  paint,
  writeText
} from "./base.js";

// cli/explain.ts
var LINE = {
  command: "explain",
  summary: "Tells what a search found and why the rest lost; or when the Planner changed the replicas, what it saw and by which rule, and how the run ended.",
  options: {
    holdSeconds: number("shortest time without a change that is told", {
      value: "N",
      fallback: 60,
      least: 0
    }),
    format: choice("text to read, or the same as a list of JSON objects", [
      "text",
      "json"
    ], {
      fallback: "text"
    })
  },
  operands: {
    name: "DIR",
    help: "output directory of recommend, capacity or predict (or its prediction.json; - reads it)",
    least: 1,
    most: 1
  }
};
var explainCommand = command(LINE, async ({ holdSeconds, format }, [path]) => {
  const carried = await capacityResult(path);
  if (carried !== null) {
    const lines = explainCapacity(carried);
    writeText("stdout", format === "json" ? jsonText(lines) : `${lines.join("\n")}
`);
    return;
  }
  const search = await searchResult(path);
  if (search !== null) {
    const lines = explainRecommendation(search);
    const [first, ...rest] = lines;
    const text = () => `${[
      paint("bold", first, "stdout"),
      ...rest
    ].join("\n")}
`;
    writeText("stdout", format === "json" ? jsonText(lines) : text());
    return;
  }
  const entries = explainRun(await readReport(path), {
    holdSeconds
  });
  writeText("stdout", format === "json" ? jsonText(entries) : `${storyText(entries, {
    style
  })}
`);
});
var COLOURS = {
  change: "green",
  recommendation: "cyan",
  retune: "yellow",
  start: "bold",
  end: "bold"
};
function style(text, part, { kind }) {
  if (part === "detail") return paint("dim", text, "stdout");
  if (part === "time") return paint("cyan", text, "stdout");
  return kind === "hold" ? text : paint(COLOURS[kind], text, "stdout");
}
export {
  explainCommand
};
