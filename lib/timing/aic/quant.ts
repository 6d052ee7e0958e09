/**
 * Quantisation modes of weights, attention and KV cache: bytes an element takes and the number format it computes in.
 *
 * @module
 */
import type { FlopsType } from "./hardware.ts";

/** What a mode costs: bytes per element, and the number format whose peak rate bounds it. */
export interface ModeCost {
  readonly bytes: number;
  readonly flops: FlopsType;
}

/** Modes of matrix multiplications. */
export const GEMM_MODES = {
  bfloat16: { bytes: 2, flops: "bfloat16" },
  int8_wo: { bytes: 1, flops: "bfloat16" },
  int4_wo: { bytes: 0.5, flops: "bfloat16" },
  fp8: { bytes: 1, flops: "fp8" },
  fp8_static: { bytes: 1, flops: "fp8" },
  fp8_block: { bytes: 1, flops: "fp8" },
  fp8_ootb: { bytes: 1, flops: "fp8" },
  sq: { bytes: 1, flops: "int8" },
  nvfp4: { bytes: 0.5625, flops: "fp4" },
  nvfp4_wo: { bytes: 0.5625, flops: "bfloat16" },
  w4a16_nvfp4: { bytes: 0.5625, flops: "bfloat16" },
} as const satisfies Record<string, ModeCost>;

/** Modes of experts. */
export const MOE_MODES = {
  bfloat16: { bytes: 2, flops: "bfloat16" },
  fp8: { bytes: 1, flops: "fp8" },
  fp8_block: { bytes: 1, flops: "fp8" },
  int4_wo: { bytes: 0.5, flops: "bfloat16" },
  w4afp8: { bytes: 0.5, flops: "fp8" },
  nvfp4: { bytes: 0.5625, flops: "fp4" },
  nvfp4_wo: { bytes: 0.5625, flops: "bfloat16" },
  w4a16_nvfp4: { bytes: 0.5625, flops: "bfloat16" },
  w4a16_mxfp4: { bytes: 0.5, flops: "bfloat16" },
  w4a16_mxfp4_cutlass: { bytes: 0.5, flops: "bfloat16" },
  w4a8_mxfp4_mxfp8: { bytes: 0.5, flops: "fp8" },
  w4a8_mxfp4_mxfp8_trtllm: { bytes: 0.5, flops: "fp8" },
} as const satisfies Record<string, ModeCost>;

/** Modes of attention over a prompt. */
export const FMHA_MODES = {
  bfloat16: { bytes: 2, flops: "bfloat16" },
  fp8: { bytes: 1, flops: "fp8" },
  fp8_block: { bytes: 1, flops: "fp8" },
} as const satisfies Record<string, ModeCost>;

/** Bytes of a KV cache element. */
export const KV_MODES = { bfloat16: 2, int8: 1, fp8: 1 } as const;

/** Modes of collectives. */
export const COMM_MODES = { half: 2, int8: 1, fp8: 1 } as const;

/** Number format of matrix products. */
export type GemmMode = keyof typeof GEMM_MODES;
/** Number format of experts. */
export type MoeMode = keyof typeof MOE_MODES;
/** Number format of prompt attention. */
export type FmhaMode = keyof typeof FMHA_MODES;
/** Number format of the KV cache. */
export type KvMode = keyof typeof KV_MODES;
/** Number format of communication. */
export type CommMode = keyof typeof COMM_MODES;

/** The five modes of a deployment. */
export interface QuantModes {
  /** Weights of dense matrix multiplications. */
  readonly gemm: GemmMode;
  /** Weights of experts. */
  readonly moe: MoeMode;
  /** Attention over a prompt. */
  readonly fmha: FmhaMode;
  /** KV cache. */
  readonly kvcache: KvMode;
  /** Collectives. */
  readonly comm: CommMode;
}
