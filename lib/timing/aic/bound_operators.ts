/**
 * Operators from their bounds: alone, or divided by the utilisation that similar measurements reached.
 *
 * @module
 */
import {
  ContextAttentionBound,
  ContextMlaBound,
  GemmBound,
  GenerationAttentionBound,
  GenerationMlaBound,
  MlaBmmBound,
  MoeBound,
  ScalingBound,
} from "./bounds.ts";
import { dispatchParts } from "./dispatch.ts";
import { type Hardware, peerBandwidth } from "./hardware.ts";
import type { GemmSpec, MlaModuleSpec, OperatorSpec } from "./operator_spec.ts";
import { contextAttentionExtraMs, generationAttentionExtraMs } from "./operators/attention_operators.ts";
import { AttentionModuleOperator, type ModuleTime } from "./operators/attention_modules.ts";
import type { DsaSpec } from "./operators/dsa.ts";
import { FallbackOperator, OverlapOperator } from "./operators/composite_operators.ts";
import { FormulaOperator } from "./operators/formula_operator.ts";
import { gdnOperator } from "./operators/gdn.ts";
import { kdaOperator } from "./operators/kda.ts";
import { mamba2Operator } from "./operators/mamba2.ts";
import { MhcBound } from "./operators/mhc.ts";
import { moduleEstimate } from "./operators/module_estimates.ts";
import { MissingOperator, type Operator } from "./operators/operator.ts";
import { MemoryOperator, P2pOperator } from "./operators/token_operators.ts";
import type { PerfTables } from "./perf_set.ts";
import { COMM_MODES, type CommMode, MOE_MODES } from "./quant.ts";

/** Utilisation at the coordinates of an operator's table. */
export type Utilisation = (a: number, b: number, c: number, d?: number) => number;

/** Where utilisations come from; undefined where nothing of the kind was measured. */
export interface UtilisationSource {
  /** Of operators: (heads, sequence, batch), (heads, batch, tokens), (m, n, k) or (tokens). */
  of(spec: OperatorSpec): Utilisation | undefined;
  /** Of blocks of sparse attention that take over the tokens an earlier one picked. */
  ofSkipping(spec: DsaSpec): Utilisation | undefined;
  /** Of a collective over a group: (elements). */
  ofCollective(operation: string, comm: CommMode, gpus: number): Utilisation | undefined;
  /** Of the kernels that statically quantised products do without: (m, k). Absent: products have no such share. */
  ofScaling?(table: "computescale" | "scale_matrix"): Utilisation | undefined;
}

/** Every bound reached. */
export const AT_THE_BOUND: UtilisationSource = {
  of: () => () => 1,
  ofSkipping: () => () => 1,
  ofCollective: () => () => 1,
};

/** What limits a bound: arithmetic or memory, or the one that takes longer. */
export type BoundPart = "whole" | "arithmetic" | "memory";

/** Gives operators the least time that a part of the hardware allows; sums over GPUs belong to neither part. */
export function boundFactory(part: BoundPart, hardware: Hardware, backend: string): BoundOperatorFactory {
  const ideal = withoutLosses(hardware);
  if (part === "whole") return new BoundOperatorFactory(ideal, backend, AT_THE_BOUND);
  const endless = (flops: Hardware["flops"]) => Object.fromEntries(Object.keys(flops).map((type) => [type, Infinity]));
  const limited = part === "memory"
    ? { ...ideal, flops: endless(ideal.flops) }
    : { ...ideal, memoryBandwidth: Infinity, interNodeBandwidth: Infinity };
  return new BoundOperatorFactory(limited, backend, { ...AT_THE_BOUND, ofCollective: () => () => Infinity });
}

/** Gives operators times from bounds and utilisations. */
export class BoundOperatorFactory {
  readonly #hardware: Hardware;
  readonly #backend: string;
  readonly #utilisations: UtilisationSource;
  readonly #tables: PerfTables | undefined;

  /**
   * @param hardware kernels that only move bytes take its latency and its scaling
   * @param tables measurements of kernels around recurrent states, which are used however operators are estimated
   */
  constructor(hardware: Hardware, backend: string, utilisations: UtilisationSource, tables?: PerfTables) {
    this.#hardware = hardware;
    this.#backend = backend;
    this.#utilisations = utilisations;
    this.#tables = tables;
  }

  operators(specs: readonly OperatorSpec[]): Operator[] {
    return specs.map((spec) => this.operator(spec));
  }

  operator(spec: OperatorSpec): Operator {
    const hardware = this.#hardware;
    switch (spec.kind) {
      case "embedding":
      case "elementwise":
        return new MemoryOperator(spec, hardware);
      case "p2p":
        return new P2pOperator(spec, hardware);
      case "gdn":
        return gdnOperator(spec, hardware, this.#tables);
      case "mamba2":
        return mamba2Operator(spec, hardware, this.#tables);
      case "kda":
        return kdaOperator(spec, hardware, this.#tables);
      case "fallback":
        return new FallbackOperator(spec.name, this.operator(spec.primary), this.operators(spec.list));
      case "overlap":
        return new OverlapOperator(spec.name, [this.operators(spec.groups[0]), this.operators(spec.groups[1])]);
      case "all_reduce": {
        const collective = this.#collective("all_reduce", spec.comm, spec.ranks);
        return new FormulaOperator(spec, "tokens", (tokens) => collective(tokens * spec.width));
      }
      case "moe_dispatch": {
        const parts = dispatchParts(spec, this.#backend, hardware);
        if (parts === null) return missing(spec);
        const steps = parts.map(({ operation, gpus, perToken }) => {
          const collective = this.#collective(operation, spec.comm, gpus);
          return (tokens: number) => collective(tokens * perToken);
        });
        return new FormulaOperator(spec, "tokens", (tokens) => steps.reduce((sum, step) => sum + step(tokens), 0));
      }
      default: {
        const utilisation = this.#utilisations.of(spec);
        return utilisation === undefined ? missing(spec) : this.#measurable(spec, utilisation);
      }
    }
  }

  #measurable(spec: OperatorSpec, utilisation: Utilisation): Operator {
    const hardware = this.#hardware;
    switch (spec.kind) {
      case "gemm":
        return this.#gemm(spec, utilisation);
      case "moe": {
        const bound = new MoeBound(hardware, { ...spec, gated: spec.gated ?? true }, MOE_MODES[spec.mode], spec.mode);
        return new FormulaOperator(spec, "tokens", (tokens) => {
          const all = tokens * spec.attentionData;
          return bound.ms(all) / utilisation(all, 0, 0);
        });
      }
      case "context_attention": {
        const { heads, headSize, window, fmha, kv } = spec;
        const kvHeads = spec.kvHeads === heads ? 0 : spec.kvHeads;
        const bound = new ContextAttentionBound(hardware, { kvHeads, headSize, window }, fmha, kv);
        const extraMs = contextAttentionExtraMs(spec, hardware);
        return new FormulaOperator(spec, "sequences", (_, batch, seq, prefix) => {
          const full = seq + prefix;
          return bound.ms(heads, full, batch, prefix) / utilisation(heads, full, batch) + extraMs;
        });
      }
      case "generation_attention": {
        const { heads, headSize, window, kv } = spec;
        const kvHeads = spec.kvHeads === heads ? 0 : spec.kvHeads;
        const bound = new GenerationAttentionBound(hardware, { kvHeads, headSize, window }, kv);
        const extraMs = generationAttentionExtraMs(spec, hardware);
        return new FormulaOperator(
          spec,
          "sequences",
          (_, batch, seq) => bound.ms(heads, batch, seq) / utilisation(heads, batch, seq) + extraMs,
        );
      }
      case "context_mla":
      case "mla_context_module": {
        const bound = new ContextMlaBound(hardware, spec.fmha, spec.kv);
        return new FormulaOperator(spec, "sequences", (_, batch, seq, prefix) => {
          const full = seq + prefix;
          return bound.ms(spec.heads, full, batch, prefix) / utilisation(spec.heads, full, batch);
        });
      }
      case "generation_mla":
      case "mla_generation_module": {
        const module = spec.kind === "mla_generation_module" ? (spec as MlaModuleSpec).mode : null;
        const bound = new GenerationMlaBound(hardware, spec.kv, module);
        return new FormulaOperator(
          spec,
          "sequences",
          (_, batch, seq) => bound.ms(spec.heads, batch, seq) / utilisation(spec.heads, batch, seq),
        );
      }
      case "dsa":
      case "dsv4":
      case "msa": {
        const timed = (skips: boolean, reached: Utilisation): ModuleTime => {
          const { bound, place } = moduleEstimate(spec, hardware, this.#backend, undefined, skips);
          return (batch, seq, prefix) => bound(batch, seq, prefix) / reached(...place(batch, seq, prefix));
        };
        const full = timed(false, utilisation);
        const share = spec.kind === "dsa" ? spec.indexed : 1;
        const skipping = spec.kind === "dsa" && share < 1 ? this.#utilisations.ofSkipping(spec) : undefined;
        if (skipping === undefined) return new AttentionModuleOperator(spec, full);
        const skip = timed(true, skipping);
        return new AttentionModuleOperator(
          spec,
          (batch, seq, prefix) => share * full(batch, seq, prefix) + (1 - share) * skip(batch, seq, prefix),
        );
      }
      case "mhc": {
        const bound = new MhcBound(spec, hardware);
        return new FormulaOperator(spec, "tokens", (tokens) => bound.ms(tokens) / utilisation(tokens, 0, 0));
      }
      case "mla_bmm": {
        const bound = new MlaBmmBound(hardware, spec.heads, spec.mode);
        return new FormulaOperator(spec, "tokens", (tokens) => bound.ms(tokens) / utilisation(tokens, 0, 0));
      }
      default:
        return missing(spec);
    }
  }

  #gemm(spec: GemmSpec, utilisation: Utilisation): Operator {
    const bound = new GemmBound(this.#hardware, spec.mode);
    const { n, k } = spec;
    const whole = (m: number) => bound.ms(m, n, k) / utilisation(m, n, k);
    if (spec.mode !== "fp8_static" || this.#utilisations.ofScaling === undefined) {
      return new FormulaOperator(spec, "tokens", whole);
    }
    const computeScale = this.#scaling("computescale", k);
    const scaleMatrix = spec.lowPrecisionInput ? this.#scaling("scale_matrix", k) : () => 0;
    return new FormulaOperator(
      spec,
      "tokens",
      (m) => Math.max(whole(m) - computeScale(m) - scaleMatrix(m), bound.ms(m, n, k)),
    );
  }

  #scaling(table: "computescale" | "scale_matrix", k: number): (m: number) => number {
    const utilisation = this.#utilisations.ofScaling!(table);
    if (utilisation === undefined) return () => NaN;
    const bound = new ScalingBound(this.#hardware, table);
    return (m) => bound.ms(m, k) / utilisation(m, k, 0);
  }

  /** Milliseconds of a collective by elements. */
  #collective(operation: string, comm: CommMode, gpus: number): (elements: number) => number {
    if (gpus <= 1) return () => 0;
    const utilisation = this.#utilisations.ofCollective(operation, comm, gpus);
    if (utilisation === undefined) return () => NaN;
    const passes = operation === "all_reduce" ? 2 : 1;
    const bandwidth = peerBandwidth(this.#hardware, gpus);
    const bytes = COMM_MODES[comm];
    return (elements) => passes * elements * bytes * (gpus - 1) / gpus / bandwidth * 1000 / utilisation(elements, 0, 0);
  }
}

function missing(spec: OperatorSpec): Operator {
  const dependence = /attention|mla_(context|generation)|(context|generation)_mla/.test(spec.kind)
    ? "sequences"
    : "tokens";
  return new MissingOperator(
    spec.name,
    dependence,
    `nothing was measured that ${spec.name} could borrow from (transfer_policy says what it may)`,
  );
}

/** The hardware without the losses of memory-bound kernels. */
export function withoutLosses(hardware: Hardware): Hardware {
  return { ...hardware, memoryScaling: 1, memoryLatencySeconds: 0, p2pLatencySeconds: 0 };
}
