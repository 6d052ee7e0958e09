/**
 * Attention blocks measured as a whole: DeepSeek sparse attention (DSA), MiniMax sparse attention (MSA), the compressed
 * attention of DeepSeek V4, and the hyper-connections around it.
 *
 * @module
 */
import { getOrAdd, levelsOf, type Nest, put } from "../nested.ts";
import type { Row } from "../rows.ts";
import { type Members, type TableBuilder, type TableRequest, visitTable } from "./members.ts";
import { curveTable, gridTable } from "./simple.ts";

/** A row of a block's table, with its place. */
interface Measured {
  readonly slice: string;
  readonly path: readonly number[];
  readonly value: number;
}

/**
 * Grids by slice, from a table whose later rows replace earlier ones of the same key within a file, while between files
 * the first one counts.
 */
async function replacedRows(
  request: TableRequest,
  members: Members,
  table: string,
  columns: readonly string[],
  place: (row: Row) => Measured[],
): Promise<Map<string, Nest>> {
  const { tree, system, backend, version } = request;
  const sources = tree.sources(system, backend, version, table);
  const grids = new Map<string, Nest>();
  for (const source of sources) {
    const latest = new Map<string, Measured & { watts: number }>();
    await visitTable(request, members, table, { required: columns }, (row, watts) => {
      for (const found of place(row)) latest.set(`${found.slice}/${found.path.join()}`, { ...found, watts });
    }, [source]);
    for (const { slice, path, value: ms, watts } of latest.values()) {
      put(getOrAdd(grids, slice, (): Nest => new Map()), path, { ms, watts });
    }
  }
  members.sources[table] = sources.map(({ folder, channel, kernels }) => [folder, channel, kernels]);
  return grids;
}

/** Kernels are of two kinds; the first that has a slice answers for it. */
const KERNELS = ["trtllm", "flashmla_kv"] as const;

function kernelsOf(source: string, kv: string): readonly string[] {
  if (kv === "bfloat16" || source === "sglang_dsa_dense_mha_trtllm_ragged") return KERNELS;
  return source.includes("trtllm") ? ["trtllm"] : ["flashmla_kv"];
}

const BLOCK_COLUMNS = [
  ...["op_name", "kernel_source", "architecture", "mla_dtype", "kv_cache_dtype", "gemm_type", "num_heads"],
  ...["batch_size", "isl", "step", "latency"],
];

/**
 * A table of blocks whose prefix is an axis: grids heads × prefix × new tokens × batch of prompts, heads × batch × tokens
 * of decode steps, from the first kernel that has the slice.
 *
 * @param slice what a block is told apart by, without its kernel
 * @param kernelNamed whether the slice's name ends with its kernel
 */
function blockTable(
  name: string,
  phase: "context" | "generation",
  slice: (about: { skips: boolean; architecture: string; fmha: string; kv: string; mode: string }) => string,
  kernelNamed: boolean,
): TableBuilder {
  return async (request, members) => {
    const grids = await replacedRows(request, members, `${name}_${phase}_module_perf`, BLOCK_COLUMNS, (row) => {
      const [operation, source, architecture, fmha, kv, mode] = row.map(String);
      const [heads, batch, isl, step, value] = row.slice(6).map(Number);
      const skips = operation.includes("skip_indexer");
      const path = phase === "context" ? [heads, step, isl, batch] : [heads, batch, isl + step];
      const block = slice({ skips, architecture, fmha, kv, mode });
      return kernelsOf(source, kv).map((kernel) => ({ slice: `${block}|${kernel}`, path, value }));
    });
    const blocks = new Set([...grids.keys()].map((key) => key.slice(0, key.lastIndexOf("|"))));
    for (const block of blocks) {
      const kernel = KERNELS.find((known) => grids.has(`${block}|${known}`))!;
      const levels = levelsOf(grids.get(`${block}|${kernel}`)!, phase === "context" ? 4 : 3);
      members.writer(`${name}_${phase}`).addGrid(kernelNamed ? `${block}|${kernel}` : block, levels);
    }
  };
}

const dsaSlice: Parameters<typeof blockTable>[2] = ({ skips, architecture, fmha, kv, mode }) =>
  [skips ? "skip" : "full", architecture, fmha, kv, mode].join("|");

export const buildContextDsa = blockTable("dsa", "context", dsaSlice, true);
export const buildGenerationDsa = blockTable("dsa", "generation", dsaSlice, true);
export const buildContextMsa = blockTable("msa", "context", ({ fmha, kv, mode }) => [fmha, kv, mode].join("|"), false);
export const buildGenerationMsa = blockTable("msa", "generation", ({ kv, mode }) => [kv, mode].join("|"), false);

/** Number formats that the tables of compressed attention spell in another way. */
const format = (name: string) => name === "fp8_e4m3" ? "fp8" : name;

/** Compressed attention: grids prefix × new tokens × batch of prompts, 0 × batch × tokens of decode steps. */
function compressedTable(kind: "csa" | "hca", phase: "context" | "generation"): TableBuilder {
  const context = phase === "context";
  return gridTable({
    table: `dsv4_${kind}_${phase}_module_perf`,
    columns: {
      required: [
        ...["kv_cache_dtype", "gemm_type", "num_heads", "tp_size", "batch_size", "isl", "step", "latency"],
        ...context ? ["mla_dtype"] : [],
      ],
    },
    place(row) {
      const [kv, mode] = row.slice(0, 2).map(String);
      const [heads, tensor, batch, isl, step, value] = row.slice(2, 8).map(Number);
      const modes = [...context ? [format(String(row[8]))] : [], format(kv), mode];
      const slice = [...modes, heads * tensor, heads].join("|");
      const key = context ? [step, isl, batch] : [0, batch, isl + step];
      return { member: `dsv4_${kind}_${phase}`, slice, key, value };
    },
  });
}

export const COMPRESSED_ATTENTION: readonly TableBuilder[] = [
  compressedTable("csa", "context"),
  compressedTable("csa", "generation"),
  compressedTable("hca", "context"),
  compressedTable("hca", "generation"),
];

/** How scores were made for the kernels of the two phases. */
const SCORES: Readonly<Record<string, "context" | "generation">> = { v1: "context", v2: "generation" };

/**
 * What picking takes longer among equal scores, as they were measured, than among scores as they are: grids batch ×
 * new tokens × prefix by phase and heads.
 */
export async function buildPickingOverhead(request: TableRequest, members: Members): Promise<void> {
  const columns = { required: ["num_heads", "step", "isl", "batch_size", "score_mode", "latency"] };
  const pairs = new Map<string, Map<string, { path: number[]; flat?: number; real?: number }>>();
  await visitTable(request, members, "dsv4_csa_topk_calib_perf", columns, (row) => {
    const [heads, step, isl, batch, scores, latency] = row;
    const [kernel, kind] = String(scores).split(/_(.*)/);
    if (!Object.hasOwn(SCORES, kernel)) return;
    const path = [+batch, +isl, +step];
    const slice = getOrAdd(pairs, `${SCORES[kernel]}|${heads}`, () => new Map());
    const pair = getOrAdd(slice, path.join(), () => ({ path }));
    if (kind === "flat") pair.flat ??= +latency;
    if (kind === "top_last") pair.real ??= +latency;
  });
  for (const [slice, points] of pairs) {
    const nest: Nest = new Map();
    for (const { path, flat, real } of points.values()) {
      if (flat !== undefined && real !== undefined) put(nest, path, { ms: Math.max(flat - real, 0), watts: 0 });
    }
    if (nest.size > 0) members.writer("dsv4_topk_overhead").addGrid(slice, levelsOf(nest, 3));
  }
}

/** Hyper-connections: curves over tokens by part, streams and width. */
export const buildHyperConnections = curveTable({
  table: "mhc_module_perf",
  columns: { required: ["op_name", "hc_mult", "hidden_size", "num_tokens", "latency"] },
  place: ([part, streams, hidden, tokens, latency]) => ({
    member: "mhc",
    slice: `${part}|${streams}|${hidden}`,
    key: +tokens,
    value: +latency,
  }),
});
