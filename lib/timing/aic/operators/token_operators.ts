/**
 * Operators whose time depends on the number of tokens alone: memory-bound kernels, hand-over between stages, matrix
 * products, experts.
 *
 * @module
 */
import { type GemmBound, ScalingBound } from "../bounds.ts";
import type { Curve } from "../curve.ts";
import type { GemmCurve } from "../gemm_table.ts";
import { Grid } from "../grid.ts";
import { type Hardware, memoryMs } from "../hardware.ts";
import type { ElementwiseSpec, EmbeddingSpec, GemmSpec, MoeSpec, P2pSpec } from "../operator_spec.ts";
import type { GridData } from "../perf_member.ts";
import type { Operator } from "./operator.ts";

/** Kernels that only move bytes. */
export class MemoryOperator implements Operator {
  readonly name: string;
  readonly dependence = "tokens";
  readonly #count: number;
  readonly #hardware: Hardware;
  readonly #bytesPerToken: number;

  constructor(spec: EmbeddingSpec | ElementwiseSpec, hardware: Hardware) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#hardware = hardware;
    this.#bytesPerToken = spec.kind === "embedding" ? spec.width * 2 : spec.bytesPerToken;
  }

  ms(tokens: number): number {
    return memoryMs(this.#hardware, this.#bytesPerToken * tokens) * this.#count;
  }

  problem(): undefined {}
}

/** Hand-over between pipeline stages. */
export class P2pOperator implements Operator {
  readonly name: string;
  readonly dependence = "tokens";
  readonly #spec: P2pSpec;
  readonly #hardware: Hardware;

  constructor(spec: P2pSpec, hardware: Hardware) {
    this.name = spec.name;
    this.#spec = spec;
    this.#hardware = hardware;
  }

  ms(tokens: number): number {
    const { width, stages, count } = this.#spec;
    if (stages <= 1) return 0;
    const { interNodeBandwidth, p2pLatencySeconds } = this.#hardware;
    return (tokens * width * 2 / interNodeBandwidth + p2pLatencySeconds) * 1000 * count;
  }

  problem(): undefined {}
}

/** A matrix product. */
export class GemmOperator implements Operator {
  readonly name: string;
  readonly dependence = "tokens";
  readonly #spec: GemmSpec;
  readonly #curve: GemmCurve;
  readonly #bound: Pick<GemmBound, "ms"> | null;

  /** @param bound answers where the measurements cannot; null when nothing does */
  constructor(spec: GemmSpec, curve: GemmCurve, bound: Pick<GemmBound, "ms"> | null) {
    this.name = spec.name;
    this.#spec = spec;
    this.#curve = curve;
    this.#bound = bound;
  }

  ms(tokens: number): number {
    return Math.max(this.#at(tokens), 0) * this.#spec.count;
  }

  problem(tokens: number): string | undefined {
    return Number.isNaN(this.#at(tokens)) ? noShape(tokens, this.#spec) : undefined;
  }

  #at(tokens: number): number {
    const measured = this.#curve.at(tokens);
    if (measured === measured || this.#bound === null) return measured;
    return this.#bound.ms(tokens, this.#spec.n, this.#spec.k);
  }
}

const noShape = (m: number, { n, k }: GemmSpec) =>
  `perf_interp: no data to anchor query {m=${m}, n=${n}, k=${k}} (no site within max_site_distance)`;

/** A scaling kernel over m × k activations, asked inside the measured range. */
export class ScalingKernel {
  readonly #grid: Grid;
  readonly #bound: ScalingBound;
  readonly #firstM: number;
  readonly #lastM: number;
  readonly #k: number;
  readonly #clampedK: number;
  readonly #extends: boolean;

  /** Only the kernel that applies scales takes longer beyond what was measured. */
  constructor(data: GridData, hardware: Hardware, k: number, table: "computescale" | "scale_matrix") {
    const bound = new ScalingBound(hardware, table);
    this.#bound = bound;
    this.#grid = new Grid(data, { ms: (_, m, columns) => bound.ms(m, columns) }, 0, { moving: "row" });
    this.#firstM = data.rows[0];
    this.#lastM = data.rows[data.rows.length - 1];
    this.#k = k;
    this.#clampedK = clamp(k, Math.min(...data.leaves), Math.max(...data.leaves));
    this.#extends = table === "scale_matrix";
  }

  at(m: number): number {
    const clampedM = clamp(m, this.#firstM, this.#lastM);
    const value = this.#grid.at(clampedM, this.#clampedK);
    if (!this.#extends || clampedM === m && this.#clampedK === this.#k) return value;
    return value * (this.#bound.ms(m, this.#k) / this.#bound.ms(clampedM, this.#clampedK));
  }
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

/** A statically quantised FP8 product: the dynamic one without the kernels that find and apply its scales. */
export class StaticFp8GemmOperator implements Operator {
  readonly name: string;
  readonly dependence = "tokens";
  readonly #spec: GemmSpec;
  readonly #curve: GemmCurve;
  readonly #bound: Pick<GemmBound, "ms">;
  readonly #computeScale: ScalingKernel;
  readonly #scaleMatrix: ScalingKernel | null;

  constructor(
    spec: GemmSpec,
    curve: GemmCurve,
    bound: Pick<GemmBound, "ms">,
    computeScale: ScalingKernel,
    scaleMatrix: ScalingKernel | null,
  ) {
    this.name = spec.name;
    this.#spec = spec;
    this.#curve = curve;
    this.#bound = bound;
    this.#computeScale = computeScale;
    this.#scaleMatrix = scaleMatrix;
  }

  ms(tokens: number): number {
    const { n, k, count } = this.#spec;
    let latency = this.#curve.at(tokens) - this.#computeScale.at(tokens);
    if (this.#scaleMatrix !== null) latency -= this.#scaleMatrix.at(tokens);
    return Math.max(latency, this.#bound.ms(tokens, n, k), 0) * count;
  }

  problem(tokens: number): string | undefined {
    return Number.isNaN(this.#curve.at(tokens)) ? noShape(tokens, this.#spec) : undefined;
  }
}

/** Tokens up to which NVFP4 experts use their low-latency kernel. */
const LOW_LATENCY_TOKENS = 128;

/** The experts of a layer. */
export class MoeOperator implements Operator {
  readonly name: string;
  readonly dependence = "tokens";
  readonly #spec: MoeSpec;
  readonly #curve: Curve;
  readonly #lowLatency: Curve | null;

  constructor(spec: MoeSpec, curve: Curve, lowLatency: Curve | null) {
    this.name = spec.name;
    this.#spec = spec;
    this.#curve = curve;
    this.#lowLatency = lowLatency;
  }

  ms(tokens: number): number {
    return Math.max(this.#at(tokens), 0) * this.#spec.count;
  }

  problem(tokens: number): string | undefined {
    return Number.isNaN(this.#at(tokens))
      ? `MoE data missing below ${this.#curve.first} tokens for ${this.name}`
      : undefined;
  }

  #at(tokens: number): number {
    const all = tokens * this.#spec.attentionData;
    if (this.#lowLatency !== null && all <= LOW_LATENCY_TOKENS) return this.#lowLatency.at(all);
    return this.#curve.points === 1 && all < this.#curve.first ? NaN : this.#curve.at(all);
  }
}

/** An operator measured over tokens, which has no other coordinate. */
export class CurveOperator implements Operator {
  readonly name: string;
  readonly dependence = "tokens";
  readonly #count: number;
  readonly #curve: Curve;
  readonly #share: number;

  /** @param share part of the measured time that the operator takes */
  constructor(spec: { readonly name: string; readonly count: number }, curve: Curve, share = 1) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#curve = curve;
    this.#share = share;
  }

  ms(tokens: number): number {
    return Math.max(this.#curve.at(tokens) * this.#share, 0) * this.#count;
  }

  problem(): undefined {}
}
