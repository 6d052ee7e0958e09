/**
 * Mixtures of experts with grouped-query attention (Mixtral, Qwen MoE, gpt-oss, MiniMax-M2).
 *
 * @module
 */
import { checkWeightBlocks, type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import type { CacheRequest, Family } from "./family.ts";
import { groupedQueryCache } from "./grouped_query.ts";
import { EXPERT_ACTIVATIONS, type SequenceCache } from "./memory.ts";

/** Tokens that every second layer of gpt-oss looks back on. */
const GPT_OSS_WINDOW = 128;
const QK_NORM: readonly string[] = ["Qwen3MoeForCausalLM", "MiniMaxM2ForCausalLM"];
const isGptOss = (architecture: string) => architecture === "GptOssForCausalLM";

export const expertFamily: Family = {
  name: "moe",
  architectures: [
    "MixtralForCausalLM",
    "Qwen2MoeForCausalLM",
    "Qwen3MoeForCausalLM",
    "GptOssForCausalLM",
    "MiniMaxM2ForCausalLM",
  ],
  spreadsExperts: () => true,
  check: checkWeightBlocks,
  lists: (request: ListRequest<null>) => listsOf(request, expertList),
  memory: { activations: EXPERT_ACTIVATIONS, cache: expertCache },
};

/** One of the two lists. */
export function expertList(build: ListBuilder<null>): OperatorSpec[] {
  const { architecture, layers, vocab } = build.facts;
  const windowed = isGptOss(architecture);
  const qkNorm = QK_NORM.includes(architecture);
  return [
    ...windowed ? [build.attention(layers / 2, { window: GPT_OSS_WINDOW })] : [],
    build.embedding(build.perRank(vocab)),
    ...build.attentionPart(build.attention(windowed ? layers / 2 : layers, { qkNorm })),
    ...build.expertPart("power_law_1.2"),
    ...build.phase === "generation" ? [build.logits()] : [],
    build.allReduce("embedding_ar", 1),
    build.p2p(),
  ];
}

/** Layers with a window stop growing there. */
function expertCache(request: CacheRequest<null>): SequenceCache {
  const whole = groupedQueryCache(request);
  if (!isGptOss(request.facts.architecture)) return whole;
  const growing = whole.bytes(1) / 2;
  return {
    bytes: (tokens) => growing * tokens + growing * Math.min(tokens, GPT_OSS_WINDOW),
    tokens(budget) {
      const tokens = whole.tokens(budget);
      return tokens <= GPT_OSS_WINDOW ? tokens : Math.floor((budget - growing * GPT_OSS_WINDOW) / growing);
    },
  };
}
