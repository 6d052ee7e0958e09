/**
 * Speed-of-light bounds of the operators: the time that peak arithmetic and memory bandwidth allow. They scale
 * measurements to shapes that were not measured, and no measurement of a GEMM or a decode attention counts as faster
 * than its bound. All results are milliseconds.
 *
 * @module
 */
import { flopsOf, type Hardware } from "./hardware.ts";
import { FMHA_MODES, type FmhaMode, GEMM_MODES, type GemmMode, KV_MODES, type KvMode, type ModeCost } from "./quant.ts";

/** The bound of an operator with three axes, at one point. */
export interface GridBound {
  ms(head: number, row: number, leaf: number): number;
}

/** m × k activations times k × n weights. */
export class GemmBound {
  readonly #bytes: number;
  readonly #flops: number;
  readonly #bandwidth: number;

  /** @throws {ConfigError} when the hardware cannot compute in the mode's number format. */
  constructor(hardware: Hardware, mode: GemmMode) {
    const cost: ModeCost = GEMM_MODES[mode];
    this.#bytes = cost.bytes;
    this.#flops = flopsOf(hardware, cost.flops, mode);
    this.#bandwidth = hardware.memoryBandwidth;
  }

  ms(m: number, n: number, k: number): number {
    const math = 2 * m * n * k / this.#flops * 1000;
    const memory = this.#bytes * (m * n + m * k + n * k) / this.#bandwidth * 1000;
    return Math.max(math, memory);
  }
}

/** Kernels that find (`computescale`) and apply (`scale_matrix`) the scales of m × k activations. */
export class ScalingBound {
  readonly #passes: number;
  readonly #bandwidth: number;

  constructor(hardware: Hardware, table: "computescale" | "scale_matrix") {
    this.#passes = table === "computescale" ? 2 : 3;
    this.#bandwidth = hardware.memoryBandwidth;
  }

  ms(m: number, k: number): number {
    return this.#passes * m * k / this.#bandwidth * 1000;
  }
}

/** Shape of an attention slice. `kvHeads` 0 stands for as many as there are heads. */
export interface AttentionShape {
  readonly kvHeads: number;
  readonly headSize: number;
  /** Sliding window in tokens; 0 for none. */
  readonly window: number;
}

/** Attention over prompts: axes are heads, sequence (its prefix included), batch. */
export class ContextAttentionBound implements GridBound {
  readonly #shape: AttentionShape;
  readonly #kvBytes: number;
  readonly #flops: number;
  readonly #bandwidth: number;

  constructor(hardware: Hardware, shape: AttentionShape, fmha: FmhaMode, kv: KvMode) {
    this.#shape = shape;
    this.#kvBytes = KV_MODES[kv];
    this.#flops = flopsOf(hardware, FMHA_MODES[fmha].flops, fmha);
    this.#bandwidth = hardware.memoryBandwidth;
  }

  /** @param prefix tokens of the sequence that were computed before */
  ms(heads: number, seq: number, batch: number, prefix = 0): number {
    const { headSize, window } = this.#shape;
    const kvHeads = this.#shape.kvHeads || heads;
    const operations = window > 0 && seq > window
      ? 2 * batch * (seq - prefix) * window * heads * headSize * 2
      : 2 * batch * (seq * seq - prefix * prefix) * heads * headSize * 2 / 2;
    const activations = heads * (seq - prefix) * headSize;
    const bytes = 2 * batch * (activations + activations) +
      this.#kvBytes * batch * (2 * kvHeads * seq * headSize);
    return Math.max(operations / this.#flops * 1000, bytes / this.#bandwidth * 1000);
  }
}

/** Number format that decode attention computes in. */
function decodeFlops(hardware: Hardware, kv: KvMode): number {
  const type = kv === "fp8" && hardware.smVersion >= 89 ? "fp8" : "bfloat16";
  return flopsOf(hardware, type, kv);
}

/** Attention of one token per sequence: axes are heads, batch, tokens known (the new one included). */
export class GenerationAttentionBound implements GridBound {
  readonly #shape: AttentionShape;
  readonly #kvBytes: number;
  readonly #flops: number;
  readonly #bandwidth: number;

  constructor(hardware: Hardware, shape: AttentionShape, kv: KvMode) {
    this.#shape = shape;
    this.#kvBytes = KV_MODES[kv];
    this.#flops = decodeFlops(hardware, kv);
    this.#bandwidth = hardware.memoryBandwidth;
  }

  ms(heads: number, batch: number, tokens: number): number {
    const { headSize, window } = this.#shape;
    const kvHeads = this.#shape.kvHeads || heads;
    const cached = window > 0 ? Math.min(tokens - 1, window) : tokens - 1;
    const operations = 2 * batch * heads * headSize * 2 * cached;
    const bytes = batch *
      (heads * headSize * 2 + 2 * kvHeads * cached * headSize * this.#kvBytes + heads * headSize * 2);
    return Math.max(operations / this.#flops * 1000, bytes / this.#bandwidth * 1000);
  }
}

/** Multi-head latent attention over prompts: axes are heads, sequence (its prefix included), batch. */
export class ContextMlaBound implements GridBound {
  readonly #kvBytes: number;
  readonly #flops: number;
  readonly #bandwidth: number;

  constructor(hardware: Hardware, fmha: FmhaMode, kv: KvMode) {
    this.#kvBytes = KV_MODES[kv];
    this.#flops = flopsOf(hardware, FMHA_MODES[fmha].flops, fmha);
    this.#bandwidth = hardware.memoryBandwidth;
  }

  /** @param prefix tokens of the sequence that were computed before */
  ms(heads: number, seq: number, batch: number, prefix = 0): number {
    const operations = batch * heads * 2 / 2 * 320 * (seq * seq - prefix * prefix);
    const bytes = batch * heads * (this.#kvBytes * seq * 320 + 2 * (seq - prefix) * 320);
    return Math.max(operations / this.#flops * 1000, bytes / this.#bandwidth * 1000);
  }
}

/**
 * Multi-head latent attention of one token per sequence: axes are heads, batch, tokens known. With a GEMM mode the
 * bound is that of the whole module, which absorbs the projections of the latent vectors.
 */
export class GenerationMlaBound implements GridBound {
  readonly #kvBytes: number;
  readonly #flops: number;
  readonly #bandwidth: number;
  readonly #module: { bytes: number; flops: number } | null;

  constructor(hardware: Hardware, kv: KvMode, moduleMode: GemmMode | null = null) {
    this.#kvBytes = KV_MODES[kv];
    this.#flops = decodeFlops(hardware, kv);
    this.#bandwidth = hardware.memoryBandwidth;
    if (moduleMode === null) {
      this.#module = null;
    } else {
      const cost: ModeCost = GEMM_MODES[moduleMode];
      this.#module = { bytes: cost.bytes, flops: flopsOf(hardware, cost.flops, moduleMode) };
    }
  }

  ms(heads: number, batch: number, tokens: number): number {
    const operations = 2 * batch * heads * 1088 * tokens;
    const bytes = batch * (heads * 1088 * 2 + (tokens - 1) * 576 * this.#kvBytes);
    let math = operations / this.#flops * 1000;
    let memory = bytes / this.#bandwidth * 1000;
    if (this.#module !== null) {
      math += 2 * 2 * batch * heads * 128 * 512 / this.#module.flops * 1000;
      memory += 2 * heads * (batch * 640 + 128 * 512) * this.#module.bytes / this.#bandwidth * 1000;
    }
    return Math.max(math, memory);
  }
}

/** The batched matrix product before (or after) latent attention: axis is tokens. */
export class MlaBmmBound {
  readonly #heads: number;
  readonly #bytes: number;
  readonly #flops: number;
  readonly #bandwidth: number;

  constructor(hardware: Hardware, heads: number, mode: GemmMode) {
    const cost: ModeCost = GEMM_MODES[mode];
    this.#heads = heads;
    this.#bytes = cost.bytes;
    this.#flops = flopsOf(hardware, cost.flops, mode);
    this.#bandwidth = hardware.memoryBandwidth;
  }

  ms(tokens: number): number {
    const operations = 2 * tokens * this.#heads * 128 * 512;
    const bytes = this.#heads * (tokens * 640 + 128 * 512) * this.#bytes;
    return Math.max(operations / this.#flops * 1000, bytes / this.#bandwidth * 1000);
  }
}

/** Shape of a group of experts on one rank. */
export interface ExpertShape {
  readonly topk: number;
  readonly experts: number;
  readonly hidden: number;
  readonly inter: number;
  readonly moeTensor: number;
  readonly moeExpert: number;
  /** Whether an expert has a gate projection. */
  readonly gated: boolean;
}

/** Experts of one layer: axis is tokens of all attention ranks. */
export class MoeBound {
  readonly #shape: ExpertShape;
  readonly #bytes: number;
  readonly #flops: number;
  readonly #bandwidth: number;

  constructor(hardware: Hardware, shape: ExpertShape, cost: ModeCost, mode: string) {
    this.#shape = shape;
    this.#bytes = cost.bytes;
    this.#flops = flopsOf(hardware, cost.flops, mode);
    this.#bandwidth = hardware.memoryBandwidth;
  }

  ms(tokens: number): number {
    const { topk, experts, hidden, inter, moeTensor, moeExpert, gated } = this.#shape;
    const projections = gated ? 3 : 2;
    const routed = tokens * topk;
    const local = Math.floor(routed / moeExpert);
    const operations = wholeQuotient([routed, hidden, inter, projections, 2], [moeExpert, moeTensor]);
    const moved = local * hidden * 2 +
      Math.floor(local * inter * projections / moeTensor) +
      Math.floor(hidden * inter * projections / moeTensor) * Math.min(Math.floor(experts / moeExpert), local);
    return Math.max(operations / this.#flops * 1000, moved * this.#bytes / this.#bandwidth * 1000);
  }
}

/** Product of whole numbers, divided by each divisor in turn and rounded down each time; exact beyond 2⁵³ too. */
function wholeQuotient(factors: readonly number[], divisors: readonly number[]): number {
  let product = 1;
  for (const factor of factors) product *= factor;
  if (product <= Number.MAX_SAFE_INTEGER) {
    for (const divisor of divisors) product = Math.floor(product / divisor);
    return product;
  }
  let exact = 1n;
  for (const factor of factors) exact *= BigInt(factor);
  for (const divisor of divisors) exact /= BigInt(divisor);
  return Number(exact);
}
