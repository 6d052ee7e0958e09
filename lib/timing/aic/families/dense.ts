/**
 * Dense models with grouped-query attention (Llama, Qwen and their kin).
 *
 * @module
 */
import { type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import type { Family } from "./family.ts";
import { groupedQueryCache } from "./grouped_query.ts";
import { DENSE_ACTIVATIONS } from "./memory.ts";

export const denseFamily: Family = {
  name: "llama",
  architectures: ["LlamaForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM", "MiMoForCausalLM"],
  spreadsExperts: () => false,
  lists: (request: ListRequest<null>) => listsOf(request, denseList),
  memory: { activations: DENSE_ACTIVATIONS, cache: groupedQueryCache },
};

/** One of the two lists. */
export function denseList(build: ListBuilder<null>): OperatorSpec[] {
  const { architecture, hidden, inter, layers, vocab } = build.facts;
  const both = build.perRank(2 * inter);
  const width = build.perRank(inter);
  const qkNorm = architecture === "Qwen3ForCausalLM";
  return [
    build.embedding(build.perRank(vocab)),
    ...build.attentionPart(build.attention(layers, { qkNorm })),
    build.gemm("gate_ffn1_gemm", both, hidden),
    build.gate("act_gate", both, width),
    build.gemm("ffn2_gemm", hidden, width, build.modes.gemm, true),
    build.logits(),
    build.allReduce("embedding_ar", 1),
    build.allReduce("ar_1", layers),
    build.allReduce("ar_2", layers),
    build.p2p(),
  ];
}
