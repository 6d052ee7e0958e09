/**
 * Gemma 4: layers that attend to a window beside layers that attend to everything with a head size of their own, a
 * feed-forward part in every layer, and in the larger models experts beside it. The model charges no sums over ranks
 * but those of the transport to the experts.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../../errors.ts";
import { type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { CheckpointParts, Json } from "../checkpoint_quant.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import { KV_MODES } from "../quant.ts";
import type { CacheRequest, Family } from "./family.ts";
import { countIfThere, fields } from "./fields.ts";
import { bentCache, EXPERT_ACTIVATIONS, type SequenceCache } from "./memory.ts";

interface LayerKind {
  readonly layers: number;
  readonly kvHeads: number;
  readonly headSize: number;
  /** Tokens it looks back on; 0 for all. */
  readonly window: number;
  /** Projections of keys and values that are computed: one where values are the keys. */
  readonly projections: 1 | 2;
}

interface Gemma4 {
  readonly sliding: LayerKind;
  readonly full: LayerKind;
  /** Whether the checkpoint leaves attention unquantised. */
  readonly plainAttention: boolean;
  /** Whether it leaves the feed-forward part unquantised, and with it the experts. */
  readonly plainFeedForward: boolean;
}

/** Routers of fewer experts are not charged. */
const CHARGED_ROUTER = 128;

const hasExperts = ({ topk, experts }: ModelFacts) => topk > 0 && experts > 0;

export const gemma4Family: Family<Gemma4> = {
  name: "gemma4",
  architectures: ["Gemma4ForConditionalGeneration"],
  nested: ["Gemma4ForConditionalGeneration"],
  own: gemma4,
  spreadsExperts: () => true,
  check({ facts, parallelism: { moeExpert } }) {
    if (!hasExperts(facts) && moeExpert !== 1) {
      throw new ConfigError(`dense Gemma 4 variants require moe_expert 1, got ${moeExpert}`);
    }
  },
  lists: (request: ListRequest<Gemma4>) => listsOf(request, gemma4List),
  memory: {
    activations: EXPERT_ACTIVATIONS,
    routerWidth: (facts) => hasExperts(facts) ? facts.hidden : 0,
    cache: windowedCache,
  },
};

const Config = v.object({
  layer_types: v.array(v.picklist(["sliding_attention", "full_attention"])),
  num_global_key_value_heads: countIfThere(0),
  global_head_dim: countIfThere(0),
  sliding_window: countIfThere(0),
  attention_k_eq_v: v.nullish(v.boolean(), false),
});

function gemma4(text: Json, facts: ModelFacts, { excluded }: CheckpointParts): Gemma4 {
  const own = fields(Config, text);
  if (own.layer_types.length !== facts.layers) {
    throw new ConfigError(
      `Gemma 4 layer_types length ${own.layer_types.length} != num_hidden_layers ${facts.layers}`,
    );
  }
  const full = own.layer_types.filter((type) => type === "full_attention").length;
  const { kvHeads, headSize } = facts;
  return {
    sliding: { layers: facts.layers - full, kvHeads, headSize, window: own.sliding_window, projections: 2 },
    full: {
      layers: full,
      kvHeads: own.num_global_key_value_heads || kvHeads,
      headSize: own.global_head_dim || headSize,
      window: 0,
      projections: own.attention_k_eq_v ? 1 : 2,
    },
    plainAttention: excluded.some((entry) => entry.toLowerCase().includes("self_attn")),
    plainFeedForward: excluded.some((entry) => entry.toLowerCase().includes(".mlp")),
  };
}

function gemma4List(build: ListBuilder<Gemma4>): OperatorSpec[] {
  const { sliding, full } = build.own;
  return [
    build.embedding(build.facts.vocab),
    ...layersOf(build, "swa_", sliding),
    ...layersOf(build, "global_", full),
    build.logits(),
    build.p2p(),
  ];
}

function layersOf(whole: ListBuilder<Gemma4>, prefix: string, kind: LayerKind): OperatorSpec[] {
  if (kind.layers === 0) return [];
  const build = whole.block(prefix, kind.layers);
  const { facts, modes, gemmFixed, own } = build;
  const attentionMode = own.plainAttention && !gemmFixed ? "bfloat16" : modes.gemm;
  const sharedMode = own.plainFeedForward && !gemmFixed ? "bfloat16" : modes.gemm;
  const expertMode = own.plainFeedForward && !gemmFixed ? "bfloat16" : modes.moe;
  const { hidden, heads, inter } = facts;
  const queries = build.perRank(heads * kind.headSize);
  const keys = Math.ceil(kind.kvHeads / build.parallelism.tensor) * kind.headSize;
  const width = build.perRank(inter);
  return [
    build.norm("attn_norm"),
    build.gemm("qkv_gemm", queries + keys * kind.projections, hidden, attentionMode),
    build.attention(kind.layers, kind),
    build.gemm("proj_gemm", hidden, queries, attentionMode, true),
    build.norm("ffn_norm"),
    build.gemm("shared_mlp_gate_up_gemm", 2 * width, hidden, sharedMode),
    build.gate("shared_mlp_act", 2 * width, width),
    build.gemm("shared_mlp_down_gemm", hidden, width, sharedMode, true),
    ...hasExperts(facts)
      ? build.expertPart("power_law_1.01", { mode: expertMode, router: facts.experts >= CHARGED_ROUTER })
      : [],
  ];
}

/** Layers with a window hold no more than it; keys that serve as values are held twice all the same. */
function windowedCache({ facts, own, parallelism, kv }: CacheRequest<Gemma4>): SequenceCache {
  const elements = ({ layers, kvHeads, headSize }: LayerKind) =>
    layers * Math.ceil(kvHeads / parallelism.tensor) * headSize;
  const { window } = own.sliding;
  const held = (tokens: number) => window > 0 ? Math.min(tokens, window) : tokens;
  return bentCache(
    (tokens) => KV_MODES[kv] * 2 * (elements(own.sliding) * held(tokens) + elements(own.full) * tokens),
    facts.contextLength ?? 0,
  );
}
