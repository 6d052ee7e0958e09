/**
 * Models with latent attention (DeepSeek V3 and its kin): a fused attention block where it was measured, shared
 * experts beside the routed ones.
 *
 * @module
 */
import * as v from "valibot";
import type { Json } from "../checkpoint_quant.ts";
import { type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import { GEMM_MODES, type GemmMode, KV_MODES, MOE_MODES } from "../quant.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { Family, ImpliedModes, Serving, WeightsRequest } from "./family.ts";
import { type PlainProjections, plainProjections, plainSharedExperts } from "./exclusions.ts";
import { countIfThere, fields } from "./fields.ts";
import { EXPERT_ACTIVATIONS, linearCache } from "./memory.ts";

/** Heads that the attention kernels were measured for. */
const KERNEL_HEADS = 128;

/** What the lists need beside the common facts. */
export interface LatentOwn {
  /** Attention projections that are not quantised, in any layer. */
  readonly plain: PlainProjections;
  readonly plainSharedExperts: boolean;
  readonly queryRank: number;
  readonly kvRank: number;
  readonly plainSize: number;
  readonly ropeSize: number;
  readonly valueSize: number;
  /** Layers that have experts; the lists count them all as such. */
  readonly expertLayers: number;
  readonly sharedExperts: number;
}

export const deepseekFamily: Family<LatentOwn> = {
  name: "deepseek",
  architectures: ["DeepseekForCausalLM", "DeepseekV3ForCausalLM"],
  spreadsExperts: () => true,
  own: (text, facts, { excluded }) => ({
    plain: plainProjections(excluded),
    plainSharedExperts: plainSharedExperts(excluded),
    ...latentWidths(text),
    ...expertCounts(text, facts.layers),
  }),
  implied: impliedLatent,
  lists: (request: ListRequest<LatentOwn>) => listsOf(request, latentList),
  memory: {
    weights: residentWeights,
    activations: EXPERT_ACTIVATIONS,
    // the hidden size in whole heads, not the heads' own size
    width: ({ heads, hidden }) => heads * Math.floor(hidden / heads),
    routerWidth: ({ heads, hidden }, backend) => backend === "sglang" ? hidden : heads * Math.floor(hidden / heads),
    cache: ({ facts, own, kv }) => linearCache(facts.layers * (own.kvRank + own.ropeSize) * KV_MODES[kv]),
  },
};

/**
 * SGLang 0.5.14 attends to prompts in bfloat16 on Hopper, whatever the cache holds: its kernel there casts keys and values
 * to the format of the queries.
 */
function impliedLatent(modes: ImpliedModes, facts: ModelFacts, _own: LatentOwn, serving: Serving): ImpliedModes {
  const { backend, backendVersion, hardware } = serving;
  const casts = backend === "sglang" && backendVersion === "0.5.14" && hardware.smVersion === 90 &&
    facts.architecture === "DeepseekV3ForCausalLM" && facts.storedType === "bfloat16" &&
    facts.latent?.kvRank === 512 && facts.latent.ropeSize === 64;
  return casts ? { ...modes, fmha: "bfloat16" } : modes;
}

/** Widths of latent attention; DeepSeek V3's where the configuration names none. */
function latentWidths(
  text: Json,
): Pick<LatentOwn, "queryRank" | "kvRank" | "plainSize" | "ropeSize" | "valueSize"> {
  const read = fields(
    v.object({
      q_lora_rank: countIfThere(0),
      kv_lora_rank: countIfThere(0),
      qk_nope_head_dim: countIfThere(0),
      qk_rope_head_dim: countIfThere(0),
      v_head_dim: countIfThere(0),
    }),
    text,
  );
  return {
    queryRank: read.q_lora_rank || 1536,
    kvRank: read.kv_lora_rank || 512,
    plainSize: read.qk_nope_head_dim || 128,
    ropeSize: read.qk_rope_head_dim || 64,
    valueSize: read.v_head_dim || 128,
  };
}

/** How many layers have experts, and how many experts are shared. */
function expertCounts(text: Json, layers: number): Pick<LatentOwn, "expertLayers" | "sharedExperts"> {
  const { first_k_dense_replace, moe_layer_freq, n_shared_experts } = fields(
    v.object({
      first_k_dense_replace: countIfThere(0),
      moe_layer_freq: countIfThere(1),
      n_shared_experts: countIfThere(0),
    }),
    text,
  );
  const every = Math.max(moe_layer_freq, 1);
  let expertLayers = 0;
  for (let layer = first_k_dense_replace; layer < layers; layer++) if (layer % every === 0) expertLayers++;
  return { expertLayers, sharedExperts: n_shared_experts };
}

/**
 * SGLang splits the embedding over the ranks and has plain layers where the checkpoint has them; the lists, which are
 * about time, count a whole embedding and experts in every layer.
 */
function residentWeights(request: WeightsRequest<LatentOwn>): number {
  const { facts, own, parallelism, backend, modes, gemmFixed, operators } = request;
  const { tensor, pipeline, moeTensor, moeExpert } = parallelism;
  if (backend !== "sglang" || facts.architecture !== "DeepseekV3ForCausalLM" || pipeline !== 1) return operators;
  const { hidden, moeInter, inter, experts, vocab, layers } = facts;
  const gemm = GEMM_MODES[modes.gemm].bytes;
  const routed = 3 * hidden * moeInter * experts * MOE_MODES[modes.moe].bytes / (moeTensor * moeExpert);
  const shared = 3 * hidden * moeInter * (own.plainSharedExperts && !gemmFixed ? 2 : gemm) / tensor;
  const router = 2 * hidden * experts;
  const plain = 3 * hidden * inter * gemm / tensor;
  return operators - 2 * vocab * hidden * (1 - 1 / tensor) -
    layers * (routed + shared + router) +
    own.expertLayers * (routed + own.sharedExperts * shared + router) +
    (layers - own.expertLayers) * plain;
}

/** One of the two lists. */
export function latentList(build: ListBuilder<LatentOwn>): OperatorSpec[] {
  const { moeInter } = build.facts;
  const plain = build.own.plainSharedExperts && !build.gemmFixed;
  return [
    build.embedding(build.facts.vocab),
    build.norm("add_norm_1"),
    ...attentionBlock(build),
    build.norm("add_norm_2"),
    ...expertsBeside(
      build,
      sharedExperts(
        build,
        build.perRank(2 * moeInter),
        build.perRank(moeInter),
        plain ? "bfloat16" : build.modes.gemm,
      ),
      build.expertPart("power_law_1.01"),
    ),
    build.logits(),
    ...tensorAllReduce(build),
    build.p2p(),
  ];
}

/** Shared and routed experts: one after the other over prompts, side by side in decode steps. */
export function expertsBeside(
  build: ListBuilder,
  shared: readonly OperatorSpec[],
  routed: readonly OperatorSpec[],
): OperatorSpec[] {
  if (build.phase === "context") return [...shared, ...routed];
  return [{ kind: "overlap", name: "generation_moe_overlap", count: 1, groups: [routed, shared] }];
}

/** Shared experts whose two halves are `both` and `width` wide on this rank. */
export function sharedExperts(build: ListBuilder, both: number, width: number, mode: GemmMode): OperatorSpec[] {
  const { hidden } = build.facts;
  return [
    build.gemm("shared_gate_up_gemm", both, hidden, mode),
    build.gate("shared_act_gate", both, width),
    build.gemm("shared_ffn2_gemm", hidden, width, mode),
  ];
}

/** vLLM sums after attention and after the experts; the others do so inside the transport. */
function tensorAllReduce(build: ListBuilder<LatentOwn>): OperatorSpec[] {
  return build.backend === "vllm" ? [build.allReduce("tp_allreduce", 2 * build.facts.layers)] : [];
}

/** Modes of the attention projections: those that the checkpoint leaves alone are bfloat16. */
function projectionModes(build: ListBuilder<LatentOwn>): { q: GemmMode; kv: GemmMode; o: GemmMode } {
  const { gemm } = build.modes;
  const { q, kv, o } = build.own.plain;
  return { q: q ? "bfloat16" : gemm, kv: kv ? "bfloat16" : gemm, o: o ? "bfloat16" : gemm };
}

/** The block as a whole; with projections of unequal modes there is none, and its parts stand in the list. */
function attentionBlock(build: ListBuilder<LatentOwn>): OperatorSpec[] {
  const modes = projectionModes(build);
  const parts = granularParts(build, modes);
  if (modes.q !== modes.kv || modes.kv !== modes.o) return parts;
  const { layers, heads } = build.facts;
  const { kvcache, fmha } = build.modes;
  const primary: OperatorSpec = {
    kind: build.phase === "context" ? "mla_context_module" : "mla_generation_module",
    ...build.named("mla_module", layers),
    heads: build.perRank(heads),
    nativeHeads: heads,
    fmha,
    kv: kvcache,
    mode: modes.q,
  };
  return [{ kind: "fallback", name: `${build.phase}_mla_block`, count: 1, primary, list: parts }];
}

function granularParts(
  build: ListBuilder<LatentOwn>,
  modes: { q: GemmMode; kv: GemmMode; o: GemmMode },
): OperatorSpec[] {
  const { hidden, heads } = build.facts;
  const { queryRank, kvRank, plainSize, ropeSize, valueSize } = build.own;
  const downscale = modes.q === modes.kv ? modes.q : build.modes.gemm;
  const contextOnly = build.phase === "context"
    ? [build.gemm("kv_b_proj_gemm", build.perRank(heads * (plainSize + valueSize)), kvRank, modes.kv)]
    : [];
  return [
    build.gemm("downscale_gemm", queryRank + kvRank + ropeSize, hidden, downscale),
    build.gemm("q_b_proj_gemm", build.perRank(heads * (plainSize + ropeSize)), queryRank, modes.q),
    ...contextOnly,
    ...innerAttention(build, modes.kv),
    build.gemm("proj_gemm", hidden, build.perRank(heads * valueSize), modes.o),
  ];
}

function innerAttention(build: ListBuilder<LatentOwn>, projection: GemmMode): OperatorSpec[] {
  const { phase } = build;
  const { layers, heads, kvHeads } = build.facts;
  const { kvcache: kv, fmha } = build.modes;
  const named = build.named("attention", layers);
  if (build.backend === "vllm") {
    const shape = {
      ...named,
      heads: build.perRank(heads),
      kvHeads: build.perRank(kvHeads),
      headSize: build.own.valueSize,
      window: 0,
      kv,
    };
    return phase === "context"
      ? [{ kind: "context_attention", ...shape, fmha, qkNorm: false }]
      : [{ kind: "generation_attention", ...shape, qkNorm: false }];
  }
  const kernelHeads = build.perRank(KERNEL_HEADS);
  if (phase === "context") return [{ kind: "context_mla", ...named, heads: kernelHeads, fmha, kv }];
  const mode: GemmMode = projection === "bfloat16" ? "bfloat16" : "fp8";
  const bmm = (name: string, pre: boolean): OperatorSpec => ({
    kind: "mla_bmm",
    ...build.named(name, layers),
    heads: build.perRank(heads),
    mode,
    pre,
  });
  return [bmm("bmm_pre", true), { kind: "generation_mla", ...named, heads: kernelHeads, kv }, bmm("bmm_post", false)];
}
