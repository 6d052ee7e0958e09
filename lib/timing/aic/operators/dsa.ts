/**
 * DeepSeek sparse attention (DSA): latent attention to the tokens that an indexer picks, measured as a whole block
 * (projections, indexer, attention, output projection). Layers may take over the choice of an earlier layer, and then run
 * a block without indexer.
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
import {
  AttentionModuleOperator,
  headedEstimate,
  limitedPairs,
  type ModuleEstimate,
  type ModuleTime,
} from "./attention_modules.ts";
import { MissingOperator, type Operator } from "./operator.ts";

/** One block of DeepSeek sparse attention. */
export interface DsaSpec {
  readonly kind: "dsa";
  readonly name: string;
  readonly count: number;
  readonly phase: "context" | "generation";
  readonly architecture: DsaArchitecture;
  /** Heads of one rank. */
  readonly heads: number;
  /** Tokens that the indexer picks. */
  readonly picked: number;
  readonly fmha: FmhaMode;
  readonly kv: KvMode;
  /** Mode of the projections, which the measurements are told apart by. */
  readonly mode: GemmMode;
  /** Share of the layers that run their own indexer, over 0 to 1. */
  readonly indexed: number;
  /** Bytes of the block's weights on one rank. */
  readonly weightBytes: number;
}

/** Widths of a block. The measurements were made with these, whatever a configuration says. */
export const DSA_WIDTHS = {
  DeepseekV32ForCausalLM: { hidden: 7168, queryRank: 1536, plain: 128, value: 128, indexHeads: 64 },
  GlmMoeDsaForCausalLM: { hidden: 6144, queryRank: 2048, plain: 192, value: 256, indexHeads: 32 },
} as const;

/** Architectures whose blocks were measured. */
export type DsaArchitecture = keyof typeof DSA_WIDTHS;

/** Widths that both have in common: latent vector, rotated part, indexer's head. */
export const KV_RANK = 512;
export const ROPE = 64;
export const INDEX_HEAD = 128;
const LATENT = KV_RANK + ROPE;
/** Bytes of a token in the indexer's cache: an FP8 vector and its scale. */
const INDEX_ENTRY = 132;
/** Tokens picked in decode steps, which the bound is made for whatever the model says. */
const DECODE_PICKED = 2048;

/** Which indexer parts a bound counts. */
interface IndexerParts {
  /** Projections of the indexer. */
  readonly projected: boolean;
  /** Scores of the tokens, and the cache they are computed from. */
  readonly scored: boolean;
  /** Scores of decode steps. */
  readonly decodeScored: boolean;
}

const WITH_INDEXER: IndexerParts = { projected: true, scored: true, decodeScored: true };

/** What a block without indexer leaves out: its measurements were made differently. */
function withoutIndexer(backend: string): IndexerParts {
  return backend === "vllm"
    ? { projected: false, scored: false, decodeScored: false }
    : { projected: true, scored: false, decodeScored: true };
}

/** Least time of a block. */
class DsaBound {
  readonly #spec: DsaSpec;
  readonly #parts: IndexerParts;
  readonly #gemmFlops: number;
  readonly #indexFlops: number;
  readonly #attentionFlops: number;
  readonly #bandwidth: number;

  constructor(spec: DsaSpec, hardware: Hardware, parts: IndexerParts) {
    const cost: ModeCost = GEMM_MODES[spec.mode];
    this.#spec = spec;
    this.#parts = parts;
    this.#gemmFlops = flopsOf(hardware, cost.flops, spec.mode);
    this.#indexFlops = flopsOf(hardware, "fp8", "fp8");
    const attention = spec.phase === "context" ? spec.fmha : "bfloat16";
    this.#attentionFlops = flopsOf(hardware, FMHA_MODES[attention].flops, attention);
    this.#bandwidth = hardware.memoryBandwidth;
  }

  context(heads: number, prefix: number, seq: number, batch: number): number {
    const { architecture, picked, fmha, kv } = this.#spec;
    const { plain, indexHeads } = DSA_WIDTHS[architecture];
    const tokens = batch * seq;
    const full = seq + prefix;
    const scored = this.#parts.scored && full > picked;
    const scores = scored ? 2 * tokens * indexHeads * INDEX_HEAD * full : 0;
    const pairs = batch * limitedPairs(seq, prefix, picked);
    const cache = batch * heads * Math.min(full, picked) * LATENT * KV_MODES[kv];
    const indexCache = scored ? INDEX_ENTRY * batch * full : 0;
    const queries = tokens * heads * (plain + ROPE) * FMHA_MODES[fmha].bytes * 2;
    const bytes = this.#weights(heads) + cache + indexCache + queries;
    return this.#ms(heads, tokens, scores, pairs, bytes);
  }

  generation(heads: number, batch: number, known: number): number {
    const { architecture, kv } = this.#spec;
    const { indexHeads } = DSA_WIDTHS[architecture];
    const scores = this.#parts.decodeScored ? 2 * batch * indexHeads * INDEX_HEAD * known : 0;
    const pairs = batch * Math.min(known, DECODE_PICKED);
    const indexCache = this.#parts.decodeScored ? INDEX_ENTRY * batch * known : 0;
    const bytes = this.#weights(heads) + indexCache + pairs * LATENT * KV_MODES[kv];
    return this.#ms(heads, batch, scores, pairs, bytes);
  }

  #ms(heads: number, tokens: number, scores: number, pairs: number, bytes: number): number {
    const attention = 2 * heads * (LATENT + KV_RANK) * pairs;
    const math = this.#projections(heads, tokens) / this.#gemmFlops + scores / this.#indexFlops +
      attention / this.#attentionFlops;
    return Math.max(math * 1000, bytes / this.#bandwidth * 1000);
  }

  #projections(heads: number, tokens: number): number {
    const { hidden, queryRank, plain, value, indexHeads } = DSA_WIDTHS[this.#spec.architecture];
    const [indexers, indexSize] = this.#parts.projected ? [indexHeads, INDEX_HEAD] : [0, 0];
    return 2 * tokens * hidden * (queryRank + KV_RANK + ROPE + indexSize) +
      2 * tokens * queryRank * heads * (plain + ROPE) +
      2 * tokens * queryRank * indexers * INDEX_HEAD +
      2 * tokens * hidden * indexers +
      2 * tokens * heads * value * hidden +
      2 * heads * tokens * plain * KV_RANK +
      2 * heads * tokens * KV_RANK * value;
  }

  #weights(heads: number): number {
    const { hidden, queryRank, plain, value, indexHeads } = DSA_WIDTHS[this.#spec.architecture];
    const [indexers, indexSize] = this.#parts.projected ? [indexHeads, INDEX_HEAD] : [0, 0];
    const elements = hidden * (queryRank + KV_RANK + ROPE + indexSize) + queryRank * heads * (plain + ROPE) +
      queryRank * indexers * INDEX_HEAD + hidden * indexers + heads * value * hidden;
    return elements * GEMM_MODES[this.#spec.mode].bytes;
  }
}

/** A block from its measurements. */
export function dsaOperator(spec: DsaSpec, hardware: Hardware, set: PerfTables): Operator {
  const full = moduleTime(spec, hardware, set, "full", WITH_INDEXER);
  if (full === undefined) return missing(spec, set);
  const { indexed } = spec;
  if (indexed >= 1 || !skipsUsably(spec, set)) return new AttentionModuleOperator(spec, full);
  const skip = moduleTime(spec, hardware, set, "skip", withoutIndexer(set.header.backend)) ?? (() => NaN);
  return new AttentionModuleOperator(
    spec,
    (batch, seq, prefix) => indexed * full(batch, seq, prefix) + (1 - indexed) * skip(batch, seq, prefix),
  );
}

/** What an estimate of a block is made from, with its indexer or without. */
export function dsaEstimate(
  spec: DsaSpec,
  hardware: Hardware,
  backend: string,
  table: "full" | "skip",
  set?: PerfTables,
): ModuleEstimate {
  const bound = new DsaBound(spec, hardware, table === "full" ? WITH_INDEXER : withoutIndexer(backend));
  const slice = set && sliceName(spec, set, table);
  return headedEstimate(spec, bound, slice === undefined ? null : set!.member(memberName(spec))!.levels(slice)!);
}

function moduleTime(
  spec: DsaSpec,
  hardware: Hardware,
  set: PerfTables,
  table: "full" | "skip",
  parts: IndexerParts,
): ModuleTime | undefined {
  const member = set.member(memberName(spec));
  const slice = sliceName(spec, set, table);
  if (member === undefined || slice === undefined) return undefined;
  const { heads } = spec;
  const bound = new DsaBound(spec, hardware, parts);
  if (spec.phase === "context") {
    const grid = new LevelGrid(member.levels(slice)!, (at) => bound.context(at[0], at[1], at[2], at[3]));
    return (batch, seq, prefix) => grid.at(heads, prefix, seq, batch);
  }
  const onGrid = { ms: (n: number, batch: number, known: number) => bound.generation(n, batch, known) };
  const grid = new Grid(member.grid(slice)!, onGrid, heads, { moving: "leaf" });
  return (batch, known) => grid.at(batch, known);
}

const memberName = ({ phase }: DsaSpec) => `dsa_${phase}`;

/** Name of the measurements: table, architecture, modes, kernel. */
function sliceName(
  { phase, architecture, fmha, kv, mode }: DsaSpec,
  set: PerfTables,
  table: string,
): string | undefined {
  const key = `${table}|${architecture}|${fmha}|${kv}|${mode}|`;
  return set.member(`dsa_${phase}`)?.names().find((name) => name.startsWith(key));
}

/**
 * Whether blocks without indexer count. SGLang: when any was measured. vLLM: when the very shape was, with the same
 * kernel. TensorRT-LLM does not tell layers apart.
 */
function skipsUsably(spec: DsaSpec, set: PerfTables): boolean {
  const member = set.member(memberName(spec));
  const { backend } = set.header;
  if (backend === "sglang") return member?.names().some((name) => name.startsWith("skip|")) ?? false;
  if (backend !== "vllm") return false;
  const full = sliceName(spec, set, "full");
  const skip = sliceName(spec, set, "skip");
  if (full === undefined || skip === undefined || full.slice(4) !== skip.slice(4)) return false;
  return [full, skip].every((slice) => member!.levels(slice)!.keys[0].includes(spec.heads));
}

function missing(spec: DsaSpec, set: PerfTables): Operator {
  const { phase, architecture, fmha, kv, mode } = spec;
  const key =
    `DsaKey { architecture: "${architecture}", fmha_quant: "${fmha}", kv_quant: "${kv}", gemm_quant: "${mode}" }`;
  const problem = set.member(memberName(spec)) === undefined
    ? `no DSA module rows of ${set.header.backend} ${set.header.version} on ${set.header.system}`
    : `${phase} DSA module data missing for ${key}`;
  return new MissingOperator(spec.name, "sequences", problem);
}
