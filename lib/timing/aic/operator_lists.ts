/**
 * The operator lists of dense models and of mixtures of experts, and the checks that a parallelism fits a model.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";
import { latentLists } from "./latent_lists.ts";
import { ListBuilder, type ListRequest, type Phase } from "./list_builder.ts";
import { SUPPORTED_ARCHITECTURES, windowOf } from "./model_facts.ts";
import type { OperatorLists, OperatorSpec } from "./operator_spec.ts";

/**
 * The lists of a model under a parallelism.
 *
 * @throws {ConfigError} when the architecture has no lists, or the model cannot be split that way.
 */
export function operatorLists(request: ListRequest): OperatorLists {
  const { facts } = request;
  if (facts.family === null) {
    throw new ConfigError(
      `no operator list for the architecture '${facts.architecture}' (supported: ${
        SUPPORTED_ARCHITECTURES.join(", ")
      })`,
    );
  }
  checkParallelism(request);
  const draftShare = request.nextn === 0 ? 1 : (request.nextn + facts.layers) / facts.layers;
  if (facts.family === "deepseek") return latentLists(request, draftShare);
  const list = (phase: Phase, share: number) =>
    facts.family === "moe" ? expertList(request, phase, share) : denseList(request, phase, share);
  return { context: list("context", 1), generation: list("generation", draftShare) };
}

function checkParallelism({ facts, parallelism, modes }: ListRequest): void {
  const { tensor, attentionData, moeTensor, moeExpert } = parallelism;
  if (facts.heads % tensor !== 0) {
    throw new ConfigError(`num_heads ${facts.heads} should be divisible by tp_size ${tensor} `);
  }
  if (facts.family === "llama") return;
  if (tensor * attentionData !== moeTensor * moeExpert) {
    throw new ConfigError(
      `Parallelism width mismatch: tp_size(${tensor}) * attention_dp_size(${attentionData}) * cp_size(1) = ` +
        `${tensor * attentionData}, but moe_tp_size(${moeTensor}) * moe_ep_size(${moeExpert}) = ` +
        `${moeTensor * moeExpert}. These must be equal.`,
    );
  }
  if (moeExpert > facts.experts) {
    throw new ConfigError(`ep size cannot be larger than num_experts ${facts.experts}`);
  }
  const block = facts.quant.weightBlock?.[0] ?? 128;
  if (modes.moe === "fp8_block" && Math.floor(facts.moeInter / moeTensor) % block !== 0) {
    throw new ConfigError(
      `Invalid quantized MoE configuration: (moe_intermediate_size=${facts.moeInter} / moe_tp_size=${moeTensor}) % ` +
        `weight_block_size=${block} != 0. `,
    );
  }
}

function denseList(request: ListRequest, phase: Phase, share: number): OperatorSpec[] {
  const build = new ListBuilder(request, phase, share);
  const { hidden, inter, layers, vocab } = request.facts;
  const both = build.perRank(2 * inter);
  const width = build.perRank(inter);
  return [
    build.embedding(build.perRank(vocab)),
    ...build.attentionPart(build.attention(layers, 0)),
    build.gemm("gate_ffn1_gemm", both, hidden),
    build.gate("act_gate", both, width),
    build.gemm("ffn2_gemm", hidden, width, request.modes.gemm, true),
    build.logits(),
    build.allReduce("embedding_ar", 1),
    build.allReduce("ar_1", layers),
    build.allReduce("ar_2", layers),
    build.p2p(),
  ];
}

function expertList(request: ListRequest, phase: Phase, share: number): OperatorSpec[] {
  const build = new ListBuilder(request, phase, share);
  const { layers, vocab } = request.facts;
  const window = windowOf(request.facts);
  return [
    ...window === null ? [] : [build.attention(layers / 2, window)],
    build.embedding(build.perRank(vocab)),
    ...build.attentionPart(build.attention(window === null ? layers : layers / 2, 0)),
    ...build.expertPart("power_law_1.2"),
    ...phase === "generation" ? [build.logits()] : [],
    build.allReduce("embedding_ar", 1),
    build.p2p(),
  ];
}
