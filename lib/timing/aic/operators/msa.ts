/**
 * MiniMax sparse attention (MSA): grouped-query attention to the blocks of 128 tokens that a small indexer picks, measured
 * as a whole block with its projections.
 *
 * @module
 */
import { Grid } from "../grid.ts";
import { flopsOf, type Hardware } from "../hardware.ts";
import { LevelGrid } from "../level_grid.ts";
import type { PerfTables } from "../perf_set.ts";
import {
  FMHA_MODES,
  type FmhaMode,
  GEMM_MODES,
  type GemmMode,
  KV_MODES,
  type KvMode,
  type ModeCost,
} from "../quant.ts";
import { AttentionModuleOperator, headedEstimate, limitedPairs, type ModuleEstimate } from "./attention_modules.ts";
import { MissingOperator, type Operator } from "./operator.ts";

/** One block of MiniMax sparse attention. */
export interface MsaSpec {
  readonly kind: "msa";
  readonly name: string;
  readonly count: number;
  readonly phase: "context" | "generation";
  readonly hidden: number;
  /** Heads of one rank. */
  readonly heads: number;
  readonly kvHeads: number;
  readonly fmha: FmhaMode;
  readonly kv: KvMode;
  readonly mode: GemmMode;
}

const HEAD = 128;
const BLOCK = 128;
/** Tokens of the blocks that are picked. */
const PICKED = 16 * BLOCK;
/** Width of the indexer: four heads. */
const INDEX_WIDTH = 4 * 128;

/** Least time of a block. */
class MsaBound {
  readonly #spec: MsaSpec;
  readonly #gemm: { bytes: number; flops: number };
  readonly #indexFlops: number;
  readonly #attentionFlops: number;
  readonly #bandwidth: number;

  constructor(spec: MsaSpec, hardware: Hardware) {
    const cost: ModeCost = GEMM_MODES[spec.mode];
    this.#spec = spec;
    this.#gemm = { bytes: cost.bytes, flops: flopsOf(hardware, cost.flops, spec.mode) };
    this.#indexFlops = flopsOf(hardware, "fp8", "fp8");
    this.#attentionFlops = flopsOf(hardware, FMHA_MODES[spec.fmha].flops, spec.fmha);
    this.#bandwidth = hardware.memoryBandwidth;
  }

  context(heads: number, prefix: number, seq: number, batch: number): number {
    return this.#ms(heads, batch, batch * seq, prefix + seq, batch * limitedPairs(seq, prefix, PICKED));
  }

  generation(heads: number, batch: number, known: number): number {
    const cached = Math.max(known - 1, 0);
    return this.#ms(heads, batch, batch, cached, batch * Math.min(cached, PICKED));
  }

  #ms(heads: number, batch: number, tokens: number, length: number, pairs: number): number {
    const { hidden, kvHeads, fmha, kv } = this.#spec;
    const projections = 2 * tokens * hidden * heads * HEAD + 2 * tokens * hidden * 2 * kvHeads * HEAD +
      2 * tokens * heads * HEAD * hidden + 2 * tokens * hidden * INDEX_WIDTH;
    const blocks = length > PICKED ? Math.ceil(length / BLOCK) : 0;
    const scores = 2 * tokens * INDEX_WIDTH * blocks;
    const attention = 2 * heads * (HEAD + HEAD) * pairs;
    const weights = hidden * heads * HEAD + hidden * 2 * kvHeads * HEAD + heads * HEAD * hidden + hidden * INDEX_WIDTH;
    const bytes = weights * this.#gemm.bytes +
      batch * kvHeads * Math.min(length, PICKED) * (HEAD + HEAD) * KV_MODES[kv] +
      batch * blocks * INDEX_WIDTH + tokens * heads * HEAD * FMHA_MODES[fmha].bytes * 2;
    const math = projections / this.#gemm.flops + scores / this.#indexFlops + attention / this.#attentionFlops;
    return Math.max(math * 1000, bytes / this.#bandwidth * 1000);
  }
}

const sliceName = ({ phase, fmha, kv, mode }: MsaSpec) =>
  phase === "context" ? `${fmha}|${kv}|${mode}` : `${kv}|${mode}`;

/** What an estimate of a block is made from. */
export function msaEstimate(spec: MsaSpec, hardware: Hardware, set?: PerfTables): ModuleEstimate {
  const levels = set?.member(`msa_${spec.phase}`)?.levels(sliceName(spec));
  return headedEstimate(spec, new MsaBound(spec, hardware), levels ?? null);
}

/** A block from its measurements. */
export function msaOperator(spec: MsaSpec, hardware: Hardware, set: PerfTables): Operator {
  const { phase, heads } = spec;
  const member = set.member(`msa_${phase}`);
  const slice = sliceName(spec);
  const levels = member?.levels(slice);
  if (levels === undefined) {
    const { backend, version, system } = set.header;
    const problem = member === undefined
      ? `no MSA module rows of ${backend} ${version} on ${system}`
      : `${phase} MSA module data missing for ${slice.replaceAll("|", ", ")}`;
    return new MissingOperator(spec.name, "sequences", problem);
  }
  const bound = new MsaBound(spec, hardware);
  if (phase === "context") {
    const grid = new LevelGrid(levels, (at) => bound.context(at[0], at[1], at[2], at[3]));
    return new AttentionModuleOperator(spec, (batch, seq, prefix) => grid.at(heads, prefix, seq, batch));
  }
  const onGrid = { ms: (n: number, batch: number, known: number) => bound.generation(n, batch, known) };
  const grid = new Grid(member!.grid(slice)!, onGrid, heads, { moving: "leaf" });
  return new AttentionModuleOperator(spec, (batch, known) => grid.at(batch, known));
}
