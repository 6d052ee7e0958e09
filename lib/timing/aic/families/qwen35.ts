/**
 * Qwen3.5 and its kin: layers of Gated DeltaNet (linear attention with a state of fixed size) beside layers of gated
 * attention; dense or with routed and shared experts.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../../errors.ts";
import { checkWeightBlocks, type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import { type CheckpointParts, isRoutedExpert, type Json } from "../checkpoint_quant.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import type { GdnKernel, StateType } from "../operators/gdn.ts";
import { type GemmMode, KV_MODES } from "../quant.ts";
import type { CacheRequest, Family } from "./family.ts";
import { count, countIfThere, fields } from "./fields.ts";
import { linearCache, PLAIN_ACTIVATIONS, type SequenceCache } from "./memory.ts";

/** Modes of products that a checkpoint may quantise apart from the rest; null: as the rest. */
interface PartModes {
  readonly projection: GemmMode | null;
  readonly dense: GemmMode | null;
  readonly shared: GemmMode | null;
}

interface Qwen35 {
  readonly linearLayers: number;
  readonly fullLayers: number;
  /** Heads of Gated DeltaNet in the whole model, and their sizes. */
  readonly keyHeads: number;
  readonly keySize: number;
  readonly valueHeads: number;
  readonly valueSize: number;
  readonly taps: number;
  readonly stateType: StateType;
  /** Width of the shared expert; 0 for none. */
  readonly sharedInter: number;
  readonly partModes: PartModes;
}

const ARCHITECTURES = [
  "Qwen3_5ForConditionalGeneration",
  "Qwen3_5MoeForConditionalGeneration",
  "Qwen3_5MoeForCausalLM",
];

/** Routers of fewer experts are not charged over prompts. */
const CHARGED_ROUTER = 128;

export const qwen35Family: Family<Qwen35> = {
  name: "qwen35",
  architectures: ARCHITECTURES,
  nested: ARCHITECTURES.slice(0, 2),
  own: qwen35,
  spreadsExperts: ({ experts }) => experts > 0,
  check(request) {
    if (request.facts.experts > 0) checkWeightBlocks(request);
    const { own: { keyHeads, valueHeads }, parallelism: { tensor } } = request;
    if (keyHeads % tensor !== 0 || valueHeads % tensor !== 0) {
      throw new ConfigError(
        "Qwen3.5 GDN head counts must both be divisible by tensor parallel size: " +
          `num_k_heads=${keyHeads}, num_v_heads=${valueHeads}, tensor=${tensor}`,
      );
    }
  },
  lists: (request: ListRequest<Qwen35>) => listsOf(request, qwen35List),
  memory: { activations: PLAIN_ACTIVATIONS, cache: cacheAndState },
};

const Config = v.object({
  layer_types: v.array(v.picklist(["linear_attention", "full_attention"])),
  linear_num_key_heads: count,
  linear_key_head_dim: count,
  linear_num_value_heads: count,
  linear_value_head_dim: count,
  linear_conv_kernel_dim: count,
  shared_expert_intermediate_size: countIfThere(0),
});

function qwen35(text: Json, facts: ModelFacts, parts: CheckpointParts, root: Json): Qwen35 {
  const own = fields(Config, text);
  if (own.layer_types.length !== facts.layers) {
    throw new ConfigError(
      `Qwen3.5 layer_types length ${own.layer_types.length} != num_hidden_layers ${facts.layers}`,
    );
  }
  const linearLayers = own.layer_types.filter((type) => type === "linear_attention").length;
  const stateType = "mamba_ssm_dtype" in text ? text.mamba_ssm_dtype : root.mamba_ssm_dtype;
  return {
    linearLayers,
    fullLayers: facts.layers - linearLayers,
    keyHeads: own.linear_num_key_heads,
    keySize: own.linear_key_head_dim,
    valueHeads: own.linear_num_value_heads,
    valueSize: own.linear_value_head_dim,
    taps: own.linear_conv_kernel_dim,
    stateType: stateType === "bfloat16" || stateType === "float16" ? stateType : "float32",
    sharedInter: own.shared_expert_intermediate_size,
    partModes: partModes(parts),
  };
}

/** Modes of layers that a checkpoint quantises one by one. */
const LAYER_MODES: Readonly<Record<string, GemmMode>> = {
  fp8: "fp8_static",
  mxfp8: "fp8",
  nvfp4: "nvfp4",
  w4a16_nvfp4: "w4a16_nvfp4",
};

/** What the list of layers says of each part; what it does not name is plain where it is excluded. */
function partModes({ layers, excluded }: CheckpointParts): PartModes {
  const named: { -readonly [part in keyof PartModes]: PartModes[part] } = {
    projection: null,
    dense: null,
    shared: null,
  };
  for (const [layer, algorithm] of layers) {
    if (!Object.hasOwn(LAYER_MODES, algorithm)) continue;
    const mode = LAYER_MODES[algorithm];
    const target = layer.toLowerCase();
    if (target.includes(".linear_attn.") || target.includes(".self_attn.")) named.projection = mode;
    else if (target.includes("shared_expert")) named.shared = mode;
    else if (target.includes(".mlp.") && !isRoutedExpert(target)) named.dense = mode;
  }
  const plainIf = (matches: (name: string) => boolean) =>
    excluded.some((entry) => matches(entry.toLowerCase())) ? "bfloat16" as const : null;
  return {
    projection: named.projection ?? plainIf((name) => name.includes("linear_attn") || name.includes("self_attn")),
    dense: named.dense ?? plainIf((name) => name.includes(".mlp") && !name.includes("shared_expert")),
    shared: named.shared ?? plainIf((name) => name.includes("shared_expert")),
  };
}

function modeOf(build: ListBuilder<Qwen35>, part: keyof PartModes): GemmMode {
  return build.gemmFixed ? build.modes.gemm : build.own.partModes[part] ?? build.modes.gemm;
}

function qwen35List(build: ListBuilder<Qwen35>): OperatorSpec[] {
  const { linearLayers, fullLayers } = build.own;
  return [
    build.embedding(build.perRank(build.facts.vocab)),
    build.allReduce("embedding_ar", 1),
    ...linearLayers > 0 ? linearBlock(build.block("gdn_", linearLayers)) : [],
    ...fullLayers > 0 ? fullBlock(build, build.block("full_", fullLayers)) : [],
    build.logits(),
    build.p2p(),
  ];
}

/** Sum over ranks after attention; SGLang does it on the way to the experts when attention is replicated. */
function attentionSum(build: ListBuilder<Qwen35>): OperatorSpec[] {
  const folded = build.backend === "sglang" && build.facts.experts > 0 && build.parallelism.attentionData > 1;
  return folded ? [] : [build.allReduce("ar", build.layers)];
}

function linearBlock(build: ListBuilder<Qwen35>): OperatorSpec[] {
  const { hidden } = build.facts;
  const { keyHeads, keySize, valueHeads, valueSize, taps, stateType } = build.own;
  const mode = modeOf(build, "projection");
  const kernel = (name: string, kernel: GdnKernel): OperatorSpec => ({
    kind: "gdn",
    ...build.named(name),
    phase: build.phase,
    kernel,
    hidden,
    taps,
    keyHeads: build.perRank(keyHeads),
    keySize,
    valueHeads: build.perRank(valueHeads),
    valueSize,
    stateType,
  });
  const kernels = build.phase === "context"
    ? [kernel("conv1d", "causal_conv1d_fn"), kernel("scan", "chunk_gated_delta_rule")]
    : [kernel("conv1d", "causal_conv1d_update"), kernel("recurrence", "fused_sigmoid_gating_delta_rule_update")];
  return [
    build.norm("norm"),
    build.gemm("in_proj_gemm", build.perRank(2 * keyHeads * keySize + 2 * valueHeads * valueSize), hidden, mode),
    { ...build.gemm("in_proj_ba_gemm", build.perRank(2 * valueHeads), hidden, mode), belowGrid: true },
    ...kernels,
    build.gemm("out_proj_gemm", hidden, build.perRank(valueHeads * valueSize), mode, true),
    ...attentionSum(build),
    ...feedForward(build),
  ];
}

/** Attention whose queries bring a gate along, which doubles their projection. */
function fullBlock(whole: ListBuilder<Qwen35>, build: ListBuilder<Qwen35>): OperatorSpec[] {
  const { hidden, heads, headSize } = build.facts;
  const mode = modeOf(build, "projection");
  const queries = build.perRank(heads) * headSize;
  const unnamed = whole.block("", build.layers);
  return [
    build.norm("attn_norm"),
    unnamed.gemm("qkv_gemm", 2 * queries + 2 * build.kvHeads * headSize, hidden, mode),
    build.attention(build.layers, { qkNorm: true }),
    unnamed.gemm("proj_gemm", hidden, queries, mode, true),
    ...attentionSum(build),
    ...feedForward(build),
  ];
}

function feedForward(build: ListBuilder<Qwen35>): OperatorSpec[] {
  if (build.facts.experts > 0) return build.phase === "context" ? promptExperts(build) : decodeExperts(build);
  const { hidden, inter } = build.facts;
  const mode = modeOf(build, "dense");
  const both = build.perRank(2 * inter);
  const width = build.perRank(inter);
  return [
    build.norm("ffn_norm"),
    build.gemm("gate_ffn1_gemm", both, hidden, mode),
    build.gate("act_gate", both, width),
    build.gemm("ffn2_gemm", hidden, width, mode, true),
    build.allReduce("ffn_ar", build.layers),
  ];
}

const DISTRIBUTION = "power_law_1.2";

/** SGLang has nothing to transport before the experts unless attention is replicated. */
const transportsFirst = ({ backend, parallelism }: ListBuilder<Qwen35>) =>
  backend !== "sglang" || parallelism.attentionData > 1;

function router(build: ListBuilder<Qwen35>): OperatorSpec[] {
  const { experts, hidden } = build.facts;
  return experts >= CHARGED_ROUTER ? [build.gemm("router_gemm", experts, hidden, "bfloat16")] : [];
}

/** Tokens on their way to the experts; attention has been summed over the ranks already. */
function toExperts(build: ListBuilder<Qwen35>): OperatorSpec[] {
  const dispatch = build.dispatch(true);
  return dispatch.kind === "moe_dispatch" ? [{ ...dispatch, attentionSummed: true }] : [];
}

function promptExperts(build: ListBuilder<Qwen35>): OperatorSpec[] {
  return [
    build.norm("ffn_norm"),
    ...router(build),
    ...transportsFirst(build) ? toExperts(build) : [],
    build.experts(DISTRIBUTION),
    build.dispatch(false),
    ...sharedExpert(build),
    ...merge(build),
  ];
}

/** Shared and routed experts run side by side, except under TensorRT-LLM. */
function decodeExperts(build: ListBuilder<Qwen35>): OperatorSpec[] {
  const before = transportsFirst(build) ? toExperts(build) : [];
  const shared = sharedExpert(build);
  if (build.backend === "trtllm" || shared.length === 0) {
    return [
      build.norm("ffn_norm"),
      ...build.backend === "sglang" ? [...before, ...router(build)] : [...router(build), ...before],
      build.experts(DISTRIBUTION),
      ...shared,
      ...merge(build),
      build.dispatch(false),
    ];
  }
  const sglang = build.backend === "sglang";
  const routed = [...router(build), ...sglang ? [] : before, build.experts(DISTRIBUTION)];
  return [
    build.norm("ffn_norm"),
    ...sglang ? before : [],
    { kind: "overlap", name: build.named("moe_overlap").name, count: 1, groups: [routed, shared] },
    ...merge(build),
    build.dispatch(false),
  ];
}

function sharedExpert(build: ListBuilder<Qwen35>): OperatorSpec[] {
  const { sharedInter } = build.own;
  if (sharedInter === 0) return [];
  const { hidden } = build.facts;
  const mode = modeOf(build, "shared");
  const both = build.perRank(2 * sharedInter);
  const width = build.perRank(sharedInter);
  const gated = build.backend !== "sglang";
  return [
    ...gated ? [{ ...build.gemm("shared_expert_gate_gemm", 1, hidden, "bfloat16"), belowGrid: true }] : [],
    build.gemm("shared_gate_up_gemm", both, hidden, mode),
    build.gate("shared_act_gate", both, width),
    build.gemm("shared_down_gemm", hidden, width, mode, true),
    ...gated ? [build.elementwise("shared_expert_gate_mul", 4 * hidden)] : [],
  ];
}

/** Adds what shared and routed experts found. */
function merge(build: ListBuilder<Qwen35>): OperatorSpec[] {
  if (build.own.sharedInter === 0) return [];
  const { hidden } = build.facts;
  return [build.elementwise("shared_merge", build.backend === "sglang" ? 8 * hidden : 6 * hidden)];
}

/** Keys and values of the layers with attention, and the state of the others, which does not grow. */
function cacheAndState({ facts, own, parallelism: { tensor }, kv }: CacheRequest<Qwen35>): SequenceCache {
  const { linearLayers, fullLayers, keyHeads, keySize, valueHeads, valueSize, taps, stateType } = own;
  const perToken = KV_MODES[kv] * fullLayers * 2 * Math.ceil(facts.kvHeads / tensor) * facts.headSize;
  const stateBytes = stateType === "float32" ? 4 : 2;
  const recurrent = Math.floor(valueHeads / tensor) * keySize * valueSize * stateBytes;
  const channels = Math.floor((2 * keyHeads * keySize + valueHeads * valueSize) / tensor);
  return linearCache(perToken, linearLayers * (recurrent + channels * (taps - 1) * 2));
}
