/**
 * Utilisations from the measurements of a performance set: how close each measurement came to its bound, by operator
 * and shape.
 *
 * @module
 */
import { byLikeness, formatRatio, headSizeRatio, measuredModes, nearestShape, sameProfile } from "./borrowing.ts";
import type { Utilisation, UtilisationSource } from "./bound_operators.ts";
import {
  ContextAttentionBound,
  ContextMlaBound,
  GemmBound,
  GenerationAttentionBound,
  GenerationMlaBound,
  MlaBmmBound,
  ScalingBound,
} from "./bounds.ts";
import { type Hardware, peerBandwidth } from "./hardware.ts";
import type { ContextAttentionSpec, GenerationAttentionSpec, MlaModuleSpec, OperatorSpec } from "./operator_spec.ts";
import { closestBelow } from "./operators/attention_modules.ts";
import { dsaOperator, type DsaSpec } from "./operators/dsa.ts";
import { MhcBound } from "./operators/mhc.ts";
import { moduleEstimate } from "./operators/module_estimates.ts";
import type { MsaSpec } from "./operators/msa.ts";
import type { GemmSites, Member } from "./perf_member.ts";
import { MoeUtilisations } from "./moe_utilisations.ts";
import type { PerfTables } from "./perf_set.ts";
import { COMM_MODES, type CommMode, GEMM_MODES, type GemmMode } from "./quant.ts";
import type { TransferKind } from "./transfer_policy.ts";
import { gridPoints, ofCloud, ofCurve, ofGrid, ofModule, scaled } from "./utilisation_clouds.ts";

/** Head size that other sizes are taken from where it was measured. */
const COMMON_HEAD_SIZE = 128;

/**
 * Utilisations of a set, each shape's made when it is first asked for. A shape that was not measured borrows from others
 * as far as the policy allows.
 */
export class MeasuredUtilisations implements UtilisationSource {
  readonly #set: PerfTables;
  readonly #hardware: Hardware;
  readonly #allowed: ReadonlySet<TransferKind>;
  readonly #gemm = new Map<GemmMode, Utilisation | undefined>();
  readonly #moe: MoeUtilisations;

  constructor(set: PerfTables, allowed: ReadonlySet<TransferKind>) {
    this.#set = set;
    this.#hardware = set.header.hardware;
    this.#allowed = allowed;
    this.#moe = new MoeUtilisations(set, allowed);
  }

  of(spec: OperatorSpec): Utilisation | undefined {
    const set = this.#set;
    const hardware = this.#hardware;
    switch (spec.kind) {
      case "gemm":
        return this.#gemmUtilisation(spec.mode === "fp8_static" ? "fp8" : spec.mode);
      case "moe":
        return this.#moe.of(spec);
      case "context_attention":
      case "generation_attention":
        return this.#attentionUtilisation(spec);
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
        const member = set.member("mla_bmm");
        const named = (of: number) => `${operation}|${spec.mode}|${of}`;
        const heads = member?.has(named(spec.heads)) ? spec.heads : 2 ** Math.ceil(Math.log2(spec.heads));
        const curve = member?.curve(named(heads));
        const bound = new MlaBmmBound(hardware, heads, spec.mode);
        return ofCurve(curve, (tokens) => bound.ms(tokens));
      }
      case "dsa":
      case "dsv4": {
        return ofModule(moduleEstimate(spec, hardware, set.header.backend, set));
      }
      case "msa":
        return this.#allowed.has("xop") ? this.#msaUtilisation(spec) : undefined;
      case "mhc": {
        const bound = new MhcBound(spec, hardware);
        const curve = set.member("mhc")?.curve(`${spec.part}|${spec.streams}|${spec.hidden}`);
        return ofCurve(curve, (tokens) => bound.ms(tokens));
      }
      default:
        return undefined;
    }
  }

  /** Of MiniMax sparse attention: what DeepSeek sparse attention with as many heads reaches at the same place. */
  #msaUtilisation({ phase, heads, fmha, kv, mode }: MsaSpec): Utilisation | undefined {
    const like: DsaSpec = {
      ...{ kind: "dsa", name: "like", count: 1, architecture: "GlmMoeDsaForCausalLM", picked: 2048, indexed: 1 },
      ...{ phase, heads, fmha, kv, mode, weightBytes: 0 },
    };
    const operator = dsaOperator(like, this.#hardware, this.#set);
    const { bound } = moduleEstimate(like, this.#hardware, this.#set.header.backend);
    const reached = (batch: number, seq: number, prefix: number) =>
      bound(batch, seq, prefix) / operator.ms(batch * seq, batch, seq, prefix, 1);
    if (Number.isNaN(reached(1, 1, 0))) return undefined;
    return phase === "context"
      ? (_, prefix, seq, batch = 1) => reached(batch, seq, prefix)
      : (_, batch, known) => reached(batch, known, 0);
  }

  ofSkipping(spec: DsaSpec): Utilisation | undefined {
    return ofModule(moduleEstimate(spec, this.#hardware, this.#set.header.backend, this.#set, true));
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
    return table === "computescale" ? ofCloud(2, points, { neighbours: 1, free: true }) : ofCloud(2, points);
  }

  /** Of products: of the format itself, else of one of its size and speed, else of the most similar one. */
  #gemmUtilisation(mode: GemmMode): Utilisation | undefined {
    if (!this.#gemm.has(mode)) this.#gemm.set(mode, this.#gemmLadder(mode));
    return this.#gemm.get(mode);
  }

  #gemmLadder(mode: GemmMode): Utilisation | undefined {
    const own = this.#gemmCloud(mode, mode);
    if (own !== undefined) return own;
    const wanted = GEMM_MODES[mode];
    const others = measuredModes(this.#set, "gemm", GEMM_MODES);
    if (this.#allowed.has("xquant")) {
      const alike = others.find((other) => sameProfile(GEMM_MODES[other], wanted));
      if (alike !== undefined) return this.#gemmCloud(alike, mode);
    }
    if (!this.#allowed.has("xprofile")) return undefined;
    const [nearest] = byLikeness("gemm", wanted, others, GEMM_MODES, this.#hardware);
    if (nearest === undefined) return undefined;
    return scaled(this.#gemmCloud(nearest, nearest), formatRatio("gemm", wanted, GEMM_MODES[nearest]));
  }

  /** The measurements of one mode against the bound of another. */
  #gemmCloud(measured: GemmMode, bounded: GemmMode): Utilisation | undefined {
    const bound = new GemmBound(this.#hardware, bounded);
    const sites = this.#set.member(`gemm/${measured}`)?.sites();
    return sites && ofCloud(3, gemmPoints(sites, bound));
  }

  /** Of attention: of the shape itself with its window, else with another head size; then the same without a window. */
  #attentionUtilisation(spec: ContextAttentionSpec | GenerationAttentionSpec): Utilisation | undefined {
    const { heads, headSize, window, kv } = spec;
    const kvHeads = spec.kvHeads === heads ? 0 : spec.kvHeads;
    const context = spec.kind === "context_attention";
    const member = this.#set.member(context ? `context_attention/${spec.fmha}/${kv}` : `generation_attention/${kv}`);
    if (member === undefined) return undefined;
    const of = (size: number, looksBack: number) => {
      const shape = { kvHeads, headSize: size, window: looksBack };
      const grid = member.grid(`${kvHeads}|${size}|${looksBack}`);
      return ofGrid(
        grid,
        context
          ? new ContextAttentionBound(this.#hardware, shape, spec.fmha, kv)
          : new GenerationAttentionBound(this.#hardware, shape, kv),
      );
    };
    const sizes = this.#allowed.has("xshape") ? headSizes(member, kvHeads) : [];
    const reference = sizes.includes(COMMON_HEAD_SIZE)
      ? COMMON_HEAD_SIZE
      : sizes[nearestShape([headSize], sizes.map((size) => [size]))];
    for (const looksBack of window > 0 ? [window, 0] : [0]) {
      const own = of(headSize, looksBack);
      if (own !== undefined) return own;
      const other = reference === undefined ? undefined : of(reference, looksBack);
      if (other === undefined) continue;
      return context ? scaled(other, headSizeRatio(this.#set.header.backend, headSize, reference)) : other;
    }
    return undefined;
  }

  #moduleUtilisation(spec: MlaModuleSpec): Utilisation | undefined {
    const { fmha, kv, mode, nativeHeads } = spec;
    const context = spec.kind === "mla_context_module";
    const modes = context ? `${fmha}|${kv}|${mode}|` : `${kv}|${mode}|`;
    const member = this.#set.member(spec.kind);
    const natives = (member?.names() ?? []).filter((known) => known.startsWith(modes)).map((known) =>
      Number(known.slice(modes.length))
    );
    const name = `${modes}${closestBelow(natives, nativeHeads)}`;
    const bound = context
      ? new ContextMlaBound(this.#hardware, fmha, kv)
      : new GenerationMlaBound(this.#hardware, kv, mode);
    return ofGrid(member?.grid(name), bound);
  }
}

/** Products in the order of m, n, k, which decides between equally similar ones. */
function gemmPoints(sites: GemmSites, bound: GemmBound): number[][] {
  const points: number[][] = [];
  for (let i = 0; i < sites.length; i++) {
    const { n, k, keys, values } = sites.site(i);
    for (let j = 0; j < keys.length; j++) points.push([keys[j], n, k, bound.ms(keys[j], n, k), values[j]]);
  }
  return points.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
}

/** Head sizes that attention was measured with for a number of KV heads, ascending. */
function headSizes(member: Member, kvHeads: number): number[] {
  const sizes = member.names().map((name) => name.split("|").map(Number))
    .filter(([known]) => known === kvHeads).map(([, size]) => size);
  return [...new Set(sizes)].sort((a, b) => a - b);
}
