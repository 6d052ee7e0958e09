/**
 * Scaling kernels around statically quantised FP8 products: grids 0 × m × k by format.
 *
 * @module
 */
import type { TableBuilder } from "./members.ts";
import { gridTable } from "./simple.ts";

export const scalingKernel = (name: "computescale" | "scale_matrix"): TableBuilder =>
  gridTable({
    table: `${name}_perf`,
    columns: { required: ["quant_dtype", "m", "k", "latency"] },
    place: ([format, m, k, latency]) => ({
      member: name,
      slice: String(format),
      key: [0, +m, +k],
      value: +latency,
    }),
  });
