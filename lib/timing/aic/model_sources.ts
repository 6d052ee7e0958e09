/**
 * Where facts of a named model come from: a folder, the shipped table, the hub's local cache, the hub.
 *
 * @module
 */
import { ConfigError, nearName } from "../../errors.ts";
import { readTextIfThere, SHIPPED_DATA } from "../../io/data_files.ts";
import {
  type ModelConfigFiles,
  modelConfigFromHub,
  modelConfigInFolder,
  modelConfigInHubCache,
} from "../../io/model_files.ts";
import { type ModelFacts, modelFacts } from "./model_facts.ts";

/** A model that was found. */
export interface FoundModel {
  /** Name as it was found: an id, or a folder. */
  readonly name: string;
  /** The model in numbers. */
  readonly facts: ModelFacts;
  /** Where the facts are from: a folder, `shipped`, or an address. */
  readonly from: string;
}

let table: Readonly<Record<string, ModelFacts>> | undefined;

/** The shipped facts by model, read once. */
function shippedTable(): Readonly<Record<string, ModelFacts>> {
  return table ??= JSON.parse(readTextIfThere(new URL("models.json", SHIPPED_DATA)) ?? "{}");
}

/**
 * Names of the models whose facts come with the project.
 *
 * @example
 * ```ts
 * import { shippedModels } from "dynosim";
 *
 * console.log(shippedModels().includes("Qwen/Qwen3-32B")); // true
 * ```
 */
export function shippedModels(): string[] {
  return Object.keys(shippedTable());
}

/**
 * Facts of a model that are on this machine: `model` is a folder with a `config.json`, a shipped name, or a name in the
 * hub's local cache. Undefined when it is none of these.
 *
 * @throws {ConfigError} when a configuration is there but is not JSON.
 *
 * @example
 * ```ts
 * import { findModel } from "dynosim";
 *
 * console.log(findModel("Qwen/Qwen3-32B")?.facts.layers); // 64
 * ```
 */
export function findModel(model: string): FoundModel | undefined {
  try {
    const folder = modelConfigInFolder(model);
    if (folder) return found(model, folder);
    const shipped = shippedTable();
    if (Object.hasOwn(shipped, model)) return { name: model, facts: shipped[model], from: "shipped" };
    const cached = modelConfigInHubCache(model);
    return cached && found(model, cached);
  } catch (problem) {
    if (problem instanceof SyntaxError) throw new ConfigError(problem.message, [], { cause: problem });
    throw problem;
  }
}

/**
 * Facts of a model, from this machine or else from the hub.
 *
 * @throws {ConfigError} when the model is nowhere to be had.
 *
 * @example
 * ```ts
 * import { loadModel } from "dynosim";
 *
 * const { facts, from } = await loadModel("Qwen/Qwen3-32B");
 * console.log(facts.layers, facts.contextLength, from); // 64 40960 shipped
 * ```
 */
export async function loadModel(model: string): Promise<FoundModel> {
  const local = findModel(model);
  if (local) return local;
  try {
    return found(model, await modelConfigFromHub(model));
  } catch (problem) {
    throw unknownModel(model, problem);
  }
}

/** The error for a model that is neither on this machine nor, where that was tried, on the hub. */
export function unknownModel(model: string, cause?: unknown): ConfigError {
  const near = nearName(model, shippedModels());
  const reason = cause instanceof Error ? cause.message.split("\n")[0].replace(/[.;,\s]+$/, "") : "not on this machine";
  const message = `could not load Hugging Face config for '${model}' (${reason}); ` +
    (near ? `did you mean '${near}'? Else ` : "") +
    "give a folder that holds its config.json, or one of the models that come with the tool";
  return new ConfigError(message, [{ path: "model", message }], { cause });
}

/**
 * The longest sequence of a model.
 *
 * @throws {ConfigError} when its configuration does not say.
 *
 * @example
 * ```ts
 * import { findModel, maxContextLength } from "dynosim";
 *
 * console.log(maxContextLength(findModel("Qwen/Qwen3-32B")!)); // 40960
 * ```
 */
export function maxContextLength({ name, facts }: Pick<FoundModel, "name" | "facts">): number {
  if (facts.contextLength !== null) return facts.contextLength;
  throw new ConfigError(`Hugging Face config for '${name}' does not declare a maximum context length`);
}

function found(name: string, files: ModelConfigFiles): FoundModel {
  return { name, facts: modelFacts(files.config, files.hfQuantConfig), from: files.from };
}
