/**
 * Models with DeepSeek sparse attention (DeepSeek V3.2, GLM-5): the attention block was measured as a whole, experts are
 * those of DeepSeek V3.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../../errors.ts";
import type { CheckpointParts, Json } from "../checkpoint_quant.ts";
import { type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import { DSA_WIDTHS, type DsaArchitecture, type DsaSpec, INDEX_HEAD, KV_RANK, ROPE } from "../operators/dsa.ts";
import { GEMM_MODES, type GemmMode, KV_MODES } from "../quant.ts";
import { expertsBeside, sharedExperts } from "./deepseek.ts";
import {
  byProjection,
  type PlainProjections,
  plainProjections,
  plainSharedExperts,
  type Projection,
  PROJECTION_NAMES,
} from "./exclusions.ts";
import type { Family, ImpliedModes, Serving } from "./family.ts";
import { count, fields } from "./fields.ts";
import { EXPERT_ACTIVATIONS, linearCache } from "./memory.ts";

/** What the lists need beside the common facts. */
interface SparseOwn {
  /** Tokens that the indexer picks. */
  readonly picked: number;
  /** Bytes of a token in the indexer's cache. */
  readonly indexEntryBytes: number;
  /** Share of the layers that run their own indexer. */
  readonly indexed: number;
  /** Attention projections that are not quantised, as vLLM reads the checkpoint and as the others do. */
  readonly plain: { readonly vllm: PlainProjections; readonly others: PlainProjections };
  readonly plainSharedExperts: boolean;
  /** Layers without experts, in groups of which the same projections are not quantised. */
  readonly dense: readonly { readonly layers: number; readonly plainGate: boolean; readonly plainDown: boolean }[];
  /** Why the layers without experts cannot be told apart; null when they can. */
  readonly denseProblem: string | null;
}

export const deepseekV32Family: Family<SparseOwn> = {
  name: "deepseek_v32",
  architectures: ["DeepseekV32ForCausalLM", "GlmMoeDsaForCausalLM"],
  own: readOwn,
  // attention over prompts was measured in bfloat16 alone
  implied: (modes: ImpliedModes, _facts: ModelFacts, _own: SparseOwn, { backend }: Serving) =>
    backend !== "vllm" && modes.fmha === "fp8" ? { ...modes, fmha: "bfloat16" } : modes,
  spreadsExperts: () => true,
  lists: (request: ListRequest<SparseOwn>) => listsOf(request, sparseList),
  memory: {
    activations: EXPERT_ACTIVATIONS,
    routerWidth: ({ heads, headSize, hidden }, backend) => backend === "sglang" ? hidden : heads * headSize,
    cache: ({ facts, own, kv }) =>
      linearCache(facts.layers * (KV_RANK * KV_MODES[kv] + ROPE * 2 + own.indexEntryBytes)),
  },
};

const schema = v.object({
  q_lora_rank: count,
  kv_lora_rank: count,
  qk_nope_head_dim: count,
  qk_rope_head_dim: count,
  v_head_dim: count,
  index_head_dim: count,
  index_n_heads: count,
  index_topk: count,
  index_topk_freq: v.nullish(v.pipe(v.number(), v.integer()), 1),
  index_topk_pattern: v.nullish(v.union([v.string(), v.array(v.string())])),
  index_skip_topk_offset: v.nullish(v.pipe(v.number(), v.integer())),
});

function readOwn(text: Json, facts: ModelFacts, { excluded }: CheckpointParts): SparseOwn {
  const read = fields(schema, text);
  const dense = denseLayers(text, facts.layers, excluded);
  return {
    picked: read.index_topk,
    indexEntryBytes: read.index_head_dim + 4 * Math.ceil(read.index_head_dim / 128),
    indexed: indexedShare(read, facts.layers),
    plain: { vllm: plainByPath(excluded, facts.layers), others: plainProjections(excluded) },
    plainSharedExperts: plainSharedExperts(excluded),
    dense: typeof dense === "string" ? [] : dense,
    denseProblem: typeof dense === "string" ? dense : null,
  };
}

/** Share of the layers that pick tokens themselves; the others take over an earlier layer's choice. */
function indexedShare(read: v.InferOutput<typeof schema>, layers: number): number {
  const every = read.index_topk_freq || 1;
  const { index_topk_pattern: pattern, index_skip_topk_offset: offset } = read;
  if (every <= 1 && !pattern?.length) return 1;
  let indexed = 0;
  for (let layer = 0; layer < layers; layer++) {
    const skips = pattern != null
      ? pattern[layer] === "S"
      : Math.max(offset == null ? layer - 1 : layer - offset + 1, 0) % every !== 0;
    if (!skips) indexed++;
  }
  return indexed / layers;
}

/** The indexer's products, which vLLM tells from its norms. */
const INDEXER_PRODUCTS = ["indexer.wq_b", "indexer.wk", "indexer.weights_proj"];

/** Patterns stand for a whole block only where they end with its name. Regular expressions are tried on module paths. */
function plainByPath(excluded: readonly string[], layers: number): PlainProjections {
  const endsWith = (pattern: string, block: string) => {
    const at = pattern.lastIndexOf(block);
    return at >= 0 && ["", "*", ".*", "\\..*"].includes(pattern.slice(at + block.length));
  };
  const globs = excluded.filter((pattern) => !pattern.startsWith("re:"));
  const expressions = excluded.filter((pattern) => pattern.startsWith("re:")).map((pattern) => expression(pattern));
  if (globs.some((pattern) => endsWith(pattern, "self_attn"))) return byProjection(() => true);
  const matches = (module: string) =>
    expressions.some((tried) =>
      Array.from({ length: layers }, (_, layer) => `model.layers.${layer}.self_attn.${module}`)
        .some((path) => tried.test(path))
    );
  return byProjection((group) => {
    const marks = group === "indexer" ? INDEXER_PRODUCTS : PROJECTION_NAMES[group];
    const paths = group === "indexer"
      ? [...marks, "indexer.wk_weights_proj"]
      : group === "kv"
      ? [...marks, "kv_a_proj_with_mqa"]
      : marks;
    return globs.some((pattern) => marks.some((mark) => pattern.includes(mark))) ||
      group === "indexer" && globs.some((pattern) => endsWith(pattern, "indexer")) ||
      paths.some(matches);
  });
}

function expression(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern.slice(3)})`);
  } catch {
    throw new ConfigError(`the exclusion '${pattern}' in the model's quantization_config is no regular expression`);
  }
}

/** The first layers, which have no experts, by what of them is not quantised; or why that cannot be told. */
function denseLayers(text: Json, layers: number, excluded: readonly string[]): SparseOwn["dense"] | string {
  const replaced = text.first_k_dense_replace ?? 0;
  if (!Number.isInteger(replaced) || replaced < 0 || replaced > layers) {
    return `'first_k_dense_replace' in the model's config.json is ${JSON.stringify(replaced)}; expected 0 to ${layers}`;
  }
  if (replaced === 0) return [];
  if ((text.moe_layer_freq ?? 1) !== 1) {
    return "layers without experts need 'moe_layer_freq' 1 in the model's config.json";
  }
  if ((text.hidden_act ?? "silu") !== "silu") return "layers without experts need 'hidden_act' silu in config.json";
  const groups = new Map<string, { layers: number; plainGate: boolean; plainDown: boolean }>();
  for (let layer = 0; layer < replaced; layer++) {
    const named = (projection: string) => namesRun(excluded, `model.layers.${layer}.mlp.${projection}`);
    if (named("gate_proj") !== named("up_proj")) {
      return `gate_proj and up_proj of layer ${layer} are one product, but only one of them is quantised`;
    }
    const plainGate = named("gate_proj") || namesPart(excluded, `model.layers.${layer}.mlp.gate_up_proj`);
    const plainDown = named("down_proj") || namesPart(excluded, `model.layers.${layer}.mlp.down_proj`);
    const key = `${plainGate} ${plainDown}`;
    const group = groups.get(key) ?? { layers: 0, plainGate, plainDown };
    group.layers++;
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Whether a pattern is a run of whole parts of a module's path. */
const namesRun = (patterns: readonly string[], path: string) =>
  patterns.some((pattern) => `.${path}.`.includes(`.${pattern.replace(/\.+$/, "")}.`));

/** Whether a pattern with `*` for anything is a module's path or a part of it. */
function namesPart(patterns: readonly string[], path: string): boolean {
  const candidates = [path, ...path.split(".")];
  return patterns.some((pattern) => {
    const escaped = pattern.replace(/[\\^$+?()[\]{}|.]/g, "\\$&").replaceAll("*", ".*");
    const whole = new RegExp(`^${escaped}$`);
    return candidates.some((candidate) => whole.test(candidate));
  });
}

function sparseList(build: ListBuilder<SparseOwn>): OperatorSpec[] {
  const { moeInter, vocab } = build.facts;
  const { moeTensor } = build.parallelism;
  const dense = denseGroups(build);
  const experts = build.block("", build.layers - dense.reduce((sum, { layers }) => sum + layers, 0));
  const both = Math.floor(2 * moeInter / moeTensor);
  const mode = build.own.plainSharedExperts ? "bfloat16" : build.modes.gemm;
  return [
    build.embedding(vocab),
    build.norm("add_norm_1"),
    attentionBlock(build),
    build.norm("add_norm_2"),
    ...dense.flatMap((group, i) => denseLayer(build, group, dense.length === 1 ? "dense_" : `dense_${i}_`)),
    ...expertsBeside(
      build,
      sharedExperts(experts, both, Math.floor(moeInter / moeTensor), mode),
      experts.expertPart("power_law_1.01"),
    ),
    build.logits(),
    build.p2p(),
  ];
}

function attentionBlock(build: ListBuilder<SparseOwn>): DsaSpec {
  const { own, phase, backend } = build;
  const architecture = build.facts.architecture as DsaArchitecture;
  const { fmha, kvcache: kv, gemm } = build.modes;
  const heads = build.perRank(build.facts.heads);
  const plain = backend === "vllm" ? own.plain.vllm : own.plain.others;
  const modeOf = (group: Projection): GemmMode => plain[group] ? "bfloat16" : gemm;
  const { hidden, queryRank, plain: keySize, value, indexHeads } = DSA_WIDTHS[architecture];
  const bytesOf = (group: Projection) => GEMM_MODES[modeOf(group)].bytes;
  return {
    kind: "dsa",
    ...build.named("attention"),
    phase,
    architecture,
    heads,
    picked: own.picked,
    fmha,
    kv,
    // measurements know one mode; a mixed block goes by its largest projection
    mode: modeOf("o"),
    indexed: backend === "trtllm" ? 1 : own.indexed,
    weightBytes: bytesOf("q") * (hidden * queryRank + queryRank * heads * (keySize + ROPE)) +
      bytesOf("kv") * (hidden * (KV_RANK + ROPE) + KV_RANK * heads * (keySize + value)) +
      bytesOf("o") * (heads * value * hidden) +
      bytesOf("indexer") * (queryRank * INDEX_HEAD * indexHeads + hidden * indexHeads),
  };
}

/** Layers without experts count as such under SGLang alone, where a worker is neither replicated nor in stages. */
function denseGroups(build: ListBuilder<SparseOwn>): SparseOwn["dense"] {
  const { backend, nextn, own, facts: { inter } } = build;
  const { pipeline, attentionData, tensor } = build.parallelism;
  if (backend !== "sglang" || pipeline !== 1 || attentionData !== 1 || nextn !== 0) return [];
  if (own.denseProblem !== null) throw new ConfigError(own.denseProblem);
  if (own.dense.length > 0 && (inter === 0 || inter % tensor !== 0)) {
    throw new ConfigError(
      `'intermediate_size' (${inter}) of layers without experts must be divisible by tensor ${tensor}`,
    );
  }
  return own.dense;
}

function denseLayer(
  build: ListBuilder<SparseOwn>,
  { layers, plainGate, plainDown }: SparseOwn["dense"][number],
  prefix: string,
): OperatorSpec[] {
  const part = build.block(prefix, layers);
  const { hidden, inter } = build.facts;
  const width = build.perRank(inter);
  const { gemm } = build.modes;
  return [
    part.allReduce("attn_ar", layers),
    part.gemm("gate_up_gemm", 2 * width, hidden, plainGate ? "bfloat16" : gemm),
    part.gate("act_gate", 2 * width, width),
    part.gemm("down_gemm", hidden, width, plainDown ? "bfloat16" : gemm, true),
    part.allReduce("ffn_ar", layers),
  ];
}
