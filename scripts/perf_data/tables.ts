/**
 * The tables of one (system, backend, version) as members of a performance set: rows merged (first wins), values
 * raised to their bounds where the model asks for it, attention slices taken from the first kernel that has them.
 *
 * @module
 */
import { GemmBound, GenerationAttentionBound } from "../../lib/timing/aic/bounds.ts";
import type { Hardware } from "../../lib/timing/aic/hardware.ts";
import { MemberWriter } from "../../lib/timing/aic/perf_set.ts";
import { GEMM_MODES, type GemmMode, KV_MODES, type KvMode } from "../../lib/timing/aic/quant.ts";
import { type Density, kernelOrder } from "./kernel_order.ts";
import { countLeaves, curveOf, getOrAdd, gridOf, type Heads, type Leaves, put } from "./nested.ts";
import { type Columns, forEachRow, type Row } from "./rows.ts";
import type { DataTree, Source } from "./tree.ts";

/** What the tables are built for and from. */
export interface TableRequest {
  readonly tree: DataTree;
  readonly system: string;
  readonly backend: string;
  readonly version: string;
  readonly hardware: Hardware;
}

/** Collects members and what they were merged from. */
export class Members {
  readonly writers = new Map<string, MemberWriter>();
  readonly sources: Record<string, [string, string, readonly string[] | null][]> = {};

  writer(name: string): MemberWriter {
    return getOrAdd(this.writers, name, () => new MemberWriter());
  }
}

/** Visits the rows of a table and notes its sources; with `only`, rows of that channel alone. */
export async function visitTable(
  request: TableRequest,
  members: Members,
  table: string,
  columns: Columns,
  visit: (row: Row) => void,
  sources = request.tree.sources(request.system, request.backend, request.version, table),
): Promise<void> {
  members.sources[table] = sources.map(({ folder, channel, kernels }) => [folder, channel, kernels]);
  await forEachRow(request.tree, request.system, table, sources, columns, visit);
}

/** Matrix products: a member per number format, sites in the order of nested first appearance m, n, k. */
export async function buildGemm(request: TableRequest, members: Members): Promise<void> {
  const formats = new Map<string, Heads>();
  const columns = { required: ["gemm_dtype", "m", "n", "k", "latency"] };
  await visitTable(request, members, "gemm_perf", columns, ([format, m, n, k, latency]) => {
    if (format === "awq" || format === "gptq") return;
    put(getOrAdd(formats, String(format), (): Heads => new Map()), +m, +n, +k, +latency);
  });
  for (const [format, byM] of formats) {
    const sites = new Map<string, { n: number; k: number; leaves: Leaves }>();
    for (const [m, byN] of byM) {
      for (const [n, byK] of byN) {
        for (const [k, latency] of byK) {
          getOrAdd(sites, `${n} ${k}`, () => ({ n, k, leaves: new Map() })).leaves.set(m, latency);
        }
      }
    }
    const bound = gemmBound(request.hardware, format);
    const writer = members.writer(`gemm/${format}`);
    for (const { n, k, leaves } of sites.values()) {
      const { keys, values } = curveOf(leaves);
      writer.addSite(n, k, keys, values.map((value, i) => bound ? Math.max(value, bound.ms(keys[i], n, k)) : value));
    }
  }
}

function gemmBound(hardware: Hardware, format: string): GemmBound | undefined {
  if (!Object.hasOwn(GEMM_MODES, format)) return undefined;
  const mode = format as GemmMode;
  return hardware.flops[GEMM_MODES[mode].flops] ? new GemmBound(hardware, mode) : undefined;
}

/** Kernel → slice → leaves. */
type Kernels = Map<string, Map<string, Heads>>;

function densities(kernels: Kernels): Map<string, Density> {
  return new Map(
    [...kernels].map(([kernel, slices]) => [kernel, {
      slices: slices.size,
      leaves: [...slices.values()].reduce((sum, heads) => sum + countLeaves(heads), 0),
    }]),
  );
}

/** Slices of an attention table, each from the first kernel in order that has it; returns the kernel order. */
async function buildAttention(
  request: TableRequest,
  members: Members,
  table: string,
  columns: Columns,
  read: (row: Row) => { kernel: string; slice: string; head: number; row: number; leaf: number; value: number },
  add: (slice: string, heads: Heads) => void,
): Promise<string[]> {
  const { tree, system, backend, version, hardware } = request;
  const load = async (sources: readonly Source[]) => {
    const kernels: Kernels = new Map();
    await visitTable(request, members, table, columns, (row) => {
      const { kernel, slice, head, row: middle, leaf, value } = read(row);
      const slices = getOrAdd(kernels, kernel || "default", () => new Map<string, Heads>());
      put(getOrAdd(slices, slice, (): Heads => new Map()), head, middle, leaf, value);
    }, [...sources]);
    return kernels;
  };
  const sources = tree.sources(system, backend, version, table);
  const primary = densities(await load(sources.filter((source) => source.channel === "primary")));
  const kernels = await load(sources);
  const order = kernelOrder(tree.defaultKernel(backend, version, hardware.smVersion), primary, densities(kernels));
  const taken = new Set<string>();
  for (const kernel of new Set([...order, ...kernels.keys()])) {
    for (const [slice, heads] of kernels.get(kernel) ?? []) {
      if (taken.has(slice)) continue;
      taken.add(slice);
      add(slice, heads);
    }
  }
  return order;
}

/** Grouped heads as stored: 0 stands for "as many KV heads as heads". */
const kvHeadsKey = (kvHeads: number, heads: number) => kvHeads === heads ? 0 : kvHeads;

/** Attention over prompts: members by (FMHA mode, KV mode), grids heads × sequence × batch. */
export function buildContextAttention(request: TableRequest, members: Members): Promise<string[]> {
  const columns = {
    required: [
      ...["kernel_source", "attn_dtype", "kv_cache_dtype", "num_key_value_heads", "head_dim", "num_heads", "isl"],
      ...["batch_size", "latency"],
    ],
    optional: { window_size: 0 },
  };
  return buildAttention(request, members, "context_attention_perf", columns, (row) => {
    const [kernel, fmha, kv, kvHeads, headSize, heads, isl, batch, latency, window] = row;
    return {
      kernel: String(kernel),
      slice: `${fmha}/${kv}/${kvHeadsKey(+kvHeads, +heads)}|${headSize}|${+window}`,
      ...{ head: +heads, row: +isl, leaf: +batch, value: +latency },
    };
  }, (slice, heads) => {
    const [fmha, kv, shape] = slice.split("/");
    members.writer(`context_attention/${fmha}/${kv}`).addGrid(shape, gridOf(heads));
  });
}

/** Attention of decode steps: members by KV mode, grids heads × batch × tokens, raised to their bound. */
export function buildGenerationAttention(request: TableRequest, members: Members): Promise<string[]> {
  const columns = {
    required: [
      ...["kernel_source", "kv_cache_dtype", "num_key_value_heads", "head_dim", "num_heads", "batch_size", "isl"],
      ...["step", "latency"],
    ],
    optional: { window_size: 0 },
  };
  return buildAttention(request, members, "generation_attention_perf", columns, (row) => {
    const [kernel, kv, kvHeads, headSize, heads, batch, isl, step, latency, window] = row;
    return {
      kernel: String(kernel),
      slice: `${kv}/${kvHeadsKey(+kvHeads, +heads)}|${headSize}|${+window}`,
      ...{ head: +heads, row: +batch, leaf: +isl + +step, value: +latency },
    };
  }, (slice, heads) => {
    const [kv, shape] = slice.split("/");
    const [kvHeads, headSize, window] = shape.split("|").map(Number);
    const bound = Object.hasOwn(KV_MODES, kv)
      ? new GenerationAttentionBound(request.hardware, { kvHeads, headSize, window }, kv as KvMode)
      : undefined;
    const raise = (value: number, head: number, batch: number, tokens: number) =>
      bound ? Math.max(value, bound.ms(head, batch, tokens)) : value;
    members.writer(`generation_attention/${kv}`).addGrid(shape, gridOf(heads, raise));
  });
}

/** Kernel that serves small batches of NVFP4 experts and has a table of its own. */
const LOW_LATENCY_KERNEL = "moe_torch_flow_min_latency";

/** Number formats of experts that a kernel turns into another mode. */
const RENAMED_EXPERTS: Readonly<Record<string, string>> = {
  "w4a8_mxfp4_mxfp8 sglang_mxfp4_flashinfer_trtllm_moe": "w4a8_mxfp4_mxfp8_trtllm",
  "w4a16_mxfp4 sglang_flashinfer_cutlass_moe": "w4a16_mxfp4_cutlass",
};

/** Experts: members by mode, curves over tokens by distribution and shape. */
export async function buildMoe(request: TableRequest, members: Members): Promise<void> {
  const curves = new Map<string, Map<string, Leaves>>();
  const columns = {
    required: [
      ...["kernel_source", "moe_dtype", "distribution", "topk", "num_experts", "hidden_size", "inter_size"],
      ...["moe_tp_size", "moe_ep_size", "num_tokens", "latency"],
    ],
  };
  await visitTable(request, members, "moe_perf", columns, (row) => {
    const [kernel, format, distribution, ...rest] = row;
    const latency = +rest.pop()!, tokens = +rest.pop()!;
    const mode = RENAMED_EXPERTS[`${format} ${kernel}`] ?? format;
    const member = kernel === LOW_LATENCY_KERNEL ? `moe_low_latency/${mode}` : `moe/${mode}`;
    const shapes = getOrAdd(curves, member, () => new Map<string, Leaves>());
    const leaves = getOrAdd(shapes, `${distribution}|${rest.join("|")}`, (): Leaves => new Map());
    if (!leaves.has(tokens)) leaves.set(tokens, latency);
  });
  addCurves(members, curves);
}

/** All-reduce of the framework's own kernels: curves over elements by fan-out. */
export async function buildAllReduce(request: TableRequest, members: Members): Promise<void> {
  const curves = new Map<string, Map<string, Leaves>>();
  const columns = {
    required: ["num_gpus", "message_size", "latency"],
    optional: { kernel_source: "", backend: "" },
  };
  await visitTable(request, members, "custom_allreduce_perf", columns, (row) => {
    const [gpus, elements, latency, kernel, variant] = row;
    const eager = String(kernel).endsWith("_eager") || String(variant).endsWith("_eager");
    if (eager && request.system !== "b60") return;
    const leaves = getOrAdd(
      getOrAdd(curves, "all_reduce", () => new Map<string, Leaves>()),
      String(gpus),
      (): Leaves => new Map(),
    );
    if (!leaves.has(+elements)) leaves.set(+elements, +latency);
  });
  addCurves(members, curves);
}

/** Collectives of the vendor's library: members by format, curves over elements by operation and fan-out. */
export async function buildCollectives(request: TableRequest, members: Members): Promise<void> {
  const folder = request.tree.collectivesFolder(request.system);
  if (folder === undefined) return;
  const curves = new Map<string, Map<string, Leaves>>();
  const columns = { required: ["nccl_dtype", "op_name", "num_gpus", "message_size", "latency"] };
  await visitTable(request, members, "nccl_perf", columns, ([format, operation, gpus, elements, latency]) => {
    const byName = getOrAdd(curves, `nccl/${format}`, () => new Map<string, Leaves>());
    const leaves = getOrAdd(byName, `${operation}|${gpus}`, (): Leaves => new Map());
    if (!leaves.has(+elements)) leaves.set(+elements, +latency);
  }, [{ folder, channel: "primary", kernels: null }]);
  addCurves(members, curves);
}

function addCurves(members: Members, curves: Map<string, Map<string, Leaves>>): void {
  for (const [member, byName] of curves) {
    for (const [name, leaves] of byName) {
      const { keys, values } = curveOf(leaves);
      members.writer(member).addCurve(name, keys, values);
    }
  }
}

/** Scaling kernels around statically quantised FP8 products: grids 0 × m × k by format. */
export async function buildQuantize(request: TableRequest, members: Members): Promise<void> {
  for (const table of ["computescale", "scale_matrix"]) {
    const formats = new Map<string, Heads>();
    const columns = { required: ["quant_dtype", "m", "k", "latency"] };
    await visitTable(request, members, `${table}_perf`, columns, ([format, m, k, latency]) => {
      put(getOrAdd(formats, String(format), (): Heads => new Map()), 0, +m, +k, +latency);
    });
    for (const [format, heads] of formats) members.writer(table).addGrid(format, gridOf(heads));
  }
}

/** Models whose latent attention was measured as a module, and how many heads they have. */
const MODULE_MODEL_HEADS: Readonly<Record<string, number>> = {
  "deepseek-ai/DeepSeek-V3": 128,
  "deepseek-ai/DeepSeek-R1": 128,
  "nvidia/DeepSeek-V3.1-NVFP4": 128,
  "moonshotai/Kimi-K3": 96,
};

/** Latent attention: kernels, the batched product around them, and whole modules. */
export async function buildMla(request: TableRequest, members: Members): Promise<void> {
  await buildMlaGrids(request, members, "context_mla", ["mla_dtype", "kv_cache_dtype"], false);
  await buildMlaGrids(request, members, "generation_mla", ["kv_cache_dtype"], true);
  await buildMlaGrids(
    request,
    members,
    "mla_context_module",
    ["mla_dtype", "kv_cache_dtype", "gemm_type", "model"],
    false,
  );
  await buildMlaGrids(request, members, "mla_generation_module", ["kv_cache_dtype", "gemm_type", "model"], true);
  const curves = new Map<string, Map<string, Leaves>>();
  const columns = { required: ["op_name", "bmm_dtype", "num_heads", "num_tokens", "latency"] };
  await visitTable(request, members, "mla_bmm_perf", columns, ([operation, format, heads, tokens, latency]) => {
    const byName = getOrAdd(curves, "mla_bmm", () => new Map<string, Leaves>());
    const leaves = getOrAdd(byName, `${operation}|${format}|${heads}`, (): Leaves => new Map());
    if (!leaves.has(+tokens)) leaves.set(+tokens, +latency);
  });
  addCurves(members, curves);
}

/** Grids heads × sequence × batch of prompts, heads × batch × tokens of decode steps. */
async function buildMlaGrids(
  request: TableRequest,
  members: Members,
  table: string,
  keys: readonly string[],
  generation: boolean,
): Promise<void> {
  const slices = new Map<string, Heads>();
  const columns = { required: [...keys, "num_heads", "batch_size", "isl", "step", "latency"] };
  await visitTable(request, members, `${table}_perf`, columns, (row) => {
    const [heads, batch, isl, step, latency] = row.slice(keys.length).map(Number);
    const slice = row.slice(0, keys.length).map((value, i) => keys[i] === "model" ? moduleHeads(value) : value);
    const grid = getOrAdd(slices, slice.join("|"), (): Heads => new Map());
    if (generation) put(grid, heads, batch, isl + step, latency);
    else put(grid, heads, isl, batch, latency);
  });
  for (const [slice, heads] of slices) members.writer(table).addGrid(slice, gridOf(heads));
}

function moduleHeads(model: string | number): number {
  const heads = MODULE_MODEL_HEADS[model];
  if (heads === undefined) throw new Error(`the table of attention modules names the unknown model ${model}`);
  return heads;
}
