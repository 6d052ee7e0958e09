/**
 * Kernels around recurrent states: grids 0 × batch × new tokens for prompts and for the verification of drafts, curves
 * over batch for decode steps.
 *
 * @module
 */
import type { TableBuilder } from "./members.ts";
import { curveTable, gridTable } from "./simple.ts";

/** Kernels of decode steps that are one and the same to the model. */
const RENAMED: Readonly<Record<string, string>> = {
  fused_recurrent_gated_delta_rule: "fused_sigmoid_gating_delta_rule_update",
  fused_recurrent_gated_delta_rule_packed_decode: "fused_sigmoid_gating_delta_rule_update",
};

const KEYS = ["kernel_source", "phase", "batch_size", "seq_len", "latency"];

/** Linear attention: shapes are kernel, phase, width, convolution, key heads × size, value heads × size of one rank. */
function linearAttention(name: string, kernelName: (kernel: string) => string): TableBuilder {
  const about = {
    table: `${name}_perf`,
    columns: {
      required: [...KEYS, "d_model", "d_conv", "num_k_heads", "head_k_dim", "num_v_heads", "head_v_dim"],
    },
  };
  const slice = (kernel: unknown, phase: unknown, sizes: readonly unknown[]) =>
    [kernelName(String(kernel)), phase, ...sizes].join("|");
  const prompts = gridTable({
    ...about,
    place: ([kernel, phase, batch, seq, latency, ...sizes]) =>
      phase === "context" || phase === "verify"
        ? { member: name, slice: slice(kernel, phase, sizes), key: [0, +batch, +seq], value: +latency }
        : undefined,
  });
  const decodes = curveTable({
    ...about,
    place: ([kernel, phase, batch, _seq, latency, ...sizes]) =>
      phase === "generation"
        ? { member: name, slice: slice(kernel, phase, sizes), key: +batch, value: +latency }
        : undefined,
  });
  return async (request, members) => {
    await prompts(request, members);
    await decodes(request, members);
  };
}

/** Gated DeltaNet. */
export const buildGdn = linearAttention("gdn", (kernel) => RENAMED[kernel] ?? kernel);

/** Kimi Delta Attention. */
export const buildKda = linearAttention("kda", (kernel) => kernel);

/** Mamba-2: kernels of prompts only, since the model takes decode steps from their bound. */
export const buildMamba2 = gridTable({
  table: "mamba2_perf",
  columns: {
    required: [...KEYS, "d_model", "d_state", "d_conv", "nheads", "head_dim", "n_groups", "chunk_size"],
  },
  place: ([kernel, phase, batch, seq, latency, ...sizes]) =>
    phase === "context"
      ? { member: "mamba2", slice: [kernel, ...sizes].join("|"), key: [0, +batch, +seq], value: +latency }
      : undefined,
});
