/**
 * Qwen3-VL, dense and with experts: the language model alone. Images are no part of a pass, and the encoder's weights
 * are not counted. Queries and keys are not normalised here.
 *
 * @module
 */
import { checkWeightBlocks, type ListRequest, listsOf } from "../list_builder.ts";
import { denseList } from "./dense.ts";
import { expertList } from "./experts.ts";
import type { Family } from "./family.ts";
import { groupedQueryCache } from "./grouped_query.ts";
import { PLAIN_ACTIVATIONS } from "./memory.ts";

export const qwen3VlFamily: Family = {
  name: "qwen3_vl",
  architectures: ["Qwen3VLForConditionalGeneration"],
  nested: ["Qwen3VLForConditionalGeneration"],
  spreadsExperts: () => false,
  lists: (request: ListRequest<null>) => listsOf(request, denseList),
  memory: { activations: PLAIN_ACTIVATIONS, cache: groupedQueryCache },
};

export const qwen3VlExpertFamily: Family = {
  name: "qwen3_vl_experts",
  architectures: ["Qwen3VLMoeForConditionalGeneration"],
  nested: ["Qwen3VLMoeForConditionalGeneration"],
  spreadsExperts: () => true,
  check: checkWeightBlocks,
  lists: (request: ListRequest<null>) => listsOf(request, expertList),
  memory: { activations: PLAIN_ACTIVATIONS, cache: groupedQueryCache },
};
