/**
 * Manifold-constrained hyper-connections (mHC): what mixes the parallel residual streams of a layer before and after its
 * two sublayers.
 *
 * @module
 */
import { Curve } from "../curve.ts";
import { flopsOf, type Hardware } from "../hardware.ts";
import type { PerfTables } from "../perf_set.ts";
import { MissingOperator, type Operator } from "./operator.ts";
import { CurveOperator } from "./token_operators.ts";

/** The mixing before or after the sublayers of a layer. */
export interface MhcSpec {
  readonly kind: "mhc";
  readonly name: string;
  readonly count: number;
  readonly part: "pre" | "post";
  readonly hidden: number;
  /** Parallel residual streams. */
  readonly streams: number;
  /** Rounds in which the mixing matrix is made doubly stochastic. */
  readonly rounds: number;
}

/** Sublayers of a layer: attention and feed-forward. */
const SITES = 2;

/** Numbers that one mixing produces: weights of the streams in and out, and between them. */
const mixtures = (streams: number) => (2 + streams) * streams;

/** Bytes of the weights of one part in a layer. */
export function mhcWeightBytes({ hidden, streams }: MhcSpec): number {
  const mixed = mixtures(streams);
  return SITES * (mixed * streams * hidden + mixed + 3) * 2;
}

/** Least time of one part in a layer. */
export class MhcBound {
  readonly #spec: MhcSpec;
  readonly #flops: number;
  readonly #bandwidth: number;

  constructor(spec: MhcSpec, hardware: Hardware) {
    this.#spec = spec;
    this.#flops = flopsOf(hardware, "bfloat16", "bfloat16");
    this.#bandwidth = hardware.memoryBandwidth;
  }

  ms(tokens: number): number {
    const { part, hidden, streams, rounds } = this.#spec;
    const wide = streams * hidden;
    const mixed = mixtures(streams);
    const operations = part === "pre"
      ? SITES * (2 * tokens * wide * mixed + 3 * tokens * wide + tokens * (streams * streams + 2 * streams) * rounds +
        2 * tokens * streams * hidden)
      : SITES * (2 * tokens * streams * streams * hidden + 2 * tokens * streams * hidden);
    let bytes = SITES * (mixed * wide + mixed + 3) * 2 + SITES * tokens * wide * 2 * 2;
    if (part === "pre") bytes += SITES * tokens * (2 * streams + streams * streams) * 4;
    return Math.max(operations / this.#flops * 1000, bytes / this.#bandwidth * 1000);
  }
}

/** One part from its measurements. */
export function mhcOperator(spec: MhcSpec, hardware: Hardware, set: PerfTables): Operator {
  const { part, streams, hidden } = spec;
  const curve = set.member("mhc")?.curve(`${part}|${streams}|${hidden}`);
  if (curve === undefined) {
    const key = `{ op: "${part}", hc_mult: ${streams}, hidden_size: ${hidden} }`;
    return new MissingOperator(spec.name, "tokens", `mHC module data missing for ${key}`);
  }
  return new CurveOperator(spec, new Curve(curve, new MhcBound(spec, hardware)));
}
