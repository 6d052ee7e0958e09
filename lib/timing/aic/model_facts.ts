/**
 * What the performance model knows of a language model: shapes and quantisation, read from a checkpoint's
 * `config.json` and `hf_quant_config.json`.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";
import { checkpointParts, type CheckpointQuant, checkpointQuant, isJson, type Json } from "./checkpoint_quant.ts";
import { familyOf } from "./families/registry.ts";

/** A language model in numbers. Counts are 0 where the configuration has none. */
export interface ModelFacts {
  /** `architectures[0]` of `config.json`. */
  readonly architecture: string;
  /** Family of operator lists; null when there is none for the architecture. */
  readonly family: string | null;
  /** Layers of the language model. */
  readonly layers: number;
  /** Elements of a token between layers. */
  readonly hidden: number;
  /** Attention heads. */
  readonly heads: number;
  /** KV heads; 0 when the configuration names none. */
  readonly kvHeads: number;
  /** Elements of an attention head. */
  readonly headSize: number;
  /** Width of the dense feed-forward part. */
  readonly inter: number;
  /** Tokens of the vocabulary. */
  readonly vocab: number;
  /** Experts that a token is routed to. */
  readonly topk: number;
  /** Routed experts of a layer. */
  readonly experts: number;
  /** Width of an expert. */
  readonly moeInter: number;
  /** Latent attention; null for ordinary attention. */
  readonly latent: { readonly kvRank: number; readonly ropeSize: number; readonly valueSize: number } | null;
  /** Longest sequence, null when the configuration does not say. */
  readonly contextLength: number | null;
  /** Number format the weights are stored in, as written; null when the configuration does not say. */
  readonly storedType: string | null;
  /** How the checkpoint is quantised. */
  readonly quant: CheckpointQuant;
  /** What the family knows of the model besides, as plain JSON; null when nothing. */
  readonly own: unknown;
  /** Why the configuration is not enough to time the model; null when it is. */
  readonly problem: string | null;
}

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
  const nested = isJson(config.text_config) && family?.nested?.includes(architecture) ? config.text_config : null;
  const text: Json = nested ?? (isJson(config.text_config) ? { ...config, ...config.text_config } : config);
  const parts = checkpointParts(config, hfQuantConfig, nested);
  const heads = wholeOr0(text.num_attention_heads);
  const hidden = wholeOr0(text.hidden_size);
  const inter = wholeOr0(text.intermediate_size);
  const experts = firstWhole(text, ["num_local_experts", "n_routed_experts", "moe_num_experts", "num_experts"]);
  const facts: ModelFacts = {
    architecture,
    family: family?.name ?? null,
    layers: wholeOr0(text.num_hidden_layers) || text.layers_block_type?.length ||
      text.hybrid_override_pattern?.length ||
      0,
    hidden,
    heads,
    kvHeads: wholeOr0(text.num_key_value_heads),
    headSize: firstWhole(text, ["head_dim", "attention_head_dim"]) || (heads > 0 ? Math.floor(hidden / heads) : 0),
    inter,
    vocab: wholeOr0(text.vocab_size),
    topk: text.num_experts_per_tok === 0
      ? 0
      : firstWhole(text, ["num_experts_per_tok", "num_experts_per_token", "top_k_experts", "moe_top_k"]),
    experts,
    moeInter: wholeOr0(text.moe_intermediate_size) || inter,
    latent: latentFacts(text),
    contextLength: contextLengthOf(config),
    storedType: config.torch_dtype ?? config.dtype ?? text.torch_dtype ?? text.dtype ?? null,
    quant: checkpointQuant(parts, hfQuantConfig),
    own: null,
    problem: null,
  };
  if (family === undefined) return facts;
  try {
    requireSizes(text, facts);
    return { ...facts, own: family.own?.(text, facts, parts, config) ?? null };
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

/** Fields that may be absent, but not wrong. */
const OPTIONAL_SIZES = ["head_dim", "intermediate_size", "num_key_value_heads", "moe_intermediate_size"];

function requireSizes(text: Json, facts: ModelFacts): void {
  for (const field of OPTIONAL_SIZES) {
    const value: unknown = text[field];
    if (value == null || (Number.isInteger(value) && value as number >= 0)) continue;
    if (Array.isArray(value)) continue; // one value a layer, which the families read
    throw new ConfigError(`'${field}' in the model's config.json is ${JSON.stringify(value)}; expected a whole number`);
  }
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
  const places = isJson(config.text_config) ? [config.text_config, config] : [config];
  for (const place of places) {
    const found = firstWhole(place, CONTEXT_KEYS);
    if (found > 0) return found;
  }
  return null;
}

const wholeOr0 = (value: unknown) => Number.isInteger(value) && (value as number) > 0 ? value as number : 0;

function firstWhole(place: Json, keys: readonly string[]): number {
  for (const key of keys) {
    if (wholeOr0(place[key]) > 0) return place[key];
  }
  return 0;
}
