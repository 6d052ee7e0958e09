/**
 * Builders for the parts that operator lists are made of, and checks that several families share.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";
import type { Hardware } from "./hardware.ts";
import type { ModelFacts } from "./model_facts.ts";
import type { ElementwiseSpec, GemmSpec, OperatorLists, OperatorSpec, Parallelism } from "./operator_spec.ts";
import type { GemmMode, QuantModes } from "./quant.ts";

/** What operator lists are made from. `Own` is what the family knows besides the common facts. */
export interface ListRequest<Own = unknown> {
  readonly facts: ModelFacts;
  readonly own: Own;
  readonly hardware: Hardware;
  readonly backend: string;
  readonly parallelism: Parallelism;
  readonly modes: QuantModes;
  /** Depth of multi-token prediction. */
  readonly nextn: number;
}

/** Which of the two lists is built. */
export type Phase = "context" | "generation";

/**
 * Both lists of a model, from one function; decode steps repeat every operator for the drafts of multi-token prediction.
 *
 * @param drafted false: drafts are not counted
 */
export function listsOf<Own>(
  request: ListRequest<Own>,
  list: (build: ListBuilder<Own>) => OperatorSpec[],
  drafted = true,
): OperatorLists {
  const { facts: { layers }, nextn } = request;
  const share = drafted && nextn > 0 ? (nextn + layers) / layers : 1;
  return {
    context: list(new ListBuilder(request, "context", 1)),
    generation: list(new ListBuilder(request, "generation", share)),
  };
}

/**
 * Block-quantised experts must be whole blocks on every rank.
 *
 * @throws {ConfigError} when they are not.
 */
export function checkWeightBlocks({ facts, modes, parallelism: { moeTensor } }: ListRequest): void {
  const block = facts.quant.weightBlock?.[0] ?? 128;
  if (modes.moe === "fp8_block" && Math.floor(facts.moeInter / moeTensor) % block !== 0) {
    throw new ConfigError(
      `Invalid quantized MoE configuration: (moe_intermediate_size=${facts.moeInter} / moe_tp_size=${moeTensor}) % ` +
        `weight_block_size=${block} != 0. `,
    );
  }
}

/** Shape of an attention operator where it differs from the model's own. */
export interface AttentionParts {
  /** Sliding window in tokens; 0, the default, for none. */
  window?: number;
  /** Whether queries and keys are normalised. Default false. */
  qkNorm?: boolean;
}

/** Builders for one phase of one request, so that lists read as lists. */
export class ListBuilder<Own = unknown> {
  readonly own: Own;
  readonly facts: ModelFacts;
  readonly hardware: Hardware;
  readonly backend: string;
  readonly parallelism: Parallelism;
  readonly modes: QuantModes;
  readonly nextn: number;

  constructor(request: ListRequest<Own>, readonly phase: Phase, readonly share: number) {
    this.own = request.own;
    this.facts = request.facts;
    this.hardware = request.hardware;
    this.backend = request.backend;
    this.nextn = request.nextn;
    this.parallelism = request.parallelism;
    this.modes = request.modes;
  }

  /** `a · b` divided over the tensor-parallel ranks, rounded down. */
  perRank(whole: number): number {
    return Math.floor(whole / this.parallelism.tensor);
  }

  /** KV heads of one rank. */
  get kvHeads(): number {
    return Math.ceil(this.facts.kvHeads / this.parallelism.tensor);
  }

  named(name: string, count: number): { name: string; count: number } {
    return { name: `${this.phase}_${name}`, count: count * this.share };
  }

  embedding(rows: number): OperatorSpec {
    return { kind: "embedding", ...this.named("embedding", 1), rows, width: this.facts.hidden };
  }

  elementwise(name: string, bytesPerToken: number): ElementwiseSpec {
    return { kind: "elementwise", ...this.named(name, this.facts.layers), bytesPerToken };
  }

  /** Normalisation with the residual: two vectors in, two out. */
  norm(name: string): ElementwiseSpec {
    return this.elementwise(name, 8 * this.facts.hidden);
  }

  /** Gate and activation of a feed-forward part whose two halves are `width` wide on this rank. */
  gate(name: string, both: number, width: number): ElementwiseSpec {
    return this.elementwise(name, 2 * both + 2 * width);
  }

  gemm(name: string, n: number, k: number, mode: GemmMode = this.modes.gemm, lowPrecisionInput = false): GemmSpec {
    return { kind: "gemm", ...this.named(name, this.facts.layers), n, k, mode, lowPrecisionInput };
  }

  logits(): GemmSpec {
    const { vocab, hidden } = this.facts;
    const shape = { n: this.perRank(vocab), k: hidden, mode: "bfloat16", lowPrecisionInput: false } as const;
    return { kind: "gemm", ...this.named("logits_gemm", 1), ...shape };
  }

  attention(count: number, { window = 0, qkNorm = false }: AttentionParts = {}): OperatorSpec {
    const shape = {
      ...this.named("attention", count),
      heads: this.perRank(this.facts.heads),
      kvHeads: this.kvHeads,
      headSize: this.facts.headSize,
      window,
      kv: this.modes.kvcache,
    };
    if (this.phase === "generation") return { kind: "generation_attention", ...shape };
    return { kind: "context_attention", ...shape, fmha: this.modes.fmha, qkNorm };
  }

  /** The parts that every layer with ordinary attention starts with. */
  attentionPart(attention: OperatorSpec): OperatorSpec[] {
    const { heads, headSize, hidden } = this.facts;
    const queries = this.perRank(heads * headSize);
    return [
      this.norm("add_norm_1"),
      this.gemm("qkv_gemm", queries + headSize * this.kvHeads * 2, hidden),
      attention,
      this.gemm("proj_gemm", hidden, queries, this.modes.gemm, true),
      this.norm("add_norm_2"),
    ];
  }

  allReduce(name: string, count: number): OperatorSpec {
    const { hidden } = this.facts;
    const { tensor } = this.parallelism;
    return { kind: "all_reduce", ...this.named(name, count), width: hidden, ranks: tensor, comm: this.modes.comm };
  }

  p2p(): OperatorSpec {
    const { pipeline } = this.parallelism;
    return { kind: "p2p", ...this.named("p2p", pipeline - 1), width: this.facts.hidden, stages: pipeline };
  }

  /** Router, transport and experts of a layer. */
  expertPart(distribution: string): OperatorSpec[] {
    const { hidden, experts, topk, moeInter, layers } = this.facts;
    const { moeTensor, moeExpert, attentionData } = this.parallelism;
    const layout = { hidden, topk, experts, moeTensor, moeExpert, attentionData, mode: this.modes.moe };
    const dispatch = (name: string, pre: boolean): OperatorSpec => ({
      kind: "moe_dispatch",
      ...this.named(name, layers),
      ...layout,
      pre,
      comm: this.modes.comm,
    });
    return [
      this.gemm("router_gemm", experts, hidden, "bfloat16"),
      dispatch("moe_pre_dispatch", true),
      { kind: "moe", ...this.named("moe", layers), ...layout, inter: moeInter, distribution },
      dispatch("moe_post_dispatch", false),
    ];
  }
}
