/**
 * Which measurements an operator reads for a pass, and how far beyond the largest of them the pass lies.
 *
 * @module
 */
import { dispatchParts } from "./dispatch.ts";
import { closestBelow } from "./operators/attention_modules.ts";
import { measuredGroup, summedBy } from "./operators/collective_operators.ts";
import type { GemmSpec, OperatorSpec } from "./operator_spec.ts";
import type { CurveData, GemmSites, Levels, Member } from "./perf_member.ts";
import type { PerfTables } from "./perf_set.ts";
import type { AskedPoint } from "./plain_rows.ts";

/** One table that an operator reads. */
export interface Reading {
  /** Member of the set, e.g. `gemm/fp8_block`. */
  readonly table: string;
  /** The slice of it, as `perf-data check` calls it; absent where several answer. */
  readonly slice?: string;
  /** How many times the asked coordinate is the largest measured one, on the axis that exceeds most; 1 or less inside. */
  readonly beyond: number;
  /** That axis, what was asked and the largest measurement there. */
  readonly axis: string;
  readonly asked: number;
  readonly measured: number;
}

/**
 * What a plain operator reads in its own precision; empty where it reads nothing or what it reads is not looked at
 * (blocks of sparse attention, kernels around recurrent states, operators made of operators).
 */
export function readingsOf(spec: OperatorSpec, at: AskedPoint, set: PerfTables): Reading[] {
  const { tokens, batch, seq, prefix } = at;
  const grid = (table: string, slice: string, axes: Axes) => read(table, slice, set.member(table)?.levels(slice), axes);
  const curve = (table: string, slice: string, axes: Axes) =>
    read(table, slice, asKeys(set.member(table)?.curve(slice)), axes);
  switch (spec.kind) {
    case "gemm":
      return gemmReadings(spec, tokens, set);
    case "context_attention":
      return grid(
        `${spec.kind}/${spec.fmha}/${spec.kv}`,
        attentionSlice(spec),
        promptAxes(spec.heads, batch, seq + prefix),
      );
    case "generation_attention":
      return grid(`${spec.kind}/${spec.kv}`, attentionSlice(spec), decodeAxes(spec.heads, batch, seq));
    case "context_mla":
      return grid(spec.kind, `${spec.fmha}|${spec.kv}`, promptAxes(spec.heads, batch, seq + prefix));
    case "generation_mla":
      return grid(spec.kind, spec.kv, decodeAxes(spec.heads, batch, seq));
    case "moe": {
      const { topk, experts, hidden, inter, moeTensor, moeExpert, mode, attentionData } = spec;
      const table = `moe/${mode}`, shape = [topk, experts, hidden, inter, moeTensor, moeExpert].join("|");
      const named = [spec.distribution, "uniform"].find((name) => set.member(table)?.has(`${name}|${shape}`));
      return named === undefined ? [] : curve(table, `${named}|${shape}`, [["tokens", tokens * attentionData]]);
    }
    case "all_reduce": {
      const { ranks, comm, width } = spec;
      return collectiveReadings(summedBy(set.header.hardware, ranks), comm, ranks, tokens * width, set);
    }
    case "moe_dispatch": {
      const { backend, hardware } = set.header;
      return (dispatchParts(spec, backend, hardware) ?? []).flatMap(({ operation, gpus, perToken }) => {
        const by = operation === "all_reduce" ? summedBy(hardware, gpus) : operation;
        return collectiveReadings(by, spec.comm, gpus, tokens * perToken, set);
      });
    }
    case "mla_context_module":
    case "mla_generation_module": {
      const { kind, fmha, kv, mode, nativeHeads, heads } = spec, prompts = kind === "mla_context_module";
      const modes = prompts ? `${fmha}|${kv}|${mode}|` : `${kv}|${mode}|`;
      const native = closestBelow(numbered(set.member(kind), modes), nativeHeads);
      const axes = prompts ? promptAxes(heads, batch, seq + prefix) : decodeAxes(heads, batch, seq);
      return native === undefined ? [] : grid(kind, `${modes}${native}`, axes);
    }
    default:
      return [];
  }
}

/** What the curve of a matrix product with k × n weights is called. */
export const productSlice = (n: number, k: number): string => `n ${n} k ${k} m`;

type Axes = readonly (readonly [name: string, asked: number])[];

const promptAxes = (heads: number, batch: number, length: number): Axes => [
  ["heads", heads],
  ["tokens of a sequence", length],
  ["sequences", batch],
];

const decodeAxes = (heads: number, batch: number, length: number): Axes => [
  ["heads", heads],
  ["sequences", batch],
  ["tokens of a sequence", length],
];

const attentionSlice = (spec: { heads: number; kvHeads: number; headSize: number; window: number }) =>
  `${spec.kvHeads === spec.heads ? 0 : spec.kvHeads}|${spec.headSize}|${spec.window}`;

function gemmReadings({ mode, n, k }: GemmSpec, m: number, set: PerfTables): Reading[] {
  const table = `gemm/${mode === "fp8_static" ? "fp8" : mode}`, member = set.member(table);
  if (member === undefined) return [];
  const sites = member.sites();
  for (let i = 0; i < sites.length; i++) {
    // a shape that was measured answers from its own curve
    if (sites.n(i) === n && sites.k(i) === k) {
      return read(table, productSlice(n, k), asKeys(sites.site(i)), [["tokens", m]]);
    }
  }
  let reach = LARGEST.get(member);
  if (reach === undefined) LARGEST.set(member, reach = largest(sites));
  const { longest, widest, deepest } = reach;
  const far = [["tokens", m, longest], ["columns", n, widest], ["rows", k, deepest]] as const;
  const [axis, asked, measured] = far.reduce((a, b) => b[1] / b[2] > a[1] / a[2] ? b : a);
  return [{ table, beyond: asked / measured, axis, asked, measured }];
}

function collectiveReadings(
  operation: string,
  comm: string,
  gpus: number,
  elements: number,
  set: PerfTables,
): Reading[] {
  if (gpus <= 1) return [];
  const custom = operation === "custom";
  const table = custom ? "all_reduce" : `nccl/${comm}`, prefix = custom ? "" : `${operation}|`;
  const member = set.member(table);
  const group = measuredGroup(numbered(member, prefix), gpus, set.header.hardware);
  const slice = `${prefix}${group}`;
  const [sizes] = read(table, slice, asKeys(member?.curve(slice)), [["elements", elements]]);
  if (sizes === undefined) return [];
  if (gpus / group <= Math.max(sizes.beyond, 1)) return [sizes];
  return [{ table, slice, beyond: gpus / group, axis: "GPUs", asked: gpus, measured: group }];
}

/** The numbers that end the names of slices with a prefix. */
function numbered(member: Member | undefined, prefix: string): number[] {
  const names = member?.names() ?? [];
  return names.filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(prefix.length)));
}

interface Extent {
  readonly longest: number;
  readonly widest: number;
  readonly deepest: number;
}

/** What was measured at most of the products of one number format. */
const LARGEST = new WeakMap<Member, Extent>();

function largest(sites: GemmSites): Extent {
  let longest = 0, widest = 0, deepest = 0;
  for (let i = 0; i < sites.length; i++) {
    const { n, k, keys } = sites.site(i);
    longest = Math.max(longest, keys[keys.length - 1]);
    widest = Math.max(widest, n);
    deepest = Math.max(deepest, k);
  }
  return { longest, widest, deepest };
}

/** What was measured, without how long it took. */
type Keys = Pick<Levels, "keys" | "starts">;

const asKeys = (curve: Pick<CurveData, "keys"> | undefined): Keys | undefined =>
  curve && { keys: [curve.keys], starts: [] };

/**
 * The measured point that the asked one exceeds least says how far beyond it lies. (Grids are not full: long sequences
 * were measured in small batches only.) The first one that is not exceeded ends the search, and large ones come first.
 */
function read(table: string, slice: string, levels: Keys | undefined, axes: Axes): Reading[] {
  if (levels === undefined) return [];
  const { keys, starts } = levels;
  let best: Reading = { table, slice, beyond: Infinity, axis: "", asked: NaN, measured: NaN };
  const walk = (level: number, from: number, to: number, so: Reading) => {
    const [axis, asked] = axes[level];
    for (let i = to - 1; i >= from && best.beyond > 1; i--) {
      const measured = keys[level][i], ratio = asked / measured;
      const here = ratio > so.beyond ? { table, slice, beyond: ratio, axis, asked, measured } : so;
      if (here.beyond >= best.beyond) continue;
      if (level === keys.length - 1) best = here;
      else walk(level + 1, starts[level][i], starts[level][i + 1], here);
    }
  };
  walk(0, 0, keys[0].length, { ...best, beyond: 0 });
  return best.beyond < Infinity ? [best] : [];
}
