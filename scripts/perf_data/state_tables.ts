/**
 * Tables of the kernels around recurrent states, as members of a performance set: grids batch × new tokens for prompts,
 * curves over batch for decode steps.
 *
 * @module
 */
import { curveOf, getOrAdd, gridOf, type Heads, type Leaves, put } from "./nested.ts";
import type { Row } from "./rows.ts";
import { type Members, type TableRequest, visitTable } from "./tables.ts";

/** Kernels of decode steps that are one and the same to the model. */
const RENAMED: Readonly<Record<string, string>> = {
  fused_recurrent_gated_delta_rule: "fused_sigmoid_gating_delta_rule_update",
  fused_recurrent_gated_delta_rule_packed_decode: "fused_sigmoid_gating_delta_rule_update",
};

/** Gated DeltaNet: shapes are kernel, phase, width, convolution, key heads × size, value heads × size of one rank. */
export async function buildGdn(request: TableRequest, members: Members): Promise<void> {
  const shape = ["d_model", "d_conv", "num_k_heads", "head_k_dim", "num_v_heads", "head_v_dim"];
  await buildStateKernels(request, members, "gdn", shape, (kernel, phase, sizes) => {
    return [RENAMED[kernel] ?? kernel, phase, ...sizes].join("|");
  });
}

/** Mamba-2: kernels of prompts only, since the model takes decode steps from their bound. */
export async function buildMamba2(request: TableRequest, members: Members): Promise<void> {
  const shape = ["d_model", "d_state", "d_conv", "nheads", "head_dim", "n_groups", "chunk_size"];
  await buildStateKernels(request, members, "mamba2", shape, (kernel, phase, sizes) => {
    return phase === "context" ? [kernel, ...sizes].join("|") : undefined;
  });
}

async function buildStateKernels(
  request: TableRequest,
  members: Members,
  name: string,
  shape: readonly string[],
  sliceOf: (kernel: string, phase: string, sizes: Row) => string | undefined,
): Promise<void> {
  const prompts = new Map<string, Heads>();
  const decodes = new Map<string, Leaves>();
  const columns = { required: ["kernel_source", "phase", "batch_size", "seq_len", "latency", ...shape] };
  await visitTable(request, members, `${name}_perf`, columns, ([kernel, phase, batch, seq, latency, ...sizes]) => {
    const slice = sliceOf(String(kernel), String(phase), sizes);
    if (slice === undefined) return;
    if (phase === "context") {
      put(getOrAdd(prompts, slice, (): Heads => new Map()), 0, +batch, +seq, +latency);
    } else {
      const leaves = getOrAdd(decodes, slice, (): Leaves => new Map());
      if (!leaves.has(+batch)) leaves.set(+batch, +latency);
    }
  });
  for (const [slice, heads] of prompts) members.writer(name).addGrid(slice, gridOf(heads));
  for (const [slice, leaves] of decodes) {
    const { keys, values } = curveOf(leaves);
    members.writer(name).addCurve(slice, keys, values);
  }
}
