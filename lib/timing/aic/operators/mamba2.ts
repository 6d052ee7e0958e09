/**
 * Mamba-2 layers: a short convolution and the scan (prompts) or update (decode steps) of the state.
 *
 * @module
 */
import type { Hardware } from "../hardware.ts";
import type { Member } from "../perf_member.ts";
import type { PerfTables } from "../perf_set.ts";
import type { Operator } from "./operator.ts";
import { promptTable, type StateKernelBound, StateKernelOperator } from "./state_kernels.ts";

/** Convolutions (`…conv1d…`), the scan and the update. */
export type Mamba2Kernel =
  | "causal_conv1d_fn"
  | "causal_conv1d_update"
  | "mamba_chunk_scan_combined"
  | "selective_state_update";

/** One kernel of a Mamba-2 layer. Heads and groups are those of the whole model. */
export interface Mamba2Spec {
  readonly kind: "mamba2";
  readonly name: string;
  readonly count: number;
  readonly phase: "context" | "generation";
  readonly kernel: Mamba2Kernel;
  readonly hidden: number;
  readonly stateSize: number;
  /** Tokens that the convolution looks at. */
  readonly taps: number;
  readonly heads: number;
  readonly headSize: number;
  readonly groups: number;
  /** Tokens that the scan takes at once. */
  readonly chunk: number;
}

/** Time to move a kernel's inputs and outputs; the state itself is not counted. */
class Mamba2Bound implements StateKernelBound {
  readonly #spec: Mamba2Spec;
  readonly #bandwidth: number;

  constructor(spec: Mamba2Spec, hardware: Hardware) {
    this.#spec = spec;
    this.#bandwidth = hardware.memoryBandwidth;
  }

  ms(batch: number, seq: number): number {
    const { kernel, heads, headSize, groups, stateSize, taps } = this.#spec;
    const tokens = seq > 0 ? batch * seq : batch;
    const inner = heads * headSize;
    let bytes: number;
    if (kernel === "causal_conv1d_fn" || kernel === "causal_conv1d_update") {
      const channels = inner + 2 * groups * stateSize;
      bytes = tokens * channels * (taps + 1) * 2 + tokens * channels * 2;
    } else {
      bytes = tokens * (inner + groups * stateSize * 2 + heads) * 2 + tokens * inner * 2;
    }
    return bytes / this.#bandwidth * 1000;
  }
}

/**
 * A kernel from its measurements (prompts only: decode steps are always at their bound), else from its bound. A shape
 * that was not measured is answered by the first one of the same width.
 */
export function mamba2Operator(spec: Mamba2Spec, hardware: Hardware, set: PerfTables | undefined): Operator {
  const bound = new Mamba2Bound(spec, hardware);
  const member = spec.phase === "context" ? set?.member("mamba2") : undefined;
  const name = member && nearestShape(spec, member);
  return new StateKernelOperator(spec, name === undefined ? undefined : promptTable(member, name, bound), bound, set);
}

function nearestShape(spec: Mamba2Spec, member: Member): string | undefined {
  const { kernel, hidden, stateSize, taps, heads, headSize, groups, chunk } = spec;
  const own = [kernel, hidden, stateSize, taps, heads, headSize, groups, chunk].join("|");
  if (member.has(own)) return own;
  const ofWidth = member.names().filter((name) => name.startsWith(`${kernel}|${hidden}|`));
  const sizes = (name: string) => name.split("|").slice(2).map(Number);
  return ofWidth.sort((a, b) => {
    const [left, right] = [sizes(a), sizes(b)];
    const at = left.findIndex((size, i) => size !== right[i]);
    return at < 0 ? 0 : left[at] - right[at];
  })[0];
}
