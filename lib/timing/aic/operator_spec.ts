/**
 * Operators of a model as plain descriptions: what runs, how often, in which shape. They say nothing about time;
 * weights are counted from them and `measured_operators.ts` gives each its measurements.
 *
 * @module
 */
import type { DsaSpec } from "./operators/dsa.ts";
import type { Dsv4Spec } from "./operators/dsv4.ts";
import type { GdnSpec } from "./operators/gdn.ts";
import type { KdaSpec } from "./operators/kda.ts";
import type { Mamba2Spec } from "./operators/mamba2.ts";
import type { MhcSpec } from "./operators/mhc.ts";
import type { MsaSpec } from "./operators/msa.ts";
import type { CommMode, FmhaMode, GemmMode, KvMode, MoeMode } from "./quant.ts";

interface Named {
  /** Name as in reports, e.g. `context_qkv_gemm`. */
  readonly name: string;
  /** How often it runs in a pass. */
  readonly count: number;
}

/** Reading one row of a table per token. */
export interface EmbeddingSpec extends Named {
  readonly kind: "embedding";
  readonly rows: number;
  readonly width: number;
}

/** Kernels that read and write a few vectors per token. */
export interface ElementwiseSpec extends Named {
  readonly kind: "elementwise";
  readonly bytesPerToken: number;
}

/** Activations times a k × n matrix of weights. */
export interface GemmSpec extends Named {
  readonly kind: "gemm";
  readonly n: number;
  readonly k: number;
  readonly mode: GemmMode;
  /** Whether the input arrives quantised already. */
  readonly lowPrecisionInput: boolean;
  /** Products far narrower than any that was measured take what their bound says, instead of having no time. */
  readonly belowGrid?: boolean;
}

export interface ContextAttentionSpec extends Named {
  readonly kind: "context_attention";
  readonly heads: number;
  readonly kvHeads: number;
  readonly headSize: number;
  readonly window: number;
  readonly fmha: FmhaMode;
  readonly kv: KvMode;
  readonly qkNorm: boolean;
  /** Whether queries and keys are rotated by position; absent: they are. */
  readonly rotated?: boolean;
}

export interface GenerationAttentionSpec extends Named {
  readonly kind: "generation_attention";
  readonly heads: number;
  readonly kvHeads: number;
  readonly headSize: number;
  readonly window: number;
  readonly kv: KvMode;
  readonly qkNorm: boolean;
}

/** Sum of a vector of `width` elements per token over `ranks` GPUs. */
export interface AllReduceSpec extends Named {
  readonly kind: "all_reduce";
  readonly width: number;
  readonly ranks: number;
  readonly comm: CommMode;
}

/** Hand-over between pipeline stages. */
export interface P2pSpec extends Named {
  readonly kind: "p2p";
  readonly width: number;
  readonly stages: number;
}

/** Sizes of a mixture of experts and how it is spread. */
export interface ExpertLayout {
  readonly hidden: number;
  readonly topk: number;
  readonly experts: number;
  readonly moeTensor: number;
  readonly moeExpert: number;
  readonly attentionData: number;
  readonly mode: MoeMode;
}

export interface MoeSpec extends Named, ExpertLayout {
  readonly kind: "moe";
  readonly inter: number;
  /** How uneven the routing was in the measurements. */
  readonly distribution: string;
  /** Whether an expert has a gate projection. Default true. */
  readonly gated?: boolean;
}

/** Collectives that take tokens to their experts (`pre`) and back. */
export interface MoeDispatchSpec extends Named, ExpertLayout {
  readonly kind: "moe_dispatch";
  readonly pre: boolean;
  /** Whether the sum after attention is an operator of its own; vLLM then has none left on the way to the experts. */
  readonly attentionSummed?: boolean;
  readonly comm: CommMode;
}

export interface ContextMlaSpec extends Named {
  readonly kind: "context_mla";
  readonly heads: number;
  readonly fmha: FmhaMode;
  readonly kv: KvMode;
}

export interface GenerationMlaSpec extends Named {
  readonly kind: "generation_mla";
  readonly heads: number;
  readonly kv: KvMode;
}

/** Batched product that moves queries into the latent space, or results out of it. */
export interface MlaBmmSpec extends Named {
  readonly kind: "mla_bmm";
  readonly heads: number;
  readonly mode: GemmMode;
  readonly pre: boolean;
}

/** A whole latent attention block, measured as one. */
export interface MlaModuleSpec extends Named {
  readonly kind: "mla_context_module" | "mla_generation_module";
  readonly heads: number;
  /** Heads of the model before it is split. */
  readonly nativeHeads: number;
  readonly fmha: FmhaMode;
  readonly kv: KvMode;
  readonly mode: GemmMode;
}

/** One operator where it was measured, else several in its place. Both carry their own counts. */
export interface FallbackSpec extends Named {
  readonly kind: "fallback";
  readonly primary: OperatorSpec;
  readonly list: readonly OperatorSpec[];
}

/** Two groups that run at the same time. Members carry their own counts. */
export interface OverlapSpec extends Named {
  readonly kind: "overlap";
  readonly groups: readonly [readonly OperatorSpec[], readonly OperatorSpec[]];
}

export type OperatorSpec =
  | EmbeddingSpec
  | ElementwiseSpec
  | GemmSpec
  | ContextAttentionSpec
  | GenerationAttentionSpec
  | AllReduceSpec
  | P2pSpec
  | MoeSpec
  | MoeDispatchSpec
  | ContextMlaSpec
  | GenerationMlaSpec
  | MlaBmmSpec
  | MlaModuleSpec
  | DsaSpec
  | Dsv4Spec
  | MsaSpec
  | MhcSpec
  | GdnSpec
  | KdaSpec
  | Mamba2Spec
  | FallbackSpec
  | OverlapSpec;

/** The operators of a pass over prompts and of a decode step, in the order in which their times add up. */
export interface OperatorLists {
  readonly context: readonly OperatorSpec[];
  readonly generation: readonly OperatorSpec[];
}

/** How a worker is spread over GPUs. */
export interface Parallelism {
  /** Tensor-parallel ranks. */
  readonly tensor: number;
  /** Pipeline-parallel stages. */
  readonly pipeline: number;
  /** Attention data-parallel ranks. */
  readonly attentionData: number;
  /** Tensor-parallel ranks of the experts. */
  readonly moeTensor: number;
  /** Expert-parallel ranks. */
  readonly moeExpert: number;
}
