/**
 * Latent attention (MLA): kernels, the batched product around them, and whole modules.
 *
 * @module
 */
import type { TableBuilder } from "./members.ts";
import { curveTable, gridTable } from "./simple.ts";

/** Models whose latent attention was measured as a module, and how many heads they have. */
const MODULE_MODEL_HEADS: Readonly<Record<string, number>> = {
  "deepseek-ai/DeepSeek-V3": 128,
  "deepseek-ai/DeepSeek-R1": 128,
  "nvidia/DeepSeek-V3.1-NVFP4": 128,
  "moonshotai/Kimi-K3": 96,
};

function moduleHeads(model: string): number {
  if (Object.hasOwn(MODULE_MODEL_HEADS, model)) return MODULE_MODEL_HEADS[model];
  throw new Error(`the table of attention modules names the unknown model ${model}`);
}

/**
 * A table of kernels or modules: a slice by the columns `by`, grids heads × sequence × batch of prompts, heads × batch
 * × tokens of decode steps.
 */
function latentTable(name: string, by: readonly string[], phase: "context" | "generation"): TableBuilder {
  return gridTable({
    table: `${name}_perf`,
    columns: { required: [...by, "num_heads", "batch_size", "isl", "step", "latency"] },
    place(row) {
      const slice = by.map((column, i) => column === "model" ? moduleHeads(String(row[i])) : row[i]);
      const [heads, batch, isl, step, latency] = row.slice(by.length).map(Number);
      const key = phase === "context" ? [heads, isl, batch] : [heads, batch, isl + step];
      return { member: name, slice: slice.join("|"), key, value: latency };
    },
  });
}

export const buildContextMla = latentTable("context_mla", ["mla_dtype", "kv_cache_dtype"], "context");
export const buildGenerationMla = latentTable("generation_mla", ["kv_cache_dtype"], "generation");
export const buildContextMlaModule = latentTable(
  "mla_context_module",
  ["mla_dtype", "kv_cache_dtype", "gemm_type", "model"],
  "context",
);
export const buildGenerationMlaModule = latentTable(
  "mla_generation_module",
  ["kv_cache_dtype", "gemm_type", "model"],
  "generation",
);

/** The batched products that lead into the latent space and out of it: curves over tokens. */
export const buildMlaProducts = curveTable({
  table: "mla_bmm_perf",
  columns: { required: ["op_name", "bmm_dtype", "num_heads", "num_tokens", "latency"] },
  place: ([operation, format, heads, tokens, latency]) => ({
    member: "mla_bmm",
    slice: `${operation}|${format}|${heads}`,
    key: +tokens,
    value: +latency,
  }),
});
