/**
 * Utilisations from the measurements of a performance set: how close each measurement came to its bound, by operator
 * and shape.
 *
 * @module
 */
import type { Utilisation, UtilisationSource } from "./bound_operators.ts";
import {
  ContextAttentionBound,
  ContextMlaBound,
  GemmBound,
  GenerationAttentionBound,
  GenerationMlaBound,
  type GridBound,
  MlaBmmBound,
  MoeBound,
  ScalingBound,
} from "./bounds.ts";
import { type Hardware, peerBandwidth } from "./hardware.ts";
import type { MlaModuleSpec, MoeSpec, OperatorSpec } from "./operator_spec.ts";
import type { CurveData, GemmSites, GridData, PerfSet } from "./perf_set.ts";
import { COMM_MODES, type CommMode, type GemmMode, MOE_MODES } from "./quant.ts";
import { UtilisationCloud } from "./utilisation.ts";

/** Utilisations of a set, each shape's made when it is first asked for. */
export class MeasuredUtilisations implements UtilisationSource {
  readonly #set: PerfSet;
  readonly #hardware: Hardware;
  readonly #gemm = new Map<GemmMode, Utilisation | undefined>();

  constructor(set: PerfSet) {
    this.#set = set;
    this.#hardware = set.header.hardware;
  }

  of(spec: OperatorSpec): Utilisation | undefined {
    const set = this.#set;
    const hardware = this.#hardware;
    switch (spec.kind) {
      case "gemm":
        return this.#gemmUtilisation(spec.mode === "fp8_static" ? "fp8" : spec.mode);
      case "moe":
        return this.#moeUtilisation(spec);
      case "context_attention":
      case "generation_attention": {
        const { heads, headSize, window, kv } = spec;
        const kvHeads = spec.kvHeads === heads ? 0 : spec.kvHeads;
        const shape = { kvHeads, headSize, window };
        const name = `${kvHeads}|${headSize}|${window}`;
        return spec.kind === "context_attention"
          ? ofGrid(
            set.member(`context_attention/${spec.fmha}/${kv}`)?.grid(name),
            new ContextAttentionBound(hardware, shape, spec.fmha, kv),
          )
          : ofGrid(
            set.member(`generation_attention/${kv}`)?.grid(name),
            new GenerationAttentionBound(hardware, shape, kv),
          );
      }
      case "context_mla":
        return ofGrid(
          set.member("context_mla")?.grid(`${spec.fmha}|${spec.kv}`),
          new ContextMlaBound(hardware, spec.fmha, spec.kv),
        );
      case "generation_mla":
        return ofGrid(set.member("generation_mla")?.grid(spec.kv), new GenerationMlaBound(hardware, spec.kv));
      case "mla_context_module":
      case "mla_generation_module":
        return this.#moduleUtilisation(spec);
      case "mla_bmm": {
        const operation = spec.pre ? "mla_gen_pre" : "mla_gen_post";
        const curve = set.member("mla_bmm")?.curve(`${operation}|${spec.mode}|${spec.heads}`);
        const bound = new MlaBmmBound(hardware, spec.heads, spec.mode);
        return ofCurve(curve, (tokens) => bound.ms(tokens));
      }
      default:
        return undefined;
    }
  }

  /** Groups larger than any that was measured come as close to their bound as the largest one. */
  ofCollective(operation: string, comm: CommMode, gpus: number): Utilisation | undefined {
    const summing = operation === "all_reduce";
    const member = this.#set.member(summing ? "all_reduce" : `nccl/${comm}`);
    const prefix = summing ? "" : `${operation}|`;
    const measured = (member?.names() ?? []).filter((name) => name.startsWith(prefix)).map((name) =>
      Number(name.slice(prefix.length))
    ).filter((size) => size <= gpus);
    const size = Math.max(...measured);
    const bandwidth = peerBandwidth(this.#hardware, size);
    const bytes = COMM_MODES[comm] * (summing ? 2 : 1);
    return ofCurve(
      member?.curve(`${prefix}${size}`),
      (elements) => elements * bytes * (size - 1) / size / bandwidth * 1000,
    );
  }

  /** Of the kernels around statically quantised products; the one that finds scales follows its nearest measurement alone. */
  ofScaling(table: "computescale" | "scale_matrix"): Utilisation | undefined {
    const grid = this.#set.member(table)?.grid("fp8");
    if (grid === undefined) return undefined;
    const bound = new ScalingBound(this.#hardware, table);
    const points = [...gridPoints(grid, { ms: (_, m, k) => bound.ms(m, k) })].map(([, ...rest]) => rest);
    return ofCloud(2, points, table === "computescale" ? 1 : 2);
  }

  #gemmUtilisation(mode: GemmMode): Utilisation | undefined {
    if (!this.#gemm.has(mode)) {
      const bound = new GemmBound(this.#hardware, mode);
      const sites = this.#set.member(`gemm/${mode}`)?.sites();
      this.#gemm.set(mode, sites && ofCloud(3, gemmPoints(sites, bound)));
    }
    return this.#gemm.get(mode);
  }

  #moeUtilisation(spec: MoeSpec): Utilisation | undefined {
    const { topk, experts, hidden, inter, moeTensor, moeExpert, mode, distribution } = spec;
    const name = [distribution, topk, experts, hidden, inter, moeTensor, moeExpert].join("|");
    const bound = new MoeBound(this.#hardware, { ...spec, gated: spec.gated ?? true }, MOE_MODES[mode], mode);
    return ofCurve(this.#set.member(`moe/${mode}`)?.curve(name), (tokens) => bound.ms(tokens));
  }

  #moduleUtilisation(spec: MlaModuleSpec): Utilisation | undefined {
    const { fmha, kv, mode, nativeHeads } = spec;
    const context = spec.kind === "mla_context_module";
    const name = context ? `${fmha}|${kv}|${mode}|${nativeHeads}` : `${kv}|${mode}|${nativeHeads}`;
    const bound = context
      ? new ContextMlaBound(this.#hardware, fmha, kv)
      : new GenerationMlaBound(this.#hardware, kv, mode);
    return ofGrid(this.#set.member(spec.kind)?.grid(name), bound);
  }
}

function ofCloud(axes: number, points: Iterable<readonly number[]>, neighbours: 1 | 2 = 2): Utilisation {
  const cloud = new UtilisationCloud(axes, points, neighbours);
  return (a, b, c) => cloud.at(a, b, c);
}

function ofGrid(grid: GridData | undefined, bound: GridBound): Utilisation | undefined {
  return grid && ofCloud(3, gridPoints(grid, bound));
}

function* gridPoints(grid: GridData, bound: GridBound): Generator<number[], void, void> {
  const { heads, rowStart, rows, leafStart, leaves, values } = grid;
  for (let h = 0; h < heads.length; h++) {
    for (let r = rowStart[h]; r < rowStart[h + 1]; r++) {
      for (let l = leafStart[r]; l < leafStart[r + 1]; l++) {
        yield [heads[h], rows[r], leaves[l], bound.ms(heads[h], rows[r], leaves[l]), values[l]];
      }
    }
  }
}

function* gemmPoints(sites: GemmSites, bound: GemmBound): Generator<number[], void, void> {
  for (let i = 0; i < sites.length; i++) {
    const { n, k, keys, values } = sites.site(i);
    for (let j = 0; j < keys.length; j++) yield [keys[j], n, k, bound.ms(keys[j], n, k), values[j]];
  }
}

function ofCurve(curve: CurveData | undefined, bound: (key: number) => number): Utilisation | undefined {
  return curve && ofCloud(1, Array.from(curve.keys, (key, i) => [key, bound(key), curve.values[i]]));
}
