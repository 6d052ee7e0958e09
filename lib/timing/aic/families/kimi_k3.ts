/**
 * Kimi K3: layers with Kimi Delta Attention and layers with gated latent attention, experts in a latent space.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../../errors.ts";
import type { Json } from "../checkpoint_quant.ts";
import { type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import type { KdaKernel } from "../operators/kda.ts";
import { KV_MODES } from "../quant.ts";
import { count, countIfThere, fields } from "./fields.ts";
import type { CacheRequest, Family, ImpliedModes, Serving } from "./family.ts";
import { EXPERT_ACTIVATIONS, linearCache, PLAIN_ACTIVATIONS, type SequenceCache } from "./memory.ts";

/** What the lists need beside the common facts. */
interface DeltaOwn {
  /** Layers with Kimi Delta Attention; the others have latent attention. */
  readonly deltaLayers: number;
  readonly deltaHeads: number;
  readonly deltaHeadSize: number;
  /** Tokens that the short convolution looks at. */
  readonly taps: number;
  readonly queryRank: number;
  readonly kvRank: number;
  readonly plainSize: number;
  readonly ropeSize: number;
  readonly valueSize: number;
  /** Width of the space in which the experts work. */
  readonly latentWidth: number;
  readonly sharedExperts: number;
  /** First layers, which have no experts. */
  readonly denseLayers: number;
  readonly residualBlocks: boolean;
}

export const kimiK3Family: Family<DeltaOwn> = {
  name: "kimi_k3",
  architectures: ["KimiK3ForConditionalGeneration"],
  nested: ["KimiK3ForConditionalGeneration"],
  own: readOwn,
  implied: (modes: ImpliedModes, _facts: ModelFacts, _own: DeltaOwn, { backend, hardware }: Serving) =>
    // SGLang quantises what goes to MXFP4 experts on Blackwell
    backend === "sglang" && hardware.smVersion >= 100 && modes.moe === "w4a16_mxfp4"
      ? { ...modes, moe: "w4a8_mxfp4_mxfp8" }
      : modes,
  spreadsExperts: () => true,
  check({ own, parallelism: { tensor } }: ListRequest<DeltaOwn>) {
    if (own.deltaHeads % tensor !== 0) {
      throw new ConfigError(`linear_attn_config.num_heads ${own.deltaHeads} should be divisible by tensor ${tensor}`);
    }
  },
  lists: (request: ListRequest<DeltaOwn>) => listsOf(request, deltaList, false),
  memory: {
    activations: { sglang: EXPERT_ACTIVATIONS.sglang, other: PLAIN_ACTIVATIONS.other },
    cache: deltaCache,
  },
};

const schema = v.object({
  linear_attn_config: v.object({
    kda_layers: v.array(v.pipe(v.number(), v.integer())),
    num_heads: count,
    head_dim: count,
    short_conv_kernel_size: v.nullish(count, 4),
  }),
  q_lora_rank: count,
  kv_lora_rank: count,
  qk_nope_head_dim: count,
  qk_rope_head_dim: count,
  v_head_dim: count,
  routed_expert_hidden_size: countIfThere(0),
  num_shared_experts: countIfThere(0),
  first_k_dense_replace: countIfThere(0),
  attn_res_block_size: countIfThere(0),
});

function readOwn(text: Json, { layers, hidden }: ModelFacts): DeltaOwn {
  const read = fields(schema, text);
  const { kda_layers: numbers, num_heads, head_dim, short_conv_kernel_size } = read.linear_attn_config;
  if (numbers.length === 0) throw new ConfigError("Kimi-K3 config must define linear_attn_config.kda_layers");
  const outside = numbers.find((layer) => layer < 1 || layer > layers);
  if (outside !== undefined) {
    throw new ConfigError(`'linear_attn_config.kda_layers' names the layer ${outside}; expected 1 to ${layers}`);
  }
  return {
    deltaLayers: new Set(numbers).size,
    deltaHeads: num_heads,
    deltaHeadSize: head_dim,
    taps: short_conv_kernel_size,
    queryRank: read.q_lora_rank,
    kvRank: read.kv_lora_rank,
    plainSize: read.qk_nope_head_dim,
    ropeSize: read.qk_rope_head_dim,
    valueSize: read.v_head_dim,
    latentWidth: read.routed_expert_hidden_size || hidden,
    sharedExperts: read.num_shared_experts,
    denseLayers: read.first_k_dense_replace,
    residualBlocks: read.attn_res_block_size > 0,
  };
}

function deltaList(build: ListBuilder<DeltaOwn>): OperatorSpec[] {
  const { facts: { vocab, hidden, layers }, own } = build;
  return [
    build.embedding(build.perRank(vocab)),
    build.allReduce("embedding_ar", 1),
    ...deltaAttention(build.block("kda_", own.deltaLayers)),
    ...layers > own.deltaLayers ? latentAttention(build.block("mla_", layers - own.deltaLayers)) : [],
    ...own.residualBlocks ? [build.block("", 2 * layers).elementwise("attn_res", 2 * (4 * hidden + 2 * hidden))] : [],
    build.norm("ffn_norm"),
    ...own.denseLayers > 0 ? denseLayers(build.block("dense_", own.denseLayers)) : [],
    ...layers > own.denseLayers ? experts(build.block("", layers - own.denseLayers)) : [],
    build.logits(),
    build.p2p(),
    ...build.phase === "generation" && build.nextn > 0 ? draftModel(build) : [],
  ];
}

function deltaAttention(build: ListBuilder<DeltaOwn>): OperatorSpec[] {
  const { phase, backend, facts: { hidden }, own, layers } = build;
  const heads = build.perRank(own.deltaHeads);
  const width = heads * own.deltaHeadSize;
  const fusedDecode = phase === "generation" && backend === "vllm" && build.nextn === 0;
  return [
    build.norm("norm"),
    build.gemm("qkvg_gemm", 4 * width, hidden),
    build.gemm("bfa_gemm", own.deltaHeads + own.deltaHeadSize, hidden),
    build.gemm("fb_gemm", width, own.deltaHeadSize),
    ...deltaKernels(build, heads),
    ...fusedDecode ? [] : [build.elementwise("onorm", 2 * (2 * width + width))],
    build.gemm("o_gemm", hidden, width, build.modes.gemm, true),
    build.allReduce("ar", layers),
  ];
}

function deltaKernels(build: ListBuilder<DeltaOwn>, heads: number): OperatorSpec[] {
  const { phase, backend, nextn, facts: { hidden }, own: { taps, deltaHeadSize: headSize } } = build;
  const checks = phase === "generation" && nextn > 0;
  const kernel = (name: string, by: KdaKernel): OperatorSpec => ({
    kind: "kda",
    ...build.named(name),
    ...{ phase: checks ? "verify" : phase, kernel: by, hidden, taps, heads, headSize },
    ...checks ? { checked: nextn + 1 } : {},
  });
  const vllm = backend === "vllm";
  if (checks) {
    const recurrence = vllm ? "fused_recurrent_kda" : "fused_sigmoid_gating_delta_rule_update";
    return [kernel("conv1d", "causal_conv1d_update"), kernel("verify", recurrence)];
  }
  if (phase === "context") {
    return [kernel("conv1d", "causal_conv1d_fn_qkv3"), kernel("scan", vllm ? "flashkda_fwd" : "chunk_kda")];
  }
  if (vllm) return [kernel("fused_decode", "fused_kda_decode")];
  return [kernel("conv1d", "causal_conv1d_update"), kernel("recurrent", "fused_recurrent_kda_packed_decode")];
}

function latentAttention(build: ListBuilder<DeltaOwn>): OperatorSpec[] {
  const { facts: { hidden, heads }, own: { queryRank, kvRank, ropeSize, valueSize }, layers } = build;
  const gated = build.perRank(heads * valueSize);
  return [
    build.norm("norm"),
    build.gemm("downscale_gemm", queryRank + kvRank + ropeSize, hidden),
    ...build.backend === "vllm" ? latentBlock(build) : latentKernels(build),
    build.gemm("gate_gemm", gated, hidden),
    build.elementwise("gate_mul", 2 * (build.perRank(2 * heads * valueSize) + gated)),
    build.allReduce("ar", layers),
  ];
}

/** The block as a whole where it was measured, else its parts. The product before it is charged in either case. */
function latentBlock(build: ListBuilder<DeltaOwn>): OperatorSpec[] {
  const { phase, layers, facts: { heads, kvHeads }, own: { valueSize }, modes: { fmha, kvcache: kv, gemm } } = build;
  const primary: OperatorSpec = {
    kind: phase === "context" ? "mla_context_module" : "mla_generation_module",
    ...build.named("module"),
    ...{ heads: build.perRank(heads), nativeHeads: heads, fmha, kv, mode: gemm },
  };
  const attention = build.attention(layers, { headSize: valueSize });
  // KV heads are split here as heads are, rounded down
  const inner = { ...attention, kvHeads: build.perRank(kvHeads) } as OperatorSpec;
  const list = [queries(build), ...keysAndValues(build), inner, output(build)];
  return [{ kind: "fallback", name: `${phase}_mla_block`, count: 1, primary, list }];
}

function latentKernels(build: ListBuilder<DeltaOwn>): OperatorSpec[] {
  const { phase, layers, modes: { fmha, kvcache: kv, gemm }, share } = build;
  const heads = build.perRank(build.facts.heads);
  const named = { name: `${phase}_attention`, count: layers * share };
  if (phase === "context") {
    const attention: OperatorSpec = { kind: "context_mla", ...named, heads, fmha, kv };
    return [queries(build), ...keysAndValues(build), attention, output(build)];
  }
  const product = (name: string, pre: boolean): OperatorSpec => ({
    kind: "mla_bmm",
    name: `${phase}_${name}`,
    count: layers * share,
    ...{ heads, mode: gemm === "bfloat16" ? "bfloat16" : "fp8", pre },
  });
  return [
    queries(build),
    product("bmm_pre", true),
    { kind: "generation_mla", ...named, heads, kv },
    product("bmm_post", false),
    output(build),
  ];
}

const queries = (build: ListBuilder<DeltaOwn>): OperatorSpec => {
  const { facts: { heads }, own: { plainSize, ropeSize, queryRank } } = build;
  return build.gemm("q_b_gemm", build.perRank(heads * (plainSize + ropeSize)), queryRank);
};

/** Only prompts unfold keys and values. */
function keysAndValues(build: ListBuilder<DeltaOwn>): OperatorSpec[] {
  const { phase, facts: { heads }, own: { plainSize, valueSize, kvRank } } = build;
  if (phase === "generation") return [];
  return [build.gemm("kv_b_gemm", build.perRank(heads * (plainSize + valueSize)), kvRank)];
}

const output = (build: ListBuilder<DeltaOwn>): OperatorSpec => {
  const { facts: { heads, hidden }, own: { valueSize }, modes: { gemm } } = build;
  return build.gemm("o_gemm", hidden, build.perRank(heads * valueSize), gemm, true);
};

function denseLayers(build: ListBuilder<DeltaOwn>): OperatorSpec[] {
  const { facts: { hidden, inter }, modes: { gemm }, layers } = build;
  const both = build.perRank(2 * inter);
  const width = build.perRank(inter);
  return [
    build.gemm("gate_up_gemm", both, hidden),
    build.gate("act_gate", both, width),
    build.gemm("down_gemm", hidden, width, gemm, true),
    build.allReduce("ffn_ar", layers),
  ];
}

function experts(build: ListBuilder<DeltaOwn>): OperatorSpec[] {
  const { facts: { hidden, moeInter }, own: { latentWidth: width, sharedExperts } } = build;
  const [router, ...routed] = build.expertPart("power_law_1.01", { width });
  const inter = sharedExperts * moeInter;
  const both = build.perRank(2 * inter);
  return [
    router,
    build.gemm("latent_down_gemm", width, hidden, "bfloat16"),
    build.elementwise("latent_norm", 8 * width),
    ...routed,
    build.gemm("latent_up_gemm", hidden, width, "bfloat16"),
    ...inter > 0
      ? [
        build.gemm("shared_gate_up_gemm", both, hidden, "bfloat16"),
        build.gate("shared_act_gate", both, build.perRank(inter)),
        build.gemm("shared_down_gemm", hidden, build.perRank(inter), "bfloat16"),
      ]
      : [],
  ];
}

/** The draft models of Kimi K3 that the backends run: the same layers, another attention. */
const DRAFT = { layers: 5, inter: 14336, heads: 64 };
/** Of vLLM's draft model, with latent attention. */
const LATENT_DRAFT = { queryRank: 1536, latent: 512 + 64, querySize: 128 + 64, valueSize: 128 };
/** Of the other one, with grouped queries. */
const GROUPED_DRAFT = { kvHeads: 16, headSize: 64 };

/**
 * The model that proposes `nextn` tokens a step. A step is asked for `nextn + 1` tokens of a sequence: what happens for
 * each proposed token counts as that share of it, what happens once a step as one token's.
 */
function draftModel(build: ListBuilder<DeltaOwn>): OperatorSpec[] {
  const { facts: { hidden, vocab }, nextn } = build;
  const proposed = nextn / (nextn + 1);
  const once = 1 / (nextn + 1);
  const each = DRAFT.layers * proposed;
  const latent = build.backend === "vllm";
  const shown = (spec: OperatorSpec, name: string, count: number): OperatorSpec => ({
    ...spec,
    name: `draft_${name}`,
    count,
  });
  const gemm = (name: string, n: number, k: number, count = each, lowPrecision = false) =>
    shown(build.gemm(name, n, k, build.modes.gemm, lowPrecision), name, count);
  const { headSize: size, kvHeads } = GROUPED_DRAFT;
  const width = DRAFT.heads * (latent ? LATENT_DRAFT.valueSize : size);
  const attention = latent
    ? build.attention(1, { heads: DRAFT.heads, kvHeads: DRAFT.heads, headSize: LATENT_DRAFT.valueSize })
    : build.attention(1, { heads: DRAFT.heads, kvHeads, headSize: size });
  return [
    shown(build.embedding(build.perRank(vocab)), "embedding", proposed),
    shown(build.norm("norm"), "norm", 2 * each),
    ...latent
      ? [
        gemm("downscale_gemm", LATENT_DRAFT.queryRank + LATENT_DRAFT.latent, hidden),
        gemm("q_b_gemm", build.perRank(DRAFT.heads * LATENT_DRAFT.querySize), LATENT_DRAFT.queryRank),
      ]
      : [gemm("qkv_gemm", build.perRank((DRAFT.heads + 2 * kvHeads) * size), hidden)],
    shown(attention, "attention", each),
    gemm("proj_gemm", hidden, build.perRank(width), each, true),
    gemm("gate_up_gemm", build.perRank(2 * DRAFT.inter), hidden),
    shown(build.gate("act_gate", build.perRank(2 * DRAFT.inter), build.perRank(DRAFT.inter)), "act_gate", each),
    gemm("down_gemm", hidden, build.perRank(DRAFT.inter), each, true),
    shown(build.allReduce("ar", 1), "ar", 2 * each),
    gemm("kv_proj_gemm", latent ? LATENT_DRAFT.latent : build.perRank(2 * kvHeads * size), hidden, DRAFT.layers * once),
    shown(build.logits(), "logits_gemm", once),
  ];
}

/** Copies of a state that are kept for one sequence. */
const STATES = 5;

/** Latent vectors of the layers with attention, and the states of the others. */
function deltaCache({ facts, own, parallelism, kv }: CacheRequest<DeltaOwn>): SequenceCache {
  const { deltaLayers, deltaHeadSize: size, taps, kvRank, ropeSize } = own;
  const heads = Math.floor(own.deltaHeads / parallelism.tensor);
  const state = STATES * deltaLayers * (heads * size * size * 4 + (taps - 1) * 3 * heads * size * 2);
  return linearCache(KV_MODES[kv] * (facts.layers - deltaLayers) * (kvRank + ropeSize), state);
}
