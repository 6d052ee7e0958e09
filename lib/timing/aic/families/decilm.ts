/**
 * Models found by architecture search (Llama-3.3-Nemotron-Super): every layer has its own number of KV heads and width,
 * and may lack attention or the feed-forward part.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../../errors.ts";
import type { Json } from "../checkpoint_quant.ts";
import { type ListBuilder, type ListRequest, listsOf } from "../list_builder.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { OperatorSpec } from "../operator_spec.ts";
import type { Family } from "./family.ts";
import { count, fields } from "./fields.ts";
import { PLAIN_ACTIVATIONS } from "./memory.ts";

/** Neighbouring layers that are alike. */
interface LayerGroup {
  readonly layers: number;
  /** KV heads of the whole model; 0 without attention. */
  readonly kvHeads: number;
  /** Width of the feed-forward part; 0 without one. */
  readonly inter: number;
}

/** The attention that was measured for these models. */
const HEAD_SIZE = 128;
/** Widths are whole multiples of this. */
const WIDTH_STEP = 256;

export const deciFamily: Family<readonly LayerGroup[]> = {
  name: "decilm",
  architectures: ["DeciLMForCausalLM", "NemotronForCausalLM"],
  own: layerGroups,
  spreadsExperts: () => false,
  check({ nextn }) {
    if (nextn !== 0) {
      throw new ConfigError("NemotronNas does not support MTP speculative decoding (nextn must be 0)");
    }
  },
  lists: (request: ListRequest<readonly LayerGroup[]>) => listsOf(request, deciList),
  memory: {
    activations: PLAIN_ACTIVATIONS,
    cache() {
      throw new ConfigError(
        "insufficient model metadata; missing: kv_size_per_token_bytes (its layers have unequal numbers of KV heads); " +
          "give the number of blocks (num_gpu_blocks) instead",
      );
    },
  },
};

const Blocks = v.object({
  block_configs: v.array(v.object({
    attention: v.object({ n_heads_in_group: v.nullish(count), no_op: v.nullish(v.boolean(), false) }),
    ffn: v.object({
      ffn_mult: v.nullish(v.pipe(v.number(), v.minValue(0)), 3.5),
      no_op: v.nullish(v.boolean(), false),
    }),
  })),
});

function layerGroups(text: Json, { heads, hidden }: ModelFacts): LayerGroup[] {
  const groups: LayerGroup[] = [];
  fields(Blocks, text).block_configs.forEach(({ attention, ffn }, i) => {
    if (!attention.no_op && attention.n_heads_in_group == null) {
      throw new ConfigError(
        `'block_configs.${i}.attention.n_heads_in_group' in the model's config.json is missing; expected a whole number from 1`,
      );
    }
    const kvHeads = attention.no_op ? 0 : Math.floor(heads / attention.n_heads_in_group!);
    const inter = ffn.no_op ? 0 : wholeWidth(2 * ffn.ffn_mult! * hidden / 3);
    const last = groups.at(-1);
    if (last?.kvHeads === kvHeads && last.inter === inter) {
      groups[groups.length - 1] = { ...last, layers: last.layers + 1 };
    } else groups.push({ layers: 1, kvHeads, inter });
  });
  return groups;
}

const wholeWidth = (width: number) => Math.ceil(Math.trunc(width) / WIDTH_STEP) * WIDTH_STEP;

function deciList(build: ListBuilder<readonly LayerGroup[]>): OperatorSpec[] {
  return [
    build.embedding(build.facts.vocab),
    ...build.own.flatMap((group) => layerGroup(build.block("", group.layers), group)),
    build.p2p(),
    build.logits(),
  ];
}

function layerGroup(build: ListBuilder<readonly LayerGroup[]>, { kvHeads, inter }: LayerGroup): OperatorSpec[] {
  const { hidden, heads, headSize } = build.facts;
  const queries = build.perRank(heads * headSize);
  const ofRank = Math.ceil(kvHeads / build.parallelism.tensor);
  const both = build.perRank(2 * inter);
  const width = build.perRank(inter);
  const attention = kvHeads === 0 ? [] : [
    build.norm("add_norm_1"),
    build.gemm("qkv_gemm", queries + headSize * ofRank * 2, hidden),
    build.attention(build.layers, { kvHeads, headSize: HEAD_SIZE }),
    build.gemm("proj_gemm", hidden, queries),
    build.allReduce("ar_1", build.layers),
  ];
  const feedForward = inter === 0 ? [] : [
    build.norm("add_norm_2"),
    build.gemm("gate_ffn1_gemm", both, hidden),
    build.gate("act_gate", both, width),
    build.gemm("ffn2_gemm", hidden, width),
    build.allReduce("ar_2", build.layers),
  ];
  return [...attention, ...feedForward];
}
