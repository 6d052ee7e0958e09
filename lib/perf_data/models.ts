/**
 * The table of model facts that ships with the project: numbers read from the configurations in the package, and from
 * the publishers' documentation for models that are not in it.
 *
 * @module
 */
import { parsePythonJson } from "../io/python_json.ts";
import { type ModelFacts, modelFacts } from "../timing/aic/model_facts.ts";
import type { FileTree } from "../io/zip_file.ts";

/** Models that are not in the package: the shapes of another one, quantised in another way. */
const VARIANTS: Readonly<Record<string, { like: string; quant?: string }>> = {
  "meta-llama/Meta-Llama-3.1-8B-Instruct": { like: "meta-llama/Meta-Llama-3.1-8B" },
  "meta-llama/Llama-3.1-8B-Instruct": { like: "meta-llama/Meta-Llama-3.1-8B" },
  "nvidia/Llama-3.1-8B-Instruct-FP8": {
    like: "meta-llama/Meta-Llama-3.1-8B",
    quant: "nvidia/Llama-3.1-70B-Instruct-FP8",
  },
};

/**
 * Facts by model name, sorted by name.
 *
 * @param root folder of the package below which `model_configs` lies
 */
export function modelTable(files: FileTree, root: string): Record<string, ModelFacts> {
  const configs = `${root}/model_configs/`, ending = "_config.json";
  const json = (path: string) => parsePythonJson(new TextDecoder().decode(files.read(path)));
  const table: Record<string, ModelFacts> = {};
  for (const path of files.paths) {
    if (!path.startsWith(configs) || !path.endsWith(ending)) continue;
    const stem = path.slice(configs.length, -ending.length);
    if (stem.endsWith("_hf_quant")) continue;
    const quantPath = path.replace(/_config\.json$/, "_hf_quant_config.json");
    const quant = files.paths.includes(quantPath) ? json(quantPath) : {};
    table[stem.replace("--", "/")] = modelFacts(json(path), quant);
  }
  for (const [name, { like, quant }] of Object.entries(VARIANTS)) {
    table[name] = { ...table[like], quant: table[quant ?? like].quant };
  }
  return Object.fromEntries(Object.entries(table).sort(([a], [b]) => a < b ? -1 : 1));
}

/** The table as text, a line per model. */
export function modelTableText(table: Record<string, ModelFacts>): string {
  const lines = Object.entries(table).map(([name, facts]) => `${JSON.stringify(name)}: ${JSON.stringify(facts)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}
