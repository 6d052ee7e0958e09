/**
 * Collectives: all-reduce over a tensor-parallel group, and what takes tokens to their experts and back.
 *
 * @module
 */
import type { Curve } from "../curve.ts";
import { type Hardware, peerBandwidth } from "../hardware.ts";
import type { AllReduceSpec, MoeDispatchSpec } from "../operator_spec.ts";
import type { Operator } from "./operator.ts";

/** Measured collectives by number of GPUs. */
export type FanOuts = ReadonlyMap<number, Curve>;

/** The measured group size that answers for a group of `gpus`. */
export function measuredGroup(sizes: readonly number[], gpus: number, { gpusPerNode }: Hardware): number {
  if (gpus <= gpusPerNode) return Math.min(gpus, Math.max(0, ...sizes));
  return Math.max(0, ...sizes.filter((size) => size <= gpus)) || gpusPerNode;
}

/** Which sum over a group of GPUs is read: the framework's own, or that of the collectives library. */
export const summedBy = ({ gpusPerNode }: Hardware, gpus: number): "all_reduce" | "custom" =>
  gpusPerNode === 72 && gpus > 4 ? "all_reduce" : "custom";

/** One collective over a group: the curve of the group's size, or that of the largest one, carried to the group. */
export class GroupCollective {
  readonly #curve: Curve | null;
  /** What carries the largest measured group to this one; null inside the measured sizes. */
  readonly #carry: number | null;
  readonly #single: boolean;

  constructor(fanOuts: FanOuts, gpus: number, hardware: Hardware) {
    this.#single = gpus <= 1;
    const measured = measuredGroup([...fanOuts.keys()], gpus, hardware);
    this.#curve = fanOuts.get(measured) ?? null;
    this.#carry = measured < gpus
      ? (gpus - 1) / gpus * measured / Math.max(measured - 1, 1) * peerBandwidth(hardware, measured) /
        peerBandwidth(hardware, gpus)
      : null;
  }

  /** Milliseconds for `elements` numbers; NaN when the group's size was not measured. */
  at(elements: number): number {
    if (this.#single) return 0;
    if (this.#curve === null) return NaN;
    const value = this.#curve.at(elements);
    return this.#carry === null ? value : value * this.#carry;
  }
}

/** All-reduce of a vector per token. */
export class AllReduceOperator implements Operator {
  readonly name: string;
  readonly dependence = "tokens";
  readonly #spec: AllReduceSpec;
  readonly #collective: GroupCollective;

  constructor(spec: AllReduceSpec, collective: GroupCollective) {
    this.name = spec.name;
    this.#spec = spec;
    this.#collective = collective;
  }

  ms(tokens: number): number {
    const { width, ranks, count } = this.#spec;
    return ranks <= 1 ? 0 : Math.max(this.#collective.at(tokens * width), 0) * count;
  }

  problem(tokens: number): string | undefined {
    return Number.isNaN(this.ms(tokens)) ? `custom all-reduce data missing for ${this.#spec.ranks} GPUs` : undefined;
  }
}

/** A step of the transport of tokens: a collective that moves `perToken` elements for every token of a rank. */
export interface DispatchStep {
  readonly label: string;
  readonly collective: GroupCollective;
  readonly perToken: number;
}

/** The transport before or after the experts: its steps one after the other. */
export class MoeDispatchOperator implements Operator {
  readonly name: string;
  readonly dependence = "tokens";
  readonly #count: number;
  readonly #steps: readonly DispatchStep[];

  constructor(spec: MoeDispatchSpec, steps: readonly DispatchStep[]) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#steps = steps;
  }

  ms(tokens: number): number {
    let sum = 0;
    for (const { collective, perToken } of this.#steps) sum += collective.at(tokens * perToken);
    return Math.max(sum, 0) * this.#count;
  }

  problem(tokens: number): string | undefined {
    for (const { label, collective, perToken } of this.#steps) {
      if (Number.isNaN(collective.at(tokens * perToken))) return `${label} data missing for ${this.name}`;
    }
    return undefined;
  }
}
