/**
 * Step-3.7-Flash and its kin: layers as in `hybrid_experts.ts`, with normalised queries and keys, an optional gate per
 * head, and a shared expert that is charged after everything else.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../../errors.ts";
import type { Json } from "../checkpoint_quant.ts";
import { checkWeightBlocks, type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import { KV_MODES } from "../quant.ts";
import type { CacheRequest, Family } from "./family.ts";
import { countIfThere, fields } from "./fields.ts";
import { countLayers, denseFeedForward, hybridBlocks, type HybridExperts } from "./hybrid_experts.ts";
import { bentCache, EXPERT_ACTIVATIONS, type SequenceCache } from "./memory.ts";

interface Step37 extends HybridExperts {
  readonly headGate: boolean;
  /** Width of the shared expert; 0 for none. */
  readonly sharedInter: number;
}

export const step37Family: Family<Step37> = {
  name: "step37",
  architectures: [
    "Step3p7FlashForCausalLM",
    "Step3p7ForConditionalGeneration",
    "Step3p5ForCausalLM",
    "Step3p5FlashForCausalLM",
  ],
  nested: ["Step3p7FlashForCausalLM", "Step3p7ForConditionalGeneration"],
  own: step37,
  spreadsExperts: () => true,
  check: checkWeightBlocks,
  lists: (request: ListRequest<Step37>) => listsOf(request, step37List),
  memory: {
    activations: EXPERT_ACTIVATIONS,
    routerWidth: ({ experts, hidden }) => experts > 0 ? hidden : 0,
    cache: windowedCache,
  },
};

const layerNumbers = v.union([v.pipe(v.string(), v.regex(/^[\d\s,]*$/)), v.array(v.number())]);
const Step = v.object({
  layer_types: v.array(v.string()),
  num_nextn_predict_layers: countIfThere(0),
  moe_layers_enum: v.nullish(layerNumbers, ""),
  first_k_dense_replace: countIfThere(0),
  sliding_window: countIfThere(0),
  sliding_window_size: countIfThere(0),
  attention_other_setting: v.nullish(v.object({ num_attention_heads: countIfThere(0), head_dim: countIfThere(0) })),
  use_head_wise_attn_gate: v.nullish(v.boolean(), false),
  share_expert_dim: countIfThere(0),
});

function step37(text: Json, facts: ModelFacts): Step37 {
  const own = fields(Step, text);
  const { layers, heads, kvHeads, headSize } = facts;
  const drafts = own.num_nextn_predict_layers;
  // layers that only predict further tokens may stand at the end
  const types = own.layer_types.length === layers + drafts ? own.layer_types.slice(0, layers) : own.layer_types;
  if (types.length !== layers) {
    throw new ConfigError(
      `Step3p7 layer_types length ${types.length} != num_hidden_layers ${layers} (num_nextn_predict_layers=${drafts})`,
    );
  }
  if (!types.every((type) => type === "sliding_attention" || type === "full_attention")) {
    throw new ConfigError("Step3p7 layer_types must contain only 'sliding_attention' or 'full_attention'");
  }
  const named = typeof own.moe_layers_enum === "string"
    ? own.moe_layers_enum.split(",").filter((part) => part.trim() !== "").map(Number)
    : own.moe_layers_enum ?? [];
  const hasExperts = (layer: number) => named.length > 0 ? named.includes(layer) : layer >= own.first_k_dense_replace;
  const other = own.attention_other_setting;
  const shape = { kvHeads, valueSize: headSize };
  return {
    layers: countLayers(types.map((type) => type === "full_attention"), types.map((_, layer) => hasExperts(layer))),
    global: { ...shape, heads, headSize, window: 0 },
    windowed: {
      ...shape,
      heads: other?.num_attention_heads || heads,
      headSize: other?.head_dim || headSize,
      window: own.sliding_window || own.sliding_window_size,
    },
    denseInter: facts.inter,
    headGate: own.use_head_wise_attn_gate ?? false,
    sharedInter: own.share_expert_dim,
  };
}

function step37List(build: ListBuilder<Step37>): OperatorSpec[] {
  const { layers, sharedInter, headGate } = build.own;
  const withExperts = layers.globalExperts + layers.windowExperts;
  const shared = sharedInter > 0 && withExperts > 0
    ? denseFeedForward(build.block("shared_expert_dense_", withExperts), sharedInter)
    : [];
  return [
    build.embedding(build.facts.vocab),
    ...hybridBlocks(build, { qkNorm: true, headGate }),
    build.logits(),
    build.p2p(),
    ...shared,
  ];
}

/** Layers with a window hold no more than it. */
function windowedCache({ facts, own, parallelism, kv }: CacheRequest<Step37>): SequenceCache {
  const { globalExperts, globalDense, windowExperts, windowDense } = own.layers;
  const perLayer = Math.ceil(facts.kvHeads / parallelism.tensor) * facts.headSize * 2 * KV_MODES[kv];
  const { window } = own.windowed;
  const held = (tokens: number) => window > 0 ? Math.min(tokens, window) : tokens;
  return bentCache(
    (tokens) => perLayer * ((windowExperts + windowDense) * held(tokens) + (globalExperts + globalDense) * tokens),
    facts.contextLength ?? 0,
  );
}
