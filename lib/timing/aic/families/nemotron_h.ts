/**
 * Nemotron-H: layers of Mamba-2, attention, experts or a plain feed-forward part, each layer one of them.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../../errors.ts";
import type { Json } from "../checkpoint_quant.ts";
import { type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import type { Mamba2Kernel } from "../operators/mamba2.ts";
import type { Family } from "./family.ts";
import { count, countIfThere, fields } from "./fields.ts";
import { groupedQueryCache } from "./grouped_query.ts";
import { PLAIN_ACTIVATIONS } from "./memory.ts";

interface NemotronH {
  /** Layers of each kind. */
  readonly mamba: number;
  readonly attention: number;
  readonly experts: number;
  readonly plain: number;
  /** Mamba-2: heads, their size, elements of state per element, taps of the convolution, groups, tokens of a scan. */
  readonly mambaHeads: number;
  readonly mambaHeadSize: number;
  readonly stateSize: number;
  readonly taps: number;
  readonly groups: number;
  readonly chunk: number;
  readonly sharedInter: number;
  /** Width that tokens are brought to for the experts; 0: the hidden size. */
  readonly latent: number;
}

export const nemotronHFamily: Family<NemotronH> = {
  name: "nemotron_h",
  architectures: ["NemotronHForCausalLM"],
  own: nemotronH,
  // vLLM quantises the experts' inputs at run time, so that weights of four bits compute in four bits
  implied: (modes, _facts, _own, { backend }) =>
    backend === "vllm" && modes.moe === "w4a16_nvfp4" ? { ...modes, moe: "nvfp4" } : modes,
  spreadsExperts: ({ own }) => (own as NemotronH | null)?.experts !== 0,
  lists: (request: ListRequest<NemotronH>) => listsOf(request, nemotronHList),
  // all layers count as attention in the cache, and the states of Mamba not at all
  memory: { activations: PLAIN_ACTIVATIONS, cache: groupedQueryCache },
};

const Config = v.object({
  hybrid_override_pattern: v.nullish(v.string()),
  layers_block_type: v.nullish(v.array(v.string())),
  mamba_num_heads: count,
  mamba_head_dim: count,
  ssm_state_size: count,
  conv_kernel: count,
  n_groups: count,
  chunk_size: count,
  moe_shared_expert_intermediate_size: countIfThere(0),
  moe_latent_size: countIfThere(0),
});

/** Letters of the layers' kinds by their names. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ mamba: "M", moe: "E", attention: "*", mlp: "-", dense: "-", ffn: "-" },
  ...{ M: "M", E: "E", "*": "*", "-": "-" },
};

function pattern(own: v.InferOutput<typeof Config>): string[] {
  if (own.hybrid_override_pattern) return [...own.hybrid_override_pattern];
  if (own.layers_block_type == null) {
    throw new ConfigError("NemotronH config must define 'hybrid_override_pattern' or 'layers_block_type'.");
  }
  return own.layers_block_type.map((name) => {
    if (Object.hasOwn(LETTERS, name)) return LETTERS[name];
    throw new ConfigError(
      `Unsupported NemotronH layer block type '${name}'. Supported values: ${Object.keys(LETTERS).join(", ")}.`,
    );
  });
}

function nemotronH(text: Json, _facts: ModelFacts): NemotronH {
  const own = fields(Config, text);
  const letters = pattern(own);
  const having = (letter: string) => letters.filter((found) => found === letter).length;
  return {
    mamba: having("M"),
    attention: having("*"),
    experts: having("E"),
    plain: having("-"),
    mambaHeads: own.mamba_num_heads,
    mambaHeadSize: own.mamba_head_dim,
    stateSize: own.ssm_state_size,
    taps: own.conv_kernel,
    groups: own.n_groups,
    chunk: own.chunk_size,
    sharedInter: own.moe_shared_expert_intermediate_size,
    latent: own.moe_latent_size,
  };
}

function nemotronHList(build: ListBuilder<NemotronH>): OperatorSpec[] {
  const { mamba, attention, experts, plain } = build.own;
  return [
    build.embedding(build.facts.vocab),
    ...mamba > 0 ? mambaLayers(build.block("", mamba)) : [],
    ...attention > 0 ? attentionLayers(build.block("", attention)) : [],
    ...experts > 0 ? expertLayers(build.block("", experts)) : [],
    ...plain > 0 ? plainLayers(build.block("", plain)) : [],
    build.p2p(),
    build.logits(),
  ];
}

function mambaLayers(build: ListBuilder<NemotronH>): OperatorSpec[] {
  const { hidden } = build.facts;
  const { mambaHeads, mambaHeadSize, groups, stateSize, taps, chunk } = build.own;
  const headsOfRank = build.perRank(mambaHeads);
  const inner = headsOfRank * mambaHeadSize;
  const groupsOfRank = Math.max(build.perRank(groups), 1);
  const prompts = build.phase === "context";
  // the kernels are charged for the whole model on every rank
  const shape = { hidden, stateSize, taps, heads: mambaHeads, headSize: mambaHeadSize, groups, chunk };
  const kernel = (name: string, kernel: Mamba2Kernel): OperatorSpec => ({
    kind: "mamba2",
    ...build.named(name),
    phase: build.phase,
    kernel,
    ...shape,
  });
  return [
    build.norm("mamba_norm"),
    build.gemm("mamba_in_proj_gemm", 2 * inner + 2 * groupsOfRank * stateSize + headsOfRank, hidden),
    kernel("mamba_conv1d", prompts ? "causal_conv1d_fn" : "causal_conv1d_update"),
    kernel("mamba_ssm", prompts ? "mamba_chunk_scan_combined" : "selective_state_update"),
    build.gemm("mamba_out_proj_gemm", hidden, inner),
    build.allReduce("mamba_ar", build.layers),
  ];
}

function attentionLayers(build: ListBuilder<NemotronH>): OperatorSpec[] {
  const { hidden, heads, headSize } = build.facts;
  const queries = build.perRank(heads * headSize);
  return [
    build.norm("attn_norm"),
    build.gemm("qkv_gemm", queries + headSize * build.kvHeads * 2, hidden),
    build.attention(build.layers),
    build.gemm("proj_gemm", hidden, queries, build.modes.gemm, true),
    build.allReduce("attn_ar", build.layers),
  ];
}

/** Shared experts, then the routed ones, which may work in a narrower space. Neither has a gate. */
function expertLayers(build: ListBuilder<NemotronH>): OperatorSpec[] {
  const { hidden, experts } = build.facts;
  const { latent, sharedInter } = build.own;
  const shared = build.perRank(sharedInter);
  const parts = { width: latent > 0 ? latent : hidden, gated: false };
  const latentOfRank = build.perRank(latent);
  return [
    build.norm("moe_norm"),
    build.gemm("shared_up_gemm", shared, hidden),
    build.gate("shared_relu2", shared, shared),
    build.gemm("shared_down_gemm", hidden, shared, build.modes.gemm, true),
    build.gemm("router_gemm", experts, hidden, "bfloat16"),
    ...latent > 0 ? [build.gemm("fc1_latent_proj_gemm", latentOfRank, hidden)] : [],
    build.dispatch(true, parts),
    build.experts("power_law_1.01", parts),
    build.dispatch(false, parts),
    ...latent > 0 ? [build.gemm("fc2_latent_proj_gemm", hidden, latentOfRank, build.modes.gemm, true)] : [],
    build.allReduce("moe_ar", build.layers),
  ];
}

function plainLayers(build: ListBuilder<NemotronH>): OperatorSpec[] {
  const { hidden, inter } = build.facts;
  const width = build.perRank(inter);
  return [
    build.norm("mlp_norm"),
    build.gemm("mlp_up_gemm", width, hidden),
    build.gate("mlp_relu2", width, width),
    build.gemm("mlp_down_gemm", hidden, width),
    build.allReduce("mlp_ar", build.layers),
  ];
}
