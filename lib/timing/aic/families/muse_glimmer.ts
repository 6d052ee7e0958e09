/**
 * Muse Glimmer: dense layers that attend to a window beside layers that attend to everything and know no positions, all
 * with normalised queries and keys and a gate on what attention gives. The vision tower is not part of a pass.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../../errors.ts";
import type { Json } from "../checkpoint_quant.ts";
import { type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import { KV_MODES } from "../quant.ts";
import type { CacheRequest, Family } from "./family.ts";
import { count, fields } from "./fields.ts";
import { denseFeedForward } from "./hybrid_experts.ts";
import { bentCache, DENSE_ACTIVATIONS, type SequenceCache } from "./memory.ts";

interface MuseGlimmer {
  /** Layers that attend to a window. */
  readonly windowed: number;
  /** Layers that attend to everything. */
  readonly full: number;
  /** Tokens of the window. */
  readonly window: number;
}

export const museGlimmerFamily: Family<MuseGlimmer> = {
  name: "muse_glimmer",
  architectures: ["MuseGlimmerForConditionalGeneration"],
  nested: ["MuseGlimmerForConditionalGeneration"],
  own: museGlimmer,
  spreadsExperts: () => false,
  lists: (request: ListRequest<MuseGlimmer>) => listsOf(request, museGlimmerList),
  memory: { activations: DENSE_ACTIVATIONS, cache: windowedCache },
};

const Config = v.object({
  layer_types: v.array(v.picklist(["sliding_attention", "full_attention"])),
  sliding_window: count,
});

function museGlimmer(text: Json, { layers }: ModelFacts): MuseGlimmer {
  const { layer_types: types, sliding_window: window } = fields(Config, text);
  if (types.length !== layers) {
    throw new ConfigError(`Muse Glimmer layer_types length ${types.length} != num_hidden_layers ${layers}`);
  }
  const full = types.filter((type) => type === "full_attention").length;
  return { windowed: layers - full, full, window };
}

function museGlimmerList(build: ListBuilder<MuseGlimmer>): OperatorSpec[] {
  const { facts: { vocab, layers }, own: { windowed, full, window } } = build;
  return [
    build.embedding(build.perRank(vocab)),
    build.allReduce("embedding_ar", 1),
    ...windowed > 0 ? layersOf(build.block("swa_", windowed), window) : [],
    ...full > 0 ? layersOf(build.block("global_", full), 0) : [],
    build.allReduce("ar_1", layers),
    build.allReduce("ar_2", layers),
    build.logits(),
    build.p2p(),
  ];
}

function layersOf(build: ListBuilder<MuseGlimmer>, window: number): OperatorSpec[] {
  const { facts: { hidden, heads, headSize, inter }, modes, layers } = build;
  const queries = build.perRank(heads * headSize);
  return [
    build.norm("attn_norm"),
    build.gemm("qkv_gemm", queries + build.kvHeads * headSize * 2, hidden),
    build.attention(layers, { window, qkNorm: true, rotated: window > 0 }),
    build.gemm("gate_gemm", queries, hidden),
    build.gate("gate_mul", 2 * queries, queries),
    build.gemm("proj_gemm", hidden, queries, modes.gemm, true),
    build.norm("ffn_norm"),
    ...denseFeedForward(build.block(`${build.prefix}mlp_`, layers), inter),
  ];
}

/** Layers with a window hold no more than it. */
function windowedCache({ facts, own, parallelism, kv }: CacheRequest<MuseGlimmer>): SequenceCache {
  const ofLayer = KV_MODES[kv] * 2 * Math.ceil(facts.kvHeads / parallelism.tensor) * facts.headSize;
  return bentCache(
    (tokens) => ofLayer * (own.windowed * Math.min(tokens, own.window) + own.full * tokens),
    facts.contextLength ?? 0,
  );
}
