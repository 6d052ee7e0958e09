/**
 * The compressed attention of DeepSeek V4: every token attends to a window of single tokens and to older ones through
 * compressed entries, of 4 tokens (CSA, an indexer picks among them) or of 128 (HCA). Measured as whole blocks.
 *
 * @module
 */
import { Grid } from "../grid.ts";
import { flopsOf, type Hardware } from "../hardware.ts";
import { LevelGrid } from "../level_grid.ts";
import type { Levels } from "../perf_member.ts";
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
  closestBelow,
  forEachMeasurement,
  limitedPairs,
  type ModuleEstimate,
  type ModuleSample,
  type ModuleTime,
} from "./attention_modules.ts";
import { MissingOperator, type Operator } from "./operator.ts";

/** Widths of a model's compressed attention. */
export interface Dsv4Widths {
  readonly hidden: number;
  readonly queryRank: number;
  readonly outputRank: number;
  readonly outputGroups: number;
  readonly headSize: number;
  readonly ropeSize: number;
  readonly indexHeads: number;
  readonly indexSize: number;
  /** Compressed entries that the indexer picks. */
  readonly picked: number;
  /** Single tokens that are attended to. */
  readonly window: number;
}

/** One block of compressed attention. */
export interface Dsv4Spec extends Dsv4Widths {
  readonly kind: "dsv4";
  readonly name: string;
  readonly count: number;
  readonly phase: "context" | "generation";
  /** Tokens of a compressed entry. */
  readonly ratio: 4 | 128;
  readonly heads: number;
  /** Heads of the model before it is split. */
  readonly nativeHeads: number;
  /** Output groups of one rank. */
  readonly localGroups: number;
  readonly fmha: FmhaMode;
  readonly kv: KvMode;
  readonly mode: GemmMode;
  /** Bytes of the block's weights on one rank. */
  readonly weightBytes: number;
}

/** Least time of a block. */
class Dsv4Bound {
  readonly #spec: Dsv4Spec;
  readonly #gemm: { bytes: number; flops: number };
  readonly #plainFlops: number;
  readonly #indexFlops: number;
  readonly #attentionFlops: number;
  readonly #attentionBytes: number;
  readonly #bandwidth: number;

  constructor(spec: Dsv4Spec, hardware: Hardware) {
    const cost: ModeCost = GEMM_MODES[spec.mode];
    const decode: FmhaMode = spec.kv === "fp8" && hardware.smVersion >= 89 ? "fp8" : "bfloat16";
    const attention = spec.phase === "context" ? spec.fmha : decode;
    this.#spec = spec;
    this.#gemm = { bytes: cost.bytes, flops: flopsOf(hardware, cost.flops, spec.mode) };
    this.#plainFlops = flopsOf(hardware, "bfloat16", "bfloat16");
    this.#indexFlops = flopsOf(hardware, "fp8", "fp8");
    this.#attentionFlops = flopsOf(hardware, FMHA_MODES[attention].flops, attention);
    this.#attentionBytes = FMHA_MODES[attention].bytes;
    this.#bandwidth = hardware.memoryBandwidth;
  }

  context(prefix: number, seq: number, batch: number): number {
    const { ratio, picked, window } = this.#spec;
    const full = prefix + seq;
    const limit = ratio === 4 ? picked : Math.floor(full / ratio);
    const compressed = compressedPairs(full, ratio, limit) - compressedPairs(prefix, ratio, limit);
    return this.#ms(batch, batch * seq, full, batch * limitedPairs(seq, prefix, window) + batch * compressed);
  }

  generation(batch: number, known: number): number {
    const { ratio, picked, window } = this.#spec;
    const cached = Math.max(known - 1, 0);
    const entries = Math.floor(cached / ratio);
    const compressed = ratio === 4 ? Math.min(entries, picked) : entries;
    return this.#ms(batch, batch, cached, batch * Math.min(cached, window) + batch * compressed);
  }

  #ms(batch: number, tokens: number, length: number, pairs: number): number {
    const { hidden, queryRank, outputRank, headSize, ropeSize, indexHeads, indexSize, ratio, heads, kv } = this.#spec;
    const groups = this.#spec.localGroups;
    const copies = ratio === 4 ? 2 : 1;
    const entries = ratio === 4 ? Math.floor(length / 4) : 0;
    let compute = 2 * tokens * hidden * queryRank + 2 * tokens * queryRank * heads * headSize +
      2 * tokens * hidden * headSize + 2 * tokens * groups * outputRank * hidden +
      4 * tokens * hidden * copies * headSize + 2 * tokens * copies * headSize;
    let plain = 2 * tokens * heads * headSize * outputRank;
    let index = 0;
    let weights = hidden * queryRank + queryRank * heads * headSize + hidden * headSize + groups * outputRank * hidden +
      2 * hidden * copies * headSize;
    let plainWeights = heads * headSize * outputRank;
    let indexCache = 0;
    if (ratio === 4) {
      compute += 4 * tokens * hidden * 2 * indexSize + 2 * tokens * 2 * indexSize;
      index = 2 * tokens * queryRank * indexHeads * indexSize + 2 * tokens * entries * indexHeads * indexSize;
      plain += 2 * tokens * hidden * indexHeads;
      weights += queryRank * indexHeads * indexSize;
      plainWeights += hidden * indexHeads;
      indexCache = batch * entries * indexSize * 0.5;
    }
    const attention = 4 * heads * headSize * pairs;
    const bytes = this.#gemm.bytes * weights + 2 * plainWeights +
      this.#gemm.bytes * tokens * (hidden + queryRank + heads * headSize + headSize + groups * outputRank) +
      KV_MODES[kv] * pairs * headSize + indexCache + this.#attentionBytes * tokens * heads * ropeSize;
    const math = compute / this.#gemm.flops + plain / this.#plainFlops + index / this.#indexFlops +
      attention / this.#attentionFlops;
    return Math.max(math * 1000, bytes / this.#bandwidth * 1000);
  }
}

/** Sum over the tokens 1 … `full` of the compressed entries before each, at most `limit`. */
function compressedPairs(full: number, ratio: number, limit: number): number {
  const entries = Math.floor(full / ratio);
  const growing = Math.min(entries, limit);
  if (growing < entries) {
    // tokens whose entries exceed the limit count the limit
    const reached = limit * ratio;
    return ratio * limit * (limit - 1) / 2 + limit * (full - reached + 1);
  }
  return ratio * growing * (growing - 1) / 2 + growing * (full - growing * ratio + 1);
}

const kindOf = ({ ratio }: Dsv4Spec) => ratio === 4 ? "csa" : "hca";
const memberName = (spec: Dsv4Spec) => `dsv4_${kindOf(spec)}_${spec.phase}`;
const modesOf = ({ phase, fmha, kv, mode }: Dsv4Spec) =>
  phase === "context" ? `${fmha}|${kv}|${mode}` : `${kv}|${mode}`;

/** Name of the measurements of the model and the rank whose heads come closest; undefined when there are none. */
function sliceName(spec: Dsv4Spec, set: PerfTables): string | undefined {
  const modes = modesOf(spec);
  const measured = (set.member(memberName(spec))?.names() ?? []).filter((name) => name.startsWith(`${modes}|`))
    .map((name) => name.split("|").slice(-2).map(Number));
  const native = closestBelow(measured.map(([of]) => of), spec.nativeHeads);
  const local = closestBelow(measured.filter(([of]) => of === native).map(([, heads]) => heads), spec.heads);
  return local === undefined ? undefined : `${modes}|${native}|${local}`;
}

/** What an estimate of a block is made from. */
export function dsv4Estimate(spec: Dsv4Spec, hardware: Hardware, set?: PerfTables): ModuleEstimate {
  const { phase } = spec;
  const bound = new Dsv4Bound(spec, hardware);
  const slice = set && sliceName(spec, set);
  const measured: ModuleSample[] = [];
  if (slice !== undefined) {
    forEachMeasurement(set!.member(memberName(spec))!.levels(slice)!, ([a, b, c], ms) => {
      if (phase === "generation") measured.push({ place: [b, c], bound: bound.generation(b, c), ms });
      else measured.push({ place: [a, b, c], bound: bound.context(a, b, c), ms });
    });
  }
  return phase === "context"
    ? {
      bound: (batch, seq, prefix) => bound.context(prefix, seq, batch),
      place: (batch, seq, prefix) => [prefix, seq, batch, 0],
      measured,
      prefixAxis: 0,
    }
    : {
      bound: (batch, seq) => bound.generation(batch, seq),
      place: (batch, seq) => [batch, seq, 0, 0],
      measured,
      prefixAxis: null,
    };
}

/** A block from its measurements. */
export function dsv4Operator(spec: Dsv4Spec, hardware: Hardware, set: PerfTables): Operator {
  const { phase } = spec;
  const kind = kindOf(spec);
  const member = set.member(memberName(spec));
  const name = sliceName(spec, set);
  if (name === undefined) {
    const { backend, version, system } = set.header;
    const problem = member === undefined
      ? `no DSV4 module rows of ${backend} ${version} on ${system}`
      : `${phase} DSV4 ${kind.toUpperCase()} module data missing for ${modesOf(spec).replaceAll("|", ", ")}`;
    return new MissingOperator(spec.name, "sequences", problem);
  }
  const bound = new Dsv4Bound(spec, hardware);
  const overhead = kind === "csa" && set.unit === undefined ? pickingOverhead(spec, set) : undefined;
  const time: ModuleTime = phase === "context" ? contextTime(member!.levels(name)!, bound) : (() => {
    const onGrid = { ms: (_: number, batch: number, known: number) => bound.generation(batch, known) };
    const grid = new Grid(member!.grid(name)!, onGrid, 0, { moving: "leaf" });
    return (batch: number, known: number) => grid.at(batch, known);
  })();
  if (overhead === undefined) return new AttentionModuleOperator(spec, time);
  return new AttentionModuleOperator(
    spec,
    (batch, seq, prefix) => Math.max(time(batch, seq, prefix) - overhead(batch, seq, prefix), 0),
  );
}

function contextTime(levels: Levels, bound: Dsv4Bound): ModuleTime {
  const grid = new LevelGrid(levels, (at) => bound.context(at[0], at[1], at[2]));
  return (batch, seq, prefix) => grid.at(prefix, seq, batch);
}

/**
 * What SGLang's blocks took too long in the measurements: the indexer picked among scores that were all alike, which is
 * the slowest case. Undefined when that was not measured for the model.
 */
function pickingOverhead({ phase, nativeHeads }: Dsv4Spec, set: PerfTables): ModuleTime | undefined {
  const levels = set.member("dsv4_topk_overhead")?.levels(`${phase}|${nativeHeads}`);
  if (levels === undefined) return undefined;
  return phase === "context"
    ? (batch, seq, prefix) => Math.max(clampedAt(levels, [batch, seq, prefix]), 0)
    : (batch, known) => Math.max(clampedAt(levels, [batch, 1, known - 1]), 0);
}

/** The value at a path of coordinates: straight lines between neighbours, the ends beyond them. */
function clampedAt({ keys, starts, values }: Levels, at: readonly number[]): number {
  const below = (level: number, index: number): number =>
    level === starts.length ? values[index] : within(level + 1, starts[level][index], starts[level][index + 1]);
  const within = (level: number, from: number, to: number): number => {
    const wanted = at[level];
    let high = from;
    while (high < to && keys[level][high] < wanted) high++;
    if (high === to) return below(level, to - 1);
    if (keys[level][high] === wanted || high === from) return below(level, high);
    const weight = (wanted - keys[level][high - 1]) / (keys[level][high] - keys[level][high - 1]);
    return below(level, high - 1) * (1 - weight) + below(level, high) * weight;
  };
  return within(0, 0, keys[0].length);
}
