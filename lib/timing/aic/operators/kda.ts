/**
 * Kimi Delta Attention (KDA), the linear attention of Kimi K3: short convolutions over queries, keys and values, and the
 * update of a state per head, as a scan over prompts and as a recurrence in decode steps.
 *
 * @module
 */
import { roundHalfEven } from "../../../arithmetic/rounding.ts";
import type { Hardware } from "../hardware.ts";
import type { Member } from "../perf_member.ts";
import type { PerfTables } from "../perf_set.ts";
import type { Operator } from "./operator.ts";
import { decodeTable, promptTable, type StateKernelBound, StateKernelOperator } from "./state_kernels.ts";

/** Convolutions (`…conv1d…`), scans and recurrences, by the names that the tables know them by. */
export type KdaKernel =
  | "causal_conv1d_fn_qkv3"
  | "causal_conv1d_update"
  | "flashkda_fwd"
  | "chunk_kda"
  | "fused_kda_decode"
  | "fused_recurrent_kda_packed_decode"
  | "fused_recurrent_kda"
  | "fused_sigmoid_gating_delta_rule_update";

/** One kernel of Kimi Delta Attention. Heads are those of one rank. */
export interface KdaSpec {
  readonly kind: "kda";
  readonly name: string;
  readonly count: number;
  /** `verify`: a decode step that checks drafts. */
  readonly phase: "context" | "generation" | "verify";
  readonly kernel: KdaKernel;
  readonly hidden: number;
  /** Tokens that the convolution looks at. */
  readonly taps: number;
  readonly heads: number;
  readonly headSize: number;
  /** Tokens of a sequence that are checked at once; only in the phase `verify`. */
  readonly checked?: number;
}

/** The recurrence that does the work of the convolution too. */
const FUSED_DECODE = "kda_fused_decode";
/** The same for the verification of drafts. */
const FUSED_VERIFY = "fused_kda_decode_mtp_dspark";

/** Time to move a kernel's inputs, outputs and state. */
class KdaBound implements StateKernelBound {
  readonly #spec: KdaSpec;
  readonly #kernel: string;
  readonly #bandwidth: number;

  constructor(spec: KdaSpec, hardware: Hardware, kernel: string = spec.kernel) {
    this.#spec = spec;
    this.#kernel = kernel;
    this.#bandwidth = hardware.memoryBandwidth;
  }

  ms(batch: number, seq: number): number {
    const tokens = seq > 0 ? batch * seq : batch;
    return this.#bytes(this.#kernel, tokens, batch, seq) / this.#bandwidth * 1000;
  }

  #bytes(kernel: string, tokens: number, batch: number, seq: number): number {
    const { taps, heads, headSize } = this.#spec;
    const width = heads * headSize;
    const state = heads * headSize * headSize * 4 * batch;
    switch (kernel) {
      case "causal_conv1d_fn_qkv3":
      case "causal_conv1d_update":
        return tokens * 3 * width * (taps + 1) * 2 + tokens * 3 * width * 2;
      case FUSED_DECODE:
      case FUSED_VERIFY:
        return this.#bytes("fused_recurrent_kda_packed_decode", tokens, batch, seq) +
          this.#bytes("causal_conv1d_update", tokens, batch, seq);
      default: {
        // drafts may be rejected, so that the state after each of them is kept
        if (this.#spec.phase === "verify") return tokens * 4 * width * 2 + state + (tokens * width * 2 + state * seq);
        // a scan hands the state on from one block of 64 tokens to the next
        const handed = this.#spec.phase === "context" ? Math.floor(seq / 64) * state : 0;
        return tokens * 4 * width * 2 + state + handed + (tokens * width * 2 + state + handed);
      }
    }
  }
}

/** A kernel from its measurements, or from its bound where `set` has none of the model's width. */
export function kdaOperator(spec: KdaSpec, hardware: Hardware, set: PerfTables | undefined): Operator {
  const { phase, kernel } = spec;
  const member = set?.member("kda");
  if (phase === "verify") return verifyOperator(spec, hardware, set);
  if (member === undefined) return new StateKernelOperator(spec, undefined, new KdaBound(spec, hardware), set);
  const separate = kernel === "causal_conv1d_update" || kernel === "fused_recurrent_kda_packed_decode";
  if (separate && !member.has(shapeName(spec, kernel)) && member.has(shapeName(spec, FUSED_DECODE))) {
    if (kernel === "causal_conv1d_update") {
      return new StateKernelOperator(
        spec,
        () => 0,
        new KdaBound(spec, hardware),
        set,
      );
    }
    const bound = new KdaBound(spec, hardware, FUSED_DECODE);
    return new StateKernelOperator(spec, decodeTable(member, shapeName(spec, FUSED_DECODE), bound), bound, set);
  }
  const bound = new KdaBound(spec, hardware);
  const name = closestShape(spec, member);
  if (name === undefined) return new StateKernelOperator(spec, undefined, bound, set);
  const table = phase === "context" ? promptTable(member, name, bound) : decodeTable(member, name, bound);
  return new StateKernelOperator(spec, table, bound, set);
}

/** A kernel of a step that checks drafts: it is asked by all tokens and stands in the table by sequences. */
function verifyOperator(spec: KdaSpec, hardware: Hardware, set: PerfTables | undefined): Operator {
  const member = set?.member("kda");
  const checked = spec.checked!;
  const fused = member !== undefined && !member.has(shapeName(spec, spec.kernel)) &&
    member.has(shapeName(spec, FUSED_VERIFY));
  const bound = new KdaBound(spec, hardware, fused ? FUSED_VERIFY : spec.kernel);
  const sequences = (tokens: number) => Math.max(roundHalfEven(tokens / checked), 1);
  const whole: StateKernelBound = { ms: (tokens) => bound.ms(sequences(tokens), checked) };
  if (fused && spec.kernel === "causal_conv1d_update") return new StateKernelOperator(spec, () => 0, whole, set);
  const name = fused ? shapeName(spec, FUSED_VERIFY) : member && closestShape(spec, member);
  const table = name === undefined ? undefined : promptTable(member, name, bound);
  return new StateKernelOperator(spec, table && ((tokens) => table(sequences(tokens), checked)), whole, set);
}

function shapeName({ phase, hidden, taps, heads, headSize }: KdaSpec, kernel: string): string {
  return [kernel, phase, hidden, taps, heads, headSize, heads, headSize].join("|");
}

/** The shape itself, else the measured one of the model's width whose heads come closest. */
function closestShape(spec: KdaSpec, member: Member): string | undefined {
  const own = shapeName(spec, spec.kernel);
  if (member.has(own)) return own;
  const prefix = [spec.kernel, spec.phase, spec.hidden, ""].join("|");
  const sizes = (name: string) => name.slice(prefix.length).split("|").map(Number);
  const measured = member.names().filter((name) => name.startsWith(prefix)).sort((a, b) => {
    const [left, right] = [sizes(a), sizes(b)];
    const differs = left.findIndex((size, i) => size !== right[i]);
    return differs < 0 ? 0 : left[differs] - right[differs];
  });
  let best: string | undefined;
  let gap = Infinity;
  for (const name of measured) {
    const apart = Math.abs(sizes(name)[3] - spec.heads);
    if (apart >= gap) continue;
    best = name;
    gap = apart;
  }
  return best;
}
