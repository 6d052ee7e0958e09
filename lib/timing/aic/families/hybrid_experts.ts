/**
 * Models whose layers are of up to four kinds: attention to everything or to a window, and experts or a dense feed-forward
 * part (Llama 4, MiMo-V2-Flash). Sums over ranks are part of the transport to the experts; shared experts are not
 * modelled.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../../errors.ts";
import type { Json } from "../checkpoint_quant.ts";
import { checkWeightBlocks, type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import type { Family } from "./family.ts";
import { count, countIfThere, fields } from "./fields.ts";
import { groupedQueryCache } from "./grouped_query.ts";
import { PLAIN_ACTIVATIONS } from "./memory.ts";

/** Attention of one kind of layers, heads of the whole model. */
export interface AttentionKind {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headSize: number;
  /** Size of a head of the values. */
  readonly valueSize: number;
  /** Tokens it looks back on; 0 for all. */
  readonly window: number;
}

/** How the layers are made up. */
export interface HybridExperts {
  /** Layers of each kind. */
  readonly layers: {
    readonly globalExperts: number;
    readonly windowExperts: number;
    readonly windowDense: number;
    readonly globalDense: number;
  };
  readonly global: AttentionKind;
  readonly windowed: AttentionKind;
  /** Width of the dense feed-forward part. */
  readonly denseInter: number;
}

export const hybridExpertsFamily: Family<HybridExperts> = {
  name: "hybrid_experts",
  architectures: ["Llama4ForConditionalGeneration", "MiMoV2FlashForCausalLM"],
  nested: ["Llama4ForConditionalGeneration"],
  own: (text, facts) => facts.architecture === "MiMoV2FlashForCausalLM" ? mimo(text, facts) : llama4(text, facts),
  spreadsExperts: () => true,
  check: checkWeightBlocks,
  lists: (request: ListRequest<HybridExperts>) =>
    listsOf(request, (build) => [
      build.embedding(build.facts.vocab),
      ...hybridBlocks(build),
      build.logits(),
      build.p2p(),
    ]),
  // the cache is counted as if no layer had a window
  memory: { activations: PLAIN_ACTIVATIONS, cache: groupedQueryCache },
};

const Llama4 = v.object({
  interleave_moe_layer_step: v.optional(v.unknown(), 1),
  attention_chunk_size: countIfThere(0),
  intermediate_size_mlp: countIfThere(0),
});

/** Every second layer attends to chunks only; experts come every so many layers. */
function llama4(text: Json, facts: ModelFacts): HybridExperts {
  const own = fields(Llama4, text);
  const step = own.interleave_moe_layer_step;
  if (!Number.isInteger(step) || (step as number) < 1) {
    throw new ConfigError(`interleave_moe_layer_step must be a positive integer, got ${JSON.stringify(step)}`);
  }
  const kind = { heads: facts.heads, kvHeads: facts.kvHeads, headSize: facts.headSize, valueSize: facts.headSize };
  const indices = Array.from({ length: facts.layers }, (_, i) => i);
  return {
    layers: countLayers(
      indices.map((i) => i % 2 === 1),
      indices.map((i) => (i + 1) % (step as number) === 0),
    ),
    global: { ...kind, window: 0 },
    windowed: { ...kind, window: own.attention_chunk_size },
    denseInter: own.intermediate_size_mlp || facts.inter,
  };
}

const flag = v.union([v.boolean(), v.picklist([0, 1])]);
const Mimo = v.object({
  hybrid_layer_pattern: v.array(v.unknown()),
  moe_layer_freq: v.union([v.array(v.unknown()), v.number()]),
  sliding_window_size: countIfThere(0),
  swa_num_key_value_heads: countIfThere(0),
  swa_head_dim: countIfThere(0),
  swa_v_head_dim: countIfThere(0),
  v_head_dim: countIfThere(0),
  num_key_value_heads: count,
});

/** Both patterns name every layer. */
function mimo(text: Json, facts: ModelFacts): HybridExperts {
  const own = fields(Mimo, text);
  const { layers, heads, kvHeads, headSize } = facts;
  const attention = own.hybrid_layer_pattern;
  const experts = Array.isArray(own.moe_layer_freq)
    ? own.moe_layer_freq
    : new Array<unknown>(layers).fill(own.moe_layer_freq);
  if (attention.length !== layers || experts.length !== layers) {
    throw new ConfigError(
      `Hybrid pattern length mismatch for ${facts.architecture}: expected ${layers} entries, got ` +
        `attn=${attention.length} moe=${experts.length}`,
    );
  }
  if (![...attention, ...experts].every((value) => v.is(flag, value))) {
    throw new ConfigError(`Hybrid patterns for ${facts.architecture} must contain only 0/1 values`);
  }
  return {
    layers: countLayers(attention.map(Boolean), experts.map(Boolean)),
    global: { heads, kvHeads, headSize, valueSize: own.v_head_dim || headSize, window: 0 },
    windowed: {
      heads,
      kvHeads: own.swa_num_key_value_heads || kvHeads,
      headSize: own.swa_head_dim || headSize,
      valueSize: own.swa_v_head_dim || headSize,
      window: own.sliding_window_size,
    },
    denseInter: facts.inter,
  };
}

/** Layers of each kind, from what every layer has. */
export function countLayers(global: readonly boolean[], experts: readonly boolean[]): HybridExperts["layers"] {
  const having = (attention: boolean, moe: boolean) =>
    global.filter((value, i) => value === attention && experts[i] === moe).length;
  return {
    globalExperts: having(true, true),
    windowExperts: having(false, true),
    windowDense: having(false, false),
    globalDense: having(true, false),
  };
}

/** What a family adds to the attention of a block. */
export interface BlockExtras {
  readonly qkNorm?: boolean;
  /** Whether every head's result is weighed by a gate. */
  readonly headGate?: boolean;
}

/** The layers, all of a kind together. */
export function hybridBlocks(build: ListBuilder<HybridExperts>, extras: BlockExtras = {}): OperatorSpec[] {
  const { layers, global, windowed } = build.own;
  return [
    ...expertBlock(build, layers.globalExperts, global, "global", extras),
    ...expertBlock(build, layers.windowExperts, windowed, "swa", extras),
    ...denseBlock(build, layers.windowDense, windowed, "swa", extras),
    ...denseBlock(build, layers.globalDense, global, "global", extras),
  ];
}

function expertBlock(
  build: ListBuilder<HybridExperts>,
  layers: number,
  kind: AttentionKind,
  name: string,
  extras: BlockExtras,
): OperatorSpec[] {
  if (layers === 0) return [];
  return [
    ...attention(build.block(`${name}_`, layers), kind, extras),
    build.block(`${name}_moe_`, layers).norm("norm"),
    ...build.block(`${name}_`, layers).expertPart("power_law_1.01", { transportMode: "bfloat16" }),
  ];
}

function denseBlock(
  build: ListBuilder<HybridExperts>,
  layers: number,
  kind: AttentionKind,
  name: string,
  extras: BlockExtras,
): OperatorSpec[] {
  if (layers === 0) return [];
  return [
    ...attention(build.block(`${name}_dense_`, layers), kind, extras),
    build.block(`${name}_dense_ffn_`, layers).norm("norm"),
    ...denseFeedForward(build.block(`${name}_dense_`, layers), build.own.denseInter),
  ];
}

/** A gated feed-forward part without collectives. */
export function denseFeedForward(build: ListBuilder<unknown>, inter: number): OperatorSpec[] {
  const width = build.perRank(inter);
  const { hidden } = build.facts;
  return [
    build.gemm("gate_up_gemm", 2 * width, hidden),
    build.gate("act", 2 * width, width),
    build.gemm("down_gemm", hidden, width, build.modes.gemm, true),
  ];
}

function attention(build: ListBuilder<HybridExperts>, kind: AttentionKind, extras: BlockExtras): OperatorSpec[] {
  const { hidden } = build.facts;
  const { heads, kvHeads, headSize, valueSize } = kind;
  const ofRank = Math.ceil(kvHeads / build.parallelism.tensor);
  const values = build.perRank(heads * valueSize);
  const headsOfRank = build.perRank(heads);
  return [
    build.norm("attn_norm"),
    build.gemm("qkv_gemm", build.perRank(heads * headSize) + ofRank * (headSize + valueSize), hidden),
    build.attention(build.layers, { ...kind, qkNorm: extras.qkNorm }),
    ...extras.headGate
      ? [
        build.gemm("attn_gate_gemm", headsOfRank, hidden),
        build.elementwise("attn_gate", 2 * (values + headsOfRank) + 2 * values),
      ]
      : [],
    build.gemm("proj_gemm", hidden, values, build.modes.gemm, true),
  ];
}
