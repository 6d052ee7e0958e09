/**
 * Builders for the parts that operator lists are made of, and checks that several families share.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";
import type { Hardware } from "./hardware.ts";
import type { ModelFacts } from "./model_facts.ts";
import type {
  ElementwiseSpec,
  ExpertLayout,
  GemmSpec,
  OperatorLists,
  OperatorSpec,
  Parallelism,
} from "./operator_spec.ts";
import type { GemmMode, MoeMode, QuantModes } from "./quant.ts";

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
  /** Whether the mode of dense products was given by the caller; then parts that a checkpoint leaves alone follow it too. */
  readonly gemmFixed: boolean;
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
    const message = `moe_tensor ${moeTensor} does not split the experts' ${facts.moeInter} columns ` +
      `(moe_intermediate_size) into whole ${block}-column blocks of quantised weights: use moe_expert, or a smaller moe_tensor`;
    throw new ConfigError(message, [{ path: "parallelism.moe_tensor", message }]);
  }
}

/** Shape of an attention operator where it differs from the model's own; heads are those of the whole model. */
export interface AttentionParts {
  heads?: number;
  kvHeads?: number;
  headSize?: number;
  /** Sliding window in tokens; 0, the default, for none. */
  window?: number;
  /** Whether queries and keys are normalised. Default false. */
  qkNorm?: boolean;
  /** Whether queries and keys are rotated by position. Default true. */
  rotated?: boolean;
}

/** Experts where they differ from what most families do. */
export interface ExpertParts {
  /** Width of what the experts take and give. Default: the hidden size. */
  width?: number;
  /** Whether an expert has a gate projection. Default true. */
  gated?: boolean;
  /** Whether there is a router product. Default true. */
  router?: boolean;
  /** Mode that the transport of tokens is told; it decides how much travels. Default: that of the experts. */
  transportMode?: MoeMode;
  /** Mode of the experts. Default: the deployment's. */
  mode?: MoeMode;
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

  readonly gemmFixed: boolean;
  readonly #request: ListRequest<Own>;

  /**
   * @param layers how many layers the operators stand for
   * @param prefix stands before every name but that of attention
   */
  constructor(
    request: ListRequest<Own>,
    readonly phase: Phase,
    readonly share: number,
    readonly layers: number = request.facts.layers,
    readonly prefix = "",
  ) {
    this.#request = request;
    this.own = request.own;
    this.facts = request.facts;
    this.hardware = request.hardware;
    this.backend = request.backend;
    this.nextn = request.nextn;
    this.parallelism = request.parallelism;
    this.modes = request.modes;
    this.gemmFixed = request.gemmFixed;
  }

  /** The same for some of the layers, whose operators have names of their own. */
  block(prefix: string, layers: number): ListBuilder<Own> {
    return new ListBuilder(this.#request, this.phase, this.share, layers, prefix);
  }

  /** `a · b` divided over the tensor-parallel ranks, rounded down. */
  perRank(whole: number): number {
    return Math.floor(whole / this.parallelism.tensor);
  }

  /** KV heads of one rank. */
  get kvHeads(): number {
    return Math.ceil(this.facts.kvHeads / this.parallelism.tensor);
  }

  named(name: string, count = this.layers): { name: string; count: number } {
    return { name: `${this.phase}_${this.prefix}${name}`, count: count * this.share };
  }

  embedding(rows: number): OperatorSpec {
    return { kind: "embedding", ...this.named("embedding", 1), rows, width: this.facts.hidden };
  }

  elementwise(name: string, bytesPerToken: number): ElementwiseSpec {
    return { kind: "elementwise", ...this.named(name), bytesPerToken };
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
    return { kind: "gemm", ...this.named(name), n, k, mode, lowPrecisionInput };
  }

  logits(): GemmSpec {
    const { vocab, hidden } = this.facts;
    const shape = { n: this.perRank(vocab), k: hidden, mode: "bfloat16", lowPrecisionInput: false } as const;
    return { kind: "gemm", ...this.named("logits_gemm", 1), ...shape };
  }

  attention(count: number, parts: AttentionParts = {}): OperatorSpec {
    const { heads = this.facts.heads, kvHeads = this.facts.kvHeads, headSize = this.facts.headSize } = parts;
    const shape = {
      name: `${this.phase}_attention`,
      count: count * this.share,
      heads: this.perRank(heads),
      kvHeads: Math.ceil(kvHeads / this.parallelism.tensor),
      headSize,
      window: parts.window ?? 0,
      kv: this.modes.kvcache,
      qkNorm: parts.qkNorm ?? false,
    };
    if (this.phase === "generation") return { kind: "generation_attention", ...shape };
    const rotated = parts.rotated ?? true;
    return { kind: "context_attention", ...shape, fmha: this.modes.fmha, ...rotated ? {} : { rotated } };
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
  expertPart(distribution: string, parts: ExpertParts = {}): OperatorSpec[] {
    const { hidden, experts } = this.facts;
    return [
      ...parts.router ?? true ? [this.gemm("router_gemm", experts, hidden, "bfloat16")] : [],
      this.dispatch(true, parts),
      this.experts(distribution, parts),
      this.dispatch(false, parts),
    ];
  }

  /** Tokens on their way to the experts (`pre`) or back. */
  dispatch(pre: boolean, parts: ExpertParts = {}): OperatorSpec {
    const { transportMode, mode = this.modes.moe } = parts;
    return {
      kind: "moe_dispatch",
      ...this.named(pre ? "moe_pre_dispatch" : "moe_post_dispatch"),
      ...this.#expertLayout(parts, transportMode ?? mode),
      pre,
      comm: this.modes.comm,
    };
  }

  /** The routed experts themselves. */
  experts(distribution: string, parts: ExpertParts = {}): OperatorSpec {
    const { mode = this.modes.moe, gated = true } = parts;
    const shape = { ...this.#expertLayout(parts, mode), inter: this.facts.moeInter, distribution, gated };
    return { kind: "moe", ...this.named("moe"), ...shape };
  }

  #expertLayout({ width = this.facts.hidden }: ExpertParts, mode: MoeMode): ExpertLayout {
    const { experts, topk } = this.facts;
    const { moeTensor, moeExpert, attentionData } = this.parallelism;
    return { hidden: width, topk, experts, moeTensor, moeExpert, attentionData, mode };
  }
}
