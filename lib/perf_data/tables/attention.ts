/**
 * Ordinary attention over prompts and of decode steps. A slice comes from the first kernel that has it.
 *
 * @module
 */
import { GenerationAttentionBound } from "../../timing/aic/bounds.ts";
import { KV_MODES, type KvMode } from "../../timing/aic/quant.ts";
import { type Density, kernelOrder } from "../kernel_order.ts";
import { countLeaves, getOrAdd, levelsOf, type Nest, put } from "../nested.ts";
import type { Columns, Row } from "../rows.ts";
import type { Source } from "../tree.ts";
import { type Members, type TableBuilder, type TableRequest, visitTable } from "./members.ts";

/** Kernel → slice → leaves. */
type Kernels = Map<string, Map<string, Nest>>;

function densities(kernels: Kernels): Map<string, Density> {
  return new Map(
    [...kernels].map(([kernel, slices]) => [kernel, {
      slices: slices.size,
      leaves: [...slices.values()].reduce((sum, nest) => sum + countLeaves(nest), 0),
    }]),
  );
}

/** Slices of an attention table, each from the first kernel in order that has it; returns the kernel order. */
async function buildAttention(
  request: TableRequest,
  members: Members,
  table: string,
  columns: Columns,
  read: (row: Row) => { kernel: string; slice: string; key: readonly number[]; value: number },
  add: (slice: string, nest: Nest) => void,
): Promise<string[]> {
  const { tree, system, backend, version, hardware } = request;
  const load = async (sources: readonly Source[]) => {
    const kernels: Kernels = new Map();
    await visitTable(request, members, table, columns, (row, watts) => {
      const { kernel, slice, key, value } = read(row);
      const slices = getOrAdd(kernels, kernel || "default", () => new Map<string, Nest>());
      put(getOrAdd(slices, slice, (): Nest => new Map()), key, { ms: value, watts });
    }, [...sources]);
    return kernels;
  };
  const sources = tree.sources(system, backend, version, table);
  const primary = densities(await load(sources.filter((source) => source.channel === "primary")));
  const kernels = await load(sources);
  const order = kernelOrder(tree.defaultKernel(backend, version, hardware.smVersion), primary, densities(kernels));
  const taken = new Set<string>();
  for (const kernel of new Set([...order, ...kernels.keys()])) {
    for (const [slice, nest] of kernels.get(kernel) ?? []) {
      if (taken.has(slice)) continue;
      taken.add(slice);
      add(slice, nest);
    }
  }
  return order;
}

/** Grouped heads as stored: 0 stands for "as many KV heads as heads". */
const kvHeadsKey = (kvHeads: number, heads: number) => kvHeads === heads ? 0 : kvHeads;

/** Attention over prompts: members by (FMHA mode, KV mode), grids heads × sequence × batch. */
export const buildContextAttention: TableBuilder = async (request, members) => {
  const columns = {
    required: [
      ...["kernel_source", "attn_dtype", "kv_cache_dtype", "num_key_value_heads", "head_dim", "num_heads", "isl"],
      ...["batch_size", "latency"],
    ],
    optional: { window_size: 0 },
  };
  members.lanes.context = await buildAttention(request, members, "context_attention_perf", columns, (row) => {
    const [kernel, fmha, kv, kvHeads, headSize, heads, isl, batch, latency, window] = row;
    return {
      kernel: String(kernel),
      slice: `${fmha}/${kv}/${kvHeadsKey(+kvHeads, +heads)}|${headSize}|${+window}`,
      key: [+heads, +isl, +batch],
      value: +latency,
    };
  }, (slice, nest) => {
    const [fmha, kv, shape] = slice.split("/");
    members.writer(`context_attention/${fmha}/${kv}`).addGrid(shape, levelsOf(nest, 3));
  });
};

/** Attention of decode steps: members by KV mode, grids heads × batch × tokens, raised to their bound. */
export const buildGenerationAttention: TableBuilder = async (request, members) => {
  const columns = {
    required: [
      ...["kernel_source", "kv_cache_dtype", "num_key_value_heads", "head_dim", "num_heads", "batch_size", "isl"],
      ...["step", "latency"],
    ],
    optional: { window_size: 0 },
  };
  members.lanes.generation = await buildAttention(request, members, "generation_attention_perf", columns, (row) => {
    const [kernel, kv, kvHeads, headSize, heads, batch, isl, step, latency, window] = row;
    return {
      kernel: String(kernel),
      slice: `${kv}/${kvHeadsKey(+kvHeads, +heads)}|${headSize}|${+window}`,
      key: [+heads, +batch, +isl + +step],
      value: +latency,
    };
  }, (slice, nest) => {
    const [kv, shape] = slice.split("/");
    const [kvHeads, headSize, window] = shape.split("|").map(Number);
    const bound = Object.hasOwn(KV_MODES, kv)
      ? new GenerationAttentionBound(request.hardware, { kvHeads, headSize, window }, kv as KvMode)
      : undefined;
    const raise = (value: number, [heads, batch, tokens]: readonly number[]) =>
      bound ? Math.max(value, bound.ms(heads, batch, tokens)) : value;
    members.writer(`generation_attention/${kv}`).addGrid(shape, levelsOf(nest, 3, raise));
  });
};
