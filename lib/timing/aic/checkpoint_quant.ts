/**
 * What a checkpoint says about its quantisation: `quantization_config` of `config.json` and the `quantization` part of
 * `hf_quant_config.json`, in the forms that ModelOpt, compressed-tensors and the frameworks' own FP8 write.
 *
 * @module
 */
import { isMapping } from "../../collections/mapping.ts";
import type { GemmMode, MoeMode } from "./quant.ts";

/** A parsed JSON object. */
export type Json = Record<string, any>;

/** What a checkpoint says about its quantisation, texts in lower case. */
export interface CheckpointQuant {
  /**
   * `fp8`, `fp8_block`, `nvfp4`, `mxfp4`, `mixed_precision`, `compressed-tensors`, another name, or null when the
   * checkpoint is not quantised.
   */
  readonly algorithm: string | null;
  /** `fp8`, `bfloat16`, `none`, another name, or null when the checkpoint does not say. */
  readonly kvAlgorithm: string | null;
  /** Whether activations are scaled at run time; null when the checkpoint does not say. */
  readonly dynamicActivations: boolean | null;
  /** Rows and columns of a weight block that shares a scale; null when there are none. */
  readonly weightBlock: readonly number[] | null;
  /** Modes of checkpoints whose parts are quantised in different ways; null where such a checkpoint says nothing. */
  readonly byPart: { readonly gemm: GemmMode | null; readonly moe: MoeMode | null };
}

/** A part of a model and how its weights are quantised. */
export type QuantisedPart = readonly [target: string, algorithm: string];

/** The quantisation of a checkpoint as it stands in its files, for families that look at single parts. */
export interface CheckpointParts {
  /** `quantization_config`, empty when there is none. */
  readonly own: Json;
  /** Parts with an algorithm of their own, by the names the checkpoint gives them: its layers, then its groups. */
  readonly quantised: readonly QuantisedPart[];
  /** The layers alone. */
  readonly layers: readonly QuantisedPart[];
  /** Names and patterns of parts that are not quantised. */
  readonly excluded: readonly string[];
}

/** The quantisation of a checkpoint as written. `nested` is the `text_config` of models that have one, else null. */
export function checkpointParts(config: Json, hfQuantConfig: Json, nested: Json | null): CheckpointParts {
  const other = mapping(hfQuantConfig.quantization);
  const own =
    "quantization_config" in config || other.quant_algo || other.quantization_algo || other.kv_cache_quant_algo
      ? mapping(config.quantization_config)
      : mapping(nested?.quantization_config);
  const groups = Object.values(mapping(own.config_groups)).map(mapping);
  const layers = [...layerAlgorithms(other.quantized_layers), ...layerAlgorithms(own.quantized_layers)];
  return {
    own,
    layers,
    quantised: [
      ...layers,
      ...groups.flatMap((group) => {
        const algorithm = groupAlgorithm(mapping(group.weights));
        return algorithm === null ? [] : list(group.targets).map((target): QuantisedPart => [target, algorithm]);
      }),
    ],
    excluded: [
      ...list(own.modules_to_not_convert),
      ...list(own.exclude_modules),
      ...list(own.ignore),
      ...list(other.exclude_modules),
      ...list(other.ignore),
    ],
  };
}

/** What the parts amount to for the model as a whole. */
export function checkpointQuant(parts: CheckpointParts, hfQuantConfig: Json): CheckpointQuant {
  const { own } = parts;
  const other = mapping(hfQuantConfig.quantization);
  const block = list(own.weight_block_size).map(Number);
  let algorithm = firstText(
    other.quant_algo,
    own.quant_algo,
    own.quant_method,
    own.quantization_method,
    other.quantization_algo,
  );
  if (algorithm !== null && Object.hasOwn(ALIASES, algorithm)) algorithm = ALIASES[algorithm];
  if (algorithm === "fp8" && block.length > 0) algorithm = "fp8_block";
  const dynamicActivations = dynamicActivationsOf(own);
  return {
    algorithm,
    kvAlgorithm: kvAlgorithmOf(own, other),
    dynamicActivations,
    weightBlock: block.length > 0 ? block : null,
    byPart: algorithm === "mixed_precision"
      ? mixedModes(parts, dynamicActivations)
      : algorithm === "compressed-tensors"
      ? compressedModes(own)
      : { gemm: null, moe: null },
  };
}

const ALIASES: Readonly<Record<string, string>> = {
  w4a16_mxfp4: "mxfp4",
  "mixed-precision": "mixed_precision",
  mixedprecision: "mixed_precision",
};

const PART_ALIASES: Readonly<Record<string, string>> = { e4m3: "fp8", e5m2: "fp8", fp4: "nvfp4" };

function partAlgorithm(value: unknown): string | null {
  const text = firstText(value)?.trim() ?? null;
  return text === null ? null : Object.hasOwn(PART_ALIASES, text) ? PART_ALIASES[text] : text;
}

function layerAlgorithms(layers: unknown): QuantisedPart[] {
  return Object.entries(mapping(layers)).flatMap(([target, about]): QuantisedPart[] => {
    const algorithm = isJson(about) ? namedAlgorithm(about) : partAlgorithm(about);
    return algorithm === null ? [] : [[target, algorithm]];
  });
}

function namedAlgorithm(about: Json): string | null {
  return partAlgorithm(about.quant_algo || about.quantization_algo || about.quant_method);
}

/** What a group of layers is quantised to, by its name or by the width and type of its weights. */
function groupAlgorithm(weights: Json): string | null {
  const named = namedAlgorithm(weights);
  if (named !== null || !isFloat(weights)) return named;
  if (weights.num_bits === 8) return weights.group_size === 32 ? "mxfp8" : "fp8";
  return weights.num_bits === 4 ? "nvfp4" : null;
}

const isFloat = ({ type }: Json) => String(type ?? "").toLowerCase().includes("float");

/** Whether a part belongs to the experts that tokens are routed to. */
export function isRoutedExpert(target: string): boolean {
  const name = target.toLowerCase();
  if (name.includes("shared_expert")) return false;
  return name.includes(".experts.") || name.endsWith(".experts") || name.includes("routing_expert");
}

/**
 * One mode for all products and one for all experts, though layers differ. A checkpoint of which only the experts were
 * quantised again keeps what it says about the rest.
 */
function mixedModes({ own, quantised }: CheckpointParts, dynamic: boolean | null): CheckpointQuant["byPart"] {
  const algorithms = (routed: boolean) =>
    new Set(quantised.filter(([target]) => isRoutedExpert(target) === routed).map(([, algorithm]) => algorithm));
  const rest = algorithms(false);
  const experts = algorithms(true);
  const wholeTensors: GemmMode = dynamic === true ? "fp8" : "fp8_static";
  let gemm: GemmMode | null = null;
  if (firstText(own.quant_method) === "fp8") {
    gemm = list(own.weight_block_size).length > 0 ? "fp8_block" : wholeTensors;
  } else if (rest.has("mxfp8")) gemm = "fp8_block";
  else if (rest.has("fp8")) gemm = wholeTensors;
  else if (rest.has("w4a16_nvfp4")) gemm = "w4a16_nvfp4";
  else if (rest.has("nvfp4")) gemm = "nvfp4";
  let moe: MoeMode | null = null;
  if (experts.has("w4a16_nvfp4")) moe = "w4a16_nvfp4";
  else if (experts.has("nvfp4")) moe = "nvfp4";
  else if (experts.has("mxfp8")) moe = "fp8_block";
  else if (experts.has("fp8")) moe = "fp8";
  return { gemm, moe };
}

/** The first group that says how its weights are stored counts, for products unless attention is left out, for experts too. */
function compressedModes(own: Json): CheckpointQuant["byPart"] {
  const stored = Object.values(mapping(own.config_groups)).map((group) => storedMode(mapping(mapping(group).weights)))
    .find((mode) => mode !== null);
  if (stored === undefined) return { gemm: null, moe: null };
  const ignored = list(own.ignore).map((pattern) => pattern.toLowerCase());
  const attention = ignored.some((name) => /self_attn|q_proj|k_proj|v_proj|o_proj/.test(name));
  const experts = ignored.some((name) => name.includes("expert") && !name.includes("shared_expert"));
  // a mode that exists for the other kind only is refused when the modes are chosen
  return { gemm: attention ? null : stored as GemmMode, moe: experts ? null : stored as MoeMode };
}

function storedMode(weights: Json): string | null {
  const whole = String(weights.type ?? "").toLowerCase().includes("int");
  if (weights.num_bits === 4) return whole ? "int4_wo" : isFloat(weights) ? "w4a16_mxfp4" : null;
  if (weights.num_bits !== 8) return null;
  if (whole) return "int8_wo";
  if (!isFloat(weights)) return null;
  return String(weights.strategy ?? "").toLowerCase() === "block" || weights.block_structure ? "fp8_block" : "fp8";
}

function kvAlgorithmOf(own: Json, other: Json): string | null {
  const named = firstText(
    other.kv_cache_quant_algo,
    own.kv_cache_quant_algo,
    own.kv_cache_quant_method,
    own.kv_cache_dtype,
  );
  if (named !== null) {
    if (["fp8", "e4m3", "e5m2"].includes(named)) return "fp8";
    return ["fp16", "float16", "bf16", "bfloat16"].includes(named) ? "bfloat16" : named;
  }
  const scheme = mapping(own.kv_cache_scheme);
  const type = String(scheme.type ?? "").toLowerCase();
  if (type.includes("fp8")) return "fp8";
  if (type !== "float" || !Number.isInteger(scheme.num_bits)) return null;
  return scheme.num_bits <= 8 ? "fp8" : scheme.num_bits >= 16 ? "bfloat16" : null;
}

function dynamicActivationsOf(own: Json): boolean | null {
  const scheme = firstText(own.activation_scheme);
  if (scheme === "dynamic") return true;
  if (scheme === "static") return false;
  const said = Object.values(mapping(own.config_groups)).map(mapping)
    .flatMap((group) => [mapping(group.input_activations), mapping(group.weights)])
    .filter((part) => "dynamic" in part).map((part) => Boolean(part.dynamic));
  return said.length === 0 ? null : said.includes(true);
}

/** Whether a value is a JSON object. */
export const isJson = (value: unknown): value is Json => isMapping(value);

const mapping = (value: unknown): Json => isJson(value) ? value : {};
const list = (value: unknown): string[] => Array.isArray(value) ? value.map(String) : [];

function firstText(...values: unknown[]): string | null {
  for (const value of values) {
    if (typeof value === "string" && value.trim() !== "") return value.trim().toLowerCase();
  }
  return null;
}
