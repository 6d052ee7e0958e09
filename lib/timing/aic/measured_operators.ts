/**
 * Gives operators their measurements: turns descriptions into operators that know their time, or with tables of energies
 * their energy, to which what is a formula adds nothing. What a table lacks becomes an operator that says so when it is
 * asked.
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
} from "./bounds.ts";
import { Curve, PROPORTIONAL } from "./curve.ts";
import { dispatchParts } from "./dispatch.ts";
import { GemmTable } from "./gemm_table.ts";
import { Grid } from "./grid.ts";
import type { Hardware } from "./hardware.ts";
import type {
  AllReduceSpec,
  ContextAttentionSpec,
  ContextMlaSpec,
  GemmSpec,
  GenerationAttentionSpec,
  GenerationMlaSpec,
  MlaBmmSpec,
  MlaModuleSpec,
  MoeDispatchSpec,
  MoeSpec,
  OperatorSpec,
} from "./operator_spec.ts";
import {
  contextAttentionExtraMs,
  ContextAttentionOperator,
  generationAttentionExtraMs,
  GenerationAttentionOperator,
  GenerationMlaOperator,
} from "./operators/attention_operators.ts";
import {
  AllReduceOperator,
  type DispatchStep,
  type FanOuts,
  GroupCollective,
  MoeDispatchOperator,
  summedBy,
} from "./operators/collective_operators.ts";
import { closestBelow } from "./operators/attention_modules.ts";
import { FallbackOperator, OverlapOperator } from "./operators/composite_operators.ts";
import { FormulaOperator } from "./operators/formula_operator.ts";
import { dsaOperator } from "./operators/dsa.ts";
import { dsv4Operator } from "./operators/dsv4.ts";
import { gdnOperator } from "./operators/gdn.ts";
import { kdaOperator } from "./operators/kda.ts";
import { mamba2Operator } from "./operators/mamba2.ts";
import { mhcOperator } from "./operators/mhc.ts";
import { msaOperator } from "./operators/msa.ts";
import { MissingOperator, type Operator } from "./operators/operator.ts";
import {
  CurveOperator,
  GemmOperator,
  MemoryOperator,
  MoeOperator,
  P2pOperator,
  ScalingKernel,
  StaticFp8GemmOperator,
} from "./operators/token_operators.ts";
import type { Member } from "./perf_member.ts";
import type { PerfTables } from "./perf_set.ts";
import { type GemmMode, MOE_MODES } from "./quant.ts";

/** Gives operators the measurements of one performance set, times or energies. */
export class MeasuredOperatorFactory {
  readonly #set: PerfTables;
  readonly #hardware: Hardware;
  readonly #energies: boolean;
  readonly #gemmTables = new Map<GemmMode, GemmTable | undefined>();
  readonly #fanOuts = new Map<string, FanOuts>();

  constructor(set: PerfTables) {
    this.#set = set;
    this.#hardware = set.header.hardware;
    this.#energies = set.unit !== undefined;
  }

  operators(specs: readonly OperatorSpec[]): Operator[] {
    return specs.map((spec) => this.#operator(spec));
  }

  #operator(spec: OperatorSpec): Operator {
    switch (spec.kind) {
      case "embedding":
      case "elementwise":
        return this.#energies ? nothing(spec) : new MemoryOperator(spec, this.#hardware);
      case "p2p":
        return this.#energies ? nothing(spec) : new P2pOperator(spec, this.#hardware);
      case "gemm":
        return spec.mode === "fp8_static" ? this.#staticGemm(spec) : this.#gemm(spec);
      case "context_attention":
        return this.#contextAttention(spec);
      case "generation_attention":
        return this.#generationAttention(spec);
      case "all_reduce":
        return this.#allReduce(spec);
      case "moe":
        return this.#moe(spec);
      case "moe_dispatch":
        return this.#moeDispatch(spec);
      case "context_mla":
        return this.#contextMla(spec);
      case "generation_mla":
        return this.#generationMla(spec);
      case "mla_bmm":
        return this.#mlaBmm(spec);
      case "mla_context_module":
      case "mla_generation_module":
        return this.#mlaModule(spec);
      case "dsa":
        return dsaOperator(spec, this.#hardware, this.#set);
      case "dsv4":
        return dsv4Operator(spec, this.#hardware, this.#set);
      case "msa":
        return msaOperator(spec, this.#hardware, this.#set);
      case "mhc":
        return mhcOperator(spec, this.#hardware, this.#set);
      case "kda":
        return kdaOperator(spec, this.#hardware, this.#set);
      case "gdn":
        return gdnOperator(spec, this.#hardware, this.#set);
      case "mamba2":
        return mamba2Operator(spec, this.#hardware, this.#set);
      case "fallback":
        return new FallbackOperator(spec.name, this.#operator(spec.primary), this.operators(spec.list));
      case "overlap":
        return new OverlapOperator(spec.name, [this.operators(spec.groups[0]), this.operators(spec.groups[1])], {
          sum: this.#energies,
        });
    }
  }

  #gemmTable(mode: GemmMode): GemmTable | undefined {
    if (!this.#gemmTables.has(mode)) {
      const bound = new GemmBound(this.#hardware, mode);
      const member = this.#set.member(`gemm/${mode}`);
      this.#gemmTables.set(mode, member && new GemmTable(member.sites(), bound));
    }
    return this.#gemmTables.get(mode);
  }

  #gemm(spec: GemmSpec): Operator {
    const table = this.#gemmTable(spec.mode);
    if (table === undefined) return missing(spec, "tokens", `GEMM perf data missing for quant '${spec.mode}'`);
    const bound = spec.belowGrid ? this.#energies ? NOTHING : new GemmBound(this.#hardware, spec.mode) : null;
    return new GemmOperator(spec, table.shape(spec.n, spec.k), bound);
  }

  #staticGemm(spec: GemmSpec): Operator {
    const table = this.#gemmTable("fp8");
    if (table === undefined) return missing(spec, "tokens", "GEMM perf data missing for quant 'fp8_static'");
    const scaling = (name: "computescale" | "scale_matrix") => {
      const grid = this.#set.member(name)?.grid("fp8");
      return grid && new ScalingKernel(grid, this.#hardware, spec.k, name);
    };
    const computeScale = scaling("computescale");
    const scaleMatrix = spec.lowPrecisionInput ? scaling("scale_matrix") : null;
    if (computeScale === undefined) return missing(spec, "tokens", "ComputeScale perf data missing for quant 'fp8'");
    if (scaleMatrix === undefined) return missing(spec, "tokens", "ScaleMatrix perf data missing for quant 'fp8'");
    const bound = this.#energies ? NOTHING : new GemmBound(this.#hardware, "fp8_static");
    return new StaticFp8GemmOperator(spec, table.shape(spec.n, spec.k), bound, computeScale, scaleMatrix);
  }

  #contextAttention(spec: ContextAttentionSpec): Operator {
    const { heads, headSize, window, fmha, kv } = spec;
    const kvHeads = spec.kvHeads === heads ? 0 : spec.kvHeads;
    const bound = new ContextAttentionBound(this.#hardware, { kvHeads, headSize, window }, fmha, kv);
    const grid = this.#set.member(`context_attention/${fmha}/${kv}`)?.grid(`${kvHeads}|${headSize}|${window}`);
    if (grid === undefined) {
      const key = `{ fmha_quant: "${fmha}", kv_quant: "${kv}", n_kv_lookup: ${kvHeads}, head_size: ${headSize}, ` +
        `window_size: ${window} }`;
      return missing(spec, "sequences", `context attention data missing for ContextKey ${key}`);
    }
    return new ContextAttentionOperator(
      spec,
      new Grid(grid, bound, heads, { squareRootRows: true, moving: "row" }),
      this.#energies ? 0 : contextAttentionExtraMs(spec, this.#hardware),
    );
  }

  #generationAttention(spec: GenerationAttentionSpec): Operator {
    const { heads, headSize, window, kv } = spec;
    const kvHeads = spec.kvHeads === heads ? 0 : spec.kvHeads;
    const bound = new GenerationAttentionBound(this.#hardware, { kvHeads, headSize, window }, kv);
    const grid = this.#set.member(`generation_attention/${kv}`)?.grid(`${kvHeads}|${headSize}|${window}`);
    if (grid === undefined) {
      const key = `{ kv_quant: "${kv}", n_kv_lookup: ${kvHeads}, head_size: ${headSize}, window_size: ${window} }`;
      return missing(spec, "sequences", `generation attention data missing for GenerationKey ${key}`);
    }
    return new GenerationAttentionOperator(
      spec,
      new Grid(grid, bound, heads, { moving: "leaf" }),
      this.#energies ? 0 : generationAttentionExtraMs(spec, this.#hardware),
    );
  }

  /** Curves by number of GPUs: of the framework's all-reduce, or of an operation of the collectives library. */
  #curvesByGpus(member: Member | undefined, prefix: string): FanOuts {
    const curves = new Map<number, Curve>();
    for (const name of member?.names() ?? []) {
      if (!name.startsWith(prefix)) continue;
      curves.set(Number(name.slice(prefix.length)), new Curve(member!.curve(name)!, PROPORTIONAL));
    }
    return curves;
  }

  #collective(operation: string, comm: string, gpus: number): GroupCollective {
    const key = `${operation} ${comm}`;
    let fanOuts = this.#fanOuts.get(key);
    if (fanOuts === undefined) {
      fanOuts = operation === "custom"
        ? this.#curvesByGpus(comm === "half" ? this.#set.member("all_reduce") : undefined, "")
        : this.#curvesByGpus(this.#set.member(`nccl/${comm}`), `${operation}|`);
      this.#fanOuts.set(key, fanOuts);
    }
    return new GroupCollective(fanOuts, gpus, this.#hardware);
  }

  #sumOver(gpus: number, comm: string): GroupCollective {
    return this.#collective(summedBy(this.#hardware, gpus), comm, gpus);
  }

  #allReduce(spec: AllReduceSpec): Operator {
    return new AllReduceOperator(spec, this.#sumOver(spec.ranks, spec.comm));
  }

  #moe(spec: MoeSpec): Operator {
    const { topk, experts, hidden, inter, moeTensor, moeExpert, mode, distribution } = spec;
    const cost = MOE_MODES[mode];
    const bound = new MoeBound(this.#hardware, { ...spec, gated: spec.gated ?? true }, cost, mode);
    const shape = [topk, experts, hidden, inter, moeTensor, moeExpert].join("|");
    const member = this.#set.member(`moe/${mode}`);
    const named = member?.names().some((name) => name.startsWith(`${distribution}|`)) ? distribution : "uniform";
    const curve = member?.curve(`${named}|${shape}`);
    if (curve === undefined) {
      const key = `{ quant: "${mode}", distribution: "${named}", topk: ${topk}, num_experts: ${experts}, ` +
        `hidden_size: ${hidden}, inter_size: ${inter}, moe_tensor: ${moeTensor}, moe_expert: ${moeExpert} }`;
      return missing(spec, "tokens", `MoE data missing for MoeKey ${key}${otherSplits(member, shape)}`);
    }
    const lowLatency = mode === "nvfp4" && (spec.gated ?? true)
      ? this.#set.member("moe_low_latency/nvfp4")?.curve(`${distribution}|${shape}`)
      : undefined;
    return new MoeOperator(spec, new Curve(curve, bound), lowLatency ? new Curve(lowLatency, bound) : null);
  }

  #moeDispatch(spec: MoeDispatchSpec): Operator {
    if (this.#energies) return nothing(spec);
    const parts = dispatchParts(spec, this.#set.header.backend, this.#hardware);
    if (parts === null) return missing(spec, "tokens", "the all-to-all of wide nodes is not part of this model");
    const steps = parts.map(({ operation, gpus, perToken }): DispatchStep => ({
      label: operation === "all_reduce" ? "custom all-reduce" : `NCCL ${operation}`,
      collective: operation === "all_reduce"
        ? this.#sumOver(gpus, spec.comm)
        : this.#collective(operation, spec.comm, gpus),
      perToken,
    }));
    return new MoeDispatchOperator(spec, steps);
  }

  #contextMla(spec: ContextMlaSpec): Operator {
    const { heads, fmha, kv } = spec;
    const bound = new ContextMlaBound(this.#hardware, fmha, kv);
    const grid = this.#set.member("context_mla")?.grid(`${fmha}|${kv}`);
    if (grid === undefined) {
      const key = `{ fmha_quant: "${fmha}", kv_quant: "${kv}" }`;
      return missing(spec, "sequences", `context MLA data missing for ContextKey ${key}`);
    }
    const options = { squareRootRows: true, moving: "row" } as const;
    return new ContextAttentionOperator(spec, new Grid(grid, bound, heads, options), 0);
  }

  #generationMla(spec: GenerationMlaSpec): Operator {
    const bound = new GenerationMlaBound(this.#hardware, spec.kv);
    const grid = this.#set.member("generation_mla")?.grid(spec.kv);
    if (grid === undefined) {
      return missing(spec, "sequences", `generation MLA data missing for kv_quant "${spec.kv}"`);
    }
    return new GenerationMlaOperator(spec, new Grid(grid, bound, spec.heads, { moving: "leaf" }));
  }

  #mlaBmm(spec: MlaBmmSpec): Operator {
    const member = this.#set.member("mla_bmm");
    const operation = spec.pre ? "mla_gen_pre" : "mla_gen_post";
    const inMode = (mode: string) => member?.names().some((name) => name.startsWith(`${operation}|${mode}|`));
    const mode = inMode(spec.mode) ? spec.mode : "bfloat16";
    const own = member?.has(`${operation}|${mode}|${spec.heads}`) ?? false;
    // a head count that was not measured takes its share of the next power of two
    const heads = own ? spec.heads : 2 ** Math.ceil(Math.log2(spec.heads));
    const curve = member?.curve(`${operation}|${mode}|${heads}`);
    if (curve === undefined) {
      return missing(spec, "tokens", `MLA BMM data missing for num_heads=${heads} (${operation}, quant '${mode}')`);
    }
    const bound = new MlaBmmBound(this.#hardware, heads, spec.mode);
    return new CurveOperator(spec, new Curve(curve, bound), spec.heads / heads);
  }

  #mlaModule(spec: MlaModuleSpec): Operator {
    const context = spec.kind === "mla_context_module";
    const { heads, fmha, kv, mode, nativeHeads } = spec;
    const slice = context ? `${fmha}|${kv}|${mode}` : `${kv}|${mode}`;
    const member = this.#set.member(spec.kind);
    const native = closestBelow(
      (member?.names() ?? []).filter((name) => name.startsWith(`${slice}|`)).map((name) =>
        Number(name.slice(slice.length + 1))
      ),
      nativeHeads,
    );
    const grid = native === undefined ? undefined : member?.grid(`${slice}|${native}`);
    if (grid === undefined) return missing(spec, "sequences", `MLA module data missing for ${spec.name} (${slice})`);
    if (context) {
      const bound = new ContextMlaBound(this.#hardware, fmha, kv);
      const options = { squareRootRows: true, moving: "row" } as const;
      return new ContextAttentionOperator(spec, new Grid(grid, bound, heads, options), 0);
    }
    const bound = new GenerationMlaBound(this.#hardware, kv, mode);
    return new GenerationMlaOperator(spec, new Grid(grid, bound, heads, { moving: "leaf" }));
  }
}

/** The bound of what has no energy of its own. */
const NOTHING = { ms: () => 0 };

/** A formula, of which no power is known. */
const nothing = (spec: { name: string; count: number }): Operator => new FormulaOperator(spec, "tokens", NOTHING.ms);

function missing(spec: OperatorSpec, dependence: "tokens" | "sequences", problem: string): Operator {
  return new MissingOperator(spec.name, dependence, problem);
}

/** How experts of the same sizes were spread in the measurements, for the message about a spread that was not. */
function otherSplits(member: Member | undefined, shape: string): string {
  const sizes = shape.split("|").slice(0, 4).join("|");
  const splits = (member?.names() ?? []).map((name) => name.split("|"))
    .filter((parts) => parts.slice(1, 5).join("|") === sizes)
    .map((parts) => [Number(parts[5]), Number(parts[6])] as const)
    .sort(([a, b], [c, d]) => a - c || b - d);
  const texts = new Set(splits.map(([tensor, expert]) => `${tensor} × ${expert}`));
  return texts.size === 0 ? "" : `; measured moe_tensor × moe_expert: ${[...texts].join(", ")}`;
}
