/**
 * Matrix products: a member per number format, sites in the order of nested first appearance m, n, k, values raised to
 * their bound.
 *
 * @module
 */
import { GemmBound } from "../../timing/aic/bounds.ts";
import type { Hardware } from "../../timing/aic/hardware.ts";
import { GEMM_MODES, type GemmMode } from "../../timing/aic/quant.ts";
import { curveOf, getOrAdd, type Leaves, type Nest, put } from "../nested.ts";
import { type TableBuilder, visitTable } from "./members.ts";

export const buildGemm: TableBuilder = async (request, members) => {
  const formats = new Map<string, Nest>();
  const columns = { required: ["gemm_dtype", "m", "n", "k", "latency"] };
  await visitTable(request, members, "gemm_perf", columns, ([format, m, n, k, latency], watts) => {
    if (format === "awq" || format === "gptq") return;
    put(getOrAdd(formats, String(format), (): Nest => new Map()), [+m, +n, +k], { ms: +latency, watts });
  });
  for (const [format, byM] of formats) {
    const bound = gemmBound(request.hardware, format);
    const writer = members.writer(`gemm/${format}`);
    for (const { n, k, leaves } of sitesOf(byM)) {
      const { keys, values, powers } = curveOf(leaves, (ms, m) => bound ? Math.max(ms, bound.ms(m, n, k)) : ms);
      writer.addSite(n, k, keys, values, powers);
    }
  }
};

/** Curves over m by shape, in the order in which a walk through m, n, k first meets the shape. */
function sitesOf(byM: Nest): Iterable<{ n: number; k: number; leaves: Leaves }> {
  const sites = new Map<string, { n: number; k: number; leaves: Leaves }>();
  for (const [m, byN] of byM) {
    for (const [n, byK] of byN as Nest) {
      for (const [k, sample] of byK as Leaves) {
        getOrAdd(sites, `${n} ${k}`, () => ({ n, k, leaves: new Map() })).leaves.set(m, sample);
      }
    }
  }
  return sites.values();
}

function gemmBound(hardware: Hardware, format: string): GemmBound | undefined {
  if (!Object.hasOwn(GEMM_MODES, format)) return undefined;
  const mode = format as GemmMode;
  return hardware.flops[GEMM_MODES[mode].flops] ? new GemmBound(hardware, mode) : undefined;
}
