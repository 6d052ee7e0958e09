/**
 * Gated DeltaNet, the linear attention of the Qwen3.5 models: a short convolution and the update of a state of
 * value heads × key size × value size, as a scan over prompts and as a recurrence in decode steps.
 *
 * @module
 */
import type { Hardware } from "../hardware.ts";
import type { Member } from "../perf_member.ts";
import type { PerfTables } from "../perf_set.ts";
import type { Operator } from "./operator.ts";
import { decodeTable, promptTable, type StateKernelBound, StateKernelOperator } from "./state_kernels.ts";

/** Number format in which the state is kept. */
export type StateType = "float32" | "bfloat16" | "float16";

/** Convolutions (`…conv1d…`), the scan and the recurrence, by the names that the tables know them by. */
export type GdnKernel =
  | "causal_conv1d_fn"
  | "causal_conv1d_update"
  | "chunk_gated_delta_rule"
  | "fused_sigmoid_gating_delta_rule_update";

/** One kernel of Gated DeltaNet. Heads are those of one rank. */
export interface GdnSpec {
  readonly kind: "gdn";
  readonly name: string;
  readonly count: number;
  readonly phase: "context" | "generation";
  readonly kernel: GdnKernel;
  readonly hidden: number;
  /** Tokens that the convolution looks at. */
  readonly taps: number;
  readonly keyHeads: number;
  readonly keySize: number;
  readonly valueHeads: number;
  readonly valueSize: number;
  readonly stateType: StateType;
}

/** Kernels that serve the scan under vLLM; which of them was measured depends on the GPU. */
const VLLM_SCANS = ["flashinfer", "triton", "cutedsl"].map((kernel) => `chunk_gated_delta_rule_${kernel}`);
/** Versions of vLLM whose scans are named so. */
const VLLM_SCAN_VERSIONS = ["0.24.0", "0.27.1"];
/** The recurrence of SGLang on data-centre Blackwell when the state has 16 bits. */
const HALF_STATE_RECURRENCE = "flashinfer_gated_delta_rule_decode";

/** Time to move a kernel's inputs, outputs and state. */
class GdnBound implements StateKernelBound {
  readonly #spec: GdnSpec;
  readonly #bandwidth: number;
  readonly #stateBytes: number;

  constructor(spec: GdnSpec, hardware: Hardware, stateBytes = spec.stateType === "float32" ? 4 : 2) {
    this.#spec = spec;
    this.#bandwidth = hardware.memoryBandwidth;
    this.#stateBytes = stateBytes;
  }

  ms(batch: number, seq: number): number {
    const { kernel, taps, keyHeads, keySize, valueHeads, valueSize } = this.#spec;
    const tokens = seq > 0 ? batch * seq : batch;
    const channels = 2 * keyHeads * keySize + valueHeads * valueSize;
    let bytes: number;
    if (kernel === "causal_conv1d_fn" || kernel === "causal_conv1d_update") {
      bytes = tokens * channels * (taps + 1) * 2 + tokens * channels * 2;
    } else {
      const elements = valueHeads * keySize * valueSize;
      // a scan hands the state on from one block of 64 tokens to the next
      const handed = kernel === "chunk_gated_delta_rule" ? Math.floor(seq / 64) * elements * 2 * batch : 0;
      const state = elements * this.#stateBytes * batch;
      const read = tokens * channels * 2 + state + handed;
      const written = tokens * valueHeads * valueSize * 2 + state + handed;
      bytes = read + written;
    }
    return bytes / this.#bandwidth * 1000;
  }
}

/** A kernel from its measurements, or from its bound where `set` has none of the shape. */
export function gdnOperator(spec: GdnSpec, hardware: Hardware, set: PerfTables | undefined): Operator {
  const { phase, kernel } = spec;
  const halfState = kernel === "fused_sigmoid_gating_delta_rule_update" && runsHalfState(spec, set, hardware);
  const bound = new GdnBound(spec, hardware, halfState ? 2 : undefined);
  const member = set?.member("gdn");
  const name = set && member && (halfState ? shapeName(spec, HALF_STATE_RECURRENCE) : measuredName(spec, set, member));
  if (name === undefined) return new StateKernelOperator(spec, undefined, bound, set);
  const table = phase === "context" ? promptTable(member, name, bound) : decodeTable(member, name, bound);
  return new StateKernelOperator(spec, table, bound, set);
}

function runsHalfState({ stateType }: GdnSpec, set: PerfTables | undefined, hardware: Hardware): boolean {
  return stateType === "bfloat16" && set?.header.backend === "sglang" && hardware.smVersion >= 100 &&
    hardware.smVersion < 110;
}

/** Name of the shape under which the kernel was measured, or undefined. */
function measuredName(spec: GdnSpec, set: PerfTables, member: Member): string | undefined {
  const convolution = spec.kernel.startsWith("causal_conv1d");
  if (!convolution && spec.stateType !== "float32") return undefined;
  const { backend, version } = set.header;
  if (spec.kernel === "chunk_gated_delta_rule" && backend === "vllm" && VLLM_SCAN_VERSIONS.includes(version)) {
    const scans = VLLM_SCANS.map((kernel) => shapeName(spec, kernel)).filter((name) => member.has(name));
    if (scans.length > 1) return undefined;
    if (scans.length === 1) return scans[0];
  }
  const name = shapeName(spec, spec.kernel);
  return member.has(name) ? name : undefined;
}

function shapeName(spec: GdnSpec, kernel: string): string {
  const { phase, hidden, taps, keyHeads, keySize, valueHeads, valueSize } = spec;
  return [kernel, phase, hidden, taps, keyHeads, keySize, valueHeads, valueSize].join("|");
}
