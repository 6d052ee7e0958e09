import {
  ConfigDocument
} from "./config.js";
import {
  ByteSourceError,
  ConfigError,
  host,
  readBytes
} from "./base.js";

// lib/config/planner_source.ts
async function readPlannerConfig(source) {
  if (typeof source !== "string") return source;
  if (host().kind(source) !== "file") {
    const { value: value2, problem: problem2 } = parseJson(source);
    if (problem2 !== null) {
      throw refusal(`--config value is neither a valid file path nor valid JSON: ${problem2}`);
    }
    return mapping(value2, "the planner configuration");
  }
  const text = await fileText(source);
  if (/\.ya?ml$/i.test(source)) return new ConfigDocument(source, text).value;
  const { value, problem } = parseJson(text);
  if (problem === null) return mapping(value, source);
  if (/\.json$/i.test(source)) throw refusal(`Cannot parse ${source} as JSON: ${problem}`, source);
  return new ConfigDocument(source, text).value;
}
async function fileText(path) {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of readBytes(path)) text += decoder.decode(bytes, {
      stream: true
    });
  } catch (cause) {
    if (!(cause instanceof ByteSourceError)) throw cause;
    throw refusal(`could not read configuration ${path}: ${cause.message}`, path);
  }
  return text;
}
function parseJson(text) {
  try {
    return {
      value: JSON.parse(text),
      problem: null
    };
  } catch (error) {
    return {
      value: null,
      problem: error.message
    };
  }
}
function mapping(value, name) {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw refusal(`${name} must be one mapping of PlannerConfig fields`);
}
var refusal = (message, file) => new ConfigError(message, [
  {
    path: "",
    message,
    file
  }
]);
export {
  readPlannerConfig
};
