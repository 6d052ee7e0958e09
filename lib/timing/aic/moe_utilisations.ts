/**
 * Utilisations of experts from the measurements of a performance set.
 *
 * @module
 */
import { byLikeness, formatRatio, measuredModes, nearestShape, sameProfile } from "./borrowing.ts";
import type { Utilisation } from "./bound_operators.ts";
import { MoeBound } from "./bounds.ts";
import type { Hardware } from "./hardware.ts";
import type { MoeSpec } from "./operator_spec.ts";
import type { PerfTables } from "./perf_set.ts";
import { MOE_MODES, type MoeMode } from "./quant.ts";
import type { TransferKind } from "./transfer_policy.ts";
import { ofCurve, scaled } from "./utilisation_clouds.ts";

/** Tokens up to which NVFP4 experts use their low-latency kernel. */
const LOW_LATENCY_TOKENS = 128;

/** Utilisations of experts, with what stands in for shapes and formats that were not measured. */
export class MoeUtilisations {
  readonly #set: PerfTables;
  readonly #hardware: Hardware;
  readonly #allowed: ReadonlySet<TransferKind>;

  constructor(set: PerfTables, allowed: ReadonlySet<TransferKind>) {
    this.#set = set;
    this.#hardware = set.header.hardware;
    this.#allowed = allowed;
  }

  /**
   * Of experts: of the shape itself, else of the nearest shape in the same number format, or in one of its size and
   * speed, or in the most similar one; all of them spread over ranks in the same way.
   */
  of(spec: MoeSpec): Utilisation | undefined {
    const { mode } = spec;
    const own = this.#ofShape(mode, mode, this.#shapeName(spec, mode), spec);
    if (own !== undefined) return this.#withLowLatency(spec, own);
    const wanted = MOE_MODES[mode];
    const others = measuredModes(this.#set, "moe", MOE_MODES).filter((other) => other !== mode);
    if (this.#allowed.has("xshape")) {
      const near = this.#nearest(spec, [mode]);
      if (near !== undefined) return this.#ofShape(near.mode, mode, near.name, spec);
    }
    if (this.#allowed.has("xquant")) {
      const near = this.#nearest(spec, others.filter((other) => sameProfile(MOE_MODES[other], wanted)));
      if (near !== undefined) return this.#ofShape(near.mode, mode, near.name, spec);
    }
    if (!this.#allowed.has("xprofile")) return undefined;
    for (const other of byLikeness("moe", wanted, others, MOE_MODES, this.#hardware)) {
      const near = this.#nearest(spec, [other]);
      if (near === undefined) continue;
      return scaled(this.#ofShape(other, other, near.name, spec), formatRatio("moe", wanted, MOE_MODES[other]));
    }
    return undefined;
  }

  /** Small batches of NVFP4 experts take after their own kernel. */
  #withLowLatency(spec: MoeSpec, usual: Utilisation): Utilisation {
    if (spec.mode !== "nvfp4" || spec.gated === false) return usual;
    const name = this.#shapeName(spec, spec.mode);
    const bound = this.#bound(spec, sizesOf(name), "nvfp4");
    const small = ofCurve(this.#set.member("moe_low_latency/nvfp4")?.curve(name), (tokens) => bound.ms(tokens));
    return small === undefined ? usual : (tokens, b, c) => (tokens <= LOW_LATENCY_TOKENS ? small : usual)(tokens, b, c);
  }

  /** The routing that experts of a format were measured with, as near to the wanted one as there is. */
  #distribution({ distribution }: MoeSpec, mode: MoeMode): string {
    const names = this.#set.member(`moe/${mode}`)?.names() ?? [];
    return names.some((name) => name.startsWith(`${distribution}|`)) ? distribution : "uniform";
  }

  #shapeName(spec: MoeSpec, mode: MoeMode): string {
    const { topk, experts, hidden, inter, moeTensor, moeExpert } = spec;
    return [this.#distribution(spec, mode), topk, experts, hidden, inter, moeTensor, moeExpert].join("|");
  }

  /** The measurements of one shape and mode against the bound of another mode. */
  #ofShape(measured: MoeMode, bounded: MoeMode, name: string, spec: MoeSpec): Utilisation | undefined {
    const curve = this.#set.member(`moe/${measured}`)?.curve(name);
    if (curve === undefined) return undefined;
    const bound = this.#bound(spec, sizesOf(name), bounded);
    return ofCurve(curve, (tokens) => bound.ms(tokens));
  }

  #bound(spec: MoeSpec, [topk, experts, hidden, inter]: readonly number[], mode: MoeMode): MoeBound {
    const { moeTensor, moeExpert, gated = true } = spec;
    const shape = { topk, experts, hidden, inter, moeTensor, moeExpert, gated };
    return new MoeBound(this.#hardware, shape, MOE_MODES[mode], mode);
  }

  #nearest(spec: MoeSpec, modes: readonly MoeMode[]): { mode: MoeMode; name: string } | undefined {
    const spread = `|${spec.moeTensor}|${spec.moeExpert}`;
    const candidates = modes.flatMap((mode) => {
      const routed = `${this.#distribution(spec, mode)}|`;
      return (this.#set.member(`moe/${mode}`)?.names() ?? [])
        .filter((name) => name.startsWith(routed) && name.endsWith(spread))
        .map((name) => ({ mode, name, sizes: sizesOf(name) }))
        .sort((a, b) => compareSizes(a.sizes, b.sizes));
    });
    const { topk, experts, hidden, inter } = spec;
    return candidates[nearestShape([topk, experts, hidden, inter], candidates.map(({ sizes }) => sizes))];
  }
}

/** Routed experts, experts, hidden size and width of an expert, from the name of a slice. */
function sizesOf(name: string): number[] {
  return name.split("|").slice(1, 5).map(Number);
}

function compareSizes(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((size, i) => size !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
}
