/**
 * MiniMax M3: sparse grouped-query attention measured as a block, routed experts and one shared one in every layer.
 *
 * @module
 */
import { type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import { expertsBeside, sharedExperts } from "./deepseek.ts";
import type { Family } from "./family.ts";
import { groupedQueryCache } from "./grouped_query.ts";
import { PLAIN_ACTIVATIONS } from "./memory.ts";

export const minimaxM3Family: Family = {
  name: "minimax_m3",
  architectures: ["MiniMaxM3ForCausalLM", "MiniMaxM3SparseForConditionalGeneration"],
  nested: ["MiniMaxM3SparseForConditionalGeneration"],
  spreadsExperts: () => true,
  lists: (request: ListRequest<null>) => listsOf(request, sparseList),
  memory: { activations: PLAIN_ACTIVATIONS, cache: groupedQueryCache },
};

function sparseList(build: ListBuilder<null>): OperatorSpec[] {
  const { facts: { hidden, heads, kvHeads, moeInter, vocab }, modes } = build;
  return [
    build.embedding(vocab),
    build.norm("add_norm_1"),
    {
      kind: "msa",
      ...build.named("attention"),
      phase: build.phase,
      hidden,
      heads: Math.max(1, build.perRank(heads)),
      kvHeads: Math.max(1, build.perRank(kvHeads)),
      fmha: modes.fmha,
      kv: modes.kvcache,
      mode: modes.gemm,
    },
    build.norm("add_norm_2"),
    ...expertsBeside(
      build,
      sharedExperts(build, build.perRank(2 * moeInter), build.perRank(moeInter), modes.gemm),
      build.expertPart("power_law_1.01"),
    ),
    build.logits(),
    build.p2p(),
  ];
}
