/**
 * What the performance model knows of a language model: shapes and quantisation, read from a checkpoint's
 * `config.json` and `hf_quant_config.json`.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";
import { familyOf } from "./families/registry.ts";

/** What a checkpoint says about its quantisation, texts in lower case. */
export interface CheckpointQuant {
  /** `fp8`, `fp8_block`, `nvfp4`, `mxfp4`, another name, or null when the checkpoint is not quantised. */
  readonly algorithm: string | null;
  readonly kvAlgorithm: "fp8" | "bfloat16" | null;
  /** Whether activations are scaled at run time; null when the checkpoint does not say. */
  readonly dynamicActivations: boolean | null;
  /** Rows and columns of a weight block that shares a scale; null when there are none. */
  readonly weightBlock: readonly number[] | null;
  /** Attention projections that are not quantised. */
  readonly plainProjections: { readonly q: boolean; readonly kv: boolean; readonly o: boolean };
}

/** A language model in numbers. Counts are 0 where the configuration has none. */
export interface ModelFacts {
  readonly architecture: string;
  /** Family of operator lists; null when there is none for the architecture. */
  readonly family: string | null;
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  /** KV heads; 0 when the configuration names none. */
  readonly kvHeads: number;
  readonly headSize: number;
  readonly inter: number;
  readonly vocab: number;
  readonly topk: number;
  readonly experts: number;
  readonly moeInter: number;
  /** Latent attention; null for ordinary attention. */
  readonly latent: { readonly kvRank: number; readonly ropeSize: number; readonly valueSize: number } | null;
  /** Longest sequence, null when the configuration does not say. */
  readonly contextLength: number | null;
  /** Number format the weights are stored in, as written; null when the configuration does not say. */
  readonly storedType: string | null;
  readonly quant: CheckpointQuant;
  /** What the family knows of the model besides, as plain JSON; null when nothing. */
  readonly own: unknown;
  /** Why the configuration is not enough to time the model; null when it is. */
  readonly problem: string | null;
}

/** A parsed JSON object. */
export type Json = Record<string, any>;

/**
 * Facts from the parsed `config.json` of a checkpoint and, where it has one, its parsed `hf_quant_config.json`. A
 * configuration of several parts (vision, text) is read from its `text_config`.
 *
 * @example
 * ```ts
 * import { modelFacts } from "dynosim";
 *
 * const facts = modelFacts({
 *   architectures: ["LlamaForCausalLM"], num_hidden_layers: 32, hidden_size: 4096, num_attention_heads: 32,
 *   num_key_value_heads: 8, intermediate_size: 14336, vocab_size: 128256, max_position_embeddings: 131072,
 * });
 * console.log(facts.headSize, facts.contextLength); // 128 131072
 * ```
 */
export function modelFacts(config: Json, hfQuantConfig: Record<string, any> = {}): ModelFacts {
  const architecture = String(config.architectures?.[0] ?? "");
  const family = familyOf(architecture);
  const text: Json = !isMapping(config.text_config)
    ? config
    : family?.nested?.includes(architecture)
    ? config.text_config
    : { ...config, ...config.text_config };
  const heads = wholeOr0(text.num_attention_heads);
  const hidden = wholeOr0(text.hidden_size);
  const inter = wholeOr0(text.intermediate_size);
  const experts = firstWhole(text, ["num_local_experts", "n_routed_experts", "moe_num_experts", "num_experts"]);
  const facts: ModelFacts = {
    architecture,
    family: family?.name ?? null,
    layers: wholeOr0(text.num_hidden_layers),
    hidden,
    heads,
    kvHeads: wholeOr0(text.num_key_value_heads),
    headSize: firstWhole(text, ["head_dim", "attention_head_dim"]) || (heads > 0 ? Math.floor(hidden / heads) : 0),
    inter,
    vocab: wholeOr0(text.vocab_size),
    topk: firstWhole(text, ["num_experts_per_tok", "top_k_experts", "moe_top_k"]),
    experts,
    moeInter: wholeOr0(text.moe_intermediate_size) || inter,
    latent: latentFacts(text),
    contextLength: contextLengthOf(config),
    storedType: config.torch_dtype ?? config.dtype ?? text.torch_dtype ?? text.dtype ?? null,
    quant: checkpointQuant(config, hfQuantConfig),
    own: null,
    problem: null,
  };
  if (family === undefined) return facts;
  try {
    requireSizes(text, facts);
    return { ...facts, own: family.own?.(text, facts, config) ?? null };
  } catch (problem) {
    if (problem instanceof ConfigError) return { ...facts, problem: problem.message };
    throw problem;
  }
}

/** Fields without which no model can be timed. */
const SIZES = [
  ["layers", "num_hidden_layers"],
  ["hidden", "hidden_size"],
  ["heads", "num_attention_heads"],
  ["vocab", "vocab_size"],
] as const;

function requireSizes(text: Json, facts: ModelFacts): void {
  for (const [fact, field] of SIZES) {
    if (facts[fact] > 0) continue;
    const found = text[field] === undefined ? "is missing" : `is ${JSON.stringify(text[field])}`;
    throw new ConfigError(`'${field}' in the model's config.json ${found}; expected a whole number from 1`);
  }
}

function latentFacts(text: Json): ModelFacts["latent"] {
  const kvRank = wholeOr0(text.kv_lora_rank);
  if (kvRank === 0) return null;
  return { kvRank, ropeSize: wholeOr0(text.qk_rope_head_dim), valueSize: wholeOr0(text.v_head_dim) };
}

const CONTEXT_KEYS = [
  "max_position_embeddings",
  "model_max_length",
  "max_sequence_length",
  "seq_length",
  "n_positions",
];

function contextLengthOf(config: Json): number | null {
  const places = isMapping(config.text_config) ? [config.text_config, config] : [config];
  for (const place of places) {
    const found = firstWhole(place, CONTEXT_KEYS);
    if (found > 0) return found;
  }
  return null;
}

function checkpointQuant(config: Json, hfQuantConfig: Json): CheckpointQuant {
  const own: Json = isMapping(config.quantization_config) ? config.quantization_config : {};
  const other: Json = isMapping(hfQuantConfig.quantization) ? hfQuantConfig.quantization : {};
  const block = Array.isArray(own.weight_block_size) && own.weight_block_size.length > 0
    ? own.weight_block_size.map(Number)
    : null;
  let algorithm = firstText(
    other.quant_algo,
    own.quant_algo,
    own.quant_method,
    own.quantization_method,
  );
  if (algorithm === "fp8" && block) algorithm = "fp8_block";
  if (algorithm === "w4a16_mxfp4") algorithm = "mxfp4";
  const excluded = [
    ...listOf(other.exclude_modules),
    ...listOf(own.exclude_modules),
    ...listOf(own.modules_to_not_convert),
    ...listOf(own.ignore),
  ];
  return {
    algorithm,
    kvAlgorithm: kvAlgorithmOf(own, other),
    dynamicActivations: dynamicActivationsOf(own),
    weightBlock: block,
    plainProjections: plainProjections(excluded),
  };
}

function kvAlgorithmOf(own: Json, other: Json): "fp8" | "bfloat16" | null {
  const named = firstText(
    other.kv_cache_quant_algo,
    own.kv_cache_quant_algo,
    own.kv_cache_quant_method,
    own.kv_cache_dtype,
  );
  if (named !== null) {
    if (["fp8", "e4m3", "e5m2"].includes(named)) return "fp8";
    if (["fp16", "float16", "bf16", "bfloat16"].includes(named)) return "bfloat16";
  }
  const scheme = own.kv_cache_scheme;
  if (typeof scheme === "string") return scheme.toLowerCase().includes("fp8") ? "fp8" : null;
  if (!isMapping(scheme)) return null;
  const type = String(scheme.type ?? "").toLowerCase();
  if (type.includes("fp8")) return "fp8";
  if (type !== "float") return null;
  const bits = Number(scheme.num_bits);
  return bits <= 8 ? "fp8" : bits >= 16 ? "bfloat16" : null;
}

function dynamicActivationsOf(own: Json): boolean | null {
  const scheme = typeof own.activation_scheme === "string" ? own.activation_scheme.toLowerCase() : null;
  if (scheme === "dynamic") return true;
  if (scheme === "static") return false;
  for (const group of Object.values(isMapping(own.config_groups) ? own.config_groups : {})) {
    for (const part of [group?.input_activations, group?.weights]) {
      if (typeof part?.dynamic === "boolean") return part.dynamic;
    }
  }
  return null;
}

/** Which attention projections are left alone in any layer. */
function plainProjections(excluded: readonly string[]): CheckpointQuant["plainProjections"] {
  const plain = { q: false, kv: false, o: false };
  for (const entry of excluded) {
    const inside = /self_attn(.*)$/.exec(entry)?.[1];
    if (inside === undefined) continue;
    if (inside === "*") plain.q = plain.kv = plain.o = true;
    else if (/^\.q_[ab]_proj/.test(inside)) plain.q = true;
    else if (/^\.kv_(a_proj|b_proj)/.test(inside)) plain.kv = true;
    else if (/^\.o_proj/.test(inside)) plain.o = true;
  }
  return plain;
}

const isMapping = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): string[] => Array.isArray(value) ? value.map(String) : [];
const wholeOr0 = (value: unknown) => Number.isInteger(value) && (value as number) > 0 ? value as number : 0;

function firstWhole(place: Json, keys: readonly string[]): number {
  for (const key of keys) {
    if (wholeOr0(place[key]) > 0) return place[key];
  }
  return 0;
}

function firstText(...values: unknown[]): string | null {
  for (const value of values) {
    if (typeof value === "string" && value !== "") return value.toLowerCase();
  }
  return null;
}
