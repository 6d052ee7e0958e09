/**
 * Kimi K2.5: the latent attention and the experts of DeepSeek V3 with sizes of its own, described in `text_config`.
 *
 * @module
 */
import { type ListRequest, listsOf } from "../list_builder.ts";
import { deepseekFamily, latentList, type LatentOwn } from "./deepseek.ts";
import type { Family } from "./family.ts";

export const kimiK25Family: Family<LatentOwn> = {
  ...deepseekFamily,
  name: "kimi_k25",
  architectures: ["KimiK25ForConditionalGeneration"],
  nested: ["KimiK25ForConditionalGeneration"],
  implied: undefined,
  lists: (request: ListRequest<LatentOwn>) => listsOf(request, latentList),
  memory: {
    ...deepseekFamily.memory,
    width: undefined,
    routerWidth: ({ heads, headSize, hidden }, backend) => backend === "sglang" ? hidden : heads * headSize,
  },
};
