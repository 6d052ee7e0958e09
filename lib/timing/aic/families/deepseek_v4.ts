/**
 * DeepSeek V4: layers with compressed attention of two kinds, hyper-connections around them, experts as in DeepSeek V3.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../../errors.ts";
import type { Json } from "../checkpoint_quant.ts";
import { type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import type { Dsv4Spec, Dsv4Widths } from "../operators/dsv4.ts";
import type { MhcSpec } from "../operators/mhc.ts";
import { GEMM_MODES, KV_MODES } from "../quant.ts";
import { expertsBeside, sharedExperts } from "./deepseek.ts";
import type { CacheRequest, Family, ImpliedModes, Serving } from "./family.ts";
import { count, countOr0, fields } from "./fields.ts";
import { bentCache, EXPERT_ACTIVATIONS, type SequenceCache } from "./memory.ts";

/** What the lists need beside the common facts. */
interface CompressedOwn {
  readonly widths: Omit<Dsv4Widths, "hidden">;
  /** Tokens of a compressed entry by layer; 0 for layers that look at the window alone. */
  readonly ratios: readonly number[];
  /** Residual streams of the hyper-connections, and the rounds that balance their mixing. */
  readonly streams: number;
  readonly rounds: number;
  /** Whether the experts' weights are MXFP4. */
  readonly fp4Experts: boolean;
}

export const deepseekV4Family: Family<CompressedOwn> = {
  name: "deepseek_v4",
  architectures: ["DeepseekV4ForCausalLM"],
  own: readOwn,
  implied,
  spreadsExperts: () => true,
  lists: (request: ListRequest<CompressedOwn>) => listsOf(request, compressedList),
  memory: {
    activations: EXPERT_ACTIVATIONS,
    routerWidth: ({ hidden }) => hidden,
    cache: compressedCache,
  },
};

const schema = v.object({
  q_lora_rank: count,
  o_lora_rank: count,
  o_groups: count,
  head_dim: count,
  qk_rope_head_dim: count,
  index_head_dim: count,
  index_n_heads: count,
  index_topk: count,
  sliding_window: count,
  compress_ratios: v.array(countOr0),
  hc_mult: count,
  hc_sinkhorn_iters: count,
  compress_rope_theta: v.number(),
  num_hash_layers: countOr0,
  hc_eps: v.number(),
  n_shared_experts: countOr0,
  expert_dtype: v.nullish(v.string()),
});

function readOwn(text: Json, { layers }: ModelFacts): CompressedOwn {
  const read = fields(schema, text);
  const ratios = read.compress_ratios.slice(0, layers);
  if (ratios.length < layers) {
    throw new ConfigError(
      `'compress_ratios' in the model's config.json has ${ratios.length} entries; expected one for each of ${layers} layers`,
    );
  }
  const unknown = [...new Set(ratios)].filter((ratio) => ![0, 4, 128].includes(ratio)).sort((a, b) => a - b);
  if (unknown.length > 0) throw new ConfigError(`Unsupported DeepSeek-V4 compress_ratios: [${unknown.join(", ")}]`);
  return {
    widths: {
      queryRank: read.q_lora_rank,
      outputRank: read.o_lora_rank,
      outputGroups: read.o_groups,
      headSize: read.head_dim,
      ropeSize: read.qk_rope_head_dim,
      indexHeads: read.index_n_heads,
      indexSize: read.index_head_dim,
      picked: read.index_topk,
      window: read.sliding_window,
    },
    ratios,
    streams: read.hc_mult,
    rounds: read.hc_sinkhorn_iters,
    fp4Experts: read.expert_dtype?.toLowerCase() === "fp4",
  };
}

/** The cache is FP8 always and attention was measured in bfloat16; SGLang has kernels of its own for MXFP4 experts. */
function implied(
  modes: ImpliedModes,
  _facts: ModelFacts,
  { fp4Experts }: CompressedOwn,
  serving: Serving,
): ImpliedModes {
  const { backend, hardware: { smVersion } } = serving;
  const fmha = modes.fmha === "fp8" ? "bfloat16" : modes.fmha;
  const whole: ImpliedModes = { ...modes, ...fmha === undefined ? {} : { fmha }, kvcache: "fp8" };
  if (!fp4Experts || modes.moe === "nvfp4") return whole;
  if (backend === "sglang" && smVersion >= 100) return { ...whole, moe: "w4a8_mxfp4_mxfp8_trtllm" };
  if (backend === "sglang" && smVersion === 90) return { ...whole, moe: "w4a16_mxfp4_cutlass" };
  return { ...whole, moe: "w4a8_mxfp4_mxfp8" };
}

function compressedList(build: ListBuilder<CompressedOwn>): OperatorSpec[] {
  const { hidden, moeInter, vocab } = build.facts;
  const width = build.perRank(moeInter);
  return [
    build.embedding(vocab),
    mixing(build, "pre"),
    build.elementwise("attn_norm", 4 * hidden),
    ...attentionBlocks(build),
    mixing(build, "post"),
    build.elementwise("ffn_norm", 4 * hidden),
    ...expertsBeside(
      build,
      sharedExperts(build, 2 * width, width, build.modes.gemm),
      build.expertPart("power_law_1.01"),
    ),
    build.logits(),
    build.p2p(),
  ];
}

function mixing(build: ListBuilder<CompressedOwn>, part: "pre" | "post"): MhcSpec {
  const { streams, rounds } = build.own;
  return { kind: "mhc", ...build.named(`mhc_${part}`), part, hidden: build.facts.hidden, streams, rounds };
}

/** One block for each kind of layer, in the order in which they appear. Layers with the window alone count as HCA. */
function attentionBlocks(build: ListBuilder<CompressedOwn>): Dsv4Spec[] {
  const { ratios } = build.own;
  const kinds = [...new Set(ratios.filter((ratio) => ratio !== 0)), 128] as (4 | 128)[];
  return [...new Set(kinds)].flatMap((ratio) => {
    const layers = ratios.filter((own) => own === ratio || own === 0 && ratio === 128).length;
    return layers === 0 ? [] : [attentionBlock(build, ratio, layers)];
  });
}

function attentionBlock(build: ListBuilder<CompressedOwn>, ratio: 4 | 128, layers: number): Dsv4Spec {
  const { facts: { hidden, heads: nativeHeads }, own: { widths }, modes: { fmha, kvcache: kv, gemm: mode } } = build;
  const heads = build.perRank(nativeHeads);
  const localGroups = Math.max(1, build.perRank(widths.outputGroups));
  const { queryRank, outputRank, headSize, indexHeads, indexSize } = widths;
  const copies = ratio === 4 ? 2 : 1;
  let products = hidden * queryRank + queryRank * heads * headSize + hidden * headSize +
    localGroups * outputRank * hidden + 2 * hidden * copies * headSize;
  let plain = heads * headSize * outputRank;
  let scales = heads + ratio * copies * headSize;
  if (ratio === 4) {
    products += queryRank * indexHeads * indexSize + 4 * hidden * indexSize;
    plain += hidden * indexHeads;
    scales += 8 * indexSize;
  }
  return {
    kind: "dsv4",
    ...build.named("attention", layers),
    phase: build.phase,
    hidden,
    ...widths,
    ratio,
    heads,
    nativeHeads,
    localGroups,
    fmha,
    kv,
    mode,
    weightBytes: GEMM_MODES[mode].bytes * products + 2 * plain + 4 * scales,
  };
}

/** A window of single tokens, compressed entries beyond it, and the state of the compressors. */
function compressedCache({ facts, own: { widths, ratios }, kv }: CacheRequest<CompressedOwn>): SequenceCache {
  const { headSize, indexSize, window } = widths;
  const entry = headSize * KV_MODES[kv];
  const layersOf = (ratio: number) => ratios.filter((own) => own === ratio).length;
  const fine = layersOf(4);
  const coarse = layersOf(128);
  const state = fine * (2 * 4 * 2 * headSize * 4 + 2 * 4 * 2 * indexSize * 4) + coarse * (2 * 128 * headSize * 4);
  const bytes = (tokens: number) =>
    ratios.length * Math.min(tokens, window) * entry + state +
    fine * Math.floor(tokens / 4) * (entry + indexSize * 0.5) + coarse * Math.floor(tokens / 128) * entry;
  return bentCache(bytes, facts.contextLength ?? Infinity);
}
