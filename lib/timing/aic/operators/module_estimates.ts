/**
 * What estimates of attention blocks are made from, whatever their kind.
 *
 * @module
 */
import type { Hardware } from "../hardware.ts";
import type { PerfTables } from "../perf_set.ts";
import type { ModuleEstimate } from "./attention_modules.ts";
import { dsaEstimate, type DsaSpec } from "./dsa.ts";
import { dsv4Estimate, type Dsv4Spec } from "./dsv4.ts";
import { msaEstimate, type MsaSpec } from "./msa.ts";

/** Attention blocks that are measured as a whole and have a table of their own. */
export type AttentionModuleSpec = DsaSpec | Dsv4Spec | MsaSpec;

/**
 * The least time of a block and, with `set`, what was measured of it.
 *
 * @param skips whether it is a block that takes over the tokens another one picked
 */
export function moduleEstimate(
  spec: AttentionModuleSpec,
  hardware: Hardware,
  backend: string,
  set?: PerfTables,
  skips = false,
): ModuleEstimate {
  switch (spec.kind) {
    case "dsa":
      return dsaEstimate(spec, hardware, backend, skips ? "skip" : "full", set);
    case "dsv4":
      return dsv4Estimate(spec, hardware, set);
    case "msa":
      return msaEstimate(spec, hardware, set);
  }
}
