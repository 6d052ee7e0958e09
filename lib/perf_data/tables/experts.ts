/**
 * Experts: members by mode, curves over tokens by distribution and shape.
 *
 * @module
 */
import { curveTable } from "./simple.ts";

/** Kernel that serves small batches of NVFP4 experts and has a table of its own. */
const LOW_LATENCY_KERNEL = "moe_torch_flow_min_latency";

/** Number formats of experts that a kernel turns into another mode. */
const RENAMED: Readonly<Record<string, string>> = {
  "w4a8_mxfp4_mxfp8 sglang_mxfp4_flashinfer_trtllm_moe": "w4a8_mxfp4_mxfp8_trtllm",
  "w4a16_mxfp4 sglang_flashinfer_cutlass_moe": "w4a16_mxfp4_cutlass",
};

export const buildExperts = curveTable({
  table: "moe_perf",
  columns: {
    required: [
      ...["kernel_source", "moe_dtype", "distribution", "topk", "num_experts", "hidden_size", "inter_size"],
      ...["moe_tp_size", "moe_ep_size", "num_tokens", "latency"],
    ],
    // kernels that the framework takes only when it is told to
    optional: { default_eligible: 1 },
  },
  place([kernel, format, distribution, ...rest]) {
    const [eligible, latency, tokens] = [rest.pop(), rest.pop(), rest.pop()].map(Number);
    if (!eligible) return undefined;
    const mode = RENAMED[`${format} ${kernel}`] ?? format;
    return {
      member: kernel === LOW_LATENCY_KERNEL ? `moe_low_latency/${mode}` : `moe/${mode}`,
      slice: `${distribution}|${rest.join("|")}`,
      key: tokens,
      value: latency,
    };
  },
});
