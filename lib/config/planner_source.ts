/**
 * Where a Planner's configuration may come from in scripts: a mapping, JSON text, or the path of a JSON or YAML file.
 *
 * @module
 */
import { isMapping } from "../collections/mapping.ts";
import { ConfigError } from "../errors.ts";
import { ByteSourceError, readBytes } from "../io/bytes.ts";
import { host } from "../io/host.ts";
import { ConfigDocument } from "./document.ts";

/**
 * Reads a Planner configuration. A text that names an existing file is that file (`.json` as JSON, `.yaml` and `.yml` as
 * YAML, anything else as JSON where it is JSON and as YAML where not); any other text is JSON itself.
 *
 * @returns a mapping with `PlannerConfig` names, not checked yet
 * @throws {ConfigError} for text that is neither, and for a file that holds no mapping
 *
 * @example
 * ```ts
 * import { readPlannerConfig } from "dynosim";
 *
 * const config = await readPlannerConfig('{"mode": "agg", "max_gpu_budget": 4}');
 * console.log(config.max_gpu_budget); // 4
 * ```
 */
export async function readPlannerConfig(
  source: Record<string, unknown> | string,
): Promise<Record<string, unknown>> {
  if (typeof source !== "string") return source;
  if (host().kind(source) !== "file") {
    const { value, problem } = parseJson(source);
    if (problem !== null) {
      throw refusal(`--config value is neither a valid file path nor valid JSON: ${problem}`);
    }
    return mapping(value, "the planner configuration");
  }
  const text = await fileText(source);
  if (/\.ya?ml$/i.test(source)) return new ConfigDocument(source, text).value;
  const { value, problem } = parseJson(text);
  if (problem === null) return mapping(value, source);
  if (/\.json$/i.test(source)) throw refusal(`Cannot parse ${source} as JSON: ${problem}`, source);
  return new ConfigDocument(source, text).value;
}

async function fileText(path: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of readBytes(path)) text += decoder.decode(bytes, { stream: true });
  } catch (cause) {
    if (!(cause instanceof ByteSourceError)) throw cause;
    throw refusal(`could not read configuration ${path}: ${cause.message}`, path);
  }
  return text;
}

function parseJson(text: string): { value: unknown; problem: string | null } {
  try {
    return { value: JSON.parse(text), problem: null };
  } catch (error) {
    return { value: null, problem: (error as Error).message };
  }
}

function mapping(value: unknown, name: string): Record<string, unknown> {
  if (isMapping(value)) return value;
  throw refusal(`${name} must be one mapping of PlannerConfig fields`);
}

const refusal = (message: string, file?: string) => new ConfigError(message, [{ path: "", message, file }]);
