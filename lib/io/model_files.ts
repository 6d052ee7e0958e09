/**
 * Configurations of language models as files: in a folder, in the local cache of the model hub, on the hub itself.
 *
 * @module
 */
import { isMapping } from "../collections/mapping.ts";
import { readTextIfThere } from "./data_files.ts";
import { environment } from "./process.ts";
import { parsePythonJson } from "./python_json.ts";

/** The parsed configuration of a checkpoint. */
export interface ModelConfigFiles {
  readonly config: Record<string, any>;
  /** `hf_quant_config.json`, where the checkpoint has one. */
  readonly hfQuantConfig?: Record<string, any>;
  /** Where it was found, for reports. */
  readonly from: string;
}

const CONFIG = "config.json";
const QUANT_CONFIG = "hf_quant_config.json";

/**
 * The configuration in a folder; undefined when there is none.
 *
 * @throws {SyntaxError} when a file is not JSON, with its path in the message.
 */
export function modelConfigInFolder(folder: string): ModelConfigFiles | undefined {
  const base = folder.replace(/\/+$/, "");
  const config = parsed(`${base}/${CONFIG}`);
  if (config === undefined) return undefined;
  return { config, hfQuantConfig: parsed(`${base}/${QUANT_CONFIG}`), from: base };
}

function parsed(path: string): Record<string, any> | undefined {
  const text = readTextIfThere(path);
  if (text === undefined) return undefined;
  try {
    const value: unknown = parsePythonJson(text);
    if (isMapping(value)) return value;
    throw new SyntaxError("it is not a JSON object");
  } catch (problem) {
    throw new SyntaxError(`Cannot parse ${path}: ${(problem as Error).message}`);
  }
}

/** The configuration in the local cache of the model hub (`HF_HUB_CACHE`, `HF_HOME`, `~/.cache/huggingface`). */
export function modelConfigInHubCache(model: string): ModelConfigFiles | undefined {
  const user = environment("HOME") || environment("USERPROFILE");
  const home = environment("HF_HOME") || user && `${user}/.cache/huggingface`;
  const cache = environment("HF_HUB_CACHE") || home && `${home}/hub`;
  if (!cache) return undefined;
  const folder = `${cache}/models--${model.replaceAll("/", "--")}`;
  const revision = readTextIfThere(`${folder}/refs/main`)?.trim();
  return revision === undefined ? undefined : modelConfigInFolder(`${folder}/snapshots/${revision}`);
}

/**
 * The configuration from the model hub (`HF_ENDPOINT`, `HF_TOKEN`).
 *
 * @throws {Error} when the hub may not be asked (`HF_HUB_OFFLINE`), cannot be reached, or does not have the model.
 */
export async function modelConfigFromHub(model: string): Promise<ModelConfigFiles> {
  const offline = environment("HF_HUB_OFFLINE");
  if (offline && offline !== "0") throw new Error(`HF_HUB_OFFLINE=${offline}`);
  if (!/^[\w.-]+\/[\w.-]+$/.test(model)) throw new Error("not a name of the form <organisation>/<model>");
  const hub = (environment("HF_ENDPOINT") || "https://huggingface.co").replace(/\/+$/, "");
  const at = (file: string) => `${hub}/${model}/resolve/main/${file}`;
  const config = await fetched(at(CONFIG));
  if (config === undefined) throw new Error(`${at(CONFIG)} does not exist`);
  return { config, hfQuantConfig: await fetched(at(QUANT_CONFIG)), from: at(CONFIG) };
}

async function fetched(url: string): Promise<Record<string, any> | undefined> {
  const token = environment("HF_TOKEN");
  const answer = await fetch(url, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
    signal: AbortSignal.timeout(15_000),
  });
  if (answer.status === 404) {
    await answer.body?.cancel();
    return undefined;
  }
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new Error(`${url} answered ${answer.status} ${answer.statusText}`.trim());
  }
  return parsePythonJson(await answer.text());
}
