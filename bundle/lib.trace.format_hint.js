import {
  detectFormat
} from "./traces.js";
import "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import {
  TraceError,
  host
} from "./base.js";

// lib/trace/format_hint.ts
async function formatHint(problem, file, format, replayable) {
  if ((problem.place.line ?? 1) > 2 || host().kind(file) !== "file") return problem;
  const found = await detectFormat(file).catch(() => null);
  const name = found?.format.name;
  if (found == null || name === void 0 || name === format.replaceAll("-", "_") || found.why.includes("mentions")) {
    return problem;
  }
  if (format.startsWith("mooncake") && name === "mooncake") return problem;
  const advice = replayable.includes(name) ? `write format ${name}` : `convert it first: deno task convert ${shellWord(file)} --to dynamo -o ${shellWord(convertedName(file))}, then replay that file with format dynamo`;
  return new TraceError(`${problem.message}; the file looks like ${name} (${found.why}): ${advice}`, problem.place, {
    cause: problem
  });
}
var convertedName = (file) => `${file.replace(/(\.\w{1,5}){1,2}$/, "")}-dynamo.jsonl.gz`;
var shellWord = (text) => /^[\w./~+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
export {
  formatHint
};
