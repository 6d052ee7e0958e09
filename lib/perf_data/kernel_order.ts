/**
 * Attention kernels: the order in which a framework's kernels are asked for a slice.
 *
 * @module
 */

/** How much was measured of a kernel: slices and distinct leaves. */
export interface Density {
  readonly slices: number;
  readonly leaves: number;
}

const KNOWN_KERNELS = ["fa3", "fla", "flashinfer", "triton", "trtllm_mha"];

/** The densest kernels first, equal ones by name. */
function ranked(kernels: readonly string[], densities: ReadonlyMap<string, Density>): string[] {
  const of = (kernel: string) => densities.get(kernel) ?? { slices: 0, leaves: 0 };
  return [...kernels].sort((a, b) =>
    of(b).slices - of(a).slices || of(b).leaves - of(a).leaves || (a < b ? -1 : a > b ? 1 : 0)
  );
}

/**
 * Order of the kernels of one table.
 *
 * @param pinned the framework's default kernel, null when no default is recorded for this version and GPU
 * @param primary densities in the version's own table
 * @param merged densities with everything that was merged in
 */
export function kernelOrder(
  pinned: string | null,
  primary: ReadonlyMap<string, Density>,
  merged: ReadonlyMap<string, Density>,
): string[] {
  if (pinned === null) return ["default"];
  const head = pinned === "default" ? [] : [pinned];
  const order = (densities: ReadonlyMap<string, Density>) => [
    ...ranked(KNOWN_KERNELS.filter((kernel) => kernel !== pinned), densities),
    "default",
    ...ranked(
      [...merged.keys()].filter((kernel) => !KNOWN_KERNELS.includes(kernel) && kernel !== "default"),
      densities,
    ),
  ];
  const own = order(primary).filter((kernel) => primary.has(kernel));
  const rest = order(merged).filter((kernel) => !own.includes(kernel));
  return [...new Set([...head, ...own, ...rest])];
}
