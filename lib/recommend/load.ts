/**
 * Reads a search: a YAML text, overrides and the name of a stack become a checked {@linkcode Recommendation}, or one
 * error with everything that is wrong. Reads no files.
 *
 * @module
 */
import { isMapping } from "../collections/mapping.ts";
import { configError, placed, placedError, type PlacedIssue } from "../config/issues.ts";
import { ConfigDocument } from "../config/document.ts";
import { checkStack, type Stack } from "../config/load.ts";
import { quote } from "../config/python_text.ts";
import { didYouMean } from "../config/schema_parts.ts";
import { checkOptions, nearName, type OptionNames } from "../errors.ts";
import type { Recommendation } from "./recommendation.ts";
import { crossRules, notes, outputRules } from "./search_rules.ts";
import { readSections, type SearchSections } from "./search_sections.ts";

/** Options of {@linkcode loadRecommendation}. */
export interface LoadRecommendationOptions {
  /** How errors call the text. Default `configuration`. */
  name?: string;
  /** Default `dynamo` when the document has a router, planner or autoscaler section, else `engine`. */
  stack?: string;
  /** `PATH=YAML_VALUE` overrides, applied in order. */
  set?: readonly string[];
  /** Output adapters that will run; each has a section of its name. */
  outputs?: readonly string[];
}

const OPTIONS: OptionNames<LoadRecommendationOptions> = { name: true, stack: true, set: true, outputs: true };

const CORE = ["engine", "evaluation", "execution", "optimization", "optimizer", "traffic"];
const STACK_SECTIONS: Readonly<Record<Stack, readonly string[]>> = {
  dynamo: ["autoscaler", "planner", "router"],
  engine: [],
};
/** Output adapters there are. */
const OUTPUTS = ["dgd"];

/**
 * Reads and checks a search.
 *
 * @param text YAML (or JSON) of one mapping
 * @throws {ConfigError} with all issues of the document, each with its path and place
 *
 * @example
 * ```ts
 * import { loadRecommendation } from "dynosim";
 *
 * const { engine, optimizer } = loadRecommendation(`
 * engine: {mode: aggregated, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, workers: {aggregated: {}}}
 * optimization: {target: throughput_per_gpu, constraints: {max_candidate_gpus: 8}}
 * `);
 * console.log(engine.modes, optimizer.max_trials); // [ 'agg' ] 320
 * ```
 */
export function loadRecommendation(text: string, options: LoadRecommendationOptions = {}): Recommendation {
  checkOptions("loadRecommendation()", options, OPTIONS);
  const { name = "configuration", set = [], outputs = [] } = options;
  const document = new ConfigDocument(name, text);
  for (const argument of set) document.override(argument, { search: true });
  const { value } = document;
  const stack = options.stack ??
    (STACK_SECTIONS.dynamo.some((section) => Object.hasOwn(value, section)) ? "dynamo" : "engine");
  checkStack(stack);

  const issues: PlacedIssue[] = [];
  checkOutputs(document, outputs, issues);
  checkNames(document, stack as Stack, outputs, issues);
  const read = readSections(document, stack as Stack, issues);
  if (issues.length > 0) throw configError(name, issues);
  const found = read as SearchSections;
  for (const [path, message] of [...crossRules(found), ...outputRules(found, outputs)]) {
    issues.push(placed(document, "", path.split("."), `Value error, ${message}`));
  }
  if (issues.length > 0) throw configError(name, issues);
  const numbers = document.ambiguousNumbers().map(({ place: { file, line, column }, text, ours, theirs }) =>
    `${file}:${line}:${column}: ${text} is ${ours} here (YAML 1.2); a YAML 1.1 reader takes it for ${theirs}`
  );
  return {
    stack: stack as Stack,
    ...found,
    sections: Object.keys(value).filter((key) =>
      STACK_SECTIONS[stack as Stack].includes(key)
    ) as Recommendation["sections"],
    outputs: Object.fromEntries(outputs.map((output) => [output, value[output] as Record<string, unknown>])),
    written: value,
    warnings: [...numbers, ...notes(found, value)],
    place: (error) => placedError(document, error),
  };
}

function checkOutputs(document: ConfigDocument, outputs: readonly string[], issues: PlacedIssue[]): void {
  for (const output of outputs) {
    const refuse = (message: string, hint?: string) => issues.push(placed(document, "", [output], message, hint));
    if (!/^[\w-]+$/.test(output)) refuse(`invalid --output name ${quote(output)}`);
    else if ([...CORE, ...STACK_SECTIONS.dynamo].includes(output)) {
      refuse(`output adapter name ${quote(output)} collides with a recommendation input section`);
    } else if (!Object.hasOwn(document.value, output)) {
      refuse(`--output ${quote(output)} requires a top-level ${quote(output)} configuration section`);
    } else if (!OUTPUTS.includes(output)) {
      const near = nearName(output, OUTPUTS);
      refuse(
        `output adapter ${quote(output)} is unavailable; installed adapters: ${OUTPUTS.join(", ")}`,
        near && didYouMean(near),
      );
    } else if (!isMapping(document.value[output])) refuse(`output section ${quote(output)} must be a mapping`);
  }
}

function checkNames(document: ConfigDocument, stack: Stack, outputs: readonly string[], issues: PlacedIssue[]): void {
  const known = [...CORE, ...STACK_SECTIONS[stack]].toSorted();
  for (const section of Object.keys(document.value)) {
    if (known.includes(section) || outputs.includes(section)) continue;
    const near = nearName(section, known);
    const message = `unknown top-level section ${quote(section)}${near ? ` (did you mean ${quote(near)}?)` : ""}; ` +
      `known sections for --stack ${stack}: ${known.join(", ")}`;
    const hint = OUTPUTS.includes(section)
      ? `it belongs to --output ${section}`
      : STACK_SECTIONS.dynamo.includes(section)
      ? "use --stack dynamo"
      : undefined;
    issues.push(placed(document, "", [section], message, hint));
  }
}
