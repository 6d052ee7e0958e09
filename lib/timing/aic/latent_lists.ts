/**
 * The operator lists of models with latent attention (DeepSeek V3 and its kin): a fused attention block where it was
 * measured, shared experts beside the routed ones.
 *
 * @module
 */
import { ListBuilder, type ListRequest, type Phase } from "./list_builder.ts";
import type { OperatorLists, OperatorSpec } from "./operator_spec.ts";
import type { GemmMode } from "./quant.ts";

/** Widths of the projections around latent attention, per head or in all. */
const QUERY_RANK = 1536;
const LATENT_RANK = 512;
const DOWNSCALED = 2112;
const QUERY_HEAD = 192;
const KEY_VALUE_HEAD = 256;
const OUTPUT_HEAD = 128;
/** Heads that the attention kernels were measured for. */
const KERNEL_HEADS = 128;

/** The lists of a model with latent attention; `draftShare` multiplies the counts of a decode step. */
export function latentLists(request: ListRequest, draftShare: number): OperatorLists {
  return { context: contextList(request), generation: generationList(request, draftShare) };
}

function contextList(request: ListRequest): OperatorSpec[] {
  const build = new ListBuilder(request, "context", 1);
  return [
    build.embedding(request.facts.vocab),
    build.norm("add_norm_1"),
    ...attentionBlock(request, build),
    build.norm("add_norm_2"),
    ...sharedExperts(build),
    ...build.expertPart("power_law_1.01"),
    build.logits(),
    ...tensorAllReduce(request, build),
    build.p2p(),
  ];
}

function generationList(request: ListRequest, share: number): OperatorSpec[] {
  const build = new ListBuilder(request, "generation", share);
  return [
    build.embedding(request.facts.vocab),
    build.norm("add_norm_1"),
    ...attentionBlock(request, build),
    build.norm("add_norm_2"),
    {
      kind: "overlap",
      name: "generation_moe_overlap",
      count: 1,
      groups: [build.expertPart("power_law_1.01"), sharedExperts(build)],
    },
    build.logits(),
    ...tensorAllReduce(request, build),
    build.p2p(),
  ];
}

function sharedExperts(build: ListBuilder): OperatorSpec[] {
  const { hidden, moeInter } = build.facts;
  const both = build.perRank(2 * moeInter);
  const width = build.perRank(moeInter);
  return [
    build.gemm("shared_gate_up_gemm", both, hidden),
    build.gate("shared_act_gate", both, width),
    build.gemm("shared_ffn2_gemm", hidden, width),
  ];
}

/** vLLM sums after attention and after the experts; the others do so inside the transport. */
function tensorAllReduce(request: ListRequest, build: ListBuilder): OperatorSpec[] {
  return request.backend === "vllm" ? [build.allReduce("tp_allreduce", 2 * build.facts.layers)] : [];
}

/** Modes of the attention projections: those that the checkpoint leaves alone are bfloat16. */
function projectionModes(request: ListRequest): { q: GemmMode; kv: GemmMode; o: GemmMode } {
  const { gemm } = request.modes;
  const { q, kv, o } = request.facts.quant.plainProjections;
  return { q: q ? "bfloat16" : gemm, kv: kv ? "bfloat16" : gemm, o: o ? "bfloat16" : gemm };
}

/** The block as a whole; with projections of unequal modes there is none, and its parts stand in the list. */
function attentionBlock(request: ListRequest, build: ListBuilder): OperatorSpec[] {
  const modes = projectionModes(request);
  const parts = granularParts(request, build, modes);
  if (modes.q !== modes.kv || modes.kv !== modes.o) return parts;
  const { layers, heads } = request.facts;
  const { kvcache, fmha } = request.modes;
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
  request: ListRequest,
  build: ListBuilder,
  modes: { q: GemmMode; kv: GemmMode; o: GemmMode },
): OperatorSpec[] {
  const { hidden, heads } = request.facts;
  const downscale = modes.q === modes.kv ? modes.q : request.modes.gemm;
  const contextOnly = build.phase === "context"
    ? [build.gemm("kv_b_proj_gemm", build.perRank(heads * KEY_VALUE_HEAD), LATENT_RANK, modes.kv)]
    : [];
  return [
    build.gemm("downscale_gemm", DOWNSCALED, hidden, downscale),
    build.gemm("q_b_proj_gemm", build.perRank(heads * QUERY_HEAD), QUERY_RANK, modes.q),
    ...contextOnly,
    ...innerAttention(request, build, build.phase, modes.kv),
    build.gemm("proj_gemm", hidden, build.perRank(heads * OUTPUT_HEAD), modes.o),
  ];
}

function innerAttention(
  request: ListRequest,
  build: ListBuilder,
  phase: Phase,
  projection: GemmMode,
): OperatorSpec[] {
  const { layers, heads, kvHeads, latent } = request.facts;
  const { kvcache: kv, fmha } = request.modes;
  const named = build.named("attention", layers);
  if (request.backend === "vllm") {
    const shape = {
      ...named,
      heads: build.perRank(heads),
      kvHeads: build.perRank(kvHeads),
      headSize: latent?.valueSize ?? OUTPUT_HEAD,
      window: 0,
      kv,
    };
    return phase === "context"
      ? [{ kind: "context_attention", ...shape, fmha, qkNorm: false }]
      : [{ kind: "generation_attention", ...shape }];
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
