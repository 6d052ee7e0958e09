/**
 * How each backend takes tokens to their experts and back: which collectives, over which group, how many elements.
 *
 * @module
 */
import type { Hardware } from "./hardware.ts";
import type { MoeDispatchSpec } from "./operator_spec.ts";

/** One collective of the transport. */
export interface DispatchPart {
  readonly operation: "all_reduce" | "all_gather" | "reduce_scatter";
  readonly gpus: number;
  /** Elements for every token of a rank. */
  readonly perToken: number;
}

/** The collectives of a transport, one after the other; null when they are not known for this hardware. */
export function dispatchParts(spec: MoeDispatchSpec, backend: string, hardware: Hardware): DispatchPart[] | null {
  const { hidden, moeTensor, moeExpert, attentionData, pre, mode } = spec;
  const group = moeTensor * moeExpert;
  const attentionTensor = Math.max(Math.floor(group / attentionData), 1);
  const split = attentionTensor > 1;
  const replicated = attentionData > 1;
  const sum: DispatchPart = { operation: "all_reduce", gpus: group, perToken: hidden };
  const all = hidden * attentionData;
  const spread: DispatchPart = { operation: pre ? "all_gather" : "reduce_scatter", gpus: group, perToken: all };
  if (backend === "vllm") {
    const sums = split && !(pre && spec.attentionSummed);
    return [...sums ? [sum] : [], ...replicated ? [spread] : []];
  }
  if (backend === "sglang") {
    if (!split || !replicated) return split ? [sum] : replicated ? [spread] : [];
    const inner: DispatchPart = {
      operation: pre ? "reduce_scatter" : "all_gather",
      gpus: attentionTensor,
      perToken: hidden,
    };
    return pre ? [inner, spread] : [spread, inner];
  }
  if (hardware.smVersion !== 100) return split ? [sum] : replicated ? [spread] : [];
  if (!replicated) return split ? [sum] : [];
  if (moeTensor === 1 && hardware.gpusPerNode >= 72) return null;
  return [pre ? { ...spread, perToken: all * quantisedShare(mode) } : spread];
}

/** Share of a vector's size that travels when experts take quantised inputs. */
function quantisedShare(mode: string): number {
  return mode === "nvfp4" ? 0.28125 : mode === "fp8" || mode === "fp8_block" ? 0.5 : 1;
}
